/* analyse.c - what the commands that analyse data share: arguments, data, run, results. */
#include "cli.h"

#include "base/nearest.h"

#include <string.h>

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static bool has_graph_on_stdout(const arguments *args)
{
    bool found = false;
    for (int k = 0; k < GRAPH_FORMATS; k++) {
        found = found || is_stdout(args->graph[k]);
    }
    return found;
}

const char *text_path(const arguments *args)
{
    if (args->output) {
        return args->output;
    }
    return is_stdout(args->json) || is_stdout(args->html) || is_stdout(args->sources) || has_graph_on_stdout(args)
               ? NULL
               : "-";
}

output_file text_output(const arguments *args)
{
    return args->output ? (output_file){"-o", args->output} : (output_file){"the text on", text_path(args)};
}

/* ---- checks of the words alone, before a large file is read ---- */

const char *value_of(const arguments *args, const char *key)
{
    const char *value;
    return nonsens_options_get(args->ctx, args->options, key, &value) == NONSENS_OK ? value : "";
}

static int check_options(const arguments *args)
{
    unsigned wanted = args->sources && !pairs_wanted(args) ? NONSENS_WANTED_SOURCES : 0;
    nonsens_status status = nonsens_run_check(args->ctx, args->options, args->word_count, wanted);
    return status == NONSENS_OK ? EXIT_DONE : complain_status(args->ctx, status);
}

enum { MAX_OUTPUTS = GRAPH_FORMATS + 5 };

/* Lists all files to be written; returns how many there are. */
static size_t list_outputs(const arguments *args, const command *self, const char *journal,
                           output_file out[MAX_OUTPUTS])
{
    size_t count = 0;
    out[count++] = self->bit == NONSENS_COMMAND_ICA ? (output_file){"-o", args->sources}
                                                    : (output_file){"--sources", args->sources};
    out[count++] = (output_file){"--json", args->json};
    out[count++] = (output_file){"--html", args->html};
    for (size_t i = 0; i < file_option_count(); i++) {
        const file_option *option = file_option_at(i);
        if (option->graph) {
            out[count].path = args->graph[option->graph];
            snprintf(out[count++].option, sizeof out->option, "--%s", option->name);
        }
    }
    out[count++] = text_output(args);
    out[count++] = (output_file){"--journal", journal[0] && !is_stdout(journal) ? journal : NULL};
    return count;
}

/* Checks that no output is a file that is read: data, or a file that an option names. */
static int check_files(const arguments *args, const command *self)
{
    static const char *const read[] = {"graph", "knowledge", "targets"};
    output_file out[MAX_OUTPUTS];
    size_t outputs = list_outputs(args, self, value_of(args, "journal"), out);
    int code = EXIT_DONE;
    for (int i = 0; code == EXIT_DONE && i < args->word_count; i++) {
        code = outputs_check(args->ctx, args->words[i], out, outputs);
    }
    for (size_t i = 0; code == EXIT_DONE && i < sizeof read / sizeof *read; i++) {
        const char *path = value_of(args, read[i]);
        code = path[0] ? outputs_check(args->ctx, path, out, outputs) : EXIT_DONE;
    }
    return code;
}

static int check_arguments(const arguments *args, const command *self)
{
    if (args->word_count == 0) {
        return complain(EXIT_USAGE, "%s needs a data file, or - for standard input; `nonsens help %s` explains",
                        self->name, self->name);
    }
    const char *units = strcmp(value_of(args, "bootstrap"), "0") == 0 ? "fits" : "bootstrap samples";
    interrupt_keeps(value_of(args, "journal")[0] ? units : NULL);
    int code = check_files(args, self);
    code = code == EXIT_DONE && many_wanted(args) ? many_check(args) : code;
    return code == EXIT_DONE ? check_options(args) : code;
}

/* ---- the run ---- */

