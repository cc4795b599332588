/*
 * table.h - reads a rectangular file into memory: CSV, TSV, blank-separated text or .npy, before interpretation.
 * Files may be compressed by gzip or zstd, and texts in UTF-16 (unpack/unpack.h).
 *
 * A column holds numbers (NaN if the cell is missing) or, if segments are made of it, categories by the exact text of
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
    bool excluded;     /* on the list of columns that are no variables */
    bool is_numbering; /* it only numbers the rows (no_variables.c) */
    bool is_label;     /* segments are made of it */
    bool mixed;        /* numbers beside text or infinite cells; the column was not asked for and counts as text */
    double *value;     /* (rows) NaN if missing; NULL for text columns and for columns of labels */
    int32_t *category; /* (rows) of columns of labels only: index into `labels`, -1 if missing; else NULL */
    char **labels;     /* distinct texts of a column of labels in order of first appearance; valid UTF-8 */
    int32_t label_count;
    int64_t missing;       /* how many cells are missing */
    int64_t first_missing; /* row of the first missing cell, or -1 */
    char *unit;            /* that all numbers of the column had, or NULL */
    char *text_cell;       /* of a text column of a text file: its first text, as shown (base/show.h); else NULL */
    int64_t text_line;     /* the line of that cell */
    const char *text_hint; /* what to do if that text is meant as a number, such as --decimal ,; NULL if nothing */
} table_column;

/* A column that segments are made of: by its texts, or by the periods that its dates lie in. */
typedef struct table_label {
    int64_t column;
    enum period period;
} table_label;

typedef struct table {
    char *path; /* for messages, so shortened if it is long; "standard input" for "-" */
    int64_t rows, cols;
    table_column *column; /* (cols) */
    int64_t *line;        /* (rows) line of the file on which row i starts, or NULL for .npy */
    table_label *label;   /* (labels) the columns that segments are made of */
    int64_t labels;
    table_column *segment; /* the labels of the rows: one of `column`, or made of several; NULL: there are none */
    char **note;           /* (notes) how the file was understood, in sentences */
    int64_t notes, note_capacity;
    date_span dates; /* of a text column that holds dates alone */
} table;

typedef struct table_options {
    bool no_header;            /* columns are then named c1, c2, ... */
    const char *label;         /* what segments are made of, as --segment says; NULL or "" for nothing */
    const char *const *wanted; /* (wanted_count) columns that must hold numbers, names or #k; NULL: all */
    int64_t wanted_count;
    const char *const *excluded; /* (excluded_count) columns that are no variables, names or #k */
    int64_t excluded_count;
    cell_format format; /* decimal 0: find out */
} table_options;

/*
 * Reads path ("-": standard input).  Memory comes from the arena; docs/trust.md says how much reading takes beside the
 * size of the file.  options may be NULL.  NONSENS_ERR_DATA, with the position of the fault, for invalid contents or a
 * missing label column.
 */
nonsens_status table_read(nonsens_context *ctx, arena *a, const char *path, const table_options *options, table *out);

/* Find the column called `name`, table_find also by #k; -1 if there is none. */
int64_t table_find_name(const table *t, const char *name);
int64_t table_find(const table *t, const char *name);
/* Finds the column whose name is nearest to `name`. */
nearest table_nearest(const table *t, const char *name);

/*
 * Does the same with bytes in memory; `path` is used in messages.  Its ending or NumPy's magic bytes identify .npy.
 */
nonsens_status table_parse(nonsens_context *ctx, arena *a, const char *path, const char *bytes, size_t size,
                           const table_options *options, table *out);

#endif
