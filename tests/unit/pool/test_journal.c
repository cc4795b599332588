/*
 * test_journal.c - lines that cannot be read or were changed, and journals in use by another run; the system's getline
 * and flock are replaced.
 */
#define _GNU_SOURCE // syscall
#include "pool/journal_head.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h> /* after our headers: it defines a macro called fail */

static int lines_until_failure = -1;

ssize_t getline(char **text, size_t *bytes, FILE *file)
{
    if (lines_until_failure >= 0 && lines_until_failure-- == 0) {
        errno = ENOMEM; // neither feof nor ferror is set, as in the C library
        return -1;
    }
    return getdelim(text, bytes, '\n', file);
}

static int lock_error; /* error of a file system without locks; 0: it has locks */
static void (*before_lock)(const char *path);
static const char *before_path;

int flock(int file, int kind)
{
    if (before_lock) {
        void (*once)(const char *) = before_lock;
        before_lock = NULL;
        once(before_path);
    }
    if (lock_error) {
        errno = lock_error;
        return -1;
    }
    return (int)syscall(SYS_flock, file, kind);
}

/* ---- a folder ---- */

enum { TEXT_BYTES = 4096, NOBODY = 65534, CHILD_SECONDS = 20 };

typedef struct place {
    nonsens_context *ctx;
    char folder[32], path[64];
    char text[TEXT_BYTES];
} place;

