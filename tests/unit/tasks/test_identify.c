/*
 * test_identify.c - open graphs, identified questions, ranges and refusals: worked out by hand, against brute force,
 * against d-separation with hidden variables as nodes, and against regressions in linear models.
 */
#include "graph/metrics.h"
#include "tasks/identify/identify.h"
#include "tasks/identify/orientations.h"

#include <math.h>

#include "effect_graphs.h"

/* ---- open graphs ------------------------------------------------------------------------------------------------ */

typedef struct open_case {
    const char *names, *edges;
    int64_t count;
    bool is_relaxed;
} open_case;

static void test_open_graphs(void **state)
{
    fixture *f = *state;
    static const open_case cases[] = {
        {"x y", "x->y", 1, false},
        {"x y", "x--y", 2, false},
        {"x m y", "x--m m--y", 3, false}, // a chain or a fork, but no collider
        {"a b c d", "a--b b--c c--d", 4, false},
        {"x m y", "x--m m--y x--y", 6, false},
        {"a b c d", "a--b a--c a--d b--c b--d c--d", 24, false},
        {"a b c d e", "a->c b->c c--d", 1, false},          // d -> c would be a new v-structure
        {"a b c d e", "a->c b->c d--e", 2, false},          // an edge elsewhere is free
        {"a b c", "a->b b->c a--c", 1, false},              // c -> a closes a cycle
        {"a b c", "a->b b--c a--c", 3, false},              // three of four have no cycle
        {"a b c", "a--b b<->c", 2, false},                  // a hidden common cause is no arrow
        {"a b c d", "a--b b--c c--d a--d", 14, true},       // any choice of directions makes a v-structure or a cycle
        {"a b c d e", "a--b b--c c--d a--d d--e", 28, true} // so all acyclic choices are open
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        words names;
        orientations open;
        pdag_edge *line;
        int64_t lines;
        split(cases[i].names, &names);
        identify_graph g = make_graph(f, &names, cases[i].edges, false);
        assert_int_equal(orientations_lines(f->ctx, &f->scratch, &g.marks, &line, &lines), NONSENS_OK);
        assert_int_equal(orientations_list(f->ctx, &f->scratch, &g.marks, lines, line, 64, &open), NONSENS_OK);
        assert_int_equal(open.count, cases[i].count);
        assert_int_equal(open.is_relaxed, cases[i].is_relaxed);
        assert_true(open.is_complete);
        assert_int_equal(orientations_list(f->ctx, &f->scratch, &g.marks, lines, line, cases[i].count, &open), 0);
        assert_true(open.is_complete && open.count == cases[i].count);
        if (cases[i].count > 1) {
            assert_int_equal(orientations_list(f->ctx, &f->scratch, &g.marks, lines, line, cases[i].count - 1, &open),
                             NONSENS_OK);
            assert_false(open.is_complete);
            assert_int_equal(open.count, cases[i].count - 1);
        }
    }
}

/* Makes a DAG from the arrows of a graph and its lines, directed by the bits of `way`. */
static small_dag direct_lines(const pdag *g, int64_t lines, const pdag_edge *line, unsigned way)
{
    small_dag out = {.d = (int)g->d};
    for (int64_t a = 0; a < g->d; a++) {
        for (int64_t b = 0; b < g->d; b++) {
            out.parent[b] |= a != b && pdag_is_arrow(g, a, b) ? 1u << a : 0;
        }
    }
    for (int64_t e = 0; e < lines; e++) {
        bool is_back = way >> e & 1;
        out.parent[is_back ? line[e].from : line[e].to] |= 1u << (is_back ? line[e].to : line[e].from);
    }
    return out;
}

/* Returns whether the DAG has a v-structure that g's arrows do not make.  Any edge of g makes nodes adjacent. */
static bool has_new_collider(const small_dag *dag, const pdag *g)
{
    for (int y = 0; y < dag->d; y++) {
        for (int x = 0; x < dag->d; x++) {
            for (int z = 0; z < x; z++) {
                if ((dag->parent[y] >> x & 1) && (dag->parent[y] >> z & 1) && !pdag_is_adjacent(g, x, z) &&
                    !(pdag_is_arrow(g, x, y) && pdag_is_arrow(g, z, y))) {
                    return true;
                }
            }
        }
    }
    return false;
}

enum { MAX_OPEN = 5000 };

/* Finds all open graphs by trying every direction. */
static int64_t try_all(const pdag *g, int64_t lines, const pdag_edge *line, bool is_relaxed, small_dag *out)
{
    int64_t count = 0;
    for (unsigned way = 0; way < 1u << lines; way++) {
        small_dag dag = direct_lines(g, lines, line, way);
        if (small_is_acyclic(&dag) && (is_relaxed || !has_new_collider(&dag, g))) {
            assert_true(count < MAX_OPEN);
            out[count++] = dag;
        }
    }
    return count;
}

