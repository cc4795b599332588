/*
 * gp.c - Gaussian-process regression from the caller's rows to the caller's units; the forms are in the other files.
 *
 * Rows are sorted by all their values first, so that no sum depends on the order in which they came.  A column is
 * centred at its median and divided by its interquartile range (its standard deviation where half of the rows are
 * equal): far outliers do not squeeze the others into one place, and new rows are scaled by the same few numbers.
 */
#include "regress/gp.h"

#include "math/column.h"
#include "math/sort.h"
#include "regress/gp_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double LOG_2_PI = 1.8378770664093454836;

/* z = (v * factor - centre) / spread; factor is a power of two that keeps huge columns finite. */
typedef struct scaling {
    double factor, centre, spread;
} scaling;

enum form { FORM_MEAN, FORM_LINE };

struct gp_model {
    enum form form;
    int64_t columns, used; /* given, and left after constant ones */
    int64_t *column;       // (used)
    scaling *x;            // (used)
    scaling y;
    enum gp_kernel kernel;
    gp_sequence q; /* one regressor */
    double theta[GP_LINE_PARAMETERS];
};

/* A fit on its way. */
struct task {
    int64_t n;
    const column_set *x;
    const double *y;
    const gp_options *options;
    sort_entry *entry; // (n) rows in order of their values
    double *sorted_y;  // (n) scaled
    double **sorted_x; // (used)(n) scaled
    gp_model *model;
    gp_fit *out;
};

static double scale_value(const scaling *s, double v)
{
    return (v * s->factor - s->centre) / s->spread;
}

/* What one scaled unit is in the caller's. */
static double unit_of(const scaling *s)
{
    return s->spread / s->factor;
}

/* ---- checks and order ---------------------------------------------------------------------------------------------
 */

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

static nonsens_status check_columns(nonsens_context *ctx, const column_set *x)
{
    for (int64_t j = 0; j < x->d; j++) {
        TRY(check_column(ctx, x->n, x->v[j]));
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
        int parts = x->d == 1 ? gp_parts(o->kernel) : 1;
        good = is_positive(o->held->noise);
        for (int p = 0; p < parts; p++) {
            good = good && is_positive(o->held->signal[p]);
        }
        for (int64_t j = 0; j < (parts > x->d ? parts : x->d); j++) {
            good = good && is_positive(o->held->length[j]);
        }
    }
    if (!good || o->exact_most < 0 || o->inducing < 0) {
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

/* ---- units --------------------------------------------------------------------------------------------------------
 */

/* v (n): in sorted order; its values times a power of two that makes them at most 1. */
static double gather(const struct task *t, const double *from, double *v)
{
    double largest = 0.0;
    for (int64_t i = 0; i < t->n; i++) {
        largest = fmax(largest, fabs(from[i]));
    }
    double factor = column_factor(largest);
    for (int64_t i = 0; i < t->n; i++) {
        v[i] = from[t->entry[i].row] * factor;
    }
    return factor;
}

static bool is_constant(int64_t n, const double *v)
{
    for (int64_t i = 1; i < n; i++) {
        if (v[i] != v[0]) {
            return false;
        }
    }
    return true;
}

/* Mean, and standard deviation around `centre`. */
static double mean_of(int64_t n, const double *v)
{
    double mean = 0.0, rest = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean += (v[i] - mean) / (double)(i + 1);
    }
    for (int64_t i = 0; i < n; i++) {
        rest += (v[i] - mean) / (double)n;
    }
    return mean + rest;
}

static double deviation(int64_t n, const double *v, double centre)
{
    double square = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double from = v[i] - centre;
        square += from / (double)n * from;
    }
    return sqrt(square);
}

static void apply(const scaling *s, int64_t n, double *v)
{
    for (int64_t i = 0; i < n; i++) {
        v[i] = (v[i] - s->centre) / s->spread;
    }
}

