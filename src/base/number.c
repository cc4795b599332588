/*
 * number.c - decimal text to the nearest double (ties to even), the same in every locale.
 *
 * Three ways, each exact, tried in turn:
 *   1. up to 53 bits of digits and powers of ten up to 10^22: both are doubles, so that one multiplication or division
 *      rounds once (Clinger, "How to read floating point numbers accurately", PLDI 1990)
 *   2. up to 19 digits and powers of ten up to 10^27: the product or the quotient in 128-bit integers
 *   3. all else: the quotient of two big integers, bit by bit.  No halfway point between doubles has more than 767
 *      significant digits, so that further digits only count as "a little more".
 * Overflow gives infinity, underflow zero or a subnormal number.
 */
#include "base/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum {
    WORD_DIGITS = 19,       /* so many decimal digits always fit in 64 bits */
    CLINGER_POWER = 22,     /* 10^22 is the largest power of ten that is a double */
    WORD_POWER = 27,        /* 5^27 is the largest power of five below 2^63 */
    LARGEST_POWER = 310,    /* a whole number times more than this is infinite */
    SMALLEST_POWER = -346,  /* 20 digits times less than this are zero */
    KEPT_DIGITS = 800,      /* more than 767 */
    BIG_LIMBS = 48,         /* 10^801 and 5^1130, with room for alignment, need 2,790 bits */
    FRACTION_BITS = 52,     /* of a double, without the leading one */
    EXPONENT_BIAS = 1023,   /* of a double */
    EXPONENT_LOWEST = -1022 /* of a normal double */
};
static const int64_t EXPONENT_CLAMP = INT64_C(1000000000000000000); /* no text is as long as this */
static const uint64_t LARGEST_EXACT = UINT64_C(1) << 53;

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

/* A number as written: word * 10^power, and a little more if cut. */
typedef struct decimal {
    uint64_t word; /* the first 19 significant digits, or all */
    int64_t power;
    bool cut;             /* digits behind those in word are not all zero */
    const char *first;    /* the mantissa's digits (and point), from the first that is not zero ... */
    const char *stop;     /* ... up to here; set only if there are more than 19 digits */
    int64_t significant;  /* digits between first and stop */
    int64_t lowest_power; /* power of ten of the last digit before stop */
} decimal;

/* ---- rounding -------------------------------------------------------------------------------------------------- */

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The double nearest to mantissa * 2^power, and a little more if sticky; the mantissa's highest bit is set. */
static double round_binary(uint64_t mantissa, int64_t power, bool sticky)
{
    int64_t exponent = power + 63;
    if (exponent > EXPONENT_BIAS) {
        return INFINITY;
    }
    bool subnormal = exponent < EXPONENT_LOWEST;
    int64_t dropped = 63 - FRACTION_BITS + (subnormal ? EXPONENT_LOWEST - exponent : 0);
    if (dropped > 64) {
        return 0.0;
    }
    uint64_t kept = dropped == 64 ? 0 : mantissa >> dropped;
    uint64_t half = UINT64_C(1) << (dropped - 1);
    uint64_t rest = dropped == 64 ? mantissa : mantissa & ((half << 1) - 1);
    if (rest > half || (rest == half && (sticky || (kept & 1)))) {
        kept++; /* a carry runs on into the exponent field, which is the next binade, or infinity */
    }
    if (subnormal) {
        return from_bits(kept);
    }
    return from_bits(((uint64_t)(exponent + EXPONENT_BIAS - 1) << FRACTION_BITS) + kept);
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

/* ---- big integers ---------------------------------------------------------------------------------------------- */

typedef struct big {
    int count;                /* limbs in use; the highest is not zero */
    uint64_t limb[BIG_LIMBS]; /* lowest first */
} big;

static void big_multiply_add(big *b, uint64_t factor, uint64_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < b->count; i++) {
        uint128 product = (uint128)b->limb[i] * factor + carry;
        b->limb[i] = (uint64_t)product;
        carry = (uint64_t)(product >> 64);
    }
    if (carry) {
        b->limb[b->count++] = carry;
    }
}

static void big_multiply_five(big *b, int64_t power)
{
    for (; power > WORD_POWER; power -= WORD_POWER) {
        big_multiply_add(b, power_of_five[WORD_POWER], 0);
    }
    big_multiply_add(b, power_of_five[power], 0);
}

static int big_bits(const big *b)
{
    return b->count * 64 - __builtin_clzll(b->limb[b->count - 1]);
}

static void big_shift(big *b, int bits)
{
    int limbs = bits / 64;
    memmove(b->limb + limbs, b->limb, (size_t)b->count * sizeof b->limb[0]);
    memset(b->limb, 0, (size_t)limbs * sizeof b->limb[0]);
    b->count += limbs;
    big_multiply_add(b, UINT64_C(1) << (bits % 64), 0);
}

