/*
 * calibration.c - are the p-values of the independence test uniform when the variables are independent?
 *
 *     calibration [--reps R] [--threads T] [--out FILE.csv]
 *
 * One line per cell: null distribution, pooling, rows; Kolmogorov-Smirnov distance of R p-values from uniform, share of
 * p <= .05 and its standard error.  Pooled cells draw Laplace noise; stratified cells have ten equal segments in which
 * the scales of both variables are drawn anew, so that x and y are independent inside segments only.  Repetition r uses
 * seed 100,001 + r.  Exit status 1 if a distance exceeds .06 or a size leaves [.03, .07], which is meant for the
 * default of 1,000 repetitions: with 300, exact p-values would fail in one cell of four by chance.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "indep/hsic.h"
#include "math/sort.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEGMENTS = 10, PERMUTATIONS = 199, REPETITIONS = 1000 };

#define FIRST_SEED UINT64_C(100001)
#define LEVEL 0.05
#define LARGEST_DISTANCE 0.06
#define LEAST_SIZE 0.03
#define LARGEST_SIZE 0.07

typedef struct cell {
    enum null_kind null_kind;
    enum pooling pooling;
    int64_t n;
    int64_t number; /* names the random stream */
    double *p;      /* (2 repetitions): p-values, and room for sorting them */
} cell;

typedef struct summary {
    double distance, size, se;
} summary;

static const cell cells[] = {
    {NULL_GAMMA, POOLING_POOLED, 100, 0, NULL},           {NULL_GAMMA, POOLING_POOLED, 1000, 1, NULL},
    {NULL_GAMMA, POOLING_POOLED, 5000, 2, NULL},          {NULL_GAMMA, POOLING_STRATIFIED, 100, 3, NULL},
    {NULL_GAMMA, POOLING_STRATIFIED, 1000, 4, NULL},      {NULL_GAMMA, POOLING_STRATIFIED, 5000, 5, NULL},
    {NULL_PERMUTATION, POOLING_POOLED, 100, 6, NULL},     {NULL_PERMUTATION, POOLING_POOLED, 1000, 7, NULL},
    {NULL_PERMUTATION, POOLING_STRATIFIED, 100, 8, NULL}, {NULL_PERMUTATION, POOLING_STRATIFIED, 1000, 9, NULL}};

/* Laplace noise; scales between e^-1.5 and e^1.5 anew in each of several segments. */
static void draw_segments(rng *r, int64_t segments, const int64_t *start, double *x, double *y)
{
    for (int64_t e = 0; e < segments; e++) {
        double scale_x = segments > 1 ? exp(3.0 * rng_uniform(r) - 1.5) : 1.0;
        double scale_y = segments > 1 ? exp(3.0 * rng_uniform(r) - 1.5) : 1.0;
        for (int64_t i = start[e]; i < start[e + 1]; i++) {
            x[i] = scale_x * rng_laplace(r);
            y[i] = scale_y * rng_laplace(r);
        }
    }
}

static nonsens_status run_repetition(nonsens_context *ctx, arena *a, int64_t job, void *state)
{
    const cell *c = state;
    uint64_t seed = FIRST_SEED + (uint64_t)job;
    int64_t start[SEGMENTS + 1], segments = c->pooling == POOLING_STRATIFIED ? SEGMENTS : 1;
    double *x, *y; // (n)
    hsic_result result;
    ARENA_TRY(ctx, a, x, c->n);
    ARENA_TRY(ctx, a, y, c->n);
    for (int64_t e = 0; e <= segments; e++) {
        start[e] = e * c->n / segments;
    }
    rng r = rng_open(seed, RNG_EXPERIMENT, (uint64_t)c->number);
    draw_segments(&r, segments, start, x, y);
    hsic_options options = {.null_kind = c->null_kind, .permutations = PERMUTATIONS, .seed = seed, .threads = 1};
    TRY(hsic_test_scalars(ctx, a, c->n, x, y, segments, start, &options, &result));
    c->p[job] = result.p_value;
    return NONSENS_OK;
}

/* Sorts p (reps), behind which there is room for as many again.  The distance counts the steps of permutation p-values
 * as well, at most 1 / (PERMUTATIONS + 1). */
