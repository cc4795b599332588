/* natural.h - the order in which people list labels: 2 before 10, s2 before s10, Monday before Friday. */
#ifndef BASE_NATURAL_H
#define BASE_NATURAL_H

#include "base/memory.h"

/*
 * Compares two texts: negative if `a` comes first, 0 only if they are equal.  Numbers come first, by their values; in
 * other texts, each run of digits counts as one number.
 */
int natural_compare(const char *a, const char *b);

/*
 * Sorts `count` labels into the order that people expect; *order has their indices.  Labels that are all of one of
 * these kinds are in calendar order: weekdays (Monday first), months (also with a year: "Jan 2024"), and dates with the
 * year last: "31.12.2024", "12/31/2024".  All others are in the order of natural_compare.
 */
nonsens_status natural_order(nonsens_context *ctx, arena *a, int64_t count, const char *const *label, int64_t **order);

#endif
