/*
 * html_data.c - chooses what a page shows of the data: some rows, and mean and standard deviation of every variable in
 * each segment.
 *
 * Rows are taken at even distances in canonical order, that is by segment and inside a segment by value.  So every
 * segment gives as many as its share, spread over its values, and the choice does not depend on row order or names.
 */
#include "write/html.h"

#include <math.h>

enum {
    MAX_ROWS = 2000,     /* as many points as a browser draws without delay */
    MAX_CELLS = 160000,  /* of all columns; about eight bytes each */
    MIN_ROWS = 20,       /* for any number of columns */
    MAX_ENTRIES = 20000, /* segments times columns */
    MIN_SEGMENTS = 20,   /* for any number of columns */
    DIGITS = 4,          /* of a column's range: finer than a pixel */
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

/* The index of the k-th of `shown` rows. */
static int64_t row_at(int64_t k, int64_t shown, int64_t rows)
{
    return (int64_t)(((double)k + 0.5) * (double)rows / (double)shown);
}

/* Digits that resolve a column's range, even if it is far from zero. */
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

/* Columns are multiplied by sign (m.cols); NULL: 1. */
static json_value *shown_columns(int64_t shown, matrix m, const double *sign)
{
    json_value *array = json_array();
    for (int64_t j = 0; j < m.cols; j++) {
        json_array_append(array, shown_column(shown, m.rows, matrix_col(m, j), sign ? sign[j] : 1.0));
    }
    return array;
}

/* The segments, or the rows of the input, from 1, of the rows shown. */
static json_value *shown_places(const nonsens_data *data, int64_t shown, bool segment)
{
    json_value *array = json_array();
    for (int64_t k = 0; k < shown; k++) {
        int64_t i = row_at(k, shown, data->n);
        int64_t place = segment ? (int64_t)data->segment[i] : data->input_row[i] + 1;
        json_array_append(array, json_integer(place));
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

/* [mean times sign, standard deviation] of rows from .. to - 1. */
static json_value *moments(const double *v, int64_t from, int64_t to, double sign)
{
    double n = (double)(to - from), mean = 0.0, squares = 0.0;
    for (int64_t i = from; i < to; i++) {
        mean += v[i] / n;
    }
    for (int64_t i = from; i < to; i++) {
        squares += (v[i] - mean) * (v[i] - mean);
    }
    return json_array_of(2, report_rounded(sign * mean + 0.0, SUMMARY_DIGITS),
                         report_rounded(sqrt(squares / n), SUMMARY_DIGITS));
}

/* One list of moments per column; columns are multiplied by sign (m.cols); NULL: 1. */
static json_value *summary(const nonsens_data *data, matrix m, const double *sign, int64_t segments)
{
    json_value *columns = json_array();
    for (int64_t j = 0; j < m.cols; j++) {
        json_value *list = json_array();
        for (int64_t e = 0; e < segments; e++) {
            json_array_append(list,
                              moments(matrix_col(m, j), data->start[e], data->start[e + 1], sign ? sign[j] : 1.0));
        }
        json_array_append(columns, list);
    }
    return columns;
}

static json_value *segment_sizes(const nonsens_data *data, int64_t segments)
{
    json_value *array = json_array();
    for (int64_t e = 0; e < segments; e++) {
        json_array_append(array, json_integer((data->start[e + 1] - data->start[e])));
    }
    return array;
}

static json_value *sources(nonsens_context *ctx, arena *scratch, const html_report *r, int64_t shown, int64_t segments)
{
    if (!r->source.v) {
        return json_null();
    }
    return json_object_of("names", texts(ctx, scratch, r->source_name, r->source.cols), "values",
                          shown_columns(shown, r->source, NULL), "summary", summary(r->data, r->source, NULL, segments),
                          NULL);
}

json_value *html_display(nonsens_context *ctx, arena *scratch, const html_report *r)
{
    const nonsens_data *data = r->data;
    if (!data) {
        return json_null();
    }
    int64_t columns = data->d + (r->source.v ? r->source.cols : 0), groups = data->segments > 0 ? data->segments : 1;
    int64_t shown = rows_shown(data->n, columns), segments = html_segments_shown(groups, columns);
    return json_object_of(
        "other", json_boolean(r->other_data), "rows", json_integer(data->n), "segments", json_integer(data->segments),
        "labels", texts(ctx, scratch, data->labels, data->segments < segments ? data->segments : segments), "sizes",
        segment_sizes(data, segments), "variables", texts(ctx, scratch, data->names, data->d), "row",
        shown_places(data, shown, false), "segment", shown_places(data, shown, true), "values",
        shown_columns(shown, data->x, data->sign), "summary", summary(data, data->x, data->sign, segments), "sources",
        sources(ctx, scratch, r, shown, segments), NULL);
}
