/*
 * train.h - trains networks by mini-batches: Adam (Kingma and Ba 2015, decoupled weight decay) or SGD with Nesterov
 * momentum, cosine learning rate, early stopping on held-out rows (the parameters with the lowest held-out
 * cross-entropy are kept).
 */
#ifndef NN_TRAIN_H
#define NN_TRAIN_H

#include "nn/mlp.h"

typedef struct train_options {
    enum option_optimiser optimiser;
    double learning_rate, momentum, weight_decay;
    int64_t batch, epochs, patience;
    double final_rate; /* the learning rate ends at this share of its start; TRAIN_FINAL_RATE is usual, 1 keeps it */
} train_options;

#define TRAIN_FINAL_RATE 0.01

enum train_stop { TRAIN_PATIENCE, TRAIN_EPOCHS, TRAIN_DIVERGED };

typedef struct train_report {
    double validation_loss; /* nats per held-out row at the kept parameters; if no row is held out, minus their epoch */
    int64_t best_epoch, epochs_run;
    enum train_stop reason;
} train_report;

/* A network to train on `train`, with early stopping on `validation` (if that has no rows, the last epoch is kept). */
typedef struct train_task {
    mlp_shape shape;
    int64_t blocks; /* mlp.h */
    rng shuffles;   /* shuffles the rows in every epoch */
    mlp_rows train, validation;
    float *parameters; /* initialised; trained in place */
    train_report report;
    /*
     * (min(epochs, TRAIN_CURVE_MAX)) nats per row in each epoch that was run: on the training rows during the epoch,
     * and on held-out rows at its end.  NULL: not kept.
     */
    float *trained_on, *held_out;
} train_task;

enum { TRAIN_CURVE_MAX = 1000 };

/*
 * Trains a batch of networks, one thread per network.  The result of a network depends neither on the rest of the batch
 * nor on the number of threads.  label: for progress reports, or NULL.
 */
nonsens_status train_all(nonsens_context *ctx, int threads, const char *label, const train_options *options,
                         int64_t count, train_task *task);

#endif
