/*
 * segments_keep.c - makes the lines of segments, keeps them (pool/unit_lines.h), and remembers their results.  In the
 * journal a segment is named by its number in the data.
 */
#include "base/hash.h"
#include "base/number.h"
#include "base/show.h"
#include "data/canonical.h"
#include "graph/knowledge.h"
#include "pool/process_pool.h"
#include "read/knowledge_file.h"
#include "tasks/segments/segments.h"
#include "write/write_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEFT_OUT = 1 }; /* index in data->left_out of labels of segments */

int64_t segments_count(const nonsens_data *data)
{
    return data->segments + data->left_out_count[LEFT_OUT];
}

const char *segments_label(const nonsens_data *data, int64_t segment)
{
    return segment < data->segments ? data->labels[segment] : data->left_out[LEFT_OUT][segment - data->segments];
}

/* ---- making a line ---- */

/*
 * Returns the p-value of the hypothesis that the segment has no root cause: the smallest q-value of its variables,
 * which combines their p-values as Simes does.  A variable that is no root cause despite q <= alpha does not count.
 */
static double p_of(const nonsens_result *r)
{
    double p = NAN;
    for (int64_t i = 0; r->explained.variable && i < r->variables; i++) {
        const nonsens_change *c = &r->explained.variable[i];
        if (c->verdict == NONSENS_VERDICT_CHANGED || c->q_value > r->options.alpha) {
            p = fmin(p, c->q_value); // fmin ignores NaN
        }
    }
    return p;
}

/* Adds the members of an object, except one. */
static void add_members(json_value *to, const json_value *from, const char *but)
{
    const char *key;
    json_value *value;
    for (size_t i = 0; (value = json_at(from, i, &key)); i++) {
        if (strcmp(key, but) != 0) {
            json_object_set(to, key, json_incref(value));
        }
    }
}

/* Makes the line without time and threads, which are all that differs between equal runs. */
static json_value *line_of(nonsens_context *ctx, arena *scratch, const nonsens_result *result, const char *error)
{
    const char *label = report_utf8(ctx, scratch, result->options.of);
    const char *why = error ? report_utf8(ctx, scratch, error) : NULL;
    json_value *document = report_document(ctx, scratch, result), *program = json_object();
    json_value *line = json_object_of("segment", json_string(label), "p_value", json_real(p_of(result)), "q_value",
                                      json_null(), "error", error ? json_string(why) : json_null(), NULL);
    if (!json_is_complete(document)) {
        json_object_set(line, "nonsens", NULL); // marks the line as incomplete, too
    }
    add_members(program, json_object_get(document, "nonsens"), "threads");
    add_members(line, document, "seconds");
    json_object_set(line, "nonsens", program);
    json_decref(document);
    return line;
}

/* Fails for a segment that was left out: with its rows the data, and perhaps the graph, would be different. */
static nonsens_status refuse_left_out(nonsens_context *ctx, const explain_basis *basis, nonsens_result *result)
{
    TRY(explain_copy_graph(ctx, basis->found, result));
    return fail(ctx, NONSENS_ERR_DATA,
                "it has so few rows that it was left out of the data; explain it alone, or keep all segments with "
                "--keep-all");
}

nonsens_status segments_make_line(nonsens_context *ctx, arena *scratch, explain_basis *basis, int64_t segment,
                                  int threads, json_value **line)
{
    SCOPED(memory_release_scoped) nonsens_result *result = NULL;
    nonsens_options own = *basis->options;
    if (segment < 0) {
        return fail(ctx, NONSENS_ERR_OUTPUT, "a message from one process to another was damaged");
    }
    own.of = segments_label(basis->data, segment);
    TRY(result_new(ctx, basis->data, &own, "given", &result));
    result->is_graph = true;
    nonsens_status status = segment < basis->data->segments ? explain_segment(ctx, basis, threads, result)
                                                            : refuse_left_out(ctx, basis, result);
    if (status != NONSENS_ERR_DATA && status != NONSENS_ERR_NUMERIC) { // such an error would also stop the next segment
        TRY(status);
    }
    TRY(result_finish(ctx, result));
    *line = line_of(ctx, scratch, result, status == NONSENS_OK ? NULL : nonsens_context_message(ctx));
    return NONSENS_OK;
}

/* ---- what a line says ---- */

enum { DIGITS = 3, VERDICT_BYTES = SHOWN_BYTES + 100 };

