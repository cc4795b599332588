/* comparison.c - writes a comparison of two graphs as text and as JSON. */
#include "base/number.h"
#include "base/output.h"
#include "base/show.h"
#include "tasks/compare_graphs.h"
#include "write/graph.h"
#include "write/text.h"
#include "write/write_internal.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_LINES = 200 };

static const char convention[] =
    "structural Hamming distance: each pair of nodes whose edge is missing, extra, reversed or otherwise marked counts "
    "one; from is the cause";
static const char directions_are[] =
    "of the true arrows whose nodes are adjacent in the estimate, the share that it has as the same arrow; a line or "
    "two heads in their place is not right";

/* ---- text ------------------------------------------------------------------------------------------------------- */

static const char *against_words(const char *against)
{
    return strcmp(against, "pattern") == 0   ? "the truth's pattern (CPDAG)"
           : strcmp(against, "closure") == 0 ? "the transitive closure of the truth"
                                             : "the truth";
}

static void print_score(FILE *f, const char *name, const nonsens_score *s)
{
    char precision[NUMBER_BYTES], recall[NUMBER_BYTES], f1[NUMBER_BYTES], mcc[NUMBER_BYTES];
    fprintf(f,
            "  %-10s%" PRId64 " right of %" PRId64 " found and %" PRId64 " true: precision %s, recall %s, F1 %s, MCC "
            "%s\n",
            name, s->true_positives, s->predicted, s->actual, text_value(precision, s->precision),
            text_value(recall, s->recall), text_value(f1, s->f1), text_value(mcc, s->mcc));
}

/* Prints "a -> b", or "no edge". */
static void print_edge(FILE *f, const nonsens_comparison *c, const nonsens_edge *e)
{
    static const char *const mark[] = {"->", "--", "<->"};
    char from[SHOWN_BYTES], to[SHOWN_BYTES];
    if (e->type == NONSENS_EDGE_NONE) {
        fputs("no edge", f);
    } else {
        fprintf(f, "%s %s %s", show_bare(from, c->name[e->from]), mark[e->type], show_bare(to, c->name[e->to]));
    }
}

static void print_difference(FILE *f, const nonsens_comparison *c, const nonsens_difference *d)
{
    bool missing = d->estimated.type == NONSENS_EDGE_NONE, extra = d->actual.type == NONSENS_EDGE_NONE;
    fprintf(f, "  %-10s", d->what);
    print_edge(f, c, missing ? &d->actual : &d->estimated);
    if (!missing && !extra) {
        fputs(" in place of ", f);
        print_edge(f, c, &d->actual);
    }
    fputc('\n', f);
}

static void print_distance(FILE *f, const nonsens_comparison *c, int64_t k)
{
    const nonsens_distance *d = &c->distance[k];
    char accuracy[NUMBER_BYTES];
    fprintf(f, "%sAgainst %s\n", k > 0 ? "\n" : "", against_words(d->against));
    fprintf(f,
            "  SHD %" PRId64 ": %" PRId64 " missing, %" PRId64 " extra, %" PRId64 " reversed, %" PRId64
            " otherwise marked\n",
            d->shd, d->missing, d->extra, d->reversed, d->marked);
    print_score(f, "skeleton", &d->skeleton);
    print_score(f, "arrows", &d->arrows);
    fprintf(f,
            "  direction accuracy %s: %" PRId64 " of %" PRId64 " true arrows between nodes that are adjacent in both"
            "\n",
            text_value(accuracy, d->direction_accuracy), d->arrows.true_positives, d->directions);
    fprintf(f, "  edges of the estimate without direction: %" PRId64 "\n", d->undirected);
    for (int64_t i = 0; i < d->differences && i < MAX_LINES; i++) {
        print_difference(f, c, &c->difference[k][i]);
    }
    if (d->differences > MAX_LINES) {
        fprintf(f, "  ... and %" PRId64 " more; --json shows them\n", d->differences - MAX_LINES);
    }
}

static void print_graph(FILE *f, const char *role, const compare_graph *g)
{
    fprintf(f, "%-10s%s (%s): ", role, g->path, g->format);
    text_print_count(f, g->edges, "edge", "\n");
    if (g->added) {
        fprintf(f, "%10s%" PRId64 " node%s of the other graph %s no edge in this list\n", "", g->added,
                g->added == 1 ? "" : "s", g->added == 1 ? "has" : "have");
    }
    if (g->cycles) {
        fprintf(f, "%10s%" PRId64 " pair%s of nodes cause%s each other, compared as <->\n", "", g->cycles,
                g->cycles == 1 ? "" : "s", g->cycles == 1 ? "s" : "");
    }
}

