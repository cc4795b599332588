/* icp_method.h - declares what the registry runs from this folder. */
#ifndef METHODS_ICP_ICP_METHOD_H
#define METHODS_ICP_ICP_METHOD_H

#include "methods/shared/method.h"

/* Heinze-Deml, Peters, Meinshausen 2018: invariant causal prediction with Gaussian processes (icp.c). */
method_fn icp_direction, icp_discover;

#endif
