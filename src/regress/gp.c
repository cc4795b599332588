/*
 * gp.c - runs a Gaussian-process regression: sorts and scales the caller's rows, chooses a form (in the other files),
 * and returns results in the caller's units.
 *
 * Rows are sorted by all their values first, so that no sum depends on the order in which they came.  A column is
 * centred at its median and divided by its interquartile range (its standard deviation if half of the rows are equal),
 * so that extreme outliers do not squeeze the other values together.
 */
#include "regress/gp.h"

#include "math/column.h"
#include "math/linalg.h"
#include "math/sort.h"
#include "regress/gp_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double LOG_2_PI = 1.8378770664093454836;

enum { EXACT_MAX = 500, INDUCING_MAX = 300, CANDIDATES = 4096 };

static const double FARTHEST = 1e100; /* scaled values are clamped to this, so that their squares are finite */

/* z = (v * factor - centre) / spread; factor is a power of two that keeps huge columns finite. */
typedef struct gp_scaling {
    double factor, centre, spread;
} gp_scaling;

/* Returns one scaled unit in the caller's units. */
static double unit_of(const gp_scaling *s)
{
    return s->spread / s->factor;
}

/* The state of one fit. */
struct task {
    int64_t n;
    const column_set *x;
    const double *y;
    const gp_options *options;
    sort_entry *entry; // (n) rows in order of their values
    double *sorted_y;  // (n) scaled
    int64_t used;      /* number of columns that are not constant */
    int64_t *column;   // (used) where they are in x
    double **sorted_x; // (used)(n) scaled
    gp_scaling *scale; // (used)
    gp_scaling y_scale;
    gp_fit *out;
};

/* ---- checks and order -------------------------------------------------------------------------------------- */

static nonsens_status check_column(nonsens_context *ctx, int64_t n, const double *v)
{
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(v[i])) {
            return fail(ctx, NONSENS_ERR_DATA,
                        "Gaussian-process regression: a value in row %" PRId64 " is not finite; drop the row", i + 1);
        }
    }
    return NONSENS_OK;
}

static bool is_positive(double v)
{
    return isfinite(v) && v > 0.0;
}

static nonsens_status check_options(nonsens_context *ctx, const column_set *x, const gp_options *o)
{
    bool good = true;
    if (x->n < 1) {
        return fail(ctx, NONSENS_ERR_DATA, "Gaussian-process regression: no rows; give at least one");
    }
    if (o->held) {
        good = is_positive(o->held->noise) && is_positive(o->held->signal);
        for (int64_t j = 0; j < x->d; j++) {
            good = good && is_positive(o->held->length[j]);
        }
    }
    if (!good || o->exact_max < 0 || o->inducing < 0) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "Gaussian-process regression: variances, lengths and sizes in the options must be positive");
    }
    return NONSENS_OK;
}

static int compare_rows(const void *state, int64_t a, int64_t b)
{
    const struct task *t = state;
    for (int64_t j = 0; j < t->x->d; j++) {
        const double *v = t->x->v[j];
        if (v[a] != v[b]) {
            return v[a] < v[b] ? -1 : 1;
        }
    }
    return t->y[a] < t->y[b] ? -1 : t->y[a] > t->y[b];
}

static nonsens_status sort_rows(nonsens_context *ctx, arena *scratch, struct task *t)
{
    sort_entry *spare;
    ARENA_TRY(ctx, scratch, t->entry, t->n);
    ARENA_TRY(ctx, scratch, spare, t->n);
    const double *first = t->x->d > 0 ? t->x->v[0] : t->y;
    for (int64_t i = 0; i < t->n; i++) {
        t->entry[i] = (sort_entry){sort_key(first[i]), i};
    }
    sort_entries(t->entry, spare, t->n, compare_rows, t);
    return NONSENS_OK;
}

/* ---- units ------------------------------------------------------------------------------------------------- */

/* Copies `from` to v (n) in sorted order, times a power of two that makes values at most 1; returns that factor. */
static double gather(const struct task *t, const double *from, double *v)
{
    double factor = column_factor_of(t->n, from);
    for (int64_t i = 0; i < t->n; i++) {
        v[i] = from[t->entry[i].row] * factor;
    }
    return factor;
}

