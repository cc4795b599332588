/* structured_gaps.c - cells of rows with the same values missing, and sums over them. */
#include "methods/structured_graph/structured_gaps.h"

#include "data/gaps.h"
#include "methods/structured_graph/structured_moves.h"

#include <math.h>
#include <string.h>

/* ---- cells ------------------------------------------------------------------------------------------------------ */

/*
 * Splits cells by whether a value is missing, gap (n); cells are numbered in the order of their first rows.  number
 * (2 cells) is scratch; returns how many cells there are.
 */
static int64_t divide(int64_t n, const bool *gap, int64_t cells, int32_t *number, int32_t *cell_of)
{
    int64_t found = 0;
    for (int64_t c = 0; c < 2 * cells; c++) {
        number[c] = -1;
    }
    for (int64_t i = 0; i < n; i++) {
        int32_t *own = &number[2 * cell_of[i] + gap[i]];
        if (*own < 0) {
            *own = (int32_t)found++;
        }
        cell_of[i] = *own;
    }
    return found;
}

static nonsens_status describe_cells(nonsens_context *ctx, arena *a, structured_scores *s)
{
    const nonsens_data *data = s->data;
    structured_gaps *g;
    ARENA_TRY(ctx, a, g, 1);
    g->words = (data->d + 63) / 64;
    ARENA_TRY(ctx, a, g->missing, s->cells * g->words);
    ARENA_TRY(ctx, a, g->group, s->cells);
    ARENA_TRY(ctx, a, g->rows, s->cells);
    for (int64_t i = 0; i < data->n; i++) {
        int64_t c = s->cell_of[i];
        g->group[c] = s->group_of[i];
        g->rows[c] += 1.0;
        for (int64_t k = 0; g->rows[c] == 1.0 && k < data->d; k++) {
            uint64_t bit = dataset_is_gap(data, i, data->column_rank[k]);
            g->missing[c * g->words + k / 64] |= bit << k % 64;
        }
    }
    s->gaps = g;
    return NONSENS_OK;
}

nonsens_status gaps_new(nonsens_context *ctx, arena *a, structured_scores *s)
{
    SCOPED_ARENA(scratch);
    const nonsens_data *data = s->data;
    int32_t *number;
    s->cells = s->groups;
    s->cell_of = s->group_of;
    if (!data->gap) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, &scratch, number, 2 * (data->n > s->groups ? data->n : s->groups));
    ARENA_TRY(ctx, a, s->cell_of, data->n);
    memcpy(s->cell_of, s->group_of, (size_t)data->n * sizeof *s->cell_of);
    for (int64_t k = 0; k < data->d; k++) {
        s->cells = divide(data->n, data->gap + data->column_rank[k] * data->n, s->cells, number, s->cell_of);
    }
    return describe_cells(ctx, a, s);
}

/* ---- rows that have some variables ------------------------------------------------------------------------------ */

enum { MAX_NAMED = 2 * MAX_TOGGLES * (1 + MECHANISM_MAX_CAUSES) };

/* A set of nodes as bits: the words that are not zero. */
typedef struct node_set {
    int count;
    int64_t word[MAX_NAMED];
    uint64_t mask[MAX_NAMED];
} node_set;

static void set_add(node_set *set, int64_t node)
{
    int k = 0;
    while (k < set->count && set->word[k] != node / 64) {
        k++;
    }
    if (k == set->count) {
        set->word[set->count] = node / 64;
        set->mask[set->count++] = 0;
    }
    set->mask[k] |= (uint64_t)1 << node % 64;
}

static void set_add_fit(node_set *set, int64_t effect, int64_t causes, const int64_t *cause)
{
    set_add(set, effect);
    for (int64_t i = 0; i < causes; i++) {
        set_add(set, cause[i]);
    }
}

static bool cell_has(const structured_gaps *g, int64_t cell, const node_set *set)
{
    uint64_t lacks = 0;
    for (int k = 0; k < set->count; k++) {
        lacks |= g->missing[cell * g->words + set->word[k]] & set->mask[k];
    }
    return lacks == 0;
}

