/* structured_method.h - what the registry runs of this folder. */
#ifndef METHODS_STRUCTURED_STRUCTURED_METHOD_H
#define METHODS_STRUCTURED_STRUCTURED_METHOD_H

#include "methods/shared/method.h"

/* Structured segment likelihood: of a pair (structured.c), of many variables (structured_graph.c). */
method_fn structured_direction, structured_discover;

/* Bytes that the classifiers of a pair take. */
double structured_classifier_memory(const nonsens_options *options, double rows, int64_t segments);

#endif
