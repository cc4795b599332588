/*
 * explain_size.h - how far the disturbance of a variable is from normal, in units of its normal spread, from one row of
 * the fault on (docs/explain.md).
 *
 * A variable is regressed on its causes in normal rows, with straight lines beyond the range that they have seen.  What
 * is left is its disturbance; that of the rows of the fault is compared with held-out normal ones.
 */
#ifndef TASKS_EXPLAIN_EXPLAIN_SIZE_H
#define TASKS_EXPLAIN_EXPLAIN_SIZE_H

#include "data/dataset.h"
#include "data/time_blocks.h"

/* The rows that are looked at. */
typedef struct explain_recording {
    const nonsens_data *data;
    int64_t *row;          /* (normal + fault) rows of the data, normal ones first */
    int32_t *segment;      /* (normal + fault) of the data */
    int64_t normal, fault; /* counts */
    int64_t onset;         /* the first row of the fault proper among `fault`; those before it are normal */
    bool in_time;          /* rows are in the order of the file, and neighbours depend on one another */
    uint64_t seed;
    double
        drift; /* standard deviation of shifts that variables without a fault have, too, in normal ones; at first 0 */
} explain_recording;

/*
 * Gathers the rows.  in (segments): 1 for the segment, 0 for the reference, -1 for others.  in_order: in the order of
 * the file, else in canonical order.
 */
nonsens_status explain_recording_new(nonsens_context *ctx, arena *a, const nonsens_data *data, const int8_t *in,
                                     bool in_order, bool in_time, uint64_t seed, explain_recording *out);

typedef struct explain_size {
    double shift;   /* of the disturbance's median, in interquartile ranges of normal rows */
    double score;   /* root mean square of the disturbance in normal standard deviations; from an onset on: its step */
    double p_value; /* of a score as large in as many normal rows */
    double known_shift;    /* the shift, less sure where causes are beyond their normal range */
    double mean;           /* of the disturbance over the fault's rows, in normal standard deviations */
    double usual_mean;     /* the median of its absolute value in as many normal rows */
    double widened;        /* logarithm of how many times as wide the variable's 5-95 % range is; NaN for few rows */
    int64_t normal, fault; /* rows that have the variable and its causes */
} explain_size;

/*
 * Measures a variable (column of the data) given causes (columns), but for those that most of its rows lack; everything
 * is NaN if there are too few rows.
 * stream: of the random numbers.
 */
nonsens_status explain_size_measure(nonsens_context *ctx, arena *scratch, const explain_recording *rec, int64_t column,
                                    int64_t causes, const int64_t *cause, uint64_t stream, explain_size *out);

/*
 * Finds the row at which the target changes most: the onset that splits the rows of the fault into a normal and a
 * faulty part with the largest difference of means in standard errors.  0 if there are fewer than three rows.
 */
int64_t explain_find_onset(const explain_recording *rec, int64_t column);

#endif
