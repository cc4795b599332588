/* journal_file.c - opens, locks, reads and appends to the file of a journal; see journal_file.h. */
#include "pool/journal_file.h"

#include "base/show.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

nonsens_status journal_file_fail(nonsens_context *ctx, const char *path, const char *what, const char *why)
{
    char shown[SHOWN_PATH_BYTES];
    return fail(ctx, NONSENS_ERR_OUTPUT, "cannot %s the journal %s: %s", what, show_path(shown, path), why);
}

static nonsens_status fail_in_use(nonsens_context *ctx, const char *path)
{
    char shown[SHOWN_PATH_BYTES];
    return fail(ctx, NONSENS_ERR_OUTPUT,
                "the journal %s is in use by another run; wait until that has ended, or use another journal",
                show_path(shown, path));
}

/* ---- locking ---- */

enum { LOCK_TRIES = 10, LOCK_WAIT_NANOSECONDS = 10000000 };

/*
 * Locks the file; false if another run has it.  A run that only checks whether the file is free locks it for a moment,
 * hence several tries.  A file system without locks (some network mounts) gives other errors: the run then continues
 * without a lock, since otherwise it could have no journal there at all.
 */
static bool lock_file(int descriptor, int kind)
{
    const struct timespec moment = {0, LOCK_WAIT_NANOSECONDS};
    for (int k = 0; k < LOCK_TRIES; k++) {
        if (flock(descriptor, kind | LOCK_NB) == 0 || (errno != EWOULDBLOCK && errno != EINTR)) {
            return true;
        }
        nanosleep(&moment, NULL);
    }
    return false;
}

/* Returns whether the path still leads to the open file: a run may have removed it between opening and locking. */
static bool is_still_there(int descriptor, const char *path)
{
    struct stat ours, named;
    return fstat(descriptor, &ours) == 0 && stat(path, &named) == 0 && ours.st_dev == named.st_dev &&
           ours.st_ino == named.st_ino;
}

nonsens_status journal_file_check_free(nonsens_context *ctx, const char *path)
{
    int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) {
        return NONSENS_OK;
    }
    bool unused = lock_file(descriptor, LOCK_SH);
    close(descriptor);
    return unused ? NONSENS_OK : fail_in_use(ctx, path);
}

/* ---- opening ---- */

/* Opens the file, for writing if possible.  Without O_NONBLOCK a pipe would wait for its other end. */
static int open_descriptor(const char *path, bool create, journal_file *f)
{
    enum { FLAGS = O_NONBLOCK | O_CLOEXEC };
    int descriptor = open(path, O_RDWR | O_APPEND | FLAGS);
    if (descriptor < 0 && errno == ENOENT && create) {
        descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | FLAGS, 0666);
    }
    if (descriptor < 0) {
        f->unwritable = errno;
        descriptor = open(path, O_RDONLY | FLAGS);
    }
    return descriptor;
}

/* Returns NULL for a regular file, else why it is refused: pipes may have no end, devices neither end nor beginning. */
static const char *not_regular(int descriptor)
{
    struct stat facts = {0};
    if (fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode)) {
        return NULL;
    }
    return S_ISDIR(facts.st_mode) ? strerror(EISDIR) : "it is not a regular file";
}

static nonsens_status open_once(nonsens_context *ctx, bool create, journal_file *f)
{
    f->unwritable = 0;
    f->descriptor = open_descriptor(f->path, create, f);
    f->open = f->descriptor >= 0;
    if (!f->open) {
        bool missing = errno == ENOENT;
        return missing && !create ? NONSENS_OK
               : missing          ? journal_file_fail(ctx, f->path, "write", strerror(f->unwritable))
                                  : journal_file_fail(ctx, f->path, "read", strerror(errno));
    }
    const char *why = not_regular(f->descriptor);
    if (why) {
        return journal_file_fail(ctx, f->path, "read", why);
    }
    return f->unwritable || lock_file(f->descriptor, LOCK_EX) ? NONSENS_OK : fail_in_use(ctx, f->path);
}

void journal_file_close(journal_file *f)
{
    if (f->open) {
        close(f->descriptor);
    }
    f->open = false;
}

nonsens_status journal_file_open(nonsens_context *ctx, const char *path, bool create, journal_file *out)
{
    enum { OPEN_TRIES = 100 };
    *out = (journal_file){.path = path};
    for (int k = 0; k < OPEN_TRIES; k++) {
        nonsens_status status = open_once(ctx, create, out);
        if (status == NONSENS_OK && (!out->open || is_still_there(out->descriptor, path))) {
            return NONSENS_OK;
        }
        journal_file_close(out);
        TRY(status);
    }
    return fail_in_use(ctx, path);
}

/* ---- reading ---- */

FILE *journal_file_reader(const journal_file *f)
{
    int copy = fcntl(f->descriptor, F_DUPFD_CLOEXEC, 0);
    FILE *stream = copy >= 0 && lseek(copy, 0, SEEK_SET) == 0 ? fdopen(copy, "r") : NULL;
    if (!stream && copy >= 0) {
        close(copy);
    }
    return stream;
}

bool journal_file_load(const journal_file *f, journal_place place, char *bytes)
{
    int64_t got = 0;
    while (f->open && got < place.bytes) {
        ssize_t step = pread(f->descriptor, bytes + got, (size_t)(place.bytes - got), (off_t)(place.offset + got));
        if (step == 0 || (step < 0 && errno != EINTR)) {
            return false;
        }
        got += step > 0 ? step : 0;
    }
    return f->open;
}

/* ---- writing ---- */

/* Writes all bytes, continuing after short writes: the next write reports the reason.  Returns 0 or an error number. */
static int write_fully(int descriptor, const char *bytes, size_t length, size_t *written)
{
    while (*written < length) {
        ssize_t step = write(descriptor, bytes + *written, length - *written);
        if (step < 0 && errno != EINTR) {
            return errno;
        }
        *written += step > 0 ? (size_t)step : 0;
    }
    return 0;
}

nonsens_status journal_file_append(nonsens_context *ctx, journal_file *f, const char *bytes, size_t length,
                                   size_t *written, int64_t *end)
{
    *written = 0;
    int error = f->unwritable ? f->unwritable : write_fully(f->descriptor, bytes, length, written);
    int copy = error ? -1 : fcntl(f->descriptor, F_DUPFD_CLOEXEC, 0);
    if (copy >= 0 && close(copy) != 0) { // some network file systems report a full disk only on close
        error = errno;
    }
    *end = (int64_t)lseek(f->descriptor, 0, SEEK_CUR);
    return error ? journal_file_fail(ctx, f->path, "write", strerror(error)) : NONSENS_OK;
}
