/*
 * test_faults.c - every command with the n-th allocation failing, by the library's own code and by the JSON library: a
 * clear status, nothing leaked, no half file under its final name, and the context as usable as before.
 *
 * Of commands with many allocations some n are tried, evenly spread; NONSENS_SLOW=1 in the environment tries every one.
 * Where it is in writing that the n-th allocation comes, the result of an undisturbed run is what is written.
 */
#include "base/memory.h"

#include <nonsens/nonsens.h>

#include <dirent.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATH_BYTES = 120, MOST_WORDS = 12, TRIED = 12, OUTPUTS = 9 };

static nonsens_context *ctx;
static char folder[] = "/tmp/test_faults_XXXXXX";

static const char *path_of(char path[PATH_BYTES], const char *name)
{
    snprintf(path, PATH_BYTES, "%s/%s", folder, name);
    return path;
}

/* ---- the JSON library's allocations ---- */

static int64_t json_held, json_asked, json_until_failure = -1;

static void *json_get(size_t bytes)
{
    json_asked++;
    if (json_until_failure >= 0 && json_until_failure-- == 0) {
        return NULL;
    }
    void *block = malloc(bytes);
    json_held += block != NULL;
    return block;
}

static void json_release(void *block)
{
    json_held -= block != NULL;
    free(block);
}

/* ---- commands ---- */

/* What is run: a command on a data set with options, all that it can write written. */
typedef struct scenario {
    const char *name;
    unsigned command;
    const char *data;              /* file in the folder; NULL: none */
    const char *words[MOST_WORDS]; /* options, key and value in turn */
    nonsens_status (*run)(const struct scenario *s);
} scenario;

static nonsens_status make_options(const scenario *s, nonsens_options **options)
{
    nonsens_status status = nonsens_options_new(ctx, s->command, options);
    for (int k = 0; status == NONSENS_OK && s->words[k]; k += 2) {
        char path[PATH_BYTES];
        bool file = s->words[k + 1][0] == '@';
        status = nonsens_options_set(ctx, *options, s->words[k],
                                     file ? path_of(path, s->words[k + 1] + 1) : s->words[k + 1]);
    }
    return status;
}

static nonsens_status run_method(const scenario *s, const nonsens_data *data, const nonsens_options *options,
                                 nonsens_result **result)
{
    switch (s->command) {
    case NONSENS_CMD_DIRECTION:
        return nonsens_direction(ctx, data, options, result);
    case NONSENS_CMD_DISCOVER:
        return nonsens_discover(ctx, data, options, result);
    case NONSENS_CMD_INDEPENDENCE:
        return nonsens_independence(ctx, data, options, result);
    case NONSENS_CMD_DIAGNOSE:
        return nonsens_diagnose(ctx, data, options, result);
    case NONSENS_CMD_EXPLAIN:
        return nonsens_explain(ctx, data, options, result);
    default:
        return nonsens_ica(ctx, data, options, result);
    }
}

static nonsens_status write_graphs(const nonsens_result *result)
{
    static const char *const name[] = {"", "out.dot", "out.csv", "out.txt", "out.graphml"};
    nonsens_status status = NONSENS_OK;
    char path[PATH_BYTES];
    for (int k = 1; k <= NONSENS_GRAPH_GRAPHML && status == NONSENS_OK; k++) {
        status = nonsens_result_write_graph(ctx, result, (nonsens_graph_format)k, path_of(path, name[k]));
    }
    return status;
}

