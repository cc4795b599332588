/*
 * segment_labels.c - makes the segments of a table from the columns that --segment names: from their texts, from the
 * periods of their dates, or from the combinations of several columns.
 */
#include "read/table_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- which columns --------------------------------------------------------------------------------------------- */

static nonsens_status fail_column(nonsens_context *ctx, const table *t, const char *wanted, const char *period)
{
    char shown[SHOWN_BYTES], first[SHOWN_BYTES], last[SHOWN_BYTES], hint[HINT_BYTES];
    const char *a = t->column[0].name, *b = t->column[t->cols - 1].name;
    if (period) { // the column exists, but the period does not
        return fail(
            ctx, NONSENS_ERR_USAGE,
            "--segment %s: a column of dates is cut into hours, days, weeks or months: write :hour, :day, :week "
            "or :month behind its name",
            show_bare(shown, wanted));
    }
    nearest near = table_nearest(t, wanted);
    return fail(ctx, NONSENS_ERR_DATA, "%s: no column %s; it has %" PRId64 " column%s, %s to %s: give a name or #k%s",
                t->path, show_quoted(shown, wanted), t->cols, t->cols == 1 ? "" : "s", show_quoted(first, a),
                show_quoted(last, b), nearest_hint(&near, hint));
}

/* Finds the column that a part of --segment names: as it stands, or followed by a colon and a period. */
static nonsens_status find_part(nonsens_context *ctx, arena *a, const table *t, const char *part, table_label *out)
{
    *out = (table_label){table_find(t, part), PERIOD_NONE};
    const char *colon = strrchr(part, ':');
    if (out->column >= 0 || !colon) {
        return out->column >= 0 ? NONSENS_OK : fail_column(ctx, t, part, NULL);
    }
    char *name = arena_format(ctx, a, "%.*s", (int)(colon - part), part);
    if (!name) {
        return NONSENS_ERR_MEMORY;
    }
    *out = (table_label){table_find(t, name), period_of(colon + 1)};
    if (out->column < 0) {
        return fail_column(ctx, t, out->period == PERIOD_NONE ? part : name, NULL);
    }
    return out->period == PERIOD_NONE ? fail_column(ctx, t, part, colon + 1) : NONSENS_OK;
}

static nonsens_status add_part(nonsens_context *ctx, arena *a, const char *part, table *t)
{
    table_label *label = &t->label[t->labels];
    TRY(find_part(ctx, a, t, part, label));
    if (t->column[label->column].is_label) {
        char shown[SHOWN_BYTES];
        return fail(ctx, NONSENS_ERR_USAGE, "--segment names column %s twice; name different columns",
                    show_quoted(shown, t->column[label->column].name));
    }
    t->column[label->column].is_label = true;
    t->labels++;
    return NONSENS_OK;
}

static int64_t count_parts(const char *list)
{
    int64_t count = 1;
    for (; *list; list++) {
        count += *list == ',';
    }
    return count;
}

nonsens_status table_find_labels(nonsens_context *ctx, arena *a, const table_options *options, table *t)
{
    const char *list = options->label ? options->label : "";
    if (!list[0]) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, a, t->label, count_parts(list));
    if (table_find(t, list) >= 0) { // a name may contain commas
        return add_part(ctx, a, list, t);
    }
    for (bool more = true; more;) {
        list += strspn(list, " \t");
        size_t length = strcspn(list, ",");
        more = list[length] == ',';
        const char *rest = list + length + more;
        while (length > 0 && (list[length - 1] == ' ' || list[length - 1] == '\t')) {
            length--;
        }
        char *part = arena_format(ctx, a, "%.*s", (int)length, list);
        TRY(part ? add_part(ctx, a, part, t) : NONSENS_ERR_MEMORY);
        list = rest;
    }
    return NONSENS_OK;
}

/* ---- periods --------------------------------------------------------------------------------------------------- */

