/* tidy.c - leaves out constant columns, copies of columns and tiny segments; see tidy.h. */
#include "data/tidy.h"

#include "base/show.h"
#include "math/column.h"
#include "math/linalg.h"
#include "math/sort.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    USABLE_ROWS = 10, /* of a segment; tests of independence skip smaller ones */
    FEW_SEGMENTS = 3,
    COMPARED_ROWS = 4, /* with fewer rows, or no more rows than columns, columns correlate by chance */
    LISTED = 8
};
static const double COPY = 0.9999;     /* correlation beyond which a column is a copy */
static const double RANK_COPY = 0.999; /* the same for ranks inside segments */
static const double EXACT_COPY = 1e-9; /* 1 - |correlation| of copies that no method can distinguish */

/* Replaces *data by some of its columns and rows (NULL: all); warnings stay. */
static nonsens_status reduce(nonsens_context *ctx, int64_t columns, const int64_t *index, int64_t rows,
                             const int64_t *row, nonsens_data **data)
{
    SCOPED(memory_release_scoped) nonsens_data *left = NULL;
    TRY(dataset_subset(ctx, *data, columns, index, rows, row, &left));
    for (int64_t i = 0; i < (*data)->warnings; i++) {
        TRY(dataset_warn(ctx, left, "%s", (*data)->warning[i]));
    }
    for (int64_t i = 0; i < (*data)->notes; i++) {
        TRY(dataset_note(ctx, left, (*data)->note[i]));
    }
    for (int kind = 0; kind < 2; kind++) {
        for (int64_t i = 0; i < (*data)->left_out_count[kind]; i++) {
            TRY(dataset_remember_left_out(ctx, kind, (*data)->left_out[kind][i], left));
        }
    }
    nonsens_data_free(*data);
    *data = left;
    left = NULL;
    return NONSENS_OK;
}

/* ---- segments ---- */

static int64_t segment_rows(const nonsens_data *data, int64_t e)
{
    return data->start[e + 1] - data->start[e];
}

/* Says whether a segment stays; one that explain is asked about does, however small it is. */
static bool is_kept(const nonsens_data *data, const nonsens_options *options, int64_t e, int64_t min_rows)
{
    const char *label = data->labels[e];
    bool asked = label[0] && (strcmp(label, options->of) == 0 || strcmp(label, options->against) == 0);
    return asked || segment_rows(data, e) >= min_rows;
}

static int64_t count_kept(const nonsens_data *data, const nonsens_options *options, int64_t min_rows)
{
    int64_t kept = 0;
    for (int64_t e = 0; e < data->segments; e++) {
        kept += is_kept(data, options, e, min_rows);
    }
    return kept;
}

/* Returns the rows that a segment needs in order to stay. */
static int64_t needed_rows(const nonsens_data *data, const nonsens_options *options)
{
    int64_t needed = options->command & (NONSENS_COMMAND_EXPLAIN | NONSENS_COMMAND_EFFECT) ? 2 : FEW_SEGMENTS;
    if (count_kept(data, options, USABLE_ROWS) >= needed) {
        return USABLE_ROWS;
    }
    return count_kept(data, options, 2) >= 2 ? 2 : 0;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Warns of the segments that were left out, label (count). */
static nonsens_status warn_segments(nonsens_context *ctx, int64_t min_rows, int64_t count, const char **label,
                                    int64_t segments, int64_t rows, nonsens_data *data)
{
    show_list list = {.max = LISTED, .quoted = true};
    char fewer[40] = "a single row";
    qsort(label, (size_t)count, sizeof *label, compare_texts);
    for (int64_t k = 0; k < count; k++) {
        show_list_add(&list, label[k]);
    }
    if (min_rows > 2) {
        snprintf(fewer, sizeof fewer, "fewer than %" PRId64 " rows", min_rows);
    }
    return dataset_warn(ctx, data,
                        "%" PRId64 " of %" PRId64 " segments %s %s and %s left out, with %" PRId64 " of %" PRId64
                        " rows: %s",
                        count, segments, count == 1 ? "has" : "have", fewer, count == 1 ? "was" : "were",
                        rows - data->n, rows, show_list_end(&list));
}

static nonsens_status tidy_segments(nonsens_context *ctx, const nonsens_options *options, nonsens_data **data)
{
    SCOPED_ARENA(scratch);
    const nonsens_data *all = *data;
    int64_t segments = all->segments, rows = all->n, min_rows = needed_rows(all, options), left = 0, count = 0, *row;
    const char **label; // (segments)
    if (count_kept(all, options, min_rows) == segments) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, &scratch, row, rows);
    ARENA_TRY(ctx, &scratch, label, segments);
    for (int64_t e = 0; e < segments; e++) {
        if (is_kept(all, options, e, min_rows)) {
            for (int64_t i = all->start[e]; i < all->start[e + 1]; i++) {
                row[left++] = i;
            }
        } else {
            label[count] = arena_text(ctx, &scratch, all->labels[e]);
            TRY(label[count++] ? NONSENS_OK : NONSENS_ERR_MEMORY);
        }
    }
    TRY(reduce(ctx, all->d, NULL, left, row, data));
    for (int64_t k = 0; k < count; k++) {
        TRY(dataset_remember_left_out(ctx, LEFT_OUT_SEGMENT, label[k], *data));
    }
    return warn_segments(ctx, min_rows, count, label, segments, rows, *data);
}

