/*
 * segment_groups.c - finds groups of segments by location and scale of the variables in a segment; see
 * segment_groups.h.
 *
 * Statistics of a row: the two warped variables, the residual of each from its mean given the other, and the absolute
 * values of these four.  If segments differ, their means vary more than the variance within segments explains.  The
 * components of variance (W within, B between segments, by the usual analysis of variance) give the best linear
 * prediction of a segment's true means from nu of its rows,
 *
 *     y = sum_k v_k  l_k / (l_k + 1 / nu)  v_k' L^-1 (mean - grand mean),
 *     W = L L',   L^-1 B L^-T = sum_k l_k v_k v_k',
 *
 * in units of the standard deviation within segments: what does not change over segments is shrunk to zero.  W and B
 * come from the segments of other folds, so that chance in a segment does not decide by what its rows are grouped.
 * Groups are k-means cells of y; a row belongs to the cell of the y that is computed without the row itself.
 */
#include "methods/shared/segment_groups.h"

#include "base/rng.h"
#include "math/linalg.h"

#include <math.h>
#include <string.h>

enum { STATISTICS = 8, BINS = 16, MAX_STEPS = 50 };
enum { MAX_GROUPS = 20, MIN_GROUPS = 4, ROWS_PER_GROUP = 100, MIN_ROWS = 20, PER_GROUP = 8 };
static const double MIN_BETWEEN = 0.01; /* smallest variance between segments, over a mean's sampling variance */

typedef struct grouping {
    const segment_groups_input *in;
    double *statistic; /* (n, STATISTICS) */
    double *sum;       /* (segments, STATISTICS) */
    double *unit_sum;  /* (units, STATISTICS) */
    double *unit_rows; /* (units) */
    double *map;       /* (folds, STATISTICS, STATISTICS) rows v_k' L^-1 */
    double *axis;      /* (folds, STATISTICS, STATISTICS) rows v_k */
    double *between;   /* (folds, STATISTICS) l_k */
    double *mean;      /* (folds, STATISTICS) */
    int64_t groups;
    double *centre; /* (groups, STATISTICS) */
} grouping;

int64_t segment_groups_wanted(int64_t n, int64_t segments)
{
    int64_t groups = n / ROWS_PER_GROUP < segments / PER_GROUP ? n / ROWS_PER_GROUP : segments / PER_GROUP;
    groups = groups < MAX_GROUPS ? groups : MAX_GROUPS;
    groups = groups > MIN_GROUPS ? groups : MIN_GROUPS;
    return groups < segments ? groups : segments;
}

/* ---- statistics of rows ---- */

/* Computes rest (n) = y minus its mean over rows whose x is in the same bin. */
static void subtract_conditional_mean(int64_t n, const double *x, const double *y, double *rest)
{
    double sum[BINS] = {0.0}, rows[BINS] = {0.0};
    for (int64_t i = 0; i < n; i++) {
        int64_t bin = (int64_t)fmin(x[i] * BINS, BINS - 1);
        sum[bin] += y[i];
        rows[bin] += 1.0;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t bin = (int64_t)fmin(x[i] * BINS, BINS - 1);
        rest[i] = y[i] - sum[bin] / rows[bin];
    }
}

static nonsens_status find_statistics(nonsens_context *ctx, arena *a, grouping *g)
{
    const segment_groups_input *in = g->in;
    double *rest[2];
    ARENA_TRY(ctx, a, g->statistic, in->n * STATISTICS);
    ARENA_TRY(ctx, a, g->sum, in->segments * STATISTICS);
    for (int j = 0; j < 2; j++) {
        ARENA_TRY(ctx, a, rest[j], in->n);
        subtract_conditional_mean(in->n, in->warped[1 - j], in->warped[j], rest[j]);
    }
    for (int64_t e = 0; e < in->segments; e++) {
        for (int64_t i = in->start[e]; i < in->start[e + 1]; i++) {
            double *t = g->statistic + i * STATISTICS;
            for (int j = 0; j < 2; j++) {
                t[j] = in->warped[j][i] - 0.5;
                t[2 + j] = rest[j][i];
            }
            for (int k = 0; k < STATISTICS; k++) {
                t[k] = k < STATISTICS / 2 ? t[k] : fabs(t[k - STATISTICS / 2]);
                g->sum[e * STATISTICS + k] += t[k];
            }
        }
    }
    return NONSENS_OK;
}

