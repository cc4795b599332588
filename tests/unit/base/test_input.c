/* test_input.c - a file that shrinks, grows or fails while it is read; the system's calls are replaced. */
#include "base/input.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h> /* after our headers: it defines a macro called fail */

enum { BYTES = 1000, LIMIT = 1 << 20 };

/* What the replaced calls report and do; 0 and -1: the truth. */
static struct {
    off_t more;        /* bytes by which the reported size is too large */
    int64_t interrupt; /* calls of read that are interrupted before one succeeds */
    int64_t fails_at;  /* byte from which on reading fails */
    int64_t done;      /* bytes read so far */
    const char *path;
} system_tells;

int fstat(int descriptor, struct stat *facts)
{
    int status = descriptor >= 0 ? stat(system_tells.path, facts) : -1;
    facts->st_size += system_tells.more;
    return status;
}

ssize_t read(int descriptor, void *to, size_t bytes)
{
    if (system_tells.interrupt > 0) {
        system_tells.interrupt--;
        errno = EINTR;
        return -1;
    }
    if (system_tells.fails_at >= 0 && system_tells.done >= system_tells.fails_at) {
        errno = EIO;
        return -1;
    }
    size_t most = system_tells.fails_at >= 0 ? (size_t)(system_tells.fails_at - system_tells.done) : bytes;
    struct iovec part = {to, bytes < most ? bytes : most};
    ssize_t got = readv(descriptor, &part, 1);
    system_tells.done += got > 0 ? got : 0;
    return got;
}

typedef struct place {
    nonsens_context *ctx;
    char path[32], text[BYTES];
    input file;
} place;

static int set_up(void **state)
{
    place *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->ctx = nonsens_context_new();
    strcpy(p->path, "/tmp/test_input_XXXXXX");
    for (int i = 0; i < BYTES; i++) {
        p->text[i] = (char)('a' + i % 26);
    }
    int descriptor = mkstemp(p->path);
    assert_int_equal(write(descriptor, p->text, BYTES), BYTES);
    close(descriptor);
    memset(&system_tells, 0, sizeof system_tells);
    system_tells.fails_at = -1;
    system_tells.path = p->path;
    *state = p;
    return 0;
}

static int tear_down(void **state)
{
    place *p = *state;
    input_free(&p->file);
    unlink(p->path);
    nonsens_context_free(p->ctx);
    free(p);
    return 0;
}

static void assert_read(place *p)
{
    assert_int_equal(input_read(p->ctx, p->path, LIMIT, &p->file), NONSENS_OK);
    assert_int_equal(p->file.size, BYTES);
    assert_memory_equal(p->file.bytes, p->text, BYTES);
}

static void test_shrinks(void **state)
{
    system_tells.more = 500;
    assert_read(*state);
}

static void test_grows(void **state)
{
    system_tells.more = -990;
    assert_read(*state);
}

static void test_interrupted(void **state)
{
    system_tells.interrupt = 3;
    assert_read(*state);
}

/* A reported size beyond the limit, and beyond any machine's memory, does no harm if the file turns out to be small. */
static void test_claims_too_much(void **state)
{
    system_tells.more = (off_t)1 << 60;
    assert_read(*state);
}

static void test_disk_fails(void **state)
{
    place *p = *state;
    for (int64_t at = 0; at < BYTES; at += 333) {
        system_tells.fails_at = at;
        system_tells.done = 0;
        assert_int_equal(input_read(p->ctx, p->path, LIMIT, &p->file), NONSENS_ERR_DATA);
        assert_non_null(strstr(nonsens_context_message(p->ctx), p->path));
        assert_non_null(strstr(nonsens_context_message(p->ctx), strerror(EIO)));
        input_free(&p->file);
    }
}

#define INPUT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        INPUT_TEST(test_shrinks),         INPUT_TEST(test_grows),      INPUT_TEST(test_interrupted),
        INPUT_TEST(test_claims_too_much), INPUT_TEST(test_disk_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
