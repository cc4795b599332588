/*
 * tile.h - processes rows of one cell of the tensor product together: they share their 16 products, so that all sums
 * over them are short dense loops, scattered to the parameters once per tile.
 *
 * Arrays over segments are padded to TILE_PAD; probabilities in the padding are almost zero, and no result is read
 * there.
 */
#ifndef CLASSIFIER_TILE_H
#define CLASSIFIER_TILE_H

#include "base/instruction_set.h"
#include "classifier/model.h"
#include "math/pair.h"

enum { TILE = 32, TILE_PRODUCTS = 16, TILE_PAD = 4 };

typedef struct tile_kernel tile_kernel;

typedef struct classifier_tile {
    const tile_kernel *kernel;
    int64_t wide;                                 /* segments, padded */
    int64_t rows, from;                           /* from: first row in the sample */
    int32_t place[MODEL_MAX_RANK][TILE_PRODUCTS]; /* parameters of the cell's products, feature by feature */
    double coefficient[MODEL_MAX_RANK][TILE_PRODUCTS];
    double product[TILE][TILE_PRODUCTS];      /* values of the 16 products */
    double feature[TILE][MODEL_MAX_RANK + 1]; /* h_1 .. h_r, 1 */
    double *weight;                           /* (r + 1, wide) a_e1 .. a_er, c_e, transposed */
    double *logit, *probability;              /* (TILE, wide) */
    double log_norm[TILE];                    /* log sum exp of the logits */
} classifier_tile;

/* Returns the arithmetic for this processor. */
const tile_kernel *tile_kernel_choose(void);

/* Allocates a tile and copies the weights from theta. */
nonsens_status tile_new(nonsens_context *ctx, arena *a, const classifier_model *m, const double *theta,
                        classifier_tile **out);

/* Looks up the parameters of the products of a cell. */
void tile_locate(const classifier_model *m, const double *theta, int64_t corner, classifier_tile *t);

/* Computes the 16 products of a row. */
static inline void tile_products(const classifier_sample *s, int64_t row, double product[TILE_PRODUCTS])
{
    const double *v = s->value + 8 * row;
    for (int i = 0; i < TILE_PRODUCTS; i++) {
        product[i] = v[i / 4] * v[4 + i % 4];
    }
}

/* Returns the sum of a[i] b[i]; n is a multiple of TILE_PAD. */
static inline double tile_dot(int64_t n, const double *a, const double *b)
{
    pair sum[2] = {{0}};
    for (int64_t i = 0; i < n; i += 4) {
        sum[0] += pair_load(a + i) * pair_load(b + i);
        sum[1] += pair_load(a + i + 2) * pair_load(b + i + 2);
    }
    sum[0] += sum[1];
    return sum[0][0] + sum[0][1];
}

/* Loads the longest run of rows of one cell from `from` on, at most TILE and not beyond `end`: products, features. */
void tile_load(const classifier_model *m, const double *theta, int64_t from, int64_t end, classifier_tile *t);

/* Computes logits, probabilities and log norms of the tile's rows from their features. */
void tile_classify(const classifier_model *m, classifier_tile *t);

/*
 * Adds sign A'B to c (left, right) for A (rows, left) and B (rows, right), where left and right are multiples of
 * TILE_PAD; if `lower`, only blocks that touch the lower triangle.
 */
void tile_sum(const tile_kernel *kernel, int64_t rows, const double *a, int64_t left, const double *b, int64_t right,
              double sign, bool lower, double *c);

/* How probabilities change along a step of the parameters; the tile has the features of the step (tile_load). */
typedef struct tile_motion {
    const double *probability, *feature; /* (rows, wide), (rows, r) before the step */
    const double *weight;                /* (r + 1, wide) of the step */
    double *along;                       /* (TILE, wide) derivatives of the probabilities along it: result */
} tile_motion;

/* Functions compiled once per instruction set: products and features of the rows; tile_classify; motions; tile_sum. */
struct tile_kernel {
    void (*load)(const classifier_model *m, classifier_tile *t);
    void (*classify)(const classifier_model *m, classifier_tile *t);
    void (*move)(const classifier_model *m, const classifier_tile *t, const tile_motion *to);
    /* Adds the products of each row to those of its label, label[row * step], in sums (segments, m^2). */
    void (*add_labels)(const classifier_sample *s, const uint16_t *label, int64_t step, double *sums);
    void (*sum)(int64_t rows, const double *a, int64_t left, const double *b, int64_t right, double sign, bool lower,
                double *c);
};

#endif
