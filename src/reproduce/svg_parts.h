/*
 * svg_parts.h - what all pictures share: text, lengths, lines, wrapped text, the frame of the file.
 *
 * Self-contained SVG: no scripts, no fonts, text as text, a white ground.  Nothing is allocated; errors in writing are
 * left to whoever closes the stream.
 */
#ifndef REPRODUCE_SVG_PARTS_H
#define REPRODUCE_SVG_PARTS_H

#include "base/number.h"

#include <stdint.h>
#include <stdio.h>

/* Text between tags or in an attribute: markup escaped, control characters left out. */
void svg_text(FILE *out, const char *text);

/* How many letters of UTF-8 the text has. */
int64_t svg_letters(const char *text);

/* A length as text, to a hundredth of a pixel.  Returns buffer. */
char *svg_pixels(char buffer[NUMBER_BYTES], double value);

/* ` name="value"` */
void svg_length(FILE *out, const char *name, double value);

/* Text at a place; style holds further attributes.  Nothing for NULL. */
void svg_label(FILE *out, double x, double y, const char *style, const char *text);

void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *style);

/*
 * Text from (x, y) downwards in lines of at most so many letters, broken at spaces; `leading` from line to line.
 * Returns how many lines, at least 1; out NULL only counts; text NULL is one line with nothing on it.
 */
int64_t svg_wrapped(FILE *out, double x, double y, double leading, int64_t letters, const char *style,
                    const char *text);

/* The opening tags with title (may be NULL) and ground; the caller ends with "</svg>\n". */
void svg_head(FILE *out, const char *title, double width, double height);

#endif
