/*
 * hsic_pass.c - one pass over the rows for the statistic and for what its moments need.  Features of x and y are made
 * tile by tile and not kept: nothing of the size of the rows is stored.
 *
 * T = (1/n) ||F_x F_y'||^2.  With d_i = |f_i|^2 and (W^2)_ii = f_i' diag(eigen) f_i the invariants of W = F'F are sums
 * over rows, except the sum of all w_ij^3, which is
 *     sum over directions a, b, c of (sum_i f_ia f_ib f_ic)^2,   a >= b >= c with multiplicity,
 * or, if few rows have many directions, the sum over pairs of rows.  It enters the third moment at order 1/n only, so
 * directions that carry little are left out: a share of CUBE_SHARE of the trace up to CUBE_ROWS rows (with Cauchy
 * noise and 400 rows the skewness changes by 4e-5 of its value, with lighter tails by less), proportionally more
 * beyond, which keeps the error of the skewness the same.
 *
 * Blocks of rows are summed separately and added in order, which gives the same bits for any number of threads.
 */
#include "base/parallel.h"
#include "indep/hsic_internal.h"
#include "math/linalg.h"

#include <math.h>

enum {
    PAIR_ROWS = 300, /* sums over pairs of rows only up to here, and only if they are cheaper */
    CUBE_DIRECTIONS = 24,
    CUBE_ROWS = 1000
};

static const double CUBE_SHARE = 1e-5, MAX_CUBE_SHARE = 1e-2;
static const double CUBE_GAP = 1e-4; /* between eigenvalues that count as different */

/* Sums of one variable over a block of rows. */
typedef struct variable_sums {
    double t, s2, s3, r;
    double cubed;     /* d_i^3 over the directions that enter the sum of cubes */
    double *weighted; /* (q): F d */
    double *cubes;    /* for a = 0 .. k-1 an (a+1, a+1) matrix of sums f_a f_b f_c */
} variable_sums;

typedef struct block_sums {
    variable_sums of[2];
    double *cross; /* (qx, qy) */
} block_sums;

typedef struct pass {
    const kernel_basis *basis; /* (2) */
    bool is_known[2];          /* whether the invariants are known */
    int64_t cubed[2];          /* directions that enter the sum of cubes, 0 if pairs of rows do */
    block_sums *block;         /* (jobs) */
} pass;

static int64_t cube_sums(int64_t k)
{
    return k * (k + 1) * (2 * k + 1) / 6;
}

/* ---- tiles --------------------------------------------------------------------------------------------------- */

/* Adds a tile of features f to everything but the cubes; the loops over directions leave d and (W^2)_ii in arrays. */
static void add_moments(const kernel_basis *b, int64_t rows, const double *f, variable_sums *s)
{
    double d[KERNEL_TILE] = {0}, squared[KERNEL_TILE] = {0};
    for (int64_t k = 0; k < b->directions; k++) {
        const double *column = f + k * KERNEL_TILE;
        for (int64_t i = 0; i < rows; i++) {
            double square = column[i] * column[i];
            d[i] += square;
            squared[i] += b->eigen[k] * square;
        }
    }
    for (int64_t k = 0; k < b->directions; k++) {
        s->weighted[k] += linalg_dot(rows, d, f + k * KERNEL_TILE);
    }
    for (int64_t i = 0; i < rows; i++) {
        s->t += d[i];
        s->s2 += d[i] * d[i];
        s->s3 += d[i] * d[i] * d[i];
        s->r += d[i] * squared[i];
    }
}

/* Adds a tile of features f to the cubes; products: scratch, a tile of k columns. */
static void add_cubes(int64_t k, int64_t rows, const double *f, double *products, variable_sums *s)
{
    double d[KERNEL_TILE] = {0}, *cubes = s->cubes;
    for (int64_t a = 0; a < k; a++) {
        for (int64_t b = 0; b <= a; b++) {
            for (int64_t i = 0; i < rows; i++) {
                products[b * KERNEL_TILE + i] = f[a * KERNEL_TILE + i] * f[b * KERNEL_TILE + i];
            }
        }
        tile_cross(rows, a + 1, a + 1, products, f, true, cubes);
        cubes += (a + 1) * (a + 1);
        for (int64_t i = 0; i < rows; i++) {
            d[i] += products[a * KERNEL_TILE + i];
        }
    }
    for (int64_t i = 0; i < rows; i++) {
        s->cubed += d[i] * d[i] * d[i];
    }
}

static nonsens_status run_block(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const pass *p = state;
    block_sums *sums = p->block + job;
    int64_t n = p->basis[0].points.n, each = kernel_job_rows(n), end = kernel_min((job + 1) * each, n);
    double *work[2], *f[2], *products;
    for (int side = 0; side < 2; side++) {
        ARENA_TRY(ctx, scratch, work[side], kernel_basis_work(&p->basis[side]));
        ARENA_TRY(ctx, scratch, f[side], KERNEL_TILE * p->basis[side].directions);
    }
    ARENA_TRY(ctx, scratch, products, KERNEL_TILE * CUBE_DIRECTIONS);
    for (int64_t first = job * each; first < end; first += KERNEL_TILE) {
        int64_t used = kernel_min(end - first, KERNEL_TILE), rows = tile_rows(used);
        for (int side = 0; side < 2; side++) {
            const kernel_basis *b = &p->basis[side];
            kernel_basis_tile(b, first, used, b->directions, work[side], f[side]);
            if (p->is_known[side]) {
                continue;
            }
            add_moments(b, rows, f[side], &sums->of[side]);
            add_cubes(p->cubed[side], rows, f[side], products, &sums->of[side]);
        }
        tile_cross(rows, p->basis[0].directions, p->basis[1].directions, f[0], f[1], false, sums->cross);
    }
    return NONSENS_OK;
}

