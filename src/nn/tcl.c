/* tcl.c - trains folds x restarts networks, averages their logits and computes the rank-r factor. */
#include "nn/tcl.h"

#include "base/parallel.h"
#include "math/linalg.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

void tcl_options_from(const nonsens_options *o, int64_t features, tcl_options *out)
{
    *out = (tcl_options){
        .shape = {.layers = o->layers, .width = o->width, .activation = o->activation, .last = o->last},
        .train = {o->optimiser, o->learning_rate, o->momentum, o->weight_decay, o->batch, o->epochs, o->patience,
                  TRAIN_FINAL_RATE},
        .folds = o->folds,
        .restarts = o->restarts,
        .keep = o->keep,
        .validation = o->validation,
        .features = features,
        .seed = (uint64_t)o->seed,
        .threads = (int)o->threads,
    };
}

/* Assigns folds, stratified by segment: in turn, in a random order inside each segment. */
static nonsens_status deal_folds(nonsens_context *ctx, arena *a, tcl_fit *fit, const int64_t *start)
{
    int64_t *order;
    ARENA_TRY(ctx, a, fit->fold, fit->n);
    ARENA_TRY(ctx, a, order, fit->n);
    for (int64_t e = 0; e < fit->classes; e++) {
        int64_t rows = start[e + 1] - start[e];
        for (int64_t i = 0; i < rows; i++) {
            order[i] = start[e] + i;
        }
        rng r = rng_new(fit->options.seed, RNG_FOLDS, (uint64_t)e);
        rng_shuffle(&r, rows, order);
        for (int64_t i = 0; i < rows; i++) {
            fit->fold[order[i]] = (int32_t)((i + e) % fit->options.folds);
        }
    }
    return NONSENS_OK;
}

/*
 * Puts training and validation rows of one fold into one array: training rows from the front, the others from the end.
 * The validation share is drawn inside each segment.  order (n): scratch.
 */
static nonsens_status split_rows(nonsens_context *ctx, arena *a, const tcl_fit *fit, const int64_t *start, int64_t fold,
                                 int64_t *order, mlp_rows *train, mlp_rows *validation)
{
    int64_t *row, back = fit->n;
    ARENA_TRY(ctx, a, row, fit->n);
    train->count = 0;
    for (int64_t e = 0; e < fit->classes; e++) {
        int64_t rows = 0;
        for (int64_t i = start[e]; i < start[e + 1]; i++) {
            if (fit->options.folds == 1 ||
                fit->fold[i] != fold) { // with a single fold, nets are trained on the rows that they score
                order[rows++] = i;
            }
        }
        rng r = rng_new(fit->options.seed, RNG_FOLDS, (uint64_t)((fold + 1) * fit->classes + e));
        rng_shuffle(&r, rows, order);
        int64_t held = (int64_t)lround(fit->options.validation * (double)rows);
        for (int64_t i = 0; i < rows; i++) {
            row[i < held ? --back : train->count++] = order[i];
        }
    }
    train->row = row;
    validation->row = row + back;
    validation->count = fit->n - back;
    return NONSENS_OK;
}

/* Returns the shape of one net; the number of inputs depends on its view. */
static mlp_shape net_shape(const tcl_fit *fit, int64_t net)
{
    mlp_shape shape = fit->options.shape;
    if (fit->options.basic > 0 && net % fit->options.restarts % 2 == 0) {
        shape.inputs = fit->options.basic;
    }
    return shape;
}

/* Trains folds x restarts networks, all in one batch. */
static nonsens_status train_ensemble(nonsens_context *ctx, tcl_fit *fit, const int32_t *label, const int64_t *start)
{
    SCOPED_ARENA(scratch);
    int64_t restarts = fit->options.restarts, stride = mlp_parameters(&fit->options.shape);
    mlp_rows train = {fit->x, fit->n, NULL, 0, label}, validation = train;
    train_task *task;
    int64_t *order;
    ARENA_TRY(ctx, &scratch, task, fit->nets);
    ARENA_TRY(ctx, &scratch, order, fit->n);
    for (int64_t net = 0; net < fit->nets; net++) {
        if (net % restarts == 0) {
            TRY(split_rows(ctx, &scratch, fit, start, net / restarts, order, &train, &validation));
        }
        rng init = rng_new(fit->options.seed, RNG_INIT, (uint64_t)net);
        task[net] = (train_task){.shape = net_shape(fit, net),
                                 .blocks = 1,
                                 .shuffles = rng_new(fit->options.seed, RNG_BATCHES, (uint64_t)net),
                                 .train = train,
                                 .validation = validation,
                                 .parameters = fit->parameters + net * stride,
                                 .trained_on = fit->curve + 2 * net * fit->curve_epochs,
                                 .held_out = fit->curve + (2 * net + 1) * fit->curve_epochs};
        mlp_init(&task[net].shape, &init, task[net].parameters);
    }
    TRY(train_all(ctx, fit->options.threads, "training", &fit->options.train, fit->nets, task));
    for (int64_t net = 0; net < fit->nets; net++) {
        fit->report[net] = task[net].report;
    }
    return NONSENS_OK;
}

