/*
 * fuzz_journal.c - random bytes as a journal (libFuzzer): readable lines are found and loaded again, and an appended
 * line is on its own, whatever the file ended with.  Everything that takes results from such lines is run on them:
 * bootstrap samples, pairs and the figures of `reproduce`.
 */
#include "figures/figure.h"
#include "fuzz/fuzz_data.h"
#include "fuzz/fuzz_file.h"
#include "methods/registry.h"
#include "pool/journal_head.h"
#include "tasks/bootstrap.h"
#include "tasks/pairs/pairs.h"

#include <string.h>

/* ---- any journal ---- */

typedef struct visited {
    int64_t lines, end;
    journal_place last;
} visited;

static void visit(void *user, const json_value *line, journal_place place)
{
    visited *v = user;
    check(line && place.bytes >= 0 && place.offset >= v->end);
    v->end = place.offset + place.bytes;
    v->last = place;
    v->lines++;
}

/* Counts the lines that are accepted, and loads the last of them again. */
static int64_t count_lines(nonsens_context *ctx, const char *path, visited *v)
{
    journal j;
    json_value *again = NULL;
    *v = (visited){0};
    check(journal_open_visited(ctx, path, visit, v, &j) == NONSENS_OK);
    check(j.changed == 0 || nonsens_context_warning(ctx)[0]);
    check(v->lines == 0 || journal_load(ctx, &j.file, v->last, &again) == NONSENS_OK);
    json_decref(again);
    journal_close(&j);
    return v->lines;
}

static void check_head(nonsens_context *ctx, const char *path)
{
    static const journal_kind kind = {"nonsens bootstrap", "bootstrap samples", "name another --journal"};
    journal j;
    json_value *head = json_object_of("options", json_string(kind.name), "seed", json_integer(0), NULL);
    check(journal_open(ctx, path, &j) == NONSENS_OK);
    nonsens_status status = journal_check_head(ctx, &j, &kind, head);
    check(status == NONSENS_OK || strlen(nonsens_context_message(ctx)) > 10);
    journal_close(&j);
    json_decref(head);
}

static void check_append(nonsens_context *ctx, const char *path)
{
    journal j;
    check(journal_open(ctx, path, &j) == NONSENS_OK);
    check(journal_append(ctx, &j,
                         json_object_of("options", json_string("ours"), "seed", json_integer(77), "value",
                                        json_integer(5), NULL)) == 0);
    check(journal_find(&j, "ours", 77) != NULL);
    journal_close(&j);
    check(journal_open(ctx, path, &j) == NONSENS_OK);
    check(json_integer_value(json_object_get(journal_find(&j, "ours", 77), "value")) == 5);
    journal_close(&j);
}

static void check_lines(nonsens_context *ctx, const char *path)
{
    visited before, after;
    int64_t lines = count_lines(ctx, path, &before);
    check_head(ctx, path);
    check_append(ctx, path);
    check(count_lines(ctx, path, &after) == lines + 1);
}

/* ---- bootstrap samples ---- */

static void check_outcome(const bootstrap_outcome *outcome, int64_t d)
{
    check(!outcome->failure || outcome->edges == 0);
    for (int64_t i = 0; i < outcome->edges; i++) {
        const bootstrap_edge *e = &outcome->edge[i];
        check(e->from >= 0 && e->from < d && e->to >= 0 && e->to < d && e->from != e->to);
        check(e->type >= NONSENS_EDGE_DIRECTED && e->type <= NONSENS_EDGE_BIDIRECTED);
    }
}

static void check_samples(nonsens_context *ctx, const char *path)
{
    enum { SAMPLES = 4, VARIABLES = 3 };
    arena a = {0};
    journal j;
    check(journal_open(ctx, path, &j) == NONSENS_OK);
    for (int64_t k = 0; k < SAMPLES; k++) {
        bootstrap_outcome outcome;
        bool there;
        const json_value *line = bootstrap_journal_find(&j, k);
        check(bootstrap_read_line(ctx, &a, line, VARIABLES, &there, &outcome) == NONSENS_OK);
        if (there) {
            check_outcome(&outcome, VARIABLES);
        }
    }
    journal_close(&j);
    arena_free(&a);
}

/* ---- pairs ---- */

static nonsens_options *pair_options(nonsens_context *ctx)
{
    nonsens_options *options;
    check(nonsens_options_new(ctx, NONSENS_COMMAND_DIRECTION, &options) == NONSENS_OK);
    check(nonsens_options_set(ctx, options, "method", "reci") == NONSENS_OK);
    check(nonsens_options_set(ctx, options, "pairs", "all") == NONSENS_OK);
    check(nonsens_options_set(ctx, options, "resume", "true") == NONSENS_OK);
    return options;
}

static void check_pair(nonsens_context *ctx, const nonsens_pairs *pairs, int64_t index)
{
    const nonsens_pair *pair = &pairs->pair[index];
    json_value *line;
    check((pair->decision != NULL) != (pair->error != NULL) && !(pair->p_value < 0.0 || pair->p_value > 1.0));
    check(unit_lines_load(ctx, &pairs->lines, index, &line) == NONSENS_OK);
    json_decref(line);
}

