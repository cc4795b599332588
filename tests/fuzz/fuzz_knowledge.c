/*
 * fuzz_knowledge.c - feeds random bytes to the reader of knowledge files (libFuzzer).
 *
 * Knowledge that is read must pass knowledge_check; an error must name the file.
 */
#include "fuzz/fuzz.h"
#include "read/knowledge_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a", "b", "c", "a b", "X1", "X2", "X*", "\"q\"", "\xC3\xA4", "1"};
    enum { NAMES = sizeof names / sizeof *names };
    nonsens_context *ctx = nonsens_context_new();
    arena a = {0};
    knowledge k;
    if (!ctx) {
        return 0;
    }
    nonsens_status status = knowledge_parse(ctx, &a, "fuzz", (const char *)data, (int64_t)size, NAMES, names, &k);
    if (status == NONSENS_OK) {
        check(knowledge_check(ctx, &k) == NONSENS_OK);
        for (int64_t i = 0; i < NAMES; i++) {
            check(k.flags[i * NAMES + i] == 0);
        }
    } else {
        check(status == NONSENS_ERR_DATA && strncmp(nonsens_context_message(ctx), "knowledge file fuzz:", 20) == 0);
    }
    arena_free(&a);
    nonsens_context_free(ctx);
    return 0;
}
