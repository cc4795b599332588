/*
 * lingam_lasso.c - the adaptive lasso (Zou, "The adaptive lasso and its oracle properties", JASA 101, 2006) of one
 * variable, by least angle regression (Efron, Hastie, Johnstone, Tibshirani, Ann. Statist. 32, 2004) on correlations.
 *
 *     minimise  1/2 b'Cb - c'b + lambda sum_j |b_j| / w_j,    w_j = |least squares|_j,
 *
 * for lambda from its largest useful value down.  With g = c - C b, w_j |g_j| = lambda for the active variables A and
 * less for all others.  While A stays the same, b moves along C_AA^-1 (s / w), s the signs of g, per unit of lambda.  A
 * variable enters when its w |g| reaches lambda, and leaves when its b reaches 0.
 *
 * BIC = RSS / sigma^2 + log(n) df, sigma^2 from least squares on all, df the number of coefficients that are not zero
 * (Zou, Hastie, Tibshirani, Ann. Statist. 35, 2007).  Between two knots df is constant and RSS falls, so only knots are
 * evaluated.  The path ends as soon as log(n) df plus the RSS term of least squares exceeds the best value found.
 */
#include "methods/lingam/lingam_weights.h"

#include "math/linalg.h"

#include <math.h>
#include <string.h>

static const double MIN_PIVOT = 1e-13; /* of the variance of a variable given the active ones */
enum { EVENTS_SPARE = 32 };

enum place { OUTSIDE, ACTIVE, REFUSED };

typedef struct path {
    const lingam_lasso_problem *p;
    double lambda;
    double *w, *b, *g; /* (k) */
    double *along;     /* (k) how g falls per unit of lambda */
    double *direction; /* (k) of the active coefficients, in the order of `active` */
    double *l;         /* (k, k) lower Cholesky factor of C_AA, rows in the order of `active`: row i at i k */
    int64_t *active, count;
    char *place;     /* (k) enum place */
    int64_t dropped; /* the variable that has just left, which cannot return at once; -1: none */
} path;

static nonsens_status path_new(nonsens_context *ctx, arena *a, const lingam_lasso_problem *p, path *s)
{
    int64_t k = p->k;
    *s = (path){.p = p, .dropped = -1};
    ARENA_TRY(ctx, a, s->w, k);
    ARENA_TRY(ctx, a, s->b, k);
    ARENA_TRY(ctx, a, s->g, k);
    ARENA_TRY(ctx, a, s->along, k);
    ARENA_TRY(ctx, a, s->direction, k);
    ARENA_TRY(ctx, a, s->l, k * k);
    ARENA_TRY(ctx, a, s->active, k);
    ARENA_TRY(ctx, a, s->place, k);
    for (int64_t j = 0; j < k; j++) {
        s->w[j] = fabs(p->start[j]);
        s->g[j] = p->with[j];
        s->lambda = fmax(s->lambda, s->w[j] * fabs(s->g[j]));
    }
    return NONSENS_OK;
}

/* ---- the active set ---------------------------------------------------------------------------------------------- */

/* Adds a row to the factor; a variable that the others determine is refused from now on. */
static void activate(path *s, int64_t j)
{
    int64_t k = s->p->k, m = s->count;
    const double *c = s->p->c + j * s->p->ld;
    double *row = s->l + m * k, left = c[j];
    for (int64_t i = 0; i < m; i++) {
        const double *other = s->l + i * k;
        row[i] = (c[s->active[i]] - linalg_dot(i, row, other)) / other[i];
        left -= row[i] * row[i];
    }
    if (!(left > MIN_PIVOT)) {
        s->place[j] = REFUSED;
        return;
    }
    row[m] = sqrt(left);
    s->active[s->count++] = j;
    s->place[j] = ACTIVE;
}

/* Removes the variable at this position of the active set; those behind it enter the factor again. */
static void deactivate(path *s, int64_t at)
{
    int64_t count = s->count;
    s->dropped = s->active[at];
    s->b[s->dropped] = 0.0;
    s->place[s->dropped] = OUTSIDE;
    s->count = at;
    for (int64_t i = at + 1; i < count; i++) {
        activate(s, s->active[i]);
    }
}

