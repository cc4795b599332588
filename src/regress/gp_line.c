/*
 * gp_line.c - learns the hyper-parameters of one-regressor processes.
 *
 * The likelihood can have several maxima (all noise, a smooth trend, interpolation).  It is computed on a grid of
 * lengths and noise shares, each with its best total variance, for about SAMPLE points.  Climbs start from the best few
 * maxima on the grid.  For larger data, further climbs follow on samples that grow by a factor of 16 up to all points.
 * Each begins near its maximum with measured curvature, and takes only a few steps.  (Curvature does not simply grow
 * with the rows: more rows of a smooth function say little more about its length.) The grid is computed again on a
 * larger sample, to find lengths that were too short to be seen in the first.
 *
 * Half of a sample consists of evenly spread points, for long lengths; the other half of runs of neighbours, for short
 * ones.  Points that are chosen by x alone are data of the same process.
 */
#include "math/sort.h"
#include "regress/gp_internal.h"

#include <math.h>
#include <string.h>

enum {
    SAMPLE = 2048,
    GROWTH = 16,
    LOOK_AGAIN_FROM = 8192,
    LOOK_AGAIN_MAX = 65536,
    RUNS = 8,
    GRID_LENGTHS = 12,
    GRID_NOISES = 4,
    STARTS = 3,
    MAX_STEPS = 60,
    MAX_GAPS = 4096, /* largest number of gaps used for their median */
};

static const double COARSE = 1e-2, FINE = 1e-5; /* of log likelihood: predicted gain at which climbs stop */
static const double NOISE_SHARES[GRID_NOISES] = {1e-6, 1e-2, 0.3, 5.0};
static const double LONGEST_START = 3.0; /* of the range */
static const double BULK = 100.0;        /* range in scaled units, beyond which there are only outliers */
static const double LONGEST = 100.0;     /* of the range */

struct learning {
    double lower[GP_LINE_PARAMETERS], upper[GP_LINE_PARAMETERS];
    double shortest, range; /* of x: median gap, and distance between the ends */
    gp_box box;
};

/* A point where a climb starts or ends. */
struct climb_point {
    double value; /* minus log likelihood */
    double theta[GP_LINE_PARAMETERS];
};

/* ---- sequences --------------------------------------------------------------------------------------------- */

static nonsens_status sequence_alloc(nonsens_context *ctx, arena *a, int64_t n, gp_sequence *q)
{
    *q = (gp_sequence){0};
    ARENA_TRY(ctx, a, q->x, n);
    ARENA_TRY(ctx, a, q->y, n);
    ARENA_TRY(ctx, a, q->count, n);
    ARENA_TRY(ctx, a, q->squares, n);
    return NONSENS_OK;
}

static void add_point(gp_sequence *q, double x, double y, double count, double squares)
{
    q->x[q->n] = x;
    q->y[q->n] = y;
    q->count[q->n] = count;
    q->squares[q->n] = squares;
    q->n++;
    q->rows += count;
    q->within += squares;
    q->log_counts += count > 1.0 ? log(count) : 0.0;
}

nonsens_status gp_sequence_new(nonsens_context *ctx, arena *a, int64_t n, const double *x, const double *y,
                               gp_sequence *q)
{
    TRY(sequence_alloc(ctx, a, n, q));
    for (int64_t first = 0, end; first < n; first = end) {
        double mean = 0.0, squares = 0.0;
        for (end = first; end < n && x[end] == x[first]; end++) {
            double from_mean = y[end] - mean;
            mean += from_mean / (double)(end - first + 1);
            squares += from_mean * (y[end] - mean);
        }
        add_point(q, x[first], mean, (double)(end - first), squares);
    }
    return NONSENS_OK;
}

