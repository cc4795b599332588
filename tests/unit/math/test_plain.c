/*
 * test_plain.c - the library's own linear algebra against definitions, in every instruction set, and against OpenBLAS.
 *
 * Memory that a routine must not read holds NaN, so that reading it shows; memory that it must not write is compared.
 */
#include "base/parallel.h"
#include "base/rng.h"
#include "math/linalg_backend.h"
#include "math/plain.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "fixture.h"
#include "instruction_sets.h"

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof *(array)))

static const linalg_backend *const OWN = &linalg_plain;

/* A column-major matrix whose columns are ld apart, with NaN between them. */
typedef struct matrix {
    int64_t rows, columns, ld;
    double *v;
} matrix;

static double *at(const matrix *a, int64_t i, int64_t j)
{
    return a->v + j * a->ld + i;
}

static double seen(const matrix *a, bool transposed, int64_t i, int64_t j)
{
    return transposed ? *at(a, j, i) : *at(a, i, j);
}

static matrix empty(fixture *f, int64_t rows, int64_t columns, int64_t gap)
{
    matrix a = {rows, columns, rows + gap, fixture_doubles(f, (rows + gap) * columns + 1)};
    for (int64_t i = 0; i < a.ld * columns; i++) {
        a.v[i] = NAN;
    }
    return a;
}

static matrix random_matrix(fixture *f, uint64_t stream, int64_t rows, int64_t columns, int64_t gap)
{
    matrix a = empty(f, rows, columns, gap);
    rng r = rng_new(5, RNG_TEST, stream);
    for (int64_t j = 0; j < columns; j++) {
        for (int64_t i = 0; i < rows; i++) {
            *at(&a, i, j) = rng_normal(&r);
        }
    }
    return a;
}

static matrix copy_of(fixture *f, const matrix *a)
{
    matrix c = empty(f, a->rows, a->columns, a->ld - a->rows);
    memcpy(c.v, a->v, (size_t)(a->ld * a->columns) * sizeof *c.v);
    return c;
}

/* Checks the gaps outside the matrix, which must still be NaN. */
static void assert_gaps_are_kept(const matrix *a)
{
    for (int64_t j = 0; j < a->columns; j++) {
        for (int64_t i = a->rows; i < a->ld; i++) {
            assert_true(isnan(*at(a, i, j)));
        }
    }
}

static void assert_near(double got, double expected, double tolerance, const char *what, int64_t i, int64_t j)
{
    if (!(fabs(got - expected) <= tolerance)) {
        fail_msg("%s, element %" PRId64 ", %" PRId64 ": %.17g is not %.17g", what, i, j, got, expected);
    }
}

/* Computes element (i, j) of op(A) op(B), and the sum of its terms' absolute values. */
static double product_at(const matrix *a, bool ta, const matrix *b, bool tb, int64_t k, int64_t i, int64_t j,
                         double *size)
{
    long double sum = 0.0L, sizes = 0.0L;
    for (int64_t l = 0; l < k; l++) {
        long double term = (long double)seen(a, ta, i, l) * (long double)seen(b, tb, l, j);
        sum += term;
        sizes += fabsl(term);
    }
    *size = (double)sizes;
    return (double)sum;
}

/* ---- products ---- */

static void check_gemm(fixture *f, int64_t m, int64_t n, int64_t k, int variant, double alpha, double beta)
{
    bool ta = variant & 1, tb = variant & 2;
    int64_t gap = variant & 4 ? 3 : 0;
    arena_mark mark = arena_tell(&f->scratch);
    matrix a = ta ? random_matrix(f, 1, k, m, gap) : random_matrix(f, 1, m, k, gap);
    matrix b = tb ? random_matrix(f, 2, n, k, gap) : random_matrix(f, 2, k, n, gap);
    matrix c = beta == 0.0 ? empty(f, m, n, gap) : random_matrix(f, 3, m, n, gap), before = copy_of(f, &c);
    OWN->gemm(ta, tb, m, n, k, alpha, a.v, a.ld, b.v, b.ld, beta, c.v, c.ld);
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < m; i++) {
            double size, value = alpha * product_at(&a, ta, &b, tb, k, i, j, &size);
            value += beta == 0.0 ? 0.0 : beta * *at(&before, i, j);
            assert_near(*at(&c, i, j), value, DBL_EPSILON * (4.0 + (double)k) * (1.0 + fabs(alpha) * size), "gemm", i,
                        j);
        }
    }
    assert_gaps_are_kept(&c);
    arena_rewind(&f->scratch, mark);
}

