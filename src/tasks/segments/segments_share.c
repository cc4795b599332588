/*
 * segments_share.c - lets other processes explain segments.  The task of a segment holds its number and, as text, what
 * the first process has found for all segments:
 *
 *     {"edges": [[from, to, type, weight, p_value, directed_by, confounded], ...], "notes": [[level, text], ...],
 *      "method": "...", "bidirected": "...", "assumes": "...", "fits": [...]}
 *
 * with variables numbered as in the data.  A process reads the text once.  Other tasks are fits (structured_share.h).
 */
#include "methods/structured_graph/structured_graph_method.h"
#include "methods/structured_graph/structured_share.h"
#include "pool/process_pool.h"
#include "tasks/segments/segments.h"
#include "write/write_internal.h"

#include <string.h>

/* ---- giving ---- */

enum { EDGE_PARTS = 7 };

static json_value *edges_of(const nonsens_result *r)
{
    json_value *edges = json_array();
    for (int64_t i = 0; i < r->edges; i++) {
        const nonsens_edge *e = &r->edge[i];
        json_array_append(edges, json_array_of(EDGE_PARTS, json_integer(e->from), json_integer(e->to),
                                               json_integer(e->type), json_real(e->weight), json_real(e->p_value),
                                               json_integer(e->directed_by), json_integer(e->confounded)));
    }
    return edges;
}

static json_value *text_of(nonsens_context *ctx, arena *scratch, const char *text)
{
    const char *clean = text ? report_utf8(ctx, scratch, text) : NULL;
    return text ? json_string(clean) : json_null();
}

static json_value *notes_of(nonsens_context *ctx, arena *scratch, const nonsens_result *r)
{
    json_value *notes = json_array();
    for (int64_t i = 0; i < r->notes; i++) {
        json_array_append(notes,
                          json_array_of(2, json_integer(r->note[i].level), text_of(ctx, scratch, r->note[i].text)));
    }
    return notes;
}

static json_value *fits_of(const explain_basis *b)
{
    json_value *fits = json_array();
    for (int64_t i = 0; b->fitted && i < b->questions; i++) {
        const explain_question *q = &b->question[i];
        bool first = i == 0 || q[-1].node != q->node;
        if (first && b->node[q->node].complete) {
            json_array_append(fits, share_give(&b->scores, q->node, 0, NULL));
        }
        if (q->fitted && q->causes > 0) {
            json_array_append(fits, share_give(&b->scores, q->node, q->causes, q->cause));
        }
    }
    return fits;
}

char *segments_give_basis(nonsens_context *ctx, const explain_basis *b)
{
    SCOPED_ARENA(scratch);
    const nonsens_result *r = b->found;
    json_value *all =
        json_object_of("edges", edges_of(r), "notes", notes_of(ctx, &scratch, r), "method", json_string(r->method),
                       "bidirected", text_of(ctx, &scratch, r->bidirected_meaning), "assumes",
                       text_of(ctx, &scratch, r->assumes), "fits", fits_of(b), NULL);
    char *text = json_text(all, JSON_COMPACT, JSON_EXACT_DIGITS);
    json_decref(all);
    return text;
}

json_value *segments_task(int64_t segment, const char *basis)
{
    json_value *task = json_object_of("segment", json_integer(segment), "basis", json_string(basis), NULL);
    if (!json_is_complete(task)) {
        json_decref(task);
        return NULL;
    }
    return task;
}

int64_t segments_of_task(const json_value *task, const nonsens_data *data)
{
    int64_t segment = json_get_integer(task, "segment", -1);
    return segment < segments_count(data) ? segment : -1;
}

/* ---- taking ---- */

static double number_or_nan(const json_value *value)
{
    return json_is(value, JSON_NUMBER) ? json_number_value(value) : NAN;
}

