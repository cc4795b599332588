/* structured_parts.c - divides the segments among the mechanisms of one variable. */
#include "methods/structured_graph/structured_parts.h"

#include "classifier/sample.h"

#include <string.h>

/* What becomes of a segment in a fit. */
enum { SHARED = 0, OWN = 1, WITHOUT = 2 };

nonsens_status structured_parts_new(nonsens_context *ctx, arena *a, const mechanism_data *whole,
                                    const double *const *warped, const int64_t *start, const targets *hit,
                                    structured_parts *out)
{
    *out = (structured_parts){.whole = whole, .warped = warped, .start = start, .hit = hit};
    out->all = (part_rows){.effect = -1, .data = *whole};
    ARENA_TRY(ctx, a, out->version, whole->d);
    ARENA_TRY(ctx, a, out->small, whole->segments);
    for (int64_t e = 0; e < whole->segments; e++) {
        out->small[e] = start[e + 1] - start[e] < MIN_PART_ROWS;
    }
    for (int64_t j = 0; j < whole->d; j++) {
        uint8_t *kind;
        ARENA_TRY(ctx, a, kind, whole->segments);
        for (int64_t e = 0; e < whole->segments; e++) {
            kind[e] = (uint8_t)targets_kind(hit, e, j);
            out->has_activity = out->has_activity || kind[e] == TARGET_ACTIVITY;
        }
        TRY(structured_parts_add(ctx, a, out, kind, &out->version[j]));
    }
    return NONSENS_OK;
}

nonsens_status structured_parts_add(nonsens_context *ctx, arena *a, structured_parts *p, const uint8_t *kind,
                                    int64_t *version)
{
    uint8_t *copy;
    ARENA_TRY(ctx, a, copy, p->whole->segments);
    memcpy(copy, kind, (size_t)p->whole->segments);
    ARENA_GROW(ctx, a, p->column, p->columns, p->column_capacity);
    p->column[p->columns] = (target_column){copy};
    *version = p->columns++;
    return NONSENS_OK;
}

/* A small segment that needs its own mechanism is left out for all sets of causes, so that these can be compared. */
static int fate_of(const structured_parts *p, int64_t version, int64_t effect, int64_t causes, const int64_t *cause,
                   int64_t e)
{
    uint8_t kind = p->column[version].kind[e];
    bool own = kind == TARGET_CHANGED, small = own && p->small[e];
    for (int64_t t = 0; p->has_activity && t < p->whole->d; t++) {
        if (t != effect && targets_kind(p->hit, e, t) == TARGET_ACTIVITY) {
            small = small || p->small[e];
            for (int64_t i = 0; i < causes; i++) {
                own = own || cause[i] == t;
            }
        }
    }
    return kind == TARGET_FIXED || small ? WITHOUT : own ? OWN : SHARED;
}

/* Warps the effect in the rows that are kept, out (n of the data). */
static nonsens_status warp_kept(nonsens_context *ctx, arena *scratch, const structured_parts *p, int64_t effect,
                                const bool *keep, double *out)
{
    int64_t count = 0;
    double *value, *warped;
    ARENA_TRY(ctx, scratch, value, p->whole->all);
    ARENA_TRY(ctx, scratch, warped, p->whole->all);
    for (int64_t e = 0; e < p->whole->segments; e++) {
        for (int64_t i = p->start[e]; keep[e] && i < p->start[e + 1]; i++) {
            value[count++] = p->warped[effect][i];
        }
    }
    TRY(sample_warp(ctx, scratch, count, value, warped));
    count = 0;
    for (int64_t e = 0; e < p->whole->segments; e++) {
        for (int64_t i = p->start[e]; keep[e] && i < p->start[e + 1]; i++) {
            out[i] = warped[count++];
        }
    }
    return NONSENS_OK;
}

nonsens_status structured_parts_rows(nonsens_context *ctx, arena *a, structured_parts *p, int64_t effect,
                                     const bool *keep, bool anew, const part_rows **out)
{
    size_t size = (size_t)p->whole->segments * sizeof *keep;
    for (part_rows *at = p->others; at; at = at->next) {
        if (at->effect == effect && at->anew == anew && memcmp(at->keep, keep, size) == 0) {
            *out = at;
            return NONSENS_OK;
        }
    }
    part_rows *rows;
    ARENA_TRY(ctx, a, rows, 1);
    ARENA_TRY(ctx, a, rows->keep, p->whole->segments);
    ARENA_TRY(ctx, a, rows->segment, p->whole->segments);
    memcpy(rows->keep, keep, size);
    for (int64_t e = 0, count = 0; e < p->whole->segments; e++) {
        if (keep[e]) {
            rows->segment[count++] = e;
        }
    }
    rows->effect = effect;
    rows->anew = anew;
    SCOPED_ARENA(scratch);
    double *warped = NULL;
    if (anew) {
        ARENA_TRY(ctx, &scratch, warped, p->whole->all);
        TRY(warp_kept(ctx, &scratch, p, effect, keep, warped));
    }
    TRY(mechanism_data_restrict(ctx, a, p->whole, effect, keep, warped, &rows->data));
    rows->next = p->others;
    p->others = rows;
    *out = rows;
    return NONSENS_OK;
}

nonsens_status structured_parts_of(nonsens_context *ctx, arena *a, structured_parts *p, int64_t version, int64_t effect,
                                   int64_t causes, const int64_t *cause, int64_t *count, const part_rows ***out)
{
    SCOPED_ARENA(scratch);
    int64_t segments = p->whole->segments, shared = 0, shared_rows = 0, own = 0;
    int *fate;
    bool *keep;
    ARENA_TRY(ctx, &scratch, fate, segments);
    ARENA_TRY(ctx, &scratch, keep, segments);
    for (int64_t e = 0; e < segments; e++) {
        fate[e] = fate_of(p, version, effect, causes, cause, e);
        keep[e] = fate[e] == SHARED;
        shared += fate[e] == SHARED;
        shared_rows += fate[e] == SHARED ? p->start[e + 1] - p->start[e] : 0;
        own += fate[e] == OWN;
    }
    *count = 0;
    ARENA_TRY(ctx, a, *out, own + 1);
    if (shared == segments) {
        (*out)[(*count)++] = &p->all;
        return NONSENS_OK;
    }
    if (shared_rows >= MIN_PART_ROWS) {
        TRY(structured_parts_rows(ctx, a, p, effect, keep, false, &(*out)[(*count)++]));
    }
    for (int64_t e = 0; e < segments; e++) {
        if (fate[e] == OWN) {
            memset(keep, 0, (size_t)segments * sizeof *keep);
            keep[e] = true;
            TRY(structured_parts_rows(ctx, a, p, effect, keep, p->column[version].kind[e] == TARGET_CHANGED,
                                      &(*out)[(*count)++]));
        }
    }
    return NONSENS_OK;
}
