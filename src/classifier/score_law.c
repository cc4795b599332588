/* score_law.c - draws scores of a segment classifier as if the fitted model were true; see score_law.h. */
#include "classifier/score_law.h"

#include "base/rng.h"
#include "classifier/envelope.h"
#include "classifier/tile.h"

#include <math.h>
#include <string.h>

/* Adds factor times the products of a row to the sums (segments, m^2) of a segment. */
static void add_products(const classifier_sample *s, int64_t row, int64_t segment, double factor, double *sums)
{
    double product[TILE_PRODUCTS], *to = sums + segment * s->basis * s->basis + s->corner[row];
    tile_products(s, row, product);
    for (int64_t i = 0; i < TILE_PRODUCTS; i++) {
        to[i / 4 * s->basis + i % 4] += factor * product[i];
    }
}

nonsens_status score_law_expect(nonsens_context *ctx, arena *scratch, const score_law *law, const double *theta,
                                double *out)
{
    const classifier_sample *s = law->model->data;
    // the slope is the sum of (p - label) b'
    memcpy(out, law->observed, (size_t)(s->segments * s->basis * s->basis) * sizeof *out);
    for (int64_t k = 0; k < s->folds; k++) {
        classifier_sums sums = {.slope = out};
        TRY(model_sum(ctx, scratch, law->model, theta, k, &sums));
    }
    return NONSENS_OK;
}

/* Returns the segment whose cumulative probability first exceeds u. */
static int64_t draw_label(int64_t segments, const double *probability, double u)
{
    int64_t e = 0;
    for (double sum = probability[0]; e + 1 < segments && u >= sum; sum += probability[e]) {
        e++;
    }
    return e;
}

nonsens_status score_law_prepare(nonsens_context *ctx, arena *a, score_law *law, int64_t from, int64_t to)
{
    const classifier_model *m = law->model;
    classifier_tile *t;
    if (law->blocks->block_of) {
        return NONSENS_OK;
    }
    law->first = from;
    law->draws = to - from;
    ARENA_TRY(ctx, a, law->label, m->data->n * law->draws);
    TRY(tile_new(ctx, a, m, law->theta, &t));
    for (int64_t begin = 0; begin < m->data->n; begin += t->rows) {
        tile_load(m, law->theta, begin, m->data->n, t);
        tile_classify(m, t);
        for (int64_t k = 0; k < t->rows; k++) {
            rng r = rng_new((uint64_t)law->seed, RNG_LABELS, (uint64_t)m->data->row[begin + k]);
            uint16_t *label = law->label + (begin + k) * law->draws;
            rng_skip(&r, from);
            for (int64_t draw = 0; draw < law->draws; draw++) {
                label[draw] = (uint16_t)draw_label(m->data->segments, t->probability + k * t->wide, rng_uniform(&r));
            }
        }
    }
    return NONSENS_OK;
}

/*
 * Computes law->widening (segments): the mean over a label's rows takes one degree of freedom of its blocks, whose
 * effective number is (sum of their rows)^2 / sum of squares.
 */
static nonsens_status find_widening(nonsens_context *ctx, arena *a, score_law *law)
{
    const classifier_sample *s = law->model->data;
    double *rows;
    SCOPED_ARENA(scratch);
    ARENA_TRY(ctx, a, law->widening, s->segments);
    ARENA_TRY(ctx, &scratch, rows, law->blocks->count * s->segments);
    for (int64_t i = 0; i < s->n; i++) {
        rows[law->blocks->block_of[s->row[i]] * s->segments + s->label[i]] += 1.0;
    }
    for (int64_t e = 0; e < s->segments; e++) {
        double sum = 0.0, squares = 0.0;
        for (int64_t b = 0; b < law->blocks->count; b++) {
            sum += rows[b * s->segments + e];
            squares += rows[b * s->segments + e] * rows[b * s->segments + e];
        }
        double count = fmax(sum * sum / squares, 2.0);
        law->widening[e] = sqrt(law->blocks->inflation * count / (count - 1.0));
    }
    return NONSENS_OK;
}

