/*
 * explain_change.c - measures how large a change given the causes is.
 *
 * Divergence: log p_in / p_out is a logistic regression on functions of the variable and its rank, whose means differ
 * by delta between the groups.  The divergence is beta'delta, with beta from rows of other folds, so that it is about
 * zero without a change.  With blocks of neighbouring rows, estimates are the same, and variances of sums are those of
 * sums over blocks (explain_groups.c).
 */
#include "tasks/explain/explain_change.h"

#include "math/linalg.h"
#include "math/sort.h"

#include <math.h>
#include <string.h>

enum { FEATURES = 4, SIZE = FEATURES + 1, MAX_STEPS = 50, MIN_ROWS = 10 };

static const double SLOPE_RIDGE = 0.05; /* pulls the slopes to zero as much as one more row would */
static const double JITTER = 1e-9;
static const double MIN_OVERLAP = 0.1;     /* share of the group's variance that the causes must leave unexplained */
static const double MIN_PROPENSITY = 0.05; /* as a share of the group's share of the rows */

/* ---- ranks ------------------------------------------------------------------------------------------------------ */

/* Computes u (n) in (0, 1): the share of smaller values plus half of the ties; each group has half of the weight. */
static nonsens_status rank(nonsens_context *ctx, arena *scratch, const explain_groups *g, const double *v, double *u)
{
    sort_entry *entry, *spare;
    double below = 0.0, each[2] = {0.5 / (double)g->count[0], 0.5 / (double)g->count[1]};
    ARENA_TRY(ctx, scratch, entry, g->n);
    ARENA_TRY(ctx, scratch, spare, g->n);
    sort_column(v, g->n, entry, spare);
    for (int64_t i = 0; i < g->n;) {
        int64_t end = i;
        double mass = 0.0;
        while (end < g->n && entry[end].key == entry[i].key) {
            mass += each[g->in[entry[end++].row] > 0.0];
        }
        for (; i < end; i++) {
            u[entry[i].row] = below + 0.5 * mass;
        }
        below += mass;
    }
    return NONSENS_OK;
}

/* Computes Legendre polynomials of the rank, of variance 1 if ranks are uniform: location, scale, and two of shape. */
static void fill_scores(const explain_groups *g, const double *u, double *score)
{
    for (int64_t i = 0; i < g->n; i++) {
        double x = 2.0 * u[i] - 1.0, x2 = x * x;
        score[i] = sqrt(3.0) * x;
        score[g->n + i] = sqrt(5.0) * 0.5 * (3.0 * x2 - 1.0);
        score[2 * g->n + i] = sqrt(7.0) * 0.5 * x * (5.0 * x2 - 3.0);
        score[3 * g->n + i] = 3.0 * 0.125 * (35.0 * x2 * x2 - 30.0 * x2 + 3.0);
    }
}

/* ---- divergence ------------------------------------------------------------------------------------------------- */

/* A logistic regression of the group; feature[0] is 1.  Weights add up to `total` in each group. */
typedef struct contrast {
    const explain_groups *g;
    double *feature; /* (n, SIZE) row by row */
    double *weight;  /* (n) */
    double total;
} contrast;

static double predict(const contrast *c, const double *theta, int64_t row)
{
    return linalg_dot(SIZE, theta, c->feature + row * SIZE);
}

/* Returns minus the penalised log likelihood of all rows but from .. to - 1; its gradient and, unless NULL, Hessian. */
static double objective(const contrast *c, const double *theta, int64_t from, int64_t to, double *gradient,
                        double *hessian)
{
    double value = 0.0;
    for (int k = 1; k < SIZE; k++) {
        value += 0.5 * SLOPE_RIDGE * theta[k] * theta[k];
        gradient[k] = SLOPE_RIDGE * theta[k];
    }
    gradient[0] = 0.0;
    for (int k = 0; hessian && k < SIZE * SIZE; k++) {
        hessian[k] = k % (SIZE + 1) == 0 && k > 0 ? SLOPE_RIDGE : 0.0;
    }
    for (int64_t i = 0; i < c->g->n; i++) {
        if (i == from && from < to) {
            i = to - 1;
            continue;
        }
        const double *x = c->feature + i * SIZE;
        double logit = predict(c, theta, i), in = c->g->in[i], w = c->weight[i];
        double p = 1.0 / (1.0 + exp(-logit));
        value += w * (fmax(logit, 0.0) + log1p(exp(-fabs(logit))) - in * logit);
        for (int k = 0; k < SIZE; k++) {
            gradient[k] += w * (p - in) * x[k];
        }
        for (int k = 0; hessian && k < SIZE * SIZE; k++) {
            hessian[k] += w * p * (1.0 - p) * x[k / SIZE] * x[k % SIZE];
        }
    }
    return value;
}

