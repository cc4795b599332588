/* request.c - reads the command line of a program with a table of cells, and runs its cells. */
#include "harness/request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SEED UINT64_C(100001)

/* ---- command line ---- */

static bool read_word(request *q, const char *key, const char *value)
{
    if (strcmp(key, "--cells") == 0) {
        q->cells = value;
    } else if (strcmp(key, "--reps") == 0) {
        q->reps = strtol(value, NULL, 10);
    } else if (strcmp(key, "--rows") == 0) {
        q->rows = strtol(value, NULL, 10);
    } else if (strcmp(key, "--seed") == 0) {
        q->first_seed = strtoull(value, NULL, 10);
    } else if (strcmp(key, "--threads") == 0) {
        q->threads = (int)strtol(value, NULL, 10);
    } else if (strcmp(key, "--out") == 0) {
        q->out = value;
    } else {
        return false;
    }
    return true;
}

bool request_read(request *q, int argc, char **argv, request_word_fn own, void *user)
{
    *q = (request){.cells = "*", .first_seed = FIRST_SEED};
    bool good = argc % 2 == 1;
    for (int i = 1; good && i < argc; i += 2) {
        good = (own && own(user, argv[i], argv[i + 1])) || read_word(q, argv[i], argv[i + 1]);
    }
    return good && q->reps >= 0 && q->reps <= 1000000 && (q->rows == 0 || q->rows >= 100) && q->threads >= 0 &&
           q->threads <= 1024;
}

/* ---- running ---- */

static int run_cells(const char *program, request *q, request_fn run)
{
    nonsens_context *ctx = nonsens_context_new();
    nonsens_status status = ctx ? run(ctx, q) : NONSENS_ERR_MEMORY;
    if (status != NONSENS_OK) {
        fprintf(stderr, "%s: %s\n", program, ctx ? nonsens_context_message(ctx) : "out of memory");
    } else if (q->done == 0 || q->bad > 0) {
        fprintf(stderr, "%s: %" PRId64 " of %" PRId64 " cells are out of bounds\n", program, q->bad, q->done);
    }
    nonsens_context_free(ctx);
    return status == NONSENS_OK && q->bad == 0 && q->done > 0 ? 0 : 1;
}

int request_run(const char *program, const char *head, int argc, char **argv, request_fn run)
{
    request q;
    if (!request_read(&q, argc, argv, NULL, NULL)) {
        fprintf(stderr,
                "usage: %s [--cells PATTERNS] [--rows N] [--reps R] [--seed FIRST] [--threads T] [--out FILE.csv]\n",
                program);
        return 2;
    }
    q.table.out = q.out ? fopen(q.out, "w") : NULL;
    if (q.out && !q.table.out) {
        perror(q.out);
        return 1;
    }
    table_text(&q.table, head);
    table_end_row(&q.table);
    int status = run_cells(program, &q, run);
    if (q.table.out && (ferror(q.table.out) | fclose(q.table.out)) != 0) {
        perror(q.out);
        return 1;
    }
    return status;
}

static nonsens_status run_cell(nonsens_context *ctx, request *q, const study *s, int64_t cell, request_report_fn report)
{
    arena a = {0};
    study_run r = {.study = s, .first_seed = (int64_t)q->first_seed, .threads = q->threads};
    nonsens_status status = study_run_cell(ctx, &a, &r, cell, q->reps);
    if (status == NONSENS_OK) {
        study_units units = study_result(&r);
        status = report(ctx, &a, q, &units);
        q->done++;
        fflush(stdout);
    }
    arena_free(&a);
    return status;
}

nonsens_status request_run_study(nonsens_context *ctx, request *q, const study *s, request_report_fn report)
{
    char name[CELL_NAME_BYTES];
    for (int64_t k = 0; k < s->cells; k++) {
        s->cell_name(k, name);
        if (study_is_named(q->cells, name)) {
            TRY(run_cell(ctx, q, s, k, report));
        }
    }
    return NONSENS_OK;
}
