/*
 * effect_regress.h - regresses a variable on its causes in location and scale.
 *
 *     y = M(x) + S(x) sigma_e (r + mu_e),     M(x) and log S(x) sums of functions of each cause and of each pair.
 *
 * Functions are quadratic B-splines of warped causes (classifier/sample.h) plus straight lines in the unwarped causes,
 * which in log S are nearly 0.  Second differences are penalised; generalised cross-validation chooses the penalties
 * (Craven and Wahba, Numerische Mathematik 31, 1979).  M has weights 1 / (S sigma_e)^2; log S is fitted to absolute
 * residuals by a gamma regression with a logarithmic link.  Each segment e has its own sigma_e and mu_e, so that
 * changing disturbances do not count as effects.
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
    regress_input in; /* not owned */
    int64_t p, terms; /* coefficients of a part; terms that are not zero at a row */
    bool has_pairs;
    double *centre, *unit; /* (causes) mean and standard deviation of x */
    double y_centre, y_unit;
    int32_t *index;                   /* (n, terms) numbers of the coefficients at each row */
    double *value;                    /* (n, terms) */
    double *weight;                   /* (n) for M: 1 / (S sigma_e)^2 */
    double *centre_of;                /* (n) mu_e sigma_e S, subtracted from y before M is fitted */
    double *spread;                   /* (n) sigma_e */
    double smooth[REGRESS_PARTS][2];  /* penalties on second differences: of functions of one cause, of two */
    double dispersion[REGRESS_PARTS]; /* residual variance */
    double *factor[REGRESS_PARTS];    /* (p, p) Cholesky factors at the full fit */
    double *coefficient;              /* (REGRESS_PARTS, p) of the full fit */
} effect_regression;

/* Fits M and S; what `in` points to must outlive *out, whose memory comes from `a`. */
nonsens_status effect_regress_new(nonsens_context *ctx, arena *a, const regress_input *in, effect_regression *out);

/*
 * Fits again to a bootstrap sample in which row i occurs count[i] times, with the weights and penalties of the full
 * fit; r (may be NULL) draws from the prior as in mechanism/redraw.h.  coefficient (REGRESS_PARTS, p).
 */
nonsens_status effect_regress_redraw(nonsens_context *ctx, arena *scratch, const effect_regression *fit,
                                     const double *count, rng *r, double *coefficient);

/* Computes M and S for causes x, warped (causes). */
void effect_regress_at(const effect_regression *fit, const double *coefficient, const double *x, const double *warped,
                       double *location, double *scale);

#endif
