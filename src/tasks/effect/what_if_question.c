/* what_if_question.c - reads the question: --do, --change, --on, --in, --row and --rows. */
#include "base/input.h"
#include "base/number.h"
#include "base/show.h"
#include "data/labels.h"
#include "data/variables.h"
#include "options/assignment.h"
#include "tasks/effect/what_if.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ROWS_BYTES = 1 << 26, DIGITS = 6 };

/* ---- changes ---------------------------------------------------------------------------------------------------- */

/* Fails if the value is outside the range of the data, unless --extrapolate is set. */
static nonsens_status check_reach(nonsens_context *ctx, const what_if *w, int64_t variable, double value)
{
    const double *column = matrix_col(w->data->x, variable);
    double lowest = INFINITY, highest = -INFINITY, sign = w->data->sign[variable];
    char shown[SHOWN_BYTES], wanted[NUMBER_BYTES], low[NUMBER_BYTES], high[NUMBER_BYTES];
    for (int64_t i = 0; i < w->data->n; i++) {
        lowest = fmin(lowest, sign * column[i]);
        highest = fmax(highest, sign * column[i]);
    }
    if (w->result->options.extrapolate || (value >= lowest && value <= highest)) {
        return NONSENS_OK;
    }
    show_bare(shown, w->data->names[variable]);
    return fail(ctx, NONSENS_ERR_DATA,
                "--do %s=%s: in the data %s lies between %s and %s; choose a value between them, or add --extrapolate",
                shown, number_print(wanted, value, DIGITS), shown, number_print(low, lowest, DIGITS),
                number_print(high, highest, DIGITS));
}

static nonsens_status add_change(nonsens_context *ctx, what_if *w, const assignment *a, effect_kind kind)
{
    const char *key = kind == EFFECT_SET ? "do" : "change";
    char shown[SHOWN_BYTES];
    int64_t variable;
    TRY(variables_find(ctx, w->data, key, a->name, &variable));
    show_bare(shown, w->data->names[variable]);
    for (int64_t k = 0; k < w->changes; k++) {
        if (w->change[k].variable == variable) {
            return fail(ctx, NONSENS_ERR_USAGE, "--%s names %s, which is changed already; name it once", key, shown);
        }
    }
    if (a->is_grid && w->grid >= 0) {
        return fail(ctx, NONSENS_ERR_USAGE, "--%s %s: only one variable can take several values; give it a single one",
                    key, shown);
    }
    for (int64_t k = 0; kind == EFFECT_SET && k < a->count; k++) {
        TRY(check_reach(ctx, w, variable, a->value[k]));
    }
    if (a->is_grid) {
        w->grid = w->changes;
        w->points = a->count;
        w->point = a->value;
    }
    w->change[w->changes++] = (effect_change){variable, kind, a->value[0]};
    return NONSENS_OK;
}

static nonsens_status read_changes(nonsens_context *ctx, arena *a, what_if *w)
{
    const nonsens_options *o = &w->result->options;
    assignment_list set, shift;
    TRY(assignment_read(ctx, a, "do", o->do_values, &set));
    TRY(assignment_read(ctx, a, "change", o->change, &shift));
    ARENA_TRY(ctx, a, w->change, set.count + shift.count);
    w->grid = -1;
    w->points = 1;
    for (int64_t k = 0; k < set.count + shift.count; k++) {
        bool sets = k < set.count;
        TRY(add_change(ctx, w, sets ? &set.item[k] : &shift.item[k - set.count], sets ? EFFECT_SET : EFFECT_SHIFT));
    }
    return NONSENS_OK;
}

/* ---- targets ---------------------------------------------------------------------------------------------------- */

static bool is_changed(const what_if *w, int64_t variable)
{
    bool found = false;
    for (int64_t k = 0; k < w->changes; k++) {
        found = found || w->change[k].variable == variable;
    }
    return found;
}

static bool is_target(const what_if *w, int64_t variable)
{
    bool found = false;
    for (int64_t k = 0; k < w->targets; k++) {
        found = found || w->target[k] == variable;
    }
    return found;
}

