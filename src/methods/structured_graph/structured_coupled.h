/*
 * structured_coupled.h - the held-out score of a graph in which some pairs of disturbances depend on one another: the
 * sum over the variables (structured_scores.h) and what a copula of each such pair adds (structured_dependence.h).
 */
#ifndef METHODS_STRUCTURED_GRAPH_STRUCTURED_COUPLED_H
#define METHODS_STRUCTURED_GRAPH_STRUCTURED_COUPLED_H

#include "methods/structured_graph/structured_dependence.h"

/* Two nodes with a hidden common cause. */
typedef struct coupling {
    int64_t a, b;
    bool is_series; /* which copula: the series, or the Gaussian one */
} coupling;

/* Normal scores (n) of the disturbances of a fit. */
typedef struct coupled_noise {
    const structured_score *fit;
    double *score;
} coupled_noise;

typedef struct coupled {
    structured_search *s;
    arena *memory;
    int64_t groups;
    coupling *pair; /* (pairs) */
    int64_t pairs;
    coupled_noise *noise; /* (noises) those computed so far */
    int64_t noises, noise_capacity;
    double *spare, *v, *u[2]; /* (n) */
    double *group;            /* (groups) */
    int64_t *nodes;           /* (d) */
} coupled;

/* Prepares a graph without such pairs; memory comes from `a`, which outlives *out. */
nonsens_status coupled_new(nonsens_context *ctx, arena *a, structured_search *s, coupled *out);
/* Returns the pair of two nodes, in any order, or NULL. */
const coupling *coupled_find(const coupled *c, int64_t a, int64_t b);

/* Finds the normal scores (n) of node j's disturbances in a graph, by fits that do not use the row. */
nonsens_status coupled_scores(nonsens_context *ctx, coupled *c, const pdag *g, int64_t j, const double **score);
/* Adds up what a copula of two columns of normal scores (n) gains; group (groups). */
nonsens_status coupled_gain(nonsens_context *ctx, coupled *c, bool is_series, const double *x, const double *y,
                            double *group);
/* Adds up the score of a graph; total (groups). */
nonsens_status coupled_total(nonsens_context *ctx, coupled *c, const pdag *g, double *total);

/* Reverses and removes arrows of s->graph while the score improves or does not get significantly worse. */
nonsens_status coupled_refine(nonsens_context *ctx, coupled *c);

#endif
