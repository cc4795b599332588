/*
 * effect_graphs.h - graphs for tests from short texts: "x->m m->y x<->y a--b c->y!" ("!": a hidden common cause beside
 * the edge), nodes from texts such as "x m y".  Include it last, instead of fixture.h.
 */
#ifndef UNIT_EFFECT_GRAPHS_H
#define UNIT_EFFECT_GRAPHS_H

#include "tasks/identify/identify.h"

#include <stdio.h>
#include <string.h>

#include "graph/small_dags.h"

enum { WORDS = 80, WORD_BYTES = 16, TEXT_BYTES = 400 };

typedef struct words {
    int64_t count;
    char text[WORDS][WORD_BYTES];
    const char *pointer[WORDS];
} words;

static inline void split(const char *text, words *out)
{
    int used = 0;
    out->count = 0;
    for (; sscanf(text, " %15s%n", out->text[out->count], &used) == 1; text += used) {
        out->pointer[out->count] = out->text[out->count];
        out->count++;
    }
}

static inline int64_t find_word(const words *w, const char *text, size_t length)
{
    for (int64_t i = 0; i < w->count; i++) {
        if (strlen(w->text[i]) == length && strncmp(w->text[i], text, length) == 0) {
            return i;
        }
    }
    return -1;
}

/* Makes the graph of the edges; the nodes are `names`, which must outlive it. */
static inline identify_graph make_graph(fixture *f, const words *names, const char *edges, bool is_contradictory)
{
    identify_graph g;
    words edge;
    split(edges, &edge);
    assert_int_equal(identify_graph_new(f->ctx, &f->scratch, names->count, names->pointer, is_contradictory, &g),
                     NONSENS_OK);
    for (int64_t k = 0; k < edge.count; k++) {
        const char *text = edge.text[k];
        size_t first = strcspn(text, "<-"), middle = strspn(text + first, "<->"),
               second = strcspn(text + first + middle, "!");
        int64_t from = find_word(names, text, first), to = find_word(names, text + first + middle, second);
        nonsens_edge_type type = text[first] == '<'                ? NONSENS_EDGE_BIDIRECTED
                                 : text[first + middle - 1] == '>' ? NONSENS_EDGE_DIRECTED
                                                                   : NONSENS_EDGE_UNDIRECTED;
        assert_true(from >= 0 && to >= 0);
        assert_int_equal(identify_graph_add(f->ctx, &g, from, to, type, text[first + middle + second] == '!'),
                         NONSENS_OK);
    }
    return g;
}

/* Writes the mechanisms that an answer needs: "m(x) y(m) "; "0" if there are none. */
static inline void write_answer(const identify_answer *a, const char *const *name, char *out)
{
    out[0] = '\0';
    for (int64_t i = 0; i < a->nodes; i++) {
        sprintf(out + strlen(out), "%s%s(", i > 0 ? " " : "", name[a->node[i].node]);
        for (int64_t k = 0; k < a->node[i].parents; k++) {
            sprintf(out + strlen(out), "%s%s", k > 0 ? " " : "", name[a->node[i].parent[k]]);
        }
        strcat(out, ")");
    }
    strcpy(out + strlen(out), a->nodes == 0 ? "0" : "");
}

#endif