/* Fits theta (SIZE) by Newton's method with halved steps; factor is the Cholesky factor of the Hessian. */
static nonsens_status fit(nonsens_context *ctx, const contrast *c, int64_t from, int64_t to, double *theta,
                          double *factor)
{
    static const double ENOUGH = 1e-10; /* nats */
    double gradient[SIZE], step[SIZE], tried[SIZE], unused[SIZE], decrement = 1.0;
    memset(theta, 0, SIZE * sizeof *theta);
    for (int it = 0; it < MAX_STEPS && decrement > ENOUGH; it++) {
        double value = objective(c, theta, from, to, gradient, factor), length = 1.0;
        memcpy(step, gradient, sizeof step);
        TRY(linalg_cholesky(ctx, SIZE, factor));
        linalg_solve_lower(false, SIZE, 1, factor, SIZE, step, SIZE);
        linalg_solve_lower(true, SIZE, 1, factor, SIZE, step, SIZE);
        decrement = linalg_dot(SIZE, gradient, step);
        for (int halved = 0; halved < 30; halved++, length *= 0.5) {
            for (int k = 0; k < SIZE; k++) {
                tried[k] = theta[k] - length * step[k];
            }
            if (objective(c, tried, from, to, unused, NULL) <= value) {
                memcpy(theta, tried, sizeof tried);
                break;
            }
        }
    }
    return NONSENS_OK;
}

/* Features are T, |T|, 2u - 1 and its square, u the rank of the variable; each has weighted mean 0 and variance 1. */
static void fill_features(contrast *c, const double *u, const double *t)
{
    int64_t n = c->g->n;
    double mean[SIZE] = {0}, square[SIZE] = {0};
    for (int64_t i = 0; i < n; i++) {
        double *x = c->feature + i * SIZE, at = 2.0 * u[i] - 1.0;
        x[0] = 1.0;
        x[1] = t[i];
        x[2] = fabs(t[i]);
        x[3] = at;
        x[4] = at * at;
        for (int k = 1; k < SIZE; k++) {
            mean[k] += c->weight[i] * x[k] / (2.0 * c->total);
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int k = 1; k < SIZE; k++) {
            double *x = c->feature + i * SIZE + k;
            *x -= mean[k];
            square[k] += c->weight[i] * *x * *x / (2.0 * c->total);
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int k = 1; k < SIZE; k++) {
            c->feature[i * SIZE + k] *= square[k] > 0.0 ? 1.0 / sqrt(square[k]) : 0.0;
        }
    }
}

/* Sums the weights and the weighted logits of rows from .. to - 1, by group. */
static void sum_logits(const contrast *c, const double *theta, int64_t from, int64_t to, double weight[2],
                       double sum[2])
{
    weight[0] = weight[1] = sum[0] = sum[1] = 0.0;
    for (int64_t i = from; i < to; i++) {
        int group = c->g->in[i] > 0.0;
        weight[group] += c->weight[i];
        sum[group] += c->weight[i] * predict(c, theta, i);
    }
}

/*
 * Computes the mean logit in the segment minus that outside, each row by a regression without its fold.  With blocks a
 * fold may have rows of one group only: intercepts would not cancel and are left out.
 */
