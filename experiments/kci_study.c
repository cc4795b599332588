/*
 * kci_study.c - size, power and time of the conditional independence test on simulated mechanisms.
 *
 *     kci_study TEST N SEGMENTS Z LAW NOISE EFFECT REPS [FIRST_SEED]
 *
 * TEST: gamma, spectral, signs (the factor form with that null), rcit (random features, gamma), exact (n x n with the
 * settings of Zhang et al. 2011: standardised variables, widths .8, .5, .3 by n, ridge 1e-3, z at half scale beside x,
 * gamma distribution with two moments), median (the same with median widths).
 * LAW: g (Gaussian) or l (Laplace).  NOISE: 0 even, 1 its size depends on z.  EFFECT: 0 for the null hypothesis, else
 * how strongly the noise of y holds a sine of the noise of x.  Z: how many conditioning variables.
 * Mechanisms of each variable of z are drawn from sine, tanh, square, bump, line; with several segments, scales of z,
 * of the noises and strengths of mechanisms are drawn anew in each.  Prints share of p <= .05 and of p <= .01, the
 * p-value below which a twentieth of the repetitions lie, seconds a test, and the mean degrees of freedom and ridge.
 * With QUANTILE in the environment, also the share of p-values below it: power at a size measured before.
 *
 * Other settings come from the environment: THREADS; VERBOSE=1 prints each test; ONE_SIDE=1 leaves z out beside y, and
 * NO_SIDE=1 beside x.
 */
#include "base/memory.h"
#include "base/rng.h"
#include "indep/hsic_internal.h"
#include "indep/kci.h"
#include "indep/kernel.h"
#include "math/column.h"
#include "math/linalg.h"
#include "math/sort.h"
#include "math/special.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_Z = 8, MOST_SEGMENTS = 100 };

typedef struct study {
    const char *test;
    int64_t n, segments, z, reps;
    char law;
    bool uneven;
    double effect;
    uint64_t first_seed;
} study;

typedef struct sample {
    double *x, *y, *z[MOST_Z];
    int64_t start[MOST_SEGMENTS + 1];
} sample;

static double mechanism(uint64_t kind, double z)
{
    switch (kind) {
    case 0:
        return sin(2 * z);
    case 1:
        return tanh(2 * z);
    case 2:
        return z * z / 1.5;
    case 3:
        return 2 * exp(-z * z);
    default:
        return z;
    }
}

static double noise(rng *r, char law)
{
    return law == 'g' ? rng_normal(r) : rng_laplace(r) / sqrt(2.0);
}

static double strength(rng *r, const study *s)
{
    return s->segments > 1 ? exp(2 * rng_uniform(r) - 1) : 1.0;
}

static void draw(const study *s, uint64_t seed, sample *d)
{
    rng r = rng_open(seed, RNG_EXPERIMENT, 77);
    uint64_t kind[2][MOST_Z];
    for (int64_t j = 0; j < s->z; j++) {
        kind[0][j] = rng_below(&r, 5);
        kind[1][j] = rng_below(&r, 5);
    }
    for (int64_t e = 0; e < s->segments; e++) {
        double scale_z = strength(&r, s), f = strength(&r, s), g = strength(&r, s);
        double scale_x = strength(&r, s), scale_y = strength(&r, s);
        for (int64_t i = d->start[e]; i < d->start[e + 1]; i++) {
            double mean_x = 0, mean_y = 0, root = sqrt((double)(s->z > 0 ? s->z : 1)), size_x = 1, size_y = 1;
            for (int64_t j = 0; j < s->z; j++) {
                d->z[j][i] = scale_z * noise(&r, s->law);
                mean_x += f * mechanism(kind[0][j], d->z[j][i]) / root;
                mean_y += g * mechanism(kind[1][j], d->z[j][i]) / root;
            }
            if (s->uneven && s->z > 0) {
                size_x = sqrt(0.3 + 0.7 * d->z[0][i] * d->z[0][i]);
                size_y = sqrt(0.3 + 0.7 * fmin(3, fabs(d->z[s->z - 1][i])));
            }
            double ex = noise(&r, s->law), ey = noise(&r, s->law), a = s->effect;
            d->x[i] = mean_x + scale_x * 0.7 * size_x * ex;
            d->y[i] = mean_y + scale_y * 0.7 * size_y * (ey + a * sin(1.5 * ex)) / sqrt(1 + 0.6 * a * a);
        }
    }
}

/* ---- the exact form with the usual settings -------------------------------------------------------------------- */

static double exact_width(int64_t n)
{
    return n <= 200 ? 0.8 : n <= 1200 ? 0.5 : 0.3;
}

static nonsens_status standard_column(nonsens_context *ctx, arena *a, int64_t n, const double *v, bool median,
                                      double factor, double **out)
{
    double width = exact_width(n);
    ARENA_TRY(ctx, a, *out, n);
    column_standardise(n, v, *out);
    if (median) {
        TRY(kernel_width(ctx, n, *out, &width));
    }
    for (int64_t i = 0; i < n; i++) {
        (*out)[i] *= factor / width;
    }
    return NONSENS_OK;
}

