/*
 * shard.h - divides the units of a run into parts that run separately, such as the jobs of a scheduler.
 *
 * Shard I of N (option `shard`) has every N-th unit from the I-th on.  It writes only its journal; `nonsens merge`
 * joins the journals of all shards, and a run without `shard` resumes from the merged journal.
 */
#ifndef POOL_SHARD_H
#define POOL_SHARD_H

#include "options/options.h"

typedef struct shard {
    int64_t index, count; /* from 0 */
} shard;

/* Reads "I/N"; "" is a single shard that has all units. */
nonsens_status shard_read(nonsens_context *ctx, const char *text, shard *out);
/* Returns whether the shard has the unit with this number, counted from 0. */
bool shard_has(shard s, int64_t unit);

#endif
