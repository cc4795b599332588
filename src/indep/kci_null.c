/*
 * kci_null.c - the null distribution of T = (1/n) |sum_t w_t|^2, w_t = psi_t (x) phi_t, in one segment.
 *
 * If x and y are independent given z, T is asymptotically sum_k l_k chi^2_1, where l are the eigenvalues of C = (1/n)
 * sum w_t w_t' (Zhang et al. 2011), which are those of the n x n matrix G_st = (psi_s . psi_t)(phi_s . phi_t) / n.  The
 * moments here are exactly those of T with independent random signs on the w_t:
 *     mean = tr G,   variance = 2 sum_{s != t} G_st^2,   third = 8 sum over distinct s, t, u of G_st G_tu G_us.
 * Without the restriction to distinct rows (as in the paper), sizes at 100 rows were .035 to .04 instead of .045 to
 * .055.  The sums with D = diag(G):
 *     sum_{s != t} = tr G^2 - tr D^2,   sum_{s, t, u distinct} = tr G^3 - 3 tr(D G^2) + 2 tr D^3.
 * Up to KCI_GRAM_ROWS rows G is formed.  Beyond, C is formed over the PAIRS products of directions that carry most of
 * the mass eigen_i(x) eigen_j(y); the other pairs enter the mean exactly (|psi_t|^2 |phi_t|^2 needs no pairs), and tr
 * C^2 and tr C^3 are scaled up for them by the factor that would be right if C were the Kronecker product of the two
 * covariances.  With 400 rows and two columns of z the variance is within 1 % of that from G, the skewness within 2 %
 * (test_kci.c).
 *
 * Weights of the mixture: the eigenvalues of C, and equal weights with the sum and sum of squares of the pairs left
 * out.  One factor shrinks all weights to match the variance above, and a constant restores the mean.
 */
#include "base/parallel.h"
#include "base/rng.h"
#include "indep/kci_internal.h"
#include "math/linalg.h"
#include "math/sort.h"

#include <math.h>

enum {
    PAIRS = 256,                         /* of directions whose products enter C explicitly */
    BLOCK = 256,                         /* rows that are multiplied at a time */
    EQUAL_WEIGHTS = KCI_WEIGHTS - PAIRS, /* at most, for the pairs left out */
    SIGNS_PER_JOB = 8
};

static const double ROUNDING = 1e-12;

/* Sums from which the moments are computed, without their powers of 1/n. */
typedef struct sums {
    double d1, d2, d3;   /* of G_tt, its squares and cubes */
    double square, cube; /* tr G^2, tr G^3 */
    double mixed;        /* sum of G_tt (G^2)_tt */
} sums;

/* ---- statistic ----------------------------------------------------------------------------------------------- */

nonsens_status kci_stratum_statistic(nonsens_context *ctx, arena *scratch, const kci_stratum *a, const kci_stratum *b,
                                     double *out)
{
    double *product; // (a->rank, b->rank)
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, product, a->rank * b->rank);
    linalg_gemm(false, true, a->rank, b->rank, a->rows, 1.0, a->f, a->rank, b->f, b->rank, 0.0, product, a->rank);
    *out = linalg_dot(a->rank * b->rank, product, product) / (double)a->rows;
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

/* ---- moments ------------------------------------------------------------------------------------------------- */

/* Returns the factor of the products of row t. */
static double row_scale(const kci_stratum *a, const kci_stratum *b, int64_t t)
{
    return a->scale[t] * b->scale[t];
}

static hsic_cumulants moments(int64_t rows, const sums *s)
{
    double n = (double)rows;
    return (hsic_cumulants){.mean = s->d1 / n,
                            .variance = fmax(0.0, 2.0 * (s->square - s->d2) / (n * n)),
                            .third = 8.0 * (s->cube - 3.0 * s->mixed + 2.0 * s->d3) / (n * n * n)};
}

static void add_diagonal(double d, sums *s)
{
    s->d1 += d;
    s->d2 += d * d;
    s->d3 += d * d * d;
}

