/*
 * samples.c - k-sample tests of a scalar: same distribution, same spread, same location.
 *
 * Kolmogorov-Smirnov: Kiefer's T (samples_ks.c); asymptotic distribution of k - 1 components (math/kiefer.h), exact for
 * two groups of few rows.  Levene: z = |v - median of the group|, one-way F test of z with k - 1 and n - k degrees of
 * freedom (Levene 1960; median and trimmed mean: Brown and Forsythe, JASA 69, 1974.  As there, every row enters, also
 * those that the trimmed mean leaves out; SciPy drops them).  Kruskal and Wallis (JASA 47, 1952): mid-ranks, H over
 * 1 - sum (t^3 - t) / (n^3 - n), chi-square with k - 1 degrees of freedom.
 *
 * Permutations of the labels of all rows: exact for KS and Kruskal-Wallis; Levene permutes z, whose medians were
 * estimated before, which is right if groups have many rows.  F and H grow with sum_e n_e (mean of scores)^2, which is
 * compared in their place.
 *
 * Size at .05 and .01 of the tests without permutations, 1,000 repetitions of Laplace noise (two standard errors: .014
 * and .006); with few rows a group the limit of T is conservative, and permutations are the better choice:
 *
 *     rows a group, groups      10, 2      10, 5      10, 10     100, 2     100, 5     100, 10    1000, 2    1000, 10
 *     Kolmogorov-Smirnov     .011 .001  .026 .000  .027 .002  .036 .010  .037 .009  .032 .006  .056 .006  .050 .008
 *     Levene                 .042 .007  .042 .007  .043 .010  .042 .004  .040 .011  .047 .008  .055 .009  .060 .010
 *     Kruskal-Wallis         .050 .004  .046 .007  .035 .004  .050 .008  .043 .007  .039 .008  .052 .009  .056 .006
 *
 * (Two groups of ten rows: D takes few values, and an exact test has about .011 there.)
 */
#include "indep/samples.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "indep/samples_internal.h"
#include "math/column.h"
#include "math/kiefer.h"
#include "math/sort.h"
#include "math/special.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { PERMUTATIONS_PER_JOB = 8 };

static const double ROUNDING = 1e-10; /* T* this close below T, relative to T, counts as a tie */

/* ---- the rows that enter -------------------------------------------------------------------------------------- */

typedef struct rows_used {
    int64_t n, groups;
    double *value;  /* (n) by group */
    int64_t *start; /* (groups + 1) */
    int64_t *size;  /* (groups) */
} rows_used;

static nonsens_status check_input(nonsens_context *ctx, const double *v, const row_groups *groups,
                                  const samples_options *options)
{
    for (int64_t e = 0; e < groups->count; e++) {
        if (groups->start[e] < 0 || groups->start[e] > groups->start[e + 1]) {
            return fail(ctx, NONSENS_ERR_USAGE,
                        "k-sample test: group %" PRId64 " has no sorted bounds; pass sorted bounds", e + 1);
        }
        for (int64_t i = groups->start[e]; i < groups->start[e + 1]; i++) {
            if (!isfinite(v[i])) {
                return fail(ctx, NONSENS_ERR_DATA,
                            "k-sample test: the value in row %" PRId64 " is not finite; drop the row", i + 1);
            }
        }
    }
    if (options->null_kind == NULL_PERMUTATION && options->permutations < 1) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "k-sample test: a permutation null needs at least one permutation; ask for 199 or more");
    }
    return NONSENS_OK;
}

/* Collects the rows of groups with at least min_rows rows. */
static nonsens_status collect_rows(nonsens_context *ctx, arena *scratch, const double *v, const row_groups *groups,
                                   int64_t min_rows, rows_used *out)
{
    int64_t all = groups->count > 0 ? groups->start[groups->count] - groups->start[0] : 0;
    ARENA_TRY(ctx, scratch, out->value, all);
    ARENA_TRY(ctx, scratch, out->start, groups->count + 1);
    ARENA_TRY(ctx, scratch, out->size, groups->count);
    for (int64_t e = 0; e < groups->count; e++) {
        int64_t rows = groups->start[e + 1] - groups->start[e];
        if (rows < min_rows) {
            continue;
        }
        for (int64_t i = 0; i < rows; i++) {
            out->value[out->n + i] = v[groups->start[e] + i];
        }
        out->size[out->groups++] = rows;
        out->start[out->groups] = out->n += rows;
    }
    return NONSENS_OK;
}

