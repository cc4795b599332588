/*
 * method.h - the registry: one table entry per published method.  Adding a method = one file + one line here.
 */
#ifndef METHODS_METHOD_H
#define METHODS_METHOD_H

#include "data/dataset.h"
#include "methods/result.h"

/* Decides on a data set of exactly two variables. */
typedef nonsens_status (*direction_fn)(nonsens_context *ctx, const nonsens_data *pair, const nonsens_options *options,
                                       nonsens_result *result);

typedef struct method {
    nonsens_method_info info;
    direction_fn direction;
} method;

const method *method_find(const char *name);

nonsens_status nonsens_method_direction(nonsens_context *ctx, const nonsens_data *pair, const nonsens_options *options,
                                        nonsens_result *result);
nonsens_status nonsens_lr_method_direction(nonsens_context *ctx, const nonsens_data *pair,
                                           const nonsens_options *options, nonsens_result *result);

#endif
