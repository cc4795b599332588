/*
 * explain_size.h - how far the disturbance of a variable is from normal, in units of its normal spread; works with as
 * little as one row of the fault (docs/explain.md).
 *
 * A variable is regressed on its causes in normal rows; beyond their range the fit is linear.  The residual is the
 * disturbance; that of the rows of the fault is compared with that of held-out normal rows.
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
    int64_t normal, fault; /* numbers of rows */
    int64_t onset;         /* index among the `fault` rows at which the fault begins; rows before it are normal */
    bool in_time;          /* rows are in the order of the file, and neighbours depend on one another */
    uint64_t seed;
    double
        drift; /* standard deviation of the shifts of variables without a fault, in normal standard deviations; or 0 */
} explain_recording;

/*
 * Gathers the rows.  in (segments): 1 for the segment, 0 for the reference, -1 for others.  in_order: rows are in the
 * order of the file, else in canonical order.
 */
nonsens_status explain_recording_new(nonsens_context *ctx, arena *a, const nonsens_data *data, const int8_t *in,
                                     bool in_order, bool in_time, uint64_t seed, explain_recording *out);

typedef struct explain_size {
    double shift;       /* of the disturbance's median, in interquartile ranges of normal rows */
    double score;       /* root mean square of the disturbance in normal standard deviations; its step with an onset */
    double p_value;     /* of such a score in equally many normal rows */
    double known_shift; /* the shift, discounted in rows whose causes are beyond their normal range */
    double mean;        /* of the disturbance over the rows of the fault, in normal standard deviations */
    double usual_mean;  /* median of the absolute mean of equally many normal rows */
    double widened;     /* logarithm of the ratio of the variable's 5-95 % ranges; NaN for few rows */
    int64_t normal, fault; /* numbers of rows that have the variable and its causes */
} explain_size;

/*
 * Measures a variable (column of the data) given its causes (columns), without causes that most of its rows lack.
 * Everything is NaN if there are too few rows.  stream: of the random numbers.
 */
nonsens_status explain_size_measure(nonsens_context *ctx, arena *scratch, const explain_recording *rec, int64_t column,
                                    int64_t causes, const int64_t *cause, uint64_t stream, explain_size *out);

/*
 * Finds the row at which the target changes most: the onset that splits the rows of the fault into a normal and a
 * faulted part with the largest difference of means in standard errors.  0 if there are fewer than three rows.
 */
int64_t explain_find_onset(const explain_recording *rec, int64_t column);

#endif
