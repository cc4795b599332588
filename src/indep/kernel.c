/*
 * kernel.c - pivoted incomplete Cholesky factor of a Gaussian kernel of scalars (Fine and Scheinberg, JMLR 2001; Bach
 * and Jordan, JMLR 2002), then centring and rotation to principal directions (kernel PCA).
 *
 * Where it deviates from the papers, because the data are scalars:
 *  - Beyond CANDIDATE_LIMIT distinct values, pivots are sought among candidates, one row per occupied cell of a
 *    sixteenth of a width or less; a cell weighs as many residuals as it has rows.  The residual of the factor varies
 *    on the scale of the distance between pivots (half a width), so it is resolved by the cells.  The search then costs
 *    little beside the O(n r^2) of the rows.
 *  - The factor of a row is found by forward substitution against the pivots alone: the arithmetic of the incremental
 *    algorithm, row by row.  So rows stream through in blocks, and only the few directions that carry the trace are
 *    ever stored.
 *
 * Tolerance: TRACE_LOST of the trace, in the Cholesky step and again when directions are dropped.  Every moment and the
 * statistic are sums of products with traces, so they are off by a few times 1e-8, far below the sampling error and the
 * 1e-6 that the tests ask for; a tolerance under 1e-11 would be lost in the rounding of the residuals.  A factor cut
 * off by the rank limit (very heavy tails: every outlier is a direction of its own) is the kernel of a subset of the
 * features: a test built on it remains valid, it merely does not see those outliers.
 */
#include "indep/kernel.h"

#include "math/linalg.h"
#include "math/sort.h"

#include <math.h>

enum {
    RANK_LIMIT = 200,
    RANK_LIMIT_LARGE = 100, /* beyond LARGE rows: bounds memory to 800 bytes a row and variable */
    LARGE = 20000,
    CANDIDATE_LIMIT = 2048,
    BLOCK = 64
};

static const double FINEST_CELL = 1.0 / 256, WIDEST_CELL = 1.0 / 16;
static const double TRACE_LOST = 1e-8;
static const double SMALLEST_PIVOT = 1e-12; /* residuals below it are rounding */
static const double FARTHEST = 1e150;       /* scaled values are clamped here, so that their squares are finite */

/* ---- width --------------------------------------------------------------------------------------------------- */

/* How many pairs of the ascending values are at most d apart. */
static int64_t pairs_within(int64_t n, const double *sorted, double d)
{
    int64_t count = 0;
    for (int64_t low = 0, high = 0; high < n; high++) {
        while (sorted[high] - sorted[low] > d) {
            low++;
        }
        count += high - low;
    }
    return count;
}

/* Smallest d with half of the pairs within it, by bisection to 1e-10 relative; 0 if half of the pairs are ties. */
static double median_distance(int64_t n, const double *sorted)
{
    int64_t half = (n * (n - 1) / 2 + 1) / 2;
    if (pairs_within(n, sorted, 0.0) >= half) {
        return 0.0;
    }
    double low = 0.0, high = sorted[n - 1] - sorted[0];
    while (high - low > 1e-10 * high) {
        double middle = low + 0.5 * (high - low);
        if (middle <= low || middle >= high) {
            break;
        }
        if (pairs_within(n, sorted, middle) >= half) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

/* A value at rank i (from 0) is the larger one of i pairs and the smaller one of n - 1 - i. */
static double mean_distance(int64_t n, const double *sorted)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        sum += (double)(2 * i - n + 1) * (sorted[i] - sorted[0]);
    }
    return sum / (0.5 * (double)n * (double)(n - 1));
}

static nonsens_status find_width(nonsens_context *ctx, arena *a, int64_t n, const double *v, double *width)
{
    double *sorted;
    TRY(sort_copy(ctx, a, n, v, &sorted));
    *width = median_distance(n, sorted);
    if (*width == 0.0) {
        *width = mean_distance(n, sorted);
    }
    if (!isfinite(*width)) {
        return fail(ctx, NONSENS_ERR_DATA, "kernel width: the range of the values overflows; rescale the variable");
    }
    return NONSENS_OK;
}

