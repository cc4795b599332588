/* regression.c - builds and solves the normal equations of penalised least squares on B-splines. */
#include "classifier/regression.h"

#include "classifier/envelope.h"

#include <string.h>

static void add_row_products(const classifier_sample *s, int64_t row, classifier_regression *g)
{
    const double *v = s->value + 8 * row;
    int64_t at[REGRESSION_PRODUCTS];
    double b[REGRESSION_PRODUCTS];
    for (int64_t i = 0; i < REGRESSION_PRODUCTS; i++) {
        at[i] = kind_place(s, g->kind, s->corner[row] + i / 4 * s->basis + i % 4);
        b[i] = v[i / 4] * v[4 + i % 4];
    }
    for (int64_t i = 0; i < REGRESSION_PRODUCTS; i++) {
        for (int64_t j = 0; j < REGRESSION_PRODUCTS; j++) {
            if (at[j] <= at[i]) {
                g->gram[at[i] * g->size + at[j]] += b[i] * b[j];
            }
        }
    }
}

nonsens_status classifier_regression_new(nonsens_context *ctx, arena *a, const classifier_model *m,
                                         enum classifier_kind kind, double lambda, double gentle,
                                         classifier_regression *g)
{
    const classifier_sample *s = m->data;
    int64_t products = s->basis * s->basis;
    *g = (classifier_regression){.kind = kind, .size = kind_size(s, kind)};
    ARENA_TRY(ctx, a, g->first, g->size);
    ARENA_TRY(ctx, a, g->gram, g->size * g->size);
    ARENA_TRY(ctx, a, g->factor, g->size * g->size);
    for (int64_t i = 0; i < s->n; i++) {
        add_row_products(s, i, g);
    }
    memcpy(g->factor, g->gram, (size_t)(g->size * g->size) * sizeof *g->factor);
    for (int64_t i = 0; i < products; i++) {
        for (int64_t j = 0; j < products; j++) {
            int64_t p = kind_place(s, kind, i), q = kind_place(s, kind, j);
            if (q <= p) {
                g->factor[p * g->size + q] +=
                    lambda * m->roughness[i * products + j] + gentle * m->gentle[i * products + j];
            }
        }
    }
    for (int64_t i = 0; i < g->size; i++) {
        g->factor[i * g->size + i] += 1e-9 * (double)s->n / (double)g->size;
    }
    return envelope_factor(g->size, g->first, g->factor)
               ? NONSENS_OK
               : fail(ctx, NONSENS_ERR_NUMERIC, "the basis of the segment classifier is not positive definite");
}

void regression_solve(const classifier_regression *g, double *target)
{
    envelope_forward(g->size, g->first, g->factor, target);
    envelope_backward(g->size, g->first, g->factor, target);
}
