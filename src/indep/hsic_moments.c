/*
 * hsic_moments.c - mean, variance and third moment of tr(A P B P') over all permutations P, from invariants of A and B
 * (Kazi-Aoual, Hitier, Sabatier, Lebreton, Computational Statistics & Data Analysis 20, 1995), and the tail of the
 * Pearson type III distribution with these moments.
 */
#include "indep/hsic_internal.h"

#include "math/special.h"

#include <math.h>

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

/* Returns E tr(W_v P W_w P')^3 (not central): Kazi-Aoual et al. 1995; terms grouped by their invariants. */
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
