/*
 * pairs.c - measures how often the methods that need no segments find the true direction of a pair.
 *
 *     pairs [--data DIR] [--cells PATTERN] [--rows N] [--reps R] [--seed FIRST] [--threads T] [--out FILE.csv]
 *
 * Without --data: simulated sets, R data sets each (default 100) of N rows (default 1,000), seeds FIRST + r.
 *
 *     linear          y = b x + e, |b| in [.5, 1.5]; x and e Laplace, uniform or exponential, sd of e in [.5, 1.5]
 *     gaussian        the same with Gaussian x and e: the direction cannot be identified
 *     additive        y = f(x) + e; x uniform, normal or a mixture of two normals; f a cubic or a sum of 2 to 4 tanh;
 *                     e Gaussian or uniform, its sd in [.2, .6] of that of f
 *     small-noise     the same, sd in [.1, .3]
 *     monotone        the same, sd in [.1, .3], f increasing
 *     multiplicative  y = f(x) (1 + e), sd of e in [.5, .9]
 *
 * With --data: a folder of files pairNNNN.txt with columns separated by blanks, and either pairmeta.txt (lines NNNN c1
 * c2 e1 e2 weight, columns of cause and effect counted from 1) or index.csv (with a header; the columns include pair,
 * c1, e1, w).  Pairs of vectors are left out; all rows are used.
 *
 * Prints, per method and set: the number of pairs, the share whose better direction is correct (a pair without one
 * counts half), the same weighted with its standard error, the share decided, and the share decided correctly.
 */
#include "harness/request.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "methods/shared/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 100, ROWS = 1000, MAX_PAIRS = 200, LINE_BYTES = 1024, PATH_BYTES = 1200, FIELDS = 32, TERMS = 4 };

/* ---- methods ---- */

typedef struct contender {
    const char *name, *method, *regression;
} contender;

static const contender contenders[] = {
    {"lingam", "lingam", "gp"},
    {"resit", "resit", "gp"},
    {"reci", "reci", "gp"},
    {"reci-polynomial", "reci", "polynomial"},
};
enum { CONTENDERS = sizeof contenders / sizeof *contenders };

/* Columns of one pair: the cause first, or second if `reversed`. */
typedef struct pair {
    int64_t n;
    double *cause, *effect; /* (n) */
    double weight;
    bool reversed;
} pair;

typedef struct outcome {
    double correct; /* 1 if the better direction is correct, 0 if not, .5 if there is none */
    bool decided, decided_correctly;
} outcome;

static nonsens_status set_options(nonsens_context *ctx, const contender *c, nonsens_options *options)
{
    TRY(nonsens_options_set(ctx, options, "method", c->method));
    TRY(nonsens_options_set(ctx, options, "regression", c->regression));
    return nonsens_options_set(ctx, options, "threads", "1");
}

static outcome judge(const nonsens_result *result, bool reversed)
{
    enum result_better truth = reversed ? BETTER_SECOND : BETTER_FIRST;
    enum result_decision decision = reversed ? DECISION_SECOND_CAUSES : DECISION_FIRST_CAUSES;
    outcome o = {.correct = result->better == BETTER_NONE ? 0.5 : result->better == truth ? 1.0 : 0.0};
    o.decided_correctly = result->decision == decision;
    o.decided =
        o.decided_correctly || result->decision == DECISION_FIRST_CAUSES || result->decision == DECISION_SECOND_CAUSES;
    return o;
}

static nonsens_status run_contender(nonsens_context *ctx, const contender *c, const nonsens_data *data, bool reversed,
                                    outcome *out)
{
    nonsens_options *options;
    nonsens_result *result = NULL;
    TRY(nonsens_options_new(ctx, NONSENS_COMMAND_DIRECTION, &options));
    nonsens_status status = set_options(ctx, c, options);
    if (status == NONSENS_OK) {
        status = nonsens_run_direction(ctx, data, options, &result);
    }
    if (status == NONSENS_OK) {
        *out = judge(result, reversed);
    }
    nonsens_result_free(result);
    nonsens_options_free(options);
    return status;
}

static nonsens_status run_contenders(nonsens_context *ctx, arena *scratch, const pair *p, outcome *out)
{
    static const char *const names[] = {"a", "b"};
    nonsens_data *data;
    double *values;
    ARENA_TRY(ctx, scratch, values, 2 * p->n);
    memcpy(values, p->reversed ? p->effect : p->cause, (size_t)p->n * sizeof *values);
    memcpy(values + p->n, p->reversed ? p->cause : p->effect, (size_t)p->n * sizeof *values);
    TRY(nonsens_data_from_arrays(ctx, p->n, 2, values, 1, p->n, names, NULL, &data));
    nonsens_status status = NONSENS_OK;
    for (int c = 0; c < CONTENDERS && status == NONSENS_OK; c++) {
        status = run_contender(ctx, &contenders[c], data, p->reversed, &out[c]);
    }
    nonsens_data_free(data);
    return status;
}

