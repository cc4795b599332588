/*
 * calibration.c - are the p-values of the tests of independence right when there is independence?
 *
 *     calibration [--cells PATTERN] [--rows N] [--reps R] [--seed FIRST] [--threads T] [--out FILE.csv]
 *
 * One line per cell TEST.NULL.GIVEN.GROUPS.ROWS whose name matches the pattern (* and ?): Kolmogorov-Smirnov distance
 * of R p-values from uniform, shares of p <= .05 and of p <= .01, and the standard error of the first.  R is 1,000 (300
 * at 10,000 rows with given variables or for mutual information), N 100, 1,000 and 10,000, unless asked for otherwise;
 * repetition r uses seed 100,001 + r.
 *
 * Data: noise is Laplace.  Without given variables x and y are noise; with them x and y are smooth functions of z plus
 * noise whose size depends on z.  Tests that assume more get it: fisher-z linear functions and Gaussian noise,
 * residuals noise of one size.  Stratified cells have ten equal segments in which the scales of the noise and the
 * mechanisms are drawn anew, so that independence holds inside segments only. For the tests of change over segments x
 * is noise and the ten segments are alike.
 *
 * Exit status 1 if a size at .05 exceeds .07 or one at .01 exceeds .02, or, without given variables, a distance exceeds
 * .06 or a size at .05 is below .03; meant for 1,000 repetitions, fewer may fail by chance.
 */
#include "harness/request.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "indep/ci.h"
#include "indep/samples.h"
#include "math/sort.h"
#include "harness/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { SEGMENTS = 10, REPETITIONS = 1000, REPETITIONS_SLOW = 300, LARGE = 10000, GIVEN_MOST = 2 };

#define LARGEST_DISTANCE 0.06
#define LARGEST_SIZE 0.07
#define LEAST_SIZE 0.03 /* without given variables */
#define LARGEST_SIZE_STRICT 0.02

typedef struct kind {
    const char *name;
    enum independence_test test;
    enum null_kind null_kind;
    int given_least, given_most; /* so many variables are given; without any kci and residuals are hsic */
    bool changes;                /* asks whether x changes over segments */
    int64_t rows_most;           /* of its largest cell */
    int64_t permutations;
} kind;

/* What repeats a test hundreds of times is left out at 10,000 rows; mutual information gets by with fewer. */
static const kind kinds[] = {{"hsic.gamma", TEST_HSIC, NULL_GAMMA, 0, 0, false, LARGE, 0},
                             {"hsic.refined", TEST_HSIC, NULL_GAMMA, 0, 0, false, 1000, 999},
                             {"hsic.spectral", TEST_HSIC, NULL_SPECTRAL, 0, 0, false, LARGE, 0},
                             {"hsic.permutation", TEST_HSIC, NULL_PERMUTATION, 0, 0, false, 1000, 199},
                             {"kci.gamma", TEST_KCI, NULL_GAMMA, 1, 2, false, LARGE, 0},
                             {"kci.spectral", TEST_KCI, NULL_SPECTRAL, 1, 1, false, 1000, 0},
                             {"kci.signs", TEST_KCI, NULL_PERMUTATION, 1, 1, false, 1000, 199},
                             {"rcit.gamma", TEST_RCIT, NULL_GAMMA, 0, 2, false, LARGE, 0},
                             {"fisher-z.normal", TEST_FISHER_Z, NULL_GAMMA, 0, 2, false, LARGE, 0},
                             {"residuals.gamma", TEST_RESIDUALS, NULL_GAMMA, 1, 2, false, LARGE, 0},
                             {"information.permutation", TEST_INFORMATION, NULL_PERMUTATION, 0, 0, false, LARGE, 39},
                             {"ks.default", TEST_KS, NULL_GAMMA, 0, 0, true, LARGE, 199},
                             {"levene.f", TEST_LEVENE, NULL_GAMMA, 0, 0, true, LARGE, 0},
                             {"kruskal.chi2", TEST_KRUSKAL, NULL_GAMMA, 0, 0, true, LARGE, 0}};
enum { ROW_COUNTS = 3 };
static const int64_t row_counts[ROW_COUNTS] = {100, 1000, 10000};

typedef struct cell {
    const kind *kind;
    int given;
    bool stratified;
    int64_t n;
    uint64_t first_seed;
    double *p; /* (2 repetitions): p-values, and room for sorting them */
} cell;

/* Shares of p-values that reject at .05 (with its standard error) and at .01, and the distance from uniform ones. */
typedef struct sizes {
    double distance, size, strict, se;
} sizes;

