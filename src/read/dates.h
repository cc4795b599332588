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

/* The order of day and month where both are numbers between slashes. */
enum date_order { ORDER_UNKNOWN, ORDER_DAY_FIRST, ORDER_MONTH_FIRST };

typedef struct moment {
    int64_t day;           /* from 1970-01-01 */
    int hour;              /* -1: no time of day is given */
    enum date_order order; /* of a date with slashes whose year comes last: what its numbers allow */
    bool slashes;          /* it is such a date */
    bool seconds;          /* it is a number: seconds or milliseconds since 1970 */
} moment;

/*
 * Reads 2024-03-01, 2024/03/01, 20240301, 01.03.2024, 3/1/2024 (in the order given) or the number of seconds or
 * milliseconds since 1970, with or without a time of day such as 14:05 behind it, as it stands: time zones do not
 * count.  False if the text is something else.
 */
bool date_read(const char *text, enum date_order order, moment *out);

/*
 * Writes the period that the moment lies in, so that texts sort by time: 2024-03-01, 2024-W09, 2024-03 or
 * 2024-03-01 14:00.  Weeks are those of ISO 8601: they begin on Monday.
 */
enum { PERIOD_BYTES = 40 };
const char *period_print(char out[PERIOD_BYTES], enum period period, const moment *when);

#endif
