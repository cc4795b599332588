/*
 * fit.c - Newton's method on minus the penalised log likelihood of a mechanism, and the score of each row by a fit that
 * has not seen it.
 *
 * The fit without a fold is a few steps away from the fit of all rows, with the second derivatives of that less the
 * fold's own: where coefficients are few for the rows, the first of them is all it takes.  Every step is tried on the
 * rows it is made for, as a whole Newton step goes far astray where they are many (test_mechanism.c).
 */
#include "math/linalg.h"
#include "mechanism/internal.h"

#include <math.h>
#include <string.h>

enum { MOST_HALVINGS = 14 };

/* Half squared decrements, in nats over all rows: where the descent ends, and which keep their matrix. */
typedef struct pace {
    double enough, enough_kept; /* it ends, by a new matrix, by one that was kept */
    double fast;                /* those that shrink so fast keep it */
    int most;                   /* steps */
} pace;

static const pace ALL_ROWS = {0.03, 0.003, 0.3, 60}, LESS_A_FOLD = {0.1, 0.03, 0.5, 20},
                  AT_A_GLANCE = {0.3, 0.1, 0.5, 3};
static const double LEAST_DAMPING = 1e-3, MOST_DAMPING = 1e6;
static const double SMOOTHEST = 0.4, PATH_RATIO = 8.0, ROUGHEST = 1e-8;
static const double PATH_GAIN = 1.0;   /* nats over all rows that a rougher fit must gain */
static const double SPREAD = 4.0;      /* T runs from minus this to this at the start */
static const double SUFFICIENT = 1e-4; /* of the decrease that the gradient promises */

typedef struct descent {
    mechanism_model model;
    double *theta, *trial, *gradient, *step; /* (size) */
    double *hessian, *factor;                /* (size, size) */
    double *own[MECHANISM_MOST_FOLDS];       /* (size, size) without a fold */
    double *scores;                          /* (n) */
    double *best;                            /* (size) of all rows, while folds are left out */
    double smooth[MECHANISM_MOST_CAUSES];
    double objective, damping;
    int64_t hole, hole_end; /* rows that are left out */
} descent;

static double evaluate(const descent *d, const double *theta)
{
    const mechanism_model *m = &d->model;
    double log_likelihood = mechanism_evaluate(m, theta, 0, d->hole, NULL, NULL);
    log_likelihood += mechanism_evaluate(m, theta, d->hole_end, m->data->n, NULL, NULL);
    return mechanism_penalise(m, theta, NULL, NULL) - log_likelihood;
}

/* T linear in y, the same for all causes; scales of the segments to match. */
static nonsens_status set_line(nonsens_context *ctx, arena *scratch, descent *d)
{
    const mechanism_model *m = &d->model;
    int64_t segments = m->data->segments, sloped = 0;
    double *scale = d->theta + m->p + segments, *transform, *rows, mean = 0.0;
    ARENA_TRY(ctx, scratch, transform, m->data->n);
    ARENA_TRY(ctx, scratch, rows, segments);
    for (int64_t t = 0; t < m->terms; t++) {
        sloped += m->term[t].has_slope;
    }
    for (int64_t t = 0; t < sloped; t++) {
        const mechanism_term *term = &m->term[t];
        for (int64_t i = 0; i < term->rows * term->columns; i++) {
            double share = (double)(i / term->columns) / (double)(term->rows - 1);
            d->theta[term->offset + i] = SPREAD * (2.0 * share - 1.0) / (double)sloped;
        }
    }
    mechanism_evaluate(m, d->theta, 0, m->data->n, transform, NULL);
    for (int64_t i = 0; i < m->data->n; i++) {
        scale[m->data->segment[i]] += fabs(transform[i]);
        rows[m->data->segment[i]] += 1.0;
    }
    for (int64_t e = 0; e < segments; e++) {
        scale[e] = log((scale[e] + 1.0) / (rows[e] + 1.0));
        mean += scale[e] / (double)segments;
    }
    for (int64_t e = 0; e < segments; e++) {
        scale[e] -= mean;
    }
    for (int64_t i = 0; i < m->p; i++) {
        d->theta[i] *= exp(-mean);
    }
    return NONSENS_OK;
}

/* The term of `of` with the same variables as this one, or NULL. */
static const mechanism_term *find_term(const mechanism_model *of, const mechanism_term *like)
{
    for (int64_t t = 0; t < of->terms; t++) {
        if (of->term[t].left == like->left && of->term[t].right == like->right) {
            return &of->term[t];
        }
    }
    return NULL;
}