/* ---- data ---- */

/* How x or y comes about from z in one segment. */
typedef struct mechanism {
    double scale, slope[GIVEN_MOST], bend, swell;
} mechanism;

/* Anew in each of several segments; else one that is the same in all data sets but for its draws. */
static mechanism draw_mechanism(rng *r, bool varies, bool swells)
{
    mechanism m = {.scale = varies ? exp(3.0 * rng_uniform(r) - 1.5) : 1.0};
    for (int k = 0; k < GIVEN_MOST; k++) {
        m.slope[k] = (rng_uniform(r) < 0.5 ? -1.0 : 1.0) * (0.5 + rng_uniform(r));
    }
    m.bend = 1.0 + rng_uniform(r);
    m.swell = swells ? rng_uniform(r) : 0.0;
    return m;
}

static double from_given(rng *r, const mechanism *m, int given, const double *const *z, int64_t i, bool linear)
{
    double value = 0.0, noise = linear ? rng_normal(r) : rng_laplace(r);
    for (int k = 0; k < given; k++) {
        double u = z[k][i];
        value += linear ? m->slope[k] * u : m->slope[k] * (k == 0 ? tanh(m->bend * u) : sin(m->bend * u));
    }
    if (given > 0 && !linear) {
        noise *= 1.0 + 0.5 * m->swell * tanh(z[0][i]);
    }
    return m->scale * (value + noise);
}

static void draw_rows(rng *r, const cell *c, int64_t first, int64_t end, double *const *v)
{
    bool varies = c->stratified && !c->kind->changes, linear = c->kind->test == TEST_FISHER_Z;
    bool swells = c->kind->test != TEST_RESIDUALS;
    mechanism mx = draw_mechanism(r, varies, swells), my = draw_mechanism(r, varies, swells);
    const double *z[GIVEN_MOST] = {v[2], v[3]};
    for (int64_t i = first; i < end; i++) {
        for (int k = 0; k < c->given; k++) {
            v[2 + k][i] = rng_normal(r);
        }
        v[0][i] = from_given(r, &mx, c->given, z, i, linear);
        v[1][i] = from_given(r, &my, c->given, z, i, linear);
    }
}

/* ---- one repetition ---- */

static nonsens_status ask_tester(nonsens_context *ctx, const cell *c, const column_set *variable, row_groups groups,
                                 uint64_t seed, double *p)
{
    static const int64_t given[GIVEN_MOST] = {2, 3};
    ci_variables variables = {2 + c->given, variable, NULL, groups};
    ci_options options = {.test = c->kind->test,
                          .null_kind = c->kind->null_kind,
                          .permutations = c->kind->permutations,
                          .refine_at = 0.05,
                          .seed = (int64_t)seed,
                          .threads = 1};
    ci_tester *tester;
    ci_result result;
    TRY(ci_open(ctx, &variables, &options, &tester));
    nonsens_status status = ci_test(ctx, tester, 0, 1, c->given, given, &result);
    ci_close(tester);
    *p = result.p_value;
    return status;
}

static nonsens_status ask_samples(nonsens_context *ctx, arena *a, const cell *c, const double *v, row_groups groups,
                                  uint64_t seed, double *p)
{
    samples_options options = {.kind = c->kind->test == TEST_KS       ? SAMPLES_KS
                                       : c->kind->test == TEST_LEVENE ? SAMPLES_LEVENE
                                                                      : SAMPLES_KRUSKAL,
                               .null_kind = c->kind->null_kind,
                               .permutations = c->kind->permutations,
                               .permute_up_to = SAMPLES_PERMUTE_ROWS,
                               .seed = seed,
                               .threads = 1};
    samples_result result;
    TRY(samples_test(ctx, a, v, &groups, &options, &result));
    *p = result.p_value;
    return NONSENS_OK;
}

static nonsens_status run_repetition(nonsens_context *ctx, arena *a, int64_t job, void *state)
{
    const cell *c = state;
    uint64_t seed = c->first_seed + (uint64_t)job;
    int64_t start[SEGMENTS + 1], segments = c->stratified ? SEGMENTS : 1;
    double *v[2 + GIVEN_MOST]; // (n) each
    column_set variable[2 + GIVEN_MOST];
    for (int k = 0; k < 2 + GIVEN_MOST; k++) {
        ARENA_TRY(ctx, a, v[k], c->n);
        variable[k] = (column_set){c->n, 1, (const double *const *)&v[k]};
    }
    rng r = rng_open(seed, RNG_EXPERIMENT, (uint64_t)(c->n + c->given + 3 * c->stratified));
    for (int64_t e = 0; e < segments; e++) {
        start[e] = e * c->n / segments;
        start[e + 1] = (e + 1) * c->n / segments;
        draw_rows(&r, c, start[e], start[e + 1], v);
    }
    row_groups groups = {segments, start};
    return c->kind->changes ? ask_samples(ctx, a, c, v[0], groups, seed, &c->p[job])
                            : ask_tester(ctx, c, variable, groups, seed, &c->p[job]);
}

