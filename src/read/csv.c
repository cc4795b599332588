/*
 * csv.c - reads tables from text: header, rows and the kinds of columns, from the cells that csv_cells.c finds.
 *
 * One pass counts the rows (by memchr if there are no quotes, else cell by cell), a second one reads.  A cell that is a
 * plain number is read in place, without a copy.  Whether a column is text or numbers with a bad cell is known only at
 * the end: the address of the first cell of either kind is kept, and the cell is read again for the message.
 */
#include "read/csv_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- header ---------------------------------------------------------------------------------------------------- */

static nonsens_status take_name(csv_reader *r, csv_cell cell, int64_t column, int64_t line, text_set *names)
{
    char shown[SHOWN_BYTES];
    int32_t index = 0;
    if (cell.length == 0 && column == 0) {
        cell = (csv_cell){"c1", 2}; /* row numbers written by other programs often have no name */
    }
    if (cell.length == 0) {
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "%s:%" PRId64 ":%" PRId64 ": column %" PRId64
                    " has no name in the header; name it, or use --no-header if the first line holds data",
                    r->path, line, column + 1, column + 1);
    }
    if (!utf8_is_valid(cell.text, cell.length)) {
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "%s:%" PRId64 ":%" PRId64 ": the column name %s is not UTF-8; save the file as UTF-8", r->path,
                    line, column + 1, show_bytes(shown, cell.text, cell.length));
    }
    TRY(text_set_put(r->ctx, names, cell.text, cell.length, &index));
    if (index < column) {
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "%s:%" PRId64 ":%" PRId64 ": the column name %s is used twice, for columns %" PRId64 " and %" PRId64
                    "; rename one, or use --no-header if the first line holds data",
                    r->path, line, column + 1, show_bytes(shown, cell.text, cell.length), (int64_t)index + 1,
                    column + 1);
    }
    return NONSENS_OK;
}

/* Reads names and number of the columns; leaves r->at at the first row. */
static nonsens_status read_header(csv_reader *r, arena *a, table *t)
{
    text_set names = {.keep = a, .scratch = &r->scratch};
    int64_t cols;
    TRY(csv_count_cells(r, &cols));
    const char *body = r->at;
    int64_t body_line = r->line;
    r->at = r->begin;
    r->line = 1;
    csv_skip_padding(r);
    if (r->at < r->end && csv_is_line_end(*r->at) && !r->no_header) {
        return fail(r->ctx, NONSENS_ERR_DATA, "%s:1: the first line is blank; it must name the columns", r->path);
    }
    r->at = r->begin;
    TRY(table_new(r->ctx, a, cols, t));
    if (r->no_header) {
        return table_number_columns(r->ctx, a, t);
    }
    for (int64_t j = 0; j < cols; j++) {
        csv_cell cell;
        int64_t line = r->line;
        TRY(csv_scan_cell(r, &cell));
        TRY(take_name(r, cell, j, line, &names));
        t->column[j].name = names.text[j];
        csv_next_cell(r);
    }
    if (body == r->end) {
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "%s:%" PRId64 ": a header but no rows; add rows, or use --no-header if the first line holds data",
                    r->path, body_line);
    }
    return NONSENS_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

/*
 * Counts rows from r->at on.  The count is exact unless rows are ragged; a row of c cells has at least c bytes, which
 * bounds the memory that a wrong count could ask for.
 */
static nonsens_status count_rows(csv_reader *r, table *t)
{
    int64_t size = r->end - r->at;
    const char *at = r->at;
    int64_t line = r->line;
    t->rows = 0;
    if (!memchr(r->at, '"', (size_t)size)) {
        t->rows = 1 + csv_count_lines(r->at, r->end);
    } else {
        while (r->at < r->end) {
            int64_t cells;
            TRY(csv_count_cells(r, &cells));
            t->rows++;
        }
    }
    r->at = at;
    r->line = line;
    if (t->rows > size / t->cols + 1) {
        t->rows = size / t->cols + 1;
    }
    return NONSENS_OK;
}

static nonsens_status fail_ragged(csv_reader *r, const table *t, int64_t line, int64_t cells, bool blank)
{
    char d = r->delimiter;
    const char *between = d == ',' ? "commas" : d == ';' ? "semicolons" : d == '\t' ? "tabs" : "blanks";
    if (blank) {
        return fail(r->ctx, NONSENS_ERR_DATA, "%s:%" PRId64 ": a blank line inside the table; remove it", r->path,
                    line);
    }
    return fail(r->ctx, NONSENS_ERR_DATA,
                "%s:%" PRId64 ": %" PRId64 " field%s, but the %s has %" PRId64
                " (separated by %s); give each row as many, and quote cells that contain the separator",
                r->path, line, cells, cells == 1 ? "" : "s", r->no_header ? "first row" : "header", t->cols, between);
}

