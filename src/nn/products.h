/*
 * products.h - the two dense products of a small network on one tile of rows, kept in registers.
 *
 * A tile is feature-major: unit k of row t is a[k * TILE + t].  Blocks of 4 units x 16 rows (or 4 x 4 weights) stay in
 * vector registers; GCC's vector extension maps to NEON, SSE or AVX as the target has it.  Sums run in a fixed order.
 */
#ifndef NN_PRODUCTS_H
#define NN_PRODUCTS_H

#include <stdint.h>
#include <string.h>

enum { TILE = 64, LANES = 4, ROW_BLOCK = 16, VECTORS = ROW_BLOCK / LANES };

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

static inline lanes lanes_load(const float *p)
{
    lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void lanes_store(float *p, lanes v)
{
    memcpy(p, &v, sizeof v);
}

static inline lanes lanes_fill(float f)
{
    return (lanes){f, f, f, f};
}

/* Weights of a product: element (j, k) is w[j * sj + k * sk], so that a matrix and its transpose share the code. */
typedef struct weights {
    const float *w;
    int64_t sj, sk;
} weights;

/* out rows j .. j+units-1 = bias + W in, 16 rows of the tile at t. */
static inline __attribute__((always_inline)) void multiply_block(weights w, const float *bias, int64_t inputs,
                                                                 const float *in, float *out, int64_t j, int64_t t,
                                                                 int units)
{
    lanes sum[4][VECTORS];
    for (int u = 0; u < units; u++) {
        for (int v = 0; v < VECTORS; v++) {
            sum[u][v] = lanes_fill(bias ? bias[j + u] : 0.0f);
        }
    }
    for (int64_t k = 0; k < inputs; k++) {
        lanes a[VECTORS];
        for (int v = 0; v < VECTORS; v++) {
            a[v] = lanes_load(in + k * TILE + t + v * LANES);
        }
        for (int u = 0; u < units; u++) {
            lanes f = lanes_fill(w.w[(j + u) * w.sj + k * w.sk]);
            for (int v = 0; v < VECTORS; v++) {
                sum[u][v] += f * a[v];
            }
        }
    }
    for (int u = 0; u < units; u++) {
        for (int v = 0; v < VECTORS; v++) {
            lanes_store(out + (j + u) * TILE + t + v * LANES, sum[u][v]);
        }
    }
}

/* out (outputs, TILE) = bias + W (outputs, inputs) in (inputs, TILE); bias may be NULL. */
static inline void tile_multiply(weights w, const float *bias, int64_t outputs, int64_t inputs, const float *in,
                                 float *out)
{
    int64_t j = 0;
    for (; j + 4 <= outputs; j += 4) {
        for (int64_t t = 0; t < TILE; t += ROW_BLOCK) {
            multiply_block(w, bias, inputs, in, out, j, t, 4);
        }
    }
    for (; j < outputs; j++) {
        for (int64_t t = 0; t < TILE; t += ROW_BLOCK) {
            multiply_block(w, bias, inputs, in, out, j, t, 1);
        }
    }
}

static inline float lanes_sum(lanes v)
{
    return (v[0] + v[2]) + (v[1] + v[3]);
}

static inline __attribute__((always_inline)) void outer_block(const float *delta, const float *in, float *gradient,
                                                              int64_t inputs, int64_t j, int64_t k, int nj, int nk)
{
    lanes sum[4][4] = {{{0}}};
    for (int64_t t = 0; t < TILE; t += LANES) {
        lanes a[4];
        for (int q = 0; q < nk; q++) {
            a[q] = lanes_load(in + (k + q) * TILE + t);
        }
        for (int p = 0; p < nj; p++) {
            lanes d = lanes_load(delta + (j + p) * TILE + t);
            for (int q = 0; q < nk; q++) {
                sum[p][q] += d * a[q];
            }
        }
    }
    for (int p = 0; p < nj; p++) {
        for (int q = 0; q < nk; q++) {
            gradient[(j + p) * inputs + k + q] += lanes_sum(sum[p][q]);
        }
    }
}

/* gradient (outputs, inputs) += delta (outputs, TILE) in (inputs, TILE)'. */
static inline void tile_outer(int64_t outputs, int64_t inputs, const float *delta, const float *in, float *gradient)
{
    for (int64_t j = 0; j < outputs;) {
        int nj = j + 4 <= outputs ? 4 : 1;
        for (int64_t k = 0; k < inputs;) {
            int nk = k + 4 <= inputs ? 4 : 1;
            if (nj == 4 && nk == 4) {
                outer_block(delta, in, gradient, inputs, j, k, 4, 4);
            } else if (nj == 4) {
                outer_block(delta, in, gradient, inputs, j, k, 4, 1);
            } else if (nk == 4) {
                outer_block(delta, in, gradient, inputs, j, k, 1, 4);
            } else {
                outer_block(delta, in, gradient, inputs, j, k, 1, 1);
            }
            k += nk;
        }
        j += nj;
    }
}

#endif
