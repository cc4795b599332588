/* gaps.c - puts medians in place of missing values, and restores NaN. */
#include "data/gaps.h"

#include "math/sort.h"

#include <math.h>
#include <string.h>

static bool has_gap(int64_t n, const double *column)
{
    for (int64_t i = 0; i < n; i++) {
        if (isnan(column[i])) {
            return true;
        }
    }
    return false;
}

/* Copies a column with its median in place of missing values; 0 if all are missing. */
static nonsens_status copy_filled(nonsens_context *ctx, arena *a, int64_t n, const double *column, const double **out)
{
    double *copy, *present, *spare;
    int64_t count = 0;
    ARENA_TRY(ctx, a, copy, n);
    ARENA_TRY(ctx, a, present, n);
    ARENA_TRY(ctx, a, spare, n);
    for (int64_t i = 0; i < n; i++) {
        if (!isnan(column[i])) {
            present[count++] = column[i];
        }
    }
    sort_doubles(count, present, spare);
    double median = count > 0 ? 0.5 * present[(count - 1) / 2] + 0.5 * present[count / 2] : 0.0; // mirrors with values
    for (int64_t i = 0; i < n; i++) {
        copy[i] = isnan(column[i]) ? median : column[i];
    }
    *out = copy;
    return NONSENS_OK;
}

nonsens_status gaps_fill(nonsens_context *ctx, arena *a, int64_t n, int64_t d, const double *const *column,
                         const double *const **out)
{
    const double **filled = NULL;
    *out = column;
    for (int64_t j = 0; j < d; j++) {
        if (!has_gap(n, column[j])) {
            continue;
        }
        if (!filled) {
            ARENA_TRY(ctx, a, filled, d);
            memcpy(filled, column, (size_t)d * sizeof *filled);
            *out = filled;
        }
        TRY(copy_filled(ctx, a, n, column[j], &filled[j]));
    }
    return NONSENS_OK;
}

nonsens_status gaps_mark(nonsens_context *ctx, arena *a, int64_t n, int64_t d, const double *const *column,
                         const int64_t *order, bool **mark)
{
    ARENA_TRY(ctx, a, *mark, n * d);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < n; i++) {
            (*mark)[j * n + i] = isnan(column[j][order[i]]);
        }
    }
    return NONSENS_OK;
}

nonsens_status gaps_restore(nonsens_context *ctx, arena *a, int64_t n, const double *column, const bool *mark,
                            const double **out)
{
    double *copy;
    *out = column;
    if (!mark) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, a, copy, n);
    for (int64_t i = 0; i < n; i++) {
        copy[i] = mark[i] ? NAN : column[i];
    }
    *out = copy;
    return NONSENS_OK;
}
