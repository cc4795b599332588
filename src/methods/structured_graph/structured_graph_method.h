/* structured_graph_method.h - declares what the registry runs from this folder. */
#ifndef METHODS_STRUCTURED_GRAPH_STRUCTURED_GRAPH_METHOD_H
#define METHODS_STRUCTURED_GRAPH_STRUCTURED_GRAPH_METHOD_H

#include "methods/shared/method.h"

/* Structured segment likelihood of many variables (structured_graph.c). */
method_fn structured_discover;

#endif
