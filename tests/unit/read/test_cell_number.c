/* test_cell_number.c - numbers as people write them, and dates. */
#include "read/cell_number.h"
#include "read/dates.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const cell_format point = {.decimal = '.'}, comma = {.decimal = ','};

static void check(const cell_format *format, const char *text, enum cell_kind kind, double value, const char *unit)
{
    cell_reading r = cell_read(format, text, (int64_t)strlen(text));
    if (r.kind != kind || (kind >= CELL_NUMBER && r.value != value) ||
        (kind == CELL_UNIT &&
         (r.unit_length != (int64_t)strlen(unit) || memcmp(r.unit, unit, (size_t)r.unit_length) != 0))) {
        print_error("\"%s\": kind %d, value %g\n", text, (int)r.kind, r.value);
        fail();
    }
}

static void test_decimal_commas(void **state)
{
    (void)state;
    check(&comma, "1,5", CELL_NUMBER, 1.5, NULL);
    check(&comma, "-,5e-2", CELL_NUMBER, -0.005, NULL);
    check(&comma, "12", CELL_NUMBER, 12.0, NULL);
    check(&comma, "1.5", CELL_TEXT, 0.0, NULL);
    check(&comma, "1,5,2", CELL_TEXT, 0.0, NULL);
    check(&point, "1,5", CELL_TEXT, 0.0, NULL);
    check(&comma, ",", CELL_TEXT, 0.0, NULL);
}

static void test_thousands(void **state)
{
    static const cell_format english = {.decimal = '.', .thousands = ','}, german = {.decimal = ',', .thousands = '.'},
                             french = {.decimal = ',', .thousands = ' '}, swiss = {.decimal = '.', .thousands = '\''};
    (void)state;
    check(&english, "1,234,567.5", CELL_NUMBER, 1234567.5, NULL);
    check(&english, "999", CELL_NUMBER, 999.0, NULL);
    check(&english, "1234.5", CELL_NUMBER, 1234.5, NULL);
    check(&english, "1,23", CELL_TEXT, 0.0, NULL);
    check(&english, "1234,567", CELL_TEXT, 0.0, NULL);
    check(&english, "0,123", CELL_TEXT, 0.0, NULL);
    check(&german, "-1.234,5", CELL_NUMBER, -1234.5, NULL);
    check(&french, "1 234,5", CELL_NUMBER, 1234.5, NULL);
    check(&french,
          "1\xC2\xA0"
          "234\xE2\x80\xAF"
          "567",
          CELL_NUMBER, 1234567.0, NULL);
    check(&swiss, "1'234.5", CELL_NUMBER, 1234.5, NULL);
}

static void test_units(void **state)
{
    static const char *const texts[] = {"1st",  "2ND", "10 pm", "12b34", "2024-01-01", "5 rpm now",
                                        "0x10", "3/4", "1:30",  "rpm",   "5 _",        "7 aaaaaaaaaaaaaaaaa"};
    (void)state;
    check(&point, "104.2 rpm", CELL_UNIT, 104.2, "rpm");
    check(&point, "5%", CELL_UNIT, 5.0, "%");
    check(&point,
          "20\xC2\xA0\xC2\xB0"
          "C",
          CELL_UNIT, 20.0,
          "\xC2\xB0"
          "C");
    check(&point, "3 m/s2", CELL_UNIT, 3.0, "m/s2");
    check(&point, "3 kg/m^3", CELL_UNIT, 3.0, "kg/m^3");
    check(&point, "1 /min", CELL_UNIT, 1.0, "/min");
    check(&comma, "1,5 mm", CELL_UNIT, 1.5, "mm");
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        check(&point, texts[k], CELL_TEXT, 0.0, NULL);
    }
}

static void test_missing(void **state)
{
    static const char *const words[] = {"", "NA", "n/a", "#N/A", "NULL", "-", "--", ".", "?", "None", "n.a.", "nan"};
    static const cell_format given = {.decimal = ',', .missing = "unknown, -999 ,x y"};
    double numbers[2];
    (void)state;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        check(&point, words[k], CELL_MISSING, 0.0, NULL);
    }
    check(&given, "unknown", CELL_MISSING, 0.0, NULL);
    check(&given, "-999,0", CELL_MISSING, 0.0, NULL);
    check(&given, "x y", CELL_MISSING, 0.0, NULL);
    check(&given, "-99", CELL_NUMBER, -99.0, NULL);
    check(&given, "Unknown", CELL_TEXT, 0.0, NULL);
    assert_true(cell_is_missing(&given, "n/a", 3, true));
    assert_false(cell_is_missing(&given, "-", 1, true));
    assert_false(cell_is_missing(&given, "none", 4, true));
    assert_int_equal(cell_missing_numbers("unknown,-999,1e3,7", numbers, 2), 2);
    assert_true(numbers[0] == -999.0 && numbers[1] == 1000.0);
}

static void check_date(const char *text, enum period period, const char *expected)
{
    char out[PERIOD_BYTES];
    moment when;
    bool ok = date_read(text, ORDER_DAY_FIRST, &when);
    const char *found = ok ? period_print(out, period, &when) : "no date";
    if (strcmp(found, expected) != 0) {
        print_error("%s: %s\n", text, found);
        fail();
    }
}

/* Weeks as given by Python's date.isocalendar. */
static void test_dates(void **state)
{
    static const char *const none[] = {"2023-02-29", "31.04.2024", "2024-13-01",       "2024-01-01x",
                                       "2024-1",     "12:30",      "2024-01-01 25:00", "1.2.24",
                                       "20241301",   "",           "1/2-2024"};
    (void)state;
    check_date("2024-02-29", PERIOD_DAY, "2024-02-29");
    check_date("2024/2/9", PERIOD_MONTH, "2024-02");
    check_date("20240301", PERIOD_DAY, "2024-03-01");
    check_date("01.03.2024 7:05", PERIOD_HOUR, "2024-03-01 07:00");
    check_date("1/3/2024 11:59:59 pm", PERIOD_HOUR, "2024-03-01 23:00");
    check_date("2024-03-01T14:05:06.789+02:00", PERIOD_HOUR, "2024-03-01 14:00");
    check_date("2024-03-01T14:05Z", PERIOD_DAY, "2024-03-01");
    check_date("1709301900", PERIOD_HOUR, "2024-03-01 14:00");
    check_date("1709301900123", PERIOD_DAY, "2024-03-01");
    check_date("2024-12-30", PERIOD_WEEK, "2025-W01");
    check_date("2023-01-01", PERIOD_WEEK, "2022-W52");
    check_date("2020-12-31", PERIOD_WEEK, "2020-W53");
    check_date("1970-01-01", PERIOD_WEEK, "1970-W01");
    check_date("1899-06-15", PERIOD_WEEK, "1899-W24");
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        check_date(none[k], PERIOD_DAY, "no date");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_decimal_commas), cmocka_unit_test(test_thousands),
                                       cmocka_unit_test(test_units), cmocka_unit_test(test_missing),
                                       cmocka_unit_test(test_dates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
