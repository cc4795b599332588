/*
 * journal_merge.c - joins journals of one run, such as those of its shards, into one.
 *
 * All must have the same head (journal_head.h).  A unit that several journals have must be the same in all of them; it
 * is written once, when it is first seen.  A line whose checksum is wrong ends the merge; a last line that was cut
 * short is left out, as it is when a run resumes.
 */
#include "base/hash.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/require.h"
#include "base/show.h"
#include "pool/journal_head.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct merger {
    nonsens_context *ctx;
    output *out;
    const char *first_path, *path; /* of the first journal, of the one being read */
    json_value *head;              /* of the first journal; NULL before its first line */
    bool begun;                    /* the head of the journal being read was read */
    json_value *units;             /* name of a unit: hash of its line */
    nonsens_status status;         /* error of the visitor, which returns nothing */
} merger;

/* ---- heads ---- */

/* Returns whether the line is a head.  Without one, nothing says to which data the units of a journal belong. */
static bool is_head(const json_value *line)
{
    return json_has(line, "options", JSON_STRING) && json_has(line, "version", JSON_STRING) &&
           json_has(line, "inputs", JSON_OBJECT) && json_has(line, "settings", JSON_OBJECT);
}

static const char *value_of(const json_value *head, const char *part, const char *key, char shown[SHOWN_BYTES])
{
    const json_value *value = json_object_get(head, part);
    const char *text = json_string_value(key ? json_object_get(value, key) : value);
    return show_bare(shown, text ? text : "nothing");
}

static nonsens_status refuse_head(const merger *m, const json_value *head, const char *part, const char *key)
{
    char path[SHOWN_PATH_BYTES], first[SHOWN_PATH_BYTES], value[SHOWN_BYTES], other[SHOWN_BYTES], what[SHOWN_BYTES];
    bool setting = strcmp(part, "settings") == 0;
    snprintf(what, sizeof what, "%s%s", setting ? "--" : "", key ? key : strcmp(part, "options") == 0 ? "kind" : part);
    return fail(
        m->ctx, NONSENS_ERR_DATA,
        "the journal %.300s belongs to another run than %.300s: %s is %s there and %s here; leave one of them out",
        show_path(path, m->path), show_path(first, m->first_path), what, value_of(head, part, key, value),
        value_of(m->head, part, key, other));
}

static nonsens_status write_line(merger *m, const json_value *line)
{
    size_t length;
    char *text = journal_print(line, &length);
    if (!text) {
        return fail_memory(m->ctx);
    }
    output_write(m->out, text, length);
    output_write(m->out, "\n", 1);
    memory_release(text);
    return NONSENS_OK;
}

static nonsens_status take_head(merger *m, const json_value *line)
{
    char path[SHOWN_PATH_BYTES];
    const char *part, *key;
    m->begun = true;
    if (!is_head(line)) {
        return fail(m->ctx, NONSENS_ERR_DATA,
                    "%.500s does not say which run it belongs to; merge journals of direction, discover and explain",
                    show_path(path, m->path));
    }
    if (!m->head) {
        m->head = json_incref((json_value *)(uintptr_t)line);
        return write_line(m, line);
    }
    return journal_heads_differ(m->head, line, &part, &key) ? refuse_head(m, line, part, key) : NONSENS_OK;
}

/* ---- units ---- */

/* Returns the unit's name as text: its options, seed, pair and segment, as far as it has them.  NULL if memory runs
 * out.  The caller releases it.
 */
static char *unit_name(const json_value *line)
{
    json_value *name = json_array();
    static const char *const parts[] = {"options", "seed", "pair", "segment"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        json_value *part = json_object_get(line, parts[k]);
        json_array_append(name, part ? json_incref(part) : json_incref(json_null()));
    }
    char *text = json_text(name, JSON_COMPACT, JSON_EXACT_DIGITS);
    json_decref(name);
    return text;
}

