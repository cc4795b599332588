/*
 * dates.h - reads dates and times, and names the day, week, month or hour that they lie in.
 */
#ifndef READ_DATES_H
#define READ_DATES_H

#include <stdbool.h>
#include <stdint.h>

enum period { PERIOD_NONE, PERIOD_HOUR, PERIOD_DAY, PERIOD_WEEK, PERIOD_MONTH };

/* Returns the period of this name, such as "day"; PERIOD_NONE for any other text. */
enum period period_of(const char *name);
/* Returns its name. */
const char *period_name(enum period period);

/* The order of day and month in dates with slashes whose year comes last. */
enum date_order { ORDER_UNKNOWN, ORDER_DAY_FIRST, ORDER_MONTH_FIRST };

typedef struct moment {
    int64_t day;           /* counted from 1970-01-01 */
    int hour;              /* -1: no time of day is given */
    enum date_order order; /* of a date with slashes whose year comes last: the order that its numbers imply */
    bool slashes;          /* it is such a date */
    bool seconds;          /* it was given in seconds or milliseconds since 1970 */
} moment;

/*
 * Reads 2024-03-01, 2024/03/01, 20240301, 01.03.2024 or 3/1/2024 (in this order), with or without a time of day such as
 * 14:05, or the number of seconds or milliseconds since 1970.  Time zones are ignored.  Returns false for other texts.
 */
bool date_read(const char *text, enum date_order order, moment *out);

/*
 * Writes the period of a moment as a text that sorts by time: 2024-03-01, 2024-W09, 2024-03 or 2024-03-01 14:00.  Weeks
 * are those of ISO 8601: they begin on Monday.
 */
enum { PERIOD_BYTES = 40 };
const char *period_print(char out[PERIOD_BYTES], enum period period, const moment *when);

#endif
