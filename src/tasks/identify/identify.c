/* identify.c - answers a question in every open graph, and merges equal answers (identify.h has the argument). */
#include "tasks/identify/identify.h"

#include "base/show.h"
#include "tasks/identify/identify_internal.h"

#include <inttypes.h>
#include <string.h>

static const int64_t MAX_STEPS = 200000; /* of the walks that count paths */

/* ---- the question ----------------------------------------------------------------------------------------------- */

static nonsens_status check(nonsens_context *ctx, const identify_graph *g, const identify_question *q)
{
    char shown[SHOWN_BYTES];
    if (pdag_has_cycle(&g->marks)) {
        return fail(ctx, NONSENS_ERR_DATA, "the graph has a cycle of arrows; give a graph without cycles");
    }
    if (q->set_count == 0) {
        return fail(ctx, NONSENS_ERR_USAGE, "no variable is set; set at least one");
    }
    for (int64_t k = 0; k < q->set_count; k++) {
        if (q->set[k] == q->target) {
            return fail(ctx, NONSENS_ERR_USAGE, "%s is set, so its value is known; ask about another variable",
                        show_bare(shown, g->name[q->target]));
        }
        for (int64_t i = 0; i < k; i++) {
            if (q->set[i] == q->set[k]) {
                return fail(ctx, NONSENS_ERR_USAGE, "%s is set twice; set it once",
                            show_bare(shown, g->name[q->set[k]]));
            }
        }
    }
    return NONSENS_OK;
}

static nonsens_status open_problem(nonsens_context *ctx, arena *a, const identify_graph *g, const identify_question *q,
                                   identify_problem *p)
{
    int64_t d = g->marks.d;
    TRY(identify_sort(ctx, a, g, &p->graph, &p->node));
    ARENA_TRY(ctx, a, p->set, q->set_count + 1);
    ARENA_TRY(ctx, a, p->is_set, d);
    ARENA_TRY(ctx, a, p->on_way, d);
    ARENA_TRY(ctx, a, p->is_above, d);
    ARENA_TRY(ctx, a, p->queue, d);
    p->set_count = q->set_count;
    p->max_graphs = q->max_graphs;
    for (int64_t i = 0; i < d; i++) {
        p->target = p->node[i] == q->target ? i : p->target;
        for (int64_t k = 0; k < q->set_count; k++) {
            if (p->node[i] == q->set[k]) {
                p->set[k] = i;
                p->is_set[i] = true;
            }
        }
    }
    return NONSENS_OK;
}

/* ---- ways from the set to the target ---------------------------------------------------------------------------- */

/* Returns whether a step can lead from a to b; is_open: also along undirected and contradictory edges. */
static bool can_step(const identify_problem *p, const pdag *g, bool is_open, int64_t a, int64_t b)
{
    enum pdag_mark mark = pdag_mark_of(g, a, b);
    return mark == PDAG_ARROW || (is_open && (mark == PDAG_LINE || (mark == PDAG_BOTH && p->graph.is_contradictory)));
}

/* Adds to `in` (d) all nodes that steps lead to (is_backward: come from), except those in `except` (may be NULL). */
static void spread(const identify_problem *p, const pdag *g, bool is_open, bool is_backward, const bool *except,
                   bool *in)
{
    int64_t waiting = 0;
    for (int64_t a = 0; a < g->d; a++) {
        if (in[a]) {
            p->queue[waiting++] = a;
        }
    }
    while (waiting > 0) {
        int64_t a = p->queue[--waiting];
        for (int64_t b = 0; b < g->d; b++) {
            bool leads = is_backward ? can_step(p, g, is_open, b, a) : can_step(p, g, is_open, a, b);
            if (leads && !in[b] && !(except && except[b])) {
                in[b] = true;
                p->queue[waiting++] = b;
            }
        }
    }
}

