/*
 * accuracy.c - how often the methods are right on simulated pairs and graphs, cell by cell.
 *
 *     accuracy [--reps R] [--cells PATTERN] [--journal FILE] [--out FILE.csv] [--graphs FILE.csv] [--seed FIRST]
 *              [--threads T] [--method NAME] [--set KEY=VALUE]... [--list yes]
 *
 * A unit of work is (cell, seed): one data set.  Each finished unit is one line of the journal; units that the journal
 * holds for the same data and options are not run again.  Seeds from 100,001 are for reporting, smaller ones for
 * development.  --reps 0 (the default) means as many seeds as the table (accuracy_cells.c) says.  --threads is the
 * number of data sets at a time where a family runs them side by side, else that of the fit.  --method names what runs
 * in place of `structured` on pairs.  --set is for the methods; a cell whose command has no such option fails.  --list
 * names the cells and what their units are called in the journal, and runs nothing.  --out is the table of pairs,
 * --graphs that of graphs; a table whose cells were not asked for stays as it is.
 * On stdout: one line per method and cell.  A cell that fails is reported and left out; the exit status is then 1.
 */
#include "accuracy.h"
#include "base/parallel.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options of the methods of one command. */
typedef struct choices {
    nonsens_options *options;
    const char *refused; /* what --set named and the command does not take; NULL: nothing */
} choices;

typedef struct settings {
    int reps; /* 0: those of the table */
    int64_t first_seed;
    const char *cells, *journal, *out[TABLES], *method;
    bool list;
    choices pairs, graphs;
} settings;

static void complain(const nonsens_context *ctx)
{
    fprintf(stderr, "accuracy: %s\n", nonsens_message(ctx));
}

static bool is_wanted(const settings *set, const cell *c)
{
    return fnmatch(set->cells, c->name, 0) == 0;
}

/* ---- one cell ---- */

/* The units of a cell that the journal lacks. */
typedef struct batch {
    const task *task;
    journal *journal;
    char *units;  /* (reps) of unit_bytes each; filled in as they finish */
    int *missing; /* (jobs) which of the units are to be made */
    int jobs, done;
} batch;

static nonsens_status make_line(nonsens_context *ctx, arena *a, const task *t, int64_t seed, json_t *line)
{
    drawn d;
    nonsens_status status = task_draw(ctx, a, t, seed, &d);
    if (status == NONSENS_OK) {
        status = t->cell->family->run(ctx, a, t->options, &d, line);
        drawn_free(&d);
    }
    return status == NONSENS_OK
               ? status
               : fail(ctx, status, "cell %s, seed %" PRId64 ": %s", t->cell->name, seed, nonsens_message(ctx));
}

static bool read_unit(const batch *b, int place, json_t *line)
{
    const family *f = b->task->cell->family;
    return line && f->read(line, b->units + (size_t)place * f->unit_bytes);
}

static nonsens_status keep_line(nonsens_context *ctx, batch *b, int place, json_t *line)
{
    bool good;
#pragma omp critical(accuracy_journal)
    {
        if (journal_append(ctx, b->journal, line) != NONSENS_OK) { // the next ones would not fare better
            complain(ctx);
            exit(1);
        }
        good = read_unit(b, place, line);
        b->done++;
        if (isatty(2)) {
            fprintf(stderr, "\r%s %d/%d ", b->task->cell->name, b->done, b->jobs);
        }
    }
    return good ? NONSENS_OK
                : fail(ctx, NONSENS_ERR_DATA, "cell %s: what was written to the journal cannot be read back",
                       b->task->cell->name);
}

static nonsens_status run_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    batch *b = state;
    const task *t = b->task;
    int64_t seed = t->first_seed + b->missing[job];
    json_t *line =
        json_pack("{s:s, s:I, s:s}", "cell", t->cell->name, "seed", (json_int_t)seed, "options", t->fingerprint);
    nonsens_status status = make_line(ctx, scratch, t, seed, line);
    if (status != NONSENS_OK) {
        json_decref(line);
        return status;
    }
    return keep_line(ctx, b, b->missing[job], line);
}

