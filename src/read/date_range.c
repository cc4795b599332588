/* date_range.c - reads dates in three formats, and writes them in one that sorts by time. */
#include "read/date_range.h"

#include <stdio.h>
#include <string.h>

typedef struct moment {
    int year, month, day, hour, minute, second;
    bool timed;
} moment;

/* Reads exactly `digits` digits; returns what follows, or NULL if there are fewer. */
static const char *take_digits(const char *at, const char *end, int digits, int *out)
{
    *out = 0;
    for (int k = 0; k < digits; k++, at++) {
        if (at == end || *at < '0' || *at > '9') {
            return NULL;
        }
        *out = 10 * *out + (*at - '0');
    }
    return at;
}

static const char *take_mark(const char *at, const char *end, const char *marks)
{
    return at && at < end && *at && strchr(marks, *at) ? at + 1 : NULL;
}

/* Reads 2024-03-01 or 2024/03/01. */
static const char *take_year_first(const char *at, const char *end, moment *m)
{
    at = take_digits(at, end, 4, &m->year);
    char mark = at && at < end ? *at : ' ';
    const char same[2] = {mark, '\0'};
    at = take_mark(at, end, "-/");
    at = at ? take_digits(at, end, 2, &m->month) : NULL;
    at = take_mark(at, end, same);
    return at ? take_digits(at, end, 2, &m->day) : NULL;
}

/* Reads 01.03.2024. */
static const char *take_day_first(const char *at, const char *end, moment *m)
{
    at = take_digits(at, end, 2, &m->day);
    at = take_mark(at, end, ".");
    at = at ? take_digits(at, end, 2, &m->month) : NULL;
    at = take_mark(at, end, ".");
    return at ? take_digits(at, end, 4, &m->year) : NULL;
}

/* Reads 08:30 or 08:30:15; ignores a fraction or time zone after it. */
static bool take_time(const char *at, const char *end, moment *m)
{
    m->timed = true;
    at = take_digits(at, end, 2, &m->hour);
    at = take_mark(at, end, ":");
    at = at ? take_digits(at, end, 2, &m->minute) : NULL;
    if (at && at < end && *at == ':') {
        at = take_digits(at + 1, end, 2, &m->second);
    }
    return at && strspn(at, ".,0123456789+-:Z ") >= (size_t)(end - at);
}

static bool is_possible(const moment *m)
{
    return m->month >= 1 && m->month <= 12 && m->day >= 1 && m->day <= 31 && m->hour <= 24 && m->minute <= 59 &&
           m->second <= 60;
}

bool date_parse(const char *text, int64_t length, char out[DATE_BYTES])
{
    char copy[40]; // longer than any date with time and zone; ends in '\0' for strspn
    moment m = {0};
    if (length < 8 || length >= (int64_t)sizeof copy) {
        return false;
    }
    memcpy(copy, text, (size_t)length);
    copy[length] = '\0';
    const char *end = copy + length, *at = take_year_first(copy, end, &m);
    at = at ? at : take_day_first(copy, end, &m);
    if (!at || (at < end && !((*at == 'T' || *at == ' ') && take_time(at + 1, end, &m))) || !is_possible(&m)) {
        return false;
    }
    int day = snprintf(out, DATE_BYTES, "%04d-%02d-%02d", m.year % 10000, m.month % 100, m.day % 100);
    if (m.timed) {
        snprintf(out + day, DATE_BYTES - (size_t)day, " %02d:%02d:%02d", m.hour % 100, m.minute % 100, m.second % 100);
    }
    return true;
}

void date_range_add(date_range *range, const char *text, int64_t length)
{
    char date[DATE_BYTES];
    range->other = range->other || !date_parse(text, length, date);
    if (range->other) {
        return;
    }
    if (range->count == 0 || strcmp(date, range->first) < 0) {
        memcpy(range->first, date, sizeof date);
    }
    if (range->count == 0 || strcmp(date, range->last) > 0) {
        memcpy(range->last, date, sizeof date);
    }
    range->count++;
}
