/* what_if.h - the parts of `effect` (what_if.c): the question, the graph, the answers, and their support. */
#ifndef TASKS_EFFECT_WHAT_IF_H
#define TASKS_EFFECT_WHAT_IF_H

#include "methods/shared/result.h"
#include "tasks/effect/effect.h"
#include "tasks/identify/identify.h"

/* What is asked, in the user's columns and canonical rows. */
typedef struct what_if {
    const nonsens_data *data;
    nonsens_result *result;
    effect_options options;
    identify_graph graph;
    int64_t changes; /* 0: the effects of all variables on all others */
    effect_change *change;
    int64_t grid; /* index of the change that takes several values; -1: there is none */
    int64_t points;
    const double *point; /* (points) values of that change */
    int64_t segment;     /* whose rows; EFFECT_ALL_SEGMENTS: all rows, and those of each segment */
    int64_t targets;
    int64_t *target; /* (targets) */
    int64_t rows;    /* 0: the question is not about single rows */
    int64_t *row;    /* (rows) */
} what_if;

/* ---- the question (what_if_question.c) ---- */

/* Reads the question from the options of the result; data and result must be set. */
nonsens_status what_if_read(nonsens_context *ctx, arena *a, what_if *w);

/* ---- what the graph answers (what_if_graph.c) ---- */

/* Takes the graph from the edges of the result. */
nonsens_status what_if_graph(nonsens_context *ctx, arena *a, what_if *w);
/* Decides whether the graph answers the question about one target, with the changes of `w` (change, changes). */
nonsens_status what_if_identify(nonsens_context *ctx, arena *a, const what_if *w, int64_t target, identify_result *out);
/* Adds to edge (d, d) the causes of the variables on the way. */
void what_if_add_edges(const what_if *w, const identify_answer *answer, bool *edge);
/* Tests a given graph against the data; puts the outcome into the result. */
nonsens_status what_if_check_graph(nonsens_context *ctx, what_if *w);

/* ---- answers (what_if_answer.c, what_if_table.c) ---- */

nonsens_status what_if_answer(nonsens_context *ctx, const what_if *w);
nonsens_status what_if_rows(nonsens_context *ctx, const what_if *w);
nonsens_status what_if_table(nonsens_context *ctx, const what_if *w);

/* Widens intervals by the answers of graphs from half samples (what_if_samples.c). */
nonsens_status what_if_samples(nonsens_context *ctx, const what_if *w);

/* Judges answers by placebo causes and random subsets (what_if_refute.c). */
nonsens_status what_if_refute(nonsens_context *ctx, const what_if *w);

/* ---- support (what_if_support.c) ---- */

extern const double WHAT_IF_MIN_SUPPORT;  /* with less, there is no answer */
extern const double WHAT_IF_FULL_SUPPORT; /* with less, there is a caution */

/* What is needed to find rows of the data that are similar to other rows. */
typedef struct what_if_support what_if_support;
nonsens_status what_if_support_new(nonsens_context *ctx, arena *a, const nonsens_data *data, what_if_support **out);
/*
 * Computes the share of rows that are supported under the scenario: for each variable in `answer` whose causes the
 * scenario changes, these causes are similar to those of some rows of the data.
 */
nonsens_status what_if_support_share(nonsens_context *ctx, const what_if_support *s, const effect_model *model,
                                     const effect_scenario *scenario, const identify_answer *answer, double *share);

#endif
