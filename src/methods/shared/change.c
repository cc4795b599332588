/* change.c - Welch's and Fligner-Killeen's tests over segments; see change.h for the sources. */
#include "methods/shared/change.h"

#include "math/column.h"
#include "math/sort.h"
#include "math/special.h"

#include <math.h>

/* One usable segment. */
typedef struct group {
    int64_t first, count;
    double mean, variance;
} group;

static group measure(const double *v, int64_t first, int64_t last)
{
    group g = {first, last - first, 0.0, 0.0};
    for (int64_t i = first; i < last; i++) {
        g.mean += (v[i] - v[first]) / (double)g.count; // differences keep digits if the offset is large
    }
    g.mean += g.count ? v[first] : 0.0;
    for (int64_t i = first; i < last; i++) {
        g.variance += (v[i] - g.mean) * (v[i] - g.mean) / (double)(g.count - 1);
    }
    return g;
}

/* The values of one variable and those of its segments that a test can use. */
typedef struct segmented {
    double *v;    // (n) scaled so that no absolute value exceeds 1
    group *group; // (groups) with at least two rows, not constant
    int64_t groups, constant;
    bool constants_differ; // two of the constant segments have different values
} segmented;

static bool is_constant(const double *v, int64_t first, int64_t last)
{
    while (first + 1 < last && v[first] == v[first + 1]) {
        first++;
    }
    return first + 1 >= last;
}

static nonsens_status sort_segments(nonsens_context *ctx, arena *scratch, const double *v, int64_t segments,
                                    const int64_t *start, segmented *out)
{
    double level = NAN; // of the first constant segment
    double factor = column_factor_of(start[segments], v);
    *out = (segmented){.groups = 0};
    ARENA_TRY(ctx, scratch, out->v, start[segments]);
    ARENA_TRY(ctx, scratch, out->group, segments);
    for (int64_t i = 0; i < start[segments]; i++) {
        out->v[i] = v[i] * factor;
    }
    for (int64_t e = 0; e < segments; e++) {
        if (start[e + 1] - start[e] < 2) {
            continue;
        }
        double here = v[start[e]];
        if (is_constant(v, start[e], start[e + 1])) {
            level = out->constant++ ? level : here;
            out->constants_differ = out->constants_differ || here != level;
            continue;
        }
        group g = measure(out->v, start[e], start[e + 1]);
        if (g.variance > 0.0) { // zero if the spread underflows next to the values of other segments
            out->group[out->groups++] = g;
        }
    }
    return NONSENS_OK;
}

/* ---- location ---- */

static void welch(const group *g, int64_t groups, change_test *out)
{
    double k = (double)groups, total = 0.0, centre = 0.0, between = 0.0, spread = 0.0;
    for (int64_t e = 0; e < groups; e++) {
        total += (double)g[e].count / g[e].variance;
    }
    for (int64_t e = 0; e < groups; e++) {
        centre += (double)g[e].count / g[e].variance / total * g[e].mean;
    }
    for (int64_t e = 0; e < groups; e++) {
        double weight = (double)g[e].count / g[e].variance, rest = 1.0 - weight / total;
        between += weight * (g[e].mean - centre) * (g[e].mean - centre) / (k - 1.0);
        spread += rest * rest / (double)(g[e].count - 1);
    }
    out->statistic = between / (1.0 + 2.0 * (k - 2.0) / (k * k - 1.0) * spread);
    out->p_value = special_f_tail(k - 1.0, (k * k - 1.0) / (3.0 * spread), out->statistic);
}

static double largest_shift(const group *g, int64_t groups)
{
    double low = INFINITY, high = -INFINITY, pooled = 0.0, rows = 0.0;
    for (int64_t e = 0; e < groups; e++) {
        low = fmin(low, g[e].mean);
        high = fmax(high, g[e].mean);
        pooled += (double)(g[e].count - 1) * g[e].variance;
        rows += (double)(g[e].count - 1);
    }
    return (high - low) / sqrt(pooled / rows);
}

nonsens_status change_of_location(nonsens_context *ctx, arena *scratch, const double *v, int64_t segments,
                                  const int64_t *start, change_test *out)
{
    segmented s;
    TRY(sort_segments(ctx, scratch, v, segments, start, &s));
    *out = (change_test){NAN, NAN, NAN, s.groups, s.constant, s.groups < 2 && s.constants_differ};
    if (s.groups >= 2) {
        welch(s.group, s.groups, out);
        out->effect = largest_shift(s.group, s.groups);
    } else if (out->certain) {
        out->p_value = 0.0;
    }
    return NONSENS_OK;
}

