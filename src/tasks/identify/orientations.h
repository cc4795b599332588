/*
 * orientations.h - lists the DAGs that the undirected edges of a graph leave open.
 *
 * A direction is open if it contradicts no arrow, closes no cycle and makes no new v-structure (a -> b <- c with a and
 * c not adjacent; any edge makes two nodes adjacent).  Meek's rules (orient.h) follow each choice, which avoids most
 * dead ends.  "Lines" are undirected edges.
 */
#ifndef TASKS_IDENTIFY_ORIENTATIONS_H
#define TASKS_IDENTIFY_ORIENTATIONS_H

#include "graph/pdag.h"

typedef struct orientations {
    pdag *graph; /* (count) copies of the graph in which the lines in question are arrows */
    int64_t count;
    bool is_complete; /* there are no further DAGs */
    /*
     * No choice without a cycle or a new v-structure was found: the graph is not the CPDAG of a class of equivalent
     * DAGs.  So new v-structures were allowed, which gives more graphs, never fewer.
     */
    bool is_relaxed;
} orientations;

/* Lists the `count` lines of a graph by their smaller, then by their larger node; memory of *line is from `keep`. */
nonsens_status orientations_lines(nonsens_context *ctx, arena *keep, const pdag *g, pdag_edge **line, int64_t *count);

/*
 * Directs the given lines of g in all ways that are open, or in max of them if there are more: line by line, from -> to
 * first.  Other lines remain, unless the choices imply their directions.  g must have no cycle of arrows.
 */
nonsens_status orientations_list(nonsens_context *ctx, arena *keep, const pdag *g, int64_t lines, const pdag_edge *line,
                                 int64_t max, orientations *out);

#endif
