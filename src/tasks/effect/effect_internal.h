/* effect_internal.h - the fitted model, how it computes rows anew, and its bootstrap samples. */
#ifndef TASKS_EFFECT_EFFECT_INTERNAL_H
#define TASKS_EFFECT_EFFECT_INTERNAL_H

#include "mechanism/curve.h"
#include "mechanism/redraw.h"
#include "methods/structured_graph/structured_scores.h"
#include "tasks/effect/effect.h"
#include "tasks/effect/effect_regress.h"

/* Nodes are the variables in canonical order; values of mirrored columns keep the sign that they have in the data. */

/* A variable and what was fitted of it, which is nothing without causes. */
typedef struct effect_node {
    arena memory;
    int64_t causes, *cause; /* nodes, ascending */
    bool has_curve;         /* not too many causes for a mechanism */
    mechanism_curve curve;  /* of the full fit */
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
    mechanism_unseen unseen; /* points of the mechanisms */
    int64_t d, n;
    int64_t *place;               /* (d) node of the user's column */
    const double **x;             /* (d) columns (n) of nodes */
    double *sign;                 /* (d) of nodes */
    mechanism_scale *scale;       /* (d) */
    effect_node *node;            /* (d) */
    int64_t *order;               /* (d) nodes, causes before effects */
    bool *reaches;                /* (d, d) row by row: a path leads from one to the other, or they are the same */
    int64_t draw_rows, *draw_row; /* rows that bootstrap samples compute anew, ascending */
};

/* ---- computing rows anew (effect_predict.c) -----------------------------------------------------------------------
 */

/* One fit of all nodes: that of all rows, or of a bootstrap sample. */
typedef struct effect_fit {
    const effect_model *model;
    double share;                     /* weight of the mechanism, the rest is that of the regression */
    const mechanism_curve *curve;     /* (d) */
    const double *const *coefficient; /* (d) of regressions */
    int64_t rows;
    const int64_t *row;     /* (rows) of the data set */
    double *disturbance[2]; /* (d, rows) node by node: T, and (y - M) / S; only of nodes that are `wanted` */
} effect_fit;

/* Weight of the mechanism in the mean of both estimates: measured (docs/effects.md). */
#define EFFECT_SHARE 0.2

/* What is changed, by node. */
typedef struct effect_action {
    const bool *is_set;   /* (d) */
    const double *set_to; /* (d) */
    const double *shift;  /* (d) */
    const bool *affected; /* (d) nodes that a changed one reaches, themselves included */
} effect_action;

/* Computes the disturbances of some rows for the nodes wanted (d); memory from `a`. */
nonsens_status effect_abduct(nonsens_context *ctx, arena *a, const bool *wanted, effect_fit *fit);
/* Computes the fit of all rows. */
nonsens_status effect_full_fit(nonsens_context *ctx, arena *a, const effect_model *model, const bool *wanted,
                               int64_t rows, const int64_t *row, effect_fit *out);
/* Computes the values (d) of row number i of the fit under an action. */
void effect_predict(const effect_fit *fit, const effect_action *action, int64_t i, double *value);

/* ---- bootstrap samples (effect_draw.c) -----------------------------------------------------------------------------
 */

/* Draws how often each row occurs in bootstrap sample number b, count (n). */
nonsens_status effect_draw_counts(nonsens_context *ctx, arena *scratch, const effect_model *model, int64_t b,
                                  double *count);
/* Fits the nodes wanted (d) to the sample, for these rows; memory from `a`. */
nonsens_status effect_draw_fit(nonsens_context *ctx, arena *a, const effect_model *model, int64_t b, const bool *wanted,
                               const double *count, int64_t rows, const int64_t *row, effect_fit *out);

/* ---- questions (effect_answer.c) -----------------------------------------------------------------------------------
 */

enum { EFFECT_MEAN = 0, EFFECT_STATISTICS = 1 + EFFECT_QUANTILES }; /* mean, then quantiles */

/* One action on the rows of a segment, and the nodes in question. */
typedef struct effect_ask {
    effect_action action;
    int64_t segment; /* or EFFECT_ALL_SEGMENTS */
} effect_ask;

/*
 * Statistics of nodes now and under each action: full (asks, outcomes, 2, EFFECT_STATISTICS) by the full fit, drawn
 * (draws, the same) by bootstrap samples.  Without `quantiles` only means are filled.
 */
typedef struct effect_statistics {
    int64_t asks, outcomes, draws;
    double *full, *drawn;
    double *apart; /* as full: by mechanisms alone, minus by regressions alone */
} effect_statistics;
nonsens_status effect_ask_all(nonsens_context *ctx, arena *a, const effect_model *model, int64_t asks,
                              const effect_ask *ask, int64_t outcomes, const int64_t *outcome, bool quantiles,
                              effect_statistics *out);
/* Returns where the statistics of one target begin, in `full` or in those of one sample. */
int64_t effect_statistics_at(const effect_statistics *s, int64_t ask, int64_t target, int then);

/* Makes an action from changes, after checking them; memory from `a`. */
nonsens_status effect_action_new(nonsens_context *ctx, arena *a, const effect_model *model, int64_t changes,
                                 const effect_change *change, effect_action *out);
/*
 * Returns the half width of the interval of a value that was drawn so often, `step` apart; apart: by mechanisms alone,
 * minus by regressions alone.  _of_rows: of a value that no fit enters.
 *
 * The variance is that of the bootstrap samples, plus the square of `apart`: if the model is wrong, the two estimates
 * err in different ways, which no bootstrap sample shows.  Coverage: docs/effects.md.
 */
double effect_half_width_of_rows(const effect_model *model, const double *drawn, int64_t draws, int64_t step);
double effect_half_width(const effect_model *model, const double *drawn, int64_t draws, int64_t step, double apart);

#endif
