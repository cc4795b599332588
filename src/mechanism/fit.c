/*
 * fit.c - Newton's method on minus the penalised log likelihood of a mechanism, and the score of each row by a fit that
 * has not seen it.
 *
 * The second derivatives of one step serve for the next ones too, by conjugate gradients, for as long as these go fast:
 * the fit without a fold is a few such steps away from the fit of all rows and takes no derivatives of its own.  T is
 * linear in the coefficients, so that every length of a step can be tried without looking at the splines again.
 */
#include "math/linalg.h"
#include "mechanism/internal.h"

#include <math.h>
#include <string.h>

enum { MOST_LENGTHS = 14, ROWS_TO_CHOOSE_BY = 3000 };

/* Half squared decrements, in nats over all rows: where the descent ends, and which keep their matrix. */
typedef struct pace {
    double enough, enough_kept; /* it ends, by a new matrix, by one that was kept */
    double fast;                /* those that shrink so fast keep it */
    int most;                   /* steps */
} pace;

static const pace ALL_ROWS = {0.03, 0.003, 0.5, 60}, ON_THE_WAY = {0.3, 0.1, 0.5, 60},
                  LESS_A_FOLD = {0.1, 0.03, 0.7, 40}, AT_A_GLANCE = {0.3, 0.1, 0.7, 5};
static const double LEAST_DAMPING = 1e-3, MOST_DAMPING = 1e6;
static const double SMOOTHEST = 0.4, PATH_RATIO = 8.0, ROUGHEST = 1e-8;
static const double PATH_GAIN = 1.0;                 /* nats over all rows that a rougher fit must gain */
static const double SPREAD = 4.0;                    /* T runs from minus this to this at the start */
static const double LONGEST = 3.0, WORTHWHILE = 0.2; /* other lengths of a step than 1 */
static const double SUFFICIENT = 1e-4;               /* of the decrease that the gradient promises */

typedef struct descent {
    mechanism_model model;
    mechanism_point at, tried, step; /* T and dT/dy of a step: how they change along it */
    mechanism_point whole;           /* the fit of all rows, while folds are left out */
    mechanism_weights weights;
    double *gradient, *before; /* (size) now and a step ago */
    double *natural;           /* (size) by the factor in use: its inverse times the gradient */
    double *hessian;           /* (size, size) */
    double *factor, *shared;   /* (size, size) to be overwritten; of all rows, while folds are left out */
    const double *in_use;      /* one of the two */
    double *scores;            /* (n) */
    double *shift;             /* (folds, size) from the fit of all rows to that without a fold, as far as known */
    double fold_total[MECHANISM_MOST_FOLDS];
    double smooth[MECHANISM_MOST_CAUSES];
    double objective, damping;
    int64_t hole, hole_end; /* rows that are left out */
} descent;

static double evaluate(const descent *d, const mechanism_point *at)
{
    const mechanism_model *m = &d->model;
    double log_likelihood = mechanism_likelihood(m, at, 0, d->hole, NULL);
    log_likelihood += mechanism_likelihood(m, at, d->hole_end, m->data->n, NULL);
    return mechanism_penalise(m, at->theta, NULL, NULL) - log_likelihood;
}

