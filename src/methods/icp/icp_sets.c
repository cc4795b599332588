/*
 * icp_sets.c - invariant causal prediction: the test of one set, and the search over sets (Heinze-Deml, Peters,
 * Meinshausen, "Invariant causal prediction for nonlinear models", J. Causal Inference 6, 2018; sets and their
 * intersection: Peters, Buehlmann, Meinshausen, JRSS-B 78, 2016).
 *
 * A set S is accepted for target Y if Y - f(X_S) has the same distribution in all segments, where f is fitted over all
 * of them together.  With S* the causes of Y, and Y's noise the same in all segments, S* is accepted with probability
 * at least 1 - level, and then the intersection of all accepted sets holds causes only.
 *
 * Regression: Gaussian process (regress/gp.h).  Residuals are those of the fit itself.  Left-out and studentised
 * residuals were tried; they reject a true model as often or more often.
 *
 * Same distribution: `ks` is one test of all segments (Kiefer's k-sample statistic with permutations of labels); the
 * paper compares each segment with the rest and corrects for their number.  One test needs no correction, and has more
 * power.  `levene-rank` is Levene's test of scale and the Kruskal-Wallis test of location, p = min(1, 2 min(p1, p2)),
 * for k segments as the paper's Levene and Wilcoxon tests are for two.
 *
 * Rejections at .05 in 378 simulated pairs of ten segments (100 rows each; 512 rows: 108 pairs), y = f(x) + noise of
 * six mechanisms, x changing in mean, scale or both (two standard errors: .022; .042):
 *
 *                          one test   each against the rest   levene-rank
 *     y given x (true)     .050 .065        .042 .046          .029 .037
 *     x given y (false)    .905 .981        .878 .981          .992 1.00
 *     y alone (changes)    .95  .99         .93  .99           .99  1.00
 *
 * Distances compare sets whose p-values are both 0: ks, Kiefer's T over n; levene-rank, the larger of the shares of
 * variance between segments, of the distances from the medians and of the ranks.
 *
 * If the target's noise changes, an accepted set need not hold the causes.  If effects determine the target almost
 * fully, its residual is little more than their noise, which may stay the same.  The model also says that noise is
 * independent of the causes, and in such a case, inside segments, it often is not.  So the accepted sets are tested
 * once more: if for none of them the residual of the target is independent of the set inside segments (HSIC), the data
 * contradict the model.  This check is not in the paper and decides nothing: mechanisms that are not additive also fail
 * it, and the paper's rule often works for these.
 *
 * In this model a target changes only if its causes do.  An accepted set cannot be all that moves the target if none of
 * its members is seen to change over the segments by itself.  Most often it holds an effect that shows the change of
 * the target too faintly (`unmoved`).
 *
 * Sets are tested by size.  Once the intersection of the accepted sets is empty, nothing more can be said about the
 * target, and larger sets are left out.  If there are more than ICP_CANDIDATES other variables, candidates are those
 * that depend on the target most clearly inside segments (HSIC, at level alpha).
 */
#include "methods/icp/icp_sets.h"

#include "base/parallel.h"
#include "indep/hsic.h"
#include "indep/samples.h"
#include "regress/gp.h"

#include <math.h>
#include <string.h>

/* Streams of permutations.  All comparisons share one: each is exact by itself, and the order of sets has no effect. */
enum { SAMPLES_JOB = 1 << 20, SCREEN_JOB, NOISE_JOB };

nonsens_status icp_new(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                       icp_data *out)
{
    *out = (icp_data){.n = data->n, .d = data->d, .options = options};
    out->segments = (row_groups){data->segments, data->start};
    out->inside = dataset_groups(data, options, out->whole);
    ARENA_TRY(ctx, a, out->column, data->d);
    for (int64_t k = 0; k < data->d; k++) {
        out->column[k] = matrix_col(data->x, data->column_rank[k]);
    }
    return NONSENS_OK;
}

