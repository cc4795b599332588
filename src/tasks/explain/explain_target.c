/*
 * explain_target.c - how the target depends on the variables that changed: which can reach it, and how much of the
 * change of its mean each accounts for.
 *
 * Players are the variables that changed themselves; the disturbances of all others are switched together.  On the way
 * to the target, each variable that changed or that a changed one reaches needs a mechanism.  All other variables take
 * their values together from a normal or from a faulted row, whatever causes them.
 */
#include "base/show.h"
#include "tasks/explain/explain.h"
#include "tasks/explain/explain_switch.h"

#include <math.h>
#include <string.h>

enum { MAX_PLAYERS = 50 }; /* further variables that changed count among the others */

typedef struct shares {
    const nonsens_data *data;
    const explain_basis *basis;
    const pdag *graph;
    const bool *reaches; /* (d) nodes */
    nonsens_result *result;
    int64_t *node_of; /* (d) node of each column */
    bool *computed;   /* (d) nodes */
    int64_t *player;  /* (d) nodes */
    int64_t players;
    nonsens_change **change; /* (players - 1) */
    switch_rows rows[2];
    nonsens_target_change *to;
} shares;

/* ---- which variables reach it -------------------------------------------------------------------------------------
 */

nonsens_status explain_mark_reaching(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const pdag *graph,
                                     int64_t column, bool **reaches)
{
    int64_t *place, d = graph->d;
    bool grown = column >= 0, *to;
    TRY(dataset_column_places(ctx, scratch, data, &place));
    ARENA_TRY(ctx, scratch, to, d);
    for (int64_t j = 0; j < d; j++) {
        to[j] = column < 0 || j == place[column];
    }
    while (grown) {
        grown = false;
        for (int64_t j = 0; j < d; j++) {
            for (int64_t k = 0; k < d && !to[j]; k++) {
                bool leads = pdag_is_arrow(graph, j, k) || pdag_is_line(graph, j, k);
                to[j] = leads && to[k];
                grown = grown || to[j];
            }
        }
    }
    *reaches = to;
    return NONSENS_OK;
}

/* ---- players and what must be computed ----------------------------------------------------------------------------
 */

/* Makes players of the changed variables that can reach the target, likeliest first. */
static nonsens_status take_players(nonsens_context *ctx, arena *a, shares *s)
{
    int64_t d = s->graph->d;
    ARENA_TRY(ctx, a, s->computed, d);
    ARENA_TRY(ctx, a, s->player, d);
    ARENA_TRY(ctx, a, s->change, MAX_PLAYERS);
    for (int64_t k = 0; k < d; k++) {
        nonsens_change *c = &s->result->explained.variable[k];
        int64_t node = s->node_of[c->variable];
        bool plays = c->verdict == NONSENS_VERDICT_CHANGED && s->reaches[node] && s->players < MAX_PLAYERS;
        s->player[node] = plays ? s->players : -1;
        s->computed[node] = plays;
        if (plays) {
            s->change[s->players++] = c;
        }
    }
    s->players++; // all others
    for (int64_t j = 0; j < d; j++) {
        s->player[j] = s->player[j] < 0 ? s->players - 1 : s->player[j];
    }
    return NONSENS_OK;
}

/* Marks the variables that players reach on the way to the target. */
static void mark_computed(shares *s)
{
    int64_t d = s->graph->d;
    for (bool grown = true; grown;) {
        grown = false;
        for (int64_t j = 0; j < d; j++) {
            for (int64_t i = 0; i < d && s->reaches[j] && !s->computed[j]; i++) {
                s->computed[j] = s->computed[i] && pdag_is_arrow(s->graph, i, j);
                grown = grown || s->computed[j];
            }
        }
    }
}

/* ---- what the graph must say --------------------------------------------------------------------------------------
 */

