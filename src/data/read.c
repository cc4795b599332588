/*
 * read.c - from a file to a data set: which columns are variables, which one is the segment, what happens to missing
 * values.
 */
#include "data/dataset.h"
#include "data/table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LIST_BYTES = 400 };

/* The file lacks a column that was asked for: the data's fault as much as the user's. */
static const nonsens_status UNKNOWN_COLUMN = NONSENS_ERR_DATA;

typedef struct reading {
    const nonsens_options *options;
    arena memory;
    table t;
    int64_t label;     // column with the segment labels, or -1
    int64_t *variable; // (variables) columns
    int64_t variables;
    int64_t rows;       // rows kept
    int64_t *input_row; // (rows) or NULL: all
    int32_t *category;  // (rows) or NULL: no segments
    char **labels;      // (segments)
    int64_t segments;
} reading;

/* ---- which columns ------------------------------------------------------------------------------------------- */

/* Appends a name to a list in a buffer of LIST_BYTES; once it is full, "..." ends it. */
static void list_add(char *list, const char *name)
{
    size_t used = strlen(list), length = strlen(name);
    const char *separator = used ? ", " : "";
    if (used >= 3 && strcmp(list + used - 3, "...") == 0) {
        return;
    }
    bool fits = used + length + sizeof ", \"\", ..." < LIST_BYTES;
    snprintf(list + used, LIST_BYTES - used, fits ? "%s\"%s\"" : "%s...", separator, name);
}

static nonsens_status unknown_column(nonsens_context *ctx, const table *t, const char *name)
{
    char list[LIST_BYTES] = "";
    for (int64_t j = 0; j < t->cols; j++) {
        list_add(list, t->column[j].name);
    }
    return fail(ctx, UNKNOWN_COLUMN, "%s: there is no column \"%.200s\"; the columns are %s", t->path, name, list);
}

static bool is_chosen(const reading *r, int64_t column)
{
    for (int64_t k = 0; k < r->variables; k++) {
        if (r->variable[k] == column) {
            return true;
        }
    }
    return false;
}

/* Adds the column called `name` to the variables. */
static nonsens_status choose(nonsens_context *ctx, reading *r, const char *name)
{
    int64_t j = table_find(&r->t, name);
    if (j < 0) {
        return unknown_column(ctx, &r->t, name);
    }
    const table_column *column = &r->t.column[j];
    if (j == r->label) {
        return fail(ctx, NONSENS_ERR_USAGE, "column \"%s\" is the segment label and cannot be a variable too",
                    column->name);
    }
    if (is_chosen(r, j)) {
        return fail(ctx, NONSENS_ERR_USAGE, "column \"%s\" is named twice; name different columns", column->name);
    }
    if (column->kind == COLUMN_TEXT) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "%s: column \"%s\" holds text: categorical variables are not supported; choose numeric columns or "
                    "use it as --segment",
                    r->t.path, column->name);
    }
    r->variable[r->variables++] = j;
    return NONSENS_OK;
}

/* A name of the list: as it stands, or without the blanks around it where no column has them. */
static const char *trimmed(const table *t, char *name)
{
    if (table_find(t, name) >= 0) {
        return name;
    }
    name += strspn(name, " \t");
    size_t length = strlen(name);
    while (length > 0 && (name[length - 1] == ' ' || name[length - 1] == '\t')) {
        name[--length] = '\0';
    }
    return name;
}

static nonsens_status choose_listed(nonsens_context *ctx, reading *r)
{
    char *rest = arena_text(ctx, &r->memory, r->options->vars);
    if (!rest) {
        return NONSENS_ERR_MEMORY;
    }
    while (rest) {
        char *comma = strchr(rest, ',');
        if (comma) {
            *comma = '\0';
        }
        const char *name = trimmed(&r->t, rest);
        if (!*name) {
            return fail(ctx, NONSENS_ERR_USAGE, "--vars %.200s: a name is missing; write --vars a,b,c",
                        r->options->vars);
        }
        TRY(choose(ctx, r, name));
        rest = comma ? comma + 1 : NULL;
    }
    return NONSENS_OK;
}

static nonsens_status choose_numeric(nonsens_context *ctx, reading *r)
{
    for (int64_t j = 0; j < r->t.cols; j++) {
        if (j != r->label && r->t.column[j].kind == COLUMN_NUMERIC) {
            r->variable[r->variables++] = j;
        }
    }
    if (r->variables == 0) {
        return fail(ctx, NONSENS_ERR_DATA, "%s: there is no numeric column%s; variables must be numbers", r->t.path,
                    r->label >= 0 ? " beside the segment label" : "");
    }
    return NONSENS_OK;
}

