/*
 * explain_groups.c - gathers the rows of the two groups, and estimates the variance of sums over them if neighbours
 * depend on one another.
 *
 * A group's blocks count as independent, so the covariance of a sum over its rows comes from the sums over its blocks,
 * about the group's mean.  Few blocks estimate it poorly, so it is never inverted.  A squared length keeps the weights
 * that independent rows would give it; its mean and variance without a change follow from the block covariance; and an
 * F distribution with these moments gives the p-value (Box, Annals of Mathematical Statistics 25, 1954; Brunner, Dette,
 * Munk, Journal of the American Statistical Association 92, 1997).
 */
#include "tasks/explain/explain_change.h"

#include "math/special.h"

#include <math.h>

enum { MIN_BLOCKS = 3 }; /* in each group */

/* ---- rows and blocks -------------------------------------------------------------------------------------------- */

/* Numbers the blocks that have rows in the groups, from 0 on, and computes each block's share of its group's rows. */
static nonsens_status number_blocks(nonsens_context *ctx, arena *a, const time_blocks *time, explain_groups *g)
{
    int32_t *number; // (blocks of the data) from 1 on; 0: no row of it was seen
    ARENA_TRY(ctx, a, number, time->count);
    ARENA_TRY(ctx, a, g->block_of, g->n);
    ARENA_TRY(ctx, a, g->block_group, time->count);
    ARENA_TRY(ctx, a, g->block_share, time->count);
    for (int64_t i = 0; i < g->n; i++) {
        int32_t *at = &number[time->block_of[g->rows->row[g->place[i]]]];
        if (*at == 0) {
            *at = (int32_t)++g->blocks;
        }
        g->block_of[i] = *at - 1;
        g->block_group[*at - 1] = g->in[i] > 0.0;
        g->block_share[*at - 1] += 1.0 / (double)g->count[g->in[i] > 0.0];
    }
    return NONSENS_OK;
}

/*
 * Blocks of a group have 1 / (sum of squared shares) - 1 degrees of freedom: their number minus one if they are equally
 * long.  The difference of two means has Welch's degrees of freedom, for equal variances in both groups.
 */
static void count_degrees(const time_blocks *time, explain_groups *g)
{
    double square[2] = {0}, sum = 0.0, parts = 0.0;
    g->inflation = time->inflation;
    g->too_few = time_blocks_do_not_suffice(time);
    for (int64_t b = 0; b < g->blocks; b++) {
        square[g->block_group[b]] += g->block_share[b] * g->block_share[b];
        g->group_blocks[g->block_group[b]]++;
    }
    for (int k = 0; k < 2; k++) {
        double each = 1.0 / (double)g->count[k];
        g->degrees[k] = 1.0 / square[k] - 1.0;
        g->too_few = g->too_few || g->group_blocks[k] < MIN_BLOCKS;
        sum += each;
        parts += each * each / g->degrees[k];
    }
    g->difference_degrees = sum * sum / parts;
}

nonsens_status explain_groups_new(nonsens_context *ctx, arena *a, const mechanism_data *rows, const int8_t *in,
                                  const time_blocks *time, explain_groups *out)
{
    *out = (explain_groups){.rows = rows, .folds = rows->folds, .difference_degrees = INFINITY};
    ARENA_TRY(ctx, a, out->place, rows->n);
    ARENA_TRY(ctx, a, out->in, rows->n);
    for (int64_t k = 0; k < rows->folds; k++) {
        out->block[k] = out->n;
        for (int64_t i = rows->block[k]; i < rows->block[k + 1]; i++) {
            int8_t group = in[rows->segment[i]];
            if (group >= 0) {
                out->count[group]++;
                out->in[out->n] = group;
                out->place[out->n++] = i;
            }
        }
    }
    out->block[rows->folds] = out->n;
    if (time && time->block_of) {
        TRY(number_blocks(ctx, a, time, out));
        count_degrees(time, out);
    } else {
        out->too_few = time && time_blocks_do_not_suffice(time);
    }
    return NONSENS_OK;
}

/* ---- sums over rows --------------------------------------------------------------------------------------------- */

nonsens_status explain_covariances(nonsens_context *ctx, arena *scratch, const explain_groups *g, int64_t size,
                                   const double *value, double *covariance)
{
    double *sum, *total; // (blocks, size), (2, size)
    ARENA_TRY(ctx, scratch, sum, g->blocks * size);
    ARENA_TRY(ctx, scratch, total, 2 * size);
    for (int64_t i = 0; i < g->n * size; i++) {
        int64_t block = g->block_of[i / size];
        sum[block * size + i % size] += value[i];
        total[g->block_group[block] * size + i % size] += value[i];
    }
    for (int64_t i = 0; i < 2 * size * size; i++) {
        covariance[i] = 0.0;
    }
    for (int64_t b = 0; b < g->blocks; b++) {
        int64_t group = g->block_group[b];
        double factor = g->inflation * (g->degrees[group] + 1.0) / g->degrees[group];
        for (int64_t k = 0; k < size; k++) {
            sum[b * size + k] -= g->block_share[b] * total[group * size + k];
        }
        for (int64_t k = 0; k < size * size; k++) {
            covariance[group * size * size + k] += factor * sum[b * size + k / size] * sum[b * size + k % size];
        }
    }
    return NONSENS_OK;
}

nonsens_status explain_variance(nonsens_context *ctx, arena *scratch, const explain_groups *g, const double *value,
                                double *variance)
{
    double of[2];
    TRY(explain_covariances(ctx, scratch, g, 1, value, of));
    *variance = of[0] + of[1];
    return NONSENS_OK;
}

double explain_square_trace(int64_t size, const double *covariance)
{
    double sum = 0.0;
    for (int64_t k = 0; k < size * size; k++) {
        double both = covariance[k] + covariance[size * size + k];
        sum += both * both;
    }
    return sum;
}

/*
 * Noise of the covariance makes the estimated trace of the square too large, by tr^2 / degrees and more.  The trace is
 * corrected as for a Wishart matrix, and kept between its bounds tr^2 / size and tr^2.
 */
double explain_length_tail(const explain_groups *g, int64_t size, const double *covariance, double square)
{
    double trace[2] = {0};
    for (int64_t k = 0; k < 2 * size; k++) {
        trace[k / size] += covariance[k / size * size * size + k % size * (size + 1)];
    }
    double both = trace[0] + trace[1], squares = explain_square_trace(size, covariance);
    if (!(both > 0.0)) {
        return NAN;
    }
    double degrees = both * both / (trace[0] * trace[0] / g->degrees[0] + trace[1] * trace[1] / g->degrees[1]);
    squares = degrees * degrees / ((degrees - 1.0) * (degrees + 2.0)) * (squares - both * both / degrees);
    squares = fmin(fmax(squares, both * both / (double)size), both * both);
    double first = both * both / squares;
    return special_f_tail(first, first * degrees, square / both);
}