/* Computes direction = C_AA^-1 (s / w) and along = C_.A direction. */
static void find_direction(path *s)
{
    int64_t k = s->p->k, m = s->count;
    double *v = s->direction;
    for (int64_t i = 0; i < m; i++) {
        int64_t j = s->active[i];
        const double *row = s->l + i * k;
        v[i] = (copysign(1.0, s->g[j]) / s->w[j] - linalg_dot(i, row, v)) / row[i];
    }
    for (int64_t i = m - 1; i >= 0; i--) {
        const double *row = s->l + i * k;
        v[i] /= row[i];
        for (int64_t h = 0; h < i; h++) {
            v[h] -= row[h] * v[i];
        }
    }
    memset(s->along, 0, (size_t)k * sizeof *s->along);
    for (int64_t i = 0; i < m; i++) {
        const double *c = s->p->c + s->active[i] * s->p->ld;
        for (int64_t j = 0; j < k; j++) {
            s->along[j] += c[j] * v[i];
        }
    }
}

/* ---- from knot to knot ------------------------------------------------------------------------------------------- */

typedef struct event {
    double step;            /* how far lambda falls */
    int64_t enters, leaves; /* variable; position in the active set; -1: none */
} event;

/* Returns how far lambda falls until sign w (g - step along) = lambda - step. */
static double step_to_enter(const path *s, int64_t j, double sign)
{
    double gap = s->lambda - sign * s->w[j] * s->g[j], speed = 1.0 - sign * s->w[j] * s->along[j];
    return speed > 0.0 ? fmax(gap, 0.0) / speed : INFINITY;
}

static event next_event(const path *s)
{
    event e = {s->lambda, -1, -1};
    for (int64_t j = 0; j < s->p->k; j++) {
        if (s->place[j] == OUTSIDE && j != s->dropped) {
            double step = fmin(step_to_enter(s, j, 1.0), step_to_enter(s, j, -1.0));
            e = step < e.step ? (event){step, j, -1} : e;
        }
    }
    for (int64_t i = 0; i < s->count; i++) {
        double step = -s->b[s->active[i]] / s->direction[i];
        if (step > 0.0 && step < e.step) {
            e = (event){step, -1, i};
        }
    }
    return e;
}

static void follow(path *s, const event *e)
{
    for (int64_t i = 0; i < s->count; i++) {
        s->b[s->active[i]] += e->step * s->direction[i];
    }
    for (int64_t j = 0; j < s->p->k; j++) {
        s->g[j] -= e->step * s->along[j];
    }
    s->lambda -= e->step;
    s->dropped = -1;
    if (e->leaves >= 0) {
        deactivate(s, e->leaves);
    }
}

/* ---- which knot ---- */

/* RSS / n = 1 - b'(c + g) for a variable of variance 1. */
static double bic_at_knot(const path *s)
{
    const lingam_lasso_problem *p = s->p;
    double explained = 0.0, df = 0.0;
    for (int64_t j = 0; j < p->k; j++) {
        explained += s->b[j] * (p->with[j] + s->g[j]);
        df += s->b[j] != 0.0;
    }
    return (double)(p->n - 1 - p->k) * (1.0 - explained) / p->rest + log((double)p->n) * df;
}

nonsens_status lingam_lasso(nonsens_context *ctx, arena *scratch, const lingam_lasso_problem *problem, bool *chosen)
{
    path s;
    int64_t k = problem->k, max_events = 8 * k + EVENTS_SPARE;
    memset(chosen, 0, (size_t)k * sizeof *chosen);
    if (k == 0) {
        return NONSENS_OK;
    }
    TRY(path_new(ctx, scratch, problem, &s));
    double best = bic_at_knot(&s), saturated = (double)(problem->n - 1 - k); // RSS / sigma^2 of least squares on all
    event e = {0.0, 0, -1};
    for (int64_t j = 1; j < k; j++) {
        e.enters = s.w[j] * fabs(s.g[j]) > s.w[e.enters] * fabs(s.g[e.enters]) ? j : e.enters;
    }
    for (int64_t events = 0; events < max_events && s.lambda > 0.0; events++) {
        TRY(check_cancelled(ctx));
        if (e.enters >= 0) {
            activate(&s, e.enters);
        }
        if (!(saturated + log((double)problem->n) * (double)s.count < best)) {
            break;
        }
        find_direction(&s);
        e = next_event(&s);
        follow(&s, &e);
        double bic = bic_at_knot(&s);
        if (bic < best) {
            best = bic;
            for (int64_t j = 0; j < k; j++) {
                chosen[j] = s.b[j] != 0.0;
            }
        }
    }
    return NONSENS_OK;
}
