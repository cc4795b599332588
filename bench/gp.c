/*
 * gp.c - times Gaussian-process regression.  gp FILE reads (rows, regressors) as two int64, then x column by column and
 * y as doubles.  For every line of standard input it fits once and prints wall-clock seconds, processor seconds,
 * iterations, hyper-parameters (signal, noise, length); residuals of the last fit go to FILE.residual.
 */
#include "regress/gp.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct problem {
    int64_t n, d;
    double **x, *y, *residual;
} problem;

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static nonsens_status read_numbers(nonsens_context *ctx, arena *a, FILE *file, int64_t n, double **v)
{
    ARENA_TRY(ctx, a, *v, n);
    if (fread(*v, sizeof **v, (size_t)n, file) != (size_t)n) {
        return fail(ctx, NONSENS_ERR_NUMERIC, "the file is too short");
    }
    return NONSENS_OK;
}

static nonsens_status read_problem(nonsens_context *ctx, arena *a, FILE *file, problem *p)
{
    int64_t shape[2];
    if (!file || fread(shape, sizeof *shape, 2, file) != 2) {
        return fail(ctx, NONSENS_ERR_NUMERIC, "the file cannot be read");
    }
    p->n = shape[0];
    p->d = shape[1];
    ARENA_TRY(ctx, a, p->x, p->d);
    ARENA_TRY(ctx, a, p->residual, p->n);
    for (int64_t j = 0; j < p->d; j++) {
        TRY(read_numbers(ctx, a, file, p->n, p->x + j));
    }
    return read_numbers(ctx, a, file, p->n, &p->y);
}

static nonsens_status measure(nonsens_context *ctx, const problem *p)
{
    arena keep = {0}, scratch = {0};
    gp_fit fit = {0};
    gp_options how = {.threads = 1};
    column_set x = {p->n, p->d, (const double *const *)p->x};
    double clock = seconds_of(CLOCK_MONOTONIC), processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    nonsens_status status = gp_regress(ctx, &keep, &scratch, &x, p->y, &how, &fit);
    arena_free(&scratch);
    clock = seconds_of(CLOCK_MONOTONIC) - clock;
    processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor;
    if (status == NONSENS_OK) {
        memcpy(p->residual, fit.residual, (size_t)p->n * sizeof *p->residual);
        printf("%.9f %.9f %d %.9g %.9g %.9g\n", clock, processor, fit.iterations, fit.signal, fit.noise, fit.length[0]);
        fflush(stdout);
    }
    arena_free(&keep);
    return status;
}

static nonsens_status write_residuals(nonsens_context *ctx, const char *beside, const problem *p)
{
    char path[4096];
    int length = snprintf(path, sizeof path, "%s.residual", beside);
    FILE *file = length > 0 && (size_t)length < sizeof path ? fopen(path, "wb") : NULL;
    bool written = file && fwrite(p->residual, sizeof *p->residual, (size_t)p->n, file) == (size_t)p->n;
    if (file && fclose(file) != 0) {
        written = false;
    }
    return written ? NONSENS_OK : fail(ctx, NONSENS_ERR_NUMERIC, "the residuals cannot be written");
}

int main(int count, char **arguments)
{
    char line[16];
    arena a = {0};
    problem p = {0};
    nonsens_context *ctx = nonsens_context_new();
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    nonsens_status status = ctx ? read_problem(ctx, &a, file, &p) : NONSENS_ERR_MEMORY;
    while (status == NONSENS_OK && fgets(line, sizeof line, stdin)) {
        status = measure(ctx, &p);
    }
    if (status == NONSENS_OK) {
        status = write_residuals(ctx, arguments[1], &p);
    }
    if (status != NONSENS_OK) {
        fprintf(stderr, "gp: %s\n", ctx ? nonsens_context_message(ctx) : "out of memory");
    }
    if (file) {
        fclose(file);
    }
    arena_free(&a);
    nonsens_context_free(ctx);
    return status != NONSENS_OK;
}