/* Prints notes on how the files were read, if that was not obvious. */
static void print_notes(const arguments *args, const nonsens_data *data)
{
    for (int64_t i = 0; !args->quiet && i < nonsens_data_note_count(data); i++) {
        fprintf(stderr, "note: %s\n", nonsens_data_note_at(data, i));
    }
}

/* Prints warnings about the data; only if no text is written, because a text has them, or if the run fails. */
static void print_warnings(const arguments *args, const nonsens_data *data)
{
    for (int64_t i = 0; !args->quiet && i < nonsens_data_warning_count(data); i++) {
        fprintf(stderr, "warning: %s\n", nonsens_data_warning_at(data, i));
    }
}

/* Prints the estimated memory before a run that may be too large for the machine. */
static void print_memory(const arguments *args, const nonsens_data *data)
{
    static const double GIGABYTE = 1e9;
    double expected = (double)nonsens_data_estimate_memory(data, args->options) / GIGABYTE;
    if (expected >= 1.0) {
        fprintf(stderr, "about %.1f GB of memory are expected; --max-memory sets a limit\n", expected);
    }
}

/* The results of a run, and where they go. */
typedef struct writing {
    const arguments *args;
    const nonsens_data *data;
    const nonsens_result *result;
    bool standard; /* write only what goes to standard output; false: only the rest */
    int code;      /* exit code of the first output that failed */
} writing;

/* Returns whether to write this output now.  Failed outputs do not stop the others, but an interrupt does. */
static bool is_due(const writing *w, const char *path)
{
    return path && is_stdout(path) == w->standard && w->code != EXIT_INTERRUPTED;
}

static void end_output(writing *w, nonsens_status status, const char *path)
{
    int code = output_done(w->args->ctx, status, path);
    w->code = w->code == EXIT_DONE ? code : w->code;
}

static void write_graphs(writing *w)
{
    for (int k = 1; k < GRAPH_FORMATS; k++) {
        const char *path = w->args->graph[k];
        if (is_due(w, path)) {
            end_output(w, nonsens_result_write_graph(w->args->ctx, w->result, (nonsens_graph_format)k, path), path);
        }
    }
}

static void write_text(writing *w)
{
    const arguments *args = w->args;
    const char *path = text_path(args);
    unsigned detail = (args->verbose ? NONSENS_TEXT_ALL : 0) | (args->explain ? NONSENS_TEXT_REASONING : 0);
    colour c;
    if (is_due(w, path)) {
        nonsens_status status = nonsens_result_write_text(args->ctx, w->result, detail, colour_begin(&c, path));
        colour_end(&c);
        end_output(w, status, path);
    }
}

static void write_outputs(writing *w)
{
    const arguments *args = w->args;
    if (is_due(w, args->json)) {
        end_output(w, nonsens_result_write_json(args->ctx, w->result, args->json), args->json);
    }
    if (is_due(w, args->html)) {
        end_output(w,
                   nonsens_result_write_html(args->ctx, w->result, w->data, (const char *const *)args->words,
                                             args->word_count, args->html),
                   args->html);
    }
    write_graphs(w);
    if (is_due(w, args->sources)) {
        end_output(w, nonsens_result_write_sources(args->ctx, w->result, args->sources), args->sources);
    }
    write_text(w);
}

/* Writes files first, because standard output may break or wait for a reader. */
static int write_results(const arguments *args, const nonsens_data *data, const nonsens_result *result)
{
    writing w = {.args = args, .data = data, .result = result};
    write_outputs(&w);
    w.standard = true;
    write_outputs(&w);
    return w.code;
}

/* Returns whether a message names its file: those about other files than the data begin with their kind and path. */
static bool names_its_file(const char *message)
{
    static const char *const what[] = {"knowledge file ", "list of pairs ", "graph file ", "targets file "};
    bool found = false;
    for (size_t k = 0; k < sizeof what / sizeof *what; k++) {
        found = found || strncmp(message, what[k], strlen(what[k])) == 0;
    }
    return found;
}

