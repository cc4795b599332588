/*
 * method.h - the registry: one table entry per published method.  Adding a method = one file + one line here.
 */
#ifndef METHODS_METHOD_H
#define METHODS_METHOD_H

#include "data/dataset.h"
#include "methods/result.h"

/* Decides on a data set of exactly two variables; scratch is freed by the caller. */
typedef nonsens_status (*direction_fn)(nonsens_context *ctx, arena *scratch, const nonsens_data *pair,
                                       const nonsens_options *options, nonsens_result *result);

/* Finds the graph of all variables: fills in result->edge, and result->order where it has one. */
typedef nonsens_status (*discover_fn)(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                      const nonsens_options *options, nonsens_result *result);

typedef struct method {
    nonsens_method_info info;
    direction_fn direction; /* NULL where it cannot */
    discover_fn discover;   /* likewise */
} method;

const method *method_find(const char *name);

/* Direction by structured segment likelihood (structured.c). */
nonsens_status structured_direction(nonsens_context *ctx, arena *scratch, const nonsens_data *pair,
                                    const nonsens_options *options, nonsens_result *result);

/* Monti, Zhang, Hyvarinen 2019: by four independence tests (nonsens.c), by likelihood ratio (nonsens_lr.c). */
nonsens_status monti_direction(nonsens_context *ctx, arena *scratch, const nonsens_data *pair,
                               const nonsens_options *options, nonsens_result *result);
nonsens_status monti_lr_direction(nonsens_context *ctx, arena *scratch, const nonsens_data *pair,
                                  const nonsens_options *options, nonsens_result *result);

/* Its linear baseline: the variables themselves unmixed, then the same tests or the same ratio (linear_ica.c). */
nonsens_status linear_ica_direction(nonsens_context *ctx, arena *scratch, const nonsens_data *pair,
                                    const nonsens_options *options, nonsens_result *result);

/* Huang et al. 2020: the segment as a variable, of a pair (cdnod.c) and of many (cdnod_graph.c). */
nonsens_status cdnod_direction(nonsens_context *ctx, arena *scratch, const nonsens_data *pair,
                               const nonsens_options *options, nonsens_result *result);
nonsens_status cdnod_discover(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                              const nonsens_options *options, nonsens_result *result);

#endif
