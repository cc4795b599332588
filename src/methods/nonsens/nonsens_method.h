/* nonsens_method.h - declares what the registry runs from this folder. */
#ifndef METHODS_NONSENS_NONSENS_METHOD_H
#define METHODS_NONSENS_NONSENS_METHOD_H

#include "methods/shared/method.h"

/* Monti, Zhang, Hyvarinen 2019: by four independence tests (nonsens.c), by likelihood ratio (nonsens_lr.c). */
method_fn monti_direction, monti_lr_direction;

/* Its linear baseline: unmixes the variables themselves, then the same tests or the same ratio (linear_ica.c). */
method_fn linear_ica_direction;

#endif
