/* test_journal.c - a journal of which a line cannot be read; the system's getline is replaced by ours. */
#include "base/journal.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h> /* after ours: it defines a macro called fail */

static int lines_until_failure = -1;

ssize_t getline(char **text, size_t *bytes, FILE *file)
{
    if (lines_until_failure >= 0 && lines_until_failure-- == 0) {
        errno = ENOMEM; // and neither feof nor ferror, as the C library does it
        return -1;
    }
    return getdelim(text, bytes, '\n', file);
}

/* Units behind a line that found no memory must not be taken for units that were never run. */
static void test_no_room_for_a_line(void **state)
{
    (void)state;
    static const char lines[] = "{\"options\": \"a\", \"seed\": 1}\n{\"options\": \"a\", \"seed\": 2}\n";
    char path[] = "/tmp/test_journal_XXXXXX";
    int file = mkstemp(path);
    nonsens_context *ctx = nonsens_context_new();
    journal j;
    assert_non_null(ctx);
    assert_int_equal(write(file, lines, sizeof lines - 1), sizeof lines - 1);
    assert_int_equal(close(file), 0);
    for (int n = 0; n < 2; n++) {
        lines_until_failure = n;
        assert_int_equal(journal_open(ctx, path, &j), NONSENS_ERR_MEMORY);
        assert_non_null(strstr(nonsens_message(ctx), "memory"));
    }
    lines_until_failure = -1;
    assert_int_equal(journal_open(ctx, path, &j), NONSENS_OK);
    assert_non_null(journal_find(&j, "a", 1));
    assert_non_null(journal_find(&j, "a", 2));
    journal_close(&j);
    unlink(path);
    nonsens_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_room_for_a_line)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
