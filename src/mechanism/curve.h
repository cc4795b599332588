/*
 * curve.h - the transformation T(y, x) of a fitted mechanism and its inverse in y, at any values and not only at rows.
 *
 * For given causes T is a quadratic spline in the warped y, so dT/dy is linear between the knots of its B-splines.
 * Between rows a fit may fall (MECHANISM_FLAT).  Here dT/dy is raised to CURVE_MIN_SLOPE at knots where it is less, so
 * that T increases everywhere and its inverse is exact.  T is unchanged at the knot where y is most likely, and from
 * there as far as it rises.
 *
 * After mechanism_curve_new, nothing is allocated and a curve is only read, so threads may share it.
 */
#ifndef MECHANISM_CURVE_H
#define MECHANISM_CURVE_H

#include "mechanism/mechanism.h"

/* ---- values and warped values ----------------------------------------------------------------------------------- */

/* The map between the values of a variable and [0, 1], linear between the distinct values of the data. */
typedef struct mechanism_scale {
    int64_t count;
    double *value, *warped; /* (count) ascending */
} mechanism_scale;

/* Prepares the scale of a variable x (n) and its warped values (classifier/sample.h). */
nonsens_status mechanism_scale_new(nonsens_context *ctx, arena *a, int64_t n, const double *x, const double *warped,
                                   mechanism_scale *out);
/* Maps a value to [0, 1]; a value beyond the range of the data maps like the nearest one. */
double mechanism_scale_warp(const mechanism_scale *s, double value);
/* Maps back; beyond the warped values, to the nearest value. */
double mechanism_scale_value(const mechanism_scale *s, double warped);

/* ---- curves ----------------------------------------------------------------------------------------------------- */

enum { CURVE_MAX_BASIS = 24, CURVE_MAX_KNOTS = 2 * CURVE_MAX_BASIS };
#define CURVE_MIN_SLOPE 0.1 /* T runs from about -4 to 4 */

typedef struct mechanism_curve {
    int64_t causes, alone_basis, effect_basis, main_basis, cause_basis, pair_basis;
    bool separate;
    const double *theta; /* coefficients, in the order of mechanism_new; borrowed */
    int64_t knots;       /* of both bases of y, in order, 0 and 1 included */
    double knot[CURVE_MAX_KNOTS];
    int32_t at[2][CURVE_MAX_KNOTS];   /* the interval of the knot in the bases `alone` and `effect` */
    double along[2][CURVE_MAX_KNOTS]; /* and how far along it is */
} mechanism_curve;

/* Prepares a curve of a variable with `causes` causes; theta as in mechanism_fit, borrowed. */
void mechanism_curve_new(const mechanism_data *data, int64_t causes, const double *theta, mechanism_curve *out);

/* T as a function of y, for fixed causes. */
typedef struct mechanism_line {
    int64_t knots;
    const double *knot;
    double value[CURVE_MAX_KNOTS], slope[CURVE_MAX_KNOTS]; /* at the knots */
} mechanism_line;

/* Fixes the causes, cause (causes) in [0, 1]. */
void mechanism_curve_fix(const mechanism_curve *c, const double *cause, mechanism_line *out);
/* Returns T at y in [0, 1]. */
double mechanism_line_value(const mechanism_line *l, double y);
/* Returns the y in [0, 1] at which T has this value, or the nearest end. */
double mechanism_line_inverse(const mechanism_line *l, double value);

#endif
