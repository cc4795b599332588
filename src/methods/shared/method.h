/*
 * method.h - the registry: one table entry per published method.  Adding a method = one file + one line here.
 */
#ifndef METHODS_SHARED_METHOD_H
#define METHODS_SHARED_METHOD_H

#include "data/dataset.h"
#include "methods/shared/result.h"

/*
 * Decides on a data set of exactly two variables (direction), or finds the graph of all of them: fills in result->edge,
 * and result->order where it has one (discover).  scratch is freed by the caller.
 */
typedef nonsens_status method_fn(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                 const nonsens_options *options, nonsens_result *result);

typedef struct method {
    nonsens_method_info info;
    method_fn *direction;  /* NULL where it cannot */
    method_fn *discover;   /* likewise */
    int64_t most_rows;     /* a sample of them where there are more and --most-rows is 0; 0: all */
    bool uses_knowledge;   /* its discover keeps to the file of --knowledge */
    const char *two_heads; /* what a <-> b means in its graphs; NULL: a hidden common cause */
} method;

const method *method_find(const char *name);

/* So many rows are used at most: --most-rows, or what the method says; 0: all. */
int64_t method_most_rows(const method *m, const nonsens_options *options);

/* Structured segment likelihood: of a pair (structured.c), of many variables (structured_graph.c). */
method_fn structured_direction, structured_discover;

/* Monti, Zhang, Hyvarinen 2019: by four independence tests (nonsens.c), by likelihood ratio (nonsens_lr.c). */
method_fn monti_direction, monti_lr_direction;

/* Its linear baseline: the variables themselves unmixed, then the same tests or the same ratio (linear_ica.c). */
method_fn linear_ica_direction;

/* Linear and non-Gaussian: a pair by tests (lingam_pair.c), many by an order, then weights (lingam.c). */
method_fn lingam_direction, lingam_discover;

/* Additive noise: by tests of residuals (resit.c, resit_order.c), by regression errors (reci.c). */
method_fn resit_direction, resit_discover, reci_direction;

/* Heinze-Deml, Peters, Meinshausen 2018: invariant causal prediction with Gaussian processes (icp.c). */
method_fn icp_direction, icp_discover;

/* Huang et al. 2020: the segment as a variable, of a pair (cdnod.c) and of many (cdnod_graph.c). */
method_fn cdnod_direction, cdnod_discover;

/* Spirtes, Glymour, Scheines 2000: conditional independence (pc.c), then a bivariate method for what is left open. */
method_fn pc_discover, pc_nonsens_discover;

#endif
