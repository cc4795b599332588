/*
 * audit.c - reports what the data cannot support: constant, discrete and autocorrelated columns, few and tiny segments.
 * Duplicated and collinear columns are in audit_linear.c.
 *
 * All but the autocorrelation is computed from rows in canonical order, so that the messages are the same, letter by
 * letter, for shuffled rows.
 */
#include "data/audit.h"

#include "base/number.h"
#include "base/show.h"
#include "data/audit_linear.h"
#include "data/time_blocks.h"
#include "math/sort.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { FEW_VALUES = 20, FEW_SEGMENTS = 3, SHOWN_DIGITS = 2, LISTED = 10 };
static const double STRONG_AUTOCORRELATION = 0.2;
static const double SIGNIFICANT_Z = 3.29; /* two-sided .001 */
static const double SORTED = 0.95;        /* share of steps in one direction, in rows that are sorted by value */

/* ---- constant columns ---------------------------------------------------------------------------------------- */

static bool is_constant(const double *value, int64_t begin, int64_t end)
{
    for (int64_t i = begin + 1; i < end; i++) {
        if (value[i] != value[begin]) {
            return false;
        }
    }
    return true;
}

static bool constant_within_segments(const nonsens_data *data, const double *value)
{
    for (int64_t e = 0; e < data->segments; e++) {
        if (!is_constant(value, data->start[e], data->start[e + 1])) {
            return false;
        }
    }
    return data->segments > 0 && data->segments < data->n; // segments of one row each say nothing
}

static nonsens_status audit_constant(nonsens_context *ctx, nonsens_data *data)
{
    for (int64_t j = 0; j < data->d; j++) {
        const double *value = matrix_col(data->x, j);
        char name[SHOWN_BYTES];
        if (is_constant(value, 0, data->n)) {
            return fail(ctx, NONSENS_ERR_DATA, "column %s is constant; leave it out with --vars",
                        show_quoted(name, data->names[j]));
        }
        if (constant_within_segments(data, value)) {
            TRY(dataset_warn(ctx, data,
                             "column %s is constant within every segment: given the segment it carries no information",
                             show_quoted(name, data->names[j])));
        }
    }
    return NONSENS_OK;
}

/* ---- discrete columns ---------------------------------------------------------------------------------------- */

/* Adds the number of distinct values, and of pairs of rows with the same value. */
static void count_values(const sort_entry *sorted, int64_t n, int64_t *distinct, double *equal_pairs)
{
    for (int64_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && sorted[end].key == sorted[begin].key; end++) {
        }
        *distinct += 1;
        *equal_pairs += (double)(end - begin) * (double)(end - begin);
    }
}

/*
 * Says whether ties matter.  The effective number of values in a segment is that of equally frequent values with as
 * many equal pairs of rows.  Below about twenty the methods conclude less often (experiments/discreteness.py), however
 * many values the whole table has.  It must also be less than half the rows of a segment; otherwise there are few ties.
 */
static bool is_discrete(const nonsens_data *data, int64_t j, sort_entry *sorted, sort_entry *spare)
{
    int64_t distinct = 0, segments = data->segments > 0 ? data->segments : 1;
    double pairs = 0.0, equal_pairs = 0.0;
    for (int64_t e = 0; e < segments; e++) {
        int64_t start = data->start[e], rows = data->start[e + 1] - start;
        sort_column(matrix_col(data->x, j) + start, rows, sorted, spare);
        count_values(sorted, rows, &distinct, &equal_pairs);
        pairs += (double)rows * (double)rows;
    }
    double values = pairs / equal_pairs, rows = pairs / (double)data->n;
    return values < FEW_VALUES && values < 0.5 * rows;
}

static nonsens_status audit_discrete(nonsens_context *ctx, arena *scratch, nonsens_data *data)
{
    sort_entry *sorted, *spare; // (n)
    const char *list = "";
    int64_t found = 0;
    ARENA_TRY(ctx, scratch, sorted, data->n);
    ARENA_TRY(ctx, scratch, spare, data->n);
    for (int64_t j = 0; j < data->d; j++) {
        char name[SHOWN_BYTES];
        int64_t distinct = 0;
        double equal_pairs = 0.0;
        if (!is_discrete(data, j, sorted, spare) || ++found > LISTED) {
            continue;
        }
        sort_column(matrix_col(data->x, j), data->n, sorted, spare);
        count_values(sorted, data->n, &distinct, &equal_pairs);
        list = arena_format(ctx, scratch, "%s%s%s (%" PRId64 " values)", list, found > 1 ? ", " : "",
                            show_quoted(name, data->names[j]), distinct);
        if (!list) {
            return NONSENS_ERR_MEMORY;
        }
    }
    if (found == 0) {
        return NONSENS_OK;
    }
    return dataset_warn(ctx, data,
                        "many rows share their value in %s%s; the methods assume continuous variables, and structured "
                        "mostly does not conclude on discrete ones",
                        list, found > LISTED ? ", ..." : "");
}

