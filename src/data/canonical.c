/*
 * canonical.c - orders columns, segments and rows by their values.
 *
 * Columns: by kurtosis, then |skewness|, both summed over sorted values so that not a bit depends on the order of rows;
 * ties by their sorted values; columns that are permutations of one another (such as ranks) by the other columns in the
 * same rows.  Values are standardised and oriented, and compared up to rounding: the order does not depend on units.
 * Segments: larger first, then by their sorted rows.
 *
 * Orientation: a column is mirrored if that makes its skewness positive.  A symmetric one is mirrored if that makes it
 * high in the rows that are far from the middle in all columns together.  A column that is symmetric in this too keeps
 * the user's sign.
 */
#include "data/canonical.h"

#include "base/hash.h"
#include "math/column.h"
#include "math/sort.h"

#include <math.h>
#include <string.h>

/* Below this, times its largest possible size, a sum or a difference counts as rounding. */
static const double ROUNDING = 1e-9;

typedef struct shape {
    double kurtosis, skewness;    /* skewness: without its sign, 0 if it is rounding; both 0 for a constant column */
    double factor, middle, scale; /* (value * factor - middle) * scale has mean 0, variance 1 and this skewness, or is 0
                                     throughout; factor is negative if the skewness is */
} shape;

typedef struct ranking {
    const canonical_input *in;
    const double *sign;        /* (d) */
    shape *shape;              /* (d) */
    sort_entry *a, *b, *spare; /* (n) each */
    double *sum;               /* (n) of the values in each row, once they are needed; before, of their squares */
    bool *has_sums;
} ranking;

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

/* Compares numbers of about 1, up to rounding. */
static int compare_rounded(double a, double b)
{
    return fabs(a - b) <= ROUNDING * (fabs(a) + fabs(b) + 1.0) ? 0 : compare_numbers(a, b);
}

/* Returns the i-th smallest value times sign. */
static double value_at(const sort_entry *sorted, int64_t n, double sign, int64_t i)
{
    return sign * sort_value(sorted[sign < 0 ? n - 1 - i : i].key);
}

/* Returns the mean of values times factor, in two passes, since an error of the mean would look like skewness. */
static double mean_of_sorted(const sort_entry *sorted, int64_t n, double sign, double factor)
{
    double mean = 0.0, error = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean += value_at(sorted, n, sign, i) * factor;
    }
    mean /= (double)n;
    for (int64_t i = 0; i < n; i++) {
        error += value_at(sorted, n, sign, i) * factor - mean;
    }
    return mean + error / (double)n;
}

/* Computes moments after scaling values to [-1, 1], so that no finite column overflows. */
static shape shape_of_sorted(const sort_entry *sorted, int64_t n, double sign)
{
    double low = value_at(sorted, n, sign, 0), high = value_at(sorted, n, sign, n - 1);
    if (low == high) {
        return (shape){0};
    }
    double factor = column_factor(fmax(fabs(low), fabs(high)));
    double mean = mean_of_sorted(sorted, n, sign, factor);
    double reach = fmax(mean - low * factor, high * factor - mean);
    double m2 = 0, m3 = 0, m4 = 0;
    for (int64_t i = 0; i < n; i++) {
        double u = (value_at(sorted, n, sign, i) * factor - mean) / reach;
        m2 += u * u;
        m3 += u * u * u;
        m4 += u * u * u * u;
    }
    double variance = m2 / (double)n;
    if (!(variance > 0)) {
        return (shape){0};
    }
    return (shape){m4 / (double)n / (variance * variance), m3 / (double)n / (variance * sqrt(variance)), sign * factor,
                   mean, 1.0 / (reach * sqrt(variance))};
}

