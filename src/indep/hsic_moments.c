/*
 * hsic_moments.c - mean, variance and third moment of tr(A P B P') over all permutations P, from invariants of A and B
 * (Kazi-Aoual, Hitier, Sabatier, Lebreton, Computational Statistics & Data Analysis 20, 1995), and the tail of the
 * Pearson type III distribution with these moments.
 */
#include "indep/hsic_internal.h"

#include "math/linalg.h"
#include "math/special.h"

#include <math.h>

enum {
    PAIR_ROWS = 300, /* sums over pairs of rows only up to here, and only where they are cheaper */
    CUBE_DIRECTIONS = 24
};

static const double CUBE_SHARE = 1e-5; /* of the trace that the sum of cubes may leave out */

/* ---- moments over all permutations --------------------------------------------------------------------------- */

static double moments_variance(double n, const hsic_invariants *v, const hsic_invariants *w)
{
    double spread_v = (n - 1) * v->t2 - v->t * v->t, spread_w = (n - 1) * w->t2 - w->t * w->t;
    double diagonal_v = n * (n + 1) * v->s2 - (n - 1) * (v->t * v->t + 2 * v->t2);
    double diagonal_w = n * (n + 1) * w->s2 - (n - 1) * (w->t * w->t + 2 * w->t2);
    return 2 * spread_v * spread_w / ((n - 1) * (n - 1) * (n + 1) * (n - 2)) +
           diagonal_v * diagonal_w / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3));
}

/* a_v b_w + b_v a_w: the formula is symmetric in the two matrices. */
static double cross(double a_v, double a_w, double b_v, double b_w)
{
    return a_v * b_w + b_v * a_w;
}

/* E tr(W_v P W_w P')^3 (not central): Kazi-Aoual et al. 1995; terms grouped by which invariants meet. */
static double moments_third(double n, const hsic_invariants *v, const hsic_invariants *w)
{
    double n2 = n * n, n3 = n2 * n, n4 = n3 * n, h = n2 - 5 * n;
    double ttt_v = v->t * v->t * v->t, ttt_w = w->t * w->t * w->t;
    double tt2_v = v->t * v->t2, tt2_w = w->t * w->t2;
    double ts_v = v->t * v->s2, ts_w = w->t * w->s2;
    double sum_v = ttt_v + 6 * tt2_v + 8 * v->t3, sum_w = ttt_w + 6 * tt2_w + 8 * w->t3;

    double like =
        n2 * (n + 1) * (n2 + 15 * n - 4) * v->s3 * w->s3 + 4 * (n4 - 8 * n3 + 19 * n2 - 4 * n - 16) * v->u * w->u +
        6 * (n4 - 8 * n3 + 21 * n2 - 6 * n - 24) * v->b * w->b + 12 * (n4 - n3 - 8 * n2 + 36 * n - 48) * v->r * w->r +
        3 * (n4 - 4 * n3 - 2 * n2 + 9 * n - 12) * ts_v * ts_w;
    double diagonals = 24 * (n2 - n - 4) * cross(v->u, w->u, v->b, w->b) +
                       12 * (n3 - 2 * n2 + 9 * n - 12) * cross(ts_v, ts_w, v->r, w->r) +
                       24 * (n3 - 3 * n2 - 2 * n + 8) * cross(v->r, w->r, v->u, w->u) +
                       24 * (n3 - 2 * n2 - 3 * n + 12) * cross(v->r, w->r, v->b, w->b) +
                       12 * (n2 - n + 4) * cross(ts_v, ts_w, v->u, w->u) +
                       6 * (2 * n3 - 7 * n2 - 3 * n + 12) * cross(ts_v, ts_w, v->b, w->b);
    double cubes = -2 * n * (n - 1) * (n2 - n + 4) * cross(2 * v->u + 3 * v->b, 2 * w->u + 3 * w->b, v->s3, w->s3) -
                   3 * n * (n - 1) * (n - 1) * (n + 4) * cross(ts_v + 4 * v->r, ts_w + 4 * w->r, v->s3, w->s3) +
                   2 * n * (n - 1) * (n - 2) * cross(sum_v, sum_w, v->s3, w->s3);
    double traces = (n3 - 9 * n2 + 23 * n - 14) * ttt_v * ttt_w + 6 * (n - 4) * cross(ttt_v, ttt_w, tt2_v, tt2_w) +
                    8 * cross(ttt_v, ttt_w, v->t3, w->t3) + 6 * (n3 - 9 * n2 + 24 * n - 14) * tt2_v * tt2_w +
                    24 * (n - 3) * cross(tt2_v, tt2_w, v->t3, w->t3) + 8 * (n3 - 9 * n2 + 26 * n - 22) * v->t3 * w->t3;
    double mixed_u = 16 * cross(ttt_v, ttt_w, v->u, w->u) + 6 * (2 * h + 16) * cross(tt2_v, tt2_w, v->u, w->u) +
                     8 * (3 * h + 16) * cross(v->t3, w->t3, v->u, w->u);
    double mixed_b = (6 * h + 24) * cross(ttt_v, ttt_w, v->b, w->b) +
                     6 * (4 * h + 24) * cross(tt2_v, tt2_w, v->b, w->b) +
                     8 * (3 * h + 24) * cross(v->t3, w->t3, v->b, w->b);
    double mixed_r = 24 * cross(ttt_v, ttt_w, v->r, w->r) + 6 * (2 * h + 24) * cross(tt2_v, tt2_w, v->r, w->r) +
                     8 * (3 * h + 24) * cross(v->t3, w->t3, v->r, w->r);
    double mixed_s = (3 * h + 6) * cross(ttt_v, ttt_w, ts_v, ts_w) + 6 * (h + 6) * cross(tt2_v, tt2_w, ts_v, ts_w) +
                     48 * cross(v->t3, w->t3, ts_v, ts_w);
    double all = like + diagonals + cubes + traces - mixed_u - mixed_b - (n - 2) * (mixed_r + mixed_s);
    return all / (n * (n - 1) * (n - 2) * (n - 3) * (n - 4) * (n - 5));
}