/* ---- scale ---- */

typedef struct deviation {
    double value; /* |x - median of its segment|, later its score */
    int64_t group;
} deviation;

/* Sorts all n rows of usable groups by absolute deviation from their group's median, ascending; ties in row order. */
static nonsens_status sorted_deviations(nonsens_context *ctx, arena *scratch, const double *v, const group *g,
                                        int64_t groups, int64_t n, deviation **out)
{
    double *size, *sorted;       // (n), (rows of one group)
    sort_entry *entry, *spare;   // (n)
    int64_t *group_of, used = 0; // (n)
    ARENA_TRY(ctx, scratch, *out, n);
    ARENA_TRY(ctx, scratch, size, n);
    ARENA_TRY(ctx, scratch, group_of, n);
    ARENA_TRY(ctx, scratch, entry, n);
    ARENA_TRY(ctx, scratch, spare, n);
    for (int64_t e = 0; e < groups; e++) {
        int64_t count = g[e].count;
        arena_mark mark = arena_tell(scratch);
        TRY(sort_copy(ctx, scratch, count, v + g[e].first, &sorted));
        double median = 0.5 * (sorted[(count - 1) / 2] + sorted[count / 2]);
        arena_rewind(scratch, mark);
        for (int64_t i = 0; i < count; i++, used++) {
            size[used] = fabs(v[g[e].first + i] - median);
            group_of[used] = e;
        }
    }
    sort_column(size, n, entry, spare);
    for (int64_t i = 0; i < n; i++) {
        (*out)[i] = (deviation){size[entry[i].row], group_of[entry[i].row]};
    }
    return NONSENS_OK;
}

/* Replaces the sorted absolute deviations by normal scores of their ranks; ties share their mean rank. */
static void score_ranks(deviation *all, int64_t n)
{
    for (int64_t i = 0; i < n;) {
        int64_t j = i + 1;
        while (j < n && all[j].value == all[i].value) {
            j++;
        }
        double rank = 0.5 * (double)(i + 1 + j);
        double score = special_normal_quantile(0.5 + 0.5 * rank / (double)(n + 1));
        for (; i < j; i++) {
            all[i].value = score;
        }
    }
}

static double fligner_statistic(const deviation *all, int64_t n, const group *g, int64_t groups, double *sum)
{
    double mean = 0.0, variance = 0.0, between = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean += all[i].value / (double)n;
        sum[all[i].group] += all[i].value;
    }
    for (int64_t i = 0; i < n; i++) {
        variance += (all[i].value - mean) * (all[i].value - mean) / (double)(n - 1);
    }
    for (int64_t e = 0; e < groups; e++) {
        double apart = sum[e] / (double)g[e].count - mean;
        between += (double)g[e].count * apart * apart;
    }
    return variance > 0.0 ? between / variance : 0.0;
}

static double largest_ratio(const group *g, int64_t groups)
{
    double low = INFINITY, high = 0.0;
    for (int64_t e = 0; e < groups; e++) {
        low = fmin(low, g[e].variance);
        high = fmax(high, g[e].variance);
    }
    return sqrt(high / low);
}

nonsens_status change_of_scale(nonsens_context *ctx, arena *scratch, const double *v, int64_t segments,
                               const int64_t *start, change_test *out)
{
    segmented s;
    int64_t n = 0;
    double *sum; // (groups)
    deviation *all;
    TRY(sort_segments(ctx, scratch, v, segments, start, &s));
    *out = (change_test){NAN, NAN, NAN, s.groups, s.constant, false};
    if (s.groups < 2) {
        return NONSENS_OK;
    }
    for (int64_t e = 0; e < s.groups; e++) {
        n += s.group[e].count;
    }
    ARENA_TRY(ctx, scratch, sum, s.groups);
    TRY(sorted_deviations(ctx, scratch, s.v, s.group, s.groups, n, &all));
    score_ranks(all, n);
    out->statistic = fligner_statistic(all, n, s.group, s.groups, sum);
    out->p_value = special_chi2_tail((double)(s.groups - 1), out->statistic);
    out->effect = largest_ratio(s.group, s.groups);
    return NONSENS_OK;
}
