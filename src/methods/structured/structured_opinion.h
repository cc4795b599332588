/*
 * structured_opinion.h - what mechanisms say about a pair: in which direction do mechanisms that are the same in all
 * segments leave disturbances that are independent inside them?
 */
#ifndef METHODS_STRUCTURED_STRUCTURED_OPINION_H
#define METHODS_STRUCTURED_STRUCTURED_OPINION_H

#include "indep/fisher_z.h"
#include "indep/hsic.h"
#include "methods/shared/change.h"
#include "options/options.h"

#include <stdbool.h>

/* One direction: the disturbances of cause and effect, every row's by mechanisms fitted without its fold. */
typedef struct structured_way {
    bool explains;                     /* the effect's mechanism predicts held-out rows better with the cause */
    hsic_result dependence;            /* of the two disturbances, inside segments */
    double excess;                     /* statistic minus its mean under independence, per row */
    fisher_z_result correlation;       /* of the ranks of the two disturbances, inside segments */
    double squared_correlation;        /* its mean over segments, minus what independent disturbances would show */
    change_test location[2], scale[2]; /* of the disturbance of cause and effect over the segments */
} structured_way;

typedef struct structured_opinion {
    structured_way way[2]; /* the user's first column as the cause, then the second */
    double likelihood, z;  /* held-out log likelihood of the first direction over the second: nats per row, over its
                              standard error */
} structured_opinion;

/* Fits the mechanisms of both directions and tests their disturbances. */
nonsens_status structured_ask(nonsens_context *ctx, const nonsens_data *pair, const nonsens_options *options,
                              structured_opinion *out);

#endif
