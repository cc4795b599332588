/* cdnod_tests.c - the tester of CD-NOD, the tests of a pair, and their report. */
#include "methods/cdnod/cdnod_tests.h"

#include "methods/shared/reasoning.h"

#include <inttypes.h>

/* The kernel of the segment has one direction per segment, and changes are compared between all pairs of segments. */
enum { MAX_SEGMENTS = 1000 };

nonsens_status cdnod_tests_new(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                               int threads, cdnod_tests *out)
{
    const double **v; // (d)
    column_set *variable;
    if (data->segments > MAX_SEGMENTS) {
        *out = (cdnod_tests){0};
        return fail(ctx, NONSENS_ERR_DATA, "there are %" PRId64 " segments; cdnod takes at most %d, merge some of them",
                    data->segments, MAX_SEGMENTS);
    }
    row_groups groups = {data->segments, data->start};
    ci_options ci = ci_options_from(options);
    ci.threads = threads;
    ci.with_group = true;
    ci.test = ci.test == TEST_HSIC ? TEST_AUTO : ci.test; // auto is hsic if nothing is given
    *out = (cdnod_tests){.data = data, .options = options, .d = data->d, .modules = {data->n, NULL, groups}};
    ARENA_TRY(ctx, a, v, data->d);
    ARENA_TRY(ctx, a, variable, data->d);
    for (int64_t k = 0; k < data->d; k++) {
        v[k] = matrix_col(data->x, data->column_rank[k]);
        variable[k] = (column_set){data->n, 1, v + k};
    }
    ci_variables variables = {data->d, variable, NULL, groups};
    return ci_new(ctx, &variables, &ci, &out->tester);
}

void cdnod_tests_free(cdnod_tests *t)
{
    ci_free(t->tester);
    t->tester = NULL;
}

nonsens_status cdnod_tests_score(nonsens_context *ctx, arena *a, cdnod_tests *t)
{
    double **score;
    ARENA_TRY(ctx, a, score, t->d);
    for (int64_t k = 0; k < t->d; k++) {
        ARENA_TRY(ctx, a, score[k], t->data->n);
        TRY(cdnod_scores(ctx, a, t->data->n, matrix_col(t->data->x, t->data->column_rank[k]), score[k]));
    }
    t->modules.score = (const double *const *)score;
    return NONSENS_OK;
}

nonsens_status cdnod_tests_directions(nonsens_context *ctx, arena *a, const cdnod_tests *t, const cdnod_line *line,
                                      cdnod_dependence out[2])
{
    cdnod_permutations permutations = {.count = t->options->permutations,
                                       .seed = (uint64_t)t->options->seed,
                                       .job = (uint64_t)(line->node[0] * t->d + line->node[1]) & 0x7fffffff,
                                       .threads = (int)t->options->threads};
    return cdnod_compare_directions(ctx, a, &t->modules, line, &permutations, out);
}

nonsens_status cdnod_tests_pair(nonsens_context *ctx, const cdnod_tests *t, cdnod_pair *out)
{
    int64_t segment = t->d;
    TRY(ci_test(ctx, t->tester, 0, 1, 1, &segment, &out->between));
    for (int64_t j = 0; j < 2; j++) {
        int64_t other = 1 - j;
        TRY(ci_test(ctx, t->tester, segment, j, 0, NULL, &out->alone[j]));
        TRY(ci_test(ctx, t->tester, segment, j, 1, &other, &out->given[j]));
    }
    return NONSENS_OK;
}

/* ---- report --------------------------------------------------------------------------------------------------- */

nonsens_status cdnod_tests_note_options(nonsens_context *ctx, const cdnod_tests *t, nonsens_result *result)
{
    if (t->options->pooling != POOLING_POOLED) {
        return NONSENS_OK;
    }
    return result_note(ctx, result, NONSENS_NOTE_INFO,
                       "--pooling pooled has no effect here: the segment is one of the variables, and independence of "
                       "the others is tested given the segment.");
}

nonsens_status cdnod_tests_report(nonsens_context *ctx, const cdnod_tests *t, const cdnod_line *line,
                                  const cdnod_dependence *way, nonsens_result *result)
{
    int first =
        t->data->column_rank[line->node[0]] < t->data->column_rank[line->node[1]] ? 0 : 1; // in the user's order
    for (int i = 0; i < 2; i++) {
        int k = i == 0 ? first : 1 - first;
        TRY(result_add(
            ctx, result, way[k].value, way[k].p_value,
            "dependence between the changes of P(cause) and of P(effect | cause) over the segments, at most 1; "
            "smaller is right; p-value of independent changes",
            "changes(%s->%s)", cdnod_name(t, line->node[k]), cdnod_name(t, line->node[1 - k])));
    }
    return NONSENS_OK;
}

nonsens_status cdnod_tests_note(nonsens_context *ctx, const cdnod_tests *t, const cdnod_line *line, int cause,
                                const cdnod_dependence *way, nonsens_result *result)
{
    char p_value[REASONING_P_BYTES];
    const char *x = cdnod_name(t, line->node[cause]), *y = cdnod_name(t, line->node[1 - cause]);
    if (way[cause].p_value <= t->options->alpha) {
        return result_note(ctx, result, NONSENS_NOTE_PROBLEM,
                           "The data contradict independent changes: P(%s) and P(%s | %s) change together (%s), "
                           "less so than in the other direction. A hidden cause that changes looks like this.",
                           x, y, x, reasoning_p(p_value, way[cause].p_value));
    }
    if (way[1 - cause].p_value > t->options->alpha) {
        return result_note(ctx, result, NONSENS_NOTE_CAUTION,
                           "%s->%s is the likelier direction, not an established one: in the other one, too, the "
                           "changes are not seen to be dependent (%s). More segments help, more rows hardly.",
                           x, y, reasoning_p(p_value, way[1 - cause].p_value));
    }
    return NONSENS_OK;
}
