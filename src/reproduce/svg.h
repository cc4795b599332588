/*
 * svg.h - line charts in panels as self-contained SVG: no scripts, no fonts, text as text, a white ground.
 *
 * All panels share the series' names and looks: colours of Wong ("Color blindness", Nature Methods 8, 2011), and a
 * marker for each series and dashes besides, so that nothing hangs on colour.  Panels share both axes too, unless a row
 * of panels has its own.  Nothing is allocated; at most SVG_SERIES series differ in looks.
 *
 * Every field that is 0 or NULL is off, so name the fields that you need and leave out the rest.
 */
#ifndef REPRODUCE_SVG_H
#define REPRODUCE_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SVG_SERIES = 12 };

/* How much a series stands out. */
typedef enum svg_emphasis {
    SVG_NORMAL,
    SVG_BOLD,  /* our method: thick, above all others */
    SVG_THIN,  /* baselines: thin and dashed */
    SVG_DOTTED /* a ceiling: dotted, without colour */
} svg_emphasis;

/*
 * Points in the order of the line.  Those that cannot be shown (not finite; not positive on a log axis; outside a given
 * range) are left out.  Series are set apart sideways by a few pixels and points lie above all lines, so that equal
 * values do not hide one another.
 */
typedef struct svg_series {
    int64_t points;
    const double *x, *y; /* (points) */
    const double *error; /* (points) half the length of an upright bar; NULL: no bars */
} svg_series;

/* A dashed red line across a panel with its label at the right, such as the 95 % of a test at level 0.05. */
typedef struct svg_reference {
    double y;
    const char *label; /* short; NULL: no line */
} svg_reference;

typedef struct svg_panel {
    const char *title;        /* NULL: none */
    const svg_series *series; /* one for each name of the chart */
    svg_reference reference;
} svg_panel;

typedef struct svg_axis {
    const char *label;
    bool logarithmic;
    double from, to;    /* the range where from < to, a little room is added; otherwise that of data and ticks */
    int64_t ticks;      /* how many; 0: round numbers */
    const double *tick; /* (ticks) rising */
} svg_axis;

/* A row of panels.  An axis without a label is the chart's own, shared with all rows that do likewise. */
typedef struct svg_row {
    const char *title; /* above the row; NULL: none */
    svg_axis x, y;
} svg_row;

typedef struct svg_chart {
    const char *title, *note; /* above and below everything */
    svg_axis x, y;
    int64_t names;
    const char *const *name;          /* of the series, for the legend */
    const svg_emphasis *emphasis;     /* (names) NULL: all normal */
    int64_t panels, across;           /* how many, and how many side by side */
    const svg_panel *panel;           /* row by row */
    const svg_row *row;               /* one for each row of panels; NULL: one pair of axes for all */
    double panel_width, panel_height; /* in pixels; 0: 370 and 240 */
    double dodge;                     /* from one series to the next, in pixels; 0: 2.5; less where it is narrow */
} svg_chart;

/* Errors in writing are left to whoever closes the stream. */
void svg_write(FILE *out, const svg_chart *chart);

#endif
