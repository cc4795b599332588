/*
 * power.c - do the fast tests of independence see as much as their exact forms with n x n matrices?
 *
 *     power [--cells PATTERN] [--reps R] [--seed FIRST] [--threads T] [--out FILE.csv]
 *
 * For each test, kind of dependence and strength: shares of p <= .05 of the fast and of the exact form on the same R
 * data sets (default 300), the standard error of their difference from the data sets on which they differ, and the
 * difference in such errors.  Also the difference of the shares when both are judged at the level at which .05 of
 * their own p-values under independence (strength 0) lie below: a test that rejects too often there gains nothing.
 *
 * Exact forms: HSIC with median widths and the gamma distribution of the same moments, from whole matrices; conditional
 * test as Zhang et al. (UAI 2011) print it, on standardised variables with ridge .001 and the gamma distribution with
 * two moments, once with median widths, once with the authors' rule (.8 up to 200 rows, .5 beyond).  Repetition r uses
 * seed 100,001 + r.
 *
 * Exit status 1 if a fast test, rcit aside, lies more than two standard errors below its exact form both ways.
 */
#include "kci_exact.h"
#include "harness/request.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "indep/ci.h"
#include "indep/hsic_reference.h"
#include "indep/kernel.h"
#include "math/sort.h"
#include "harness/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { REPETITIONS = 300, STRENGTHS = 5, SHAPES = 3, COLUMNS = 3 };

#define LEVEL 0.05

static const double strengths[STRENGTHS] = {0.0, 0.1, 0.2, 0.35, 0.5};
static const char *const shape_names[SHAPES] = {"linear", "square", "scale"};

typedef struct setting {
    const char *name;
    enum independence_test test;
    int64_t n, given;
    bool by_median; /* widths of the exact form */
} setting;

static const setting settings[] = {{"hsic", TEST_HSIC, 200, 0, true},        {"hsic", TEST_HSIC, 500, 0, true},
                                   {"kci.median", TEST_KCI, 200, 1, true},   {"kci.median", TEST_KCI, 400, 1, true},
                                   {"kci.rule", TEST_KCI, 200, 1, false},    {"kci.rule", TEST_KCI, 400, 1, false},
                                   {"rcit.median", TEST_RCIT, 200, 1, true}, {"rcit.median", TEST_RCIT, 400, 1, true}};

/* One curve: p-values of both forms for all strengths and repetitions. */
typedef struct curve {
    const setting *setting;
    int shape;
    int64_t reps;
    uint64_t first_seed;
    double *fast, *exact; /* (STRENGTHS, reps) */
} curve;

/* ---- data ---- */

static double effect_of(int shape, double strength, double cause, double noise)
{
    switch (shape) {
    case 0:
        return strength * cause + noise;
    case 1:
        return strength * cause * cause + noise;
    default:
        return (1.0 + strength * fabs(cause)) * noise;
    }
}

static void draw(const curve *c, double strength, uint64_t seed, double *const *v)
{
    rng r = rng_open(seed, RNG_EXPERIMENT, (uint64_t)(1000 + c->shape));
    for (int64_t i = 0; i < c->setting->n; i++) {
        double z = c->setting->given ? rng_normal(&r) : 0.0, u = rng_normal(&r);
        v[0][i] = tanh(z) + u;
        v[1][i] = 0.5 * z * z * (c->setting->given > 0) + effect_of(c->shape, strength, u, rng_normal(&r));
        v[2][i] = z;
    }
}

/* ---- the exact forms ---- */

static nonsens_status exact_hsic(nonsens_context *ctx, arena *a, const column_set *variable, double *p)
{
    double width[2];
    hsic_result result;
    TRY(kernel_width(ctx, variable[0].n, variable[0].v[0], &width[0]));
    TRY(kernel_width(ctx, variable[1].n, variable[1].v[0], &width[1]));
    TRY(hsic_reference(ctx, a, &variable[0], &variable[1], &width[0], &width[1], NULL_GAMMA, &result));
    *p = result.p_value;
    return NONSENS_OK;
}

/* ---- one repetition ---- */

static nonsens_status fast_test(nonsens_context *ctx, const curve *c, const column_set *variable, double *p)
{
    static const int64_t given[1] = {2};
    int64_t whole[2] = {0, c->setting->n};
    ci_variables variables = {2 + c->setting->given, variable, NULL, {1, whole}};
    ci_options options = {.test = c->setting->test, .null_kind = NULL_GAMMA, .seed = 1, .threads = 1};
    ci_tester *tester;
    ci_result result;
    TRY(ci_open(ctx, &variables, &options, &tester));
    nonsens_status status = ci_test(ctx, tester, 0, 1, c->setting->given, given, &result);
    ci_close(tester);
    *p = result.p_value;
    return status;
}

