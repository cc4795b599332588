/*
 * edge_effects.c - measures the direct effects of edges on simulated data whose interventions are simulated as well.
 *
 *     edge_effects DEPTH FIRST_SEED REPS [table]
 *
 * Data: node generator, six variables, ten segments of 512 rows, the true graph.  The truth is found by setting the
 * cause to each of its quartiles while all disturbances are kept, once in these rows and once in 8,192 rows per
 * segment.  That is a total effect, so edges with a second path from cause to effect are left out.  Prints the mean
 * absolute error in standard deviations of the effect, the share of 95 % intervals that cover each truth, and seconds
 * of processor time; with `table`, the same for effect/effect.h.
 */
#include "tasks/edge_effects.h"
#include "base/rng.h"
#include "data/dataset.h"
#include "simulate/simulate.h"
#include "tasks/effect/effect.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { D = 6, SEGMENTS = 10, ROWS = 512, MANY_ROWS = 8192, TRUTHS = 2 };
static const int64_t ROWS_OF[TRUTHS] = {ROWS, MANY_ROWS};

typedef struct sums {
    double count, error[TRUTHS], covered[TRUTHS], width, seconds;
} sums;

typedef struct study {
    nonsens_context *ctx;
    int64_t depth;
    bool with_table;
    sums ours, table;
} study;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static nonsens_status simulate(const study *s, int64_t seed, int64_t rows, const char *set, nonsens_simulation **out)
{
    nonsens_options *o;
    char text[32];
    TRY(nonsens_options_new(s->ctx, NONSENS_COMMAND_SIMULATE, &o));
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {{"seed", seed}, {"nodes", D}, {"depth", s->depth}, {"segments", SEGMENTS}, {"per-segment", rows}};
    nonsens_status status = nonsens_options_set(s->ctx, o, "sem", "node");
    for (int i = 0; i < 5 && status == NONSENS_OK; i++) {
        snprintf(text, sizeof text, "%" PRId64, numbers[i].value);
        status = nonsens_options_set(s->ctx, o, numbers[i].key, text);
    }
    status = status == NONSENS_OK && set ? nonsens_options_set(s->ctx, o, "do", set) : status;
    status = status == NONSENS_OK ? nonsens_simulation_new(s->ctx, o, out) : status;
    nonsens_options_free(o);
    return status;
}

/* Computes the mean of variable y when `cause` is set to a value. */
static nonsens_status mean_if(const study *s, int64_t seed, int64_t rows, const char *cause, double value, int64_t y,
                              double *mean)
{
    char set[64];
    nonsens_simulation *sim = NULL;
    snprintf(set, sizeof set, "%s=%.17g", cause, value);
    TRY(simulate(s, seed, rows, set, &sim));
    *mean = 0.0;
    for (int64_t i = 0; i < SEGMENTS * rows; i++) {
        *mean += matrix_col(sim->x, y)[i] / (double)(SEGMENTS * rows);
    }
    nonsens_simulation_free(sim);
    return NONSENS_OK;
}

/* Returns whether x reaches y by a path other than the edge x -> y. */
static bool has_detour(const bool *edge, int64_t x, int64_t y)
{
    bool seen[D] = {false};
    for (int64_t k = 0; k < D; k++) {
        seen[k] = k != y && edge[x * D + k];
    }
    for (int round = 0; round < D; round++) {
        for (int64_t i = 0; i < D * D; i++) {
            seen[i % D] = seen[i % D] || (seen[i / D] && edge[i]);
        }
    }
    return seen[y];
}

static void add(sums *t, const double truth[TRUTHS], double sd, double value, double low, double high)
{
    t->count += 1.0;
    t->width += (high - low) / sd;
    for (int k = 0; k < TRUTHS; k++) {
        t->error[k] += fabs(value - truth[k]) / sd;
        t->covered[k] += truth[k] >= low && truth[k] <= high;
    }
}

static double deviation(const double *v, int64_t n)
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

