/*
 * explain_switch.c - mixes normal and faulted rows, computes the target for all sets of players, and divides the change
 * among the players.
 *
 * A pair is a normal and a faulted row, drawn independently of one another.  A set of players decides for each node
 * whether it has the disturbance of the one or the other row.  A computed node has one value for each different choice
 * for it and its ancestors; nodes near the roots have few.
 */
#include "tasks/explain/explain_switch.h"

#include "base/parallel.h"
#include "tasks/effect/effect_switch.h"

#include <math.h>

enum { NORMAL, FAULTED, GROUPS, PAIRS_AT_ONCE = 32 };

static const int64_t MAX_VALUES = 4000000; /* at most this many values are computed; fewer rows are used if need be */

/* A computed node: its values for the sets of players that it depends on. */
typedef struct switched_node {
    int64_t node, causes, *cause; /* nodes */
    uint64_t own, players;        /* bits of its own player; of its own and those of its ancestors */
    int64_t sets;
    uint64_t *set;  /* (sets) ascending */
    int64_t *from;  /* (sets, causes) index of a cause's value; of a cause not computed, the group of the row */
    int64_t before; /* index of its first value: how many values the nodes before it have */
} switched_node;

typedef struct row_pair {
    int64_t at[GROUPS]; /* indices in `row` of the switching */
    double weight;      /* weights of all pairs add up to 1 */
} row_pair;

typedef struct switching {
    const switch_question *q;
    shapley_plan plan;
    int64_t nodes, values;
    switched_node *node; /* (nodes) causes before effects */
    int64_t *index;      /* (d) index in `node`; -1: not computed */
    int64_t *target_set; /* (plan.sets) indices of the target's values */
    int64_t count[GROUPS], *row, pairs;
    row_pair *pair;
    effect_switch *rows;
    double *share; /* (pairs, players + 1) the share of each player, then the change of the target */
} switching;

/* ---- nodes --------------------------------------------------------------------------------------------------------
 */

static uint64_t bit(int64_t player)
{
    return (uint64_t)1 << player;
}

/* Returns the index of a cause's value for a set of players (switched_node.from). */
static int64_t place_of(const switching *s, int64_t cause, uint64_t set)
{
    if (s->index[cause] < 0) {
        return set & bit(s->q->players - 1) ? FAULTED : NORMAL;
    }
    const switched_node *from = &s->node[s->index[cause]];
    return from->before + shapley_find(from->sets, from->set, set & from->players);
}

static nonsens_status add_node(nonsens_context *ctx, arena *a, int64_t node, switching *s)
{
    switched_node *to = &s->node[s->nodes];
    *to = (switched_node){.node = node, .own = bit(s->q->player[node]), .before = s->values};
    ARENA_TRY(ctx, a, to->cause, s->q->graph->d);
    to->causes = pdag_parents(s->q->graph, node, to->cause);
    to->players = to->own;
    for (int64_t c = 0; c < to->causes; c++) {
        int64_t at = s->index[to->cause[c]];
        to->players |= at >= 0 ? s->node[at].players : bit(s->q->players - 1);
    }
    ARENA_TRY(ctx, a, to->set, s->plan.sets);
    for (int64_t k = 0; k < s->plan.sets; k++) {
        to->set[k] = s->plan.set[k] & to->players;
    }
    to->sets = shapley_sort(s->plan.sets, to->set);
    ARENA_TRY(ctx, a, to->from, to->sets * to->causes);
    for (int64_t k = 0; k < to->sets * to->causes; k++) {
        to->from[k] = place_of(s, to->cause[k % to->causes], to->set[k / to->causes]);
    }
    s->values += to->sets;
    s->index[node] = s->nodes++;
    return NONSENS_OK;
}

/* Returns whether a node is to be computed and not listed yet, while all its computed causes are listed. */
static bool is_ready(const switching *s, int64_t node)
{
    bool ready = s->q->computed[node] && s->index[node] < 0;
    for (int64_t i = 0; i < s->q->graph->d && ready; i++) {
        ready = !(s->q->computed[i] && s->index[i] < 0 && pdag_is_arrow(s->q->graph, i, node));
    }
    return ready;
}

static nonsens_status list_nodes(nonsens_context *ctx, arena *a, switching *s)
{
    int64_t d = s->q->graph->d, last = -1;
    ARENA_TRY(ctx, a, s->node, d);
    ARENA_TRY(ctx, a, s->index, d);
    for (int64_t j = 0; j < d; j++) {
        s->index[j] = -1;
    }
    while (last < s->nodes) {
        last = s->nodes;
        for (int64_t j = 0; j < d; j++) {
            TRY(is_ready(s, j) ? add_node(ctx, a, j, s) : NONSENS_OK);
        }
    }
    const switched_node *target = &s->node[s->index[s->q->target]];
    ARENA_TRY(ctx, a, s->target_set, s->plan.sets);
    for (int64_t k = 0; k < s->plan.sets; k++) {
        s->target_set[k] = place_of(s, target->node, s->plan.set[k]);
    }
    return NONSENS_OK;
}

