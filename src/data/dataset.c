/* dataset.c - builds the data set that every method works on; also the accessors of the public header. */
#include "data/dataset.h"

#include "base/require.h"
#include "base/show.h"
#include "data/audit.h"
#include "data/canonical.h"
#include "data/gaps.h"
#include "math/sort.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arguments of dataset_new. */
typedef struct build_input {
    int64_t n, d, segments;
    const double *const *column; // (d) of n
    const double *sign;          // (d) signs that the columns are already multiplied by; NULL: 1
    const char *const *names;    // (d)
    const int32_t *category;     // (n) or NULL
    const char *const *labels;   // (segments)
    const int64_t *input_row;    // (n) or NULL
    bool gaps;                   // NaN is a missing value, not an error
} build_input;

static int64_t row_number(const build_input *in, int64_t i)
{
    return (in->input_row ? in->input_row[i] : i) + 1;
}

static nonsens_status check_values(nonsens_context *ctx, const build_input *in)
{
    for (int64_t j = 0; j < in->d; j++) {
        for (int64_t i = 0; i < in->n; i++) {
            if (!isfinite(in->column[j][i]) && !(in->gaps && isnan(in->column[j][i]))) {
                char shown[SHOWN_BYTES];
                return fail(ctx, NONSENS_ERR_DATA,
                            "column %s, data row %" PRId64 ": the value is not a finite number; remove the row or the "
                            "column",
                            show_quoted(shown, in->names[j]), row_number(in, i));
            }
        }
    }
    return NONSENS_OK;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Checks that names differ, with O(d log d) comparisons: there may be very many columns. */
static nonsens_status check_names(nonsens_context *ctx, arena *scratch, const build_input *in)
{
    const char **sorted; // (d)
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, sorted, in->d);
    memcpy(sorted, in->names, (size_t)in->d * sizeof *sorted);
    qsort(sorted, (size_t)in->d, sizeof *sorted, compare_texts);
    for (int64_t j = 1; j < in->d; j++) {
        if (strcmp(sorted[j - 1], sorted[j]) == 0) {
            char shown[SHOWN_BYTES];
            return fail(ctx, NONSENS_ERR_DATA, "two variables are called %s; rename one or choose others",
                        show_quoted(shown, sorted[j]));
        }
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

static nonsens_status check_input(nonsens_context *ctx, arena *scratch, const build_input *in)
{
    if (in->n < 1 || in->d < 1) {
        return fail(ctx, NONSENS_ERR_DATA, "there are no %s to analyse; give at least two rows of one variable",
                    in->n < 1 ? "rows" : "variables");
    }
    if (in->n > NONSENS_MAX_COUNT || in->d > NONSENS_MAX_COUNT || in->segments > NONSENS_MAX_COUNT) {
        return fail(ctx, NONSENS_ERR_DATA, "there are more than %d %s; give fewer", NONSENS_MAX_COUNT,
                    in->n > NONSENS_MAX_COUNT   ? "rows"
                    : in->d > NONSENS_MAX_COUNT ? "variables"
                                                : "segments");
    }
    TRY(check_names(ctx, scratch, in));
    return check_values(ctx, in);
}

/* Fills in bounds, labels and row labels from the categories in canonical order; drops categories without rows. */
static nonsens_status fill_segments(nonsens_context *ctx, nonsens_data *data, const build_input *in,
                                    const int64_t *size, const int32_t *segment_order)
{
    int64_t stretches = 0, categories = in->category ? in->segments : 1;
    while (stretches < categories && size[segment_order[stretches]] > 0) {
        stretches++;
    }
    data->segments = in->category ? stretches : 0;
    ARENA_TRY(ctx, &data->memory, data->start, stretches + 1);
    ARENA_TRY(ctx, &data->memory, data->labels, stretches);
    ARENA_TRY(ctx, &data->memory, data->segment, in->n);
    for (int64_t e = 0; e < stretches; e++) {
        data->start[e + 1] = data->start[e] + size[segment_order[e]];
        for (int64_t i = data->start[e]; i < data->start[e + 1]; i++) {
            data->segment[i] = (int32_t)e;
        }
        data->labels[e] = arena_text(ctx, &data->memory, in->category ? in->labels[segment_order[e]] : "");
        if (!data->labels[e]) {
            return NONSENS_ERR_MEMORY;
        }
    }
    return NONSENS_OK;
}

static nonsens_status fill_values(nonsens_context *ctx, nonsens_data *data, const build_input *in, const int64_t *order)
{
    int64_t cells;
    if (__builtin_mul_overflow(in->n, in->d, &cells)) {
        return fail_memory(ctx);
    }
    double *values; // (n, d)
    ARENA_TRY(ctx, &data->memory, values, cells);
    ARENA_TRY(ctx, &data->memory, data->input_row, in->n);
    data->x = matrix_view(values, in->n, in->d);
    for (int64_t j = 0; j < in->d; j++) {
        double *to = matrix_col(data->x, j);
        for (int64_t i = 0; i < in->n; i++) {
            to[i] = data->sign[j] * in->column[j][order[i]] + 0.0; // -0.0 becomes 0.0
        }
        data->sign[j] *= in->sign ? in->sign[j] : 1.0;
    }
    for (int64_t i = 0; i < in->n; i++) {
        data->input_row[i] = in->input_row ? in->input_row[order[i]] : order[i];
    }
    return NONSENS_OK;
}

static nonsens_status count_categories(nonsens_context *ctx, arena *scratch, const build_input *in, int64_t **size)
{
    int64_t categories = in->category ? in->segments : 1;
    ARENA_TRY(ctx, scratch, *size, categories);
    if (!in->category) {
        (*size)[0] = in->n;
        return NONSENS_OK;
    }
    for (int64_t i = 0; i < in->n; i++) {
        if (in->category[i] < 0 || in->category[i] >= in->segments) {
            return fail(ctx, NONSENS_ERR_DATA, "data row %" PRId64 " has no segment label", row_number(in, i));
        }
        (*size)[in->category[i]]++;
    }
    return NONSENS_OK;
}

static nonsens_status fill(nonsens_context *ctx, nonsens_data *data, build_input *in)
{
    SCOPED_ARENA(scratch);
    int64_t *size, *order;  // (categories), (n)
    int32_t *segment_order; // (categories)
    const double *const *bare = in->column;
    TRY(check_input(ctx, &scratch, in));
    TRY(gaps_fill(ctx, &scratch, in->n, in->d, bare, &in->column));
    TRY(count_categories(ctx, &scratch, in, &size));
    canonical_input canonical = {in->n, in->d,    in->category ? in->segments : 1, in->column, in->category,
                                 size,  in->sign, in->column != bare ? bare : NULL};
    data->n = in->n;
    data->d = in->d;
    ARENA_TRY(ctx, &data->memory, data->column_rank, in->d);
    ARENA_TRY(ctx, &data->memory, data->sign, in->d);
    ARENA_TRY(ctx, &scratch, order, in->n);
    ARENA_TRY(ctx, &scratch, segment_order, canonical.categories);
    arena_mark mark = arena_tell(&scratch);
    TRY(canonical_columns(ctx, &scratch, &canonical, data->column_rank, data->sign));
    arena_rewind(&scratch, mark);
    TRY(canonical_rows(ctx, &scratch, &canonical, data->column_rank, data->sign, order, segment_order));
    arena_rewind(&scratch, mark);
    TRY(arena_texts(ctx, &data->memory, in->d, in->names, &data->names));
    TRY(fill_segments(ctx, data, in, size, segment_order));
    TRY(fill_values(ctx, data, in, order));
    if (in->column != bare) {
        TRY(gaps_mark(ctx, &data->memory, data->n, data->d, bare, order, &data->gap));
    }
    data->hash = canonical_hash(data);
    return NONSENS_OK;
}

static nonsens_status build(nonsens_context *ctx, build_input *in, bool audit, nonsens_data **out)
{
    *out = NULL;
    SCOPED(memory_release_scoped) nonsens_data *data = memory_get(1, sizeof *data);
    if (!data) {
        return fail_memory(ctx);
    }
    TRY(fill(ctx, data, in));
    TRY(audit ? audit_dataset(ctx, data) : NONSENS_OK);
    *out = data;
    data = NULL;
    return NONSENS_OK;
}

nonsens_status dataset_new(nonsens_context *ctx, int64_t n, int64_t d, const double *const *column,
                           const char *const *names, const int32_t *category, int64_t segments,
                           const char *const *labels, const int64_t *input_row, nonsens_data **out)
{
    build_input in = {n, d, segments, column, NULL, names, category, labels, input_row, false};
    return build(ctx, &in, true, out);
}

nonsens_status dataset_new_unaudited(nonsens_context *ctx, int64_t n, int64_t d, const double *const *column,
                                     const char *const *names, const int32_t *category, int64_t segments,
                                     const char *const *labels, const int64_t *input_row, nonsens_data **out)
{
    build_input in = {n, d, segments, column, NULL, names, category, labels, input_row, true};
    return build(ctx, &in, false, out);
}

/* Takes some of the columns of a data set (NULL: all) with all rows; copies only those with missing values. */
static nonsens_status take_columns(nonsens_context *ctx, arena *a, const nonsens_data *data, int64_t count,
                                   const int64_t *index, build_input *in)
{
    const double **column;
    const char **names;
    double *sign;
    ARENA_TRY(ctx, a, column, count);
    ARENA_TRY(ctx, a, names, count);
    ARENA_TRY(ctx, a, sign, count);
    for (int64_t k = 0; k < count; k++) {
        int64_t j = index ? index[k] : k;
        TRY(gaps_restore(ctx, a, data->n, matrix_col(data->x, j), data->gap ? data->gap + j * data->n : NULL,
                         &column[k]));
        names[k] = data->names[j];
        sign[k] = data->sign[j];
    }
    *in = (build_input){.n = data->n,
                        .d = count,
                        .segments = data->segments,
                        .column = column,
                        .sign = sign,
                        .names = names,
                        .category = data->segments > 0 ? data->segment : NULL,
                        .labels = (const char *const *)data->labels,
                        .input_row = data->input_row,
                        .gaps = true};
    return NONSENS_OK;
}

/* Replaces all rows by copies of some of them. */
static nonsens_status take_rows(nonsens_context *ctx, arena *a, int64_t count, const int64_t *row, build_input *in)
{
    int64_t *input_row;
    int32_t *category;
    double *values;
    const double **column;
    ARENA_TRY(ctx, a, input_row, count);
    ARENA_TRY(ctx, a, category, count);
    ARENA_TRY(ctx, a, values, count * in->d);
    ARENA_TRY(ctx, a, column, in->d);
    for (int64_t j = 0; j < in->d; j++) {
        column[j] = values + j * count;
        for (int64_t i = 0; i < count; i++) {
            values[j * count + i] = in->column[j][row[i]];
        }
    }
    for (int64_t i = 0; i < count; i++) {
        input_row[i] = in->input_row[row[i]];
        category[i] = in->category ? in->category[row[i]] : 0;
    }
    in->n = count;
    in->column = column;
    in->input_row = input_row;
    in->category = in->category ? category : NULL;
    return NONSENS_OK;
}

static nonsens_status subset(nonsens_context *ctx, const nonsens_data *data, int64_t columns, const int64_t *index,
                             int64_t rows, const int64_t *row, bool audit, nonsens_data **out)
{
    SCOPED_ARENA(local);
    build_input in;
    *out = NULL;
    TRY(take_columns(ctx, &local, data, columns, index, &in));
    TRY(row ? take_rows(ctx, &local, rows, row, &in) : NONSENS_OK);
    return build(ctx, &in, audit, out);
}

nonsens_status dataset_subset(nonsens_context *ctx, const nonsens_data *data, int64_t columns, const int64_t *index,
                              int64_t rows, const int64_t *row, nonsens_data **out)
{
    return subset(ctx, data, columns, index, rows, row, false, out);
}

nonsens_status dataset_select(nonsens_context *ctx, const nonsens_data *data, int64_t count, const int64_t *index,
                              nonsens_data **out)
{
    return subset(ctx, data, count, index, data->n, NULL, true, out);
}

nonsens_status dataset_pair(nonsens_context *ctx, const nonsens_data *data, int64_t x, int64_t y, nonsens_data **out)
{
    int64_t index[2] = {x, y};
    *out = NULL;
    if (x < 0 || y < 0 || x >= data->d || y >= data->d || x == y) {
        return fail(ctx, NONSENS_ERR_USAGE, "a pair needs two different variables out of %" PRId64, data->d);
    }
    return dataset_select(ctx, data, 2, index, out);
}

nonsens_status dataset_rows(nonsens_context *ctx, arena *scratch, const nonsens_data *data, int64_t count,
                            const int64_t *row, nonsens_data **out)
{
    build_input in;
    *out = NULL;
    TRY(take_columns(ctx, scratch, data, data->d, NULL, &in));
    TRY(take_rows(ctx, scratch, count, row, &in));
    return build(ctx, &in, true, out);
}

row_groups dataset_groups(const nonsens_data *data, const nonsens_options *options, int64_t whole[2])
{
    bool pooled = data->segments == 0 || options->pooling == POOLING_POOLED;
    whole[0] = 0;
    whole[1] = data->n;
    return pooled ? (row_groups){1, whole} : (row_groups){data->segments, data->start};
}

int64_t dataset_find_name(const nonsens_data *data, const char *name)
{
    for (int64_t j = 0; j < data->d; j++) {
        if (strcmp(data->names[j], name) == 0) {
            return j;
        }
    }
    return -1;
}

nonsens_status dataset_column_places(nonsens_context *ctx, arena *a, const nonsens_data *data, int64_t **place)
{
    ARENA_TRY(ctx, a, *place, data->d);
    for (int64_t k = 0; k < data->d; k++) {
        (*place)[data->column_rank[k]] = k;
    }
    return NONSENS_OK;
}

nonsens_status dataset_in_rank_order(nonsens_context *ctx, arena *a, const nonsens_data *data, matrix *out)
{
    double *copy; // (n, d)
    ARENA_TRY(ctx, a, copy, data->n * data->d);
    *out = matrix_view(copy, data->n, data->d);
    for (int64_t k = 0; k < data->d; k++) {
        memcpy(matrix_col(*out, k), matrix_col(data->x, data->column_rank[k]), (size_t)data->n * sizeof *copy);
    }
    return NONSENS_OK;
}

int64_t dataset_smallest_segment(const nonsens_data *data)
{
    int64_t smallest = data->segments - 1, rows = data->start[smallest + 1] - data->start[smallest];
    for (int64_t e = smallest - 1; e >= 0 && data->start[e + 1] - data->start[e] == rows; e--) { // sizes descend
        smallest = strcmp(data->labels[e], data->labels[smallest]) < 0 ? e : smallest;
    }
    return smallest;
}

/* Maps integer labels to 0 .. E-1 in ascending order of the labels. */
static nonsens_status categorise(nonsens_context *ctx, arena *scratch, int64_t n, const int64_t *segment,
                                 build_input *in)
{
    sort_entry *entry, *spare; // (n)
    int32_t *category;         // (n)
    const char **labels;       // (segments)
    ARENA_TRY(ctx, scratch, entry, n);
    ARENA_TRY(ctx, scratch, spare, n);
    ARENA_TRY(ctx, scratch, category, n);
    for (int64_t i = 0; i < n; i++) {
        entry[i] = (sort_entry){(uint64_t)segment[i] ^ (uint64_t)1 << 63, i};
    }
    sort_entries(entry, spare, n, NULL, NULL);
    int64_t distinct = 0;
    for (int64_t i = 0; i < n; i++) {
        distinct += i == 0 || entry[i].key != entry[i - 1].key;
    }
    ARENA_TRY(ctx, scratch, labels, distinct);
    int32_t last = -1;
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || entry[i].key != entry[i - 1].key) {
            labels[++last] = arena_format(ctx, scratch, "%" PRId64, segment[entry[i].row]);
            if (!labels[last]) {
                return NONSENS_ERR_MEMORY;
            }
        }
        category[entry[i].row] = last;
    }
    in->category = category;
    in->labels = labels;
    in->segments = distinct;
    return NONSENS_OK;
}

