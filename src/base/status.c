/* status.c - the context of a run: last message, progress, cancelling. */
#include "base/status.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/show.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

nonsens_context *nonsens_context_new(void)
{
    nonsens_context *ctx = memory_get(1, sizeof *ctx);
    if (ctx) {
        ctx->root = ctx;
        atomic_init(&ctx->cancelled, 0);
        atomic_init(&ctx->finishing, 0);
    }
    return ctx;
}

void nonsens_context_free(nonsens_context *ctx)
{
    memory_release(ctx);
}

const char *nonsens_context_message(const nonsens_context *ctx)
{
    return ctx ? ctx->message : "the context is NULL; make one with nonsens_context_new";
}

void nonsens_context_set_progress(nonsens_context *ctx, nonsens_progress_fn fn, void *user)
{
    if (ctx) {
        ctx->progress = fn;
        ctx->progress_user = user;
    }
}

void nonsens_context_set_members(nonsens_context *ctx, const nonsens_members *members)
{
    if (ctx) {
        ctx->members = members ? *members : (nonsens_members){0};
    }
}

void nonsens_context_cancel(nonsens_context *ctx)
{
    if (ctx) {
        atomic_store(&ctx->cancelled, 1);
    }
}

void nonsens_context_finish(nonsens_context *ctx)
{
    if (ctx) {
        atomic_store(&ctx->finishing, 1);
    }
}

const char *nonsens_context_warning(const nonsens_context *ctx)
{
    return ctx ? ctx->warning : "";
}

static void print_sentence(char out[MESSAGE_BYTES], const char *format, va_list args)
{
    char raw[2 * MESSAGE_BYTES]; // longer than the message, so that a message that is cut ends in dots
    vsnprintf(raw, sizeof raw, format, args);
    show_text(out, MESSAGE_BYTES, raw, (int64_t)strlen(raw), MESSAGE_BYTES);
}

nonsens_status(fail)(nonsens_context *ctx, nonsens_status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_sentence(ctx->message, format, args);
    va_end(args);
    return code;
}

void leave_warning(nonsens_context *ctx, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_sentence(ctx->root->warning, format, args);
    va_end(args);
}

const char needed_end;

nonsens_status refuse_null(nonsens_context *ctx, const char *function, const char *names, const void *const *pointer)
{
    if (!ctx) {
        return NONSENS_ERR_USAGE;
    }
    for (; *pointer; pointer++) {
        if (*pointer == &needed_end) {
            return NONSENS_OK;
        }
        names += strcspn(names, ",");
        names += strspn(names, ", ");
    }
    return fail(ctx, NONSENS_ERR_USAGE, "%s: the argument %.*s must not be NULL", function, (int)strcspn(names, ","),
                names);
}

nonsens_status(fail_memory)(nonsens_context *ctx)
{
    return fail(ctx, NONSENS_ERR_MEMORY,
                "out of memory; use fewer rows, fewer variables or a machine with more memory");
}

nonsens_status fail_limit(nonsens_context *ctx)
{
    return fail(ctx, NONSENS_ERR_MEMORY,
                "this needs more than the %" PRId64 " MB that --max-memory allows; allow more, use fewer threads, rows "
                "or variables, or take a --method that needs less",
                ctx->root->max_memory / MEGABYTE);
}

void context_begin(nonsens_context *ctx)
{
    ctx->message[0] = '\0';
    ctx->warning[0] = '\0';
    atomic_store(&ctx->cancelled, 0);
    atomic_store(&ctx->finishing, 0);
    ctx->mode = FINISH_CANCELS;
    ctx->deadline = 0.0;
    ctx->max_memory = 0;
}

void context_child(nonsens_context *child, nonsens_context *parent)
{
    memset(child, 0, sizeof *child);
    child->root = parent->root;
    child->silent = parent->silent;
}

static bool is_to_finish(const nonsens_context *root)
{
    bool is_late = root->mode == FINISH_ENDS_SEARCH && root->deadline > 0.0 && clock_seconds() > root->deadline;
    return is_late || atomic_load(&root->finishing) != 0;
}

bool is_cancelled(const nonsens_context *ctx)
{
    const nonsens_context *root = ctx->root;
    return atomic_load(&root->cancelled) != 0 || (root->mode != FINISH_REPORTS && is_to_finish(root));
}

bool finish_was_asked(const nonsens_context *ctx)
{
    return atomic_load(&ctx->root->finishing) != 0;
}

bool finish_was_late(const nonsens_context *ctx)
{
    return is_cancelled(ctx) && !finish_was_asked(ctx) && atomic_load(&ctx->root->cancelled) == 0;
}

void finish_allow(nonsens_context *ctx, double seconds)
{
    ctx->root->mode = FINISH_CAN;
    ctx->root->deadline = seconds > 0.0 ? clock_seconds() + seconds : 0.0;
}

void finish_begin(nonsens_context *ctx)
{
    if (ctx->root->mode == FINISH_CAN && ctx == ctx->root) { // other jobs of a parallel loop would wait for this one
        ctx->root->mode = FINISH_ENDS_SEARCH;
    }
}

nonsens_status finish_catch(nonsens_context *ctx, nonsens_status status, bool *unfinished)
{
    nonsens_context *root = ctx->root;
    *unfinished = false;
    if (root->mode != FINISH_ENDS_SEARCH) {
        return status;
    }
    root->mode = FINISH_REPORTS;
    *unfinished = status == NONSENS_CANCELLED && atomic_load(&root->cancelled) == 0;
    return *unfinished ? NONSENS_OK : status;
}

nonsens_status check_cancelled(nonsens_context *ctx)
{
    return is_cancelled(ctx) ? fail(ctx, NONSENS_CANCELLED, "interrupted") : NONSENS_OK;
}

void report_progress(nonsens_context *ctx, const char *phase, int64_t done, int64_t total)
{
    nonsens_context *root = ctx->root;
    if (!ctx->silent && root->progress && root->progress(root->progress_user, phase, done, total) != 0) {
        nonsens_context_cancel(root);
    }
}