/* ---- pairs of rows ------------------------------------------------------------------------------------------------
 */

/* Takes at most max_rows rows of each group, evenly spaced. */
static nonsens_status take_rows(nonsens_context *ctx, arena *a, int64_t max_rows, switching *s)
{
    const switch_rows *from = s->q->rows;
    ARENA_TRY(ctx, a, s->row, from[NORMAL].count + from[FAULTED].count);
    for (int g = 0, at = 0; g < GROUPS; g++) {
        s->count[g] = from[g].count < max_rows ? from[g].count : max_rows;
        for (int64_t i = 0; i < s->count[g]; i++) {
            s->row[at++] = from[g].row[(2 * i + 1) * from[g].count / (2 * s->count[g])];
        }
    }
    return NONSENS_OK;
}

/*
 * Pairs the shuffled rows such that all rows of a group have the same total weight: the rows of each group divide a
 * line of length 1 into equal parts, and the weight of a pair is the length over which its two rows overlap.
 */
static void pair_once(const switching *s, int64_t rounds, int64_t *const order[GROUPS], row_pair *pair, int64_t *pairs)
{
    const int64_t *n = s->count;
    int64_t at[GROUPS] = {0, 0}, left[GROUPS] = {n[FAULTED], n[NORMAL]}; // lengths in units of 1 / (n[0] n[1])
    while (at[NORMAL] < n[NORMAL] && at[FAULTED] < n[FAULTED]) {
        int64_t length = left[NORMAL] < left[FAULTED] ? left[NORMAL] : left[FAULTED];
        pair[(*pairs)++] = (row_pair){{order[NORMAL][at[NORMAL]], n[NORMAL] + order[FAULTED][at[FAULTED]]},
                                      (double)length / (double)n[NORMAL] / (double)n[FAULTED] / (double)rounds};
        for (int g = 0; g < GROUPS; g++) {
            left[g] -= length;
            if (left[g] == 0) {
                at[g]++;
                left[g] = n[!g];
            }
        }
    }
}

static nonsens_status pair_rows(nonsens_context *ctx, arena *a, int64_t max_rows, rng *r, switching *s)
{
    SCOPED_ARENA(scratch);
    int64_t *order[GROUPS], longer = s->count[NORMAL] > s->count[FAULTED] ? s->count[NORMAL] : s->count[FAULTED];
    int64_t rounds = longer > 0 && max_rows > longer ? max_rows / longer : 1;
    ARENA_TRY(ctx, a, s->pair, rounds * (s->count[NORMAL] + s->count[FAULTED]));
    for (int g = 0; g < GROUPS; g++) {
        ARENA_TRY(ctx, &scratch, order[g], s->count[g]);
        for (int64_t i = 0; i < s->count[g]; i++) {
            order[g][i] = i;
        }
    }
    for (int64_t k = 0; k < rounds; k++) {
        rng_shuffle(r, s->count[NORMAL], order[NORMAL]);
        rng_shuffle(r, s->count[FAULTED], order[FAULTED]);
        pair_once(s, rounds, order, s->pair, &s->pairs);
    }
    return NONSENS_OK;
}

/* ---- values -------------------------------------------------------------------------------------------------------
 */

typedef struct switch_work {
    double *value;         /* (values) of the computed nodes */
    double *cause, *spare; /* (d) */
} switch_work;

static double observed(const switching *s, int64_t node, int64_t at)
{
    return matrix_col(s->q->data->x, s->q->data->column_rank[node])[s->row[at]];
}

static void compute_pair(const switching *s, const row_pair *pair, switch_work *w, double *share)
{
    for (int64_t v = 0; v < s->nodes; v++) {
        const switched_node *node = &s->node[v];
        for (int64_t k = 0; k < node->sets; k++) {
            for (int64_t c = 0; c < node->causes; c++) {
                int64_t from = node->from[k * node->causes + c], cause = node->cause[c];
                w->cause[cause] = s->index[cause] >= 0 ? w->value[from] : observed(s, cause, pair->at[from]);
            }
            int64_t own = pair->at[node->set[k] & node->own ? FAULTED : NORMAL];
            w->value[node->before + k] = effect_switch_value(s->rows, node->node, own, w->cause, w->spare);
        }
    }
    for (int64_t p = 0; p < s->plan.players; p++) {
        share[p] = 0.0;
        for (int64_t k = 0; k < s->plan.sets; k++) {
            share[p] += s->plan.weight[p * s->plan.sets + k] * w->value[s->target_set[k]];
        }
    }
    share[s->plan.players] = w->value[s->target_set[s->plan.sets - 1]] - w->value[s->target_set[0]];
}

