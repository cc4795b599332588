/*
 * pc_nonsens.c - PC, then a bivariate method for the edges that it leaves open (Monti, Zhang, Hyvarinen, "Causal
 * Discovery with General Non-Linear Relationships using Non-Linear ICA", UAI 2019, section 3.3; PC: pc.c).
 *
 *   1. The pattern as in pc.c, with tests inside segments.  Since mechanisms are not linear, given variables enter as
 *      piecewise linear functions (pc_knots.h).
 *   2. The bivariate method of --orient-by decides on every undirected edge ("line") u - v, from its two columns alone
 *      and in parallel.
 *   3. Lines are directed one by one, the one with the largest |score| first.  Meek's rules follow after each of them.
 *      No step contradicts prior knowledge or makes a cycle or a new v-structure (graph/orient.h).
 *
 * With --targets a line is directed without the segments in which the mechanism of one of its ends may differ, if three
 * others remain.  The tests of the skeleton use all segments: they look for dependence in any of them.
 *
 * The paper does not say which test of independence it uses, nor what it does if the bivariate method is not sure.
 * Here a line without a decision stays a line.
 *
 * The bivariate method assumes that nothing else acts on both ends, but other variables may.  In the pattern of a DAG
 * only nodes adjacent to both ends matter: with w -> u - v, w is adjacent to v or Meek's first rule directs u -> v, and
 * lines form chordal graphs, so any path into both ends shows in a triangle.  w no longer matters once it is known to
 * be an effect of u or of v.  Lines without such a w come first.  The others follow if the method is sure nevertheless,
 * with a note, and are considered again after every arrow: a common cause that changes raises the rank of the
 * classifier of `structured`, which then does not decide.  In 26 simulated graphs with six variables
 * (experiments/pc_directions.py, 10 x 512 rows, depth 1 and 3) it decided on 14 such lines, all correctly.
 */
#include "methods/pc/pc.h"

#include "base/parallel.h"
#include "base/show.h"
#include "data/audit.h"
#include "graph/targets.h"
#include "methods/pc/pc_method.h"
#include "options/preset.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    DEFAULT_KNOTS = 4 /* see pc_knots.c */,
    MIN_SEGMENTS = 3,
    LISTED_LINES = 12,
    REASON_BYTES = MESSAGE_BYTES + 1,
    PRESET_BYTES = 512
};

/* An undirected edge of the pattern and what the bivariate method says about it; "first" is node[0]. */
typedef struct open_line {
    int64_t node[2];
    enum result_decision decision;
    double score, p_value; /* of the method */
    char reason[REASON_BYTES];
    nonsens_result *result; /* of the method, with its evidence */
    bool tried;             /* the search tried to direct it */
    int64_t common;         /* node that may have been a common cause of its ends when it was directed, or -1 */
} open_line;

typedef struct line_work {
    const pc_search *search;
    nonsens_options *options; /* of the pairs */
    const method *method;
    open_line *line; /* (lines) */
    int64_t lines;
    const targets *hit; /* interventions on nodes; NULL: none are known */
} line_work;

/* ---- pairs --------------------------------------------------------------------------------------------------- */

/* Makes options for pairs: the defaults of the command direction, and the user's options that both commands have. */
static nonsens_status pair_options(nonsens_context *ctx, const nonsens_options *from, const method *m, int64_t lines,
                                   nonsens_options **out)
{
    int threads = parallel_threads((int)from->threads);
    TRY(nonsens_options_new(ctx, NONSENS_COMMAND_DIRECTION, out));
    nonsens_options *o = *out;
    TRY(nonsens_options_set(ctx, o, "as-published", from->as_published ? "true" : "false"));
    o->method = m->info.name;
    o->seed = from->seed;
    o->alpha = from->alpha;
    o->pooling = from->pooling;
    o->null_kind = from->null_kind;
    o->permutations = from->permutations;
    o->layers = from->layers;
    o->threads = lines > 0 && threads > lines ? threads / lines : 1;
    return NONSENS_OK;
}

static nonsens_status ask_pair(nonsens_context *ctx, arena *scratch, const line_work *w, const nonsens_data *pair,
                               open_line *line)
{
    TRY(audit_require_pair(ctx, pair));
    TRY(result_new(ctx, pair, w->options, w->method->info.name, &line->result));
    TRY(w->method->direction(ctx, scratch, pair, &line->result->options, line->result));
    line->decision = line->result->decision;
    line->score = line->result->score;
    line->p_value = line->result->p_value;
    snprintf(line->reason, sizeof line->reason, "%s", line->result->reason ? line->result->reason : "");
    return NONSENS_OK;
}

