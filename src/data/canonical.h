/*
 * canonical.h - canonical order of columns, segments and rows, and orientation of columns, which depend only on the
 * values (dataset.h describes them).
 */
#ifndef DATA_CANONICAL_H
#define DATA_CANONICAL_H

#include "data/dataset.h"

/* Columns as the caller holds them, rows in input order. */
typedef struct canonical_input {
    int64_t n, d, categories;    /* categories >= 1 */
    const double *const *column; /* (d) pointers to n finite values */
    const int32_t *category;     /* (n) 0 .. categories-1, or NULL: all 0 */
    const int64_t *size;         /* (categories) rows of each */
    const double *sign;          /* (d) signs that the user's columns are multiplied by here; NULL: 1 */
    const double *const *bare;   /* (d) the columns before medians took the place of missing values (NaN); NULL: none is
                                    missing */
} canonical_input;

/*
 * Orders the columns: rank (d) = the user's column indices in canonical order; sign (d) = -1 for columns that are to be
 * mirrored, else 1.  O(d n log n).
 */
nonsens_status canonical_columns(nonsens_context *ctx, arena *scratch, const canonical_input *in, int32_t *rank,
                                 double *sign);

/*
 * Orders rows and segments: order (n) = input positions in canonical order, by values times sign (d); segment_order
 * (categories) = categories in canonical order, the empty ones last.  O(n log n).
 */
nonsens_status canonical_rows(nonsens_context *ctx, arena *scratch, const canonical_input *in, const int32_t *rank,
                              const double *sign, int64_t *order, int32_t *segment_order);

/* Hashes n, d, E, segment sizes, and values, signs and gaps in canonical row and column order. */
uint64_t canonical_hash(const nonsens_data *data);
/* Hashes the same and names, labels, gaps and the order of rows: all of the data that a line of a run depends on. */
uint64_t canonical_hash_all(const nonsens_data *data);

#endif
