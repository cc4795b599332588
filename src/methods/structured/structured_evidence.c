/* structured_evidence.c - reports the evidence of `structured`: ranks, losses of directions, disturbances, notes. */
#include "base/number.h"
#include "math/special.h"
#include "methods/shared/rank_search_features.h"
#include "methods/structured/structured.h"

#include <inttypes.h>
#include <math.h>

/* Returns the variable of the search that is the user's column. */
static int variable_of(const structured *s, int column)
{
    return structured_in_user_order(s) ? column : 1 - column;
}

static const char *name_of(const structured *s, const nonsens_result *result, int variable)
{
    return result->names[s->search.user[variable]];
}

/* Returns half the width of the confidence interval at level 1 - alpha. */
static double reach(const structured *s, const classifier_difference *d)
{
    return d->error * special_normal_quantile(1.0 - 0.5 * s->search.options->alpha);
}

static double gain_over_shares(const structured *s, const classifier_fit *f)
{
    classifier_difference d = {0};
    rank_search_compare(&s->search, f->held_out, s->search.chance, &d);
    return d.mean;
}

/* ---- ranks ---- */

static nonsens_status report_ranks(nonsens_context *ctx, const structured *s, nonsens_result *result)
{
    const rank_search_outcome *f = &s->free;
    if (s->search.grouped) {
        TRY(result_add(ctx, result, (double)s->search.segments, NAN,
                       "groups of segments that look alike; classifiers distinguish these, not single segments",
                       "groups of segments"));
    }
    TRY(result_add(ctx, result, (double)f->rank, NAN,
                   "ways in which the segments differ: features that distinguish them", "rank"));
    for (int64_t r = 1; r <= f->tried; r++) {
        bool scored = r <= f->fitted && f->fit[r].held_out;
        TRY(result_add(ctx, result, scored ? f->step[r].mean : NAN, f->step[r].p_value,
                       r == 1 ? "nats per row that one feature gains over the segment shares on held-out rows"
                              : "nats per row that a further feature gains on held-out rows; not fitted if the score "
                                "speaks clearly against it",
                       "gain of rank %" PRId64, r));
    }
    return NONSENS_OK;
}

static nonsens_status report_alone(nonsens_context *ctx, const structured *s, nonsens_result *result)
{
    double whole = gain_over_shares(s, &s->free.fit[s->rank]);
    for (int c = 0; c < 2; c++) {
        int j = variable_of(s, c);
        const rank_search_outcome *alone = &s->alone[j];
        TRY(result_add(ctx, result, (double)alone->rank, alone->step[1].p_value,
                       "ways in which the segments differ in this variable alone; 0 means that it is at chance",
                       "rank of %s alone", name_of(s, result, j)));
        TRY(result_add(ctx, result, alone->rank > 0 ? gain_over_shares(s, &alone->fit[alone->rank]) / whole : 0.0, NAN,
                       "share of the free classifier's information on the segment that this variable alone has",
                       "information in %s", name_of(s, result, j)));
    }
    return NONSENS_OK;
}

/* Second over first singular value of the segments' weights, features scaled to unit variance and uncorrelated. */
static double weight_ratio(const classifier_fit *f, const double *feature)
{
    const classifier_sample *data = f->model.data;
    double cov[2][2] = {{0}}, weight[2][2] = {{0}}, product[2][2] = {{0}}, mean[2] = {0};
    for (int i = 0; i < 2; i++) {
        for (int64_t k = 0; k < data->n; k++) {
            mean[i] += feature[i * data->n + k] / (double)data->n;
        }
    }
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            for (int64_t k = 0; k < data->n; k++) {
                cov[i][j] +=
                    (feature[i * data->n + k] - mean[i]) * (feature[j * data->n + k] - mean[j]) / (double)data->n;
            }
            for (int64_t e = 0; e < data->segments; e++) {
                weight[i][j] +=
                    data->share[e] * f->theta[model_weight(&f->model, e, i)] * f->theta[model_weight(&f->model, e, j)];
            }
        }
    }
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            product[i][j] = cov[i][0] * weight[0][j] + cov[i][1] * weight[1][j];
        }
    }
    double half = 0.5 * (product[0][0] + product[1][1]);
    double root = sqrt(fmax(half * half - (product[0][0] * product[1][1] - product[0][1] * product[1][0]), 0.0));
    return half + root > 0.0 ? sqrt(fmax(half - root, 0.0) / (half + root)) : 0.0;
}

