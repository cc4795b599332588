/*
 * simulate_layered.c - the paper's generator: x(1) = A(1) N, x(l) = A(l) f(x(l-1)), f leaky ReLU of slope .2.
 *
 * The paper leaves open: the absolute values of the entries, here uniform on [.5, 1.5] with random sign, including the
 * diagonal; and the mask, here the same in all layers.  Cyclic models (the mixing is not triangular) have one
 * off-diagonal value per layer and |det| >= .3.
 */
#include "simulate/simulate_model.h"

#include <math.h>

static const double SMALLEST_DETERMINANT = 0.3;

/* Computes the determinant by elimination with row pivoting; a (m, m) is overwritten. */
static double determinant(double *a, int64_t m)
{
    double product = 1;
    for (int64_t k = 0; k < m; k++) {
        int64_t best = k;
        for (int64_t i = k + 1; i < m; i++) {
            best = fabs(a[i * m + k]) > fabs(a[best * m + k]) ? i : best;
        }
        double pivot = a[best * m + k];
        if (pivot == 0) {
            return 0;
        }
        for (int64_t j = 0; j < m; j++) {
            double swap = a[k * m + j];
            a[k * m + j] = a[best * m + j];
            a[best * m + j] = swap;
        }
        product *= best == k ? pivot : -pivot;
        for (int64_t i = k + 1; i < m; i++) {
            double ratio = a[i * m + k] / pivot;
            for (int64_t j = k; j < m; j++) {
                a[i * m + j] -= ratio * a[k * m + j];
            }
        }
    }
    return product;
}

static bool layer_invertible(const double *a, int64_t m, double factor, double *scratch)
{
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < m; j++) {
            scratch[i * m + j] = a[i * m + j] * (i == j ? 1.0 : factor);
        }
    }
    return fabs(determinant(scratch, m)) >= SMALLEST_DETERMINANT;
}

bool simulate_layered_invertible(const simulate_model *model, double factor, double *scratch)
{
    for (int64_t l = 0; l < model->depth; l++) {
        if (!layer_invertible(model->weight + l * model->m * model->m, model->m, factor, scratch)) {
            return false;
        }
    }
    return true;
}

static void draw_layer(rng *r, const simulate_model *model, bool cyclic, double *a)
{
    int64_t m = model->m;
    double common = cyclic ? simulate_weight(r) : 0;
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < m; j++) {
            bool present = i == j || model->parent[i * m + j];
            bool own = i == j || !cyclic;
            a[i * m + j] = !present ? 0 : own ? simulate_weight(r) : common;
        }
    }
}

nonsens_status simulate_layered_draw(nonsens_context *ctx, arena *memory, int64_t seed, bool cyclic,
                                     simulate_model *model)
{
    int64_t entries = model->m * model->m;
    double *scratch; // (m, m)
    ARENA_TRY(ctx, memory, model->weight, model->depth * entries);
    ARENA_TRY(ctx, memory, scratch, entries);
    for (int64_t l = 0; l < model->depth; l++) {
        rng r = simulate_stream(seed, RNG_SIMULATE_MECHANISM, STREAM_MAIN, l);
        double *a = model->weight + l * entries;
        do {
            draw_layer(&r, model, cyclic, a);
        } while (cyclic && !layer_invertible(a, model->m, 1, scratch));
    }
    return NONSENS_OK;
}

void simulate_layered_row(const simulate_model *model, const double *factor, const double *noise, double *x,
                          double *scratch)
{
    int64_t m = model->m;
    for (int64_t l = 0; l < model->depth; l++) {
        const double *a = model->weight + l * m * m;
        for (int64_t i = 0; i < m; i++) {
            scratch[i] = l == 0 ? noise[i] : simulate_leaky(x[i]);
        }
        for (int64_t i = 0; i < m; i++) {
            double sum = 0;
            for (int64_t j = 0; j < m; j++) {
                sum += a[i * m + j] * factor[i * m + j] * scratch[j];
            }
            x[i] = sum;
        }
    }
}