nonsens_status kernel_width(nonsens_context *ctx, int64_t n, const double *v, double *width)
{
    arena local = {0};
    *width = 0.0;
    nonsens_status status = n < 2 ? NONSENS_OK : find_width(ctx, &local, n, v, width);
    arena_free(&local);
    return status;
}

/* ---- pivots -------------------------------------------------------------------------------------------------- */

/* One row for each occupied cell; weight counts the rows of the cell. */
typedef struct candidates {
    int64_t count, rank_limit;
    double *at, *weight, *residual; /* (count) */
    double *g;                      /* (count, rank_limit): the factor of the candidates */
} candidates;

/* The factor of a row u: forward substitution of k(u, at) by lower. */
typedef struct pivots {
    int64_t rank, stride;
    double *at;    /* (rank) */
    double *lower; /* row k, of k + 1 elements, starts at lower + k * stride */
} pivots;

/*
 * Cells of the ascending values u (n), each from its first value to `cell` beyond it; those with fewer than `least`
 * rows are left out.  With at = NULL they are only counted.
 */
static int64_t fill_cells(int64_t n, const double *u, double cell, int64_t least, double *at, double *weight)
{
    int64_t cells = 0;
    for (int64_t first = 0, next; first < n; first = next) {
        next = first + 1;
        while (next < n && u[next] - u[first] <= cell) {
            next++;
        }
        if (next - first < least) {
            continue;
        }
        if (at) {
            at[cells] = u[first];
            weight[cells] = (double)(next - first);
        }
        cells++;
    }
    return cells;
}

/* All distinct values, else cells as fine as the limit allows, else the heavier ones of the widest cells: the rank
 * limit would not reach so many lone outliers anyway. */
static int64_t choose_cells(int64_t n, const double *u, double *cell, int64_t *least)
{
    int64_t count;
    *cell = 0.0;
    *least = 1;
    while ((count = fill_cells(n, u, *cell, *least, NULL, NULL)) > CANDIDATE_LIMIT) {
        if (*cell < WIDEST_CELL) {
            *cell = fmax(FINEST_CELL, 2.0 * *cell);
        } else {
            *least *= 2;
        }
    }
    return count;
}

static nonsens_status find_candidates(nonsens_context *ctx, arena *a, int64_t n, const double *u, candidates *c)
{
    double cell;
    int64_t least;
    c->count = choose_cells(n, u, &cell, &least);
    c->rank_limit = n > LARGE ? RANK_LIMIT_LARGE : RANK_LIMIT;
    c->rank_limit = c->count < c->rank_limit ? c->count : c->rank_limit;
    ARENA_TRY(ctx, a, c->at, c->count);
    ARENA_TRY(ctx, a, c->weight, c->count);
    ARENA_TRY(ctx, a, c->residual, c->count);
    ARENA_TRY(ctx, a, c->g, c->count * c->rank_limit);
    fill_cells(n, u, cell, least, c->at, c->weight);
    for (int64_t i = 0; i < c->count; i++) {
        c->residual[i] = 1.0;
    }
    return NONSENS_OK;
}

/* The candidate that takes most of the residual trace away, or -1 when that is small enough; the first of equals. */
static int64_t next_pivot(const candidates *c, double enough)
{
    double sum = 0.0, largest = 0.0;
    int64_t best = -1;
    for (int64_t i = 0; i < c->count; i++) {
        double mass = c->weight[i] * c->residual[i];
        sum += mass;
        if (mass > largest && c->residual[i] > SMALLEST_PIVOT) {
            largest = mass;
            best = i;
        }
    }
    return sum > enough ? best : -1;
}

static double gauss_kernel(double u, double v)
{
    return exp(-0.5 * (u - v) * (u - v));
}

