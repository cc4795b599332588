/*
 * json.c - writes a result as JSON.  Keys are in the order in which they are set; NaN and infinities become null.
 *
 * Only the fields seconds and threads may differ between equal runs.
 */
#include "json/json.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/output.h"
#include "base/utf8.h"
#include "methods/shared/result.h"
#include "write/graph.h"
#include "write/write_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CURVE_DIGITS = 6 };

json_value *report_rounded(double value, int digits)
{
    char text[NUMBER_BYTES];
    double short_value = value;
    if (!isfinite(value)) {
        return json_null();
    }
    number_print(text, value, digits);
    number_parse(text, text + strlen(text), &short_value);
    return json_real(short_value + 0.0); // + 0.0: no minus zero
}

char *report_utf8(nonsens_context *ctx, arena *a, const char *text)
{
    int64_t left = (int64_t)strlen(text);
    char *out = arena_get(ctx, a, 2 * left + 1, 1), *to = out;
    if (!out) {
        return NULL;
    }
    while (left > 0) {
        int length = utf8_length(text, left);
        if (length == 0) {
            unsigned char latin = (unsigned char)*text;
            *to++ = (char)(0xc0 | latin >> 6);
            *to++ = (char)(0x80 | (latin & 0x3f));
            length = 1;
        } else {
            memcpy(to, text, (size_t)length);
            to += length;
        }
        text += length;
        left -= length;
    }
    return out;
}

json_value *report_text(nonsens_context *ctx, arena *scratch, const char *value)
{
    char *clean = value ? report_utf8(ctx, scratch, value) : NULL;
    return value ? (clean ? json_string(clean) : NULL) : json_null();
}

json_value *report_interval(double low, double high)
{
    return isnan(low) || isnan(high) ? json_null() : json_array_of(2, json_real(low), json_real(high));
}

json_value *report_names(nonsens_context *ctx, arena *scratch, const nonsens_result *r, const int64_t *variable,
                         int64_t count)
{
    json_value *array = json_array();
    for (int64_t i = 0; i < count; i++) {
        json_array_append(array, report_text(ctx, scratch, r->names[variable[i]]));
    }
    return array;
}

/* The state of the writer; temporary texts are in the arena. */
typedef struct writer {
    nonsens_context *ctx;
    arena *scratch;
    const nonsens_result *result; /* NULL if only options are written */
} writer;

static json_value *text(const writer *w, const char *value)
{
    return report_text(w->ctx, w->scratch, value);
}

/* Sets a member whose key may come from a file and need not be UTF-8. */
static void set_named(const writer *w, json_value *object, const char *key, json_value *value)
{
    char *clean = report_utf8(w->ctx, w->scratch, key);
    if (!clean) {
        json_decref(value);
    }
    json_object_set(object, clean ? clean : "", clean ? value : NULL);
}

static json_value *texts(const writer *w, char *const *item, int64_t count)
{
    json_value *array = json_array();
    for (int64_t i = 0; i < count; i++) {
        json_array_append(array, text(w, item[i]));
    }
    return array;
}

/* ---- parts ---- */

static json_value *option_value(const writer *w, const nonsens_options *options, const nonsens_option_info *info)
{
    char buffer[OPTION_VALUE_BYTES];
    double real = 0.0;
    const char *value = option_print(options, info, buffer);
    switch (info->type) {
    case NONSENS_OPTION_FLAG:
        return json_boolean(strcmp(value, "true") == 0);
    case NONSENS_OPTION_INTEGER:
        return value == info->choices ? text(w, value) : json_integer(strtoll(value, NULL, 10));
    case NONSENS_OPTION_REAL:
        number_parse(value, value + strlen(value), &real);
        return json_real(real);
    case NONSENS_OPTION_CHOICE:
    case NONSENS_OPTION_TEXT:
    case NONSENS_OPTION_RANGE:
        break;
    }
    return text(w, value);
}

json_value *report_options(nonsens_context *ctx, arena *scratch, const nonsens_options *options)
{
    writer w = {ctx, scratch, NULL};
    json_value *object = json_object();
    for (size_t i = 0; i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        if ((info->commands & options->command) && option_changes_results(info)) {
            json_object_set(object, info->key, option_value(&w, options, info));
        }
    }
    return object;
}

static json_value *hash_text_of(uint64_t hash)
{
    char text_of_hash[HASH_BYTES];
    return json_string(hash_print(text_of_hash, hash));
}

