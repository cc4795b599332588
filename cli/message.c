/* message.c - complaints on stderr, exit codes, and the word that was probably meant. */
#include "cli.h"

#include <stdarg.h>
#include <string.h>

int complain(int code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("nonsens: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return code;
}

static int exit_code(nonsens_status status)
{
    switch (status) {
    case NONSENS_OK:
        return EXIT_DONE;
    case NONSENS_ERR_USAGE:
        return EXIT_USAGE;
    case NONSENS_ERR_DATA:
        return EXIT_DATA;
    case NONSENS_CANCELLED:
        return EXIT_INTERRUPTED;
    case NONSENS_ERR_MEMORY:
    case NONSENS_ERR_OUTPUT:
    case NONSENS_ERR_NUMERIC:
        break;
    }
    return EXIT_FAILED;
}

int complain_status(const nonsens_context *ctx, nonsens_status status)
{
    // a signal that breaks off reading or writing shows up as an error of that call
    if (interrupt_seen()) {
        return complain(EXIT_INTERRUPTED, "interrupted");
    }
    return complain(exit_code(status), "%s", nonsens_message(ctx));
}

enum { LONGEST = 40 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edit distance with unit costs; words longer than LONGEST count as far away. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b), row[LONGEST + 1];
    if (m > LONGEST || n > LONGEST) {
        return LONGEST;
    }
    for (size_t j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= m; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t replace = corner + (a[i - 1] != b[j - 1]);
            corner = row[j];
            row[j] = smaller(replace, smaller(row[j], row[j - 1]) + 1);
        }
    }
    return row[n];
}

const char *nearest_word(const char *word, const char *const *list)
{
    const char *near = NULL;
    size_t best = 1 + strlen(word) / 3; // more than a third of the letters wrong: another word was meant
    for (; *list; list++) {
        size_t distance = edit_distance(word, *list);
        bool begins = strlen(word) >= 3 && strncmp(*list, word, strlen(word)) == 0;
        if (distance < best || (!near && (distance == best || begins))) {
            near = *list;
            best = smaller(distance, best);
        }
    }
    return near;
}
