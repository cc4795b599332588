/* journal.c - finished units of work, kept in a file and in memory. */
#include "base/journal.h"

#include "base/json_text.h"
#include "base/memory.h"
#include "base/show.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEY_BYTES = 256 };

static const char *key_of(char key[KEY_BYTES], const char *options, int64_t seed)
{
    snprintf(key, KEY_BYTES, "%" PRId64 " %s", seed, options);
    return key;
}

/* Takes the line over, also where it is NULL or lacks what makes its key.  False without memory. */
static bool keep(journal *j, json_t *line, journal_place place)
{
    bool kept = true;
    const json_t *options = json_object_get(line, "options"), *seed = json_object_get(line, "seed");
    char key[KEY_BYTES];
    if (!j->first) {
        j->first = json_incref(line);
    }
    if (j->visit && line) {
        j->visit(j->user, line, place);
    } else if (!j->visit && json_is_string(options) && json_is_integer(seed)) {
        key_of(key, json_string_value(options), json_integer_value(seed));
        kept = json_object_set(j->index, key, line) == 0;
    }
    json_decref(line);
    return kept;
}

static nonsens_status fail_journal(nonsens_context *ctx, const journal *j, const char *what, const char *why)
{
    char shown[SHOWN_PATH_BYTES];
    return fail(ctx, NONSENS_ERR_OUTPUT, "cannot %s the journal %s: %s", what, show_path(shown, j->path), why);
}

/* ---- reading ---- */

/* NULL where it cannot be read; *why is then the reason, and NULL where there is no such file.  Pipes may have no end,
 * and devices none or no beginning. */
static FILE *open_regular(const char *path, const char **why)
{
    struct stat facts = {0};
    FILE *file = NULL;
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    *why = NULL;
    if (descriptor < 0) {
        *why = errno == ENOENT ? NULL : strerror(errno);
        return NULL;
    }
    if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        *why = S_ISDIR(facts.st_mode) ? strerror(EISDIR) : "it is no regular file";
    } else {
        file = fdopen(descriptor, "r");
        *why = file ? NULL : strerror(errno);
    }
    if (!file) {
        close(descriptor);
    }
    return file;
}

/* Lines that are no objects are passed over. */
static nonsens_status read_line(nonsens_context *ctx, journal *j, const char *text, journal_place place, size_t *held)
{
    bool no_memory = false;
    if (text[0] != '{') {
        return NONSENS_OK;
    }
    size_t bytes = json_memory(text, (size_t)place.bytes);
    TRY(memory_allow(ctx, *held + bytes));
    *held += j->visit ? 0 : bytes;
    json_t *line = json_parse(text, (size_t)place.bytes, 0, NULL, &no_memory);
    bool kept = keep(j, line, place); // where there is none, too
    return kept && !no_memory ? NONSENS_OK : fail_memory(ctx);
}

/* Fails without memory: a line that could not be taken in must not count as one that is not there. */
static nonsens_status read_lines(nonsens_context *ctx, journal *j, FILE *file)
{
    char *text = NULL;
    size_t bytes = 0, held = 0;
    int64_t offset = 0;
    nonsens_status status = NONSENS_OK;
    for (ssize_t length; status == NONSENS_OK && (length = getline(&text, &bytes, file)) > 0; offset += length) {
        j->torn = text[length - 1] != '\n';
        status = read_line(ctx, j, text, (journal_place){offset, length - !j->torn}, &held);
    }
    free(text);
    // getline ends otherwise where it has no room for the line
    return status != NONSENS_OK || feof(file) || ferror(file) ? status : fail_memory(ctx);
}

nonsens_status journal_open(nonsens_context *ctx, const char *path, journal *out)
{
    return journal_open_visited(ctx, path, NULL, NULL, out);
}

nonsens_status journal_open_visited(nonsens_context *ctx, const char *path, journal_visit_fn *visit, void *user,
                                    journal *out)
{
    *out = (journal){.path = path, .index = json_object(), .visit = visit, .user = user};
    if (!out->index) {
        return fail_memory(ctx);
    }
    const char *why;
    FILE *file = open_regular(path, &why);
    nonsens_status status = NONSENS_OK;
    if (file) {
        status = read_lines(ctx, out, file);
        why = ferror(file) ? strerror(EIO) : NULL;
        fclose(file);
    }
    if (status == NONSENS_OK && why) {
        status = fail_journal(ctx, out, "read", why);
    }
    if (status != NONSENS_OK) {
        journal_close(out);
    }
    return status;
}

