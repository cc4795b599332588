/*
 * internal.h - what the JSON files have in common (json.c).
 *
 * Makers return a new reference, or NULL where memory is exhausted; jansson's _new calls refuse NULL, so that one check
 * at the end is enough.
 */
#ifndef REPORT_INTERNAL_H
#define REPORT_INTERNAL_H

#include "base/memory.h"
#include "base/options.h"

#include <jansson.h>

/* The options of their command but threads, which changes no result.  Texts are made in the arena. */
json_t *report_options(nonsens_context *ctx, arena *scratch, const nonsens_options *options);

/* Writes the document with so many significant digits and releases it; NULL stands for one that ran out of memory. */
nonsens_status report_write_json(nonsens_context *ctx, json_t *document, int digits, const char *path);

#endif
