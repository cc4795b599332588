/*
 * ica.c - the common part of linear ICA inside segments: whitening, a canonical start, dispatch, canonical output.
 *
 * Whitening uses the pooled within-segment covariance (segment means removed).  The basis of the whitened data is then
 * determined by the data alone: its axes are the eigenvectors of sum_e n_e C_e^2, C_e the covariances of the segments
 * (with one segment: of the fourth moments E |y|^2 y y', Cardoso's FOBI, 1989).  Both matrices are diagonal in the true
 * sources, so this is a good start, too, and they rotate with the data, so B z and z give the same computation up to
 * rounding.
 */
#include "ica/ica.h"

#include "ica/ica_internal.h"
#include "math/linalg.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A smaller skewness may be rounding and does not decide a sign. */
static const double SYMMETRIC = 1e-9;

/* ---- canonical basis and output ------------------------------------------------------------------------------ */

/* The state of one call; y is whitened, centred in each segment and, after canonical_basis, in the canonical basis. */
typedef struct unmixing_job {
    arena *scratch;
    int64_t n, d, segments;
    const int64_t *start;
    int64_t whole[2]; /* `start` for all rows as one segment */
    double *y;        /* (n, d) */
    double *mean;     /* (segments, d) of white * z in each segment, minus that of all rows */
    double *white;    /* (d, d): y = white * (z - segment mean) */
    double *rotation; /* (d, d): sources = rotation * y; a general matrix for joint diagonalisation and Infomax */
    double *square;   /* (d, d) scratch */
} unmixing_job;

/* y = standardised data * (white diag(scale))'. */
static nonsens_status apply_whitening(nonsens_context *ctx, unmixing_job *job, const double *standardised,
                                      const double *scale)
{
    int64_t n = job->n, d = job->d;
    for (int64_t k = 0; k < d; k++) {
        for (int64_t j = 0; j < d; j++) {
            job->square[j + d * k] = job->white[j + d * k] * scale[k];
        }
    }
    ARENA_TRY(ctx, job->scratch, job->y, n * d);
    linalg_gemm(false, true, n, d, d, 1.0, standardised, n, job->square, d, 0.0, job->y, n);
    return NONSENS_OK;
}

static double mean_of_rows(const double *column, int64_t first, int64_t end)
{
    double sum = 0.0;
    for (int64_t i = first; i < end; i++) {
        sum += column[i];
    }
    return end > first ? sum / (double)(end - first) : 0.0;
}

/* Computes the segment means in units of y and removes them from y, since total whitening does not. */
static nonsens_status take_means(nonsens_context *ctx, unmixing_job *job, matrix z)
{
    int64_t n = job->n, d = job->d, segments = job->segments;
    double *difference;
    ARENA_TRY(ctx, job->scratch, difference, segments * d);
    ARENA_TRY(ctx, job->scratch, job->mean, segments * d);
    for (int64_t k = 0; k < d; k++) {
        double all = mean_of_rows(matrix_col(z, k), 0, n);
        for (int64_t e = 0; e < segments; e++) {
            double own = mean_of_rows(matrix_col(z, k), job->start[e], job->start[e + 1]);
            difference[e + segments * k] = job->start[e + 1] > job->start[e] ? own - all : 0.0;
        }
    }
    linalg_gemm(false, true, segments, d, d, 1.0, difference, segments, job->white, d, 0.0, job->mean, segments);
    for (int64_t k = 0; k < d; k++) {
        ica_centre_column(job->y + k * n, segments, job->start, job->y + k * n);
    }
    return NONSENS_OK;
}

/* out (d, d) = sum_e n_e C_e^2 / n. */
static nonsens_status squared_covariances(nonsens_context *ctx, unmixing_job *job, double *out)
{
    int64_t n = job->n, d = job->d;
    double *c;
    ARENA_TRY(ctx, job->scratch, c, d * d);
    for (int64_t e = 0; e < job->segments; e++) {
        int64_t rows = job->start[e + 1] - job->start[e];
        if (rows > 0) {
            linalg_gram(rows, d, job->y + job->start[e], n, c);
            linalg_gemm(false, false, d, d, d, 1.0 / ((double)rows * (double)n), c, d, c, d, 1.0, out, d);
        }
    }
    return NONSENS_OK;
}

