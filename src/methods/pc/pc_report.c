/* pc_report.c - reports what PC found: edges, tests, what is undecided, and what the tests cannot see. */
#include "methods/pc/pc.h"

#include "base/number.h"
#include "indep/hsic.h"
#include "indep/kci.h"

#include <inttypes.h>
#include <math.h>

/* ---- edges --------------------------------------------------------------------------------------------------- */

static nonsens_status report_edges(nonsens_context *ctx, arena *a, const pc_search *s, nonsens_result *result)
{
    pdag_edge *edge;
    const pdag *g = &s->found.graph;
    const int32_t *user = s->data->column_rank;
    int64_t count = pdag_edge_count(g);
    ARENA_TRY(ctx, a, edge, count + 1);
    pdag_to_edges(g, edge);
    for (int64_t i = 0; i < count; i++) {
        TRY(result_edge(ctx, result, user[edge[i].from], user[edge[i].to], pdag_edge_type(edge[i].mark), NAN,
                        skeleton_at(&s->found, edge[i].from, edge[i].to)->p_value));
    }
    return NONSENS_OK;
}

/* ---- notes --------------------------------------------------------------------------------------------------- */

static nonsens_status note_tests(nonsens_context *ctx, const pc_search *s, nonsens_result *result)
{
    char alpha[NUMBER_BYTES];
    const char *by = s->test == TEST_FISHER_Z ? "partial correlation (fisher-z)"
                     : s->test == TEST_KCI    ? "kernels (hsic, given others kci)"
                                              : "random features (rcit)";
    return result_note(ctx, result, NONSENS_NOTE_INFO,
                       "%" PRId64 " tests by %s%s, each at level %s, given up to %" PRId64
                       " variables; the level is not corrected for their number.",
                       s->found.tests + s->orient.report.tests, by, s->groups.count > 1 ? " inside segments" : "",
                       number_print(alpha, s->testing.alpha, 3), s->found.level > 0 ? s->found.level : 0);
}

static nonsens_status note_blindness(nonsens_context *ctx, const pc_search *s, nonsens_result *result)
{
    if (s->test != TEST_FISHER_Z) {
        return NONSENS_OK;
    }
    if (s->knots > 0) {
        return result_note(ctx, result, NONSENS_NOTE_INFO,
                           "fisher-z looks for correlation alone, after functions with %" PRId64 " knots of each given "
                           "variable are removed: an edge without correlation is missed. --test kci sees it, and "
                           "takes longer.",
                           s->knots);
    }
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "fisher-z sees only linear dependence: an edge without correlation is missed, and if mechanisms "
                       "are not linear, "
                       "edges stay that others explain. --knots 4 helps against the latter, --test kci against both.");
}

/* Notes segments that never enter a test, or do not enter tests given the largest sets. */
static nonsens_status note_segments(nonsens_context *ctx, const pc_search *s, nonsens_result *result)
{
    int64_t level = s->found.level > 0 ? s->found.level : 0, left_out = 0;
    int64_t min_rows = s->test == TEST_FISHER_Z ? level * (1 + s->knots) + 4 : KCI_MIN_ROWS;
    for (int64_t e = 0; e < s->groups.count; e++) {
        left_out += s->groups.start[e + 1] - s->groups.start[e] < min_rows;
    }
    if (left_out == 0) {
        return NONSENS_OK;
    }
    if (s->data->segments == 0 || s->groups.count == 1) {
        return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                           "There are %" PRId64 " rows, too few for a test given %" PRId64 " variables.", s->data->n,
                           level);
    }
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "%" PRId64 " of %" PRId64 " segments did not enter tests given %" PRId64
                       " variables: fewer than %" PRId64 " rows. Merge small segments.",
                       left_out, s->groups.count, level, min_rows);
}

static bool varies(const double *v, int64_t first, int64_t end)
{
    for (int64_t i = first + 1; i < end; i++) {
        if (v[i] != v[first]) {
            return true;
        }
    }
    return false;
}

/* Fills in enters (groups, d): does variable k enter tests in segment e? */
static nonsens_status find_entries(nonsens_context *ctx, arena *a, const pc_search *s, bool **enters)
{
    int64_t d = s->data->d, count = s->groups.count;
    int64_t min_rows = s->test == TEST_FISHER_Z ? 4 : s->test == TEST_KCI ? HSIC_MIN_ROWS : KCI_MIN_ROWS;
    ARENA_TRY(ctx, a, *enters, d * count);
    for (int64_t k = 0; k < d; k++) {
        const double *v = matrix_col(s->data->x, s->data->column_rank[k]);
        for (int64_t e = 0; e < count; e++) {
            int64_t first = s->groups.start[e], end = s->groups.start[e + 1];
            (*enters)[k * count + e] = end - first >= min_rows && varies(v, first, end);
        }
    }
    return NONSENS_OK;
}

