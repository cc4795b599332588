/*
 * pdag.h - partially directed graphs: between two nodes there is nothing, a line, an arrow or an arrow with two heads.
 *
 * Each node has rows of bits, so that questions such as "do a and b have a common child" take a few words each: four
 * sets of d bits per node, 0.5 MB at 1,000 nodes.
 *
 * "Parents", "children", "ancestors" and "v-structures" refer only to arrows with one head.  An arrow with two heads
 * says that the evidence for its direction contradicts itself (orient.h): it makes its nodes adjacent and says nothing
 * else.
 */
#ifndef GRAPH_PDAG_H
#define GRAPH_PDAG_H

#include "base/memory.h"

/* What is between a and b, seen from a. */
enum pdag_mark { PDAG_NONE, PDAG_LINE, PDAG_ARROW /* a -> b */, PDAG_BACK /* a <- b */, PDAG_BOTH /* a <-> b */ };

/* Returns the NONSENS_EDGE_* of a mark. */
static inline int pdag_edge_type(enum pdag_mark mark)
{
    return mark == PDAG_NONE   ? NONSENS_EDGE_NONE
           : mark == PDAG_LINE ? NONSENS_EDGE_UNDIRECTED
           : mark == PDAG_BOTH ? NONSENS_EDGE_BIDIRECTED
                               : NONSENS_EDGE_DIRECTED;
}

typedef struct pdag {
    int64_t d, words;                           /* nodes; words of a row of bits */
    uint64_t *adjacent, *line, *parent, *child; /* (words, d): row a is the set of nodes in this relation to a */
    uint64_t *seen;                             /* (words) scratch of searches: only one thread at a time may search */
    int32_t *queue;                             /* (d) scratch of searches */
} pdag;

typedef struct pdag_edge {
    int64_t from, to;
    enum pdag_mark mark; /* PDAG_LINE, PDAG_ARROW or PDAG_BOTH */
} pdag_edge;

/* Makes a graph without edges; memory from `a`. */
nonsens_status pdag_new(nonsens_context *ctx, arena *a, int64_t d, pdag *out);
/* Copies the edges to a graph of the same d. */
void pdag_copy(const pdag *from, pdag *to);

static inline const uint64_t *pdag_row(const pdag *g, const uint64_t *set, int64_t a)
{
    return set + a * g->words;
}

/* Returns what is between a and b. */
enum pdag_mark pdag_mark_of(const pdag *g, int64_t a, int64_t b);
/* Sets what is between two different nodes. */
void pdag_set(pdag *g, int64_t a, int64_t b, enum pdag_mark mark);

bool pdag_is_adjacent(const pdag *g, int64_t a, int64_t b);
bool pdag_is_line(const pdag *g, int64_t a, int64_t b);
bool pdag_is_arrow(const pdag *g, int64_t a, int64_t b); /* a -> b */

/* List nodes in ascending order and return how many; out has space for d nodes. */
int64_t pdag_neighbours(const pdag *g, int64_t a, int64_t *out);
int64_t pdag_parents(const pdag *g, int64_t a, int64_t *out);

/* Returns whether arrows lead from a to another node b. */
bool pdag_is_ancestor(const pdag *g, int64_t a, int64_t b);
/* Returns whether a -> b would close a cycle of arrows. */
bool pdag_would_close_cycle(const pdag *g, int64_t a, int64_t b);
bool pdag_has_cycle(const pdag *g);
/* Returns whether a -> b would make a v-structure a -> b <- c, with a and c not adjacent. */
bool pdag_would_make_collider(const pdag *g, int64_t a, int64_t b);

int64_t pdag_edge_count(const pdag *g);
/*
 * Lists all edges, ordered by the smaller node, then by the larger.  `from` is the tail of an arrow and the smaller
 * node of other edges.  out has space for pdag_edge_count.
 */
void pdag_to_edges(const pdag *g, pdag_edge *out);
#endif
