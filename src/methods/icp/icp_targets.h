/* icp_targets.h - searches for causes without the segments that intervened on their effect (--targets). */
#ifndef METHODS_ICP_ICP_TARGETS_H
#define METHODS_ICP_ICP_TARGETS_H

#include "methods/icp/icp_sets.h"
#include "methods/shared/result.h"

/*
 * Does what icp_search does; a target that some segments fixed or changed is tested without them if at least two others
 * remain, with a note.  all: the data with all segments.
 */
nonsens_status icp_search_without_hits(nonsens_context *ctx, arena *a, const nonsens_data *data, nonsens_result *result,
                                       double level, const icp_data *all, int64_t targets, icp_target *target);

#endif