static shape shape_of_column(const ranking *r, int64_t j)
{
    sort_column(r->in->column[j], r->in->n, r->a, r->spare);
    shape found = shape_of_sorted(r->a, r->in->n, 1.0);
    if (found.skewness < 0.0) { // so that the mirror image gives the same bits
        found = shape_of_sorted(r->a, r->in->n, -1.0);
    }
    if (found.skewness <= ROUNDING * found.kurtosis) {
        found.skewness = 0.0;
    }
    return found;
}

/* ---- orientation ---- */

static double standardised(const ranking *r, int64_t j, int64_t row)
{
    return (r->in->column[j][row] * r->shape[j].factor - r->shape[j].middle) * r->shape[j].scale;
}

/* Returns the standardised value with the column's orientation. */
static double oriented(const ranking *r, int64_t j, int64_t row)
{
    return r->sign[j] * copysign(1.0, r->shape[j].factor) * standardised(r, j, row);
}

/* Computes how far each row is from the middle: r->sum. */
static void find_distances(const ranking *r)
{
    memset(r->sum, 0, (size_t)r->in->n * sizeof *r->sum);
    for (int64_t j = 0; j < r->in->d; j++) {
        for (int64_t i = 0; i < r->in->n; i++) {
            double u = standardised(r, j, i);
            r->sum[i] += u * u;
        }
    }
}

/* Returns the sign of a symmetric column. */
static double sign_among_others(const ranking *r, int64_t j)
{
    double odd = 0.0, size = 0.0;
    for (int64_t i = 0; i < r->in->n; i++) {
        double term = standardised(r, j, i) * r->sum[i];
        odd += term;
        size += fabs(term);
    }
    if (fabs(odd) <= ROUNDING * size) {
        return r->in->sign ? r->in->sign[j] : 1.0;
    }
    return copysign(1.0, odd * r->shape[j].factor);
}

static void find_signs(const ranking *r, double *sign)
{
    bool has_distances = false;
    for (int64_t j = 0; j < r->in->d; j++) {
        bool symmetric = r->shape[j].skewness == 0.0;
        if (symmetric && !has_distances) {
            find_distances(r);
            has_distances = true;
        }
        sign[j] = symmetric ? sign_among_others(r, j) : copysign(1.0, r->shape[j].factor);
    }
}

/* ---- columns ---- */

/* Computes r->sum once it is needed: few data sets have columns that are permutations of one another. */
static void find_sums(const ranking *r)
{
    if (*r->has_sums) {
        return;
    }
    *r->has_sums = true;
    memset(r->sum, 0, (size_t)r->in->n * sizeof *r->sum);
    for (int64_t j = 0; j < r->in->d; j++) {
        for (int64_t i = 0; i < r->in->n; i++) {
            r->sum[i] += oriented(r, j, i);
        }
    }
}

/* Compares rows by what they hold besides the column: the sum of all values, then the size of the segment. */
static int compare_contexts(const void *state, int64_t row_a, int64_t row_b)
{
    const ranking *r = state;
    int by_sum = compare_rounded(r->sum[row_a], r->sum[row_b]);
    if (by_sum || !r->in->category) {
        return by_sum;
    }
    int64_t size_a = r->in->size[r->in->category[row_a]], size_b = r->in->size[r->in->category[row_b]];
    return (size_a > size_b) - (size_a < size_b);
}

static void sort_signed(const ranking *r, int64_t j, sort_entry *out)
{
    for (int64_t i = 0; i < r->in->n; i++) {
        out[i] = (sort_entry){sort_key(r->sign[j] * r->in->column[j][i]), i};
    }
    sort_entries(out, r->spare, r->in->n, NULL, NULL);
}

static int compare_sorted_values(const ranking *r, int64_t i, int64_t j)
{
    int64_t n = r->in->n;
    sort_signed(r, i, r->a);
    sort_signed(r, j, r->b);
    for (int64_t k = 0; k < n; k++) {
        int order = compare_rounded(oriented(r, i, r->a[k].row), oriented(r, j, r->b[k].row));
        if (order) {
            return order;
        }
    }
    return 0;
}

