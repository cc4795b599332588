/*
 * read.c - makes a data set from files: which columns are variables, which one is the segment, what happens to missing
 * values.  read_files.c combines several files; columns.c starts from a table in memory.
 */
#include "base/require.h"
#include "base/show.h"
#include "data/audit.h"
#include "data/tidy.h"
#include "read/read_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LIST_BYTES = 400 };

/* ---- which columns ------------------------------------------------------------------------------------------- */

/* Appends a name to a list in a buffer of LIST_BYTES; once it is full, "..." ends it. */
static void list_add(char *list, const char *name)
{
    char shown[SHOWN_BYTES];
    size_t used = strlen(list), length = strlen(show_quoted(shown, name));
    const char *separator = used ? ", " : "";
    if (used >= 3 && strcmp(list + used - 3, "...") == 0) {
        return;
    }
    bool fits = used + length + sizeof ", , ..." < LIST_BYTES;
    snprintf(list + used, LIST_BYTES - used, "%s%s", separator, fits ? shown : "...");
}

static nonsens_status unknown_column(nonsens_context *ctx, const table *t, const char *name)
{
    char list[LIST_BYTES] = "", wanted[SHOWN_BYTES], hint[HINT_BYTES];
    nearest near = table_nearest(t, name);
    for (int64_t j = 0; j < t->cols; j++) {
        list_add(list, t->column[j].name);
    }
    return fail(ctx, NONSENS_ERR_DATA, "%s: there is no column %s; the columns are %s%s", t->path,
                show_quoted(wanted, name), list, nearest_hint(&near, hint));
}

bool reading_is_variable(const read_state *r, int64_t column)
{
    for (int64_t k = 0; k < r->variables; k++) {
        if (r->variable[k] == column) {
            return true;
        }
    }
    return false;
}

/* Adds the column called `name` to the variables. */
static nonsens_status choose(nonsens_context *ctx, read_state *r, const char *name)
{
    int64_t j = table_find(&r->t, name);
    if (j < 0) {
        return unknown_column(ctx, &r->t, name);
    }
    const table_column *column = &r->t.column[j];
    char shown[SHOWN_BYTES];
    show_quoted(shown, column->name);
    if (j == r->label) {
        return fail(ctx, NONSENS_ERR_USAGE, "column %s is the segment label and cannot be a variable too", shown);
    }
    if (reading_is_variable(r, j)) {
        return fail(ctx, NONSENS_ERR_USAGE, "column %s is named twice; name different columns", shown);
    }
    if (column->kind == COLUMN_TEXT) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "%s: column %s holds text: categorical variables are not supported; choose numeric columns or use "
                    "it as --segment",
                    r->t.path, shown);
    }
    r->variable[r->variables++] = j;
    return NONSENS_OK;
}

/* Lists of names that say which columns are wanted, in this order. */
enum { LISTS = 4 };

