/* accuracy_task.c - prepares a cell: its options, its fingerprint in the journal, its data sets and units. */
#include "accuracy.h"
#include "base/hash.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

enum { OPTIONS_BYTES = 256 };

/* Sets "key=value key=value"; the text comes from the table of cells, so an error in it is a bug. */
static nonsens_status set_all(nonsens_context *ctx, nonsens_options *options, const char *text)
{
    char copy[OPTIONS_BYTES], *rest = NULL;
    if (snprintf(copy, sizeof copy, "%s", text) >= (int)sizeof copy) {
        return fail(ctx, NONSENS_ERR_USAGE, "the options of a cell take more than %d bytes", OPTIONS_BYTES - 1);
    }
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');
        if (!equals) {
            return fail(ctx, NONSENS_ERR_USAGE, "an option of a cell is not KEY=VALUE: %s", word);
        }
        *equals = '\0';
        TRY(nonsens_options_set(ctx, options, word, equals + 1));
    }
    return NONSENS_OK;
}

/* Finds the simulator's options or the mechanism, and the shape of the data. */
static nonsens_status open_source(nonsens_context *ctx, task *t)
{
    if (!t->cell->options) {
        t->mechanism = mechanism_find(t->cell->generator);
        if (!t->mechanism) {
            return fail(ctx, NONSENS_ERR_USAGE, "there is no mechanism %s", t->cell->generator);
        }
        t->nodes = 2;
        t->segments = t->mechanism->segments;
        t->rows = t->mechanism->rows;
        return NONSENS_OK;
    }
    TRY(nonsens_options_new(ctx, NONSENS_COMMAND_SIMULATE, &t->simulate));
    TRY(set_all(ctx, t->simulate, t->cell->options));
    t->nodes = t->simulate->nodes;
    t->depth = t->simulate->depth;
    t->segments = t->simulate->sim_segments;
    t->rows = t->simulate->per_segment;
    return NONSENS_OK;
}

/* ---- fingerprint ---- */

static bool is_left_out(const char *key, unsigned command)
{
    return strcmp(key, "threads") == 0 || strcmp(key, "method") == 0 ||
           (command == NONSENS_COMMAND_SIMULATE && strcmp(key, "seed") == 0);
}

/* Hashes only options that differ from their defaults, so that a new option does not change any fingerprint. */
static nonsens_status hash_options(nonsens_context *ctx, uint64_t *hash, const nonsens_options *options)
{
    nonsens_options *initial;
    TRY(nonsens_options_new(ctx, options->command, &initial));
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        char buffer[OPTION_VALUE_BYTES], other[OPTION_VALUE_BYTES];
        if (!(info->commands & options->command) || is_left_out(info->key, options->command)) {
            continue;
        }
        const char *value = option_print(options, info, buffer);
        if (strcmp(value, option_print(initial, info, other)) != 0) {
            hash_text(hash, info->key);
            hash_text(hash, value);
        }
    }
    nonsens_options_free(initial);
    return NONSENS_OK;
}

static nonsens_status make_fingerprint(nonsens_context *ctx, task *t)
{
    const accuracy_evaluation *f = t->cell->evaluation;
    uint64_t hash = HASH_START;
    char revision[32];
    snprintf(revision, sizeof revision, "%d", f->study.revision);
    hash_text(&hash, f->study.name);
    hash_text(&hash, revision);
    hash_text(&hash, f->any_method ? t->options->method : "");
    TRY(hash_options(ctx, &hash, t->options));
    hash_text(&hash, t->mechanism ? t->cell->generator : "simulate");
    if (t->simulate) {
        TRY(hash_options(ctx, &hash, t->simulate));
    }
    snprintf(t->fingerprint, sizeof t->fingerprint, "%016" PRIx64, hash);
    return NONSENS_OK;
}

/* ---- the task ---- */

static nonsens_status open_parts(nonsens_context *ctx, const nonsens_options *options, const char *method, task *t)
{
    TRY(nonsens_options_new(ctx, t->cell->evaluation->command, &t->options));
    *t->options = *options; // its texts belong to `options`, which outlives the task
    t->options->texts = NULL;
    if (t->cell->evaluation->any_method) {
        TRY(nonsens_options_set(ctx, t->options, "method", method));
    }
    if (t->cell->run) {
        TRY(set_all(ctx, t->options, t->cell->run));
    }
    if (t->cell->evaluation->side_by_side) {
        t->options->threads = 1;
    }
    TRY(open_source(ctx, t));
    return make_fingerprint(ctx, t);
}

nonsens_status task_open(nonsens_context *ctx, const cell *c, const nonsens_options *options, const char *method,
                         task *out)
{
    *out = (task){.cell = c, .reps = c->seeds};
    nonsens_status status = open_parts(ctx, options, method, out);
    if (status != NONSENS_OK) {
        task_close(out);
    }
    return status;
}

void task_close(task *t)
{
    nonsens_options_free(t->simulate);
    nonsens_options_free(t->options);
    t->simulate = t->options = NULL;
}

/* ---- data ---- */

static nonsens_status draw_simulation(nonsens_context *ctx, arena *a, const task *t, int64_t seed, drawn *out)
{
    nonsens_options *own; // a copy, since threads share the task
    ARENA_TRY(ctx, a, own, 1);
    *own = *t->simulate;
    own->seed = seed;
    TRY(nonsens_simulation_new(ctx, own, &out->simulation));
    const nonsens_simulation *s = out->simulation;
    bool forward = s->edge[0 * s->d + 1], backward = s->edge[1 * s->d + 0];
    out->cause = s->d > 2 || forward == backward ? -1 : forward ? 0 : 1;
    return nonsens_simulation_data(ctx, s, &out->data);
}

static nonsens_status draw_mechanism(nonsens_context *ctx, arena *a, const task *t, int64_t seed, drawn *out)
{
    static const char *const NAMES[2] = {"x1", "x2"};
    double *values;   // (rows, 2)
    int64_t *segment; // (rows)
    int64_t rows = mechanism_rows(t->mechanism);
    ARENA_TRY(ctx, a, values, 2 * rows);
    ARENA_TRY(ctx, a, segment, rows);
    double *column[2] = {values, values + rows};
    out->cause = t->mechanism->draw(t->mechanism, seed, column, segment);
    return nonsens_data_from_arrays(ctx, rows, 2, values, 1, rows, NAMES, t->segments > 0 ? segment : NULL, &out->data);
}

/* ---- units ---- */

void task_key(const void *data, int64_t number, char key[UNIT_KEY_BYTES])
{
    (void)number;
    snprintf(key, UNIT_KEY_BYTES, "%s", ((const task *)data)->fingerprint);
}

nonsens_status task_run(nonsens_context *ctx, arena *a, const void *data, int64_t number, unit_seed seed,
                        json_value *line)
{
    (void)number;
    const task *t = data;
    drawn d = {.cause = -1};
    nonsens_status status = t->mechanism ? draw_mechanism(ctx, a, t, (int64_t)seed.seed, &d)
                                         : draw_simulation(ctx, a, t, (int64_t)seed.seed, &d);
    if (status == NONSENS_OK) {
        status = t->cell->evaluation->run(ctx, a, t->options, &d, line);
    }
    nonsens_data_free(d.data);
    nonsens_simulation_free(d.simulation);
    return status == NONSENS_OK ? status
                                : fail(ctx, status, "cell %s, seed %" PRIu64 ": %s", t->cell->name, seed.seed,
                                       nonsens_context_message(ctx));
}
