/*
 * accuracy.c - measures how often the methods are correct on simulated pairs and graphs, cell by cell.
 *
 *     accuracy [--reps R] [--cells PATTERN] [--journal FILE] [--out FILE.csv] [--graphs FILE.csv] [--seed FIRST]
 *              [--threads T] [--method NAME] [--set KEY=VALUE]... [--list yes]
 *
 * A unit of work is (cell, seed): one data set.  Each finished unit is one line of the journal; units that are already
 * in the journal with the same data and options are not run again.  Seeds from 100,001 are for reporting, smaller ones
 * for development.  --reps 0 (the default) means as many seeds as the table (accuracy_cells.c) says.  --threads is the
 * number of data sets processed at once if an evaluation runs them in parallel, otherwise the number of threads per
 * fit.  --method names the method that runs on pairs instead of `structured`.  --set sets an option of the methods; a
 * cell whose command has no such option fails.  --list prints the cells and the keys of their units in the journal, and
 * runs nothing.  --out is the table of pairs, --graphs the table of graphs; a table is left untouched if none of its
 * cells is selected.  Prints one line per method and cell.  A cell that fails is reported and skipped; the exit status
 * is then 1.
 */
#include "accuracy.h"
#include "harness/request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Options of the methods of one command. */
typedef struct choices {
    nonsens_options *options;
    const char *refused; /* an option of --set that the command does not have; NULL if it has them all */
} choices;

typedef struct settings {
    request request; /* its table is not used, because there are two */
    nonsens_context *ctx;
    const char *journal, *graphs, *method;
    bool list;
    choices on_pairs, on_graphs;
} settings;

static void complain(const nonsens_context *ctx)
{
    fprintf(stderr, "accuracy: %s\n", nonsens_context_message(ctx));
}

static bool is_wanted(const settings *set, const cell *c)
{
    return study_is_named(set->request.cells, c->name);
}

/* ---- one cell ---- */

static int show_progress(void *user, const char *phase, int64_t done, int64_t total)
{
    (void)phase;
    fprintf(stderr, "\r%s %" PRId64 "/%" PRId64 " ", *(const char **)user, done, total);
    return 0;
}

static nonsens_status run_task(nonsens_context *ctx, const settings *set, const task *t, journal *j, table *csv)
{
    arena a = {0};
    const accuracy_evaluation *f = t->cell->evaluation;
    const char *name = t->cell->name;
    study_run r = {.study = &f->study,
                   .data = t,
                   .journal = j,
                   .first_seed = (int64_t)set->request.first_seed,
                   .threads = f->side_by_side ? (int)set->on_pairs.options->threads : 1};
    nonsens_context_set_progress(ctx, isatty(STDERR_FILENO) ? show_progress : NULL, &name);
    nonsens_status status = study_run_cell(ctx, &a, &r, t->cell - ACCURACY_CELLS, t->reps);
    nonsens_context_set_progress(ctx, NULL, NULL);
    if (status == NONSENS_OK) {
        f->print(t, r.units, csv);
    }
    arena_free(&a);
    return status;
}

static void list_task(const task *t)
{
    printf("%-32s %-10s reps=%d %s %s\n", t->cell->name, t->cell->evaluation->study.name, t->reps, t->fingerprint,
           t->cell->options ? t->cell->options : "");
}

static nonsens_status run_cell(nonsens_context *ctx, const settings *set, const cell *c, journal *j, table *csv)
{
    task t;
    nonsens_status status = NONSENS_OK;
    const choices *own = c->evaluation->command == NONSENS_COMMAND_DISCOVER ? &set->on_graphs : &set->on_pairs;
    if (own->refused) {
        return fail(ctx, NONSENS_ERR_USAGE, "cell %s: its methods do not take --set %s", c->name, own->refused);
    }
    TRY(task_open(ctx, c, own->options, set->method, &t));
    t.reps = set->request.reps > 0 ? (int)set->request.reps : c->seeds;
    if (set->list) {
        list_task(&t);
    } else {
        status = run_task(ctx, set, &t, j, csv);
    }
    task_close(&t);
    return status;
}

/* ---- the tables ---- */

