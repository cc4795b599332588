/*
 * descent.c - minimises by Newton steps.  The second derivatives of one step also precondition conjugate gradients in
 * the next steps, as long as these converge fast.  T is linear in the coefficients, so that every length of a step can
 * be tried without evaluating the splines again.
 */
#include "mechanism/descent.h"

#include "math/linalg.h"

#include <math.h>
#include <string.h>

enum { MAX_LENGTHS = 14 };

static const double MIN_DAMPING = 1e-3, MAX_DAMPING = 1e6;
static const double LONGEST = 3.0, WORTHWHILE = 0.2; /* of step lengths other than 1: at most; distance from 1 */
static const double SUFFICIENT = 1e-4;               /* fraction of the decrease that the gradient predicts */

static nonsens_status allocate(nonsens_context *ctx, arena *scratch, const mechanism_weights *like, descent *d)
{
    const mechanism_model *m = &d->model;
    ARENA_TRY(ctx, scratch, d->gradient, m->size);
    ARENA_TRY(ctx, scratch, d->before, m->size);
    ARENA_TRY(ctx, scratch, d->natural, m->size);
    if (m->is_arrow) {
        TRY(mechanism_arrow_new(ctx, scratch, m, &d->arrow));
        ARENA_TRY(ctx, scratch, d->spare, 2 * m->data->segments);
    } else {
        ARENA_TRY(ctx, scratch, d->factor, m->size * m->size);
    }
    TRY(mechanism_point_new(ctx, scratch, m, &d->at));
    TRY(mechanism_point_new(ctx, scratch, m, &d->tried));
    TRY(mechanism_point_new(ctx, scratch, m, &d->step));
    return mechanism_weights_new(ctx, scratch, m, like, &d->weights);
}

nonsens_status descent_new(nonsens_context *ctx, arena *scratch, descent *d)
{
    ARENA_TRY(ctx, scratch, d->hessian, mechanism_hessian_size(&d->model));
    return allocate(ctx, scratch, NULL, d);
}

nonsens_status descent_beside(nonsens_context *ctx, arena *scratch, const descent *whole, bool borrows, descent *d)
{
    *d = (descent){.model = whole->model, .hessian = whole->hessian};
    if (!borrows) {
        ARENA_TRY(ctx, scratch, d->hessian, mechanism_hessian_size(&d->model));
    }
    return allocate(ctx, scratch, &whole->weights, d);
}

static void copy_point(const mechanism_model *m, const mechanism_point *from, mechanism_point *to)
{
    memcpy(to->theta, from->theta, (size_t)m->size * sizeof *to->theta);
    memcpy(to->transform, from->transform, (size_t)m->data->n * sizeof *to->transform);
    memcpy(to->slope, from->slope, (size_t)m->data->n * sizeof *to->slope);
}

void descent_leave_out(const descent *whole, int64_t hole, int64_t hole_end, descent *d)
{
    d->model = whole->model;
    d->in_use = whole->factor;
    d->arrow_in_use = &whole->arrow;
    d->damping = 0.0;
    d->hole = hole;
    d->hole_end = hole_end;
    copy_point(&d->model, &whole->at, &d->at);
}

void descent_add(int64_t count, const double *a, double length, const double *b, double *sum)
{
    for (int64_t i = 0; i < count; i++) {
        sum[i] = a[i] + length * b[i];
    }
}

static double evaluate(const descent *d, const mechanism_point *at)
{
    const mechanism_model *m = &d->model;
    double log_likelihood = mechanism_likelihood(m, at, 0, d->hole);
    log_likelihood += mechanism_likelihood(m, at, d->hole_end, m->data->n);
    return mechanism_penalise(m, at->theta, NULL, NULL) - log_likelihood;
}

static void factor_arrow(nonsens_context *ctx, descent *d)
{
    d->arrow_in_use = &d->arrow;
    for (; d->damping <= MAX_DAMPING; d->damping = fmax(MIN_DAMPING, 4.0 * d->damping)) {
        d->factor_damping = d->damping;
        if (mechanism_arrow_factor(ctx, &d->model, d->hessian, d->weights.crossing, d->damping, &d->arrow)) {
            return;
        }
    }
    mechanism_arrow_factor_diagonal(&d->model, d->hessian, MAX_DAMPING, &d->arrow);
}

/*
 * Computes factor, the Cholesky factor of hessian + damping * its diagonal, with as much damping as is needed; if no
 * damping is enough, that of the diagonal alone.
 */
static void factor_damped(nonsens_context *ctx, descent *d)
{
    int64_t k = d->model.size;
    const double *hessian = d->hessian;
    if (d->model.is_arrow) {
        factor_arrow(ctx, d);
        return;
    }
    d->in_use = d->factor;
    for (; d->damping <= MAX_DAMPING; d->damping = fmax(MIN_DAMPING, 4.0 * d->damping)) {
        for (int64_t i = 0; i < k; i++) { // the upper triangle stays zero
            memcpy(d->factor + i * k + i, hessian + i * k + i, (size_t)(k - i) * sizeof *d->factor);
            d->factor[i * k + i] += d->damping * fabs(hessian[i * k + i]);
        }
        d->factor_damping = d->damping;
        if (linalg_cholesky(ctx, k, d->factor) == NONSENS_OK) {
            return;
        }
    }
    memset(d->factor, 0, (size_t)(k * k) * sizeof *d->factor);
    for (int64_t i = 0; i < k; i++) {
        d->factor[i * k + i] = sqrt(1.0 + MAX_DAMPING * fabs(hessian[i * k + i]));
    }
}

