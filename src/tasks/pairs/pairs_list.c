/*
 * pairs_list.c - lists the pairs: all of them, or those of a file with two names per line.
 *
 * The names are written as in a line of CSV (read/csv_cells.c); the delimiter is detected for each line.  Lines that
 * are blank or begin with # are ignored.
 */
#include "base/input.h"
#include "base/nearest.h"
#include "base/show.h"
#include "base/text_set.h"
#include "base/utf8.h"
#include "read/csv_internal.h"
#include "tasks/pairs/pairs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- all ------------------------------------------------------------------------------------------------------- */

static nonsens_status list_all(nonsens_context *ctx, nonsens_pairs *pairs)
{
    int64_t d = pairs->variables, k = 0;
    pairs->count = d * (d - 1) / 2;
    ARENA_TRY(ctx, &pairs->memory, pairs->pair, pairs->count);
    for (int64_t x = 0; x < d; x++) {
        for (int64_t y = x + 1; y < d; y++) {
            pairs->pair[k++] = (nonsens_pair){.x = x, .y = y};
        }
    }
    return NONSENS_OK;
}

/* ---- a file ---------------------------------------------------------------------------------------------------- */

#define WHAT "list of pairs"

enum { MAX_BYTES = 1 << 30 };

typedef struct listed {
    int64_t x, y, line;
} listed;

typedef struct list_reader {
    nonsens_context *ctx;
    char path[sizeof WHAT + SHOWN_PATH_BYTES]; // after WHAT
    int64_t line;
    text_set names;    // names of the variables, then any others in the file
    int64_t variables; // number of different names of variables
    int64_t *variable; // (variables) index of that variable
    listed *item;      // (count)
    int64_t count, capacity;
} list_reader;

/* Orders by the smaller, then by the larger of the two variables, then by line. */
static int by_pair(const void *a, const void *b)
{
    const listed *p = a, *q = b;
    int64_t low[2] = {p->x < p->y ? p->x : p->y, q->x < q->y ? q->x : q->y};
    int64_t high[2] = {p->x + p->y - low[0], q->x + q->y - low[1]};
    if (low[0] != low[1]) {
        return low[0] < low[1] ? -1 : 1;
    }
    if (high[0] != high[1]) {
        return high[0] < high[1] ? -1 : 1;
    }
    return p->line < q->line ? -1 : p->line > q->line;
}

static nonsens_status find_variable(list_reader *r, const csv_cell *cell, int64_t *index)
{
    char shown[SHOWN_BYTES], hint[HINT_BYTES];
    int32_t text;
    TRY(text_set_put(r->ctx, &r->names, cell->text, cell->length, &text));
    if (text >= r->variables) {
        nearest near = nearest_to(r->names.text[text]);
        for (int64_t k = 0; k < r->variables; k++) {
            nearest_offer(&near, r->names.text[k]);
        }
        return fail(r->ctx, NONSENS_ERR_DATA, "%s:%" PRId64 ": there is no variable %s in the data%s", r->path, r->line,
                    show_quoted(shown, r->names.text[text]), nearest_hint(&near, hint));
    }
    *index = r->variable[text];
    return NONSENS_OK;
}

/* Reads the two names of a line, which is passed without its line end. */
static nonsens_status read_pair(list_reader *r, const char *text, int64_t length, listed *out)
{
    SCOPED(csv_free) csv_reader cells = {.ctx = r->ctx, .path = r->path, .begin = text, .end = text + length};
    csv_cell cell;
    int64_t index[2] = {-1, -1}, count = 0;
    TRY(csv_open(&cells));
    cells.line = r->line;
    do {
        TRY(csv_scan_cell(&cells, &cell));
        TRY(count < 2 ? find_variable(r, &cell, &index[count]) : NONSENS_OK);
        count++;
    } while (csv_next_cell(&cells));
    if (count != 2 || index[0] == index[1]) {
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "%s:%" PRId64 ": a line must name two different variables; this one has %s", r->path, r->line,
                    count < 2   ? "one name"
                    : count > 2 ? "more names"
                                : "the same twice");
    }
    *out = (listed){index[0], index[1], r->line};
    return NONSENS_OK;
}

static nonsens_status read_line(list_reader *r, arena *scratch, const char *text, int64_t length)
{
    while (length > 0 && (csv_is_line_end(text[length - 1]) || text[length - 1] == ' ')) {
        length--;
    }
    int64_t blanks = 0;
    while (blanks < length && (text[blanks] == ' ' || text[blanks] == '\t')) {
        blanks++;
    }
    if (blanks == length || text[blanks] == '#') {
        return NONSENS_OK;
    }
    if (memchr(text, '\0', (size_t)length)) {
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "%s:%" PRId64 ": a NUL byte, so this is not text; write two names per line", r->path, r->line);
    }
    ARENA_GROW(r->ctx, scratch, r->item, r->count, r->capacity);
    TRY(read_pair(r, text, length, &r->item[r->count]));
    r->count++;
    return NONSENS_OK;
}

