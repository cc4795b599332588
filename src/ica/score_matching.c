/*
 * score_matching.c - the paper's linear ICA: score matching of log p_e(z) = sum_a lambda_a(e) q_a(w_a.z) - log Z.
 *
 * Monti, Zhang, Hyvarinen (UAI 2019), section 3.2 and supplement B; score matching: Hyvarinen, JMLR 6 (2005).  With
 * statistics a = 1 .. d m, w_a the row of W that owns a, and averages E_e inside segment e,
 *
 *     J(W) = sum_e n_e/n [ b_e.lambda(e) + 1/2 lambda(e)' M_e lambda(e) ],   lambda(e) = -M_e^{-1} b_e,
 *     b_e[a] = |w_a|^2 E_e q_a'',        M_e[a,b] = (w_a.w_b) E_e q_a' q_b'.
 *
 * Deviations: the paper's printed J lacks |w_a|^2; it weights segments equally, here n_e/n is the efficient choice for
 * unequal sizes; |s| becomes log cosh (c s) / c, since |s| has no useful second derivative; W is a rotation of the
 * within-segment whitened rows; M_e gets a small ridge, without which a segment in which a source stands still
 * would make J unbounded.  One statistic per source: log cosh.  Two: log cosh and s^2 / 2, taken as
 * log cosh (c s) / c - c s^2 / 2 and s^2 / 2: J depends on their span only, and where a source is small, log cosh is
 * so nearly a square that M_e of the plain pair loses half its digits.
 *
 * For a rotation M_e is block-diagonal and J a sum over sources: sweeps over planes search it globally.  Then L-BFGS
 * polishes with the gradient of the general J, W = (I - S)^{-1} (I + S), S skew-symmetric (Cayley).
 */
#include "ica/internal.h"
#include "math/linalg.h"
#include "math/optimise.h"

#include <math.h>
#include <string.h>

/*
 * c for one and for two statistics.  Sharper is closer to |s|, which Laplace sources want, but counts fewer rows in
 * E q'', and one-sided sources (features, for which the second statistic exists) then fail at small n.
 */
static const double SHARPNESS[2] = {2.0, 1.0};
static const double RIDGE = 1e-6;
static const ica_search ANGLES = {.grid = 32, .precision = 1e-2, .stop = 5e-2, .max_sweeps = 12};
static const lbfgs_options POLISH = {.memory = 10, .max_iterations = 200, .gradient_tolerance = 1e-7};

/* ---- general W ----------------------------------------------------------------------------------------------- */

nonsens_status ica_score_open(nonsens_context *ctx, arena *a, const ica_data *data, int statistics,
                              ica_score_model *model)
{
    int64_t d = data->d, r = d * statistics, largest = 0;
    for (int64_t e = 0; e < data->segments; e++) {
        int64_t rows = data->start[e + 1] - data->start[e];
        largest = rows > largest ? rows : largest;
    }
    *model = (ica_score_model){.ctx = ctx, .data = data, .statistics = statistics};
    model->sharpness = SHARPNESS[statistics - 1];
    ARENA_TRY(ctx, a, model->s, largest * d);
    ARENA_TRY(ctx, a, model->p, largest * d);
    ARENA_TRY(ctx, a, model->q1, largest * r);
    ARENA_TRY(ctx, a, model->q2, largest * r);
    ARENA_TRY(ctx, a, model->q3, largest * r);
    ARENA_TRY(ctx, a, model->gram, d * d);
    ARENA_TRY(ctx, a, model->moment, r * r);
    ARENA_TRY(ctx, a, model->factor, r * r);
    ARENA_TRY(ctx, a, model->mean2, r);
    ARENA_TRY(ctx, a, model->b, r);
    ARENA_TRY(ctx, a, model->lambda, r);
    ARENA_TRY(ctx, a, model->weights, r * d);
    return NONSENS_OK;
}

