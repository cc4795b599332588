/*
 * ica_internal.h - what the files of this folder share: the whitened data, planar rotations, the contrasts.
 *
 * A contrast is a sum over sources, so turning two sources in their plane changes two terms only; every algorithm
 * starts (and the entropy search also ends) with Jacobi-like sweeps over planes, each searched globally.
 */
#ifndef ICA_ICA_INTERNAL_H
#define ICA_ICA_INTERNAL_H

#include "ica/ica.h"
#include "ica/statistics.h"

/* Whitened, segment-centred rows of the segments that are large enough to enter a contrast. */
typedef struct ica_data {
    int64_t n, d, segments;
    const int64_t *start; /* (segments + 1) */
    double *y;            /* (n, d); columns are rotated in place as the search proceeds */
    double *mean;         /* (segments, d) what was subtracted from y; in units of y, around the mean of all rows */
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
 * its scales in scale (d).  Fails, naming columns, if they are constant or linearly dependent inside segments; names
 * may be NULL.
 */
nonsens_status ica_whiten(nonsens_context *ctx, arena *a, matrix z, int64_t segments, const int64_t *start,
                          const char *const *names, double *y, double *scale, double *white);

/* Sets out (rows) to the column minus the mean of its segment.  Two passes: large offsets cost no digits. */
void ica_centre_column(const double *column, int64_t segments, const int64_t *start, double *out);

/*
 * Turning by (c, s) replaces sources j and k by c s_j + s s_k and -s s_j + c s_k.
 * `plane` returns the two terms of the contrast after such a turn without making it; `turn` makes it.
 */
typedef struct ica_contrast {
    void *state;
    double (*plane)(void *state, int64_t j, int64_t k, double c, double s);
    void (*turn)(void *state, int64_t j, int64_t k, double c, double s);
} ica_contrast;

typedef struct ica_search {
    int grid;         /* even number of angles over a quarter turn, the period of every contrast */
    double precision; /* of the angle in one plane, radians */
    double stop;      /* a sweep that turns nothing by more than this is the last */
    int max_sweeps;
} ica_search;

/* Sweeps over all planes of d sources until nothing turns any more.  One sweep is enough for d = 2. */
nonsens_status ica_sweep_planes(nonsens_context *ctx, int64_t d, const ica_contrast *contrast, const ica_search *search,
                                int *sweeps, bool *converged);

/* Returns the min over planes of (max over angles - value here) of the contrast, at least 0. */
double ica_weakest_plane(int64_t d, const ica_contrast *contrast);

/* Computes u = c a + s b, v = -s a + c b over n values with stride; u, v may be a, b. */
void ica_turn_pair(int64_t n, int64_t stride, double c, double s, const double *a, const double *b, double *u,
                   double *v);

/* A contrast that is evaluated on the rows themselves: its state begins with this. */
typedef struct ica_rows {
    ica_data *data;
    double *rotation; /* (d, d), rotated along with the data */
    double *u, *v;    /* (n) scratch: a pair of sources on trial */
} ica_rows;

/* Sets rows up for data and rotation, which it keeps; scratch comes from `a`. */
nonsens_status ica_rows_new(nonsens_context *ctx, arena *a, ica_data *data, double *rotation, ica_rows *rows);

/* Turns sources j and k of the ica_rows that `state` begins with, and its rotation. */
void ica_rows_turn(void *state, int64_t j, int64_t k, double c, double s);

/* Finds the unmixing (d, d) of whitened data (joint_diagonalisation.c); overwrites any start, needs two segments. */
nonsens_status ica_joint_diagonalisation(nonsens_context *ctx, arena *a, const ica_data *data, double *unmixing,
                                         ica_result *out);

/* Turns data and rotation roughly to the best rotation for the same criterion: a start for the other contrasts. */
nonsens_status ica_start_by_covariances(nonsens_context *ctx, arena *a, ica_data *data, double *rotation);

/* Turns data and rotation (d, d) to the least Gaussian sources (fastica.c); segments do not matter. */
nonsens_status ica_fastica(nonsens_context *ctx, arena *a, ica_data *data, const ica_options *options, double *rotation,
                           ica_result *out);

/* Finds the unmixing (d, d) of the whitened data, a general matrix (infomax.c); segments do not matter. */
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
    double value, contrast_gap;  /* J, and the weakest plane's; NaN for many sources */
    int iterations;
    bool converged;
} ica_score_fit;

/* Descends from the rotation and location in fit, which it overwrites. */
nonsens_status ica_score_descend(nonsens_context *ctx, arena *a, const ica_data *data, const ica_score_options *options,
                                 ica_score_fit *fit);

/* Computes out (segments): what each adds to J of the rows in `test` with the coefficients fitted to `train`. */
nonsens_status ica_score_held_out(nonsens_context *ctx, arena *a, const ica_data *train, const ica_data *test,
                                  const ica_score_options *options, const ica_score_fit *fit, double *out);

/* Computes J and its gradient as the descent sees them, for tests; x: the rotation (Cayley) after fit's, locations. */
nonsens_status ica_score_slope(nonsens_context *ctx, arena *a, const ica_data *data, const ica_score_options *options,
                               const ica_score_fit *fit, int64_t parameters, const double *x, double *value,
                               double *gradient);

#endif
