/*
 * read_internal.h - the state of reading a data set: one file (read.c), several files (read_files.c), or a table in
 * memory (columns.c).
 */
#ifndef READ_READ_INTERNAL_H
#define READ_READ_INTERNAL_H

#include "data/dataset.h"
#include "read/table.h"

typedef struct read_state {
    const nonsens_options *options;
    arena *memory;
    const char *remedy;  // what to do about a missing value
    const char **wanted; // (wanted_count) all spellings of the named variables
    int64_t wanted_count;
    const char **excluded; // (excluded_count) all spellings of the excluded columns
    int64_t excluded_count;
    table t;
    const char **numbering; // (numberings) columns left out because they number the rows
    int64_t numberings;
    int64_t *variable; // (variables) column of each variable
    int64_t variables;
    int64_t rows;       // rows kept
    int64_t *input_row; // (rows) or NULL: all rows are kept
    int32_t *category;  // (rows) or NULL: there are no segments
    char **labels;      // (segments)
    int64_t segments;
    int64_t emptied; // number of segments that have no rows left because of missing values
} read_state;

/* Commands whose options say how data are read. */
enum {
    READING_COMMANDS = NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_INDEPENDENCE | NONSENS_COMMAND_DIAGNOSE |
                       NONSENS_COMMAND_ICA | NONSENS_COMMAND_DISCOVER | NONSENS_COMMAND_EXPLAIN | NONSENS_COMMAND_EFFECT
};

/* The remedy if the caller gives none. */
#define READING_REMEDY "leave out such rows with --na drop-rows"

/* Returns whether rows with missing values are left out while reading; for a single pair, so does --na pairwise. */
static inline bool reading_drops_rows(const nonsens_options *o)
{
    bool is_pair = o->command == NONSENS_COMMAND_DIRECTION && !o->pairs[0];
    return o->na == NA_DROP_ROWS || (o->na == NA_PAIRWISE && is_pair);
}

/* Returns whether the column is one of the variables. */
bool reading_is_variable(const read_state *r, int64_t column);

/*
 * Finds the columns of the tables (`count`: one, or one per file) that are no variables although they hold numbers:
 * those that --exclude names and, unless variables are named, those that only number the rows in every file.
 */
nonsens_status reading_find_no_variables(nonsens_context *ctx, read_state *part, int64_t count);
/* Returns whether the column is a variable if no variables are named: it is numeric and none of those above. */
static inline bool reading_may_be_variable(const table_column *column)
{
    return column->kind == COLUMN_NUMERIC && !column->excluded && !column->is_numbering;
}

/* Fails because no column has this name. */
nonsens_status reading_fail_column(nonsens_context *ctx, const table *t, const char *name);

/* Lists all spellings of the variables that the options name, and of those that they exclude. */
nonsens_status reading_list_wanted(nonsens_context *ctx, read_state *r);

/* Chooses variables, rows and segments of r->t as the options say; its label column must be known. */
nonsens_status reading_interpret(nonsens_context *ctx, read_state *r);

/* Appends a name to a list in a buffer of LIST_BYTES; a full list ends in "...". */
enum { LIST_BYTES = 400 };
void reading_list_add(char *list, const char *name);

/* Adds the notes and warnings of reading to the data set. */
nonsens_status reading_remark(nonsens_context *ctx, const read_state *r, nonsens_data *data);

/* Builds the data set from the state; an error if no row is left. */
nonsens_status reading_finish(nonsens_context *ctx, read_state *r, nonsens_data **out);

/* Fails at the first missing value, or leaves out the rows that have one, as the options say. */
nonsens_status reading_settle_missing(nonsens_context *ctx, read_state *r);

/* Checks paths and options of several files before any is read. */
nonsens_status reading_check_files(nonsens_context *ctx, const char *const *paths, int64_t count,
                                   const nonsens_options *options);

/* Combines the rows of all files, in their order; each file is a segment, and columns are matched by name. */
nonsens_status reading_stack(nonsens_context *ctx, const char *const *paths, int64_t count, read_state *part,
                             read_state *all);

#endif
