/* csv_cell.c - quotes and the apostrophe in front of would-be formulas; see csv_cell.h. */
#include "base/csv_cell.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

/* Ignores trailing blanks, as the reader does. */
static bool is_number(const char *text, int64_t length)
{
    double value;
    while (length > 0 && text[length - 1] == ' ') {
        length--;
    }
    return number_parse(text, text + length, &value) == text + length && isfinite(value);
}

/* Would a spreadsheet take the text for a formula if it had no apostrophes in front? */
static bool is_formula(const char *text, int64_t length)
{
    int64_t at = 0;
    while (at < length && text[at] == '\'') {
        at++;
    }
    bool begins = at < length && text[at] && strchr("=+-@\t\r", text[at]);
    return begins && !is_number(text, length);
}

bool csv_cell_is_guarded(const char *text, int64_t length)
{
    return length > 0 && text[0] == '\'' && is_formula(text + 1, length - 1);
}

void csv_cell_print(FILE *f, const char *prefix, const char *text)
{
    const char *guard = !prefix[0] && is_formula(text, (int64_t)strlen(text)) ? "'" : "";
    bool quoted = (!prefix[0] && (!text[0] || text[0] == '#')) || strpbrk(text, ",;\t\"\r\n ");
    if (!quoted) {
        fprintf(f, "%s%s%s", guard, prefix, text);
        return;
    }
    fprintf(f, "\"%s%s", guard, prefix);
    for (; *text; text++) {
        if (*text == '"') {
            fputc('"', f);
        }
        fputc(*text, f);
    }
    fputc('"', f);
}