/* v (n), not constant, in units of its median and quartiles. */
static nonsens_status scale_regressor(nonsens_context *ctx, arena *scratch, int64_t n, double *v, scaling *s)
{
    double *order;
    arena_mark mark = arena_tell(scratch);
    TRY(sort_copy(ctx, scratch, n, v, &order));
    s->centre = order[n / 2];
    s->spread = order[(3 * n) / 4] - order[n / 4];
    arena_rewind(scratch, mark);
    if (!(s->spread > 0.0)) {
        s->spread = deviation(n, v, s->centre);
    }
    apply(s, n, v);
    return NONSENS_OK;
}

static nonsens_status scale_regressors(nonsens_context *ctx, arena *keep, arena *scratch, struct task *t)
{
    gp_model *m = t->model;
    int64_t d = t->x->d;
    m->columns = d;
    ARENA_TRY(ctx, keep, m->column, d);
    ARENA_TRY(ctx, keep, m->x, d);
    ARENA_TRY(ctx, scratch, t->sorted_x, d);
    for (int64_t j = 0; j < d; j++) {
        double *v;
        ARENA_TRY(ctx, scratch, v, t->n);
        double factor = gather(t, t->x->v[j], v);
        if (is_constant(t->n, v)) {
            continue;
        }
        m->column[m->used] = j;
        m->x[m->used].factor = factor;
        TRY(scale_regressor(ctx, scratch, t->n, v, m->x + m->used));
        t->sorted_x[m->used++] = v;
    }
    return NONSENS_OK;
}

static nonsens_status scale_response(nonsens_context *ctx, arena *scratch, struct task *t)
{
    scaling *s = &t->model->y;
    ARENA_TRY(ctx, scratch, t->sorted_y, t->n);
    s->factor = gather(t, t->y, t->sorted_y);
    t->out->constant = is_constant(t->n, t->sorted_y);
    s->centre = t->out->constant ? t->sorted_y[0] : mean_of(t->n, t->sorted_y);
    s->spread = t->out->constant ? 1.0 : deviation(t->n, t->sorted_y, s->centre);
    apply(s, t->n, t->sorted_y);
    return NONSENS_OK;
}

/* ---- results -------------------------------------------------------------------------------------------------------
 */

static nonsens_status get_results(nonsens_context *ctx, arena *keep, struct task *t)
{
    gp_fit *out = t->out;
    ARENA_TRY(ctx, keep, t->model, 1);
    ARENA_TRY(ctx, keep, out->mean, t->n);
    ARENA_TRY(ctx, keep, out->variance, t->n);
    ARENA_TRY(ctx, keep, out->residual, t->n);
    ARENA_TRY(ctx, keep, out->length, t->x->d > 2 ? t->x->d : 2);
    if (t->options->leave_one_out) {
        ARENA_TRY(ctx, keep, out->left_out, t->n);
    }
    out->model = t->model;
    return NONSENS_OK;
}

/* Results of the i-th row in sorted order, from scaled units. */
static void put_row(struct task *t, int64_t i, double mean, double variance, double left_out)
{
    const scaling *s = &t->model->y;
    int64_t row = t->entry[i].row;
    double unit = unit_of(s);
    t->out->mean[row] = (mean * s->spread + s->centre) / s->factor;
    t->out->residual[row] = (t->sorted_y[i] - mean) * unit;
    t->out->variance[row] = variance * unit * unit;
    if (t->out->left_out) {
        t->out->left_out[row] = left_out * unit;
    }
}

/* Log likelihood of n standardised numbers that are all noise. */
static double noise_likelihood(const struct task *t)
{
    return -0.5 * (double)t->n * (LOG_2_PI + 1.0);
}

static void put_mean(struct task *t)
{
    gp_fit *out = t->out;
    double unit = unit_of(&t->model->y), others = t->n > 1 ? (double)t->n / (double)(t->n - 1) : 1.0;
    for (int64_t i = 0; i < t->n; i++) {
        put_row(t, i, 0.0, 0.0, t->sorted_y[i] * others); // without row i the mean is -y_i / (n - 1)
    }
    t->model->form = FORM_MEAN;
    out->all_noise = !out->constant;
    out->form = out->constant ? "constant" : "noise";
    out->noise = out->constant ? 0.0 : unit * unit;
    out->log_likelihood = out->constant ? 0.0 : noise_likelihood(t) - (double)t->n * log(unit);
    out->converged = true;
}

