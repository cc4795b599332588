/*
 * table.c - what the readers of all formats share: the choice of the format, columns, notes.
 */
#include "read/table_internal.h"

#include "base/input.h"
#include "options/options.h"
#include "unpack/unpack.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
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
    for (int64_t k = 0; k < options->excluded_count; k++) {
        int64_t j = table_find(t, options->excluded[k]);
        if (j >= 0) {
            t->column[j].excluded = true;
            t->column[j].asked = false;
        }
    }
}

nonsens_status table_place_cells(nonsens_context *ctx, arena *a, table *t)
{
    double *values; // (columns of values, rows)
    int64_t numeric = 0, cells;
    for (int64_t j = 0; j < t->cols; j++) {
        numeric += !t->column[j].is_label;
    }
    if (__builtin_mul_overflow(numeric, t->rows, &cells)) {
        return fail_memory(ctx);
    }
    ARENA_TRY(ctx, a, values, cells);
    for (int64_t j = 0, k = 0; j < t->cols; j++) {
        if (t->column[j].is_label) {
            ARENA_TRY(ctx, a, t->column[j].category, t->rows);
        } else {
            t->column[j].value = values + k++ * t->rows;
        }
    }
    return NONSENS_OK;
}

nonsens_status table_note(nonsens_context *ctx, arena *a, table *t, const char *format, ...)
{
    va_list args;
    ARENA_GROW(ctx, a, t->note, t->notes, t->note_capacity);
    va_start(args, format);
    char *text = arena_format_list(ctx, a, format, args);
    va_end(args);
    t->note[t->notes] = text;
    t->notes += text != NULL;
    return text ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

void table_count_missing(table_column *column, int64_t row)
{
    if (column->missing++ == 0) {
        column->first_missing = row;
    }
}

void table_find_missing(const char *words, int64_t rows, table_column *column)
{
    enum { MAX_NUMBERS = 64 };
    double number[MAX_NUMBERS], *value = column->value;
    int count = words ? cell_missing_numbers(words, number, MAX_NUMBERS) : 0;
    column->missing = 0;
    for (int64_t i = 0; i < rows; i++) {
        for (int k = 0; k < count; k++) {
            if (value[i] == number[k]) {
                value[i] = NAN;
            }
        }
        if (isnan(value[i])) {
            table_count_missing(column, i);
        }
    }
}

/* ---- whole tables ---------------------------------------------------------------------------------------------- */

nonsens_status table_read(nonsens_context *ctx, arena *a, const char *path, const table_options *options, table *out)
{
    SCOPED(input_free) input file = {0};
    TRY(input_read(ctx, path, INT64_MAX, &file));
    return table_parse(ctx, a, input_name(path), file.bytes, file.size, options, out);
}

static nonsens_status note_unpacking(nonsens_context *ctx, arena *a, const unpacked *u, table *t)
{
    if (u->compression) {
        TRY(table_note(ctx, a, t, "the file was unpacked from %s", u->compression));
    }
    return u->utf16 ? table_note(ctx, a, t, "the file was read as UTF-16") : NONSENS_OK;
}

nonsens_status table_parse(nonsens_context *ctx, arena *a, const char *path, const char *bytes, size_t size,
                           const table_options *options, table *out)
{
    static const table_options defaults = {0};
    SCOPED(unpack_free) unpacked u = {0};
    memset(out, 0, sizeof *out);
    ARENA_TRY(ctx, a, out->path, SHOWN_PATH_BYTES);
    show_path(out->path, path);
    options = options ? options : &defaults;
    TRY(unpack_bytes(ctx, out->path, bytes, size, &u));
    if (u.size == 0) {
        return fail(ctx, NONSENS_ERR_DATA, "%s: the file is empty; give a table with at least one row", out->path);
    }
    TRY(note_unpacking(ctx, a, &u, out));
    size_t length = strlen(path);
    bool npy = (length >= 4 && strcmp(path + length - 4, ".npy") == 0) || npy_has_magic(u.bytes, u.size);
    TRY((npy ? npy_parse : csv_parse)(ctx, a, u.bytes, u.size, options, out));
    return table_join_labels(ctx, a, out);
}
