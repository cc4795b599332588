/* graph_check.c - lists what a graph implies, tests it, and judges the tests together. */
#include "tasks/identify/graph_check.h"

#include "base/parallel.h"
#include "base/show.h"
#include "graph/skeleton_test.h"
#include "methods/shared/reasoning.h"
#include "tasks/identify/identify_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LISTED = 3, GIVEN_LISTED = 4 };

/* A graph with its nodes in the order of names, and the tests to be made, whose nodes have the caller's numbers. */
typedef struct checked {
    identify_graph graph;
    int32_t *node;      /* (d) the caller's number of each node */
    int64_t *place;     /* (d) the node with each of the caller's numbers */
    int64_t *rank;      /* (d) position in an order in which causes come first */
    bool *seen, *above; /* (d, 2), (d) space for walks */
    int64_t *queue;     /* (2 d) space for walks */
    graph_check *out;
} checked;

/* ---- which independences are implied ---------------------------------------------------------------------------- */

static void rank_nodes(checked *c)
{
    const pdag *g = &c->graph.marks;
    for (int64_t v = 0; v < g->d; v++) {
        c->rank[v] = -1;
    }
    for (int64_t next = 0; next < g->d; next++) {
        for (int64_t v = 0; v < g->d; v++) {
            bool is_ready = c->rank[v] < 0;
            for (int64_t w = 0; w < g->d && is_ready; w++) {
                is_ready = c->rank[w] >= 0 || !pdag_is_arrow(g, w, v);
            }
            if (is_ready) {
                c->rank[v] = next;
                break;
            }
        }
    }
}

/* Sets above (d) to the given nodes and their ancestors. */
static void find_above(checked *c, int64_t count, const int64_t *given)
{
    const pdag *g = &c->graph.marks;
    for (int64_t v = 0; v < g->d; v++) {
        c->above[v] = false;
        for (int64_t k = 0; k < count && !c->above[v]; k++) {
            c->above[v] = v == given[k] || pdag_is_ancestor(g, v, given[k]);
        }
    }
}

static bool has(int64_t count, const int64_t *set, int64_t v)
{
    bool found = false;
    for (int64_t k = 0; k < count; k++) {
        found = found || set[k] == v;
    }
    return found;
}

/* Returns whether v and w have an edge with these ends (true: an arrowhead).  A hidden common cause is v <-> w. */
static bool has_edge(const checked *c, int64_t v, bool head_at_v, int64_t w, bool head_at_w)
{
    const pdag *g = &c->graph.marks;
    return (head_at_v && head_at_w && (c->graph.hidden[v * g->d + w] || pdag_mark_of(g, v, w) == PDAG_BOTH)) ||
           (!head_at_v && head_at_w && pdag_is_arrow(g, v, w)) || (head_at_v && !head_at_w && pdag_is_arrow(g, w, v));
}

/*
 * Returns whether the given nodes m-separate a and b.  A state is a node and the kind of edge end by which a path
 * entered it.  A path may pass a collider (two arrowheads) if it is in `above`, any other node if it is not given.
 */
static bool is_separated(checked *c, int64_t a, int64_t b, int64_t count, const int64_t *given)
{
    int64_t d = c->graph.marks.d, waiting = 0;
    find_above(c, count, given);
    for (int64_t i = 0; i < 2 * d; i++) {
        c->seen[i] = false;
    }
    c->queue[waiting++] = 2 * a;
    while (waiting > 0) {
        int64_t state = c->queue[--waiting], v = state / 2;
        bool came_by_head = state % 2, is_start = v == a;
        for (int64_t w = 0; w < d; w++) {
            for (int ends = 0; ends < 4 && w != a; ends++) {
                bool head_at_v = ends & 1, head_at_w = ends & 2;
                bool is_open = is_start || (came_by_head && head_at_v ? c->above[v] : !has(count, given, v));
                int64_t next = 2 * w + head_at_w;
                if (is_open && !c->seen[next] && has_edge(c, v, head_at_v, w, head_at_w)) {
                    if (w == b) {
                        return false;
                    }
                    c->seen[next] = true;
                    c->queue[waiting++] = next;
                }
            }
        }
    }
    return true;
}

