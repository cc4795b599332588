/* table.c - writes tables as CSV. */
#include "harness/table.h"

#include <inttypes.h>
#include <math.h>

void table_text(table *t, const char *text)
{
    if (t->out) {
        fprintf(t->out, "%s%s", t->column++ > 0 ? "," : "", text);
    }
}

void table_whole(table *t, int64_t value)
{
    char text[NUMBER_BYTES];
    snprintf(text, sizeof text, "%" PRId64, value);
    table_text(t, text);
}

void table_number(table *t, double value, int digits)
{
    char text[NUMBER_BYTES];
    table_text(t, summary_show("", text, value, digits));
}

void table_fixed(table *t, double value, int decimals)
{
    char text[64];
    snprintf(text, sizeof text, "%.*f", decimals, value);
    table_text(t, isnan(value) ? "" : text);
}

void table_summary(table *t, summary s, int digits)
{
    table_number(t, s.mean, digits);
    table_number(t, s.error, digits);
}

void table_end_row(table *t)
{
    if (t->out) {
        fputc('\n', t->out);
        t->column = 0;
    }
}