static nonsens_status run_batch(nonsens_context *ctx, int threads, batch *b)
{
    for (int k = 0; k < b->task->reps; k++) {
        if (!read_unit(b, k, journal_find(b->journal, b->task->fingerprint, b->task->first_seed + k))) {
            b->missing[b->jobs++] = k;
        }
    }
    return parallel_for(ctx, b->task->cell->family->side_by_side ? threads : 1, b->jobs, NULL, run_job, b);
}

static nonsens_status run_task(nonsens_context *ctx, arena *a, const settings *set, const task *t, journal *j,
                               FILE *csv)
{
    batch b = {.task = t, .journal = j};
    ARENA_TRY(ctx, a, b.units, t->reps * (int64_t)t->cell->family->unit_bytes);
    ARENA_TRY(ctx, a, b.missing, t->reps);
    TRY(run_batch(ctx, (int)set->pairs.options->threads, &b));
    t->cell->family->print(t, b.units, csv);
    return NONSENS_OK;
}

static void list_task(const task *t)
{
    printf("%-32s %-10s reps=%d %s %s\n", t->cell->name, t->cell->family->name, t->reps, t->fingerprint,
           t->cell->options ? t->cell->options : "");
}

static nonsens_status run_cell(nonsens_context *ctx, const settings *set, const cell *c, journal *j, FILE *csv)
{
    task t;
    arena a = {0};
    const choices *own = c->family->command == NONSENS_CMD_DISCOVER ? &set->graphs : &set->pairs;
    if (own->refused) {
        return fail(ctx, NONSENS_ERR_USAGE, "cell %s: its methods do not take --set %s", c->name, own->refused);
    }
    nonsens_status status = task_open(ctx, c, own->options, set->method, &t);
    if (status != NONSENS_OK) {
        return status;
    }
    t.reps = set->reps > 0 ? set->reps : c->seeds;
    t.first_seed = set->first_seed;
    if (set->list) {
        list_task(&t);
    } else {
        status = run_task(ctx, &a, set, &t, j, csv);
    }
    arena_free(&a);
    task_close(&t);
    return status;
}

/* ---- the table ---- */

/* Whether every cell that was asked for, and there was one, gave its lines. */
static bool run_cells(nonsens_context *ctx, const settings *set, FILE *const csv[TABLES])
{
    int matched = 0, failed = 0;
    journal j;
    if (journal_open(ctx, set->journal, &j) != NONSENS_OK) {
        complain(ctx);
        return false;
    }
    if (nonsens_run_warning(ctx)[0]) {
        fprintf(stderr, "accuracy: %s\n", nonsens_run_warning(ctx));
    }
    for (int k = 0; k < ACCURACY_CELL_COUNT; k++) {
        const cell *c = &ACCURACY_CELLS[k];
        if (!is_wanted(set, c)) {
            continue;
        }
        matched++;
        if (run_cell(ctx, set, c, &j, csv[c->family->table]) != NONSENS_OK) {
            complain(ctx);
            failed++;
        }
    }
    journal_close(&j);
    if (matched == 0) {
        fprintf(stderr, "accuracy: no cell is called %s; --list yes names them\n", set->cells);
    }
    return matched > 0 && failed == 0;
}

/* Opens the tables of which a cell was asked for; false where one cannot be written. */
static bool open_tables(const settings *set, FILE *csv[TABLES])
{
    for (int k = 0; k < ACCURACY_CELL_COUNT; k++) {
        const family *f = ACCURACY_CELLS[k].family;
        const char *path = set->list || !is_wanted(set, &ACCURACY_CELLS[k]) ? NULL : set->out[f->table];
        if (!path || csv[f->table]) {
            continue;
        }
        csv[f->table] = fopen(path, "w");
        if (!csv[f->table]) {
            perror(path);
            return false;
        }
        f->header(csv[f->table]);
    }
    return true;
}