static nonsens_status compute_pairs(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const switching *s = state;
    switch_work w;
    ARENA_TRY(ctx, scratch, w.value, s->values);
    ARENA_TRY(ctx, scratch, w.cause, s->q->graph->d);
    ARENA_TRY(ctx, scratch, w.spare, s->q->graph->d);
    for (int64_t i = job * PAIRS_AT_ONCE; i < (job + 1) * PAIRS_AT_ONCE && i < s->pairs; i++) {
        compute_pair(s, &s->pair[i], &w, s->share + i * (s->plan.players + 1));
    }
    return check_cancelled(ctx);
}

/* ---- means --------------------------------------------------------------------------------------------------------
 */

/* Returns the sum of squares of sum (count), the sums over clusters of rows, and counts the clusters that are used. */
static double square_sum(int64_t count, const double *sum, const bool *used, int64_t *clusters)
{
    double total = 0.0;
    *clusters = 0;
    for (int64_t c = 0; c < count; c++) {
        total += sum[c] * sum[c];
        *clusters += used[c];
    }
    return total;
}

/*
 * Computes a mean over pairs and its standard error.  A row is in several pairs, so errors are clustered two ways: the
 * variances by normal and by faulted row are added, and that by pair is subtracted (Cameron, Gelbach and Miller,
 * Journal of Business and Economic Statistics 29, 2011).
 */
static nonsens_status mean_of(nonsens_context *ctx, const switching *s, const double *value, switch_mean *out)
{
    SCOPED_ARENA(scratch);
    int64_t step = s->plan.players + 1, n = s->q->data->n, clusters;
    double *sum, variance = 0.0, of_pairs = 0.0;
    bool *used;
    *out = (switch_mean){0.0, 0.0};
    for (int64_t i = 0; i < s->pairs; i++) {
        out->value += s->pair[i].weight * value[i * step];
    }
    for (int g = 0; g < GROUPS; g++) {
        ARENA_TRY(ctx, &scratch, sum, n);
        ARENA_TRY(ctx, &scratch, used, n);
        for (int64_t i = 0; i < s->pairs; i++) {
            int64_t row = s->row[s->pair[i].at[g]], cluster = s->q->block_of ? s->q->block_of[row] : row;
            double part = s->pair[i].weight * (value[i * step] - out->value);
            sum[cluster] += part;
            used[cluster] = true;
            of_pairs += g == NORMAL ? part * part : 0.0;
        }
        double square = square_sum(n, sum, used, &clusters);
        variance += clusters > 1 ? square * (double)clusters / (double)(clusters - 1) : NAN;
    }
    out->error = sqrt(variance > 2.0 * of_pairs ? variance - of_pairs : 0.5 * variance);
    return NONSENS_OK;
}

static nonsens_status summarise(nonsens_context *ctx, arena *a, const switching *s, switch_answer *out)
{
    int64_t players = s->plan.players;
    double sign = s->q->data->sign[s->q->data->column_rank[s->q->target]];
    ARENA_TRY(ctx, a, out->share, players);
    for (int64_t p = 0; p <= players; p++) {
        switch_mean *to = p < players ? &out->share[p] : &out->change;
        TRY(mean_of(ctx, s, s->share + p, to));
        to->value = sign * to->value + 0.0; // + 0.0: no minus zero
    }
    for (int g = 0; g < GROUPS; g++) {
        out->mean[g] = 0.0;
        for (int64_t i = 0; i < s->count[g]; i++) {
            int64_t at = i + (g == FAULTED ? s->count[NORMAL] : 0);
            out->mean[g] += sign * observed(s, s->q->target, at) / (double)s->count[g];
        }
    }
    return NONSENS_OK;
}

nonsens_status explain_switch(nonsens_context *ctx, arena *a, const switch_question *q, switch_answer *out)
{
    SCOPED_ARENA(scratch);
    switching s = {.q = q};
    rng r = rng_new(q->seed, RNG_SHARES, q->stream);
    TRY(shapley_plan_new(ctx, &scratch, q->players, q->max_exact, SWITCH_ORDERS, &r, &s.plan));
    TRY(list_nodes(ctx, &scratch, &s));
    int64_t max_rows = MAX_VALUES / s.values;
    max_rows = max_rows > SWITCH_MAX_ROWS ? SWITCH_MAX_ROWS : max_rows < SWITCH_MIN_ROWS ? SWITCH_MIN_ROWS : max_rows;
    TRY(take_rows(ctx, &scratch, max_rows, &s));
    TRY(pair_rows(ctx, &scratch, max_rows, &r, &s));
    TRY(effect_switch_new(ctx, &scratch, q->model, q->computed, s.count[NORMAL] + s.count[FAULTED], s.row, &s.rows));
    ARENA_TRY(ctx, &scratch, s.share, s.pairs * (q->players + 1));
    int64_t jobs = (s.pairs + PAIRS_AT_ONCE - 1) / PAIRS_AT_ONCE;
    TRY(parallel_for(ctx, q->threads, jobs, "shares of the target's change", compute_pairs, &s));
    return summarise(ctx, a, &s, out);
}