static nonsens_status sum_units(nonsens_context *ctx, arena *a, grouping *g)
{
    const segment_groups_input *in = g->in;
    ARENA_TRY(ctx, a, g->unit_sum, in->units * STATISTICS);
    ARENA_TRY(ctx, a, g->unit_rows, in->units);
    for (int64_t i = 0; i < in->n; i++) {
        g->unit_rows[in->unit_of[i]] += 1.0;
        for (int k = 0; k < STATISTICS; k++) {
            g->unit_sum[in->unit_of[i] * STATISTICS + k] += g->statistic[i * STATISTICS + k];
        }
    }
    return NONSENS_OK;
}

/* ---- components of variance ---- */

/* Adds weight * v v' to sum (STATISTICS, STATISTICS). */
static void add_outer(double weight, const double *v, double *sum)
{
    for (int i = 0; i < STATISTICS; i++) {
        for (int j = 0; j < STATISTICS; j++) {
            sum[i * STATISTICS + j] += weight * v[i] * v[j];
        }
    }
}

/* Estimates mean, within and between from the segments outside the fold; returns the average rows of a segment. */
static double find_components(const grouping *g, int64_t fold, double *mean, double *within, double *between)
{
    const segment_groups_input *in = g->in;
    double rows = 0.0, squares = 0.0, segments = 0.0;
    for (int64_t e = 0; e < in->segments; e++) {
        double of_segment = in->fold[e] == fold ? 0.0 : (double)(in->start[e + 1] - in->start[e]);
        rows += of_segment;
        squares += of_segment * of_segment;
        segments += of_segment > 0.0;
        for (int k = 0; k < STATISTICS && of_segment > 0.0; k++) {
            mean[k] += g->sum[e * STATISTICS + k];
        }
    }
    for (int k = 0; k < STATISTICS; k++) {
        mean[k] /= rows;
    }
    for (int64_t e = 0; e < in->segments; e++) {
        double of_segment = (double)(in->start[e + 1] - in->start[e]), v[STATISTICS];
        for (int64_t i = in->start[e]; i < in->start[e + 1] && in->fold[e] != fold; i++) {
            for (int k = 0; k < STATISTICS; k++) {
                v[k] = g->statistic[i * STATISTICS + k] - g->sum[e * STATISTICS + k] / of_segment;
            }
            add_outer(1.0 / fmax(rows - segments, 1.0), v, within);
        }
        for (int k = 0; k < STATISTICS; k++) {
            v[k] = g->sum[e * STATISTICS + k] / of_segment - mean[k];
        }
        add_outer(in->fold[e] == fold ? 0.0 : of_segment / fmax(segments - 1.0, 1.0), v, between);
    }
    double on_average = (rows - squares / rows) / fmax(segments - 1.0, 1.0);
    for (int k = 0; k < STATISTICS * STATISTICS; k++) {
        between[k] = (between[k] - within[k]) / on_average;
    }
    return on_average;
}

/* Replaces each row r of a (STATISTICS, STATISTICS) by the solution x of L x = r. */
static void solve_rows(const double *lower, double *a)
{
    linalg_solve_lower(false, STATISTICS, STATISTICS, lower, STATISTICS, a, STATISTICS);
}

static void transpose(double *a)
{
    for (int i = 0; i < STATISTICS; i++) {
        for (int j = 0; j < i; j++) {
            double swap = a[i * STATISTICS + j];
            a[i * STATISTICS + j] = a[j * STATISTICS + i];
            a[j * STATISTICS + i] = swap;
        }
    }
}

static nonsens_status find_prediction(nonsens_context *ctx, arena *a, grouping *g, int64_t fold)
{
    enum { SQUARE = STATISTICS * STATISTICS };
    double within[SQUARE] = {0.0}, *axis = g->axis + fold * SQUARE, *map = g->map + fold * SQUARE;
    double *variance = g->between + fold * STATISTICS;
    double rows = find_components(g, fold, g->mean + fold * STATISTICS, within, axis), largest = 0.0;
    for (int k = 0; k < STATISTICS; k++) {
        largest = fmax(largest, within[k * STATISTICS + k]);
    }
    for (int k = 0; k < STATISTICS; k++) { // in case statistics are constant or functions of one another
        within[k * STATISTICS + k] += 1e-6 * largest + 1e-300;
    }
    TRY(linalg_cholesky(ctx, STATISTICS, within));
    solve_rows(within, axis);
    transpose(axis);
    solve_rows(within, axis);
    TRY(linalg_eigen_symmetric(ctx, a, STATISTICS, axis, variance)); // columns, each contiguous: v_k
    for (int k = 0; k < STATISTICS; k++) {
        variance[k] = fmax(variance[k], MIN_BETWEEN / rows);
    }
    memcpy(map, axis, sizeof(double) * SQUARE);
    linalg_solve_lower(true, STATISTICS, STATISTICS, within, STATISTICS, map, STATISTICS); // columns L^-T v_k
    return NONSENS_OK;
}

