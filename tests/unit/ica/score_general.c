#include "ica/score_general.h"

#include "math/linalg.h"

#include <math.h>
#include <string.h>

nonsens_status ica_score_new(nonsens_context *ctx, arena *a, const ica_data *data, const ica_family *family,
                             double sharpness, ica_score_model *model)
{
    int64_t d = data->d, r = d * family->count, largest = ica_largest_segment(data);
    *model = (ica_score_model){.ctx = ctx, .data = data, .family = family, .sharpness = sharpness};
    ARENA_TRY(ctx, a, model->s, largest * d);
    ARENA_TRY(ctx, a, model->p, largest * d);
    ARENA_TRY(ctx, a, model->q.q1, largest * r);
    ARENA_TRY(ctx, a, model->q.q2, largest * r);
    ARENA_TRY(ctx, a, model->q.q3, largest * r);
    ARENA_TRY(ctx, a, model->gram, d * d);
    ARENA_TRY(ctx, a, model->moment, r * r);
    ARENA_TRY(ctx, a, model->factor, r * r);
    ARENA_TRY(ctx, a, model->mean2, r);
    ARENA_TRY(ctx, a, model->solution, r);
    ARENA_TRY(ctx, a, model->lambda, r);
    ARENA_TRY(ctx, a, model->weights, r * d);
    return NONSENS_OK;
}

/* Computes sources and derivatives of segment e at w. */
static void segment_statistics(const ica_score_model *model, int64_t e, const double *w)
{
    const ica_data *data = model->data;
    int64_t d = data->d, rows = data->start[e + 1] - data->start[e];
    linalg_gemm(false, true, rows, d, d, 1.0, data->y + data->start[e], data->n, w, d, 0.0, model->s, rows);
    for (int64_t j = 0; j < d; j++) {
        int64_t at = j * model->family->count * rows;
        ica_derivatives q = {model->q.q1 + at, model->q.q2 + at, model->q.q3 + at};
        ica_family_derivatives(model->family, model->sharpness, rows, model->s + j * rows, &q);
    }
}

/* Computes x = -L'^{-1} L^{-1} b for the Cholesky factor L (r, r); x and b may be the same. */
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

/* Computes M_e[a,b] = (w_a.w_b) E q_a' q_b', with the ridge. */
static double coupling(const ica_score_model *model, int64_t a, int64_t b)
{
    int64_t d = model->data->d, m = model->family->count;
    return model->gram[a / m + d * (b / m)] * model->moment[a + d * m * b] + (a == b ? ICA_RIDGE : 0.0);
}

static bool is_fixed(const ica_score_model *model, int64_t a)
{
    return a % model->family->count >= model->family->count - model->family->fixed;
}

static void fill_moments(const ica_score_model *model, int64_t rows)
{
    int64_t r = model->data->d * model->family->count;
    linalg_gram(rows, r, model->q.q1, rows, model->moment);
    for (int64_t a = 0; a < r; a++) {
        model->mean2[a] = 0.0;
        for (int64_t i = 0; i < rows; i++) {
            model->mean2[a] += model->q.q2[a * rows + i] / (double)rows;
        }
        for (int64_t b = 0; b < r; b++) {
            model->moment[a + r * b] /= (double)rows;
        }
    }
}

/* Computes lambda(e): -1 if fixed, the minimum of J_e over the others; false if that cannot be computed. */
static bool solve_coefficients(const ica_score_model *model)
{
    int64_t d = model->data->d, m = model->family->count, r = d * m, size = d * (m - model->family->fixed), row = 0;
    for (int64_t a = 0; a < r; a++) {
        model->lambda[a] = is_fixed(model, a) ? -1.0 : 0.0;
    }
    for (int64_t a = 0; a < r; a++) {
        if (is_fixed(model, a)) {
            continue;
        }
        int64_t column = 0;
        model->solution[row] = model->gram[a / m + d * (a / m)] * model->mean2[a];
        for (int64_t b = 0; b < r; b++) {
            if (is_fixed(model, b)) {
                model->solution[row] -= coupling(model, a, b);
            } else {
                model->factor[row + size * column++] = coupling(model, a, b);
            }
        }
        row++;
    }
    if (linalg_cholesky(model->ctx, size, model->factor) != NONSENS_OK) {
        return false;
    }
    solve_negative(size, model->factor, model->solution, model->solution);
    for (int64_t a = 0, k = 0; a < r; a++) {
        model->lambda[a] = is_fixed(model, a) ? -1.0 : model->solution[k++];
    }
    return true;
}

/* Computes J_e = b_e.lambda + 1/2 lambda' M_e lambda at the best coefficients. */
static double segment_value(const ica_score_model *model, int64_t rows)
{
    int64_t d = model->data->d, m = model->family->count, r = d * m;
    fill_moments(model, rows);
    if (!solve_coefficients(model)) {
        return HUGE_VAL;
    }
    double value = 0.0;
    for (int64_t a = 0; a < r; a++) {
        double product = model->gram[a / m + d * (a / m)] * model->mean2[a];
        for (int64_t b = 0; b < r; b++) {
            product += 0.5 * coupling(model, a, b) * model->lambda[b];
        }
        value += model->lambda[a] * product;
    }
    return value;
}

/* Adds the part of the gradient that does not pass through the rows: from |w_a|^2 and w_a.w_b. */
static void add_direct_gradient(const ica_score_model *model, const double *w, double weight, double *gradient)
{
    int64_t d = model->data->d, m = model->family->count, r = d * m;
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

/* Adds sum_a lambda_a [ |w_a|^2 E q_a''' z + E q_a'' sum_b lambda_b (w_a.w_b) q_b' z ] over each row's statistics a. */
static void add_row_gradient(const ica_score_model *model, int64_t e, double weight, double *gradient)
{
    const ica_data *data = model->data;
    int64_t d = data->d, m = model->family->count, r = d * m, rows = data->start[e + 1] - data->start[e];
    for (int64_t j = 0; j < d; j++) {
        for (int64_t b = 0; b < r; b++) {
            model->weights[b + r * j] = model->lambda[b] * model->gram[b / m + d * j];
        }
    }
    linalg_gemm(false, false, rows, d, r, 1.0, model->q.q1, rows, model->weights, r, 0.0, model->p, rows);
    memset(model->s, 0, (size_t)(rows * d) * sizeof *model->s);
    for (int64_t a = 0; a < r; a++) {
        const double *q2 = model->q.q2 + a * rows, *q3 = model->q.q3 + a * rows, *p = model->p + a / m * rows;
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
