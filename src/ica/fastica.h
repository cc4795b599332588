/* fastica.h - FastICA with the caller's limits, for comparisons with other implementations (bench/fastica.c). */
#ifndef ICA_FASTICA_H
#define ICA_FASTICA_H

#include "ica/ica_internal.h"

typedef struct ica_fastica_limits {
    double tolerance; /* stop when 1 - |cosine| of the last step is below this for every source */
    int max_iterations;
} ica_fastica_limits;

/* Runs only the search: turns data and rotation (d, d), sets out's objective, iterations, converged, not the gap. */
nonsens_status ica_fastica_within(nonsens_context *ctx, arena *a, ica_data *data, const ica_options *options,
                                  const ica_fastica_limits *limits, double *rotation, ica_result *out);

#endif
