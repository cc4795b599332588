/* natural.c - the order in which people list labels. */
#include "base/natural.h"

#include "base/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Is the whole text a number? "nan" is not one. */
static bool read_number(const char *text, double *value)
{
    const char *end = text + strlen(text);
    return end > text && number_parse(text, end, value) == end && !isnan(*value);
}

/* Moves *text past leading zeros and returns the number of digits that follow. */
static size_t skip_zeros(const char **text)
{
    size_t length = 0;
    for (; **text == '0' && is_digit((*text)[1]); (*text)++) {
    }
    for (; is_digit((*text)[length]); length++) {
    }
    return length;
}

/* Compares piece by piece; returns 0 also if only leading zeros differ. */
static int compare_pieces(const char *a, const char *b)
{
    while (*a && *b) {
        if (!is_digit(*a) || !is_digit(*b)) {
            if (*a != *b) {
                return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
            }
            a++;
            b++;
            continue;
        }
        size_t first = skip_zeros(&a), second = skip_zeros(&b);
        int order = first == second ? strncmp(a, b, first) : first < second ? -1 : 1;
        if (order != 0) {
            return order;
        }
        a += first;
        b += second;
    }
    return (*a != '\0') - (*b != '\0');
}

int natural_compare(const char *a, const char *b)
{
    double first = 0.0, second = 0.0;
    bool number = read_number(a, &first), other = read_number(b, &second);
    int order = number && other ? (first > second) - (first < second) : number ? -1 : other ? 1 : compare_pieces(a, b);
    return order ? order : strcmp(a, b);
}

/* ---- labels of the calendar ---- */

enum { WORD_LETTERS = 10, SHORTEST = 3, DATE_PARTS = 3, YEAR_DIGITS = 4 };

static const char *const WEEKDAY[] = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};
static const char *const MONTH[] = {"january", "february", "march",     "april",   "may",      "june",
                                    "july",    "august",   "september", "october", "november", "december"};
enum { WEEKDAYS = sizeof WEEKDAY / sizeof *WEEKDAY, MONTHS = sizeof MONTH / sizeof *MONTH };

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns the index of the word in the list, or -1; its first three or more letters are enough: "Mon", "Sept". */
static int find_word(const char *text, size_t letters, const char *const *list, int count)
{
    char word[WORD_LETTERS + 1] = "";
    if (letters < SHORTEST || letters > WORD_LETTERS) {
        return -1;
    }
    for (size_t i = 0; i < letters; i++) {
        word[i] = (char)(text[i] | 0x20); // ASCII letters only
    }
    for (int k = 0; k < count; k++) {
        if (strncmp(list[k], word, letters) == 0) {
            return k;
        }
    }
    return -1;
}

/* Each of these sets *key to the position of a label of its kind, and returns false for any other label. */
typedef bool key_fn(const char *label, double *key);

static bool weekday_key(const char *label, double *key)
{
    int day = find_word(label, strlen(label), WEEKDAY, WEEKDAYS);
    *key = day;
    return day >= 0;
}

/* Reads "Jan", "January 2024", "2024 Jan" or "Jan-24". */
static bool month_key(const char *label, double *key)
{
    int month = -1, numbers = 0;
    double year = 0.0;
    for (const char *at = label; *at;) {
        size_t length = 0;
        if (is_letter(*at)) {
            for (; is_letter(at[length]); length++) {
            }
            int found = find_word(at, length, MONTH, MONTHS);
            if (found < 0 || month >= 0) {
                return false;
            }
            month = found;
        } else if (is_digit(*at)) {
            for (year = 0.0; is_digit(at[length]); length++) {
                year = 10.0 * year + (at[length] - '0');
            }
            if (++numbers > 1 || length > YEAR_DIGITS) {
                return false;
            }
        } else if (strchr(" -/._", *at)) {
            length = 1;
        } else {
            return false;
        }
        at += length;
    }
    *key = MONTHS * year + month;
    return month >= 0;
}

/* Reads "31.12.2024", "31/12/2024" or "31-12-2024", of which part `day_at` is the day; a time may follow. */
static bool date_key(const char *label, int day_at, double *key)
{
    int value[DATE_PARTS] = {0};
    char separator = '\0';
    for (int part = 0; part < DATE_PARTS; part++) {
        int digits = 0;
        for (; is_digit(*label) && digits < YEAR_DIGITS; label++, digits++) {
            value[part] = 10 * value[part] + (*label - '0');
        }
        bool is_year = part == DATE_PARTS - 1, fits = is_year ? digits == YEAR_DIGITS : digits == 1 || digits == 2;
        if (!fits || (!is_year && !(*label && strchr("./-", *label) && (part == 0 || *label == separator)))) {
            return false;
        }
        separator = is_year ? separator : *label++;
    }
    int day = value[day_at], month = value[1 - day_at];
    *key = (double)((value[DATE_PARTS - 1] * (MONTHS + 1) + month) * 32 + day);
    return day >= 1 && day <= 31 && month >= 1 && month <= MONTHS && !is_digit(*label) && !is_letter(*label);
}

static bool day_first_key(const char *label, double *key)
{
    return date_key(label, 0, key);
}

static bool month_first_key(const char *label, double *key)
{
    return date_key(label, 1, key);
}

typedef struct keyed {
    double key;
    const char *label;
    int64_t index;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    int order = (x->key > y->key) - (x->key < y->key);
    order = order ? order : natural_compare(x->label, y->label);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* Sets the keys by the first kind that all labels have; if there is none, all keys are equal. */
static void set_keys(int64_t count, keyed *entry)
{
    static key_fn *const kind[] = {weekday_key, month_key, day_first_key, month_first_key};
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        int64_t fit = 0;
        while (fit < count && kind[k](entry[fit].label, &entry[fit].key)) {
            fit++;
        }
        if (fit == count) {
            return;
        }
    }
    for (int64_t i = 0; i < count; i++) {
        entry[i].key = 0.0;
    }
}

nonsens_status natural_order(nonsens_context *ctx, arena *a, int64_t count, const char *const *label, int64_t **order)
{
    keyed *entry; // (count)
    ARENA_TRY(ctx, a, *order, count);
    ARENA_TRY(ctx, a, entry, count);
    for (int64_t i = 0; i < count; i++) {
        entry[i] = (keyed){0.0, label[i], i};
    }
    set_keys(count, entry);
    qsort(entry, (size_t)count, sizeof *entry, by_key);
    for (int64_t i = 0; i < count; i++) {
        (*order)[i] = entry[i].index;
    }
    return NONSENS_OK;
}