/* Makes a graph from a random DAG: its pattern, or with some arrows undirected; adds hidden common causes. */
static identify_graph random_graph(fixture *f, rng *r, const words *names, bool is_pattern, double hidden)
{
    int d = (int)names->count;
    small_dag dag = small_random(r, d, 0.6, 8);
    pdag whole = small_graph(f, d);
    identify_graph g = make_graph(f, names, "", false);
    small_to_pdag(&dag, &whole);
    if (is_pattern) {
        assert_int_equal(metrics_pattern(f->ctx, &f->scratch, &whole, &g.marks), NONSENS_OK);
    }
    for (int b = 0; b < d; b++) {
        for (int a = 0; a < b; a++) {
            enum pdag_mark mark = pdag_mark_of(&whole, a, b);
            if (!is_pattern && mark != PDAG_NONE) {
                pdag_set(&g.marks, a, b, rng_uniform(r) < 0.6 ? PDAG_LINE : mark);
            }
            if (rng_uniform(r) < hidden) {
                assert_int_equal(identify_graph_add(f->ctx, &g, a, b, NONSENS_EDGE_BIDIRECTED, true), NONSENS_OK);
            }
        }
    }
    return g;
}

static void test_open_graphs_are_all(void **state)
{
    fixture *f = *state;
    static small_dag expected[MAX_OPEN];
    static bool met[MAX_OPEN];
    rng r = rng_new(1, RNG_TEST, 0);
    words names;
    int64_t relaxed = 0;
    split("a b c d e f", &names);
    for (int rep = 0; rep < 400; rep++) {
        arena_mark mark = arena_tell(&f->scratch);
        identify_graph g = random_graph(f, &r, &names, rep % 2, 0.1);
        orientations open;
        pdag_edge *line;
        int64_t lines;
        assert_int_equal(orientations_lines(f->ctx, &f->scratch, &g.marks, &line, &lines), NONSENS_OK);
        int64_t count = try_all(&g.marks, lines, line, false, expected);
        bool is_relaxed = count == 0;
        count = is_relaxed ? try_all(&g.marks, lines, line, true, expected) : count;
        assert_int_equal(orientations_list(f->ctx, &f->scratch, &g.marks, lines, line, MAX_OPEN, &open), NONSENS_OK);
        assert_true(open.is_complete);
        assert_int_equal(open.is_relaxed, is_relaxed);
        assert_int_equal(open.count, count);
        relaxed += is_relaxed;
        memset(met, 0, sizeof met);
        for (int64_t k = 0; k < count; k++) { // each is one of the expected graphs, and all differ
            bool found = false;
            for (int64_t i = 0; i < count && !found; i++) {
                found = true;
                for (int64_t e = 0; e < lines && found; e++) {
                    found = pdag_is_arrow(&open.graph[k], line[e].from, line[e].to) ==
                            (expected[i].parent[line[e].to] >> line[e].from & 1);
                }
                met[i] = met[i] || found;
            }
            assert_true(found);
        }
        for (int64_t i = 0; i < count; i++) {
            assert_true(met[i]);
        }
        arena_rewind(&f->scratch, mark);
    }
    assert_true(relaxed > 0 && relaxed < 200);
}

/* ---- questions worked out by hand ------------------------------------------------------------------------------- */

typedef struct question_case {
    const char *names, *edges, *set, *target;
    identify_status status;
    int64_t graphs;
    const char *answers; /* separated by "|" */
    identify_obstacle obstacle;
    const char *edge;
} question_case;

