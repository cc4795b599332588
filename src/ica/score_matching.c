/*
 * score_matching.c - the paper's linear ICA: score matching of log p_e(z) = sum_a lambda_a(e) q_a(w_a.z) - log Z.
 *
 * Monti, Zhang, Hyvarinen (UAI 2019), section 3.2 and supplement B; score matching: Hyvarinen, JMLR 6 (2005) and, for
 * coefficients in closed form, Comput. Stat. Data Anal. 51 (2007).  With statistics a = 1 .. d m, w_a the row of W that
 * owns a, and averages E_e inside segment e,
 *
 *     J(W) = sum_e n_e/n [ b_e.lambda(e) + 1/2 lambda(e)' M_e lambda(e) ],   lambda(e) = -M_e^{-1} b_e,
 *     b_e[a] = |w_a|^2 E_e q_a'',        M_e[a,b] = (w_a.w_b) E_e q_a' q_b'.
 *
 * Coefficients of a base density are fixed: then only the others are minimised over.
 *
 * Differences: the paper's printed J lacks |w_a|^2.  The paper weights segments equally; n_e/n is the efficient choice
 * for unequal sizes. |s| is smoothed at 0, and there are other families as well (statistics.c).  W is a rotation of the
 * within-segment whitened rows.  For families that are not even in s, sources are measured from a fitted location,
 * since the corner of a density need not be at its mean.  M_e gets a small ridge.
 *
 * Choice of the family: J estimates the Fisher divergence between model and data up to a constant that depends only on
 * the data, so families can be compared by J on held-out rows.  The rows of every segment are divided into five parts;
 * each is scored by the fit to the others.  The family with the smallest sum is fitted to all rows if it is clearly
 * better than `asymmetric`, else `asymmetric` is fitted.
 */
#include "base/parallel.h"
#include "base/rng.h"
#include "ica/starts.h"
#include "math/sort.h"

#include <math.h>
#include <string.h>

/* The first is the default, unless another one is clearly better: it separates most kinds of sources well. */
static const enum option_statistic CANDIDATES[] = {STATISTIC_ASYMMETRIC,    STATISTIC_LOG_COSH,   STATISTIC_TWO,
                                                   STATISTIC_GAUSSIAN_BASE, STATISTIC_SMOOTH_ABS, STATISTIC_THREE};
enum { DEFAULT = 0, CANDIDATE_COUNT = sizeof CANDIDATES / sizeof *CANDIDATES };

/*
 * All candidates have the same sharpness, which is not chosen by J: a sharper corner fits a Laplace density better and
 * so has the lower J on any rows, but uses fewer rows near the corner and separates worse.
 */
static const double SHARPNESS = 2.0;

static const double CLEARLY = 2.0; /* standard errors by which another family must be better than the default */
static const double BLUNT = 1.0;   /* sharpness of a log cosh that converges from any start */

enum {
    MAX_ITERATIONS = 500,
    CHOICE_ITERATIONS = 40, /* limit for fits that only choose the statistic */
    CHOICE_ROWS = 5000,     /* about how many rows these fits use */
    PARTS = 5,              /* of the rows; each is scored by the fit to the others */
    DEALING = 1 << 20       /* random streams from this number on shuffle rows; those below are for starts */
};

/* ---- one fit ---- */

static nonsens_status fit_open(nonsens_context *ctx, arena *a, int64_t d, ica_score_fit *fit)
{
    *fit = (ica_score_fit){.value = INFINITY};
    ARENA_TRY(ctx, a, fit->rotation, d * d);
    ARENA_TRY(ctx, a, fit->location, d);
    ica_set_start(0, 0, d, fit->rotation);
    return NONSENS_OK;
}

/* Sets a start: number 0 is a joint diagonalisation if there are several segments; then the identity, then random. */
static nonsens_status start_fit(nonsens_context *ctx, arena *a, const ica_data *data, uint64_t seed, int64_t index,
                                ica_score_fit *fit)
{
    int64_t d = data->d;
    if (index == 0 && d > 2 && data->segments > 1) {
        ica_data copy = *data;
        TRY(ica_start_by_covariances(ctx, a, &copy, fit->rotation));
    } else if (index > (data->segments > 1 ? 1 : 0)) {
        ica_set_start(seed, index, d, fit->rotation);
    }
    return NONSENS_OK;
}

