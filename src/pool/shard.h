/*
 * shard.h - cuts the units of a run into parts that run apart, as the jobs of a scheduler.
 *
 * Shard I of N (option `shard`) has every N-th unit from the I-th on.  It writes its journal only; `nonsens merge`
 * joins the journals of all shards, and the run without `shard` resumes from that.
 */
#ifndef POOL_SHARD_H
#define POOL_SHARD_H

#include "options/options.h"

typedef struct shard {
    int64_t index, count; /* from 0 */
} shard;

/* Reads "I/N"; "" is the one shard that has all units. */
nonsens_status shard_read(nonsens_context *ctx, const char *text, shard *out);
/* Says whether the shard has the unit of this number, counted from 0. */
bool shard_has(shard s, int64_t unit);

#endif
