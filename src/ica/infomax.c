/*
 * infomax.c - extended Infomax: fits W by maximum likelihood for sources that are each super- or sub-Gaussian.
 *
 * Bell and Sejnowski, Neural Computation 7, 1995; Lee, Girolami and Sejnowski, Neural Computation 11, 1999.  With
 * u = W y and k_j = 1 for a super-, -1 for a sub-Gaussian source,
 *
 *     L(W) = -log |det W| + sum_j E [u_j^2 / 2 + k_j log cosh u_j + c(k_j)]
 *
 * is minimised, where c makes the densities of both kinds comparable (up to the normal d/2 log 2 pi): c(1) = log E
 * sech(nu), c(-1) = log E cosh(nu) = 1/2, nu standard normal.  The relative gradient for W <- (I + D) W is
 *
 *     G = E phi(u) u' - I,   phi_j(u) = u_j + k_j tanh u_j,
 *
 * and k_j = sign(E sech^2 u_j E u_j^2 - E u_j tanh u_j), which is 0 for a normal source of any scale.
 *
 * Differences: instead of a stochastic gradient, full steps D = -H^{-1} G with a line search.  H is the Hessian for
 * independent sources: for every pair the block (a_ij, 1; 1, a_ji), a_ij = E phi'(u_i) E u_j^2, with eigenvalues raised
 * to a lower bound, and 1 + a_ii for a scale.  It preconditions L-BFGS, as in Ablin, Cardoso and Gramfort, "Faster
 * independent component analysis by preconditioning with Hessian approximations", IEEE Trans. Signal Processing 66,
 * 2018.  The signs are decided at the start, again when the gradient is small, and at the end, until they no longer
 * change; after MAX_SWITCHES changes they are fixed.
 */
#include "ica/ica_internal.h"
#include "ica/row_blocks.h"
#include "ica/starts.h"
#include "math/linalg.h"
#include "math/optimise.h"

#include <math.h>
#include <string.h>

enum { MAX_ITERATIONS = 500, MAX_SWITCHES = 20, MAX_HALVINGS = 12, MEMORY = 7, GAP_ROWS = 4096 };
static const double STATIONARY = 1e-9;        /* max |G| at the end */
static const double NEARLY_STATIONARY = 0.02; /* max |G| at which the signs are decided again */
static const double MIN_CURVATURE = 0.01;     /* smallest eigenvalue of a pair's block */
static const double ROUNDING = 1e-13;         /* of L: smaller changes do not count */
/* c(1) by quadrature with 30 digits, c(-1). */
static const double LOG_MASS_SUPER = -0.29939807202542053, LOG_MASS_SUB = 0.5;

/* All quantities that belong to one W. */
typedef struct infomax_point {
    double *w;          /* (d, d) each column is the direction of a source: u = y w */
    double *covariance; /* (d, d) E u u' */
    double *tanh_u;     /* (d, d) element (i, j): E tanh(u_i) u_j */
    double *slope;      /* (d) E sech^2 u */
    double *value;      /* (d) E log cosh u */
    double log_det;     /* log |det W| */
} infomax_point;

typedef struct infomax {
    nonsens_context *ctx;
    int64_t d;
    ica_blocks blocks;
    double *total;             /* (d, d) E y y' */
    double *sign;              /* (d) k */
    infomax_point here, trial; /* swapped when a step is made */
    double *gradient, *change; /* (d, d) G, and its change in the last step */
    double *direction;         /* (d, d) D */
    double *square;            /* (d, d) scratch */
    lbfgs_memory memory;       /* of (d, d) steps */
    int iterations;
    bool converged;
} infomax;

/* ---- likelihood ---------------------------------------------------------------------------------------------- */

/* Returns log |det a| of a (d, d), which is overwritten, by elimination with row pivots; -HUGE_VAL if singular. */
static double log_determinant(int64_t d, double *a)
{
    double sum = 0.0;
    for (int64_t k = 0; k < d; k++) {
        int64_t pivot = k;
        for (int64_t i = k + 1; i < d; i++) {
            pivot = fabs(a[i + k * d]) > fabs(a[pivot + k * d]) ? i : pivot;
        }
        if (!(fabs(a[pivot + k * d]) > 0.0)) {
            return -HUGE_VAL;
        }
        sum += log(fabs(a[pivot + k * d]));
        for (int64_t j = k; j < d; j++) {
            double swapped = a[pivot + j * d];
            a[pivot + j * d] = a[k + j * d];
            a[k + j * d] = swapped;
        }
        for (int64_t j = k + 1; j < d; j++) {
            double factor = a[k + j * d] / a[k + k * d];
            for (int64_t i = k + 1; i < d; i++) {
                a[i + j * d] -= factor * a[i + k * d];
            }
        }
    }
    return sum;
}

