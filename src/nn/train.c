/* train.c - mini-batch training of one network on one thread: deterministic given its random stream. */
#include "nn/train.h"

#include <math.h>
#include <string.h>

static const double ADAM_BETA1 = 0.9, ADAM_BETA2 = 0.999, ADAM_EPS = 1e-8;
static const double FINAL_RATE = 0.01; /* the learning rate ends at this share of its start */

typedef struct trainer {
    const mlp_shape *shape;
    const train_options *options;
    mlp_workspace work;
    int64_t parameters, step, steps;
    float *weight, *gradient, *first, *second, *best;
    int64_t *order; /* (train.count) */
} trainer;

static double rate_at(const trainer *t)
{
    double share = (double)t->step / (double)t->steps;
    double cosine = 0.5 * (1.0 + cos(3.14159265358979323846 * share));
    return t->options->learning_rate * (FINAL_RATE + (1.0 - FINAL_RATE) * cosine);
}

static void adam_step(trainer *t, double rate)
{
    double k = (double)(t->step + 1);
    float c1 = (float)(1.0 / (1.0 - pow(ADAM_BETA1, k))), c2 = (float)(1.0 / (1.0 - pow(ADAM_BETA2, k)));
    float b1 = (float)ADAM_BETA1, b2 = (float)ADAM_BETA2, eps = (float)ADAM_EPS;
    float r = (float)rate, decay = (float)(rate * t->options->weight_decay);
    for (int64_t i = 0; i < t->parameters; i++) {
        float g = t->gradient[i];
        t->first[i] = b1 * t->first[i] + (1.0f - b1) * g;
        t->second[i] = b2 * t->second[i] + (1.0f - b2) * g * g;
        t->weight[i] -= r * (t->first[i] * c1) / (sqrtf(t->second[i] * c2) + eps) + decay * t->weight[i];
    }
}

static void sgd_step(trainer *t, double rate)
{
    float m = (float)t->options->momentum, r = (float)rate, decay = (float)t->options->weight_decay;
    for (int64_t i = 0; i < t->parameters; i++) {
        float g = t->gradient[i] + decay * t->weight[i];
        t->first[i] = m * t->first[i] + g;
        t->weight[i] -= r * (g + m * t->first[i]);
    }
}

static void batch_step(trainer *t, mlp_rows batch)
{
    memset(t->gradient, 0, (size_t)t->parameters * sizeof *t->gradient);
    mlp_loss_gradient(t->shape, t->weight, &t->work, batch, t->gradient);
    float share = 1.0f / (float)batch.count;
    for (int64_t i = 0; i < t->parameters; i++) {
        t->gradient[i] *= share;
    }
    if (t->options->optimiser == OPTIMISER_ADAM) {
        adam_step(t, rate_at(t));
    } else {
        sgd_step(t, rate_at(t));
    }
    t->step++;
}

static int64_t batches_per_epoch(const trainer *t, int64_t rows)
{
    int64_t batches = (rows + t->options->batch / 2) / t->options->batch;
    return batches > 0 ? batches : 1;
}

/* The rows are shuffled and cut into batches whose sizes differ by at most one. */
static nonsens_status epoch(nonsens_context *ctx, trainer *t, rng *shuffles, mlp_rows train)
{
    int64_t batches = batches_per_epoch(t, train.count);
    rng_shuffle(shuffles, train.count, t->order);
    for (int64_t b = 0; b < batches; b++) {
        int64_t from = train.count * b / batches, to = train.count * (b + 1) / batches;
        mlp_rows batch = train;
        batch.row = t->order + from;
        batch.count = to - from;
        TRY(check_cancelled(ctx));
        batch_step(t, batch);
    }
    return NONSENS_OK;
}

static nonsens_status trainer_new(nonsens_context *ctx, arena *a, const mlp_shape *shape, int64_t blocks,
                                  const train_options *options, mlp_rows train, float *weight, trainer *t)
{
    t->shape = shape;
    t->options = options;
    t->weight = weight;
    t->parameters = mlp_block_parameters(shape, blocks);
    TRY(mlp_block_workspace(ctx, a, shape, blocks, &t->work));
    ARENA_TRY(ctx, a, t->gradient, t->parameters);
    ARENA_TRY(ctx, a, t->first, t->parameters);
    ARENA_TRY(ctx, a, t->second, t->parameters);
    ARENA_TRY(ctx, a, t->best, t->parameters);
    ARENA_TRY(ctx, a, t->order, train.count);
    for (int64_t i = 0; i < train.count; i++) {
        t->order[i] = train.row ? train.row[i] : i;
    }
    t->steps = batches_per_epoch(t, train.count) * options->epochs;
    return NONSENS_OK;
}

nonsens_status train_blocks(nonsens_context *ctx, arena *scratch, const mlp_shape *shape, int64_t blocks,
                            const train_options *options, rng *shuffles, mlp_rows train, mlp_rows validation,
                            float *parameters, train_report *report)
{
    trainer t = {0};
    TRY(trainer_new(ctx, scratch, shape, blocks, options, train, parameters, &t));
    size_t bytes = (size_t)t.parameters * sizeof *t.best;
    memcpy(t.best, parameters, bytes);
    *report = (train_report){INFINITY, 0, 0, TRAIN_EPOCHS};
    for (int64_t e = 1; e <= options->epochs; e++) {
        TRY(epoch(ctx, &t, shuffles, train));
        report->epochs_run = e;
        double loss = validation.count ? mlp_loss(shape, parameters, &t.work, validation) / (double)validation.count
                                       : -(double)e; /* nothing held out: later is better */
        if (!isfinite(loss)) {
            report->reason = TRAIN_DIVERGED;
            break;
        }
        if (loss < report->validation_loss) {
            report->validation_loss = loss;
            report->best_epoch = e;
            memcpy(t.best, parameters, bytes);
        } else if (e - report->best_epoch >= options->patience) {
            report->reason = TRAIN_PATIENCE;
            break;
        }
    }
    memcpy(parameters, t.best, bytes);
    return NONSENS_OK;
}

nonsens_status train_net(nonsens_context *ctx, arena *scratch, const mlp_shape *shape, const train_options *options,
                         rng *shuffles, mlp_rows train, mlp_rows validation, float *parameters, train_report *report)
{
    return train_blocks(ctx, scratch, shape, 1, options, shuffles, train, validation, parameters, report);
}
