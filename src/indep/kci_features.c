/*
 * kci_features.c - residual features of one side of the conditional test.
 *
 * F (r, n) is the centred factor of the kernel on the target, or on (target, z): a product of Gaussian kernels.  With
 * the factor of z written as diag(sqrt(l)) U', its ridge regression leaves
 *     Psi = F - A' diag(s) U',   A = U' F',   s_k = l_k / (l_k + eps),
 * and Psi Psi' = diag(eigen) - A' diag(1 - (1 - s)^2) A needs no further pass over the rows; Psi is then rotated to its
 * principal directions, and the leading ones are kept.
 *
 * Widths: median distance of each column, times the root of the number of columns for vectors; z in the target's kernel
 * has twice that (Zhang et al. halve z there).  In segments with fewer than FEW_ROWS rows, that kernel leaves z out:
 * the mean of features of (target, z) given z is too rough to be regressed out with few rows (ten segments of ten rows,
 * two columns of z, Gaussian: power .00 with z, .29 without; the n x n test with the usual settings has .04 to .09).
 *
 * eps and the width of z in the regression differ from the paper (1e-3, one width): for each side and segment they
 * minimise generalised cross-validation (Craven and Wahba, Numerische Mathematik 31, 1979), n RSS / (n - df)^2, where
 * RSS is the residual trace.  eps comes from a grid, at O(rank) each, since RSS = tr F F' - sum_k (1 - (1 - s_k)^2)
 * |A_k|^2.  The width is the usual one, or a half, a quarter or an eighth of it; a narrower one must improve n log GCV
 * by MIN_GAIN (without that, 55 rows spent 25 degrees of freedom).  Segments with few rows share one eps, chosen with
 * each residual trace in units of its segment's trace, and have the usual width.  Measured with ten segments in which
 * scales and strengths change, Laplace noise that depends on z (kci_study): with one width and 1,000 rows a segment,
 * size .28 at .05 and .20 at .01, standard deviation of (T - mean) / sd 2.5; with the chosen width .03, .00 and 1.0 (80
 * data sets).  One eps for all segments of 100 rows, two columns of z: .03 at .01 and 1.3; own eps: .01 and 1.0.
 * Undersmoothing (eps / 10) changed sizes at 1,000 rows by less than .01, so it is not used; dropping directions of the
 * target with up to a tenth of the trace changed power by .03 or less.
 *
 * Leverage: regressions shrink the residuals.  With equal noise, E psi_t psi_t' is proportional to m_t = ((I-S)^2)_tt,
 * while the variance of sum_t psi_t phi_t' follows ((I-S_x)^2 (I-S_y)^2)_tt.  So the null moments multiply row t of
 * each side by scale_t = q_t^(1/4) / m_t^(1/2), q_t = ((I-S)^4)_tt, which corrects the mean exactly if both sides have
 * the same eps, and otherwise a little too much (Cauchy-Schwarz).
 */
#include "indep/kci_internal.h"

#include "math/linalg.h"

#include <inttypes.h>
#include <math.h>

enum {
    GRID = 21,
    WIDTHS = 4,    /* of z, tried from the widest to the narrowest */
    FEW_ROWS = 50, /* segments with fewer share a ridge, and have no z in the target's kernel */
    LARGE = 20000,
    VERY_LARGE = 200000
};

static const double GRID_FIRST = 1e-6, GRID_STEP = 3.1622776601683795; /* 1e-6 .. 1e4 */
static const double NARROWER = 0.5;                                    /* ratio of each width of z to the one before */
static const double MIN_GAIN = 4.0;    /* improvement of n log GCV that a narrower width needs */
static const double WIDER = 2.0;       /* width of z in the target's kernel, over that of z alone */
static const double MAX_DEGREES = 0.5; /* degrees of freedom that a regression may spend, per row */
static const double MIN_LEFT = 1e-5;   /* share of the trace that the regression must leave */

/* One segment before the ridge is known. */
typedef struct segment {
    int64_t first, rows;
    bool used, with_z;
    kernel_factor target, z;
    double *cross;        /* (z.rank, target.rank): A */
    double *mass;         /* (z.rank): |A_k|^2 */
    double ridge, narrow; /* ridge, and width of z over the usual one; 0 without z */
    double score;         /* criterion of the best ridge */
    arena own;            /* holds factor of z, cross and mass */
} segment;

typedef struct request {
    const column_set *target, *z;
    column_set points;            /* of the kernel: target, and z if asked for */
    const kci_category *category; /* in place of a target, which then has no columns; or NULL */
    const kci_options *options;
} request;

