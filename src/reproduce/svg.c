/* svg.c - axes, lines with error bars, markers, legend; see svg.h. */
#include "reproduce/svg.h"

#include "base/number.h"
#include "reproduce/svg_parts.h"
#include "reproduce/svg_scale.h"

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
    ROW_TITLE = 24,
    PANEL_TITLE = 20, /* of GAP_DOWN */
    TITLE_LINE = 22,
    AXIS_LABEL = 46, /* from a panel to the label below it */
    LABEL_ROOM = 26, /* more of a gap where a label stands in it */
    LEGEND_TOP = 74, /* from the lowest panel to the legend */
    LEGEND_LINE = 22,
    LEGEND_MARK = 34,      /* the piece of line before a name */
    LEGEND_LONG_MARK = 52, /* where dashes are to be told apart */
    NOTE = 30,
    NOTE_LINE = 17,
    CAP = 3 /* half the end of an error bar */
};

/* No letter is wider on average, in pixels. */
static const double LETTER = 7, TITLE_LETTER = 9, NOTE_LETTER = 6.2;

static const double DODGE = 2.5; /* between neighbouring series at the same place, so that bars can be told apart */
static const double CROWD = 0.6; /* of the way from one place to the next is the most that all series take */
static const double EDGE = 7;    /* from the outermost series' place to the edge of a panel, at least */

/* ---- looks ---- */

enum { COLOURS = 7, DASHES = 4 };
static const char *const COLOUR[COLOURS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                            "#E69F00", "#56B4E9", "#000000"};
static const char *const DASH[DASHES] = {"6 3", "2.5 2.5", "9 3 2 3", "12 4"};

/* Corners of the markers that are polygons, in units of their size; NULL is a circle. */
typedef struct marker {
    const char *corners;
    bool hollow;
} marker;
static const marker MARKER[SVG_SERIES] = {{NULL, false},
                                          {"-1,-1 1,-1 1,1 -1,1", false},
                                          {"0,-1.3 1.2,1 -1.2,1", false},
                                          {"0,-1.4 1.4,0 0,1.4 -1.4,0", false},
                                          {"0,1.3 1.2,-1 -1.2,-1", false},
                                          {"-.5,-1.5 .5,-1.5 .5,-.5 1.5,-.5 1.5,.5 .5,.5 .5,1.5 -.5,1.5 -.5,.5 -1.5,.5 "
                                           "-1.5,-.5 -.5,-.5",
                                           false},
                                          {"-1.3,-.7 -.7,-1.3 0,-.6 .7,-1.3 1.3,-.7 .6,0 1.3,.7 .7,1.3 0,.6 -.7,1.3 "
                                           "-1.3,.7 -.6,0",
                                           false},
                                          {NULL, true},
                                          {"-1,-1 1,-1 1,1 -1,1", true},
                                          {"0,-1.3 1.2,1 -1.2,1", true},
                                          {"0,-1.4 1.4,0 0,1.4 -1.4,0", true},
                                          {"-.5,-1.3 .5,-1.3 .5,1.3 -.5,1.3", false}};

typedef struct looks {
    const char *colour, *width, *bar, *dash; /* as attributes; dash NULL: solid */
    marker marker;
    int size; /* of the marker */
} looks;

static svg_emphasis emphasis_of(const svg_chart *chart, int64_t k)
{
    return chart->emphasis ? chart->emphasis[k] : SVG_NORMAL;
}

static looks looks_of(const svg_chart *chart, int64_t k)
{
    looks l = {COLOUR[k % COLOURS], "1.6", "1.6", k % SVG_SERIES < COLOURS ? NULL : DASH[0], MARKER[k % SVG_SERIES], 4};
    switch (emphasis_of(chart, k)) {
    case SVG_BOLD:
        l.width = "3.2";
        l.size = 5;
        break;
    case SVG_THIN:
        l.width = l.bar = "1.1";
        l.dash = DASH[k % DASHES];
        l.size = 3;
        break;
    case SVG_DOTTED:
        l.colour = "#555555";
        l.width = "2";
        l.dash = "0.1 4.4\" stroke-linecap=\"round";
        l.size = 3;
        break;
    case SVG_NORMAL:
        break;
    }
    return l;
}