/* T linear in y, the same for all causes; scales of the segments to match. */
static nonsens_status set_line(nonsens_context *ctx, arena *scratch, descent *d)
{
    const mechanism_model *m = &d->model;
    int64_t segments = m->data->segments, sloped = 0;
    double *scale = d->at.theta + m->p + segments, *rows, mean = 0.0;
    ARENA_TRY(ctx, scratch, rows, segments);
    for (int64_t t = 0; t < m->terms; t++) {
        sloped += m->term[t].has_slope;
    }
    for (int64_t t = 0; t < sloped; t++) {
        const mechanism_term *term = &m->term[t];
        for (int64_t i = 0; i < term->rows * term->columns; i++) {
            double share = (double)(i / term->columns) / (double)(term->rows - 1);
            d->at.theta[term->offset + i] = SPREAD * (2.0 * share - 1.0) / (double)sloped;
        }
    }
    mechanism_apply(m, &d->at);
    for (int64_t i = 0; i < m->data->n; i++) {
        scale[m->data->segment[i]] += fabs(d->at.transform[i]);
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
        d->at.theta[i] *= exp(-mean);
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

/* Parameters of the guess' model, where there are such here; those of y alone are spread over all causes. */
static void spread_guess(const mechanism_model *m, const mechanism_model *small, const double *guess, double *theta)
{
    memcpy(theta + m->p, guess + small->p, (size_t)(2 * m->data->segments) * sizeof *theta);
    for (int64_t t = 0; t < m->terms; t++) {
        const mechanism_term *term = &m->term[t], *from = find_term(small, term);
        for (int64_t i = 0; i < term->rows * term->columns; i++) {
            bool is_alone = !small->term[0].right && term->has_slope; // the only term: one cause
            theta[term->offset + i] = from ? guess[from->offset + i] : is_alone ? guess[i / term->columns] : 0.0;
        }
    }
}

static void add_scaled(int64_t count, const double *a, double length, const double *b, double *sum)
{
    for (int64_t i = 0; i < count; i++) {
        sum[i] = a[i] + length * b[i];
    }
}

static nonsens_status set_guess(nonsens_context *ctx, arena *scratch, int64_t effect, const mechanism_guess *guess,
                                descent *d)
{
    const mechanism_model *m = &d->model;
    mechanism_model small;
    TRY(mechanism_open(ctx, scratch, m->data, effect, guess->causes, guess->cause, &small));
    spread_guess(m, &small, guess->theta, d->at.theta);
    for (int64_t k = 0; k < m->data->folds; k++) {
        double *shift = d->shift + k * m->size;
        spread_guess(m, &small, guess->theta + (k + 1) * small.size, shift);
        add_scaled(m->size, shift, -1.0, d->at.theta, shift);
    }
    return NONSENS_OK;
}

/*
 * factor = Cholesky factor of hessian + damping * its diagonal, with as much damping as that takes; if all else fails,
 * of the diagonal alone.
 */
static void factor_damped(nonsens_context *ctx, descent *d)
{
    int64_t k = d->model.size;
    const double *hessian = d->hessian;
    d->in_use = d->factor;
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
    mechanism_derive(m, &d->at, 0, d->hole, &d->weights, d->gradient, second ? d->hessian : NULL);
    mechanism_derive(m, &d->at, d->hole_end, m->data->n, &d->weights, d->gradient, second ? d->hessian : NULL);
    mechanism_penalise(m, d->at.theta, d->gradient, second ? d->hessian : NULL);
}

/* Also half of what the gradient promises, by the factor in use. */
static double solve_gradient(descent *d)
{
    int64_t k = d->model.size;
    memcpy(d->natural, d->gradient, (size_t)k * sizeof *d->natural);
    linalg_solve_lower(false, k, 1, d->in_use, k, d->natural, k);
    double half = 0.5 * linalg_dot(k, d->natural, d->natural);
    linalg_solve_lower(true, k, 1, d->in_use, k, d->natural, k);
    return half;
}

/*
 * The next step: against the natural gradient and, if the factor is that of the last step, conjugate to it (Polak and
 * Ribiere); half_before is that of the last step.  Returns the derivative along it.
 */
static double choose_step(descent *d, bool conjugate, double half, double half_before)
{
    int64_t k = d->model.size;
    double share = 0.0;
    if (conjugate) {
        share = fmax(0.0, (half - 0.5 * linalg_dot(k, d->before, d->natural)) / half_before);
        share = share * linalg_dot(k, d->gradient, d->step.theta) < half ? share : 0.0; // still well downhill
    }
    for (int64_t i = 0; i < k; i++) {
        d->step.theta[i] = share * d->step.theta[i] - d->natural[i];
    }
    memcpy(d->before, d->gradient, (size_t)k * sizeof *d->before);
    mechanism_apply(&d->model, &d->step);
    return linalg_dot(k, d->gradient, d->step.theta);
}

/* The objective so far along the step, at the point `tried`. */
static double try_length(descent *d, double length)
{
    int64_t n = d->model.data->n;
    add_scaled(d->model.size, d->at.theta, length, d->step.theta, d->tried.theta);
    add_scaled(n, d->at.transform, length, d->step.transform, d->tried.transform);
    add_scaled(n, d->at.slope, length, d->step.slope, d->tried.slope);
    return evaluate(d, &d->tried);
}

static void accept_tried(descent *d, double objective)
{
    mechanism_point left = d->at;
    d->at = d->tried;
    d->tried = left;
    d->objective = objective;
}

/* Where the parabola with that value and derivative at zero, and that value at `length`, is least. */
static double least_of_parabola(double length, double fall, double along)
{
    double bend = fall - along * length;
    return bend > 0 ? -0.5 * along * length * length / bend : INFINITY;
}

/*
 * Tries other lengths than 1, whose objective is given, from `length` on for as long as doubling it helps: where rows
 * are few, dT/dy grows by a factor in each step, as steps towards the minimum of s - log s do.  The best one is tried
 * last.
 */
static double refine_length(descent *d, double length, double objective)
{
    double best = 1.0;
    if (fabs(length - best) < WORTHWHILE) {
        return objective;
    }
    for (int tries = 0; tries < MOST_LENGTHS; tries++, length *= 2.0) {
        double other = try_length(d, length);
        if (!(other < objective)) {
            return try_length(d, best);
        }
        best = length;
        objective = other;
        if (length < 1.0) {
            break;
        }
    }
    return objective;
}

/* Less after a whole step; more after a short one, which a matrix with little damping asked to go too far. */
static void adapt_damping(descent *d, double length)
{
    if (length == 1.0) {
        d->damping = d->damping < 1e-6 ? 0.0 : 0.2 * d->damping;
    } else {
        d->damping = fmax(LEAST_DAMPING, fmin(1.0 / length, 10.0) * d->damping);
    }
}

/* Takes a step of a length that lowers the objective enough; `along`: its derivative.  False where none does. */
static bool search_line(descent *d, double along)
{
    double length = 1.0;
    for (int tries = 0; tries < MOST_LENGTHS; tries++) {
        double objective = try_length(d, length), least = least_of_parabola(length, objective - d->objective, along);
        if (objective < d->objective + SUFFICIENT * length * along) {
            adapt_damping(d, length);
            accept_tried(d, tries == 0 ? refine_length(d, fmin(least, LONGEST), objective) : objective);
            return true;
        }
        length *= fmin(fmax(least / length, 0.1), 0.5);
    }
    return false;
}

/* The matrix of a step (refresh: not the one given) is kept for the next for as long as steps shrink fast. */
static nonsens_status descend(nonsens_context *ctx, descent *d, bool refresh, const pace *how, int *steps)
{
    double before = INFINITY;
    d->objective = evaluate(d, &d->at);
    for (int step = 0; step < how->most; step++, ++*steps) {
        TRY(check_cancelled(ctx));
        derive_all(d, refresh);
        if (refresh) {
            factor_damped(ctx, d);
        }
        double half = solve_gradient(d), damping = d->damping;
        if (refresh ? half < how->enough && damping < 1.0 : half < how->enough_kept) {
            break;
        }
        bool stale = !refresh, made = search_line(d, choose_step(d, stale && step > 0, half, before));
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

static nonsens_status allocate(nonsens_context *ctx, arena *scratch, descent *d)
{
    const mechanism_model *m = &d->model;
    ARENA_TRY(ctx, scratch, d->gradient, m->size);
    ARENA_TRY(ctx, scratch, d->before, m->size);
    ARENA_TRY(ctx, scratch, d->natural, m->size);
    ARENA_TRY(ctx, scratch, d->hessian, m->size * m->size);
    ARENA_TRY(ctx, scratch, d->factor, m->size * m->size);
    ARENA_TRY(ctx, scratch, d->shared, m->size * m->size);
    ARENA_TRY(ctx, scratch, d->scores, m->data->n);
    ARENA_TRY(ctx, scratch, d->shift, m->data->folds * m->size);
    TRY(mechanism_point_new(ctx, scratch, m, &d->at));
    TRY(mechanism_point_new(ctx, scratch, m, &d->tried));
    TRY(mechanism_point_new(ctx, scratch, m, &d->step));
    TRY(mechanism_point_new(ctx, scratch, m, &d->whole));
    return mechanism_weights_new(ctx, scratch, m, &d->weights);
}

static void copy_point(const mechanism_model *m, const mechanism_point *from, mechanism_point *to)
{
    memcpy(to->theta, from->theta, (size_t)m->size * sizeof *to->theta);
    memcpy(to->transform, from->transform, (size_t)m->data->n * sizeof *to->transform);
    memcpy(to->slope, from->slope, (size_t)m->data->n * sizeof *to->slope);
}

/* To where the fit without this fold is thought to be, if that is better. */
static void go_to_fold(descent *d, const double *shift)
{
    double here = evaluate(d, &d->at);
    memcpy(d->step.theta, shift, (size_t)d->model.size * sizeof *shift);
    mechanism_apply(&d->model, &d->step);
    double there = try_length(d, 1.0);
    if (there < here) {
        accept_tried(d, there);
    }
}

/* Leaves the fold out, fits by the matrix that is there, and scores its rows. */
static nonsens_status score_fold(nonsens_context *ctx, descent *d, int64_t k, const pace *how, int *steps)
{
    const mechanism_model *m = &d->model;
    int64_t from = m->data->block[k], to = m->data->block[k + 1];
    double *shift = d->shift + k * m->size;
    d->hole = from;
    d->hole_end = to;
    d->damping = 0.0;
    go_to_fold(d, shift);
    nonsens_status status = descend(ctx, d, false, how, steps);
    mechanism_likelihood(m, &d->at, from, to, d->scores);
    add_scaled(m->size, d->at.theta, -1.0, d->whole.theta, shift);
    d->hole = d->hole_end = 0;
    return status;
}

/* The sum over the rows of the first folds, and that of each. */
static double sum_scores(const mechanism_data *data, int64_t folds, const double *scores, double *fold_total)
{
    double total = 0.0;
    for (int64_t k = 0; k < folds; k++) {
        fold_total[k] = 0.0;
        for (int64_t i = data->block[k]; i < data->block[k + 1]; i++) {
            fold_total[k] += scores[i];
        }
        total += fold_total[k];
    }
    return total;
}

/* Scores the rows of the first folds by fits without their fold, from the fit of all rows; *total: their sum. */
static nonsens_status score_rows(nonsens_context *ctx, descent *d, int64_t folds, const pace *how, int *steps,
                                 double *total)
{
    const mechanism_data *data = d->model.data;
    double *all = d->factor;
    d->factor = d->shared;
    d->in_use = d->shared = all;
    copy_point(&d->model, &d->at, &d->whole);
    for (int64_t k = 0; k < folds; k++) {
        TRY(score_fold(ctx, d, k, how, steps));
        copy_point(&d->model, &d->whole, &d->at);
        d->in_use = d->shared;
    }
    *total = sum_scores(data, folds, d->scores, d->fold_total);
    return NONSENS_OK;
}

/* How many folds have enough rows to choose smoothness by. */
static int64_t folds_to_choose_by(const mechanism_data *data)
{
    int64_t folds = 1;
    while (folds < data->folds && data->block[folds] < ROWS_TO_CHOOSE_BY) {
        folds++;
    }
    return folds;
}

/* Keeps what is the best so far; scores go back to the data's order of rows. */
static void keep_best(const descent *d, double total, mechanism_fit *out)
{
    const mechanism_data *data = d->model.data;
    int64_t size = d->model.size;
    out->total = total;
    memcpy(out->fold_total, d->fold_total, sizeof d->fold_total);
    memcpy(out->smooth, d->smooth, sizeof d->smooth);
    memcpy(out->theta, d->at.theta, (size_t)size * sizeof *out->theta);
    for (int64_t k = 0; k < data->folds; k++) {
        add_scaled(size, d->at.theta, 1.0, d->shift + k * size, out->theta + (k + 1) * size);
    }
    for (int64_t i = 0; i < data->n; i++) {
        out->held_out[data->row[i]] = d->scores[i];
    }
}

static void go_back(descent *d, const mechanism_fit *kept)
{
    int64_t size = d->model.size;
    memcpy(d->at.theta, kept->theta, (size_t)size * sizeof *kept->theta);
    for (int64_t k = 0; k < d->model.data->folds; k++) {
        add_scaled(size, kept->theta + (k + 1) * size, -1.0, kept->theta, d->shift + k * size);
    }
    mechanism_apply(&d->model, &d->at);
}

/* Fits with the smoothness set, and keeps that if it is better by enough than what was; *better says so. */
static nonsens_status try_smooth(nonsens_context *ctx, descent *d, bool first, mechanism_fit *out, bool *better)
{
    double total;
    mechanism_smooth(&d->model, d->smooth);
    d->damping = 0.0;
    TRY(descend(ctx, d, true, &ON_THE_WAY, &out->steps));
    int64_t folds = folds_to_choose_by(d->model.data);
    const pace *how = folds < d->model.data->folds ? &AT_A_GLANCE : &LESS_A_FOLD; // the fewer rows, the further to go
    TRY(score_rows(ctx, d, folds, how, &out->steps, &total));
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
    go_back(d, best);
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
    go_back(d, out);
    memcpy(d->smooth, out->smooth, sizeof d->smooth);
    mechanism_smooth(&d->model, d->smooth);
    d->damping = 0.0;
    TRY(descend(ctx, d, true, &ALL_ROWS, &out->steps));
    TRY(score_rows(ctx, d, d->model.data->folds, &LESS_A_FOLD, &out->steps, &total));
    keep_best(d, total, out);
    return NONSENS_OK;
}

/* Whether the rows to choose by are predicted no better than without the new causes. */
static bool is_useless(const mechanism_data *data, const mechanism_guess *guess, const mechanism_fit *fit)
{
    double without = 0.0;
    for (int64_t k = 0; guess && k < folds_to_choose_by(data); k++) {
        without += guess->fold_total[k];
    }
    return guess && fit->total < without + PATH_GAIN;
}

/* The fit without the new causes: they have no effect. */
static nonsens_status keep_guess(nonsens_context *ctx, arena *scratch, descent *d, const bool *is_new, int64_t effect,
                                 const mechanism_guess *guess, mechanism_fit *out)
{
    TRY(set_guess(ctx, scratch, effect, guess, d));
    memcpy(d->smooth, out->smooth, sizeof d->smooth);
    for (int64_t i = 0; i < MECHANISM_MOST_CAUSES; i++) {
        d->smooth[i] = is_new[i] ? SMOOTHEST : d->smooth[i];
    }
    keep_best(d, out->total, out);
    out->is_guess = true;
    return NONSENS_OK;
}

/*
 * is_new (causes): those that the guess lacks begin as smooth as possible; then these become rougher, then the others,
 * whose noise may be less now.  On the way a few steps towards the fits without some of the folds are enough to choose
 * by where rows are many (one is not).
 */
static nonsens_status walk_path(nonsens_context *ctx, arena *scratch, descent *d, const bool *is_new, int64_t effect,
                                const mechanism_guess *guess, mechanism_fit *out)
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
        if (side == 1 && is_useless(d->model.data, guess, out)) {
            return keep_guess(ctx, scratch, d, is_new, effect, guess, out);
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
    mechanism_apply(&d.model, &d.at);
    return walk_path(ctx, scratch, &d, is_new, effect, guess, out);
}

nonsens_status mechanism_run(nonsens_context *ctx, arena *keep, const mechanism_data *data, int64_t effect,
                             int64_t causes, const int64_t *cause, const mechanism_guess *guess, mechanism_fit *out)
{
    arena scratch = {0};
    *out = (mechanism_fit){0};
    ARENA_TRY(ctx, keep, out->held_out, data->n);
    ARENA_TRY(ctx, keep, out->theta, (1 + data->folds) * mechanism_size(data, causes));
    nonsens_status status = run_within(ctx, &scratch, data, effect, causes, cause, guess, out);
    arena_free(&scratch);
    return status;
}

nonsens_status mechanism_disturbance(nonsens_context *ctx, const mechanism_data *data, int64_t effect, int64_t causes,
                                     const int64_t *cause, const double *theta, double *disturbance)
{
    arena scratch = {0};
    mechanism_model m;
    mechanism_point at = {0};
    nonsens_status status = mechanism_open(ctx, &scratch, data, effect, causes, cause, &m);
    if (status == NONSENS_OK) {
        status = mechanism_point_new(ctx, &scratch, &m, &at);
    }
    if (status == NONSENS_OK) {
        memcpy(at.theta, theta, (size_t)m.size * sizeof *theta);
        mechanism_apply(&m, &at);
        for (int64_t i = 0; i < data->n; i++) {
            disturbance[data->row[i]] = at.transform[i];
        }
    }
    arena_free(&scratch);
    return status;
}
