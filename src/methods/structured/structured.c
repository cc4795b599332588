/*
 * structured.c - direction by structured segment likelihood (docs/structured.md; no publication is known to us).
 *
 * If x1 causes x2, what changes in the disturbance of x1 is a function of x1 alone.  A segment classifier with at least
 * one feature that sees x1 alone then loses nothing against a free one of the same rank; the reverse restriction does.
 * The rank r is found first; then k_j of the r features are restricted to variable j.  k_j is the rank of the
 * classifier of x_j alone, but at most 1 for r <= 2 and at most 2 for more; k_j = 0 means no restriction.  A smaller
 * k_j is as valid as a larger one, and does not need the exact rank of x_j alone.
 */
#include "methods/structured/structured.h"

#include "base/parallel.h"
#include "math/special.h"
#include "methods/shared/rank_search_features.h"
#include "methods/structured/structured_method.h"

#include <math.h>

static const double NEGLIGIBLE = 0.05; /* a loss below this share of the other direction's does not count */

/* ---- fits ---- */

static nonsens_status test_dependence(nonsens_context *ctx, structured *s)
{
    const rank_search *l = &s->search;
    hsic_options hsic = hsic_options_from(l->options, l->options->alpha, 0);
    hsic.time_order = l->time_order;
    hsic.min_shift = l->time.length;
    hsic.memory = l->time_order ? time_blocks_memory(&l->time) : 0.0;
    SCOPED_ARENA(scratch);
    TRY(hsic_test_scalars(ctx, &scratch, l->pair->n, l->inside[0], l->inside[1], l->pair->segments, l->inside_start,
                          &hsic, &s->dependence));
    if (s->dependence.segments_used == 0) { // without a test they do not count as independent
        s->dependence.p_value = NAN;
    }
    s->dependent = !(s->dependence.p_value > l->options->alpha);
    return NONSENS_OK;
}

/* For each variable j, own[j] features of the free fit of this rank are restricted to it. */
typedef struct restrictions {
    structured *s;
    int64_t rank, own[2];
    classifier_fit *fit[2];
} restrictions;

/* Job: variable j; if no feature is its own, there is nothing to fit. */
static nonsens_status restrict_job(nonsens_context *ctx, arena *scratch, int64_t j, void *state)
{
    const restrictions *to = state;
    structured *s = to->s;
    int own = (int)to->own[j];
    classifier_shape shape = {j == 0 ? own : 0, j == 1 ? own : 0, (int)to->rank - own};
    (void)scratch;
    return own == 0 ? NONSENS_OK
                    : s->search.features->fit_restricted(ctx, &s->memory[1 + j], &s->search, shape,
                                                         &s->free.fit[to->rank], to->fit[j]);
}

/* Fits both restrictions.  If the first one improves the free fit, the second one starts from that. */
static nonsens_status fit_restrictions(nonsens_context *ctx, arena *a, restrictions *to)
{
    structured *s = to->s;
    TRY(parallel_for(ctx, s->search.threads, 2, NULL, restrict_job, to));
    for (int64_t j = 0; j < 2; j++) {
        bool improved = false;
        TRY(to->own[j] == 0
                ? NONSENS_OK
                : s->search.features->improve(ctx, a, &s->search, to->fit[j], &s->free.fit[to->rank], &improved));
        TRY(improved && j == 0 ? restrict_job(ctx, NULL, 1, to) : NONSENS_OK);
    }
    return NONSENS_OK;
}

/*
 * Returns the nats per row by which held-out rows understate a loss: the free classifier pays for estimating what it
 * need not know (docs/structured.md, Proposition 5).  Slightly too large: fits for tests have the smaller penalty.
 */
static double cost_of_freedom(const structured *s, int j)
{
    double folds = (double)s->search.options->score_folds, mean = s->cause[j].loss.null_mean;
    return isnan(mean) ? 0.0 : mean * folds / (folds - 1.0) / (double)s->search.pair->n;
}

/*
 * Tests whether a direction is equivalent to the free classifier on held-out rows: the upper bound of its loss minus a
 * small share of the other direction's loss is below 0.  Likelihood ratios on all rows may also detect approximation
 * error, and do not overrule this.  The training rows of the folds overlap, so the error is widened as by Nadeau and
 * Bengio (Machine Learning 52, 2003).
 */