static nonsens_status take_named(merger *m, const char *name, const json_value *line)
{
    char path[SHOWN_PATH_BYTES], shown[SHOWN_BYTES], hash[HASH_BYTES];
    uint64_t sum = HASH_START;
    size_t length;
    char *text = journal_print(line, &length);
    if (!text) {
        return fail_memory(m->ctx);
    }
    hash_bytes(&sum, text, length);
    memory_release(text);
    hash_print(hash, sum);
    const char *known = json_get_string(m->units, name);
    if (!known) {
        TRY(json_object_set(m->units, name, json_string(hash)) ? NONSENS_OK : fail_memory(m->ctx));
        return write_line(m, line);
    }
    return strcmp(known, hash) == 0
               ? NONSENS_OK
               : fail(m->ctx, NONSENS_ERR_DATA,
                      "the journal %.500s has another result of unit %s than a journal before it; one of them was "
                      "changed: leave it out and run its shard again",
                      show_path(path, m->path), show_bare(shown, name));
}

static nonsens_status take_unit(merger *m, const json_value *line)
{
    char *name = unit_name(line);
    nonsens_status status = name ? take_named(m, name, line) : fail_memory(m->ctx);
    memory_release(name);
    return status;
}

static void visit(void *user, const json_value *line, journal_place place)
{
    merger *m = user;
    (void)place;
    if (m->status == NONSENS_OK) {
        m->status = m->begun ? take_unit(m, line) : take_head(m, line);
    }
}

/* ---- files ---- */

static nonsens_status check_whole(merger *m, const journal *j)
{
    char path[SHOWN_PATH_BYTES];
    show_path(path, m->path);
    if (j->changed > 0) {
        return fail(m->ctx, NONSENS_ERR_DATA,
                    "the journal %.500s: line %" PRId64
                    " was changed after being written; undo the change, or run its shard again",
                    path, j->changed_line[0]);
    }
    if (!j->file.open) {
        return fail(m->ctx, NONSENS_ERR_DATA, "cannot read the journal %.500s: there is no such file", path);
    }
    return m->begun ? NONSENS_OK
                    : fail(m->ctx, NONSENS_ERR_DATA, "%.500s is not a journal: no line of it can be read", path);
}

/* Merges one journal.  Of several errors, reports a damaged line first, because others may follow from it. */
static nonsens_status merge_file(merger *m, const char *path)
{
    journal j;
    m->path = path;
    m->begun = false;
    TRY(journal_look_visited(m->ctx, path, visit, m, &j));
    nonsens_status visited = m->status;
    nonsens_status status = visited == NONSENS_OK || j.changed > 0 ? check_whole(m, &j) : visited;
    journal_close(&j);
    return status;
}

static nonsens_status merge_files(merger *m, const char *const *files, int64_t count)
{
    m->first_path = files[0];
    m->units = json_object();
    if (!m->units) {
        return fail_memory(m->ctx);
    }
    for (int64_t k = 0; k < count; k++) {
        TRY(check_cancelled(m->ctx));
        TRY(merge_file(m, files[k]));
    }
    return NONSENS_OK;
}

static nonsens_status check_target(nonsens_context *ctx, const char *path)
{
    char shown[SHOWN_PATH_BYTES];
    struct stat facts;
    if (stat(path, &facts) == 0 && (!S_ISREG(facts.st_mode) || facts.st_size > 0)) {
        return fail(ctx, NONSENS_ERR_USAGE, "%.500s already exists; name a new file for the merged journal",
                    show_path(shown, path));
    }
    return NONSENS_OK;
}

nonsens_status nonsens_journal_merge(nonsens_context *ctx, const char *const *files, int64_t count, const char *path)
{
    NEEDED(ctx, files, path);
    REQUIRE_COUNT(ctx, count, 1, NONSENS_MAX_COUNT);
    REQUIRE_TEXTS(ctx, files, count);
    merger m = {.ctx = ctx};
    context_begin(ctx);
    TRY(check_target(ctx, path));
    TRY(output_open(ctx, path, &m.out));
    nonsens_status status = merge_files(&m, files, count);
    json_decref(m.units);
    json_decref(m.head);
    if (status != NONSENS_OK) {
        output_abandon(m.out);
        return status;
    }
    return output_close(ctx, m.out);
}
