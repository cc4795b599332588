/* mechanism_internal.h - one fit of a mechanism: its terms, its parameters, passes over the rows. */
#ifndef MECHANISM_MECHANISM_INTERNAL_H
#define MECHANISM_MECHANISM_INTERNAL_H

#include "mechanism/mechanism.h"

enum { MECHANISM_MAX_TERMS = 1 + MECHANISM_MAX_CAUSES * (MECHANISM_MAX_CAUSES + 3) / 2 };

/* Products of B-splines of two variables; those of the left one if `right` is NULL. */
typedef struct mechanism_term {
    const mechanism_splines *left, *right;
    bool has_slope;         /* left is y */
    int64_t offset, stride; /* the product of left a and right b has the coefficient offset + a * stride + b */
    int64_t rows, columns;  /* number of left and of right B-splines */
    int64_t cause[2];       /* indices of its weights; the second repeats the first unless there are two causes */
    double weight;          /* of its squared second differences, set by mechanism_smooth */
} mechanism_term;

/* What a term is: of y alone, a product of y and a cause, of a cause alone, a product of two causes. */
typedef enum term_form { FORM_ALONE, FORM_PRODUCT, FORM_MAIN, FORM_PAIR, FORMS } term_form;
term_form term_form_of(const mechanism_term *t);

typedef struct rows_kernel rows_kernel;

/* Up to this many segments second derivatives are one dense matrix; with more, an arrow (arrow.h). */
enum { MECHANISM_DENSE = 50 };

/*
 * Parameters: coefficients (p), locations (E), logarithms of scales (E).  Second derivatives are (size, size); in an
 * arrow, those of the coefficients, (p, p), and then those of each segment's location and scale, (E, 3).
 */
typedef struct mechanism_model {
    const mechanism_data *data;
    int64_t terms, p, size;
    bool is_arrow;
    int64_t ld; /* of the second derivatives of the coefficients: size, or p of an arrow */
    mechanism_term term[MECHANISM_MAX_TERMS];
    const mechanism_splines *unseen_alone, *unseen_effect, *unseen_cause[MECHANISM_MAX_CAUSES]; /* of unseen points */
    double *penalty; /* (p, p) second derivatives of the penalty, set by mechanism_smooth */
    const rows_kernel *kernel;
} mechanism_model;

/* Ridge in addition to second differences, so that coefficients without rows are defined. */
#define MECHANISM_RIDGE 0.02
#define MECHANISM_RIDGE_UP_TO 0.4 /* it does not grow with weights above this: T may be steep if it is smooth */
static inline double mechanism_ridge(double weight)
{
    return MECHANISM_RIDGE * (weight < MECHANISM_RIDGE_UP_TO ? weight : MECHANISM_RIDGE_UP_TO);
}

/* Returns how many numbers the second derivatives take. */
static inline int64_t mechanism_hessian_size(const mechanism_model *m)
{
    return m->is_arrow ? m->p * m->p + 3 * m->data->segments : m->size * m->size;
}

/* Returns the weight of the squared sums of locations and of scales. */
static inline double mechanism_pin(const mechanism_model *m)
{
    return (double)m->data->n / (double)m->data->segments;
}

/* If dT/dy is below this, or negative, log dT/dy is continued by its second-order expansion. */
#define MECHANISM_FLAT 0.1

/* Sets up the terms of a model of `effect` by its causes; the penalty is still zero. */
nonsens_status mechanism_new(nonsens_context *ctx, arena *a, const mechanism_data *data, int64_t effect, int64_t causes,
                             const int64_t *cause, mechanism_model *out);

/* Fills the penalty: smooth (MECHANISM_WEIGHTS) has the weights of second differences. */
void mechanism_smooth(mechanism_model *m, const double *smooth);

/* Returns the penalty of unseen points; adds to gradient, and to the lower triangle of hessian, unless NULL. */
double mechanism_unseen_penalise(const mechanism_model *m, const double *theta, double *gradient, double *hessian);

/* Parameters, and T and dT/dy at all rows, which are linear in the coefficients. */
typedef struct mechanism_point {
    double *theta;             /* (size) */
    double *transform, *slope; /* (n) */
} mechanism_point;

/* Derivatives of minus the log density of each row: scratch of mechanism_derive. */
typedef struct mechanism_weights {
    double *first, *second, *mixed;     /* (n) by T, twice, by T and rho */
    double *slope_first, *slope_second; /* (n) by dT/dy, twice */
    double *crossing;                   /* (2, p, E) summed: by segments' parameters and coefficients; an
                                           arrow of second derivatives does not hold these */
    struct mechanism_second *sums;      /* second.h */
} mechanism_weights;

/* Allocate a point and the weights of a model; `like`: other weights of it, which share what they can, or NULL. */
nonsens_status mechanism_point_new(nonsens_context *ctx, arena *a, const mechanism_model *m, mechanism_point *out);
nonsens_status mechanism_weights_new(nonsens_context *ctx, arena *a, const mechanism_model *m,
                                     const mechanism_weights *like, mechanism_weights *out);

/* Computes T and dT/dy from theta. */
void mechanism_apply(const mechanism_model *m, mechanism_point *at);

/* Returns the sum of log densities of rows from .. to - 1. */
double mechanism_likelihood(const mechanism_model *m, const mechanism_point *at, int64_t from, int64_t to);

/* Sets log_density (n) at rows from .. to - 1; strongly negative dT/dy are raised, so that no single row decides. */
void mechanism_score(const mechanism_model *m, const mechanism_point *at, int64_t from, int64_t to,
                     double *log_density);

/*
 * Adds to gradient (size) and, unless NULL, to the lower triangle of hessian the derivatives of minus the log
 * likelihood of all rows but hole .. hole_end - 1.
 */
nonsens_status mechanism_derive(nonsens_context *ctx, const mechanism_model *m, const mechanism_point *at, int64_t hole,
                                int64_t hole_end, mechanism_weights *weights, double *gradient, double *hessian);

/* Sets the lower triangle of hessian (size, size) to the second derivatives of the penalties on coefficients. */
void mechanism_clear(const mechanism_model *m, double *hessian);

/*
 * Returns the sum of penalties on coefficients, locations and scales; adds to gradient, and to hessian those on
 * locations, scales and unseen points (the others come from mechanism_clear), unless NULL.
 */
double mechanism_penalise(const mechanism_model *m, const double *theta, double *gradient, double *hessian);

#endif
