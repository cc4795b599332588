/*
 * accuracy_monti.c - evaluates the paper's methods: all variants of the rules share one fit of the disturbances per
 * data set.
 */
#include "accuracy.h"
#include "methods/nonsens/monti.h"

#include <math.h>

/* What is scored on every data set: each rule is correct, wrong or undecided. */
enum rule {
    RULE_TESTS,
    RULE_POOLED,
    RULE_TRUE,
    RULE_TRUE_POOLED,
    RULE_MAGNITUDES,
    RULE_INFORMATION,
    RULE_JACOBIAN,
    RULE_PRINTED,
    RULES
};
static const char *const RULE_NAME[RULES] = {"nonsens",
                                             "nonsens-pooled",
                                             "nonsens-true-sources",
                                             "nonsens-true-sources-pooled",
                                             "nonsens-true-magnitudes",
                                             "nonsens-lr",
                                             "nonsens-lr-jacobian",
                                             "nonsens-lr-printed"};

/* The journal stores these as numbers. */
enum outcome { OUTCOME_CORRECT, OUTCOME_WRONG, OUTCOME_UNDECIDED };

typedef struct unit {
    enum outcome outcome[RULES];
    bool direction_correct[RULES]; /* the better direction is the true one */
    double mcc;                    /* mean correlation of T with |N| under the better permutation */
} unit;

/* ---- running ---- */

/* Copies the true disturbances in the canonical row order of the data set. */
static nonsens_status true_sources(nonsens_context *ctx, arena *a, const drawn *d, matrix *out)
{
    int64_t n = d->data->n;
    double *v; // (n, 2)
    ARENA_TRY(ctx, a, v, n * 2);
    for (int j = 0; j < 2; j++) {
        for (int64_t i = 0; i < n; i++) {
            v[j * n + i] = matrix_col(d->simulation->source, j)[d->data->input_row[i]];
        }
    }
    *out = matrix_view(v, n, 2);
    return NONSENS_OK;
}

static double correlation_with_abs(int64_t n, const double *t, const double *source)
{
    double mt = 0, ms = 0, tt = 0, ss = 0, ts = 0;
    for (int64_t i = 0; i < n; i++) {
        mt += t[i] / (double)n;
        ms += fabs(source[i]) / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        double a = t[i] - mt, b = fabs(source[i]) - ms;
        tt += a * a;
        ss += b * b;
        ts += a * b;
    }
    return fabs(ts) / sqrt(tt * ss);
}

static double mean_correlation(matrix t, matrix source)
{
    double c[2][2];
    for (int k = 0; k < 2; k++) {
        for (int j = 0; j < 2; j++) {
            c[k][j] = correlation_with_abs(t.rows, matrix_col(t, k), matrix_col(source, j));
        }
    }
    return 0.5 * fmax(c[0][0] + c[1][1], c[0][1] + c[1][0]);
}

/* Judges a decision.  cause: 0, 1, or -1 if there is no cause; then every direction is wrong. */
static enum outcome judge(enum result_decision decision, int cause)
{
    if (decision != DECISION_FIRST_CAUSES && decision != DECISION_SECOND_CAUSES) {
        return OUTCOME_UNDECIDED;
    }
    return (decision == DECISION_FIRST_CAUSES ? 0 : 1) == cause ? OUTCOME_CORRECT : OUTCOME_WRONG;
}

/* What the variants of the tests have in common. */
typedef struct scoring {
    const nonsens_options *options;
    const drawn *drawn;
    matrix variable;
} scoring;

static nonsens_status score_tests(nonsens_context *ctx, arena *a, const scoring *s, enum option_pooling pooling,
                                  matrix source, enum rule rule, unit *out)
{
    monti_tests tests;
    nonsens_options *o;
    ARENA_TRY(ctx, a, o, 1);
    *o = *s->options;
    o->pooling = pooling;
    TRY(monti_four_tests(ctx, a, s->drawn->data, o, s->variable, source, &tests));
    double p[2];
    for (int v = 0; v < 2; v++) {
        p[v] = fmax(tests.test[v][0].p_value, tests.test[v][1].p_value);
    }
    out->outcome[rule] = judge(monti_decide(&tests, o->alpha), s->drawn->cause);
    out->direction_correct[rule] = p[0] != p[1] && (p[0] > p[1] ? 0 : 1) == s->drawn->cause;
    return NONSENS_OK;
}

static nonsens_status score_all_tests(nonsens_context *ctx, arena *a, const scoring *s, const disturbances *fit,
                                      unit *out)
{
    matrix truth;
    TRY(true_sources(ctx, a, s->drawn, &truth));
    out->mcc = mean_correlation(fit->source, truth);
    TRY(score_tests(ctx, a, s, POOLING_STRATIFIED, fit->source, RULE_TESTS, out));
    TRY(score_tests(ctx, a, s, POOLING_POOLED, fit->source, RULE_POOLED, out));
    TRY(score_tests(ctx, a, s, POOLING_STRATIFIED, truth, RULE_TRUE, out));
    TRY(score_tests(ctx, a, s, POOLING_POOLED, truth, RULE_TRUE_POOLED, out));
    for (int64_t i = 0; i < 2 * truth.rows; i++) {
        truth.v[i] = fabs(truth.v[i]);
    }
    TRY(score_tests(ctx, a, s, POOLING_STRATIFIED, truth, RULE_MAGNITUDES, out));
    if (disturbances_doubt(fit)) { /* the method does not decide then */
        out->outcome[RULE_TESTS] = out->outcome[RULE_POOLED] = OUTCOME_UNDECIDED;
    }
    return NONSENS_OK;
}

