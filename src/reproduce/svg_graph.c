/* svg_graph.c - nodes as ellipses, edges as curves between their rims, labels where there is room; see svg_graph.h. */
#include "reproduce/svg_graph.h"

#include "base/number.h"
#include "reproduce/svg_parts.h"

#include <math.h>
#include <stdbool.h>

/* Sizes in pixels. */
enum {
    MARGIN = 24,
    TOP = 62, /* of the first row of panels, where the title takes one line */
    TITLE_LINE = 22,
    PANEL_WIDTH = 430,
    PANEL_HEIGHT = 340,
    GAP_ACROSS = 30,
    GAP_DOWN = 44,
    NODE_HEIGHT = 17, /* half of it */
    NODE_WIDTH = 22,  /* half of the least */
    INSET = 12,       /* from a node to the panel's edge */
    BOW = 30,         /* between neighbouring edges of the same two nodes, at their middle */
    CLEAR = 6,        /* from an edge to a node that it passes */
    LEGEND_TOP = 30,
    LEGEND_LINE = 22,
    LEGEND_MARK = 52,
    NOTE_LINE = 17,
    STEPS = 32,   /* of a curve, where it is looked at point by point */
    HALVINGS = 40 /* of an interval, until it is a point */
};

/* No letter is wider on average, in pixels. */
static const double LETTER = 7.4, TITLE_LETTER = 9, NOTE_LETTER = 6.2;

static const double NO_SUPPORT = 0.3; /* the width of an edge without support is that of this one */

typedef struct edge_looks {
    const char *colour, *dash; /* dash: attributes, may be empty */
} edge_looks;
static const edge_looks LOOKS[SVG_EDGE_CLASSES] = {[SVG_FEASIBLE] = {"#0072B2", ""},
                                                   [SVG_INFEASIBLE] = {"#D55E00", " stroke-dasharray=\"7 4\""},
                                                   [SVG_OTHER] = {"#8c8c8c", ""}};

static double line_width(double support)
{
    return 1.2 + 2.8 * (isfinite(support) ? fmin(fmax(support, 0.0), 1.0) : NO_SUPPORT);
}

/* ---- places ---- */

typedef struct point {
    double x, y;
} point;

/* An ellipse around a name. */
typedef struct oval {
    point centre;
    double width, height; /* half of them */
} oval;

typedef struct panel {
    FILE *out;
    const svg_graph *graph;
    double left, top, width, height, inset;
} panel;

static bool has_place(const svg_graph *g, int64_t node)
{
    return node >= 0 && node < g->nodes && isfinite(g->node[node].x) && isfinite(g->node[node].y);
}

static double half_width(const svg_node *node)
{
    return fmax(NODE_WIDTH, 0.5 * LETTER * (double)svg_letters(node->name) + 9);
}

static double widest_node(const svg_graph *g)
{
    double widest = NODE_WIDTH;
    for (int64_t i = 0; i < g->nodes; i++) {
        widest = fmax(widest, half_width(&g->node[i]));
    }
    return widest;
}

static oval oval_of(const panel *p, int64_t node)
{
    const svg_node *n = &p->graph->node[node];
    double x = fmin(fmax(n->x, 0.0), 1.0), y = fmin(fmax(n->y, 0.0), 1.0), above = NODE_HEIGHT + INSET;
    return (oval){
        {p->left + p->inset + x * (p->width - 2.0 * p->inset), p->top + above + y * (p->height - 2.0 * above)},
        half_width(n),
        NODE_HEIGHT};
}

static bool is_inside(const oval *o, point p, double margin)
{
    double x = (p.x - o->centre.x) / (o->width + margin), y = (p.y - o->centre.y) / (o->height + margin);
    return x * x + y * y < 1.0;
}

static double distance(point a, point b)
{
    return hypot(a.x - b.x, a.y - b.y);
}

/* ---- curves ---- */

/* A parabola from centre to centre, drawn from rim to rim. */
typedef struct curve {
    bool drawn;
    point from, bend, to;
    double begin, end; /* between 0 and 1: where it leaves the one node and meets the other */
} curve;

static point curve_at(const curve *c, double t)
{
    double a = (1.0 - t) * (1.0 - t), b = 2.0 * t * (1.0 - t), d = t * t;
    return (point){a * c->from.x + b * c->bend.x + d * c->to.x, a * c->from.y + b * c->bend.y + d * c->to.y};
}

