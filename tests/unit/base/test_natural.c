/* test_natural.c - the order of labels: numbers by value, digits inside words as numbers, from any initial order. */
#include "base/natural.h"

#include <stdlib.h>

#include "fixture.h"

static const char *const SORTED[] = {"-2",   "-.5", "0",    "1",   "1.5", "2",     "02.5",  "3e1",     "100",
                                     "1,5",  "2 a", "10 a", "Z1",  "a",   "a1",    "a1b2",  "a1b10",   "a2",
                                     "a02b", "a10", "a10b", "nan", "s9",  "s10.1", "s10.2", "\xc3\xa4"};
enum { COUNT = sizeof SORTED / sizeof *SORTED };

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

static void test_order(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < COUNT; k++) {
            assert_int_equal(sign(natural_compare(SORTED[i], SORTED[k])), sign(i - k));
        }
    }
}

static void test_equal_values_have_an_order(void **state)
{
    (void)state;
    static const char *const PAIRS[][2] = {{"1", "1.0"}, {"01", "1"}, {"a01", "a1"}, {"", "0"}};
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
        int forward = natural_compare(PAIRS[i][0], PAIRS[i][1]);
        assert_int_not_equal(forward, 0);
        assert_int_equal(sign(forward), -sign(natural_compare(PAIRS[i][1], PAIRS[i][0])));
    }
    assert_int_equal(natural_compare("a", "a"), 0);
    assert_true(natural_compare("99999999999999999999998", "99999999999999999999999") != 0);
}

/* Shuffles a sorted list and expects it back. */
static void expect_order(const char *const *sorted, int64_t count)
{
    enum { MAX = 16 };
    const char *label[MAX];
    int64_t *order;
    arena a = {0};
    nonsens_context *ctx = nonsens_context_new();
    for (int64_t shift = 0; shift < count; shift++) {
        for (int64_t i = 0; i < count; i++) {
            label[(i * 7 + shift) % count] = sorted[i]; // 7 is coprime to the counts below
        }
        assert_int_equal(natural_order(ctx, &a, count, label, &order), NONSENS_OK);
        for (int64_t i = 0; i < count; i++) {
            assert_string_equal(label[order[i]], sorted[i]);
        }
    }
    arena_free(&a);
    nonsens_context_free(ctx);
}

#define EXPECT_ORDER(...)                                     \
    do {                                                      \
        static const char *const sorted[] = {__VA_ARGS__};    \
        expect_order(sorted, sizeof sorted / sizeof *sorted); \
    } while (0)

static void test_calendar(void **state)
{
    (void)state;
    EXPECT_ORDER("Monday", "tuesday", "Wednesday", "Thursday", "Friday", "Sunday");
    EXPECT_ORDER("mon", "Tues", "SUN");
    EXPECT_ORDER("Feb", "March", "Apr", "Sept", "december");
    EXPECT_ORDER("Dec 2023", "Jan 2024", "February 2024", "Jan 2025");
    EXPECT_ORDER("31.12.2023", "1.2.2024", "02.02.2024", "1.11.2024");
    EXPECT_ORDER("12/31/2023", "2/1/2024", "2/13/2024", "11/1/2024");
    EXPECT_ORDER("2023-12-31", "2024-02-01", "2024-02-10", "2024-11-01");
    EXPECT_ORDER("2", "10", "100");
    EXPECT_ORDER("s2", "s10");
}

/* One label of a different kind makes all of them texts. */
static void test_not_the_calendar(void **state)
{
    (void)state;
    EXPECT_ORDER("Friday", "Holiday", "Monday");
    EXPECT_ORDER("Feb", "Jan 2024 A", "Mar");
    EXPECT_ORDER("Mo", "Su", "Tu");
    EXPECT_ORDER("1.2.20240", "2.1.2024");
    EXPECT_ORDER("32.12.2023", "33.1.2023");
    EXPECT_ORDER("Mayor", "Monday");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_equal_values_have_an_order),
        cmocka_unit_test(test_calendar),
        cmocka_unit_test(test_not_the_calendar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
