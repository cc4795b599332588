/*
 * structured_screen.h - estimates what a further cause of a variable would gain, without fitting it.
 *
 * Let a fit explain variable j by its causes.  A further term c phi(y, x_i) of its transformation T changes the log
 * likelihood of a row by c [l'(z) exp(-rho) phi + phi_y / T_y] to first order.  For phi = h(x_i) and phi =
 * (T - mu) h(x_i) the brackets are s h(x_i) with
 *
 *     s_1 = l'(z) exp(-rho_e),     s_2 = l'(z) z + 1,
 *
 * so what the cause gains follows from two numbers per row and linear B-splines h of x_i.  To second order it is half
 * of Rao's statistic g' V^-1 g, with g the sums of s h and V those of squares, both after a projection on the segments
 * and on the functions of the present causes, whose sums the fit has made zero.  A cause may also show in products with
 * a present cause alone; such products of two shapes each have statistics of their own.
 *
 * One candidate costs a few passes over the rows, which is little compared with its fit.
 */
#ifndef METHODS_STRUCTURED_GRAPH_STRUCTURED_SCREEN_H
#define METHODS_STRUCTURED_GRAPH_STRUCTURED_SCREEN_H

#include "methods/structured_graph/structured_scores.h"

/* What candidates may gain in addition to the causes of a fit. */
typedef struct screened {
    const structured_score *fit;
    double *gain; /* (d) estimates in nats over all rows, minus what chance gains; NAN: not known */
    bool *wanted; /* (d) */
    struct screened *next;
} screened;

typedef struct structured_screen {
    const structured_scores *scores;
    double threshold; /* nats below which a candidate is not fitted */
    arena memory;
    screened **of_effect; /* (d) chained */
    screened **wanted;    /* those with wanted candidates; one may be listed twice */
    int64_t wanted_count, wanted_capacity;
} structured_screen;

/* Prepares an empty screen; screen_free frees it.  min_gain: nats that an arrow must gain. */
nonsens_status screen_new(nonsens_context *ctx, const structured_scores *scores, double min_gain,
                          structured_screen *out);
void screen_free(structured_screen *s);
/* Asks for a candidate, or for all that are not causes, of a settled fit. */
nonsens_status screen_want(nonsens_context *ctx, structured_screen *s, const structured_score *fit, int64_t candidate);
nonsens_status screen_want_all(nonsens_context *ctx, structured_screen *s, const structured_score *fit);
/* Computes all that were asked for, in parallel. */
nonsens_status screen_settle(nonsens_context *ctx, structured_screen *s);
/* Returns what the candidate may gain in addition to the causes of a fit, NAN if that is not known. */
double screen_gain(const structured_screen *s, const structured_score *fit, int64_t candidate);

#endif