static nonsens_status features_of(nonsens_context *ctx, arena *a, const classifier_fit *f, double **out)
{
    ARENA_TRY(ctx, a, *out, f->model.rank * f->model.data->n);
    for (int64_t k = 0; k < f->model.data->folds; k++) {
        TRY(model_features(ctx, a, &f->model, f->theta, k, *out));
    }
    return NONSENS_OK;
}

static nonsens_status report_weights(nonsens_context *ctx, arena *a, const structured *s, nonsens_result *result)
{
    const classifier_fit *f = &s->free.fit[2];
    double *feature;
    if (s->rank != 2 || !f->theta) {
        return NONSENS_OK;
    }
    TRY(features_of(ctx, a, f, &feature));
    return result_add(ctx, result, weight_ratio(f, feature), NAN,
                      "second singular value of the segments' weights over the first; near 0 means that both "
                      "disturbances change nearly in proportion",
                      "second singular value ratio");
}

/* ---- directions ---- */

static nonsens_status report_direction(nonsens_context *ctx, const structured *s, int j, nonsens_result *result)
{
    const structured_hypothesis *h = &s->cause[j];
    const char *cause = name_of(s, result, j), *effect = name_of(s, result, 1 - j);
    TRY(result_add(ctx, result, h->loss.mean, h->loss.p_value, s->search.features->loss, "loss of %s->%s", cause,
                   effect));
    TRY(result_add(ctx, result, h->loss.z, NAN, "the same over its standard error", "z of %s->%s", cause, effect));
    TRY(result_add(ctx, result, h->loss.ratio, NAN, "penalised likelihood ratio on all rows, in nats",
                   "ratio of %s->%s", cause, effect));
    TRY(result_add(ctx, result, h->loss.null_mean, NAN, "the ratio to expect if nothing is lost",
                   "expected ratio of %s->%s", cause, effect));
    return result_add(ctx, result, (double)h->own, NAN, "features that depend on the cause alone",
                      "restricted features of %s->%s", cause, effect);
}

/* Reports what the mechanisms of each direction say. */
static nonsens_status report_opinion(nonsens_context *ctx, const structured *s, nonsens_result *result)
{
    for (int c = 0; c < 2; c++) {
        const structured_way *way = &s->opinion.way[c];
        TRY(result_add(ctx, result, way->excess, way->dependence.p_value,
                       "dependence per row between the disturbances that this direction leaves inside segments, over "
                       "what chance leaves",
                       "dependence left by %s->%s", result->names[c], result->names[1 - c]));
        TRY(result_add(ctx, result, way->squared_correlation, way->correlation.p_value,
                       "squared rank correlation between the same disturbances, over what chance leaves",
                       "correlation left by %s->%s", result->names[c], result->names[1 - c]));
    }
    return result_add(ctx, result, s->opinion.z, NAN,
                      "standard errors by which mechanisms of the first direction predict held-out rows better than "
                      "those of the second",
                      "likelihood of %s->%s over %s->%s", result->names[0], result->names[1], result->names[1],
                      result->names[0]);
}

static nonsens_status report_between(nonsens_context *ctx, const structured *s, nonsens_result *result)
{
    double sign = structured_in_user_order(s) ? 1.0 : -1.0;
    return result_add(
        ctx, result, sign * s->between.mean, NAN,
        s->at_rank_two
            ? "nats per row by which the first direction predicts held-out rows better than the second, with "
              "two features although only one is certain"
            : "nats per row by which the first direction predicts held-out rows better than the second",
        "%s->%s over %s->%s", result->names[0], result->names[1], result->names[1], result->names[0]);
}

