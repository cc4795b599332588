/*
 * explain_drift.c - how much all variables have shifted between two recordings, and which still stand out.
 *
 * Recordings that lie days apart differ in every variable.  The drift is the median shift of all variables, in
 * interquartile ranges.  Scores are divided by it, because a shift alone may be drift, but not that of a variable whose
 * range also widened more than that of others.
 */
#include "math/sort.h"
#include "tasks/explain/explain.h"

#include <math.h>

/*
 * A smaller drift shows if the means of most disturbances are larger than chance explains.  Its standard deviation is
 * that of normal shifts with the same median, in excess of chance; scores are then compared with those of normal rows
 * that are shifted, too.  The variable with the largest score and its effects are left out: they show the fault.
 */
enum {
    MIN_VARIABLES = 4, /* fewer do not show a drift of all */
    MIN_OTHERS = 3     /* the same for those that the likeliest root cause does not reach */
};
static const double SHIFTED = 1.8;             /* means larger than this times what chance gives show a drift */
static const double MEDIAN_OF_NORMAL = 0.6745; /* of the absolute value of a standard normal variable */
static const double OUTLYING = 3.0; /* a variable this many robust standard deviations above the others stands out */

/* Computes the median of the finite values of v (n); NaN if there are none. */
static nonsens_status median_of(nonsens_context *ctx, arena *scratch, int64_t n, const double *v, double *median)
{
    double *finite, *spare;
    int64_t count = 0;
    ARENA_TRY(ctx, scratch, finite, n);
    ARENA_TRY(ctx, scratch, spare, n);
    for (int64_t i = 0; i < n; i++) {
        if (isfinite(v[i])) {
            finite[count++] = v[i];
        }
    }
    sort_doubles(count, finite, spare);
    *median = count > 0 ? 0.5 * (finite[(count - 1) / 2] + finite[count / 2]) : NAN;
    return NONSENS_OK;
}

/* Turns t (d) into how many robust standard deviations each value is above the others; 0 if it is not known. */
static nonsens_status compare(nonsens_context *ctx, arena *scratch, int64_t d, double *t)
{
    double middle, spread, *away;
    ARENA_TRY(ctx, scratch, away, d);
    TRY(median_of(ctx, scratch, d, t, &middle));
    for (int64_t j = 0; j < d; j++) {
        away[j] = fabs(t[j] - middle);
    }
    TRY(median_of(ctx, scratch, d, away, &spread));
    for (int64_t j = 0; j < d; j++) {
        t[j] = isfinite(t[j]) && spread > 0.0 ? (t[j] - middle) / (1.4826 * spread) : 0.0;
    }
    return NONSENS_OK;
}

nonsens_status explain_find_small_drift(nonsens_context *ctx, arena *scratch, const pdag *graph,
                                        const explain_node *node, double *drift)
{
    double *mean, *usual, found, chance;
    int64_t d = graph->d, top = 0, used = 0;
    *drift = 0.0;
    ARENA_TRY(ctx, scratch, mean, d);
    ARENA_TRY(ctx, scratch, usual, d);
    for (int64_t j = 1; j < d; j++) {
        top = node[j].size.score > node[top].size.score || isnan(node[top].size.score) ? j : top;
    }
    for (int64_t j = 0; j < d; j++) {
        if (j != top && !pdag_is_ancestor(graph, top, j) && isfinite(node[j].size.usual_mean)) {
            mean[used] = fabs(node[j].size.mean);
            usual[used++] = node[j].size.usual_mean;
        }
    }
    TRY(median_of(ctx, scratch, used, mean, &found));
    TRY(median_of(ctx, scratch, used, usual, &chance));
    if (used >= MIN_OTHERS && found > SHIFTED * chance) {
        *drift = sqrt(found * found - chance * chance) / MEDIAN_OF_NORMAL;
    }
    return NONSENS_OK;
}

nonsens_status explain_find_drift(nonsens_context *ctx, arena *scratch, int64_t d, const explain_node *node, bool fresh,
                                  double alpha, explain_drift *out)
{
    double *shift, *t, middle;
    int64_t changed = 0;
    ARENA_TRY(ctx, scratch, shift, d);
    ARENA_TRY(ctx, scratch, t, d);
    ARENA_TRY(ctx, scratch, out->weight, d);
    ARENA_TRY(ctx, scratch, out->stands_out, d);
    for (int64_t j = 0; j < d; j++) {
        shift[j] = fabs(node[j].size.known_shift);
        t[j] = node[j].size.widened;
        changed += node[j].p <= alpha;
    }
    TRY(median_of(ctx, scratch, d, shift, &middle));
    TRY(compare(ctx, scratch, d, t));
    out->size = !fresh && d >= MIN_VARIABLES && middle > 1.0 ? middle : 1.0;
    out->everywhere = !fresh && d >= MIN_VARIABLES && 2 * changed > d;
    for (int64_t j = 0; j < d; j++) {
        out->weight[j] = pow(out->size, fmin(fmax(t[j] / OUTLYING, 0.0), 1.0) - 1.0);
        t[j] = log(out->weight[j] * node[j].size.score);
    }
    TRY(compare(ctx, scratch, d, t));
    for (int64_t j = 0; j < d; j++) {
        out->stands_out[j] = t[j] > OUTLYING;
    }
    return NONSENS_OK;
}
