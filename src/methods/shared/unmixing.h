/*
 * unmixing.h - what `ica` and the methods that unmix have in common: the unmixing of variables as the options ask for
 * it, how the sources change over segments, their shape, and whether the data identify them at all.
 */
#ifndef METHODS_SHARED_UNMIXING_H
#define METHODS_SHARED_UNMIXING_H

#include "data/dataset.h"
#include "ica/ica.h"

/* Resolves `auto` to score matching, for unmixing of the variables themselves; returns other values unchanged. */
enum option_unmixing unmixing_resolved(enum option_unmixing asked);

/*
 * Unmixes z (n, d): the variables of the data set in canonical order, possibly standardised.  Without segments all rows
 * form one segment.  A numerical failure is due to the data, so it is returned as an error of the data.
 */
nonsens_status unmixing_of_variables(nonsens_context *ctx, arena *a, const nonsens_data *data,
                                     const nonsens_options *options, matrix z, ica_result *out);

/* Says in words what the contrast gap of an unmixing (not auto) means. */
const char *unmixing_gap_words(enum option_unmixing algorithm);

/* Fills in out (segments, d): standard deviation of each source inside a segment over its pooled one. */
void unmixing_modulation(matrix source, int64_t segments, const int64_t *start, matrix out);

/* Moments of a source with its segment means removed. */
typedef struct unmixing_source_shape {
    double skewness, kurtosis; /* kurtosis in excess of a Gaussian's */
    double departure;          /* the larger of the two in standard errors of a Gaussian sample */
} unmixing_source_shape;

/* Departure up to which a source cannot be distinguished from a Gaussian one. */
#define UNMIXING_GAUSSIAN_MAX 4.0

/*
 * Measures the shape of a source.  With `standardise`, values are in units of the standard deviation of their segment,
 * so that a change of scale does not look like a shape.  Segments without variation are left out.
 */
unmixing_source_shape unmixing_shape(const double *source, int64_t segments, const int64_t *start, bool standardise);

/* Why sources may still be mixed although the unmixing succeeded. */
enum unmixing_failure {
    IDENTIFIED,
    PROPORTIONAL,         /* joint diagonalisation: variances do not change, or change in proportion */
    GAUSSIAN,             /* by shape alone: at least two sources look Gaussian */
    GAUSSIAN_PROPORTIONAL /* by shape and change: those that look Gaussian change in proportion as well */
};

typedef struct unmixing_identification {
    double *departure; /* (d) from a Gaussian, as in unmixing_source_shape: of standardised rows, or of all rows if the
                          algorithm does not use segments */
    enum unmixing_failure why;
    int64_t count; /* of the sources that look Gaussian */
    bool *suspect; /* (d) which they are */
} unmixing_identification;

/* Decides whether the data identify the sources.  `gap` is the contrast gap of the unmixing; segments may be 0. */
nonsens_status unmixing_identified(nonsens_context *ctx, arena *a, enum option_unmixing algorithm, double gap,
                                   matrix source, int64_t segments, const int64_t *start, unmixing_identification *out);

#endif
