/*
 * fuzz_table.c - bytes at random into the readers (libFuzzer).
 *
 * The first byte chooses: bit 0 .npy or text, bit 1 without header, bit 2 with the first column as labels.  What is
 * read is walked through, so that the sanitizers see every cell.
 */
#include "data/table.h"
#include "fuzz/fuzz.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nonsens_context *ctx = nonsens_context_new();
    if (size < 1 || !ctx) {
        nonsens_context_free(ctx);
        return 0;
    }
    table_options options = {.no_header = data[0] & 2, .label = data[0] & 4 ? "#1" : NULL};
    arena a = {0};
    table t;
    const char *path = data[0] & 1 ? "fuzz.npy" : "fuzz.csv";
    nonsens_status status = table_parse(ctx, &a, path, (const char *)data + 1, size - 1, &options, &t);
    if (status == NONSENS_OK) {
        check(t.rows > 0 && t.cols > 0);
        for (int64_t j = 0; j < t.cols; j++) {
            check_column(&t, &t.column[j]);
        }
    } else {
        check(status == NONSENS_ERR_DATA && strlen(nonsens_message(ctx)) > 10);
    }
    arena_free(&a);
    nonsens_context_free(ctx);
    return 0;
}
