/*
 * score_rotation.c - one fit by score matching (score_matching.c): finds the rotation of whitened rows at which J is
 * smallest, and for some families the location that each source is measured from.
 *
 * For a rotation, M_e is block-diagonal, and J is a sum over sources and segments of -1/2 b' M^{-1} b of one source.  A
 * change of W that keeps it a rotation moves each source by a mixture of the others.  The terms of the general gradient
 * (tests/unit/ica/score_general.c) for w_a.w_b are symmetric in a and b and cancel.  So the gradient needs, per row and
 * source,
 *
 *     r = sum_a lambda_a q_a''' + (sum_a lambda_a q_a'') (sum_a lambda_a q_a'),      dJ/dW = sum_e n_e/n E_e r y',
 *
 * and dJ/dlocation = -sum_e n_e/n E_e r.  For at most SWEEP_MAX sources, sweeps over planes first search J globally.
 * Then L-BFGS runs over W = (I - S)^{-1} (I + S), S skew-symmetric (Cayley), and the location.
 */
#include "ica/ica_internal.h"
#include "math/linalg.h"
#include "math/optimise.h"

#include <math.h>
#include <string.h>

enum { SWEEP_MAX = ICA_GAP_MAX, ROUNDS = 4, LOCATIONS = 33 };
static const ica_search ANGLES = {.grid = 32, .precision = 1e-2, .stop = 5e-2, .max_sweeps = 12};
static const double FARTHEST = 2.0; /* standard deviations from its mean within which a source's location is searched */
static const double LOCATION_STEP = 1e-3; /* if no location moves by more, the rounds end */

typedef struct score_state {
    ica_rows rows; /* must be first: ica_rows_turn casts to it */
    ica_data data; /* a copy of the rows, rotated and shifted as the fit proceeds */
    const ica_score_options *options;
    const ica_family *family;
    ica_derivatives q;          /* (rows of the largest segment, statistics) each */
    double *s;                  /* (n, d) sources, then the contribution of each row to the gradient */
    double *skew, *inverse;     /* (d, d) S and (I - S)^{-1} */
    double *w, *gradient, *sum; /* (d, d) W, dJ/dW, scratch */
} score_state;

/* ---- one source ---- */

/* Fits the coefficients of one source s (n) in one segment; returns its J, leaves its derivatives in state->q. */
static double fit_segment(const score_state *state, int64_t n, const double *s, double *lambda)
{
    ica_family_derivatives(state->family, state->options->sharpness, n, s, &state->q);
    ica_moments m = ica_family_moments(state->family, n, &state->q);
    ica_family_fit(state->family, &m, lambda);
    return ica_family_value(state->family, &m, lambda);
}

static double source_value(const score_state *state, const double *s)
{
    const ica_data *data = &state->data;
    double value = 0.0, lambda[STATISTICS_MAX];
    for (int64_t e = 0; e < data->segments; e++) {
        int64_t first = data->start[e];
        value += ica_segment_weight(data, e) * fit_segment(state, data->start[e + 1] - first, s + first, lambda);
    }
    return value;
}

/* Returns the same, and replaces s (n) by the contribution of each row to the gradient. */
static double source_slope(const score_state *state, double *s)
{
    const ica_data *data = &state->data;
    double value = 0.0, lambda[STATISTICS_MAX];
    for (int64_t e = 0; e < data->segments; e++) {
        int64_t first = data->start[e], n = data->start[e + 1] - first;
        value += ica_segment_weight(data, e) * fit_segment(state, n, s + first, lambda);
        for (int64_t i = 0; i < n; i++) {
            double by1 = 0.0, by2 = 0.0, by3 = 0.0;
            for (int k = 0; k < state->family->count; k++) {
                by1 += lambda[k] * state->q.q1[k * n + i];
                by2 += lambda[k] * state->q.q2[k * n + i];
                by3 += lambda[k] * state->q.q3[k * n + i];
            }
            s[first + i] = (by3 + by1 * by2) / (double)data->n;
        }
    }
    return value;
}

/* ---- planes and locations ---- */

