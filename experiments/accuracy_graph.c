/*
 * accuracy_graph.c - evaluates the public run of a method that finds a graph of many variables (nonsens_run_discover).
 *
 * The truth is the graph of the simulation.  In the layered generator a variable depends on all its ancestors; the
 * truth is the mask of its layers, and a score against the transitive closure is added.  The journal keeps the measures
 * (graph/metrics.h) and both graphs, so that other measures can be computed without a new run.  Seconds are those of
 * one thread.
 *
 * `marked` says whether the edge between the two variables with a hidden common cause is marked as confounded,
 * `unmarked` whether there is an arrow without a mark between them.  `good_marked` is the share of the true edges found
 * that are marked.
 *
 * Means are over data sets.  If truth and estimate have no edge, F1 is 1: nothing is missing and nothing is wrong.
 * Precision and direction accuracy are undefined if the estimate has no edge; their means are over the other data sets.
 */
#include "accuracy.h"
#include "graph/metrics.h"
#include "methods/shared/result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum measure {
    MEASURE_F1, /* F1 of arrows */
    MEASURE_SKELETON,
    MEASURE_SHD,
    MEASURE_CLOSURE, /* F1 of arrows against the transitive closure */
    MEASURE_PRECISION,
    MEASURE_RECALL,
    MEASURE_DIRECTION, /* direction accuracy */
    MEASURE_ACTUAL,    /* number of true edges */
    MEASURE_PREDICTED, /* number of edges of the estimate, with or without direction */
    MEASURE_SECONDS,
    MEASURE_TARGETS, /* F1 of the (segment, variable) pairs found to differ; NaN without interventions */
    MEASURE_MARKED,  /* this and the next are NaN without a hidden cause */
    MEASURE_UNMARKED,
    MEASURE_GOOD_MARKED, /* NaN if no true edge is found */
    MEASURES
};

static const char *const MEASURE_NAME[MEASURES] = {"f1",      "skeleton",  "shd",      "closure",    "precision",
                                                   "recall",  "direction", "there",    "found",      "seconds",
                                                   "targets", "marked",    "unmarked", "good_marked"};

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

/* Makes the graph of a result; the variables of the data are in the simulation's order. */
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

/* Returns whether an edge of the result is marked as having a hidden common cause. */
static bool is_marked(const nonsens_edge *e)
{
    return e->confounded || e->type == NONSENS_EDGE_BIDIRECTED;
}

static void measure_hidden(const nonsens_result *result, const nonsens_simulation *s, unit *out)
{
    bool any = false, marked = false, unmarked = false;
    double good = 0.0, good_marked = 0.0;
    for (int64_t j = 0; j < s->d; j++) {
        any = any || s->has_hidden_cause[j];
    }
    for (int64_t k = 0; k < nonsens_result_edge_count(result); k++) {
        const nonsens_edge *e = nonsens_result_edge_at(result, k);
        bool hidden = s->has_hidden_cause[e->from] && s->has_hidden_cause[e->to];
        bool is_true = s->edge[e->from * s->d + e->to] || s->edge[e->to * s->d + e->from];
        marked = marked || (hidden && is_marked(e));
        unmarked = unmarked || (hidden && !is_marked(e) && e->type == NONSENS_EDGE_DIRECTED);
        good += is_true && !hidden;
        good_marked += is_true && !hidden && is_marked(e);
    }
    out->value[MEASURE_MARKED] = any ? marked : NAN;
    out->value[MEASURE_UNMARKED] = any ? unmarked : NAN;
    out->value[MEASURE_GOOD_MARKED] = good > 0.0 ? good_marked / good : NAN;
}

/* Adds a graph to the line as ["x1 --> x2", ...] with the simulation's names. */
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

