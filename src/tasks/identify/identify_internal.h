/* identify_internal.h - what the files of identification share. */
#ifndef TASKS_IDENTIFY_IDENTIFY_INTERNAL_H
#define TASKS_IDENTIFY_IDENTIFY_INTERNAL_H

#include "tasks/identify/identify.h"
#include "tasks/identify/orientations.h"

/* A question whose nodes are in the order of their names. */
typedef struct identify_problem {
    identify_graph graph;
    int32_t *node; /* (d) the caller's number of each node */
    int64_t *set;  /* (set_count) in the caller's order */
    int64_t set_count, target, max_graphs;
    bool *is_set; /* (d) */
    /* If an undirected edge may have either direction, and so may a contradictory one: */
    bool *on_way;    /* (d) may be on a directed path from the set to the target; without the set */
    bool *is_above;  /* (d) may be an ancestor of the target, or is the target */
    pdag_edge *line; /* (lines) undirected edges that matter */
    int64_t lines;
    int64_t *paths; /* (lines) possible directed paths from the set to the target that use the line */
    int64_t *steps; /* (lines) number of edges of the shortest of them */
    int64_t *queue; /* (d) space for walks */
    arena *keep;    /* of the caller's result */
} identify_problem;

/* Copies a graph with its nodes in the order of names; node (d): the caller's numbers.  Memory comes from `a`. */
nonsens_status identify_sort(nonsens_context *ctx, arena *a, const identify_graph *g, identify_graph *out,
                             int32_t **node);
/* Copies the edges of a graph whose nodes are in the order of names, with the caller's numbers of nodes. */
nonsens_status identify_unsort(nonsens_context *ctx, arena *keep, const pdag *sorted, const int32_t *node, pdag *out);

/* Writes `reason` of a result whose other members are set and that is neither a refusal nor a range. */
nonsens_status identify_say(nonsens_context *ctx, const identify_problem *p, identify_result *out);

/* Refuse the question: too many graphs are open, and most paths use `line` (may be NULL); tests contradict on a, b. */
nonsens_status identify_refuse_many(nonsens_context *ctx, const identify_problem *p, const pdag_edge *line,
                                    identify_result *out);
nonsens_status identify_refuse_contradiction(nonsens_context *ctx, const identify_problem *p, int64_t a, int64_t b,
                                             identify_result *out);
/* Refuses because of a hidden common cause of `effect` and its ancestor `cause`, in `some` of the open graphs. */
nonsens_status identify_refuse_hidden(nonsens_context *ctx, const identify_problem *p, int64_t cause, int64_t effect,
                                      int64_t some, identify_result *out);
/* Says that answers depend on the direction of the line (may be NULL). */
nonsens_status identify_say_range(nonsens_context *ctx, const identify_problem *p, const pdag_edge *line,
                                  identify_result *out);

#endif
