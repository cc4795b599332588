/*
 * kernel_width.c - widths of Gaussian kernels by the median rule (Gretton et al. 2007, section 4), and the order by
 * ranks in which samples of rows are drawn.
 *
 * Scalars: the median over all pairs, by bisection over counts of pairs of the sorted values.  Vectors: the median
 * distance of standardised points, one number, times the standard deviation of each coordinate, so that the kernel does
 * not depend on the units of a coordinate.  Pairs are listed there, so beyond WIDTH_ROWS rows only those of a sample:
 * the median of 499,500 distances of 1,000 rows has a standard error of 1 or 2 % of its value.
 *
 * The hash of a row is the sum over coordinates of mix(|2 r - n + 1|), where r is the mid-rank from 0 and mix the
 * finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014); equal hashes are ordered by the values.
 */
#include "indep/kernel.h"

#include "math/column.h"
#include "math/sort.h"

#include <math.h>
#include <string.h>

enum { WIDTH_ROWS = 1000, SMOOTH_ROWS = 500, COARSE_STEPS = 6 };

/* ---- scalars ------------------------------------------------------------------------------------------------- */

/* Returns how many pairs of the ascending values are at most d apart. */
static int64_t pairs_within(int64_t n, const double *sorted, double d)
{
    int64_t count = 0;
    for (int64_t low = 0, high = 0; high < n; high++) {
        while (sorted[high] - sorted[low] > d) {
            low++;
        }
        count += high - low;
    }
    return count;
}

/* Bounds of the median: fewer than half of the pairs are within low, at least half within high. */
typedef struct bracket {
    int64_t n, half;
    const double *sorted;
    double low, high;
    double below, above; /* pairs missing within low, and too many within high */
} bracket;

/* Moves an end to d, inside the bracket; returns whether it was the lower one. */
static bool probe(bracket *b, double d)
{
    int64_t count = pairs_within(b->n, b->sorted, d);
    if (count >= b->half) {
        b->high = d;
        b->above = (double)(count - b->half);
        return false;
    }
    b->low = d;
    b->below = (double)(b->half - count);
    return true;
}

static bool is_wide(const bracket *b)
{
    double middle = b->low + 0.5 * (b->high - b->low);
    return b->high - b->low > 1e-10 * b->high && middle > b->low && middle < b->high;
}

/* Interpolates the median linearly between the ends and probes on both sides of it, `margin` of the bracket away;
 * returns whether the median is in between. */
static bool close_in(bracket *b, double margin)
{
    double start = b->low, size = b->high - b->low, share = b->below / (b->below + b->above);
    double first = start + fmax(0.5 * margin, share - margin) * size;
    double second = start + fmin(1.0 - 0.5 * margin, share + margin) * size;
    bool low_holds = first > b->low && first < b->high && probe(b, first);
    return second > b->low && second < b->high && !probe(b, second) && low_holds;
}

/*
 * Returns the smallest d with half of the pairs within it, to 1e-10 relative; 0 if half of the pairs are ties.  It
 * bisects; with many rows, whose counts are nearly smooth in d, it interpolates linearly after a few steps, which
 * halves the number of passes.
 */
static double median_distance(int64_t n, const double *sorted)
{
    bracket b = {.n = n, .half = (n * (n - 1) / 2 + 1) / 2, .sorted = sorted, .high = sorted[n - 1] - sorted[0]};
    if (!probe(&b, 0.0)) {
        return 0.0;
    }
    b.high = sorted[n - 1] - sorted[0];
    b.above = (double)(n * (n - 1) / 2 - b.half);
    double margin = 0.02;
    for (int step = 0; is_wide(&b); step++) {
        double size = b.high - b.low;
        if (n > SMOOTH_ROWS && step >= COARSE_STEPS) {
            margin = close_in(&b, margin) ? fmax(1e-4, 0.1 * margin) : fmin(0.25, 5.0 * margin);
        }
        if (b.high - b.low == size) {
            probe(&b, b.low + 0.5 * size);
        }
    }
    return b.high;
}