/* ---- columns ---- */

enum { KEPT = -1, CONSTANT = -2 };

/* What is known about the columns. */
typedef struct columns {
    const nonsens_data *data;
    int64_t *fate; // (d) KEPT, CONSTANT, or the column that it is a copy of
    int64_t kept;
    bool exact; // some copy is exact
} columns;

static void find_constants(columns *c)
{
    for (int64_t j = 0; j < c->data->d; j++) {
        bool constant = column_is_constant(c->data->n, matrix_col(c->data->x, j));
        c->fate[j] = constant ? CONSTANT : KEPT;
        c->kept += !constant;
    }
}

/* Fills rank (n): inside segments, centred, divided by their rows; equal values share a rank.  entry, spare: (n). */
static void rank_inside(const nonsens_data *data, const double *value, sort_entry *entry, sort_entry *spare,
                        double *rank)
{
    for (int64_t e = 0; e < (data->segments > 0 ? data->segments : 1); e++) {
        int64_t from = data->start[e], size = segment_rows(data, e);
        sort_column(value + from, size, entry, spare);
        for (int64_t i = 0, end; i < size; i = end) {
            for (end = i + 1; end < size && entry[end].key == entry[i].key; end++) {
            }
            for (int64_t k = i; k < end; k++) {
                rank[from + entry[k].row] = 0.5 * (double)(i + end - size) / (double)size;
            }
        }
    }
}

/* Says whether ranks inside segments agree; those of columns that are constant in every segment do. */
static nonsens_status ranks_agree(nonsens_context *ctx, arena *scratch, const nonsens_data *data, int64_t a, int64_t b,
                                  bool *agree)
{
    arena_mark mark = arena_tell(scratch);
    sort_entry *entry, *spare;
    double *rank[2], aa = 0, bb = 0, ab = 0;
    ARENA_TRY(ctx, scratch, entry, data->n);
    ARENA_TRY(ctx, scratch, spare, data->n);
    for (int k = 0; k < 2; k++) {
        ARENA_TRY(ctx, scratch, rank[k], data->n);
        rank_inside(data, matrix_col(data->x, k ? b : a), entry, spare, rank[k]);
    }
    for (int64_t i = 0; i < data->n; i++) {
        aa += rank[0][i] * rank[0][i];
        bb += rank[1][i] * rank[1][i];
        ab += rank[0][i] * rank[1][i];
    }
    *agree = (aa == 0 && bb == 0) || fabs(ab) > RANK_COPY * sqrt(aa * bb);
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

/* Looks for an earlier column that the k-th of the varying ones repeats; product (k): z'z with the earlier ones. */
static nonsens_status find_original(nonsens_context *ctx, arena *scratch, columns *c, const int64_t *varying, int64_t k,
                                    const double *product)
{
    int64_t b = varying[k];
    for (int64_t i = 0; i < k && c->fate[b] == KEPT; i++) {
        double size = fabs(product[i]) / (double)c->data->n;
        bool copy = c->fate[varying[i]] == KEPT && size > COPY;
        if (copy) {
            TRY(ranks_agree(ctx, scratch, c->data, varying[i], b, &copy));
        }
        if (copy) {
            c->fate[b] = varying[i];
            c->kept--;
            c->exact = c->exact || 1 - size < EXACT_COPY;
        }
    }
    return NONSENS_OK;
}

static nonsens_status find_copies(nonsens_context *ctx, arena *scratch, columns *c)
{
    int64_t n = c->data->n, count = 0, *varying; // (kept)
    double *z, *gram;                            // (n, kept), (kept, kept)
    if (c->kept < 2 || n <= c->kept || n < COMPARED_ROWS) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, scratch, varying, c->kept);
    ARENA_TRY(ctx, scratch, z, n * c->kept);
    ARENA_TRY(ctx, scratch, gram, c->kept * c->kept);
    for (int64_t j = 0; j < c->data->d; j++) {
        if (c->fate[j] == KEPT) {
            column_standardise(n, matrix_col(c->data->x, j), z + count * n);
            varying[count++] = j;
        }
    }
    linalg_gram(n, count, z, n, gram);
    for (int64_t k = 1; k < count; k++) {
        TRY(find_original(ctx, scratch, c, varying, k, gram + k * count));
    }
    return NONSENS_OK;
}

