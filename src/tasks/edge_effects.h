/*
 * edge_effects.h - how much: the direct effect of each edge that `discover` found, with an interval and a curve.
 *
 * The direct effect of i -> j is the change of the mean of j if i goes from its lower to its upper quartile in all rows
 * and the other causes of j stay as observed.  It comes from the regression of j on its causes (edge_regress.h) and
 * assumes that the graph is right.  effect/effect.h estimates it more precisely, and much else, but takes far longer.
 *
 * No effect is estimated for an edge that has a weight or no direction, nor for i -> j if the graph leaves the causes
 * of j open: if j also has an undirected edge, a <-> or an edge whose ends are likely to have a hidden common cause.
 * Rows in which j is known or found to have another mechanism do not count.
 */
#ifndef TASKS_EDGE_EFFECTS_H
#define TASKS_EDGE_EFFECTS_H

#include "data/dataset.h"
#include "methods/shared/result.h"

/* Fills effect, interval, step and curve of the edges of a result, from at most 20,000 rows that are evenly chosen. */
nonsens_status edge_effects_fill(nonsens_context *ctx, const nonsens_data *data, nonsens_result *result);

#endif