static void check_shapes_of_gemm(void *user, bool first)
{
    static const int64_t SIZES[] = {1, 2, 3, 7, 8, 9, 16, 25, 49}, DEPTHS[] = {0, 1, 2, 5, 31};
    (void)first;
    plain_choose_again();
    for (int64_t m = 0; m < COUNT(SIZES); m++) {
        for (int64_t n = 0; n < COUNT(SIZES); n++) {
            for (int64_t k = 0; k < COUNT(DEPTHS); k++) {
                int variant = (int)((m * 31 + n * 7 + k * 3) % 8);
                check_gemm(user, SIZES[m], SIZES[n], DEPTHS[k], variant, 1.0, 0.0);
                check_gemm(user, SIZES[m], SIZES[n], DEPTHS[k], variant ^ 3, -0.5, 1.0);
                check_gemm(user, SIZES[m], SIZES[n], DEPTHS[k], variant ^ 1, 1.5, 0.5);
            }
        }
    }
    static const int64_t LARGE[][3] = {{1, 70, 600},  {70, 1, 600},  {600, 1, 70},   {1, 1, 1300}, {100, 100, 300},
                                       {51, 67, 515}, {530, 20, 20}, {20, 530, 260}, {5, 6, 2000}, {1030, 1, 9}};
    for (int64_t i = 0; i < COUNT(LARGE); i++) {
        for (int variant = 0; variant < 8; variant++) {
            check_gemm(user, LARGE[i][0], LARGE[i][1], LARGE[i][2], variant, 1.0, variant & 4 ? 1.0 : 0.0);
        }
    }
}

static void test_gemm(void **state)
{
    with_each_set(check_shapes_of_gemm, *state);
}

static void check_symmetric(fixture *f, int64_t k, int64_t n, bool transpose, double beta)
{
    arena_mark mark = arena_tell(&f->scratch);
    matrix a = transpose ? random_matrix(f, 4, n, k, 2) : random_matrix(f, 4, k, n, 2);
    matrix c = beta == 0.0 ? empty(f, k, k, 0) : random_matrix(f, 5, k, k, 0), before = copy_of(f, &c);
    OWN->symmetric_product(transpose, k, n, a.v, a.ld, beta, c.v);
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i <= j; i++) {
            double size, value = product_at(&a, transpose, &a, !transpose, n, i, j, &size);
            value += beta == 0.0 ? 0.0 : beta * *at(&before, i, j);
            assert_near(*at(&c, i, j), value, DBL_EPSILON * (4.0 + (double)n) * (1.0 + size), "symmetric", i, j);
        }
    }
    arena_rewind(&f->scratch, mark);
}

static void check_symmetric_products(void *user, bool first)
{
    static const int64_t SIZES[] = {1, 2, 5, 8, 17, 33, 50, 101}, DEPTHS[] = {0, 1, 6, 40, 300};
    (void)first;
    plain_choose_again();
    for (int64_t i = 0; i < COUNT(SIZES); i++) {
        for (int64_t j = 0; j < COUNT(DEPTHS); j++) {
            check_symmetric(user, SIZES[i], DEPTHS[j], false, 0.0);
            check_symmetric(user, SIZES[i], DEPTHS[j], true, 0.0);
            check_symmetric(user, SIZES[i], DEPTHS[j], false, 0.5);
        }
    }
}

static void test_symmetric_products(void **state)
{
    with_each_set(check_symmetric_products, *state);
}

