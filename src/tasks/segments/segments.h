/*
 * segments.h - explains each segment of the data against the others (`explain --of all`).
 *
 *     segments in natural order -> those that the journal lacks -> the graph and the mechanisms, once
 *         -> one line of JSON each -> q-values over segments -> JSON lines, text
 *
 * The line of a segment holds what `explain --of SEGMENT --json` writes, except the time and the threads.
 */
#ifndef TASKS_SEGMENTS_SEGMENTS_H
#define TASKS_SEGMENTS_SEGMENTS_H

#include "pool/pool.h"
#include "pool/unit_lines.h"
#include "tasks/explain/explain.h"

struct nonsens_explanations {
    arena memory; /* owns everything below */
    nonsens_options options;
    int64_t rows, variables, segments;
    uint64_t data_hash;
    const char *assumes; /* what the graph in use assumes; NULL: no segment was explained */
    int64_t count;
    int64_t *segment;        /* (count) numbers, in the order of the list; from data->segments on, those left out */
    nonsens_explained *item; /* (count) */
    unit_lines lines;        /* (count) */
};

/* ---- one segment (segments_keep.c) ---- */

/* Counts the segments of the data and those that were left out because they have too few rows (data/tidy.h). */
int64_t segments_count(const nonsens_data *data);
/* Returns the label of a segment; segments that were left out are numbered after those of the data. */
const char *segments_label(const nonsens_data *data, int64_t segment);

/* Makes the line of a segment; the basis has its graph, and its fits if any segment needs them. */
nonsens_status segments_make_line(nonsens_context *ctx, arena *scratch, explain_basis *basis, int64_t segment,
                                  int threads, json_value **line);

/* Keeps lines while segments are explained; one caller at a time. */
typedef struct segments_sink {
    nonsens_explanations *all;
    int64_t numbers;      /* number of segments, including those that were left out */
    int64_t *place;       /* (numbers) position of each segment in the list, -1 if it is not there */
    nonsens_context *ctx; /* of the current call */
    unit_sink lines;
} segments_sink;

/* Takes finished lines from the journal; an error if it belongs to other data, options or another graph. */
nonsens_status segments_sink_new(nonsens_context *ctx, const explain_basis *basis, nonsens_explanations *all,
                                 segments_sink *out);
/* Keeps a line and takes ownership of it; the line is incomplete or NULL if memory ran out. */
nonsens_status segments_keep(nonsens_context *ctx, segments_sink *sink, int64_t index, json_value *line);
/* Frees the sink; the file of the journal then belongs to the explanations, which close it. */
void segments_sink_free(segments_sink *sink);
/* Sets the hash of what lines depend on, except the graph, which all processes get from the first. */
nonsens_status segments_set_key(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options);

/* ---- several processes (segments_share.c) ---- */

/* Returns the graph and the fits as text, for the tasks of other processes; memory_release frees it. */
char *segments_give_basis(nonsens_context *ctx, const explain_basis *b);
/* Returns the task of a segment of the data; NULL if memory runs out. */
json_value *segments_task(int64_t segment, const char *basis);
/* Returns the segment of a task, or -1. */
int64_t segments_of_task(const json_value *task, const nonsens_data *data);
/* Runs units as another process of a run until the run ends; returns the status of the run. */
nonsens_status segments_follow(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options);

#endif
