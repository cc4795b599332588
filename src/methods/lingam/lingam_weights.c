/*
 * lingam_weights.c - weights given the causal order: each variable is regressed on all that come before it.
 *
 * Least squares of all variables comes from the triangular factor of the order, X = E R with E'E = n I: with T = R^-1
 *
 *     b_jk = -T_jk / T_kk,    var b_jk = r_kk^2 / (n - 1 - k) sum over i from j to k - 1 of T_ji^2,
 *
 * k the number of predecessors; t tests have n - 1 - k degrees of freedom.  Then one of
 *
 *     adaptive lasso   Zou, JASA 101, 2006, weights 1 / |b|, the point on the path with the smallest BIC
 *                      (lingam_lasso.c).  The chosen weights are fitted by least squares again, without shrinkage.
 *     tested           those whose p-values stay below Benjamini and Hochberg's line (JRSS B 57, 1995) over all
 *                      d (d - 1) / 2 of them: of the edges shown a share alpha may be false.  Weights are those tested.
 *     all              all of them.
 */
#include "methods/lingam/lingam_weights.h"

#include "base/parallel.h"
#include "math/linalg.h"
#include "math/sort.h"
#include "math/special.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- least squares --------------------------------------------------------------------------------------------- */

static nonsens_status check_factor(nonsens_context *ctx, const lingam_order *order)
{
    for (int64_t k = 0; k < order->d; k++) {
        if (!(order->r[k + k * order->d] > 0.0)) {
            return fail(ctx, NONSENS_ERR_DATA,
                        "lingam: once %" PRId64 " variables are known nothing is left of another; leave out columns "
                        "that are nearly functions of others with --vars",
                        k);
        }
    }
    return NONSENS_OK;
}

/* Computes column k of T = R^-1 from the columns before. */
static void invert_column(int64_t d, int64_t k, const double *r, double *t)
{
    double *out = t + k * d;
    out[k] = 1.0 / r[k + k * d];
    for (int64_t i = 0; i < k; i++) {
        double factor = -r[i + k * d] * out[k];
        for (int64_t j = 0; j <= i; j++) {
            out[j] += factor * t[j + i * d];
        }
    }
}

static nonsens_status fit_least_squares(nonsens_context *ctx, arena *a, const lingam_order *order, lingam_weights *out)
{
    int64_t d = order->d;
    double *t, *spread;
    arena_mark mark = arena_tell(a);
    ARENA_TRY(ctx, a, t, d * d);
    ARENA_TRY(ctx, a, spread, d); // sum of T_ji^2 so far
    for (int64_t k = 0; k < d; k++) {
        double freedom = (double)(order->n - 1 - k), rest = order->r[k + k * d];
        TRY(check_cancelled(ctx));
        invert_column(d, k, order->r, t);
        for (int64_t j = 0; j < k; j++) {
            double b = -t[j + k * d] / t[k + k * d];
            out->least_squares[j + k * d] = b;
            out->p_value[j + k * d] = special_student_tail(freedom, fabs(b) / (rest * sqrt(spread[j] / freedom)));
            spread[j] += t[j + k * d] * t[j + k * d];
        }
        spread[k] = t[k + k * d] * t[k + k * d];
    }
    arena_rewind(a, mark);
    return NONSENS_OK;
}

/* ---- least squares again, on the chosen variables ---------------------------------------------------------------- */

/* Modified Gram-Schmidt of the chosen columns of R: q (k, count), the factor u (count, count), the residual y (k). */
typedef struct refit {
    int64_t k, count;
    double *q, *u, *y, *b;
    int64_t *column;
} refit;

static double take_part(int64_t k, const double *q, double *y)
{
    double part = linalg_dot(k, q, y);
    for (int64_t i = 0; i < k; i++) {
        y[i] -= part * q[i];
    }
    return part;
}

static void solve_refit(refit *f)
{
    for (int64_t c = 0; c < f->count; c++) {
        double *q = f->q + c * f->k, size = sqrt(linalg_dot(f->k, q, q));
        f->u[c + c * f->count] = size;
        for (int64_t i = 0; i < f->k; i++) {
            q[i] /= size;
        }
        for (int64_t l = c + 1; l < f->count; l++) {
            f->u[c + l * f->count] = take_part(f->k, q, f->q + l * f->k);
        }
        f->b[c] = take_part(f->k, q, f->y);
    }
    for (int64_t c = f->count - 1; c >= 0; c--) {
        f->b[c] /= f->u[c + c * f->count];
        for (int64_t l = 0; l < c; l++) {
            f->b[l] -= f->u[l + c * f->count] * f->b[c];
        }
    }
}

