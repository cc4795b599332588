/* test_output.c - files appear whole or not at all; links stay; devices are written through. */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h> /* after our headers: it defines a macro called fail */

/* Replaces the system's function: fails if told to. */
static bool fsync_fails;

int fsync(int descriptor)
{
    if (fsync_fails) {
        errno = EIO;
        return -1;
    }
    return fdatasync(descriptor);
}

typedef struct place {
    nonsens_context *ctx;
    char folder[32], file[64], link[64];
} place;

static int set_up(void **state)
{
    place *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->ctx = nonsens_context_new();
    strcpy(p->folder, "/tmp/test_output_XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->file, sizeof p->file, "%s/file", p->folder);
    snprintf(p->link, sizeof p->link, "%s/link", p->folder);
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    place *p = *state;
    unlink(p->link);
    unlink(p->file);
    int left_over = rmdir(p->folder); // fails if a temporary file was left
    nonsens_context_free(p->ctx);
    free(p);
    return left_over;
}

static void assert_contents(const char *path, const char *expected)
{
    char text[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t bytes = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[bytes] = '\0';
    assert_string_equal(text, expected);
}

static void write_text(place *p, const char *path, const char *text)
{
    output *out;
    assert_int_equal(output_open(p->ctx, path, &out), NONSENS_OK);
    fputs(text, output_stream(out));
    assert_int_equal(output_close(p->ctx, out), NONSENS_OK);
}

static void test_new_file(void **state)
{
    place *p = *state;
    mode_t old = umask(027);
    write_text(p, p->file, "one");
    umask(old);
    struct stat facts;
    assert_int_equal(stat(p->file, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0640);
    assert_contents(p->file, "one");
}

static void test_replaced_only_when_closed(void **state)
{
    place *p = *state;
    output *out;
    write_text(p, p->file, "old");
    assert_int_equal(chmod(p->file, 0600), 0);
    assert_int_equal(output_open(p->ctx, p->file, &out), NONSENS_OK);
    fputs("new", output_stream(out));
    fflush(output_stream(out));
    assert_contents(p->file, "old");
    output_abandon(out);
    assert_contents(p->file, "old");
    write_text(p, p->file, "newer");
    assert_contents(p->file, "newer");
    struct stat facts;
    assert_int_equal(stat(p->file, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    output_abandon(NULL);
}

static void test_link_is_followed(void **state)
{
    place *p = *state;
    write_text(p, p->file, "a longer text");
    assert_int_equal(symlink(p->file, p->link), 0);
    write_text(p, p->link, "short");
    struct stat facts;
    assert_int_equal(lstat(p->link, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
    assert_contents(p->file, "short");
}

/* The target of a link is replaced as a whole, or made if it is missing; the link stays. */
static void test_link_to_half_a_file(void **state)
{
    place *p = *state;
    output *out;
    write_text(p, p->file, "old");
    assert_int_equal(symlink(strrchr(p->file, '/') + 1, p->link), 0);
    assert_int_equal(output_open(p->ctx, p->link, &out), NONSENS_OK);
    fputs("new", output_stream(out));
    fflush(output_stream(out));
    assert_contents(p->file, "old");
    output_abandon(out);
    assert_contents(p->file, "old");
    assert_int_equal(unlink(p->file), 0);
    assert_int_equal(nonsens_output_check(p->ctx, p->link), NONSENS_OK);
    write_text(p, p->link, "made");
    assert_contents(p->file, "made");
    struct stat facts;
    assert_int_equal(lstat(p->link, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
}

static void test_link_in_a_cycle(void **state)
{
    place *p = *state;
    output *out;
    assert_int_equal(symlink(p->link, p->link), 0);
    assert_int_equal(nonsens_output_check(p->ctx, p->link), NONSENS_ERR_OUTPUT);
    assert_int_equal(output_open(p->ctx, p->link, &out), NONSENS_ERR_OUTPUT);
}

static void test_pipe(void **state)
{
    place *p = *state;
    assert_int_equal(mkfifo(p->file, 0600), 0);
    int reader = open(p->file, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    write_text(p, p->file, "through");
    char text[16] = "";
    assert_int_equal(read(reader, text, sizeof text), 7);
    assert_string_equal(text, "through");
    close(reader);
    struct stat facts;
    assert_int_equal(lstat(p->file, &facts), 0);
    assert_true(S_ISFIFO(facts.st_mode));
}

/* The device is reached through a link of our own, so that a bug could replace only the link, never the device. */
static void test_full_device(void **state)
{
    place *p = *state;
    output *out;
    assert_int_equal(symlink("/dev/full", p->link), 0);
    for (int bytes = 10; bytes < 1000000; bytes = 10 * bytes + 1) { // noticed by the flush, or long before it
        assert_int_equal(output_open(p->ctx, p->link, &out), NONSENS_OK);
        for (int i = 0; i < bytes; i++) {
            putc('x', output_stream(out));
        }
        assert_int_equal(output_close(p->ctx, out), NONSENS_ERR_OUTPUT);
        assert_non_null(strstr(nonsens_context_message(p->ctx), p->link));
    }
    struct stat facts;
    assert_int_equal(lstat(p->link, &facts), 0);
    assert_true(S_ISLNK(facts.st_mode));
}

/* A single write larger than any buffer leaves nothing to flush: its error must be kept. */
static void test_reason_of_a_large_write(void **state)
{
    place *p = *state;
    output *out;
    static char bytes[1 << 20];
    assert_int_equal(symlink("/dev/full", p->link), 0);
    assert_int_equal(output_open(p->ctx, p->link, &out), NONSENS_OK);
    output_write(out, bytes, sizeof bytes);
    assert_int_equal(output_close(p->ctx, out), NONSENS_ERR_OUTPUT);
    assert_non_null(strstr(nonsens_context_message(p->ctx), strerror(ENOSPC)));
}

static void check_refused(place *p, const char *path, int error)
{
    assert_int_equal(nonsens_output_check(p->ctx, path), NONSENS_ERR_OUTPUT);
    assert_non_null(strstr(nonsens_context_message(p->ctx), strerror(error)));
}

/* A check creates nothing (tear_down would find it) and changes nothing. */
static void test_check(void **state)
{
    place *p = *state;
    char path[80];
    assert_int_equal(nonsens_output_check(p->ctx, "-"), NONSENS_OK);
    assert_int_equal(nonsens_output_check(p->ctx, p->file), NONSENS_OK);
    assert_int_equal(access(p->file, F_OK), -1);
    write_text(p, p->file, "kept");
    assert_int_equal(nonsens_output_check(p->ctx, p->file), NONSENS_OK);
    assert_contents(p->file, "kept");
    assert_int_equal(symlink(p->file, p->link), 0);
    assert_int_equal(nonsens_output_check(p->ctx, p->link), NONSENS_OK);
    assert_contents(p->file, "kept");
    check_refused(p, p->folder, EISDIR);
    snprintf(path, sizeof path, "%s/none/file", p->folder);
    check_refused(p, path, ENOENT);
    snprintf(path, sizeof path, "%s/new/", p->folder);
    check_refused(p, path, ENOENT);
    snprintf(path, sizeof path, "%s/below", p->file);
    check_refused(p, path, ENOTDIR);
    assert_int_equal(nonsens_output_check(p->ctx, ""), NONSENS_ERR_OUTPUT);
    assert_non_null(strstr(nonsens_context_message(p->ctx), "empty"));
}

/* A file that did not reach the disk does not replace one that did. */
static void test_failing_sync(void **state)
{
    place *p = *state;
    output *out;
    write_text(p, p->file, "old");
    assert_int_equal(output_open(p->ctx, p->file, &out), NONSENS_OK);
    fputs("new", output_stream(out));
    fsync_fails = true;
    nonsens_status status = output_close(p->ctx, out);
    fsync_fails = false;
    assert_int_equal(status, NONSENS_ERR_OUTPUT);
    assert_non_null(strstr(nonsens_context_message(p->ctx), p->file));
    assert_non_null(strstr(nonsens_context_message(p->ctx), strerror(EIO)));
    assert_contents(p->file, "old");
}

static void test_cannot_open(void **state)
{
    place *p = *state;
    output *out;
    assert_int_equal(output_open(p->ctx, p->folder, &out), NONSENS_ERR_OUTPUT);
    assert_non_null(strstr(nonsens_context_message(p->ctx), p->folder));
    assert_null(out);
    char inside[80];
    snprintf(inside, sizeof inside, "%s/none/file", p->folder);
    assert_int_equal(output_open(p->ctx, inside, &out), NONSENS_ERR_OUTPUT);
    assert_non_null(strstr(nonsens_context_message(p->ctx), strerror(2)));
    assert_null(out);
}

#define OUTPUT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OUTPUT_TEST(test_new_file),
        OUTPUT_TEST(test_replaced_only_when_closed),
        OUTPUT_TEST(test_link_is_followed),
        OUTPUT_TEST(test_link_to_half_a_file),
        OUTPUT_TEST(test_link_in_a_cycle),
        OUTPUT_TEST(test_pipe),
        OUTPUT_TEST(test_reason_of_a_large_write),
        OUTPUT_TEST(test_check),
        OUTPUT_TEST(test_full_device),
        OUTPUT_TEST(test_failing_sync),
        OUTPUT_TEST(test_cannot_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
