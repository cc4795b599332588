/*
 * fisher_z.h - partial correlation with Fisher's z: the linear test of x and y given some variables, from correlation
 * matrices that are computed once.
 *
 * Inside each group of rows, z = atanh(r) of the partial correlation has mean about 0 under independence and variance
 * 1 / w, w = rows - |given| - 3 (Fisher, Metron 3, 1924).  In sums of squares small groups enter with their exact
 * normal scores in place of sqrt(w) z.  Groups with w <= 0, or where x or y is a linear function of the given variables
 * (or constant), do not enter.
 *
 * Groups are put together by (sum w z)^2 / sum w with 1 degree of freedom, which is blind where signs cancel, and by
 * the rest of the squares, sum w z^2 - (sum w z)^2 / sum w with one degree less than groups.  The two are independent;
 * p is that of the smaller of their p-values, 1 - (1 - p)^2.
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
    int64_t groups_used;      /* the others: */
    int64_t groups_skipped;   /* too few rows */
    int64_t groups_undefined; /* x or y is determined by the given variables, or constant */
    int64_t dropped;          /* redundant given variables, the most of any group */
    bool degenerate;          /* no group enters, at least one of them because r is undefined */
} fisher_z_result;

/*
 * Correlation matrices of all columns inside every group, into `keep`: 8 d^2 bytes a group.  O(n d^2) by blocks of
 * columns; any scale and offset.
 */
nonsens_status fisher_z_new(nonsens_context *ctx, arena *keep, const column_set *all, const row_groups *groups,
                            fisher_z_data *out);

/* How many doubles a test with this many given variables needs as a buffer; 0 for none and one. */
static inline int64_t fisher_z_buffer(int64_t count)
{
    return count < 2 ? 0 : (count + 2) * (count + 2);
}

/*
 * x and y given the columns given (count), which are distinct and none of them; nothing is allocated, nothing fails.
 * buffer: fisher_z_buffer(count) doubles.  O(count^3) a group.
 */
void fisher_z_test(const fisher_z_data *data, int64_t x, int64_t y, int64_t count, const int64_t *given, double *buffer,
                   fisher_z_result *out);

#endif
