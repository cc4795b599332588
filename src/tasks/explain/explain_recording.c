/* explain_recording.c - the rows that `explain` looks at: normal ones, then those of the fault. */
#include "tasks/explain/explain_size.h"

#include <math.h>

/* Appends the rows of a group to the first `from` rows; returns how many rows it appends. */
static int64_t add_rows(const int8_t *in, int8_t group, const int64_t *order, int64_t from, explain_recording *rec)
{
    int64_t at = from;
    for (int64_t i = 0; i < rec->data->n; i++) {
        int32_t segment = rec->data->segment[order[i]];
        if (in[segment] == group) {
            rec->segment[at] = segment;
            rec->row[at++] = order[i];
        }
    }
    return at - from;
}

nonsens_status explain_recording_new(nonsens_context *ctx, arena *a, const nonsens_data *data, const int8_t *in,
                                     bool in_order, bool in_time, uint64_t seed, explain_recording *out)
{
    int64_t *order;
    *out = (explain_recording){.data = data, .in_time = in_time, .seed = seed};
    ARENA_TRY(ctx, a, out->row, data->n);
    ARENA_TRY(ctx, a, out->segment, data->n);
    ARENA_TRY(ctx, a, order, data->n);
    for (int64_t i = 0; i < data->n; i++) {
        order[i] = i;
    }
    TRY(in_order ? time_blocks_order(ctx, a, data, order) : NONSENS_OK);
    out->normal = add_rows(in, 0, order, 0, out);
    out->fault = add_rows(in, 1, order, out->normal, out);
    return NONSENS_OK;
}

int64_t explain_find_onset(const explain_recording *rec, int64_t column)
{
    const double *x = matrix_col(rec->data->x, column); // missing values are stored as medians
    const int64_t *row = rec->row + rec->normal, rows = rec->fault;
    double best = 0.0, all = 0.0, before = 0.0;
    int64_t onset = 0;
    for (int64_t i = 0; i < rows; i++) {
        all += x[row[i]];
    }
    for (int64_t k = 1; rows > 2 && k < rows; k++) {
        double first = (double)k, second = (double)(rows - k);
        before += x[row[k - 1]];
        double step = fabs((all - before) / second - before / first) / sqrt(1.0 / first + 1.0 / second);
        if (step > best) {
            best = step;
            onset = k;
        }
    }
    return onset;
}