static nonsens_status run_repetition(nonsens_context *ctx, arena *a, int64_t job, void *state)
{
    const curve *c = state;
    double *v[COLUMNS]; // (n)
    column_set variable[COLUMNS];
    row_groups whole = {1, (const int64_t[]){0, c->setting->n}};
    for (int k = 0; k < COLUMNS; k++) {
        ARENA_TRY(ctx, a, v[k], c->setting->n);
        variable[k] = (column_set){c->setting->n, 1, (const double *const *)&v[k]};
    }
    for (int s = 0; s < STRENGTHS; s++) {
        arena_mark mark = arena_tell(a);
        draw(c, strengths[s], c->first_seed + (uint64_t)job, v);
        TRY(fast_test(ctx, c, variable, &c->fast[s * c->reps + job]));
        double *exact = &c->exact[s * c->reps + job];
        TRY(c->setting->given ? kci_exact(ctx, a, v[0], v[1], &variable[2], &whole, c->setting->by_median, exact)
                              : exact_hsic(ctx, a, variable, exact));
        arena_rewind(a, mark);
    }
    return NONSENS_OK;
}

/* ---- comparing ---- */

typedef struct comparison {
    double fast, exact; /* shares at or below the level */
    double se;          /* of their difference; above 0 even if they never differ, since z divides by it */
} comparison;

static comparison compare(int64_t reps, const double *fast, const double *exact, double level_fast, double level_exact)
{
    int64_t by_fast = 0, by_exact = 0, by_both = 0;
    for (int64_t i = 0; i < reps; i++) {
        bool f = fast[i] <= level_fast, e = exact[i] <= level_exact;
        by_fast += f;
        by_exact += e;
        by_both += f && e;
    }
    double smallest = pow((double)reps, -1.5);
    summary gap = summary_of_share_difference(reps, by_fast - by_both, by_exact - by_both);
    return (comparison){summary_of_share(reps, by_fast).mean, summary_of_share(reps, by_exact).mean,
                        fmax(gap.error, smallest)};
}

/* The p-value below which LEVEL of these lie. */
static nonsens_status own_level(nonsens_context *ctx, arena *a, int64_t reps, const double *p, double *level)
{
    double *sorted;
    TRY(sort_copy(ctx, a, reps, p, &sorted));
    *level = sorted[(int64_t)(LEVEL * (double)reps)];
    return NONSENS_OK;
}

static nonsens_status report(nonsens_context *ctx, arena *a, const curve *c, FILE *csv, int64_t *bad)
{
    double level_fast, level_exact;
    TRY(own_level(ctx, a, c->reps, c->fast, &level_fast));
    TRY(own_level(ctx, a, c->reps, c->exact, &level_exact));
    for (int s = 0; s < STRENGTHS; s++) {
        const double *fast = c->fast + s * c->reps, *exact = c->exact + s * c->reps;
        comparison plain = compare(c->reps, fast, exact, LEVEL, LEVEL);
        comparison fair = compare(c->reps, fast, exact, level_fast, level_exact);
        double z = (plain.fast - plain.exact) / plain.se, z_fair = (fair.fast - fair.exact) / fair.se;
        bool worse = s > 0 && z < -2.0 && z_fair < -2.0;
        printf("power %s n=%" PRId64 " shape=%s strength=%.2f reps=%" PRId64
               " fast=%.3f exact=%.3f z=%.1f fair_fast=%.3f fair_exact=%.3f fair_z=%.1f%s\n",
               c->setting->name, c->setting->n, shape_names[c->shape], strengths[s], c->reps, plain.fast, plain.exact,
               z, fair.fast, fair.exact, z_fair, worse ? "  WORSE" : "");
        if (csv) {
            fprintf(csv, "%s,%" PRId64 ",%s,%.2f,%" PRId64 ",%.4f,%.4f,%.4f,%.4f,%.4f,%.4f\n", c->setting->name,
                    c->setting->n, shape_names[c->shape], strengths[s], c->reps, plain.fast, plain.exact, plain.se,
                    fair.fast, fair.exact, fair.se);
        }
        *bad += worse && c->setting->test != TEST_RCIT; // which is known to see less
    }
    fflush(stdout);
    return NONSENS_OK;
}

static nonsens_status run_curve(nonsens_context *ctx, request *q, const setting *s, int shape)
{
    arena a = {0};
    int64_t reps = q->reps > 0 ? q->reps : REPETITIONS;
    curve c = {s, shape, reps, q->first_seed, NULL, NULL};
    c.fast = arena_get(ctx, &a, STRENGTHS * reps, sizeof *c.fast);
    c.exact = c.fast ? arena_get(ctx, &a, STRENGTHS * reps, sizeof *c.exact) : NULL;
    nonsens_status status =
        c.exact ? parallel_for(ctx, q->threads, reps, NULL, run_repetition, &c) : NONSENS_ERR_MEMORY;
    if (status == NONSENS_OK) {
        status = report(ctx, &a, &c, q->csv, &q->bad);
        q->cells++;
    }
    arena_free(&a);
    return status;
}

static nonsens_status run_all(nonsens_context *ctx, request *q)
{
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        if (!request_wants(q, settings[k].name)) {
            continue;
        }
        for (int shape = 0; shape < SHAPES; shape++) {
            TRY(run_curve(ctx, q, &settings[k], shape));
        }
    }
    return NONSENS_OK;
}

int main(int argc, char **argv)
{
    return request_run("power", "test,n,shape,strength,reps,fast,exact,se,fair_fast,fair_exact,fair_se", argc, argv,
                       run_all);
}
