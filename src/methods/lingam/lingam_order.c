/*
 * lingam_order.c - DirectLiNGAM (Shimizu, Inazumi, Sogawa, Hyvarinen, Kawahara, Washio, Hoyer, Bollen, JMLR 12, 2011)
 * with pairwise likelihood ratios (Hyvarinen and Smith, JMLR 14, 2013).
 *
 * Of the remaining columns, all standardised, the one that the others speak least against comes next:
 *
 *     R_ij = [H(x_j) + H(r_i^(j))] - [H(x_i) + H(r_j^(i))],    M(i) = sum over j of min(0, R_ij)^2,
 *
 * r_i^(j) the standardised residual of x_i on x_j; R_ij > 0 if i -> j is the likelier direction.  The column with the
 * smallest M is removed; the others become their standardised residuals on it.  Variances and slopes have divisor n
 * throughout.  The first column wins a tie.
 *
 * The computation differs from the definition, the outcome does not:
 *   - Correlations come from one product of all columns and follow the elimination,
 *         rho_kl <- (rho_kl - rho_km rho_lm) / (s_k s_l),   s^2 = 1 - rho^2;
 *     those of a column that lost too many digits are computed from the rows again.  Columns themselves follow modified
 *     Gram-Schmidt, so the triangular factor in r is as accurate as by reflections.
 *   - R_ij = -R_ji is computed once.
 *   - Comparisons that cannot change the outcome are left out, as in ParaLiNGAM (Shahbazinia, Salehkaleybar, Hashemi,
 *     arXiv 2109.13993, 2021): a candidate whose sum so far exceeds a finished one need not finish.  Here this happens
 *     in rounds, for the same result with any number of threads.  The two candidates that looked best in the step
 *     before make all their comparisons.  Those still in the race then make 1, 2, 4, ... of theirs, beginning with the
 *     partners that spoke most against them last time.  The race is also for the second rank, whose M is shown.  The
 *     sum of a candidate that finishes runs over the partners in their order.  A sum in another order is reduced by
 *     the share SLACK, more than rounding: the chosen column is exactly that of the plain algorithm.
 */
#include "methods/lingam/lingam_order.h"

#include "base/parallel.h"
#include "math/column.h"
#include "math/linalg.h"
#include "methods/lingam/lingam_rows.h"

#include <math.h>
#include <string.h>

enum { CHUNK_ROWS = 16384, SMALL_ROWS = 40000, NEVER = -1 };
static const double SLACK = 1e-10;
static const double MAX_LOST = 30.0; /* a correlation's error may grow by this factor for each of its columns */

typedef struct comparison {
    int32_t i, j;
} comparison;

typedef struct search {
    int threads;
    bool plain;
    lingam_table *table;
    int64_t n, d, padded;
    double *z;         /* (padded, d) */
    double *rho;       /* (d, d) */
    double *lost;      /* (d) growth of the errors in rho since they were measured */
    double *entropy;   /* (d) */
    double *ratio;     /* R_ij at i d + j, as last compared */
    int32_t *compared; /* step of that comparison, at i d + j */
    int64_t *alive;    /* (left) ascending */
    int64_t left, step;
    double *sum;      /* (d) M so far, and M once nothing is missing */
    int64_t *missing; /* (d) partners not compared with */
    comparison *queue;
    int64_t queued;
    int64_t out;          /* the column that is removed */
    double *slope, *kept; /* (d) correlation with it, and what the residual was divided by */
    double *share;        /* (d) standard deviation of the residual of a variable with standard deviation 1 */
    bool *measure;        /* (d) are its correlations to be computed from the rows again? */
} search;

static double *column_of(const search *s, int64_t k)
{
    return s->z + k * s->padded;
}

/* Returns how many columns or pairs make a job of about CHUNK_ROWS rows. */
static int64_t chunk_of(const search *s)
{
    int64_t chunk = CHUNK_ROWS / s->n;
    return chunk > 1 ? chunk : 1;
}

static nonsens_status in_chunks(nonsens_context *ctx, search *s, int64_t count, job_fn run)
{
    int64_t chunk = chunk_of(s);
    int threads = count * s->n < SMALL_ROWS ? 1 : s->threads;
    return parallel_for(ctx, threads, (count + chunk - 1) / chunk, NULL, run, s);
}

static int64_t chunk_end(const search *s, int64_t job, int64_t count)
{
    int64_t end = (job + 1) * chunk_of(s);
    return end < count ? end : count;
}

/* ---- setting up ------------------------------------------------------------------------------------------------ */

