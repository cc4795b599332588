/*
 * json.c - a result as JSON.  Keys keep the order in which they are set; NaN and infinities become null.
 *
 * No field but seconds and threads differs between equal runs.
 */
#include "base/hash.h"
#include "base/number.h"
#include "base/output.h"
#include "base/utf8.h"
#include "methods/shared/result.h"
#include "write/graph.h"
#include "write/write_internal.h"
#include "json/json_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, CURVE_DIGITS = 6 };

json_t *report_rounded(double value, int digits)
{
    char text[NUMBER_BYTES];
    double short_value = value;
    if (!isfinite(value)) {
        return json_null();
    }
    number_print(text, value, digits);
    number_parse(text, text + strlen(text), &short_value);
    return json_real(short_value + 0.0); // no minus zero
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

/* The writer's state: scratch texts live in the arena. */
typedef struct writer {
    nonsens_context *ctx;
    arena *scratch;
    const nonsens_result *result; /* NULL if only options are written */
} writer;

static json_t *text(const writer *w, const char *value)
{
    char *clean = value ? report_utf8(w->ctx, w->scratch, value) : NULL;
    return value ? (clean ? json_string(clean) : NULL) : json_null();
}

/* Sets a key that may come from a file; false if memory is exhausted.  Takes the value. */
static bool set(const writer *w, json_t *object, const char *key, json_t *value)
{
    char *clean = report_utf8(w->ctx, w->scratch, key);
    if (!clean) {
        json_decref(value);
        return false;
    }
    return json_object_set_new(object, clean, value) == 0;
}

static json_t *texts(const writer *w, char *const *item, int64_t count)
{
    json_t *array = json_array();
    bool ok = array != NULL;
    for (int64_t i = 0; ok && i < count; i++) {
        ok = json_array_append_new(array, text(w, item[i])) == 0;
    }
    return report_keep_if(ok, array);
}

/* ---- parts ---- */

static json_t *option_value(const writer *w, const nonsens_options *options, const nonsens_option_info *info)
{
    char buffer[OPTION_VALUE_BYTES];
    double real = 0.0;
    const char *value = option_print(options, info, buffer);
    switch (info->type) {
    case NONSENS_OPTION_FLAG:
        return json_boolean(strcmp(value, "true") == 0);
    case NONSENS_OPTION_INTEGER:
        return json_integer(strtoll(value, NULL, 10));
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

json_t *report_options(nonsens_context *ctx, arena *scratch, const nonsens_options *options)
{
    writer w = {ctx, scratch, NULL};
    json_t *object = json_object();
    bool ok = object != NULL;
    for (size_t i = 0; ok && i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        if ((info->commands & options->command) && option_changes_results(info)) {
            ok = set(&w, object, info->key, option_value(&w, options, info));
        }
    }
    return report_keep_if(ok, object);
}

static json_t *program_object(const writer *w)
{
    char hash[HASH_BYTES];
    return json_pack("{s:s, s:I, s:i, s:o, s:s}", "version", nonsens_version(), "seed",
                     (json_int_t)w->result->options.seed, "threads", w->result->threads, "options",
                     report_options(w->ctx, w->scratch, &w->result->options), "data_hash",
                     hash_print(hash, w->result->data_hash));
}

static json_t *data_object(const writer *w)
{
    const nonsens_result *r = w->result;
    return json_pack("{s:I, s:I, s:o, s:o}", "rows", (json_int_t)r->rows, "segments", (json_int_t)r->segments,
                     "variables", texts(w, r->names, r->variables), "warnings", texts(w, r->warning, r->warnings));
}

static json_t *evidence_array(const writer *w)
{
    const nonsens_result *r = w->result;
    json_t *array = json_array();
    bool ok = array != NULL;
    for (int64_t i = 0; ok && i < r->evidence_count; i++) {
        const nonsens_evidence *e = &r->evidence[i];
        ok = json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:o}", "name", text(w, e->name), "value",
                                                    report_number(e->value), "p_value", report_number(e->p_value),
                                                    "text", text(w, e->text))) == 0;
    }
    return report_keep_if(ok, array);
}

static json_t *modulation_of(const writer *w, int64_t j)
{
    const nonsens_result *r = w->result;
    json_t *object = json_object();
    bool ok = object != NULL;
    for (int64_t e = 0; ok && e < r->segments; e++) {
        ok = set(w, object, r->labels[e], report_number(matrix_col(r->modulation, j)[e]));
    }
    return report_keep_if(ok, object);
}

static json_t *modulation_object(const writer *w)
{
    char *const *name = w->result->source_name ? w->result->source_name : w->result->names;
    json_t *object = json_object();
    bool ok = object != NULL;
    for (int64_t j = 0; ok && j < w->result->modulation.cols; j++) {
        ok = set(w, object, name[j], modulation_of(w, j));
    }
    return report_keep_if(ok, object);
}