static void write_file(place *p, const char *text)
{
    FILE *file = fopen(p->path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static const char *read_file(place *p)
{
    FILE *file = fopen(p->path, "r");
    assert_non_null(file);
    p->text[fread(p->text, 1, TEXT_BYTES - 1, file)] = '\0';
    fclose(file);
    return p->text;
}

static int open_place(void **state)
{
    static place p;
    p = (place){.ctx = nonsens_context_new(), .folder = "/tmp/test_journal_XXXXXX"};
    assert_non_null(p.ctx);
    assert_non_null(mkdtemp(p.folder));
    snprintf(p.path, sizeof p.path, "%s/journal", p.folder);
    *state = &p;
    return 0;
}

static int close_place(void **state)
{
    place *p = *state;
    unlink(p->path);
    assert_int_equal(rmdir(p->folder), 0);
    nonsens_context_free(p->ctx);
    return 0;
}

static json_value *line_of(int64_t seed)
{
    return json_object_of("options", json_string("a"), "seed", json_integer(seed), NULL);
}

static void append(place *p, journal *j, int seed)
{
    assert_int_equal(journal_append(p->ctx, j, line_of(seed)), NONSENS_OK);
}

/* Writes seeds 1 to `count`, one per line. */
static void write_units(place *p, int count)
{
    journal j;
    unlink(p->path);
    assert_int_equal(journal_open(p->ctx, p->path, &j), NONSENS_OK);
    for (int seed = 1; seed <= count; seed++) {
        append(p, &j, seed);
    }
    journal_close(&j);
}

/* Returns which of the seeds 1 to 9 are in the journal, one bit each. */
static unsigned seeds_there(place *p)
{
    journal j;
    unsigned there = 0;
    context_begin(p->ctx);
    assert_int_equal(journal_open(p->ctx, p->path, &j), NONSENS_OK);
    for (int seed = 1; seed <= 9; seed++) {
        there |= journal_find(&j, "a", seed) ? 1u << seed : 0;
    }
    journal_close(&j);
    return there;
}

static void assert_in_use(place *p)
{
    journal j;
    assert_int_equal(journal_open(p->ctx, p->path, &j), NONSENS_ERR_OUTPUT);
    assert_non_null(strstr(nonsens_context_message(p->ctx), p->path));
    assert_non_null(
        strstr(nonsens_context_message(p->ctx), "is in use by another run; wait until that has ended, or use"));
    assert_int_equal(journal_look(p->ctx, p->path, &j), NONSENS_ERR_OUTPUT);
}

/* ---- reading ---- */

/* If memory runs out at a line, the units after it must not be taken for units that were never run. */
static void test_no_room_for_a_line(void **state)
{
    place *p = *state;
    journal j;
    write_file(p, "{\"options\": \"a\", \"seed\": 1}\n{\"options\": \"a\", \"seed\": 2}\n");
    for (int n = 0; n < 2; n++) {
        lines_until_failure = n;
        assert_int_equal(journal_open(p->ctx, p->path, &j), NONSENS_ERR_MEMORY);
        assert_non_null(strstr(nonsens_context_message(p->ctx), "memory"));
    }
    lines_until_failure = -1;
    assert_int_equal(seeds_there(p), 1 << 1 | 1 << 2);
}

/* Other programs read this format: FNV-1a of the line without its last member. */
static void test_form(void **state)
{
    place *p = *state;
    write_units(p, 1);
    assert_string_equal(read_file(p), "{\"options\":\"a\",\"seed\":1,\"sum\":\"3282d1546abdb480\"}\n");
    assert_int_equal(seeds_there(p), 1 << 1);
}

static void change(place *p, const char *what, const char *by)
{
    char *at = strstr(p->text, what);
    assert_non_null(at);
    assert_int_equal(strlen(what), strlen(by));
    memcpy(at, by, strlen(by));
    write_file(p, p->text);
}

static void test_changed_line(void **state)
{
    place *p = *state;
    write_units(p, 3);
    read_file(p);
    change(p, "\"seed\":2", "\"seed\":7");
    assert_int_equal(seeds_there(p), 1 << 1 | 1 << 3);
    assert_non_null(strstr(nonsens_context_warning(p->ctx), p->path));
    assert_non_null(strstr(nonsens_context_warning(p->ctx), "line 2 was changed after being written; it is not used"));
    change(p, "\"seed\":3", "\"seed\":8");
    assert_int_equal(seeds_there(p), 1 << 1);
    assert_non_null(strstr(nonsens_context_warning(p->ctx), "lines 2, 3 were changed after being written; they are"));
    context_begin(p->ctx);
    assert_string_equal(nonsens_context_warning(p->ctx), "");
}

static void test_many_changed_lines(void **state)
{
    place *p = *state;
    write_units(p, 9);
    read_file(p);
    for (char *at = p->text; (at = strstr(at, "\"a\"")) != NULL; at++) {
        at[1] = 'b';
    }
    write_file(p, p->text);
    assert_int_equal(seeds_there(p), 0);
    assert_non_null(strstr(nonsens_context_warning(p->ctx), "lines 1, 2, 3, 4, 5, 6, 7, 8 and 1 more were changed"));
}

/* Lines by another program have no checksum, or a different one; line ends of another system do no harm. */
static void test_written_by_others(void **state)
{
    place *p = *state;
    write_file(p,
               "{\"options\": \"a\", \"seed\": 1}\n{\"options\": \"a\", \"seed\": 2, \"sum\": \"0123456789abcdef\"}\n");
    assert_int_equal(seeds_there(p), 1 << 1);
    assert_non_null(strstr(nonsens_context_warning(p->ctx), "line 2 was"));
    write_units(p, 1);
    FILE *file = fopen(p->path, "a");
    assert_non_null(file);
    fputs("{\"options\":\"a\",\"seed\":2}\n", file);
    fclose(file);
    assert_int_equal(seeds_there(p), 1 << 1);
    assert_non_null(strstr(nonsens_context_warning(p->ctx), "line 2 was"));
    write_units(p, 1);
    strcpy(strchr(read_file(p), '\n'), "\r\n");
    write_file(p, p->text);
    assert_int_equal(seeds_there(p), 1 << 1);
    assert_string_equal(nonsens_context_warning(p->ctx), "");
}

/* A line that is cut short anywhere does not count as changed. */
static void test_cut_line(void **state)
{
    place *p = *state;
    write_units(p, 2);
    size_t whole = strlen(read_file(p)), second = (size_t)(strchr(p->text, '\n') - p->text) + 1;
    for (size_t length = second; length < whole; length++) {
        p->text[length] = '\0';
        write_file(p, p->text);
        assert_int_equal(seeds_there(p), length + 1 == whole ? 1 << 1 | 1 << 2 : 1 << 1);
        assert_string_equal(nonsens_context_warning(p->ctx), "");
        write_units(p, 2);
        read_file(p);
    }
}

/* ---- locks ---- */

static void test_two_in_one_process(void **state)
{
    place *p = *state;
    journal j;
    assert_int_equal(journal_open(p->ctx, p->path, &j), NONSENS_OK);
    assert_in_use(p);
    append(p, &j, 1);
    assert_in_use(p);
    journal_close(&j);
    assert_int_equal(seeds_there(p), 1 << 1);
}

/* The lock ends with its process, however that ends. */
static void test_another_process(void **state)
{
    place *p = *state;
    int ready[2];
    char byte;
    journal j;
    assert_int_equal(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        alarm(CHILD_SECONDS); // if the test fails, nothing else ends it
        bool good =
            journal_open(p->ctx, p->path, &j) == NONSENS_OK && journal_append(p->ctx, &j, line_of(1)) == NONSENS_OK;
        (void)!write(ready[1], good ? "y" : "n", 1);
        pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    assert_in_use(p);
    static const journal_kind kind = {"nonsens test", "units", "name another"};
    for (int resume = 0; resume < 2; resume++) {
        assert_int_equal(journal_check_file(p->ctx, p->path, &kind, resume), NONSENS_ERR_OUTPUT);
        assert_non_null(strstr(nonsens_context_message(p->ctx), "in use by another run"));
    }
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(seeds_there(p), 1 << 1);
    close(ready[0]);
    close(ready[1]);
}

/* A program that is executed in the meantime does not inherit the lock. */
static void test_executed_program(void **state)
{
    place *p = *state;
    journal j;
    assert_int_equal(journal_open(p->ctx, p->path, &j), NONSENS_OK);
    append(p, &j, 1);
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sleep", "sleep", "20", (char *)NULL);
        _exit(1);
    }
    char link[64], program[256] = "";
    snprintf(link, sizeof link, "/proc/%d/exe", (int)child);
    for (int k = 0; k < 1000 && !strstr(program, "sleep") && !strstr(program, "coreutils"); k++) {
        usleep(1000);
        ssize_t length = readlink(link, program, sizeof program - 1);
        program[length > 0 ? length : 0] = '\0';
    }
    journal_close(&j);
    assert_int_equal(seeds_there(p), 1 << 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void test_no_locks(void **state)
{
    static const int errors[] = {ENOLCK, ENOSYS, EOPNOTSUPP, EINVAL};
    place *p = *state;
    journal j, other;
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++) {
        lock_error = errors[k];
        assert_int_equal(journal_open(p->ctx, p->path, &j), NONSENS_OK);
        assert_int_equal(journal_open(p->ctx, p->path, &other), NONSENS_OK);
        append(p, &j, (int)k + 1);
        journal_close(&other);
        journal_close(&j);
        lock_error = 0;
    }
    assert_int_equal(seeds_there(p), 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4);
}

static void replace_file(const char *path)
{
    unlink(path);
    FILE *file = fopen(path, "w");
    fputs("{\"options\":\"a\",\"seed\":5}\n", file);
    fclose(file);
}

/* The run that had the journal removed it, and a third run began a new one, just before the lock became free. */
static void test_replaced_before_lock(void **state)
{
    place *p = *state;
    write_units(p, 1);
    before_path = p->path;
    before_lock = replace_file;
    assert_int_equal(seeds_there(p), 1 << 5);
}

/* ---- files ---- */

/* A run that ended before its first unit leaves nothing that blocks others. */
static void test_empty(void **state)
{
    static const journal_kind kind = {"nonsens test", "units", "name another"};
    place *p = *state;
    journal j;
    assert_int_equal(journal_look(p->ctx, p->path, &j), NONSENS_OK);
    assert_null(j.first);
    journal_close(&j);
    assert_int_not_equal(access(p->path, F_OK), 0);
    assert_int_equal(journal_open(p->ctx, p->path, &j), NONSENS_OK);
    journal_close(&j);
    assert_int_equal(journal_check_file(p->ctx, p->path, &kind, false), NONSENS_OK);
    write_units(p, 1);
    assert_int_equal(journal_check_file(p->ctx, p->path, &kind, false), NONSENS_ERR_USAGE);
}

/* A journal with all units need not be writable; a failed write gives the reason. */
static void test_read_only(void **state)
{
    place *p = *state;
    journal j;
    write_units(p, 2);
    assert_int_equal(chmod(p->path, 0444), 0);
    assert_int_equal(chmod(p->folder, 0755), 0);
    bool root = geteuid() == 0; // can write it nevertheless
    assert_int_equal(root ? seteuid(NOBODY) : 0, 0);
    nonsens_status status = journal_open(p->ctx, p->path, &j);
    assert_int_equal(root ? seteuid(0) : 0, 0);
    assert_int_equal(status, NONSENS_OK);
    assert_non_null(journal_find(&j, "a", 2));
    assert_int_equal(journal_append(p->ctx, &j, line_of(3)), NONSENS_ERR_OUTPUT);
    assert_non_null(strstr(nonsens_context_message(p->ctx), "cannot write the journal"));
    assert_non_null(strstr(nonsens_context_message(p->ctx), strerror(EACCES)));
    journal_close(&j);
}

static void test_missing_folder(void **state)
{
    place *p = *state;
    journal j;
    assert_int_equal(journal_open(p->ctx, "/nowhere/journal", &j), NONSENS_ERR_OUTPUT);
    assert_string_equal(nonsens_context_message(p->ctx),
                        "cannot write the journal /nowhere/journal: No such file or directory");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_place, close_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_no_room_for_a_line),
        TEST(test_form),
        TEST(test_changed_line),
        TEST(test_many_changed_lines),
        TEST(test_written_by_others),
        TEST(test_cut_line),
        TEST(test_two_in_one_process),
        TEST(test_another_process),
        TEST(test_executed_program),
        TEST(test_no_locks),
        TEST(test_replaced_before_lock),
        TEST(test_empty),
        TEST(test_read_only),
        TEST(test_missing_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
