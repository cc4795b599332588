/* effect_switch.c - recomputes single variables, by an action that sets all causes of one node. */
#include "tasks/effect/effect_switch.h"

#include "tasks/effect/effect_internal.h"

struct effect_switch {
    effect_fit fit;
    bool **is_set, **affected; /* (d) for each wanted node: its causes; its causes and itself */
    double *shift;             /* (d) zeros */
};

nonsens_status effect_switch_new(nonsens_context *ctx, arena *a, const effect_model *m, const bool *wanted,
                                 int64_t rows, const int64_t *row, effect_switch **out)
{
    effect_switch *s;
    ARENA_TRY(ctx, a, s, 1);
    ARENA_TRY(ctx, a, s->is_set, m->d);
    ARENA_TRY(ctx, a, s->affected, m->d);
    ARENA_TRY(ctx, a, s->shift, m->d);
    for (int64_t j = 0; j < m->d; j++) {
        if (wanted[j]) {
            ARENA_TRY(ctx, a, s->is_set[j], m->d);
            ARENA_TRY(ctx, a, s->affected[j], m->d);
            s->affected[j][j] = true;
            for (int64_t k = 0; k < m->node[j].causes; k++) {
                s->is_set[j][m->node[j].cause[k]] = s->affected[j][m->node[j].cause[k]] = true;
            }
        }
    }
    TRY(effect_full_fit(ctx, a, m, wanted, rows, row, &s->fit));
    *out = s;
    return NONSENS_OK;
}

double effect_switch_value(const effect_switch *s, int64_t node, int64_t i, const double *value, double *work)
{
    effect_action action = {s->is_set[node], value, s->shift, s->affected[node]};
    effect_predict(&s->fit, &action, i, work);
    return work[node];
}
