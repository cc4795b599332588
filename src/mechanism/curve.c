/* curve.c - the transformation of a fitted mechanism at any values, and its inverse; see curve.h. */
#include "mechanism/curve.h"

#include "math/sort.h"
#include "math/spline.h"

#include <math.h>

/* ---- values and warped values ----------------------------------------------------------------------------------- */

nonsens_status mechanism_scale_new(nonsens_context *ctx, arena *a, int64_t n, const double *x, const double *warped,
                                   mechanism_scale *out)
{
    SCOPED_ARENA(scratch);
    sort_entry *entry, *spare;
    ARENA_TRY(ctx, &scratch, entry, n);
    ARENA_TRY(ctx, &scratch, spare, n);
    sort_column(x, n, entry, spare);
    out->count = 0;
    ARENA_TRY(ctx, a, out->value, n);
    ARENA_TRY(ctx, a, out->warped, n);
    for (int64_t i = 0; i < n; i++) {
        int64_t row = entry[i].row;
        if (out->count == 0 || x[row] > out->value[out->count - 1]) {
            out->value[out->count] = x[row];
            out->warped[out->count++] = warped[row];
        }
    }
    return NONSENS_OK;
}

/* Interpolates `to` at v between the ascending `from`. */
static double interpolate(int64_t count, const double *from, const double *to, double v)
{
    int64_t low = 0, high = count - 1;
    if (!(v > from[0])) {
        return to[0];
    }
    if (v >= from[high]) {
        return to[high];
    }
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        *(v >= from[middle] ? &low : &high) = middle;
    }
    double width = from[high] - from[low];
    return width > 0.0 ? to[low] + (to[high] - to[low]) * ((v - from[low]) / width) : to[low];
}

double mechanism_scale_warp(const mechanism_scale *s, double value)
{
    return interpolate(s->count, s->value, s->warped, value);
}

double mechanism_scale_value(const mechanism_scale *s, double warped)
{
    return interpolate(s->count, s->warped, s->value, warped);
}

/* ---- knots ------------------------------------------------------------------------------------------------------ */

/* Merges the knots of two bases; a basis without B-splines has none. */
static void merge_knots(mechanism_curve *c, const int64_t basis[2])
{
    int64_t interval[2] = {basis[0] > 0 ? basis[0] - 2 : 1, basis[1] > 0 ? basis[1] - 2 : 1}, next[2] = {0, 0};
    c->knots = 0;
    while (next[0] <= interval[0] && next[1] <= interval[1]) {
        // compares next[0] / interval[0] with next[1] / interval[1], exactly
        int64_t left = next[0] * interval[1], right = next[1] * interval[0];
        int first = left <= right ? 0 : 1;
        c->knot[c->knots++] = (double)next[first] / (double)interval[first];
        next[0] += left <= right;
        next[1] += right <= left;
    }
    for (int k = 0; k < 2; k++) {
        for (int64_t i = 0; i < c->knots; i++) {
            c->at[k][i] = (int32_t)spline_interval(interval[k], c->knot[i], &c->along[k][i]);
        }
    }
}

void mechanism_curve_new(const mechanism_data *data, int64_t causes, const double *theta, mechanism_curve *out)
{
    *out = (mechanism_curve){.causes = causes,
                             .alone_basis = data->separate || causes == 0 ? data->alone_basis : 0,
                             .effect_basis = causes > 0 ? data->effect_basis : 0,
                             .main_basis = data->separate ? data->main_basis : 0,
                             .cause_basis = data->cause_basis,
                             .pair_basis = data->pair_basis,
                             .separate = data->separate,
                             .theta = theta};
    merge_knots(out, (int64_t[]){out->alone_basis, out->effect_basis});
}

/* ---- T for fixed causes ----------------------------------------------------------------------------------------- */

/* Adds the products of y and the causes to the coefficients `own` (effect_basis); returns where the next terms are. */
static const double *add_products(const mechanism_curve *c, const double *cause, const double *theta, double *own)
{
    for (int64_t i = 0; i < c->causes; i++) {
        double value[2];
        int64_t first = spline_linear(c->cause_basis, cause[i], value);
        for (int64_t a = 0; a < c->effect_basis; a++) {
            const double *row = theta + a * c->cause_basis + first;
            own[a] += value[0] * row[0] + value[1] * row[1];
        }
        theta += c->effect_basis * c->cause_basis;
    }
    return theta;
}

/* Returns the sum of the terms of the causes alone. */
static double sum_causes(const mechanism_curve *c, const double *cause, const double *theta)
{
    double sum = 0.0, value[2], other[2];
    for (int64_t i = 0; c->separate && i < c->causes; i++) {
        int64_t first = spline_linear(c->main_basis, cause[i], value);
        sum += value[0] * theta[first] + value[1] * theta[first + 1];
        theta += c->main_basis;
    }
    for (int64_t i = 0; i < c->causes; i++) {
        int64_t first = spline_linear(c->pair_basis, cause[i], value);
        for (int64_t k = i + 1; k < c->causes; k++) {
            int64_t second = spline_linear(c->pair_basis, cause[k], other);
            const double *at = theta + first * c->pair_basis + second;
            sum += value[0] * (other[0] * at[0] + other[1] * at[1]) +
                   value[1] * (other[0] * at[c->pair_basis] + other[1] * at[c->pair_basis + 1]);
            theta += c->pair_basis * c->pair_basis;
        }
    }
    return sum;
}

