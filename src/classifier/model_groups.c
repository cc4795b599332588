/*
 * model_groups.c - computes the Fisher matrix by groups of rows (classifier_information.h), for the steps of a descent.
 *
 * Rows of a cell whose logits hardly differ form a group: those in one box of a grid over the features, scaled so that
 * the logits change by WIDTH along an edge (standard deviation over segments).
 */
#include "classifier/classifier_information.h"
#include "classifier/tile.h"

#include <math.h>
#include <string.h>

static const double WIDTH = 0.5;
enum { MAX_GROUPS = 64 }; /* in one cell; the grid of a cell becomes coarser if there would be more */

/* The rows of one cell, fold by fold, and their groups. */
typedef struct walk {
    int64_t *next;  /* (folds) first row that was not taken yet; rows of a fold are in order of their cells */
    int64_t count;  /* number of rows of the current cell */
    int64_t *row;   /* (n) the rows of the current cell */
    double *scaled; /* (n, r) their features in the scale of the grid */
    int32_t *group; /* (n) their groups */
    int64_t groups;
    double corner[MAX_GROUPS][MODEL_MAX_RANK]; /* boxes of the grid */
    double scale[MODEL_MAX_RANK][MODEL_MAX_RANK];
    double moment[TILE_PRODUCTS * TILE_PRODUCTS];
} walk;

/* scale: upper triangular R with R'R the covariance of the weights over segments. */
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

static nonsens_status walk_new(nonsens_context *ctx, arena *a, const classifier_model *m, const classifier_tile *t,
                               int64_t without, walk **out)
{
    const classifier_sample *s = m->data;
    ARENA_TRY(ctx, a, *out, 1);
    ARENA_TRY(ctx, a, (*out)->next, s->folds);
    ARENA_TRY(ctx, a, (*out)->row, s->n);
    ARENA_TRY(ctx, a, (*out)->scaled, s->n * m->rank + 1);
    ARENA_TRY(ctx, a, (*out)->group, s->n);
    for (int64_t k = 0; k < s->folds; k++) {
        (*out)->next[k] = s->block[k == without ? k + 1 : k];
    }
    find_scale(m, t, (*out)->scale);
    return NONSENS_OK;
}

/* Finds the next cell that has rows; false at the end. */
static bool find_cell(const classifier_sample *s, int64_t without, const walk *w, int64_t *corner)
{
    bool found = false;
    for (int64_t k = 0; k < s->folds; k++) {
        if (k != without && w->next[k] < s->block[k + 1]) {
            int64_t at = s->corner[w->next[k]];
            *corner = found && *corner < at ? *corner : at;
            found = true;
        }
    }
    return found;
}

/* Collects the cell's rows and their features. */
static void take_cell(const classifier_model *m, int64_t without, int64_t corner, const classifier_tile *t, walk *w)
{
    const classifier_sample *s = m->data;
    int64_t r = m->rank;
    w->count = 0;
    for (int64_t k = 0; k < s->folds; k++) {
        for (; k != without && w->next[k] < s->block[k + 1] && s->corner[w->next[k]] == corner; w->next[k]++) {
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

/* Puts the cell's rows into groups; false if there would be too many. */
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
static int64_t take_group(const classifier_sample *s, int64_t group, double product[TILE][TILE_PRODUCTS], walk *w)
{
    int64_t held = 0, count = 0;
    memset(w->moment, 0, sizeof w->moment);
    for (int64_t i = 0; i < w->count; i++) {
        if (w->group[i] != group) {
            continue;
        }
        tile_products(s, w->row[i], product[held++]);
        count++;
        if (held == TILE) {
            tile_sum(held, product[0], TILE_PRODUCTS, product[0], TILE_PRODUCTS, 1.0, false, w->moment);
            held = 0;
        }
    }
    tile_sum(held, product[0], TILE_PRODUCTS, product[0], TILE_PRODUCTS, 1.0, false, w->moment);
    return count;
}

nonsens_status model_fisher_by_groups(nonsens_context *ctx, arena *scratch, const classifier_model *m,
                                      const double *theta, int64_t without, double *fisher)
{
    classifier_tile *t;
    classifier_information *info;
    walk *w;
    int64_t corner = 0;
    TRY(tile_new(ctx, scratch, m, theta, &t));
    TRY(information_new(ctx, scratch, m, t, &info));
    TRY(walk_new(ctx, scratch, m, t, without, &w));
    while (find_cell(m->data, without, w, &corner)) {
        tile_locate(m, theta, corner, t);
        take_cell(m, without, corner, t, w);
        double width = WIDTH;
        while (!try_grid(m->rank, width, w) && width < INFINITY) { // infinite: features are NaN
            width *= 2.0;
        }
        for (int64_t g = 0; g < w->groups; g++) {
            information_add_group(m, w->moment, take_group(m->data, g, t->product, w), t, info);
        }
        information_end_cell(m, t, info, fisher);
    }
    information_write(m, info, fisher);
    return NONSENS_OK;
}
