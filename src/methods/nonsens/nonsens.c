/*
 * nonsens.c - the paper's method: direction by four independence tests (Monti, Zhang, Hyvarinen, UAI 2019,
 * section 3.3).
 *
 * Each variable is tested against each estimated disturbance at alpha / 4.  If three of four tests reject, the cause is
 * the variable of the test that did not reject.  Two non-rejections with distinct variables and distinct disturbances
 * mean independence; everything else is inconclusive.
 *
 * Differences from the paper (--as-published gives the paper's variant, options/preset.h):
 *   - Tests are stratified by segment.  Pooled over segments the disturbances are dependent under the model itself if
 *     their modulations are correlated by chance, so the pooled test is not valid.
 *   - A disturbance is an estimate whose error depends on both variables, so with enough rows every test rejects.
 *     The rows are therefore dealt into disjoint parts of about 1,000 rows, a size at which that error is hardly
 *     visible (docs/tuning.md).  Every test is run in every part, and twice the median of its p-values counts.  The
 *     rule depends on the sizes of the segments alone.
 */
#include "methods/nonsens/monti.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "methods/nonsens/nonsens_method.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART_ROWS = 1000, MIN_PER_SEGMENT = 20, MAX_PARTS = 9, TEXT_BYTES = 256 };

static int compare_rows(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/*
 * Disjoint parts of the rows, of about PART_ROWS rows each.  Every segment has a slot of its rows in every part, except
 * that with many segments (over PART_ROWS / MIN_PER_SEGMENT) the segments are dealt into groups first: part p
 * then holds slot p / groups of the segments of group p % groups.
 */
typedef struct partition {
    int64_t parts, groups, slots;
    int64_t max_rows; /* of a segment in a part */
    int64_t *order;   /* (n) the rows of each segment in random order, segment by segment */
    int64_t *group;   /* (segments) */
} partition;

static int64_t at_least(int64_t value, int64_t bound)
{
    return value > bound ? value : bound;
}

/* Segments are sorted by size, so the middle one has the median size. */
static void plan_parts(const nonsens_data *pair, const nonsens_options *options, partition *p)
{
    int64_t median = pair->start[pair->segments / 2 + 1] - pair->start[pair->segments / 2];
    int64_t segments_per_part = PART_ROWS / MIN_PER_SEGMENT;
    p->groups = 1;
    p->max_rows = at_least(PART_ROWS / pair->segments, MIN_PER_SEGMENT);
    if (options->test_rows > 0) {
        p->max_rows = options->test_rows;
    } else {
        p->groups = (pair->segments + segments_per_part - 1) / segments_per_part;
    }
    p->slots = at_least(median / p->max_rows, 1);
    p->parts = p->groups * p->slots < MAX_PARTS ? p->groups * p->slots : MAX_PARTS;
    p->slots = (p->parts + p->groups - 1) / p->groups;
}

static nonsens_status deal_parts(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                 const nonsens_options *options, partition *out)
{
    int64_t *segment;
    plan_parts(pair, options, out);
    ARENA_TRY(ctx, a, out->order, pair->n);
    ARENA_TRY(ctx, a, out->group, pair->segments);
    ARENA_TRY(ctx, a, segment, pair->segments);
    for (int64_t e = 0; e < pair->segments; e++) {
        rng r = rng_new((uint64_t)options->seed, RNG_SUBSAMPLE, (uint64_t)e);
        for (int64_t i = pair->start[e]; i < pair->start[e + 1]; i++) {
            out->order[i] = i;
        }
        rng_shuffle(&r, pair->start[e + 1] - pair->start[e], out->order + pair->start[e]);
        segment[e] = e;
    }
    rng r = rng_new((uint64_t)options->seed, RNG_SUBSAMPLE, (uint64_t)pair->segments);
    rng_shuffle(&r, pair->segments, segment);
    for (int64_t i = 0; i < pair->segments; i++) {
        out->group[segment[i]] = i % out->groups;
    }
    return NONSENS_OK;
}

/* Returns how many rows of a segment are in a slot: none if slots would have fewer than MIN_PER_SEGMENT rows. */
static int64_t slot_rows(const partition *p, int64_t rows, int64_t slot, int64_t *from)
{
    int64_t slots = at_least(rows / MIN_PER_SEGMENT, 1);
    slots = slots < p->slots ? slots : p->slots;
    if (slot >= slots) {
        return 0;
    }
    *from = rows * slot / slots;
    int64_t width = rows * (slot + 1) / slots - *from;
    return width < p->max_rows ? width : p->max_rows;
}

/* Lists the rows of one part, sorted; start (segments + 1) bounds the segments among them.  Returns how many. */
static int64_t part_rows(const nonsens_data *pair, const partition *p, int64_t part, int64_t *row, int64_t *start)
{
    int64_t n = 0;
    for (int64_t e = 0; e < pair->segments; e++) {
        int64_t from = 0, keep = 0;
        if (p->group[e] == part % p->groups) {
            keep = slot_rows(p, pair->start[e + 1] - pair->start[e], part / p->groups, &from);
        }
        start[e] = n;
        memcpy(row + n, p->order + pair->start[e] + from, (size_t)keep * sizeof *row);
        qsort(row + n, (size_t)keep, sizeof *row, compare_rows);
        n += keep;
    }
    start[pair->segments] = n;
    return n;
}

/* Numbers a test independently of the order of the columns, because its random stream must not depend on that order. */
static int64_t canonical_test(const nonsens_data *pair, int64_t job)
{
    int64_t v = pair->column_rank[0] == job / 2 % 2 ? 0 : 1, k = pair->column_rank[0] == job % 2 ? 0 : 1;
    return job / 4 * 4 + 2 * v + k;
}

/* What the jobs share; job j is test j % 4 of part j / 4. */
typedef struct test_state {
    const nonsens_data *pair;
    const nonsens_options *options;
    partition partition;
    matrix variable, source;
    hsic_result *result; /* (parts, 4): variable 0 with source 0 and 1, variable 1 with source 0 and 1 */
} test_state;

static nonsens_status test_job(nonsens_context *ctx, arena *a, int64_t job, void *state)
{
    const test_state *s = state;
    const nonsens_data *pair = s->pair;
    int64_t *row, *start;
    double *x, *y;
    ARENA_TRY(ctx, a, row, pair->n);
    ARENA_TRY(ctx, a, start, pair->segments + 1);
    int64_t n = part_rows(pair, &s->partition, job / 4, row, start);
    ARENA_TRY(ctx, a, x, n);
    ARENA_TRY(ctx, a, y, n);
    for (int64_t i = 0; i < n; i++) {
        x[i] = matrix_col(s->variable, job / 2 % 2)[row[i]];
        y[i] = matrix_col(s->source, job % 2)[row[i]];
    }
    bool pooled = s->options->pooling == POOLING_POOLED;
    int64_t whole[2] = {0, n};
    double level = s->options->alpha / (s->partition.parts > 1 ? 8.0 : 4.0); // p will be doubled; four tests
    hsic_options test = hsic_options_from(s->options, level, (uint64_t)canonical_test(pair, job));
    test.threads = 1;
    return hsic_test_scalars(ctx, a, n, x, y, pooled ? 1 : pair->segments, pooled ? whole : start, &test,
                             &s->result[job]);
}

static int compare_results(const void *a, const void *b)
{
    double x = ((const hsic_result *)a)->p_value, y = ((const hsic_result *)b)->p_value;
    return (x > y) - (x < y);
}

/*
 * Combines the p-values of all parts: twice the median is a valid p-value however the parts depend on one another
 * (Meinshausen, Meier and Buhlmann 2009, with gamma = 1/2).
 */
static hsic_result combine_parts(const test_state *s, int test, hsic_result *scratch)
{
    int64_t parts = s->partition.parts;
    for (int64_t k = 0; k < parts; k++) {
        scratch[k] = s->result[4 * k + test];
    }
    qsort(scratch, (size_t)parts, sizeof *scratch, compare_results);
    hsic_result median = scratch[(parts - 1) / 2];
    if (median.segments_used == 0) {
        median.p_value = NAN;
    } else if (parts > 1) {
        median.p_value = fmin(1.0, 2.0 * median.p_value);
    }
    return median;
}

nonsens_status monti_four_tests(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                const nonsens_options *options, matrix variable, matrix source, monti_tests *out)
{
    test_state s = {.pair = pair, .options = options, .variable = variable, .source = source};
    hsic_result *scratch;
    TRY(deal_parts(ctx, a, pair, options, &s.partition));
    ARENA_TRY(ctx, a, s.result, 4 * s.partition.parts);
    ARENA_TRY(ctx, a, scratch, s.partition.parts);
    TRY(parallel_for(ctx, (int)options->threads, 4 * s.partition.parts, "testing", test_job, &s));
    for (int test = 0; test < 4; test++) {
        out->test[test / 2][test % 2] = combine_parts(&s, test, scratch);
    }
    out->parts = s.partition.parts;
    return NONSENS_OK;
}

/* Sets keeps[v][k] if the test of variable v against source k does not reject; returns how many do not. */
static int count_kept(const monti_tests *tests, double alpha, bool keeps[2][2])
{
    int kept = 0;
    for (int v = 0; v < 2; v++) {
        for (int k = 0; k < 2; k++) {
            keeps[v][k] = tests->test[v][k].p_value > alpha / 4.0;
            kept += keeps[v][k];
        }
    }
    return kept;
}

enum result_decision monti_decide(const monti_tests *tests, double alpha)
{
    bool keeps[2][2];
    int kept = count_kept(tests, alpha, keeps);
    if (kept == 1) {
        return keeps[0][0] || keeps[0][1] ? DECISION_FIRST_CAUSES : DECISION_SECOND_CAUSES;
    }
    bool matched = (keeps[0][0] && keeps[1][1]) || (keeps[0][1] && keeps[1][0]);
    return kept == 2 && matched ? DECISION_INDEPENDENT : DECISION_INCONCLUSIVE;
}

/* p is NaN if the part with the median p-value had no segment to test in. */
static bool is_untestable(const monti_tests *tests)
{
    return isnan(tests->test[0][0].p_value + tests->test[0][1].p_value + tests->test[1][0].p_value +
                 tests->test[1][1].p_value);
}

/* The larger log p-value of a variable's two tests: how well it fits the role of the cause. */
static double log_best_p(const monti_tests *tests, int variable)
{
    return log(fmax(fmax(tests->test[variable][0].p_value, tests->test[variable][1].p_value), 1e-300));
}

/*
 * The p-value against the opposite direction.  If variable c is the cause, with disturbance k (the effect's) not
 * rejected, the opposite would need the other variable independent of the other disturbance; Bonferroni over four.
 */
static double opposite_p(const monti_tests *tests, enum result_decision decision)
{
    int cause = decision == DECISION_FIRST_CAUSES ? 0 : 1;
    int effect_source = tests->test[cause][0].p_value > tests->test[cause][1].p_value ? 0 : 1;
    return fmin(1.0, 4.0 * tests->test[1 - cause][1 - effect_source].p_value);
}

nonsens_status monti_report_tests(nonsens_context *ctx, const monti_tests *tests, nonsens_result *result)
{
    const hsic_result *first = &tests->test[0][0];
    for (int test = 0; test < 4; test++) {
        char text[TEXT_BYTES];
        int v = test / 2, k = test % 2;
        double p_value = tests->test[v][k].p_value;
        snprintf(text, sizeof text, "%s: %s", v == k ? "own disturbance" : "the other's disturbance",
                 isnan(p_value)                          ? "could not be tested"
                 : p_value > result->options.alpha / 4.0 ? "independence is not rejected"
                                                         : "independence is rejected");
        TRY(result_add(ctx, result, tests->test[v][k].statistic, p_value, text, "hsic(%s, N_%s)", result->names[v],
                       result->names[k]));
    }
    TRY(result_add(ctx, result, result->options.alpha / 4.0, NAN, "level at which each of the four tests is judged",
                   "level of each test"));
    TRY(result_add(ctx, result, (double)tests->parts, NAN,
                   tests->parts > 1
                       ? "disjoint parts of the rows; every test is run in each, and its p is twice the median"
                       : "the rows that enter a test are in one part, and its p counts as it is",
                   "parts"));
    TRY(result_add(ctx, result, (double)first->rows_used, NAN, "rows of a part that entered a test", "rows per part"));
    return result_note_skipped(ctx, result, first->segments_skipped, HSIC_MIN_ROWS);
}

nonsens_status monti_judge_tests(nonsens_context *ctx, const monti_tests *tests, const char *doubt, const char *advice,
                                 nonsens_result *result)
{
    bool keeps[2][2];
    int kept = count_kept(tests, result->options.alpha, keeps);
    result->score = is_untestable(tests) ? NAN : log_best_p(tests, 0) - log_best_p(tests, 1);
    result->better = result->score > 0 ? BETTER_FIRST : result->score < 0 ? BETTER_SECOND : BETTER_NONE;
    result->reason = is_untestable(tests) ? "A test could not be run: inside the segments a variable or a disturbance "
                                            "is constant, or too few rows are left."
                                          : doubt;
    if (result->reason) {
        result->decision = DECISION_INCONCLUSIVE;
        result->better = BETTER_NONE;
        return NONSENS_OK;
    }
    result->decision = monti_decide(tests, result->options.alpha);
    if (result->decision == DECISION_FIRST_CAUSES || result->decision == DECISION_SECOND_CAUSES) {
        result->p_value = opposite_p(tests, result->decision);
        result->reason =
            "Three of the four tests reject, and the one that does not names the cause. The p-value is that "
            "of the test which the opposite direction would need to pass, times four.";
    } else if (result->decision == DECISION_INCONCLUSIVE) {
        result->reason =
            kept == 0   ? "All four tests reject: no variable is independent of a disturbance. A hidden common cause, "
                          "feedback, or disturbances estimated too roughly for this many rows look like this."
            : kept == 2 ? "Two tests do not reject, but not in the pattern of independent variables."
                        : "Too few tests reject to name a cause: more rows may help.";
        TRY(result_note(ctx, result, NONSENS_NOTE_INFO, "%s", advice));
    }
    return NONSENS_OK;
}

nonsens_status monti_direction(nonsens_context *ctx, arena *a, const nonsens_data *pair, const nonsens_options *options,
                               nonsens_result *result)
{
    disturbances d;
    monti_tests tests;
    TRY(disturbances_fit(ctx, a, pair, options, &d));
    TRY(monti_four_tests(ctx, a, pair, options, d.z, d.source, &tests));
    TRY(monti_report_tests(ctx, &tests, result));
    TRY(disturbances_report(ctx, &d, result));
    return monti_judge_tests(ctx, &tests, disturbances_doubt(&d),
                             "Where one of the two surely causes the other, --method nonsens-lr names the likelier "
                             "direction; `nonsens diagnose` shows what the data support.",
                             result);
}