/* out (d, d) = sum_i |y_i|^2 y_i y_i' / n. */
static nonsens_status fourth_moments(nonsens_context *ctx, unmixing_job *job, double *out)
{
    int64_t n = job->n, d = job->d;
    double *weighted;
    ARENA_TRY(ctx, job->scratch, weighted, n * d);
    for (int64_t i = 0; i < n; i++) {
        double norm = 0.0;
        for (int64_t j = 0; j < d; j++) {
            norm += job->y[i + n * j] * job->y[i + n * j];
        }
        norm = sqrt(norm);
        for (int64_t j = 0; j < d; j++) {
            weighted[i + n * j] = norm * job->y[i + n * j];
        }
    }
    linalg_gram(n, d, weighted, n, out);
    for (int64_t i = 0; i < d * d; i++) {
        out[i] /= (double)n;
    }
    return NONSENS_OK;
}

typedef struct source_moments {
    double variance, skewness, kurtosis;
} source_moments;

/* Returns the moments of n values with mean 0. */
static source_moments moments_of(int64_t n, const double *s)
{
    double m2 = 0.0, m3 = 0.0, m4 = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double square = s[i] * s[i];
        m2 += square;
        m3 += square * s[i];
        m4 += square * square;
    }
    m2 /= (double)n;
    return (source_moments){m2, m3 / (double)n / (m2 * sqrt(m2)), m4 / (double)n / (m2 * m2)};
}

static void negate(int64_t n, double *v)
{
    for (int64_t i = 0; i < n; i++) {
        v[i] = -v[i];
    }
}

/* Rotates y and white to the eigenvectors of an equivariant matrix, with signs that make skewnesses positive. */
static nonsens_status canonical_basis(nonsens_context *ctx, unmixing_job *job)
{
    int64_t n = job->n, d = job->d;
    double *axes, *eigenvalue, *rotated, *rotated_white;
    ARENA_TRY(ctx, job->scratch, axes, d * d);
    ARENA_TRY(ctx, job->scratch, eigenvalue, d);
    ARENA_TRY(ctx, job->scratch, rotated, n * d);
    ARENA_TRY(ctx, job->scratch, rotated_white, d * d);
    TRY(job->segments > 1 ? squared_covariances(ctx, job, axes) : fourth_moments(ctx, job, axes));
    TRY(linalg_eigen_symmetric(ctx, job->scratch, d, axes, eigenvalue));
    linalg_gemm(false, false, n, d, d, 1.0, job->y, n, axes, d, 0.0, rotated, n);
    for (int64_t j = 0; j < d; j++) {
        if (moments_of(n, rotated + j * n).skewness < 0) {
            negate(d, axes + j * d);
            negate(n, rotated + j * n);
        }
    }
    linalg_gemm(true, false, d, d, d, 1.0, axes, d, job->white, d, 0.0, rotated_white, d);
    double *rotated_mean;
    ARENA_TRY(ctx, job->scratch, rotated_mean, job->segments * d);
    linalg_gemm(false, false, job->segments, d, d, 1.0, job->mean, job->segments, axes, d, 0.0, rotated_mean,
                job->segments);
    job->y = rotated;
    job->white = rotated_white;
    job->mean = rotated_mean;
    return NONSENS_OK;
}

