/* icp_method.h - what the registry runs of this folder. */
#ifndef METHODS_ICP_ICP_METHOD_H
#define METHODS_ICP_ICP_METHOD_H

#include "methods/shared/method.h"

/* Heinze-Deml, Peters, Meinshausen 2018: invariant causal prediction with Gaussian processes (icp.c). */
method_fn icp_direction, icp_discover;

#endif
