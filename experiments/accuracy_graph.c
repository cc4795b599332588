/*
 * accuracy_graph.c - evaluates the public run of a method that finds a graph of many variables (nonsens_run_discover).
 *
 * The truth is the graph of the simulation.  For the layered generator, whose composed map depends on all ancestors,
 * that is the mask of its layers, and the score against the transitive closure is added.  The journal keeps the
 * measures (graph/metrics.h) and both graphs, so that other measures can be computed without running anything again.
 * Seconds are those of one thread.
 *
 * Means are over data sets.  If truth and estimate have no edge, F1 is 1: nothing is missing and nothing is wrong.
 * Precision and direction accuracy are undefined if the estimate has no edge; their means are over the other data sets.
 */
#include "accuracy.h"
#include "graph/metrics.h"
#include "methods/shared/result.h"

#include <math.h>

enum measure {
    MEASURE_F1, /* of arrows */
    MEASURE_SKELETON,
    MEASURE_SHD,
    MEASURE_CLOSURE, /* F1 of arrows against the transitive closure */
    MEASURE_PRECISION,
    MEASURE_RECALL,
    MEASURE_DIRECTION, /* direction accuracy */
    MEASURE_ACTUAL,    /* true edges */
    MEASURE_PREDICTED, /* edges of the estimate, with or without direction */
    MEASURE_SECONDS,
    MEASURES
};

static const char *const MEASURE_NAME[MEASURES] = {"f1",     "skeleton",  "shd",   "closure", "precision",
                                                   "recall", "direction", "there", "found",   "seconds"};

typedef struct unit {
    double value[MEASURES]; /* NaN if undefined */
} unit;

/* ---- running ---- */

static nonsens_status true_graph(nonsens_context *ctx, arena *a, const nonsens_simulation *s, pdag *out)
{
    TRY(pdag_new(ctx, a, s->d, out));
    for (int64_t i = 0; i < s->d; i++) {
        for (int64_t j = 0; j < s->d; j++) {
            if (s->edge[i * s->d + j]) {
                pdag_set(out, i, j, PDAG_ARROW);
            }
        }
    }
    return NONSENS_OK;
}

/* Makes the graph of a result; variables of the data are in the simulation's order. */
static nonsens_status found_graph(nonsens_context *ctx, arena *a, const nonsens_result *result, int64_t d, pdag *out)
{
    TRY(pdag_new(ctx, a, d, out));
    for (int64_t k = 0; k < nonsens_result_edge_count(result); k++) {
        const nonsens_edge *e = nonsens_result_edge_at(result, k);
        pdag_set(out, e->from, e->to,
                 e->type == NONSENS_EDGE_DIRECTED     ? PDAG_ARROW
                 : e->type == NONSENS_EDGE_UNDIRECTED ? PDAG_LINE
                                                      : PDAG_BOTH);
    }
    return NONSENS_OK;
}

static double share_or_one(double f1)
{
    return isnan(f1) ? 1.0 : f1;
}

static nonsens_status measure(nonsens_context *ctx, arena *a, const pdag *found, const pdag *truth, unit *out)
{
    pdag closure;
    metrics m, ancestral;
    TRY(pdag_new(ctx, a, truth->d, &closure));
    TRY(metrics_closure(ctx, truth, &closure));
    metrics_compare(found, truth, &m);
    metrics_compare(found, &closure, &ancestral);
    *out = (unit){{[MEASURE_F1] = share_or_one(m.arrows.f1),
                   [MEASURE_SKELETON] = share_or_one(m.skeleton.f1),
                   [MEASURE_SHD] = (double)m.shd,
                   [MEASURE_CLOSURE] = share_or_one(ancestral.arrows.f1),
                   [MEASURE_PRECISION] = m.arrows.precision,
                   [MEASURE_RECALL] = m.arrows.recall,
                   [MEASURE_DIRECTION] = m.direction_accuracy,
                   [MEASURE_ACTUAL] = (double)m.skeleton.actual,
                   [MEASURE_PREDICTED] = (double)m.skeleton.predicted}};
    return NONSENS_OK;
}