static nonsens_status cross_fit(nonsens_context *ctx, const contrast *c, double *value)
{
    double all = 0.0, factor[SIZE * SIZE], theta[SIZE], weight[2], sum[2];
    *value = 0.0;
    for (int64_t k = 0; k < c->g->folds; k++) {
        int64_t from = c->g->block[k], to = c->g->block[k + 1];
        TRY(fit(ctx, c, from, to, theta, factor));
        sum_logits(c, theta, from, to, weight, sum);
        if (c->g->block_of) {
            *value += (sum[1] - sum[0] - theta[0] * (weight[1] - weight[0])) / c->total;
            all = 1.0;
        } else if (weight[0] > 0.0 && weight[1] > 0.0) {
            double both = weight[0] * weight[1] / (weight[0] + weight[1]);
            *value += both * (sum[1] / weight[1] - sum[0] / weight[0]);
            all += both;
        }
    }
    *value = all > 0.0 ? *value / all : NAN;
    return NONSENS_OK;
}

/* Computes the trace of (S^-1 V)^2 for dependent rows; S: covariance of the features, V: that of delta. */
static nonsens_status trace_by_blocks(nonsens_context *ctx, arena *scratch, const contrast *c, double *trace)
{
    enum { K = FEATURES };
    double *part, factor[K * K] = {0}, covariance[2 * K * K]; // (n, K) row by row: each row's term in delta
    ARENA_TRY(ctx, scratch, part, c->g->n * K);
    for (int64_t i = 0; i < c->g->n; i++) {
        const double *x = c->feature + i * SIZE + 1;
        for (int k = 0; k < K * K; k++) {
            factor[k] += c->weight[i] * x[k / K] * x[k % K] / (2.0 * c->total);
        }
        for (int k = 0; k < K; k++) {
            part[i * K + k] = (c->g->in[i] > 0.0 ? 1.0 : -1.0) * c->weight[i] / c->total * x[k];
        }
    }
    for (int k = 0; k < K; k++) {
        factor[k * (K + 1)] += JITTER;
    }
    TRY(linalg_cholesky(ctx, K, factor));
    linalg_solve_lower(false, K, c->g->n, factor, K, part, K);
    TRY(explain_covariances(ctx, scratch, c->g, K, part, covariance));
    *trace = explain_square_trace(K, covariance);
    return NONSENS_OK;
}

/*
 * Sets *square to the sum of squares of weighted influence (n) or, with blocks, of its sums over blocks; *null is the
 * trace of (S^-1 V)^2, which is FEATURES (1/n_0 + 1/n_1)^2 for independent rows.
 */
static nonsens_status add_squares(nonsens_context *ctx, arena *scratch, const contrast *c, const double effective[2],
                                  double *influence, double *square, double *null)
{
    double a = 1.0 / effective[0] + 1.0 / effective[1];
    *square = 0.0;
    *null = FEATURES * a * a;
    for (int64_t i = 0; i < c->g->n; i++) {
        *square += c->weight[i] * c->weight[i] * influence[i] * influence[i];
        influence[i] *= c->weight[i];
    }
    if (!c->g->block_of) {
        return NONSENS_OK;
    }
    TRY(explain_variance(ctx, scratch, c->g, influence, square));
    return trace_by_blocks(ctx, scratch, c, null);
}

/*
 * Computes the standard error from the influence of each row on beta'delta, through the means and through beta.  If
 * there is hardly a change, both vanish and the variance of delta' S^-1 delta remains, 2 tr (S^-1 V)^2.
 */
static nonsens_status row_error(nonsens_context *ctx, arena *scratch, const contrast *c, const double effective[2],
                                double *error)
{
    double theta[SIZE], factor[SIZE * SIZE], mean[2][SIZE] = {{0}}, pull[SIZE], *influence, square, null;
    ARENA_TRY(ctx, scratch, influence, c->g->n);
    TRY(fit(ctx, c, -1, -1, theta, factor));
    for (int64_t i = 0; i < c->g->n; i++) {
        for (int k = 0; k < SIZE; k++) {
            mean[c->g->in[i] > 0.0][k] += c->weight[i] / c->total * c->feature[i * SIZE + k];
        }
    }
    for (int k = 0; k < SIZE; k++) {
        pull[k] = mean[1][k] - mean[0][k];
    }
    linalg_solve_lower(false, SIZE, 1, factor, SIZE, pull, SIZE);
    linalg_solve_lower(true, SIZE, 1, factor, SIZE, pull, SIZE);
    double centre[2] = {linalg_dot(SIZE, theta, mean[0]), linalg_dot(SIZE, theta, mean[1])};
    for (int64_t i = 0; i < c->g->n; i++) {
        int group = c->g->in[i] > 0.0;
        double logit = predict(c, theta, i), p = 1.0 / (1.0 + exp(-logit));
        influence[i] =
            (group ? 1.0 : -1.0) * (logit - centre[group]) / c->total + (c->g->in[i] - p) * predict(c, pull, i);
    }
    TRY(add_squares(ctx, scratch, c, effective, influence, &square, &null));
    double folds = (double)c->g->folds;
    *error = sqrt(square + 2.0 * null * folds / (folds - 1.0));
    return NONSENS_OK;
}

