/* test_number.c - number_parse against the C library's strtod (in the C locale) and against known values. */
#include "base/number.h"
#include "base/rng.h"
#include "nonsens/nonsens.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES = 4096 };

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Checks that the whole text is read, to exactly the same bits as by strtod. */
static void check_like_strtod(const char *text)
{
    const char *end = text + strlen(text);
    double ours = -77.0, theirs = strtod(text, NULL);
    const char *after = number_parse(text, end, &ours);
    if (after != end || bits_of(ours) != bits_of(theirs)) {
        print_error("\"%s\": %zu bytes read, %a instead of %a\n", text, (size_t)(after - text), ours, theirs);
        fail();
    }
}

static void check_rest(const char *text, int read, double expected)
{
    double value = -77.0;
    const char *after = number_parse(text, text + strlen(text), &value);
    assert_int_equal(after - text, read);
    if (read > 0) {
        assert_int_equal(bits_of(value), bits_of(expected));
    } else {
        assert_true(value == -77.0);
    }
}

static void test_grammar(void **state)
{
    (void)state;
    check_rest("12", 2, 12.0);
    check_rest("-0", 2, -0.0);
    check_rest("+.5", 3, 0.5);
    check_rest("5.", 2, 5.0);
    check_rest("1e3,", 3, 1000.0);
    check_rest("1E+3", 4, 1000.0);
    check_rest("1.5e-3x", 6, 0.0015);
    check_rest("1e", 1, 1.0);
    check_rest("1e+", 1, 1.0);
    check_rest("1,5", 1, 1.0);
    check_rest("0x10", 1, 0.0);
    check_rest("1_000", 1, 1.0);
    check_rest("", 0, 0.0);
    check_rest("-", 0, 0.0);
    check_rest(".", 0, 0.0);
    check_rest("-.", 0, 0.0);
    check_rest(".e5", 0, 0.0);
    check_rest("e5", 0, 0.0);
    check_rest(" 1", 0, 0.0);
    check_rest("--1", 0, 0.0);
    check_rest("in", 0, 0.0);
    check_rest("na", 0, 0.0);
}

static void test_words(void **state)
{
    (void)state;
    check_rest("inf", 3, INFINITY);
    check_rest("-Inf", 4, -INFINITY);
    check_rest("+INFINITY", 9, INFINITY);
    check_rest("infinite", 3, INFINITY);
    double value = 0.0;
    const char *text = "NaN";
    assert_ptr_equal(number_parse(text, text + 3, &value), text + 3);
    assert_true(isnan(value));
    text = "-nan";
    assert_ptr_equal(number_parse(text, text + 4, &value), text + 4);
    assert_true(isnan(value));
}

static void test_stops_at_end(void **state)
{
    (void)state;
    const char *text = "1234.5678e12";
    for (int length = 1; length <= 12; length++) {
        char part[16] = {0};
        memcpy(part, text, (size_t)length);
        double value = -1.0;
        const char *after = number_parse(text, text + length, &value);
        int expected = length == 10 ? 9 : length; /* "1234.5678e" has no exponent yet */
        assert_int_equal(after - text, expected);
        assert_int_equal(bits_of(value), bits_of(strtod(part, NULL)));
    }
}

static void test_known_hard_cases(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "9007199254740993",
        "9007199254740992.999999999999999999999999",
        "9007199254740993.00000000000000000000000000000000000000000000000000000000000001",
        "2.2250738585072011e-308",
        "2.2250738585072012e-308",
        "2.2250738585072014e-308",
        "4.9e-324",
        "2.4703282292062327208299439e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "2.5e-324",
        "1e-325",
        "1e-400",
        "1e-100000000000000000000000000",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "179769313486231580793728971405301e276",
        "1e309",
        "1e400",
        "1e99999999999999999999999999",
        "0e99999999999999999999999999",
        "0.000000000000000000000000000000000e5",
        "00000000000000000000000000000000001.5",
        "100000000000000000000000000000000000000",
        "1e23",
        "8.5e22",
        "123456789012345678e-27",
        "18446744073709551615",
        "18446744073709551616",
        "9999999999999999999",
        "99999999999999999999",
        "6.02214076e23",
        "-1.602176634e-19",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "0.500000000000000166533453693773481063544750213623046875",
        "3.237883913302901289588352412501532174863037669423108059901297049552301970670676565786835742587"
        "7995578606157765598382834355143910841531692526891905643964595773946180389283653051434639551003"
        "566966656292020173313440317300443693602052583458034314716600326995807313009548483639755486900"
        "10751530018881758184174569652173110473696022749934638425380623369774736560008997404060967498028"
        "389e-306",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        check_like_strtod(texts[i]);
    }
}

/* Random bits, so that every exponent is equally likely; the text has between 1 and 25 digits. */
static void test_random_doubles(void **state)
{
    (void)state;
    enum { TRIES = 400000 };
    rng r = rng_new(1, RNG_TEST, 1);
    char text[TEXT_BYTES];
    for (int i = 0; i < TRIES; i++) {
        double value;
        uint64_t bits = rng_u64(&r);
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) {
            snprintf(text, sizeof text, "%.*e", (int)rng_below(&r, 25), value);
            check_like_strtod(text);
        }
    }
}

/* Numbers as in data files: a few digits, a point somewhere, small exponents. */
static void test_random_plain_numbers(void **state)
{
    (void)state;
    enum { TRIES = 1000000, MAX_DIGITS = 40 };
    rng r = rng_new(1, RNG_TEST, 2);
    for (int i = 0; i < TRIES; i++) {
        char text[TEXT_BYTES];
        int used = 0, digits = 1 + (int)rng_below(&r, i % 8 == 0 ? MAX_DIGITS : 20);
        int point = (int)rng_below(&r, (uint64_t)digits + 4);
        if (rng_below(&r, 2)) {
            text[used++] = '-';
        }
        for (int k = 0; k < digits; k++) {
            if (k == point) {
                text[used++] = '.';
            }
            text[used++] = (char)('0' + rng_below(&r, 10));
        }
        text[used] = '\0';
        if (rng_below(&r, 4) == 0) {
            snprintf(text + used, sizeof text - (size_t)used, "e%d", (int)rng_below(&r, 61) - 30);
        }
        check_like_strtod(text);
    }
}

