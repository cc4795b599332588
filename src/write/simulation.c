/* simulation.c - writes simulated data as CSV (x1, x2, ..., segment) and its truth as JSON. */
#include "base/csv_cell.h"
#include "base/number.h"
#include "base/output.h"
#include "simulate/simulate.h"
#include "write/write_internal.h"

#include <inttypes.h>

enum { ROUND_TRIP_DIGITS = 17 };

static void write_rows(FILE *stream, const nonsens_simulation *s)
{
    char number[NUMBER_BYTES];
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t j = 0; j < s->d; j++) {
            fputs(number_print(number, matrix_col(s->x, j)[i], ROUND_TRIP_DIGITS), stream);
            putc(',', stream);
        }
        fprintf(stream, "s%" PRId32 "\n", s->segment[i] + 1);
    }
}

nonsens_status nonsens_simulation_write_csv(nonsens_context *ctx, const nonsens_simulation *simulation,
                                            const char *path)
{
    NEEDED(ctx, simulation, path);
    output *out;
    TRY(output_open(ctx, path, &out));
    for (int64_t j = 0; j < simulation->d; j++) {
        csv_cell_print(output_stream(out), "", simulation->names[j]);
        putc(',', output_stream(out));
    }
    fputs("segment\n", output_stream(out));
    write_rows(output_stream(out), simulation);
    return output_close(ctx, out);
}

/* ---- truth --------------------------------------------------------------------------------------------------- */

static const char *kind_word(enum simulate_truth_kind kind)
{
    static const char *const words[] = {"dag", "cyclic", "independent", "confounded"};
    return words[kind];
}

static json_value *nodes_json(const nonsens_simulation *s)
{
    json_value *list = json_array();
    for (int64_t j = 0; j < s->d; j++) {
        json_array_append(list, json_string(s->names[j]));
    }
    return list;
}

static json_value *edges_json(const nonsens_simulation *s)
{
    json_value *list = json_array();
    for (int64_t k = 0; k < s->d * s->d; k++) {
        if (s->edge[k]) {
            json_array_append(list, json_array_of(2, json_string(s->names[k / s->d]), json_string(s->names[k % s->d])));
        }
    }
    return list;
}

/* Makes the list of pairs of nodes that have a hidden common cause. */
static json_value *hidden_json(const nonsens_simulation *s)
{
    json_value *pair = json_array();
    for (int64_t j = 0; j < s->d; j++) {
        if (s->has_hidden_cause[j]) {
            json_array_append(pair, json_string(s->names[j]));
        }
    }
    return json_array_of(1, pair);
}

static json_value *adjacency_json(const nonsens_simulation *s)
{
    json_value *rows = json_array();
    for (int64_t i = 0; i < s->d; i++) {
        json_value *row = json_array();
        for (int64_t j = 0; j < s->d; j++) {
            json_array_append(row, json_integer(s->edge[i * s->d + j]));
        }
        json_array_append(rows, row);
    }
    return rows;
}

/* Makes {variable: {segment: scale}}, like "modulation" in results. */
static json_value *modulation_json(const nonsens_simulation *s)
{
    char label[24];
    json_value *variables = json_object();
    for (int64_t j = 0; j < s->d; j++) {
        json_value *scales = json_object();
        for (int64_t e = 0; e < s->segments; e++) {
            snprintf(label, sizeof label, "s%" PRId64, e + 1);
            json_object_set(scales, label, json_real(matrix_col(s->modulation, j)[e]));
        }
        json_object_set(variables, s->names[j], scales);
    }
    return variables;
}

/* Makes what `explain --of SEGMENT --against SEGMENT` should find. */
static json_value *fault_json(const nonsens_simulation *s)
{
    char label[24];
    snprintf(label, sizeof label, "s%" PRId64, s->segments);
    return json_object_of("variable", json_string(s->names[s->broken]), "segment", json_string(label), "against",
                          json_string("s1"), "factor", json_real(s->options.fault), NULL);
}

static const char *hit_word(enum simulate_hit hit)
{
    return hit == HIT_FIXED ? "fixed" : "changed";
}

/* Makes [{"segment", "variable", "kind"}], as in results. */
static json_value *targets_json(const nonsens_simulation *s)
{
    char label[24];
    json_value *list = json_array();
    for (int64_t e = 0; e < s->segments; e++) {
        if (s->hit[e] != HIT_NONE) {
            snprintf(label, sizeof label, "s%" PRId64, e + 1);
            json_array_append(list, json_object_of("segment", json_string(label), "variable",
                                                   json_string(s->names[s->target[e]]), "kind",
                                                   json_string(hit_word(s->hit[e])), NULL));
        }
    }
    return list;
}

static json_value *truth_json(nonsens_context *ctx, arena *scratch, const nonsens_simulation *s)
{
    json_value *truth =
        json_object_of("nodes", nodes_json(s), "edges", edges_json(s), "edges_are", json_string("[cause, effect]"),
                       "kind", json_string(kind_word(s->kind)), "adjacency", adjacency_json(s), "adjacency_is",
                       json_string("adjacency[i][j] = 1 means nodes[i] -> nodes[j]: the row is the cause"),
                       "modulation", modulation_json(s), NULL);
    if (s->kind == TRUTH_CONFOUNDED) {
        json_object_set(truth, "hidden", hidden_json(s));
    }
    if (s->options.fault > 0.0) {
        json_object_set(truth, "fault", fault_json(s));
    }
    if (s->hit) {
        json_object_set(truth, "targets", targets_json(s));
    }
    json_object_set(truth, "options", report_options(ctx, scratch, &s->options));
    json_object_set(truth, "seed", json_integer(s->options.seed));
    json_object_set(truth, "version", json_string(nonsens_version()));
    return truth;
}

nonsens_status nonsens_simulation_write_truth(nonsens_context *ctx, const nonsens_simulation *simulation,
                                              const char *path)
{
    NEEDED(ctx, simulation, path);
    arena scratch = {0};
    json_value *truth = truth_json(ctx, &scratch, simulation);
    arena_free(&scratch);
    return report_write_json(ctx, truth, ROUND_TRIP_DIGITS, path);
}

nonsens_status nonsens_simulation_write_targets(nonsens_context *ctx, const nonsens_simulation *simulation,
                                                const char *path)
{
    NEEDED(ctx, simulation, path);
    output *out;
    TRY(output_open(ctx, path, &out));
    fputs("segment,variable,kind\n", output_stream(out));
    for (int64_t e = 0; simulation->hit && e < simulation->segments; e++) {
        if (simulation->hit[e] != HIT_NONE) {
            fprintf(output_stream(out), "s%" PRId64 ",%s,%s\n", e + 1, simulation->names[simulation->target[e]],
                    hit_word(simulation->hit[e]));
        }
    }
    return output_close(ctx, out);
}