/* Computes all members of point from point->w. */
static nonsens_status evaluate(infomax *p, infomax_point *point)
{
    int64_t d = p->d;
    ica_row_means means;
    TRY(ica_blocks_pass(&p->blocks, d, point->w, &means));
    linalg_gemm(true, false, d, d, d, 1.0, means.cross, d, point->w, d, 0.0, point->tanh_u, d);
    memcpy(point->slope, means.slope, (size_t)d * sizeof *point->slope);
    memcpy(point->value, means.value, (size_t)d * sizeof *point->value);
    linalg_gemm(false, false, d, d, d, 1.0, p->total, d, point->w, d, 0.0, p->square, d);
    linalg_gemm(true, false, d, d, d, 1.0, point->w, d, p->square, d, 0.0, point->covariance, d);
    memcpy(p->square, point->w, (size_t)(d * d) * sizeof *p->square);
    point->log_det = log_determinant(d, p->square);
    return NONSENS_OK;
}

/* Returns L for the current signs. */
static double minus_log_likelihood(const infomax *p, const infomax_point *point)
{
    double sum = -point->log_det;
    for (int64_t j = 0; j < p->d; j++) {
        sum += 0.5 * point->covariance[j + j * p->d] + p->sign[j] * point->value[j];
        sum += p->sign[j] > 0 ? LOG_MASS_SUPER : LOG_MASS_SUB;
    }
    return isfinite(sum) ? sum : HUGE_VAL;
}

/* Computes G (d, d) for the current signs; returns max |G|. */
static double relative_gradient(const infomax *p, const infomax_point *point, double *gradient)
{
    int64_t d = p->d;
    double largest = 0.0;
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < d; i++) {
            double g = point->covariance[i + j * d] + p->sign[i] * point->tanh_u[i + j * d] - (i == j ? 1.0 : 0.0);
            gradient[i + j * d] = g;
            largest = fmax(largest, fabs(g));
        }
    }
    return largest;
}

/* Decides the signs; returns true if any changed. */
static bool decide_signs(infomax *p)
{
    const infomax_point *here = &p->here;
    bool changed = false;
    for (int64_t j = 0; j < p->d; j++) {
        double excess = here->slope[j] * here->covariance[j + j * p->d] - here->tanh_u[j + j * p->d];
        double sign = excess < 0 ? -1.0 : 1.0;
        changed = changed || sign != p->sign[j];
        p->sign[j] = sign;
    }
    return changed;
}

/* ---- direction ----------------------------------------------------------------------------------------------- */

/* v (d, d) <- H^{-1} v. */
static void precondition(void *state, double *v)
{
    const infomax *p = state;
    int64_t d = p->d;
    for (int64_t i = 0; i < d; i++) {
        double curvature = 1.0 + p->sign[i] * p->here.slope[i]; /* E phi'(u_i) >= 0 */
        v[i + i * d] /= 1.0 + curvature * p->here.covariance[i + i * d];
        for (int64_t j = 0; j < i; j++) {
            double first = curvature * p->here.covariance[j + j * d];
            double second = (1.0 + p->sign[j] * p->here.slope[j]) * p->here.covariance[i + i * d];
            double smaller = 0.5 * (first + second - sqrt((first - second) * (first - second) + 4.0));
            double raise = smaller < MIN_CURVATURE ? MIN_CURVATURE - smaller : 0.0;
            first += raise;
            second += raise;
            double determinant = first * second - 1.0, ij = v[i + j * d], ji = v[j + i * d];
            v[i + j * d] = (second * ij - ji) / determinant;
            v[j + i * d] = (first * ji - ij) / determinant;
        }
    }
}

/* direction = -(L-BFGS estimate of the inverse Hessian, around H^{-1}) gradient. */
static void find_direction(infomax *p)
{
    int64_t size = p->d * p->d;
    memcpy(p->direction, p->gradient, (size_t)size * sizeof *p->direction);
    lbfgs_memory_apply(&p->memory, precondition, p, p->direction);
    if (!(linalg_dot(size, p->direction, p->gradient) > 0.0)) { // not downhill: use H alone, which is positive definite
        p->memory.kept = 0;
        memcpy(p->direction, p->gradient, (size_t)size * sizeof *p->direction);
        precondition(p, p->direction);
    }
    for (int64_t i = 0; i < size; i++) {
        p->direction[i] = -p->direction[i];
    }
}

