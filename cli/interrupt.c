/* interrupt.c - lets Ctrl-C, termination and a closed terminal cancel the running call; a second signal has its usual
 * effect. */
#include "cli.h"

#include <signal.h>
#include <stdatomic.h>

static _Atomic(nonsens_context *) watched;
static volatile sig_atomic_t seen;
static const char *kept;

static void on_signal(int number)
{
    (void)number;
    seen = 1;
    nonsens_context *ctx = atomic_load(&watched);
    if (ctx) {
        nonsens_context_cancel(ctx);
    }
}

/* Catches a signal, unless the caller of the program had set it to be ignored (nohup, background jobs). */
static void catch_signal(int number)
{
    struct sigaction old, action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND}; // no SA_RESTART: reads end
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
        sigaction(number, &action, NULL);
    }
}

void interrupt_watch(nonsens_context *ctx)
{
    atomic_store(&watched, ctx);
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
    catch_signal(SIGHUP);
}

void interrupt_keeps(const char *units)
{
    kept = units;
}

int complain_interrupted(void)
{
    return kept ? complain(EXIT_INTERRUPTED, "interrupted; finished %s are kept, --resume goes on with them", kept)
                : complain(EXIT_INTERRUPTED, "interrupted");
}

bool interrupt_seen(void)
{
    return seen != 0;
}