/* Keeps a graph as ["x1 --> x2", ...] with the simulation's names. */
static nonsens_status keep_graph(nonsens_context *ctx, arena *a, const pdag *g, const char *key, json_value *line)
{
    static const char *const MARK[] = {[PDAG_LINE] = "---", [PDAG_ARROW] = "-->", [PDAG_BOTH] = "<->"};
    pdag_edge *edge;
    int64_t count = pdag_edge_count(g);
    json_value *list = json_array();
    ARENA_TRY(ctx, a, edge, count + 1);
    pdag_to_edges(g, edge);
    for (int64_t k = 0; k < count; k++) {
        json_array_append(list, json_string(arena_format(ctx, a, "x%d %s x%d", (int)edge[k].from + 1,
                                                         MARK[edge[k].mark], (int)edge[k].to + 1)));
    }
    json_object_set(line, key, list);
    return NONSENS_OK;
}

static void keep_measures(const unit *u, json_value *line)
{
    for (int k = 0; k < MEASURES; k++) {
        json_object_set(line, MEASURE_NAME[k], json_real(u->value[k]));
    }
}

static nonsens_status keep_result(nonsens_context *ctx, arena *a, const nonsens_result *result, const drawn *d,
                                  json_value *line)
{
    pdag truth, found;
    unit u;
    TRY(true_graph(ctx, a, d->simulation, &truth));
    TRY(found_graph(ctx, a, result, d->simulation->d, &found));
    TRY(measure(ctx, a, &found, &truth, &u));
    u.value[MEASURE_SECONDS] = result->seconds;
    keep_measures(&u, line);
    TRY(keep_graph(ctx, a, &truth, "truth", line));
    return keep_graph(ctx, a, &found, "edges", line);
}

static nonsens_status run(nonsens_context *ctx, arena *a, const nonsens_options *options, const drawn *d,
                          json_value *line)
{
    nonsens_result *result;
    TRY(nonsens_run_discover(ctx, d->data, options, &result));
    nonsens_status status = keep_result(ctx, a, result, d, line);
    nonsens_result_free(result);
    return status;
}

/* ---- reading the journal ---- */

static bool read_unit(const json_value *line, void *place)
{
    unit *out = place;
    bool good = true;
    for (int k = 0; k < MEASURES; k++) {
        good = study_read_number(json_object_get(line, MEASURE_NAME[k]), &out->value[k]) && good;
    }
    return good;
}

/* ---- printing ---- */

static int digits_of(enum measure which)
{
    return which == MEASURE_SHD || which == MEASURE_ACTUAL || which == MEASURE_PREDICTED || which == MEASURE_SECONDS
               ? 2
               : 3;
}

/* The standard error of F1 follows it. */
enum { ITEMS = MEASURES + 1 };

static void fill_items(const unit *units, int reps, report_item *item)
{
    int used = 0;
    for (int k = 0; k < MEASURES; k++) {
        summary s = summary_of_every(reps, &units->value[k], sizeof *units / sizeof(double));
        item[used++] = (report_item){MEASURE_NAME[k], s.mean, digits_of((enum measure)k)};
        if (k == MEASURE_F1) {
            item[used++] = (report_item){"se", s.error, 3};
        }
    }
}

static void print_units(const task *t, const void *units, table *csv)
{
    report_item item[ITEMS];
    fill_items(units, t->reps, item);
    report_items(csv, t, t->cell->label ? t->cell->label : t->options->method, ITEMS, item);
}

static void print_header(table *csv)
{
    report_item item[ITEMS];
    fill_items(NULL, 0, item);
    report_head(csv, ITEMS, item);
}

#define GRAPH_EVALUATION(label, number)                                                                      \
    {                                                                                                        \
        .study = EVALUATION_STUDY(label, number, unit, read_unit), .command = NONSENS_COMMAND_DISCOVER,      \
        .table = TABLE_GRAPHS, .side_by_side = true, .any_method = true, .run = run, .header = print_header, \
        .print = print_units                                                                                 \
    }

/* There are two, so that a change of `structured` leaves the lines of all others valid, some of which take long. */
const accuracy_evaluation ACCURACY_GRAPH = GRAPH_EVALUATION("graph", 1);
const accuracy_evaluation ACCURACY_GRAPH_STRUCTURED = GRAPH_EVALUATION("graph-structured", 2);
