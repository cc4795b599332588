/*
 * csv_internal.h - the cells of a text table one after another (csv_cells.c), for the readers (csv.c, graph_table.c).
 */
#ifndef READ_CSV_INTERNAL_H
#define READ_CSV_INTERNAL_H

#include "read/table_internal.h"

/* What has been seen in a column so far. */
typedef struct csv_column {
    bool has_number;
    const char *first_text;     /* the first cell that is neither a number nor missing, or NULL */
    const char *first_infinite; /* the first infinite cell, or NULL */
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
    csv_column *seen; /* (cols) */
    text_set labels;
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
