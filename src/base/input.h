/*
 * input.h - reads a whole file, pipe or standard input into memory.
 */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H

#include "base/status.h"

typedef struct input {
    char *bytes;
    size_t size, capacity;
} input;

/* Returns the name of an input for messages: "standard input" for "-", else the path itself. */
const char *input_name(const char *path);

/*
 * Reads path ("-": standard input) to its end; a file of more than max_bytes is an error. *file must be zero before the
 * call, and must be passed to input_free even if the call fails.
 */
nonsens_status input_read(nonsens_context *ctx, const char *path, int64_t max_bytes, input *file);
/* Reads a file other than the data; messages begin with `what`, as in "knowledge file PATH: ...". */
nonsens_status input_read_other(nonsens_context *ctx, const char *what, const char *path, int64_t max_bytes,
                                input *file);
void input_free(input *file);

#endif
