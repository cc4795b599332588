/*
 * kernel_pivots.c - pivots of the incomplete Cholesky factor of a Gaussian kernel (Fine and Scheinberg, JMLR 2001; Bach
 * and Jordan, JMLR 2002), sought among candidates.
 *
 * Scalars: up to CANDIDATE_LIMIT distinct values these are the candidates, each with the weight of its rows; beyond
 * that one row per occupied cell of a sixteenth of a width or less.  The residual of the factor varies on the scale of
 * the distance between pivots (half a width), so it is resolved by the cells.
 *
 * Vectors: all rows up to VECTOR_CANDIDATES, else as many rows drawn by their ranks (kernel_sample).  A row outside the
 * sample has a residual of at most 1 - k(row, p)^2 for every pivot p, which is all that holds for certain; rows far out
 * where the sample has none are represented badly.  What is lost is therefore measured over all rows afterwards
 * (kernel_basis.lost): two normal coordinates and 100,000 rows lose 1e-6 of the trace where 1e-8 was asked for.
 *
 * Candidates stand in an order of their own (ascending, or by rank hash), so pivots do not depend on the order of rows.
 */
#include "indep/kernel_internal.h"

#include "math/sort.h"

#include <math.h>

enum { CANDIDATE_LIMIT = 2048, VECTOR_CANDIDATES = 4096 };

static const double FINEST_CELL = 1.0 / 256, WIDEST_CELL = 1.0 / 16;
static const double SMALLEST_PIVOT = 1e-12; /* residuals below it are rounding */
static const double FARTHEST = 1e150;       /* scaled values are clamped here, so that their squares are finite */

/* One row for each occupied cell; weight counts the rows of the cell. */
typedef struct candidates {
    int64_t count, d, rank_limit;
    double *at;                /* (count, d) */
    double *weight, *residual; /* (count) */
    double *g;                 /* (count, rank_limit), and one place behind: the factor of the candidates */
} candidates;

double kernel_scaled(const kernel_points *points, int64_t coordinate, double value)
{
    double scaled = (value - points->centre[coordinate]) / points->width[coordinate];
    return fmax(-FARTHEST, fmin(FARTHEST, scaled));
}

/* ---- candidates ---------------------------------------------------------------------------------------------- */

/*
 * Cells of the ascending values u (n), each from its first value to `cell` beyond it; those with fewer than min_rows
 * rows are left out.  With at = NULL they are only counted.
 */
