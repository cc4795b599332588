/*
 * ica_internal.h - declarations that the files of this folder share: whitened data, planar rotations, contrasts.
 *
 * A contrast is a sum over sources, so rotating two sources in their plane changes only two terms.  Algorithms start
 * (and the entropy search also ends) with Jacobi-like sweeps over planes, each of which is searched globally.
 */
#ifndef ICA_ICA_INTERNAL_H
#define ICA_ICA_INTERNAL_H

#include "ica/ica.h"
#include "ica/statistics.h"

/* Rows of the segments that are large enough for a contrast, whitened and centred in each segment. */
typedef struct ica_data {
    int64_t n, d, segments;
    const int64_t *start; /* (segments + 1) */
    double *y;            /* (n, d); columns are rotated in place as the search proceeds */
    double *mean;         /* (segments, d) what was subtracted from y; in units of y, minus the mean of all rows */
} ica_data;

static inline int64_t ica_largest_segment(const ica_data *data)
{
    int64_t largest = 0;
    for (int64_t e = 0; e < data->segments; e++) {
        int64_t rows = data->start[e + 1] - data->start[e];
        largest = rows > largest ? rows : largest;
    }
    return largest;
}

static inline double ica_segment_weight(const ica_data *data, int64_t e)
{
    return (double)(data->start[e + 1] - data->start[e]) / (double)data->n;
}

/*
 * Computes white (d, d) with white * C_within * white' = I (whiten.c).  Leaves the standardised data in y (n, d) and
 * its scales in scale (d).  Fails, and names the columns, if some are constant or linearly dependent inside segments;
 * names may be NULL.
 */
nonsens_status ica_whiten(nonsens_context *ctx, arena *a, matrix z, int64_t segments, const int64_t *start,
                          const char *const *names, double *y, double *scale, double *white);

/* Sets out (rows) to the column minus the mean of its segment.  Makes two passes: large offsets cost no digits. */
void ica_centre_column(const double *column, int64_t segments, const int64_t *start, double *out);

/*
 * A turn by (c, s) replaces sources j and k by c s_j + s s_k and -s s_j + c s_k. `plane` returns the two terms of the
 * contrast after a turn without making it; `turn` makes it.
 */
typedef struct ica_contrast {
    void *state;
    double (*plane)(void *state, int64_t j, int64_t k, double c, double s);
    void (*turn)(void *state, int64_t j, int64_t k, double c, double s);
} ica_contrast;

typedef struct ica_search {
    int grid;         /* even number of angles over a quarter turn, the period of every contrast */
    double precision; /* of the angle in one plane, radians */
    double stop;      /* a sweep with no larger turn than this is the last */
    int max_sweeps;
} ica_search;

/* Sweeps over all planes of d sources until turns are negligible.  One sweep suffices for d = 2. */
nonsens_status ica_sweep_planes(nonsens_context *ctx, int64_t d, const ica_contrast *contrast, const ica_search *search,
                                int *sweeps, bool *converged);

/* Returns the minimum over planes of (maximum over angles - current value) of the contrast, at least 0. */
double ica_weakest_plane(int64_t d, const ica_contrast *contrast);

/* Computes u = c a + s b, v = -s a + c b over n values with stride; u, v may be a, b. */
void ica_turn_pair(int64_t n, int64_t stride, double c, double s, const double *a, const double *b, double *u,
                   double *v);

/* The first member of the state of every contrast that is evaluated on the rows themselves. */
typedef struct ica_rows {
    ica_data *data;
    double *rotation; /* (d, d), rotated together with the data */
    double *u, *v;    /* (n) scratch: a trial pair of sources */
} ica_rows;

/* Sets rows up for data and rotation, which it keeps; scratch comes from `a`. */
nonsens_status ica_rows_new(nonsens_context *ctx, arena *a, ica_data *data, double *rotation, ica_rows *rows);

/* Turns sources j and k of the ica_rows at the beginning of `state`, and its rotation. */
void ica_rows_turn(void *state, int64_t j, int64_t k, double c, double s);

/* Finds the unmixing (d, d), at first the identity, of whitened data (joint_diagonalisation.c); needs two segments. */
nonsens_status ica_joint_diagonalisation(nonsens_context *ctx, arena *a, const ica_data *data, double *unmixing,
                                         ica_result *out);

/* Turns data and rotation, at first the identity, roughly to the best by this criterion: a start for others. */
nonsens_status ica_start_by_covariances(nonsens_context *ctx, arena *a, ica_data *data, double *rotation);

/* Turns data and rotation (d, d) to the least Gaussian sources (fastica.c); ignores segments. */
nonsens_status ica_fastica(nonsens_context *ctx, arena *a, ica_data *data, const ica_options *options, double *rotation,
                           ica_result *out);

/* Finds the unmixing (d, d) of the whitened data, a general matrix (infomax.c); ignores segments. */
nonsens_status ica_infomax(nonsens_context *ctx, arena *a, const ica_data *data, const ica_options *options,
                           double *unmixing, ica_result *out);

/* Turns data and rotation (d, d) to the smallest sum of entropies (entropy_rotation.c). */
nonsens_status ica_entropy_rotation(nonsens_context *ctx, arena *a, ica_data *data, double *rotation, ica_result *out);

/*
 * Finds the rotation (d, d) with the smallest J, from the best of several starts (score_matching.c); chooses the
 * statistic if it is STATISTIC_AUTO.
 */
nonsens_status ica_score_matching(nonsens_context *ctx, arena *a, const ica_data *data, const ica_options *options,
                                  double *rotation, ica_result *out);

/* Options of one fit of one family (score_rotation.c). */
typedef struct ica_score_options {
    const ica_family *family;
    double sharpness;
    int max_iterations; /* of the descent */
} ica_score_options;

typedef struct ica_score_fit {
    double *rotation, *location; /* (d, d) and (d): sources = rotation * y - location */
    double value, contrast_gap;  /* J; the gap, NaN for many sources */
    int iterations;
    bool converged;
} ica_score_fit;

/* Descends from the rotation and location in fit, which it overwrites. */
nonsens_status ica_score_descend(nonsens_context *ctx, arena *a, const ica_data *data, const ica_score_options *options,
                                 ica_score_fit *fit);

/* Computes out (segments): each one's contribution to J of the rows in `test`, with coefficients fitted to `train`. */
nonsens_status ica_score_held_out(nonsens_context *ctx, arena *a, const ica_data *train, const ica_data *test,
                                  const ica_score_options *options, const ica_score_fit *fit, double *out);

/* For tests: computes J and its gradient as in the descent; x: the rotation after fit's (Cayley), then locations. */
nonsens_status ica_score_slope(nonsens_context *ctx, arena *a, const ica_data *data, const ica_score_options *options,
                               const ica_score_fit *fit, int64_t parameters, const double *x, double *value,
                               double *gradient);

#endif
