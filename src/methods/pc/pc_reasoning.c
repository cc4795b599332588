/* pc_reasoning.c - how PC finds its graph, in words: which set removed which edge, and what directed the others. */
#include "base/show.h"
#include "methods/pc/pc.h"
#include "methods/shared/reasoning.h"

#include <inttypes.h>
#include <stdio.h>

enum { SAID_PAIRS = 60, LIST_BYTES = 4 * SHOWN_BYTES }; /* with hundreds of variables nobody reads all pairs */

/* Lists the given variables: "x, y and z". */
static const char *list_given(const pc_search *s, const skeleton_pair *pair, char out[LIST_BYTES])
{
    size_t used = 0;
    out[0] = '\0';
    for (int32_t k = 0; k < pair->count && used < LIST_BYTES; k++) {
        char shown[SHOWN_BYTES];
        used += (size_t)snprintf(out + used, LIST_BYTES - used, "%s%s",
                                 k == 0                 ? ""
                                 : k + 1 == pair->count ? " and "
                                                        : ", ",
                                 show_bare(shown, pc_name(s, pair->given[k])));
    }
    return out;
}

static nonsens_status say_separation(nonsens_context *ctx, const pc_search *s, int64_t x, int64_t y,
                                     nonsens_result *result)
{
    const skeleton_pair *pair = skeleton_at(&s->found, x, y);
    char a[SHOWN_BYTES], b[SHOWN_BYTES], list[LIST_BYTES], p_value[REASONING_P_BYTES];
    show_bare(a, pc_name(s, x));
    show_bare(b, pc_name(s, y));
    list_given(s, pair, list);
    return result_reason(ctx, result, "No dependence between %s and %s is seen%s%s (%s): no edge.", a, b,
                         pair->count > 0 ? " given " : "", list, reasoning_p(p_value, pair->p_value));
}

static nonsens_status say_skeleton(nonsens_context *ctx, const pc_search *s, nonsens_result *result)
{
    int64_t d = s->data->d, separated = 0, said = 0;
    for (int64_t y = 0; y < d; y++) {
        for (int64_t x = 0; x < y; x++) {
            if (!skeleton_at(&s->found, x, y)->separated) {
                continue;
            }
            separated++;
            if (said < SAID_PAIRS) {
                TRY(say_separation(ctx, s, x, y, result));
                said++;
            }
        }
    }
    if (said < separated) {
        TRY(result_reason(ctx, result, "%" PRId64 " further pairs have no edge for the same reason.",
                          separated - said));
    }
    return result_reason(ctx, result,
                         "Of %" PRId64 " pairs, %" PRId64 " are adjacent: given no set of up to %" PRId64
                         " neighbours are they seen to be independent.",
                         d * (d - 1) / 2, pdag_edge_count(&s->found.graph), s->found.level > 0 ? s->found.level : 0);
}

nonsens_status pc_say_reasoning(nonsens_context *ctx, const pc_search *s, nonsens_result *result)
{
    const orient_report *r = &s->orient.report;
    TRY(say_skeleton(ctx, s, result));
    return result_reason(ctx, result,
                         "Directions: of %" PRId64
                         " triples a - b - c whose ends are not adjacent, those where b does not "
                         "separate a from c make b a common effect (%" PRId64 " are ambiguous, %" PRId64
                         " contradict one another); further arrows follow since there is no cycle and no other common "
                         "effect (Meek's rules).",
                         r->triples, r->ambiguous, r->conflicts);
}
