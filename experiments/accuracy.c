/*
 * accuracy.c - how often the methods are right on simulated pairs, cell by cell.
 *
 *     accuracy [--reps R] [--cells PATTERN] [--journal FILE] [--out FILE.csv] [--seed FIRST] [--threads T] [--set
 * K=V]...
 *
 * A unit of work is (cell, seed): one data set, one fit shared by all variants of the rules.  Each finished unit is one
 * line of the journal, written by a single append; units that the journal holds for the same options are not run again.
 * Seeds from 100,001 are for reporting, smaller ones for development.  On stdout: one line per method and cell.
 */
#include "data/dataset.h"
#include "data/simulate.h"
#include "methods/monti.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct cell {
    const char *name; /* for --cells */
    const char *generator;
    int depth, segments, rows;
    bool cyclic;
} cell;

static const cell CELLS[] = {
    {"layered-depth1", "layered", 1, 10, 512, false},      {"layered-depth2", "layered", 2, 10, 512, false},
    {"layered-depth3", "layered", 3, 10, 512, false},      {"layered-depth4", "layered", 4, 10, 512, false},
    {"layered-depth5", "layered", 5, 10, 512, false},      {"cyclic-depth1", "layered-cyclic", 1, 10, 512, true},
    {"cyclic-depth3", "layered-cyclic", 3, 10, 512, true}, {"cyclic-depth5", "layered-cyclic", 5, 10, 512, true},
};
enum { CELL_COUNT = sizeof CELLS / sizeof *CELLS };

/* What is scored on every data set.  RULE_* give right, wrong or undecided; the features give a correlation. */
enum rule {
    RULE_TESTS,
    RULE_POOLED,
    RULE_TRUE,
    RULE_TRUE_POOLED,
    RULE_MAGNITUDES,
    RULE_INFORMATION,
    RULE_JACOBIAN,
    RULE_PRINTED,
    RULES
};
static const char *const RULE_NAME[RULES] = {"nonsens",
                                             "nonsens-pooled",
                                             "nonsens-true-sources",
                                             "nonsens-true-sources-pooled",
                                             "nonsens-true-magnitudes",
                                             "nonsens-lr",
                                             "nonsens-lr-jacobian",
                                             "nonsens-lr-printed"};

enum outcome { RIGHT, WRONG, UNDECIDED };

typedef struct unit {
    enum outcome outcome[RULES];
    bool named[RULES]; /* the better direction is the true one */
    double mcc;        /* mean correlation of T with |N| under the better permutation */
} unit;

typedef struct settings {
    int reps, threads;
    int64_t first_seed;
    const char *cells, *journal, *out;
    nonsens_options *options; /* of the methods */
    char fingerprint[17];     /* of these options */
} settings;

static void stop_on(nonsens_context *ctx, nonsens_status status)
{
    if (status != NONSENS_OK) {
        fprintf(stderr, "accuracy: %s\n", nonsens_message(ctx));
        exit(1);
    }
}

/* ---- one data set ---- */

static nonsens_simulation *simulate(nonsens_context *ctx, const cell *c, int64_t seed)
{
    nonsens_options *o;
    nonsens_simulation *s;
    stop_on(ctx, nonsens_options_new(ctx, NONSENS_CMD_SIMULATE, &o));
    o->depth = c->depth;
    o->sim_segments = c->segments;
    o->per_segment = c->rows;
    o->cyclic = c->cyclic;
    o->seed = seed;
    stop_on(ctx, nonsens_simulate(ctx, o, &s));
    nonsens_options_free(o);
    return s;
}

static nonsens_data *to_data(nonsens_context *ctx, const nonsens_simulation *s)
{
    const double *column[2] = {matrix_col(s->x, 0), matrix_col(s->x, 1)};
    char **label = calloc((size_t)s->segments, sizeof *label);
    nonsens_data *data;
    for (int64_t e = 0; e < s->segments; e++) {
        label[e] = malloc(32);
        snprintf(label[e], 32, "s%d", (int)e + 1);
    }
    stop_on(ctx, dataset_build(ctx, s->n, 2, column, (const char *const *)s->names, s->segment, s->segments,
                               (const char *const *)label, NULL, &data));
    for (int64_t e = 0; e < s->segments; e++) {
        free(label[e]);
    }
    free(label);
    return data;
}

