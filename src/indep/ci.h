/*
 * ci.h - the one door to all tests of independence and conditional independence: is x independent of y given z, inside
 * each group of rows (segment)?
 *
 * A tester is opened on variables (each a scalar or a vector) and answers many questions.  It remembers answers, and
 * what questions have in common: kernel features of a variable, what a regression on a set leaves over, correlation
 * matrices.  x and y, and the variables in z, may be given in any order: the answer is the same, bit for bit.  Several
 * threads may ask one tester at once, each with a context and an arena of its own.
 *
 * A caller's own test comes in through ci_open_callback and is asked, and remembered, in the same way.
 */
#ifndef INDEP_CI_H
#define INDEP_CI_H

#include "base/matrix.h"
#include "base/memory.h"
#include "options/options.h"

/* A value beside the p-value that a reader may want to see. */
typedef struct ci_detail {
    const char *name, *text; /* static */
    double value;
    bool has_sign; /* it changes its sign where x or y does */
} ci_detail;

enum { CI_DETAILS = 2 };

typedef struct ci_result {
    double statistic, p_value;
    int64_t rows_used, segments_used, segments_skipped; /* rows_used: 0 if the test does not count them */
    int64_t min_rows;                                   /* of a segment that enters the test */
    bool by_permutation, by_signs;                      /* p_value came from permutations, or from random signs */
    bool by_callback;                                   /* a caller's own test: nothing but p_value is known */
    bool degenerate; /* nothing is left of a variable once z is known: p_value is 1 */
    int details;
    ci_detail detail[CI_DETAILS];
    const char *side_name; /* what `side` holds, and in words; NULL if there is nothing */
    const char *side_text;
    double side[2]; /* a value for x and one for y, as they were asked for */
} ci_result;

typedef struct ci_options {
    enum option_independence_test test; /* no sample test; TEST_AUTO: hsic, and kci where something is given */
    enum option_null_kind null_kind;
    int64_t permutations;
    double refine_at; /* as in hsic_options */
    int64_t seed;
    int threads;         /* of one question */
    int64_t cache_bytes; /* what is kept of features and regressions at most; 0: nothing */
    /*
     * The group of a row is one more variable, of number variables->count: a category that has no values and comes last
     * in rank.  Questions about it are put to all rows at once and answered by a kernel test (kci.h, indicators for
     * features), whatever the test of the others; all other questions are asked inside groups, so it is given there.
     */
    bool with_group;
} ci_options;

/* The variables that questions are about; rank orders them whatever their order here (NULL: as they stand). */
typedef struct ci_variables {
    int64_t count;
    const column_set *variable; /* (count), all of n rows */
    const int32_t *rank;        /* (count) */
    row_groups groups;          /* one group for a pooled test */
} ci_variables;

typedef struct ci_tester ci_tester;

ci_options ci_options_from(const nonsens_options *options);

/* The variables' values and the groups must outlive the tester. */
nonsens_status ci_new(nonsens_context *ctx, const ci_variables *variables, const ci_options *options, ci_tester **out);
nonsens_status ci_open_callback(nonsens_context *ctx, int64_t variables, nonsens_ci_fn fn, void *user, ci_tester **out);
void ci_free(ci_tester *tester);

/* x, y and given (count) are different variables. */
nonsens_status ci_test(nonsens_context *ctx, ci_tester *tester, int64_t x, int64_t y, int64_t count,
                       const int64_t *given, ci_result *out);

/* Questions asked so far, and how many of them were answered from memory. */
void ci_counts(ci_tester *tester, int64_t *asked, int64_t *remembered);

#endif
