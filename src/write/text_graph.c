/* text_graph.c - prints graphs: one line per edge with its strength and certainty, then what remains open. */
#include "base/show.h"
#include "methods/shared/reasoning.h"
#include "write/graph.h"
#include "write/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    SHORT_EDGES = 16,
    SHORT_PAIRS = 4, /* number of open edges that are named */
    WEIGHT_DIGITS = 4,
    EFFECT_DIGITS = 3,
    SUPPORT_DIGITS = 3,
    ARROW_BYTES = 2 * TEXT_NAME_BYTES + 8,
    ARROW_COLUMNS_MAX = 60,
    LINE_BYTES = SHORT_PAIRS * ARROW_BYTES + 400
};

static void print_arrow(char out[ARROW_BYTES], const nonsens_result *r, const nonsens_edge *e)
{
    static const char *const mark[] = {"->", "--", "<->"};
    char from[TEXT_NAME_BYTES], to[TEXT_NAME_BYTES];
    snprintf(out, ARROW_BYTES, "%s %s %s", text_name(from, r->names, r->variables, e->from), mark[e->type],
             text_name(to, r->names, r->variables, e->to));
}

/* ---- edges ---- */

/* Which values the edges of a graph have, and how wide their columns are. */
typedef struct columns {
    bool effects, weights, p_values, supports;
    int arrow, effect, low, high, weight;
} columns;

/* Prints a value of an edge's effect to the place of the last digit that the wider end of its interval has. */
static const char *effect_cell(char cell[NUMBER_BYTES], const nonsens_edge *e, double value)
{
    double widest = fmax(fabs(value), fmax(fabs(e->effect_low), fabs(e->effect_high))); // fmax ignores NaN
    if (value == 0.0 || !isfinite(value)) {
        return value == 0.0 ? "0" : "-";
    }
    int last = (int)floor(log10(widest)) - (EFFECT_DIGITS - 1); // power of ten
    int digits = (int)floor(log10(fabs(value))) - last + 1;
    if (fabs(value) >= 0.5 * pow(10.0, last)) {
        return number_print(cell, value, digits > 1 ? digits : 1);
    }
    snprintf(cell, NUMBER_BYTES, last < 0 ? "0.%0*d" : "0", -last, 0);
    return cell;
}

static const char *weight_cell(char cell[NUMBER_BYTES], double value)
{
    return value == 0.0 ? "0" : !isfinite(value) ? "-" : number_print(cell, value, WEIGHT_DIGITS);
}

static columns measure(const nonsens_result *r, int64_t lines)
{
    columns c = {.arrow = 4};
    char arrow[ARROW_BYTES], cell[NUMBER_BYTES];
    for (int64_t i = 0; i < lines; i++) {
        const nonsens_edge *e = &r->edge[i];
        print_arrow(arrow, r, e);
        c.arrow = text_wider(c.arrow, arrow);
        c.effects = c.effects || !isnan(e->effect);
        c.weights = c.weights || isfinite(e->weight);
        c.p_values = c.p_values || !isnan(e->p_value);
        c.supports = c.supports || isfinite(e->support);
        c.effect = text_wider(c.effect, effect_cell(cell, e, e->effect));
        c.low = text_wider(c.low, effect_cell(cell, e, e->effect_low));
        c.high = text_wider(c.high, effect_cell(cell, e, e->effect_high));
        c.weight = text_wider(c.weight, weight_cell(cell, e->weight));
    }
    c.arrow = c.arrow < ARROW_COLUMNS_MAX ? c.arrow : ARROW_COLUMNS_MAX;
    return c;
}

/* Prints the direct effect and its interval. */
static void print_effect(FILE *f, const nonsens_edge *e, const columns *c)
{
    char value[NUMBER_BYTES], low[NUMBER_BYTES], high[NUMBER_BYTES], interval[3 * NUMBER_BYTES];
    if (isnan(e->effect)) {
        fprintf(f, "   effect open%*s", c->effect + c->low + c->high + 11, "");
        return;
    }
    snprintf(interval, sizeof interval, "%*s .. %s", c->low, effect_cell(low, e, e->effect_low),
             effect_cell(high, e, e->effect_high));
    fprintf(f, "   effect %*s   95 %% CI ", c->effect, effect_cell(value, e, e->effect));
    text_print_padded(f, interval, c->low + 4 + c->high);
}