/* Compares two columns with the same values by the rows that hold them.  r->a and r->b hold both, sorted. */
static int compare_joint(const ranking *r)
{
    int64_t n = r->in->n;
    find_sums(r);
    sort_entries(r->a, r->spare, n, compare_contexts, r);
    sort_entries(r->b, r->spare, n, compare_contexts, r);
    for (int64_t k = 0; k < n; k++) {
        int order = compare_contexts(r, r->a[k].row, r->b[k].row);
        if (order) {
            return order;
        }
    }
    return 0;
}

/* Compares columns whose kurtosis is equal in single precision. */
static int compare_columns(const void *state, int64_t i, int64_t j)
{
    const ranking *r = state;
    int order = compare_rounded(r->shape[i].skewness, r->shape[j].skewness);
    if (!order) {
        order = compare_sorted_values(r, i, j);
    }
    return order ? order : compare_joint(r);
}

nonsens_status canonical_columns(nonsens_context *ctx, arena *scratch, const canonical_input *in, int32_t *rank,
                                 double *sign)
{
    bool has_sums = false;
    ranking r = {.in = in, .sign = sign, .has_sums = &has_sums};
    sort_entry *column, *spare; // (d)
    ARENA_TRY(ctx, scratch, r.shape, in->d);
    ARENA_TRY(ctx, scratch, r.a, in->n);
    ARENA_TRY(ctx, scratch, r.b, in->n);
    ARENA_TRY(ctx, scratch, r.spare, in->n);
    ARENA_TRY(ctx, scratch, r.sum, in->n);
    ARENA_TRY(ctx, scratch, column, in->d);
    ARENA_TRY(ctx, scratch, spare, in->d);
    for (int64_t j = 0; j < in->d; j++) {
        r.shape[j] = shape_of_column(&r, j);
        column[j] = (sort_entry){sort_key((float)r.shape[j].kurtosis), j};
    }
    find_signs(&r, sign);
    sort_entries(column, spare, in->d, compare_columns, &r);
    for (int64_t k = 0; k < in->d; k++) {
        rank[k] = (int32_t)column[k].row;
    }
    return NONSENS_OK;
}

/* ---- rows and segments ---- */

typedef struct row_order {
    const canonical_input *in;
    const int32_t *rank;
    const double *sign;
    const sort_entry *sorted; /* (n) rows grouped by category, sorted inside */
    const int64_t *first;     /* (categories) where each group begins in `sorted` */
} row_order;

/* Compares rows with the same values by which of them are missing. */
static int compare_missing(const row_order *o, int64_t row_a, int64_t row_b)
{
    for (int64_t k = 0; k < o->in->d; k++) {
        const double *column = o->in->bare[o->rank[k]];
        int order = (isnan(column[row_a]) != 0) - (isnan(column[row_b]) != 0);
        if (order) {
            return order;
        }
    }
    return 0;
}

static int compare_rows(const void *state, int64_t row_a, int64_t row_b)
{
    const row_order *o = state;
    for (int64_t k = 0; k < o->in->d; k++) {
        int64_t j = o->rank[k];
        int order = compare_numbers(o->in->column[j][row_a], o->in->column[j][row_b]);
        if (order) {
            return o->sign[j] < 0 ? -order : order;
        }
    }
    return o->in->bare ? compare_missing(o, row_a, row_b) : 0;
}

/* Compares two categories of equal size by their sorted rows. */
static int compare_segments(const void *state, int64_t a, int64_t b)
{
    const row_order *o = state;
    for (int64_t i = 0; i < o->in->size[a]; i++) {
        int order = compare_rows(o, o->sorted[o->first[a] + i].row, o->sorted[o->first[b] + i].row);
        if (order) {
            return order;
        }
    }
    return 0;
}

