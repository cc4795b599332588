/* bivariate_run.c - draws one data set of two variables and runs the methods of a family on it. */
#include "base/clock.h"
#include "figures/bivariate.h"
#include "math/column.h"
#include "methods/nonsens/monti.h"
#include "simulate/simulate.h"
#include "tasks/run.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- data ---- */

typedef struct drawn {
    nonsens_simulation *simulation;
    nonsens_data *data;
    enum cause truth;
} drawn;

static nonsens_status set_number(nonsens_context *ctx, nonsens_options *options, const char *key, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    return nonsens_options_set(ctx, options, key, text);
}

static nonsens_status simulate(nonsens_context *ctx, bivariate_setting s, uint64_t seed, nonsens_options *options,
                               drawn *out)
{
    TRY(set_number(ctx, options, "depth", s.depth));
    TRY(set_number(ctx, options, "segments", BIVARIATE_POINT[s.point].segments));
    TRY(set_number(ctx, options, "per-segment", BIVARIATE_POINT[s.point].rows));
    TRY(nonsens_options_set(ctx, options, "cyclic", s.cyclic ? "true" : "false"));
    TRY(set_number(ctx, options, "seed", (int64_t)seed));
    TRY(nonsens_simulation_new(ctx, options, &out->simulation));
    const bool *edge = out->simulation->edge; // (2, 2)
    out->truth = edge[1] == edge[2] ? CAUSE_NONE : edge[1] ? CAUSE_FIRST : CAUSE_SECOND;
    return nonsens_simulation_data(ctx, out->simulation, &out->data);
}

static nonsens_status draw(nonsens_context *ctx, bivariate_setting s, uint64_t seed, drawn *out)
{
    nonsens_options *options;
    *out = (drawn){NULL, NULL, CAUSE_NONE};
    TRY(nonsens_options_new(ctx, NONSENS_COMMAND_SIMULATE, &options));
    nonsens_status status = simulate(ctx, s, seed, options, out);
    nonsens_options_free(options);
    return status;
}

static void drawn_free(drawn *d)
{
    nonsens_data_free(d->data);
    nonsens_simulation_free(d->simulation);
}

/* Copies both variables with unit variance, in the user's order. */
static nonsens_status variables_of(nonsens_context *ctx, arena *a, const nonsens_data *data, matrix *out)
{
    double *v;
    ARENA_TRY(ctx, a, v, data->n * 2);
    *out = matrix_view(v, data->n, 2);
    for (int64_t j = 0; j < 2; j++) {
        column_standardise(data->n, matrix_col(data->x, j), matrix_col(*out, j));
    }
    return NONSENS_OK;
}

/* Copies the true disturbances in the row order of the data set. */
static nonsens_status true_sources(nonsens_context *ctx, arena *a, const drawn *d, matrix *out)
{
    int64_t n = d->data->n;
    double *v;
    ARENA_TRY(ctx, a, v, n * 2);
    *out = matrix_view(v, n, 2);
    for (int64_t j = 0; j < 2; j++) {
        for (int64_t i = 0; i < n; i++) {
            matrix_col(*out, j)[i] = matrix_col(d->simulation->source, j)[d->data->input_row[i]];
        }
    }
    return NONSENS_OK;
}

/* ---- answers ---- */

static enum cause better_of(double score)
{
    return score > 0.0 ? CAUSE_FIRST : score < 0.0 ? CAUSE_SECOND : CAUSE_NONE;
}

static bivariate_answer answer_of_result(const nonsens_result *result)
{
    enum cause better = result->better == BETTER_FIRST    ? CAUSE_FIRST
                        : result->better == BETTER_SECOND ? CAUSE_SECOND
                                                          : CAUSE_NONE;
    return (bivariate_answer){result->decision, better};
}

/* A ratio always decides. */
static bivariate_answer answer_of_ratio(double ratio)
{
    return (bivariate_answer){ratio > 0.0 ? DECISION_FIRST_CAUSES : DECISION_SECOND_CAUSES, better_of(ratio)};
}

/* The better direction by tests is the one with the larger p-value, as in the paper. */
static bivariate_answer answer_of_tests(const monti_tests *tests, double alpha)
{
    double p[2];
    for (int v = 0; v < 2; v++) {
        p[v] = fmax(tests->test[v][0].p_value, tests->test[v][1].p_value);
    }
    return (bivariate_answer){monti_decide(tests, alpha), better_of(p[0] - p[1])};
}

/* Computes I(second; N of first) - I(first; N of second), which does not depend on derivatives. */
static nonsens_status information_ratio(nonsens_context *ctx, arena *a, const nonsens_data *data, matrix variable,
                                        matrix source, double *out)
{
    disturbances d = {.n = data->n, .segments = data->segments, .start = data->start, .z = variable, .source = source};
    monti_ratio ratio;
    double *flat; // (n)
    ARENA_TRY(ctx, a, flat, data->n);
    for (int64_t i = 0; i < data->n; i++) {
        flat[i] = 1.0;
    }
    for (int k = 0; k < 4; k++) {
        d.slope[k / 2][k % 2] = flat;
        d.min_slope[k / 2][k % 2] = 1.0;
    }
    d.fit.options.threads = 1;
    TRY(monti_likelihood_ratio(ctx, a, &d, &ratio));
    *out = ratio.value[RATIO_INFORMATION];
    return NONSENS_OK;
}