/* Returns the start of the next line; lines end in LF, CR or CR LF. */
static const char *behind_line(const char *at, const char *end)
{
    while (at < end && !csv_is_line_end(*at)) {
        at++;
    }
    bool two = end - at > 1 && at[0] == '\r' && at[1] == '\n';
    return at < end ? at + 1 + two : end;
}

static nonsens_status read_list(list_reader *r, arena *scratch, const char *path)
{
    char sentence[MESSAGE_BYTES];
    SCOPED(input_free) input file = {0};
    nonsens_status status = input_read_other(r->ctx, WHAT, path, MAX_BYTES, &file);
    if (status == NONSENS_ERR_DATA) {
        memcpy(sentence, r->ctx->message, sizeof sentence);
        return fail(r->ctx, status, "%.900s; --pairs takes all, or a file with two names per line", sentence);
    }
    TRY(status);
    const char *begin = file.bytes + utf8_mark_length(file.bytes, (int64_t)file.size), *end = file.bytes + file.size;
    for (const char *at = begin, *next; at < end; at = next) {
        next = behind_line(at, end);
        r->line++;
        TRY(read_line(r, scratch, at, next - at));
    }
    return NONSENS_OK;
}

/* Refuses a repeated pair: it would count twice among the tests. */
static nonsens_status check_repeated(nonsens_context *ctx, arena *scratch, const list_reader *r)
{
    listed *sorted; // (count)
    ARENA_TRY(ctx, scratch, sorted, r->count);
    memcpy(sorted, r->item, (size_t)r->count * sizeof *sorted);
    qsort(sorted, (size_t)r->count, sizeof *sorted, by_pair);
    for (int64_t k = 1; k < r->count; k++) {
        const listed *a = &sorted[k - 1], *b = &sorted[k];
        if ((a->x == b->x && a->y == b->y) || (a->x == b->y && a->y == b->x)) {
            return fail(ctx, NONSENS_ERR_DATA, "%s:%" PRId64 ": the same pair as on line %" PRId64 "; leave one out",
                        r->path, b->line, a->line);
        }
    }
    return NONSENS_OK;
}

static nonsens_status take_names(nonsens_context *ctx, arena *scratch, const nonsens_data *data, list_reader *r)
{
    r->names = (text_set){.keep = scratch, .scratch = scratch};
    ARENA_TRY(ctx, scratch, r->variable, data->d);
    for (int64_t j = data->d - 1; j >= 0; j--) {
        int32_t text;
        TRY(text_set_put(ctx, &r->names, data->names[j], (int64_t)strlen(data->names[j]), &text));
        r->variable[text] = j; // the first variable with this name
    }
    r->variables = r->names.count;
    return NONSENS_OK;
}

static nonsens_status list_file(nonsens_context *ctx, const nonsens_data *data, const char *path, nonsens_pairs *pairs)
{
    SCOPED_ARENA(scratch);
    list_reader r = {.ctx = ctx};
    char shown[SHOWN_PATH_BYTES];
    snprintf(r.path, sizeof r.path, WHAT " %s", show_path(shown, input_name(path)));
    TRY(take_names(ctx, &scratch, data, &r));
    TRY(read_list(&r, &scratch, path));
    if (r.count == 0) {
        return fail(ctx, NONSENS_ERR_DATA, "%s: there is no pair in it; write two names per line", r.path);
    }
    TRY(check_repeated(ctx, &scratch, &r));
    ARENA_TRY(ctx, &pairs->memory, pairs->pair, r.count);
    for (int64_t k = 0; k < r.count; k++) {
        pairs->pair[k] = (nonsens_pair){.x = r.item[k].x, .y = r.item[k].y};
    }
    pairs->count = r.count;
    return NONSENS_OK;
}

nonsens_status pairs_list(nonsens_context *ctx, const nonsens_data *data, nonsens_pairs *pairs)
{
    if (data->d < 2) {
        char shown[SHOWN_BYTES];
        return fail(ctx, NONSENS_ERR_DATA, "two variables are needed, but %s is the only one",
                    show_quoted(shown, data->names[0]));
    }
    bool all = strcmp(pairs->options.pairs, "all") == 0;
    return all ? list_all(ctx, pairs) : list_file(ctx, data, pairs->options.pairs, pairs);
}