/* Is the cell this word, given in lower case, whatever its own case? */
static bool is_word(csv_cell cell, const char *word)
{
    if (cell.length != (int64_t)strlen(word)) {
        return false;
    }
    for (int64_t i = 0; i < cell.length; i++) {
        if ((cell.text[i] | 0x20) != word[i]) {
            return false;
        }
    }
    return true;
}

static bool is_missing(csv_cell cell)
{
    if (cell.length > 4) {
        return false;
    }
    return cell.length == 0 || (cell.length == 1 && cell.text[0] == '?') || is_word(cell, "na") ||
           is_word(cell, "nan") || is_word(cell, "null");
}

/* Takes everything that read_plain_number leaves: text, missing, infinite, quoted or padded cells. */
static void take_value(csv_cell cell, const char *start, table_column *column, csv_column *seen, int64_t row)
{
    double value = NAN;
    const char *end = cell.text + cell.length;
    bool missing = is_missing(cell);
    bool number = !missing && number_parse(cell.text, end, &value) == end;
    if (missing || (number && isnan(value))) {
        table_count_missing(column, row);
    } else if (number && isfinite(value)) {
        seen->has_number = true;
    } else if (number && !seen->first_infinite) {
        seen->first_infinite = start;
    } else if (!number && !seen->first_text) {
        seen->first_text = start;
    }
    column->value[row] = number ? value : NAN;
}

static nonsens_status take_label(csv_reader *r, csv_cell cell, int64_t line, table *t, int64_t row, int64_t col)
{
    table_column *column = &t->column[col];
    if (is_missing(cell)) {
        table_count_missing(column, row);
        column->category[row] = -1;
        return NONSENS_OK;
    }
    int64_t known = r->labels.count;
    TRY(text_set_put(r->ctx, &r->labels, cell.text, cell.length, &column->category[row]));
    if (r->labels.count > known && !utf8_is_valid(cell.text, cell.length)) {
        char shown[SHOWN_BYTES];
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "%s:%" PRId64 ":%" PRId64 ": the label %s is not UTF-8; save the file as UTF-8", r->path, line,
                    col + 1, show_bytes(shown, cell.text, cell.length));
    }
    return NONSENS_OK;
}

/* Reads the cell at r->at in place if it is a finite number and nothing else; else leaves r->at alone. */
static inline bool read_plain_number(csv_reader *r, double *value)
{
    const char *p = r->at;
    while (p < r->end && *p == ' ') {
        p++;
    }
    const char *after = number_parse(p, r->end, value);
    if (after == p || !isfinite(*value)) {
        return false;
    }
    if (after < r->end && !r->ends_cell[(unsigned char)*after]) {
        return false;
    }
    r->at = after;
    return true;
}

static nonsens_status read_cell(csv_reader *r, table *t, int64_t row, int64_t col)
{
    table_column *column = &t->column[col];
    double value;
    if (column->value && read_plain_number(r, &value)) {
        column->value[row] = value;
        r->seen[col].has_number = true;
        return NONSENS_OK;
    }
    const char *start = r->at;
    int64_t line = r->line;
    csv_cell cell;
    TRY(csv_scan_cell(r, &cell));
    if (!column->value) {
        return take_label(r, cell, line, t, row, col);
    }
    take_value(cell, start, column, &r->seen[col], row);
    return NONSENS_OK;
}

static nonsens_status read_row(csv_reader *r, table *t, int64_t row)
{
    int64_t line = r->line, cells = 0;
    const char *start = r->at;
    bool more;
    t->line[row] = line;
    do {
        if (cells == t->cols) {
            int64_t further;
            TRY(csv_count_cells(r, &further));
            return fail_ragged(r, t, line, cells + further, false);
        }
        TRY(read_cell(r, t, row, cells));
        cells++;
        more = csv_next_cell(r);
    } while (more);
    if (cells < t->cols) {
        r->at = start;
        csv_skip_padding(r);
        return fail_ragged(r, t, line, cells, r->at < r->end && csv_is_line_end(*r->at));
    }
    return NONSENS_OK;
}

static nonsens_status read_rows(csv_reader *r, table *t)
{
    enum { ROWS_BETWEEN_CHECKS = 4096 };
    int64_t row = 0;
    for (; r->at < r->end; row++) {
        if (row % ROWS_BETWEEN_CHECKS == 0) {
            TRY(check_cancelled(r->ctx));
        }
        TRY(read_row(r, t, row));
    }
    t->rows = row;
    return NONSENS_OK;
}

/* ---- columns --------------------------------------------------------------------------------------------------- */