/* Complains about data after they were read: the library no longer knows the file, so the program names it. */
static int complain_data(const arguments *args)
{
    const char *first = strcmp(args->words[0], "-") == 0 ? "standard input" : args->words[0];
    char others[40] = "";
    if (args->word_count > 1) {
        snprintf(others, sizeof others, " and %d other file%s", args->word_count - 1, args->word_count == 2 ? "" : "s");
    }
    return complain(EXIT_DATA, "%s%s: %s", first, others, nonsens_context_message(args->ctx));
}

int complain_run(const arguments *args, nonsens_status status)
{
    bool of_data =
        status == NONSENS_ERR_DATA && !names_its_file(nonsens_context_message(args->ctx)) && !interrupt_seen();
    return of_data ? complain_data(args) : complain_status(args->ctx, status);
}

int say_shard(const arguments *args)
{
    if (value_of(args, "shard")[0]) {
        printf("shard %s is done and in its journal; `nonsens merge` joins the journals of all shards\n",
               value_of(args, "shard"));
    }
    return EXIT_DONE;
}

static int run_on_data(const arguments *args, const nonsens_data *data, progress *line, analyse_fn run)
{
    nonsens_result *result = NULL;
    nonsens_status status = run(args->ctx, data, args->options, &result);
    progress_wipe(line);
    if (text_path(args) && !result) {
        print_warnings(args, data);
    }
    print_run_warning(args->ctx, args->quiet);
    if (status == NONSENS_OK && !result) { // another process has the result, or there is only a journal
        return say_shard(args);
    }
    int code = status == NONSENS_OK ? write_results(args, data, result) : complain_run(args, status);
    if (status == NONSENS_OK && code == EXIT_DONE) {
        interrupt_wrote(nonsens_result_is_unfinished(result));
    }
    nonsens_result_free(result);
    return code;
}

static int read_data(const arguments *args, progress *line, nonsens_data **data)
{
    nonsens_status status =
        nonsens_data_read_files(args->ctx, (const char *const *)args->words, args->word_count, args->options, data);
    progress_wipe(line);
    if (status != NONSENS_OK || interrupt_seen()) {
        return complain_status(args->ctx, status);
    }
    print_notes(args, *data);
    if (!text_path(args) || many_meant(args, *data)) {
        print_warnings(args, *data);
    }
    if (!args->quiet) {
        print_memory(args, *data);
    }
    return EXIT_DONE;
}

static int run_arguments(const arguments *args, analyse_fn run)
{
    progress line;
    nonsens_data *data = NULL;
    interrupt_watch(args->ctx);
    progress_attach(&line, args->ctx, args->quiet);
    int code = together_agree(read_data(args, &line, &data)); // no journal is open before all have checked files
    if (code == EXIT_DONE) {
        code = many_meant(args, data) ? many_run(args, data, &line) : run_on_data(args, data, &line, run);
        code = together_agree(unless_interrupted(args->ctx, code));
    }
    nonsens_data_free(data);
    return code;
}

/* Runs a command in all processes; if it does not share its work, only the first process does it. */
static int run_together(arguments *args, const command *self, analyse_fn run)
{
    bool shares = pairs_wanted(args) || (self->bit & (NONSENS_COMMAND_DISCOVER | NONSENS_COMMAND_EXPLAIN));
    int code = together_begin(args, shares);
    if (code != EXIT_DONE || (!shares && is_helper())) {
        return code;
    }
    code = check_arguments(args, self);
    return code == EXIT_DONE ? run_arguments(args, run) : code;
}

int analyse(const command *self, int count, char **words, analyse_fn run)
{
    arguments args;
    int code = arguments_read(&args, self, count, words);
    if (self->bit == NONSENS_COMMAND_ICA) { // -o is the file for sources; the text is only a summary
        args.sources = args.output;
        args.output = NULL;
    }
    if (code == EXIT_DONE && args.help) {
        print_command_help(stdout, self);
    } else if (code == EXIT_DONE) {
        code = run_together(&args, self, run);
    }
    arguments_free(&args);
    return code;
}
