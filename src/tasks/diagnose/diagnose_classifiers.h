/*
 * diagnose_classifiers.h - the fits behind diagnose_pair.h: ranks, gains, singular values, and the test of rank three
 * with each segment left out in turn.
 */
#ifndef TASKS_DIAGNOSE_DIAGNOSE_CLASSIFIERS_H
#define TASKS_DIAGNOSE_DIAGNOSE_CLASSIFIERS_H

#include "methods/shared/rank_search.h"

enum { EXPECTED_RANK = 2 }; /* for two disturbances, each of which changes in one way of its own */

/* All results of the fits. */
typedef struct diagnose_classifiers {
    rank_search search;
    rank_search_outcome free, alone[2]; /* of both columns; of each column alone, in the user's order */
    classifier_difference gain,
        gained[2];     /* of the best free classifier, and of those of one column, over guessing by segment shares */
    double entropy;    /* of the segments, in nats */
    double proportion; /* second singular value over the first; NaN if rank two was not fitted */
    int32_t *left_out; /* (left_outs) segments, numbered as in the search, in the order of the data set */
    int64_t left_outs;
    classifier_difference *without; /* (left_outs) rank three against rank two without the segment */
} diagnose_classifiers;

/* Fits the classifiers of a pair, always by splines.  Memory comes from `a`, which must live as long as *p. */
nonsens_status diagnose_classify(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                 const nonsens_options *options, diagnose_classifiers *p);

/* Singular values, descending, of the logits of segments, which are products of segment weights and features. */
typedef struct diagnose_spectrum {
    int64_t rank;
    double *value; /* (rank) */
    double *part;  /* (rank, segments) each segment's share of the square of each value; they add up to one */
} diagnose_spectrum;

/* Computes the singular values.  Memory comes from `a`. */
nonsens_status diagnose_find_spectrum(nonsens_context *ctx, arena *a, const classifier_model *m, const double *theta,
                                      diagnose_spectrum *out);

#endif