/* ---- scores --------------------------------------------------------------------------------------------------- */

/* Returns the mean of the middle rows of sorted (n), with `cut` left out at either end. */
static double middle_mean(int64_t n, const double *sorted, int64_t cut)
{
    double sum = 0.0;
    for (int64_t i = cut; i < n - cut; i++) {
        sum += sorted[i];
    }
    return sum / (double)(n - 2 * cut);
}

/* Replaces values by distances from the group's median, scaled so that nothing overflows; 0 in a constant group. */
static nonsens_status take_distances(nonsens_context *ctx, arena *scratch, const rows_used *r)
{
    double factor = column_factor_of(r->n, r->value);
    for (int64_t i = 0; i < r->n; i++) {
        r->value[i] *= factor;
    }
    for (int64_t e = 0; e < r->groups; e++) {
        double *v = r->value + r->start[e], *sorted;
        arena_mark mark = arena_tell(scratch);
        TRY(sort_copy(ctx, scratch, r->size[e], v, &sorted));
        double middle = middle_mean(r->size[e], sorted, (r->size[e] - 1) / 2);
        bool constant = sorted[0] == sorted[r->size[e] - 1]; // the mean of equal values may be off by rounding
        for (int64_t i = 0; i < r->size[e]; i++) {
            v[i] = constant ? 0.0 : fabs(v[i] - middle);
        }
        arena_rewind(scratch, mark);
    }
    return NONSENS_OK;
}

