/* svg_scale.h - from values to places along an axis: range, room and ticks. */
#ifndef REPRODUCE_SVG_SCALE_H
#define REPRODUCE_SVG_SCALE_H

#include "reproduce/svg.h"

#include <stdbool.h>

enum { SVG_TICKS = 40 };

/* An axis with its range; on a log axis in powers of ten. */
typedef struct svg_scale {
    bool logarithmic;
    double lo, hi;
    double closest;         /* the least way from a point of a series to the next */
    double tick[SVG_TICKS]; /* values as the data have them */
    int ticks;
} svg_scale;

/* A value as lo and hi are measured. */
double svg_along(const svg_scale *s, double value);

/* Whether a value has a place: finite, positive on a log axis, in the range if one is given. */
bool svg_can_show(const svg_axis *axis, double value);

/* An empty range, but for the axis's own ticks; widened by values one by one; closed, that is not empty, and the given
 * one if one is given; finished with ticks and with room around it, at least the share `least` of the panel at either
 * end. */
svg_scale svg_scale_begin(const svg_axis *axis);
void svg_widen(svg_scale *s, double value);
void svg_scale_close(svg_scale *s, const svg_axis *axis);
void svg_scale_finish(svg_scale *s, const svg_axis *axis, double least);

#endif
