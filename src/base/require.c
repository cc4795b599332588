/* require.c - checks arguments of public functions: counts, lists of texts, names, strides. */
#include "base/require.h"

#include <inttypes.h>

nonsens_status require_count(nonsens_context *ctx, const char *function, const char *argument, int64_t count,
                             int64_t min, int64_t max)
{
    if (count >= min && count <= max) {
        return NONSENS_OK;
    }
    return fail(ctx, NONSENS_ERR_USAGE,
                "%s: the argument %s is %" PRId64 "; pass a number from %" PRId64 " to %" PRId64, function, argument,
                count, min, max);
}

nonsens_status require_texts(nonsens_context *ctx, const char *function, const char *argument, const char *const *list,
                             int64_t count)
{
    if (!list && count > 0) {
        return fail(ctx, NONSENS_ERR_USAGE, "%s: the argument %s must not be NULL; pass a list of %" PRId64 " text%s",
                    function, argument, count, count == 1 ? "" : "s");
    }
    for (int64_t k = 0; k < count; k++) {
        if (!list[k] || !list[k][0]) {
            return fail(ctx, NONSENS_ERR_USAGE, "%s: %s[%" PRId64 "] is %s; pass a text that is not empty", function,
                        argument, k, list[k] ? "empty" : "NULL");
        }
    }
    return NONSENS_OK;
}

nonsens_status require_name(nonsens_context *ctx, int64_t j, const char *name)
{
    if (!name) {
        return fail(ctx, NONSENS_ERR_USAGE, "the name of column %" PRId64 " is NULL; pass a text", j + 1);
    }
    return name[0] ? NONSENS_OK : fail(ctx, NONSENS_ERR_DATA, "column %" PRId64 " needs a name; name it", j + 1);
}

/* Computes (count - 1) * stride * sizeof(double); false if that overflows. */
static bool last_offset(int64_t count, int64_t stride, int64_t *bytes)
{
    return !__builtin_mul_overflow(count - 1, stride, bytes) &&
           !__builtin_mul_overflow(*bytes, (int64_t)sizeof(double), bytes);
}

nonsens_status require_reach(nonsens_context *ctx, int64_t rows, int64_t row_stride, int64_t columns,
                             int64_t column_stride)
{
    int64_t down, across, both;
    if (last_offset(rows, row_stride, &down) && last_offset(columns, column_stride, &across) &&
        !__builtin_add_overflow(down, across, &both)) {
        return NONSENS_OK;
    }
    return fail(ctx, NONSENS_ERR_USAGE,
                "%" PRId64 " rows with a stride of %" PRId64 " and %" PRId64 " columns with a stride of %" PRId64
                " reach beyond every address; pass strides in doubles, not in bytes",
                rows, row_stride, columns, column_stride);
}