static json_value *program_object(const writer *w)
{
    const nonsens_result *r = w->result;
    return json_object_of("version", json_string(nonsens_version()), "seed", json_integer(r->options.seed), "threads",
                          json_integer(r->threads), "options", report_options(w->ctx, w->scratch, &r->options),
                          "data_hash", hash_text_of(r->data_hash), NULL);
}

static json_value *data_object(const writer *w)
{
    const nonsens_result *r = w->result;
    return json_object_of("rows", json_integer(r->rows), "segments", json_integer(r->segments), "variables",
                          texts(w, r->names, r->variables), "warnings", texts(w, r->warning, r->warnings), "notes",
                          texts(w, r->data_note, r->data_notes), NULL);
}

static json_value *evidence_array(const writer *w)
{
    const nonsens_result *r = w->result;
    json_value *array = json_array();
    for (int64_t i = 0; i < r->evidence_count; i++) {
        const nonsens_evidence *e = &r->evidence[i];
        json_array_append(array, json_object_of("name", text(w, e->name), "value", json_real(e->value), "p_value",
                                                json_real(e->p_value), "text", text(w, e->text), NULL));
    }
    return array;
}

static json_value *modulation_object(const writer *w)
{
    const nonsens_result *r = w->result;
    char *const *name = r->source_name ? r->source_name : r->names;
    json_value *object = json_object();
    for (int64_t j = 0; j < r->modulation.cols; j++) {
        json_value *of = json_object();
        for (int64_t k = 0; k < r->segments; k++) {
            int64_t e = r->label_order[k];
            set_named(w, of, r->labels[e], json_real(matrix_col(r->modulation, j)[e]));
        }
        set_named(w, object, name[j], of);
    }
    return object;
}

/* Writes a square matrix row by row. */
static json_value *matrix_rows(const double *v, int64_t d)
{
    json_value *rows = json_array();
    for (int64_t i = 0; i < d; i++) {
        json_value *row = json_array();
        for (int64_t j = 0; j < d; j++) {
            json_array_append(row, json_real(v[i * d + j]));
        }
        json_array_append(rows, row);
    }
    return rows;
}

/* Makes the list of interventions: those of --targets, and mechanisms that were found to differ. */
static json_value *target_array(const writer *w)
{
    static const char *const KIND[] = {[NONSENS_TARGET_FIXED] = "fixed",
                                       [NONSENS_TARGET_CHANGED] = "changed",
                                       [NONSENS_TARGET_ACTIVITY] = "activity",
                                       [NONSENS_TARGET_UNKNOWN] = "unknown"};
    json_value *list = json_array();
    for (int64_t k = 0; k < w->result->target_count; k++) {
        const nonsens_target *t = &w->result->target[k];
        json_array_append(list,
                          json_object_of("segment", text(w, t->segment), "variable",
                                         text(w, w->result->names[t->variable]), "kind", json_string(KIND[t->kind]),
                                         "p_value", json_real(t->p_value), "known", json_boolean(t->known), NULL));
    }
    return list;
}

static json_value *edge_array(const writer *w)
{
    char *const *name = w->result->names;
    json_value *array = json_array();
    for (int64_t i = 0; i < w->result->edges; i++) {
        const nonsens_edge *e = &w->result->edge[i];
        const char *by = report_directed_by(e->directed_by);
        json_value *edge = json_object_of(
            "from", text(w, name[e->from]), "to", text(w, name[e->to]), "type", json_string(report_edge_mark(e->type)),
            "weight", json_real(e->weight), "p_value", json_real(e->p_value), "support", json_real(e->support),
            "directed_by", by ? json_string(by) : json_null(), "confounded", json_boolean(e->confounded), NULL);
        report_fill_edge(w->result, i, edge);
        json_array_append(array, edge);
    }
    return array;
}

/* Makes shares of the bootstrap samples that succeeded; leaves out pairs that have no edge in any of them. */
static json_value *bootstrap_object(const writer *w)
{
    const result_bootstrap *s = &w->result->bootstrap;
    char *const *name = w->result->names;
    double good = (double)(s->replicates - s->failed);
    json_value *pairs = json_array();
    for (int64_t i = 0; i < s->pairs; i++) {
        const result_edge_counts *p = &s->pair[i];
        json_array_append(pairs, json_object_of("a", text(w, name[p->a]), "b", text(w, name[p->b]), "a --> b",
                                                json_real((double)p->forward / good), "b --> a",
                                                json_real((double)p->backward / good), "a --- b",
                                                json_real((double)p->undirected / good), "a <-> b",
                                                json_real((double)p->bidirected / good), "none",
                                                json_real((good - (double)p->adjacent) / good), NULL));
    }
    return json_object_of("replicates", json_integer(s->replicates), "failed", json_integer(s->failed), "pairs", pairs,
                          NULL);
}

