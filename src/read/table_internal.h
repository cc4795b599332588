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

/* Finds the columns that segments are made of, and marks them; an error if one is missing. */
nonsens_status table_find_labels(nonsens_context *ctx, arena *a, const table_options *options, table *t);
/* Makes t->segment of these columns, once they are read. */
nonsens_status table_join_labels(nonsens_context *ctx, arena *a, table *t);

/* Marks the columns that were asked for; the caller handles names that no column has. */
void table_mark_asked(table *t, const table_options *options);

/* Allocates t->rows values in each column, or categories in those of labels. */
nonsens_status table_place_cells(nonsens_context *ctx, arena *a, table *t);

/* Adds a sentence to t->note. */
nonsens_status table_note(nonsens_context *ctx, arena *a, table *t, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Gives the texts of the set to a column of labels. */
nonsens_status table_keep_labels(nonsens_context *ctx, arena *a, const text_set *set, table_column *column);

/* Counts the missing values of a column, after it made some of the numbers among the words of --na-values. */
void table_find_missing(const char *words, int64_t rows, table_column *column);

/* Counts a missing cell. */
void table_count_missing(table_column *column, int64_t row);

/* Read one format each; t->path is set, nothing else. */
nonsens_status csv_parse(nonsens_context *ctx, arena *a, const char *bytes, size_t size, const table_options *options,
                         table *t);
nonsens_status npy_parse(nonsens_context *ctx, arena *a, const char *bytes, size_t size, const table_options *options,
                         table *t);
/* Says whether the bytes begin as a .npy file does. */
bool npy_has_magic(const char *bytes, size_t size);

#endif