/* The true disturbances in the canonical row order of the data set. */
static matrix true_sources(nonsens_context *ctx, arena *a, const nonsens_simulation *s, const nonsens_data *data)
{
    double *v = arena_get(ctx, a, data->n * 2, sizeof *v);
    stop_on(ctx, v ? NONSENS_OK : NONSENS_ERR_MEMORY);
    for (int j = 0; j < 2; j++) {
        for (int64_t i = 0; i < data->n; i++) {
            v[j * data->n + i] = matrix_col(s->source, j)[data->input_row[i]];
        }
    }
    return matrix_view(v, data->n, 2);
}

static double correlation_with_abs(int64_t n, const double *t, const double *source)
{
    double mt = 0, ms = 0, tt = 0, ss = 0, ts = 0;
    for (int64_t i = 0; i < n; i++) {
        mt += t[i] / (double)n;
        ms += fabs(source[i]) / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        double a = t[i] - mt, b = fabs(source[i]) - ms;
        tt += a * a;
        ss += b * b;
        ts += a * b;
    }
    return fabs(ts) / sqrt(tt * ss);
}

static double mean_correlation(matrix t, matrix source)
{
    double c[2][2];
    for (int k = 0; k < 2; k++) {
        for (int j = 0; j < 2; j++) {
            c[k][j] = correlation_with_abs(t.rows, matrix_col(t, k), matrix_col(source, j));
        }
    }
    return 0.5 * fmax(c[0][0] + c[1][1], c[0][1] + c[1][0]);
}

/* cause: 0 or 1, or -1 where there is none (then every direction is wrong). */
static enum outcome judge(enum decision decision, int cause)
{
    if (decision != DECISION_FIRST_CAUSES && decision != DECISION_SECOND_CAUSES) {
        return UNDECIDED;
    }
    return (decision == DECISION_FIRST_CAUSES ? 0 : 1) == cause ? RIGHT : WRONG;
}

static void score_tests(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                        enum pooling pooling, matrix variable, matrix source, int cause, enum rule rule, unit *out)
{
    four_tests tests;
    nonsens_options *o = malloc(sizeof *o);
    *o = *options;
    o->pooling = pooling;
    stop_on(ctx, monti_four_tests(ctx, a, data, o, variable, source, &tests));
    double p[2];
    for (int v = 0; v < 2; v++) {
        p[v] = fmax(tests.test[v][0].p_value, tests.test[v][1].p_value);
    }
    out->outcome[rule] = judge(monti_decide(&tests, o->alpha), cause);
    out->named[rule] = p[0] != p[1] && (p[0] > p[1] ? 0 : 1) == cause;
    free(o);
}

static void score_ratio(double ratio, int cause, enum rule rule, unit *out)
{
    out->named[rule] = (ratio > 0 ? 0 : 1) == cause;
    out->outcome[rule] = out->named[rule] ? RIGHT : WRONG;
}

static unit run_unit(nonsens_context *ctx, const settings *set, const cell *c, int64_t seed)
{
    arena a = {0};
    unit u = {{0}, {0}, 0};
    nonsens_simulation *s = simulate(ctx, c, seed);
    nonsens_data *data = to_data(ctx, s);
    disturbances d;
    likelihood_ratio ratio;
    int cause = c->cyclic ? -1 : s->edge[0 * 2 + 1] ? 0 : 1;
    stop_on(ctx, disturbances_fit(ctx, &a, data, set->options, &d));
    stop_on(ctx, monti_likelihood_ratio(ctx, &a, &d, &ratio));
    matrix truth = true_sources(ctx, &a, s, data);
    u.mcc = mean_correlation(d.source, truth);
    score_tests(ctx, &a, data, set->options, POOLING_STRATIFIED, d.z, d.source, cause, RULE_TESTS, &u);
    score_tests(ctx, &a, data, set->options, POOLING_POOLED, d.z, d.source, cause, RULE_POOLED, &u);
    score_tests(ctx, &a, data, set->options, POOLING_STRATIFIED, d.z, truth, cause, RULE_TRUE, &u);
    score_tests(ctx, &a, data, set->options, POOLING_POOLED, d.z, truth, cause, RULE_TRUE_POOLED, &u);
    for (int64_t i = 0; i < 2 * truth.rows; i++) {
        truth.v[i] = fabs(truth.v[i]);
    }
    score_tests(ctx, &a, data, set->options, POOLING_STRATIFIED, d.z, truth, cause, RULE_MAGNITUDES, &u);
    if (disturbances_doubt(&d)) { /* the program then says so and stops */
        u.outcome[RULE_TESTS] = u.outcome[RULE_POOLED] = UNDECIDED;
    }
    score_ratio(ratio.value[RATIO_INFORMATION], cause, RULE_INFORMATION, &u);
    score_ratio(ratio.value[RATIO_JACOBIAN], cause, RULE_JACOBIAN, &u);
    score_ratio(ratio.value[RATIO_PRINTED], cause, RULE_PRINTED, &u);
    arena_free(&a);
    nonsens_data_free(data);
    nonsens_simulation_free(s);
    return u;
}

