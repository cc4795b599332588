/*
 * kernel.c - factor of a Gaussian kernel: pivoted incomplete Cholesky (kernel_pivots.c), then centring and rotation to
 * principal directions (kernel PCA: Schoelkopf, Smola, Mueller, Neural Computation 1998).
 *
 * The factor of a row depends only on its kernel with the pivots, as in the incremental algorithm.  So rows are
 * streamed in tiles, twice: once for the Gram matrix of the factor about its mean, whose eigenvectors are the
 * directions; once for the features, by one linear map that combines substitution and rotation.  The inverse of the
 * triangle, which the map contains, magnifies rounding errors by at most 1e6 at the smallest pivot, 1e4 at the usual
 * tolerance.  (The Gram matrix of the kernel itself, transformed at the end, would magnify them by the square of that.)
 *
 * Tolerance: the usual 1e-8 of the trace, in the Cholesky step and again when directions are dropped.  Every moment and
 * the statistic are sums of products with traces, so they are off by a few times 1e-8, far below the sampling error and
 * the 1e-6 that the tests ask for; a tolerance under 1e-11 would be lost in the rounding of the residuals.  A factor
 * cut off by the rank limit (very heavy tails: every outlier adds its own direction; vectors of many coordinates) is
 * the kernel of a subset of the features: a test built on it remains valid and only misses the rest.
 *
 * Blocks of rows are summed separately and added in order, which gives the same bits for any number of threads.
 */
#include "indep/kernel.h"

#include "base/parallel.h"
#include "indep/kernel_internal.h"
#include "math/linalg.h"

#include <math.h>
#include <string.h>

enum {
    RANK_LIMIT = 200,
    RANK_LIMIT_LARGE = 100, /* beyond LARGE rows: bounds memory to 800 bytes a row and variable */
    LARGE = 20000
};

static const double TRACE_LOST = 1e-8;

kernel_limits kernel_usual_limits(int64_t n)
{
    return (kernel_limits){
        .max_rank = n > LARGE ? RANK_LIMIT_LARGE : RANK_LIMIT, .trace_lost = TRACE_LOST, .threads = 1};
}

/* ---- tiles of rows ------------------------------------------------------------------------------------------- */

/* Fills k, a tile of r columns, with the kernel of rows with r pivots; u: KERNEL_TILE * d numbers of scratch. */
static void kernel_tile(const kernel_points *points, int64_t r, const double *at, int64_t first, int64_t used,
                        double *u, double *k)
{
    int64_t d = points->d, rows = tile_rows(used);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < rows; i++) {
            u[j * KERNEL_TILE + i] = i < used ? kernel_scaled(points, j, points->v[j][first + i]) : 0.0;
        }
    }
    for (int64_t l = 0; l < r; l++) {
        double *column = k + l * KERNEL_TILE;
        memset(column, 0, (size_t)rows * sizeof *column);
        for (int64_t j = 0; j < d; j++) {
            const double *v = u + j * KERNEL_TILE;
            double pivot = at[l * d + j];
            for (int64_t i = 0; i < rows; i++) {
                column[i] -= 0.5 * (v[i] - pivot) * (v[i] - pivot);
            }
        }
        tile_exp(rows, column);
    }
    tile_clear(used, r, k);
}

void kernel_basis_tile(const kernel_basis *basis, int64_t first, int64_t used, int64_t directions, double *work,
                       double *f)
{
    double *k = work + KERNEL_TILE * basis->points.d;
    kernel_tile(&basis->points, basis->rank, basis->at, first, used, work, k);
    tile_combine(tile_rows(used), basis->rank, directions, k, basis->map, false, f);
    for (int64_t c = 0; c < directions; c++) {
        for (int64_t i = 0; i < used; i++) {
            f[c * KERNEL_TILE + i] -= basis->offset[c];
        }
    }
}

/* ---- Gram matrix --------------------------------------------------------------------------------------------- */

typedef struct gram_pass {
    const kernel_points *points;
    int64_t rank;
    const double *at, *inverse; /* inverse (rank, rank): row k of the inverse triangle in column k */
    double *sums;               /* (rank * rank + rank, jobs): products, and sums of columns */
} gram_pass;

