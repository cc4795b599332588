/* unit_lines.c - keeps one line of JSON for each unit of a run. */
#include "pool/unit_lines.h"

#include "base/output.h"

#include <string.h>

/* ---- opening and closing ---- */

static void visit_line(void *user, const json_value *entry, journal_place place)
{
    unit_sink *sink = user;
    const json_value *name = json_object_get(entry, sink->kind->key), *line = json_object_get(entry, "line");
    int64_t unit = name && line ? sink->kind->find(sink->run, name, line) : -1;
    if (unit < 0 || sink->lines->line[unit].done) {
        return;
    }
    if (sink->kind->take(sink->run, unit, line)) {
        sink->lines->line[unit].done = true;
        sink->lines->line[unit].place = place;
    } else {
        sink->status = NONSENS_ERR_MEMORY;
    }
}

static nonsens_status open_journal(nonsens_context *ctx, json_value *head, bool resume, unit_sink *sink)
{
    TRY(journal_check_file(ctx, sink->lines->journal, &sink->kind->journal, resume));
    TRY(journal_open_visited(ctx, sink->lines->journal, visit_line, sink, &sink->journal));
    TRY(sink->status);
    return journal_begin(ctx, &sink->journal, &sink->kind->journal, head);
}

nonsens_status unit_sink_new(nonsens_context *ctx, arena *memory, const unit_kind *kind, void *run, json_value *head,
                             bool resume, unit_lines *lines, unit_sink *out)
{
    *out = (unit_sink){.kind = kind, .run = run, .memory = memory, .lines = lines};
    ARENA_TRY(ctx, memory, lines->line, lines->count);
    if (!lines->journal) {
        return NONSENS_OK;
    }
    nonsens_status status = open_journal(ctx, head, resume, out);
    if (status != NONSENS_OK) {
        unit_sink_free(out);
    }
    return status;
}

void unit_sink_free(unit_sink *sink)
{
    sink->lines->file = journal_close_lines(&sink->journal);
}

/* ---- keeping and loading ---- */

static nonsens_status keep_in_memory(nonsens_context *ctx, unit_sink *sink, int64_t unit, json_value *line)
{
    unit_line *at = &sink->lines->line[unit];
    char *text = json_text(line, JSON_COMPACT, JSON_EXACT_DIGITS);
    at->text = text ? arena_text(ctx, sink->memory, text) : NULL;
    at->done = at->text && sink->kind->take(sink->run, unit, line);
    memory_release(text);
    json_decref(line);
    return at->done ? NONSENS_OK : fail_memory(ctx);
}

static nonsens_status keep_in_journal(nonsens_context *ctx, unit_sink *sink, int64_t unit, json_value *line)
{
    json_value *entry = json_object_of(sink->kind->key, sink->kind->name(sink->run, unit), "line", line, NULL);
    TRY(journal_append(ctx, &sink->journal, entry));
    return sink->status == NONSENS_OK ? NONSENS_OK : fail_memory(ctx);
}

nonsens_status unit_sink_keep(nonsens_context *ctx, unit_sink *sink, int64_t unit, json_value *line)
{
    return (sink->lines->journal ? keep_in_journal : keep_in_memory)(ctx, sink, unit, line);
}

nonsens_status unit_lines_load(nonsens_context *ctx, const unit_lines *lines, int64_t unit, json_value **line)
{
    const unit_line *at = &lines->line[unit];
    json_value *entry;
    if (!lines->journal) {
        return json_parse(ctx, at->text, strlen(at->text), false, NULL, line);
    }
    TRY(journal_load(ctx, &lines->file, at->place, &entry));
    *line = json_incref(json_object_get(entry, "line"));
    json_decref(entry);
    return *line ? NONSENS_OK
                 : fail(ctx, NONSENS_ERR_DATA, "the journal changed while it was read; remove it and start again");
}

/* ---- writing ---- */

static nonsens_status write_line(nonsens_context *ctx, const unit_lines *lines, unit_complete_fn *complete,
                                 const void *run, int64_t unit, int digits, output *out)
{
    json_value *line;
    TRY(unit_lines_load(ctx, lines, unit, &line));
    complete(run, unit, line);
    char *text = json_text(line, JSON_SPACED, digits);
    json_decref(line);
    if (!text) {
        return fail_memory(ctx);
    }
    output_write(out, text, strlen(text));
    output_write(out, "\n", 1);
    memory_release(text);
    return NONSENS_OK;
}

nonsens_status unit_lines_write(nonsens_context *ctx, const unit_lines *lines, unit_complete_fn *complete,
                                const void *run, int digits, const char *path)
{
    output *out;
    TRY(output_open(ctx, path, &out));
    for (int64_t k = 0; k < lines->count; k++) {
        nonsens_status status = write_line(ctx, lines, complete, run, k, digits, out);
        if (status != NONSENS_OK) {
            output_abandon(out);
            return status;
        }
    }
    return output_close(ctx, out);
}
