/* output.c - writes to a temporary file, syncs and renames it; see output.h. */
#include "base/output.h"

#include "base/memory.h"
#include "base/show.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_TRIES = 10000, MAX_LINKS = 40, LINK_BYTES = 4096 };

struct output {
    arena memory;
    FILE *stream;
    char *path;         /* as the caller calls it */
    const char *target; /* the path after links are followed */
    char *temporary;    /* NULL if the target is written through */
    int error;          /* of output_write, or 0 */
};

static nonsens_status fail_output(nonsens_context *ctx, const char *path, int error)
{
    bool standard = strcmp(path, "-") == 0;
    if (!path[0]) {
        return fail(ctx, NONSENS_ERR_OUTPUT, "the name of the file to write is empty; give a path");
    }
    if (error == ENOMEM) {
        return fail_memory(ctx);
    }
    char shown[SHOWN_PATH_BYTES];
    return fail(ctx, NONSENS_ERR_OUTPUT, "cannot write %s: %s", standard ? "standard output" : show_path(shown, path),
                error ? strerror(error) : "a write failed");
}

/* Returns the length of the folder part of a path, including its slash. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/* Links in these folders name open files (/dev/stdout, /dev/fd/3) rather than paths. */
static bool is_kernel_path(const char *path)
{
    return strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
}

/* Returns the path that symbolic links lead to, so that it can be replaced and they stay.  NULL: out of memory. */
static const char *follow_links(nonsens_context *ctx, arena *a, const char *path)
{
    char behind[LINK_BYTES];
    for (int i = 0; i < MAX_LINKS && path && !is_kernel_path(path); i++) {
        ssize_t length = readlink(path, behind, sizeof behind);
        if (length < 0 || length == (ssize_t)sizeof behind) {
            break; // no link, or a fault that opening will report
        }
        path = behind[0] == '/' ? arena_format(ctx, a, "%.*s", (int)length, behind)
                                : arena_format(ctx, a, "%.*s%.*s", folder_length(path), path, (int)length, behind);
    }
    return path;
}

/*
 * Creates a new file beside the target.  The name is short, so that a long target name cannot make it too long, and
 * open() rather than mkstemp() lets the umask decide the mode.
 */
static int open_beside(nonsens_context *ctx, output *out)
{
    int folder = folder_length(out->target);
    for (int i = 0; i < NAME_TRIES; i++) {
        out->temporary =
            arena_format(ctx, &out->memory, "%.*s.nonsens-%ld-%d.part", folder, out->target, (long)getpid(), i);
        if (!out->temporary) {
            errno = ENOMEM;
            return -1;
        }
        int file = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file >= 0 || errno != EEXIST) {
            return file;
        }
    }
    return -1;
}