/* ---- kernels of a segment ------------------------------------------------------------------------------------ */

nonsens_status kci_widths(nonsens_context *ctx, const column_set *points, int64_t first, int64_t rows, double *width)
{
    int64_t varying = 0;
    for (int64_t j = 0; j < points->d; j++) {
        TRY(kernel_width(ctx, rows, points->v[j] + first, width + j));
        varying += width[j] > 0;
    }
    for (int64_t j = 0; j < points->d; j++) {
        width[j] *= sqrt((double)varying);
    }
    return NONSENS_OK;
}

static nonsens_status make_kernel(nonsens_context *ctx, arena *local, const kci_kernel *k, enum kci_side side,
                                  const kci_options *options, kernel_factor *out)
{
    if (options->random_features) {
        return kci_fourier(ctx, local, k, side, options, out);
    }
    kernel_limits limits = kernel_usual_limits(k->rows);
    limits.threads = options->threads;
    limits.trace_lost = k->rows <= KCI_GRAM_ROWS ? 1e-10 : 1e-6;
    limits.max_rank = k->rows <= KCI_GRAM_ROWS ? KCI_GRAM_ROWS : k->rows <= VERY_LARGE ? limits.max_rank : 50;
    return kernel_factorise_points(ctx, local, k->points, k->first, k->rows, k->width, &limits, out);
}

/* A = diag(l)^(-1/2) F_z F' and the squared norms of its rows. */
static nonsens_status find_cross(nonsens_context *ctx, arena *local, segment *s)
{
    int64_t rz = s->z.rank, rx = s->target.rank;
    ARENA_TRY(ctx, local, s->cross, rz * rx);
    ARENA_TRY(ctx, local, s->mass, rz);
    linalg_gemm(false, true, rz, rx, s->rows, 1.0, s->z.f, rz, s->target.f, rx, 0.0, s->cross, rz);
    for (int64_t k = 0; k < rz; k++) {
        double root = sqrt(s->z.eigen[k]);
        for (int64_t j = 0; j < rx; j++) {
            double *each = s->cross + j * rz + k;
            *each = root > 0 ? *each / root : 0.0;
            s->mass[k] += *each * *each;
        }
    }
    return NONSENS_OK;
}

/* ---- ridge --------------------------------------------------------------------------------------------------- */

/* Returns s_k of the regression. */
static double fitted_share(const segment *s, int64_t k, double ridge)
{
    return s->z.eigen[k] / (s->z.eigen[k] + ridge);
}

static double segment_degrees(const segment *s, double ridge)
{
    double sum = 1.0;
    for (int64_t k = 0; s->with_z && k < s->z.rank; k++) {
        sum += fitted_share(s, k, ridge);
    }
    return sum;
}

/* Returns the share of the trace of the target that the regression leaves. */
static double segment_left(const segment *s, double ridge)
{
    double explained = 0.0;
    for (int64_t k = 0; s->with_z && k < s->z.rank; k++) {
        double rest = 1.0 - fitted_share(s, k, ridge);
        explained += (1.0 - rest * rest) * s->mass[k];
    }
    return s->target.trace > 0 ? fmax(0.0, 1.0 - explained / s->target.trace) : 0.0;
}

static bool has_few_rows(const segment *s)
{
    return s->rows < FEW_ROWS;
}

/* Returns the GCV of one segment, or of those with few rows together; infinite with too many degrees of freedom. */
static double criterion(int64_t count, const segment *s, double ridge)
{
    double left = 0.0, degrees = 0.0, rows = 0.0;
    for (int64_t e = 0; e < count; e++) {
        if (s[e].used && (count == 1 || has_few_rows(s + e))) {
            left += segment_left(s + e, ridge) * (double)s[e].rows;
            degrees += segment_degrees(s + e, ridge);
            rows += (double)s[e].rows;
        }
    }
    double margin = rows > 0 ? 1.0 - degrees / rows : 0.0;
    return margin < 1.0 - MAX_DEGREES ? INFINITY : left / (margin * margin);
}

/* Returns the best ridge of the grid; score: its criterion. */
static double choose_ridge(int64_t count, const segment *s, double *score)
{
    double ridge = GRID_FIRST, best = GRID_FIRST * pow(GRID_STEP, GRID - 1);
    *score = INFINITY;
    for (int i = 0; i < GRID; i++, ridge *= GRID_STEP) {
        double value = criterion(count, s, ridge);
        if (value < *score) {
            *score = value;
            best = ridge;
        }
    }
    return best;
}

