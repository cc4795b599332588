/*
 * lingam.c - `discover --method lingam`: DirectLiNGAM (Shimizu, Inazumi, Sogawa, Hyvarinen, Kawahara, Washio, Hoyer,
 * Bollen, JMLR 12, 2011; Hyvarinen and Smith, JMLR 14, 2013), x = B x + e with B strictly triangular in some order and
 * e independent and not Gaussian.  This file joins the order (lingam_order.c), the weights (lingam_weights.c) and what
 * speaks against both (lingam_check.c), and reports them.
 *
 * As in the papers, all rows are pooled, even if there are segments; segments matter only for the tests of the
 * residuals.  All work is on columns in canonical order.
 */
#include "base/number.h"
#include "base/show.h"
#include "methods/lingam/lingam_check.h"
#include "methods/lingam/lingam_method.h"
#include "methods/lingam/lingam_order.h"
#include "methods/lingam/lingam_weights.h"
#include "methods/shared/reasoning.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { NAMES_SHOWN = 5, LIST_BYTES = (NAMES_SHOWN + 1) * SHOWN_BYTES, DIGITS = 3, ROWS_A_VARIABLE = 5 };

/* The user's index of the variable at a position in the causal order. */
static int64_t user_index(const nonsens_data *data, const lingam_order *order, int64_t place)
{
    return data->column_rank[order->at[place]];
}

static const char *name_at(const nonsens_data *data, const lingam_order *order, int64_t place)
{
    return data->names[user_index(data, order, place)];
}

/* ---- the graph ---- */

static nonsens_status add_edge(nonsens_context *ctx, const nonsens_data *data, const lingam_order *order,
                               const lingam_weights *weights, int64_t from, int64_t to, nonsens_result *result)
{
    int64_t at = from + to * order->d;
    double weight = weights->weight[at] * (order->sd[to] / order->sd[from]);
    if (!isfinite(weight) || (weight == 0.0 && weights->weight[at] != 0.0)) {
        char cause[SHOWN_BYTES], effect[SHOWN_BYTES];
        return fail(ctx, NONSENS_ERR_DATA,
                    "lingam: the weight of %s on %s is too large or too small a number; use units in which "
                    "the variables are of similar size",
                    show_quoted(cause, name_at(data, order, from)), show_quoted(effect, name_at(data, order, to)));
    }
    int64_t cause_index = user_index(data, order, from), effect_index = user_index(data, order, to);
    return result_edge(ctx, result, cause_index, effect_index, NONSENS_EDGE_DIRECTED,
                       weight * data->sign[cause_index] * data->sign[effect_index], weights->p_value[at]);
}

/* Adds the edges in the order of the user's columns, which is that of the result. */
static nonsens_status add_edges(nonsens_context *ctx, arena *a, const nonsens_data *data, const lingam_order *order,
                                const lingam_weights *weights, nonsens_result *result)
{
    int64_t d = order->d, *place;
    ARENA_TRY(ctx, a, place, d);
    for (int64_t k = 0; k < d; k++) {
        place[user_index(data, order, k)] = k;
    }
    for (int64_t from = 0; from < d; from++) {
        for (int64_t to = 0; to < d; to++) {
            if (place[from] < place[to] && weights->stays[place[from] + place[to] * d]) {
                TRY(add_edge(ctx, data, order, weights, place[from], place[to], result));
            }
        }
    }
    return NONSENS_OK;
}

/* ---- evidence ---- */

static nonsens_status report_check(nonsens_context *ctx, const nonsens_data *data, const lingam_order *order,
                                   const lingam_check *check, nonsens_result *result)
{
    const char *first = name_at(data, order, check->first), *second = name_at(data, order, check->second);
    TRY(result_add(ctx, result, check->statistic, check->tested ? check->p_value : NAN,
                   check->by_hsic ? "the pair of residuals that depend most on one another; p-value times the number "
                                    "of pairs"
                                  : "the pair of residuals that depend most on one another, by the largest of five "
                                    "correlations of functions of them, in standard errors; p-value times the number "
                                    "of pairs",
                   check->by_hsic ? "hsic(N_%s, N_%s)" : "score(N_%s, N_%s)", first, second));
    TRY(result_add(ctx, result, (double)check->dependent, NAN,
                   "pairs of residuals that depend on one another by Holm's rule", "dependent_pairs"));
    return result_add(ctx, result, (double)check->gaussians, NAN,
                      "residuals that cannot be distinguished from Gaussian ones; at most one may be",
                      "gaussian_residuals");
}

static nonsens_status report_steps(nonsens_context *ctx, const nonsens_data *data, const lingam_order *order,
                                   nonsens_result *result)
{
    int64_t closest = 0; // the step with the smallest difference between first and second
    for (int64_t k = 1; k + 1 < order->d; k++) {
        double margin = order->against_next[k] - order->against[k];
        closest = margin < order->against_next[closest] - order->against[closest] ? k : closest;
    }
    TRY(result_add(ctx, result, order->against_next[closest] - order->against[closest], NAN,
                   "the smallest difference of M between first and second; small where either may come first, "
                   "as where neither causes the other",
                   "least_margin(step %" PRId64 ")", closest + 1));
    TRY(result_add(ctx, result, (double)order->compared, NAN,
                   "pairs compared; the others could not have changed the order", "comparisons"));
    for (int64_t k = 0; k + 1 < order->d; k++) {
        TRY(result_add(ctx, result, order->against[k], NAN,
                       k ? "" : "what speaks against the variable that comes next: squared likelihood ratios of pairs",
                       "step %" PRId64 ": M(%s)", k + 1, name_at(data, order, k)));
        TRY(result_add(ctx, result, order->against_next[k], NAN, k ? "" : "the same of the second best",
                       "step %" PRId64 ", second: M(%s)", k + 1, data->names[data->column_rank[order->next[k]]]));
    }
    return NONSENS_OK;
}

