/* ci.c - opens a tester, brings its questions into canonical order and remembers the answers. */
#include "indep/ci.h"

#include "base/hash.h"
#include "indep/ci_internal.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { CACHE_BYTES = 1 << 28, SHORT_KEY = 16 };

ci_options ci_options_from(const nonsens_options *options)
{
    return (ci_options){.test = options->test,
                        .null_kind = options->null_kind,
                        .permutations = options->permutations,
                        .refine_at = options->alpha,
                        .seed = options->seed,
                        .threads = (int)options->threads,
                        .cache_bytes = CACHE_BYTES};
}

/* ---- opening and closing ------------------------------------------------------------------------------------- */

static nonsens_status new_tester(nonsens_context *ctx, int64_t count, ci_tester **out)
{
    *out = NULL;
    ci_tester *t = memory_get(1, sizeof *t);
    if (!t) {
        return fail_memory(ctx);
    }
    if (pthread_mutex_init(&t->lock, NULL) != 0) {
        memory_release(t);
        return fail_memory(ctx);
    }
    t->count = count;
    *out = t;
    return NONSENS_OK;
}

static nonsens_status copy_variables(nonsens_context *ctx, ci_tester *t, const ci_variables *variables)
{
    const row_groups *g = &variables->groups;
    t->groups = *g;
    t->columns = variables->count;
    ARENA_TRY(ctx, &t->memory, t->variable, t->columns);
    ARENA_TRY(ctx, &t->memory, t->rank, t->count);
    for (int64_t k = 0; k < t->columns; k++) {
        t->variable[k] = variables->variable[k];
        t->rank[k] = variables->rank ? variables->rank[k] : (int32_t)k;
    }
    if (!t->options.with_group) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, &t->memory, t->group_of, t->variable[0].n);
    for (int64_t e = 0; e < g->count; e++) {
        for (int64_t i = g->start[e]; i < g->start[e + 1]; i++) {
            t->group_of[i] = (int32_t)e;
        }
    }
    t->all_rows[0] = g->start[0];
    t->all_rows[1] = g->start[g->count];
    t->rank[t->columns] = INT32_MAX;
    return NONSENS_OK;
}

nonsens_status ci_new(nonsens_context *ctx, const ci_variables *variables, const ci_options *options, ci_tester **out)
{
    TRY(new_tester(ctx, variables->count + options->with_group, out));
    (*out)->options = *options;
    nonsens_status status = copy_variables(ctx, *out, variables);
    if (status == NONSENS_OK) {
        status = ci_fill(ctx, *out);
    }
    if (status != NONSENS_OK) {
        ci_free(*out);
        *out = NULL;
    }
    return status;
}

nonsens_status ci_open_callback(nonsens_context *ctx, int64_t variables, nonsens_ci_fn fn, void *user, ci_tester **out)
{
    *out = NULL;
    if (!fn || variables < 2) {
        return fail(ctx, NONSENS_ERR_USAGE, "a tester needs a function and at least two variables");
    }
    TRY(new_tester(ctx, variables, out));
    (*out)->callback = fn;
    (*out)->user = user;
    return NONSENS_OK;
}

void ci_free(ci_tester *tester)
{
    if (!tester) {
        return;
    }
    ci_store_free(&tester->answers, memory_release);
    ci_store_free(&tester->parts, ci_part_release);
    arena_free(&tester->memory);
    pthread_mutex_destroy(&tester->lock);
    memory_release(tester);
}

/* ---- questions ----------------------------------------------------------------------------------------------- */

static int64_t rank_of(const ci_tester *t, int64_t variable)
{
    return t->rank ? t->rank[variable] : variable;
}

/* Sorts variables by rank; insertion sort is enough, as a question has few variables. */
static void sort_by_rank(const ci_tester *t, int64_t count, int64_t *variable)
{
    for (int64_t i = 1; i < count; i++) {
        int64_t moved = variable[i], at = i;
        while (at > 0 && rank_of(t, variable[at - 1]) > rank_of(t, moved)) {
            variable[at] = variable[at - 1];
            at--;
        }
        variable[at] = moved;
    }
}

static nonsens_status check_question(nonsens_context *ctx, const ci_tester *t, int64_t count, const int64_t *key)
{
    for (int64_t i = 0; i < count; i++) {
        if (key[i] < 0 || key[i] >= t->count) {
            return fail(ctx, NONSENS_ERR_USAGE,
                        "independence test: there is no variable %" PRId64 "; they count from 0 to %" PRId64, key[i],
                        t->count - 1);
        }
        for (int64_t j = 0; j < i; j++) {
            if (key[i] == key[j]) {
                return fail(ctx, NONSENS_ERR_USAGE,
                            "independence test: variable %" PRId64 " is named twice; name different variables", key[i]);
            }
        }
    }
    return NONSENS_OK;
}