static int64_t padded(int64_t segments)
{
    return (segments + TILE_PAD - 1) / TILE_PAD * TILE_PAD;
}

/* Computes law->by_cell (n): the sample's rows sorted by cell. */
static nonsens_status sort_by_cell(nonsens_context *ctx, arena *a, score_law *law)
{
    const classifier_sample *s = law->model->data;
    int64_t *place, cells = s->basis * s->basis;
    SCOPED_ARENA(scratch);
    ARENA_TRY(ctx, a, law->by_cell, s->n);
    ARENA_TRY(ctx, &scratch, place, cells + 1);
    for (int64_t i = 0; i < s->n; i++) {
        place[s->corner[i] + 1]++;
    }
    for (int64_t k = 0; k < cells; k++) {
        place[k + 1] += place[k];
    }
    for (int64_t i = 0; i < s->n; i++) {
        law->by_cell[place[s->corner[i]]++] = (int32_t)i;
    }
    return NONSENS_OK;
}

static nonsens_status keep_residuals(nonsens_context *ctx, arena *a, score_law *law)
{
    const classifier_model *m = law->model;
    int64_t segments = m->data->segments, wide = padded(segments), *place;
    classifier_tile *t;
    TRY(find_widening(ctx, a, law));
    TRY(sort_by_cell(ctx, a, law));
    ARENA_TRY(ctx, a, law->residual, m->data->n * wide);
    SCOPED_ARENA(scratch);
    ARENA_TRY(ctx, &scratch, place, m->data->n);
    for (int64_t i = 0; i < m->data->n; i++) {
        place[law->by_cell[i]] = i;
    }
    TRY(tile_new(ctx, &scratch, m, law->theta, &t));
    for (int64_t from = 0; from < m->data->n; from += t->rows) {
        tile_load(m, law->theta, from, m->data->n, t);
        tile_classify(m, t);
        for (int64_t k = 0; k < t->rows; k++) {
            double *residual = law->residual + place[from + k] * wide;
            for (int64_t e = 0; e < segments; e++) {
                residual[e] = -t->probability[k * t->wide + e];
            }
            residual[m->data->label[from + k]] += 1.0;
        }
    }
    return NONSENS_OK;
}

nonsens_status score_law_new(nonsens_context *ctx, arena *a, const classifier_model *m, const double *theta,
                             const classifier_blocks *blocks, int64_t seed, score_law *out)
{
    int64_t size = m->data->segments * m->data->basis * m->data->basis;
    *out = (score_law){.model = m, .theta = theta, .blocks = blocks, .seed = seed};
    ARENA_TRY(ctx, a, out->observed, size);
    ARENA_TRY(ctx, a, out->expected, size);
    for (int64_t i = 0; i < m->data->n; i++) {
        add_products(m->data, i, m->data->label[i], 1.0, out->observed);
    }
    TRY(score_law_expect(ctx, a, out, theta, out->expected));
    return blocks->block_of && blocks->crossing ? keep_residuals(ctx, a, out) : NONSENS_OK;
}

/* Draws a normal number for every block, minus their mean over the rows of the segment: block (blocks), mean
 * (segments). */
static nonsens_status draw_multipliers(nonsens_context *ctx, arena *a, const score_law *law, int64_t draw,
                                       double **block, double **mean)
{
    const classifier_sample *s = law->model->data;
    const int32_t *block_of = law->blocks->block_of;
    double *rows, *weight;
    int64_t *number;
    rng r = rng_new((uint64_t)law->seed, RNG_LABELS, (uint64_t)draw);
    ARENA_TRY(ctx, a, *block, law->blocks->count);
    ARENA_TRY(ctx, a, *mean, s->segments);
    ARENA_TRY(ctx, a, rows, law->blocks->count);
    ARENA_TRY(ctx, a, weight, s->segments);
    ARENA_TRY(ctx, a, number, law->blocks->count);
    for (int64_t b = 0; b < law->blocks->count; b++) {
        (*block)[b] = rng_normal(&r);
    }
    for (int64_t i = 0; i < s->n; i++) {
        rows[block_of[s->row[i]]] += 1.0;
        number[block_of[s->row[i]]] = s->label[i];
    }
    for (int64_t b = 0; b < law->blocks->count; b++) {
        weight[number[b]] += 1.0;
        (*mean)[number[b]] += (*block)[b] * rows[b] / ((double)s->n * s->share[number[b]]);
    }
    for (int64_t b = 0; b < law->blocks->count; b++) { // a segment's blocks have one degree of freedom less
        double blocks = weight[number[b]];
        double more = law->blocks->inflation * (blocks > 1.0 ? blocks / (blocks - 1.0) : 1.0);
        (*block)[b] = ((*block)[b] - (*mean)[number[b]]) * sqrt(more);
    }
    return NONSENS_OK;
}

