/*
 * table.h - reads a rectangular file into memory, without interpretation: CSV, TSV, blank-separated text or .npy.
 * Files may be compressed by gzip or zstd, and texts in UTF-16 (unpack/unpack.h).
 *
 * A column holds numbers (NaN if the cell is missing) or, if segments are made from it, categories by the exact text of
 * its cells; of other text columns only the name and the first text are kept.  Errors name file:line:column.
 */
#ifndef READ_TABLE_H
#define READ_TABLE_H

#include "base/memory.h"
#include "base/nearest.h"
#include "base/number.h"
#include "data/date_span.h"
#include "read/cell_number.h"
#include "read/dates.h"

enum table_column_kind {
    COLUMN_NUMERIC, /* every cell is a finite number or missing, and at least one is a number */
    COLUMN_TEXT     /* no cell is a number (missing cells allowed), it holds labels, or it was not asked for */
};

typedef struct table_column {
    char *name; /* valid UTF-8, not empty, all different */
    enum table_column_kind kind;
    bool asked;        /* on the list of wanted columns, or there is no list; never if it is excluded */
    bool excluded;     /* on the list of excluded columns */
    bool is_numbering; /* it only numbers the rows (no_variables.c) */
    bool is_label;     /* segments are made from it */
    bool mixed;        /* numbers mixed with bad cells; the column was not asked for and counts as text */
    double *value;     /* (rows) NaN if missing; NULL for text columns and for columns of labels */
    int32_t *category; /* (rows) only of columns of labels: index into `labels`, -1 if missing; else NULL */
    char **labels;     /* distinct texts of a column of labels in order of first appearance; valid UTF-8 */
    int32_t label_count;
    int64_t missing;       /* how many cells are missing */
    int64_t first_missing; /* row of the first missing cell, or -1 */
    char *unit;            /* unit of all numbers of the column, or NULL */
    char *text_cell;       /* first text of a text column of a text file, as shown (base/show.h); else NULL */
    int64_t text_line;     /* line of that cell */
    const char *text_hint; /* options with which that text is a number, such as --decimal ,; else NULL */
} table_column;

/* A column from which segments are made: from its texts, or from the periods of its dates. */
typedef struct table_label {
    int64_t column;
    enum period period;
} table_label;

typedef struct table {
    char *path; /* for messages: shortened if it is long; "standard input" for "-" */
    int64_t rows, cols;
    table_column *column; /* (cols) */
    int64_t *line;        /* (rows) line of the file on which row i starts; NULL for .npy */
    table_label *label;   /* (labels) the columns from which segments are made */
    int64_t labels;
    table_column *segment; /* the labels of the rows: one of `column`, or a combination of several; NULL: no labels */
    char **note;           /* (notes) sentences on how the file was understood */
    int64_t notes, note_capacity;
    date_span dates; /* of a text column that holds only dates */
} table;

typedef struct table_options {
    bool no_header;            /* columns are then named c1, c2, ... */
    const char *label;         /* the value of --segment; NULL or "": no segments */
    const char *const *wanted; /* (wanted_count) names or #k of columns that must hold numbers; NULL: all */
    int64_t wanted_count;
    const char *const *excluded; /* (excluded_count) names or #k of columns that are no variables */
    int64_t excluded_count;
    cell_format format; /* if decimal is 0, the decimal mark is detected */
} table_options;

/*
 * Reads path ("-": standard input).  Memory comes from the arena; docs/trust.md says how much reading takes in addition
 * to the size of the file.  options may be NULL.  Invalid contents and a missing label column are NONSENS_ERR_DATA; the
 * message has the position of the fault.
 */
nonsens_status table_read(nonsens_context *ctx, arena *a, const char *path, const table_options *options, table *out);

/* Find the column with this name, table_find also by #k; -1 if there is no such column. */
int64_t table_find_name(const table *t, const char *name);
int64_t table_find(const table *t, const char *name);
/* Finds the column whose name is nearest to `name`. */
nearest table_nearest(const table *t, const char *name);

/*
 * Reads a table from bytes in memory; `path` is used in messages.  Its ending or NumPy's magic bytes identify .npy.
 */
nonsens_status table_parse(nonsens_context *ctx, arena *a, const char *path, const char *bytes, size_t size,
                           const table_options *options, table *out);

#endif
