/* process_pool.c - lets the processes of a run begin, work and end together. */
#include "pool/process_pool.h"

#include "base/hash.h"

void process_pool_begin(nonsens_context *ctx, process_pool *processes)
{
    *processes = (process_pool){.members = &ctx->members};
    ctx->processes = ctx->members.members > 1 ? processes : NULL;
}

bool process_pool_follows(const nonsens_context *ctx)
{
    return ctx->processes && ctx->processes->members->member > 0;
}

bool process_pool_leads(const nonsens_context *ctx)
{
    return ctx->processes && ctx->processes->members->member == 0;
}

nonsens_status process_pool_set_key(nonsens_context *ctx, const json_value *head)
{
    char *text = json_text(head, JSON_COMPACT, JSON_EXACT_DIGITS);
    if (!text) {
        return fail_memory(ctx);
    }
    if (ctx->processes && ctx->processes->key == 0) {
        ctx->processes->key = HASH_START;
        hash_text(&ctx->processes->key, text);
    }
    memory_release(text);
    return NONSENS_OK;
}

nonsens_status process_pool_run(nonsens_context *ctx, arena *a, pool_work *work)
{
    work->processes = ctx->processes;
    if (process_pool_follows(ctx)) {
        ctx->processes->ended = true;
        return pool_follow(ctx, a, ctx->processes->members, work);
    }
    return pool_run(ctx, a, ctx->processes ? ctx->processes->members : NULL, work);
}

nonsens_status process_pool_end(nonsens_context *ctx, process_pool *processes, nonsens_status status)
{
    if (process_pool_leads(ctx)) {
        status = pool_dismiss(ctx, processes->members, status);
    } else if (process_pool_follows(ctx) && !processes->ended) {
        status = pool_wait(ctx, processes->members, status);
    }
    ctx->processes = NULL;
    arena_free(&processes->memory);
    return status;
}
