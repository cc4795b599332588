/*
 * svg.h - line charts in panels as self-contained SVG: no scripts, no fonts, text as text, a white ground.
 *
 * All panels share both axes and the series' names, colours and markers (the palette of Wong, "Color blindness", Nature
 * Methods 8, 2011; each series has a marker of its own as well, so that nothing hangs on colour).  Nothing is
 * allocated; at most SVG_SERIES series differ in looks.
 */
#ifndef REPRODUCE_SVG_H
#define REPRODUCE_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SVG_SERIES = 7 };

/* Points in the order of the line.  Those that cannot be shown (not finite; not positive on a log axis) are left out.
 */
typedef struct svg_series {
    int64_t points;
    const double *x, *y; /* (points) */
    const double *error; /* (points) half the length of an upright bar; NULL: no bars */
} svg_series;

typedef struct svg_panel {
    const char *title;
    const svg_series *series; /* one for each name of the chart */
} svg_panel;

typedef struct svg_axis {
    const char *label;
    bool logarithmic;
} svg_axis;

typedef struct svg_chart {
    const char *title, *note; /* above and below everything */
    svg_axis x, y;
    int64_t names;
    const char *const *name; /* of the series, for the legend */
    int64_t panels, across;  /* how many, and how many side by side */
    const svg_panel *panel;
} svg_chart;

/* Errors in writing are left to whoever closes the stream. */
void svg_write(FILE *out, const svg_chart *chart);

/* Text between tags or in an attribute: markup escaped, control characters left out. */
void svg_text(FILE *out, const char *text);

#endif
