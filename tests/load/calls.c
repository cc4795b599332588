/*
 * calls COUNT [METHOD...] - runs COUNT `direction` calls in one process with each METHOD (without names: all that
 * decide on a pair).  Fails if the process uses more memory after the last call than after the first tenth, if time per
 * call grows, or if no method has that name.
 */
#include <nonsens/nonsens.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SEGMENTS = 5, ROWS = 200 };

#if defined(__SANITIZE_ADDRESS__)
static const double MEMORY_SLACK = 512e6; /* the sanitizer keeps freed blocks for a while; it finds leaks by itself */
#else
static const double MEMORY_SLACK = 1e6; /* bytes that the allocator may keep for itself */
#endif
static const double TIME_SLACK = 2.0;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns the resident memory, or 0 if it is unknown. */
static double resident_bytes(void)
{
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &pages, &resident) != 2) {
        resident = 0;
    }
    if (file) {
        fclose(file);
    }
    return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

static double uniform(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 16777216.0;
}

/* Makes a pair whose disturbances change over segments, a different one for each call. */
static nonsens_status make_pair(nonsens_context *ctx, unsigned call, nonsens_data **out)
{
    static double value[2 * ROWS];
    static int64_t segment[ROWS];
    unsigned state = call;
    for (int i = 0; i < ROWS; i++) {
        segment[i] = i * SEGMENTS / ROWS;
        double x = (uniform(&state) - uniform(&state)) * (double)(1 + segment[i]);
        value[i] = x;
        value[ROWS + i] = x / (1.0 + x * x) + (uniform(&state) - uniform(&state)) * (double)(1 + 2 * segment[i] % 3);
    }
    return nonsens_data_from_arrays(ctx, ROWS, 2, value, 1, ROWS, NULL, segment, out);
}

static int call_once(nonsens_context *ctx, const nonsens_options *options, unsigned call)
{
    nonsens_data *data = NULL;
    nonsens_result *result = NULL;
    nonsens_status status = make_pair(ctx, call, &data);
    if (status == NONSENS_OK) {
        status = nonsens_run_direction(ctx, data, options, &result);
    }
    if (status != NONSENS_OK) {
        printf("call %u: %s\n", call, nonsens_context_message(ctx));
    }
    nonsens_result_free(result);
    nonsens_data_free(data);
    return status != NONSENS_OK;
}

static nonsens_status quick_options(nonsens_context *ctx, const char *method, nonsens_options **out)
{
    static const char *const set[][2] = {{"threads", "1"}, {"epochs", "2"}, {"folds", "2"}, {"restarts", "1"}};
    nonsens_status status = nonsens_options_new(ctx, NONSENS_COMMAND_DIRECTION, out);
    for (size_t k = 0; k < sizeof set / sizeof *set && status == NONSENS_OK; k++) {
        status = nonsens_options_set(ctx, *out, set[k][0], set[k][1]);
    }
    return status == NONSENS_OK ? nonsens_options_set(ctx, *out, "method", method) : status;
}

static int run_method(nonsens_context *ctx, const char *method, unsigned count)
{
    nonsens_options *options = NULL;
    int failed = quick_options(ctx, method, &options) != NONSENS_OK;
    unsigned tenth = count / 10;
    double begun = 0.0, early = 0.0, resident = 0.0;
    for (unsigned call = 0; call < count && !failed; call++) {
        if (call == tenth) { // by now, everything that is made once has been made
            begun = seconds();
            resident = resident_bytes();
        }
        failed = call_once(ctx, options, call);
        if (call + 1 == 2 * tenth) {
            early = seconds() - begun;
        }
    }
    nonsens_options_free(options);
    double rest = (seconds() - begun - early) / (count - 2 * tenth), last = resident_bytes(), growth = last - resident;
    bool known = resident > 0.0 && last > 0.0;
    bool ok = !failed && known && growth <= MEMORY_SLACK && rest <= TIME_SLACK * early / tenth;
    printf("%-8s %-11s %u calls: %.2f ms each at first, %.2f later; memory grew by %.2f MB\n", ok ? "ok" : "FAILED",
           method, count, 1e3 * early / tenth, 1e3 * rest, growth / 1e6);
    fflush(stdout);
    return !ok;
}

int main(int words, char **word)
{
    nonsens_context *ctx = nonsens_context_new();
    unsigned count = words > 1 ? (unsigned)strtoul(word[1], NULL, 10) : 1000;
    int failures = 0, runs = 0;
    for (size_t i = 0; ctx && i < nonsens_method_count(); i++) {
        const nonsens_method_info *m = nonsens_method_at(i);
        bool wanted = words <= 2;
        for (int k = 2; k < words; k++) {
            wanted = wanted || strcmp(word[k], m->name) == 0;
        }
        if ((m->commands & NONSENS_COMMAND_DIRECTION) && wanted) {
            failures += run_method(ctx, m->name, count < 20 ? 20 : count);
            runs++;
        }
    }
    nonsens_context_free(ctx);
    if (runs < (words > 2 ? words - 2 : 1)) {
        printf("FAILED   %d of the methods named ran\n", runs);
        failures++;
    }
    return failures > 0 || !ctx;
}