/* Returns how many variables have this verdict. */
static int64_t count_verdict(const json_value *variables, const char *verdict)
{
    int64_t count = 0;
    for (size_t i = 0; i < json_array_size(variables); i++) {
        const char *word = json_get_string(json_array_get(variables, i), "verdict");
        count += word && strcmp(word, verdict) == 0;
    }
    return count;
}

/* Writes in words what was found; the first variable is the likeliest root cause. */
static void print_verdict(char out[VERDICT_BYTES], const json_value *explain, int64_t root_causes)
{
    char name[SHOWN_BYTES], size[NUMBER_BYTES];
    const json_value *variables = json_object_get(explain, "variables"), *first = json_array_get(variables, 0);
    const char *how = json_get_string(first, "how"), *variable = json_get_string(first, "variable");
    int64_t unclear = count_verdict(variables, report_verdict(NONSENS_VERDICT_UNCLEAR));
    show_bare(name, variable ? variable : "");
    if (root_causes > 0) {
        snprintf(out, VERDICT_BYTES, "%s changed itself%s%s (size %s)", name, how && how[0] ? ": " : "", how ? how : "",
                 number_print(size, round(1000.0 * json_get_number(first, "size")) / 1000.0, DIGITS));
    } else if (json_object_get(explain, "ranking_only") == json_boolean(true)) {
        snprintf(out, VERDICT_BYTES, "ranking only: most variables shifted, %s most", name);
    } else if (unclear > 0) {
        snprintf(out, VERDICT_BYTES, "unclear: %" PRId64 " of %zu variables", unclear, json_array_size(variables));
    } else {
        snprintf(out, VERDICT_BYTES, "nothing unusual");
    }
}

/* Returns the first note that is a problem; NULL if there is none. */
static const char *problem_of(const json_value *line)
{
    const json_value *notes = json_object_get(line, "notes"), *levels = json_object_get(line, "note_levels");
    for (size_t i = 0; i < json_array_size(notes); i++) {
        const char *level = json_string_value(json_array_get(levels, i));
        if (level && strcmp(level, "problem") == 0) {
            return json_string_value(json_array_get(notes, i));
        }
    }
    return NULL;
}

static bool copy_text(segments_sink *sink, const char *text, const char **out)
{
    *out = text ? arena_text(sink->ctx, &sink->all->memory, text) : NULL;
    return !text || *out;
}

static bool take_explained(segments_sink *sink, const json_value *line, nonsens_explained *to)
{
    char verdict[VERDICT_BYTES];
    const json_value *explain = json_object_get(line, "explain");
    const json_value *first = json_array_get(json_object_get(explain, "variables"), 0);
    to->root_causes = (int64_t)json_array_size(json_object_get(explain, "root_causes"));
    to->unclear = to->root_causes == 0;
    print_verdict(verdict, explain, to->root_causes);
    to->unclear = to->unclear && strcmp(verdict, "nothing unusual") != 0;
    to->size = to->root_causes > 0 ? json_get_number(first, "size") : NAN;
    return copy_text(sink, verdict, &to->verdict) &&
           copy_text(sink, to->root_causes > 0 ? json_get_string(first, "variable") : NULL, &to->root_cause) &&
           (sink->all->assumes || copy_text(sink, json_get_string(line, "assumptions"), &sink->all->assumes));
}

static bool take_line(void *run, int64_t index, const json_value *line)
{
    segments_sink *sink = run;
    nonsens_explained *to = &sink->all->item[index];
    to->p_value = json_get_number(line, "p_value");
    to->verdict = "failed";
    if (!copy_text(sink, json_get_string(line, "error"), &to->error) ||
        !copy_text(sink, problem_of(line), &to->problem)) {
        return false;
    }
    return to->error || take_explained(sink, line, to);
}

/* Returns whether the line has all its keys, and either an answer or the reason of a failure. */
static bool is_segment_line(const json_value *line)
{
    const json_value *variables = json_object_get(json_object_get(line, "explain"), "variables");
    double p = json_get_number(line, "p_value");
    bool first_and_last = json_has(line, "segment", JSON_STRING) && json_has(line, "note_levels", JSON_ARRAY);
    return first_and_last && (json_array_size(variables) > 0) != json_has(line, "error", JSON_STRING) &&
           !(p < 0.0 || p > 1.0);
}

static int64_t find_line(const void *run, const json_value *name, const json_value *line)
{
    const segments_sink *sink = run;
    int64_t segment = json_integer_value(name);
    bool known = json_is(name, JSON_INTEGER) && segment >= 0 && segment < sink->numbers;
    return known && is_segment_line(line) ? sink->place[segment] : -1;
}

