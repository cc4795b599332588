/* input.c - reads a whole file into memory. */
#include "base/input.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static nonsens_status input_fail(nonsens_context *ctx, const char *name, int error)
{
    if (!name[0]) {
        return fail(ctx, NONSENS_ERR_DATA, "the name of the data file is empty; give a path, or - for standard input");
    }
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        return fail(ctx, NONSENS_ERR_DATA, "%s: no such file; check the path", name);
    case EACCES:
    case EPERM:
        return fail(ctx, NONSENS_ERR_DATA, "%s: no permission to read it; check the access rights", name);
    case EISDIR:
        return fail(ctx, NONSENS_ERR_DATA, "%s: is a directory; name a file in it", name);
    case ENAMETOOLONG:
        return fail(ctx, NONSENS_ERR_DATA, "%.80s...: the path is too long", name);
    case EMFILE:
    case ENFILE:
        return fail(ctx, NONSENS_ERR_DATA, "%s: too many open files; close some", name);
    default:
        return fail(ctx, NONSENS_ERR_DATA, "%s: cannot be read (%s); check the file and its disk", name,
                    strerror(error));
    }
}

static nonsens_status input_reserve(nonsens_context *ctx, input *file, size_t capacity)
{
    if (capacity <= file->size) { // twice the capacity overflowed
        return fail_memory(ctx);
    }
    char *bigger = memory_take(ctx, capacity, 1);
    if (!bigger) {
        return NONSENS_ERR_MEMORY;
    }
    if (file->bytes) {
        memcpy(bigger, file->bytes, file->size);
        memory_release(file->bytes);
    }
    file->bytes = bigger;
    file->capacity = capacity;
    return NONSENS_OK;
}

/* Reads to the end; the capacity is only a first guess, because pipes have no size and files may grow. */
static nonsens_status input_fill(nonsens_context *ctx, int descriptor, const char *name, int64_t max_bytes, input *file)
{
    enum { STEP_BYTES = 1 << 24 }; /* read between checks for a cancel request */
    for (;;) {
        TRY(check_cancelled(ctx));
        if (file->size > (uint64_t)max_bytes) {
            return fail(ctx, NONSENS_ERR_DATA, "%s: more than %" PRId64 " bytes; give a smaller file", name, max_bytes);
        }
        if (file->size == file->capacity) {
            TRY(input_reserve(ctx, file, 2 * file->capacity));
        }
        size_t room = file->capacity - file->size;
        ssize_t got = read(descriptor, file->bytes + file->size, room < STEP_BYTES ? room : STEP_BYTES);
        if (got == 0) {
            return NONSENS_OK;
        }
        if (got > 0) {
            file->size += (size_t)got;
        } else if (errno != EINTR) {
            return input_fail(ctx, name, errno);
        }
    }
}

static nonsens_status input_slurp(nonsens_context *ctx, int descriptor, const char *name, int64_t max_bytes,
                                  input *file)
{
    enum { FIRST_BYTES = 1 << 16 };
    struct stat facts;
    if (fstat(descriptor, &facts) != 0) {
        return input_fail(ctx, name, errno);
    }
    if (S_ISDIR(facts.st_mode)) {
        return input_fail(ctx, name, EISDIR);
    }
    bool sized = S_ISREG(facts.st_mode) && facts.st_size > 0;
    bool large = sized && facts.st_size > max_bytes; // input_fill reports it, without allocating that much memory
    TRY(input_reserve(ctx, file, sized && !large ? (size_t)facts.st_size + 1 : FIRST_BYTES));
    return input_fill(ctx, descriptor, name, max_bytes, file);
}

const char *input_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

nonsens_status input_read(nonsens_context *ctx, const char *path, int64_t max_bytes, input *file)
{
    const char *name = input_name(path);
    if (strcmp(path, "-") == 0) {
        return input_slurp(ctx, STDIN_FILENO, name, max_bytes, file);
    }
    int descriptor;
    do {
        TRY(check_cancelled(ctx));
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0) {
        return input_fail(ctx, name, errno);
    }
    nonsens_status status = input_slurp(ctx, descriptor, name, max_bytes, file);
    close(descriptor);
    return status;
}

nonsens_status input_read_other(nonsens_context *ctx, const char *what, const char *path, int64_t max_bytes,
                                input *file)
{
    char sentence[MESSAGE_BYTES];
    nonsens_status status = input_read(ctx, path, max_bytes, file);
    if (status != NONSENS_ERR_DATA) {
        return status;
    }
    memcpy(sentence, ctx->message, sizeof sentence);
    return fail(ctx, status, "%s %.900s", what, sentence);
}

void input_free(input *file)
{
    memory_release(file->bytes);
    *file = (input){0};
}