static const question_case questions[] = {
    // the three ways in which x and y can be connected
    {"x m y", "x->m m->y", "x", "y", IDENTIFY_IDENTIFIED, 1, "m(x) y(m)", IDENTIFY_NOTHING, NULL},
    {"x m y", "m->x m->y", "x", "y", IDENTIFY_NO_PATH, 1, "0", IDENTIFY_NOTHING, NULL},
    {"x m y", "x->m y->m", "x", "y", IDENTIFY_NO_PATH, 1, "0", IDENTIFY_NOTHING, NULL},
    {"x y", "y->x", "x", "y", IDENTIFY_NO_PATH, 1, "0", IDENTIFY_NOTHING, NULL},
    // a measured common cause is an input, and its own mechanism does not matter
    {"u w x y", "u->w w->x w->y x->y", "x", "y", IDENTIFY_IDENTIFIED, 1, "y(w x)", IDENTIFY_NOTHING, NULL},
    // several variables are set: m blocks x, and has an effect itself
    {"x m y", "x->m m->y", "x m", "y", IDENTIFY_IDENTIFIED, 1, "y(m)", IDENTIFY_NOTHING, NULL},
    {"x m y", "x->m m->y x->y", "m x", "y", IDENTIFY_IDENTIFIED, 1, "y(m x)", IDENTIFY_NOTHING, NULL},
    // undirected chain: x - m - y without a collider
    {"x m y", "x--m m--y", "x", "y", IDENTIFY_RANGE, 3, "0|m(x) y(m)", IDENTIFY_OPEN, "x m"},
    {"x y", "x--y", "x", "y", IDENTIFY_RANGE, 2, "0|y(x)", IDENTIFY_OPEN, "x y"},
    // undirected triangle: six graphs; m is a cause of y only, of x too, or an effect
    {"x m y", "x--m m--y x--y", "x", "y", IDENTIFY_RANGE, 6, "y(m x)|y(x)|0|m(x) y(m x)", IDENTIFY_OPEN, "x y"},
    // an open edge next to a v-structure, or among causes of the causes, does not matter
    {"a b x y", "a->x b->x x->y a->b", "x", "y", IDENTIFY_IDENTIFIED, 1, "y(x)", IDENTIFY_NOTHING, NULL},
    {"a b x y", "a--b a->x b->x x->y", "x", "y", IDENTIFY_IDENTIFIED, 1, "y(x)", IDENTIFY_NOTHING, NULL},
    {"a b c x y", "a->c b->c x->y c--x", "x", "y", IDENTIFY_IDENTIFIED, 1, "y(x)", IDENTIFY_NOTHING, NULL},
    {"a b w x y", "a--b x->y w->y", "x", "y", IDENTIFY_IDENTIFIED, 1, "y(w x)", IDENTIFY_NOTHING, NULL},
    // an open edge with the same answer for both directions: both ends are causes of y, x affects neither
    {"v w x y", "v--w v->y w->y x->y", "x", "y", IDENTIFY_IDENTIFIED, 1, "y(v w x)", IDENTIFY_NOTHING, NULL},
    // a hidden common cause of a cause and its effect
    {"x y", "x->y!", "x", "y", IDENTIFY_REFUSED, 1, "", IDENTIFY_HIDDEN, "x y"},
    {"x y", "x->y x<->y", "x", "y", IDENTIFY_REFUSED, 1, "", IDENTIFY_HIDDEN, "x y"},
    {"x m y", "x->m m->y!", "x", "y", IDENTIFY_REFUSED, 1, "", IDENTIFY_HIDDEN, "m y"},
    {"x m y", "x->m! m->y", "x", "y", IDENTIFY_REFUSED, 1, "", IDENTIFY_HIDDEN, "x m"},
    // m is set: its mechanism is not needed, and x has no effect
    {"x m y", "x->m! m->y", "x m", "y", IDENTIFY_IDENTIFIED, 1, "y(m)", IDENTIFY_NOTHING, NULL},
    {"x m y", "x->m! m->y", "m", "y", IDENTIFY_IDENTIFIED, 1, "y(m)", IDENTIFY_NOTHING, NULL},
    // an ancestor before the cause: adjustment could handle it, a mechanism cannot
    {"z x y", "z->x x->y z<->y", "x", "y", IDENTIFY_REFUSED, 1, "", IDENTIFY_HIDDEN, "z y"},
    {"x m y", "x->m m->y x<->y", "x", "y", IDENTIFY_REFUSED, 1, "", IDENTIFY_HIDDEN, "x y"},
    {"w x y", "w->y! x->y", "x", "y", IDENTIFY_REFUSED, 1, "", IDENTIFY_HIDDEN, "w y"},
    // neither end causes the other: rows keep both disturbances
    {"a b x y", "x->a x->b a->y b->y a<->b", "x", "y", IDENTIFY_IDENTIFIED, 1, "a(x) b(x) y(a b)", IDENTIFY_NOTHING,
     NULL},
    {"m w x y", "x->m m->y w->y m<->w", "x", "y", IDENTIFY_IDENTIFIED, 1, "m(x) y(m w)", IDENTIFY_NOTHING, NULL},
    {"w x y", "x->y w->y x<->w", "x", "y", IDENTIFY_IDENTIFIED, 1, "y(w x)", IDENTIFY_NOTHING, NULL},
    {"w x y", "x->y x->w w<->y", "x", "y", IDENTIFY_IDENTIFIED, 1, "y(x)", IDENTIFY_NOTHING, NULL},
    {"w x y", "x->y y->w! ", "x", "y", IDENTIFY_IDENTIFIED, 1, "y(x)", IDENTIFY_NOTHING, NULL},
    {"x y", "x<->y", "x", "y", IDENTIFY_NO_PATH, 1, "0", IDENTIFY_NOTHING, NULL},
    // the hidden common cause matters for one direction of an open edge
    {"a b x y", "a--b b->y x->y a<->y", "x", "y", IDENTIFY_REFUSED, 2, "", IDENTIFY_HIDDEN, "a y"},
    {"x y", "x--y!", "x", "y", IDENTIFY_REFUSED, 2, "", IDENTIFY_HIDDEN, "x y"},
    // a variable with an open edge is set, and the other end may be an effect that reaches y
    {"a x y", "x--a a->y", "x", "y", IDENTIFY_RANGE, 2, "0|a(x) y(a)", IDENTIFY_OPEN, "a x"},
    // ... the same with `a` set, too
    {"a x y", "x--a a->y", "x a", "y", IDENTIFY_IDENTIFIED, 1, "y(a)", IDENTIFY_NOTHING, NULL},
    // a cycle of lines: no choice avoids a new v-structure, so all acyclic choices are open
    {"a b c d y", "a--b b--c c--d a--d d->y", "a", "y", IDENTIFY_RANGE, 14,
     "b(a) c(b) d(a c) y(d)|d(a) y(d)|d(a c) y(d)|0", IDENTIFY_OPEN, "a d"},
};

