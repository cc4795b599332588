/* targets_file.c - reads interventions: takes cells from csv_cells.c, and looks names up in the data. */
#include "read/targets_file.h"

#include "base/input.h"
#include "base/nearest.h"
#include "base/show.h"
#include "read/csv_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_BYTES = 1 << 28, SEGMENT = 0, VARIABLE = 1, KIND = 2, FIELDS, MAX_COLUMNS = 64, LISTED = 8 };
static const char *const FIELD[FIELDS] = {"segment", "variable", "kind"};

/* What a cell stands for if it is no segment or variable of the data. */
enum { LEFT_OUT = -2 };
static const int UNKNOWN = TARGET_ACTIVITY + 1; /* kind of a line that does not say which variable was hit */

typedef struct target_line {
    const char *text[FIELDS]; // "" if the cell is empty or there is no such column
    int64_t line, column[FIELDS];
} target_line;

typedef struct targets_reader {
    nonsens_context *ctx;
    const nonsens_data *data;
    arena *scratch;
    csv_reader cells;
    char path[SHOWN_PATH_BYTES];
    int64_t columns, field[MAX_COLUMNS]; // the FIELD of each column, from the header
    int64_t *line_of;                    // (segments, d + 1) line of each target, 0: no line; column d: unknown targets
    show_list ignored;                   // names in the file that were left out of the data
    targets *out;
} targets_reader;

static nonsens_status refuse_nul(targets_reader *r)
{
    return fail(r->ctx, NONSENS_ERR_DATA,
                "targets file %s: a NUL byte, so this is not text; write lines such as segment,variable,kind", r->path);
}

/* ---- header ---------------------------------------------------------------------------------------------------- */

static nonsens_status take_header_cell(targets_reader *r, const char *name)
{
    char shown[SHOWN_BYTES];
    int64_t field = 0;
    while (field < FIELDS && strcmp(name, FIELD[field]) != 0) {
        field++;
    }
    if (field == FIELDS || r->columns == MAX_COLUMNS) {
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "targets file %s:1: column %" PRId64
                    " is called %s; the first line must be segment,variable,kind (kind may be left out)",
                    r->path, r->columns + 1, show_quoted(shown, name));
    }
    for (int64_t k = 0; k < r->columns; k++) {
        if (r->field[k] == field) {
            return fail(r->ctx, NONSENS_ERR_DATA, "targets file %s:1: two columns are called %s; leave one out",
                        r->path, FIELD[field]);
        }
    }
    r->field[r->columns++] = field;
    return NONSENS_OK;
}

static nonsens_status read_header(targets_reader *r)
{
    csv_cell cell;
    bool has[FIELDS] = {false};
    do {
        TRY(csv_scan_cell(&r->cells, &cell));
        const char *name = arena_format(r->ctx, r->scratch, "%.*s", (int)cell.length, cell.text);
        TRY(name ? take_header_cell(r, name) : NONSENS_ERR_MEMORY);
        has[r->field[r->columns - 1]] = true;
    } while (csv_next_cell(&r->cells));
    for (int64_t field = SEGMENT; field <= VARIABLE; field++) {
        if (!has[field]) {
            return fail(r->ctx, NONSENS_ERR_DATA,
                        "targets file %s:1: there is no column %s; the first line must be segment,variable,kind (kind "
                        "may be left out)",
                        r->path, FIELD[field]);
        }
    }
    return NONSENS_OK;
}

/* ---- lines ----------------------------------------------------------------------------------------------------- */

static nonsens_status scan_line(targets_reader *r, target_line *out)
{
    csv_cell cell;
    int64_t column = 0;
    *out = (target_line){.text = {"", "", ""}, .line = r->cells.line};
    do {
        TRY(csv_scan_cell(&r->cells, &cell));
        if (column < r->columns) {
            char *text = arena_format(r->ctx, r->scratch, "%.*s", (int)cell.length, cell.text);
            TRY(text ? NONSENS_OK : NONSENS_ERR_MEMORY);
            out->text[r->field[column]] = text;
            out->column[r->field[column]] = column + 1;
        }
        column++;
    } while (csv_next_cell(&r->cells));
    if (column > r->columns) {
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "targets file %s:%" PRId64 ": %" PRId64 " cells, but the first line has %" PRId64
                    "; put a name with a comma in double quotes",
                    r->path, out->line, column, r->columns);
    }
    return NONSENS_OK;
}

/* Finds the number of a variable or segment; LEFT_OUT if it was left out of the data. */
static nonsens_status find_name(targets_reader *r, const target_line *l, int field, int64_t *index)
{
    const nonsens_data *data = r->data;
    const char *text = l->text[field];
    char *const *name = field == VARIABLE ? data->names : data->labels;
    int64_t count = field == VARIABLE ? data->d : data->segments, kind = field == VARIABLE ? 0 : 1;
    char shown[SHOWN_BYTES], hint[HINT_BYTES];
    nearest near = nearest_to(text);
    for (int64_t i = 0; i < count; i++) {
        if (strcmp(name[i], text) == 0) {
            *index = i;
            return NONSENS_OK;
        }
        nearest_offer(&near, name[i]);
    }
    for (int64_t i = 0; i < data->left_out_count[kind]; i++) {
        if (strcmp(data->left_out[kind][i], text) == 0) {
            *index = LEFT_OUT;
            show_list_add(&r->ignored, text);
            return NONSENS_OK;
        }
    }
    return fail(r->ctx, NONSENS_ERR_DATA,
                "targets file %s:%" PRId64 ": column %" PRId64 ": there is no %s %s in this run; correct the name%s",
                r->path, l->line, l->column[field], FIELD[field], show_quoted(shown, text), nearest_hint(&near, hint));
}

