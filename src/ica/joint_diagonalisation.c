/*
 * joint_diagonalisation.c - joint approximate diagonalisation of the segments' covariances C_e by likelihood.
 *
 * Pham, "Joint approximate diagonalization of positive definite Hermitian matrices", SIAM J. Matrix Anal. Appl. 22
 * (2001); Pham and Cardoso, "Blind separation of instantaneous mixtures of nonstationary sources", IEEE Trans. Signal
 * Processing 49 (2001).  The unmixing V minimises
 *
 *     1/2 sum_e n_e/n [ log det diag(V C_e V') - log det(V C_e V') ],
 *
 * the Gaussian likelihood ratio of "independent in every segment" in nats per row.  V is general, not a rotation.
 * One step changes rows j, k of V: with averages <.> over segments
 *
 *     g_jk = <C_jk / C_jj>, g_kj = <C_jk / C_kk>, o_jk = <C_kk / C_jj>, o_kj = <C_jj / C_kk>,
 *     [o_jk 1; 1 o_kj] (h_jk, h_kj)' = (g_jk, g_kj)',
 *     rows (j, k) <- (I - 2 / (1 + sqrt(1 - 4 h_jk h_kj)) [0 h_jk; h_kj 0]) rows (j, k),
 *
 * which lowers the criterion.  Differences: the descent starts from the best rotation found by sweeps with a global
 * search in each plane, so that it cannot stop at a poor local minimum for d = 2.  A small multiple of the pooled
 * covariance is added to every C_e, so that values are finite for a feature that is constant in one segment.
 */
#include "ica/ica_internal.h"
#include "math/linalg.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Fraction of the pooled covariance (the unit matrix) added to each segment's. */
static const double RIDGE = 1e-6;
/* If smaller, o_jk o_kj - 1 is rounding error: the two variances are proportional and the pair is not identified. */
static const double PROPORTIONAL = 1e-9;
static const double STEP_TOLERANCE = 1e-11;
enum { MAX_STEPS = 300 };
static const ica_search ROTATIONS = {.grid = 32, .precision = 1e-2, .stop = 2e-2, .max_sweeps = 30};

typedef struct covariances {
    int64_t d, segments;
    double *c;      /* (segments, d, d), the segment fastest, so that averages run over neighbours in memory */
    double *weight; /* (segments) n_e / n */
    double *matrix; /* (d, d): the unmixing so far, whose rows are transformed together with c */
} covariances;

static double *entry(const covariances *set, int64_t j, int64_t k)
{
    return set->c + set->segments * (j + set->d * k);
}

static nonsens_status covariances_open(nonsens_context *ctx, arena *a, const ica_data *data, double *unmixing,
                                       covariances *set)
{
    int64_t d = data->d, segments = data->segments;
    double *gram;
    *set = (covariances){.d = d, .segments = segments, .matrix = unmixing};
    ARENA_TRY(ctx, a, gram, d * d);
    ARENA_TRY(ctx, a, set->c, segments * d * d);
    ARENA_TRY(ctx, a, set->weight, segments);
    for (int64_t e = 0; e < segments; e++) {
        int64_t rows = data->start[e + 1] - data->start[e];
        linalg_gram(rows, d, data->y + data->start[e], data->n, gram);
        for (int64_t i = 0; i < d * d; i++) {
            set->c[e + segments * i] = gram[i] / (double)rows + (i % (d + 1) == 0 ? RIDGE : 0.0);
        }
        set->weight[e] = ica_segment_weight(data, e);
    }
    return NONSENS_OK;
}

/* Replaces rows j and k of the unmixing by t[0] row_j + t[1] row_k and t[2] row_j + t[3] row_k. */
static void transform_rows(int64_t n, int64_t stride, const double t[4], double *a, double *b)
{
    for (int64_t i = 0; i < n * stride; i += stride) {
        double first = a[i], second = b[i];
        a[i] = t[0] * first + t[1] * second;
        b[i] = t[2] * first + t[3] * second;
    }
}

static void transform(covariances *set, int64_t j, int64_t k, const double t[4])
{
    int64_t d = set->d;
    transform_rows(d, d, t, set->matrix + j, set->matrix + k);
    for (int64_t i = 0; i < d; i++) {
        transform_rows(set->segments, 1, t, entry(set, j, i), entry(set, k, i));
    }
    for (int64_t i = 0; i < d; i++) {
        transform_rows(set->segments, 1, t, entry(set, i, j), entry(set, i, k));
    }
}

/* ---- rotations ----------------------------------------------------------------------------------------------- */

static double plane_log_variances(void *state, int64_t j, int64_t k, double c, double s)
{
    const covariances *set = state;
    const double *first = entry(set, j, j), *cross = entry(set, j, k), *second = entry(set, k, k);
    double sum = 0.0;
    for (int64_t e = 0; e < set->segments; e++) {
        double mixed = 2.0 * c * s * cross[e];
        double u = c * c * first[e] + mixed + s * s * second[e];
        double v = s * s * first[e] - mixed + c * c * second[e];
        sum += set->weight[e] * log(u * v);
    }
    return 0.5 * sum;
}

static void turn_covariances(void *state, int64_t j, int64_t k, double c, double s)
{
    transform(state, j, k, (const double[4]){c, s, -s, c});
}

