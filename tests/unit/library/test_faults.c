/*
 * test_faults.c - runs every command with the n-th allocation failing: it must give a clear status, leak nothing, leave
 * no incomplete file under its final name, and keep the context usable.  Each arena request counts as an allocation.
 *
 * NONSENS_SLOW=1 in the environment tries every n.  Otherwise every n is tried only if no method runs; of the others
 * the first few and some evenly spread ones.  The numbers of allocations and of tries are printed.  Until an analysis
 * writes, one run serves for all n: at an allocation that is to fail the process forks, and it fails only in the child.
 * If the n-th allocation comes while writing, the result of an undisturbed run is written.  Then some n are tried again
 * on three threads, where the n-th allocation may be a different one in each run.
 */
#include "fixtures/table_npy.h"
#include "unit/fault_files.h"

#include <sys/wait.h>

enum { QUICKLY_EVERY = 8, QUICKLY_MORE = 20 };
enum { CHILD_SECONDS = 120, RUN_AGAIN = 50 };
enum { THREADED_EVERY = 50, THREADED_MORE = 40, THREADED_QUICKLY_EVERY = 4, THREADED_QUICKLY_MORE = 12 };

static int64_t tried_in_all;

static bool is_slow(void)
{
    return getenv("NONSENS_SLOW") != NULL;
}

/* ---- failing ---- */

static void copy_file(const char *from, const char *to)
{
    char path[PATH_BYTES], *text = whole_text_of(from);
    FILE *file = fopen(path_of(path, to), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    free(text);
}

static void clear_outputs(const scenario *s)
{
    remove_files("out");
    if (begun_journal(s) && !undisturbed.used) {
        copy_file(begun_journal(s), "out.journal");
    }
}

/* Which n are tried: all of the first ones, then one per step. */
typedef struct choice {
    int64_t every, more; /* number of first ones, and about how many others */
    int64_t step;
} choice;

/* The process that forks at each allocation that is to fail. */
static struct {
    const choice *choice;
    int64_t n, end, tried; /* n runs below end; number of n that failed so far */
    int failed;            /* status by waitpid of the first child that failed */
    bool is_child;
} divided;

static const char *name_of_run(const scenario *s, int64_t n)
{
    static char name[2 * PATH_BYTES];
    snprintf(name, sizeof name, "%s on %s thread(s), allocation %lld fails%s", s->name, threads, (long long)n,
             undisturbed.used ? " in writing" : "");
    return name;
}

/* Returns the number of open files. */
static int count_open(void)
{
    int count = 0;
    DIR *open = opendir("/proc/self/fd");
    assert_non_null(open);
    while (readdir(open)) {
        count++;
    }
    closedir(open);
    return count;
}

/* Runs the scenario with the n-th allocation failing; with INT64_MAX none fails, but they are counted. */
static nonsens_status run_failing(const scenario *s, int64_t n)
{
    int64_t held = memory_held();
    int files = count_open();
    clear_outputs(s);
    memory_fail_at(n);
    nonsens_status status = s->run(s);
    memory_fail_at(-1);
    const char *run = name_of_run(s, divided.is_child ? divided.n : n);
    if (memory_held() != held) {
        fail_msg("%s: %lld blocks are not given back", run, (long long)(memory_held() - held));
    }
    if (count_open() != files) {
        fail_msg("%s: of %d open files there are %d", run, files, count_open());
    }
    check_files(run, status == NONSENS_OK);
    return status;
}

/* `came`: the allocation was requested; on several threads it may not be. */
static void check_status(const scenario *s, int64_t n, nonsens_status status, bool came)
{
    bool told = status == NONSENS_ERR_MEMORY && strstr(nonsens_context_message(ctx), "memory");
    if (!told && (status != NONSENS_OK || came)) {
        fail_msg("%s: status %d, \"%s\"", name_of_run(s, n), (int)status, nonsens_context_message(ctx));
    }
    if (strcmp(threads, "1") == 0) {
        assert_true(came);
    }
}

static void check_failure(const scenario *s, int64_t n)
{
    int64_t before = memory_asked();
    nonsens_status status = run_failing(s, n);
    check_status(s, n, status, memory_asked() - before > n);
}

static int64_t after(const choice *c, int64_t n)
{
    return n + (n < c->every ? 1 : c->step);
}

/* ---- one run for all ---- */

static bool divide(void)
{
    pid_t child = fork();
    if (child == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1); // a failing check ends the child
        alarm(CHILD_SECONDS);
        divided.is_child = true;
        return true;
    }
    if (child < 0 || waitpid(child, &divided.failed, 0) != child) {
        divided.failed = -1;
    }
    int64_t next = after(divided.choice, divided.n);
    divided.tried++;
    if (divided.failed == 0 && next < divided.end) {
        memory_fail_at(next - divided.n - 1);
        divided.n = next;
    }
    return false;
}