static nonsens_status fail_cell(csv_reader *r, const table *t, int64_t col, const char *start, bool infinite)
{
    char name[SHOWN_BYTES], shown[SHOWN_BYTES];
    csv_cell cell;
    r->at = start;
    TRY(csv_scan_cell(r, &cell));
    show_quoted(name, t->column[col].name);
    show_bytes(shown, cell.text, cell.length);
    int64_t line = 1 + csv_count_lines(r->begin, start);
    return fail(r->ctx, NONSENS_ERR_DATA, "%s:%" PRId64 ":%" PRId64 " (column %s): %s %s", r->path, line, col + 1, name,
                shown,
                infinite ? "is infinite; correct it, or leave the cell empty if the value is missing"
                         : "is not a number; write numbers like -1.5e3 with a decimal point, leave missing cells empty "
                           "or NA, and name a column of labels with --segment");
}

/* Returns the first cell of the column that is an error, or NULL. */
static const char *bad_cell(const csv_column *seen, bool *infinite)
{
    const char *text = seen->first_text, *first_infinite = seen->first_infinite;
    if (!seen->has_number && text) {
        return NULL; /* a text column, which may well hold the word "inf" */
    }
    *infinite = first_infinite && (!text || first_infinite < text);
    return *infinite ? first_infinite : text;
}

/* Is the cell a number with a decimal comma? */
static bool has_decimal_comma(csv_cell cell)
{
    char text[NUMBER_BYTES];
    const char *comma = memchr(cell.text, ',', (size_t)cell.length);
    double value;
    if (!comma || cell.length >= NUMBER_BYTES) {
        return false;
    }
    memcpy(text, cell.text, (size_t)cell.length);
    text[comma - cell.text] = '.';
    return number_parse(text, text + cell.length, &value) == text + cell.length;
}

/* Keeps the first text of the first text column, to be shown if the table has no numbers at all. */
static nonsens_status keep_text_cell(csv_reader *r, arena *a, table *t)
{
    int64_t col = 0;
    while (col < t->cols && !(r->seen[col].first_text && !r->seen[col].has_number)) {
        col++;
    }
    if (col == t->cols) {
        return NONSENS_OK;
    }
    csv_cell cell;
    r->at = r->seen[col].first_text;
    TRY(csv_scan_cell(r, &cell));
    ARENA_TRY(r->ctx, a, t->text_cell, SHOWN_BYTES);
    show_bytes(t->text_cell, cell.text, cell.length);
    t->text_column = col;
    t->decimal_comma = has_decimal_comma(cell);
    return NONSENS_OK;
}

/* Classifies columns as text or numbers; the first bad cell of the columns asked for is reported as an error. */
static nonsens_status settle_columns(csv_reader *r, table *t)
{
    const char *first_bad = NULL;
    int64_t first_column = 0;
    bool first_is_infinite = false;
    for (int64_t j = 0; j < t->cols; j++) {
        bool infinite = false;
        const char *bad = bad_cell(&r->seen[j], &infinite);
        t->column[j].mixed = bad && !t->column[j].asked;
        if (bad && t->column[j].asked && (!first_bad || bad < first_bad)) {
            first_bad = bad;
            first_column = j;
            first_is_infinite = infinite;
        }
        bool numeric = r->seen[j].has_number && !t->column[j].mixed;
        t->column[j].kind = numeric ? COLUMN_NUMERIC : COLUMN_TEXT;
        if (!numeric) {
            t->column[j].value = NULL;
        }
    }
    return first_bad ? fail_cell(r, t, first_column, first_bad, first_is_infinite) : NONSENS_OK;
}

nonsens_status csv_parse(nonsens_context *ctx, arena *a, const char *bytes, size_t size, const table_options *options,
                         table *t)
{
    SCOPED(csv_free) csv_reader r = {.ctx = ctx, .path = t->path, .begin = bytes, .end = bytes + size};
    int64_t label;
    r.no_header = options->no_header;
    TRY(csv_open(&r));
    TRY(read_header(&r, a, t));
    TRY(table_find_label(ctx, t, options, &label));
    table_mark_asked(t, options);
    TRY(count_rows(&r, t));
    TRY(table_place_cells(ctx, a, t, label));
    ARENA_TRY(ctx, a, t->line, t->rows);
    ARENA_TRY(ctx, &r.scratch, r.seen, t->cols);
    r.labels = (text_set){.keep = a, .scratch = &r.scratch};
    TRY(read_rows(&r, t));
    TRY(settle_columns(&r, t));
    TRY(keep_text_cell(&r, a, t));
    return label >= 0 ? table_keep_labels(ctx, a, &r.labels, &t->column[label]) : NONSENS_OK;
}
