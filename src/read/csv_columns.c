/*
 * csv_columns.c - what the columns of a text table are: numbers, numbers with a unit, or texts; and how numbers are
 * written.
 *
 * Whether a column is text, or numbers with a bad cell, is known only at the end.  So the address of the first cell of
 * each kind is kept, and the cell is read again for the message.
 */
#include "read/csv_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- cells ----------------------------------------------------------------------------------------------------- */

static nonsens_status take_unit(csv_reader *r, const cell_reading *reading, const char *start, csv_column *seen)
{
    if (!seen->units) {
        ARENA_TRY(r->ctx, &r->scratch, seen->units, 1);
        *seen->units = (csv_units){.first = start, .only_letters = true};
    }
    csv_units *units = seen->units;
    int k = 0;
    size_t length = (size_t)reading->unit_length;
    while (k < units->kinds && k < MAX_UNITS &&
           (strlen(units->unit[k]) != length || memcmp(units->unit[k], reading->unit, length) != 0)) {
        k++;
    }
    if (k == units->kinds && k < MAX_UNITS) {
        memcpy(units->unit[k], reading->unit, length);
    }
    units->kinds += k == units->kinds;
    units->cells++;
    units->only_letters = units->only_letters && length == 1 && reading->unit[-1] != ' ';
    if (k > 0 && !units->other) {
        units->other = start;
    }
    return NONSENS_OK;
}

/* Returns the format with the other decimal mark. */
static cell_format other_format(const cell_format *format)
{
    cell_format other = *format;
    other.decimal = format->decimal == ',' ? '.' : ',';
    other.thousands = other.thousands == other.decimal ? '\0' : other.thousands;
    return other;
}

static bool is_quantity(const cell_reading *reading)
{
    return (reading->kind == CELL_NUMBER && isfinite(reading->value)) || reading->kind == CELL_UNIT;
}

/* Ways to write numbers, and the options that select them. */
static const struct {
    cell_format format;
    const char *options;
} ways[] = {
    {{.decimal = ','}, "--decimal ,"},
    {{.decimal = '.'}, "--decimal ."},
    {{.decimal = '.', .thousands = ','}, "--thousands ,"},
    {{.decimal = ',', .thousands = '.'}, "--thousands ."},
    {{.decimal = '.', .thousands = ' '}, "--thousands space"},
    {{.decimal = ',', .thousands = ' '}, "--decimal , --thousands space"},
    {{.decimal = '.', .thousands = '\''}, "--thousands \"'\""},
    {{.decimal = ',', .thousands = '\''}, "--decimal , --thousands \"'\""},
    {{.decimal = '.', .thousands = '_'}, "--thousands _"},
};

/* Returns the options with which the text is a number; NULL if there are no such options. */
static const char *options_for(const char *text, int64_t length, double *value)
{
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        cell_reading reading = cell_read(&ways[k].format, text, length);
        if (is_quantity(&reading)) {
            *value = reading.value;
            return ways[k].options;
        }
    }
    return NULL;
}

static nonsens_status take_text(csv_reader *r, csv_cell cell, const char *start, int64_t line, csv_column *seen)
{
    cell_format format = other_format(&r->format);
    cell_reading other = cell_read(&format, cell.text, cell.length);
    double value;
    if (!seen->first_text) {
        seen->first_text = start;
        seen->text_line = line;
    }
    if (!seen->dates) {
        ARENA_TRY(r->ctx, &r->scratch, seen->dates, 1);
    }
    date_range_add(seen->dates, cell.text, cell.length);
    seen->texts++;
    seen->others += is_quantity(&other);
    if (options_for(cell.text, cell.length, &value)) {
        seen->first_readable = seen->first_readable ? seen->first_readable : start;
        seen->readable++;
    }
    return NONSENS_OK;
}

/* Remembers a number with a decimal comma, and whether the comma could also separate thousands. */
static void note_comma(csv_reader *r, csv_cell cell, const char *start, int64_t line, int64_t col)
{
    cell_format grouped = {.decimal = '.', .thousands = ','};
    cell_reading other = cell_read(&grouped, cell.text, cell.length);
    if (!r->mark) {
        r->mark = start;
        r->mark_column = col;
        r->mark_line = line;
    }
    r->mark_is_clear = r->mark_is_clear || !is_quantity(&other);
}

