/* structured_moves.h - moves of the search for a graph: arrows that are added and removed at once. */
#ifndef METHODS_STRUCTURED_GRAPH_STRUCTURED_MOVES_H
#define METHODS_STRUCTURED_GRAPH_STRUCTURED_MOVES_H

#include "methods/structured_graph/structured_search.h"

enum { MAX_TOGGLES = 4 * MECHANISM_MAX_CAUSES };

/* Nats over all rows that reversed edges must gain: less than the error of fits, far more than rounding of sums. */
#define MIN_REVERSAL 1e-3

/* An arrow that is added or removed. */
typedef struct toggle {
    int64_t from, to;
    bool add;
} toggle;

typedef struct move {
    int count;
    toggle toggle[MAX_TOGGLES];
} move;

typedef struct move_list {
    move *at;
    int64_t count, capacity;
} move_list;

move move_add(int64_t a, int64_t b);
move move_remove(int64_t a, int64_t b);
move move_reverse(int64_t a, int64_t b);

/* Makes the move in graph g. */
void move_apply(const move *m, pdag *g);
/* Returns by how many arrows the graph grows. */
int move_growth(const move *m);
/* Returns whether the graph after the move is allowed; `after` becomes that graph. */
bool move_is_legal(const structured_search *s, const move *m, pdag *after, int64_t *nodes);
/* Asks for the fits before and after the move; move_gain compares them once they are settled. */
nonsens_status move_want(nonsens_context *ctx, structured_search *s, const move *m, const pdag *after, int64_t *nodes);
structured_gain move_gain(const structured_search *s, const move *m, pdag *after, int64_t *nodes);

/*
 * Returns what a change that adds `growth` arrows to the graph must gain.  The sum of scores minus min_gain for each
 * arrow then rises with every change, even if an arrow is removed that gains less than min_gain.  So no graph comes
 * twice, and the search ends.
 */
double least_gain(const structured_search *s, int64_t growth);

/* Return whether toggle i is the first, or the only, one of the move that changes the causes of its effect. */
bool move_is_first_of_effect(const move *m, int i);
bool move_is_only_of_effect(const move *m, int i);

/* Computes what some variables gain when their fits change from `now` to `then`. */
structured_gain structured_gain_between(const structured_scores *sc, int effects, const structured_score *const *now,
                                        const structured_score *const *then);

/* Returns the total of that for one variable. */
double structured_difference(const structured_scores *sc, const structured_score *now, const structured_score *then);

/* Append moves to the list: every possible arrow; the reversal of every two arrows that share a node. */
nonsens_status moves_add_additions(nonsens_context *ctx, arena *a, const structured_search *s, move_list *list);
nonsens_status moves_add_double_reversals(nonsens_context *ctx, arena *a, const structured_search *s, move_list *list);
/* The reversal of every arrow; with `exchange`, its ends exchange their other causes. */
nonsens_status moves_add_reversals(nonsens_context *ctx, arena *a, const structured_search *s, bool exchange,
                                   move_list *list);
/* The reversal of all arrows into a node, and of all out of it, if they are more than two. */
nonsens_status moves_add_node_reversals(nonsens_context *ctx, arena *a, const structured_search *s, move_list *list);
/* The exchange of every cause that has causes for these, and of all such causes of a variable at once. */
nonsens_status moves_add_exchanges(nonsens_context *ctx, arena *a, const structured_search *s, move_list *list);

/* Makes the best of the moves; *made is false if none gains enough (structured_best.c). */
nonsens_status search_make_best(nonsens_context *ctx, arena *scratch, structured_search *s, const move_list *list,
                                bool *made);

/* Reverses the edge that gains most if its ends choose causes again from one another's (structured_anew.c). */
nonsens_status search_reverse_anew(nonsens_context *ctx, arena *scratch, structured_search *s, bool *made);

#endif
