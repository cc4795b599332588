/*
 * study.h - the harness of all experiments: cells, repetitions, seeds, and units that are finished.
 *
 *     study -> cells that were asked for -> units (cell, repetition) -> lines of a journal -> units in memory
 *
 * A unit draws from a random stream of its own, named by its seed, the study and the cell, so that neither threads nor
 * processes nor the other cells can change it.  What is written about the units is the business of each study.
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
    int64_t reps;  /* repetitions of a cell if none are asked for */
    int revision;  /* raise it when a change of code changes results: older lines are then not taken */
    /* The following four may be NULL: what a cell adds to the revision (0), its repetitions if none are asked for
     * (reps), whether it is left out unless the finer grid is asked for (no), and in place of NAME/REVISION/CELL[/HASH]
     * what names everything that a unit depends on but its seed.  Lines of a study with such a key do not name it. */
    int (*cell_revision)(int64_t cell);
    int64_t (*cell_reps)(int64_t cell); /* 1: it is run once, however many are asked for */
    bool (*is_fine)(int64_t cell);
    void (*key)(const void *data, int64_t cell, char key[UNIT_KEY_BYTES]);
    void (*cell_name)(int64_t cell, char name[CELL_NAME_BYTES]);
    /* Adds the results to the line, an object.  A failure ends the run: a method that fails is a result. */
    nonsens_status (*run)(nonsens_context *ctx, arena *scratch, const void *data, int64_t cell, unit_seed seed,
                          json_value *line);
    size_t unit_bytes;
    /* Reads a unit from its line; texts in it may be the line's.  False if the line lacks something. */
    bool (*read)(const json_value *line, void *unit);
} study;

/* The units of the cells that were asked for. */
typedef struct study_units {
    int64_t cells, reps;       /* reps: the most that a cell has */
    const int64_t *cell;       /* (cells) their numbers in the study */
    const void *unit;          /* (cells, reps), one cell after another, of the study's unit_bytes */
    const int64_t *reps_there; /* (cells) repetitions of each; what follows in `unit` is not one */
} study_units;

/* One run of a study: what is asked for, and what comes of it. */
typedef struct study_run {
    const study *study;
    const void *data;   /* what all units look at; NULL: nothing */
    uint64_t data_hash; /* 0: units do not depend on data */
    journal *journal;   /* finished units; NULL: they are not kept, and texts in units are not valid */
    int64_t first_seed;
    int threads; /* 0: all cores */
    /* Filled in by the functions below. */
    int64_t cells, reps;
    int64_t *cell, *reps_there; /* (cells) as in study_units */
    char *units;                /* (cells, reps) of unit_bytes each */
    int64_t *missing, jobs;     /* (jobs) the units to be run */
} study_run;

/* Does the name match one of the patterns with * and ?, which commas separate? */
bool study_is_named(const char *patterns, const char *name);

/* Lists the cells whose names match, and their repetitions: `reps`, or if that is 0 their own.  None is an error. */
nonsens_status study_choose(nonsens_context *ctx, arena *a, study_run *r, const char *patterns, bool fine,
                            int64_t reps);
/* Runs the units that the journal lacks, alone or as the first of several processes; memory from `a`. */
nonsens_status study_complete(nonsens_context *ctx, arena *a, study_run *r, const pool_members *others);
/* Another process: runs units until the first one ends the run. */
nonsens_status study_follow(nonsens_context *ctx, arena *a, study_run *r, const pool_members *members);
/* Chooses one cell with `reps` repetitions, or if that is 0 its own, and completes it. */
nonsens_status study_run_cell(nonsens_context *ctx, arena *a, study_run *r, int64_t cell, int64_t reps);

study_units study_result(const study_run *r);

/* A number of a line, NaN for null; false if it is neither a number nor null. */
bool study_read_number(const json_value *value, double *out);
/* Puts a value into a line and takes it over; an error without memory, as no line may lack one of its values. */
nonsens_status study_put(nonsens_context *ctx, json_value *line, const char *key, json_value *value);

#endif