/* Copies about `wanted` points of q: half of them evenly spread, half in runs of neighbours. */
static nonsens_status sample_sequence(nonsens_context *ctx, arena *a, const gp_sequence *q, int64_t wanted,
                                      gp_sequence *out)
{
    bool *taken; // (n)
    int64_t spread = wanted / 2, run = wanted / 2 / RUNS, count = 0;
    ARENA_TRY(ctx, a, taken, q->n);
    for (int64_t i = 0; i < spread; i++) {
        taken[(int64_t)(((double)i + 0.5) / (double)spread * (double)q->n)] = true;
    }
    for (int64_t k = 0; k < RUNS; k++) {
        int64_t begin = (int64_t)(((double)k + 0.5) / RUNS * (double)(q->n - run));
        memset(taken + begin, true, (size_t)run);
    }
    for (int64_t i = 0; i < q->n; i++) {
        count += taken[i];
    }
    TRY(sequence_alloc(ctx, a, count, out));
    for (int64_t i = 0; i < q->n; i++) {
        if (taken[i]) {
            add_point(out, q->x[i], q->y[i], q->count[i], q->squares[i]);
        }
    }
    return NONSENS_OK;
}

static nonsens_status median_gap(nonsens_context *ctx, arena *scratch, const gp_sequence *q, double *out)
{
    double *gap, *spare;
    int64_t gaps = q->n - 1, count = gaps < MAX_GAPS ? gaps : MAX_GAPS;
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, gap, count);
    ARENA_TRY(ctx, scratch, spare, count);
    for (int64_t i = 0; i < count; i++) {
        int64_t at = (int64_t)(((double)i + 0.5) / (double)count * (double)gaps);
        gap[i] = q->x[at + 1] - q->x[at];
    }
    sort_doubles(count, gap, spare);
    *out = gap[count / 2];
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

/* ---- climbing ---------------------------------------------------------------------------------------------- */

static double minus_likelihood(void *state, const double *theta, double *gradient)
{
    gp_track *t = state;
    double value = -gp_line_likelihood(t, theta, gradient, NULL);
    for (int i = 0; gradient && i < GP_LINE_PARAMETERS; i++) {
        gradient[i] = -gradient[i];
    }
    return value;
}

static nonsens_status climb_from(nonsens_context *ctx, arena *scratch, const struct learning *l, gp_track *t,
                                 double tolerance, bool measure, struct climb_point *at, gp_climb_result *result)
{
    gp_climb_options options = {.max_iterations = MAX_STEPS, .tolerance = tolerance, .measure_curvature = measure};
    int before = result->iterations;
    TRY(gp_climb(ctx, scratch, &l->box, minus_likelihood, t, &options, at->theta, result));
    at->value = result->value;
    result->iterations += before;
    return NONSENS_OK;
}

/* Returns the point with this length and noise share, with the best total variance. */
static struct climb_point grid_point(gp_track *t, double length, double share)
{
    struct climb_point at = {.theta = {0.0, log(length), log(share)}};
    double quadratic, value = gp_line_likelihood(t, at.theta, NULL, &quadratic), rows = t->q->rows;
    double total = fmax(quadratic / rows, 1e-300);
    at.value = -(value + 0.5 * (quadratic - rows - rows * log(total)));
    at.theta[0] += log(total);
    at.theta[2] += log(total);
    return at;
}

/* Moves the best `kept` points to the front. */
static void best_first(struct climb_point *point, int count, int kept)
{
    for (int i = 0; i < kept; i++) {
        int best = i;
        for (int k = i + 1; k < count; k++) {
            best = point[k].value < point[best].value ? k : best;
        }
        struct climb_point swap = point[i];
        point[i] = point[best];
        point[best] = swap;
    }
}

/* Finds the minima over lengths, the best first; returns how many, at most STARTS. */
static int grid_starts(const struct learning *l, gp_track *t, struct climb_point *start)
{
    struct climb_point best[GRID_LENGTHS];
    double first = log(l->shortest), last = fmax(log(LONGEST_START * fmin(l->range, BULK)), first);
    int found = 0;
    for (int i = 0; i < GRID_LENGTHS; i++) {
        double length = exp(first + (last - first) * i / (GRID_LENGTHS - 1));
        for (int k = 0; k < GRID_NOISES; k++) {
            struct climb_point at = grid_point(t, length, NOISE_SHARES[k]);
            if (k == 0 || at.value < best[i].value) {
                best[i] = at;
            }
        }
    }
    for (int i = 0; i < GRID_LENGTHS; i++) {
        bool below_left = i == 0 || best[i].value <= best[i - 1].value;
        bool below_right = i == GRID_LENGTHS - 1 || best[i].value < best[i + 1].value;
        if (below_left && below_right) {
            start[found++] = best[i];
        }
    }
    int kept = found < STARTS ? found : STARTS;
    best_first(start, found, kept);
    return kept;
}

