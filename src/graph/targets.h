/*
 * targets.h - which segments intervened on which variables (--targets, docs/targets.md).
 *
 * Fixed: the variable was set from outside, whatever its causes.  Changed: its own mechanism is another one there.
 * Activity: its effect on other variables is another one there.  It may also be known that a segment intervened on some
 * variable, but not on which.
 */
#ifndef GRAPH_TARGETS_H
#define GRAPH_TARGETS_H

#include "base/memory.h"

enum target_kind { TARGET_NONE = 0, TARGET_FIXED = 1, TARGET_CHANGED = 2, TARGET_ACTIVITY = 3 };

typedef struct targets {
    int64_t segments, d;
    const char *const *label; /* (segments) texts live as long as the data */
    uint8_t *kind;            /* (segments, d) enum target_kind at [e * d + j] */
    bool *unknown;            /* (segments) a variable was hit, but it is not known which */
    const char *ignored;      /* a sentence about lines of the file that have no effect; NULL: none */
} targets;

/* Makes a list without targets; memory from `a`. */
nonsens_status targets_new(nonsens_context *ctx, arena *a, int64_t segments, const char *const *label, int64_t d,
                           targets *out);

/*
 * Copies targets to other data: node i of *out is node order[i] of t, and segments are found by their labels; a label
 * that t does not have has no targets.  t may be NULL: no targets.  Memory from `a`.
 */
nonsens_status targets_match(nonsens_context *ctx, arena *a, const targets *t, int64_t segments,
                             const char *const *label, int64_t d, const int32_t *order, targets *out);

static inline enum target_kind targets_kind(const targets *t, int64_t segment, int64_t node)
{
    return t ? (enum target_kind)t->kind[segment * t->d + node] : TARGET_NONE;
}

/* Says whether the variable was fixed or changed in the segment: its values are not those of other segments. */
static inline bool targets_hits(const targets *t, int64_t segment, int64_t node)
{
    enum target_kind kind = targets_kind(t, segment, node);
    return kind == TARGET_FIXED || kind == TARGET_CHANGED;
}

/*
 * Says whether the variable's mechanism may be another one in the segment than elsewhere: it was hit itself, the
 * activity of another variable was changed, or it is not known what was hit.
 */
bool targets_may_differ(const targets *t, int64_t segment, int64_t node);

/* Says whether there is no target at all. */
bool targets_is_empty(const targets *t);

#endif
