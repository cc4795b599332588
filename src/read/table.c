/*
 * table.c - what the readers of all formats share: the choice of the format, columns, labels, messages.
 */
#include "read/table_internal.h"

#include "base/input.h"
#include "options/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- labels ---------------------------------------------------------------------------------------------------- */

nonsens_status table_keep_labels(nonsens_context *ctx, arena *a, const text_set *set, table_column *column)
{
    ARENA_TRY(ctx, a, column->labels, set->count);
    if (set->count) {
        memcpy(column->labels, set->text, (size_t)set->count * sizeof set->text[0]);
    }
    column->label_count = (int32_t)set->count;
    return NONSENS_OK;
}

/* ---- columns --------------------------------------------------------------------------------------------------- */

nonsens_status table_new(nonsens_context *ctx, arena *a, int64_t cols, table *t)
{
    ARENA_TRY(ctx, a, t->column, cols);
    t->cols = cols;
    t->text_column = -1;
    for (int64_t j = 0; j < cols; j++) {
        t->column[j].kind = COLUMN_TEXT;
        t->column[j].first_missing = -1;
    }
    return NONSENS_OK;
}

nonsens_status table_number_columns(nonsens_context *ctx, arena *a, table *t)
{
    int width = 2 + snprintf(NULL, 0, "%" PRId64, t->cols);
    char *names;
    ARENA_TRY(ctx, a, names, t->cols * width);
    for (int64_t j = 0; j < t->cols; j++) {
        t->column[j].name = names + j * width;
        snprintf(t->column[j].name, (size_t)width, "c%" PRId64, j + 1);
    }
    return NONSENS_OK;
}

int64_t table_find_name(const table *t, const char *name)
{
    for (int64_t j = 0; j < t->cols; j++) {
        if (strcmp(t->column[j].name, name) == 0) {
            return j;
        }
    }
    return -1;
}

int64_t table_find(const table *t, const char *name)
{
    int64_t found = table_find_name(t, name);
    return found >= 0 ? found : option_column_number(name, t->cols);
}

nearest table_nearest(const table *t, const char *name)
{
    nearest near = nearest_to(name);
    for (int64_t j = 0; j < t->cols; j++) {
        nearest_offer(&near, t->column[j].name);
    }
    return near;
}

nonsens_status table_find_label(nonsens_context *ctx, const table *t, const table_options *options, int64_t *label)
{
    *label = -1;
    if (!options->label || !options->label[0]) {
        return NONSENS_OK;
    }
    *label = table_find(t, options->label);
    if (*label >= 0) {
        return NONSENS_OK;
    }
    char wanted[SHOWN_BYTES], first[SHOWN_BYTES], last[SHOWN_BYTES], hint[HINT_BYTES];
    const char *a = t->column[0].name, *b = t->column[t->cols - 1].name;
    nearest near = table_nearest(t, options->label);
    return fail(ctx, NONSENS_ERR_DATA, "%s: no column %s; it has %" PRId64 " column%s, %s to %s: give a name or #k%s",
                t->path, show_quoted(wanted, options->label), t->cols, t->cols == 1 ? "" : "s", show_quoted(first, a),
                show_quoted(last, b), nearest_hint(&near, hint));
}

void table_mark_asked(table *t, const table_options *options)
{
    for (int64_t j = 0; j < t->cols; j++) {
        t->column[j].asked = !options->wanted;
    }
    for (int64_t k = 0; options->wanted && k < options->wanted_count; k++) {
        int64_t j = table_find(t, options->wanted[k]);
        if (j >= 0) {
            t->column[j].asked = true;
        }
    }
}

nonsens_status table_place_cells(nonsens_context *ctx, arena *a, table *t, int64_t label)
{
    double *values; // (cols without the label column, rows)
    int64_t numeric = t->cols - (label >= 0), cells;
    if (__builtin_mul_overflow(numeric, t->rows, &cells)) {
        return fail_memory(ctx);
    }
    ARENA_TRY(ctx, a, values, cells);
    for (int64_t j = 0, k = 0; j < t->cols; j++) {
        if (j != label) {
            t->column[j].value = values + k++ * t->rows;
        }
    }
    if (label >= 0) {
        ARENA_TRY(ctx, a, t->column[label].category, t->rows);
    }
    return NONSENS_OK;
}

void table_count_missing(table_column *column, int64_t row)
{
    if (column->missing++ == 0) {
        column->first_missing = row;
    }
}

/* ---- whole tables ---------------------------------------------------------------------------------------------- */

nonsens_status table_read(nonsens_context *ctx, arena *a, const char *path, const table_options *options, table *out)
{
    SCOPED(input_free) input file = {0};
    TRY(input_read(ctx, path, INT64_MAX, &file));
    return table_parse(ctx, a, input_name(path), file.bytes, file.size, options, out);
}

nonsens_status table_parse(nonsens_context *ctx, arena *a, const char *path, const char *bytes, size_t size,
                           const table_options *options, table *out)
{
    static const table_options defaults = {0};
    memset(out, 0, sizeof *out);
    ARENA_TRY(ctx, a, out->path, SHOWN_PATH_BYTES);
    show_path(out->path, path);
    if (size == 0) {
        return fail(ctx, NONSENS_ERR_DATA, "%s: the file is empty; give a table with at least one row", out->path);
    }
    size_t length = strlen(path);
    bool npy = (length >= 4 && strcmp(path + length - 4, ".npy") == 0) || npy_has_magic(bytes, size);
    return (npy ? npy_parse : csv_parse)(ctx, a, bytes, size, options ? options : &defaults, out);
}
