/*
 * read_files.c - combines several files, one per segment, as if they were one table with a segment column.
 *
 * Columns are matched by name.  Their order is that in the files if all files agree, else that of the names, so that it
 * does not depend on the order of the files.
 */
#include "base/show.h"
#include "read/read_internal.h"
#include "read/table_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the files themselves -------------------------------------------------------------------------------------- */

static bool is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

/* Identity of a regular file; regular is false for pipes and devices, which are compared only by name. */
typedef struct identity {
    bool regular;
    dev_t device;
    ino_t inode;
} identity;

static identity identify(const char *path)
{
    struct stat facts;
    int status = is_standard_input(path) ? fstat(STDIN_FILENO, &facts) : stat(path, &facts);
    bool regular = status == 0 && S_ISREG(facts.st_mode);
    return regular ? (identity){true, facts.st_dev, facts.st_ino} : (identity){0};
}

/* Returns whether two paths lead to the same file, even under different names. */
static bool is_same_file(const char *a, identity first, const char *b, identity second)
{
    return strcmp(a, b) == 0 ||
           (first.regular && second.regular && first.device == second.device && first.inode == second.inode);
}

static nonsens_status refuse_same_file(nonsens_context *ctx, const char *a, const char *b)
{
    char first[SHOWN_PATH_BYTES], second[SHOWN_PATH_BYTES];
    if (is_standard_input(a) && is_standard_input(b)) {
        return fail(ctx, NONSENS_ERR_USAGE, "standard input (-) is named twice; it can be read only once");
    }
    return fail(ctx, NONSENS_ERR_USAGE, "%.300s and %.300s are the same file; each segment needs a file of its own",
                show_path(first, a), show_path(second, b));
}

nonsens_status reading_check_files(nonsens_context *ctx, const char *const *paths, int64_t count,
                                   const nonsens_options *options)
{
    if (options->segment[0] || options->segments[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--segment%s cannot be combined with several files: each file is a segment of its own; leave it "
                    "out, or put all rows into one file",
                    options->segment[0] ? "" : "s");
    }
    SCOPED_ARENA(scratch);
    identity *known; // (count)
    ARENA_TRY(ctx, &scratch, known, count);
    for (int64_t k = 0; k < count; k++) {
        known[k] = identify(paths[k]);
        for (int64_t i = 0; i < k; i++) {
            if (is_same_file(paths[i], known[i], paths[k], known[k])) {
                return refuse_same_file(ctx, paths[i], paths[k]);
            }
        }
    }
    return NONSENS_OK;
}

/* ---- labels ---------------------------------------------------------------------------------------------------- */

/* Returns the length of the name without its ending, if it has one. */
static size_t stem_length(const char *name, size_t length)
{
    for (size_t at = length; at-- > 1;) {
        if (name[at] == '.') {
            return at;
        }
    }
    return length;
}

static bool is_compressed(const char *ending)
{
    return strcmp(ending, ".gz") == 0 || strcmp(ending, ".zst") == 0;
}

