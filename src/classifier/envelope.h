/*
 * envelope.h - Cholesky factor and solves for symmetric positive definite matrices whose rows begin with zeros.  These
 * zeros are preserved, so that work and memory traffic depend on the profile only (George and Liu 1981).
 *
 * The matrix is stored densely, row-major, lower triangle; first[i] is the column of the first non-zero of row i.
 * BLAS is not used: matrices here are small, and many threads factor their own at the same time.
 */
#ifndef CLASSIFIER_ENVELOPE_H
#define CLASSIFIER_ENVELOPE_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the sum of a[i] b[i], in a fixed order. */
double envelope_dot(int64_t n, const double *a, const double *b);

/* Factors a (n, n) = L L' in place, lower triangle; what is above it is overwritten.  Returns false if it is not
 * positive definite. */
bool envelope_factor(int64_t n, const int64_t *first, double *a);

/* The functions that are compiled once per instruction set. */
typedef struct envelope_kernel {
    bool (*factor)(int64_t n, const int64_t *first, double *a);
    void (*forward)(int64_t n, const int64_t *first, const double *factor, double *x);
    void (*backward)(int64_t n, const int64_t *first, const double *factor, double *x);
} envelope_kernel;

/* Compute x (n) = L^-1 x, and x = L'^-1 x. */
void envelope_forward(int64_t n, const int64_t *first, const double *factor, double *x);
void envelope_backward(int64_t n, const int64_t *first, const double *factor, double *x);

/* Computes out (n) = L x. */
void envelope_multiply(int64_t n, const int64_t *first, const double *factor, const double *x, double *out);

#endif
