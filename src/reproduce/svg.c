/* svg.c - axes, lines with error bars, markers, legend; see svg.h. */
#include "reproduce/svg.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

/* Sizes in pixels. */
enum {
    LEFT = 74,
    TOP = 62,
    PANEL_WIDTH = 370,
    PANEL_HEIGHT = 240,
    GAP_ACROSS = 34,
    GAP_DOWN = 64,
    RIGHT = 24,
    AXIS_LABEL = 46, /* from the lowest panel to the label below it */
    LEGEND_TOP = 74, /* from the lowest panel to the legend */
    LEGEND_LINE = 22,
    LEGEND_MARK = 34, /* the piece of line before a name */
    LETTER = 7,       /* no letter of the legend is wider on average */
    NOTE = 30,
    MARKER = 4,
    CAP = 3, /* half the end of an error bar */
    TICKS = 40
};

static const double DODGE = 2.5;    /* between neighbouring series at the same place, so that bars can be told apart */
static const double PADDING = 0.05; /* of an axis beyond its data */
static const double MANY_DECADES = 4; /* from here on a log axis has ticks at powers of ten alone */
static const int FEW_TICKS = 3;       /* fewer are helped out by ticks at even distances */
static const double WANTED_TICKS = 5; /* at even distances, about */
static const char *const COLOUR[SVG_SERIES] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                               "#E69F00", "#56B4E9", "#000000"};

/* ---- text ---- */

