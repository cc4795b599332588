/*
 * hsic.c - the HSIC test of independence, pooled or stratified.
 *
 * Statistic: n HSIC_b = (1/n) tr(K H L H) = (1/n) ||F_x F_y'||^2 with the centred factors of cholesky.c (Gretton,
 * Bousquet, Smola, Schoelkopf 2005; Gretton, Fukumizu, Teo, Song, Schoelkopf, Smola 2007).
 *
 * Null: where this deviates from the 2007 paper.  The paper fits a gamma distribution to asymptotic estimates of mean
 * and variance.  Here mean, variance and third moment are those of T over all n! permutations of the rows, which are
 * known exactly for tr(A P B P') with centred A and B (Kazi-Aoual, Hitier, Sabatier, Lebreton, "Refined approximations
 * to permutation tests for multivariate inference", Computational Statistics & Data Analysis 20, 1995) and need only
 * traces, diagonals and a sum of cubes, O(n r^2) to O(n r^3) from the factors.  A gamma distribution with a shift
 * (Pearson type III) gets all three. Measured under independence, Laplace noise, Kolmogorov-Smirnov distance of
 * p-values from uniform and size at .0125, 4,000 repetitions of the n x n forms: 100 rows, 2007 moments .055 and .0158,
 * exact mean and variance .044 and .0152, all three .016 and .0115; ten segments of ten rows, .370 and .0132, .015 and
 * .0127, .017 and .0110.
 *
 * Permutations: rows of y are permuted inside their segments through the factor, which is never made again; the width
 * does not depend on the order of rows, so the test is exact.  Directions that carry less than 1e-6 of the trace are
 * left out of T and T* alike.
 */
#include "indep/hsic.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "indep/cholesky.h"
#include "math/linalg.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

enum {
    LEAST_ROWS = 10,
    LEAST_ROWS_MOMENTS = 6, /* the third moment divides by n - 5 */
    PAIR_ROWS = 300,        /* sums over pairs of rows only up to here, and only where they are cheaper */
    CUBE_DIRECTIONS = 24,
    BLOCK = 256,
    PERMUTATIONS_PER_JOB = 8
};

static const double PERMUTED_SHARE = 1e-6; /* of the trace that permutations may leave out */
static const double CUBE_SHARE = 1e-5;     /* of the trace that the sum of cubes may leave out */
static const double ROUNDING = 1e-10;      /* T* this close below T, relatively, counts as a tie */

/* What the moments need to know of a centred symmetric matrix W (n, n), d its diagonal. */
typedef struct invariants {
    double t, t2, t3; /* traces of W, W^2, W^3 */
    double s2, s3;    /* sums of d_i^2, d_i^3 */
    double u;         /* sum of w_ij^3 */
    double r;         /* sum of d_i (W^2)_ii */
    double b;         /* d' W d */
} invariants;

/* Of T under permutations; third: the third central moment. */
typedef struct cumulants {
    double mean, variance, third;
} cumulants;

typedef struct stratum {
    kernel_factor x, y;
} stratum;

/* ---- moments over all permutations --------------------------------------------------------------------------- */

static double moments_variance(double n, const invariants *v, const invariants *w)
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
static double moments_third(double n, const invariants *v, const invariants *w)
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

/* Of (1/n) tr(W_v P W_w P'). */
static cumulants permutation_cumulants(int64_t rows, const invariants *v, const invariants *w)
{
    double n = (double)rows, mean = v->t * w->t / (n - 1);
    double variance = fmax(0.0, moments_variance(n, v, w));
    double third = moments_third(n, v, w) - 3 * mean * variance - mean * mean * mean;
    return (cumulants){mean / n, variance / (n * n), third / (n * n * n)};
}

/* Upper tail at x of the shifted gamma distribution with these moments; of its mirror image where the skew is negative,
 * of the normal distribution where there is hardly any.  1 if all permutations have the same T, up to rounding. */
static double hsic_tail(const cumulants *c, double x)
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