/* Saves the counters of gcc's coverage. */
__attribute__((weak)) void __gcov_dump(void); // NOLINT(bugprone-reserved-identifier): the name is theirs

static _Noreturn void leave(void)
{
    if (__gcov_dump) {
        __gcov_dump();
    }
    _exit(0);
}

/*
 * Ends a child whose allocation failed: the status must be right, and the context must be able to read the data again
 * and, in the first children and some others, to repeat the whole run.
 */
static _Noreturn void end_child(const scenario *s, nonsens_status status)
{
    nonsens_options *options = NULL;
    check_status(s, divided.n, status, true);
    assert_int_equal(make_options(s, &options), NONSENS_OK);
    assert_int_equal(read_once(options, s->data), NONSENS_OK);
    nonsens_options_free(options);
    if (divided.n < RUN_AGAIN || divided.n % RUN_AGAIN == 0) {
        assert_int_equal(run_failing(s, -1), NONSENS_OK);
        clear_outputs(s);
    }
    leave();
}

static int64_t count_chosen(const choice *c, int64_t end)
{
    int64_t count = 0;
    for (int64_t n = 0; n < end; n = after(c, n)) {
        count++;
    }
    return count;
}

/* Tries each chosen n below the end; returns the next n. */
static int64_t sweep_divided(const scenario *s, const choice *c, int64_t end)
{
    divided.choice = c;
    divided.n = divided.tried = divided.failed = 0;
    divided.end = end;
    memory_ask_at_failure(divide);
    nonsens_status status = run_failing(s, 0);
    memory_ask_at_failure(NULL);
    if (divided.is_child) {
        end_child(s, status);
    }
    if (divided.failed != 0 || status != NONSENS_OK) {
        fail_msg("%s: %s %d", name_of_run(s, divided.n), divided.failed ? "the process ends with" : "status",
                 divided.failed ? divided.failed : (int)status);
    }
    assert_int_equal(divided.tried, count_chosen(c, end));
    return after(c, divided.n);
}

/* Returns whether a run, until it writes, changes no file that parent and child would share. */
static bool can_divide(const scenario *s)
{
    bool has_journal = false;
    for (int k = 0; s->words[k]; k += 2) {
        has_journal |= strcmp(s->words[k], "journal") == 0;
    }
    return strcmp(threads, "1") == 0 && s->run == run_analysis && !has_journal;
}

/* ---- all runs ---- */

static void sweep(const scenario *s, choice c)
{
    int64_t before = memory_asked(), n = 0, tried = 0;
    assert_int_equal(run_failing(s, INT64_MAX), NONSENS_OK);
    int64_t count = memory_asked() - before;
    c.step = count <= c.every + c.more ? 1 : (count - c.every + c.more - 1) / c.more;
    int64_t writing = undisturbed.result ? undisturbed.before_writing - before : count;
    if (can_divide(s)) {
        n = sweep_divided(s, &c, writing);
        tried = divided.tried;
    }
    for (; n < count; n = after(&c, n), tried++) {
        undisturbed.used = n >= writing;
        check_failure(s, undisturbed.used ? n - writing : n);
    }
    undisturbed.used = false;
    tried_in_all += tried;
    assert_int_equal(run_failing(s, -1), NONSENS_OK); // the context is as usable as before
    print_message("%s on %s thread(s): %lld of %lld allocations, every one at first, then each %lld.\n", s->name,
                  threads, (long long)tried, (long long)count, (long long)c.step);
}

