/* effect_regress.c - see effect_regress.h. */
#include "tasks/effect/effect_regress.h"

#include "math/linalg.h"
#include "math/spline.h"

#include <math.h>
#include <string.h>

enum {
    ORDER = 3,        /* quadratic B-splines that are not zero at a row */
    MAIN = 20,        /* B-splines in a function of one cause */
    PAIR = 7,         /* B-splines of each cause in a function of two */
    MAX_PAIRS_OF = 6, /* functions of two are fitted for at most this many causes */
    MAX_TERMS = 256,  /* at a row */
    ROUNDS = 3,       /* fits of location and scale in turn */
    SCALE_STEPS = 3,  /* of the gamma regression */
    REDRAW_STEPS = 3, /* for each part in a bootstrap sample */
    MAX_TRIES = 12    /* steps up, or down, in the search for a penalty */
};

static const double RIDGE = 1e-4;        /* per row; determines coefficients whose B-splines are zero at all rows */
static const double LINE_OF_SCALE = 1.0; /* ridge per row of straight lines in log S, which leaves hardly any */
static const double RATIO = 6.0;         /* between penalties that are tried one after another */
static const double MAX_SMOOTH = 1e6;    /* per row: the function is straight by then, and factors are still exact */
static const double MAX_LOG_SCALE = 4.0; /* bounds |log S|; S is relative to its mean */
static const double MIN_SIZE = 1e-3;     /* of residuals, relative to their spread */

/* ---- terms at a row ---------------------------------------------------------------------------------------------- */

/* Fills index and value (terms) for causes x, warped: intercept, lines, functions of one cause and of two. */
static void fill_terms(const effect_regression *f, const double *x, const double *warped, int32_t *index, double *value)
{
    int64_t q = f->in.causes, at = 0, offset = 1, first[MAX_PAIRS_OF] = {0};
    double rise[ORDER], of_pair[MAX_PAIRS_OF][ORDER];
    index[at] = 0;
    value[at++] = 1.0;
    for (int64_t i = 0; i < q; i++) {
        index[at] = (int32_t)offset++;
        value[at++] = (x[i] - f->centre[i]) / f->unit[i];
    }
    for (int64_t i = 0; i < q; i++, offset += MAIN, at += ORDER) {
        int64_t begin = spline_quadratic(MAIN, warped[i], value + at, rise);
        for (int k = 0; k < ORDER; k++) {
            index[at + k] = (int32_t)(offset + begin + k);
        }
        if (f->has_pairs) {
            first[i] = spline_quadratic(PAIR, warped[i], of_pair[i], rise);
        }
    }
    for (int64_t i = 0; f->has_pairs && i < q; i++) {
        for (int64_t k = i + 1; k < q; k++, offset += PAIR * PAIR) {
            for (int64_t a = 0; a < ORDER; a++) {
                for (int64_t b = 0; b < ORDER; b++) {
                    index[at] = (int32_t)(offset + (first[i] + a) * PAIR + first[k] + b);
                    value[at++] = of_pair[i][a] * of_pair[k][b];
                }
            }
        }
    }
}

static double sum_terms(int64_t terms, const int32_t *index, const double *value, const double *coefficient)
{
    double sum = 0.0;
    for (int64_t k = 0; k < terms; k++) {
        sum += value[k] * coefficient[index[k]];
    }
    return sum;
}

static double at_row(const effect_regression *f, int64_t i, const double *coefficient)
{
    return sum_terms(f->terms, f->index + i * f->terms, f->value + i * f->terms, coefficient);
}

void effect_regress_at(const effect_regression *f, const double *coefficient, const double *x, const double *warped,
                       double *location, double *scale)
{
    int32_t index[MAX_TERMS];
    double value[MAX_TERMS];
    fill_terms(f, x, warped, index, value);
    double log_scale = sum_terms(f->terms, index, value, coefficient + f->p);
    *location = f->y_centre + f->y_unit * sum_terms(f->terms, index, value, coefficient);
    *scale = f->y_unit * exp(fmin(fmax(log_scale, -MAX_LOG_SCALE), MAX_LOG_SCALE));
}