hsic_cumulants hsic_permutation_cumulants(int64_t rows, const hsic_invariants *v, const hsic_invariants *w)
{
    double n = (double)rows, mean = v->t * w->t / (n - 1);
    double variance = fmax(0.0, moments_variance(n, v, w));
    double third = moments_third(n, v, w) - 3 * mean * variance - mean * mean * mean;
    return (hsic_cumulants){mean / n, variance / (n * n), third / (n * n * n)};
}

double hsic_tail(const hsic_cumulants *c, double x)
{
    double sd = sqrt(c->variance);
    if (!(c->variance > 1e-12 * c->mean * c->mean)) {
        return 1.0;
    }
    double skew = c->third / (c->variance * sd), z = (x - c->mean) / sd;
    if (fabs(skew) < 1e-3) {
        return special_normal_tail(z);
    }
    double mean = 2.0 / fabs(skew); /* of the gamma distribution of variance 1 with this skewness */
    if (skew > 0) {
        return mean + z <= 0 ? 1.0 : special_gamma_tail(mean, 1.0, mean + z);
    }
    return mean - z <= 0 ? 0.0 : 1.0 - special_gamma_tail(mean, 1.0, mean - z);
}

/* ---- invariants from a factor -------------------------------------------------------------------------------- */

/* Sum over i, j of (f_i . f_j)^3, pair by pair: O(n^2 k). */
static double cubes_by_pairs(const kernel_factor *w, int64_t k)
{
    double sum = 0.0;
    for (int64_t i = 0; i < w->n; i++) {
        const double *f = w->f + i * w->rank;
        double d = hsic_dot(k, f, f), row = 0.0;
        for (int64_t j = 0; j < i; j++) {
            double product = hsic_dot(k, f, w->f + j * w->rank);
            row += product * product * product;
        }
        sum += 2 * row + d * d * d;
    }
    return sum;
}