/* Attributes of the line; of its bars, which are not dashed, and thin enough to leave the markers in sight. */
enum { STYLE_BYTES = 128 };
static const char *line_style(const looks *l, char style[STYLE_BYTES])
{
    int used = snprintf(style, STYLE_BYTES, "stroke=\"%s\" stroke-width=\"%s\"", l->colour, l->width);
    if (l->dash) {
        snprintf(style + used, STYLE_BYTES - (size_t)used, " stroke-dasharray=\"%s\"", l->dash);
    }
    return style;
}

static const char *bar_style(const looks *l, char style[STYLE_BYTES])
{
    snprintf(style, STYLE_BYTES, "stroke=\"%s\" stroke-width=\"%s\"", l->colour, l->bar);
    return style;
}

static void put_marker(FILE *out, const looks *l, double x, double y)
{
    char across[NUMBER_BYTES], down[NUMBER_BYTES], fill[STYLE_BYTES];
    svg_pixels(across, x);
    svg_pixels(down, y);
    if (l->marker.hollow) {
        snprintf(fill, sizeof fill, "fill=\"#ffffff\" stroke=\"%s\" stroke-width=\"%s\"", l->colour,
                 l->marker.corners ? "0.35" : "1.4");
    } else {
        snprintf(fill, sizeof fill, "fill=\"%s\"", l->colour);
    }
    if (l->marker.corners) {
        fprintf(out, "<polygon transform=\"translate(%s %s) scale(%d)\" points=\"%s\" %s/>\n", across, down, l->size,
                l->marker.corners, fill);
    } else {
        fprintf(out, "<circle cx=\"%s\" cy=\"%s\" r=\"%d\" %s/>\n", across, down, l->size, fill);
    }
}

/* ---- rows and their axes ---- */

static int64_t rows_of(const svg_chart *chart)
{
    return (chart->panels + chart->across - 1) / chart->across;
}

static const svg_axis *x_axis(const svg_chart *chart, int64_t row)
{
    return chart->row && chart->row[row].x.label ? &chart->row[row].x : &chart->x;
}

static const svg_axis *y_axis(const svg_chart *chart, int64_t row)
{
    return chart->row && chart->row[row].y.label ? &chart->row[row].y : &chart->y;
}

static void scan_x(svg_scale *x, const svg_series *line, const svg_axis *along_x, const svg_axis *along_y)
{
    double last = NAN;
    for (int64_t i = 0; i < line->points; i++) {
        if (svg_can_show(along_x, line->x[i]) && svg_can_show(along_y, line->y[i])) {
            double place = svg_along(x, line->x[i]), way = fabs(place - last);
            svg_widen(x, line->x[i]);
            x->closest = way > 0.0 ? fmin(x->closest, way) : x->closest;
            last = place;
        }
    }
}

static void scan_y(svg_scale *y, const svg_series *line, const svg_axis *along_x, const svg_axis *along_y)
{
    for (int64_t i = 0; i < line->points; i++) {
        if (!svg_can_show(along_x, line->x[i]) || !svg_can_show(along_y, line->y[i])) {
            continue;
        }
        svg_widen(y, line->y[i]);
        if (line->error && isfinite(line->error[i])) {
            svg_widen(y, line->y[i] + line->error[i]);
            svg_widen(y, fmax(line->y[i] - line->error[i], y->logarithmic ? 0.5 * line->y[i] : -HUGE_VAL));
        }
    }
}

/* The axes of a row, over all panels that share them, with the room that series set apart sideways need. */
typedef struct row_scales {
    svg_scale x, y;
    double dodge; /* from one series to the next, in pixels */
} row_scales;

/* From one series to the next, in pixels.  `way` is the least from place to place, as a share of the axis without room.
 * All series together take total = CROWD way (width - total - 2 EDGE), for the axis keeps what they leave of the width.
 */
static double dodge_of(const svg_chart *chart, double way, double width)
{
    double wanted = chart->dodge > 0.0 ? chart->dodge : DODGE;
    if (chart->names < 2 || !isfinite(way)) {
        return wanted;
    }
    double total = CROWD * way * (width - 2.0 * EDGE) / (1.0 + CROWD * way);
    return fmin(wanted, fmax(total, 0.0) / (double)(chart->names - 1));
}

