/*
 * csv_internal.h - the cells of a text table one after another (csv_cells.c), for the readers (csv.c, graph_table.c).
 */
#ifndef READ_CSV_INTERNAL_H
#define READ_CSV_INTERNAL_H

#include "read/date_range.h"
#include "read/table_internal.h"

enum { MAX_UNITS = 4 }; /* a column with more different ones holds texts, not units */

/* The units of a column. */
typedef struct csv_units {
    char unit[MAX_UNITS][UNIT_BYTES + 1]; /* (kinds) */
    int kinds;                            /* different ones; more than MAX_UNITS: there are more */
    int64_t cells;
    bool only_letters; /* every unit is a single letter right behind the number, as in 12a */
    const char *first; /* the first cell with a unit */
    const char *other; /* the first cell with another unit than that, or NULL */
} csv_units;

/* What has been seen in a column so far, beside numbers; cells are where they begin in the file. */
typedef struct csv_column {
    const char *first_text;     /* the first cell that is neither a number nor missing, or NULL */
    const char *first_infinite; /* the first infinite cell, or NULL */
    const char *first_readable; /* the first text that is a number with other options, or NULL */
    int64_t text_line;          /* of the first text */
    int64_t texts;              /* how many */
    int64_t readable, others;   /* how many of them are numbers with other options; with the other decimal mark */
    csv_units *units;           /* NULL: no cell has one */
    date_range *dates;          /* of cells that are neither a number nor missing; NULL: there are none */
} csv_column;

typedef struct csv_reader {
    nonsens_context *ctx;
    const char *path;
    const char *begin, *end; /* the text without byte order mark and blank lines at its end */
    const char *at;          /* next byte to read */
    int64_t line;            /* of that byte, from 1 */
    char delimiter;          /* ' ' stands for runs of blanks and tabs */
    bool no_header;
    bool ends_cell[256]; /* delimiter and line ends */
    arena scratch;
    char *unescaped; /* the last cell with doubled quotes in it */
    int64_t unescaped_capacity;
    cell_format format;  /* how numbers are written */
    bool is_plain;       /* that is how number_parse reads them */
    bool *has_number;    /* (cols) some cell is a finite number without a unit */
    csv_column *seen;    /* (cols) */
    const char *mark;    /* the first number with a decimal comma, or NULL */
    int64_t mark_column; /* its column */
    int64_t mark_line;   /* its line */
    bool mark_is_clear;  /* some number with a decimal comma cannot have one between thousands */
    text_set *labels;    /* (cols) of columns of labels */
} csv_reader;

typedef struct csv_cell {
    const char *text; /* without quotes and blanks around it */
    int64_t length;
} csv_cell;

/* Checks the bytes, finds the delimiter, cuts blank lines off the end; r->at is then at the first cell. */
nonsens_status csv_open(csv_reader *r);

static inline void csv_free(csv_reader *r)
{
    arena_free(&r->scratch);
}

/* Takes a cell that is not a plain number, or reads cells of another format. */
nonsens_status csv_take_value(csv_reader *r, csv_cell cell, const char *start, int64_t line, table *t, int64_t row,
                              int64_t col);

/* Says whether the numbers of the columns asked for have decimal commas, so that the table should be read so. */
bool csv_prefers_commas(const csv_reader *r, const table *t);

/* Fails if a table that was read so has numbers with decimal points too, or if its commas may be between thousands. */
nonsens_status csv_check_commas(csv_reader *r, const table *t);

/* Classifies columns as text or numbers; the first bad cell of the columns asked for is reported as an error. */
nonsens_status csv_settle_columns(csv_reader *r, arena *a, table *t);

/* Counts the line ends in [from, end), CR LF once. */
int64_t csv_count_lines(const char *from, const char *end);

/* Reads the cell at r->at; leaves r->at at the delimiter or line end behind it.  The text lasts until the next call. */
nonsens_status csv_scan_cell(csv_reader *r, csv_cell *cell);

/* Counts the cells from r->at to the end of the row, and moves on to the next row. */
nonsens_status csv_count_cells(csv_reader *r, int64_t *count);

static inline bool csv_is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* Says whether the character is a blank that is not the delimiter itself. */
static inline bool csv_is_padding(const csv_reader *r, char c)
{
    return c == ' ' || (c == '\t' && r->delimiter != '\t');
}

static inline void csv_skip_padding(csv_reader *r)
{
    while (r->at < r->end && csv_is_padding(r, *r->at)) {
        r->at++;
    }
}

/* Skips what ends a cell: true if another cell follows in the row, false if r->at is now at the next row. */
static inline bool csv_next_cell(csv_reader *r)
{
    if (r->delimiter == ' ') {
        csv_skip_padding(r);
    }
    if (r->at == r->end) {
        return false;
    }
    char c = *r->at;
    if (!csv_is_line_end(c)) {
        r->at += r->delimiter != ' ';
        return true;
    }
    r->at++;
    if (c == '\r' && r->at < r->end && *r->at == '\n') {
        r->at++;
    }
    r->line++;
    return false;
}

#endif