static nonsens_status add_target(nonsens_context *ctx, what_if *w, const char *name)
{
    char shown[SHOWN_BYTES];
    int64_t variable;
    TRY(variables_find(ctx, w->data, "on", name, &variable));
    if (is_changed(w, variable)) {
        return fail(ctx, NONSENS_ERR_USAGE, "--on %s: this variable is set or changed itself; name another one",
                    show_bare(shown, w->data->names[variable]));
    }
    if (!is_target(w, variable)) {
        w->target[w->targets++] = variable;
    }
    return NONSENS_OK;
}

static nonsens_status read_targets(nonsens_context *ctx, arena *a, what_if *w)
{
    const char *rest = w->result->options.on, *begin, *end;
    ARENA_TRY(ctx, a, w->target, w->data->d);
    if (rest[0] == '\0' || (strcmp(rest, "all") == 0 && dataset_find_name(w->data, rest) < 0)) {
        for (int64_t j = 0; j < w->data->d; j++) {
            if (!is_changed(w, j)) {
                w->target[w->targets++] = j;
            }
        }
        return NONSENS_OK;
    }
    if (dataset_find_name(w->data, rest) >= 0) { // a name may contain commas
        return add_target(ctx, w, rest);
    }
    while (option_next_name(&rest, &begin, &end)) {
        char *name = arena_get(ctx, a, end - begin + 1, 1);
        if (!name) {
            return NONSENS_ERR_MEMORY;
        }
        memcpy(name, begin, (size_t)(end - begin));
        TRY(add_target(ctx, w, name));
    }
    return NONSENS_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* Computes canonical (count): the canonical row of each input row, or -1 if the row was left out. */
static nonsens_status map_rows(nonsens_context *ctx, arena *a, const nonsens_data *data, int64_t *count,
                               int64_t **canonical)
{
    *count = 0;
    for (int64_t i = 0; i < data->n; i++) {
        *count = data->input_row[i] >= *count ? data->input_row[i] + 1 : *count;
    }
    ARENA_TRY(ctx, a, *canonical, *count);
    memset(*canonical, 0xff, (size_t)*count * sizeof **canonical);
    for (int64_t i = 0; i < data->n; i++) {
        (*canonical)[data->input_row[i]] = i;
    }
    return NONSENS_OK;
}

/* Adds the row whose number the text gives. */
static nonsens_status add_row(nonsens_context *ctx, what_if *w, const char *key, const char *begin, const char *end,
                              int64_t count, const int64_t *canonical)
{
    char shown[SHOWN_BYTES];
    double number = 0.0;
    show_bytes(shown, begin, end - begin);
    if (number_parse(begin, end, &number) != end || !(number >= 1.0) || number != floor(number)) {
        return fail(ctx, NONSENS_ERR_USAGE, "--%s: %s is not the number of a row; rows count from 1", key, shown);
    }
    if (number > (double)count) {
        return fail(ctx, NONSENS_ERR_DATA, "--%s: %s is more than the %" PRId64 " rows of the data", key, shown, count);
    }
    if (canonical[(int64_t)number - 1] < 0) {
        return fail(ctx, NONSENS_ERR_DATA, "--%s %" PRId64 ": this row was left out of the data", key, (int64_t)number);
    }
    w->row[w->rows++] = canonical[(int64_t)number - 1];
    return NONSENS_OK;
}

static bool separates(char c)
{
    return c == ',' || c == '\n' || c == '\r' || c == ' ' || c == '\t';
}

/* Adds the rows that the text lists. */
static nonsens_status add_rows(nonsens_context *ctx, arena *a, what_if *w, const char *key, const char *text,
                               int64_t bytes)
{
    int64_t count, *canonical, most = 1;
    TRY(map_rows(ctx, a, w->data, &count, &canonical));
    for (int64_t i = 0; i < bytes; i++) {
        most += separates(text[i]);
    }
    ARENA_TRY(ctx, a, w->row, most);
    for (const char *at = text, *end = text + bytes; at < end;) {
        const char *stop = at;
        while (stop < end && !separates(*stop)) {
            stop++;
        }
        TRY(stop > at ? add_row(ctx, w, key, at, stop, count, canonical) : NONSENS_OK);
        at = stop + 1;
    }
    return w->rows > 0 ? NONSENS_OK : fail(ctx, NONSENS_ERR_USAGE, "--%s names no row; rows count from 1", key);
}

static nonsens_status add_all_rows(nonsens_context *ctx, arena *a, what_if *w)
{
    int64_t count, *canonical;
    TRY(map_rows(ctx, a, w->data, &count, &canonical));
    ARENA_TRY(ctx, a, w->row, w->data->n);
    for (int64_t i = 0; i < count; i++) {
        if (canonical[i] >= 0) {
            w->row[w->rows++] = canonical[i];
        }
    }
    return NONSENS_OK;
}

static nonsens_status read_row_file(nonsens_context *ctx, arena *a, what_if *w)
{
    SCOPED(input_free) input in = {0};
    TRY(input_read_other(ctx, "list of rows", w->result->options.rows, MAX_ROWS_BYTES, &in));
    return add_rows(ctx, a, w, "rows", in.bytes, (int64_t)in.size);
}

static nonsens_status read_rows(nonsens_context *ctx, arena *a, what_if *w)
{
    const nonsens_options *o = &w->result->options;
    if (!o->row[0] && !o->rows[0]) {
        return NONSENS_OK;
    }
    if (w->changes == 0) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--row asks what a row would have been; say what is done with --do A=VALUE");
    }
    if (o->in[0]) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--in names a segment, but the rows of --row are in segments already; leave out --in");
    }
    if (w->grid >= 0) {
        return fail(ctx, NONSENS_ERR_USAGE, "--row takes one value of each variable, not a grid; give --do A=VALUE");
    }
    if (o->rows[0]) {
        return read_row_file(ctx, a, w);
    }
    return strcmp(o->row, "all") == 0 ? add_all_rows(ctx, a, w)
                                      : add_rows(ctx, a, w, "row", o->row, (int64_t)strlen(o->row));
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

