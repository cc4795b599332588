/* subsample.c - draws a sample of the rows, segment by segment; without blocks, row order does not matter. */
#include "data/subsample.h"

#include "base/rng.h"
#include "data/time_blocks.h"

#include <math.h>
#include <stdlib.h>

enum { MIN_SEGMENT_ROWS = 100 };

typedef struct row_position {
    int64_t input, row; /* in the table, in the data set */
} row_position;

static int compare_input(const void *left, const void *right)
{
    const row_position *a = left, *b = right;
    return (a->input > b->input) - (a->input < b->input);
}

/* Lists rows begin .. end - 1; in_blocks: in the order of the table, where the rows of a block are neighbours. */
static void list_rows(const nonsens_data *data, int64_t begin, int64_t end, bool in_blocks, row_position *out)
{
    for (int64_t t = begin; t < end; t++) {
        out[t - begin] = (row_position){data->input_row[t], t};
    }
    if (in_blocks) {
        qsort(out, (size_t)(end - begin), sizeof *out, compare_input);
    }
}

/* Draws blocks of `length` listed rows without replacement until there are `wanted` rows or more; returns how many. */
static int64_t draw_blocks(rng *r, const row_position *from, int64_t rows, int64_t length, int64_t wanted,
                           int64_t *index, int64_t *out)
{
    int64_t blocks = (rows + length - 1) / length, count = 0;
    for (int64_t b = 0; b < blocks; b++) {
        index[b] = b;
    }
    for (int64_t b = 0; b < blocks && count < wanted; b++) {
        int64_t first = rng_draw(r, b, blocks, index) * length;
        for (int64_t i = first; i < first + length && i < rows; i++) {
            out[count++] = from[i].row;
        }
    }
    return count;
}

nonsens_status subsample(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                         int64_t max_rows, nonsens_data **out)
{
    SCOPED_ARENA(scratch);
    row_position *from;
    int64_t *index, *row, count = 0, stretches = data->segments > 0 ? data->segments : 1;
    time_blocks blocks = {0};
    rng r = rng_new((uint64_t)options->seed, RNG_DATA_SUBSAMPLE, 0);
    *out = NULL;
    if (max_rows <= 0 || data->n <= max_rows) {
        return NONSENS_OK;
    }
    TRY(time_blocks_new(ctx, &scratch, data, options->block_length, &blocks));
    ARENA_TRY(ctx, &scratch, from, data->n);
    ARENA_TRY(ctx, &scratch, index, data->n);
    ARENA_TRY(ctx, &scratch, row, data->n);
    for (int64_t e = 0; e < stretches; e++) {
        int64_t rows = data->start[e + 1] - data->start[e];
        double share = ceil((double)max_rows * ((double)rows / (double)data->n));
        int64_t wanted = share > MIN_SEGMENT_ROWS ? (int64_t)share : MIN_SEGMENT_ROWS;
        list_rows(data, data->start[e], data->start[e + 1], blocks.length > 1, from);
        count += draw_blocks(&r, from, rows, blocks.length, wanted, index, row + count);
    }
    return dataset_rows(ctx, &scratch, data, count, row, out);
}
