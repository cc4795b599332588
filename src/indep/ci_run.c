/*
 * ci_run.c - answers a tester's questions: one function per test, and the parts that questions share.
 *
 * A part is computed from one variable and a set of given ones: residual kernel features, or residuals of
 * Gaussian-process regressions.  Parts are made outside the lock; if two threads make the same one, the first is kept.
 * Beyond the memory budget of the tester a part lives only as long as its question.
 */
#include "indep/ci_internal.h"

#include "base/hash.h"
#include "indep/hsic.h"
#include "indep/information.h"
#include "indep/kci.h"
#include "math/column.h"
#include "regress/gp.h"

#include <math.h>
#include <string.h>

enum part_kind { PART_FEATURES, PART_RESIDUALS, PART_ALL_ROWS };

/*
 * The residual test skips groups with fewer rows per given column.  The errors of the regressions of x and of y depend
 * on the same given columns, and add up over groups.  Ten groups of 20 rows a column: size .108 and .083 at .05.
 */
enum { RESIDUALS_MIN_ROWS = 50 };

/* Share of the squares below which residuals are fitting error: it is about 1e-8 for functions without noise. */
static const double RESIDUALS_MIN_LEFT = 1e-6;

/* One entry of ci_store, found by kind, variable and given variables. */
typedef struct ci_part {
    arena memory;
    int64_t bytes;
    kci_features features; /* PART_FEATURES; PART_ALL_ROWS: over all groups together */
    column_set residual;   /* PART_RESIDUALS: as many columns as the variable */
    double explained;      /* PART_RESIDUALS: share of the variance that the regressions explain */
    bool nothing_left;     /* PART_RESIDUALS: the variable is a function of the given ones, in every group */
} ci_part;

void ci_part_release(void *part)
{
    ci_part *p = part;
    arena_free(&p->memory);
    memory_release(p);
}

static void add_detail(ci_result *out, const char *name, const char *text, double value)
{
    out->detail[out->details++] = (ci_detail){name, text, value, false};
}

/* ---- given variables as one set of columns ------------------------------------------------------------------- */

static int64_t given_columns(const ci_tester *t, const ci_question *q)
{
    int64_t d = 0;
    for (int64_t k = 0; k < q->count; k++) {
        d += t->variable[q->given[k]].d;
    }
    return d;
}

static nonsens_status gather_given(nonsens_context *ctx, arena *a, const ci_tester *t, const ci_question *q,
                                   column_set *out)
{
    const double **v;
    int64_t d = given_columns(t, q), used = 0;
    ARENA_TRY(ctx, a, v, d);
    for (int64_t k = 0; k < q->count; k++) {
        const column_set *each = &t->variable[q->given[k]];
        for (int64_t j = 0; j < each->d; j++) {
            v[used++] = each->v[j];
        }
    }
    *out = (column_set){t->variable[q->x].n, d, v};
    return NONSENS_OK;
}

/* ---- parts --------------------------------------------------------------------------------------------------- */

static kci_options kci_options_of(const ci_tester *t, uint64_t job)
{
    return (kci_options){.null_kind = t->options.null_kind,
                         .permutations = t->options.permutations,
                         .seed = (uint64_t)t->options.seed,
                         .job = job,
                         .threads = t->options.threads,
                         .random_features = t->options.test == TEST_RCIT};
}

static row_groups groups_of(const ci_tester *t, enum part_kind kind)
{
    return kind == PART_ALL_ROWS ? (row_groups){1, t->all_rows} : t->groups;
}

