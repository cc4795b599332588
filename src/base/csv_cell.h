/*
 * csv_cell.h - texts as cells of CSV that a spreadsheet does not take for formulas.
 *
 * A text that begins with = + - @, a tab or a carriage return gets an apostrophe in front, unless it is a number.  So
 * that reading gives back every text, one that begins with apostrophes and goes on like that gets one more.  The reader
 * takes off what the writer has put there, and nothing else.
 */
#ifndef BASE_CSV_CELL_H
#define BASE_CSV_CELL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Writes the text behind the prefix as one cell, in quotes where some reader could misunderstand it without. */
void csv_cell_print(FILE *f, const char *prefix, const char *text);

/* Does the cell begin with an apostrophe that csv_cell_print put there? */
bool csv_cell_is_guarded(const char *text, int64_t length);

#endif
