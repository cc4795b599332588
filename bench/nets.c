/*
 * nets.c - how fast small networks train on one core.
 *
 * For each shape and batch: milliseconds a step (loss, gradient, Adam), GFLOP/s counted as 6 x parameters x rows, and
 * that rate as a share of OpenBLAS's single-precision matrix product (1024 x 1024 x 1024) measured in turn with it.
 * Prints `bench NAME VALUE UNIT`.  Every figure is the best of several runs: what the processor can do when nothing
 * disturbs it.
 */
#include "base/rng.h"
#include "nn/train.h"

#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GEMM = 1024, RUNS = 7 };

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* GFLOP/s of one sgemm. */
static double gemm_rate(const float *a, const float *b, float *c)
{
    double start = seconds_now();
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, GEMM, GEMM, GEMM, 1.0f, a, GEMM, b, GEMM, 0.0f, c, GEMM);
    return 2e-9 * GEMM * (double)GEMM * GEMM / (seconds_now() - start);
}

typedef struct problem {
    mlp_shape shape;
    int64_t n;
    float *x;
    int32_t *label;
    float *weight, *gradient;
    mlp_workspace work;
} problem;

static nonsens_status problem_new(nonsens_context *ctx, arena *a, mlp_shape shape, int64_t n, problem *p)
{
    rng r = rng_open(1, RNG_TEST, 1);
    *p = (problem){.shape = shape, .n = n};
    ARENA_TRY(ctx, a, p->x, n * shape.inputs);
    ARENA_TRY(ctx, a, p->label, n);
    ARENA_TRY(ctx, a, p->weight, mlp_parameters(&shape));
    ARENA_TRY(ctx, a, p->gradient, mlp_parameters(&shape));
    TRY(mlp_workspace_new(ctx, a, &shape, &p->work));
    for (int64_t i = 0; i < n; i++) {
        p->label[i] = (int32_t)(i % shape.classes);
        for (int64_t k = 0; k < shape.inputs; k++) {
            p->x[k * n + i] = (float)((1.0 + 0.3 * (double)p->label[i]) * rng_normal(&r));
        }
    }
    mlp_init(&shape, &r, p->weight);
    return NONSENS_OK;
}

/* Seconds of one loss and gradient. */
static double step_seconds(problem *p, int64_t steps)
{
    double start = seconds_now();
    for (int64_t s = 0; s < steps; s++) {
        memset(p->gradient, 0, (size_t)mlp_parameters(&p->shape) * sizeof *p->gradient);
        mlp_loss_gradient(p->weight, &p->work, (mlp_rows){p->x, p->n, NULL, p->n, p->label}, p->gradient);
    }
    return (seconds_now() - start) / (double)steps;
}

static nonsens_status measure(nonsens_context *ctx, int64_t width, int64_t batch, const float *a, const float *b,
                              float *c)
{
    arena memory = {0};
    problem p;
    mlp_shape shape = {2, 3, width, 2, 10, ACTIVATION_LEAKY_RELU, LAST_LINEAR};
    nonsens_status status = problem_new(ctx, &memory, shape, batch, &p);
    double best = 1e9, gemm = 0.0;
    for (int run = 0; run < RUNS && status == NONSENS_OK; run++) {
        double rate = gemm_rate(a, b, c), seconds = step_seconds(&p, 1 + 40 * 5120 * 32 / (batch * width));
        gemm = rate > gemm ? rate : gemm;
        best = seconds < best ? seconds : best;
    }
    double flops = 6e-9 * (double)mlp_parameters(&shape) * (double)batch;
    printf("bench nets.width%d.batch%d.step %.4f ms\n", (int)width, (int)batch, 1e3 * best);
    printf("bench nets.width%d.batch%d.rate %.2f GFLOP/s\n", (int)width, (int)batch, flops / best);
    printf("bench nets.width%d.batch%d.share %.3f of-sgemm\n", (int)width, (int)batch, flops / best / gemm);
    arena_free(&memory);
    return status;
}

int main(void)
{
    nonsens_context *ctx = nonsens_context_new();
    float *a = calloc(3 * GEMM * GEMM, sizeof *a);
    nonsens_status status = ctx && a ? NONSENS_OK : NONSENS_ERR_MEMORY;
    static const int64_t width[] = {16, 32, 64, 128}, batch[] = {256, 512, 5120};
    for (int64_t i = 0; a && i < 3 * GEMM * GEMM; i++) {
        a[i] = (float)(i % 17) * 0.1f;
    }
    for (int w = 0; w < 4; w++) {
        for (int k = 0; k < 3 && status == NONSENS_OK; k++) {
            status = measure(ctx, width[w], batch[k], a, a + GEMM * GEMM, a + 2 * GEMM * GEMM);
        }
    }
    free(a);
    nonsens_context_free(ctx);
    return status == NONSENS_OK ? 0 : 1;
}
