/*
 * require.h - checks what a caller of the public interface passes, before anything behind a pointer is read.
 *
 * The macros are used in the public function itself, so that messages name it.
 */
#ifndef BASE_REQUIRE_H
#define BASE_REQUIRE_H

#include "base/status.h"

/* Fails with NONSENS_ERR_USAGE unless the argument `count` is at least min and at most max. */
#define REQUIRE_COUNT(ctx, count, min, max) TRY(require_count((ctx), __func__, #count, (int64_t)(count), (min), (max)))

/* Fails with NONSENS_ERR_USAGE if the list or one of its `count` texts is NULL or empty; check the count first. */
#define REQUIRE_TEXTS(ctx, list, count) TRY(require_texts((ctx), __func__, #list, (list), (count)))

nonsens_status require_count(nonsens_context *ctx, const char *function, const char *argument, int64_t count,
                             int64_t min, int64_t max);
nonsens_status require_texts(nonsens_context *ctx, const char *function, const char *argument, const char *const *list,
                             int64_t count);

/* Checks the name of column j: NULL is a usage error, an empty name a data error. */
nonsens_status require_name(nonsens_context *ctx, int64_t j, const char *name);

/* Fails unless every offset i * row_stride + j * column_stride, in doubles, fits into an address. */
nonsens_status require_reach(nonsens_context *ctx, int64_t rows, int64_t row_stride, int64_t columns,
                             int64_t column_stride);

#endif
