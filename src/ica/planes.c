/* planes.c - Jacobi-like sweeps over planes of two sources: a grid over a quarter turn, then golden-section search. */
#include "ica/ica_internal.h"

#include <math.h>

static const double QUARTER_TURN = 1.57079632679489661923;
static const double GOLDEN = 0.61803398874989484820;
enum { GAP_ANGLES = 16 }; /* over a quarter turn, to find the worst value in a plane */

void ica_turn_pair(int64_t n, int64_t stride, double c, double s, const double *a, const double *b, double *u,
                   double *v)
{
    for (int64_t i = 0; i < n * stride; i += stride) {
        double first = a[i], second = b[i];
        u[i] = c * first + s * second;
        v[i] = c * second - s * first;
    }
}

nonsens_status ica_rows_new(nonsens_context *ctx, arena *a, ica_data *data, double *rotation, ica_rows *rows)
{
    rows->data = data;
    rows->rotation = rotation;
    ARENA_TRY(ctx, a, rows->u, data->n);
    ARENA_TRY(ctx, a, rows->v, data->n);
    return NONSENS_OK;
}

void ica_rows_turn(void *state, int64_t j, int64_t k, double c, double s)
{
    ica_rows *rows = state;
    int64_t n = rows->data->n, d = rows->data->d;
    double *first = rows->data->y + j * n, *second = rows->data->y + k * n;
    ica_turn_pair(n, 1, c, s, first, second, first, second);
    ica_turn_pair(d, d, c, s, rows->rotation + j, rows->rotation + k, rows->rotation + j, rows->rotation + k);
}

static double plane_at(const ica_contrast *contrast, int64_t j, int64_t k, double angle)
{
    return contrast->plane(contrast->state, j, k, cos(angle), sin(angle));
}

/* Golden-section search on [lo, hi]; returns the better inner point and its value. */
static double golden_minimum(const ica_contrast *contrast, int64_t j, int64_t k, double lo, double hi, double precision,
                             double *value)
{
    double left = hi - GOLDEN * (hi - lo), right = lo + GOLDEN * (hi - lo);
    double at_left = plane_at(contrast, j, k, left), at_right = plane_at(contrast, j, k, right);
    while (hi - lo > precision) {
        if (at_left < at_right) {
            hi = right;
            right = left;
            at_right = at_left;
            left = hi - GOLDEN * (hi - lo);
            at_left = plane_at(contrast, j, k, left);
        } else {
            lo = left;
            left = right;
            at_left = at_right;
            right = lo + GOLDEN * (hi - lo);
            at_right = plane_at(contrast, j, k, right);
        }
    }
    *value = at_left < at_right ? at_left : at_right;
    return at_left < at_right ? left : right;
}

/* Returns the best angle in one plane, within 1/8 of a full turn; 0 if no angle is better than no turn. */
static double best_angle(const ica_contrast *contrast, const ica_search *search, int64_t j, int64_t k)
{
    double step = QUARTER_TURN / search->grid;
    double here = plane_at(contrast, j, k, 0.0), lowest = here, angle = 0.0;
    for (int i = 0; i < search->grid; i++) {
        double trial = (i - search->grid / 2) * step;
        double value = i == search->grid / 2 ? here : plane_at(contrast, j, k, trial);
        if (value < lowest) {
            lowest = value;
            angle = trial;
        }
    }
    double refined_value;
    double refined = golden_minimum(contrast, j, k, angle - step, angle + step, search->precision, &refined_value);
    return refined_value < lowest ? refined : angle;
}

nonsens_status ica_sweep_planes(nonsens_context *ctx, int64_t d, const ica_contrast *contrast, const ica_search *search,
                                int *sweeps, bool *converged)
{
    double largest = INFINITY;
    int done = 0;
    while (done < search->max_sweeps && largest > search->stop) {
        largest = 0.0;
        for (int64_t j = 0; j < d; j++) {
            for (int64_t k = j + 1; k < d; k++) {
                TRY(check_cancelled(ctx));
                double angle = best_angle(contrast, search, j, k);
                if (angle != 0.0) {
                    contrast->turn(contrast->state, j, k, cos(angle), sin(angle));
                }
                largest = fmax(largest, fabs(angle));
            }
        }
        done++;
        if (d == 2) {
            largest = 0.0; /* one plane, searched globally: nothing is left to do */
        }
    }
    *sweeps = done;
    *converged = largest <= search->stop;
    return NONSENS_OK;
}

double ica_weakest_plane(int64_t d, const ica_contrast *contrast)
{
    double weakest = INFINITY;
    for (int64_t j = 0; j < d; j++) {
        for (int64_t k = j + 1; k < d; k++) {
            double here = plane_at(contrast, j, k, 0.0), worst = here;
            for (int i = 1; i < GAP_ANGLES; i++) {
                worst = fmax(worst, plane_at(contrast, j, k, i * QUARTER_TURN / GAP_ANGLES));
            }
            weakest = fmin(weakest, worst - here);
        }
    }
    return isfinite(weakest) ? weakest : 0.0;
}
