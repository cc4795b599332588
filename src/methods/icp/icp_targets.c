/* icp_targets.c - leaves out, for each target, the segments that intervened on it. */
#include "methods/icp/icp_targets.h"

#include "graph/targets.h"

#include <inttypes.h>

/* Searches for the causes of one target; hit (segments) are left out if `some`. */
static nonsens_status search_one(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *o,
                                 double level, const icp_data *all, const bool *hit, bool some, icp_target *target)
{
    icp_data *own; // it points into itself
    if (!some) {
        return icp_search(ctx, a, all, o->max_given, level, 1, target);
    }
    ARENA_TRY(ctx, a, own, 1);
    TRY(icp_new_without(ctx, a, data, o, hit, own));
    return icp_search(ctx, a, own, o->max_given, level, 1, target);
}

static nonsens_status note_hits(nonsens_context *ctx, const char *name, int64_t hits, bool some, nonsens_result *result)
{
    return result_note(ctx, result, NONSENS_NOTE_INFO,
                       some ? "The causes of %s are looked for without %" PRId64
                              " of the segments, in which its mechanism may differ (--targets)."
                            : "The mechanism of %s may differ in %" PRId64
                              " of the segments (--targets), but they are not left out, because fewer than two "
                              "others remain.",
                       name, hits);
}

nonsens_status icp_search_without_hits(nonsens_context *ctx, arena *a, const nonsens_data *data, nonsens_result *result,
                                       double level, const icp_data *all, int64_t targets_count, icp_target *target)
{
    targets known;
    bool *hit;
    if (!result->targets) {
        return icp_search(ctx, a, all, result->options.max_given, level, targets_count, target);
    }
    ARENA_TRY(ctx, a, hit, data->segments);
    TRY(targets_match(ctx, a, result->targets, data->segments, (const char *const *)data->labels, data->d,
                      data->column_rank, &known));
    for (int64_t i = 0; i < targets_count; i++) {
        int64_t hits = 0;
        for (int64_t e = 0; e < data->segments; e++) {
            hit[e] = targets_may_differ(&known, e, target[i].variable);
            hits += hit[e];
        }
        bool some = hits > 0 && data->segments - hits >= 2;
        TRY(search_one(ctx, a, data, &result->options, level, all, hit, some, &target[i]));
        if (hits > 0) {
            TRY(note_hits(ctx, data->names[data->column_rank[target[i].variable]], hits, some, result));
        }
    }
    return NONSENS_OK;
}