/* Marks the best `keep` restarts of every fold by held-out cross-entropy. */
static void choose_restarts(tcl_fit *fit)
{
    int64_t restarts = fit->options.restarts;
    int64_t keep = fit->options.keep > 0 && fit->options.keep < restarts ? fit->options.keep : restarts;
    for (int64_t net = 0; net < fit->nets; net++) {
        int64_t better = 0, fold = net / restarts;
        for (int64_t other = fold * restarts; other < (fold + 1) * restarts; other++) {
            double mine = fit->report[net].validation_loss, theirs = fit->report[other].validation_loss;
            better += theirs < mine || (theirs == mine && other < net);
        }
        fit->used[net] = better < keep && isfinite(fit->report[net].validation_loss);
    }
}

typedef struct scoring {
    const tcl_fit *fit;
    double *logits;         /* (n, classes), or NULL */
    const float *direction; /* (features, classes), or NULL */
    double **jacobian;      /* features times (n, stride) */
    int64_t stride;
} scoring;

static void scale_rows(int64_t count, const int64_t *row, int64_t width, double factor, double *values)
{
    for (int64_t i = 0; i < count; i++) {
        for (int64_t k = 0; k < width; k++) {
            values[row[i] * width + k] *= factor;
        }
    }
}

/* Scores the rows of one fold with the nets of that fold: logits, or input gradients of the features. */
static nonsens_status score_fold(nonsens_context *ctx, arena *scratch, int64_t fold, void *state)
{
    const scoring *s = state;
    const tcl_fit *fit = s->fit;
    int64_t restarts = fit->options.restarts, used = 0, *row;
    for (int64_t net = fold * restarts; net < (fold + 1) * restarts; net++) {
        used += fit->used[net];
    }
    if (used == 0) {
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "no network of fold %" PRId64 " trained to a finite loss; lower --learning-rate", fold + 1);
    }
    ARENA_TRY(ctx, scratch, row, fit->n);
    mlp_rows rows = {fit->x, fit->n, row, 0, NULL};
    for (int64_t i = 0; i < fit->n; i++) {
        if (fit->fold[i] == fold) {
            row[rows.count++] = i;
        }
    }
    for (int64_t net = fold * restarts; net < (fold + 1) * restarts; net++) {
        const float *parameters = fit->parameters + net * mlp_parameters(&fit->options.shape);
        mlp_shape shape = net_shape(fit, net);
        mlp_workspace work;
        arena_mark mark = arena_tell(scratch);
        TRY(mlp_workspace_new(ctx, scratch, &shape, &work));
        if (fit->used[net] && s->logits) {
            mlp_add_logits(parameters, &work, rows, s->logits);
        } else if (fit->used[net]) {
            for (int64_t k = 0; k < fit->features; k++) {
                mlp_add_input_gradient(parameters, &work, rows, s->direction + k * fit->classes, s->stride,
                                       s->jacobian[k]);
            }
        }
        arena_rewind(scratch, mark);
    }
    for (int64_t k = 0; k < (s->logits ? 1 : fit->features); k++) {
        scale_rows(rows.count, row, s->logits ? fit->classes : s->stride, 1.0 / (double)used,
                   s->logits ? s->logits : s->jacobian[k]);
    }
    return NONSENS_OK;
}

/* Computes the cross-entropy of the averaged logits (out of fold if there are several folds), then centres rows. */
static void judge_and_centre(tcl_fit *fit, const int32_t *label, const int64_t *start)
{
    double loss = 0.0, squares = 0.0, chance = 0.0, n = (double)fit->n, classes = (double)fit->classes;
    for (int64_t i = 0; i < fit->n; i++) {
        double *l = fit->logits + i * fit->classes, top = l[0], sum = 0.0, mean = 0.0;
        for (int64_t e = 0; e < fit->classes; e++) {
            top = fmax(top, l[e]);
            mean += l[e] / classes;
        }
        for (int64_t e = 0; e < fit->classes; e++) {
            sum += exp(l[e] - top);
        }
        double row_loss = top + log(sum) - l[label[i]];
        double row_chance = -log((double)(start[label[i] + 1] - start[label[i]]) / n);
        loss += row_loss;
        squares += (row_chance - row_loss) * (row_chance - row_loss);
        for (int64_t e = 0; e < fit->classes; e++) {
            l[e] -= mean;
        }
    }
    for (int64_t e = 0; e < fit->classes; e++) {
        double share = (double)(start[e + 1] - start[e]) / n;
        chance -= share * log(share);
    }
    fit->loss = loss / n;
    fit->chance = chance;
    fit->gain_se = sqrt(fmax(squares / n - (chance - fit->loss) * (chance - fit->loss), 0.0) / n);
}

