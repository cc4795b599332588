/*
 * number.c - reads decimal text as the nearest double (ties to even), the same in every locale.
 *
 * Three methods, each exact, are tried in turn:
 *   1. up to 53 bits of digits and powers of ten up to 10^22: both are doubles, so that one multiplication or division
 *      rounds once (Clinger, "How to read floating point numbers accurately", PLDI 1990)
 *   2. up to 19 digits and powers of ten up to 10^27: the product or the quotient in 128-bit integers
 *   3. all else: the digits and the exponent as an integer and a power of ten for strtod_l, which glibc rounds
 *      correctly
 * No halfway point between doubles has more than 767 significant digits, so one digit can stand for all further ones.
 * The first two methods suffice for tables of data, whose numbers have at most 19 digits; strtod_l is slower.  Overflow
 * gives infinity, underflow zero or a subnormal number.
 */
#define _GNU_SOURCE /* strtod_l */
#include "base/number.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum {
    WORD_DIGITS = 19,     /* this many decimal digits always fit in 64 bits */
    CLINGER_POWER = 22,   /* 10^22 is the largest power of ten that is a double */
    WORD_POWER = 27,      /* 5^27 is the largest power of five below 2^63 */
    MAX_POWER = 310,      /* a whole number times a larger power is infinite */
    MIN_POWER = -346,     /* 20 digits times a smaller power are zero */
    KEPT_DIGITS = 800,    /* more than 767 */
    EXPONENT_BIAS = 1023, /* of a double */
    FRACTION_BITS = 52    /* of a double, without the leading one */
};
static const int64_t EXPONENT_CLAMP = INT64_C(1000000000000000000); /* no text is as long as this */
static const uint64_t MAX_EXACT = UINT64_C(1) << 53;

static const double power_of_ten[CLINGER_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* clang-format off */
static const uint64_t power_of_five[WORD_POWER + 1] = {
    UINT64_C(1), UINT64_C(5), UINT64_C(25), UINT64_C(125),
    UINT64_C(625), UINT64_C(3125), UINT64_C(15625), UINT64_C(78125),
    UINT64_C(390625), UINT64_C(1953125), UINT64_C(9765625), UINT64_C(48828125),
    UINT64_C(244140625), UINT64_C(1220703125), UINT64_C(6103515625), UINT64_C(30517578125),
    UINT64_C(152587890625), UINT64_C(762939453125), UINT64_C(3814697265625), UINT64_C(19073486328125),
    UINT64_C(95367431640625), UINT64_C(476837158203125), UINT64_C(2384185791015625), UINT64_C(11920928955078125),
    UINT64_C(59604644775390625), UINT64_C(298023223876953125),
    UINT64_C(1490116119384765625), UINT64_C(7450580596923828125),
};
/* clang-format on */

/* A number as written: word * 10^power, or slightly more if `cut`. */
typedef struct decimal {
    uint64_t word; /* the first 19 significant digits, or all */
    int64_t power;
    bool cut;             /* the digits that do not fit into word are not all zero */
    const char *first;    /* the mantissa's digits (and point), from the first that is not zero ... */
    const char *stop;     /* ... up to here; set only if there are more than 19 digits */
    int64_t significant;  /* digits between first and stop */
    int64_t lowest_power; /* power of ten of the last digit before stop */
} decimal;

/* ---- rounding -------------------------------------------------------------------------------------------------- */

/*
 * Returns the double nearest to mantissa * 2^power, or to slightly more if sticky; the mantissa's highest bit is set.
 * With powers of ten up to 10^27 it is neither subnormal nor infinite.
 */
static double round_binary(uint64_t mantissa, int power, bool sticky)
{
    const int dropped = 63 - FRACTION_BITS;
    const uint64_t half = UINT64_C(1) << (dropped - 1);
    uint64_t kept = mantissa >> dropped, rest = mantissa & ((half << 1) - 1);
    kept += rest > half || (rest == half && (sticky || (kept & 1)));
    uint64_t bits = ((uint64_t)(power + 63 + EXPONENT_BIAS - 1) << FRACTION_BITS) + kept; /* kept has the leading 1 */
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double multiply_words(uint64_t word, int power)
{
    uint128 product = (uint128)word * power_of_five[power];
    uint64_t high = (uint64_t)(product >> 64);
    int zeros = high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)product);
    product <<= zeros;
    return round_binary((uint64_t)(product >> 64), power - zeros + 64, (uint64_t)product != 0);
}

