/*
 * study.h - the harness of all experiments: cells, repetitions, seeds, and finished units.
 *
 *     study -> selected cells -> units (cell, repetition) -> lines of a journal -> units in memory
 *
 * A unit draws from its own random stream, which is determined by its seed, the study and the cell, so that neither
 * threads nor processes nor other cells can change it.  Each study writes its own report of the units.
 */
#ifndef HARNESS_STUDY_H
#define HARNESS_STUDY_H

#include "base/memory.h"
#include "base/rng.h"
#include "pool/journal.h"
#include "pool/pool.h"

enum { CELL_NAME_BYTES = 80, UNIT_KEY_BYTES = 2 * CELL_NAME_BYTES };

/* The stream and the seed of one unit. */
typedef struct unit_seed {
    rng stream;
    uint64_t seed;
} unit_seed;

typedef struct study {
    const char *name;
    int64_t cells; /* settings, numbered from 0 */
    int64_t reps;  /* default number of repetitions of a cell */
    int revision;  /* raise it when a change of code changes results: older lines are then ignored */
    /* The following four may be NULL.  Returns a number that a cell adds to the revision (NULL: 0). */
    int (*cell_revision)(int64_t cell);
    /* Returns the default number of repetitions of a cell (NULL: reps); a cell with 1 is always run once. */
    int64_t (*cell_reps)(int64_t cell);
    /* Returns whether a cell belongs to the finer grid only (NULL: no). */
    bool (*is_fine)(int64_t cell);
    /*
     * Writes a key for everything that a unit depends on except its seed (NULL: NAME/REVISION/CELL[/HASH]).  Journal
     * lines of a study with its own key do not name the study.
     */
    void (*key)(const void *data, int64_t cell, char key[UNIT_KEY_BYTES]);
    void (*cell_name)(int64_t cell, char name[CELL_NAME_BYTES]);
    /* Runs a unit and adds its results to the line.  An error ends the run; the failure of a method is a result. */
    nonsens_status (*run)(nonsens_context *ctx, arena *scratch, const void *data, int64_t cell, unit_seed seed,
                          json_value *line);
    size_t unit_bytes;
    /* Reads a unit from its line; its texts may point into the line.  Returns false if something is missing. */
    bool (*read)(const json_value *line, void *unit);
} study;

/* The units of the selected cells. */
typedef struct study_units {
    int64_t cells, reps;      /* reps: the largest number of repetitions of a cell */
    const int64_t *cell;      /* (cells) their numbers in the study */
    const void *unit;         /* (cells, reps), one cell after another, of the study's unit_bytes */
    const int64_t *reps_done; /* (cells) repetitions of each cell; the rest of its `unit`s is not used */
} study_units;

/* One run of a study: its input and its results. */
typedef struct study_run {
    const study *study;
    const void *data;   /* used by all units; NULL if there is none */
    uint64_t data_hash; /* 0: units do not depend on data */
    journal *journal;   /* finished units; NULL: they are not kept, and texts in units are not valid */
    int64_t first_seed;
    int threads; /* 0: all cores */
    /* Filled in by the functions below. */
    int64_t cells, reps;
    int64_t *cell, *reps_done; /* (cells) as in study_units */
    char *units;               /* (cells, reps) of unit_bytes each */
    int64_t *missing, jobs;    /* (jobs) the units to be run */
} study_run;

/* Returns whether the name matches one of the patterns with * and ?, separated by commas. */
bool study_is_named(const char *patterns, const char *name);

/* Lists the cells whose names match, with `reps` repetitions (0: their defaults).  Fails if no name matches. */
nonsens_status study_choose(nonsens_context *ctx, arena *a, study_run *r, const char *patterns, bool fine,
                            int64_t reps);
/* Runs the units that the journal lacks, alone or as the first of several processes; memory comes from `a`. */
nonsens_status study_complete(nonsens_context *ctx, arena *a, study_run *r, const pool_members *others);
/* Runs units as one of the other processes, until the first process ends the run. */
nonsens_status study_follow(nonsens_context *ctx, arena *a, study_run *r, const pool_members *members);
/* Selects one cell with `reps` repetitions (0: its default), and runs its missing units. */
nonsens_status study_run_cell(nonsens_context *ctx, arena *a, study_run *r, int64_t cell, int64_t reps);

/* Returns the units of a finished run. */
study_units study_result(const study_run *r);

/* Reads a number of a line, NaN for null; false if it is neither a number nor null. */
bool study_read_number(const json_value *value, double *out);
/* Puts a value into a line and takes ownership of it; fails if memory is exhausted, so that no line lacks a value. */
nonsens_status study_put(nonsens_context *ctx, json_value *line, const char *key, json_value *value);

#endif