nonsens_status icp_new_without(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                               const bool *hit, icp_data *out)
{
    int64_t *start, kept = 0;
    TRY(icp_new(ctx, a, data, options, out));
    bool pooled = out->inside.start == out->whole;
    ARENA_TRY(ctx, a, start, data->segments + 1);
    for (int64_t e = 0; e < data->segments; e++) {
        if (!hit[e]) {
            start[kept + 1] = start[kept] + data->start[e + 1] - data->start[e];
            kept++;
        }
    }
    out->n = start[kept];
    for (int64_t k = 0; k < data->d; k++) {
        double *column;
        ARENA_TRY(ctx, a, column, out->n + 1);
        for (int64_t e = 0, at = 0; e < data->segments; e++) {
            int64_t rows = hit[e] ? 0 : data->start[e + 1] - data->start[e];
            memcpy(column + at, out->column[k] + data->start[e], (size_t)rows * sizeof *column);
            at += rows;
        }
        out->column[k] = column;
    }
    out->segments = (row_groups){kept, start};
    out->whole[1] = out->n;
    out->inside = pooled ? (row_groups){1, out->whole} : out->segments;
    return NONSENS_OK;
}

/* ---- one set --------------------------------------------------------------------------------------------------- */

static nonsens_status compare_segments(nonsens_context *ctx, arena *scratch, const icp_data *data, const double *v,
                                       enum samples_kind kind, samples_result *out)
{
    const nonsens_options *o = data->options;
    samples_options samples = {.kind = kind,
                               .null_kind = o->null_kind,
                               .permutations = o->permutations,
                               .permute_up_to = SAMPLES_PERMUTE_ROWS,
                               .seed = (uint64_t)o->seed,
                               .job = SAMPLES_JOB,
                               .threads = 1};
    return samples_test(ctx, scratch, v, &data->segments, &samples, out);
}

/* Share of the variance that lies between segments, from F or H. */
static double share_of(const samples_result *r, enum samples_kind kind)
{
    double groups = (double)r->groups_used, rows = (double)r->rows_used;
    if (r->groups_used < 2 || r->constant) {
        return 0.0;
    }
    if (kind == SAMPLES_KRUSKAL) {
        return r->statistic / (rows - 1.0);
    }
    double between = r->statistic * (groups - 1.0);
    return isinf(between) ? 1.0 : between / (between + rows - groups);
}

/* Finds the residual of the target given the set. */
static nonsens_status take_residuals(nonsens_context *ctx, arena *scratch, const icp_data *data, int64_t target,
                                     int64_t count, const int64_t *given, const double **v, bool *nothing_found)
{
    const double *column[ICP_CANDIDATES];
    column_set x = {data->n, count, column};
    gp_options gp = {.threads = 1};
    gp_fit fit = {0};
    *v = data->column[target];
    if (count == 0) {
        return NONSENS_OK;
    }
    for (int64_t k = 0; k < count; k++) {
        column[k] = data->column[given[k]];
    }
    TRY(gp_regress(ctx, scratch, scratch, &x, data->column[target], &gp, &fit));
    *v = fit.residual;
    *nothing_found = fit.all_noise;
    return NONSENS_OK;
}

nonsens_status icp_test(nonsens_context *ctx, arena *scratch, const icp_data *data, int64_t target, int64_t count,
                        const int64_t *given, icp_invariance *out)
{
    const double *v;
    samples_result ks, scale, location;
    *out = (icp_invariance){.tested = true};
    TRY(check_cancelled(ctx));
    TRY(take_residuals(ctx, scratch, data, target, count, given, &v, &out->nothing_found));
    if (data->options->invariance == INVARIANCE_KS) {
        TRY(compare_segments(ctx, scratch, data, v, SAMPLES_KS, &ks));
        out->p_value = ks.p_value;
        out->distance = ks.rows_used > 0 ? ks.statistic / (double)ks.rows_used : 0.0;
        out->skipped = ks.groups_skipped;
        return NONSENS_OK;
    }
    TRY(compare_segments(ctx, scratch, data, v, SAMPLES_LEVENE, &scale));
    TRY(compare_segments(ctx, scratch, data, v, SAMPLES_KRUSKAL, &location));
    out->p_value = fmin(1.0, 2.0 * fmin(scale.p_value, location.p_value));
    out->distance = fmax(share_of(&scale, SAMPLES_LEVENE), share_of(&location, SAMPLES_KRUSKAL));
    out->skipped = scale.groups_skipped;
    return NONSENS_OK;
}