/* ---- steps --------------------------------------------------------------------------------------------------- */

/* Makes the trial point the current one; keeps the step for L-BFGS if the curvature along it is positive. */
static void take_step(infomax *p, double length)
{
    int64_t size = p->d * p->d;
    infomax_point previous = p->here;
    p->here = p->trial;
    p->trial = previous;
    memcpy(p->change, p->gradient, (size_t)size * sizeof *p->change);
    relative_gradient(p, &p->here, p->gradient);
    for (int64_t k = 0; k < size; k++) {
        p->change[k] = p->gradient[k] - p->change[k];
    }
    double curvature = length * linalg_dot(size, p->direction, p->change);
    if (curvature > 0.0) {
        double *step = lbfgs_memory_step(&p->memory);
        for (int64_t i = 0; i < size; i++) {
            step[i] = length * p->direction[i];
        }
        memcpy(lbfgs_memory_change(&p->memory), p->change, (size_t)size * sizeof *p->change);
        lbfgs_memory_keep(&p->memory, curvature);
    }
}

/* Takes the first of the steps D, D / 2, D / 4, ... that does not raise L; *taken = false if none does. */
static nonsens_status step_down(infomax *p, bool *taken)
{
    int64_t d = p->d;
    double before = minus_log_likelihood(p, &p->here), length = 1.0;
    *taken = false;
    for (int i = 0; i < MAX_HALVINGS && !*taken; i++, length *= 0.5) {
        // (I + length D) W: columns of w are rows of W, so w (I + length D)'
        memcpy(p->trial.w, p->here.w, (size_t)(d * d) * sizeof *p->trial.w);
        linalg_gemm(false, true, d, d, d, length, p->here.w, d, p->direction, d, 1.0, p->trial.w, d);
        TRY(evaluate(p, &p->trial));
        *taken = minus_log_likelihood(p, &p->trial) <= before + ROUNDING * fmax(1.0, fabs(before));
        if (*taken) {
            take_step(p, length);
        }
    }
    return NONSENS_OK;
}

/* Descends from here.w to a stationary point with signs that no longer change. */
static nonsens_status search_from_here(infomax *p)
{
    double tolerance = NEARLY_STATIONARY;
    bool taken = true;
    int switches = 0;
    p->converged = false;
    p->memory.kept = 0;
    TRY(evaluate(p, &p->here));
    decide_signs(p);
    for (p->iterations = 0; taken && p->iterations < MAX_ITERATIONS; p->iterations++) {
        double largest = relative_gradient(p, &p->here, p->gradient);
        if (largest < tolerance) {
            if (switches < MAX_SWITCHES && decide_signs(p)) {
                switches++;
                p->memory.kept = 0;
                tolerance = NEARLY_STATIONARY;
                relative_gradient(p, &p->here, p->gradient);
            } else if (tolerance == STATIONARY) {
                p->converged = true;
                return NONSENS_OK;
            } else {
                tolerance = STATIONARY;
                continue;
            }
        }
        find_direction(p);
        TRY(step_down(p, &taken));
        if (!taken && p->memory.kept > 0) { /* try once more without memory */
            p->memory.kept = 0;
            taken = true;
        }
    }
    return NONSENS_OK;
}

/* Puts the best of all starts into here and out; best (d, d) and best_sign (d) are scratch. */
static nonsens_status search_from_all(infomax *p, const ica_options *options, double *best, double *best_sign,
                                      ica_result *out)
{
    int64_t d = p->d;
    for (int64_t start = 0; start == 0 || start < options->starts; start++) {
        ica_set_start(options->seed, start, d, p->here.w);
        TRY(search_from_here(p));
        double objective = minus_log_likelihood(p, &p->here);
        if (start == 0 || ica_is_better(p->converged, objective, out)) {
            memcpy(best, p->here.w, (size_t)(d * d) * sizeof *best);
            memcpy(best_sign, p->sign, (size_t)d * sizeof *best_sign);
            out->objective = objective;
            out->iterations = p->iterations;
            out->converged = p->converged;
        }
    }
    memcpy(p->here.w, best, (size_t)(d * d) * sizeof *best);
    memcpy(p->sign, best_sign, (size_t)d * sizeof *best_sign);
    return evaluate(p, &p->here);
}

/* ---- gap ----------------------------------------------------------------------------------------------------- */

/*
 * Unit-variance sources are rotated, then scaled as before.  So a plane of normal sources is flat for any signs, except
 * for chance.  Chance grows with the square root of the rows here, since neither density fits a normal source.
 */