/* ---- simulated pairs ---- */

enum pair_shape { LINEAR, GAUSSIAN, ADDITIVE, SMALL_NOISE, MONOTONE, MULTIPLICATIVE, SHAPES };
static const char *const shape_names[SHAPES] = {"linear",      "gaussian", "additive",
                                                "small-noise", "monotone", "multiplicative"};
static const range noise_of_shape[SHAPES] = {{0.5, 1.5}, {0.5, 1.5}, {0.2, 0.6}, {0.1, 0.3}, {0.1, 0.3}, {0.5, 0.9}};

enum law { LAW_LAPLACE, LAW_UNIFORM, LAW_EXPONENTIAL, LAW_NORMAL, LAW_MIXTURE };

static double between(rng *r, double lo, double hi)
{
    return lo + (hi - lo) * rng_uniform(r);
}

static double random_sign(rng *r)
{
    return rng_below(r, 2) ? 1.0 : -1.0;
}

/* Draws with mean 0 and variance 1, except for the mixture, whose components are centred at +-`apart`. */
static double draw(rng *r, enum law law, double apart)
{
    switch (law) {
    case LAW_LAPLACE:
        return rng_laplace(r) / sqrt(2.0);
    case LAW_UNIFORM:
        return between(r, -1.0, 1.0) * sqrt(3.0);
    case LAW_EXPONENTIAL:
        return -log(rng_uniform(r)) - 1.0;
    case LAW_NORMAL:
        return rng_normal(r);
    case LAW_MIXTURE:
        return random_sign(r) * apart + 0.6 * rng_normal(r);
    }
    return 0.0;
}

typedef struct mechanism {
    bool cubic;
    int terms;
    double height[TERMS], steepness[TERMS], centre[TERMS];
} mechanism;

static mechanism draw_mechanism(rng *r, bool monotone)
{
    mechanism m = {.cubic = rng_below(r, 2), .terms = 2 + (int)rng_below(r, 3)};
    for (int k = 0; k < TERMS; k++) {
        m.height[k] = between(r, 0.5, 1.5) * (monotone ? 1.0 : random_sign(r));
        m.steepness[k] = between(r, 1.0, 3.0);
        m.centre[k] = between(r, -1.5, 1.5);
    }
    return m;
}

static double apply(const mechanism *m, bool monotone, double x)
{
    if (m->cubic) {
        return x * (0.5 * m->height[0] * x * x + (monotone ? 0.3 : 0.7 * m->height[1] * x + 0.7 * m->height[2]));
    }
    double sum = 0.0;
    for (int k = 0; k < m->terms; k++) {
        sum += m->height[k] * tanh(m->steepness[k] * (x - m->centre[k]));
    }
    return sum;
}

static double standard_deviation(int64_t n, const double *v)
{
    double mean = 0.0, square = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean += v[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        square += (v[i] - mean) * (v[i] - mean) / (double)n;
    }
    return sqrt(square);
}

static void simulate_line(rng *r, enum pair_shape shape, pair *p)
{
    enum law law[2] = {LAW_NORMAL, LAW_NORMAL};
    for (int k = 0; k < 2 && shape == LINEAR; k++) {
        law[k] = (enum law)rng_below(r, 3);
    }
    double slope = between(r, 0.5, 1.5) * random_sign(r);
    double sd = between(r, noise_of_shape[shape].lo, noise_of_shape[shape].hi);
    for (int64_t i = 0; i < p->n; i++) {
        p->cause[i] = draw(r, law[0], 0.0);
        p->effect[i] = slope * p->cause[i] + sd * draw(r, law[1], 0.0);
    }
}

static void simulate_curve(rng *r, enum pair_shape shape, pair *p)
{
    static const enum law causes[] = {LAW_UNIFORM, LAW_NORMAL, LAW_MIXTURE}, noises[] = {LAW_NORMAL, LAW_UNIFORM};
    bool monotone = shape == MONOTONE;
    mechanism m = draw_mechanism(r, monotone);
    enum law law = causes[rng_below(r, 3)], noise = noises[rng_below(r, 2)];
    double apart = between(r, 0.5, 1.5), sd = between(r, noise_of_shape[shape].lo, noise_of_shape[shape].hi);
    for (int64_t i = 0; i < p->n; i++) {
        p->cause[i] = draw(r, law, apart);
        p->effect[i] = apply(&m, monotone, p->cause[i]);
    }
    double scale = sd * standard_deviation(p->n, p->effect);
    for (int64_t i = 0; i < p->n; i++) {
        double e = draw(r, noise, 0.0);
        p->effect[i] = shape == MULTIPLICATIVE ? p->effect[i] * (1.0 + sd * e) : p->effect[i] + scale * e;
    }
}

