/*
 * kci_study.c - measures size, power and time of the conditional independence test on simulated mechanisms.
 *
 *     kci_study TEST N SEGMENTS Z LAW NOISE EFFECT REPS [FIRST_SEED]
 *
 * TEST: gamma, spectral, signs (the factor form with that null distribution), rcit (random features, gamma), exact (n x
 * n with the settings of Zhang et al. 2011: standardised variables, widths .8, .5, .3 by n, ridge 1e-3, z halved in the
 * joint kernel with x, gamma distribution with two moments), median (the same with median widths).
 * LAW: g (Gaussian) or l (Laplace).  NOISE: 0, constant; 1, its size depends on z.  EFFECT: 0 for the null
 * hypothesis, else the weight of a sine of the noise of x in the noise of y.  Z: the number of conditioning variables.
 * Mechanisms of each variable of z are drawn from sine, tanh, square, bump, line.  With several segments, each has its
 * own scales of z and of the noises, and strengths of mechanisms.
 * Prints the shares of p <= .05 and of p <= .01, the 5 % quantile of the p-values, seconds per test, and the mean
 * degrees of freedom and ridge.  `below` is the share of p-values up to QUANTILE (in the environment, default .05): the
 * power at a level that was calibrated in an earlier run.
 *
 * Other settings come from the environment: THREADS; VERBOSE=1 prints each test; ONE_SIDE=1 leaves z out of the kernel
 * with y, and NO_SIDE=1 out of the kernel with x.
 */
#include "kci_exact.h"

#include "base/memory.h"
#include "base/rng.h"
#include "indep/kci.h"
#include "math/sort.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_Z = 8, MAX_SEGMENTS = 100 };

typedef struct study {
    const char *test;
    int64_t n, segments, z, reps;
    char law;
    bool uneven;
    double effect;
    uint64_t first_seed;
} study;

typedef struct sample {
    double *x, *y, *z[MAX_Z];
    int64_t start[MAX_SEGMENTS + 1];
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
    rng r = rng_new(seed, RNG_EXPERIMENT, 77);
    uint64_t kind[2][MAX_Z];
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

/* ---- repetitions ------------------------------------------------------------------------------------------------ */

static nonsens_status exact_p(nonsens_context *ctx, arena *a, const study *s, const sample *d, bool median, double *p)
{
    column_set z = {s->n, s->z, (const double *const *)d->z};
    row_groups groups = {s->segments, d->start};
    return kci_exact(ctx, a, d->x, d->y, &z, &groups, median, p);
}

static nonsens_status factor_p(nonsens_context *ctx, arena *a, const study *s, const sample *d, double *p,
                               double sums[6])
{
    const double *vx[] = {d->x}, *vy[] = {d->y}, *vz[MAX_Z];
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
    if (s.n < 1 || s.segments < 1 || s.segments > MAX_SEGMENTS || s.z < 0 || s.z > MAX_Z || s.reps < 1) {
        fputs("kci_study: a number is out of range\n", stderr);
        return 2;
    }
    arena a = {0};
    nonsens_context *ctx = nonsens_context_new();
    nonsens_status status = ctx ? run_study(ctx, &a, &s) : NONSENS_ERR_MEMORY;
    if (status != NONSENS_OK) {
        fprintf(stderr, "kci_study: %s\n", ctx ? nonsens_context_message(ctx) : "out of memory");
    }
    arena_free(&a);
    nonsens_context_free(ctx);
    return status == NONSENS_OK ? 0 : 1;
}