static nonsens_status test_equivalence(nonsens_context *ctx, arena *scratch, const structured *s, int j, bool *fits)
{
    const double *free = s->free.fit[s->rank].held_out, *other = s->cause[1 - j].held_out;
    double folds = (double)s->search.options->score_folds, *most;
    classifier_difference over = {0};
    ARENA_TRY(ctx, scratch, most, s->search.pair->n);
    for (int64_t i = 0; i < s->search.pair->n; i++) {
        most[i] = (1.0 - NEGLIGIBLE) * free[i] + NEGLIGIBLE * other[i];
    }
    rank_search_compare(&s->search, most, s->cause[j].held_out, &over);
    double error = over.error * sqrt(1.0 + folds / (folds - 1.0));
    double bias = cost_of_freedom(s, j) - NEGLIGIBLE * cost_of_freedom(s, 1 - j);
    *fits = over.mean + bias + error * special_normal_quantile(1.0 - 0.5 * s->search.options->alpha) < 0.0;
    return NONSENS_OK;
}

static nonsens_status judge(nonsens_context *ctx, structured *s, int j)
{
    SCOPED_ARENA(scratch);
    const classifier_difference *loss = &s->cause[j].loss;
    bool fits = loss->p_value > 0.5 * s->search.options->alpha;
    if (!fits) {
        TRY(test_equivalence(ctx, &scratch, s, j, &fits));
    }
    s->cause[j].verdict = fits ? FITS : loss->p_value > rank_search_level(&s->search) ? DOUBTFUL : REJECTED;
    return NONSENS_OK;
}

static nonsens_status judge_job(nonsens_context *ctx, arena *scratch, int64_t j, void *state)
{
    structured *s = state;
    structured_hypothesis *h = &s->cause[j];
    const classifier_fit *whole = &s->free.fit[s->rank];
    (void)scratch;
    h->held_out = whole->held_out;
    h->loss = (classifier_difference){.p_value = 1.0, .ratio = NAN, .null_mean = NAN};
    if (h->own > 0) {
        TRY(s->search.features->judge(ctx, &s->own_search[j], &h->fit, whole, &h->loss));
        h->held_out = h->fit.held_out;
    }
    return NONSENS_OK;
}

/* Compares the two directions at s->rank.  Either fit may improve the free one, so both precede any comparison. */
static nonsens_status compare_directions(nonsens_context *ctx, arena *a, structured *s)
{
    restrictions to = {.s = s, .rank = s->rank};
    int64_t max_own = s->rank > 2 ? 2 : 1;
    for (int j = 0; j < 2; j++) {
        s->cause[j].own = to.own[j] = s->alone[j].rank < max_own ? s->alone[j].rank : max_own;
        to.fit[j] = &s->cause[j].fit;
    }
    TRY(fit_restrictions(ctx, a, &to));
    TRY(parallel_for(ctx, s->search.threads, 2, NULL, judge_job, s));
    for (int j = 0; j < 2; j++) {
        TRY(judge(ctx, s, j));
    }
    rank_search_compare(&s->search, s->cause[0].held_out, s->cause[1].held_out, &s->between);
    return NONSENS_OK;
}

/*
 * Is only rank one certain, and does neither variable alone show all of it?  Both then change in proportion, or nearly.
 * With two features an exact proportion fits both directions, so comparing them at rank two errs on the safe side.  Not
 * so if segments are grouped: groups are mixtures of segments, so one way for segments is only nearly one for groups.
 */
static bool is_nearly_proportional(const structured *s)
{
    return !s->search.grouped && s->rank == 1 && s->cause[0].verdict == REJECTED && s->cause[1].verdict == REJECTED &&
           s->free.fitted > 1 && s->free.fit[2].held_out;
}

static nonsens_status step_done(nonsens_context *ctx, int64_t done)
{
    report_progress(ctx, "fitting segment classifiers", done, 4);
    return check_cancelled(ctx);
}

/* One job per variable: the ranks of the classifier of this variable alone; continues from those already found. */
static nonsens_status alone_job(nonsens_context *ctx, arena *scratch, int64_t j, void *state)
{
    structured *s = state;
    (void)scratch;
    return rank_search_ranks(ctx, &s->memory[1 + j], &s->own_search[j], j == 0 ? KIND_FIRST : KIND_SECOND,
                             s->rank > 2 ? s->rank - 1 : 1, &s->alone[j]);
}

/*
 * Jobs: the ranks of the free classifier; whether the variables depend on one another inside segments.  Threads that
 * would be idle meanwhile find the first rank of each variable alone, which is needed unless nothing changes.
 */
enum { FREE_JOBS = 2, FREE_AND_ALONE_JOBS = 4 };

