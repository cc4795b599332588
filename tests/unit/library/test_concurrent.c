/*
 * test_concurrent.c - runs several contexts at once, and forks processes, with only the public header: whatever runs
 * beside a run or ran before it, its result is bit for bit the one that it gives alone.
 */
#include <nonsens/nonsens.h>

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAX_RUNS = 40, PATH_BYTES = 100, CHILD_SECONDS = 300 };

/* A run of every method in each of its two uses. */
struct job {
    const char *method;
    bool graph;
    char *alone; // its JSON when nothing else runs
};

static struct job job[MAX_RUNS];
static int jobs;
static nonsens_data *pair, *graph;
static char folder[] = "/tmp/test_concurrent_XXXXXX";

static nonsens_data *simulated(nonsens_context *ctx, const char *const *words)
{
    nonsens_options *options;
    nonsens_simulation *simulation = NULL;
    nonsens_data *data = NULL;
    assert_int_equal(nonsens_options_new(ctx, NONSENS_COMMAND_SIMULATE, &options), NONSENS_OK);
    for (; *words; words += 2) {
        assert_int_equal(nonsens_options_set(ctx, options, words[0], words[1]), NONSENS_OK);
    }
    assert_int_equal(nonsens_simulation_new(ctx, options, &simulation), NONSENS_OK);
    assert_int_equal(nonsens_simulation_data(ctx, simulation, &data), NONSENS_OK);
    nonsens_simulation_free(simulation);
    nonsens_options_free(options);
    return data;
}

/* ---- one run ---- */

/* Makes options with small networks; those that the command does not have are skipped. */
static nonsens_options *options_of(nonsens_context *ctx, const struct job *j, const char *threads)
{
    static const char *const words[] = {"epochs",   "2", "folds",   "2",       "restarts", "1",
                                        "patience", "1", "segment", "segment", NULL};
    unsigned command = j->graph ? NONSENS_COMMAND_DISCOVER : NONSENS_COMMAND_DIRECTION;
    nonsens_options *options;
    if (nonsens_options_new(ctx, command, &options) != NONSENS_OK) {
        return NULL;
    }
    bool good = nonsens_options_set(ctx, options, "method", j->method) == NONSENS_OK &&
                nonsens_options_set(ctx, options, "threads", threads) == NONSENS_OK;
    for (const char *const *word = words; *word && good; word += 2) {
        good =
            !nonsens_option_find(word[0], command) || nonsens_options_set(ctx, options, word[0], word[1]) == NONSENS_OK;
    }
    if (!good) {
        nonsens_options_free(options);
        return NULL;
    }
    return options;
}

static char *read_file(const char *path)
{
    enum { LIMIT = 1 << 20 };
    char *text = calloc(LIMIT, 1);
    FILE *file = fopen(path, "r");
    if (text && file) {
        text[fread(text, 1, LIMIT - 1, file)] = '\0';
    }
    if (file) {
        fclose(file);
        unlink(path);
    }
    return text;
}

/* Cuts out the value of a key, which may differ between equal runs. */
static void scrub(char *text, const char *key)
{
    for (char *at = strstr(text, key); at; at = strstr(at, key)) {
        at += strlen(key);
        char *end = at + strcspn(at, ",\n}");
        memmove(at, end, strlen(end) + 1);
    }
}

/* Returns the result as JSON, or the error message; for any thread and process.  The caller frees it. */
static char *run(nonsens_context *ctx, const struct job *j, const char *threads)
{
    static atomic_int files;
    char path[PATH_BYTES];
    nonsens_result *result = NULL;
    nonsens_options *options = options_of(ctx, j, threads);
    nonsens_status status = NONSENS_ERR_USAGE;
    if (options) {
        status =
            (j->graph ? nonsens_run_discover : nonsens_run_direction)(ctx, j->graph ? graph : pair, options, &result);
    }
    snprintf(path, sizeof path, "%s/%ld-%d", folder, (long)getpid(), atomic_fetch_add(&files, 1));
    if (status == NONSENS_OK) {
        status = nonsens_result_write_json(ctx, result, path);
    }
    char *text = status == NONSENS_OK ? read_file(path) : strdup(nonsens_context_message(ctx));
    if (text) {
        scrub(text, "\"seconds\": ");
        scrub(text, "\"threads\": ");
    }
    nonsens_result_free(result);
    nonsens_options_free(options);
    return text;
}

/* Returns whether a run gives what it gives alone, and prints the difference if not. */
static bool runs_as_alone(nonsens_context *ctx, const struct job *j, const char *threads)
{
    char *text = run(ctx, j, threads);
    bool same = text && strcmp(text, j->alone) == 0;
    if (!same) {
        fprintf(stderr, "%s of %s is not what it is alone:\n%.2000s\n", j->graph ? "graph" : "direction", j->method,
                text);
    }
    free(text);
    return same;
}

/* ---- the result of every run alone ---- */

