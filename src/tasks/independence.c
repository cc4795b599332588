/*
 * independence.c - the public run nonsens_run_independence; for many questions: tester.c.
 *
 * The run conditions on segments by testing inside each and adding up.  It never centres and scales each segment and
 * pools the rows, which is not conditioning: on a Gaussian chain such a test at .05 rejects in .213 of the cases.
 */
#include "base/clock.h"
#include "base/require.h"
#include "base/show.h"
#include "data/audit.h"
#include "data/variables.h"
#include "indep/ci.h"
#include "indep/samples.h"
#include "tasks/run.h"
#include "tasks/tester.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- one question: words ------------------------------------------------------------------------------------- */

/* Texts about one question; they live in the result. */
typedef struct wording {
    char test[OPTION_WORD_BYTES]; /* "hsic" */
    const char *x, *y, *given;    /* "a", "(a, b)"; given: "c, d" or "" */
    const char *where;            /* " inside segments" or "" */
    bool many;                    /* several variables are given */
} wording;

/* Lists names separated by commas; `shown`: escaped and shortened, for sentences. */
static const char *list_of(nonsens_context *ctx, nonsens_result *r, bool shown, int64_t first, int64_t count)
{
    const char *list = "";
    for (int64_t k = first; k < first + count && list; k++) {
        char buffer[SHOWN_BYTES];
        const char *name = shown ? show_bare(buffer, r->names[k]) : r->names[k];
        list = arena_format(ctx, &r->memory, "%s%s%s", list, k > first ? ", " : "", name);
    }
    return list;
}

/* Lists names, in brackets if there are several. */
static const char *vector_of(nonsens_context *ctx, nonsens_result *r, bool shown, int64_t first, int64_t count)
{
    const char *list = list_of(ctx, r, shown, first, count);
    return list && count > 1 ? arena_format(ctx, &r->memory, "(%s)", list) : list;
}

