/*
 * gp_predict.c - f at new rows.  One regressor: the new points join the fitted ones as points where nothing was
 * observed, and one pass forwards and backwards gives the exact posterior at all of them.
 */
#include "math/linalg.h"
#include "math/sort.h"
#include "regress/gp_model.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { PREDICT_BLOCK = 256 };

/* Training points and new ones in one ascending sequence; place (new rows): where each came to lie. */
static nonsens_status merge_new(nonsens_context *ctx, arena *scratch, const gp_sequence *old, int64_t count,
                                const double *x, gp_sequence *q, int64_t *place)
{
    sort_entry *entry, *spare;
    ARENA_TRY(ctx, scratch, entry, count);
    ARENA_TRY(ctx, scratch, spare, count);
    ARENA_TRY(ctx, scratch, q->x, old->n + count);
    ARENA_TRY(ctx, scratch, q->y, old->n + count);
    ARENA_TRY(ctx, scratch, q->count, old->n + count);
    sort_column(x, count, entry, spare);
    for (int64_t i = 0, k = 0; i < old->n || k < count;) {
        double next = k < count ? x[entry[k].row] : INFINITY;
        bool is_old = i < old->n && old->x[i] <= next;
        double at = is_old ? old->x[i] : next;
        q->x[q->n] = at;
        q->y[q->n] = is_old ? old->y[i] : 0.0;
        q->count[q->n] = is_old ? old->count[i] : 0.0;
        for (; k < count && x[entry[k].row] == at; k++) {
            place[entry[k].row] = q->n;
        }
        i += is_old;
        q->n++;
    }
    return NONSENS_OK;
}

static nonsens_status predict_line(nonsens_context *ctx, arena *scratch, const gp_model *m, const column_set *x,
                                   double *mean, double *variance)
{
    gp_sequence q = {0};
    gp_smooth smooth;
    gp_track track;
    int64_t *place;
    double *scaled;
    ARENA_TRY(ctx, scratch, place, x->n);
    ARENA_TRY(ctx, scratch, scaled, x->n);
    for (int64_t i = 0; i < x->n; i++) {
        scaled[i] = scale_value(m->x, x->v[m->column[0]][i]);
    }
    TRY(merge_new(ctx, scratch, &m->q, x->n, scaled, &q, place));
    TRY(gp_track_get(ctx, scratch, m->kernel, &q, &track));
    TRY(gp_smooth_get(ctx, scratch, q.n, &smooth));
    gp_line_smooth(&track, m->theta, &smooth);
    for (int64_t i = 0; i < x->n; i++) {
        mean[i] = smooth.mean[place[i]];
        if (variance) {
            variance[i] = smooth.variance[place[i]];
        }
    }
    return NONSENS_OK;
}

static nonsens_status predict_exact(nonsens_context *ctx, arena *scratch, const gp_model *m, const column_set *x,
                                    double *mean, double *variance)
{
    int64_t n = m->rows.n;
    double *k, signal = exp(m->several[0]); // (n, PREDICT_BLOCK)
    ARENA_TRY(ctx, scratch, k, n * PREDICT_BLOCK);
    for (int64_t first = 0; first < x->n; first += PREDICT_BLOCK) {
        int64_t count = x->n - first < PREDICT_BLOCK ? x->n - first : PREDICT_BLOCK;
        TRY(check_cancelled(ctx));
        gp_gauss_block(&m->rows, x, first, count, m->several, k);
        for (int64_t i = 0; i < count; i++) {
            mean[first + i] = linalg_dot(n, k + i * n, m->alpha);
        }
        if (variance) {
            linalg_solve_lower(false, n, count, m->factor, n, k, n);
            for (int64_t i = 0; i < count; i++) {
                variance[first + i] = fmax(signal - linalg_dot(n, k + i * n, k + i * n), 0.0);
            }
        }
    }
    return NONSENS_OK;
}

static nonsens_status predict_several(nonsens_context *ctx, arena *scratch, const gp_model *m, const column_set *x,
                                      double *mean, double *variance)
{
    double **column;
    gp_row_results rows;
    ARENA_TRY(ctx, scratch, column, m->used);
    for (int64_t c = 0; c < m->used; c++) {
        ARENA_TRY(ctx, scratch, column[c], x->n);
        for (int64_t i = 0; i < x->n; i++) {
            column[c][i] = scale_value(m->x + c, x->v[m->column[c]][i]);
        }
    }
    column_set scaled = {x->n, m->used, (const double *const *)column};
    if (m->form == FORM_EXACT) {
        return predict_exact(ctx, scratch, m, &scaled, mean, variance);
    }
    TRY(gp_row_results_get(ctx, scratch, x->n, &rows));
    TRY(gp_reduced_predict(ctx, m->threads, &m->reduced, &scaled, &rows));
    memcpy(mean, rows.mean, (size_t)x->n * sizeof *mean);
    if (variance) {
        memcpy(variance, rows.variance, (size_t)x->n * sizeof *variance);
    }
    return NONSENS_OK;
}

nonsens_status gp_predict(nonsens_context *ctx, arena *scratch, const gp_model *model, const column_set *x,
                          double *mean, double *variance)
{
    arena_mark mark = arena_tell(scratch);
    if (x->d != model->columns) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "Gaussian-process regression: %" PRId64 " columns to predict from, fitted to %" PRId64
                    "; give the same",
                    x->d, model->columns);
    }
    TRY(gp_check_columns(ctx, x));
    memset(mean, 0, (size_t)x->n * sizeof *mean);
    if (variance) {
        memset(variance, 0, (size_t)x->n * sizeof *variance);
    }
    if (model->form == FORM_LINE) {
        TRY(predict_line(ctx, scratch, model, x, mean, variance));
    } else if (model->form != FORM_MEAN) {
        TRY(predict_several(ctx, scratch, model, x, mean, variance));
    }
    double unit = unit_of(&model->y);
    for (int64_t i = 0; i < x->n; i++) {
        mean[i] = (mean[i] * model->y.spread + model->y.centre) / model->y.factor;
        if (variance) {
            variance[i] *= unit * unit;
        }
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}
