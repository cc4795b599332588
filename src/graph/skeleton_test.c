/* skeleton_test.c - passes the tests of a skeleton on to testers. */
#include "graph/skeleton_test.h"

enum { FEW = 8 }; /* given variables for which the stack has space */

/* Translates nodes to the tester's numbers. */
static nonsens_status translate(nonsens_context *ctx, arena *scratch, const int64_t *variable, int64_t count,
                                const int64_t *node, int64_t *few, const int64_t **out)
{
    *out = node;
    if (variable && count > 0) {
        if (count > FEW) {
            ARENA_TRY(ctx, scratch, few, count);
        }
        for (int64_t i = 0; i < count; i++) {
            few[i] = variable[node[i]];
        }
        *out = few;
    }
    return NONSENS_OK;
}

/* Returns 0, which keeps the edge, if the given variables determine x or y: such a test says nothing about the edge. */
static double answer_of(bool determined, double p_value)
{
    return determined ? 0.0 : p_value;
}

nonsens_status skeleton_ask_ci(nonsens_context *ctx, arena *scratch, void *state, int64_t x, int64_t y, int64_t count,
                               const int64_t *given, double *p_value)
{
    const skeleton_ci *s = state;
    int64_t few[FEW];
    const int64_t *set;
    ci_result result;
    TRY(translate(ctx, scratch, s->variable, count, given, few, &set));
    TRY(ci_test(ctx, s->tester, s->variable ? s->variable[x] : x, s->variable ? s->variable[y] : y, count, set,
                &result));
    *p_value = answer_of(result.degenerate && count > 0, result.p_value);
    return NONSENS_OK;
}

nonsens_status skeleton_ask_fisher_z(nonsens_context *ctx, arena *scratch, void *state, int64_t x, int64_t y,
                                     int64_t count, const int64_t *given, double *p_value)
{
    const skeleton_fisher_z *s = state;
    int64_t few[FEW];
    const int64_t *set;
    double small[(FEW + 2) * (FEW + 2)], *buffer = small;
    fisher_z_result result;
    TRY(translate(ctx, scratch, s->variable, count, given, few, &set));
    if (count > FEW) {
        ARENA_TRY(ctx, scratch, buffer, fisher_z_buffer(count));
    }
    fisher_z_test(s->data, s->variable ? s->variable[x] : x, s->variable ? s->variable[y] : y, count, set, buffer,
                  &result);
    *p_value = answer_of(result.degenerate && count > 0, result.p_value);
    return NONSENS_OK;
}
