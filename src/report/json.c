/*
 * json.c - a result as JSON.  Keys keep the order in which they are set; NaN and infinities become null.
 *
 * No field but seconds and threads differs between equal runs.
 */
#include "base/output.h"
#include "methods/result.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Fifteen digits: every decimal that a user typed comes back as typed. */
enum { DIGITS = 15, INDENT = 2 };

/* What cannot be built (no memory) makes the whole document NULL; jansson passes NULL on through every _new call. */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Length of the UTF-8 sequence at s if it is well formed, else 0. */
static int utf8_length(const unsigned char *s)
{
    int length = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : 4;
    if (length == 1) {
        return 1;
    }
    if (s[0] < 0xc2 || s[0] > 0xf4) {
        return 0;
    }
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90);
    bool outside = (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf4 && s[1] > 0x8f);
    return overlong || outside ? 0 : length;
}

/* Names and labels come from files in any encoding, JSON is UTF-8: bytes that are not UTF-8 are taken as Latin-1. */
static char *utf8(nonsens_context *ctx, arena *a, const char *text)
{
    char *out = arena_get(ctx, a, 2 * (int64_t)strlen(text) + 1, 1), *to = out;
    if (!out) {
        return NULL;
    }
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int length = utf8_length(s);
        if (length == 0) {
            *to++ = (char)(0xc0 | *s >> 6);
            *to++ = (char)(0x80 | (*s++ & 0x3f));
        }
        for (; length > 0; length--) {
            *to++ = (char)*s++;
        }
    }
    return out;
}

/* The writer's state: scratch texts live in the arena. */
typedef struct writer {
    nonsens_context *ctx;
    arena *scratch;
    const nonsens_result *result;
} writer;

static json_t *text(const writer *w, const char *value)
{
    char *clean = value ? utf8(w->ctx, w->scratch, value) : NULL;
    return value ? (clean ? json_string(clean) : NULL) : json_null();
}

/* Sets a key that may come from a file; false where memory is exhausted.  Takes the value. */
static bool set(const writer *w, json_t *object, const char *key, json_t *value)
{
    char *clean = utf8(w->ctx, w->scratch, key);
    if (!clean) {
        json_decref(value);
        return false;
    }
    return json_object_set_new(object, clean, value) == 0;
}

static json_t *keep_if(bool ok, json_t *value)
{
    if (!ok) {
        json_decref(value);
        return NULL;
    }
    return value;
}

static json_t *texts(const writer *w, char *const *item, int64_t count)
{
    json_t *array = json_array();
    bool ok = array != NULL;
    for (int64_t i = 0; ok && i < count; i++) {
        ok = json_array_append_new(array, text(w, item[i])) == 0;
    }
    return keep_if(ok, array);
}

/* ---- parts ---- */

static json_t *option_value(const writer *w, const nonsens_option_info *info)
{
    char value[OPTION_TEXT_BYTES];
    option_print(&w->result->options, info, value, sizeof value);
    json_t *parsed = NULL;
    switch (info->type) {
    case NONSENS_OPTION_FLAG:
        return json_boolean(strcmp(value, "true") == 0);
    case NONSENS_OPTION_INTEGER:
    case NONSENS_OPTION_REAL:
        parsed = json_loads(value, JSON_DECODE_ANY, NULL);
        return parsed;
    case NONSENS_OPTION_CHOICE:
    case NONSENS_OPTION_TEXT:
    case NONSENS_OPTION_RANGE:
        break;
    }
    return text(w, value);
}

static json_t *options_object(const writer *w)
{
    json_t *object = json_object();
    bool ok = object != NULL;
    for (size_t i = 0; ok && i < nonsens_option_count(); i++) {
        const nonsens_option_info *info = nonsens_option_at(i);
        if ((info->commands & w->result->options.command) && strcmp(info->key, "threads") != 0) {
            ok = set(w, object, info->key, option_value(w, info));
        }
    }
    return keep_if(ok, object);
}

static json_t *program_object(const writer *w)
{
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, w->result->data_hash);
    return json_pack("{s:s, s:I, s:i, s:o, s:s}", "version", nonsens_version(), "seed",
                     (json_int_t)w->result->options.seed, "threads", w->result->threads, "options", options_object(w),
                     "data_hash", hash);
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
        const evidence *e = &r->evidence[i];
        ok = json_array_append_new(array, json_pack("{s:o, s:o, s:o, s:o}", "name", text(w, e->name), "value",
                                                    number(e->value), "p_value", number(e->p_value), "text",
                                                    text(w, e->text))) == 0;
    }
    return keep_if(ok, array);
}

static json_t *modulation_of(const writer *w, int64_t j)
{
    const nonsens_result *r = w->result;
    json_t *object = json_object();
    bool ok = object != NULL;
    for (int64_t e = 0; ok && e < r->segments; e++) {
        ok = set(w, object, r->labels[e], number(matrix_col(r->modulation, j)[e]));
    }
    return keep_if(ok, object);
}

static json_t *modulation_object(const writer *w)
{
    json_t *object = json_object();
    bool ok = object != NULL;
    for (int64_t j = 0; ok && j < w->result->modulation.cols; j++) {
        ok = set(w, object, w->result->names[j], modulation_of(w, j));
    }
    return keep_if(ok, object);
}

/* ---- the document ---- */

static bool fill_decision(const writer *w, json_t *root)
{
    const nonsens_result *r = w->result;
    return set(w, root, "method", text(w, r->method)) &&
           set(w, root, "decision", r->decision == DECISION_NONE ? json_null() : text(w, r->decision_text)) &&
           set(w, root, "direction", text(w, r->direction_text)) && set(w, root, "score", number(r->score)) &&
           set(w, root, "p_value", number(r->p_value)) && set(w, root, "evidence", evidence_array(w)) &&
           (!r->reason || set(w, root, "reason", text(w, r->reason))) &&
           (!r->assumes_effect || set(w, root, "assumes_effect", json_true()));
}

static json_t *document(const writer *w)
{
    const nonsens_result *r = w->result;
    json_t *root = json_object();
    bool ok = root && set(w, root, "nonsens", program_object(w)) && set(w, root, "data", data_object(w)) &&
              fill_decision(w, root) && (!r->assumes || set(w, root, "assumptions", text(w, r->assumes))) &&
              set(w, root, "notes", texts(w, r->note, r->notes)) &&
              (!r->modulation.v || set(w, root, "modulation", modulation_object(w))) &&
              set(w, root, "seconds", number(r->seconds));
    return keep_if(ok, root);
}

static char *render(nonsens_context *ctx, const nonsens_result *result)
{
    arena scratch = {0};
    writer w = {ctx, &scratch, result};
    json_t *root = document(&w);
    char *bytes = root ? json_dumps(root, JSON_INDENT(INDENT) | JSON_REAL_PRECISION(DIGITS)) : NULL;
    json_decref(root);
    arena_free(&scratch);
    return bytes;
}

nonsens_status nonsens_result_write_json(nonsens_context *ctx, const nonsens_result *result, const char *path)
{
    output *out;
    char *bytes = render(ctx, result);
    if (!bytes) {
        return fail_memory(ctx);
    }
    nonsens_status status = output_open(ctx, path, &out);
    if (status == NONSENS_OK) {
        fprintf(output_stream(out), "%s\n", bytes);
        status = output_close(ctx, out);
    }
    json_free_t release;
    json_get_alloc_funcs(NULL, &release);
    release(bytes);
    return status;
}
