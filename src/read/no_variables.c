/*
 * no_variables.c - finds columns of numbers that are no variables: those that --exclude names, and those that number
 * the rows.
 *
 * A column numbers the rows if its values are whole numbers that increase (or decrease) from row to row and skip at
 * most about half of the numbers between.  If it is called id or the like, different whole numbers are enough.
 */
#include "base/show.h"
#include "read/read_internal.h"
#include "read/table_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEWEST_ROWS = 20 }; /* with fewer rows, numbers may be in order by chance */

/* ---- columns that number the rows ------------------------------------------------------------------------------ */

/* Returns whether the column has whole numbers that increase or decrease from row to row and skip few numbers. */
static bool counts_rows(const double *value, int64_t rows)
{
    double sign = value[1] > value[0] ? 1.0 : -1.0, span = fabs(value[rows - 1] - value[0]) + 1.0;
    if (!(span <= 2.0 * (double)rows)) {
        return false;
    }
    for (int64_t i = 0; i < rows; i++) {
        if (value[i] != floor(value[i]) || (i > 0 && !(sign * (value[i] - value[i - 1]) > 0.0))) {
            return false;
        }
    }
    return true;
}

/* Returns whether the name is a usual one for a column that numbers rows or records. */
static bool is_id_name(const char *name)
{
    static const char *const whole[] = {"id", "idx", "index", "row", "rownum", "rowid", "record", "uid", "unnamed: 0"};
    size_t length = strlen(name);
    char lower[16];
    if (length >= 3 && (name[length - 2] | 0x20) == 'i' && (name[length - 1] | 0x20) == 'd' &&
        strchr("_.- ", name[length - 3])) {
        return true;
    }
    if (length >= sizeof lower) {
        return false;
    }
    for (size_t k = 0; k <= length; k++) {
        lower[k] = name[k] >= 'A' && name[k] <= 'Z' ? (char)(name[k] | 0x20) : name[k];
    }
    for (size_t k = 0; k < sizeof whole / sizeof *whole; k++) {
        if (strcmp(lower, whole[k]) == 0) {
            return true;
        }
    }
    return false;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Finds out whether the values are different whole numbers, in any order. */
static nonsens_status are_different(nonsens_context *ctx, const double *value, int64_t rows, bool *different)
{
    SCOPED_ARENA(scratch);
    double *sorted; // (rows)
    *different = true;
    for (int64_t i = 0; i < rows && *different; i++) {
        *different = value[i] == floor(value[i]);
    }
    if (!*different) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, &scratch, sorted, rows);
    memcpy(sorted, value, (size_t)rows * sizeof *sorted);
    qsort(sorted, (size_t)rows, sizeof *sorted, by_value);
    for (int64_t i = 1; i < rows && *different; i++) {
        *different = sorted[i] != sorted[i - 1];
    }
    return NONSENS_OK;
}

/* Returns whether a list such as a,b=1,c:2 has the name. */
static bool is_in_list(const char *list, const char *name)
{
    size_t length = strlen(name);
    while (*list) {
        list += strspn(list, " ,\t");
        if (strncmp(list, name, length) == 0 && (!list[length] || strchr(" ,=:", list[length]))) {
            return true;
        }
        list += strcspn(list, ",");
    }
    return false;
}

/* Returns whether another option names the column, which makes it a variable. */
static bool is_asked_about(const nonsens_options *o, const char *name)
{
    return strcmp(o->target, name) == 0 || is_in_list(o->on, name) || is_in_list(o->do_values, name) ||
           is_in_list(o->change, name);
}

static nonsens_status find_numbering(nonsens_context *ctx, read_state *r)
{
    for (int64_t j = 0; j < r->t.cols; j++) {
        table_column *column = &r->t.column[j];
        bool numbering = reading_may_be_variable(column) && column->missing == 0 && r->t.rows >= FEWEST_ROWS &&
                         !is_asked_about(r->options, column->name);
        if (numbering && !counts_rows(column->value, r->t.rows)) {
            numbering = is_id_name(column->name);
            TRY(numbering ? are_different(ctx, column->value, r->t.rows, &numbering) : NONSENS_OK);
        }
        column->is_numbering = numbering;
    }
    return NONSENS_OK;
}

/* Keeps is_numbering only for columns that number the rows in all files. */
static void agree_numbering(read_state *part, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        for (int64_t j = 0; j < part[k].t.cols; j++) {
            for (int64_t other = 0; other < count && part[k].t.column[j].is_numbering; other++) {
                int64_t same = table_find_name(&part[other].t, part[k].t.column[j].name);
                part[k].t.column[j].is_numbering = same >= 0 && part[other].t.column[same].is_numbering;
            }
        }
    }
}

/* ---- columns that are excluded --------------------------------------------------------------------------------- */

static nonsens_status check_excluded(nonsens_context *ctx, const table *t, const char *name)
{
    int64_t j = table_find(t, name);
    char shown[SHOWN_BYTES];
    if (j < 0) {
        return reading_fail_column(ctx, t, name);
    }
    return t->column[j].is_label ? fail(ctx, NONSENS_ERR_USAGE,
                                        "--exclude %s: that column has the segment labels, and is no variable anyway",
                                        show_bare(shown, t->column[j].name))
                                 : NONSENS_OK;
}

/* Checks r->excluded: the whole list, then two spellings of each name, as it stands and without blanks around it. */
static nonsens_status check_exclusions(nonsens_context *ctx, const read_state *r)
{
    if (r->excluded_count > 0 && table_find(&r->t, r->excluded[0]) >= 0) {
        return check_excluded(ctx, &r->t, r->excluded[0]);
    }
    for (int64_t k = 1; k < r->excluded_count; k += 2) {
        bool as_it_stands = table_find(&r->t, r->excluded[k]) >= 0;
        TRY(check_excluded(ctx, &r->t, r->excluded[as_it_stands ? k : k + 1]));
    }
    return NONSENS_OK;
}

nonsens_status reading_find_no_variables(nonsens_context *ctx, read_state *part, int64_t count)
{
    const nonsens_options *o = part[0].options;
    bool listed = o->pairs[0] && strcmp(o->pairs, "all") != 0; // a file names the variables
    for (int64_t k = 0; k < count; k++) {
        TRY(check_exclusions(ctx, &part[k]));
        TRY(part[0].wanted_count == 0 && !o->keep_all && !listed ? find_numbering(ctx, &part[k]) : NONSENS_OK);
    }
    agree_numbering(part, count);
    return NONSENS_OK;
}