static nonsens_status write_all(const scenario *s, const nonsens_data *data, const nonsens_result *result)
{
    char path[PATH_BYTES];
    bool page = s->command & (NONSENS_CMD_DIRECTION | NONSENS_CMD_DISCOVER | NONSENS_CMD_EXPLAIN);
    nonsens_status status =
        nonsens_result_write_text(ctx, result, NONSENS_TEXT_ALL | NONSENS_TEXT_STEPS, path_of(path, "out.text"));
    status = status == NONSENS_OK ? nonsens_result_write_json(ctx, result, path_of(path, "out.json")) : status;
    if (status == NONSENS_OK && page) {
        status = nonsens_result_write_html(ctx, result, data, NULL, 0, path_of(path, "out.html"));
    }
    if (status == NONSENS_OK && s->command == NONSENS_CMD_DISCOVER) {
        status = write_graphs(result);
    }
    if (status == NONSENS_OK && nonsens_result_sources(result) > 0) {
        status = nonsens_result_write_sources(ctx, result, path_of(path, "out.sources"));
    }
    return status;
}

enum kind { OURS, OF_JSON, KINDS };

static int64_t asked(enum kind kind)
{
    return kind == OURS ? memory_asked() : json_asked;
}

/* The undisturbed run of an analysis. */
static struct {
    nonsens_data *data;
    nonsens_result *result;
    bool used;                     /* in place of another run */
    int64_t before_writing[KINDS]; /* allocations that had been asked for when the last run began to write */
} undisturbed;

static nonsens_status make_result(const scenario *s, nonsens_data **data, nonsens_result **result)
{
    nonsens_options *options = NULL;
    char path[PATH_BYTES];
    nonsens_status status = make_options(s, &options);
    status = status == NONSENS_OK ? nonsens_data_read(ctx, path_of(path, s->data), options, data) : status;
    status = status == NONSENS_OK ? run_method(s, *data, options, result) : status;
    nonsens_options_free(options);
    return status;
}

static nonsens_status run_analysis(const scenario *s)
{
    nonsens_data *data = NULL;
    nonsens_result *result = NULL;
    if (undisturbed.used) {
        return write_all(s, undisturbed.data, undisturbed.result);
    }
    nonsens_status status = make_result(s, &data, &result);
    for (enum kind k = OURS; k < KINDS; k++) {
        undisturbed.before_writing[k] = asked(k);
    }
    status = status == NONSENS_OK ? write_all(s, data, result) : status;
    nonsens_result_free(result);
    nonsens_data_free(data);
    return status;
}

static nonsens_status run_simulation(const scenario *s)
{
    nonsens_options *options = NULL;
    nonsens_simulation *simulation = NULL;
    nonsens_data *data = NULL;
    char path[PATH_BYTES];
    nonsens_status status = make_options(s, &options);
    status = status == NONSENS_OK ? nonsens_simulate(ctx, options, &simulation) : status;
    status = status == NONSENS_OK ? nonsens_simulation_data(ctx, simulation, &data) : status;
    status = status == NONSENS_OK ? nonsens_simulation_write_csv(ctx, simulation, path_of(path, "out.csv")) : status;
    status = status == NONSENS_OK ? nonsens_simulation_write_truth(ctx, simulation, path_of(path, "out.json")) : status;
    nonsens_data_free(data);
    nonsens_simulation_free(simulation);
    nonsens_options_free(options);
    return status;
}

static nonsens_status run_pairs(const scenario *s)
{
    nonsens_options *options = NULL;
    nonsens_data *data = NULL;
    nonsens_pairs *pairs = NULL;
    char path[PATH_BYTES];
    nonsens_status status = make_options(s, &options);
    status = status == NONSENS_OK ? nonsens_data_read(ctx, path_of(path, s->data), options, &data) : status;
    status =
        status == NONSENS_OK ? nonsens_pairs_run(ctx, data, options, path_of(path, "out.journal"), &pairs) : status;
    status = status == NONSENS_OK ? nonsens_pairs_write_json(ctx, pairs, path_of(path, "out.json")) : status;
    status = status == NONSENS_OK ? nonsens_pairs_write_text(ctx, pairs, path_of(path, "out.text")) : status;
    nonsens_pairs_free(pairs);
    nonsens_data_free(data);
    nonsens_options_free(options);
    return status;
}

