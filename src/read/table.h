/*
 * table.h - reads a rectangular file into memory: CSV, TSV, blank-separated text or .npy, before interpretation.
 *
 * A column holds numbers (NaN if the cell is missing) or, if it was asked for as the label column, categories by the
 * exact text of its cells; of other text columns only the name is kept.  Errors name file:line:column.
 */
#ifndef READ_TABLE_H
#define READ_TABLE_H

#include "base/memory.h"
#include "base/nearest.h"
#include "base/number.h"

enum table_column_kind {
    COLUMN_NUMERIC, /* every cell is a finite number or missing, and at least one is a number */
    COLUMN_TEXT     /* no cell is a number (missing cells allowed), it is the label column, or it was not asked for */
};

typedef struct table_column {
    char *name; /* valid UTF-8, not empty, all different */
    enum table_column_kind kind;
    bool asked;        /* on the list of wanted columns, or there is no list */
    bool mixed;        /* numbers beside text or infinite cells; the column was not asked for and counts as text */
    double *value;     /* (rows) NaN if missing; NULL for text columns and for the label column */
    int32_t *category; /* (rows) of the label column only: index into `labels`, -1 if missing; else NULL */
    char **labels;     /* distinct cell texts of the label column in order of first appearance; valid UTF-8 */
    int32_t label_count;
    int64_t missing;       /* how many cells are missing */
    int64_t first_missing; /* row of the first missing cell, or -1 */
} table_column;

typedef struct table {
    char *path; /* for messages, so shortened if it is long; "standard input" for "-" */
    int64_t rows, cols;
    table_column *column; /* (cols) */
    int64_t *line;        /* (rows) line of the file on which row i starts, or NULL for .npy */
    int64_t text_column;  /* the first text column that is not all missing, or -1 */
    char *text_cell;      /* the first text in it, as shown (base/show.h); NULL if there is none */
    bool decimal_comma;   /* text_cell is a number with a decimal comma */
} table;

typedef struct table_options {
    bool no_header;    /* columns are then named c1, c2, ... */
    const char *label; /* column whose cells are kept as categories: a name or #k (1-based); NULL or "" for none */
    const char *const *wanted; /* (wanted_count) columns that must hold numbers, names or #k; NULL: all */
    int64_t wanted_count;
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