/* Finds an edge because of which there can be no shares; *reason says so, and stays NULL if there is no such edge. */
static nonsens_status find_obstacle(nonsens_context *ctx, const shares *s, const char **reason)
{
    for (int64_t k = 0; k < s->result->edges; k++) {
        const nonsens_edge *e = &s->result->edge[k];
        char first[SHOWN_BYTES], second[SHOWN_BYTES];
        int64_t from = s->node_of[e->from], to = s->node_of[e->to];
        bool is_open = pdag_is_line(s->graph, from, to) && (s->computed[from] || s->computed[to]);
        bool is_hidden = e->confounded && s->computed[to];
        if (is_open || is_hidden) {
            show_bare(first, s->result->names[e->from]);
            show_bare(second, s->result->names[e->to]);
            *reason = is_open ? arena_format(ctx, &s->result->memory,
                                             "the direction of the edge between %s and %s is open, and the shares "
                                             "depend on it; settle it with --graph or --knowledge",
                                             first, second)
                              : arena_format(ctx, &s->result->memory,
                                             "%s and %s probably have a hidden common cause, so that the mechanism of "
                                             "%s is not known; measure that cause",
                                             first, second, second);
            return *reason ? NONSENS_OK : NONSENS_ERR_MEMORY;
        }
    }
    return NONSENS_OK;
}

/* Returns why there can be no shares, for reasons other than single edges; NULL if there is no such reason. */
static const char *general_reason(const shares *s)
{
    const result_explanation *e = &s->result->explained;
    return strcmp(s->result->method, "none") == 0 ? "there is no graph; give a --graph"
           : s->data->gap                         ? "values are missing; leave out their rows with --na drop-rows"
           : !explain_has_rows(e)                 ? "mechanisms need 30 rows in the segment and in its reference"
           : e->ranking_only                      ? "no variable can be called a root cause"
                                                  : NULL;
}

static nonsens_status find_reason(nonsens_context *ctx, const shares *s, const char **reason)
{
    *reason = general_reason(s);
    if (!*reason) {
        TRY(find_obstacle(ctx, s, reason));
    }
    if (!*reason && s->players == 1) {
        *reason = "no variable that changed itself has a directed path to it";
    }
    return NONSENS_OK;
}

/* ---- rows ---------------------------------------------------------------------------------------------------------
 */

/* Lists normal and faulted rows in canonical order; those before the onset are normal. */
static nonsens_status list_rows(nonsens_context *ctx, arena *a, const explain_recording *rec, shares *s)
{
    enum { NEITHER = -1 };
    int8_t *group;
    ARENA_TRY(ctx, a, group, s->data->n);
    memset(group, NEITHER, (size_t)s->data->n * sizeof *group);
    for (int64_t i = 0; i < rec->normal + rec->fault; i++) {
        group[rec->row[i]] = i >= rec->normal + rec->onset;
    }
    for (int8_t g = 0; g < 2; g++) {
        ARENA_TRY(ctx, a, s->rows[g].row, s->data->n);
        for (int64_t i = 0; i < s->data->n; i++) {
            if (group[i] == g) {
                s->rows[g].row[s->rows[g].count++] = i;
            }
        }
    }
    return NONSENS_OK;
}

/* Computes the mean of the target in the rows that have it. */
static double mean_of(const shares *s, const switch_rows *rows)
{
    int64_t column = s->to->variable, count = 0;
    double sum = 0.0;
    for (int64_t i = 0; i < rows->count; i++) {
        bool known = !dataset_is_gap(s->data, rows->row[i], column);
        sum += known ? s->data->sign[column] * matrix_col(s->data->x, column)[rows->row[i]] : 0.0;
        count += known;
    }
    return count > 0 ? sum / (double)count : NAN;
}

/* ---- shares -------------------------------------------------------------------------------------------------------
 */

static void free_model(effect_model **model)
{
    effect_model_free(*model);
}

