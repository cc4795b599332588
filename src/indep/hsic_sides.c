/* hsic_sides.c - what HSIC tests need to know of each variable, found once for tests of many pairs. */
#include "base/parallel.h"
#include "indep/hsic_internal.h"

/* At most this many arenas, one per variable and group: a basis takes some ten kilobytes, rarely several hundred. */
enum { MAX_SIDES = 600 };

typedef struct sides_state {
    column_set all;
    const row_groups *groups;
    hsic_sides *out;
} sides_state;

/* Computes one side; job: a variable in a group. */
static nonsens_status find_side(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const sides_state *s = state;
    hsic_side *side = &s->out->side[job];
    int64_t variable = job / s->groups->count, group = job % s->groups->count;
    int64_t first = s->groups->start[group], rows = s->groups->start[group + 1] - first;
    column_set points = {s->all.n, 1, s->all.v + variable};
    if (rows < HSIC_MIN_ROWS) {
        return NONSENS_OK;
    }
    TRY(kernel_widths(ctx, &points, first, rows, &side->width));
    if (!kernel_any_width(1, &side->width)) {
        return NONSENS_OK;
    }
    kernel_limits limits = kernel_usual_limits(rows);
    TRY(kernel_find_basis(ctx, &s->out->own[job], &points, first, rows, &side->width, &limits, &side->basis));
    const kernel_basis both[2] = {side->basis, side->basis};
    hsic_sums sums;
    TRY(hsic_pass(ctx, scratch, both, (const hsic_invariants *const[2]){NULL, &sums.of[1]}, 1, &sums));
    side->invariants = sums.of[0];
    return NONSENS_OK;
}

nonsens_status hsic_sides_new(nonsens_context *ctx, arena *a, const column_set *variables, const row_groups *groups,
                              int threads, hsic_sides **out)
{
    int64_t count = variables->d * groups->count;
    hsic_sides *sides;
    *out = NULL;
    if (count > MAX_SIDES) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, a, sides, 1);
    ARENA_TRY(ctx, a, sides->side, count);
    ARENA_TRY(ctx, a, sides->own, count);
    sides->count = count;
    *out = sides;
    sides_state s = {*variables, groups, sides};
    return parallel_for(ctx, threads, count, NULL, find_side, &s);
}

const hsic_side *hsic_sides_of(const hsic_sides *sides, int64_t groups, int64_t variable)
{
    return sides ? sides->side + variable * groups : NULL;
}

void hsic_sides_free(hsic_sides **sides)
{
    for (int64_t i = 0; *sides && i < (*sides)->count; i++) {
        arena_free(&(*sides)->own[i]);
    }
    *sides = NULL;
}
