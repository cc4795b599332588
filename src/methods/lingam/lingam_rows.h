/*
 * lingam_rows.h - what DirectLiNGAM asks of the rows: entropies of standardised columns and of the residuals of a pair,
 * products, residuals.
 *
 * Columns have an even number of rows here: an odd column ends in a zero more, which changes none of the sums.  n is
 * the number of rows that count.
 */
#ifndef METHODS_LINGAM_LINGAM_ROWS_H
#define METHODS_LINGAM_LINGAM_ROWS_H

#include <stdint.h>

/* Rows of a column with its padding. */
static inline int64_t lingam_rows_padded(int64_t n)
{
    return n + n % 2;
}

/* Polynomials of log cosh u and u exp(-u^2 / 2) in cells of u; each pair of coefficients side by side. */
enum { LINGAM_CELLS = 513, LINGAM_TERMS = 7 };
typedef struct lingam_table {
    double v[LINGAM_CELLS][2 * LINGAM_TERMS];
} lingam_table;

void lingam_table_fill(lingam_table *table);

/* E x y. */
double lingam_rows_product(int64_t n, const double *x, const double *y);

/* Entropy of a column of mean 0 and variance 1. */
double lingam_rows_entropy(const lingam_table *table, int64_t n, const double *x);

/*
 * Of two such columns with correlation rho the entropies of the standardised residuals: out[0] of x regressed on y,
 * out[1] of y regressed on x.
 */
void lingam_rows_residuals(const lingam_table *table, int64_t n, const double *x, const double *y, double rho,
                           double out[2]);

/*
 * y becomes the standardised residual of its regression on x; *rho is their correlation before.  Returns the standard
 * deviation that was divided out, 0 if nothing is left.
 */
double lingam_rows_take_out(int64_t n, const double *x, double *y, double *rho);

#endif
