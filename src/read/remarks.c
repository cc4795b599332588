/* remarks.c - reports what reading did: notes on the file, and warnings about columns and rows that were left out. */
#include "base/show.h"
#include "read/read_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void reading_list_add(char *list, const char *name)
{
    char shown[SHOWN_BYTES];
    size_t used = strlen(list), length = strlen(show_quoted(shown, name));
    const char *separator = used ? ", " : "";
    if (used >= 3 && strcmp(list + used - 3, "...") == 0) {
        return;
    }
    bool fits = used + length + sizeof ", , ..." < LIST_BYTES;
    snprintf(list + used, LIST_BYTES - used, "%s%s", separator, fits ? shown : "...");
}

/*
 * Warns about columns that are left out.  If no variables were named, these are all columns that are not numeric.  If
 * variables were named, only columns that mix numbers and text: the user knows that the others are left out.
 */
static nonsens_status warn_left_out(nonsens_context *ctx, const read_state *r, nonsens_data *data)
{
    char list[LIST_BYTES] = "";
    int64_t count = 0;
    bool named = r->wanted_count > 0;
    for (int64_t j = 0; j < r->t.cols; j++) {
        const table_column *column = &r->t.column[j];
        bool left_out = column->kind == COLUMN_TEXT && !column->is_label && !column->excluded;
        if (left_out && (column->mixed || !named)) {
            reading_list_add(list, column->name);
            count++;
        }
    }
    if (count == 0) {
        return NONSENS_OK;
    }
    return dataset_warn(ctx, data, "left out, because %s in it is a number: column%s %s",
                        named ? "not every value" : "no value", count > 1 ? "s" : "", list);
}

/* Warns about columns that number the rows, and remembers them, since files such as --targets may name them. */
static nonsens_status warn_numbering(nonsens_context *ctx, const read_state *r, nonsens_data *data)
{
    char list[LIST_BYTES] = "";
    for (int64_t k = 0; k < r->numberings; k++) {
        reading_list_add(list, r->numbering[k]);
        TRY(dataset_remember_left_out(ctx, LEFT_OUT_VARIABLE, r->numbering[k], data));
    }
    bool several = r->numberings > 1;
    return r->numberings == 0 ? NONSENS_OK
                              : dataset_warn(ctx, data,
                                             "column%s %s only number%s the rows and %s left out; --vars keeps what it "
                                             "names",
                                             several ? "s" : "", list, several ? "" : "s", several ? "were" : "was");
}

static nonsens_status warn_dropped(nonsens_context *ctx, const read_state *r, nonsens_data *data)
{
    if (r->rows < r->t.rows) {
        int64_t dropped = r->t.rows - r->rows;
        TRY(dataset_warn(ctx, data, "%" PRId64 " of %" PRId64 " rows %s left out because a value is missing in %s%s",
                         dropped, r->t.rows, dropped == 1 ? "was" : "were", dropped == 1 ? "it" : "them",
                         r->options->na == NA_PAIRWISE ? ", as if values were missing at random" : ""));
    }
    if (r->emptied > 0) {
        TRY(dataset_warn(ctx, data, "%" PRId64 " of %" PRId64 " segments %s no rows left", r->emptied, r->segments,
                         r->emptied == 1 ? "has" : "have"));
    }
    return NONSENS_OK;
}

static nonsens_status warn_gaps(nonsens_context *ctx, const nonsens_options *options, nonsens_data *data)
{
    const char *judged =
        options->command == NONSENS_COMMAND_DIRECTION  ? "pair is judged by the rows that have both variables"
        : options->command == NONSENS_COMMAND_DISCOVER ? "mechanism, or test, uses the rows that have its variables"
                                                       : "variable is judged by the rows that have it and its causes";
    char list[LIST_BYTES] = "";
    int64_t cells = 0, columns = 0;
    for (int64_t j = 0; data->gap && j < data->d; j++) {
        int64_t before = cells;
        for (int64_t i = 0; i < data->n; i++) {
            cells += dataset_is_gap(data, i, j);
        }
        if (cells > before) {
            reading_list_add(list, data->names[j]);
            columns++;
        }
    }
    if (cells == 0) {
        return NONSENS_OK;
    }
    return dataset_warn(ctx, data, "%" PRId64 " value%s missing in %s: each %s, as if values were missing at random",
                        cells, cells == 1 ? " is" : "s are", list, judged);
}

static nonsens_status keep_dates(nonsens_context *ctx, const date_span *dates, nonsens_data *data)
{
    if (!dates->column) {
        return NONSENS_OK;
    }
    data->dates.column = arena_text(ctx, &data->memory, dates->column);
    data->dates.first = arena_text(ctx, &data->memory, dates->first);
    data->dates.last = arena_text(ctx, &data->memory, dates->last);
    return data->dates.column && data->dates.first && data->dates.last ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

nonsens_status reading_remark(nonsens_context *ctx, const read_state *r, nonsens_data *data)
{
    for (int64_t k = 0; k < r->t.notes; k++) {
        TRY(dataset_note(ctx, data, r->t.note[k]));
    }
    TRY(warn_left_out(ctx, r, data));
    TRY(warn_numbering(ctx, r, data));
    TRY(warn_dropped(ctx, r, data));
    TRY(keep_dates(ctx, &r->t.dates, data));
    return warn_gaps(ctx, r->options, data);
}
