/*
 * structured_differences.h - finds segments in which the mechanism of a variable differs from that in the others.
 *
 * In the graph that was found, the rows of a segment are predicted by the mechanism that all segments share, and by one
 * that is fitted to this segment alone (both held out).  If the latter is significantly better, by enough to pay for
 * it, the segment is split off like a known intervention, and the graph is searched again.  Fits of all segments would
 * take long, so only those are tried in which the disturbance depends on the causes, and in segments known to intervene
 * also variables without causes.
 */
#ifndef METHODS_STRUCTURED_GRAPH_STRUCTURED_DIFFERENCES_H
#define METHODS_STRUCTURED_GRAPH_STRUCTURED_DIFFERENCES_H

#include "methods/structured_graph/structured_hidden.h"

/* p-values of no difference, by segment and node; NaN: not found. */
typedef struct structured_differences {
    int64_t segments, d;
    double *p_value;         /* (segments, d) */
    bool found;              /* is there any? */
    pdag shared;             /* the graph found with mechanisms that all segments share */
    int64_t *shared_version; /* (d) their versions (structured_parts.h) */
    struct trial *trial;     /* (d, segments) fits of single segments, which later calls use again */
} structured_differences;

/*
 * Splits off segments until no more are found.  known (segments): those known to intervene on some variable.  Memory of
 * *out, which the first call must find zeroed, comes from `a`.  *found: was any?
 */
nonsens_status structured_differ(nonsens_context *ctx, arena *a, structured_search *s, const bool *known, double alpha,
                                 structured_differences *out, bool *found);

#endif