static void print_edge(FILE *f, const nonsens_result *r, const nonsens_edge *e, const columns *c, bool all)
{
    char arrow[ARROW_BYTES], cell[NUMBER_BYTES], p_value[REASONING_P_BYTES];
    print_arrow(arrow, r, e);
    fputs("  ", f);
    text_print_padded(f, arrow, c->arrow);
    if (c->weights && (all || !c->effects)) {
        fprintf(f, "   weight %*s", c->weight, weight_cell(cell, e->weight));
    }
    if (c->effects) {
        print_effect(f, e, c);
    }
    if (c->p_values) {
        fprintf(f, "   %s", isnan(e->p_value) ? "no test  " : reasoning_p(p_value, e->p_value));
    }
    if (c->supports) {
        fprintf(f, "   support %s", e->support == 0.0 ? "0" : number_print(cell, e->support, SUPPORT_DIGITS));
    }
    if (all && report_directed_by(e->directed_by)) {
        fprintf(f, "   by %s", report_directed_by(e->directed_by));
    }
    fputs(report_is_marked(e) ? "   (!)\n" : "\n", f);
}

/* Explains the columns and marks that occur in the lines. */
static int print_legend(FILE *f, const nonsens_result *r, const columns *c)
{
    char line[LINE_BYTES] = "";
    size_t used = 0;
    int lines = 0;
    if (report_has_edge(r, NONSENS_EDGE_UNDIRECTED)) {
        used += (size_t)snprintf(line + used, sizeof line - used, "--: direction not known. ");
    }
    if (report_has_edge(r, NONSENS_EDGE_BIDIRECTED)) {
        used += (size_t)snprintf(line + used, sizeof line - used, "<->: %s. ",
                                 report_edge_meaning(r, NONSENS_EDGE_BIDIRECTED));
    }
    if (report_has_marked_edge(r)) {
        used += (size_t)snprintf(line + used, sizeof line - used, "(!): hidden common cause likely. ");
    }
    if (c->effects) {
        used += (size_t)snprintf(
            line + used, sizeof line - used,
            "effect: change in the mean of the second variable if the first goes from its lower to its "
            "upper quartile. %s",
            c->p_values ? "p: of the edge, whatever its shape. " : "");
    }
    if (c->supports) {
        snprintf(line + used, sizeof line - used, "support: share of the %" PRId64 " bootstrap samples with this edge.",
                 r->bootstrap.replicates);
    }
    if (line[0]) {
        fputs("  ", f);
        lines += text_print_words(f, line, 2, 2);
    }
    return lines;
}

int text_print_edges(FILE *f, const nonsens_result *r, bool all)
{
    bool cut = !all && r->edges > SHORT_EDGES;
    int64_t lines = cut ? SHORT_EDGES - 1 : r->edges;
    columns c = measure(r, lines);
    for (int64_t i = 0; i < lines; i++) {
        print_edge(f, r, &r->edge[i], &c, all);
    }
    if (cut) {
        fprintf(f, "  ... and %" PRId64 " more; --verbose shows them\n", r->edges - lines);
    }
    return (int)lines + cut + print_legend(f, r, &c);
}

/* ---- what is open ---- */

typedef bool edge_is_fn(const nonsens_edge *e);

static bool is_undirected(const nonsens_edge *e)
{
    return e->type == NONSENS_EDGE_UNDIRECTED;
}

static bool is_bidirected(const nonsens_edge *e)
{
    return e->type == NONSENS_EDGE_BIDIRECTED;
}