static nonsens_status exact_kernel(nonsens_context *ctx, arena *a, int64_t n, int64_t d, double *const *v, double **out)
{
    double *k, *mean, all = 0;
    ARENA_TRY(ctx, a, k, n * n);
    ARENA_TRY(ctx, a, mean, n);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            double q = 0;
            for (int64_t c = 0; c < d; c++) {
                q += (v[c][i] - v[c][j]) * (v[c][i] - v[c][j]);
            }
            k[i * n + j] = exp(-0.5 * q);
            mean[i] += k[i * n + j] / (double)n;
        }
        all += mean[i] / (double)n;
    }
    for (int64_t i = 0; i < n * n; i++) {
        k[i] += all - mean[i / n] - mean[i % n];
    }
    *out = k;
    return NONSENS_OK;
}

/* Adds statistic, mean and variance of one segment. */
static nonsens_status exact_segment(nonsens_context *ctx, arena *a, const study *s, const sample *d, int64_t first,
                                    int64_t n, bool median, double sum[3])
{
    double *v[2 * MOST_Z + 2], *k[3], *m, *r, *half;
    TRY(standard_column(ctx, a, n, d->x + first, median, 1.0, v));
    TRY(standard_column(ctx, a, n, d->y + first, median, 1.0, v + 1 + s->z));
    for (int64_t j = 0; j < s->z; j++) {
        TRY(standard_column(ctx, a, n, d->z[j] + first, median, 0.5, v + 1 + j));
        TRY(standard_column(ctx, a, n, d->z[j] + first, median, 1.0, v + 2 + s->z + j));
    }
    TRY(exact_kernel(ctx, a, n, 1 + s->z, v, k));
    TRY(exact_kernel(ctx, a, n, 1, v + 1 + s->z, k + 1));
    TRY(exact_kernel(ctx, a, n, s->z, v + 2 + s->z, k + 2));
    ARENA_TRY(ctx, a, m, n * n);
    ARENA_TRY(ctx, a, r, n * n);
    ARENA_TRY(ctx, a, half, n * n);
    for (int64_t i = 0; i < n * n; i++) {
        m[i] = k[2][i] + (i % (n + 1) == 0 ? 1e-3 : 0.0);
        r[i] = i % (n + 1) == 0 ? 1e-3 : 0.0;
    }
    TRY(linalg_solve(ctx, a, n, n, m, r));
    for (int side = 0; side < 2; side++) {
        linalg_gemm(false, false, n, n, n, 1.0, r, n, k[side], n, 0.0, half, n);
        linalg_gemm(false, true, n, n, n, 1.0, half, n, r, n, 0.0, k[side], n);
    }
    for (int64_t i = 0; i < n * n; i++) {
        double g = k[0][i] * k[1][i] / (double)n;
        sum[0] += g;
        sum[1] += i % (n + 1) == 0 ? g : 0.0;
        sum[2] += 2 * g * g;
    }
    return NONSENS_OK;
}

static nonsens_status exact_p(nonsens_context *ctx, arena *a, const study *s, const sample *d, bool median, double *p)
{
    double sum[3] = {0};
    for (int64_t e = 0; e < s->segments; e++) {
        arena_mark mark = arena_tell(a);
        TRY(exact_segment(ctx, a, s, d, d->start[e], d->start[e + 1] - d->start[e], median, sum));
        arena_rewind(a, mark);
    }
    *p = special_gamma_tail(sum[1], sum[2], sum[0]);
    return NONSENS_OK;
}

/* ---- repetitions ------------------------------------------------------------------------------------------------ */

