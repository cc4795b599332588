/*
 * power.c - compares the power of the fast tests of independence with that of their exact forms with n x n matrices.
 *
 *     power [--cells PATTERN] [--reps R] [--seed FIRST] [--threads T] [--out FILE.csv]
 *
 * For each test, kind of dependence and strength it prints the shares of p <= .05 of the fast and of the exact form on
 * the same R data sets (default 300), the standard error of their difference (from the data sets on which they differ),
 * and the difference in standard errors.  It also prints the shares at calibrated levels: each test's level is the 5 %
 * quantile of its own p-values under independence (strength 0), so a test that rejects too often gains nothing.
 *
 * Exact forms: HSIC with median widths and the gamma distribution of the same moments, from whole matrices; the
 * conditional test exactly as in Zhang et al. (UAI 2011), on standardised variables with ridge .001 and the gamma
 * distribution with two moments, once with median widths, once with the authors' rule (.8 up to 200 rows, .5 beyond).
 * Repetition r uses seed 100,001 + r.
 *
 * The exit status is 1 if the power of a fast test, except rcit, is more than two standard errors below its exact form
 * at both levels.
 */
#include "harness/request.h"
#include "indep/ci.h"
#include "indep/hsic_reference.h"
#include "indep/kernel.h"
#include "kci_exact.h"
#include "math/sort.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { REPETITIONS = 300, STRENGTHS = 5, SHAPES = 3, COLUMNS = 3 };

#define LEVEL 0.05

static const double strengths[STRENGTHS] = {0.0, 0.1, 0.2, 0.35, 0.5};
static const char *const shape_names[SHAPES] = {"linear", "square", "scale"};

typedef struct setting {
    const char *name;
    enum option_independence_test test;
    int64_t n, given;
    bool by_median; /* the exact form uses median widths */
} setting;

static const setting settings[] = {{"hsic", TEST_HSIC, 200, 0, true},        {"hsic", TEST_HSIC, 500, 0, true},
                                   {"kci.median", TEST_KCI, 200, 1, true},   {"kci.median", TEST_KCI, 400, 1, true},
                                   {"kci.rule", TEST_KCI, 200, 1, false},    {"kci.rule", TEST_KCI, 400, 1, false},
                                   {"rcit.median", TEST_RCIT, 200, 1, true}, {"rcit.median", TEST_RCIT, 400, 1, true}};

enum { SETTINGS = sizeof settings / sizeof *settings };

/* A cell is a setting and a shape; the cells of a setting share a name, so --cells selects them together. */
static const setting *setting_of(int64_t cell)
{
    return &settings[cell / SHAPES];
}

static int shape_of(int64_t cell)
{
    return (int)(cell % SHAPES);
}

static void name_cell(int64_t cell, char name[CELL_NAME_BYTES])
{
    snprintf(name, CELL_NAME_BYTES, "%s", setting_of(cell)->name);
}

/* p-values of both forms on one data set of each strength. */
typedef struct unit {
    double fast[STRENGTHS], exact[STRENGTHS];
} unit;

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

