/* cell_number.c - reads numbers as people write them: decimal commas, digit groups, units, words for missing values. */
#include "read/cell_number.h"

#include "base/number.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum { LONGEST_NUMBER = 256 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns whether the text equals a word in lower case; case does not matter. */
static bool is_word(const char *text, int64_t length, const char *word)
{
    if (length != (int64_t)strlen(word)) {
        return false;
    }
    for (int64_t i = 0; i < length; i++) {
        char lower = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] | 0x20) : text[i];
        if (lower != word[i]) {
            return false;
        }
    }
    return true;
}

static bool is_one_of(const char *text, int64_t length, const char *const *words, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (is_word(text, length, words[k])) {
            return true;
        }
    }
    return false;
}

/* ---- missing values -------------------------------------------------------------------------------------------- */

/* Finds the next word of a list separated by commas, without blanks around it; moves *list past it. */
static bool next_word(const char **list, const char **word, int64_t *bytes)
{
    if (!**list) {
        return false;
    }
    *word = *list + strspn(*list, " \t");
    *bytes = (int64_t)strcspn(*word, ",");
    *list = *word + *bytes + ((*word)[*bytes] == ',');
    while (*bytes > 0 && ((*word)[*bytes - 1] == ' ' || (*word)[*bytes - 1] == '\t')) {
        --*bytes;
    }
    return true;
}

int cell_missing_numbers(const char *words, double *value, int max)
{
    const char *word;
    int64_t bytes;
    int count = 0;
    cell_format plain = {.decimal = '.'};
    while (count < max && next_word(&words, &word, &bytes)) {
        count += cell_is_number(&plain, word, bytes, &value[count]);
    }
    return count;
}

/* Returns whether the text is one of the user's words.  Numbers are compared as numbers: -999 equals -999.0. */
static bool is_given_word(const cell_format *format, const char *text, int64_t length)
{
    const char *list = format->missing, *word;
    int64_t bytes;
    cell_format plain = {.decimal = '.'};
    double value, other;
    while (next_word(&list, &word, &bytes)) {
        if ((bytes == length && memcmp(word, text, (size_t)length) == 0) ||
            (cell_is_number(&plain, word, bytes, &value) && cell_is_number(format, text, length, &other) &&
             value == other)) {
            return true;
        }
    }
    return false;
}

bool cell_is_missing(const cell_format *format, const char *text, int64_t length, bool label)
{
    static const char *const always[] = {"?", "na", "nan", "null", "n/a", "#n/a", "<na>"};
    static const char *const among_numbers[] = {"-",   "--",           ".",           "n.a.", "#na", "none",
                                                "nil", "\xE2\x80\x93", "\xE2\x80\x94"};
    enum { LONGEST_WORD = 4 };
    if (length <= LONGEST_WORD &&
        (length == 0 || is_one_of(text, length, always, sizeof always / sizeof *always) ||
         (!label && is_one_of(text, length, among_numbers, sizeof among_numbers / sizeof *among_numbers)))) {
        return true;
    }
    return format->missing && format->missing[0] && is_given_word(format, text, length);
}

/* ---- numbers --------------------------------------------------------------------------------------------------- */

/* Returns the number of bytes of a blank at p: space, no-break space, narrow no-break space, thin space; 0: no blank.
 */
static int blank_length(const char *p, const char *end)
{
    if (p < end && *p == ' ') {
        return 1;
    }
    if (end - p >= 2 && memcmp(p, "\xC2\xA0", 2) == 0) {
        return 2;
    }
    return end - p >= 3 && (memcmp(p, "\xE2\x80\xAF", 3) == 0 || memcmp(p, "\xE2\x80\x89", 3) == 0) ? 3 : 0;
}

/* Returns the number of bytes of a separator of digit groups at p; 0 if there is no separator. */
static int separator_length(const cell_format *format, const char *p, const char *end)
{
    if (!format->thousands) {
        return 0;
    }
    if (format->thousands == ' ') {
        return blank_length(p, end);
    }
    if (format->thousands == '\'' && end - p >= 3 && memcmp(p, "\xE2\x80\x99", 3) == 0) {
        return 3; // the typographic apostrophe
    }
    return p < end && *p == format->thousands;
}

static int count_digits(const char *p, const char *end)
{
    const char *from = p;
    while (p < end && is_digit(*p)) {
        p++;
    }
    return (int)(p - from < LONGEST_NUMBER ? p - from : LONGEST_NUMBER);
}

/* A number in the form that number_parse reads. */
typedef struct plain_number {
    char text[LONGEST_NUMBER];
    int length;
} plain_number;

static bool put(plain_number *out, const char *from, int count)
{
    if (count > LONGEST_NUMBER - 1 - out->length) {
        return false;
    }
    memcpy(out->text + out->length, from, (size_t)count);
    out->length += count;
    return true;
}