/* Computes the natural gradient with the factor in use; returns half the squared Newton decrement. */
static double solve_gradient(descent *d)
{
    int64_t k = d->model.size;
    memcpy(d->natural, d->gradient, (size_t)k * sizeof *d->natural);
    if (d->model.is_arrow) {
        mechanism_arrow_solve(&d->model, d->arrow_in_use, d->spare, d->natural);
        return 0.5 * linalg_dot(k, d->gradient, d->natural);
    }
    linalg_solve_lower(false, k, 1, d->in_use, k, d->natural, k);
    double half = 0.5 * linalg_dot(k, d->natural, d->natural);
    linalg_solve_lower(true, k, 1, d->in_use, k, d->natural, k);
    return half;
}

/*
 * Chooses the next step: against the natural gradient and, if the factor is that of the last step, conjugate to it
 * (Polak and Ribiere); half_before is the last step's half.  Returns the derivative along the step.
 */
static double choose_step(descent *d, bool conjugate, double half, double half_before)
{
    int64_t k = d->model.size;
    double share = 0.0;
    if (conjugate) {
        share = fmax(0.0, (half - 0.5 * linalg_dot(k, d->before, d->natural)) / half_before);
        share = share * linalg_dot(k, d->gradient, d->step.theta) < half ? share : 0.0; // a descent direction
    }
    for (int64_t i = 0; i < k; i++) {
        d->step.theta[i] = share * d->step.theta[i] - d->natural[i];
    }
    memcpy(d->before, d->gradient, (size_t)k * sizeof *d->before);
    mechanism_apply(&d->model, &d->step);
    return linalg_dot(k, d->gradient, d->step.theta);
}

/* Returns the objective at this length along the step, at the point `tried`. */
static double try_length(descent *d, double length)
{
    int64_t n = d->model.data->n;
    descent_add(d->model.size, d->at.theta, length, d->step.theta, d->tried.theta);
    descent_add(n, d->at.transform, length, d->step.transform, d->tried.transform);
    descent_add(n, d->at.slope, length, d->step.slope, d->tried.slope);
    return evaluate(d, &d->tried);
}

static void accept_tried(descent *d, double objective)
{
    mechanism_point previous = d->at;
    d->at = d->tried;
    d->tried = previous;
    d->objective = objective;
}

/*
 * Tries lengths other than 1, whose objective is given, from `length` on as long as doubling it helps.  If rows are
 * few, dT/dy only grows by a factor in each step, as in Newton's method for the minimum of s - log s.  The best length
 * is tried last, so that `tried` is there.
 */
static double refine_length(descent *d, double length, double objective)
{
    double best = 1.0;
    if (fabs(length - best) < WORTHWHILE) {
        return objective;
    }
    for (int tries = 0; tries < MAX_LENGTHS; tries++, length *= 2.0) {
        double other = try_length(d, length);
        if (!(other < objective)) {
            return try_length(d, best);
        }
        best = length;
        objective = other;
        if (length < 1.0) {
            break;
        }
    }
    return objective;
}

/* Takes a step of a length that lowers the objective enough; `along`: derivative at 0.  False if no length does. */
static bool search_line(descent *d, double along)
{
    double length = 1.0;
    for (int tries = 0; tries < MAX_LENGTHS; tries++) {
        double objective = try_length(d, length), excess = objective - d->objective - along * length;
        // minimum of the parabola through the value and the derivative at zero and the value at `length`
        double best = excess > 0 ? -0.5 * along * length * length / excess : INFINITY;
        if (objective < d->objective + SUFFICIENT * length * along) {
            if (length == 1.0) {
                d->damping = d->damping < 1e-6 ? 0.0 : 0.2 * d->damping;
            } else { // with little damping the step was too long
                d->damping = fmax(MIN_DAMPING, fmin(1.0 / length, 10.0) * d->damping);
            }
            accept_tried(d, tries == 0 ? refine_length(d, fmin(best, LONGEST), objective) : objective);
            return true;
        }
        length *= fmin(fmax(best / length, 0.1), 0.5);
    }
    return false;
}

/* Keeps the matrix of a step for the next one as long as steps shrink fast. */
nonsens_status descent_run(nonsens_context *ctx, descent *d, bool refresh, const descent_pace *pace, int *steps)
{
    const mechanism_model *m = &d->model;
    double before = INFINITY;
    d->objective = evaluate(d, &d->at);
    for (int step = 0; step < pace->max_steps; step++, ++*steps) {
        double *hessian = refresh ? d->hessian : NULL;
        TRY(check_cancelled(ctx));
        memset(d->gradient, 0, (size_t)m->size * sizeof *d->gradient);
        if (refresh) {
            mechanism_clear(m, d->hessian);
        }
        TRY(mechanism_derive(ctx, m, &d->at, d->hole, d->hole_end, &d->weights, d->gradient, hessian));
        mechanism_penalise(m, d->at.theta, d->gradient, hessian);
        if (refresh) {
            factor_damped(ctx, d);
        }
        double half = solve_gradient(d), damping = d->damping;
        if (refresh ? half < pace->enough && damping < 1.0 : half < pace->enough_kept) {
            break;
        }
        bool stale = !refresh, made = search_line(d, choose_step(d, stale && step > 0, half, before));
        refresh = !made || half > pace->fast * before || d->damping > damping;
        before = half;
        if (!made && !stale) {
            d->damping = fmax(MIN_DAMPING, 8.0 * d->damping);
            if (d->damping > MAX_DAMPING) {
                break;
            }
        }
    }
    return NONSENS_OK;
}

void descent_jump(descent *d, const double *step)
{
    double here = evaluate(d, &d->at);
    memcpy(d->step.theta, step, (size_t)d->model.size * sizeof *step);
    mechanism_apply(&d->model, &d->step);
    double there = try_length(d, 1.0);
    if (there < here) {
        accept_tried(d, there);
    }
}
