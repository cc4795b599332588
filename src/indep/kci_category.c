/*
 * kci_category.c - the kernel of a category, k(s, t) = 1 if rows s and t have the same category and 0 otherwise, as a
 * factor.
 *
 * Over a range of n rows, of which n_c have category c, the centred indicators have the Gram matrix
 *     G_cd = n_c [c = d] - n_c n_d / n,
 * of rank one less than the number of categories that occur.  With G = V diag(l) V', row t of category c has features
 *     f_k = V_ck - sum_d (n_d / n) V_dk.
 * The factor is exact.
 */
#include "indep/kci_internal.h"

#include "math/linalg.h"

#include <inttypes.h>

static const double NEGLIGIBLE = 1e-10; /* times the rows; smaller eigenvalues: what centring removed */

/* Numbers the categories that have rows here: place (category->count), 0 for the others; rows_of: rows of each. */
static int64_t count_categories(const kci_category *category, int64_t first, int64_t rows, int64_t *place,
                                double *rows_of)
{
    int64_t used = 0;
    for (int64_t c = 0; c < category->count; c++) {
        place[c] = 0;
    }
    for (int64_t t = first; t < first + rows; t++) {
        place[category->of[t]]++;
    }
    for (int64_t c = 0; c < category->count; c++) {
        if (place[c] > 0) {
            rows_of[used] = (double)place[c];
            place[c] = used++;
        }
    }
    return used;
}

/* Fills gram (used, used) and returns its trace. */
static double fill_gram(int64_t used, int64_t rows, const double *rows_of, double *gram)
{
    double trace = 0.0;
    for (int64_t c = 0; c < used; c++) {
        for (int64_t d = 0; d < used; d++) {
            gram[c * used + d] = (c == d ? rows_of[c] : 0.0) - rows_of[c] * rows_of[d] / (double)rows;
        }
        trace += gram[c * used + c];
    }
    return trace;
}

nonsens_status kci_category_factor(nonsens_context *ctx, arena *keep, const kci_category *category, int64_t first,
                                   int64_t rows, kernel_factor *out)
{
    int64_t *place;
    double *rows_of, *gram, *ascending, *value; // value (rank, used): the features of each category
    ARENA_TRY(ctx, keep, place, category->count);
    ARENA_TRY(ctx, keep, rows_of, category->count);
    int64_t used = count_categories(category, first, rows, place, rows_of);
    *out = (kernel_factor){.n = rows};
    ARENA_TRY(ctx, keep, gram, used * used);
    ARENA_TRY(ctx, keep, ascending, used);
    out->trace = fill_gram(used, rows, rows_of, gram);
    TRY(linalg_eigen_symmetric(ctx, keep, used, gram, ascending));
    while (out->rank < used && ascending[used - 1 - out->rank] > NEGLIGIBLE * (double)rows) {
        out->rank++;
    }
    ARENA_TRY(ctx, keep, value, out->rank * used + 1);
    ARENA_TRY(ctx, keep, out->f, out->rank * rows + 1);
    ARENA_TRY(ctx, keep, out->eigen, out->rank + 1);
    for (int64_t k = 0; k < out->rank; k++) {
        const double *v = gram + (used - 1 - k) * used;
        double mean = linalg_dot(used, rows_of, v) / (double)rows;
        for (int64_t c = 0; c < used; c++) {
            value[c * out->rank + k] = v[c] - mean;
        }
        out->eigen[k] = ascending[used - 1 - k];
    }
    for (int64_t t = 0; t < rows; t++) {
        const double *from = value + place[category->of[first + t]] * out->rank;
        for (int64_t k = 0; k < out->rank; k++) {
            out->f[t * out->rank + k] = from[k];
        }
    }
    return NONSENS_OK;
}

nonsens_status kci_category_check(nonsens_context *ctx, const kci_category *category)
{
    for (int64_t t = 0; t < category->n; t++) {
        if (category->of[t] < 0 || category->of[t] >= category->count) {
            return fail(ctx, NONSENS_ERR_USAGE,
                        "conditional independence test: row %" PRId64 " has category %" PRId32
                        "; categories count from 0 to %" PRId64,
                        t + 1, category->of[t], category->count - 1);
        }
    }
    return NONSENS_OK;
}