nonsens_status nonsens_comparison_write_text(nonsens_context *ctx, const nonsens_comparison *comparison,
                                             const char *path)
{
    NEEDED(ctx, comparison, path);
    output *out;
    TRY(output_open(ctx, path, &out));
    FILE *f = output_stream(out);
    print_graph(f, "estimate", &comparison->estimate);
    print_graph(f, "truth", &comparison->truth);
    fprintf(f, "%-10s%" PRId64 "\n\n", "nodes", comparison->nodes);
    for (int64_t k = 0; k < comparison->distances; k++) {
        print_distance(f, comparison, k);
    }
    fputs("\n(SHD: each pair of nodes whose edge is missing, extra, reversed or otherwise marked counts one.\n"
          " Direction accuracy: a line or two heads in place of a true arrow is not right.)\n",
          f);
    return output_close(ctx, out);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static json_value *score_json(const nonsens_score *s)
{
    return json_object_of("right", json_integer(s->true_positives), "found", json_integer(s->predicted), "there",
                          json_integer(s->actual), "places", json_integer(s->possible), "precision",
                          json_real(s->precision), "recall", json_real(s->recall), "f1", json_real(s->f1), "mcc",
                          json_real(s->mcc), NULL);
}

static json_value *edge_json(const nonsens_comparison *c, const nonsens_edge *e)
{
    return e->type == NONSENS_EDGE_NONE
               ? json_null()
               : json_object_of("from", json_string(c->name[e->from]), "to", json_string(c->name[e->to]), "type",
                                json_string(report_edge_mark(e->type)), NULL);
}

static json_value *differences_json(const nonsens_comparison *c, int64_t k)
{
    json_value *array = json_array();
    for (int64_t i = 0; i < c->distance[k].differences; i++) {
        const nonsens_difference *d = &c->difference[k][i];
        json_array_append(array, json_object_of("what", json_string(d->what), "found", edge_json(c, &d->estimated),
                                                "there", edge_json(c, &d->actual), NULL));
    }
    return array;
}

static json_value *distance_json(const nonsens_comparison *c, int64_t k)
{
    const nonsens_distance *d = &c->distance[k];
    return json_object_of("against", json_string(d->against), "shd", json_integer(d->shd), "missing",
                          json_integer(d->missing), "extra", json_integer(d->extra), "reversed",
                          json_integer(d->reversed), "marked", json_integer(d->marked), "skeleton",
                          score_json(&d->skeleton), "arrows", score_json(&d->arrows), "directions",
                          json_integer(d->directions), "direction_accuracy", json_real(d->direction_accuracy),
                          "undirected", json_integer(d->undirected), "differences", differences_json(c, k), NULL);
}

static json_value *graph_json(nonsens_context *ctx, arena *scratch, const compare_graph *g)
{
    return json_object_of("file", json_string(report_utf8(ctx, scratch, g->path)), "format", json_string(g->format),
                          "nodes", json_integer(g->nodes), "edges", json_integer(g->edges), "nodes_added",
                          json_integer(g->added), "cycles", json_integer(g->cycles), NULL);
}

static json_value *document(nonsens_context *ctx, arena *scratch, const nonsens_comparison *c)
{
    json_value *nodes = json_array(), *distances = json_array();
    for (int64_t i = 0; i < c->nodes; i++) {
        json_array_append(nodes, json_string(c->name[i]));
    }
    for (int64_t k = 0; k < c->distances; k++) {
        json_array_append(distances, distance_json(c, k));
    }
    json_value *program = json_object_of("version", json_string(nonsens_version()), "options",
                                         report_options(ctx, scratch, &c->options), NULL);
    return json_object_of("nonsens", program, "estimate", graph_json(ctx, scratch, &c->estimate), "truth",
                          graph_json(ctx, scratch, &c->truth), "nodes", nodes, "comparisons", distances, "convention",
                          json_string(convention), "direction_accuracy_is", json_string(directions_are), NULL);
}

nonsens_status nonsens_comparison_write_json(nonsens_context *ctx, const nonsens_comparison *comparison,
                                             const char *path)
{
    NEEDED(ctx, comparison, path);
    arena scratch = {0};
    json_value *root = document(ctx, &scratch, comparison);
    arena_free(&scratch);
    return report_write_json(ctx, root, REPORT_DIGITS, path);
}