/* A curve that passes the middle of its ends at the distance `bow`, to the left as seen from the first of them. */
static curve curve_between(const oval *from, const oval *to, double bow)
{
    double length = distance(from->centre, to->centre);
    curve c = {length > 0.0, from->centre, from->centre, to->centre, 0.0, 1.0};
    if (c.drawn) {
        double x = (to->centre.x - from->centre.x) / length, y = (to->centre.y - from->centre.y) / length;
        c.bend = (point){0.5 * (from->centre.x + to->centre.x) + 2.0 * bow * y,
                         0.5 * (from->centre.y + to->centre.y) - 2.0 * bow * x};
    }
    return c;
}

/* Where the curve crosses the rim, between a place inside and one outside. */
static double rim(const curve *c, const oval *o, double inside, double outside)
{
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (inside + outside);
        *(is_inside(o, curve_at(c, middle), 0.0) ? &inside : &outside) = middle;
    }
    return outside;
}

/* The part between the rims; not drawn where the nodes leave nothing of it. */
static void cut_curve(curve *c, const oval *from, const oval *to)
{
    point middle = curve_at(c, 0.5);
    if (!c->drawn || is_inside(from, middle, 1.0) || is_inside(to, middle, 1.0)) {
        c->drawn = false;
        return;
    }
    c->begin = rim(c, from, 0.0, 0.5);
    c->end = rim(c, to, 1.0, 0.5);
}

/* How much of the curve lies in or at nodes that are not its own. */
static int nodes_in_the_way(const panel *p, const curve *c, const svg_edge *edge)
{
    int count = 0;
    for (int64_t k = 0; k < p->graph->nodes; k++) {
        if (k == edge->from || k == edge->to || !has_place(p->graph, k)) {
            continue;
        }
        oval o = oval_of(p, k);
        for (int i = 1; i < STEPS; i++) {
            count += is_inside(&o, curve_at(c, (double)i / STEPS), CLEAR);
        }
    }
    return count;
}

static bool leaves_panel(const panel *p, const curve *c)
{
    point middle = curve_at(c, 0.5);
    return middle.x < p->left + 4 || middle.x > p->left + p->width - 4 || middle.y < p->top + 4 ||
           middle.y > p->top + p->height - 4;
}

static bool joins_same(const svg_edge *a, const svg_edge *b)
{
    return (a->from == b->from && a->to == b->to) || (a->from == b->to && a->to == b->from);
}

/* The bow of an edge among those between the same two nodes, seen from the first of these by index. */
static double own_bow(const svg_graph *g, int64_t e)
{
    int64_t all = 0, before = 0;
    for (int64_t k = 0; k < g->edges; k++) {
        bool same = joins_same(&g->edge[k], &g->edge[e]);
        all += same;
        before += same && k < e;
    }
    return BOW * ((double)before - 0.5 * (double)(all - 1));
}

static curve bowed(const panel *p, int64_t e, double further)
{
    const svg_edge *edge = &p->graph->edge[e];
    oval from = oval_of(p, edge->from), to = oval_of(p, edge->to);
    double side = edge->from < edge->to ? 1.0 : -1.0;
    return curve_between(&from, &to, side * (own_bow(p->graph, e) + further));
}

/* What stands in the way of all edges between the same two nodes, which bow further together and so stay apart. */
static int bow_cost(const panel *p, int64_t e, double further)
{
    int cost = 0;
    for (int64_t k = 0; k < p->graph->edges; k++) {
        if (joins_same(&p->graph->edge[k], &p->graph->edge[e])) {
            curve c = bowed(p, k, further);
            cost += nodes_in_the_way(p, &c, &p->graph->edge[k]) + (leaves_panel(p, &c) ? STEPS : 0);
        }
    }
    return cost;
}

static curve curve_of(const panel *p, int64_t e)
{
    static const double FURTHER[] = {0, 1, -1, 1.7, -1.7, 2.5, -2.5}; // in BOW
    const svg_edge *edge = &p->graph->edge[e];
    if (edge->from == edge->to || !has_place(p->graph, edge->from) || !has_place(p->graph, edge->to)) {
        return (curve){.drawn = false};
    }
    double best = 0.0;
    int least = INT32_MAX;
    for (size_t i = 0; i < sizeof FURTHER / sizeof *FURTHER && least > 0; i++) {
        int cost = bow_cost(p, e, BOW * FURTHER[i]);
        if (cost < least) {
            least = cost;
            best = BOW * FURTHER[i];
        }
    }
    curve c = bowed(p, e, best);
    oval from = oval_of(p, edge->from), to = oval_of(p, edge->to);
    cut_curve(&c, &from, &to);
    return c;
}

