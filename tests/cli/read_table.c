/*
 * read_table.c - KIND FILE [TABLE] [KEY VALUE]...: reads the file with these options and does as little as possible
 * with it, so that `bounded` can measure the memory that reading takes.  Prints the peak memory in kB, and what was
 * read or the error message.
 *
 * KIND is table, graph, result (written as a page) or figure (the journal of bivariate in the folder of the option
 * out). Kinds that refer to a TABLE, which should have few rows, are knowledge, pairs (a list of pairs), journal (of
 * bootstrap samples) and pairs-journal.
 */
#include "figures/figure.h"

#include <nonsens/nonsens.h>

#include <stdio.h>
#include <string.h>

/* What to read, and with which options. */
typedef struct request {
    const char *file, *table;
    nonsens_options *options;
    char said[256]; /* what was read */
} request;

static nonsens_status read_table(nonsens_context *ctx, request *r)
{
    nonsens_data *data = NULL;
    nonsens_status status = nonsens_data_read(ctx, r->file, r->options, &data);
    if (status == NONSENS_OK) {
        snprintf(r->said, sizeof r->said, "%lld x %lld", (long long)nonsens_data_row_count(data),
                 (long long)nonsens_data_variable_count(data));
    }
    nonsens_data_free(data);
    return status;
}

static nonsens_status read_graph(nonsens_context *ctx, request *r)
{
    nonsens_graph *graph = NULL;
    nonsens_status status = nonsens_graph_read(ctx, r->file, NULL, &graph);
    if (status == NONSENS_OK) {
        snprintf(r->said, sizeof r->said, "%lld nodes, %lld edges", (long long)nonsens_graph_node_count(graph),
                 (long long)nonsens_graph_edge_count(graph));
    }
    nonsens_graph_free(graph);
    return status;
}

static nonsens_status read_result(nonsens_context *ctx, request *r)
{
    snprintf(r->said, sizeof r->said, "a page");
    return nonsens_report_write_html(ctx, r->file, NULL, 0, NULL, "/dev/null", NULL);
}

static nonsens_status read_figure(nonsens_context *ctx, request *r)
{
    snprintf(r->said, sizeof r->said, "a figure");
    return figure_reproduce(ctx, r->options, &FIGURE_BIVARIATE, "/dev/null", NULL);
}

/* ---- files that refer to a table ---- */

static nonsens_status discover(nonsens_context *ctx, request *r, const nonsens_data *data)
{
    nonsens_result *result = NULL;
    snprintf(r->said, sizeof r->said, "a graph");
    nonsens_status status = nonsens_run_discover(ctx, data, r->options, &result);
    nonsens_result_free(result);
    return status;
}

static nonsens_status run_pairs(nonsens_context *ctx, request *r, const nonsens_data *data, const char *path)
{
    nonsens_pairs *pairs = NULL;
    nonsens_status status = nonsens_run_pairs(ctx, data, r->options, path, &pairs);
    if (status == NONSENS_OK) {
        snprintf(r->said, sizeof r->said, "%lld pairs", (long long)nonsens_pairs_count(pairs));
    }
    nonsens_pairs_free(pairs);
    return status;
}

static nonsens_status set(nonsens_context *ctx, request *r, const char *key, const char *value)
{
    return nonsens_options_set(ctx, r->options, key, value);
}

static nonsens_status use_knowledge(nonsens_context *ctx, request *r, const nonsens_data *data)
{
    nonsens_status status = set(ctx, r, "knowledge", r->file);
    return status == NONSENS_OK ? discover(ctx, r, data) : status;
}

static nonsens_status use_journal(nonsens_context *ctx, request *r, const nonsens_data *data)
{
    nonsens_status status = set(ctx, r, "journal", r->file);
    return status == NONSENS_OK ? discover(ctx, r, data) : status;
}

static nonsens_status use_pairs(nonsens_context *ctx, request *r, const nonsens_data *data)
{
    nonsens_status status = set(ctx, r, "pairs", r->file);
    return status == NONSENS_OK ? run_pairs(ctx, r, data, NULL) : status;
}

static nonsens_status use_pairs_journal(nonsens_context *ctx, request *r, const nonsens_data *data)
{
    return run_pairs(ctx, r, data, r->file);
}

typedef nonsens_status use_fn(nonsens_context *ctx, request *r, const nonsens_data *data);

static nonsens_status with_table(nonsens_context *ctx, request *r, use_fn *use)
{
    nonsens_data *data = NULL;
    nonsens_status status = nonsens_data_read(ctx, r->table, r->options, &data);
    status = status == NONSENS_OK ? use(ctx, r, data) : status;
    nonsens_data_free(data);
    return status;
}

/* ---- kinds ---- */

typedef struct kind {
    const char *name;
    unsigned command; /* the command whose options it takes */
    nonsens_status (*read)(nonsens_context *ctx, request *r);
    use_fn *use; /* for kinds that refer to a table */
} kind;

static const kind KINDS[] = {
    {"table", NONSENS_COMMAND_DIAGNOSE, read_table, NULL},
    {"graph", NONSENS_COMMAND_COMPARE, read_graph, NULL},
    {"result", NONSENS_COMMAND_REPORT, read_result, NULL},
    {"figure", NONSENS_COMMAND_REPRODUCE, read_figure, NULL},
    {"knowledge", NONSENS_COMMAND_DISCOVER, NULL, use_knowledge},
    {"journal", NONSENS_COMMAND_DISCOVER, NULL, use_journal},
    {"pairs", NONSENS_COMMAND_DIRECTION, NULL, use_pairs},
    {"pairs-journal", NONSENS_COMMAND_DIRECTION, NULL, use_pairs_journal},
};

static const kind *kind_find(const char *name)
{
    for (size_t k = 0; k < sizeof KINDS / sizeof *KINDS; k++) {
        if (strcmp(KINDS[k].name, name) == 0) {
            return &KINDS[k];
        }
    }
    return NULL;
}

static nonsens_status run(nonsens_context *ctx, const kind *k, request *r, int count, char **words)
{
    nonsens_status status = nonsens_options_new(ctx, k->command, &r->options);
    for (int i = 0; status == NONSENS_OK && i + 1 < count; i += 2) {
        status = set(ctx, r, words[i], words[i + 1]);
    }
    return status != NONSENS_OK ? status : k->use ? with_table(ctx, r, k->use) : k->read(ctx, r);
}

/* Returns the peak memory of this program alone; getrusage() would include the process that started it. */
static long peak_kilobytes(void)
{
    char line[256];
    long peak = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "VmHWM: %ld", &peak) != 1) {
    }
    if (file) {
        fclose(file);
    }
    return peak;
}

int main(int count, char **words)
{
    const kind *k = count > 2 ? kind_find(words[1]) : NULL;
    int used = k && k->use ? 4 : 3;
    nonsens_context *ctx = nonsens_context_new();
    if (!ctx || !k || count < used) {
        fprintf(stderr, "usage: read_table KIND FILE [TABLE] [KEY VALUE]...\n");
        return 1;
    }
    request r = {.file = words[2], .table = words[used - 1]};
    nonsens_status status = run(ctx, k, &r, count - used, words + used);
    printf("%ld %s\n", peak_kilobytes(), status == NONSENS_OK ? r.said : nonsens_context_message(ctx));
    nonsens_options_free(r.options);
    nonsens_context_free(ctx);
    return (int)status;
}