/* Computes the rank-r factor: loadings are the leading eigenvectors of the logits' covariance, h the projections. */
nonsens_status tcl_factor(nonsens_context *ctx, arena *a, const int32_t *label, const int64_t *start, tcl_fit *fit)
{
    int64_t k = fit->classes, r = fit->features;
    double *mean, *covariance, *value, *h;
    judge_and_centre(fit, label, start);
    ARENA_TRY(ctx, a, mean, k);
    ARENA_TRY(ctx, a, covariance, k * k);
    ARENA_TRY(ctx, a, value, k);
    ARENA_TRY(ctx, a, fit->singular, k);
    ARENA_TRY(ctx, a, fit->loading, k * r);
    ARENA_TRY(ctx, a, h, fit->n * r);
    for (int64_t i = 0; i < fit->n; i++) {
        for (int64_t e = 0; e < k; e++) {
            mean[e] += fit->logits[i * k + e] / (double)fit->n;
        }
    }
    for (int64_t i = 0; i < fit->n; i++) {
        for (int64_t e = 0; e < k; e++) {
            fit->logits[i * k + e] -= mean[e];
        }
    }
    linalg_gemm(false, true, k, k, fit->n, 1.0 / (double)fit->n, fit->logits, k, fit->logits, k, 0.0, covariance, k);
    TRY(check_cancelled(ctx));
    TRY(linalg_eigen_symmetric(ctx, a, k, covariance, value));
    for (int64_t e = 0; e < k; e++) {
        fit->singular[e] = sqrt(fmax(value[k - 1 - e], 0.0));
    }
    for (int64_t j = 0; j < r; j++) {
        memcpy(fit->loading + j * k, covariance + (k - 1 - j) * k, (size_t)k * sizeof *fit->loading);
    }
    fit->h = matrix_view(h, fit->n, r);
    linalg_gemm(true, false, fit->n, r, k, 1.0, fit->logits, k, fit->loading, k, 0.0, h, fit->n);
    return NONSENS_OK;
}

nonsens_status tcl_fit_new(nonsens_context *ctx, arena *a, matrix x, int64_t classes, const int32_t *label,
                           const int64_t *start, const tcl_options *options, tcl_fit *fit)
{
    float *copy; // of x
    *fit = (tcl_fit){.n = x.rows, .d = x.cols, .classes = classes, .features = options->features, .options = *options};
    mlp_shape *shape = &fit->options.shape;
    shape->inputs = fit->d;
    shape->features = fit->features;
    shape->classes = classes;
    fit->nets = options->folds * options->restarts;
    ARENA_TRY(ctx, a, copy, fit->n * fit->d);
    for (int64_t j = 0; j < fit->d; j++) {
        for (int64_t i = 0; i < fit->n; i++) {
            copy[j * fit->n + i] = (float)matrix_col(x, j)[i];
        }
    }
    fit->x = copy;
    TRY(deal_folds(ctx, a, fit, start));
    ARENA_TRY(ctx, a, fit->parameters, fit->nets * mlp_parameters(shape));
    ARENA_TRY(ctx, a, fit->report, fit->nets);
    fit->curve_epochs = options->train.epochs < TRAIN_CURVE_MAX ? options->train.epochs : TRAIN_CURVE_MAX;
    ARENA_TRY(ctx, a, fit->curve, 2 * fit->nets * fit->curve_epochs);
    ARENA_TRY(ctx, a, fit->used, fit->nets);
    ARENA_TRY(ctx, a, fit->logits, fit->n * classes);
    TRY(train_ensemble(ctx, fit, label, start));
    choose_restarts(fit);
    scoring s = {fit, fit->logits, NULL, NULL, 0};
    TRY(parallel_for(ctx, options->threads, options->folds, NULL, score_fold, &s));
    return tcl_factor(ctx, a, label, start, fit);
}

nonsens_status tcl_jacobian(nonsens_context *ctx, arena *scratch, const tcl_fit *fit, const double *unmix,
                            int64_t stride, double **jacobian)
{
    int64_t k = fit->classes, r = fit->features;
    float *direction; /* (r, classes): row j is the direction of source j in logit space, relative to class 0 */
    ARENA_TRY(ctx, scratch, direction, r * k);
    for (int64_t j = 0; j < r; j++) {
        for (int64_t e = 0; e < k; e++) {
            double sum = 0.0;
            for (int64_t l = 0; l < r; l++) {
                sum += unmix[l * r + j] * fit->loading[l * k + e];
            }
            direction[j * k + e] = (float)sum;
        }
    }
    scoring s = {fit, NULL, direction, jacobian, stride};
    return parallel_for(ctx, fit->options.threads, fit->options.folds, NULL, score_fold, &s);
}
