/*
 * model.h - restricted segment classifiers: reduced-rank multinomial regression on tensor-product splines.
 *
 *     logit_e(x) = c_e + sum_f a_ef h_f(x),      h_f a function of the first variable, of the second, or of both
 *
 * Every feature is a coefficient vector over the m^2 products of B-splines.  A feature of one variable has its
 * coefficients tied along the other (B-splines add up to one).  So the restricted models are special cases of the free
 * one, with the same functions and penalty.
 *
 * Penalty: 1/2 sum_e pi_e |sum_f a_ef h_f|^2 with |h|^2 = lambda times the integral of the squared second derivatives
 * along either variable + GENTLE times that of the squared first derivatives, which bounds logits if segments can be
 * distinguished perfectly.  It acts on the logits and ignores constants, so it does not depend on how logits are split
 * into a, h and c, and it is the same for every model.
 *
 * Parameters: coefficients first, products of features of both variables interleaved (which keeps the Fisher matrix in
 * a narrow profile), then for every segment its weights a_e1 .. a_er and c_e.
 */
#ifndef CLASSIFIER_MODEL_H
#define CLASSIFIER_MODEL_H

#include "classifier/sample.h"

#include <stdbool.h>

enum { MODEL_MAX_RANK = 6 };

/* Numbers of features of the first variable only, of the second only, and of both. */
typedef struct classifier_shape {
    int first, second, both;
} classifier_shape;

static inline int shape_rank(classifier_shape s)
{
    return s.first + s.second + s.both;
}

enum classifier_kind { KIND_FIRST, KIND_SECOND, KIND_BOTH };

static inline enum classifier_kind shape_kind(classifier_shape s, int64_t feature)
{
    return feature < s.first ? KIND_FIRST : feature < s.first + s.second ? KIND_SECOND : KIND_BOTH;
}

typedef struct classifier_model {
    const classifier_sample *data;
    classifier_shape shape;
    int64_t rank;         /* r */
    int64_t coefficients; /* number of parameters that are spline coefficients */
    int64_t parameters;
    int32_t *place;    /* (r, m^2) parameter of each tensor coefficient of each feature */
    int64_t *first;    /* (parameters) profile of the Fisher matrix */
    int64_t *square;   /* (parameters) where rows begin in a matrix (parameters, parameters): entry j is at begin + j */
    int64_t *packed;   /* (parameters) where rows begin in a matrix that stores only the lower profile */
    int64_t profile;   /* numbers in the latter */
    double *roughness; /* (m^2, m^2) the matrix of the second derivatives */
    double *gentle;    /* (m^2, m^2) GENTLE times that of the first derivatives */
} classifier_model;

/* Lays out the parameters of a shape and computes the penalty matrices. */
nonsens_status classifier_model_new(nonsens_context *ctx, arena *a, const classifier_sample *data, classifier_shape s,
                                    classifier_model *out);

/* Returns the index of a_ef (f < r) or c_e (f = r). */
static inline int64_t model_weight(const classifier_model *m, int64_t segment, int64_t f)
{
    return m->coefficients + segment * (m->rank + 1) + f;
}

/* Sums over the rows of one fold.  gradient, fisher and slope may be NULL. */
typedef struct classifier_sums {
    double log_likelihood; /* of the labels, in nats */
    double *gradient;      /* (parameters) of log_likelihood; added to */
    double *fisher;        /* (parameters, parameters) lower triangle, row-major; added to */
    double *slope;         /* (segments, m^2) slope of -log_likelihood by the coefficients of each logit; added to */
} classifier_sums;

/* Computes the sums over the rows of one fold. */
nonsens_status model_sum(nonsens_context *ctx, arena *scratch, const classifier_model *m, const double *theta,
                         int64_t fold, classifier_sums *out);

/*
 * Adds the Fisher matrix of all rows but those of one fold (-1: of all rows), with rows of nearly the same logits in
 * groups (classifier_information.h).  It is close to the exact one, at a fraction of its cost.
 */
nonsens_status model_fisher_by_groups(nonsens_context *ctx, arena *scratch, int threads, const classifier_model *m,
                                      const double *theta, int64_t without, double *fisher);

/* Writes log p(label | x) of the rows of one fold to out[row of the data set]. */
nonsens_status model_score(nonsens_context *ctx, arena *scratch, const classifier_model *m, const double *theta,
                           int64_t fold, double *out);

/* Computes out (segments, segments): the mean over all rows of diag p - p p'. */
nonsens_status model_covariance(nonsens_context *ctx, arena *scratch, const classifier_model *m, const double *theta,
                                double *out);

/* Writes the features (r) of each row of one fold to out[f * n + row of the data set]. */
nonsens_status model_features(nonsens_context *ctx, arena *scratch, const classifier_model *m, const double *theta,
                              int64_t fold, double *out);

/* Computes the penalty; adds to gradient, Gauss-Newton matrix and slope unless they are NULL. */
nonsens_status model_penalty(nonsens_context *ctx, arena *scratch, const classifier_model *m, const double *theta,
                             double lambda, double *value, double *gradient, double *hessian, double *slope);

/*
 * Adds what the Gauss-Newton (Fisher) matrix lacks: logits are bilinear in a and h, so the second derivative by a_ef
 * and a coefficient of h_f is the slope by that coefficient of logit e.
 */
void model_add_bilinear(const classifier_model *m, double factor, const double *slope, double *hessian);

/*
 * Adds terms to the matrix that pin down the parametrisation.  a and h are determined up to linear maps that do not
 * change the logits (a feature may absorb any other whose functions it contains; constants move between h and c), and
 * along those maps the objective is flat.  The terms keep steps orthogonal to those maps, through the weights only.
 */
nonsens_status model_pin(nonsens_context *ctx, arena *scratch, const classifier_model *m, const double *theta,
                         double *hessian);

/* Converts theta to a basis of another size: out (parameters of `to`) is the nearest model there (convert.c). */
nonsens_status model_convert(nonsens_context *ctx, arena *scratch, const classifier_model *from, const double *theta,
                             const classifier_model *to, double *out);

#endif