static double dot(int64_t k, const double *a, const double *b)
{
    double sum = 0.0;
    for (int64_t i = 0; i < k; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* Sum over i, j of (f_i . f_j)^3, pair by pair: O(n^2 k). */
static double cubes_by_pairs(const kernel_factor *w, int64_t k)
{
    double sum = 0.0;
    for (int64_t i = 0; i < w->n; i++) {
        const double *f = w->f + i * w->rank;
        double d = dot(k, f, f), row = 0.0;
        for (int64_t j = 0; j < i; j++) {
            double product = dot(k, f, w->f + j * w->rank);
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
    double *products, *sums; // (pairs, BLOCK), (pairs, k)
    ARENA_TRY(ctx, scratch, products, pairs * BLOCK);
    ARENA_TRY(ctx, scratch, sums, pairs * k);
    for (int64_t first = 0; first < w->n; first += BLOCK) {
        int64_t rows = w->n - first < BLOCK ? w->n - first : BLOCK;
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
    int64_t k = cholesky_leading(w, CUBE_SHARE);
    if (w->n <= PAIR_ROWS && 3 * w->n <= (k + 1) * (k + 2)) {
        *out = cubes_by_pairs(w, w->rank);
        return NONSENS_OK;
    }
    arena_mark mark = arena_tell(scratch);
    TRY(cubes_by_directions(ctx, scratch, w, k < CUBE_DIRECTIONS ? k : CUBE_DIRECTIONS, out));
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

static nonsens_status factor_invariants(nonsens_context *ctx, arena *scratch, const kernel_factor *w, invariants *v)
{
    double *weighted; // (rank): F d
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, weighted, w->rank);
    *v = (invariants){0};
    for (int64_t k = 0; k < w->rank; k++) {
        double eigen = w->eigen[k];
        v->t2 += eigen * eigen;
        v->t3 += eigen * eigen * eigen;
    }
    for (int64_t i = 0; i < w->n; i++) {
        const double *f = w->f + i * w->rank;
        double d = dot(w->rank, f, f), squared = 0.0; // (W^2)_ii = f_i' diag(eigen) f_i
        for (int64_t k = 0; k < w->rank; k++) {
            squared += w->eigen[k] * f[k] * f[k];
            weighted[k] += d * f[k];
        }
        v->t += d;
        v->s2 += d * d;
        v->s3 += d * d * d;
        v->r += d * squared;
    }
    v->b = dot(w->rank, weighted, weighted);
    arena_rewind(scratch, mark);
    return sum_of_cubes(ctx, scratch, w, &v->u);
}

/* ---- the test ------------------------------------------------------------------------------------------------ */

/*
 * (1/n) ||F_x P F_y'||^2 over the first kx and ky directions; order (n): row i of x meets row order[i] of y, or its own
 * where order is NULL.  buffer (ky, BLOCK) is used with an order only, product (kx, ky) always.
 */
static double cross_norm(const stratum *s, int64_t kx, int64_t ky, const int64_t *order, double *buffer,
                         double *product)
{
    int64_t n = s->x.n;
    for (int64_t first = 0; first < n; first += BLOCK) {
        int64_t rows = n - first < BLOCK ? n - first : BLOCK, ld = order ? ky : s->y.rank;
        const double *y = order ? buffer : s->y.f + first * s->y.rank;
        for (int64_t i = 0; order && i < rows; i++) {
            memcpy(buffer + i * ky, s->y.f + order[first + i] * s->y.rank, (size_t)ky * sizeof *buffer);
        }
        linalg_gemm(false, true, kx, ky, rows, 1.0, s->x.f + first * s->x.rank, s->x.rank, y, ld, first > 0 ? 1.0 : 0.0,
                    product, kx);
    }
    return dot(kx * ky, product, product) / (double)n;
}

static nonsens_status statistic_of(nonsens_context *ctx, arena *scratch, const stratum *s, double *out)
{
    double *product; // (rank x, rank y)
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, product, s->x.rank * s->y.rank);
    *out = cross_norm(s, s->x.rank, s->y.rank, NULL, NULL, product);
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

static nonsens_status factor_stratum(nonsens_context *ctx, arena *scratch, int64_t n, const double *x, const double *y,
                                     stratum *s, bool *usable)
{
    double width_x, width_y;
    *usable = false;
    if (n < LEAST_ROWS) {
        return NONSENS_OK;
    }
    TRY(cholesky_width(ctx, n, x, &width_x));
    TRY(cholesky_width(ctx, n, y, &width_y));
    if (width_x <= 0 || width_y <= 0) {
        return NONSENS_OK;
    }
    *usable = true;
    TRY(cholesky_factor(ctx, scratch, n, x, width_x, &s->x));
    return cholesky_factor(ctx, scratch, n, y, width_y, &s->y);
}

/* Adds a segment's statistic and cumulants. */
static nonsens_status add_stratum(nonsens_context *ctx, arena *scratch, const stratum *s, double *statistic,
                                  cumulants *sum)
{
    double part;
    invariants v, w;
    TRY(statistic_of(ctx, scratch, s, &part));
    TRY(factor_invariants(ctx, scratch, &s->x, &v));
    TRY(factor_invariants(ctx, scratch, &s->y, &w));
    cumulants c = permutation_cumulants(s->x.n, &v, &w);
    *statistic += part;
    sum->mean += c.mean;
    sum->variance += c.variance;
    sum->third += c.third;
    return NONSENS_OK;
}

static nonsens_status check_input(nonsens_context *ctx, int64_t n, const double *x, const double *y, int64_t segments,
                                  const int64_t *start, const hsic_options *options)
{
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i])) {
            return fail(ctx, NONSENS_ERR_DATA, "HSIC: a value in row %lld is not finite; drop the row",
                        (long long)i + 1);
        }
    }
    for (int64_t e = 0; e < segments; e++) {
        if (start[e] < 0 || start[e] > start[e + 1] || start[e + 1] > n) {
            return fail(ctx, NONSENS_ERR_USAGE,
                        "HSIC: segment %lld has bounds outside the %lld rows; pass sorted bounds", (long long)e + 1,
                        (long long)n);
        }
    }
    if (options->null_kind == NULL_PERMUTATION && options->permutations < 1) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "HSIC: a permutation null needs at least one permutation; ask for 199 or more");
    }
    return NONSENS_OK;
}

