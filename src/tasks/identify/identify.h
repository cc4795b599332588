/*
 * identify.h - decides from a graph alone whether the mechanisms answer a question "what happens to y if the variables
 * in S are set", and which mechanisms the answer needs.
 *
 * The answer is computed row by row (abduction, action, prediction): x_v = f_v(causes of v, N_v) is fitted to each
 * variable v on the way from S to y; each row keeps its disturbances N_v and its values of all variables that S does
 * not change; S is set; and the values of the others are computed.  docs/identification.md has proof and examples.
 *
 * When it is right.  Let V be the variables on directed paths from S to y that contain no other variable of S.
 *   1. The rows suffice.  Setting S changes neither disturbances nor variables that S does not cause.  So each row has
 *      the values of both as they are after the action, however they depend on one another.  Beyond that only the
 *      functions f_v of v in V are needed, not those of S, of causes of S, or of any other variable.
 *   2. The functions are right.  A fit finds f_v, up to the units of N_v, if N_v is independent of the causes of v in
 *      the observed data.  N_v is the part of v that its causes do not explain; it depends on the disturbance of w
 *      if and only if v and w have a hidden common cause; and the causes of v are functions of the disturbances of all
 *      ancestors of v.  So the fit is right if v has no hidden cause in common with any of its ancestors.
 * Therefore a question is refused if a v in V has a hidden common cause with one of its own ancestors, in the graph of
 * the data: edges into S are not cut, because the data come from before the action.  A hidden common cause of two
 * variables neither of which causes the other does no harm: the rows carry the dependence of the disturbances (1).
 *
 * This refuses some questions that have an answer.  With w -> y and w <-> y, where x does not act on w, adjustment for
 * w gives E[y | do(x)]; x <-> y may be harmless because of a front door x -> m -> y.  But such a y has no mechanism
 * that all segments share, with a disturbance that is independent of its causes, and this method needs one.
 */
#ifndef TASKS_IDENTIFY_IDENTIFY_H
#define TASKS_IDENTIFY_IDENTIFY_H

#include "graph/pdag.h"

enum { IDENTIFY_MAX_GRAPHS = 64 };

/* ---- a graph with hidden common causes -------------------------------------------------------------------------- */

typedef struct identify_graph {
    pdag marks;              /* PDAG_BOTH: a <-> b and no directed or undirected edge */
    bool *hidden;            /* (d, d) at [a * d + b] and [b * d + a]: a and b have a hidden common cause */
    bool is_contradictory;   /* a <-> b means that tests of the direction contradict one another (pc, pc-nonsens) */
    const char *const *name; /* (d) all different; they live as long as the graph */
} identify_graph;

/* Makes a graph without edges; memory comes from `keep`. */
nonsens_status identify_graph_new(nonsens_context *ctx, arena *keep, int64_t d, const char *const *name,
                                  bool is_contradictory, identify_graph *out);

/*
 * Adds an edge; is_confounded: a hidden common cause of its ends is likely.  A directed or undirected edge plus a <->
 * between the same nodes is an edge whose ends have a hidden common cause.  Fails if there is an opposite arrow.
 */
nonsens_status identify_graph_add(nonsens_context *ctx, identify_graph *g, int64_t from, int64_t to,
                                  nonsens_edge_type type, bool is_confounded);

/* Directs all undirected edges in the first way that is open (orientations.h); *dag shares other memory with g. */
nonsens_status identify_first_dag(nonsens_context *ctx, arena *keep, const identify_graph *g, identify_graph *dag);

/* ---- a question ------------------------------------------------------------------------------------------------- */

typedef struct identify_question {
    const int64_t *set; /* (set_count) the nodes S that are set, all different */
    int64_t set_count;
    int64_t target;     /* the node y */
    int64_t max_graphs; /* the question is refused if more are open; usually IDENTIFY_MAX_GRAPHS */
} identify_question;

typedef enum identify_status {
    IDENTIFY_IDENTIFIED, /* one answer, by the mechanisms of answer[0] */
    IDENTIFY_RANGE,      /* the open graphs give different answers */
    IDENTIFY_NO_PATH,    /* no open graph has a directed path: the effect is exactly 0 */
    IDENTIFY_REFUSED
} identify_status;

/* The edge that a refusal or a range depends on. */
typedef enum identify_obstacle {
    IDENTIFY_NOTHING,
    IDENTIFY_OPEN,         /* an undirected edge */
    IDENTIFY_HIDDEN,       /* a hidden common cause; edge[0] is an ancestor of edge[1] */
    IDENTIFY_CONTRADICTORY /* a <-> b, for whose direction tests contradict one another */
} identify_obstacle;

/* A node whose mechanism matters: it is on a directed path from S to the target, or is the target. */
typedef struct identify_node {
    int64_t node, parents;
    const int64_t *parent; /* (parents) in the order of names */
} identify_node;

typedef struct identify_answer {
    int64_t nodes;             /* 0: these graphs have no directed path, so the effect is exactly 0 */
    const identify_node *node; /* (nodes) causes before effects, the target last */
    const bool *acts;          /* (set_count) the variable acts on the target on a path past the others that are set */
    int64_t graphs;            /* how many of the open graphs give this answer */
    const pdag *graph;         /* the first of them; undirected edges that do not matter may remain */
} identify_answer;

typedef struct identify_result {
    identify_status status;
    const char *reason; /* one or a few sentences */
    const char *settle; /* a sentence that says which data would decide; NULL if nothing is open */
    identify_obstacle obstacle;
    int64_t edge[2]; /* its ends, -1 without an obstacle */
    /*
     * How many graphs are open, counting only undirected edges that matter for the question; 0 if the question was
     * refused because there are too many, or before they were listed.
     */
    int64_t graphs;
    int64_t answers;               /* number of different answers; 0 if refused */
    const identify_answer *answer; /* (answers) in the order of the graphs */
    bool is_relaxed; /* some of the graphs have v-structures that the given one does not (orientations.h) */
} identify_result;

/*
 * Answers a question; memory comes from `keep`.  Nothing depends on the order of the nodes: names break ties.  Fails if
 * the graph has a cycle of arrows, if the target is set, if a node is set twice, or if no node is set.
 */
nonsens_status identify(nonsens_context *ctx, arena *keep, const identify_graph *g, const identify_question *question,
                        identify_result *out);

#endif
