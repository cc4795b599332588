/*
 * independence.c - times one test of (conditional) independence on columns of a file repeatedly.
 *
 * independence TEST FILE RUNS: independence_peers.py makes FILE, which holds int64 n, d and doubles x (n, d),
 * column-major; column 0 is tested against column 1 given the others.  Prints the median seconds of RUNS runs, the
 * p-value and the peak memory of the process, in MB.
 */
#include "base/memory.h"
#include "indep/ci.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS_MAX = 101, COLUMNS_MAX = 16 };

typedef struct problem {
    int64_t n, d;
    double *x;
    enum option_independence_test test;
} problem;

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static nonsens_status read_problem(nonsens_context *ctx, arena *a, FILE *file, problem *p)
{
    int64_t shape[2];
    if (!file || fread(shape, sizeof *shape, 2, file) != 2 || shape[0] < 1 || shape[1] < 2 || shape[1] > COLUMNS_MAX) {
        return fail(ctx, NONSENS_ERR_NUMERIC, "the file cannot be read");
    }
    p->n = shape[0];
    p->d = shape[1];
    ARENA_TRY(ctx, a, p->x, p->n * p->d);
    size_t cells = (size_t)(p->n * p->d);
    return fread(p->x, sizeof *p->x, cells, file) == cells ? NONSENS_OK
                                                           : fail(ctx, NONSENS_ERR_NUMERIC, "the file is too short");
}

/* Makes a new tester each time, so that no result is cached. */
static nonsens_status test_once(nonsens_context *ctx, const problem *p, double *seconds, double *p_value)
{
    const double *column[COLUMNS_MAX];
    column_set variable[COLUMNS_MAX];
    int64_t whole[2] = {0, p->n}, given[COLUMNS_MAX];
    for (int64_t k = 0; k < p->d; k++) {
        column[k] = p->x + k * p->n;
        variable[k] = (column_set){p->n, 1, &column[k]};
        given[k] = k + 2;
    }
    ci_variables variables = {p->d, variable, NULL, {1, whole}};
    ci_options options = {.test = p->test, .null_kind = NULL_GAMMA, .seed = 1};
    ci_tester *tester;
    ci_result result;
    double begun = seconds_now();
    TRY(ci_new(ctx, &variables, &options, &tester));
    nonsens_status status = ci_test(ctx, tester, 0, 1, p->d - 2, given, &result);
    ci_free(tester);
    *seconds = seconds_now() - begun;
    *p_value = result.p_value;
    return status;
}

/* Returns the peak memory of this program in MB; getrusage would include what its parent process held before. */
static double peak_memory(void)
{
    char line[128];
    long kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, "VmHWM:", 6) == 0) {
            kilobytes = strtol(line + 6, NULL, 10);
        }
    }
    if (file) {
        fclose(file);
    }
    return (double)kilobytes / 1024.0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static nonsens_status measure(nonsens_context *ctx, const problem *p, int runs)
{
    double seconds[RUNS_MAX], p_value = 1.0;
    for (int i = 0; i < runs; i++) {
        TRY(test_once(ctx, p, &seconds[i], &p_value));
    }
    qsort(seconds, (size_t)runs, sizeof *seconds, ascending);
    printf("%.9f %.9g %.1f\n", seconds[runs / 2], p_value, peak_memory());
    return NONSENS_OK;
}

static enum option_independence_test test_named(const char *name)
{
    return strcmp(name, "kci") == 0 ? TEST_KCI : strcmp(name, "rcit") == 0 ? TEST_RCIT : TEST_HSIC;
}

int main(int count, char **arguments)
{
    arena a = {0};
    problem p = {0};
    nonsens_context *ctx = nonsens_context_new();
    FILE *file = count == 4 ? fopen(arguments[2], "rb") : NULL;
    int runs = count == 4 ? (int)strtol(arguments[3], NULL, 10) : 0;
    nonsens_status status = ctx ? read_problem(ctx, &a, file, &p) : NONSENS_ERR_MEMORY;
    if (status == NONSENS_OK && runs >= 1 && runs <= RUNS_MAX) {
        p.test = test_named(arguments[1]);
        status = measure(ctx, &p, runs);
    }
    if (status != NONSENS_OK) {
        fprintf(stderr, "independence: %s\n", ctx ? nonsens_context_message(ctx) : "out of memory");
    }
    if (file) {
        fclose(file);
    }
    arena_free(&a);
    nonsens_context_free(ctx);
    return status != NONSENS_OK;
}
