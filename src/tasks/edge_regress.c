/* edge_regress.c - see edge_regress.h. */
#include "tasks/edge_regress.h"

#include "math/linalg.h"
#include "math/spline.h"

#include <math.h>
#include <string.h>

enum {
    ORDER = 3,        /* quadratic B-splines that are not zero at a row */
    MAIN = 10,        /* B-splines in a function of one cause */
    PAIR = 5,         /* B-splines of each cause in a function of two */
    MAX_PAIRS_OF = 5, /* functions of two are fitted for at most this many causes */
    MAX_TRIES = 8     /* steps up, or down, in the search for a penalty */
};

static const double RIDGE = 1e-4;         /* per row; determines coefficients whose B-splines are zero at all rows */
static const double RIDGE_OF_LINE = 1e-8; /* per row, for the intercept and straight lines */
static const double RATIO = 8.0;          /* between penalties that are tried one after another */
static const double WHOLE = 0.9999;       /* share of mu_e in a fit inside segments; 1 would leave no intercept */

/* ---- terms ------------------------------------------------------------------------------------------------------ */

/* Return the index of the first coefficient of the function of cause i, and of causes i < k. */
static int64_t main_at(const edge_regression *f, int64_t i)
{
    return 1 + f->in.causes + i * MAIN;
}

static int64_t pair_at(const edge_regression *f, int64_t i, int64_t k)
{
    int64_t q = f->in.causes, before = i * (2 * q - i - 1) / 2 + k - i - 1;
    return main_at(f, q) + before * PAIR * PAIR;
}

/* Fills index and value (terms) of a row: intercept, lines, functions of one cause and of two.  Adds to pair_mean. */
static void fill_terms(edge_regression *f, int64_t row)
{
    int64_t q = f->in.causes, at = 1, first[MAX_PAIRS_OF] = {0};
    int32_t *index = f->index + row * f->terms;
    double *value = f->value + row * f->terms, rise[ORDER], of_pair[MAX_PAIRS_OF][ORDER];
    value[0] = 1.0;
    for (int64_t i = 0; i < q; i++, at++) {
        index[at] = (int32_t)(1 + i);
        value[at] = (f->in.x[i][row] - f->centre[i]) / f->unit[i];
    }
    for (int64_t i = 0; i < q; i++, at += ORDER) {
        int64_t begin = spline_quadratic(MAIN, f->in.warped[i][row], value + at, rise);
        for (int k = 0; k < ORDER; k++) {
            index[at + k] = (int32_t)(main_at(f, i) + begin + k);
        }
        for (int k = 0; f->has_pairs && k < ORDER; k++) {
            first[i] = k ? first[i] : spline_quadratic(PAIR, f->in.warped[i][row], of_pair[i], rise);
            f->pair_mean[i * PAIR + first[i] + k] += of_pair[i][k] / (double)f->in.n;
        }
    }
    for (int64_t i = 0; f->has_pairs && i < q; i++) {
        for (int64_t k = i + 1; k < q; k++) {
            for (int64_t a = 0; a < ORDER; a++) {
                for (int64_t b = 0; b < ORDER; b++) {
                    index[at] = (int32_t)(pair_at(f, i, k) + (first[i] + a) * PAIR + first[k] + b);
                    value[at++] = of_pair[i][a] * of_pair[k][b];
                }
            }
        }
    }
}

static double at_row(const edge_regression *f, int64_t i, const double *coefficient)
{
    double sum = 0.0;
    for (int64_t k = i * f->terms; k < (i + 1) * f->terms; k++) {
        sum += f->value[k] * coefficient[f->index[k]];
    }
    return sum;
}

/* Finds the mean and the mean absolute deviation: sums of squares could overflow if values were not standardised. */
static nonsens_status standardise(nonsens_context *ctx, int64_t n, const double *v, double *centre, double *unit)
{
    double rows = (double)n, mean = 0.0, size = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean += v[i] / rows;
    }
    for (int64_t i = 0; i < n; i++) {
        size += fabs(v[i] - mean) / rows;
    }
    *centre = mean;
    *unit = size;
    return isfinite(1.0 / size) && isfinite(size) && size > 0.0
               ? NONSENS_OK
               : fail(ctx, NONSENS_ERR_NUMERIC, "a variable is constant, or its values are too large or too small");
}

