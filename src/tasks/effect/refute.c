/* refute.c - see refute.h. */
#include "tasks/effect/refute.h"

#include "math/sort.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

static const double TAIL = 0.025;

/* ---- data sets -------------------------------------------------------------------------------------------------- */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool in_blocks(const time_blocks *time)
{
    return time->length > 1;
}

/* Lists canonical rows segment by segment, in the order of time if blocks must stay together. */
static nonsens_status list_rows(nonsens_context *ctx, arena *a, const nonsens_data *data, const time_blocks *time,
                                int64_t **order)
{
    ARENA_TRY(ctx, a, *order, data->n);
    for (int64_t i = 0; i < data->n; i++) {
        (*order)[i] = i;
    }
    return in_blocks(time) ? time_blocks_order(ctx, a, data, *order) : NONSENS_OK;
}

/* Fills number (count) with 0 .. count - 1 in random order. */
static void shuffled(rng *r, int64_t count, int64_t *number)
{
    for (int64_t i = 0; i < count; i++) {
        number[i] = i;
    }
    rng_shuffle(r, count, number);
}

/*
 * Shuffles the rows of a segment: blocks in random order.  With blocks, they are cut from a random row on and wrap
 * around the end, so that every row is equally likely to get to every position.  block: space for `rows`.
 */
static void deal_segment(rng *r, const int64_t *row, int64_t rows, int64_t length, int64_t *block, int64_t *dealt)
{
    int64_t blocks = (rows + length - 1) / length, count = 0;
    int64_t begin = length > 1 ? (int64_t)rng_below(r, (uint64_t)rows) : 0;
    shuffled(r, blocks, block);
    for (int64_t b = 0; b < blocks; b++) {
        int64_t first = block[b] * length, last = smaller(first + length, rows);
        for (int64_t i = first; i < last; i++) {
            dealt[count++] = row[(begin + i) % rows];
        }
    }
}

/* Shuffles all rows: segments in random order, and the rows of each. */
static nonsens_status deal_rows(nonsens_context *ctx, arena *a, const nonsens_data *data, const int64_t *order,
                                int64_t length, rng *r, int64_t *dealt)
{
    int64_t *segment, *block, count = 0;
    ARENA_TRY(ctx, a, segment, data->segments);
    ARENA_TRY(ctx, a, block, data->n);
    shuffled(r, data->segments, segment);
    for (int64_t k = 0; k < data->segments; k++) {
        int64_t begin = data->start[segment[k]], rows = data->start[segment[k] + 1] - begin;
        deal_segment(r, order + begin, rows, length, block, dealt + count);
        count += rows;
    }
    return NONSENS_OK;
}

nonsens_status refute_placebo(nonsens_context *ctx, arena *a, const nonsens_data *data, const time_blocks *time,
                              const bool *changed, rng *r, nonsens_data *out)
{
    int64_t *order, *dealt;
    double *x; // (n, d)
    TRY(list_rows(ctx, a, data, time, &order));
    ARENA_TRY(ctx, a, dealt, data->n);
    ARENA_TRY(ctx, a, x, data->n * data->d);
    TRY(deal_rows(ctx, a, data, order, time->length, r, dealt));
    *out = *data;
    out->x = matrix_view(x, data->n, data->d);
    for (int64_t j = 0; j < data->d; j++) {
        const double *from = matrix_col(data->x, j);
        double *to = matrix_col(out->x, j);
        for (int64_t i = 0; i < data->n; i++) {
            to[order[i]] = from[changed[j] ? dealt[i] : order[i]];
        }
    }
    return NONSENS_OK;
}

nonsens_status refute_subset(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const time_blocks *time,
                             rng *r, nonsens_data **out)
{
    int64_t *order, *block, *row, count = 0, length = time->length;
    *out = NULL;
    TRY(list_rows(ctx, scratch, data, time, &order));
    ARENA_TRY(ctx, scratch, block, data->n);
    ARENA_TRY(ctx, scratch, row, data->n);
    for (int64_t e = 0; e < data->segments; e++) {
        int64_t begin = data->start[e], rows = data->start[e + 1] - begin, blocks = (rows + length - 1) / length;
        int64_t wanted = (int64_t)ceil(REFUTE_SHARE * (double)blocks);
        shuffled(r, blocks, block);
        for (int64_t b = 0; b < wanted; b++) {
            int64_t first = block[b] * length, last = smaller(first + length, rows);
            for (int64_t i = first; i < last; i++) {
                row[count++] = order[begin + i];
            }
        }
    }
    return dataset_rows(ctx, scratch, data, count, row, out);
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

/* Interpolates between sorted values. */
static double quantile(const double *sorted, int64_t count, double level)
{
    double at = level * (double)(count - 1);
    int64_t below = smaller((int64_t)at, count - 2);
    return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

static nonsens_status summarise(nonsens_context *ctx, int64_t count, const double *value, refute_verdict *out)
{
    SCOPED_ARENA(scratch);
    double *sorted, sum = 0.0;
    *out = (refute_verdict){count, NAN, NAN, NAN, NAN};
    if (count < 2) {
        return NONSENS_OK;
    }
    TRY(sort_copy(ctx, &scratch, count, value, &sorted));
    for (int64_t b = 0; b < count; b++) {
        sum += value[b];
    }
    out->mean = sum / (double)count;
    out->low = quantile(sorted, count, TAIL);
    out->high = quantile(sorted, count, 1.0 - TAIL);
    return NONSENS_OK;
}

/* Returns P(T > t). */
static double student_upper(double degrees, double t)
{
    double beyond = 0.5 * special_student_tail(degrees, fabs(t));
    return t > 0.0 ? beyond : 1.0 - beyond;
}

nonsens_status refute_judge_placebo(nonsens_context *ctx, int64_t count, const double *value, double error,
                                    refute_verdict *out)
{
    double square = 0.0, degrees = (double)(count - 1), bias = REFUTE_BIAS * error;
    TRY(summarise(ctx, count, value, out));
    for (int64_t b = 0; b < count; b++) {
        square += (value[b] - out->mean) * (value[b] - out->mean);
    }
    if (count >= 2) {
        double own = sqrt(square / degrees / (double)count), far = fabs(out->mean);
        out->p_value = own > 0.0
                           ? student_upper(degrees, (far - bias) / own) + student_upper(degrees, (far + bias) / own)
                           : (double)(far <= bias);
    }
    return NONSENS_OK;
}

nonsens_status refute_judge_subsets(nonsens_context *ctx, int64_t count, const double *value, const double *ratio,
                                    double full, double error, int64_t draws, refute_verdict *out)
{
    double square = 0.0, unit = REFUTE_TOLERANCE * error;
    TRY(summarise(ctx, count, value, out));
    for (int64_t b = 0; b < count; b++) {
        square += (value[b] - full) * (value[b] - full) / ratio[b];
    }
    if (count >= 2 && error > 0.0) {
        out->p_value = special_f_tail((double)count, (double)(draws - 1), square / ((double)count * unit * unit));
    }
    return NONSENS_OK;
}
