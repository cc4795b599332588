/* test_segment_sample.c - warp, splines, folds and order of rows of the segment classifiers. */
#include "fixtures/segments.h"
#include "segment_rows.h"

static const double SPLINE_TOLERANCE = 2e-15;

static void test_splines_against_scipy(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fixture_spline / sizeof *fixture_spline; i++) {
        const double *c = fixture_spline[i];
        double value[4], sum = 0.0;
        assert_int_equal(sample_spline((int64_t)c[0], c[1], value), (int64_t)c[2]);
        for (int k = 0; k < 4; k++) {
            assert_close(value[k], c[3 + k], SPLINE_TOLERANCE);
            sum += value[k];
        }
        assert_close(sum, 1.0, SPLINE_TOLERANCE);
    }
}

/* ---- warp ---- */

static double *warped(fixture *f, int64_t n, const double *x)
{
    double *out = fixture_doubles(f, n);
    assert_int_equal(sample_warp(f->ctx, &f->scratch, n, x, out), NONSENS_OK);
    return out;
}

static void test_warp_follows_ranks(void **state)
{
    fixture *f = *state;
    enum { N = 200 };
    double x[N], y[N];
    rng r = rng_new(1, RNG_TEST, 0);
    for (int i = 0; i < N; i++) {
        x[i] = floor(5.0 * rng_normal(&r)) / 5.0; // with ties
        y[i] = exp(3.0 * x[i]) - 7.0;
    }
    double *a = warped(f, N, x), *b = warped(f, N, y);
    assert_memory_equal(a, b, N * sizeof *a);
    for (int i = 0; i < N; i++) {
        assert_true(a[i] >= 0.0 && a[i] <= 1.0);
        for (int j = 0; j < N; j++) {
            assert_true((x[i] < x[j]) == (a[i] < a[j]));
            assert_true((x[i] == x[j]) == (a[i] == a[j]));
        }
    }
}

/* If x is negated, t becomes 1 - t; the extremes of untied values lie within half a rank of the ends. */
static void test_warp_is_symmetric(void **state)
{
    fixture *f = *state;
    enum { N = 101 };
    double x[N], y[N];
    rng r = rng_new(2, RNG_TEST, 0);
    for (int i = 0; i < N; i++) {
        x[i] = rng_normal(&r);
        y[i] = -x[i];
    }
    double *a = warped(f, N, x), *b = warped(f, N, y), low = 1.0;
    for (int i = 0; i < N; i++) {
        assert_close(a[i] + b[i], 1.0, 1e-14);
        low = fmin(low, a[i]);
    }
    assert_close(low, 0.25 / N, 1e-14);
}

static void test_warp_of_little(void **state)
{
    fixture *f = *state;
    double constant[] = {3.0, 3.0, 3.0, 3.0}, zeros[] = {0.0, -0.0};
    double *a = warped(f, 4, constant), *b = warped(f, 2, zeros), *one = warped(f, 1, constant);
    for (int i = 0; i < 4; i++) {
        assert_close(a[i], 0.5, 1e-15);
    }
    assert_true(b[0] == b[1]);
    assert_true(one[0] >= 0.0 && one[0] <= 1.0);
}

/* ---- folds ---- */

static void check_balance(const int64_t *count, int64_t folds)
{
    int64_t least = count[0], most = count[0];
    for (int64_t k = 1; k < folds; k++) {
        least = count[k] < least ? count[k] : least;
        most = count[k] > most ? count[k] : most;
    }
    assert_true(most - least <= 1);
}

static void test_folds_are_stratified(void **state)
{
    fixture *f = *state;
    static const int64_t start[] = {0, 7, 8, 31, 60, 62};
    enum { E = 5, K = 4 };
    int32_t *fold, *again, *other;
    int64_t all[K] = {0}, changed = 0;
    assert_int_equal(sample_folds(f->ctx, &f->scratch, E, start, K, 3, 0, &fold), NONSENS_OK);
    assert_int_equal(sample_folds(f->ctx, &f->scratch, E, start, K, 3, 0, &again), NONSENS_OK);
    assert_int_equal(sample_folds(f->ctx, &f->scratch, E, start, K, 3, 1, &other), NONSENS_OK);
    assert_memory_equal(fold, again, 62 * sizeof *fold);
    for (int e = 0; e < E; e++) {
        int64_t count[K] = {0};
        for (int64_t i = start[e]; i < start[e + 1]; i++) {
            assert_true(fold[i] >= 0 && fold[i] < K);
            count[fold[i]]++;
            all[fold[i]]++;
            changed += fold[i] != other[i];
        }
        check_balance(count, K);
    }
    check_balance(all, K);
    assert_true(changed > 20);
}

