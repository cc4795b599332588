/*
 * structured_parts.h - which segments share one mechanism of a variable, if some of them intervened on it or on its
 * causes (graph/targets.h).
 *
 * All segments without an intervention are one part.  A fixed variable has no term in the likelihood of its segment; a
 * changed one has a mechanism of its own there, and so has every effect of a variable whose activity changed.  A part
 * with fewer than MIN_PART_ROWS rows does not determine a mechanism and is left out like a fixed one.
 */
#ifndef METHODS_STRUCTURED_GRAPH_STRUCTURED_PARTS_H
#define METHODS_STRUCTURED_GRAPH_STRUCTURED_PARTS_H

#include "graph/targets.h"
#include "mechanism/mechanism.h"

enum { MIN_PART_ROWS = 50 };

/* The segments of a part; its k-th segment is segment[k] of the data. */
typedef struct part_rows {
    int64_t effect, *segment;
    bool *keep; /* (segments) */
    bool anew;  /* the effect is warped by these rows alone: scores compare sets of causes of this part only */
    mechanism_data data;
    struct part_rows *next;
} part_rows;

/* Kinds of intervention on one variable, by segment; a fit keeps the version that it was made with. */
typedef struct target_column {
    uint8_t *kind; /* (segments) enum target_kind */
} target_column;

typedef struct structured_parts {
    const mechanism_data *whole;
    const double *const *warped; /* (d) columns (n) in [0, 1] */
    const int64_t *start;        /* (segments + 1) */
    const targets *hit;          /* NULL: nothing is known, and every fit has one part */
    bool *small;                 /* (segments) too few rows for a mechanism of its own */
    bool has_activity;
    target_column *column; /* (columns) versions */
    int64_t columns, column_capacity;
    int64_t *version;  /* (d) index of the version of each variable */
    part_rows all;     /* all segments */
    part_rows *others; /* linked list */
} structured_parts;

/* Prepares the parts; hit (nodes) may be NULL and is not copied.  Memory from `a`. */
nonsens_status structured_parts_new(nonsens_context *ctx, arena *a, const mechanism_data *whole,
                                    const double *const *warped, const int64_t *start, const targets *hit,
                                    structured_parts *out);

/* Adds a version of a variable's interventions, kind (segments); memory from `a`. */
nonsens_status structured_parts_add(nonsens_context *ctx, arena *a, structured_parts *p, const uint8_t *kind,
                                    int64_t *version);

/* Finds the rows of the segments that are kept, keep (segments), or prepares them; memory from `a`. */
nonsens_status structured_parts_rows(nonsens_context *ctx, arena *a, structured_parts *p, int64_t effect,
                                     const bool *keep, bool anew, const part_rows **out);

/* Lists the parts of a fit, at most 1 + segments of them; those with few rows are left out.  Memory from `a`. */
nonsens_status structured_parts_of(nonsens_context *ctx, arena *a, structured_parts *p, int64_t version, int64_t effect,
                                   int64_t causes, const int64_t *cause, int64_t *count, const part_rows ***out);

#endif
