/*
 * rank_search_features.h - what features are made of: the interface behind which segment classifiers are fitted and
 * compared.
 *
 *   splines   (rank_search_spline.c)   reduced-rank regression on splines; a calibrated test on all rows
 *   networks  (rank_search_network.c)  a network per feature; held-out rows decide
 *
 * Every fit has its shape in model.shape and, once it is scored, held_out; only splines use the rest of `fit`.
 */
#ifndef METHODS_SHARED_RANK_SEARCH_FEATURES_H
#define METHODS_SHARED_RANK_SEARCH_FEATURES_H

#include "methods/shared/rank_search.h"

#define LOSS_TEXT "nats per row lost on held-out rows where the cause's features see the cause alone; the p-value is "

typedef struct rank_search_features {
    int64_t tests;         /* the level of each test is alpha over this */
    int64_t further_tests; /* the same for a free classifier's second and further features */
    const char *loss;      /* in words, what a restriction loses and what its p-value is */

    /* Prepares what the fits share, once rows are ordered and folds are dealt. */
    nonsens_status (*begin)(nonsens_context *ctx, arena *a, rank_search *l);

    /*
     * Compares rank r, that of this shape, with rank r - 1, which is fitted and was better than the one before.  Sets
     * step[r] and, unless a score test rules rank r out first, fit[r] and fitted = r.  Scores a fit that is better.
     */
    nonsens_status (*try_rank)(nonsens_context *ctx, arena *a, const rank_search *l, classifier_shape s,
                               rank_search_outcome *out);

    /* Fits and scores a shape that `whole` contains, starting from `whole`. */
    nonsens_status (*fit_restricted)(nonsens_context *ctx, arena *a, const rank_search *l, classifier_shape s,
                                     const classifier_fit *whole, classifier_fit *out);

    /* Fits `whole` again if `restricted`, a fit of a shape that it contains, shows it to be in a worse optimum. */
    nonsens_status (*improve)(nonsens_context *ctx, arena *a, const rank_search *l, const classifier_fit *restricted,
                              classifier_fit *whole, bool *improved);

    /*
     * Measures what a restriction costs on held-out rows against the free fit of the same rank, and tests it.  Networks
     * test by these rows; ratio and null_* are then NaN.
     */
    nonsens_status (*judge)(nonsens_context *ctx, const rank_search *l, const classifier_fit *small,
                            const classifier_fit *large, classifier_difference *out);
} rank_search_features;

extern const rank_search_features rank_search_spline, rank_search_network;

/* Returns the number of B-splines per variable for n rows. */
int64_t rank_search_spline_basis(const nonsens_options *options, int64_t n);

#endif