static nonsens_status run_gram(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const gram_pass *pass = state;
    int64_t r = pass->rank, n = pass->points->n, each = kernel_job_rows(n), end = kernel_min((job + 1) * each, n);
    double *u, *k, *g, *sums = pass->sums + job * (r * r + r);
    ARENA_TRY(ctx, scratch, u, KERNEL_TILE * (pass->points->d + 1));
    ARENA_TRY(ctx, scratch, k, KERNEL_TILE * r);
    ARENA_TRY(ctx, scratch, g, KERNEL_TILE * r);
    for (int64_t first = job * each; first < end; first += KERNEL_TILE) {
        int64_t used = kernel_min(end - first, KERNEL_TILE), rows = tile_rows(used);
        kernel_tile(pass->points, r, pass->at, first, used, u, k);
        tile_combine(rows, r, r, k, pass->inverse, true, g);
        tile_cross(rows, r, r, g, g, true, sums);
        for (int64_t c = 0; c < r; c++) {
            double sum = 0.0;
            for (int64_t i = 0; i < rows; i++) {
                sum += g[c * KERNEL_TILE + i];
            }
            sums[r * r + c] += sum;
        }
    }
    return NONSENS_OK;
}

/* Fills inverse (r, r): row k of the inverse of the triangle in column k, zero beyond its k + 1 elements. */
static void invert_triangle(const kernel_pivots *p, double *inverse)
{
    int64_t r = p->rank;
    for (int64_t k = 0; k < r; k++) {
        const double *lower = p->lower + k * p->stride;
        double *row = inverse + k * r, scale = 1.0 / lower[k];
        for (int64_t j = 0; j < k; j++) {
            const double *above = inverse + j * r;
            for (int64_t l = 0; l <= j; l++) {
                row[l] -= lower[j] * above[l];
            }
        }
        for (int64_t l = 0; l < k; l++) {
            row[l] *= scale;
        }
        row[k] = scale;
    }
}

/* Computes the Gram matrix (r, r) of the factor about its mean (r); *missing: the trace of K that the factor lacks. */
static nonsens_status centred_gram(nonsens_context *ctx, arena *a, int threads, gram_pass *pass, double **gram,
                                   double **mean, double *missing)
{
    int64_t r = pass->rank, n = pass->points->n, size = r * r + r;
    int64_t each = kernel_job_rows(n), jobs = (n + each - 1) / each;
    double trace = 0.0; // of the Gram matrix about zero
    ARENA_TRY(ctx, a, pass->sums, size * jobs);
    TRY(parallel_for(ctx, threads, jobs, NULL, run_gram, pass));
    for (int64_t job = 1; job < jobs; job++) {
        for (int64_t i = 0; i < size; i++) {
            pass->sums[i] += pass->sums[job * size + i];
        }
    }
    *gram = pass->sums;
    *mean = pass->sums + r * r;
    for (int64_t k = 0; k < r; k++) {
        trace += (*gram)[k * r + k];
        (*mean)[k] /= (double)n;
    }
    for (int64_t k = 0; k < r; k++) {
        for (int64_t j = k; j < r; j++) {
            (*gram)[k * r + j] -= (double)n * (*mean)[k] * (*mean)[j];
            (*gram)[j * r + k] = (*gram)[k * r + j];
        }
    }
    *missing = fmax(0.0, (double)n - trace);
    return NONSENS_OK;
}

/* ---- directions ---------------------------------------------------------------------------------------------- */

int64_t kernel_basis_leading(const kernel_basis *basis, double share)
{
    int64_t keep = basis->directions;
    double left_out = 0.0;
    while (keep > 1 && left_out + basis->eigen[keep - 1] <= share * basis->trace) {
        left_out += basis->eigen[--keep];
    }
    return keep;
}

/* Reverses eigenvalues and eigenvectors from ascending to descending order; negative values (rounding) become zero. */
static void reverse_directions(int64_t r, double *eigen, double *directions)
{
    for (int64_t a = 0, b = r - 1; a < b; a++, b--) {
        double swap = eigen[a];
        eigen[a] = eigen[b];
        eigen[b] = swap;
        for (int64_t i = 0; i < r; i++) {
            swap = directions[a * r + i];
            directions[a * r + i] = directions[b * r + i];
            directions[b * r + i] = swap;
        }
    }
    for (int64_t a = 0; a < r; a++) {
        eigen[a] = fmax(0.0, eigen[a]);
    }
}

/* Keeps the leading directions, and records the share that the rest and the Cholesky step leave out. */
static void drop_directions(double share, double missing, kernel_basis *b)
{
    double kept = 0.0;
    b->trace = 0.0;
    for (int64_t k = 0; k < b->rank; k++) {
        b->trace += b->eigen[k];
    }
    b->directions = b->rank; // of which the leading ones stay
    b->directions = kernel_basis_leading(b, share);
    for (int64_t k = 0; k < b->directions; k++) {
        kept += b->eigen[k];
    }
    double all = b->trace + missing;
    b->lost = all > 0.0 ? fmax(0.0, all - kept) / all : 0.0;
}