/* tanh by one exponential: absolute error of 1e-16, which is all that averages need, at a third of the time. */
static double fast_tanh(double x)
{
    double decay = exp(-2.0 * fabs(x));
    return copysign((1.0 - decay) / (1.0 + decay), x);
}

/* Derivatives of log cosh (c s) / c at n values. */
static void log_cosh_derivatives(int64_t n, double c, const double *s, double *q1, double *q2, double *q3)
{
    for (int64_t i = 0; i < n; i++) {
        double t = fast_tanh(c * s[i]);
        q1[i] = t;
        q2[i] = c * (1.0 - t * t);
        q3[i] = -2.0 * c * c * t * (1.0 - t * t);
    }
}

/* Derivatives of log cosh (c s) / c - c s^2 / 2. */
static void log_cosh_beyond_square(int64_t n, double c, const double *s, double *q1, double *q2, double *q3)
{
    for (int64_t i = 0; i < n; i++) {
        double t = fast_tanh(c * s[i]);
        q1[i] = t - c * s[i];
        q2[i] = -c * t * t;
        q3[i] = -2.0 * c * c * t * (1.0 - t * t);
    }
}

/* Derivatives of s^2 / 2. */
static void square_derivatives(int64_t n, const double *s, double *q1, double *q2, double *q3)
{
    for (int64_t i = 0; i < n; i++) {
        q1[i] = s[i];
        q2[i] = 1.0;
        q3[i] = 0.0;
    }
}

static double mean_of(int64_t n, const double *v)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        sum += v[i];
    }
    return sum / (double)n;
}

/* Sources and derivatives of segment e at w. */
static void segment_statistics(const ica_score_model *model, int64_t e, const double *w)
{
    const ica_data *data = model->data;
    int64_t d = data->d, m = model->statistics, rows = data->start[e + 1] - data->start[e];
    linalg_gemm(false, true, rows, d, d, 1.0, data->y + data->start[e], data->n, w, d, 0.0, model->s, rows);
    for (int64_t j = 0; j < d; j++) {
        const double *s = model->s + j * rows;
        int64_t at = j * m * rows;
        if (m == 1) {
            log_cosh_derivatives(rows, model->sharpness, s, model->q1 + at, model->q2 + at, model->q3 + at);
        } else {
            log_cosh_beyond_square(rows, model->sharpness, s, model->q1 + at, model->q2 + at, model->q3 + at);
            at += rows;
            square_derivatives(rows, s, model->q1 + at, model->q2 + at, model->q3 + at);
        }
    }
}

/* x = -L'^{-1} L^{-1} b for the Cholesky factor L (r, r). */
static void solve_negative(int64_t r, const double *l, const double *b, double *x)
{
    for (int64_t i = 0; i < r; i++) {
        double sum = -b[i];
        for (int64_t k = 0; k < i; k++) {
            sum -= l[i + r * k] * x[k];
        }
        x[i] = sum / l[i + r * i];
    }
    for (int64_t i = r - 1; i >= 0; i--) {
        double sum = x[i];
        for (int64_t k = i + 1; k < r; k++) {
            sum -= l[k + r * i] * x[k];
        }
        x[i] = sum / l[i + r * i];
    }
}

/* Moments, b_e, M_e and lambda(e) from the statistics of a segment; returns J_e = 1/2 b_e.lambda(e). */
static double segment_value(const ica_score_model *model, int64_t rows)
{
    int64_t d = model->data->d, m = model->statistics, r = d * m;
    linalg_gram(rows, r, model->q1, rows, model->moment);
    for (int64_t a = 0; a < r; a++) {
        for (int64_t b = 0; b < r; b++) {
            model->moment[a + r * b] /= (double)rows;
            model->factor[a + r * b] = model->gram[a / m + d * (b / m)] * model->moment[a + r * b];
        }
        model->factor[a + r * a] += RIDGE;
        model->mean2[a] = mean_of(rows, model->q2 + a * rows);
        model->b[a] = model->gram[a / m + d * (a / m)] * model->mean2[a];
    }
    if (linalg_cholesky(model->ctx, r, model->factor) != NONSENS_OK) {
        return HUGE_VAL;
    }
    solve_negative(r, model->factor, model->b, model->lambda);
    double value = 0.0;
    for (int64_t a = 0; a < r; a++) {
        value += 0.5 * model->b[a] * model->lambda[a];
    }
    return value;
}

