/*
 * graph.c - times the skeleton and the directions of random sparse linear models by Fisher's z.
 *
 * graph D N NEIGHBOURS RUNS [tester]: D variables in N rows, each with NEIGHBOURS expected neighbours, weights of size
 * .4 to .9 with random sign, normal noise; alpha .01, one thread.  "tester" runs the tests through indep/ci.h instead
 * of on the correlation matrix.  Prints a line per run: processor seconds for correlations, skeleton and directions,
 * number of tests, distances to the true pattern.
 */
#include "base/rng.h"
#include "graph/metrics.h"
#include "graph/orient.h"
#include "graph/skeleton_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct problem {
    int64_t n, d;
    double neighbours;
    bool tester;
    column_set all, *single; /* single (d) */
    pdag dag, pattern;
} problem;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void add_cause(problem *p, double **v, int64_t from, int64_t to, rng *r)
{
    double weight = (0.4 + 0.5 * rng_uniform(r)) * (rng_uniform(r) < 0.5 ? -1.0 : 1.0);
    pdag_set(&p->dag, from, to, PDAG_ARROW);
    for (int64_t i = 0; i < p->n; i++) {
        v[to][i] += weight * v[from][i];
    }
}

static nonsens_status make_problem(nonsens_context *ctx, arena *a, uint64_t seed, problem *p)
{
    double **v; // (d) arrays of n values
    rng r = rng_new(seed, RNG_EXPERIMENT, 0);
    TRY(pdag_new(ctx, a, p->d, &p->dag));
    TRY(pdag_new(ctx, a, p->d, &p->pattern));
    ARENA_TRY(ctx, a, v, p->d);
    ARENA_TRY(ctx, a, p->single, p->d);
    for (int64_t j = 0; j < p->d; j++) {
        ARENA_TRY(ctx, a, v[j], p->n);
        for (int64_t i = 0; i < p->n; i++) {
            v[j][i] = rng_normal(&r);
        }
        for (int64_t k = 0; k < j; k++) {
            if (rng_uniform(&r) * (double)(p->d - 1) < p->neighbours) {
                add_cause(p, v, k, j, &r);
            }
        }
        p->single[j] = (column_set){p->n, 1, (const double *const *)v + j};
    }
    p->all = (column_set){p->n, p->d, (const double *const *)v};
    return metrics_pattern(ctx, a, &p->dag, &p->pattern);
}

static nonsens_status discover(nonsens_context *ctx, arena *a, const problem *p, const skeleton_options *how,
                               double begun, double prepared)
{
    skeleton found;
    orienter o;
    metrics m;
    TRY(skeleton_find(ctx, a, p->d, how, &found));
    double adjacent = seconds_now();
    TRY(orient_new(ctx, a, &found.graph, NULL, &o));
    TRY(orient_colliders(ctx, a, &o, &found, how, ORIENT_PLAIN, ORIENT_BIDIRECTED));
    TRY(orient_rules(ctx, &o));
    double end = seconds_now();
    metrics_compare(&found.graph, &p->pattern, &m);
    printf("all %.4f s: correlations %.4f, skeleton %.4f, directions %.4f; %lld tests, level %d; SHD %d, skeleton %.3f "
           "%.3f, arrows %.3f %.3f\n",
           end - begun, prepared - begun, adjacent - prepared, end - adjacent, (long long)found.tests, (int)found.level,
           (int)m.shd, m.skeleton.precision, m.skeleton.recall, m.arrows.precision, m.arrows.recall);
    return NONSENS_OK;
}

static nonsens_status run_once(nonsens_context *ctx, arena *a, uint64_t seed, problem *p)
{
    TRY(make_problem(ctx, a, seed, p));
    int64_t start[] = {0, p->n};
    row_groups groups = {1, start};
    skeleton_options how = {.alpha = 0.01, .max_given = -1, .threads = 1};
    double begun = seconds_now();
    if (!p->tester) {
        fisher_z_data data;
        skeleton_fisher_z directly = {.data = &data};
        how.test = skeleton_ask_fisher_z;
        how.state = &directly;
        TRY(fisher_z_new(ctx, a, &p->all, &groups, &data));
        return discover(ctx, a, p, &how, begun, seconds_now());
    }
    skeleton_ci whole = {NULL, NULL};
    ci_variables variables = {p->d, p->single, NULL, groups};
    ci_options options = {.test = TEST_FISHER_Z, .threads = 1};
    how.test = skeleton_ask_ci;
    how.state = &whole;
    TRY(ci_new(ctx, &variables, &options, &whole.tester));
    nonsens_status status = discover(ctx, a, p, &how, begun, seconds_now());
    ci_free(whole.tester);
    return status;
}

int main(int count, char **argument)
{
    nonsens_context *ctx = nonsens_context_new();
    nonsens_status status = ctx && count >= 5 ? NONSENS_OK : NONSENS_ERR_USAGE;
    for (int run = 0; status == NONSENS_OK && run < atoi(argument[4]); run++) {
        arena a = {0};
        problem p = {.d = atoll(argument[1]), .n = atoll(argument[2]), .neighbours = atof(argument[3])};
        p.tester = count > 5 && strcmp(argument[5], "tester") == 0;
        status = run_once(ctx, &a, (uint64_t)run, &p);
        arena_free(&a);
    }
    if (status != NONSENS_OK) {
        fprintf(stderr, "%s\n", ctx ? nonsens_context_message(ctx) : "out of memory");
    }
    nonsens_context_free(ctx);
    return status != NONSENS_OK;
}