void svg_text(FILE *out, const char *text)
{
    static const char special[] = "&<>\"'";
    static const char *const entity[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (; *text; text++) {
        const char *found = strchr(special, *text);
        if (found) {
            fputs(entity[found - special], out);
        } else if ((unsigned char)*text >= 0x20 && *text != 0x7F) {
            putc(*text, out);
        }
    }
}

/* ` name="value"`, to a hundredth of a pixel. */
static void put_length(FILE *out, const char *name, double value)
{
    char number[NUMBER_BYTES];
    fprintf(out, " %s=\"%s\"", name, number_print(number, round(100.0 * value) / 100.0, 8));
}

static void put_label(FILE *out, double x, double y, const char *style, const char *text)
{
    fputs("<text", out);
    put_length(out, "x", x);
    put_length(out, "y", y);
    fprintf(out, " %s>", style);
    svg_text(out, text);
    fputs("</text>\n", out);
}

static void put_line(FILE *out, double x1, double y1, double x2, double y2, const char *style)
{
    fputs("<line", out);
    put_length(out, "x1", x1);
    put_length(out, "y1", y1);
    put_length(out, "x2", x2);
    put_length(out, "y2", y2);
    fprintf(out, " %s/>\n", style);
}

/* ---- axes ---- */

/* An axis with its range; on a log axis in powers of ten. */
typedef struct scale {
    bool logarithmic;
    double lo, hi;
    double tick[TICKS]; /* values as the data have them */
    int ticks;
} scale;

static double along(const scale *s, double value)
{
    return s->logarithmic ? log10(value) : value;
}

static void widen(scale *s, double value)
{
    double place = along(s, value);
    if (isfinite(place)) {
        s->lo = fmin(s->lo, place);
        s->hi = fmax(s->hi, place);
    }
}

static void add_tick(scale *s, double value)
{
    double place = along(s, value);
    if (s->ticks < TICKS && place >= s->lo && place <= s->hi) {
        s->tick[s->ticks++] = value;
    }
}

/* 1, 2 and 5 times the powers of ten, or these alone. */
static void add_log_ticks(scale *s)
{
    for (double power = floor(s->lo); power <= s->hi; power++) {
        add_tick(s, pow(10.0, power));
        if (s->hi - s->lo < MANY_DECADES) {
            add_tick(s, 2.0 * pow(10.0, power));
            add_tick(s, 5.0 * pow(10.0, power));
        }
    }
}

/* Multiples of 1, 2 or 5 times a power of ten. */
static void add_even_ticks(scale *s)
{
    double lo = s->logarithmic ? pow(10.0, s->lo) : s->lo, hi = s->logarithmic ? pow(10.0, s->hi) : s->hi;
    double power = pow(10.0, floor(log10((hi - lo) / WANTED_TICKS)));
    double ratio = (hi - lo) / WANTED_TICKS / power;
    double step = power * (ratio < 1.5 ? 1.0 : ratio < 3.5 ? 2.0 : ratio < 7.5 ? 5.0 : 10.0);
    for (double k = ceil(lo / step); k <= hi / step && s->ticks < TICKS; k++) {
        add_tick(s, k * step);
    }
}

/* Room around the data, and ticks; an axis without data gets a range all the same. */
static void finish_scale(scale *s)
{
    if (!(s->lo <= s->hi)) {
        s->lo = 0.0;
        s->hi = 1.0;
    }
    double room = s->hi > s->lo ? PADDING * (s->hi - s->lo) : s->logarithmic ? 0.3 : 0.5 * fabs(s->lo) + 0.5;
    s->lo -= room;
    s->hi += room;
    if (s->logarithmic) {
        add_log_ticks(s);
    }
    if (s->ticks < FEW_TICKS) {
        s->ticks = 0;
        add_even_ticks(s);
    }
}

static void scan_series(const svg_series *line, scale *x, scale *y)
{
    for (int64_t i = 0; i < line->points; i++) {
        if (!isfinite(along(x, line->x[i])) || !isfinite(along(y, line->y[i]))) {
            continue;
        }
        widen(x, line->x[i]);
        widen(y, line->y[i]);
        if (line->error && isfinite(line->error[i])) {
            widen(y, line->y[i] + line->error[i]);
            widen(y, fmax(line->y[i] - line->error[i], y->logarithmic ? 0.5 * line->y[i] : -HUGE_VAL));
        }
    }
}

static void scan_chart(const svg_chart *chart, scale *x, scale *y)
{
    *x = (scale){.logarithmic = chart->x.logarithmic, .lo = HUGE_VAL, .hi = -HUGE_VAL};
    *y = (scale){.logarithmic = chart->y.logarithmic, .lo = HUGE_VAL, .hi = -HUGE_VAL};
    for (int64_t p = 0; p < chart->panels; p++) {
        for (int64_t k = 0; k < chart->names; k++) {
            scan_series(&chart->panel[p].series[k], x, y);
        }
    }
    finish_scale(x);
    finish_scale(y);
}

/* ---- one panel ---- */

typedef struct frame {
    FILE *out;
    const scale *x, *y;
    double left, top; /* corner of the panel */
} frame;

static double x_place(const frame *f, double value)
{
    return f->left + PANEL_WIDTH * (along(f->x, value) - f->x->lo) / (f->x->hi - f->x->lo);
}

/* What lies below the axis (the end of a bar) ends at it. */
static double y_place(const frame *f, double value)
{
    double place = fmin(fmax(along(f->y, value), f->y->lo), f->y->hi);
    return f->top + PANEL_HEIGHT * (f->y->hi - place) / (f->y->hi - f->y->lo);
}

static void put_axes(const frame *f, bool is_first)
{
    static const char grid[] = "stroke=\"#dddddd\"";
    char number[NUMBER_BYTES];
    for (int i = 0; i < f->x->ticks; i++) {
        double at = x_place(f, f->x->tick[i]);
        put_line(f->out, at, f->top, at, f->top + PANEL_HEIGHT, grid);
        put_label(f->out, at, f->top + PANEL_HEIGHT + 18, "text-anchor=\"middle\"",
                  number_print(number, f->x->tick[i], 6));
    }
    for (int i = 0; i < f->y->ticks; i++) {
        double at = y_place(f, f->y->tick[i]);
        put_line(f->out, f->left, at, f->left + PANEL_WIDTH, at, grid);
        if (is_first) {
            put_label(f->out, f->left - 8, at + 4, "text-anchor=\"end\"", number_print(number, f->y->tick[i], 6));
        }
    }
    fputs("<rect", f->out);
    put_length(f->out, "x", f->left);
    put_length(f->out, "y", f->top);
    fprintf(f->out, " width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#333333\"/>\n", PANEL_WIDTH, PANEL_HEIGHT);
}

/* Corners of the markers that are polygons, in units of MARKER; the first one is a circle. */
static const char *const OUTLINE[SVG_SERIES] = {NULL,
                                                "-1,-1 1,-1 1,1 -1,1",
                                                "0,-1.3 1.2,1 -1.2,1",
                                                "0,-1.4 1.4,0 0,1.4 -1.4,0",
                                                "0,1.3 1.2,-1 -1.2,-1",
                                                "-.5,-1.3 .5,-1.3 .5,1.3 -.5,1.3",
                                                "-1.3,-.5 1.3,-.5 1.3,.5 -1.3,.5"};

static void put_marker(FILE *out, int64_t k, double x, double y)
{
    char across[NUMBER_BYTES], down[NUMBER_BYTES];
    number_print(across, round(100.0 * x) / 100.0, 8);
    number_print(down, round(100.0 * y) / 100.0, 8);
    const char *corners = OUTLINE[k % SVG_SERIES], *colour = COLOUR[k % SVG_SERIES];
    if (corners) {
        fprintf(out, "<polygon transform=\"translate(%s %s) scale(%d)\" points=\"%s\" fill=\"%s\"/>\n", across, down,
                MARKER, corners, colour);
    } else {
        fprintf(out, "<circle cx=\"%s\" cy=\"%s\" r=\"%d\" fill=\"%s\"/>\n", across, down, MARKER, colour);
    }
}

static bool is_shown(const frame *f, const svg_series *line, int64_t i)
{
    return isfinite(along(f->x, line->x[i])) && isfinite(along(f->y, line->y[i]));
}

static void put_bar(const frame *f, const svg_series *line, int64_t i, double x, const char *style)
{
    double from = line->y[i] - line->error[i], to = line->y[i] + line->error[i];
    if (f->y->logarithmic && from <= 0.0) {
        from = 0.0; // ends at the axis
    }
    put_line(f->out, x, y_place(f, from), x, y_place(f, to), style);
    put_line(f->out, x - CAP, y_place(f, to), x + CAP, y_place(f, to), style);
    if (from > 0.0 || !f->y->logarithmic) {
        put_line(f->out, x - CAP, y_place(f, from), x + CAP, y_place(f, from), style);
    }
}

static void put_series(const frame *f, const svg_chart *chart, int64_t k, const svg_series *line)
{
    double dodge = DODGE * ((double)k - 0.5 * (double)(chart->names - 1));
    char style[64], x[NUMBER_BYTES], y[NUMBER_BYTES];
    snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"1.6\"", COLOUR[k % SVG_SERIES]);
    fprintf(f->out, "<polyline fill=\"none\" %s points=\"", style);
    for (int64_t i = 0; i < line->points; i++) {
        if (is_shown(f, line, i)) {
            fprintf(f->out, "%s,%s ", number_print(x, round(100.0 * (x_place(f, line->x[i]) + dodge)) / 100.0, 8),
                    number_print(y, round(100.0 * y_place(f, line->y[i])) / 100.0, 8));
        }
    }
    fputs("\"/>\n", f->out);
    for (int64_t i = 0; i < line->points; i++) {
        if (!is_shown(f, line, i)) {
            continue;
        }
        double at = x_place(f, line->x[i]) + dodge;
        if (line->error && isfinite(line->error[i])) {
            put_bar(f, line, i, at, style);
        }
        put_marker(f->out, k, at, y_place(f, line->y[i]));
    }
}