static double divide_words(uint64_t word, int power)
{
    int zeros = __builtin_clzll(word), divisor_zeros = __builtin_clzll(power_of_five[power]);
    uint64_t dividend = word << zeros, divisor = power_of_five[power] << divisor_zeros;
    int shift = dividend >= divisor ? 63 : 64; /* so that the quotient has 64 bits exactly */
    uint128 shifted = (uint128)dividend << shift;
    uint64_t quotient = (uint64_t)(shifted / divisor);
    bool sticky = (uint128)quotient * divisor != shifted;
    return round_binary(quotient, -power - zeros + divisor_zeros - shift, sticky);
}

/* ---- reading the text ------------------------------------------------------------------------------------------ */

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

/* Takes eight digits at p at once, if there are eight: joins them into pairs, fours and finally all eight. */
static inline bool take_eight(const char *p, const char *end, uint64_t *word)
{
    uint64_t eight;
    if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ || end - p < 8) {
        return false;
    }
    memcpy(&eight, p, sizeof eight);
    uint64_t high = UINT64_C(0xF0F0F0F0F0F0F0F0), zeros = UINT64_C(0x3030303030303030);
    if ((eight & high) != zeros || ((eight + UINT64_C(0x0606060606060606)) & high) != zeros) {
        return false;
    }
    eight = ((eight & UINT64_C(0x0F0F0F0F0F0F0F0F)) * ((10 << 8) + 1)) >> 8;
    eight = ((eight & UINT64_C(0x00FF00FF00FF00FF)) * ((100 << 16) + 1)) >> 16;
    eight = ((eight & UINT64_C(0x0000FFFF0000FFFF)) * ((UINT64_C(10000) << 32) + 1)) >> 32;
    *word = *word * 100000000 + eight;
    return true;
}

/* Reads [e[+-]digits] at p: adds it to *power and returns the byte after it; p itself if there is no exponent. */
static const char *scan_exponent(const char *p, const char *end, int64_t *power)
{
    const char *q = p;
    if (q == end || (*q | 0x20) != 'e') {
        return p;
    }
    q++;
    bool negative = q < end && *q == '-';
    if (q < end && (*q == '-' || *q == '+')) {
        q++;
    }
    if (q == end || !is_digit(*q)) {
        return p;
    }
    int64_t exponent = 0;
    for (; q < end && is_digit(*q); q++) {
        if (exponent < EXPONENT_CLAMP / 10) {
            exponent = exponent * 10 + (*q - '0');
        }
    }
    *power += negative ? -exponent : exponent;
    return q;
}

/* Fills in a number with more than 19 digits: its mantissa is text to stop, and d->power belongs to its last digit. */
static void scan_long(const char *text, const char *stop, decimal *d)
{
    while (text < stop && (*text == '0' || *text == '.')) {
        text++;
    }
    int64_t zeros = 0; /* at the end */
    while (stop > text && (stop[-1] == '0' || stop[-1] == '.')) {
        zeros += stop[-1] == '0';
        stop--;
    }
    d->first = text;
    d->stop = stop;
    d->lowest_power = d->power + zeros;
    d->significant = 0;
    d->word = 0;
    for (; text < stop; text++) {
        if (*text != '.') {
            if (d->significant < WORD_DIGITS) {
                d->word = d->word * 10 + (uint64_t)(*text - '0');
            }
            d->significant++;
        }
    }
    d->cut = d->significant > WORD_DIGITS;
    d->power = d->lowest_power + (d->cut ? d->significant - WORD_DIGITS : 0);
}