/* Fills in on_way (d): the nodes on directed paths from the set to the target, without the set; spare (d): scratch. */
static void find_way(const identify_problem *p, const pdag *g, bool is_open, bool *spare, bool *on_way)
{
    memset(spare, 0, (size_t)g->d * sizeof *spare);
    memcpy(on_way, p->is_set, (size_t)g->d * sizeof *on_way);
    spare[p->target] = true;
    spread(p, g, is_open, false, p->is_set, on_way);
    spread(p, g, is_open, true, p->is_set, spare);
    for (int64_t a = 0; a < g->d; a++) {
        on_way[a] = on_way[a] && spare[a] && !p->is_set[a];
    }
}

static nonsens_status find_what_matters(nonsens_context *ctx, arena *a, identify_problem *p)
{
    bool *spare;
    ARENA_TRY(ctx, a, spare, p->graph.marks.d);
    find_way(p, &p->graph.marks, true, spare, p->on_way);
    p->is_above[p->target] = true;
    spread(p, &p->graph.marks, true, true, NULL, p->is_above);
    return NONSENS_OK;
}

/* Returns whether a node on the way and a possible ancestor of the target have a hidden common cause. */
static bool has_hidden_on_way(const identify_problem *p)
{
    int64_t d = p->graph.marks.d;
    for (int64_t v = 0; v < d; v++) {
        for (int64_t w = 0; w < d && p->on_way[v]; w++) {
            if (p->graph.hidden[v * d + w] && p->is_above[w]) {
                return true;
            }
        }
    }
    return false;
}

/*
 * Finds a contradictory edge that may matter: one of its ends may be on the way, so the edge may be an arrow into it or
 * out of it; or it may make a node an ancestor of one on the way with which it has a hidden common cause.
 */
static bool find_contradiction(const identify_problem *p, int64_t *first, int64_t *second)
{
    const pdag *g = &p->graph.marks;
    const bool *matters = has_hidden_on_way(p) ? p->is_above : p->on_way;
    for (int64_t a = 0; p->graph.is_contradictory && a < g->d; a++) {
        for (int64_t b = a + 1; b < g->d; b++) {
            if (pdag_mark_of(g, a, b) == PDAG_BOTH && (matters[a] || matters[b])) {
                *first = a;
                *second = b;
                return true;
            }
        }
    }
    return false;
}

/* ---- lines that matter ------------------------------------------------------------------------------------------ */

/*
 * Finds the lines (undirected edges) that matter.  Lines matter if lines connect them to a node on the way, because the
 * directions of connected lines depend on one another.  If has_hidden_on_way, all lines among possible ancestors of the
 * target matter, because they decide which node is an ancestor of which.
 */
static nonsens_status choose_lines(nonsens_context *ctx, arena *a, identify_problem *p)
{
    const pdag *g = &p->graph.marks;
    bool *near, grows = true;
    int64_t all, kept = 0;
    TRY(orientations_lines(ctx, a, g, &p->line, &all));
    ARENA_TRY(ctx, a, near, g->d);
    memcpy(near, has_hidden_on_way(p) ? p->is_above : p->on_way, (size_t)g->d * sizeof *near);
    while (grows) {
        grows = false;
        for (int64_t e = 0; e < all; e++) {
            int64_t from = p->line[e].from, to = p->line[e].to;
            grows = grows || near[from] != near[to];
            near[from] = near[to] = near[from] || near[to];
        }
    }
    for (int64_t e = 0; e < all; e++) {
        if (near[p->line[e].from]) {
            p->line[kept++] = p->line[e];
        }
    }
    p->lines = kept;
    return NONSENS_OK;
}

/* ---- paths through lines ---------------------------------------------------------------------------------------- */

typedef struct path_walk {
    identify_problem *p;
    int64_t *line_of; /* (d, d) number of the line between two nodes, or -1 */
    int64_t *used;    /* (d) lines on the path so far */
    bool *is_passed;  /* (d) */
    int64_t steps;
} path_walk;

