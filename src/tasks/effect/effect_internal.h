/* effect_internal.h - the fitted model, how it recomputes rows, and its bootstrap samples. */
#ifndef TASKS_EFFECT_EFFECT_INTERNAL_H
#define TASKS_EFFECT_EFFECT_INTERNAL_H

#include "mechanism/curve.h"
#include "mechanism/redraw.h"
#include "methods/structured_graph/structured_scores.h"
#include "tasks/effect/effect.h"
#include "tasks/effect/effect_regress.h"

/* Nodes are the variables in canonical order; values of mirrored columns keep the sign that they have in the data. */

/* A variable and its fits, if it has causes. */
typedef struct effect_node {
    arena memory;
    int64_t causes, *cause; /* nodes, ascending */
    bool has_curve;         /* it has causes, and not too many for a mechanism */
    mechanism_curve curve;  /* mechanism of the full fit */
    mechanism_redraw redraw;
    effect_regression regression;
    const double **x, **warped; /* (causes) columns of the causes */
} effect_node;

struct effect_model {
    const nonsens_data *data;
    effect_options options;
    arena memory;
    structured_scores scores;
    bool has_scores;
    mechanism_unseen unseen; /* unseen points of the mechanisms (mechanism.h) */
    int64_t d, n;
    int64_t *place;               /* (d) node of the user's column */
    const double **x;             /* (d) columns (n) of nodes */
    double *sign;                 /* (d) -1 for mirrored nodes */
    mechanism_scale *scale;       /* (d) */
    effect_node *node;            /* (d) */
    int64_t *order;               /* (d) nodes, causes before effects */
    bool *reaches;                /* (d, d) row by row: a path leads from the node of the row to that of the column */
    int64_t draw_rows, *draw_row; /* rows that bootstrap samples recompute, ascending */
};

/* ---- recomputing rows (effect_predict.c) --------------------------------------------------------------------------
 */

/* One fit of all nodes: to all rows, or to a bootstrap sample. */
typedef struct effect_fit {
    const effect_model *model;
    double share;                     /* weight of the mechanism; the regression has the rest */
    const mechanism_curve *curve;     /* (d) */
    const double *const *coefficient; /* (d) of regressions */
    int64_t rows;
    const int64_t *row;     /* (rows) of the data set */
    double *disturbance[2]; /* (d, rows) node by node: T, and (y - M) / S; only for nodes that are `wanted` */
} effect_fit;

/* Weight of the mechanism in the mean of both estimates, chosen by experiments (docs/effects.md). */
#define EFFECT_SHARE 0.2

/* What is changed, node by node. */
typedef struct effect_action {
    const bool *is_set;   /* (d) */
    const double *set_to; /* (d) */
    const double *shift;  /* (d) */
    const bool *affected; /* (d) nodes that a changed one reaches, themselves included */
} effect_action;

/* Computes the disturbances of some rows for the nodes wanted (d); memory comes from `a`. */
nonsens_status effect_abduct(nonsens_context *ctx, arena *a, const bool *wanted, effect_fit *fit);
/* Sets up the fit of all rows, with the disturbances of these rows. */
nonsens_status effect_full_fit(nonsens_context *ctx, arena *a, const effect_model *model, const bool *wanted,
                               int64_t rows, const int64_t *row, effect_fit *out);
/* Computes the values (d) under an action of row number i of the fit. */
void effect_predict(const effect_fit *fit, const effect_action *action, int64_t i, double *value);

/* ---- bootstrap samples (effect_draw.c) -----------------------------------------------------------------------------
 */

/* Draws how often each row occurs in bootstrap sample number b, count (n). */
nonsens_status effect_draw_counts(nonsens_context *ctx, arena *scratch, const effect_model *model, int64_t b,
                                  double *count);
/* Fits the nodes wanted (d) to the sample and computes the disturbances of these rows; memory comes from `a`. */
nonsens_status effect_draw_fit(nonsens_context *ctx, arena *a, const effect_model *model, int64_t b, const bool *wanted,
                               const double *count, int64_t rows, const int64_t *row, effect_fit *out);

/* ---- questions (effect_answer.c) -----------------------------------------------------------------------------------
 */

enum { EFFECT_MEAN = 0, EFFECT_STATISTICS = 1 + EFFECT_QUANTILES }; /* mean, then quantiles */

/* One action on the rows of a segment. */
typedef struct effect_ask {
    effect_action action;
    int64_t segment; /* or EFFECT_ALL_SEGMENTS */
} effect_ask;

/*
 * Statistics of nodes now and under each action: full (asks, outcomes, 2, EFFECT_STATISTICS) by the full fit; drawn
 * (draws, and the same) by bootstrap samples.  Without `quantiles` only means are filled.
 */
typedef struct effect_statistics {
    int64_t asks, outcomes, draws;
    double *full, *drawn;
    double *apart; /* (as full) results by mechanisms alone, minus those by regressions alone */
} effect_statistics;
nonsens_status effect_ask_all(nonsens_context *ctx, arena *a, const effect_model *model, int64_t asks,
                              const effect_ask *ask, int64_t outcomes, const int64_t *outcome, bool quantiles,
                              effect_statistics *out);
/* Returns where the statistics of one target begin, in `full` or in those of one sample. */
int64_t effect_statistics_at(const effect_statistics *s, int64_t ask, int64_t target, int then);

/* Checks changes and makes an action from them; memory comes from `a`. */
nonsens_status effect_action_new(nonsens_context *ctx, arena *a, const effect_model *model, int64_t changes,
                                 const effect_change *change, effect_action *out);
/*
 * Returns half the width of the interval of a value.  drawn: the value in each bootstrap sample, `step` apart; apart:
 * the value by mechanisms alone minus that by regressions alone.  _of_rows: for a value that depends on no fit.
 *
 * The variance is that of the bootstrap samples plus the square of `apart`: if the model is wrong, the two estimates
 * have different errors, which no bootstrap sample shows.  Coverage: docs/effects.md.
 */
double effect_half_width_of_rows(const effect_model *model, const double *drawn, int64_t draws, int64_t step);
double effect_half_width(const effect_model *model, const double *drawn, int64_t draws, int64_t step, double apart);

#endif
