/*
 * lingam_check.c - residuals against the assumptions of LiNGAM: a linear mechanism without cycles and hidden common
 * causes leaves residuals that are independent, in the right order only; at most one of them is Gaussian.
 *
 * Residuals are those given all predecessors.  Few of them are tested pair by pair with HSIC (indep/ci.h).  For many,
 * or many rows, three correlations of each pair take its place.  Inside each group of rows, u the standardised
 * residual,
 *
 *     h(u) = tanh u - c u,  c = E (1 - tanh^2 u),        k(u) = exp(-u^2 / 2) - a u,  a = E u exp(-u^2 / 2),
 *
 * sqrt(n) corr(u_i, h(u_j)), both ways round, and sqrt(n) corr(k(u_i), k(u_j)) are standard normal where residuals are
 * independent: the linear terms are those with which the error of an estimated slope drops out to first order.  A
 * pair's p-value is three times the least of them.  Pairs are judged together by Holm's rule (Scand. J. Statist. 6,
 * 1979).
 */
#include "methods/lingam_check.h"

#include "base/parallel.h"
#include "indep/ci.h"
#include "indep/hsic.h"
#include "math/linalg.h"
#include "math/sort.h"
#include "math/special.h"
#include "methods/unmixing.h"

#include <math.h>

enum { HSIC_VARIABLES = 20, HSIC_ROWS_IN_ALL = 1000000, LEAST_ROWS = HSIC_LEAST_ROWS, CORRELATIONS = 3 };
static const double GAUSSIAN_MOST = 4.0; /* standard errors, as for the sources of linear ICA */
static const double NO_SPREAD = 1e-9;    /* a function of u that varies less is constant */

typedef struct pair_test {
    double statistic, p_value;
} pair_test;

/* ---- pairs by HSIC ------------------------------------------------------------------------------------------------
 */

struct pairs {
    int64_t d;
    ci_tester *tester;
    pair_test *test; /* (pairs) in the order (1, 0), (2, 0), (2, 1), ... */
    int64_t skipped;
};

static void pair_at(int64_t job, int64_t *first, int64_t *second)
{
    int64_t later = 1;
    while (later * (later + 1) / 2 <= job) {
        later++;
    }
    *second = later;
    *first = job - later * (later - 1) / 2;
}

static nonsens_status test_pair(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    struct pairs *p = state;
    int64_t first, second;
    ci_result result;
    (void)scratch;
    pair_at(job, &first, &second);
    TRY(ci_test(ctx, p->tester, first, second, 0, NULL, &result));
    p->test[job] = (pair_test){result.statistic, result.p_value};
    if (job == 0) {
        p->skipped = result.segments_skipped;
    }
    return NONSENS_OK;
}

/* Permutations only where there are enough of them to reach the level of one pair among all. */
static ci_options hsic_for_pairs(const nonsens_options *options, int64_t pairs)
{
    ci_options how = ci_options_from(options);
    double level = options->alpha / (double)pairs;
    bool enough = 3.0 < level * (double)(options->permutations + 1);
    how.test = TEST_HSIC;
    how.threads = 1;
    how.null_kind = how.null_kind == NULL_PERMUTATION && !enough ? NULL_GAMMA : how.null_kind;
    how.refine_at = enough ? level : 0.0;
    return how;
}

static nonsens_status test_by_hsic(nonsens_context *ctx, arena *a, const lingam_order *order, const row_groups *groups,
                                   const nonsens_options *options, lingam_check *out, pair_test *test)
{
    column_set *variable;
    const double **column;
    struct pairs pairs = {.d = order->d, .test = test};
    ci_options how = hsic_for_pairs(options, out->pairs);
    ARENA_TRY(ctx, a, variable, order->d);
    ARENA_TRY(ctx, a, column, order->d);
    for (int64_t k = 0; k < order->d; k++) {
        column[k] = matrix_col(order->residual, k);
        variable[k] = (column_set){order->n, 1, &column[k]};
    }
    ci_variables variables = {order->d, variable, NULL, *groups};
    TRY(ci_open(ctx, &variables, &how, &pairs.tester));
    nonsens_status status =
        parallel_for(ctx, (int)options->threads, out->pairs, "testing residuals", test_pair, &pairs);
    ci_close(pairs.tester);
    out->skipped = pairs.skipped;
    out->least_rows = HSIC_LEAST_ROWS;
    return status;
}

/* ---- pairs by correlations ----------------------------------------------------------------------------------------
 */

/* Mean 0 and variance 1, or zeros where there is no spread. */
static void standardise(int64_t n, double *v)
{
    double mean = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean += v[i];
    }
    mean /= (double)n;
    for (int64_t i = 0; i < n; i++) {
        v[i] -= mean;
    }
    double sd = sqrt(linalg_dot(n, v, v) / (double)n), scale = sd > NO_SPREAD ? 1.0 / sd : 0.0;
    for (int64_t i = 0; i < n; i++) {
        v[i] *= scale;
    }
}