/* Returns the name of the file without folder and ending; of a compressed file, without both endings. */
static char *stem_of(nonsens_context *ctx, arena *a, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = stem_length(name, strlen(name));
    if (is_compressed(name + length)) {
        length = stem_length(name, length);
    }
    if (is_standard_input(path)) {
        return arena_text(ctx, a, "stdin");
    }
    return arena_format(ctx, a, "%.*s", (int)length, name);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static nonsens_status has_duplicates(nonsens_context *ctx, arena *a, char *const *text, int64_t count, bool *found)
{
    char **sorted; // (count)
    ARENA_TRY(ctx, a, sorted, count);
    memcpy(sorted, text, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, compare_texts);
    *found = false;
    for (int64_t k = 1; k < count; k++) {
        *found = *found || strcmp(sorted[k - 1], sorted[k]) == 0;
    }
    return NONSENS_OK;
}

/* Labels the files by their stems if these all differ, else by their paths as given. */
static nonsens_status label_files(nonsens_context *ctx, const char *const *paths, int64_t count, read_state *all)
{
    bool duplicates;
    ARENA_TRY(ctx, all->memory, all->labels, count);
    for (int64_t k = 0; k < count; k++) {
        all->labels[k] = stem_of(ctx, all->memory, paths[k]);
        if (!all->labels[k]) {
            return NONSENS_ERR_MEMORY;
        }
    }
    TRY(has_duplicates(ctx, all->memory, all->labels, count, &duplicates));
    all->segments = count;
    return duplicates ? arena_texts(ctx, all->memory, count, paths, &all->labels) : NONSENS_OK;
}

/* ---- columns --------------------------------------------------------------------------------------------------- */

typedef struct names {
    const char **name; // (count)
    int64_t count;
} names;

/* Returns whether the column belongs to a list: of variables, or of columns that a warning names. */
typedef bool column_fn(const read_state *part, int64_t column);

static bool is_numeric(const read_state *part, int64_t column)
{
    return reading_may_be_variable(&part->t.column[column]);
}

static bool is_left_out(const read_state *part, int64_t column)
{
    const table_column *found = &part->t.column[column];
    return !reading_is_variable(part, column) && found->kind == COLUMN_TEXT && !found->excluded;
}

static bool is_mixed(const read_state *part, int64_t column)
{
    return is_left_out(part, column) && part->t.column[column].mixed;
}

/* Lists the names of columns that belong, in one file and in its order. */
static nonsens_status names_of(nonsens_context *ctx, const read_state *part, column_fn *belongs, names *out)
{
    *out = (names){NULL, 0};
    ARENA_TRY(ctx, part->memory, out->name, part->t.cols);
    for (int64_t j = 0; j < part->t.cols; j++) {
        if (belongs(part, j)) {
            out->name[out->count++] = part->t.column[j].name;
        }
    }
    return NONSENS_OK;
}

static bool are_equal(const names *a, const names *b)
{
    bool equal = a->count == b->count;
    for (int64_t k = 0; equal && k < a->count; k++) {
        equal = strcmp(a->name[k], b->name[k]) == 0;
    }
    return equal;
}

/* Merges all lists; the result has each name once, in byte order. */
static nonsens_status merge_names(nonsens_context *ctx, arena *a, const names *list, int64_t count, names *out)
{
    int64_t total = 0, kept = 0;
    for (int64_t k = 0; k < count; k++) {
        total += list[k].count;
    }
    *out = (names){NULL, 0};
    ARENA_TRY(ctx, a, out->name, total);
    for (int64_t k = 0; k < count; k++) {
        memcpy(out->name + out->count, list[k].name, (size_t)list[k].count * sizeof *out->name);
        out->count += list[k].count;
    }
    qsort(out->name, (size_t)total, sizeof *out->name, compare_texts);
    for (int64_t k = 0; k < total; k++) {
        if (kept == 0 || strcmp(out->name[kept - 1], out->name[k]) != 0) {
            out->name[kept++] = out->name[k];
        }
    }
    out->count = kept;
    return NONSENS_OK;
}

/* Lists the names of columns that belong, in all files: in the order of the files if they agree, else sorted. */
static nonsens_status agree_names(nonsens_context *ctx, const read_state *part, int64_t count, column_fn *belongs,
                                  names *out)
{
    names *list; // (count)
    bool equal = true;
    ARENA_TRY(ctx, part->memory, list, count);
    for (int64_t k = 0; k < count; k++) {
        TRY(names_of(ctx, &part[k], belongs, &list[k]));
        equal = equal && are_equal(&list[0], &list[k]);
    }
    *out = list[0];
    return equal ? NONSENS_OK : merge_names(ctx, part->memory, list, count, out);
}

/* Returns a file in which the column holds numbers; there must be one, since the column is a variable. */
static const char *file_with(const read_state *part, int64_t count, const char *name)
{
    for (int64_t k = 0; k < count; k++) {
        int64_t j = table_find_name(&part[k].t, name);
        if (j >= 0 && is_numeric(&part[k], j)) {
            return part[k].t.path;
        }
    }
    return "another file";
}

static nonsens_status match_column(nonsens_context *ctx, const read_state *part, int64_t count, const table *t,
                                   const char *name, int64_t *column)
{
    char shown[SHOWN_BYTES];
    *column = table_find_name(t, name);
    if (*column < 0) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "%.300s: there is no column %s, which %.300s has; give all files the same columns, or name those "
                    "that all have with --vars",
                    t->path, show_quoted(shown, name), file_with(part, count, name));
    }
    const table_column *found = &t->column[*column];
    if (found->kind == COLUMN_TEXT && found->missing < t->rows) {
        return fail(
            ctx, NONSENS_ERR_DATA,
            "%.300s: column %s holds text, but numbers in %.300s; correct it, or name other columns with --vars",
            t->path, show_quoted(shown, name), file_with(part, count, name));
    }
    return NONSENS_OK;
}

