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

/* What a copula of the disturbances of two fits gains. */
typedef struct coupled_copula {
    const structured_score *fit[2];
    bool is_series;
    double *group; /* (groups) */
} coupled_copula;

typedef struct coupled {
    structured_search *s;
    arena *memory;
    int64_t groups;
    coupling *pair; /* (pairs) */
    int64_t pairs;
    coupled_noise *noise; /* (noises) those computed so far */
    int64_t noises, noise_capacity;
    coupled_copula *copula; /* (copulas) the same */
    int64_t copulas, copula_capacity;
    int64_t *nodes; /* (d) */
} coupled;

/* Prepares a graph without such pairs; memory comes from `a`, which outlives *out. */
nonsens_status coupled_new(nonsens_context *ctx, arena *a, structured_search *s, coupled *out);
/* Returns the pair of two nodes, in any order, or NULL. */
const coupling *coupled_find(const coupled *c, int64_t a, int64_t b);

/* Makes all fits of a graph. */
nonsens_status coupled_settle(nonsens_context *ctx, coupled *c, const pdag *g);
/* Returns the fit of node j in a graph, or NULL if it was not made. */
const structured_score *coupled_fit(const coupled *c, const pdag *g, int64_t j);

/* Computes these copulas on all threads (wanted: without group); coupled_gain then returns them at once. */
nonsens_status coupled_prepare(nonsens_context *ctx, coupled *c, int64_t count, const coupled_copula *wanted);
/* Finds what a copula of the disturbances of nodes a and b in a graph gains; group (groups). */
nonsens_status coupled_gain(nonsens_context *ctx, coupled *c, const pdag *g, bool is_series, int64_t a, int64_t b,
                            const double **group);
/* Adds up the score of a graph; total (groups). */
nonsens_status coupled_total(nonsens_context *ctx, coupled *c, const pdag *g, double *total);

/* Reverses and removes arrows of s->graph while the score improves or does not get significantly worse. */
nonsens_status coupled_refine(nonsens_context *ctx, coupled *c);

#endif
