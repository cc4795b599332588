/*
 * fit.c - chooses how smooth a mechanism is, and scores each row by a fit that does not use it.
 *
 * The fit without a fold is a few steps away from the fit to all rows, so it reuses the latter's second derivatives.
 * Folds are independent of one another, and threads share them.
 */
#include "base/parallel.h"
#include "math/linalg.h"
#include "mechanism/descent.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { ROWS_TO_CHOOSE_BY = 3000 };

static const descent_pace ALL_ROWS = {0.03, 0.003, 0.5, 60}, ALONG_PATH = {0.3, 0.1, 0.5, 60},
                          WITHOUT_FOLD = {0.1, 0.03, 0.7, 40}, FEW_STEPS = {0.3, 0.1, 0.7, 5};
static const double PATH_RATIO = 8.0, ROUGHEST = 1e-8;
static const double PATH_GAIN = 1.0;   /* nats over all rows that a rougher fit must gain */
static const double MIN_USE = 0.001;   /* nats per row that a cause must gain to have an effect: half of an edge's */
static const double LARGE_GAIN = 0.05; /* nats per row after which the next step is twice as long on the log scale */
static const double SPREAD = 4.0;      /* at the start T goes from minus this to this */

/* A descent that leaves folds out, for one thread at a time. */
typedef struct fold_worker {
    descent d;
    atomic_flag busy;
} fold_worker;

typedef struct fitting {
    descent d; /* to all rows */
    fold_worker worker[MECHANISM_MAX_FOLDS];
    int64_t workers;
    const descent_pace *pace; /* of the folds */
    int steps[MECHANISM_MAX_FOLDS];
    double *scores; /* (n) */
    double *shift;  /* (folds, size) from the fit to all rows to that without a fold, as far as known */
    double fold_total[MECHANISM_MAX_FOLDS];
    double smooth[MECHANISM_WEIGHTS];
} fitting;

/* Starts with T linear in y, whatever the causes, and matching scales of the segments. */
static nonsens_status set_line(nonsens_context *ctx, arena *scratch, fitting *f)
{
    const mechanism_model *m = &f->d.model;
    const mechanism_term *alone = &m->term[0];
    int64_t segments = m->data->segments;
    double *scale = f->d.at.theta + m->p + segments, *rows, mean = 0.0;
    ARENA_TRY(ctx, scratch, rows, segments);
    for (int64_t i = 0; i < alone->rows; i++) {
        f->d.at.theta[alone->offset + i] = SPREAD * (2.0 * (double)i / (double)(alone->rows - 1) - 1.0);
    }
    mechanism_apply(m, &f->d.at);
    for (int64_t i = 0; i < m->data->n; i++) {
        scale[m->data->segment[i]] += fabs(f->d.at.transform[i]);
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
        f->d.at.theta[i] *= exp(-mean);
    }
    return NONSENS_OK;
}

/* Returns the term of m with the same variables as `like`, or NULL. */
static const mechanism_term *find_term(const mechanism_model *m, const mechanism_term *like)
{
    for (int64_t t = 0; t < m->terms; t++) {
        if (m->term[t].left == like->left && m->term[t].right == like->right) {
            return &m->term[t];
        }
    }
    return NULL;
}

/* Copies the parameters of terms that both models have; the product of a pair starts as the guess' term of y alone. */
static void spread_guess(const mechanism_model *m, const mechanism_model *small, const double *guess, double *theta)
{
    memcpy(theta + m->p, guess + small->p, (size_t)(2 * m->data->segments) * sizeof *theta);
    for (int64_t t = 0; t < m->terms; t++) {
        const mechanism_term *term = &m->term[t], *from = find_term(small, term);
        for (int64_t i = 0; i < term->rows * term->columns; i++) {
            bool holds_alone = !m->data->separate && term->has_slope && !small->term[0].right;
            theta[term->offset + i] = from ? guess[from->offset + i] : holds_alone ? guess[i / term->columns] : 0.0;
        }
    }
}

static nonsens_status set_guess(nonsens_context *ctx, arena *scratch, int64_t effect, const mechanism_guess *guess,
                                fitting *f)
{
    const mechanism_model *m = &f->d.model;
    mechanism_model small;
    TRY(mechanism_new(ctx, scratch, m->data, effect, guess->causes, guess->cause, &small));
    spread_guess(m, &small, guess->theta, f->d.at.theta);
    for (int64_t k = 0; k < m->data->folds; k++) {
        double *shift = f->shift + k * m->size;
        spread_guess(m, &small, guess->theta + (k + 1) * small.size, shift);
        descent_add(m->size, shift, -1.0, f->d.at.theta, shift);
    }
    return NONSENS_OK;
}

