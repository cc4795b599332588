/* test_natural.c - the order of labels: numbers by value, digits inside of words as numbers, the same for any start. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_equal_values_have_an_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
