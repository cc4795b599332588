/*
 * output.h - writes a file so that nobody ever sees an incomplete one.
 *
 * A regular or new file is written to a temporary file beside the target, flushed, synced and renamed; symbolic links
 * are followed first, so that they stay; devices, pipes and links in /dev and /proc (/dev/stdout) are written to
 * directly, never replaced; "-" is standard output, which stays open.
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include "base/status.h"

#include <stdio.h>

typedef struct output output;

/* Opens an output; on success *out must be passed to output_close or output_abandon. */
nonsens_status output_open(nonsens_context *ctx, const char *path, output **out);

/* Returns the stream to write to; errors need no checking, since output_close reports them. */
FILE *output_stream(output *out);

/* Writes bytes that may exceed the stream's buffer; keeps the reason of a failure for output_close. */
void output_write(output *out, const char *bytes, size_t size);

/* Finishes the file and frees `out`, whatever happens; a failed write leaves the target as it was. */
nonsens_status output_close(nonsens_context *ctx, output *out);

/* Discards what was written, unless it went to standard output or a device, and frees `out`; NULL is fine. */
void output_abandon(output *out);

#endif
