/*
 * cdnod_changes.c - independent changes of modules (Huang, Zhang, Zhang, Ramsey, Sanchez-Romero, Glymour, Schoelkopf,
 * "Causal Discovery from Heterogeneous/Nonstationary Data", JMLR 21, 2020, the section on causal direction by
 * independent changes).
 *
 * Each module is represented in each segment by a kernel embedding; M is a kernel matrix of the embeddings of the
 * segments, and with H M H written M~ the dependence of two modules is
 *     D = tr(M~_1 M~_2) / sqrt(tr M~_1^2 tr M~_2^2).
 * The direction with the smaller D is chosen: D(X -> Y) compares P(X) with P(Y | X).
 *
 * Embeddings.  Columns are replaced by normal scores.  phi are leading kernel principal components of the target over
 * all rows; u those of what is given, scaled to unit variance, and a constant.  The pooled regression of phi on u
 * leaves r_t; in segment c, with the second moments A_c of u there,
 *     B_c = argmin sum_t |r_t - B' u_t|^2 + RIDGE k |B|^2     (k the number of elements of u),
 *     squared distance of c and d = tr (B_c - B_d)' (A_c^-1 + A_d^-1)^-1 (B_c - B_d):
 * two conditional distributions are compared where both segments have rows.  If one has no rows there, its B is
 * extrapolated and depends on where its rows lie, that is on the other module.  With nothing given B_c is the mean
 * embedding of the segment, and the weight is the same for all.  These weights also depend on where rows lie, so
 * permuting the segments would break a link that exists without dependence: the p-value is that of D with
 * |B_c - B_d|^2 instead.
 *
 * Differences from the paper.  It smooths over time; here the segment is a category, and each stands for itself.
 * Segments shrink towards the pooled embedding instead, and the weights above are ours.  M is minus half the distance,
 * so D is the square of the distance correlation (Szekely, Rizzo, Bakirov, Annals of Statistics 35, 2007), which is
 * HSIC with the kernel that the distance induces (Sejdinovic, Sriperumbudur, Gretton, Fukumizu, Annals of Statistics
 * 41, 2013); the paper has a Gaussian kernel and the denominator tr M~_1 tr M~_2.  Comparison: docs/baselines.md.
 */
#include "methods/cdnod/cdnod_changes.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "indep/kernel.h"
#include "math/linalg.h"
#include "math/sort.h"
#include "math/special.h"

#include <math.h>

enum {
    TARGET_DIRECTIONS = 12,
    GIVEN_DIRECTIONS = 8, /* for each column given */
    GIVEN_MAX = 24,       /* for all columns given */
    RANK_MAX = 100
};

static const double WIDTH = 0.33;      /* of the kernels, in median distances */
static const double TRACE_LOST = 1e-4; /* share of the trace that a factor may lose; only leading directions are used */
static const double RIDGE = 0.3;
static const double MIN_MOMENT = 0.02; /* added to the second moments of what is given, which are 1 over all rows */
static const double ROUNDING = 1e-12;

/* ---- normal scores ---- */

nonsens_status cdnod_scores(nonsens_context *ctx, arena *scratch, int64_t n, const double *v, double *out)
{
    TRY(sort_ranks(ctx, scratch, n, v, out));
    for (int64_t i = 0; i < n; i++) {
        out[i] = special_normal_quantile((out[i] + 0.5) / (double)n);
    }
    return NONSENS_OK;
}

/* ---- embeddings ---- */

/* Features of all rows, those of a row next to one another; their sums are zero, and they are uncorrelated. */
typedef struct features {
    int64_t count;
    double *f; /* (count, n) */
} features;