/* ---- edges ---- */

/* Where on the curve, `way` before its end, the line stops and the head begins; `end` is either end of it. */
static double before_end(const curve *c, double end, double way)
{
    double tip_at = end, far = 0.5 * (c->begin + c->end);
    point tip = curve_at(c, tip_at);
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (tip_at + far);
        *(distance(curve_at(c, middle), tip) < way ? &tip_at : &far) = middle;
    }
    return far;
}

static void put_point(FILE *out, const char *before, point p)
{
    char x[NUMBER_BYTES], y[NUMBER_BYTES];
    fprintf(out, "%s%s,%s", before, svg_pixels(x, p.x), svg_pixels(y, p.y));
}

/* A triangle from its base to its tip. */
static void put_head(FILE *out, point base, point tip, double half, const char *colour)
{
    double length = distance(base, tip);
    if (!(length > 0.0)) {
        return;
    }
    double x = half * (tip.x - base.x) / length, y = half * (tip.y - base.y) / length;
    fputs("<polygon points=\"", out);
    put_point(out, "", tip);
    put_point(out, " ", (point){base.x - y, base.y + x});
    put_point(out, " ", (point){base.x + y, base.y - x});
    fprintf(out, "\" fill=\"%s\"/>\n", colour);
}

/* The curve between two places on it is a parabola as well, whose control point is where the tangents meet. */
static void put_path(FILE *out, const curve *c, double begin, double end, double width, const edge_looks *l)
{
    char pixels[NUMBER_BYTES];
    double a = (1.0 - begin) * (1.0 - end), b = begin * (1.0 - end) + end * (1.0 - begin), d = begin * end;
    point bend = {a * c->from.x + b * c->bend.x + d * c->to.x, a * c->from.y + b * c->bend.y + d * c->to.y};
    fputs("<path d=\"", out);
    put_point(out, "M", curve_at(c, begin));
    put_point(out, " Q", bend);
    put_point(out, " ", curve_at(c, end));
    fprintf(out, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"%s/>\n", l->colour, svg_pixels(pixels, width),
            l->dash);
}

static const edge_looks *looks_of(const svg_edge *edge)
{
    bool known = (int)edge->class >= 0 && edge->class < SVG_EDGE_CLASSES;
    return &LOOKS[known ? edge->class : SVG_OTHER];
}

/* A short piece of line between two nodes keeps half of its length, whatever the size of its heads. */
static void put_curve(FILE *out, const curve *c, const svg_edge *edge)
{
    double width = line_width(edge->support), length = distance(curve_at(c, c->begin), curve_at(c, c->end));
    double head = fmin(8.0 + 1.6 * width, 0.5 * length), half = head * 0.42;
    double begin = edge->kind == SVG_TWO_HEADED ? before_end(c, c->begin, head) : c->begin;
    double end = edge->kind == SVG_LINE ? c->end : before_end(c, c->end, head);
    const edge_looks *l = looks_of(edge);
    put_path(out, c, begin, end, width, l);
    if (edge->kind == SVG_TWO_HEADED) {
        put_head(out, curve_at(c, begin), curve_at(c, c->begin), half, l->colour);
    }
    if (edge->kind != SVG_LINE) {
        put_head(out, curve_at(c, end), curve_at(c, c->end), half, l->colour);
    }
}

/* ---- labels of edges ---- */

typedef struct box {
    point centre;
    double width, height; /* half of them */
} box;

static bool boxes_meet(const box *a, const box *b)
{
    return fabs(a->centre.x - b->centre.x) < a->width + b->width &&
           fabs(a->centre.y - b->centre.y) < a->height + b->height;
}

static bool is_in_box(const box *b, point p)
{
    return fabs(p.x - b->centre.x) < b->width && fabs(p.y - b->centre.y) < b->height;
}

enum { LABEL_COST = 1000, NODE_COST = 1000 }; /* of covering them; a point of another edge costs 1 */