static int64_t fill_cells(int64_t n, const double *u, double cell, int64_t min_rows, double *at, double *weight)
{
    int64_t cells = 0;
    for (int64_t first = 0, next; first < n; first = next) {
        next = first + 1;
        while (next < n && u[next] - u[first] <= cell) {
            next++;
        }
        if (next - first < min_rows) {
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

static nonsens_status get_candidates(nonsens_context *ctx, arena *a, int64_t count, int64_t d, int64_t rank_max,
                                     candidates *c)
{
    *c = (candidates){.count = count, .d = d, .rank_limit = count < rank_max ? count : rank_max};
    ARENA_TRY(ctx, a, c->at, count * d + 1);
    ARENA_TRY(ctx, a, c->weight, count);
    ARENA_TRY(ctx, a, c->residual, count);
    ARENA_TRY(ctx, a, c->g, count * c->rank_limit + 1);
    for (int64_t i = 0; i < count; i++) {
        c->weight[i] = c->residual[i] = 1.0;
    }
    return NONSENS_OK;
}

/* All distinct values, else cells as fine as the limit allows, else the heavier ones of the widest cells: the rank
 * limit would not reach so many lone outliers anyway. */
static nonsens_status scalar_candidates(nonsens_context *ctx, arena *a, kernel_points *points, int64_t rank_max,
                                        candidates *c)
{
    int64_t count, min_rows = 1, n = points->n;
    double cell = 0.0, *sorted;
    TRY(sort_copy(ctx, a, n, points->v[0], &sorted));
    points->centre[0] = sorted[n / 2];
    for (int64_t i = 0; i < n; i++) {
        sorted[i] = kernel_scaled(points, 0, sorted[i]);
    }
    while ((count = fill_cells(n, sorted, cell, min_rows, NULL, NULL)) > CANDIDATE_LIMIT) {
        if (cell < WIDEST_CELL) {
            cell = fmax(FINEST_CELL, 2.0 * cell);
        } else {
            min_rows *= 2;
        }
    }
    TRY(get_candidates(ctx, a, count, 1, rank_max, c));
    fill_cells(n, sorted, cell, min_rows, c->at, c->weight);
    return NONSENS_OK;
}

static nonsens_status vector_candidates(nonsens_context *ctx, arena *a, kernel_points *points, int64_t rank_max,
                                        candidates *c)
{
    int64_t count, *rows;
    column_set all = {points->n, points->d, points->v};
    TRY(kernel_sample(ctx, a, &all, VECTOR_CANDIDATES, &count, &rows, points->centre));
    TRY(get_candidates(ctx, a, count, points->d, rank_max, c));
    for (int64_t j = 0; j < points->d; j++) {
        for (int64_t i = 0; i < count; i++) {
            c->at[j * count + i] = kernel_scaled(points, j, points->v[j][rows[i]]);
        }
    }
    for (int64_t i = 0; i < count; i++) {
        c->weight[i] = (double)points->n / (double)count;
    }
    return NONSENS_OK;
}

/* ---- pivots -------------------------------------------------------------------------------------------------- */

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

/* column (count) = k(candidates, at). */
static void kernel_column(const candidates *c, const double *at, double *column)
{
    for (int64_t i = 0; i < c->count; i++) {
        column[i] = 0.0;
    }
    for (int64_t j = 0; j < c->d; j++) {
        const double *u = c->at + j * c->count;
        for (int64_t i = 0; i < c->count; i++) {
            column[i] -= 0.5 * (u[i] - at[j]) * (u[i] - at[j]);
        }
    }
    tile_exp(c->count, column);
}

/* column (count) -= g (count, k) lower, in stretches that stay in the cache. */
static void subtract_columns(int64_t count, int64_t k, const double *g, const double *lower, double *column)
{
    for (int64_t first = 0; first < count; first += KERNEL_TILE) {
        int64_t end = first + KERNEL_TILE < count ? first + KERNEL_TILE : count, j = 0;
        for (; j + 3 < k; j += 4) {
            const double *g0 = g + j * count, *g1 = g0 + count, *g2 = g1 + count, *g3 = g2 + count;
            for (int64_t i = first; i < end; i++) {
                column[i] -= (lower[j] * g0[i] + lower[j + 1] * g1[i]) + (lower[j + 2] * g2[i] + lower[j + 3] * g3[i]);
            }
        }
        for (; j < k; j++) {
            for (int64_t i = first; i < end; i++) {
                column[i] -= lower[j] * g[j * count + i];
            }
        }
    }
}

static void take_pivot(candidates *c, int64_t best, kernel_pivots *p)
{
    int64_t m = c->count, k = p->rank;
    double *lower = p->lower + k * p->stride, *column = c->g + k * m, *at = p->at + k * c->d;
    for (int64_t j = 0; j < k; j++) {
        lower[j] = c->g[j * m + best];
    }
    lower[k] = sqrt(c->residual[best]);
    for (int64_t j = 0; j < c->d; j++) {
        at[j] = c->at[j * m + best];
    }
    kernel_column(c, at, column);
    subtract_columns(m, k, c->g, lower, column);
    double inverse = 1.0 / lower[k];
    for (int64_t i = 0; i < m; i++) {
        column[i] *= inverse;
        c->residual[i] = fmax(0.0, c->residual[i] - column[i] * column[i]);
    }
    c->residual[best] = 0.0;
    p->rank++;
}

nonsens_status kernel_find_pivots(nonsens_context *ctx, arena *a, kernel_points *points, const kernel_limits *limits,
                                  kernel_pivots *out)
{
    candidates c;
    if (points->d == 1) {
        TRY(scalar_candidates(ctx, a, points, limits->rank_max, &c));
    } else {
        TRY(vector_candidates(ctx, a, points, limits->rank_max, &c));
    }
    *out = (kernel_pivots){.rank = 0, .stride = c.rank_limit};
    ARENA_TRY(ctx, a, out->at, c.rank_limit * c.d + 1);
    ARENA_TRY(ctx, a, out->lower, c.rank_limit * c.rank_limit);
    while (out->rank < c.rank_limit) {
        int64_t best = next_pivot(&c, limits->trace_lost * (double)points->n);
        if (best < 0) {
            break;
        }
        take_pivot(&c, best, out);
        TRY(check_cancelled(ctx));
    }
    return NONSENS_OK;
}
