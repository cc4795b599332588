/* journal.c - keeps finished units of work in a file and in memory. */
#include "pool/journal.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 256 };

static const char *key_of(char key[KEY_BYTES], const char *options, int64_t seed)
{
    snprintf(key, KEY_BYTES, "%" PRId64 " %s", seed, options);
    return key;
}

/* Keeps the line and takes ownership of it, even if it is NULL or has no key.  False if memory runs out. */
static bool keep(journal *j, json_value *line, journal_place place)
{
    bool kept = true;
    const char *options = json_get_string(line, "options");
    const json_value *seed = json_object_get(line, "seed");
    char key[KEY_BYTES];
    if (!j->first) {
        j->first = json_incref(line);
    }
    if (j->visit && line) {
        j->visit(j->user, line, place);
    } else if (!j->visit && options && json_is(seed, JSON_INTEGER)) {
        kept = json_object_set(j->index, key_of(key, options, json_integer_value(seed)), json_incref(line));
    }
    json_decref(line);
    return kept;
}

/* ---- checksums ---- */

#define SUM_KEY ",\"sum\":\""
enum { SUM_KEY_BYTES = sizeof SUM_KEY - 1, SUM_BYTES = SUM_KEY_BYTES + HASH_BYTES - 1 + 2 }; /* with the final `"}` */

/* Prints the checksum member that replaces the brace at the end of the line. */
static void print_sum(const char *line, size_t length, char sum[SUM_BYTES + 1])
{
    char text[HASH_BYTES];
    uint64_t hash = HASH_START;
    hash_bytes(&hash, line, length);
    snprintf(sum, SUM_BYTES + 1, SUM_KEY "%s\"}", hash_print(text, hash));
}

enum line_sum { SUM_NONE, SUM_RIGHT, SUM_WRONG };

/* Removes the checksum from the end of the line, which restores the line that was summed, and checks it. */
static enum line_sum cut_sum(char *text, size_t *length)
{
    char found[SUM_BYTES], sum[SUM_BYTES + 1];
    if (*length <= SUM_BYTES || memcmp(text + *length - SUM_BYTES, SUM_KEY, SUM_KEY_BYTES) != 0 ||
        memcmp(text + *length - 2, "\"}", 2) != 0) {
        return SUM_NONE;
    }
    *length -= SUM_BYTES;
    memcpy(found, text + *length, SUM_BYTES);
    text[(*length)++] = '}';
    print_sum(text, *length, sum);
    return memcmp(found, sum, SUM_BYTES) == 0 ? SUM_RIGHT : SUM_WRONG;
}

/* ---- reading ---- */

typedef struct parsed_line {
    json_value *object; /* the caller owns it; NULL: the line is not an object, or was changed */
    bool summed;        /* the line has a checksum */
    bool changed;       /* the line was changed after it was written */
} parsed_line;

/*
 * Parses a line.  One that was cut short is not an object, since its last brace is missing.  A line may lack a checksum
 * only if `old` lines, those of version 0.1, are allowed.  A checksum in another form means that another program wrote
 * the line.
 */
static nonsens_status parse_line(nonsens_context *ctx, char *text, size_t length, bool old, parsed_line *p)
{
    while (length > 0 && (text[length - 1] == '\r' || text[length - 1] == ' ')) { // an editor may have added them
        length--;
    }
    enum line_sum sum = cut_sum(text, &length);
    *p = (parsed_line){.summed = sum != SUM_NONE, .changed = sum == SUM_WRONG};
    if (p->changed || length == 0 || text[0] != '{') {
        return NONSENS_OK;
    }
    nonsens_status status = json_parse(ctx, text, length, false, NULL, &p->object);
    p->changed = p->object && !p->summed && (!old || json_object_get(p->object, "sum"));
    if (p->changed) {
        json_decref(p->object);
        p->object = NULL;
    }
    return status == NONSENS_ERR_DATA ? NONSENS_OK : status;
}

