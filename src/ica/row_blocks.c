/*
 * row_blocks.c - runs the passes of row_blocks.h, in pairs of doubles; the compiler may fuse multiply and add here.
 *
 *     log cosh   G = log cosh s,       g = tanh s,          g' = 1 - tanh^2 s
 *     exp        G = -exp(-s^2 / 2),   g = s exp(-s^2 / 2), g' = (1 - s^2) exp(-s^2 / 2)
 *     cube       G = s^4 / 4,          g = s^3,             g' = 3 s^2
 *     skew       G = s^3 / 3,          g = s^2,             g' = 2 s
 *
 * BLAS is not used: d is small, so packing would cost as much as the product.
 */
#include "ica/row_blocks.h"

#include "base/parallel.h"
#include "math/pair_exp.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK_ROWS = 4096,    /* rows that a thread takes at a time; the sums depend on it */
    TILE_ROWS = 128,      /* rows and sources of 20 columns: 40 kB */
    GROUP = 8,            /* rows for which sources are computed at a time */
    STRIP = 4,            /* columns whose sums stay in registers */
    WORKER_VALUES = 65536 /* values of g for which starting one more thread pays off */
};
static const double LOG_2 = 0.69314718055994530942;

#define ROWS_INLINE static inline __attribute__((always_inline))

/* ---- contrasts ----------------------------------------------------------------------------------------------- */

/* Sums over a tile. */
typedef struct contrast_sums {
    double slope, value;
} contrast_sums;

static double both(pair v)
{
    return v[0] + v[1];
}

/* Replaces s (rows) by g(s); `rows` is even and at most TILE_ROWS. */
static contrast_sums log_cosh_tile(int64_t rows, double *s)
{
    pair slope = {0}, size = {0}, product = {1.0, 1.0}; /* product: of up to TILE_ROWS / 2 numbers between 1 and 2 */
    for (int64_t i = 0; i < rows; i += 2) {
        pair x = pair_load(s + i), shoulder, t = pair_tanh(x, &shoulder);
        slope += 1.0 - t * t;
        size += pair_abs(x);
        product *= shoulder;
        pair_store(s + i, t);
    }
    return (contrast_sums){both(slope), both(size) + log(product[0] * product[1]) - (double)rows * LOG_2};
}

static contrast_sums exp_tile(int64_t rows, double *s)
{
    pair slope = {0}, value = {0};
    for (int64_t i = 0; i < rows; i += 2) {
        pair x = pair_load(s + i), square = x * x, e = pair_exp(-0.5 * square);
        slope += (1.0 - square) * e;
        value -= e;
        pair_store(s + i, x * e);
    }
    return (contrast_sums){both(slope), both(value)};
}

static contrast_sums cube_tile(int64_t rows, double *s)
{
    pair slope = {0}, value = {0};
    for (int64_t i = 0; i < rows; i += 2) {
        pair x = pair_load(s + i), square = x * x;
        slope += square;
        value += square * square;
        pair_store(s + i, square * x);
    }
    return (contrast_sums){3.0 * both(slope), both(value) / 4.0};
}

static contrast_sums skew_tile(int64_t rows, double *s)
{
    pair slope = {0}, value = {0};
    for (int64_t i = 0; i < rows; i += 2) {
        pair x = pair_load(s + i), square = x * x;
        slope += x;
        value += square * x;
        pair_store(s + i, square);
    }
    return (contrast_sums){2.0 * both(slope), both(value) / 3.0};
}

/* Replaces s by g(s) and returns the sums, in which the last `padding` rows, which are zero, do not count. */
static contrast_sums contrast_tile(enum option_contrast contrast, int64_t rows, int64_t padding, double *s)
{
    contrast_sums sums;
    switch (contrast) {
    case CONTRAST_EXP:
        sums = exp_tile(rows, s);
        sums.slope -= (double)padding;
        sums.value += (double)padding;
        return sums;
    case CONTRAST_CUBE:
        return cube_tile(rows, s);
    case CONTRAST_SKEW:
        return skew_tile(rows, s);
    case CONTRAST_LOG_COSH:
    default:
        sums = log_cosh_tile(rows, s);
        sums.slope -= (double)padding;
        return sums;
    }
}

double ica_contrast_mean(enum option_contrast contrast, int64_t n, double scale, const double *s)
{
    double tile[TILE_ROWS], sum = 0.0;
    for (int64_t first = 0; first < n; first += TILE_ROWS) {
        int64_t rows = n - first < TILE_ROWS ? n - first : TILE_ROWS, padding = rows % 2;
        for (int64_t i = 0; i < rows; i++) {
            tile[i] = scale * s[first + i];
        }
        if (padding) {
            tile[rows] = 0.0;
        }
        sum += contrast_tile(contrast, rows + padding, padding, tile).value;
    }
    return sum / (double)n;
}

