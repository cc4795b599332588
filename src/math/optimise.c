/*
 * optimise.c - L-BFGS (Nocedal, "Updating quasi-Newton matrices with limited storage", Math. Comp. 35, 1980) with the
 * strong-Wolfe line search of Nocedal and Wright, "Numerical Optimization", 2nd ed., algorithms 3.5, 3.6 and 7.5.
 *
 * Differences: the sufficient decrease allows for the rounding of f (in the spirit of Hager and Zhang, SIAM J. Optim.
 * 16, 2005), so that steps near the minimum are not rejected for their last digit.  A point whose value or gradient is
 * not finite counts as +infinity.  A line search that runs out of evaluations after a sufficient decrease keeps it.  A
 * search that fails altogether is tried once more along the steepest descent before the run stops with STOP_NO_DESCENT.
 * There are bounds on the evaluations per search, on searches in a row that find no flat point, and on iterations that
 * lower neither f nor the gradient, so that wrong gradients cannot make the run endless.
 */
#include "math/optimise.h"

#include "math/linalg.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SEARCH_EVALUATIONS = 40, POOR_SEARCHES = 5, STALL_ITERATIONS = 50 };

static const double DECREASE = 1e-4;              /* c1 of the Wolfe conditions */
static const double CURVATURE = 0.9;              /* c2 */
static const double STEP_GROWTH = 4.0;            /* while the minimum is not yet bracketed */
static const double ROUNDING = 4.0 * DBL_EPSILON; /* of f, relative */

/* A trial step along the search direction: value and directional derivative there. */
struct trial {
    double step, value, slope;
};

struct lbfgs {
    int64_t n;
    lbfgs_memory memory;
    double *x;                 // (n) current point, the caller's array
    double *g;                 // (n) gradient there
    double *direction;         // (n)
    double *trial_x, *trial_g; // (n) the point evaluated last
    optimise_objective_fn f;
    void *state;
    int evaluations;
    int poor; /* line searches in a row that found no flat point */
};

static void add_scaled(int64_t n, double scale, const double *a, double *to)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] += scale * a[i];
    }
}

/* Returns max |v_i|; NaN if any is NaN. */
static double largest_magnitude(int64_t n, const double *v)
{
    double largest = 0.0;
    for (int64_t i = 0; i < n && !isnan(largest); i++) {
        largest = fabs(v[i]) <= largest ? largest : fabs(v[i]);
    }
    return largest;
}

/* ---- line search --------------------------------------------------------------------------------------------- */

static struct trial evaluate(struct lbfgs *b, double step)
{
    for (int64_t i = 0; i < b->n; i++) {
        b->trial_x[i] = b->x[i] + step * b->direction[i];
    }
    double value = b->f(b->state, b->n, b->trial_x, b->trial_g);
    double slope = linalg_dot(b->n, b->trial_g, b->direction);
    b->evaluations++;
    if (!isfinite(value) || !isfinite(slope)) {
        return (struct trial){step, INFINITY, NAN};
    }
    return (struct trial){step, value, slope};
}

static bool decreases(const struct trial *start, const struct trial *t)
{
    return t->value <= start->value + DECREASE * t->step * start->slope + ROUNDING * fabs(start->value);
}

static bool is_flat(const struct trial *start, const struct trial *t)
{
    return fabs(t->slope) <= CURVATURE * fabs(start->slope);
}

/* Returns the minimum of the cubic through two trials if it is not near their ends; else the middle. */
static double interpolate(const struct trial *lo, const struct trial *hi)
{
    double width = hi->step - lo->step, middle = lo->step + 0.5 * width;
    double d1 = lo->slope + hi->slope - 3.0 * (lo->value - hi->value) / (lo->step - hi->step);
    double under_root = d1 * d1 - lo->slope * hi->slope;
    if (!(under_root >= 0.0)) {
        return middle;
    }
    double d2 = copysign(sqrt(under_root), width);
    double step = hi->step - width * (hi->slope + d2 - d1) / (hi->slope - lo->slope + 2.0 * d2);
    double margin = 0.1 * fabs(width);
    bool inside = step > fmin(lo->step, hi->step) + margin && step < fmax(lo->step, hi->step) - margin;
    return inside ? step : middle;
}

/*
 * Narrows an interval that contains acceptable steps; lo is the step with the best sufficient decrease so far (or the
 * start), and f falls from lo towards hi.  On success the accepted point is the one evaluated last.
 */
