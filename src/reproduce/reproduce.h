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
#include "base/options.h"
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
    int64_t cells, reps;
    const int64_t *cell; /* (cells) their numbers in the figure */
    const void *unit;    /* (cells, reps), one cell after another, of the figure's unit_bytes */
} figure_units;

/* Writes one of the three things that come out of a figure; scratch is freed by the caller. */
typedef nonsens_status (*figure_write_fn)(nonsens_context *ctx, arena *scratch, const figure_units *units, FILE *out);

typedef struct figure {
    nonsens_figure_info info;
    int revision; /* raise it when a change of code changes results: older lines are then not taken */
    void (*cell_name)(int64_t cell, char name[CELL_NAME_BYTES]);
    /* Adds what is found to the line, an object.  A failure ends the run: what may fail is told in the line. */
    nonsens_status (*run)(nonsens_context *ctx, arena *scratch, int64_t cell, unit_seed seed, json_t *line);
    size_t unit_bytes;
    /* The unit that a line tells of.  False where the line lacks something. */
    bool (*read)(const json_t *line, void *unit);
    figure_write_fn write_csv, write_text, draw;
} figure;

/* As nonsens_reproduce_crew; the options have been looked at. */
nonsens_status figure_reproduce(nonsens_context *ctx, const nonsens_options *options, const figure *f, const char *path,
                                const nonsens_crew *crew);

/* Supplement B: linear ICA of piece-wise stationary sources (linear_ica.c). */
extern const figure FIGURE_LINEAR_ICA;

#endif