/* Spells a name of a list in two ways, as it stands and without blanks around it: a column may have either name. */
static nonsens_status spell_name(nonsens_context *ctx, read_state *r, const char *begin, const char *end,
                                 const char *spelling[2])
{
    const char *first = begin + strspn(begin, " \t"), *last = end;
    while (last > first && (last[-1] == ' ' || last[-1] == '\t')) {
        last--;
    }
    spelling[0] = arena_format(ctx, r->memory, "%.*s", (int)(end - begin), begin);
    spelling[1] = spelling[0] ? arena_format(ctx, r->memory, "%.*s", (int)(last - first), first) : NULL;
    return spelling[1] ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

/* A list as a whole may also be a name, with commas in it. */
nonsens_status reading_list_wanted(nonsens_context *ctx, read_state *r)
{
    const nonsens_options *o = r->options;
    const char *list[LISTS] = {o->x, o->y, o->given, o->vars}, *begin, *end;
    int64_t room = 0;
    for (int k = 0; k < LISTS; k++) {
        room += 3 * option_count_names(list[k]);
    }
    ARENA_TRY(ctx, r->memory, r->wanted, room);
    for (int k = 0; k < LISTS; k++) {
        const char *rest = list[k];
        if (rest[0]) {
            r->wanted[r->wanted_count++] = rest;
        }
        while (option_next_name(&rest, &begin, &end)) {
            TRY(spell_name(ctx, r, begin, end, r->wanted + r->wanted_count));
            r->wanted_count += 2;
        }
    }
    return NONSENS_OK;
}

static nonsens_status choose_list(nonsens_context *ctx, read_state *r, const char *list)
{
    const char *begin, *end, *spelling[2];
    if (list[0] && table_find(&r->t, list) >= 0) {
        return choose(ctx, r, list);
    }
    while (option_next_name(&list, &begin, &end)) {
        TRY(spell_name(ctx, r, begin, end, spelling));
        TRY(choose(ctx, r, spelling[table_find(&r->t, spelling[0]) < 0]));
    }
    return NONSENS_OK;
}

static nonsens_status refuse_text(nonsens_context *ctx, const read_state *r)
{
    const table *t = &r->t;
    const char *beside = r->label >= 0 ? " beside the segment label" : "";
    if (!t->text_cell) {
        return fail(ctx, NONSENS_ERR_DATA, "%s: there is no numeric column%s; variables must be numbers", t->path,
                    beside);
    }
    char name[SHOWN_BYTES];
    return fail(ctx, NONSENS_ERR_DATA,
                "%s: there is no numeric column%s; the first value of column %s is %s, and variables must be numbers%s",
                t->path, beside, show_quoted(name, t->column[t->text_column].name), t->text_cell,
                t->decimal_comma ? ": write a decimal point, not a decimal comma" : "");
}

/* Chooses the columns that were named, or else all numeric ones. */
static nonsens_status choose_variables(nonsens_context *ctx, read_state *r)
{
    const nonsens_options *o = r->options;
    const char *list[LISTS] = {o->x, o->y, o->given, o->vars};
    ARENA_TRY(ctx, r->memory, r->variable, r->t.cols);
    for (int k = 0; k < LISTS; k++) {
        TRY(choose_list(ctx, r, list[k]));
    }
    for (int64_t j = 0; j < r->t.cols && r->wanted_count == 0; j++) {
        if (j != r->label && r->t.column[j].kind == COLUMN_NUMERIC) {
            r->variable[r->variables++] = j;
        }
    }
    return r->variables > 0 ? NONSENS_OK : refuse_text(ctx, r);
}

/* ---- missing values ------------------------------------------------------------------------------------------ */

static bool cell_missing(const table_column *column, int64_t i)
{
    return column->category ? column->category[i] < 0 : !column->value || isnan(column->value[i]);
}

/* Returns the k-th column that must be complete: the variables, then the label. */
static const table_column *needed_column(const read_state *r, int64_t k)
{
    return &r->t.column[k < r->variables ? r->variable[k] : r->label];
}

static int64_t needed_columns(const read_state *r)
{
    return r->variables + (r->label >= 0);
}

static bool row_complete(const read_state *r, int64_t i)
{
    for (int64_t k = 0; k < needed_columns(r); k++) {
        if (cell_missing(needed_column(r, k), i)) {
            return false;
        }
    }
    return true;
}

/* Fails at the first missing value of the columns from the k-th needed one on. */
static nonsens_status refuse_missing(nonsens_context *ctx, const read_state *r, int64_t k)
{
    const table_column *first = NULL;
    int64_t row = INT64_MAX;
    for (; k < needed_columns(r); k++) {
        const table_column *column = needed_column(r, k);
        if (column->missing > 0 && column->first_missing < row) {
            first = column;
            row = column->first_missing;
        }
    }
    if (!first) {
        return NONSENS_OK;
    }
    char line[40] = "", shown[SHOWN_BYTES];
    if (r->t.line) {
        snprintf(line, sizeof line, "line %" PRId64 ", ", r->t.line[row]);
    }
    return fail(ctx, NONSENS_ERR_DATA, "%s: column %s has a missing value (%sdata row %" PRId64 "); %s", r->t.path,
                show_quoted(shown, first->name), line, row + 1, r->remedy);
}

/* Moves the complete rows to the front of the columns that are needed. */
static nonsens_status drop_incomplete(nonsens_context *ctx, read_state *r)
{
    ARENA_TRY(ctx, r->memory, r->input_row, r->t.rows);
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
    return NONSENS_OK;
}

nonsens_status reading_settle_missing(nonsens_context *ctx, read_state *r)
{
    bool gaps = r->options->na == NA_PAIRWISE; // of variables; labels must be there
    return r->options->na == NA_DROP_ROWS ? drop_incomplete(ctx, r) : refuse_missing(ctx, r, gaps ? r->variables : 0);
}

/* ---- segments ------------------------------------------------------------------------------------------------ */

static nonsens_status cut_blocks(nonsens_context *ctx, read_state *r)
{
    int64_t blocks = options_blocks(r->options);
    if (blocks > r->rows) {
        return fail(ctx, NONSENS_ERR_USAGE, "--segments equal:%" PRId64 ": there %s only %" PRId64 " row%s to cut",
                    blocks, r->rows == 1 ? "is" : "are", r->rows, r->rows == 1 ? "" : "s");
    }
    ARENA_TRY(ctx, r->memory, r->category, r->rows);
    ARENA_TRY(ctx, r->memory, r->labels, blocks);
    for (int64_t i = 0; i < r->rows; i++) {
        r->category[i] = (int32_t)(i * blocks / r->rows);
    }
    for (int64_t k = 0; k < blocks; k++) {
        r->labels[k] = arena_format(ctx, r->memory, "%" PRId64, k + 1);
        if (!r->labels[k]) {
            return NONSENS_ERR_MEMORY;
        }
    }
    r->segments = blocks;
    return NONSENS_OK;
}

static nonsens_status choose_segments(nonsens_context *ctx, read_state *r)
{
    if (r->label >= 0) {
        const table_column *column = &r->t.column[r->label];
        r->category = column->category;
        r->labels = column->labels;
        r->segments = column->label_count;
        return NONSENS_OK;
    }
    return r->options->segments[0] && r->rows > 0 ? cut_blocks(ctx, r) : NONSENS_OK;
}

/* ---- warnings ------------------------------------------------------------------------------------------------ */

/*
 * Warns of columns that are left out.  If no variables were named, these are all columns without a number.  If they
 * were, only those that would have been an error: the user knows that the others are left out.
 */
static nonsens_status warn_left_out(nonsens_context *ctx, const read_state *r, nonsens_data *data)
{
    char list[LIST_BYTES] = "";
    int64_t count = 0;
    bool named = r->wanted_count > 0;
    for (int64_t j = 0; j < r->t.cols; j++) {
        const table_column *column = &r->t.column[j];
        if (j != r->label && column->kind == COLUMN_TEXT && (column->mixed || !named)) {
            list_add(list, column->name);
            count++;
        }
    }
    if (count == 0) {
        return NONSENS_OK;
    }
    return dataset_warn(ctx, data, "left out, because %s in it is a number: column%s %s",
                        named ? "not every value" : "no value", count > 1 ? "s" : "", list);
}

static nonsens_status warn_dropped(nonsens_context *ctx, const read_state *r, nonsens_data *data)
{
    if (r->rows < r->t.rows) {
        int64_t dropped = r->t.rows - r->rows;
        TRY(dataset_warn(ctx, data, "%" PRId64 " of %" PRId64 " rows %s left out because a value is missing in %s",
                         dropped, r->t.rows, dropped == 1 ? "was" : "were", dropped == 1 ? "it" : "them"));
    }
    if (r->emptied > 0) {
        TRY(dataset_warn(ctx, data, "%" PRId64 " of %" PRId64 " segments %s no rows left", r->emptied, r->segments,
                         r->emptied == 1 ? "has" : "have"));
    }
    return NONSENS_OK;
}

static nonsens_status warn_gaps(nonsens_context *ctx, nonsens_data *data)
{
    char list[LIST_BYTES] = "";
    int64_t cells = 0, columns = 0;
    for (int64_t j = 0; data->gap && j < data->d; j++) {
        int64_t before = cells;
        for (int64_t i = 0; i < data->n; i++) {
            cells += dataset_is_gap(data, i, j);
        }
        if (cells > before) {
            list_add(list, data->names[j]);
            columns++;
        }
    }
    if (cells == 0) {
        return NONSENS_OK;
    }
    return dataset_warn(ctx, data,
                        "%" PRId64 " value%s missing in %s: each variable is judged by the rows that have it and its "
                        "causes, as if values were missing at random",
                        cells, cells == 1 ? " is" : "s are", list);
}

/* ---- whole data sets ----------------------------------------------------------------------------------------- */

/* Makes the data set, leaves out what no method can use, and audits the rest unless pairs are audited one by one. */
static nonsens_status make_data(nonsens_context *ctx, read_state *r, nonsens_data **data)
{
    const double **column; // (variables)
    const char **names;    // (variables)
    ARENA_TRY(ctx, r->memory, column, r->variables);
    ARENA_TRY(ctx, r->memory, names, r->variables);
    for (int64_t k = 0; k < r->variables; k++) {
        column[k] = r->t.column[r->variable[k]].value;
        names[k] = r->t.column[r->variable[k]].name;
    }
    TRY(dataset_new_unaudited(ctx, r->rows, r->variables, column, names, r->category, r->segments,
                              (const char *const *)r->labels, r->input_row, data));
    r->emptied = r->segments - (*data)->segments;
    TRY(tidy_dataset(ctx, r->options, r->wanted_count > 0, data));
    return r->options->pairs[0] ? NONSENS_OK : audit_dataset(ctx, *data);
}

nonsens_status reading_finish(nonsens_context *ctx, read_state *r, nonsens_data **out)
{
    SCOPED(memory_release_scoped) nonsens_data *data = NULL;
    char sentence[MESSAGE_BYTES];
    if (r->rows == 0) {
        return fail(ctx, NONSENS_ERR_DATA, "%s: every row has a missing value; choose other columns with --vars",
                    r->t.path);
    }
    nonsens_status status = make_data(ctx, r, &data);
    if (status == NONSENS_ERR_DATA) { // puts the file's name in front of the message
        memcpy(sentence, ctx->message, sizeof sentence);
        return fail(ctx, status, "%.300s: %.700s", r->t.path, sentence);
    }
    TRY(status);
    data->by_role = r->options->x[0] != '\0';
    TRY(warn_left_out(ctx, r, data));
    TRY(warn_dropped(ctx, r, data));
    TRY(warn_gaps(ctx, data));
    *out = data;
    data = NULL;
    return NONSENS_OK;
}

static nonsens_status read_table(nonsens_context *ctx, const char *path, read_state *r)
{
    const nonsens_options *o = r->options;
    table_options reading = {.no_header = o->no_header,
                             .label = o->segment[0] ? o->segment : NULL,
                             .wanted = r->wanted_count > 0 ? r->wanted : NULL,
                             .wanted_count = r->wanted_count};
    TRY(table_read(ctx, r->memory, path, &reading, &r->t));
    r->rows = r->t.rows;
    r->label = o->segment[0] ? table_find(&r->t, o->segment) : -1;
    return NONSENS_OK;
}

nonsens_status reading_interpret(nonsens_context *ctx, read_state *r)
{
    TRY(choose_variables(ctx, r));
    TRY(reading_settle_missing(ctx, r));
    return choose_segments(ctx, r);
}

static nonsens_status read_several(nonsens_context *ctx, const char *const *paths, int64_t count, read_state *r)
{
    read_state *part; // (count)
    TRY(reading_check_files(ctx, paths, count, r->options));
    ARENA_TRY(ctx, r->memory, part, count);
    for (int64_t k = 0; k < count; k++) {
        part[k] = *r;
        TRY(read_table(ctx, paths[k], &part[k]));
        TRY(choose_variables(ctx, &part[k]));
    }
    return reading_stack(ctx, paths, count, part, r);
}

nonsens_status dataset_read_files(nonsens_context *ctx, const char *const *paths, int64_t count,
                                  const nonsens_options *options, const char *remedy, nonsens_data **out)
{
    *out = NULL;
    TRY(options_begin(ctx, options, READING_COMMANDS));
    SCOPED_ARENA(memory);
    read_state r = {.options = options, .memory = &memory, .remedy = remedy};
    TRY(options_check(ctx, options));
    TRY(reading_list_wanted(ctx, &r));
    if (count > 1) {
        TRY(read_several(ctx, paths, count, &r));
    } else {
        TRY(read_table(ctx, paths[0], &r));
        TRY(reading_interpret(ctx, &r));
    }
    return reading_finish(ctx, &r, out);
}

nonsens_status nonsens_data_read_files(nonsens_context *ctx, const char *const *paths, int64_t count,
                                       const nonsens_options *options, nonsens_data **out)
{
    NEEDED(ctx, paths, options, out);
    *out = NULL;
    REQUIRE_COUNT(ctx, count, 1, NONSENS_MAX_COUNT);
    REQUIRE_TEXTS(ctx, paths, count);
    return dataset_read_files(ctx, paths, count, options, READING_REMEDY, out);
}

nonsens_status nonsens_data_read(nonsens_context *ctx, const char *path, const nonsens_options *options,
                                 nonsens_data **out)
{
    NEEDED(ctx, path, options, out);
    return dataset_read_files(ctx, &path, 1, options, READING_REMEDY, out);
}
