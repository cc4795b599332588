/*
 * restricted.c - trains and scores restricted segment classifiers, folds x restarts.
 *
 * A block has two inputs.  For a feature of both variables, they are the whitened variables; for a feature of one
 * variable, both are that variable divided by sqrt(2), so that initial outputs have the same scale.  A variable that a
 * feature may not use is not among its inputs.
 *
 * From some starts, the features share their work badly (a feature of both variables learns what a feature of one
 * variable could have learned), and training does not recover.  Such starts have a higher loss after a few epochs
 * already, so a network continues from the best of several short trials.  Restarts use different validation rows, so
 * that together they learn from all rows.
 */
#include "nn/restricted.h"

#include "base/parallel.h"
#include "math/column.h"
#include "nn/train.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { INPUTS = 2 };                    /* of a block */
enum { TRIALS = 3, TRIAL_EPOCHS = 10 }; /* of a network */
enum stream { STREAM_SPLIT, STREAM_START, STREAM_TRIALS, STREAM_BATCHES, STREAMS };

static const double SMALLEST_SD = 1e-6; /* of the sum or difference of standardised columns: less is rounding error */

typedef struct ensemble {
    const restricted_data *data;
    mlp_shape shape; /* of one feature */
    int64_t blocks;  /* features */
    train_options train;
    double validation;
    uint64_t seed;
    int64_t restarts, nets; /* net = fold * restarts + restart */
    float *x;               /* (n, blocks * INPUTS) column-major */
    float *parameters;      /* (nets, parameters of a network) */
    train_report *report;   /* (nets) */
    double *logits;         /* (n, segments) row-major: sums over the networks that score a row */
    double *held_out, *feature;
} ensemble;

/* Computes z (n) = x + sign y, standardised; zeros if that is constant up to rounding. */
static nonsens_status standard_sum(nonsens_context *ctx, arena *a, int64_t n, const double *x, double sign,
                                   const double *y, double *z)
{
    double *sum;
    ARENA_TRY(ctx, a, sum, n);
    for (int64_t i = 0; i < n; i++) {
        sum[i] = x[i] + sign * y[i];
    }
    if (column_standardise(n, sum, z) < SMALLEST_SD) {
        memset(z, 0, (size_t)n * sizeof *z);
    }
    return NONSENS_OK;
}

/* Whitens two standardised columns: brings their sum and difference to the same scale and rotates back. */
static nonsens_status whiten(nonsens_context *ctx, arena *a, int64_t n, double *const z[2], double *const out[2])
{
    double *sum, *difference;
    ARENA_TRY(ctx, a, sum, n);
    ARENA_TRY(ctx, a, difference, n);
    TRY(standard_sum(ctx, a, n, z[0], 1.0, z[1], sum));
    TRY(standard_sum(ctx, a, n, z[0], -1.0, z[1], difference));
    for (int64_t i = 0; i < n; i++) {
        out[0][i] = (sum[i] + difference[i]) * sqrt(0.5);
        out[1][i] = (sum[i] - difference[i]) * sqrt(0.5);
    }
    return NONSENS_OK;
}

static nonsens_status make_inputs(nonsens_context *ctx, arena *a, restricted_spec spec, ensemble *e)
{
    int64_t n = e->data->n, rank = restricted_rank(spec);
    double *z[2], *white[2];
    for (int k = 0; k < 2; k++) {
        ARENA_TRY(ctx, a, z[k], n);
        ARENA_TRY(ctx, a, white[k], n);
        column_standardise(n, e->data->input[k], z[k]);
    }
    TRY(whiten(ctx, a, n, z, white));
    ARENA_TRY(ctx, a, e->x, n * rank * INPUTS);
    for (int64_t f = 0; f < rank; f++) {
        bool both = f >= spec.first + spec.second;
        for (int k = 0; k < INPUTS; k++) {
            const double *from = both ? white[k] : z[f >= spec.first];
            double factor = both ? 1.0 : sqrt(0.5);
            for (int64_t i = 0; i < n; i++) {
                e->x[(f * INPUTS + k) * n + i] = (float)(factor * from[i]);
            }
        }
    }
    return NONSENS_OK;
}