static nonsens_status fail_date(nonsens_context *ctx, const table *t, const table_label *label, int32_t k,
                                const char *what)
{
    const table_column *column = &t->column[label->column];
    char cell[SHOWN_BYTES], name[SHOWN_BYTES], line[40] = "";
    int64_t row = 0;
    while (column->category[row] != k) {
        row++;
    }
    if (t->line) {
        snprintf(line, sizeof line, "line %" PRId64 ", ", t->line[row]);
    }
    return fail(ctx, NONSENS_ERR_DATA, "%s: column %s holds %s (%sdata row %" PRId64 "), %s", t->path,
                show_quoted(name, column->name), show_quoted(cell, column->labels[k]), line, row + 1, what);
}

/* Finds out whether the day or the month comes first in dates such as 3/4/2024. */
static nonsens_status find_order(nonsens_context *ctx, const table *t, const table_label *label, enum date_order *order)
{
    const table_column *column = &t->column[label->column];
    int32_t seen[3] = {-1, -1, -1};
    for (int32_t k = 0; k < column->label_count; k++) {
        moment when;
        if (date_read(column->labels[k], ORDER_UNKNOWN, &when) && when.slashes && seen[when.order] < 0) {
            seen[when.order] = k;
        }
    }
    if (seen[ORDER_DAY_FIRST] >= 0 && seen[ORDER_MONTH_FIRST] >= 0) {
        return fail_date(ctx, t, label, seen[ORDER_MONTH_FIRST],
                         "whose day comes second, but elsewhere the day comes first; write dates as 2024-12-31");
    }
    *order = seen[ORDER_DAY_FIRST] >= 0     ? ORDER_DAY_FIRST
             : seen[ORDER_MONTH_FIRST] >= 0 ? ORDER_MONTH_FIRST
                                            : ORDER_UNKNOWN;
    return *order == ORDER_UNKNOWN && seen[ORDER_UNKNOWN] >= 0
               ? fail_date(ctx, t, label, seen[ORDER_UNKNOWN],
                           "which has two readings, day first or month first; write dates as 2024-12-31")
               : NONSENS_OK;
}

/* Finds the period of each text of the column; number (label_count): its number in `periods`. */
static nonsens_status find_periods(nonsens_context *ctx, const table *t, const table_label *label, text_set *periods,
                                   int32_t *number, bool *seconds)
{
    const table_column *column = &t->column[label->column];
    enum date_order order;
    TRY(find_order(ctx, t, label, &order));
    for (int32_t k = 0; k < column->label_count; k++) {
        moment when;
        char text[PERIOD_BYTES];
        if (!date_read(column->labels[k], order, &when)) {
            return fail_date(ctx, t, label, k, "which is no date; write dates as 2024-12-31 or 2024-12-31 14:05");
        }
        if (label->period == PERIOD_HOUR && when.hour < 0) {
            return fail_date(ctx, t, label, k, "which has no time of day; take days, weeks or months");
        }
        *seconds = *seconds || when.seconds;
        period_print(text, label->period, &when);
        TRY(text_set_put(ctx, periods, text, (int64_t)strlen(text), &number[k]));
    }
    return NONSENS_OK;
}

/* Replaces the dates of a column by their periods. */
static nonsens_status cut_periods(nonsens_context *ctx, arena *a, const table_label *label, table *t)
{
    SCOPED_ARENA(scratch);
    table_column *column = &t->column[label->column];
    text_set periods = {.keep = a, .scratch = &scratch};
    int32_t *number; // (label_count)
    bool seconds = false;
    char name[SHOWN_BYTES];
    ARENA_TRY(ctx, &scratch, number, column->label_count);
    TRY(find_periods(ctx, t, label, &periods, number, &seconds));
    for (int64_t i = 0; i < t->rows; i++) {
        if (column->category[i] >= 0) {
            column->category[i] = number[column->category[i]];
        }
    }
    TRY(table_keep_labels(ctx, a, &periods, column));
    return table_note(ctx, a, t, "the %ss of column %s are the segments%s", period_name(label->period),
                      show_quoted(name, column->name), seconds ? "; its numbers are seconds since 1970 (UTC)" : "");
}

