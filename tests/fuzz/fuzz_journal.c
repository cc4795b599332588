/*
 * fuzz_journal.c - bytes at random as a journal (libFuzzer): lines that can be read are found and loaded again, and a
 * line that is appended stands alone, whatever the file ended with.
 */
#include "base/journal_head.h"
#include "fuzz/fuzz_file.h"

#include <string.h>

typedef struct visited {
    int64_t lines, end;
    journal_place last;
} visited;

static void visit(void *user, const json_t *line, journal_place place)
{
    visited *v = user;
    check(line && place.bytes >= 0 && place.offset >= v->end);
    v->end = place.offset + place.bytes;
    v->last = place;
    v->lines++;
}

static int64_t count_lines(nonsens_context *ctx, const char *path, visited *v)
{
    journal j;
    *v = (visited){0};
    check(journal_open_visited(ctx, path, visit, v, &j) == NONSENS_OK);
    journal_close(&j);
    return v->lines;
}

static void check_append(nonsens_context *ctx, const char *path)
{
    journal j;
    check(journal_open(ctx, path, &j) == NONSENS_OK);
    check(journal_append(ctx, &j, json_pack("{s:s, s:i, s:i}", "options", "ours", "seed", 77, "value", 5)) == 0);
    check(journal_find(&j, "ours", 77) != NULL);
    journal_close(&j);
    check(journal_open(ctx, path, &j) == NONSENS_OK);
    check(json_integer_value(json_object_get(journal_find(&j, "ours", 77), "value")) == 5);
    journal_close(&j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const journal_kind kind = {"nonsens bootstrap", "resamples", "name another --journal"};
    nonsens_context *ctx = nonsens_context_new();
    const char *path = fuzz_file(data, size);
    visited before, after;
    journal j;
    check(ctx != NULL);
    int64_t lines = count_lines(ctx, path, &before);
    if (lines > 0) {
        json_t *again;
        check(journal_load(ctx, path, before.last, &again) == NONSENS_OK);
        json_decref(again);
    }
    json_t *head = json_pack("{s:s, s:i}", "options", kind.name, "seed", 0);
    check(journal_open(ctx, path, &j) == NONSENS_OK);
    nonsens_status status = journal_check_head(ctx, &j, &kind, head);
    check(status == NONSENS_OK || strlen(nonsens_message(ctx)) > 10);
    journal_close(&j);
    json_decref(head);
    check_append(ctx, path);
    check(count_lines(ctx, path, &after) == lines + 1);
    nonsens_context_free(ctx);
    return 0;
}
