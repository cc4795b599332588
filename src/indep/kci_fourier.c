/*
 * kci_fourier.c - random Fourier features (Rahimi and Recht, NIPS 2007) of a Gaussian kernel over a range of rows:
 * sqrt(2/D) cos(w_j . u) and sqrt(2/D) sin(w_j . u), j = 1 .. D/2, u the columns in units of their widths, w_j standard
 * normal.  In each column there is one w_j from each of D/2 strata of equal probability, matched over columns at random
 * (a Latin hypercube; McKay, Beckman, Conover, Technometrics 21, 1979).  This is as unbiased as independent draws, and
 * for few columns far closer to the kernel with the same number of features.
 *
 * The order of the rows changes nothing; all segments use the same frequencies.  The features are centred and rotated
 * to principal directions, as the factor of kernel.c is.
 */
#include "base/rng.h"
#include "indep/kci_internal.h"
#include "math/linalg.h"
#include "math/sort.h"
#include "math/special.h"

#include <math.h>

enum { MANY_ROWS = 500 }; /* from here on z has twice the features */

static const double NEGLIGIBLE = 1e-12; /* directions with less of the trace are rounding errors */
static const double MAX_SCALED = 1e12;  /* widths from the middle: beyond it the cosine has hardly any correct digits */

/* Finds middle (points->d): the value at the middle of each sorted column, from which phases are measured. */
static nonsens_status find_middles(nonsens_context *ctx, arena *local, const kci_kernel *k, double **middle)
{
    double *sorted;
    ARENA_TRY(ctx, local, *middle, k->points->d);
    for (int64_t j = 0; j < k->points->d; j++) {
        arena_mark mark = arena_tell(local);
        TRY(sort_copy(ctx, local, k->rows, k->points->v[j] + k->first, &sorted));
        (*middle)[j] = sorted[k->rows / 2];
        arena_rewind(local, mark);
    }
    return NONSENS_OK;
}

/* Draws frequency (pairs, d): in each column a normal quantile from each of `pairs` equal strata, in random order. */
static nonsens_status draw_frequencies(nonsens_context *ctx, arena *local, const kci_kernel *k, int64_t pairs,
                                       uint64_t stream, const kci_options *o, double **frequency)
{
    int64_t *stratum;
    ARENA_TRY(ctx, local, *frequency, pairs * k->points->d);
    ARENA_TRY(ctx, local, stratum, pairs);
    for (int64_t j = 0; j < k->points->d; j++) {
        rng r = rng_new(o->seed, RNG_FEATURES, (o->job << 32) + stream + (uint64_t)j);
        for (int64_t f = 0; f < pairs; f++) {
            stratum[f] = f;
        }
        rng_shuffle(&r, pairs, stratum);
        for (int64_t f = 0; f < pairs; f++) {
            double u = ((double)stratum[f] + rng_uniform(&r)) / (double)pairs;
            (*frequency)[j * pairs + f] = special_normal_quantile(u);
        }
    }
    return NONSENS_OK;
}

/* Fills features (2 pairs, n), not centred: cosines, then sines. */
static void fill_features(const kci_kernel *k, int64_t pairs, const double *frequency, const double *middle,
                          double *features)
{
    double height = 1.0 / sqrt((double)pairs);
    for (int64_t t = 0; t < k->rows; t++) {
        double *angle = features + t * 2 * pairs, *sine = angle + pairs;
        for (int64_t j = 0; j < k->points->d; j++) {
            double far = k->width[j] > 0 ? (k->points->v[j][k->first + t] - middle[j]) / k->width[j] : 0.0;
            double u = fmax(-MAX_SCALED, fmin(MAX_SCALED, far));
            for (int64_t f = 0; f < pairs; f++) {
                angle[f] += frequency[j * pairs + f] * u;
            }
        }
        for (int64_t f = 0; f < pairs; f++) {
            sine[f] = height * sin(angle[f]);
            angle[f] = height * cos(angle[f]);
        }
    }
}

