/*
 * hsic_permute.c - permutes the rows of y inside their groups, through the features, which are computed once.  The
 * width does not depend on the order of rows, so the test is exact.
 *
 * Directions that carry less than HSIC_PERMUTED_SHARE of the trace are left out of both T and T*, and so are those that
 * do not fit into FEATURE_BYTES (24 fit for a million rows).  The test with fewer features is still exact.
 */
#include "base/parallel.h"
#include "base/rng.h"
#include "indep/hsic_internal.h"
#include "math/linalg.h"

#include <math.h>

enum {
    PERMUTATIONS_PER_JOB = 8,
    SHIFTS = 199,
    FEATURE_BYTES = 192000000, /* for the features of one variable in all groups */
    MIN_DIRECTIONS = 8
};

const double HSIC_PERMUTED_SHARE = 1e-6;
static const double ROUNDING = 1e-10; /* T* this close below T, relative to T, counts as a tie */

/* Features of a group; those of one row are contiguous. */
typedef struct group_features {
    int64_t rows, directions[2];
    double *f[2]; /* (directions, rows) */
} group_features;

typedef struct permuting {
    const column_set *points; /* (2) */
    const hsic_stratum *strata;
    group_features *group;     /* (count) */
    int64_t count, rows;       /* groups, and rows of the largest */
    int64_t max_directions[2]; /* of x and y, in any group */
    const hsic_options *options;
    double *values; /* (permutations): T* */
} permuting;

typedef struct workspace {
    int64_t *order;  /* (rows) */
    double *tile[2]; /* of features */
    double *product; /* (directions of x, directions of y) */
} workspace;

static nonsens_status workspace_get(nonsens_context *ctx, arena *a, const permuting *p, workspace *w)
{
    ARENA_TRY(ctx, a, w->order, p->rows);
    ARENA_TRY(ctx, a, w->tile[0], p->max_directions[0] * KERNEL_TILE);
    ARENA_TRY(ctx, a, w->tile[1], p->max_directions[1] * KERNEL_TILE);
    ARENA_TRY(ctx, a, w->product, p->max_directions[0] * p->max_directions[1]);
    return NONSENS_OK;
}

/* Fills a tile with the features of `used` rows: order[first], ..., or first, first + 1, ... if order is NULL. */
static void gather_rows(const group_features *g, int side, const int64_t *order, int64_t first, int64_t used,
                        double *tile)
{
    int64_t k = g->directions[side];
    for (int64_t i = 0; i < used; i++) {
        const double *f = g->f[side] + (order ? order[first + i] : first + i) * k;
        for (int64_t c = 0; c < k; c++) {
            tile[c * KERNEL_TILE + i] = f[c];
        }
    }
    tile_clear(used, k, tile);
}

/* Returns (1/n) ||F_x P F_y'||^2, where row i of x is paired with row order[i] of y. */
static double cross_norm(const group_features *g, workspace *w)
{
    int64_t products = g->directions[0] * g->directions[1];
    for (int64_t i = 0; i < products; i++) {
        w->product[i] = 0.0;
    }
    for (int64_t first = 0; first < g->rows; first += KERNEL_TILE) {
        int64_t used = kernel_min(g->rows - first, KERNEL_TILE);
        gather_rows(g, 0, NULL, first, used, w->tile[0]);
        gather_rows(g, 1, w->order, first, used, w->tile[1]);
        tile_cross(tile_rows(used), g->directions[0], g->directions[1], w->tile[0], w->tile[1], false, w->product);
    }
    return linalg_dot(products, w->product, w->product) / (double)g->rows;
}

/* Pairs each row of x with the row of y that comes a random number of rows later in time, circularly. */
static void shift_rows(const permuting *p, int64_t group, rng *r, int64_t *order)
{
    int64_t rows = p->group[group].rows, first = p->strata[group].first;
    const int64_t *time = p->options->time_order + first;
    int64_t least = 2 * p->options->min_shift < rows ? p->options->min_shift : 1;
    int64_t shift = least + (int64_t)rng_below(r, (uint64_t)(rows - 2 * least + 1));
    for (int64_t i = 0; i < rows; i++) {
        order[time[i] - first] = time[(i + shift) % rows] - first;
    }
}

/* Returns T after a shuffle, or a shift in time, inside every group; r = NULL: T as observed. */
static double permuted_statistic(const permuting *p, rng *r, workspace *w)
{
    double sum = 0.0;
    for (int64_t e = 0; e < p->count; e++) {
        const group_features *g = p->group + e;
        for (int64_t i = 0; i < g->rows; i++) {
            w->order[i] = i;
        }
        if (r && p->options->time_order) {
            shift_rows(p, e, r, w->order);
        } else if (r) {
            rng_shuffle(r, g->rows, w->order);
        }
        sum += cross_norm(g, w);
    }
    return sum;
}