static rng net_stream(const ensemble *e, int64_t net, enum stream stream)
{
    return rng_new(e->seed, RNG_RESTRICTED, (uint64_t)(net * STREAMS + stream));
}

/*
 * Shuffles the rows of the other folds and splits them: a validation share of each segment, rounded so that the sum
 * over segments is right, and the rest for training.  Both are in one array, training rows first.
 * order (n), quota (segments): scratch.
 */
static nonsens_status split_rows(nonsens_context *ctx, arena *a, const ensemble *e, int64_t net, int64_t *order,
                                 int64_t *quota, train_task *task)
{
    const restricted_data *d = e->data;
    int64_t count = 0, before = 0, held = 0, *row;
    memset(quota, 0, (size_t)d->segments * sizeof *quota);
    for (int64_t i = 0; i < d->n; i++) {
        if (d->fold[i] != net / e->restarts) {
            order[count++] = i;
            quota[d->label[i]]++;
        }
    }
    for (int64_t s = 0; s < d->segments; s++) {
        int64_t rows = quota[s];
        quota[s] = llround(e->validation * (double)(before + rows)) - llround(e->validation * (double)before);
        before += rows;
        held += quota[s];
    }
    rng r = net_stream(e, net, STREAM_SPLIT);
    rng_shuffle(&r, count, order);
    ARENA_TRY(ctx, a, row, count);
    task->train = (mlp_rows){e->x, d->n, row, 0, d->label};
    task->validation = (mlp_rows){e->x, d->n, row + count - held, 0, d->label};
    for (int64_t i = 0; i < count; i++) {
        if (quota[d->label[order[i]]]-- > 0) {
            row[count - held + task->validation.count++] = order[i];
        } else {
            row[task->train.count++] = order[i];
        }
    }
    return NONSENS_OK;
}

/* Runs TRIALS short trials per network, all in one batch; each network continues from its best trial. */
static nonsens_status try_starts(nonsens_context *ctx, arena *a, const ensemble *e, int threads, train_task *task)
{
    int64_t count = mlp_block_parameters(&e->shape, e->blocks);
    train_options few = e->train;
    few.epochs = few.epochs < TRIAL_EPOCHS ? few.epochs : TRIAL_EPOCHS;
    train_task *trial;
    ARENA_TRY(ctx, a, trial, e->nets * TRIALS);
    for (int64_t k = 0; k < e->nets * TRIALS; k++) {
        rng start = net_stream(e, k, STREAM_START);
        trial[k] = task[k / TRIALS];
        trial[k].shuffles = net_stream(e, k, STREAM_TRIALS);
        ARENA_TRY(ctx, a, trial[k].parameters, count);
        mlp_block_init(&e->shape, e->blocks, &start, trial[k].parameters);
    }
    TRY(train_all(ctx, threads, "first epochs", &few, e->nets * TRIALS, trial));
    for (int64_t net = 0; net < e->nets; net++) {
        const train_task *best = &trial[net * TRIALS];
        for (int64_t k = 1; k < TRIALS; k++) {
            const train_task *other = &trial[net * TRIALS + k];
            best = other->report.validation_loss < best->report.validation_loss ? other : best;
        }
        memcpy(task[net].parameters, best->parameters, (size_t)count * sizeof(float));
    }
    return NONSENS_OK;
}