static void list_job(nonsens_context *ctx, const char *method, bool is_graph)
{
    assert_true(jobs < MAX_RUNS);
    job[jobs] = (struct job){method, is_graph, NULL};
    job[jobs].alone = run(ctx, &job[jobs], "1");
    if (!job[jobs].alone || !strstr(job[jobs].alone, "\"data_hash\"")) {
        fail_msg("%s: %s", method, job[jobs].alone);
    }
    jobs++;
}

static int set_up(void **state)
{
    static const char *const two[] = {"segments", "4", "per-segment", "40", "depth", "1", "seed", "3", NULL};
    static const char *const three[] = {"sem", "node",  "nodes", "3",    "segments", "4", "per-segment",
                                        "20",  "depth", "1",     "seed", "1",        NULL};
    nonsens_context *ctx = nonsens_context_new();
    (void)state;
    if (!ctx || !mkdtemp(folder)) {
        return -1;
    }
    pair = simulated(ctx, two);
    graph = simulated(ctx, three);
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        const nonsens_method_info *method = nonsens_method_at(i);
        if (method->commands & NONSENS_COMMAND_DIRECTION) {
            list_job(ctx, method->name, false);
        }
        if (method->commands & NONSENS_COMMAND_DISCOVER) {
            list_job(ctx, method->name, true);
        }
    }
    nonsens_context_free(ctx);
    return jobs >= 10 ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < jobs; i++) {
        free(job[i].alone);
    }
    nonsens_data_free(pair);
    nonsens_data_free(graph);
    return rmdir(folder);
}

/* ---- threads ---- */

struct worker {
    pthread_t thread;
    int first, step; // order of the jobs, so that different methods meet
    int wrong;
    atomic_bool *stop; // runs until it is set; NULL: once through all jobs
};

static void *work(void *argument)
{
    struct worker *w = argument;
    nonsens_context *ctx = nonsens_context_new();
    do {
        for (int i = 0; i < jobs && !(w->stop && atomic_load(w->stop)); i++) {
            w->wrong += !ctx || !runs_as_alone(ctx, &job[(w->first + i * w->step) % jobs], "2");
        }
    } while (w->stop && !atomic_load(w->stop));
    nonsens_context_free(ctx);
    return NULL;
}

static void test_two_contexts_at_once(void **state)
{
    (void)state;
    struct worker worker[2] = {{.first = 0, .step = 1}, {.first = jobs - 1, .step = jobs - 1}};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&worker[i].thread, NULL, work, &worker[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_join(worker[i].thread, NULL), 0);
        assert_int_equal(worker[i].wrong, 0);
    }
}

/* ---- forks; the thread sanitizer cannot follow forks of a process with several threads ---- */

#if defined(__has_feature)
#define FORKS (!__has_feature(thread_sanitizer))
#else
#define FORKS 1
#endif
#if FORKS

/* Runs a job in a child.  An alarm ends it if it hangs, with ample time for a busy machine. */
static pid_t child_that_runs(nonsens_context *ctx, const struct job *j)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(CHILD_SECONDS);
        _exit(!runs_as_alone(ctx, j, "3"));
    }
    return child;
}

static bool ends_well(pid_t child, const struct job *j)
{
    int status = 0;
    bool well = child > 0 && waitpid(child, &status, 0) == child && status == 0;
    if (!well) {
        fprintf(stderr, "%s in a child: %s %d\n", j->method, WIFEXITED(status) ? "exit" : "signal",
                WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    }
    return well;
}

/* The threads that OpenMP keeps for the next loop do not exist in a child. */
static void test_child_after_runs_of_its_parent(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    assert_non_null(ctx);
    for (int i = 0; i < jobs; i++) {
        assert_true(runs_as_alone(ctx, &job[i], "2"));
        assert_true(ends_well(child_that_runs(ctx, &job[i]), &job[i]));
    }
    assert_true(runs_as_alone(ctx, &job[0], "3"));
    nonsens_context_free(ctx);
}

#ifndef __SANITIZE_ADDRESS__ /* another thread may hold the allocator's lock at the fork */

/* Nor do threads that are in the middle of a run. */
static void test_child_amid_runs_of_another_thread(void **state)
{
    (void)state;
    atomic_bool stop = false;
    bool well = true;
    struct worker other = {.first = 0, .step = 1, .stop = &stop};
    nonsens_context *ctx = nonsens_context_new();
    assert_non_null(ctx);
    assert_int_equal(pthread_create(&other.thread, NULL, work, &other), 0);
    for (int i = 0; i < jobs && well; i++) {
        well = ends_well(child_that_runs(ctx, &job[i]), &job[i]);
    }
    atomic_store(&stop, true);
    assert_int_equal(pthread_join(other.thread, NULL), 0);
    assert_int_equal(other.wrong, 0);
    assert_true(well);
    nonsens_context_free(ctx);
}

#endif
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_contexts_at_once),
#if FORKS
        cmocka_unit_test(test_child_after_runs_of_its_parent),
#ifndef __SANITIZE_ADDRESS__
        cmocka_unit_test(test_child_amid_runs_of_another_thread),
#endif
#endif
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