/* A NaN or an infinity shows in the results that depend on it, and in no others. */
static void check_spread(void *user, bool first)
{
    enum { K = 21, ROW = 4, TERM = 13 };
    fixture *f = user;
    (void)first;
    plain_choose_again();
    for (int variant = 0; variant < 4; variant++) {
        matrix a = random_matrix(f, 6, K, K, 0), b = random_matrix(f, 7, K, K, 0), c = empty(f, K, K, 0);
        *(variant & 1 ? at(&a, TERM, ROW) : at(&a, ROW, TERM)) = variant & 2 ? INFINITY : NAN;
        OWN->gemm(variant & 1, variant & 2, K, K, K, 1.0, a.v, K, b.v, K, 0.0, c.v, K);
        for (int64_t i = 0; i < K * K; i++) {
            assert_int_equal(!isfinite(c.v[i]), i % K == ROW);
        }
    }
}

static void test_nan_stays_in_its_row(void **state)
{
    with_each_set(check_spread, *state);
}

/* ---- triangles ---- */

/* Makes a well-conditioned lower triangle, with NaN above the diagonal. */
static matrix lower_triangle(fixture *f, int64_t k, int64_t gap)
{
    matrix l = random_matrix(f, 8, k, k, gap);
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < k; i++) {
            double value = *at(&l, i, j);
            *at(&l, i, j) = i < j ? NAN : i == j ? 1.0 + fabs(value) : value / sqrt((double)k);
        }
    }
    return l;
}

/* Compares op(L) X with B, relative to the sizes of the terms. */
static void check_solve_lower(fixture *f, int64_t k, int64_t m, bool transpose)
{
    arena_mark mark = arena_tell(&f->scratch);
    matrix l = lower_triangle(f, k, 3), b = random_matrix(f, 9, k, m, 2), x = copy_of(f, &b);
    OWN->solve_lower(transpose, k, m, l.v, l.ld, x.v, x.ld);
    for (int64_t j = 0; j < m; j++) {
        for (int64_t i = 0; i < k; i++) {
            long double sum = 0.0L, size = 0.0L;
            for (int64_t c = transpose ? i : 0; c < (transpose ? k : i + 1); c++) {
                long double term = (long double)seen(&l, transpose, i, c) * (long double)*at(&x, c, j);
                sum += term;
                size += fabsl(term);
            }
            assert_near((double)sum, *at(&b, i, j), DBL_EPSILON * (8.0 + (double)k) * (double)size, "solve", i, j);
        }
    }
    assert_gaps_are_kept(&x);
    arena_rewind(&f->scratch, mark);
}

static void check_triangles(void *user, bool first)
{
    static const int64_t SIZES[] = {1, 2, 7, 31, 32, 33, 64, 65, 130}, SIDES[] = {1, 2, 3, 4, 5, 8, 33, 97};
    (void)first;
    plain_choose_again();
    for (int64_t i = 0; i < COUNT(SIZES); i++) {
        for (int64_t j = 0; j < COUNT(SIDES); j++) {
            check_solve_lower(user, SIZES[i], SIDES[j], false);
            check_solve_lower(user, SIZES[i], SIDES[j], true);
        }
    }
}

static void test_triangular_solves(void **state)
{
    with_each_set(check_triangles, *state);
}

/* Computes L L', with NaN above the diagonal. */
static matrix positive(fixture *f, int64_t k)
{
    matrix l = lower_triangle(f, k, 0), a = empty(f, k, k, 0);
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = j; i < k; i++) {
            long double sum = 0.0L;
            for (int64_t c = 0; c <= j; c++) {
                sum += (long double)*at(&l, i, c) * (long double)*at(&l, j, c);
            }
            *at(&a, i, j) = (double)sum;
        }
    }
    return a;
}

static void check_cholesky(fixture *f, int64_t k)
{
    arena_mark mark = arena_tell(&f->scratch);
    matrix a = positive(f, k), l = copy_of(f, &a);
    assert_int_equal(OWN->cholesky(k, l.v), 0);
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = j; i < k; i++) {
            double sum = 0.0;
            for (int64_t c = 0; c <= j; c++) {
                sum += *at(&l, i, c) * *at(&l, j, c);
            }
            double size = sqrt(*at(&a, i, i) * *at(&a, j, j));
            assert_near(sum, *at(&a, i, j), DBL_EPSILON * (4.0 + (double)k) * size, "cholesky", i, j);
        }
    }
    OWN->invert_cholesky(k, l.v); // its product with A is the unit matrix
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < k; i++) {
            double sum = 0.0;
            for (int64_t c = 0; c < k; c++) {
                sum += *at(&l, i > c ? i : c, i > c ? c : i) * *at(&a, j > c ? j : c, j > c ? c : j);
            }
            assert_near(sum, i == j, 1e-11 * (double)k, "inverse", i, j);
        }
    }
    arena_rewind(&f->scratch, mark);
}