/* Sets the common ridge of segments with few rows, and returns the geometric mean of all ridges. */
static double choose_ridges(int64_t count, segment *s)
{
    double score, common = choose_ridge(count, s, &score), sum = 0.0;
    int64_t given = 0;
    for (int64_t e = 0; e < count; e++) {
        if (s[e].used && s[e].with_z) {
            s[e].ridge = has_few_rows(s + e) ? common : s[e].ridge;
            sum += log(s[e].ridge);
            given++;
        }
    }
    return given > 0 ? exp(sum / (double)given) : 0.0;
}

/* ---- width of z ---------------------------------------------------------------------------------------------- */

/* Factors the kernel of z at `factor` times its widths, in the arena `trial`, and chooses the best ridge for it. */
static nonsens_status try_width(nonsens_context *ctx, arena *trial, const request *q, const kci_kernel *z,
                                double factor, segment *s)
{
    double *width;
    ARENA_TRY(ctx, trial, width, z->points->d);
    for (int64_t j = 0; j < z->points->d; j++) {
        width[j] = factor * z->width[j];
    }
    kci_kernel scaled = {z->points, width, z->first, z->rows};
    TRY(make_kernel(ctx, trial, &scaled, KCI_SIDE_Z, q->options, &s->z));
    TRY(find_cross(ctx, trial, s));
    s->narrow = factor;
    s->ridge = choose_ridge(1, s, &s->score);
    return NONSENS_OK;
}

/* Chooses the best width of z; segments with few rows have one width, and their ridge is chosen later. */
static nonsens_status regress(nonsens_context *ctx, const request *q, const kci_kernel *z, segment *s)
{
    TRY(try_width(ctx, &s->own, q, z, 1.0, s));
    for (int i = 1; i < WIDTHS && !has_few_rows(s); i++) {
        segment other = *s;
        other.own = (arena){0};
        TRY(check_cancelled(ctx));
        nonsens_status status = try_width(ctx, &other.own, q, z, pow(NARROWER, i), &other);
        bool better = status == NONSENS_OK && other.score < s->score * exp(-MIN_GAIN / (double)s->rows);
        arena_free(better ? &s->own : &other.own);
        TRY(status);
        *s = better ? other : *s;
    }
    return NONSENS_OK;
}

/* width (z->d): of z alone. */
static nonsens_status open_target(nonsens_context *ctx, arena *local, const request *q, const double *width, segment *s)
{
    double *beside; // widths of the target, then those of z in its kernel
    int64_t d = q->target->d;
    ARENA_TRY(ctx, local, beside, d + q->z->d);
    TRY(kci_widths(ctx, q->target, s->first, s->rows, beside));
    for (int64_t j = 0; j < q->z->d; j++) {
        beside[d + j] = s->rows < FEW_ROWS ? 0.0 : WIDER * width[j];
    }
    s->used = kernel_any_width(d, beside);
    kci_kernel target = {&q->points, beside, s->first, s->rows};
    return s->used ? make_kernel(ctx, local, &target, KCI_SIDE_TARGET, q->options, &s->target) : NONSENS_OK;
}

static nonsens_status open_segment(nonsens_context *ctx, arena *local, const request *q, segment *s)
{
    double *width; // of z alone
    if (s->rows < KCI_MIN_ROWS) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, local, width, q->z->d + 1);
    TRY(kci_widths(ctx, q->z, s->first, s->rows, width));
    if (q->category) {
        TRY(kci_category_factor(ctx, local, q->category, s->first, s->rows, &s->target));
        s->used = s->target.rank > 0;
    } else {
        TRY(open_target(ctx, local, q, width, s));
    }
    s->with_z = kernel_any_width(q->z->d, width);
    kci_kernel z = {q->z, width, s->first, s->rows};
    return s->used && s->with_z ? regress(ctx, q, &z, s) : NONSENS_OK;
}

/* ---- residuals ----------------------------------------------------------------------------------------------- */

/* Computes Psi Psi' (r, r) of the target's directions; weighted (z.rank, r) is scratch. */
static void residual_gram(const segment *s, double *weighted, double *gram)
{
    int64_t rx = s->target.rank, rz = s->with_z ? s->z.rank : 0;
    for (int64_t j = 0; j < rx; j++) {
        for (int64_t k = 0; k < rz; k++) {
            double rest = 1.0 - fitted_share(s, k, s->ridge);
            weighted[j * rz + k] = (1.0 - rest * rest) * s->cross[j * rz + k];
        }
        gram[j * rx + j] = s->target.eigen[j];
    }
    if (rz > 0) {
        linalg_gemm(true, false, rx, rx, rz, -1.0, s->cross, rz, weighted, rz, 1.0, gram, rx);
    }
}

