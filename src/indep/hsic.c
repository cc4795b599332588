/*
 * hsic.c - the HSIC test of independence, pooled or stratified.
 *
 * Statistic: n HSIC_b = (1/n) tr(K H L H) = (1/n) ||F_x F_y'||^2 with the centred factors of kernel.c (Gretton,
 * Bousquet, Smola, Schoelkopf 2005; Gretton, Fukumizu, Teo, Song, Schoelkopf, Smola 2007).
 *
 * Null: this differs from the 2007 paper, which fits a gamma distribution to asymptotic estimates of mean and
 * variance.  Here mean, variance and third moment are those of T over all n! permutations of the rows.  They are known
 * exactly for tr(A P B P') with centred A and B (Kazi-Aoual, Hitier, Sabatier, Lebreton, "Refined approximations to
 * permutation tests for multivariate inference", Computational Statistics & Data Analysis 20, 1995) and need only
 * traces, diagonals and a sum of cubes, O(n r^2) to O(n r^3) from the factors.  A gamma distribution with a shift
 * (Pearson type III) matches all three.  Measured under independence, Laplace noise, Kolmogorov-Smirnov distance of
 * p-values from uniform and size at .0125, 4,000 repetitions of the n x n forms: 100 rows, 2007 moments .055 and .0158,
 * exact mean and variance .044 and .0152, all three .016 and .0115; ten segments of ten rows, .370 and .0132, .015 and
 * .0127, .017 and .0110.
 *
 * Permutations: hsic_permute.c; sums of chi-square variables: hsic_spectral.c.  Groups run in parallel, a single group
 * in blocks of rows; every group writes to its own memory, and sums are taken in order.
 */
#include "indep/hsic.h"

#include "base/parallel.h"
#include "indep/hsic_internal.h"
#include "math/special.h"

#include <inttypes.h>
#include <math.h>

static const double MIN_REACHED = 10.0; /* permutations expected at or below the level, if they are to refine it */

typedef struct test_state {
    column_set points[2];
    const row_groups *groups;
    const hsic_options *options;
    hsic_stratum *strata; /* (groups) */
} test_state;

static nonsens_status check_values(nonsens_context *ctx, const column_set *points)
{
    for (int64_t j = 0; j < points->d; j++) {
        for (int64_t i = 0; i < points->n; i++) {
            if (!isfinite(points->v[j][i])) {
                return fail(ctx, NONSENS_ERR_DATA, "HSIC: a value in row %" PRId64 " is not finite; drop the row",
                            i + 1);
            }
        }
    }
    return NONSENS_OK;
}

static nonsens_status check_input(nonsens_context *ctx, const test_state *t)
{
    const int64_t n = t->points[0].n, *start = t->groups->start;
    if (t->points[1].n != n) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "HSIC: x has %" PRId64 " rows and y %" PRId64 "; both need a value in every row", n,
                    t->points[1].n);
    }
    TRY(check_values(ctx, &t->points[0]));
    TRY(check_values(ctx, &t->points[1]));
    for (int64_t e = 0; e < t->groups->count; e++) {
        if (start[e] < 0 || start[e] > start[e + 1] || start[e + 1] > n) {
            return fail(ctx, NONSENS_ERR_USAGE,
                        "HSIC: segment %" PRId64 " has bounds outside the %" PRId64 " rows; pass sorted bounds", e + 1,
                        n);
        }
    }
    if (t->options->null_kind == NULL_PERMUTATION && t->options->permutations < 1) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "HSIC: a permutation null needs at least one permutation; ask for 199 or more");
    }
    return NONSENS_OK;
}

/* ---- one group ----------------------------------------------------------------------------------------------- */

typedef struct width_state {
    const test_state *test;
    const hsic_stratum *stratum;
    int64_t group;
} width_state;

static nonsens_status run_width(nonsens_context *ctx, arena *scratch, int64_t side, void *state)
{
    const width_state *w = state;
    const hsic_side *known = w->test->options->side[side];
    (void)scratch;
    if (known) {
        w->stratum->width[side][0] = known[w->group].width;
        return NONSENS_OK;
    }
    return kernel_widths(ctx, &w->test->points[side], w->stratum->first, w->stratum->rows, w->stratum->width[side]);
}