/* ---- names --------------------------------------------------------------------------------------------------- */

/* Warns of names such as 1.25, which are data of a file without header; whole numbers may be names: years, sites. */
static nonsens_status audit_names(nonsens_context *ctx, nonsens_data *data)
{
    int64_t numbers = 0, with_fraction = 0;
    char shown[SHOWN_BYTES];
    for (int64_t j = 0; j < data->d; j++) {
        const char *name = data->names[j], *end = name + strlen(name);
        double value;
        numbers += number_parse(name, end, &value) == end;
        with_fraction += strchr(name, '.') != NULL;
    }
    if (numbers < data->d || with_fraction == 0) {
        return NONSENS_OK;
    }
    return dataset_warn(ctx, data,
                        "the names of all variables are numbers, the first is %s; if the first line of the file holds "
                        "data, read it with --no-header",
                        show_quoted(shown, data->names[0]));
}

/* ---- segments ------------------------------------------------------------------------------------------------ */

static nonsens_status audit_segments(nonsens_context *ctx, nonsens_data *data)
{
    int64_t segments = data->segments, needed = 2 * data->d + 1, tiny = 0;
    if (segments == 0) {
        return NONSENS_OK;
    }
    if (segments < FEW_SEGMENTS) {
        TRY(dataset_warn(ctx, data, "there %s only %" PRId64 " segment%s; methods that use segments need at least %d",
                         segments == 1 ? "is" : "are", segments, segments == 1 ? "" : "s", FEW_SEGMENTS));
    }
    for (int64_t e = 0; e < segments; e++) {
        tiny += data->start[e + 1] - data->start[e] < AUDIT_TINY_SEGMENT;
    }
    if (tiny > 0) {
        int64_t smallest = dataset_smallest_segment(data), rows = data->start[smallest + 1] - data->start[smallest];
        char label[SHOWN_BYTES];
        TRY(dataset_warn(ctx, data,
                         "%" PRId64 " of %" PRId64 " segment%s %s fewer than %d rows; the smallest, %s, has %" PRId64
                         ": merge or drop tiny segments",
                         tiny, segments, segments == 1 ? "" : "s", tiny == 1 ? "has" : "have", AUDIT_TINY_SEGMENT,
                         show_quoted(label, data->labels[smallest]), rows));
    }
    if (segments < needed) {
        TRY(dataset_warn(ctx, data,
                         "there %s %" PRId64 " segment%s for %" PRId64 " variable%s; at least %" PRId64
                         " (2d+1) are wanted where means and scales may both change",
                         segments == 1 ? "is" : "are", segments, segments == 1 ? "" : "s", data->d,
                         data->d == 1 ? "" : "s", needed));
    }
    return NONSENS_OK;
}

/* ---- autocorrelation ----------------------------------------------------------------------------------------- */

/* Returns the lag-1 autocorrelation of value[order[0..n-1]]; NaN if it is constant or too large to square. */
static double lag_one(const double *value, const int64_t *order, int64_t n)
{
    double mean = 0, squares = 0, products = 0;
    for (int64_t i = 0; i < n; i++) {
        mean += value[order[i]] / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        double here = value[order[i]] - mean;
        squares += here * here;
        products += i > 0 ? here * (value[order[i - 1]] - mean) : 0;
    }
    return products / squares;
}

/*
 * Computes the average over segments, weighted by size, and says whether it is large.  Under independence a segment's
 * value has mean -1/n_e and variance about 1/n_e, so the average over R rows in k segments has mean -k/R and variance
 * 1/R.
 */
static bool is_autocorrelated(const nonsens_data *data, const int64_t *order, int64_t j, double *average)
{
    double sum = 0, rows = 0, used = 0;
    int64_t stretches = data->segments > 0 ? data->segments : 1;
    for (int64_t e = 0; e < stretches; e++) {
        int64_t size = data->start[e + 1] - data->start[e];
        double r = size > 2 ? lag_one(matrix_col(data->x, j), order + data->start[e], size) : NAN;
        if (isfinite(r)) {
            sum += (double)size * r;
            rows += (double)size;
            used += 1;
        }
    }
    if (rows == 0) {
        return false;
    }
    *average = sum / rows;
    return fabs(*average) > STRONG_AUTOCORRELATION && fabs(*average + used / rows) * sqrt(rows) > SIGNIFICANT_Z;
}

