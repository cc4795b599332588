/* text_bootstrap.c - prints how many bootstrap samples there were, and which edges many have but the graph lacks. */
#include "base/show.h"
#include "write/text.h"

#include <inttypes.h>

enum { MAX_LINES = 20, LINE_BYTES = 2 * SHOWN_BYTES + 8, DIGITS = 3 };

/* Edges with at least this share get a line. */
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

/* Prints edges that at least half of the bootstrap samples have and the graph does not. */
static void print_missing(FILE *f, const nonsens_result *r, double good)
{
    static const char *const mark[] = {"->", "--", "<->"};
    char from[SHOWN_BYTES], to[SHOWN_BYTES], number[NUMBER_BYTES];
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
                fputs("Not in the graph, but in at least half of the resamples:\n", f);
            }
            if (lines++ < MAX_LINES) {
                fprintf(f, "  %s %s %s  support %s\n", show_bare(from, r->names[edge[k].from]), mark[edge[k].type],
                        show_bare(to, r->names[edge[k].to]), number_print(number, share, DIGITS));
            }
        }
    }
    if (lines > MAX_LINES) {
        fprintf(f, "  ... and %" PRId64 " more; --json shows them\n", lines - MAX_LINES);
    }
}

void text_print_bootstrap(FILE *f, const nonsens_result *r)
{
    const result_bootstrap *s = &r->bootstrap;
    text_print_heading(f, "Resamples");
    fputs("  ", f);
    text_print_count(f, s->replicates, "resample", "");
    fputs(r->options.resample == RESAMPLE_HALF ? " of half of the rows" : " of the rows, drawn with replacement", f);
    if (s->failed > 0) {
        fprintf(f, ", of which %" PRId64 " failed", s->failed);
    }
    fputs("; support is the share of them that has the edge, with the same direction\n", f);
    if (s->replicates > s->failed) {
        print_missing(f, r, (double)(s->replicates - s->failed));
    }
}
