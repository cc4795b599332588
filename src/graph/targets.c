/* targets.c - lists of interventions by segment and variable. */
#include "graph/targets.h"

#include <string.h>

nonsens_status targets_new(nonsens_context *ctx, arena *a, int64_t segments, const char *const *label, int64_t d,
                           targets *out)
{
    *out = (targets){.segments = segments, .d = d, .label = label};
    ARENA_TRY(ctx, a, out->kind, segments * d);
    ARENA_TRY(ctx, a, out->unknown, segments);
    return NONSENS_OK;
}

static int64_t find_label(const targets *t, const char *label)
{
    for (int64_t e = 0; e < t->segments; e++) {
        if (strcmp(t->label[e], label) == 0) {
            return e;
        }
    }
    return -1;
}

nonsens_status targets_match(nonsens_context *ctx, arena *a, const targets *t, int64_t segments,
                             const char *const *label, int64_t d, const int32_t *order, targets *out)
{
    TRY(targets_new(ctx, a, segments, label, d, out));
    for (int64_t e = 0; t && e < segments; e++) {
        int64_t from = find_label(t, label[e]);
        for (int64_t j = 0; from >= 0 && j < d; j++) {
            out->kind[e * d + j] = t->kind[from * t->d + order[j]];
        }
        out->unknown[e] = from >= 0 && t->unknown[from];
    }
    return NONSENS_OK;
}

bool targets_may_differ(const targets *t, int64_t segment, int64_t node)
{
    bool other = t && t->unknown[segment];
    for (int64_t j = 0; t && j < t->d; j++) {
        other = other || (j != node && targets_kind(t, segment, j) == TARGET_ACTIVITY);
    }
    return other || targets_hits(t, segment, node);
}

bool targets_is_empty(const targets *t)
{
    for (int64_t e = 0; t && e < t->segments; e++) {
        bool any = t->unknown[e];
        for (int64_t j = 0; j < t->d; j++) {
            any = any || t->kind[e * t->d + j] != TARGET_NONE;
        }
        if (any) {
            return false;
        }
    }
    return true;
}