/* Keeps the verdict on a direction, which the text shows in one line. */
static void judge_direction(const structured *s, int j, nonsens_result *result)
{
    static const char *const WORD[] = {[FITS] = "fits", [DOUBTFUL] = "doubtful", [REJECTED] = "rejected"};
    const structured_hypothesis *h = &s->cause[j];
    bool has_loss = h->own > 0;
    result->judged[s->search.user[j]] = (result_direction){.verdict = WORD[h->verdict],
                                                           .loss = has_loss ? h->loss.mean : NAN,
                                                           .low = has_loss ? h->loss.mean - reach(s, &h->loss) : NAN,
                                                           .high = has_loss ? h->loss.mean + reach(s, &h->loss) : NAN};
}

/* ---- modulation ---- */

/*
 * Scales the feature to an estimate of the variable's disturbance (of q(N), up to scale and a constant): mean 0,
 * variance 1 over all rows, rows of the data set.  A feature's sign is arbitrary: here it grows with the distance of
 * the variable from its mean.
 */
static void source_of(const structured *s, const double *feature, int variable, double *out)
{
    const rank_search *l = &s->search;
    int64_t n = l->pair->n;
    const double *x = l->warped[variable];
    double mean = 0.0, square = 0.0, middle = 0.0, sense = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean += feature[i] / (double)n;
        middle += x[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        square += (feature[i] - mean) * (feature[i] - mean) / (double)n;
        sense += (feature[i] - mean) * (x[i] - middle) * (x[i] - middle);
    }
    double factor = square > 0.0 ? (sense < 0.0 ? -1.0 : 1.0) / sqrt(square) : 0.0;
    for (int64_t i = 0; i < n; i++) {
        out[l->user_row[i]] = factor * (feature[i] - mean);
    }
}

/* Computes the mean of the source in every segment. */
static void modulation_of(const nonsens_data *pair, const double *source, double *out)
{
    for (int64_t e = 0; e < pair->segments; e++) {
        double rows = (double)(pair->start[e + 1] - pair->start[e]);
        out[e] = 0.0;
        for (int64_t i = pair->start[e]; i < pair->start[e + 1]; i++) {
            out[e] += source[i] / rows;
        }
    }
}

static void add_source(const structured *s, const double *feature, int variable, nonsens_result *result)
{
    int32_t column = s->search.user[variable];
    source_of(s, feature, variable, matrix_col(result->source, column));
    modulation_of(s->search.pair, matrix_col(result->source, column), matrix_col(result->modulation, column));
}

/*
 * Adds sources from the classifier of the better direction: its first own feature belongs to the cause, its first free
 * one to the effect.  A variable without a feature keeps zeros: nothing in its disturbance is seen to change.
 */
static nonsens_status add_sources(nonsens_context *ctx, arena *a, const structured *s, nonsens_result *result)
{
    int cause = (result->better == BETTER_SECOND) == structured_in_user_order(s) ? 1 : 0;
    const structured_hypothesis *h = &s->cause[cause];
    const classifier_fit *f = h->own > 0 ? &h->fit : &s->free.fit[s->rank];
    double *feature;
    if (!f->theta) {
        return NONSENS_OK;
    }
    TRY(features_of(ctx, a, f, &feature));
    TRY(result_make_sources(ctx, result, 2));
    if (h->own > 0) {
        add_source(s, feature, cause, result);
    }
    if (f->model.rank > h->own) {
        add_source(s, feature + h->own * s->search.pair->n, 1 - cause, result);
    }
    return NONSENS_OK;
}

/* ---- notes ---- */

/* Checks that the classifier of this variable alone sees a change, and that the one of its direction converged. */
static nonsens_status check_variable(nonsens_context *ctx, const structured *s, int j, nonsens_result *result)
{
    const structured_hypothesis *h = &s->cause[j];
    const char *name = name_of(s, result, j), *unchanged = NULL, *unconverged = NULL;
    if (s->alone[j].rank == 0) {
        unchanged = arena_format(ctx, &result->memory,
                                 "%s alone does not distinguish the segments: its own noise does not visibly change. "
                                 "Segments that differ more would help.",
                                 name);
        TRY(unchanged ? NONSENS_OK : NONSENS_ERR_MEMORY);
    }
    TRY(result_check(ctx, result, unchanged));
    if (h->own == 0 || !h->fit.theta) {
        return NONSENS_OK;
    }
    if (!h->fit.converged) {
        unconverged =
            arena_format(ctx, &result->memory,
                         "The classifier for %s->%s did not converge fully: see whether another --basis gives "
                         "the same answer.",
                         name, name_of(s, result, 1 - j));
        TRY(unconverged ? NONSENS_OK : NONSENS_ERR_MEMORY);
    }
    return result_check(ctx, result, unconverged);
}