/* Computes map = inverse triangle times directions (r, q), and offset = directions' mean. */
static nonsens_status make_map(nonsens_context *ctx, arena *keep, const double *inverse, const double *directions,
                               const double *mean, kernel_basis *b)
{
    int64_t r = b->rank, q = b->directions;
    ARENA_TRY(ctx, keep, b->map, r * q);
    ARENA_TRY(ctx, keep, b->offset, q);
    linalg_gemm(false, false, r, q, r, 1.0, inverse, r, directions, r, 0.0, b->map, r);
    for (int64_t c = 0; c < q; c++) {
        b->offset[c] = linalg_dot(r, directions + c * r, mean);
    }
    return NONSENS_OK;
}

/* ---- basis and factor ---------------------------------------------------------------------------------------- */

/* Collects the coordinates that vary, from row `first` on. */
static nonsens_status view_points(nonsens_context *ctx, arena *a, const column_set *points, int64_t first, int64_t n,
                                  const double *width, kernel_points *out)
{
    *out = (kernel_points){.n = n, .d = 0};
    ARENA_TRY(ctx, a, out->v, points->d);
    ARENA_TRY(ctx, a, out->centre, points->d);
    ARENA_TRY(ctx, a, out->width, points->d);
    for (int64_t j = 0; j < points->d; j++) {
        if (width[j] > 0.0) {
            out->v[out->d] = points->v[j] + first;
            out->width[out->d++] = width[j];
        }
    }
    return NONSENS_OK;
}

nonsens_status kernel_find_basis(nonsens_context *ctx, arena *keep, const column_set *points, int64_t first, int64_t n,
                                 const double *width, const kernel_limits *limits, kernel_basis *out)
{
    SCOPED_ARENA(local);
    kernel_limits usual = kernel_usual_limits(n);
    kernel_pivots p;
    double *inverse, *gram, *mean, missing;
    limits = limits ? limits : &usual;
    *out = (kernel_basis){0};
    TRY(view_points(ctx, keep, points, first, n, width, &out->points));
    TRY(kernel_find_pivots(ctx, &local, &out->points, limits, &p));
    out->rank = p.rank;
    ARENA_TRY(ctx, &local, inverse, p.rank * p.rank);
    ARENA_TRY(ctx, keep, out->at, out->points.d * p.rank + 1);
    ARENA_TRY(ctx, keep, out->eigen, p.rank);
    memcpy(out->at, p.at, (size_t)(out->points.d * p.rank) * sizeof *out->at);
    invert_triangle(&p, inverse);
    gram_pass pass = {.points = &out->points, .rank = p.rank, .at = out->at, .inverse = inverse};
    TRY(centred_gram(ctx, &local, limits->threads, &pass, &gram, &mean, &missing));
    TRY(linalg_eigen_symmetric(ctx, &local, p.rank, gram, out->eigen));
    reverse_directions(p.rank, out->eigen, gram);
    drop_directions(limits->trace_lost, missing, out);
    return make_map(ctx, keep, inverse, gram, mean, out);
}

nonsens_status kernel_basis_features(nonsens_context *ctx, const kernel_basis *basis, int64_t directions, double *f)
{
    SCOPED_ARENA(local);
    int64_t n = basis->points.n;
    double *work, *tile;
    ARENA_TRY(ctx, &local, work, kernel_basis_work(basis));
    ARENA_TRY(ctx, &local, tile, KERNEL_TILE * directions);
    for (int64_t first = 0; first < n; first += KERNEL_TILE) {
        int64_t used = kernel_min(n - first, KERNEL_TILE);
        kernel_basis_tile(basis, first, used, directions, work, tile);
        for (int64_t i = 0; i < used; i++) {
            for (int64_t k = 0; k < directions; k++) {
                f[(first + i) * directions + k] = tile[k * KERNEL_TILE + i];
            }
        }
    }
    return NONSENS_OK;
}

nonsens_status kernel_factorise_points(nonsens_context *ctx, arena *keep, const column_set *points, int64_t first,
                                       int64_t n, const double *width, const kernel_limits *limits, kernel_factor *out)
{
    kernel_basis b;
    TRY(kernel_find_basis(ctx, keep, points, first, n, width, limits, &b));
    *out = (kernel_factor){.n = n, .rank = b.directions, .eigen = b.eigen, .trace = b.trace, .lost = b.lost};
    ARENA_TRY(ctx, keep, out->f, b.directions * n);
    return kernel_basis_features(ctx, &b, b.directions, out->f);
}