/* ---- scores --------------------------------------------------------------------------------------------------- */

/* Makes a worker for each thread that may score a fold; the first one borrows the matrix of the fit to all rows. */
static nonsens_status hire_workers(nonsens_context *ctx, arena *scratch, fitting *f)
{
    int64_t folds = f->d.model.data->folds, threads = parallel_threads(f->d.model.data->threads);
    f->workers = threads < folds ? threads : folds;
    for (int64_t w = 0; w < f->workers; w++) {
        TRY(descent_beside(ctx, scratch, &f->d, w == 0, &f->worker[w].d));
        atomic_flag_clear(&f->worker[w].busy);
    }
    return NONSENS_OK;
}

static fold_worker *take_worker(fitting *f)
{
    int64_t w = 0;
    while (atomic_flag_test_and_set(&f->worker[w].busy)) {
        w = (w + 1) % f->workers;
    }
    return &f->worker[w];
}

/* Leaves the fold out, fits from the factor of all rows, and scores the rows of the fold. */
static nonsens_status score_fold(nonsens_context *ctx, arena *scratch, int64_t k, void *state)
{
    fitting *f = state;
    fold_worker *worker = take_worker(f);
    descent *d = &worker->d;
    const mechanism_data *data = f->d.model.data;
    double *shift = f->shift + k * f->d.model.size;
    (void)scratch;
    descent_leave_out(&f->d, data->block[k], data->block[k + 1], d);
    descent_jump(d, shift);
    nonsens_status status = descent_run(ctx, d, false, f->pace, &f->steps[k]);
    mechanism_score(&d->model, &d->at, data->block[k], data->block[k + 1], f->scores);
    descent_add(d->model.size, d->at.theta, -1.0, f->d.at.theta, shift);
    f->fold_total[k] = 0.0;
    for (int64_t i = data->block[k]; i < data->block[k + 1]; i++) {
        f->fold_total[k] += f->scores[i];
    }
    atomic_flag_clear(&worker->busy);
    return status;
}

/* Scores the rows of the first folds by fits without their fold, from the fit to all rows; *total: their sum. */
static nonsens_status score_rows(nonsens_context *ctx, fitting *f, int64_t folds, const descent_pace *pace, int *steps,
                                 double *total)
{
    f->pace = pace;
    memset(f->steps, 0, sizeof f->steps);
    TRY(parallel_for(ctx, f->d.model.data->threads, folds, NULL, score_fold, f));
    *total = 0.0;
    for (int64_t k = 0; k < folds; k++) {
        *total += f->fold_total[k];
        *steps += f->steps[k];
    }
    return NONSENS_OK;
}

/* Returns the number of folds that together have enough rows to choose the smoothness by. */
static int64_t folds_to_choose_by(const mechanism_data *data)
{
    int64_t folds = 1;
    while (folds < data->folds && data->block[folds] < ROWS_TO_CHOOSE_BY) {
        folds++;
    }
    return folds;
}

/* Keeps the current fit as the best so far; scores are put back into the data's order of rows. */
static void keep_best(const fitting *f, double total, mechanism_fit *out)
{
    const mechanism_data *data = f->d.model.data;
    int64_t size = f->d.model.size;
    out->total = total;
    memcpy(out->fold_total, f->fold_total, sizeof f->fold_total);
    memcpy(out->smooth, f->smooth, sizeof f->smooth);
    memcpy(out->theta, f->d.at.theta, (size_t)size * sizeof *out->theta);
    for (int64_t k = 0; k < data->folds; k++) {
        descent_add(size, f->d.at.theta, 1.0, f->shift + k * size, out->theta + (k + 1) * size);
    }
    for (int64_t i = 0; i < data->n; i++) {
        out->held_out[data->row[i]] = f->scores[i];
    }
}

static void restore_fit(fitting *f, const mechanism_fit *kept)
{
    int64_t size = f->d.model.size;
    memcpy(f->d.at.theta, kept->theta, (size_t)size * sizeof *kept->theta);
    for (int64_t k = 0; k < f->d.model.data->folds; k++) {
        descent_add(size, kept->theta + (k + 1) * size, -1.0, kept->theta, f->shift + k * size);
    }
    mechanism_apply(&f->d.model, &f->d.at);
}