/* Returns the standard deviation around `centre`. */
static double standard_deviation(int64_t n, const double *v, double centre)
{
    double square = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double from = v[i] - centre;
        square += from / (double)n * from;
    }
    return sqrt(square);
}

static void apply(const gp_scaling *s, int64_t n, double *v)
{
    for (int64_t i = 0; i < n; i++) {
        v[i] = fmin(fmax((v[i] - s->centre) / s->spread, -FARTHEST), FARTHEST);
    }
}

/* Copies the regressors that are not constant, centred at the median, in units of the interquartile range. */
static nonsens_status scale_regressors(nonsens_context *ctx, arena *scratch, struct task *t)
{
    double *ascending;
    ARENA_TRY(ctx, scratch, t->column, t->x->d);
    ARENA_TRY(ctx, scratch, t->scale, t->x->d);
    ARENA_TRY(ctx, scratch, t->sorted_x, t->x->d);
    for (int64_t j = 0; j < t->x->d; j++) {
        double *v;
        ARENA_TRY(ctx, scratch, v, t->n);
        double factor = gather(t, t->x->v[j], v);
        if (column_is_constant(t->n, v)) {
            continue;
        }
        gp_scaling *s = t->scale + t->used;
        s->factor = factor;
        arena_mark mark = arena_tell(scratch);
        TRY(sort_copy(ctx, scratch, t->n, v, &ascending));
        s->centre = ascending[t->n / 2];
        s->spread = ascending[(3 * t->n) / 4] - ascending[t->n / 4];
        arena_rewind(scratch, mark);
        s->spread = s->spread > 0.0 ? s->spread : standard_deviation(t->n, v, s->centre);
        apply(s, t->n, v);
        t->column[t->used] = j;
        t->sorted_x[t->used++] = v;
    }
    return NONSENS_OK;
}

static nonsens_status scale_response(nonsens_context *ctx, arena *scratch, struct task *t)
{
    gp_scaling *s = &t->y_scale;
    ARENA_TRY(ctx, scratch, t->sorted_y, t->n);
    double *v = t->sorted_y, mean = 0.0, rest = 0.0;
    s->factor = gather(t, t->y, v);
    t->out->constant = column_is_constant(t->n, v);
    for (int64_t i = 0; i < t->n; i++) {
        mean += (v[i] - mean) / (double)(i + 1);
    }
    for (int64_t i = 0; i < t->n; i++) {
        rest += (v[i] - mean) / (double)t->n;
    }
    s->centre = t->out->constant ? v[0] : mean + rest;
    s->spread = t->out->constant ? 1.0 : standard_deviation(t->n, v, s->centre);
    apply(s, t->n, v);
    return NONSENS_OK;
}

/* ---- results ----------------------------------------------------------------------------------------------- */

/* Writes the results of the i-th row in sorted order, converted from scaled units. */
static void put_row(struct task *t, int64_t i, double mean, double variance, double left_out)
{
    const gp_scaling *s = &t->y_scale;
    int64_t row = t->entry[i].row;
    double unit = unit_of(s);
    t->out->mean[row] = (mean * s->spread + s->centre) / s->factor;
    t->out->residual[row] = (t->sorted_y[i] - mean) * unit;
    t->out->variance[row] = variance * unit * unit;
    if (t->out->left_out) {
        t->out->left_out[row] = left_out * unit;
    }
}

/* Returns the log likelihood of n standardised numbers that are all noise. */
static double noise_likelihood(const struct task *t)
{
    return -0.5 * (double)t->n * (LOG_2_PI + 1.0);
}

static void put_mean(struct task *t)
{
    gp_fit *out = t->out;
    double unit = unit_of(&t->y_scale), others = t->n > 1 ? (double)t->n / (double)(t->n - 1) : 1.0;
    for (int64_t i = 0; i < t->n; i++) {
        put_row(t, i, 0.0, 0.0, t->sorted_y[i] * others); // without row i the mean is -y_i / (n - 1)
    }
    out->all_noise = !out->constant;
    out->form = out->constant ? "constant" : "noise";
    out->noise = out->constant ? 0.0 : unit * unit;
    out->log_likelihood = out->constant ? 0.0 : noise_likelihood(t) - (double)t->n * log(unit);
    out->converged = true;
}