/* Coefficients of the guess, where there are such; those of y alone are spread over all causes. */
static nonsens_status set_guess(nonsens_context *ctx, arena *scratch, int64_t effect, const mechanism_guess *guess,
                                descent *d)
{
    const mechanism_model *m = &d->model;
    mechanism_model small;
    TRY(mechanism_open(ctx, scratch, m->data, effect, guess->causes, guess->cause, &small));
    memcpy(d->theta + m->p, guess->theta + small.p, (size_t)(2 * m->data->segments) * sizeof *d->theta);
    for (int64_t t = 0; t < m->terms; t++) {
        const mechanism_term *term = &m->term[t], *from = find_term(&small, term);
        for (int64_t i = 0; i < term->rows * term->columns; i++) {
            double *to = d->theta + term->offset + i;
            if (from) {
                *to = guess->theta[from->offset + i];
            } else if (guess->causes == 0 && term->has_slope) {
                *to = guess->theta[i / term->columns]; // the only term: causes == 1
            }
        }
    }
    return NONSENS_OK;
}

/*
 * factor = Cholesky factor of hessian + damping * its diagonal, with as much damping as that takes; if all else fails,
 * of the diagonal alone.
 */
static void factor_damped(nonsens_context *ctx, const double *hessian, descent *d)
{
    int64_t k = d->model.size;
    for (; d->damping <= MOST_DAMPING; d->damping = fmax(LEAST_DAMPING, 4.0 * d->damping)) {
        memcpy(d->factor, hessian, (size_t)(k * k) * sizeof *d->factor);
        for (int64_t i = 0; i < k; i++) {
            d->factor[i * k + i] += d->damping * fabs(hessian[i * k + i]);
        }
        if (linalg_cholesky(ctx, k, d->factor) == NONSENS_OK) {
            return;
        }
    }
    memset(d->factor, 0, (size_t)(k * k) * sizeof *d->factor);
    for (int64_t i = 0; i < k; i++) {
        d->factor[i * k + i] = sqrt(1.0 + MOST_DAMPING * fabs(hessian[i * k + i]));
    }
}

static void clear(int64_t count, double *v)
{
    memset(v, 0, (size_t)count * sizeof *v);
}

/* Gradient and, if asked for, second derivatives over all rows but those left out. */
static void derive_all(descent *d, bool second)
{
    const mechanism_model *m = &d->model;
    clear(m->size, d->gradient);
    if (second) {
        clear(m->size * m->size, d->hessian);
    }
    mechanism_derive(m, d->theta, 0, d->hole, d->gradient, second ? d->hessian : NULL);
    mechanism_derive(m, d->theta, d->hole_end, m->data->n, d->gradient, second ? d->hessian : NULL);
    mechanism_penalise(m, d->theta, d->gradient, second ? d->hessian : NULL);
}

/* step = -factor^-1 gradient; returns half of what the gradient promises. */
static double solve_step(descent *d)
{
    int64_t k = d->model.size;
    for (int64_t i = 0; i < k; i++) {
        d->step[i] = -d->gradient[i];
    }
    linalg_solve_lower(false, k, 1, d->factor, k, d->step, k);
    double half = 0.5 * linalg_dot(k, d->step, d->step);
    linalg_solve_lower(true, k, 1, d->factor, k, d->step, k);
    return half;
}

/* Takes the longest of the steps 1, 1/2, 1/4, ... that lowers the objective enough; false where none does. */
static bool search_line(descent *d, double half)
{
    const mechanism_model *m = &d->model;
    double length = 1.0;
    for (int halving = 0; halving < MOST_HALVINGS; halving++, length *= 0.5) {
        for (int64_t i = 0; i < m->size; i++) {
            d->trial[i] = d->theta[i] + length * d->step[i];
        }
        double objective = evaluate(d, d->trial);
        if (objective < d->objective - 2.0 * SUFFICIENT * length * half) {
            memcpy(d->theta, d->trial, (size_t)m->size * sizeof *d->theta);
            d->objective = objective;
            d->damping = length == 1.0 ? 0.2 * d->damping : fmax(LEAST_DAMPING, 2.0 * d->damping);
            d->damping = d->damping < 1e-6 ? 0.0 : d->damping;
            return true;
        }
    }
    return false;
}

/* The matrix of a step (refresh: not the one given) is kept for the next for as long as steps shrink fast. */
static nonsens_status descend(nonsens_context *ctx, descent *d, bool refresh, const pace *how, int *steps)
{
    double before = INFINITY;
    d->objective = evaluate(d, d->theta);
    for (int step = 0; step < how->most; step++, ++*steps) {
        TRY(check_cancelled(ctx));
        derive_all(d, refresh);
        if (refresh) {
            factor_damped(ctx, d->hessian, d);
        }
        double half = solve_step(d), damping = d->damping;
        if (refresh ? half < how->enough && damping < 1.0 : half < how->enough_kept) {
            break;
        }
        bool stale = !refresh, made = search_line(d, half);
        refresh = !made || half > how->fast * before || d->damping > damping;
        before = half;
        if (!made && !stale) {
            d->damping = fmax(LEAST_DAMPING, 8.0 * d->damping);
            if (d->damping > MOST_DAMPING) {
                break;
            }
        }
    }
    return NONSENS_OK;
}