static nonsens_status add_notes(nonsens_context *ctx, const structured *s, nonsens_result *result)
{
    for (int c = 0; c < 2; c++) {
        TRY(check_variable(ctx, s, variable_of(s, c), result));
    }
    if (s->rank > s->free.rank) {
        TRY(result_note(ctx, result, NONSENS_NOTE_INFO,
                        "One way in which the segments differ is certain, and it involves both variables. The "
                        "directions are compared with two, where changes in proportion would fit both ways."));
    }
    if (s->free.rank <= 2) {
        return result_check(ctx, result, NULL);
    }
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "The segments differ in %" PRId64 " ways, more than one for each disturbance: means and scales "
                       "may both change, the mechanism may change, segments may be mixed, or a hidden common cause may "
                       "act. `nonsens diagnose` shows whether a single segment is odd.",
                       s->free.rank);
}

static nonsens_status note_few_rows(nonsens_context *ctx, const structured *s, nonsens_result *result)
{
    enum { FEW_ROWS = 50 };
    const nonsens_data *pair = s->search.pair;
    double rows = (double)pair->n / (double)pair->segments;
    char shown[NUMBER_BYTES];
    if (rows >= FEW_ROWS) {
        return result_check(ctx, result, NULL);
    }
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "The segments have %s rows on average. With fewer than about %d a misfit is hardly visible, so "
                       "a wrong direction may look right; collect more rows, or merge segments.",
                       number_print(shown, rows, 3), FEW_ROWS);
}

/* Adds how often directions named without a conclusion were correct (docs/real-data.md, `make real`). */
static nonsens_status note_record(nonsens_context *ctx, nonsens_result *result)
{
    if (result->decision != DECISION_INCONCLUSIVE || result->better == BETTER_NONE) {
        return NONSENS_OK;
    }
    return result_note(
        ctx, result, NONSENS_NOTE_INFO,
        "On 26 real pairs with a known cause this method did not decide; the direction that it then named was "
        "correct for 15 (docs/real-data.md).");
}

static nonsens_status note_groups(nonsens_context *ctx, const structured *s, nonsens_result *result)
{
    if (!s->search.grouped) {
        return NONSENS_OK;
    }
    return result_note(ctx, result, NONSENS_NOTE_INFO,
                       "With more than %d segments, classifiers distinguish groups of segments: here %" PRId64
                       " groups of %" PRId64 " segments. A row's group is found from the other rows of its segment. No "
                       "answer is called firm then.",
                       RANK_SEARCH_UNGROUPED, s->search.segments, s->search.pair->segments);
}

nonsens_status structured_report(nonsens_context *ctx, arena *scratch, const structured *s, nonsens_result *result)
{
    TRY(note_record(ctx, result));
    TRY(report_ranks(ctx, s, result));
    TRY(note_groups(ctx, s, result));
    TRY(note_few_rows(ctx, s, result));
    if (s->free.rank > 0) {
        for (int c = 0; c < 2; c++) {
            TRY(report_direction(ctx, s, variable_of(s, c), result));
        }
        TRY(report_between(ctx, s, result));
        TRY(report_alone(ctx, s, result));
        TRY(report_weights(ctx, scratch, s, result));
        for (int j = 0; j < 2; j++) {
            judge_direction(s, j, result);
        }
        TRY(add_notes(ctx, s, result));
        TRY(add_sources(ctx, scratch, s, result));
    }
    if (s->asked) {
        TRY(report_opinion(ctx, s, result));
    }
    TRY(result_note_skipped(ctx, result, s->dependence.segments_skipped, HSIC_MIN_ROWS));
    return result_add(ctx, result, s->dependence.statistic, s->dependence.p_value,
                      "kernel test of independence inside each segment, added up, on ranks",
                      "dependence inside segments");
}