/* Predicts y (STATISTICS) from the sum of the statistics over `rows` rows of a segment. */
static void predict(const grouping *g, int64_t fold, const double *sum, double rows, double *y)
{
    enum { SQUARE = STATISTICS * STATISTICS };
    memset(y, 0, STATISTICS * sizeof *y);
    for (int k = 0; k < STATISTICS && rows > 0.0; k++) {
        const double *map = g->map + fold * SQUARE + k * STATISTICS, *axis = g->axis + fold * SQUARE + k * STATISTICS;
        double along = 0.0, variance = g->between[fold * STATISTICS + k];
        for (int i = 0; i < STATISTICS; i++) {
            along += map[i] * (sum[i] / rows - g->mean[fold * STATISTICS + i]);
        }
        for (int i = 0; i < STATISTICS; i++) {
            y[i] += along * variance / (variance + 1.0 / rows) * axis[i];
        }
    }
}

/* ---- cells ---- */

static int64_t nearest(const grouping *g, const double *y, double *distance)
{
    int64_t best = 0;
    *distance = INFINITY;
    for (int64_t c = 0; c < g->groups; c++) {
        double sum = 0.0;
        for (int k = 0; k < STATISTICS; k++) {
            double d = y[k] - g->centre[c * STATISTICS + k];
            sum += d * d;
        }
        if (sum < *distance) {
            *distance = sum;
            best = c;
        }
    }
    return best;
}

/* Draws the first centres from the points (segments, STATISTICS), far from one another (k-means++). */
static void draw_centres(grouping *g, const double *point, double *distance)
{
    int64_t segments = g->in->segments, wanted = g->groups, chosen = 0;
    rng r = rng_new((uint64_t)g->in->seed, RNG_SEGMENT_GROUPS, 0);
    for (g->groups = 0; g->groups < wanted; g->groups++) {
        double total = 0.0, at;
        for (int64_t e = 0; e < segments; e++) {
            nearest(g, point + e * STATISTICS, &distance[e]);
            distance[e] = g->groups == 0 ? 1.0 : distance[e];
            total += distance[e];
        }
        at = rng_uniform(&r) * total;
        for (chosen = 0; chosen < segments - 1 && at >= distance[chosen]; chosen++) {
            at -= distance[chosen];
        }
        memcpy(g->centre + g->groups * STATISTICS, point + chosen * STATISTICS, STATISTICS * sizeof *point);
    }
}

/* Moves every centre to the mean of its points, weighted by their rows; returns whether a point changes its cell. */
static bool move_centres(grouping *g, const double *point, int32_t *cell, double *rows)
{
    bool changed = false;
    double distance;
    for (int64_t e = 0; e < g->in->segments; e++) {
        int32_t now = (int32_t)nearest(g, point + e * STATISTICS, &distance);
        changed = changed || now != cell[e];
        cell[e] = now;
    }
    memset(rows, 0, (size_t)g->groups * sizeof *rows);
    for (int64_t e = 0; e < g->in->segments; e++) {
        rows[cell[e]] += (double)(g->in->start[e + 1] - g->in->start[e]);
    }
    for (int64_t k = 0; k < g->groups * STATISTICS; k++) {
        g->centre[k] = rows[k / STATISTICS] > 0.0 ? 0.0 : g->centre[k];
    }
    for (int64_t e = 0; e < g->in->segments; e++) {
        double share = (double)(g->in->start[e + 1] - g->in->start[e]) / rows[cell[e]];
        for (int k = 0; k < STATISTICS; k++) {
            g->centre[cell[e] * STATISTICS + k] += share * point[e * STATISTICS + k];
        }
    }
    return changed;
}

static nonsens_status find_centres(nonsens_context *ctx, arena *a, grouping *g)
{
    int64_t segments = g->in->segments;
    double *point, *distance, *rows;
    int32_t *cell;
    ARENA_TRY(ctx, a, point, segments * STATISTICS);
    ARENA_TRY(ctx, a, distance, segments);
    ARENA_TRY(ctx, a, cell, segments);
    ARENA_TRY(ctx, a, rows, g->groups);
    ARENA_TRY(ctx, a, g->centre, g->groups * STATISTICS);
    for (int64_t e = 0; e < segments; e++) {
        double of_segment = (double)(g->in->start[e + 1] - g->in->start[e]);
        predict(g, g->in->fold[e], g->sum + e * STATISTICS, of_segment, point + e * STATISTICS);
        cell[e] = -1;
    }
    draw_centres(g, point, distance);
    for (int step = 0; step < MAX_STEPS && move_centres(g, point, cell, rows); step++) {
    }
    return NONSENS_OK;
}

/* ---- rows ---- */

