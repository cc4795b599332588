/* subsample.c - a sample of the rows, segment by segment; it depends on their values and the seed, not on their order.
 */
#include "data/subsample.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

enum { MIN_OF_SEGMENT = 100 };

typedef struct place {
    int64_t input, row; /* in the table, in the data set */
} place;

static int by_input(const void *left, const void *right)
{
    const place *a = left, *b = right;
    return (a->input > b->input) - (a->input < b->input);
}

/* Rows begin .. end - 1 in the order of the table, in which blocks are neighbours; without blocks as they are. */
static void list_rows(const nonsens_data *data, int64_t begin, int64_t end, bool in_blocks, place *out)
{
    for (int64_t t = begin; t < end; t++) {
        out[t - begin] = (place){data->input_row[t], t};
    }
    if (in_blocks) {
        qsort(out, (size_t)(end - begin), sizeof *out, by_input);
    }
}

/* Blocks of `length` of the `rows` listed rows, drawn without repetition: at least `wanted` rows.  Returns how many. */
static int64_t draw_blocks(rng *r, const place *from, int64_t rows, int64_t length, int64_t wanted, int64_t *index,
                           int64_t *out)
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
    place *from;
    int64_t *index, *row, count = 0, stretches = data->segments > 0 ? data->segments : 1;
    int64_t length = options->block_length > 1 ? options->block_length : 1;
    rng r = rng_new((uint64_t)options->seed, RNG_FEWER_ROWS, 0);
    *out = NULL;
    if (max_rows <= 0 || data->n <= max_rows) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, &scratch, from, data->n);
    ARENA_TRY(ctx, &scratch, index, data->n);
    ARENA_TRY(ctx, &scratch, row, data->n);
    for (int64_t e = 0; e < stretches; e++) {
        int64_t rows = data->start[e + 1] - data->start[e];
        double share = ceil((double)max_rows * ((double)rows / (double)data->n));
        int64_t wanted = share > MIN_OF_SEGMENT ? (int64_t)share : MIN_OF_SEGMENT;
        list_rows(data, data->start[e], data->start[e + 1], length > 1, from);
        count += draw_blocks(&r, from, rows, length, wanted, index, row + count);
    }
    return dataset_rows(ctx, &scratch, data, count, row, out);
}
