/*
 * unit_lines.h - keeps one line of JSON for each unit of a run: in its journal, or in memory if it has none.
 *
 * After its head (journal_head.h) each line of the journal is {"KEY": name of the unit, "line": {...}}.  Values have 17
 * digits, which read back as the same doubles, so a run that was stopped and resumed writes the same file as one that
 * was not.
 */
#ifndef POOL_UNIT_LINES_H
#define POOL_UNIT_LINES_H

#include "base/memory.h"
#include "pool/journal_head.h"

/* Where the line of a unit is. */
typedef struct unit_line {
    bool done;           /* the line exists */
    journal_place place; /* where it is in the journal */
    char *text;          /* the line itself, if there is no journal */
} unit_line;

typedef struct unit_lines {
    int64_t count;
    unit_line *line;   /* (count) */
    char *journal;     /* path, or NULL */
    journal_file file; /* of the journal: lines are read from it; no other run may open it meanwhile */
} unit_lines;

/* What a run knows about its units; `run` is that of the sink. */
typedef struct unit_kind {
    journal_kind journal;
    const char *key; /* key of the unit's name: "pair" */
    /* Returns the name of a unit, a new reference. */
    json_value *(*name)(const void *run, int64_t unit);
    /* Returns the unit of this name; -1 if there is none, or if the line is not that of a unit. */
    int64_t (*find)(const void *run, const json_value *name, const json_value *line);
    /* Remembers what the line says; false if memory runs out. */
    bool (*take)(void *run, int64_t unit, const json_value *line);
} unit_kind;

/* Keeps lines while units run; one caller at a time. */
typedef struct unit_sink {
    const unit_kind *kind;
    void *run;
    arena *memory; /* for the lines */
    unit_lines *lines;
    journal journal;
    nonsens_status status; /* error of the visitor, which returns nothing */
} unit_sink;

/*
 * Takes finished lines from the journal `lines->journal`, unless that is NULL.  It is an error if the journal has
 * another head, or if it has lines and the run does not resume.  *out must not move.
 */
nonsens_status unit_sink_new(nonsens_context *ctx, arena *memory, const unit_kind *kind, void *run, json_value *head,
                             bool resume, unit_lines *lines, unit_sink *out);
/* Keeps a line and takes ownership of it; the line is incomplete or NULL if memory ran out. */
nonsens_status unit_sink_keep(nonsens_context *ctx, unit_sink *sink, int64_t unit, json_value *line);
/* Frees the sink; the file of the journal then belongs to the lines. */
void unit_sink_free(unit_sink *sink);

/* Loads the line of a unit; the caller releases it. */
nonsens_status unit_lines_load(nonsens_context *ctx, const unit_lines *lines, int64_t unit, json_value **line);

/* Adds to a line what depends on all lines; if memory runs out, printing the line fails. */
typedef void unit_complete_fn(const void *run, int64_t unit, json_value *line);
/* Writes all lines in order as JSON lines, with this many significant digits in reals. */
nonsens_status unit_lines_write(nonsens_context *ctx, const unit_lines *lines, unit_complete_fn *complete,
                                const void *run, int digits, const char *path);

#endif
