/*
 * plain.h - linear algebra in C, without BLAS, LAPACK or Fortran: what the files plain_*.c share.
 *
 * Nearly all arithmetic is done by a few kernels on matrices and vectors (plain_kernel), compiled once per instruction
 * set; factorisations are built on them.  Nothing is allocated: kernels keep panels on the stack (at most 120 KiB), and
 * callers pass other work space.  Every sum has a fixed order, for any number of threads.
 */
#ifndef MATH_PLAIN_H
#define MATH_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

/* A matrix with element (i, j) at v[i * row + j * column]; one of the strides is 1. */
typedef struct plain_view {
    const double *v;
    int64_t row, column;
} plain_view;

typedef enum plain_part { PLAIN_ALL, PLAIN_LOWER, PLAIN_UPPER } plain_part;

/* C (m, n; column-major) = alpha A B + beta C with inner dimension k; C is not read if beta = 0. */
typedef struct plain_product {
    int64_t m, n, k;
    double alpha, beta;
    plain_view a, b;
    double *c;
    int64_t ldc;
    plain_part part; /* of C that is wanted; tiles on the diagonal are computed whole */
} plain_product;

/*
 * Rotations of neighbouring columns j and j + 1, for j = first, first - 1, ..., last: column j becomes c q_j - s q_j+1,
 * and column j + 1 becomes s q_j + c q_j+1; `rotation` has c and s of each, in this order of j.
 */
typedef struct plain_sweep {
    int64_t first, last;
    const double *rotation;
} plain_sweep;

/* This many successive sweeps over the same columns are applied at once. */
enum { PLAIN_TOGETHER = 4 };

/* Largest number of columns of a triangle that the kernels factor, solve_left and solve_right accept. */
enum { PLAIN_TRIANGLE = 32 };

typedef struct plain_kernel {
    void (*multiply)(const plain_product *p);
    /* y (m) = alpha A x + beta y for A (m, k); x_step and y_step are strides. */
    void (*apply)(int64_t m, int64_t k, double alpha, plain_view a, const double *x, int64_t x_step, double beta,
                  double *y, int64_t y_step);
    /* y (n) = A x for a symmetric A (n, n), of which the lower triangle is read. */
    void (*apply_symmetric)(int64_t n, const double *a, int64_t lda, const double *x, double *y);
    /* A (m, n) += alpha x y'. */
    void (*add_outer)(int64_t m, int64_t n, double alpha, const double *x, const double *y, int64_t y_step, double *a,
                      int64_t lda);
    /* Applies the sweeps one after another to the columns of q, in all `rows`. */
    void (*rotate)(int64_t rows, int64_t sweeps, const plain_sweep *sweep, double *q, int64_t ldq);
    /* Replaces a (n, n), n <= PLAIN_TRIANGLE, by its lower Cholesky factor; returns 0 or the failing pivot, from 1. */
    int64_t (*factor)(int64_t n, double *a, int64_t lda);
    /* B (k, m) = T^-1 B for k <= PLAIN_TRIANGLE; T is lower, or upper if `backward`; `unit`: ones on its diagonal. */
    void (*solve_left)(bool backward, bool unit, int64_t k, int64_t m, plain_view t, double *b, int64_t ldb);
    /* B (m, k) = B T^-1 for k <= PLAIN_TRIANGLE; T is upper, or lower if `backward`. */
    void (*solve_right)(bool backward, int64_t m, int64_t k, plain_view t, double *b, int64_t ldb);
} plain_kernel;

/* Returns the kernels of the best instruction set, chosen in the first call. */
const plain_kernel *plain_choose(void);
/* For tests: lets the next call choose again, by the current value of NONSENS_KERNEL. */
void plain_choose_again(void);

/* Returns a view of a column-major matrix, or of its transpose. */
static inline plain_view plain_seen(const double *v, int64_t ld, bool transposed)
{
    return transposed ? (plain_view){v, ld, 1} : (plain_view){v, 1, ld};
}

/* Returns a view that begins at element (i, j). */
static inline plain_view plain_from(plain_view a, int64_t i, int64_t j)
{
    return (plain_view){a.v + i * a.row + j * a.column, a.row, a.column};
}

/* B (k, m) = T^-1 B for a T of any size: lower, or upper if `backward`; `unit`: ones on its diagonal. */
void plain_solve_triangle(bool backward, bool unit, int64_t k, int64_t m, plain_view t, double *b, int64_t ldb);

/* linalg_backend.h says what these do; cholesky and invert_cholesky also take a stride. */
int64_t plain_cholesky(int64_t k, double *a, int64_t lda);
void plain_invert_cholesky(int64_t k, double *l, int64_t ldl);
int64_t plain_solve(int64_t k, int64_t m, double *a, double *b, int32_t *pivot);
int64_t plain_eigen_work(int64_t k);
int64_t plain_eigen(int64_t k, double *a, double *w, int64_t work_size, double *work);
int64_t plain_qr_work(int64_t n, int64_t k);
void plain_pivoted_qr(int64_t n, int64_t k, double *a, int32_t *pivot, int64_t work_size, double *work);

/* Returns the Euclidean norm of x (n), n >= 1, without overflow. */
double plain_norm(int64_t n, const double *x);

/*
 * Finds the Householder reflection H = I - tau v v' with v[0] = 1 that maps x (n) to a multiple of the first unit
 * vector: x becomes this multiple, then v[1..].  Returns tau, 0 if there is nothing to reflect.
 */
double plain_reflector(int64_t n, double *x);

/*
 * Computes the tridiagonal form T of a symmetric a (n, n), n >= 1, of which the lower triangle is read: diagonal d (n),
 * below it e (n - 1); q (n, n) becomes the orthogonal Q with A = Q T Q', a is overwritten. work:
 * plain_tridiagonal_work(n).
 */
int64_t plain_tridiagonal_work(int64_t n);
void plain_tridiagonal(int64_t n, double *a, double *d, double *e, double *q, double *work);

#endif
