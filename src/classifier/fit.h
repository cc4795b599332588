/*
 * fit.h - fits a restricted segment classifier by penalised maximum likelihood, on all rows and without each fold.
 *
 * On all rows Newton's steps use a matrix between Fisher's and the full second derivative, damped if necessary
 * (newton.h).  The fit without a fold starts from there with the matrix of the other folds, and keeps it while the
 * steps shrink (leave_out.c).  Steps use Fisher's matrix by groups of rows (classifier_information.h): it only affects
 * how far a step goes; the gradient decides where the fit ends.  Both stop by the Newton decrement, the length of the
 * gradient in the metric of that matrix.  Everything is deterministic; folds and rows are summed in a fixed order.
 */
#ifndef CLASSIFIER_FIT_H
#define CLASSIFIER_FIT_H

#include "classifier/newton.h"

/* The weight of the roughness penalty, and the basis. */
typedef struct classifier_penalty {
    double all;                                /* best for prediction, on all rows */
    const double *fold;                        /* (folds) best for prediction without the fold; scores its rows */
    double test;                               /* for tests on all rows */
    const classifier_sample *const *fold_data; /* (folds) rows in the basis that scores them; NULL: that of all rows */
} classifier_penalty;

typedef struct classifier_fit {
    classifier_model model;
    double lambda;
    double tolerance; /* of half the squared decrement, in nats over all rows */
    const double *fold_lambda;
    const classifier_sample *const *fold_data;
    double *theta;                /* (parameters) on all rows */
    classifier_model *fold_model; /* (folds) in the basis that scores the fold; NULL until fit_folds */
    double **fold_theta;          /* (folds) parameters of fold_model; NULL until fit_folds */
    double *held_out;             /* (n) log-likelihood of each row by the fit without its fold, rows of the data set */
    double objective;             /* penalised negative log-likelihood on all rows */
    double decrement;             /* half the squared decrement at the end; converged if it is below the tolerance */
    int64_t iterations;
    bool converged;
    double *fold_log_likelihood, *fold_gradient, *fold_slope; /* classifier_sums of each fold at theta */
} classifier_fit;

/* Allocates a fit of a shape; theta is zero except for c_e, the log shares of the segments. */
nonsens_status fit_new(nonsens_context *ctx, arena *a, const classifier_sample *data, classifier_shape s,
                       const classifier_penalty *weight, classifier_fit *out);

/* Starts from the regression of the segment indicators on the basis. */
nonsens_status fit_start_cold(nonsens_context *ctx, arena *scratch, classifier_fit *f);
/* Starts from a fitted model that contains this one. */
nonsens_status fit_start_restricted(nonsens_context *ctx, arena *scratch, const classifier_fit *from,
                                    classifier_fit *f);
/* Starts from a fitted model that this one contains. */
void fit_start_extended(const classifier_fit *from, classifier_fit *f);

/* Computes the objective and the sums of the folds at theta, without fitting. */
nonsens_status fit_evaluate(nonsens_context *ctx, arena *scratch, int threads, classifier_fit *f);
/* Fits theta to all rows, from its current value. */
nonsens_status fit_all(nonsens_context *ctx, arena *scratch, int threads, classifier_fit *f);

enum { FIT_NO_FOLD = -1 };

/* Computes the exact Fisher matrices of the folds at theta: (folds, parameters, parameters), lower triangles. */
nonsens_status fit_fisher(nonsens_context *ctx, arena *a, int threads, const classifier_fit *f, double **out);

/* Computes objective, gradient and slope at theta from those of all folds but one. */
nonsens_status fit_gather(nonsens_context *ctx, arena *scratch, const classifier_fit *f, double lambda, int64_t without,
                          classifier_point *at);

/*
 * Fits without one fold: theta (parameters), and the gradient of the likelihood of every other fold there (folds, p);
 * fisher: from fit_fisher.
 */
nonsens_status fit_without(nonsens_context *ctx, arena *scratch, const classifier_fit *f, const double *fisher,
                           int64_t fold, double *theta, double *gradient, bool *converged);
/* Computes hessian (parameters, parameters): the sum of all but two of these Fisher matrices, penalty and pins. */
nonsens_status fit_matrix_without(nonsens_context *ctx, arena *scratch, const classifier_fit *f, const double *fisher,
                                  double lambda, int64_t fold, int64_t other, double *hessian);
/* Fits without each fold in turn, from theta, and scores the rows of the fold. */
nonsens_status fit_folds(nonsens_context *ctx, arena *a, int threads, classifier_fit *f);

#endif
