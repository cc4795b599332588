/*
 * lingam_rows.h - what DirectLiNGAM computes from rows: entropies of standardised columns and of the residuals of a
 * pair, products, residuals.
 *
 * Columns have an even number of rows here: an odd column ends in an extra zero, which changes none of the sums.  n is
 * the number of rows without it.
 */
#ifndef METHODS_LINGAM_LINGAM_ROWS_H
#define METHODS_LINGAM_LINGAM_ROWS_H

#include <stdint.h>

/* Returns the number of rows of a column with its padding. */
static inline int64_t lingam_rows_padded(int64_t n)
{
    return n + n % 2;
}

/* Polynomials of log cosh u and u exp(-u^2 / 2) in cells of u; the coefficients of both next to one another. */
enum { LINGAM_CELLS = 513, LINGAM_TERMS = 7 };
typedef struct lingam_table {
    double v[LINGAM_CELLS][2 * LINGAM_TERMS];
} lingam_table;

/* Computes the polynomials. */
void lingam_table_fill(lingam_table *table);

/* Returns E x y. */
double lingam_rows_product(int64_t n, const double *x, const double *y);

/* Returns the entropy of a column of mean 0 and variance 1. */
double lingam_rows_entropy(const lingam_table *table, int64_t n, const double *x);

/*
 * Computes the entropies of the standardised residuals of two such columns with correlation rho: out[0] of x regressed
 * on y, out[1] of y regressed on x.
 */
void lingam_rows_residuals(const lingam_table *table, int64_t n, const double *x, const double *y, double rho,
                           double out[2]);

/*
 * Replaces y by the standardised residual of its regression on x; *rho is their correlation before.  Returns the
 * standard deviation of the residual before it was standardised, 0 if nothing is left.
 */
double lingam_rows_take_out(int64_t n, const double *x, double *y, double *rho);

#endif
