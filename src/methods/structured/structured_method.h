/* structured_method.h - declares what the registry runs from this folder. */
#ifndef METHODS_STRUCTURED_STRUCTURED_METHOD_H
#define METHODS_STRUCTURED_STRUCTURED_METHOD_H

#include "methods/shared/method.h"

/* Structured segment likelihood of a pair (structured.c); of many variables: ../structured_graph. */
method_fn structured_direction;

/* Returns the bytes that the classifiers of a pair take. */
double structured_classifier_memory(const nonsens_options *options, double rows, int64_t segments);

#endif
