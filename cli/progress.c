/* progress.c - shows one line on the terminal: phase, percent, time left. */
#include "cli.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum { LINE_COLUMNS = 60 };

static const double REDRAW_SECONDS = 0.1, FIRST_GUESS_SECONDS = 1.0;

static double seconds_now(void)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void draw(const progress *p, int64_t done, int64_t total, double now)
{
    char line[128], left[48] = "";
    double spent = now - p->begun;
    if (spent >= FIRST_GUESS_SECONDS && done > 0) {
        double seconds = spent * (double)(total - done) / (double)done;
        snprintf(left, sizeof left, ", about %.0f s left", seconds);
    }
    snprintf(line, sizeof line, "%s %3.0f %%%s", p->phase, 100.0 * (double)done / (double)total, left);
    fprintf(stderr, "\r%-*.*s", LINE_COLUMNS, LINE_COLUMNS, line);
    fflush(stderr);
}

static int on_progress(void *user, const char *phase, int64_t done, int64_t total)
{
    progress *p = user;
    double now = seconds_now();
    if (strncmp(p->phase, phase, sizeof p->phase - 1) != 0) {
        snprintf(p->phase, sizeof p->phase, "%s", phase);
        p->begun = now;
        p->drawn = 0.0;
    }
    if (total > 0 && (now - p->drawn >= REDRAW_SECONDS || done == total)) {
        draw(p, done, total, now);
        p->drawn = now;
        p->shown = true;
    }
    interrupt_pass_on();
    return 0;
}

/* Shows nothing, because there is no terminal, but passes on signals that came between two runs. */
static int on_progress_hidden(void *user, const char *phase, int64_t done, int64_t total)
{
    (void)user;
    (void)phase;
    (void)done;
    (void)total;
    interrupt_pass_on();
    return 0;
}

void progress_attach(progress *p, nonsens_context *ctx, bool quiet)
{
    *p = (progress){.shown = false};
    bool visible = !quiet && isatty(STDERR_FILENO);
    nonsens_context_set_progress(ctx, visible ? on_progress : on_progress_hidden, p);
}

void progress_wipe(progress *p)
{
    if (p->shown) {
        fprintf(stderr, "\r%*s\r", LINE_COLUMNS, "");
        p->shown = false;
    }
}
