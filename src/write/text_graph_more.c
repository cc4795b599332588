/* text_graph_more.c - prints what a graph has besides its edges: bootstrap samples, interventions, an order. */
#include "base/show.h"
#include "methods/shared/reasoning.h"
#include "write/text.h"

#include <inttypes.h>

enum { MAX_LINES = 5, MAX_ORDERED = 50, DIGITS = 3 };

/* Edges with at least this support get a line. */
static const double MANY = 0.5;

/* An edge and the number of bootstrap samples that have it. */
typedef struct counted_edge {
    int64_t from, to, count;
    int type;
} counted_edge;

enum { KINDS = 4 };
static void edges_of(const result_edge_counts *p, counted_edge edge[KINDS])
{
    edge[0] = (counted_edge){p->a, p->b, p->forward, NONSENS_EDGE_DIRECTED};
    edge[1] = (counted_edge){p->b, p->a, p->backward, NONSENS_EDGE_DIRECTED};
    edge[2] = (counted_edge){p->a, p->b, p->undirected, NONSENS_EDGE_UNDIRECTED};
    edge[3] = (counted_edge){p->a, p->b, p->bidirected, NONSENS_EDGE_BIDIRECTED};
}

static bool is_in_graph(const nonsens_result *r, const counted_edge *e)
{
    for (int64_t i = 0; i < r->edges; i++) {
        if (r->edge[i].from == e->from && r->edge[i].to == e->to && r->edge[i].type == e->type) {
            return true;
        }
    }
    return false;
}

/* Prints edges that at least half of the bootstrap samples have but the graph has not; returns the number of lines. */
static int print_missing(FILE *f, const nonsens_result *r, double good)
{
    static const char *const mark[] = {"->", "--", "<->"};
    char from[TEXT_NAME_BYTES], to[TEXT_NAME_BYTES], number[NUMBER_BYTES];
    int64_t lines = 0;
    for (int64_t i = 0; i < r->bootstrap.pairs; i++) {
        counted_edge edge[KINDS];
        edges_of(&r->bootstrap.pair[i], edge);
        for (int k = 0; k < KINDS; k++) {
            double share = (double)edge[k].count / good;
            if (share < MANY || is_in_graph(r, &edge[k])) {
                continue;
            }
            if (lines == 0) {
                fputs("Not in the graph, but in at least half of the bootstrap samples:\n", f);
            }
            if (lines++ < MAX_LINES) {
                fprintf(f, "  %s %s %s   support %s\n", text_name(from, r->names, r->variables, edge[k].from),
                        mark[edge[k].type], text_name(to, r->names, r->variables, edge[k].to),
                        number_print(number, share, DIGITS));
            }
        }
    }
    if (lines > MAX_LINES) {
        fprintf(f, "  ... and %" PRId64 " more; --json shows them\n", lines - MAX_LINES);
    }
    return lines == 0 ? 0 : lines > MAX_LINES ? MAX_LINES + 2 : (int)lines + 1;
}

int text_print_bootstrap(FILE *f, const nonsens_result *r)
{
    const result_bootstrap *s = &r->bootstrap;
    text_print_count(f, s->replicates, "bootstrap sample", "");
    fputs(r->options.resample == RESAMPLE_HALF ? " of half of the rows" : " of the rows, drawn with replacement", f);
    if (s->failed > 0) {
        fprintf(f, ", of which %" PRId64 " failed", s->failed);
    }
    fputs(".\n", f);
    return 1 + (s->replicates > s->failed ? print_missing(f, r, (double)(s->replicates - s->failed)) : 0);
}

/* ---- interventions ---- */

int text_print_targets(FILE *f, const nonsens_result *r, bool all)
{
    static const char *const KIND[] = {[NONSENS_TARGET_FIXED] = "set from outside",
                                       [NONSENS_TARGET_CHANGED] = "another mechanism",
                                       [NONSENS_TARGET_ACTIVITY] = "other effects on others",
                                       [NONSENS_TARGET_UNKNOWN] = "not known"};
    char label[TEXT_NAME_BYTES], name[TEXT_NAME_BYTES], p[REASONING_P_BYTES];
    bool any_known = false;
    int64_t shown = all || r->target_count <= MAX_LINES ? r->target_count : MAX_LINES - 1;
    for (int64_t k = 0; k < r->target_count; k++) {
        any_known = any_known || r->target[k].known;
    }
    text_print_heading(f, any_known ? "Interventions, by segment" : "Mechanisms that differ, by segment");
    for (int64_t k = 0; k < shown; k++) {
        const nonsens_target *t = &r->target[k];
        fprintf(f, "  %s: %s, %s", show_bare(label, t->segment), text_name(name, r->names, r->variables, t->variable),
                KIND[t->kind]);
        if (t->known) {
            fputs(" (--targets)\n", f);
        } else {
            fprintf(f, " (found, %s)\n", reasoning_p(p, t->p_value));
        }
    }
    if (r->target_count > shown) {
        fprintf(f, "  ... and %" PRId64 " more; --verbose shows them\n", r->target_count - shown);
    }
    return 2 + (int)shown + (r->target_count > shown);
}

/* ---- the order ---- */

void text_print_order(FILE *f, const nonsens_result *r)
{
    char name[TEXT_NAME_BYTES];
    text_print_heading(f, "Order, causes first");
    fputs("  ", f);
    for (int64_t i = 0; i < r->variables && i < MAX_ORDERED; i++) {
        fprintf(f, "%s%s", i ? ", " : "", text_name(name, r->names, r->variables, r->order[i]));
    }
    fputs(r->variables > MAX_ORDERED ? ", ...\n" : "\n", f);
}