/* Shrinks the weights so that twice the sum of their squares is the variance; the shift restores the mean. */
static void fit_variance(kci_null *null)
{
    double squares = linalg_dot(null->count, null->weight, null->weight), mass = 0.0;
    double factor = squares > 0 ? sqrt(fmin(1.0, 0.5 * null->cumulants.variance / squares)) : 0.0;
    for (int64_t k = 0; k < null->count; k++) {
        null->weight[k] *= factor;
        mass += null->weight[k];
    }
    null->shift = null->cumulants.mean - mass;
}

/* ---- few rows: G itself -------------------------------------------------------------------------------------- */

static nonsens_status gram_weights(nonsens_context *ctx, arena *scratch, int64_t n, double *g, kci_null *out)
{
    out->count = n;
    ARENA_TRY(ctx, scratch, out->weight, n);
    TRY(linalg_eigen_symmetric(ctx, scratch, n, g, out->weight));
    for (int64_t k = 0; k < n; k++) {
        out->weight[k] = fmax(0.0, out->weight[k] / (double)n);
    }
    fit_variance(out);
    return NONSENS_OK;
}

static nonsens_status gram_null(nonsens_context *ctx, arena *scratch, const kci_stratum *a, const kci_stratum *b,
                                bool weights, kci_null *out)
{
    int64_t n = a->rows;
    double *g, *g2, *other; // (n, n); n G, its square, the Gram matrix of b
    sums s = {0};
    ARENA_TRY(ctx, scratch, g, n * n);
    ARENA_TRY(ctx, scratch, g2, n * n);
    ARENA_TRY(ctx, scratch, other, n * n);
    linalg_gram(a->rank, n, a->f, a->rank, g);
    linalg_gram(b->rank, n, b->f, b->rank, other);
    for (int64_t t = 0; t < n; t++) {
        for (int64_t u = 0; u < n; u++) {
            g[t * n + u] *= other[t * n + u] * row_scale(a, b, t) * row_scale(a, b, u);
        }
    }
    linalg_outer(n, n, g, n, 0.0, g2);
    for (int64_t t = 0; t < n; t++) {
        add_diagonal(g[t * n + t], &s);
        s.mixed += g[t * n + t] * g2[t * n + t];
        s.square += g2[t * n + t];
    }
    s.cube = linalg_dot(n * n, g, g2);
    out->cumulants = moments(n, &s);
    return weights ? gram_weights(ctx, scratch, n, g, out) : NONSENS_OK;
}

/* ---- many rows: products of leading directions --------------------------------------------------------------- */

typedef struct pair_set {
    int64_t count;
    int64_t (*of)[2];             /* (count): direction of a, direction of b */
    double square_in, square_out; /* sums of (eigen_i eigen_j)^2 over the pairs here and over the others */
    double cube_in, cube_out;
    double *c;          /* (count, count): sum_t w_t w_t' */
    double *c_weighted; /* (count, count): sum_t G_tt w_t w_t' */
} pair_set;

static nonsens_status choose_pairs(nonsens_context *ctx, arena *scratch, const kci_stratum *a, const kci_stratum *b,
                                   pair_set *p)
{
    int64_t all = a->rank * b->rank;
    double *mass;
    sort_entry *entry, *spare;
    ARENA_TRY(ctx, scratch, mass, all);
    ARENA_TRY(ctx, scratch, entry, all);
    ARENA_TRY(ctx, scratch, spare, all);
    *p = (pair_set){.count = all < PAIRS ? all : PAIRS};
    ARENA_TRY(ctx, scratch, p->of, p->count);
    for (int64_t k = 0; k < all; k++) {
        mass[k] = -a->eigen[k / b->rank] * b->eigen[k % b->rank];
    }
    sort_column(mass, all, entry, spare);
    for (int64_t k = 0; k < all; k++) {
        int64_t pair = entry[k].row;
        double each = mass[pair] * mass[pair];
        *(k < p->count ? &p->square_in : &p->square_out) += each;
        *(k < p->count ? &p->cube_in : &p->cube_out) -= each * mass[pair];
        if (k < p->count) {
            p->of[k][0] = pair / b->rank;
            p->of[k][1] = pair % b->rank;
        }
    }
    return NONSENS_OK;
}