/* Makes the data of a pair, without the segments that intervened on one of its ends if enough others remain. */
static nonsens_status make_pair(nonsens_context *ctx, arena *scratch, const line_work *w, const open_line *line,
                                nonsens_data **out)
{
    const nonsens_data *data = w->search->data;
    int64_t index[2] = {data->column_rank[line->node[0]], data->column_rank[line->node[1]]}, rows = 0, kept = 0, *row;
    ARENA_TRY(ctx, scratch, row, data->n);
    for (int64_t e = 0; w->hit && e < data->segments; e++) {
        bool hit = targets_may_differ(w->hit, e, line->node[0]) || targets_may_differ(w->hit, e, line->node[1]);
        kept += !hit;
        for (int64_t i = data->start[e]; !hit && i < data->start[e + 1]; i++) {
            row[rows++] = i;
        }
    }
    bool some = w->hit && kept < data->segments && kept >= MIN_SEGMENTS;
    return some ? dataset_subset(ctx, data, 2, index, rows, row, out)
                : dataset_pair(ctx, data, index[0], index[1], out);
}

static nonsens_status run_line(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const line_work *w = state;
    open_line *line = &w->line[job];
    nonsens_data *pair;
    TRY(make_pair(ctx, scratch, w, line, &pair));
    nonsens_status status = ask_pair(ctx, scratch, w, pair, line);
    nonsens_data_free(pair);
    if (status == NONSENS_ERR_DATA || status == NONSENS_ERR_NUMERIC) { // this pair alone fails: the others go on
        snprintf(line->reason, sizeof line->reason, "%s.", ctx->message);
        return NONSENS_OK;
    }
    return status;
}

static nonsens_status list_lines(nonsens_context *ctx, arena *a, const pdag *g, line_work *w)
{
    ARENA_TRY(ctx, a, w->line, pdag_edge_count(g) + 1);
    for (int64_t v = 1; v < g->d; v++) {
        for (int64_t u = 0; u < v; u++) {
            if (pdag_is_line(g, u, v)) {
                w->line[w->lines++] =
                    (open_line){.node = {u, v}, .decision = DECISION_INCONCLUSIVE, .score = NAN, .common = -1};
            }
        }
    }
    return NONSENS_OK;
}

/* ---- directing ----------------------------------------------------------------------------------------------- */

static bool is_decided(const open_line *line)
{
    return line->decision == DECISION_FIRST_CAUSES || line->decision == DECISION_SECOND_CAUSES;
}

/* The node that may be a common cause of u and v, or -1. */
static int64_t common_cause(const pdag *g, int64_t u, int64_t v)
{
    for (int64_t w = 0; w < g->d; w++) {
        if (w != u && w != v && pdag_is_adjacent(g, w, u) && pdag_is_adjacent(g, w, v) && !pdag_is_arrow(g, u, w) &&
            !pdag_is_arrow(g, v, w)) {
            return w;
        }
    }
    return -1;
}

/* Ties go to the smaller p-value, then to the order of the nodes. */
static bool is_surer(const open_line *line, const open_line *than)
{
    double mine = fabs(line->score), other = fabs(than->score);
    return mine > other || (mine == other && line->p_value < than->p_value);
}

/* Returns the surest line of those whose ends may have a common cause, or of the others; NULL if there is no line. */
static open_line *surest_line(const line_work *w, bool with_common)
{
    const pdag *g = &w->search->found.graph;
    open_line *best = NULL;
    for (int64_t i = 0; i < w->lines; i++) {
        open_line *line = &w->line[i];
        bool names_any =
            with_common && is_decided(line) && line->result->assumes_effect; // decides even if something acts on both
        if (line->tried || names_any || !is_decided(line) || !pdag_is_line(g, line->node[0], line->node[1]) ||
            (common_cause(g, line->node[0], line->node[1]) >= 0) != with_common) {
            continue;
        }
        best = !best || is_surer(line, best) ? line : best;
    }
    return best;
}

static open_line *next_line(const line_work *w)
{
    open_line *line = surest_line(w, false);
    return line ? line : surest_line(w, true);
}