/* Adds to labels the sum over rows of w (label - p) b', where w is the multiplier of the row's block. */
static nonsens_status draw_by_blocks(nonsens_context *ctx, arena *a, const score_law *law, int64_t draw, double *labels)
{
    const classifier_model *m = law->model;
    double *block, *mean;
    classifier_tile *t;
    TRY(draw_multipliers(ctx, a, law, draw, &block, &mean));
    TRY(tile_new(ctx, a, m, law->theta, &t));
    for (int64_t from = 0; from < m->data->n; from += t->rows) {
        tile_load(m, law->theta, from, m->data->n, t);
        tile_classify(m, t);
        for (int64_t k = 0; k < t->rows; k++) {
            double w = block[law->blocks->block_of[m->data->row[from + k]]];
            add_products(m->data, from + k, m->data->label[from + k], w, labels);
            for (int64_t e = 0; e < m->data->segments; e++) {
                add_products(m->data, from + k, e, -w * t->probability[k * t->wide + e], labels);
            }
        }
    }
    return NONSENS_OK;
}

/*
 * Draws a factor for every row of the sample: the normal number of its block, minus the mean of these over the rows of
 * its label, so that differences between labels do not widen the distribution.
 */
static nonsens_status draw_crossing(nonsens_context *ctx, arena *a, const score_law *law, int64_t draw, double **factor)
{
    const classifier_sample *s = law->model->data;
    double *block, *mean;
    rng r = rng_new((uint64_t)law->seed, RNG_LABELS, (uint64_t)draw);
    ARENA_TRY(ctx, a, *factor, s->n);
    ARENA_TRY(ctx, a, block, law->blocks->count);
    ARENA_TRY(ctx, a, mean, s->segments);
    for (int64_t b = 0; b < law->blocks->count; b++) {
        block[b] = rng_normal(&r);
    }
    for (int64_t i = 0; i < s->n; i++) {
        mean[s->label[i]] += block[law->blocks->block_of[s->row[i]]] / ((double)s->n * s->share[s->label[i]]);
    }
    for (int64_t i = 0; i < s->n; i++) {
        (*factor)[i] = (block[law->blocks->block_of[s->row[i]]] - mean[s->label[i]]) * law->widening[s->label[i]];
    }
    return NONSENS_OK;
}

/* Adds the sums of a cell (wide, products) to `sums` (segments, m^2), and sets them to zero. */
static void flush_cell(const classifier_sample *s, int64_t corner, double *cell, double *sums)
{
    for (int64_t e = 0; e < s->segments; e++, cell += TILE_PRODUCTS) {
        double *to = sums + e * s->basis * s->basis + corner;
        for (int64_t i = 0; i < TILE_PRODUCTS; i++) {
            to[i / 4 * s->basis + i % 4] += cell[i];
            cell[i] = 0.0;
        }
    }
}