/* Copies the digits before the decimal mark without group separators; NULL if there are too many digits. */
static const char *copy_whole(const cell_format *format, const char *p, const char *end, plain_number *out)
{
    int digits = count_digits(p, end), separator;
    bool grouped = digits >= 1 && digits <= 3 && *p != '0';
    if (!put(out, p, digits)) {
        return NULL;
    }
    p += digits;
    while (grouped && (separator = separator_length(format, p, end)) > 0 && count_digits(p + separator, end) == 3) {
        if (!put(out, p + separator, 3)) {
            return NULL;
        }
        p += separator + 3;
    }
    return p;
}

/* Copies the digits after the decimal mark, and an exponent; NULL if there are too many digits. */
static const char *copy_rest(const cell_format *format, const char *p, const char *end, plain_number *out)
{
    if (p < end && *p == format->decimal) {
        int digits = count_digits(p + 1, end);
        if (!put(out, ".", 1) || !put(out, p + 1, digits)) {
            return NULL;
        }
        p += 1 + digits;
    }
    if (end - p < 2 || (*p | 0x20) != 'e') {
        return p;
    }
    const char *first = p + 1 + (p[1] == '-' || p[1] == '+');
    if (first < end && is_digit(*first)) {
        int digits = count_digits(first, end);
        if (!put(out, p, (int)(first - p) + digits)) {
            return NULL;
        }
        p = first + digits;
    }
    return p;
}

/* Returns the first byte after the number at `text`; `text` itself if there is no number. */
static const char *parse_number(const cell_format *format, const char *text, const char *end, double *value)
{
    plain_number plain = {.length = 0};
    if (format->decimal == '.' && !format->thousands) {
        return number_parse(text, end, value);
    }
    const char *p = text;
    if (p < end && (*p == '-' || *p == '+')) {
        put(&plain, p++, 1);
    }
    if (p < end && is_letter(*p)) { // nan, inf
        return number_parse(text, end, value);
    }
    p = copy_whole(format, p, end, &plain);
    p = p ? copy_rest(format, p, end, &plain) : NULL;
    if (!p || number_parse(plain.text, plain.text + plain.length, value) != plain.text + plain.length) {
        return text;
    }
    return plain.length > 0 ? p : text;
}

bool cell_is_number(const cell_format *format, const char *text, int64_t length, double *value)
{
    return length > 0 && parse_number(format, text, text + length, value) == text + length;
}

/* ---- units ----------------------------------------------------------------------------------------------------- */

/* Returns whether the character may be in a unit.  A digit is a power, as in m/s2: one after a letter, ^ or sign. */
static bool belongs_to_unit(const char *unit, const char *p, const char *end)
{
    if (is_letter(*p) || (unsigned char)*p >= 0x80 || (*p && strchr("%$/*^._-", *p))) {
        return true;
    }
    bool one = p + 1 == end || !is_digit(p[1]);
    return is_digit(*p) && p > unit && one && !is_digit(p[-1]) && p[-1] != '/' && p[-1] != '.' && *p < '5';
}

/* Returns whether the text is a unit, such as rpm, %, m/s2, kg/m^3 or °C, and no ending as in 1st or 2 pm. */
static bool is_unit(const char *unit, const char *end)
{
    static const char *const none[] = {"st", "nd", "rd", "th", "am", "pm"};
    if (unit >= end || end - unit > UNIT_BYTES) {
        return false;
    }
    bool begins = is_letter(*unit) || (unsigned char)*unit >= 0x80 || *unit == '%' || *unit == '$' ||
                  (*unit == '/' && end - unit > 1 && is_letter(unit[1]));
    if (!begins || is_one_of(unit, end - unit, none, sizeof none / sizeof *none)) {
        return false;
    }
    for (const char *p = unit; p < end; p++) {
        if (!belongs_to_unit(unit, p, end)) {
            return false;
        }
    }
    return true;
}

cell_reading cell_read(const cell_format *format, const char *text, int64_t length)
{
    cell_reading r = {.kind = CELL_TEXT, .value = NAN};
    const char *end = text + length;
    double value = NAN;
    if (cell_is_missing(format, text, length, false)) {
        r.kind = CELL_MISSING;
        return r;
    }
    const char *behind = parse_number(format, text, end, &value);
    if (behind == text) {
        return r;
    }
    if (behind == end) {
        r.kind = isnan(value) ? CELL_MISSING : CELL_NUMBER;
        r.value = value;
        return r;
    }
    const char *unit = behind;
    for (int blank; (blank = blank_length(unit, end)) > 0; unit += blank) {
    }
    if (isfinite(value) && is_unit(unit, end)) {
        r = (cell_reading){CELL_UNIT, value, unit, end - unit};
    }
    return r;
}
