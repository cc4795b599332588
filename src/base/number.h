/*
 * number.h - numbers from and to text without regard to the locale.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stddef.h>

/* P-values below this are shown as "< 1e-300": what is left of them is rounding. */
#define P_FLOOR 1e-300

/*
 * A decimal number: [+-]digits[.digits][e[+-]digits], also nan and inf in any case.  Correctly rounded.
 * Returns the first byte after the number, or `text` itself if there is none.
 */
const char *number_parse(const char *text, const char *end, double *value);

/* Enough for any number that number_print writes. */
enum { NUMBER_BYTES = 40 };

/*
 * Writes value with so many significant digits (1 to 17) as %g would in the C locale; digits = 0 takes the fewest that
 * read back as the same value.  Returns buffer, so that it can stand in an argument list.
 */
char *number_print(char buffer[NUMBER_BYTES], double value, int digits);

#endif
