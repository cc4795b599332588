/*
 * pairs.h - decides the direction of each of many pairs of variables.
 *
 *     list (all, or a file) -> pairs that the journal lacks -> one line of JSON each -> q-values -> JSON lines, text
 *
 * Only a few values of a pair are kept in memory; its line is in the journal, or in memory if there is no journal.
 */
#ifndef TASKS_PAIRS_PAIRS_H
#define TASKS_PAIRS_PAIRS_H

#include "data/dataset.h"
#include "methods/shared/method.h"
#include "pool/unit_lines.h"

struct nonsens_pairs {
    arena memory; /* owns everything below */
    nonsens_options options;
    const method *method;
    int64_t variables, rows, segments;
    char **names; /* (variables) */
    uint64_t data_hash;
    int64_t count;
    nonsens_pair *pair; /* (count) */
    int *arrow;         /* (count) the decision: 1 for x->y, -1 for y->x, 0 for neither */
    unit_lines lines;   /* one for each pair */
};

/* Fills in count, and x and y of each pair: all pairs, or those in the file that the options name, in its order. */
nonsens_status pairs_list(nonsens_context *ctx, const nonsens_data *data, nonsens_pairs *pairs);

/* ---- lines (pairs_keep.c) ---- */

/* Keeps lines while pairs are run; one caller at a time. */
typedef struct pairs_sink {
    nonsens_pairs *pairs;
    int64_t *sorted;      /* (count) pairs by (x, y) */
    nonsens_context *ctx; /* of the current call */
    unit_sink lines;
} pairs_sink;

/* Takes finished lines from the journal; returns an error if it belongs to other data or options. */
nonsens_status pairs_sink_new(nonsens_context *ctx, arena *scratch, const nonsens_data *data, nonsens_pairs *pairs,
                              pairs_sink *out);
/* Sets the hash of what lines depend on; it must be the same in all processes of a run. */
nonsens_status pairs_set_key(nonsens_context *ctx, const nonsens_data *data, const nonsens_pairs *pairs);
/* Keeps a line and takes ownership of it; the line is incomplete or NULL if memory ran out. */
nonsens_status pairs_keep(nonsens_context *ctx, pairs_sink *sink, int64_t index, json_value *line);
/* Frees the sink; the file of the journal then belongs to the pairs, which close it. */
void pairs_sink_free(pairs_sink *sink);

#endif
