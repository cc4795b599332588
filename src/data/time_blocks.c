/* time_blocks.c - measures the memory of rows in time and cuts them into blocks; see time_blocks.h. */
#include "data/time_blocks.h"

#include "math/sort.h"

#include <math.h>

enum { MIN_BLOCKS = 3, MEMORIES = 3, PASSES = 3 }; /* MEMORIES: length of a block in memories */
static const double STANDS_OUT = 2.0;              /* standard errors of an autocorrelation */
static const double MAX_MISSED = 0.5;              /* share of the variance that blocks may miss */

/* Returns the number of groups of rows: one without segments. */
static int64_t stretches(const nonsens_data *data)
{
    return data->segments > 0 ? data->segments : 1;
}

nonsens_status time_blocks_order(nonsens_context *ctx, arena *scratch, const nonsens_data *data, int64_t *order)
{
    sort_entry *entry, *spare; // (n)
    ARENA_TRY(ctx, scratch, entry, data->n);
    ARENA_TRY(ctx, scratch, spare, data->n);
    for (int64_t i = 0; i < data->n; i++) {
        entry[i] = (sort_entry){(uint64_t)data->input_row[i], i};
    }
    for (int64_t e = 0; e < stretches(data); e++) {
        sort_entries(entry + data->start[e], spare, data->start[e + 1] - data->start[e], NULL, NULL);
    }
    for (int64_t i = 0; i < data->n; i++) {
        order[i] = entry[i].row;
    }
    return NONSENS_OK;
}

/* ---- memory ---- */

/* A series inside segments, in the order of time, centred in each. */
typedef struct series {
    int64_t n, segments;
    const int64_t *start; /* (segments + 1) */
    double *value;        /* (n) */
} series;

static void centre(const series *s)
{
    for (int64_t e = 0; e < s->segments; e++) {
        double mean = 0.0;
        for (int64_t i = s->start[e]; i < s->start[e + 1]; i++) {
            mean += s->value[i] / (double)(s->start[e + 1] - s->start[e]);
        }
        for (int64_t i = s->start[e]; i < s->start[e + 1]; i++) {
            s->value[i] -= mean;
        }
    }
}

static double products_at(const series *s, int64_t lag)
{
    double sum = 0.0;
    for (int64_t e = 0; e < s->segments; e++) {
        for (int64_t i = s->start[e] + lag; i < s->start[e + 1]; i++) {
            sum += s->value[i] * s->value[i - lag];
        }
    }
    return sum;
}

/* A range of lags, represented by its middle: one lag, later ever more, so that a few hundred passes suffice. */
typedef struct lags {
    int64_t first, count; /* these lags */
    int64_t middle;       /* represents them */
} lags;

static lags next_lags(const lags *last)
{
    enum { ONE_BY_ONE = 64, SHARE = 32 };
    int64_t first = last ? last->first + last->count : 1, count = first < ONE_BY_ONE ? 1 : first / SHARE;
    return (lags){first, count, first + count / 2};
}

typedef struct memory {
    double time, missed; /* 1 + 2 sum r_k, and b */
} memory;

/*
 * Computes the memory of a series.  Centring lowers every autocorrelation by about time / (rows of a segment), which is
 * added back; since that needs the time, the sum is computed several times.
 */
static memory memory_of(const series *s)
{
    double square = products_at(s, 0), rows = (double)s->n / (double)s->segments;
    memory m = {1.0, 0.0};
    int64_t max_lag = (int64_t)(rows / MIN_BLOCKS);
    for (int pass = 0; square > 0.0 && pass < PASSES; pass++) {
        double sum = 0.0, weighted = 0.0, offset = fmin(m.time / rows, 0.5);
        for (lags l = next_lags(NULL); l.middle <= max_lag; l = next_lags(&l)) {
            double r = products_at(s, l.middle) / square + (pass > 0 ? offset : 0.0);
            if (!(r > STANDS_OUT / sqrt((double)s->n))) {
                break;
            }
            sum += (double)l.count * r;
            weighted += (double)l.count * (double)l.middle * r;
        }
        m = (memory){1.0 + 2.0 * sum, 2.0 * weighted / (1.0 + 2.0 * sum)};
    }
    return m;
}

