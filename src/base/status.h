/*
 * status.h - failures with a message, the run-time context, cancelling.
 *
 * A function that can fail returns nonsens_status and leaves one sentence in the context: problem, place and remedy.
 */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include "base/platform.h"
#include "nonsens/nonsens.h"

#include <stdatomic.h>
#include <stdbool.h>

enum { MESSAGE_BYTES = 1024, MEGABYTE = 1000000 };

/*
 * What a request to finish early, or a deadline, does.  A run that can report a partial result (FINISH_CAN) calls
 * finish_begin before its search; the request then ends the search like a cancel request, with NONSENS_CANCELLED.  The
 * run catches that by finish_catch and reports; only nonsens_context_cancel ends the report.
 */
enum finish_mode { FINISH_CANCELS, FINISH_CAN, FINISH_ENDS_SEARCH, FINISH_REPORTS };

struct nonsens_context {
    char message[MESSAGE_BYTES];
    char warning[MESSAGE_BYTES];  /* of the root: a warning that is not part of the result; empty: none */
    struct nonsens_context *root; /* itself, or the context whose parallel loop runs this job */
    nonsens_progress_fn progress;
    void *progress_user;
    atomic_int cancelled, finishing; /* the run shall end: without a result, or soon with a partial one */
    enum finish_mode mode;           /* of the root */
    double deadline;                 /* of the root: in clock_seconds, or 0 */
    int64_t max_memory;              /* of the root: bytes that the library may hold while it runs; 0: no limit */
    bool silent;                     /* reports no progress, because it runs a job of a loop that does */
    nonsens_members members;         /* of the root: processes that share its runs; all zero: only this one */
    struct process_pool *processes;  /* of the root: processes that wait for parts of the running task; NULL: none */
};

/*
 * Records the message and returns the code, so that a failing function ends in `return fail(ctx, ...)`.  The message is
 * one line; unprintable characters are escaped (show.h).  The caller must shorten long names.
 */
nonsens_status fail(nonsens_context *ctx, nonsens_status code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Leaves a sentence for nonsens_context_warning: something the user should know although the run goes on. */
void leave_warning(nonsens_context *ctx, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Fail because an allocation failed, or would exceed max_memory. */
nonsens_status fail_memory(nonsens_context *ctx);
nonsens_status fail_limit(nonsens_context *ctx);

#ifdef __clang_analyzer__ /* it sees one file at a time and cannot know otherwise that a failure is not NONSENS_OK */
#define fail(ctx, code, ...) ((void)(fail)(ctx, code, __VA_ARGS__), (code))
#define fail_memory(ctx) ((void)(fail_memory)(ctx), NONSENS_ERR_MEMORY)
#endif

/* Resets message, warning and cancel request; called at the start of every public read and run. */
void context_begin(nonsens_context *ctx);

/* Makes a context for one job of a parallel loop: its own message, the root's cancel flag, silent if its parent is. */
void context_child(nonsens_context *child, nonsens_context *parent);

/* Says whether somebody asked to stop. */
bool is_cancelled(const nonsens_context *ctx);

/* Lets a request to finish, and a time limit in seconds from now (0: none), end a search that has partial results. */
void finish_allow(nonsens_context *ctx, double seconds);
/* Begins the search that may be ended early, if the run allows that. */
void finish_begin(nonsens_context *ctx);
/* Ends the search: if it failed only because it was asked to finish, turns that into success and sets *unfinished. */
nonsens_status finish_catch(nonsens_context *ctx, nonsens_status status, bool *unfinished);

/* Says whether somebody asked to finish; false if only a deadline has passed. */
bool finish_was_asked(const nonsens_context *ctx);
/* Says whether a run shall stop only because its time is over. */
bool finish_was_late(const nonsens_context *ctx);

/* Fails with NONSENS_CANCELLED if somebody asked to stop; for use in long loops. */
nonsens_status check_cancelled(nonsens_context *ctx);

/* Reports progress; if the callback returns non-zero, sets the cancel flag.  Call it only from the calling thread. */
void report_progress(nonsens_context *ctx, const char *phase, int64_t done, int64_t total);

/* Passes a failure on to the caller.  Memory comes from an arena that the caller frees, so nothing leaks. */
#define TRY(expression)                           \
    do {                                          \
        nonsens_status try_status = (expression); \
        if (try_status != NONSENS_OK) {           \
            return try_status;                    \
        }                                         \
    } while (0)

/*
 * The first line of a public function: returns NONSENS_ERR_USAGE if the context or one of the pointers is NULL.
 */
#define NEEDED(ctx, ...) \
    TRY(refuse_null((ctx), __func__, #__VA_ARGS__, (const void *const[]){__VA_ARGS__, &needed_end}))

extern const char needed_end; /* its address ends a list of pointers */
nonsens_status refuse_null(nonsens_context *ctx, const char *function, const char *names, const void *const *pointer);

#endif