nonsens_status icp_test_noise(nonsens_context *ctx, arena *scratch, const icp_data *data, int64_t target, int64_t count,
                              const int64_t *given, double *p_value)
{
    const double *v, *column[ICP_CANDIDATES];
    bool nothing_found;
    hsic_result test;
    hsic_options hsic = hsic_options_from(data->options, data->options->alpha, NOISE_JOB);
    hsic.threads = 1;
    TRY(check_cancelled(ctx));
    TRY(take_residuals(ctx, scratch, data, target, count, given, &v, &nothing_found));
    for (int64_t k = 0; k < count; k++) {
        column[k] = data->column[given[k]];
    }
    column_set x = {data->n, count, column}, y = {data->n, 1, &v};
    TRY(hsic_test(ctx, scratch, &x, &y, &data->segments, &hsic, &test));
    *p_value = test.segments_used > 0 ? test.p_value : NAN;
    return NONSENS_OK;
}

/* ---- sets ------------------------------------------------------------------------------------------------------ */

bool icp_was_tested(const icp_target *t, uint32_t set)
{
    return set == 0 ? t->alone.tested : t->set && t->set[set].tested;
}

static const icp_invariance *test_of(const icp_target *t, uint32_t set)
{
    return set == 0 ? &t->alone : &t->set[set];
}

int64_t icp_members(const icp_target *t, uint32_t set, int64_t member[ICP_CANDIDATES])
{
    int64_t count = 0;
    for (int64_t k = 0; k < t->candidates; k++) {
        if (set >> k & 1) {
            member[count++] = t->candidate[k];
        }
    }
    return count;
}

double icp_largest_p(const icp_target *t, int64_t candidate)
{
    double largest = 0.0;
    for (uint32_t set = 0; set < 1U << t->candidates; set++) {
        bool counts = candidate < 0 || !(set >> candidate & 1);
        if (counts && icp_was_tested(t, set)) {
            largest = fmax(largest, test_of(t, set)->p_value);
        }
    }
    return largest;
}

/* Counts the accepted sets of this size and updates their intersection and union. */
static void judge_size(icp_target *t, int64_t size, double level)
{
    for (uint32_t set = 0; set < 1U << t->candidates; set++) {
        if (__builtin_popcount(set) != size || !icp_was_tested(t, set)) {
            continue;
        }
        bool accepted = test_of(t, set)->p_value > level;
        t->tested++;
        t->accepted += accepted;
        t->common = accepted ? t->common & set : t->common;
        t->any |= accepted ? set : 0;
    }
    t->largest = size;
    t->stopped = t->accepted > 0 && t->common == 0;
}

/* ---- candidates ------------------------------------------------------------------------------------------------ */

/* How clearly two variables depend on one another: standard deviations above the mean under independence. */
typedef struct screen {
    const icp_data *data;
    bool *wanted;  /* (d) is it a target that is still open? */
    double *clear; /* (d, d) -infinity if no dependence is seen */
} screen;

static nonsens_status screen_row(nonsens_context *ctx, arena *scratch, int64_t a, void *state)
{
    const screen *s = state;
    const icp_data *data = s->data;
    hsic_options hsic = hsic_options_from(data->options, data->options->alpha, SCREEN_JOB);
    hsic.threads = 1;
    for (int64_t b = a + 1; b < data->d; b++) {
        column_set x = {data->n, 1, &data->column[a]}, y = {data->n, 1, &data->column[b]};
        hsic_result test;
        if (!s->wanted[a] && !s->wanted[b]) {
            continue;
        }
        TRY(check_cancelled(ctx));
        arena_mark mark = arena_tell(scratch);
        TRY(hsic_test(ctx, scratch, &x, &y, &data->inside, &hsic, &test));
        arena_rewind(scratch, mark);
        bool seen = test.segments_used > 0 && test.p_value <= data->options->alpha && test.variance > 0.0;
        double clear = seen ? (test.statistic - test.mean) / sqrt(test.variance) : -INFINITY;
        s->clear[a * data->d + b] = s->clear[b * data->d + a] = clear;
    }
    return NONSENS_OK;
}