static void draw(const setting *s, int shape, double strength, uint64_t seed, double *const *v)
{
    rng r = rng_new(seed, RNG_EXPERIMENT, (uint64_t)(1000 + shape));
    for (int64_t i = 0; i < s->n; i++) {
        double z = s->given ? rng_normal(&r) : 0.0, u = rng_normal(&r);
        v[0][i] = tanh(z) + u;
        v[1][i] = 0.5 * z * z * (s->given > 0) + effect_of(shape, strength, u, rng_normal(&r));
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

static nonsens_status fast_test(nonsens_context *ctx, const setting *s, const column_set *variable, double *p)
{
    static const int64_t given[1] = {2};
    int64_t whole[2] = {0, s->n};
    ci_variables variables = {2 + s->given, variable, NULL, {1, whole}};
    ci_options options = {.test = s->test, .null_kind = NULL_GAMMA, .seed = 1, .threads = 1};
    ci_tester *tester;
    ci_result result;
    TRY(ci_new(ctx, &variables, &options, &tester));
    nonsens_status status = ci_test(ctx, tester, 0, 1, s->given, given, &result);
    ci_free(tester);
    *p = result.p_value;
    return status;
}

static nonsens_status put_numbers(nonsens_context *ctx, json_value *line, const char *key, const double *p)
{
    json_value *list = json_array();
    for (int s = 0; s < STRENGTHS; s++) {
        json_array_append(list, json_real(p[s]));
    }
    return study_put(ctx, line, key, list);
}

static nonsens_status run_unit(nonsens_context *ctx, arena *a, const void *unused, int64_t cell, unit_seed seed,
                               json_value *line)
{
    (void)unused;
    const setting *s = setting_of(cell);
    unit u;
    double *v[COLUMNS]; // (n)
    column_set variable[COLUMNS];
    row_groups whole = {1, (const int64_t[]){0, s->n}};
    for (int k = 0; k < COLUMNS; k++) {
        ARENA_TRY(ctx, a, v[k], s->n);
        variable[k] = (column_set){s->n, 1, (const double *const *)&v[k]};
    }
    for (int k = 0; k < STRENGTHS; k++) {
        arena_mark mark = arena_tell(a);
        draw(s, shape_of(cell), strengths[k], seed.seed, v);
        TRY(fast_test(ctx, s, variable, &u.fast[k]));
        TRY(s->given ? kci_exact(ctx, a, v[0], v[1], &variable[2], &whole, s->by_median, &u.exact[k])
                     : exact_hsic(ctx, a, variable, &u.exact[k]));
        arena_rewind(a, mark);
    }
    TRY(put_numbers(ctx, line, "fast", u.fast));
    return put_numbers(ctx, line, "exact", u.exact);
}

static bool read_unit(const json_value *line, void *place)
{
    unit *u = place;
    bool good = true;
    for (int s = 0; s < STRENGTHS && good; s++) {
        good = study_read_number(json_array_get(json_object_get(line, "fast"), (size_t)s), &u->fast[s]) &&
               study_read_number(json_array_get(json_object_get(line, "exact"), (size_t)s), &u->exact[s]);
    }
    return good;
}

/* ---- comparing ---- */

typedef struct comparison {
    double fast, exact; /* shares at or below the level */
    double se;          /* of their difference; above 0 even if they never differ, because z divides by it */
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

/* Finds the p-value below which a share LEVEL of these lies. */
static nonsens_status own_level(nonsens_context *ctx, arena *a, int64_t reps, const double *p, double *level)
{
    double *sorted;
    TRY(sort_copy(ctx, a, reps, p, &sorted));
    *level = sorted[(int64_t)(LEVEL * (double)reps)];
    return NONSENS_OK;
}

/* One curve: p-values of both forms for all strengths and repetitions. */
typedef struct curve {
    double *fast[STRENGTHS], *exact[STRENGTHS]; /* (reps) each */
} curve;

static nonsens_status take_curve(nonsens_context *ctx, arena *a, const study_units *units, curve *out)
{
    const unit *u = units->unit;
    for (int s = 0; s < STRENGTHS; s++) {
        ARENA_TRY(ctx, a, out->fast[s], units->reps);
        ARENA_TRY(ctx, a, out->exact[s], units->reps);
        for (int64_t i = 0; i < units->reps; i++) {
            out->fast[s][i] = u[i].fast[s];
            out->exact[s][i] = u[i].exact[s];
        }
    }
    return NONSENS_OK;
}

static void write_row(table *t, int64_t cell, int strength, int64_t reps, const comparison *plain,
                      const comparison *fair)
{
    enum { DECIMALS = 4 };
    table_text(t, setting_of(cell)->name);
    table_whole(t, setting_of(cell)->n);
    table_text(t, shape_names[shape_of(cell)]);
    table_fixed(t, strengths[strength], 2);
    table_whole(t, reps);
    for (const comparison *c = plain; c; c = c == plain ? fair : NULL) {
        table_fixed(t, c->fast, DECIMALS);
        table_fixed(t, c->exact, DECIMALS);
        table_fixed(t, c->se, DECIMALS);
    }
    table_end_row(t);
}

static nonsens_status report(nonsens_context *ctx, arena *scratch, request *q, const study_units *units)
{
    int64_t cell = units->cell[0], reps = units->reps;
    const setting *own = setting_of(cell);
    double level_fast, level_exact;
    curve c;
    TRY(take_curve(ctx, scratch, units, &c));
    TRY(own_level(ctx, scratch, reps, c.fast[0], &level_fast));
    TRY(own_level(ctx, scratch, reps, c.exact[0], &level_exact));
    for (int s = 0; s < STRENGTHS; s++) {
        comparison plain = compare(reps, c.fast[s], c.exact[s], LEVEL, LEVEL);
        comparison fair = compare(reps, c.fast[s], c.exact[s], level_fast, level_exact);
        double z = (plain.fast - plain.exact) / plain.se, z_fair = (fair.fast - fair.exact) / fair.se;
        bool worse = s > 0 && z < -2.0 && z_fair < -2.0;
        printf("power %s n=%" PRId64 " shape=%s strength=%.2f reps=%" PRId64
               " fast=%.3f exact=%.3f z=%.1f fair_fast=%.3f fair_exact=%.3f fair_z=%.1f%s\n",
               own->name, own->n, shape_names[shape_of(cell)], strengths[s], reps, plain.fast, plain.exact, z,
               fair.fast, fair.exact, z_fair, worse ? "  WORSE" : "");
        write_row(&q->table, cell, s, reps, &plain, &fair);
        q->bad += worse && own->test != TEST_RCIT; // rcit is known to have less power
    }
    return NONSENS_OK;
}

static nonsens_status run_cells(nonsens_context *ctx, request *q)
{
    static const study POWER = {.name = "power",
                                .cells = SETTINGS * SHAPES,
                                .reps = REPETITIONS,
                                .cell_name = name_cell,
                                .run = run_unit,
                                .unit_bytes = sizeof(unit),
                                .read = read_unit};
    return request_run_study(ctx, q, &POWER, report);
}

int main(int argc, char **argv)
{
    return request_run("power", "test,n,shape,strength,reps,fast,exact,se,fair_fast,fair_exact,fair_se", argc, argv,
                       run_cells);
}
