/* structured_separations.c - tests edges of triangles for independence of their ends inside segments. */
#include "methods/structured_graph/structured_separations.h"

#include "methods/structured_graph/structured_gaps.h"

static bool is_in_triangle(const pdag *g, int64_t a, int64_t b)
{
    for (int64_t c = 0; c < g->d; c++) {
        if (c != a && c != b && pdag_is_adjacent(g, a, c) && pdag_is_adjacent(g, b, c)) {
            return true;
        }
    }
    return false;
}

/* Does a, as its only cause, predict held-out rows of b? */
static nonsens_status predicts_alone(nonsens_context *ctx, arena *scratch, const structured_search *s, int64_t a,
                                     int64_t b, bool *predicts)
{
    structured_search alone = {.scores = s->scores, .level = s->level, .min_gain = s->min_gain};
    structured_gain present, reversed;
    bool possible;
    TRY(pdag_new(ctx, scratch, s->graph.d, &alone.graph));
    pdag_set(&alone.graph, a, b, PDAG_ARROW);
    TRY(search_judge(ctx, scratch, &alone, a, b, &present, &reversed, &possible));
    *predicts = present.z > s->level && present.total > s->min_gain;
    return NONSENS_OK;
}

static nonsens_status are_independent(nonsens_context *ctx, arena *scratch, const nonsens_options *options,
                                      const structured_search *s, int64_t a, int64_t b, bool *independent)
{
    const nonsens_data *data = s->scores->data;
    const double *x = matrix_col(data->x, data->column_rank[a]), *y = matrix_col(data->x, data->column_rank[b]);
    double p_value;
    bool forth, back;
    *independent = false;
    TRY(predicts_alone(ctx, scratch, s, a, b, &forth));
    TRY(predicts_alone(ctx, scratch, s, b, a, &back));
    if (forth || back) {
        return NONSENS_OK;
    }
    if (s->scores->gaps) {
        TRY(gaps_restore_column(ctx, scratch, data, data->column_rank[a], &x));
        TRY(gaps_restore_column(ctx, scratch, data, data->column_rank[b], &y));
    }
    hsic_options hsic = scores_test_options(s->scores, options);
    TRY(gaps_test(ctx, scratch, s->scores, x, y, &hsic, &p_value));
    *independent = p_value > options->alpha;
    return NONSENS_OK;
}

nonsens_status structured_separate(nonsens_context *ctx, arena *scratch, const nonsens_options *options,
                                   structured_search *s, knowledge *known, bool *found)
{
    int64_t edges = pdag_edge_count(&s->graph);
    pdag_edge *edge;
    ARENA_TRY(ctx, scratch, edge, edges + 1);
    pdag_to_edges(&s->graph, edge);
    *found = false;
    for (int64_t i = 0; i < edges; i++) {
        int64_t a = edge[i].from, b = edge[i].to;
        bool independent = false;
        if (is_in_triangle(&s->graph, a, b) && !knowledge_requires(s->known, a, b)) {
            SCOPED_ARENA(spare);
            TRY(are_independent(ctx, &spare, options, s, a, b, &independent));
        }
        if (independent) {
            knowledge_forbid(known, a, b);
            knowledge_forbid(known, b, a);
            *found = true;
        }
    }
    return NONSENS_OK;
}
