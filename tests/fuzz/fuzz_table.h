/*
 * fuzz_table.h - feeds random bytes to the readers of tables (libFuzzer): what the targets of all formats share.
 *
 * The first byte selects options: bit 1 no header; bit 2 the first column as labels, bit 3 the days of its dates, bit 4
 * together with the second column; bit 5 words for missing values; bits 6 and 7 the format of numbers.  The test visits
 * all that was read, so that the sanitizers see every cell.
 */
#ifndef FUZZ_TABLE_H
#define FUZZ_TABLE_H

#include "fuzz/fuzz.h"
#include "read/table.h"

#include <string.h>

static void check_column(const table *t, const table_column *column)
{
    int64_t missing = 0;
    check(column->name && column->name[0]);
    check((column->kind == COLUMN_NUMERIC) == (column->value != NULL));
    for (int64_t i = 0; i < t->rows; i++) {
        if (column->value) {
            missing += column->value[i] != column->value[i];
            check(!(column->value[i] - column->value[i] != 0.0) || column->value[i] != column->value[i]);
        }
        if (column->category) {
            missing += column->category[i] < 0;
            check(column->category[i] < column->label_count);
        }
    }
    check(missing == column->missing || (!column->value && !column->category));
    for (int32_t k = 0; k < column->label_count; k++) {
        check(strlen(column->labels[k]) > 0);
    }
}

static void check_table(nonsens_context *ctx, nonsens_status status, const table *t)
{
    if (status != NONSENS_OK) {
        check(status == NONSENS_ERR_DATA || status == NONSENS_ERR_USAGE); // usage: "#1,#2" may name one column twice
        check(strlen(nonsens_context_message(ctx)) > 10);
        return;
    }
    check(t->rows > 0 && t->cols > 0);
    for (int64_t j = 0; j < t->cols; j++) {
        check_column(t, &t->column[j]);
    }
}

static table_options options_of(uint8_t bits)
{
    static const char *const label[] = {"#1", "#1:day", "#1,#2", "#1:hour,#2"};
    static const cell_format format[] = {{0}, {',', '.', NULL}, {'.', ',', NULL}, {'.', ' ', NULL}};
    table_options options = {.no_header = bits & 2, .format = format[bits >> 6]};
    options.label = bits & 4 ? label[bits >> 3 & 3] : NULL;
    options.format.missing = bits & 32 ? "none,-9,x y" : NULL;
    return options;
}

/* Reads all bytes but the first as a file of this name. */
static void feed_table(const char *path, const uint8_t *data, size_t size)
{
    nonsens_context *ctx = nonsens_context_new();
    arena a = {0};
    table t;
    if (size > 0 && ctx) {
        table_options options = options_of(data[0]);
        nonsens_status status = table_parse(ctx, &a, path, (const char *)data + 1, size - 1, &options, &t);
        check_table(ctx, status, &t);
    }
    arena_free(&a);
    nonsens_context_free(ctx);
}

#endif