static bool zoom(struct lbfgs *b, const struct trial *start, struct trial lo, struct trial hi, int budget,
                 struct trial *accepted)
{
    for (; budget > 0 && fabs(hi.step - lo.step) > DBL_EPSILON * fabs(lo.step); budget--) {
        struct trial t = evaluate(b, interpolate(&lo, &hi));
        if (!decreases(start, &t) || t.value > lo.value + ROUNDING * fabs(lo.value)) {
            hi = t;
            continue;
        }
        if (is_flat(start, &t)) {
            *accepted = t;
            b->poor = 0;
            return true;
        }
        if (t.slope * (hi.step - lo.step) >= 0.0) {
            hi = lo;
        }
        lo = t;
    }
    b->poor++;
    if (lo.step > 0.0 && lo.value < start->value) {
        *accepted = evaluate(b, lo.step);
        return accepted->value < start->value;
    }
    return false;
}

/* Finds a step that satisfies the strong Wolfe conditions, or at least the first of them; false if it finds none. */
static bool line_search(struct lbfgs *b, const struct trial *start, double first_step, struct trial *accepted)
{
    struct trial before = *start;
    double step = first_step;
    for (int budget = SEARCH_EVALUATIONS; budget > 0; budget--) {
        struct trial t = evaluate(b, step);
        if (!decreases(start, &t) || (before.step > 0.0 && t.value >= before.value)) {
            return zoom(b, start, before, t, budget - 1, accepted);
        }
        if (is_flat(start, &t)) {
            *accepted = t;
            b->poor = 0;
            return true;
        }
        if (t.slope >= 0.0) {
            return zoom(b, start, t, before, budget - 1, accepted);
        }
        before = t;
        step *= STEP_GROWTH;
    }
    *accepted = before; // still falling after the last step: f seems unbounded below
    return before.value < start->value;
}

/* ---- directions ---------------------------------------------------------------------------------------------- */

nonsens_status lbfgs_memory_new(nonsens_context *ctx, arena *a, int64_t n, int size, bool divides, lbfgs_memory *out)
{
    if (size < 1) {
        return fail(ctx, NONSENS_ERR_USAGE, "minimisation: a memory of %d pairs; ask for at least one", size);
    }
    *out = (lbfgs_memory){.n = n, .size = size, .divides = divides};
    ARENA_TRY(ctx, a, out->s, n * size);
    ARENA_TRY(ctx, a, out->y, n * size);
    ARENA_TRY(ctx, a, out->scale, size);
    ARENA_TRY(ctx, a, out->weight, size);
    return NONSENS_OK;
}

void lbfgs_memory_keep(lbfgs_memory *m, double curvature)
{
    m->scale[m->next] = m->divides ? curvature : 1.0 / curvature;
    m->next = (m->next + 1) % m->size;
    m->kept += m->kept < m->size;
}

/* Returns the i-th newest pair, i = 0 .. kept - 1. */
static int newest(const lbfgs_memory *m, int i)
{
    return (m->next - 1 - i + 2 * m->size) % m->size;
}

/* Returns (a'b) / (s'y) for a pair. */
static double share(const lbfgs_memory *m, int pair, const double *a, const double *b)
{
    double product = linalg_dot(m->n, a, b);
    return m->divides ? product / m->scale[pair] : m->scale[pair] * product;
}

void lbfgs_memory_apply(lbfgs_memory *m, precondition_fn precondition, void *state, double *v)
{
    for (int i = 0; i < m->kept; i++) {
        int p = newest(m, i);
        m->weight[p] = share(m, p, m->s + p * m->n, v);
        add_scaled(m->n, -m->weight[p], m->y + p * m->n, v);
    }
    precondition(state, v);
    for (int i = m->kept - 1; i >= 0; i--) {
        int p = newest(m, i);
        double back = share(m, p, m->y + p * m->n, v);
        add_scaled(m->n, m->weight[p] - back, m->s + p * m->n, v);
    }
}

/* Multiplies v by s'y / y'y of the newest pair, if there is one. */
static void scale_by_newest(void *state, double *v)
{
    const struct lbfgs *b = state;
    const lbfgs_memory *m = &b->memory;
    if (m->kept > 0) {
        int last = newest(m, 0);
        const double *y = m->y + last * m->n;
        double scale = 1.0 / (m->scale[last] * linalg_dot(m->n, y, y));
        for (int64_t i = 0; i < m->n; i++) {
            v[i] *= scale;
        }
    }
}