static int label_cost(const panel *p, const box *b, int64_t e, const curve *curves, int64_t edges, const box *placed,
                      int64_t labels)
{
    int cost = 0;
    for (int64_t k = 0; k < labels; k++) {
        cost += boxes_meet(b, &placed[k]) ? LABEL_COST : 0;
    }
    for (int64_t k = 0; k < p->graph->nodes; k++) {
        if (has_place(p->graph, k)) {
            oval o = oval_of(p, k);
            box node = {o.centre, o.width, o.height};
            cost += boxes_meet(b, &node) ? NODE_COST : 0;
        }
    }
    for (int64_t k = 0; k < edges; k++) {
        for (int i = 0; i <= STEPS && k != e && curves[k].drawn; i++) {
            const curve *c = &curves[k];
            cost += is_in_box(b, curve_at(c, c->begin + (c->end - c->begin) * i / STEPS));
        }
    }
    return cost;
}

/* On its curve, as near to the middle as it covers nothing. */
static box place_label(const panel *p, int64_t e, const curve *curves, int64_t edges, const box *placed, int64_t labels)
{
    static const double PLACE[] = {0.5, 0.44, 0.56, 0.38, 0.62, 0.32, 0.68, 0.26, 0.74};
    const curve *c = &curves[e];
    box best = {{0.0, 0.0}, 0.0, 0.0};
    int least = INT32_MAX;
    for (size_t i = 0; i < sizeof PLACE / sizeof *PLACE && least > 0; i++) {
        box b = {curve_at(c, c->begin + (c->end - c->begin) * PLACE[i]),
                 0.5 * LETTER * (double)svg_letters(p->graph->edge[e].label) + 2, 8};
        int cost = label_cost(p, &b, e, curves, edges, placed, labels);
        if (cost < least) {
            least = cost;
            best = b;
        }
    }
    return best;
}

/* Twice: a white seam first, which not all viewers would put behind the letters of the same element. */
static void put_edge_label(FILE *out, point at, const char *text)
{
    svg_label(out, at.x, at.y + 4,
              "text-anchor=\"middle\" aria-hidden=\"true\" stroke=\"#ffffff\" stroke-width=\"7\" "
              "stroke-linejoin=\"round\" fill=\"#ffffff\"",
              text);
    svg_label(out, at.x, at.y + 4, "text-anchor=\"middle\"", text);
}

static void put_edges(const panel *p)
{
    curve curves[SVG_GRAPH_EDGES];
    box placed[SVG_GRAPH_EDGES];
    int64_t edges = p->graph->edges < SVG_GRAPH_EDGES ? p->graph->edges : SVG_GRAPH_EDGES, labels = 0;
    for (int64_t e = 0; e < edges; e++) {
        curves[e] = curve_of(p, e);
        if (curves[e].drawn) {
            put_curve(p->out, &curves[e], &p->graph->edge[e]);
        }
    }
    for (int64_t e = 0; e < edges; e++) { // above all lines
        if (curves[e].drawn && p->graph->edge[e].label) {
            placed[labels] = place_label(p, e, curves, edges, placed, labels);
            put_edge_label(p->out, placed[labels].centre, p->graph->edge[e].label);
            labels++;
        }
    }
}

/* ---- the chart ---- */

static void put_node(const panel *p, int64_t node)
{
    oval o = oval_of(p, node);
    fputs("<ellipse", p->out);
    svg_length(p->out, "cx", o.centre.x);
    svg_length(p->out, "cy", o.centre.y);
    svg_length(p->out, "rx", o.width);
    svg_length(p->out, "ry", o.height);
    fputs(" fill=\"#f4f4f4\" stroke=\"#333333\" stroke-width=\"1.2\"/>\n", p->out);
    svg_label(p->out, o.centre.x, o.centre.y + 4.5, "text-anchor=\"middle\" font-size=\"13\"",
              p->graph->node[node].name);
}

static void put_panel(const panel *p)
{
    svg_label(p->out, p->left + 0.5 * p->width, p->top - 8, "text-anchor=\"middle\" font-size=\"14\"", p->graph->title);
    fputs("<rect", p->out);
    svg_length(p->out, "x", p->left);
    svg_length(p->out, "y", p->top);
    svg_length(p->out, "width", p->width);
    svg_length(p->out, "height", p->height);
    fputs(" fill=\"none\" stroke=\"#cccccc\"/>\n", p->out);
    put_edges(p);
    for (int64_t i = 0; i < p->graph->nodes; i++) {
        if (has_place(p->graph, i)) {
            put_node(p, i);
        }
    }
}

