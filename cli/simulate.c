/* simulate.c - `nonsens simulate`: makes data with known causes. */
#include "cli.h"

static int write_truth(const arguments *args, const nonsens_simulation *simulation)
{
    return args->truth
               ? output_done(args->ctx, nonsens_simulation_write_truth(args->ctx, simulation, args->truth), args->truth)
               : EXIT_DONE;
}

static int write_targets(const arguments *args, const nonsens_simulation *simulation)
{
    return args->targets
               ? output_done(args->ctx, nonsens_simulation_write_targets(args->ctx, simulation, args->targets),
                             args->targets)
               : EXIT_DONE;
}

static int write_simulation(const arguments *args, const char *path, const nonsens_simulation *simulation)
{
    int data = output_done(args->ctx, nonsens_simulation_write_csv(args->ctx, simulation, path), path);
    int truth = data == EXIT_INTERRUPTED ? data : write_truth(args, simulation);
    int targets = data == EXIT_INTERRUPTED ? data : write_targets(args, simulation);
    return data != EXIT_DONE ? data : truth != EXIT_DONE ? truth : targets;
}

static int simulate(const arguments *args)
{
    const char *path = args->output ? args->output : "-";
    const output_file out[] = {{"-o", path}, {"--truth", args->truth}, {"--targets-out", args->targets}};
    int code = outputs_check(args->ctx, NULL, out, sizeof out / sizeof *out);
    if (code != EXIT_DONE) {
        return code;
    }
    nonsens_simulation *simulation = NULL;
    progress line;
    interrupt_watch(args->ctx);
    progress_attach(&line, args->ctx, args->quiet);
    nonsens_status status = nonsens_simulation_new(args->ctx, args->options, &simulation);
    progress_wipe(&line);
    code = status == NONSENS_OK && !interrupt_seen() ? write_simulation(args, path, simulation)
                                                     : complain_status(args->ctx, status);
    nonsens_simulation_free(simulation);
    return unless_interrupted(args->ctx, code);
}

int command_simulate(const command *self, int count, char **words)
{
    return arguments_run(self, count, words, simulate);
}