/* Fits with the current smoothness, and keeps the fit if it is clearly better than the best so far (*better). */
static nonsens_status try_smooth(nonsens_context *ctx, fitting *f, bool first, mechanism_fit *out, bool *better)
{
    double total;
    mechanism_smooth(&f->d.model, f->smooth);
    f->d.damping = 0.0;
    TRY(descent_run(ctx, &f->d, true, &ALONG_PATH, &out->steps));
    int64_t folds = folds_to_choose_by(f->d.model.data);
    const descent_pace *pace =
        folds < f->d.model.data->folds ? &FEW_STEPS : &WITHOUT_FOLD; // fewer rows need more steps
    TRY(score_rows(ctx, f, folds, pace, &out->steps, &total));
    *better = first || total > out->total + PATH_GAIN;
    if (*better) {
        keep_best(f, total, out);
    }
    return NONSENS_OK;
}

/* Restores the best fit, with the smoothness of causes with which[i] == wanted divided by ratio; false at the limit. */
static bool make_rougher(fitting *f, const bool *which, bool wanted, double ratio, const mechanism_fit *best)
{
    bool possible = false;
    restore_fit(f, best);
    for (int64_t i = 0; i < MECHANISM_WEIGHTS; i++) {
        f->smooth[i] = which[i] == wanted ? best->smooth[i] / ratio : best->smooth[i];
        possible = possible || (which[i] == wanted && f->smooth[i] > ROUGHEST);
        f->smooth[i] = fmax(f->smooth[i], ROUGHEST);
    }
    return possible;
}

/* Lists the parameters of the terms of a cause, at (size), and copies them; returns their number. */
static int64_t list_parameters(const mechanism_model *m, int64_t cause, const double *theta, int64_t *at, double *own)
{
    int64_t count = 0;
    for (int64_t t = 0; t < m->terms; t++) {
        const mechanism_term *term = &m->term[t];
        for (int64_t i = 0; i < term->rows * term->columns; i++) {
            if (term->cause[0] == cause || term->cause[1] == cause) {
                at[count] = term->offset + i;
                own[count++] = theta[term->offset + i];
            }
        }
    }
    return count;
}

/*
 * Estimates what the fit to all rows would lose without each cause, to second order (Wald's statistic, halved): with S
 * the parameters of its terms and H the second derivatives with penalties, theta_S' [(H^-1)_SS]^-1 theta_S / 2.  Zero
 * if H is not positive definite: nothing is known then.
 */
static nonsens_status estimate_losses(nonsens_context *ctx, arena *scratch, fitting *f, int64_t causes, double *loss)
{
    const mechanism_model *m = &f->d.model;
    int64_t *at;
    memset(loss, 0, (size_t)causes * sizeof *loss);
    if (f->d.factor_damping > 0.0) {
        return NONSENS_OK;
    }
    const double *factor = m->is_arrow ? f->d.arrow.shaft : f->d.factor;
    double *own, *inverse = f->d.hessian, *block = m->is_arrow ? f->worker[0].d.arrow.shaft : f->worker[0].d.factor;
    ARENA_TRY(ctx, scratch, at, m->size);
    ARENA_TRY(ctx, scratch, own, m->size);
    // the coefficients' block of an arrow's inverse is the inverse of what is left without the segments
    memcpy(inverse, factor, (size_t)(m->ld * m->ld) * sizeof *inverse);
    linalg_invert_cholesky(m->ld, inverse);
    for (int64_t c = 0; c < causes; c++) {
        int64_t count = list_parameters(m, c, f->d.at.theta, at, own);
        for (int64_t j = 0; j < count; j++) {
            for (int64_t i = 0; i < count; i++) {
                block[j * count + i] = inverse[at[j] * m->ld + at[i]];
            }
        }
        if (linalg_cholesky(ctx, count, block) == NONSENS_OK) {
            linalg_solve_lower(false, count, 1, block, count, own, count);
            loss[c] = 0.5 * linalg_dot(count, own, own);
        }
    }
    return NONSENS_OK;
}