static int open_target(nonsens_context *ctx, output *out)
{
    struct stat target;
    out->target = follow_links(ctx, &out->memory, out->path);
    if (!out->target) {
        errno = ENOMEM;
        return -1;
    }
    bool exists = lstat(out->target, &target) == 0;
    if (exists && !S_ISREG(target.st_mode)) {
        return open(out->target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    if (exists && access(out->target, W_OK) != 0) {
        return -1;
    }
    int file = open_beside(ctx, out);
    if (file < 0) {
        int error = errno;
        out->temporary = NULL; /* nothing to remove */
        errno = error;
    } else if (exists) {
        (void)fchmod(file, target.st_mode & 0777); /* an overwritten file keeps its mode if possible */
    }
    return file;
}

/* ---- checking before writing ---- */

/* Returns 0 if files can be created in the folder of the path, else the error number. */
static int folder_error(nonsens_context *ctx, arena *a, const char *path)
{
    int length = folder_length(path);
    const char *folder = length > 0 ? arena_format(ctx, a, "%.*s", length, path) : ".";
    if (!folder) {
        return ENOMEM;
    }
    return access(folder, W_OK | X_OK) == 0 ? 0 : errno; // ENOTDIR for a file followed by a slash
}

/* Predicts open_target: 0, or the error number that it would give. */
static int target_error(nonsens_context *ctx, arena *a, const char *path)
{
    struct stat target;
    path = follow_links(ctx, a, path);
    if (!path) {
        return ENOMEM;
    }
    bool exists = lstat(path, &target) == 0;
    if (!exists && errno != ENOENT) {
        return errno;
    }
    if (exists && !S_ISREG(target.st_mode)) {
        if (stat(path, &target) != 0) { // a loop of links, or a link to a closed stream
            return errno;
        }
        return S_ISDIR(target.st_mode) ? EISDIR : access(path, W_OK) == 0 ? 0 : errno;
    }
    if (exists && access(path, W_OK) != 0) {
        return errno;
    }
    size_t length = strlen(path);
    int error = folder_error(ctx, a, path);
    return !error && length > 0 && path[length - 1] == '/' ? EISDIR : error;
}

nonsens_status nonsens_output_check(nonsens_context *ctx, const char *path)
{
    NEEDED(ctx, path);
    SCOPED_ARENA(scratch);
    int error = strcmp(path, "-") == 0 ? 0 : path[0] ? target_error(ctx, &scratch, path) : ENOENT;
    return error ? fail_output(ctx, path, error) : NONSENS_OK;
}

/* ---- writing ---- */

static nonsens_status open_stream(nonsens_context *ctx, output *out)
{
    if (strcmp(out->path, "-") == 0) {
        out->stream = stdout;
        return NONSENS_OK;
    }
    int file = open_target(ctx, out);
    if (file < 0) {
        return fail_output(ctx, out->path, errno);
    }
    out->stream = fdopen(file, "w");
    if (!out->stream) {
        int error = errno;
        close(file);
        return fail_output(ctx, out->path, error);
    }
    return NONSENS_OK;
}

nonsens_status output_open(nonsens_context *ctx, const char *path, output **out)
{
    *out = memory_get(1, sizeof **out);
    if (!*out) {
        return fail_memory(ctx);
    }
    (*out)->path = arena_text(ctx, &(*out)->memory, path);
    nonsens_status status = (*out)->path ? open_stream(ctx, *out) : NONSENS_ERR_MEMORY;
    if (status != NONSENS_OK) {
        output_abandon(*out);
        *out = NULL;
    }
    return status;
}

FILE *output_stream(output *out)
{
    return out->stream;
}

void output_write(output *out, const char *bytes, size_t size)
{
    errno = 0;
    if (fwrite(bytes, 1, size, out->stream) < size && !out->error) {
        out->error = errno;
    }
}

/* Flushes, syncs and closes; returns 0, the first error number, or -1 for a write error whose number was lost. */
static int finish_stream(output *out)
{
    bool standard = out->stream == stdout;
    bool broken = ferror(out->stream) != 0;
    int error = out->error;
    if (fflush(out->stream) != 0 && !error) {
        error = errno;
    }
    if (!error && out->temporary && fsync(fileno(out->stream)) != 0) {
        error = errno;
    }
    if (!standard && fclose(out->stream) != 0 && !error) {
        error = errno;
    }
    out->stream = NULL;
    return error ? error : broken ? -1 : 0;
}

nonsens_status output_close(nonsens_context *ctx, output *out)
{
    int error = finish_stream(out);
    if (!error && out->temporary) {
        if (rename(out->temporary, out->target) == 0) {
            out->temporary = NULL;
        } else {
            error = errno;
        }
    }
    nonsens_status status = error ? fail_output(ctx, out->path, error > 0 ? error : 0) : NONSENS_OK;
    output_abandon(out);
    return status;
}

void output_abandon(output *out)
{
    if (!out) {
        return;
    }
    if (out->stream && out->stream != stdout) {
        fclose(out->stream);
    }
    if (out->temporary) {
        unlink(out->temporary);
    }
    arena_free(&out->memory);
    memory_release(out);
}
