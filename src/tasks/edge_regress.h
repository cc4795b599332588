/*
 * edge_regress.h - the mean of a variable given its causes, for the direct effects of edges.
 *
 *     y_i = mu_e + M(x_i) + noise,     M a sum of functions of each cause and of each pair of causes.
 *
 * Functions are quadratic B-splines of warped causes (classifier/sample.h) plus straight lines in the unwarped causes.
 * Second differences are penalised; generalised cross-validation chooses the penalty (Craven and Wahba, Numerische
 * Mathematik 31, 1979).  Segment means mu_e are random effects; their variance comes from the residuals of segments.
 *
 * It is simpler and faster than effect/effect_regress.h, which also models the scale of the noise.
 */
#ifndef TASKS_EDGE_REGRESS_H
#define TASKS_EDGE_REGRESS_H

#include "base/memory.h"

enum { EDGE_MAX_CAUSES = 40 };

/* Rows, ordered by segment. */
typedef struct edge_rows {
    int64_t n, causes, segments;
    const double *const *x;      /* (causes) columns (n) */
    const double *const *warped; /* (causes) the same in [0, 1] */
    const double *y;             /* (n) */
    const int32_t *segment;      /* (n) */
    const int32_t *block;        /* (n) rows of a block depend on one another; NULL: rows are independent */
    int64_t blocks;
} edge_rows;

typedef struct edge_regression {
    edge_rows in;     /* not owned */
    int64_t p, terms; /* number of coefficients, and of those whose basis functions are not zero at a row */
    bool has_pairs;   /* there are functions of two causes */
    double *centre;   /* (causes) mean of x */
    double *unit;     /* (causes) mean absolute deviation of x */
    double y_centre, y_unit;
    int32_t *index;      /* (n, terms) numbers of these coefficients at each row */
    double *value;       /* (n, terms) values of their basis functions */
    double smooth[2];    /* penalties on second differences: of functions of one cause, of two */
    double *sum;         /* (p, segments) sums of the terms over the rows of each segment */
    double *rows;        /* (segments) number of rows */
    double *share;       /* (segments) share of a segment's mean residual that counts as mu_e */
    double *gram;        /* (p, p) sums of products of the terms, without what mu_e explains; lower triangle */
    double *factor;      /* (p, p) Cholesky factor of gram plus penalties */
    double *coefficient; /* (p) */
    double *pair_mean;   /* (causes, .) means of the B-splines used for functions of two causes */
    double *residual;    /* (n) without what mu_e explains */
    double freedom;      /* rows minus effective number of coefficients */
    double dispersion;   /* variance of the noise */
    double mu_variance;  /* of mu_e */
} edge_regression;

/* Fits the mean of y.  What `in` points to must outlive *out.  NONSENS_ERR_NUMERIC if the values do not allow a fit. */
nonsens_status edge_regress_new(nonsens_context *ctx, arena *a, const edge_rows *in, edge_regression *out);

/* A value of a cause, and the same in [0, 1]. */
typedef struct edge_value {
    double x, warped;
} edge_value;

/*
 * Computes by how much the mean of y changes if cause number k goes from one value to another in all rows, and its
 * standard error (NULL: not wanted).  The error of rows or blocks is a sandwich estimate, or that of the model if
 * larger; smoothing bias is included by the Bayesian covariance of penalised fits (Nychka, Journal of the American
 * Statistical Association 83, 1988).
 */
nonsens_status edge_regress_change(nonsens_context *ctx, arena *scratch, const edge_regression *fit, int64_t k,
                                   edge_value from, edge_value to, double *change, double *error);

#endif