nonsens_status csv_take_value(csv_reader *r, csv_cell cell, const char *start, int64_t line, table *t, int64_t row,
                              int64_t col)
{
    cell_reading reading = cell_read(&r->format, cell.text, cell.length);
    csv_column *seen = &r->seen[col];
    t->column[col].value[row] = reading.value;
    if (is_quantity(&reading) && r->format.decimal == ',' && t->column[col].asked &&
        memchr(cell.text, ',', (size_t)cell.length)) {
        note_comma(r, cell, start, line, col);
    }
    switch (reading.kind) {
    case CELL_MISSING:
        table_count_missing(&t->column[col], row);
        break;
    case CELL_UNIT:
        return take_unit(r, &reading, start, seen);
    case CELL_NUMBER:
        if (isfinite(reading.value)) {
            r->has_number[col] = true;
        } else if (!seen->first_infinite) {
            seen->first_infinite = start;
        }
        break;
    case CELL_TEXT:
        return take_text(r, cell, start, line, seen);
    }
    return NONSENS_OK;
}

/* ---- decimal marks --------------------------------------------------------------------------------------------- */

/* Returns whether most texts of the column are numbers with the other decimal mark. */
static bool has_other_mark(const csv_column *seen)
{
    return seen->others > 0 && 2 * seen->others > seen->texts;
}

bool csv_prefers_commas(const csv_reader *r, const table *t)
{
    for (int64_t j = 0; j < t->cols; j++) {
        if (t->column[j].asked && has_other_mark(&r->seen[j])) {
            return true;
        }
    }
    return false;
}

/* A cell as messages show it. */
typedef struct shown_cell {
    csv_cell cell;
    char text[SHOWN_BYTES], column[SHOWN_BYTES];
    int64_t line;
} shown_cell;

static nonsens_status show_cell(csv_reader *r, const table *t, int64_t col, const char *start, shown_cell *out)
{
    r->at = start;
    TRY(csv_scan_cell(r, &out->cell));
    show_bytes(out->text, out->cell.text, out->cell.length);
    show_quoted(out->column, t->column[col].name);
    out->line = 1 + csv_count_lines(r->begin, start);
    return NONSENS_OK;
}

static nonsens_status fail_mixed_marks(csv_reader *r, const table *t, int64_t col)
{
    shown_cell comma, point;
    TRY(show_cell(r, t, r->mark_column, r->mark, &comma));
    TRY(show_cell(r, t, col, r->seen[col].first_readable, &point));
    return fail(
        r->ctx, NONSENS_ERR_DATA,
        "%s: %s (line %" PRId64 ", column %s) has a comma, but %s (line %" PRId64
        ", column %s) a point; say which is the decimal mark with --decimal , or --decimal . and use --thousands "
        "if the other is between thousands",
        r->path, comma.text, comma.line, comma.column, point.text, point.line, point.column);
}

/* The two readings of a cell with one mark, a comma or a point: 1,234 may be 1.234 or 1234. */
typedef struct two_readings {
    cell_reading decimal, grouped;
} two_readings;

static two_readings read_twice(const csv_cell *cell, char mark)
{
    cell_format decimal = {.decimal = mark}, grouped = {.decimal = mark == ',' ? '.' : ',', .thousands = mark};
    return (two_readings){cell_read(&decimal, cell->text, cell->length), cell_read(&grouped, cell->text, cell->length)};
}

static nonsens_status fail_two_readings(csv_reader *r, const shown_cell *cell, int64_t col, char mark)
{
    two_readings both = read_twice(&cell->cell, mark);
    char decimal[NUMBER_BYTES], grouped[NUMBER_BYTES];
    const char *name = mark == ',' ? "comma" : "point";
    return fail(r->ctx, NONSENS_ERR_DATA,
                "%s:%" PRId64 ":%" PRId64 " (column %s): %s has two readings: %s with a decimal %s (--decimal %c), or "
                "%s with a %s between thousands (--thousands %c); say which",
                r->path, cell->line, col + 1, cell->column, cell->text, number_print(decimal, both.decimal.value, 0),
                name, mark, number_print(grouped, both.grouped.value, 0), name, mark);
}

