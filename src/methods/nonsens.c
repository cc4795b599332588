/*
 * nonsens.c - the paper's method: direction by four independence tests (Monti, Zhang, Hyvarinen, UAI 2019, section 3.3).
 *
 * Each variable is tested against each estimated disturbance at alpha / 4.  Three rejections of four name the cause:
 * it is the variable of the test that did not reject.  Two non-rejections with distinct variables and distinct
 * disturbances mean independence; everything else is inconclusive.
 *
 * Deviations (pooling = pooled, test-rows = all and unmixing = score-matching give the paper's variant):
 *   - Tests are stratified by segment.  Pooled over segments the disturbances are dependent under the model itself
 *     wherever their modulations are correlated by chance, so the pooled test is not valid.
 *   - A disturbance is an estimate whose error depends on both variables, so with enough rows every test rejects.
 *     The default tests a random part of the rows of each segment, of a size at which that error is not yet visible
 *     (docs/tuning.md); it never looks at the outcome.
 */
#include "methods/nonsens.h"

#include "base/rng.h"
#include "methods/method.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TEST_ROWS = 500, LEAST_PER_SEGMENT = 20 };

/* Rows per segment that enter the tests: all of them where test_rows exceeds the largest segment. */
static int64_t rows_per_segment(const nonsens_data *pair, const nonsens_options *options)
{
    if (options->test_rows > 0) {
        return options->test_rows;
    }
    int64_t rows = DEFAULT_TEST_ROWS / pair->segments;
    return rows > LEAST_PER_SEGMENT ? rows : LEAST_PER_SEGMENT;
}

typedef struct subsample {
    int64_t n, *row, *start; /* rows in canonical order; start (segments + 1) bounds of segments among them */
} subsample;

