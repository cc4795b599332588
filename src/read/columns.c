/*
 * columns.c - makes a data set from columns that a caller has in memory, as a file with the same columns would.
 *
 * Contiguous columns are used in place.  Others are copied, and all are copied if rows are left out.
 */
#include "base/require.h"
#include "base/show.h"
#include "read/read_internal.h"
#include "read/table_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Replaces the path of a file in messages. */
#define TABLE_NAME "the data"

/* What the caller passes. */
typedef struct columns_input {
    int64_t rows, columns, labels;
    const nonsens_column *column; // (columns)
    const int32_t *category;      // (rows) or NULL
    const char *const *label;     // (labels)
} columns_input;

static nonsens_status check_column(nonsens_context *ctx, const columns_input *in, int64_t j)
{
    const nonsens_column *column = &in->column[j];
    TRY(require_name(ctx, j, column->name));
    if (!utf8_is_valid(column->name, (int64_t)strlen(column->name))) {
        return fail(ctx, NONSENS_ERR_DATA, "column %" PRId64 " needs a name, in UTF-8", j + 1);
    }
    return column->values ? require_reach(ctx, in->rows, column->stride, 1, 0) : NONSENS_OK;
}

static nonsens_status check_input(nonsens_context *ctx, const columns_input *in, const nonsens_options *options)
{
    if (in->rows < 1 || in->columns < 1) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "a table of at least one row and one column is needed, not %" PRId64 " x %" PRId64, in->rows,
                    in->columns);
    }
    if (in->category && options->segments[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "segment labels and --segments cannot be combined: labels come from the data or from row order");
    }
    if (!in->category && options->segment[0]) {
        char shown[SHOWN_BYTES];
        return fail(ctx, NONSENS_ERR_USAGE, "--segment %s: there are no labels of segments in the data",
                    show_bare(shown, options->segment));
    }
    for (int64_t j = 0; j < in->columns; j++) {
        TRY(check_column(ctx, in, j));
    }
    return NONSENS_OK;
}

/* Uses the caller's values in place if possible, else a copy. */
static nonsens_status take_values(nonsens_context *ctx, const read_state *r, const columns_input *in, int64_t j)
{
    const nonsens_column *from = &in->column[j];
    double *copy; // (rows)
    if (from->stride == 1 && !reading_drops_rows(r->options) && !r->options->na_values[0]) {
        r->t.column[j].value = (double *)from->values; // not written to: a copy is made for that
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, r->memory, copy, in->rows);
    for (int64_t i = 0; i < in->rows; i++) {
        copy[i] = from->values[i * from->stride];
    }
    r->t.column[j].value = copy;
    return NONSENS_OK;
}

static nonsens_status take_column(nonsens_context *ctx, const read_state *r, const columns_input *in, int64_t j)
{
    table_column *column = &r->t.column[j];
    if (!in->column[j].values || !column->asked) {
        return NONSENS_OK; // stays a text column
    }
    TRY(take_values(ctx, r, in, j));
    table_find_missing(r->options->na_values, in->rows, column);
    if (column->missing < in->rows) {
        column->kind = COLUMN_NUMERIC;
    } else {
        column->value = NULL;
    }
    return NONSENS_OK;
}

/*
 * Takes the label of row i; equal labels are one category.  number (labels): the number of each label in order of first
 * appearance among the rows, as for a file; -1 if no row so far has it.
 */
static nonsens_status take_label(nonsens_context *ctx, const columns_input *in, int64_t i, text_set *seen,
                                 int32_t *number, table_column *column)
{
    int32_t label = in->category[i];
    if (label >= in->labels) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "data row %" PRId64 " has the segment number %" PRId32 ", but there are %" PRId64 " labels", i + 1,
                    label, in->labels);
    }
    if (label < 0) {
        column->category[i] = -1;
        table_count_missing(column, i);
        return NONSENS_OK;
    }
    if (number[label] < 0) {
        const char *text = in->label[label];
        if (!utf8_is_valid(text, (int64_t)strlen(text))) {
            char shown[SHOWN_BYTES];
            return fail(ctx, NONSENS_ERR_DATA, "the segment label %s is not UTF-8; pass labels in UTF-8",
                        show_quoted(shown, text));
        }
        TRY(text_set_put(ctx, seen, text, (int64_t)strlen(text), &number[label]));
    }
    column->category[i] = number[label];
    return NONSENS_OK;
}