static nonsens_status choose_variables(nonsens_context *ctx, reading *r)
{
    const nonsens_options *o = r->options;
    ARENA_TRY(ctx, &r->memory, r->variable, r->t.cols + 2);
    if (o->x[0] && o->y[0]) {
        TRY(choose(ctx, r, o->x));
        return choose(ctx, r, o->y);
    }
    if (o->x[0] || o->y[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "--%s is given without --%s; name both variables", o->x[0] ? "x" : "y",
                    o->x[0] ? "y" : "x");
    }
    return o->vars[0] ? choose_listed(ctx, r) : choose_numeric(ctx, r);
}

/* ---- missing values ------------------------------------------------------------------------------------------ */

static bool cell_missing(const table_column *column, int64_t i)
{
    return column->category ? column->category[i] < 0 : isnan(column->value[i]);
}

/* The k-th column that must be complete: the variables, then the label. */
static const table_column *needed_column(const reading *r, int64_t k)
{
    return &r->t.column[k < r->variables ? r->variable[k] : r->label];
}

static int64_t needed_columns(const reading *r)
{
    return r->variables + (r->label >= 0);
}

static bool row_complete(const reading *r, int64_t i)
{
    for (int64_t k = 0; k < needed_columns(r); k++) {
        if (cell_missing(needed_column(r, k), i)) {
            return false;
        }
    }
    return true;
}

static nonsens_status refuse_missing(nonsens_context *ctx, const reading *r)
{
    const table_column *worst = NULL;
    int64_t row = INT64_MAX;
    for (int64_t k = 0; k < needed_columns(r); k++) {
        const table_column *column = needed_column(r, k);
        if (column->missing > 0 && column->first_missing < row) {
            worst = column;
            row = column->first_missing;
        }
    }
    if (!worst) {
        return NONSENS_OK;
    }
    char line[40] = "";
    if (r->t.line) {
        snprintf(line, sizeof line, "line %" PRId64 ", ", r->t.line[row]);
    }
    return fail(ctx, NONSENS_ERR_DATA,
                "%s: column \"%s\" has a missing value (%sdata row %" PRId64 "); leave out such rows with --na "
                "drop-rows",
                r->t.path, worst->name, line, row + 1);
}

/* Moves the complete rows to the front of the columns that are needed. */
static nonsens_status drop_incomplete(nonsens_context *ctx, reading *r)
{
    ARENA_TRY(ctx, &r->memory, r->input_row, r->t.rows);
    int64_t kept = 0;
    for (int64_t i = 0; i < r->t.rows; i++) {
        if (row_complete(r, i)) {
            r->input_row[kept++] = i;
        }
    }
    for (int64_t k = 0; k < needed_columns(r); k++) {
        const table_column *column = needed_column(r, k);
        for (int64_t i = 0; i < kept; i++) {
            if (column->category) {
                column->category[i] = column->category[r->input_row[i]];
            } else {
                column->value[i] = column->value[r->input_row[i]];
            }
        }
    }
    r->rows = kept;
    if (kept == 0) {
        return fail(ctx, NONSENS_ERR_DATA, "%s: every row has a missing value; choose other columns with --vars",
                    r->t.path);
    }
    return NONSENS_OK;
}

/* ---- segments ------------------------------------------------------------------------------------------------ */

/* K of "equal:K", or 0 where the text is something else. */
static int64_t block_count(const char *text)
{
    static const char prefix[] = "equal:";
    if (strncmp(text, prefix, sizeof prefix - 1) != 0) {
        return 0;
    }
    int64_t blocks = 0;
    for (const char *at = text + sizeof prefix - 1; *at; at++) {
        if (*at < '0' || *at > '9' || blocks > INT32_MAX / 10 - 1) {
            return 0;
        }
        blocks = 10 * blocks + (*at - '0');
    }
    return blocks;
}

static nonsens_status cut_blocks(nonsens_context *ctx, reading *r)
{
    int64_t blocks = block_count(r->options->segments);
    if (blocks < 2) {
        return fail(ctx, NONSENS_ERR_USAGE, "--segments %s: write equal:K with a whole number K of at least 2",
                    r->options->segments);
    }
    if (blocks > r->rows) {
        return fail(ctx, NONSENS_ERR_USAGE, "--segments %s: there are only %" PRId64 " rows to cut",
                    r->options->segments, r->rows);
    }
    ARENA_TRY(ctx, &r->memory, r->category, r->rows);
    ARENA_TRY(ctx, &r->memory, r->labels, blocks);
    for (int64_t i = 0; i < r->rows; i++) {
        r->category[i] = (int32_t)(i * blocks / r->rows);
    }
    for (int64_t k = 0; k < blocks; k++) {
        r->labels[k] = arena_format(ctx, &r->memory, "%" PRId64, k + 1);
        if (!r->labels[k]) {
            return NONSENS_ERR_MEMORY;
        }
    }
    r->segments = blocks;
    return NONSENS_OK;
}

