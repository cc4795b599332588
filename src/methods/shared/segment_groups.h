/*
 * segment_groups.h - puts many segments with few rows into a few groups of segments that look alike.
 *
 * A row's group is found from the *other* rows of its segment.  Given the segment, the row and its group are therefore
 * independent, as the row and its segment are, and a classifier of the group has the structure of a classifier of the
 * segment (docs/structured.md, section 6c).  Rows of one segment may be in different groups, and they depend on one
 * another through their groups: tests must treat a segment as one block.
 */
#ifndef METHODS_SHARED_SEGMENT_GROUPS_H
#define METHODS_SHARED_SEGMENT_GROUPS_H

#include "base/memory.h"

typedef struct segment_groups_input {
    int64_t n, segments;
    const double *warped[2]; /* (n) in [0, 1], rows sorted by segment */
    const int64_t *start;    /* (segments + 1) */
    const int32_t *unit_of;  /* (n) rows of a segment with the same unit are left out together; NULL: each row alone */
    int64_t units;
    const int32_t *fold; /* (segments) */
    int64_t folds, seed;
} segment_groups_input;

/* Returns the largest number of groups that are made from n rows in this many segments. */
int64_t segment_groups_wanted(int64_t n, int64_t segments);

/* Sets group (n) to 0 .. *count - 1; every group has enough rows outside each fold. */
nonsens_status segment_groups_find(nonsens_context *ctx, const segment_groups_input *in, int32_t *group,
                                   int64_t *count);

#endif
