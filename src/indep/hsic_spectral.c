/*
 * hsic_spectral.c - the null distribution of T for many rows: T = (1/n) sum_ab lambda_a mu_b (u_a . v_b)^2 with
 * eigenvalues and unit eigenvectors of the two centred kernel matrices, and n (u_a . v_b)^2 tends to independent
 * chi-square variables with one degree of freedom:
 *     T ~ (1/n^2) sum_ab lambda_a mu_b chi2_1
 * (Zhang, Peters, Janzing, Schoelkopf, UAI 2011, theorem 4; Gretton, Fukumizu, Harchaoui, Sriperumbudur, NIPS 2009).
 *
 * Products below NEGLIGIBLE times their sum, and those beyond the HSIC_WEIGHTS largest of a group, are left out.  In a
 * stratified test, T has the weights of all groups.
 *
 * The limit needs many rows: with ten segments of ten rows, p-values lay .269 from uniform (Kolmogorov-Smirnov).  So
 * the weights are scaled to the variance of T over all permutations, which is known exactly (hsic_moments.c), and a
 * constant is added to match its mean, which reduces the distance to .03.  Only the shape of the tail still comes from
 * the limit, which holds if many rows contribute to each eigenvector; the gamma null has a third moment that accounts
 * for single outliers.
 */
#include "indep/hsic_internal.h"
#include "math/chi2_mixture.h"
#include "math/sort.h"

#include <math.h>

static const double NEGLIGIBLE = 1e-7;

/* Lists the products of two descending series that exceed the limit; with product = NULL they are only counted. */
static int64_t list_products(const int64_t count[2], const double *const eigen[2], double limit, double *product)
{
    int64_t found = 0;
    for (int64_t a = 0; a < count[0]; a++) {
        for (int64_t b = 0; b < count[1] && eigen[0][a] * eigen[1][b] > limit; b++) {
            if (product) {
                product[found] = eigen[0][a] * eigen[1][b];
            }
            found++;
        }
    }
    return found;
}

nonsens_status hsic_spectrum(nonsens_context *ctx, arena *scratch, int64_t n, const int64_t count[2],
                             const double *const eigen[2], const double trace[2], hsic_weights *w)
{
    double *product, *spare, all = trace[0] * trace[1], square = (double)n * (double)n;
    arena_mark mark = arena_tell(scratch);
    int64_t found = list_products(count, eigen, NEGLIGIBLE * all, NULL);
    ARENA_TRY(ctx, scratch, product, found);
    ARENA_TRY(ctx, scratch, spare, found);
    list_products(count, eigen, NEGLIGIBLE * all, product);
    sort_doubles(found, product, spare);
    w->count = kernel_min(found, HSIC_WEIGHTS);
    for (int64_t i = 0; i < w->count; i++) {
        w->weight[i] = product[found - 1 - i] / square;
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

/* Scales the weights to the variance of T over permutations, and adds a constant to match its mean. */
nonsens_status hsic_spectral_tail(nonsens_context *ctx, arena *scratch, int64_t count, const hsic_stratum *strata,
                                  const hsic_cumulants *moments, double x, double *p_value)
{
    int64_t all = 0, used = 0;
    double *weight, sum = 0.0, squares = 0.0;
    arena_mark mark = arena_tell(scratch);
    for (int64_t e = 0; e < count; e++) {
        all += strata[e].weights.count;
    }
    ARENA_TRY(ctx, scratch, weight, all);
    for (int64_t e = 0; e < count; e++) {
        for (int64_t i = 0; i < strata[e].weights.count; i++, used++) {
            weight[used] = strata[e].weights.weight[i];
            sum += weight[used];
            squares += weight[used] * weight[used];
        }
    }
    double factor = squares > 0.0 ? sqrt(moments->variance / (2.0 * squares)) : 0.0;
    for (int64_t i = 0; i < all; i++) {
        weight[i] *= factor;
    }
    x -= moments->mean - factor * sum;
    *p_value = x > 0.0 && moments->variance > 0.0 ? chi2_mixture_tail(all, weight, x) : 1.0;
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}
