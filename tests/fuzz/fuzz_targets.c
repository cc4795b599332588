/*
 * fuzz_targets.c - feeds random bytes to the reader of interventions (libFuzzer).
 *
 * Interventions that are read must have known kinds and refer to the two segments and three variables of the data; an
 * error must name the file.
 */
#include "data/dataset.h"
#include "fuzz/fuzz.h"
#include "read/targets_file.h"

#include <string.h>

enum { ROWS = 40, VARIABLES = 3 };

static nonsens_data *make_data(nonsens_context *ctx)
{
    static const char *const names[VARIABLES] = {"a", "b", "a b"};
    static const char *const labels[] = {"s1", "s2"};
    double value[VARIABLES][ROWS];
    int32_t segment[ROWS];
    nonsens_column column[VARIABLES];
    nonsens_options *options = NULL;
    nonsens_data *data = NULL;
    for (int i = 0; i < ROWS; i++) {
        segment[i] = i % 2;
        for (int j = 0; j < VARIABLES; j++) {
            value[j][i] = (double)((i * (7 + 4 * j) + 3 * i * i + j) % 101);
            column[j] = (nonsens_column){names[j], value[j], 1};
        }
    }
    if (nonsens_options_new(ctx, NONSENS_COMMAND_DISCOVER, &options) == NONSENS_OK) {
        nonsens_data_from_columns(ctx, ROWS, VARIABLES, column, segment, 2, labels, options, &data);
    }
    nonsens_options_free(options);
    return data;
}

static void check_targets(const targets *t)
{
    check(t->segments == 2 && t->d == VARIABLES);
    for (int64_t k = 0; k < t->segments * t->d; k++) {
        check(t->kind[k] <= TARGET_ACTIVITY);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    nonsens_context *ctx = nonsens_context_new();
    nonsens_data *data = ctx ? make_data(ctx) : NULL;
    arena a = {0};
    targets t;
    check(!ctx || data);
    if (data) {
        nonsens_status status = targets_parse(ctx, &a, "fuzz", (const char *)bytes, (int64_t)size, data, &t);
        if (status == NONSENS_OK) {
            check_targets(&t);
        } else {
            check(status == NONSENS_ERR_DATA && strncmp(nonsens_context_message(ctx), "targets file fuzz", 17) == 0);
        }
    }
    arena_free(&a);
    nonsens_data_free(data);
    nonsens_context_free(ctx);
    return 0;
}
