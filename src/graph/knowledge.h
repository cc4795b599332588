/*
 * knowledge.h - what is known about directions before any test: forbidden and required arrows.
 *
 * Both directions forbidden: the two nodes are not adjacent.  One direction forbidden: if they are adjacent, the arrow
 * goes the other way.  Required: they are adjacent, with this arrow.
 */
#ifndef GRAPH_KNOWLEDGE_H
#define GRAPH_KNOWLEDGE_H

#include "base/memory.h"

typedef struct knowledge {
    int64_t d;
    uint8_t *flags; /* (d, d) of KNOWLEDGE_* at [a * d + b] about a -> b */
} knowledge;

enum { KNOWLEDGE_FORBIDDEN = 1, KNOWLEDGE_REQUIRED = 2 };

/* Makes empty knowledge about d nodes; memory from `a`. */
nonsens_status knowledge_new(nonsens_context *ctx, arena *a, int64_t d, knowledge *out);

/* Copies knowledge to another order of nodes: node i of *out is node order[i] of k; memory from `a`. */
nonsens_status knowledge_permute(nonsens_context *ctx, arena *a, const knowledge *k, const int32_t *order,
                                 knowledge *out);

/* Forbids a -> b. */
void knowledge_forbid(knowledge *k, int64_t a, int64_t b);
/* Requires a -> b, which also forbids b -> a. */
void knowledge_require(knowledge *k, int64_t a, int64_t b);

/* Fails if an arrow is both required and forbidden, or if required arrows make a cycle. */
nonsens_status knowledge_check(nonsens_context *ctx, const knowledge *k);

/* Return whether a -> b is allowed, is required, or a and b cannot be adjacent.  k may be NULL: nothing is known. */
bool knowledge_allows(const knowledge *k, int64_t a, int64_t b);
bool knowledge_requires(const knowledge *k, int64_t a, int64_t b);
bool knowledge_separates(const knowledge *k, int64_t a, int64_t b);

#endif