static bool meet(int64_t count, const bool *first, const bool *second)
{
    for (int64_t e = 0; e < count; e++) {
        if (first[e] && second[e]) {
            return true;
        }
    }
    return false;
}

/* Pairs that vary together in no segment have no edge for this reason alone. */
static nonsens_status note_untested(nonsens_context *ctx, arena *a, const pc_search *s, nonsens_result *result)
{
    bool *enters; // (groups, d)
    int64_t d = s->data->d, count = s->groups.count, untested = 0;
    TRY(find_entries(ctx, a, s, &enters));
    for (int64_t b = 0; b < d; b++) {
        for (int64_t c = 0; c < b; c++) {
            untested += !meet(count, enters + b * count, enters + c * count);
        }
    }
    if (untested == 0) {
        return NONSENS_OK;
    }
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "%" PRId64 " of %" PRId64 " pairs of variables could not be tested: no segment has enough rows "
                       "in which both vary. They have no edge for that reason alone; merge small segments.",
                       untested, d * (d - 1) / 2);
}

static nonsens_status note_directions(nonsens_context *ctx, const pc_search *s, nonsens_result *result)
{
    const orient_report *r = &s->orient.report;
    if (r->ambiguous > 0) {
        TRY(result_note(ctx, result, NONSENS_NOTE_INFO,
                        "%" PRId64 " of %" PRId64 " triples a - b - c are ambiguous: sets that separate a and c "
                        "disagree on whether b is a common effect. They direct nothing.",
                        r->ambiguous, r->triples));
    }
    if (r->conflicts > 0 && s->options->conflicts == CONFLICTS_BIDIRECTED) {
        TRY(result_note(ctx, result, NONSENS_NOTE_CAUTION,
                        "The tests contradict one another: %" PRId64 " %s since v-structures want both directions. "
                        "Too few rows, a hidden common cause or a cycle of causes look like this.",
                        r->conflicts, r->conflicts == 1 ? "edge has two heads" : "edges have two heads"));
    } else if (r->conflicts > 0) {
        TRY(result_note(ctx, result, NONSENS_NOTE_CAUTION,
                        "The tests contradict one another: %" PRId64
                        " %s left out against others with larger p-values. "
                        "Too few rows, a hidden common cause or a cycle of causes look like this.",
                        r->conflicts, r->conflicts == 1 ? "v-structure was" : "v-structures were"));
    }
    if (r->undecided > 0) {
        TRY(result_note(ctx, result, NONSENS_NOTE_CAUTION,
                        "%" PRId64 " %s without direction since the rules imply both, a cycle or another "
                        "v-structure: the tests contradict one another there.",
                        r->undecided, r->undecided == 1 ? "edge stays" : "edges stay"));
    }
    if (r->refused > 0) {
        TRY(result_note(ctx, result, NONSENS_NOTE_CAUTION,
                        "%" PRId64 " %s left out, since what is known beforehand speaks against the tests.", r->refused,
                        r->refused == 1 ? "v-structure was" : "v-structures were"));
    }
    return NONSENS_OK;
}

nonsens_status pc_report(nonsens_context *ctx, arena *a, const pc_search *s, nonsens_result *result)
{
    TRY(report_edges(ctx, a, s, result));
    TRY(pc_say_reasoning(ctx, s, result));
    TRY(note_tests(ctx, s, result));
    TRY(note_untested(ctx, a, s, result));
    TRY(note_segments(ctx, s, result));
    if (s->data->segments > 0 && s->options->pooling != POOLING_STRATIFIED) {
        TRY(result_note(ctx, result, NONSENS_NOTE_CAUTION,
                        "All segments were pooled: variables that change over segments at the same time look "
                        "dependent. --pooling stratified tests inside segments."));
    }
    if (s->found.capped) {
        bool for_rows = s->testing.max_given < s->options->max_given;
        TRY(result_note(
            ctx, result, NONSENS_NOTE_CAUTION,
            "Sets of more than %" PRId64 " variables were not conditioned on, so a larger set may remove further "
            "edges; %s.",
            s->testing.max_given, for_rows ? "there are too few rows for more" : "--max-given raises this"));
    }
    TRY(note_directions(ctx, s, result));
    return note_blindness(ctx, s, result);
}
