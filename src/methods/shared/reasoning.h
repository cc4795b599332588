/*
 * reasoning.h - the reasoning of a method from the data to its answer, for those who want to follow it.
 *
 * A method may add its own steps by result_reason while it runs.  If it adds none, each piece of evidence with a
 * p-value is a step.
 */
#ifndef METHODS_SHARED_REASONING_H
#define METHODS_SHARED_REASONING_H

#include "methods/shared/method.h"

/* Adds the first steps, before the method runs: what was read and asked, and how the method works. */
nonsens_status reasoning_begin(nonsens_context *ctx, const method *m, nonsens_result *result);

/* Adds the last steps, once the decision and the edges are known: the conclusion. */
nonsens_status reasoning_end(nonsens_context *ctx, nonsens_result *result);

/* Writes a p-value for use in a sentence: "p = 0.03", or "p < 0.001" below P_VALUE_BOUND; nothing if it is NaN. */
enum { REASONING_P_BYTES = 48, REASONING_DIGITS = 3 };
const char *reasoning_p(char out[REASONING_P_BYTES], double p_value);

#endif