/* Fits one family; a family with a location begins at the result of a family without one. */
static nonsens_status fit_one(nonsens_context *ctx, arena *a, const ica_data *data, const ica_score_options *options,
                              ica_score_fit *fit)
{
    ica_score_options first = {ica_family_of(STATISTIC_LOG_COSH), BLUNT, options->max_iterations};
    if (options->family->located) {
        TRY(ica_score_descend(ctx, a, data, &first, fit));
    }
    return ica_score_descend(ctx, a, data, options, fit);
}

/* ---- choice of the family ---- */

typedef struct choice_state {
    const ica_data *data;
    double sharpness;
    int64_t *used;  /* (segments) number of rows that are used */
    int64_t *order; /* (n) the rows in the order in which they are divided, segment by segment */
    double *score;  /* (segments, PARTS, candidates) held-out J */
} choice_state;

/*
 * Computes order (rows): the rows of one segment in a random order that depends only on their distance from the mean,
 * so that the parts are the same in any basis. distance (rows), entry (2 rows) are scratch.
 */
static void shuffle_by_content(const ica_data *data, int64_t e, uint64_t seed, double *distance, sort_entry *entry,
                               int64_t *order)
{
    int64_t first = data->start[e], rows = data->start[e + 1] - first;
    rng r = rng_new(seed, RNG_ICA, DEALING + (uint64_t)e);
    for (int64_t i = 0; i < rows; i++) {
        distance[i] = 0.0;
        for (int64_t j = 0; j < data->d; j++) {
            distance[i] += data->y[j * data->n + first + i] * data->y[j * data->n + first + i];
        }
        order[i] = i;
    }
    sort_column(distance, rows, entry, entry + rows);
    rng_shuffle(&r, rows, order);
    for (int64_t i = 0; i < rows; i++) {
        order[i] = entry[order[i]].row;
    }
}

/*
 * Puts the rows of every segment into the order in which they are divided.  The choice uses all of them, or a share
 * that still suffices for a contrast.
 */
static nonsens_status deal_rows(nonsens_context *ctx, arena *a, uint64_t seed, choice_state *state)
{
    const ica_data *data = state->data;
    int64_t largest = ica_largest_segment(data), min_rows = 4 * (data->d + 1);
    double *distance;
    sort_entry *entry;
    ARENA_TRY(ctx, a, distance, largest);
    ARENA_TRY(ctx, a, entry, 2 * largest);
    ARENA_TRY(ctx, a, state->used, data->segments);
    ARENA_TRY(ctx, a, state->order, data->n);
    for (int64_t e = 0; e < data->segments; e++) {
        int64_t rows = data->start[e + 1] - data->start[e];
        int64_t share = (int64_t)((double)rows * CHOICE_ROWS / (double)data->n);
        bool all = data->n <= CHOICE_ROWS || rows <= min_rows;
        state->used[e] = all ? rows : share > min_rows ? share : min_rows;
        shuffle_by_content(data, e, seed, distance, entry, state->order + data->start[e]);
    }
    return NONSENS_OK;
}

/* Copies the rows of one part, or all other rows. */
static nonsens_status take_part(nonsens_context *ctx, arena *a, const choice_state *state, int64_t part, bool others,
                                ica_data *out)
{
    const ica_data *data = state->data;
    int64_t *start, *row;
    ARENA_TRY(ctx, a, start, data->segments + 1);
    ARENA_TRY(ctx, a, row, data->n);
    *out = (ica_data){.d = data->d, .segments = data->segments, .start = start, .mean = data->mean};
    for (int64_t e = 0; e < data->segments; e++) {
        for (int64_t i = 0; i < state->used[e]; i++) {
            if ((i % PARTS == part) != others) {
                row[out->n++] = data->start[e] + state->order[data->start[e] + i];
            }
        }
        start[e + 1] = out->n;
    }
    ARENA_TRY(ctx, a, out->y, out->n * data->d);
    for (int64_t j = 0; j < data->d; j++) {
        for (int64_t i = 0; i < out->n; i++) {
            out->y[j * out->n + i] = data->y[j * data->n + row[i]];
        }
    }
    return NONSENS_OK;
}

static nonsens_status score_job(nonsens_context *ctx, arena *scratch, int64_t job, void *opaque)
{
    const choice_state *state = opaque;
    ica_score_options options = {ica_family_of(CANDIDATES[job / PARTS]), state->sharpness, CHOICE_ITERATIONS};
    ica_score_fit fit;
    ica_data train, test;
    TRY(take_part(ctx, scratch, state, job % PARTS, true, &train));
    TRY(take_part(ctx, scratch, state, job % PARTS, false, &test));
    TRY(fit_open(ctx, scratch, train.d, &fit));
    TRY(start_fit(ctx, scratch, &train, 0, 0, &fit));
    TRY(fit_one(ctx, scratch, &train, &options, &fit));
    return ica_score_held_out(ctx, scratch, &train, &test, &options, &fit, state->score + job * state->data->segments);
}