/* The part of the gradient that does not pass through the rows: from |w_a|^2 and w_a.w_b. */
static void add_direct_gradient(const ica_score_model *model, const double *w, double weight, double *gradient)
{
    int64_t d = model->data->d, m = model->statistics, r = d * m;
    for (int64_t a = 0; a < r; a++) {
        for (int64_t b = 0; b < r; b++) {
            double factor = model->lambda[a] * model->lambda[b] * model->moment[a + r * b];
            factor += a == b ? 2.0 * model->lambda[a] * model->mean2[a] : 0.0;
            for (int64_t k = 0; k < d; k++) {
                gradient[a / m + d * k] += weight * factor * w[b / m + d * k];
            }
        }
    }
}

/* sum_a lambda_a [ |w_a|^2 E q_a''' z + E q_a'' sum_b lambda_b (w_a.w_b) q_b' z ] over the statistics a of each row. */
static void add_row_gradient(const ica_score_model *model, int64_t e, double weight, double *gradient)
{
    const ica_data *data = model->data;
    int64_t d = data->d, m = model->statistics, r = d * m, rows = data->start[e + 1] - data->start[e];
    for (int64_t j = 0; j < d; j++) {
        for (int64_t b = 0; b < r; b++) {
            model->weights[b + r * j] = model->lambda[b] * model->gram[b / m + d * j];
        }
    }
    linalg_gemm(false, false, rows, d, r, 1.0, model->q1, rows, model->weights, r, 0.0, model->p, rows);
    memset(model->s, 0, (size_t)(rows * d) * sizeof *model->s);
    for (int64_t a = 0; a < r; a++) {
        const double *q2 = model->q2 + a * rows, *q3 = model->q3 + a * rows, *p = model->p + a / m * rows;
        double *coefficient = model->s + a / m * rows, lambda = model->lambda[a];
        double norm = model->gram[a / m + d * (a / m)];
        for (int64_t i = 0; i < rows; i++) {
            coefficient[i] += lambda * (norm * q3[i] + q2[i] * p[i]);
        }
    }
    linalg_gemm(true, false, d, d, rows, weight / (double)rows, model->s, rows, data->y + data->start[e], data->n, 1.0,
                gradient, d);
}

double ica_score_objective(const ica_score_model *model, const double *w, double *gradient)
{
    const ica_data *data = model->data;
    int64_t d = data->d;
    double value = 0.0;
    linalg_gemm(false, true, d, d, d, 1.0, w, d, w, d, 0.0, model->gram, d);
    if (gradient) {
        memset(gradient, 0, (size_t)(d * d) * sizeof *gradient);
    }
    for (int64_t e = 0; e < data->segments; e++) {
        double weight = ica_segment_weight(data, e);
        segment_statistics(model, e, w);
        value += weight * segment_value(model, data->start[e + 1] - data->start[e]);
        if (!isfinite(value)) {
            return HUGE_VAL;
        }
        if (gradient) {
            add_direct_gradient(model, w, weight, gradient);
            add_row_gradient(model, e, weight, gradient);
        }
    }
    return value;
}

/* ---- rotations: one source at a time ------------------------------------------------------------------------- */

typedef struct score_state {
    ica_rows rows; /* first: ica_rows_turn takes it */
    ica_score_model model;
    double *skew, *inverse;     /* (d, d) S and (I - S)^{-1} */
    double *w, *gradient, *sum; /* (d, d) W, dJ/dW, scratch */
} score_state;