/* Returns F1 of the interventions found; NaN if the data have none or if the method was told which they are. */
static double compare_targets(const nonsens_result *result, const nonsens_simulation *s)
{
    double actual = 0.0, found = 0.0, both = 0.0;
    for (int64_t e = 0; s->hit && e < s->segments; e++) {
        actual += s->hit[e] != HIT_NONE;
    }
    for (int64_t k = 0; k < nonsens_result_target_count(result); k++) {
        const nonsens_target *t = nonsens_result_target_at(result, k);
        int64_t e = strtoll(t->segment + 1, NULL, 10) - 1; // labels are s1, s2, ...
        if (t->known) {
            return NAN;
        }
        found += 1.0;
        both += s->hit && s->target[e] == t->variable;
    }
    return actual > 0.0 ? 2.0 * both / (actual + found) : NAN;
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
    u.value[MEASURE_TARGETS] = compare_targets(result, d->simulation);
    measure_hidden(result, d->simulation, &u);
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

/* ---- interventions ---- */

/* Writes the interventions, or only their segments, to a file; the caller removes it. */
static nonsens_status write_targets(nonsens_context *ctx, const nonsens_simulation *s, bool named, const char *path)
{
    FILE *f;
    if (named) {
        return nonsens_simulation_write_targets(ctx, s, path);
    }
    f = fopen(path, "w");
    if (!f) {
        return fail(ctx, NONSENS_ERR_OUTPUT, "%s: cannot be written", path);
    }
    fputs("segment,variable,kind\n", f);
    for (int64_t e = 0; s->hit && e < s->segments; e++) {
        if (s->hit[e] != HIT_NONE) {
            fprintf(f, "s%d,,unknown\n", (int)e + 1);
        }
    }
    return fclose(f) == 0 ? NONSENS_OK : fail(ctx, NONSENS_ERR_OUTPUT, "%s: cannot be written", path);
}

static nonsens_status run_targets(nonsens_context *ctx, arena *a, const nonsens_options *options, const drawn *d,
                                  bool named, json_value *line)
{
    char path[] = "/tmp/nonsens-targets-XXXXXX";
    nonsens_options *own; // a copy; its texts outlive the run
    int file = mkstemp(path);
    if (file < 0) {
        return fail(ctx, NONSENS_ERR_OUTPUT, "%s: cannot be written", path);
    }
    close(file);
    ARENA_TRY(ctx, a, own, 1);
    *own = *options;
    own->targets = path;
    nonsens_status status = write_targets(ctx, d->simulation, named, path);
    status = status == NONSENS_OK ? run(ctx, a, own, d, line) : status;
    remove(path);
    return status;
}

static nonsens_status run_named(nonsens_context *ctx, arena *a, const nonsens_options *options, const drawn *d,
                                json_value *line)
{
    return run_targets(ctx, a, options, d, true, line);
}

static nonsens_status run_unknown(nonsens_context *ctx, arena *a, const nonsens_options *options, const drawn *d,
                                  json_value *line)
{
    return run_targets(ctx, a, options, d, false, line);
}

/* ---- reading the journal ---- */

static bool read_unit(const json_value *line, void *place)
{
    unit *out = place;
    bool good = true;
    for (int k = 0; k < MEASURES; k++) {
        const json_value *value = json_object_get(line, MEASURE_NAME[k]);
        out->value[k] = NAN; // older lines lack newer measures
        good = ((k >= MEASURE_TARGETS && !value) || study_read_number(value, &out->value[k])) && good;
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

/* The standard error of F1 comes right after F1. */
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

#define GRAPH_EVALUATION(label, number, function)                                                                 \
    {                                                                                                             \
        .study = EVALUATION_STUDY(label, number, unit, read_unit), .command = NONSENS_COMMAND_DISCOVER,           \
        .table = TABLE_GRAPHS, .side_by_side = true, .any_method = true, .run = function, .header = print_header, \
        .print = print_units                                                                                      \
    }

/* `structured` has its own revision: when it changes, the lines of other methods, some of them slow, stay valid. */
const accuracy_evaluation ACCURACY_GRAPH = GRAPH_EVALUATION("graph", 1, run);
const accuracy_evaluation ACCURACY_GRAPH_STRUCTURED = GRAPH_EVALUATION("graph-structured", 3, run);
const accuracy_evaluation ACCURACY_GRAPH_TARGETS = GRAPH_EVALUATION("graph-targets", 1, run_named);
const accuracy_evaluation ACCURACY_GRAPH_UNKNOWN = GRAPH_EVALUATION("graph-unknown", 1, run_unknown);
