/* audit_linear.h - the part of the audit that looks for duplicated and collinear columns. */
#ifndef DATA_AUDIT_LINEAR_H
#define DATA_AUDIT_LINEAR_H

#include "data/dataset.h"

/* Adds a warning for every column that repeats another or is a linear combination of others.  O(n d^2). */
nonsens_status audit_linear(nonsens_context *ctx, arena *scratch, nonsens_data *data);

#endif
