/*
 * structured_dependence.h - how much two disturbances still say about one another inside segments.
 *
 * Every row's disturbances come from fits without its fold: a fit that has seen the row leaves disturbances that are
 * too independent.  The size of what is left is measured by copulas that differ over segments, on held-out rows: a
 * Gaussian one, and a series of products of Legendre polynomials of the ranks, which sees other shapes too.  It is in
 * nats, like the gain of an arrow, with which it can be compared.
 */
#ifndef METHODS_STRUCTURED_GRAPH_STRUCTURED_DEPENDENCE_H
#define METHODS_STRUCTURED_GRAPH_STRUCTURED_DEPENDENCE_H

#include "methods/structured_graph/structured_search.h"

/* Computes the disturbance v (n) of every row by the fit without its fold; the score must be settled; spare (n). */
nonsens_status dependence_held_out(nonsens_context *ctx, const structured_scores *sc, const structured_score *fit,
                                   double *spare, double *v);

/* Computes normal scores (n) of the ranks of v (n) inside every segment. */
nonsens_status dependence_normal_scores(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const double *v,
                                        double *score);

/* Computes ranks inside every segment as numbers from -1 to 1 (n) from normal scores (n). */
void dependence_ranks(const nonsens_data *data, const double *score, double *rank);

/*
 * Fits a Gaussian copula to two columns of normal scores (n), leaving out one fold after another, and adds up the log
 * densities of that fold's rows by groups; group (groups).  The correlation of a segment is shrunk towards that of all
 * segments, and more strongly the less they differ.
 */
nonsens_status dependence_copula(nonsens_context *ctx, arena *scratch, const structured_scores *sc, const double *x,
                                 const double *y, double *group);

/*
 * Does the same with the density 1 + sum_jk c_jk L_j(u) L_k(v), j, k = 1 .. 3, of columns of ranks from -1 to 1, L the
 * Legendre polynomials of variance 1.  The coefficients are shrunk towards those of all segments.
 */
nonsens_status dependence_series(nonsens_context *ctx, arena *scratch, const structured_scores *sc, const double *u,
                                 const double *v, double *group);

/* Returns the sum of group (groups) minus that of other (groups; may be NULL), and the same in standard errors. */
structured_gain dependence_gain(const structured_scores *sc, const double *group, const double *other);

#endif
