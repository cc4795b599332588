/*
 * dataset.h - numeric variables with segments, in canonical order: what every method works on.
 *
 * Canonical order makes results independent of the order of rows, segments and columns and of label names:
 *   columns  are ranked by affine-invariant content (column_rank); x itself keeps the user's order
 * each is mirrored if that makes its skewness positive (canonical.h): code that shows a number that depends on the sign
 * of a mirrored column must reverse it
 *   segments are sorted by size, then by content
 *   rows     are sorted by segment, then by value (columns compared in rank order)
 * input_row and sign map back.
 */
#ifndef DATA_DATASET_H
#define DATA_DATASET_H

#include "base/matrix.h"
#include "base/memory.h"
#include "data/date_span.h"
#include "options/options.h"

struct nonsens_data {
    arena memory; /* owns everything below */
    int64_t n, d;
    int64_t segments;     /* E; 0 if the user named no segments (all rows are then one group, start[0..1]) */
    matrix x;             /* (n, d) finite values, times sign */
    bool *gap;            /* (n, d) the value is missing, and x holds the median of its column; NULL: no gaps */
    double *sign;         /* (d) 1, or -1 for a mirrored column */
    char **names;         /* (d) */
    char **labels;        /* (E) label texts in canonical segment order */
    int32_t *segment;     /* (n) non-decreasing, 0 .. E-1 (all 0 without segments) */
    int64_t *start;       /* (max(E,1) + 1) rows of segment e are start[e] .. start[e+1]-1 */
    int64_t *input_row;   /* (n) row of the input table, counted from 0 (rows dropped for missing values counted too) */
    int32_t *column_rank; /* (d) column_rank[k] = user's index of the k-th column in canonical order */
    uint64_t hash;        /* over values and signs in canonical order and segment bounds */
    bool by_role;         /* read with --x, --y and --given: just these variables, in this order */
    int64_t dependent;    /* columns that are exact linear functions of others */
    bool in_time;         /* neighbouring rows depend on one another, as in a time series (audit) */
    char **left_out[2];   /* (left_out_count) names of variables, and labels of segments, that tidy.c left out */
    int64_t left_out_count[2], left_out_capacity[2];
    date_span dates; /* when the rows were recorded, if the file says so */
    char **warning;  /* (warnings) sentences from reading and audit */
    int64_t warnings, warning_capacity;
    char **note; /* (notes) how the file was understood, in sentences */
    int64_t notes, note_capacity;
};

/*
 * Builds the data set in canonical order from columns in the user's order.  column: d pointers to n values; category: n
 * labels 0..E-1 or NULL; names, labels: copied.  input_row may be NULL (0..n-1).  Ends with the audit (audit.h).
 */
nonsens_status dataset_new(nonsens_context *ctx, int64_t n, int64_t d, const double *const *column,
                           const char *const *names, const int32_t *category, int64_t segments,
                           const char *const *labels, const int64_t *input_row, nonsens_data **out);

/* Does the same without the audit: a constant column is not an error, and NaN is a missing value. */
nonsens_status dataset_new_unaudited(nonsens_context *ctx, int64_t n, int64_t d, const double *const *column,
                                     const char *const *names, const int32_t *category, int64_t segments,
                                     const char *const *labels, const int64_t *input_row, nonsens_data **out);

/* Makes a data set of some of the columns (user's indices, all different), in its own canonical order. */
nonsens_status dataset_select(nonsens_context *ctx, const nonsens_data *data, int64_t count, const int64_t *index,
                              nonsens_data **out);

/* Makes a data set of some of the columns and rows (NULL: all of them), without the audit. */
nonsens_status dataset_subset(nonsens_context *ctx, const nonsens_data *data, int64_t columns, const int64_t *index,
                              int64_t rows, const int64_t *row, nonsens_data **out);

/* Does what nonsens_data_read_files does; `remedy` says what to do about a missing value. */
nonsens_status dataset_read_files(nonsens_context *ctx, const char *const *paths, int64_t count,
                                  const nonsens_options *options, const char *remedy, nonsens_data **out);

/* Makes a data set of two of the columns (user's indices), in its own canonical order. */
nonsens_status dataset_pair(nonsens_context *ctx, const nonsens_data *data, int64_t x, int64_t y, nonsens_data **out);

/* Makes a data set of some of the rows (rows of x, which may repeat), in its own canonical order. */
nonsens_status dataset_rows(nonsens_context *ctx, arena *scratch, const nonsens_data *data, int64_t count,
                            const int64_t *row, nonsens_data **out);

/* Returns the segments, or one group of all rows if there are none or tests are pooled; whole (2) must outlive it. */
row_groups dataset_groups(const nonsens_data *data, const nonsens_options *options, int64_t whole[2]);

/* Says whether a value of the user's column j is missing. */
static inline bool dataset_is_gap(const nonsens_data *data, int64_t row, int64_t j)
{
    return data->gap && data->gap[j * data->n + row];
}

/* Says whether a row has a value in all of some of the user's columns. */
static inline bool dataset_row_has(const nonsens_data *data, int64_t row, int64_t count, const int64_t *index)
{
    bool has = true;
    for (int64_t k = 0; data->gap && k < count; k++) {
        has = has && !dataset_is_gap(data, row, index[k]);
    }
    return has;
}

/* Finds the user's column of this name; -1 if there is none. */
int64_t dataset_find_name(const nonsens_data *data, const char *name);

/* Computes place (d): position of each of the user's columns in canonical order, the inverse of column_rank. */
nonsens_status dataset_column_places(nonsens_context *ctx, arena *a, const nonsens_data *data, int64_t **place);

/* Copies x (n, d) with the columns in canonical order; memory from `a`. */
nonsens_status dataset_in_rank_order(nonsens_context *ctx, arena *a, const nonsens_data *data, matrix *out);

/*
 * Returns the smallest segment; of several of that size the one whose label comes first, so that all messages, also
 * those about a pair of columns, name the same one.  There must be one.
 */
int64_t dataset_smallest_segment(const nonsens_data *data);

/* Adds a sentence to data->note. */
nonsens_status dataset_note(nonsens_context *ctx, nonsens_data *data, const char *sentence);

/* What can be left out. */
enum { LEFT_OUT_VARIABLE, LEFT_OUT_SEGMENT };
/* Keeps the name of a variable, or the label of a segment, that is left out: other input files may name it. */
nonsens_status dataset_remember_left_out(nonsens_context *ctx, int kind, const char *text, nonsens_data *data);

/* Adds a sentence to data->warning. */
nonsens_status dataset_warn(nonsens_context *ctx, nonsens_data *data, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
