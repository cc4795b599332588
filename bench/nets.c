/*
 * nets.c - measures how fast small networks train.  Prints `bench NAME VALUE UNIT`, and `# FACT: VALUE`.
 *
 *   nets rates                     one core: milliseconds per step (loss, gradient, Adam), GFLOP/s counted as
 *                                  6 x parameters x rows, and that rate as a share of OpenBLAS's sgemm (1024 cubed)
 *   nets reference                 one core: the same step by the plain reference, and the kernel's speed-up
 *   nets cores                     sixteen equal networks on two threads and on one
 *   nets ensemble TABLE EXCHANGE   eight networks on two threads: seconds to a held-out loss; EXCHANGE is written for
 *                                  nets_torch.py
 *   nets step WIDTH BATCH STEPS    milliseconds per step, for nets_torch.py
 *
 * Times on one core are processor time, times on two cores are wall-clock time.  Each is the best of several runs: what
 * the processor can do when nothing disturbs it.  Ratios on one core are medians over pairs of consecutive runs, so
 * that both runs of a pair see the processor in the same state.
 */
#include "base/parallel.h"
#include "math/column.h"
#include "nn/mlp_reference.h"
#include "nn/tcl.h"
#include "read/table.h"

#include <cblas.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 9 };

enum { PROCESSOR = CLOCK_PROCESS_CPUTIME_ID /* of all threads together */, CLOCK = CLOCK_MONOTONIC };

static double seconds_by(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the values. */
static double median(int64_t n, double *value)
{
    qsort(value, (size_t)n, sizeof *value, by_value);
    return 0.5 * (value[(n - 1) / 2] + value[n / 2]);
}

/* ---- one network in training ---- */

typedef struct learner {
    mlp_shape shape;
    mlp_workspace work;
    mlp_rows rows;
    int64_t parameters, step;
    float *weight, *gradient, *first, *second;
    double *plain_gradient; /* gradient of the reference */
} learner;

static nonsens_status learner_new(nonsens_context *ctx, arena *a, mlp_shape shape, learner *l)
{
    *l = (learner){.shape = shape, .parameters = mlp_parameters(&shape)};
    ARENA_TRY(ctx, a, l->weight, l->parameters);
    ARENA_TRY(ctx, a, l->gradient, l->parameters);
    ARENA_TRY(ctx, a, l->first, l->parameters);
    ARENA_TRY(ctx, a, l->second, l->parameters);
    ARENA_TRY(ctx, a, l->plain_gradient, l->parameters);
    return mlp_workspace_new(ctx, a, &shape, &l->work);
}

/* Draws rows whose spread depends on their class. */
static nonsens_status draw_rows(nonsens_context *ctx, arena *a, mlp_shape shape, int64_t n, mlp_rows *rows)
{
    float *x;
    int32_t *label;
    rng r = rng_new(1, RNG_TEST, 1);
    ARENA_TRY(ctx, a, x, n * shape.inputs);
    ARENA_TRY(ctx, a, label, n);
    for (int64_t i = 0; i < n; i++) {
        label[i] = (int32_t)(i % shape.classes);
        for (int64_t k = 0; k < shape.inputs; k++) {
            x[k * n + i] = (float)((1.0 + 0.3 * (double)label[i]) * rng_normal(&r));
        }
    }
    *rows = (mlp_rows){x, n, NULL, n, label};
    return NONSENS_OK;
}

/* Makes a network with initial weights and `batch` rows, which form one batch. */
static nonsens_status learner_drawn(nonsens_context *ctx, arena *a, mlp_shape shape, int64_t batch, learner *l)
{
    rng r = rng_new(1, RNG_TEST, 2);
    TRY(learner_new(ctx, a, shape, l));
    mlp_init(&shape, &r, l->weight);
    return draw_rows(ctx, a, shape, batch, &l->rows);
}

/* Takes one step of Adam along l->gradient, with the settings of src/nn/train.c. */
static void move(learner *l, int64_t rows, double rate, double decay)
{
    double k = (double)++l->step, correct1 = 1.0 / (1.0 - pow(0.9, k)), correct2 = 1.0 / (1.0 - pow(0.999, k));
    nn_kernel_adam adam = {
        0.9f, 0.999f, (float)correct1, (float)correct2, (float)rate, (float)(rate * decay), 1e-8f, 1.0f / (float)rows};
    l->work.kernel->adam(l->parameters, &adam, l->gradient, l->first, l->second, l->weight);
}

static void learn(learner *l, mlp_rows rows, double rate, double decay)
{
    memset(l->gradient, 0, (size_t)l->parameters * sizeof *l->gradient);
    mlp_loss_gradient(l->weight, &l->work, rows, l->gradient);
    move(l, rows.count, rate, decay);
}

static void kernel_step(learner *l)
{
    learn(l, l->rows, 1e-3, 0.0);
}

/* Takes one step: loss and gradient from the reference, Adam from the kernel. */
static void reference_step(learner *l)
{
    memset(l->plain_gradient, 0, (size_t)l->parameters * sizeof *l->plain_gradient);
    mlp_reference(&l->shape, 1, l->weight, l->rows, l->plain_gradient, NULL);
    for (int64_t i = 0; i < l->parameters; i++) {
        l->gradient[i] = (float)l->plain_gradient[i];
    }
    move(l, l->rows.count, 1e-3, 0.0);
}

static double seconds_of(void (*step)(learner *), learner *l, int64_t steps)
{
    double start = seconds_by(PROCESSOR);
    for (int64_t s = 0; s < steps; s++) {
        step(l);
    }
    return seconds_by(PROCESSOR) - start;
}

/* Returns how many steps (a power of two) take at least this long. */
static int64_t steps_for(void (*step)(learner *), learner *l, double seconds)
{
    int64_t steps = 1;
    while (seconds_of(step, l, steps) < seconds) {
        steps *= 2;
    }
    return steps;
}

/* ---- rates on one core ---- */

enum { GEMM = 1024 };

/* Returns the GFLOP/s of one sgemm. */
static double gemm_rate(float *matrices)
{
    const int64_t size = GEMM * GEMM;
    double start = seconds_by(PROCESSOR);
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, GEMM, GEMM, GEMM, 1.0f, matrices, GEMM, matrices + size,
                GEMM, 0.0f, matrices + 2 * size, GEMM);
    return 2e-9 * GEMM * (double)size / (seconds_by(PROCESSOR) - start);
}