/* ---- penalised least squares ------------------------------------------------------------------------------------ */

typedef struct edge_squares {
    edge_regression *f;
    double *all, *right, *target; /* (p, p), (p), (n): sums over all rows, and standardised y */
    double *y_sum;                /* (segments) sums of the target */
    double square, *right_left;   /* ..._left: without what mu_e explains */
    double square_left, shares, *inverse;
} edge_squares;

static nonsens_status allocate(nonsens_context *ctx, arena *a, arena *scratch, edge_regression *f, edge_squares *s)
{
    int64_t q = f->in.causes, n = f->in.n, pairs = f->has_pairs ? q * (q - 1) / 2 : 0;
    f->terms = 1 + q + q * ORDER + pairs * ORDER * ORDER;
    f->p = 1 + q + q * MAIN + pairs * PAIR * PAIR;
    int64_t p = f->p;
    ARENA_TRY(ctx, a, f->centre, q);
    ARENA_TRY(ctx, a, f->unit, q);
    ARENA_TRY(ctx, a, f->index, n * f->terms);
    ARENA_TRY(ctx, a, f->value, n * f->terms);
    ARENA_TRY(ctx, a, f->sum, p * f->in.segments);
    ARENA_TRY(ctx, a, f->rows, f->in.segments);
    ARENA_TRY(ctx, a, f->share, f->in.segments);
    ARENA_TRY(ctx, a, f->gram, p * p);
    ARENA_TRY(ctx, a, f->factor, p * p);
    ARENA_TRY(ctx, a, f->coefficient, p);
    ARENA_TRY(ctx, a, f->residual, n);
    ARENA_TRY(ctx, a, f->pair_mean, q * PAIR);
    ARENA_TRY(ctx, scratch, s->all, p * p);
    ARENA_TRY(ctx, scratch, s->right, p);
    ARENA_TRY(ctx, scratch, s->right_left, p);
    ARENA_TRY(ctx, scratch, s->target, n);
    ARENA_TRY(ctx, scratch, s->y_sum, f->in.segments);
    ARENA_TRY(ctx, scratch, s->inverse, p * p);
    return NONSENS_OK;
}

static void sum_rows(edge_squares *s)
{
    edge_regression *f = s->f;
    for (int64_t i = 0; i < f->in.n; i++) {
        const int32_t *index = f->index + i * f->terms;
        const double *value = f->value + i * f->terms;
        double *sum = f->sum + f->in.segment[i] * f->p, y = s->target[i];
        f->rows[f->in.segment[i]] += 1.0;
        s->y_sum[f->in.segment[i]] += y;
        s->square += y * y;
        for (int64_t k = 0; k < f->terms; k++) {
            double *column = s->all + index[k] * f->p, v = value[k];
            sum[index[k]] += v;
            s->right[index[k]] += v * y;
            for (int64_t l = k; l < f->terms; l++) { // indices ascend
                column[index[l]] += v * value[l];
            }
        }
    }
}

/* Subtracts from all sums what mu_e explains, by the share of each segment. */
static void take_out_segments(edge_squares *s)
{
    edge_regression *f = s->f;
    int64_t p = f->p;
    memcpy(f->gram, s->all, (size_t)(p * p) * sizeof *f->gram);
    memcpy(s->right_left, s->right, (size_t)p * sizeof *s->right);
    s->square_left = s->square;
    s->shares = 0.0;
    for (int64_t e = 0; e < f->in.segments; e++) {
        const double *sum = f->sum + e * p;
        double scale = f->rows[e] > 0.0 ? f->share[e] / f->rows[e] : 0.0;
        s->shares += f->share[e];
        s->square_left -= scale * s->y_sum[e] * s->y_sum[e];
        for (int64_t j = 0; j < p && scale > 0.0; j++) {
            double scaled = scale * sum[j];
            s->right_left[j] -= scaled * s->y_sum[e];
            for (int64_t i = j; i < p && scaled != 0.0; i++) {
                f->gram[j * p + i] -= scaled * sum[i];
            }
        }
    }
}

