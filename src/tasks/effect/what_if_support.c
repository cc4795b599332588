/*
 * what_if_support.c - for how many rows of a scenario the data have similar rows.
 *
 * An answer needs each mechanism at the values that the causes have under the scenario.  If no row has such a
 * combination of values, the fit extrapolates.  So the values of causes are replaced by their ranks, from 0 to 1.  A
 * row counts as supported if the distance (maximum over causes) to the NEIGHBOUR-th nearest of a sample of rows is no
 * larger than it is for .99 of the rows of the data.
 */
#include "math/sort.h"
#include "tasks/effect/what_if.h"

#include <math.h>

const double WHAT_IF_MIN_SUPPORT = 0.5;
const double WHAT_IF_FULL_SUPPORT = 0.9;

enum { REFERENCES = 512, ASKED = 512, NEIGHBOUR = 5 };
static const double NEAR_SHARE = 0.99;

struct what_if_support {
    const nonsens_data *data;
    int64_t references, *reference; /* rows of the data, evenly spaced in canonical order */
    double **sorted;                /* (d) values of each column, ascending, in the user's units */
};

/* Picks at most `max_rows` of the rows [begin, end), evenly spaced. */
static int64_t pick_rows(int64_t begin, int64_t end, int64_t max_rows, int64_t *row)
{
    int64_t all = end - begin, count = all < max_rows ? all : max_rows;
    for (int64_t k = 0; k < count; k++) {
        row[k] = begin + (2 * k + 1) * all / (2 * count);
    }
    return count;
}

nonsens_status what_if_support_new(nonsens_context *ctx, arena *a, const nonsens_data *data, what_if_support **out)
{
    what_if_support *s;
    double *column;
    ARENA_TRY(ctx, a, s, 1);
    s->data = data;
    ARENA_TRY(ctx, a, s->reference, REFERENCES);
    ARENA_TRY(ctx, a, s->sorted, data->d);
    ARENA_TRY(ctx, a, column, data->n);
    s->references = pick_rows(0, data->n, REFERENCES, s->reference);
    for (int64_t j = 0; j < data->d; j++) {
        const double *x = matrix_col(data->x, j);
        for (int64_t i = 0; i < data->n; i++) {
            column[i] = data->sign[j] * x[i];
        }
        TRY(sort_copy(ctx, a, data->n, column, &s->sorted[j]));
    }
    *out = s;
    return NONSENS_OK;
}

/* Counts the sorted values that are less than `value` or, with `equal`, at most `value`. */
static int64_t count_below(int64_t n, const double *sorted, double value, bool equal)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        bool below = equal ? sorted[middle] <= value : sorted[middle] < value;
        low = below ? middle + 1 : low;
        high = below ? high : middle;
    }
    return low;
}

/* Returns the rank of a value, from 0 to 1; -1 or 2 if it is outside the range of the column. */
static double rank_of(const what_if_support *s, int64_t column, double value)
{
    int64_t n = s->data->n;
    const double *sorted = s->sorted[column];
    if (value < sorted[0] || value > sorted[n - 1]) {
        return value < sorted[0] ? -1.0 : 2.0;
    }
    int64_t below = count_below(n, sorted, value, false), at_most = count_below(n, sorted, value, true);
    return 0.5 * (double)(below + at_most) / (double)n;
}

/* Returns the distance to the NEIGHBOUR-th nearest of points (points, p), not counting the one numbered `self`. */
static double distance_to(const double *from, int64_t p, int64_t points, const double *point, int64_t self)
{
    double near[NEIGHBOUR];
    int found = 0;
    for (int64_t k = 0; k < points; k++) {
        double far = 0.0;
        for (int64_t i = 0; i < p; i++) {
            far = fmax(far, fabs(from[i] - point[k * p + i]));
        }
        int at = found < NEIGHBOUR ? found : NEIGHBOUR;
        for (; k != self && at > 0 && far < near[at - 1]; at--) {
            if (at < NEIGHBOUR) {
                near[at] = near[at - 1];
            }
        }
        if (k != self && at < NEIGHBOUR) {
            near[at] = far;
            found += found < NEIGHBOUR;
        }
    }
    return found > 0 ? near[found - 1] : 0.0;
}

/* Marks the rows in which the causes of v are not similar to those of any rows of the data; value (rows, d). */
static nonsens_status mark_strange(nonsens_context *ctx, arena *scratch, const what_if_support *s,
                                   const identify_node *v, int64_t rows, const double *value, bool *strange)
{
    int64_t p = v->parents, m = s->references, d = s->data->d;
    double *point, *own, *query, bound;
    arena_mark here = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, point, m * p);
    ARENA_TRY(ctx, scratch, own, m);
    ARENA_TRY(ctx, scratch, query, p);
    for (int64_t k = 0; k < m; k++) {
        for (int64_t i = 0; i < p; i++) {
            int64_t j = v->parent[i];
            point[k * p + i] = rank_of(s, j, s->data->sign[j] * matrix_col(s->data->x, j)[s->reference[k]]);
        }
    }
    for (int64_t k = 0; k < m; k++) {
        own[k] = distance_to(point + k * p, p, m, point, k);
    }
    double *sorted;
    TRY(sort_copy(ctx, scratch, m, own, &sorted));
    bound = sorted[(int64_t)(NEAR_SHARE * (double)(m - 1))];
    for (int64_t k = 0; k < rows; k++) {
        for (int64_t i = 0; i < p; i++) {
            query[i] = rank_of(s, v->parent[i], value[k * d + v->parent[i]]);
        }
        strange[k] = strange[k] || distance_to(query, p, m, point, -1) > bound;
    }
    arena_rewind(scratch, here);
    return NONSENS_OK;
}

/* Returns whether the scenario changes a cause of v, directly or through the variables on the way. */
static bool is_touched(const effect_scenario *scenario, const identify_answer *answer, const identify_node *v)
{
    bool touched = false;
    for (int64_t i = 0; i < v->parents; i++) {
        for (int64_t k = 0; k < scenario->changes; k++) {
            touched = touched || scenario->change[k].variable == v->parent[i];
        }
        for (int64_t k = 0; k < answer->nodes; k++) {
            touched = touched || answer->node[k].node == v->parent[i];
        }
    }
    return touched;
}

nonsens_status what_if_support_share(nonsens_context *ctx, const what_if_support *s, const effect_model *model,
                                     const effect_scenario *scenario, const identify_answer *answer, double *share)
{
    SCOPED_ARENA(scratch);
    bool all = scenario->segment == EFFECT_ALL_SEGMENTS, *strange;
    int64_t begin = all ? 0 : s->data->start[scenario->segment];
    int64_t end = all ? s->data->n : s->data->start[scenario->segment + 1];
    int64_t *row, count, good = 0;
    double *value;
    ARENA_TRY(ctx, &scratch, row, ASKED);
    count = pick_rows(begin, end, ASKED, row);
    ARENA_TRY(ctx, &scratch, value, count * s->data->d);
    ARENA_TRY(ctx, &scratch, strange, count);
    TRY(effect_rows(ctx, model, scenario, count, row, value, NULL, NULL));
    for (int64_t k = 0; k < answer->nodes; k++) {
        if (is_touched(scenario, answer, &answer->node[k])) {
            TRY(mark_strange(ctx, &scratch, s, &answer->node[k], count, value, strange));
        }
    }
    for (int64_t k = 0; k < count; k++) {
        good += !strange[k];
    }
    *share = (double)good / (double)count;
    return NONSENS_OK;
}
