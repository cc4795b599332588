/*
 * accuracy_structured.c - evaluates the public run of one method (`structured`, or what --method names) on a data set.
 *
 * The journal keeps decision, better direction and true cause, the loss and the p-value of the restricted model of each
 * direction, the squared correlation that its mechanisms leave between the disturbances, with its p-value, and the rank
 * of the change over segments (null if the method has none).  Decisions are judged when lines are printed, so the
 * judgement can change without a new run.
 */
#include "accuracy.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const ARROW[2] = {"x1->x2", "x2->x1"};
#define LEVEL 0.05

/* ---- running ---- */

static const nonsens_evidence *find_evidence(const nonsens_result *result, const char *name)
{
    static const nonsens_evidence NONE = {"", NAN, NAN, ""};
    for (int64_t i = 0; i < nonsens_result_evidence_count(result); i++) {
        const nonsens_evidence *item = nonsens_result_evidence_at(result, i);
        if (strcmp(item->name, name) == 0) {
            return item;
        }
    }
    return &NONE;
}

/* Adds the value and the p-value of the evidence called `words`, for both directions, to two lists. */
static void keep_evidence(const nonsens_result *result, const char *words, json_value *value, json_value *p_value)
{
    for (int k = 0; k < 2; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s %s", words, ARROW[k]);
        const nonsens_evidence *item = find_evidence(result, name);
        json_array_append(value, json_real(item->value));
        json_array_append(p_value, json_real(item->p_value));
    }
}

static void keep_result(const nonsens_result *result, int cause, json_value *line)
{
    json_value *loss = json_array(), *p = json_array(), *correlation = json_array(), *correlation_p = json_array();
    keep_evidence(result, "loss of", loss, p);
    keep_evidence(result, "correlation left by", correlation, correlation_p);
    const char *direction = nonsens_result_direction(result);
    json_object_set(line, "cause", json_integer(cause));
    json_object_set(line, "decision", json_string(nonsens_result_decision(result)));
    json_object_set(line, "direction", direction ? json_string(direction) : json_null());
    nonsens_firm firm = nonsens_result_firm(result);
    json_value *alternatives = json_array();
    for (int64_t i = 0; nonsens_result_alternative_at(result, i); i++) {
        json_array_append(alternatives, json_string(nonsens_result_alternative_at(result, i)));
    }
    json_object_set(line, "firm", firm == NONSENS_FIRM_NONE ? json_null() : json_boolean(firm == NONSENS_FIRM_YES));
    json_object_set(line, "alternatives", alternatives);
    json_object_set(line, "loss", loss);
    json_object_set(line, "p", p);
    json_object_set(line, "correlation", correlation);
    json_object_set(line, "correlation_p", correlation_p);
    json_object_set(line, "rank", json_real(find_evidence(result, "rank")->value));
}

static nonsens_status run(nonsens_context *ctx, arena *a, const nonsens_options *options, const drawn *d,
                          json_value *line)
{
    nonsens_result *result;
    (void)a;
    TRY(nonsens_run_direction(ctx, d->data, options, &result));
    keep_result(result, d->cause, line);
    nonsens_result_free(result);
    return NONSENS_OK;
}

/* ---- reading the journal ---- */

typedef struct unit {
    int cause;
    const char *decision, *direction; /* direction may be NULL */
    double p[2];                      /* NaN if there is none */
    double correlation[2], correlation_p[2];
    double rank; /* of the change over segments; NaN if there is none */
    bool firm;
    const json_value *alternatives; /* other explanations that are left open */
} unit;

static bool read_unit(const json_value *line, void *place)
{
    unit *out = place;
    const json_value *p = json_object_get(line, "p"), *cause = json_object_get(line, "cause");
    *out = (unit){.cause = (int)json_integer_value(cause),
                  .decision = json_get_string(line, "decision"),
                  .direction = json_get_string(line, "direction"),
                  .firm = json_object_get(line, "firm") == json_boolean(true),
                  .alternatives = json_object_get(line, "alternatives")};
    for (size_t k = 0; k < 2; k++) {
        study_read_number(json_array_get(p, k), &out->p[k]);
        study_read_number(json_array_get(json_object_get(line, "correlation"), k), &out->correlation[k]);
        study_read_number(json_array_get(json_object_get(line, "correlation_p"), k), &out->correlation_p[k]);
    }
    study_read_number(json_object_get(line, "rank"), &out->rank);
    return json_array_size(p) == 2 && json_is(cause, JSON_INTEGER) && out->cause < 2 && out->decision;
}

/* Returns the cause in "x1->x2" or "x2->x1", or -1. */
static int cause_of(const char *text)
{
    for (int k = 0; k < 2; k++) {
        if (text && strcmp(text, ARROW[k]) == 0) {
            return k;
        }
    }
    return -1;
}

/* ---- judging ---- */

static enum column judge(const unit *u, enum judgement judgement)
{
    int decided_cause = cause_of(u->decision);
    if (judgement == JUDGE_INDEPENDENT && strcmp(u->decision, "independent") == 0) {
        return COLUMN_CORRECT;
    }
    if (decided_cause < 0) {
        return COLUMN_UNDECIDED;
    }
    return judgement == JUDGE_DAG && decided_cause == u->cause ? COLUMN_CORRECT : COLUMN_WRONG;
}

static bool leaves_open(const unit *u, const char *explanation)
{
    for (size_t k = 0; k < json_array_size(u->alternatives); k++) {
        if (strcmp(json_string_value(json_array_get(u->alternatives, k)), explanation) == 0) {
            return true;
        }
    }
    return false;
}