/* Says whether copies matter: in a search for causes, or sources, one copy can take the place of another. */
static bool seeks_copies(const nonsens_options *options, bool named)
{
    return options->command != NONSENS_COMMAND_INDEPENDENCE && !(named && options->command == NONSENS_COMMAND_DIAGNOSE);
}

/* ---- sentences ---- */

/* Why columns are left out: "columns "a", "b" are constant". */
typedef struct reason {
    char *text; // NULL: it concerns no column
    bool several;
} reason;

/* Describes the constant columns (original < 0), or the copies of one column. */
static nonsens_status describe(nonsens_context *ctx, arena *scratch, const columns *c, int64_t original, reason *out)
{
    show_list list = {.max = LISTED, .quoted = true};
    char name[SHOWN_BYTES];
    for (int64_t j = 0; j < c->data->d; j++) {
        if (c->fate[j] == original) {
            show_list_add(&list, c->data->names[j]);
        }
    }
    *out = (reason){NULL, list.count > 1};
    if (list.count == 0) {
        return NONSENS_OK;
    }
    const char *names = show_list_end(&list);
    out->text = original < 0 ? arena_format(ctx, scratch,
                                            out->several ? "columns %s are constant" : "column %s is constant", names)
                             : arena_format(ctx, scratch,
                                            out->several ? "columns %s are copies of %s up to rounding and scale"
                                                         : "column %s is a copy of %s up to rounding and scale",
                                            names, show_quoted(name, c->data->names[original]));
    return out->text ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

/* Lists reasons (count <= d + 1): for the constant columns, then for the copies of each column. */
static nonsens_status describe_all(nonsens_context *ctx, arena *scratch, const columns *c, reason **out, int64_t *count)
{
    ARENA_TRY(ctx, scratch, *out, c->data->d + 1);
    *count = 0;
    for (int64_t j = CONSTANT; j < c->data->d; j++) {
        TRY(j == KEPT ? NONSENS_OK : describe(ctx, scratch, c, j, *out + *count));
        *count += j != KEPT && (*out)[*count].text;
    }
    return NONSENS_OK;
}

/* Returns the reasons in one sentence. */
static const char *join(nonsens_context *ctx, arena *scratch, const reason *why, int64_t count)
{
    const char *all = why[0].text;
    for (int64_t k = 1; all && k < count; k++) {
        all = arena_format(ctx, scratch, "%s; %s", all, why[k].text);
    }
    return all;
}

/* ---- what must not be left out ---- */

static int64_t needed_variables(const nonsens_options *options)
{
    bool one = options->command == NONSENS_COMMAND_DIAGNOSE ||
               (options->command == NONSENS_COMMAND_INDEPENDENCE && option_is_sample_test(options->test));
    return one ? 1 : 2;
}

static nonsens_status refuse_few(nonsens_context *ctx, const nonsens_options *options, const columns *c,
                                 const char *why)
{
    char left[SHOWN_BYTES + 16] = "none is left", name[SHOWN_BYTES];
    bool copies = false;
    for (int64_t j = 0; j < c->data->d; j++) {
        copies = copies || c->fate[j] >= 0;
        if (c->fate[j] == KEPT) {
            snprintf(left, sizeof left, "only %s is left", show_quoted(name, c->data->names[j]));
        }
    }
    return fail(ctx, NONSENS_ERR_DATA, "%.500s: %s needs %s, and %s; choose data with more variables%s", why,
                option_command_name(options->command),
                needed_variables(options) == 1 ? "one variable" : "two variables", left,
                copies && !c->exact ? ", or take copies as they are with --keep-all" : "");
}

/* Checks --target: the variable that it names must stay; if it is a number (#2), all must stay. */
static nonsens_status check_target(nonsens_context *ctx, const nonsens_options *options, const columns *c,
                                   const char *why)
{
    int64_t target = dataset_find_name(c->data, options->target);
    char shown[SHOWN_BYTES], name[SHOWN_BYTES];
    show_bare(shown, options->target);
    if (target < 0) {
        return options->target[0] == '#'
                   ? fail(ctx, NONSENS_ERR_DATA, "--target %s: %.500s; name the target instead", shown, why)
                   : NONSENS_OK;
    }
    if (c->fate[target] == KEPT) {
        return NONSENS_OK;
    }
    if (c->fate[target] == CONSTANT) {
        return fail(ctx, NONSENS_ERR_DATA, "--target %s: this column is constant; choose another one", shown);
    }
    return fail(ctx, NONSENS_ERR_DATA,
                "--target %s: this column is a copy of %s up to rounding and scale; choose that one", shown,
                show_quoted(name, c->data->names[c->fate[target]]));
}

/* ---- columns that are left out ---- */

static nonsens_status leave_out(nonsens_context *ctx, arena *scratch, const nonsens_options *options, const columns *c,
                                nonsens_data **data)
{
    reason *why;
    int64_t count, *index, kept = 0;
    TRY(describe_all(ctx, scratch, c, &why, &count));
    const char *all = join(ctx, scratch, why, count);
    TRY(all ? NONSENS_OK : NONSENS_ERR_MEMORY);
    if (c->kept < needed_variables(options)) {
        return refuse_few(ctx, options, c, all);
    }
    TRY(check_target(ctx, options, c, all));
    ARENA_TRY(ctx, scratch, index, c->kept);
    for (int64_t j = 0; j < (*data)->d; j++) {
        if (c->fate[j] == KEPT) {
            index[kept++] = j;
        } else {
            TRY(dataset_remember_left_out(ctx, LEFT_OUT_VARIABLE, (*data)->names[j], *data));
        }
    }
    TRY(reduce(ctx, kept, index, (*data)->n, NULL, data));
    for (int64_t k = 0; k < count; k++) {
        TRY(dataset_warn(ctx, *data, "%s and %s left out", why[k].text, why[k].several ? "were" : "was"));
    }
    return NONSENS_OK;
}

/* Refuses copies among named variables, which all stay; the audit refuses constant ones. */
static nonsens_status refuse_copies(nonsens_context *ctx, arena *scratch, const columns *c)
{
    for (int64_t j = 0; j < c->data->d; j++) {
        reason why;
        TRY(describe(ctx, scratch, c, j, &why));
        if (why.text) {
            return fail(ctx, NONSENS_ERR_DATA, "%.500s; choose other variables%s", why.text,
                        c->exact ? "" : ", or take them as they are with --keep-all");
        }
    }
    return NONSENS_OK;
}

static nonsens_status tidy_columns(nonsens_context *ctx, const nonsens_options *options, bool named,
                                   nonsens_data **data)
{
    SCOPED_ARENA(scratch);
    columns c = {.data = *data};
    ARENA_TRY(ctx, &scratch, c.fate, c.data->d);
    find_constants(&c);
    TRY(seeks_copies(options, named) ? find_copies(ctx, &scratch, &c) : NONSENS_OK);
    if (named) {
        return refuse_copies(ctx, &scratch, &c);
    }
    return c.kept < c.data->d ? leave_out(ctx, &scratch, options, &c, data) : NONSENS_OK;
}

nonsens_status tidy_dataset(nonsens_context *ctx, const nonsens_options *options, bool named, nonsens_data **data)
{
    bool pairs = options->pairs[0] != '\0', blocks = options->segments[0] != '\0';
    if (options->keep_all || (*data)->n < 2) {
        return NONSENS_OK;
    }
    TRY((*data)->segments == 0 || blocks ? NONSENS_OK : tidy_segments(ctx, options, data));
    return pairs ? NONSENS_OK : tidy_columns(ctx, options, named, data);
}