static void put_panel(FILE *out, const svg_chart *chart, const scale *x, const scale *y, int64_t p)
{
    int64_t column = p % chart->across, row = p / chart->across;
    frame f = {out, x, y, LEFT + (double)column * (PANEL_WIDTH + GAP_ACROSS),
               TOP + (double)row * (PANEL_HEIGHT + GAP_DOWN)};
    put_label(out, f.left + 0.5 * PANEL_WIDTH, f.top - 8, "text-anchor=\"middle\" font-size=\"14\"",
              chart->panel[p].title);
    put_axes(&f, column == 0);
    for (int64_t k = 0; k < chart->names; k++) {
        put_series(&f, chart, k, &chart->panel[p].series[k]);
    }
}

/* ---- the chart ---- */

/* Entries from left to right, on further lines where they do not fit.  Returns how many; out NULL only counts. */
static int64_t put_legend(FILE *out, const svg_chart *chart, double top, double width)
{
    double x = LEFT;
    int64_t lines = 1;
    for (int64_t k = 0; k < chart->names; k++) {
        double takes = LEGEND_MARK + LETTER * (double)strlen(chart->name[k]) + 16;
        if (x > LEFT && x + takes > width) {
            x = LEFT;
            lines++;
        }
        double y = top + (double)(lines - 1) * LEGEND_LINE;
        if (out) {
            char style[64];
            snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"1.6\"", COLOUR[k % SVG_SERIES]);
            put_line(out, x, y, x + LEGEND_MARK - 8, y, style);
            put_marker(out, k, x + 0.5 * (LEGEND_MARK - 8), y);
            put_label(out, x + LEGEND_MARK, y + 4, "font-size=\"13\"", chart->name[k]);
        }
        x += takes;
    }
    return lines;
}

static void put_head(FILE *out, const svg_chart *chart, double width, double height)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"", out);
    put_length(out, "width", width);
    put_length(out, "height", height);
    fprintf(out, " viewBox=\"0 0 %d %d\"", (int)width, (int)height);
    fputs(" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"#222222\">\n<title>", out);
    svg_text(out, chart->title);
    fputs("</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", out);
}

void svg_write(FILE *out, const svg_chart *chart)
{
    scale x, y;
    scan_chart(chart, &x, &y);
    int64_t down = (chart->panels + chart->across - 1) / chart->across;
    double width = LEFT + (double)chart->across * (PANEL_WIDTH + GAP_ACROSS) - GAP_ACROSS + RIGHT;
    double bottom = TOP + (double)down * (PANEL_HEIGHT + GAP_DOWN) - GAP_DOWN;
    double legend = bottom + LEGEND_TOP, middle = 0.5 * (LEFT + width - RIGHT);
    double note = legend + (double)put_legend(NULL, chart, legend, width) * LEGEND_LINE + 6;
    char turn[96], up[NUMBER_BYTES];
    put_head(out, chart, width, note + NOTE - 12);
    put_label(out, middle, 26, "text-anchor=\"middle\" font-size=\"16\" font-weight=\"bold\"", chart->title);
    for (int64_t p = 0; p < chart->panels; p++) {
        put_panel(out, chart, &x, &y, p);
    }
    put_label(out, middle, bottom + AXIS_LABEL, "text-anchor=\"middle\" font-size=\"14\"", chart->x.label);
    snprintf(turn, sizeof turn, "text-anchor=\"middle\" font-size=\"14\" transform=\"rotate(-90 20 %s)\"",
             number_print(up, 0.5 * (TOP + bottom), 8));
    put_label(out, 20, 0.5 * (TOP + bottom), turn, chart->y.label);
    put_legend(out, chart, legend, width);
    put_label(out, LEFT, note, "fill=\"#555555\"", chart->note);
    fputs("</svg>\n", out);
}