/* Finds the longest memory of the columns' ranks and of their distances from the segment's mean. */
static nonsens_status longest_memory(nonsens_context *ctx, arena *scratch, const nonsens_data *data, memory *out)
{
    int64_t *order;
    double *rank;
    series s = {data->n, stretches(data), data->start, NULL};
    *out = (memory){1.0, 0.0};
    ARENA_TRY(ctx, scratch, order, data->n);
    ARENA_TRY(ctx, scratch, s.value, data->n);
    ARENA_TRY(ctx, scratch, rank, data->n);
    TRY(time_blocks_order(ctx, scratch, data, order));
    arena_mark mark = arena_tell(scratch);
    for (int64_t j = 0; j < data->d; j++) {
        arena_rewind(scratch, mark);
        TRY(sort_ranks(ctx, scratch, data->n, matrix_col(data->x, j), rank));
        for (int64_t i = 0; i < data->n; i++) {
            s.value[i] = rank[order[i]];
        }
        for (int distance = 0; distance < 2; distance++) {
            for (int64_t i = 0; distance && i < data->n; i++) {
                s.value[i] = fabs(s.value[i]);
            }
            centre(&s);
            memory m = memory_of(&s);
            *out = m.time > out->time ? m : *out;
        }
    }
    return NONSENS_OK;
}

nonsens_status time_blocks_joint_memory(nonsens_context *ctx, arena *scratch, const nonsens_data *data,
                                        const int64_t *order, const double *x, const double *y, double *out)
{
    series s[2] = {{data->n, stretches(data), data->start, NULL}, {data->n, stretches(data), data->start, NULL}};
    const double *from[2] = {x, y};
    double square[2], sum = 0.0;
    for (int k = 0; k < 2; k++) {
        ARENA_TRY(ctx, scratch, s[k].value, data->n);
        for (int64_t i = 0; i < data->n; i++) {
            s[k].value[i] = from[k][order[i]];
        }
        square[k] = products_at(&s[k], 0);
    }
    double chance = STANDS_OUT / sqrt((double)data->n), rows = (double)data->n / (double)s->segments;
    for (lags l = next_lags(NULL); l.middle <= (int64_t)(rows / MIN_BLOCKS); l = next_lags(&l)) {
        double r[2] = {products_at(&s[0], l.middle) / square[0], products_at(&s[1], l.middle) / square[1]};
        if (!(fmin(r[0], r[1]) > chance)) { // also if they are NaN: a series is constant
            break;
        }
        sum += (double)l.count * r[0] * r[1];
    }
    *out = 1.0 + 2.0 * sum;
    return NONSENS_OK;
}

/* ---- blocks ---- */

static int64_t smallest_stretch(const nonsens_data *data)
{
    int64_t rows = data->n;
    for (int64_t e = 0; e < stretches(data); e++) {
        int64_t here = data->start[e + 1] - data->start[e];
        rows = here < rows ? here : rows;
    }
    return rows;
}

static nonsens_status choose_length(nonsens_context *ctx, arena *scratch, const nonsens_data *data, time_blocks *out)
{
    memory m;
    TRY(longest_memory(ctx, scratch, data, &m));
    int64_t wanted = m.time > 1.0 ? (int64_t)ceil(MEMORIES * m.time) : 1, longest = smallest_stretch(data) / MIN_BLOCKS;
    out->memory = m.time;
    out->length = wanted <= longest ? wanted : longest > 1 ? longest : 1;
    double missed = m.missed / (double)out->length;
    out->too_few = missed > MAX_MISSED;
    out->inflation = 1.0 / (1.0 - fmin(missed, MAX_MISSED));
    return NONSENS_OK;
}

nonsens_status time_blocks_new(nonsens_context *ctx, arena *a, const nonsens_data *data, int64_t length,
                               time_blocks *out)
{
    SCOPED_ARENA(scratch);
    int64_t *order;
    *out = (time_blocks){.length = length, .memory = 1.0, .inflation = 1.0};
    if (length == TIME_BLOCKS_AUTO) {
        TRY(choose_length(ctx, &scratch, data, out));
    }
    if (out->length <= 1) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, a, out->block_of, data->n);
    ARENA_TRY(ctx, &scratch, order, data->n);
    TRY(time_blocks_order(ctx, &scratch, data, order));
    for (int64_t e = 0; e < stretches(data); e++) {
        for (int64_t i = data->start[e]; i < data->start[e + 1]; i++) {
            out->block_of[order[i]] = (int32_t)(out->count + (i - data->start[e]) / out->length);
        }
        out->count += (data->start[e + 1] - data->start[e] + out->length - 1) / out->length;
    }
    return NONSENS_OK;
}

double time_blocks_memory(const time_blocks *time)
{
    return time->memory > 1.0 ? time->memory : fmax((double)time->length / MEMORIES, 1.0);
}
