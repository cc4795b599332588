/*
 * audit_linear.c - finds columns that are exact linear functions of others.
 *
 * Columns are standardised and taken in canonical order, so that neither the order of rows nor that of columns decides
 * which one is named.  Two columns are called duplicates if 1 - |correlation| < 1e-12; a pivoted QR shows whether there
 * are larger dependent sets among the rest.  Which columns it takes last may depend on rounding.  So a column is named
 * if it is a combination of those before it in canonical order, and the normal equations give the coefficients.
 */
#include "data/audit_linear.h"

#include "base/number.h"
#include "base/show.h"
#include "data/audit.h"
#include "math/column.h"
#include "math/linalg.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { SHOWN_TERMS = 8, SHOWN_DIGITS = 4 };
static const double DUPLICATE = 1e-12;   /* 1 - |correlation| */
static const double CANDIDATE = 1e-9;    /* the same, for a first look at the rounded cross products */
static const double DEPENDENT = 1e-6;    /* norm of a residual over the norm of the column */
static const double SHOWN_WEIGHT = 1e-6; /* standardised coefficients below this are rounding errors */

/* Returns 1 - |correlation| of two standardised columns, without cancellation. */
static double distance(const double *a, const double *b, int64_t n, double correlation)
{
    double sign = correlation < 0 ? -1 : 1, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        double difference = a[i] - sign * b[i];
        sum += difference * difference;
    }
    return 0.5 * sum / (double)n;
}

typedef struct columns {
    nonsens_data *data;
    int64_t d;
    double *z;     // (n, d) standardised, in canonical order
    double *sd;    // (d)
    double *gram;  // (d, d) z'z
    int64_t *kept; // (k) canonical positions of columns that repeat no earlier one
    int64_t k;
} columns;

static const char *name_at(const columns *c, int64_t position)
{
    return c->data->names[c->data->column_rank[position]];
}

static double sign_at(const columns *c, int64_t position)
{
    return c->data->sign[c->data->column_rank[position]];
}

static nonsens_status warn_duplicate(nonsens_context *ctx, const columns *c, int64_t a, int64_t b)
{
    nonsens_data *data = c->data;
    bool swap = data->column_rank[a] > data->column_rank[b]; // named in the user's order
    char first[SHOWN_BYTES], second[SHOWN_BYTES];
    show_quoted(first, name_at(c, swap ? b : a));
    show_quoted(second, name_at(c, swap ? a : b));
    size_t bytes = (size_t)data->n * sizeof(double);
    bool identical = sign_at(c, a) == sign_at(c, b) && memcmp(matrix_col(data->x, data->column_rank[a]),
                                                              matrix_col(data->x, data->column_rank[b]), bytes) == 0;
    return dataset_warn(ctx, data,
                        identical ? "columns %s and %s are identical; leave one out with --vars"
                                  : "columns %s and %s are exact linear functions of each other; leave one out with "
                                    "--vars",
                        first, second);
}

/* Finds duplicates and collects the other columns. */
static nonsens_status find_duplicates(nonsens_context *ctx, columns *c)
{
    int64_t n = c->data->n;
    for (int64_t b = 0; b < c->d; b++) {
        int64_t twin = -1;
        for (int64_t i = 0; i < c->k && twin < 0; i++) {
            int64_t a = c->kept[i];
            double correlation = c->gram[b * c->d + a] / (double)n;
            if (1 - fabs(correlation) < CANDIDATE && distance(c->z + a * n, c->z + b * n, n, correlation) < DUPLICATE) {
                twin = a;
            }
        }
        if (twin < 0) {
            c->kept[c->k++] = b;
        } else {
            c->data->dependent++;
            TRY(warn_duplicate(ctx, c, twin, b));
        }
    }
    return NONSENS_OK;
}

