/*
 * effect_switch.h - computes single variables anew: each keeps the disturbance of its own row, and its causes get other
 * values, which may come from other rows.
 *
 * Nodes are the variables in canonical order; values have the sign that canonical columns have.  Threads may share a
 * switch, with a `work` of each.
 */
#ifndef TASKS_EFFECT_EFFECT_SWITCH_H
#define TASKS_EFFECT_EFFECT_SWITCH_H

#include "tasks/effect/effect.h"

typedef struct effect_switch effect_switch;

/* Computes the disturbances of some rows (canonical) for the nodes wanted (d); memory from `a`; the model outlives it.
 */
nonsens_status effect_switch_new(nonsens_context *ctx, arena *a, const effect_model *model, const bool *wanted,
                                 int64_t rows, const int64_t *row, effect_switch **out);

/*
 * Returns what a wanted node would be in row number i of `rows` if its causes had these values; value (d) is read at
 * its causes only.  If the causes have the values of the row, it is the value of the row.  work (d) is overwritten.
 */
double effect_switch_value(const effect_switch *s, int64_t node, int64_t i, const double *value, double *work);

#endif
