/*
 * model_groups.c - computes the Fisher matrix by groups of rows (classifier_information.h), for the steps of a descent.
 *
 * Rows of a cell whose logits hardly differ form a group: those in one box of a grid over the features, scaled so that
 * the logits change by WIDTH along an edge (standard deviation over segments).
 */
#include "base/parallel.h"
#include "classifier/classifier_information.h"
#include "classifier/tile.h"

#include <math.h>
#include <string.h>

static const double WIDTH = 0.5;
enum {
    PARTS = 4,      /* model_fisher_by_groups adds this many */
    MAX_GROUPS = 64 /* in one cell; the grid of a cell becomes coarser if there would be more */
};

/* The rows of one cell, fold by fold, and their groups. */
typedef struct walk {
    int64_t *next;  /* (folds) first row that has not been taken yet */
    int64_t *end;   /* (folds) the row after the last one to take */
    int64_t count;  /* number of rows of the current cell */
    int64_t *row;   /* (count) the rows of the current cell */
    double *scaled; /* (count, r) their features in the scale of the grid */
    int32_t *group; /* (count) their groups */
    int64_t groups;
    double corner[MAX_GROUPS][MODEL_MAX_RANK]; /* boxes of the grid */
    double scale[MODEL_MAX_RANK][MODEL_MAX_RANK];
    double moment[TILE_PRODUCTS * TILE_PRODUCTS];
} walk;

/* Cells from .. to - 1, without the rows of one fold (-1: with all). */
typedef struct part_of_cells {
    int64_t from, to, without;
} part_of_cells;

/* Computes scale, the upper triangular R with R'R = the covariance of the weights over segments. */
static void find_scale(const classifier_model *m, const classifier_tile *t,
                       double scale[MODEL_MAX_RANK][MODEL_MAX_RANK])
{
    int64_t r = m->rank, segments = m->data->segments;
    double mean[MODEL_MAX_RANK] = {0};
    for (int64_t f = 0; f < r; f++) {
        for (int64_t e = 0; e < segments; e++) {
            mean[f] += m->data->share[e] * t->weight[f * t->wide + e];
        }
    }
    for (int64_t f = 0; f < r; f++) {
        for (int64_t g = f; g < r; g++) {
            double sum = 0.0;
            for (int64_t e = 0; e < segments; e++) {
                sum +=
                    m->data->share[e] * (t->weight[f * t->wide + e] - mean[f]) * (t->weight[g * t->wide + e] - mean[g]);
            }
            for (int64_t k = 0; k < f; k++) {
                sum -= scale[k][f] * scale[k][g];
            }
            scale[f][g] = f == g ? sqrt(fmax(sum, 0.0)) : scale[f][f] > 0.0 ? sum / scale[f][f] : 0.0;
        }
    }
}

