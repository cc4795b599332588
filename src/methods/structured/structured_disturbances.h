/*
 * structured_disturbances.h - the disturbances of a graph's mechanisms: whether they change over the segments, and
 * whether they are independent inside them, as the model says.
 */
#ifndef METHODS_STRUCTURED_STRUCTURED_DISTURBANCES_H
#define METHODS_STRUCTURED_STRUCTURED_DISTURBANCES_H

#include "methods/shared/result.h"
#include "methods/structured/structured_search.h"

/*
 * Fills in result->source and result->modulation (scale of each disturbance in each segment over its geometric mean),
 * evidence on changes, and notes.  changes (d), by node: does the location or scale of the disturbance change?
 */
nonsens_status structured_report_disturbances(nonsens_context *ctx, arena *scratch, const structured_search *s,
                                              nonsens_result *result, bool *changes);

#endif