/* ---- products ------------------------------------------------------------------------------------------------ */

/* s (rows, wide) = y w: y (rows, d), w (d, wide); columns of y and s are TILE_ROWS apart, rows a multiple of GROUP. */
ROWS_INLINE void source_strip(int wide, int64_t rows, int64_t d, const double *y, const double *w, double *s)
{
    for (int64_t i = 0; i < rows; i += GROUP) {
        pair sum[STRIP][GROUP / 2] = {{{0}}};
        for (int64_t k = 0; k < d; k++) {
            for (int g = 0; g < GROUP / 2; g++) {
                pair x = pair_load(y + i + 2 * g + k * TILE_ROWS);
                for (int j = 0; j < wide; j++) {
                    sum[j][g] += x * w[k + j * d];
                }
            }
        }
        for (int j = 0; j < wide; j++) {
            for (int g = 0; g < GROUP / 2; g++) {
                pair_store(s + i + 2 * g + j * TILE_ROWS, sum[j][g]);
            }
        }
    }
}

static void tile_sources(int64_t rows, int64_t d, int64_t m, const double *y, const double *w, double *s)
{
    for (int64_t j = 0; j < m; j += STRIP) {
        const double *directions = w + j * d;
        double *columns = s + j * TILE_ROWS;
        switch (m - j) {
        case 1:
            source_strip(1, rows, d, y, directions, columns);
            break;
        case 2:
            source_strip(2, rows, d, y, directions, columns);
            break;
        case 3:
            source_strip(3, rows, d, y, directions, columns);
            break;
        default:
            source_strip(STRIP, rows, d, y, directions, columns);
        }
    }
}

/* out (tall, wide) += y' g over the rows; columns of out are d apart. */
ROWS_INLINE void cross_strip(int tall, int wide, int64_t rows, int64_t d, const double *y, const double *g, double *out)
{
    pair sum[STRIP][STRIP] = {{{0}}};
    for (int64_t i = 0; i < rows; i += 2) {
        for (int j = 0; j < wide; j++) {
            pair weight = pair_load(g + i + j * TILE_ROWS);
            for (int k = 0; k < tall; k++) {
                sum[j][k] += weight * pair_load(y + i + k * TILE_ROWS);
            }
        }
    }
    for (int j = 0; j < wide; j++) {
        for (int k = 0; k < tall; k++) {
            out[k + j * d] += both(sum[j][k]);
        }
    }
}

/* out (d, wide) += y' g for `wide` columns of g and all of y (rows, d). */
ROWS_INLINE void cross_columns(int wide, int64_t rows, int64_t d, const double *y, const double *g, double *out)
{
    int64_t k = 0;
    for (; k + STRIP <= d; k += STRIP) {
        cross_strip(STRIP, wide, rows, d, y + k * TILE_ROWS, g, out + k);
    }
    if (d - k >= 2) {
        cross_strip(2, wide, rows, d, y + k * TILE_ROWS, g, out + k);
        k += 2;
    }
    if (k < d) {
        cross_strip(1, wide, rows, d, y + k * TILE_ROWS, g, out + k);
    }
}

static void tile_cross(int64_t rows, int64_t d, int64_t m, const double *y, const double *g, double *out)
{
    for (int64_t j = 0; j < m; j += STRIP) {
        const double *columns = g + j * TILE_ROWS;
        switch (m - j) {
        case 1:
            cross_columns(1, rows, d, y, columns, out + j * d);
            break;
        case 2:
            cross_columns(2, rows, d, y, columns, out + j * d);
            break;
        case 3:
            cross_columns(3, rows, d, y, columns, out + j * d);
            break;
        default:
            cross_columns(STRIP, rows, d, y, columns, out + j * d);
        }
    }
}

/* ---- passes -------------------------------------------------------------------------------------------------- */

/* Copies rows to tile (TILE_ROWS, d), pads them with zeros to a multiple of GROUP rows, and returns this number. */
static int64_t load_tile(const ica_blocks *b, int64_t first, int64_t rows, double *tile)
{
    int64_t padded = (rows + GROUP - 1) / GROUP * GROUP;
    for (int64_t k = 0; k < b->d; k++) {
        memcpy(tile + k * TILE_ROWS, b->y + first + k * b->n, (size_t)rows * sizeof *tile);
        memset(tile + k * TILE_ROWS + rows, 0, (size_t)(padded - rows) * sizeof *tile);
    }
    return padded;
}

static int64_t sums_size(const ica_blocks *b)
{
    return b->d * b->d + 2 * b->d;
}