static nonsens_status find_features(nonsens_context *ctx, arena *a, const column_set *points, int64_t max_count,
                                    bool unit_variance, features *out)
{
    double *width;
    kernel_factor factor;
    kernel_limits limits = {RANK_MAX, TRACE_LOST, 1};
    *out = (features){0, NULL};
    ARENA_TRY(ctx, a, width, points->d + 1);
    if (points->d > 0) {
        TRY(kernel_widths(ctx, points, 0, points->n, width));
    }
    if (!kernel_any_width(points->d, width)) {
        return NONSENS_OK;
    }
    for (int64_t j = 0; j < points->d; j++) {
        width[j] *= WIDTH;
    }
    TRY(kernel_factorise_points(ctx, a, points, 0, points->n, width, &limits, &factor));
    out->count = factor.rank < max_count ? factor.rank : max_count;
    ARENA_TRY(ctx, a, out->f, out->count * points->n);
    for (int64_t t = 0; t < points->n; t++) {
        for (int64_t k = 0; k < out->count; k++) {
            double scale = unit_variance && factor.eigen[k] > 0.0 ? sqrt((double)points->n / factor.eigen[k]) : 1.0;
            out->f[t * out->count + k] = scale * factor.f[t * factor.rank + k];
        }
    }
    return NONSENS_OK;
}

/* Puts a constant 1 before the features of what is given: u (1 + count, n). */
static nonsens_status add_constant(nonsens_context *ctx, arena *a, int64_t n, features *u)
{
    double *f;
    int64_t count = u->count + 1;
    ARENA_TRY(ctx, a, f, count * n);
    for (int64_t t = 0; t < n; t++) {
        f[t * count] = 1.0;
        for (int64_t k = 1; k < count; k++) {
            f[t * count + k] = u->f[t * u->count + k - 1];
        }
    }
    *u = (features){count, f};
    return NONSENS_OK;
}

/* Subtracts from phi its regression on u over all rows; the second moments of u are the identity. */
static nonsens_status subtract_pooled(nonsens_context *ctx, arena *a, int64_t n, const features *u, features *phi)
{
    double *fit; // (u->count, phi->count)
    ARENA_TRY(ctx, a, fit, u->count * phi->count);
    linalg_gemm(false, true, u->count, phi->count, n, 1.0 / (double)n, u->f, u->count, phi->f, phi->count, 0.0, fit,
                u->count);
    linalg_gemm(true, false, phi->count, n, u->count, -1.0, fit, u->count, u->f, u->count, 1.0, phi->f, phi->count);
    return NONSENS_OK;
}

/* Embeds the module in one segment: coefficients b (k, q) and the second moments a (k, k) of what is given. */
static nonsens_status embed_segment(nonsens_context *ctx, arena *scratch, const features *u, const features *phi,
                                    int64_t first, int64_t end, double *b, double *a)
{
    int64_t k = u->count, q = phi->count;
    double *gram, rows = (double)(end - first);
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, gram, k * k);
    linalg_outer(k, end - first, u->f + first * k, k, 0.0, gram);
    linalg_gemm(false, true, k, q, end - first, 1.0, u->f + first * k, k, phi->f + first * q, q, 0.0, b, k);
    for (int64_t i = 0; i < k * k; i++) {
        a[i] = gram[i] / rows;
    }
    for (int64_t i = 0; i < k; i++) {
        a[i * k + i] += MIN_MOMENT;
        gram[i * k + i] += RIDGE * (double)k;
    }
    TRY(linalg_cholesky(ctx, k, gram));
    linalg_solve_lower(false, k, q, gram, k, b, k);
    linalg_solve_lower(true, k, q, gram, k, b, k);
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

/* The embeddings of a module in all segments. */
typedef struct embedded {
    int64_t segments, k, q;
    double *b, *a;                    /* (k, q) and (k, k) for each segment */
    double *gap, *left, *right, *sum; /* scratch: (k, q) three times, (k, k) */
} embedded;

/* (A_c^-1 + A_d^-1)^-1 = A_c (A_c + A_d)^-1 A_d: tr of (L^-1 A_c gap)' (L^-1 A_d gap), L L' = A_c + A_d; sets gap. */
static nonsens_status distance_of(nonsens_context *ctx, const embedded *m, int64_t c, int64_t d, double *out)
{
    int64_t k = m->k, q = m->q;
    const double *of_c = m->a + c * k * k, *of_d = m->a + d * k * k;
    for (int64_t i = 0; i < k * q; i++) {
        m->gap[i] = m->b[c * k * q + i] - m->b[d * k * q + i];
    }
    for (int64_t i = 0; i < k * k; i++) {
        m->sum[i] = of_c[i] + of_d[i];
    }
    TRY(linalg_cholesky(ctx, k, m->sum));
    linalg_gemm(false, false, k, q, k, 1.0, of_c, k, m->gap, k, 0.0, m->left, k);
    linalg_gemm(false, false, k, q, k, 1.0, of_d, k, m->gap, k, 0.0, m->right, k);
    linalg_solve_lower(false, k, q, m->sum, k, m->left, k);
    linalg_solve_lower(false, k, q, m->sum, k, m->right, k);
    *out = fmax(linalg_dot(k * q, m->left, m->right), 0.0);
    return NONSENS_OK;
}