typedef struct likelihood_state {
    ica_rows rows; /* must be first: ica_rows_turn casts to it */
    const infomax *model;
} likelihood_state;

static double scaled_term(const likelihood_state *state, int64_t j, const double *v)
{
    const infomax *p = state->model;
    int64_t n = state->rows.data->n;
    double variance = p->here.covariance[j + j * p->d], square = 0.0;
    for (int64_t i = 0; i < n; i++) {
        square += v[i] * v[i];
    }
    double log_cosh = ica_contrast_mean(CONTRAST_LOG_COSH, n, sqrt(variance), v);
    return 0.5 * variance * square / (double)n + p->sign[j] * log_cosh;
}

static double plane_likelihood(void *opaque, int64_t j, int64_t k, double c, double s)
{
    const likelihood_state *state = opaque;
    const ica_data *data = state->rows.data;
    ica_turn_pair(data->n, 1, c, s, data->y + j * data->n, data->y + k * data->n, state->rows.u, state->rows.v);
    return scaled_term(state, j, state->rows.u) + scaled_term(state, k, state->rows.v);
}

static nonsens_status likelihood_gap(nonsens_context *ctx, arena *a, infomax *p, const ica_data *data, double *gap)
{
    int64_t d = p->d;
    ica_data some;
    ica_blocks blocks;
    likelihood_state state = {.model = p};
    TRY(ica_spaced_rows(ctx, a, data, GAP_ROWS, &some));
    TRY(ica_blocks_new(ctx, a, &some, CONTRAST_LOG_COSH, 1, &blocks));
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < d; i++) {
            p->square[i + j * d] = p->here.w[i + j * d] / sqrt(p->here.covariance[j + j * d]);
        }
    }
    ica_blocks_turn(&blocks, p->square);
    TRY(ica_rows_new(ctx, a, &some, NULL, &state.rows));
    ica_contrast contrast = {&state, plane_likelihood, NULL};
    *gap = (double)data->n * ica_weakest_plane(d, &contrast);
    return NONSENS_OK;
}

/* ---- the run ------------------------------------------------------------------------------------------------- */

static nonsens_status point_open(nonsens_context *ctx, arena *a, int64_t d, infomax_point *point)
{
    ARENA_TRY(ctx, a, point->w, d * d);
    ARENA_TRY(ctx, a, point->covariance, d * d);
    ARENA_TRY(ctx, a, point->tanh_u, d * d);
    ARENA_TRY(ctx, a, point->slope, d);
    ARENA_TRY(ctx, a, point->value, d);
    return NONSENS_OK;
}

static nonsens_status infomax_open(nonsens_context *ctx, arena *a, const ica_data *data, const ica_options *options,
                                   infomax *p)
{
    int64_t d = data->d;
    *p = (infomax){.ctx = ctx, .d = d};
    TRY(ica_blocks_new(ctx, a, data, CONTRAST_LOG_COSH, options->threads, &p->blocks));
    TRY(point_open(ctx, a, d, &p->here));
    TRY(point_open(ctx, a, d, &p->trial));
    ARENA_TRY(ctx, a, p->total, d * d);
    ARENA_TRY(ctx, a, p->sign, d);
    ARENA_TRY(ctx, a, p->gradient, d * d);
    ARENA_TRY(ctx, a, p->change, d * d);
    ARENA_TRY(ctx, a, p->direction, d * d);
    ARENA_TRY(ctx, a, p->square, d * d);
    TRY(lbfgs_memory_new(ctx, a, d * d, MEMORY, true, &p->memory));
    linalg_gram(data->n, d, data->y, data->n, p->total);
    for (int64_t i = 0; i < d * d; i++) {
        p->total[i] /= (double)data->n;
    }
    return NONSENS_OK;
}

nonsens_status ica_infomax(nonsens_context *ctx, arena *a, const ica_data *data, const ica_options *options,
                           double *unmixing, ica_result *out)
{
    int64_t d = data->d;
    infomax p;
    double *best, *best_sign;
    TRY(infomax_open(ctx, a, data, options, &p));
    ARENA_TRY(ctx, a, best, d * d);
    ARENA_TRY(ctx, a, best_sign, d);
    TRY(search_from_all(&p, options, best, best_sign, out));
    for (int64_t j = 0; j < d; j++) {
        for (int64_t k = 0; k < d; k++) {
            unmixing[j + k * d] = p.here.w[k + j * d];
        }
    }
    return likelihood_gap(ctx, a, &p, data, &out->contrast_gap);
}
