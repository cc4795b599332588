/*
 * explain_switch.h - how much of the change of a target's mean each disturbance accounts for (docs/explain.md).
 *
 * Disturbances are switched from those of normal rows to those of faulted rows, one player (a set of variables) after
 * the other.  v(S) is the mean of the target if the players in S have disturbances of faulted rows and the others those
 * of normal rows; Shapley values (math/shapley.h) divide v(all) - v(nobody), which is the observed change.
 */
#ifndef TASKS_EXPLAIN_EXPLAIN_SWITCH_H
#define TASKS_EXPLAIN_EXPLAIN_SWITCH_H

#include "data/dataset.h"
#include "graph/pdag.h"
#include "math/shapley.h"
#include "tasks/effect/effect.h"

enum {
    SWITCH_MAX_EXACT = 11,  /* players with exact values: ten variables and the rest */
    SWITCH_ORDERS = 256,    /* random orders of players, if there are more */
    SWITCH_MAX_ROWS = 2000, /* of a group; fewer if many variables must be computed */
    SWITCH_MIN_ROWS = 200
};

/* Normal rows, or faulted ones. */
typedef struct switch_rows {
    int64_t count, *row; /* (count) row numbers in the data, ascending */
} switch_rows;

typedef struct switch_question {
    const nonsens_data *data;
    const effect_model *model; /* has the arrows into all computed nodes */
    const pdag *graph;         /* nodes in canonical order */
    int64_t target;            /* a computed node */
    const bool *computed;    /* (d) nodes whose causes may get values from other rows; others keep their rows' values */
    int64_t players;         /* at least two; the last one has all nodes without a player of their own */
    const int64_t *player;   /* (d) the player that has the node's disturbance; the last one if it is not computed */
    int64_t max_exact;       /* SWITCH_MAX_EXACT */
    switch_rows rows[2];     /* normal, faulted; at least one of each */
    const int32_t *block_of; /* (n) blocks of rows that depend on one another; NULL: rows are independent */
    uint64_t seed, stream;   /* of random numbers */
    int threads;
} switch_question;

/* A mean in the target's units, and its standard error over rows, given the mechanisms; NaN if there are too few. */
typedef struct switch_mean {
    double value, error;
} switch_mean;

typedef struct switch_answer {
    double mean[2];     /* of the target in the rows used: normal, faulted */
    switch_mean change; /* mean[1] - mean[0] */
    switch_mean *share; /* (players) they add up to the change */
} switch_answer;

/* Computes the shares; memory of *out comes from `a`. */
nonsens_status explain_switch(nonsens_context *ctx, arena *a, const switch_question *q, switch_answer *out);

#endif
