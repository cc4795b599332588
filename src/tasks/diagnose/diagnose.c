/*
 * diagnose.c - nonsens_run_diagnose: what the data can and cannot support, before any direction is asked for.
 *
 * It reports rows, segments and their sizes; how many segments are needed; which variables change over segments
 * (change.h); which pairs are dependent inside segments (indep/hsic.h); what segment classifiers say about a pair
 * (diagnose_pair.h); and memory.  Every group of tests is judged at alpha divided by its number of tests.
 */
#include "base/clock.h"
#include "base/number.h"
#include "base/show.h"
#include "data/audit.h"
#include "data/subsample.h"
#include "data/variables.h"
#include "indep/hsic.h"
#include "methods/registry.h"
#include "methods/shared/change.h"
#include "tasks/choose_method.h"
#include "tasks/diagnose/diagnose_pair.h"
#include "tasks/expected_memory.h"
#include "tasks/run.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_PAIRED_VARIABLES = 10,
    MAX_CLASSIFIED_VARIABLES = 3,
    SMALL_SEGMENT = 50,
    LISTED_VARIABLES = 12,
    SENTENCE_BYTES = 256
};

/* What changes in a variable over segments. */
enum { CHANGES_NOT, LOCATION_CHANGES, SCALE_CHANGES, BOTH_CHANGE, KINDS_OF_CHANGE };

/* What was found about variables and pairs, for the summary. */
typedef struct summary {
    show_list kind[KINDS_OF_CHANGE]; /* variables, by what changes in them */
    show_list dependent, open;       /* pairs that are dependent inside segments; that were not tested */
    int64_t tested, changing;        /* variables */
    int64_t pairs, dependent_pairs;  /* that were tested */
} summary;

typedef struct diagnosis {
    nonsens_context *ctx;
    const nonsens_data *data;
    const nonsens_options *options;
    nonsens_result *result;
    arena *scratch;
    summary *seen;
} diagnosis;

/* Significant digits of values in sentences. */
enum { SENTENCE_DIGITS = 3 };

/* ---- sizes ---- */

