/*
 * reasoning.h - the reasoning of a method from the data to its answer, for those who want to follow it.
 *
 * A method may add steps of its own by result_reason while it runs; for one that does not, each piece of evidence with
 * a p-value is a step.
 */
#ifndef METHODS_SHARED_REASONING_H
#define METHODS_SHARED_REASONING_H

#include "methods/shared/method.h"

/* What was read and asked, and how the method goes about it; before the method runs. */
nonsens_status reasoning_begin(nonsens_context *ctx, const method *m, nonsens_result *result);

/* What follows; once the decision and the edges are there. */
nonsens_status reasoning_end(nonsens_context *ctx, nonsens_result *result);

/* "p-value 0.03", "p-value below 1e-300"; empty if there is none. */
enum { REASONING_P_BYTES = 48, REASONING_DIGITS = 3 };
const char *reasoning_p(char out[REASONING_P_BYTES], double p_value);

#endif