static bool class_occurs(const svg_graph_chart *chart, int class)
{
    for (int64_t i = 0; i < chart->graphs; i++) {
        for (int64_t e = 0; e < chart->graph[i].edges; e++) {
            if ((int)chart->graph[i].edge[e].class == class) {
                return true;
            }
        }
    }
    return false;
}

/* Entries from left to right, on further lines where they do not fit.  Returns how many; out NULL only counts. */
static int64_t put_legend(FILE *out, const svg_graph_chart *chart, double top, double width)
{
    double x = MARGIN;
    int64_t lines = 0;
    for (int class = 0; class < SVG_EDGE_CLASSES; class ++) {
        if (!chart->class_name[class] || !class_occurs(chart, class)) {
            continue;
        }
        double takes = LEGEND_MARK + LETTER * (double)svg_letters(chart->class_name[class]) + 20;
        if (lines == 0 || x + takes > width) {
            x = MARGIN;
            lines++;
        }
        if (out) {
            double y = top + (double)(lines - 1) * LEGEND_LINE;
            svg_edge sample = {.kind = SVG_LINE, .class = (svg_edge_class) class, .support = 0.5};
            curve c = {true, {x, y}, {x + 0.5 * (LEGEND_MARK - 8), y}, {x + LEGEND_MARK - 8, y}, 0.0, 1.0};
            put_curve(out, &c, &sample);
            svg_label(out, x + LEGEND_MARK, y + 4, "font-size=\"13\"", chart->class_name[class]);
        }
        x += takes;
    }
    return lines;
}

/* One inset for all, so that the same coordinates are the same place in every panel. */
static void put_panels(FILE *out, const svg_graph_chart *chart, double top, double width, double height)
{
    double inset = 0.0;
    for (int64_t i = 0; i < chart->graphs; i++) {
        inset = fmax(inset, widest_node(&chart->graph[i]) + INSET);
    }
    for (int64_t i = 0; i < chart->graphs; i++) {
        panel p = {out,
                   &chart->graph[i],
                   MARGIN + (double)(i % chart->across) * (width + GAP_ACROSS),
                   top + (double)(i / chart->across) * (height + GAP_DOWN),
                   width,
                   height,
                   fmin(inset, 0.5 * width)};
        put_panel(&p);
    }
}

void svg_graph_write(FILE *out, const svg_graph_chart *chart)
{
    double panel_width = chart->panel_width > 0.0 ? chart->panel_width : PANEL_WIDTH;
    double panel_height = chart->panel_height > 0.0 ? chart->panel_height : PANEL_HEIGHT;
    double down = (double)((chart->graphs + chart->across - 1) / chart->across);
    double width = 2 * MARGIN + (double)chart->across * (panel_width + GAP_ACROSS) - GAP_ACROSS;
    int64_t title_letters = (int64_t)((width - 2 * MARGIN) / TITLE_LETTER);
    int64_t note_letters = (int64_t)((width - 2 * MARGIN) / NOTE_LETTER);
    double top = TOP + (double)(svg_wrapped(NULL, 0, 0, 0, title_letters, "", chart->title) - 1) * TITLE_LINE;
    double legend = top + down * (panel_height + GAP_DOWN) - GAP_DOWN + LEGEND_TOP;
    double note = legend + (double)put_legend(NULL, chart, legend, width) * LEGEND_LINE + 4;
    double lines = (double)svg_wrapped(NULL, 0, 0, 0, note_letters, "", chart->note);
    svg_head(out, chart->title, width, note + (lines - 1) * NOTE_LINE + 18);
    svg_wrapped(out, 0.5 * width, 26, TITLE_LINE, title_letters,
                "text-anchor=\"middle\" font-size=\"16\" font-weight=\"bold\"", chart->title);
    put_panels(out, chart, top, panel_width, panel_height);
    put_legend(out, chart, legend, width);
    svg_wrapped(out, MARGIN, note, NOTE_LINE, note_letters, "fill=\"#555555\"", chart->note);
    fputs("</svg>\n", out);
}