static nonsens_status direct_lines(nonsens_context *ctx, const line_work *w, orienter *orient)
{
    for (open_line *line = next_line(w); line; line = next_line(w)) {
        bool directed;
        int cause = line->decision == DECISION_FIRST_CAUSES ? 0 : 1;
        int64_t common = common_cause(orient->graph, line->node[0], line->node[1]);
        TRY(orient_edge(ctx, orient, line->node[cause], line->node[1 - cause], &directed));
        line->tried = true;
        line->common = directed ? common : -1;
    }
    return NONSENS_OK;
}

/* ---- report -------------------------------------------------------------------------------------------------- */

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Reports the method's evidence on the two directions of a line. */
static nonsens_status report_line(nonsens_context *ctx, const line_work *w, const open_line *line,
                                  nonsens_result *result)
{
    int likelier = line->score < 0.0 ? 1 : 0;
    if (isnan(line->score)) {
        return NONSENS_OK;
    }
    TRY(result_add(ctx, result, fabs(line->score), line->p_value,
                   "score of the bivariate method for this direction against the other; p-value of its decision",
                   "%s of %s->%s", w->method->info.name, pc_name(w->search, line->node[likelier]),
                   pc_name(w->search, line->node[1 - likelier])));
    for (int64_t i = 0; i < line->result->evidence_count; i++) {
        const nonsens_evidence *e = &line->result->evidence[i];
        if (begins_with(e->name, "loss of ") || begins_with(e->name, "hsic(") || begins_with(e->name, "I(")) {
            TRY(result_add(ctx, result, e->value, e->p_value, e->text, "%s", e->name));
        }
    }
    return NONSENS_OK;
}

static nonsens_status say_line(nonsens_context *ctx, const line_work *w, const open_line *line, nonsens_result *result)
{
    const pdag *g = &w->search->found.graph;
    char first[SHOWN_BYTES], second[SHOWN_BYTES];
    const char *a = show_bare(first, pc_name(w->search, line->node[0])),
               *b = show_bare(second, pc_name(w->search, line->node[1]));
    bool forward = line->decision == DECISION_FIRST_CAUSES, left = pdag_is_line(g, line->node[0], line->node[1]);
    if (!is_decided(line)) {
        return result_reason(ctx, result, "Tests leave the direction of %s - %s open, and so does %s: %s%s", a, b,
                             w->method->info.name, line->reason,
                             left ? "" : " It follows from arrows that were found elsewhere.");
    }
    bool agrees = pdag_is_arrow(g, line->node[forward ? 0 : 1], line->node[forward ? 1 : 0]);
    return result_reason(ctx, result,
                         "Tests leave the direction of %s - %s open; %s says that %s causes %s. The edge %s.", a, b,
                         w->method->info.name, forward ? a : b, forward ? b : a,
                         left     ? "still stays without direction"
                         : agrees ? "gets this direction"
                                  : "gets the other direction, which follows from more certain edges");
}

/* Adds a note on a line that stays undirected. */
static nonsens_status note_left(nonsens_context *ctx, const line_work *w, const open_line *line, nonsens_result *result)
{
    char first[SHOWN_BYTES], second[SHOWN_BYTES], third[SHOWN_BYTES];
    int64_t common = common_cause(&w->search->found.graph, line->node[0], line->node[1]);
    show_bare(first, pc_name(w->search, line->node[0]));
    show_bare(second, pc_name(w->search, line->node[1]));
    if (!is_decided(line)) {
        return result_note(ctx, result, NONSENS_NOTE_INFO, "%s - %s stays without direction: %s", first, second,
                           line->reason);
    }
    if (!line->tried && common >= 0) {
        return result_note(ctx, result, NONSENS_NOTE_INFO,
                           "%s - %s stays without direction: %s may be a common cause, which %s assumes not to be and "
                           "does not see.",
                           first, second, show_bare(third, pc_name(w->search, common)), w->method->info.name);
    }
    bool forward = line->decision == DECISION_FIRST_CAUSES;
    return result_note(ctx, result, NONSENS_NOTE_INFO,
                       "%s - %s stays without direction: %s says that %s causes %s, which would make a cycle, or a "
                       "v-structure that the tests of independence speak against, or is known not to be.",
                       first, second, w->method->info.name, forward ? first : second, forward ? second : first);
}

