/*
 * skeleton_test.h - ready-made tests for skeleton.h: any tester of indep/ci.h, and Fisher's z straight from correlation
 * matrices, without the tester's memory and lock.
 *
 * Both give the same p-value, bit for bit, if nodes are in the order of the tester's ranks.
 */
#ifndef GRAPH_SKELETON_TEST_H
#define GRAPH_SKELETON_TEST_H

#include "graph/skeleton.h"
#include "indep/ci.h"
#include "indep/fisher_z.h"

/* The tester, and the variable of each node in it (NULL: node i is variable i). */
typedef struct skeleton_ci {
    ci_tester *tester;
    const int64_t *variable;
} skeleton_ci;

typedef struct skeleton_fisher_z {
    const fisher_z_data *data;
    const int64_t *variable; /* column of a node; NULL: node i is column i */
} skeleton_fisher_z;

/* Asks the tester: a skeleton_test_fn whose state is a skeleton_ci. */
nonsens_status skeleton_ask_ci(nonsens_context *ctx, arena *scratch, void *state, int64_t x, int64_t y, int64_t count,
                               const int64_t *given, double *p_value);
/* Computes Fisher's z: a skeleton_test_fn whose state is a skeleton_fisher_z. */
nonsens_status skeleton_ask_fisher_z(nonsens_context *ctx, arena *scratch, void *state, int64_t x, int64_t y,
                                     int64_t count, const int64_t *given, double *p_value);

#endif