void journal_close(journal *j)
{
    json_decref(j->index);
    json_decref(j->first);
    j->index = j->first = NULL;
}

json_t *journal_find(const journal *j, const char *options, int64_t seed)
{
    char key[KEY_BYTES];
    return json_object_get(j->index, key_of(key, options, seed));
}

bool journal_begins(const char *path, const char *begin)
{
    const char *why;
    FILE *file = open_regular(path, &why);
    bool same = true;
    for (int c; file && same && *begin && (c = fgetc(file)) != EOF; begin++) {
        same = c == (unsigned char)*begin;
    }
    if (file) {
        fclose(file);
    }
    return same;
}

static bool read_fully(int file, char *bytes, journal_place place)
{
    int64_t got = 0;
    while (got < place.bytes) {
        ssize_t step = pread(file, bytes + got, (size_t)(place.bytes - got), (off_t)(place.offset + got));
        if (step == 0 || (step < 0 && errno != EINTR)) {
            return false;
        }
        got += step > 0 ? step : 0;
    }
    return true;
}

nonsens_status journal_load(nonsens_context *ctx, const char *path, journal_place place, json_t **line)
{
    journal named = {.path = path};
    char *bytes = memory_get((size_t)place.bytes + 1, 1);
    bool no_memory = false;
    *line = NULL;
    if (!bytes) {
        return fail_memory(ctx);
    }
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0 && read_fully(file, bytes, place)) {
        *line = json_parse(bytes, (size_t)place.bytes, 0, NULL, &no_memory);
    }
    if (file >= 0) {
        close(file);
    }
    memory_release(bytes);
    return *line ? NONSENS_OK : no_memory ? fail_memory(ctx) : fail_journal(ctx, &named, "read", strerror(EIO));
}

/* ---- writing ---- */

/* The line with its end, and a line break before it where the file ends inside another.  NULL without memory. */
static char *line_text(const journal *j, const json_t *line, size_t *length)
{
    char *dumped = json_text(line, JSON_COMPACT);
    size_t bytes = dumped ? strlen(dumped) : 0, before = j->torn ? 1 : 0;
    char *text = dumped ? memory_get(before + bytes + 1, 1) : NULL;
    if (text) {
        text[0] = '\n';
        memcpy(text + before, dumped, bytes);
        text[before + bytes] = '\n';
        *length = before + bytes + 1;
    }
    memory_release(dumped);
    return text;
}

/* Goes on after short writes, for the next one knows the reason.  0 or an error number; *written is right in any case.
 */
static int write_fully(int file, const char *bytes, size_t length, size_t *written)
{
    *written = 0;
    while (*written < length) {
        ssize_t step = write(file, bytes + *written, length - *written);
        if (step < 0 && errno != EINTR) {
            return errno;
        }
        *written += step > 0 ? (size_t)step : 0;
    }
    return 0;
}

/* *end is where the file ends behind what was written. */
static nonsens_status write_bytes(nonsens_context *ctx, journal *j, const char *bytes, size_t length, int64_t *end)
{
    int file = open(j->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) {
        return fail_journal(ctx, j, "write", strerror(errno));
    }
    size_t written;
    int error = write_fully(file, bytes, length, &written);
    j->torn = written > 0 ? written < length : j->torn;
    *end = (int64_t)lseek(file, 0, SEEK_CUR);
    if (close(file) != 0 && !error) {
        error = errno;
    }
    return error ? fail_journal(ctx, j, "write", strerror(error)) : NONSENS_OK;
}

nonsens_status journal_append(nonsens_context *ctx, journal *j, json_t *line)
{
    size_t length = 0;
    int64_t end = 0, before = j->torn ? 1 : 0;
    char *text = line ? line_text(j, line, &length) : NULL;
    nonsens_status status = text ? write_bytes(ctx, j, text, length, &end) : fail_memory(ctx);
    memory_release(text);
    if (status == NONSENS_OK) {
        int64_t bytes = (int64_t)length - before - 1;
        return keep(j, line, (journal_place){end - 1 - bytes, bytes}) ? NONSENS_OK : fail_memory(ctx);
    }
    json_decref(line);
    return status;
}
