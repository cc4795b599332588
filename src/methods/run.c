/*
 * run.c - the public runs on a pair of variables: nonsens_direction and nonsens_independence (nonsens_diagnose is in
 * diagnose.c).
 */
#include "methods/run.h"

#include "data/audit.h"
#include "indep/hsic.h"
#include "methods/method.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

double run_seconds(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- the pair ---- */

enum { LIST_BYTES = 400 };

/* The names, separated by commas; cut short with "..." where there are too many. */
static const char *list_names(const nonsens_data *data, char list[LIST_BYTES])
{
    size_t used = 0;
    list[0] = '\0';
    for (int64_t j = 0; j < data->d; j++) {
        const char *separator = j ? ", " : "";
        if (used + strlen(separator) + strlen(data->names[j]) + sizeof ", ..." > LIST_BYTES) {
            snprintf(list + used, LIST_BYTES - used, "%s...", separator);
            break;
        }
        used += (size_t)snprintf(list + used, LIST_BYTES - used, "%s%s", separator, data->names[j]);
    }
    return list;
}

/* The variable's index for a name or #k (from 1), or -1. */
static int64_t find_variable(const nonsens_data *data, const char *wanted)
{
    for (int64_t j = 0; j < data->d; j++) {
        if (strcmp(data->names[j], wanted) == 0) {
            return j;
        }
    }
    int64_t k = 0;
    if (wanted[0] != '#' || !wanted[1]) {
        return -1;
    }
    for (const char *digit = wanted + 1; *digit; digit++) {
        if (*digit < '0' || *digit > '9' || k > data->d) {
            return -1;
        }
        k = 10 * k + (*digit - '0');
    }
    return k >= 1 && k <= data->d ? k - 1 : -1;
}

static nonsens_status find_named(nonsens_context *ctx, const nonsens_data *data, const char *key, const char *wanted,
                                 int64_t *index)
{
    char list[LIST_BYTES];
    *index = find_variable(data, wanted);
    if (*index < 0) {
        return fail(ctx, NONSENS_ERR_DATA, "--%s %s: there is no such variable; there are %s", key, wanted,
                    list_names(data, list));
    }
    return NONSENS_OK;
}

/*
 * #k counts the columns of a file, of which reading has kept just the two that were named, x first.  Where one of the
 * two is given by name, that name decides.
 */
static void place_numbered(const nonsens_data *data, const nonsens_options *options, int64_t *x, int64_t *y)
{
    bool x_is_second = strcmp(data->names[1], options->x) == 0 || strcmp(data->names[0], options->y) == 0;
    *x = x_is_second;
    *y = !x_is_second;
}

static nonsens_status find_pair(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                int64_t *x, int64_t *y)
{
    char list[LIST_BYTES];
    if (data->d < 2) {
        return fail(ctx, NONSENS_ERR_DATA, "two variables are needed, but %s is the only one", data->names[0]);
    }
    if (!options->x[0] && !options->y[0]) {
        *x = 0;
        *y = 1;
        return data->d == 2 ? NONSENS_OK
                            : fail(ctx, NONSENS_ERR_USAGE,
                                   "there are %" PRId64 " variables (%s); name two of them with --x A --y B", data->d,
                                   list_names(data, list));
    }
    if (!options->x[0] || !options->y[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "--x and --y go together; there are the variables %s",
                    list_names(data, list));
    }
    if (data->d == 2 && (options->x[0] == '#' || options->y[0] == '#')) {
        place_numbered(data, options, x, y);
        return NONSENS_OK;
    }
    TRY(find_named(ctx, data, "x", options->x, x));
    TRY(find_named(ctx, data, "y", options->y, y));
    return *x != *y ? NONSENS_OK
                    : fail(ctx, NONSENS_ERR_USAGE, "--x and --y both name %s; name two different variables",
                           data->names[*x]);
}

static bool has_warning(const nonsens_data *data, const char *sentence)
{
    for (int64_t i = 0; i < data->warnings; i++) {
        if (strcmp(data->warning[i], sentence) == 0) {
            return true;
        }
    }
    return false;
}

/* What was found in reading the whole table concerns its pairs too. */
static nonsens_status pass_warnings(nonsens_context *ctx, const nonsens_data *data, nonsens_data *pair)
{
    for (int64_t i = 0; i < data->warnings; i++) {
        if (!has_warning(pair, data->warning[i])) {
            TRY(dataset_warn(ctx, pair, "%s", data->warning[i]));
        }
    }
    return NONSENS_OK;
}

nonsens_status run_pair(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                        const nonsens_data **pair, nonsens_data **owned)
{
    int64_t x = 0, y = 1;
    *pair = data;
    *owned = NULL;
    TRY(find_pair(ctx, data, options, &x, &y));
    if (data->d == 2 && x == 0) {
        return NONSENS_OK;
    }
    TRY(dataset_pair(ctx, data, x, y, owned));
    *pair = *owned;
    nonsens_status status = pass_warnings(ctx, data, *owned);
    if (status != NONSENS_OK) {
        nonsens_data_free(*owned);
        *owned = NULL;
    }
    return status;
}

/* ---- direction ---- */

static nonsens_status pick_method(nonsens_context *ctx, const char *name, const method **out)
{
    char list[LIST_BYTES] = "";
    size_t used = 0;
    *out = method_find(name);
    if (*out && (*out)->direction) {
        return NONSENS_OK;
    }
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        const nonsens_method_info *info = nonsens_method_at(i);
        if (info->direction && used < sizeof list) {
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", info->name);
        }
    }
    return fail(ctx, NONSENS_ERR_USAGE, "--method %s: there is no such method for direction; there are %s", name, list);
}

