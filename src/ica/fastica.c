/*
 * fastica.c - finds the rotation whose sources are the least Gaussian, by fixed-point steps.
 *
 * Hyvarinen, "Fast and robust fixed-point algorithms for independent component analysis", IEEE Trans. Neural Networks
 * 10(3), 1999.  For whitened y and a contrast G with g = G' (row_blocks.c has the four),
 *
 *     w_j <- E g(w_j.y) y - E g'(w_j.y) w_j,     then all at once   W <- W (W'W)^{-1/2}  (columns w_j),
 *                                                or, with deflation, each w_j orthogonal to those before, |w_j| = 1.
 *
 * The objective is minus his approximation of negentropy, up to a factor: J = sum_j (E G(s_j) - E G(nu))^2, nu standard
 * normal.  Of several starts, the one with the largest J is kept.  The first start is the identity, the others are
 * random rotations.
 *
 * Differences: the step is measured by |w_new - w_old|^2 / 2 = 1 - |cosine|, which loses no digits, and iteration stops
 * at an angle of 1e-9.  Steps may alternate between two points for ever, mostly if the contrast cannot distinguish the
 * sources from normal ones.  If two steps lead back to the same point, the search continues from the midpoint.  If
 * there is no midpoint, because two directions are exchanged, it ends without convergence.
 */
#include "ica/fastica.h"

#include "ica/row_blocks.h"
#include "ica/starts.h"
#include "math/linalg.h"

#include <math.h>
#include <string.h>

static const ica_fastica_limits LIMITS = {.tolerance = 5e-19, .max_iterations = 500};
/* E G(nu) by quadrature with 30 digits: log cosh; -1 / sqrt 2; 3 / 4; 0. */
static const double GAUSSIAN_VALUE[] = {0.37456720749143797, -0.70710678118654752, 0.75, 0.0};
/* Steps alternate if two of them return to within this fraction of one step's 1 - |cosine|. */
static const double ALTERNATES = 0.01;
/* Smallest / largest eigenvalue of W'W below which the inverse root is not exact to rounding, or not computed. */
static const double WELL_CONDITIONED = 1e-6, SINGULAR = 1e-20;
enum { DECORRELATIONS = 4 };
enum { GAP_ROWS = 4096 }; /* the weakest plane is determined from at most this many evenly spaced rows */

typedef struct fixed_point {
    nonsens_context *ctx;
    arena *scratch;
    int64_t d;
    ica_blocks blocks;
    ica_fastica_limits limits;
    double *w;          /* (d, d) each column is the direction of a source */
    double *next;       /* (d, d) where the step leads */
    double *earlier;    /* (d, d) where the last step began */
    double *root;       /* (d, d) */
    double *gram;       /* (d, d) */
    double *eigenvalue; /* (d) */
    int iterations;
    bool converged;
} fixed_point;

/* ---- orthogonality ------------------------------------------------------------------------------------------- */

/*
 * Removes from v (d, count) its components along the first `done` directions; returns the smallest fraction of a
 * column's squared length that remains.
 */
static double remove_directions(const fixed_point *p, int64_t done, int64_t count, double *v)
{
    double smallest = 1.0;
    for (int64_t j = 0; j < count; j++) {
        double *column = v + j * p->d, before = linalg_dot(p->d, column, column);
        ica_remove_directions(p->d, done, p->w, column);
        double after = linalg_dot(p->d, column, column);
        smallest = after < smallest * before ? after / before : smallest;
    }
    return smallest;
}

/* Computes v (d, count) <- v (v'v)^{-1/2} once; *condition = smallest / largest eigenvalue, 0 if nothing was done. */
static nonsens_status decorrelate_once(fixed_point *p, int64_t count, double *v, double *condition)
{
    int64_t d = p->d;
    linalg_gram(d, count, v, d, p->gram);
    TRY(linalg_eigen_symmetric(p->ctx, p->scratch, count, p->gram, p->eigenvalue));
    double largest = p->eigenvalue[count - 1];
    *condition = 0.0;
    if (!(largest > 0.0) || !(p->eigenvalue[0] > SINGULAR * largest)) {
        return NONSENS_OK;
    }
    for (int64_t k = 0; k < count; k++) {
        for (int64_t i = 0; i < count; i++) { /* eigenvectors over fourth roots: root root' is the inverse root */
            p->root[i + k * count] = p->gram[i + k * count] / sqrt(sqrt(p->eigenvalue[k]));
        }
    }
    linalg_gemm(false, true, count, count, count, 1.0, p->root, count, p->root, count, 0.0, p->gram, count);
    linalg_gemm(false, false, d, count, count, 1.0, v, d, p->gram, count, 0.0, p->root, d);
    memcpy(v, p->root, (size_t)(d * count) * sizeof *v);
    *condition = p->eigenvalue[0] / largest;
    return NONSENS_OK;
}

