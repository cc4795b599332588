/*
 * csv_cells.c - finds the cells of a text table: RFC 4180, separated by commas, tabs, semicolons or runs of blanks.
 *
 * Beyond RFC 4180: lines end in CR LF, LF or CR; blanks around a cell are ignored; a quote inside an unquoted cell is
 * an ordinary character; blank lines at the end are ignored; a UTF-8 byte order mark is skipped; an apostrophe before
 * text that a spreadsheet would take for a formula is not part of the text (base/csv_cell.h).
 */
#include "read/csv_internal.h"

#include "base/csv_cell.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <string.h>

/* ---- bytes and lines ------------------------------------------------------------------------------------------- */

static int64_t count_bytes(const char *from, const char *end, char c)
{
    int64_t count = 0;
    while (from < end && (from = memchr(from, c, (size_t)(end - from))) != NULL) {
        count++;
        from++;
    }
    return count;
}

int64_t csv_count_lines(const char *from, const char *end)
{
    int64_t count = count_bytes(from, end, '\n');
    if (from == end || !memchr(from, '\r', (size_t)(end - from))) {
        return count;
    }
    for (const char *p = from; p < end; p++) {
        count += *p == '\r' && !(p + 1 < end && p[1] == '\n');
    }
    return count;
}

/* ---- cells ----------------------------------------------------------------------------------------------------- */

/* Removes blanks around the text, and the apostrophe that keeps spreadsheets from taking it for a formula. */
static void trim_cell(const csv_reader *r, csv_cell *cell)
{
    while (cell->length > 0 && csv_is_padding(r, cell->text[0])) {
        cell->text++;
        cell->length--;
    }
    while (cell->length > 0 && csv_is_padding(r, cell->text[cell->length - 1])) {
        cell->length--;
    }
    if (csv_cell_is_guarded(cell->text, cell->length)) {
        cell->text++;
        cell->length--;
    }
}

/* Replaces each doubled quote in the text of a quoted cell by a single one. */
static nonsens_status unescape_cell(csv_reader *r, csv_cell *cell)
{
    if (cell->length > r->unescaped_capacity) {
        r->unescaped_capacity = 2 * cell->length;
        ARENA_TRY(r->ctx, &r->scratch, r->unescaped, r->unescaped_capacity);
    }
    int64_t length = 0;
    for (int64_t i = 0; i < cell->length; i++) {
        r->unescaped[length++] = cell->text[i];
        i += cell->text[i] == '"';
    }
    *cell = (csv_cell){r->unescaped, length};
    return NONSENS_OK;
}

static nonsens_status scan_quoted(csv_reader *r, csv_cell *cell)
{
    const char *open = r->at + 1, *close = open;
    bool doubled = false;
    for (;;) {
        close = close < r->end ? memchr(close, '"', (size_t)(r->end - close)) : NULL;
        if (!close) {
            return fail(r->ctx, NONSENS_ERR_DATA,
                        "%s:%" PRId64 ": a quote is opened but never closed; close or remove it", r->path, r->line);
        }
        if (close + 1 == r->end || close[1] != '"') {
            break;
        }
        doubled = true;
        close += 2;
    }
    int64_t line = r->line;
    r->line += csv_count_lines(open, close);
    r->at = close + 1;
    if (r->delimiter != ' ') {
        csv_skip_padding(r);
    }
    if (r->at < r->end && !r->ends_cell[(unsigned char)*r->at]) {
        char shown[SHOWN_BYTES];
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "%s:%" PRId64 ": text behind the quoted cell %s; double each quote inside quotes", r->path, line,
                    show_bytes(shown, open, close - open));
    }
    *cell = (csv_cell){open, close - open};
    if (doubled) {
        TRY(unescape_cell(r, cell));
    }
    trim_cell(r, cell);
    return NONSENS_OK;
}

nonsens_status csv_scan_cell(csv_reader *r, csv_cell *cell)
{
    csv_skip_padding(r);
    if (r->at < r->end && *r->at == '"') {
        return scan_quoted(r, cell);
    }
    const char *start = r->at;
    while (r->at < r->end && !r->ends_cell[(unsigned char)*r->at]) {
        r->at++;
    }
    *cell = (csv_cell){start, r->at - start};
    trim_cell(r, cell);
    return NONSENS_OK;
}

nonsens_status csv_count_cells(csv_reader *r, int64_t *count)
{
    csv_cell cell;
    *count = 0;
    do {
        TRY(csv_scan_cell(r, &cell));
        ++*count;
    } while (csv_next_cell(r));
    return NONSENS_OK;
}

/* ---- opening --------------------------------------------------------------------------------------------------- */

static nonsens_status check_bytes(csv_reader *r)
{
    size_t size = (size_t)(r->end - r->begin);
    if (size >= 2 && (memcmp(r->begin, "\xFF\xFE", 2) == 0 || memcmp(r->begin, "\xFE\xFF", 2) == 0)) {
        return fail(r->ctx, NONSENS_ERR_DATA, "%s:1: the text is in UTF-16; save it as UTF-8", r->path);
    }
    const char *nul = memchr(r->begin, '\0', size);
    if (nul) {
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "%s:%" PRId64 ": a NUL byte, so this is not text; give a CSV or .npy file", r->path,
                    1 + csv_count_lines(r->begin, nul));
    }
    return NONSENS_OK;
}