/* Fits the mechanisms of the computed variables. */
static nonsens_status fit_model(nonsens_context *ctx, const shares *s, int threads, effect_model **model)
{
    SCOPED_ARENA(scratch);
    const nonsens_options *o = &s->result->options;
    effect_options options = effect_options_default();
    int64_t d = s->graph->d, *cause;
    bool *edge;
    options.draws = 0;
    options.seed = o->seed;
    options.threads = threads;
    options.block_length = o->block_length;
    ARENA_TRY(ctx, &scratch, edge, d * d);
    ARENA_TRY(ctx, &scratch, cause, d);
    for (int64_t j = 0; j < d; j++) {
        int64_t causes = s->computed[j] ? pdag_parents(s->graph, j, cause) : 0;
        for (int64_t k = 0; k < causes; k++) {
            edge[s->data->column_rank[cause[k]] * d + s->data->column_rank[j]] = true;
        }
    }
    return effect_model_new(ctx, s->data, edge, &options, model);
}

static double part_of(const switch_answer *answer, double share)
{
    static const double ERRORS = 2.0; // a change that may be chance has no parts
    return fabs(answer->change.value) > ERRORS * answer->change.error ? share / answer->change.value : NAN;
}

static nonsens_status fill_shares(nonsens_context *ctx, arena *scratch, const shares *s, int threads)
{
    SCOPED(free_model) effect_model *model = NULL;
    const nonsens_options *o = &s->result->options;
    nonsens_target_change *to = s->to;
    switch_answer answer;
    nonsens_status status = fit_model(ctx, s, threads, &model);
    if (status == NONSENS_ERR_NUMERIC) { // the root causes remain valid
        to->reason =
            arena_format(ctx, &s->result->memory, "a mechanism could not be fitted (%s)", nonsens_context_message(ctx));
        return to->reason ? NONSENS_OK : NONSENS_ERR_MEMORY;
    }
    TRY(status);
    switch_question q = {.data = s->data,
                         .model = model,
                         .graph = s->graph,
                         .target = s->node_of[to->variable],
                         .computed = s->computed,
                         .players = s->players,
                         .player = s->player,
                         .max_exact = SWITCH_MAX_EXACT,
                         .rows = {s->rows[0], s->rows[1]},
                         .block_of = s->basis->scores.time.block_of,
                         .seed = (uint64_t)o->seed,
                         .threads = threads};
    TRY(explain_switch(ctx, scratch, &q, &answer));
    to->normal = answer.mean[0];
    to->faulted = answer.mean[1];
    to->change = answer.change.value;
    to->change_error = answer.change.error;
    to->others_share = answer.share[s->players - 1].value;
    to->others_error = answer.share[s->players - 1].error;
    to->others_part = part_of(&answer, to->others_share);
    for (int64_t p = 0; p + 1 < s->players; p++) {
        s->change[p]->effect_share = answer.share[p].value;
        s->change[p]->effect_error = answer.share[p].error;
        s->change[p]->effect_part = part_of(&answer, answer.share[p].value);
    }
    return NONSENS_OK;
}

nonsens_status explain_target_shares(nonsens_context *ctx, arena *scratch, const explain_basis *basis,
                                     const explain_recording *rec, const bool *reaches, int64_t target, int threads,
                                     nonsens_result *result)
{
    shares s = {
        .data = basis->data, .basis = basis, .graph = &basis->graph, .reaches = reaches, .result = result, .to = NULL};
    TRY(dataset_column_places(ctx, scratch, s.data, &s.node_of));
    TRY(take_players(ctx, scratch, &s));
    mark_computed(&s);
    TRY(list_rows(ctx, scratch, rec, &s));
    ARENA_TRY(ctx, &result->memory, s.to, 1);
    *s.to = (nonsens_target_change){
        .variable = target, .change_error = NAN, .others_share = NAN, .others_error = NAN, .others_part = NAN};
    s.to->normal = mean_of(&s, &s.rows[0]);
    s.to->faulted = mean_of(&s, &s.rows[1]);
    s.to->change = s.to->faulted - s.to->normal;
    TRY(find_reason(ctx, &s, &s.to->reason));
    result->explained.target = s.to;
    return s.to->reason ? NONSENS_OK : fill_shares(ctx, scratch, &s, threads);
}