/* products (k(k+1)/2, rows) of all pairs of directions of the rows from `first` on. */
static void pair_products(const kernel_factor *w, int64_t first, int64_t rows, int64_t k, double *products)
{
    for (int64_t i = first; i < first + rows; i++) {
        const double *f = w->f + i * w->rank;
        for (int64_t a = 0; a < k; a++) {
            for (int64_t b = 0; b <= a; b++) {
                *products++ = f[a] * f[b];
            }
        }
    }
}

/* The same as the sum over directions a, b, c of (sum_i f_ia f_ib f_ic)^2: O(n k^3). */
static nonsens_status cubes_by_directions(nonsens_context *ctx, arena *scratch, const kernel_factor *w, int64_t k,
                                          double *out)
{
    int64_t pairs = k * (k + 1) / 2;
    double *products, *sums; // (pairs, HSIC_BLOCK), (pairs, k)
    ARENA_TRY(ctx, scratch, products, pairs * HSIC_BLOCK);
    ARENA_TRY(ctx, scratch, sums, pairs * k);
    for (int64_t first = 0; first < w->n; first += HSIC_BLOCK) {
        int64_t rows = w->n - first < HSIC_BLOCK ? w->n - first : HSIC_BLOCK;
        pair_products(w, first, rows, k, products);
        linalg_gemm(false, true, pairs, k, rows, 1.0, products, pairs, w->f + first * w->rank, w->rank,
                    first > 0 ? 1.0 : 0.0, sums, pairs);
    }
    *out = 0.0;
    for (int64_t c = 0; c < k; c++) {
        const double *sum = sums + c * pairs;
        for (int64_t a = 0, pair = 0; a < k; a++) {
            for (int64_t b = 0; b <= a; b++, pair++) {
                *out += (a == b ? 1 : 2) * sum[pair] * sum[pair];
            }
        }
    }
    return NONSENS_OK;
}

/*
 * Sum of all w_ij^3.  It matters at order 1/n only, so directions that carry little are left out: with Cauchy noise and
 * 400 rows the skewness changes by 4e-5 of its value, with lighter tails by less.
 */
static nonsens_status sum_of_cubes(nonsens_context *ctx, arena *scratch, const kernel_factor *w, double *out)
{
    int64_t k = kernel_leading(w, CUBE_SHARE);
    if (w->n <= PAIR_ROWS && 3 * w->n <= (k + 1) * (k + 2)) {
        *out = cubes_by_pairs(w, w->rank);
        return NONSENS_OK;
    }
    arena_mark mark = arena_tell(scratch);
    TRY(cubes_by_directions(ctx, scratch, w, k < CUBE_DIRECTIONS ? k : CUBE_DIRECTIONS, out));
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

nonsens_status hsic_factor_invariants(nonsens_context *ctx, arena *scratch, const kernel_factor *w, hsic_invariants *v)
{
    double *weighted; // (rank): F d
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, weighted, w->rank);
    *v = (hsic_invariants){0};
    for (int64_t k = 0; k < w->rank; k++) {
        double eigen = w->eigen[k];
        v->t2 += eigen * eigen;
        v->t3 += eigen * eigen * eigen;
    }
    for (int64_t i = 0; i < w->n; i++) {
        const double *f = w->f + i * w->rank;
        double d = hsic_dot(w->rank, f, f), squared = 0.0; // (W^2)_ii = f_i' diag(eigen) f_i
        for (int64_t k = 0; k < w->rank; k++) {
            squared += w->eigen[k] * f[k] * f[k];
            weighted[k] += d * f[k];
        }
        v->t += d;
        v->s2 += d * d;
        v->s3 += d * d * d;
        v->r += d * squared;
    }
    v->b = hsic_dot(w->rank, weighted, weighted);
    arena_rewind(scratch, mark);
    return sum_of_cubes(ctx, scratch, w, &v->u);
}
