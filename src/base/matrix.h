/* matrix.h - a view of a column-major array: element (i, j) is v[j * ld + i].  It owns nothing. */
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

#endif