/* Says whether the rows of segments are sorted by the values: of the steps that change them, nearly all go one way. */
static bool is_sorted(const nonsens_data *data, const int64_t *order, const double *value)
{
    int64_t up = 0, down = 0;
    for (int64_t i = 1; i < data->n; i++) {
        if (data->segment[order[i]] == data->segment[order[i - 1]]) {
            up += value[order[i]] > value[order[i - 1]];
            down += value[order[i]] < value[order[i - 1]];
        }
    }
    return up + down > 0 && (double)(up > down ? up : down) >= SORTED * (double)(up + down);
}

static bool is_sorted_by_a_column(const nonsens_data *data, const int64_t *order)
{
    bool sorted = false;
    for (int64_t j = 0; j < data->d && !sorted; j++) {
        sorted = is_sorted(data, order, matrix_col(data->x, j));
    }
    return sorted;
}

static nonsens_status audit_autocorrelation(nonsens_context *ctx, arena *scratch, nonsens_data *data)
{
    int64_t *order; // (n)
    ARENA_TRY(ctx, scratch, order, data->n);
    TRY(time_blocks_order(ctx, scratch, data, order));
    const char *list = "";
    int64_t found = 0;
    for (int64_t j = 0; j < data->d; j++) {
        double r;
        char number[NUMBER_BYTES], name[SHOWN_BYTES];
        if (!is_autocorrelated(data, order, j, &r) || ++found > LISTED) {
            continue;
        }
        list = arena_format(ctx, scratch, "%s%s%s %s", list, found > 1 ? ", " : "", show_quoted(name, data->names[j]),
                            number_print(number, r, SHOWN_DIGITS));
        if (!list) {
            return NONSENS_ERR_MEMORY;
        }
    }
    if (found == 0 || is_sorted_by_a_column(data, order)) {
        return NONSENS_OK;
    }
    data->in_time = true;
    return dataset_warn(ctx, data,
                        "neighbouring rows%s are correlated, as in a time series (lag-1 autocorrelation: %s%s); "
                        "p-values are then too small: use --block-length auto, or thin the rows",
                        data->segments > 0 ? " within segments" : "", list, found > LISTED ? ", ..." : "");
}

/* ---- whole data sets ----------------------------------------------------------------------------------------- */

nonsens_status audit_dataset(nonsens_context *ctx, nonsens_data *data)
{
    SCOPED_ARENA(scratch);
    if (data->n < 2) {
        return fail(ctx, NONSENS_ERR_DATA, "there is only one row; nothing can be learned from it, give more rows");
    }
    arena_mark mark = arena_tell(&scratch);
    TRY(audit_constant(ctx, data));
    TRY(audit_linear(ctx, &scratch, data));
    arena_rewind(&scratch, mark);
    TRY(audit_discrete(ctx, &scratch, data));
    arena_rewind(&scratch, mark);
    TRY(audit_names(ctx, data));
    TRY(audit_segments(ctx, data));
    return audit_autocorrelation(ctx, &scratch, data);
}

nonsens_status audit_require_labels(nonsens_context *ctx, const nonsens_data *data)
{
    char label[SHOWN_BYTES];
    if (data->segments == 0) {
        return fail(ctx, NONSENS_ERR_DATA, AUDIT_NEEDS_SEGMENTS);
    }
    if (data->segments == 1) {
        return fail(
            ctx, NONSENS_ERR_DATA,
            "all rows have the segment label %s; at least two segments are needed: name another column with --segment "
            "COL",
            show_quoted(label, data->labels[0]));
    }
    return NONSENS_OK;
}

nonsens_status audit_require_segments(nonsens_context *ctx, const nonsens_data *data)
{
    int64_t segments = data->segments;
    char label[SHOWN_BYTES];
    TRY(audit_require_labels(ctx, data));
    if (data->start[segments] - data->start[segments - 1] < 2) {
        return fail(ctx, NONSENS_ERR_DATA, "segment %s has a single row; merge it with another or remove the row",
                    show_quoted(label, data->labels[dataset_smallest_segment(data)]));
    }
    return NONSENS_OK;
}
