/*
 * pool.c - measures how long the first process of an mpirun run is busy with a unit that another process has run:
 * reading the answer, appending it to the journal, handing out the next unit.  The other process is simulated here and
 * answers at once, with lines as long as those of linear-ica.
 *
 *     pool [UNITS]
 */
#include "figures/figure.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t asked = -1, answered; /* the unit that is being run (-1: none); the number of answers */
static size_t answer_bytes;
static bool stopped, greeted;

/* ---- the figure: its units are slow in this process, so that nearly all of them go to the other ---- */

static void cell_name(int64_t cell, char name[CELL_NAME_BYTES])
{
    (void)cell;
    strcpy(name, "cell");
}

static nonsens_status run_slowly(nonsens_context *ctx, arena *scratch, const void *base, int64_t cell, unit_seed seed,
                                 json_value *line)
{
    (void)base;
    (void)ctx;
    (void)scratch;
    (void)cell;
    (void)seed;
    (void)line;
    nanosleep(&(struct timespec){0, 10000000}, NULL);
    return NONSENS_OK;
}

static bool read_line(const json_value *line, void *unit)
{
    *(char *)unit = 1;
    return line != NULL;
}

static nonsens_status write_nothing(nonsens_context *ctx, arena *scratch, const study_units *units, FILE *out)
{
    (void)ctx;
    (void)scratch;
    (void)units;
    (void)out;
    return NONSENS_OK;
}

static const figure FIGURE = {.study = {.name = "bench",
                                        .cells = 1,
                                        .reps = 1000, // more than one, so that --reps has an effect
                                        .revision = 1,
                                        .cell_name = cell_name,
                                        .run = run_slowly,
                                        .unit_bytes = 1,
                                        .read = read_line},
                              .write_csv = write_nothing,
                              .write_text = write_nothing};

/* ---- the other process ---- */

static int send_text(void *user, int to, int tag, const char *text)
{
    (void)user;
    (void)to;
    (void)tag;
    stopped = strncmp(text, "{\"stop\"", 7) == 0;
    asked = stopped ? -1 : strtoll(text + strlen("{\"unit\":"), NULL, 10);
    return 0;
}

static int receive_text(void *user, int *from, int *tag, const char **text)
{
    static char answer[2048];
    static const char results[] =
        "{\"amari\":0.01234567890123456,\"correlation\":0.9987654321098765,\"converged\":true}";
    (void)user;
    *from = 1;
    *tag = 0;
    *text = NULL;
    if (stopped || !greeted) {
        *text = stopped ? "{\"bye\":1}" : "{}";
        greeted = true;
    } else if (asked >= 0) {
        answer_bytes = (size_t)snprintf(
            answer, sizeof answer,
            "{\"unit\":%" PRId64
            ",\"status\":0,\"message\":\"\",\"line\":{\"figure\":\"bench\",\"cell\":\"cell\",\"seed\":%" PRId64
            ",\"options\":\"bench/1/"
            "cell\",\"results\":{\"score-matching\":%s,\"score-matching-log-cosh\":%s,\"fastica\":%s,"
            "\"infomax\":%s,\"joint-diagonalisation\":%s}}}",
            asked, 100001 + asked, results, results, results, results, results);
        asked = -1;
        answered++;
        *text = answer;
    }
    return 0;
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int count, char **words)
{
    char folder[] = "/tmp/bench_pool_XXXXXX", path[64];
    pool_members members = {0, 2, send_text, receive_text, NULL};
    nonsens_context *ctx = nonsens_context_new();
    nonsens_options *options = NULL;
    if (!ctx || !mkdtemp(folder) || nonsens_options_new(ctx, NONSENS_COMMAND_REPRODUCE, &options) != NONSENS_OK ||
        nonsens_options_set(ctx, options, "out", folder) != NONSENS_OK) {
        return 1;
    }
    options->reps = count > 1 ? strtoll(words[1], NULL, 10) : 20000;
    options->threads = 1;
    double wall = seconds(CLOCK_MONOTONIC), busy = seconds(CLOCK_THREAD_CPUTIME_ID);
    nonsens_status status = figure_reproduce(ctx, options, &FIGURE, "/dev/null", &members);
    busy = seconds(CLOCK_THREAD_CPUTIME_ID) - busy;
    wall = seconds(CLOCK_MONOTONIC) - wall;
    printf("%s: %" PRId64
           " units of others, %.1f us each by the clock, %.1f us of the processor, answer of %zu bytes\n",
           status == NONSENS_OK ? "ok" : nonsens_context_message(ctx), answered, 1e6 * wall / (double)answered,
           1e6 * busy / (double)answered, answer_bytes);
    static const char *const suffix[] = {"journal", "csv"};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/bench.%s", folder, suffix[i]);
        unlink(path);
    }
    rmdir(folder);
    nonsens_options_free(options);
    nonsens_context_free(ctx);
    return status != NONSENS_OK;
}