static void check_choleskys(void *user, bool first)
{
    static const int64_t SIZES[] = {1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 65, 96, 131};
    (void)first;
    plain_choose_again();
    for (int64_t i = 0; i < COUNT(SIZES); i++) {
        check_cholesky(user, SIZES[i]);
    }
}

static void test_cholesky(void **state)
{
    with_each_set(check_choleskys, *state);
}

/* The index of the first pivot that is not positive is returned. */
static void check_bad_pivots(void *user, bool first)
{
    enum { K = 70 };
    static const int64_t BAD[] = {0, 1, 15, 31, 32, 40, 64, 69};
    fixture *f = user;
    (void)first;
    plain_choose_again();
    for (int64_t i = 0; i < COUNT(BAD); i++) {
        matrix a = positive(f, K), zero = empty(f, K, K, 0);
        *at(&a, BAD[i], BAD[i]) = -1.0;
        assert_int_equal(OWN->cholesky(K, a.v), BAD[i] + 1);
        memset(zero.v, 0, K * K * sizeof *zero.v);
        for (int64_t j = 0; j < BAD[i]; j++) {
            *at(&zero, j, j) = 1.0;
        }
        assert_int_equal(OWN->cholesky(K, zero.v), BAD[i] + 1); // singular
    }
}

static void test_bad_pivots(void **state)
{
    with_each_set(check_bad_pivots, *state);
}

/* ---- general systems ---- */

static void check_solve(fixture *f, int64_t k, int64_t m)
{
    arena_mark mark = arena_tell(&f->scratch);
    matrix a = random_matrix(f, 10, k, k, 0), b = random_matrix(f, 11, k, m, 0);
    int32_t *pivot = arena_get(f->ctx, &f->scratch, k, sizeof *pivot);
    for (int64_t i = 0; i < k && k > 1; i++) {
        *at(&a, i, i) = 0.0; // solvable only with row exchanges
    }
    matrix lu = copy_of(f, &a), x = copy_of(f, &b);
    assert_int_equal(OWN->solve(k, m, lu.v, x.v, pivot), 0);
    for (int64_t j = 0; j < m; j++) {
        for (int64_t i = 0; i < k; i++) {
            double size, value = product_at(&a, false, &x, false, k, i, j, &size);
            assert_near(value, *at(&b, i, j), 20.0 * DBL_EPSILON * (1.0 + (double)k) * (1.0 + size), "system", i, j);
        }
    }
    arena_rewind(&f->scratch, mark);
}

static void check_systems(void *user, bool first)
{
    static const int64_t SIZES[] = {1, 2, 3, 8, 9, 17, 40, 100}, SIDES[] = {1, 2, 5, 40};
    fixture *f = user;
    (void)first;
    plain_choose_again();
    for (int64_t i = 0; i < COUNT(SIZES); i++) {
        for (int64_t j = 0; j < COUNT(SIDES); j++) {
            check_solve(f, SIZES[i], SIDES[j]);
        }
    }
    for (int64_t zero = 0; zero < 20; zero++) { // a column of zeros
        matrix a = random_matrix(f, 12, 20, 20, 0), b = random_matrix(f, 13, 20, 1, 0);
        int32_t pivot[20];
        memset(at(&a, 0, zero), 0, 20 * sizeof *a.v);
        assert_int_equal(OWN->solve(20, 1, a.v, b.v, pivot), zero + 1);
    }
}

static void test_systems(void **state)
{
    with_each_set(check_systems, *state);
}

/* ---- eigenvalues ---- */

/* The kinds of symmetric matrices.  Those with chosen eigenvalues are multiplied by one or two random reflections. */
typedef enum spectrum {
    RANDOM,
    ZERO,
    UNIT,
    DIAGONAL,
    REPEATED,  /* three distinct values */
    CLUSTERED, /* ten values, 1e-14 apart in groups */
    GRADED,    /* 2^-j */
    LOW_RANK,
    NEGATIVE,
    WILKINSON, /* pairs that agree to many digits */
    GLUED,     /* Wilkinson matrices side by side, almost decoupled */
    KERNEL,    /* a kernel matrix of a smooth function */
    TINY,
    LARGE,
    SPECTRA
} spectrum;