/* -1/2 b^2 / M of one source inside one segment, rows s (n), for the statistic log cosh. */
static double one_statistic_value(int64_t n, const double *s, double c)
{
    double squares = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double t = fast_tanh(c * s[i]);
        squares += t * t;
    }
    double moment = squares / (double)n, b = c * (1.0 - moment);
    return -0.5 * b * b / (moment + RIDGE);
}

/* -1/2 b' M^{-1} b of one source inside one segment for both statistics; b = (-c E t^2, 1). */
static double two_statistic_value(int64_t n, const double *s, double c)
{
    double squares = 0.0, m11 = 0.0, m12 = 0.0, m22 = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double t = fast_tanh(c * s[i]), beyond = t - c * s[i];
        squares += t * t;
        m11 += beyond * beyond;
        m12 += beyond * s[i];
        m22 += s[i] * s[i];
    }
    double rows = (double)n, b = -c * squares / rows;
    m11 = m11 / rows + RIDGE;
    m12 = m12 / rows;
    m22 = m22 / rows + RIDGE;
    return -0.5 * (b * b * m22 - 2.0 * b * m12 + m11) / (m11 * m22 - m12 * m12);
}

static double source_value(const score_state *state, const double *s)
{
    const ica_data *data = state->rows.data;
    const bool one = state->model.statistics == 1;
    double value = 0.0;
    for (int64_t e = 0; e < data->segments; e++) {
        int64_t rows = data->start[e + 1] - data->start[e];
        const double *values = s + data->start[e];
        double c = state->model.sharpness, weight = ica_segment_weight(data, e);
        value += weight * (one ? one_statistic_value(rows, values, c) : two_statistic_value(rows, values, c));
    }
    return value;
}

static double plane_value(void *opaque, int64_t j, int64_t k, double c, double s)
{
    const score_state *state = opaque;
    const ica_data *data = state->rows.data;
    ica_turn_pair(data->n, 1, c, s, data->y + j * data->n, data->y + k * data->n, state->rows.u, state->rows.v);
    return source_value(state, state->rows.u) + source_value(state, state->rows.v);
}

/* ---- the polish ---------------------------------------------------------------------------------------------- */

/*
 * inverse = (I - S)^{-1} by Gauss-Jordan without pivoting: the symmetric part of I - S is I, so every pivot is at
 * least 1.
 */
static void invert_unit_minus(int64_t d, const double *skew, double *a, double *inverse)
{
    for (int64_t i = 0; i < d * d; i++) {
        double unit = i % (d + 1) == 0 ? 1.0 : 0.0;
        a[i] = unit - skew[i];
        inverse[i] = unit;
    }
    for (int64_t pivot = 0; pivot < d; pivot++) {
        double scale = 1.0 / a[pivot + d * pivot];
        for (int64_t k = 0; k < d; k++) {
            a[pivot + d * k] *= scale;
            inverse[pivot + d * k] *= scale;
        }
        for (int64_t i = 0; i < d; i++) {
            double factor = i == pivot ? 0.0 : a[i + d * pivot];
            for (int64_t k = 0; k < d; k++) {
                a[i + d * k] -= factor * a[pivot + d * k];
                inverse[i + d * k] -= factor * inverse[pivot + d * k];
            }
        }
    }
}

/* w = (I - S)^{-1} (I + S) for the skew-symmetric S with x (d (d - 1) / 2) above its diagonal. */
static void cayley(score_state *state, const double *x)
{
    int64_t d = state->rows.data->d;
    memset(state->skew, 0, (size_t)(d * d) * sizeof *state->skew);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t k = j + 1; k < d; k++) {
            state->skew[j + d * k] = *x;
            state->skew[k + d * j] = -*x++;
        }
    }
    invert_unit_minus(d, state->skew, state->sum, state->inverse);
    memcpy(state->sum, state->skew, (size_t)(d * d) * sizeof *state->sum);
    for (int64_t j = 0; j < d; j++) {
        state->sum[j + d * j] += 1.0;
    }
    linalg_gemm(false, false, d, d, d, 1.0, state->inverse, d, state->sum, d, 0.0, state->w, d);
}