static nonsens_status first_entropies(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    search *s = state;
    (void)scratch;
    TRY(check_cancelled(ctx));
    for (int64_t k = job * chunk_of(s); k < chunk_end(s, job, s->d); k++) {
        s->entropy[k] = lingam_rows_entropy(s->table, s->n, column_of(s, k));
    }
    return NONSENS_OK;
}

/* Standardises the columns, computes their correlations and entropies; sd (d) is in the order of the columns. */
static nonsens_status search_new(nonsens_context *ctx, arena *a, matrix x, double *sd, search *s)
{
    int64_t d = s->d;
    ARENA_TRY(ctx, a, s->table, 1);
    ARENA_TRY(ctx, a, s->rho, d * d);
    ARENA_TRY(ctx, a, s->lost, d);
    ARENA_TRY(ctx, a, s->entropy, d);
    ARENA_TRY(ctx, a, s->ratio, d * d);
    ARENA_TRY(ctx, a, s->compared, d * d);
    ARENA_TRY(ctx, a, s->alive, d);
    ARENA_TRY(ctx, a, s->sum, d);
    ARENA_TRY(ctx, a, s->missing, d);
    ARENA_TRY(ctx, a, s->queue, d * d / 2 + 1);
    ARENA_TRY(ctx, a, s->slope, d);
    ARENA_TRY(ctx, a, s->kept, d);
    ARENA_TRY(ctx, a, s->share, d);
    ARENA_TRY(ctx, a, s->measure, d);
    lingam_table_fill(s->table);
    for (int64_t k = 0; k < d; k++) {
        sd[k] = column_standardise(s->n, matrix_col(x, k), column_of(s, k));
        s->alive[k] = k;
        s->lost[k] = s->share[k] = 1.0;
    }
    s->left = d;
    linalg_gram(s->padded, d, s->z, s->padded, s->rho);
    for (int64_t i = 0; i < d * d; i++) {
        s->rho[i] /= (double)s->n;
        s->compared[i] = NEVER;
    }
    return in_chunks(ctx, s, d, first_entropies);
}

/* ---- comparisons ----------------------------------------------------------------------------------------------- */

static nonsens_status compare_chunk(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    search *s = state;
    (void)scratch;
    TRY(check_cancelled(ctx));
    for (int64_t q = job * chunk_of(s); q < chunk_end(s, job, s->queued); q++) {
        int64_t i = s->queue[q].i, j = s->queue[q].j;
        double rest[2];
        lingam_rows_residuals(s->table, s->n, column_of(s, i), column_of(s, j), s->rho[i * s->d + j], rest);
        double ratio = (s->entropy[j] + rest[0]) - (s->entropy[i] + rest[1]);
        s->ratio[i * s->d + j] = ratio;
        s->ratio[j * s->d + i] = -ratio;
    }
    return NONSENS_OK;
}

static double penalty(double ratio)
{
    return ratio < 0.0 ? ratio * ratio : 0.0;
}

/* Computes M(i) over the partners in their order, from the ratios as last compared. */
static double full_sum(const search *s, int64_t i)
{
    double sum = 0.0;
    for (int64_t k = 0; k < s->left; k++) {
        sum += s->alive[k] != i ? penalty(s->ratio[i * s->d + s->alive[k]]) : 0.0;
    }
    return sum;
}

/* The smaller column comes first, so that a ratio has the same bits whichever column asked for it. */
static void enqueue(search *s, int64_t i, int64_t j)
{
    int64_t first = i < j ? i : j, second = i < j ? j : i;
    s->queue[s->queued++] = (comparison){(int32_t)first, (int32_t)second};
    s->compared[i * s->d + j] = s->compared[j * s->d + i] = (int32_t)s->step;
    s->missing[i]--;
    s->missing[j]--;
}

static bool is_missing(const search *s, int64_t i, int64_t j)
{
    return i != j && s->compared[i * s->d + j] != s->step;
}

static void enqueue_all(search *s, int64_t i)
{
    for (int64_t k = 0; k < s->left && s->missing[i] > 0; k++) {
        if (is_missing(s, i, s->alive[k])) {
            enqueue(s, i, s->alive[k]);
        }
    }
}

/* Queues at most `count` comparisons of i, beginning with the partners that spoke most against it last time. */
static void enqueue_some(search *s, int64_t i, int64_t count)
{
    if (count >= s->missing[i]) {
        enqueue_all(s, i);
        return;
    }
    for (int64_t c = 0; c < count; c++) {
        int64_t best = -1;
        for (int64_t k = 0; k < s->left; k++) {
            int64_t j = s->alive[k];
            if (is_missing(s, i, j) && (best < 0 || s->ratio[i * s->d + j] < s->ratio[i * s->d + best])) {
                best = j;
            }
        }
        enqueue(s, i, best);
    }
}