static nonsens_status choose_segments(nonsens_context *ctx, reading *r)
{
    if (r->label >= 0) {
        const table_column *column = &r->t.column[r->label];
        r->category = column->category;
        r->labels = column->labels;
        r->segments = column->label_count;
        return NONSENS_OK;
    }
    return r->options->segments[0] ? cut_blocks(ctx, r) : NONSENS_OK;
}

/* ---- warnings ------------------------------------------------------------------------------------------------ */

static nonsens_status warn_left_out(nonsens_context *ctx, const reading *r, nonsens_data *data)
{
    char list[LIST_BYTES] = "";
    int64_t count = 0;
    for (int64_t j = 0; j < r->t.cols; j++) {
        if (j != r->label && r->t.column[j].kind == COLUMN_TEXT) {
            list_add(list, r->t.column[j].name);
            count++;
        }
    }
    bool asked = r->options->x[0] || r->options->vars[0];
    if (count == 0 || asked) {
        return NONSENS_OK;
    }
    return dataset_warn(ctx, data, "left out, because no value in it is a number: column%s %s", count > 1 ? "s" : "",
                        list);
}

static nonsens_status warn_dropped(nonsens_context *ctx, const reading *r, nonsens_data *data)
{
    if (r->rows < r->t.rows) {
        TRY(dataset_warn(ctx, data, "%" PRId64 " of %" PRId64 " rows were left out because a value is missing in them",
                         r->t.rows - r->rows, r->t.rows));
    }
    if (r->segments > data->segments) {
        TRY(dataset_warn(ctx, data, "%" PRId64 " of %" PRId64 " segments have no rows left",
                         r->segments - data->segments, r->segments));
    }
    return NONSENS_OK;
}

/* ---- the door ------------------------------------------------------------------------------------------------ */

/* Names the file in front of what is wrong with its contents. */
static nonsens_status name_file(nonsens_context *ctx, const reading *r, nonsens_status status)
{
    char sentence[MESSAGE_BYTES];
    if (status != NONSENS_ERR_DATA) {
        return status;
    }
    memcpy(sentence, ctx->message, sizeof sentence);
    return fail(ctx, status, "%.300s: %.700s", r->t.path, sentence);
}

static nonsens_status build(nonsens_context *ctx, reading *r, nonsens_data **out)
{
    const double **column; // (variables)
    const char **names;    // (variables)
    ARENA_TRY(ctx, &r->memory, column, r->variables);
    ARENA_TRY(ctx, &r->memory, names, r->variables);
    for (int64_t k = 0; k < r->variables; k++) {
        column[k] = r->t.column[r->variable[k]].value;
        names[k] = r->t.column[r->variable[k]].name;
    }
    nonsens_status status = dataset_build(ctx, r->rows, r->variables, column, names, r->category, r->segments,
                                          (const char *const *)r->labels, r->input_row, out);
    if (status != NONSENS_OK) {
        return name_file(ctx, r, status);
    }
    (*out)->input_rows = r->t.rows;
    TRY(warn_left_out(ctx, r, *out));
    return warn_dropped(ctx, r, *out);
}

static nonsens_status read_all(nonsens_context *ctx, const char *path, reading *r, nonsens_data **out)
{
    const nonsens_options *o = r->options;
    if (o->segment[0] && o->segments[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--segment and --segments cannot be combined: labels come from a column or from row order");
    }
    table_options how = {.no_header = o->no_header, .label = o->segment[0] ? o->segment : NULL};
    nonsens_status status = table_read(ctx, &r->memory, path, &how, &r->t);
    if (status != NONSENS_OK) {
        return status == NONSENS_ERR_USAGE ? UNKNOWN_COLUMN : status; // the label column is all that it can lack
    }
    r->rows = r->t.rows;
    r->label = o->segment[0] ? table_find(&r->t, o->segment) : -1;
    TRY(choose_variables(ctx, r));
    TRY(o->na == NA_DROP_ROWS ? drop_incomplete(ctx, r) : refuse_missing(ctx, r));
    TRY(choose_segments(ctx, r));
    return build(ctx, r, out);
}

nonsens_status nonsens_data_read(nonsens_context *ctx, const char *path, const nonsens_options *options,
                                 nonsens_data **out)
{
    *out = NULL;
    reading r = {.options = options};
    nonsens_status status = read_all(ctx, path, &r, out);
    arena_free(&r.memory);
    if (status != NONSENS_OK) {
        nonsens_data_free(*out);
        *out = NULL;
    }
    return status;
}