/* Uses that the value at rank i (from 0) is the larger one of i pairs and the smaller one of n - 1 - i. */
static double mean_distance(int64_t n, const double *sorted)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        sum += (double)(2 * i - n + 1) * (sorted[i] - sorted[0]);
    }
    return sum / (0.5 * (double)n * (double)(n - 1));
}

nonsens_status kernel_width(nonsens_context *ctx, int64_t n, const double *v, double *width)
{
    SCOPED_ARENA(local);
    double *sorted;
    *width = 0.0;
    if (n < 2) {
        return NONSENS_OK;
    }
    TRY(sort_copy(ctx, &local, n, v, &sorted));
    *width = median_distance(n, sorted);
    if (*width == 0.0) {
        *width = mean_distance(n, sorted);
    }
    if (!isfinite(*width)) {
        return fail(ctx, NONSENS_ERR_DATA, "kernel width: the range of the values overflows; rescale the variable");
    }
    return NONSENS_OK;
}

/* ---- order by ranks ------------------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* Adds the hashes of the mid-ranks of one sorted coordinate. */
static void add_ranks(int64_t n, const sort_entry *sorted, uint64_t *hash)
{
    for (int64_t first = 0, next; first < n; first = next) {
        next = first + 1;
        while (next < n && sorted[next].key == sorted[first].key) {
            next++;
        }
        int64_t from_middle = first + next - n; // twice the mid-rank (first + next - 1) / 2, minus n - 1
        uint64_t term = mix((uint64_t)(from_middle < 0 ? -from_middle : from_middle));
        for (int64_t i = first; i < next; i++) {
            hash[sorted[i].row] += term;
        }
    }
}

static int compare_points(const void *state, int64_t a, int64_t b)
{
    const column_set *points = state;
    for (int64_t j = 0; j < points->d; j++) {
        double u = points->v[j][a], v = points->v[j][b];
        if (u != v) {
            return u < v ? -1 : 1;
        }
    }
    return 0;
}

/* Keeps, if n is large, only small hashes: on average 40 standard deviations more than `wanted`.  Returns how many. */
static int64_t keep_small(int64_t n, int64_t wanted, sort_entry *entry)
{
    if (n / 4 <= wanted + 2000) {
        return n;
    }
    uint64_t bound = UINT64_MAX / (uint64_t)n * (2 * (uint64_t)wanted + 2000);
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        kept += entry[i].key <= bound;
    }
    if (kept < wanted) {
        return n; // heavily tied coordinates share hashes
    }
    kept = 0;
    for (int64_t i = 0; i < n; i++) {
        if (entry[i].key <= bound) {
            entry[kept++] = entry[i];
        }
    }
    return kept;
}

nonsens_status kernel_sample(nonsens_context *ctx, arena *a, const column_set *points, int64_t max_rows, int64_t *count,
                             int64_t **rows, double *middle)
{
    SCOPED_ARENA(local);
    sort_entry *entry, *spare;
    uint64_t *hash;
    int64_t n = points->n;
    *count = n < max_rows ? n : max_rows;
    ARENA_TRY(ctx, a, *rows, *count);
    ARENA_TRY(ctx, &local, hash, n);
    ARENA_TRY(ctx, &local, entry, n);
    ARENA_TRY(ctx, &local, spare, n);
    for (int64_t j = 0; j < points->d; j++) {
        sort_column(points->v[j], n, entry, spare);
        add_ranks(n, entry, hash);
        if (middle) {
            middle[j] = sort_value(entry[n / 2].key);
        }
    }
    for (int64_t i = 0; i < n; i++) {
        entry[i] = (sort_entry){hash[i], i};
    }
    sort_entries(entry, spare, keep_small(n, *count, entry), compare_points, points);
    for (int64_t i = 0; i < *count; i++) {
        (*rows)[i] = entry[i].row;
    }
    return NONSENS_OK;
}

/* ---- vectors ------------------------------------------------------------------------------------------------- */