/* u, h and k of the rows of one group; e: the residual there. */
static void transform_group(int64_t n, const double *e, double *u, double *h, double *k)
{
    double slope = 0.0, lean = 0.0;
    for (int64_t i = 0; i < n; i++) {
        u[i] = e[i];
    }
    standardise(n, u);
    for (int64_t i = 0; i < n; i++) {
        h[i] = tanh(u[i]);
        k[i] = exp(-0.5 * u[i] * u[i]);
        slope += (1.0 - h[i] * h[i]) / (double)n;
        lean += u[i] * k[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        h[i] -= slope * u[i];
        k[i] -= lean * u[i];
    }
    standardise(n, h);
    standardise(n, k);
}

struct transforms {
    const lingam_order *order;
    const row_groups *groups;
    double *u, *h, *k; /* (n, d) each */
};

static nonsens_status transform_column(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    struct transforms *t = state;
    int64_t n = t->order->n;
    const double *e = matrix_col(t->order->residual, job);
    (void)scratch;
    TRY(check_cancelled(ctx));
    for (int64_t g = 0; g < t->groups->count; g++) {
        int64_t first = t->groups->start[g], rows = t->groups->start[g + 1] - first, at = first + job * n;
        if (rows >= LEAST_ROWS) {
            transform_group(rows, e + first, t->u + at, t->h + at, t->k + at);
        }
    }
    return NONSENS_OK;
}

static pair_test largest_score(double a, double b, double c)
{
    double largest = fmax(fabs(a), fmax(fabs(b), fabs(c)));
    return (pair_test){largest, fmin(1.0, CORRELATIONS * 2.0 * special_normal_tail(largest))};
}

static int64_t rows_in_large_groups(const row_groups *groups, int64_t *skipped)
{
    int64_t rows = 0;
    for (int64_t g = 0; g < groups->count; g++) {
        int64_t own = groups->start[g + 1] - groups->start[g];
        rows += own >= LEAST_ROWS ? own : 0;
        *skipped += own < LEAST_ROWS;
    }
    return rows;
}

static nonsens_status test_by_correlations(nonsens_context *ctx, arena *a, const lingam_order *order,
                                           const row_groups *groups, int threads, lingam_check *out, pair_test *test)
{
    int64_t n = order->n, d = order->d, rows = rows_in_large_groups(groups, &out->skipped);
    struct transforms t = {.order = order, .groups = groups};
    double *odd, *even, unit = rows > 0 ? 1.0 / sqrt((double)rows) : 0.0;
    ARENA_TRY(ctx, a, t.u, n * d);
    ARENA_TRY(ctx, a, t.h, n * d);
    ARENA_TRY(ctx, a, t.k, n * d);
    ARENA_TRY(ctx, a, odd, d * d);
    ARENA_TRY(ctx, a, even, d * d);
    out->least_rows = LEAST_ROWS;
    TRY(parallel_for(ctx, threads, d, NULL, transform_column, &t));
    linalg_gemm(true, false, d, d, n, unit, t.u, n, t.h, n, 0.0, odd, d);
    linalg_gram(n, d, t.k, n, even);
    for (int64_t j = 0, at = 0; j < d; j++) {
        for (int64_t i = 0; i < j; i++) {
            test[at++] = largest_score(odd[i + j * d], odd[j + i * d], unit * even[i + j * d]);
        }
    }
    return NONSENS_OK;
}

/* ---- judging -------------------------------------------------------------------------------------------------------
 */

static nonsens_status judge_pairs(nonsens_context *ctx, arena *a, const pair_test *test, double alpha,
                                  lingam_check *out)
{
    double *p, *sorted;
    int64_t least = 0, m = out->pairs;
    ARENA_TRY(ctx, a, p, m);
    for (int64_t i = 0; i < m; i++) {
        p[i] = test[i].p_value;
        bool smaller = p[i] < p[least] || (p[i] == p[least] && test[i].statistic > test[least].statistic);
        least = smaller ? i : least;
    }
    TRY(sort_copy(ctx, a, m, p, &sorted));
    while (out->dependent < m && sorted[out->dependent] <= alpha / (double)(m - out->dependent)) {
        out->dependent++;
    }
    pair_at(least, &out->first, &out->second);
    out->statistic = test[least].statistic;
    out->p_value = fmin(1.0, p[least] * (double)m);
    return NONSENS_OK;
}

static nonsens_status judge_shapes(nonsens_context *ctx, arena *a, const lingam_order *order, lingam_check *out)
{
    const int64_t all[2] = {0, order->n};
    ARENA_TRY(ctx, a, out->departure, order->d);
    ARENA_TRY(ctx, a, out->gaussian, order->d);
    for (int64_t k = 0; k < order->d; k++) {
        out->departure[k] = unmixing_shape(matrix_col(order->residual, k), 1, all, false).departure;
        out->gaussian[k] = out->departure[k] <= GAUSSIAN_MOST;
        out->gaussians += out->gaussian[k];
    }
    return NONSENS_OK;
}

nonsens_status lingam_check_residuals(nonsens_context *ctx, arena *a, const lingam_order *order,
                                      const row_groups *groups, const nonsens_options *options, lingam_check *out)
{
    int64_t d = order->d, pairs = d * (d - 1) / 2;
    pair_test *test;
    *out = (lingam_check){.pairs = pairs, .by_hsic = d <= HSIC_VARIABLES && pairs * order->n <= HSIC_ROWS_IN_ALL};
    TRY(judge_shapes(ctx, a, order, out));
    arena_mark mark = arena_tell(a);
    ARENA_TRY(ctx, a, test, pairs);
    if (out->by_hsic) {
        TRY(test_by_hsic(ctx, a, order, groups, options, out, test));
    } else {
        TRY(test_by_correlations(ctx, a, order, groups, (int)options->threads, out, test));
    }
    TRY(judge_pairs(ctx, a, test, options->alpha, out));
    arena_rewind(a, mark);
    return NONSENS_OK;
}