nonsens_status csv_check_commas(csv_reader *r, const table *t)
{
    shown_cell cell;
    for (int64_t j = 0; r->mark && j < t->cols; j++) {
        if (t->column[j].asked && has_other_mark(&r->seen[j])) {
            return fail_mixed_marks(r, t, j);
        }
    }
    if (!r->mark || r->mark_is_clear) {
        return NONSENS_OK;
    }
    TRY(show_cell(r, t, r->mark_column, r->mark, &cell));
    return fail_two_readings(r, &cell, r->mark_column, ',');
}

/* ---- what to do about a text ----------------------------------------------------------------------------------- */

static nonsens_status fail_text(csv_reader *r, const shown_cell *cell, int64_t col)
{
    double value;
    char number[NUMBER_BYTES], mark = r->format.decimal == '.' ? ',' : '.';
    const char *options = options_for(cell->cell.text, cell->cell.length, &value);
    two_readings both = read_twice(&cell->cell, mark);
    if (!r->format.thousands && is_quantity(&both.decimal) && is_quantity(&both.grouped) &&
        both.decimal.value != both.grouped.value) {
        return fail_two_readings(r, cell, col, mark);
    }
    if (options) {
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "%s:%" PRId64 ":%" PRId64 " (column %s): %s is not a number as it stands; %s reads it as %s, and "
                    "--exclude leaves the column out",
                    r->path, cell->line, col + 1, cell->column, cell->text, options, number_print(number, value, 0));
    }
    return fail(
        r->ctx, NONSENS_ERR_DATA,
        "%s:%" PRId64 ":%" PRId64
        " (column %s): %s is not a number; correct it, leave the column out with --exclude, or name missing values "
        "with --na-values; a column of labels belongs to --segment",
        r->path, cell->line, col + 1, cell->column, cell->text);
}

/* ---- columns --------------------------------------------------------------------------------------------------- */

enum fault { FAULT_NONE, FAULT_TEXT, FAULT_INFINITE, FAULT_UNIT, FAULT_UNITS };

static const char *earlier(const char *a, const char *b)
{
    return !a || (b && b < a) ? b : a;
}

/* Returns the first bad cell of a column with numbers. */
static const char *bad_among_numbers(const csv_column *seen, enum fault *fault)
{
    const char *unit = seen->units ? seen->units->first : NULL;
    const char *bad = earlier(earlier(seen->first_text, seen->first_infinite), unit);
    *fault = !bad                          ? FAULT_NONE
             : bad == seen->first_text     ? FAULT_TEXT
             : bad == seen->first_infinite ? FAULT_INFINITE
                                           : FAULT_UNIT;
    return bad;
}

/*
 * Returns the first cell of the column that is an error, or NULL.  A column without numbers is text, which may well
 * hold the word "inf", unless most of its cells are numbers with a unit, or numbers if an option is set.
 */
static const char *bad_cell(const csv_reader *r, int64_t j, enum fault *fault)
{
    const csv_column *seen = &r->seen[j];
    const csv_units *units = seen->units;
    *fault = FAULT_NONE;
    if (r->has_number[j]) {
        return bad_among_numbers(seen, fault);
    }
    if (2 * seen->readable > seen->texts) {
        *fault = FAULT_TEXT;
        return seen->first_readable;
    }
    if (units && !seen->first_text && units->other && units->kinds <= MAX_UNITS && !units->only_letters) {
        *fault = FAULT_UNITS;
        return units->other;
    }
    if (units && units->kinds == 1 && units->cells > seen->texts) {
        *fault = seen->first_text ? FAULT_TEXT : seen->first_infinite ? FAULT_INFINITE : FAULT_NONE;
        return earlier(seen->first_text, seen->first_infinite);
    }
    *fault = seen->first_infinite && !seen->first_text && !units ? FAULT_INFINITE : FAULT_NONE;
    return *fault == FAULT_INFINITE ? seen->first_infinite : NULL;
}

