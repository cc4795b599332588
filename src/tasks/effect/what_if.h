/* what_if.h - the parts of `effect` (what_if.c): the question, the graph, the answers, what supports them. */
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
    int64_t grid; /* which change takes several values; -1: none */
    int64_t points;
    const double *point; /* (points) values of that change */
    int64_t segment;     /* whose rows; EFFECT_ALL_SEGMENTS: all, and each by itself */
    int64_t targets;
    int64_t *target; /* (targets) */
    int64_t rows;    /* 0: none is asked about by itself */
    int64_t *row;    /* (rows) */
} what_if;

/* ---- the question (what_if_question.c) ---- */

/* Reads the question from the options of the result; data, result and graph are set. */
nonsens_status what_if_read(nonsens_context *ctx, arena *a, what_if *w);

/* ---- how the graph answers (what_if_graph.c) ---- */

/* Takes the graph from the edges of the result. */
nonsens_status what_if_graph(nonsens_context *ctx, arena *a, what_if *w);
/* Decides what the graph says to the question about one target, with the changes of `w` (change, changes). */
nonsens_status what_if_identify(nonsens_context *ctx, arena *a, const what_if *w, int64_t target, identify_result *out);
/* Adds the causes of the variables on the way to edge (d, d). */
void what_if_add_edges(const what_if *w, const identify_answer *answer, bool *edge);
/* Tests a graph that was given against the data; the sentences go into the result. */
nonsens_status what_if_check_graph(nonsens_context *ctx, what_if *w);

/* ---- answers (what_if_answer.c, what_if_table.c) ---- */

nonsens_status what_if_answer(nonsens_context *ctx, const what_if *w);
nonsens_status what_if_rows(nonsens_context *ctx, const what_if *w);
nonsens_status what_if_table(nonsens_context *ctx, const what_if *w);

/* Widens intervals by what graphs of half samples answer (what_if_samples.c). */
nonsens_status what_if_samples(nonsens_context *ctx, const what_if *w);

/* Judges answers by placebo causes and random subsets (what_if_refute.c). */
nonsens_status what_if_refute(nonsens_context *ctx, const what_if *w);

/* ---- support (what_if_support.c) ---- */

extern const double WHAT_IF_MIN_SUPPORT;  /* below it nothing is said */
extern const double WHAT_IF_FULL_SUPPORT; /* below it a caution is given */

/* What the data are like, for questions about rows alike. */
typedef struct what_if_support what_if_support;
nonsens_status what_if_support_new(nonsens_context *ctx, arena *a, const nonsens_data *data, what_if_support **out);
/*
 * Computes the share of rows under the scenario whose causes are like those of some rows of the data: of each variable
 * in `answer` whose causes the scenario changes.
 */
nonsens_status what_if_support_share(nonsens_context *ctx, const what_if_support *s, const effect_model *model,
                                     const effect_scenario *scenario, const identify_answer *answer, double *share);

#endif
