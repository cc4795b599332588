/* cdnod_method.h - declares what the registry runs from this folder. */
#ifndef METHODS_CDNOD_CDNOD_METHOD_H
#define METHODS_CDNOD_CDNOD_METHOD_H

#include "methods/shared/method.h"

/* Huang et al. 2020: the segment as a variable, of a pair (cdnod.c) and of many variables (cdnod_graph.c). */
method_fn cdnod_direction, cdnod_discover;

#endif