static void add_penalty(const edge_regression *f, double *sum)
{
    int64_t q = f->in.causes;
    for (int64_t i = 0; i < f->p; i++) {
        sum[i * f->p + i] += (i <= q ? RIDGE_OF_LINE : RIDGE) * (double)f->in.n;
    }
    for (int64_t i = 0; i < q; i++) {
        spline_add_differences(2, f->smooth[0], main_at(f, i), MAIN, 1, f->p, sum);
    }
    for (int64_t i = 0; f->has_pairs && i < q; i++) {
        for (int64_t k = i + 1; k < q; k++) {
            for (int64_t a = 0; a < PAIR; a++) {
                spline_add_differences(2, f->smooth[1], pair_at(f, i, k) + a * PAIR, PAIR, 1, f->p, sum);
                spline_add_differences(2, f->smooth[1], pair_at(f, i, k) + a, PAIR, PAIR, f->p, sum);
            }
        }
    }
}

/* Solves with the current penalties; *score: the criterion of generalised cross-validation. */
static nonsens_status solve(nonsens_context *ctx, edge_squares *s, double *score)
{
    edge_regression *f = s->f;
    int64_t p = f->p;
    double used = s->shares, left = s->square_left, n = (double)f->in.n;
    memcpy(f->factor, f->gram, (size_t)(p * p) * sizeof *f->gram);
    add_penalty(f, f->factor);
    TRY(linalg_cholesky(ctx, p, f->factor));
    memcpy(f->coefficient, s->right_left, (size_t)p * sizeof *f->coefficient);
    linalg_solve_lower(false, p, 1, f->factor, p, f->coefficient, p);
    linalg_solve_lower(true, p, 1, f->factor, p, f->coefficient, p);
    memcpy(s->inverse, f->factor, (size_t)(p * p) * sizeof *f->factor);
    linalg_invert_cholesky(p, s->inverse);
    for (int64_t j = 0; j < p; j++) { // only the lower triangle of the sums is filled
        double along = f->gram[j * p + j] * f->coefficient[j];
        used += s->inverse[j * p + j] * f->gram[j * p + j];
        for (int64_t i = j + 1; i < p; i++) {
            used += 2.0 * s->inverse[j * p + i] * f->gram[j * p + i];
            along += 2.0 * f->gram[j * p + i] * f->coefficient[i];
        }
        left += f->coefficient[j] * (along - 2.0 * s->right_left[j]);
    }
    f->freedom = fmax(n - used, 1.0);
    f->dispersion = fmax(left, 0.0) / f->freedom;
    *score = f->dispersion / f->freedom;
    return NONSENS_OK;
}

/* Chooses the penalties one after the other, starting from their current values. */
static nonsens_status choose_smooth(nonsens_context *ctx, edge_squares *s)
{
    double best, *smooth = s->f->smooth;
    TRY(solve(ctx, s, &best));
    for (int which = 0; which < (s->f->has_pairs && s->f->in.causes > 1 ? 2 : 1); which++) {
        bool better = false;
        for (int up = 1; up >= 0; up--) {
            for (int tries = 0; tries < MAX_TRIES && !(up == 0 && better); tries++) {
                double score, before = smooth[which];
                smooth[which] = up ? before * RATIO : before / RATIO;
                TRY(solve(ctx, s, &score));
                if (!(score < best)) {
                    smooth[which] = before;
                    break;
                }
                best = score;
                better = better || up;
            }
        }
    }
    return solve(ctx, s, &best);
}

/* ---- the fit ---------------------------------------------------------------------------------------------------- */

/* Sets the variance of mu_e from the residuals of a fit inside segments, and from it each segment's share. */
static void find_shares(edge_squares *s, double *mean)
{
    edge_regression *f = s->f;
    double square = 0.0, expected = 0.0, count = 0.0;
    memset(mean, 0, (size_t)f->in.segments * sizeof *mean);
    for (int64_t i = 0; i < f->in.n; i++) {
        mean[f->in.segment[i]] += (s->target[i] - at_row(f, i, f->coefficient)) / f->rows[f->in.segment[i]];
    }
    double all = 0.0;
    for (int64_t e = 0; e < f->in.segments; e++) {
        count += f->rows[e] > 0.0;
        all += mean[e];
    }
    for (int64_t e = 0; e < f->in.segments; e++) {
        double left = mean[e] - all / count;
        square += f->rows[e] > 0.0 ? left * left : 0.0;
        expected += f->rows[e] > 0.0 ? f->dispersion / f->rows[e] * (1.0 - 1.0 / count) : 0.0;
    }
    f->mu_variance = count > 1.0 ? fmax(square - expected, 0.0) / (count - 1.0) : 0.0;
    for (int64_t e = 0; e < f->in.segments; e++) {
        double within = f->rows[e] * f->mu_variance;
        f->share[e] = within > 0.0 ? fmin(within / (within + f->dispersion), WHOLE) : 0.0;
    }
}

