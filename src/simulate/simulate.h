/*
 * simulate.h - data with known causes: the paper's layered generator and our node generator, with every violation of
 * the model's assumptions that the methods must cope with.
 */
#ifndef SIMULATE_SIMULATE_H
#define SIMULATE_SIMULATE_H

#include "base/matrix.h"
#include "base/memory.h"
#include "options/options.h"

enum simulate_hit { HIT_NONE, HIT_FIXED, HIT_CHANGED };
enum simulate_truth_kind { TRUTH_DAG, TRUTH_CYCLIC, TRUTH_INDEPENDENT, TRUTH_CONFOUNDED };

struct nonsens_simulation {
    arena memory; /* owns everything below */
    nonsens_options options;
    int64_t n, d, segments;
    matrix x;               /* (n, d) observed, columns in shuffled order */
    matrix source;          /* (n, d) the disturbance N_j of column j, in the same column order */
    matrix modulation;      /* (segments, d) scale of N_j in each segment */
    int32_t *segment;       /* (n) */
    char **names;           /* (d) x1, x2, ... in column order */
    bool *edge;             /* (d, d) row-major: edge[i * d + j] means i -> j (row is the cause) */
    bool *has_hidden_cause; /* (d) the hidden variable of --confounded causes it: two of them, or none */
    enum simulate_truth_kind kind;
    int64_t *target;        /* (segments) with --interventions: the column that was hit, or -1; otherwise NULL */
    enum simulate_hit *hit; /* (segments) how */
    int64_t broken;         /* with --fault: the column whose disturbance has another scale in the last segment */
};

#endif