/* Prints "3 edges without a direction: a -- b, c -- d, ...". */
static int print_open(FILE *f, const nonsens_result *r, edge_is_fn *is, const char *what)
{
    char list[LINE_BYTES] = "", line[sizeof list + 120], arrow[ARROW_BYTES];
    int64_t count = 0;
    size_t used = 0;
    for (int64_t i = 0; i < r->edges; i++) {
        if (is(&r->edge[i]) && ++count <= SHORT_PAIRS) {
            print_arrow(arrow, r, &r->edge[i]);
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", count > 1 ? ", " : "", arrow);
        }
    }
    if (count == 0) {
        return 0;
    }
    snprintf(line, sizeof line, "Open: %" PRId64 " edge%s %s: %s%s", count, count == 1 ? "" : "s", what, list,
             count > SHORT_PAIRS ? ", ..." : "");
    return text_print_words(f, line, 0, 2);
}

/* Prints "No edge: a, b" for variables without an edge. */
static int print_alone(FILE *f, const nonsens_result *r)
{
    char list[LINE_BYTES] = "", line[sizeof list + 20], shown[TEXT_NAME_BYTES];
    size_t used = 0;
    int64_t count = 0;
    for (int64_t j = 0; j < r->variables; j++) {
        bool linked = false;
        for (int64_t k = 0; k < r->edges && !linked; k++) {
            linked = r->edge[k].from == j || r->edge[k].to == j;
        }
        if (!linked && ++count <= SHORT_PAIRS) {
            const char *name = text_name(shown, r->names, r->variables, j);
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", count > 1 ? ", " : "", name);
        }
    }
    snprintf(line, sizeof line, "No edge: %s%s", list, count > SHORT_PAIRS ? ", ..." : "");
    return count > 0 && r->edges > 0 ? text_print_words(f, line, 0, 2) : 0;
}

static bool has_caution(const nonsens_result *r)
{
    bool found = false;
    for (int64_t i = 0; i < r->notes; i++) {
        found = found || r->note[i].level != NONSENS_NOTE_INFO;
    }
    return found;
}

static int print_all_open(FILE *f, const nonsens_result *r)
{
    fputc('\n', f);
    int alone = print_alone(f, r), lines = print_open(f, r, is_undirected, "without a direction");
    lines += print_open(f, r, is_bidirected, "with a head at both ends");
    lines += print_open(f, r, report_is_marked, "with a hidden common cause likely");
    if (r->unfinished) {
        lines += text_print_words(f, "Open: the search was ended early; this is the best graph so far.", 0, 2);
    }
    if (lines == 0 && r->edges > 0) {
        lines += text_print_words(f,
                                  has_caution(r) ? "Open: every edge has a direction, but see the cautions."
                                                 : "Open: nothing; every edge has a direction.",
                                  0, 2);
    }
    return 1 + alone + lines;
}

/* ---- the graph ---- */

static int print_head(FILE *f, const nonsens_result *r)
{
    char data[TEXT_DATA_BYTES];
    bool given = r->options.graph[0] != '\0'; // for explain or effect
    fputs(r->unfinished ? "unfinished: " : "", f);
    text_print_count(f, r->edges, "edge", " between ");
    text_print_count(f, r->variables, "variable", given ? ", as --graph has them" : " by ");
    fprintf(f, "%s (%s)\n", given ? "" : r->method, text_data(data, r));
    return 1;
}

int text_print_discovered(FILE *f, const nonsens_result *r, bool all)
{
    int lines = print_head(f, r);
    if (r->edges > 0) {
        fputc('\n', f);
        lines += 1 + text_print_edges(f, r, all);
    }
    if (r->reason) {
        lines += text_print_words(f, r->reason, 0, 0);
    }
    lines += print_all_open(f, r);
    if (r->bootstrap.replicates > 0) {
        lines += text_print_bootstrap(f, r);
    }
    if (r->target_count > 0) {
        lines += text_print_targets(f, r, all);
    }
    if (r->order && all) {
        text_print_order(f, r);
    }
    return lines;
}

int text_print_basis(FILE *f, const nonsens_result *r, bool all)
{
    fputs("Graph: ", f);
    int lines = print_head(f, r);
    return all ? lines + text_print_edges(f, r, true) : lines;
}