static void group_by_category(const canonical_input *in, const double *leading, double sign, int64_t *first,
                              int64_t *next, sort_entry *grouped)
{
    int64_t begin = 0;
    for (int64_t c = 0; c < in->categories; c++) {
        first[c] = next[c] = begin;
        begin += in->size[c];
    }
    for (int64_t i = 0; i < in->n; i++) {
        int64_t c = in->category ? in->category[i] : 0;
        grouped[next[c]++] = (sort_entry){sort_key(sign * leading[i]), i};
    }
}

nonsens_status canonical_rows(nonsens_context *ctx, arena *scratch, const canonical_input *in, const int32_t *rank,
                              const double *sign, int64_t *order, int32_t *segment_order)
{
    sort_entry *grouped, *spare, *segment, *segment_spare;
    int64_t *first, *next;
    ARENA_TRY(ctx, scratch, grouped, in->n);
    ARENA_TRY(ctx, scratch, spare, in->n);
    ARENA_TRY(ctx, scratch, segment, in->categories);
    ARENA_TRY(ctx, scratch, segment_spare, in->categories);
    ARENA_TRY(ctx, scratch, first, in->categories);
    ARENA_TRY(ctx, scratch, next, in->categories);
    group_by_category(in, in->column[rank[0]], sign[rank[0]], first, next, grouped);
    row_order o = {in, rank, sign, grouped, first};
    for (int64_t c = 0; c < in->categories; c++) {
        sort_entries(grouped + first[c], spare, in->size[c], compare_rows, &o);
        segment[c] = (sort_entry){UINT64_MAX - (uint64_t)in->size[c], c};
    }
    sort_entries(segment, segment_spare, in->categories, compare_segments, &o);
    int64_t k = 0;
    for (int64_t s = 0; s < in->categories; s++) {
        int64_t c = segment[s].row;
        segment_order[s] = (int32_t)c;
        for (int64_t i = 0; i < in->size[c]; i++) {
            order[k++] = grouped[first[c] + i].row;
        }
    }
    return NONSENS_OK;
}

/* Adds one 64-bit word to the hash: the finaliser of MurmurHash3, which mixes all bits. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    uint64_t h = (hash ^ word) + UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ h >> 33) * UINT64_C(0xFF51AFD7ED558CCD);
    h = (h ^ h >> 33) * UINT64_C(0xC4CEB9FE1A85EC53);
    return h ^ h >> 33;
}

uint64_t canonical_hash(const nonsens_data *data)
{
    uint64_t hash = mix(mix(mix(0, (uint64_t)data->n), (uint64_t)data->d), (uint64_t)data->segments);
    for (int64_t e = 0; e < data->segments; e++) {
        hash = mix(hash, (uint64_t)(data->start[e + 1] - data->start[e]));
    }
    for (int64_t k = 0; k < data->d; k++) {
        const double *column = matrix_col(data->x, data->column_rank[k]);
        hash = mix(hash, data->sign[data->column_rank[k]] < 0);
        for (int64_t i = 0; i < data->n; i++) {
            hash = mix(hash, sort_key(column[i]));
        }
        for (int64_t i = 0; data->gap && i < data->n; i++) {
            hash = dataset_is_gap(data, i, data->column_rank[k]) ? mix(hash, (uint64_t)i) : hash;
        }
    }
    return hash;
}

uint64_t canonical_hash_all(const nonsens_data *data)
{
    uint64_t hash = data->hash;
    for (int64_t j = 0; j < data->d; j++) {
        hash_text(&hash, data->names[j]);
        hash_number(&hash, data->column_rank[j]);
    }
    for (int64_t e = 0; e < data->segments; e++) {
        hash_text(&hash, data->labels[e]);
    }
    for (int64_t i = 0; i < data->n; i++) {
        hash_number(&hash, data->input_row[i]);
    }
    for (int64_t i = 0; data->gap && i < data->n * data->d; i++) {
        hash_number(&hash, data->gap[i]);
    }
    return hash;
}