/* Sets less (STATISTICS) to the segment's sum without row i and the rest of its unit; returns how many rows remain. */
static double leave_out(const grouping *g, int64_t e, int64_t i, double *less)
{
    const segment_groups_input *in = g->in;
    const double *gone = in->unit_of ? g->unit_sum + in->unit_of[i] * STATISTICS : g->statistic + i * STATISTICS;
    for (int k = 0; k < STATISTICS; k++) {
        less[k] = g->sum[e * STATISTICS + k] - gone[k];
    }
    return (double)(in->start[e + 1] - in->start[e]) - (in->unit_of ? g->unit_rows[in->unit_of[i]] : 1.0);
}

/* Assigns rows to groups; count (groups, folds + 1): rows of every group in each fold, and in total. */
static void assign_rows(const grouping *g, int32_t *group, int64_t *count)
{
    const segment_groups_input *in = g->in;
    double less[STATISTICS], y[STATISTICS], distance;
    memset(count, 0, (size_t)(g->groups * (in->folds + 1)) * sizeof *count);
    for (int64_t e = 0; e < in->segments; e++) {
        for (int64_t i = in->start[e]; i < in->start[e + 1]; i++) {
            double rows = leave_out(g, e, i, less);
            predict(g, in->fold[e], less, rows, y);
            group[i] = (int32_t)nearest(g, y, &distance);
            count[group[i] * (in->folds + 1) + in->fold[e]]++;
            count[group[i] * (in->folds + 1) + in->folds]++;
        }
    }
}

/* Finds the group with the fewest rows outside some fold; *rows: how many. */
static int64_t scarcest(const grouping *g, const int64_t *count, int64_t *rows)
{
    int64_t folds = g->in->folds, found = 0;
    *rows = INT64_MAX;
    for (int64_t c = 0; c < g->groups; c++) {
        for (int64_t k = 0; k < folds; k++) {
            int64_t outside = count[c * (folds + 1) + folds] - count[c * (folds + 1) + k];
            found = outside < *rows ? c : found;
            *rows = outside < *rows ? outside : *rows;
        }
    }
    return found;
}

/* Draws two groups at random: they carry no information, so no change will be found. */
static void draw_groups(grouping *g, int32_t *group)
{
    rng r = rng_new((uint64_t)g->in->seed, RNG_SEGMENT_GROUPS, 1);
    g->groups = 2;
    for (int64_t e = 0; e < g->in->segments; e++) {
        int32_t drawn = rng_uniform(&r) < 0.5;
        for (int64_t i = g->in->start[e]; i < g->in->start[e + 1]; i++) {
            group[i] = drawn;
        }
    }
}

/*
 * Assigns all rows.  A group with too few rows is dropped, and its rows go to the nearest other groups.  If fewer than
 * two groups would be left, no statistic varies over segments, and two groups are drawn at random.
 */
static nonsens_status fill_groups(nonsens_context *ctx, arena *a, grouping *g, int32_t *group)
{
    int64_t *count, rows;
    ARENA_TRY(ctx, a, count, g->groups * (g->in->folds + 1));
    for (;;) {
        assign_rows(g, group, count);
        int64_t c = scarcest(g, count, &rows);
        if (rows >= MIN_ROWS) {
            return NONSENS_OK;
        }
        if (g->groups <= 2) {
            draw_groups(g, group);
            return NONSENS_OK;
        }
        g->groups--;
        memmove(g->centre + c * STATISTICS, g->centre + (c + 1) * STATISTICS,
                (size_t)((g->groups - c) * STATISTICS) * sizeof *g->centre);
    }
}

nonsens_status segment_groups_find(nonsens_context *ctx, const segment_groups_input *in, int32_t *group, int64_t *count)
{
    enum { SQUARE = STATISTICS * STATISTICS };
    SCOPED_ARENA(scratch);
    grouping g = {.in = in, .groups = segment_groups_wanted(in->n, in->segments)};
    ARENA_TRY(ctx, &scratch, g.map, in->folds * SQUARE);
    ARENA_TRY(ctx, &scratch, g.axis, in->folds * SQUARE);
    ARENA_TRY(ctx, &scratch, g.between, in->folds * STATISTICS);
    ARENA_TRY(ctx, &scratch, g.mean, in->folds * STATISTICS);
    TRY(find_statistics(ctx, &scratch, &g));
    TRY(in->unit_of ? sum_units(ctx, &scratch, &g) : NONSENS_OK);
    for (int64_t k = 0; k < in->folds; k++) {
        TRY(find_prediction(ctx, &scratch, &g, k));
    }
    TRY(find_centres(ctx, &scratch, &g));
    TRY(fill_groups(ctx, &scratch, &g, group));
    *count = g.groups;
    return NONSENS_OK;
}
