/*
 * tester.c - nonsens_ci_*: tests of independence for many questions on one data set.
 */
#include "tasks/tester.h"

#include "base/require.h"

#include <inttypes.h>
#include <math.h>

/* ---- columns ---- */

bool tester_is_stratified(const nonsens_data *data, const nonsens_options *options)
{
    return data->segments > 1 && options->pooling == POOLING_STRATIFIED;
}

/* Gathers columns first .. first + d - 1, in canonical order. */
static nonsens_status gather_columns(nonsens_context *ctx, arena *a, const nonsens_data *data, int64_t first, int64_t d,
                                     column_set *out)
{
    const double **v;
    int64_t found = 0;
    ARENA_TRY(ctx, a, v, d);
    for (int64_t k = 0; k < data->d; k++) {
        int64_t j = data->column_rank[k];
        if (j >= first && j < first + d) {
            v[found++] = matrix_col(data->x, j);
        }
    }
    *out = (column_set){data->n, d, v};
    return NONSENS_OK;
}

static nonsens_status order_in_time(nonsens_context *ctx, arena *a, const nonsens_data *data,
                                    const nonsens_options *options, tester_columns *t)
{
    enum { MIN_BLOCKS = 3 };
    nonsens_data whole = *data;
    if (t->groups.count == 1) { // rows of all segments form one stretch of time
        whole.segments = 0;
        whole.start = t->whole;
    }
    TRY(time_blocks_new(ctx, a, &whole, options->block_length, &t->time));
    t->too_few = time_blocks_do_not_suffice(&t->time);
    if (!t->time.block_of) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, a, t->time_order, data->n);
    t->memory = time_blocks_memory(&t->time);
    for (int64_t e = 0; e < t->groups.count; e++) {
        int64_t rows = t->groups.start[e + 1] - t->groups.start[e];
        t->too_few = t->too_few || rows < MIN_BLOCKS * t->time.length;
    }
    return time_blocks_order(ctx, a, &whole, t->time_order);
}

nonsens_status tester_gather(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                             int64_t count, const int64_t *size, tester_columns *out)
{
    int64_t *place;
    *out = (tester_columns){.count = count};
    out->groups = dataset_groups(data, options, out->whole);
    TRY(order_in_time(ctx, a, data, options, out));
    TRY(dataset_column_places(ctx, a, data, &place));
    ARENA_TRY(ctx, a, out->variable, count);
    ARENA_TRY(ctx, a, out->rank, count);
    for (int64_t k = 0, first = 0; k < count; first += size[k], k++) {
        TRY(gather_columns(ctx, a, data, first, size[k], &out->variable[k]));
        out->rank[k] = (int32_t)place[first];
        for (int64_t j = first; j < first + size[k]; j++) {
            out->rank[k] = place[j] < out->rank[k] ? (int32_t)place[j] : out->rank[k];
        }
    }
    return NONSENS_OK;
}

nonsens_status tester_new(nonsens_context *ctx, const tester_columns *t, const nonsens_options *options,
                          ci_tester **out)
{
    ci_variables variables = {t->count, t->variable, t->rank, t->groups};
    ci_options ci = ci_options_from(options);
    ci.time_order = t->time_order;
    ci.memory = t->memory;
    ci.min_shift = (int64_t)ceil(t->memory);
    return ci_new(ctx, &variables, &ci, out);
}

nonsens_status tester_require_rows(nonsens_context *ctx, const ci_result *test, bool segments)
{
    if (test->segments_used > 0 || test->degenerate || test->by_callback) {
        return NONSENS_OK;
    }
    return fail(ctx, NONSENS_ERR_DATA, "%s the %" PRId64 " rows with varying values that the test needs; %s",
                segments ? "no segment has" : "the table does not have", test->min_rows,
                segments ? "use larger segments" : "it needs more rows");
}

/* ---- many questions ------------------------------------------------------------------------------------------ */

struct nonsens_ci {
    arena memory;
    tester_columns tested;
    ci_tester *tester;
};

static nonsens_status fill_ci(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                              nonsens_ci *ci)
{
    int64_t *size; // (d) ones: every column is one variable
    ARENA_TRY(ctx, &ci->memory, size, data->d);
    for (int64_t j = 0; j < data->d; j++) {
        size[j] = 1;
    }
    TRY(tester_gather(ctx, &ci->memory, data, options, data->d, size, &ci->tested));
    if (ci->tested.too_few) {
        return fail(
            ctx, NONSENS_ERR_DATA,
            "--block-length: a segment, or the table, has fewer than three independent blocks of rows; more rows "
            "are needed");
    }
    return tester_new(ctx, &ci->tested, options, &ci->tester);
}

static nonsens_status keep_ci(nonsens_status status, nonsens_ci **out)
{
    if (status != NONSENS_OK) {
        nonsens_ci_free(*out);
        *out = NULL;
    }
    return status;
}

nonsens_status nonsens_ci_new(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                              nonsens_ci **out)
{
    NEEDED(ctx, data, options, out);
    *out = NULL;
    TRY(options_begin(ctx, options, NONSENS_COMMAND_INDEPENDENCE));
    if (option_is_sample_test(options->test)) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "ks, levene and kruskal ask about one variable and the segment; choose a test of two variables");
    }
    *out = memory_get(1, sizeof **out);
    return keep_ci(*out ? fill_ci(ctx, data, options, *out) : fail_memory(ctx), out);
}

nonsens_status nonsens_ci_new_callback(nonsens_context *ctx, int64_t variables, nonsens_ci_fn fn, void *user,
                                       nonsens_ci **out)
{
    NEEDED(ctx, out);
    *out = NULL;
    context_begin(ctx);
    REQUIRE_COUNT(ctx, variables, 2, NONSENS_MAX_COUNT);
    *out = memory_get(1, sizeof **out);
    return keep_ci(*out ? ci_open_callback(ctx, variables, fn, user, &(*out)->tester) : fail_memory(ctx), out);
}

nonsens_status nonsens_ci_test(nonsens_context *ctx, nonsens_ci *tester, int64_t x, int64_t y, const int64_t *given,
                               int64_t count, double *statistic, double *p_value)
{
    NEEDED(ctx, tester, p_value);
    ci_result result;
    context_begin(ctx);
    *p_value = NAN;
    TRY(ci_test(ctx, tester->tester, x, y, count, given, &result));
    TRY(tester_require_rows(ctx, &result, tester->tested.groups.count > 1));
    *p_value = result.p_value;
    if (statistic) {
        *statistic = result.statistic;
    }
    return NONSENS_OK;
}

int64_t nonsens_ci_asked_count(nonsens_ci *tester)
{
    int64_t asked = 0;
    if (tester) {
        ci_counts(tester->tester, &asked, NULL);
    }
    return asked;
}

int64_t nonsens_ci_remembered_count(nonsens_ci *tester)
{
    int64_t remembered = 0;
    if (tester) {
        ci_counts(tester->tester, NULL, &remembered);
    }
    return remembered;
}

void nonsens_ci_free(nonsens_ci *tester)
{
    if (tester) {
        ci_free(tester->tester);
        arena_free(&tester->memory);
        memory_release(tester);
    }
}
