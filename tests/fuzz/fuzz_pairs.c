/* fuzz_pairs.c - random bytes as a list of pairs (libFuzzer). */
#include "fuzz/fuzz_file.h"
#include "tasks/pairs/pairs.h"

#include <stdio.h>
#include <string.h>

static const nonsens_data *some_data(nonsens_context *ctx)
{
    static nonsens_data *data;
    static const double value[5][4] = {{1, 2, 3, 4}, {2, 1, 4, 3}, {4, 3, 1, 2}, {1, 3, 2, 4}, {4, 1, 3, 2}};
    nonsens_column column[] = {{"a", value[0], 1},
                               {"b b", value[1], 1},
                               {"c,\"d\"", value[2], 1},
                               {"#x", value[3], 1},
                               {"\xc3\xa9", value[4], 1}};
    nonsens_options *options = NULL;
    if (!data) {
        check(nonsens_options_new(ctx, NONSENS_COMMAND_DIRECTION, &options) == NONSENS_OK);
        check(nonsens_data_from_columns(ctx, 4, 5, column, NULL, 0, NULL, options, &data) == NONSENS_OK);
        nonsens_options_free(options);
    }
    return data;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nonsens_context *ctx = nonsens_context_new();
    nonsens_pairs pairs = {0};
    check(ctx != NULL);
    pairs.options.pairs = fuzz_file(data, size);
    nonsens_status status = pairs_list(ctx, some_data(ctx), &pairs);
    if (status == NONSENS_OK) {
        check(pairs.count > 0 && pairs.count <= 10);
        for (int64_t k = 0; k < pairs.count; k++) {
            check(pairs.pair[k].x != pairs.pair[k].y && pairs.pair[k].x >= 0 && pairs.pair[k].x < 5);
            check(pairs.pair[k].y >= 0 && pairs.pair[k].y < 5);
        }
    } else {
        check(status == NONSENS_ERR_DATA && strlen(nonsens_context_message(ctx)) > 10);
    }
    arena_free(&pairs.memory);
    nonsens_context_free(ctx);
    return 0;
}