/*
 * Sets weights that give the causes the same distribution in both groups: a row's weight is the probability that it
 * would be in the other group, given its causes.
 */
static void weigh(const explain_groups *g, const double *in_residual, contrast *c, double effective[2])
{
    double sum[2] = {0}, square[2] = {0}, share = (double)g->count[1] / (double)g->n;
    double low = MIN_PROPENSITY * share, high = 1.0 - MIN_PROPENSITY * (1.0 - share);
    for (int64_t i = 0; i < g->n; i++) {
        double propensity = fmin(fmax(g->in[i] - in_residual[i], low), high);
        int group = g->in[i] > 0.0;
        c->weight[i] = group ? 1.0 - propensity : propensity;
        sum[group] += c->weight[i];
        square[group] += c->weight[i] * c->weight[i];
    }
    for (int k = 0; k < 2; k++) {
        effective[k] = sum[k] * sum[k] / square[k];
    }
    c->total = effective[0] * effective[1] / (effective[0] + effective[1]);
    for (int64_t i = 0; i < g->n; i++) {
        c->weight[i] *= c->total / sum[g->in[i] > 0.0];
    }
}

/* ---- location and scale ----------------------------------------------------------------------------------------- */

typedef struct spread {
    double median, median_error; /* error by the order statistics one standard error away */
    double abs_deviation;        /* mean absolute deviation from the median */
    double abs_deviation_error;  /* standard error of its logarithm */
} spread;

/* Returns the value below which a group has the share `at` of its weight; entry (n): all rows, sorted by value. */
static double quantile_of(const contrast *c, const sort_entry *entry, const double *v, int group, double at)
{
    double below = 0.0;
    for (int64_t i = 0; i < c->g->n; i++) {
        int64_t row = entry[i].row;
        if (c->g->in[row] == group) {
            below += c->weight[row] / c->total;
            if (below >= at) {
                return v[row];
            }
        }
    }
    return 0.0;
}

/* Computes how many independent rows would give the median of a group the same error; part (n) is scratch. */
static nonsens_status count_effective(nonsens_context *ctx, arena *scratch, const contrast *c, const double *v,
                                      int group, double median, double *part, double *effective)
{
    static const double MIN_EFFECTIVE = 2.0; /* so that quantiles one standard error away exist */
    double variance;
    for (int64_t i = 0; i < c->g->n; i++) {
        double above = v[i] > median ? 0.5 : v[i] < median ? -0.5 : 0.0;
        part[i] = c->g->in[i] == group ? c->weight[i] / c->total * above : 0.0;
    }
    TRY(explain_variance(ctx, scratch, c->g, part, &variance));
    *effective = variance > 0.0 ? fmax(0.25 / variance, MIN_EFFECTIVE) : *effective;
    return NONSENS_OK;
}