static mlp_shape timed_shape(int64_t width)
{
    return (mlp_shape){2, 3, width, 2, 10, ACTIVATION_LEAKY_RELU, LAST_LINEAR};
}

static nonsens_status measure_rate(nonsens_context *ctx, arena *memory, float *matrices, int64_t width, int64_t batch)
{
    learner l;
    double best = INFINITY, share[RUNS];
    TRY(learner_drawn(ctx, memory, timed_shape(width), batch, &l));
    double giga = 6e-9 * (double)l.parameters * (double)batch;
    int64_t steps = steps_for(kernel_step, &l, 0.03);
    for (int run = 0; run < RUNS; run++) {
        double gemm = gemm_rate(matrices), seconds = seconds_of(kernel_step, &l, steps) / (double)steps;
        best = fmin(best, seconds);
        share[run] = giga / seconds / fmax(gemm, gemm_rate(matrices));
    }
    char name[64];
    snprintf(name, sizeof name, "nets.width%d.batch%d", (int)width, (int)batch);
    printf("bench %s.step %.4f ms\n", name, 1e3 * best);
    printf("bench %s.rate %.2f GFLOP/s\n", name, giga / best);
    printf("bench %s.share %.3f of-sgemm\n", name, median(RUNS, share));
    return NONSENS_OK;
}

static nonsens_status measure_rates(nonsens_context *ctx, arena *memory)
{
    static const int64_t width[] = {16, 32, 64, 128}, batch[] = {256, 512, 5120};
    const nn_kernel *chosen;
    float *matrices;
    double best = 0.0;
    TRY(kernel_choose(ctx, &chosen));
    ARENA_TRY(ctx, memory, matrices, 3 * GEMM * GEMM); /* two factors and room for their product */
    for (int64_t i = 0; i < 2 * GEMM * GEMM; i++) {
        matrices[i] = (float)(i % 17) * 0.1f;
    }
    printf("# kernel: %s\n# openblas: %s\n", chosen->name, openblas_get_config());
    for (int run = 0; run < RUNS; run++) {
        best = fmax(best, gemm_rate(matrices));
    }
    printf("bench nets.sgemm.rate %.2f GFLOP/s\n", best);
    for (int w = 0; w < 4; w++) {
        for (int b = 0; b < 3; b++) {
            TRY(measure_rate(ctx, memory, matrices, width[w], batch[b]));
        }
    }
    return NONSENS_OK;
}

