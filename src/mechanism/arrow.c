/* arrow.c - factors and solves matrices in the shape of an arrow; see arrow.h. */
#include "mechanism/arrow.h"

#include "math/linalg.h"

#include <math.h>
#include <string.h>

nonsens_status mechanism_arrow_new(nonsens_context *ctx, arena *a, const mechanism_model *m, mechanism_arrow *out)
{
    int64_t segments = m->data->segments;
    ARENA_TRY(ctx, a, out->shaft, m->p * m->p);
    ARENA_TRY(ctx, a, out->barb, 2 * segments * m->p);
    ARENA_TRY(ctx, a, out->own, 3 * segments);
    ARENA_TRY(ctx, a, out->sum, 4 * segments);
    ARENA_TRY(ctx, a, out->along, 2 * m->p);
    return NONSENS_OK;
}

/* Computes L of each segment; returns false if a block is not positive definite. */
static bool factor_blocks(int64_t segments, const double *own, double damping, double *factor)
{
    for (int64_t e = 0; e < segments; e++) {
        const double *block = own + 3 * e;
        double *l = factor + 3 * e;
        double first = block[0] + damping * fabs(block[0]), last = block[2] + damping * fabs(block[2]);
        if (!(first > 0.0)) {
            return false;
        }
        l[0] = sqrt(first);
        l[1] = block[1] / l[0];
        double rest = last - l[1] * l[1];
        if (!(rest > 0.0)) {
            return false;
        }
        l[2] = sqrt(rest);
    }
    return true;
}

/* Computes x (2 E) = L^-1 x. */
static void solve_blocks(int64_t segments, const double *own, double *x)
{
    for (int64_t e = 0; e < segments; e++) {
        const double *l = own + 3 * e;
        x[2 * e] /= l[0];
        x[2 * e + 1] = (x[2 * e + 1] - l[1] * x[2 * e]) / l[2];
    }
}

/* Computes x (2 E) = L'^-1 x. */
static void solve_blocks_back(int64_t segments, const double *own, double *x)
{
    for (int64_t e = 0; e < segments; e++) {
        const double *l = own + 3 * e;
        x[2 * e + 1] /= l[2];
        x[2 * e] = (x[2 * e] - l[1] * x[2 * e + 1]) / l[0];
    }
}

static void find_barb(const mechanism_model *m, const double *crossing, mechanism_arrow *f)
{
    int64_t segments = m->data->segments;
    for (int64_t j = 0; j < m->p; j++) {
        double *column = f->barb + 2 * segments * j;
        for (int64_t e = 0; e < segments; e++) {
            column[2 * e] = crossing[2 * (e * m->p + j)];
            column[2 * e + 1] = crossing[2 * (e * m->p + j) + 1];
        }
        solve_blocks(segments, f->own, column);
    }
}

/* Computes u and K^-1. */
static void find_sums(const mechanism_model *m, mechanism_arrow *f)
{
    int64_t segments = m->data->segments;
    double pin = mechanism_pin(m), *location = f->sum, *scale = f->sum + 2 * segments;
    for (int64_t e = 0; e < segments; e++) {
        location[2 * e] = scale[2 * e + 1] = 1.0;
        location[2 * e + 1] = scale[2 * e] = 0.0;
    }
    solve_blocks(segments, f->own, location);
    solve_blocks(segments, f->own, scale);
    double a = 1.0 / pin + linalg_dot(2 * segments, location, location), b = linalg_dot(2 * segments, location, scale);
    double c = 1.0 / pin + linalg_dot(2 * segments, scale, scale), determinant = a * c - b * b;
    f->inverse[0] = c / determinant;
    f->inverse[1] = -b / determinant;
    f->inverse[2] = a / determinant;
}

/* Computes x (2 E) = (I - u K^-1 u') x. */
static void take_sums_out(const mechanism_model *m, const mechanism_arrow *f, double *x)
{
    int64_t count = 2 * m->data->segments;
    double location = linalg_dot(count, f->sum, x), scale = linalg_dot(count, f->sum + count, x);
    double a = f->inverse[0] * location + f->inverse[1] * scale, b = f->inverse[1] * location + f->inverse[2] * scale;
    for (int64_t i = 0; i < count; i++) {
        x[i] -= a * f->sum[i] + b * f->sum[count + i];
    }
}