/* J and its gradient in x: dW = (I - S)^{-1} dS (W + I), so dJ = <P, dS> with P = (I - S)^{-T} dJ/dW (W + I)'. */
static double rotated_objective(void *opaque, int64_t n, const double *x, double *gradient)
{
    score_state *state = opaque;
    int64_t d = state->rows.data->d;
    cayley(state, x);
    double value = ica_score_objective(&state->model, state->w, state->gradient);
    if (!isfinite(value)) {
        memset(gradient, 0, (size_t)n * sizeof *gradient);
        return HUGE_VAL;
    }
    for (int64_t j = 0; j < d; j++) {
        state->w[j + d * j] += 1.0;
    }
    linalg_gemm(false, true, d, d, d, 1.0, state->gradient, d, state->w, d, 0.0, state->sum, d);
    linalg_gemm(true, false, d, d, d, 1.0, state->inverse, d, state->sum, d, 0.0, state->gradient, d);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t k = j + 1; k < d; k++) {
            *gradient++ = state->gradient[j + d * k] - state->gradient[k + d * j];
        }
    }
    return value;
}

/* Turns data and rotation by W: y <- y W', rotation <- W rotation. */
static nonsens_status turn_all(nonsens_context *ctx, arena *a, score_state *state)
{
    ica_data *data = state->rows.data;
    int64_t n = data->n, d = data->d;
    double *turned;
    ARENA_TRY(ctx, a, turned, n * d);
    linalg_gemm(false, true, n, d, d, 1.0, data->y, n, state->w, d, 0.0, turned, n);
    data->y = turned;
    linalg_gemm(false, false, d, d, d, 1.0, state->w, d, state->rows.rotation, d, 0.0, state->sum, d);
    memcpy(state->rows.rotation, state->sum, (size_t)(d * d) * sizeof *state->sum);
    return NONSENS_OK;
}

static nonsens_status polish(nonsens_context *ctx, arena *a, score_state *state, ica_result *out)
{
    int64_t d = state->rows.data->d, parameters = d * (d - 1) / 2;
    double *x;
    lbfgs_result result;
    ARENA_TRY(ctx, a, x, parameters);
    TRY(lbfgs_minimise(ctx, a, parameters, x, rotated_objective, state, &POLISH, &result));
    cayley(state, x);
    TRY(turn_all(ctx, a, state));
    out->iterations += result.iterations;
    out->converged = result.reason != STOP_ITERATIONS;
    return NONSENS_OK;
}

nonsens_status ica_score_matching(nonsens_context *ctx, arena *a, ica_data *data, int statistics, double *rotation,
                                  ica_result *out)
{
    int64_t d = data->d;
    score_state state = {0};
    TRY(ica_rows_open(ctx, a, data, rotation, &state.rows));
    TRY(ica_score_open(ctx, a, data, statistics, &state.model));
    ARENA_TRY(ctx, a, state.skew, d * d);
    ARENA_TRY(ctx, a, state.inverse, d * d);
    ARENA_TRY(ctx, a, state.w, d * d);
    ARENA_TRY(ctx, a, state.gradient, d * d);
    ARENA_TRY(ctx, a, state.sum, d * d);
    ica_contrast contrast = {&state, plane_value, ica_rows_turn};
    TRY(ica_sweep_planes(ctx, d, &contrast, &ANGLES, &out->iterations, &out->converged));
    if (d > 1) {
        TRY(polish(ctx, a, &state, out));
    }
    out->objective = 0.0;
    for (int64_t j = 0; j < d; j++) {
        out->objective += source_value(&state, data->y + j * data->n);
    }
    out->contrast_gap = (double)data->n * ica_weakest_plane(d, &contrast);
    return NONSENS_OK;
}