static nonsens_status run_comparison(const scenario *s)
{
    nonsens_options *options = NULL;
    nonsens_graph *truth = NULL, *estimate = NULL;
    nonsens_comparison *comparison = NULL;
    char path[PATH_BYTES];
    nonsens_status status = make_options(s, &options);
    status = status == NONSENS_OK ? nonsens_graph_read(ctx, path_of(path, "truth.json"), NULL, &truth) : status;
    status = status == NONSENS_OK ? nonsens_graph_read(ctx, path_of(path, "graph.csv"), NULL, &estimate) : status;
    status = status == NONSENS_OK ? nonsens_compare(ctx, estimate, truth, options, &comparison) : status;
    status = status == NONSENS_OK ? nonsens_comparison_write_text(ctx, comparison, path_of(path, "out.text")) : status;
    status = status == NONSENS_OK ? nonsens_comparison_write_json(ctx, comparison, path_of(path, "out.json")) : status;
    nonsens_comparison_free(comparison);
    nonsens_graph_free(estimate);
    nonsens_graph_free(truth);
    nonsens_options_free(options);
    return status;
}

static nonsens_status run_report(const scenario *s)
{
    char result[PATH_BYTES], data[PATH_BYTES], sources[PATH_BYTES], page[PATH_BYTES];
    const char *file = path_of(data, s->data);
    return nonsens_report_write_html(ctx, path_of(result, "kept.json"), &file, 1, path_of(sources, "kept.sources"),
                                     path_of(page, "out.html"), NULL);
}

static nonsens_status run_figure(const scenario *s)
{
    nonsens_options *options = NULL;
    char path[PATH_BYTES];
    nonsens_status status = make_options(s, &options);
    status = status == NONSENS_OK ? nonsens_reproduce(ctx, options, "linear-ica", path_of(path, "out.text")) : status;
    nonsens_options_free(options);
    return status;
}

static nonsens_status test_of_mine(void *user, int64_t x, int64_t y, const int64_t *given, int64_t count,
                                   double *p_value)
{
    (void)user, (void)given;
    *p_value = 1.0 / (double)(1 + x + y + count);
    return NONSENS_OK;
}

/* The same question twice, one with a variable given, and one to a test of the caller's own. */
static nonsens_status run_tester(const scenario *s)
{
    nonsens_options *options = NULL;
    nonsens_data *data = NULL;
    nonsens_ci *tester = NULL, *mine = NULL;
    char path[PATH_BYTES];
    int64_t third = 2;
    double p;
    nonsens_status status = make_options(s, &options);
    status = status == NONSENS_OK ? nonsens_data_read(ctx, path_of(path, s->data), options, &data) : status;
    status = status == NONSENS_OK ? nonsens_ci_new(ctx, data, options, &tester) : status;
    for (int k = 0; k < 3 && status == NONSENS_OK; k++) {
        status = nonsens_ci_test(ctx, tester, 0, 1, &third, k / 2, NULL, &p);
    }
    status = status == NONSENS_OK ? nonsens_ci_from_callback(ctx, 3, test_of_mine, NULL, &mine) : status;
    status = status == NONSENS_OK ? nonsens_ci_test(ctx, mine, 1, 0, &third, 1, NULL, &p) : status;
    nonsens_ci_free(mine);
    nonsens_ci_free(tester);
    nonsens_data_free(data);
    nonsens_options_free(options);
    return status;
}