static nonsens_status run_group(nonsens_context *ctx, arena *scratch, int64_t group, void *state)
{
    const test_state *t = state;
    hsic_stratum *s = t->strata + group;
    width_state w = {t, s, group};
    kernel_basis basis[2];
    const hsic_invariants *known[2] = {NULL, NULL};
    if (s->rows >= HSIC_MIN_ROWS) {
        TRY(parallel_for(ctx, t->options->threads, 2, NULL, run_width, &w));
        s->usable = kernel_any_width(t->points[0].d, s->width[0]) && kernel_any_width(t->points[1].d, s->width[1]);
    }
    if (!s->usable) {
        return NONSENS_OK;
    }
    kernel_limits limits = kernel_usual_limits(s->rows);
    limits.threads = t->options->threads;
    for (int side = 0; side < 2; side++) {
        const hsic_side *of_group = t->options->side[side] ? &t->options->side[side][group] : NULL;
        if (of_group) {
            basis[side] = of_group->basis;
            known[side] = &of_group->invariants;
        } else {
            TRY(kernel_find_basis(ctx, scratch, &t->points[side], s->first, s->rows, s->width[side], &limits,
                                  &basis[side]));
        }
        s->rank[side] = basis[side].directions;
        s->lost[side] = basis[side].lost;
        s->leading[side] = kernel_basis_leading(&basis[side], HSIC_PERMUTED_SHARE);
    }
    TRY(hsic_pass(ctx, scratch, basis, known, t->options->threads, &s->sums));
    if (!s->weights.weight) {
        return NONSENS_OK;
    }
    return hsic_spectrum(ctx, scratch, s->rows, s->rank, (const double *const[2]){basis[0].eigen, basis[1].eigen},
                         (const double[2]){basis[0].trace, basis[1].trace}, &s->weights);
}

/* Allocates what the groups fill in. */
static nonsens_status get_strata(nonsens_context *ctx, arena *scratch, test_state *t)
{
    double *width[2];
    int64_t count = t->groups->count;
    ARENA_TRY(ctx, scratch, t->strata, count);
    ARENA_TRY(ctx, scratch, width[0], count * t->points[0].d);
    ARENA_TRY(ctx, scratch, width[1], count * t->points[1].d);
    for (int64_t e = 0; e < count; e++) {
        hsic_stratum *s = t->strata + e;
        s->first = t->groups->start[e];
        s->rows = t->groups->start[e + 1] - s->first;
        s->width[0] = width[0] + e * t->points[0].d;
        s->width[1] = width[1] + e * t->points[1].d;
        if (t->options->null_kind == NULL_SPECTRAL) {
            ARENA_TRY(ctx, scratch, s->weights.weight, HSIC_WEIGHTS);
        }
    }
    return NONSENS_OK;
}

/* ---- all groups ---------------------------------------------------------------------------------------------- */

static void report_widths(const test_state *t)
{
    for (int side = 0; side < 2; side++) {
        double *to = t->options->widths[side];
        int64_t d = t->points[side].d;
        for (int64_t i = 0; to && i < t->groups->count * d; i++) {
            const hsic_stratum *s = t->strata + i / d;
            to[i] = s->usable ? s->width[side][i % d] : 0.0;
        }
    }
}

/* Adds up statistics and cumulants; moves the usable strata to the front. */
static hsic_cumulants add_strata(const test_state *t, hsic_result *out)
{
    hsic_cumulants sum = {0};
    for (int64_t e = 0; e < t->groups->count; e++) {
        const hsic_stratum *s = t->strata + e;
        if (!s->usable) {
            continue;
        }
        hsic_cumulants c = hsic_permutation_cumulants(s->rows, &s->sums.of[0], &s->sums.of[1]);
        out->statistic += s->sums.statistic;
        sum.mean += c.mean;
        sum.variance += c.variance;
        sum.third += c.third;
        out->rows_used += s->rows;
        for (int side = 0; side < 2; side++) {
            out->rank[side] = s->rank[side] > out->rank[side] ? s->rank[side] : out->rank[side];
            out->lost[side] = fmax(out->lost[side], s->lost[side]);
        }
        t->strata[out->segments_used++] = *s;
    }
    out->segments_skipped = t->groups->count - out->segments_used;
    return sum;
}

