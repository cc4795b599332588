/* text_ica.c - prints what `ica` found: the sources, with their shape and how they change, and the unmixing. */
#include "base/show.h"
#include "write/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    MAX_SHOWN = 10,
    SHORT_UNMIXING = 7,
    NUMBER_COLUMNS = 12,
    LABEL_COLUMNS = 22,
    LABEL_BYTES = 128,
    DIGITS = 4,
    CHANGE_DIGITS = 3
};

/* Shortens a text to this number of characters. */
static const char *short_text(char out[LABEL_BYTES], const char *text, int characters)
{
    return show_text(out, LABEL_BYTES, text, (int64_t)strlen(text), characters);
}

/* Returns the segment in which the source varies most (sign 1) or least (-1); ties go to the first label. */
static int64_t extreme_segment(const nonsens_result *r, int64_t source, double sign)
{
    const double *change = matrix_col(r->modulation, source);
    int64_t best = r->label_order[0];
    for (int64_t k = 1; k < r->segments; k++) {
        int64_t e = r->label_order[k];
        best = sign * (change[e] - change[best]) > 0.0 ? e : best;
    }
    return best;
}

static void print_extreme(FILE *f, const nonsens_result *r, int64_t source, double sign, int columns)
{
    char label[LABEL_BYTES], value[NUMBER_BYTES], cell[LABEL_BYTES + NUMBER_BYTES];
    int64_t e = extreme_segment(r, source, sign);
    snprintf(cell, sizeof cell, "%s (%s)", short_text(label, r->labels[e], LABEL_COLUMNS - 10),
             number_print(value, matrix_col(r->modulation, source)[e], CHANGE_DIGITS));
    fputs("  ", f);
    text_print_padded(f, cell, columns);
}

static void print_source(FILE *f, const nonsens_result *r, int64_t k)
{
    char kurtosis[NUMBER_BYTES], skewness[NUMBER_BYTES];
    fprintf(f, "  %-6s  %10s  %10s", r->source_name[k], number_print(kurtosis, r->unmixed.kurtosis[k], DIGITS),
            number_print(skewness, r->unmixed.skewness[k], DIGITS));
    if (r->segments > 1) {
        print_extreme(f, r, k, 1.0, LABEL_COLUMNS);
        print_extreme(f, r, k, -1.0, 0);
    }
    fputc('\n', f);
}

static int print_sources(FILE *f, const nonsens_result *r)
{
    int64_t shown = r->source.cols < MAX_SHOWN ? r->source.cols : MAX_SHOWN;
    text_print_heading(f, "Sources");
    fprintf(f, "  %-6s  %10s  %10s", "source", "kurtosis", "skewness");
    if (r->segments > 1) {
        fprintf(f, "  %-*s  %s", LABEL_COLUMNS, "varies most in", "least in (standard deviation over the pooled one)");
    }
    fputc('\n', f);
    for (int64_t k = 0; k < shown; k++) {
        print_source(f, r, k);
    }
    if (r->source.cols > MAX_SHOWN) {
        fprintf(f, "  ... and %" PRId64 " more; --json shows them\n", r->source.cols - MAX_SHOWN);
    }
    return 3 + (int)shown + (r->source.cols > MAX_SHOWN);
}

static int print_unmixing(FILE *f, const nonsens_result *r)
{
    char name[LABEL_BYTES], value[NUMBER_BYTES];
    int64_t d = r->source.cols;
    text_print_heading(f, "Unmixing (rows are sources, columns the weights of variables less their means)");
    if (d > MAX_SHOWN) {
        fprintf(f, "  %" PRId64 " x %" PRId64 "; --json shows it\n", d, d);
        return 3;
    }
    fprintf(f, "  %-6s", "");
    for (int64_t j = 0; j < d; j++) {
        short_text(name, r->names[j], NUMBER_COLUMNS - 2);
        fprintf(f, "%*s%s", NUMBER_COLUMNS - text_columns(name, strlen(name)), "", name);
    }
    fputc('\n', f);
    for (int64_t k = 0; k < d; k++) {
        fprintf(f, "  %-6s", r->source_name[k]);
        for (int64_t j = 0; j < d; j++) {
            fprintf(f, "%*s", NUMBER_COLUMNS, number_print(value, r->unmixed.unmixing[k * d + j], DIGITS));
        }
        fputc('\n', f);
    }
    return 3 + (int)d;
}

int text_print_unmixed(FILE *f, const nonsens_result *r, bool all)
{
    char data[TEXT_DATA_BYTES];
    text_print_count(f, r->source.cols, "source", " by ");
    fputs(r->method, f);
    if (r->unmixed.statistic) {
        fprintf(f, " (statistic %s)", r->unmixed.statistic);
    }
    fprintf(f, " from %s%s\n", text_data(data, r), r->segments > 0 ? "" : ", no segments");
    int lines = 1 + print_sources(f, r);
    bool square = r->source.cols <= SHORT_UNMIXING;
    return all || square ? lines + print_unmixing(f, r) : lines;
}