/* Copies the rows of segments with at least 2 (d + 1) rows; with fewer, a contrast overfits or is unbounded. */
static nonsens_status usable_segments(nonsens_context *ctx, const unmixing_job *job, ica_data *data)
{
    int64_t *start, min_rows = 2 * (job->d + 1);
    ARENA_TRY(ctx, job->scratch, start, job->segments + 1);
    *data = (ica_data){.d = job->d, .start = start};
    for (int64_t e = 0; e < job->segments; e++) {
        int64_t rows = job->start[e + 1] - job->start[e];
        if (rows >= min_rows) {
            data->n += rows;
            start[++data->segments] = data->n;
        }
    }
    if (data->segments == 0) {
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "unmixing %" PRId64 " columns needs %s at least %" PRId64 " rows; %sgive more rows", job->d,
                    job->segments > 1 ? "a segment of" : "", min_rows, job->segments > 1 ? "merge segments or " : "");
    }
    ARENA_TRY(ctx, job->scratch, data->y, data->n * job->d);
    ARENA_TRY(ctx, job->scratch, data->mean, data->segments * job->d);
    int64_t used_rows = 0, used_segments = 0;
    for (int64_t e = 0; e < job->segments; e++) {
        int64_t rows = job->start[e + 1] - job->start[e];
        if (rows < min_rows) {
            continue;
        }
        for (int64_t j = 0; j < job->d; j++) {
            memcpy(data->y + j * data->n + used_rows, job->y + j * job->n + job->start[e],
                   (size_t)rows * sizeof(double));
            data->mean[used_segments + data->segments * j] = job->mean[e + job->segments * j];
        }
        used_rows += rows;
        used_segments++;
    }
    return NONSENS_OK;
}

/* Returns the weight of row 0 of w (d, d) that is largest in absolute value, with its sign. */
static double largest_weight(int64_t d, const double *w)
{
    double largest = w[0];
    for (int64_t k = 1; k < d; k++) {
        largest = fabs(w[d * k]) > fabs(largest) ? w[d * k] : largest;
    }
    return largest;
}

/* Writes the rows of rotation * white to unmix (d, d), with canonical scales, signs and order. */
static nonsens_status canonical_output(nonsens_context *ctx, const unmixing_job *job, double *unmix)
{
    int64_t n = job->n, d = job->d;
    double *s, *kurtosis;
    bool *taken;
    ARENA_TRY(ctx, job->scratch, s, n);
    ARENA_TRY(ctx, job->scratch, kurtosis, d);
    ARENA_TRY(ctx, job->scratch, taken, d);
    linalg_gemm(false, false, d, d, d, 1.0, job->rotation, d, job->white, d, 0.0, job->square, d);
    for (int64_t j = 0; j < d; j++) {
        linalg_gemm(false, true, n, 1, d, 1.0, job->y, n, job->rotation + j, d, 0.0, s, n);
        source_moments m = moments_of(n, s);
        double sign = fabs(m.skewness) > SYMMETRIC ? m.skewness : largest_weight(d, job->square + j);
        double factor = copysign(1.0, sign) / sqrt(m.variance);
        for (int64_t k = 0; k < d; k++) {
            job->square[j + d * k] *= factor;
        }
        kurtosis[j] = m.kurtosis;
    }
    for (int64_t place = 0; place < d; place++) {
        int64_t best = -1;
        for (int64_t j = 0; j < d; j++) {
            if (!taken[j] && (best < 0 || kurtosis[j] > kurtosis[best])) {
                best = j;
            }
        }
        taken[best] = true;
        for (int64_t k = 0; k < d; k++) {
            unmix[place + d * k] = job->square[best + d * k];
        }
    }
    return NONSENS_OK;
}

/* ---- the run ------------------------------------------------------------------------------------------------- */

bool ica_sees_segments(enum option_unmixing algorithm)
{
    return algorithm != UNMIX_FASTICA && algorithm != UNMIX_INFOMAX;
}

static nonsens_status dispatch(nonsens_context *ctx, unmixing_job *job, const ica_options *options, ica_result *out)
{
    ica_data data;
    TRY(usable_segments(ctx, job, &data));
    out->rows_used = data.n;
    out->segments_used = data.segments;
    switch (options->algorithm) {
    case UNMIX_JOINT_DIAGONALISATION:
        return ica_joint_diagonalisation(ctx, job->scratch, &data, job->rotation, out);
    case UNMIX_FASTICA:
        return ica_fastica(ctx, job->scratch, &data, options, job->rotation, out);
    case UNMIX_INFOMAX:
        return ica_infomax(ctx, job->scratch, &data, options, job->rotation, out);
    case UNMIX_ENTROPY:
        if (job->d > 2 && data.segments > 1) {
            TRY(ica_start_by_covariances(ctx, job->scratch, &data, job->rotation));
        }
        return ica_entropy_rotation(ctx, job->scratch, &data, job->rotation, out);
    case UNMIX_AUTO:
    case UNMIX_SCORE_MATCHING:
    case UNMIX_TWO_STATISTIC:
        break;
    }
    return ica_score_matching(ctx, job->scratch, &data, options, job->rotation, out);
}