/* A square matrix, row by row. */
static json_t *matrix_rows(const double *v, int64_t d)
{
    json_t *rows = json_array();
    bool ok = rows != NULL;
    for (int64_t i = 0; ok && i < d; i++) {
        json_t *row = json_array();
        ok = json_array_append_new(rows, row) == 0;
        for (int64_t j = 0; ok && j < d; j++) {
            ok = json_array_append_new(row, report_number(v[i * d + j])) == 0;
        }
    }
    return report_keep_if(ok, rows);
}

static json_t *edge_object(const writer *w, const nonsens_edge *e)
{
    char *const *name = w->result->names;
    return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o}", "from", text(w, name[e->from]), "to", text(w, name[e->to]),
                     "type", report_edge_mark(e->type), "weight", report_number(e->weight), "p_value",
                     report_number(e->p_value), "support", report_number(e->support));
}

static json_t *edge_array(const writer *w)
{
    json_t *array = json_array();
    bool ok = array != NULL;
    for (int64_t i = 0; ok && i < w->result->edges; i++) {
        ok = json_array_append_new(array, edge_object(w, &w->result->edge[i])) == 0;
    }
    return report_keep_if(ok, array);
}

/* Shares of the bootstrap samples that went well; pairs that none of them has an edge between are left out. */
static json_t *resampled_array(const writer *w)
{
    const result_bootstrap *s = &w->result->resampled;
    char *const *name = w->result->names;
    double good = (double)(s->replicates - s->failed);
    json_t *array = json_array();
    bool ok = array != NULL;
    for (int64_t i = 0; ok && i < s->pairs; i++) {
        const result_edge_counts *p = &s->pair[i];
        ok = json_array_append_new(array,
                                   json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "a", text(w, name[p->a]), "b",
                                             text(w, name[p->b]), "a --> b", report_number((double)p->forward / good),
                                             "b --> a", report_number((double)p->backward / good), "a --- b",
                                             report_number((double)p->undirected / good), "a <-> b",
                                             report_number((double)p->bidirected / good), "none",
                                             report_number((good - (double)p->adjacent) / good))) == 0;
    }
    return report_keep_if(ok, array);
}

static json_t *resampled_object(const writer *w)
{
    const result_bootstrap *s = &w->result->resampled;
    return json_pack("{s:I, s:I, s:o}", "replicates", (json_int_t)s->replicates, "failed", (json_int_t)s->failed,
                     "pairs", resampled_array(w));
}

static json_t *order_array(const writer *w)
{
    const nonsens_result *r = w->result;
    json_t *array = json_array();
    bool ok = array != NULL;
    for (int64_t i = 0; ok && i < r->variables; i++) {
        ok = json_array_append_new(array, text(w, r->names[r->order[i]])) == 0;
    }
    return report_keep_if(ok, array);
}

/* ---- what explain found ---- */

/* null or [low, high] */
static json_t *interval(double low, double high)
{
    return isnan(low) || isnan(high) ? json_null() : json_pack("[o, o]", report_number(low), report_number(high));
}

static json_t *named(const writer *w, const int64_t *variable, int64_t count)
{
    json_t *array = json_array();
    bool ok = array != NULL;
    for (int64_t i = 0; ok && i < count; i++) {
        ok = json_array_append_new(array, text(w, w->result->names[variable[i]])) == 0;
    }
    return report_keep_if(ok, array);
}

static json_t *change_object(const writer *w, const nonsens_change *c, int64_t rank)
{
    json_t *object = json_object();
    bool ok =
        object && set(w, object, "variable", text(w, w->result->names[c->variable])) &&
        set(w, object, "rank", json_integer(rank)) && set(w, object, "verdict", text(w, report_verdict(c->verdict))) &&
        set(w, object, "own_change", report_number(c->own)) &&
        set(w, object, "standard_error", report_number(c->own_error)) &&
        set(w, object, "interval", interval(c->own_low, c->own_high)) &&
        set(w, object, "p_value", report_number(c->p_value)) && set(w, object, "q_value", report_number(c->q_value)) &&
        set(w, object, "share", report_number(c->share)) && set(w, object, "how", text(w, c->description)) &&
        set(w, object, "scale", report_number(c->scale)) &&
        set(w, object, "scale_interval", interval(c->scale_low, c->scale_high)) &&
        set(w, object, "shift", report_number(c->shift)) &&
        set(w, object, "shift_interval", interval(c->shift_low, c->shift_high)) &&
        set(w, object, "marginal_change", report_number(c->marginal)) &&
        set(w, object, "marginal_standard_error", report_number(c->marginal_error)) &&
        set(w, object, "marginal_p_value", report_number(c->marginal_p)) &&
        set(w, object, "marginal_q_value", report_number(c->marginal_q)) &&
        set(w, object, "causes", named(w, c->cause, c->causes)) &&
        set(w, object, "follows", named(w, c->follows, c->verdict == NONSENS_VERDICT_FOLLOWS ? c->followed : 0));
    return report_keep_if(ok, object);
}