/* ---- penalties ----------------------------------------------------------------------------------------------------
 */

/* Returns the ridge of a coefficient. */
static double ridge_of(const effect_regression *f, int part, int64_t i)
{
    bool line = i >= 1 && i <= f->in.causes;
    return i == 0 ? 0.0
                  : (line && part == REGRESS_SCALE ? LINE_OF_SCALE : RIDGE * (line ? 0.01 : 1.0)) * (double)f->in.n;
}

static void add_penalty(const effect_regression *f, int part, double *sum)
{
    int64_t offset = 1 + f->in.causes, q = f->in.causes;
    for (int64_t i = 0; i < f->p; i++) {
        sum[i * f->p + i] += ridge_of(f, part, i);
    }
    for (int64_t i = 0; i < q; i++, offset += MAIN) {
        spline_add_differences(2, f->smooth[part][0], offset, MAIN, 1, f->p, sum);
    }
    for (int64_t k = 0; f->has_pairs && k < q * (q - 1) / 2; k++, offset += PAIR * PAIR) {
        for (int64_t a = 0; a < PAIR; a++) {
            spline_add_differences(2, f->smooth[part][1], offset + a * PAIR, PAIR, 1, f->p, sum);
            spline_add_differences(2, f->smooth[part][1], offset + a, PAIR, PAIR, f->p, sum);
        }
    }
}

/* Adds to `to`, for one run of coefficients with second differences D: weight D'D c or, with r, a draw of N(0, weight
 * D'D) times `size`. */
static void visit_run(double weight, int64_t count, int64_t step, const double *c, rng *r, double size, double *to)
{
    for (int64_t i = 0; i + 2 < count; i++) {
        int64_t at = i * step;
        double term =
            r ? size * sqrt(weight) * rng_normal(r) : weight * (c[at] - 2.0 * c[at + step] + c[at + 2 * step]);
        to[at] += term;
        to[at + step] -= 2.0 * term;
        to[at + 2 * step] += term;
    }
}

/* Adds P c to `to` (p) or, with r, a draw of N(0, P) times `size`; P: the penalty matrix. */
static void visit_penalty(const effect_regression *f, int part, const double *c, rng *r, double size, double *to)
{
    int64_t offset = 1 + f->in.causes, q = f->in.causes;
    const double *smooth = f->smooth[part];
    for (int64_t i = 0; i < f->p; i++) {
        double ridge = ridge_of(f, part, i);
        to[i] += r ? size * sqrt(ridge) * rng_normal(r) : ridge * c[i];
    }
    for (int64_t i = 0; i < q; i++, offset += MAIN) {
        visit_run(smooth[0], MAIN, 1, c + offset, r, size, to + offset);
    }
    for (int64_t k = 0; f->has_pairs && k < q * (q - 1) / 2; k++, offset += PAIR * PAIR) {
        for (int64_t a = 0; a < PAIR; a++) {
            visit_run(smooth[1], PAIR, 1, c + offset + a * PAIR, r, size, to + offset + a * PAIR);
            visit_run(smooth[1], PAIR, PAIR, c + offset + a, r, size, to + offset + a);
        }
    }
}

/* ---- penalised least squares --------------------------------------------------------------------------------------
 */

typedef struct least_squares {
    const effect_regression *f;
    int part;
    const double *weight, *target; /* (n) */
    double *gram, *right;          /* (p, p), (p) sums over the rows */
    double square;                 /* weighted sum of squared targets */
    double *factor, *inverse, *solution;
} least_squares;

static nonsens_status new_squares(nonsens_context *ctx, arena *a, const effect_regression *f, least_squares *s)
{
    *s = (least_squares){.f = f};
    ARENA_TRY(ctx, a, s->gram, f->p * f->p);
    ARENA_TRY(ctx, a, s->right, f->p);
    ARENA_TRY(ctx, a, s->factor, f->p * f->p);
    ARENA_TRY(ctx, a, s->inverse, f->p * f->p);
    ARENA_TRY(ctx, a, s->solution, f->p);
    return NONSENS_OK;
}