static nonsens_status measure(study *s, int64_t seed, const nonsens_data *data, const bool *edge,
                              nonsens_result *result)
{
    SCOPED_ARENA(a);
    effect_model *model = NULL;
    effect_table table = {0};
    double begun = now();
    for (int64_t i = 0; i < D * D; i++) {
        TRY(edge[i] ? result_edge(s->ctx, result, i / D, i % D, NONSENS_EDGE_DIRECTED, NAN, NAN) : NONSENS_OK);
    }
    TRY(edge_effects_fill(s->ctx, data, result));
    s->ours.seconds += now() - begun;
    if (s->with_table) {
        effect_options options = effect_options_default();
        begun = now();
        TRY(effect_model_new(s->ctx, data, edge, &options, &model));
        nonsens_status status = effect_table_new(s->ctx, &a, model, &table);
        effect_model_free(model);
        TRY(status);
        s->table.seconds += now() - begun;
    }
    for (int64_t k = 0; k < result->edges; k++) {
        const nonsens_edge *e = &result->edge[k];
        double truth[TRUTHS], sd = deviation(matrix_col(data->x, e->to), data->n);
        if (has_detour(edge, e->from, e->to)) {
            continue;
        }
        for (int t = 0; t < TRUTHS; t++) {
            double upper, lower;
            TRY(mean_if(s, seed, ROWS_OF[t], data->names[e->from], e->upper, e->to, &upper));
            TRY(mean_if(s, seed, ROWS_OF[t], data->names[e->from], e->lower, e->to, &lower));
            truth[t] = upper - lower;
        }
        add(&s->ours, truth, sd, e->effect, e->effect_low, e->effect_high);
        if (s->with_table) {
            const effect_value *v = &table.direct[e->from * D + e->to];
            add(&s->table, truth, sd, v->value, v->low, v->high);
        }
    }
    return NONSENS_OK;
}

static nonsens_status run(study *s, int64_t seed)
{
    nonsens_simulation *sim = NULL;
    nonsens_data *data = NULL;
    nonsens_options *options = NULL;
    nonsens_result *result = NULL;
    int64_t label[SEGMENTS * ROWS];
    TRY(simulate(s, seed, ROWS, NULL, &sim));
    for (int64_t i = 0; i < SEGMENTS * ROWS; i++) {
        label[i] = sim->segment[i];
    }
    nonsens_status status = nonsens_data_from_arrays(s->ctx, SEGMENTS * ROWS, D, sim->x.v, 1, SEGMENTS * ROWS,
                                                     (const char *const *)sim->names, label, &data);
    status = status == NONSENS_OK ? nonsens_options_new(s->ctx, NONSENS_COMMAND_DISCOVER, &options) : status;
    status = status == NONSENS_OK ? result_new(s->ctx, data, options, "structured", &result) : status;
    status = status == NONSENS_OK ? measure(s, seed, data, sim->edge, result) : status;
    nonsens_result_free(result);
    nonsens_options_free(options);
    nonsens_data_free(data);
    nonsens_simulation_free(sim);
    return status;
}

static void print(const char *name, const sums *t, int64_t reps)
{
    printf("%-6s %4.0f edges  error %.4f %.4f  covered %.3f %.3f  width %.4f  %.4f s\n", name, t->count,
           t->error[0] / t->count, t->error[1] / t->count, t->covered[0] / t->count, t->covered[1] / t->count,
           t->width / t->count, t->seconds / (double)reps);
}

int main(int count, char **word)
{
    study s = {.with_table = count > 4};
    if (count < 4) {
        fprintf(stderr, "edge_effects DEPTH FIRST_SEED REPS [table]\n");
        return 2;
    }
    s.depth = atoll(word[1]);
    s.ctx = nonsens_context_new();
    for (int64_t rep = 0; s.ctx && rep < atoll(word[3]); rep++) {
        if (run(&s, atoll(word[2]) + rep) != NONSENS_OK) {
            fprintf(stderr, "%s\n", nonsens_context_message(s.ctx));
            return 1;
        }
    }
    print("edges", &s.ours, atoll(word[3]));
    if (s.with_table) {
        print("table", &s.table, atoll(word[3]));
    }
    nonsens_context_free(s.ctx);
    return 0;
}