/* Data from memory by both doors, and from several files. */
static nonsens_status run_doors(const scenario *s)
{
    enum { ROWS = 6 };
    static const double value[2 * ROWS] = {1.5, 2.5, 4.0, 3.0, 1.0, 0.5, 9.0, 7.5, 8.0, 6.0, 7.0, 9.5};
    static const int64_t segment[ROWS] = {1, 1, 1, 2, 2, 2};
    static const int32_t category[ROWS] = {0, 0, 0, 1, 1, 1};
    static const char *const label[] = {"a", "b"};
    static const nonsens_column column[] = {{"x1", value, 1}, {"x2", value + ROWS, 1}};
    nonsens_options *options = NULL;
    nonsens_data *arrays = NULL, *columns = NULL, *files = NULL;
    char first[PATH_BYTES], second[PATH_BYTES];
    const char *path[] = {path_of(first, s->data), path_of(second, "three.csv")};
    nonsens_status status = make_options(s, &options);
    status =
        status == NONSENS_OK ? nonsens_data_from_arrays(ctx, ROWS, 2, value, 1, ROWS, NULL, segment, &arrays) : status;
    status = status == NONSENS_OK
                 ? nonsens_data_from_columns(ctx, ROWS, 2, column, category, 2, label, options, &columns)
                 : status;
    status = status == NONSENS_OK ? nonsens_data_read_files(ctx, path, 2, options, &files) : status;
    nonsens_data_free(files);
    nonsens_data_free(columns);
    nonsens_data_free(arrays);
    nonsens_options_free(options);
    return status;
}

static nonsens_status run_on_graph(const scenario *s)
{
    static const char text[] = "cause,effect\nx1,x2\n";
    nonsens_options *options = NULL;
    nonsens_data *data = NULL;
    nonsens_graph *graph = NULL;
    nonsens_result *result = NULL;
    char path[PATH_BYTES];
    nonsens_status status = make_options(s, &options);
    status = status == NONSENS_OK ? nonsens_data_read(ctx, path_of(path, s->data), options, &data) : status;
    status = status == NONSENS_OK ? nonsens_graph_parse(ctx, "text", text, sizeof text - 1, NULL, &graph) : status;
    status = status == NONSENS_OK ? nonsens_explain_on_graph(ctx, data, graph, options, &result) : status;
    nonsens_result_free(result);
    nonsens_graph_free(graph);
    nonsens_data_free(data);
    nonsens_options_free(options);
    return status;
}

#define SEGMENTED "segment", "segment", "threads", "1"
#define QUICK SEGMENTED, "epochs", "2", "folds", "2"