static bool big_less(const big *a, const big *b)
{
    if (a->count != b->count) {
        return a->count < b->count;
    }
    for (int i = a->count - 1; i >= 0; i--) {
        if (a->limb[i] != b->limb[i]) {
            return a->limb[i] < b->limb[i];
        }
    }
    return false;
}

/* a -= b, for a >= b. */
static void big_subtract(big *a, const big *b)
{
    uint64_t borrow = 0;
    for (int i = 0; i < a->count; i++) {
        uint64_t other = i < b->count ? b->limb[i] : 0;
        uint128 difference = (uint128)a->limb[i] - other - borrow;
        a->limb[i] = (uint64_t)difference;
        borrow = (uint64_t)(difference >> 64) & 1;
    }
    while (a->count > 0 && a->limb[a->count - 1] == 0) {
        a->count--;
    }
}

/* The significant digits of d as an integer; returns the power of ten that goes with it. */
static int64_t big_from_digits(big *b, const decimal *d)
{
    int64_t taken = 0;
    b->count = 0;
    for (const char *p = d->first; p < d->stop && taken < KEPT_DIGITS; p++) {
        if (*p != '.') {
            big_multiply_add(b, 10, (uint64_t)(*p - '0'));
            taken++;
        }
    }
    int64_t power = d->lowest_power + d->significant - taken;
    if (taken < d->significant) {
        big_multiply_add(b, 10, 1); /* stands for the digits left out, the last of which is not zero (scan_long) */
        power--;
    }
    return power;
}

/* Long division of exact integers: 64 bits of the quotient, and whether there is a rest. */
static double round_big(const decimal *d)
{
    big dividend, divisor = {1, {1}};
    int64_t power = 0;
    if (d->cut) {
        power = big_from_digits(&dividend, d);
    } else {
        dividend.count = 1;
        dividend.limb[0] = d->word;
        power = d->power;
    }
    big_multiply_five(power < 0 ? &divisor : &dividend, power < 0 ? -power : power);
    int shift = big_bits(&divisor) - big_bits(&dividend);
    big_shift(shift > 0 ? &dividend : &divisor, shift > 0 ? shift : -shift);
    power -= shift;
    if (big_less(&dividend, &divisor)) {
        big_shift(&dividend, 1);
        power--;
    }
    uint64_t mantissa = 0;
    for (int bit = 0; bit < 64; bit++) {
        mantissa <<= 1;
        if (!big_less(&dividend, &divisor)) {
            big_subtract(&dividend, &divisor);
            mantissa |= 1;
        }
        big_multiply_add(&dividend, 2, 0);
    }
    return round_binary(mantissa, power - 63, dividend.count > 0);
}

/* ---- reading the text ------------------------------------------------------------------------------------------ */

static bool is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

/* Eight digits at p, if there are as many, in one go: neighbours are joined to pairs, fours and eights. */
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

/* [e[+-]digits] at p: adds it to *power and returns the byte behind it; p itself if no exponent is there. */
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

/* Fills in a number with more than 19 digits, its mantissa between text and stop, d->power that of the last digit. */
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

/* digits[.digits][e[+-]digits] at text, one digit at least; returns the byte behind, or text if there is no number. */
static const char *scan_decimal(const char *text, const char *end, decimal *d)
{
    const char *p = text;
    uint64_t word = 0; /* overflows where there are more than 19 digits; scan_long then starts afresh */
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

static double round_decimal(const decimal *d)
{
    if (d->word == 0) {
        return 0.0;
    }
    int64_t power = d->power;
    if (!d->cut && d->word <= LARGEST_EXACT && power >= -CLINGER_POWER && power <= CLINGER_POWER) {
        return power < 0 ? (double)d->word / power_of_ten[-power] : (double)d->word * power_of_ten[power];
    }
    if (power > LARGEST_POWER) {
        return INFINITY;
    }
    if (power < SMALLEST_POWER) {
        return 0.0;
    }
    if (power >= -WORD_POWER && power <= WORD_POWER) {
        double value = round_words(d->word, power);
        if (!d->cut || value == round_words(d->word + 1, power)) {
            return value; /* what was cut lies between two integers that round alike */
        }
    }
    return round_big(d);
}

/* The lower-case word at text in any case? */
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
    if (after != p) {
        magnitude = round_decimal(&d);
    } else {
        after = scan_word(p, end, &magnitude);
    }
    if (after == p) {
        return text;
    }
    *value = *text == '-' ? -magnitude : magnitude;
    return after;
}