/* Computes the sums of one block: cross (d, m), slope (m), value (m), one after another. */
static void sum_block(const ica_blocks *b, int64_t block, double *tile)
{
    double *cross = b->sums + block * sums_size(b), *slope = cross + b->d * b->m, *value = slope + b->m;
    double *s = tile + TILE_ROWS * b->d;
    int64_t end = (block + 1) * BLOCK_ROWS < b->n ? (block + 1) * BLOCK_ROWS : b->n;
    memset(cross, 0, (size_t)(b->d * b->m + 2 * b->m) * sizeof *cross);
    for (int64_t first = block * BLOCK_ROWS; first < end; first += TILE_ROWS) {
        int64_t rows = end - first < TILE_ROWS ? end - first : TILE_ROWS, padded = load_tile(b, first, rows, tile);
        tile_sources(padded, b->d, b->m, tile, b->w, s);
        for (int64_t j = 0; j < b->m; j++) {
            contrast_sums sums = contrast_tile(b->contrast, padded, padded - rows, s + j * TILE_ROWS);
            slope[j] += sums.slope;
            value[j] += sums.value;
        }
        tile_cross(padded, b->d, b->m, tile, s, cross);
    }
}

/* Takes blocks until none is left, so a worker that must wait for a processor delays only one block. */
static nonsens_status work_on_blocks(nonsens_context *ctx, arena *scratch, int64_t worker, void *state)
{
    (void)scratch;
    ica_blocks *b = state;
    double *tile = b->tiles + worker * 2 * TILE_ROWS * b->d;
    for (;;) {
        int64_t block = atomic_fetch_add(&b->next, 1);
        if (block >= b->blocks) {
            return NONSENS_OK;
        }
        TRY(check_cancelled(ctx));
        sum_block(b, block, tile);
    }
}

nonsens_status ica_blocks_new(nonsens_context *ctx, arena *a, const ica_data *data, enum option_contrast contrast,
                              int threads, ica_blocks *b)
{
    *b = (ica_blocks){.ctx = ctx, .n = data->n, .d = data->d, .y = data->y, .contrast = contrast};
    b->blocks = (b->n + BLOCK_ROWS - 1) / BLOCK_ROWS;
    int64_t worth = b->n * b->d / WORKER_VALUES, max_workers = parallel_threads(threads);
    max_workers = max_workers < b->blocks ? max_workers : b->blocks;
    b->workers = (int)(worth < 1 ? 1 : worth < max_workers ? worth : max_workers);
    ARENA_TRY(ctx, a, b->tiles, (int64_t)b->workers * 2 * TILE_ROWS * b->d);
    ARENA_TRY(ctx, a, b->sums, b->blocks * sums_size(b));
    ARENA_TRY(ctx, a, b->totals, sums_size(b));
    return NONSENS_OK;
}

nonsens_status ica_blocks_pass(ica_blocks *b, int64_t m, const double *w, ica_row_means *out)
{
    int64_t size = b->d * m + 2 * m;
    b->m = m;
    b->w = w;
    atomic_store(&b->next, 0);
    if (b->workers == 1) {
        TRY(work_on_blocks(b->ctx, NULL, 0, b));
    } else {
        TRY(parallel_for(b->ctx, b->workers, b->workers, NULL, work_on_blocks, b));
    }
    memset(b->totals, 0, (size_t)size * sizeof *b->totals);
    for (int64_t block = 0; block < b->blocks; block++) {
        for (int64_t i = 0; i < size; i++) {
            b->totals[i] += b->sums[block * sums_size(b) + i];
        }
    }
    for (int64_t i = 0; i < size; i++) {
        b->totals[i] /= (double)b->n;
    }
    *out = (ica_row_means){b->totals, b->totals + b->d * m, b->totals + b->d * m + m};
    return NONSENS_OK;
}

void ica_blocks_turn(ica_blocks *b, const double *w)
{
    double *tile = b->tiles, *s = tile + TILE_ROWS * b->d;
    for (int64_t first = 0; first < b->n; first += TILE_ROWS) {
        int64_t rows = b->n - first < TILE_ROWS ? b->n - first : TILE_ROWS;
        tile_sources(load_tile(b, first, rows, tile), b->d, b->d, tile, w, s);
        for (int64_t j = 0; j < b->d; j++) {
            memcpy(b->y + first + j * b->n, s + j * TILE_ROWS, (size_t)rows * sizeof *s);
        }
    }
}

nonsens_status ica_spaced_rows(nonsens_context *ctx, arena *a, const ica_data *data, int64_t max_rows, ica_data *out)
{
    int64_t rows = data->n < max_rows ? data->n : max_rows;
    *out = (ica_data){.n = rows, .d = data->d};
    ARENA_TRY(ctx, a, out->y, rows * data->d);
    for (int64_t j = 0; j < data->d; j++) {
        for (int64_t i = 0; i < rows; i++) {
            out->y[i + j * rows] = data->y[i * data->n / rows + j * data->n];
        }
    }
    return NONSENS_OK;
}
