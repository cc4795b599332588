/*
 * restricted.h - segment classifiers some of whose features use only one variable (docs/structured.md, section 2):
 *
 *     logit_e(x) = c_e + sum_f a_ef h_f(x),      h_f a function of the first variable, of the second, or of both
 *
 * Every feature is a separate network (one block of mlp.h); the logits combine them, and they are trained together.
 * All models of one rank have the same number of parameters, initial weights, batches and validation rows.  They differ
 * only in the inputs of the blocks, so that comparisons of models are not blurred by randomness.
 */
#ifndef NN_RESTRICTED_H
#define NN_RESTRICTED_H

#include "base/memory.h"
#include "options/options.h"

/* Numbers of features of the first variable only, of the second only, and of both; in this order. */
typedef struct restricted_spec {
    int first, second, both;
} restricted_spec;

static inline int restricted_rank(restricted_spec spec)
{
    return spec.first + spec.second + spec.both;
}

/* Two variables of n rows in canonical order. */
typedef struct restricted_data {
    int64_t n, segments, folds;
    const double *input[2]; /* (n) in any units, preferably without long tails */
    const int32_t *label;   /* (n) 0 .. segments-1 */
    const int32_t *fold;    /* (n) 0 .. folds-1; every segment has rows outside each fold */
} restricted_data;

/*
 * Trains options->restarts networks for every fold on the other folds, with early stopping on a share of these rows,
 * and scores the fold by their average logits (of all restarts: options->keep is ignored).  Rank 0 gives the shares of
 * the segments. held_out (n): log p(label | x) of each row in nats.  feature (rank, n): the features of each row by the
 * first network that scores it, or NULL.  Their scale, sign and mixing (of features that can replace one another)
 * differ from fold to fold.
 */
nonsens_status restricted_fit(nonsens_context *ctx, arena *scratch, const restricted_data *data, restricted_spec spec,
                              const nonsens_options *options, double *held_out, double *feature);

#endif
