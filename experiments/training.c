/*
 * training.c - compares recipes for training a network by processor seconds and held-out loss.
 *
 *   training [--seed FIRST] [--reps R] [--depth D]
 *
 * Every data set (`nonsens simulate --depth D --seed S`, 10 x 512 rows) is split in three: eight tenths for training,
 * one for early stopping, one for evaluation.  NETS networks are trained.  Prints the mean gain of a network and that
 * of their averaged logits, in nats per row over predicting the segments' shares, with standard errors over data sets,
 * and processor seconds per network.
 */
#include "harness/summary.h"
#include "math/optimise.h"
#include "nn/inputs.h"
#include "nn/train.h"
#include "simulate/simulate.h"

#include <nonsens/nonsens.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NETS = 8, PARTS = 10 };

/* How NETS networks are trained. */
typedef struct recipe {
    const char *name;
    double rate, final_rate;
    int64_t batch, epochs, patience; /* batch 0: all rows */
    int64_t lbfgs;                   /* iterations of L-BFGS on all rows at the end */
    int64_t warm;                    /* epochs of networks that start near the first one; 0: all start from scratch */
} recipe;

static const recipe RECIPES[] = {
    {"batch 256, 100 epochs", 0.02, 0.01, 256, 100, 20, 0, 0},
    {"batch 256, 45 epochs", 0.02, 0.01, 256, 45, 20, 0, 0},
    {"batch 128, 60 epochs", 0.02, 0.01, 128, 60, 20, 0, 0},
    {"batch 64, 45 epochs", 0.02, 0.01, 64, 45, 20, 0, 0},
    {"batch 64, 30 epochs", 0.02, 0.01, 64, 30, 20, 0, 0},
    {"batch 64, 45 epochs, rate .01", 0.01, 0.01, 64, 45, 20, 0, 0},
    {"batch 64, 45 epochs, patience 8", 0.02, 0.01, 64, 45, 8, 0, 0},
    {"batch 64, 45 epochs, constant rate", 0.02, 1.0, 64, 45, 20, 0, 0},
    {"batch 64, 45 epochs, constant rate .005", 0.005, 1.0, 64, 45, 20, 0, 0},
    {"batch 32, 30 epochs", 0.02, 0.01, 32, 30, 20, 0, 0},
    {"all rows, 300 steps", 0.02, 0.01, 0, 300, 60, 0, 0},
    {"batch 64, 15 epochs, then 60 L-BFGS", 0.02, 0.01, 64, 15, 20, 60, 0},
    {"batch 64, 45 epochs, then 60 L-BFGS", 0.02, 0.01, 64, 45, 20, 60, 0},
    {"batch 64, 45 epochs, others 15 from the first", 0.02, 0.01, 64, 45, 20, 0, 15},
};
enum { RECIPE_COUNT = sizeof RECIPES / sizeof *RECIPES };

typedef struct problem {
    mlp_shape shape;
    int64_t n, parameters;
    float *x;
    int32_t *label;
    mlp_rows part[3]; /* for training, for early stopping, for evaluation */
    float *weight;    /* (NETS, parameters) */
} problem;

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- data ---- */

static nonsens_status split(nonsens_context *ctx, arena *a, uint64_t seed, problem *p)
{
    int64_t *order, bound[4] = {0, p->n * (PARTS - 2) / PARTS, p->n * (PARTS - 1) / PARTS, p->n};
    rng r = rng_new(seed, RNG_TEST, 1);
    ARENA_TRY(ctx, a, order, p->n);
    for (int64_t i = 0; i < p->n; i++) {
        order[i] = i;
    }
    rng_shuffle(&r, p->n, order);
    for (int k = 0; k < 3; k++) {
        p->part[k] = (mlp_rows){p->x, p->n, order + bound[k], bound[k + 1] - bound[k], p->label};
    }
    return NONSENS_OK;
}

static nonsens_status copy_views(nonsens_context *ctx, arena *a, const nonsens_simulation *s, problem *p)
{
    nn_inputs in;
    TRY(nn_inputs_new(ctx, a, s->x, &in));
    ARENA_TRY(ctx, a, p->x, p->n * in.view.cols);
    ARENA_TRY(ctx, a, p->label, p->n);
    memcpy(p->label, s->segment, (size_t)p->n * sizeof *p->label);
    for (int64_t j = 0; j < in.view.cols; j++) {
        for (int64_t i = 0; i < p->n; i++) {
            p->x[j * p->n + i] = (float)matrix_col(in.view, j)[i];
        }
    }
    p->shape = (mlp_shape){in.view.cols, 3, 32, 2, s->segments, ACTIVATION_LEAKY_RELU, LAST_LINEAR};
    return NONSENS_OK;
}

