/*
 * fisher_z.h - partial correlation with Fisher's z: the linear test of x and y given some variables, from correlation
 * matrices that are computed once.
 *
 * Inside each group of rows, z = atanh(r) of the partial correlation has mean about 0 under independence and variance
 * 1 / w, w = rows - |given| - 3 (Fisher, Metron 3, 1924).  In sums of squares, small groups enter with their exact
 * normal scores in place of sqrt(w) z.  Groups with w <= 0, or in which x or y is a linear function of the given
 * variables (or constant), do not enter.
 *
 * Two statistics combine the groups: (sum w z)^2 / sum w with 1 degree of freedom, which misses effects whose signs
 * cancel, and the rest of the squares, sum w z^2 - (sum w z)^2 / sum w, with one degree of freedom less than there are
 * groups.  The two are independent; with p the smaller of their p-values, the p-value of the test is 1 - (1 - p)^2.
 */
#ifndef INDEP_FISHER_Z_H
#define INDEP_FISHER_Z_H

#include "base/matrix.h"
#include "base/memory.h"

typedef struct fisher_z_data {
    int64_t d, groups;
    const int64_t *rows;       /* (groups) */
    const double *correlation; /* (d, d, groups); the diagonal is 0 for a column that is constant in a group */
} fisher_z_data;

typedef struct fisher_z_result {
    double statistic;         /* (sum w z)^2 / sum w */
    double heterogeneity;     /* sum w z^2 - (sum w z)^2 / sum w */
    double p_value;           /* 1 if no group enters */
    double correlation;       /* tanh(sum w z / sum w): partial correlation over all groups */
    int64_t groups_used;      /* the other groups: */
    int64_t groups_skipped;   /* too few rows */
    int64_t groups_undefined; /* x or y is determined by the given variables, or constant */
    int64_t dropped;          /* redundant given variables, in the group that has the most */
    bool degenerate;          /* no group enters, at least one of them because r is undefined */
} fisher_z_result;

/*
 * Computes the correlation matrices of all columns inside every group, into `keep`: 8 d^2 bytes a group.  O(n d^2) by
 * blocks of columns; columns may have any scale and offset.
 */
nonsens_status fisher_z_new(nonsens_context *ctx, arena *keep, const column_set *all, const row_groups *groups,
                            fisher_z_data *out);

/* Returns how many doubles a test with `count` given variables needs as a buffer. */
static inline int64_t fisher_z_buffer(int64_t count)
{
    return count < 2 ? 0 : (count + 2) * (count + 2);
}

/*
 * Tests x and y given the columns `given` (count), all of them different.  Allocates nothing and cannot fail.
 * buffer: fisher_z_buffer(count) doubles.  O(count^3) a group.
 */
void fisher_z_test(const fisher_z_data *data, int64_t x, int64_t y, int64_t count, const int64_t *given, double *buffer,
                   fisher_z_result *out);

#endif
