/*
 * gp_several.c - learns the hyper-parameters of the Gaussian kernel for several regressors.
 *
 * First come a grid and two climbs of the exact likelihood on few rows, spread evenly in the order of values.  The grid
 * gives sets of regressors a short length and the others a long one, since irrelevant regressors with short lengths
 * mask the others.  The last climb starts from the best, judged on more rows, of these results and some simple guesses.
 * It uses the exact likelihood of all rows if there are few, otherwise Titsias' bound for at most LEARNING_ROWS rows,
 * with the inducing points chosen again for the lengths of each round.
 */
#include "regress/gp_internal.h"

#include <math.h>
#include <string.h>

enum {
    FIRST_ROWS = 400,
    LEARNING_ROWS = 3000,
    LEARNING_POINTS = 200,
    GRID_LENGTHS = 4,
    GRID_NOISES = 2,
    ALL_SETS = 4,
    ALONE_MAX = 20,
    MASK_BITS = 62,
    CLIMBS = 2,
    GUESSES = 3,
    ROUNDS = 2,
    MAX_STEPS = 60
};

static const double COARSE = 1e-2, FINE = 1e-5; /* of log likelihood: predicted gain at which climbs stop */
static const double SHORTEST = 0.03, LONGEST = 1000.0;
static const double LENGTHS[GRID_LENGTHS] = {0.2, 0.5, 1.2, 4.0}; /* for one regressor; for k of them times sqrt(k) */
static const double NOISES[GRID_NOISES] = {0.01, 0.4};
static const double IRRELEVANT = 30.0;

struct search {
    int64_t d, parameters;
    gp_box box;
    double **start; // (CLIMBS + GUESSES)(parameters)
    double value[CLIMBS + GUESSES];
};

static double minus_exact(void *state, const double *theta, double *gradient)
{
    gp_exact *e = state;
    double value = -gp_exact_likelihood(e, theta, gradient);
    for (int64_t i = 0; gradient && i < gp_count(e->x->d); i++) {
        gradient[i] = -gradient[i];
    }
    return value;
}

static double minus_bound(void *state, const double *theta, double *gradient)
{
    gp_low_rank *r = state;
    double value = -gp_low_rank_bound(r, theta, gradient);
    for (int64_t i = 0; gradient && i < gp_count(r->x->d); i++) {
        gradient[i] = -gradient[i];
    }
    return value;
}

static nonsens_status search_new(nonsens_context *ctx, arena *scratch, int64_t d, struct search *s)
{
    double *lower, *upper;
    s->d = d;
    s->parameters = gp_count(d);
    ARENA_TRY(ctx, scratch, lower, s->parameters);
    ARENA_TRY(ctx, scratch, upper, s->parameters);
    ARENA_TRY(ctx, scratch, s->start, CLIMBS + GUESSES);
    for (int i = 0; i < CLIMBS + GUESSES; i++) {
        ARENA_TRY(ctx, scratch, s->start[i], s->parameters);
    }
    for (int64_t c = 0; c < d; c++) {
        lower[1 + c] = log(SHORTEST);
        upper[1 + c] = log(LONGEST);
    }
    lower[0] = log(GP_MIN_SIGNAL), upper[0] = log(GP_MAX_SIGNAL);
    lower[d + 1] = log(GP_MIN_NOISE), upper[d + 1] = log(GP_MAX_NOISE);
    s->box = (gp_box){(int)s->parameters, lower, upper};
    return NONSENS_OK;
}

/* Sets one length for the regressors in `chosen` (bits) and those past the bits, and a long one for the others. */
static void guess(const struct search *s, uint64_t chosen, double length, double noise, double *theta)
{
    double count = 0.0;
    for (int64_t c = 0; c < s->d; c++) {
        bool in = c >= MASK_BITS || (chosen >> c & 1) != 0;
        theta[1 + c] = in ? log(length) : log(IRRELEVANT);
        count += in;
    }
    for (int64_t c = 0; c < s->d; c++) {
        theta[1 + c] += theta[1 + c] < log(IRRELEVANT) ? 0.5 * log(count) : 0.0;
    }
    theta[0] = 0.0;
    theta[s->d + 1] = log(noise);
}

/* Returns the k-th set of regressors to try: all sets if few, else all together and each alone; 0 after the last. */
static uint64_t regressor_set(int64_t d, int64_t k)
{
    if (d <= ALL_SETS) {
        return k < (1 << d) - 1 ? (uint64_t)((1 << d) - 1 - k) : 0;
    }
    if (k == 0) {
        return UINT64_MAX;
    }
    return k <= d && k <= ALONE_MAX ? (uint64_t)1 << (k - 1) : 0;
}

/* Inserts theta into the list of starts, best first, if it is better than the last one. */
static void offer_start(struct search *s, double value, const double *theta)
{
    size_t bytes = (size_t)s->parameters * sizeof *theta;
    for (int i = 0; i < CLIMBS; i++) {
        if (value < s->value[i]) {
            for (int k = CLIMBS - 1; k > i; k--) {
                s->value[k] = s->value[k - 1];
                memcpy(s->start[k], s->start[k - 1], bytes);
            }
            s->value[i] = value;
            memcpy(s->start[i], theta, bytes);
            return;
        }
    }
}