/* Warns with " = 2 * "a" - 0.5 * "b" + constant"; weight (rank) of the standardised columns at `basis`. */
static nonsens_status warn_combination(nonsens_context *ctx, arena *scratch, const columns *c, int64_t position,
                                       int64_t rank, const int64_t *basis, const double *weight)
{
    const char *sum = "";
    char name[SHOWN_BYTES];
    int64_t shown = 0;
    for (int64_t i = 0; i < rank; i++) {
        char number[NUMBER_BYTES];
        double raw = weight[i] * sign_at(c, position) * sign_at(c, basis[i]) * (c->sd[position] / c->sd[basis[i]]);
        if (fabs(weight[i]) < SHOWN_WEIGHT || ++shown > SHOWN_TERMS) {
            continue;
        }
        const char *sign = raw < 0 ? (shown > 1 ? " - " : "-") : (shown > 1 ? " + " : "");
        sum = arena_format(ctx, scratch, "%s%s%s * %s", sum, sign, number_print(number, fabs(raw), SHOWN_DIGITS),
                           show_quoted(name, name_at(c, basis[i])));
        if (!sum) {
            return NONSENS_ERR_MEMORY;
        }
    }
    show_quoted(name, name_at(c, position));
    return dataset_warn(ctx, c->data,
                        "column %s is an exact linear combination of others: %s = %s%s + constant; leave one of them "
                        "out with --vars",
                        name, name, sum, shown > SHOWN_TERMS ? " + ..." : "");
}

/* Columns that are combinations of earlier ones (extra), and the others (basis). */
typedef struct division {
    int64_t *basis, *extra; // (rank), (extras): canonical positions
    int64_t rank, extras;
} division;

/* Removes from v (n) its parts along the `count` orthonormal columns of q (n, count); share (count) is scratch. */
static void remove_parts(int64_t n, int64_t count, const double *q, double *v, double *share)
{
    linalg_gemm(true, false, count, 1, n, 1.0, q, n, v, n, 0.0, share, count);
    linalg_gemm(false, false, n, 1, count, -1.0, q, n, share, count, 1.0, v, n);
}

/* Divides the kept columns by Gram-Schmidt, in canonical order; the second projection removes rounding errors. */
static nonsens_status divide(nonsens_context *ctx, arena *scratch, const columns *c, division *out)
{
    int64_t n = c->data->n;
    double *q, *share, min_norm = DEPENDENT * sqrt((double)n); // (n, k), (k)
    ARENA_TRY(ctx, scratch, q, n * c->k);
    ARENA_TRY(ctx, scratch, share, c->k);
    ARENA_TRY(ctx, scratch, out->basis, c->k);
    ARENA_TRY(ctx, scratch, out->extra, c->k);
    out->rank = out->extras = 0;
    for (int64_t i = 0; i < c->k; i++) {
        double *v = q + out->rank * n, square = 0.0;
        memcpy(v, c->z + c->kept[i] * n, (size_t)n * sizeof *v);
        remove_parts(n, out->rank, q, v, share);
        remove_parts(n, out->rank, q, v, share);
        for (int64_t t = 0; t < n; t++) {
            square += v[t] * v[t];
        }
        if (sqrt(square) > min_norm) {
            for (int64_t t = 0; t < n; t++) {
                v[t] /= sqrt(square);
            }
            out->basis[out->rank++] = c->kept[i];
        } else {
            out->extra[out->extras++] = c->kept[i];
        }
    }
    return NONSENS_OK;
}

static nonsens_status warn_dependent(nonsens_context *ctx, arena *scratch, const columns *c, const division *by)
{
    double *a, *b; // (rank, rank), (rank, extras)
    ARENA_TRY(ctx, scratch, a, by->rank * by->rank);
    ARENA_TRY(ctx, scratch, b, by->rank * by->extras);
    for (int64_t i = 0; i < by->rank; i++) {
        for (int64_t j = 0; j < by->rank; j++) {
            a[j * by->rank + i] = c->gram[by->basis[j] * c->d + by->basis[i]];
        }
        for (int64_t j = 0; j < by->extras; j++) {
            b[j * by->rank + i] = c->gram[by->extra[j] * c->d + by->basis[i]];
        }
    }
    TRY(linalg_solve(ctx, scratch, by->rank, by->extras, a, b));
    for (int64_t j = 0; j < by->extras; j++) {
        TRY(warn_combination(ctx, scratch, c, by->extra[j], by->rank, by->basis, b + j * by->rank));
    }
    return NONSENS_OK;
}

