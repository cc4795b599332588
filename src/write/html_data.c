/*
 * html_data.c - chooses what a page shows of the data: some rows, and the mean and standard deviation of every variable
 * in each segment.
 *
 * Rows are evenly spaced in canonical order, that is by segment and inside a segment by value.  So every segment has
 * its share of them, spread over its values, and the choice does not depend on row order or names.
 */
#include "base/natural.h"
#include "write/html.h"

#include <math.h>

enum {
    MAX_ROWS = 2000,     /* a browser draws this many points without delay */
    MAX_CELLS = 160000,  /* of all columns; about eight bytes each */
    MIN_ROWS = 20,       /* however many columns there are */
    MAX_ENTRIES = 20000, /* segments times columns */
    MIN_SEGMENTS = 20,   /* however many columns there are */
    DIGITS = 4,          /* of the range of a column: finer than a pixel */
    SUMMARY_DIGITS = 5,
    MAX_DIGITS = 15
};

int64_t html_segments_shown(int64_t segments, int64_t columns)
{
    int64_t max_shown = MAX_ENTRIES / (columns > 0 ? columns : 1);
    max_shown = max_shown > MIN_SEGMENTS ? max_shown : MIN_SEGMENTS;
    return segments < max_shown ? segments : max_shown;
}

static int64_t rows_shown(int64_t rows, int64_t columns)
{
    int64_t max_shown = MAX_CELLS / columns;
    max_shown = max_shown < MAX_ROWS ? max_shown : MAX_ROWS;
    max_shown = max_shown > MIN_ROWS ? max_shown : MIN_ROWS;
    return rows < max_shown ? rows : max_shown;
}

/* Returns the index of the k-th of `shown` rows. */
static int64_t row_at(int64_t k, int64_t shown, int64_t rows)
{
    return (int64_t)(((double)k + 0.5) * (double)rows / (double)shown);
}

/* Returns how many digits resolve the range of a column, even if it is far from zero. */
static int digits_of(int64_t rows, const double *v)
{
    double low = v[0], high = v[0];
    for (int64_t i = 1; i < rows; i++) {
        low = fmin(low, v[i]);
        high = fmax(high, v[i]);
    }
    double size = fmax(fabs(low), fabs(high)) / (high - low);
    double digits = DIGITS + (size > 1.0 && isfinite(size) ? ceil(log10(size)) : 0.0);
    return digits < MAX_DIGITS ? (int)digits : MAX_DIGITS;
}

static json_value *shown_column(int64_t shown, int64_t rows, const double *v, double sign)
{
    int digits = digits_of(rows, v);
    json_value *array = json_array();
    for (int64_t k = 0; k < shown; k++) {
        json_array_append(array, report_rounded(sign * v[row_at(k, shown, rows)] + 0.0, digits));
    }
    return array;
}

/* Makes the columns to show, multiplied by sign (m.cols); NULL: by 1. */
static json_value *shown_columns(int64_t shown, matrix m, const double *sign)
{
    json_value *array = json_array();
    for (int64_t j = 0; j < m.cols; j++) {
        json_array_append(array, shown_column(shown, m.rows, matrix_col(m, j), sign ? sign[j] : 1.0));
    }
    return array;
}

/* Makes, for each row shown, the position of its segment in the list of labels; without `rank` its input row, from 1.
 */
static json_value *shown_places(const nonsens_data *data, int64_t shown, const int64_t *rank)
{
    json_value *array = json_array();
    for (int64_t k = 0; k < shown; k++) {
        int64_t i = row_at(k, shown, data->n);
        int64_t place = rank ? rank[data->segment[i]] : data->input_row[i] + 1;
        json_array_append(array, json_integer(place));
    }
    return array;
}

/* The segments that are shown, in the order of their labels; without segments, all rows count as one. */
typedef struct listed {
    int64_t count, *order, *rank; /* (groups) segments in that order; the position of each segment in it */
} listed;

static nonsens_status list_segments(nonsens_context *ctx, arena *scratch, const nonsens_data *data, int64_t columns,
                                    listed *out)
{
    int64_t groups = data->segments > 0 ? data->segments : 1;
    ARENA_TRY(ctx, scratch, out->order, groups);
    ARENA_TRY(ctx, scratch, out->rank, groups);
    if (data->segments > 0) {
        TRY(natural_order(ctx, scratch, groups, (const char *const *)data->labels, &out->order));
    }
    for (int64_t k = 0; k < groups; k++) {
        out->rank[out->order[k]] = k;
    }
    out->count = html_segments_shown(groups, columns);
    return NONSENS_OK;
}