static nonsens_status problem_new(nonsens_context *ctx, arena *a, const nonsens_options *options, uint64_t seed,
                                  problem *p)
{
    nonsens_simulation *s;
    TRY(nonsens_simulation_new(ctx, options, &s));
    *p = (problem){.n = s->n};
    nonsens_status status = copy_views(ctx, a, s, p);
    nonsens_simulation_free(s);
    TRY(status);
    p->parameters = mlp_parameters(&p->shape);
    ARENA_TRY(ctx, a, p->weight, NETS * p->parameters);
    return split(ctx, a, seed, p);
}

/* ---- L-BFGS on all rows ---- */

typedef struct full_batch {
    const problem *p;
    mlp_workspace work;
    float *weight, *gradient, *best;
    double best_loss;
} full_batch;

/* Returns the training loss; keeps the weights with the smallest loss on the rows for early stopping. */
static double full_loss(void *state, int64_t n, const double *x, double *gradient)
{
    full_batch *s = state;
    double rows = (double)s->p->part[0].count;
    for (int64_t i = 0; i < n; i++) {
        s->weight[i] = (float)x[i];
        s->gradient[i] = 0.0f;
    }
    double loss = mlp_loss_gradient(s->weight, &s->work, s->p->part[0], s->gradient) / rows;
    for (int64_t i = 0; i < n; i++) {
        gradient[i] = (double)s->gradient[i] / rows;
    }
    double held_out_loss = mlp_loss(s->weight, &s->work, s->p->part[1]);
    if (held_out_loss < s->best_loss) {
        s->best_loss = held_out_loss;
        memcpy(s->best, s->weight, (size_t)n * sizeof *s->best);
    }
    return loss;
}

static nonsens_status finish_by_lbfgs(nonsens_context *ctx, arena *a, const problem *p, int64_t max_iterations,
                                      float *weight)
{
    full_batch s = {.p = p, .best_loss = INFINITY};
    optimise_options options = {10, (int)max_iterations, 1e-7};
    optimise_result result;
    double *x;
    TRY(mlp_workspace_new(ctx, a, &p->shape, &s.work));
    ARENA_TRY(ctx, a, s.weight, p->parameters);
    ARENA_TRY(ctx, a, s.gradient, p->parameters);
    ARENA_TRY(ctx, a, s.best, p->parameters);
    ARENA_TRY(ctx, a, x, p->parameters);
    for (int64_t i = 0; i < p->parameters; i++) {
        x[i] = (double)weight[i];
    }
    TRY(lbfgs_minimise(ctx, a, p->parameters, x, full_loss, &s, &options, &result));
    memcpy(weight, s.best, (size_t)p->parameters * sizeof *weight);
    return NONSENS_OK;
}

/* ---- one recipe ---- */

static void start_weights(const problem *p, uint64_t seed, int64_t net, const float *from, float *weight)
{
    rng r = rng_new(seed, RNG_INIT, (uint64_t)net);
    mlp_init(&p->shape, &r, weight);
    for (int64_t i = 0; from && i < p->parameters; i++) {
        weight[i] = from[i] + 0.1f * weight[i];
    }
}

static nonsens_status train_some(nonsens_context *ctx, const problem *p, const recipe *c, uint64_t seed, int64_t from,
                                 int64_t to, const float *first)
{
    train_task task[NETS];
    train_options options = {OPTIMISER_ADAM, c->rate,     0.9,          1e-4, c->batch ? c->batch : p->part[0].count,
                             c->epochs,      c->patience, c->final_rate};
    options.epochs = first ? c->warm : options.epochs;
    for (int64_t net = from; net < to; net++) {
        task[net - from] = (train_task){.shape = p->shape,
                                        .blocks = 1,
                                        .shuffles = rng_new(seed, RNG_BATCHES, (uint64_t)net),
                                        .train = p->part[0],
                                        .validation = p->part[1],
                                        .parameters = p->weight + net * p->parameters};
        start_weights(p, seed, net, first, task[net - from].parameters);
    }
    return train_all(ctx, 1, NULL, &options, to - from, task);
}

static nonsens_status follow(nonsens_context *ctx, const problem *p, const recipe *c, uint64_t seed)
{
    TRY(train_some(ctx, p, c, seed, 0, c->warm ? 1 : NETS, NULL));
    if (c->warm) {
        TRY(train_some(ctx, p, c, seed, 1, NETS, p->weight));
    }
    for (int64_t net = 0; net < NETS && c->lbfgs; net++) {
        arena scratch = {0};
        nonsens_status status = finish_by_lbfgs(ctx, &scratch, p, c->lbfgs, p->weight + net * p->parameters);
        arena_free(&scratch);
        TRY(status);
    }
    return NONSENS_OK;
}

