/* effect_model.c - fits a mechanism and a regression of each variable on its causes. */
#include "base/parallel.h"
#include "base/show.h"
#include "tasks/effect/effect_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const double EFFECT_QUANTILE[EFFECT_QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};

enum { MIN_DRAWS = 20, UNSEEN_POINTS = 500 };

effect_options effect_options_default(void)
{
    return (effect_options){.draws = 100, .level = 0.95, .seed = 1, .threads = 0, .block_length = 1, .draw_rows = 500};
}

void effect_model_free(effect_model *model)
{
    if (model) {
        for (int64_t j = 0; model->node && j < model->d; j++) {
            arena_free(&model->node[j].memory);
        }
        if (model->has_scores) {
            structured_scores_free(&model->scores);
        }
        arena_free(&model->memory);
        memory_release(model);
    }
}

static void free_scoped(effect_model **model)
{
    effect_model_free(*model);
}

bool effect_has_path(const effect_model *model, int64_t from, int64_t to)
{
    return model->reaches[model->place[from] * model->d + model->place[to]];
}

/* ---- the graph ----------------------------------------------------------------------------------------------------
 */

static const char *name_of(const effect_model *m, int64_t node)
{
    return m->data->names[m->data->column_rank[node]];
}

/* Lists the causes of each node. */
static nonsens_status list_causes(nonsens_context *ctx, effect_model *m, const bool *edge)
{
    for (int64_t j = 0; j < m->d; j++) {
        effect_node *node = &m->node[j];
        ARENA_TRY(ctx, &m->memory, node->cause, m->d);
        for (int64_t i = 0; i < m->d; i++) {
            if (i != j && edge[m->data->column_rank[i] * m->d + m->data->column_rank[j]]) {
                node->cause[node->causes++] = i;
            }
        }
    }
    return NONSENS_OK;
}

/* Orders the nodes, causes first, and finds which nodes reach which. */
static nonsens_status order_nodes(nonsens_context *ctx, effect_model *m)
{
    SCOPED_ARENA(scratch);
    int64_t d = m->d, done = 0;
    bool *placed, grown = true;
    ARENA_TRY(ctx, &scratch, placed, d);
    ARENA_TRY(ctx, &m->memory, m->order, d);
    ARENA_TRY(ctx, &m->memory, m->reaches, d * d);
    while (grown) {
        grown = false;
        for (int64_t j = 0; j < d; j++) {
            bool ready = !placed[j];
            for (int64_t k = 0; k < m->node[j].causes; k++) {
                ready = ready && placed[m->node[j].cause[k]];
            }
            if (ready) {
                placed[j] = grown = true;
                m->order[done++] = j;
            }
        }
    }
    for (int64_t j = 0; j < d; j++) {
        if (!placed[j]) {
            char shown[SHOWN_BYTES];
            return fail(ctx, NONSENS_ERR_DATA,
                        "the graph has a cycle through %s or a cause of it; effects need a graph without cycles",
                        show_quoted(shown, name_of(m, j)));
        }
    }
    for (int64_t i = 0; i < d; i++) {
        m->reaches[i * d + i] = true;
        for (int64_t k = 0; k < d; k++) {
            int64_t j = m->order[k];
            for (int64_t c = 0; c < m->node[j].causes; c++) {
                m->reaches[i * d + j] = m->reaches[i * d + j] || m->reaches[i * d + m->node[j].cause[c]];
            }
        }
    }
    return NONSENS_OK;
}

/* ---- fits ---------------------------------------------------------------------------------------------------------
 */

static nonsens_status fit_mechanisms(nonsens_context *ctx, effect_model *m)
{
    const effect_options *o = &m->options;
    nonsens_options options = {.seed = o->seed, .threads = o->threads, .block_length = o->block_length};
    m->has_scores = true;
    TRY(structured_scores_new(ctx, &m->memory, m->data, &options, NULL, &m->scores));
    TRY(mechanism_unseen_new(ctx, &m->memory, &m->scores.rows, m->scores.parts.warped, UNSEEN_POINTS, (uint64_t)o->seed,
                             &m->unseen));
    m->scores.rows.unseen = m->scores.parts.all.data.unseen = &m->unseen;
    for (int64_t j = 0; j < m->d; j++) {
        effect_node *node = &m->node[j];
        node->has_curve = node->causes > 0 && node->causes <= MECHANISM_MAX_CAUSES;
        TRY(node->has_curve ? scores_want(ctx, &m->scores, j, node->causes, node->cause) : NONSENS_OK);
    }
    return scores_settle(ctx, &m->scores, "mechanisms");
}