/* Counts paths from node `at` on; length: edges on the path so far; lines: how many of them are lines. */
static void walk_on(path_walk *w, int64_t at, int64_t length, int64_t lines)
{
    const identify_problem *p = w->p;
    const pdag *g = &p->graph.marks;
    if (at == p->target) {
        for (int64_t k = 0; k < lines; k++) {
            int64_t e = w->used[k];
            p->steps[e] = p->paths[e]++ == 0 || length < p->steps[e] ? length : p->steps[e];
        }
        return;
    }
    w->is_passed[at] = true;
    for (int64_t next = 0; next < g->d; next++) {
        if (p->on_way[next] && !w->is_passed[next] && can_step(p, g, true, at, next) && w->steps++ < MAX_STEPS) {
            int64_t line = w->line_of[at * g->d + next];
            w->used[lines] = line;
            walk_on(w, next, length + 1, lines + (line >= 0));
        }
    }
    w->is_passed[at] = false;
}

static nonsens_status count_paths(nonsens_context *ctx, arena *a, identify_problem *p)
{
    int64_t d = p->graph.marks.d;
    path_walk w = {.p = p};
    ARENA_TRY(ctx, a, p->paths, p->lines + 1);
    ARENA_TRY(ctx, a, p->steps, p->lines + 1);
    ARENA_TRY(ctx, a, w.line_of, d * d);
    ARENA_TRY(ctx, a, w.used, d + 1);
    ARENA_TRY(ctx, a, w.is_passed, d);
    for (int64_t i = 0; i < d * d; i++) {
        w.line_of[i] = -1;
    }
    for (int64_t e = 0; e < p->lines; e++) {
        w.line_of[p->line[e].from * d + p->line[e].to] = e;
        w.line_of[p->line[e].to * d + p->line[e].from] = e;
    }
    for (int64_t s = 0; s < d && p->lines > 0; s++) {
        if (p->is_set[s]) {
            walk_on(&w, s, 0, 0);
        }
    }
    return NONSENS_OK;
}

/*
 * Returns the line that most paths use; ties go to the line on the shortest path, then to the first by name.  Only the
 * lines in `counts` are considered (lines; NULL: all).  Returns NULL if there are no such lines.
 */
static const pdag_edge *busiest_line(const identify_problem *p, const bool *counts)
{
    int64_t best = -1;
    for (int64_t e = 0; e < p->lines; e++) {
        bool is_busier =
            best < 0 || p->paths[e] > p->paths[best] || (p->paths[e] == p->paths[best] && p->steps[e] < p->steps[best]);
        best = (!counts || counts[e]) && is_busier ? e : best;
    }
    return best < 0 ? NULL : &p->line[best];
}

/* ---- one graph -------------------------------------------------------------------------------------------------- */

/* An answer, as long as graphs are compared; nodes are numbered in the order of names. */
typedef struct draft {
    identify_node *node; /* (d) */
    bool *acts;          /* (set_count) */
    int64_t nodes, graphs;
    const pdag *graph;
} draft;

/* Returns whether all causes of the node that are on the way are taken already. */
static bool is_ready(const pdag *g, const bool *on_way, const bool *is_taken, int64_t v)
{
    for (int64_t w = 0; w < g->d; w++) {
        if (on_way[w] && !is_taken[w] && pdag_is_arrow(g, w, v)) {
            return false;
        }
    }
    return true;
}

static nonsens_status add_node(nonsens_context *ctx, arena *a, const identify_problem *p, const pdag *g, int64_t v,
                               draft *out)
{
    int64_t *parent;
    ARENA_TRY(ctx, a, parent, g->d);
    out->node[out->nodes++] = (identify_node){v, pdag_parents(g, v, parent), parent};
    for (int64_t k = 0; k < p->set_count; k++) {
        out->acts[k] = out->acts[k] || pdag_is_arrow(g, p->set[k], v);
    }
    return NONSENS_OK;
}