/* Writes the parts of the question as in names of evidence or, if `shown`, as in sentences. */
static nonsens_status word_question(nonsens_context *ctx, nonsens_result *r, const variable_roles *roles, bool shown,
                                    wording *w)
{
    const int64_t *count = roles->count;
    enum option_independence_test test = r->options.test != TEST_AUTO ? r->options.test
                                         : count[2] > 0               ? TEST_KCI
                                                                      : TEST_HSIC;
    option_test_word(test, w->test);
    w->x = vector_of(ctx, r, shown, 0, count[0]);
    w->y = vector_of(ctx, r, shown, count[0], count[1]);
    w->given = list_of(ctx, r, shown, count[0] + count[1], count[2]);
    w->where = tester_is_stratified(roles->data, &r->options) ? " inside segments" : "";
    w->many = count[2] > 1;
    return w->x && w->y && w->given ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

static nonsens_status say_decision(nonsens_context *ctx, nonsens_result *r, const wording *w)
{
    bool given = w->given[0] != '\0';
    const char *verb = r->decision == DECISION_DEPENDENT     ? "depend"
                       : r->decision == DECISION_INDEPENDENT ? "are not seen to depend"
                                                             : "may or may not depend";
    r->sentence = arena_format(ctx, &r->memory, "%s and %s %s on one another%s%s%s%s.", w->x, w->y, verb, w->where,
                               given ? " once " : "", w->given,
                               !given                  ? ""
                               : strchr(w->given, ',') ? " are known"
                                                       : " is known");
    return r->sentence ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

static const char *test_text(enum option_independence_test test, bool conditional, bool stratified)
{
    switch (test) {
    case TEST_FISHER_Z:
        return stratified ? "Fisher's z inside segments: its mean; the p-value is on mean and heterogeneity together"
                          : "Fisher's z over all rows";
    case TEST_RCIT:
        return stratified ? "kernel test with random features inside each segment, added up"
                          : "kernel test with random features over all rows";
    case TEST_INFORMATION:
        return stratified ? "rows times mutual information by nearest neighbours inside each segment, added up"
                          : "rows times mutual information by nearest neighbours";
    case TEST_RESIDUALS:
        if (conditional) {
            return stratified ? "kernel test of what regressions on the given variables leave, inside each segment"
                              : "kernel test of what regressions on the given variables leave";
        }
        break;
    default:
        break;
    }
    if (conditional) {
        return stratified ? "conditional kernel test inside each segment, added up"
                          : "conditional kernel test over all rows";
    }
    return stratified ? "kernel test of independence inside each segment, added up"
                      : "kernel test of independence over all rows";
}

/* Adds the test's values as evidence.  sign: -1 if the test saw one of x and y, not both, with reversed sign. */
static nonsens_status add_evidence(nonsens_context *ctx, nonsens_result *r, const wording *w, const ci_result *test,
                                   double sign)
{
    bool given = w->given[0] != '\0';
    const char *text = test_text(r->options.test, given, w->where[0] != '\0');
    TRY(result_add(ctx, r, test->statistic, test->p_value, text, "%s(%s, %s%s%s)", w->test, w->x, w->y,
                   given ? " | " : "", w->given));
    for (int k = 0; k < test->details; k++) {
        const ci_detail *detail = &test->detail[k];
        double value = detail->has_sign ? sign * detail->value + 0.0 : detail->value; // no minus zero
        TRY(result_add(ctx, r, value, NAN, detail->text, "%s", detail->name));
    }
    for (int k = 0; k < 2 && test->side_name; k++) {
        TRY(result_add(ctx, r, test->side[k], NAN, test->side_text, "%s(%s | %s)", test->side_name, k ? w->y : w->x,
                       w->given));
    }
    return NONSENS_OK;
}

/* Notes options that the test does not use. */
static nonsens_status note_unused(nonsens_context *ctx, nonsens_result *r)
{
    const nonsens_options *o = &r->options;
    bool sample = option_is_sample_test(o->test);
    if ((o->test == TEST_FISHER_Z && o->null_kind != NULL_GAMMA) ||
        ((sample || o->test == TEST_INFORMATION) && o->null_kind == NULL_SPECTRAL)) {
        TRY(result_note(ctx, r, NONSENS_NOTE_INFO, "--null has no effect: the test has its own null distribution."));
    }
    return sample && o->pooling == POOLING_POOLED
               ? result_note(ctx, r, NONSENS_NOTE_INFO, "--pooling has no effect: the test compares segments.")
               : NONSENS_OK;
}

static nonsens_status note_skipped(nonsens_context *ctx, nonsens_result *r, const wording *w, const ci_result *test)
{
    if (!w->where[0]) {
        return NONSENS_OK;
    }
    if (!w->given[0] || test->segments_skipped == 0) {
        return result_note_skipped(ctx, r, test->segments_skipped, test->min_rows);
    }
    return result_note(ctx, r, NONSENS_NOTE_CAUTION,
                       "%" PRId64 " of %" PRId64 " segments did not enter the test: fewer than %" PRId64
                       " rows, or a variable that is constant there or a function of what is given.",
                       test->segments_skipped, r->segments, test->min_rows);
}

/* Notes how rows that follow one another in time were tested. */
static nonsens_status note_time(nonsens_context *ctx, nonsens_result *r, const ci_result *test, const tester_columns *t)
{
    if (r->options.block_length == 1) {
        return NONSENS_OK;
    }
    if (!test->by_shifts && !t->too_few) {
        return result_note(ctx, r, NONSENS_NOTE_INFO,
                           "--block-length auto finds no dependence between neighbouring rows: each row counts as "
                           "independent.");
    }
    if (r->decision == DECISION_INCONCLUSIVE) {
        return result_note(
            ctx, r, NONSENS_NOTE_PROBLEM,
            "The dependence between rows may reach so far back in time that a segment, or the table, has "
            "fewer than three independent blocks: nothing can be tested, and more rows are needed.");
    }
    TRY(result_note(ctx, r, NONSENS_NOTE_INFO,
                    "The p-value comes from shifts in time of one variable against the other; rows %" PRId64
                    " apart count as independent.",
                    t->time.length));
    return r->options.null_kind == NULL_GAMMA
               ? NONSENS_OK
               : result_note(ctx, r, NONSENS_NOTE_INFO, "--null has no effect: shifts in time take its place.");
}

static nonsens_status add_notes(nonsens_context *ctx, nonsens_result *r, const wording *w, const ci_result *test,
                                const tester_columns *t)
{
    TRY(note_skipped(ctx, r, w, test));
    TRY(note_unused(ctx, r));
    TRY(note_time(ctx, r, test, t));
    if (r->segments > 1 && !w->where[0]) {
        TRY(result_note(ctx, r, NONSENS_NOTE_CAUTION,
                        "All segments were pooled: a dependence may come from the change over segments alone."));
    }
    if (test->degenerate) {
        TRY(result_note(ctx, r, NONSENS_NOTE_PROBLEM,
                        "Nothing is left of one of the variables once %s %s known: there is nothing to test, and the "
                        "p-value is 1.",
                        w->given, w->many ? "are" : "is"));
    }
    if (test->by_permutation || test->by_signs) {
        TRY(result_note(ctx, r, NONSENS_NOTE_INFO, "The p-value comes from %" PRId64 " %s%s.", r->options.permutations,
                        test->by_signs ? "draws of random signs" : "permutations", w->where));
    }
    return NONSENS_OK;
}

/* ---- one question: two variables ----------------------------------------------------------------------------- */

/* Makes the test: x, y and each given variable are variables of a tester that lives for one question. */
static nonsens_status ask(nonsens_context *ctx, arena *scratch, const variable_roles *roles,
                          const nonsens_options *options, tester_columns *t, ci_result *out)
{
    ci_tester *tester;
    int64_t count = 2 + roles->count[2], *size, *given; // (count), (count - 2)
    ARENA_TRY(ctx, scratch, size, count);
    ARENA_TRY(ctx, scratch, given, count);
    for (int64_t k = 0; k < count; k++) {
        size[k] = k < 2 ? roles->count[k] : 1;
        given[k] = k + 2;
    }
    TRY(tester_gather(ctx, scratch, roles->data, options, count, size, t));
    TRY(tester_new(ctx, t, options, &tester));
    nonsens_status status = ci_test(ctx, tester, 0, 1, count - 2, given, out);
    ci_free(tester);
    return status;
}

static nonsens_status judge_pair(nonsens_context *ctx, arena *scratch, const variable_roles *roles, nonsens_result *r)
{
    wording w, shown;
    ci_result test;
    tester_columns t;
    TRY(word_question(ctx, r, roles, false, &w));
    TRY(word_question(ctx, r, roles, true, &shown));
    TRY(ask(ctx, scratch, roles, &r->options, &t, &test));
    TRY(tester_require_rows(ctx, &test, w.where[0] != '\0'));
    test.p_value = t.too_few ? NAN : test.p_value;
    r->p_value = test.p_value;
    r->decision = t.too_few                          ? DECISION_INCONCLUSIVE
                  : test.p_value <= r->options.alpha ? DECISION_DEPENDENT
                                                     : DECISION_INDEPENDENT;
    TRY(say_decision(ctx, r, &shown));
    const double *sign = roles->data->sign;
    TRY(add_evidence(ctx, r, &w, &test, sign[0] * sign[roles->count[0]]));
    return add_notes(ctx, r, &shown, &test, &t);
}

/* ---- one question: does a variable change over segments? ----------------------------------------------------- */

/* The name of a test of change over segments, and what it measures. */
typedef struct change_words {
    enum samples_kind kind;
    const char *what, *text, *effect, *effect_text;
} change_words;

static const change_words *words_of(enum option_independence_test test)
{
    static const change_words ks = {SAMPLES_KS, "The distribution of", "Kolmogorov-Smirnov test of all segments",
                                    "distance",
                                    "largest distance between the distribution functions of a segment and "
                                    "of all other rows"};
    static const change_words levene = {SAMPLES_LEVENE, "The spread of", "Levene's test about medians", "ratio",
                                        "largest over smallest mean distance from the segment's median"};
    static const change_words kruskal = {SAMPLES_KRUSKAL, "The level of", "rank test of Kruskal and Wallis", "shift",
                                         "largest difference of mean ranks between segments, over the number of rows"};
    return test == TEST_KS ? &ks : test == TEST_LEVENE ? &levene : &kruskal;
}

static nonsens_status run_samples(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                  const nonsens_options *o, samples_result *out)
{
    row_groups groups = {data->segments, data->start};
    samples_options samples = {.kind = words_of(o->test)->kind,
                               .null_kind = o->null_kind,
                               .permutations = o->permutations,
                               .permute_up_to = SAMPLES_PERMUTE_ROWS,
                               .seed = (uint64_t)o->seed,
                               .threads = (int)o->threads};
    if (data->segments < 2) {
        return fail(ctx, NONSENS_ERR_DATA, "this test compares segments; " AUDIT_NAME_SEGMENTS);
    }
    return samples_test(ctx, scratch, matrix_col(data->x, 0), &groups, &samples, out);
}

static nonsens_status judge_change(nonsens_context *ctx, arena *scratch, const variable_roles *roles, nonsens_result *r)
{
    const change_words *words = words_of(r->options.test);
    samples_result test;
    TRY(run_samples(ctx, scratch, roles->data, &r->options, &test));
    if (test.groups_used < 2) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "fewer than two segments have the rows that the test needs; use larger ones");
    }
    r->p_value = test.p_value;
    r->decision = test.p_value <= r->options.alpha ? DECISION_DEPENDENT : DECISION_INDEPENDENT;
    char name[SHOWN_BYTES], word[OPTION_WORD_BYTES];
    r->sentence = arena_format(ctx, &r->memory, "%s %s %s over segments.", words->what, show_bare(name, r->names[0]),
                               r->decision == DECISION_DEPENDENT ? "changes" : "is not seen to change");
    if (!r->sentence) {
        return NONSENS_ERR_MEMORY;
    }
    TRY(result_add(ctx, r, test.statistic, test.p_value, words->text, "%s(%s, segment)",
                   option_test_word(r->options.test, word), r->names[0]));
    TRY(result_add(ctx, r, test.effect, NAN, words->effect_text, "%s(%s)", words->effect, r->names[0]));
    if (test.groups_skipped > 0) {
        TRY(result_note(ctx, r, NONSENS_NOTE_CAUTION,
                        "%" PRId64 " of %" PRId64 " segments have too few rows and did not enter the test.",
                        test.groups_skipped, r->segments));
    }
    if (isinf(test.statistic) || isinf(test.effect)) {
        TRY(result_note(ctx, r, NONSENS_NOTE_CAUTION,
                        "A segment has no spread, or next to none beside the largest one: a value divided by it "
                        "is infinite."));
    }
    TRY(note_unused(ctx, r));
    return test.by_permutation
               ? result_note(ctx, r, NONSENS_NOTE_INFO,
                             "The p-value comes from %" PRId64 " permutations of the labels.", r->options.permutations)
               : NONSENS_OK;
}

