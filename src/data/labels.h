/* labels.h - finds the segment that an option names. */
#ifndef DATA_LABELS_H
#define DATA_LABELS_H

#include "data/dataset.h"

/* Lists the segments in the natural order of their labels: 2 before 10; *order has one entry for each. */
nonsens_status labels_order(nonsens_context *ctx, arena *a, const nonsens_data *data, int64_t **order);

/* Finds the segment with this label; the message of a failure names the option --key and lists the labels. */
nonsens_status labels_find(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const char *key,
                           const char *label, int64_t *segment);

#endif
