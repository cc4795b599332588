/*
 * lingam_check.c - compares residuals with the assumptions of LiNGAM.  A linear mechanism without cycles and hidden
 * common causes leaves independent residuals, in the correct order only; at most one of them is Gaussian.
 *
 * Residuals are those given all predecessors.  If there are few, pairs are tested with HSIC (indep/ci.h).  If there
 * are many residuals or many rows, five correlations of each pair replace HSIC.  Inside each group of rows, with u the
 * standardised residual, t = tanh u and g = exp(-u^2 / 2), they are
 *
 *     u_i with t_j - E t'(u_j) u_j,   u_i with g_j - E g'(u_j) u_j,   the same with i and j exchanged, and
 *     g_i - cov(g_i, u_i) u_i with g_j - cov(g_j, u_j) u_j,
 *
 * each a sum of products over its own standard error, sum a b / sqrt(sum a^2 b^2).  They are nearly standard normal if
 * residuals are independent: with these linear terms the error of an estimated slope drops out to first order.  Plain
 * correlations, which divide by the two standard deviations, are not normal far out if tails are heavy.  Subtracting
 * means in each group of m rows makes the variance m / (m - 1) times as large.  The five correlations detect
 * bent slopes, parabolas, and spreads that change together.  A pair's p-value is five times the smallest of theirs.
 * Pairs are judged together by Holm's rule (Scand. J. Statist. 6, 1979).
 */
#include "methods/lingam/lingam_check.h"

#include "base/parallel.h"
#include "indep/ci.h"
#include "indep/hsic.h"
#include "math/linalg.h"
#include "math/sort.h"
#include "math/special.h"
#include "methods/shared/unmixing.h"

#include <math.h>

enum { HSIC_VARIABLES = 20, HSIC_ROWS_IN_ALL = 1000000, MIN_ROWS = HSIC_MIN_ROWS, CORRELATIONS = 5 };
static const double NO_SPREAD = 1e-9; /* a function of u that varies less counts as constant */

typedef struct pair_test {
    double statistic, p_value;
} pair_test;

/* ---- pairs by HSIC ---- */

struct pairs {
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

/* Uses permutations only if there are enough of them to reach the level of one pair among all. */
static nonsens_status test_by_hsic(nonsens_context *ctx, arena *a, const lingam_order *order, const row_groups *groups,
                                   const nonsens_options *options, lingam_check *out, pair_test *test)
{
    column_set *variable;
    const double **column;
    struct pairs pairs = {.test = test};
    ci_options ci = ci_options_from(options);
    double level = options->alpha / (double)out->pairs;
    bool enough = 3.0 < level * (double)(options->permutations + 1);
    ci.test = TEST_HSIC;
    ci.threads = 1;
    ci.null_kind = ci.null_kind == NULL_PERMUTATION && !enough ? NULL_GAMMA : ci.null_kind;
    ci.refine_at = enough ? level : 0.0;
    ARENA_TRY(ctx, a, variable, order->d);
    ARENA_TRY(ctx, a, column, order->d);
    for (int64_t k = 0; k < order->d; k++) {
        column[k] = matrix_col(order->residual, k);
        variable[k] = (column_set){order->n, 1, &column[k]};
    }
    ci_variables variables = {order->d, variable, NULL, *groups};
    TRY(ci_new(ctx, &variables, &ci, &pairs.tester));
    nonsens_status status =
        parallel_for(ctx, (int)options->threads, out->pairs, "testing residuals", test_pair, &pairs);
    ci_free(pairs.tester);
    out->skipped = pairs.skipped;
    out->min_rows = HSIC_MIN_ROWS;
    return status;
}

/* ---- pairs by correlations ---- */

/* Scales to mean 0 and variance 1, or to zeros if there is no spread. */
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

/* The residual and functions of it, (n, d) each. */
typedef struct functions {
    double *u;    /* standardised */
    double *bend; /* t, without the part that an error of the slope moves */
    double *bow;  /* g, without the part that an error of the slope moves */
    double *size; /* g, without the part that follows u */
} functions;

/* Transforms the rows of one group of one column; e is the residual there. */
static void transform_group(int64_t n, const double *e, const functions *to)
{
    double slope = 0.0, lean = 0.0, *u = to->u;
    for (int64_t i = 0; i < n; i++) {
        u[i] = e[i];
    }
    standardise(n, u);
    for (int64_t i = 0; i < n; i++) {
        double t = tanh(u[i]), g = exp(-0.5 * u[i] * u[i]);
        to->bend[i] = t;
        to->bow[i] = to->size[i] = g;
        slope += (1.0 - t * t) / (double)n;
        lean += u[i] * g / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        to->bend[i] -= slope * u[i];
        to->bow[i] += lean * u[i]; // g' = -u g
        to->size[i] -= lean * u[i];
    }
    standardise(n, to->bend);
    standardise(n, to->bow);
    standardise(n, to->size);
}

struct transforms {
    const lingam_order *order;
    const row_groups *groups;
    functions all;
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
        if (rows >= MIN_ROWS) {
            functions own = {t->all.u + at, t->all.bend + at, t->all.bow + at, t->all.size + at};
            transform_group(rows, e + first, &own);
        }
    }
    return NONSENS_OK;
}

/* Root of the variance of a sum of products over the sum of their squares: above 1, because means were subtracted. */
static double spread_by_means(const row_groups *groups, int64_t *skipped)
{
    double rows = 0.0, wider = 0.0;
    for (int64_t g = 0; g < groups->count; g++) {
        double own = (double)(groups->start[g + 1] - groups->start[g]);
        bool used = own >= MIN_ROWS;
        rows += used ? own : 0.0;
        wider += used ? own * own / (own - 1.0) : 0.0;
        *skipped += !used;
    }
    return rows > 0.0 ? sqrt(wider / rows) : 1.0;
}

