/*
 * explain_change.c - tests for a change given the causes, and measures how large it is.
 *
 * Test: the generalised covariance measure (Shah and Peters, "The hardness of conditional independence testing and the
 * generalised covariance measure", Annals of Statistics 48, 2020) between the group and four functions of the variable,
 * both minus their regressions on the causes.  It is valid if either of the two regressions is right and, by the
 * product of their errors, if both are nearly so.
 *
 * Divergence: log p_in / p_out as a logistic regression on functions of the variable's rank, whose means differ by
 * delta: beta'delta, with beta from rows of other folds, so no change gives about zero.
 */
#include "tasks/explain/explain_change.h"

#include "math/linalg.h"
#include "math/sort.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

enum { FEATURES = 4, SIZE = FEATURES + 1, MAX_STEPS = 50, MIN_ROWS = 10 };

static const double SLOPE_RIDGE = 0.05; /* pulls the slopes to zero as much as one more row would */
static const double JITTER = 1e-9;
static const double MIN_OVERLAP = 0.1;     /* share of the variance of the group that the causes must leave */
static const double MIN_PROPENSITY = 0.05; /* as a share of the group's share of the rows */

nonsens_status explain_groups_new(nonsens_context *ctx, arena *a, const mechanism_data *rows, const int8_t *in,
                                  explain_groups *out)
{
    *out = (explain_groups){.rows = rows, .folds = rows->folds};
    ARENA_TRY(ctx, a, out->place, rows->n);
    ARENA_TRY(ctx, a, out->in, rows->n);
    for (int64_t k = 0; k < rows->folds; k++) {
        out->block[k] = out->n;
        for (int64_t i = rows->block[k]; i < rows->block[k + 1]; i++) {
            int8_t group = in[rows->segment[i]];
            if (group >= 0) {
                out->count[group]++;
                out->in[out->n] = group;
                out->place[out->n++] = i;
            }
        }
    }
    out->block[rows->folds] = out->n;
    return NONSENS_OK;
}

/* ---- ranks ------------------------------------------------------------------------------------------------------ */

/* Computes u (n) in (0, 1): the share of rows below, plus half of the ties; each group has half of the total weight. */
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

/* Computes Legendre polynomials of the rank, of variance 1 if it is uniform: location, scale, and two of shape. */
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

/* ---- test ------------------------------------------------------------------------------------------------------- */

/* Hotelling's test that the products of residuals have mean 0; the smaller group gives the degrees of freedom. */
static nonsens_status test(nonsens_context *ctx, const explain_groups *g, const double *residual, double *p_value)
{
    enum { K = EXPLAIN_SCORES };
    double mean[K] = {0}, cov[K * K] = {0}, trace = 0.0, n = (double)g->n;
    const double *in = residual, *score = residual + g->n;
    for (int64_t i = 0; i < g->n; i++) {
        for (int k = 0; k < K; k++) {
            mean[k] += in[i] * score[k * g->n + i] / n;
        }
    }
    for (int64_t i = 0; i < g->n; i++) {
        double at[K];
        for (int k = 0; k < K; k++) {
            at[k] = in[i] * score[k * g->n + i] - mean[k];
        }
        for (int k = 0; k < K * K; k++) {
            cov[k] += at[k / K] * at[k % K] / (n - 1.0);
        }
    }
    for (int k = 0; k < K; k++) {
        trace += cov[k * (K + 1)];
    }
    if (!(trace > 0.0)) {
        *p_value = NAN;
        return NONSENS_OK;
    }
    for (int k = 0; k < K; k++) {
        cov[k * (K + 1)] += JITTER * trace;
    }
    TRY(linalg_cholesky(ctx, K, cov));
    linalg_solve_lower(false, K, 1, cov, K, mean, K);
    double fewer = (double)(g->count[0] < g->count[1] ? g->count[0] : g->count[1]), degrees = fewer - (double)K;
    *p_value = special_f_tail(K, degrees, n * linalg_dot(K, mean, mean) * degrees / ((fewer - 1.0) * (double)K));
    return NONSENS_OK;
}

