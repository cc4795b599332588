/*
 * structured_share.h - lets other processes make fits of mechanisms, and a journal store them.
 *
 * The search runs in one process.  A fit depends on the data, the variable, its causes, the interventions on it and the
 * fit that it starts from; its task (pool/pool.h) has the last four:
 *
 *     {"effect", "cause": [...], "version", "kind", "start": {"cause": [...], "parts": [...]}}
 *
 * and its line has the fit, each part as packed doubles (json_packed):
 *
 *     {"options": "fit VERSION CAUSES", "seed": EFFECT, "start": HASH, "parts": [...]}
 */
#ifndef METHODS_STRUCTURED_GRAPH_STRUCTURED_SHARE_H
#define METHODS_STRUCTURED_GRAPH_STRUCTURED_SHARE_H

#include "methods/structured_graph/structured_scores.h"
#include "json/json.h"

#include <pthread.h>

/* Makes the `count` fits of the wave (scores_settle) that the journal lacks, and appends them to it. */
nonsens_status share_wave(nonsens_context *ctx, structured_scores *s, int64_t count, const char *phase);

/* A table that makes fits from their tasks, several at a time. */
typedef struct share_table {
    structured_scores *scores;
    pthread_mutex_t *preparing; /* guards parts and versions, which all fits share */
} share_table;

/* Makes the line of a task. */
nonsens_status share_make(nonsens_context *ctx, arena *scratch, const share_table *table, const json_value *task,
                          json_value **line);

/* Returns a fit that is made, for share_take in another process; NULL if out of memory. */
json_value *share_give(const structured_scores *s, int64_t effect, int64_t causes, const int64_t *cause);
/* Takes over a fit of another process in place of making it. */
nonsens_status share_take(nonsens_context *ctx, structured_scores *s, const json_value *fit);

#endif