static nonsens_status fill_distances(nonsens_context *ctx, const embedded *m, const cdnod_distances *out)
{
    for (int64_t c = 0; c < m->segments; c++) {
        TRY(check_cancelled(ctx));
        for (int64_t d = 0; d < c; d++) {
            int64_t here = c * m->segments + d, mirrored = d * m->segments + c;
            TRY(distance_of(ctx, m, c, d, &out->shared[here]));
            out->shared[mirrored] = out->shared[here];
            out->plain[here] = out->plain[mirrored] = linalg_dot(m->k * m->q, m->gap, m->gap);
        }
        out->shared[c * m->segments + c] = out->plain[c * m->segments + c] = 0.0;
    }
    return NONSENS_OK;
}

nonsens_status cdnod_module_distances(nonsens_context *ctx, arena *a, const column_set *target, const column_set *given,
                                      const row_groups *groups, const cdnod_distances *out)
{
    features phi, u;
    arena_mark mark = arena_tell(a);
    int64_t directions = GIVEN_DIRECTIONS * given->d;
    TRY(find_features(ctx, a, target, TARGET_DIRECTIONS, false, &phi));
    TRY(find_features(ctx, a, given, directions < GIVEN_MAX ? directions : GIVEN_MAX, true, &u));
    TRY(add_constant(ctx, a, target->n, &u));
    TRY(subtract_pooled(ctx, a, target->n, &u, &phi));
    int64_t segments = groups->count, k = u.count, q = phi.count;
    embedded m = {.segments = segments, .k = k, .q = q};
    ARENA_TRY(ctx, a, m.b, k * q * segments + 1);
    ARENA_TRY(ctx, a, m.a, k * k * segments);
    ARENA_TRY(ctx, a, m.gap, k * q + 1);
    ARENA_TRY(ctx, a, m.left, k * q + 1);
    ARENA_TRY(ctx, a, m.right, k * q + 1);
    ARENA_TRY(ctx, a, m.sum, k * k);
    for (int64_t c = 0; c < segments; c++) {
        TRY(embed_segment(ctx, a, &u, &phi, groups->start[c], groups->start[c + 1], m.b + c * k * q, m.a + c * k * k));
    }
    TRY(fill_distances(ctx, &m, out));
    arena_rewind(a, mark);
    return NONSENS_OK;
}

/* ---- dependence ---- */

/* Computes m (segments, segments) = -H S H / 2, with S the distances of the embeddings. */
static nonsens_status centred_distances(nonsens_context *ctx, arena *a, int64_t segments, const double *square,
                                        double *m)
{
    double *mean, all = 0.0;
    ARENA_TRY(ctx, a, mean, segments);
    for (int64_t c = 0; c < segments; c++) {
        for (int64_t d = 0; d < segments; d++) {
            m[c * segments + d] = -0.5 * sqrt(square[c * segments + d]);
            mean[c] += m[c * segments + d] / (double)segments;
        }
        all += mean[c] / (double)segments;
    }
    for (int64_t c = 0; c < segments; c++) {
        for (int64_t d = 0; d < segments; d++) {
            m[c * segments + d] += all - mean[c] - mean[d];
        }
    }
    return NONSENS_OK;
}

typedef struct permuting {
    int64_t segments;
    const double *first, *second; /* centred */
    const cdnod_permutations *permutations;
    double observed;
    bool *reached; /* (permutations->count) */
} permuting;

