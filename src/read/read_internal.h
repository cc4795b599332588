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
    const char **wanted; // (wanted_count) all spellings of the variables that were named
    int64_t wanted_count;
    table t;
    int64_t label;     // column with the segment labels, or -1
    int64_t *variable; // (variables) columns
    int64_t variables;
    int64_t rows;       // rows kept
    int64_t *input_row; // (rows) or NULL: all
    int32_t *category;  // (rows) or NULL: no segments
    char **labels;      // (segments)
    int64_t segments;
    int64_t emptied; // segments that missing values left without rows
} read_state;

/* Commands whose options say how data are read. */
enum {
    READING_COMMANDS = NONSENS_COMMAND_DIRECTION | NONSENS_COMMAND_INDEPENDENCE | NONSENS_COMMAND_DIAGNOSE |
                       NONSENS_COMMAND_ICA | NONSENS_COMMAND_DISCOVER | NONSENS_COMMAND_EXPLAIN | NONSENS_COMMAND_EFFECT
};

/* The remedy if the caller gives none. */
#define READING_REMEDY "leave out such rows with --na drop-rows"

/* Says whether the column is one of the variables. */
bool reading_is_variable(const read_state *r, int64_t column);

/* Lists all spellings of the variables that the options name. */
nonsens_status reading_list_wanted(nonsens_context *ctx, read_state *r);

/* Chooses variables, rows and segments of r->t, whose label column is known, as the options say. */
nonsens_status reading_interpret(nonsens_context *ctx, read_state *r);

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
