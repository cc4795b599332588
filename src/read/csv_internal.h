/*
 * csv_internal.h - reads the cells of a text table one by one (csv_cells.c), for csv.c, graph_table.c and others.
 */
#ifndef READ_CSV_INTERNAL_H
#define READ_CSV_INTERNAL_H

#include "read/date_range.h"
#include "read/table_internal.h"

enum { MAX_UNITS = 4 }; /* a column with more different units is taken for text */

/* The units of a column. */
typedef struct csv_units {
    char unit[MAX_UNITS][UNIT_BYTES + 1]; /* (kinds) */
    int kinds;                            /* number of different units; if above MAX_UNITS, they are not all counted */
    int64_t cells;
    bool only_letters; /* every unit is a single letter right after the number, as in 12a */
    const char *first; /* the first cell with a unit */
    const char *other; /* the first cell with a different unit, or NULL */
} csv_units;

/* What has been seen in a column so far, besides numbers.  A pointer to a cell is where it begins in the file. */
typedef struct csv_column {
    const char *first_text;     /* the first cell that is neither a number nor missing, or NULL */
    const char *first_infinite; /* the first infinite cell, or NULL */
    const char *first_readable; /* the first text that is a number with other options, or NULL */
    int64_t text_line;          /* line of the first text */
    int64_t texts;              /* number of texts */
    int64_t readable, others;   /* how many of them are numbers with other options; with the other decimal mark */
    csv_units *units;           /* NULL: no cell has a unit */
    date_range *dates;          /* of cells that are neither a number nor missing; NULL: no such cells */
} csv_column;

typedef struct csv_reader {
    nonsens_context *ctx;
    const char *path;
    const char *begin, *end; /* the text, without byte order mark and final blank lines */
    const char *at;          /* next byte to read */
    int64_t line;            /* of that byte, from 1 */
    char delimiter;          /* ' ' stands for runs of blanks and tabs */
    bool no_header;
    bool ends_cell[256]; /* delimiter and line ends */
    arena scratch;
    char *unescaped; /* text of the last cell that had doubled quotes */
    int64_t unescaped_capacity;
    cell_format format;  /* how numbers are written */
    bool is_plain;       /* number_parse reads this format */
    bool *has_number;    /* (cols) some cell is a finite number without a unit */
    csv_column *seen;    /* (cols) */
    const char *mark;    /* the first number with a decimal comma, or NULL */
    int64_t mark_column; /* its column */
    int64_t mark_line;   /* its line */
    bool mark_is_clear;  /* the comma of some number cannot be between thousands */
    text_set *labels;    /* (cols) texts of columns of labels */
} csv_reader;

typedef struct csv_cell {
    const char *text; /* without quotes and blanks around it */
    int64_t length;
} csv_cell;

/* Checks the bytes, finds the delimiter and removes final blank lines; r->at is then at the first cell. */
nonsens_status csv_open(csv_reader *r);

static inline void csv_free(csv_reader *r)
{
    arena_free(&r->scratch);
}

/* Takes a cell that is no plain number, or any cell if the format is not the plain one. */
nonsens_status csv_take_value(csv_reader *r, csv_cell cell, const char *start, int64_t line, table *t, int64_t row,
                              int64_t col);

/* Returns whether the table should be read with decimal commas: a column that was asked for has them. */
bool csv_prefers_commas(const csv_reader *r, const table *t);

/* Fails if a table that was read with decimal commas also has decimal points, or if commas may be between thousands. */
nonsens_status csv_check_commas(csv_reader *r, const table *t);

/* Classifies columns as text or numbers; fails at the first bad cell of a column that was asked for. */
nonsens_status csv_settle_columns(csv_reader *r, arena *a, table *t);

/* Counts the line ends in [from, end); CR LF counts once. */
int64_t csv_count_lines(const char *from, const char *end);

/* Reads the cell at r->at; leaves r->at at the delimiter or line end after it.  The text lasts until the next call. */
nonsens_status csv_scan_cell(csv_reader *r, csv_cell *cell);

/* Counts the cells from r->at to the end of the row, and moves on to the next row. */
nonsens_status csv_count_cells(csv_reader *r, int64_t *count);

static inline bool csv_is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* Returns whether the character is a blank that is not the delimiter itself. */
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

/* Skips the end of a cell; true if another cell follows in the row, false if r->at is now at the next row. */
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