static int64_t segment_rows(const nonsens_data *data, int64_t e)
{
    return data->start[e + 1] - data->start[e];
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

static nonsens_status report_smallest(const diagnosis *d)
{
    int64_t e = dataset_smallest_segment(d->data), rows = segment_rows(d->data, e);
    char label[SHOWN_BYTES];
    TRY(result_add(d->ctx, d->result, (double)rows, NAN, "rows in the smallest segment", "smallest segment"));
    if (rows < SMALL_SEGMENT && rows >= AUDIT_TINY_SEGMENT) { // the data set's own warning names smaller ones
        return result_note(d->ctx, d->result, NONSENS_NOTE_CAUTION,
                           "The smallest segment (%s) has %" PRId64
                           " row%s; segments under %d rows say little about the shape of a disturbance. Merge small "
                           "segments or leave them out.",
                           show_bare(label, d->data->labels[e]), rows, plural(rows), SMALL_SEGMENT);
    }
    return NONSENS_OK;
}

static nonsens_status report_needed(const diagnosis *d)
{
    int64_t needed = 2 * d->data->d + 1, segments = d->data->segments;
    TRY(result_add(d->ctx, d->result, (double)needed, NAN,
                   "for all d variables together: 2d+1; a pair needs 3, better 5", "segments advised"));
    if (segments >= needed) {
        return result_note(d->ctx, d->result, NONSENS_NOTE_INFO,
                           "%" PRId64 " segments are enough for %" PRId64 " variable%s (at least 2d+1 = %" PRId64
                           " are needed if means and scales both change).",
                           segments, d->data->d, plural(d->data->d), needed);
    }
    return NONSENS_OK; // the data set's own warning says that there are too few
}

static nonsens_status report_sizes(const diagnosis *d)
{
    const nonsens_data *data = d->data;
    TRY(result_add(d->ctx, d->result, (double)data->n, NAN, "rows used", "rows"));
    TRY(result_add(d->ctx, d->result, (double)data->segments, NAN, "segments", "segments"));
    if (data->segments == 0) {
        return result_note(
            d->ctx, d->result, NONSENS_NOTE_PROBLEM,
            "There are no segments, so methods that use changes over segments cannot run; " AUDIT_NAME_SEGMENTS ".");
    }
    TRY(result_note(d->ctx, d->result, NONSENS_NOTE_INFO,
                    "This assumes that segments were not formed from these variables, such as classes of one of "
                    "them. If they were, directions can be wrong without any sign in the data."));
    TRY(report_needed(d));
    return report_smallest(d);
}

static nonsens_status report_segment_rows(const diagnosis *d)
{
    for (int64_t k = 0; k < d->data->segments; k++) {
        int64_t e = d->result->label_order[k];
        TRY(result_add(d->ctx, d->result, (double)segment_rows(d->data, e), NAN, "rows in this segment", "rows(%s)",
                       d->data->labels[e]));
    }
    return NONSENS_OK;
}

/* ---- change over segments ---- */

static nonsens_status add_location(const diagnosis *d, int64_t j, const change_test *test)
{
    char text[SENTENCE_BYTES] = "could not be tested", effect[NUMBER_BYTES];
    if (test->certain) {
        snprintf(text, sizeof text, "constant inside segments and different between them");
    } else if (!isnan(test->p_value)) {
        snprintf(text, sizeof text, "Welch's test over segments; means differ by up to %s standard deviations",
                 number_print(effect, test->effect, SENTENCE_DIGITS));
    }
    return result_add(d->ctx, d->result, test->statistic, test->p_value, text, "change of location(%s)",
                      d->data->names[j]);
}

static nonsens_status add_scale(const diagnosis *d, int64_t j, const change_test *test)
{
    char text[SENTENCE_BYTES] = "could not be tested", effect[NUMBER_BYTES];
    if (!isnan(test->p_value)) {
        snprintf(text, sizeof text,
                 "Fligner-Killeen test over segments; standard deviations differ by up to a factor %s",
                 number_print(effect, test->effect, SENTENCE_DIGITS));
    }
    return result_add(d->ctx, d->result, test->statistic, test->p_value, text, "change of scale(%s)",
                      d->data->names[j]);
}

/* Returns why there is no test of scale. */
static const char *untested_words(const diagnosis *d, const change_test *scale)
{
    if (scale->segments >= 2) {
        return "its spread differs between segments by more than numbers can hold";
    }
    if (segment_rows(d->data, 0) < 2) { // segment 0 is the largest
        return "every segment has a single row";
    }
    if (scale->segments == 0) {
        return "it is constant inside every segment of two rows or more";
    }
    return "it varies in one segment only";
}

static nonsens_status note_variable(const diagnosis *d, int64_t j, const change_test *location,
                                    const change_test *scale, double level)
{
    char name[SHOWN_BYTES];
    show_bare(name, d->data->names[j]);
    if (location->certain) {
        return result_note(
            d->ctx, d->result, NONSENS_NOTE_INFO,
            "%s: its location changes over segments, since it is constant inside them; its scale could not "
            "be tested, because %s.",
            name, untested_words(d, scale));
    }
    if (isnan(location->p_value) || isnan(scale->p_value)) {
        return result_note(d->ctx, d->result, NONSENS_NOTE_CAUTION,
                           "%s: a change over segments could not be tested, because %s.", name,
                           untested_words(d, scale));
    }
    int kind = (location->p_value <= level ? LOCATION_CHANGES : 0) + (scale->p_value <= level ? SCALE_CHANGES : 0);
    show_list_add(&d->seen->kind[kind], d->data->names[j]);
    return NONSENS_OK;
}

/* Notes which variables change in location, in scale, in both and not at all, in one sentence each. */
static nonsens_status note_changes(const diagnosis *d)
{
    static const char *const words[KINDS_OF_CHANGE] = {
        [CHANGES_NOT] = "No change over segments is seen in %s.",
        [LOCATION_CHANGES] = "The location of %s changes over segments.",
        [SCALE_CHANGES] = "The scale of %s changes over segments.",
        [BOTH_CHANGE] = "Location and scale of %s change over segments.",
    };
    for (int k = KINDS_OF_CHANGE - 1; k >= 0; k--) {
        show_list *list = &d->seen->kind[k];
        char *text = NULL;
        if (list->count == 0) {
            continue;
        }
        const char *at = strstr(words[k], "%s");
        text = arena_format(d->ctx, &d->result->memory, "%.*s%s%s", (int)(at - words[k]), words[k], show_list_end(list),
                            at + 2);
        TRY(text ? result_note(d->ctx, d->result, NONSENS_NOTE_INFO, "%s", text) : NONSENS_ERR_MEMORY);
    }
    return NONSENS_OK;
}

static nonsens_status report_variable(const diagnosis *d, int64_t j)
{
    const nonsens_data *data = d->data;
    const double *v = matrix_col(data->x, j);
    double level = d->options->alpha / (2.0 * (double)data->d);
    change_test location, scale;
    TRY(change_of_location(d->ctx, d->scratch, v, data->segments, data->start, &location));
    TRY(change_of_scale(d->ctx, d->scratch, v, data->segments, data->start, &scale));
    TRY(add_location(d, j, &location));
    TRY(add_scale(d, j, &scale));
    d->seen->tested += !isnan(location.p_value) || !isnan(scale.p_value);
    d->seen->changing += location.p_value <= level || scale.p_value <= level;
    return note_variable(d, j, &location, &scale, level);
}

static nonsens_status report_changes(const diagnosis *d)
{
    const summary *seen = d->seen;
    if (d->data->segments < 2) {
        return NONSENS_OK;
    }
    for (int64_t j = 0; j < d->data->d; j++) {
        arena_mark mark = arena_tell(d->scratch);
        TRY(report_variable(d, j));
        arena_rewind(d->scratch, mark);
        report_progress(d->ctx, "change over segments", j + 1, d->data->d);
        TRY(check_cancelled(d->ctx));
    }
    TRY(note_changes(d));
    if (seen->changing > 0 || seen->tested == 0) {
        return NONSENS_OK;
    }
    return result_note(d->ctx, d->result, NONSENS_NOTE_PROBLEM,
                       "No variable%s is seen to change over segments, so segments carry no information about "
                       "direction. Collect data under conditions that differ more.",
                       seen->tested < d->data->d ? " that could be tested" : "");
}

/* ---- dependence inside segments ---- */

enum { UNTESTED_PAIR = 1, DEPENDENT_PAIR = 2 };

/* Lists pairs by what the tests found, in the user's order of columns. */
static void list_pairs(const diagnosis *d, const unsigned char *found)
{
    char first[SHOWN_BYTES], second[SHOWN_BYTES], both[2 * SHOWN_BYTES + 4];
    for (int64_t i = 0; i < d->data->d; i++) {
        for (int64_t j = i + 1; j < d->data->d; j++) {
            int what = found[i * d->data->d + j];
            snprintf(both, sizeof both, "%s - %s", show_bare(first, d->data->names[i]),
                     show_bare(second, d->data->names[j]));
            if (what) {
                show_list_add(what == DEPENDENT_PAIR ? &d->seen->dependent : &d->seen->open, both);
            }
        }
    }
}

static nonsens_status note_pairs(const diagnosis *d)
{
    summary *seen = d->seen;
    const char *where = d->data->segments > 1 ? " inside segments" : "";
    if (seen->dependent_pairs > 0) {
        TRY(result_note(d->ctx, d->result, NONSENS_NOTE_INFO, "Dependent%s: %" PRId64 " of %" PRId64 " pair%s (%s).%s",
                        where, seen->dependent_pairs, seen->pairs, plural(seen->pairs), show_list_end(&seen->dependent),
                        seen->dependent_pairs < seen->pairs ? " For other pairs no direction can be expected." : ""));
    } else if (seen->pairs > 0) {
        TRY(result_note(d->ctx, d->result, NONSENS_NOTE_CAUTION,
                        "No dependence is seen%s in any of %" PRId64 " pair%s, so no direction can be expected.", where,
                        seen->pairs, plural(seen->pairs)));
    }
    return seen->open.count == 0
               ? NONSENS_OK
               : result_note(d->ctx, d->result, NONSENS_NOTE_CAUTION,
                             "Dependence could not be tested for %s: no segment has the %d rows with varying values "
                             "that the test needs.",
                             show_list_end(&seen->open), HSIC_MIN_ROWS);
}

/* Tests the a-th and b-th variable in canonical order, so that random streams do not depend on the order of columns. */
static nonsens_status report_pair(const diagnosis *d, int64_t a, int64_t b, double level, unsigned char *found)
{
    const nonsens_data *data = d->data;
    int64_t whole[2] = {0, data->n}, i = data->column_rank[a], j = data->column_rank[b];
    const char *first = data->names[i < j ? i : j], *second = data->names[i < j ? j : i];
    bool stratified = data->segments > 1;
    hsic_options hsic = hsic_options_from(d->options, level, (uint64_t)(a * data->d + b));
    hsic_result test;
    TRY(hsic_test_scalars(d->ctx, d->scratch, data->n, matrix_col(data->x, i), matrix_col(data->x, j),
                          stratified ? data->segments : 1, stratified ? data->start : whole, &hsic, &test));
    double p_value = test.segments_used > 0 ? test.p_value : NAN;
    TRY(result_add(d->ctx, d->result, test.statistic, p_value,
                   stratified ? "kernel test of independence inside each segment, added up"
                              : "kernel test of independence over all rows",
                   "hsic(%s, %s)", first, second));
    found[(i < j ? i : j) * data->d + (i < j ? j : i)] = isnan(p_value)     ? UNTESTED_PAIR
                                                         : p_value <= level ? DEPENDENT_PAIR
                                                                            : 0;
    d->seen->pairs += !isnan(p_value);
    d->seen->dependent_pairs += p_value <= level;
    return NONSENS_OK;
}

static nonsens_status report_pairs(const diagnosis *d)
{
    int64_t variables = d->data->d, pairs = variables * (variables - 1) / 2, done = 0;
    if (variables > MAX_PAIRED_VARIABLES) {
        return result_note(d->ctx, d->result, NONSENS_NOTE_INFO,
                           "Pairs were not tested for dependence: there are %" PRId64
                           " variables, and the limit is %d; choose some with --vars.",
                           variables, MAX_PAIRED_VARIABLES);
    }
    unsigned char found[MAX_PAIRED_VARIABLES * MAX_PAIRED_VARIABLES] = {0};
    for (int64_t a = 0; a < variables; a++) {
        for (int64_t b = a + 1; b < variables; b++) {
            arena_mark mark = arena_tell(d->scratch);
            TRY(report_pair(d, a, b, d->options->alpha / (double)pairs, found));
            arena_rewind(d->scratch, mark);
            report_progress(d->ctx, "dependence of pairs", ++done, pairs);
            TRY(check_cancelled(d->ctx));
        }
    }
    list_pairs(d, found);
    return note_pairs(d);
}

/* ---- segment classifiers ---- */

/* Fits the classifiers to the rows that `direction` would use. */
static nonsens_status classify_pair(const diagnosis *d, const nonsens_data *pair, const nonsens_options *options,
                                    bool single)
{
    SCOPED_ARENA(scratch);
    SCOPED(memory_release_scoped) nonsens_data *sample = NULL;
    char first[SHOWN_BYTES], second[SHOWN_BYTES];
    TRY(subsample(d->ctx, pair, options, method_max_rows(method_default(NONSENS_COMMAND_DIRECTION), options), &sample));
    if (sample) {
        TRY(result_note(d->ctx, d->result, NONSENS_NOTE_INFO,
                        "%s and %s: segment classifiers were fitted to %" PRId64 " of %" PRId64
                        " rows, drawn evenly from all segments (--max-rows).",
                        show_bare(first, pair->names[0]), show_bare(second, pair->names[1]), sample->n, pair->n));
    }
    return diagnose_pair(d->ctx, &scratch, sample ? sample : pair, options, single, d->result);
}

/* Fits the classifiers of the pair of --x and --y, or of the only pair. */
static nonsens_status classify_named(const diagnosis *d)
{
    const nonsens_data *pair;
    SCOPED(memory_release_scoped) nonsens_data *owned = NULL;
    TRY(variables_pair(d->ctx, d->data, d->options, &pair, &owned));
    return classify_pair(d, pair, d->options, true);
}

static nonsens_status classify_all(const diagnosis *d)
{
    int64_t variables = d->data->d;
    nonsens_options options = *d->options;
    options.alpha /= (double)(variables * (variables - 1) / 2);
    for (int64_t a = 0; a < variables; a++) {
        for (int64_t b = a + 1; b < variables; b++) {
            SCOPED(memory_release_scoped) nonsens_data *pair = NULL;
            TRY(dataset_pair(d->ctx, d->data, a, b, &pair));
            TRY(classify_pair(d, pair, &options, false));
        }
    }
    return NONSENS_OK;
}

static nonsens_status report_classifiers(const diagnosis *d)
{
    const nonsens_data *data = d->data;
    bool named = d->options->x[0] || d->options->y[0];
    if (data->segments == 0 || data->d < 2) {
        return NONSENS_OK;
    }
    if (named || data->d == 2) {
        return classify_named(d);
    }
    if (data->d <= MAX_CLASSIFIED_VARIABLES) {
        return classify_all(d);
    }
    return result_note(d->ctx, d->result, NONSENS_NOTE_INFO,
                       "Segment classifiers were not fitted: there are %" PRId64
                       " variables, and the limit is %d; name a pair with --x A --y B.",
                       data->d, MAX_CLASSIFIED_VARIABLES);
}

/* ---- memory ---- */

/* Reports the memory of `direction` on one pair by the default method. */
static nonsens_status report_memory(const diagnosis *d)
{
    if (d->data->segments < 2) {
        return NONSENS_OK;
    }
    return result_add(
        d->ctx, d->result,
        ceil(expected_direction_memory(d->data, d->options, method_default(NONSENS_COMMAND_DIRECTION)) / MEGABYTE), NAN,
        "MB that direction needs for one pair, about", "memory of direction");
}

/* ---- the answer in a sentence ---- */

static bool has_problem(const nonsens_result *r)
{
    bool found = false;
    for (int64_t i = 0; i < r->notes; i++) {
        found = found || r->note[i].level == NONSENS_NOTE_PROBLEM;
    }
    return found;
}

static nonsens_status sum_up(const diagnosis *d)
{
    enum { PART_BYTES = 120 };
    const summary *seen = d->seen;
    const nonsens_data *data = d->data;
    char changing[PART_BYTES] = "", dependent[PART_BYTES] = "";
    bool hopeless =
        has_problem(d->result) || data->d < 2 || data->segments < 3 || (seen->pairs > 0 && seen->dependent_pairs == 0);
    if (data->segments > 1) {
        snprintf(changing, sizeof changing, "; %" PRId64 " of %" PRId64 " variables change over segments",
                 seen->changing, data->d);
    }
    if (seen->pairs > 0) {
        snprintf(dependent, sizeof dependent, "; %" PRId64 " of %" PRId64 " pair%s %s dependent%s",
                 seen->dependent_pairs, seen->pairs, plural(seen->pairs), seen->dependent_pairs == 1 ? "is" : "are",
                 data->segments > 1 ? " inside segments" : "");
    }
    d->result->sentence = arena_format(d->ctx, &d->result->memory,
                                       "%s be learned from these data: %" PRId64 " row%s in %" PRId64 " segment%s%s%s.",
                                       hopeless ? "No direction can" : "Directions can", data->n, plural(data->n),
                                       data->segments, plural(data->segments), changing, dependent);
    return d->result->sentence ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

/* ---- the run ---- */

nonsens_status nonsens_run_diagnose(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                    nonsens_result **out)
{
    NEEDED(ctx, data, options, out);
    double begun = clock_seconds();
    SCOPED_ARENA(scratch);
    SCOPED(memory_release_scoped) nonsens_result *result = NULL;
    *out = NULL;
    TRY(options_begin(ctx, options, NONSENS_COMMAND_DIAGNOSE));
    TRY(choose_needs_values(ctx, data, "diagnose"));
    TRY(result_new(ctx, data, options, "diagnose", &result));
    diagnosis d = {ctx, data, options, result, &scratch, NULL};
    ARENA_TRY(ctx, &scratch, d.seen, 1);
    for (int k = 0; k < KINDS_OF_CHANGE; k++) {
        d.seen->kind[k].max = LISTED_VARIABLES;
    }
    d.seen->dependent.max = d.seen->open.max = LISTED_VARIABLES;
    TRY(report_sizes(&d));
    TRY(report_changes(&d));
    TRY(report_pairs(&d));
    TRY(report_classifiers(&d));
    TRY(report_memory(&d));
    TRY(report_segment_rows(&d));
    TRY(sum_up(&d));
    TRY(result_finish(ctx, result));
    result->seconds = clock_seconds() - begun;
    *out = result;
    result = NULL;
    return NONSENS_OK;
}
