/*
 * request.h - what programs with a table of cells have in common: words, table file, exit status.
 */
#ifndef HARNESS_REQUEST_H
#define HARNESS_REQUEST_H

#include "base/memory.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct request {
    const char *pattern; /* of cells, with * and ? */
    int64_t reps;        /* 0: the default of the cell */
    int64_t rows;        /* 0: those of the cell */
    uint64_t first_seed;
    int threads;
    FILE *csv;          /* NULL: none */
    int64_t cells, bad; /* run, and out of bounds: counted by the program */
} request;

/* Does the pattern name the cell? */
bool request_wants(const request *q, const char *cell);

/*
 * Reads [--cells PATTERN] [--rows N] [--reps R] [--seed FIRST] [--threads T] [--out FILE.csv], writes the head line to
 * the table, and runs; the first seed is 100,001 unless asked for.  The exit status: 0 if cells were run and none is
 * out of bounds.
 */
typedef nonsens_status (*request_fn)(nonsens_context *ctx, request *q);
int request_run(const char *program, const char *head, int argc, char **argv, request_fn run);

#endif
