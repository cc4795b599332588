/*
 * score_general.h - the score-matching objective J(W) for any unmixing matrix W, with its gradient; formulae at the
 * head of ica/score_matching.c, which minimises it over rotations in a faster form, and is tested against this one.
 */
#ifndef UNIT_SCORE_GENERAL_H
#define UNIT_SCORE_GENERAL_H

#include "ica/ica_internal.h"

/* The profiled objective for a general W; opened once, then evaluated often without allocating. */
typedef struct ica_score_model {
    nonsens_context *ctx;
    const ica_data *data;
    const ica_family *family;
    double sharpness;
    double *s;                /* (rows of the largest segment, d) sources; later the rows' coefficients */
    double *p;                /* (rows, d) */
    ica_derivatives q;        /* (rows, d m) each, one source after another; m statistics per source */
    double *gram;             /* (d, d) W W' */
    double *moment, *factor;  /* (d m, d m) E q_a' q_b', and the Cholesky factor of M_e for the free coefficients */
    double *mean2, *solution; /* (d m) E q'', and the free coefficients */
    double *lambda, *weights; /* (d m) and (d m, d) */
} ica_score_model;

nonsens_status ica_score_new(nonsens_context *ctx, arena *a, const ica_data *data, const ica_family *family,
                             double sharpness, ica_score_model *model);
/* Returns J(w) for w (d, d), rows w_j, and its gradient (d, d) unless NULL.  HUGE_VAL if J cannot be computed. */
double ica_score_objective(const ica_score_model *model, const double *w, double *gradient);

#endif