/* For runs without named variables: a column that holds numbers in any file must be in all files. */
static nonsens_status match_variables(nonsens_context *ctx, read_state *part, int64_t count, const names *wanted)
{
    for (int64_t k = 0; k < count; k++) {
        ARENA_TRY(ctx, part->memory, part[k].variable, wanted->count);
        part[k].variables = wanted->count;
        for (int64_t v = 0; v < wanted->count; v++) {
            TRY(match_column(ctx, part, count, &part[k].t, wanted->name[v], &part[k].variable[v]));
        }
    }
    return NONSENS_OK;
}

static const char *variable_name(const read_state *part, int64_t v)
{
    return part->t.column[part->variable[v]].name;
}

/* For runs with named variables: fails if numbers (#k) lead to columns with different names in different files. */
static nonsens_status check_variables(nonsens_context *ctx, const read_state *part, int64_t count)
{
    for (int64_t k = 1; k < count; k++) {
        for (int64_t v = 0; v < part[0].variables; v++) {
            if (part[k].variables == part[0].variables &&
                strcmp(variable_name(&part[0], v), variable_name(&part[k], v)) == 0) {
                continue;
            }
            char first[SHOWN_BYTES];
            return fail(ctx, NONSENS_ERR_DATA,
                        "%.300s: what is column %s in %.300s is another column here; name variables by their names",
                        part[k].t.path, show_quoted(first, variable_name(&part[0], v)), part[0].t.path);
        }
    }
    return NONSENS_OK;
}