static nonsens_status open_check(nonsens_context *ctx, arena *scratch, arena *keep, const identify_graph *dag,
                                 checked *c, graph_check *out)
{
    int64_t d = dag->marks.d;
    *c = (checked){.out = out};
    *out = (graph_check){0};
    TRY(identify_sort(ctx, scratch, dag, &c->graph, &c->node));
    ARENA_TRY(ctx, scratch, c->place, d);
    ARENA_TRY(ctx, scratch, c->rank, d);
    ARENA_TRY(ctx, scratch, c->seen, 2 * d);
    ARENA_TRY(ctx, scratch, c->above, d);
    ARENA_TRY(ctx, scratch, c->queue, 2 * d);
    ARENA_TRY(ctx, keep, out->pair, d * (d - 1) / 2 + 1);
    for (int64_t i = 0; i < d; i++) {
        c->place[c->node[i]] = i;
    }
    rank_nodes(c);
    return NONSENS_OK;
}

static nonsens_status add_pair(nonsens_context *ctx, arena *keep, checked *c, int64_t a, int64_t b, int64_t count,
                               const int64_t *given)
{
    int64_t *of_caller;
    ARENA_TRY(ctx, keep, of_caller, count + 1);
    for (int64_t k = 0; k < count; k++) {
        of_caller[k] = c->node[given[k]];
    }
    c->out->pair[c->out->tests++] = (graph_check_pair){c->node[a], c->node[b], count, of_caller, NAN, NAN};
    return NONSENS_OK;
}

/* Keeps the tests with the fewest given nodes; the sort is stable, so names break ties. */
static void limit_tests(graph_check *out, int64_t max_tests)
{
    for (int64_t k = 1; k < out->tests; k++) {
        graph_check_pair pair = out->pair[k];
        int64_t at = k;
        for (; at > 0 && out->pair[at - 1].count > pair.count; at--) {
            out->pair[at] = out->pair[at - 1];
        }
        out->pair[at] = pair;
    }
    out->omitted = out->tests > max_tests ? out->tests - max_tests : 0;
    out->tests -= out->omitted;
}

static nonsens_status list_independences(nonsens_context *ctx, arena *scratch, arena *keep, checked *c)
{
    const pdag *g = &c->graph.marks;
    int64_t *given;
    ARENA_TRY(ctx, scratch, given, g->d);
    for (int64_t x = 0; x < g->d; x++) {
        TRY(check_cancelled(ctx));
        for (int64_t y = x + 1; y < g->d; y++) {
            bool is_forth = c->rank[x] < c->rank[y];
            int64_t a = is_forth ? x : y, b = is_forth ? y : x, count = pdag_parents(g, b, given);
            if (pdag_is_adjacent(g, a, b) || c->graph.hidden[a * g->d + b]) {
                continue;
            }
            if (is_separated(c, a, b, count, given)) {
                TRY(add_pair(ctx, keep, c, a, b, count, given));
            } else {
                c->out->not_implied++;
            }
        }
    }
    return NONSENS_OK;
}

/* ---- judging ---------------------------------------------------------------------------------------------------- */

/* Orders pairs by p-value; tests that were not made come last.  The sort is stable. */
static void sort_pairs(graph_check *out)
{
    int64_t all = out->tests;
    for (int64_t k = 1; k < all; k++) {
        graph_check_pair pair = out->pair[k];
        int64_t at = k;
        for (; at > 0 && !isnan(pair.p_value) && !(out->pair[at - 1].p_value <= pair.p_value); at--) {
            out->pair[at] = out->pair[at - 1];
        }
        out->pair[at] = pair;
    }
}

