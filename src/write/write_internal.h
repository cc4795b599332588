/*
 * write_internal.h - makes the parts of JSON that several writers share (json.c).
 *
 * Functions that make JSON return a new reference, which is NULL or incomplete if memory is exhausted: json_text then
 * fails.
 */
#ifndef WRITE_WRITE_INTERNAL_H
#define WRITE_WRITE_INTERNAL_H

#include "base/memory.h"
#include "methods/shared/result.h"
#include "options/options.h"
#include "json/json.h"

#include <math.h>

/* Makes a number rounded to this many significant digits, so that it prints no longer; null if it is not finite. */
json_value *report_rounded(double value, int digits);

/* Returns "changed itself", "follows", "unchanged" or "unclear" for a NONSENS_VERDICT_... (text_explain.c). */
const char *report_verdict(int verdict);

/* Makes the options of their command, without threads, which changes no result.  Texts are in the arena. */
json_value *report_options(nonsens_context *ctx, arena *scratch, const nonsens_options *options);

/*
 * Returns the text as UTF-8, in the arena; NULL if memory is exhausted.  Names and labels come from files in any
 * encoding: bytes that are not UTF-8 are taken as Latin-1.
 */
char *report_utf8(nonsens_context *ctx, arena *a, const char *text);

/* Makes the whole result.  Texts are in the arena. */
json_value *report_document(nonsens_context *ctx, arena *scratch, const nonsens_result *result);

/* One of many pairs. */
typedef struct report_pair {
    const char *x, *y, *method;
    const nonsens_result *result; /* NULL if it failed */
    const char *error;            /* why; NULL if it did not fail */
} report_pair;
/* Makes the line of a pair: every line has the same keys, with null for what does not apply. */
json_value *report_pair_line(nonsens_context *ctx, arena *scratch, const report_pair *pair, int64_t seed);

enum { REPORT_DIGITS = 15 }; /* every decimal that a user typed comes back as typed */

/* Writes the document with this number of significant digits and releases it. */
nonsens_status report_write_json(nonsens_context *ctx, json_value *document, int digits, const char *path);

#endif