static json_t *explained_object(const writer *w)
{
    const nonsens_result *r = w->result;
    const result_explanation *e = &r->explained;
    json_t *variables = json_array(), *roots = json_array();
    bool ok = variables && roots;
    for (int64_t i = 0; ok && i < r->variables; i++) {
        const nonsens_change *c = &e->variable[i];
        ok = json_array_append_new(variables, change_object(w, c, i + 1)) == 0 &&
             (c->verdict != NONSENS_VERDICT_CHANGED ||
              json_array_append_new(roots, text(w, r->names[c->variable])) == 0);
    }
    return json_pack("{s:o, s:o, s:I, s:I, s:o, s:o}", "of", text(w, e->of), "against", text(w, e->against), "of_rows",
                     (json_int_t)e->of_rows, "against_rows", (json_int_t)e->other_rows, "root_causes",
                     report_keep_if(ok, roots), "variables", report_keep_if(ok, variables));
}

/* ---- the document ---- */

static json_t *convention(const writer *w)
{
    const char *words =
        arena_format(w->ctx, w->scratch,
                     "an edge a --> b says that a causes b; a --- b: one causes the other, or they have a "
                     "common cause in the graph, without saying which way; a <-> b: %s",
                     report_edge_meaning(w->result, NONSENS_EDGE_BIDIRECTED));
    return words ? text(w, words) : NULL;
}

static json_t *curve(const result_training *t, int rows)
{
    static const char *const key[] = {"low", "middle", "high"};
    json_t *object = json_object();
    bool ok = object != NULL;
    for (int k = 0; ok && k < 3; k++) {
        json_t *list = json_array();
        ok = json_object_set_new(object, key[k], list) == 0;
        for (int64_t e = 0; ok && e < t->epochs; e++) {
            ok = json_array_append_new(list, report_rounded(t->loss[rows][k][e], CURVE_DIGITS)) == 0;
        }
    }
    return report_keep_if(ok, object);
}

static json_t *training_object(const writer *w)
{
    const result_training *t = &w->result->training;
    json_t *running = json_array();
    bool ok = running != NULL;
    for (int64_t e = 0; ok && e < t->epochs; e++) {
        ok = json_array_append_new(running, json_integer((json_int_t)t->running[e])) == 0;
    }
    return json_pack("{s:I, s:o, s:o, s:o, s:o}", "networks", (json_int_t)t->networks, "chance",
                     report_rounded(t->chance, CURVE_DIGITS), "running", report_keep_if(ok, running), "trained_on",
                     curve(t, 0), "held_out", curve(t, 1));
}

static bool fill_graph(const writer *w, json_t *root)
{
    const nonsens_result *r = w->result;
    return (!r->explained.variable || set(w, root, "explain", explained_object(w))) &&
           set(w, root, "method", text(w, r->method)) && set(w, root, "nodes", texts(w, r->names, r->variables)) &&
           set(w, root, "edges", edge_array(w)) &&
           (!r->resampled.replicates || set(w, root, "bootstrap", resampled_object(w))) &&
           (!r->order || set(w, root, "order", order_array(w))) && set(w, root, "convention", convention(w)) &&
           set(w, root, "evidence", evidence_array(w)) && (!r->reason || set(w, root, "reason", text(w, r->reason)));
}

/* `ica` has these in the place of a decision. */
static bool fill_unmixed(const writer *w, json_t *root)
{
    const nonsens_result *r = w->result;
    const result_unmixing *u = &r->unmixed;
    return set(w, root, "method", text(w, r->method)) &&
           set(w, root, "sources", texts(w, r->source_name, r->source.cols)) &&
           set(w, root, "unmixing", matrix_rows(u->unmixing, r->source.cols)) &&
           set(w, root, "mixing", matrix_rows(u->mixing, r->source.cols)) &&
           set(w, root, "convention", text(w, u->convention)) && set(w, root, "statistic", text(w, u->statistic)) &&
           set(w, root, "sharpness", report_number(u->sharpness)) &&
           set(w, root, "converged", json_boolean(u->converged)) &&
           set(w, root, "iterations", json_integer(u->iterations)) && set(w, root, "evidence", evidence_array(w));
}

static bool fill_decision(const writer *w, json_t *root)
{
    const nonsens_result *r = w->result;
    return set(w, root, "method", text(w, r->method)) &&
           set(w, root, "decision", r->decision == DECISION_NONE ? json_null() : text(w, r->decision_text)) &&
           set(w, root, "direction", text(w, r->direction_text)) && set(w, root, "score", report_number(r->score)) &&
           set(w, root, "p_value", report_number(r->p_value)) && set(w, root, "evidence", evidence_array(w)) &&
           (!r->reason || set(w, root, "reason", text(w, r->reason))) &&
           (!r->assumes_effect || set(w, root, "assumes_effect", json_true()));
}