static void judge(graph_check *out, double alpha)
{
    double largest = 0.0;
    sort_pairs(out);
    for (int64_t k = 0; k < out->tests; k++) {
        out->unmade += isnan(out->pair[k].p_value);
    }
    out->tests -= out->unmade;
    for (int64_t k = 0; k < out->tests; k++) {
        largest = fmin(1.0, fmax(largest, (double)(out->tests - k) * out->pair[k].p_value));
        out->pair[k].adjusted = largest;
        out->failed += largest <= alpha;
    }
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

typedef struct wording {
    const char *pass;  /* "The graph passes" */
    const char *fail;  /* "The data contradict the graph" */
    const char *none;  /* the sentence if there was nothing to test */
    const char *whose; /* what precedes the names of a pair */
} wording;

/* Writes "a and c are dependent given b (p < 0.001)"; p is adjusted. */
static const char *say_pair(nonsens_context *ctx, arena *a, const checked *c, const graph_check_pair *pair,
                            const char *whose)
{
    char first[SHOWN_BYTES], second[SHOWN_BYTES], p[REASONING_P_BYTES];
    bool is_forth = c->place[pair->a] < c->place[pair->b];
    int64_t x = c->place[is_forth ? pair->a : pair->b], y = c->place[is_forth ? pair->b : pair->a];
    show_list given = {.max = GIVEN_LISTED};
    for (int64_t k = 0; k < pair->count; k++) {
        show_list_add(&given, c->graph.name[c->place[pair->given[k]]]);
    }
    return arena_format(ctx, a, "%s%s and %s are dependent%s%s (%s)", whose, show_bare(first, c->graph.name[x]),
                        show_bare(second, c->graph.name[y]), pair->count > 0 ? " given " : "",
                        pair->count > 0 ? show_list_end(&given) : "", reasoning_p(p, pair->adjusted));
}

static nonsens_status say_failed(nonsens_context *ctx, arena *scratch, arena *keep, const checked *c, const wording *w)
{
    graph_check *out = c->out;
    const char *list = "";
    char more[48] = "";
    for (int64_t k = 0; k < out->failed && k < LISTED; k++) {
        const char *one = say_pair(ctx, scratch, c, &out->pair[k], w->whose);
        list = one ? arena_format(ctx, scratch, "%s%s%s", list, k > 0 ? "; " : "", one) : NULL;
        if (!list) {
            return NONSENS_ERR_MEMORY;
        }
    }
    if (out->failed > LISTED) {
        snprintf(more, sizeof more, "; and %" PRId64 " more", out->failed - LISTED);
    }
    out->sentence = arena_format(ctx, keep, "%s: %s%s. It fails %" PRId64 " %s of %" PRId64 ".", w->fail, list, more,
                                 out->failed, out->failed == 1 ? "test" : "tests", out->tests);
    return out->sentence ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

static nonsens_status say(nonsens_context *ctx, arena *scratch, arena *keep, const checked *c, const wording *w)
{
    graph_check *out = c->out;
    if (out->failed > 0) {
        TRY(say_failed(ctx, scratch, keep, c, w));
    } else {
        out->sentence = out->tests == 0 ? w->none
                                        : arena_format(ctx, keep, "%s %" PRId64 " %s of %" PRId64 ".", w->pass,
                                                       out->tests, out->tests == 1 ? "test" : "tests", out->tests);
    }
    if (out->sentence && out->unmade + out->omitted > 0) {
        out->sentence =
            arena_format(ctx, keep, "%s %" PRId64 " further %s not made.", out->sentence, out->unmade + out->omitted,
                         out->unmade + out->omitted == 1 ? "test was" : "tests were");
    }
    return out->sentence ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

/* ---- independences ---------------------------------------------------------------------------------------------- */

typedef struct asked {
    const checked *c;
    skeleton_test_fn test;
    void *state;
} asked;

static nonsens_status ask(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    asked *q = state;
    graph_check_pair *pair = &q->c->out->pair[job];
    int64_t x = pair->a < pair->b ? pair->a : pair->b, y = pair->a < pair->b ? pair->b : pair->a, *given;
    ARENA_TRY(ctx, scratch, given, pair->count + 1);
    for (int64_t k = 0; k < pair->count; k++) { // ascending, as skeleton.h wants them
        int64_t at = k;
        for (; at > 0 && given[at - 1] > pair->given[k]; at--) {
            given[at] = given[at - 1];
        }
        given[at] = pair->given[k];
    }
    return q->test(ctx, scratch, q->state, x, y, pair->count, given, &pair->p_value);
}

nonsens_status graph_check_ask_ci(nonsens_context *ctx, arena *scratch, void *state, int64_t x, int64_t y,
                                  int64_t count, const int64_t *given, double *p_value)
{
    const skeleton_ci *s = state;
    int64_t *variable;
    ci_result result;
    ARENA_TRY(ctx, scratch, variable, count + 1);
    for (int64_t k = 0; k < count; k++) {
        variable[k] = s->variable ? s->variable[given[k]] : given[k];
    }
    TRY(ci_test(ctx, s->tester, s->variable ? s->variable[x] : x, s->variable ? s->variable[y] : y, count, variable,
                &result));
    bool is_made = result.by_callback || (result.segments_used > 0 && !result.degenerate);
    *p_value = is_made ? result.p_value : NAN;
    return NONSENS_OK;
}

nonsens_status graph_check_independences(nonsens_context *ctx, arena *keep, const identify_graph *dag,
                                         skeleton_test_fn test, void *state, const graph_check_options *options,
                                         graph_check *out)
{
    static const wording words = {"The graph passes", "The data contradict the graph",
                                  "The graph implies no independence that can be tested.", ""};
    SCOPED_ARENA(scratch);
    checked c;
    TRY(open_check(ctx, &scratch, keep, dag, &c, out));
    TRY(list_independences(ctx, &scratch, keep, &c));
    limit_tests(out, options->max_tests);
    asked q = {&c, test, state};
    TRY(parallel_for(ctx, options->threads, out->tests, NULL, ask, &q));
    judge(out, options->alpha);
    return say(ctx, &scratch, keep, &c, &words);
}

/* ---- disturbances ----------------------------------------------------------------------------------------------- */

typedef struct compared {
    const checked *c;
    matrix disturbance;
    const row_groups *segments;
    const hsic_options *hsic;
} compared;

/* Copies the rows of segments in which both disturbances are known; returns how many; start (segments + 1). */
static int64_t copy_known(const compared *q, const graph_check_pair *pair, double *x, double *y, int64_t *start)
{
    const double *a = matrix_col(q->disturbance, pair->a), *b = matrix_col(q->disturbance, pair->b);
    int64_t kept = 0;
    start[0] = 0;
    for (int64_t e = 0; e < q->segments->count; e++) {
        int64_t first = q->segments->start[e], rows = q->segments->start[e + 1] - first;
        bool is_known = rows > 0;
        for (int64_t i = first; i < first + rows && is_known; i++) {
            is_known = !isnan(a[i]) && !isnan(b[i]);
        }
        if (is_known) {
            memcpy(x + start[kept], a + first, (size_t)rows * sizeof *x);
            memcpy(y + start[kept], b + first, (size_t)rows * sizeof *y);
            start[kept + 1] = start[kept] + rows;
            kept++;
        }
    }
    return kept;
}

static nonsens_status compare(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    compared *q = state;
    graph_check_pair *pair = &q->c->out->pair[job];
    hsic_options how = *q->hsic;
    hsic_result h;
    double *x, *y;
    int64_t *start;
    ARENA_TRY(ctx, scratch, x, q->disturbance.rows);
    ARENA_TRY(ctx, scratch, y, q->disturbance.rows);
    ARENA_TRY(ctx, scratch, start, q->segments->count + 1);
    int64_t segments = copy_known(q, pair, x, y, start);
    if (segments == 0 || (how.time_order && segments < q->segments->count)) { // time_order covers all rows
        return NONSENS_OK;
    }
    how.job = q->hsic->job + (uint64_t)job;
    TRY(hsic_test_scalars(ctx, scratch, start[segments], x, y, segments, start, &how, &h));
    pair->p_value = h.segments_used > 0 ? h.p_value : NAN;
    return NONSENS_OK;
}

nonsens_status graph_check_disturbances(nonsens_context *ctx, arena *keep, const identify_graph *dag,
                                        matrix disturbance, const row_groups *segments, const hsic_options *hsic,
                                        const graph_check_options *options, graph_check *out)
{
    static const wording words = {"The disturbances of the graph pass", "The data contradict the graph",
                                  "The graph has no disturbances that can be compared.", "the disturbances of "};
    SCOPED_ARENA(scratch);
    checked c;
    TRY(open_check(ctx, &scratch, keep, dag, &c, out));
    for (int64_t x = 0; x < dag->marks.d; x++) {
        for (int64_t y = x + 1; y < dag->marks.d; y++) {
            bool is_forth = c.rank[x] < c.rank[y];
            bool is_open = c.graph.hidden[x * dag->marks.d + y] || pdag_mark_of(&c.graph.marks, x, y) == PDAG_BOTH;
            if (!is_open) {
                TRY(add_pair(ctx, keep, &c, is_forth ? x : y, is_forth ? y : x, 0, NULL));
            }
        }
    }
    limit_tests(out, options->max_tests);
    compared q = {&c, disturbance, segments, hsic};
    TRY(parallel_for(ctx, options->threads, out->tests, NULL, compare, &q));
    judge(out, options->alpha);
    return say(ctx, &scratch, keep, &c, &words);
}
