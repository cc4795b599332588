/*
 * linear_ica_data.c - sources and mixtures of supplement B of Monti, Zhang, Hyvarinen (UAI 2019).
 *
 * The paper leaves these choices open.  Modulations are drawn uniformly from [0.2, 3] as in `simulate`, and sorted over
 * the segments if they are to be correlated; for a Laplace source they are the scale.  The mixing matrix has standard
 * normal entries and is drawn again until its condition number is at most 10.
 */
#include "figures/linear_ica_data.h"

#include "math/linalg.h"
#include "math/sort.h"
#include "math/special.h"

#include <math.h>

static const double LAMBDA_LOW = 0.2, LAMBDA_HIGH = 3.0, STEEPNESS = 3.0, LARGEST_CONDITION = 10.0;

/* ---- the skewed density ---- */

/* Integral of exp(-rate s - s^2/2) over s >= 0, over sqrt(2 pi): the square is completed to exp(-(s + rate)^2/2). */
static double half_mass(double rate)
{
    return exp(0.5 * rate * rate) * special_normal_tail(rate);
}

/* Draws from the density proportional to exp(-rate s - s^2/2) on s >= 0: s + rate is a normal variable beyond rate. */
static double half_draw(rng *r, double rate)
{
    return fmax(-special_normal_quantile(rng_uniform(r) * special_normal_tail(rate)) - rate, 0.0);
}

double linear_ica_skewed(rng *r, double lambda)
{
    double right = half_mass(STEEPNESS * lambda), left = half_mass(lambda);
    bool is_right = rng_uniform(r) * (left + right) < right;
    return is_right ? half_draw(r, STEEPNESS * lambda) : -half_draw(r, lambda);
}

/* ---- modulations and mixing ---- */

static void draw_lambda(rng *r, bool correlated, double lambda[LINEAR_ICA_SEGMENTS])
{
    double spare[LINEAR_ICA_SEGMENTS];
    for (int e = 0; e < LINEAR_ICA_SEGMENTS; e++) {
        lambda[e] = LAMBDA_LOW + (LAMBDA_HIGH - LAMBDA_LOW) * rng_uniform(r);
    }
    if (correlated) {
        sort_doubles(LINEAR_ICA_SEGMENTS, lambda, spare);
    }
}

/* The squares of the singular values add up to |a|^2, and their product is |det a|. */
double linear_ica_condition(const double a[4])
{
    double squares = a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3];
    double product = fabs(a[0] * a[3] - a[1] * a[2]);
    double root = sqrt(fmax(squares * squares - 4.0 * product * product, 0.0));
    return (squares + root) / (2.0 * product);
}

static void draw_mix(rng *r, double mix[4])
{
    do {
        for (int i = 0; i < 4; i++) {
            mix[i] = rng_normal(r);
        }
    } while (!(linear_ica_condition(mix) <= LARGEST_CONDITION));
}

/* ---- data ---- */

static void draw_sources(rng *r, enum linear_ica_density density, const linear_ica_data *data)
{
    for (int64_t j = 0; j < LINEAR_ICA_SOURCES; j++) {
        double *s = matrix_col(data->source, j);
        for (int64_t e = 0; e < LINEAR_ICA_SEGMENTS; e++) {
            double lambda = data->lambda[j][e];
            for (int64_t i = data->start[e]; i < data->start[e + 1]; i++) {
                s[i] = density == DENSITY_LAPLACE ? lambda * rng_laplace(r) : linear_ica_skewed(r, lambda);
            }
        }
    }
}

nonsens_status linear_ica_draw(nonsens_context *ctx, arena *a, rng *r, enum linear_ica_density density, bool correlated,
                               int64_t rows_per_segment, linear_ica_data *out)
{
    enum { D = LINEAR_ICA_SOURCES };
    int64_t n = LINEAR_ICA_SEGMENTS * rows_per_segment;
    double *source, *z;
    ARENA_TRY(ctx, a, source, n * D);
    ARENA_TRY(ctx, a, z, n * D);
    out->source = matrix_view(source, n, D);
    out->z = matrix_view(z, n, D);
    for (int64_t e = 0; e <= LINEAR_ICA_SEGMENTS; e++) {
        out->start[e] = e * rows_per_segment;
    }
    for (int j = 0; j < D; j++) {
        draw_lambda(r, correlated, out->lambda[j]);
    }
    draw_mix(r, out->mix);
    draw_sources(r, density, out);
    linalg_gemm(false, true, n, D, D, 1.0, source, n, out->mix, D, 0.0, z, n);
    return NONSENS_OK;
}
