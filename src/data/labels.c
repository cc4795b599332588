/* labels.c - finds segments by their labels; see labels.h. */
#include "data/labels.h"

#include "base/natural.h"
#include "base/nearest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

nonsens_status labels_order(nonsens_context *ctx, arena *a, const nonsens_data *data, int64_t **order)
{
    return natural_order(ctx, a, data->segments, (const char *const *)data->labels, order);
}

/* Lists labels: "s1, s2, s3 and 17 others". */
static nonsens_status list_labels(nonsens_context *ctx, arena *scratch, const nonsens_data *data, char *list,
                                  size_t bytes)
{
    enum { SHOWN = 12 };
    char shown[SHOWN_BYTES];
    size_t used = 0;
    int64_t *order, listed = 0;
    TRY(labels_order(ctx, scratch, data, &order));
    for (; listed < data->segments && listed < SHOWN && used + SHOWN_BYTES < bytes; listed++) {
        used += (size_t)snprintf(list + used, bytes - used, "%s%s", listed ? ", " : "",
                                 show_bare(shown, data->labels[order[listed]]));
    }
    if (listed < data->segments) {
        int64_t left = data->segments - listed;
        snprintf(list + used, bytes - used, " and %" PRId64 " other%s", left, left == 1 ? "" : "s");
    }
    return NONSENS_OK;
}

nonsens_status labels_find(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const char *key,
                           const char *label, int64_t *segment)
{
    char shown[SHOWN_BYTES], list[MESSAGE_BYTES - 600], hint[HINT_BYTES];
    nearest near = nearest_to(label);
    for (int64_t e = 0; e < data->segments; e++) {
        nearest_offer(&near, data->labels[e]);
        if (strcmp(data->labels[e], label) == 0) {
            *segment = e;
            return NONSENS_OK;
        }
    }
    TRY(list_labels(ctx, scratch, data, list, sizeof list));
    return fail(ctx, NONSENS_ERR_DATA, "--%s %s: no segment has this label; there are %s%s", key,
                show_quoted(shown, label), list, nearest_hint(&near, hint));
}