/* Returns whether candidate k is better than the default by CLEARLY standard errors of the difference. */
static bool is_clearly_better(const choice_state *state, int k)
{
    int64_t terms = PARTS * state->data->segments;
    const double *own = state->score + k * terms, *other = state->score + DEFAULT * terms;
    double sum = 0.0, squares = 0.0;
    for (int64_t i = 0; i < terms; i++) {
        sum += own[i] - other[i];
    }
    for (int64_t i = 0; i < terms; i++) {
        double apart = own[i] - other[i] - sum / (double)terms;
        squares += apart * apart;
    }
    return sum < -CLEARLY * sqrt(squares * (double)terms / (double)(terms - 1));
}

static nonsens_status choose(nonsens_context *ctx, arena *a, const ica_data *data, const ica_options *options,
                             double sharpness, enum option_statistic *out)
{
    choice_state state = {.data = data, .sharpness = sharpness};
    int64_t terms = PARTS * data->segments;
    double lowest = INFINITY;
    ARENA_TRY(ctx, a, state.score, terms * CANDIDATE_COUNT);
    TRY(deal_rows(ctx, a, options->seed, &state));
    TRY(parallel_for(ctx, options->threads, PARTS * CANDIDATE_COUNT, "choosing the statistic", score_job, &state));
    *out = CANDIDATES[DEFAULT];
    for (int k = 0; k < CANDIDATE_COUNT; k++) {
        double score = 0.0;
        for (int64_t i = 0; i < terms; i++) {
            score += state.score[k * terms + i];
        }
        if (score < lowest && (k == DEFAULT || is_clearly_better(&state, k))) {
            lowest = score;
            *out = CANDIDATES[k];
        }
    }
    return NONSENS_OK;
}

/* ---- the run ---- */

typedef struct starts_state {
    const ica_data *data;
    uint64_t seed;
    ica_score_options options;
    ica_score_fit *fit; /* (starts) */
} starts_state;

static nonsens_status start_job(nonsens_context *ctx, arena *scratch, int64_t job, void *opaque)
{
    const starts_state *state = opaque;
    TRY(start_fit(ctx, scratch, state->data, state->seed, job, &state->fit[job]));
    return fit_one(ctx, scratch, state->data, &state->options, &state->fit[job]);
}

nonsens_status ica_score_matching(nonsens_context *ctx, arena *a, const ica_data *data, const ica_options *options,
                                  double *rotation, ica_result *out)
{
    int64_t d = data->d, best = 0, starts = d > 2 ? options->starts : 1; /* a single plane is searched globally */
    starts_state state = {.data = data, .seed = options->seed};
    out->statistic = options->statistic;
    out->sharpness = options->sharpness;
    if (options->statistic == STATISTIC_AUTO) {
        out->sharpness = options->sharpness > 0.0 ? options->sharpness : SHARPNESS;
        TRY(choose(ctx, a, data, options, out->sharpness, &out->statistic));
    } else if (options->sharpness == 0.0) {
        out->sharpness = ica_family_of(options->statistic)->sharpness;
    }
    state.options = (ica_score_options){ica_family_of(out->statistic), out->sharpness, MAX_ITERATIONS};
    ARENA_TRY(ctx, a, state.fit, starts);
    for (int64_t k = 0; k < starts; k++) {
        TRY(fit_open(ctx, a, d, &state.fit[k]));
    }
    TRY(parallel_for(ctx, options->threads, starts, NULL, start_job, &state));
    for (int64_t k = 1; k < starts; k++) {
        ica_result so_far = {.objective = state.fit[best].value, .converged = state.fit[best].converged};
        best = ica_is_better(state.fit[k].converged, state.fit[k].value, &so_far) ? k : best;
    }
    const ica_score_fit *fit = &state.fit[best];
    memcpy(rotation, fit->rotation, (size_t)(d * d) * sizeof *rotation);
    out->objective = fit->value;
    out->contrast_gap = fit->contrast_gap;
    out->iterations = fit->iterations;
    out->converged = fit->converged;
    return NONSENS_OK;
}