/* Finds the best point that climbs reach from the grid's minima. */
static nonsens_status learn_on_sample(nonsens_context *ctx, arena *scratch, const struct learning *l, gp_track *t,
                                      struct climb_point *best, gp_climb_result *result)
{
    struct climb_point start[GRID_LENGTHS];
    int count = grid_starts(l, t, start);
    for (int i = 0; i < count; i++) {
        TRY(climb_from(ctx, scratch, l, t, COARSE, false, start + i, result));
    }
    best_first(start, count, 1);
    *best = start[0];
    return NONSENS_OK;
}

/* A larger sample may show lengths that a smaller one hid: if its grid has a better point, climbs start again. */
static nonsens_status look_again(nonsens_context *ctx, arena *scratch, const struct learning *l, gp_track *t,
                                 struct climb_point *at, gp_climb_result *result)
{
    struct climb_point start[GRID_LENGTHS], other;
    double value = -gp_line_likelihood(t, at->theta, NULL, NULL);
    grid_starts(l, t, start);
    if (start[0].value < value) {
        TRY(learn_on_sample(ctx, scratch, l, t, &other, result));
        *at = other.value < value ? other : *at;
    }
    return NONSENS_OK;
}

/* Runs one climb on a sample of q, or on all of q, within bounds that depend on q; the first stage finds the start. */
static nonsens_status run_stage(nonsens_context *ctx, arena *scratch, const gp_sequence *q, const gp_sequence *sample,
                                bool first, double tolerance, struct climb_point *at, gp_climb_result *result)
{
    struct learning l = {.range = q->x[q->n - 1] - q->x[0]};
    gp_track t;
    TRY(median_gap(ctx, scratch, q, &l.shortest)); // shorter lengths would mistake noise for signal
    l.lower[0] = log(GP_MIN_SIGNAL), l.upper[0] = log(GP_MAX_SIGNAL);
    l.lower[1] = log(l.shortest), l.upper[1] = log(LONGEST * l.range);
    l.lower[2] = log(GP_MIN_NOISE), l.upper[2] = log(GP_MAX_NOISE);
    l.box = (gp_box){GP_LINE_PARAMETERS, l.lower, l.upper};
    TRY(gp_track_new(ctx, scratch, sample, &t));
    if (first) {
        TRY(learn_on_sample(ctx, scratch, &l, &t, at, result));
    } else if (sample->n > LOOK_AGAIN_FROM && sample->n <= LOOK_AGAIN_MAX) {
        TRY(look_again(ctx, scratch, &l, &t, at, result));
    }
    return climb_from(ctx, scratch, &l, &t, tolerance, true, at, result);
}

nonsens_status gp_line_learn(nonsens_context *ctx, arena *scratch, const gp_sequence *q, double *theta,
                             gp_climb_result *result)
{
    struct climb_point at;
    arena_mark mark = arena_tell(scratch);
    int64_t wanted = SAMPLE;
    *result = (gp_climb_result){0};
    for (bool done = false; !done; wanted *= GROWTH) {
        gp_sequence sample = *q;
        done = q->n <= 2 * wanted;
        if (!done) {
            TRY(sample_sequence(ctx, scratch, q, wanted, &sample));
        }
        TRY(run_stage(ctx, scratch, q, &sample, wanted == SAMPLE, done ? FINE : COARSE, &at, result));
        arena_rewind(scratch, mark);
    }
    memcpy(theta, at.theta, sizeof at.theta);
    return NONSENS_OK;
}