static void take_pivot(candidates *c, int64_t best, pivots *p)
{
    int64_t m = c->count, k = p->rank;
    double *lower = p->lower + k * p->stride, *column = c->g + k * m;
    for (int64_t j = 0; j < k; j++) {
        lower[j] = c->g[j * m + best];
    }
    lower[k] = sqrt(c->residual[best]);
    p->at[k] = c->at[best];
    for (int64_t i = 0; i < m; i++) {
        column[i] = gauss_kernel(c->at[i], p->at[k]);
    }
    for (int64_t j = 0; j < k; j++) {
        const double *done = c->g + j * m;
        for (int64_t i = 0; i < m; i++) {
            column[i] -= lower[j] * done[i];
        }
    }
    for (int64_t i = 0; i < m; i++) {
        column[i] /= lower[k];
        c->residual[i] = fmax(0.0, c->residual[i] - column[i] * column[i]);
    }
    c->residual[best] = 0.0;
    p->rank++;
}

/* u: ascending scaled values (n). */
static nonsens_status find_pivots(nonsens_context *ctx, arena *a, int64_t n, const double *u, pivots *p)
{
    candidates c;
    TRY(find_candidates(ctx, a, n, u, &c));
    *p = (pivots){.rank = 0, .stride = c.rank_limit};
    ARENA_TRY(ctx, a, p->at, c.rank_limit);
    ARENA_TRY(ctx, a, p->lower, c.rank_limit * c.rank_limit);
    while (p->rank < c.rank_limit) {
        int64_t best = next_pivot(&c, TRACE_LOST * (double)n);
        if (best < 0) {
            break;
        }
        take_pivot(&c, best, p);
    }
    return NONSENS_OK;
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

/* The factor g (BLOCK, rank) of BLOCK scaled values; the loops have a fixed length so that compilers vectorise them. */
static void block_factor(const pivots *p, const double *u, double *g)
{
    for (int64_t k = 0; k < p->rank; k++) {
        const double *lower = p->lower + k * p->stride;
        double *column = g + k * BLOCK, inverse = 1.0 / lower[k];
        for (int i = 0; i < BLOCK; i++) {
            column[i] = gauss_kernel(u[i], p->at[k]);
        }
        for (int64_t j = 0; j < k; j++) {
            const double *done = g + j * BLOCK;
            for (int i = 0; i < BLOCK; i++) {
                column[i] -= lower[j] * done[i];
            }
        }
        for (int i = 0; i < BLOCK; i++) {
            column[i] *= inverse;
        }
    }
}

/* Rows of the block that starts at `first`. */
static int64_t block_rows(int64_t n, int64_t first)
{
    return n - first < BLOCK ? n - first : BLOCK;
}

/* Mean (r) of the factor over all rows and its Gram matrix about the mean (r, r).  u: (n) and BLOCK spare values. */
static void centred_gram(const pivots *p, int64_t n, const double *u, double *g, double *mean, double *gram)
{
    int64_t r = p->rank;
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t m = block_rows(n, first);
        block_factor(p, u + first, g);
        linalg_gemm(true, false, r, r, m, 1.0, g, BLOCK, g, BLOCK, first > 0 ? 1.0 : 0.0, gram, r);
        for (int64_t k = 0; k < r; k++) {
            for (int64_t i = 0; i < m; i++) {
                mean[k] += g[k * BLOCK + i];
            }
        }
    }
    for (int64_t k = 0; k < r; k++) {
        mean[k] /= (double)n;
    }
    for (int64_t k = 0; k < r; k++) {
        for (int64_t j = 0; j < r; j++) {
            gram[k * r + j] -= (double)n * mean[k] * mean[j];
        }
    }
}