static double value_of(spectrum kind, int64_t j, int64_t k)
{
    switch (kind) {
    case UNIT:
        return 1.0;
    case DIAGONAL:
        return (double)((j * 7919) % k) - 3.0;
    case REPEATED:
        return (double)(j % 3);
    case CLUSTERED:
        return (double)(j % 10) + 1e-14 * (double)j;
    case GRADED:
        return exp2(-(double)(j % 900));
    case LOW_RANK:
        return j < 3 ? 1.0 + (double)j : 0.0;
    case NEGATIVE:
        return -1.0 - (double)(j % 5);
    default:
        return 0.0;
    }
}

/* Replaces A by H A H for the reflection H along a random vector. */
static void turn(fixture *f, uint64_t stream, matrix *a)
{
    int64_t k = a->rows;
    matrix v = random_matrix(f, stream, k, 1, 0);
    double square = 0.0;
    for (int64_t i = 0; i < k; i++) {
        square += v.v[i] * v.v[i];
    }
    for (int side = 0; side < 2; side++) {
        for (int64_t j = 0; j < k; j++) {
            double dot = 0.0;
            for (int64_t i = 0; i < k; i++) {
                dot += seen(a, side, i, j) * v.v[i];
            }
            for (int64_t i = 0; i < k; i++) {
                *(side ? at(a, j, i) : at(a, i, j)) -= 2.0 * dot / square * v.v[i];
            }
        }
    }
}

static matrix symmetric(fixture *f, spectrum kind, int64_t k)
{
    matrix a = random_matrix(f, 14, k, k, 0);
    double scale = kind == TINY ? 1e-305 : kind == LARGE ? 1e305 : 1.0;
    bool chosen = kind >= ZERO && kind <= NEGATIVE, banded = kind == WILKINSON || kind == GLUED;
    int64_t size = kind == GLUED ? 21 : k;
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < k; i++) {
            double *value = at(&a, i, j), middle = 0.5 * (double)(size - 1);
            if (chosen) {
                *value = i == j ? value_of(kind, j, k) : 0.0;
            } else if (banded) {
                double off = kind == GLUED && (i > j ? i : j) % size == 0 ? 1e-14 : 1.0;
                *value = i == j ? fabs((double)(i % size) - middle) : llabs(i - j) == 1 ? off : 0.0;
            } else if (kind == KERNEL) {
                *value = exp(-0.01 * (double)((i - j) * (i - j)));
            } else {
                *value *= scale;
            }
        }
    }
    if (chosen && kind != DIAGONAL && kind != ZERO && kind != UNIT) {
        turn(f, 15, &a);
        turn(f, 16, &a);
    }
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = 0; i < j; i++) {
            *at(&a, i, j) = *at(&a, j, i);
        }
    }
    return a;
}

static double largest(const matrix *a)
{
    double most = 0.0;
    for (int64_t i = 0; i < a->ld * a->columns; i++) {
        most = fmax(most, fabs(a->v[i]));
    }
    return most;
}

/* Checks A V = V W and V' V = 1, both up to rounding. */
static void check_vectors(const matrix *a, const matrix *v, const double *w)
{
    int64_t k = a->rows;
    double norm = largest(a), unit = norm > 0.0 ? norm : 1.0, bound = 4.0 * DBL_EPSILON * (4.0 + (double)k);
    for (int64_t j = 0; j < k; j++) {
        assert_true(isfinite(w[j]) && (j == 0 || w[j] >= w[j - 1]));
        for (int64_t i = 0; i < k; i++) {
            double sum = 0.0, dot = 0.0;
            for (int64_t c = 0; c < k; c++) {
                sum += *at(a, i, c) / unit * *at(v, c, j);
                dot += *at(v, c, i) * *at(v, c, j);
            }
            assert_near(sum, w[j] / unit * *at(v, i, j), bound * 2.0, "eigenvector", i, j);
            assert_near(dot, i == j, bound, "orthogonality", i, j);
        }
    }
}