static nonsens_status draft_answer(nonsens_context *ctx, arena *a, const identify_problem *p, const pdag *g, draft *out)
{
    bool *on_way, *is_taken;
    ARENA_TRY(ctx, a, on_way, g->d);
    ARENA_TRY(ctx, a, is_taken, g->d);
    *out = (draft){.graphs = 1, .graph = g};
    ARENA_TRY(ctx, a, out->node, g->d);
    ARENA_TRY(ctx, a, out->acts, p->set_count + 1);
    find_way(p, g, false, is_taken, on_way);
    memset(is_taken, 0, (size_t)g->d * sizeof *is_taken);
    for (int64_t v = 0; v < g->d; v++) {
        if (on_way[v] && !is_taken[v] && is_ready(g, on_way, is_taken, v)) {
            is_taken[v] = true;
            TRY(add_node(ctx, a, p, g, v, out));
            v = -1; // nodes with earlier names may be ready now
        }
    }
    return NONSENS_OK;
}

static bool is_equal(const draft *x, const draft *y)
{
    bool equal = x->nodes == y->nodes;
    for (int64_t i = 0; i < x->nodes && equal; i++) {
        const identify_node *a = &x->node[i], *b = &y->node[i];
        equal = a->node == b->node && a->parents == b->parents &&
                memcmp(a->parent, b->parent, (size_t)a->parents * sizeof *a->parent) == 0;
    }
    return equal;
}

/* Finds a node on the way that has a hidden common cause with one of its own ancestors. */
static bool find_hidden(const identify_problem *p, const draft *answer, int64_t *cause, int64_t *effect)
{
    const pdag *g = answer->graph;
    for (int64_t i = 0; i < answer->nodes; i++) {
        int64_t v = answer->node[i].node;
        for (int64_t w = 0; w < g->d; w++) {
            if (p->graph.hidden[v * g->d + w] && pdag_is_ancestor(g, w, v)) {
                *cause = w;
                *effect = v;
                return true;
            }
        }
    }
    return false;
}

/* ---- all graphs ------------------------------------------------------------------------------------------------- */

/* Drafts the answers of all open graphs into *answer, without duplicates; number (graphs): which answer a graph has. */
static nonsens_status draft_all(nonsens_context *ctx, arena *a, const identify_problem *p, const orientations *open,
                                draft **answer, int64_t *answers, int64_t **number)
{
    ARENA_TRY(ctx, a, *answer, open->count);
    ARENA_TRY(ctx, a, *number, open->count);
    *answers = 0;
    for (int64_t k = 0; k < open->count; k++) {
        draft next;
        int64_t i = 0;
        TRY(draft_answer(ctx, a, p, &open->graph[k], &next));
        while (i < *answers && !is_equal(&(*answer)[i], &next)) {
            i++;
        }
        if (i < *answers) {
            (*answer)[i].graphs++;
        } else {
            (*answer)[(*answers)++] = next;
        }
        (*number)[k] = i;
    }
    return NONSENS_OK;
}

/* Finds the busiest line on which answers depend: some answer occurs with only one of its directions. */
static nonsens_status find_divider(nonsens_context *ctx, arena *a, const identify_problem *p, const orientations *open,
                                   int64_t answers, const int64_t *number, const pdag_edge **line)
{
    bool *divides, *seen; // (lines), (answers, 2): the answer occurs with this direction
    ARENA_TRY(ctx, a, divides, p->lines + 1);
    ARENA_TRY(ctx, a, seen, 2 * answers);
    for (int64_t e = 0; e < p->lines; e++) {
        bool both[2] = {false, false};
        memset(seen, 0, (size_t)(2 * answers) * sizeof *seen);
        for (int64_t k = 0; k < open->count; k++) {
            int way = pdag_is_arrow(&open->graph[k], p->line[e].from, p->line[e].to);
            seen[2 * number[k] + way] = both[way] = true;
        }
        for (int64_t i = 0; i < answers && both[0] && both[1]; i++) {
            divides[e] = divides[e] || seen[2 * i] != seen[2 * i + 1];
        }
    }
    *line = busiest_line(p, divides);
    return NONSENS_OK;
}

