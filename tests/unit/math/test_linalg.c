/* test_linalg.c - BLAS and LAPACK wrappers against definitions, with bad input, strides, several threads and forks. */
#include "base/parallel.h"
#include "base/rng.h"
#include "math/linalg.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"

static const double ROUNDING = 1e-12; /* sums of a hundred products of order one */

static double *numbers(fixture *f, uint64_t stream, int64_t count)
{
    rng r = rng_new(11, RNG_TEST, stream);
    double *v = arena_get(f->ctx, &f->scratch, count, sizeof *v);
    assert_non_null(v);
    for (int64_t i = 0; i < count; i++) {
        v[i] = rng_normal(&r);
    }
    return v;
}

static double *copy(fixture *f, const double *v, int64_t count)
{
    double *c = arena_get(f->ctx, &f->scratch, count, sizeof *c);
    assert_non_null(c);
    memcpy(c, v, (size_t)count * sizeof *c);
    return c;
}

/* A symmetric positive definite matrix (k, k). */
static double *positive(fixture *f, uint64_t stream, int64_t k)
{
    double *a = numbers(f, stream, 2 * k * k), *g = numbers(f, stream, k * k);
    linalg_gram(2 * k, k, a, 2 * k, g);
    return g;
}

static double at(const double *a, bool transposed, int64_t ld, int64_t i, int64_t j)
{
    return transposed ? a[i * ld + j] : a[j * ld + i];
}

static void assert_same(const double *a, const double *b, int64_t count, double tolerance)
{
    for (int64_t i = 0; i < count; i++) {
        if (!(fabs(a[i] - b[i]) <= tolerance)) {
            fail_msg("element %" PRId64 ": %.17g is not %.17g", i, a[i], b[i]);
        }
    }
}

static void test_gemm(void **state)
{
    fixture *f = *state;
    enum { M = 5, N = 7, K = 11, LD = 13 };
    double *a = numbers(f, 1, LD * LD), *b = numbers(f, 2, LD * LD), *c = numbers(f, 3, LD * N);
    for (int variant = 0; variant < 4; variant++) {
        bool ta = variant & 1, tb = variant & 2;
        double *got = copy(f, c, LD * N), *expected = copy(f, c, LD * N);
        for (int64_t j = 0; j < N; j++) {
            for (int64_t i = 0; i < M; i++) {
                double sum = 0.0;
                for (int64_t l = 0; l < K; l++) {
                    sum += at(a, ta, LD, i, l) * at(b, tb, LD, l, j);
                }
                expected[j * LD + i] = 1.5 * sum - 0.5 * c[j * LD + i];
            }
        }
        linalg_gemm(ta, tb, M, N, K, 1.5, a, LD, b, LD, -0.5, got, LD);
        assert_same(got, expected, LD * N, ROUNDING); // rows from M on must be unchanged
    }
}

static void test_gemm_overwrites_and_empties(void **state)
{
    fixture *f = *state;
    double *a = numbers(f, 1, 4), *c = numbers(f, 2, 4), *kept = copy(f, c, 4), zero[4] = {0};
    linalg_gemm(false, false, 0, 2, 2, 1.0, a, 0, a, 2, 0.0, c, 0);
    assert_same(c, kept, 4, 0.0);
    c[0] = NAN; // beta = 0 must not read the old values
    linalg_gemm(false, false, 2, 2, 0, 1.0, a, 2, a, 0, 0.0, c, 2);
    assert_same(c, zero, 4, 0.0);
}

static void test_gram(void **state)
{
    fixture *f = *state;
    enum { N = 50, K = 6, LD = 53 };
    double *a = numbers(f, 4, LD * K), g[K * K], expected[K * K];
    for (int64_t j = 0; j < K; j++) {
        for (int64_t i = 0; i < K; i++) {
            double sum = 0.0;
            for (int64_t l = 0; l < N; l++) {
                sum += a[i * LD + l] * a[j * LD + l];
            }
            expected[j * K + i] = sum;
        }
    }
    linalg_gram(N, K, a, LD, g);
    assert_same(g, expected, K * K, ROUNDING);
    linalg_gram(0, K, a, 0, g);
    assert_true(g[0] == 0.0 && g[K * K - 1] == 0.0);
}

