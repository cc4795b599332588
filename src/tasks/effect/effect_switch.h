/*
 * effect_switch.h - recomputes single variables: each keeps the disturbance of its own row, and its causes get other
 * values, which may come from other rows.
 *
 * Nodes are the variables in canonical order; values have the sign of canonical columns.  Threads may share a switch if
 * each has its own `work`.
 */
#ifndef TASKS_EFFECT_EFFECT_SWITCH_H
#define TASKS_EFFECT_EFFECT_SWITCH_H

#include "tasks/effect/effect.h"

typedef struct effect_switch effect_switch;

/* Computes the disturbances of some canonical rows for the nodes wanted (d); memory comes from `a`.  The model must
 * outlive *out. */
nonsens_status effect_switch_new(nonsens_context *ctx, arena *a, const effect_model *model, const bool *wanted,
                                 int64_t rows, const int64_t *row, effect_switch **out);

/*
 * Returns what a wanted node would be in the i-th of the `rows` if its causes had these values; only those of value (d)
 * are read.  If the causes have the values of the row, the result is the node's value there.  work (d) is overwritten.
 */
double effect_switch_value(const effect_switch *s, int64_t node, int64_t i, const double *value, double *work);

#endif