/* True if the signal raised the likelihood by less than its hyper-parameters cost. */
static bool is_not_worth(const struct task *t, double likelihood, int64_t hyper_parameters)
{
    return !t->options->held && !(likelihood - noise_likelihood(t) > (double)hyper_parameters);
}

/* ---- one regressor --------------------------------------------------------------------------------------------------
 */

static void hold_line(const struct task *t, double *theta)
{
    const gp_hyper *h = t->options->held;
    int parts = gp_parts(t->options->kernel);
    double unit = unit_of(&t->model->y);
    for (int p = 0; p < parts; p++) {
        theta[p] = log(h->signal[p] / unit / unit);
        theta[parts + p] = log(h->length[t->x->d == 1 ? p : t->model->column[0]] / unit_of(t->model->x));
    }
    theta[2 * parts] = log(h->noise / unit / unit);
}

static void put_line(struct task *t, const gp_smooth *smooth, double noise)
{
    const gp_sequence *q = &t->model->q;
    const double *x = t->sorted_x[0];
    for (int64_t i = 0, point = 0; i < t->n; i++) {
        point += x[i] != q->x[point];
        double share = 1.0 - smooth->variance[point] / noise; // of a row among several at its point: one half or more
        double left_out =
            q->count[point] > 1.0 ? (t->sorted_y[i] - smooth->mean[point]) / share : smooth->left_out[point];
        put_row(t, i, smooth->mean[point], smooth->variance[point], left_out);
    }
}

static void put_line_hyper(struct task *t, double likelihood)
{
    const double *theta = t->model->theta;
    gp_fit *out = t->out;
    int parts = gp_parts(t->options->kernel);
    double unit = unit_of(&t->model->y);
    for (int p = 0; p < parts; p++) {
        out->signal[p] = exp(theta[p]) * unit * unit;
        out->length[t->x->d == 1 ? p : t->model->column[0]] = exp(theta[parts + p]) * unit_of(t->model->x);
    }
    out->noise = exp(theta[2 * parts]) * unit * unit;
    out->log_likelihood = likelihood - (double)t->n * log(unit);
    out->form = "state space";
}

static nonsens_status smooth_get(nonsens_context *ctx, arena *scratch, int64_t n, gp_smooth *s)
{
    ARENA_TRY(ctx, scratch, s->mean, n);
    ARENA_TRY(ctx, scratch, s->variance, n);
    ARENA_TRY(ctx, scratch, s->left_out, n);
    return NONSENS_OK;
}

static nonsens_status fit_line(nonsens_context *ctx, arena *keep, arena *scratch, struct task *t)
{
    gp_model *m = t->model;
    gp_climb_result climbed = {.converged = true};
    gp_smooth smooth;
    gp_track track;
    m->form = FORM_LINE;
    m->kernel = t->options->kernel;
    TRY(gp_sequence_make(ctx, keep, t->n, t->sorted_x[0], t->sorted_y, &m->q));
    if (t->options->held) {
        hold_line(t, m->theta);
    } else {
        TRY(gp_line_learn(ctx, scratch, m->kernel, &m->q, m->theta, &climbed));
    }
    TRY(gp_track_get(ctx, scratch, m->kernel, &m->q, &track));
    TRY(smooth_get(ctx, scratch, m->q.n, &smooth));
    double likelihood = t->options->held ? gp_line_likelihood(&track, m->theta, NULL, NULL) : -climbed.value;
    t->out->iterations = climbed.iterations;
    if (is_not_worth(t, likelihood, 2 * gp_parts(m->kernel))) {
        put_mean(t);
        return NONSENS_OK;
    }
    t->out->converged = climbed.converged;
    gp_line_smooth(&track, m->theta, &smooth);
    put_line(t, &smooth, exp(m->theta[2 * gp_parts(m->kernel)]));
    put_line_hyper(t, likelihood);
    return NONSENS_OK;
}

/* ---- the public calls
 * ------------------------------------------------------------------------------------------------ */

