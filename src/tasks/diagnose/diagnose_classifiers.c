/*
 * diagnose_classifiers.c - fits the segment classifiers that `diagnose` reports (diagnose_classifiers.h).
 *
 * Ranks, their tests and held-out gains are those by which `structured` decides.  Singular values are those of the
 * logits as a matrix of segments (weighted by their shares) by rows.  With centred weights A and features of
 * covariance V they are the roots of the eigenvalues of V^1/2 A' diag(pi) A V^1/2, for any parametrisation.  If the
 * rank exceeds two, the test of rank three is repeated with each segment left out in turn, from a new starting point
 * but with the penalty chosen on all segments.
 */
#include "tasks/diagnose/diagnose_classifiers.h"

#include "base/parallel.h"
#include "math/linalg.h"

#include <math.h>
#include <string.h>

enum {
    MIN_TO_LEAVE_OUT = 5, /* rank three is tested with at least four segments */
    MANY_SEGMENTS = 30,   /* with more segments, only STANDING_OUT of them are left out */
    STANDING_OUT = 10,
    DRAWS = 199
};
/* If the p-value of the score test is below this share of the level, no third feature is fitted. */
static const double CLEARLY_SO = 0.01;

/* ---- singular values ---- */

/* Computes the features (r, n) of all rows, centred. */
static nonsens_status centred_features(nonsens_context *ctx, arena *a, const classifier_model *m, const double *theta,
                                       double **out)
{
    const classifier_sample *s = m->data;
    ARENA_TRY(ctx, a, *out, m->rank * s->n);
    for (int64_t k = 0; k < s->folds; k++) {
        SCOPED_ARENA(work);
        TRY(model_features(ctx, &work, m, theta, k, *out));
    }
    for (int64_t j = 0; j < m->rank; j++) {
        double mean = 0.0, *feature = *out + j * s->n;
        for (int64_t i = 0; i < s->n; i++) {
            mean += feature[i] / (double)s->n;
        }
        for (int64_t i = 0; i < s->n; i++) {
            feature[i] -= mean;
        }
    }
    return NONSENS_OK;
}

/* Computes root (r, r), column-major, such that the covariance of the features is root root'. */
static nonsens_status covariance_root(nonsens_context *ctx, arena *a, int64_t r, int64_t n, const double *feature,
                                      double *root)
{
    double value[MODEL_MAX_RANK];
    linalg_gram(n, r, feature, n, root);
    TRY(linalg_eigen_symmetric(ctx, a, r, root, value));
    for (int64_t k = 0; k < r; k++) {
        for (int64_t j = 0; j < r; j++) {
            root[k * r + j] *= sqrt(fmax(value[k], 0.0) / (double)n);
        }
    }
    return NONSENS_OK;
}

/* Computes scaled (segments, r): centred weights of features of unit covariance, times the root of segment shares. */
static void scale_weights(const classifier_model *m, const double *theta, const double *root, double *scaled)
{
    const classifier_sample *s = m->data;
    int64_t r = m->rank;
    double mean[MODEL_MAX_RANK] = {0};
    for (int64_t e = 0; e < s->segments; e++) {
        for (int64_t j = 0; j < r; j++) {
            mean[j] += s->share[e] * theta[model_weight(m, e, j)];
        }
    }
    for (int64_t e = 0; e < s->segments; e++) {
        for (int64_t k = 0; k < r; k++) {
            for (int64_t j = 0; j < r; j++) {
                double weight = theta[model_weight(m, e, j)] - mean[j];
                scaled[k * s->segments + e] += sqrt(s->share[e]) * weight * root[k * r + j];
            }
        }
    }
}