/* Copies an answer, with the caller's numbers of nodes. */
static nonsens_status keep_answer(nonsens_context *ctx, const identify_problem *p, const draft *from,
                                  identify_answer *out)
{
    identify_node *node;
    bool *acts;
    pdag *graph;
    ARENA_TRY(ctx, p->keep, node, from->nodes + 1);
    ARENA_TRY(ctx, p->keep, acts, p->set_count + 1);
    ARENA_TRY(ctx, p->keep, graph, 1);
    TRY(identify_unsort(ctx, p->keep, from->graph, p->node, graph));
    memcpy(acts, from->acts, (size_t)p->set_count * sizeof *acts);
    for (int64_t i = 0; i < from->nodes; i++) {
        int64_t *parent;
        ARENA_TRY(ctx, p->keep, parent, from->node[i].parents + 1);
        for (int64_t k = 0; k < from->node[i].parents; k++) {
            parent[k] = p->node[from->node[i].parent[k]];
        }
        node[i] = (identify_node){p->node[from->node[i].node], from->node[i].parents, parent};
    }
    *out = (identify_answer){from->nodes, node, acts, from->graphs, graph};
    return NONSENS_OK;
}

static nonsens_status keep_answers(nonsens_context *ctx, const identify_problem *p, const draft *answer,
                                   int64_t answers, identify_result *out)
{
    identify_answer *kept;
    ARENA_TRY(ctx, p->keep, kept, answers);
    for (int64_t i = 0; i < answers; i++) {
        TRY(keep_answer(ctx, p, &answer[i], &kept[i]));
    }
    out->answer = kept;
    out->answers = answers;
    out->status = answers > 1 ? IDENTIFY_RANGE : answer[0].nodes > 0 ? IDENTIFY_IDENTIFIED : IDENTIFY_NO_PATH;
    return NONSENS_OK;
}

static nonsens_status judge(nonsens_context *ctx, arena *a, const identify_problem *p, const orientations *open,
                            identify_result *out)
{
    draft *answer;
    const pdag_edge *line;
    int64_t *number, answers, cause = -1, effect = -1, clashes = 0;
    TRY(draft_all(ctx, a, p, open, &answer, &answers, &number));
    for (int64_t k = 0; k < open->count; k++) {
        draft of_graph = answer[number[k]];
        int64_t from, to;
        of_graph.graph = &open->graph[k]; // ancestors may differ between graphs of one answer
        if (find_hidden(p, &of_graph, &from, &to) && clashes++ == 0) {
            cause = from;
            effect = to;
        }
    }
    if (clashes > 0) {
        return identify_refuse_hidden(ctx, p, cause, effect, clashes, out);
    }
    TRY(keep_answers(ctx, p, answer, answers, out));
    if (out->status != IDENTIFY_RANGE) {
        return identify_say(ctx, p, out);
    }
    TRY(find_divider(ctx, a, p, open, answers, number, &line));
    return identify_say_range(ctx, p, line, out);
}

nonsens_status identify(nonsens_context *ctx, arena *keep, const identify_graph *g, const identify_question *question,
                        identify_result *out)
{
    SCOPED_ARENA(scratch);
    identify_problem p = {.keep = keep};
    orientations open;
    int64_t a, b;
    *out = (identify_result){.status = IDENTIFY_REFUSED, .edge = {-1, -1}};
    TRY(check(ctx, g, question));
    TRY(open_problem(ctx, &scratch, g, question, &p));
    TRY(find_what_matters(ctx, &scratch, &p));
    if (find_contradiction(&p, &a, &b)) {
        return identify_refuse_contradiction(ctx, &p, a, b, out);
    }
    TRY(choose_lines(ctx, &scratch, &p));
    TRY(count_paths(ctx, &scratch, &p));
    TRY(orientations_list(ctx, &scratch, &p.graph.marks, p.lines, p.line, p.max_graphs, &open));
    if (!open.is_complete) {
        return identify_refuse_many(ctx, &p, busiest_line(&p, NULL), out);
    }
    out->graphs = open.count;
    out->is_relaxed = open.is_relaxed;
    return judge(ctx, &scratch, &p, &open, out);
}