static void sum_rows(least_squares *s, int part, const double *weight, const double *target)
{
    const effect_regression *f = s->f;
    s->part = part;
    s->weight = weight;
    s->target = target;
    s->square = 0.0;
    memset(s->gram, 0, (size_t)(f->p * f->p) * sizeof *s->gram);
    memset(s->right, 0, (size_t)f->p * sizeof *s->right);
    for (int64_t i = 0; i < f->in.n; i++) {
        const int32_t *index = f->index + i * f->terms;
        const double *value = f->value + i * f->terms;
        double w = weight[i];
        s->square += w * target[i] * target[i];
        for (int64_t k = 0; k < f->terms; k++) {
            double *column = s->gram + (int64_t)index[k] * f->p, scaled = w * value[k];
            s->right[index[k]] += scaled * target[i];
            for (int64_t l = k; l < f->terms; l++) { // indices ascend
                column[index[l]] += scaled * value[l];
            }
        }
    }
}

/* Factors the penalised sums; if they are singular to rounding, with the smallest additional ridge that suffices. */
static nonsens_status factor_sums(nonsens_context *ctx, least_squares *s)
{
    static const double FIRST_RIDGE = 1e-10, LAST_RIDGE = 1e-2, STEP = 100.0;
    int64_t p = s->f->p;
    double mean = 0.0;
    for (int64_t j = 0; j < p; j++) {
        mean += s->gram[j * p + j] / (double)p;
    }
    nonsens_status status = NONSENS_ERR_NUMERIC;
    for (double ridge = 0.0; status == NONSENS_ERR_NUMERIC && ridge <= LAST_RIDGE;
         ridge = ridge > 0.0 ? STEP * ridge : FIRST_RIDGE) {
        memcpy(s->factor, s->gram, (size_t)(p * p) * sizeof *s->gram);
        add_penalty(s->f, s->part, s->factor);
        for (int64_t j = 0; j < p; j++) {
            s->factor[j * p + j] += ridge * mean;
        }
        status = linalg_cholesky(ctx, p, s->factor);
    }
    return status;
}

/* Solves with the current penalties; *score: the criterion of generalised cross-validation. */
static nonsens_status solve(nonsens_context *ctx, least_squares *s, double *score, double *dispersion)
{
    const effect_regression *f = s->f;
    int64_t p = f->p;
    double trace = 0.0, n = (double)f->in.n, left = s->square;
    TRY(factor_sums(ctx, s));
    memcpy(s->solution, s->right, (size_t)p * sizeof *s->right);
    linalg_solve_lower(false, p, 1, s->factor, p, s->solution, p);
    linalg_solve_lower(true, p, 1, s->factor, p, s->solution, p);
    memcpy(s->inverse, s->factor, (size_t)(p * p) * sizeof *s->factor);
    linalg_invert_cholesky(p, s->inverse);
    for (int64_t j = 0; j < p; j++) { // only the lower triangle of the sums is filled
        double along = s->gram[j * p + j] * s->solution[j];
        trace += s->inverse[j * p + j] * s->gram[j * p + j];
        for (int64_t i = j + 1; i < p; i++) {
            trace += 2.0 * s->inverse[j * p + i] * s->gram[j * p + i];
            along += 2.0 * s->gram[j * p + i] * s->solution[i];
        }
        left += s->solution[j] * (along - 2.0 * s->right[j]);
    }
    left = fmax(left, 0.0);
    *dispersion = left / fmax(n - trace, 1.0);
    *score = n * left / ((n - trace) * (n - trace));
    return NONSENS_OK;
}