static void simulate(uint64_t seed, enum pair_shape shape, pair *p)
{
    rng r = rng_new(seed, RNG_EXPERIMENT, (uint64_t)shape);
    p->reversed = rng_below(&r, 2);
    p->weight = 1.0;
    (shape == LINEAR || shape == GAUSSIAN ? simulate_line : simulate_curve)(&r, shape, p);
}

/* ---- sets ---- */

typedef struct pair_set {
    const char *name;
    int64_t count;
    pair *stored;          /* (count) pairs from files; NULL: simulated */
    enum pair_shape shape; /* shape of simulated pairs */
    int64_t rows;
    uint64_t first_seed;
    double *weight;   /* (count) */
    outcome *outcome; /* (count, CONTENDERS) */
} pair_set;

static nonsens_status run_pair(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const pair_set *s = state;
    pair p = {.n = s->rows};
    if (s->stored) {
        p = s->stored[job];
    } else {
        ARENA_TRY(ctx, scratch, p.cause, p.n);
        ARENA_TRY(ctx, scratch, p.effect, p.n);
        simulate(s->first_seed + (uint64_t)job, s->shape, &p);
    }
    s->weight[job] = p.weight;
    return run_contenders(ctx, scratch, &p, s->outcome + job * CONTENDERS);
}

static void print_line(request *q, const pair_set *s, int c)
{
    double weight = 0.0, correct = 0.0, weighted = 0.0, error = 0.0, decided = 0.0, decided_correctly = 0.0,
           n = (double)s->count;
    for (int64_t i = 0; i < s->count; i++) {
        const outcome *o = &s->outcome[i * CONTENDERS + c];
        weight += s->weight[i];
        correct += o->correct / n;
        weighted += s->weight[i] * o->correct;
        decided += o->decided / n;
        decided_correctly += o->decided_correctly / n;
    }
    weighted /= weight;
    for (int64_t i = 0; i < s->count; i++) {
        error += pow(s->weight[i] * (s->outcome[i * CONTENDERS + c].correct - weighted), 2);
    }
    error = sqrt(error) / weight;
    printf("accuracy %s %s reps=%" PRId64 " right=%.3f weighted=%.3f se=%.3f decided=%.3f decided_rightly=%.3f\n",
           contenders[c].name, s->name, s->count, correct, weighted, error, decided, decided_correctly);
    fflush(stdout);
    const double shown[] = {correct, weighted, error, decided, decided_correctly};
    table_text(&q->table, contenders[c].name);
    table_text(&q->table, s->name);
    table_whole(&q->table, s->count);
    for (size_t k = 0; k < sizeof shown / sizeof *shown; k++) {
        table_fixed(&q->table, shown[k], 4);
    }
    table_end_row(&q->table);
}

static nonsens_status run_set(nonsens_context *ctx, request *q, pair_set *s)
{
    arena a = {0};
    s->weight = arena_get(ctx, &a, s->count, sizeof *s->weight);
    s->outcome = arena_get(ctx, &a, s->count * CONTENDERS, sizeof *s->outcome);
    nonsens_status status =
        s->weight && s->outcome ? parallel_for(ctx, q->threads, s->count, NULL, run_pair, s) : NONSENS_ERR_MEMORY;
    for (int c = 0; c < CONTENDERS && status == NONSENS_OK; c++) {
        print_line(q, s, c);
    }
    q->done++;
    arena_free(&a);
    return status;
}

static nonsens_status run_simulated(nonsens_context *ctx, request *q)
{
    for (int shape = 0; shape < SHAPES; shape++) {
        pair_set s = {.name = shape_names[shape],
                      .count = q->reps ? q->reps : REPETITIONS,
                      .shape = (enum pair_shape)shape,
                      .rows = q->rows ? q->rows : ROWS,
                      .first_seed = q->first_seed};
        if (study_is_named(q->cells, s.name)) {
            TRY(run_set(ctx, q, &s));
        }
    }
    return NONSENS_OK;
}

/* ---- pairs in files ---- */

static const char *folder;

/* A line of pairmeta.txt or index.csv. */
typedef struct entry {
    int number, cause, effect, cause_last, effect_last;
    double weight;
} entry;