/*
 * Returns true if the signal raised the likelihood by less than it costs: one per hyper-parameter, and more for short
 * lengths, which can fit noise.  A function that changes 1/length times over the middle half of the rows has that many
 * chances to follow noise.  They cost log(1/length), if positive, per length.
 */
static bool is_not_worth(const struct task *t, double likelihood, int64_t lengths, const double *log_length)
{
    double cost = (double)(1 + lengths);
    for (int64_t j = 0; j < lengths; j++) {
        cost += fmax(-log_length[j], 0.0);
    }
    return !t->options->held && !t->options->keep_signal && !(likelihood - noise_likelihood(t) > cost);
}

/* Sets theta from the held values: log variance of f, log lengths (used), log variance of the noise. */
static void hold_hyper(const struct task *t, double *theta)
{
    const gp_hyper *h = t->options->held;
    double unit = unit_of(&t->y_scale);
    theta[0] = log(h->signal / unit / unit);
    for (int64_t c = 0; c < t->used; c++) {
        theta[1 + c] = log(h->length[t->column[c]] / unit_of(t->scale + c));
    }
    theta[t->used + 1] = log(h->noise / unit / unit);
}

static void put_hyper(struct task *t, const double *theta, double likelihood)
{
    gp_fit *out = t->out;
    double unit = unit_of(&t->y_scale);
    out->signal = exp(theta[0]) * unit * unit;
    for (int64_t c = 0; c < t->used; c++) {
        out->length[t->column[c]] = exp(theta[1 + c]) * unit_of(t->scale + c);
    }
    out->noise = exp(theta[t->used + 1]) * unit * unit;
    out->log_likelihood = likelihood - (double)t->n * log(unit);
}

/* ---- one regressor ----------------------------------------------------------------------------------------- */

static void put_line(struct task *t, const gp_sequence *q, const gp_smooth *smooth, double noise)
{
    const double *x = t->sorted_x[0];
    for (int64_t i = 0, point = 0; i < t->n; i++) {
        point += x[i] != q->x[point];
        double share = 1.0 - smooth->variance[point] / noise; // 1 - leverage; at least 1/2 if a point has several rows
        double left_out =
            q->count[point] > 1.0 ? (t->sorted_y[i] - smooth->mean[point]) / share : smooth->left_out[point];
        put_row(t, i, smooth->mean[point], smooth->variance[point], left_out);
    }
}

static nonsens_status fit_line(nonsens_context *ctx, arena *scratch, struct task *t)
{
    double theta[GP_LINE_PARAMETERS] = {0};
    gp_climb_result climbed = {.converged = true};
    gp_sequence q;
    gp_smooth smooth;
    gp_track track;
    TRY(gp_sequence_new(ctx, scratch, t->n, t->sorted_x[0], t->sorted_y, &q));
    if (t->options->held) {
        hold_hyper(t, theta);
    } else {
        TRY(gp_line_learn(ctx, scratch, &q, theta, &climbed));
    }
    TRY(gp_track_new(ctx, scratch, &q, &track));
    double likelihood = t->options->held ? gp_line_likelihood(&track, theta, NULL, NULL) : -climbed.value;
    t->out->iterations = climbed.iterations;
    if (is_not_worth(t, likelihood, 1, theta + 1)) {
        put_mean(t);
        return NONSENS_OK;
    }
    t->out->converged = climbed.converged;
    ARENA_TRY(ctx, scratch, smooth.mean, q.n);
    ARENA_TRY(ctx, scratch, smooth.variance, q.n);
    ARENA_TRY(ctx, scratch, smooth.left_out, q.n);
    gp_line_smooth(&track, theta, &smooth);
    put_line(t, &q, &smooth, exp(theta[2]));
    t->out->form = "state space";
    put_hyper(t, theta, likelihood);
    return NONSENS_OK;
}

/* ---- several regressors ------------------------------------------------------------------------------------ */

