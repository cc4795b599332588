/*
 * edge_effects.h - how much: the direct effect of each edge that `discover` found, with an interval and a curve.
 *
 * The direct effect of i -> j is the change of the mean of j if i goes from its lower to its upper quartile in all rows
 * and the other causes of j stay as observed.  It comes from the regression of j on its causes (edge_regress.h) and
 * holds given the graph.  effect/effect.h estimates the same more precisely, and much else, but takes far longer.
 *
 * No effect is estimated of an edge that has a weight or no direction, and none of an edge whose effect has causes that
 * the graph does not settle: another edge without direction, a <-> or an edge beside which a hidden common cause is
 * likely.  Rows in which the effect is known or found to have another mechanism do not count.
 */
#ifndef TASKS_EDGE_EFFECTS_H
#define TASKS_EDGE_EFFECTS_H

#include "data/dataset.h"
#include "methods/shared/result.h"

/* Fills effect, interval, step and curve of the edges of a result.  Rows beyond 20,000 do not enter the regressions. */
nonsens_status edge_effects_fill(nonsens_context *ctx, const nonsens_data *data, nonsens_result *result);

#endif