static nonsens_status compare_queued(nonsens_context *ctx, search *s, lingam_order *out)
{
    TRY(in_chunks(ctx, s, s->queued, compare_chunk));
    for (int64_t q = 0; q < s->queued; q++) {
        int64_t i = s->queue[q].i, j = s->queue[q].j;
        s->sum[i] += penalty(s->ratio[i * s->d + j]);
        s->sum[j] += penalty(s->ratio[j * s->d + i]);
    }
    for (int64_t k = 0; k < s->left; k++) {
        int64_t i = s->alive[k];
        s->sum[i] = s->missing[i] == 0 ? full_sum(s, i) : s->sum[i];
    }
    out->compared += s->queued;
    s->queued = 0;
    return NONSENS_OK;
}

/* ---- one step -------------------------------------------------------------------------------------------------- */

typedef struct two_best {
    int64_t first, second; /* -1: none */
} two_best;

/* Finds the two smallest values among the remaining columns, or among those that finished. */
static two_best find_two_best(const search *s, const double *value, bool finished)
{
    two_best best = {-1, -1};
    for (int64_t k = 0; k < s->left; k++) {
        int64_t i = s->alive[k];
        if (finished && s->missing[i] > 0) {
            continue;
        }
        if (best.first < 0 || value[i] < value[best.first]) {
            best.second = best.first;
            best.first = i;
        } else if (best.second < 0 || value[i] < value[best.second]) {
            best.second = i;
        }
    }
    return best;
}

/* Queues the first round: all comparisons of the two columns that looked best before. */
static void enqueue_first_round(search *s)
{
    if (s->plain || s->step == 0) {
        for (int64_t k = 0; k < s->left; k++) {
            enqueue_all(s, s->alive[k]);
        }
        return;
    }
    for (int64_t k = 0; k < s->left; k++) {
        s->sum[s->alive[k]] = full_sum(s, s->alive[k]);
    }
    two_best guess = find_two_best(s, s->sum, false);
    enqueue_all(s, guess.first);
    enqueue_all(s, guess.second);
}

/* Queues comparisons of the columns that may still be among the two best. */
static void enqueue_race(search *s, int64_t count)
{
    two_best best = find_two_best(s, s->sum, true);
    for (int64_t k = 0; k < s->left; k++) {
        int64_t i = s->alive[k];
        if (s->missing[i] > 0 && s->sum[i] * (1.0 - SLACK) <= s->sum[best.second]) {
            enqueue_some(s, i, count);
        }
    }
}

static nonsens_status choose_next(nonsens_context *ctx, search *s, lingam_order *out)
{
    for (int64_t k = 0; k < s->left; k++) {
        s->missing[s->alive[k]] = s->left - 1;
    }
    if (s->left > 1) {
        enqueue_first_round(s);
        for (int64_t k = 0; k < s->left; k++) {
            s->sum[s->alive[k]] = 0.0;
        }
    }
    for (int64_t count = 1; s->queued > 0; count *= 2) {
        TRY(compare_queued(ctx, s, out));
        enqueue_race(s, count);
    }
    two_best best = find_two_best(s, s->sum, true);
    s->out = best.first;
    out->at[s->step] = best.first;
    out->against[s->step] = s->left > 1 ? s->sum[best.first] : 0.0;
    out->next[s->step] = best.second;
    out->against_next[s->step] = best.second >= 0 ? s->sum[best.second] : NAN;
    return NONSENS_OK;
}

/* ---- removing a column ------------------------------------------------------------------------------------------- */

static nonsens_status take_out_chunk(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    search *s = state;
    (void)scratch;
    TRY(check_cancelled(ctx));
    for (int64_t k = job * chunk_of(s); k < chunk_end(s, job, s->left); k++) {
        int64_t i = s->alive[k];
        s->kept[i] = lingam_rows_take_out(s->n, column_of(s, s->out), column_of(s, i), &s->slope[i]);
        s->entropy[i] = lingam_rows_entropy(s->table, s->n, column_of(s, i));
    }
    return NONSENS_OK;
}

static void follow_correlations(search *s)
{
    for (int64_t k = 0; k < s->left; k++) {
        int64_t i = s->alive[k];
        s->lost[i] = s->kept[i] > 0.0 ? s->lost[i] / s->kept[i] : INFINITY;
        s->measure[i] = s->lost[i] > MAX_LOST;
        for (int64_t l = 0; l < k; l++) {
            int64_t j = s->alive[l];
            double scale = s->kept[i] * s->kept[j];
            double rho = scale > 0.0 ? (s->rho[i * s->d + j] - s->slope[i] * s->slope[j]) / scale : 0.0;
            s->rho[i * s->d + j] = s->rho[j * s->d + i] = fmin(fmax(rho, -1.0), 1.0);
        }
    }
}