static void test_eigen(void **state)
{
    fixture *f = *state;
    enum { K = 20 };
    double *a = positive(f, 5, K), *v = copy(f, a, K * K), w[K], gram[K * K], *product = numbers(f, 6, K * K);
    assert_int_equal(linalg_eigen_symmetric(f->ctx, &f->scratch, K, v, w), NONSENS_OK);
    linalg_gemm(false, false, K, K, K, 1.0, a, K, v, K, 0.0, product, K);
    linalg_gram(K, K, v, K, gram);
    for (int64_t j = 0; j < K; j++) {
        assert_true(j == 0 || w[j] >= w[j - 1]);
        for (int64_t i = 0; i < K; i++) {
            assert_true(fabs(product[j * K + i] - w[j] * v[j * K + i]) <= 100.0 * ROUNDING);
            assert_true(fabs(gram[j * K + i] - (i == j)) <= ROUNDING);
        }
    }
    double known[4] = {2.0, 1.0, 1.0, 2.0};
    assert_int_equal(linalg_eigen_symmetric(f->ctx, &f->scratch, 2, known, w), NONSENS_OK);
    assert_true(fabs(w[0] - 1.0) < ROUNDING && fabs(w[1] - 3.0) < ROUNDING);
}

/* Eigenvectors have the same sign, whatever computed them. */
static void test_signs_of_eigenvectors(void **state)
{
    fixture *f = *state;
    enum { K = 15 };
    double *v = positive(f, 30, K), w[K];
    assert_int_equal(linalg_eigen_symmetric(f->ctx, &f->scratch, K, v, w), NONSENS_OK);
    for (int64_t j = 0; j < K; j++) {
        double most = 0.0;
        int64_t first = 0;
        for (int64_t i = 0; i < K; i++) {
            most = fmax(most, fabs(v[j * K + i]));
        }
        while (fabs(v[j * K + first]) < 0.5 * most) {
            first++;
        }
        assert_true(v[j * K + first] > 0.0);
    }
}

/* L^-1, L'^-1 and A^-1 invert what they should; A A' is the Gram matrix of A'. */
static void test_triangular(void **state)
{
    fixture *f = *state;
    enum { K = 9, M = 4, LD = 12 };
    double *a = positive(f, 5, K), *l = copy(f, a, K * K), *b = numbers(f, 6, LD * M), product[K * M], unit[K * K];
    assert_int_equal(linalg_cholesky(f->ctx, K, l), NONSENS_OK);
    for (int transpose = 0; transpose <= 1; transpose++) {
        double *x = copy(f, b, LD * M);
        linalg_solve_lower(transpose, K, M, l, K, x, LD);
        linalg_gemm(transpose, false, K, M, K, 1.0, l, K, x, LD, 0.0, product, K);
        for (int64_t j = 0; j < M; j++) {
            assert_same(product + j * K, b + j * LD, K, ROUNDING);
        }
    }
    linalg_invert_cholesky(K, l);
    linalg_gemm(false, false, K, K, K, 1.0, l, K, a, K, 0.0, unit, K);
    for (int64_t i = 0; i < K * K; i++) {
        assert_true(fabs(unit[i] - (i % (K + 1) == 0)) <= ROUNDING);
    }
    linalg_solve_lower(false, 0, M, l, 0, b, LD);
    linalg_solve_lower(false, K, 0, l, K, b, LD);
    linalg_invert_cholesky(0, l);
}

static void test_outer(void **state)
{
    fixture *f = *state;
    enum { K = 5, N = 8, LD = 7 };
    double *a = numbers(f, 7, LD * N), c[K * K], expected[K * K];
    linalg_gemm(false, true, K, K, N, 1.0, a, LD, a, LD, 0.0, expected, K);
    linalg_outer(K, N, a, LD, 0.0, c);
    assert_same(c, expected, K * K, ROUNDING);
    linalg_gemm(false, true, K, K, N, 1.0, a, LD, a, LD, 0.5, expected, K);
    linalg_outer(K, N, a, LD, 0.5, c);
    assert_same(c, expected, K * K, ROUNDING);
    linalg_outer(0, N, a, LD, 0.0, c);
}