static nonsens_status permute_once(nonsens_context *ctx, arena *local, int64_t job, void *state)
{
    const permuting *p = state;
    int64_t *order, n = p->segments;
    double sum = 0.0;
    rng r = rng_new(p->permutations->seed, RNG_PERMUTATION, (p->permutations->job << 32) + (uint64_t)job);
    ARENA_TRY(ctx, local, order, n);
    for (int64_t c = 0; c < n; c++) {
        order[c] = c;
    }
    rng_shuffle(&r, n, order);
    TRY(check_cancelled(ctx));
    for (int64_t c = 0; c < n; c++) {
        const double *row = p->second + order[c] * n;
        for (int64_t d = 0; d < n; d++) {
            sum += p->first[c * n + d] * row[order[d]];
        }
    }
    p->reached[job] = sum >= p->observed - ROUNDING * fabs(p->observed);
    return NONSENS_OK;
}

nonsens_status cdnod_compare_changes(nonsens_context *ctx, arena *a, int64_t segments, const double *first,
                                     const double *second, const cdnod_permutations *permutations,
                                     cdnod_dependence *out)
{
    double *m[2];
    arena_mark mark = arena_tell(a);
    *out = (cdnod_dependence){0.0, 1.0};
    for (int k = 0; k < 2; k++) {
        ARENA_TRY(ctx, a, m[k], segments * segments);
        TRY(centred_distances(ctx, a, segments, k == 0 ? first : second, m[k]));
    }
    int64_t all = segments * segments, reached = 1;
    double norm = sqrt(linalg_dot(all, m[0], m[0])) * sqrt(linalg_dot(all, m[1], m[1]));
    if (norm > 0.0) {
        permuting p = {segments, m[0], m[1], permutations, linalg_dot(all, m[0], m[1]), NULL};
        out->value = p.observed / norm;
        ARENA_TRY(ctx, a, p.reached, permutations->count);
        TRY(parallel_for(ctx, permutations->threads, permutations->count, NULL, permute_once, &p));
        for (int64_t i = 0; i < permutations->count; i++) {
            reached += p.reached[i];
        }
        out->p_value = (double)reached / (double)(1 + permutations->count);
    }
    arena_rewind(a, mark);
    return NONSENS_OK;
}

/* ---- the two directions of an edge ---- */

/* The module of node k given its parents and, unless `alone`, the other node. */
static nonsens_status module_of(nonsens_context *ctx, arena *a, const cdnod_modules *m, const cdnod_line *line, int k,
                                bool alone, cdnod_distances *out)
{
    const double **v;
    int64_t d = 0, pairs = m->groups.count * m->groups.count;
    ARENA_TRY(ctx, a, out->shared, pairs);
    ARENA_TRY(ctx, a, out->plain, pairs);
    ARENA_TRY(ctx, a, v, line->parents[k] + 1);
    if (!alone) {
        v[d++] = m->score[line->node[1 - k]];
    }
    for (int64_t i = 0; i < line->parents[k]; i++) {
        v[d++] = m->score[line->parent[k][i]];
    }
    column_set target = {m->n, 1, &m->score[line->node[k]]}, given = {m->n, d, v};
    return cdnod_module_distances(ctx, a, &target, &given, &m->groups, out);
}

nonsens_status cdnod_compare_directions(nonsens_context *ctx, arena *a, const cdnod_modules *m, const cdnod_line *line,
                                        const cdnod_permutations *permutations, cdnod_dependence out[2])
{
    arena_mark mark = arena_tell(a);
    for (int k = 0; k < 2; k++) {
        cdnod_permutations own = *permutations, none = *permutations;
        cdnod_distances cause, effect;
        cdnod_dependence shared;
        own.job = 2 * permutations->job + (uint64_t)k;
        none.count = 0;
        TRY(module_of(ctx, a, m, line, k, true, &cause));
        TRY(module_of(ctx, a, m, line, 1 - k, false, &effect));
        TRY(cdnod_compare_changes(ctx, a, m->groups.count, cause.shared, effect.shared, &none, &shared));
        TRY(cdnod_compare_changes(ctx, a, m->groups.count, cause.plain, effect.plain, &own, &out[k]));
        out[k].value = shared.value;
    }
    arena_rewind(a, mark);
    return NONSENS_OK;
}
