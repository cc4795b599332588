/*
 * explain_test.c - tests for a change given the causes.
 *
 * The generalised covariance measure (Shah and Peters, "The hardness of conditional independence testing and the
 * generalised covariance measure", Annals of Statistics 48, 2020) between the group and four functions of the variable,
 * both minus their regressions on the causes.  It is valid if either regression is right.  It is also valid if both are
 * nearly right, because only the product of their errors matters.
 */
#include "tasks/explain/explain_change.h"

#include "math/linalg.h"
#include "math/special.h"

#include <math.h>

static const double JITTER = 1e-9;

/* Makes the test for dependent rows; factor: of the covariance of the products, square: Hotelling's statistic. */
static nonsens_status test_by_blocks(nonsens_context *ctx, arena *scratch, const explain_groups *g,
                                     const double *residual, const double *factor, double square, double *p_value)
{
    enum { K = EXPLAIN_SCORES };
    double *product, covariance[2 * K * K]; // (n, K) row by row: their sum has the squared length `square`
    if (g->too_few) {
        *p_value = NAN;
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, scratch, product, g->n * K);
    for (int64_t i = 0; i < g->n * K; i++) {
        product[i] = residual[i / K] * residual[(1 + i % K) * g->n + i / K] / sqrt((double)g->n);
    }
    linalg_solve_lower(false, K, g->n, factor, K, product, K);
    TRY(explain_covariances(ctx, scratch, g, K, product, covariance));
    *p_value = explain_length_tail(g, K, covariance, square);
    return NONSENS_OK;
}

/* Makes Hotelling's test that products of residuals have mean 0; degrees of freedom are those of the smaller group. */
nonsens_status explain_test(nonsens_context *ctx, arena *scratch, const explain_groups *g, const double *residual,
                            double *p_value)
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
    double square = n * linalg_dot(K, mean, mean);
    if (g->block_of) {
        return test_by_blocks(ctx, scratch, g, residual, cov, square, p_value);
    }
    double fewer = (double)(g->count[0] < g->count[1] ? g->count[0] : g->count[1]), degrees = fewer - (double)K;
    *p_value = special_f_tail(K, degrees, square * degrees / ((fewer - 1.0) * (double)K));
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