static nonsens_status train_ensemble(nonsens_context *ctx, arena *a, const ensemble *e, int threads)
{
    train_task *task;
    int64_t *order, *quota;
    ARENA_TRY(ctx, a, task, e->nets);
    ARENA_TRY(ctx, a, order, e->data->n);
    ARENA_TRY(ctx, a, quota, e->data->segments);
    for (int64_t net = 0; net < e->nets; net++) {
        task[net] = (train_task){.shape = e->shape,
                                 .blocks = e->blocks,
                                 .shuffles = net_stream(e, net, STREAM_BATCHES),
                                 .parameters = e->parameters + net * mlp_block_parameters(&e->shape, e->blocks)};
        TRY(split_rows(ctx, a, e, net, order, quota, &task[net]));
    }
    TRY(try_starts(ctx, a, e, threads, task));
    TRY(train_all(ctx, threads, "training", &e->train, e->nets, task));
    for (int64_t net = 0; net < e->nets; net++) {
        e->report[net] = task[net].report;
    }
    return NONSENS_OK;
}

/* Returns log p(label) from the mean logits of `used` networks, whose sum is given. */
static double log_likelihood(int64_t segments, const double *logit, int32_t label, int64_t used)
{
    double top = logit[0], sum = 0.0;
    for (int64_t s = 1; s < segments; s++) {
        top = fmax(top, logit[s]);
    }
    for (int64_t s = 0; s < segments; s++) {
        sum += exp((logit[s] - top) / (double)used);
    }
    return (logit[label] - top) / (double)used - log(sum);
}

/* Scores the rows of one fold by its networks, without those that never had a finite loss. */
static nonsens_status score_fold(nonsens_context *ctx, arena *scratch, int64_t fold, void *state)
{
    const ensemble *e = state;
    const restricted_data *d = e->data;
    int64_t used = 0, *row;
    mlp_workspace work;
    ARENA_TRY(ctx, scratch, row, d->n);
    TRY(mlp_block_workspace(ctx, scratch, &e->shape, e->blocks, &work));
    mlp_rows rows = {e->x, d->n, row, 0, NULL};
    for (int64_t i = 0; i < d->n; i++) {
        if (d->fold[i] == fold) {
            row[rows.count++] = i;
        }
    }
    for (int64_t net = fold * e->restarts; net < (fold + 1) * e->restarts; net++) {
        const float *parameters = e->parameters + net * mlp_block_parameters(&e->shape, e->blocks);
        if (!isfinite(e->report[net].validation_loss)) {
            continue;
        }
        if (used++ == 0 && e->feature) {
            mlp_features(parameters, &work, rows, e->feature);
        }
        mlp_add_logits(parameters, &work, rows, e->logits);
    }
    if (used == 0) {
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "no network of fold %" PRId64 " trained to a finite loss; lower --learning-rate", fold + 1);
    }
    for (int64_t i = 0; i < rows.count; i++) {
        e->held_out[row[i]] = log_likelihood(d->segments, e->logits + row[i] * d->segments, d->label[row[i]], used);
    }
    return NONSENS_OK;
}

nonsens_status restricted_fit(nonsens_context *ctx, arena *scratch, const restricted_data *data, restricted_spec spec,
                              const nonsens_options *o, double *held_out, double *feature)
{
    ensemble e = {
        .data = data,
        .shape = {INPUTS, o->layers, o->width, 1, data->segments, o->activation, o->last},
        .blocks = restricted_rank(spec),
        .train = {o->optimiser, o->learning_rate, o->momentum, o->weight_decay, o->batch, o->epochs, o->patience,
                  TRAIN_FINAL_RATE},
        .validation = o->validation,
        .seed = (uint64_t)o->seed,
        .restarts = o->restarts,
        .nets = data->folds * o->restarts,
        .held_out = held_out,
        .feature = feature,
    };
    TRY(make_inputs(ctx, scratch, spec, &e));
    ARENA_TRY(ctx, scratch, e.parameters, e.nets * mlp_block_parameters(&e.shape, e.blocks));
    ARENA_TRY(ctx, scratch, e.report, e.nets);
    ARENA_TRY(ctx, scratch, e.logits, data->n * data->segments);
    TRY(train_ensemble(ctx, scratch, &e, (int)o->threads));
    return parallel_for(ctx, (int)o->threads, data->folds, NULL, score_fold, &e);
}