/* Removes the row group from the given variables: tests run inside groups anyway.  Returns the new count. */
static int64_t drop_group(const ci_tester *t, int64_t count, int64_t *given)
{
    int64_t left = 0;
    for (int64_t k = 0; k < count; k++) {
        if (!ci_is_group(t, given[k])) {
            given[left++] = given[k];
        }
    }
    return left;
}

/* Numbers the random stream of a question by ranks, so that it does not depend on the order of the variables. */
static uint64_t job_of(const ci_tester *t, int64_t count, const int64_t *key)
{
    uint64_t h = HASH_START;
    for (int64_t i = 0; i < count; i++) {
        hash_number(&h, rank_of(t, key[i]));
    }
    return hash_fold(h);
}

/* ---- answers ------------------------------------------------------------------------------------------------- */

static bool recall(ci_tester *t, int64_t length, const int64_t *key, ci_result *out)
{
    pthread_mutex_lock(&t->lock);
    const ci_result *known = ci_store_find(&t->answers, length, key);
    t->asked++;
    t->remembered += known != NULL;
    if (known) {
        *out = *known;
    }
    pthread_mutex_unlock(&t->lock);
    return known != NULL;
}

static nonsens_status remember(nonsens_context *ctx, ci_tester *t, int64_t length, const int64_t *key,
                               const ci_result *result)
{
    nonsens_status status = NONSENS_OK;
    ci_result *copy = memory_get(1, sizeof *copy);
    if (!copy) {
        return fail_memory(ctx);
    }
    *copy = *result;
    pthread_mutex_lock(&t->lock);
    bool is_there = ci_store_find(&t->answers, length, key) != NULL; // another thread may have stored it
    if (!is_there) {
        status = ci_store_put(ctx, &t->answers, length, key, copy);
    }
    pthread_mutex_unlock(&t->lock);
    if (is_there || status != NONSENS_OK) {
        memory_release(copy);
    }
    return status;
}

static nonsens_status ask_callback(nonsens_context *ctx, ci_tester *t, const ci_question *q, ci_result *out)
{
    *out = (ci_result){.statistic = NAN, .p_value = NAN, .by_callback = true};
    nonsens_status status = t->callback(t->user, q->x, q->y, q->given, q->count, &out->p_value);
    if (status != NONSENS_OK) {
        return fail(ctx, status, "the caller's test of independence failed for variables %" PRId64 " and %" PRId64,
                    q->x, q->y);
    }
    if (!(out->p_value >= 0.0 && out->p_value <= 1.0)) {
        return fail(ctx, NONSENS_ERR_NUMERIC,
                    "the caller's test of independence gave no p-value between 0 and 1 for variables %" PRId64
                    " and %" PRId64,
                    q->x, q->y);
    }
    return NONSENS_OK;
}

nonsens_status ci_test(nonsens_context *ctx, ci_tester *t, int64_t x, int64_t y, int64_t count, const int64_t *given,
                       ci_result *out)
{
    SCOPED_ARENA(scratch);
    int64_t short_key[SHORT_KEY], *key = short_key; // x, y, given; sorted below
    *out = (ci_result){.p_value = NAN};
    if (count < 0 || count > t->count - 2 || (count > 0 && !given)) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "independence test: %" PRId64 " variables cannot be given; name different ones, at most %" PRId64,
                    count, t->count - 2);
    }
    if (count + 2 > SHORT_KEY) {
        ARENA_TRY(ctx, &scratch, key, count + 2);
    }
    key[0] = x;
    key[1] = y;
    for (int64_t k = 0; k < count; k++) {
        key[2 + k] = given[k];
    }
    TRY(check_question(ctx, t, count + 2, key));
    count = drop_group(t, count, key + 2);
    sort_by_rank(t, 2, key);
    sort_by_rank(t, count, key + 2);
    if (!recall(t, count + 2, key, out)) {
        ci_question q = {key[0], key[1], count, key + 2, job_of(t, count + 2, key)};
        TRY(t->callback ? ask_callback(ctx, t, &q, out) : ci_run(ctx, &scratch, t, &q, out));
        TRY(remember(ctx, t, count + 2, key, out));
    }
    if (key[0] != x) { // sorting exchanged x and y
        double first = out->side[0];
        out->side[0] = out->side[1];
        out->side[1] = first;
    }
    return NONSENS_OK;
}

void ci_counts(ci_tester *tester, int64_t *asked, int64_t *remembered)
{
    pthread_mutex_lock(&tester->lock);
    if (asked) {
        *asked = tester->asked;
    }
    if (remembered) {
        *remembered = tester->remembered;
    }
    pthread_mutex_unlock(&tester->lock);
}
