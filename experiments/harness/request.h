/*
 * request.h - what programs with a table of cells have in common: command line, table file, exit status.
 */
#ifndef HARNESS_REQUEST_H
#define HARNESS_REQUEST_H

#include "harness/study.h"
#include "harness/table.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct request {
    const char *cells; /* patterns with * and ?, separated by commas */
    int64_t reps;      /* 0: each cell's default */
    int64_t rows;      /* 0: each cell's own */
    uint64_t first_seed;
    int threads;
    const char *out;   /* path of the table; NULL: no table */
    table table;       /* open while the program runs */
    int64_t done, bad; /* cells that were run, and cells out of bounds: both counted by the program */
} request;

/* Takes one of the program's own options and its value; false if it is not one of them. */
typedef bool (*request_word_fn)(void *user, const char *key, char *value);

/*
 * Reads [--cells PATTERNS] [--rows N] [--reps R] [--seed FIRST] [--threads T] [--out FILE.csv] and the program's own
 * options, which have precedence (`own` may be NULL).  The first seed is 100,001 unless set.  Returns false if the
 * command line is wrong.
 */
bool request_read(request *q, int argc, char **argv, request_word_fn own, void *user);

/*
 * Runs a program that has no options of its own: reads the command line, writes the header of the table, and runs the
 * cells.  Returns the exit status: 0 if cells were run and none is out of bounds.
 */
typedef nonsens_status (*request_fn)(nonsens_context *ctx, request *q);
int request_run(const char *program, const char *head, int argc, char **argv, request_fn run);

/* Runs the selected cells in turn; `report` gets the units of each, and counts the cell if it is out of bounds. */
typedef nonsens_status (*request_report_fn)(nonsens_context *ctx, arena *scratch, request *q, const study_units *units);
nonsens_status request_run_study(nonsens_context *ctx, request *q, const study *s, request_report_fn report);

#endif
