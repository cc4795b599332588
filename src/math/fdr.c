/*
 * fdr.c - false discovery rates.
 *
 * Benjamini, Hochberg, J. R. Statist. Soc. B 57, 1995: with p(1) <= ... <= p(m), q(i) = min over k >= i of m p(k) / k,
 * at most 1.  The discoveries with q <= level have a false discovery rate of at most this level if the p-values are
 * independent or positively dependent. Benjamini, Yekutieli, Ann. Statist. 29, 2001: with q times the sum of 1/j over j
 * = 1..m, this holds for any dependence.
 *
 * Methods give a p-value only if they decide.  Tests without a decision count with p = 1; leaving them out would bias
 * the q-values, since decisions are selected for small p-values.
 */
#include "math/fdr.h"

#include "math/sort.h"

#include <math.h>

nonsens_status fdr_q_values(nonsens_context *ctx, arena *scratch, int64_t m, const double *p, bool any_dependence,
                            double *q)
{
    double *filled;             // (m)
    sort_entry *sorted, *spare; // (m)
    ARENA_TRY(ctx, scratch, filled, m);
    ARENA_TRY(ctx, scratch, sorted, m);
    ARENA_TRY(ctx, scratch, spare, m);
    for (int64_t i = 0; i < m; i++) {
        filled[i] = isnan(p[i]) ? 1.0 : p[i];
    }
    sort_column(filled, m, sorted, spare);
    double harmonic = 0.0, smallest = 1.0;
    for (int64_t j = m; j >= 1; j--) { // from the smallest term
        harmonic += 1.0 / (double)j;
    }
    double factor = (double)m * (any_dependence ? harmonic : 1.0);
    for (int64_t k = m; k >= 1; k--) {
        int64_t i = sorted[k - 1].row;
        smallest = fmin(smallest, factor * filled[i] / (double)k);
        q[i] = isnan(p[i]) ? NAN : smallest;
    }
    return NONSENS_OK;
}
