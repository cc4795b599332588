/* text_graph.c - prints what `discover` found: one line per edge, and the order of the variables if there is one. */
#include "base/show.h"
#include "methods/shared/reasoning.h"
#include "write/graph.h"
#include "write/text.h"

#include <inttypes.h>
#include <math.h>

enum {
    MAX_EDGES = 200,
    MAX_ORDERED = 50,
    DIGITS = 4,
    EFFECT_DIGITS = 3,
    ARROW_BYTES = 2 * SHOWN_BYTES + 8,
    ARROW_COLUMNS_MAX = 50
};

static void print_arrow(char out[ARROW_BYTES], const nonsens_result *r, const nonsens_edge *e)
{
    static const char *const mark[] = {"->", "--", "<->"};
    char from[SHOWN_BYTES], to[SHOWN_BYTES];
    snprintf(out, ARROW_BYTES, "%s %s %s", show_bare(from, r->names[e->from]), mark[e->type],
             show_bare(to, r->names[e->to]));
}

static int arrow_columns(const nonsens_result *r, int64_t lines)
{
    char arrow[ARROW_BYTES];
    int widest = 4;
    for (int64_t i = 0; i < lines; i++) {
        print_arrow(arrow, r, &r->edge[i]);
        widest = text_wider(widest, arrow);
    }
    return widest < ARROW_COLUMNS_MAX ? widest : ARROW_COLUMNS_MAX;
}

static void print_value(FILE *f, const char *name, double value)
{
    char number[NUMBER_BYTES];
    if (isfinite(value)) {
        fprintf(f, "  %s %s", name, value != 0.0 ? number_print(number, value, DIGITS) : "0");
    }
}

static bool has_effects(const nonsens_result *r)
{
    bool any = false;
    for (int64_t i = 0; i < r->edges; i++) {
        any = any || !isnan(r->edge[i].effect);
    }
    return any;
}

/* Prints the direct effect and its interval. */
static void print_effect(FILE *f, const nonsens_edge *e)
{
    char value[NUMBER_BYTES], low[NUMBER_BYTES], high[NUMBER_BYTES];
    if (isnan(e->effect)) {
        fputs("  effect open", f);
        return;
    }
    fprintf(f, "  effect %s (%s to %s)", number_print(value, e->effect, EFFECT_DIGITS),
            number_print(low, e->effect_low, EFFECT_DIGITS), number_print(high, e->effect_high, EFFECT_DIGITS));
}

static void print_edges(FILE *f, const nonsens_result *r)
{
    bool effects = has_effects(r);
    char arrow[ARROW_BYTES], p_value[REASONING_P_BYTES];
    int64_t lines = r->edges < MAX_EDGES ? r->edges : MAX_EDGES;
    int width = arrow_columns(r, lines);
    for (int64_t i = 0; i < lines; i++) {
        print_arrow(arrow, r, &r->edge[i]);
        fputs("  ", f);
        text_print_padded(f, arrow, width);
        print_value(f, "weight", r->edge[i].weight);
        if (effects) {
            print_effect(f, &r->edge[i]);
        }
        if (!isnan(r->edge[i].p_value)) {
            fprintf(f, "  %s", reasoning_p(p_value, r->edge[i].p_value));
        }
        print_value(f, "support", r->edge[i].support);
        if (report_directed_by(r->edge[i].directed_by)) {
            fprintf(f, "  by %s", report_directed_by(r->edge[i].directed_by));
        }
        fputs(report_is_marked(&r->edge[i]) ? "  hidden common cause likely\n" : "\n", f);
    }
    if (lines < r->edges) {
        fprintf(f, "  ... and %" PRId64 " more; --json shows them\n", r->edges - lines);
    }
    if (effects) {
        fputs("  ", f);
        text_print_words(f,
                         "effect: change of the mean if the cause goes from its lower to its upper quartile, its other "
                         "causes as observed, with the 95 % interval given this graph",
                         2, 2);
    }
}

static void print_targets(FILE *f, const nonsens_result *r)
{
    static const char *const KIND[] = {[NONSENS_TARGET_FIXED] = "set from outside",
                                       [NONSENS_TARGET_CHANGED] = "another mechanism",
                                       [NONSENS_TARGET_ACTIVITY] = "other effects on others",
                                       [NONSENS_TARGET_UNKNOWN] = "not known"};
    char label[SHOWN_BYTES], name[SHOWN_BYTES], p[REASONING_P_BYTES];
    bool any_known = false;
    for (int64_t k = 0; k < r->target_count; k++) {
        any_known = any_known || r->target[k].known;
    }
    text_print_heading(f, any_known ? "Interventions, by segment" : "Mechanisms that differ, by segment");
    for (int64_t k = 0; k < r->target_count && k < MAX_EDGES; k++) {
        const nonsens_target *t = &r->target[k];
        fprintf(f, "  %s: %s, %s", show_bare(label, t->segment), show_bare(name, r->names[t->variable]), KIND[t->kind]);
        if (t->known) {
            fputs(" (--targets)\n", f);
        } else {
            fprintf(f, " (found, %s)\n", reasoning_p(p, t->p_value));
        }
    }
    if (r->target_count > MAX_EDGES) {
        fprintf(f, "  ... and %" PRId64 " more; --json shows them\n", r->target_count - MAX_EDGES);
    }
}

static void print_order(FILE *f, const nonsens_result *r)
{
    char name[SHOWN_BYTES];
    text_print_heading(f, "Order, causes first");
    fputs("  ", f);
    for (int64_t i = 0; i < r->variables && i < MAX_ORDERED; i++) {
        fprintf(f, "%s%s", i ? ", " : "", show_bare(name, r->names[r->order[i]]));
    }
    fputs(r->variables > MAX_ORDERED ? ", ...\n" : "\n", f);
}

/* Explains the marks of edges that the graph has. */
static void print_legend(FILE *f, const nonsens_result *r)
{
    static const char *const mark[] = {"a -> b: a causes b", "a -- b: direction not known", "a <-> b: "};
    const char *before = " (";
    for (int type = 0; type < 3; type++) {
        if (report_has_edge(r, type)) {
            bool both = type == NONSENS_EDGE_BIDIRECTED;
            fprintf(f, "%s%s%s", before, mark[type], both ? report_edge_meaning(r, type) : "");
            before = "; ";
        }
    }
    fputs(r->edges > 0 ? ")\n" : "\n", f);
}

void text_print_graph(FILE *f, const nonsens_result *r)
{
    fputs(r->unfinished ? "unfinished: " : "", f);
    text_print_count(f, r->edges, "edge", " between ");
    bool given = r->options.graph[0] != '\0'; // to explain
    text_print_count(f, r->variables, "variable", given ? ", as --graph has them" : " by ");
    fputs(given ? "" : r->method, f);
    print_legend(f, r);
    print_edges(f, r);
    if (r->reason) {
        text_print_words(f, r->reason, 0, 0);
    }
    if (r->bootstrap.replicates > 0) {
        text_print_bootstrap(f, r);
    }
    if (r->target_count > 0) {
        print_targets(f, r);
    }
    if (r->order) {
        print_order(f, r);
    }
}