static nonsens_status decide(nonsens_context *ctx, const nonsens_data *pair, const nonsens_options *options,
                             const method *m, nonsens_result *result)
{
    arena scratch = {0};
    result->assumes = m->info.assumes;
    nonsens_status status = m->direction(ctx, &scratch, pair, options, result);
    arena_free(&scratch);
    TRY(status);
    return result_finish(ctx, result);
}

static nonsens_status run_direction(nonsens_context *ctx, const nonsens_data *pair, const nonsens_options *options,
                                    const method *m, nonsens_result **out)
{
    if (m->info.needs_segments) {
        TRY(audit_require_segments(ctx, pair));
    }
    TRY(audit_require_pair(ctx, pair));
    TRY(result_new(ctx, pair, options, m->info.name, out));
    nonsens_status status = decide(ctx, pair, options, m, *out);
    if (status != NONSENS_OK) {
        nonsens_result_free(*out);
        *out = NULL;
    }
    return status;
}

nonsens_status nonsens_direction(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                 nonsens_result **out)
{
    double begun = run_seconds();
    const nonsens_data *pair;
    nonsens_data *owned;
    const method *m;
    *out = NULL;
    TRY(options_begin(ctx, options, NONSENS_CMD_DIRECTION));
    TRY(pick_method(ctx, options->method, &m));
    TRY(run_pair(ctx, data, options, &pair, &owned));
    nonsens_status status = run_direction(ctx, pair, options, m, out);
    nonsens_data_free(owned);
    if (status == NONSENS_OK) {
        (*out)->seconds = run_seconds() - begun;
    }
    return status;
}

/* ---- independence ---- */

nonsens_status run_note_skipped(nonsens_context *ctx, nonsens_result *result, int64_t skipped)
{
    if (skipped == 0) {
        return NONSENS_OK;
    }
    return result_note(ctx, result,
                       "%" PRId64 " of %" PRId64 " segments did not enter the test: fewer than %d rows, or a variable "
                       "that is constant there.",
                       skipped, result->segments, HSIC_LEAST_ROWS);
}

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
    TRY(run_pair(ctx, data, options, &pair, &owned));
    nonsens_status status = run_independence(ctx, pair, options, out);
    nonsens_data_free(owned);
    if (status == NONSENS_OK) {
        (*out)->seconds = run_seconds() - begun;
    }
    return status;
}
