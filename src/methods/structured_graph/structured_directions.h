/*
 * structured_directions.h - decides which arrows of the graph that was found are reported with a direction, and says by
 * what each was directed.
 *
 * In this order: prior knowledge; changes of a disturbance at either end; v-structures; Meek's rules; likelihood inside
 * segments at a strict level.  No step contradicts the graph that was found.
 */
#ifndef METHODS_STRUCTURED_GRAPH_STRUCTURED_DIRECTIONS_H
#define METHODS_STRUCTURED_GRAPH_STRUCTURED_DIRECTIONS_H

#include "methods/structured_graph/structured_disturbances.h"

typedef struct structured_arrow {
    int64_t from, to;
    structured_gain present, reversed; /* what the arrow gains, and what reversing it would; NaN if not possible */
    double gain_p, loss_p;             /* one-sided: of no gain, and of no loss by reversing; NaN if not possible */
    bool possible;                     /* the reversed graph is allowed */
    nonsens_directed_by by;            /* NONSENS_DIRECTED_BY_NONE: no direction */
} structured_arrow;

/* Lists the arrows of s->graph with what they and their reversals gain; out has space for pdag_edge_count. */
nonsens_status structured_judge_arrows(nonsens_context *ctx, arena *scratch, structured_search *s,
                                       structured_arrow *out);

/*
 * Fills in `by` of all arrows.  alpha: reversing an arrow loses if the one-sided p-value is below alpha / 2.
 */
nonsens_status structured_direct(nonsens_context *ctx, arena *scratch, const structured_search *s,
                                 const structured_disturbances *noise, double alpha, int64_t arrows,
                                 structured_arrow *arrow);

#endif
