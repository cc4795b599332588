/*
 * sample.h - prepares two variables and a segment label for the segment classifiers.
 *
 * Warp: each variable is mapped to [0, 1] by its ranks only, half by the uniform and half by the normal score.  So
 * strictly increasing maps of a variable change nothing, and tails are neither squeezed nor stretched too far.
 * Basis: m cubic B-splines on equal knots over [0, 1]; a row has 4 non-zero values per variable, 16 in the tensor
 * product.  Folds: rows of each segment, or whole blocks of rows, are dealt at random; sizes differ by at most one.
 *
 * Rows are kept fold by fold and, inside a fold, by cell of the tensor product: rows of a cell share their 16 basis
 * functions, so that sums over them are short dense loops.
 */
#ifndef CLASSIFIER_SAMPLE_H
#define CLASSIFIER_SAMPLE_H

#include "base/memory.h"

typedef struct classifier_sample {
    int64_t n, segments;
    int64_t basis; /* m */
    int64_t folds;
    int64_t *block;  /* (folds + 1) rows of fold k are block[k] .. block[k + 1] - 1 */
    int32_t *label;  /* (n) segment */
    int32_t *row;    /* (n) row of the data set */
    int32_t *corner; /* (n) tensor index (b * m + c) of the first non-zero product */
    double *value;   /* (n, 8) four values of each variable */
    double *share;   /* (segments) share of the rows in each segment */
} classifier_sample;

/* Warps one variable (n) into out (n); equal values get equal images. */
nonsens_status sample_warp(nonsens_context *ctx, arena *scratch, int64_t n, const double *x, double *out);

/* Computes the 4 non-zero B-splines of m at t in [0, 1]; returns the index of the first. */
int64_t sample_spline(int64_t m, double t, double value[4]);

/* Deals rows (n, sorted by segment) into folds: stratified by segment, drawn from (seed, assignment). */
nonsens_status sample_folds(nonsens_context *ctx, arena *a, int64_t segments, const int64_t *start, int64_t folds,
                            int64_t seed, int64_t assignment, int32_t **out);

/* Deals whole blocks into folds; block (n) has values 0 .. blocks - 1, consecutive within a segment. */
nonsens_status sample_block_folds(nonsens_context *ctx, arena *a, int64_t segments, const int64_t *start,
                                  const int32_t *block, int64_t blocks, int64_t folds, int64_t seed, int64_t assignment,
                                  int32_t **out);

/* Makes a sample of two warped variables in [0, 1], rows sorted by segment with bounds start (segments + 1). */
nonsens_status classifier_sample_new(nonsens_context *ctx, arena *a, const double *const warped[2], int64_t segments,
                                     const int64_t *start, const int32_t *fold, int64_t folds, int64_t basis,
                                     classifier_sample *out);

#endif