/* Copies arrays; checks names and strides before reading any value; in->names become c1, c2, ... if NULL. */
static nonsens_status gather_arrays(nonsens_context *ctx, arena *scratch, const double *values, int64_t row_stride,
                                    int64_t column_stride, const int64_t *segment, build_input *in)
{
    double *copy;          // (n, d)
    const double **column; // (d)
    const char **names;    // (d)
    for (int64_t j = 0; in->names && j < in->d; j++) {
        TRY(require_name(ctx, j, in->names[j]));
    }
    TRY(require_reach(ctx, in->n, row_stride, in->d, column_stride));
    ARENA_TRY(ctx, scratch, copy, in->n * in->d); // both have 31 bits
    ARENA_TRY(ctx, scratch, column, in->d);
    for (int64_t j = 0; j < in->d; j++) {
        column[j] = copy + j * in->n;
        for (int64_t i = 0; i < in->n; i++) {
            copy[j * in->n + i] = values[i * row_stride + j * column_stride];
        }
    }
    in->column = column;
    ARENA_TRY(ctx, scratch, names, in->d);
    for (int64_t j = 0; !in->names && j < in->d; j++) {
        names[j] = arena_format(ctx, scratch, "c%" PRId64, j + 1);
        if (!names[j]) {
            return NONSENS_ERR_MEMORY;
        }
    }
    in->names = in->names ? in->names : names;
    return segment ? categorise(ctx, scratch, in->n, segment, in) : NONSENS_OK;
}