static void find_residuals(edge_squares *s, double *mean)
{
    edge_regression *f = s->f;
    memset(mean, 0, (size_t)f->in.segments * sizeof *mean);
    for (int64_t i = 0; i < f->in.n; i++) {
        int32_t e = f->in.segment[i];
        f->residual[i] = s->target[i] - at_row(f, i, f->coefficient);
        mean[e] += f->residual[i] / f->rows[e];
    }
    for (int64_t i = 0; i < f->in.n; i++) {
        f->residual[i] -= f->share[f->in.segment[i]] * mean[f->in.segment[i]];
    }
}

nonsens_status edge_regress_new(nonsens_context *ctx, arena *a, const edge_rows *in, edge_regression *out)
{
    SCOPED_ARENA(scratch);
    edge_squares s = {.f = out};
    double *mean;
    *out = (edge_regression){.in = *in, .has_pairs = in->causes <= MAX_PAIRS_OF, .smooth = {1.0, 30.0}};
    TRY(allocate(ctx, a, &scratch, out, &s));
    ARENA_TRY(ctx, &scratch, mean, in->segments);
    TRY(standardise(ctx, in->n, in->y, &out->y_centre, &out->y_unit));
    for (int64_t k = 0; k < in->causes; k++) {
        TRY(standardise(ctx, in->n, in->x[k], &out->centre[k], &out->unit[k]));
    }
    for (int64_t i = 0; i < in->n; i++) {
        s.target[i] = (in->y[i] - out->y_centre) / out->y_unit;
        fill_terms(out, i);
    }
    TRY(check_cancelled(ctx));
    sum_rows(&s);
    if (in->segments > 1) {
        for (int64_t e = 0; e < in->segments; e++) {
            out->share[e] = out->rows[e] > 0.0 ? WHOLE : 0.0;
        }
        take_out_segments(&s);
        TRY(choose_smooth(ctx, &s));
        find_shares(&s, mean);
    }
    TRY(check_cancelled(ctx));
    take_out_segments(&s);
    TRY(choose_smooth(ctx, &s));
    find_residuals(&s, mean);
    return NONSENS_OK;
}

/* ---- changes of a cause ----------------------------------------------------------------------------------------- */

/* Computes the change of the B-splines used for functions of two, between both values (PAIR). */
static void pair_step(edge_value from, edge_value to, double out[PAIR])
{
    double value[ORDER], rise[ORDER];
    memset(out, 0, PAIR * sizeof *out);
    for (int end = 0; end < 2; end++) {
        int64_t first = spline_quadratic(PAIR, end ? to.warped : from.warped, value, rise);
        for (int b = 0; b < ORDER; b++) {
            out[first + b] += end ? value[b] : -value[b];
        }
    }
}

/* Returns the index of the coefficient of B-spline a of cause k times B-spline b of the other cause. */
static int64_t pair_index(const edge_regression *f, int64_t k, int64_t other, int64_t a, int64_t b)
{
    return k < other ? pair_at(f, k, other) + a * PAIR + b : pair_at(f, other, k) + b * PAIR + a;
}

/* Fills in change (p), such that the mean changes by the sum of change times coefficient. */
static void fill_change(const edge_regression *f, int64_t k, edge_value from, edge_value to, double *change)
{
    double value[ORDER], rise[ORDER], step[PAIR];
    change[1 + k] = (to.x - from.x) / f->unit[k];
    for (int end = 0; end < 2; end++) {
        int64_t first = main_at(f, k) + spline_quadratic(MAIN, end ? to.warped : from.warped, value, rise);
        for (int b = 0; b < ORDER; b++) {
            change[first + b] += end ? value[b] : -value[b];
        }
    }
    pair_step(from, to, step);
    for (int64_t other = 0; f->has_pairs && other < f->in.causes; other++) {
        for (int64_t a = 0; a < PAIR && other != k; a++) {
            for (int64_t b = 0; b < PAIR; b++) {
                change[pair_index(f, k, other, a, b)] = step[a] * f->pair_mean[other * PAIR + b];
            }
        }
    }
}

