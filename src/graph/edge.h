/* edge.h - the values of an edge before its effect is estimated. */
#ifndef GRAPH_EDGE_H
#define GRAPH_EDGE_H

#include <math.h>

/* Initialises the members of a nonsens_edge that hold its direct effect. */
#define EDGE_NO_EFFECT .effect = NAN, .effect_low = NAN, .effect_high = NAN, .lower = NAN, .upper = NAN

#endif
