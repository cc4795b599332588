/* fuzz_result.c - bytes at random as a result file of `nonsens report` (libFuzzer). */
#include "fuzz/fuzz.h"
#include "report/html.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nonsens_context *ctx = nonsens_context_new();
    nonsens_options *options = NULL;
    json_t *root = NULL;
    check(ctx != NULL);
    nonsens_status status = html_parse_result(ctx, "fuzz", (const char *)data, size, &root, &options);
    if (status == NONSENS_OK) {
        check(json_is_object(json_object_get(root, "data")) && json_is_array(json_object_get(root, "evidence")));
        check(options != NULL);
    } else {
        check(status == NONSENS_ERR_DATA && strlen(nonsens_message(ctx)) > 10);
    }
    nonsens_options_free(options);
    json_decref(root);
    nonsens_context_free(ctx);
    return 0;
}