static summary summarise(int64_t reps, double *p)
{
    summary s = {0};
    double n = (double)reps;
    sort_doubles(reps, p, p + reps);
    for (int64_t i = 0; i < reps; i++) {
        double gap = fabs(p[i] - ((double)i + 0.5) / n) + 0.5 / n;
        s.distance = gap > s.distance ? gap : s.distance;
        s.size += p[i] <= LEVEL + 1e-12 ? 1.0 / n : 0.0;
    }
    s.se = sqrt(s.size * (1.0 - s.size) / n);
    return s;
}

static void print_summary(FILE *csv, const cell *c, int64_t reps, const summary *s)
{
    const char *null_name = c->null_kind == NULL_GAMMA ? "gamma" : "permutation";
    const char *pooling = c->pooling == POOLING_STRATIFIED ? "stratified" : "pooled";
    printf("calibration hsic null=%s pooling=%s n=%" PRId64 " reps=%" PRId64 " ks=%.3f size=%.3f se=%.3f\n", null_name,
           pooling, c->n, reps, s->distance, s->size, s->se);
    fflush(stdout);
    if (csv) {
        fprintf(csv, "hsic,%s,%s,%" PRId64 ",%" PRId64 ",%.4f,%.4f,%.4f\n", null_name, pooling, c->n, reps, s->distance,
                s->size, s->se);
    }
}

static nonsens_status run_cells(nonsens_context *ctx, int threads, int64_t reps, FILE *csv, bool *good)
{
    *good = true;
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        cell c = cells[i];
        c.p = memory_get(2 * (size_t)reps, sizeof *c.p);
        if (!c.p) {
            return fail_memory(ctx);
        }
        nonsens_status status = parallel_for(ctx, threads, reps, NULL, run_repetition, &c);
        if (status == NONSENS_OK) {
            summary s = summarise(reps, c.p);
            print_summary(csv, &c, reps, &s);
            *good = *good && s.distance <= LARGEST_DISTANCE && s.size >= LEAST_SIZE && s.size <= LARGEST_SIZE;
        }
        memory_release(c.p);
        TRY(status);
    }
    return NONSENS_OK;
}

static int usage(void)
{
    fputs("usage: calibration [--reps R] [--threads T] [--out FILE.csv]\n", stderr);
    return 2;
}

/* Runs all cells and reports; the exit status of the program. */
static int run_table(int threads, int64_t reps, FILE *csv)
{
    bool good = false;
    nonsens_context *ctx = nonsens_context_new();
    if (!ctx) {
        fputs("calibration: out of memory\n", stderr);
        return 1;
    }
    nonsens_status status = run_cells(ctx, threads, reps, csv, &good);
    if (status != NONSENS_OK) {
        fprintf(stderr, "calibration: %s\n", nonsens_message(ctx));
    } else if (!good) {
        fprintf(stderr, "calibration: a cell has ks > %.2f or a size outside [%.2f, %.2f]\n", LARGEST_DISTANCE,
                LEAST_SIZE, LARGEST_SIZE);
    }
    nonsens_context_free(ctx);
    return status == NONSENS_OK && good ? 0 : 1;
}

int main(int argc, char **argv)
{
    long reps = REPETITIONS, threads = 0;
    const char *path = NULL;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc) {
            return usage();
        }
        if (strcmp(argv[i], "--reps") == 0) {
            reps = strtol(argv[i + 1], NULL, 10);
        } else if (strcmp(argv[i], "--threads") == 0) {
            threads = strtol(argv[i + 1], NULL, 10);
        } else if (strcmp(argv[i], "--out") == 0) {
            path = argv[i + 1];
        } else {
            return usage();
        }
    }
    if (reps < 1 || reps > 1000000 || threads < 0 || threads > 1024) {
        return usage();
    }
    FILE *csv = path ? fopen(path, "w") : NULL;
    if (path && !csv) {
        perror(path);
        return 1;
    }
    if (csv) {
        fputs("test,null,pooling,n,reps,ks,size,se\n", csv);
    }
    int status = run_table((int)threads, reps, csv);
    if (csv && (ferror(csv) | fclose(csv)) != 0) {
        perror(path);
        return 1;
    }
    return status;
}