static const scenario SCENARIO[] = {
    {"simulate layered", NONSENS_CMD_SIMULATE, NULL, {"per-segment", "5"}, run_simulation},
    {"simulate node", NONSENS_CMD_SIMULATE, NULL, {"per-segment", "5", "sem", "node", "nodes", "4"}, run_simulation},
    {"structured", NONSENS_CMD_DIRECTION, "pair.csv", {SEGMENTED}, run_analysis},
    {"nonsens", NONSENS_CMD_DIRECTION, "pair.csv", {QUICK, "method", "nonsens"}, run_analysis},
    {"nonsens-lr", NONSENS_CMD_DIRECTION, "pair.csv", {QUICK, "method", "nonsens-lr"}, run_analysis},
    {"linear-ica", NONSENS_CMD_DIRECTION, "pair.csv", {SEGMENTED, "method", "linear-ica"}, run_analysis},
    {"lingam", NONSENS_CMD_DIRECTION, "pair.csv", {SEGMENTED, "method", "lingam"}, run_analysis},
    {"resit", NONSENS_CMD_DIRECTION, "pair.csv", {SEGMENTED, "method", "resit"}, run_analysis},
    {"reci", NONSENS_CMD_DIRECTION, "pair.csv", {SEGMENTED, "method", "reci"}, run_analysis},
    {"icp", NONSENS_CMD_DIRECTION, "pair.csv", {SEGMENTED, "method", "icp"}, run_analysis},
    {"cdnod", NONSENS_CMD_DIRECTION, "pair.csv", {SEGMENTED, "method", "cdnod"}, run_analysis},
    {"structured graph", NONSENS_CMD_DISCOVER, "three.csv", {SEGMENTED}, run_analysis},
    {"lingam graph", NONSENS_CMD_DISCOVER, "three.csv", {SEGMENTED, "method", "lingam"}, run_analysis},
    {"resit graph", NONSENS_CMD_DISCOVER, "three.csv", {SEGMENTED, "method", "resit"}, run_analysis},
    {"icp graph", NONSENS_CMD_DISCOVER, "three.csv", {SEGMENTED, "method", "icp", "max-given", "1"}, run_analysis},
    {"cdnod graph", NONSENS_CMD_DISCOVER, "three.csv", {SEGMENTED, "method", "cdnod"}, run_analysis},
    {"pc with resamples",
     NONSENS_CMD_DISCOVER,
     "three.csv",
     {SEGMENTED, "method", "pc", "bootstrap", "3", "journal", "@out.journal"},
     run_analysis},
    {"pc-nonsens with knowledge",
     NONSENS_CMD_DISCOVER,
     "three.csv",
     {SEGMENTED, "method", "pc-nonsens", "knowledge", "@known.txt"},
     run_analysis},
    {"kernel test", NONSENS_CMD_INDEPENDENCE, "three.csv", {SEGMENTED, "x", "x1", "y", "x2"}, run_analysis},
    {"conditional test",
     NONSENS_CMD_INDEPENDENCE,
     "three.csv",
     {SEGMENTED, "x", "x1", "y", "x2", "given", "x3"},
     run_analysis},
    {"test of change", NONSENS_CMD_INDEPENDENCE, "pair.csv", {SEGMENTED, "x", "x1", "test", "ks"}, run_analysis},
    {"diagnose", NONSENS_CMD_DIAGNOSE, "pair.csv", {SEGMENTED}, run_analysis},
    {"ica", NONSENS_CMD_ICA, "three.csv", {SEGMENTED}, run_analysis},
    {"fastica", NONSENS_CMD_ICA, "three.csv", {SEGMENTED, "method", "fastica"}, run_analysis},
    {"explain", NONSENS_CMD_EXPLAIN, "three.csv", {SEGMENTED, "of", "s1", "graph", "@truth.json"}, run_analysis},
    {"pairs", NONSENS_CMD_DIRECTION, "three.csv", {SEGMENTED, "method", "lingam", "pairs", "@pairs.txt"}, run_pairs},
    {"compare", NONSENS_CMD_COMPARE, NULL, {"closure", "true"}, run_comparison},
    {"report", NONSENS_CMD_REPORT, "pair.csv", {NULL}, run_report},
    {"reproduce",
     NONSENS_CMD_REPRODUCE,
     NULL,
     {"reps", "1", "cells", "laplace-random-50", "threads", "1", "out", "@out.figures"},
     run_figure},
    {"tester", NONSENS_CMD_INDEPENDENCE, "three.csv", {SEGMENTED}, run_tester},
    {"doors", NONSENS_CMD_DIAGNOSE, "pair.csv", {"vars", "x1,x2"}, run_doors},
    {"explain on a graph", NONSENS_CMD_EXPLAIN, "pair.csv", {SEGMENTED, "of", "s1"}, run_on_graph},
};

/* ---- files ---- */

static void remove_file(const char *folder_path, const char *name)
{
    char path[2 * PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder_path, name);
    if (unlink(path) != 0) {
        DIR *inner = opendir(path);
        for (struct dirent *e = inner ? readdir(inner) : NULL; e; e = readdir(inner)) {
            if (e->d_name[0] != '.') {
                remove_file(path, e->d_name);
            }
        }
        if (inner) {
            closedir(inner);
        }
        rmdir(path);
    }
}

/* Removes what runs wrote; names of temporary files among them are a fault. */
static void remove_outputs(const char *prefix)
{
    DIR *here = opendir(folder);
    assert_non_null(here);
    for (struct dirent *e = readdir(here); e; e = readdir(here)) {
        if (strncmp(e->d_name, prefix, strlen(prefix)) == 0 && e->d_name[0] != '.') {
            remove_file(folder, e->d_name);
        }
    }
    closedir(here);
}

