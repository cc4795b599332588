/*
 * dates.c - reads dates and times.  Days are counted as in H. Hinnant, chrono-compatible low-level date algorithms: in
 * eras of 400 years that begin on 1 March.
 */
#include "read/dates.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { DAYS_OF_ERA = 146097, YEARS_OF_ERA = 400, DAYS_BEFORE_1970 = 719468, THURSDAY = 3 };

static const char *const names[] = {"", "hour", "day", "week", "month"};

enum period period_of(const char *name)
{
    for (int k = PERIOD_HOUR; k <= PERIOD_MONTH; k++) {
        if (strcmp(name, names[k]) == 0) {
            return (enum period)k;
        }
    }
    return PERIOD_NONE;
}

const char *period_name(enum period period)
{
    return names[period];
}

/* ---- calendar -------------------------------------------------------------------------------------------------- */

typedef struct date {
    int64_t year;
    int month, day;
} date;

static int64_t day_of(date d)
{
    int64_t year = d.year - (d.month <= 2), era = year / YEARS_OF_ERA, of_era = year % YEARS_OF_ERA;
    int64_t of_year = (153 * (d.month + (d.month > 2 ? -3 : 9)) + 2) / 5 + d.day - 1;
    return era * DAYS_OF_ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - DAYS_BEFORE_1970;
}

/* Returns the date of a day, counted from 1970-01-01; for years from 0 on. */
static date date_of(int64_t day)
{
    int64_t shifted = day + DAYS_BEFORE_1970, era = shifted / DAYS_OF_ERA, of_era = shifted % DAYS_OF_ERA;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100), shifted_month = (5 * of_year + 2) / 153;
    int month = (int)(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
    return (date){era * YEARS_OF_ERA + year + (month <= 2), month, (int)(of_year - (153 * shifted_month + 2) / 5 + 1)};
}

/* Returns whether there is such a day: a day that does not exist, such as 31 April, is converted to another date. */
static bool is_date(date d)
{
    if (d.year < 1 || d.month < 1 || d.month > 12 || d.day < 1 || d.day > 31) {
        return false;
    }
    date back = date_of(day_of(d));
    return back.month == d.month && back.day == d.day;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Takes a whole number of up to `most` digits; returns how many digits it has. */
static int take_number(const char **at, int most, int64_t *value)
{
    int digits = 0;
    *value = 0;
    while (digits < most && is_digit(**at)) {
        *value = 10 * *value + (*(*at)++ - '0');
        digits++;
    }
    return digits;
}

/* Takes a date of three numbers with separators; the first or the last number is a year of four digits. */
static bool take_date(const char **at, enum date_order order, moment *out)
{
    int64_t a, b, c;
    const char *p = *at;
    int first = take_number(&p, 4, &a);
    char mark = *p;
    if (!mark || !strchr("-/.", mark)) {
        return false;
    }
    p++;
    if (take_number(&p, 2, &b) == 0 || *p++ != mark) {
        return false;
    }
    int last = take_number(&p, 4, &c);
    date d = {a, (int)b, (int)c};
    if (first <= 2 && last == 4) {
        bool day_first = mark != '/' || order == ORDER_DAY_FIRST || (order == ORDER_UNKNOWN && a > 12);
        d = day_first ? (date){c, (int)b, (int)a} : (date){c, (int)a, (int)b};
        out->slashes = mark == '/';
        out->order = a > 12 ? ORDER_DAY_FIRST : b > 12 ? ORDER_MONTH_FIRST : ORDER_UNKNOWN;
    } else if (first != 4 || last < 1 || last > 2) {
        return false;
    }
    *at = p;
    out->day = is_date(d) ? day_of(d) : 0;
    return is_date(d);
}

/* Takes the hour of a time such as 14:05, 14:05:06.7 or 2:05 pm; only the beginning of what follows is checked. */
static bool take_time(const char *p, moment *out)
{
    int64_t hour, other;
    out->hour = -1;
    if (*p == 'Z' || !*p) {
        return !*p || !p[1];
    }
    if (*p != 'T' && *p != ' ') {
        return false;
    }
    p += 1 + strspn(p + 1, " ");
    if (take_number(&p, 2, &hour) == 0 || *p++ != ':' || take_number(&p, 2, &other) != 2 || other > 59) {
        return false;
    }
    if (*p == ':') {
        p++;
        if (take_number(&p, 2, &other) != 2 || other > 60) {
            return false;
        }
        p += *p == '.' || *p == ',' ? 1 + strspn(p + 1, "0123456789") : 0;
    }
    p += strspn(p, " ");
    bool pm = (*p | 0x20) == 'p', am = (*p | 0x20) == 'a';
    if ((am || pm) && (p[1] | 0x20) == 'm') {
        hour = hour % 12 + (pm ? 12 : 0);
        p += 2;
    }
    out->hour = (int)hour;
    return hour < 24 && (!*p || strchr("Z+-", *p) || strncmp(p, "UTC", 3) == 0 || strncmp(p, "GMT", 3) == 0);
}

/* Reads 20240301, or seconds (9 or 10 digits) or milliseconds (12 or 13) since 1970. */
static bool read_digits(const char *text, moment *out)
{
    const char *p = text;
    int64_t number;
    int digits = take_number(&p, 13, &number);
    if (digits == 8) {
        date d = {number / 10000, (int)(number / 100 % 100), (int)(number % 100)};
        out->day = is_date(d) ? day_of(d) : 0;
        return is_date(d) && take_time(p, out);
    }
    bool fraction = *p == '.' && !p[1 + strspn(p + 1, "0123456789")];
    if (digits < 9 || digits == 11 || (*p && !fraction)) {
        return false;
    }
    int64_t seconds = digits > 10 ? number / 1000 : number;
    out->seconds = true;
    out->day = seconds / 86400;
    out->hour = (int)(seconds / 3600 % 24);
    return true;
}

bool date_read(const char *text, enum date_order order, moment *out)
{
    const char *at = text;
    *out = (moment){.hour = -1};
    if (take_date(&at, order, out)) {
        return take_time(at, out);
    }
    return read_digits(text, out);
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

/* Writes the ISO week, which belongs to the year of its Thursday. */
static const char *print_week(char out[PERIOD_BYTES], int64_t day)
{
    int64_t weekday = (day % 7 + 7 + THURSDAY) % 7, thursday = day - weekday + THURSDAY; // 0 is Monday
    int64_t year = date_of(thursday).year, first = day_of((date){year, 1, 1});
    snprintf(out, PERIOD_BYTES, "%04" PRId64 "-W%02d", year, (int)((thursday - first) / 7 + 1));
    return out;
}

const char *period_print(char out[PERIOD_BYTES], enum period period, const moment *when)
{
    date d = date_of(when->day);
    switch (period) {
    case PERIOD_WEEK:
        return print_week(out, when->day);
    case PERIOD_MONTH:
        snprintf(out, PERIOD_BYTES, "%04" PRId64 "-%02d", d.year, d.month);
        return out;
    case PERIOD_HOUR:
        snprintf(out, PERIOD_BYTES, "%04" PRId64 "-%02d-%02d %02d:00", d.year, d.month, d.day, when->hour);
        return out;
    case PERIOD_DAY:
    case PERIOD_NONE:
        break;
    }
    snprintf(out, PERIOD_BYTES, "%04" PRId64 "-%02d-%02d", d.year, d.month, d.day);
    return out;
}