static void scan_row(const svg_chart *chart, int64_t row, double panel_width, row_scales *out)
{
    const svg_axis *mine_x = x_axis(chart, row), *mine_y = y_axis(chart, row);
    out->x = svg_scale_begin(mine_x);
    out->y = svg_scale_begin(mine_y);
    for (int64_t p = 0; p < chart->panels; p++) {
        const svg_panel *panel = &chart->panel[p];
        const svg_axis *x = x_axis(chart, p / chart->across), *y = y_axis(chart, p / chart->across);
        for (int64_t k = 0; k < chart->names && x == mine_x; k++) {
            scan_x(&out->x, &panel->series[k], x, y);
        }
        for (int64_t k = 0; k < chart->names && y == mine_y; k++) {
            scan_y(&out->y, &panel->series[k], x, y);
        }
        if (y == mine_y && panel->reference.label) {
            svg_widen(&out->y, panel->reference.y);
        }
    }
    svg_scale_close(&out->x, mine_x);
    svg_scale_close(&out->y, mine_y);
    double others = fmax((double)(chart->names - 1), 0.0);
    out->dodge = dodge_of(chart, out->x.closest / (out->x.hi - out->x.lo), panel_width);
    svg_scale_finish(&out->x, mine_x, fmin(0.45, (0.5 * out->dodge * others + EDGE) / panel_width));
    svg_scale_finish(&out->y, mine_y, 0.0);
}

/* ---- where everything stands ---- */

typedef struct layout {
    double panel_width, panel_height, gap, right, width; /* pixels */
    int64_t title_letters, title_lines;
} layout;

static bool has_reference(const svg_chart *chart, int64_t p)
{
    const svg_reference *r = &chart->panel[p].reference;
    return r->label && svg_can_show(y_axis(chart, p / chart->across), r->y);
}

/* The label of a reference stands at the last of neighbouring panels that have the same. */
static bool has_reference_label(const svg_chart *chart, int64_t p)
{
    if (!has_reference(chart, p)) {
        return false;
    }
    bool is_last = p + 1 == chart->panels || (p + 1) % chart->across == 0;
    if (is_last || !has_reference(chart, p + 1)) {
        return true;
    }
    const svg_reference *mine = &chart->panel[p].reference, *next = &chart->panel[p + 1].reference;
    return next->y != mine->y || strcmp(next->label, mine->label) != 0;
}

static layout lay_out(const svg_chart *chart)
{
    layout l = {chart->panel_width > 0.0 ? chart->panel_width : PANEL_WIDTH,
                chart->panel_height > 0.0 ? chart->panel_height : PANEL_HEIGHT,
                GAP_ACROSS,
                RIGHT,
                0.0,
                0,
                0};
    for (int64_t p = 0; p < chart->panels; p++) {
        if (has_reference_label(chart, p)) {
            double takes = LETTER * (double)svg_letters(chart->panel[p].reference.label) + 12;
            double *room = p % chart->across == chart->across - 1 ? &l.right : &l.gap;
            *room = fmax(*room, takes);
        }
    }
    l.width = LEFT + (double)chart->across * (l.panel_width + l.gap) - l.gap + l.right;
    l.title_letters = (int64_t)((l.width - 2 * RIGHT) / TITLE_LETTER);
    l.title_lines = svg_wrapped(NULL, 0, 0, 0, l.title_letters, "", chart->title);
    return l;
}

static bool has_label_below(const svg_chart *chart, int64_t row)
{
    return row + 1 == rows_of(chart) || x_axis(chart, row) != x_axis(chart, row + 1);
}

static bool has_panel_titles(const svg_chart *chart, int64_t row)
{
    for (int64_t p = row * chart->across; p < chart->panels && p < (row + 1) * chart->across; p++) {
        if (chart->panel[p].title) {
            return true;
        }
    }
    return false;
}

