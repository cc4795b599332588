/* Base: known answers of Philox, distributions, arenas, the parallel loop, cancelling and messages. */
#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/show.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

#include <cmocka.h>
#undef fail /* cmocka's macro hides the function under test */

/* The known-answer vectors that the authors publish with the generator (Random123, philox 4x32, 10 rounds). */
static void test_philox_known_answers(void **state)
{
    (void)state;
    static const uint32_t vectors[3][10] = {{0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
                                            {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
                                             0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
                                            {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0,
                                             0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}};
    for (int v = 0; v < 3; v++) {
        uint32_t out[4];
        philox4x32(vectors[v], vectors[v] + 4, out);
        assert_memory_equal(out, vectors[v] + 6, sizeof out);
    }
}

static void test_streams_are_named_and_differ(void **state)
{
    (void)state;
    rng a = rng_new(1, RNG_TEST, 0), again = rng_new(1, RNG_TEST, 0);
    rng others[] = {rng_new(2, RNG_TEST, 0), rng_new(1, RNG_FOLDS, 0), rng_new(1, RNG_TEST, 1),
                    rng_new(1, RNG_TEST, 1ull << 40)};
    uint64_t first = rng_u64(&a);
    assert_true(first == rng_u64(&again));
    for (int k = 0; k < 4; k++) {
        assert_true(first != rng_u64(&others[k]));
    }
}

static void test_numbers_are_skipped(void **state)
{
    (void)state;
    for (int64_t count = 0; count < 8; count++) {
        rng drawn = rng_new(5, RNG_TEST, 3), skipped = drawn;
        for (int64_t i = 0; i < count; i++) {
            rng_uniform(&drawn);
        }
        rng_skip(&skipped, count);
        for (int i = 0; i < 5; i++) {
            assert_true(rng_uniform(&drawn) == rng_uniform(&skipped));
        }
    }
}

typedef double (*draw_fn)(rng *r);
static double draw_gamma(rng *r)
{
    return rng_gamma(r, 0.5);
}
static double draw_student(rng *r)
{
    return rng_student(r, 10);
}

static void check_moments(draw_fn draw, double mean, double variance)
{
    enum { DRAWS = 200000 };
    rng r = rng_new(3, RNG_TEST, 7);
    double sum = 0, square = 0;
    for (int i = 0; i < DRAWS; i++) {
        double v = draw(&r);
        sum += v;
        square += v * v;
    }
    double m = sum / DRAWS, s = square / DRAWS - m * m;
    assert_true(fabs(m - mean) < 5 * sqrt(variance / DRAWS));
    assert_true(fabs(s / variance - 1) < 0.05);
}

static void test_distributions_have_their_moments(void **state)
{
    (void)state;
    check_moments(rng_uniform, 0.5, 1.0 / 12);
    check_moments(rng_normal, 0, 1);
    check_moments(rng_laplace, 0, 2);
    check_moments(draw_gamma, 0.5, 0.5);
    check_moments(draw_student, 0, 1.25);
}

static void test_below_is_even_and_shuffle_permutes(void **state)
{
    (void)state;
    rng r = rng_new(4, RNG_TEST, 0);
    int count[7] = {0};
    for (int i = 0; i < 70000; i++) {
        count[rng_below(&r, 7)]++;
    }
    for (int k = 0; k < 7; k++) {
        assert_true(abs(count[k] - 10000) < 500);
    }
    int64_t index[100], seen[100] = {0}, moved = 0;
    for (int i = 0; i < 100; i++) {
        index[i] = i;
    }
    rng_shuffle(&r, 100, index);
    for (int i = 0; i < 100; i++) {
        seen[index[i]]++;
        moved += index[i] != i;
    }
    for (int i = 0; i < 100; i++) {
        assert_int_equal(seen[i], 1);
    }
    assert_true(moved > 80);
}

/* Every order of three values is drawn equally often, within four standard errors. */
static void test_all_orders_are_equally_likely(void **state)
{
    (void)state;
    enum { DRAWS = 6000, ORDERS = 6 };
    int64_t count[3][3] = {{0}};
    rng r = rng_new(5, RNG_TEST, 0);
    for (int k = 0; k < DRAWS; k++) {
        int64_t index[3] = {0, 1, 2};
        rng_shuffle(&r, 3, index);
        count[index[0]][index[1]]++;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double expected = i == j ? 0.0 : (double)DRAWS / ORDERS;
            assert_true(fabs((double)count[i][j] - expected) <= 4.0 * sqrt(expected));
        }
    }
}

static void test_arena_hands_out_zeroed_aligned_memory(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    arena a = {0};
    for (int64_t k = 1; k < 300; k += 7) {
        char *block = arena_get(ctx, &a, k * 100, 1);
        assert_non_null(block);
        assert_true((uintptr_t)block % 64 == 0);
        for (int64_t i = 0; i < k * 100; i++) {
            assert_true(block[i] == 0);
        }
        memset(block, 0x5a, (size_t)k * 100);
    }
    arena_mark mark = arena_tell(&a);
    char *first = arena_get(ctx, &a, 64, 1);
    memset(first, 1, 64);
    assert_non_null(arena_get(ctx, &a, 1 << 20, 1));
    arena_rewind(&a, mark);
    char *again = arena_get(ctx, &a, 64, 1);
    assert_true(again[0] == 0 && again[63] == 0);
    assert_null(arena_get(ctx, &a, INT64_MAX, 16)); /* the product overflows */
    assert_null(arena_get(ctx, &a, -1, 1));
    assert_non_null(strstr(nonsens_context_message(ctx), "memory"));
    assert_string_equal(arena_format(ctx, &a, "%s-%d", "row", 7), "row-7");
    arena_free(&a);
    nonsens_context_free(ctx);
}

/* The address sanitizer sees an access past the end of a block, and into a block that was given back. */
static void test_arena_hides_what_nobody_asked_for(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__)
    nonsens_context *ctx = nonsens_context_new();
    arena a = {0};
    arena_mark mark = arena_tell(&a);
    double *first = arena_get(ctx, &a, 3, sizeof *first), *second = arena_get(ctx, &a, 3, sizeof *second);
    assert_false(__asan_address_is_poisoned(first + 2));
    assert_true(__asan_address_is_poisoned(first + 3));
    assert_true(__asan_address_is_poisoned(second + 3));
    arena_rewind(&a, mark);
    assert_true(__asan_address_is_poisoned(second));
    arena_free(&a);
    nonsens_context_free(ctx);
#else
    skip();
#endif
}