static int split(char *line, const char *marks, char *field[FIELDS])
{
    int count = 0;
    for (char *at = strtok(line, marks); at && count < FIELDS; at = strtok(NULL, marks)) {
        field[count++] = at;
    }
    return count;
}

static entry entry_at(char *field[FIELDS], const int column[6])
{
    int value[5];
    for (int k = 0; k < 5; k++) {
        value[k] = (int)strtol(field[column[k]], NULL, 10);
    }
    return (entry){value[0], value[1], value[3], value[2], value[4], strtod(field[column[5]], NULL)};
}

/* Reads the lines; pairmeta.txt has fixed columns, index.csv names them in its first line. */
static int64_t read_entries(FILE *f, bool named, entry out[MAX_PAIRS])
{
    static const char *const wanted[6] = {"pair", "c1", "c2", "e1", "e2", "w"};
    char line[LINE_BYTES], *field[FIELDS];
    int column[6] = {0, 1, 2, 3, 4, 5};
    int64_t count = 0;
    if (named && fgets(line, sizeof line, f)) {
        int fields = split(line, ",\r\n", field);
        for (int k = 0; k < 6; k++) {
            for (column[k] = 0; column[k] < fields && strcmp(field[column[k]], wanted[k]) != 0; column[k]++) {
            }
        }
    }
    while (count < MAX_PAIRS && fgets(line, sizeof line, f)) {
        int fields = split(line, named ? ",\r\n" : " \t\r\n", field);
        bool whole = true;
        for (int k = 0; k < 6; k++) {
            whole = whole && column[k] < fields;
        }
        if (whole) {
            out[count++] = entry_at(field, column);
        }
    }
    return count;
}

static nonsens_status read_pair(nonsens_context *ctx, arena *a, const entry *e, pair *out)
{
    char path[PATH_BYTES], line[LINE_BYTES], *field[FIELDS];
    int64_t rows = 0;
    snprintf(path, sizeof path, "%s/pair%04d.txt", folder, e->number);
    FILE *f = fopen(path, "r");
    if (!f) {
        return fail(ctx, NONSENS_ERR_DATA, "%s cannot be read", path);
    }
    while (fgets(line, sizeof line, f)) {
        rows++;
    }
    rewind(f);
    *out = (pair){.weight = e->weight, .reversed = e->cause > e->effect};
    out->cause = arena_get(ctx, a, rows, sizeof *out->cause);
    out->effect = arena_get(ctx, a, rows, sizeof *out->effect);
    while (out->cause && out->effect && out->n < rows && fgets(line, sizeof line, f)) {
        int fields = split(line, " \t\r\n", field);
        if (e->cause <= fields && e->effect <= fields) {
            out->cause[out->n] = strtod(field[e->cause - 1], NULL);
            out->effect[out->n++] = strtod(field[e->effect - 1], NULL);
        }
    }
    fclose(f);
    return out->cause && out->effect ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

static nonsens_status read_folder(nonsens_context *ctx, arena *a, pair_set *s)
{
    entry entries[MAX_PAIRS];
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/pairmeta.txt", folder);
    FILE *f = fopen(path, "r");
    bool named = !f;
    if (named) {
        snprintf(path, sizeof path, "%s/index.csv", folder);
        f = fopen(path, "r");
    }
    if (!f) {
        return fail(ctx, NONSENS_ERR_DATA, "%s has neither pairmeta.txt nor index.csv", folder);
    }
    int64_t listed = read_entries(f, named, entries);
    fclose(f);
    ARENA_TRY(ctx, a, s->stored, listed);
    for (int64_t i = 0; i < listed; i++) {
        if (entries[i].cause == entries[i].cause_last && entries[i].effect == entries[i].effect_last) {
            TRY(read_pair(ctx, a, &entries[i], &s->stored[s->count++]));
        }
    }
    return NONSENS_OK;
}

static nonsens_status run_folder(nonsens_context *ctx, request *q)
{
    const char *slash = strrchr(folder, '/');
    pair_set s = {.name = slash && slash[1] ? slash + 1 : folder};
    arena a = {0};
    nonsens_status status = read_folder(ctx, &a, &s);
    if (status == NONSENS_OK) {
        status = run_set(ctx, q, &s);
    }
    arena_free(&a);
    return status;
}

static nonsens_status run(nonsens_context *ctx, request *q)
{
    return folder ? run_folder(ctx, q) : run_simulated(ctx, q);
}

int main(int argc, char **argv)
{
    int kept = argc > 0 ? 1 : 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--data") == 0 && i + 1 < argc) {
            folder = argv[++i];
        } else {
            argv[kept++] = argv[i];
        }
    }
    return request_run("pairs", "method,set,pairs,right,weighted,se,decided,decided_rightly", kept, argv, run);
}
