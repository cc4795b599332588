/*
 * effect.h - what would happen: effects of changing variables, and counterfactuals of rows, in a given graph without
 * cycles (docs/effects.md).
 *
 * Each variable is x_j = f_j(its causes, its disturbance).  To answer "what if x were 3": every row keeps its own
 * disturbances (abduction), x is set (action), and the variables that x reaches are recomputed, causes first
 * (prediction).  A new value is a weighted mean of two estimates: by the fitted mechanism, which is inverted in its
 * disturbance (mechanism/curve.h), and by a regression of location and scale (effect_regress.h).
 *
 * Use: effect_model_new fits once; then call effect_answer_scenarios, effect_rows and effect_table_new any number of
 * times.  Each call makes the bootstrap samples in one pass and shares them among all its questions, so ask many
 * questions in one call.  These functions only read the model, so several threads may call them at once.
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
    int threads;          /* at most this many; 0: all cores.  Results are the same for any number */
    int64_t block_length; /* for rows that follow one another in time: blocks of this length are independent; 0: found
                             from the data; 1 (default): rows are independent */
    int64_t draw_rows;    /* rows that are recomputed in each bootstrap sample, drawn evenly from all segments; other
                             rows count with the values of the full fit; default 500, 0: all */
} effect_options;
effect_options effect_options_default(void);

/* ---- the model -------------------------------------------------------------------------------------------------- */

typedef struct effect_model effect_model;

/*
 * Fits a mechanism and a regression of each variable on its causes.  edge (d, d), row-major in the user's columns:
 * edge[i * d + j] says that i causes j.  A cycle, missing values and data without segments are errors.  The data set
 * must outlive the model.  Cost: for each variable with k causes, k fits as in `discover`, with 1 to k causes.
 */
nonsens_status effect_model_new(nonsens_context *ctx, const nonsens_data *data, const bool *edge,
                                const effect_options *options, effect_model **out);
/* Frees a model; NULL is allowed. */
void effect_model_free(effect_model *model);

/* Returns whether a directed path leads from one variable to another; true for the variable itself. */
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
    int64_t segment;             /* whose rows and disturbances are used; or EFFECT_ALL_SEGMENTS */
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
    bool has_path;                  /* a path leads here from a changed variable; if not, differences are exactly 0 */
    effect_distribution now;        /* in the rows as they are; intervals are those of the sampling of rows */
    effect_distribution then;       /* under the changes */
    effect_distribution difference; /* `then` minus `now`: of the means, and of each quantile */
} effect_answer;

/*
 * Answers what each scenario does to each variable of outcome (outcomes); answer (scenarios, outcomes), row by row.  A
 * variable or segment that does not exist, a value that is not finite and a variable that is changed twice are errors.
 * Causes outside the range of the data count as if they were at its ends; the caller judges the support.
 */
nonsens_status effect_answer_scenarios(nonsens_context *ctx, const effect_model *model, int64_t scenarios,
                                       const effect_scenario *scenario, int64_t outcomes, const int64_t *outcome,
                                       effect_answer *answer);

/*
 * Computes what the variables of some rows would be: value (rows, d), row by row in the user's columns.  low and high,
 * with the ends of intervals, have the same shape or are NULL.  `segment` of the scenario is not used.
 */
nonsens_status effect_rows(nonsens_context *ctx, const effect_model *model, const effect_scenario *scenario,
                           int64_t rows, const int64_t *row, double *value, double *low, double *high);

/* ---- all effects ------------------------------------------------------------------------------------------------ */

/*
 * Effects per interquartile step: the mean of the effect if the cause is at its upper quartile in all rows, minus that
 * if it is at its lower quartile.  Total: all variables on the way follow.  Direct: the other causes of the effect stay
 * as observed; 0 without an edge.  Division by the sd of the effect standardises them.
 */
typedef struct effect_table {
    int64_t d;
    double *lower, *upper, *sd;   /* (d) quartiles, standard deviation over all rows */
    effect_value *total, *direct; /* (d, d) row by row: of the variable of the row on that of the column */
} effect_table;

/* Computes all effects; memory of *out comes from `a`. */
nonsens_status effect_table_new(nonsens_context *ctx, arena *a, const effect_model *model, effect_table *out);

#endif