/* Asks the question, with nodes in the order of these names. */
static nonsens_status ask(fixture *f, const question_case *q, const words *names, bool is_contradictory,
                          int64_t max_graphs, identify_result *out)
{
    words set;
    int64_t node[8];
    split(q->set, &set);
    for (int64_t k = 0; k < set.count; k++) {
        node[k] = find_word(names, set.text[k], strlen(set.text[k]));
    }
    identify_graph g = make_graph(f, names, q->edges, is_contradictory);
    identify_question question = {node, set.count, find_word(names, q->target, strlen(q->target)), max_graphs};
    return identify(f->ctx, &f->scratch, &g, &question, out);
}

static void write_answers(const identify_result *r, const words *names, char *out)
{
    out[0] = '\0';
    for (int64_t i = 0; i < r->answers; i++) {
        strcat(out, i > 0 ? "|" : "");
        write_answer(&r->answer[i], names->pointer, out + strlen(out));
    }
}

/* Checks that two lists of answers are equal up to their order. */
static void assert_same_answers(const char *got, const char *expected)
{
    char rest[TEXT_BYTES], *save = NULL;
    size_t total = 0;
    strcpy(rest, expected);
    for (char *one = strtok_r(rest, "|", &save); one; one = strtok_r(NULL, "|", &save)) {
        char bounded[TEXT_BYTES], all[TEXT_BYTES + 2];
        sprintf(bounded, "|%s|", one);
        sprintf(all, "|%s|", got);
        total += strlen(one) + 1;
        if (!strstr(all, bounded)) {
            fail_msg("%s is not among %s", one, got);
        }
    }
    assert_int_equal(strlen(got) + (got[0] ? 1 : 0), total);
}

static void test_questions(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        const question_case *q = &questions[i];
        char answers[TEXT_BYTES], edge[TEXT_BYTES] = "";
        words names;
        identify_result r;
        split(q->names, &names);
        assert_int_equal(ask(f, q, &names, false, IDENTIFY_MAX_GRAPHS, &r), NONSENS_OK);
        write_answers(&r, &names, answers);
        if (r.edge[0] >= 0) {
            const char *first = names.text[r.edge[0]], *second = names.text[r.edge[1]];
            bool as_is = r.obstacle == IDENTIFY_HIDDEN || !q->edge || strncmp(first, q->edge, strlen(first)) == 0;
            sprintf(edge, "%s %s", as_is ? first : second, as_is ? second : first);
        }
        if (r.status != q->status || r.graphs != q->graphs || r.obstacle != q->obstacle ||
            strcmp(edge, q->edge ? q->edge : "") != 0) {
            fail_msg("%s, set %s, target %s: status %d, %d graphs, answers %s, obstacle %d %s", q->edges, q->set,
                     q->target, r.status, (int)r.graphs, answers, r.obstacle, edge);
        }
        assert_same_answers(answers, q->answers);
        assert_true((r.settle != NULL) == (r.obstacle != IDENTIFY_NOTHING));
        int64_t graphs = 0;
        for (int64_t k = 0; k < r.answers; k++) {
            graphs += r.answer[k].graphs;
        }
        assert_int_equal(graphs, r.answers > 0 ? r.graphs : 0);
        arena_free(&f->scratch);
    }
}

/* Finds the next permutation of the words, as std::next_permutation; false after the last. */
static bool next_order(int64_t d, int64_t *order)
{
    int64_t i = d - 2, j = d - 1;
    while (i >= 0 && order[i] > order[i + 1]) {
        i--;
    }
    if (i < 0) {
        return false;
    }
    while (order[j] < order[i]) {
        j--;
    }
    int64_t t = order[i];
    order[i] = order[j];
    order[j] = t;
    for (int64_t a = i + 1, b = d - 1; a < b; a++, b--) {
        t = order[a];
        order[a] = order[b];
        order[b] = t;
    }
    return true;
}

/* Everything that a result contains. */
static void describe(const identify_result *r, const words *names, char *out)
{
    int used = sprintf(out, "%d %d %d %d %s / %s /", r->status, (int)r->graphs, r->obstacle, r->is_relaxed, r->reason,
                       r->settle ? r->settle : "");
    if (r->edge[0] >= 0) {
        used += sprintf(out + used, "%s %s/", names->text[r->edge[0]], names->text[r->edge[1]]);
    }
    for (int64_t i = 0; i < r->answers; i++) {
        used += sprintf(out + used, "%d ", (int)r->answer[i].graphs);
        write_answer(&r->answer[i], names->pointer, out + used);
        used = (int)strlen(out);
    }
}

static void test_order_of_columns_does_not_matter(void **state)
{
    fixture *f = *state;
    static char first[20000], other[20000];
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        words names;
        int64_t order[5] = {0, 1, 2, 3, 4};
        bool is_first = true;
        split(questions[i].names, &names);
        do {
            words permuted = {.count = names.count};
            identify_result r;
            for (int64_t k = 0; k < names.count; k++) {
                strcpy(permuted.text[k], names.text[order[k]]);
                permuted.pointer[k] = permuted.text[k];
            }
            for (int limit = 2; limit <= 64; limit += 62) {
                assert_int_equal(ask(f, &questions[i], &permuted, false, limit, &r), NONSENS_OK);
                describe(&r, &permuted, other + (limit > 2) * 10000);
            }
            if (is_first) {
                memcpy(first, other, sizeof first);
            }
            assert_string_equal(first, other);
            assert_string_equal(first + 10000, other + 10000);
            is_first = false;
            arena_free(&f->scratch);
        } while (next_order(names.count, order));
    }
}