static int64_t size_of(const char *name)
{
    char path[PATH_BYTES];
    struct stat facts;
    return stat(path_of(path, name), &facts) == 0 ? (int64_t)facts.st_size : -1;
}

static const char *const OUTPUT[OUTPUTS] = {"out.text", "out.json",    "out.html",    "out.dot", "out.csv",
                                            "out.txt",  "out.graphml", "out.sources", "out.none"};

/* JSON and page hold the seconds of the run: a few bytes more or less are no half file. */
static void assert_whole(const char *scenario_name, const int64_t whole[OUTPUTS])
{
    for (int k = 0; k < OUTPUTS; k++) {
        int64_t found = size_of(OUTPUT[k]);
        if (found >= 0 && llabs(found - whole[k]) > 64) {
            fail_msg("%s: %s has %lld bytes of %lld", scenario_name, OUTPUT[k], (long long)found, (long long)whole[k]);
        }
    }
}

static void assert_no_leftovers(const char *scenario_name)
{
    DIR *here = opendir(folder);
    assert_non_null(here);
    for (struct dirent *e = readdir(here); e; e = readdir(here)) {
        bool known = e->d_name[0] == '.' && (!e->d_name[1] || !strcmp(e->d_name, ".."));
        for (const char *const *name =
                 (const char *const[]){"pair.csv", "three.csv", "truth.json", "graph.csv", "known.txt", "pairs.txt",
                                       "kept.json", "kept.sources", "out.", NULL};
             *name; name++) {
            known = known || strncmp(e->d_name, *name, strlen(*name)) == 0;
        }
        if (!known) {
            fail_msg("%s leaves %s behind", scenario_name, e->d_name);
        }
    }
    closedir(here);
}

/* ---- failing ---- */

static void fail_at(enum kind kind, int64_t n)
{
    memory_fail_at(kind == OURS ? n : -1);
    json_until_failure = kind == OF_JSON ? n : -1;
}

static nonsens_status run_failing(const scenario *s, enum kind kind, int64_t n, const int64_t whole[OUTPUTS])
{
    int64_t ours = memory_held(), json = json_held;
    remove_outputs("out");
    fail_at(kind, n);
    nonsens_status status = s->run(s);
    fail_at(kind, -1);
    if (memory_held() != ours || json_held != json) {
        fail_msg("%s, allocation %lld %s: %lld and %lld blocks are not given back", s->name, (long long)n,
                 kind == OURS ? "of ours" : "of JSON", (long long)(memory_held() - ours),
                 (long long)(json_held - json));
    }
    assert_whole(s->name, whole);
    assert_no_leftovers(s->name);
    return status;
}

/* A text that the JSON library cannot take in is read once more, and a single failure is then mended. */
static bool reads_json(const scenario *s)
{
    return s->run == run_pairs || s->run == run_comparison || s->run == run_report || s->run == run_figure ||
           s->command == NONSENS_CMD_EXPLAIN;
}

static void check_failure(const scenario *s, enum kind kind, int64_t n, const int64_t whole[OUTPUTS])
{
    nonsens_status status = run_failing(s, kind, n, whole);
    bool told = status == NONSENS_ERR_MEMORY && strstr(nonsens_message(ctx), "memory");
    bool mended = status == NONSENS_OK && kind == OF_JSON && reads_json(s);
    if (!told && !mended) {
        fail_msg("%s, allocation %lld %s fails%s: status %d, \"%s\"", s->name, (long long)n,
                 kind == OURS ? "of ours" : "of JSON", undisturbed.used ? " in writing" : "", (int)status,
                 nonsens_message(ctx));
    }
}