/* ---- the document ---- */

static json_value *convention(const writer *w)
{
    const char *words =
        arena_format(w->ctx, w->scratch,
                     "an edge a --> b says that a causes b; a --- b: one causes the other, or they have a "
                     "common cause in the graph, without saying which way; a <-> b: %s",
                     report_edge_meaning(w->result, NONSENS_EDGE_BIDIRECTED));
    return words ? text(w, words) : NULL;
}

static json_value *curve(const result_training *t, int rows)
{
    static const char *const key[] = {"low", "middle", "high"};
    json_value *object = json_object();
    for (int k = 0; k < 3; k++) {
        json_value *list = json_array();
        for (int64_t e = 0; e < t->epochs; e++) {
            json_array_append(list, report_rounded(t->loss[rows][k][e], CURVE_DIGITS));
        }
        json_object_set(object, key[k], list);
    }
    return object;
}

static json_value *training_object(const writer *w)
{
    const result_training *t = &w->result->training;
    json_value *running = json_array();
    for (int64_t e = 0; e < t->epochs; e++) {
        json_array_append(running, json_integer((int64_t)t->running[e]));
    }
    return json_object_of("networks", json_integer(t->networks), "chance", report_rounded(t->chance, CURVE_DIGITS),
                          "running", running, "trained_on", curve(t, 0), "held_out", curve(t, 1), NULL);
}

static void fill_graph(const writer *w, json_value *root)
{
    const nonsens_result *r = w->result;
    if (r->explained.variable) {
        json_object_set(root, "explain", report_explanation(w->ctx, w->scratch, r));
    }
    if (r->effects.question) {
        report_fill_effects(w->ctx, w->scratch, r, root);
    }
    json_object_set(root, "method", text(w, r->method));
    json_object_set(root, "nodes", texts(w, r->names, r->variables));
    json_object_set(root, "edges", edge_array(w));
    if (w->result->target_count > 0) {
        json_object_set(root, "targets", target_array(w));
    }
    json_object_set(root, "p_value_bound", json_real(P_VALUE_BOUND));
    if (r->unfinished) {
        json_object_set(root, "unfinished", json_boolean(true));
    }
    if (r->bootstrap.replicates) {
        json_object_set(root, "bootstrap", bootstrap_object(w));
    }
    if (r->order) {
        json_object_set(root, "order", report_names(w->ctx, w->scratch, r, r->order, r->variables));
    }
    json_object_set(root, "convention", convention(w));
    json_object_set(root, "evidence", evidence_array(w));
    if (r->reason) {
        json_object_set(root, "reason", text(w, r->reason));
    }
}

/* Adds the result of `ica`, which has no decision. */
static void fill_unmixed(const writer *w, json_value *root)
{
    const nonsens_result *r = w->result;
    const result_unmixing *u = &r->unmixed;
    json_object_set(root, "method", text(w, r->method));
    json_object_set(root, "sources", texts(w, r->source_name, r->source.cols));
    json_object_set(root, "unmixing", matrix_rows(u->unmixing, r->source.cols));
    json_object_set(root, "mixing", matrix_rows(u->mixing, r->source.cols));
    json_object_set(root, "convention", text(w, u->convention));
    json_object_set(root, "statistic", text(w, u->statistic));
    json_object_set(root, "sharpness", json_real(u->sharpness));
    json_object_set(root, "converged", json_boolean(u->converged));
    json_object_set(root, "iterations", json_integer(u->iterations));
    json_object_set(root, "evidence", evidence_array(w));
}

static json_value *alternative_array(const nonsens_result *r)
{
    json_value *array = json_array();
    for (int64_t i = 0; nonsens_result_alternative_at(r, i); i++) {
        json_array_append(array, json_string(nonsens_result_alternative_at(r, i)));
    }
    return array;
}

static json_value *opinion_array(const writer *w)
{
    json_value *array = json_array();
    for (int64_t i = 0; i < w->result->opinions; i++) {
        const nonsens_opinion *o = &w->result->opinion[i];
        json_array_append(array, json_object_of("method", text(w, o->method), "direction", text(w, o->direction),
                                                "decision", text(w, o->decision), "score", json_real(o->score),
                                                "p_value", json_real(o->p_value), NULL));
    }
    return array;
}

