/*
 * additive.h - what methods that assume additive noise, effect = f(cause) + noise, have in common: they regress each
 * variable on the other, test the residual against the regressor in both directions, and decide.
 */
#ifndef METHODS_ADDITIVE_ADDITIVE_H
#define METHODS_ADDITIVE_ADDITIVE_H

#include "data/dataset.h"
#include "indep/hsic.h"
#include "methods/shared/result.h"

/* Computes the residual (n) of a regression of the effect on the cause, both standardised. */
typedef nonsens_status (*additive_regress_fn)(nonsens_context *ctx, arena *scratch, int64_t n, const double *cause,
                                              const double *effect, double *residual);

/* One direction: this variable causes the other. */
typedef struct additive_way {
    double *residual; /* (n) of the other variable */
    double left;      /* share of its variance that the regression does not explain */
    hsic_result test; /* of the residual against this variable */
    double log_p;     /* from additive_log_p */
    bool determined;  /* only rounding error is left, so there is nothing to test */
} additive_way;

typedef struct additive {
    const nonsens_data *pair;
    int64_t n;
    double *z[2]; /* (n) the variables standardised, in the columns' canonical order */
    int64_t whole[2];
    row_groups groups;   /* tests are made inside them */
    additive_way way[2]; /* [k]: variable k, in canonical order, is the cause */
    hsic_result plain;   /* of one variable against the other */
} additive;

/* The method's own words in the report. */
typedef struct additive_words {
    const char *regression;  /* "linear regression", for use in a sentence */
    const char *both, *none; /* sentences: why no direction is decided if both pass, and if neither does */
} additive_words;

/*
 * Returns the logarithm of the p-value of an HSIC test.  If the p-value is 0, or the smallest that the permutations can
 * give, it comes from the moments of the statistic under independence, so that it is finite and can be compared.
 */
double additive_log_p(const hsic_result *test, int64_t permutations);

/* Standardises, regresses in both directions and tests; memory comes from `a`. */
nonsens_status additive_fit(nonsens_context *ctx, arena *a, const nonsens_data *pair, const nonsens_options *options,
                            additive_regress_fn regress, additive *out);

/* Fills in decision, direction, score and p-value, evidence and notes. */
nonsens_status additive_judge(nonsens_context *ctx, arena *a, const additive *fit, const additive_words *words,
                              nonsens_result *result);

/* Returns the index in canonical order of the user's variable (0 or 1). */
int additive_place(const nonsens_data *pair, int variable);

/* How a residual (n) changes over segments, in its spread or in its level. */
typedef struct additive_change {
    double spread, level; /* p-values of Levene's and of Kruskal's test; NaN if there is nothing to compare */
    double spread_ratio, level_shift; /* effects, as samples.h gives them */
} additive_change;
/* Tests whether a residual changes over segments. */
nonsens_status additive_changes(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const double *residual,
                                additive_change *out);

/* Reports these tests as evidence, with a note if the change contradicts noise that is the same in all segments. */
nonsens_status additive_report_change(nonsens_context *ctx, arena *scratch, const nonsens_data *pair,
                                      const double *residual, int effect, bool note, nonsens_result *result);

#endif
