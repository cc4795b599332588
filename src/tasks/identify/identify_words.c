/* identify_words.c - says what was decided, on which edge it depends, and which data would decide it. */
#include "base/show.h"
#include "tasks/identify/identify_internal.h"

#include <inttypes.h>
#include <stdio.h>

enum { LISTED = 8, EDGE_BYTES = 2 * SHOWN_BYTES + 8 };

static const char *show_node(char out[SHOWN_BYTES], const identify_problem *p, int64_t node)
{
    return show_bare(out, p->graph.name[node]);
}

static const char *show_set(show_list *list, const identify_problem *p)
{
    *list = (show_list){.max = LISTED};
    for (int64_t k = 0; k < p->set_count; k++) {
        show_list_add(list, p->graph.name[p->set[k]]);
    }
    return show_list_end(list);
}

/* Writes an edge as in text output: "a -> b", "a -- b", "a <-> b". */
static const char *show_edge(char out[EDGE_BYTES], const identify_problem *p, int64_t a, int64_t b)
{
    char first[SHOWN_BYTES], second[SHOWN_BYTES];
    enum pdag_mark mark = pdag_mark_of(&p->graph.marks, a, b);
    bool is_back = mark == PDAG_BACK;
    snprintf(out, EDGE_BYTES, "%s %s %s", show_node(first, p, is_back ? b : a),
             mark == PDAG_LINE                        ? "--"
             : mark == PDAG_NONE || mark == PDAG_BOTH ? "<->"
                                                      : "->",
             show_node(second, p, is_back ? a : b));
    return out;
}

