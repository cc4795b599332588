/* analyse.c - what direction, independence and diagnose have in common: words, data, run, results. */
#include "cli.h"

#include <string.h>

static bool is_stdout(const char *path)
{
    return path && strcmp(path, "-") == 0;
}

static int check_arguments(const arguments *args, const command *self)
{
    if (!args->file) {
        return complain(EXIT_USAGE, "%s needs a data file, or - for standard input; `nonsens help %s` explains",
                        self->name, self->name);
    }
    if (is_stdout(args->json) + is_stdout(args->sources) + is_stdout(args->output) > 1) {
        return complain(EXIT_USAGE, "only one of -o, --json and --sources can be - (standard output)");
    }
    return EXIT_DONE;
}

static void print_warnings(const nonsens_data *data)
{
    for (int64_t i = 0; i < nonsens_data_warnings(data); i++) {
        fprintf(stderr, "warning: %s\n", nonsens_data_warning(data, i));
    }
}

/* The text goes to standard output unless it has a file of its own or something else is printed there. */
static const char *text_path(const arguments *args)
{
    if (args->output) {
        return args->output;
    }
    return is_stdout(args->json) || is_stdout(args->sources) ? NULL : "-";
}

static nonsens_status write_results(const arguments *args, const nonsens_result *result)
{
    nonsens_status status = NONSENS_OK;
    if (args->sources) {
        status = nonsens_result_write_sources(args->ctx, result, args->sources);
    }
    if (status == NONSENS_OK && args->json) {
        status = nonsens_result_write_json(args->ctx, result, args->json);
    }
    if (status == NONSENS_OK && text_path(args)) {
        status = nonsens_result_write_text(args->ctx, result, args->verbose, text_path(args));
    }
    return status;
}

static nonsens_status run_on_data(const arguments *args, const nonsens_data *data, progress *line, analyse_fn run)
{
    nonsens_result *result = NULL;
    nonsens_status status = run(args->ctx, data, args->options, &result);
    progress_wipe(line);
    if (status == NONSENS_OK) {
        status = write_results(args, result);
    }
    nonsens_result_free(result);
    return status;
}

static int run_arguments(const arguments *args, analyse_fn run)
{
    progress line;
    nonsens_data *data = NULL;
    interrupt_watch(args->ctx);
    progress_attach(&line, args->ctx, args->quiet);
    nonsens_status status = nonsens_data_read(args->ctx, args->file, args->options, &data);
    progress_wipe(&line);
    if (status == NONSENS_OK && !interrupt_seen()) {
        if (!args->quiet) {
            print_warnings(data);
        }
        status = run_on_data(args, data, &line, run);
    }
    nonsens_data_free(data);
    return status == NONSENS_OK && !interrupt_seen() ? EXIT_DONE : complain_status(args->ctx, status);
}

int analyse(const command *self, int count, char **words, analyse_fn run)
{
    arguments args;
    int code = arguments_read(&args, self, count, words);
    if (code == EXIT_DONE && args.help) {
        print_command_help(stdout, self);
    } else if (code == EXIT_DONE) {
        code = check_arguments(&args, self);
        code = code == EXIT_DONE ? run_arguments(&args, run) : code;
    }
    arguments_free(&args);
    return code;
}