/* ---- the run ------------------------------------------------------------------------------------------------- */

static const char *assumption(const nonsens_options *o, const nonsens_data *data, bool conditional)
{
    if (o->test == TEST_FISHER_Z) {
        return "Rows are independent of one another (inside each segment, if there are segments), and dependence "
               "shows "
               "as correlation once linear effects of what is given are taken out: others are not seen.";
    }
    if (o->test == TEST_RESIDUALS && conditional) {
        return "Rows are independent of one another, and what is given acts by adding to each variable: noise whose "
               "size "
               "depends on it looks like dependence. kci does not assume that.";
    }
    if (o->block_length != 1) {
        return "Rows follow one another in time, and how they depend on earlier ones does not change inside a segment "
               "(or, without segments, inside the table).";
    }
    return tester_is_stratified(data, o)
               ? "Rows are independent of one another inside each segment."
               : "Rows are independent of one another and come from one distribution: a scale that "
                 "changes along the rows can look like dependence.";
}

nonsens_status nonsens_run_independence(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                        nonsens_result **out)
{
    NEEDED(ctx, data, options, out);
    double begun = clock_seconds();
    bool compares_segments = option_is_sample_test(options->test);
    SCOPED_ARENA(scratch);
    SCOPED(memory_release_scoped) nonsens_result *r = NULL;
    SCOPED(variables_release) variable_roles roles = {0};
    *out = NULL;
    TRY(options_begin(ctx, options, NONSENS_COMMAND_INDEPENDENCE));
    TRY(variables_roles(ctx, data, options, compares_segments, &roles));
    TRY(result_new(ctx, roles.data, options, "independence", &r));
    r->assumes = assumption(options, roles.data, roles.count[2] > 0);
    TRY((compares_segments ? judge_change : judge_pair)(ctx, &scratch, &roles, r));
    TRY(result_finish(ctx, r));
    r->seconds = clock_seconds() - begun;
    *out = r;
    r = NULL;
    return NONSENS_OK;
}
