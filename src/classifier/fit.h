/*
 * fit.h - penalised maximum likelihood of a restricted segment classifier, on all rows and with each fold left out.
 *
 * Newton's steps between Fisher's matrix and the whole second derivative, damped where need be (newton.h), on all rows;
 * every fold starts from there with the matrix of the other folds and keeps it while the steps shrink (leave_out.c).
 * Steps use Fisher's matrix by groups of rows (classifier_information.h): it only says how far to go; the gradient
 * decides where to end.  Both stop by the Newton decrement, the length of the gradient in the metric of that matrix.
 * Everything is deterministic; folds and rows are summed in fixed order.
 */
#ifndef CLASSIFIER_FIT_H
#define CLASSIFIER_FIT_H

#include "classifier/newton.h"

/* How strongly roughness is penalised, and in which basis. */
typedef struct classifier_penalty {
    double all;                                /* best for prediction, on all rows */
    const double *fold;                        /* (folds) likewise with each fold left out: rows are scored with it */
    double test;                               /* for tests on all rows */
    const classifier_sample *const *fold_data; /* (folds) rows in the basis that scores them; NULL: as for all rows */
} classifier_penalty;

typedef struct classifier_fit {
    classifier_model model;
    double lambda;
    double tolerance; /* of half the squared decrement, in nats over all rows */
    const double *fold_lambda;
    const classifier_sample *const *fold_data;
    double *theta;                /* (parameters) on all rows */
    classifier_model *fold_model; /* (folds) in the basis that scores the fold; NULL until fit_folds */
    double **fold_theta;          /* (folds) its parameters; likewise */
    double *held_out;             /* (n) log-likelihood of each row by the fit without its fold, rows of the data set */
    double objective;             /* penalised negative log-likelihood on all rows */
    double decrement;             /* at the end; converged where it is below the tolerance */
    int64_t iterations;
    bool converged;
    double *fold_log_likelihood, *fold_gradient, *fold_slope; /* classifier_sums of each fold at theta */
} classifier_fit;

/* Memory of the fit for a shape; theta is zero but for c_e, the log shares of the segments. */
nonsens_status fit_new(nonsens_context *ctx, arena *a, const classifier_sample *data, classifier_shape s,
                       const classifier_penalty *weight, classifier_fit *out);

/* Starts: from the segment indicators' regression on the basis; from a fitted model that this one contains, or that
 * contains it. */
nonsens_status fit_start_cold(nonsens_context *ctx, arena *scratch, classifier_fit *f);
nonsens_status fit_start_restricted(nonsens_context *ctx, arena *scratch, const classifier_fit *from,
                                    classifier_fit *f);
void fit_start_extended(const classifier_fit *from, classifier_fit *f);

/* Sums over the folds at theta as it is, without fitting. */
nonsens_status fit_evaluate(nonsens_context *ctx, arena *scratch, int threads, classifier_fit *f);
nonsens_status fit_all(nonsens_context *ctx, arena *scratch, int threads, classifier_fit *f);

enum { FIT_NO_FOLD = -1 };

/* The exact Fisher matrices of the folds at theta: (folds, parameters, parameters), lower triangles. */
nonsens_status fit_fisher(nonsens_context *ctx, arena *a, int threads, const classifier_fit *f, double **out);

/* Objective, gradient and slope at theta from those of the folds, but for one of them. */
nonsens_status fit_gather(nonsens_context *ctx, arena *scratch, const classifier_fit *f, double lambda, int64_t without,
                          classifier_point *at);

/* The fit without one fold: theta (parameters), and there the slope of the likelihood of every other one (folds, p). */
nonsens_status fit_without(nonsens_context *ctx, arena *scratch, const classifier_fit *f, int64_t fold, double *theta,
                           double *gradient, bool *converged);
nonsens_status fit_folds(nonsens_context *ctx, arena *a, int threads, classifier_fit *f);

#endif
