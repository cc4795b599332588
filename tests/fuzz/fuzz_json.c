/* fuzz_json.c - bytes at random as JSON: taken and refused as by the JSON library's own reader, with the same value. */
#include "json/json_text.h"
#include "fuzz/fuzz.h"

#include <string.h>

static void check_same(const char *text, size_t size, size_t flags)
{
    bool no_memory;
    json_error_t error, of_library;
    json_t *ours = json_parse(text, size, flags, &error, &no_memory);
    json_t *theirs = json_loadb(text, size, flags, &of_library);
    bool zero = size > 0 && memchr(text, 0, size) != NULL; // behind a number the library passes over it
    check(!no_memory && (ours ? json_equal(ours, theirs) : !theirs || zero));
    check(ours || (error.line > 0 && error.column > 0 && error.text[0]));
    json_decref(ours);
    json_decref(theirs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_same((const char *)data, size, 0);
    check_same((const char *)data, size, JSON_REJECT_DUPLICATES);
    return 0;
}