static json_value *name_of(const void *run, int64_t index)
{
    return json_integer(((const segments_sink *)run)->all->segment[index]);
}

static const unit_kind kind = {.journal = {"nonsens segments", "segments", "name another --journal or --json"},
                               .key = "segment",
                               .name = name_of,
                               .find = find_line,
                               .take = take_line};

/* ---- the journal ---- */

/* Each line has its own label (--of), and files are compared by their contents, not by name. */
static bool is_setting(const nonsens_option_info *info)
{
    static const char *const other[] = {"of", "graph", "knowledge"};
    bool setting = true;
    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        setting = setting && strcmp(info->key, other[k]) != 0;
    }
    return setting;
}

/* Adds the hash of prior knowledge; 0 if there is no such knowledge. */
static nonsens_status add_knowledge(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                    json_value *head)
{
    SCOPED_ARENA(scratch);
    knowledge known;
    uint64_t hash = 0;
    if (options->knowledge[0]) {
        TRY(knowledge_read(ctx, &scratch, options->knowledge, data->d, (const char *const *)data->names, &known));
        hash = HASH_START;
        for (int64_t k = 0; k < data->d * data->d; k++) {
            hash_number(&hash, known.flags[k]);
        }
    }
    return journal_head_add_input(ctx, head, "knowledge", hash);
}

/* Makes the head without the graph; the caller releases *head also on failure. */
static nonsens_status make_head(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                json_value **head)
{
    uint64_t hash = canonical_hash_all(data);
    for (int64_t e = data->segments; e < segments_count(data); e++) {
        hash_text(&hash, segments_label(data, e));
    }
    TRY(journal_head_new(ctx, &kind.journal, options, is_setting, head));
    TRY(journal_head_add_input(ctx, *head, "data", hash));
    return add_knowledge(ctx, data, options, *head);
}

nonsens_status segments_set_key(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options)
{
    json_value *head = NULL;
    nonsens_status status = make_head(ctx, data, options, &head);
    status = status == NONSENS_OK ? process_pool_set_key(ctx, head) : status;
    json_decref(head);
    return status;
}

/* Adds the hash of the given graph and the notes on it; 0 if the graph is to be found. */
static nonsens_status add_graph(nonsens_context *ctx, const nonsens_result *given, json_value *head)
{
    uint64_t hash = given ? HASH_START : 0;
    for (int64_t i = 0; given && i < given->edges; i++) {
        const nonsens_edge *e = &given->edge[i];
        hash_number(&hash, e->from);
        hash_number(&hash, e->to);
        hash_number(&hash, e->type);
        hash_bytes(&hash, (const char *)&e->weight, sizeof e->weight);
        hash_bytes(&hash, (const char *)&e->p_value, sizeof e->p_value);
    }
    for (int64_t i = 0; given && i < given->notes; i++) {
        hash_text(&hash, given->note[i].text);
    }
    return journal_head_add_input(ctx, head, "graph", hash);
}

nonsens_status segments_sink_new(nonsens_context *ctx, const explain_basis *basis, nonsens_explanations *all,
                                 segments_sink *out)
{
    json_value *head = NULL;
    *out = (segments_sink){.all = all, .ctx = ctx};
    all->lines.count = all->count;
    out->numbers = segments_count(basis->data);
    ARENA_TRY(ctx, &all->memory, out->place, out->numbers);
    for (int64_t e = 0; e < out->numbers; e++) {
        out->place[e] = -1;
    }
    for (int64_t k = 0; k < all->count; k++) {
        out->place[all->segment[k]] = k;
    }
    nonsens_status status = all->lines.journal ? make_head(ctx, basis->data, &all->options, &head) : NONSENS_OK;
    status = status == NONSENS_OK && head ? add_graph(ctx, basis->found, head) : status;
    if (status == NONSENS_OK) {
        status = unit_sink_new(ctx, &all->memory, &kind, out, head, all->options.resume, &all->lines, &out->lines);
    }
    json_decref(head);
    return status;
}

void segments_sink_free(segments_sink *sink)
{
    unit_sink_free(&sink->lines);
}

nonsens_status segments_keep(nonsens_context *ctx, segments_sink *sink, int64_t index, json_value *line)
{
    sink->ctx = ctx;
    return unit_sink_keep(ctx, &sink->lines, index, line);
}
