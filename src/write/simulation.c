/* simulation.c - simulated data as CSV (x1, x2, ..., segment) and its truth as JSON. */
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

static json_t *nodes_json(const nonsens_simulation *s)
{
    json_t *list = json_array();
    int bad = !list;
    for (int64_t j = 0; !bad && j < s->d; j++) {
        bad = json_array_append_new(list, json_string(s->names[j]));
    }
    return report_keep_if(!bad, list);
}

static json_t *edges_json(const nonsens_simulation *s)
{
    json_t *list = json_array();
    int bad = !list;
    for (int64_t k = 0; !bad && k < s->d * s->d; k++) {
        if (s->edge[k]) {
            bad = json_array_append_new(list, json_pack("[s, s]", s->names[k / s->d], s->names[k % s->d]));
        }
    }
    return report_keep_if(!bad, list);
}

static json_t *adjacency_json(const nonsens_simulation *s)
{
    json_t *rows = json_array();
    int bad = !rows;
    for (int64_t i = 0; !bad && i < s->d; i++) {
        json_t *row = json_array();
        bad = json_array_append_new(rows, row);
        for (int64_t j = 0; !bad && j < s->d; j++) {
            bad = json_array_append_new(row, json_integer(s->edge[i * s->d + j]));
        }
    }
    return report_keep_if(!bad, rows);
}

/* {variable: {segment: scale}}, as "modulation" is laid out in results. */
static json_t *modulation_json(const nonsens_simulation *s)
{
    char label[24];
    json_t *variables = json_object();
    int bad = !variables;
    for (int64_t j = 0; !bad && j < s->d; j++) {
        json_t *scales = json_object();
        bad = json_object_set_new(variables, s->names[j], scales);
        for (int64_t e = 0; !bad && e < s->segments; e++) {
            snprintf(label, sizeof label, "s%" PRId64, e + 1);
            bad = json_object_set_new(scales, label, json_real(matrix_col(s->modulation, j)[e]));
        }
    }
    return report_keep_if(!bad, variables);
}

/* What `explain --of SEGMENT --against SEGMENT` should find. */
static json_t *fault_json(const nonsens_simulation *s)
{
    char label[24];
    snprintf(label, sizeof label, "s%" PRId64, s->segments);
    return json_pack("{s:s, s:s, s:s, s:f}", "variable", s->names[s->broken], "segment", label, "against", "s1",
                     "factor", s->options.fault);
}

static json_t *truth_json(nonsens_context *ctx, arena *scratch, const nonsens_simulation *s)
{
    json_t *truth = json_object();
    int bad = !truth;
    bad = bad || json_object_set_new(truth, "nodes", nodes_json(s));
    bad = bad || json_object_set_new(truth, "edges", edges_json(s));
    bad = bad || json_object_set_new(truth, "edges_are", json_string("[cause, effect]"));
    bad = bad || json_object_set_new(truth, "kind", json_string(kind_word(s->kind)));
    bad = bad || json_object_set_new(truth, "adjacency", adjacency_json(s));
    bad =
        bad || json_object_set_new(truth, "adjacency_is",
                                   json_string("adjacency[i][j] = 1 means nodes[i] -> nodes[j]: the row is the cause"));
    bad = bad || json_object_set_new(truth, "modulation", modulation_json(s));
    bad = bad || (s->options.fault > 0.0 && json_object_set_new(truth, "fault", fault_json(s)));
    bad = bad || json_object_set_new(truth, "options", report_options(ctx, scratch, &s->options));
    bad = bad || json_object_set_new(truth, "seed", json_integer(s->options.seed));
    bad = bad || json_object_set_new(truth, "version", json_string(nonsens_version()));
    return report_keep_if(!bad, truth);
}

nonsens_status nonsens_simulation_write_truth(nonsens_context *ctx, const nonsens_simulation *simulation,
                                              const char *path)
{
    NEEDED(ctx, simulation, path);
    arena scratch = {0};
    json_t *truth = truth_json(ctx, &scratch, simulation);
    arena_free(&scratch);
    return report_write_json(ctx, truth, ROUND_TRIP_DIGITS, path);
}
