/* interrupt.c - lets Ctrl-C, termination and a closed terminal end the running call early; a second signal has its
 * usual effect. */
#include "cli.h"

#include <signal.h>
#include <stdatomic.h>

static _Atomic(nonsens_context *) watched;
static volatile sig_atomic_t seen;
static const char *kept;
static const char *wrote;

static void on_signal(int number)
{
    (void)number;
    seen = 1;
    nonsens_context *ctx = atomic_load(&watched);
    if (ctx) {
        nonsens_context_finish(ctx);
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

void interrupt_pass_on(void)
{
    nonsens_context *ctx = atomic_load(&watched);
    if (seen && ctx) {
        nonsens_context_finish(ctx);
    }
}

void interrupt_keeps(const char *units)
{
    kept = units;
}

void interrupt_wrote(bool unfinished)
{
    wrote =
        unfinished ? "the best graph so far is written, marked unfinished" : "the result was finished and is written";
}

int complain_interrupted(void)
{
    if (wrote) {
        return complain(EXIT_INTERRUPTED, "interrupted; %s", wrote);
    }
    return kept ? complain(EXIT_INTERRUPTED, "interrupted; finished %s are kept; add --resume to continue", kept)
                : complain(EXIT_INTERRUPTED, "interrupted");
}

bool interrupt_seen(void)
{
    return seen != 0;
}
