/*
 * convert.c - converts a classifier to a basis of another size.  Every feature becomes the nearest function of that
 * basis, by least squares on a grid over the unit square.  The grid is a product, so the two variables are projected
 * one by one: coefficients C become P C P'.
 */
#include "classifier/envelope.h"
#include "classifier/model.h"

enum { POINTS_PER_SPLINE = 8, WIDTH = 4 /* B-splines that are not zero at a point */ };

/* Computes out (to, from): the coefficients, over `to` splines, of each of `from` splines. */
static nonsens_status project_splines(nonsens_context *ctx, arena *a, int64_t from, int64_t to, double *out)
{
    int64_t points = POINTS_PER_SPLINE * (from > to ? from : to), *first;
    double *gram, *column, old[WIDTH], new[WIDTH];
    ARENA_TRY(ctx, a, gram, to * to);
    ARENA_TRY(ctx, a, column, from * to);
    ARENA_TRY(ctx, a, first, to);
    for (int64_t i = 0; i <= points; i++) {
        double t = (double)i / (double)points;
        int64_t f = sample_spline(from, t, old), g = sample_spline(to, t, new);
        for (int64_t b = 0; b < WIDTH; b++) {
            for (int64_t c = 0; c <= b; c++) {
                gram[(g + b) * to + g + c] += new[b] * new[c];
            }
            for (int64_t c = 0; c < WIDTH; c++) {
                column[(f + c) * to + g + b] += new[b] * old[c];
            }
        }
    }
    if (!envelope_factor(to, first, gram)) {
        return fail(ctx, NONSENS_ERR_NUMERIC, "the basis of the segment classifier is not independent");
    }
    for (int64_t c = 0; c < from; c++) {
        envelope_forward(to, first, gram, column + c * to);
        envelope_backward(to, first, gram, column + c * to);
        for (int64_t b = 0; b < to; b++) {
            out[b * from + c] = column[c * to + b];
        }
    }
    return NONSENS_OK;
}

/* Computes out (rows, columns) = a (rows, inner) b' with b (columns, inner). */
static void multiply(int64_t rows, int64_t columns, int64_t inner, const double *a, const double *b, double *out)
{
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            out[i * columns + j] = envelope_dot(inner, a + i * inner, b + j * inner);
        }
    }
}

nonsens_status model_convert(nonsens_context *ctx, arena *scratch, const classifier_model *from, const double *theta,
                             const classifier_model *to, double *out)
{
    int64_t m = from->data->basis, k = to->data->basis;
    double *projection, *tensor, *half, *whole;
    ARENA_TRY(ctx, scratch, projection, k * m);
    ARENA_TRY(ctx, scratch, tensor, m * m);
    ARENA_TRY(ctx, scratch, half, k * m);
    ARENA_TRY(ctx, scratch, whole, k * k);
    TRY(project_splines(ctx, scratch, m, k, projection));
    for (int64_t f = 0; f < from->rank; f++) {
        for (int64_t t = 0; t < m * m; t++) {
            tensor[t] = theta[from->place[f * m * m + t]];
        }
        multiply(k, m, m, projection, tensor, half); // P C', so that the next line gives P (P C')' = P C P'
        multiply(k, k, m, projection, half, whole);
        for (int64_t t = 0; t < k * k; t++) {
            out[to->place[f * k * k + t]] = whole[t];
        }
    }
    for (int64_t e = 0; e < from->data->segments; e++) {
        for (int64_t f = 0; f <= from->rank; f++) {
            out[model_weight(to, e, f)] = theta[model_weight(from, e, f)];
        }
    }
    return NONSENS_OK;
}