/* The texts of the notes, or their levels. */
static json_t *note_array(const writer *w, bool levels)
{
    static const char *const word[] = {
        [NONSENS_NOTE_INFO] = "info", [NONSENS_NOTE_CAUTION] = "caution", [NONSENS_NOTE_PROBLEM] = "problem"};
    json_t *array = json_array();
    bool ok = array != NULL;
    for (int64_t i = 0; ok && i < w->result->notes; i++) {
        const nonsens_note *note = &w->result->note[i];
        ok = json_array_append_new(array, levels ? json_string(word[note->level]) : text(w, note->text)) == 0;
    }
    return report_keep_if(ok, array);
}

static json_t *document(const writer *w)
{
    const nonsens_result *r = w->result;
    json_t *root = json_object();
    bool ok = root && set(w, root, "nonsens", program_object(w)) && set(w, root, "data", data_object(w)) &&
              (r->is_graph           ? fill_graph
               : r->unmixed.unmixing ? fill_unmixed
                                     : fill_decision)(w, root) &&
              (!r->assumes || set(w, root, "assumptions", text(w, r->assumes))) &&
              set(w, root, "steps", texts(w, r->step, r->steps)) && set(w, root, "notes", note_array(w, false)) &&
              set(w, root, "note_levels", note_array(w, true)) &&
              (!r->modulation.v || set(w, root, "modulation", modulation_object(w))) &&
              (!r->training.epochs || set(w, root, "training", training_object(w))) &&
              set(w, root, "seconds", report_number(r->seconds));
    return report_keep_if(ok, root);
}

json_t *report_document(nonsens_context *ctx, arena *scratch, const nonsens_result *result)
{
    writer w = {ctx, scratch, result};
    return document(&w);
}

/* ---- one of many pairs ---- */

static bool fill_pair(const writer *w, json_t *root)
{
    const nonsens_result *r = w->result;
    return set(w, root, "decision", r ? text(w, r->decision_text) : json_null()) &&
           set(w, root, "direction", r ? text(w, r->direction_text) : json_null()) &&
           set(w, root, "score", r ? report_number(r->score) : json_null()) &&
           set(w, root, "p_value", r ? report_number(r->p_value) : json_null()) &&
           set(w, root, "q_value", json_null()) && set(w, root, "reason", r ? text(w, r->reason) : json_null());
}

static bool fill_pair_findings(const writer *w, json_t *root)
{
    const nonsens_result *r = w->result;
    return set(w, root, "assumes_effect", json_boolean(r && r->assumes_effect)) &&
           set(w, root, "evidence", r ? evidence_array(w) : json_array()) &&
           set(w, root, "notes", r ? note_array(w, false) : json_array()) &&
           set(w, root, "note_levels", r ? note_array(w, true) : json_array()) &&
           set(w, root, "warnings", r ? texts(w, r->warning, r->warnings) : json_array());
}

json_t *report_pair_line(nonsens_context *ctx, arena *scratch, const report_pair *pair, int64_t seed)
{
    writer w = {ctx, scratch, pair->result};
    char hash[HASH_BYTES];
    json_t *root = json_object();
    bool ok =
        root && set(&w, root, "x", text(&w, pair->x)) && set(&w, root, "y", text(&w, pair->y)) &&
        set(&w, root, "method", text(&w, pair->method)) && fill_pair(&w, root) &&
        set(&w, root, "error", text(&w, pair->error)) && fill_pair_findings(&w, root) &&
        set(&w, root, "version", json_string(nonsens_version())) &&
        set(&w, root, "seed", json_integer((json_int_t)seed)) &&
        set(&w, root, "data_hash", pair->result ? json_string(hash_print(hash, pair->result->data_hash)) : json_null());
    return report_keep_if(ok, root);
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

nonsens_status report_write_json(nonsens_context *ctx, json_t *document, int digits, const char *path)
{
    char *bytes = document ? json_text(document, JSON_INDENT(INDENT) | JSON_REAL_PRECISION(digits)) : NULL;
    json_decref(document);
    nonsens_status status = write_bytes(ctx, bytes, path);
    memory_release(bytes);
    return status;
}

nonsens_status nonsens_result_write_json(nonsens_context *ctx, const nonsens_result *result, const char *path)
{
    NEEDED(ctx, result, path);
    arena scratch = {0};
    json_t *root = report_document(ctx, &scratch, result);
    arena_free(&scratch);
    return report_write_json(ctx, root, REPORT_DIGITS, path);
}
