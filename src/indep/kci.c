/*
 * kci.c - the conditional independence test from the residual features of two sides (kci_features.c): T, its null
 * cumulants or weights (kci_null.c) summed over segments, and the tail.
 *
 * Deviations from Zhang et al. 2011: both kernels hold z, at twice its width, so that x and y may be swapped (with it
 * on neither side the test of 1,000 rows and two columns of z found .59 instead of .69 at the same true size, with it
 * on one side .70); moments of random signs instead of those with equal rows; three moments instead of two; the
 * leverage; the ridge.
 */
#include "indep/kci.h"

#include "indep/kci_internal.h"
#include "math/chi2_mixture.h"

#include <math.h>

/* The null distribution of the sum over segments. */
typedef struct total {
    hsic_cumulants cumulants;
    double shift;
    int64_t count;
    double *weight;
} total;

/* Both sides have features here. */
static bool is_used(const kci_stratum *a, const kci_stratum *b)
{
    return a->rank > 0 && b->rank > 0;
}

static void append_weights(const kci_null *null, total *sum)
{
    for (int64_t k = 0; k < null->count; k++) {
        sum->weight[sum->count++] = null->weight[k];
    }
    sum->shift += null->shift;
}

static void add_cumulants(const hsic_cumulants *each, hsic_cumulants *sum)
{
    sum->mean += each->mean;
    sum->variance += each->variance;
    sum->third += each->third;
}

static nonsens_status add_stratum(nonsens_context *ctx, arena *scratch, const kci_stratum *a, const kci_stratum *b,
                                  total *sum, double *statistic)
{
    double each;
    kci_null null;
    arena_mark mark = arena_tell(scratch);
    TRY(kci_stratum_statistic(ctx, scratch, a, b, &each));
    TRY(kci_stratum_null(ctx, scratch, a, b, sum->weight != NULL, &null));
    add_cumulants(&null.cumulants, &sum->cumulants);
    if (sum->weight) {
        append_weights(&null, sum);
    }
    *statistic += each;
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

/* Room for the weights of all segments. */
static nonsens_status open_weights(nonsens_context *ctx, arena *scratch, const kci_features *a, total *sum)
{
    int64_t count = 0;
    for (int64_t e = 0; e < a->count; e++) {
        count += a->strata[e].rows <= KCI_GRAM_ROWS ? a->strata[e].rows : KCI_WEIGHTS;
    }
    ARENA_TRY(ctx, scratch, sum->weight, count);
    return NONSENS_OK;
}

static nonsens_status check_sides(nonsens_context *ctx, const kci_features *a, const kci_features *b,
                                  const row_groups *groups, const kci_options *options)
{
    bool good = a->count == groups->count && b->count == groups->count;
    for (int64_t e = 0; good && e < groups->count; e++) {
        int64_t rows = groups->start[e + 1] - groups->start[e];
        good = a->strata[e].rows == rows && b->strata[e].rows == rows;
    }
    if (!good) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "conditional independence test: the two sides were made with other segments; make them anew");
    }
    if (options->null_kind == NULL_PERMUTATION && options->permutations < 1) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "conditional independence test: random signs need a count; set --permutations to 1 or more");
    }
    return NONSENS_OK;
}

static void describe_sides(const kci_features *a, const kci_features *b, kci_result *out)
{
    out->degrees[0] = a->degrees;
    out->degrees[1] = b->degrees;
    out->ridge[0] = a->ridge;
    out->ridge[1] = b->ridge;
    out->lost = fmax(a->lost, b->lost);
}

static nonsens_status find_p(nonsens_context *ctx, arena *scratch, const kci_features *a, const kci_features *b,
                             const total *sum, const kci_options *options, kci_result *out)
{
    out->p_value = hsic_tail(&sum->cumulants, out->statistic);
    if (!(out->variance > 0)) {
        return NONSENS_OK;
    }
    if (options->null_kind == NULL_PERMUTATION) {
        return kci_bootstrap(ctx, scratch, a, b, out->statistic, options, &out->p_value);
    }
    if (options->null_kind == NULL_SPECTRAL) {
        out->p_value = chi2_mixture_tail(sum->count, sum->weight, out->statistic - sum->shift);
    }
    return NONSENS_OK;
}

nonsens_status kci_compare(nonsens_context *ctx, arena *scratch, const kci_features *a, const kci_features *b,
                           const row_groups *groups, const kci_options *options, kci_result *out)
{
    total sum = {0};
    int64_t determined = 0;
    *out = (kci_result){.p_value = 1.0};
    TRY(check_sides(ctx, a, b, groups, options));
    describe_sides(a, b, out);
    if (options->null_kind == NULL_SPECTRAL) {
        TRY(open_weights(ctx, scratch, a, &sum));
    }
    for (int64_t e = 0; e < groups->count; e++) {
        const kci_stratum *first = a->strata + e, *second = b->strata + e;
        TRY(check_cancelled(ctx));
        determined += first->determined || second->determined;
        if (is_used(first, second)) {
            TRY(add_stratum(ctx, scratch, first, second, &sum, &out->statistic));
            out->segments_used++;
            out->rows_used += first->rows;
        }
    }
    out->segments_skipped = groups->count - out->segments_used;
    out->determined = out->segments_used == 0 && determined > 0;
    out->mean = sum.cumulants.mean;
    out->variance = sum.cumulants.variance;
    out->skewness = out->variance > 0 ? sum.cumulants.third / (out->variance * sqrt(out->variance)) : 0.0;
    return out->segments_used > 0 ? find_p(ctx, scratch, a, b, &sum, options, out) : NONSENS_OK;
}