/* Fills w (count, rows) with scaled products of the chosen directions, and weighted with w times the root of G_tt. */
static void fill_products(const kci_stratum *a, const kci_stratum *b, const pair_set *p, int64_t first, int64_t rows,
                          double *w, double *weighted, sums *s)
{
    for (int64_t t = first; t < first + rows; t++) {
        const double *psi = a->f + t * a->rank, *phi = b->f + t * b->rank;
        double scale = row_scale(a, b, t);
        double d = scale * scale * linalg_dot(a->rank, psi, psi) * linalg_dot(b->rank, phi, phi);
        double root = sqrt(d);
        add_diagonal(d, s);
        for (int64_t k = 0; k < p->count; k++) {
            double each = scale * psi[p->of[k][0]] * phi[p->of[k][1]];
            *w++ = each;
            *weighted++ = root * each;
        }
    }
}

static nonsens_status fill_covariance(nonsens_context *ctx, arena *scratch, const kci_stratum *a, const kci_stratum *b,
                                      pair_set *p, sums *s)
{
    double *w, *weighted; // (count, BLOCK)
    int64_t m = p->count;
    ARENA_TRY(ctx, scratch, w, m * BLOCK);
    ARENA_TRY(ctx, scratch, weighted, m * BLOCK);
    ARENA_TRY(ctx, scratch, p->c, m * m);
    ARENA_TRY(ctx, scratch, p->c_weighted, m * m);
    for (int64_t first = 0; first < a->rows; first += BLOCK) {
        int64_t rows = a->rows - first < BLOCK ? a->rows - first : BLOCK;
        TRY(check_cancelled(ctx));
        fill_products(a, b, p, first, rows, w, weighted, s);
        linalg_outer(m, rows, w, m, 1.0, p->c);
        linalg_outer(m, rows, weighted, m, 1.0, p->c_weighted);
    }
    return NONSENS_OK;
}

/* Computes the weights: eigenvalues of C, and equal ones with the sum and sum of squares of the pairs left out. */
static nonsens_status pair_weights(nonsens_context *ctx, arena *scratch, int64_t rows, const pair_set *p, const sums *s,
                                   kci_null *out)
{
    double n = (double)rows, mass = s->d1;
    double square = s->square * p->square_out / (p->square_in + p->square_out);
    for (int64_t k = 0; k < p->count; k++) {
        mass -= p->c[k * p->count + k];
    }
    int64_t equal = mass > 0 && square > 0 ? (int64_t)fmin(EQUAL_WEIGHTS, ceil(mass * mass / square)) : 0;
    out->count = p->count + equal;
    ARENA_TRY(ctx, scratch, out->weight, out->count);
    TRY(linalg_eigen_symmetric(ctx, scratch, p->count, p->c, out->weight));
    for (int64_t k = 0; k < out->count; k++) {
        out->weight[k] = k < p->count ? fmax(0.0, out->weight[k] / n) : mass / (n * (double)equal);
    }
    fit_variance(out);
    return NONSENS_OK;
}

static nonsens_status direction_null(nonsens_context *ctx, arena *scratch, const kci_stratum *a, const kci_stratum *b,
                                     bool weights, kci_null *out)
{
    pair_set p;
    sums s = {0};
    double *c2;
    TRY(choose_pairs(ctx, scratch, a, b, &p));
    int64_t m = p.count;
    ARENA_TRY(ctx, scratch, c2, m * m);
    TRY(fill_covariance(ctx, scratch, a, b, &p, &s));
    linalg_outer(m, m, p.c, m, 0.0, c2);
    s.square = linalg_dot(m * m, p.c, p.c) * (1.0 + p.square_out / p.square_in);
    s.cube = linalg_dot(m * m, c2, p.c) * (1.0 + p.cube_out / p.cube_in);
    s.mixed = linalg_dot(m * m, p.c_weighted, p.c) * (1.0 + p.square_out / p.square_in);
    out->cumulants = moments(a->rows, &s);
    return weights ? pair_weights(ctx, scratch, a->rows, &p, &s, out) : NONSENS_OK;
}