static void test_sentences(void **state)
{
    fixture *f = *state;
    static const struct {
        question_case q;
        bool is_contradictory;
        int64_t max_graphs;
        const char *reason, *settle;
    } cases[] = {
        {{"x m y", "x--m m--y", "x", "y", 0, 0, NULL, 0, NULL},
         false,
         64,
         "The effect of x on y is a range: the data leave 3 graphs open, which give 2 different answers, one of them "
         "exactly 0. They depend most on the direction of m -- x.",
         "An experiment that sets m or x would settle it, or segments in which the disturbance of m or x changes, or "
         "prior knowledge of the direction."},
        {{"x m y", "x--m m--y x--y", "x", "y", 0, 0, NULL, 0, NULL},
         false,
         5,
         "Undirected edges leave more than 5 graphs open for the effect of x on y. Most directed paths that are "
         "possible use x -- y.",
         "An experiment that sets x or y would settle it, or segments in which the disturbance of x or y changes, or "
         "prior knowledge of the direction."},
        {{"x m y", "x->m m->y!", "x", "y", 0, 0, NULL, 0, NULL},
         false,
         64,
         "The effect of x on y is not identified, because of m -> y: m and y have a hidden common cause, and m is a "
         "cause of y. So the disturbance of y depends on the causes of y, and how they act cannot be seen.",
         "An experiment that sets m, or a measurement of the common cause of m and y, would settle it."},
        {{"a b x y", "a--b b->y x->y a<->y", "x", "y", 0, 0, NULL, 0, NULL},
         false,
         64,
         "The effect of x on y is not identified, because of a <-> y: a and y have a hidden common cause, and a is an "
         "indirect cause of y (in 1 of 2 open graphs). So the disturbance of y depends on the causes of y, and how "
         "they act cannot be seen.",
         "An experiment that sets a, or a measurement of the common cause of a and y, would settle it."},
        {{"x m y", "x->m m->y", "x m", "y", 0, 0, NULL, 0, NULL},
         false,
         64,
         "The effect of x, m on y is identified: no variable on the way has a hidden common cause with one of its own "
         "causes. Setting x as well changes nothing: no directed path leads from there to the target past the other "
         "variables that are set.",
         NULL},
        {{"x m y", "m->x m->y", "x", "y", 0, 0, NULL, 0, NULL},
         false,
         64,
         "No directed path leads from x to y: the effect is exactly 0.",
         NULL},
        {{"x m y", "x->m m<->y", "x", "y", 0, 0, NULL, 0, NULL},
         true,
         64,
         "The effect of x on y depends on m <-> y, on whose direction tests contradict one another.",
         "An experiment that sets m or y would settle it, or segments in which the disturbance of m or y changes, or "
         "prior knowledge of the direction."},
        {{"x m y", "x->y m<->x", "x", "y", 0, 0, NULL, 0, NULL},
         true,
         64,
         "The effect of x on y is identified: no variable on the way has a hidden common cause with one of its own "
         "causes.",
         NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        words names;
        identify_result r;
        split(cases[i].q.names, &names);
        assert_int_equal(ask(f, &cases[i].q, &names, cases[i].is_contradictory, cases[i].max_graphs, &r), NONSENS_OK);
        assert_string_equal(r.reason, cases[i].reason);
        assert_string_equal(r.settle ? r.settle : "", cases[i].settle ? cases[i].settle : "");
    }
}

static void test_bad_questions(void **state)
{
    fixture *f = *state;
    static const question_case bad[] = {
        {"x m y", "x->m", "x y", "y", 0, 0, NULL, 0, NULL},
        {"x m y", "x->m", "x x", "y", 0, 0, NULL, 0, NULL},
        {"x m y", "x->m", "", "y", 0, 0, NULL, 0, NULL},
        {"x m y", "x->m m->y y->x", "x", "y", 0, 0, NULL, 0, NULL},
    };
    static const char *const parts[] = {"y is set", "x is set twice", "no variable is set", "cycle"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        words names;
        identify_result r;
        split(bad[i].names, &names);
        assert_int_not_equal(ask(f, &bad[i], &names, false, 64, &r), NONSENS_OK);
        assert_non_null(strstr(nonsens_context_message(f->ctx), parts[i]));
    }
    words names;
    split("x y", &names);
    identify_graph g = make_graph(f, &names, "x->y", false);
    assert_int_equal(identify_graph_add(f->ctx, &g, 1, 0, NONSENS_EDGE_DIRECTED, false), NONSENS_ERR_DATA);
}

/* Twenty undirected edges far from the question cost nothing; a clique of five around it has too many graphs. */
static void test_only_what_matters_is_counted(void **state)
{
    fixture *f = *state;
    char names_text[TEXT_BYTES] = "x y", edges[TEXT_BYTES] = "x->y";
    for (int i = 0; i < 40; i++) {
        sprintf(names_text + strlen(names_text), " l%d", i);
        if (i % 2) {
            sprintf(edges + strlen(edges), " l%d--l%d", i - 1, i);
        }
    }
    question_case q = {names_text, edges, "x", "y", 0, 0, NULL, 0, NULL};
    words names;
    identify_result r;
    split(names_text, &names);
    assert_int_equal(ask(f, &q, &names, false, 64, &r), NONSENS_OK);
    assert_int_equal(r.status, IDENTIFY_IDENTIFIED);
    assert_int_equal(r.graphs, 1);
    q = (question_case){"a b c x y", "a--b a--c a--x a--y b--c b--x b--y c--x c--y x--y", "x", "y", 0, 0, NULL, 0,
                        NULL};
    split(q.names, &names);
    assert_int_equal(ask(f, &q, &names, false, 64, &r), NONSENS_OK);
    assert_int_equal(r.status, IDENTIFY_REFUSED);
    assert_int_equal(r.obstacle, IDENTIFY_OPEN);
    assert_int_equal(ask(f, &q, &names, false, 120, &r), NONSENS_OK);
    assert_int_equal(r.status, IDENTIFY_RANGE);
    assert_int_equal(r.graphs, 120);
}

/* ---- questions against brute force ------------------------------------------------------------------------------ */

/* Adds the nodes of all directed paths from v to y that avoid set nodes, by listing the paths. */
static void follow(const small_dag *g, unsigned set, int y, int v, unsigned path, unsigned *on_way)
{
    if (v == y) {
        *on_way |= path;
        return;
    }
    for (int w = 0; w < g->d; w++) {
        if ((g->parent[w] >> v & 1) && !(set >> w & 1)) {
            follow(g, set, y, w, path | 1u << w, on_way);
        }
    }
}

/*
 * Returns whether the disturbance of v is independent of the causes of v, by d-separation with hidden variables as
 * nodes; those that act on v act on a node for its disturbance.
 */
static bool disturbance_is_free(const small_dag *g, const identify_graph *with, int v)
{
    small_dag full = *g;
    int disturbance = full.d++;
    full.parent[v] |= 1u << disturbance;
    for (int b = 0; b < g->d; b++) {
        for (int a = 0; a < b; a++) {
            if (with->hidden[a * g->d + b]) {
                int hidden = full.d++;
                assert_true(full.d <= MAX_NODES);
                full.parent[a == v ? disturbance : a] |= 1u << hidden;
                full.parent[b == v ? disturbance : b] |= 1u << hidden;
            }
        }
    }
    for (int w = 0; w < g->d; w++) {
        if ((g->parent[v] >> w & 1) && !small_separated(&full, disturbance, w, 0)) {
            return false;
        }
    }
    return true;
}

/* Writes the answer of one DAG in the format of result_answer; *refused: there is no answer. */
static void answer_of(const small_dag *g, const identify_graph *with, unsigned set, int y, bool *refused, char *out)
{
    unsigned on_way = 0;
    for (int s = 0; s < g->d; s++) {
        if (set >> s & 1) {
            follow(g, set, y, s, 0, &on_way);
        }
    }
    int used = sprintf(out, "|");
    for (int v = 0; v < g->d; v++) {
        if (on_way >> v & 1) {
            used += sprintf(out + used, "%d:%u ", v, g->parent[v]);
            *refused = *refused || !disturbance_is_free(g, with, v);
        }
    }
}

static void result_answer(const identify_answer *a, char *out)
{
    int used = sprintf(out, "|");
    for (int64_t v = 0; v < MAX_NODES; v++) {
        for (int64_t i = 0; i < a->nodes; i++) {
            if (a->node[i].node == v) {
                unsigned parents = 0;
                for (int64_t k = 0; k < a->node[i].parents; k++) {
                    parents |= 1u << a->node[i].parent[k];
                }
                used += sprintf(out + used, "%d:%u ", (int)v, parents);
            }
        }
    }
}

/* Counts the hidden common causes; brute force has nodes for two. */
static int64_t count_hidden(const identify_graph *g)
{
    int64_t count = 0;
    for (int64_t i = 0; i < g->marks.d * g->marks.d; i++) {
        count += g->hidden[i];
    }
    return count / 2;
}

/* An edge <-> makes its ends adjacent, so the directions of other lines may depend on one another. */
static bool has_both(const pdag *g)
{
    bool found = false;
    for (int64_t a = 0; a < g->d; a++) {
        for (int64_t b = 0; b < a; b++) {
            found = found || pdag_mark_of(g, a, b) == PDAG_BOTH;
        }
    }
    return found;
}

/* For the pattern of a DAG, the answers are exactly those of all its graphs; for other graphs they include these. */
static void test_questions_by_brute_force(void **state)
{
    fixture *f = *state;
    static small_dag dag[MAX_OPEN];
    rng r = rng_new(2, RNG_TEST, 0);
    int64_t seen[4] = {0};
    words names;
    split("a b c d e", &names);
    for (int rep = 0; rep < 3000; rep++) {
        arena_mark mark = arena_tell(&f->scratch);
        bool is_pattern = rep % 3 > 0;
        identify_graph g = random_graph(f, &r, &names, is_pattern, rep % 2 ? 0.1 : 0.0);
        int64_t node[5] = {0, 1, 2, 3, 4}, sets = 1 + (int64_t)rng_below(&r, 2), lines;
        pdag_edge *line;
        identify_result result;
        if (count_hidden(&g) > 2) {
            continue;
        }
        rng_shuffle(&r, 5, node);
        int64_t y = node[4];
        assert_int_equal(orientations_lines(f->ctx, &f->scratch, &g.marks, &line, &lines), NONSENS_OK);
        int64_t count = try_all(&g.marks, lines, line, false, dag), answers = 0;
        if (count == 0) {
            continue;
        }
        char expected[TEXT_BYTES * 10] = "", one[TEXT_BYTES];
        bool refused = false;
        for (int64_t k = 0; k < count; k++) {
            answer_of(&dag[k], &g, 1u << node[0] | (sets > 1 ? 1u << node[1] : 0), (int)y, &refused, one);
            strcat(one, ";");
            if (!strstr(expected, one)) {
                strcat(expected, one);
                answers++;
            }
        }
        identify_question q = {node, sets, y, 10000};
        assert_int_equal(identify(f->ctx, &f->scratch, &g, &q, &result), NONSENS_OK);
        seen[result.status]++;
        bool is_exact = is_pattern && !has_both(&g.marks);
        if (refused) {
            assert_int_equal(result.status, IDENTIFY_REFUSED);
        } else if (is_exact || result.status != IDENTIFY_REFUSED) {
            assert_int_equal(result.status == IDENTIFY_REFUSED, false);
            assert_true(is_exact ? result.answers == answers : result.answers >= answers);
            for (int64_t i = 0; i < result.answers; i++) {
                result_answer(&result.answer[i], one);
                strcat(one, ";");
                assert_true(strstr(expected, one) || !is_exact);
                char *found = strstr(expected, one);
                answers -= found != NULL;
            }
            assert_int_equal(answers, 0);
        }
        arena_rewind(&f->scratch, mark);
    }
    for (int i = 0; i < 4; i++) {
        assert_true(seen[i] > 50);
    }
}

/* ---- questions against regressions ------------------------------------------------------------------------------ */

/* Solves a (d, d) x = b by elimination with pivoting; overwrites both. */
static void solve(int d, double (*a)[MAX_NODES], double *b)
{
    for (int k = 0; k < d; k++) {
        int best = k;
        for (int i = k; i < d; i++) {
            best = fabs(a[i][k]) > fabs(a[best][k]) ? i : best;
        }
        for (int j = 0; j < d; j++) {
            double t = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = t;
        }
        double t = b[k];
        b[k] = b[best];
        b[best] = t;
        for (int i = k + 1; i < d; i++) {
            double ratio = a[i][k] / a[k][k];
            for (int j = k; j < d; j++) {
                a[i][j] -= ratio * a[k][j];
            }
            b[i] -= ratio * b[k];
        }
    }
    for (int k = d - 1; k >= 0; k--) {
        for (int j = k + 1; j < d; j++) {
            b[k] -= a[k][j] * b[j];
        }
        b[k] /= a[k][k];
    }
}

typedef double square[MAX_NODES][MAX_NODES];

/* Computes the change of x_y per unit of x_s in x = B x + N, B (effect, cause), with row s of B set to 0. */
static double total_effect(int d, const square b, int s, int y)
{
    square a;
    double e[MAX_NODES] = {0};
    for (int i = 0; i < d; i++) {
        for (int j = 0; j < d; j++) {
            a[i][j] = (i == j) - (i == s ? 0.0 : b[i][j]);
        }
    }
    e[s] = 1.0;
    solve(d, a, e);
    return e[y];
}

/* Computes the covariances of x = B x + N, with a hidden variable of variance 1 for each confounded pair. */
static void covariances(fixture *f, rng *r, const identify_graph *g, const square b, square out)
{
    int d = (int)g->marks.d;
    square load; // (d, d) I - B
    double hidden[32][MAX_NODES] = {{0}};
    int count = d;
    (void)f;
    for (int i = 0; i < d; i++) {
        hidden[i][i] = 0.5 + rng_uniform(r);
        for (int j = 0; j < i; j++) {
            if (g->hidden[i * d + j]) {
                hidden[count][i] = 1.0 + rng_uniform(r);
                hidden[count++][j] = 1.0 + rng_uniform(r);
            }
        }
    }
    memset(out, 0, sizeof(square));
    for (int k = 0; k < count; k++) {
        for (int i = 0; i < d; i++) {
            for (int j = 0; j < d; j++) {
                load[i][j] = (i == j) - b[i][j];
            }
        }
        solve(d, load, hidden[k]);
        for (int i = 0; i < d; i++) {
            for (int j = 0; j < d; j++) {
                out[i][j] += hidden[k][i] * hidden[k][j];
            }
        }
    }
}

/* Computes row v of B by the regression of x_v on its causes. */
static void regress(int d, const square cov, unsigned parents, int v, square b)
{
    int cause[MAX_NODES], causes = 0;
    double right[MAX_NODES];
    square left;
    for (int w = 0; w < d; w++) {
        if (parents >> w & 1) {
            cause[causes++] = w;
        }
    }
    for (int i = 0; i < causes; i++) {
        right[i] = cov[cause[i]][v];
        for (int j = 0; j < causes; j++) {
            left[i][j] = cov[cause[i]][cause[j]];
        }
    }
    solve(causes, left, right);
    for (int i = 0; i < causes; i++) {
        b[v][cause[i]] = right[i];
    }
}

/* If an effect is identified, regressions on the causes give it; of the refused effects, they miss most. */
static void test_identified_effects_are_right(void **state)
{
    fixture *f = *state;
    rng r = rng_new(3, RNG_TEST, 0);
    int64_t right = 0, wrong = 0, harmless = 0, refused = 0;
    words names;
    split("a b c d e f", &names);
    for (int rep = 0; rep < 2000; rep++) {
        arena_mark mark = arena_tell(&f->scratch);
        small_dag dag = small_random(&r, 6, 0.5, 9);
        identify_graph g = make_graph(f, &names, "", false);
        square b = {{0}}, cov, fitted = {{0}};
        int64_t s = (int64_t)rng_below(&r, 6), y = (int64_t)rng_below(&r, 6);
        identify_result result;
        small_to_pdag(&dag, &g.marks);
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j < 6; j++) {
                b[i][j] = dag.parent[i] >> j & 1 ? 0.5 + rng_uniform(&r) : 0.0;
                if (j < i && rng_uniform(&r) < 0.12) {
                    assert_int_equal(identify_graph_add(f->ctx, &g, i, j, NONSENS_EDGE_BIDIRECTED, false), 0);
                }
            }
        }
        if (s != y) {
            identify_question q = {&s, 1, y, 64};
            assert_int_equal(identify(f->ctx, &f->scratch, &g, &q, &result), NONSENS_OK);
            covariances(f, &r, &g, b, cov);
            for (int v = 0; v < 6; v++) {
                regress(6, cov, dag.parent[v], v, fitted);
            }
            double truth = total_effect(6, b, (int)s, (int)y), got = total_effect(6, fitted, (int)s, (int)y);
            bool is_same = fabs(truth - got) < 1e-9 * (1.0 + fabs(truth));
            if (result.status == IDENTIFY_REFUSED) {
                refused++;
                wrong += !is_same;
            } else {
                assert_true(is_same);
                assert_true(result.status != IDENTIFY_NO_PATH || fabs(truth) < 1e-12);
                right += result.status == IDENTIFY_IDENTIFIED;
                harmless += result.status == IDENTIFY_IDENTIFIED && count_hidden(&g) > 0;
            }
        }
        arena_rewind(&f->scratch, mark);
    }
    assert_true(right > 200 && harmless > 50);
    assert_true(refused > 100 && 2 * wrong > refused);
}