static nonsens_status count_up(nonsens_context *ctx, arena *a, int64_t count, int64_t **out)
{
    int64_t *number = NULL, capacity = 0;
    for (int64_t k = 0; k < count; k++) {
        ARENA_GROW(ctx, a, number, k, capacity);
        assert_true(k < capacity);
        number[k] = k;
    }
    *out = number;
    return NONSENS_OK;
}

static void test_arrays_grow(void **state)
{
    nonsens_context *ctx = nonsens_context_new();
    arena a = {0};
    int64_t *number = NULL;
    assert_int_equal(count_up(ctx, &a, 1000, &number), NONSENS_OK);
    for (int64_t k = 0; k < 1000; k++) {
        assert_int_equal(number[k], k);
    }
    arena_free(&a);
    memory_fail_at(0);
    assert_int_equal(count_up(ctx, &a, 1, &number), NONSENS_ERR_MEMORY);
    memory_fail_at(-1);
    arena_free(&a);
    nonsens_context_free(ctx);
    (void)state;
}

static nonsens_status square_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    (void)scratch;
    (void)ctx;
    ((int64_t *)state)[job] = job * job;
    return NONSENS_OK;
}

static nonsens_status failing_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    (void)scratch;
    (void)state;
    return job >= 3 ? fail(ctx, NONSENS_ERR_DATA, "job %d", (int)job) : NONSENS_OK;
}

static int count_calls(void *user, const char *phase, int64_t done, int64_t total)
{
    (void)phase;
    assert_true(done <= total);
    return ++*(int *)user >= 2; /* cancels at the second call */
}

static void test_parallel_loop_runs_fails_and_cancels(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    int64_t squares[100];
    for (int threads = 0; threads <= 8; threads += 4) {
        memset(squares, 0, sizeof squares);
        assert_int_equal(parallel_for(ctx, threads, 100, NULL, square_job, squares), NONSENS_OK);
        for (int64_t i = 0; i < 100; i++) {
            assert_int_equal(squares[i], i * i);
        }
        assert_int_equal(parallel_for(ctx, threads, 50, NULL, failing_job, NULL), NONSENS_ERR_DATA);
        assert_string_equal(nonsens_context_message(ctx), "job 3");
    }
    assert_int_equal(parallel_for(ctx, 2, 0, NULL, square_job, squares), NONSENS_OK);
    int calls = 0;
    nonsens_context_set_progress(ctx, count_calls, &calls);
    assert_int_equal(parallel_for(ctx, 1, 100, "work", square_job, squares), NONSENS_CANCELLED);
    assert_true(calls >= 2);
    context_begin(ctx);
    assert_false(is_cancelled(ctx));
    nonsens_context_cancel(ctx);
    assert_int_equal(parallel_for(ctx, 2, 10, NULL, square_job, squares), NONSENS_CANCELLED);
    nonsens_context_free(ctx);
}