nonsens_status kci_stratum_null(nonsens_context *ctx, arena *scratch, const kci_stratum *a, const kci_stratum *b,
                                bool weights, kci_null *out)
{
    *out = (kci_null){0};
    return a->rows <= KCI_GRAM_ROWS ? gram_null(ctx, scratch, a, b, weights, out)
                                    : direction_null(ctx, scratch, a, b, weights, out);
}

/* ---- random signs -------------------------------------------------------------------------------------------- */

typedef struct signing {
    const kci_features *a, *b;
    const kci_options *options;
    int64_t max_a, max_b; /* largest ranks */
    double *values;       /* (permutations) */
} signing;

/* Fills buffer (rank, rows) with features of a from row `first` on, scaled for both sides, with random signs. */
static void sign_rows(const kci_stratum *a, const kci_stratum *b, int64_t first, int64_t rows, rng *r, double *buffer)
{
    uint32_t bits = 0;
    for (int64_t t = 0; t < rows; t++, bits >>= 1) {
        bits = t % 32 == 0 ? rng_u32(r) : bits;
        double scale = row_scale(a, b, first + t), signed_scale = bits & 1 ? scale : -scale;
        for (int64_t k = 0; k < a->rank; k++) {
            *buffer++ = signed_scale * a->f[(first + t) * a->rank + k];
        }
    }
}

static double signed_statistic(const signing *g, rng *r, double *buffer, double *product)
{
    double sum = 0.0;
    for (int64_t e = 0; e < g->a->count; e++) {
        const kci_stratum *a = g->a->strata + e, *b = g->b->strata + e;
        if (a->rank == 0 || b->rank == 0) {
            continue;
        }
        for (int64_t first = 0; first < a->rows; first += BLOCK) {
            int64_t rows = a->rows - first < BLOCK ? a->rows - first : BLOCK;
            sign_rows(a, b, first, rows, r, buffer);
            linalg_gemm(false, true, a->rank, b->rank, rows, 1.0, buffer, a->rank, b->f + first * b->rank, b->rank,
                        first > 0 ? 1.0 : 0.0, product, a->rank);
        }
        sum += linalg_dot(a->rank * b->rank, product, product) / (double)a->rows;
    }
    return sum;
}

static nonsens_status run_signs(nonsens_context *ctx, arena *local, int64_t job, void *state)
{
    const signing *g = state;
    int64_t first = job * SIGNS_PER_JOB, end = first + SIGNS_PER_JOB;
    double *buffer, *product;
    ARENA_TRY(ctx, local, buffer, g->max_a * BLOCK);
    ARENA_TRY(ctx, local, product, g->max_a * g->max_b);
    for (int64_t i = first; i < end && i < g->options->permutations; i++) {
        rng r = rng_new(g->options->seed, RNG_PERMUTATION, (g->options->job << 32) + (uint64_t)i);
        TRY(check_cancelled(ctx));
        g->values[i] = signed_statistic(g, &r, buffer, product);
    }
    return NONSENS_OK;
}

nonsens_status kci_bootstrap(nonsens_context *ctx, arena *scratch, const kci_features *a, const kci_features *b,
                             double statistic, const kci_options *options, double *p_value)
{
    signing g = {.a = a, .b = b, .options = options};
    for (int64_t e = 0; e < a->count; e++) {
        g.max_a = a->strata[e].rank > g.max_a ? a->strata[e].rank : g.max_a;
        g.max_b = b->strata[e].rank > g.max_b ? b->strata[e].rank : g.max_b;
    }
    ARENA_TRY(ctx, scratch, g.values, options->permutations);
    int64_t jobs = (options->permutations + SIGNS_PER_JOB - 1) / SIGNS_PER_JOB, reached = 0;
    TRY(parallel_for(ctx, options->threads, jobs, NULL, run_signs, &g));
    for (int64_t i = 0; i < options->permutations; i++) {
        reached += g.values[i] >= statistic * (1.0 - ROUNDING);
    }
    *p_value = (double)(1 + reached) / (double)(1 + options->permutations);
    return NONSENS_OK;
}
