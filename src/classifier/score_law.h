/*
 * score_law.h - how the score of a segment classifier varies if the fitted model is true.
 *
 * score (segments, m^2): for the coefficients of every logit, the sum over rows of (label - p) b', where b are the
 * row's products of B-splines.  Independent rows: x is kept and labels are drawn from the fitted model (label
 * bootstrap).  Rows in blocks of neighbours: a block's part is multiplied by a normal number, minus the mean of those
 * numbers in its segment (wild bootstrap by blocks).  Rows of a block may then depend on one another, and the parts may
 * have a common mean in a segment.
 */
#ifndef CLASSIFIER_SCORE_LAW_H
#define CLASSIFIER_SCORE_LAW_H

#include "classifier/fit.h"

/* Which rows belong together; block_of NULL: every row is its own block. */
typedef struct classifier_blocks {
    const int32_t *block_of; /* (n) rows of the data set */
    int64_t count;
    double inflation; /* factor on variances from blocks, for what they miss (data/time_blocks.h) */
    bool crossing;    /* rows of one block may have different labels */
} classifier_blocks;

typedef struct score_law {
    const classifier_model *model;
    const double *theta;
    const classifier_blocks *blocks;
    int64_t seed;
    int64_t first, draws; /* which draws have labels: first, ..., first + draws - 1 */
    double *observed;     /* (segments, m^2) sum over rows of label b' */
    uint16_t *label;      /* (n, draws) drawn labels of the sample's rows; NULL: by blocks */
    double *expected;     /* (segments, m^2) sum over rows of p b' */
    double *residual;     /* (n, segments padded) label - p, sorted by cell, if blocks cross labels; else NULL */
    int32_t *by_cell;     /* (n) rows of the sample, sorted by cell */
    double *widening;     /* (segments) corrects squares within a label for the estimated mean; NULL also if no block
                             crosses labels */
} score_law;

/* Sets up the law at theta; memory from `a`. */
nonsens_status score_law_new(nonsens_context *ctx, arena *a, const classifier_model *m, const double *theta,
                             const classifier_blocks *blocks, int64_t seed, score_law *out);

/* Prepares draws from, ..., to - 1, in place of those prepared before; `a` keeps their labels. */
nonsens_status score_law_prepare(nonsens_context *ctx, arena *a, score_law *law, int64_t from, int64_t to);

/*
 * Draws the labels' part of the score, the sum over rows of label b': the score at any theta is that minus the expected
 * part there (score_law_expect).
 */
nonsens_status score_law_draw(nonsens_context *ctx, arena *scratch, const score_law *law, int64_t draw, double *labels);

/* Computes out (segments, m^2), the sum over all rows of p b', at theta. */
nonsens_status score_law_expect(nonsens_context *ctx, arena *scratch, const score_law *law, const double *theta,
                                double *out);

/* Computes out (parameters), the score of the parameters, from that of the coefficients of every logit. */
void score_contract(const classifier_model *m, const double *theta, const double *score, double *out);

/* Computes the exact Fisher matrix of all rows at f->theta, both triangles. */
nonsens_status score_fisher(nonsens_context *ctx, arena *a, int threads, const classifier_fit *f, double **out);

/* Computes factor (n, n), the Cholesky factor of fisher + penalty + pins, or of the Fisher matrix itself. */
nonsens_status score_factor(nonsens_context *ctx, arena *a, const classifier_fit *f, const double *fisher,
                            bool penalised, double *factor);

#endif
