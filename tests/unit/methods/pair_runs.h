/* pair_runs.h - runs a registered method on columns in memory, for tests of methods; include it after fixture.h. */
#ifndef UNIT_PAIR_RUNS_H
#define UNIT_PAIR_RUNS_H

#include "base/rng.h"
#include "methods/shared/result.h"
#include "options/options.h"

#include <math.h>
#include <string.h>

/* Sets "key=value key=value", separated by blanks. */
static inline nonsens_status set_all(nonsens_context *ctx, nonsens_options *options, const char *settings)
{
    nonsens_status status = NONSENS_OK;
    char copy[256];
    snprintf(copy, sizeof copy, "%s", settings);
    for (char *word = strtok(copy, " "); word && status == NONSENS_OK; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value++ = '\0';
        status = nonsens_options_set(ctx, options, word, value);
    }
    return status;
}

static inline nonsens_status run_on(nonsens_context *ctx, unsigned command, const char *settings, int64_t n, int64_t d,
                                    const double *columns, const int64_t *segment, nonsens_result **out)
{
    nonsens_data *data = NULL;
    nonsens_options *options = NULL;
    *out = NULL;
    nonsens_status status = nonsens_data_from_arrays(ctx, n, d, columns, 1, n, NULL, segment, &data);
    if (status == NONSENS_OK) {
        status = nonsens_options_new(ctx, command, &options);
    }
    if (status == NONSENS_OK) {
        status = set_all(ctx, options, settings);
    }
    if (status == NONSENS_OK) {
        status = command == NONSENS_COMMAND_DISCOVER ? nonsens_run_discover(ctx, data, options, out)
                                                     : nonsens_run_direction(ctx, data, options, out);
    }
    nonsens_options_free(options);
    nonsens_data_free(data);
    return status;
}

/* Runs a direction, which must succeed. */
static inline nonsens_result *run_pair(fixture *f, const char *settings, int64_t n, const double *columns,
                                       const int64_t *segment)
{
    nonsens_result *result;
    nonsens_status status = run_on(f->ctx, NONSENS_COMMAND_DIRECTION, settings, n, 2, columns, segment, &result);
    if (status != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    return result;
}

static inline enum result_decision decision_of(fixture *f, const char *settings, int64_t n, const double *columns)
{
    nonsens_result *result = run_pair(f, settings, n, columns, NULL);
    enum result_decision decision = result->decision;
    nonsens_result_free(result);
    return decision;
}

static inline const nonsens_evidence *evidence_of(const nonsens_result *result, const char *name)
{
    for (int64_t i = 0; i < result->evidence_count; i++) {
        if (strcmp(result->evidence[i].name, name) == 0) {
            return &result->evidence[i];
        }
    }
    fail_msg("no evidence %s", name);
    return NULL;
}

static inline bool has_note(const nonsens_result *result, const char *words)
{
    for (int64_t i = 0; i < result->notes; i++) {
        if (strstr(result->note[i].text, words)) {
            return true;
        }
    }
    return false;
}

static inline void swap_columns(int64_t n, const double *columns, double *out)
{
    memcpy(out, columns + n, (size_t)n * sizeof *out);
    memcpy(out + n, columns, (size_t)n * sizeof *out);
}

/* Checks that swapped columns give the same answer, bit for bit. */
static inline void assert_swaps(fixture *f, const char *settings, int64_t n, const double *columns)
{
    double *swapped = fixture_doubles(f, 2 * n);
    swap_columns(n, columns, swapped);
    nonsens_result *a = run_pair(f, settings, n, columns, NULL), *b = run_pair(f, settings, n, swapped, NULL);
    assert_true(a->score == -b->score || (isnan(a->score) && isnan(b->score)));
    assert_true(a->p_value == b->p_value || (isnan(a->p_value) && isnan(b->p_value)));
    enum result_decision reversed = a->decision == DECISION_FIRST_CAUSES    ? DECISION_SECOND_CAUSES
                                    : a->decision == DECISION_SECOND_CAUSES ? DECISION_FIRST_CAUSES
                                                                            : a->decision;
    assert_int_equal(b->decision, reversed);
    nonsens_result_free(a);
    nonsens_result_free(b);
}

/* Checks that other threads and rows in reverse order give the same score and p-value, bit for bit. */
static inline void assert_steady(fixture *f, const char *settings, int64_t n, const double *columns)
{
    char more[256];
    double *reversed = fixture_doubles(f, 2 * n);
    for (int64_t i = 0; i < n; i++) {
        reversed[i] = columns[n - 1 - i];
        reversed[n + i] = columns[2 * n - 1 - i];
    }
    snprintf(more, sizeof more, "%s threads=3", settings);
    nonsens_result *a = run_pair(f, settings, n, columns, NULL), *b = run_pair(f, more, n, reversed, NULL);
    assert_true(a->score == b->score);
    assert_true(a->p_value == b->p_value || (isnan(a->p_value) && isnan(b->p_value)));
    nonsens_result_free(a);
    nonsens_result_free(b);
}

#endif