static double row_top(const svg_chart *chart, const layout *l, int64_t row)
{
    double top = TOP + (double)(l->title_lines - 1) * TITLE_LINE;
    for (int64_t r = 0; r <= row; r++) {
        top += chart->row && chart->row[r].title ? ROW_TITLE : 0;
        top -= r > 0 && !has_panel_titles(chart, r) ? PANEL_TITLE : 0;
        if (r < row) {
            top += l->panel_height + GAP_DOWN + (has_label_below(chart, r) ? LABEL_ROOM : 0);
        }
    }
    return top;
}

/* ---- one panel ---- */

typedef struct frame {
    FILE *out;
    const svg_axis *x_axis, *y_axis;
    const row_scales *scales;
    double left, top, width, height;
} frame;

static double x_place(const frame *f, double value)
{
    const svg_scale *x = &f->scales->x;
    return f->left + f->width * (svg_along(x, value) - x->lo) / (x->hi - x->lo);
}

/* What lies beyond the axis (the end of a bar) ends at it. */
static double y_place(const frame *f, double value)
{
    const svg_scale *y = &f->scales->y;
    double place = fmin(fmax(svg_along(y, value), y->lo), y->hi);
    return f->top + f->height * (y->hi - place) / (y->hi - y->lo);
}

static void put_x_ticks(const frame *f, const char *grid)
{
    char number[NUMBER_BYTES];
    double end = -HUGE_VAL; // of the last number, so that none is written into another
    for (int i = 0; i < f->scales->x.ticks; i++) {
        double at = x_place(f, f->scales->x.tick[i]);
        svg_line(f->out, at, f->top, at, f->top + f->height, grid);
        double half = 0.5 * LETTER * (double)strlen(number_print(number, f->scales->x.tick[i], 6));
        if (at - half >= end) {
            svg_label(f->out, at, f->top + f->height + 18, "text-anchor=\"middle\"", number);
            end = at + half + 2;
        }
    }
}

static void put_axes(const frame *f, bool is_first)
{
    static const char grid[] = "stroke=\"#dddddd\"";
    char number[NUMBER_BYTES];
    put_x_ticks(f, grid);
    for (int i = 0; i < f->scales->y.ticks; i++) {
        double at = y_place(f, f->scales->y.tick[i]);
        svg_line(f->out, f->left, at, f->left + f->width, at, grid);
        if (is_first) {
            svg_label(f->out, f->left - 8, at + 4, "text-anchor=\"end\"",
                      number_print(number, f->scales->y.tick[i], 6));
        }
    }
    fputs("<rect", f->out);
    svg_length(f->out, "x", f->left);
    svg_length(f->out, "y", f->top);
    svg_length(f->out, "width", f->width);
    svg_length(f->out, "height", f->height);
    fputs(" fill=\"none\" stroke=\"#333333\"/>\n", f->out);
}

static void put_reference(const frame *f, const svg_reference *reference, bool with_label)
{
    double y = y_place(f, reference->y);
    svg_line(f->out, f->left, y, f->left + f->width, y,
             "stroke=\"#CC0000\" stroke-width=\"1.4\" stroke-dasharray=\"7 4\"");
    if (with_label) {
        svg_label(f->out, f->left + f->width + 5, y + 4, "fill=\"#CC0000\"", reference->label);
    }
}

static bool is_shown(const frame *f, const svg_series *line, int64_t i)
{
    return svg_can_show(f->x_axis, line->x[i]) && svg_can_show(f->y_axis, line->y[i]);
}

/* An end of a bar; none where the bar goes on beyond the axis. */
static void put_cap(const frame *f, double x, double value, const char *style)
{
    const svg_scale *y = &f->scales->y;
    if (svg_along(y, value) >= y->lo && svg_along(y, value) <= y->hi) {
        svg_line(f->out, x - CAP, y_place(f, value), x + CAP, y_place(f, value), style);
    }
}

static void put_bar(const frame *f, const svg_series *line, int64_t i, double x, const char *style)
{
    double from = line->y[i] - line->error[i], to = line->y[i] + line->error[i];
    if (f->scales->y.logarithmic && from <= 0.0) {
        from = 0.0; // ends at the axis
    }
    svg_line(f->out, x, y_place(f, from), x, y_place(f, to), style);
    put_cap(f, x, to, style);
    put_cap(f, x, from, style);
}