/* Takes over what the journal holds; if that is all pairs, writes them. */
static void read_pairs(nonsens_context *ctx, const char *path)
{
    static char name[][2] = {"a", "b", "c"}, *names[] = {name[0], name[1], name[2]};
    nonsens_options *options = pair_options(ctx);
    nonsens_pairs pairs = {.options = *options, .variables = 3, .names = names, .lines = {.journal = (char *)path}};
    pairs_sink sink;
    arena scratch = {0};
    int64_t there = 0;
    check(pairs_list(ctx, fuzz_data(ctx), &pairs) == NONSENS_OK && pairs.count == 3);
    pairs.method = method_find("reci");
    check(pairs_sink_new(ctx, &scratch, fuzz_data(ctx), &pairs, &sink) == NONSENS_OK);
    pairs_sink_free(&sink);
    for (int64_t k = 0; k < pairs.count; k++) {
        if (pairs.lines.line[k].done) {
            check_pair(ctx, &pairs, k);
            there++;
        }
    }
    if (there == pairs.count) {
        check(nonsens_pairs_write_json(ctx, &pairs, "/dev/null") == NONSENS_OK);
        check(nonsens_pairs_write_text(ctx, &pairs, 0, "/dev/null") == NONSENS_OK);
    }
    journal_file_close(&pairs.lines.file);
    arena_free(&scratch);
    arena_free(&pairs.memory);
    nonsens_options_free(options);
}

/* Cuts off the checksum, because random lines have none; returns the remaining length. */
static size_t cut_sum(char *line)
{
    char *sum = strstr(line, ",\"sum\":");
    check(sum != NULL);
    strcpy(sum, "}\n");
    return strlen(line);
}

/* Checks the bytes as lines after the head that such a run writes. */
static void check_pairs(nonsens_context *ctx, const uint8_t *data, size_t size)
{
    static char head[4096];
    static size_t length;
    if (length == 0) {
        read_pairs(ctx, fuzz_file(data, 0));
        check(fuzz_first_line(head, sizeof head - 1) > 0);
        length = cut_sum(head);
    }
    uint8_t *whole = malloc(length + size);
    check(whole != NULL);
    memcpy(whole, head, length);
    if (size > 0) {
        memcpy(whole + length, data, size);
    }
    read_pairs(ctx, fuzz_file(whole, length + size));
    free(whole);
}

/* ---- figures ---- */

enum { UNITS = 4 };

/* Lines that the figure accepts as its own. */
typedef struct figure_lines {
    const figure *figure;
    char *unit; /* (UNITS) of unit_bytes each */
    int64_t count;
} figure_lines;

static void read_unit(void *user, const json_value *line, journal_place place)
{
    figure_lines *f = user;
    (void)place;
    if (f->count < UNITS && f->figure->study.read(line, f->unit + (size_t)f->count * f->figure->study.unit_bytes)) {
        f->count++;
    }
}

static void write_figure(nonsens_context *ctx, figure_write_fn write, const study_units *units)
{
    static FILE *nowhere;
    arena scratch = {0};
    nowhere = nowhere ? nowhere : fopen("/dev/null", "w");
    check(nowhere && write(ctx, &scratch, units, nowhere) == NONSENS_OK);
    arena_free(&scratch);
}

/* Writes tables from the units, as if they belonged to the figure's first cell or its first two. */
static void write_figures(nonsens_context *ctx, const figure_lines *f)
{
    static const int64_t cell[] = {0, 1};
    int64_t cells = f->count > 1 ? 2 : 1, reps = f->count / cells, reps_there[] = {reps, reps};
    study_units units = {cells, reps, cell, f->unit, reps_there};
    write_figure(ctx, f->figure->write_csv, &units);
    write_figure(ctx, f->figure->write_text, &units);
}

static void check_figure(nonsens_context *ctx, const char *path, const figure *which)
{
    figure_lines f = {which, calloc(UNITS, which->study.unit_bytes), 0};
    journal j;
    check(f.unit && journal_open_visited(ctx, path, read_unit, &f, &j) == NONSENS_OK);
    journal_close(&j);
    if (f.count > 0) {
        write_figures(ctx, &f);
    }
    free(f.unit);
}

static void check_figures(nonsens_context *ctx, const char *path)
{
    check_figure(ctx, path, &FIGURE_BIVARIATE);
    check_figure(ctx, path, &FIGURE_LINEAR_ICA);
    check_figure(ctx, path, &FIGURE_SIX_VARIABLES);
    check_figure(ctx, path, &FIGURE_FMRI);
}

/* Whether to run this use: while fuzzing, an input has one use, so that more inputs are tried; replays run all uses. */
static bool is_turn(uint64_t turn, const uint8_t *data, size_t size)
{
#if defined(FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION)
    return turn_of(3, data, size) == turn;
#else
    (void)turn, (void)data, (void)size;
    return true;
#endif
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nonsens_context *ctx = nonsens_context_new();
    check(ctx != NULL);
    if (is_turn(0, data, size)) {
        check_samples(ctx, fuzz_file(data, size));
        check_lines(ctx, fuzz_file(data, size));
    }
    if (is_turn(1, data, size)) {
        check_figures(ctx, fuzz_file(data, size));
    }
    if (is_turn(2, data, size)) {
        check_pairs(ctx, data, size);
    }
    nonsens_context_free(ctx);
    return 0;
}
