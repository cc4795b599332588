/* natural.h - the order in which people list labels: 2 before 10, s2 before s10. */
#ifndef BASE_NATURAL_H
#define BASE_NATURAL_H

/*
 * Compares two texts: negative if `a` comes first, 0 only if they are equal.  Numbers come first, by their values; in
 * other texts, digits that follow one another count as one number.
 */
int natural_compare(const char *a, const char *b);

#endif
