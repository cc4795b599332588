/* text.h - prints results as text: the layout they share (text.c), and the parts in other files. */
#ifndef WRITE_TEXT_H
#define WRITE_TEXT_H

#include "base/number.h"
#include "methods/shared/result.h"

#include <stdio.h>

/* Returns the columns that a UTF-8 text takes, counting characters and not bytes. */
int text_columns(const char *text, size_t bytes);

/* Returns the columns of the text, or `width` if that is larger. */
int text_wider(int width, const char *text);

/* Prints the text, padded with blanks to this number of columns. */
void text_print_padded(FILE *f, const char *text, int columns);

/* Prints words from column `at` on; further lines begin at column `indent`. */
void text_print_words(FILE *f, const char *text, int at, int indent);

/* Prints a blank line and a heading. */
void text_print_heading(FILE *f, const char *title);

/* Prints "3 rows" and the text after it. */
void text_print_count(FILE *f, int64_t count, const char *noun, const char *after);

/* Prints a value of evidence into the buffer: counts in full, else four digits; "-" if it is not finite. */
const char *text_value(char buffer[NUMBER_BYTES], double value);

/* Prints the command line to run it again: every option that changes results and is not at its default. */
void text_print_command(FILE *f, const nonsens_options *options, int64_t segments);

/* Prints what `ica` found: sources and unmixing (text_ica.c). */
void text_print_unmixed(FILE *f, const nonsens_result *r);

/* Prints what `discover` found: edges and order (text_graph.c). */
void text_print_graph(FILE *f, const nonsens_result *r);

/* Prints what `explain` found: root causes, a line per variable, the graph (text_explain.c). */
void text_print_explained(FILE *f, const nonsens_result *r);
/* Prints how the target changed, if there is one (text_target.c). */
void text_print_target(FILE *f, const nonsens_result *r);

/* Prints what `effect` found: the answer, tables, why, the graph (text_effect.c). */
void text_print_effects(FILE *f, const nonsens_result *r);

/* Prints what bootstrap samples of `discover --bootstrap` add to the support of its edges (text_bootstrap.c). */
void text_print_bootstrap(FILE *f, const nonsens_result *r);

#endif
