/*
 * effect_regress.h - regresses a variable on its causes in location and scale.
 *
 *     y = M(x) + S(x) sigma_e (r + mu_e),     log S(x) like M(x) a sum of functions of each cause and of each two.
 *
 * Functions are quadratic B-splines of warped causes (classifier/sample.h) and, in M, a straight line in units.  Their
 * second differences are penalised; generalised cross-validation chooses the weights (Craven and Wahba, Numerische
 * Mathematik 31, 1979).  M has weights 1 / (S sigma_e)^2; log S is fitted to the sizes of residuals by a gamma
 * regression with a logarithmic link.  sigma_e and mu_e are of segments, so that changing disturbances do not count as
 * effects.
 */
#ifndef TASKS_EFFECT_EFFECT_REGRESS_H
#define TASKS_EFFECT_EFFECT_REGRESS_H

#include "base/memory.h"
#include "base/rng.h"

/* What is regressed: rows of all segments. */
typedef struct regress_input {
    int64_t n, causes, segments;
    const double *const *x;      /* (causes) columns (n) */
    const double *const *warped; /* (causes) the same in [0, 1] */
    const double *y;             /* (n) */
    const int32_t *segment;      /* (n) */
} regress_input;

/* Coefficients of M and of log S. */
enum { REGRESS_LOCATION, REGRESS_SCALE, REGRESS_PARTS };

typedef struct effect_regression {
    regress_input in; /* lent */
    int64_t p, terms; /* coefficients of a part; those that are not zero at a row */
    bool has_pairs;
    double *centre, *unit; /* (causes) of x: mean, standard deviation */
    double y_centre, y_unit;
    int32_t *index;                   /* (n, terms) coefficients at each row */
    double *value;                    /* (n, terms) */
    double *weight;                   /* (n) of M: 1 / (S sigma_e)^2 */
    double *centre_of;                /* (n) mu_e sigma_e S, taken out of y before M is fitted */
    double *spread;                   /* (n) sigma_e */
    double smooth[REGRESS_PARTS][2];  /* weights of second differences: of one cause, of two */
    double dispersion[REGRESS_PARTS]; /* variance of what is left */
    double *factor[REGRESS_PARTS];    /* (p, p) Cholesky factors at the full fit */
    double *coefficient;              /* (REGRESS_PARTS, p) of the full fit */
} effect_regression;

/* Fits; `in` and what it points to must outlive *out, whose memory comes from `a`. */
nonsens_status effect_regress_new(nonsens_context *ctx, arena *a, const regress_input *in, effect_regression *out);

/*
 * Fits again to a bootstrap sample in which row i occurs count[i] times, with the weights of the full fit; r draws from
 * the prior as in mechanism/redraw.h.  coefficient (REGRESS_PARTS, p).
 */
nonsens_status effect_regress_redraw(nonsens_context *ctx, arena *scratch, const effect_regression *fit,
                                     const double *count, rng *r, double *coefficient);

/* Computes M and S for causes x, warped (causes). */
void effect_regress_at(const effect_regression *fit, const double *coefficient, const double *x, const double *warped,
                       double *location, double *scale);

#endif