static void find_eigen(fixture *f, const linalg_backend *by, const matrix *a, matrix *v, double *w)
{
    int64_t k = a->rows, size = by->eigen_work(k);
    *v = copy_of(f, a);
    double *work = fixture_doubles(f, size);
    assert_int_equal(by->eigen(k, v->v, w, size, work), 0);
}

static void check_spectra(void *user, bool first)
{
    static const int64_t SIZES[] = {1, 2, 3, 5, 10, 31, 33, 34, 65, 130};
    fixture *f = user;
    (void)first;
    plain_choose_again();
    for (spectrum kind = RANDOM; kind < SPECTRA; kind++) {
        for (int64_t i = 0; i < COUNT(SIZES); i++) {
            arena_mark mark = arena_tell(&f->scratch);
            matrix a = symmetric(f, kind, SIZES[i]), lower = copy_of(f, &a), v;
            double *w = fixture_doubles(f, SIZES[i]);
            for (int64_t j = 0; j < SIZES[i]; j++) {
                for (int64_t above = 0; above < j; above++) {
                    *at(&lower, above, j) = NAN;
                }
            }
            find_eigen(f, OWN, &lower, &v, w);
            check_vectors(&a, &v, w);
            arena_rewind(&f->scratch, mark);
        }
    }
}

static void test_eigen(void **state)
{
    with_each_set(check_spectra, *state);
}

/* Eigenvalues known in closed form: 2 - 2 cos(pi j / (k + 1)) of second differences. */
static void test_known_eigenvalues(void **state)
{
    enum { K = 300 };
    fixture *f = *state;
    matrix a = empty(f, K, K, 0), v;
    double w[K];
    plain_choose_again();
    for (int64_t j = 0; j < K; j++) {
        for (int64_t i = 0; i < K; i++) {
            *at(&a, i, j) = i == j ? 2.0 : llabs(i - j) == 1 ? -1.0 : 0.0;
        }
    }
    find_eigen(f, OWN, &a, &v, w);
    for (int64_t j = 0; j < K; j++) {
        double angle = 3.14159265358979323846 * (double)(j + 1) / (K + 1);
        assert_near(w[j], 2.0 - 2.0 * cos(angle), 100.0 * DBL_EPSILON, "known eigenvalue", j, j);
    }
    check_vectors(&a, &v, w);
}

/* ---- pivoted QR ---- */

/* Checks that R' R is A' A with its columns in the order of the pivots, and that |R_jj| falls. */
static void check_qr(fixture *f, const matrix *a, const char *what)
{
    int64_t n = a->rows, k = a->columns, size = OWN->qr_work(n, k), rank = n < k ? n : k;
    matrix r = copy_of(f, a);
    int32_t *pivot = arena_get(f->ctx, &f->scratch, k, sizeof *pivot);
    int32_t *used = arena_get(f->ctx, &f->scratch, k, sizeof *used);
    OWN->pivoted_qr(n, k, r.v, pivot, size, fixture_doubles(f, size));
    double norm = largest(a), scale = norm > 0.0 ? norm : 1.0;
    for (int64_t j = 0; j < k; j++) {
        used[pivot[j]]++;
        assert_true(j == 0 || j >= rank || fabs(*at(&r, j, j)) <= fabs(*at(&r, j - 1, j - 1)) * (1.0 + 1e-7));
        for (int64_t i = 0; i <= j; i++) {
            long double left = 0.0L, right = 0.0L;
            for (int64_t l = 0; l < n; l++) {
                right += (long double)(*at(a, l, pivot[i]) / scale) * (long double)(*at(a, l, pivot[j]) / scale);
            }
            for (int64_t l = 0; l <= i && l < rank; l++) {
                left += (long double)(*at(&r, l, i) / scale) * (long double)(*at(&r, l, j) / scale);
            }
            assert_near((double)left, (double)right, 8.0 * DBL_EPSILON * (double)(n + 10), what, i, j);
        }
    }
    for (int64_t j = 0; j < k; j++) {
        assert_int_equal(used[j], 1);
    }
}