/* Computes the scores of the chosen fit, with as many steps as they need. */
static nonsens_status score_chosen(nonsens_context *ctx, arena *scratch, fitting *f, int64_t causes, mechanism_fit *out)
{
    double total;
    restore_fit(f, out);
    memcpy(f->smooth, out->smooth, sizeof f->smooth);
    mechanism_smooth(&f->d.model, f->smooth);
    f->d.damping = 0.0;
    TRY(descent_run(ctx, &f->d, true, &ALL_ROWS, &out->steps));
    TRY(score_rows(ctx, f, f->d.model.data->folds, &WITHOUT_FOLD, &out->steps, &total));
    keep_best(f, total, out);
    return estimate_losses(ctx, scratch, f, causes, out->loss);
}

/* Returns what the fit gains over the guess on the rows that choose the smoothness; infinite without a guess. */
static double held_out_gain(const mechanism_data *data, const mechanism_guess *guess, const mechanism_fit *fit)
{
    double gain = guess ? fit->total : INFINITY;
    for (int64_t k = 0; guess && k < folds_to_choose_by(data); k++) {
        gain -= guess->fold_total[k];
    }
    return gain;
}

/* Says whether the new causes hardly improve the prediction of the rows that choose the smoothness. */
static bool is_useless(const mechanism_data *data, const mechanism_guess *guess, const mechanism_fit *fit)
{
    double rows = (double)data->block[folds_to_choose_by(data)];
    return held_out_gain(data, guess, fit) < (data->separate ? fmax(PATH_GAIN, MIN_USE * rows) : PATH_GAIN);
}

/* Keeps the guess, without the new causes: they have no effect. */
static nonsens_status keep_guess(nonsens_context *ctx, arena *scratch, fitting *f, const bool *is_new, int64_t effect,
                                 const mechanism_guess *guess, mechanism_fit *out)
{
    TRY(set_guess(ctx, scratch, effect, guess, f));
    memcpy(f->smooth, out->smooth, sizeof f->smooth);
    for (int64_t i = 0; i < MECHANISM_WEIGHTS; i++) {
        f->smooth[i] = is_new[i] ? f->d.model.data->smoothest : f->smooth[i];
    }
    keep_best(f, out->total, out);
    out->is_guess = true;
    return NONSENS_OK;
}

/* Makes weights with which[i] == wanted smaller as long as that helps, in large steps as long as these gain much. */
static nonsens_status roughen(nonsens_context *ctx, fitting *f, const bool *which, bool wanted, mechanism_fit *out)
{
    double ratio = PATH_RATIO, rows = (double)f->d.model.data->block[folds_to_choose_by(f->d.model.data)];
    bool better = true;
    while (better && make_rougher(f, which, wanted, ratio, out)) {
        double before = out->total;
        TRY(try_smooth(ctx, f, false, out, &better));
        bool was_large = ratio > PATH_RATIO;
        ratio = better && f->d.model.data->separate && out->total - before > LARGE_GAIN * rows ? PATH_RATIO * PATH_RATIO
                                                                                               : PATH_RATIO;
        better = better || was_large;
    }
    return NONSENS_OK;
}

/*
 * Chooses the smoothness step by step.  Causes that the guess lacks, is_new (causes), begin as smooth as possible and
 * become rougher first, then the others, whose noise may be less now.  If that first fit predicts held-out rows worse
 * than the guess, no rougher one is tried (except for a pair): the causes have no effect.  If rows are many, a few
 * steps (more than one) towards the fits without some of the folds are enough for the choice.
 */
static nonsens_status walk_path(nonsens_context *ctx, arena *scratch, fitting *f, const bool *is_new, int64_t effect,
                                int64_t causes, const mechanism_guess *guess, mechanism_fit *out)
{
    bool better;
    for (int64_t i = 0; i < MECHANISM_WEIGHTS; i++) {
        f->smooth[i] = is_new[i] ? f->d.model.data->smoothest : f->smooth[i];
    }
    TRY(try_smooth(ctx, f, true, out, &better));
    if (f->d.model.data->separate && held_out_gain(f->d.model.data, guess, out) < 0.0) {
        return keep_guess(ctx, scratch, f, is_new, effect, guess, out);
    }
    for (int side = 1; side >= 0; side--) {
        TRY(roughen(ctx, f, is_new, side == 1, out));
        if (side == 1 && is_useless(f->d.model.data, guess, out)) {
            return keep_guess(ctx, scratch, f, is_new, effect, guess, out);
        }
    }
    return score_chosen(ctx, scratch, f, causes, out);
}

