/* lingam_method.h - declares what the registry runs from this folder. */
#ifndef METHODS_LINGAM_LINGAM_METHOD_H
#define METHODS_LINGAM_LINGAM_METHOD_H

#include "methods/shared/method.h"

/* Linear and non-Gaussian: a pair by tests (lingam_pair.c), many variables by an order, then weights (lingam.c). */
method_fn lingam_direction, lingam_discover;

#endif