/* Chooses the penalties one after the other, starting from their current values. */
static nonsens_status choose_smooth(nonsens_context *ctx, least_squares *s, effect_regression *f)
{
    double best, dispersion, *smooth = f->smooth[s->part];
    TRY(solve(ctx, s, &best, &dispersion));
    for (int which = 0; which < (f->has_pairs && f->in.causes > 1 ? 2 : 1); which++) {
        bool rose = false;
        for (int up = 0; up < 2; up++) {
            for (int tries = 0; tries < MAX_TRIES && !(up == 1 && rose); tries++) {
                double score, before = smooth[which];
                if (up == 1 && before > MAX_SMOOTH * (double)f->in.n) {
                    break;
                }
                smooth[which] = up == 0 ? before / RATIO : before * RATIO;
                TRY(solve(ctx, s, &score, &dispersion));
                if (!(score < best)) {
                    smooth[which] = before;
                    break;
                }
                best = score;
                rose = up == 0;
            }
        }
    }
    return solve(ctx, s, &best, &f->dispersion[s->part]);
}

/* ---- the full fit -------------------------------------------------------------------------------------------------
 */

static void keep(const least_squares *s, effect_regression *f)
{
    memcpy(f->factor[s->part], s->factor, (size_t)(f->p * f->p) * sizeof *s->factor);
    memcpy(f->coefficient + s->part * f->p, s->solution, (size_t)f->p * sizeof *s->solution);
}

/* Fits M to y minus the means of segments; residual (n): standardised y minus M. */
static nonsens_status fit_location(nonsens_context *ctx, least_squares *s, bool choose, effect_regression *f,
                                   double *target, double *residual)
{
    double score;
    for (int64_t i = 0; i < f->in.n; i++) {
        target[i] = (f->in.y[i] - f->y_centre) / f->y_unit - f->centre_of[i];
    }
    sum_rows(s, REGRESS_LOCATION, f->weight, target);
    TRY(choose ? choose_smooth(ctx, s, f) : solve(ctx, s, &score, &f->dispersion[REGRESS_LOCATION]));
    keep(s, f);
    for (int64_t i = 0; i < f->in.n; i++) {
        residual[i] = target[i] + f->centre_of[i] - at_row(f, i, f->coefficient);
    }
    return NONSENS_OK;
}

static double log_scale_at(const effect_regression *f, int64_t i, const double *coefficient)
{
    return fmin(fmax(at_row(f, i, coefficient + f->p), -MAX_LOG_SCALE), MAX_LOG_SCALE);
}

/* Fits log S to absolute residuals by a gamma regression, whose working responses have equal weights. */
static nonsens_status fit_scale(nonsens_context *ctx, least_squares *s, bool choose, const double *residual,
                                const double *ones, double *target, effect_regression *f)
{
    for (int step = 0; step < SCALE_STEPS; step++) {
        double score;
        for (int64_t i = 0; i < f->in.n; i++) {
            double log_scale = log_scale_at(f, i, f->coefficient);
            target[i] = log_scale + fabs(residual[i]) / (f->spread[i] * exp(log_scale)) - 1.0;
        }
        sum_rows(s, REGRESS_SCALE, ones, target);
        bool last = step == SCALE_STEPS - 1;
        TRY(choose && last ? choose_smooth(ctx, s, f) : solve(ctx, s, &score, &f->dispersion[REGRESS_SCALE]));
        keep(s, f);
    }
    return NONSENS_OK;
}

/*
 * Sets mu_e and sigma_e from residuals divided by S, and the weights that follow.  mu_e is shrunk towards 0, the more
 * the larger its squared error is relative to its square, so that equal means do not cost precision.
 */