static nonsens_status make_features(nonsens_context *ctx, arena *scratch, const ci_tester *t, enum part_kind kind,
                                    int64_t variable, const ci_question *q, ci_part *part)
{
    column_set z;
    row_groups groups = groups_of(t, kind);
    uint64_t job = HASH_START; // random features do not depend on what the variable is compared with
    hash_number(&job, t->rank[variable]);
    for (int64_t k = 0; k < q->count; k++) {
        hash_number(&job, t->rank[q->given[k]]);
    }
    kci_options options = kci_options_of(t, hash_fold(job));
    TRY(gather_given(ctx, scratch, t, q, &z));
    if (ci_is_group(t, variable)) {
        kci_category category = {t->variable[0].n, t->groups.count, t->group_of};
        TRY(kci_category_residuals(ctx, &part->memory, &category, &z, &groups, &options, &part->features));
    } else {
        TRY(kci_residuals(ctx, &part->memory, &t->variable[variable], q->count > 0, &z, &groups, &options,
                          &part->features));
    }
    for (int64_t e = 0; e < part->features.count; e++) {
        const kci_stratum *s = &part->features.strata[e];
        part->bytes += s->rows * (s->rank + 1) * (int64_t)sizeof(double);
    }
    return NONSENS_OK;
}

/* Sums of squares of residuals and of values, scaled so that they neither overflow nor underflow; counts of groups. */
typedef struct regressions {
    double left, all;
    int64_t tested, determined;
} regressions;

static double scaled_square(double v, double factor)
{
    return v * factor * (v * factor);
}

/* Copies residual (rows) to `to` unless almost nothing is left: the group then stays zero, and the test skips it. */
static void take_residuals(int64_t rows, const double *y, const double *residual, double factor, double *to,
                           regressions *sum)
{
    double mean = 0.0, left = 0.0, all = 0.0;
    for (int64_t i = 0; i < rows; i++) {
        mean += y[i] / (double)rows;
    }
    for (int64_t i = 0; i < rows; i++) {
        left += scaled_square(residual[i], factor);
        all += scaled_square(y[i] - mean, factor);
    }
    bool determined = left <= RESIDUALS_MIN_LEFT * all;
    for (int64_t i = 0; i < rows && !determined; i++) {
        to[i] = residual[i];
    }
    sum->left += left;
    sum->all += all;
    sum->determined += determined;
    sum->tested += !determined;
}