static double plane_value(void *opaque, int64_t j, int64_t k, double c, double s)
{
    const score_state *state = opaque;
    const ica_data *data = &state->data;
    ica_turn_pair(data->n, 1, c, s, data->y + j * data->n, data->y + k * data->n, state->rows.u, state->rows.v);
    return source_value(state, state->rows.u) + source_value(state, state->rows.v);
}

static double moved_value(const score_state *state, const double *s, double location)
{
    for (int64_t i = 0; i < state->data.n; i++) {
        state->rows.u[i] = s[i] - location;
    }
    return source_value(state, state->rows.u);
}

/* Returns the best location of one source, by a grid and then ever finer ones around the best point. */
static double best_location(const score_state *state, const double *s)
{
    double best = 0.0, reach = FARTHEST, lowest = moved_value(state, s, 0.0);
    while (reach > LOCATION_STEP) {
        double centre = best, step = 2.0 * reach / (LOCATIONS - 1);
        for (int i = 0; i < LOCATIONS; i++) {
            double location = centre - reach + i * step, value = moved_value(state, s, location);
            if (value < lowest) {
                lowest = value;
                best = location;
            }
        }
        reach = 2.0 * step;
    }
    return best;
}

static nonsens_status sweep(nonsens_context *ctx, score_state *state, ica_score_fit *fit)
{
    ica_contrast contrast = {state, plane_value, ica_rows_turn};
    int sweeps = 0;
    TRY(ica_sweep_planes(ctx, state->data.d, &contrast, &ANGLES, &sweeps, &fit->converged));
    fit->iterations += sweeps;
    return NONSENS_OK;
}

static nonsens_status search(nonsens_context *ctx, score_state *state, ica_score_fit *fit)
{
    bool few = state->data.d <= SWEEP_MAX;
    if (!state->family->located) {
        return few ? sweep(ctx, state, fit) : NONSENS_OK;
    }
    double moved = INFINITY; // the largest shift of a source to its best location
    for (int round = 0; round < (few ? ROUNDS : 1) && moved > LOCATION_STEP; round++) {
        TRY(check_cancelled(ctx));
        moved = 0.0;
        for (int64_t j = 0; j < state->data.d; j++) {
            double *s = state->data.y + j * state->data.n, location = best_location(state, s);
            for (int64_t i = 0; i < state->data.n; i++) {
                s[i] -= location;
            }
            moved = fmax(moved, fabs(location));
        }
        if (few) {
            TRY(sweep(ctx, state, fit));
        }
    }
    return NONSENS_OK;
}

/* ---- the polish ---- */

/* Scales row `pivot` of a (d, d) and subtracts `factor` times it from the other rows. */
static void eliminate(int64_t d, int64_t pivot, double scale, const double *factor, double *a)
{
    for (int64_t k = 0; k < d; k++) {
        double *column = a + d * k, lead = column[pivot] * scale;
        column[pivot] = lead;
        for (int64_t i = 0; i < d; i++) {
            column[i] -= factor[i] * lead;
        }
    }
}

/*
 * Computes w = (I - S)^{-1} (I + S) for the skew-symmetric S with x (d (d - 1) / 2) above its diagonal.  The inverse is
 * computed by Gauss-Jordan without pivoting: the symmetric part of I - S is I, so every pivot is at least 1.
 */
static void cayley(const score_state *state, const double *x)
{
    int64_t d = state->data.d;
    double *a = state->sum, *factor = state->w;
    memset(state->skew, 0, (size_t)(d * d) * sizeof *state->skew);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t k = j + 1; k < d; k++) {
            state->skew[j + d * k] = *x;
            state->skew[k + d * j] = -*x++;
        }
    }
    for (int64_t i = 0; i < d * d; i++) {
        double unit = i % (d + 1) == 0 ? 1.0 : 0.0;
        a[i] = unit - state->skew[i];
        state->inverse[i] = unit;
    }
    for (int64_t pivot = 0; pivot < d; pivot++) {
        double scale = 1.0 / a[pivot + d * pivot];
        memcpy(factor, a + d * pivot, (size_t)d * sizeof *factor);
        factor[pivot] = 0.0;
        eliminate(d, pivot, scale, factor, a);
        eliminate(d, pivot, scale, factor, state->inverse);
    }
    memcpy(state->sum, state->skew, (size_t)(d * d) * sizeof *state->sum);
    for (int64_t j = 0; j < d; j++) {
        state->sum[j + d * j] += 1.0;
    }
    linalg_gemm(false, false, d, d, d, 1.0, state->inverse, d, state->sum, d, 0.0, state->w, d);
}