/* Clears the undisturbed run, even after a test that failed. */
static void forget_undisturbed(void)
{
    nonsens_result_free(undisturbed.result);
    nonsens_data_free(undisturbed.data);
    undisturbed.result = NULL;
    undisturbed.data = NULL;
    undisturbed.used = false;
    forget_whole();
    remove_files("out");
}

static void sweep_scenario(const scenario *s, choice c)
{
    forget_undisturbed();
    clear_outputs(s);
    nonsens_status status = s->run(s);
    if (status != NONSENS_OK) {
        fail_msg("%s: status %d, %s", s->name, (int)status, nonsens_context_message(ctx));
    }
    for_each_file("", "out", keep_whole, NULL);
    clear_outputs(s);
    if (s->run == run_analysis) {
        assert_int_equal(make_result(s, &undisturbed.data, &undisturbed.result), NONSENS_OK);
    }
    sweep(s, c);
    forget_undisturbed();
}

/* Scenarios without a method are so fast that every allocation is always tried. */
static bool runs_no_method(const scenario *s)
{
    return s->run == run_doors || s->run == run_readers || s->run == run_simulation || s->run == run_comparison ||
           s->run == run_report;
}

static void test_every_allocation(void **state)
{
    const scenario *s = *state;
    bool all = is_slow() || runs_no_method(s);
    if (!strcmp(s->name, "effect with refuters") && !is_slow()) { // twenty fits per run
        skip();
    }
    sweep_scenario(s, all ? (choice){.every = INT64_MAX} : (choice){.every = QUICKLY_EVERY, .more = QUICKLY_MORE});
}

/* In a quick run: a method whose parts are spread over threads, bootstrap samples, and pairs. */
static void test_on_threads(void **state)
{
    const scenario *s = *state;
    bool quick = !strcmp(s->name, "structured graph") || begun_journal(s);
    if (quick || is_slow()) {
        threads = "3";
        sweep_scenario(s, is_slow() ? (choice){.every = THREADED_EVERY, .more = THREADED_MORE}
                                    : (choice){.every = THREADED_QUICKLY_EVERY, .more = THREADED_QUICKLY_MORE});
        threads = "1";
    }
}

static void test_new_context(void **state)
{
    (void)state;
    nonsens_context *made = NULL;
    int64_t n = 0;
    for (; !made; n++) {
        int64_t held = memory_held();
        memory_fail_at(n);
        made = nonsens_context_new();
        memory_fail_at(-1);
        assert_true(made || memory_held() == held);
    }
    nonsens_context_free(made);
    assert_true(n > 1);
}

/* ---- what they run on ---- */

static void keep(const char *from, const char *to)
{
    char a[PATH_BYTES], b[PATH_BYTES];
    assert_int_equal(rename(path_of(a, from), path_of(b, to)), 0);
}