static nonsens_status reporting_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    int64_t squares[3];
    (void)scratch;
    (void)job;
    (void)state;
    report_progress(ctx, "inside", 1, 2);
    return parallel_for(ctx, 1, 3, "inner loop", square_job, squares);
}

static int count_phases(void *user, const char *phase, int64_t done, int64_t total)
{
    int *calls = user; // number of reports of the outer loop, and of those inside it
    (void)done;
    (void)total;
    calls[strcmp(phase, "outer loop") != 0]++;
    return 0;
}

static void test_jobs_of_a_reported_loop_are_silent(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    int calls[2] = {0, 0};
    nonsens_context_set_progress(ctx, count_phases, calls);
    assert_int_equal(parallel_for(ctx, 1, 5, "outer loop", reporting_job, NULL), NONSENS_OK);
    assert_int_equal(calls[0], 5);
    assert_int_equal(calls[1], 0);
    assert_int_equal(parallel_for(ctx, 1, 5, NULL, reporting_job, NULL), NONSENS_OK);
    assert_int_equal(calls[0], 5);
    assert_int_equal(calls[1], 20);
    nonsens_context_free(ctx);
}

static void test_shown_text(void **state)
{
    (void)state;
    char out[SHOWN_BYTES], small[12];
    assert_string_equal(show_quoted(out, "caf\xc3\xa9"), "\"caf\xc3\xa9\"");
    assert_string_equal(show_quoted(out, ""), "\"\"");
    assert_string_equal(show_bare(out, ""), "\"\"");
    assert_string_equal(show_bare(out, "a\nb\x7f"), "a\\x0ab\\x7f");
    assert_string_equal(show_bare(out, "\xc2\x9b"), "\\xc2\\x9b"); // U+009B, the CSI of terminals
    assert_string_equal(show_bare(out, "\xe2\x80\xae"
                                       "x"),
                        "\\xe2\\x80\\xaex");                             // a right-to-left override
    assert_string_equal(show_bare(out, "\xe2\x80\x94"), "\xe2\x80\x94"); // a dash
    assert_string_equal(show_bare(out, "1234567890123456789012345678901234567890"),
                        "1234567890123456789012345678901234567890");
    assert_string_equal(show_bare(out, "12345678901234567890abcde6789012345678901"),
                        "12345678901234567890...e6789012345678901");
    assert_string_equal(show_quoted(out, "12345678901234567890abcde678901234567890\n"),
                        "\"12345678901234567890...8901234567890\\x0a\"");
    assert_string_equal(show_text(small, sizeof small, "abcdefghijklmnop", 16, 100), "abcde...");
}

/* A message is one line, and dots show where it was cut. */
static void test_messages_are_clean(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    char text[5000];
    assert_int_equal(fail(ctx, NONSENS_ERR_DATA, "%s", "two\nlines\x1b[0m"), NONSENS_ERR_DATA);
    assert_string_equal(nonsens_context_message(ctx), "two\\x0alines\\x1b[0m");
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    fail(ctx, NONSENS_ERR_DATA, "%s", text);
    size_t length = strlen(nonsens_context_message(ctx));
    assert_true(length > MESSAGE_BYTES - 16 && length < MESSAGE_BYTES);
    assert_string_equal(nonsens_context_message(ctx) + length - 4, "x...");
    nonsens_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_philox_known_answers),
        cmocka_unit_test(test_streams_are_named_and_differ),
        cmocka_unit_test(test_numbers_are_skipped),
        cmocka_unit_test(test_distributions_have_their_moments),
        cmocka_unit_test(test_below_is_even_and_shuffle_permutes),
        cmocka_unit_test(test_all_orders_are_equally_likely),
        cmocka_unit_test(test_arena_hands_out_zeroed_aligned_memory),
        cmocka_unit_test(test_arena_hides_what_nobody_asked_for),
        cmocka_unit_test(test_arrays_grow),
        cmocka_unit_test(test_parallel_loop_runs_fails_and_cancels),
        cmocka_unit_test(test_jobs_of_a_reported_loop_are_silent),
        cmocka_unit_test(test_shown_text),
        cmocka_unit_test(test_messages_are_clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
