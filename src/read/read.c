/*
 * read.c - makes a data set from files: decides which columns are variables, which one is the segment, and what happens
 * to missing values.  read_files.c combines several files; columns.c starts from a table in memory.
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

/* ---- which columns ------------------------------------------------------------------------------------------- */

nonsens_status reading_fail_column(nonsens_context *ctx, const table *t, const char *name)
{
    char list[LIST_BYTES] = "", wanted[SHOWN_BYTES], hint[HINT_BYTES];
    nearest near = table_nearest(t, name);
    for (int64_t j = 0; j < t->cols; j++) {
        reading_list_add(list, t->column[j].name);
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

/* Writes "column "a" holds text, such as "x" in line 2", and what to do if "x" is meant as a number. */
static void describe_text(const table_column *column, char *out, size_t bytes)
{
    char shown[SHOWN_BYTES], such[SHOWN_BYTES + 64] = "";
    if (column->text_cell) {
        snprintf(such, sizeof such, ", such as %s in line %" PRId64, column->text_cell, column->text_line);
    }
    snprintf(out, bytes, "column %s holds text%s%s%s%s", show_quoted(shown, column->name), such,
             column->text_hint ? "; to read that as a number, use " : "", column->text_hint ? column->text_hint : "",
             column->text_hint
                 ? ""
                 : ": categorical variables are not supported; choose numeric columns, or use it as --segment");
}

static nonsens_status refuse_text_column(nonsens_context *ctx, const read_state *r, const table_column *column)
{
    char what[MESSAGE_BYTES];
    describe_text(column, what, sizeof what);
    return fail(ctx, NONSENS_ERR_DATA, "%.300s: %.600s", r->t.path, what);
}

/* Adds the column with this name to the variables. */
static nonsens_status choose(nonsens_context *ctx, read_state *r, const char *name)
{
    int64_t j = table_find(&r->t, name);
    if (j < 0) {
        return reading_fail_column(ctx, &r->t, name);
    }
    const table_column *column = &r->t.column[j];
    char shown[SHOWN_BYTES];
    show_quoted(shown, column->name);
    if (column->is_label) {
        return fail(ctx, NONSENS_ERR_USAGE, "column %s has the segment labels and cannot be a variable too", shown);
    }
    if (reading_is_variable(r, j)) {
        return fail(ctx, NONSENS_ERR_USAGE, "column %s is named twice; name different columns", shown);
    }
    if (column->excluded) {
        return fail(ctx, NONSENS_ERR_USAGE, "column %s is excluded and named as a variable; do one of the two", shown);
    }
    if (column->kind == COLUMN_TEXT) {
        return refuse_text_column(ctx, r, column);
    }
    r->variable[r->variables++] = j;
    return NONSENS_OK;
}

/* Lists of names that say which columns are wanted, in this order. */
enum { LISTS = 4 };

/* Gives two spellings of a name in a list, as it stands and without blanks around it: a column may have either. */
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

/* Adds all spellings of the names in a list; the whole list may also be a single name with commas. */
static nonsens_status add_spellings(nonsens_context *ctx, read_state *r, const char *list, const char **name,
                                    int64_t *count)
{
    const char *begin, *end;
    if (list[0]) {
        name[(*count)++] = list;
    }
    while (option_next_name(&list, &begin, &end)) {
        TRY(spell_name(ctx, r, begin, end, name + *count));
        *count += 2;
    }
    return NONSENS_OK;
}

nonsens_status reading_list_wanted(nonsens_context *ctx, read_state *r)
{
    const nonsens_options *o = r->options;
    const char *list[LISTS] = {o->x, o->y, o->given, o->vars};
    int64_t room = 0;
    for (int k = 0; k < LISTS; k++) {
        room += 3 * option_count_names(list[k]);
    }
    ARENA_TRY(ctx, r->memory, r->wanted, room);
    ARENA_TRY(ctx, r->memory, r->excluded, 3 * option_count_names(o->exclude));
    for (int k = 0; k < LISTS; k++) {
        TRY(add_spellings(ctx, r, list[k], r->wanted, &r->wanted_count));
    }
    return add_spellings(ctx, r, o->exclude, r->excluded, &r->excluded_count);
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
    const char *beside = t->segment ? " beside the segment label" : "";
    char what[MESSAGE_BYTES] = "variables must be numbers";
    for (int64_t j = 0; j < t->cols; j++) {
        if (!t->column[j].is_label && !t->column[j].excluded && t->column[j].text_cell) {
            describe_text(&t->column[j], what, sizeof what);
            break;
        }
    }
    return fail(ctx, NONSENS_ERR_DATA, "%.300s: there is no numeric column%s; %.500s", t->path, beside, what);
}

/* Returns how many variables the command needs. */
static int64_t needed_variables(const nonsens_options *options)
{
    return options->command == NONSENS_COMMAND_DIAGNOSE ? 1 : 2;
}

/* Lists the columns that are left out because they number the rows; fails if too few variables remain. */
static nonsens_status leave_out_numbering(nonsens_context *ctx, read_state *r)
{
    const table *t = &r->t;
    char shown[SHOWN_BYTES];
    ARENA_TRY(ctx, r->memory, r->numbering, t->cols);
    for (int64_t j = 0; j < t->cols; j++) {
        if (t->column[j].is_numbering) {
            r->numbering[r->numberings++] = t->column[j].name;
        }
    }
    if (r->numberings == 0 || r->variables >= needed_variables(r->options)) {
        return NONSENS_OK;
    }
    return fail(
        ctx, NONSENS_ERR_DATA,
        "%.300s: column %s only numbers the rows and was left out, and %s needs %s; if that column is a variable, "
        "name all variables with --vars",
        t->path, show_quoted(shown, r->numbering[0]), option_command_name(r->options->command),
        needed_variables(r->options) == 1 ? "a variable" : "two variables");
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
        if (reading_may_be_variable(&r->t.column[j])) {
            r->variable[r->variables++] = j;
        }
    }
    TRY(r->wanted_count == 0 ? leave_out_numbering(ctx, r) : NONSENS_OK);
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
    return k < r->variables ? &r->t.column[r->variable[k]] : r->t.segment;
}

static int64_t needed_columns(const read_state *r)
{
    return r->variables + (r->t.segment != NULL);
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

/* Fails if the k-th needed column, or one after it, has a missing value; names the first row that has one. */
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
    bool takes_missing = !first->is_label &&
                         (r->options->command & (NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_DISCOVER)) &&
                         strcmp(r->remedy, READING_REMEDY) == 0;
    return fail(ctx, NONSENS_ERR_DATA, "%s: column %s has a missing value (%sdata row %" PRId64 "); %s%s", r->t.path,
                show_quoted(shown, first->name), line, row + 1, r->remedy,
                takes_missing ? ", or use what each pair or mechanism has with --na pairwise" : "");
}

/* Moves the complete rows to the front of the needed columns. */
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
    bool gaps = r->options->na == NA_PAIRWISE; // in variables; labels must not be missing
    TRY(r->options->na == NA_DROP_ROWS ? NONSENS_OK : refuse_missing(ctx, r, gaps ? r->variables : 0));
    return reading_drops_rows(r->options) ? drop_incomplete(ctx, r) : NONSENS_OK;
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
    if (r->t.segment) {
        const table_column *column = r->t.segment;
        r->category = column->category;
        r->labels = column->labels;
        r->segments = column->label_count;
        return NONSENS_OK;
    }
    return r->options->segments[0] && r->rows > 0 ? cut_blocks(ctx, r) : NONSENS_OK;
}

