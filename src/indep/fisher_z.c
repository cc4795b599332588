/*
 * fisher_z.c - partial correlations from correlation matrices.
 *
 * With at most one given variable r has a closed form, r_xy.z = (r_xy - r_xz r_yz) / sqrt((1 - r_xz^2) (1 - r_yz^2)).
 * With more, the given variables are eliminated from the correlation matrix of (given, x, y) one by one.  The next one
 * is always the one with the most variance left (Cholesky with complete pivoting; Higham, "Analysis of the Cholesky
 * decomposition of a semi-definite matrix", 1990).  What is left for x and y is their residual covariance.  Given
 * variables with less than REDUNDANT of their variance left add nothing and are dropped; if x or y has less left, the
 * given variables determine it.
 *
 * Combination, measured with 10 groups of 50 rows, one given variable, 2,000 repetitions, share of p <= .05 for SUM,
 * SQUARES, BOTH:
 *
 *     slope of y on x in the groups     none  all .1  all .15  +-.25  one .6  normal, sd .2  normal, mean .1, sd .15
 *     SUM                               .055    .579     .900   .054    .223           .248                     .549
 *     SQUARES                           .054    .258     .552   .978    .750           .798                     .702
 *     BOTH                              .060    .487     .853   .968    .667           .741                     .685
 *
 * BOTH loses little where one of the others is best, and it never misses a whole class of dependence, so it is used.
 */
#include "indep/fisher_z.h"

#include "math/column.h"
#include "math/linalg.h"
#include "math/special.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 64 }; /* columns that are multiplied at a time */

static const double REDUNDANT = 1e-10;    /* of a variable's variance: rounding leaves about 1e-13 */
static const double LARGE_WEIGHT = 100.0; /* from here on atanh(r) is normal enough for sums of squares */
static const double MAX_CORRELATION = 1.0 - 1e-15;

/* ---- correlation matrices ------------------------------------------------------------------------------------- */

static nonsens_status check_input(nonsens_context *ctx, const column_set *all, const row_groups *groups)
{
    for (int64_t j = 0; j < all->d; j++) {
        for (int64_t i = 0; i < all->n; i++) {
            if (!isfinite(all->v[j][i])) {
                return fail(ctx, NONSENS_ERR_DATA,
                            "partial correlation: the value in row %" PRId64 " of column %" PRId64
                            " is not finite; drop the row",
                            i + 1, j + 1);
            }
        }
    }
    for (int64_t e = 0; e < groups->count; e++) {
        if (groups->start[e] < 0 || groups->start[e] > groups->start[e + 1] || groups->start[e + 1] > all->n) {
            return fail(ctx, NONSENS_ERR_USAGE,
                        "partial correlation: group %" PRId64 " has bounds outside the rows; pass sorted bounds",
                        e + 1);
        }
    }
    return NONSENS_OK;
}

/* z (rows, columns) = standardised rows of these columns; zeros for a constant column. */
static void standardise_block(const column_set *all, int64_t first_row, int64_t rows, int64_t first, int64_t columns,
                              double *z)
{
    for (int64_t j = 0; j < columns; j++) {
        const double *v = all->v[first + j] + first_row;
        if (column_is_constant(rows, v)) {
            memset(z + j * rows, 0, (size_t)rows * sizeof *z);
        } else {
            column_standardise(rows, v, z + j * rows);
        }
    }
}

/* Makes r symmetric with |r| <= 1; its diagonal says whether a column varies. */
static void tidy(int64_t d, double *r)
{
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < j; i++) {
            double value = fmin(fmax(r[j * d + i], -1.0), 1.0);
            r[j * d + i] = r[i * d + j] = value;
        }
        r[j * d + j] = r[j * d + j] > 0.5 ? 1.0 : 0.0;
    }
}

static nonsens_status correlate_group(nonsens_context *ctx, arena *local, const column_set *all, int64_t first_row,
                                      int64_t rows, double *r)
{
    double *left, *right; // (rows, BLOCK)
    arena_mark mark = arena_tell(local);
    ARENA_TRY(ctx, local, left, rows * BLOCK);
    ARENA_TRY(ctx, local, right, rows * BLOCK);
    for (int64_t b = 0; b < all->d && rows > 0; b += BLOCK) {
        int64_t columns_b = all->d - b < BLOCK ? all->d - b : BLOCK;
        standardise_block(all, first_row, rows, b, columns_b, right);
        for (int64_t a = 0; a <= b; a += BLOCK) {
            int64_t columns_a = all->d - a < BLOCK ? all->d - a : BLOCK;
            const double *block = a == b ? right : left;
            if (a < b) {
                standardise_block(all, first_row, rows, a, columns_a, left);
            }
            linalg_gemm(true, false, columns_a, columns_b, rows, 1.0 / (double)rows, block, rows, right, rows, 0.0,
                        r + b * all->d + a, all->d);
            TRY(check_cancelled(ctx));
        }
    }
    tidy(all->d, r);
    arena_rewind(local, mark);
    return NONSENS_OK;
}

nonsens_status fisher_z_new(nonsens_context *ctx, arena *keep, const column_set *all, const row_groups *groups,
                            fisher_z_data *out)
{
    SCOPED_ARENA(local);
    double *r;
    int64_t *rows;
    TRY(check_input(ctx, all, groups));
    ARENA_TRY(ctx, keep, rows, groups->count);
    ARENA_TRY(ctx, keep, r, groups->count * all->d * all->d);
    for (int64_t e = 0; e < groups->count; e++) {
        rows[e] = groups->start[e + 1] - groups->start[e];
        TRY(correlate_group(ctx, &local, all, groups->start[e], rows[e], r + e * all->d * all->d));
    }
    *out = (fisher_z_data){all->d, groups->count, rows, r};
    return NONSENS_OK;
}