/* ---- memory, and a DAG of a graph ------------------------------------------------------------------------------- */

static nonsens_status answer_one(nonsens_context *ctx, arena *a, void *state)
{
    const identify_graph *g = state;
    identify_result r;
    int64_t s = 0;
    identify_question q = {&s, 1, 2, 64};
    identify_graph dag;
    TRY(identify_first_dag(ctx, a, g, &dag));
    return identify(ctx, a, g, &q, &r);
}

static void test_every_failing_allocation(void **state)
{
    fixture *f = *state;
    words names;
    split("x m y", &names);
    identify_graph g = make_graph(f, &names, "x--m m--y x--y", false);
    assert_true(fail_every_allocation(f, answer_one, &g) > 20);
    pdag_set(&g.marks, 0, 1, PDAG_ARROW);
    g.hidden[0 * 3 + 1] = g.hidden[1 * 3 + 0] = true;
    assert_true(fail_every_allocation(f, answer_one, &g) > 20);
}

static void test_first_dag(void **state)
{
    fixture *f = *state;
    words names;
    identify_graph dag;
    split("y m x", &names);
    identify_graph g = make_graph(f, &names, "x--m m--y x<->y", false);
    assert_int_equal(identify_first_dag(f->ctx, &f->scratch, &g, &dag), NONSENS_OK);
    assert_true(pdag_is_arrow(&dag.marks, 1, 2)); // m -> x comes first by name
    assert_int_equal(pdag_mark_of(&dag.marks, 0, 2), PDAG_BOTH);
    assert_false(pdag_is_line(&dag.marks, 0, 1));
    assert_true(dag.hidden[0 * 3 + 2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_open_graphs),
        TEST(test_open_graphs_are_all),
        TEST(test_questions),
        TEST(test_order_of_columns_does_not_matter),
        TEST(test_sentences),
        TEST(test_bad_questions),
        TEST(test_only_what_matters_is_counted),
        TEST(test_questions_by_brute_force),
        TEST(test_identified_effects_are_right),
        TEST(test_every_failing_allocation),
        TEST(test_first_dag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