bool gaps_row_has(const structured_scores *s, int64_t row, int64_t effect, int64_t causes, const int64_t *cause)
{
    node_set set = {0};
    if (!s->gaps) {
        return true;
    }
    set_add_fit(&set, effect, causes, cause);
    return cell_has(s->gaps, s->cell_of[row], &set);
}

nonsens_status gaps_rows(nonsens_context *ctx, arena *a, const structured_scores *s, const mechanism_data *rows,
                         int64_t effect, int64_t causes, const int64_t *cause, const mechanism_data **out)
{
    node_set set = {0};
    mechanism_data *kept;
    bool *keep, *has; // (n), (cells)
    int64_t count = 0;
    *out = rows;
    if (!s->gaps) {
        return NONSENS_OK;
    }
    set_add_fit(&set, effect, causes, cause);
    ARENA_TRY(ctx, a, has, s->cells);
    ARENA_TRY(ctx, a, keep, s->data->n);
    for (int64_t c = 0; c < s->cells; c++) {
        has[c] = cell_has(s->gaps, c, &set);
    }
    for (int64_t i = 0; i < s->data->n; i++) {
        keep[i] = has[s->cell_of[i]];
        count += keep[i];
    }
    if (count < s->data->n) {
        ARENA_TRY(ctx, a, kept, 1);
        TRY(mechanism_data_keep(ctx, a, rows, effect, causes, cause, keep, kept));
        *out = kept;
    }
    return NONSENS_OK;
}

/* ---- scores ----------------------------------------------------------------------------------------------------- */

nonsens_status gaps_fold_totals(nonsens_context *ctx, arena *scratch, const mechanism_data *rows, int64_t effect,
                                int64_t causes, const int64_t *cause, const double *theta, double *total)
{
    double *density, *z;
    ARENA_TRY(ctx, scratch, density, rows->all);
    ARENA_TRY(ctx, scratch, z, rows->all);
    TRY(mechanism_held_out(ctx, rows, effect, causes, cause, theta, density, z));
    for (int64_t k = 0; k < rows->folds; k++) {
        total[k] = 0.0;
        for (int64_t i = rows->block[k]; i < rows->block[k + 1]; i++) {
            total[k] += density[rows->row[i]];
        }
    }
    return NONSENS_OK;
}

void gaps_scale(const structured_scores *s, int64_t effect, int64_t causes, const int64_t *cause, structured_part *part)
{
    node_set set = {0};
    double rows = 0.0, sum = 0.0;
    if (!s->gaps) {
        return;
    }
    set_add_fit(&set, effect, causes, cause);
    for (int64_t c = 0; c < s->cells; c++) {
        if (cell_has(s->gaps, c, &set)) {
            rows += s->gaps->rows[c];
            sum += part->group[c];
        }
    }
    double scale = (double)s->data->n / rows;
    part->total = scale * sum;
    for (int64_t i = 0; i < causes; i++) {
        part->loss[i] *= scale;
    }
}

/* Sums over the cells of each group: gains and rows. */
typedef struct group_sums {
    double gain[SCORE_MAX_GROUPS], rows[SCORE_MAX_GROUPS];
} group_sums;

static void add_up(const structured_scores *s, int effects, const structured_score *const *now,
                   const structured_score *const *then, group_sums *sums)
{
    node_set set = {0};
    for (int k = 0; k < effects; k++) {
        set_add_fit(&set, now[k]->effect, now[k]->causes, now[k]->cause);
        set_add_fit(&set, then[k]->effect, then[k]->causes, then[k]->cause);
    }
    for (int64_t c = 0; c < s->cells; c++) {
        if (cell_has(s->gaps, c, &set)) {
            int32_t g = s->gaps->group[c];
            sums->rows[g] += s->gaps->rows[c];
            for (int k = 0; k < effects; k++) {
                sums->gain[g] += then[k]->group[c] - now[k]->group[c];
            }
        }
    }
}