/* ---- scores --------------------------------------------------------------------------------------------------- */

/* Second derivatives of all rows but a fold's, and of the penalty, into own[k] for each fold k. */
static void derive_folds(descent *d)
{
    const mechanism_model *m = &d->model;
    int64_t entries = m->size * m->size;
    clear(entries, d->hessian);
    for (int64_t k = 0; k < m->data->folds; k++) {
        clear(entries, d->own[k]);
        mechanism_derive(m, d->theta, m->data->block[k], m->data->block[k + 1], d->gradient, d->own[k]);
        for (int64_t i = 0; i < entries; i++) {
            d->hessian[i] += d->own[k][i];
        }
    }
    mechanism_penalise(m, d->theta, d->gradient, d->hessian);
    for (int64_t k = 0; k < m->data->folds; k++) {
        for (int64_t i = 0; i < entries; i++) {
            d->own[k][i] = d->hessian[i] - d->own[k][i];
        }
    }
}

/* Leaves the fold out, fits, and scores its rows. */
static nonsens_status score_fold(nonsens_context *ctx, descent *d, int64_t k, const pace *how, int *steps)
{
    const mechanism_model *m = &d->model;
    int64_t from = m->data->block[k], to = m->data->block[k + 1];
    d->hole = from;
    d->hole_end = to;
    d->damping = 0.0;
    factor_damped(ctx, d->own[k], d);
    nonsens_status status = descend(ctx, d, false, how, steps);
    mechanism_evaluate(m, d->theta, from, to, NULL, d->scores);
    d->hole = d->hole_end = 0;
    memcpy(d->theta, d->best, (size_t)m->size * sizeof *d->theta);
    return status;
}

static nonsens_status allocate(nonsens_context *ctx, arena *scratch, descent *d)
{
    int64_t k = d->model.size;
    ARENA_TRY(ctx, scratch, d->theta, k);
    ARENA_TRY(ctx, scratch, d->trial, k);
    ARENA_TRY(ctx, scratch, d->gradient, k);
    ARENA_TRY(ctx, scratch, d->step, k);
    ARENA_TRY(ctx, scratch, d->hessian, k * k);
    ARENA_TRY(ctx, scratch, d->factor, k * k);
    ARENA_TRY(ctx, scratch, d->scores, d->model.data->n);
    ARENA_TRY(ctx, scratch, d->best, k);
    for (int64_t f = 0; f < d->model.data->folds; f++) {
        ARENA_TRY(ctx, scratch, d->own[f], k * k);
    }
    return NONSENS_OK;
}

/* Scores all rows by fits without their fold, from the fit of all rows at the smoothness that is set. */
static nonsens_status score_rows(nonsens_context *ctx, descent *d, const pace *how, int *steps, double *total)
{
    const mechanism_data *data = d->model.data;
    derive_folds(d);
    memcpy(d->best, d->theta, (size_t)d->model.size * sizeof *d->best);
    for (int64_t k = 0; k < data->folds; k++) {
        TRY(score_fold(ctx, d, k, how, steps));
    }
    *total = 0.0;
    for (int64_t i = 0; i < data->n; i++) {
        *total += d->scores[i];
    }
    return NONSENS_OK;
}

/* Keeps what is the best so far; scores go back to the data's order of rows. */
static void keep_best(const descent *d, double total, mechanism_fit *out)
{
    const mechanism_data *data = d->model.data;
    out->total = total;
    memcpy(out->smooth, d->smooth, sizeof d->smooth);
    memcpy(out->theta, d->theta, (size_t)d->model.size * sizeof *out->theta);
    for (int64_t i = 0; i < data->n; i++) {
        out->held_out[data->row[i]] = d->scores[i];
    }
}

/* Fits with the smoothness set, and keeps that if it is better by enough than what was; *better says so. */
static nonsens_status try_smooth(nonsens_context *ctx, descent *d, bool first, mechanism_fit *out, bool *better)
{
    double total;
    mechanism_smooth(&d->model, d->smooth);
    d->damping = 0.0;
    TRY(descend(ctx, d, true, &ALL_ROWS, &out->steps));
    TRY(score_rows(ctx, d, &AT_A_GLANCE, &out->steps, &total));
    *better = first || total > out->total + PATH_GAIN;
    if (*better) {
        keep_best(d, total, out);
    }
    return NONSENS_OK;
}

