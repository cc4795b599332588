/* kernel_tile.c - products in blocks of four by four columns, whose sums stay in registers; two rows at a time. */
#include "indep/kernel_tile.h"

#include "math/pair_exp.h"

enum { SIDE = 4, LANES = 2 };

void tile_exp(int64_t count, double *x)
{
    for (int64_t i = 0; i < count; i += LANES) {
        pair_store(x + i, pair_exp(pair_load(x + i)));
    }
}

void tile_clear(int64_t used, int64_t columns, double *tile)
{
    for (int64_t c = 0; c < columns; c++) {
        for (int64_t i = used; i < tile_rows(used); i++) {
            tile[c * KERNEL_TILE + i] = 0.0;
        }
    }
}

/* Finds the starts of four columns from `first` on; the last column stands in for missing ones. */
static void four_columns(const double *base, int64_t first, int64_t count, int64_t stride, const double *column[SIDE])
{
    for (int s = 0; s < SIDE; s++) {
        column[s] = base + (first + s < count ? first + s : count - 1) * stride;
    }
}

/* Computes eight rows of four columns of the product. */
static void combine_block(int64_t r, const double *k, const double *const map[SIDE], pair sum[SIDE][SIDE])
{
    for (int s = 0; s < SIDE; s++) {
        for (int t = 0; t < SIDE; t++) {
            sum[s][t] = pair_fill(0.0);
        }
    }
    for (int64_t l = 0; l < r; l++, k += KERNEL_TILE) {
        for (int s = 0; s < SIDE; s++) {
            pair factor = pair_fill(map[s][l]);
            for (int t = 0; t < SIDE; t++) {
                sum[s][t] += factor * pair_load(k + LANES * t);
            }
        }
    }
}

void tile_combine(int64_t rows, int64_t r, int64_t q, const double *k, const double *map, bool triangular, double *out)
{
    for (int64_t c = 0; c < q; c += SIDE) {
        const double *column[SIDE];
        int64_t inner = triangular && c + SIDE < r ? c + SIDE : r;
        four_columns(map, c, q, r, column);
        for (int64_t i = 0; i < rows; i += LANES * SIDE) {
            pair sum[SIDE][SIDE];
            combine_block(inner, k + i, column, sum);
            for (int s = 0; s < SIDE && c + s < q; s++) {
                for (int t = 0; t < SIDE; t++) {
                    pair_store(out + (c + s) * KERNEL_TILE + i + LANES * t, sum[s][t]);
                }
            }
        }
    }
}

/* Computes the products of four columns with four columns over all rows. */
static void cross_block(int64_t rows, const double *const a[SIDE], const double *const b[SIDE], double out[SIDE][SIDE])
{
    pair sum[SIDE][SIDE] = {{{0}}};
    for (int64_t i = 0; i < rows; i += LANES) {
        for (int s = 0; s < SIDE; s++) {
            pair factor = pair_load(b[s] + i);
            for (int t = 0; t < SIDE; t++) {
                sum[s][t] += factor * pair_load(a[t] + i);
            }
        }
    }
    for (int s = 0; s < SIDE; s++) {
        for (int t = 0; t < SIDE; t++) {
            out[s][t] = sum[s][t][0] + sum[s][t][1];
        }
    }
}

void tile_cross(int64_t rows, int64_t p, int64_t q, const double *a, const double *b, bool lower, double *sum)
{
    for (int64_t j = 0; j < q; j += SIDE) {
        const double *of_a[SIDE], *of_b[SIDE];
        four_columns(b, j, q, KERNEL_TILE, of_b);
        for (int64_t i = lower ? j : 0; i < p; i += SIDE) {
            double block[SIDE][SIDE];
            four_columns(a, i, p, KERNEL_TILE, of_a);
            cross_block(rows, of_a, of_b, block);
            for (int s = 0; s < SIDE && j + s < q; s++) {
                for (int t = 0; t < SIDE && i + t < p; t++) {
                    sum[(j + s) * p + i + t] += block[s][t];
                }
            }
        }
    }
}
