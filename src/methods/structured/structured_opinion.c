/*
 * structured_opinion.c - mechanisms as a second opinion on a pair.
 *
 * In either direction the cause has a mechanism without causes and the effect one with the cause (mechanism.h).  In the
 * true direction the two disturbances are independent inside segments.  In the other they are not, unless the pair is
 * one of those that fit both ways.  The disturbance of a row comes from the fit without the row's fold: a fit that has
 * seen the row leaves disturbances that are too independent, and p-values that are too large.
 */
#include "methods/structured/structured_opinion.h"

#include "math/sort.h"
#include "methods/structured_graph/structured_scores.h"

#include <math.h>

/* Returns the fit of node `effect` without causes (0) or with the other node as its cause (1). */
static const structured_score *find_score(const structured_scores *sc, int64_t effect, int64_t causes)
{
    int64_t cause = 1 - effect;
    return scores_get(sc, effect, causes, &cause);
}

static nonsens_status fit_both(nonsens_context *ctx, structured_scores *sc)
{
    for (int64_t causes = 0; causes < 2; causes++) { // the smaller fits first: the larger ones start from them
        for (int64_t effect = 0; effect < 2; effect++) {
            int64_t cause = 1 - effect;
            TRY(scores_want(ctx, sc, effect, causes, &cause));
        }
        TRY(scores_settle(ctx, sc, NULL));
    }
    return NONSENS_OK;
}

/* Computes v (n), the disturbance of every row by the fit without its fold; spare (n) is scratch. */
static nonsens_status held_out_disturbance(nonsens_context *ctx, const structured_scores *sc, int64_t effect,
                                           int64_t causes, double *spare, double *v)
{
    const mechanism_data *rows = &sc->rows;
    const structured_score *fit = find_score(sc, effect, causes);
    int64_t size = mechanism_size(rows, causes);
    for (int64_t k = 0; k < rows->folds; k++) {
        TRY(mechanism_disturbance(ctx, rows, effect, causes, fit->cause, fit->part[0].theta + (1 + k) * size, spare));
        for (int64_t i = rows->block[k]; i < rows->block[k + 1]; i++) {
            v[rows->row[i]] = spare[rows->row[i]];
        }
    }
    return NONSENS_OK;
}

/*
 * Tests the correlation of the disturbances inside segments.  Measurement error, hidden causes and slopes that differ
 * leave much of it.  A mechanism that is not flexible enough leaves little: it errs up and down along the cause.
 */
static nonsens_status correlate(nonsens_context *ctx, arena *a, const structured_scores *sc, double *const v[2],
                                structured_way *out)
{
    const nonsens_data *pair = sc->data;
    fisher_z_data data;
    int64_t *rows;
    double *rank[2], all = 0.0, memory = 1.0;
    ARENA_TRY(ctx, a, rows, pair->segments);
    for (int k = 0; k < 2; k++) {
        ARENA_TRY(ctx, a, rank[k], pair->n);
    }
    for (int64_t e = 0; e < pair->segments; e++) {
        int64_t start = pair->start[e], n = pair->start[e + 1] - start;
        for (int k = 0; k < 2; k++) {
            TRY(sort_ranks(ctx, a, n, v[k] + start, rank[k] + start));
            for (int64_t i = start; i < start + n; i++) {
                rank[k][i] -= 0.5 * (double)(n - 1);
            }
        }
    }
    if (sc->time_order) {
        TRY(time_blocks_joint_memory(ctx, a, pair, sc->time_order, rank[0], rank[1], &memory));
    }
    for (int64_t e = 0; e < pair->segments; e++) {
        rows[e] = (int64_t)floor((double)(pair->start[e + 1] - pair->start[e]) / memory); // effective number of rows
        all += (double)rows[e];
    }
    column_set columns = {pair->n, 2, (const double *const *)rank};
    TRY(fisher_z_new(ctx, a, &columns, &(row_groups){pair->segments, pair->start}, &data));
    data.rows = rows;
    fisher_z_result *r = &out->correlation;
    fisher_z_test(&data, 0, 1, 0, NULL, NULL, r);
    out->squared_correlation = all > 0.0 ? (r->statistic + r->heterogeneity - (double)r->groups_used) / all : 0.0;
    return NONSENS_OK;
}