/* Returns the loss of the averaged logits of all networks, in nats per row. */
static double ensemble_loss(const problem *p, const double *logits)
{
    double loss = 0.0;
    int64_t classes = p->shape.classes;
    for (int64_t i = 0; i < p->part[2].count; i++) {
        int64_t row = p->part[2].row[i];
        const double *l = logits + row * classes;
        double sum = 0.0;
        for (int64_t e = 0; e < classes; e++) {
            sum += exp(l[e] / NETS);
        }
        loss += log(sum) - l[p->label[row]] / NETS;
    }
    return loss / (double)p->part[2].count;
}

/* Results of a recipe on one data set: gain of a network, gain of the ensemble, seconds per network. */
enum measure { GAIN, ENSEMBLE, SECONDS, MEASURES };

static nonsens_status try_recipe(nonsens_context *ctx, const problem *p, const recipe *c, uint64_t seed,
                                 double *measured)
{
    arena a = {0};
    mlp_workspace work;
    double *logits, before = processor_seconds(), chance = log((double)p->shape.classes), loss = 0.0;
    TRY(follow(ctx, p, c, seed));
    measured[SECONDS] = (processor_seconds() - before) / NETS;
    nonsens_status status = mlp_workspace_new(ctx, &a, &p->shape, &work);
    logits = status == NONSENS_OK ? arena_get(ctx, &a, p->n * p->shape.classes, sizeof *logits) : NULL;
    for (int64_t net = 0; net < NETS && logits; net++) {
        const float *weight = p->weight + net * p->parameters;
        loss += mlp_loss(weight, &work, p->part[2]) / (double)p->part[2].count / NETS;
        mlp_add_logits(weight, &work, p->part[2], logits);
    }
    if (logits) {
        measured[GAIN] = chance - loss;
        measured[ENSEMBLE] = chance - ensemble_loss(p, logits);
    }
    arena_free(&a);
    return status != NONSENS_OK ? status : logits ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

/* ---- program ---- */

static nonsens_status one_data_set(nonsens_context *ctx, nonsens_options *options, int64_t seed,
                                   double (*measured)[MEASURES])
{
    arena a = {0};
    problem p;
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)seed);
    TRY(nonsens_options_set(ctx, options, "seed", text));
    nonsens_status status = problem_new(ctx, &a, options, (uint64_t)seed, &p);
    for (int c = 0; c < RECIPE_COUNT && status == NONSENS_OK; c++) {
        status = try_recipe(ctx, &p, &RECIPES[c], (uint64_t)seed, measured[c]);
    }
    arena_free(&a);
    return status;
}

static void print_table(int64_t reps, double (*measured)[RECIPE_COUNT][MEASURES])
{
    printf("%-46s %-16s %-16s %s\n", "recipe", "gain of a net", "of their mean", "seconds");
    for (int c = 0; c < RECIPE_COUNT; c++) {
        summary s[MEASURES];
        for (int k = 0; k < MEASURES; k++) {
            s[k] = summary_of_every(reps, &measured[0][c][k], sizeof *measured / sizeof(double));
        }
        printf("%-46s %.4f (%.4f)  %.4f (%.4f)  %.3f\n", RECIPES[c].name, s[GAIN].mean, s[GAIN].error, s[ENSEMBLE].mean,
               s[ENSEMBLE].error, s[SECONDS].mean);
    }
}

static int64_t argument(int argc, char **argv, const char *name, int64_t otherwise)
{
    for (int i = 1; i + 1 < argc; i++) {
        if (strcmp(argv[i], name) == 0) {
            return strtoll(argv[i + 1], NULL, 10);
        }
    }
    return otherwise;
}

int main(int argc, char **argv)
{
    int64_t seed = argument(argc, argv, "--seed", 1), reps = argument(argc, argv, "--reps", 8);
    char depth[32];
    snprintf(depth, sizeof depth, "%lld", (long long)argument(argc, argv, "--depth", 3));
    nonsens_context *ctx = nonsens_context_new();
    nonsens_options *options = NULL;
    double(*measured)[RECIPE_COUNT][MEASURES] = calloc((size_t)(reps > 0 ? reps : 1), sizeof *measured);
    nonsens_status status =
        ctx && measured && reps > 0 ? nonsens_options_new(ctx, NONSENS_COMMAND_SIMULATE, &options) : NONSENS_ERR_MEMORY;
    status = status == NONSENS_OK ? nonsens_options_set(ctx, options, "depth", depth) : status;
    for (int64_t r = 0; r < reps && status == NONSENS_OK; r++) {
        status = one_data_set(ctx, options, seed + r, measured[r]);
    }
    if (status == NONSENS_OK) {
        print_table(reps, measured);
    } else {
        fprintf(stderr, "training: %s\n", ctx ? nonsens_context_message(ctx) : "out of memory");
    }
    free(measured);
    nonsens_options_free(options);
    nonsens_context_free(ctx);
    return status == NONSENS_OK ? 0 : 1;
}