/*
 * The mean over the common rows is a ratio of two sums over groups; its variance is that of gain - mean * rows
 * (Cochran, Sampling Techniques, 3rd ed., 1977, section 6.3).
 */
structured_gain gaps_gain(const structured_scores *s, int effects, const structured_score *const *now,
                          const structured_score *const *then)
{
    group_sums sums = {{0}, {0}};
    double sum = 0.0, rows = 0.0, squares = 0.0, groups = (double)s->groups;
    add_up(s, effects, now, then, &sums);
    for (int64_t g = 0; g < s->groups; g++) {
        sum += sums.gain[g];
        rows += sums.rows[g];
    }
    if (rows < MIN_PART_ROWS) {
        return (structured_gain){0.0, 0.0};
    }
    for (int64_t g = 0; g < s->groups; g++) {
        double rest = sums.gain[g] - sum / rows * sums.rows[g];
        squares += rest * rest;
    }
    double variance = s->time.inflation * squares * groups / (groups - 1.0);
    return (structured_gain){sum * (double)s->data->n / rows, variance > 0.0 ? sum / sqrt(variance) : 0.0};
}

/* ---- tests ------------------------------------------------------------------------------------------------------ */

void gaps_mark_rows(const structured_scores *s, int64_t effect, int64_t causes, const int64_t *cause, double *v)
{
    for (int64_t i = 0; s->gaps && i < s->data->n; i++) {
        v[i] = gaps_row_has(s, i, effect, causes, cause) ? v[i] : NAN;
    }
}

nonsens_status gaps_restore_column(nonsens_context *ctx, arena *a, const nonsens_data *data, int64_t j,
                                   const double **out)
{
    return gaps_restore(ctx, a, data->n, matrix_col(data->x, j), data->gap ? data->gap + j * data->n : NULL, out);
}

/* Rows at which two columns are numbers (n): values, bounds of segments, order of time (NULL without blocks). */
typedef struct kept_rows {
    int64_t n, *start, *time_order;
    double *x, *y;
} kept_rows;

static nonsens_status keep_rows(nonsens_context *ctx, arena *a, const structured_scores *s, const double *x,
                                const double *y, kept_rows *out)
{
    const nonsens_data *data = s->data;
    int64_t *place, count = 0; // (n) index of a row among those kept, or -1
    *out = (kept_rows){0};
    ARENA_TRY(ctx, a, place, data->n);
    ARENA_TRY(ctx, a, out->x, data->n);
    ARENA_TRY(ctx, a, out->y, data->n);
    ARENA_TRY(ctx, a, out->start, data->segments + 1);
    for (int64_t e = 0; e < data->segments; e++) {
        for (int64_t i = data->start[e]; i < data->start[e + 1]; i++) {
            bool has = !isnan(x[i]) && !isnan(y[i]);
            place[i] = has ? out->n : -1;
            if (has) {
                out->x[out->n] = x[i];
                out->y[out->n++] = y[i];
            }
        }
        out->start[e + 1] = out->n;
    }
    if (!s->time_order) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, a, out->time_order, data->n);
    for (int64_t i = 0; i < data->n; i++) {
        if (place[s->time_order[i]] >= 0) {
            out->time_order[count++] = place[s->time_order[i]];
        }
    }
    return NONSENS_OK;
}

nonsens_status gaps_test(nonsens_context *ctx, arena *scratch, const structured_scores *s, const double *x,
                         const double *y, const hsic_options *options, double *p_value)
{
    hsic_options hsic = *options;
    hsic_result h;
    kept_rows kept = {s->data->n, s->data->start, s->time_order, (double *)x, (double *)y};
    if (s->gaps) {
        TRY(keep_rows(ctx, scratch, s, x, y, &kept));
        hsic.time_order = kept.time_order;
    }
    TRY(hsic_test_scalars(ctx, scratch, kept.n, kept.x, kept.y, s->data->segments, kept.start, &hsic, &h));
    *p_value = h.p_value;
    return NONSENS_OK;
}