nonsens_status diagnose_find_spectrum(nonsens_context *ctx, arena *a, const classifier_model *m, const double *theta,
                                      diagnose_spectrum *out)
{
    const classifier_sample *s = m->data;
    int64_t r = m->rank, segments = s->segments;
    double *feature, *scaled, root[MODEL_MAX_RANK * MODEL_MAX_RANK], square[MODEL_MAX_RANK],
        inner[MODEL_MAX_RANK * MODEL_MAX_RANK];
    *out = (diagnose_spectrum){.rank = r};
    ARENA_TRY(ctx, a, out->value, r);
    ARENA_TRY(ctx, a, out->part, r * segments);
    ARENA_TRY(ctx, a, scaled, r * segments);
    TRY(centred_features(ctx, a, m, theta, &feature));
    TRY(covariance_root(ctx, a, r, s->n, feature, root));
    scale_weights(m, theta, root, scaled);
    linalg_gram(segments, r, scaled, segments, inner);
    TRY(linalg_eigen_symmetric(ctx, a, r, inner, square));
    for (int64_t k = 0; k < r; k++) {
        const double *vector = inner + (r - 1 - k) * r;
        double size = fmax(square[r - 1 - k], 0.0);
        out->value[k] = sqrt(size);
        for (int64_t e = 0; e < segments; e++) {
            double along = 0.0;
            for (int64_t j = 0; j < r; j++) {
                along += scaled[j * segments + e] * vector[j];
            }
            out->part[k * segments + e] = size > 0.0 ? along * along / size : 0.0;
        }
    }
    return NONSENS_OK;
}

/*
 * Averages over the fits of the folds, which are smoothed for prediction.  The fit for tests is rougher: there, noise
 * would look like a second feature.
 */
static nonsens_status measure_proportion(nonsens_context *ctx, diagnose_classifiers *p)
{
    p->proportion = NAN;
    if (p->free.fitted < 2 || !p->free.fit[2].fold_theta) {
        return NONSENS_OK;
    }
    const classifier_fit *f = &p->free.fit[2];
    int64_t folds = f->model.data->folds;
    p->proportion = 0.0;
    for (int64_t k = 0; k < folds; k++) {
        SCOPED_ARENA(scratch);
        diagnose_spectrum s;
        TRY(diagnose_find_spectrum(ctx, &scratch, &f->fold_model[k], f->fold_theta[k], &s));
        p->proportion += s.value[0] > 0.0 ? s.value[1] / s.value[0] / (double)folds : 0.0;
    }
    return NONSENS_OK;
}

/* ---- without a segment ---- */

/* Copies the search's rows without those of one segment. */
static nonsens_status drop_segment(nonsens_context *ctx, arena *a, const rank_search *l, int64_t dropped,
                                   classifier_sample *out)
{
    int64_t segments = l->pair->segments - 1, first = l->start[dropped], past = l->start[dropped + 1], *start;
    double *warped[2];
    int32_t *fold;
    ARENA_TRY(ctx, a, start, segments + 1);
    for (int64_t e = 0; e <= segments; e++) {
        start[e] = e <= dropped ? l->start[e] : l->start[e + 1] - (past - first);
    }
    for (int j = 0; j < 2; j++) {
        ARENA_TRY(ctx, a, warped[j], start[segments]);
        memcpy(warped[j], l->warped[j], (size_t)first * sizeof(double));
        memcpy(warped[j] + first, l->warped[j] + past, (size_t)(start[segments] - first) * sizeof(double));
    }
    ARENA_TRY(ctx, a, fold, start[segments]);
    memcpy(fold, l->fold, (size_t)first * sizeof *fold);
    memcpy(fold + first, l->fold + past, (size_t)(start[segments] - first) * sizeof *fold);
    return classifier_sample_new(ctx, a, (const double *const *)warped, segments, start, fold, l->sample.folds,
                                 l->sample.basis, out);
}

static nonsens_status fit_once(nonsens_context *ctx, arena *a, const rank_search *l, const classifier_sample *rows,
                               int rank, classifier_fit *f)
{
    double lambda[] = {l->penalty.all, l->penalty.test};
    SCOPED_ARENA(work);
    TRY(fit_new(ctx, a, rows, (classifier_shape){0, 0, rank}, &l->penalty, f));
    TRY(fit_start_cold(ctx, &work, f));
    for (int pass = 0; pass < 2; pass++) {
        f->lambda = lambda[pass];
        TRY(fit_all(ctx, &work, 1, f));
    }
    return NONSENS_OK;
}

static nonsens_status leave_out_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const diagnose_classifiers *p = state;
    const rank_search *l = &p->search;
    classifier_difference *step = &p->without[job];
    compare_draws by = {.threads = 1,
                        .draws = DRAWS,
                        .seed = l->options->seed}; // inside a thread; blocks of these rows would have to be rebuilt
    classifier_sample rows;
    classifier_fit two, three;
    TRY(drop_segment(ctx, scratch, l, p->left_out[job], &rows));
    TRY(fit_once(ctx, scratch, l, &rows, EXPECTED_RANK, &two));
    TRY(compare_rank_score(ctx, scratch, &by, &two, step));
    // the score test may miss what the fit finds, so only its rejections count
    if (step->p_value < CLEARLY_SO * rank_search_level(l)) {
        return NONSENS_OK;
    }
    TRY(fit_once(ctx, scratch, l, &rows, EXPECTED_RANK + 1, &three));
    return compare_rank(ctx, scratch, &by, &two, &three, step);
}

