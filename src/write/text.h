/*
 * text.h - prints results as text: the layout that they share (text.c), and the parts in other files.
 *
 * A text is the answer, what speaks against it, and what it assumes; it fits on a screen.  Functions that print a part
 * of the answer return the number of its lines, so that cautions get the remaining lines.
 */
#ifndef WRITE_TEXT_H
#define WRITE_TEXT_H

#include "base/number.h"
#include "methods/shared/result.h"

#include <stdio.h>

/* ---- layout ---- */

/* Returns how many columns a UTF-8 text takes: it counts characters, not bytes. */
int text_columns(const char *text, size_t bytes);

/* Returns how many columns the text takes, or `width` if that is larger. */
int text_wider(int width, const char *text);

/* Prints the text, padded with blanks to this number of columns. */
void text_print_padded(FILE *f, const char *text, int columns);

/* Prints words from column `at` on, further lines from `indent` on.  Returns the number of lines; f NULL: no output. */
int text_print_words(FILE *f, const char *text, int at, int indent);

/* Prints a text of any length on one line; bytes that are not printable are escaped as in show.h. */
void text_print_whole(FILE *f, const char *text);

/* Prints a blank line and a heading. */
void text_print_heading(FILE *f, const char *title);

/* Prints "3 rows" and the text after it. */
void text_print_count(FILE *f, int64_t count, const char *noun, const char *after);

/* Writes a count with separators: "3,650". */
enum { TEXT_COUNT_BYTES = 32 };
const char *text_count(char out[TEXT_COUNT_BYTES], int64_t count);

/* Writes a value of evidence: counts in full, other values with four digits; "-" if it is not finite. */
const char *text_value(char buffer[NUMBER_BYTES], double value);

/*
 * Shows one of several names: shortened in the middle if it is long, but in full (at most 250 characters) if another
 * name would look the same.
 */
enum { TEXT_NAME_CHARACTERS = 250, TEXT_NAME_BYTES = 4 * TEXT_NAME_CHARACTERS + 8 };
const char *text_name(char out[TEXT_NAME_BYTES], char *const *names, int64_t count, int64_t index);

/* Writes "3,650 rows in 10 segments". */
enum { TEXT_DATA_BYTES = 2 * TEXT_COUNT_BYTES + 40 };
const char *text_data(char out[TEXT_DATA_BYTES], const nonsens_result *r);

/* Prints the command line to run this again: every option that changes results and is not at its default. */
void text_print_command(FILE *f, const nonsens_options *options, int64_t segments);

/* Refuses bits that are not in nonsens_text_detail. */
nonsens_status text_check_detail(nonsens_context *ctx, unsigned detail);

/* ---- parts that all texts have ---- */

/* Prints how many checks passed, and as many cautions as fit into this number of lines. */
void text_print_checks(FILE *f, const nonsens_result *r, int room);

/* Prints briefly what the answer assumes; f NULL: only counts the lines. */
int text_print_assumed(FILE *f, const nonsens_result *r);

/* Prints what to do next, and where to find details (text_next.c). */
void text_print_next(FILE *f, const nonsens_result *r);

/* Prints the reasoning, step by step (text_details.c). */
void text_print_reasoning(FILE *f, const nonsens_result *r);

/* Prints the rest: score, notes, evidence, assumptions, options, the command (text_details.c). */
void text_print_details(FILE *f, const nonsens_result *r);

/* ---- answers; with `all`, nothing is left out to save lines ---- */

/* Prints a decision on a pair, or of a test of independence (text_pair.c). */
int text_print_pair(FILE *f, const nonsens_result *r);

/* Prints what `ica` found: sources and unmixing (text_ica.c). */
int text_print_unmixed(FILE *f, const nonsens_result *r, bool all);

/* Prints what `diagnose` found (text_diagnosis.c). */
int text_print_diagnosis(FILE *f, const nonsens_result *r, bool all);

/* Prints the edges of a graph, one per line, and what their marks mean (text_graph.c). */
int text_print_edges(FILE *f, const nonsens_result *r, bool all);
/* Prints what `discover` found: edges, what is open (text_graph.c). */
int text_print_discovered(FILE *f, const nonsens_result *r, bool all);
/* Prints the graph that an answer uses: in a line, or with its edges (text_graph.c). */
int text_print_basis(FILE *f, const nonsens_result *r, bool all);
/* Print interventions, the order, and what bootstrap samples add (text_graph_more.c). */
int text_print_targets(FILE *f, const nonsens_result *r, bool all);
void text_print_order(FILE *f, const nonsens_result *r);
int text_print_bootstrap(FILE *f, const nonsens_result *r);

/* Prints what `explain` found: root causes, a line per variable, the graph (text_explain.c). */
int text_print_explained(FILE *f, const nonsens_result *r, bool all);
/* Prints how the target changed, if there is one (text_target.c). */
int text_print_target(FILE *f, const nonsens_result *r);

/* Prints what `effect` found: the answer, tables, why, the graph (text_effect.c). */
int text_print_effects(FILE *f, const nonsens_result *r, bool all);

#endif