hsic_options hsic_options_from(const nonsens_options *options, double level, uint64_t job)
{
    return (hsic_options){.null_kind = options->null_kind,
                          .permutations = options->permutations,
                          .refine_at = level,
                          .seed = (uint64_t)options->seed,
                          .job = job,
                          .threads = (int)options->threads};
}

/*
 * Says whether to draw permutations: for their own null, or to refine a gamma p-value near the level.  With many rows
 * they take long and the gamma distribution is good enough; nor do they refine a level that hardly any would reach.
 */
static bool wants_permutations(const hsic_options *o, int64_t rows, double gamma_p)
{
    if (o->null_kind != NULL_GAMMA) {
        return o->null_kind == NULL_PERMUTATION;
    }
    double reached = o->refine_at * (double)(o->permutations + 1); // permutations expected at or below the level
    return rows <= HSIC_REFINE_ROWS && reached >= MIN_REACHED && gamma_p <= 3.0 * o->refine_at &&
           3.0 * gamma_p >= o->refine_at;
}

/*
 * Returns P(T > x) from the moments over shifts.  T is about a multiple of a chi-square variable with f = 2 mean^2 /
 * variance degrees of freedom.  A group of n rows has about m = (n - 2 min_shift) / (1.25 memory) shifts with
 * independent T: for two autoregressions with coefficient exp(-a) the memory is 2 / a, and T at shifts h rows apart has
 * correlation (1 + ah)^2 exp(-2ah), whose integral is 2.5 / a.  So the mean has m f degrees of freedom (m: harmonic
 * mean of groups).
 */
static double shift_tail(const test_state *t, int64_t groups, const hsic_cumulants *moments, double x)
{
    const hsic_options *o = t->options;
    double inverse = 0.0; // of m
    for (int64_t e = 0; e < groups; e++) {
        double shifts = fmax((double)(t->strata[e].rows - 2 * o->min_shift), 1.0);
        inverse += fmin(1.25 * o->memory / shifts, 1.0) / (double)groups;
    }
    if (!(moments->variance > 0.0)) {
        return 1.0;
    }
    double degrees = 2.0 * moments->mean * moments->mean / moments->variance;
    return special_f_tail(degrees, degrees / inverse, x / moments->mean);
}

nonsens_status hsic_test(nonsens_context *ctx, arena *scratch, const column_set *x, const column_set *y,
                         const row_groups *groups, const hsic_options *options, hsic_result *out)
{
    test_state t = {.points = {*x, *y}, .groups = groups, .options = options};
    *out = (hsic_result){.p_value = 1.0};
    TRY(check_input(ctx, &t));
    TRY(get_strata(ctx, scratch, &t));
    arena_mark mark = arena_tell(scratch);
    TRY(groups->count == 1 ? run_group(ctx, scratch, 0, &t) // works in parallel inside
                           : parallel_for(ctx, options->threads, groups->count, NULL, run_group, &t));
    arena_rewind(scratch, mark);
    report_widths(&t);
    hsic_cumulants sum = add_strata(&t, out);
    if (out->segments_used == 0) {
        return NONSENS_OK;
    }
    if (options->time_order) {
        TRY(hsic_shift_moments(ctx, scratch, t.points, out->segments_used, t.strata, options, &out->statistic, &sum));
    }
    out->mean = sum.mean;
    out->variance = sum.variance;
    out->skewness = sum.variance > 0 ? sum.third / (sum.variance * sqrt(sum.variance)) : 0.0;
    out->p_value = options->time_order && options->memory > 0.0
                       ? shift_tail(&t, out->segments_used, &sum, out->statistic)
                       : hsic_tail(&sum, out->statistic);
    out->by_permutation = !options->time_order && wants_permutations(options, out->rows_used, out->p_value);
    if (out->by_permutation) {
        return hsic_permutation_p(ctx, scratch, t.points, out->segments_used, t.strata, options, &out->p_value);
    }
    if (options->null_kind == NULL_SPECTRAL && !options->time_order) {
        return hsic_spectral_tail(ctx, scratch, out->segments_used, t.strata, &sum, out->statistic, &out->p_value);
    }
    return NONSENS_OK;
}
