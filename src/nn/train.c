/* train.c - trains networks by mini-batches, each on one thread: deterministic given its random stream. */
#include "nn/train.h"

#include "base/parallel.h"

#include <math.h>
#include <string.h>

static const double ADAM_BETA1 = 0.9, ADAM_BETA2 = 0.999, ADAM_EPS = 1e-8;

typedef struct trainer {
    const train_options *options;
    mlp_workspace work;
    int64_t parameters, step, total_steps;
    float *weight, *gradient, *first, *second, *best;
    int64_t *order; /* (train.count) */
} trainer;

static double rate_at(const trainer *t)
{
    double share = (double)t->step / (double)t->total_steps;
    double cosine = 0.5 * (1.0 + cos(3.14159265358979323846 * share));
    double last = t->options->final_rate;
    return t->options->learning_rate * (last + (1.0 - last) * cosine);
}

static void adam_step(trainer *t, double rate, float share)
{
    double k = (double)(t->step + 1);
    nn_kernel_adam step = {.beta1 = (float)ADAM_BETA1,
                           .beta2 = (float)ADAM_BETA2,
                           .correct1 = (float)(1.0 / (1.0 - pow(ADAM_BETA1, k))),
                           .correct2 = (float)(1.0 / (1.0 - pow(ADAM_BETA2, k))),
                           .rate = (float)rate,
                           .decay = (float)(rate * t->options->weight_decay),
                           .epsilon = (float)ADAM_EPS,
                           .share = share};
    t->work.kernel->adam(t->parameters, &step, t->gradient, t->first, t->second, t->weight);
}

static void sgd_step(trainer *t, double rate, float share)
{
    float m = (float)t->options->momentum, r = (float)rate, decay = (float)t->options->weight_decay;
    for (int64_t i = 0; i < t->parameters; i++) {
        float g = share * t->gradient[i] + decay * t->weight[i];
        t->first[i] = m * t->first[i] + g;
        t->weight[i] -= r * (g + m * t->first[i]);
    }
}

/* Makes one step; returns the loss of the batch before the step, summed over its rows. */
static double batch_step(trainer *t, mlp_rows batch)
{
    memset(t->gradient, 0, (size_t)t->parameters * sizeof *t->gradient);
    double loss = mlp_loss_gradient(t->weight, &t->work, batch, t->gradient);
    (t->options->optimiser == OPTIMISER_ADAM ? adam_step : sgd_step)(t, rate_at(t), 1.0f / (float)batch.count);
    t->step++;
    return loss;
}

static int64_t batches_per_epoch(const trainer *t, int64_t rows)
{
    return (rows + t->options->batch - 1) / t->options->batch;
}

/* Trains on shuffled batches whose sizes differ by at most one; *loss: mean over rows, before each step, in nats. */
static nonsens_status epoch(nonsens_context *ctx, trainer *t, rng *shuffles, mlp_rows train, double *loss)
{
    int64_t batches = batches_per_epoch(t, train.count);
    *loss = 0.0;
    rng_shuffle(shuffles, train.count, t->order);
    for (int64_t b = 0; b < batches; b++) {
        int64_t from = train.count * b / batches, to = train.count * (b + 1) / batches;
        mlp_rows batch = train;
        batch.row = t->order + from;
        batch.count = to - from;
        TRY(check_cancelled(ctx));
        *loss += batch_step(t, batch) / (double)train.count;
    }
    return NONSENS_OK;
}

static nonsens_status trainer_new(nonsens_context *ctx, arena *a, const train_options *options, const train_task *task,
                                  trainer *t)
{
    const mlp_rows *rows = &task->train;
    *t = (trainer){.options = options, .weight = task->parameters};
    t->parameters = mlp_block_parameters(&task->shape, task->blocks);
    TRY(mlp_block_workspace(ctx, a, &task->shape, task->blocks, &t->work));
    ARENA_TRY(ctx, a, t->gradient, t->parameters);
    ARENA_TRY(ctx, a, t->first, t->parameters);
    ARENA_TRY(ctx, a, t->second, t->parameters);
    ARENA_TRY(ctx, a, t->best, t->parameters);
    ARENA_TRY(ctx, a, t->order, rows->count);
    for (int64_t i = 0; i < rows->count; i++) {
        t->order[i] = rows->row ? rows->row[i] : i;
    }
    t->total_steps = batches_per_epoch(t, rows->count) * options->epochs;
    return NONSENS_OK;
}

static nonsens_status train_one(nonsens_context *ctx, arena *scratch, const train_options *options, train_task *task)
{
    trainer t;
    train_report *report = &task->report;
    int64_t held_out = task->validation.count;
    TRY(trainer_new(ctx, scratch, options, task, &t));
    size_t bytes = (size_t)t.parameters * sizeof *t.best;
    memcpy(t.best, t.weight, bytes);
    *report = (train_report){INFINITY, 0, 0, TRAIN_EPOCHS};
    for (int64_t e = 1; e <= options->epochs; e++) {
        double trained_on;
        TRY(epoch(ctx, &t, &task->shuffles, task->train, &trained_on));
        report->epochs_run = e;
        // nats per held-out row; if nothing is held out, later epochs count as better
        double loss = held_out ? mlp_loss(t.weight, &t.work, task->validation) / (double)held_out : -(double)e;
        if (task->trained_on && e <= TRAIN_CURVE_MAX) {
            task->trained_on[e - 1] = (float)trained_on;
            task->held_out[e - 1] = held_out ? (float)loss : NAN;
        }
        if (!isfinite(loss)) {
            report->reason = TRAIN_DIVERGED;
            break;
        }
        if (loss < report->validation_loss) {
            report->validation_loss = loss;
            report->best_epoch = e;
            memcpy(t.best, t.weight, bytes);
        } else if (e - report->best_epoch >= options->patience) {
            report->reason = TRAIN_PATIENCE;
            break;
        }
    }
    memcpy(t.weight, t.best, bytes);
    return NONSENS_OK;
}

typedef struct batch_of_nets {
    const train_options *options;
    train_task *task;
} batch_of_nets;

static nonsens_status train_job(nonsens_context *ctx, arena *scratch, int64_t net, void *state)
{
    batch_of_nets *b = state;
    return train_one(ctx, scratch, b->options, &b->task[net]);
}

nonsens_status train_all(nonsens_context *ctx, int threads, const char *label, const train_options *options,
                         int64_t count, train_task *task)
{
    batch_of_nets b = {options, task};
    return parallel_for(ctx, threads, count, label, train_job, &b);
}