static nonsens_status fit_exact(nonsens_context *ctx, arena *scratch, struct task *t, const column_set *x,
                                const double *theta)
{
    gp_exact e;
    double noise = exp(theta[t->used + 1]);
    TRY(gp_exact_new(ctx, scratch, x, t->sorted_y, &e));
    double likelihood = gp_exact_likelihood(&e, theta, NULL);
    if (!isfinite(likelihood)) {
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "Gaussian-process regression: the covariance of the rows is singular; give a larger noise");
    }
    if (is_not_worth(t, likelihood, t->used, theta + 1)) {
        put_mean(t);
        return NONSENS_OK;
    }
    linalg_invert_cholesky(t->n, e.inverse);
    for (int64_t i = 0; i < t->n; i++) {
        double weight = e.inverse[i * (t->n + 1)];
        put_row(t, i, t->sorted_y[i] - noise * e.alpha[i], fmax(noise - noise * noise * weight, 0.0),
                e.alpha[i] / weight);
    }
    t->out->form = "exact";
    put_hyper(t, theta, likelihood);
    return NONSENS_OK;
}

static nonsens_status fit_low_rank(nonsens_context *ctx, arena *scratch, struct task *t, const column_set *x,
                                   const double *theta)
{
    int64_t max_points = t->options->inducing > 0 ? t->options->inducing : INDUCING_MAX;
    int threads = t->options->threads;
    column_set candidates, z;
    gp_reduced reduced;
    gp_row_results rows;
    double bound;
    TRY(gp_spread_rows(ctx, scratch, x, NULL, CANDIDATES, &candidates, NULL));
    TRY(gp_choose_inducing(ctx, scratch, &candidates, theta, max_points, &z));
    TRY(gp_reduced_fit(ctx, scratch, threads, x, t->sorted_y, &z, theta, &reduced, &bound));
    if (is_not_worth(t, bound, t->used, theta + 1)) {
        put_mean(t);
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, scratch, rows.mean, t->n);
    ARENA_TRY(ctx, scratch, rows.variance, t->n);
    ARENA_TRY(ctx, scratch, rows.leverage, t->n);
    TRY(gp_reduced_predict(ctx, threads, &reduced, x, &rows));
    for (int64_t i = 0; i < t->n; i++) {
        double rest = t->sorted_y[i] - rows.mean[i], share = fmax(1.0 - rows.leverage[i], GP_MIN_NOISE);
        put_row(t, i, rows.mean[i], rows.variance[i], rest / share);
    }
    t->out->form = "low rank";
    put_hyper(t, theta, bound);
    return NONSENS_OK;
}

static nonsens_status fit_several(nonsens_context *ctx, arena *scratch, struct task *t)
{
    gp_climb_result climbed = {.converged = true};
    column_set x = {t->n, t->used, (const double *const *)t->sorted_x};
    bool exact = t->n <= (t->options->exact_max > 0 ? t->options->exact_max : EXACT_MAX);
    double *theta;
    ARENA_TRY(ctx, scratch, theta, t->used + 2);
    if (t->options->held) {
        hold_hyper(t, theta);
    } else {
        TRY(gp_several_learn(ctx, scratch, &x, t->sorted_y, exact, theta, &climbed));
    }
    t->out->iterations = climbed.iterations;
    t->out->converged = climbed.converged;
    return (exact ? fit_exact : fit_low_rank)(ctx, scratch, t, &x, theta);
}

/* ---- the call ---------------------------------------------------------------------------------------------- */

nonsens_status gp_regress(nonsens_context *ctx, arena *keep, arena *scratch, const column_set *x, const double *y,
                          const gp_options *options, gp_fit *out)
{
    struct task t = {.n = x->n, .x = x, .y = y, .options = options, .out = out};
    *out = (gp_fit){0};
    TRY(check_options(ctx, x, options));
    for (int64_t j = 0; j < x->d; j++) {
        TRY(check_column(ctx, x->n, x->v[j]));
    }
    TRY(check_column(ctx, x->n, y));
    ARENA_TRY(ctx, keep, out->mean, x->n);
    ARENA_TRY(ctx, keep, out->variance, x->n);
    ARENA_TRY(ctx, keep, out->residual, x->n);
    ARENA_TRY(ctx, keep, out->length, x->d);
    if (options->leave_one_out) {
        ARENA_TRY(ctx, keep, out->left_out, x->n);
    }
    TRY(sort_rows(ctx, scratch, &t));
    TRY(scale_response(ctx, scratch, &t));
    TRY(scale_regressors(ctx, scratch, &t));
    if (out->constant || t.used == 0) {
        put_mean(&t);
        return NONSENS_OK;
    }
    return (t.used == 1 ? fit_line : fit_several)(ctx, scratch, &t);
}