static nonsens_status unmix_with(nonsens_context *ctx, unmixing_job *job, matrix z, const ica_options *options,
                                 ica_result *out)
{
    int64_t n = job->n, d = job->d;
    bool total = options->whitening == WHITENING_TOTAL, sees = ica_sees_segments(options->algorithm);
    double *standardised, *scale;
    ARENA_TRY(ctx, job->scratch, standardised, n * d);
    ARENA_TRY(ctx, job->scratch, scale, d);
    ARENA_TRY(ctx, job->scratch, job->white, d * d);
    ARENA_TRY(ctx, job->scratch, job->rotation, d * d);
    ARENA_TRY(ctx, job->scratch, job->square, d * d);
    if (sees || !total) { /* also before total whitening, to check that the rank inside segments is full */
        TRY(ica_whiten(ctx, job->scratch, z, job->segments, job->start, options->names, standardised, scale,
                       job->white));
    }
    if (total) {
        TRY(ica_whiten(ctx, job->scratch, z, 1, job->whole, options->names, standardised, scale, job->white));
    }
    TRY(apply_whitening(ctx, job, standardised, scale));
    if (!sees) {
        job->segments = 1;
        job->start = job->whole;
    }
    out->is_inside = sees || !total;
    TRY(take_means(ctx, job, z));
    TRY(canonical_basis(ctx, job));
    for (int64_t j = 0; j < d; j++) {
        job->rotation[j + d * j] = 1.0;
    }
    TRY(dispatch(ctx, job, options, out));
    return canonical_output(ctx, job, out->unmix);
}

ica_options ica_options_for(enum option_unmixing algorithm)
{
    bool two = algorithm == UNMIX_TWO_STATISTIC;
    return (ica_options){.algorithm = algorithm == UNMIX_AUTO || two ? UNMIX_SCORE_MATCHING : algorithm,
                         .statistic = two ? STATISTIC_TWO : STATISTIC_LOG_COSH,
                         .starts = 1};
}

nonsens_status ica_unmix(nonsens_context *ctx, arena *a, matrix z, int64_t segments, const int64_t *start,
                         const ica_options *options, ica_result *out)
{
    SCOPED_ARENA(scratch);
    *out = (ica_result){0};
    ARENA_TRY(ctx, a, out->unmix, z.cols * z.cols);
    unmixing_job job = {
        .scratch = &scratch, .n = z.rows, .d = z.cols, .segments = segments, .start = start, .whole = {0, z.rows}};
    ica_options resolved = *options;
    if (resolved.whitening == WHITENING_AUTO) {
        resolved.whitening = ica_sees_segments(resolved.algorithm) ? WHITENING_WITHIN : WHITENING_TOTAL;
    }
    return unmix_with(ctx, &job, z, &resolved, out);
}

void ica_apply(matrix z, const double *unmix, matrix s)
{
    for (int64_t j = 0; j < s.cols; j++) {
        memset(matrix_col(s, j), 0, (size_t)s.rows * sizeof(double));
    }
    for (int64_t k = 0; k < z.cols; k++) {
        const double *feature = matrix_col(z, k);
        double mean = mean_of_rows(feature, 0, z.rows);
        for (int64_t j = 0; j < s.cols; j++) {
            double *source = matrix_col(s, j), weight = unmix[j + s.cols * k];
            for (int64_t i = 0; i < z.rows; i++) {
                source[i] += weight * (feature[i] - mean);
            }
        }
    }
}