/* Makes the columns of v (d, count) orthonormal, treating all alike; *possible = false if they are dependent. */
static nonsens_status decorrelate(fixed_point *p, int64_t done, int64_t count, double *v, bool *possible)
{
    double condition = 0.0;
    for (int round = 0; round < DECORRELATIONS && condition < WELL_CONDITIONED; round++) {
        double left = remove_directions(p, done, count, v);
        TRY(decorrelate_once(p, count, v, &condition));
        if (condition == 0.0) {
            break;
        }
        condition = fmin(condition, left);
    }
    *possible = condition >= WELL_CONDITIONED;
    return NONSENS_OK;
}

/*
 * Makes the directions orthonormal one by one after a search that failed.  If a direction depends on those before it,
 * an axis replaces it.
 */
static nonsens_status restore_orthonormal(fixed_point *p, int64_t done, int64_t count)
{
    for (int64_t j = done; j < done + count; j++) {
        bool possible = false;
        memcpy(p->next, p->w + j * p->d, (size_t)p->d * sizeof *p->next);
        TRY(decorrelate(p, j, 1, p->next, &possible));
        for (int64_t axis = 0; !possible && axis < p->d; axis++) {
            memset(p->next, 0, (size_t)p->d * sizeof *p->next);
            p->next[axis] = 1.0;
            TRY(decorrelate(p, j, 1, p->next, &possible));
        }
        memcpy(p->w + j * p->d, p->next, (size_t)p->d * sizeof *p->next);
    }
    return NONSENS_OK;
}

/* ---- steps --------------------------------------------------------------------------------------------------- */

/* Returns the largest 1 - |cosine| between columns of a and b (d, count). */
static double largest_turn(int64_t d, int64_t count, const double *a, const double *b)
{
    double largest = 0.0;
    for (int64_t j = 0; j < count; j++) {
        double sign = linalg_dot(d, a + j * d, b + j * d) < 0 ? -1.0 : 1.0, square = 0.0;
        for (int64_t i = j * d; i < (j + 1) * d; i++) {
            square += (a[i] - sign * b[i]) * (a[i] - sign * b[i]);
        }
        largest = fmax(largest, 0.5 * square);
    }
    return largest;
}

/* next = the fixed-point step from w (d, count), with signs such that each column points towards w's. */
static nonsens_status make_step(fixed_point *p, int64_t done, int64_t count, const double *w, bool *possible)
{
    int64_t d = p->d;
    ica_row_means means;
    TRY(ica_blocks_pass(&p->blocks, count, w, &means));
    for (int64_t j = 0; j < count; j++) {
        for (int64_t i = 0; i < d; i++) {
            p->next[i + j * d] = means.cross[i + j * d] - means.slope[j] * w[i + j * d];
        }
        double sign = linalg_dot(d, p->next + j * d, w + j * d) < 0 ? -1.0 : 1.0;
        for (int64_t i = 0; i < d; i++) {
            p->next[i + j * d] *= sign;
        }
    }
    return decorrelate(p, done, count, p->next, possible);
}

/* Repeats the step for `count` directions, from number `done` on, until they no longer move. */
static nonsens_status find_directions(fixed_point *p, int64_t done, int64_t count)
{
    int64_t d = p->d, size = d * count;
    double *w = p->w + done * d;
    bool possible = true;
    for (int i = 0; possible && i < p->limits.max_iterations; i++) {
        TRY(make_step(p, done, count, w, &possible));
        if (!possible) {
            break; /* the contrast is flat in some direction: keep w */
        }
        p->iterations++;
        double turn = largest_turn(d, count, p->next, w);
        if (turn < p->limits.tolerance) {
            memcpy(w, p->next, (size_t)size * sizeof *w);
            return NONSENS_OK;
        }
        if (i > 0 && largest_turn(d, count, p->next, p->earlier) < ALTERNATES * turn) {
            for (int64_t k = 0; k < size; k++) {
                p->next[k] = 0.5 * (p->next[k] + w[k]);
            }
            TRY(decorrelate(p, done, count, p->next, &possible));
        }
        memcpy(p->earlier, w, (size_t)size * sizeof *w);
        if (possible) {
            memcpy(w, p->next, (size_t)size * sizeof *w);
        }
    }
    p->converged = false;
    return restore_orthonormal(p, done, count);
}

