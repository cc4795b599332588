/*
 * structured_separations.h - finds edges of triangles whose ends are independent of one another inside segments.
 *
 * If the mechanism of c in a -> c <- b is hard to follow, the search may prefer the triangle of a, b and c with other
 * directions, although a and b are independent.  Such an edge is forbidden, and the search is repeated without it.
 */
#ifndef METHODS_STRUCTURED_GRAPH_STRUCTURED_SEPARATIONS_H
#define METHODS_STRUCTURED_GRAPH_STRUCTURED_SEPARATIONS_H

#include "methods/structured_graph/structured_search.h"

/*
 * Forbids both directions of such edges of s->graph in *known, which s->known points to; required edges stay.  *found:
 * is there any?  Independent: neither predicts held-out rows of the other significantly, and HSIC has p > alpha.
 */
nonsens_status structured_separate(nonsens_context *ctx, arena *scratch, const nonsens_options *options,
                                   structured_search *s, knowledge *known, bool *found);

#endif
