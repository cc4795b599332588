/* natural.h - the order in which people list labels: 2 before 10, s2 before s10, Monday before Friday. */
#ifndef BASE_NATURAL_H
#define BASE_NATURAL_H

#include "base/memory.h"

/*
 * Compares two texts: negative if `a` comes first, 0 only if they are equal.  Numbers come first, by their values; in
 * other texts, digits that follow one another count as one number.
 */
int natural_compare(const char *a, const char *b);

/*
 * Lists `count` labels in the order in which people expect them; *order has the index of each.  If all labels are of
 * one kind, these come by the calendar: weekdays (Monday first), months (also with a year: "Jan 2024"), and dates with
 * the year last: "31.12.2024", "12/31/2024".  All other labels come as natural_compare puts them.
 */
nonsens_status natural_order(nonsens_context *ctx, arena *a, int64_t count, const char *const *label, int64_t **order);

#endif
