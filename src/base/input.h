/*
 * input.h - a whole file in memory, wherever it comes from: a file, a pipe, standard input.
 */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H

#include "base/status.h"

typedef struct input {
    char *bytes;
    size_t size, capacity;
} input;

/* What messages call it: "standard input" for "-", else the path itself. */
const char *input_name(const char *path);

/*
 * Reads path ("-": standard input) to its end, but no more than `most` bytes: a larger file is an error.  *file is zero
 * to begin with, and goes to input_free whatever happens.
 */
nonsens_status input_read(nonsens_context *ctx, const char *path, int64_t most, input *file);
/* The same for a file beside the data: a message begins with what it is, as in "knowledge file PATH: ...". */
nonsens_status input_read_other(nonsens_context *ctx, const char *what, const char *path, int64_t most, input *file);
void input_free(input *file);

#endif
