/* disturbances_spline.c - logits and Jacobians of a segment classifier of rank two on splines, out of fold. */
#include "methods/nonsens/disturbances_spline.h"

#include "math/spline.h"

enum { RANK = 2, CORNER = 4 /* B-splines of one variable that are not zero at a point */ };

/* Fits rank two even if the search for the rank stopped before it, because the methods always need two features. */
static nonsens_status fit_rank_two(nonsens_context *ctx, arena *a, const rank_search *l, classifier_fit *f)
{
    SCOPED_ARENA(scratch);
    TRY(fit_new(ctx, a, &l->sample, (classifier_shape){0, 0, RANK}, &l->penalty, f));
    TRY(fit_start_cold(ctx, &scratch, f));
    TRY(fit_all(ctx, &scratch, l->threads, f));
    arena_free(&scratch);
    return fit_folds(ctx, a, l->threads, f);
}

nonsens_status spline_fit_new(nonsens_context *ctx, arena *a, const nonsens_data *pair, const nonsens_options *options,
                              disturbances_spline *out)
{
    rank_search_outcome *found;
    *out = (disturbances_spline){0};
    ARENA_TRY(ctx, a, found, 1);
    TRY(rank_search_new(ctx, a, pair, options, false, &out->search));
    TRY(rank_search_ranks(ctx, a, &out->search, KIND_BOTH, RANK, found));
    if (found->fitted < RANK || !found->fit[RANK].fold_theta) {
        TRY(fit_rank_two(ctx, a, &out->search, &found->fit[RANK]));
    }
    out->fit = &found->fit[RANK];
    out->rank = found->rank;
    return NONSENS_OK;
}

/* ---- rows ---- */

/* The two features at one row, by the coefficients of one fold: values, and slopes by each variable. */
typedef struct feature_pair {
    double value[RANK], slope[RANK][2];
} feature_pair;

static void features_at(const classifier_model *m, const double *theta, double first, double second, feature_pair *out)
{
    double value[2][CORNER], slope[2][CORNER];
    int64_t basis = m->data->basis;
    int64_t corner = sample_spline(basis, first, value[0]) * basis + sample_spline(basis, second, value[1]);
    spline_cubic_slopes(basis, first, slope[0]);
    spline_cubic_slopes(basis, second, slope[1]);
    *out = (feature_pair){{0}, {{0}}};
    for (int64_t f = 0; f < RANK; f++) {
        for (int64_t b = 0; b < CORNER; b++) {
            for (int64_t c = 0; c < CORNER; c++) {
                double coefficient = theta[m->place[f * basis * basis + corner + b * basis + c]];
                out->value[f] += coefficient * value[0][b] * value[1][c];
                out->slope[f][0] += coefficient * slope[0][b] * value[1][c];
                out->slope[f][1] += coefficient * value[0][b] * slope[1][c];
            }
        }
    }
}

void spline_fit_logits(const disturbances_spline *s, double *logits)
{
    const rank_search *l = &s->search;
    int64_t segments = l->pair->segments;
    feature_pair at;
    for (int64_t fold = 0; fold < l->sample.folds; fold++) {
        const classifier_model *m = &s->fit->fold_model[fold];
        const double *theta = s->fit->fold_theta[fold];
        for (int64_t i = l->sample.block[fold]; i < l->sample.block[fold + 1]; i++) {
            int64_t row = l->sample.row[i];
            double *out = logits + l->user_row[row] * segments;
            features_at(m, theta, l->warped[0][row], l->warped[1][row], &at);
            for (int64_t e = 0; e < segments; e++) {
                const double *weight = theta + model_weight(m, e, 0);
                out[l->user_segment[e]] = weight[0] * at.value[0] + weight[1] * at.value[1] + weight[RANK];
            }
        }
    }
}

/* Computes along[k][f] = sum_e direction_ke a_ef: how much of feature f is in direction k. */
static void features_along(const disturbances_spline *s, int64_t fold, const double *direction, double along[2][RANK])
{
    const classifier_model *m = &s->fit->fold_model[fold];
    const double *theta = s->fit->fold_theta[fold];
    int64_t segments = s->search.pair->segments;
    for (int64_t k = 0; k < 2; k++) {
        for (int64_t f = 0; f < RANK; f++) {
            along[k][f] = 0.0;
            for (int64_t e = 0; e < segments; e++) {
                along[k][f] += direction[k * segments + s->search.user_segment[e]] * theta[model_weight(m, e, f)];
            }
        }
    }
}

void spline_fit_jacobian(const disturbances_spline *s, const double *direction, double *const slope[2][2])
{
    const rank_search *l = &s->search;
    feature_pair at;
    double along[2][RANK];
    for (int64_t fold = 0; fold < l->sample.folds; fold++) {
        const classifier_model *m = &s->fit->fold_model[fold];
        const double *theta = s->fit->fold_theta[fold];
        features_along(s, fold, direction, along);
        for (int64_t i = l->sample.block[fold]; i < l->sample.block[fold + 1]; i++) {
            int64_t row = l->sample.row[i];
            features_at(m, theta, l->warped[0][row], l->warped[1][row], &at);
            for (int64_t k = 0; k < 2; k++) {
                for (int64_t j = 0; j < 2; j++) {
                    slope[k][j][l->user_row[row]] = along[k][0] * at.slope[0][j] + along[k][1] * at.slope[1][j];
                }
            }
        }
    }
}