/* Adds (u'W)' K^-1 (u'W) to the shaft. */
static void add_sums(const mechanism_model *m, mechanism_arrow *f)
{
    double *along = f->along;
    int64_t count = 2 * m->data->segments;
    for (int64_t j = 0; j < m->p; j++) {
        along[2 * j] = linalg_dot(count, f->sum, f->barb + count * j);
        along[2 * j + 1] = linalg_dot(count, f->sum + count, f->barb + count * j);
    }
    for (int64_t j = 0; j < m->p; j++) {
        double a = f->inverse[0] * along[2 * j] + f->inverse[1] * along[2 * j + 1];
        double b = f->inverse[1] * along[2 * j] + f->inverse[2] * along[2 * j + 1];
        for (int64_t i = j; i < m->p; i++) {
            f->shaft[j * m->p + i] += a * along[2 * i] + b * along[2 * i + 1];
        }
    }
}

bool mechanism_arrow_factor(nonsens_context *ctx, const mechanism_model *m, const double *hessian,
                            const double *crossing, double damping, mechanism_arrow *out)
{
    int64_t p = m->p, segments = m->data->segments;
    if (!factor_blocks(segments, hessian + p * p, damping, out->own)) {
        return false;
    }
    find_barb(m, crossing, out);
    find_sums(m, out);
    linalg_gram(2 * segments, p, out->barb, 2 * segments, out->shaft);
    for (int64_t j = 0; j < p; j++) {
        for (int64_t i = 0; i < j; i++) {
            out->shaft[j * p + i] = 0.0;
        }
        for (int64_t i = j; i < p; i++) {
            out->shaft[j * p + i] = hessian[j * p + i] - out->shaft[j * p + i];
        }
        out->shaft[j * p + j] += damping * fabs(hessian[j * p + j]);
    }
    add_sums(m, out);
    return linalg_cholesky(ctx, p, out->shaft) == NONSENS_OK;
}

void mechanism_arrow_factor_diagonal(const mechanism_model *m, const double *hessian, double damping,
                                     mechanism_arrow *out)
{
    int64_t p = m->p, segments = m->data->segments;
    memset(out->shaft, 0, (size_t)(p * p) * sizeof *out->shaft);
    memset(out->barb, 0, (size_t)(2 * segments * p) * sizeof *out->barb);
    memset(out->sum, 0, (size_t)(4 * segments) * sizeof *out->sum);
    for (int64_t j = 0; j < p; j++) {
        out->shaft[j * p + j] = sqrt(1.0 + damping * fabs(hessian[j * p + j]));
    }
    for (int64_t e = 0; e < segments; e++) {
        const double *block = hessian + p * p + 3 * e;
        out->own[3 * e] = sqrt(1.0 + damping * fabs(block[0]));
        out->own[3 * e + 1] = 0.0;
        out->own[3 * e + 2] = sqrt(1.0 + damping * fabs(block[2]));
    }
}

void mechanism_arrow_solve(const mechanism_model *m, const mechanism_arrow *f, double *spare, double *x)
{
    int64_t p = m->p, segments = m->data->segments, count = 2 * segments;
    double *location = x + p, *scale = location + segments;
    for (int64_t e = 0; e < segments; e++) {
        spare[2 * e] = location[e];
        spare[2 * e + 1] = scale[e];
    }
    solve_blocks(segments, f->own, spare);
    take_sums_out(m, f, spare);
    for (int64_t j = 0; j < p; j++) {
        x[j] -= linalg_dot(count, f->barb + count * j, spare);
    }
    linalg_solve_lower(false, p, 1, f->shaft, p, x, p);
    linalg_solve_lower(true, p, 1, f->shaft, p, x, p);
    for (int64_t e = 0; e < segments; e++) {
        spare[2 * e] = location[e];
        spare[2 * e + 1] = scale[e];
    }
    solve_blocks(segments, f->own, spare);
    for (int64_t j = 0; j < p; j++) {
        const double *column = f->barb + count * j;
        for (int64_t i = 0; i < count; i++) {
            spare[i] -= x[j] * column[i];
        }
    }
    take_sums_out(m, f, spare);
    solve_blocks_back(segments, f->own, spare);
    for (int64_t e = 0; e < segments; e++) {
        location[e] = spare[2 * e];
        scale[e] = spare[2 * e + 1];
    }
}
