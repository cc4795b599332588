/*
 * fastica.c - times FastICA with whitening on the rows of a file, once for every line of standard input.
 *
 * fastica FILE: fastica_sklearn.py makes FILE, which holds int64 n, d, doubles x (n, d) and start (d, d), both
 * column-major.  `start` is an unmixing matrix that whitens.  The contrast is log cosh; all sources are estimated at
 * once, until scikit-learn's default criterion holds (1 - |cosine| < 1e-4, at most 200 iterations).  Prints wall-clock
 * seconds, seconds of all processors, iterations.  The time covers what scikit-learn's `fit` does: whitening, search,
 * sources.
 */
#include "ica/fastica.h"
#include "base/parallel.h"
#include "math/linalg.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const ica_fastica_limits AS_SKLEARN = {.tolerance = 1e-4, .max_iterations = 200};

typedef struct problem {
    int64_t n, d;
    double *x, *start;
} problem;

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static nonsens_status read_problem(nonsens_context *ctx, arena *a, FILE *file, problem *p)
{
    int64_t shape[2];
    if (!file || fread(shape, sizeof *shape, 2, file) != 2) {
        return fail(ctx, NONSENS_ERR_NUMERIC, "the file cannot be read");
    }
    p->n = shape[0];
    p->d = shape[1];
    ARENA_TRY(ctx, a, p->x, p->n * p->d);
    ARENA_TRY(ctx, a, p->start, p->d * p->d);
    size_t cells = (size_t)(p->n * p->d), square = (size_t)(p->d * p->d);
    if (fread(p->x, sizeof *p->x, cells, file) != cells || fread(p->start, sizeof *p->start, square, file) != square) {
        return fail(ctx, NONSENS_ERR_NUMERIC, "the file is too short");
    }
    return NONSENS_OK;
}

static void transpose(int64_t d, const double *a, double *out)
{
    for (int64_t j = 0; j < d; j++) {
        for (int64_t k = 0; k < d; k++) {
            out[k + d * j] = a[j + d * k];
        }
    }
}

/* Computes rotation (d, d) = start white^{-1}, and basis = rotation white. */
static nonsens_status find_start(nonsens_context *ctx, arena *a, const problem *p, const double *white,
                                 double *rotation, double *basis)
{
    double *left, *right;
    ARENA_TRY(ctx, a, left, p->d * p->d);
    ARENA_TRY(ctx, a, right, p->d * p->d);
    transpose(p->d, white, left);
    transpose(p->d, p->start, right);
    TRY(linalg_solve(ctx, a, p->d, p->d, left, right));
    transpose(p->d, right, rotation);
    linalg_gemm(false, false, p->d, p->d, p->d, 1.0, rotation, p->d, white, p->d, 0.0, basis, p->d);
    return NONSENS_OK;
}

/* Computes y (n, d) = (x - mean) basis'. */
static void whiten_rows(const problem *p, const double *basis, double *y)
{
    linalg_gemm(false, true, p->n, p->d, p->d, 1.0, p->x, p->n, basis, p->d, 0.0, y, p->n);
    for (int64_t j = 0; j < p->d; j++) {
        double mean = 0.0;
        for (int64_t i = 0; i < p->n; i++) {
            mean += y[i + p->n * j];
        }
        mean /= (double)p->n;
        for (int64_t i = 0; i < p->n; i++) {
            y[i + p->n * j] -= mean;
        }
    }
}

static nonsens_status unmix(nonsens_context *ctx, arena *a, const problem *p, ica_result *out)
{
    int64_t bounds[2] = {0, p->n};
    ica_data data = {.n = p->n, .d = p->d, .segments = 1, .start = bounds};
    ica_options how = {.contrast = CONTRAST_LOG_COSH, .starts = 1};
    double *scale, *white, *basis, *rotation;
    ARENA_TRY(ctx, a, white, p->d * p->d);
    ARENA_TRY(ctx, a, basis, p->d * p->d);
    ARENA_TRY(ctx, a, rotation, p->d * p->d);
    ARENA_TRY(ctx, a, scale, p->d);
    ARENA_TRY(ctx, a, data.y, p->n * p->d);
    TRY(ica_whiten(ctx, a, matrix_view(p->x, p->n, p->d), 1, bounds, NULL, data.y, scale, white));
    TRY(find_start(ctx, a, p, white, rotation, basis));
    whiten_rows(p, basis, data.y);
    return ica_fastica_within(ctx, a, &data, &how, &AS_SKLEARN, rotation, out);
}

static nonsens_status measure(nonsens_context *ctx, const problem *p)
{
    arena a = {0};
    ica_result out = {0};
    double clock = seconds_of(CLOCK_MONOTONIC), processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    nonsens_status status = unmix(ctx, &a, p, &out);
    clock = seconds_of(CLOCK_MONOTONIC) - clock;
    processor = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - processor;
    arena_free(&a);
    printf("%.9f %.9f %d\n", clock, processor, out.iterations);
    fflush(stdout);
    return status;
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
    if (status != NONSENS_OK) {
        fprintf(stderr, "fastica: %s\n", ctx ? nonsens_context_message(ctx) : "out of memory");
    }
    if (file) {
        fclose(file);
    }
    arena_free(&a);
    nonsens_context_free(ctx);
    return status != NONSENS_OK;
}
