/*
 * fault_runs.h - what test_faults.c runs with failing allocations: commands on small data, from reading to writing.
 *
 * Include it last: cmocka.h defines a macro fail().
 */
#ifndef UNIT_FAULT_RUNS_H
#define UNIT_FAULT_RUNS_H

#include "base/memory.h"
#include "figures/figure.h"

#include <nonsens/nonsens.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { PATH_BYTES = 120, MAX_WORDS = 16 };

static nonsens_context *ctx;
static char folder[64];

static const char *path_of(char path[PATH_BYTES], const char *name)
{
    assert_true(snprintf(path, PATH_BYTES, "%s/%s", folder, name) < PATH_BYTES);
    return path;
}

/* ---- commands ---- */

/* What is run: a command with options on a data set; it writes all that it can write. */
typedef struct scenario {
    const char *name;
    unsigned command;
    const char *data;             /* file in the folder; NULL: none */
    const char *words[MAX_WORDS]; /* options, key and value in turn; @ stands for the folder */
    nonsens_status (*run)(const struct scenario *s);
} scenario;

static const char *threads = "1"; /* overrides the option */

static nonsens_status make_options(const scenario *s, nonsens_options **options)
{
    nonsens_status status = nonsens_options_new(ctx, s->command, options);
    for (int k = 0; status == NONSENS_OK && s->words[k]; k += 2) {
        char path[PATH_BYTES];
        const char *value = strcmp(s->words[k], "threads") == 0 ? threads : s->words[k + 1];
        value = value[0] == '@' ? path_of(path, value + 1) : value;
        status = nonsens_options_set(ctx, *options, s->words[k], value);
    }
    return status;
}

