/*
 * structured_bounds.h - what a change of the causes of a variable may gain at most, from fits that exist and from the
 * screen (structured_screen.h).
 *
 * A set of causes explains no more than a set that contains it.  So an exchange gains at most what the new causes would
 * gain with the old ones kept, and the removal of several causes loses at least what that of each loses.  If the causes
 * that stay have a fit, the new ones gain at most what the screen shows for that fit.  The bounds rest on estimates and
 * are not certain: docs/many-variables.md says what was measured.
 */
#ifndef METHODS_STRUCTURED_GRAPH_STRUCTURED_BOUNDS_H
#define METHODS_STRUCTURED_GRAPH_STRUCTURED_BOUNDS_H

#include "methods/structured_graph/structured_search.h"

/* Asks the screen for what bounds_gain needs; screen_settle computes it. */
nonsens_status bounds_want(nonsens_context *ctx, structured_search *s, int64_t effect, const pdag *then,
                           int64_t *nodes);
/* Bounds what `effect` gains if its causes in s->graph become those in `then`; exact if both are fitted. */
double bounds_gain(const structured_search *s, int64_t effect, const pdag *then, int64_t *nodes);

/* Bounds what a further cause gains in addition to those of a settled fit; exact if that is fitted, 0 if the screen
 * sees nothing, infinite if the screen was not asked. */
double bounds_addition(const structured_search *s, const structured_score *fit, int64_t cause);

#endif