static void check_qrs(void *user, bool first)
{
    static const int64_t SHAPES[][2] = {{1, 1},  {1, 5},    {5, 1},   {7, 7},   {40, 6},
                                        {6, 40}, {100, 33}, {70, 70}, {2000, 9}};
    fixture *f = user;
    (void)first;
    plain_choose_again();
    for (int64_t s = 0; s < COUNT(SHAPES); s++) {
        arena_mark mark = arena_tell(&f->scratch);
        int64_t n = SHAPES[s][0], k = SHAPES[s][1];
        matrix a = random_matrix(f, 17, n, k, 0);
        check_qr(f, &a, "random");
        for (int64_t j = 2; j < k; j += 3) { // columns that nearly depend on others
            for (int64_t i = 0; i < n; i++) {
                *at(&a, i, j) = *at(&a, i, j - 1) - 1e-9 * *at(&a, i, j - 2);
            }
        }
        check_qr(f, &a, "dependent");
        for (int64_t i = 0; i < n * k; i++) {
            a.v[i] *= i / n % 2 ? 1e-200 : 1e-210;
        }
        check_qr(f, &a, "tiny");
        memset(a.v, 0, (size_t)(n * k) * sizeof *a.v);
        check_qr(f, &a, "zero");
        arena_rewind(&f->scratch, mark);
    }
}

static void test_qr(void **state)
{
    with_each_set(check_qrs, *state);
}

/*
 * W. Kahan's matrix, whose columns almost tie: updated norms that lose digits unnoticed would give a wrong order. The
 * diagonal of R is that of the matrix.
 */
static void test_kahan_matrix(void **state)
{
    enum { K = 90 };
    fixture *f = *state;
    matrix a = empty(f, K, K, 0);
    double c = 0.285, s = sqrt(1.0 - c * c);
    int32_t pivot[K];
    plain_choose_again();
    for (int64_t j = 0; j < K; j++) {
        for (int64_t i = 0; i < K; i++) {
            double value = i == j ? 1.0 : i < j ? -c : 0.0;
            *at(&a, i, j) = value * pow(s, (double)i) * (1.0 - 1e-6 * (double)j); // of near ties the first is longest
        }
    }
    OWN->pivoted_qr(K, K, a.v, pivot, OWN->qr_work(K, K), fixture_doubles(f, OWN->qr_work(K, K)));
    for (int64_t j = 0; j < K; j++) {
        assert_int_equal(pivot[j], j);
        double expected = pow(s, (double)j) * (1.0 - 1e-6 * (double)j);
        assert_near(fabs(*at(&a, j, j)) / expected, 1.0, 1e-9, "diagonal", j, j);
    }
}

/* ---- threads, and the other library ----------------------------------------------------------------------------- */

enum { MANY_K = 70, MANY_JOBS = 64 };

struct many {
    fixture *f;
    double *out; // (jobs, 2, K * K)
    const matrix *a;
};

static nonsens_status many_job(nonsens_context *ctx, arena *own, int64_t job, void *state)
{
    const struct many *m = state;
    double *out = m->out + job * 2 * MANY_K * MANY_K, w[MANY_K], *work;
    int64_t size = OWN->eigen_work(MANY_K);
    ARENA_TRY(ctx, own, work, size);
    memcpy(out, m->a->v, MANY_K * MANY_K * sizeof *out);
    OWN->eigen(MANY_K, out, w, size, work);
    OWN->gemm(true, false, MANY_K, MANY_K, MANY_K, 1.0, out, MANY_K, m->a->v, MANY_K, 0.0, out + MANY_K * MANY_K,
              MANY_K);
    return NONSENS_OK;
}

static void test_threads(void **state)
{
    fixture *f = *state;
    matrix a = symmetric(f, RANDOM, MANY_K);
    struct many m = {f, fixture_doubles(f, (int64_t)MANY_JOBS * 2 * MANY_K * MANY_K), &a};
    plain_choose_again();
    assert_int_equal(parallel_for(f->ctx, 8, MANY_JOBS, NULL, many_job, &m), NONSENS_OK);
    for (int64_t job = 1; job < MANY_JOBS; job++) {
        assert_memory_equal(m.out, m.out + job * 2 * MANY_K * MANY_K, 2 * MANY_K * MANY_K * sizeof *m.out);
    }
}