/* Chooses the clearest candidates; the first of equals in canonical order. */
static void choose_candidates(const screen *s, icp_target *t)
{
    const double *clear = s->clear + t->variable * s->data->d;
    int64_t found[ICP_CANDIDATES], count = 0;
    for (int64_t v = 0; v < s->data->d; v++) {
        int64_t at;
        if (v == t->variable || isinf(clear[v])) {
            continue;
        }
        for (at = count; at > 0 && clear[v] > clear[found[at - 1]]; at--) {
            if (at < ICP_CANDIDATES) {
                found[at] = found[at - 1];
            }
        }
        if (at < ICP_CANDIDATES) {
            found[at] = v;
            count += count < ICP_CANDIDATES;
        }
    }
    for (int64_t v = 0; v < s->data->d; v++) {
        for (int64_t k = 0; k < count; k++) {
            if (found[k] == v) {
                t->candidate[t->candidates++] = v;
            }
        }
    }
    t->screened = true;
}

static nonsens_status screen_targets(nonsens_context *ctx, arena *a, const icp_data *data, int64_t targets,
                                     icp_target *target)
{
    screen s = {.data = data};
    ARENA_TRY(ctx, a, s.wanted, data->d);
    ARENA_TRY(ctx, a, s.clear, data->d * data->d);
    for (int64_t t = 0; t < targets; t++) {
        s.wanted[target[t].variable] = !target[t].stopped;
    }
    TRY(parallel_for(ctx, (int)data->options->threads, data->d, "screening variables", screen_row, &s));
    for (int64_t t = 0; t < targets; t++) {
        if (!target[t].stopped) {
            choose_candidates(&s, &target[t]);
        }
    }
    return NONSENS_OK;
}

/* Finds the candidates of targets that change by themselves. */
static nonsens_status find_candidates(nonsens_context *ctx, arena *a, const icp_data *data, int64_t targets,
                                      icp_target *target)
{
    bool screened = data->d - 1 > ICP_CANDIDATES;
    if (screened) {
        TRY(screen_targets(ctx, a, data, targets, target));
    }
    for (icp_target *t = target; t < target + targets; t++) {
        if (t->stopped) {
            continue;
        }
        for (int64_t v = 0; !screened && v < data->d; v++) {
            if (v != t->variable) {
                t->candidate[t->candidates++] = v;
            }
        }
        ARENA_TRY(ctx, a, t->set, 1 << t->candidates);
        t->common = (1U << t->candidates) - 1U;
    }
    return NONSENS_OK;
}

/* ---- search ---------------------------------------------------------------------------------------------------- */

typedef struct set_job {
    icp_target *target;
    uint32_t set;
} set_job;

typedef struct set_jobs {
    const icp_data *data;
    set_job *job;
    double *noise_p; /* (count) of run_noise_job */
    int64_t count;
} set_jobs;

static nonsens_status run_job(nonsens_context *ctx, arena *scratch, int64_t index, void *state)
{
    const set_jobs *jobs = state;
    icp_target *t = jobs->job[index].target;
    uint32_t set = jobs->job[index].set;
    int64_t member[ICP_CANDIDATES], count = icp_members(t, set, member);
    return icp_test(ctx, scratch, jobs->data, t->variable, count, member, set == 0 ? &t->alone : &t->set[set]);
}

static int64_t gather_jobs(int64_t targets, icp_target *target, int64_t size, set_job *job)
{
    int64_t count = 0;
    for (int64_t t = 0; t < targets; t++) {
        for (uint32_t set = 0; !target[t].stopped && set < 1U << target[t].candidates; set++) {
            if (__builtin_popcount(set) == size) {
                if (job) {
                    job[count] = (set_job){&target[t], set};
                }
                count++;
            }
        }
    }
    return count;
}

/* Tests all sets of this size for all targets that are still open. */
static nonsens_status test_size(nonsens_context *ctx, arena *a, const icp_data *data, int64_t size, double level,
                                int64_t targets, icp_target *target)
{
    set_jobs jobs = {.data = data, .count = gather_jobs(targets, target, size, NULL)};
    arena_mark mark = arena_tell(a);
    ARENA_TRY(ctx, a, jobs.job, jobs.count);
    gather_jobs(targets, target, size, jobs.job);
    TRY(parallel_for(ctx, (int)data->options->threads, jobs.count, "testing sets of causes", run_job, &jobs));
    arena_rewind(a, mark);
    for (int64_t t = 0; t < targets; t++) {
        if (!target[t].stopped && size <= target[t].candidates) {
            judge_size(&target[t], size, level);
        }
    }
    return NONSENS_OK;
}

