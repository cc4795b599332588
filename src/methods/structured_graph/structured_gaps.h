/*
 * structured_gaps.h - data with missing values: the rows that a fit uses, and those on which fits are compared.
 *
 * A mechanism is fitted to the rows that have the variable and its causes; nothing is imputed.  Fits of different
 * causes then rest on different rows, whose totals cannot be compared: rows that are easy to predict would count for
 * the fit that happens to have them.  So whatever a move of the search changes is compared on the rows that have all
 * variables that it concerns, with the causes before and after it; their mean stands for all rows.  Sums of log
 * densities are kept for each cell, the rows of one group with the same values missing, so that any such comparison is
 * a sum over cells.
 *
 * Such comparisons are not differences of one score, so moves might lead back to a graph: the search stores its graphs.
 */
#ifndef METHODS_STRUCTURED_GRAPH_STRUCTURED_GAPS_H
#define METHODS_STRUCTURED_GRAPH_STRUCTURED_GAPS_H

#include "methods/structured_graph/structured_search.h"

/* Deals rows to cells, if values are missing; else groups are the cells.  s->group_of must be known. */
nonsens_status gaps_new(nonsens_context *ctx, arena *a, structured_scores *s);

/* Says whether a row has the variable and its causes (nodes). */
bool gaps_row_has(const structured_scores *s, int64_t row, int64_t effect, int64_t causes, const int64_t *cause);

/* Finds the rows of a part that have the variable and its causes; *out is `rows` if all have. */
nonsens_status gaps_rows(nonsens_context *ctx, arena *a, const structured_scores *s, const mechanism_data *rows,
                         int64_t effect, int64_t causes, const int64_t *cause, const mechanism_data **out);

/* Computes what the fit of some causes scores in each fold of `rows`, total (folds), by the fits without the folds. */
nonsens_status gaps_fold_totals(nonsens_context *ctx, arena *scratch, const mechanism_data *rows, int64_t effect,
                                int64_t causes, const int64_t *cause, const double *theta, double *total);

/* Scales totals and losses of a fit from the rows that have all of its variables to all rows. */
void gaps_scale(const structured_scores *s, int64_t effect, int64_t causes, const int64_t *cause,
                structured_part *part);

/* Computes what some variables gain when their fits change, on the rows that have all variables of all fits. */
structured_gain gaps_gain(const structured_scores *s, int effects, const structured_score *const *now,
                          const structured_score *const *then);

/* Puts NaN in v (n), what a fit computed, at the rows that lack the variable or a cause. */
void gaps_mark_rows(const structured_scores *s, int64_t effect, int64_t causes, const int64_t *cause, double *v);

/* Tests x and y (n) for independence inside segments, on the rows at which both are numbers. */
nonsens_status gaps_test(nonsens_context *ctx, arena *scratch, const structured_scores *s, const double *x,
                         const double *y, const hsic_options *options, double *p_value);

/* Sets *out to a copy of the user's column j with NaN where values are missing. */
nonsens_status gaps_restore_column(nonsens_context *ctx, arena *a, const nonsens_data *data, int64_t j,
                                   const double **out);

#endif