#ifndef NONSENS_PLAIN_BLAS

static void assert_alike(const matrix *a, const matrix *b, double tolerance, const char *what)
{
    for (int64_t j = 0; j < a->columns; j++) {
        for (int64_t i = 0; i < a->rows; i++) {
            assert_near(*at(a, i, j), *at(b, i, j), tolerance, what, i, j);
        }
    }
}

static void fill_above(matrix *a)
{
    for (int64_t j = 0; j < a->columns; j++) {
        for (int64_t i = 0; i < j; i++) {
            *at(a, i, j) = *at(a, j, i);
        }
    }
}

/* Makes the same call with both libraries, on copies. */
static void compare_factors(fixture *f, int64_t k)
{
    matrix a = positive(f, k), own = copy_of(f, &a), other = copy_of(f, &a);
    assert_int_equal(OWN->cholesky(k, own.v), linalg_openblas.cholesky(k, other.v));
    fill_above(&own);
    fill_above(&other);
    assert_alike(&own, &other, 1e-12, "cholesky of both");
    OWN->invert_cholesky(k, own.v);
    linalg_openblas.invert_cholesky(k, other.v);
    fill_above(&own);
    fill_above(&other);
    assert_alike(&own, &other, 1e-9 * (1.0 + largest(&other)), "inverse of both");
}

static void compare_spectra(fixture *f, int64_t k)
{
    for (spectrum kind = RANDOM; kind < SPECTRA; kind++) {
        matrix a = symmetric(f, kind, k), v;
        double *own = fixture_doubles(f, k), *other = fixture_doubles(f, k), norm = largest(&a);
        find_eigen(f, OWN, &a, &v, own);
        find_eigen(f, &linalg_openblas, &a, &v, other);
        for (int64_t j = 0; j < k; j++) {
            assert_near(own[j], other[j], 20.0 * DBL_EPSILON * (double)(k + 4) * norm, "eigenvalue of both", j, kind);
        }
    }
}

static void compare_qr(fixture *f, int64_t n, int64_t k)
{
    matrix a = random_matrix(f, 18, n, k, 0), own = copy_of(f, &a), other = copy_of(f, &a);
    int64_t size = OWN->qr_work(n, k), wanted = linalg_openblas.qr_work(n, k);
    int32_t *pivot = arena_get(f->ctx, &f->scratch, k, sizeof *pivot);
    int32_t *expected = arena_get(f->ctx, &f->scratch, k, sizeof *expected);
    OWN->pivoted_qr(n, k, own.v, pivot, size, fixture_doubles(f, size));
    linalg_openblas.pivoted_qr(n, k, other.v, expected, wanted, fixture_doubles(f, wanted));
    assert_memory_equal(pivot, expected, (size_t)k * sizeof *pivot);
    for (int64_t j = 0; j < k && j < n; j++) {
        assert_near(fabs(*at(&own, j, j)), fabs(*at(&other, j, j)), 1e-11 * (1.0 + (double)n), "QR of both", j, j);
    }
}

static void test_both_back_ends(void **state)
{
    static const int64_t SIZES[] = {1, 2, 9, 32, 61, 120};
    fixture *f = *state;
    plain_choose_again();
    for (int64_t i = 0; i < COUNT(SIZES); i++) {
        arena_mark mark = arena_tell(&f->scratch);
        compare_factors(f, SIZES[i]);
        compare_spectra(f, SIZES[i]);
        compare_qr(f, SIZES[i], SIZES[i]);
        compare_qr(f, 5 * SIZES[i], SIZES[i]);
        compare_qr(f, SIZES[i], 2 * SIZES[i]);
        arena_rewind(&f->scratch, mark);
    }
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_gemm),
        TEST(test_symmetric_products),
        TEST(test_nan_stays_in_its_row),
        TEST(test_triangular_solves),
        TEST(test_cholesky),
        TEST(test_bad_pivots),
        TEST(test_systems),
        TEST(test_eigen),
        TEST(test_known_eigenvalues),
        TEST(test_qr),
        TEST(test_kahan_matrix),
        TEST(test_threads),
#ifndef NONSENS_PLAIN_BLAS
        TEST(test_both_back_ends),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
