/*
 * number_print.c - writes numbers as text.  printf writes the decimal point of the host's locale, which may be any
 * string; it is the only part of %g that is neither a letter, a digit nor a sign, and is replaced by a point.
 */
#include "base/number.h"

#include "nonsens/nonsens.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define TEXT_OF_TOKEN(token) #token
#define TEXT_OF(macro) TEXT_OF_TOKEN(macro)

enum { SAFE_DIGITS = 15, ROUND_TRIP_DIGITS = 17, P_DIGITS = 3 };

static bool is_own_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '+' || c == '-';
}

static void print_digits(char buffer[NUMBER_BYTES], double value, int digits)
{
    char raw[NUMBER_BYTES];
    snprintf(raw, sizeof raw, "%.*g", digits, value);
    char *out = buffer;
    for (const char *in = raw; *in; in++) {
        if (is_own_byte(*in)) {
            *out++ = *in;
        } else if (out > buffer && out[-1] != '.') {
            *out++ = '.';
        }
    }
    *out = '\0';
}

static bool reads_back(const char *text, double value)
{
    double again = 0.0;
    number_parse(text, text + strlen(text), &again);
    return again == value;
}

char *number_print(char buffer[NUMBER_BYTES], double value, int digits)
{
    if (digits > 0) {
        print_digits(buffer, value, digits);
        return buffer;
    }
    for (int tried = SAFE_DIGITS; tried <= ROUND_TRIP_DIGITS; tried++) {
        print_digits(buffer, value, tried);
        if (reads_back(buffer, value)) {
            break;
        }
    }
    return buffer;
}

double nonsens_p_value_bound(void)
{
    return P_VALUE_BOUND;
}

const char *number_print_p(char buffer[NUMBER_BYTES], double p_value)
{
    if (isnan(p_value)) {
        return "-";
    }
    return p_value < P_VALUE_BOUND ? "< " TEXT_OF(P_VALUE_BOUND) : number_print(buffer, p_value, P_DIGITS);
}