static nonsens_status take_edge(nonsens_context *ctx, const json_value *item, nonsens_result *to)
{
    int64_t number[EDGE_PARTS];
    for (size_t k = 0; k < EDGE_PARTS; k++) {
        number[k] = json_integer_value(json_array_get(item, k));
    }
    TRY(result_edge(ctx, to, number[0], number[1], (int)number[2], number_or_nan(json_array_get(item, 3)),
                    number_or_nan(json_array_get(item, 4))));
    to->edge[to->edges - 1].directed_by = (nonsens_directed_by)number[5];
    to->edge[to->edges - 1].confounded = (int)number[6];
    return NONSENS_OK;
}

static nonsens_status take_graph(nonsens_context *ctx, const json_value *all, nonsens_result *to)
{
    const json_value *edges = json_object_get(all, "edges"), *notes = json_object_get(all, "notes");
    for (size_t i = 0; i < json_array_size(edges); i++) {
        TRY(take_edge(ctx, json_array_get(edges, i), to));
    }
    for (size_t i = 0; i < json_array_size(notes); i++) {
        const json_value *note = json_array_get(notes, i);
        TRY(result_note(ctx, to, (nonsens_note_level)json_integer_value(json_array_get(note, 0)), "%s",
                        json_string_value(json_array_get(note, 1))));
    }
    static const char *const key[] = {"method", "assumes", "bidirected"};
    const char **text[] = {&to->method, &to->assumes, &to->bidirected_meaning};
    for (size_t k = 0; k < sizeof key / sizeof *key; k++) {
        const char *from = json_get_string(all, key[k]);
        *text[k] = from ? arena_text(ctx, &to->memory, from) : NULL;
        TRY(from && !*text[k] ? NONSENS_ERR_MEMORY : NONSENS_OK);
    }
    return NONSENS_OK;
}

static nonsens_status take_all(nonsens_context *ctx, const json_value *all, explain_basis *b)
{
    const json_value *fits = json_object_get(all, "fits");
    TRY(result_new(ctx, b->data, b->options, "given", &b->found));
    TRY(take_graph(ctx, all, b->found));
    TRY(explain_basis_new(ctx, b));
    for (size_t i = 0; i < json_array_size(fits); i++) {
        TRY(share_take(ctx, &b->scores, json_array_get(fits, i)));
    }
    b->fitted = true; // if the task has no fits, no segment needs any
    return NONSENS_OK;
}

static nonsens_status take_basis(nonsens_context *ctx, const char *text, explain_basis *b)
{
    json_value *all;
    TRY(json_parse(ctx, text ? text : "", text ? strlen(text) : 0, false, NULL, &all));
    nonsens_status status = take_all(ctx, all, b);
    json_decref(all);
    return status;
}

/* ---- another process ---- */

typedef struct follower {
    explain_basis basis;
    void *server; // runs fits
    pthread_mutex_t taking;
    bool taken;
    nonsens_status status; // of taking the basis
} follower;

static void free_follower(follower *f)
{
    explain_basis_free(&f->basis);
    share_free(f->server);
}

static nonsens_status make_task(nonsens_context *ctx, arena *scratch, const void *state, const json_value *task,
                                json_value **line)
{
    follower *f = (follower *)(uintptr_t)state;
    if (!json_object_get(task, "segment")) {
        return share_make_unit(ctx, scratch, f->server, task, line);
    }
    pthread_mutex_lock(&f->taking);
    if (!f->taken) {
        f->status = take_basis(ctx, json_get_string(task, "basis"), &f->basis);
        f->taken = true;
    }
    pthread_mutex_unlock(&f->taking);
    TRY(f->status);
    return segments_make_line(ctx, scratch, &f->basis, segments_of_task(task, f->basis.data), 1, line);
}

nonsens_status segments_follow(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options)
{
    SCOPED_ARENA(scratch);
    nonsens_options own = *options;
    own.journal = own.shard = "";
    own.resume = false;
    SCOPED(free_follower) follower f = {.basis = {.data = data, .options = &own}, .taking = PTHREAD_MUTEX_INITIALIZER};
    TRY(share_new(ctx, &scratch, data, &own, NULL, &f.server));
    pool_work work = {.phase = "waiting", .threads = (int)own.threads, .make_task = make_task, .state = &f};
    return process_pool_run(ctx, &scratch, &work);
}
