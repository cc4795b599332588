/* svg_scale.c - see svg_scale.h. */
#include "reproduce/svg_scale.h"

#include <math.h>

static const double PADDING = 0.05;   /* of an axis beyond its data */
static const double MANY_DECADES = 4; /* from here on a log axis has ticks at powers of ten alone */
static const int FEW_TICKS = 3;       /* fewer are helped out by ticks at even distances */
static const double WANTED_TICKS = 5; /* at even distances, about */

double svg_along(const svg_scale *s, double value)
{
    return s->logarithmic ? log10(value) : value;
}

void svg_widen(svg_scale *s, double value)
{
    double place = svg_along(s, value);
    if (isfinite(place)) {
        s->lo = fmin(s->lo, place);
        s->hi = fmax(s->hi, place);
    }
}

static void add_tick(svg_scale *s, double value)
{
    double place = svg_along(s, value);
    if (s->ticks < SVG_TICKS && place >= s->lo && place <= s->hi) {
        s->tick[s->ticks++] = value;
    }
}

/* 1, 2 and 5 times the powers of ten, or these alone. */
static void add_log_ticks(svg_scale *s)
{
    for (int power = (int)floor(s->lo); power <= s->hi; power++) {
        add_tick(s, pow(10.0, power));
        if (s->hi - s->lo < MANY_DECADES) {
            add_tick(s, 2.0 * pow(10.0, power));
            add_tick(s, 5.0 * pow(10.0, power));
        }
    }
}

/* Multiples of 1, 2 or 5 times a power of ten. */
static void add_even_ticks(svg_scale *s)
{
    double lo = s->logarithmic ? pow(10.0, s->lo) : s->lo, hi = s->logarithmic ? pow(10.0, s->hi) : s->hi;
    double power = pow(10.0, floor(log10((hi - lo) / WANTED_TICKS)));
    double ratio = (hi - lo) / WANTED_TICKS / power;
    double step = power * (ratio < 1.5 ? 1.0 : ratio < 3.5 ? 2.0 : ratio < 7.5 ? 5.0 : 10.0);
    double first = ceil(lo / step);
    for (int i = 0; i < SVG_TICKS && first + i <= hi / step; i++) {
        add_tick(s, (first + i) * step);
    }
}

static bool is_given(const svg_axis *axis)
{
    return axis->from < axis->to && isfinite(axis->from) && isfinite(axis->to) &&
           (!axis->logarithmic || axis->from > 0.0);
}

svg_scale svg_scale_begin(const svg_axis *axis)
{
    svg_scale s = {.logarithmic = axis->logarithmic, .lo = HUGE_VAL, .hi = -HUGE_VAL, .closest = HUGE_VAL};
    for (int64_t i = 0; i < axis->ticks; i++) {
        svg_widen(&s, axis->tick[i]);
    }
    return s;
}

void svg_scale_close(svg_scale *s, const svg_axis *axis)
{
    if (is_given(axis)) {
        s->lo = svg_along(s, axis->from);
        s->hi = svg_along(s, axis->to);
    } else if (!(s->lo <= s->hi)) {
        s->lo = 0.0;
        s->hi = 1.0;
    }
}

void svg_scale_finish(svg_scale *s, const svg_axis *axis, double least)
{
    double room = fmax(PADDING, least / (1.0 - 2.0 * least)) * (s->hi - s->lo);
    if (!(s->hi > s->lo)) {
        room = s->logarithmic ? 0.3 : 0.5 * fabs(s->lo) + 0.5;
    }
    s->lo -= room;
    s->hi += room;
    for (int64_t i = 0; i < axis->ticks; i++) {
        add_tick(s, axis->tick[i]);
    }
    if (s->ticks > 0) {
        return;
    }
    if (s->logarithmic) {
        add_log_ticks(s);
    }
    if (s->ticks < FEW_TICKS) {
        s->ticks = 0;
        add_even_ticks(s);
    }
}

bool svg_can_show(const svg_axis *axis, double value)
{
    return isfinite(value) && (!axis->logarithmic || value > 0.0) &&
           (!is_given(axis) || (value >= axis->from && value <= axis->to));
}
