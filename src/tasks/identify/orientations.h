/*
 * orientations.h - lists the DAGs that the undirected edges of a graph leave open.
 *
 * A direction is open if it contradicts no arrow, closes no cycle and makes no new v-structure (a -> b <- c with a and
 * c not adjacent; any edge makes two nodes adjacent).  Every choice is followed by Meek's rules (orient.h), so that few
 * choices lead nowhere.
 */
#ifndef TASKS_EFFECT_ORIENTATIONS_H
#define TASKS_EFFECT_ORIENTATIONS_H

#include "graph/pdag.h"

typedef struct orientations {
    pdag *graph; /* (count) copies of the graph in which the lines in question are arrows */
    int64_t count;
    bool is_complete; /* there are no more */
    /*
     * Every choice makes a cycle or a new v-structure: the lines do not belong to a class of equivalent DAGs.  Then
     * new v-structures are allowed, which gives more graphs, never fewer.
     */
    bool is_relaxed;
} orientations;

/* Lists the lines of a graph, by the smaller node, then by the larger; *line has `count`; memory from `keep`. */
nonsens_status orientations_lines(nonsens_context *ctx, arena *keep, const pdag *g, pdag_edge **line, int64_t *count);

/*
 * Directs the given lines of g in all ways that are open, at most max of them, in the order of `line`, from -> to
 * first.  Other lines stay, unless the choices imply their directions.  g must have no cycle of arrows.
 */
nonsens_status orientations_list(nonsens_context *ctx, arena *keep, const pdag *g, int64_t lines, const pdag_edge *line,
                                 int64_t max, orientations *out);

#endif