/* ---- the journal ---- */

static void journal_append(const settings *set, const cell *c, int64_t seed, const unit *u)
{
    json_t *line = json_pack("{s:s, s:I, s:s, s:f}", "cell", c->name, "seed", (json_int_t)seed, "options",
                             set->fingerprint, "mcc", u->mcc);
    for (int r = 0; r < RULES; r++) {
        json_object_set_new(line, RULE_NAME[r], json_pack("[i, b]", (int)u->outcome[r], (int)u->named[r]));
    }
    char *text = json_dumps(line, JSON_COMPACT), *whole = malloc(strlen(text) + 2);
    size_t length = (size_t)sprintf(whole, "%s\n", text);
    int file = open(set->journal, O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (file < 0 || write(file, whole, length) != (ssize_t)length || close(file) != 0) {
        perror(set->journal);
        exit(1);
    }
    free(whole);
    free(text);
    json_decref(line);
}

static bool journal_line(const settings *set, const cell *c, int64_t seed, const char *text, unit *u)
{
    json_t *line = json_loads(text, 0, NULL);
    const char *name = "", *options = "";
    json_int_t at = -1;
    bool same = line && json_unpack(line, "{s:s, s:I, s:s, s:F}", "cell", &name, "seed", &at, "options", &options,
                                    "mcc", &u->mcc) == 0;
    same = same && strcmp(name, c->name) == 0 && at == seed && strcmp(options, set->fingerprint) == 0;
    for (int r = 0; r < RULES && same; r++) {
        int outcome, named;
        same = json_unpack(json_object_get(line, RULE_NAME[r]), "[i, b]", &outcome, &named) == 0;
        u->outcome[r] = (enum outcome)outcome;
        u->named[r] = named;
    }
    json_decref(line);
    return same;
}

static bool journal_find(const settings *set, const cell *c, int64_t seed, unit *u)
{
    char text[4096];
    bool found = false;
    FILE *file = fopen(set->journal, "r");
    while (file && !found && fgets(text, sizeof text, file)) {
        found = journal_line(set, c, seed, text, u);
    }
    if (file) {
        fclose(file);
    }
    return found;
}

/* ---- the table ---- */

static double share_error(double share, int reps)
{
    return sqrt(share * (1.0 - share) / reps);
}

static void print_both(FILE *csv, const char *line, const char *row)
{
    puts(line);
    if (csv) {
        fprintf(csv, "%s\n", row);
    }
}

static void print_rule(FILE *csv, const cell *c, enum rule rule, const unit *units, int reps)
{
    double share[3] = {0, 0, 0}, named = 0;
    for (int k = 0; k < reps; k++) {
        share[units[k].outcome[rule]] += 1.0 / reps;
        named += units[k].named[rule] / (double)reps;
    }
    double se = share_error(c->cyclic ? share[WRONG] : share[RIGHT], reps);
    char line[512], row[512];
    snprintf(
        line, sizeof line,
        "accuracy %s %s d=2 E=%d n=%d depth=%d reps=%d right=%.3f wrong=%.3f undecided=%.3f direction=%.3f se=%.3f",
        RULE_NAME[rule], c->generator, c->segments, c->rows, c->depth, reps, share[RIGHT], share[WRONG],
        share[UNDECIDED], named, se);
    snprintf(row, sizeof row, "%s,%s,2,%d,%d,%d,%d,%.3f,%.3f,%.3f,%.3f,,%.3f", RULE_NAME[rule], c->generator,
             c->segments, c->rows, c->depth, reps, share[RIGHT], share[WRONG], share[UNDECIDED], named, se);
    print_both(csv, line, row);
}

static void print_features(FILE *csv, const cell *c, const unit *units, int reps)
{
    double mean = 0, square = 0;
    for (int k = 0; k < reps; k++) {
        mean += units[k].mcc / reps;
    }
    for (int k = 0; k < reps; k++) {
        square += pow(units[k].mcc - mean, 2.0) / (reps > 1 ? reps - 1 : 1);
    }
    double se = sqrt(square / reps);
    char line[512], row[512];
    snprintf(line, sizeof line, "accuracy disturbances %s d=2 E=%d n=%d depth=%d reps=%d mcc=%.4f se=%.4f",
             c->generator, c->segments, c->rows, c->depth, reps, mean, se);
    snprintf(row, sizeof row, "disturbances,%s,2,%d,%d,%d,%d,,,,,%.4f,%.4f", c->generator, c->segments, c->rows,
             c->depth, reps, mean, se);
    print_both(csv, line, row);
}

static void run_cell(nonsens_context *ctx, const settings *set, const cell *c, FILE *csv)
{
    unit *units = calloc((size_t)set->reps, sizeof *units);
    for (int k = 0; k < set->reps; k++) {
        int64_t seed = set->first_seed + k;
        if (!journal_find(set, c, seed, &units[k])) {
            units[k] = run_unit(ctx, set, c, seed);
            journal_append(set, c, seed, &units[k]);
        }
        if (isatty(2)) {
            fprintf(stderr, "\r%s %d/%d ", c->name, k + 1, set->reps);
        }
    }
    print_features(csv, c, units, set->reps);
    for (int r = 0; r < RULES; r++) {
        if (!(c->cyclic && r >= RULE_INFORMATION)) { /* a ratio always names a direction */
            print_rule(csv, c, (enum rule)r, units, set->reps);
        }
    }
    fflush(stdout);
    free(units);
}

/* ---- settings ---- */

/* Raise it when a change of the code changes results: units of an older journal are then not taken for new ones. */
enum { RESULTS_REVISION = 1 };

/* 64-bit FNV-1a over revision, version and every option of `direction` that can change a result. */
static void fingerprint(settings *set)
{
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        char text[OPTION_TEXT_BYTES + 64];
        if (!(info->commands & NONSENS_CMD_DIRECTION) || strcmp(info->key, "threads") == 0) {
            continue;
        }
        int used = snprintf(text, sizeof text, "%d %s %s=", RESULTS_REVISION, nonsens_version(), info->key);
        option_print(set->options, info, text + used, sizeof text - (size_t)used);
        for (const char *p = text; *p; p++) {
            hash = (hash ^ (unsigned char)*p) * 1099511628211u;
        }
    }
    snprintf(set->fingerprint, sizeof set->fingerprint, "%016" PRIx64, hash);
}

