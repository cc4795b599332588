/*
 * gp_reduced.c - computes the low-rank fit to all rows in blocks: one pass for V V' and V y, one for the rows' results.
 *
 * With v = L^-1 k(z, row) and B = I + V V' / S (gp_low_rank.c):
 *     mean = v'B^-1 V y / S,  variance = s - v'v + v'B^-1 v,  leverage = v'B^-1 v / S.
 * Each slab of rows is one job; sums are added in the order of slabs for any number of threads.
 */
#include "base/parallel.h"
#include "math/linalg.h"
#include "regress/gp_internal.h"

#include <math.h>
#include <string.h>

enum { SLAB = 32768, BLOCK = 512 };

/* The state of one pass over the slabs. */
struct slab_pass {
    const gp_reduced *r;
    const column_set *x;
    const double *y;
    double *inner, *vy; // (m, m, slabs), (m, slabs)
    const gp_row_results *out;
};

static int64_t slabs_of(int64_t n)
{
    return (n + SLAB - 1) / SLAB;
}

/* Computes v (m, count) for `count` rows from `first` on. */
static void whiten_block(const gp_reduced *r, const column_set *x, int64_t first, int64_t count, double *v)
{
    gp_gauss_block(&r->z, x, first, count, r->theta, v);
    linalg_solve_lower(false, r->z.n, count, r->l, r->z.n, v, r->z.n);
}

static nonsens_status sum_slab(nonsens_context *ctx, arena *local, int64_t job, void *state)
{
    const struct slab_pass *p = state;
    int64_t m = p->r->z.n, end = (job + 1) * SLAB < p->x->n ? (job + 1) * SLAB : p->x->n;
    double *v; // (m, BLOCK)
    ARENA_TRY(ctx, local, v, m * BLOCK);
    for (int64_t first = job * SLAB; first < end; first += BLOCK) {
        int64_t count = end - first < BLOCK ? end - first : BLOCK;
        TRY(check_cancelled(ctx));
        whiten_block(p->r, p->x, first, count, v);
        linalg_outer(m, count, v, m, 1.0, p->inner + job * m * m);
        linalg_gemm(false, false, m, 1, count, 1.0, v, m, p->y + first, count, 1.0, p->vy + job * m, m);
    }
    return NONSENS_OK;
}

nonsens_status gp_reduced_fit(nonsens_context *ctx, arena *scratch, int threads, const column_set *x, const double *y,
                              const column_set *z, const double *theta, gp_reduced *r, double *bound)
{
    int64_t m = z->n, slabs = slabs_of(x->n);
    struct slab_pass p = {.r = r, .x = x, .y = y};
    *r = (gp_reduced){.z = *z, .theta = theta};
    ARENA_TRY(ctx, scratch, r->l, m * m);
    ARENA_TRY(ctx, scratch, r->b, m * m);
    ARENA_TRY(ctx, scratch, r->weight, m);
    TRY(gp_inducing_factor(ctx, z, theta, r->l));
    ARENA_TRY(ctx, scratch, p.inner, m * m * slabs);
    ARENA_TRY(ctx, scratch, p.vy, m * slabs);
    TRY(parallel_for(ctx, threads, slabs, NULL, sum_slab, &p));
    for (int64_t k = 1; k < slabs; k++) {
        for (int64_t i = 0; i < m * m; i++) {
            p.inner[i] += p.inner[k * m * m + i];
        }
        for (int64_t i = 0; i < m; i++) {
            p.vy[i] += p.vy[k * m + i];
        }
    }
    TRY(gp_bound_of(ctx, m, x->n, theta, x->d, linalg_dot(x->n, y, y), p.inner, p.vy, r->b, r->weight, bound));
    for (int64_t i = 0; i < m; i++) {
        r->weight[i] /= exp(theta[x->d + 1]);
    }
    return NONSENS_OK;
}

static nonsens_status predict_slab(nonsens_context *ctx, arena *local, int64_t job, void *state)
{
    const struct slab_pass *p = state;
    const gp_reduced *r = p->r;
    int64_t m = r->z.n, end = (job + 1) * SLAB < p->x->n ? (job + 1) * SLAB : p->x->n;
    double *v, signal = exp(r->theta[0]), noise = exp(r->theta[p->x->d + 1]);
    ARENA_TRY(ctx, local, v, m * BLOCK);
    for (int64_t first = job * SLAB; first < end; first += BLOCK) {
        int64_t count = end - first < BLOCK ? end - first : BLOCK;
        TRY(check_cancelled(ctx));
        whiten_block(r, p->x, first, count, v);
        for (int64_t i = 0; i < count; i++) {
            p->out->mean[first + i] = linalg_dot(m, v + i * m, r->weight);
            p->out->variance[first + i] = signal - linalg_dot(m, v + i * m, v + i * m);
        }
        linalg_solve_lower(false, m, count, r->b, m, v, m);
        for (int64_t i = 0; i < count; i++) {
            double form = linalg_dot(m, v + i * m, v + i * m);
            p->out->variance[first + i] = fmax(p->out->variance[first + i], 0.0) + form;
            p->out->leverage[first + i] = form / noise;
        }
    }
    return NONSENS_OK;
}

nonsens_status gp_reduced_predict(nonsens_context *ctx, int threads, const gp_reduced *r, const column_set *x,
                                  const gp_row_results *out)
{
    struct slab_pass p = {.r = r, .x = x, .out = out};
    return parallel_for(ctx, threads, slabs_of(x->n), NULL, predict_slab, &p);
}