static nonsens_status finish(const char *text)
{
    return text ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

static void point_at(const identify_problem *p, identify_obstacle obstacle, int64_t a, int64_t b, identify_result *out)
{
    out->obstacle = obstacle;
    out->edge[0] = p->node[a];
    out->edge[1] = p->node[b];
}

/* Says which data would show the direction of an edge. */
static nonsens_status settle_direction(nonsens_context *ctx, const identify_problem *p, int64_t a, int64_t b,
                                       identify_result *out)
{
    char first[SHOWN_BYTES], second[SHOWN_BYTES];
    show_node(first, p, a);
    show_node(second, p, b);
    out->settle = arena_format(ctx, p->keep,
                               "An experiment that sets %s or %s would settle it, or segments in which the disturbance "
                               "of %s or %s changes, or prior knowledge of the direction.",
                               first, second, first, second);
    return finish(out->settle);
}

/* ---- refusals --------------------------------------------------------------------------------------------------- */

nonsens_status identify_refuse_many(nonsens_context *ctx, const identify_problem *p, const pdag_edge *line,
                                    identify_result *out)
{
    char edge[EDGE_BYTES], target[SHOWN_BYTES];
    show_list set;
    int64_t a = line ? line->from : p->target, b = line ? line->to : p->target, e = line ? line - p->line : 0;
    out->status = IDENTIFY_REFUSED;
    point_at(p, IDENTIFY_OPEN, a, b, out);
    show_edge(edge, p, a, b);
    out->reason =
        p->paths[e] > 0
            ? arena_format(ctx, p->keep,
                           "Undirected edges leave more than %" PRId64 " graphs open for the effect of %s on %s. Most "
                           "directed paths that are possible use %s.",
                           p->max_graphs, show_set(&set, p), show_node(target, p, p->target), edge)
            : arena_format(ctx, p->keep,
                           "Undirected edges, such as %s, leave more than %" PRId64 " graphs open for the effect of %s "
                           "on %s.",
                           edge, p->max_graphs, show_set(&set, p), show_node(target, p, p->target));
    TRY(finish(out->reason));
    return settle_direction(ctx, p, a, b, out);
}

nonsens_status identify_refuse_contradiction(nonsens_context *ctx, const identify_problem *p, int64_t a, int64_t b,
                                             identify_result *out)
{
    char edge[EDGE_BYTES], target[SHOWN_BYTES];
    show_list set;
    out->status = IDENTIFY_REFUSED;
    point_at(p, IDENTIFY_CONTRADICTORY, a, b, out);
    out->reason = arena_format(ctx, p->keep,
                               "The effect of %s on %s depends on %s, on whose direction tests contradict one another.",
                               show_set(&set, p), show_node(target, p, p->target), show_edge(edge, p, a, b));
    TRY(finish(out->reason));
    return settle_direction(ctx, p, a, b, out);
}

nonsens_status identify_refuse_hidden(nonsens_context *ctx, const identify_problem *p, int64_t cause, int64_t effect,
                                      int64_t some, identify_result *out)
{
    char first[SHOWN_BYTES], second[SHOWN_BYTES], target[SHOWN_BYTES], edge[EDGE_BYTES], where[64] = "";
    show_list set;
    bool is_cause = pdag_is_arrow(&p->graph.marks, cause, effect);
    out->status = IDENTIFY_REFUSED;
    point_at(p, IDENTIFY_HIDDEN, cause, effect, out);
    show_node(first, p, cause);
    show_node(second, p, effect);
    if (some < out->graphs) {
        snprintf(where, sizeof where, " (in %" PRId64 " of %" PRId64 " open graphs)", some, out->graphs);
    }
    out->reason =
        arena_format(ctx, p->keep,
                     "The effect of %s on %s is not identified, because of %s: %s and %s have a hidden common cause, "
                     "and %s is %s of %s%s. So the disturbance of %s depends on the causes of %s, and how they act "
                     "cannot be seen.",
                     show_set(&set, p), show_node(target, p, p->target), show_edge(edge, p, cause, effect), first,
                     second, first, is_cause ? "a cause" : "an indirect cause", second, where, second, second);
    TRY(finish(out->reason));
    out->settle = arena_format(ctx, p->keep,
                               "An experiment that sets %s, or a measurement of the common cause of %s and %s, would "
                               "settle it.",
                               first, first, second);
    return finish(out->settle);
}

/* ---- answers ---------------------------------------------------------------------------------------------------- */

/* Lists the variables that are set but act in no graph; returns whether there are any. */
static bool list_idle(const identify_problem *p, const identify_result *r, show_list *list)
{
    *list = (show_list){.max = LISTED};
    for (int64_t k = 0; k < p->set_count; k++) {
        bool acts = false;
        for (int64_t i = 0; i < r->answers; i++) {
            acts = acts || r->answer[i].acts[k];
        }
        if (!acts) {
            show_list_add(list, p->graph.name[p->set[k]]);
        }
    }
    return list->count > 0;
}

/* Adds remarks to the reason: on variables that are set but do not act, and on graphs with new v-structures. */
static nonsens_status add_remarks(nonsens_context *ctx, const identify_problem *p, identify_result *out)
{
    show_list idle;
    if (out->status != IDENTIFY_NO_PATH && list_idle(p, out, &idle)) {
        show_list_end(&idle);
        out->reason = arena_format(ctx, p->keep,
                                   "%s Setting %s as well changes nothing: no directed path leads from there to the "
                                   "target past the other variables that are set.",
                                   out->reason, idle.text);
        TRY(finish(out->reason));
    }
    if (out->is_relaxed) {
        out->reason = arena_format(ctx, p->keep,
                                   "%s The undirected edges cannot all be directed without a cycle or a new "
                                   "v-structure; graphs with new v-structures are among those that are open.",
                                   out->reason);
    }
    return finish(out->reason);
}

nonsens_status identify_say(nonsens_context *ctx, const identify_problem *p, identify_result *out)
{
    char target[SHOWN_BYTES], graphs[96] = "";
    show_list set;
    bool is_none = out->status == IDENTIFY_NO_PATH;
    show_set(&set, p);
    show_node(target, p, p->target);
    if (out->graphs > 1) {
        snprintf(graphs, sizeof graphs,
                 is_none ? " in any of the %" PRId64 " open graphs" : " All %" PRId64 " open graphs agree.",
                 out->graphs);
    }
    out->reason = is_none
                      ? arena_format(ctx, p->keep, "No directed path leads from %s to %s%s: the effect is exactly 0.",
                                     set.text, target, graphs)
                      : arena_format(ctx, p->keep,
                                     "The effect of %s on %s is identified: no variable on the way has a hidden "
                                     "common cause with one of its own causes.%s",
                                     set.text, target, graphs);
    TRY(finish(out->reason));
    return add_remarks(ctx, p, out);
}

nonsens_status identify_say_range(nonsens_context *ctx, const identify_problem *p, const pdag_edge *line,
                                  identify_result *out)
{
    char target[SHOWN_BYTES], edge[EDGE_BYTES];
    show_list set;
    int64_t zeros = 0;
    for (int64_t i = 0; i < out->answers; i++) {
        zeros += out->answer[i].nodes == 0;
    }
    out->reason = arena_format(ctx, p->keep,
                               "The effect of %s on %s is a range: the data leave %" PRId64 " graphs open, which give "
                               "%" PRId64 " different answers%s.",
                               show_set(&set, p), show_node(target, p, p->target), out->graphs, out->answers,
                               zeros > 0 ? ", one of them exactly 0" : "");
    TRY(finish(out->reason));
    if (line) {
        point_at(p, IDENTIFY_OPEN, line->from, line->to, out);
        out->reason = arena_format(ctx, p->keep, "%s They depend most on the direction of %s.", out->reason,
                                   show_edge(edge, p, line->from, line->to));
        TRY(finish(out->reason));
        TRY(settle_direction(ctx, p, line->from, line->to, out));
    }
    return add_remarks(ctx, p, out);
}