/* Moves to the trial point; keeps the step as a pair if the curvature along it is clearly positive. */
static void move_to_trial(struct lbfgs *b)
{
    double *s = lbfgs_memory_step(&b->memory), *y = lbfgs_memory_change(&b->memory);
    for (int64_t i = 0; i < b->n; i++) {
        s[i] = b->trial_x[i] - b->x[i];
        y[i] = b->trial_g[i] - b->g[i];
    }
    double sy = linalg_dot(b->n, s, y), yy = linalg_dot(b->n, y, y);
    if (sy > DBL_EPSILON * yy && isfinite(1.0 / sy)) {
        lbfgs_memory_keep(&b->memory, sy);
    }
    memcpy(b->x, b->trial_x, (size_t)b->n * sizeof *b->x);
    memcpy(b->g, b->trial_g, (size_t)b->n * sizeof *b->g);
}

/* Runs one iteration; false if no direction leads down.  *value is the value at the current point, before and after. */
static bool descend(struct lbfgs *b, double *value)
{
    for (;;) {
        for (int64_t i = 0; i < b->n; i++) {
            b->direction[i] = -b->g[i];
        }
        lbfgs_memory_apply(&b->memory, scale_by_newest, b, b->direction);
        struct trial start = {0.0, *value, linalg_dot(b->n, b->g, b->direction)}, accepted;
        double first_step = b->memory.kept > 0 ? 1.0 : fmin(1.0, 1.0 / sqrt(-start.slope));
        if (start.slope < 0.0 && isfinite(first_step) && b->poor <= POOR_SEARCHES &&
            line_search(b, &start, first_step, &accepted)) {
            move_to_trial(b);
            *value = accepted.value;
            return true;
        }
        if (b->memory.kept == 0 || b->poor > POOR_SEARCHES) {
            return false;
        }
        b->memory.kept = 0; // forget the curvature and try the steepest descent
    }
}

/* The best values of a run so far: once f changes only by rounding, only a smaller gradient is progress. */
struct progress {
    double value, gradient;
    int stalled; /* iterations since either of them fell */
};

/* Decides whether the run must end at the current point, and sets the reason. */
static bool must_stop(const struct lbfgs *b, const optimise_options *options, struct progress *best,
                      optimise_result *result)
{
    double gradient = largest_magnitude(b->n, b->g);
    if (gradient <= options->gradient_tolerance * fmax(1.0, fabs(result->value))) {
        result->reason = STOP_CONVERGED;
        return true;
    }
    best->stalled++;
    if (result->value < best->value || gradient < best->gradient) {
        *best = (struct progress){fmin(result->value, best->value), fmin(gradient, best->gradient), 0};
    }
    if (best->stalled > STALL_ITERATIONS) {
        result->reason = STOP_NO_DESCENT;
        return true;
    }
    result->reason = STOP_ITERATIONS;
    return result->iterations >= options->max_iterations;
}

nonsens_status lbfgs_minimise(nonsens_context *ctx, arena *scratch, int64_t n, double *x, optimise_objective_fn f,
                              void *state, const optimise_options *options, optimise_result *result)
{
    struct lbfgs b = {.n = n, .x = x, .f = f, .state = state};
    struct progress best = {INFINITY, INFINITY, 0};
    *result = (optimise_result){.value = NAN, .reason = STOP_NO_DESCENT};
    arena_mark mark = arena_tell(scratch);
    TRY(lbfgs_memory_new(ctx, scratch, n, options->memory, false, &b.memory));
    ARENA_TRY(ctx, scratch, b.g, n);
    ARENA_TRY(ctx, scratch, b.direction, n);
    ARENA_TRY(ctx, scratch, b.trial_x, n);
    ARENA_TRY(ctx, scratch, b.trial_g, n);
    result->value = f(state, n, x, b.g);
    b.evaluations = 1;
    if (!isfinite(result->value) || !isfinite(largest_magnitude(n, b.g))) {
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "minimisation: value or gradient at the starting point is not finite; "
                    "rescale the variables or start elsewhere");
    }
    while (!must_stop(&b, options, &best, result)) {
        TRY(check_cancelled(ctx));
        if (!descend(&b, &result->value)) {
            result->reason = STOP_NO_DESCENT;
            break;
        }
        result->iterations++;
    }
    result->evaluations = b.evaluations;
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}
