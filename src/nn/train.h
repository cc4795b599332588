/*
 * train.h - one network trained by mini-batches: Adam (Kingma and Ba 2015, decoupled weight decay) or SGD with Nesterov
 * momentum, cosine learning rate, early stopping on held-out rows (the parameters with the lowest held-out
 * cross-entropy are kept).
 */
#ifndef NN_TRAIN_H
#define NN_TRAIN_H

#include "nn/mlp.h"

typedef struct train_options {
    enum optimiser optimiser;
    double learning_rate, momentum, weight_decay;
    int64_t batch, epochs, patience;
} train_options;

enum train_stop { TRAIN_PATIENCE, TRAIN_EPOCHS, TRAIN_DIVERGED };

typedef struct train_report {
    double
        validation_loss; /* nats per held-out row at the parameters kept; minus their epoch if no rows were held out */
    int64_t best_epoch, epochs_run;
    enum train_stop reason;
} train_report;

/*
 * Trains from `parameters` (initialised), in place, on `train`, stopping on `validation` (no rows: the last epoch is
 * kept).  `shuffles` orders the rows anew in every epoch.
 */
nonsens_status train_net(nonsens_context *ctx, arena *scratch, const mlp_shape *shape, const train_options *options,
                         rng *shuffles, mlp_rows train, mlp_rows validation, float *parameters, train_report *report);

/* The same for a network of several blocks (mlp.h). */
nonsens_status train_blocks(nonsens_context *ctx, arena *scratch, const mlp_shape *shape, int64_t blocks,
                            const train_options *options, rng *shuffles, mlp_rows train, mlp_rows validation,
                            float *parameters, train_report *report);

#endif
