/*
 * rank.c - is there a further way in which the segments differ?
 *
 * Near a fit of rank r a further feature adds gamma a' to the coefficients of the logits, and the penalised likelihood
 * rises by gamma' G a - 1/2 (gamma, a)'(F + P)(gamma, a), G the (m^2, E) score matrix.  With F = B'B x W, W the mean of
 * diag p - p p' over rows, whitening turns G into independent normal numbers, its rows shrunk by the penalty; what the
 * smaller model can already do is left out: columns along its own weights and constants, rows along its own features
 * and constants.  The best (gamma, a) is the first singular pair.
 */
#include "base/rng.h"
#include "math/envelope.h"
#include "math/linalg.h"
#include "segments/compare.h"
#include "segments/regression.h"

#include <math.h>
#include <string.h>

enum { POWER_STEPS = 40 };

/* W (E, E): mean over rows of the covariance of the segment indicator given x. */
static nonsens_status indicator_covariance(nonsens_context *ctx, arena *a, const sample *data, const fit *small,
                                           double **out)
{
    int64_t segments = data->segments;
    ARENA_TRY(ctx, a, *out, segments * segments);
    for (int64_t e = 0; e < segments; e++) {
        for (int64_t k = 0; k <= e; k++) {
            double sum = small ? 0.0 : (e == k ? data->share[e] : 0.0) - data->share[e] * data->share[k];
            for (int64_t fold = 0; small && fold < data->folds; fold++) {
                const model *m = &small->model;
                const double *fisher = small->fold_fisher + fold * m->parameters * m->parameters;
                sum += fisher[model_weight(m, e, m->rank) * m->parameters + model_weight(m, k, m->rank)] /
                       (double)data->n;
            }
            (*out)[e * segments + k] = (*out)[k * segments + e] = sum;
        }
    }
    return NONSENS_OK;
}

/* Takes the parts along the first `count` rows of q (rows of length n, orthonormal) off row v; false if none is left. */
static bool orthogonalise(int64_t n, int64_t count, const double *q, double *v)
{
    double before = envelope_dot(n, v, v);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t k = 0; k < count; k++) {
            double along = envelope_dot(n, q + k * n, v);
            for (int64_t i = 0; i < n; i++) {
                v[i] -= along * q[k * n + i];
            }
        }
    }
    double left = envelope_dot(n, v, v);
    for (int64_t i = 0; i < n && left > 0.0; i++) {
        v[i] /= sqrt(left);
    }
    return left > 1e-8 * before;
}

/*
 * How many directions of segment weights the smaller model leaves free, and the mean size of the penalty along them
 * relative to the information.
 */
static nonsens_status free_weights(nonsens_context *ctx, arena *a, const sample *data, const fit *small,
                                   int64_t *count, double *stiffness)
{
    int64_t segments = data->segments, whitened = segments - 1, used = 0, r = small ? small->model.rank : 0;
    double *w, *value, *q, *v, *back;
    TRY(indicator_covariance(ctx, a, data, small, &w));
    ARENA_TRY(ctx, a, value, segments);
    ARENA_TRY(ctx, a, q, (segments + r) * whitened);
    ARENA_TRY(ctx, a, back, segments);
    TRY(linalg_eigen_symmetric(ctx, a, segments, w, value)); // ascending: the first is that of the constant, zero
    for (int64_t f = 0; f < r; f++) {
        v = q + used * whitened;
        for (int64_t k = 0; k < whitened; k++) {
            v[k] = 0.0;
            for (int64_t e = 0; e < segments; e++) {
                v[k] += sqrt(fmax(value[k + 1], 0.0)) * w[(k + 1) * segments + e] *
                        small->theta[model_weight(&small->model, e, f)];
            }
        }
        used += orthogonalise(whitened, used, q, v);
    }
    *count = 0;
    *stiffness = 0.0;
    for (int64_t start = 0; start < whitened && used < whitened; start++) {
        v = q + used * whitened;
        memset(v, 0, (size_t)whitened * sizeof *v);
        v[start] = 1.0;
        if (!orthogonalise(whitened, used, q, v)) {
            continue;
        }
        used++;
        ++*count;
        for (int64_t e = 0; e < segments; e++) {
            back[e] = 0.0;
            for (int64_t k = 0; k < whitened; k++) {
                back[e] += v[k] * w[(k + 1) * segments + e] / sqrt(fmax(value[k + 1], 1e-12 * value[segments - 1]));
            }
            *stiffness += data->share[e] * back[e] * back[e];
        }
    }
    *stiffness = *count > 0 ? *stiffness / (double)*count : 1.0;
    return NONSENS_OK;
}