static nonsens_status sort_rows(nonsens_context *ctx, arena *scratch, const rows_used *r, samples_sorted *s)
{
    sort_entry *entry, *spare;
    int64_t *group, n = r->n; // (n) of every row
    *s = (samples_sorted){.n = n, .groups = r->groups, .size = r->size};
    ARENA_TRY(ctx, scratch, s->score, n);
    ARENA_TRY(ctx, scratch, s->label, n);
    ARENA_TRY(ctx, scratch, s->last, n);
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, entry, n);
    ARENA_TRY(ctx, scratch, spare, n);
    ARENA_TRY(ctx, scratch, group, n);
    for (int64_t e = 0; e < r->groups; e++) {
        for (int64_t i = r->start[e]; i < r->start[e + 1]; i++) {
            group[i] = e;
        }
    }
    sort_column(r->value, n, entry, spare); // stable: equal values are in the order of groups
    for (int64_t i = 0; i < n; i++) {
        s->score[i] = r->value[entry[i].row];
        s->label[i] = group[entry[i].row];
        s->last[i] = i + 1 == n || entry[i + 1].key != entry[i].key;
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

/* Replaces scores by mid-ranks minus their mean; returns the sum of t^3 - t over runs of ties. */
static double take_ranks(samples_sorted *s)
{
    double ties = 0.0;
    for (int64_t first = 0, end; first < s->n; first = end) {
        for (end = first + 1; !s->last[end - 1]; end++) {
        }
        double t = (double)(end - first);
        ties += t * t * t - t;
        for (int64_t i = first; i < end; i++) {
            s->score[i] = 0.5 * (double)(first + end - s->n); // (first + end + 1) / 2 - (n + 1) / 2
        }
    }
    return ties;
}

/* ---- statistics ----------------------------------------------------------------------------------------------- */

typedef struct workspace {
    int64_t *label, *count; /* (n), (groups) */
    double *sum;            /* (groups) */
} workspace;

static nonsens_status workspace_get(nonsens_context *ctx, arena *a, const samples_sorted *s, workspace *w)
{
    ARENA_TRY(ctx, a, w->label, s->n);
    ARENA_TRY(ctx, a, w->count, s->groups);
    ARENA_TRY(ctx, a, w->sum, s->groups);
    return NONSENS_OK;
}

/* Returns sum_e n_e (mean of group e)^2 for scores of mean zero. */
static double between_groups(const samples_sorted *s, const int64_t *label, double *sum)
{
    double total = 0.0;
    memset(sum, 0, (size_t)s->groups * sizeof *sum);
    for (int64_t i = 0; i < s->n; i++) {
        sum[label[i]] += s->score[i];
    }
    for (int64_t e = 0; e < s->groups; e++) {
        total += sum[e] * sum[e] / (double)s->size[e];
    }
    return total;
}

static double raw_statistic(const samples_sorted *s, enum samples_kind kind, const int64_t *label, workspace *w)
{
    return kind == SAMPLES_KS ? samples_ks_statistic(s, label, w->count) : between_groups(s, label, w->sum);
}

/* Runs Levene's test on scores that are distances from the medians, and centres them. */
static void levene_test(samples_sorted *s, workspace *w, samples_result *out)
{
    double k = (double)s->groups, n = (double)s->n, mean = middle_mean(s->n, s->score, 0);
    double within = 0.0, lo = INFINITY, hi = 0.0;
    for (int64_t i = 0; i < s->n; i++) {
        s->score[i] -= mean;
    }
    double between = between_groups(s, s->label, w->sum);
    for (int64_t i = 0; i < s->n; i++) {
        double rest = s->score[i] - w->sum[s->label[i]] / (double)s->size[s->label[i]];
        within += rest * rest;
    }
    for (int64_t e = 0; e < s->groups; e++) {
        double spread = fmax(mean + w->sum[e] / (double)s->size[e], 0.0);
        lo = fmin(lo, spread);
        hi = fmax(hi, spread);
    }
    bool nothing_within = within <= 64.0 * DBL_EPSILON * DBL_EPSILON * n * mean * mean;
    out->effect = lo > DBL_EPSILON * hi ? hi / lo : INFINITY;
    out->statistic = nothing_within ? INFINITY : between / (k - 1.0) / (within / (n - k));
    out->p_value = special_f_tail(k - 1.0, n - k, out->statistic);
}

static void kruskal_test(samples_sorted *s, workspace *w, samples_result *out)
{
    double n = (double)s->n, ties = take_ranks(s), between = between_groups(s, s->label, w->sum);
    double lo = INFINITY, hi = -INFINITY;
    for (int64_t e = 0; e < s->groups; e++) {
        lo = fmin(lo, w->sum[e] / (double)s->size[e]);
        hi = fmax(hi, w->sum[e] / (double)s->size[e]);
    }
    out->effect = (hi - lo) / n;
    out->statistic = 12.0 / (n * (n + 1.0)) * between / (1.0 - ties / (n * n * n - n));
    out->p_value = special_chi2_tail((double)(s->groups - 1), out->statistic);
}

/* ---- permutations --------------------------------------------------------------------------------------------- */

typedef struct permuting {
    const samples_sorted *sorted;
    const samples_options *options;
    double *values; /* (permutations) */
} permuting;

static nonsens_status run_permutations(nonsens_context *ctx, arena *local, int64_t job, void *state)
{
    const permuting *p = state;
    const samples_options *o = p->options;
    const samples_sorted *s = p->sorted;
    workspace w;
    TRY(workspace_get(ctx, local, s, &w));
    for (int64_t b = job * PERMUTATIONS_PER_JOB; b < (job + 1) * PERMUTATIONS_PER_JOB && b < o->permutations; b++) {
        rng r = rng_new(o->seed, RNG_PERMUTATION, (o->job << 32) + (uint64_t)b);
        memcpy(w.label, s->label, (size_t)s->n * sizeof *w.label);
        rng_shuffle(&r, s->n, w.label);
        p->values[b] = raw_statistic(s, o->kind, w.label, &w);
        TRY(check_cancelled(ctx));
    }
    return NONSENS_OK;
}

static nonsens_status permutation_p(nonsens_context *ctx, arena *scratch, const samples_sorted *s, workspace *w,
                                    const samples_options *options, samples_result *out)
{
    permuting p = {.sorted = s, .options = options};
    int64_t jobs = (options->permutations + PERMUTATIONS_PER_JOB - 1) / PERMUTATIONS_PER_JOB, above = 0;
    double observed = raw_statistic(s, options->kind, s->label, w);
    ARENA_TRY(ctx, scratch, p.values, options->permutations);
    TRY(parallel_for(ctx, options->threads, jobs, NULL, run_permutations, &p));
    for (int64_t b = 0; b < options->permutations; b++) {
        above += p.values[b] >= observed * (1.0 - ROUNDING);
    }
    out->p_value = (1.0 + (double)above) / (1.0 + (double)options->permutations);
    out->by_permutation = true;
    out->exact = false;
    return NONSENS_OK;
}

/* ---- the test ------------------------------------------------------------------------------------------------- */

/*
 * Kiefer's distribution rejects too rarely if groups are small: ten groups of 10 or 100 rows have size .03 at .05.  A
 * p-value from it that is smaller than permutations can resolve is good enough.
 */
static bool wants_permutations(const samples_options *o, const samples_result *out)
{
    bool helps = o->kind == SAMPLES_KS && !out->exact && out->rows_used <= o->permute_up_to && o->permutations > 0 &&
                 out->p_value * (double)(o->permutations + 1) > 1.0;
    bool nothing_within = isinf(out->statistic) && o->permutations > 0; // F has no denominator
    return o->null_kind == NULL_PERMUTATION || helps || nothing_within;
}

static nonsens_status test_rows(nonsens_context *ctx, arena *scratch, const rows_used *r,
                                const samples_options *options, samples_result *out)
{
    samples_sorted s;
    workspace w;
    if (options->kind == SAMPLES_LEVENE) {
        TRY(take_distances(ctx, scratch, r));
    }
    TRY(sort_rows(ctx, scratch, r, &s));
    TRY(workspace_get(ctx, scratch, &s, &w));
    if (s.score[0] == s.score[s.n - 1]) {
        out->constant = true;
        out->effect = options->kind == SAMPLES_LEVENE ? 1.0 : 0.0;
        return NONSENS_OK;
    }
    if (options->kind == SAMPLES_KS) {
        out->statistic = samples_ks_statistic(&s, s.label, w.count);
        out->effect = samples_ks_effect(&s, w.count);
        out->p_value = kiefer_tail(s.groups - 1, out->statistic);
        out->exact = s.groups == 2 && s.size[0] <= SAMPLES_EXACT / s.size[1];
        if (out->exact) {
            TRY(samples_ks_exact(ctx, scratch, &s, &out->p_value));
        }
    } else if (options->kind == SAMPLES_LEVENE) {
        levene_test(&s, &w, out);
    } else {
        kruskal_test(&s, &w, out);
    }
    return wants_permutations(options, out) ? permutation_p(ctx, scratch, &s, &w, options, out) : NONSENS_OK;
}

nonsens_status samples_test(nonsens_context *ctx, arena *scratch, const double *v, const row_groups *groups,
                            const samples_options *options, samples_result *out)
{
    rows_used rows = {0};
    *out = (samples_result){.p_value = 1.0, .effect = options->kind == SAMPLES_LEVENE ? 1.0 : 0.0};
    TRY(check_input(ctx, v, groups, options));
    arena_mark mark = arena_tell(scratch);
    TRY(collect_rows(ctx, scratch, v, groups, options->kind == SAMPLES_LEVENE ? 3 : 2, &rows));
    out->rows_used = rows.n;
    out->groups_used = rows.groups;
    out->groups_skipped = groups->count - rows.groups;
    if (rows.groups >= 2) {
        TRY(test_rows(ctx, scratch, &rows, options, out));
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}