/* Returns how many of the ascending eigenvalues (r) to keep, from the last on; *lost: the share left out. */
static int64_t count_kept(int64_t r, const double *ascending, int64_t rows, double *lost)
{
    double sum = 0.0, dropped = 0.0, share = rows <= KCI_GRAM_ROWS ? 1e-9 : 1e-3;
    int64_t keep = r, max_kept = rows <= KCI_GRAM_ROWS ? KCI_GRAM_ROWS
                                 : rows <= LARGE       ? 100
                                 : rows <= VERY_LARGE  ? 50
                                                       : 25;
    for (int64_t k = 0; k < r; k++) {
        sum += fmax(0.0, ascending[k]);
    }
    while (keep > 1 && (keep > max_kept || dropped + ascending[r - keep] <= share * sum)) {
        dropped += fmax(0.0, ascending[r - keep]);
        keep--;
    }
    *lost = sum > 0 ? dropped / sum : 0.0;
    return keep;
}

/* Computes out->f = V' (F - A' diag(s) U') from the leading eigenvectors V (r, rank), largest first. */
static nonsens_status project(nonsens_context *ctx, arena *local, const segment *s, const double *v, kci_stratum *out)
{
    int64_t rx = s->target.rank, rz = s->with_z ? s->z.rank : 0, rank = out->rank;
    double *fit; // (rz, rank): diag(s / sqrt(l)) A V
    linalg_gemm(true, false, rank, s->rows, rx, 1.0, v, rx, s->target.f, rx, 0.0, out->f, rank);
    if (rz == 0) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, local, fit, rz * rank);
    linalg_gemm(false, false, rz, rank, rx, 1.0, s->cross, rz, v, rx, 0.0, fit, rz);
    for (int64_t k = 0; k < rz; k++) {
        double root = sqrt(s->z.eigen[k]), factor = root > 0 ? fitted_share(s, k, s->ridge) / root : 0.0;
        for (int64_t j = 0; j < rank; j++) {
            fit[j * rz + k] *= factor;
        }
    }
    linalg_gemm(true, false, rank, s->rows, rz, -1.0, fit, rz, s->z.f, rz, 1.0, out->f, rank);
    return NONSENS_OK;
}

static void leverage_scale(const segment *s, double *scale)
{
    int64_t rz = s->with_z ? s->z.rank : 0;
    double base = 1.0 - 1.0 / (double)s->rows;
    for (int64_t t = 0; t < s->rows; t++) {
        const double *f = s->z.f + t * rz;
        double square = base, fourth = base;
        for (int64_t k = 0; k < rz; k++) {
            double rest = 1.0 - fitted_share(s, k, s->ridge), power = rest * rest;
            double u = s->z.eigen[k] > 0 ? f[k] * f[k] / s->z.eigen[k] : 0.0;
            square -= u * (1.0 - power);
            fourth -= u * (1.0 - power * power);
        }
        square = fmax(KCI_MIN_MARGIN, square);
        fourth = fmin(square, fmax(square * square, fourth));
        scale[t] = sqrt(sqrt(fourth) / square);
    }
}

/* Finds the eigenvectors of the residual Gram matrix, largest first, and the features in these directions. */
static nonsens_status close_segment(nonsens_context *ctx, arena *keep, arena *local, const segment *s, kci_stratum *out,
                                    double *lost)
{
    int64_t rx = s->target.rank, rz = s->with_z ? s->z.rank : 0;
    double *gram, *weighted, *ascending, *v;
    *out = (kci_stratum){.rows = s->rows, .ridge = s->ridge, .narrow = s->narrow};
    *lost = 0.0;
    if (!s->used) {
        return NONSENS_OK;
    }
    out->determined = segment_left(s, s->ridge) <= MIN_LEFT;
    if (out->determined) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, local, gram, rx * rx);
    ARENA_TRY(ctx, local, weighted, rz * rx + 1);
    ARENA_TRY(ctx, local, ascending, rx);
    residual_gram(s, weighted, gram);
    TRY(linalg_eigen_symmetric(ctx, local, rx, gram, ascending));
    out->rank = count_kept(rx, ascending, s->rows, lost);
    ARENA_TRY(ctx, local, v, rx * out->rank);
    ARENA_TRY(ctx, keep, out->eigen, out->rank);
    ARENA_TRY(ctx, keep, out->f, out->rank * s->rows);
    ARENA_TRY(ctx, keep, out->scale, s->rows);
    for (int64_t k = 0; k < out->rank; k++) {
        out->eigen[k] = fmax(0.0, ascending[rx - 1 - k]);
        for (int64_t j = 0; j < rx; j++) {
            v[k * rx + j] = gram[(rx - 1 - k) * rx + j];
        }
    }
    leverage_scale(s, out->scale);
    return project(ctx, local, s, v, out);
}

