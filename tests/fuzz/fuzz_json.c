/*
 * fuzz_json.c - random bytes as JSON (libFuzzer): accepted text is written in every layout, reads back as an equal
 * value, and is then written as the same bytes; refused text is refused with a position.
 */
#include "base/memory.h"
#include "fuzz/fuzz.h"
#include "json/json.h"

#include <string.h>

static void check_layout(nonsens_context *ctx, const json_value *value, enum json_layout layout)
{
    json_value *again;
    char *text = json_text(value, layout, JSON_EXACT_DIGITS);
    check(text && json_parse(ctx, text, strlen(text), true, NULL, &again) == NONSENS_OK);
    char *same = json_text(again, layout, JSON_EXACT_DIGITS);
    check(json_equal(value, again) && same && strcmp(text, same) == 0);
    for (const char *c = text; layout == JSON_ASCII && *c; c++) {
        check((unsigned char)*c < 0x80);
    }
    memory_release(text);
    memory_release(same);
    json_decref(again);
}

static bool is_taken(nonsens_context *ctx, const char *text, size_t size, bool unique)
{
    json_error error = {0};
    json_value *value;
    nonsens_status status = json_parse(ctx, text, size, unique, &error, &value);
    if (status == NONSENS_OK) {
        for (enum json_layout layout = JSON_COMPACT; layout <= JSON_INDENTED; layout++) {
            check_layout(ctx, value, layout);
        }
    } else {
        check(status == NONSENS_ERR_DATA && !value && error.line > 0 && error.column > 0 && error.what);
    }
    json_decref(value);
    return status == NONSENS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nonsens_context *ctx = nonsens_context_new();
    int64_t held = memory_held();
    bool unique = is_taken(ctx, (const char *)data, size, true);
    check(is_taken(ctx, (const char *)data, size, false) || !unique);
    check(memory_held() == held);
    nonsens_context_free(ctx);
    return 0;
}