/* ---- families ---- */

/* Runs a method as a user would. */
static nonsens_status ask_method(nonsens_context *ctx, arena *a, const drawn *d, nonsens_options *options,
                                 bivariate_answer *answer)
{
    nonsens_result *result;
    (void)a;
    TRY(run_direction(ctx, d->data, options, &result));
    answer[0] = answer_of_result(result);
    nonsens_result_free(result);
    return NONSENS_OK;
}

/* Runs a method as a user would, and computes the likelihood ratio of the disturbances that it estimates. */
static nonsens_status ask_with_ratio(nonsens_context *ctx, arena *a, const drawn *d, nonsens_options *options,
                                     bivariate_answer *answer)
{
    nonsens_result *result;
    matrix variable;
    double ratio = NAN;
    TRY(variables_of(ctx, a, d->data, &variable));
    TRY(run_direction(ctx, d->data, options, &result));
    answer[0] = answer_of_result(result);
    nonsens_status status = information_ratio(ctx, a, d->data, variable, result->source, &ratio);
    answer[1] = answer_of_ratio(ratio);
    nonsens_result_free(result);
    return status;
}

/*
 * Reduces networks and epochs for large data: with more rows, errors also average out over rows, and an epoch makes
 * more steps (docs/tuning.md).
 */
static nonsens_status ask_nonsens(nonsens_context *ctx, arena *a, const drawn *d, nonsens_options *options,
                                  bivariate_answer *answer)
{
    enum { FEW_ROWS = 6000, PASSED_ROWS = 1000000 };
    int64_t n = d->data->n, passes = PASSED_ROWS / n;
    TRY(set_number(ctx, options, "folds", 5));
    TRY(set_number(ctx, options, "restarts", n <= FEW_ROWS ? 4 : 2));
    if (passes < options->epochs) {
        TRY(set_number(ctx, options, "epochs", passes));
    }
    return ask_with_ratio(ctx, a, d, options, answer);
}

/* Runs the paper's method without our changes; it always decides, even if the fit is poor. */
static nonsens_status ask_published(nonsens_context *ctx, arena *a, const drawn *d, nonsens_options *options,
                                    bivariate_answer *answer)
{
    disturbances fit;
    monti_tests tests;
    monti_ratio ratio;
    TRY(nonsens_options_set(ctx, options, "as-published", "true"));
    TRY(disturbances_fit(ctx, a, d->data, options, &fit));
    TRY(monti_four_tests(ctx, a, d->data, options, fit.z, fit.source, &tests));
    TRY(monti_likelihood_ratio(ctx, a, &fit, &ratio));
    answer[0] = answer_of_tests(&tests, options->alpha);
    answer[1] = answer_of_ratio(ratio.value[options->ratio]);
    return NONSENS_OK;
}

static nonsens_status test_sources(nonsens_context *ctx, arena *a, const drawn *d, nonsens_options *options,
                                   matrix variable, matrix source, bivariate_answer *answer)
{
    monti_tests tests;
    TRY(monti_four_tests(ctx, a, d->data, options, variable, source, &tests));
    *answer = answer_of_tests(&tests, options->alpha);
    return NONSENS_OK;
}

/* Applies the paper's rules to the true disturbances: inside segments, by ratio, and pooled. */
static nonsens_status ask_true_sources(nonsens_context *ctx, arena *a, const drawn *d, nonsens_options *options,
                                       bivariate_answer *answer)
{
    matrix variable, source;
    double ratio;
    TRY(variables_of(ctx, a, d->data, &variable));
    TRY(true_sources(ctx, a, d, &source));
    TRY(test_sources(ctx, a, d, options, variable, source, &answer[0]));
    TRY(information_ratio(ctx, a, d->data, variable, source, &ratio));
    answer[1] = answer_of_ratio(ratio);
    TRY(nonsens_options_set(ctx, options, "as-published", "true"));
    return test_sources(ctx, a, d, options, variable, source, &answer[2]);
}

typedef nonsens_status ask_fn(nonsens_context *ctx, arena *a, const drawn *d, nonsens_options *options,
                              bivariate_answer *answer);

static const struct {
    const char *method; /* the method's name in --method */
    ask_fn *ask;
} FAMILY[FAMILIES] = {
    [FAMILY_STRUCTURED] = {"structured", ask_method},
    [FAMILY_NONSENS] = {"nonsens", ask_nonsens},
    [FAMILY_PUBLISHED] = {"nonsens", ask_published},
    [FAMILY_TRUE_SOURCES] = {"nonsens", ask_true_sources},
    [FAMILY_LINEAR_ICA] = {"linear-ica", ask_with_ratio},
    [FAMILY_LINGAM] = {"lingam", ask_method},
    [FAMILY_RESIT] = {"resit", ask_method},
    [FAMILY_ICP] = {"icp", ask_method},
    [FAMILY_CDNOD] = {"cdnod", ask_method},
    [FAMILY_RECI] = {"reci", ask_method},
};

