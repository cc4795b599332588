/*
 * knowledge.h - what is known of directions before any test: arrows that cannot be, arrows that are.
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

/* Nothing is known yet; memory from `a`. */
nonsens_status knowledge_new(nonsens_context *ctx, arena *a, int64_t d, knowledge *out);

/* Nodes in another order: node i of *out is node order[i] of k; memory from `a`. */
nonsens_status knowledge_permute(nonsens_context *ctx, arena *a, const knowledge *k, const int32_t *order,
                                 knowledge *out);

void knowledge_forbid(knowledge *k, int64_t a, int64_t b);
/* a -> b is there; b -> a is forbidden with it. */
void knowledge_require(knowledge *k, int64_t a, int64_t b);

/* Fails if an arrow is required and forbidden, or where required arrows make a cycle. */
nonsens_status knowledge_check(nonsens_context *ctx, const knowledge *k);

/* Whether a -> b may be; whether it must be; whether the two cannot be adjacent.  k may be NULL: nothing is known. */
bool knowledge_allows(const knowledge *k, int64_t a, int64_t b);
bool knowledge_requires(const knowledge *k, int64_t a, int64_t b);
bool knowledge_separates(const knowledge *k, int64_t a, int64_t b);

#endif
