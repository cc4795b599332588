/*
 * date_range.h - recognises dates, to tell when the rows of a table were recorded.
 *
 * A date is 2024-03-01, 2024/03/01 or 01.03.2024, with or without a time (08:30 or 08:30:15, after a blank or a T).
 * Fractions of a second and time zones are ignored.
 */
#ifndef READ_DATE_RANGE_H
#define READ_DATE_RANGE_H

#include <stdbool.h>
#include <stdint.h>

enum { DATE_BYTES = sizeof "2024-03-01 08:30:15" };

/* The earliest and the latest date so far. */
typedef struct date_range {
    int64_t count;
    bool other; /* some text is not a date */
    char first[DATE_BYTES], last[DATE_BYTES];
} date_range;

/* Writes the date as year-month-day, with its time if it has one; returns false if the text is not a date. */
bool date_parse(const char *text, int64_t length, char out[DATE_BYTES]);

/* Widens the range by a text. */
void date_range_add(date_range *range, const char *text, int64_t length);

#endif
