/* fuzz_data.h - a small data set, for readers of files that refer to one. */
#ifndef FUZZ_DATA_H
#define FUZZ_DATA_H

#include "fuzz/fuzz.h"

#include <nonsens/nonsens.h>

/* Returns six rows of three variables, a, b and c; the same data set every time, never freed. */
static const nonsens_data *fuzz_data(nonsens_context *ctx)
{
    static nonsens_data *data;
    static const double value[3][6] = {{1, 2, 3, 4, 5, 7}, {2, 1, 4, 3, 6, 5}, {4, 3, 1, 2, 9, 8}};
    nonsens_column column[] = {{"a", value[0], 1}, {"b", value[1], 1}, {"c", value[2], 1}};
    nonsens_options *options = NULL;
    if (!data) {
        check(nonsens_options_new(ctx, NONSENS_COMMAND_DIRECTION, &options) == NONSENS_OK);
        check(nonsens_data_from_columns(ctx, 6, 3, column, NULL, 0, NULL, options, &data) == NONSENS_OK);
        nonsens_options_free(options);
    }
    return data;
}

#endif