/* Iterates from p->w to a fixed point; *objective = -J there. */
static nonsens_status search_from_here(fixed_point *p, bool deflation, double *objective)
{
    ica_row_means means;
    p->iterations = 0;
    p->converged = true;
    int64_t count = deflation ? 1 : p->d;
    for (int64_t done = 0; done < p->d; done += count) {
        TRY(find_directions(p, done, count));
    }
    TRY(ica_blocks_pass(&p->blocks, p->d, p->w, &means));
    *objective = 0.0;
    for (int64_t j = 0; j < p->d; j++) {
        double excess = means.value[j] - GAUSSIAN_VALUE[p->blocks.contrast];
        *objective -= excess * excess;
    }
    return NONSENS_OK;
}

/* Runs the search from all starts and keeps the best result. */
nonsens_status ica_fastica_within(nonsens_context *ctx, arena *a, ica_data *data, const ica_options *options,
                                  const ica_fastica_limits *limits, double *rotation, ica_result *out)
{
    int64_t d = data->d;
    fixed_point p = {.ctx = ctx, .scratch = a, .d = d, .limits = *limits};
    double *best;
    TRY(ica_blocks_new(ctx, a, data, options->contrast, options->threads, &p.blocks));
    ARENA_TRY(ctx, a, p.w, d * d);
    ARENA_TRY(ctx, a, p.next, d * d);
    ARENA_TRY(ctx, a, p.earlier, d * d);
    ARENA_TRY(ctx, a, p.root, d * d);
    ARENA_TRY(ctx, a, p.gram, d * d);
    ARENA_TRY(ctx, a, p.eigenvalue, d);
    ARENA_TRY(ctx, a, best, d * d);
    for (int64_t start = 0; start == 0 || start < options->starts; start++) {
        double objective;
        ica_set_start(options->seed, start, d, p.w);
        TRY(search_from_here(&p, options->deflation, &objective));
        if (start == 0 || ica_is_better(p.converged, objective, out)) {
            memcpy(best, p.w, (size_t)(d * d) * sizeof *best);
            out->objective = objective;
            out->iterations = p.iterations;
            out->converged = p.converged;
        }
    }
    ica_blocks_turn(&p.blocks, best);
    linalg_gemm(true, false, d, d, d, 1.0, best, d, rotation, d, 0.0, p.gram, d);
    memcpy(rotation, p.gram, (size_t)(d * d) * sizeof *rotation);
    return NONSENS_OK;
}

/* ---- gap ----------------------------------------------------------------------------------------------------- */

typedef struct negentropy_state {
    ica_rows rows; /* must be first: ica_rows_turn casts to it */
    enum option_contrast contrast;
} negentropy_state;

static double plane_negentropy(void *opaque, int64_t j, int64_t k, double c, double s)
{
    const negentropy_state *state = opaque;
    const ica_data *data = state->rows.data;
    ica_turn_pair(data->n, 1, c, s, data->y + j * data->n, data->y + k * data->n, state->rows.u, state->rows.v);
    double first = ica_contrast_mean(state->contrast, data->n, 1.0, state->rows.u);
    double second = ica_contrast_mean(state->contrast, data->n, 1.0, state->rows.v);
    first -= GAUSSIAN_VALUE[state->contrast];
    second -= GAUSSIAN_VALUE[state->contrast];
    return -first * first - second * second;
}

nonsens_status ica_fastica(nonsens_context *ctx, arena *a, ica_data *data, const ica_options *options, double *rotation,
                           ica_result *out)
{
    TRY(ica_fastica_within(ctx, a, data, options, &LIMITS, rotation, out));
    ica_data some;
    negentropy_state state = {.contrast = options->contrast};
    TRY(ica_spaced_rows(ctx, a, data, GAP_ROWS, &some));
    TRY(ica_rows_new(ctx, a, &some, rotation, &state.rows));
    ica_contrast contrast = {&state, plane_negentropy, ica_rows_turn};
    out->contrast_gap = (double)data->n * ica_weakest_plane(data->d, &contrast);
    return NONSENS_OK;
}