/* Adds to score (n) each row's own change, which depends on the other causes, minus the mean change; over n. */
static void add_own_changes(const edge_regression *f, int64_t k, edge_value from, edge_value to, double *score)
{
    double value[ORDER], rise[ORDER], step[PAIR];
    pair_step(from, to, step);
    for (int64_t other = 0; f->has_pairs && other < f->in.causes; other++) {
        double weight[PAIR] = {0}, centre = 0.0;
        if (other == k) {
            continue;
        }
        for (int64_t b = 0; b < PAIR; b++) {
            for (int64_t a = 0; a < PAIR; a++) {
                weight[b] += step[a] * f->coefficient[pair_index(f, k, other, a, b)] / (double)f->in.n;
            }
            centre += weight[b] * f->pair_mean[other * PAIR + b];
        }
        for (int64_t i = 0; i < f->in.n; i++) {
            int64_t first = spline_quadratic(PAIR, f->in.warped[other][i], value, rise);
            score[i] -= centre;
            for (int b = 0; b < ORDER; b++) {
                score[i] += weight[first + b] * value[b];
            }
        }
    }
}

/* Computes the sum of squares of score (n), or of its sums over blocks. */
static nonsens_status square_scores(nonsens_context *ctx, arena *scratch, const edge_regression *f, const double *score,
                                    double *out)
{
    const double *unit = score;
    int64_t units = f->in.n;
    *out = 0.0;
    if (f->in.block) {
        double *sum;
        ARENA_TRY(ctx, scratch, sum, f->in.blocks);
        for (int64_t i = 0; i < f->in.n; i++) {
            sum[f->in.block[i]] += score[i];
        }
        unit = sum;
        units = f->in.blocks;
    }
    for (int64_t i = 0; i < units; i++) {
        *out += unit[i] * unit[i];
    }
    return NONSENS_OK;
}

/* Computes the variance of the sum of change times coefficient, for standardised y. */
static nonsens_status find_variance(nonsens_context *ctx, arena *scratch, const edge_regression *f, int64_t k,
                                    edge_value from, edge_value to, const double *change, double *out)
{
    int64_t p = f->p;
    double *solved, *score, rows, whole = 0.0, fitted = 0.0, means = 0.0;
    ARENA_TRY(ctx, scratch, solved, p);
    ARENA_TRY(ctx, scratch, score, f->in.n);
    memcpy(solved, change, (size_t)p * sizeof *solved);
    linalg_solve_lower(false, p, 1, f->factor, p, solved, p);
    linalg_solve_lower(true, p, 1, f->factor, p, solved, p);
    for (int64_t i = 0; i < f->in.n; i++) {
        score[i] = at_row(f, i, solved) * f->residual[i];
    }
    add_own_changes(f, k, from, to, score);
    TRY(square_scores(ctx, scratch, f, score, &rows));
    for (int64_t j = 0; j < p; j++) {
        double along = 0.5 * f->gram[j * p + j] * solved[j];
        for (int64_t i = j + 1; i < p; i++) {
            along += f->gram[j * p + i] * solved[i];
        }
        fitted += 2.0 * solved[j] * along;
        whole += solved[j] * change[j];
    }
    for (int64_t e = 0; e < f->in.segments; e++) {
        double along = (1.0 - f->share[e]) * linalg_dot(p, solved, f->sum + e * p);
        means += f->mu_variance * along * along;
    }
    *out = fmax(rows * (double)f->in.n / f->freedom + means, f->dispersion * fitted) +
           f->dispersion * fmax(whole - fitted, 0.0);
    return NONSENS_OK;
}

nonsens_status edge_regress_change(nonsens_context *ctx, arena *scratch, const edge_regression *f, int64_t k,
                                   edge_value from, edge_value to, double *change, double *error)
{
    arena_mark mark = arena_tell(scratch);
    double *made_of, variance;
    ARENA_TRY(ctx, scratch, made_of, f->p);
    fill_change(f, k, from, to, made_of);
    *change = f->y_unit * linalg_dot(f->p, made_of, f->coefficient);
    if (error) {
        TRY(find_variance(ctx, scratch, f, k, from, to, made_of, &variance));
        *error = f->y_unit * sqrt(variance);
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}