/* f (q, n) = directions (r, q)' times the centred factor. */
static void project_rows(const pivots *p, int64_t n, const double *u, double *g, const double *mean, int64_t q,
                         const double *directions, double *f)
{
    int64_t r = p->rank;
    for (int64_t first = 0; first < n; first += BLOCK) {
        block_factor(p, u + first, g);
        for (int64_t k = 0; k < r; k++) {
            for (int i = 0; i < BLOCK; i++) {
                g[k * BLOCK + i] -= mean[k];
            }
        }
        linalg_gemm(true, true, q, block_rows(n, first), r, 1.0, directions, r, g, BLOCK, 0.0, f + first * q, q);
    }
}

int64_t kernel_leading(const kernel_factor *factor, double share)
{
    int64_t keep = factor->rank;
    double left_out = 0.0;
    while (keep > 1 && left_out + factor->eigen[keep - 1] <= share * factor->trace) {
        left_out += factor->eigen[--keep];
    }
    return keep;
}

/* Reverses eigenvalues and eigenvectors from ascending to descending order; rounding below zero becomes zero. */
static void reverse_directions(int64_t r, double *eigen, double *directions)
{
    for (int64_t a = 0, b = r - 1; a < b; a++, b--) {
        double swap = eigen[a];
        eigen[a] = eigen[b];
        eigen[b] = swap;
        for (int64_t i = 0; i < r; i++) {
            swap = directions[a * r + i];
            directions[a * r + i] = directions[b * r + i];
            directions[b * r + i] = swap;
        }
    }
    for (int64_t a = 0; a < r; a++) {
        eigen[a] = fmax(0.0, eigen[a]);
    }
}

/* Scaled values in row order (u, with BLOCK spare places) and ascending (sorted): distance 1 is one width. */
static nonsens_status scale_values(nonsens_context *ctx, arena *a, int64_t n, const double *v, double width, double **u,
                                   double **sorted)
{
    ARENA_TRY(ctx, a, *u, n + BLOCK);
    TRY(sort_copy(ctx, a, n, v, sorted));
    double centre = (*sorted)[n / 2];
    for (int64_t i = 0; i < n; i++) {
        (*u)[i] = fmax(-FARTHEST, fmin(FARTHEST, (v[i] - centre) / width));
        (*sorted)[i] = fmax(-FARTHEST, fmin(FARTHEST, ((*sorted)[i] - centre) / width));
    }
    return NONSENS_OK;
}

static nonsens_status make_factor(nonsens_context *ctx, arena *keep, arena *local, int64_t n, const double *v,
                                  double width, kernel_factor *out)
{
    double *u, *sorted, *g, *mean, *gram;
    pivots p;
    TRY(scale_values(ctx, local, n, v, width, &u, &sorted));
    TRY(find_pivots(ctx, local, n, sorted, &p));
    int64_t r = p.rank;
    ARENA_TRY(ctx, local, g, r * BLOCK);
    ARENA_TRY(ctx, local, mean, r);
    ARENA_TRY(ctx, local, gram, r * r);
    ARENA_TRY(ctx, keep, out->eigen, r);
    centred_gram(&p, n, u, g, mean, gram);
    TRY(linalg_eigen_symmetric(ctx, local, r, gram, out->eigen));
    reverse_directions(r, out->eigen, gram);
    *out = (kernel_factor){.n = n, .rank = r, .eigen = out->eigen};
    for (int64_t k = 0; k < r; k++) {
        out->trace += out->eigen[k];
    }
    out->rank = kernel_leading(out, TRACE_LOST);
    ARENA_TRY(ctx, keep, out->f, out->rank * n);
    project_rows(&p, n, u, g, mean, out->rank, gram, out->f);
    return NONSENS_OK;
}

nonsens_status kernel_factorise(nonsens_context *ctx, arena *keep, int64_t n, const double *v, double width,
                                kernel_factor *out)
{
    arena local = {0};
    nonsens_status status = make_factor(ctx, keep, &local, n, v, width, out);
    arena_free(&local);
    return status;
}
