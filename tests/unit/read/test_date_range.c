/* test_date_range.c - dates in three notations become one that sorts correctly; other text is not a date. */
#include "read/date_range.h"

#include <string.h>

#include "fixture.h"

static void test_spellings(void **state)
{
    (void)state;
    static const char *const PAIRS[][2] = {{"2024-03-01", "2024-03-01"},
                                           {"2024/03/01", "2024-03-01"},
                                           {"01.03.2024", "2024-03-01"},
                                           {"2024-03-01T08:30:15.25Z", "2024-03-01 08:30:15"},
                                           {"01.03.2024 08:30", "2024-03-01 08:30:00"}};
    char out[DATE_BYTES];
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
        assert_true(date_parse(PAIRS[i][0], (int64_t)strlen(PAIRS[i][0]), out));
        assert_string_equal(out, PAIRS[i][1]);
    }
}

static void test_other_texts(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"",         "2024-13-01", "2024-03/01", "2024-03-01x", "2024-03-01 noon",
                                        "1.3.2024", "monday"};
    char out[DATE_BYTES];
    for (size_t i = 0; i < sizeof TEXTS / sizeof *TEXTS; i++) {
        assert_false(date_parse(TEXTS[i], (int64_t)strlen(TEXTS[i]), out));
    }
    assert_false(date_parse("2024\0"
                            "03-01",
                            10, out));
}

static void test_range(void **state)
{
    (void)state;
    date_range range = {0};
    date_range_add(&range, "02.01.2024", 10);
    date_range_add(&range, "2023-12-31", 10);
    date_range_add(&range, "2024-01-01", 10);
    assert_int_equal(range.count, 3);
    assert_string_equal(range.first, "2023-12-31");
    assert_string_equal(range.last, "2024-01-02");
    date_range_add(&range, "unknown", 7);
    assert_true(range.other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_spellings), cmocka_unit_test(test_other_texts),
                                       cmocka_unit_test(test_range)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