/* Runs the selected cells; returns false if there is none or one fails.  Stops if the journal cannot be written. */
static bool run_cells(nonsens_context *ctx, const settings *set, table csv[TABLES])
{
    int matched = 0, failed = 0;
    nonsens_status status = NONSENS_OK;
    journal j;
    if (journal_open(ctx, set->journal, &j) != NONSENS_OK) {
        complain(ctx);
        return false;
    }
    if (nonsens_context_warning(ctx)[0]) {
        fprintf(stderr, "accuracy: %s\n", nonsens_context_warning(ctx));
    }
    for (const cell *c = ACCURACY_CELLS; c < ACCURACY_CELLS + ACCURACY_CELL_COUNT && status != NONSENS_ERR_OUTPUT;
         c++) {
        if (is_wanted(set, c)) {
            matched++;
            status = run_cell(ctx, set, c, &j, &csv[c->evaluation->table]);
            failed += status != NONSENS_OK;
            if (status != NONSENS_OK) {
                complain(ctx);
            }
        }
    }
    journal_close(&j);
    if (matched == 0) {
        fprintf(stderr, "accuracy: no cell is called %s; --list yes names them\n", set->request.cells);
    }
    return matched > 0 && failed == 0;
}

/* Opens the tables of the selected cells; returns false if one cannot be written. */
static bool open_tables(const settings *set, table csv[TABLES])
{
    const char *const path[TABLES] = {[TABLE_PAIRS] = set->request.out, [TABLE_GRAPHS] = set->graphs};
    for (const cell *c = ACCURACY_CELLS; c < ACCURACY_CELLS + ACCURACY_CELL_COUNT; c++) {
        enum table_kind which = c->evaluation->table;
        if (set->list || !is_wanted(set, c) || !path[which] || csv[which].out) {
            continue;
        }
        csv[which].out = fopen(path[which], "w");
        if (!csv[which].out) {
            perror(path[which]);
            return false;
        }
        c->evaluation->header(&csv[which]);
    }
    return true;
}

static bool run_tables(const settings *set)
{
    table csv[TABLES] = {{.out = NULL}};
    bool good = open_tables(set, csv) && run_cells(set->ctx, set, csv);
    for (int k = 0; k < TABLES; k++) {
        good = (!csv[k].out || fclose(csv[k].out) == 0) && good;
    }
    return good;
}

/* ---- command line ---- */

/* Sets an option; cells whose command does not have it fail.  An option that no command has is an error. */
static bool set_option(settings *set, const char *key, const char *value)
{
    bool pairs = nonsens_options_set(set->ctx, set->on_pairs.options, key, value) == NONSENS_OK;
    bool graphs = nonsens_options_set(set->ctx, set->on_graphs.options, key, value) == NONSENS_OK;
    set->on_pairs.refused = pairs ? set->on_pairs.refused : key;
    set->on_graphs.refused = graphs ? set->on_graphs.refused : key;
    if (!pairs && !graphs) {
        complain(set->ctx);
    }
    return pairs || graphs;
}

/* Sets "KEY=VALUE"; splits the text in place. */
static bool set_pair(settings *set, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals) {
        fprintf(stderr, "accuracy: --set wants KEY=VALUE, not %s\n", text);
        return false;
    }
    *equals = '\0';
    return set_option(set, text, equals + 1);
}

static bool read_own_word(void *user, const char *key, char *value)
{
    settings *set = user;
    if (strcmp(key, "--journal") == 0) {
        set->journal = value;
    } else if (strcmp(key, "--graphs") == 0) {
        set->graphs = value;
    } else if (strcmp(key, "--method") == 0) {
        set->method = value;
    } else if (strcmp(key, "--list") == 0) {
        set->list = strcmp(value, "yes") == 0;
    } else {
        return strcmp(key, "--threads") == 0 ? set_option(set, "threads", value)
               : strcmp(key, "--set") == 0   ? set_pair(set, value)
                                             : false;
    }
    return true;
}

static bool open_settings(settings *set)
{
    *set = (settings){.ctx = nonsens_context_new(), .journal = "accuracy.journal", .method = "structured"};
    return set->ctx && nonsens_options_new(set->ctx, NONSENS_COMMAND_DIRECTION, &set->on_pairs.options) == NONSENS_OK &&
           nonsens_options_new(set->ctx, NONSENS_COMMAND_DISCOVER, &set->on_graphs.options) == NONSENS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    int status = 2;
    if (!open_settings(&set)) {
        fputs("accuracy: out of memory\n", stderr);
        status = 1;
    } else if (request_read(&set.request, argc, argv, read_own_word, &set)) {
        status = run_tables(&set) ? 0 : 1;
    } else {
        fputs("usage: accuracy [--reps R] [--cells PATTERNS] [--journal FILE] [--out FILE.csv] [--graphs FILE.csv] "
              "[--seed FIRST] [--threads T] [--method NAME] [--set KEY=VALUE]... [--list yes]\n",
              stderr);
    }
    nonsens_options_free(set.on_pairs.options);
    nonsens_options_free(set.on_graphs.options);
    nonsens_context_free(set.ctx);
    return status;
}