/* Rows of a segment come in any order: only its number says what a block holds. */
static void test_blocks_are_dealt_whole(void **state)
{
    fixture *f = *state;
    static const int64_t start[] = {0, 40, 49, 120}, bound[] = {0, 11, 13, 30};
    enum { E = 3, K = 4, N = 120, BLOCKS = 30 };
    int32_t block[N], *fold, *again, *other, of[BLOCKS];
    int64_t all[K] = {0}, changed = 0;
    for (int e = 0; e < E; e++) {
        for (int64_t i = start[e]; i < start[e + 1]; i++) {
            block[i] = (int32_t)(bound[e] + (7 * i) % (bound[e + 1] - bound[e]));
        }
    }
    assert_int_equal(sample_block_folds(f->ctx, &f->scratch, E, start, block, BLOCKS, K, 3, 0, &fold), NONSENS_OK);
    assert_int_equal(sample_block_folds(f->ctx, &f->scratch, E, start, block, BLOCKS, K, 3, 0, &again), NONSENS_OK);
    assert_int_equal(sample_block_folds(f->ctx, &f->scratch, E, start, block, BLOCKS, K, 4, 0, &other), NONSENS_OK);
    assert_memory_equal(fold, again, N * sizeof *fold);
    memset(of, -1, sizeof of);
    for (int i = 0; i < N; i++) {
        assert_true(fold[i] >= 0 && fold[i] < K);
        assert_true(of[block[i]] == -1 || of[block[i]] == fold[i]);
        of[block[i]] = fold[i];
        changed += fold[i] != other[i];
    }
    for (int e = 0; e < E; e++) {
        int64_t count[K] = {0};
        for (int64_t b = bound[e]; b < bound[e + 1]; b++) {
            count[of[b]]++;
            all[of[b]]++;
        }
        check_balance(count, K);
    }
    check_balance(all, K);
    assert_true(changed > N / 3);
}

/* ---- order of rows ---- */

static void check_row(const rows *r, const classifier_sample *s, int64_t i)
{
    int64_t row = s->row[i];
    double value[4], other[4];
    int64_t b = sample_spline(s->basis, r->x[0][row], value), c = sample_spline(s->basis, r->x[1][row], other);
    assert_int_equal(s->corner[i], b * s->basis + c);
    assert_memory_equal(s->value + 8 * i, value, sizeof value);
    assert_memory_equal(s->value + 8 * i + 4, other, sizeof other);
    assert_true(row >= r->start[s->label[i]] && row < r->start[s->label[i] + 1]);
}

static void test_sample_holds_every_row_once(void **state)
{
    fixture *f = *state;
    rows r = rows_scales(f, 53, 3, 0.5, 5);
    r.start[1] -= 20; // unequal sizes
    classifier_sample s = rows_sample(f, &r, 4, 7, 1);
    bool *seen = rows_get(f, r.n, sizeof *seen);
    assert_int_equal(s.block[0], 0);
    assert_int_equal(s.block[4], r.n);
    for (int64_t k = 0; k < 4; k++) {
        for (int64_t i = s.block[k]; i < s.block[k + 1]; i++) {
            assert_false(seen[s.row[i]]);
            seen[s.row[i]] = true;
            assert_int_equal(r.fold[s.row[i]], k);
            assert_true(i == s.block[k] || s.corner[i] >= s.corner[i - 1]);
            check_row(&r, &s, i);
        }
    }
    for (int64_t e = 0; e < 3; e++) {
        assert_close(s.share[e], (double)(r.start[e + 1] - r.start[e]) / (double)r.n, 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_splines_against_scipy),       TEST(test_warp_follows_ranks),
        TEST(test_warp_is_symmetric),           TEST(test_warp_of_little),
        TEST(test_folds_are_stratified),        TEST(test_blocks_are_dealt_whole),
        TEST(test_sample_holds_every_row_once),
    };
    return cmocka_run_group_tests_name("segment_sample", tests, NULL, NULL);
}
