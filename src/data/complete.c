/* complete.c - makes data sets of rows without missing values. */
#include "data/complete.h"

#include "base/show.h"
#include "data/audit.h"
#include "data/tidy.h"

#include <inttypes.h>

/* Lists the rows that have a value in all of the columns, row (n); returns how many. */
static int64_t list_complete(const nonsens_data *data, int64_t count, const int64_t *index, int64_t *row)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < data->n; i++) {
        if (dataset_row_has(data, i, count, index)) {
            row[kept++] = i;
        }
    }
    return kept;
}

static nonsens_status refuse_empty(nonsens_context *ctx, const nonsens_data *data, int64_t count, const int64_t *index)
{
    show_list list = {.max = SHOW_LIST_MAX, .quoted = true};
    for (int64_t k = 0; k < count; k++) {
        show_list_add(&list, data->names[index[k]]);
    }
    return fail(ctx, NONSENS_ERR_DATA, "no row has a value of each of %s; choose other variables",
                show_list_end(&list));
}

/* Leaves out only tiny segments: the columns were already tidied in all rows, or named. */
static nonsens_status tidy_rows(nonsens_context *ctx, const nonsens_options *options, nonsens_data **data)
{
    nonsens_options segments_alone = *options;
    segments_alone.pairs = "all";
    return tidy_dataset(ctx, &segments_alone, true, data);
}

nonsens_status complete_select(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                               int64_t count, const int64_t *index, nonsens_data **out)
{
    SCOPED_ARENA(scratch);
    SCOPED(memory_release_scoped) nonsens_data *kept = NULL;
    int64_t *row; // (n)
    *out = NULL;
    ARENA_TRY(ctx, &scratch, row, data->n);
    int64_t rows = list_complete(data, count, index, row);
    if (rows == data->n) {
        return dataset_select(ctx, data, count, index, out);
    }
    if (rows == 0) {
        return refuse_empty(ctx, data, count, index);
    }
    TRY(dataset_subset(ctx, data, count, index, rows, row, &kept));
    TRY(dataset_warn(ctx, kept,
                     "%" PRId64 " of %" PRId64 " rows have a value of each variable; only these were used, as if "
                     "values were missing at random",
                     rows, data->n));
    TRY(tidy_rows(ctx, options, &kept));
    TRY(audit_dataset(ctx, kept));
    *out = kept;
    kept = NULL;
    return NONSENS_OK;
}