/* Adds the slopes at all knots of the spline with these coefficients, of basis number `which`. */
static void add_slopes(const mechanism_curve *c, int which, int64_t basis, const double *coefficient, double *slope)
{
    double intervals = (double)(basis - 2);
    for (int64_t i = 0; basis > 0 && i < c->knots; i++) {
        const double *at = coefficient + c->at[which][i];
        double before = at[1] - at[0], after = at[2] - at[1], along = c->along[which][i];
        slope[i] += intervals * ((1.0 - along) * before + along * after);
    }
}

/* Returns the knot at which the density of y, exp(-|T|) dT/dy, is highest; the line has the values of the fit. */
static int64_t find_mode(const mechanism_line *l)
{
    int64_t best = 0;
    double highest = -INFINITY;
    for (int64_t i = 0; i < l->knots; i++) {
        double density = l->slope[i] > 0.0 ? log(l->slope[i]) - fabs(l->value[i]) : -INFINITY;
        best = density > highest ? i : best;
        highest = fmax(density, highest);
    }
    return best;
}

/* Integrates slopes to values, as they are; if some are too small, raises them and integrates again from the mode. */
static void integrate(double start, mechanism_line *l)
{
    double least = l->slope[l->knots - 1];
    l->value[0] = start;
    for (int64_t i = 0; i + 1 < l->knots; i++) {
        least = l->slope[i] < least ? l->slope[i] : least;
        l->value[i + 1] = l->value[i] + 0.5 * (l->knot[i + 1] - l->knot[i]) * (l->slope[i] + l->slope[i + 1]);
    }
    if (least >= CURVE_MIN_SLOPE) {
        return;
    }
    int64_t mode = find_mode(l);
    for (int64_t i = 0; i < l->knots; i++) {
        l->slope[i] = fmax(l->slope[i], CURVE_MIN_SLOPE);
    }
    for (int64_t i = mode; i + 1 < l->knots; i++) {
        l->value[i + 1] = l->value[i] + 0.5 * (l->knot[i + 1] - l->knot[i]) * (l->slope[i] + l->slope[i + 1]);
    }
    for (int64_t i = mode; i > 0; i--) {
        l->value[i - 1] = l->value[i] - 0.5 * (l->knot[i] - l->knot[i - 1]) * (l->slope[i - 1] + l->slope[i]);
    }
}

void mechanism_curve_fix(const mechanism_curve *c, const double *cause, mechanism_line *out)
{
    double own[CURVE_MAX_BASIS] = {0.0};
    const double *alone = c->theta, *rest = add_products(c, cause, c->theta + c->alone_basis, own);
    double start = sum_causes(c, cause, rest);
    start += c->alone_basis > 0 ? 0.5 * (alone[0] + alone[1]) : 0.0;
    start += c->effect_basis > 0 ? 0.5 * (own[0] + own[1]) : 0.0;
    out->knots = c->knots;
    out->knot = c->knot;
    for (int64_t i = 0; i < c->knots; i++) {
        out->slope[i] = 0.0;
    }
    add_slopes(c, 0, c->alone_basis, alone, out->slope);
    add_slopes(c, 1, c->effect_basis, own, out->slope);
    integrate(start, out);
}

/* Returns the last of the ascending v (count) that is at most x, but at most count - 2. */
static int64_t find_interval(int64_t count, const double *v, double x)
{
    int64_t low = 0, high = count - 1;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        *(x >= v[middle] ? &low : &high) = middle;
    }
    return low;
}

double mechanism_line_value(const mechanism_line *l, double y)
{
    int64_t i = find_interval(l->knots, l->knot, y);
    double width = l->knot[i + 1] - l->knot[i], along = y - l->knot[i];
    return l->value[i] + along * (l->slope[i] + 0.5 * along / width * (l->slope[i + 1] - l->slope[i]));
}

double mechanism_line_inverse(const mechanism_line *l, double value)
{
    if (!(value > l->value[0])) {
        return 0.0;
    }
    if (value >= l->value[l->knots - 1]) {
        return 1.0;
    }
    int64_t i = find_interval(l->knots, l->value, value);
    double width = l->knot[i + 1] - l->knot[i], rise = value - l->value[i];
    double bend = (l->slope[i + 1] - l->slope[i]) / width; // rise = slope s + bend s^2 / 2
    double root = sqrt(fmax(l->slope[i] * l->slope[i] + 2.0 * bend * rise, 0.0));
    return l->knot[i] + fmin(2.0 * rise / (l->slope[i] + root), width);
}