static json_value *labels(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const listed *list)
{
    json_value *array = json_array();
    for (int64_t k = 0; k < list->count && data->segments > 0; k++) {
        json_array_append(array, json_string(report_utf8(ctx, scratch, data->labels[list->order[k]])));
    }
    return array;
}

static json_value *texts(nonsens_context *ctx, arena *scratch, char *const *text, int64_t count)
{
    json_value *array = json_array();
    for (int64_t i = 0; i < count; i++) {
        json_array_append(array, json_string(report_utf8(ctx, scratch, text[i])));
    }
    return array;
}

/* Makes [mean times sign, standard deviation] of the values in rows from .. to - 1 that are not missing. */
static json_value *moments(const double *v, int64_t from, int64_t to, double sign)
{
    double n = 0.0, mean = 0.0, squares = 0.0;
    for (int64_t i = from; i < to; i++) {
        n += !isnan(v[i]);
    }
    for (int64_t i = from; i < to; i++) {
        mean += isnan(v[i]) ? 0.0 : v[i] / n;
    }
    for (int64_t i = from; i < to; i++) {
        squares += isnan(v[i]) ? 0.0 : (v[i] - mean) * (v[i] - mean);
    }
    return json_array_of(2, report_rounded(sign * mean + 0.0, SUMMARY_DIGITS),
                         report_rounded(sqrt(squares / n), SUMMARY_DIGITS));
}

/* Makes one list of moments per column; columns are multiplied by sign (m.cols); NULL: by 1. */
static json_value *summary(const nonsens_data *data, matrix m, const double *sign, const listed *shown)
{
    json_value *columns = json_array();
    for (int64_t j = 0; j < m.cols; j++) {
        json_value *list = json_array();
        for (int64_t k = 0; k < shown->count; k++) {
            int64_t e = shown->order[k];
            json_array_append(list,
                              moments(matrix_col(m, j), data->start[e], data->start[e + 1], sign ? sign[j] : 1.0));
        }
        json_array_append(columns, list);
    }
    return columns;
}

static json_value *segment_sizes(const nonsens_data *data, const listed *shown)
{
    json_value *array = json_array();
    for (int64_t k = 0; k < shown->count; k++) {
        int64_t e = shown->order[k];
        json_array_append(array, json_integer((data->start[e + 1] - data->start[e])));
    }
    return array;
}

static json_value *sources(nonsens_context *ctx, arena *scratch, const html_report *r, int64_t shown,
                           const listed *segments)
{
    if (!r->source.v) {
        return json_null();
    }
    return json_object_of("names", texts(ctx, scratch, r->source_name, r->source.cols), "values",
                          shown_columns(shown, r->source, NULL), "summary", summary(r->data, r->source, NULL, segments),
                          NULL);
}

/* Sets *out to the values (n, d); missing ones are NaN. */
static nonsens_status values_seen(nonsens_context *ctx, arena *a, const nonsens_data *data, matrix *out)
{
    double *copy;
    *out = data->x;
    if (!data->gap) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, a, copy, data->n * data->d);
    for (int64_t i = 0; i < data->n * data->d; i++) {
        copy[i] = data->gap[i] ? NAN : data->x.v[i];
    }
    *out = matrix_view(copy, data->n, data->d);
    return NONSENS_OK;
}

json_value *html_display(nonsens_context *ctx, arena *scratch, const html_report *r)
{
    const nonsens_data *data = r->data;
    if (!data) {
        return json_null();
    }
    int64_t columns = data->d + (r->source.v ? r->source.cols : 0), shown = rows_shown(data->n, columns);
    listed segments;
    matrix x;
    if (values_seen(ctx, scratch, data, &x) != NONSENS_OK ||
        list_segments(ctx, scratch, data, columns, &segments) != NONSENS_OK) {
        return NULL;
    }
    return json_object_of(
        "other", json_boolean(r->other_data), "rows", json_integer(data->n), "segments", json_integer(data->segments),
        "labels", labels(ctx, scratch, data, &segments), "sizes", segment_sizes(data, &segments), "variables",
        texts(ctx, scratch, data->names, data->d), "row", shown_places(data, shown, NULL), "segment",
        shown_places(data, shown, segments.rank), "values", shown_columns(shown, x, data->sign), "summary",
        summary(data, x, data->sign, &segments), "sources", sources(ctx, scratch, r, shown, &segments), NULL);
}