/* ---- whole data sets ----------------------------------------------------------------------------------------- */

/* Makes the data set, leaves out what no method can use, and audits the rest, unless pairs are audited one by one. */
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
    if (status == NONSENS_ERR_DATA) { // put the name of the file before the message
        memcpy(sentence, ctx->message, sizeof sentence);
        return fail(ctx, status, "%.300s: %.700s", r->t.path, sentence);
    }
    TRY(status);
    data->by_role = r->options->x[0] != '\0';
    TRY(reading_remark(ctx, r, data));
    *out = data;
    data = NULL;
    return NONSENS_OK;
}

static nonsens_status read_table(nonsens_context *ctx, const char *path, read_state *r)
{
    static const char marks[] = {[DECIMAL_AUTO] = '\0', [DECIMAL_POINT] = '.', [DECIMAL_COMMA] = ','};
    const nonsens_options *o = r->options;
    table_options reading = {.no_header = o->no_header,
                             .label = o->segment[0] ? o->segment : NULL,
                             .wanted = r->wanted_count > 0 ? r->wanted : NULL,
                             .wanted_count = r->wanted_count,
                             .excluded = r->excluded,
                             .excluded_count = r->excluded_count,
                             .format = {marks[o->decimal], options_thousands(o), o->na_values}};
    TRY(table_read(ctx, r->memory, path, &reading, &r->t));
    r->rows = r->t.rows;
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
    }
    TRY(reading_find_no_variables(ctx, part, count));
    for (int64_t k = 0; k < count; k++) {
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
        TRY(reading_find_no_variables(ctx, &r, 1));
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