/* The method's own seed is that of the data, so that the networks' initial weights also vary over data sets. */
static nonsens_status ask(nonsens_context *ctx, arena *a, const drawn *d, enum bivariate_family family,
                          bivariate_answer *answer)
{
    nonsens_options *options;
    TRY(nonsens_options_new(ctx, NONSENS_COMMAND_DIRECTION, &options));
    nonsens_status status = nonsens_options_set(ctx, options, "method", FAMILY[family].method);
    options->seed = d->simulation->options.seed;
    options->threads = 1; // units run in parallel
    if (status == NONSENS_OK) {
        status = FAMILY[family].ask(ctx, a, d, options, answer);
    }
    nonsens_options_free(options);
    return status;
}

/* ---- the line ---- */

static const char *const DECISION[] = {[DECISION_FIRST_CAUSES] = "first",
                                       [DECISION_SECOND_CAUSES] = "second",
                                       [DECISION_INDEPENDENT] = "independent",
                                       [DECISION_NEITHER] = "neither",
                                       [DECISION_INCONCLUSIVE] = "inconclusive"};
enum { DECISIONS = sizeof DECISION / sizeof *DECISION };

/* Makes JSON from the answers; NULL if memory is exhausted. */
static json_value *answers_as_json(enum bivariate_family family, const bivariate_answer *answer)
{
    json_value *object = json_object();
    for (int k = 0; bivariate_rule_of(family, k) >= 0; k++) {
        json_value *pair = json_array_of(2, json_string(DECISION[answer[k].decided]), json_integer(answer[k].better));
        json_object_set(object, BIVARIATE_RULE[bivariate_rule_of(family, k)].name, pair);
    }
    return object;
}

/* Stores the answers.  A failure of the method is a result; exhausted memory and Ctrl-C are not. */
static nonsens_status keep(nonsens_context *ctx, nonsens_status status, bivariate_setting s,
                           const bivariate_answer *answer, json_value *line)
{
    json_value *found;
    const char *key = "answers";
    if (status == NONSENS_OK) {
        found = answers_as_json(s.family, answer);
    } else if (status == NONSENS_ERR_NUMERIC || status == NONSENS_ERR_DATA) {
        found = json_string(nonsens_context_message(ctx));
        key = "failed";
    } else {
        return status;
    }
    return study_put(ctx, line, key, found);
}

nonsens_status bivariate_run(nonsens_context *ctx, arena *scratch, const void *data, int64_t cell, unit_seed seed,
                             json_value *line)
{
    (void)data;
    bivariate_setting s = bivariate_setting_of(cell);
    bivariate_answer answer[RULES_OF_FAMILY];
    double begun = clock_seconds();
    drawn d;
    nonsens_status status = draw(ctx, s, seed.seed, &d);
    status = status == NONSENS_OK ? study_put(ctx, line, "truth", json_integer(d.truth)) : status;
    if (status == NONSENS_OK) {
        status = keep(ctx, ask(ctx, scratch, &d, s.family, answer), s, answer, line);
    }
    drawn_free(&d);
    TRY(status);
    return study_put(ctx, line, "seconds", json_real(round(1000.0 * (clock_seconds() - begun)) / 1000.0));
}

static bool read_answer(const json_value *pair, bivariate_answer *out)
{
    const char *word = json_string_value(json_array_get(pair, 0));
    const json_value *better = json_array_get(pair, 1);
    int64_t cause = json_integer_value(better);
    for (int d = 0; word && d < DECISIONS; d++) {
        if (strcmp(word, DECISION[d]) == 0) {
            *out = (bivariate_answer){(enum result_decision)d, (enum cause)cause};
            return json_is(better, JSON_INTEGER) && cause >= CAUSE_NONE && cause <= CAUSE_SECOND;
        }
    }
    return false;
}

/* Reads the answers of all rules of a family; false if one is missing or extra. */
static bool read_answers(const json_value *answers, enum bivariate_family family, bivariate_answer *out)
{
    int k = 0;
    for (; bivariate_rule_of(family, k) >= 0; k++) {
        if (!read_answer(json_object_get(answers, BIVARIATE_RULE[bivariate_rule_of(family, k)].name), &out[k])) {
            return false;
        }
    }
    return (size_t)k == json_object_size(answers);
}

bool bivariate_read(const json_value *line, void *place)
{
    bivariate_unit *u = place;
    const json_value *truth = json_object_get(line, "truth"), *answers = json_object_get(line, "answers");
    int64_t cause = json_integer_value(truth);
    *u = (bivariate_unit){.truth = (enum cause)cause, .failed = json_has(line, "failed", JSON_STRING)};
    if (!json_is(truth, JSON_INTEGER) || cause < CAUSE_NONE || cause > CAUSE_SECOND) {
        return false;
    }
    for (int family = 0; family < FAMILIES && !u->failed; family++) {
        if (read_answers(answers, (enum bivariate_family)family, u->answer)) {
            return true;
        }
    }
    return u->failed;
}
