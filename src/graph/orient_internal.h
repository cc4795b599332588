/* orient_internal.h - what the files of orientation share. */
#ifndef GRAPH_ORIENT_INTERNAL_H
#define GRAPH_ORIENT_INTERNAL_H

#include "graph/orient.h"

/* Returns whether a -> b would make a v-structure of three nodes that are known not to be one. */
bool orient_would_collide(const orienter *o, int64_t a, int64_t b);

/* Decides `collider` and `open` of every triple by tests given all subsets of neighbours. */
nonsens_status orient_count_separators(nonsens_context *ctx, orienter *o, const skeleton_options *options,
                                       enum collider_rule rule);

#endif