static nonsens_status measure_step(nonsens_context *ctx, arena *memory, int64_t width, int64_t batch, int64_t steps)
{
    learner l;
    TRY(learner_drawn(ctx, memory, timed_shape(width), batch, &l));
    seconds_of(kernel_step, &l, steps);
    printf("%.6f\n", 1e3 * seconds_of(kernel_step, &l, steps) / (double)steps);
    return NONSENS_OK;
}

/* ---- against the plain reference ---- */

typedef struct versus {
    double step;  /* best seconds of the reference */
    double ratio; /* median of reference / kernel */
} versus;

static nonsens_status compare(nonsens_context *ctx, mlp_shape shape, int64_t batch, versus *out)
{
    arena memory = {0};
    learner l;
    double ratio[RUNS];
    nonsens_status status = learner_drawn(ctx, &memory, shape, batch, &l);
    *out = (versus){INFINITY, 0.0};
    if (status == NONSENS_OK) {
        int64_t fast = steps_for(kernel_step, &l, 1e-3), slow = steps_for(reference_step, &l, 1e-3);
        for (int run = 0; run < RUNS; run++) {
            double quick = seconds_of(kernel_step, &l, fast) / (double)fast;
            double plain = seconds_of(reference_step, &l, slow) / (double)slow;
            out->step = fmin(out->step, plain);
            ratio[run] = plain / quick;
        }
        out->ratio = median(RUNS, ratio);
    }
    arena_free(&memory);
    return status;
}

static void name_shape(mlp_shape s, int64_t batch, size_t bytes, char *name)
{
    static const char *const activation[] = {"leaky", "maxout", "tanh"}, *const last[] = {"linear", "abs", "smooth"};
    snprintf(name, bytes, "%d-%dx%d-%d-%d.%s.%s.batch%d", (int)s.inputs, (int)s.layers, (int)s.width, (int)s.features,
             (int)s.classes, activation[s.activation], last[s.last], (int)batch);
}

static nonsens_status show_some_shapes(nonsens_context *ctx, int64_t batch)
{
    static const mlp_shape some[] = {{1, 0, 1, 1, 2, 0, 0},   {2, 0, 1, 2, 10, 0, 0}, {2, 1, 1, 2, 2, 0, 0},
                                     {2, 1, 2, 2, 2, 0, 0},   {2, 3, 4, 2, 10, 0, 0}, {2, 3, 8, 2, 10, 0, 0},
                                     {2, 3, 32, 2, 10, 0, 0}, {2, 3, 64, 2, 10, 0, 0}};
    for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
        char name[96];
        versus v;
        TRY(compare(ctx, some[k], batch, &v));
        name_shape(some[k], batch, sizeof name, name);
        printf("bench nets.reference.%s.step %.5f ms\n", name, 1e3 * v.step);
        printf("bench nets.reference.%s.ratio %.2f x\n", name, v.ratio);
    }
    return NONSENS_OK;
}

/* Widths 1 to 8, zero to three layers, few inputs and classes; then all activations and last layers. */
enum { SMALL_SHAPES = 8 * 9 + 9 };

static mlp_shape small_shape(int k)
{
    static const int64_t layers[] = {0, 1, 3}, classes[] = {2, 3, 10};
    int64_t width = 1 + k / 9, row = k / 3 % 3, column = k % 3;
    if (width > 8) {
        return (mlp_shape){2, 2, 3, 2, 5, (enum option_activation)row, (enum option_last_layer)column};
    }
    return (mlp_shape){1 + width % 2, layers[row], width, 1 + width / 2 % 2, classes[column], 0, 0};
}

static nonsens_status smallest_ratio(nonsens_context *ctx, int64_t batch)
{
    double smallest = INFINITY;
    char name[96];
    for (int k = 0; k < SMALL_SHAPES; k++) {
        versus v;
        TRY(compare(ctx, small_shape(k), batch, &v));
        if (v.ratio < smallest) {
            smallest = v.ratio;
            name_shape(small_shape(k), batch, sizeof name, name);
        }
    }
    printf("# smallest ratio of %d shapes at batch %d: %s\n", SMALL_SHAPES, (int)batch, name);
    printf("bench nets.reference.batch%d.smallest-ratio %.2f x\n", (int)batch, smallest);
    return NONSENS_OK;
}

static nonsens_status measure_reference(nonsens_context *ctx)
{
    static const int64_t batch[] = {1, 4, 16, 256};
    TRY(show_some_shapes(ctx, 256));
    for (int b = 0; b < 4; b++) {
        TRY(smallest_ratio(ctx, batch[b]));
    }
    return NONSENS_OK;
}