/* Prepares one node once its mechanism is fitted: fits its regression. */
static nonsens_status prepare_node(nonsens_context *ctx, arena *scratch, int64_t j, void *state)
{
    effect_model *m = state;
    effect_node *node = &m->node[j];
    (void)scratch;
    if (node->causes == 0) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, &node->memory, node->x, node->causes);
    ARENA_TRY(ctx, &node->memory, node->warped, node->causes);
    for (int64_t k = 0; k < node->causes; k++) {
        node->x[k] = m->x[node->cause[k]];
        node->warped[k] = m->scores.parts.warped[node->cause[k]];
    }
    regress_input in = {m->n, node->causes, m->data->segments, node->x, node->warped, m->x[j], m->data->segment};
    TRY(effect_regress_new(ctx, &node->memory, &in, &node->regression));
    if (node->has_curve) {
        const structured_part *part = &scores_get(&m->scores, j, node->causes, node->cause)->part[0];
        mechanism_curve_new(&m->scores.rows, node->causes, part->theta, &node->curve);
        if (m->options.draws > 0) {
            TRY(mechanism_redraw_new(ctx, &node->memory, &m->scores.rows, j, node->causes, node->cause, part->theta,
                                     part->smooth, &node->redraw));
        }
    }
    return NONSENS_OK;
}

/* Chooses the rows that bootstrap samples recompute: evenly from each segment, whose rows are sorted by value. */
static nonsens_status choose_rows(nonsens_context *ctx, effect_model *m)
{
    int64_t wanted = m->options.draw_rows > 0 && m->options.draw_rows < m->n ? m->options.draw_rows : m->n;
    ARENA_TRY(ctx, &m->memory, m->draw_row, m->n);
    for (int64_t i = 0, sum = m->n / 2; i < m->n; i++) {
        sum += wanted;
        if (sum >= m->n) {
            sum -= m->n;
            m->draw_row[m->draw_rows++] = i;
        }
    }
    return NONSENS_OK;
}

static nonsens_status fit_all(nonsens_context *ctx, const bool *edge, effect_model *m)
{
    const nonsens_data *data = m->data;
    ARENA_TRY(ctx, &m->memory, m->node, m->d);
    ARENA_TRY(ctx, &m->memory, m->x, m->d);
    ARENA_TRY(ctx, &m->memory, m->sign, m->d);
    ARENA_TRY(ctx, &m->memory, m->scale, m->d);
    TRY(dataset_column_places(ctx, &m->memory, data, &m->place));
    for (int64_t j = 0; j < m->d; j++) {
        m->x[j] = matrix_col(data->x, data->column_rank[j]);
        m->sign[j] = data->sign[data->column_rank[j]];
    }
    TRY(list_causes(ctx, m, edge));
    TRY(order_nodes(ctx, m));
    TRY(choose_rows(ctx, m));
    TRY(fit_mechanisms(ctx, m));
    for (int64_t j = 0; j < m->d; j++) {
        TRY(mechanism_scale_new(ctx, &m->memory, m->n, m->x[j], m->scores.parts.warped[j], &m->scale[j]));
    }
    return parallel_for(ctx, m->options.threads, m->d, "regressions", prepare_node, m);
}

static nonsens_status check(nonsens_context *ctx, const nonsens_data *data, const effect_options *o)
{
    if (data->segments == 0) {
        return fail(ctx, NONSENS_ERR_DATA, "effects need segments; name the column with their labels by --segment");
    }
    if (data->gap) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "effects need all values; leave out rows with missing ones by --na drop-rows");
    }
    if (o->draws < 0 || (o->draws > 0 && o->draws < MIN_DRAWS) || !(o->level > 0.0 && o->level < 1.0)) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "intervals need at least %d bootstrap samples, or 0 for none, and a level between 0 and 1",
                    MIN_DRAWS);
    }
    return NONSENS_OK;
}

nonsens_status effect_model_new(nonsens_context *ctx, const nonsens_data *data, const bool *edge,
                                const effect_options *options, effect_model **out)
{
    *out = NULL;
    TRY(check(ctx, data, options));
    SCOPED(free_scoped) effect_model *m = memory_get(1, sizeof *m);
    if (!m) {
        return fail_memory(ctx);
    }
    m->data = data;
    m->options = *options;
    m->d = data->d;
    m->n = data->n;
    TRY(fit_all(ctx, edge, m));
    *out = m;
    m = NULL;
    return NONSENS_OK;
}