static nonsens_status settle_variables(nonsens_context *ctx, read_state *part, int64_t count)
{
    names variables;
    if (part[0].wanted_count > 0) {
        return check_variables(ctx, part, count);
    }
    TRY(agree_names(ctx, part, count, is_numeric, &variables));
    return match_variables(ctx, part, count, &variables);
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

static nonsens_status stack_values(nonsens_context *ctx, const read_state *part, int64_t count, read_state *all)
{
    double *values; // (variables, rows)
    int64_t cells;
    if (__builtin_mul_overflow(all->rows, all->variables, &cells)) {
        return fail_memory(ctx);
    }
    ARENA_TRY(ctx, all->memory, values, cells);
    for (int64_t v = 0; v < all->variables; v++) {
        table_column *column = &all->t.column[v];
        *column = (table_column){.name = part[0].t.column[part[0].variable[v]].name,
                                 .kind = COLUMN_NUMERIC,
                                 .asked = true,
                                 .value = values + v * all->rows,
                                 .first_missing = -1};
        all->variable[v] = v;
        double *to = column->value;
        for (int64_t k = 0; k < count; k++) {
            if (part[k].rows > 0) {
                memcpy(to, part[k].t.column[part[k].variable[v]].value, (size_t)part[k].rows * sizeof *to);
                to += part[k].rows;
            }
        }
    }
    return NONSENS_OK;
}

/* Records the file and the input row of each row. */
static nonsens_status stack_rows(nonsens_context *ctx, const read_state *part, int64_t count, read_state *all)
{
    int64_t row = 0, before = 0;
    ARENA_TRY(ctx, all->memory, all->category, all->rows);
    ARENA_TRY(ctx, all->memory, all->input_row, all->rows);
    for (int64_t k = 0; k < count; k++) {
        for (int64_t i = 0; i < part[k].rows; i++, row++) {
            all->category[row] = (int32_t)k;
            all->input_row[row] = before + (part[k].input_row ? part[k].input_row[i] : i);
        }
        before += part[k].t.rows;
    }
    return NONSENS_OK;
}

/* Combines the columns: the variables, then columns that a warning may name. */
static nonsens_status stack_columns(nonsens_context *ctx, const read_state *part, int64_t count, read_state *all)
{
    names spare;
    TRY(agree_names(ctx, part, count, all->wanted_count > 0 ? is_mixed : is_left_out, &spare));
    all->variables = part[0].variables;
    all->t.cols = all->variables + spare.count;
    ARENA_TRY(ctx, all->memory, all->t.column, all->t.cols);
    ARENA_TRY(ctx, all->memory, all->variable, all->variables);
    for (int64_t k = 0; k < spare.count; k++) {
        char *name = arena_text(ctx, all->memory, spare.name[k]);
        if (!name) {
            return NONSENS_ERR_MEMORY;
        }
        all->t.column[all->variables + k] =
            (table_column){.name = name, .kind = COLUMN_TEXT, .mixed = all->wanted_count > 0, .first_missing = -1};
    }
    return stack_values(ctx, part, count, all);
}

/* Returns whether there is a note of the same kind, which has the same text up to a colon; only the first is kept. */
static bool has_note(const table *t, const char *note)
{
    size_t length = strcspn(note, ":");
    for (int64_t k = 0; k < t->notes; k++) {
        if (strncmp(t->note[k], note, length + 1) == 0) {
            return true;
        }
    }
    return false;
}

static nonsens_status stack_notes(nonsens_context *ctx, const read_state *part, int64_t count, read_state *all)
{
    for (int64_t k = 0; k < count; k++) {
        for (int64_t i = 0; i < part[k].t.notes; i++) {
            const char *note = part[k].t.note[i];
            if (!has_note(&all->t, note)) {
                TRY(table_note(ctx, all->memory, &all->t, "%s", note));
            }
        }
    }
    return NONSENS_OK;
}

/* Checks that a variable has the same unit in all files, or none in any of them. */
static nonsens_status check_units(nonsens_context *ctx, const read_state *part, int64_t count)
{
    for (int64_t v = 0; v < part[0].variables; v++) {
        const char *unit = part[0].t.column[part[0].variable[v]].unit;
        for (int64_t k = 1; k < count; k++) {
            const char *other = part[k].t.column[part[k].variable[v]].unit;
            if (strcmp(unit ? unit : "", other ? other : "") != 0) {
                char name[SHOWN_BYTES], first[SHOWN_BYTES], second[SHOWN_BYTES];
                return fail(ctx, NONSENS_ERR_DATA,
                            "%.300s: the unit of column %s is %s, but %s in %.300s; convert the values to one unit",
                            part[k].t.path, show_quoted(name, variable_name(&part[0], v)),
                            other ? show_quoted(second, other) : "missing", unit ? show_quoted(first, unit) : "missing",
                            part[0].t.path);
            }
        }
    }
    return NONSENS_OK;
}

/* Returns the dates of all files, if all have them in a column with the same name. */
static date_span merge_dates(const read_state *part, int64_t count)
{
    date_span all = part[0].t.dates;
    for (int64_t k = 1; k < count && all.column; k++) {
        const date_span *own = &part[k].t.dates;
        if (!own->column || strcmp(own->column, all.column) != 0) {
            return (date_span){0};
        }
        all.first = strcmp(own->first, all.first) < 0 ? own->first : all.first;
        all.last = strcmp(own->last, all.last) > 0 ? own->last : all.last;
    }
    return all;
}

nonsens_status reading_stack(nonsens_context *ctx, const char *const *paths, int64_t count, read_state *part,
                             read_state *all)
{
    TRY(settle_variables(ctx, part, count));
    all->t.dates = merge_dates(part, count);
    for (int64_t k = 0; k < count; k++) {
        TRY(reading_settle_missing(ctx, &part[k]));
        all->rows += part[k].rows;
        all->t.rows += part[k].t.rows;
    }
    all->t.path = arena_format(ctx, all->memory, "%s and %" PRId64 " other file%s", part[0].t.path, count - 1,
                               count == 2 ? "" : "s");
    if (!all->t.path) {
        return NONSENS_ERR_MEMORY;
    }
    all->numbering = part[0].numbering;
    all->numberings = part[0].numberings;
    TRY(check_units(ctx, part, count));
    TRY(stack_columns(ctx, part, count, all));
    TRY(stack_notes(ctx, part, count, all));
    TRY(stack_rows(ctx, part, count, all));
    return label_files(ctx, paths, count, all);
}