static nonsens_status run_noise_job(nonsens_context *ctx, arena *scratch, int64_t index, void *state)
{
    const set_jobs *jobs = state;
    int64_t member[ICP_CANDIDATES], count = icp_members(jobs->job[index].target, jobs->job[index].set, member);
    return icp_test_noise(ctx, scratch, jobs->data, jobs->job[index].target->variable, count, member,
                          &jobs->noise_p[index]);
}

/* Collects the accepted sets, without the empty one, of targets with causes; counts them if job is NULL. */
static int64_t gather_accepted(int64_t targets, icp_target *target, double level, set_job *job)
{
    int64_t count = 0;
    for (int64_t t = 0; t < targets; t++) {
        for (uint32_t set = 1; target[t].accepted > 0 && target[t].common && set < 1U << target[t].candidates; set++) {
            if (icp_was_tested(&target[t], set) && target[t].set[set].p_value > level) {
                if (job) {
                    job[count] = (set_job){&target[t], set};
                }
                count++;
            }
        }
    }
    return count;
}

static nonsens_status test_noise(nonsens_context *ctx, arena *a, const icp_data *data, double level, int64_t targets,
                                 icp_target *target)
{
    set_jobs jobs = {.data = data, .count = gather_accepted(targets, target, level, NULL)};
    ARENA_TRY(ctx, a, jobs.job, jobs.count);
    ARENA_TRY(ctx, a, jobs.noise_p, jobs.count);
    gather_accepted(targets, target, level, jobs.job);
    TRY(parallel_for(ctx, (int)data->options->threads, jobs.count, "testing what is left", run_noise_job, &jobs));
    for (int64_t t = 0; t < targets; t++) {
        target[t].noise_p = NAN;
    }
    for (int64_t k = 0; k < jobs.count; k++) {
        jobs.job[k].target->noise_p = fmax(jobs.job[k].target->noise_p, jobs.noise_p[k]); // fmax ignores NaN
    }
    return NONSENS_OK;
}

/* ---- what moves a target --------------------------------------------------------------------------------------- */

typedef struct moving {
    const icp_data *data;
    bool *moves; /* (d) */
    double level;
} moving;

static nonsens_status test_alone(nonsens_context *ctx, arena *scratch, int64_t variable, void *state)
{
    const moving *m = state;
    icp_invariance alone;
    TRY(icp_test(ctx, scratch, m->data, variable, 0, NULL, &alone));
    m->moves[variable] = alone.p_value <= m->level;
    return NONSENS_OK;
}

static nonsens_status find_unmoved(nonsens_context *ctx, arena *a, const icp_data *data, double level, int64_t targets,
                                   icp_target *target)
{
    moving m = {.data = data, .level = level};
    set_jobs jobs = {.count = gather_accepted(targets, target, level, NULL)};
    if (jobs.count == 0) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, a, m.moves, data->d);
    ARENA_TRY(ctx, a, jobs.job, jobs.count);
    gather_accepted(targets, target, level, jobs.job);
    TRY(parallel_for(ctx, (int)data->options->threads, data->d, NULL, test_alone, &m));
    for (int64_t k = 0; k < jobs.count; k++) {
        icp_target *t = jobs.job[k].target;
        int64_t member[ICP_CANDIDATES], count = icp_members(t, jobs.job[k].set, member);
        bool moves = false;
        for (int64_t i = 0; i < count; i++) {
            moves = moves || m.moves[member[i]];
        }
        t->unmoved = t->unmoved || !moves;
    }
    return NONSENS_OK;
}

nonsens_status icp_search(nonsens_context *ctx, arena *a, const icp_data *data, int64_t max_size, double level,
                          int64_t targets, icp_target *target)
{
    TRY(test_size(ctx, a, data, 0, level, targets, target)); // no target has candidates yet
    TRY(find_candidates(ctx, a, data, targets, target));
    for (int64_t size = 1; size <= max_size && size <= ICP_CANDIDATES; size++) {
        TRY(test_size(ctx, a, data, size, level, targets, target));
    }
    TRY(find_unmoved(ctx, a, data, level, targets, target));
    return test_noise(ctx, a, data, level, targets, target);
}
