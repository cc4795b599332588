/* matrix.h - views of arrays, which own no memory: a matrix (column-major: element (i, j) is v[j * ld + i]), some
 * columns of a table, groups of rows. */
#ifndef BASE_MATRIX_H
#define BASE_MATRIX_H

#include <stdint.h>

typedef struct matrix {
    double *v;
    int64_t rows, cols, ld;
} matrix;

static inline matrix matrix_view(double *v, int64_t rows, int64_t cols)
{
    return (matrix){v, rows, cols, rows};
}

static inline double *matrix_col(matrix m, int64_t j)
{
    return m.v + j * m.ld;
}

/* Some columns of n rows each: element (i, j) is v[j][i]. d is 1 for a scalar, more for a vector, 0 for nothing. */
typedef struct column_set {
    int64_t n, d;
    const double *const *v;
} column_set;

/* Contiguous groups of rows in which a test is run separately: group e has rows start[e] .. start[e + 1] - 1. */
typedef struct row_groups {
    int64_t count;
    const int64_t *start; /* (count + 1) */
} row_groups;

#endif
