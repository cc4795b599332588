/* knowledge.c - stores what is known about every arrow and checks it for contradictions. */
#include "graph/knowledge.h"

#include "graph/pdag.h"

#include <inttypes.h>

nonsens_status knowledge_new(nonsens_context *ctx, arena *a, int64_t d, knowledge *out)
{
    *out = (knowledge){.d = d};
    ARENA_TRY(ctx, a, out->flags, d * d);
    return NONSENS_OK;
}

static void add_flag(knowledge *k, int64_t a, int64_t b, int flag)
{
    k->flags[a * k->d + b] = (uint8_t)(k->flags[a * k->d + b] | flag);
}

static bool has_flag(const knowledge *k, int64_t a, int64_t b, int flag)
{
    return (k->flags[a * k->d + b] & flag) != 0;
}

void knowledge_forbid(knowledge *k, int64_t a, int64_t b)
{
    add_flag(k, a, b, KNOWLEDGE_FORBIDDEN);
}

void knowledge_require(knowledge *k, int64_t a, int64_t b)
{
    add_flag(k, a, b, KNOWLEDGE_REQUIRED);
    add_flag(k, b, a, KNOWLEDGE_FORBIDDEN);
}

nonsens_status knowledge_check(nonsens_context *ctx, const knowledge *k)
{
    SCOPED_ARENA(local);
    pdag required;
    TRY(pdag_new(ctx, &local, k->d, &required));
    for (int64_t a = 0; a < k->d; a++) {
        for (int64_t b = 0; b < k->d; b++) {
            if (k->flags[a * k->d + b] == (KNOWLEDGE_FORBIDDEN | KNOWLEDGE_REQUIRED)) {
                return fail(ctx, NONSENS_ERR_USAGE,
                            "the arrow from variable %" PRId64 " to variable %" PRId64
                            " is both required and forbidden; say one of the two",
                            a + 1, b + 1);
            }
            if (has_flag(k, a, b, KNOWLEDGE_REQUIRED)) {
                pdag_set(&required, a, b, PDAG_ARROW);
            }
        }
    }
    if (pdag_has_cycle(&required)) {
        return fail(ctx, NONSENS_ERR_USAGE, "the arrows that are required make a cycle; drop one of them");
    }
    return NONSENS_OK;
}

bool knowledge_allows(const knowledge *k, int64_t a, int64_t b)
{
    return !k || !has_flag(k, a, b, KNOWLEDGE_FORBIDDEN);
}

bool knowledge_requires(const knowledge *k, int64_t a, int64_t b)
{
    return k && has_flag(k, a, b, KNOWLEDGE_REQUIRED);
}

bool knowledge_separates(const knowledge *k, int64_t a, int64_t b)
{
    return !knowledge_allows(k, a, b) && !knowledge_allows(k, b, a);
}

nonsens_status knowledge_permute(nonsens_context *ctx, arena *a, const knowledge *k, const int32_t *order,
                                 knowledge *out)
{
    TRY(knowledge_new(ctx, a, k->d, out));
    for (int64_t i = 0; i < k->d; i++) {
        for (int64_t j = 0; j < k->d; j++) {
            out->flags[i * k->d + j] = k->flags[order[i] * k->d + order[j]];
        }
    }
    return NONSENS_OK;
}
