/*
 * kernel_pivots.c - pivots of the incomplete Cholesky factor of a Gaussian kernel (Fine and Scheinberg, JMLR 2001; Bach
 * and Jordan, JMLR 2002), chosen among candidates.
 *
 * Scalars: if there are at most CANDIDATE_LIMIT distinct values, these are the candidates, weighted by their rows;
 * otherwise one row per occupied cell of at most a sixteenth of a width.  The residual of the factor varies on the
 * scale of the distance between pivots (half a width), so the cells resolve it.
 *
 * Vectors: all rows up to VECTOR_CANDIDATES, otherwise that many rows drawn by their ranks (kernel_sample).  A row
 * outside the sample has a residual of at most 1 - k(row, p)^2 for every pivot p, and no better bound holds: rows far
 * from the sample are represented badly.  The loss is therefore measured over all rows afterwards (kernel_basis.lost):
 * two normal coordinates and 100,000 rows lose 1e-6 of the trace although 1e-8 was asked for.
 *
 * Candidates are ordered by value or by rank hash, so pivots do not depend on the order of rows.
 */
#include "indep/kernel_internal.h"

#include "math/sort.h"

#include <math.h>

enum { CANDIDATE_LIMIT = 2048, VECTOR_CANDIDATES = 4096 };

static const double MIN_CELL = 1.0 / 256, MAX_CELL = 1.0 / 16;
static const double MIN_PIVOT = 1e-12;  /* residuals below it are rounding errors */
static const double MAX_SCALED = 1e150; /* scaled values are clamped here, so that their squares are finite */

/* One row for each occupied cell; weight counts the rows of the cell. */
typedef struct candidates {
    int64_t count, d, rank_limit;
    double *at;                /* (count, d) */
    double *weight, *residual; /* (count) */
    double *g;                 /* (count, rank_limit) and one number more: the factor of the candidates */
} candidates;

double kernel_scaled(const kernel_points *points, int64_t coordinate, double value)
{
    double scaled = (value - points->centre[coordinate]) / points->width[coordinate];
    return fmax(-MAX_SCALED, fmin(MAX_SCALED, scaled));
}

/* ---- candidates ---------------------------------------------------------------------------------------------- */

/*
 * Finds and counts cells of the ascending values u (n), each from its first value to `cell` beyond it; those with fewer
 * than min_rows rows are left out.  With at = NULL they are only counted.
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

static nonsens_status get_candidates(nonsens_context *ctx, arena *a, int64_t count, int64_t d, int64_t max_rank,
                                     candidates *c)
{
    *c = (candidates){.count = count, .d = d, .rank_limit = count < max_rank ? count : max_rank};
    ARENA_TRY(ctx, a, c->at, count * d + 1);
    ARENA_TRY(ctx, a, c->weight, count);
    ARENA_TRY(ctx, a, c->residual, count);
    ARENA_TRY(ctx, a, c->g, count * c->rank_limit + 1);
    for (int64_t i = 0; i < count; i++) {
        c->weight[i] = c->residual[i] = 1.0;
    }
    return NONSENS_OK;
}

/* Takes all distinct values, or cells as fine as the limit allows, or those of the widest cells with most rows: the
 * rank limit would not admit that many single outliers anyway. */
static nonsens_status scalar_candidates(nonsens_context *ctx, arena *a, kernel_points *points, int64_t max_rank,
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
        if (cell < MAX_CELL) {
            cell = fmax(MIN_CELL, 2.0 * cell);
        } else {
            min_rows *= 2;
        }
    }
    TRY(get_candidates(ctx, a, count, 1, max_rank, c));
    fill_cells(n, sorted, cell, min_rows, c->at, c->weight);
    return NONSENS_OK;
}

static nonsens_status vector_candidates(nonsens_context *ctx, arena *a, kernel_points *points, int64_t max_rank,
                                        candidates *c)
{
    int64_t count, *rows;
    column_set all = {points->n, points->d, points->v};
    TRY(kernel_sample(ctx, a, &all, VECTOR_CANDIDATES, &count, &rows, points->centre));
    TRY(get_candidates(ctx, a, count, points->d, max_rank, c));
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

/* Returns the candidate that removes most of the residual trace, the first of ties; -1 if the trace is small enough. */
static int64_t next_pivot(const candidates *c, double enough)
{
    double sum = 0.0, largest = 0.0;
    int64_t best = -1;
    for (int64_t i = 0; i < c->count; i++) {
        double mass = c->weight[i] * c->residual[i];
        sum += mass;
        if (mass > largest && c->residual[i] > MIN_PIVOT) {
            largest = mass;
            best = i;
        }
    }
    return sum > enough ? best : -1;
}

/* Computes column (count) = k(candidates, at). */
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

/* Computes column (count) -= g (count, k) lower, in ranges that stay in the cache. */
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
        TRY(scalar_candidates(ctx, a, points, limits->max_rank, &c));
    } else {
        TRY(vector_candidates(ctx, a, points, limits->max_rank, &c));
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