static void test_cholesky(void **state)
{
    fixture *f = *state;
    enum { K = 15 };
    double *a = positive(f, 7, K), *l = copy(f, a, K * K), *product = numbers(f, 8, K * K);
    assert_int_equal(linalg_cholesky(f->ctx, K, l), NONSENS_OK);
    for (int64_t j = 1; j < K; j++) {
        for (int64_t i = 0; i < j; i++) {
            assert_true(l[j * K + i] == 0.0);
        }
    }
    linalg_gemm(false, true, K, K, K, 1.0, l, K, l, K, 0.0, product, K);
    assert_same(product, a, K * K, 10.0 * ROUNDING);
    double indefinite[4] = {1.0, 2.0, 2.0, 1.0};
    assert_int_equal(linalg_cholesky(f->ctx, 2, indefinite), NONSENS_ERR_NUMERIC);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "positive definite"));
}

static void test_solve(void **state)
{
    fixture *f = *state;
    enum { K = 12, M = 3 };
    double *a = numbers(f, 9, K * K), *x = numbers(f, 10, K * M), *b = numbers(f, 11, K * M);
    linalg_gemm(false, false, K, M, K, 1.0, a, K, x, K, 0.0, b, K);
    assert_int_equal(linalg_solve(f->ctx, &f->scratch, K, M, copy(f, a, K * K), b), NONSENS_OK);
    assert_same(b, x, K * M, 1e3 * ROUNDING);
    double singular[4] = {1.0, 2.0, 2.0, 4.0}, side[2] = {1.0, 1.0};
    assert_int_equal(linalg_solve(f->ctx, &f->scratch, 2, 1, singular, side), NONSENS_ERR_NUMERIC);
    assert_non_null(strstr(nonsens_context_message(f->ctx), "singular"));
}

static void test_pivoted_qr(void **state)
{
    fixture *f = *state;
    enum { N = 30, K = 5 };
    double *a = numbers(f, 14, N * K), *qr = copy(f, a, N * K), r_diag[K], gram[K * K], volume = 0.0;
    int32_t pivot[K], seen[K] = {0};
    assert_int_equal(linalg_pivoted_qr(f->ctx, &f->scratch, N, K, qr, r_diag, pivot), NONSENS_OK);
    linalg_gram(N, K, a, N, gram);
    double largest = 0.0;
    for (int64_t j = 0; j < K; j++) {
        largest = fmax(largest, gram[j * K + j]);
        seen[pivot[j]]++;
        volume += 2.0 * log(r_diag[j]);
        assert_true(j == 0 || r_diag[j] <= r_diag[j - 1] * (1.0 + ROUNDING));
    }
    assert_true(fabs(r_diag[0] * r_diag[0] - largest) <= 10.0 * ROUNDING);
    assert_int_equal(linalg_cholesky(f->ctx, K, gram), NONSENS_OK);
    for (int64_t j = 0; j < K; j++) {
        volume -= 2.0 * log(gram[j * K + j]);
    }
    assert_true(fabs(volume) <= 10.0 * ROUNDING); // det(A'A) = prod R_jj^2
    for (int j = 0; j < K; j++) {
        assert_int_equal(seen[j], 1);
    }
}

static void test_pivoted_qr_finds_rank(void **state)
{
    fixture *f = *state;
    enum { N = 40, K = 6 };
    double *a = numbers(f, 15, N * K), r_diag[K];
    int32_t pivot[K];
    for (int64_t i = 0; i < N; i++) { // columns 4 and 5 depend on the others
        a[4 * N + i] = a[i] - 2.0 * a[N + i];
        a[5 * N + i] = a[2 * N + i] + a[3 * N + i];
    }
    assert_int_equal(linalg_pivoted_qr(f->ctx, &f->scratch, N, K, a, r_diag, pivot), NONSENS_OK);
    assert_true(r_diag[3] > 0.1 && r_diag[4] < ROUNDING && r_diag[5] < ROUNDING);
    assert_int_equal(linalg_pivoted_qr(f->ctx, &f->scratch, 2, K, a, r_diag, pivot), NONSENS_OK); // fewer rows
    assert_true(r_diag[1] > 0.0 && r_diag[2] == 0.0 && r_diag[5] == 0.0);
}