/* Scores of all pairs at i + j d: u_i with bend_j, u_i with bow_j, and size_i with size_j. */
typedef struct scores {
    double *bend, *bow, *size;     /* (d, d) each */
    double *squares[2], *variance; /* scratch: (n, d) twice, (d, d) */
} scores;

static pair_test largest_score(const scores *s, int64_t ij, int64_t ji)
{
    double largest = fmax(fmax(fabs(s->bend[ij]), fabs(s->bend[ji])), fmax(fabs(s->bow[ij]), fabs(s->bow[ji])));
    largest = fmax(largest, fabs(s->size[ij]));
    return (pair_test){largest, fmin(1.0, CORRELATIONS * 2.0 * special_normal_tail(largest))};
}

static void square(int64_t count, const double *v, double *out)
{
    for (int64_t i = 0; i < count; i++) {
        out[i] = v[i] * v[i];
    }
}

/* Computes out (d, d): sums of products of the columns of x and y over their standard errors. */
static void score_products(const scores *s, int64_t n, int64_t d, const double *x, const double *y, double wider,
                           double *out)
{
    square(n * d, x, s->squares[0]);
    square(n * d, y, s->squares[1]);
    linalg_gemm(true, false, d, d, n, 1.0, x, n, y, n, 0.0, out, d);
    linalg_gemm(true, false, d, d, n, 1.0, s->squares[0], n, s->squares[1], n, 0.0, s->variance, d);
    for (int64_t i = 0; i < d * d; i++) {
        out[i] = s->variance[i] > 0.0 ? out[i] / (wider * sqrt(s->variance[i])) : 0.0;
    }
}

static nonsens_status test_by_correlations(nonsens_context *ctx, arena *a, const lingam_order *order,
                                           const row_groups *groups, int threads, lingam_check *out, pair_test *test)
{
    int64_t n = order->n, d = order->d;
    double wider = spread_by_means(groups, &out->skipped);
    struct transforms t = {.order = order, .groups = groups};
    functions *f = &t.all;
    scores s;
    ARENA_TRY(ctx, a, s.squares[0], n * d);
    ARENA_TRY(ctx, a, s.squares[1], n * d);
    ARENA_TRY(ctx, a, s.variance, d * d);
    ARENA_TRY(ctx, a, f->u, n * d);
    ARENA_TRY(ctx, a, f->bend, n * d);
    ARENA_TRY(ctx, a, f->bow, n * d);
    ARENA_TRY(ctx, a, f->size, n * d);
    ARENA_TRY(ctx, a, s.bend, d * d);
    ARENA_TRY(ctx, a, s.bow, d * d);
    ARENA_TRY(ctx, a, s.size, d * d);
    out->min_rows = MIN_ROWS;
    TRY(parallel_for(ctx, threads, d, NULL, transform_column, &t));
    score_products(&s, n, d, f->u, f->bend, wider, s.bend);
    score_products(&s, n, d, f->u, f->bow, wider, s.bow);
    score_products(&s, n, d, f->size, f->size, wider, s.size);
    for (int64_t j = 0, at = 0; j < d; j++) {
        for (int64_t i = 0; i < j; i++) {
            test[at++] = largest_score(&s, i + j * d, j + i * d);
        }
    }
    return NONSENS_OK;
}

/* ---- judging ---- */

static nonsens_status judge_pairs(nonsens_context *ctx, arena *a, const pair_test *test, double alpha,
                                  lingam_check *out)
{
    double *p, *sorted;
    int64_t surest = 0, m = out->pairs;
    ARENA_TRY(ctx, a, p, m);
    for (int64_t i = 0; i < m; i++) {
        p[i] = test[i].p_value;
        bool surer = p[i] < p[surest] || (p[i] == p[surest] && test[i].statistic > test[surest].statistic);
        surest = surer ? i : surest;
    }
    TRY(sort_copy(ctx, a, m, p, &sorted));
    while (out->dependent < m && sorted[out->dependent] <= alpha / (double)(m - out->dependent)) {
        out->dependent++;
    }
    pair_at(surest, &out->first, &out->second);
    out->statistic = test[surest].statistic;
    out->p_value = fmin(1.0, p[surest] * (double)m);
    return NONSENS_OK;
}

nonsens_status lingam_check_residuals(nonsens_context *ctx, arena *a, const lingam_order *order,
                                      const row_groups *groups, const nonsens_options *options, lingam_check *out)
{
    const int64_t d = order->d, pairs = d * (d - 1) / 2, all[2] = {0, order->n};
    pair_test *test;
    *out = (lingam_check){.pairs = pairs, .by_hsic = d <= HSIC_VARIABLES && pairs * order->n <= HSIC_ROWS_IN_ALL};
    ARENA_TRY(ctx, a, out->departure, d);
    ARENA_TRY(ctx, a, out->gaussian, d);
    for (int64_t k = 0; k < d; k++) {
        out->departure[k] = unmixing_shape(matrix_col(order->residual, k), 1, all, false).departure;
        out->gaussian[k] = out->departure[k] <= UNMIXING_GAUSSIAN_MAX;
        out->gaussians += out->gaussian[k];
    }
    arena_mark mark = arena_tell(a);
    ARENA_TRY(ctx, a, test, pairs);
    if (out->by_hsic) {
        TRY(test_by_hsic(ctx, a, order, groups, options, out, test));
    } else {
        TRY(test_by_correlations(ctx, a, order, groups, (int)options->threads, out, test));
    }
    out->tested = out->skipped < groups->count;
    TRY(judge_pairs(ctx, a, test, options->alpha, out));
    arena_rewind(a, mark);
    return NONSENS_OK;
}
