/*
 * calibration.c - checks that the p-values of the tests of independence are uniform under independence.
 *
 *     calibration [--cells PATTERN] [--rows N] [--reps R] [--seed FIRST] [--threads T] [--out FILE.csv]
 *
 * Prints a line for each cell TEST.NULL.GIVEN.GROUPS.ROWS whose name matches the pattern (* and ?): the
 * Kolmogorov-Smirnov distance of R p-values from uniform, the shares of p <= .05 (with its standard error) and of p <=
 * .01.  R is 1,000 (300 at 10,000 rows with given variables or for mutual information), N is 100, 1,000 and 10,000,
 * unless options say otherwise; repetition r uses seed 100,001 + r.
 *
 * Data: noise is Laplace.  Without given variables x and y are noise; with them x and y are smooth functions of z plus
 * noise whose size depends on z.  Tests with stronger assumptions get data that satisfy them: fisher-z gets linear
 * functions and Gaussian noise, residuals gets noise of constant size.  Stratified cells have ten equal segments, each
 * with its own noise scales and mechanisms, so that independence holds only inside segments.  In the tests of change
 * over segments, x is noise with the same distribution in all ten segments.
 *
 * The exit status is 1 if a size at .05 exceeds .07 or one at .01 exceeds .02, or, without given variables, a distance
 * exceeds .06 or a size at .05 is below .03.  The bounds are meant for 1,000 repetitions; runs with fewer may fail by
 * chance.
 */
#include "harness/request.h"
#include "indep/ci.h"
#include "indep/samples.h"
#include "math/sort.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { SEGMENTS = 10, REPETITIONS = 1000, REPETITIONS_SLOW = 300, LARGE = 10000, MAX_GIVEN = 2 };

#define MAX_DISTANCE 0.06
#define MAX_SIZE 0.07
#define MIN_SIZE 0.03 /* applies without given variables */
#define MAX_SIZE_STRICT 0.02

typedef struct test_kind {
    const char *name;
    enum option_independence_test test;
    enum option_null_kind null_kind;
    int min_given, max_given; /* range of the number of given variables; without any, kci and residuals are hsic */
    bool changes;             /* tests whether x changes over segments */
    int64_t max_rows;         /* rows of its largest cell */
    int64_t permutations;
} test_kind;