static nonsens_status run_permutations(nonsens_context *ctx, arena *local, int64_t job, void *state)
{
    const permuting *p = state;
    const hsic_options *o = p->options;
    int64_t first = job * PERMUTATIONS_PER_JOB, end = first + PERMUTATIONS_PER_JOB;
    workspace w;
    TRY(workspace_get(ctx, local, p, &w));
    for (int64_t b = first; b < end && b < o->permutations; b++) {
        rng r = rng_new(o->seed, RNG_PERMUTATION, (o->job << 32) + (uint64_t)b);
        p->values[b] = permuted_statistic(p, &r, &w);
        TRY(check_cancelled(ctx));
    }
    return NONSENS_OK;
}

/* ---- features ------------------------------------------------------------------------------------------------ */

static nonsens_status choose_directions(nonsens_context *ctx, arena *scratch, permuting *p)
{
    int64_t all = 0;
    for (int64_t e = 0; e < p->count; e++) {
        all += p->strata[e].rows;
    }
    int64_t room = FEATURE_BYTES / (int64_t)sizeof(double) / (all > 0 ? all : 1);
    for (int64_t e = 0; e < p->count; e++) {
        const hsic_stratum *s = p->strata + e;
        group_features *g = p->group + e;
        g->rows = s->rows;
        p->rows = s->rows > p->rows ? s->rows : p->rows;
        for (int side = 0; side < 2; side++) {
            int64_t k = kernel_min(s->leading[side], room > MIN_DIRECTIONS ? room : MIN_DIRECTIONS);
            g->directions[side] = k;
            p->max_directions[side] = k > p->max_directions[side] ? k : p->max_directions[side];
            ARENA_TRY(ctx, scratch, g->f[side], k * s->rows);
        }
    }
    return NONSENS_OK;
}

static nonsens_status find_features(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const permuting *p = state;
    const hsic_stratum *s = p->strata + job / 2;
    const group_features *g = p->group + job / 2;
    int64_t side = job % 2;
    kernel_basis basis;
    TRY(kernel_find_basis(ctx, scratch, &p->points[side], s->first, s->rows, s->width[side], NULL, &basis));
    return kernel_basis_features(ctx, &basis, g->directions[side], g->f[side]);
}

/* Fills p->values with T* of every draw, and *observed with T of the data from the same directions. */
static nonsens_status draw_all(nonsens_context *ctx, arena *scratch, permuting *p, double *observed)
{
    workspace w;
    ARENA_TRY(ctx, scratch, p->group, p->count);
    TRY(choose_directions(ctx, scratch, p));
    TRY(parallel_for(ctx, p->options->threads, 2 * p->count, NULL, find_features, p));
    TRY(workspace_get(ctx, scratch, p, &w));
    ARENA_TRY(ctx, scratch, p->values, p->options->permutations);
    int64_t jobs = (p->options->permutations + PERMUTATIONS_PER_JOB - 1) / PERMUTATIONS_PER_JOB;
    TRY(parallel_for(ctx, p->options->threads, jobs, NULL, run_permutations, p));
    *observed = permuted_statistic(p, NULL, &w);
    return NONSENS_OK;
}

nonsens_status hsic_permutation_p(nonsens_context *ctx, arena *scratch, const column_set points[2], int64_t count,
                                  const hsic_stratum *strata, const hsic_options *options, double *p_value)
{
    permuting p = {.points = points, .count = count, .strata = strata, .options = options};
    double observed;
    TRY(draw_all(ctx, scratch, &p, &observed));
    int64_t reached = 0;
    for (int64_t b = 0; b < options->permutations; b++) {
        reached += p.values[b] >= observed * (1.0 - ROUNDING);
    }
    *p_value = (double)(1 + reached) / (double)(1 + options->permutations);
    return NONSENS_OK;
}

nonsens_status hsic_shift_moments(nonsens_context *ctx, arena *scratch, const column_set points[2], int64_t count,
                                  const hsic_stratum *strata, const hsic_options *options, double *statistic,
                                  hsic_cumulants *moments)
{
    hsic_options shifts = *options;
    shifts.permutations = SHIFTS;
    permuting p = {.points = points, .count = count, .strata = strata, .options = &shifts};
    TRY(draw_all(ctx, scratch, &p, statistic));
    *moments = (hsic_cumulants){0};
    for (int64_t b = 0; b < SHIFTS; b++) {
        moments->mean += p.values[b] / SHIFTS;
    }
    for (int64_t b = 0; b < SHIFTS; b++) {
        double d = p.values[b] - moments->mean;
        moments->variance += d * d / (SHIFTS - 1);
        moments->third += d * d * d / SHIFTS;
    }
    moments->third = fmax(moments->third, 0.0); // a sum of squares is skewed to the right
    return NONSENS_OK;
}
