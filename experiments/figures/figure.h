/*
 * figure.h - reproduces figures of the paper: each is a study with a table as CSV and a short text.
 *
 * experiments/draw.py draws the pictures from the tables.  A new figure needs one file here, one line in figure.c, and
 * its picture in draw.py.
 */
#ifndef FIGURES_FIGURE_H
#define FIGURES_FIGURE_H

#include "harness/study.h"
#include "options/options.h"

#include <stdio.h>

/* Writes one output of a figure; the caller frees scratch. */
typedef nonsens_status (*figure_write_fn)(nonsens_context *ctx, arena *scratch, const study_units *units, FILE *out);

/* The data that all units of a figure use; each process prepares its own copy. */
typedef struct figure_data {
    void *data;          /* the figure's own; NULL if it needs none, or if `missing` is set */
    const char *missing; /* a sentence on what is missing: the figure is then skipped */
    uint64_t hash;       /* hash of data that units depend on, if any: journal lines from other data are ignored */
} figure_data;

typedef struct figure {
    study study;
    const char *summary; /* one line */
    /* Make and release the data; both NULL if the units use none. */
    nonsens_status (*prepare)(nonsens_context *ctx, arena *a, const nonsens_options *options, figure_data *out);
    void (*release)(void *data);
    figure_write_fn write_csv, write_text;
} figure;

/* Return a figure by index or by name; NULL beyond the end, or if no figure has the name. */
const figure *figure_at(size_t index);
const figure *figure_find(const char *name);

/*
 * Runs the figure (options of NONSENS_COMMAND_REPRODUCE).  Writes NAME.journal and NAME.csv into the folder `out`,
 * which is made if it is missing, and a short table as text to `path` ("-" is standard output).  Each finished
 * repetition is a line of the journal; with `resume`, a run that was cancelled, failed or killed continues from there.
 *
 * Several processes (members; NULL: only this one) may call it with the same options, except that each has its own
 * `threads`; only member 0 writes files.  The result does not depend on the number of processes.  All return the status
 * of the whole run, and member 0's context has its message.  If one member fails or is cancelled, the run ends for all.
 */
nonsens_status figure_reproduce(nonsens_context *ctx, const nonsens_options *options, const figure *f, const char *path,
                                const pool_members *members);

/* Two variables: against segments, against rows, an effect assumed (bivariate.c). */
extern const figure FIGURE_BIVARIATE;
/* Supplement B: linear ICA of piece-wise stationary sources (linear_ica.c). */
extern const figure FIGURE_LINEAR_ICA;
/* Graphs of six variables (six_variables.c). */
extern const figure FIGURE_SIX_VARIABLES;
/* Six regions of the medial temporal lobe (fmri.c). */
extern const figure FIGURE_FMRI;

#endif
