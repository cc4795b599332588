/*
 * write_internal.h - makes the parts of JSON that several writers share (json.c).
 *
 * Functions that make JSON return a new reference, which is NULL or incomplete if memory runs out: json_text then
 * fails.
 */
#ifndef WRITE_WRITE_INTERNAL_H
#define WRITE_WRITE_INTERNAL_H

#include "base/memory.h"
#include "methods/shared/result.h"
#include "options/options.h"
#include "json/json.h"

#include <math.h>

/* Makes a number rounded to this many significant digits, so that it prints with no more; null if it is not finite. */
json_value *report_rounded(double value, int digits);

/* Returns "changed itself", "follows", "unchanged" or "unclear" for a NONSENS_VERDICT_... (text_explain.c). */
const char *report_verdict(int verdict);

/* Makes the options of the command, without threads, which does not change results.  Texts are in the arena. */
json_value *report_options(nonsens_context *ctx, arena *scratch, const nonsens_options *options);

/*
 * Returns the text as UTF-8, in the arena; NULL if memory runs out.  Names and labels come from files in any encoding:
 * bytes that are not UTF-8 are taken as Latin-1.
 */
char *report_utf8(nonsens_context *ctx, arena *a, const char *text);

/* Makes a text of any encoding, or null. */
json_value *report_text(nonsens_context *ctx, arena *scratch, const char *value);
/* Makes [low, high], with null for an infinite end (there is no bound); null if an end is not known. */
json_value *report_interval(double low, double high);
/* Makes a list of the names of some variables. */
json_value *report_names(nonsens_context *ctx, arena *scratch, const nonsens_result *r, const int64_t *variable,
                         int64_t count);

/* Makes the whole result.  Texts are in the arena. */
json_value *report_document(nonsens_context *ctx, arena *scratch, const nonsens_result *result);

/* Makes what `explain` found (json_explain.c). */
json_value *report_explanation(nonsens_context *ctx, arena *scratch, const nonsens_result *r);
/* Adds what `effect` found (json_effect.c). */
void report_fill_effects(nonsens_context *ctx, arena *scratch, const nonsens_result *r, json_value *root);

/* Adds the direct effect of edge k of `discover` (json_effect.c). */
void report_fill_edge(const nonsens_result *r, int64_t k, json_value *edge);

/* The result for one of many pairs. */
typedef struct report_pair {
    const char *x, *y, *method;
    const nonsens_result *result; /* NULL if the pair failed */
    const char *error;            /* why it failed; NULL if it did not */
} report_pair;
/* Makes the line of a pair; every line has the same keys, with null if one does not apply. */
json_value *report_pair_line(nonsens_context *ctx, arena *scratch, const report_pair *pair, int64_t seed);

enum { REPORT_DIGITS = 15 }; /* so decimals that users typed are printed as typed */

/* Writes the document with this number of significant digits and releases it. */
nonsens_status report_write_json(nonsens_context *ctx, json_value *document, int digits, const char *path);

#endif
