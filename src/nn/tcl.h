/*
 * tcl.h - time-contrastive learning by an ensemble of folds x restarts segment classifiers, whose logits are averaged.
 *
 * Logits are identified up to a constant per segment, features only up to a linear transformation.  So the ensemble
 * averages logits and then uses the rank-r factor of the centred n x E logit matrix as features h.  Every row is scored
 * by nets that used its fold neither in training nor in early stopping ("out of fold"), which keeps later tests valid.
 * With one fold there are no such nets: rows are then scored by the nets that were trained on them ("in sample").
 *
 * Restarts of a fold alternate between two views of the input (inputs.h): the first `basic` columns of x, and all
 * columns.  Nets with different views make different errors, so their average is better than either (docs/tuning.md).
 */
#ifndef NN_TCL_H
#define NN_TCL_H

#include "base/matrix.h"
#include "nn/train.h"

typedef struct tcl_options {
    mlp_shape shape; /* inputs, features and classes are filled in by tcl_fit_new */
    train_options train;
    int64_t folds, restarts, keep; /* folds = 1: in sample; keep = 0: all restarts */
    double validation;             /* share of the training rows that are held out for early stopping, stratified */
    int64_t features;              /* r */
    int64_t basic;                 /* columns that even-numbered restarts see; 0: all restarts see all columns */
    uint64_t seed;
    int threads;
} tcl_options;

/* Fills the options from those of the user. */
void tcl_options_from(const nonsens_options *options, int64_t features, tcl_options *out);

typedef struct tcl_fit {
    int64_t n, d, classes, features;
    tcl_options options;
    const float *x;       /* (n, d) column-major */
    int32_t *fold;        /* (n) */
    int64_t nets;         /* folds * restarts; net = fold * restarts + restart */
    float *parameters;    /* (nets, mlp_parameters) */
    train_report *report; /* (nets) */
    int64_t curve_epochs; /* of the curves below */
    float *curve;         /* (nets, 2, curve_epochs) losses on training and on held-out rows (train.h) */
    bool *used;           /* (nets) among the best `keep` of its fold */
    double *logits;       /* (n, classes) row-major: out-of-fold ensemble average, rows and columns centred */
    double loss, chance;  /* mean out-of-fold cross-entropy of the ensemble, and of the segment shares alone; nats */
    double gain_se;       /* standard error of chance - loss over rows */
    double *singular;     /* (classes) singular values of the centred logit matrix over sqrt(n), descending */
    double *loading;      /* (classes, features) column-major: h = logits * loading, columns orthonormal, sum zero */
    matrix h;             /* (n, features), columns centred */
} tcl_fit;

/* Fits to x (n, d) (inputs.h); label (n) in 0..classes-1, rows sorted by label, those of class e from start[e] on. */
nonsens_status tcl_fit_new(nonsens_context *ctx, arena *a, matrix x, int64_t classes, const int32_t *label,
                           const int64_t *start, const tcl_options *options, tcl_fit *fit);

/*
 * Scores, centres and factors fit->logits, which may come from any classifier: computes loss, chance, gain_se,
 * singular, loading and h from n, classes, features and logits.  It is the last step of tcl_fit_new.
 */
nonsens_status tcl_factor(nonsens_context *ctx, arena *a, const int32_t *label, const int64_t *start, tcl_fit *fit);

/*
 * Computes d (h * unmix')_k / dx, out of fold, in the first d columns of jacobian[k] (n, stride) row-major for each k,
 * which the caller has set to zero.  unmix (r, r) is column-major.
 */
nonsens_status tcl_jacobian(nonsens_context *ctx, arena *scratch, const tcl_fit *fit, const double *unmix,
                            int64_t stride, double **jacobian);

#endif