/* ---- partial correlation --------------------------------------------------------------------------------------- */

/* Residual covariance of x and y, and how many given variables were eliminated. */
typedef struct residual {
    double xx, xy, yy;
    int64_t used;
} residual;

static residual eliminate_one(const double *r, int64_t d, int64_t x, int64_t y, int64_t given)
{
    residual s = {r[x * d + x], r[y * d + x], r[y * d + y], r[given * d + given] > 0.0};
    double rx = r[given * d + x], ry = r[given * d + y]; // zero for a constant
    s.xx -= rx * rx;
    s.xy -= rx * ry;
    s.yy -= ry * ry;
    return s;
}

/* Exchanges variables a and b of the symmetric w (m, m). */
static void exchange(double *w, int64_t m, int64_t a, int64_t b)
{
    for (int64_t i = 0; i < m; i++) {
        double t = w[a * m + i];
        w[a * m + i] = w[b * m + i];
        w[b * m + i] = t;
    }
    for (int64_t i = 0; i < m; i++) {
        double t = w[i * m + a];
        w[i * m + a] = w[i * m + b];
        w[i * m + b] = t;
    }
}

/* Eliminates the given variables from w (m, m), m = count + 2: the given variables, then x and y. */
static residual eliminate(const double *r, int64_t d, int64_t x, int64_t y, int64_t count, const int64_t *given,
                          double *w)
{
    int64_t m = count + 2, used = 0;
    for (int64_t j = 0; j < m; j++) {
        const double *column = r + d * (j < count ? given[j] : j == count ? x : y);
        for (int64_t i = 0; i < m; i++) {
            w[j * m + i] = column[i < count ? given[i] : i == count ? x : y];
        }
    }
    for (; used < m - 2; used++) {
        int64_t pivot = used;
        for (int64_t i = used + 1; i < m - 2; i++) {
            pivot = w[i * m + i] > w[pivot * m + pivot] ? i : pivot;
        }
        if (!(w[pivot * m + pivot] > REDUNDANT)) {
            break;
        }
        if (pivot != used) {
            exchange(w, m, pivot, used);
        }
        double inverse = 1.0 / w[used * m + used];
        for (int64_t j = used + 1; j < m; j++) {
            double factor = w[used * m + j] * inverse;
            for (int64_t i = used + 1; i < m; i++) {
                w[j * m + i] -= factor * w[used * m + i];
            }
        }
    }
    return (residual){w[(m - 2) * (m + 1)], w[(m - 1) * m + m - 2], w[m * m - 1], used};
}

/* ---- the test ------------------------------------------------------------------------------------------------- */

/*
 * Returns sqrt(w) z or, in small groups, the normal score of r from its exact distribution (Student's t for r sqrt((w +
 * 1) / (1 - r^2))).  Sums of squares over many small groups are sensitive to the tails of atanh(r) (ten groups of ten
 * rows, one given variable: size .083 at .05).
 */
static double normal_score(double r, double z, double w)
{
    if (w >= LARGE_WEIGHT) {
        return sqrt(w) * z;
    }
    double p = special_student_tail(w + 1.0, fabs(r) * sqrt((w + 1.0) / ((1.0 - r) * (1.0 + r))));
    return p > 1e-290 ? copysign(-special_normal_quantile(0.5 * p), r) : sqrt(w) * z;
}

/* Sums over groups: of w, w z, sqrt(w) s and s^2, with s the normal score. */
typedef struct group_sums {
    double weight, z, score, squares;
} group_sums;

static void combine(const group_sums *sum, fisher_z_result *out)
{
    out->correlation = tanh(sum->z / sum->weight);
    out->heterogeneity = fmax(sum->squares - sum->score * sum->score / sum->weight, 0.0);
    out->statistic = sum->z * sum->z / sum->weight;
    out->p_value = 2.0 * special_normal_tail(fabs(sum->z) / sqrt(sum->weight));
    if (out->groups_used > 1) {
        double rest = special_chi2_tail((double)out->groups_used - 1.0, out->heterogeneity);
        double smaller = fmin(out->p_value, rest);
        out->p_value = smaller * (2.0 - smaller);
    }
}

void fisher_z_test(const fisher_z_data *data, int64_t x, int64_t y, int64_t count, const int64_t *given, double *buffer,
                   fisher_z_result *out)
{
    group_sums sum = {0};
    int64_t d = data->d;
    *out = (fisher_z_result){.p_value = 1.0};
    for (int64_t e = 0; e < data->groups; e++) {
        const double *r = data->correlation + e * d * d;
        residual s = count == 0   ? (residual){r[x * d + x], r[y * d + x], r[y * d + y], 0}
                     : count == 1 ? eliminate_one(r, d, x, y, given[0])
                                  : eliminate(r, d, x, y, count, given, buffer);
        double w = (double)(data->rows[e] - s.used - 3);
        out->dropped = count - s.used > out->dropped ? count - s.used : out->dropped;
        if (w <= 0.0) {
            out->groups_skipped++;
        } else if (!(s.xx > REDUNDANT) || !(s.yy > REDUNDANT)) {
            out->groups_undefined++;
        } else {
            double partial = fmin(fmax(s.xy / sqrt(s.xx * s.yy), -MAX_CORRELATION), MAX_CORRELATION);
            double z = atanh(partial);
            double score = normal_score(partial, z, w);
            sum.weight += w;
            sum.z += w * z;
            sum.score += sqrt(w) * score;
            sum.squares += score * score;
            out->groups_used++;
        }
    }
    out->degenerate = out->groups_used == 0 && out->groups_undefined > 0;
    if (out->groups_used > 0) {
        combine(&sum, out);
    }
}