/* dW = (I - S)^{-1} dS (W + I), so dJ = <P, dS> with P = (I - S)^{-T} dJ/dW (W + I)'; overwrites state->w. */
static double *chain_to_skew(const score_state *state, double *gradient)
{
    int64_t d = state->data.d;
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
    return gradient;
}

/* x: the skew-symmetric part, then the locations if the family has them. */
static double rotated_objective(void *opaque, int64_t parameters, const double *x, double *gradient)
{
    const score_state *state = opaque;
    int64_t n = state->data.n, d = state->data.d;
    bool located = state->family->located;
    double value = 0.0;
    cayley(state, x);
    linalg_gemm(false, true, n, d, d, 1.0, state->data.y, n, state->w, d, 0.0, state->s, n);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; located && i < n; i++) {
            state->s[j * n + i] -= x[d * (d - 1) / 2 + j];
        }
        value += source_slope(state, state->s + j * n);
    }
    linalg_gemm(true, false, d, d, n, 1.0, state->s, n, state->data.y, n, 0.0, state->gradient, d);
    if (!isfinite(value)) {
        memset(gradient, 0, (size_t)parameters * sizeof *gradient);
        return HUGE_VAL;
    }
    double *by_location = chain_to_skew(state, gradient);
    for (int64_t j = 0; located && j < d; j++) {
        by_location[j] = 0.0;
        for (int64_t i = 0; i < n; i++) {
            by_location[j] -= state->s[j * n + i];
        }
    }
    return value;
}

static int64_t parameter_count(const score_state *state)
{
    int64_t d = state->data.d;
    return d * (d - 1) / 2 + (state->family->located ? d : 0);
}

/* Runs L-BFGS, then turns data and rotation by W: y <- y W' - location, rotation <- W rotation. */
static nonsens_status polish(nonsens_context *ctx, arena *a, score_state *state, ica_score_fit *fit)
{
    int64_t n = state->data.n, d = state->data.d, parameters = parameter_count(state);
    double *x, *y = state->data.y;
    optimise_result result;
    optimise_options options = {
        .memory = 10, .gradient_tolerance = 1e-7, .max_iterations = state->options->max_iterations};
    ARENA_TRY(ctx, a, x, parameters);
    TRY(lbfgs_minimise(ctx, a, parameters, x, rotated_objective, state, &options, &result));
    cayley(state, x);
    linalg_gemm(false, true, n, d, d, 1.0, y, n, state->w, d, 0.0, state->s, n);
    for (int64_t j = 0; j < d; j++) {
        double location = state->family->located ? x[d * (d - 1) / 2 + j] : 0.0;
        for (int64_t i = 0; i < n; i++) {
            y[j * n + i] = state->s[j * n + i] - location;
        }
    }
    linalg_gemm(false, false, d, d, d, 1.0, state->w, d, state->rows.rotation, d, 0.0, state->sum, d);
    memcpy(state->rows.rotation, state->sum, (size_t)(d * d) * sizeof *state->sum);
    fit->iterations += result.iterations;
    fit->converged = result.reason != STOP_ITERATIONS && isfinite(result.value);
    return NONSENS_OK;
}

/* ---- the fit ---- */

/* Copies rows, rotated by the fit's rotation; for a located family plus segment means, minus the fit's location. */
static nonsens_status open_rows(nonsens_context *ctx, arena *a, const ica_data *from, const ica_score_fit *fit,
                                bool located, ica_data *out)
{
    int64_t n = from->n, d = from->d;
    double *rotated_mean;
    *out = *from;
    ARENA_TRY(ctx, a, out->y, n * d);
    ARENA_TRY(ctx, a, rotated_mean, from->segments * d);
    linalg_gemm(false, true, n, d, d, 1.0, from->y, n, fit->rotation, d, 0.0, out->y, n);
    if (!located) {
        return NONSENS_OK;
    }
    linalg_gemm(false, true, from->segments, d, d, 1.0, from->mean, from->segments, fit->rotation, d, 0.0, rotated_mean,
                from->segments);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t e = 0; e < from->segments; e++) {
            for (int64_t i = from->start[e]; i < from->start[e + 1]; i++) {
                out->y[j * n + i] += rotated_mean[j * from->segments + e] - fit->location[j];
            }
        }
    }
    return NONSENS_OK;
}