/* ---- notes ---- */

static nonsens_status note_dependence(nonsens_context *ctx, const nonsens_data *data, const lingam_order *order,
                                      const lingam_check *check, nonsens_result *result)
{
    char first[SHOWN_BYTES], second[SHOWN_BYTES], p_value[REASONING_P_BYTES];
    if (check->dependent == 0) {
        return NONSENS_OK;
    }
    return result_note(ctx, result, NONSENS_NOTE_PROBLEM,
                       "The data contradict the assumptions: %" PRId64 " of %" PRId64
                       " pairs of residuals depend on one another, most of all those of %s and %s (%s once "
                       "all pairs are counted). Mechanisms that are not linear, hidden common causes, cycles, or "
                       "too few rows for the right order look like this; look at pairs in doubt with nonsens "
                       "direction, whose other methods ask for no linear mechanism.",
                       check->dependent, check->pairs, show_bare(first, name_at(data, order, check->first)),
                       show_bare(second, name_at(data, order, check->second)), reasoning_p(p_value, check->p_value));
}

static nonsens_status note_gaussian(nonsens_context *ctx, const nonsens_data *data, const lingam_order *order,
                                    const lingam_check *check, nonsens_result *result)
{
    char list[LIST_BYTES] = "", name[SHOWN_BYTES];
    int64_t shown = 0;
    size_t used = 0;
    if (check->gaussians < 2) {
        return NONSENS_OK;
    }
    for (int64_t k = 0; k < order->d && shown < NAMES_SHOWN; k++) {
        if (check->gaussian[k]) {
            used += (size_t)snprintf(list + used, LIST_BYTES - used, "%s%s", shown ? ", " : "",
                                     show_bare(name, name_at(data, order, k)));
            shown++;
        }
    }
    if (shown < check->gaussians) {
        snprintf(list + used, LIST_BYTES - used, ", ...");
    }
    return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                       "%" PRId64 " of %" PRId64
                       " residuals cannot be distinguished from Gaussian ones (%s): the order "
                       "of these variables is hardly identified. More rows may help; where variances change over "
                       "segments, nonsens direction --method structured on pairs needs no shape.",
                       check->gaussians, order->d, list);
}

static nonsens_status note_weights(nonsens_context *ctx, const lingam_order *order, nonsens_result *result)
{
    char alpha[NUMBER_BYTES];
    int64_t pairs = order->d * (order->d - 1) / 2;
    number_print(alpha, result->options.alpha, DIGITS);
    switch (result->options.coefficients) {
    case COEFFICIENTS_TESTED:
        return result_note(ctx, result, NONSENS_NOTE_INFO,
                           "Edges are the weights of least squares, given all predecessors, whose p-values pass "
                           "Benjamini and Hochberg's rule over all %" PRId64 " at level %s.",
                           pairs, alpha);
    case COEFFICIENTS_ALL:
        return result_note(ctx, result, NONSENS_NOTE_INFO,
                           "Edges are all weights of least squares, none is left out: the p-values say which may "
                           "be zero.");
    case COEFFICIENTS_LASSO:
    default:
        return result_note(ctx, result, NONSENS_NOTE_INFO,
                           "Edges are those of the adaptive lasso with the least BIC, their weights least squares on "
                           "them; p-values are those of least squares given all predecessors.");
    }
}

static nonsens_status report(nonsens_context *ctx, const nonsens_data *data, const lingam_order *order,
                             const lingam_check *check, nonsens_result *result)
{
    TRY(report_check(ctx, data, order, check, result));
    TRY(report_steps(ctx, data, order, result));
    TRY(note_dependence(ctx, data, order, check, result));
    TRY(note_gaussian(ctx, data, order, check, result));
    if (data->n < ROWS_A_VARIABLE * data->d) {
        TRY(result_note(ctx, result, NONSENS_NOTE_PROBLEM,
                        "There are only %" PRId64 " rows for %" PRId64
                        " variables: order and weights follow chance, and "
                        "the tests of residuals have no power. Use more rows, or fewer variables with --vars.",
                        data->n, data->d));
    }
    TRY(note_weights(ctx, order, result));
    return data->segments > 0 && result->options.pooling == POOLING_STRATIFIED
               ? result_note_skipped(ctx, result, check->skipped, check->min_rows)
               : NONSENS_OK;
}

nonsens_status lingam_discover(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                               nonsens_result *result)
{
    matrix x;
    lingam_order order;
    lingam_weights weights;
    lingam_check check;
    int64_t all[2];
    row_groups groups = dataset_groups(data, options, all);
    lingam_order_options ordering = {.threads = (int)options->threads};
    TRY(dataset_in_rank_order(ctx, a, data, &x));
    TRY(lingam_find_order(ctx, a, x, &ordering, &order));
    TRY(lingam_find_weights(ctx, a, &order, options->coefficients, options->alpha, ordering.threads, &weights));
    TRY(lingam_check_residuals(ctx, a, &order, &groups, options, &check));
    TRY(result_keep_order(ctx, result, data->column_rank, order.at));
    TRY(add_edges(ctx, a, data, &order, &weights, result));
    return report(ctx, data, &order, &check, result);
}
