/*
 * knowledge_file.h - what is known beforehand, from a text file in Tetrad's format.
 *
 *     /knowledge
 *     addtemporal
 *     1 a b c            tier 1: no arrow from a later tier into an earlier one
 *     2* d e             likewise; the star forbids arrows inside the tier
 *     forbiddirect
 *     a d                no arrow a -> d
 *     requiredirect
 *     b e                the arrow b -> e is there
 */
#ifndef GRAPH_KNOWLEDGE_FILE_H
#define GRAPH_KNOWLEDGE_FILE_H

#include "graph/knowledge.h"

/*
 * Reads the file at `path` about the variables of these names (d) and checks it (knowledge_check); node i of *out is
 * the variable names[i].  Unknown names, unknown sections, broken lines and contradictions are NONSENS_ERR_DATA with
 * file and line.  Memory of *out from `a`.
 */
nonsens_status knowledge_read(nonsens_context *ctx, arena *a, const char *path, int64_t d, const char *const *names,
                              knowledge *out);

/* Nodes in another order: node i of *out is node order[i] of k. */
nonsens_status knowledge_permute(nonsens_context *ctx, arena *a, const knowledge *k, const int64_t *order,
                                 knowledge *out);

#endif
