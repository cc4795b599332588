/* reasoning.c - the question before a method runs, the answer after it, and the evidence between them. */
#include "methods/shared/reasoning.h"

#include "base/number.h"
#include "base/show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { BEGUN = 2 }; /* steps that reasoning_begin adds */

const char *reasoning_p(char out[REASONING_P_BYTES], double p_value)
{
    char shown[NUMBER_BYTES];
    out[0] = '\0';
    if (!isnan(p_value)) {
        snprintf(out, REASONING_P_BYTES, "p %s%s", p_value < P_VALUE_BOUND ? "" : "= ", number_print_p(shown, p_value));
    }
    return out;
}

nonsens_status reasoning_begin(nonsens_context *ctx, const method *m, nonsens_result *result)
{
    char a[SHOWN_BYTES], b[SHOWN_BYTES], segments[48] = "";
    if (result->segments > 0) {
        snprintf(segments, sizeof segments, " in %" PRId64 " segments", result->segments);
    }
    if (result->is_graph) {
        TRY(result_reason(ctx, result,
                          "The data are %" PRId64 " rows of %" PRId64 " variables%s. The question is what "
                          "causes what among them.",
                          result->rows, result->variables, segments));
    } else {
        show_bare(a, result->names[0]);
        show_bare(b, result->names[1]);
        TRY(result_reason(ctx, result,
                          "The data are %" PRId64 " rows%s. The question is whether %s causes %s or %s causes %s.",
                          result->rows, segments, a, b, b, a));
    }
    return result_reason(ctx, result, "Method %s: %s (%s).", m->info.name, m->info.summary, m->info.citation);
}

nonsens_status reasoning_end(nonsens_context *ctx, nonsens_result *result)
{
    char shown[SHOWN_BYTES], p_value[REASONING_P_BYTES];
    bool adds_steps = result->steps > BEGUN;
    const char *space = result->reason ? " " : "", *reason = result->reason ? result->reason : "";
    for (int64_t i = 0; i < result->evidence_count && !adds_steps; i++) {
        const nonsens_evidence *e = &result->evidence[i];
        if (!isnan(e->p_value)) {
            TRY(result_reason(ctx, result, "%s: %s (%s).", show_bare(shown, e->name), e->text,
                              reasoning_p(p_value, e->p_value)));
        }
    }
    if (!result->is_graph) {
        return result_reason(ctx, result, "So the answer is: %s.%s%s", show_bare(shown, result->decision_text), space,
                             reason);
    }
    int64_t arrows = 0;
    for (int64_t i = 0; i < result->edges; i++) {
        arrows += result->edge[i].type == NONSENS_EDGE_DIRECTED;
    }
    return result_reason(ctx, result, "So the graph has %" PRId64 " edges, %" PRId64 " of them arrows.%s%s",
                         result->edges, arrows, space, reason);
}