/* Returns the number that would be at `place` if v (count) were sorted (Hoare's quickselect); reorders v. */
static double select_place(int64_t count, double *v, int64_t place)
{
    int64_t low = 0, high = count - 1;
    while (low < high) {
        double a = v[low], b = v[low + (high - low) / 2], c = v[high];
        double pivot = fmax(fmin(a, b), fmin(fmax(a, b), c));
        int64_t i = low, j = high;
        while (i <= j) {
            while (v[i] < pivot) {
                i++;
            }
            while (v[j] > pivot) {
                j--;
            }
            if (i <= j) {
                double swap = v[i];
                v[i++] = v[j];
                v[j--] = swap;
            }
        }
        if (place > j && place < i) {
            break;
        }
        low = place >= i ? i : low;
        high = place <= j ? j : high;
    }
    return v[place];
}

/* Computes the median distance of m points z (m, d); if it is zero, their mean distance; if that is too, sqrt(2 d). */
static nonsens_status typical_distance(nonsens_context *ctx, arena *a, int64_t m, int64_t d, const double *z,
                                       double *out)
{
    int64_t pairs = m * (m - 1) / 2;
    double *distance, *next, sum = 0.0;
    ARENA_TRY(ctx, a, distance, pairs);
    next = distance;
    for (int64_t i = 1; i < m; next += i, i++) {
        for (int64_t j = 0; j < d; j++) {
            const double *column = z + j * m;
            for (int64_t l = 0; l < i; l++) {
                next[l] += (column[i] - column[l]) * (column[i] - column[l]);
            }
        }
    }
    *out = sqrt(select_place(pairs, distance, (pairs + 1) / 2 - 1));
    for (int64_t i = 0; i < pairs && *out == 0.0; i++) {
        sum += sqrt(distance[i]);
    }
    *out = *out > 0.0 ? *out : sum / (double)pairs;
    *out = *out > 0.0 ? *out : sqrt(2.0 * (double)d);
    return NONSENS_OK;
}

/* Sets sd (d), of columns that vary, to their widths. */
static nonsens_status vector_widths(nonsens_context *ctx, arena *a, const column_set *points, double *sd)
{
    int64_t m, *rows, n = points->n;
    double *all, *z, distance;
    TRY(kernel_sample(ctx, a, points, WIDTH_ROWS, &m, &rows, NULL));
    ARENA_TRY(ctx, a, all, n);
    ARENA_TRY(ctx, a, z, m * points->d);
    for (int64_t j = 0; j < points->d; j++) {
        sd[j] = column_standardise(n, points->v[j], all);
        for (int64_t i = 0; i < m; i++) {
            z[j * m + i] = all[rows[i]];
        }
    }
    TRY(typical_distance(ctx, a, m, points->d, z, &distance));
    for (int64_t j = 0; j < points->d; j++) {
        sd[j] *= distance;
    }
    return NONSENS_OK;
}

nonsens_status kernel_widths(nonsens_context *ctx, const column_set *points, int64_t first, int64_t n, double *width)
{
    SCOPED_ARENA(local);
    const double **v;
    int64_t *coordinate, count = 0;
    double *found;
    if (points->d == 1) {
        return kernel_width(ctx, n, points->v[0] + first, width);
    }
    ARENA_TRY(ctx, &local, v, points->d);
    ARENA_TRY(ctx, &local, coordinate, points->d);
    ARENA_TRY(ctx, &local, found, points->d);
    for (int64_t j = 0; j < points->d; j++) {
        width[j] = 0.0;
        if (!column_is_constant(n, points->v[j] + first)) {
            v[count] = points->v[j] + first;
            coordinate[count++] = j;
        }
    }
    if (count == 1) {
        TRY(kernel_width(ctx, n, v[0], found));
    } else if (count > 1) {
        TRY(vector_widths(ctx, &local, &(column_set){n, count, v}, found));
    }
    for (int64_t k = 0; k < count; k++) {
        width[coordinate[k]] = found[k];
        if (!isfinite(found[k])) {
            return fail(ctx, NONSENS_ERR_DATA, "kernel width: the range of the values overflows; rescale the variable");
        }
    }
    return NONSENS_OK;
}