/* Small integers times powers of ten over the whole range, including subnormal and infinite values. */
static void test_random_exponents(void **state)
{
    (void)state;
    enum { TRIES = 200000 };
    rng r = rng_new(1, RNG_TEST, 3);
    for (int i = 0; i < TRIES; i++) {
        char text[TEXT_BYTES];
        uint64_t word = rng_u64(&r) >> rng_below(&r, 64);
        snprintf(text, sizeof text, "%" PRIu64 "e%d", word, (int)rng_below(&r, 700) - 360);
        check_like_strtod(text);
    }
}

/*
 * The exact decimal expansion of the point halfway between two neighbouring doubles, and the numbers a little below and
 * above it.  long double has at least 64 bits here, which hold the halfway point.
 */
static void check_halfway(double value)
{
    enum { EXACT_DIGITS = 780 };
    long double next = nextafter(value, INFINITY);
    long double middle = ((long double)value + next) / 2.0L;
    char text[TEXT_BYTES], longer[TEXT_BYTES];
    snprintf(text, sizeof text, "%.*Le", EXACT_DIGITS, middle);
    check_like_strtod(text);
    char *exponent = strchr(text, 'e');
    snprintf(longer, sizeof longer, "%.*s%0100d1%s", (int)(exponent - text), text, 0, exponent);
    check_like_strtod(longer);
    char *last = exponent - 1; /* the expansion ends in zeros; decreases its last digit that is not zero */
    while (*last == '0') {
        last--;
    }
    if (*last != '.') {
        (*last)--;
        check_like_strtod(text);
        memset(last + 1, '9', (size_t)(exponent - last - 1));
        check_like_strtod(text);
    }
}

static void test_halfway_cases(void **state)
{
    (void)state;
    enum { TRIES = 1500 };
    rng r = rng_new(1, RNG_TEST, 4);
    for (int i = 0; i < TRIES; i++) {
        double value;
        uint64_t bits = rng_u64(&r) >> 1;
        if (i % 3 == 0) {
            bits >>= 11; /* subnormal, and the smallest normal numbers */
        }
        if (i % 3 == 1) {
            bits = bits_of(ldexp(rng_uniform(&r), (int)rng_below(&r, 120) - 60));
        }
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value) && isfinite(nextafter(value, INFINITY))) {
            check_halfway(value);
        }
    }
    check_halfway(0.0);
    check_halfway(5e-324);
    check_halfway(2.2250738585072009e-308);
}

static void test_very_long_numbers(void **state)
{
    (void)state;
    enum { TRIES = 2000, LONGEST = 1500 };
    rng r = rng_new(1, RNG_TEST, 5);
    for (int i = 0; i < TRIES; i++) {
        char text[TEXT_BYTES];
        int digits = i < 500 ? 800 : 20 + (int)rng_below(&r, LONGEST - 20);
        int zeros = (int)rng_below(&r, 2) * (int)rng_below(&r, 330);
        int used = snprintf(text, sizeof text, "%0*d.", zeros + 1, 0);
        for (int k = 0; k < digits; k++) {
            text[used++] = (char)('0' + rng_below(&r, 10));
        }
        snprintf(text + used, sizeof text - (size_t)used, "e%d", (int)rng_below(&r, 700) - 350);
        check_like_strtod(text);
    }
}

/* Leading zeros after the point, and an exponent that cancels them. */
static void test_zeros_against_exponent(void **state)
{
    (void)state;
    enum { ZEROS = 100000 };
    char *text = malloc(ZEROS + 64);
    assert_non_null(text);
    memset(text, '0', ZEROS);
    text[1] = '.';
    snprintf(text + ZEROS, 64, "15e%d", ZEROS);
    check_like_strtod(text);
    text[0] = '7';
    text[1] = '0';
    snprintf(text + ZEROS, 64, "e-%d", ZEROS);
    check_like_strtod(text);
    free(text);
}

/* From the bound on, p is shown as a number; below it as the bound, whether it is 0, tiny or nearly the bound. */
static void test_p_values_end_at_the_bound(void **state)
{
    (void)state;
    char buffer[NUMBER_BYTES];
    assert_true(nonsens_p_value_bound() == P_VALUE_BOUND);
    assert_string_equal(number_print_p(buffer, 1.0), "1");
    assert_string_equal(number_print_p(buffer, 0.046875), "0.0469");
    assert_string_equal(number_print_p(buffer, P_VALUE_BOUND), "0.001");
    assert_string_equal(number_print_p(buffer, nextafter(P_VALUE_BOUND, 0.0)), "< 0.001");
    assert_string_equal(number_print_p(buffer, 1e-30), "< 0.001");
    assert_string_equal(number_print_p(buffer, 0.0), "< 0.001");
    assert_string_equal(number_print_p(buffer, NAN), "-");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grammar),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_stops_at_end),
        cmocka_unit_test(test_known_hard_cases),
        cmocka_unit_test(test_random_doubles),
        cmocka_unit_test(test_random_plain_numbers),
        cmocka_unit_test(test_random_exponents),
        cmocka_unit_test(test_halfway_cases),
        cmocka_unit_test(test_very_long_numbers),
        cmocka_unit_test(test_zeros_against_exponent),
        cmocka_unit_test(test_p_values_end_at_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
