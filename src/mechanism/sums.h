/*
 * sums.h - adds up, over rows, products of the B-splines of two terms, cell by cell.
 *
 * At a row only a few B-splines are not zero, and which ones depends only on the cells (intervals between knots) of the
 * variables.  The products of two terms at a row are an outer product of at most nine numbers with four, which is added
 * to the sums of its pair of cells.  sums.c is compiled once per instruction set.
 */
#ifndef MECHANISM_SUMS_H
#define MECHANISM_SUMS_H

#include "mechanism/mechanism_internal.h"

enum { SUMS_LEFT = 9, SUMS_RIGHT = 4, SUMS_TRIANGLE = 6 };

/* The B-splines of a term at each row. */
typedef struct sums_term {
    mechanism_splines left, right;
    int32_t *cell; /* (n) of the left and the right variable together */
} sums_term;

typedef struct sums_job {
    int64_t n, cells; /* cells of the second term */
    term_form form[2];
    const sums_term *term[2];
    const int32_t *cell;                 /* (n) of the second term; of its cause if both terms are products with y */
    const double *weight, *slope_weight; /* (n) second derivatives by T and by dT/dy */
    const double *own;                   /* (6, n) weighted products of the B-splines of y that are in products */
    double *sum;                         /* (4, left, cells of the first term, cells) */
    uint8_t *used;                       /* which of the cells have rows */
} sums_job;

typedef struct sums_kernel {
    void (*add_up)(const sums_job *job);
} sums_kernel;

/* Returns how many numbers the left side of the outer product of two terms has. */
int64_t sums_left(term_form first, term_form second);

#endif
