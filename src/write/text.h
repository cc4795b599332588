/* text.h - layout that the texts of results share (text.c), and the parts that have a file of their own. */
#ifndef WRITE_TEXT_H
#define WRITE_TEXT_H

#include "base/number.h"
#include "methods/shared/result.h"

#include <stdio.h>

/* Columns a UTF-8 text takes, counting characters and not bytes. */
int text_columns(const char *text, size_t bytes);

/* The columns of the text, or `width` if that is more. */
int text_wider(int width, const char *text);

/* The text and blanks up to so many columns. */
void text_print_padded(FILE *f, const char *text, int columns);

/* Prints words from column `at` on; further lines begin at column `indent`. */
void text_print_words(FILE *f, const char *text, int at, int indent);

void text_print_heading(FILE *f, const char *title);

/* "3 rows" and what is to stand behind it. */
void text_print_count(FILE *f, int64_t count, const char *thing, const char *behind);

/* A figure of evidence: counts in full, else four digits; "-" if there is none. */
const char *text_figure(char buffer[NUMBER_BYTES], double value);

/* The command line to run it again: every option that changes results and is not at its default. */
void text_print_command(FILE *f, const nonsens_options *options, int64_t segments);

/* What `ica` found: sources and unmixing (text_ica.c). */
void text_print_unmixed(FILE *f, const nonsens_result *r);

/* What `discover` found: edges and order (text_graph.c). */
void text_print_graph(FILE *f, const nonsens_result *r);

/* What `explain` found: root causes, a line per variable, the graph (text_explain.c). */
void text_print_explained(FILE *f, const nonsens_result *r);

/* What bootstrap samples of `discover --bootstrap` say beside the support of its edges (text_bootstrap.c). */
void text_print_resampled(FILE *f, const nonsens_result *r);

#endif
