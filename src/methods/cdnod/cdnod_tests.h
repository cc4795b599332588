/*
 * cdnod_tests.h - the tests of CD-NOD: variables in canonical order as nodes 0 .. d-1, the segment as node d.
 */
#ifndef METHODS_CDNOD_CDNOD_TESTS_H
#define METHODS_CDNOD_CDNOD_TESTS_H

#include "data/dataset.h"
#include "indep/ci.h"
#include "methods/cdnod/cdnod_changes.h"
#include "methods/shared/result.h"

typedef struct cdnod_tests {
    const nonsens_data *data;
    const nonsens_options *options;
    int64_t d;
    ci_tester *tester;     /* variable k is node k; tests of two variables are made inside segments */
    cdnod_modules modules; /* score is NULL until cdnod_tests_score */
} cdnod_tests;

/* Sets up the tests, each with this number of threads.  Memory comes from `a`; free the tests also if this fails. */
nonsens_status cdnod_tests_new(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                               int threads, cdnod_tests *out);
void cdnod_tests_free(cdnod_tests *t);

/* Computes normal scores of all variables, which the comparison of directions needs. */
nonsens_status cdnod_tests_score(nonsens_context *ctx, arena *a, cdnod_tests *t);

/* Compares both directions of an edge between two nodes that change. */
nonsens_status cdnod_tests_directions(nonsens_context *ctx, arena *scratch, const cdnod_tests *t,
                                      const cdnod_line *line, cdnod_dependence out[2]);

/* Adds a note if an option has no effect here. */
nonsens_status cdnod_tests_note_options(nonsens_context *ctx, const cdnod_tests *t, nonsens_result *result);

/* Report both directions, way (2), of an edge as evidence; add a note on what the permutations say about the choice. */
nonsens_status cdnod_tests_report(nonsens_context *ctx, const cdnod_tests *t, const cdnod_line *line,
                                  const cdnod_dependence *way, nonsens_result *result);
nonsens_status cdnod_tests_note(nonsens_context *ctx, const cdnod_tests *t, const cdnod_line *line, int cause,
                                const cdnod_dependence *way, nonsens_result *result);

/* Returns the name of the variable at this node. */
static inline const char *cdnod_name(const cdnod_tests *t, int64_t node)
{
    return t->data->names[t->data->column_rank[node]];
}

/* The results of the tests of a pair. */
typedef struct cdnod_pair {
    ci_result between;            /* the two variables given the segment */
    ci_result alone[2], given[2]; /* the segment and variable j, marginally and given the other */
} cdnod_pair;

/* Makes all tests of a pair. */
nonsens_status cdnod_tests_pair(nonsens_context *ctx, const cdnod_tests *t, cdnod_pair *out);

#endif
