/* linear_ica_data.h - draws the data of supplement B: two piecewise stationary sources and their linear mixtures. */
#ifndef FIGURES_LINEAR_ICA_DATA_H
#define FIGURES_LINEAR_ICA_DATA_H

#include "base/matrix.h"
#include "base/memory.h"
#include "base/rng.h"

enum { LINEAR_ICA_SOURCES = 2, LINEAR_ICA_SEGMENTS = 5 };

enum linear_ica_density { DENSITY_LAPLACE, DENSITY_SKEWED };

/* z = source * mix': rows are sorted by segment; all segments have the same size. */
typedef struct linear_ica_data {
    matrix source, z;                                       /* (n, 2) */
    int64_t start[LINEAR_ICA_SEGMENTS + 1];                 /* first row of each segment, and n */
    double lambda[LINEAR_ICA_SOURCES][LINEAR_ICA_SEGMENTS]; /* modulations */
    double mix[LINEAR_ICA_SOURCES * LINEAR_ICA_SOURCES];    /* (2, 2) column-major */
} linear_ica_data;

/* Draws a data set.  correlated: the modulations of both sources grow over the segments. */
nonsens_status linear_ica_draw(nonsens_context *ctx, arena *a, rng *r, enum linear_ica_density density, bool correlated,
                               int64_t rows_per_segment, linear_ica_data *out);

/*
 * Draws from the density proportional to exp(-3 lambda s - s^2/2) for s >= 0 and exp(-lambda |s| - s^2/2) for s < 0,
 * 0 < lambda <= 10.
 */
double linear_ica_skewed(rng *r, double lambda);

/* Returns the condition number of a (2, 2): its largest over its smallest singular value. */
double linear_ica_condition(const double a[4]);

#endif
