/*
 * classifier_information.h - computes the Fisher matrix of a segment classifier, row by row or by groups of rows.
 *
 * A row with probabilities p, products b and features h = (h_1 .. h_r, 1) adds, for coefficients of features f and g
 * and for weights of segments e and k,
 *     coefficients:          b b' cov_p(a_f, a_g)
 *     coefficient, weight:   b h_g p_e (a_ef - mean_p a_f)
 *     weights:               h_f h_g (p_e [e = k] - p_e p_k).
 * By groups, p is constant over rows of one cell that have nearly the same features, taken at their mean, so that only
 * the sum of b b' depends on the rows.  The error is proportional to the change of the logits over a group.  The matrix
 * costs little and is still positive semidefinite.
 */
#ifndef CLASSIFIER_CLASSIFIER_INFORMATION_H
#define CLASSIFIER_CLASSIFIER_INFORMATION_H

#include "classifier/tile.h"

typedef struct classifier_information classifier_information;

/* Allocates the sums for a model and its tiles; row: where rows of the matrix begin, `square` or `packed` of m. */
nonsens_status information_new(nonsens_context *ctx, arena *a, const classifier_model *m, const classifier_tile *t,
                               const int64_t *row, classifier_information **out);

/* Adds the rows of a tile: products of coefficients to fisher; the rest is kept for information_write. */
void information_add_rows(const classifier_model *m, const classifier_tile *t, classifier_information *w,
                          double *fisher);

/*
 * Adds a group of `count` rows of the cell that the tile is at (tile_locate), whose sum of b b' is `moment` (16, 16);
 * uses the tile's first row.  Call information_end_cell after the last group of a cell.
 */
void information_add_group(const classifier_model *m, const double *moment, int64_t count, classifier_tile *t,
                           classifier_information *w);
void information_end_cell(const classifier_model *m, const classifier_tile *t, classifier_information *w,
                          double *fisher);

/* Adds to fisher what was kept. */
void information_write(const classifier_model *m, const classifier_tile *t, classifier_information *w, double *fisher);

#endif
