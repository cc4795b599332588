/*
 * sources.c - writes estimated disturbances or sources as CSV, one line per row of the input and in its order.
 *
 *   direction, discover  row (of the input, from 1), then one column per variable, N_<name>
 *   ica                  s1, s2, ..., then the label if there are segments; a first column "row" if rows may have been
 *                        left out
 *
 * Rows that were left out because of missing values have no line.  Values read back as the same doubles.
 */
#include "base/csv_cell.h"
#include "base/number.h"
#include "base/output.h"
#include "methods/shared/result.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct place {
    int64_t input_row, row, segment;
} place;

static int by_input_row(const void *a, const void *b)
{
    int64_t x = ((const place *)a)->input_row, y = ((const place *)b)->input_row;
    return (x > y) - (x < y);
}

static nonsens_status input_order(nonsens_context *ctx, arena *scratch, const nonsens_result *r, place **order)
{
    ARENA_TRY(ctx, scratch, *order, r->rows);
    for (int64_t i = 0, e = 0; i < r->rows; i++) {
        while (e + 1 < r->segments && i >= r->start[e + 1]) {
            e++;
        }
        (*order)[i] = (place){r->input_row[i], i, e};
    }
    qsort(*order, (size_t)r->rows, sizeof **order, by_input_row);
    return NONSENS_OK;
}

static bool has_rows(const nonsens_result *r)
{
    return !r->source_name || r->options.na == NA_DROP_ROWS;
}

static bool has_segments(const nonsens_result *r)
{
    return r->source_name && r->segments > 0;
}

/* Returns the name of the segment column: the user's, unless that is #k or the name of a source. */
static const char *segment_name(const nonsens_result *r)
{
    const char *name = r->options.segment;
    bool ours = !name[0] || name[0] == '#';
    for (int64_t j = 0; j < r->source.cols; j++) {
        ours = ours || strcmp(name, r->source_name[j]) == 0;
    }
    return ours ? "segment" : name;
}

static void write_header(FILE *f, const nonsens_result *r)
{
    const char *separator = has_rows(r) ? "row," : "";
    for (int64_t j = 0; j < r->source.cols; j++) {
        fputs(separator, f);
        csv_cell_print(f, r->source_name ? "" : "N_", r->source_name ? r->source_name[j] : r->names[j]);
        separator = ",";
    }
    if (has_segments(r)) {
        fputc(',', f);
        csv_cell_print(f, "", segment_name(r));
    }
    fputc('\n', f);
}

static void write_rows(FILE *f, const nonsens_result *r, const place *order)
{
    char value[NUMBER_BYTES];
    for (int64_t i = 0; i < r->rows; i++) {
        if (has_rows(r)) {
            fprintf(f, "%" PRId64 ",", order[i].input_row + 1);
        }
        for (int64_t j = 0; j < r->source.cols; j++) {
            fprintf(f, "%s%s", j ? "," : "", number_print(value, matrix_col(r->source, j)[order[i].row], 0));
        }
        if (has_segments(r)) {
            fputc(',', f);
            csv_cell_print(f, "", r->labels[order[i].segment]);
        }
        fputc('\n', f);
    }
}

nonsens_status nonsens_result_write_sources(nonsens_context *ctx, const nonsens_result *result, const char *path)
{
    NEEDED(ctx, result, path);
    SCOPED_ARENA(scratch);
    place *order;
    output *out;
    if (result->sampled) {
        return fail(
            ctx, NONSENS_ERR_USAGE,
            "only a sample of the rows was used, so that there are no disturbances of all to write; allow all by "
            "--max-rows %" PRId64,
            result->rows);
    }
    if (!result->source.v) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "%s estimated no disturbances of these data, so there are none to write; leave --sources out",
                    result->method);
    }
    TRY(input_order(ctx, &scratch, result, &order));
    TRY(output_open(ctx, path, &out));
    write_header(output_stream(out), result);
    write_rows(output_stream(out), result, order);
    return output_close(ctx, out);
}