static void note_changed(journal *j)
{
    j->lost_first = j->lost_first || !j->first;
    if (j->changed < JOURNAL_CHANGED_SHOWN) {
        j->changed_line[j->changed] = j->lines;
    }
    j->changed++;
}

static nonsens_status read_line(nonsens_context *ctx, journal *j, char *text, journal_place place)
{
    parsed_line p;
    TRY(parse_line(ctx, text, (size_t)place.bytes, !j->has_sums, &p));
    if (p.changed) {
        note_changed(j);
    }
    j->has_sums = j->has_sums || p.summed;
    return keep(j, p.object, place) ? NONSENS_OK : fail_memory(ctx); // p.object may be NULL
}

/* Reads all lines.  Fails if memory runs out: a line that could not be read must not count as missing. */
static nonsens_status read_lines(nonsens_context *ctx, journal *j, FILE *file)
{
    char *text = NULL;
    size_t bytes = 0;
    int64_t offset = 0;
    nonsens_status status = NONSENS_OK;
    for (ssize_t length; status == NONSENS_OK && (length = getline(&text, &bytes, file)) > 0; offset += length) {
        j->lines++;
        j->torn = text[length - 1] != '\n';
        status = read_line(ctx, j, text, (journal_place){offset, length - !j->torn});
    }
    free(text);
    // if neither, getline ran out of memory
    return status != NONSENS_OK || feof(file) || ferror(file) ? status : fail_memory(ctx);
}

static nonsens_status read_file(nonsens_context *ctx, journal *j)
{
    if (!j->file.open) {
        return NONSENS_OK;
    }
    FILE *stream = journal_file_reader(&j->file);
    if (!stream) {
        return errno == ENOMEM ? fail_memory(ctx) : journal_file_fail(ctx, j->file.path, "read", strerror(errno));
    }
    nonsens_status status = read_lines(ctx, j, stream);
    bool failed = ferror(stream);
    fclose(stream);
    return status == NONSENS_OK && failed ? journal_file_fail(ctx, j->file.path, "read", strerror(EIO)) : status;
}

static nonsens_status open_lines(nonsens_context *ctx, const char *path, bool create, journal *out)
{
    out->index = json_object();
    nonsens_status status = out->index ? journal_file_open(ctx, path, create, &out->file) : fail_memory(ctx);
    status = status == NONSENS_OK ? read_file(ctx, out) : status;
    if (status != NONSENS_OK) {
        journal_close(out);
    }
    return status;
}

static void warn_changed(nonsens_context *ctx, const journal *j)
{
    char shown[SHOWN_PATH_BYTES], list[JOURNAL_CHANGED_SHOWN * 22] = "", more[40] = "";
    size_t used = 0;
    bool one = j->changed == 1;
    for (int64_t k = 0; k < j->changed && k < JOURNAL_CHANGED_SHOWN; k++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%" PRId64, k ? ", " : "", j->changed_line[k]);
    }
    if (j->changed > JOURNAL_CHANGED_SHOWN) {
        snprintf(more, sizeof more, " and %" PRId64 " more", j->changed - JOURNAL_CHANGED_SHOWN);
    }
    if (j->changed > 0) {
        leave_warning(
            ctx, "the journal %s: line%s %s%s %s changed after being written; %s not used, and the work is done again",
            show_path(shown, j->file.path), one ? "" : "s", list, more, one ? "was" : "were",
            one ? "it is" : "they are");
    }
}

nonsens_status journal_open(nonsens_context *ctx, const char *path, journal *out)
{
    return journal_open_visited(ctx, path, NULL, NULL, out);
}

nonsens_status journal_open_visited(nonsens_context *ctx, const char *path, journal_visit_fn *visit, void *user,
                                    journal *out)
{
    *out = (journal){.visit = visit, .user = user};
    TRY(open_lines(ctx, path, true, out));
    warn_changed(ctx, out);
    return NONSENS_OK;
}

nonsens_status journal_look(nonsens_context *ctx, const char *path, journal *out)
{
    return journal_look_visited(ctx, path, NULL, NULL, out);
}