/* shrink (size), ascending: eigenvalues of (B'B + P)^-1 B'B. */
static nonsens_status shrinkage(nonsens_context *ctx, arena *a, const fit *large, double stiffness, int64_t *size,
                                double **shrink)
{
    regression g;
    double *product;
    TRY(regression_build(ctx, a, &large->model, shape_kind(large->model.shape, 0), stiffness * large->lambda, stiffness,
                         &g));
    *size = g.size;
    ARENA_TRY(ctx, a, *shrink, g.size);
    ARENA_TRY(ctx, a, product, g.size * g.size);
    for (int64_t i = 0; i < g.size; i++) {
        for (int64_t j = 0; j < g.size; j++) {
            product[i * g.size + j] = i >= j ? g.gram[i * g.size + j] : g.gram[j * g.size + i];
        }
        envelope_forward(g.size, g.first, g.factor, product + i * g.size); // rows of B'B L'^-1
    }
    for (int64_t i = 0; i < g.size; i++) {
        for (int64_t j = 0; j < i; j++) {
            double keep = product[i * g.size + j];
            product[i * g.size + j] = product[j * g.size + i];
            product[j * g.size + i] = keep;
        }
    }
    for (int64_t i = 0; i < g.size; i++) {
        envelope_forward(g.size, g.first, g.factor, product + i * g.size);
    }
    return linalg_eigen_symmetric(ctx, a, g.size, product, *shrink);
}

/* Half the largest squared singular value of x (rows, columns), by the power method. */
static double half_largest(int64_t rows, int64_t columns, const double *x, double *v, double *image)
{
    double length = 0.0;
    for (int64_t c = 0; c < columns; c++) {
        v[c] = 1.0 / sqrt((double)columns);
    }
    for (int step = 0; step < POWER_STEPS; step++) {
        memset(image, 0, (size_t)columns * sizeof *image);
        for (int64_t i = 0; i < rows; i++) {
            double along = envelope_dot(columns, x + i * columns, v);
            for (int64_t c = 0; c < columns; c++) {
                image[c] += along * x[i * columns + c];
            }
        }
        length = sqrt(envelope_dot(columns, image, image));
        for (int64_t c = 0; c < columns && length > 0.0; c++) {
            v[c] = image[c] / length;
        }
    }
    return 0.5 * length;
}

static double objective_of(const sample *data, const fit *small)
{
    double sum = 0.0;
    for (int64_t e = 0; e < data->segments; e++) {
        sum -= (double)data->n * data->share[e] * log(data->share[e]);
    }
    return small ? small->objective : sum;
}

nonsens_status compare_rank(nonsens_context *ctx, arena *scratch, const fit *small, const fit *large, int64_t draws,
                            int64_t seed, difference *out)
{
    const sample *data = large->model.data;
    int64_t columns, rows, size;
    double stiffness, *shrink, *x, *v, *image, *ratio;
    TRY(free_weights(ctx, scratch, data, small, &columns, &stiffness));
    TRY(shrinkage(ctx, scratch, large, stiffness, &size, &shrink));
    rows = size - large->model.rank; // its own features and the constant, which the penalty hardly shrinks
    ARENA_TRY(ctx, scratch, x, rows * columns + 1);
    ARENA_TRY(ctx, scratch, v, columns + 1);
    ARENA_TRY(ctx, scratch, image, columns + 1);
    ARENA_TRY(ctx, scratch, ratio, draws);
    for (int64_t draw = 0; draw < draws; draw++) {
        rng r = rng_open((uint64_t)seed, RNG_CALIBRATION, (uint64_t)draw);
        for (int64_t i = 0; i < rows * columns; i++) {
            x[i] = rng_normal(&r) * sqrt(fmax(shrink[i / columns], 0.0));
        }
        ratio[draw] = half_largest(rows, columns, x, v, image);
    }
    out->ratio = objective_of(data, small) - large->objective;
    compare_judge(draws, ratio, out);
    return NONSENS_OK;
}