/* Back to the best so far, with the smoothness of some causes (all others) divided by PATH_RATIO. */
static bool make_rougher(descent *d, const bool *which, bool wanted, const mechanism_fit *best)
{
    bool possible = false;
    memcpy(d->theta, best->theta, (size_t)d->model.size * sizeof *d->theta);
    for (int64_t i = 0; i < MECHANISM_MOST_CAUSES; i++) {
        d->smooth[i] = which[i] == wanted ? best->smooth[i] / PATH_RATIO : best->smooth[i];
        possible = possible || (which[i] == wanted && d->smooth[i] > ROUGHEST);
        d->smooth[i] = fmax(d->smooth[i], ROUGHEST);
    }
    return possible;
}

/* The scores of the fit that was chosen, with as many steps as they take. */
static nonsens_status score_chosen(nonsens_context *ctx, descent *d, mechanism_fit *out)
{
    double total;
    memcpy(d->theta, out->theta, (size_t)d->model.size * sizeof *d->theta);
    memcpy(d->smooth, out->smooth, sizeof d->smooth);
    mechanism_smooth(&d->model, d->smooth);
    TRY(score_rows(ctx, d, &LESS_A_FOLD, &out->steps, &total));
    keep_best(d, total, out);
    return NONSENS_OK;
}

/*
 * is_new (causes): those that the guess lacks begin as smooth as possible; then these become rougher, then the others,
 * whose noise may be less now.  On the way a few steps towards the fit without a fold are enough to choose by (one is
 * not).
 */
static nonsens_status walk_path(nonsens_context *ctx, descent *d, const bool *is_new, mechanism_fit *out)
{
    bool better;
    for (int64_t i = 0; i < MECHANISM_MOST_CAUSES; i++) {
        d->smooth[i] = is_new[i] ? SMOOTHEST : d->smooth[i];
    }
    TRY(try_smooth(ctx, d, true, out, &better));
    for (int side = 1; side >= 0; side--) {
        better = true;
        while (better && make_rougher(d, is_new, side == 1, out)) {
            TRY(try_smooth(ctx, d, false, out, &better));
        }
    }
    return score_chosen(ctx, d, out);
}

/* Which causes the guess lacks; of the others the smoothness is the guess'. */
static void match_causes(int64_t causes, const int64_t *cause, const mechanism_guess *guess, bool *is_new,
                         double *smooth)
{
    for (int64_t i = 0; i < MECHANISM_MOST_CAUSES; i++) {
        is_new[i] = true;
        smooth[i] = SMOOTHEST;
        for (int64_t k = 0; guess && i < causes && k < guess->causes; k++) {
            if (guess->cause[k] == cause[i]) {
                is_new[i] = false;
                smooth[i] = guess->smooth[k];
            }
        }
    }
}

static nonsens_status run_within(nonsens_context *ctx, arena *scratch, const mechanism_data *data, int64_t effect,
                                 int64_t causes, const int64_t *cause, const mechanism_guess *guess, mechanism_fit *out)
{
    descent d = {0};
    bool is_new[MECHANISM_MOST_CAUSES];
    TRY(mechanism_open(ctx, scratch, data, effect, causes, cause, &d.model));
    TRY(allocate(ctx, scratch, &d));
    match_causes(causes, cause, guess, is_new, d.smooth);
    if (guess) {
        TRY(set_guess(ctx, scratch, effect, guess, &d));
    } else {
        TRY(set_line(ctx, scratch, &d));
    }
    return walk_path(ctx, &d, is_new, out);
}

nonsens_status mechanism_run(nonsens_context *ctx, arena *keep, const mechanism_data *data, int64_t effect,
                             int64_t causes, const int64_t *cause, const mechanism_guess *guess, mechanism_fit *out)
{
    arena scratch = {0};
    *out = (mechanism_fit){0};
    ARENA_TRY(ctx, keep, out->held_out, data->n);
    ARENA_TRY(ctx, keep, out->theta, mechanism_size(data, causes));
    nonsens_status status = run_within(ctx, &scratch, data, effect, causes, cause, guess, out);
    arena_free(&scratch);
    return status;
}

nonsens_status mechanism_disturbance(nonsens_context *ctx, const mechanism_data *data, int64_t effect, int64_t causes,
                                     const int64_t *cause, const double *theta, double *disturbance)
{
    arena scratch = {0};
    mechanism_model m;
    double *transform = arena_get(ctx, &scratch, data->n, sizeof *transform);
    nonsens_status status =
        transform ? mechanism_open(ctx, &scratch, data, effect, causes, cause, &m) : NONSENS_ERR_MEMORY;
    if (status == NONSENS_OK) {
        mechanism_evaluate(&m, theta, 0, data->n, transform, NULL);
        for (int64_t i = 0; i < data->n; i++) {
            disturbance[data->row[i]] = transform[i];
        }
    }
    arena_free(&scratch);
    return status;
}