static void score_ratio(double ratio, int cause, enum rule rule, unit *out)
{
    out->direction_correct[rule] = (ratio > 0 ? 0 : 1) == cause;
    out->outcome[rule] = out->direction_correct[rule] ? OUTCOME_CORRECT : OUTCOME_WRONG;
}

static nonsens_status run(nonsens_context *ctx, arena *a, const nonsens_options *options, const drawn *d,
                          json_value *line)
{
    unit u = {{0}, {0}, 0};
    disturbances fit;
    monti_ratio ratio;
    TRY(disturbances_fit(ctx, a, d->data, options, &fit));
    TRY(monti_likelihood_ratio(ctx, a, &fit, &ratio));
    scoring s = {options, d, fit.z};
    TRY(score_all_tests(ctx, a, &s, &fit, &u));
    score_ratio(ratio.value[RATIO_INFORMATION], d->cause, RULE_INFORMATION, &u);
    score_ratio(ratio.value[RATIO_JACOBIAN], d->cause, RULE_JACOBIAN, &u);
    score_ratio(ratio.value[RATIO_PRINTED], d->cause, RULE_PRINTED, &u);
    json_object_set(line, "mcc", json_real(u.mcc));
    for (int r = 0; r < RULES; r++) {
        json_object_set(line, RULE_NAME[r],
                        json_array_of(2, json_integer(u.outcome[r]), json_boolean(u.direction_correct[r])));
    }
    return NONSENS_OK;
}

/* ---- printing ---- */

static bool read_unit(const json_value *line, void *place)
{
    unit *out = place;
    const json_value *mcc = json_object_get(line, "mcc");
    bool good = json_is(mcc, JSON_NUMBER);
    out->mcc = json_number_value(mcc);
    for (int r = 0; r < RULES && good; r++) {
        const json_value *pair = json_object_get(line, RULE_NAME[r]);
        const json_value *outcome = json_array_get(pair, 0), *direction_correct = json_array_get(pair, 1);
        int64_t number = json_integer_value(outcome);
        good = json_is(outcome, JSON_INTEGER) && json_is(direction_correct, JSON_BOOLEAN) &&
               number >= OUTCOME_CORRECT && number <= OUTCOME_UNDECIDED;
        out->outcome[r] = (enum outcome)number;
        out->direction_correct[r] = direction_correct == json_boolean(true);
    }
    return good;
}

static void print_features(const task *t, const unit *units, table *csv)
{
    summary mcc = summary_of_every(t->reps, &units->mcc, sizeof *units / sizeof(double));
    report r = report_empty();
    r.value[COLUMN_MCC] = mcc.mean;
    r.value[COLUMN_SE] = mcc.error;
    report_print(csv, t, "disturbances", &r);
}

static void print_rule(const task *t, enum rule rule, const unit *units, table *csv)
{
    static const enum column OUTCOME_COLUMN[] = {COLUMN_CORRECT, COLUMN_WRONG, COLUMN_UNDECIDED};
    bool cyclic = t->cell->judgement == JUDGE_CYCLIC;
    report r = report_empty();
    r.value[COLUMN_CORRECT] = r.value[COLUMN_WRONG] = r.value[COLUMN_UNDECIDED] = r.value[COLUMN_DIRECTION] = 0.0;
    for (int k = 0; k < t->reps; k++) {
        r.value[OUTCOME_COLUMN[units[k].outcome[rule]]]++;
        r.value[COLUMN_DIRECTION] += units[k].direction_correct[rule];
    }
    report_shares(&r, cyclic ? COLUMN_WRONG : COLUMN_CORRECT, t->reps);
    report_print(csv, t, RULE_NAME[rule], &r);
}

static void print_units(const task *t, const void *place, table *csv)
{
    const unit *units = place;
    print_features(t, units, csv);
    for (int r = 0; r < RULES; r++) {
        if (!(t->cell->judgement == JUDGE_CYCLIC && r >= RULE_INFORMATION)) { /* a ratio always decides */
            print_rule(t, (enum rule)r, units, csv);
        }
    }
}

const accuracy_evaluation ACCURACY_MONTI = {.study = EVALUATION_STUDY("monti", 2, unit, read_unit),
                                            .command = NONSENS_COMMAND_DIRECTION,
                                            .table = TABLE_PAIRS,
                                            .side_by_side = false,
                                            .any_method = false,
                                            .run = run,
                                            .header = report_header,
                                            .print = print_units};