/* ---- many networks on two cores ---- */

/* Times of a run on several threads; `processor` counts all of them. */
typedef struct duration {
    double clock, processor;
} duration;

static duration duration_now(void)
{
    return (duration){seconds_by(CLOCK), seconds_by(PROCESSOR)};
}

static void keep_shorter(duration *best, duration start)
{
    duration now = duration_now();
    best->clock = fmin(best->clock, now.clock - start.clock);
    best->processor = fmin(best->processor, now.processor - start.processor);
}

static void start_net(const mlp_shape *shape, int64_t net, float *weight)
{
    rng init = rng_new(1, RNG_INIT, (uint64_t)net);
    mlp_init(shape, &init, weight);
}

/* Trains networks of one shape from their initial weights by the library; fills in `task`. */
static nonsens_status train_nets(nonsens_context *ctx, int threads, const train_options *options, train_task model,
                                 int64_t nets, train_task *task, duration *best)
{
    arena memory = {0};
    float *weight = arena_get(ctx, &memory, nets * mlp_parameters(&model.shape), sizeof *weight);
    for (int64_t net = 0; weight && net < nets; net++) {
        task[net] = model;
        task[net].blocks = 1;
        task[net].shuffles = rng_new(1, RNG_BATCHES, (uint64_t)net);
        task[net].parameters = weight + net * mlp_parameters(&model.shape);
        start_net(&model.shape, net, task[net].parameters);
    }
    duration start = duration_now();
    nonsens_status status = weight ? train_all(ctx, threads, NULL, options, nets, task) : NONSENS_ERR_MEMORY;
    keep_shorter(best, start);
    arena_free(&memory);
    return status;
}

/*
 * `speedup` is wall-clock time, so it needs two idle cores.  `speedup-undisturbed` is what processor time allows if the
 * networks are shared evenly: it includes the cost of threads slowing one another, but not that of other processes.
 */
static nonsens_status measure_cores(nonsens_context *ctx, arena *memory)
{
    enum { NETS = 16, ROWS = 4096 };
    train_options options = {OPTIMISER_ADAM, 1e-3, 0.9, 0.0, .batch = 256, .epochs = 3, .patience = 3};
    train_task task[NETS], model = {.shape = timed_shape(32)};
    duration one = {INFINITY, INFINITY}, two = one;
    TRY(draw_rows(ctx, memory, model.shape, ROWS, &model.train));
    for (int run = 0; run < 5 * RUNS; run++) { /* many short ones: some should find both cores idle */
        TRY(train_nets(ctx, 1, &options, model, NETS, task, &one));
        TRY(train_nets(ctx, 2, &options, model, NETS, task, &two));
    }
    printf("bench nets.cores.one %.4f s\nbench nets.cores.two %.4f s\n", one.clock, two.clock);
    printf("bench nets.cores.speedup %.3f x\n", one.clock / two.clock);
    printf("bench nets.cores.speedup-undisturbed %.3f x\n", 2.0 * one.processor / two.processor);
    return NONSENS_OK;
}

/* ---- an ensemble to a held-out loss ---- */

enum { MEMBERS = 8 };

typedef struct ensemble {
    mlp_shape shape;
    train_options options;
    mlp_rows train, held_out;
    int64_t epochs; /* to run at most; the learning rate schedule assumes options.epochs */
    double *loss;   /* (MEMBERS, options.epochs) the lowest held-out loss after each epoch, nats per row */
} ensemble;

/* Reads the table: columns are standardised, every fifth row is held out. */
static nonsens_status read_rows(nonsens_context *ctx, arena *a, const char *path, ensemble *e)
{
    table t;
    float *x;
    double *z;
    int64_t *train_row, *held_row;
    TRY(table_read(ctx, a, path, &(table_options){.label = "segment"}, &t));
    const table_column *segment = &t.column[table_find(&t, "segment")];
    ARENA_TRY(ctx, a, x, 2 * t.rows);
    ARENA_TRY(ctx, a, z, t.rows);
    ARENA_TRY(ctx, a, train_row, t.rows);
    ARENA_TRY(ctx, a, held_row, t.rows);
    for (int64_t j = 0; j < 2; j++) {
        column_standardise(t.rows, t.column[j].value, z);
        for (int64_t i = 0; i < t.rows; i++) {
            x[j * t.rows + i] = (float)z[i];
        }
    }
    e->train = (mlp_rows){x, t.rows, train_row, 0, segment->category};
    e->held_out = (mlp_rows){x, t.rows, held_row, 0, segment->category};
    for (int64_t i = 0; i < t.rows; i++) {
        if (i % 5 == 4) {
            held_row[e->held_out.count++] = i;
        } else {
            train_row[e->train.count++] = i;
        }
    }
    e->shape.inputs = 2;
    e->shape.classes = segment->label_count;
    return NONSENS_OK;
}