nonsens_status gp_regress(nonsens_context *ctx, arena *keep, arena *scratch, const column_set *x, const double *y,
                          const gp_options *options, gp_fit *out)
{
    struct task t = {.n = x->n, .x = x, .y = y, .options = options, .out = out};
    *out = (gp_fit){0};
    TRY(check_options(ctx, x, options));
    TRY(check_columns(ctx, x));
    TRY(check_column(ctx, x->n, y));
    TRY(get_results(ctx, keep, &t));
    TRY(sort_rows(ctx, scratch, &t));
    TRY(scale_response(ctx, scratch, &t));
    TRY(scale_regressors(ctx, keep, scratch, &t));
    if (out->constant || t.model->used == 0) {
        put_mean(&t);
        return NONSENS_OK;
    }
    if (t.model->used == 1) {
        return fit_line(ctx, keep, scratch, &t);
    }
    return fail(ctx, NONSENS_ERR_USAGE,
                "Gaussian-process regression: several regressors are not supported yet; give one");
}

/* Training points and new ones in one ascending sequence; place (new rows): where each came to lie. */
static nonsens_status merge_new(nonsens_context *ctx, arena *scratch, const gp_sequence *old, int64_t count,
                                const double *x, gp_sequence *q, int64_t *place)
{
    sort_entry *entry, *spare;
    ARENA_TRY(ctx, scratch, entry, count);
    ARENA_TRY(ctx, scratch, spare, count);
    ARENA_TRY(ctx, scratch, q->x, old->n + count);
    ARENA_TRY(ctx, scratch, q->y, old->n + count);
    ARENA_TRY(ctx, scratch, q->count, old->n + count);
    sort_column(x, count, entry, spare);
    for (int64_t i = 0, k = 0; i < old->n || k < count;) {
        double next = k < count ? x[entry[k].row] : INFINITY;
        bool is_old = i < old->n && old->x[i] <= next;
        double at = is_old ? old->x[i] : next;
        q->x[q->n] = at;
        q->y[q->n] = is_old ? old->y[i] : 0.0;
        q->count[q->n] = is_old ? old->count[i] : 0.0;
        for (; k < count && x[entry[k].row] == at; k++) {
            place[entry[k].row] = q->n;
        }
        i += is_old;
        q->n++;
    }
    return NONSENS_OK;
}

static nonsens_status predict_line(nonsens_context *ctx, arena *scratch, const gp_model *m, const column_set *x,
                                   double *mean, double *variance)
{
    gp_sequence q = {0};
    gp_smooth smooth;
    gp_track track;
    int64_t *place;
    double *scaled;
    ARENA_TRY(ctx, scratch, place, x->n);
    ARENA_TRY(ctx, scratch, scaled, x->n);
    for (int64_t i = 0; i < x->n; i++) {
        scaled[i] = scale_value(m->x, x->v[m->column[0]][i]);
    }
    TRY(merge_new(ctx, scratch, &m->q, x->n, scaled, &q, place));
    TRY(gp_track_get(ctx, scratch, m->kernel, &q, &track));
    TRY(smooth_get(ctx, scratch, q.n, &smooth));
    gp_line_smooth(&track, m->theta, &smooth);
    for (int64_t i = 0; i < x->n; i++) {
        mean[i] = smooth.mean[place[i]];
        if (variance) {
            variance[i] = smooth.variance[place[i]];
        }
    }
    return NONSENS_OK;
}

nonsens_status gp_predict(nonsens_context *ctx, arena *scratch, const gp_model *model, const column_set *x,
                          double *mean, double *variance)
{
    arena_mark mark = arena_tell(scratch);
    if (x->d != model->columns) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "Gaussian-process regression: %" PRId64 " columns to predict from, fitted to %" PRId64
                    "; give the same",
                    x->d, model->columns);
    }
    TRY(check_columns(ctx, x));
    memset(mean, 0, (size_t)x->n * sizeof *mean);
    if (variance) {
        memset(variance, 0, (size_t)x->n * sizeof *variance);
    }
    if (model->form == FORM_LINE) {
        TRY(predict_line(ctx, scratch, model, x, mean, variance));
    }
    double unit = unit_of(&model->y);
    for (int64_t i = 0; i < x->n; i++) {
        mean[i] = (mean[i] * model->y.spread + model->y.centre) / model->y.factor;
        if (variance) {
            variance[i] *= unit * unit;
        }
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}
