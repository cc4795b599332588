/*
 * ci.h - the one interface to all tests of independence and conditional independence: is x independent of y given z,
 * inside each group of rows (segment)?
 *
 * A tester is opened on variables (each a scalar or a vector) and answers many questions.  It remembers answers and
 * what several questions need: kernel features of a variable, residuals of a regression, correlation matrices.  x and
 * y, and the variables in z, may be given in any order: the answer is the same, bit for bit.  Several threads may ask
 * one tester at once, each with its own context and arena.
 *
 * ci_open_callback opens a tester on a caller's own test, whose answers are remembered in the same way.
 */
#ifndef INDEP_CI_H
#define INDEP_CI_H

#include "base/matrix.h"
#include "base/memory.h"
#include "options/options.h"

/* A value that a reader may want to see besides the p-value. */
typedef struct ci_detail {
    const char *name, *text; /* static */
    double value;
    bool has_sign; /* its sign changes with that of x or y */
} ci_detail;

enum { CI_DETAILS = 2 };

typedef struct ci_result {
    double statistic, p_value;
    int64_t rows_used, segments_used, segments_skipped; /* rows_used: 0 if the test does not count them */
    int64_t min_rows;                                   /* that a segment needs to enter the test */
    bool by_permutation, by_signs;                      /* p_value came from permutations, or from random signs */
    bool by_shifts;                                     /* p_value came from shifts in time */
    bool by_callback;                                   /* a caller's own test: nothing but p_value is known */
    bool degenerate;                                    /* z determines x or y: p_value is 1 */
    int details;
    ci_detail detail[CI_DETAILS];
    const char *side_name; /* what `side` holds, by name and in words; NULL if it holds nothing */
    const char *side_text;
    double side[2]; /* one value for x and one for y, in the order of the call */
} ci_result;

typedef struct ci_options {
    enum option_independence_test test; /* no k-sample test; TEST_AUTO: hsic, or kci if variables are given */
    enum option_null_kind null_kind;
    int64_t permutations;
    double refine_at; /* as in hsic_options */
    int64_t seed;
    int threads;         /* for one question */
    int64_t cache_bytes; /* at most this many bytes of features and regressions are kept; 0: none */
    /* As in hsic_options; only for questions that HSIC answers, others are refused. */
    const int64_t *time_order;
    int64_t min_shift;
    double memory;
    /*
     * Adds the group of a row as a variable with index variables->count: a category without values, last in rank.
     * Questions about it use all rows at once and a kernel test with indicators as features (kci.h), whatever `test`
     * is.  All other questions are tested inside groups, that is, given the group.
     */
    bool with_group;
} ci_options;

/* The variables that questions are about; rank gives their canonical order (NULL: the order here). */
typedef struct ci_variables {
    int64_t count;
    const column_set *variable; /* (count), all of n rows */
    const int32_t *rank;        /* (count) */
    row_groups groups;          /* one group for a pooled test */
} ci_variables;

typedef struct ci_tester ci_tester;

/* Copies what a tester needs from the user's options. */
ci_options ci_options_from(const nonsens_options *options);

/* Opens a tester on variables; their values and the groups must outlive it. */
nonsens_status ci_new(nonsens_context *ctx, const ci_variables *variables, const ci_options *options, ci_tester **out);
/* Opens a tester that calls the caller's own test. */
nonsens_status ci_open_callback(nonsens_context *ctx, int64_t variables, nonsens_ci_fn fn, void *user, ci_tester **out);
/* Frees a tester; NULL is fine. */
void ci_free(ci_tester *tester);

/* Tests x and y given the variables `given` (count); all of them must be different. */
nonsens_status ci_test(nonsens_context *ctx, ci_tester *tester, int64_t x, int64_t y, int64_t count,
                       const int64_t *given, ci_result *out);

/* Counts the questions asked so far, and how many of them were answered from memory. */
void ci_counts(ci_tester *tester, int64_t *asked, int64_t *remembered);

#endif