/* Sets up an ensemble with the library's default options. */
static nonsens_status ensemble_new(nonsens_context *ctx, arena *a, const char *path, ensemble *e)
{
    nonsens_options *options;
    tcl_options tcl;
    TRY(nonsens_options_new(ctx, NONSENS_COMMAND_DIRECTION, &options));
    tcl_options_from(options, 2, &tcl);
    nonsens_options_free(options);
    *e = (ensemble){.shape = tcl.shape, .options = tcl.train, .epochs = tcl.train.epochs};
    e->shape.features = 2;
    TRY(read_rows(ctx, a, path, e));
    ARENA_TRY(ctx, a, e->loss, MEMBERS * e->options.epochs);
    return NONSENS_OK;
}

static double *loss_after(const ensemble *e, int64_t net, int64_t epochs)
{
    return e->loss + net * e->options.epochs + epochs - 1;
}

static void learn_epoch(learner *l, const ensemble *e, int64_t *order, rng *shuffles)
{
    int64_t batches = (e->train.count + e->options.batch / 2) / e->options.batch;
    rng_shuffle(shuffles, e->train.count, order);
    for (int64_t b = 0; b < batches; b++) {
        int64_t from = e->train.count * b / batches, to = e->train.count * (b + 1) / batches;
        mlp_rows batch = {e->train.x, e->train.n, order + from, to - from, e->train.label};
        double cosine = cos(3.14159265358979323846 * (double)l->step / (double)(batches * e->options.epochs));
        learn(l, batch, e->options.learning_rate * (0.01 + 0.99 * 0.5 * (1.0 + cosine)), e->options.weight_decay);
    }
}

/*
 * Trains one network as train_all does, but stops after e->epochs and keeps the loss of every epoch.  If a network
 * stops early, its last loss fills the remaining epochs.
 */
static nonsens_status train_member(nonsens_context *ctx, arena *scratch, int64_t net, void *state)
{
    ensemble *e = state;
    learner l;
    int64_t *order, best_epoch = 0;
    double best = INFINITY;
    rng shuffles = rng_new(1, RNG_BATCHES, (uint64_t)net);
    TRY(learner_new(ctx, scratch, e->shape, &l));
    ARENA_TRY(ctx, scratch, order, e->train.count);
    start_net(&e->shape, net, l.weight);
    memcpy(order, e->train.row, (size_t)e->train.count * sizeof *order);
    for (int64_t epoch = 0; epoch < e->epochs; epoch++) {
        if (epoch - best_epoch <= e->options.patience) {
            learn_epoch(&l, e, order, &shuffles);
            double loss = mlp_loss(l.weight, &l.work, e->held_out) / (double)e->held_out.count;
            best_epoch = loss < best ? epoch : best_epoch;
            best = fmin(best, loss);
        }
        *loss_after(e, net, epoch + 1) = best;
    }
    return NONSENS_OK;
}

static nonsens_status ensemble_run(nonsens_context *ctx, ensemble *e, duration *best)
{
    duration start = duration_now();
    TRY(parallel_for(ctx, 2, MEMBERS, NULL, train_member, e));
    keep_shorter(best, start);
    return NONSENS_OK;
}

static double mean_loss(const ensemble *e, int64_t epochs)
{
    double sum = 0.0;
    for (int64_t net = 0; net < MEMBERS; net++) {
        sum += *loss_after(e, net, epochs);
    }
    return sum / MEMBERS;
}

/* Trains by the library from the same initial weights; fails unless the losses equal those of ensemble_run exactly. */
static nonsens_status check_against_library(nonsens_context *ctx, const ensemble *e, duration *best)
{
    train_task task[MEMBERS], model = {.shape = e->shape, .train = e->train, .validation = e->held_out};
    TRY(train_nets(ctx, 2, &e->options, model, MEMBERS, task, best));
    for (int64_t net = 0; net < MEMBERS; net++) {
        if (task[net].report.validation_loss != *loss_after(e, net, e->epochs)) {
            return fail(ctx, NONSENS_ERR_NUMERIC, "network %d is not trained as by train_all", (int)net);
        }
    }
    return NONSENS_OK;
}