static nonsens_status find_kind(targets_reader *r, const target_line *l, int *kind)
{
    static const char *const WORD[] = {"fixed", "changed", "activity", "unknown", NULL};
    char shown[SHOWN_BYTES];
    bool names = l->text[VARIABLE][0] != '\0';
    *kind = names ? TARGET_CHANGED : UNKNOWN;
    if (!l->text[KIND][0]) {
        return NONSENS_OK;
    }
    int found = 0;
    while (WORD[found] && strcmp(WORD[found], l->text[KIND]) != 0) {
        found++;
    }
    if (!WORD[found]) {
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "targets file %s:%" PRId64 ": column %" PRId64
                    ": there is no kind %s; write fixed, changed, activity or unknown",
                    r->path, l->line, l->column[KIND], show_quoted(shown, l->text[KIND]));
    }
    *kind = found + TARGET_FIXED;
    if (!names && *kind != UNKNOWN) {
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "targets file %s:%" PRId64
                    ": kind %s needs a variable; name it, or write unknown if nobody knows which was hit",
                    r->path, l->line, WORD[found]);
    }
    *kind = names && *kind == UNKNOWN ? (int)TARGET_CHANGED : *kind; // only how it was hit is unknown
    return NONSENS_OK;
}

static nonsens_status take_line(targets_reader *r, const target_line *l)
{
    int64_t d = r->data->d, segment, variable = d;
    int kind;
    TRY(find_name(r, l, SEGMENT, &segment));
    TRY(l->text[VARIABLE][0] ? find_name(r, l, VARIABLE, &variable) : NONSENS_OK);
    TRY(find_kind(r, l, &kind));
    if (segment == LEFT_OUT || variable == LEFT_OUT) {
        return NONSENS_OK;
    }
    int64_t *line = &r->line_of[segment * (d + 1) + variable];
    if (variable < d && *line && r->out->kind[segment * d + variable] != kind) {
        char a[SHOWN_BYTES], b[SHOWN_BYTES];
        return fail(r->ctx, NONSENS_ERR_DATA,
                    "targets file %s:%" PRId64 ": variable %s in segment %s has another kind on line %" PRId64
                    "; leave one out",
                    r->path, l->line, show_quoted(a, r->data->names[variable]),
                    show_quoted(b, r->data->labels[segment]), *line);
    }
    *line = l->line;
    if (variable == d) {
        r->out->unknown[segment] = true;
    } else {
        r->out->kind[segment * d + variable] = (uint8_t)kind;
    }
    return NONSENS_OK;
}

static bool is_blank(const target_line *l)
{
    return !l->text[SEGMENT][0] && !l->text[VARIABLE][0] && !l->text[KIND][0];
}

static nonsens_status say_ignored(nonsens_context *ctx, arena *a, bool any, targets_reader *r)
{
    if (any && r->ignored.count == 0) {
        return NONSENS_OK;
    }
    r->out->ignored =
        any ? arena_format(ctx, a, "Lines of --targets have no effect, because what they name was left out: %s.",
                           show_list_end(&r->ignored))
            : arena_format(ctx, a, "The file of --targets has no line after the first, so it names no intervention.");
    return r->out->ignored ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

nonsens_status targets_parse(nonsens_context *ctx, arena *a, const char *path, const char *bytes, int64_t size,
                             const nonsens_data *data, targets *out)
{
    SCOPED_ARENA(scratch);
    targets_reader r = {.ctx = ctx, .data = data, .scratch = &scratch, .out = out, .ignored = {.max = LISTED}};
    char name[SHOWN_PATH_BYTES + 20];
    show_path(r.path, path);
    snprintf(name, sizeof name, "targets file %s", r.path);
    TRY(targets_new(ctx, a, data->segments, (const char *const *)data->labels, data->d, out));
    ARENA_TRY(ctx, &scratch, r.line_of, data->segments * (data->d + 1));
    if (size > 0 && memchr(bytes, '\0', (size_t)size)) {
        return refuse_nul(&r);
    }
    SCOPED(csv_free) csv_reader cells = {.ctx = ctx, .path = name, .begin = bytes, .end = bytes + size};
    TRY(csv_open(&cells));
    r.cells = cells;
    nonsens_status status = read_header(&r);
    bool any = false;
    while (status == NONSENS_OK && r.cells.at < r.cells.end) {
        target_line line;
        status = scan_line(&r, &line);
        if (status == NONSENS_OK && !is_blank(&line)) {
            any = true;
            status = take_line(&r, &line);
        }
    }
    cells = r.cells; // csv_free must see its memory
    TRY(status);
    return say_ignored(ctx, a, any, &r);
}

nonsens_status targets_read(nonsens_context *ctx, arena *a, const char *path, const nonsens_data *data, targets *out)
{
    SCOPED(input_free) input file = {0};
    *out = (targets){0};
    if (strcmp(path, "-") == 0) { // because it may be read more than once
        return fail(ctx, NONSENS_ERR_DATA, "targets file -: it cannot come from standard input; give a path");
    }
    TRY(input_read_other(ctx, "targets file", path, MAX_BYTES, &file));
    return targets_parse(ctx, a, path, file.bytes, (int64_t)file.size, data, out);
}
