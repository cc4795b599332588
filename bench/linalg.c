/*
 * linalg.c - the library's own linear algebra (src/math/plain.h) against OpenBLAS: `linalg [ORDER...]`.
 *
 * Prints `bench linalg.ROUTINE.ORDER VALUE ratio`, OpenBLAS's time over ours, and our time in microseconds.  Both work
 * on the same numbers in turn, on one thread; each time is the shortest of several processor times.  OPENBLAS_CORETYPE
 * and NONSENS_KERNEL choose instruction sets.
 */
#include "base/rng.h"
#include "math/linalg_backend.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TURNS = 11, ROWS = 2000 };

/* Matrices of one order k. */
typedef struct problem {
    int64_t k;
    double *square, *other, *positive, *kernel, *factor, *tall; /* (k, k), except tall (ROWS, k) */
    double *out, *w;                                            /* (k, k) or (ROWS, k); (k) */
    int32_t *pivot;
    double *work;
    int64_t work_size;
} problem;

typedef void (*routine)(const linalg_backend *by, const problem *p);

static double *restart(const problem *p, const double *from)
{
    return memcpy(p->out, from, (size_t)(p->k * p->k) * sizeof *from);
}

static void run_gemm(const linalg_backend *by, const problem *p)
{
    by->gemm(false, false, p->k, p->k, p->k, 1.0, p->square, p->k, p->other, p->k, 0.0, p->out, p->k);
}

static void run_gemm_nt(const linalg_backend *by, const problem *p)
{
    by->gemm(false, true, p->k, p->k, p->k, 1.0, p->square, p->k, p->other, p->k, 0.0, p->out, p->k);
}

static void run_gemm_tn(const linalg_backend *by, const problem *p)
{
    by->gemm(true, false, p->k, p->k, p->k, 1.0, p->square, p->k, p->other, p->k, 0.0, p->out, p->k);
}

static void run_gemv(const linalg_backend *by, const problem *p)
{
    by->gemm(false, false, p->k, 1, p->k, 1.0, p->square, p->k, p->other, p->k, 0.0, p->out, p->k);
}

static void run_rows(const linalg_backend *by, const problem *p)
{
    by->gemm(false, true, ROWS, p->k, p->k, 1.0, p->tall, ROWS, p->square, p->k, 0.0, p->out, ROWS);
}

static void run_cross(const linalg_backend *by, const problem *p)
{
    by->gemm(true, false, p->k, p->k, ROWS, 1.0, p->tall, ROWS, p->tall, ROWS, 0.0, p->out, p->k);
}

static void run_gram(const linalg_backend *by, const problem *p)
{
    by->symmetric_product(true, p->k, ROWS, p->tall, ROWS, 0.0, p->out);
}

static void run_outer(const linalg_backend *by, const problem *p)
{
    by->symmetric_product(false, p->k, ROWS, p->tall, p->k, 0.0, p->out);
}

static void run_cholesky(const linalg_backend *by, const problem *p)
{
    by->cholesky(p->k, restart(p, p->positive));
}

static void run_solve_lower(const linalg_backend *by, const problem *p)
{
    by->solve_lower(false, p->k, p->k, p->factor, p->k, restart(p, p->square), p->k);
}

static void run_solve_transposed(const linalg_backend *by, const problem *p)
{
    by->solve_lower(true, p->k, p->k, p->factor, p->k, restart(p, p->square), p->k);
}

static void run_solve_vector(const linalg_backend *by, const problem *p)
{
    memcpy(p->w, p->square, (size_t)p->k * sizeof *p->w);
    by->solve_lower(false, p->k, 1, p->factor, p->k, p->w, p->k);
    by->solve_lower(true, p->k, 1, p->factor, p->k, p->w, p->k);
}

static void run_invert(const linalg_backend *by, const problem *p)
{
    by->invert_cholesky(p->k, restart(p, p->factor));
}

static void run_lu(const linalg_backend *by, const problem *p)
{
    memcpy(p->w, p->other, (size_t)p->k * sizeof *p->w);
    by->solve(p->k, 1, restart(p, p->square), p->w, p->pivot);
}

static void run_eigen(const linalg_backend *by, const problem *p)
{
    int64_t size = by->eigen_work(p->k);
    by->eigen(p->k, restart(p, p->positive), p->w, size, p->work);
}

/* Eigenvalues that fall fast, like those of kernel matrices. */
static void run_eigen_kernel(const linalg_backend *by, const problem *p)
{
    int64_t size = by->eigen_work(p->k);
    by->eigen(p->k, restart(p, p->kernel), p->w, size, p->work);
}

static void run_qr(const linalg_backend *by, const problem *p)
{
    int64_t size = by->qr_work(p->k, p->k);
    by->pivoted_qr(p->k, p->k, restart(p, p->square), p->pivot, size, p->work);
}

static void run_tall_qr(const linalg_backend *by, const problem *p)
{
    memcpy(p->out, p->tall, (size_t)(ROWS * p->k) * sizeof *p->out);
    by->pivoted_qr(ROWS, p->k, p->out, p->pivot, by->qr_work(ROWS, p->k), p->work);
}