static nonsens_status make_residuals(nonsens_context *ctx, arena *keep, arena *local, const request *q,
                                     const row_groups *groups, segment *segments, kci_features *out)
{
    ARENA_TRY(ctx, keep, out->strata, groups->count);
    out->count = groups->count;
    for (int64_t e = 0; e < groups->count; e++) {
        segments[e] = (segment){.first = groups->start[e], .rows = groups->start[e + 1] - groups->start[e]};
        TRY(check_cancelled(ctx));
        TRY(open_segment(ctx, local, q, segments + e));
    }
    out->ridge = choose_ridges(groups->count, segments);
    for (int64_t e = 0; e < groups->count; e++) {
        double lost;
        arena_mark mark = arena_tell(local);
        TRY(check_cancelled(ctx));
        TRY(close_segment(ctx, keep, local, segments + e, out->strata + e, &lost));
        arena_rewind(local, mark);
        out->lost = fmax(out->lost, lost + segments[e].target.lost);
        out->degrees += segments[e].used ? segment_degrees(segments + e, segments[e].ridge) : 0.0;
        arena_free(&segments[e].own);
    }
    return NONSENS_OK;
}

static nonsens_status check_columns(nonsens_context *ctx, const column_set *set, int64_t n)
{
    for (int64_t j = 0; j < set->d; j++) {
        for (int64_t i = 0; i < n; i++) {
            if (!isfinite(set->v[j][i])) {
                return fail(ctx, NONSENS_ERR_DATA,
                            "conditional independence test: row %" PRId64 " is not a finite number; drop or fill it",
                            i + 1);
            }
        }
    }
    return NONSENS_OK;
}

static nonsens_status check_request(nonsens_context *ctx, const request *q, const row_groups *groups)
{
    const column_set *target = q->target, *z = q->z;
    bool good = (q->category || target->d > 0) && (z->d == 0 || z->n == target->n) && groups->count > 0 &&
                groups->start[0] >= 0 && groups->start[groups->count] <= target->n;
    for (int64_t e = 0; good && e < groups->count; e++) {
        good = groups->start[e] <= groups->start[e + 1];
    }
    if (!good) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "conditional independence test: needs a target, the same rows in all columns, and segments with "
                    "ascending bounds inside them");
    }
    TRY(check_columns(ctx, target, target->n));
    return check_columns(ctx, z, target->n);
}

static nonsens_status run_request(nonsens_context *ctx, arena *keep, request *q, bool with_z, const row_groups *groups,
                                  kci_features *out)
{
    SCOPED_ARENA(local);
    segment *segments;
    const double **v;
    int64_t d = q->target->d, behind = with_z ? q->z->d : 0;
    *out = (kci_features){0};
    TRY(check_request(ctx, q, groups));
    ARENA_TRY(ctx, &local, segments, groups->count);
    ARENA_TRY(ctx, &local, v, d + behind);
    for (int64_t j = 0; j < d + behind; j++) {
        v[j] = j < d ? q->target->v[j] : q->z->v[j - d];
    }
    q->points = (column_set){q->target->n, d + behind, v};
    nonsens_status status = make_residuals(ctx, keep, &local, q, groups, segments, out);
    for (int64_t e = 0; e < groups->count; e++) {
        arena_free(&segments[e].own);
    }
    return status;
}

nonsens_status kci_residuals(nonsens_context *ctx, arena *keep, const column_set *target, bool with_z,
                             const column_set *z, const row_groups *groups, const kci_options *options,
                             kci_features *out)
{
    request q = {.target = target, .z = z, .options = options};
    return run_request(ctx, keep, &q, with_z, groups, out);
}

nonsens_status kci_category_residuals(nonsens_context *ctx, arena *keep, const kci_category *category,
                                      const column_set *z, const row_groups *groups, const kci_options *options,
                                      kci_features *out)
{
    column_set nothing = {category->n, 0, NULL};
    request q = {.target = &nothing, .z = z, .options = options, .category = category};
    *out = (kci_features){0};
    TRY(kci_category_check(ctx, category));
    return run_request(ctx, keep, &q, false, groups, out);
}