/* Finds the weights that the guess lacks, and copies the others from it. */
static void match_causes(const mechanism_data *data, int64_t causes, const int64_t *cause, const mechanism_guess *guess,
                         bool *is_new, double *smooth)
{
    for (int64_t i = 0; i < MECHANISM_WEIGHTS; i++) {
        is_new[i] = true;
        smooth[i] = data->smoothest;
        for (int64_t k = 0; guess && i < causes && k < guess->causes; k++) {
            if (guess->cause[k] == cause[i]) {
                is_new[i] = false;
                smooth[i] = guess->smooth[k];
            }
        }
    }
    if (guess && data->separate) {
        is_new[MECHANISM_ALONE] = false;
        smooth[MECHANISM_ALONE] = guess->smooth[MECHANISM_ALONE];
    }
}

nonsens_status mechanism_run(nonsens_context *ctx, arena *keep, const mechanism_data *data, int64_t effect,
                             int64_t causes, const int64_t *cause, const mechanism_guess *guess, mechanism_fit *out)
{
    SCOPED_ARENA(scratch);
    fitting f = {0};
    bool is_new[MECHANISM_WEIGHTS];
    *out = (mechanism_fit){0};
    ARENA_TRY(ctx, keep, out->held_out, data->all);
    ARENA_TRY(ctx, keep, out->theta, (1 + data->folds) * mechanism_size(data, causes));
    TRY(mechanism_new(ctx, &scratch, data, effect, causes, cause, &f.d.model));
    ARENA_TRY(ctx, &scratch, f.scores, data->n);
    ARENA_TRY(ctx, &scratch, f.shift, data->folds * f.d.model.size);
    TRY(descent_new(ctx, &scratch, &f.d));
    TRY(hire_workers(ctx, &scratch, &f));
    match_causes(data, causes, cause, guess, is_new, f.smooth);
    TRY(guess ? set_guess(ctx, &scratch, effect, guess, &f) : set_line(ctx, &scratch, &f));
    mechanism_apply(&f.d.model, &f.d.at);
    TRY(walk_path(ctx, &scratch, &f, is_new, effect, causes, guess, out));
    for (int64_t i = 0; out->is_guess && i < causes; i++) {
        for (int64_t k = 0; k < guess->causes; k++) {
            out->loss[i] = guess->cause[k] == cause[i] ? guess->loss[k] : out->loss[i];
        }
    }
    return NONSENS_OK;
}

nonsens_status mechanism_disturbance(nonsens_context *ctx, const mechanism_data *data, int64_t effect, int64_t causes,
                                     const int64_t *cause, const double *theta, double *disturbance)
{
    SCOPED_ARENA(scratch);
    mechanism_model m;
    mechanism_point at;
    TRY(mechanism_new(ctx, &scratch, data, effect, causes, cause, &m));
    TRY(mechanism_point_new(ctx, &scratch, &m, &at));
    memcpy(at.theta, theta, (size_t)m.size * sizeof *theta);
    mechanism_apply(&m, &at);
    for (int64_t i = 0; i < data->n; i++) {
        disturbance[data->row[i]] = at.transform[i];
    }
    return NONSENS_OK;
}

nonsens_status mechanism_held_out(nonsens_context *ctx, const mechanism_data *data, int64_t effect, int64_t causes,
                                  const int64_t *cause, const double *theta, double *log_density, double *z)
{
    SCOPED_ARENA(scratch);
    mechanism_model m;
    mechanism_point at;
    double *score;
    TRY(mechanism_new(ctx, &scratch, data, effect, causes, cause, &m));
    TRY(mechanism_point_new(ctx, &scratch, &m, &at));
    ARENA_TRY(ctx, &scratch, score, data->n);
    const double *location = at.theta + m.p, *scale = location + data->segments;
    for (int64_t k = 0; k < data->folds; k++) {
        memcpy(at.theta, theta + (k + 1) * m.size, (size_t)m.size * sizeof *theta);
        mechanism_apply(&m, &at);
        mechanism_score(&m, &at, data->block[k], data->block[k + 1], score);
        for (int64_t i = data->block[k]; i < data->block[k + 1]; i++) {
            int32_t e = data->segment[i];
            log_density[data->row[i]] = score[i];
            z[data->row[i]] = (at.transform[i] - location[e]) * exp(-scale[e]);
        }
    }
    return NONSENS_OK;
}