static nonsens_status open_state(nonsens_context *ctx, arena *a, const ica_data *data, const ica_score_options *options,
                                 const ica_score_fit *fit, score_state *state)
{
    const ica_family *family = options->family;
    int64_t n = data->n, d = data->d, largest = ica_largest_segment(data) * family->count;
    *state = (score_state){.options = options, .family = family};
    TRY(open_rows(ctx, a, data, fit, family->located, &state->data));
    TRY(ica_rows_new(ctx, a, &state->data, fit->rotation, &state->rows));
    ARENA_TRY(ctx, a, state->q.q1, largest);
    ARENA_TRY(ctx, a, state->q.q2, largest);
    ARENA_TRY(ctx, a, state->q.q3, largest);
    ARENA_TRY(ctx, a, state->s, n * d);
    ARENA_TRY(ctx, a, state->skew, d * d);
    ARENA_TRY(ctx, a, state->inverse, d * d);
    ARENA_TRY(ctx, a, state->w, d * d);
    ARENA_TRY(ctx, a, state->gradient, d * d);
    ARENA_TRY(ctx, a, state->sum, d * d);
    return NONSENS_OK;
}

nonsens_status ica_score_descend(nonsens_context *ctx, arena *a, const ica_data *data, const ica_score_options *options,
                                 ica_score_fit *fit)
{
    score_state state;
    TRY(open_state(ctx, a, data, options, fit, &state));
    TRY(search(ctx, &state, fit));
    if (parameter_count(&state) > 0) {
        TRY(polish(ctx, a, &state, fit));
    }
    fit->value = 0.0;
    for (int64_t j = 0; j < data->d; j++) {
        fit->value += source_value(&state, state.data.y + j * data->n);
    }
    ica_contrast contrast = {&state, plane_value, ica_rows_turn};
    fit->contrast_gap = data->d <= SWEEP_MAX ? (double)data->n * ica_weakest_plane(data->d, &contrast) : NAN;
    for (int64_t j = 0; j < data->d && options->family->located;
         j++) {             // location = rotation times the original rows, minus the rows now
        double first = 0.0; /* of row 0, which is in segment 0 */
        for (int64_t k = 0; k < data->d; k++) {
            first += fit->rotation[j + data->d * k] * (data->y[k * data->n] + data->mean[k * data->segments]);
        }
        fit->location[j] = first - state.data.y[j * data->n];
    }
    return NONSENS_OK;
}

nonsens_status ica_score_held_out(nonsens_context *ctx, arena *a, const ica_data *train, const ica_data *test,
                                  const ica_score_options *options, const ica_score_fit *fit, double *out)
{
    score_state training, held_out;
    double lambda[STATISTICS_MAX];
    TRY(open_state(ctx, a, train, options, fit, &training));
    TRY(open_state(ctx, a, test, options, fit, &held_out));
    for (int64_t e = 0; e < train->segments; e++) {
        int64_t from = train->start[e], first = test->start[e], rows = test->start[e + 1] - first;
        out[e] = 0.0;
        for (int64_t j = 0; j < train->d; j++) {
            fit_segment(&training, train->start[e + 1] - from, training.data.y + j * train->n + from, lambda);
            ica_family_derivatives(options->family, options->sharpness, rows, held_out.data.y + j * test->n + first,
                                   &held_out.q);
            ica_moments m = ica_family_moments(options->family, rows, &held_out.q);
            out[e] += ica_segment_weight(test, e) * ica_family_value(options->family, &m, lambda);
        }
    }
    return NONSENS_OK;
}

nonsens_status ica_score_slope(nonsens_context *ctx, arena *a, const ica_data *data, const ica_score_options *options,
                               const ica_score_fit *fit, int64_t parameters, const double *x, double *value,
                               double *gradient)
{
    score_state state;
    TRY(open_state(ctx, a, data, options, fit, &state));
    *value = rotated_objective(&state, parameters, x, gradient);
    return NONSENS_OK;
}