static nonsens_status fit_segments(nonsens_context *ctx, arena *scratch, const double *residual, effect_regression *f)
{
    double *rows, *sum, *square, *size;
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, rows, f->in.segments);
    ARENA_TRY(ctx, scratch, sum, f->in.segments);
    ARENA_TRY(ctx, scratch, square, f->in.segments);
    ARENA_TRY(ctx, scratch, size, f->in.segments);
    for (int64_t i = 0; i < f->in.n; i++) {
        double r = residual[i] * exp(-log_scale_at(f, i, f->coefficient));
        int32_t e = f->in.segment[i];
        rows[e] += 1.0;
        sum[e] += r;
        square[e] += r * r;
        size[e] += fabs(r);
    }
    for (int64_t e = 0; e < f->in.segments; e++) {
        double mean = sum[e] / rows[e], error = fmax(square[e] / rows[e] - mean * mean, 0.0) / rows[e];
        sum[e] = mean * fmax(0.0, 1.0 - 2.0 * error / fmax(mean * mean, 1e-300));
        size[e] = fmax(size[e] / rows[e], MIN_SIZE);
    }
    double total = 0.0;
    for (int64_t i = 0; i < f->in.n; i++) {
        double scale = exp(log_scale_at(f, i, f->coefficient));
        int32_t e = f->in.segment[i];
        f->spread[i] = size[e];
        f->centre_of[i] = scale * sum[e];
        f->weight[i] = 1.0 / (scale * scale * size[e] * size[e]);
        total += f->weight[i];
    }
    for (int64_t i = 0; i < f->in.n; i++) {
        f->weight[i] *= (double)f->in.n / total;
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

static void standardise(int64_t n, const double *v, double *centre, double *unit)
{
    double mean = 0.0, square = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean += v[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        square += (v[i] - mean) * (v[i] - mean) / (double)n;
    }
    *centre = mean;
    *unit = square > 0.0 ? sqrt(square) : 1.0;
}

static nonsens_status allocate(nonsens_context *ctx, arena *a, effect_regression *f)
{
    int64_t n = f->in.n, q = f->in.causes, pairs = f->has_pairs ? q * (q - 1) / 2 : 0;
    f->p = 1 + q + q * MAIN + pairs * PAIR * PAIR;
    f->terms = 1 + q + q * ORDER + pairs * ORDER * ORDER;
    if (f->terms > MAX_TERMS) {
        return fail(ctx, NONSENS_ERR_DATA, "a variable has too many causes to estimate their effects");
    }
    ARENA_TRY(ctx, a, f->centre, q);
    ARENA_TRY(ctx, a, f->unit, q);
    ARENA_TRY(ctx, a, f->index, n * f->terms);
    ARENA_TRY(ctx, a, f->value, n * f->terms);
    ARENA_TRY(ctx, a, f->weight, n);
    ARENA_TRY(ctx, a, f->centre_of, n);
    ARENA_TRY(ctx, a, f->spread, n);
    ARENA_TRY(ctx, a, f->factor[0], f->p * f->p);
    ARENA_TRY(ctx, a, f->factor[1], f->p * f->p);
    ARENA_TRY(ctx, a, f->coefficient, REGRESS_PARTS * f->p);
    return NONSENS_OK;
}

nonsens_status effect_regress_new(nonsens_context *ctx, arena *a, const regress_input *in, effect_regression *out)
{
    SCOPED_ARENA(scratch);
    least_squares s;
    double *ones, *target, *residual, x[MAX_TERMS], warped[MAX_TERMS];
    *out = (effect_regression){.in = *in, .has_pairs = in->causes <= MAX_PAIRS_OF, .smooth = {{1, 1}, {30, 30}}};
    TRY(allocate(ctx, a, out));
    TRY(new_squares(ctx, &scratch, out, &s));
    ARENA_TRY(ctx, &scratch, ones, in->n);
    ARENA_TRY(ctx, &scratch, target, in->n);
    ARENA_TRY(ctx, &scratch, residual, in->n);
    standardise(in->n, in->y, &out->y_centre, &out->y_unit);
    for (int64_t k = 0; k < in->causes; k++) {
        standardise(in->n, in->x[k], &out->centre[k], &out->unit[k]);
    }
    for (int64_t i = 0; i < in->n; i++) {
        ones[i] = out->weight[i] = out->spread[i] = 1.0;
        for (int64_t k = 0; k < in->causes; k++) {
            x[k] = in->x[k][i];
            warped[k] = in->warped[k][i];
        }
        fill_terms(out, x, warped, out->index + i * out->terms, out->value + i * out->terms);
    }
    for (int round = 0; round < ROUNDS; round++) {
        TRY(check_cancelled(ctx));
        TRY(fit_location(ctx, &s, true, out, target, residual));
        for (int64_t i = 0; i < in->n; i++) {
            residual[i] -= out->centre_of[i];
        }
        TRY(fit_scale(ctx, &s, round > 0, residual, ones, target, out));
        for (int64_t i = 0; i < in->n; i++) {
            residual[i] += out->centre_of[i];
        }
        if (round + 1 < ROUNDS) { // not after the last fit: its weights must remain
            TRY(fit_segments(ctx, &scratch, residual, out));
        }
    }
    return NONSENS_OK;
}

/* ---- bootstrap samples --------------------------------------------------------------------------------------------
 */

/* Makes one step of a part towards the fit of the sample: to += factor^-1 (sum count weight (target - fit) terms - P to
 * + pull).
 */
static void step_towards(const effect_regression *f, int part, const double *pull, const double *weighted,
                         double *gradient, double *to)
{
    int64_t p = f->p;
    memset(gradient, 0, (size_t)p * sizeof *gradient);
    visit_penalty(f, part, to, NULL, 0.0, gradient);
    for (int64_t i = 0; i < p; i++) {
        gradient[i] = pull[i] - gradient[i];
    }
    for (int64_t i = 0; i < f->in.n; i++) {
        for (int64_t k = 0; k < f->terms && weighted[i] != 0.0; k++) {
            gradient[f->index[i * f->terms + k]] += weighted[i] * f->value[i * f->terms + k];
        }
    }
    linalg_solve_lower(false, p, 1, f->factor[part], p, gradient, p);
    linalg_solve_lower(true, p, 1, f->factor[part], p, gradient, p);
    for (int64_t i = 0; i < p; i++) {
        to[i] += gradient[i];
    }
}

nonsens_status effect_regress_redraw(nonsens_context *ctx, arena *scratch, const effect_regression *f,
                                     const double *count, rng *r, double *coefficient)
{
    arena_mark mark = arena_tell(scratch);
    double *pull, *gradient, *weighted, *residual;
    ARENA_TRY(ctx, scratch, pull, REGRESS_PARTS * f->p);
    ARENA_TRY(ctx, scratch, gradient, f->p);
    ARENA_TRY(ctx, scratch, weighted, f->in.n);
    ARENA_TRY(ctx, scratch, residual, f->in.n);
    memcpy(coefficient, f->coefficient, (size_t)(REGRESS_PARTS * f->p) * sizeof *coefficient);
    for (int part = 0; r && part < REGRESS_PARTS; part++) {
        visit_penalty(f, part, NULL, r, sqrt(f->dispersion[part]), pull + part * f->p);
    }
    for (int step = 0; step <= REDRAW_STEPS; step++) {
        TRY(check_cancelled(ctx));
        for (int64_t i = 0; i < f->in.n; i++) {
            residual[i] = count[i] == 0.0
                              ? 0.0
                              : (f->in.y[i] - f->y_centre) / f->y_unit - f->centre_of[i] - at_row(f, i, coefficient);
            weighted[i] = count[i] * f->weight[i] * residual[i];
        }
        if (step < REDRAW_STEPS) {
            step_towards(f, REGRESS_LOCATION, pull, weighted, gradient, coefficient);
        }
    }
    for (int step = 0; step < REDRAW_STEPS; step++) {
        for (int64_t i = 0; i < f->in.n; i++) {
            double size = count[i] == 0.0 ? 0.0 : exp(-log_scale_at(f, i, coefficient)) / f->spread[i];
            weighted[i] = count[i] * (fabs(residual[i]) * size - 1.0);
        }
        step_towards(f, REGRESS_SCALE, pull + f->p, weighted, gradient, coefficient + f->p);
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}
