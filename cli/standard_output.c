/*
 * standard_output.c - handles a broken standard output without stopping the run: all files are written first, and the
 * failure is reported at the end.  There is no complaint if a reader closed its end of a pipe (`| head`).
 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char lost[1024]; /* message of the first failure; empty: nothing failed */

/*
 * Replaces closed standard streams by unusable descriptors.  Otherwise a file that is opened would get the number of
 * the stream, and what is written to the stream would end up in the file.
 */
static void hold_closed_streams(void)
{
    static const int useless[] = {[STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_RDONLY};
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) < 0) {
            (void)open("/dev/null", useless[stream]); // gets the lowest free number: this one
        }
    }
}

void streams_begin(void)
{
    signal(SIGPIPE, SIG_IGN); // writing to a closed pipe only fails, and other outputs are still written
    signal(SIGXFSZ, SIG_IGN); // and so does writing beyond the limit of a file
    hold_closed_streams();
}

/* Returns whether standard output is a pipe or socket whose other end is closed; call it after a failed write. */
static bool is_closed_pipe(void)
{
    struct stat facts;
    struct pollfd look = {.fd = STDOUT_FILENO, .events = POLLOUT};
    if (fstat(STDOUT_FILENO, &facts) != 0 || !(S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode))) {
        return false;
    }
    return poll(&look, 1, 0) == 1 && (look.revents & (POLLERR | POLLHUP));
}

int output_done(const nonsens_context *ctx, nonsens_status status, const char *path)
{
    if (status == NONSENS_OK) {
        return EXIT_DONE;
    }
    bool standard = strcmp(path, "-") == 0 ? ferror(stdout) != 0 : is_standard_output(path);
    if (status != NONSENS_ERR_OUTPUT || !standard || interrupt_seen()) {
        return complain_status(ctx, status);
    }
    if (!lost[0]) {
        snprintf(lost, sizeof lost, "%s", nonsens_context_message(ctx));
    }
    clearerr(stdout); // or a later failure of a file would be taken for one of standard output
    return EXIT_DONE;
}

static void remember(int error)
{
    if (!lost[0]) {
        snprintf(lost, sizeof lost, "cannot write standard output: %s", error ? strerror(error) : "a write failed");
    }
}

void standard_output_flush(void)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout)) {
        remember(errno);
        clearerr(stdout);
    }
}

int standard_output_end(int code)
{
    standard_output_flush();
    bool closed = lost[0] && is_closed_pipe();
    if (fclose(stdout) != 0) { // a network disk may report a failure only now
        remember(errno);
    }
    if (!lost[0] || (code != EXIT_DONE && code != EXIT_FAILED)) {
        return code;
    }
    if (closed) {
        return code == EXIT_DONE ? EXIT_CLOSED_PIPE : code;
    }
    return complain(EXIT_FAILED, "%s", lost);
}