/* Does what draw_by_blocks does, if rows of a block may have different labels. */
static nonsens_status draw_by_crossing(nonsens_context *ctx, arena *a, const score_law *law, int64_t draw,
                                       double *labels)
{
    const classifier_sample *s = law->model->data;
    int64_t wide = padded(s->segments);
    double *factor, *cell, *product;
    TRY(draw_crossing(ctx, a, law, draw, &factor));
    ARENA_TRY(ctx, a, cell, wide * TILE_PRODUCTS);
    ARENA_TRY(ctx, a, product, TILE * TILE_PRODUCTS);
    for (int64_t i = 0, rows; i < s->n; i += rows) {
        int64_t corner = s->corner[law->by_cell[i]];
        for (rows = 0; i + rows < s->n && rows < TILE && s->corner[law->by_cell[i + rows]] == corner; rows++) {
            int64_t row = law->by_cell[i + rows];
            double *to = product + rows * TILE_PRODUCTS;
            tile_products(s, row, to);
            for (int64_t k = 0; k < TILE_PRODUCTS; k++) {
                to[k] *= factor[row];
            }
        }
        tile_sum(tile_kernel_choose(), rows, law->residual + i * wide, wide, product, TILE_PRODUCTS, 1.0, false, cell);
        if (i + rows == s->n || s->corner[law->by_cell[i + rows]] != corner) {
            flush_cell(s, corner, cell, labels);
        }
    }
    return NONSENS_OK;
}

nonsens_status score_law_draw(nonsens_context *ctx, arena *scratch, const score_law *law, int64_t draw, double *labels)
{
    const classifier_sample *s = law->model->data;
    int64_t size = s->segments * s->basis * s->basis;
    if (law->blocks->block_of) {
        memcpy(labels, law->expected, (size_t)size * sizeof *labels);
        return law->residual ? draw_by_crossing(ctx, scratch, law, draw, labels)
                             : draw_by_blocks(ctx, scratch, law, draw, labels);
    }
    memset(labels, 0, (size_t)size * sizeof *labels);
    tile_kernel_choose()->add_labels(s, law->label + draw - law->first, law->draws, labels);
    return NONSENS_OK;
}

void score_contract(const classifier_model *m, const double *theta, const double *score, double *out)
{
    int64_t products = m->data->basis * m->data->basis;
    memset(out, 0, (size_t)m->parameters * sizeof *out);
    for (int64_t e = 0; e < m->data->segments; e++) {
        const double *of = score + e * products;
        for (int64_t f = 0; f < m->rank; f++) {
            double weight = theta[model_weight(m, e, f)], sum = 0.0;
            for (int64_t t = 0; t < products; t++) {
                out[m->place[f * products + t]] += weight * of[t];
                sum += theta[m->place[f * products + t]] * of[t];
            }
            out[model_weight(m, e, f)] = sum;
        }
        for (int64_t t = 0; t < products; t++) {
            out[model_weight(m, e, m->rank)] += of[t];
        }
    }
}

/* ---- information ---- */

nonsens_status score_fisher(nonsens_context *ctx, arena *a, int threads, const classifier_fit *f, double **out)
{
    int64_t n = f->model.parameters;
    double *fold;
    ARENA_TRY(ctx, a, *out, n * n);
    TRY(fit_fisher(ctx, a, threads, f, &fold));
    for (int64_t k = 0; k < f->model.data->folds; k++) {
        for (int64_t i = 0; i < n * n; i++) {
            (*out)[i] += fold[k * n * n + i];
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            (*out)[j * n + i] = (*out)[i * n + j];
        }
    }
    return NONSENS_OK;
}

nonsens_status score_factor(nonsens_context *ctx, arena *a, const classifier_fit *f, const double *fisher,
                            bool penalised, double *factor)
{
    const classifier_model *m = &f->model;
    int64_t n = m->parameters;
    double cost, mean = 0.0;
    for (int64_t i = 0; i < n; i++) {
        mean += fisher[i * n + i] / (double)n;
        for (int64_t j = 0; j <= i; j++) {
            factor[i * n + j] = fisher[i * n + j];
        }
    }
    if (penalised) {
        TRY(model_penalty(ctx, a, m, f->theta, f->lambda, &cost, NULL, factor, NULL));
        TRY(model_pin(ctx, a, m, f->theta, factor));
    }
    for (int64_t i = 0; i < n; i++) {
        factor[i * n + i] += 1e-9 * mean;
    }
    return envelope_factor(n, m->first, factor)
               ? NONSENS_OK
               : fail(ctx, NONSENS_ERR_NUMERIC, "the Fisher matrix of a segment classifier is not positive definite");
}