static const struct {
    const char *name;
    routine run;
} ROUTINES[] = {
    {"gemm", run_gemm},
    {"gemm-nt", run_gemm_nt},
    {"gemm-tn", run_gemm_tn},
    {"gemv", run_gemv},
    {"gemm-2000-rows", run_rows},
    {"cross-2000-rows", run_cross},
    {"gram-2000-rows", run_gram},
    {"outer-2000-columns", run_outer},
    {"cholesky", run_cholesky},
    {"solve-lower", run_solve_lower},
    {"solve-lower-transposed", run_solve_transposed},
    {"solve-vector", run_solve_vector},
    {"invert-cholesky", run_invert},
    {"solve", run_lu},
    {"eigen", run_eigen},
    {"eigen-of-kernel", run_eigen_kernel},
    {"qr", run_qr},
    {"qr-2000-rows", run_tall_qr},
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_of(routine run, const linalg_backend *by, const problem *p, int64_t times)
{
    double start = now();
    for (int64_t i = 0; i < times; i++) {
        run(by, p);
    }
    return (now() - start) / (double)times;
}

static void measure(const char *name, routine run, const problem *p)
{
    static const double LONG = 2e-3;
    const linalg_backend *by[2] = {&linalg_openblas, &linalg_plain};
    double best[2] = {INFINITY, INFINITY};
    int64_t times[2];
    for (int i = 0; i < 2; i++) {
        seconds_of(run, by[i], p, 1);
        times[i] = 1 + (int64_t)(LONG / seconds_of(run, by[i], p, 1));
    }
    for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < 2; i++) {
            best[i] = fmin(best[i], seconds_of(run, by[i], p, times[i]));
        }
    }
    printf("bench linalg.%s.%d %.3f ratio\n", name, (int)p->k, best[0] / best[1]);
    printf("bench linalg.%s.%d.own %.4g us\n", name, (int)p->k, 1e6 * best[1]);
    fflush(stdout);
}

static double *numbers(uint64_t stream, int64_t count)
{
    rng r = rng_new(1, RNG_TEST, stream);
    double *v = calloc((size_t)count, sizeof *v);
    for (int64_t i = 0; v && i < count; i++) {
        v[i] = rng_normal(&r);
    }
    return v;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool make_problem(int64_t k, problem *p)
{
    int64_t work = larger(linalg_openblas.eigen_work(k), linalg_plain.eigen_work(k));
    work = larger(work, larger(linalg_openblas.qr_work(ROWS, k), linalg_openblas.qr_work(k, k)));
    work = larger(work, linalg_plain.qr_work(ROWS, k));
    *p = (problem){k,
                   numbers(1, k * k),
                   numbers(2, k * k),
                   numbers(3, k * k),
                   numbers(4, k * k),
                   numbers(9, k * k),
                   numbers(5, ROWS * k),
                   numbers(6, larger(ROWS, k) * k),
                   numbers(7, k),
                   calloc((size_t)k, sizeof *p->pivot),
                   numbers(8, work),
                   work};
    if (!p->square || !p->other || !p->positive || !p->kernel || !p->factor || !p->tall || !p->out || !p->w ||
        !p->pivot || !p->work) {
        return false;
    }
    linalg_plain.gemm(true, false, k, k, ROWS, 1.0, p->tall, ROWS, p->tall, ROWS, 0.0, p->positive, k);
    for (int64_t i = 0; i < k; i++) {
        p->positive[i * (k + 1)] += 1.0;
    }
    for (int64_t i = 0; i < k * k; i++) { // a Gaussian kernel of points in three dimensions
        const double *x = p->tall + i % k * 3, *y = p->tall + i / k * 3;
        double square = 0.0;
        for (int c = 0; c < 3; c++) {
            square += (x[c] - y[c]) * (x[c] - y[c]);
        }
        p->kernel[i] = exp(-0.5 * square);
    }
    memcpy(p->factor, p->positive, (size_t)(k * k) * sizeof *p->factor);
    return linalg_plain.cholesky(k, p->factor) == 0;
}

static void free_problem(problem *p)
{
    double *all[] = {p->square, p->other, p->positive, p->kernel, p->factor, p->tall, p->out, p->w, p->work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
    free(p->pivot);
}

static bool measure_order(int64_t k)
{
    const char *only = getenv("LINALG_ONLY"); // a part of a routine's name
    problem p;
    bool made = make_problem(k, &p);
    for (size_t i = 0; made && i < sizeof ROUTINES / sizeof *ROUTINES; i++) {
        if (!only || strstr(ROUTINES[i].name, only)) {
            measure(ROUTINES[i].name, ROUTINES[i].run, &p);
        }
    }
    free_problem(&p);
    return made;
}

int main(int count, char **words)
{
    static const int64_t ORDERS[] = {10, 30, 100, 300, 700};
    bool done = true;
    for (size_t i = 0; count == 1 && i < sizeof ORDERS / sizeof *ORDERS; i++) {
        done = done && measure_order(ORDERS[i]);
    }
    for (int i = 1; i < count; i++) {
        done = done && measure_order(strtol(words[i], NULL, 10));
    }
    return !done;
}