/* Estimates the weights of the variables that act on the k-th. */
static nonsens_status fit_again(nonsens_context *ctx, arena *scratch, const lingam_order *order, int64_t k,
                                lingam_weights *out)
{
    int64_t d = order->d;
    refit f = {.k = k};
    ARENA_TRY(ctx, scratch, f.column, k + 1);
    for (int64_t j = 0; j < k; j++) {
        f.column[f.count] = j;
        f.count += out->stays[j + k * d];
    }
    ARENA_TRY(ctx, scratch, f.q, k * f.count + 1);
    ARENA_TRY(ctx, scratch, f.u, f.count * f.count + 1);
    ARENA_TRY(ctx, scratch, f.y, k + 1);
    ARENA_TRY(ctx, scratch, f.b, f.count + 1);
    memcpy(f.y, order->r + k * d, (size_t)k * sizeof *f.y);
    for (int64_t c = 0; c < f.count; c++) {
        memcpy(f.q + c * k, order->r + f.column[c] * d, (size_t)k * sizeof *f.q);
    }
    solve_refit(&f);
    for (int64_t c = 0; c < f.count; c++) {
        out->weight[f.column[c] + k * d] = f.b[c];
    }
    return NONSENS_OK;
}

/* ---- which ones stay --------------------------------------------------------------------------------------------- */

struct lassos {
    const lingam_order *order;
    const double *c; /* (d, d) correlations in causal order */
    lingam_weights *out;
};

/* The largest problems come first, so that threads finish at about the same time. */
static nonsens_status choose_by_lasso(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    struct lassos *l = state;
    int64_t d = l->order->d, k = d - 1 - job;
    double rest = l->order->r[k + k * d];
    lingam_lasso_problem problem = {.n = l->order->n,
                                    .k = k,
                                    .ld = d,
                                    .c = l->c,
                                    .with = l->c + k * d,
                                    .start = l->out->least_squares + k * d,
                                    .rest = rest * rest};
    TRY(lingam_lasso(ctx, scratch, &problem, l->out->stays + k * d));
    return fit_again(ctx, scratch, l->order, k, l->out);
}

static nonsens_status keep_by_lasso(nonsens_context *ctx, arena *a, const lingam_order *order, int threads,
                                    lingam_weights *out)
{
    int64_t d = order->d;
    double *c;
    arena_mark mark = arena_tell(a);
    ARENA_TRY(ctx, a, c, d * d);
    linalg_gram(d, d, order->r, d, c);
    struct lassos lassos = {order, c, out};
    TRY(parallel_for(ctx, threads, d, "choosing weights", choose_by_lasso, &lassos));
    arena_rewind(a, mark);
    return NONSENS_OK;
}

static void keep_up_to(const lingam_weights *out, int64_t d, double largest)
{
    for (int64_t k = 0; k < d; k++) {
        for (int64_t j = 0; j < k; j++) {
            int64_t at = j + k * d;
            out->stays[at] = out->p_value[at] <= largest;
            out->weight[at] = out->stays[at] ? out->least_squares[at] : 0.0;
        }
    }
}

/* Finds the largest p-value below the line alpha i / m, i its rank among all m; -1 if there is no such p-value. */
static nonsens_status benjamini_hochberg(nonsens_context *ctx, arena *a, int64_t d, const double *p_value, double alpha,
                                         double *out)
{
    int64_t m = 0;
    double *all, *sorted;
    arena_mark mark = arena_tell(a);
    ARENA_TRY(ctx, a, all, d * d / 2 + 1);
    for (int64_t k = 0; k < d; k++) {
        for (int64_t j = 0; j < k; j++) {
            all[m++] = p_value[j + k * d];
        }
    }
    TRY(sort_copy(ctx, a, m, all, &sorted));
    *out = -1.0;
    for (int64_t i = 0; i < m; i++) {
        *out = sorted[i] <= alpha * (double)(i + 1) / (double)m ? sorted[i] : *out;
    }
    arena_rewind(a, mark);
    return NONSENS_OK;
}

nonsens_status lingam_find_weights(nonsens_context *ctx, arena *a, const lingam_order *order,
                                   enum option_coefficients which, double alpha, int threads, lingam_weights *out)
{
    int64_t d = order->d;
    double largest = 1.0;
    *out = (lingam_weights){0};
    TRY(check_factor(ctx, order));
    ARENA_TRY(ctx, a, out->least_squares, d * d);
    ARENA_TRY(ctx, a, out->p_value, d * d);
    ARENA_TRY(ctx, a, out->weight, d * d);
    ARENA_TRY(ctx, a, out->stays, d * d);
    TRY(fit_least_squares(ctx, a, order, out));
    if (which == COEFFICIENTS_LASSO) {
        return keep_by_lasso(ctx, a, order, threads, out);
    }
    if (which == COEFFICIENTS_TESTED) {
        TRY(benjamini_hochberg(ctx, a, d, out->p_value, alpha, &largest));
    }
    keep_up_to(out, d, largest);
    return NONSENS_OK;
}
