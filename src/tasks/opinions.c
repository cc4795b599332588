#include "tasks/opinions.h"

#include "data/subsample.h"
#include "methods/registry.h"

/* A method may refuse a pair that another method accepts: its opinion is then left out, and a note says why. */
static nonsens_status ask(nonsens_context *ctx, const nonsens_data *pair, const method *m, nonsens_result *result)
{
    SCOPED_ARENA(scratch);
    SCOPED(memory_release_scoped) nonsens_data *fewer = NULL;
    SCOPED(memory_release_scoped) nonsens_result *other = NULL;
    TRY(subsample(ctx, pair, &result->options, method_max_rows(m, &result->options), &fewer));
    TRY(result_new(ctx, fewer ? fewer : pair, &result->options, m->info.name, &other));
    nonsens_status status = m->direction(ctx, &scratch, fewer ? fewer : pair, &other->options, other);
    if (status == NONSENS_ERR_DATA || status == NONSENS_ERR_NUMERIC) {
        return result_note(ctx, result, NONSENS_NOTE_INFO, "%s gives no opinion: %s.", m->info.name,
                           nonsens_context_message(ctx));
    }
    TRY(status);
    TRY(result_finish(ctx, other));
    nonsens_opinion opinion = {m->info.name, other->decision_text, other->direction_text, other->score, other->p_value};
    return result_add_opinion(ctx, result, &opinion);
}

nonsens_status opinions_ask(nonsens_context *ctx, const nonsens_data *pair, const method *decided,
                            nonsens_result *result)
{
    for (size_t i = 0; method_at(i); i++) {
        const method *m = method_at(i);
        if (m->is_opinion && m != decided) {
            TRY(ask(ctx, pair, m, result));
        }
    }
    return NONSENS_OK;
}