static void fill_decision(const writer *w, json_value *root)
{
    const nonsens_result *r = w->result;
    json_object_set(root, "method", text(w, r->method));
    json_object_set(root, "decision", r->decision == DECISION_NONE ? json_null() : text(w, r->decision_text));
    json_object_set(root, "direction", text(w, r->direction_text));
    json_object_set(root, "score", json_real(r->score));
    json_object_set(root, "p_value", json_real(r->p_value));
    json_object_set(root, "p_value_bound", json_real(P_VALUE_BOUND));
    if (r->options.command == NONSENS_COMMAND_DIRECTION) {
        json_object_set(root, "firm",
                        r->firm == NONSENS_FIRM_NONE ? json_null() : json_boolean(r->firm == NONSENS_FIRM_YES));
        json_object_set(root, "alternatives", alternative_array(r));
        json_object_set(root, "opinions", opinion_array(w));
    }
    json_object_set(root, "evidence", evidence_array(w));
    if (r->reason) {
        json_object_set(root, "reason", text(w, r->reason));
    }
    if (r->assumes_effect) {
        json_object_set(root, "assumes_effect", json_boolean(true));
    }
}

/* Makes the list of the notes' texts, or of their levels. */
static json_value *note_array(const writer *w, bool levels)
{
    static const char *const word[] = {
        [NONSENS_NOTE_INFO] = "info", [NONSENS_NOTE_CAUTION] = "caution", [NONSENS_NOTE_PROBLEM] = "problem"};
    json_value *array = json_array();
    for (int64_t i = 0; i < w->result->notes; i++) {
        const nonsens_note *note = &w->result->note[i];
        json_array_append(array, levels ? json_string(word[note->level]) : text(w, note->text));
    }
    return array;
}

json_value *report_document(nonsens_context *ctx, arena *scratch, const nonsens_result *result)
{
    const writer state = {ctx, scratch, result}, *w = &state;
    json_value *root = json_object_of("nonsens", program_object(w), "data", data_object(w), NULL);
    (result->is_graph ? fill_graph : result->unmixed.unmixing ? fill_unmixed : fill_decision)(w, root);
    if (result->assumes) {
        json_object_set(root, "assumptions", text(w, result->assumes));
    }
    json_object_set(root, "steps", texts(w, result->step, result->steps));
    json_object_set(root, "notes", note_array(w, false));
    json_object_set(root, "note_levels", note_array(w, true));
    if (result->modulation.v) {
        json_object_set(root, "modulation", modulation_object(w));
    }
    if (result->training.epochs) {
        json_object_set(root, "training", training_object(w));
    }
    json_object_set(root, "seconds", json_real(result->seconds));
    return root;
}

/* ---- one of many pairs ---- */

json_value *report_pair_line(nonsens_context *ctx, arena *scratch, const report_pair *pair, int64_t seed)
{
    const nonsens_result *r = pair->result;
    const writer state = {ctx, scratch, r}, *w = &state;
    return json_object_of(
        "x", text(w, pair->x), "y", text(w, pair->y), "method", text(w, pair->method), "decision",
        text(w, r ? r->decision_text : NULL), "direction", text(w, r ? r->direction_text : NULL), "score",
        json_real(r ? r->score : NAN), "p_value", json_real(r ? r->p_value : NAN), "q_value", json_null(), "reason",
        text(w, r ? r->reason : NULL), "error", text(w, pair->error), "assumes_effect",
        json_boolean(r && r->assumes_effect), "evidence", r ? evidence_array(w) : json_array(), "notes",
        r ? note_array(w, false) : json_array(), "note_levels", r ? note_array(w, true) : json_array(), "warnings",
        r ? texts(w, r->warning, r->warnings) : json_array(), "version", json_string(nonsens_version()), "seed",
        json_integer(seed), "data_hash", r ? hash_text_of(r->data_hash) : json_null(), NULL);
}

/* ---- files ---- */

static nonsens_status write_bytes(nonsens_context *ctx, const char *bytes, const char *path)
{
    output *out;
    if (!bytes) {
        return fail_memory(ctx);
    }
    TRY(output_open(ctx, path, &out));
    output_write(out, bytes, strlen(bytes));
    output_write(out, "\n", 1);
    return output_close(ctx, out);
}

nonsens_status report_write_json(nonsens_context *ctx, json_value *document, int digits, const char *path)
{
    char *bytes = json_text(document, JSON_INDENTED, digits);
    json_decref(document);
    nonsens_status status = write_bytes(ctx, bytes, path);
    memory_release(bytes);
    return status;
}

nonsens_status nonsens_result_write_json(nonsens_context *ctx, const nonsens_result *result, const char *path)
{
    NEEDED(ctx, result, path);
    arena scratch = {0};
    json_value *root = report_document(ctx, &scratch, result);
    arena_free(&scratch);
    return report_write_json(ctx, root, REPORT_DIGITS, path);
}