static void set_option(nonsens_context *ctx, settings *set, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals) {
        fprintf(stderr, "accuracy: --set wants KEY=VALUE, not %s\n", text);
        exit(2);
    }
    *equals = '\0';
    stop_on(ctx, nonsens_options_set(ctx, set->options, text, equals + 1));
}

static void parse(nonsens_context *ctx, int argc, char **argv, settings *set)
{
    for (int i = 1; i < argc; i += 2) {
        char *key = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!value) {
            fprintf(stderr, "accuracy: %s wants a value\n", key);
            exit(2);
        } else if (strcmp(key, "--reps") == 0) {
            set->reps = atoi(value);
        } else if (strcmp(key, "--seed") == 0) {
            set->first_seed = atoll(value);
        } else if (strcmp(key, "--threads") == 0) {
            stop_on(ctx, nonsens_options_set(ctx, set->options, "threads", value));
        } else if (strcmp(key, "--cells") == 0) {
            set->cells = value;
        } else if (strcmp(key, "--journal") == 0) {
            set->journal = value;
        } else if (strcmp(key, "--out") == 0) {
            set->out = value;
        } else if (strcmp(key, "--set") == 0) {
            set_option(ctx, set, value);
        } else {
            fprintf(stderr, "accuracy: unknown option %s\n", key);
            exit(2);
        }
    }
}

int main(int argc, char **argv)
{
    nonsens_context *ctx = nonsens_context_new();
    settings set = {30, 0, 100001, "*", "accuracy.journal", NULL, NULL, ""};
    stop_on(ctx, nonsens_options_new(ctx, NONSENS_CMD_DIRECTION, &set.options));
    parse(ctx, argc, argv, &set);
    fingerprint(&set);
    FILE *csv = set.out ? fopen(set.out, "w") : NULL;
    if (set.out && !csv) {
        perror(set.out);
        return 1;
    }
    if (csv) {
        fprintf(csv, "method,generator,d,E,n,depth,reps,right,wrong,undecided,direction,mcc,se\n");
    }
    for (int k = 0; k < CELL_COUNT; k++) {
        if (fnmatch(set.cells, CELLS[k].name, 0) == 0) {
            run_cell(ctx, &set, &CELLS[k], csv);
        }
    }
    int failed = csv && fclose(csv) != 0;
    nonsens_options_free(set.options);
    nonsens_context_free(ctx);
    return failed;
}