static void add_unit(const unit *u, const task *t, report *r)
{
    bool independent = strcmp(u->decision, "independent") == 0;
    enum column column = judge(u, t->cell->judgement);
    r->value[column]++;
    r->value[COLUMN_FIRM_CORRECT] += u->firm && column == COLUMN_CORRECT;
    r->value[COLUMN_FIRM_WRONG] += u->firm && column == COLUMN_WRONG;
    r->value[COLUMN_DIRECTION] += u->cause >= 0 && cause_of(u->direction) == u->cause;
    r->value[COLUMN_NEITHER] += strcmp(u->decision, "neither") == 0;
    r->value[COLUMN_INDEPENDENT] += independent;
    r->value[COLUMN_INCONCLUSIVE] += strcmp(u->decision, "inconclusive") == 0;
    r->value[COLUMN_CONCLUDED] += independent || cause_of(u->decision) >= 0; // NaN, and stays so, unless printed
}

static report begin_report(enum judgement judgement)
{
    static const enum column COUNTED[] = {COLUMN_CORRECT,      COLUMN_WRONG,        COLUMN_UNDECIDED,
                                          COLUMN_DIRECTION,    COLUMN_NEITHER,      COLUMN_INDEPENDENT,
                                          COLUMN_INCONCLUSIVE, COLUMN_FIRM_CORRECT, COLUMN_FIRM_WRONG};
    report r = report_empty();
    for (size_t k = 0; k < sizeof COUNTED / sizeof *COUNTED; k++) {
        r.value[COUNTED[k]] = 0.0;
    }
    if (judgement == JUDGE_CYCLIC) {
        r.value[COLUMN_CONCLUDED] = 0.0;
    }
    return r;
}

/* Of the answers that name a direction and are not firm, counts the share that leaves the true explanation open. */
static void add_explained(const task *t, const unit *units, report *r)
{
    const char *explanation = violation_explanation(t->mechanism);
    int open = 0, named = 0;
    for (int k = 0; explanation && k < t->reps; k++) {
        bool counts = cause_of(units[k].decision) >= 0 && !units[k].firm;
        open += counts;
        named += counts && leaves_open(&units[k], explanation);
    }
    r->value[COLUMN_EXPLAINED] = open > 0 ? (double)named / open : NAN;
}

/* Computes how often the true direction, if there is one, is vetoed by the rule of structured_decide.c. */
static void add_vetoed(const task *t, const unit *units, report *r)
{
    static const double MIN_SQUARED = 0.005, LEVEL_OF_VETO = 0.01;
    int vetoed = 0;
    bool asked = false;
    for (int k = 0; k < t->reps; k++) {
        const unit *u = &units[k];
        if (u->cause >= 0 && !isnan(u->correlation_p[u->cause])) {
            asked = true;
            vetoed += u->correlation[u->cause] > MIN_SQUARED && u->correlation_p[u->cause] < LEVEL_OF_VETO;
        }
    }
    r->value[COLUMN_VETOED] = asked && t->cell->judgement == JUDGE_DAG ? (double)vetoed / t->reps : NAN;
}

/* Finds the most frequent rank, the smaller one on a tie, and its share; NaN if no data set has a rank. */
static void add_rank(const unit *units, int reps, report *r)
{
    int max_count = 0;
    for (int k = 0; k < reps; k++) {
        int count = 0;
        for (int i = 0; i < reps; i++) {
            count += units[i].rank == units[k].rank;
        }
        if (count > max_count || (count == max_count && units[k].rank < r->value[COLUMN_RANK])) {
            max_count = count;
            r->value[COLUMN_RANK] = units[k].rank;
            r->value[COLUMN_RANK_SHARE] = (double)count / reps;
        }
    }
}

static void print_decisions(const task *t, const unit *units, table *csv)
{
    enum judgement judgement = t->cell->judgement;
    report r = begin_report(judgement);
    for (int k = 0; k < t->reps; k++) {
        add_unit(&units[k], t, &r);
    }
    bool can_be_correct = judgement == JUDGE_DAG || judgement == JUDGE_INDEPENDENT;
    report_shares(&r, can_be_correct ? COLUMN_CORRECT : COLUMN_WRONG, t->reps);
    add_rank(units, t->reps, &r);
    add_explained(t, units, &r);
    add_vetoed(t, units, &r);
    report_print(csv, t, t->cell->label ? t->cell->label : t->options->method, &r);
}

/* Prints how often the model of the true direction is rejected, which should be LEVEL. */
static void print_null(const task *t, const unit *units, table *csv)
{
    report r = report_empty();
    char label[64 + sizeof "-null"];
    r.value[COLUMN_REJECTED] = r.value[COLUMN_TESTED] = 0.0;
    for (int k = 0; k < t->reps; k++) {
        double p = units[k].cause >= 0 ? units[k].p[units[k].cause] : NAN;
        r.value[COLUMN_TESTED] += !isnan(p);
        r.value[COLUMN_REJECTED] += p <= LEVEL;
    }
    report_shares(&r, COLUMN_REJECTED, t->reps);
    snprintf(label, sizeof label, "%s-null", t->options->method);
    report_print(csv, t, label, &r);
}

static void print_units(const task *t, const void *units, table *csv)
{
    (t->cell->judgement == JUDGE_NULL ? print_null : print_decisions)(t, units, csv);
}

const accuracy_evaluation ACCURACY_STRUCTURED = {.study = EVALUATION_STUDY("structured", 6, unit, read_unit),
                                                 .command = NONSENS_COMMAND_DIRECTION,
                                                 .table = TABLE_PAIRS,
                                                 .side_by_side = true,
                                                 .any_method = true,
                                                 .run = run,
                                                 .header = report_header,
                                                 .print = print_units};