static nonsens_status take_labels(nonsens_context *ctx, const read_state *r, const columns_input *in,
                                  table_column *column)
{
    text_set seen = {.keep = r->memory, .scratch = r->memory};
    int32_t *number; // (labels)
    ARENA_TRY(ctx, r->memory, column->category, in->rows);
    ARENA_TRY(ctx, r->memory, number, in->labels);
    for (int64_t k = 0; k < in->labels; k++) {
        number[k] = -1;
    }
    for (int64_t i = 0; i < in->rows; i++) {
        TRY(take_label(ctx, in, i, &seen, number, column));
    }
    return table_keep_labels(ctx, r->memory, &seen, column);
}

/* The label column comes last. */
static nonsens_status name_columns(nonsens_context *ctx, read_state *r, const columns_input *in)
{
    text_set names = {.keep = r->memory, .scratch = r->memory};
    for (int64_t j = 0; j < r->t.cols; j++) {
        const char *segment = r->options->segment[0] ? r->options->segment : "segment";
        const char *name = j < in->columns ? in->column[j].name : segment;
        int32_t first;
        TRY(text_set_put(ctx, &names, name, (int64_t)strlen(name), &first));
        if (first < j) {
            char shown[SHOWN_BYTES];
            return fail(ctx, NONSENS_ERR_DATA,
                        "the column name %s is used twice, for columns %" PRId32 " and %" PRId64 "; rename one",
                        show_quoted(shown, name), first + 1, j + 1);
        }
        r->t.column[j].name = names.text[j];
    }
    return NONSENS_OK;
}

/* Fills in the names of all columns, and the values of those that were asked for. */
static nonsens_status fill_table(nonsens_context *ctx, read_state *r, const columns_input *in)
{
    table_options reading = {.wanted = r->wanted_count > 0 ? r->wanted : NULL,
                             .wanted_count = r->wanted_count,
                             .excluded = r->excluded,
                             .excluded_count = r->excluded_count};
    bool labelled = in->category != NULL;
    ARENA_TRY(ctx, r->memory, r->t.path, sizeof TABLE_NAME);
    memcpy(r->t.path, TABLE_NAME, sizeof TABLE_NAME);
    TRY(table_new(ctx, r->memory, in->columns + labelled, &r->t));
    r->rows = r->t.rows = in->rows;
    if (labelled) {
        r->t.segment = &r->t.column[in->columns];
        r->t.segment->is_label = true;
    }
    TRY(name_columns(ctx, r, in));
    table_mark_asked(&r->t, &reading);
    for (int64_t j = 0; j < in->columns; j++) {
        TRY(check_cancelled(ctx));
        TRY(take_column(ctx, r, in, j));
    }
    return labelled ? take_labels(ctx, r, in, r->t.segment) : NONSENS_OK;
}

nonsens_status nonsens_data_from_columns(nonsens_context *ctx, int64_t rows, int64_t columns,
                                         const nonsens_column *column, const int32_t *category, int64_t labels,
                                         const char *const *label, const nonsens_options *options, nonsens_data **out)
{
    NEEDED(ctx, column, options, out);
    *out = NULL;
    TRY(options_begin(ctx, options, READING_COMMANDS));
    REQUIRE_COUNT(ctx, rows, 0, NONSENS_MAX_COUNT);
    REQUIRE_COUNT(ctx, columns, 0, NONSENS_MAX_COUNT);
    REQUIRE_COUNT(ctx, labels, 0, NONSENS_MAX_COUNT);
    REQUIRE_TEXTS(ctx, label, category ? labels : 0);
    SCOPED_ARENA(memory);
    read_state r = {.options = options, .memory = &memory, .remedy = READING_REMEDY};
    columns_input in = {rows, columns, labels, column, category, label};
    TRY(check_input(ctx, &in, options));
    TRY(options_check(ctx, options));
    TRY(reading_list_wanted(ctx, &r));
    TRY(fill_table(ctx, &r, &in));
    TRY(reading_find_no_variables(ctx, &r, 1));
    TRY(reading_interpret(ctx, &r));
    return reading_finish(ctx, &r, out);
}
