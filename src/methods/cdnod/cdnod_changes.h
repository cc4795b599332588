/*
 * cdnod_changes.h - the third phase of CD-NOD: tests whether two modules, such as P(cause) and P(effect | cause),
 * change independently over the segments.
 */
#ifndef METHODS_CDNOD_CDNOD_CHANGES_H
#define METHODS_CDNOD_CDNOD_CHANGES_H

#include "base/matrix.h"
#include "base/memory.h"

#include <stdbool.h>

/* Computes out (n), the normal scores of v: quantiles of the normal distribution at the mean ranks. */
nonsens_status cdnod_scores(nonsens_context *ctx, arena *scratch, int64_t n, const double *v, double *out);

/* Squared distances (groups, groups) between the embeddings of a module in any two segments. */
typedef struct cdnod_distances {
    double *shared; /* weighted by the rows of both segments; D compares these */
    double *plain;  /* not weighted; permutations use these, because the weights depend on where rows lie */
} cdnod_distances;

/*
 * Measures how the module P(target | given) differs between segments; the caller provides the arrays of `out`.  target
 * is one column; given has any number of columns, also 0.  Columns are normal scores.
 */
nonsens_status cdnod_module_distances(nonsens_context *ctx, arena *scratch, const column_set *target,
                                      const column_set *given, const row_groups *groups, const cdnod_distances *out);

typedef struct cdnod_dependence {
    double value;   /* D, -1 to 1; 0 if a module does not change at all */
    double p_value; /* of independent changes, by permutations of the segments */
} cdnod_dependence;

typedef struct cdnod_permutations {
    int64_t count;
    uint64_t seed, job; /* name the random streams; job below 2^31 */
    int threads;
} cdnod_permutations;

/* Computes the dependence of two modules from their distances (segments, segments). */
nonsens_status cdnod_compare_changes(nonsens_context *ctx, arena *scratch, int64_t segments, const double *first,
                                     const double *second, const cdnod_permutations *permutations,
                                     cdnod_dependence *out);

/* All variables as normal scores. */
typedef struct cdnod_modules {
    int64_t n;
    const double *const *score; /* (variables) of n */
    row_groups groups;
} cdnod_modules;

/* An undirected edge between two variables, and the other known causes of each. */
typedef struct cdnod_line {
    int64_t node[2], parents[2];
    const int64_t *parent[2];
} cdnod_line;

/*
 * Compares the two directions of an edge.  out[k] is the dependence of P(cause | its parents) and P(effect | cause,
 * parents) if node k causes the other.
 */
nonsens_status cdnod_compare_directions(nonsens_context *ctx, arena *scratch, const cdnod_modules *modules,
                                        const cdnod_line *line, const cdnod_permutations *permutations,
                                        cdnod_dependence out[2]);

#endif
