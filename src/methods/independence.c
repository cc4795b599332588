/* independence.c - the public run nonsens_independence. */
#include "indep/hsic.h"
#include "methods/run.h"
#include "methods/variables.h"

#include <inttypes.h>
#include <math.h>

static nonsens_status judge_independence(nonsens_context *ctx, arena *scratch, const nonsens_data *pair,
                                         const nonsens_options *options, nonsens_result *result)
{
    bool stratified = pair->segments > 1 && options->pooling == POOLING_STRATIFIED;
    int64_t whole[2] = {0, pair->n};
    hsic_options how = hsic_options_from(options, options->alpha, 0);
    hsic_result test;
    // canonical column order, so that swapping --x and --y changes nothing
    TRY(hsic_test_scalars(ctx, scratch, pair->n, matrix_col(pair->x, pair->column_rank[0]),
                  matrix_col(pair->x, pair->column_rank[1]), stratified ? pair->segments : 1,
                  stratified ? pair->start : whole, &how, &test));
    if (test.segments_used == 0 || isnan(test.p_value)) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "no segment has the %d rows with varying values that the test needs; use larger segments",
                    HSIC_LEAST_ROWS);
    }
    result->p_value = test.p_value;
    result->decision = test.p_value <= options->alpha ? DECISION_DEPENDENT : DECISION_INDEPENDENT;
    TRY(result_add(ctx, result, test.statistic, test.p_value,
                   stratified ? "kernel test of independence inside each segment, added up"
                              : "kernel test of independence over all rows",
                   "hsic(%s, %s)", pair->names[0], pair->names[1]));
    TRY(run_note_skipped(ctx, result, test.segments_skipped));
    if (pair->segments > 1 && !stratified) {
        TRY(result_note(
            ctx, result,
            "All segments were thrown together: a dependence may come from the change over segments alone."));
    }
    if (test.by_permutation) {
        TRY(result_note(ctx, result, "The p-value comes from %" PRId64 " permutations%s.", options->permutations,
                        stratified ? " inside segments" : ""));
    }
    return result_finish(ctx, result);
}

static nonsens_status run_independence(nonsens_context *ctx, const nonsens_data *pair, const nonsens_options *options,
                                       nonsens_result **out)
{
    arena scratch = {0};
    TRY(result_new(ctx, pair, options, "independence", out));
    (*out)->assumes = pair->segments > 0
                          ? "Rows are independent of one another inside each segment."
                          : "Rows are independent of one another and come from one distribution: a scale "
                            "that changes along the rows can look like dependence.";
    nonsens_status status = judge_independence(ctx, &scratch, pair, options, *out);
    arena_free(&scratch);
    if (status != NONSENS_OK) {
        nonsens_result_free(*out);
        *out = NULL;
    }
    return status;
}

nonsens_status nonsens_independence(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                    nonsens_result **out)
{
    double begun = run_seconds();
    const nonsens_data *pair;
    nonsens_data *owned;
    *out = NULL;
    TRY(options_begin(ctx, options, NONSENS_CMD_INDEPENDENCE));
    TRY(variables_pair(ctx, data, options, &pair, &owned));
    nonsens_status status = run_independence(ctx, pair, options, out);
    nonsens_data_free(owned);
    if (status == NONSENS_OK) {
        (*out)->seconds = run_seconds() - begun;
    }
    return status;
}