/* Writes the changes as text: "temp = 30, speed + 1". */
static nonsens_status say_question(nonsens_context *ctx, const what_if *w)
{
    enum { BYTES = 1000 };
    char words[BYTES] = "", shown[SHOWN_BYTES], value[NUMBER_BYTES], last[NUMBER_BYTES];
    size_t used = 0;
    for (int64_t k = 0; k < w->changes && used < BYTES / 2; k++) {
        const effect_change *c = &w->change[k];
        bool shifts = c->kind == EFFECT_SHIFT;
        used += (size_t)snprintf(words + used, BYTES - used, "%s%s %s %s", k ? ", " : "",
                                 show_bare(shown, w->data->names[c->variable]),
                                 !shifts         ? "="
                                 : c->value < 0. ? "-"
                                                 : "+",
                                 number_print(value, shifts ? fabs(c->value) : c->value, DIGITS));
        if (k == w->grid) {
            used += (size_t)snprintf(words + used, BYTES - used, " to %s",
                                     number_print(last, w->point[w->points - 1], DIGITS));
        }
    }
    w->result->effects.question = arena_text(ctx, &w->result->memory, words);
    return w->result->effects.question ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

/* Keeps the change of each variable in the result. */
static nonsens_status keep_actions(nonsens_context *ctx, const what_if *w)
{
    result_effects *out = &w->result->effects;
    ARENA_TRY(ctx, &w->result->memory, out->action, w->changes);
    for (int64_t k = 0; k < w->changes; k++) {
        const effect_change *c = &w->change[k];
        out->action[k] = (result_action){c->variable, c->kind == EFFECT_SHIFT, k == w->grid ? NAN : c->value};
    }
    out->actions = w->changes;
    return NONSENS_OK;
}

nonsens_status what_if_read(nonsens_context *ctx, arena *a, what_if *w)
{
    const nonsens_options *o = &w->result->options;
    TRY(read_changes(ctx, a, w));
    if (w->changes == 0 && o->in[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "--in names a segment; say what is done there with --do A=VALUE");
    }
    w->segment = EFFECT_ALL_SEGMENTS;
    TRY(o->in[0] ? labels_find(ctx, a, w->data, "in", o->in, &w->segment) : NONSENS_OK);
    TRY(read_targets(ctx, a, w));
    if (w->targets == 0) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "every variable is set or changed, so nothing is left to ask about; leave one out");
    }
    TRY(read_rows(ctx, a, w));
    TRY(keep_actions(ctx, w));
    return say_question(ctx, w);
}