nonsens_status journal_look_visited(nonsens_context *ctx, const char *path, journal_visit_fn *visit, void *user,
                                    journal *out)
{
    *out = (journal){.visit = visit, .user = user};
    return open_lines(ctx, path, false, out);
}

journal_file journal_close_lines(journal *j)
{
    journal_file file = j->file;
    json_decref(j->index);
    json_decref(j->first);
    j->index = j->first = NULL;
    j->file = (journal_file){0};
    return file;
}

void journal_close(journal *j)
{
    journal_file file = journal_close_lines(j);
    journal_file_close(&file);
}

json_value *journal_find(const journal *j, const char *options, int64_t seed)
{
    char key[KEY_BYTES];
    return json_object_get(j->index, key_of(key, options, seed));
}

bool journal_begins(const journal *j, const char *begin)
{
    char found;
    int64_t at = 0;
    while (begin[at] && journal_file_load(&j->file, (journal_place){at, 1}, &found)) {
        if (found != begin[at++]) {
            return false;
        }
    }
    return true;
}

nonsens_status journal_load(nonsens_context *ctx, const journal_file *file, journal_place place, json_value **line)
{
    parsed_line p = {0};
    char *bytes = memory_get((size_t)place.bytes + 1, 1);
    *line = NULL;
    if (!bytes) {
        return fail_memory(ctx);
    }
    bool loaded = journal_file_load(file, place, bytes);
    nonsens_status status = loaded ? parse_line(ctx, bytes, (size_t)place.bytes, true, &p) : NONSENS_OK;
    memory_release(bytes);
    *line = p.object;
    return *line || status != NONSENS_OK ? status : journal_file_fail(ctx, file->path, "read", strerror(EIO));
}

/* ---- writing ---- */

char *journal_print(const json_value *line, size_t *length)
{
    char *dumped = json_text(line, JSON_COMPACT, JSON_EXACT_DIGITS), sum[SUM_BYTES + 1];
    size_t bytes = dumped ? strlen(dumped) : 0;
    char *text = dumped ? memory_get(bytes + SUM_BYTES, 1) : NULL;
    if (text) {
        print_sum(dumped, bytes, sum);
        memcpy(text, dumped, bytes - 1);
        memcpy(text + bytes - 1, sum, SUM_BYTES + 1);
        *length = bytes - 1 + SUM_BYTES;
    }
    memory_release(dumped);
    return text;
}

/* Returns the line and a line break, with another before it if the file ends inside a line.  NULL: out of memory. */
static char *line_text(const journal *j, const json_value *line, size_t *length)
{
    size_t bytes = 0, before = j->torn ? 1 : 0;
    char *printed = journal_print(line, &bytes), *text = printed ? memory_get(before + bytes + 1, 1) : NULL;
    if (text) {
        text[0] = '\n';
        memcpy(text + before, printed, bytes);
        text[before + bytes] = '\n';
        *length = before + bytes + 1;
    }
    memory_release(printed);
    return text;
}

/* Appends the text; *end: where the file ends afterwards. */
static nonsens_status write_text(nonsens_context *ctx, journal *j, const char *text, size_t length, int64_t *end)
{
    size_t written;
    nonsens_status status = journal_file_append(ctx, &j->file, text, length, &written, end);
    j->torn = written > 0 ? written < length : j->torn;
    return status;
}

nonsens_status journal_append(nonsens_context *ctx, journal *j, json_value *line)
{
    size_t length = 0;
    int64_t end = 0, before = j->torn ? 1 : 0;
    char *text = line_text(j, line, &length);
    nonsens_status status = text ? write_text(ctx, j, text, length, &end) : fail_memory(ctx);
    memory_release(text);
    if (status == NONSENS_OK) {
        int64_t bytes = (int64_t)length - before - 1;
        return keep(j, line, (journal_place){end - 1 - bytes, bytes}) ? NONSENS_OK : fail_memory(ctx);
    }
    json_decref(line);
    return status;
}
