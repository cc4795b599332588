/*
 * gp_climb.c - minimises over a few parameters in a box: BFGS on the Hessian with Powell's damping (Powell, "A fast
 * algorithm for nonlinearly constrained optimization calculations", 1978), projected steps (Bertsekas, SIAM J. Control
 * Optim. 20, 1982: a parameter at a bound is held if descent would push it outwards), backtracking.
 *
 * It stops when the quadratic model predicts less than a given decrease of f. For a log likelihood, this is an absolute
 * number for any number of rows.  L-BFGS (math/optimise.h) has no bounds and cannot start from a known curvature.
 */
#include "regress/gp_internal.h"

#include <math.h>
#include <string.h>

enum { BACKTRACKS = 12 };

static const double LONGEST_STEP = 2.0; /* of a log parameter: a factor of 7 */
static const double DECREASE = 1e-4;    /* Armijo's fraction of the predicted decrease */
static const double ROUNDING = 1e-13;   /* of f */
static const double DAMPING = 0.2;      /* Powell's fraction of the model's curvature that a pair must have */
static const double DIFFERENCE = 1e-3;  /* of a log parameter */
static const double NO_EVIDENCE = 1e-2; /* of log likelihood: if rounding ends a climb this near, it has converged */
static const double MIN_CURVATURE = 1e-10;

struct climb {
    int n;
    const gp_box *box;
    gp_objective_fn f;
    void *state;
    double *theta, *g;       // (n) current point and gradient
    double *trial, *trial_g; // (n)
    double *step;            // (n)
    double *b;               // (n, n) Hessian
    double *factor;          // (n, n) Cholesky factor of its free part
    double *work;            // (n)
    bool *held;              // (n)
};

static void hold_outward(struct climb *c)
{
    for (int i = 0; i < c->n; i++) {
        c->held[i] =
            (c->theta[i] <= c->box->lower[i] && c->g[i] > 0.0) || (c->theta[i] >= c->box->upper[i] && c->g[i] < 0.0);
    }
}

/* Computes the Cholesky factor of B, with the identity for held parameters; false if B is not positive definite. */
static bool factor_free(struct climb *c)
{
    int n = c->n;
    double *l = c->factor;
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            bool held = c->held[i] || c->held[j];
            double sum = held ? (i == j ? 1.0 : 0.0) : c->b[i * n + j];
            for (int k = 0; k < j; k++) {
                sum -= l[i * n + k] * l[j * n + k];
            }
            if (i == j && !(sum > 0.0)) {
                return false;
            }
            l[i * n + j] = i == j ? sqrt(sum) : sum / l[j * n + j];
        }
    }
    return true;
}