/* Tests that run hundreds of permutations are left out at 10,000 rows; mutual information has fewer of them. */
static const test_kind kinds[] = {
    {"hsic.gamma", TEST_HSIC, NULL_GAMMA, 0, 0, false, LARGE, 0},
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

enum { KINDS = sizeof kinds / sizeof *kinds, MAX_CELLS = KINDS * (MAX_GIVEN + 1) * 2 * ROW_COUNTS };

typedef struct cell {
    const test_kind *kind;
    int given;
    bool stratified;
    int64_t n;
} cell;

static cell cells[MAX_CELLS]; /* filled by list_cells */

/* Shares of p-values up to .05 (with its standard error) and up to .01, and the distance from uniform. */
typedef struct sizes {
    double distance, size, strict, se;
} sizes;

/* ---- data ---- */

/* How x or y depends on z in one segment. */
typedef struct mechanism {
    double scale, slope[MAX_GIVEN], bend, swell;
} mechanism;

/* Draws a mechanism, with a random scale if `varies`. */
static mechanism draw_mechanism(rng *r, bool varies, bool swells)
{
    mechanism m = {.scale = varies ? exp(3.0 * rng_uniform(r) - 1.5) : 1.0};
    for (int k = 0; k < MAX_GIVEN; k++) {
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
    const double *z[MAX_GIVEN] = {v[2], v[3]};
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
    static const int64_t given[MAX_GIVEN] = {2, 3};
    ci_variables variables = {2 + c->given, variable, NULL, groups};
    ci_options options = {.test = c->kind->test,
                          .null_kind = c->kind->null_kind,
                          .permutations = c->kind->permutations,
                          .refine_at = 0.05,
                          .seed = (int64_t)seed,
                          .threads = 1};
    ci_tester *tester;
    ci_result result;
    TRY(ci_new(ctx, &variables, &options, &tester));
    nonsens_status status = ci_test(ctx, tester, 0, 1, c->given, given, &result);
    ci_free(tester);
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

static nonsens_status run_unit(nonsens_context *ctx, arena *a, const void *unused, int64_t number, unit_seed unit,
                               json_value *line)
{
    (void)unused;
    const cell *c = &cells[number];
    int64_t start[SEGMENTS + 1], segments = c->stratified ? SEGMENTS : 1;
    double *v[2 + MAX_GIVEN], p; // (n) each
    column_set variable[2 + MAX_GIVEN];
    for (int k = 0; k < 2 + MAX_GIVEN; k++) {
        ARENA_TRY(ctx, a, v[k], c->n);
        variable[k] = (column_set){c->n, 1, (const double *const *)&v[k]};
    }
    rng r = rng_new(unit.seed, RNG_EXPERIMENT, (uint64_t)(c->n + c->given + 3 * c->stratified));
    for (int64_t e = 0; e < segments; e++) {
        start[e] = e * c->n / segments;
        start[e + 1] = (e + 1) * c->n / segments;
        draw_rows(&r, c, start[e], start[e + 1], v);
    }
    row_groups groups = {segments, start};
    TRY(c->kind->changes ? ask_samples(ctx, a, c, v[0], groups, unit.seed, &p)
                         : ask_tester(ctx, c, variable, groups, unit.seed, &p));
    return study_put(ctx, line, "p", json_real(p));
}

static bool read_unit(const json_value *line, void *unit)
{
    return study_read_number(json_object_get(line, "p"), unit);
}

/* ---- cells ---- */

/* Measures sorted p-values.  The distance includes steps of permutation p-values, at most 1 / (permutations + 1). */
static sizes measure_sizes(int64_t reps, const double *p)
{
    double distance = 0.0, n = (double)reps;
    int64_t rejected = 0, rejected_strictly = 0;
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
    return s->size <= MAX_SIZE && s->strict <= MAX_SIZE_STRICT &&
           (c->given > 0 || (s->distance <= MAX_DISTANCE && s->size >= MIN_SIZE));
}

static void name_cell(int64_t number, char name[CELL_NAME_BYTES])
{
    const cell *c = &cells[number];
    snprintf(name, CELL_NAME_BYTES, "%s.given%d.%s.n%" PRId64, c->kind->name, c->given,
             c->stratified ? "stratified" : "pooled", c->n);
}

static int64_t cell_reps(int64_t number)
{
    const cell *c = &cells[number];
    bool slow = c->n >= LARGE && (c->given > 0 || c->kind->test == TEST_INFORMATION);
    return slow ? REPETITIONS_SLOW : REPETITIONS;
}

static void write_row(table *t, const char *name, const cell *c, int64_t reps, const sizes *s)
{
    enum { DECIMALS = 4 };
    table_text(t, name);
    table_text(t, c->kind->name);
    table_whole(t, c->given);
    table_text(t, c->stratified ? "stratified" : "pooled");
    table_whole(t, c->n);
    table_whole(t, reps);
    table_fixed(t, s->distance, DECIMALS);
    table_fixed(t, s->size, DECIMALS);
    table_fixed(t, s->strict, DECIMALS);
    table_fixed(t, s->se, DECIMALS);
    table_end_row(t);
}

static nonsens_status report(nonsens_context *ctx, arena *scratch, request *q, const study_units *units)
{
    const cell *c = &cells[units->cell[0]];
    char name[CELL_NAME_BYTES];
    double *sorted;
    TRY(sort_copy(ctx, scratch, units->reps, units->unit, &sorted));
    sizes s = measure_sizes(units->reps, sorted);
    name_cell(units->cell[0], name);
    printf("calibration %s reps=%" PRId64 " ks=%.3f size05=%.3f size01=%.3f se=%.3f%s\n", name, units->reps, s.distance,
           s.size, s.strict, s.se,
           !is_good(c, &s)        ? "  OUT OF BOUNDS"
           : s.distance >= 0.9999 ? "  (too few rows: nothing is tested)"
                                  : "");
    write_row(&q->table, name, c, units->reps, &s);
    q->bad += !is_good(c, &s);
    return NONSENS_OK;
}

/* Lists the cells.  rows: number of rows of all cells; 0: the usual ones. */
static int64_t list_cells(int64_t rows)
{
    int64_t count = 0;
    for (const test_kind *k = kinds; k < kinds + KINDS; k++) {
        for (int given = k->min_given; given <= k->max_given; given++) {
            for (int stratified = k->changes; stratified <= 1; stratified++) {
                for (int i = 0; i < (rows ? 1 : ROW_COUNTS); i++) {
                    cell c = {k, given, stratified == 1, rows ? rows : row_counts[i]};
                    if (c.n <= k->max_rows) {
                        cells[count++] = c;
                    }
                }
            }
        }
    }
    return count;
}

static nonsens_status run_cells(nonsens_context *ctx, request *q)
{
    study calibration = {.name = "calibration",
                         .cells = list_cells(q->rows),
                         .cell_reps = cell_reps,
                         .cell_name = name_cell,
                         .run = run_unit,
                         .unit_bytes = sizeof(double),
                         .read = read_unit};
    return request_run_study(ctx, q, &calibration, report);
}

int main(int argc, char **argv)
{
    return request_run("calibration", "cell,test,given,groups,n,reps,ks,size05,size01,se05", argc, argv, run_cells);
}
