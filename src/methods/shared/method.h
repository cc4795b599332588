/*
 * method.h - what a method is to the rest of the library: one row of the registry (registry.c).
 *
 * A method folder fills in results (result.h) and never asks the registry.  If it needs another method, the result
 * carries it (pair_method).
 */
#ifndef METHODS_SHARED_METHOD_H
#define METHODS_SHARED_METHOD_H

#include "data/dataset.h"
#include "graph/targets.h"
#include "methods/shared/result.h"
#include "json/json.h"

/*
 * Decides on a data set of exactly two variables (direction), or finds the graph of all of them (discover): fills in
 * result->edge, and result->order if it has one.  The caller frees scratch.
 */
typedef nonsens_status method_fn(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                 const nonsens_options *options, nonsens_result *result);

/*
 * How another process helps to find a graph.  `new` prepares data, options and targets (user's order; may be NULL);
 * `make` runs a unit from its task (pool/pool.h), several at a time; `free` also accepts what a failed `new` left.
 */
typedef struct method_server {
    nonsens_status (*new)(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                          const targets *hit, void **out);
    void (*free)(void *state);
    nonsens_status (*make)(nonsens_context *ctx, arena *scratch, const void *state, const json_value *task,
                           json_value **line);
} method_server;

/* Bytes that a run needs in addition to the data, measured with two threads; a value is one row of one variable. */
typedef struct memory_need {
    double fixed, per_variable, per_row, per_value;
    double (*further)(const nonsens_options *options, double rows, int64_t segments); /* NULL: nothing further */
} memory_need;

typedef struct method {
    nonsens_method_info info;
    const char *assumes_briefly;    /* info.assumes in one line */
    method_fn *direction;           /* NULL if it cannot decide on a pair */
    method_fn *discover;            /* NULL if it cannot find a graph */
    const method_server *server;    /* of discover; NULL: it does not share its work, and keeps none in a journal */
    memory_need direction_memory;   /* of direction */
    memory_need discover_memory;    /* of discover */
    int64_t max_rows;               /* more rows are sampled down to these if --max-rows is 0; 0: all are used */
    bool takes_missing;             /* finds graphs of data with missing values (--na pairwise) */
    bool is_opinion;                /* asked as a second opinion on a pair (--opinions all) */
    const char *pair_option;        /* key of the option that names the method that it asks about pairs, or NULL */
    const char *published_as;       /* if it uses as-published: what the command line must say */
    const char *bidirected_meaning; /* of a <-> b in its graphs; NULL: a hidden common cause */
} method;

#endif
