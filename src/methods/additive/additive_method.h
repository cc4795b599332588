/* additive_method.h - declares what the registry runs from this folder. */
#ifndef METHODS_ADDITIVE_ADDITIVE_METHOD_H
#define METHODS_ADDITIVE_ADDITIVE_METHOD_H

#include "methods/shared/method.h"

/* Additive noise: by tests of residuals (resit.c, resit_order.c), by regression errors (reci.c). */
method_fn resit_direction, resit_discover, reci_direction;

#endif