/* Regresses y, a column of all rows, on z inside group e, and takes the residuals. */
static nonsens_status regress_group(nonsens_context *ctx, arena *scratch, const ci_tester *t, const double *y,
                                    const column_set *z, int64_t e, double factor, double *to, regressions *sum)
{
    SCOPED_ARENA(local);
    const double **v; // (z->d)
    int64_t first = t->groups.start[e], rows = t->groups.start[e + 1] - first;
    arena_mark mark = arena_tell(scratch);
    gp_fit fit;
    ARENA_TRY(ctx, scratch, v, z->d);
    for (int64_t j = 0; j < z->d; j++) {
        v[j] = z->v[j] + first;
    }
    column_set inputs = {rows, z->d, v};
    gp_options options = {.threads = t->options.threads, .keep_signal = true};
    TRY(gp_regress(ctx, &local, scratch, &inputs, y + first, &options, &fit));
    take_residuals(rows, y + first, fit.residual, factor, to + first, sum);
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

static nonsens_status make_residuals(nonsens_context *ctx, arena *scratch, const ci_tester *t, int64_t variable,
                                     const ci_question *q, ci_part *part)
{
    const column_set *y = &t->variable[variable];
    double **v; // (y->d) of n
    column_set z;
    regressions sum = {0};
    TRY(gather_given(ctx, scratch, t, q, &z));
    ARENA_TRY(ctx, &part->memory, v, y->d);
    for (int64_t j = 0; j < y->d; j++) {
        double factor = column_factor_of(y->n, y->v[j]);
        sum.left = sum.all = 0.0;
        ARENA_TRY(ctx, &part->memory, v[j], y->n);
        for (int64_t e = 0; e < t->groups.count; e++) {
            if (t->groups.start[e + 1] - t->groups.start[e] < RESIDUALS_MIN_ROWS * z.d) {
                continue; // all zero: the test skips and counts it
            }
            TRY(check_cancelled(ctx));
            TRY(regress_group(ctx, scratch, t, y->v[j], &z, e, factor, v[j], &sum));
        }
        part->explained += (sum.all > 0.0 ? 1.0 - sum.left / sum.all : 0.0) / (double)y->d;
    }
    part->residual = (column_set){y->n, y->d, (const double *const *)v};
    part->nothing_left = sum.tested == 0 && sum.determined > 0;
    part->bytes = y->d * y->n * (int64_t)sizeof(double);
    return NONSENS_OK;
}

/* Stores the part unless the budget is spent; the caller uses *kept and must free *own. */
static nonsens_status keep_part(nonsens_context *ctx, ci_tester *t, int64_t length, const int64_t *key, ci_part *part,
                                ci_part **kept, ci_part **own)
{
    nonsens_status status = NONSENS_OK;
    pthread_mutex_lock(&t->lock);
    *kept = ci_store_find(&t->parts, length, key);
    *own = part;
    if (!*kept) {
        *kept = part;
        if (t->part_bytes + part->bytes <= t->options.cache_bytes) {
            status = ci_store_put(ctx, &t->parts, length, key, part);
            t->part_bytes += status == NONSENS_OK ? part->bytes : 0;
            *own = status == NONSENS_OK ? NULL : part;
        }
    }
    pthread_mutex_unlock(&t->lock);
    return status;
}

static nonsens_status get_part(nonsens_context *ctx, arena *scratch, ci_tester *t, enum part_kind kind,
                               int64_t variable, const ci_question *q, ci_part **part, ci_part **own)
{
    int64_t *key, length = 2 + q->count; // (length)
    *own = NULL;
    ARENA_TRY(ctx, scratch, key, length);
    key[0] = kind;
    key[1] = variable;
    memcpy(key + 2, q->given, (size_t)q->count * sizeof *key);
    pthread_mutex_lock(&t->lock);
    *part = ci_store_find(&t->parts, length, key);
    pthread_mutex_unlock(&t->lock);
    if (*part) {
        return NONSENS_OK;
    }
    ci_part *made = memory_get(1, sizeof *made);
    if (!made) {
        return fail_memory(ctx);
    }
    nonsens_status status = kind == PART_RESIDUALS ? make_residuals(ctx, scratch, t, variable, q, made)
                                                   : make_features(ctx, scratch, t, kind, variable, q, made);
    if (status != NONSENS_OK) {
        ci_part_release(made);
        return status;
    }
    return keep_part(ctx, t, length, key, made, part, own);
}

/* The parts of x and y, and those of them that must be freed afterwards. */
typedef struct sides {
    ci_part *part[2], *own[2];
} sides;

static void release_sides(sides *s)
{
    for (int k = 0; k < 2; k++) {
        if (s->own[k]) {
            ci_part_release(s->own[k]);
        }
    }
}

static nonsens_status get_sides(nonsens_context *ctx, arena *scratch, ci_tester *t, enum part_kind kind,
                                const ci_question *q, sides *s)
{
    *s = (sides){{NULL, NULL}, {NULL, NULL}};
    nonsens_status status = get_part(ctx, scratch, t, kind, q->x, q, &s->part[0], &s->own[0]);
    if (status == NONSENS_OK) {
        status = get_part(ctx, scratch, t, kind, q->y, q, &s->part[1], &s->own[1]);
    }
    if (status != NONSENS_OK) {
        release_sides(s);
    }
    return status;
}

/* ---- the tests ----------------------------------------------------------------------------------------------- */

/* Tests x and y, which are values or residuals, with HSIC. */
static nonsens_status run_hsic(nonsens_context *ctx, arena *scratch, const ci_tester *t, const column_set *x,
                               const column_set *y, uint64_t job, ci_result *out)
{
    hsic_result test;
    hsic_options options = {.null_kind = t->options.null_kind,
                            .permutations = t->options.permutations,
                            .refine_at = t->options.refine_at,
                            .seed = (uint64_t)t->options.seed,
                            .job = job,
                            .threads = t->options.threads,
                            .time_order = t->options.time_order,
                            .min_shift = t->options.min_shift,
                            .memory = t->options.memory};
    TRY(hsic_test(ctx, scratch, x, y, &t->groups, &options, &test));
    out->statistic = test.statistic;
    out->p_value = test.p_value;
    out->rows_used = test.rows_used;
    out->segments_used = test.segments_used;
    out->segments_skipped = test.segments_skipped;
    out->by_permutation = test.by_permutation;
    out->by_shifts = options.time_order != NULL;
    out->min_rows = HSIC_MIN_ROWS;
    return NONSENS_OK;
}

static nonsens_status run_unconditional(nonsens_context *ctx, arena *scratch, ci_tester *t, const ci_question *q,
                                        ci_result *out)
{
    return run_hsic(ctx, scratch, t, &t->variable[q->x], &t->variable[q->y], q->job, out);
}

static nonsens_status run_features(nonsens_context *ctx, arena *scratch, ci_tester *t, enum part_kind kind,
                                   const ci_question *q, ci_result *out)
{
    sides s;
    kci_result test;
    kci_options options = kci_options_of(t, q->job);
    row_groups groups = groups_of(t, kind);
    TRY(get_sides(ctx, scratch, t, kind, q, &s));
    nonsens_status status =
        kci_compare(ctx, scratch, &s.part[0]->features, &s.part[1]->features, &groups, &options, &test);
    release_sides(&s);
    TRY(status);
    out->statistic = test.statistic;
    out->p_value = test.p_value;
    out->rows_used = test.rows_used;
    out->segments_used = test.segments_used;
    out->segments_skipped = test.segments_skipped;
    out->by_signs = t->options.null_kind == NULL_PERMUTATION;
    out->degenerate = test.determined;
    out->min_rows = KCI_MIN_ROWS;
    if (q->count > 0) {
        out->side_name = "degrees";
        out->side_text = "degrees of freedom of the regression on what is given";
        memcpy(out->side, test.degrees, sizeof out->side);
    }
    return NONSENS_OK;
}

/* Tests x and y without conditioning if nothing is given. */
static nonsens_status run_kci(nonsens_context *ctx, arena *scratch, ci_tester *t, const ci_question *q, ci_result *out)
{
    return q->count > 0 || t->options.test == TEST_RCIT ? run_features(ctx, scratch, t, PART_FEATURES, q, out)
                                                        : run_unconditional(ctx, scratch, t, q, out);
}

static nonsens_status run_residuals(nonsens_context *ctx, arena *scratch, ci_tester *t, const ci_question *q,
                                    ci_result *out)
{
    sides s;
    if (q->count == 0) {
        return run_unconditional(ctx, scratch, t, q, out);
    }
    TRY(get_sides(ctx, scratch, t, PART_RESIDUALS, q, &s));
    nonsens_status status = NONSENS_OK;
    if (s.part[0]->nothing_left || s.part[1]->nothing_left) {
        out->degenerate = true;
        out->p_value = 1.0;
    } else {
        status = run_hsic(ctx, scratch, t, &s.part[0]->residual, &s.part[1]->residual, q->job, out);
    }
    out->min_rows = RESIDUALS_MIN_ROWS * given_columns(t, q);
    out->side_name = "explained";
    out->side_text = "share of the variance that the regression on what is given explains";
    out->side[0] = s.part[0]->explained;
    out->side[1] = s.part[1]->explained;
    release_sides(&s);
    return status;
}

static nonsens_status run_fisher_z(nonsens_context *ctx, arena *scratch, ci_tester *t, const ci_question *q,
                                   ci_result *out)
{
    double *buffer;
    int64_t *given; // (count) positions in the correlation matrices
    fisher_z_result test;
    ARENA_TRY(ctx, scratch, buffer, fisher_z_buffer(q->count));
    ARENA_TRY(ctx, scratch, given, q->count);
    for (int64_t k = 0; k < q->count; k++) {
        given[k] = t->place[q->given[k]];
    }
    fisher_z_test(&t->correlations, t->place[q->x], t->place[q->y], q->count, given, buffer, &test);
    out->statistic = test.statistic;
    out->p_value = test.p_value;
    out->segments_used = test.groups_used;
    out->segments_skipped = test.groups_skipped + test.groups_undefined;
    out->degenerate = test.degenerate;
    out->min_rows = q->count + 4;
    bool several = t->groups.count > 1;
    add_detail(out, q->count > 0 ? "partial correlation" : "correlation",
               several ? "over all segments, weighted by their rows" : "over all rows", test.correlation);
    out->detail[0].has_sign = true;
    if (several) {
        add_detail(out, "heterogeneity", "sum of squares of how segments differ from their mean, in units of its error",
                   test.heterogeneity);
    }
    return NONSENS_OK;
}

static nonsens_status run_information(nonsens_context *ctx, arena *scratch, ci_tester *t, const ci_question *q,
                                      ci_result *out)
{
    information_result test;
    information_options options = {.permutations = t->options.permutations,
                                   .seed = (uint64_t)t->options.seed,
                                   .job = q->job,
                                   .threads = t->options.threads};
    TRY(information_test(ctx, scratch, t->variable[q->x].v[0], t->variable[q->y].v[0], &t->groups, &options, &test));
    out->statistic = test.statistic;
    out->p_value = test.p_value;
    out->rows_used = test.rows_used;
    out->segments_used = test.groups_used;
    out->segments_skipped = test.groups_skipped;
    out->by_permutation = true;
    out->min_rows = INFORMATION_MIN_ROWS;
    add_detail(out, "information", "mutual information in nats", test.information);
    return NONSENS_OK;
}

/* ---- dispatch ------------------------------------------------------------------------------------------------ */

typedef nonsens_status (*run_fn)(nonsens_context *ctx, arena *scratch, ci_tester *t, const ci_question *q,
                                 ci_result *out);

/* What a test can do; the order is that of enum option_independence_test. */
typedef struct test_row {
    run_fn run;
    bool conditional, vectors;
} test_row;

static const test_row test_table[] = {
    {run_kci, true, true},           {run_unconditional, false, true}, {run_kci, true, true},
    {run_kci, true, true},           {run_fisher_z, true, false},      {run_residuals, true, true},
    {run_information, false, false},
};

nonsens_status ci_fill(nonsens_context *ctx, ci_tester *t)
{
    const test_row *row = &test_table[t->options.test];
    char word[OPTION_WORD_BYTES];
    const double **v; // (columns)
    for (int64_t k = 0; k < t->columns; k++) {
        if (t->variable[k].d > 1 && !row->vectors) {
            return fail(ctx, NONSENS_ERR_USAGE,
                        "%s takes single variables; for vectors use hsic, kci, rcit or residuals",
                        option_test_word(t->options.test, word));
        }
    }
    if (t->options.test != TEST_FISHER_Z) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, &t->memory, v, t->columns);
    ARENA_TRY(ctx, &t->memory, t->place, t->columns);
    for (int64_t k = 0; k < t->columns;
         k++) { // by rank: BLAS may sum an entry in an order that depends on its position
        for (int64_t i = 0; i < t->columns; i++) {
            t->place[k] += t->rank[i] < t->rank[k];
        }
        v[t->place[k]] = t->variable[k].v[0];
    }
    column_set all = {t->variable[0].n, t->columns, v};
    return fisher_z_new(ctx, &t->memory, &all, &t->groups, &t->correlations);
}

nonsens_status ci_run(nonsens_context *ctx, arena *scratch, ci_tester *t, const ci_question *q, ci_result *out)
{
    const test_row *row = &test_table[t->options.test];
    char word[OPTION_WORD_BYTES];
    bool is_hsic = t->options.test == TEST_HSIC || (t->options.test == TEST_AUTO && q->count == 0);
    *out = (ci_result){.p_value = NAN};
    if (t->options.time_order && !is_hsic) {
        return fail(ctx, NONSENS_ERR_USAGE, OPTION_BLOCKS_REFUSED);
    }
    if (ci_is_group(t, q->y)) { // last in rank, so never x
        return run_features(ctx, scratch, t, PART_ALL_ROWS, q, out);
    }
    if (q->count > 0 && !row->conditional) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "%s cannot condition on other variables; use kci, rcit, residuals or fisher-z",
                    option_test_word(t->options.test, word));
    }
    return row->run(ctx, scratch, t, q, out);
}