static nonsens_status free_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    structured *s = state;
    return job == 0   ? rank_search_ranks(ctx, &s->memory[0], &s->search, KIND_BOTH, RANK_SEARCH_MAX_RANK + 1, &s->free)
           : job == 1 ? test_dependence(ctx, s)
                      : alone_job(ctx, scratch, job - FREE_JOBS, s);
}

/* Fits penalty, ranks, and the two directions. */
static nonsens_status fit_everything(nonsens_context *ctx, arena *a, structured *s)
{
    TRY(rank_search_new(ctx, a, s->pair, s->options, true, &s->search));
    for (int j = 0; j < 2; j++) { // with scratch of its own, since both run at the same time
        s->own_search[j] = s->search;
        ARENA_TRY(ctx, a, s->own_search[j].scratch, s->pair->n);
    }
    TRY(step_done(ctx, 1));
    int64_t jobs = parallel_threads(s->search.threads) > 1 ? FREE_AND_ALONE_JOBS : FREE_JOBS;
    TRY(parallel_for(ctx, s->search.threads, jobs, NULL, free_job, s));
    TRY(step_done(ctx, 2));
    s->rank = s->free.rank;
    if (s->rank == 0) {
        return NONSENS_OK;
    }
    TRY(parallel_for(ctx, s->search.threads, 2, NULL, alone_job, s));
    TRY(step_done(ctx, 3));
    TRY(compare_directions(ctx, a, s));
    if (is_nearly_proportional(s)) {
        s->rank = 2;
        TRY(compare_directions(ctx, a, s));
    }
    return step_done(ctx, 4);
}

/* Two jobs: the segment classifiers, and the mechanisms' opinion. */
static nonsens_status part_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    structured *s = state;
    (void)scratch;
    return job == 0 ? fit_everything(ctx, &s->memory[3], s) : structured_ask(ctx, s->pair, s->options, &s->opinion);
}

/*
 * Finds the better direction although only rank one is certain: it assumes rank two, which the model expects.
 */
static nonsens_status compare_at_two(nonsens_context *ctx, arena *a, structured *s)
{
    classifier_fit restricted[2];
    if (s->free.fitted < 2 || !s->free.fit[2].held_out) {
        return NONSENS_OK;
    }
    restrictions to = {s, 2, {1, 1}, {&restricted[0], &restricted[1]}};
    TRY(fit_restrictions(ctx, a, &to));
    rank_search_compare(&s->search, restricted[0].held_out, restricted[1].held_out, &s->between);
    s->at_rank_two = true;
    return NONSENS_OK;
}

static nonsens_status decide(nonsens_context *ctx, arena *a, structured *s, nonsens_result *result)
{
    TRY(parallel_for(ctx, (int)s->options->threads, s->asked ? 2 : 1, NULL, part_job, s));
    structured_decide(s, result);
    if (result->decision == DECISION_INCONCLUSIVE && s->rank < 2) {
        TRY(compare_at_two(ctx, a, s));
    }
    structured_name(s, result);
    TRY(structured_add_opinion(ctx, s, result));
    TRY(structured_say_reasoning(ctx, s, result));
    return structured_report(ctx, a, s, result);
}

nonsens_status structured_direction(nonsens_context *ctx, arena *a, const nonsens_data *pair,
                                    const nonsens_options *options, nonsens_result *result)
{
    structured *s;
    ARENA_TRY(ctx, a, s, 1);
    s->pair = pair;
    s->options = options;
    s->asked = options->opinions != OPINIONS_NONE;
    nonsens_status status = decide(ctx, a, s, result);
    for (int k = 0; k < STRUCTURED_ARENAS; k++) {
        arena_free(&s->memory[k]);
    }
    return status;
}

/*
 * Returns the bytes for rows, and for Fisher matrices and their factors.  With groups of segments, null distributions
 * need further numbers per row, and mechanisms some for each segment and coefficient.
 */
double structured_classifier_memory(const nonsens_options *options, double rows, int64_t segments)
{
    enum { NUMBERS_PER_ROW = 110, MATRICES = 15, RANK = 2, OF_GROUPS = 60, OF_SEGMENT = 2000 };
    bool grouped = segments > RANK_SEARCH_UNGROUPED;
    double basis = (double)rank_search_spline_basis(options, (int64_t)rows);
    double parameters = RANK * basis * basis + (RANK + 1) * (double)(grouped ? RANK_SEARCH_UNGROUPED : segments);
    double numbers = rows * NUMBERS_PER_ROW + MATRICES * parameters * parameters;
    return sizeof(double) * (numbers + (grouped ? rows * OF_GROUPS + (double)segments * OF_SEGMENT : 0.0));
}