static void test_bad_numbers_are_refused(void **state)
{
    fixture *f = *state;
    enum { K = 40 };
    double bad[] = {NAN, INFINITY, -INFINITY}, w[K];
    int32_t pivot[K];
    for (int i = 0; i < 3; i++) {
        double *a = positive(f, 16, K), *b = numbers(f, 17, K);
        a[K + 3] = bad[i];
        assert_int_equal(linalg_eigen_symmetric(f->ctx, &f->scratch, K, a, w), NONSENS_ERR_NUMERIC);
        assert_int_equal(linalg_cholesky(f->ctx, K, a), NONSENS_ERR_NUMERIC);
        assert_int_equal(linalg_solve(f->ctx, &f->scratch, K, 1, a, b), NONSENS_ERR_NUMERIC);
        assert_int_equal(linalg_pivoted_qr(f->ctx, &f->scratch, K, K, a, w, pivot), NONSENS_ERR_NUMERIC);
        assert_non_null(strstr(nonsens_context_message(f->ctx), "NaN"));
    }
}

static void test_empty_matrices(void **state)
{
    fixture *f = *state;
    double a[1] = {7.0};
    assert_int_equal(linalg_eigen_symmetric(f->ctx, &f->scratch, 0, a, a), NONSENS_OK);
    assert_int_equal(linalg_cholesky(f->ctx, 0, a), NONSENS_OK);
    assert_int_equal(linalg_solve(f->ctx, &f->scratch, 0, 1, a, a), NONSENS_OK);
    assert_true(a[0] == 7.0);
}

static void test_memory_failures(void **state)
{
    fixture *f = *state;
    enum { K = 3 };
    double *a = positive(f, 18, K), w[K], side[K] = {1.0, 1.0, 1.0};
    int32_t pivot[K];
    arena empty = {0};
    for (int call = 0; call < 3; call++) {
        double *fresh = copy(f, a, K * K);
        memory_fail_at(0);
        nonsens_status status = call == 0   ? linalg_eigen_symmetric(f->ctx, &empty, K, fresh, w)
                                : call == 1 ? linalg_solve(f->ctx, &empty, K, 1, fresh, side)
                                            : linalg_pivoted_qr(f->ctx, &empty, K, K, fresh, w, pivot);
        memory_fail_at(-1);
        assert_int_equal(status, NONSENS_ERR_MEMORY);
        arena_free(&empty);
    }
}

/* Everything that threads may ask of the BLAS at once.  Jobs of one kind have the same input, others do not. */
enum { MANY_K = 40, MANY_ROWS = 50, MANY_KINDS = 8, MANY_JOBS = 2000, MANY_PARTS = 6 };

struct many {
    const double *a; // (K, K), positive definite
    const double *b; // (K, ROWS + KINDS)
    double *out;     // (jobs, PARTS, K * K)
};

static nonsens_status many_job(nonsens_context *ctx, arena *own, int64_t job, void *state)
{
    const struct many *m = state;
    const double *b = m->b + job % MANY_KINDS * MANY_K;
    double *part[MANY_PARTS], w[MANY_K];
    int32_t pivot[MANY_K];
    for (int64_t k = 0; k < MANY_PARTS; k++) {
        part[k] = m->out + (job * MANY_PARTS + k) * MANY_K * MANY_K;
        memcpy(part[k], m->a, MANY_K * MANY_K * sizeof *m->a);
    }
    linalg_gemm(false, true, MANY_K, MANY_K, MANY_ROWS, 1.0, b, MANY_K, b, MANY_K, 0.0, part[0], MANY_K);
    for (int64_t k = 1; k < MANY_PARTS; k++) {
        linalg_outer(MANY_K, MANY_ROWS, b, MANY_K, 1.0, part[k]);
    }
    TRY(linalg_eigen_symmetric(ctx, own, MANY_K, part[2], w));
    TRY(linalg_cholesky(ctx, MANY_K, part[3]));
    linalg_solve_lower(false, MANY_K, MANY_K, part[3], MANY_K, part[4], MANY_K);
    linalg_invert_cholesky(MANY_K, part[3]);
    return linalg_pivoted_qr(ctx, own, MANY_K, MANY_K, part[5], w, pivot);
}

