/*
 * number.h - reads and writes numbers as text, independently of the locale.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stddef.h>

/* No null distribution was checked further out: text shows smaller p-values as "< 0.001", JSON the number and bound. */
#define P_VALUE_BOUND 0.001

/*
 * Reads a decimal number: [+-]digits[.digits][e[+-]digits], also nan and inf in any case.  Correctly rounded.
 * Returns the first byte after the number, or `text` itself if there is none.
 */
const char *number_parse(const char *text, const char *end, double *value);

/* Bytes that suffice for any number that number_print writes. */
enum { NUMBER_BYTES = 40 };

/*
 * Writes value with this many significant digits (1 to 17) as %g would in the C locale; digits = 0 takes the fewest
 * that read back as the same value.  Returns buffer, for use in an argument list.
 */
char *number_print(char buffer[NUMBER_BYTES], double value, int digits);

/* Returns a p-value as a cell of a table: "0.03", or "< 0.001" below P_VALUE_BOUND; "-" if it is NaN. */
const char *number_print_p(char buffer[NUMBER_BYTES], double p_value);

#endif