static nonsens_status judge_way(nonsens_context *ctx, arena *a, const structured_scores *sc,
                                const nonsens_options *options, int64_t cause, structured_way *out)
{
    const nonsens_data *pair = sc->data;
    double *spare, *v[2];
    ARENA_TRY(ctx, a, spare, pair->n);
    for (int k = 0; k < 2; k++) {
        ARENA_TRY(ctx, a, v[k], pair->n);
        TRY(held_out_disturbance(ctx, sc, k == 0 ? cause : 1 - cause, k, spare, v[k]));
        TRY(scores_test_changes(ctx, a, sc, NULL, v[k], &out->location[k], &out->scale[k]));
    }
    out->explains = find_score(sc, 1 - cause, 1)->total > find_score(sc, 1 - cause, 0)->total;
    hsic_options test = hsic_options_from(options, 0.0, 0);
    test.null_kind = NULL_GAMMA;
    test.time_order = sc->time_order;
    test.min_shift = sc->time.length;
    test.memory = sc->time_order ? time_blocks_memory(&sc->time) : 0.0;
    TRY(hsic_test_scalars(ctx, a, pair->n, v[0], v[1], pair->segments, pair->start, &test, &out->dependence));
    const hsic_result *h = &out->dependence;
    out->excess = h->rows_used > 0 ? (h->statistic - h->mean) / (double)h->rows_used : NAN;
    return correlate(ctx, a, sc, v, out);
}

/* Compares the held-out log likelihoods: node 0 as the cause minus node 1 as the cause. */
static void compare_likelihoods(const structured_scores *sc, structured_opinion *out)
{
    const structured_score *fit[2][2];
    double sum = 0.0, squares = 0.0;
    for (int64_t effect = 0; effect < 2; effect++) {
        for (int64_t causes = 0; causes < 2; causes++) {
            fit[effect][causes] = find_score(sc, effect, causes);
        }
    }
    for (int64_t g = 0; g < sc->groups; g++) {
        double gain = fit[0][0]->group[g] + fit[1][1]->group[g] - fit[1][0]->group[g] - fit[0][1]->group[g];
        sum += gain;
        squares += gain * gain;
    }
    double groups = (double)sc->groups;
    double variance = sc->time.inflation * (squares - sum * sum / groups) * groups / (groups - 1.0);
    out->likelihood = sum / (double)sc->data->n;
    out->z = variance > 0.0 ? sum / sqrt(variance) : 0.0;
}

static nonsens_status ask(nonsens_context *ctx, arena *a, structured_scores *sc, const nonsens_options *options,
                          structured_opinion *out)
{
    TRY(fit_both(ctx, sc));
    for (int64_t cause = 0; cause < 2; cause++) {
        TRY(judge_way(ctx, a, sc, options, cause, &out->way[sc->data->column_rank[cause]]));
    }
    compare_likelihoods(sc, out);
    if (sc->data->column_rank[0] != 0) {
        out->likelihood = -out->likelihood;
        out->z = -out->z;
    }
    return NONSENS_OK;
}

nonsens_status structured_ask(nonsens_context *ctx, const nonsens_data *pair, const nonsens_options *options,
                              structured_opinion *out)
{
    SCOPED_ARENA(scratch);
    structured_scores sc = {0};
    nonsens_status status = structured_scores_new(ctx, &scratch, pair, options, NULL, &sc);
    status = status == NONSENS_OK ? ask(ctx, &scratch, &sc, options, out) : status;
    structured_scores_free(&sc);
    return status;
}