/* Computes step = -B^-1 g over free parameters, shortened to at most LONGEST_STEP. */
static void solve_step(struct climb *c)
{
    int n = c->n;
    const double *l = c->factor;
    double longest = 0.0;
    for (int i = 0; i < n; i++) {
        double sum = c->held[i] ? 0.0 : -c->g[i];
        for (int k = 0; k < i; k++) {
            sum -= l[i * n + k] * c->step[k];
        }
        c->step[i] = sum / l[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        double sum = c->step[i];
        for (int k = i + 1; k < n; k++) {
            sum -= l[k * n + i] * c->step[k];
        }
        c->step[i] = sum / l[i * n + i];
        longest = fmax(longest, fabs(c->step[i]));
    }
    for (int i = 0; i < n && longest > LONGEST_STEP; i++) {
        c->step[i] *= LONGEST_STEP / longest;
    }
}

static double largest_free_slope(const struct climb *c)
{
    double largest = 0.0;
    for (int i = 0; i < c->n; i++) {
        largest = c->held[i] ? largest : fmax(largest, fabs(c->g[i]));
    }
    return largest;
}

/* Sets B to a multiple of the identity that makes the first step at most 1/2. */
static void reset_curvature(struct climb *c)
{
    double size = fmax(2.0 * largest_free_slope(c), MIN_CURVATURE);
    memset(c->b, 0, (size_t)(c->n * c->n) * sizeof *c->b);
    for (int i = 0; i < c->n; i++) {
        c->b[i * c->n + i] = size;
    }
}

/* Computes the Hessian by differences of the gradient: forward ones, or backward ones near upper bounds. */
static void measure_curvature(struct climb *c)
{
    int n = c->n;
    for (int k = 0; k < n; k++) {
        double h = c->theta[k] + DIFFERENCE > c->box->upper[k] ? -DIFFERENCE : DIFFERENCE;
        memcpy(c->trial, c->theta, (size_t)n * sizeof *c->trial);
        c->trial[k] += h;
        c->f(c->state, c->trial, c->trial_g);
        for (int i = 0; i < n; i++) {
            c->factor[i * n + k] = (c->trial_g[i] - c->g[i]) / h;
        }
    }
    for (int i = 0; i < n * n; i++) {
        c->b[i] = 0.5 * (c->factor[i] + c->factor[i % n * n + i / n]);
    }
}

static double promise(const struct climb *c)
{
    double sum = 0.0;
    for (int i = 0; i < c->n; i++) {
        sum -= 0.5 * c->g[i] * c->step[i];
    }
    return sum;
}

/* Finds a lower point along the step and puts it into trial; false if it finds none. */
static bool backtrack(struct climb *c, double *value)
{
    double share = 1.0;
    for (int i = 0; i < BACKTRACKS; i++) {
        double slope = 0.0; // towards the projected trial point
        for (int k = 0; k < c->n; k++) {
            c->trial[k] = fmin(fmax(c->theta[k] + share * c->step[k], c->box->lower[k]), c->box->upper[k]);
            slope += c->g[k] * (c->trial[k] - c->theta[k]);
        }
        if (!(slope < 0.0)) {
            return false; // the bounds reverse the step or leave nothing of it
        }
        double at = c->f(c->state, c->trial, c->trial_g);
        if (isfinite(at) && at <= *value + DECREASE * slope + ROUNDING * fabs(*value)) {
            *value = at;
            return true;
        }
        double best = isfinite(at) ? -0.5 * slope / (at - *value - slope) : 0.0;
        share *= fmin(fmax(best, 0.1), 0.5);
    }
    return false;
}

/* Updates B by the damped BFGS formula of Nocedal and Wright, procedure 18.2. */
static void learn_curvature(struct climb *c, bool rescale)
{
    int n = c->n;
    double *s = c->step, *bs = c->work, sy = 0.0, sbs = 0.0, yy = 0.0;
    for (int i = 0; i < n; i++) {
        s[i] = c->trial[i] - c->theta[i];
        double y = c->trial_g[i] - c->g[i];
        sy += s[i] * y;
        yy += y * y;
    }
    for (int i = 0; i < n * n && rescale && sy > 0.0; i++) {
        c->b[i] = i % (n + 1) == 0 ? yy / sy : 0.0;
    }
    for (int i = 0; i < n; i++) {
        bs[i] = 0.0;
        for (int k = 0; k < n; k++) {
            bs[i] += c->b[i * n + k] * s[k];
        }
        sbs += s[i] * bs[i];
    }
    if (!(sbs > 0.0)) {
        return;
    }
    double keep = sy >= DAMPING * sbs ? 1.0 : (1.0 - DAMPING) * sbs / (sbs - sy);
    double curve = keep * sy + (1.0 - keep) * sbs;
    for (int i = 0; i < n; i++) { // s is no longer needed: it becomes the damped difference of gradients
        s[i] = keep * (c->trial_g[i] - c->g[i]) + (1.0 - keep) * bs[i];
    }
    for (int i = 0; i < n * n; i++) {
        c->b[i] += s[i / n] * s[i % n] / curve - bs[i / n] * bs[i % n] / sbs;
    }
}

static nonsens_status iterate(nonsens_context *ctx, struct climb *c, const gp_climb_options *options,
                              gp_climb_result *result)
{
    bool fresh = !options->measure_curvature;
    double promised = INFINITY; // smallest decrease that the model predicted for failed steps from here
    hold_outward(c);
    if (fresh) {
        reset_curvature(c);
    } else {
        measure_curvature(c);
    }
    while (result->iterations < options->max_iterations) {
        TRY(check_cancelled(ctx));
        hold_outward(c);
        if (!factor_free(c)) {
            reset_curvature(c);
            fresh = true;
            continue;
        }
        solve_step(c);
        result->converged = largest_free_slope(c) == 0.0 || (!fresh && promise(c) < options->tolerance);
        if (result->converged) {
            return NONSENS_OK;
        }
        if (backtrack(c, &result->value)) {
            learn_curvature(c, fresh);
            memcpy(c->theta, c->trial, (size_t)c->n * sizeof *c->theta);
            memcpy(c->g, c->trial_g, (size_t)c->n * sizeof *c->g);
            fresh = false;
            result->iterations++;
            promised = INFINITY;
            continue;
        }
        promised = fmin(promised, promise(c));
        if (fresh) {
            result->converged = promised < NO_EVIDENCE;
            return NONSENS_OK;
        }
        reset_curvature(c);
        fresh = true;
    }
    return NONSENS_OK;
}

nonsens_status gp_climb(nonsens_context *ctx, arena *scratch, const gp_box *box, gp_objective_fn f, void *state,
                        const gp_climb_options *options, double *theta, gp_climb_result *result)
{
    int n = box->count;
    struct climb c = {.n = n, .box = box, .f = f, .state = state, .theta = theta};
    *result = (gp_climb_result){.value = INFINITY};
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, c.g, n);
    ARENA_TRY(ctx, scratch, c.trial, n);
    ARENA_TRY(ctx, scratch, c.trial_g, n);
    ARENA_TRY(ctx, scratch, c.step, n);
    ARENA_TRY(ctx, scratch, c.b, n * n);
    ARENA_TRY(ctx, scratch, c.factor, n * n);
    ARENA_TRY(ctx, scratch, c.work, n);
    ARENA_TRY(ctx, scratch, c.held, n);
    for (int i = 0; i < n; i++) {
        theta[i] = fmin(fmax(theta[i], box->lower[i]), box->upper[i]);
    }
    result->value = f(state, theta, c.g);
    if (isfinite(result->value)) {
        TRY(iterate(ctx, &c, options, result));
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}
