/*
 * csv_cell.h - writes texts as CSV cells that a spreadsheet does not mistake for formulas.
 *
 * A text that begins with = + - @, a tab or a carriage return gets an apostrophe in front, unless it is a number.  A
 * text that has apostrophes before such a character gets one more, so that every text reads back unchanged.  The reader
 * removes what the writer added, and nothing else.
 */
#ifndef BASE_CSV_CELL_H
#define BASE_CSV_CELL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Writes the prefix and the text as one cell, in quotes if a reader could misread it without them. */
void csv_cell_print(FILE *f, const char *prefix, const char *text);

/* Says whether the cell begins with an apostrophe that csv_cell_print added. */
bool csv_cell_is_guarded(const char *text, int64_t length);

#endif
