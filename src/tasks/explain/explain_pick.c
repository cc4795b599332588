/* explain_pick.c - what `explain` is asked about: the segment, what it is compared with, and the target. */
#include "base/nearest.h"
#include "base/show.h"
#include "data/labels.h"
#include "tasks/explain/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MIN_ROWS = 10 }; /* of the reference */

/* ---- segments --------------------------------------------------------------------------------------------------- */

/* Refuses a reference with too few rows; label is NULL for all other segments together. */
static nonsens_status check_size(nonsens_context *ctx, int64_t rows, const char *label)
{
    char shown[SHOWN_BYTES];
    if (rows >= MIN_ROWS) {
        return NONSENS_OK;
    }
    if (!label) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "all other segments together have %" PRId64
                    " row%s; at least %d are needed to compare with: give more rows",
                    rows, rows == 1 ? "" : "s", MIN_ROWS);
    }
    return fail(ctx, NONSENS_ERR_DATA,
                "segment %s has %" PRId64
                " row%s; at least %d are needed to compare with: merge it with others of its kind",
                show_quoted(shown, label), rows, rows == 1 ? "" : "s", MIN_ROWS);
}

nonsens_status explain_pick(nonsens_context *ctx, arena *scratch, const nonsens_data *data, nonsens_result *result,
                            int8_t **group)
{
    const nonsens_options *o = &result->options;
    result_explanation *to = &result->explained;
    int64_t of = -1, against = -1;
    ARENA_TRY(ctx, scratch, *group, data->segments);
    TRY(labels_find(ctx, scratch, data, "of", o->of, &of));
    if (o->against[0]) {
        TRY(labels_find(ctx, scratch, data, "against", o->against, &against));
    }
    for (int64_t e = 0; e < data->segments; e++) {
        (*group)[e] = e == of ? 1 : against < 0 || e == against ? 0 : -1;
        to->other_rows += (*group)[e] == 0 ? data->start[e + 1] - data->start[e] : 0;
    }
    to->of = result->labels[of];
    to->against = against < 0 ? NULL : result->labels[against];
    to->of_rows = data->start[of + 1] - data->start[of];
    return check_size(ctx, to->other_rows, to->against);
}

nonsens_status explain_check_reference(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options)
{
    SCOPED_ARENA(scratch);
    int64_t against;
    if (!options->against[0]) {
        return NONSENS_OK;
    }
    TRY(labels_find(ctx, &scratch, data, "against", options->against, &against));
    return check_size(ctx, data->start[against + 1] - data->start[against], data->labels[against]);
}

nonsens_status explain_find_target(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                                   int64_t *column)
{
    const char *name = options->target;
    char shown[SHOWN_BYTES], hint[HINT_BYTES];
    nearest near = nearest_to(name);
    *column = name[0] ? dataset_find_name(data, name) : -1;
    if (!name[0] && options->onset == EXPLAIN_ONSET_AUTO) {
        return fail(ctx, NONSENS_ERR_USAGE, "--onset auto finds the row from the target: name it with --target");
    }
    for (int64_t j = 0; j < data->d; j++) {
        nearest_offer(&near, data->names[j]);
    }
    if (name[0] && *column < 0) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "--target %s: no variable has this name; name a column that is neither the segment "
                    "nor left out%s",
                    show_quoted(shown, name), nearest_hint(&near, hint));
    }
    return NONSENS_OK;
}