/* Reads digits[.digits][e[+-]digits], at least one digit; returns the byte after it, or text if there is no number. */
static const char *scan_decimal(const char *text, const char *end, decimal *d)
{
    const char *p = text;
    uint64_t word = 0; /* overflows if there are more than 19 digits; scan_long then starts again */
    int64_t point = 0;
    for (; p < end && is_digit(*p); p++) {
        word = word * 10 + (uint64_t)(*p - '0');
    }
    d->power = 0;
    if (p < end && *p == '.') {
        const char *fraction = ++p;
        while (take_eight(p, end, &word)) {
            p += 8;
        }
        for (; p < end && is_digit(*p); p++) {
            word = word * 10 + (uint64_t)(*p - '0');
        }
        d->power = fraction - p;
        point = 1;
    }
    const char *stop = p;
    if (stop - text == point) {
        return text;
    }
    p = scan_exponent(p, end, &d->power);
    d->word = word;
    d->cut = false;
    if (stop - text - point > WORD_DIGITS) {
        scan_long(text, stop, d);
    }
    return p;
}

static double round_words(uint64_t word, int64_t power)
{
    return power < 0 ? divide_words(word, (int)-power) : multiply_words(word, (int)power);
}

/* Writes at most KEPT_DIGITS significant digits and one that stands for the rest; *power: of the last digit written. */
static int write_digits(const decimal *d, char *text, int64_t *power)
{
    int taken = 0;
    for (const char *p = d->first; p < d->stop && taken < KEPT_DIGITS; p++) {
        if (*p != '.') {
            text[taken++] = *p;
        }
    }
    if (taken < d->significant) {
        text[taken++] = '1'; /* the last of the digits left out is not zero (scan_long) */
    }
    *power = d->lowest_power + d->significant - taken;
    return taken;
}

/*
 * Rounds by the C library in the C locale, which glibc and musl have as a constant; NaN without a locale.  Not inlined:
 * its large buffer would slow down every number.
 */
__attribute__((noinline)) static double round_by_library(const decimal *d)
{
    char text[KEPT_DIGITS + 64];
    int64_t power = d->power;
    int used = d->cut ? write_digits(d, text, &power) : snprintf(text, sizeof text, "%" PRIu64, d->word);
    snprintf(text + used, sizeof text - (size_t)used, "e%" PRId64, power);
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = plain ? strtod_l(text, NULL, plain) : NAN;
    if (plain) {
        freelocale(plain);
    }
    return value;
}

/* Returns the double nearest to the number; NaN if there is no memory to compute it. */
static double round_decimal(const decimal *d)
{
    if (d->word == 0) {
        return 0.0;
    }
    int64_t power = d->power;
    if (!d->cut && d->word <= MAX_EXACT && power >= -CLINGER_POWER && power <= CLINGER_POWER) {
        return power < 0 ? (double)d->word / power_of_ten[-power] : (double)d->word * power_of_ten[power];
    }
    if (power > MAX_POWER) {
        return INFINITY;
    }
    if (power < MIN_POWER) {
        return 0.0;
    }
    if (power >= -WORD_POWER && power <= WORD_POWER) {
        double value = round_words(d->word, power);
        if (!d->cut || value == round_words(d->word + 1, power)) {
            return value; /* the number lies between two integers that round alike */
        }
    }
    return round_by_library(d);
}

/* Does text begin with the word, which is in lower case, in any case?  */
static bool has_word(const char *text, const char *end, const char *word)
{
    for (; *word; word++, text++) {
        if (text == end || (*text | 0x20) != *word) {
            return false;
        }
    }
    return true;
}

static const char *scan_word(const char *text, const char *end, double *value)
{
    static const struct {
        const char *word;
        double value;
    } words[] = {{"infinity", INFINITY}, {"inf", INFINITY}, {"nan", NAN}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (has_word(text, end, words[i].word)) {
            *value = words[i].value;
            return text + strlen(words[i].word);
        }
    }
    return text;
}

const char *number_parse(const char *text, const char *end, double *value)
{
    const char *p = text;
    if (p < end && (*p == '-' || *p == '+')) {
        p++;
    }
    decimal d;
    double magnitude = 0.0;
    const char *after = scan_decimal(p, end, &d);
    if (after == p) {
        after = scan_word(p, end, &magnitude);
    } else {
        magnitude = round_decimal(&d);
        after = isnan(magnitude) ? p : after;
    }
    if (after == p) {
        return text;
    }
    *value = *text == '-' ? -magnitude : magnitude;
    return after;
}