/* ---- several columns ------------------------------------------------------------------------------------------- */

/* Returns the joined labels of a row; NULL if one is missing (then *missing is true) or memory runs out. */
static char *join_row(nonsens_context *ctx, arena *scratch, const table *t, int64_t row, const char *between,
                      bool *missing)
{
    char *text = NULL;
    *missing = false;
    for (int64_t k = 0; k < t->labels; k++) {
        const table_column *column = &t->column[t->label[k].column];
        if (column->category[row] < 0) {
            *missing = true;
            return NULL;
        }
        const char *label = column->labels[column->category[row]];
        text = text ? arena_format(ctx, scratch, "%s%s%s", text, between, label) : arena_text(ctx, scratch, label);
        if (!text) {
            return NULL;
        }
    }
    return text;
}

/* Chooses a separator that no label contains, if possible, so that different combinations have different texts. */
static const char *choose_separator(const table *t)
{
    static const char *const candidate[] = {"/", " / ", "|", " | ", " + ", " & ", " -- ", "///"};
    size_t c = 0;
    for (; c + 1 < sizeof candidate / sizeof *candidate; c++) {
        bool held = false;
        for (int64_t k = 0; k < t->labels && !held; k++) {
            const table_column *column = &t->column[t->label[k].column];
            for (int32_t i = 0; i < column->label_count && !held; i++) {
                held = strpbrk(column->labels[i], candidate[c]) != NULL;
            }
        }
        if (!held) {
            break;
        }
    }
    return candidate[c];
}

static char *join_names(nonsens_context *ctx, arena *a, const table *t)
{
    char *name = arena_text(ctx, a, t->column[t->label[0].column].name);
    for (int64_t k = 1; name && k < t->labels; k++) {
        name = arena_format(ctx, a, "%s,%s", name, t->column[t->label[k].column].name);
    }
    return name;
}

/* Combines several columns of labels into one. */
static nonsens_status combine(nonsens_context *ctx, arena *a, table *t)
{
    SCOPED_ARENA(scratch);
    SCOPED_ARENA(line);
    table_column *all;
    char *first;
    text_set labels = {.keep = a, .scratch = &scratch};
    const char *between = choose_separator(t);
    ARENA_TRY(ctx, a, all, 1);
    *all = (table_column){.name = join_names(ctx, a, t), .kind = COLUMN_TEXT, .is_label = true, .first_missing = -1};
    TRY(all->name ? NONSENS_OK : NONSENS_ERR_MEMORY);
    ARENA_TRY(ctx, a, all->category, t->rows);
    ARENA_TRY(ctx, &line, first, 1); // rewinding then keeps the chunk
    arena_mark mark = arena_tell(&line);
    for (int64_t i = 0; i < t->rows; i++) {
        bool missing;
        arena_rewind(&line, mark);
        char *text = join_row(ctx, &line, t, i, between, &missing);
        if (missing) {
            all->category[i] = -1;
            table_count_missing(all, i);
            continue;
        }
        TRY(text ? text_set_put(ctx, &labels, text, (int64_t)strlen(text), &all->category[i]) : NONSENS_ERR_MEMORY);
    }
    t->segment = all;
    return table_keep_labels(ctx, a, &labels, all);
}

nonsens_status table_join_labels(nonsens_context *ctx, arena *a, table *t)
{
    for (int64_t k = 0; k < t->labels; k++) {
        if (t->label[k].period != PERIOD_NONE) {
            TRY(cut_periods(ctx, a, &t->label[k], t));
        }
    }
    if (t->labels == 1) {
        t->segment = &t->column[t->label[0].column];
    }
    return t->labels > 1 ? combine(ctx, a, t) : NONSENS_OK;
}