static int compare_rows(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static nonsens_status draw_rows(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                const nonsens_options *options, subsample *out)
{
    int64_t *order, most = rows_per_segment(pair, options);
    ARENA_TRY(ctx, a, order, pair->n);
    ARENA_TRY(ctx, a, out->row, pair->n);
    ARENA_TRY(ctx, a, out->start, pair->segments + 1);
    out->n = 0;
    for (int64_t e = 0; e < pair->segments; e++) {
        int64_t rows = pair->start[e + 1] - pair->start[e], keep = rows < most ? rows : most;
        for (int64_t i = 0; i < rows; i++) {
            order[i] = pair->start[e] + i;
        }
        rng r = rng_open((uint64_t)options->seed, RNG_SUBSAMPLE, (uint64_t)e);
        rng_shuffle(&r, rows, order);
        qsort(order, (size_t)keep, sizeof *order, compare_rows);
        out->start[e] = out->n;
        memcpy(out->row + out->n, order, (size_t)keep * sizeof *order);
        out->n += keep;
    }
    out->start[pair->segments] = out->n;
    return NONSENS_OK;
}

static void pick(const subsample *rows, const double *from, double *to)
{
    for (int64_t i = 0; i < rows->n; i++) {
        to[i] = from[rows->row[i]];
    }
}

nonsens_status nonsens_four_tests(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                  const nonsens_options *options, matrix variable, matrix source, four_tests *out)
{
    subsample rows;
    double *x, *s;
    TRY(draw_rows(ctx, a, pair, options, &rows));
    ARENA_TRY(ctx, a, x, rows.n);
    ARENA_TRY(ctx, a, s, rows.n);
    int64_t whole[2] = {0, rows.n};
    bool pooled = options->pooling == POOLING_POOLED;
    for (int v = 0; v < 2; v++) {
        for (int k = 0; k < 2; k++) {
            hsic_options test = {.null_kind = options->null_kind,
                                 .permutations = options->permutations,
                                 .refine_at = options->alpha / 4.0,
                                 .seed = (uint64_t)options->seed,
                                 .job = (uint64_t)(2 * v + k),
                                 .threads = (int)options->threads};
            pick(&rows, matrix_col(variable, v), x);
            pick(&rows, matrix_col(source, k), s);
            TRY(hsic_test(ctx, a, rows.n, x, s, pooled ? 1 : pair->segments, pooled ? whole : rows.start, &test,
                          &out->test[v][k]));
        }
    }
    return NONSENS_OK;
}

enum decision nonsens_decide(const four_tests *tests, double alpha)
{
    bool keeps[2][2];
    int kept = 0;
    for (int v = 0; v < 2; v++) {
        for (int k = 0; k < 2; k++) {
            keeps[v][k] = tests->test[v][k].p_value > alpha / 4.0;
            kept += keeps[v][k];
        }
    }
    if (kept == 1) {
        return keeps[0][0] || keeps[0][1] ? DECISION_FIRST_CAUSES : DECISION_SECOND_CAUSES;
    }
    bool matched = (keeps[0][0] && keeps[1][1]) || (keeps[0][1] && keeps[1][0]);
    return kept == 2 && matched ? DECISION_INDEPENDENT : DECISION_INCONCLUSIVE;
}

/* The best non-rejection of each variable: how well it fits the part of the cause. */
static double best_p(const four_tests *tests, int variable)
{
    return fmax(tests->test[variable][0].p_value, tests->test[variable][1].p_value);
}

static double safe_log(double p)
{
    return log(fmax(p, 1e-300));
}

/*
 * p-value against the opposite direction: if variable c is named as the cause with disturbance k (the effect's) not
 * rejected, the opposite would need the other variable independent of the other disturbance; Bonferroni over four.
 */
static double opposite_p(const four_tests *tests, enum decision decision)
{
    int cause = decision == DECISION_FIRST_CAUSES ? 0 : 1;
    int effect_source = tests->test[cause][0].p_value > tests->test[cause][1].p_value ? 0 : 1;
    return fmin(1.0, 4.0 * tests->test[1 - cause][1 - effect_source].p_value);
}

static const char *reason_for(const four_tests *tests, double alpha)
{
    int kept = 0;
    for (int v = 0; v < 2; v++) {
        for (int k = 0; k < 2; k++) {
            kept += tests->test[v][k].p_value > alpha / 4.0;
        }
    }
    return kept == 0   ? "All four tests reject: no variable is independent of a disturbance. A hidden common cause, a "
                         "feedback, or disturbances estimated too roughly for so many rows look like this."
           : kept == 2 ? "Two tests do not reject, but not in the pattern of independent variables."
                       : "Too few tests reject to name a cause: more rows (--test-rows) may help.";
}

static nonsens_status report_tests(nonsens_context *ctx, const four_tests *tests, nonsens_result *result)
{
    for (int v = 0; v < 2; v++) {
        for (int k = 0; k < 2; k++) {
            const hsic_result *t = &tests->test[v][k];
            TRY(result_add(ctx, result, t->statistic, t->p_value,
                           v == k ? "is the variable independent of its own disturbance? (expected: no)"
                                  : "is the variable independent of the other's disturbance? (yes for the cause)",
                           "hsic(%s, N_%s)", result->names[v], result->names[k]));
        }
    }
    const hsic_result *first = &tests->test[0][0];
    TRY(result_add(ctx, result, (double)first->rows_used, NAN, "rows that entered each test", "rows tested"));
    if (first->segments_skipped > 0) {
        TRY(result_note(ctx, result, "%d segments with fewer than 10 test rows were left out of the tests.",
                        (int)first->segments_skipped));
    }
    return NONSENS_OK;
}

static nonsens_status decide(nonsens_context *ctx, arena *a, const nonsens_data *pair, const nonsens_options *options,
                             nonsens_result *result)
{
    disturbances d;
    four_tests tests;
    TRY(disturbances_fit(ctx, a, pair, options, &d));
    TRY(nonsens_four_tests(ctx, a, pair, options, d.z, d.source, &tests));
    TRY(report_tests(ctx, &tests, result));
    TRY(disturbances_report(ctx, &d, pair, result));
    result->score = safe_log(best_p(&tests, 0)) - safe_log(best_p(&tests, 1));
    result->better = result->score > 0 ? BETTER_FIRST : result->score < 0 ? BETTER_SECOND : BETTER_NONE;
    if (!disturbances_found(&d)) {
        result->decision = DECISION_INCONCLUSIVE;
        result->better = BETTER_NONE;
        result->reason = "The segments cannot be told apart on held-out rows.";
        return NONSENS_OK;
    }
    result->decision = nonsens_decide(&tests, options->alpha);
    if (result->decision == DECISION_FIRST_CAUSES || result->decision == DECISION_SECOND_CAUSES) {
        result->p_value = opposite_p(&tests, result->decision);
    } else if (result->decision == DECISION_INCONCLUSIVE) {
        result->reason = reason_for(&tests, options->alpha);
    }
    return NONSENS_OK;
}

nonsens_status nonsens_method_direction(nonsens_context *ctx, const nonsens_data *pair, const nonsens_options *options,
                                        nonsens_result *result)
{
    arena a = {0};
    nonsens_status status = decide(ctx, &a, pair, options, result);
    arena_free(&a);
    return status;
}