double explain_min_p(int64_t count, int64_t other)
{
    double fewer = (double)(count < other ? count : other), more = (double)(count < other ? other : count);
    double degrees = fewer - (double)EXPLAIN_SCORES;
    if (!(degrees > 0.0)) {
        return 1.0;
    }
    return special_f_tail(EXPLAIN_SCORES, degrees,
                          fewer * (fewer + more) / more * degrees / ((fewer - 1.0) * (double)EXPLAIN_SCORES));
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

/* Minus the penalised log likelihood of all rows except from .. to - 1, its gradient and, unless NULL, its Hessian. */
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

/* Computes the mean logit in the segment minus that outside, each row by a regression without its fold. */
static nonsens_status cross_fit(nonsens_context *ctx, const contrast *c, double *value)
{
    double all = 0.0, factor[SIZE * SIZE], theta[SIZE], weight[2], sum[2];
    *value = 0.0;
    for (int64_t k = 0; k < c->g->folds; k++) {
        int64_t from = c->g->block[k], to = c->g->block[k + 1];
        TRY(fit(ctx, c, from, to, theta, factor));
        sum_logits(c, theta, from, to, weight, sum);
        if (weight[0] > 0.0 && weight[1] > 0.0) {
            double both = weight[0] * weight[1] / (weight[0] + weight[1]);
            *value += both * (sum[1] / weight[1] - sum[0] / weight[0]);
            all += both;
        }
    }
    *value = all > 0.0 ? *value / all : NAN;
    return NONSENS_OK;
}

/*
 * Computes the standard error from the influence of each row on beta'delta: through the means, and through beta.  Near
 * no change both vanish and the variance of delta' S^-1 delta remains, 2 FEATURES (1/n_0 + 1/n_1)^2.
 */
static nonsens_status row_error(nonsens_context *ctx, const contrast *c, const double effective[2], double *error)
{
    double theta[SIZE], factor[SIZE * SIZE], mean[2][SIZE] = {{0}}, pull[SIZE], square = 0.0;
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
        double influence =
            (group ? 1.0 : -1.0) * (logit - centre[group]) / c->total + (c->g->in[i] - p) * predict(c, pull, i);
        square += c->weight[i] * c->weight[i] * influence * influence;
    }
    double folds = (double)c->g->folds, a = 1.0 / effective[0] + 1.0 / effective[1];
    *error = sqrt(square + 2.0 * FEATURES * a * a * folds / (folds - 1.0));
    return NONSENS_OK;
}

/*
 * Sets weights that give the causes the same distribution in both groups: a row counts by how likely it would be in the
 * other group.
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
    double median, median_error; /* by the order statistics one standard error away */
    double abs_deviation;        /* mean absolute deviation from the median */
    double abs_deviation_error;  /* standard error of its logarithm */
} spread;

/* The median and mean absolute deviation of a group; entry (n): all rows by value. */
static spread spread_of(const contrast *c, const sort_entry *entry, const double *v, int group, double effective)
{
    const double at[3] = {0.5 - 0.5 / sqrt(effective), 0.5, 0.5 + 0.5 / sqrt(effective)};
    double quantile[3] = {0}, below = 0.0, square = 0.0;
    spread s = {0};
    int found = 0;
    for (int64_t i = 0; i < c->g->n; i++) {
        int64_t row = entry[i].row;
        if (c->g->in[row] == group) {
            below += c->weight[row] / c->total;
            while (found < 3 && below >= at[found]) {
                quantile[found++] = v[row];
            }
        }
    }
    s.median = quantile[1];
    s.median_error = 0.5 * (quantile[2] - quantile[0]);
    for (int64_t i = 0; i < c->g->n; i++) {
        s.abs_deviation += c->g->in[i] == group ? c->weight[i] / c->total * fabs(v[i] - s.median) : 0.0;
    }
    for (int64_t i = 0; i < c->g->n; i++) {
        double w = c->weight[i] / c->total;
        double over = s.abs_deviation > 0.0 ? fabs(v[i] - s.median) / s.abs_deviation - 1.0 : 0.0; // constant: no error
        square += c->g->in[i] == group ? w * w * over * over : 0.0;
    }
    s.abs_deviation_error = sqrt(square);
    return s;
}

static nonsens_status compare_spreads(nonsens_context *ctx, arena *scratch, const contrast *c, const double *v,
                                      const double effective[2], explain_change *out)
{
    sort_entry *entry, *spare;
    ARENA_TRY(ctx, scratch, entry, c->g->n);
    ARENA_TRY(ctx, scratch, spare, c->g->n);
    sort_column(v, c->g->n, entry, spare);
    spread outside = spread_of(c, entry, v, 0, effective[0]), inside = spread_of(c, entry, v, 1, effective[1]);
    double pooled = 0.5 * (outside.abs_deviation + inside.abs_deviation);
    out->scale = log(inside.abs_deviation / outside.abs_deviation);
    out->scale_error = hypot(inside.abs_deviation_error, outside.abs_deviation_error);
    out->shift = (inside.median - outside.median) / pooled;
    out->shift_error = hypot(inside.median_error, outside.median_error) / pooled;
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
    double share = (double)g->count[1] / (double)g->n; // the causes may explain almost all of the group's variance
    out->apart = linalg_dot(g->n, residual, residual) < MIN_OVERLAP * (double)g->n * share * (1.0 - share);
    if (out->apart) {
        return NONSENS_OK;
    }
    TRY(test(ctx, g, residual, &out->p_value));
    weigh(g, residual, &c, effective);
    fill_features(&c, u, t);
    TRY(cross_fit(ctx, &c, &out->value));
    TRY(row_error(ctx, &c, effective, &out->error));
    return compare_spreads(ctx, scratch, &c, t, effective, out);
}
