/*
 * cdnod_changes.h - the third phase of CD-NOD: do two modules, such as P(cause) and P(effect | cause), change
 * independently over the segments?
 */
#ifndef METHODS_CDNOD_CDNOD_CHANGES_H
#define METHODS_CDNOD_CDNOD_CHANGES_H

#include "base/matrix.h"
#include "base/memory.h"

#include <stdbool.h>

/* out (n) = normal scores of v: quantiles of the normal distribution at the mean ranks. */
nonsens_status cdnod_scores(nonsens_context *ctx, arena *scratch, int64_t n, const double *v, double *out);

/* Squared distances (groups, groups) between the embeddings of a module in any two segments. */
typedef struct cdnod_distances {
    double *shared; /* over what is given in rows of both: what D compares */
    double *plain;  /* over all rows: what is permuted, since the former depend on where rows lie */
} cdnod_distances;

/*
 * How the module P(target | given) differs between segments; `out` has its arrays.  target: one column; given: any
 * number of columns, also none.  Columns are normal scores.
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

/* Of the distances of two modules (segments, segments). */
nonsens_status cdnod_compare_changes(nonsens_context *ctx, arena *scratch, int64_t segments, const double *first,
                                     const double *second, const cdnod_permutations *permutations,
                                     cdnod_dependence *out);

/* All variables as normal scores. */
typedef struct cdnod_modules {
    int64_t n;
    const double *const *score; /* (variables) of n */
    row_groups groups;
} cdnod_modules;

/* Two adjacent variables, and what else is known to cause each of them. */
typedef struct cdnod_line {
    int64_t node[2], parents[2];
    const int64_t *parent[2];
} cdnod_line;

/* out[k]: if node k of the line causes the other, the dependence of P(cause | its parents), P(effect | cause, parents).
 */
nonsens_status cdnod_compare_directions(nonsens_context *ctx, arena *scratch, const cdnod_modules *modules,
                                        const cdnod_line *line, const cdnod_permutations *permutations,
                                        cdnod_dependence out[2]);

#endif
