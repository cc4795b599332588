/*
 * sources.c - the estimated disturbances as CSV: row (of the input, from 1), then one column per variable, N_<name>.
 * Rows that were left out for missing values have no line.  Figures read back as the same doubles.
 */
#include "base/number.h"
#include "base/output.h"
#include "methods/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A CSV cell: quoted, with doubled quotes, where the text needs it. */
static void write_cell(FILE *f, const char *prefix, const char *text)
{
    if (!strpbrk(text, ",\"\r\n\t ")) {
        fprintf(f, "%s%s", prefix, text);
        return;
    }
    fprintf(f, "\"%s", prefix);
    for (; *text; text++) {
        fprintf(f, *text == '"' ? "\"%c" : "%c", *text);
    }
    fputc('"', f);
}

typedef struct place {
    int64_t input_row, row;
} place;

static int by_input_row(const void *a, const void *b)
{
    int64_t x = ((const place *)a)->input_row, y = ((const place *)b)->input_row;
    return (x > y) - (x < y);
}

static nonsens_status input_order(nonsens_context *ctx, arena *scratch, const nonsens_result *r, place **order)
{
    ARENA_TRY(ctx, scratch, *order, r->rows);
    for (int64_t i = 0; i < r->rows; i++) {
        (*order)[i] = (place){r->input_row[i], i};
    }
    qsort(*order, (size_t)r->rows, sizeof **order, by_input_row);
    return NONSENS_OK;
}

static void write_header(FILE *f, const nonsens_result *r)
{
    fputs("row", f);
    for (int64_t j = 0; j < r->source.cols; j++) {
        fputc(',', f);
        write_cell(f, "N_", r->names[j]);
    }
    fputc('\n', f);
}

static void write_rows(FILE *f, const nonsens_result *r, const place *order)
{
    char value[NUMBER_BYTES];
    for (int64_t i = 0; i < r->rows; i++) {
        fprintf(f, "%" PRId64, order[i].input_row + 1);
        for (int64_t j = 0; j < r->source.cols; j++) {
            fprintf(f, ",%s", number_print(value, matrix_col(r->source, j)[order[i].row], 0));
        }
        fputc('\n', f);
    }
}

static nonsens_status write_file(nonsens_context *ctx, const nonsens_result *r, const place *order, const char *path)
{
    output *out;
    TRY(output_open(ctx, path, &out));
    write_header(output_stream(out), r);
    write_rows(output_stream(out), r, order);
    return output_close(ctx, out);
}

nonsens_status nonsens_result_write_sources(nonsens_context *ctx, const nonsens_result *result, const char *path)
{
    arena scratch = {0};
    place *order;
    if (!result->source.v) {
        return fail(ctx, NONSENS_ERR_USAGE, "%s estimates no disturbances, so there are none to write", result->method);
    }
    nonsens_status status = input_order(ctx, &scratch, result, &order);
    if (status == NONSENS_OK) {
        status = write_file(ctx, result, order, path);
    }
    arena_free(&scratch);
    return status;
}