static nonsens_status has_full_rank(nonsens_context *ctx, arena *scratch, const columns *c, bool *full)
{
    int64_t n = c->data->n;
    double *copy, *r_diag; // (n, k), (k)
    int32_t *pivot;        // (k)
    ARENA_TRY(ctx, scratch, copy, n * c->k);
    ARENA_TRY(ctx, scratch, r_diag, c->k);
    ARENA_TRY(ctx, scratch, pivot, c->k);
    for (int64_t i = 0; i < c->k; i++) {
        memcpy(copy + i * n, c->z + c->kept[i] * n, (size_t)n * sizeof *copy);
    }
    TRY(linalg_pivoted_qr(ctx, scratch, n, c->k, copy, r_diag, pivot));
    *full = r_diag[c->k - 1] > DEPENDENT * sqrt((double)n);
    return NONSENS_OK;
}

static nonsens_status find_combinations(nonsens_context *ctx, arena *scratch, const columns *c)
{
    bool full;
    division by;
    arena_mark mark = arena_tell(scratch);
    TRY(has_full_rank(ctx, scratch, c, &full));
    arena_rewind(scratch, mark);
    if (full) {
        return NONSENS_OK;
    }
    TRY(divide(ctx, scratch, c, &by));
    c->data->dependent += by.extras;
    return warn_dependent(ctx, scratch, c, &by);
}

nonsens_status audit_linear(nonsens_context *ctx, arena *scratch, nonsens_data *data)
{
    int64_t n = data->n, d = data->d;
    columns c = {.data = data, .d = d};
    if (d < 2) {
        return NONSENS_OK;
    }
    if (n <= d) {
        data->dependent = d - n + 1;
        return dataset_warn(ctx, data,
                            "there are only %" PRId64 " rows for %" PRId64
                            " variables: some are linear combinations of "
                            "others whatever they hold",
                            n, d);
    }
    ARENA_TRY(ctx, scratch, c.z, n * d);
    ARENA_TRY(ctx, scratch, c.sd, d);
    ARENA_TRY(ctx, scratch, c.gram, d * d);
    ARENA_TRY(ctx, scratch, c.kept, d);
    for (int64_t k = 0; k < d; k++) {
        c.sd[k] = column_standardise(n, matrix_col(data->x, data->column_rank[k]), c.z + k * n);
    }
    linalg_gram(n, d, c.z, n, c.gram);
    TRY(find_duplicates(ctx, &c));
    return c.k > 2 ? find_combinations(ctx, scratch, &c) : NONSENS_OK;
}

nonsens_status audit_require_pair(nonsens_context *ctx, const nonsens_data *data)
{
    SCOPED_ARENA(scratch);
    double *a, *b, products = 0; // (n) each
    if (data->d != 2) {
        return fail(ctx, NONSENS_ERR_USAGE, "two variables are needed, not %" PRId64 "; name them with --x A --y B",
                    data->d);
    }
    ARENA_TRY(ctx, &scratch, a, data->n);
    ARENA_TRY(ctx, &scratch, b, data->n);
    column_standardise(data->n, matrix_col(data->x, 0), a);
    column_standardise(data->n, matrix_col(data->x, 1), b);
    for (int64_t i = 0; i < data->n; i++) {
        products += a[i] * b[i];
    }
    if (distance(a, b, data->n, products / (double)data->n) < DUPLICATE) {
        char first[SHOWN_BYTES], second[SHOWN_BYTES];
        return fail(ctx, NONSENS_ERR_DATA,
                    "columns %s and %s are exact linear functions of each other: no method can tell cause from effect; "
                    "choose other variables",
                    show_quoted(first, data->names[0]), show_quoted(second, data->names[1]));
    }
    return NONSENS_OK;
}

nonsens_status audit_require_several(nonsens_context *ctx, const nonsens_data *data)
{
    char name[SHOWN_BYTES];
    if (data->d < 2) {
        return fail(ctx, NONSENS_ERR_DATA, "a graph needs at least two variables, but %s is the only one",
                    show_quoted(name, data->names[0]));
    }
    if (data->n <= data->d) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "there are only %" PRId64 " rows for %" PRId64 " variables; choose some with --vars", data->n,
                    data->d);
    }
    if (data->dependent > 0) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "%" PRId64 " of the %" PRId64 " columns are exact linear functions of others, as the warnings say: "
                    "no method can tell cause from effect among them; leave them out with --vars",
                    data->dependent, data->d);
    }
    return NONSENS_OK;
}