/* ---- cells ---- */

/* Sorts p (reps), behind which there is room for as many again.  The distance counts the steps of permutation p-values
 * as well, at most 1 / (permutations + 1). */
static sizes measure_sizes(int64_t reps, double *p)
{
    double distance = 0.0, n = (double)reps;
    int64_t rejected = 0, rejected_strictly = 0;
    sort_doubles(reps, p, p + reps);
    for (int64_t i = 0; i < reps; i++) {
        double gap = fabs(p[i] - ((double)i + 0.5) / n) + 0.5 / n;
        distance = gap > distance ? gap : distance;
        rejected += p[i] <= 0.05 + 1e-12;
        rejected_strictly += p[i] <= 0.01 + 1e-12;
    }
    summary size = summary_of_share(reps, rejected);
    return (sizes){distance, size.mean, summary_of_share(reps, rejected_strictly).mean, size.error};
}

static bool is_good(const cell *c, const sizes *s)
{
    return s->size <= LARGEST_SIZE && s->strict <= LARGEST_SIZE_STRICT &&
           (c->given > 0 || (s->distance <= LARGEST_DISTANCE && s->size >= LEAST_SIZE));
}

static void name_cell(const cell *c, char name[80])
{
    snprintf(name, 80, "%s.given%d.%s.n%" PRId64, c->kind->name, c->given, c->stratified ? "stratified" : "pooled",
             c->n);
}

static void print_sizes(FILE *csv, const cell *c, int64_t reps, const sizes *s)
{
    char name[80];
    name_cell(c, name);
    printf("calibration %s reps=%" PRId64 " ks=%.3f size05=%.3f size01=%.3f se=%.3f%s\n", name, reps, s->distance,
           s->size, s->strict, s->se,
           !is_good(c, s)          ? "  OUT OF BOUNDS"
           : s->distance >= 0.9999 ? "  (too few rows: nothing is tested)"
                                   : "");
    fflush(stdout);
    if (csv) {
        fprintf(csv, "%s,%s,%d,%s,%" PRId64 ",%" PRId64 ",%.4f,%.4f,%.4f,%.4f\n", name, c->kind->name, c->given,
                c->stratified ? "stratified" : "pooled", c->n, reps, s->distance, s->size, s->strict, s->se);
    }
}

static nonsens_status run_cell(nonsens_context *ctx, request *q, cell c)
{
    char name[80];
    name_cell(&c, name);
    if (!request_wants(q, name) || c.n > c.kind->rows_most) {
        return NONSENS_OK;
    }
    bool slow = c.n >= LARGE && (c.given > 0 || c.kind->test == TEST_INFORMATION);
    int64_t reps = q->reps > 0 ? q->reps : slow ? REPETITIONS_SLOW : REPETITIONS;
    c.first_seed = q->first_seed;
    c.p = memory_get(2 * (size_t)reps, sizeof *c.p);
    if (!c.p) {
        return fail_memory(ctx);
    }
    nonsens_status status = parallel_for(ctx, q->threads, reps, NULL, run_repetition, &c);
    if (status == NONSENS_OK) {
        sizes s = measure_sizes(reps, c.p);
        print_sizes(q->csv, &c, reps, &s);
        q->cells++;
        q->bad += !is_good(&c, &s);
    }
    memory_release(c.p);
    return status;
}

static nonsens_status run_cells(nonsens_context *ctx, request *q)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        for (int given = kinds[k].given_least; given <= kinds[k].given_most; given++) {
            for (int stratified = kinds[k].changes; stratified <= 1; stratified++) {
                for (int i = 0; i < (q->rows ? 1 : ROW_COUNTS); i++) {
                    cell c = {&kinds[k], given, stratified == 1, q->rows ? q->rows : row_counts[i], 0, NULL};
                    TRY(run_cell(ctx, q, c));
                }
            }
        }
    }
    return NONSENS_OK;
}

int main(int argc, char **argv)
{
    return request_run("calibration", "cell,test,given,groups,n,reps,ks,size05,size01,se05", argc, argv, run_cells);
}
