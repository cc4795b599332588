/*
 * restricted.h - segment classifiers some of whose features see one variable alone (docs/structured.md, section 2):
 *
 *     logit_e(x) = c_e + sum_f a_ef h_f(x),      h_f a function of the first variable, of the second, or of both
 *
 * Every feature is a network of its own; they meet in the logits and are trained together (one block of mlp.h each).
 * All models of one rank have the same number of parameters, the same starts, batches and rows for stopping, and
 * differ only in what the blocks see, so that comparisons of models are not blurred by their randomness.
 */
#ifndef NN_RESTRICTED_H
#define NN_RESTRICTED_H

#include "base/memory.h"
#include "options/options.h"

/* How many features see the first variable alone, the second alone, both; in this order. */
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
    const double *input[2]; /* (n) any units; best without long tails */
    const int32_t *label;   /* (n) 0 .. segments-1 */
    const int32_t *fold;    /* (n) 0 .. folds-1, every segment has rows outside each */
} restricted_data;

/*
 * For every fold, options->restarts networks are trained on the other folds, stopping on a share of these rows, and
 * score the fold by their average logits (of all restarts: options->keep is not looked at).  Rank 0 is the segments'
 * shares.  held_out (n): log p(label | x) of each row in nats.  feature (rank, n): the
 * features of each row by the first network that scores it, or NULL; scale and sign, and the mixing of features that
 * may stand in for one another, differ from fold to fold.
 */
nonsens_status restricted_fit(nonsens_context *ctx, arena *scratch, const restricted_data *data, restricted_spec spec,
                              const nonsens_options *options, double *held_out, double *feature);

#endif