enum { CANDIDATES = 3 };
static const char candidate[CANDIDATES] = {'\t', ';', ','}; /* first those that are rarest inside cells */

/* Counts each candidate outside quotes from p to the end of the record; returns the start of the next record. */
static const char *count_candidates(const char *p, const char *end, int64_t count[CANDIDATES])
{
    bool quoted = false, cell_start = true;
    memset(count, 0, CANDIDATES * sizeof count[0]);
    for (; p < end && (quoted || !csv_is_line_end(*p)); p++) {
        if (*p == '"' && (quoted || cell_start)) {
            quoted = !quoted;
        }
        cell_start = *p == ' ' || *p == '"'; /* a doubled quote closes and reopens the cell */
        for (int k = 0; k < CANDIDATES && !quoted; k++) {
            if (*p == candidate[k]) {
                count[k]++;
                cell_start = true;
            }
        }
    }
    while (p < end && csv_is_line_end(*p)) {
        p++;
    }
    return p;
}

static const char *skip_digits(const char *p, const char *end)
{
    while (p < end && *p >= '0' && *p <= '9') {
        p++;
    }
    return p;
}

/* Returns the first byte after a number with a decimal comma, such as -1,25; NULL if there is no such number. */
static const char *skip_decimal_comma(const char *p, const char *end)
{
    p += p < end && (*p == '-' || *p == '+');
    const char *comma = skip_digits(p, end);
    if (comma == p || comma == end || *comma != ',') {
        return NULL;
    }
    const char *behind = skip_digits(comma + 1, end);
    return behind > comma + 1 ? behind : NULL;
}

/* Returns whether the record is two or more numbers with decimal commas, separated by blanks: no comma delimits. */
static bool has_decimal_commas(const char *p, const char *end)
{
    int64_t numbers = 0;
    while (p && p < end && !csv_is_line_end(*p)) {
        p = skip_decimal_comma(p, end);
        numbers++;
        if (p && p < end && *p != ' ' && !csv_is_line_end(*p)) {
            return false;
        }
        while (p && p < end && *p == ' ') {
            p++;
        }
    }
    return p && numbers > 1;
}

/*
 * Returns a candidate that occurs equally often in the header and each of the first rows; failing that, the most
 * frequent one in the header, then in the rows; a blank if no candidate occurs, or if commas are decimal commas.
 */
static char detect_delimiter(const char *begin, const char *end)
{
    enum { SAMPLED_RECORDS = 10 };
    int64_t first[CANDIDATES], total[CANDIDATES] = {0}, count[CANDIDATES];
    bool same[CANDIDATES] = {true, true, true};
    const char *p = count_candidates(begin, end, first), *second = p;
    for (int record = 1; record < SAMPLED_RECORDS && p < end; record++) {
        p = count_candidates(p, end, count);
        for (int k = 0; k < CANDIDATES; k++) {
            same[k] = same[k] && count[k] == first[k];
            total[k] += count[k];
        }
    }
    if (has_decimal_commas(second < end ? second : begin, end)) {
        return ' '; // reading the cells will report what is wrong with them
    }
    int best = CANDIDATES - 1;
    for (int k = 0; k < CANDIDATES; k++) {
        if (first[k] > 0 && same[k]) {
            return candidate[k];
        }
        if (first[k] > first[best] || (first[k] == first[best] && total[k] > total[best])) {
            best = k;
        }
    }
    return first[best] > 0 || total[best] > 0 ? candidate[best] : ' ';
}

/* Removes blank lines at the end; the last remaining line may have no line end. */
static void cut_blank_lines(csv_reader *r)
{
    for (;;) {
        const char *p = r->end;
        while (p > r->begin && csv_is_padding(r, p[-1])) {
            p--;
        }
        if (p == r->begin) {
            r->end = p;
            return;
        }
        if (!csv_is_line_end(p[-1])) {
            return;
        }
        r->end = p - 1;
    }
}

nonsens_status csv_open(csv_reader *r)
{
    TRY(check_bytes(r));
    r->begin += utf8_mark_length(r->begin, r->end - r->begin);
    r->delimiter = detect_delimiter(r->begin, r->end);
    r->ends_cell[(unsigned char)r->delimiter] = r->ends_cell['\n'] = r->ends_cell['\r'] = true;
    if (r->delimiter == ' ') {
        r->ends_cell['\t'] = true;
    }
    cut_blank_lines(r);
    r->at = r->begin;
    r->line = 1;
    if (r->begin == r->end) {
        return fail(r->ctx, NONSENS_ERR_DATA, "%s: only blank lines; give a table with at least one row", r->path);
    }
    return NONSENS_OK;
}