static void sweep(const scenario *s, enum kind kind, const int64_t whole[OUTPUTS])
{
    int64_t before = asked(kind), slow = getenv("NONSENS_SLOW") != NULL;
    assert_int_equal(run_failing(s, kind, -1, whole), NONSENS_OK);
    int64_t count = asked(kind) - before, step = slow || count <= TRIED ? 1 : count / TRIED;
    int64_t writing = undisturbed.result ? undisturbed.before_writing[kind] - before : count;
    for (int64_t n = 0; n < count; n += n < 4 ? 1 : step) {
        undisturbed.used = n >= writing;
        check_failure(s, kind, undisturbed.used ? n - writing : n, whole);
    }
    undisturbed.used = false;
    assert_int_equal(run_failing(s, kind, -1, whole), NONSENS_OK); // as usable as before
}

static void test_every_allocation(void **state)
{
    const scenario *s = *state;
    int64_t whole[OUTPUTS];
    remove_outputs("out");
    nonsens_status status = s->run(s);
    if (status != NONSENS_OK) {
        fail_msg("%s: status %d, %s", s->name, (int)status, nonsens_message(ctx));
    }
    for (int k = 0; k < OUTPUTS; k++) {
        whole[k] = size_of(OUTPUT[k]);
    }
    remove_outputs("out");
    if (s->run == run_analysis) {
        assert_int_equal(make_result(s, &undisturbed.data, &undisturbed.result), NONSENS_OK);
    }
    sweep(s, OURS, whole);
    sweep(s, OF_JSON, whole);
    nonsens_result_free(undisturbed.result);
    nonsens_data_free(undisturbed.data);
    undisturbed.result = NULL;
    undisturbed.data = NULL;
    remove_outputs("out");
}

/* ---- what they run on ---- */

static void keep(const char *from, const char *to)
{
    char a[PATH_BYTES], b[PATH_BYTES];
    assert_int_equal(rename(path_of(a, from), path_of(b, to)), 0);
}

static void write_text(const char *name, const char *text)
{
    char path[PATH_BYTES];
    FILE *file = fopen(path_of(path, name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    (void)state;
    static const scenario pair = {.command = NONSENS_CMD_SIMULATE,
                                  .words = {"per-segment", "16", "segments", "4", "depth", "1"}},
                          three = {.command = NONSENS_CMD_SIMULATE,
                                   .words = {"per-segment", "16", "segments", "4", "depth", "1", "sem", "node", "nodes",
                                             "3"}},
                          kept = {.command = NONSENS_CMD_DIRECTION,
                                  .data = "pair.csv",
                                  .words = {SEGMENTED, "method", "linear-ica"}};
    json_set_alloc_funcs(json_get, json_release);
    ctx = nonsens_context_new();
    if (!ctx || !mkdtemp(folder)) {
        return -1;
    }
    assert_int_equal(run_simulation(&pair), NONSENS_OK);
    keep("out.csv", "pair.csv");
    assert_int_equal(run_simulation(&three), NONSENS_OK);
    keep("out.csv", "three.csv");
    keep("out.json", "truth.json");
    assert_int_equal(run_analysis(&kept), NONSENS_OK);
    keep("out.json", "kept.json");
    keep("out.sources", "kept.sources");
    write_text("graph.csv", "from,to\nx1,x2\nx3,x2\n");
    write_text("known.txt", "/knowledge\nforbiddirect\nx3 x1\n");
    write_text("pairs.txt", "x1,x2\nx3,x1\n");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove_outputs("");
    nonsens_context_free(ctx);
    return rmdir(folder);
}

int main(void)
{
    enum { COUNT = sizeof SCENARIO / sizeof *SCENARIO };
    struct CMUnitTest tests[COUNT];
    for (size_t k = 0; k < COUNT; k++) {
        tests[k] = (struct CMUnitTest){SCENARIO[k].name, test_every_allocation, NULL, NULL, (void *)&SCENARIO[k]};
    }
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