/* Marks the segments to leave out: all or, of many, the STANDING_OUT with the largest shares of singular value 3. */
static nonsens_status mark_segments(nonsens_context *ctx, arena *a, const diagnose_classifiers *p, bool *marked)
{
    const classifier_fit *third = &p->free.fit[EXPECTED_RANK + 1];
    int64_t segments = p->search.pair->segments, count = segments > MANY_SEGMENTS ? STANDING_OUT : segments;
    diagnose_spectrum s;
    TRY(diagnose_find_spectrum(ctx, a, &third->model, third->theta, &s));
    const double *part = s.part + EXPECTED_RANK * segments;
    for (int64_t k = 0; k < count; k++) {
        int64_t best = -1;
        for (int64_t e = 0; e < segments; e++) {
            best = !marked[e] && (best < 0 || part[e] > part[best]) ? e : best;
        }
        marked[best] = true;
    }
    return NONSENS_OK;
}

static nonsens_status choose_segments(nonsens_context *ctx, arena *a, diagnose_classifiers *p)
{
    int64_t segments = p->search.pair->segments;
    bool *marked;
    int32_t *place; // (segments) index in the search of each segment of the data
    ARENA_TRY(ctx, a, marked, segments);
    ARENA_TRY(ctx, a, place, segments);
    ARENA_TRY(ctx, a, p->left_out, segments);
    TRY(mark_segments(ctx, a, p, marked));
    for (int64_t e = 0; e < segments; e++) {
        place[p->search.user_segment[e]] = (int32_t)e;
    }
    for (int64_t e = 0; e < segments; e++) {
        if (marked[place[e]]) {
            p->left_out[p->left_outs++] = place[e];
        }
    }
    return NONSENS_OK;
}

static nonsens_status leave_segments_out(nonsens_context *ctx, arena *a, diagnose_classifiers *p)
{
    if (p->free.rank <= EXPECTED_RANK || p->search.segments < MIN_TO_LEAVE_OUT || p->search.grouped) {
        return NONSENS_OK;
    }
    TRY(choose_segments(ctx, a, p));
    ARENA_TRY(ctx, a, p->without, p->left_outs);
    return parallel_for(ctx, p->search.threads, p->left_outs, "leaving segments out", leave_out_job, p);
}

/* ---- fits ---- */

static void measure_gain(const rank_search *l, const rank_search_outcome *r, classifier_difference *out)
{
    rank_search_compare(l, r->fit[r->rank > 0 ? r->rank : 1].held_out, l->chance, out);
}

static nonsens_status fit_ranks(nonsens_context *ctx, arena *a, diagnose_classifiers *p)
{
    static const char phase[] = "segment classifiers";
    enum { STEPS = 3 };
    const rank_search *l = &p->search;
    report_progress(ctx, phase, 0, STEPS);
    TRY(rank_search_ranks(ctx, a, l, KIND_BOTH, RANK_SEARCH_MAX_RANK + 1, &p->free));
    measure_gain(l, &p->free, &p->gain);
    for (int c = 0; c < 2; c++) {
        report_progress(ctx, phase, c + 1, STEPS);
        TRY(rank_search_ranks(ctx, a, l, l->user[0] == c ? KIND_FIRST : KIND_SECOND, RANK_SEARCH_MAX_RANK + 1,
                              &p->alone[c]));
        measure_gain(l, &p->alone[c], &p->gained[c]);
    }
    report_progress(ctx, phase, STEPS, STEPS);
    return check_cancelled(ctx);
}

nonsens_status diagnose_classify(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                 const nonsens_options *options, diagnose_classifiers *p)
{
    TRY(rank_search_new(ctx, a, pair, options, true, &p->search));
    for (int64_t e = 0; e < p->search.segments; e++) {
        p->entropy -= p->search.sample.share[e] * log(p->search.sample.share[e]);
    }
    TRY(fit_ranks(ctx, a, p));
    TRY(measure_proportion(ctx, p));
    return leave_segments_out(ctx, a, p);
}