/* How far series k is set apart sideways. */
static double dodge_at(const frame *f, const svg_chart *chart, int64_t k)
{
    return f->scales->dodge * ((double)k - 0.5 * (double)(chart->names - 1));
}

static void put_line(const frame *f, const svg_chart *chart, int64_t k, const svg_series *line)
{
    double dodge = dodge_at(f, chart, k);
    char style[STYLE_BYTES], x[NUMBER_BYTES], y[NUMBER_BYTES];
    looks l = looks_of(chart, k);
    fprintf(f->out, "<polyline fill=\"none\" %s points=\"", line_style(&l, style));
    for (int64_t i = 0; i < line->points; i++) {
        if (is_shown(f, line, i)) {
            fprintf(f->out, "%s,%s ", svg_pixels(x, x_place(f, line->x[i]) + dodge),
                    svg_pixels(y, y_place(f, line->y[i])));
        }
    }
    fputs("\"/>\n", f->out);
}

static void put_points(const frame *f, const svg_chart *chart, int64_t k, const svg_series *line)
{
    double dodge = dodge_at(f, chart, k);
    char style[STYLE_BYTES];
    looks l = looks_of(chart, k);
    bar_style(&l, style);
    for (int64_t i = 0; i < line->points; i++) {
        if (!is_shown(f, line, i)) {
            continue;
        }
        double at = x_place(f, line->x[i]) + dodge;
        if (line->error && isfinite(line->error[i])) {
            put_bar(f, line, i, at, style);
        }
        put_marker(f->out, &l, at, y_place(f, line->y[i]));
    }
}

typedef void (*put_fn)(const frame *f, const svg_chart *chart, int64_t k, const svg_series *line);

/* What stands out most is drawn last. */
static void put_each(const frame *f, const svg_chart *chart, const svg_series *series, put_fn put)
{
    static const svg_emphasis ORDER[] = {SVG_DOTTED, SVG_THIN, SVG_NORMAL, SVG_BOLD};
    for (size_t i = 0; i < sizeof ORDER / sizeof *ORDER; i++) {
        for (int64_t k = 0; k < chart->names; k++) {
            if (emphasis_of(chart, k) == ORDER[i]) {
                put(f, chart, k, &series[k]);
            }
        }
    }
}

/* Points lie above all lines: where many series have the same values, the last line would hide the others' points. */
static void put_all_series(const frame *f, const svg_chart *chart, const svg_series *series)
{
    put_each(f, chart, series, put_line);
    put_each(f, chart, series, put_points);
}

static void put_panel(FILE *out, const svg_chart *chart, const layout *l, const row_scales *scales, int64_t p)
{
    int64_t column = p % chart->across, row = p / chart->across;
    const svg_panel *panel = &chart->panel[p];
    frame f = {out,
               x_axis(chart, row),
               y_axis(chart, row),
               scales,
               LEFT + (double)column * (l->panel_width + l->gap),
               row_top(chart, l, row),
               l->panel_width,
               l->panel_height};
    svg_label(out, f.left + 0.5 * f.width, f.top - 8, "text-anchor=\"middle\" font-size=\"14\"", panel->title);
    put_axes(&f, column == 0);
    if (has_reference(chart, p)) {
        put_reference(&f, &panel->reference, has_reference_label(chart, p));
    }
    put_all_series(&f, chart, panel->series);
}

/* ---- the chart ---- */

static double entry_width(const svg_chart *chart, int64_t k, double mark)
{
    return mark + LETTER * (double)svg_letters(chart->name[k]) + 16;
}

/* A few entries follow one another; many, or with dashes that take room, stand in columns.  Returns the width of these,
 * 0 for none. */
static double legend_column(const svg_chart *chart)
{
    double widest = 0.0;
    for (int64_t k = 0; k < chart->names; k++) {
        widest = fmax(widest, 1.08 * entry_width(chart, k, LEGEND_LONG_MARK));
    }
    return chart->emphasis || chart->names > COLOURS ? widest : 0.0;
}