static bool run_tables(nonsens_context *ctx, const settings *set)
{
    FILE *csv[TABLES] = {NULL};
    bool good = open_tables(set, csv) && run_cells(ctx, set, csv);
    for (int k = 0; k < TABLES; k++) {
        good = (!csv[k] || fclose(csv[k]) == 0) && good;
    }
    return good;
}

/* ---- settings ---- */

/* An option that the methods of one command have not is refused there; one that none has is an error. */
static bool set_option(nonsens_context *ctx, settings *set, const char *key, const char *value)
{
    bool pairs = nonsens_options_set(ctx, set->pairs.options, key, value) == NONSENS_OK;
    bool graphs = nonsens_options_set(ctx, set->graphs.options, key, value) == NONSENS_OK;
    set->pairs.refused = pairs ? set->pairs.refused : key;
    set->graphs.refused = graphs ? set->graphs.refused : key;
    if (!pairs && !graphs) {
        complain(ctx);
    }
    return pairs || graphs;
}

/* "KEY=VALUE"; the text is cut in two. */
static bool set_pair(nonsens_context *ctx, settings *set, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals) {
        fprintf(stderr, "accuracy: --set wants KEY=VALUE, not %s\n", text);
        return false;
    }
    *equals = '\0';
    return set_option(ctx, set, text, equals + 1);
}

static bool set_one(nonsens_context *ctx, settings *set, const char *key, char *value)
{
    struct {
        const char *key, **field;
    } texts[] = {{"--cells", &set->cells},
                 {"--journal", &set->journal},
                 {"--out", &set->out[TABLE_PAIRS]},
                 {"--graphs", &set->out[TABLE_GRAPHS]},
                 {"--method", &set->method}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        if (strcmp(key, texts[k].key) == 0) {
            *texts[k].field = value;
            return true;
        }
    }
    if (strcmp(key, "--reps") == 0) {
        set->reps = atoi(value);
    } else if (strcmp(key, "--seed") == 0) {
        set->first_seed = atoll(value);
    } else if (strcmp(key, "--list") == 0) {
        set->list = strcmp(value, "yes") == 0;
    } else if (strcmp(key, "--threads") == 0) {
        return set_option(ctx, set, "threads", value);
    } else if (strcmp(key, "--set") == 0) {
        return set_pair(ctx, set, value);
    } else {
        fprintf(stderr, "accuracy: unknown option %s\n", key);
        return false;
    }
    return true;
}

static bool parse(nonsens_context *ctx, int argc, char **argv, settings *set)
{
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc) {
            fprintf(stderr, "accuracy: %s wants a value\n", argv[i]);
            return false;
        }
        if (!set_one(ctx, set, argv[i], argv[i + 1])) {
            return false;
        }
    }
    return true;
}

static bool open_settings(nonsens_context *ctx, settings *set)
{
    *set = (settings){.first_seed = 100001, .cells = "*", .journal = "accuracy.journal", .method = "structured"};
    return ctx && nonsens_options_new(ctx, NONSENS_CMD_DIRECTION, &set->pairs.options) == NONSENS_OK &&
           nonsens_options_new(ctx, NONSENS_CMD_DISCOVER, &set->graphs.options) == NONSENS_OK;
}

int main(int argc, char **argv)
{
    nonsens_context *ctx = nonsens_context_new();
    settings set;
    int status = 2;
    if (!open_settings(ctx, &set)) {
        fputs("accuracy: out of memory\n", stderr);
        status = 1;
    } else if (parse(ctx, argc, argv, &set)) {
        status = run_tables(ctx, &set) ? 0 : 1;
    }
    nonsens_options_free(set.pairs.options);
    nonsens_options_free(set.graphs.options);
    nonsens_context_free(ctx);
    return status;
}
