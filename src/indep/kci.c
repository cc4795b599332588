/*
 * kci.c - the conditional independence test from the residual features of two sides (kci_features.c): T, its null
 * cumulants or weights (kci_null.c) summed over segments, and the tail.
 *
 * Differences from Zhang et al. 2011: both kernels include z, at twice its width, so that x and y may be swapped (1,000
 * rows, two columns of z, same true size: power .69; .59 with z on neither side, .70 with z on one side); moments of
 * random signs, without the terms of equal rows; three moments instead of two; the correction for leverage; the ridge.
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

static nonsens_status add_stratum(nonsens_context *ctx, arena *scratch, const kci_stratum *a, const kci_stratum *b,
                                  total *sum, double *statistic)
{
    double each;
    kci_null null;
    arena_mark mark = arena_tell(scratch);
    TRY(kci_stratum_statistic(ctx, scratch, a, b, &each));
    TRY(kci_stratum_null(ctx, scratch, a, b, sum->weight != NULL, &null));
    sum->cumulants.mean += null.cumulants.mean;
    sum->cumulants.variance += null.cumulants.variance;
    sum->cumulants.third += null.cumulants.third;
    for (int64_t k = 0; k < null.count; k++) {
        sum->weight[sum->count++] = null.weight[k];
    }
    sum->shift += null.shift;
    *statistic += each;
    arena_rewind(scratch, mark);
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

nonsens_status kci_compare(nonsens_context *ctx, arena *scratch, const kci_features *a, const kci_features *b,
                           const row_groups *groups, const kci_options *options, kci_result *out)
{
    total sum = {0};
    int64_t determined = 0, weights = 0;
    *out = (kci_result){.degrees = {a->degrees, b->degrees},
                        .ridge = {a->ridge, b->ridge},
                        .lost = fmax(a->lost, b->lost),
                        .p_value = 1.0};
    TRY(check_sides(ctx, a, b, groups, options));
    if (options->null_kind == NULL_SPECTRAL) {
        for (int64_t e = 0; e < a->count; e++) {
            weights += a->strata[e].rows <= KCI_GRAM_ROWS ? a->strata[e].rows : KCI_WEIGHTS;
        }
        ARENA_TRY(ctx, scratch, sum.weight, weights);
    }
    for (int64_t e = 0; e < groups->count; e++) {
        const kci_stratum *first = a->strata + e, *second = b->strata + e;
        TRY(check_cancelled(ctx));
        determined += first->determined || second->determined;
        if (first->rank > 0 && second->rank > 0) {
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
    out->p_value = hsic_tail(&sum.cumulants, out->statistic); // 1 if no segment entered
    if (options->null_kind == NULL_PERMUTATION && out->variance > 0) {
        return kci_bootstrap(ctx, scratch, a, b, out->statistic, options, &out->p_value);
    }
    if (options->null_kind == NULL_SPECTRAL && out->variance > 0) {
        out->p_value = chi2_mixture_tail(sum.count, sum.weight, out->statistic - sum.shift);
    }
    return NONSENS_OK;
}
