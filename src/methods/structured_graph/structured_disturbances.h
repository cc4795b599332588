/*
 * structured_disturbances.h - the disturbances of a graph's mechanisms: whether they change over the segments, and
 * whether they are independent inside them, as the model says.
 */
#ifndef METHODS_STRUCTURED_GRAPH_STRUCTURED_DISTURBANCES_H
#define METHODS_STRUCTURED_GRAPH_STRUCTURED_DISTURBANCES_H

#include "methods/shared/result.h"
#include "methods/structured_graph/structured_hidden.h"

/* By node. */
typedef struct structured_disturbances {
    bool *changes;   /* (d) location or scale changes over segments, or some segments intervened */
    bool *dependent; /* (d, d) dependent inside segments, although the model says they are not; false: not tested */
} structured_disturbances;

/*
 * Fills in result->source and result->modulation (scale of each disturbance in each segment over its geometric mean),
 * evidence on changes, and notes; none on pairs with a hidden common cause, which have a note of their own.  In a
 * segment in which a variable is fixed the source is the variable itself, in standard deviations; segments without the
 * common mechanism have no modulation (NaN), and no part in tests of changes.  Memory of *out comes from scratch.
 */
nonsens_status structured_report_disturbances(nonsens_context *ctx, arena *scratch, const structured_search *s,
                                              const hidden_causes *hidden, nonsens_result *result,
                                              structured_disturbances *out);

#endif