static nonsens_status fail_cell(csv_reader *r, const table *t, int64_t col, const char *start, enum fault fault)
{
    shown_cell cell, first;
    TRY(show_cell(r, t, col, start, &cell));
    if (fault == FAULT_TEXT) {
        return fail_text(r, &cell, col);
    }
    if (fault == FAULT_UNITS) {
        TRY(show_cell(r, t, col, r->seen[col].units->first, &first));
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "%s:%" PRId64 ":%" PRId64 " (column %s): %s has another unit than %s in line %" PRId64
                    "; convert the values to one unit, or leave the column out with --exclude",
                    r->path, cell.line, col + 1, cell.column, cell.text, first.text, first.line);
    }
    return fail(r->ctx, NONSENS_ERR_DATA, "%s:%" PRId64 ":%" PRId64 " (column %s): %s %s", r->path, cell.line, col + 1,
                cell.column, cell.text,
                fault == FAULT_UNIT ? "has a unit, but other values of the column have none; write all with the same "
                                      "unit, or all without"
                                    : "is infinite; correct it, or leave the cell empty if the value is missing");
}

/* Keeps for messages the first text of a text column, and the options with which it is a number. */
static nonsens_status keep_text(csv_reader *r, arena *a, table_column *column, const csv_column *seen)
{
    csv_cell cell;
    double value;
    if (!seen->first_text) {
        return NONSENS_OK;
    }
    r->at = seen->first_text;
    TRY(csv_scan_cell(r, &cell));
    ARENA_TRY(r->ctx, a, column->text_cell, SHOWN_BYTES);
    show_bytes(column->text_cell, cell.text, cell.length);
    column->text_line = seen->text_line;
    column->text_hint = options_for(cell.text, cell.length, &value);
    return NONSENS_OK;
}

static nonsens_status note_columns(csv_reader *r, arena *a, table *t)
{
    shown_cell cell;
    char value[NUMBER_BYTES], unit[SHOWN_BYTES];
    if (r->mark) {
        TRY(show_cell(r, t, r->mark_column, r->mark, &cell));
        TRY(table_note(r->ctx, a, t, "numbers have a decimal comma: %s in line %" PRId64 " is read as %s", cell.text,
                       cell.line,
                       number_print(value, cell_read(&r->format, cell.cell.text, cell.cell.length).value, 0)));
    }
    for (int64_t j = 0; j < t->cols; j++) {
        const csv_units *units = r->seen[j].units;
        if (units && t->column[j].asked && t->column[j].kind == COLUMN_NUMERIC) {
            TRY(show_cell(r, t, j, units->first, &cell));
            t->column[j].unit = arena_text(r->ctx, a, units->unit[0]);
            TRY(t->column[j].unit ? NONSENS_OK : NONSENS_ERR_MEMORY);
            TRY(table_note(r->ctx, a, t, "the unit %s of column %s was left out: %s is read as %s",
                           show_quoted(unit, units->unit[0]), cell.column, cell.text,
                           number_print(value, cell_read(&r->format, cell.cell.text, cell.cell.length).value, 0)));
        }
    }
    return NONSENS_OK;
}

nonsens_status csv_settle_columns(csv_reader *r, arena *a, table *t)
{
    const char *first_bad = NULL;
    int64_t first_column = 0;
    enum fault first_fault = FAULT_NONE, fault;
    for (int64_t j = 0; j < t->cols; j++) {
        table_column *column = &t->column[j];
        const csv_units *units = r->seen[j].units;
        const char *bad = bad_cell(r, j, &fault);
        column->mixed = bad && !column->asked;
        if (bad && column->asked && (!first_bad || bad < first_bad)) {
            first_bad = bad;
            first_column = j;
            first_fault = fault;
        }
        bool numeric = !bad && (r->has_number[j] || (units && units->kinds == 1 && !r->seen[j].first_text));
        column->kind = numeric ? COLUMN_NUMERIC : COLUMN_TEXT;
        if (!numeric) {
            column->value = NULL;
            TRY(keep_text(r, a, column, &r->seen[j]));
        }
    }
    return first_bad ? fail_cell(r, t, first_column, first_bad, first_fault) : note_columns(r, a, t);
}
