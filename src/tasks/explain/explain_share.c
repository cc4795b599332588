/* explain_share.c - shares the fits of mechanisms of `explain`, and of the search for its graph, among processes. */
#include "methods/structured_graph/structured_graph_method.h"
#include "pool/journal_head.h"
#include "pool/process_pool.h"
#include "tasks/explain/explain.h"

#include <string.h>

static bool is_setting(const nonsens_option_info *info)
{
    return strcmp(info->group, "Data") != 0;
}

/* Fits do not depend on the graph, which the first process finds or reads. */
nonsens_status explain_set_key(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options)
{
    static const journal_kind kind = {"nonsens explain", "changes", ""};
    json_value *head = NULL;
    nonsens_status status = journal_head_new(ctx, &kind, options, is_setting, &head);
    status = status == NONSENS_OK ? journal_head_add_input(ctx, head, "data", data->hash) : status;
    status = status == NONSENS_OK ? process_pool_set_key(ctx, head) : status;
    json_decref(head);
    return status;
}

static void free_server(void **state)
{
    share_free(*state);
}

/* The fits serve both the search for the graph and the explanation. */
nonsens_status explain_follow(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options)
{
    SCOPED_ARENA(scratch);
    SCOPED(free_server) void *server = NULL;
    TRY(share_new(ctx, &scratch, data, options, NULL, &server));
    pool_work work = {
        .phase = "waiting", .threads = (int)options->threads, .make_task = share_make_unit, .state = server};
    return process_pool_run(ctx, &scratch, &work);
}
