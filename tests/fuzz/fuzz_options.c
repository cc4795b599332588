/*
 * fuzz_options.c - random texts as options (libFuzzer): the first byte selects the command, each line after it is "key
 * value".  A value that was set reads back as a text that sets the same value.
 */
#include "fuzz/fuzz.h"
#include "options/options.h"

#include <string.h>

enum { LINE_BYTES = 8192 };

static void check_same(nonsens_context *ctx, nonsens_options *options, const char *key)
{
    char value[LINE_BYTES];
    const char *first, *again;
    check(nonsens_options_get(ctx, options, key, &first) == NONSENS_OK && strlen(first) < sizeof value);
    strcpy(value, first);
    nonsens_status status = nonsens_options_set(ctx, options, key, first); // the option's own text
    check(status == NONSENS_OK || (status == NONSENS_ERR_USAGE && !value[0]));
    check(nonsens_options_get(ctx, options, key, &again) == NONSENS_OK && strcmp(value, again) == 0);
}

static void set_line(nonsens_context *ctx, nonsens_options *options, char *line)
{
    char *space = strchr(line, ' ');
    const char *value = space ? space + 1 : "";
    if (space) {
        *space = '\0';
    }
    nonsens_status status = nonsens_options_set(ctx, options, line, value);
    if (status == NONSENS_OK) {
        check_same(ctx, options, line);
    } else {
        check(status == NONSENS_ERR_USAGE && strlen(nonsens_context_message(ctx)) > 10);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned command[] = {
        NONSENS_COMMAND_SIMULATE,  NONSENS_COMMAND_DIRECTION, NONSENS_COMMAND_INDEPENDENCE, NONSENS_COMMAND_DIAGNOSE,
        NONSENS_COMMAND_ICA,       NONSENS_COMMAND_DISCOVER,  NONSENS_COMMAND_COMPARE,      NONSENS_COMMAND_EXPLAIN,
        NONSENS_COMMAND_REPRODUCE, NONSENS_COMMAND_REPORT,    NONSENS_COMMAND_EFFECT};
    nonsens_context *ctx = nonsens_context_new();
    nonsens_options *options = NULL;
    check(ctx != NULL);
    if (size > 0) {
        check(nonsens_options_new(ctx, command[data[0] % (sizeof command / sizeof *command)], &options) == NONSENS_OK);
    }
    for (size_t at = 1; at < size;) {
        char line[LINE_BYTES];
        const uint8_t *end = memchr(data + at, '\n', size - at);
        size_t length = end ? (size_t)(end - data) - at : size - at;
        size_t kept = length < sizeof line ? length : sizeof line - 1;
        memcpy(line, data + at, kept);
        line[kept] = '\0';
        set_line(ctx, options, line);
        at += length + 1;
    }
    if (options) {
        nonsens_status status = nonsens_options_check(ctx, options);
        check(status == NONSENS_OK || (status == NONSENS_ERR_USAGE && strlen(nonsens_context_message(ctx)) > 10));
    }
    nonsens_options_free(options);
    nonsens_context_free(ctx);
    return 0;
}