/* Returns the first row of a fold that is in this cell or a later one; rows of a fold are ordered by their cells. */
static int64_t first_row(const classifier_sample *s, int64_t fold, int64_t corner)
{
    int64_t from = s->block[fold], to = s->block[fold + 1];
    while (from < to) {
        int64_t middle = from + (to - from) / 2;
        if (s->corner[middle] < corner) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

static nonsens_status walk_new(nonsens_context *ctx, arena *a, const classifier_model *m, const classifier_tile *t,
                               const part_of_cells *part, walk **out)
{
    const classifier_sample *s = m->data;
    ARENA_TRY(ctx, a, *out, 1);
    ARENA_TRY(ctx, a, (*out)->next, s->folds);
    ARENA_TRY(ctx, a, (*out)->end, s->folds);
    int64_t rows = 0;
    for (int64_t k = 0; k < s->folds; k++) {
        (*out)->next[k] = k == part->without ? s->block[k + 1] : first_row(s, k, part->from);
        (*out)->end[k] = k == part->without ? s->block[k + 1] : first_row(s, k, part->to);
        rows += (*out)->end[k] - (*out)->next[k];
    }
    ARENA_TRY(ctx, a, (*out)->row, rows);
    ARENA_TRY(ctx, a, (*out)->scaled, rows * m->rank + 1);
    ARENA_TRY(ctx, a, (*out)->group, rows);
    find_scale(m, t, (*out)->scale);
    return NONSENS_OK;
}

/* Finds the next cell that has rows; returns false at the end. */
static bool find_cell(const classifier_sample *s, const walk *w, int64_t *corner)
{
    bool found = false;
    for (int64_t k = 0; k < s->folds; k++) {
        if (w->next[k] < w->end[k]) {
            int64_t at = s->corner[w->next[k]];
            *corner = found && *corner < at ? *corner : at;
            found = true;
        }
    }
    return found;
}

/* Collects the cell's rows and their features. */
static void take_cell(const classifier_model *m, int64_t corner, const classifier_tile *t, walk *w)
{
    const classifier_sample *s = m->data;
    int64_t r = m->rank;
    w->count = 0;
    for (int64_t k = 0; k < s->folds; k++) {
        for (; w->next[k] < w->end[k] && s->corner[w->next[k]] == corner; w->next[k]++) {
            double product[TILE_PRODUCTS], feature[MODEL_MAX_RANK];
            tile_products(s, w->next[k], product);
            for (int64_t f = 0; f < r; f++) {
                feature[f] = tile_dot(TILE_PRODUCTS, product, t->coefficient[f]);
            }
            for (int64_t f = 0; f < r; f++) {
                double sum = 0.0;
                for (int64_t g = f; g < r; g++) {
                    sum += w->scale[f][g] * feature[g];
                }
                w->scaled[w->count * r + f] = sum;
            }
            w->row[w->count++] = w->next[k];
        }
    }
}

/* Puts the cell's rows into groups; returns false if there would be too many. */
static bool try_grid(int64_t r, double width, walk *w)
{
    w->groups = 0;
    for (int64_t i = 0; i < w->count; i++) {
        double at[MODEL_MAX_RANK];
        int64_t g = 0;
        for (int64_t f = 0; f < r; f++) {
            at[f] = floor(w->scaled[i * r + f] / width);
        }
        while (g < w->groups && memcmp(at, w->corner[g], (size_t)r * sizeof *at) != 0) {
            g++;
        }
        if (g == MAX_GROUPS) {
            return false;
        }
        if (g == w->groups) {
            memcpy(w->corner[w->groups++], at, (size_t)r * sizeof *at);
        }
        w->group[i] = (int32_t)g;
    }
    return true;
}

/* Sums b b' over the rows of a group; returns the number of rows. */
static int64_t take_group(const classifier_sample *s, int64_t group, classifier_tile *t, walk *w)
{
    int64_t held = 0, count = 0;
    memset(w->moment, 0, sizeof w->moment);
    for (int64_t i = 0; i < w->count; i++) {
        if (w->group[i] != group) {
            continue;
        }
        tile_products(s, w->row[i], t->product[held++]);
        count++;
        if (held == TILE) {
            tile_sum(t->kernel, held, t->product[0], TILE_PRODUCTS, t->product[0], TILE_PRODUCTS, 1.0, false,
                     w->moment);
            held = 0;
        }
    }
    tile_sum(t->kernel, held, t->product[0], TILE_PRODUCTS, t->product[0], TILE_PRODUCTS, 1.0, false, w->moment);
    return count;
}

static nonsens_status add_part(nonsens_context *ctx, arena *scratch, const classifier_model *m, const double *theta,
                               const part_of_cells *part, double *fisher)
{
    classifier_tile *t;
    classifier_information *info;
    walk *w;
    int64_t corner = 0;
    TRY(tile_new(ctx, scratch, m, theta, &t));
    TRY(information_new(ctx, scratch, m, t, m->packed, &info));
    TRY(walk_new(ctx, scratch, m, t, part, &w));
    while (find_cell(m->data, w, &corner)) {
        tile_locate(m, theta, corner, t);
        take_cell(m, corner, t, w);
        double width = WIDTH;
        while (!try_grid(m->rank, width, w) && width < INFINITY) { // infinite: features are NaN
            width *= 2.0;
        }
        for (int64_t g = 0; g < w->groups; g++) {
            information_add_group(m, w->moment, take_group(m->data, g, t, w), t, info);
        }
        information_end_cell(m, t, info, fisher);
    }
    information_write(m, t, info, fisher);
    return NONSENS_OK;
}

/* Parts of the cells, shared among threads; their matrices are added in a fixed order. */
typedef struct parts_of_cells {
    const classifier_model *m;
    const double *theta;
    int64_t without;
    double *fisher[PARTS]; /* (profile) */
} parts_of_cells;

static nonsens_status part_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const parts_of_cells *s = state;
    int64_t cells = s->m->data->basis * s->m->data->basis;
    part_of_cells part = {job * cells / PARTS, (job + 1) * cells / PARTS, s->without};
    return add_part(ctx, scratch, s->m, s->theta, &part, s->fisher[job]);
}

nonsens_status model_fisher_by_groups(nonsens_context *ctx, arena *scratch, int threads, const classifier_model *m,
                                      const double *theta, int64_t without, double *fisher)
{
    int64_t p = m->parameters;
    parts_of_cells s = {m, theta, without, {NULL}};
    for (int part = 0; part < PARTS; part++) {
        ARENA_TRY(ctx, scratch, s.fisher[part], m->profile);
    }
    TRY(parallel_for(ctx, threads, PARTS, NULL, part_job, &s));
    for (int64_t i = 0; i < p; i++) {
        for (int64_t j = m->first[i], at = m->packed[i] + j; j <= i; j++, at++) {
            fisher[i * p + j] += s.fisher[0][at] + s.fisher[1][at] + s.fisher[2][at] + s.fisher[3][at];
        }
    }
    return NONSENS_OK;
}
