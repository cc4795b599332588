/*
 * effect.h - what would happen: effects of changing variables, and counterfactuals of rows, in a given graph without
 * cycles (docs/effects.md).
 *
 * Each variable is x_j = f_j(its causes, its disturbance).  To answer "what if x were 3": every row keeps its own
 * disturbances (abduction), x is set (action), and the variables that x reaches are computed anew, causes first
 * (prediction).  A new value is a weighted mean of two estimates: by the fitted mechanism, which is inverted in its
 * disturbance (mechanism/curve.h), and by a regression of location and scale (effect_regress.h).
 *
 * How to use it: effect_model_new fits once; then any number of calls of effect_answer, effect_rows and effect_table.
 * Each of these makes the model's bootstrap samples in one pass and shares them among all its questions: ask many
 * questions in one call.  The functions only read the model, so several threads may call them at once.
 *
 * Variables are the user's columns, values are in the user's units, and rows are canonical rows of the data set
 * (data->input_row maps them).  Intervals are NaN without bootstrap samples.
 */
#ifndef TASKS_EFFECT_EFFECT_H
#define TASKS_EFFECT_EFFECT_H

#include "data/dataset.h"

/* ---- options ---------------------------------------------------------------------------------------------------- */

typedef struct effect_options {
    int64_t draws;        /* bootstrap samples, 0 (no intervals) or at least 20; default 100 */
    double level;         /* of intervals; default .95 */
    int64_t seed;         /* of bootstrap samples; default 1 */
    int threads;          /* at most; 0: all cores.  Results are the same for any number */
    int64_t block_length; /* rows that follow one another in time: blocks of this length are independent; 0: found from
                             the data; 1 (default): every row stands for itself */
    int64_t draw_rows;    /* rows that are computed anew in each bootstrap sample, drawn evenly from all segments; the
                             others count with the full fit's values; default 500, 0: all */
} effect_options;
effect_options effect_options_default(void);

/* ---- the model -------------------------------------------------------------------------------------------------- */

typedef struct effect_model effect_model;

/*
 * Fits a mechanism and a regression of each variable on its causes.  edge (d, d), row-major in the user's columns:
 * edge[i * d + j] says that i causes j.  A cycle, missing values and data without segments are errors.  The data set
 * must outlive the model.  Cost: for each variable one fit per number of causes up to its own, as `discover` makes
 * them.
 */
nonsens_status effect_model_new(nonsens_context *ctx, const nonsens_data *data, const bool *edge,
                                const effect_options *options, effect_model **out);
/* Frees a model; NULL is fine. */
void effect_model_free(effect_model *model);

/* Says whether a directed path leads from one variable to another; true for the variable itself. */
bool effect_has_path(const effect_model *model, int64_t from, int64_t to);

/* ---- questions -------------------------------------------------------------------------------------------------- */

typedef enum effect_kind {
    EFFECT_SET,  /* the variable gets this value in all rows */
    EFFECT_SHIFT /* this is added to the variable, after what the other changes do to it */
} effect_kind;

typedef struct effect_change {
    int64_t variable;
    effect_kind kind;
    double value;
} effect_change;

enum { EFFECT_ALL_SEGMENTS = -1 };

/* Changes that are made together, at most one of each variable. */
typedef struct effect_scenario {
    int64_t changes;
    const effect_change *change; /* (changes) */
    int64_t segment;             /* whose rows, hence whose disturbances; or EFFECT_ALL_SEGMENTS */
} effect_scenario;

/* An estimate with its interval. */
typedef struct effect_value {
    double value, low, high;
} effect_value;

enum { EFFECT_QUANTILES = 5 };
extern const double EFFECT_QUANTILE[EFFECT_QUANTILES]; /* .05, .25, .5, .75, .95 */

/* A distribution of a variable over rows. */
typedef struct effect_distribution {
    effect_value mean, quantile[EFFECT_QUANTILES]; /* quantile[2] is the median */
} effect_distribution;

/* What a scenario does to one variable. */
typedef struct effect_answer {
    bool has_path; /* from a changed variable; if not, the changes have no effect: differences are exactly 0 */
    effect_distribution now;        /* of the rows as they are; intervals are those of the sampling of rows */
    effect_distribution then;       /* under the changes */
    effect_distribution difference; /* `then` minus `now`: of the means, and of each quantile */
} effect_answer;

/*
 * Answers, for each scenario, what it does to each variable of outcome (outcomes): answer (scenarios, outcomes), row by
 * row.  A variable or segment that does not exist, a value that is not finite and a variable that is changed twice are
 * errors.  Values outside of the range of the data are computed as if at its ends; the caller judges the support.
 */
nonsens_status effect_answer_scenarios(nonsens_context *ctx, const effect_model *model, int64_t scenarios,
                                       const effect_scenario *scenario, int64_t outcomes, const int64_t *outcome,
                                       effect_answer *answer);

/*
 * Computes what the variables of some rows would be: value (rows, d), row by row in the user's columns; low and high
 * the same with the ends of intervals, or NULL.  `segment` of the scenario is not used.
 */
nonsens_status effect_rows(nonsens_context *ctx, const effect_model *model, const effect_scenario *scenario,
                           int64_t rows, const int64_t *row, double *value, double *low, double *high);

/* ---- all effects ------------------------------------------------------------------------------------------------ */

/*
 * Effects per interquartile step: the mean of the effect if the cause is at its upper quartile in all rows, minus that
 * if it is at its lower quartile.  Total: all variables on the way follow.  Direct: the other causes of the effect stay
 * as observed; 0 unless there is an edge.  Divided by sd of the effect they are standardised.
 */
typedef struct effect_table {
    int64_t d;
    double *lower, *upper, *sd;   /* (d) quartiles, standard deviation over all rows */
    effect_value *total, *direct; /* (d, d) row by row: of the row's variable on the column's */
} effect_table;

/* Computes all effects; memory of *out from `a`. */
nonsens_status effect_table_new(nonsens_context *ctx, arena *a, const effect_model *model, effect_table *out);

#endif
