/*
 * spline.h - B-splines on equidistant knots over [0, 1], and penalties on differences of their coefficients (Eilers and
 * Marx, "Flexible smoothing with B-splines and penalties", Statistical Science 11, 1996).
 *
 * Of `count` splines of degree q, q + 1 are not zero at t; the functions compute their values, which add up to one, and
 * return the index of the first.  All code is in the header, since folders of src differ in whether they fuse
 * multiplication and addition.
 */
#ifndef MATH_SPLINE_H
#define MATH_SPLINE_H

#include <stdint.h>

/* Returns which of `intervals` equal intervals contains t; *along is the position of t in it, from 0 to 1. */
static inline int64_t spline_interval(int64_t intervals, double t, double *along)
{
    double at = t * (double)intervals;
    int64_t first = (int64_t)at < intervals - 1 ? (int64_t)at : intervals - 1;
    *along = at - (double)first;
    return first;
}

static inline int64_t spline_linear(int64_t count, double t, double value[2])
{
    double s;
    int64_t first = spline_interval(count - 1, t, &s);
    value[0] = 1.0 - s;
    value[1] = s;
    return first;
}

/* Computes the derivatives with respect to t as well. */
static inline int64_t spline_quadratic(int64_t count, double t, double value[3], double slope[3])
{
    double s, intervals = (double)(count - 2);
    int64_t first = spline_interval(count - 2, t, &s);
    value[0] = 0.5 * (1.0 - s) * (1.0 - s);
    value[1] = 0.5 + s * (1.0 - s);
    value[2] = 0.5 * s * s;
    slope[0] = -intervals * (1.0 - s);
    slope[1] = intervals * (1.0 - 2.0 * s);
    slope[2] = intervals * s;
    return first;
}

static inline int64_t spline_cubic(int64_t count, double t, double value[4])
{
    double s;
    int64_t first = spline_interval(count - 3, t, &s);
    double r = 1.0 - s;
    value[0] = r * r * r / 6.0;
    value[1] = (3.0 * s * s * s - 6.0 * s * s + 4.0) / 6.0;
    value[2] = (3.0 * r * r * r - 6.0 * r * r + 4.0) / 6.0;
    value[3] = s * s * s / 6.0;
    return first;
}

/* Computes the derivatives with respect to t of the values of spline_cubic. */
static inline void spline_cubic_slopes(int64_t count, double t, double slope[4])
{
    double s, intervals = (double)(count - 3);
    spline_interval(count - 3, t, &s);
    double r = 1.0 - s;
    slope[0] = -0.5 * r * r * intervals;
    slope[1] = (1.5 * s * s - 2.0 * s) * intervals;
    slope[2] = (2.0 * r - 1.5 * r * r) * intervals;
    slope[3] = 0.5 * s * s * intervals;
}

/*
 * Adds to sum (size, size) the quadratic form of weight times the squared differences, of order 1 or 2, of `count`
 * coefficients that are `step` apart from `first` on.
 */
static inline void spline_add_differences(int64_t order, double weight, int64_t first, int64_t count, int64_t step,
                                          int64_t size, double *sum)
{
    static const double stencil[2][3] = {{-1.0, 1.0, 0.0}, {1.0, -2.0, 1.0}};
    const double *d = stencil[order - 1];
    for (int64_t b = 0; b + order < count; b++) {
        for (int64_t i = 0; i <= order; i++) {
            for (int64_t j = 0; j <= order; j++) {
                sum[(first + (b + i) * step) * size + first + (b + j) * step] += weight * d[i] * d[j];
            }
        }
    }
}

#endif