static nonsens_status measure_chunk(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    search *s = state;
    (void)scratch;
    for (int64_t k = job * chunk_of(s); k < chunk_end(s, job, s->left); k++) {
        int64_t i = s->alive[k];
        TRY(check_cancelled(ctx));
        for (int64_t l = 0; l < s->left && s->measure[i]; l++) {
            int64_t j = s->alive[l];
            double rho = lingam_rows_product(s->n, column_of(s, i), column_of(s, j));
            s->rho[i * s->d + j] = fmin(fmax(rho, -1.0), 1.0);
        }
    }
    return NONSENS_OK;
}

/* Copies the new rows of rho to its columns too: a product has the same bits in either order. */
static nonsens_status measure_correlations(nonsens_context *ctx, search *s)
{
    bool any = false;
    for (int64_t k = 0; k < s->left; k++) {
        any = any || s->measure[s->alive[k]];
    }
    if (!any) {
        return NONSENS_OK;
    }
    TRY(in_chunks(ctx, s, s->left, measure_chunk));
    for (int64_t k = 0; k < s->left; k++) {
        int64_t i = s->alive[k];
        for (int64_t l = 0; l < s->left && s->measure[i]; l++) {
            s->rho[s->alive[l] * s->d + i] = s->rho[i * s->d + s->alive[l]];
        }
        s->lost[i] = s->measure[i] ? 1.0 : s->lost[i];
    }
    return NONSENS_OK;
}

/* Removes the chosen column and fills in row `step` of the triangular factor r, with columns still as in the data. */
static nonsens_status take_out(nonsens_context *ctx, search *s, double *r)
{
    int64_t left = 0;
    for (int64_t k = 0; k < s->left; k++) {
        s->alive[left] = s->alive[k];
        left += s->alive[k] != s->out;
    }
    s->left = left;
    TRY(in_chunks(ctx, s, s->left, take_out_chunk));
    r[s->step + s->out * s->d] = s->share[s->out];
    for (int64_t k = 0; k < s->left; k++) {
        int64_t i = s->alive[k];
        r[s->step + i * s->d] = s->share[i] * s->slope[i];
        s->share[i] *= s->kept[i];
    }
    follow_correlations(s);
    return measure_correlations(ctx, s);
}

/* ---- all steps ------------------------------------------------------------------------------------------------- */

nonsens_status lingam_find_order(nonsens_context *ctx, arena *a, matrix x, const lingam_order_options *options,
                                 lingam_order *out)
{
    int64_t n = x.rows, d = x.cols;
    double *sd, *r;
    *out = (lingam_order){.n = n, .d = d, .pairs = (d + 1) * d * (d - 1) / 6, .residual = {NULL, n, d, n}};
    ARENA_TRY(ctx, a, out->at, d);
    ARENA_TRY(ctx, a, out->against, d);
    ARENA_TRY(ctx, a, out->against_next, d);
    ARENA_TRY(ctx, a, out->next, d);
    ARENA_TRY(ctx, a, out->sd, d);
    ARENA_TRY(ctx, a, out->r, d * d);
    ARENA_TRY(ctx, a, out->residual.v, n * d);
    arena_mark mark = arena_tell(a);
    search s = {.threads = options->threads, .plain = options->plain, .n = n, .d = d, .padded = lingam_rows_padded(n)};
    ARENA_TRY(ctx, a, s.z, s.padded * d);
    ARENA_TRY(ctx, a, sd, d);
    ARENA_TRY(ctx, a, r, d * d);
    TRY(search_new(ctx, a, x, sd, &s));
    for (s.step = 0; s.step < s.d; s.step++) {
        TRY(choose_next(ctx, &s, out));
        TRY(take_out(ctx, &s, r));
        report_progress(ctx, "ordering variables", s.step + 1, s.d);
        TRY(check_cancelled(ctx));
    }
    for (int64_t k = 0; k < d; k++) { // from the order of the data's columns to causal order
        int64_t from = out->at[k];
        out->sd[k] = sd[from];
        memcpy(out->r + k * d, r + from * d, (size_t)d * sizeof *r);
        memcpy(matrix_col(out->residual, k), column_of(&s, from), (size_t)n * sizeof *s.z);
    }
    arena_rewind(a, mark);
    return NONSENS_OK;
}
