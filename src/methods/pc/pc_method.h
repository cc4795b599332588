/* pc_method.h - declares what the registry runs from this folder. */
#ifndef METHODS_PC_PC_METHOD_H
#define METHODS_PC_PC_METHOD_H

#include "methods/shared/method.h"

/* Spirtes, Glymour, Scheines 2000: conditional independence (pc.c); then a bivariate method (pc_nonsens.c). */
method_fn pc_discover, pc_nonsens_discover;

#endif
