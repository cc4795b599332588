/* gp_model.h - what a fit leaves for predictions, and what gp.c and gp_predict.c share. */
#ifndef REGRESS_GP_MODEL_H
#define REGRESS_GP_MODEL_H

#include "regress/gp_internal.h"

#include <math.h>

#define GP_FARTHEST 1e100 /* scaled values beyond it are put there, so that their squares are finite */

/* z = (v * factor - centre) / spread; factor is a power of two that keeps huge columns finite. */
typedef struct scaling {
    double factor, centre, spread;
} scaling;

enum form { FORM_MEAN, FORM_LINE, FORM_EXACT, FORM_LOW_RANK };

struct gp_model {
    enum form form;
    int64_t columns, used; /* given, and left after constant ones */
    int64_t *column;       // (used)
    scaling *x;            // (used)
    scaling y;
    enum gp_kernel kernel;
    gp_sequence q; /* one regressor */
    double theta[GP_LINE_PARAMETERS];
    int threads;
    column_set rows; /* several regressors, exact: scaled and in order */
    double *several; // (used + 2) their theta
    double *factor;  // (n, n) Cholesky factor of the covariance of y
    double *alpha;   // (n) its inverse times y
    gp_reduced reduced;
};

static inline double scale_value(const scaling *s, double v)
{
    return fmin(fmax((v * s->factor - s->centre) / s->spread, -GP_FARTHEST), GP_FARTHEST);
}

/* What one scaled unit is in the caller's. */
static inline double unit_of(const scaling *s)
{
    return s->spread / s->factor;
}

nonsens_status gp_check_columns(nonsens_context *ctx, const column_set *x);
nonsens_status gp_smooth_get(nonsens_context *ctx, arena *scratch, int64_t n, gp_smooth *s);
nonsens_status gp_row_results_get(nonsens_context *ctx, arena *scratch, int64_t n, gp_row_results *r);

#endif
