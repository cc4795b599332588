/*
 * structured_hidden.h - hidden common causes of the variables of a graph: edges whose ends' disturbances stay dependent
 * inside segments, and pairs that a common cause explains as well as an arrow does.
 *
 * A pair is judged by held-out rows (structured_dependence.h), in nats, in up to three graphs: with the arrow, with the
 * arrow reversed, and without it, with disturbances that depend on one another in any way in each segment.
 */
#ifndef METHODS_STRUCTURED_GRAPH_STRUCTURED_HIDDEN_H
#define METHODS_STRUCTURED_GRAPH_STRUCTURED_HIDDEN_H

#include "methods/shared/result.h"
#include "methods/structured_graph/structured_search.h"

typedef enum hidden_kind {
    HIDDEN_NONE,
    HIDDEN_BESIDE,       /* an arrow, or a line, whose ends' disturbances stay dependent */
    HIDDEN_UNCLEAR,      /* an arrow whose direction is not clear, and which fits about as well as a common cause */
    HIDDEN_OR_DIFFERENT, /* noise is dependent unless a mechanism differs between segments */
    HIDDEN_INSTEAD       /* a common cause in place of an arrow */
} hidden_kind;

typedef struct hidden_pair {
    int64_t a, b; /* nodes; a -> b if there is an arrow */
    hidden_kind kind;
    bool was_arrow;              /* the search had an arrow between them */
    bool is_series;              /* the copula that fits better: the series, or the Gaussian one */
    structured_gain left_series; /* `left` as the series measures it (structured_dependence.h) */
    structured_gain left;        /* what disturbances say about one another, with the arrow if there is one */
    structured_gain arrow;       /* what the arrow gains */
    structured_gain common;      /* what a common cause in its place gains */
    structured_gain over;        /* the same minus what the arrow gains */
} hidden_pair;

typedef struct hidden_causes {
    hidden_pair *pair; /* (count) */
    int64_t count;
} hidden_causes;

/*
 * Finds hidden common causes in s->graph.  Removes the arrows that a common cause replaces, then reverses and removes
 * others as long as that helps (coupled_refine).  alpha is the level of tests of change.
 */
nonsens_status structured_find_hidden(nonsens_context *ctx, arena *scratch, structured_search *s, double alpha,
                                      hidden_causes *out);

/*
 * Adds pairs of `shared`, found with mechanisms that all segments share, that are adjacent in the graph and are no
 * longer dependent because the mechanism of an end differs between segments; differs (d): such nodes.
 */
void structured_add_different(const pdag *g, const hidden_causes *shared, const bool *differs, hidden_causes *hidden);

/* Returns the pair of two nodes in any order, or NULL. */
const hidden_pair *hidden_find(const hidden_causes *hidden, int64_t a, int64_t b);

/* Adds edges for common causes in place of arrows, marks the edges of the others, and explains both. */
nonsens_status structured_report_hidden(nonsens_context *ctx, const nonsens_data *data, const hidden_causes *hidden,
                                        nonsens_result *result);

#endif