/* ---- permutations -------------------------------------------------------------------------------------------- */

typedef struct permuting {
    int64_t count; /* strata */
    const stratum *strata;
    int64_t (*directions)[2]; /* (count): used of x and y */
    int64_t rows, kx, ky;     /* the largest of all strata, for buffers */
    const hsic_options *options;
    double *values; /* (permutations): T* */
} permuting;

typedef struct workspace {
    int64_t *order;           // (rows)
    double *buffer, *product; // (ky, BLOCK), (kx, ky)
} workspace;

static nonsens_status workspace_get(nonsens_context *ctx, arena *a, const permuting *p, workspace *w)
{
    ARENA_TRY(ctx, a, w->order, p->rows);
    ARENA_TRY(ctx, a, w->buffer, p->ky * BLOCK);
    ARENA_TRY(ctx, a, w->product, p->kx * p->ky);
    return NONSENS_OK;
}

/* T after a shuffle inside every segment; r = NULL: as observed. */
static double permuted_statistic(const permuting *p, rng *r, workspace *w)
{
    double sum = 0.0;
    for (int64_t e = 0; e < p->count; e++) {
        const stratum *s = p->strata + e;
        for (int64_t i = 0; i < s->x.n; i++) {
            w->order[i] = i;
        }
        if (r) {
            rng_shuffle(r, s->x.n, w->order);
        }
        sum += cross_norm(s, p->directions[e][0], p->directions[e][1], w->order, w->buffer, w->product);
    }
    return sum;
}

static nonsens_status run_permutations(nonsens_context *ctx, int64_t job, void *state)
{
    const permuting *p = state;
    const hsic_options *o = p->options;
    int64_t first = job * PERMUTATIONS_PER_JOB, end = first + PERMUTATIONS_PER_JOB;
    arena local = {0};
    workspace w;
    nonsens_status status = workspace_get(ctx, &local, p, &w);
    for (int64_t b = first; b < end && b < o->permutations && status == NONSENS_OK; b++) {
        rng r = rng_open(o->seed, RNG_PERMUTATION, (o->job << 32) + (uint64_t)b);
        p->values[b] = permuted_statistic(p, &r, &w);
        status = check_cancelled(ctx);
    }
    arena_free(&local);
    return status;
}

static nonsens_status choose_directions(nonsens_context *ctx, arena *scratch, permuting *p)
{
    ARENA_TRY(ctx, scratch, p->directions, p->count);
    for (int64_t e = 0; e < p->count; e++) {
        const stratum *s = p->strata + e;
        int64_t kx = cholesky_leading(&s->x, PERMUTED_SHARE), ky = cholesky_leading(&s->y, PERMUTED_SHARE);
        p->directions[e][0] = kx;
        p->directions[e][1] = ky;
        p->kx = p->kx > kx ? p->kx : kx;
        p->ky = p->ky > ky ? p->ky : ky;
        p->rows = p->rows > s->x.n ? p->rows : s->x.n;
    }
    return NONSENS_OK;
}

static nonsens_status permutation_p(nonsens_context *ctx, arena *scratch, int64_t count, const stratum *strata,
                                    const hsic_options *options, double *p_value)
{
    permuting p = {.count = count, .strata = strata, .options = options};
    workspace w;
    TRY(choose_directions(ctx, scratch, &p));
    TRY(workspace_get(ctx, scratch, &p, &w));
    ARENA_TRY(ctx, scratch, p.values, options->permutations);
    int64_t jobs = (options->permutations + PERMUTATIONS_PER_JOB - 1) / PERMUTATIONS_PER_JOB;
    TRY(parallel_for(ctx, options->threads, jobs, NULL, run_permutations, &p));
    double observed = permuted_statistic(&p, NULL, &w);
    int64_t reached = 0;
    for (int64_t b = 0; b < options->permutations; b++) {
        reached += p.values[b] >= observed * (1.0 - ROUNDING);
    }
    *p_value = (double)(1 + reached) / (double)(1 + options->permutations);
    return NONSENS_OK;
}

