/*
 * reproduce.h - figures of the paper, made again: what a figure is, and the frame that runs one.
 *
 *     figure -> cells that were asked for -> units (cell, repetition) -> journal lines -> table, text, picture
 *
 * A unit draws from a random stream of its own, named by its seed, the figure and the cell, so that neither threads nor
 * processes nor the other cells can change it.  Adding a figure = one file + one line in reproduce.c.
 */
#ifndef REPRODUCE_REPRODUCE_H
#define REPRODUCE_REPRODUCE_H

#include "base/memory.h"
#include "options/options.h"
#include "base/rng.h"

#include <jansson.h>
#include <stdio.h>

enum { CELL_NAME_BYTES = 64 };

/* The stream and the seed of one unit. */
typedef struct unit_seed {
    rng stream;
    uint64_t seed;
} unit_seed;

/* What the journal says about the cells that were asked for. */
typedef struct figure_units {
    int64_t cells, reps;       /* reps: most that a cell has */
    const int64_t *cell;       /* (cells) their numbers in the figure */
    const void *unit;          /* (cells, reps), one cell after another, of the figure's unit_bytes */
    const int64_t *reps_there; /* (cells) repetitions of each; what follows in unit is not one */
} figure_units;

/* Writes one of the things that come out of a figure; scratch is freed by the caller. */
typedef nonsens_status (*figure_write_fn)(nonsens_context *ctx, arena *scratch, const figure_units *units, FILE *out);

typedef struct figure_picture {
    const char *suffix; /* of the file: NAME + suffix + ".svg" */
    figure_write_fn draw;
} figure_picture;

/* What all units of a figure look at, made by each process for itself. */
typedef struct figure_base {
    void *data;          /* the figure's own; NULL where it needs nothing or `missing` says what it lacks */
    const char *missing; /* a sentence: the figure is then skipped */
    uint64_t hash;       /* of the data, where units depend on some: lines of other data are not taken */
} figure_base;

enum { FIGURE_PICTURES = 4 };

typedef struct figure {
    nonsens_figure_info info;
    int revision; /* raise it when a change of code changes results: older lines are then not taken */
    /* The following four may be NULL: what a cell adds to the revision (0), its repetitions where none are asked for
     * (info.reps), whether it is left out without --fine (no), what all units look at (nothing). */
    int (*cell_revision)(int64_t cell);
    int64_t (*cell_reps)(int64_t cell); /* 1: it is run once, however many are asked for */
    bool (*is_fine)(int64_t cell);
    nonsens_status (*prepare)(nonsens_context *ctx, arena *a, const nonsens_options *options, figure_base *base);
    void (*release)(void *data); /* where there is something to prepare */
    void (*cell_name)(int64_t cell, char name[CELL_NAME_BYTES]);
    /* Adds what is found to the line, an object.  A failure ends the run: what may fail is told in the line. */
    nonsens_status (*run)(nonsens_context *ctx, arena *scratch, const void *base, int64_t cell, unit_seed seed,
                          json_t *line);
    size_t unit_bytes;
    /* The unit that a line tells of.  False where the line lacks something. */
    bool (*read)(const json_t *line, void *unit);
    figure_write_fn write_csv, write_text;
    figure_picture picture[FIGURE_PICTURES]; /* up to the first without suffix */
} figure;

/* As nonsens_reproduce_crew; the options have been looked at. */
nonsens_status figure_reproduce(nonsens_context *ctx, const nonsens_options *options, const figure *f, const char *path,
                                const nonsens_crew *crew);

/* Two variables: against segments, against rows, an effect assumed (bivariate.c). */
extern const figure FIGURE_BIVARIATE;
/* Supplement B: linear ICA of piece-wise stationary sources (linear_ica.c). */
extern const figure FIGURE_LINEAR_ICA;
/* Graphs of six variables (graphs.c). */
extern const figure FIGURE_GRAPHS;
/* Six regions of the medial temporal lobe (fmri.c). */
extern const figure FIGURE_FMRI;

#endif