/* Keeps the best CLIMBS sets and lengths as starts, each with its best noise; theta: scratch. */
static nonsens_status look_at_grid(nonsens_context *ctx, struct search *s, gp_exact *e, double *theta)
{
    uint64_t chosen;
    for (int i = 0; i < CLIMBS; i++) {
        s->value[i] = INFINITY;
        guess(s, UINT64_MAX, 1.0, 0.3, s->start[i]);
    }
    for (int64_t k = 0; (chosen = regressor_set(s->d, k)) != 0; k++) {
        for (int i = 0; i < GRID_LENGTHS; i++) {
            double best = INFINITY, noise = NOISES[0];
            TRY(check_cancelled(ctx));
            for (int l = 0; l < GRID_NOISES; l++) {
                guess(s, chosen, LENGTHS[i], NOISES[l], theta);
                double value = minus_exact(e, theta, NULL);
                noise = value < best ? NOISES[l] : noise;
                best = fmin(value, best);
            }
            guess(s, chosen, LENGTHS[i], noise, theta);
            offer_start(s, best, theta);
        }
    }
    return NONSENS_OK;
}

/* Finds starts by climbs on few rows. */
static nonsens_status first_climbs(nonsens_context *ctx, arena *scratch, struct search *s, const column_set *x,
                                   const double *y, gp_climb_result *result)
{
    column_set few;
    double *few_y, *theta;
    gp_exact e;
    gp_climb_options options = {.max_iterations = MAX_STEPS, .tolerance = COARSE};
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, theta, s->parameters);
    TRY(gp_spread_rows(ctx, scratch, x, y, FIRST_ROWS, &few, &few_y));
    TRY(gp_exact_new(ctx, scratch, &few, few_y, &e));
    TRY(look_at_grid(ctx, s, &e, theta));
    for (int i = 0; i < CLIMBS; i++) {
        gp_climb_result climbed;
        TRY(gp_climb(ctx, scratch, &s->box, minus_exact, &e, &options, s->start[i], &climbed));
        s->value[i] = climbed.value;
        result->iterations += climbed.iterations;
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

static int best_start(const struct search *s)
{
    int best = 0;
    for (int i = 1; i < CLIMBS + GUESSES; i++) {
        best = s->value[i] < s->value[best] ? i : best;
    }
    return best;
}

static nonsens_status last_climb(nonsens_context *ctx, arena *scratch, const struct search *s, gp_objective_fn f,
                                 void *state, double *theta, gp_climb_result *result)
{
    gp_climb_options options = {.max_iterations = MAX_STEPS, .tolerance = FINE};
    int before = result->iterations;
    TRY(gp_climb(ctx, scratch, &s->box, f, state, &options, theta, result));
    result->iterations += before;
    return NONSENS_OK;
}

static nonsens_status learn_exact(nonsens_context *ctx, arena *scratch, struct search *s, const column_set *x,
                                  const double *y, double *theta, gp_climb_result *result)
{
    gp_exact e;
    TRY(gp_exact_new(ctx, scratch, x, y, &e));
    for (int i = 0; i < CLIMBS + GUESSES; i++) {
        s->value[i] = minus_exact(&e, s->start[i], NULL);
    }
    memcpy(theta, s->start[best_start(s)], (size_t)s->parameters * sizeof *theta);
    return last_climb(ctx, scratch, s, minus_exact, &e, theta, result);
}

static nonsens_status learn_bound(nonsens_context *ctx, arena *scratch, struct search *s, const column_set *x,
                                  const double *y, double *theta, gp_climb_result *result)
{
    column_set some;
    double *some_y;
    gp_low_rank r;
    TRY(gp_spread_rows(ctx, scratch, x, y, LEARNING_ROWS, &some, &some_y));
    TRY(gp_low_rank_new(ctx, scratch, &some, some_y, LEARNING_POINTS, &r));
    arena_mark mark = arena_tell(scratch);
    for (int i = 0; i < CLIMBS + GUESSES; i++) {
        TRY(gp_choose_inducing(ctx, scratch, &some, s->start[i], LEARNING_POINTS, &r.z));
        s->value[i] = minus_bound(&r, s->start[i], NULL);
        arena_rewind(scratch, mark);
    }
    memcpy(theta, s->start[best_start(s)], (size_t)s->parameters * sizeof *theta);
    for (int round = 0; round < ROUNDS; round++) {
        TRY(gp_choose_inducing(ctx, scratch, &some, theta, LEARNING_POINTS, &r.z));
        TRY(last_climb(ctx, scratch, s, minus_bound, &r, theta, result));
        arena_rewind(scratch, mark);
    }
    return NONSENS_OK;
}

nonsens_status gp_several_learn(nonsens_context *ctx, arena *scratch, const column_set *x, const double *y, bool exact,
                                double *theta, gp_climb_result *result)
{
    struct search s = {0};
    arena_mark mark = arena_tell(scratch);
    *result = (gp_climb_result){0};
    TRY(search_new(ctx, scratch, x->d, &s));
    TRY(first_climbs(ctx, scratch, &s, x, y, result));
    for (int i = 0; i < GUESSES; i++) {
        guess(&s, UINT64_MAX, LENGTHS[i], 0.3, s.start[CLIMBS + i]);
    }
    TRY((exact ? learn_exact : learn_bound)(ctx, scratch, &s, x, y, theta, result));
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}
