/* effect_draw.c - bootstrap samples of rows inside segments, and fits of all nodes to them. */
#include "tasks/effect/effect_internal.h"

#include <string.h>

/* Returns a random stream of a sample; part 0: for its rows, 1 + j: for node j. */
static rng stream_of(const effect_model *m, int64_t b, int64_t part)
{
    return rng_new((uint64_t)m->options.seed, RNG_EFFECT, (uint64_t)b * (uint64_t)(m->d + 1) + (uint64_t)part);
}

/* If rows follow one another in time, blocks of rows are drawn. */
nonsens_status effect_draw_counts(nonsens_context *ctx, arena *scratch, const effect_model *m, int64_t b, double *count)
{
    rng r = stream_of(m, b, 0);
    const int32_t *block_of = m->scores.time.block_of;
    const int64_t *start = m->data->start;
    arena_mark mark = arena_tell(scratch);
    double *drawn;
    memset(count, 0, (size_t)m->n * sizeof *count);
    ARENA_TRY(ctx, scratch, drawn, block_of ? m->scores.time.count : m->n);
    for (int64_t e = 0; e < m->data->segments; e++) {
        int64_t first = start[e], last = start[e + 1] - 1;
        for (int64_t i = start[e]; block_of && i < start[e + 1]; i++) {
            first = i == start[e] || block_of[i] < first ? block_of[i] : first;
            last = i == start[e] || block_of[i] > last ? block_of[i] : last;
        }
        for (int64_t k = first; k <= last; k++) {
            drawn[first + (int64_t)rng_below(&r, (uint64_t)(last - first + 1))] += 1.0;
        }
    }
    for (int64_t i = 0; i < m->n; i++) {
        count[i] = drawn[block_of ? block_of[i] : i];
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

nonsens_status effect_draw_fit(nonsens_context *ctx, arena *a, const effect_model *m, int64_t b, const bool *wanted,
                               const double *count, int64_t rows, const int64_t *row, effect_fit *out)
{
    SCOPED_ARENA(scratch);
    mechanism_curve *curve;
    const double **coefficient;
    ARENA_TRY(ctx, a, curve, m->d);
    ARENA_TRY(ctx, a, coefficient, m->d);
    for (int64_t j = 0; j < m->d; j++) {
        const effect_node *node = &m->node[j];
        double *theta, *own;
        rng r = stream_of(m, b, 1 + j);
        if (!wanted[j] || node->causes == 0) {
            continue;
        }
        ARENA_TRY(ctx, a, own, REGRESS_PARTS * node->regression.p);
        TRY(effect_regress_redraw(ctx, &scratch, &node->regression, count, &r, own));
        coefficient[j] = own;
        if (node->has_curve) {
            ARENA_TRY(ctx, a, theta, node->redraw.model.size);
            TRY(mechanism_redraw_fit(ctx, &scratch, &node->redraw, count, &r, theta));
            curve[j] = node->curve;
            curve[j].theta = theta;
        }
    }
    *out = (effect_fit){
        .model = m, .share = EFFECT_SHARE, .curve = curve, .coefficient = coefficient, .rows = rows, .row = row};
    return effect_abduct(ctx, a, wanted, out);
}
