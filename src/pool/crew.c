/* crew.c - lets the processes of a run begin, work and end together. */
#include "pool/crew.h"

#include "base/hash.h"

void crew_begin(nonsens_context *ctx, pool_crew *crew)
{
    *crew = (pool_crew){.members = &ctx->members};
    ctx->crew = ctx->members.members > 1 ? crew : NULL;
}

bool crew_follows(const nonsens_context *ctx)
{
    return ctx->crew && ctx->crew->members->member > 0;
}

bool crew_leads(const nonsens_context *ctx)
{
    return ctx->crew && ctx->crew->members->member == 0;
}

nonsens_status crew_set_key(nonsens_context *ctx, const json_value *head)
{
    char *text = json_text(head, JSON_COMPACT, JSON_EXACT_DIGITS);
    if (!text) {
        return fail_memory(ctx);
    }
    if (ctx->crew && ctx->crew->key == 0) {
        ctx->crew->key = HASH_START;
        hash_text(&ctx->crew->key, text);
    }
    memory_release(text);
    return NONSENS_OK;
}

nonsens_status crew_run(nonsens_context *ctx, arena *a, pool_work *work)
{
    work->crew = ctx->crew;
    if (crew_follows(ctx)) {
        ctx->crew->ended = true;
        return pool_follow(ctx, a, ctx->crew->members, work);
    }
    return pool_run(ctx, a, ctx->crew ? ctx->crew->members : NULL, work);
}

nonsens_status crew_end(nonsens_context *ctx, pool_crew *crew, nonsens_status status)
{
    if (crew_leads(ctx)) {
        status = pool_dismiss(ctx, crew->members, status);
    } else if (crew_follows(ctx) && !crew->ended) {
        status = pool_wait(ctx, crew->members, status);
    }
    ctx->crew = NULL;
    arena_free(&crew->memory);
    return status;
}