static nonsens_status run_method(const scenario *s, const nonsens_data *data, const nonsens_options *options,
                                 nonsens_result **result)
{
    switch (s->command) {
    case NONSENS_COMMAND_DIRECTION:
        return nonsens_run_direction(ctx, data, options, result);
    case NONSENS_COMMAND_DISCOVER:
        return nonsens_run_discover(ctx, data, options, result);
    case NONSENS_COMMAND_INDEPENDENCE:
        return nonsens_run_independence(ctx, data, options, result);
    case NONSENS_COMMAND_DIAGNOSE:
        return nonsens_run_diagnose(ctx, data, options, result);
    case NONSENS_COMMAND_EXPLAIN:
        return nonsens_run_explain(ctx, data, NULL, options, result);
    case NONSENS_COMMAND_EFFECT:
        return nonsens_run_effect(ctx, data, NULL, options, result);
    default:
        return nonsens_run_ica(ctx, data, options, result);
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
    bool page = s->command & (NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_DISCOVER | NONSENS_COMMAND_EXPLAIN);
    nonsens_status status =
        nonsens_result_write_text(ctx, result, NONSENS_TEXT_ALL | NONSENS_TEXT_REASONING, path_of(path, "out.text"));
    status = status == NONSENS_OK ? nonsens_result_write_json(ctx, result, path_of(path, "out.json")) : status;
    if (status == NONSENS_OK && page) {
        status = nonsens_result_write_html(ctx, result, data, NULL, 0, path_of(path, "out.html"));
    }
    if (status == NONSENS_OK && s->command == NONSENS_COMMAND_DISCOVER) {
        status = write_graphs(result);
    }
    if (status == NONSENS_OK && nonsens_result_source_count(result) > 0) {
        status = nonsens_result_write_sources(ctx, result, path_of(path, "out.sources"));
    }
    return status;
}

/* The undisturbed run of an analysis. */
static struct {
    nonsens_data *data;
    nonsens_result *result;
    bool used;              /* The result of an undisturbed run of an analysis. */
    int64_t before_writing; /* number of allocations before the last run began to write */
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
    undisturbed.before_writing = memory_asked();
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
    status = status == NONSENS_OK ? nonsens_simulation_new(ctx, options, &simulation) : status;
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
        status == NONSENS_OK ? nonsens_run_pairs(ctx, data, options, path_of(path, "out.journal"), &pairs) : status;
    status = status == NONSENS_OK ? nonsens_pairs_write_json(ctx, pairs, path_of(path, "out.json")) : status;
    status = status == NONSENS_OK ? nonsens_pairs_write_text(ctx, pairs, NONSENS_TEXT_ALL, path_of(path, "out.text"))
                                  : status;
    nonsens_pairs_free(pairs);
    nonsens_data_free(data);
    nonsens_options_free(options);
    return status;
}

static nonsens_status run_segments(const scenario *s)
{
    nonsens_options *options = NULL;
    nonsens_data *data = NULL;
    nonsens_explanations *all = NULL;
    char path[PATH_BYTES];
    nonsens_status status = make_options(s, &options);
    status = status == NONSENS_OK ? nonsens_data_read(ctx, path_of(path, s->data), options, &data) : status;
    status = status == NONSENS_OK
                 ? nonsens_run_explain_all(ctx, data, NULL, options, path_of(path, "out.journal"), &all)
                 : status;
    status = status == NONSENS_OK ? nonsens_explanations_write_json(ctx, all, path_of(path, "out.json")) : status;
    status = status == NONSENS_OK
                 ? nonsens_explanations_write_text(ctx, all, NONSENS_TEXT_ALL, path_of(path, "out.text"))
                 : status;
    nonsens_explanations_free(all);
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
    status = status == NONSENS_OK ? nonsens_comparison_new(ctx, estimate, truth, options, &comparison) : status;
    status = status == NONSENS_OK ? nonsens_comparison_write_text(ctx, comparison, path_of(path, "out.text")) : status;
    status = status == NONSENS_OK ? nonsens_comparison_write_json(ctx, comparison, path_of(path, "out.json")) : status;
    nonsens_comparison_free(comparison);
    nonsens_graph_free(estimate);
    nonsens_graph_free(truth);
    nonsens_options_free(options);
    return status;
}

/* Writes the page of a pair with its disturbances, or of a graph. */
static nonsens_status run_report(const scenario *s)
{
    char result[PATH_BYTES], data[PATH_BYTES], sources[PATH_BYTES], page[PATH_BYTES];
    const char *file = path_of(data, s->data);
    bool graph = strcmp(s->name, "report of a graph") == 0;
    return nonsens_report_write_html(ctx, path_of(result, graph ? "found.json" : "kept.json"), &file, 1,
                                     graph ? NULL : path_of(sources, "kept.sources"), path_of(page, "out.html"), NULL);
}

static int send_nothing(void *user, int to, int tag, const char *text)
{
    (void)user, (void)to, (void)tag, (void)text;
    return 0;
}

static int receive_nothing(void *user, int *from, int *tag, const char **text)
{
    (void)user, (void)from, (void)tag;
    *text = NULL;
    return 0;
}

static nonsens_status run_figure(const scenario *s)
{
    static const pool_members alone = {0, 1, send_nothing, receive_nothing, NULL};
    const char *name = strchr(s->name, ' ') + 1;
    nonsens_options *options = NULL;
    char path[PATH_BYTES];
    nonsens_status status = make_options(s, &options);
    path_of(path, "out.text");
    if (status == NONSENS_OK) {
        bool together = strncmp(s->name, "pool", strlen("pool")) == 0;
        status = figure_reproduce(ctx, options, figure_find(name), path, together ? &alone : NULL);
    }
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

/* Asks the same question twice, one given a variable, and one of a test of the caller's own. */
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
    status = status == NONSENS_OK ? nonsens_ci_new_callback(ctx, 3, test_of_mine, NULL, &mine) : status;
    status = status == NONSENS_OK ? nonsens_ci_test(ctx, mine, 1, 0, &third, 1, NULL, &p) : status;
    nonsens_ci_free(mine);
    nonsens_ci_free(tester);
    nonsens_data_free(data);
    nonsens_options_free(options);
    return status;
}

/* Passes data from memory by both functions, and from several files; a row without a label gives a warning. */
static nonsens_status run_doors(const scenario *s)
{
    enum { ROWS = 6 };
    static const double value[2 * ROWS] = {1.5, 2.5, 4.0, 3.0, 1.0, 0.5, 9.0, 7.5, 8.0, 6.0, 7.0, 9.5};
    static const int64_t segment[ROWS] = {1, 1, 1, 2, 2, 2};
    static const int32_t category[ROWS] = {0, 0, 0, 1, 1, -1};
    static const char *const label[] = {"a", "b"}, *const name[] = {"x1", "x2"};
    static const nonsens_column column[] = {{"x1", value, 1}, {"x2", value + ROWS, 1}};
    nonsens_options *options = NULL;
    nonsens_data *arrays = NULL, *columns = NULL, *files = NULL;
    char first[PATH_BYTES], second[PATH_BYTES];
    const char *path[] = {path_of(first, s->data), path_of(second, "three.csv")};
    nonsens_status status = make_options(s, &options);
    status =
        status == NONSENS_OK ? nonsens_data_from_arrays(ctx, ROWS, 2, value, 1, ROWS, name, segment, &arrays) : status;
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

static nonsens_status read_once(const nonsens_options *options, const char *name)
{
    nonsens_data *data = NULL;
    char path[PATH_BYTES];
    nonsens_status status = nonsens_data_read(ctx, path_of(path, name), options, &data);
    nonsens_data_free(data);
    return status;
}

static nonsens_status read_graph_once(const char *name)
{
    nonsens_graph *graph = NULL;
    char path[PATH_BYTES];
    nonsens_status status = nonsens_graph_read(ctx, path_of(path, name), NULL, &graph);
    nonsens_graph_free(graph);
    return status;
}

/* Reads files of every format, and what options say before a run. */
static nonsens_status run_readers(const scenario *s)
{
    nonsens_options *options = NULL;
    char path[PATH_BYTES];
    const char *value;
    nonsens_status status = make_options(s, &options);
    status = status == NONSENS_OK ? nonsens_options_check(ctx, options) : status;
    status = status == NONSENS_OK ? nonsens_options_get(ctx, options, "seed", &value) : status;
    status = status == NONSENS_OK ? nonsens_output_check(ctx, path_of(path, "out.json")) : status;
    status = status == NONSENS_OK ? read_once(options, s->data) : status;
    status = status == NONSENS_OK ? read_once(options, "values.npy") : status;
    status = status == NONSENS_OK ? read_graph_once("tetrad.txt") : status;
    status = status == NONSENS_OK ? read_graph_once("matrix.csv") : status;
    status = status == NONSENS_OK ? read_graph_once("found.json") : status;
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
    status = status == NONSENS_OK ? nonsens_run_explain(ctx, data, graph, options, &result) : status;
    nonsens_result_free(result);
    nonsens_graph_free(graph);
    nonsens_data_free(data);
    nonsens_options_free(options);
    return status;
}

#define SEGMENTED "segment", "segment", "threads", "1"
#define QUICK SEGMENTED, "epochs", "2", "folds", "2"
#define ASKED SEGMENTED, "draws", "20", "do", "x1=0.1"

static const scenario SCENARIO[] = {
    {"simulate layered", NONSENS_COMMAND_SIMULATE, NULL, {"per-segment", "5"}, run_simulation},
    {"simulate node",
     NONSENS_COMMAND_SIMULATE,
     NULL,
     {"per-segment", "5", "sem", "node", "nodes", "4"},
     run_simulation},
    {"structured", NONSENS_COMMAND_DIRECTION, "pair.csv", {SEGMENTED}, run_analysis},
    {"nonsens", NONSENS_COMMAND_DIRECTION, "pair.csv", {QUICK, "method", "nonsens"}, run_analysis},
    {"nonsens-lr", NONSENS_COMMAND_DIRECTION, "pair.csv", {QUICK, "method", "nonsens-lr"}, run_analysis},
    {"linear-ica", NONSENS_COMMAND_DIRECTION, "pair.csv", {SEGMENTED, "method", "linear-ica"}, run_analysis},
    {"structured, rows in blocks",
     NONSENS_COMMAND_DIRECTION,
     "pair.csv",
     {SEGMENTED, "block-length", "4"},
     run_analysis},
    {"linear-ica by likelihood",
     NONSENS_COMMAND_DIRECTION,
     "pair.csv",
     {SEGMENTED, "method", "linear-ica", "rule", "likelihood-ratio"},
     run_analysis},
    {"lingam", NONSENS_COMMAND_DIRECTION, "pair.csv", {SEGMENTED, "method", "lingam"}, run_analysis},
    {"resit", NONSENS_COMMAND_DIRECTION, "pair.csv", {SEGMENTED, "method", "resit"}, run_analysis},
    {"reci", NONSENS_COMMAND_DIRECTION, "pair.csv", {SEGMENTED, "method", "reci"}, run_analysis},
    {"icp", NONSENS_COMMAND_DIRECTION, "pair.csv", {SEGMENTED, "method", "icp"}, run_analysis},
    {"cdnod", NONSENS_COMMAND_DIRECTION, "pair.csv", {SEGMENTED, "method", "cdnod"}, run_analysis},
    {"structured graph", NONSENS_COMMAND_DISCOVER, "three.csv", {SEGMENTED}, run_analysis},
    {"lingam graph", NONSENS_COMMAND_DISCOVER, "three.csv", {SEGMENTED, "method", "lingam"}, run_analysis},
    {"resit graph", NONSENS_COMMAND_DISCOVER, "three.csv", {SEGMENTED, "method", "resit"}, run_analysis},
    {"icp graph", NONSENS_COMMAND_DISCOVER, "three.csv", {SEGMENTED, "method", "icp", "max-given", "1"}, run_analysis},
    {"cdnod graph", NONSENS_COMMAND_DISCOVER, "three.csv", {SEGMENTED, "method", "cdnod"}, run_analysis},
    {"pc with bootstrap samples",
     NONSENS_COMMAND_DISCOVER,
     "three.csv",
     {SEGMENTED, "method", "pc", "bootstrap", "3", "journal", "@out.journal"},
     run_analysis},
    {"pc with bootstrap samples, resumed",
     NONSENS_COMMAND_DISCOVER,
     "three.csv",
     {SEGMENTED, "method", "pc", "bootstrap", "3", "journal", "@out.journal", "resume", "true"},
     run_analysis},
    {"pc-nonsens with knowledge",
     NONSENS_COMMAND_DISCOVER,
     "three.csv",
     {SEGMENTED, "method", "pc-nonsens", "knowledge", "@known.txt"},
     run_analysis},
    {"kernel test", NONSENS_COMMAND_INDEPENDENCE, "three.csv", {SEGMENTED, "x", "x1", "y", "x2"}, run_analysis},
    {"conditional test",
     NONSENS_COMMAND_INDEPENDENCE,
     "three.csv",
     {SEGMENTED, "x", "x1", "y", "x2", "given", "x3"},
     run_analysis},
    {"permutations",
     NONSENS_COMMAND_INDEPENDENCE,
     "three.csv",
     {SEGMENTED, "x", "x1", "y", "x2", "null", "permutation", "permutations", "9"},
     run_analysis},
    {"random features",
     NONSENS_COMMAND_INDEPENDENCE,
     "three.csv",
     {SEGMENTED, "x", "x1", "y", "x2", "given", "x3", "test", "rcit"},
     run_analysis},
    {"residuals",
     NONSENS_COMMAND_INDEPENDENCE,
     "three.csv",
     {"threads", "1", "x", "x1", "y", "x2", "given", "x3", "test", "residuals"},
     run_analysis},
    {"partial correlation",
     NONSENS_COMMAND_INDEPENDENCE,
     "three.csv",
     {SEGMENTED, "x", "x1", "y", "x2", "given", "x3", "test", "fisher-z"},
     run_analysis},
    {"information",
     NONSENS_COMMAND_INDEPENDENCE,
     "three.csv",
     {SEGMENTED, "x", "x1", "y", "x2", "test", "information", "permutations", "9"},
     run_analysis},
    {"change of scale",
     NONSENS_COMMAND_INDEPENDENCE,
     "pair.csv",
     {SEGMENTED, "x", "x1", "test", "levene"},
     run_analysis},
    {"change of place",
     NONSENS_COMMAND_INDEPENDENCE,
     "pair.csv",
     {SEGMENTED, "x", "x1", "test", "kruskal"},
     run_analysis},
    {"test of change", NONSENS_COMMAND_INDEPENDENCE, "pair.csv", {SEGMENTED, "x", "x1", "test", "ks"}, run_analysis},
    {"diagnose", NONSENS_COMMAND_DIAGNOSE, "pair.csv", {SEGMENTED}, run_analysis},
    {"ica", NONSENS_COMMAND_ICA, "three.csv", {SEGMENTED}, run_analysis},
    {"fastica", NONSENS_COMMAND_ICA, "three.csv", {SEGMENTED, "method", "fastica"}, run_analysis},
    {"infomax", NONSENS_COMMAND_ICA, "three.csv", {SEGMENTED, "method", "infomax"}, run_analysis},
    {"joint diagonalisation",
     NONSENS_COMMAND_ICA,
     "three.csv",
     {SEGMENTED, "method", "joint-diagonalisation"},
     run_analysis},
    {"explain by a method",
     NONSENS_COMMAND_EXPLAIN,
     "three.csv",
     {SEGMENTED, "of", "s1", "against", "s2", "method", "lingam"},
     run_analysis},
    {"explain", NONSENS_COMMAND_EXPLAIN, "three.csv", {SEGMENTED, "of", "s1", "graph", "@truth.json"}, run_analysis},
    {"effect", NONSENS_COMMAND_EFFECT, "three.csv", {ASKED, "graph", "@graph.csv"}, run_analysis},
    {"effect with refuters",
     NONSENS_COMMAND_EFFECT,
     "three.csv",
     {ASKED, "graph", "@graph.csv", "refute", "10"},
     run_analysis},
    {"effect in blocks, of rows",
     NONSENS_COMMAND_EFFECT,
     "three.csv",
     {ASKED, "graph", "@graph.csv", "block-length", "4", "row", "1,7"},
     run_analysis},
    {"effect of open directions", NONSENS_COMMAND_EFFECT, "three.csv", {ASKED, "graph", "@tetrad.txt"}, run_analysis},
    {"effect by a method",
     NONSENS_COMMAND_EFFECT,
     "three.csv",
     {ASKED, "method", "lingam", "graph-uncertainty", "2"},
     run_analysis},
    {"effects of all variables",
     NONSENS_COMMAND_EFFECT,
     "three.csv",
     {SEGMENTED, "draws", "20", "method", "lingam"},
     run_analysis},
    {"segments",
     NONSENS_COMMAND_EXPLAIN,
     "three.csv",
     {SEGMENTED, "of", "all", "graph", "@truth.json", "against", "s1"},
     run_segments},
    {"pairs",
     NONSENS_COMMAND_DIRECTION,
     "three.csv",
     {SEGMENTED, "method", "lingam", "pairs", "@pairs.txt"},
     run_pairs},
    {"pairs, resumed",
     NONSENS_COMMAND_DIRECTION,
     "three.csv",
     {SEGMENTED, "method", "lingam", "pairs", "@pairs.txt", "resume", "true"},
     run_pairs},
    {"compare", NONSENS_COMMAND_COMPARE, NULL, {"closure", "true"}, run_comparison},
    {"report", NONSENS_COMMAND_REPORT, "pair.csv", {NULL}, run_report},
    {"report of a graph", NONSENS_COMMAND_REPORT, "three.csv", {NULL}, run_report},
    {"figure linear-ica",
     NONSENS_COMMAND_REPRODUCE,
     NULL,
     {"reps", "1", "cells", "laplace-random-50", "threads", "1", "out", "@out.figures"},
     run_figure},
    {"figure bivariate",
     NONSENS_COMMAND_REPRODUCE,
     NULL,
     {"reps", "1", "cells", "causal-depth1-e10-n512-reci", "threads", "1", "out", "@out.figures"},
     run_figure},
    {"pool bivariate",
     NONSENS_COMMAND_REPRODUCE,
     NULL,
     {"reps", "1", "cells", "causal-depth1-e10-n512-reci", "threads", "1", "out", "@out.figures"},
     run_figure},
    {"tester", NONSENS_COMMAND_INDEPENDENCE, "three.csv", {SEGMENTED}, run_tester},
    {"doors", NONSENS_COMMAND_DIAGNOSE, "pair.csv", {"vars", "x1,x2", "na", "drop-rows"}, run_doors},
    {"readers", NONSENS_COMMAND_DIAGNOSE, "table.tsv", {"na", "drop-rows"}, run_readers},
    {"explain on a graph", NONSENS_COMMAND_EXPLAIN, "pair.csv", {SEGMENTED, "of", "s1"}, run_on_graph},
};

/* Returns the file in the folder that out.journal is a copy of when the run begins; NULL: there is no journal. */
static const char *begun_journal(const scenario *s)
{
    bool resumed = strstr(s->name, "resumed");
    return !resumed ? NULL : s->run == run_pairs ? "pairs.journal" : "samples.journal";
}

#endif