nonsens_status ica_start_by_covariances(nonsens_context *ctx, arena *a, ica_data *data, double *rotation)
{
    int64_t n = data->n, d = data->d;
    covariances set;
    double *rotated;
    int sweeps;
    bool converged;
    ARENA_TRY(ctx, a, rotated, n * d);
    TRY(covariances_open(ctx, a, data, rotation, &set));
    ica_contrast contrast = {&set, plane_log_variances, turn_covariances};
    TRY(ica_sweep_planes(ctx, d, &contrast, &ROTATIONS, &sweeps, &converged));
    linalg_gemm(false, true, n, d, d, 1.0, data->y, n, rotation, d, 0.0, rotated, n);
    data->y = rotated;
    return NONSENS_OK;
}

/* ---- Pham's descent ------------------------------------------------------------------------------------------ */

/* Makes one step for rows j, k; returns the size of the change, which is scale-free for sources of similar variance. */
static double descend_pair(covariances *set, int64_t j, int64_t k)
{
    const double *first = entry(set, j, j), *cross = entry(set, j, k), *second = entry(set, k, k);
    double g_jk = 0.0, g_kj = 0.0, o_jk = 0.0, o_kj = 0.0;
    for (int64_t e = 0; e < set->segments; e++) {
        g_jk += set->weight[e] * cross[e] / first[e];
        g_kj += set->weight[e] * cross[e] / second[e];
        o_jk += set->weight[e] * second[e] / first[e];
        o_kj += set->weight[e] * first[e] / second[e];
    }
    double determinant = fmax(o_jk * o_kj - 1.0, PROPORTIONAL);
    double h_jk = (o_kj * g_jk - g_kj) / determinant, h_kj = (o_jk * g_kj - g_jk) / determinant;
    double factor = 2.0 / (1.0 + sqrt(fmax(1.0 - 4.0 * h_jk * h_kj, 0.0)));
    transform(set, j, k, (const double[4]){1.0, -factor * h_jk, -factor * h_kj, 1.0});
    return factor * fmax(fabs(h_jk), fabs(h_kj));
}

/* Rescales every row to pooled variance 1, so that no scale drifts over many steps. */
static void rescale_rows(covariances *set)
{
    int64_t d = set->d, segments = set->segments;
    for (int64_t j = 0; j < d; j++) {
        double pooled = 0.0;
        for (int64_t e = 0; e < segments; e++) {
            pooled += set->weight[e] * entry(set, j, j)[e];
        }
        double factor = 1.0 / sqrt(pooled);
        for (int64_t k = 0; k < d; k++) {
            set->matrix[j + d * k] *= factor;
            for (int64_t e = 0; e < segments; e++) {
                entry(set, j, k)[e] *= factor;
                entry(set, k, j)[e] *= factor;
            }
        }
    }
}

/* Computes 1/2 sum_e n_e/n [log det diag D_e - log det D_e] of the transformed covariances D_e. */
static nonsens_status criterion(nonsens_context *ctx, arena *a, const covariances *set, double *value)
{
    int64_t d = set->d;
    double *covariance, sum = 0.0;
    ARENA_TRY(ctx, a, covariance, d * d);
    for (int64_t e = 0; e < set->segments; e++) {
        double diagonal = 0.0, factor = 0.0;
        for (int64_t i = 0; i < d * d; i++) {
            covariance[i] = set->c[e + set->segments * i];
            diagonal += i % (d + 1) == 0 ? log(covariance[i]) : 0.0;
        }
        TRY(linalg_cholesky(ctx, d, covariance));
        for (int64_t j = 0; j < d; j++) {
            factor += 2.0 * log(covariance[j + d * j]);
        }
        sum += set->weight[e] * (diagonal - factor);
    }
    *value = 0.5 * sum;
    return NONSENS_OK;
}

nonsens_status ica_joint_diagonalisation(nonsens_context *ctx, arena *a, const ica_data *data, double *unmixing,
                                         ica_result *out)
{
    int sweeps, steps = 0;
    bool rotated;
    double largest = INFINITY;
    covariances set;
    if (data->segments < 2 && data->d > 1) {
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "joint diagonalisation needs two segments of at least %" PRId64 " rows whose variances change "
                    "differently; give more segments or choose another unmixing",
                    (2 * (data->d + 1)));
    }
    TRY(covariances_open(ctx, a, data, unmixing, &set));
    ica_contrast contrast = {&set, plane_log_variances, turn_covariances};
    TRY(ica_sweep_planes(ctx, data->d, &contrast, &ROTATIONS, &sweeps, &rotated));
    for (; steps < MAX_STEPS && largest > STEP_TOLERANCE; steps++) {
        TRY(check_cancelled(ctx));
        largest = 0.0;
        for (int64_t j = 0; j < set.d; j++) {
            for (int64_t k = j + 1; k < set.d; k++) {
                largest = fmax(largest, descend_pair(&set, j, k));
            }
        }
        rescale_rows(&set);
    }
    out->converged = largest <= STEP_TOLERANCE;
    TRY(criterion(ctx, a, &set, &out->objective));
    out->iterations = sweeps + steps;
    out->contrast_gap = (double)data->n * ica_weakest_plane(data->d, &contrast);
    return NONSENS_OK;
}
