/* simulate_do.c - reads which variables are set from outside, and to what. */
#include "base/show.h"
#include "options/assignment.h"
#include "simulate/simulate_model.h"

#include <inttypes.h>
#include <string.h>

nonsens_status simulate_read_do(nonsens_context *ctx, arena *scratch, const char *text, int64_t d, char *const *names,
                                const int64_t *column, double *set_to)
{
    char shown[SHOWN_BYTES];
    assignment_list list;
    TRY(assignment_read(ctx, scratch, "do", text, &list));
    for (int64_t i = 0; i < list.count; i++) {
        int64_t k = 0;
        while (k < d && strcmp(names[k], list.item[i].name) != 0) {
            k++;
        }
        if (k == d) {
            return fail(ctx, NONSENS_ERR_USAGE, "--do: there is no variable %s; they are called x1 to x%" PRId64,
                        show_quoted(shown, list.item[i].name), d);
        }
        if (list.item[i].is_grid) {
            return fail(ctx, NONSENS_ERR_USAGE, "--do: simulate sets %s to one value, not to a grid",
                        show_quoted(shown, list.item[i].name));
        }
        set_to[column[k]] = list.item[i].value[0];
    }
    return NONSENS_OK;
}