/* Writes what nets_torch.py needs: a line of settings, then a line of initial weights per network. */
static nonsens_status write_exchange(nonsens_context *ctx, arena *a, const char *path, const ensemble *e, double target,
                                     duration best)
{
    const train_options *o = &e->options;
    int64_t parameters = mlp_parameters(&e->shape);
    float *weight;
    ARENA_TRY(ctx, a, weight, parameters);
    FILE *file = fopen(path, "w");
    if (!file) {
        return fail(ctx, NONSENS_ERR_OUTPUT, "%s: cannot be written", path);
    }
    fprintf(file, "target=%.9g clock=%.9g processor=%.9g layers=%d width=%d", target, best.clock, best.processor,
            (int)e->shape.layers, (int)e->shape.width);
    fprintf(file, " batch=%d epochs=%d patience=%d learning_rate=%.9g weight_decay=%.9g\n", (int)o->batch,
            (int)o->epochs, (int)o->patience, o->learning_rate, o->weight_decay);
    for (int64_t k = 0; k < MEMBERS * parameters; k++) {
        if (k % parameters == 0) {
            start_net(&e->shape, k / parameters, weight);
        }
        fprintf(file, "%.9g%c", (double)weight[k % parameters], (k + 1) % parameters ? ' ' : '\n');
    }
    return fclose(file) == 0 ? NONSENS_OK : fail(ctx, NONSENS_ERR_OUTPUT, "%s: cannot be written", path);
}

/*
 * The target is one per cent above the mean, over the networks, of the lowest held-out losses of complete training.
 * The time is that of training all networks from their initial weights, with an evaluation of the held-out rows after
 * every epoch, for as many epochs as that mean needs to reach the target.
 */
static nonsens_status measure_ensemble(nonsens_context *ctx, arena *a, const char *table_path, const char *exchange)
{
    ensemble e;
    duration best = {INFINITY, INFINITY}, complete = best;
    TRY(ensemble_new(ctx, a, table_path, &e));
    TRY(ensemble_run(ctx, &e, &complete));
    TRY(check_against_library(ctx, &e, &complete));
    double final = mean_loss(&e, e.epochs), target = 1.01 * final;
    for (e.epochs = 1; mean_loss(&e, e.epochs) > target;) {
        e.epochs++;
    }
    for (int run = 0; run < RUNS; run++) {
        TRY(ensemble_run(ctx, &e, &best));
    }
    printf("bench nets.ensemble.final-loss %.4f nats\nbench nets.ensemble.complete %.3f s\n", final, complete.clock);
    printf("bench nets.ensemble.epochs %d epochs\nbench nets.ensemble.seconds %.4f s\n", (int)e.epochs, best.clock);
    return write_exchange(ctx, a, exchange, &e, target, best);
}

/* ---- */

static nonsens_status measure(nonsens_context *ctx, arena *memory, int count, char **argument)
{
    const char *what = count > 1 ? argument[1] : "";
    if (strcmp(what, "rates") == 0) {
        return measure_rates(ctx, memory);
    }
    if (strcmp(what, "reference") == 0) {
        return measure_reference(ctx);
    }
    if (strcmp(what, "cores") == 0) {
        return measure_cores(ctx, memory);
    }
    if (strcmp(what, "ensemble") == 0 && count == 4) {
        return measure_ensemble(ctx, memory, argument[2], argument[3]);
    }
    if (strcmp(what, "step") == 0 && count == 5) {
        return measure_step(ctx, memory, atol(argument[2]), atol(argument[3]), atol(argument[4]));
    }
    return fail(ctx, NONSENS_ERR_USAGE, "rates, reference, cores, ensemble TABLE EXCHANGE, or step WIDTH BATCH STEPS");
}

int main(int count, char **argument)
{
    arena memory = {0};
    nonsens_context *ctx = nonsens_context_new();
    nonsens_status status = ctx ? measure(ctx, &memory, count, argument) : NONSENS_ERR_MEMORY;
    if (status != NONSENS_OK) {
        fprintf(stderr, "nets: %s\n", ctx ? nonsens_context_message(ctx) : "no memory");
    }
    arena_free(&memory);
    nonsens_context_free(ctx);
    return status == NONSENS_OK ? 0 : 1;
}