static void write_bytes(const char *name, const void *bytes, size_t size)
{
    char path[PATH_BYTES];
    FILE *file = fopen(path_of(path, name), "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

/* Keeps the head and the first unit of the journal that the run writes. */
static void keep_begun_journal(const scenario *s, const char *to)
{
    assert_int_equal(s->run(s), NONSENS_OK);
    char *text = whole_text_of("out.journal"), *second = strchr(text, '\n') + 1;
    write_bytes(to, text, (size_t)(strchr(second, '\n') + 1 - text));
    free(text);
    remove_files("out");
}

static void make_tables(void)
{
    static const scenario pair = {.command = NONSENS_COMMAND_SIMULATE,
                                  .words = {"per-segment", "16", "segments", "4", "depth", "1"}},
                          three = {.command = NONSENS_COMMAND_SIMULATE,
                                   .words = {"per-segment", "16", "segments", "4", "depth", "1", "sem", "node", "nodes",
                                             "3"}};
    assert_int_equal(run_simulation(&pair), NONSENS_OK);
    keep("out.csv", "pair.csv");
    assert_int_equal(run_simulation(&three), NONSENS_OK);
    keep("out.csv", "three.csv");
    keep("out.json", "truth.json");
    write_bytes("values.npy", npy_f8, sizeof npy_f8);
    // read with warnings (a column of text, a missing value), so that memory may also run out after the data are read
    write_text("table.tsv", "a\tb\tc\td\n1.5\t2\t7\tp\n2.5\t3\t9\tq\n4.5\t1\t8\tp\n3.5\t5\t6\tq\nNA\t4\t5\tp\n");
}

static void make_others(void)
{
    static const scenario kept = {.command = NONSENS_COMMAND_DIRECTION,
                                  .data = "pair.csv",
                                  .words = {SEGMENTED, "method", "linear-ica"}},
                          found = {.command = NONSENS_COMMAND_DISCOVER,
                                   .data = "three.csv",
                                   .words = {SEGMENTED, "method", "lingam"}},
                          samples = {.command = NONSENS_COMMAND_DISCOVER,
                                     .data = "three.csv",
                                     .words = {SEGMENTED, "method", "pc", "bootstrap", "3", "journal", "@out.journal"},
                                     .run = run_analysis},
                          pairs = {.command = NONSENS_COMMAND_DIRECTION,
                                   .data = "three.csv",
                                   .words = {SEGMENTED, "method", "lingam", "pairs", "@pairs.txt"},
                                   .run = run_pairs};
    write_text("graph.csv", "from,to\nx1,x2\nx3,x2\n");
    write_text("tetrad.txt", "Graph Nodes:\nx1;x2;x3\n\nGraph Edges:\n1. x1 --> x2\n2. x2 --- x3\n");
    write_text("matrix.csv", "x1,x2,x3\n0,1,0\n0,0,0.5\n0,0,0\n");
    write_text("known.txt", "/knowledge\nforbiddirect\nx3 x1\n");
    write_text("pairs.txt", "x1,x2\nx3,x1\n");
    assert_int_equal(run_analysis(&kept), NONSENS_OK);
    keep("out.json", "kept.json");
    keep("out.sources", "kept.sources");
    assert_int_equal(run_analysis(&found), NONSENS_OK);
    keep("out.json", "found.json");
    remove_files("out");
    keep_begun_journal(&samples, "samples.journal");
    keep_begun_journal(&pairs, "pairs.journal");
}

/* Makes the folder in memory if possible: on a disk the files would take longer than the runs. */
static bool make_folder(void)
{
    const char *parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder, sizeof folder, "%s/test_faults_XXXXXX", parent);
    return mkdtemp(folder);
}

static int set_up(void **state)
{
    (void)state;
    ctx = nonsens_context_new();
    if (!ctx || !make_folder()) {
        return -1;
    }
    make_tables();
    make_others();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove_files("");
    nonsens_context_free(ctx);
    print_message("%lld allocations failed.\n", (long long)tried_in_all);
    return rmdir(folder);
}

/* Runs the scenarios whose names match the pattern (* and ?) in the first argument, else all. */
int main(int words, char **word)
{
    enum { COUNT = sizeof SCENARIO / sizeof *SCENARIO };
    struct CMUnitTest tests[2 * COUNT + 1];
    for (size_t k = 0; k < COUNT; k++) {
        void *each = (void *)&SCENARIO[k];
        tests[k] = (struct CMUnitTest){SCENARIO[k].name, test_every_allocation, NULL, NULL, each};
        tests[COUNT + k] = (struct CMUnitTest){SCENARIO[k].name, test_on_threads, NULL, NULL, each};
    }
    if (words > 1) {
        cmocka_set_test_filter(word[1]);
    }
    tests[2 * COUNT] = (struct CMUnitTest)cmocka_unit_test(test_new_context);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
