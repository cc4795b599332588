/*
 * csv.c - reads tables from text: header, rows and the kinds of columns, from the cells that csv_cells.c finds.
 *
 * One pass counts the rows (by memchr if there are no quotes, else cell by cell), a second one reads them.  A cell that
 * is a plain number is read in place, without a copy.  csv_columns.c reads other cells and decides what columns are.
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
        cell = (csv_cell){"c1", 2}; /* other programs often write row numbers without a name */
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

/* Reads the names of the columns and counts them; leaves r->at at the first row. */
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
 * Counts rows from r->at on.  The count is exact unless rows are ragged.  Since a row of c cells has at least c bytes,
 * it is limited so that a wrong count cannot ask for too much memory.
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

static nonsens_status take_label(csv_reader *r, csv_cell cell, int64_t line, table *t, int64_t row, int64_t col)
{
    table_column *column = &t->column[col];
    if (cell_is_missing(&r->format, cell.text, cell.length, true)) {
        table_count_missing(column, row);
        column->category[row] = -1;
        return NONSENS_OK;
    }
    text_set *labels = &r->labels[col];
    int64_t known = labels->count;
    TRY(text_set_put(r->ctx, labels, cell.text, cell.length, &column->category[row]));
    if (labels->count > known && !utf8_is_valid(cell.text, cell.length)) {
        char shown[SHOWN_BYTES];
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "%s:%" PRId64 ":%" PRId64 ": the label %s is not UTF-8; save the file as UTF-8", r->path, line,
                    col + 1, show_bytes(shown, cell.text, cell.length));
    }
    return NONSENS_OK;
}

/* Reads the cell at r->at in place if it is a finite number and nothing else; otherwise does not move r->at. */
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
    if (column->value && r->is_plain && read_plain_number(r, &value)) {
        column->value[row] = value;
        r->has_number[col] = true;
        return NONSENS_OK;
    }
    const char *start = r->at;
    int64_t line = r->line;
    csv_cell cell;
    TRY(csv_scan_cell(r, &cell));
    if (!column->value) {
        return take_label(r, cell, line, t, row, col);
    }
    return csv_take_value(r, cell, start, line, t, row, col);
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

/* Allocates and resets what is known about the columns; also before rows are read a second time. */
static nonsens_status begin_rows(csv_reader *r, arena *a, table *t)
{
    ARENA_TRY(r->ctx, &r->scratch, r->seen, t->cols);
    ARENA_TRY(r->ctx, &r->scratch, r->has_number, t->cols);
    ARENA_TRY(r->ctx, &r->scratch, r->labels, t->cols);
    for (int64_t j = 0; j < t->cols; j++) {
        r->labels[j] = (text_set){.keep = a, .scratch = &r->scratch};
        t->column[j].missing = 0;
        t->column[j].first_missing = -1;
    }
    r->is_plain = r->format.decimal == '.' && !r->format.thousands && !(r->format.missing && r->format.missing[0]);
    return NONSENS_OK;
}

/* Reads all rows from r->at on, and reads them again if the numbers turn out to have decimal commas. */
static nonsens_status read_body(csv_reader *r, arena *a, bool automatic, table *t)
{
    const char *body = r->at;
    int64_t line = r->line;
    TRY(begin_rows(r, a, t));
    TRY(read_rows(r, t));
    if (!automatic || r->delimiter == ',' || !csv_prefers_commas(r, t)) {
        return NONSENS_OK;
    }
    r->format.decimal = ',';
    r->at = body;
    r->line = line;
    TRY(begin_rows(r, a, t));
    TRY(read_rows(r, t));
    return csv_check_commas(r, t);
}

/* If only the thousands mark is given, it determines the decimal mark. */
static cell_format choose_format(const table_options *options)
{
    cell_format format = options->format;
    if (!format.decimal) {
        format.decimal = format.thousands == '.' ? ',' : '.';
    }
    return format;
}

/* Keeps the dates of the table: of several such columns, those of the first by name, whatever the order of columns. */
static nonsens_status keep_dates(csv_reader *r, arena *a, table *t)
{
    int64_t best = -1;
    for (int64_t j = 0; j < t->cols; j++) {
        const csv_column *seen = &r->seen[j];
        bool dates = seen->dates && seen->dates->count > 0 && !seen->dates->other && !r->has_number[j] &&
                     !seen->units && !seen->first_infinite;
        if (dates && (best < 0 || strcmp(t->column[j].name, t->column[best].name) < 0)) {
            best = j;
        }
    }
    if (best < 0) {
        return NONSENS_OK;
    }
    t->dates.column = t->column[best].name;
    t->dates.first = arena_text(r->ctx, a, r->seen[best].dates->first);
    t->dates.last = arena_text(r->ctx, a, r->seen[best].dates->last);
    return t->dates.first && t->dates.last ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

nonsens_status csv_parse(nonsens_context *ctx, arena *a, const char *bytes, size_t size, const table_options *options,
                         table *t)
{
    SCOPED(csv_free) csv_reader r = {.ctx = ctx, .path = t->path, .begin = bytes, .end = bytes + size};
    char thousands = options->format.thousands;
    bool automatic = !options->format.decimal && thousands != '.' && thousands != ',';
    r.no_header = options->no_header;
    r.format = choose_format(options);
    TRY(csv_open(&r));
    TRY(read_header(&r, a, t));
    TRY(table_find_labels(ctx, a, options, t));
    table_mark_asked(t, options);
    TRY(count_rows(&r, t));
    TRY(table_place_cells(ctx, a, t));
    ARENA_TRY(ctx, a, t->line, t->rows);
    TRY(read_body(&r, a, automatic, t));
    TRY(csv_settle_columns(&r, a, t));
    TRY(keep_dates(&r, a, t));
    for (int64_t j = 0; j < t->cols; j++) {
        TRY(t->column[j].is_label ? table_keep_labels(ctx, a, &r.labels[j], &t->column[j]) : NONSENS_OK);
    }
    return NONSENS_OK;
}