/* Every job must give the bits that one thread gives. */
static void test_threads_share_the_blas(void **state)
{
    fixture *f = *state;
    enum { EACH = MANY_PARTS * MANY_K * MANY_K };
    struct many m = {positive(f, 19, MANY_K), numbers(f, 20, MANY_K * (MANY_ROWS + MANY_KINDS)),
                     numbers(f, 21, (int64_t)MANY_JOBS * EACH)};
    struct many alone = {m.a, m.b, numbers(f, 22, (int64_t)MANY_KINDS * EACH)};
    assert_int_equal(parallel_for(f->ctx, 1, MANY_KINDS, NULL, many_job, &alone), NONSENS_OK);
    assert_int_equal(parallel_for(f->ctx, 8, MANY_JOBS, NULL, many_job, &m), NONSENS_OK);
    for (int64_t job = 0; job < MANY_JOBS; job++) {
        assert_memory_equal(m.out + job * EACH, alone.out + job % MANY_KINDS * EACH, EACH * sizeof *m.out);
    }
}

/* Products so small that buffer handling takes most of their time, until told to stop. */
enum { BUSY_K = 8, BUSY_THREADS = 3, BUSY_CHILDREN = 200, BUSY_SECONDS = 60 };

struct busy {
    const double *a; // (K, K)
    atomic_bool stop;
};

static void *multiply_on(void *argument)
{
    struct busy *b = argument;
    double c[BUSY_K * BUSY_K];
    while (!atomic_load(&b->stop)) {
        linalg_gemm(false, false, BUSY_K, BUSY_K, BUSY_K, 1.0, b->a, BUSY_K, b->a, BUSY_K, 0.0, c, BUSY_K);
    }
    return NULL;
}

/* A lock that another thread holds during a fork must not stay locked in the child. */
static void test_children_have_the_blas(void **state)
{
    fixture *f = *state;
    struct busy b = {.a = numbers(f, 23, BUSY_K * BUSY_K)};
    pthread_t thread[BUSY_THREADS];
    double c[BUSY_K * BUSY_K], again[BUSY_K * BUSY_K];
    int wrong = 0, status;
    linalg_gemm(false, false, BUSY_K, BUSY_K, BUSY_K, 1.0, b.a, BUSY_K, b.a, BUSY_K, 0.0, c, BUSY_K);
    for (int i = 0; i < BUSY_THREADS; i++) {
        assert_int_equal(pthread_create(&thread[i], NULL, multiply_on, &b), 0);
    }
    for (int i = 0; i < BUSY_CHILDREN && !wrong; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(BUSY_SECONDS);
            linalg_gemm(false, false, BUSY_K, BUSY_K, BUSY_K, 1.0, b.a, BUSY_K, b.a, BUSY_K, 0.0, again, BUSY_K);
            _exit(memcmp(c, again, sizeof c) != 0);
        }
        wrong = child < 0 || waitpid(child, &status, 0) != child || status != 0;
    }
    atomic_store(&b.stop, true);
    for (int i = 0; i < BUSY_THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    }
    assert_false(wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_gemm),
        TEST(test_gemm_overwrites_and_empties),
        TEST(test_gram),
        TEST(test_eigen),
        TEST(test_signs_of_eigenvectors),
        TEST(test_triangular),
        TEST(test_outer),
        TEST(test_cholesky),
        TEST(test_solve),
        TEST(test_pivoted_qr),
        TEST(test_pivoted_qr_finds_rank),
        TEST(test_bad_numbers_are_refused),
        TEST(test_empty_matrices),
        TEST(test_memory_failures),
        TEST(test_threads_share_the_blas),
        TEST(test_children_have_the_blas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