static bool wants_permutations(const hsic_options *o, double gamma_p)
{
    if (o->null_kind == NULL_PERMUTATION) {
        return true;
    }
    return o->refine_at > 0 && o->permutations > 0 && gamma_p <= 3.0 * o->refine_at && 3.0 * gamma_p >= o->refine_at;
}

nonsens_status hsic_test(nonsens_context *ctx, arena *scratch, int64_t n, const double *x, const double *y,
                         int64_t segments, const int64_t *start, const hsic_options *options, hsic_result *out)
{
    stratum *strata;
    cumulants sum = {0};
    *out = (hsic_result){.p_value = 1.0};
    TRY(check_input(ctx, n, x, y, segments, start, options));
    ARENA_TRY(ctx, scratch, strata, segments);
    for (int64_t e = 0; e < segments; e++) {
        bool usable;
        stratum *s = strata + out->segments_used;
        int64_t rows = start[e + 1] - start[e];
        TRY(check_cancelled(ctx));
        TRY(factor_stratum(ctx, scratch, rows, x + start[e], y + start[e], s, &usable));
        if (usable) {
            TRY(add_stratum(ctx, scratch, s, &out->statistic, &sum));
            out->segments_used++;
            out->rows_used += rows;
        }
    }
    out->segments_skipped = segments - out->segments_used;
    if (out->segments_used == 0) {
        return NONSENS_OK;
    }
    out->mean = sum.mean;
    out->variance = sum.variance;
    out->skewness = sum.variance > 0 ? sum.third / (sum.variance * sqrt(sum.variance)) : 0.0;
    out->p_value = hsic_tail(&sum, out->statistic);
    out->by_permutation = wants_permutations(options, out->p_value);
    return out->by_permutation ? permutation_p(ctx, scratch, out->segments_used, strata, options, &out->p_value)
                               : NONSENS_OK;
}

/* ---- reference ----------------------------------------------------------------------------------------------- */

static void centre_matrix(int64_t n, double *k, double *mean)
{
    double all = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean[i] = 0.0;
        for (int64_t j = 0; j < n; j++) {
            mean[i] += k[i * n + j] / (double)n;
        }
        all += mean[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            k[i * n + j] += all - mean[i] - mean[j];
        }
    }
}

static nonsens_status reference_kernel(nonsens_context *ctx, arena *scratch, int64_t n, const double *v, double width,
                                       double **out)
{
    double *mean, *k;
    ARENA_TRY(ctx, scratch, mean, n);
    ARENA_TRY(ctx, scratch, k, n * n);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            double d = (v[i] - v[j]) / width;
            k[i * n + j] = exp(-0.5 * d * d);
        }
    }
    centre_matrix(n, k, mean);
    *out = k;
    return NONSENS_OK;
}

static nonsens_status reference_invariants(nonsens_context *ctx, arena *scratch, int64_t n, const double *w,
                                           invariants *v)
{
    double *square; // (n, n)
    ARENA_TRY(ctx, scratch, square, n * n);
    linalg_gemm(false, false, n, n, n, 1.0, w, n, w, n, 0.0, square, n);
    *v = (invariants){0};
    for (int64_t i = 0; i < n; i++) {
        double d = w[i * n + i];
        v->t += d;
        v->t2 += square[i * n + i];
        v->s2 += d * d;
        v->s3 += d * d * d;
        v->r += d * square[i * n + i];
        for (int64_t j = 0; j < n; j++) {
            double each = w[i * n + j];
            v->t3 += square[i * n + j] * each;
            v->u += each * each * each;
            v->b += d * each * w[j * n + j];
        }
    }
    return NONSENS_OK;
}

nonsens_status hsic_reference(nonsens_context *ctx, arena *scratch, int64_t n, const double *x, const double *y,
                              double width_x, double width_y, double *statistic, double *mean, double *variance)
{
    double *k, *l;
    invariants v, w;
    if (n < LEAST_ROWS_MOMENTS || !(width_x > 0) || !(width_y > 0)) {
        return fail(ctx, NONSENS_ERR_USAGE, "HSIC reference: needs at least %d rows and positive widths",
                    LEAST_ROWS_MOMENTS);
    }
    TRY(reference_kernel(ctx, scratch, n, x, width_x, &k));
    TRY(reference_kernel(ctx, scratch, n, y, width_y, &l));
    TRY(reference_invariants(ctx, scratch, n, k, &v));
    TRY(reference_invariants(ctx, scratch, n, l, &w));
    cumulants c = permutation_cumulants(n, &v, &w);
    *statistic = dot(n * n, k, l) / (double)n;
    *mean = c.mean;
    *variance = c.variance;
    return NONSENS_OK;
}
