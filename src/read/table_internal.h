/*
 * table_internal.h - what the readers of the formats share (table.c).
 */
#ifndef READ_TABLE_INTERNAL_H
#define READ_TABLE_INTERNAL_H

#include "base/show.h"
#include "base/text_set.h"
#include "base/utf8.h"
#include "read/table.h"

/* Makes `cols` columns without names. */
nonsens_status table_new(nonsens_context *ctx, arena *a, int64_t cols, table *t);

/* Names the columns c1, c2, ... */
nonsens_status table_number_columns(nonsens_context *ctx, arena *a, table *t);

/* Finds and marks the columns from which segments are made; it is an error if one is missing. */
nonsens_status table_find_labels(nonsens_context *ctx, arena *a, const table_options *options, table *t);
/* Makes t->segment from these columns once they are read. */
nonsens_status table_join_labels(nonsens_context *ctx, arena *a, table *t);

/* Marks the columns that were asked for or excluded; the caller handles names that no column has. */
void table_mark_asked(table *t, const table_options *options);

/* Allocates t->rows values for each column, or categories for columns of labels. */
nonsens_status table_place_cells(nonsens_context *ctx, arena *a, table *t);

/* Adds a sentence to t->note. */
nonsens_status table_note(nonsens_context *ctx, arena *a, table *t, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Gives the texts of the set to a column of labels. */
nonsens_status table_keep_labels(nonsens_context *ctx, arena *a, const text_set *set, table_column *column);

/* Replaces values that are numbers in --na-values (`words`) by NaN, and counts the missing values of a column. */
void table_find_missing(const char *words, int64_t rows, table_column *column);

/* Counts a missing cell. */
void table_count_missing(table_column *column, int64_t row);

/* Read one format each; t->path is set, and no other field but t->note. */
nonsens_status csv_parse(nonsens_context *ctx, arena *a, const char *bytes, size_t size, const table_options *options,
                         table *t);
nonsens_status npy_parse(nonsens_context *ctx, arena *a, const char *bytes, size_t size, const table_options *options,
                         table *t);
/* Returns whether the bytes begin like a .npy file. */
bool npy_has_magic(const char *bytes, size_t size);

#endif