/* Sorts eigenvalues descending, with their vectors; out->rank: those above rounding, at least one. */
static void order_directions(int64_t count, const double *ascending, const double *vectors, double *directions,
                             kernel_factor *out)
{
    out->trace = 0.0;
    for (int64_t k = 0; k < count; k++) {
        out->trace += fmax(0.0, ascending[k]);
    }
    for (int64_t k = 0; k < count; k++) {
        out->eigen[k] = fmax(0.0, ascending[count - 1 - k]);
        for (int64_t f = 0; f < count; f++) {
            directions[k * count + f] = vectors[(count - 1 - k) * count + f];
        }
        out->rank = k == 0 || out->eigen[k] > NEGLIGIBLE * out->trace ? k + 1 : out->rank;
    }
}

/* Centres the features (count, n) and rotates them to principal directions. */
static nonsens_status rotate_features(nonsens_context *ctx, arena *keep, arena *local, const kci_kernel *k,
                                      int64_t count, double *features, kernel_factor *out)
{
    double *mean, *gram, *ascending, *directions;
    ARENA_TRY(ctx, local, mean, count);
    ARENA_TRY(ctx, local, gram, count * count);
    ARENA_TRY(ctx, local, ascending, count);
    ARENA_TRY(ctx, local, directions, count * count);
    ARENA_TRY(ctx, keep, out->eigen, count);
    for (int64_t t = 0; t < k->rows; t++) {
        for (int64_t f = 0; f < count; f++) {
            mean[f] += features[t * count + f];
        }
    }
    for (int64_t t = 0; t < k->rows; t++) {
        for (int64_t f = 0; f < count; f++) {
            features[t * count + f] -= mean[f] / (double)k->rows;
        }
    }
    linalg_gemm(false, true, count, count, k->rows, 1.0, features, count, features, count, 0.0, gram, count);
    TRY(linalg_eigen_symmetric(ctx, local, count, gram, ascending));
    order_directions(count, ascending, gram, directions, out);
    ARENA_TRY(ctx, keep, out->f, out->rank * k->rows);
    linalg_gemm(true, false, out->rank, k->rows, count, 1.0, directions, count, features, count, 0.0, out->f,
                out->rank);
    return NONSENS_OK;
}

/* Returns the number of features; 100 of z for any n left a bias (10,000 rows, two columns: size .18 at .05). */
static int64_t feature_count(const kci_kernel *kernel, enum kci_side side)
{
    int64_t varying = 0;
    for (int64_t j = 0; j < kernel->points->d; j++) {
        varying += kernel->width[j] > 0;
    }
    int64_t count = varying * (kernel->rows < MANY_ROWS ? KCI_FOURIER_Z : 2 * KCI_FOURIER_Z);
    int64_t max_count = 2 * kernel->rows < KCI_FOURIER_MAX ? 2 * kernel->rows : KCI_FOURIER_MAX; // few rows have few
    return side == KCI_SIDE_TARGET ? KCI_FOURIER_TARGET : count < max_count ? count : max_count;
}

nonsens_status kci_fourier(nonsens_context *ctx, arena *keep, const kci_kernel *kernel, enum kci_side side,
                           const kci_options *options, kernel_factor *out)
{
    SCOPED_ARENA(local);
    int64_t count = feature_count(kernel, side); // even
    double *features, *middle, *frequency;
    *out = (kernel_factor){.n = kernel->rows};
    TRY(find_middles(ctx, &local, kernel, &middle));
    ARENA_TRY(ctx, &local, features, count * kernel->rows);
    TRY(draw_frequencies(ctx, &local, kernel, count / 2, side == KCI_SIDE_Z ? 0 : UINT16_MAX, options, &frequency));
    fill_features(kernel, count / 2, frequency, middle, features);
    return rotate_features(ctx, keep, &local, kernel, count, features, out);
}
