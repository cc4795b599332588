/* simulate.c - `nonsens simulate`: data with known causes. */
#include "cli.h"

static nonsens_status write_simulation(const arguments *args, const char *path, const nonsens_simulation *simulation)
{
    nonsens_status status = nonsens_simulation_write_csv(args->ctx, simulation, path);
    if (status == NONSENS_OK && args->truth) {
        status = nonsens_simulation_write_truth(args->ctx, simulation, args->truth);
    }
    return status;
}

static int simulate(const arguments *args)
{
    const char *path = args->output ? args->output : "-";
    const output_file out[] = {{"-o", path}, {"--truth", args->truth}};
    int code = outputs_check(args->ctx, NULL, out, sizeof out / sizeof *out);
    if (code != EXIT_DONE) {
        return code;
    }
    nonsens_simulation *simulation = NULL;
    progress line;
    interrupt_watch(args->ctx);
    progress_attach(&line, args->ctx, args->quiet);
    nonsens_status status = nonsens_simulate(args->ctx, args->options, &simulation);
    progress_wipe(&line);
    if (status == NONSENS_OK && !interrupt_seen()) {
        status = write_simulation(args, path, simulation);
    }
    nonsens_simulation_free(simulation);
    return status == NONSENS_OK && !interrupt_seen() ? EXIT_DONE : complain_status(args->ctx, status);
}

int command_simulate(const command *self, int count, char **words)
{
    return arguments_run(self, count, words, simulate);
}