/* Computes the median and mean absolute deviation of a group; entry (n): all rows, sorted by value. */
static nonsens_status spread_of(nonsens_context *ctx, arena *scratch, const contrast *c, const sort_entry *entry,
                                const double *v, int group, double effective, spread *s)
{
    double *part, square = 0.0; // (n) each row's term in the relative error of abs_deviation
    ARENA_TRY(ctx, scratch, part, c->g->n);
    *s = (spread){.median = quantile_of(c, entry, v, group, 0.5)};
    if (c->g->block_of) {
        TRY(count_effective(ctx, scratch, c, v, group, s->median, part, &effective));
    }
    double away = 0.5 / sqrt(effective);
    s->median_error = 0.5 * (quantile_of(c, entry, v, group, 0.5 + away) - quantile_of(c, entry, v, group, 0.5 - away));
    for (int64_t i = 0; i < c->g->n; i++) {
        s->abs_deviation += c->g->in[i] == group ? c->weight[i] / c->total * fabs(v[i] - s->median) : 0.0;
    }
    for (int64_t i = 0; i < c->g->n; i++) {
        double w = c->weight[i] / c->total;
        double over = s->abs_deviation > 0.0 ? fabs(v[i] - s->median) / s->abs_deviation - 1.0 : 0.0; // 0 if constant
        part[i] = c->g->in[i] == group ? w * over : 0.0;
        square += c->g->in[i] == group ? w * w * over * over : 0.0;
    }
    if (c->g->block_of) {
        TRY(explain_variance(ctx, scratch, c->g, part, &square));
    }
    s->abs_deviation_error = sqrt(square);
    return NONSENS_OK;
}

static nonsens_status compare_spreads(nonsens_context *ctx, arena *scratch, const contrast *c, const double *v,
                                      const double effective[2], explain_change *out)
{
    sort_entry *entry, *spare;
    spread of[2];
    ARENA_TRY(ctx, scratch, entry, c->g->n);
    ARENA_TRY(ctx, scratch, spare, c->g->n);
    sort_column(v, c->g->n, entry, spare);
    for (int k = 0; k < 2; k++) {
        TRY(spread_of(ctx, scratch, c, entry, v, k, effective[k], &of[k]));
    }
    double pooled = 0.5 * (of[0].abs_deviation + of[1].abs_deviation);
    out->scale = log(of[1].abs_deviation / of[0].abs_deviation);
    out->scale_error = hypot(of[1].abs_deviation_error, of[0].abs_deviation_error);
    out->shift = (of[1].median - of[0].median) / pooled;
    out->shift_error = hypot(of[1].median_error, of[0].median_error) / pooled;
    return NONSENS_OK;
}

/* ---- the measurement -------------------------------------------------------------------------------------------- */

nonsens_status explain_measure(nonsens_context *ctx, arena *scratch, const explain_groups *g, int64_t causes,
                               const int64_t *cause, const double *v, const double *t, explain_change *out)
{
    contrast c = {.g = g};
    double *u, *response, *residual, effective[2];
    *out = (explain_change){NAN, NAN, NAN, NAN, NAN, NAN, NAN, false};
    if (g->count[0] < MIN_ROWS || g->count[1] < MIN_ROWS) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, scratch, u, g->n);
    ARENA_TRY(ctx, scratch, response, EXPLAIN_RESPONSES * g->n);
    ARENA_TRY(ctx, scratch, residual, EXPLAIN_RESPONSES * g->n);
    ARENA_TRY(ctx, scratch, c.feature, g->n * SIZE);
    ARENA_TRY(ctx, scratch, c.weight, g->n);
    TRY(rank(ctx, scratch, g, v, u));
    memcpy(response, g->in, (size_t)g->n * sizeof *response);
    fill_scores(g, u, response + g->n);
    TRY(explain_regress(ctx, scratch, g, causes, cause, response, residual));
    double share = (double)g->count[1] / (double)g->n; // the causes may explain nearly all of the group's variance
    out->apart = linalg_dot(g->n, residual, residual) < MIN_OVERLAP * (double)g->n * share * (1.0 - share);
    if (out->apart) {
        return NONSENS_OK;
    }
    TRY(explain_test(ctx, scratch, g, residual, &out->p_value));
    weigh(g, residual, &c, effective);
    fill_features(&c, u, t);
    TRY(cross_fit(ctx, &c, &out->value));
    TRY(row_error(ctx, scratch, &c, effective, &out->error));
    TRY(compare_spreads(ctx, scratch, &c, t, effective, out));
    if (g->too_few) {
        out->error = out->scale_error = out->shift_error = NAN;
    }
    return NONSENS_OK;
}