/* ---- putting together ---------------------------------------------------------------------------------------- */

static void add_numbers(int64_t count, const double *from, double *to)
{
    for (int64_t i = 0; i < count; i++) {
        to[i] += from[i];
    }
}

static void add_block(const pass *p, const block_sums *from, block_sums *to)
{
    for (int side = 0; side < 2; side++) {
        const variable_sums *s = &from->of[side];
        variable_sums *sum = &to->of[side];
        sum->t += s->t;
        sum->s2 += s->s2;
        sum->s3 += s->s3;
        sum->r += s->r;
        sum->cubed += s->cubed;
        add_numbers(p->basis[side].directions, s->weighted, sum->weighted);
        add_numbers(cube_sums(p->cubed[side]), s->cubes, sum->cubes);
    }
    add_numbers(p->basis[0].directions * p->basis[1].directions, from->cross, to->cross);
}

/* Returns the sum of the squared sums over all triples of directions, from those with a >= b >= c. */
static double sum_of_cubes(int64_t k, const double *cubes)
{
    double sum = 0.0;
    for (int64_t a = 0; a < k; a++) {
        for (int64_t c = 0; c <= a; c++) {
            for (int64_t b = c; b <= a; b++) {
                double each = cubes[c * (a + 1) + b];
                sum += (a == b && b == c ? 1 : a == b || b == c ? 3 : 6) * each * each;
            }
        }
        cubes += (a + 1) * (a + 1);
    }
    return sum;
}

/* Computes the sum over i, j of (f_i . f_j)^3, pair by pair: O(n^2 q). */
static nonsens_status cubes_by_pairs(nonsens_context *ctx, arena *scratch, const kernel_basis *b, double *out)
{
    int64_t n = b->points.n, q = b->directions;
    double *f;
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, f, n * q);
    TRY(kernel_basis_features(ctx, b, q, f));
    *out = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double d = linalg_dot(q, f + i * q, f + i * q), row = 0.0;
        for (int64_t j = 0; j < i; j++) {
            double product = linalg_dot(q, f + i * q, f + j * q);
            row += product * product * product;
        }
        *out += 2 * row + d * d * d;
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

static int64_t choose_cubed(const kernel_basis *b)
{
    int64_t n = b->points.n;
    double share = fmin(MAX_CUBE_SHARE, CUBE_SHARE * fmax(1.0, (double)n / CUBE_ROWS));
    int64_t k = kernel_basis_leading(b, share);
    if (n <= PAIR_ROWS && 3 * n <= (k + 1) * (k + 2)) {
        return 0;
    }
    k = kernel_min(k, CUBE_DIRECTIONS);
    int64_t cut = k;
    while (cut > 0 && cut < b->directions && b->eigen[cut - 1] < (1.0 + CUBE_GAP) * b->eigen[cut]) {
        cut--;
    }
    return cut > 0 ? cut : k;
}

static nonsens_status finish_variable(nonsens_context *ctx, arena *scratch, const pass *p, int side,
                                      const variable_sums *s, hsic_invariants *v)
{
    const kernel_basis *b = &p->basis[side];
    *v = (hsic_invariants){.t = s->t, .s2 = s->s2, .s3 = s->s3, .r = s->r};
    for (int64_t k = 0; k < b->directions; k++) {
        v->t2 += b->eigen[k] * b->eigen[k];
        v->t3 += b->eigen[k] * b->eigen[k] * b->eigen[k];
    }
    v->b = linalg_dot(b->directions, s->weighted, s->weighted);
    v->u = sum_of_cubes(p->cubed[side], s->cubes) + (s->s3 - s->cubed);
    return p->cubed[side] > 0 ? NONSENS_OK : cubes_by_pairs(ctx, scratch, b, &v->u);
}

nonsens_status hsic_pass(nonsens_context *ctx, arena *scratch, const kernel_basis basis[2],
                         const hsic_invariants *const known[2], int threads, hsic_sums *out)
{
    int64_t n = basis[0].points.n, each = kernel_job_rows(n), jobs = (n + each - 1) / each;
    int64_t products = basis[0].directions * basis[1].directions;
    pass p = {.basis = basis, .is_known = {known[0] != NULL, known[1] != NULL}};
    arena_mark mark = arena_tell(scratch);
    for (int side = 0; side < 2; side++) {
        p.cubed[side] = p.is_known[side] ? 0 : choose_cubed(&basis[side]);
    }
    ARENA_TRY(ctx, scratch, p.block, jobs);
    for (int64_t job = 0; job < jobs; job++) {
        for (int side = 0; side < 2; side++) {
            ARENA_TRY(ctx, scratch, p.block[job].of[side].weighted, basis[side].directions);
            ARENA_TRY(ctx, scratch, p.block[job].of[side].cubes, cube_sums(p.cubed[side]));
        }
        ARENA_TRY(ctx, scratch, p.block[job].cross, products);
    }
    TRY(parallel_for(ctx, threads, jobs, NULL, run_block, &p));
    for (int64_t job = 1; job < jobs; job++) {
        add_block(&p, &p.block[job], &p.block[0]);
    }
    out->statistic = linalg_dot(products, p.block[0].cross, p.block[0].cross) / (double)n;
    for (int side = 0; side < 2; side++) {
        if (p.is_known[side]) {
            out->of[side] = *known[side];
        } else {
            TRY(finish_variable(ctx, scratch, &p, side, &p.block[0].of[side], &out->of[side]));
        }
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}
