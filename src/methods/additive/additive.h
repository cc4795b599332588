/*
 * additive.h - what methods that assume additive noise, effect = f(cause) + noise, have in common: regress each
 * variable on the other, test what is left over against the regressor in both directions, decide.
 */
#ifndef METHODS_ADDITIVE_ADDITIVE_H
#define METHODS_ADDITIVE_ADDITIVE_H

#include "data/dataset.h"
#include "indep/hsic.h"
#include "methods/shared/result.h"

/* residual (n) = what a regression of the effect on the cause, both standardised, leaves over. */
typedef nonsens_status (*additive_regress_fn)(nonsens_context *ctx, arena *scratch, int64_t n, const double *cause,
                                              const double *effect, double *residual);

/* One direction: this variable causes the other. */
typedef struct additive_way {
    double *residual; /* (n) of the other variable */
    double left;      /* share of its variance that the regression leaves over */
    hsic_result test; /* of the residual against this variable */
    double log_p;     /* as additive_log_p says */
    bool determined;  /* nothing is left over but rounding, so that nothing can be tested */
} additive_way;

typedef struct additive {
    const nonsens_data *pair;
    int64_t n;
    double *z[2]; /* (n) the variables standardised, in the columns' canonical order */
    int64_t whole[2];
    row_groups groups;   /* inside which tests are made */
    additive_way way[2]; /* [k]: variable k, in canonical order, is the cause */
    hsic_result plain;   /* of one variable against the other */
} additive;

/* What a method says in its own words; each a sentence. */
typedef struct additive_words {
    const char *regression;  /* "linear regression": stands in a sentence */
    const char *both, *none; /* why no direction is decided where both pass, and where none does */
} additive_words;

/*
 * Logarithm of the p-value of an HSIC test, finite and comparable where the p-value itself is 0 or the least that so
 * many permutations can give: then by the moments of the statistic under independence.  Its order is that of the
 * p-values.
 */
double additive_log_p(const hsic_result *test, int64_t permutations);

/* Standardises, regresses both ways, and tests; everything in `a`. */
nonsens_status additive_fit(nonsens_context *ctx, arena *a, const nonsens_data *pair, const nonsens_options *options,
                            additive_regress_fn regress, additive *out);

/* Decision, direction, score and p-value, evidence and notes. */
nonsens_status additive_judge(nonsens_context *ctx, arena *a, const additive *fit, const additive_words *words,
                              nonsens_result *result);

/* The place in canonical order of the user's variable (0 or 1). */
int additive_place(const nonsens_data *pair, int variable);

/* Does a residual (n) change over segments, in its spread or in its level? */
typedef struct additive_change {
    double spread, level; /* p-values of Levene's and of Kruskal's test; NaN if there is nothing to compare */
    double spread_ratio, level_shift; /* effects, as samples.h gives them */
} additive_change;
nonsens_status additive_changes(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const double *residual,
                                additive_change *out);

/* The same as evidence, with a note if the change contradicts noise that is the same in all segments. */
nonsens_status additive_report_change(nonsens_context *ctx, arena *scratch, const nonsens_data *pair,
                                      const double *residual, int effect, bool note, nonsens_result *result);

#endif
