/* plain_in_set.h - declares the kernels of plain.h in the instruction set that the including file is compiled for. */
#ifndef MATH_PLAIN_IN_SET_H
#define MATH_PLAIN_IN_SET_H

#include "base/instruction_set.h"
#include "math/plain.h"

#define plain_multiply IN_SET(plain_multiply)
#define plain_apply IN_SET(plain_apply)
#define plain_apply_symmetric IN_SET(plain_apply_symmetric)
#define plain_add_outer IN_SET(plain_add_outer)
#define plain_rotate IN_SET(plain_rotate)
#define plain_factor IN_SET(plain_factor)
#define plain_solve_left IN_SET(plain_solve_left)
#define plain_solve_right IN_SET(plain_solve_right)

void plain_multiply(const plain_product *p);
void plain_apply(int64_t m, int64_t k, double alpha, plain_view a, const double *x, int64_t x_step, double beta,
                 double *y, int64_t y_step);
void plain_apply_symmetric(int64_t n, const double *a, int64_t lda, const double *x, double *y);
void plain_add_outer(int64_t m, int64_t n, double alpha, const double *x, const double *y, int64_t y_step, double *a,
                     int64_t lda);
void plain_rotate(int64_t rows, int64_t sweeps, const plain_sweep *sweep, double *q, int64_t ldq);
int64_t plain_factor(int64_t n, double *a, int64_t lda);
void plain_solve_left(bool backward, bool unit, int64_t k, int64_t m, plain_view t, double *b, int64_t ldb);
void plain_solve_right(bool backward, int64_t m, int64_t k, plain_view t, double *b, int64_t ldb);

#endif
