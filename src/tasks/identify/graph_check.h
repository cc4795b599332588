/*
 * graph_check.h - tests a graph against the data: the independences that it implies, and the independence of the
 * disturbances of its mechanisms.
 *
 * Independences: for a and b that are not adjacent, a before b in an order of the graph, a is independent of b given
 * the causes of b (local Markov property), inside every segment.  With hidden common causes some of these do not
 * follow; only those that m-separation gives are tested (Richardson, Spirtes, Annals of Statistics 30, 2002).
 *
 * Disturbances: those of a and b are independent inside segments unless a and b have a hidden common cause.
 *
 * The p-values of one kind are judged together by Holm's rule (Scand. J. Statist. 6, 1979).  A graph that passes is not
 * proved: tests with few rows, or with many given variables, have little power; and graphs that imply the same
 * independences all pass.
 */
#ifndef TASKS_IDENTIFY_GRAPH_CHECK_H
#define TASKS_IDENTIFY_GRAPH_CHECK_H

#include "base/matrix.h"
#include "graph/skeleton.h"
#include "indep/ci.h"
#include "indep/hsic.h"
#include "tasks/identify/identify.h"

enum { GRAPH_CHECK_MAX_TESTS = 200 };

typedef struct graph_check_pair {
    int64_t a, b;         /* nodes; a is not a descendant of b */
    int64_t count;        /* number of given nodes */
    const int64_t *given; /* (count) the causes of b, in the order of names */
    double p_value;       /* NaN: the test could not be made */
    double adjusted;      /* by Holm's rule, at most 1 */
} graph_check_pair;

typedef struct graph_check {
    graph_check_pair *pair; /* (tests + unmade) by p-value, the smallest first, then by name */
    int64_t tests;          /* number that gave a p-value */
    int64_t failed;         /* number with an adjusted p-value of at most alpha: the first of `pair` */
    int64_t unmade;         /* number not made: too few rows, or a variable is a function of what is given */
    int64_t omitted;        /* number beyond max_tests: those with the most given variables */
    int64_t not_implied;    /* pairs that are not adjacent, but not separated by the causes either */
    const char *sentence;   /* what was found */
} graph_check;

typedef struct graph_check_options {
    double alpha;
    int64_t max_tests;
    int threads;
} graph_check_options;

/*
 * Tests the independences that a DAG (identify_first_dag) implies, by a test on its nodes (skeleton.h); a test whose
 * p-value is NaN counts as not made.  Memory of *out comes from `keep`.
 */
nonsens_status graph_check_independences(nonsens_context *ctx, arena *keep, const identify_graph *dag,
                                         skeleton_test_fn test, void *state, const graph_check_options *options,
                                         graph_check *out);

/*
 * Asks a tester, which should use TEST_AUTO: partial correlations contradict most true graphs if mechanisms are not
 * linear (docs/identification.md).  This is a skeleton_test_fn whose state is a skeleton_ci (skeleton_test.h); p is NaN
 * if the test could not be made.
 */
nonsens_status graph_check_ask_ci(nonsens_context *ctx, arena *scratch, void *state, int64_t x, int64_t y,
                                  int64_t count, const int64_t *given, double *p_value);

/*
 * Tests pairs of disturbances inside segments by HSIC.  disturbance (n, d): column j is that of node j, NaN in all rows
 * of segments in which it is not known; hsic: how to test.  `given` of the pairs is empty.
 */
nonsens_status graph_check_disturbances(nonsens_context *ctx, arena *keep, const identify_graph *dag,
                                        matrix disturbance, const row_groups *segments, const hsic_options *hsic,
                                        const graph_check_options *options, graph_check *out);

#endif
