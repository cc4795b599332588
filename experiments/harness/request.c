/* request.c - see request.h. */
#include "harness/request.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SEED UINT64_C(100001)

bool request_wants(const request *q, const char *cell)
{
    return fnmatch(q->pattern, cell, 0) == 0;
}

static bool read_word(request *q, const char *key, const char *value, const char **path)
{
    if (strcmp(key, "--cells") == 0) {
        q->pattern = value;
    } else if (strcmp(key, "--reps") == 0) {
        q->reps = strtol(value, NULL, 10);
    } else if (strcmp(key, "--rows") == 0) {
        q->rows = strtol(value, NULL, 10);
    } else if (strcmp(key, "--seed") == 0) {
        q->first_seed = strtoull(value, NULL, 10);
    } else if (strcmp(key, "--threads") == 0) {
        q->threads = (int)strtol(value, NULL, 10);
    } else if (strcmp(key, "--out") == 0) {
        *path = value;
    } else {
        return false;
    }
    return true;
}

static bool read_words(request *q, int argc, char **argv, const char **path)
{
    bool good = argc % 2 == 1;
    for (int i = 1; good && i < argc; i += 2) {
        good = read_word(q, argv[i], argv[i + 1], path);
    }
    return good && q->reps >= 0 && q->reps <= 1000000 && (q->rows == 0 || q->rows >= 100) && q->threads >= 0 &&
           q->threads <= 1024;
}

static int run_cells(const char *program, request *q, request_fn run)
{
    nonsens_context *ctx = nonsens_context_new();
    nonsens_status status = ctx ? run(ctx, q) : NONSENS_ERR_MEMORY;
    if (status != NONSENS_OK) {
        fprintf(stderr, "%s: %s\n", program, ctx ? nonsens_message(ctx) : "out of memory");
    } else if (q->cells == 0 || q->bad > 0) {
        fprintf(stderr, "%s: %" PRId64 " of %" PRId64 " cells are out of bounds\n", program, q->bad, q->cells);
    }
    nonsens_context_free(ctx);
    return status == NONSENS_OK && q->bad == 0 && q->cells > 0 ? 0 : 1;
}

int request_run(const char *program, const char *head, int argc, char **argv, request_fn run)
{
    request q = {.pattern = "*", .first_seed = FIRST_SEED};
    const char *path = NULL;
    if (!read_words(&q, argc, argv, &path)) {
        fprintf(stderr,
                "usage: %s [--cells PATTERN] [--rows N] [--reps R] [--seed FIRST] [--threads T] [--out FILE.csv]\n",
                program);
        return 2;
    }
    q.csv = path ? fopen(path, "w") : NULL;
    if (path && !q.csv) {
        perror(path);
        return 1;
    }
    if (q.csv) {
        fprintf(q.csv, "%s\n", head);
    }
    int status = run_cells(program, &q, run);
    if (q.csv && (ferror(q.csv) | fclose(q.csv)) != 0) {
        perror(path);
        return 1;
    }
    return status;
}