nonsens_status nonsens_data_from_arrays(nonsens_context *ctx, int64_t n, int64_t d, const double *values,
                                        int64_t row_stride, int64_t column_stride, const char *const *names,
                                        const int64_t *segment, nonsens_data **out)
{
    NEEDED(ctx, values, out);
    *out = NULL;
    context_begin(ctx);
    REQUIRE_COUNT(ctx, n, 1, NONSENS_MAX_COUNT);
    REQUIRE_COUNT(ctx, d, 1, NONSENS_MAX_COUNT);
    SCOPED_ARENA(scratch);
    build_input in = {.n = n, .d = d, .names = names};
    TRY(gather_arrays(ctx, &scratch, values, row_stride, column_stride, segment, &in));
    return build(ctx, &in, true, out);
}

void nonsens_data_free(nonsens_data *data)
{
    memory_release_owner(data);
}

int64_t nonsens_data_row_count(const nonsens_data *data)
{
    return data ? data->n : 0;
}

int64_t nonsens_data_variable_count(const nonsens_data *data)
{
    return data ? data->d : 0;
}

int64_t nonsens_data_segment_count(const nonsens_data *data)
{
    return data ? data->segments : 0;
}

const char *nonsens_data_variable_at(const nonsens_data *data, int64_t variable)
{
    return data && variable >= 0 && variable < data->d ? data->names[variable] : NULL;
}

const char *nonsens_data_segment_at(const nonsens_data *data, int64_t segment)
{
    return data && segment >= 0 && segment < data->segments ? data->labels[segment] : NULL;
}