/* Adds a note on a line that was directed although its ends may have a common cause. */
static nonsens_status note_common(nonsens_context *ctx, const line_work *w, const open_line *line,
                                  nonsens_result *result)
{
    char tail[SHOWN_BYTES], head[SHOWN_BYTES], common[SHOWN_BYTES];
    int cause = line->decision == DECISION_FIRST_CAUSES ? 0 : 1;
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "%s -> %s rests on the comparison of these two alone, although %s may act on both: %s would "
                       "hardly decide if it did, but assumes that nothing does.",
                       show_bare(tail, pc_name(w->search, line->node[cause])),
                       show_bare(head, pc_name(w->search, line->node[1 - cause])),
                       show_bare(common, pc_name(w->search, line->common)), w->method->info.name);
}

static nonsens_status note_lines(nonsens_context *ctx, const line_work *w, nonsens_result *result)
{
    int64_t left = 0, noted = 0, skipped = 0;
    for (int64_t i = 0; i < w->lines; i++) {
        const open_line *line = &w->line[i];
        bool is_left = pdag_is_line(&w->search->found.graph, line->node[0], line->node[1]);
        left += is_left;
        if (!is_left && line->common < 0) {
            continue;
        }
        if (noted == LISTED_LINES) {
            skipped++;
            continue;
        }
        noted++;
        TRY((is_left ? note_left : note_common)(ctx, w, line, result));
    }
    if (skipped > 0) {
        TRY(result_note(ctx, result, NONSENS_NOTE_CAUTION, "The same holds for %" PRId64 " more edges.", skipped));
    }
    if (w->lines == 0) {
        return result_note(ctx, result, NONSENS_NOTE_INFO, "Tests of independence left no edge without direction.");
    }
    return result_note(ctx, result, NONSENS_NOTE_INFO,
                       "Tests of independence left %" PRId64 " %s without direction; %s and the rules that follow "
                       "from it directed %" PRId64 " of them.",
                       w->lines, w->lines == 1 ? "edge" : "edges", w->method->info.name, w->lines - left);
}

/* With --as-published: notes the settings that the command does not show among its options. */
static nonsens_status note_preset(nonsens_context *ctx, const line_work *w, nonsens_result *result)
{
    char values[PRESET_BYTES] = "";
    size_t used = 0;
    for (size_t i = 0; i < preset_count() && used < sizeof values; i++) {
        const preset_value *p = preset_at(i);
        if (!nonsens_option_find(p->key, NONSENS_COMMAND_DISCOVER)) {
            used +=
                (size_t)snprintf(values + used, sizeof values - used, "%s%s %s", used ? ", " : "", p->key, p->value);
        }
    }
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "As published, %s directs edges with %s: one network scores the rows that it was trained on, "
                       "and p-values that rest on it are too small.",
                       w->method->info.name, values);
}

/* ---- the method ---------------------------------------------------------------------------------------------- */

static void free_lines(line_work *w)
{
    for (int64_t i = 0; i < w->lines; i++) {
        nonsens_result_free(w->line[i].result);
    }
    nonsens_options_free(w->options);
}

nonsens_status pc_nonsens_discover(nonsens_context *ctx, arena *a, const nonsens_data *data,
                                   const nonsens_options *options, nonsens_result *result)
{
    SCOPED(pc_free) pc_search s = {0};
    SCOPED(free_lines) line_work w = {.search = &s, .method = result->pair_method};
    targets hit;
    TRY(targets_match(ctx, a, result->targets, data->segments, (const char *const *)data->labels, data->d,
                      data->column_rank, &hit));
    w.hit = result->targets ? &hit : NULL;
    TRY(pc_find_pattern(ctx, a, data, options, result->known, DEFAULT_KNOTS, &s));
    TRY(list_lines(ctx, a, &s.found.graph, &w));
    TRY(pair_options(ctx, options, w.method, w.lines, &w.options));
    TRY(parallel_for(ctx, (int)options->threads, w.lines, "directing edges", run_line, &w));
    TRY(check_cancelled(ctx));
    TRY(direct_lines(ctx, &w, &s.orient));
    TRY(pc_report(ctx, a, &s, result));
    for (int64_t i = 0; i < w.lines; i++) {
        TRY(report_line(ctx, &w, &w.line[i], result));
        TRY(say_line(ctx, &w, &w.line[i], result));
    }
    TRY(w.options->as_published ? note_preset(ctx, &w, result) : NONSENS_OK);
    return note_lines(ctx, &w, result);
}