static nonsens_status factor_p(nonsens_context *ctx, arena *a, const study *s, const sample *d, double *p,
                               double sums[6])
{
    const double *vx[] = {d->x}, *vy[] = {d->y}, *vz[MOST_Z];
    for (int64_t j = 0; j < s->z; j++) {
        vz[j] = d->z[j];
    }
    column_set x = {s->n, 1, vx}, y = {s->n, 1, vy}, z = {s->n, s->z, vz};
    row_groups groups = {s->segments, d->start};
    kci_options o = {.null_kind = NULL_GAMMA, .permutations = 199, .seed = 1, .threads = 1};
    kci_result result;
    kci_features left, right;
    o.null_kind = !strcmp(s->test, "spectral") ? NULL_SPECTRAL
                  : !strcmp(s->test, "signs")  ? NULL_PERMUTATION
                                               : NULL_GAMMA;
    o.random_features = !strcmp(s->test, "rcit");
    bool both = !getenv("ONE_SIDE"), left_z = !getenv("NO_SIDE");
    o.threads = getenv("THREADS") ? atoi(getenv("THREADS")) : 1;
    TRY(kci_residuals(ctx, a, &x, left_z, &z, &groups, &o, &left));
    TRY(kci_residuals(ctx, a, &y, both, &z, &groups, &o, &right));
    TRY(kci_compare(ctx, a, &left, &right, &groups, &o, &result));
    *p = result.p_value;
    sums[0] += result.degrees[0];
    sums[1] += result.degrees[1];
    sums[2] += log10(result.ridge[0] + 1e-9);
    sums[3] += log10(result.ridge[1] + 1e-9);
    double each = result.variance > 0 ? (result.statistic - result.mean) / sqrt(result.variance) : 0;
    sums[4] += each;
    sums[5] += each * each;
    if (getenv("VERBOSE")) {
        printf("p %.4f T %.4g mean %.4g sd %.4g skew %.3g df %.1f %.1f ridge %.2g %.2g rank %" PRId64 " %" PRId64
               " lost %.2g\n",
               result.p_value, result.statistic, result.mean, sqrt(result.variance), result.skewness, result.degrees[0],
               result.degrees[1], result.ridge[0], result.ridge[1], left.strata[0].rank, right.strata[0].rank,
               result.lost);
    }
    return NONSENS_OK;
}

static nonsens_status run_study(nonsens_context *ctx, arena *a, const study *s)
{
    sample d = {0};
    double *p, sums[6] = {0}, reps = (double)s->reps, at5 = 0, at1 = 0, below = 0;
    double quantile = getenv("QUANTILE") ? atof(getenv("QUANTILE")) : 0.05;
    ARENA_TRY(ctx, a, p, 2 * s->reps);
    ARENA_TRY(ctx, a, d.x, s->n);
    ARENA_TRY(ctx, a, d.y, s->n);
    for (int64_t j = 0; j < s->z; j++) {
        ARENA_TRY(ctx, a, d.z[j], s->n);
    }
    for (int64_t e = 0; e <= s->segments; e++) {
        d.start[e] = e * s->n / s->segments;
    }
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    for (int64_t i = 0; i < s->reps; i++) {
        arena_mark mark = arena_tell(a);
        draw(s, s->first_seed + (uint64_t)i, &d);
        bool exact = !strcmp(s->test, "exact"), median = !strcmp(s->test, "median");
        TRY(exact || median ? exact_p(ctx, a, s, &d, median, p + i) : factor_p(ctx, a, s, &d, p + i, sums));
        arena_rewind(a, mark);
        at5 += p[i] <= 0.05;
        at1 += p[i] <= 0.01;
        below += p[i] <= quantile;
    }
    clock_gettime(CLOCK_MONOTONIC, &after);
    double seconds = (double)(after.tv_sec - before.tv_sec) + 1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    sort_doubles(s->reps, p, p + s->reps);
    printf(
        "%-8s n %6" PRId64 " s %2" PRId64 " z %" PRId64 " %c %d effect %.2f reps %" PRId64
        "  .05: %.3f  .01: %.3f  q05 %.4g  below %.3f  sec %.4f  df %.1f %.1f  log ridge %.1f %.1f  T %.2f sd %.2f\n",
        s->test, s->n, s->segments, s->z, s->law, s->uneven, s->effect, s->reps, at5 / reps, at1 / reps,
        p[(int64_t)(0.05 * (reps - 1))], below / reps, seconds / reps, sums[0] / reps, sums[1] / reps, sums[2] / reps,
        sums[3] / reps, sums[4] / reps, sqrt(fmax(0, sums[5] / reps - sums[4] * sums[4] / reps / reps)));
    return NONSENS_OK;
}

int main(int argc, char **argv)
{
    if (argc < 9) {
        fputs("usage: kci_study TEST N SEGMENTS Z LAW NOISE EFFECT REPS [FIRST_SEED]\n", stderr);
        return 2;
    }
    study s = {.test = argv[1],
               .n = atol(argv[2]),
               .segments = atol(argv[3]),
               .z = atol(argv[4]),
               .law = argv[5][0],
               .uneven = argv[6][0] == '1',
               .effect = atof(argv[7]),
               .reps = atol(argv[8]),
               .first_seed = argc > 9 ? strtoull(argv[9], NULL, 10) : 1};
    if (s.n < 1 || s.segments < 1 || s.segments > MOST_SEGMENTS || s.z < 0 || s.z > MOST_Z || s.reps < 1) {
        fputs("kci_study: a number is out of range\n", stderr);
        return 2;
    }
    arena a = {0};
    nonsens_context *ctx = nonsens_context_new();
    nonsens_status status = ctx ? run_study(ctx, &a, &s) : NONSENS_ERR_MEMORY;
    if (status != NONSENS_OK) {
        fprintf(stderr, "kci_study: %s\n", ctx ? nonsens_message(ctx) : "out of memory");
    }
    arena_free(&a);
    nonsens_context_free(ctx);
    return status == NONSENS_OK ? 0 : 1;
}