/* Entries from left to right, on further lines where they do not fit.  Returns how many; out NULL only counts. */
static int64_t put_legend(FILE *out, const svg_chart *chart, double top, double width)
{
    double x = LEFT, column = legend_column(chart), mark = column > 0.0 ? LEGEND_LONG_MARK : LEGEND_MARK;
    int64_t lines = 1;
    for (int64_t k = 0; k < chart->names; k++) {
        double takes = column > 0.0 ? column : entry_width(chart, k, mark);
        if (x > LEFT && x + takes > width) {
            x = LEFT;
            lines++;
        }
        double y = top + (double)(lines - 1) * LEGEND_LINE;
        if (out) {
            char style[STYLE_BYTES];
            looks l = looks_of(chart, k);
            svg_line(out, x, y, x + mark - 8, y, line_style(&l, style));
            put_marker(out, &l, x + 0.5 * (mark - 8), y);
            svg_label(out, x + mark, y + 4, "font-size=\"13\"", chart->name[k]);
        }
        x += takes;
    }
    return lines;
}

static void put_row_title(FILE *out, const svg_chart *chart, const layout *l, int64_t row)
{
    if (chart->row) {
        double y = row_top(chart, l, row) - (has_panel_titles(chart, row) ? 32 : 12);
        svg_label(out, LEFT, y, "font-size=\"14\" font-weight=\"bold\"", chart->row[row].title);
    }
}

static void put_y_label(FILE *out, double middle, const char *label)
{
    char turn[128], up[NUMBER_BYTES];
    snprintf(turn, sizeof turn, "text-anchor=\"middle\" font-size=\"14\" transform=\"rotate(-90 20 %s)\"",
             number_print(up, middle, 8));
    svg_label(out, 20, middle, turn, label);
}

/* Rows of their own have labels each; panels that share all have one for all. */
static void put_axis_labels(FILE *out, const svg_chart *chart, const layout *l)
{
    int64_t rows = rows_of(chart);
    double middle = 0.5 * (LEFT + l->width - l->right);
    for (int64_t r = 0; r < rows; r++) {
        if (has_label_below(chart, r)) {
            svg_label(out, middle, row_top(chart, l, r) + l->panel_height + AXIS_LABEL,
                      "text-anchor=\"middle\" font-size=\"14\"", x_axis(chart, r)->label);
        }
    }
    for (int64_t r = 0; r < rows && chart->row; r++) {
        put_y_label(out, row_top(chart, l, r) + 0.5 * l->panel_height, y_axis(chart, r)->label);
    }
    if (!chart->row) {
        put_y_label(out, 0.5 * (row_top(chart, l, 0) + row_top(chart, l, rows - 1) + l->panel_height), chart->y.label);
    }
}

static void put_panels(FILE *out, const svg_chart *chart, const layout *l)
{
    row_scales scales;
    for (int64_t p = 0; p < chart->panels; p++) {
        if (p % chart->across == 0) {
            scan_row(chart, p / chart->across, l->panel_width, &scales);
            put_row_title(out, chart, l, p / chart->across);
        }
        put_panel(out, chart, l, &scales, p);
    }
}

void svg_write(FILE *out, const svg_chart *chart)
{
    layout l = lay_out(chart);
    double legend = row_top(chart, &l, rows_of(chart) - 1) + l.panel_height + LEGEND_TOP;
    double note = legend + (double)put_legend(NULL, chart, legend, l.width) * LEGEND_LINE + 6;
    int64_t letters = (int64_t)((l.width - LEFT - RIGHT) / NOTE_LETTER);
    int64_t lines = svg_wrapped(NULL, 0, 0, 0, letters, "", chart->note);
    svg_head(out, chart->title, l.width, note + (double)(lines - 1) * NOTE_LINE + NOTE - 12);
    svg_wrapped(out, 0.5 * (LEFT + l.width - RIGHT), 26, TITLE_LINE, l.title_letters,
                "text-anchor=\"middle\" font-size=\"16\" font-weight=\"bold\"", chart->title);
    put_panels(out, chart, &l);
    put_axis_labels(out, chart, &l);
    put_legend(out, chart, legend, l.width);
    svg_wrapped(out, LEFT, note, NOTE_LINE, letters, "fill=\"#555555\"", chart->note);
    fputs("</svg>\n", out);
}
