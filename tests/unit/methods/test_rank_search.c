/* The search for the rank of segment classifiers: networks with the interface of splines, and folds of whole blocks. */
#include "base/rng.h"
#include "math/special.h"
#include "methods/shared/rank_search_features.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum { SEGMENTS = 6 };

/* c2 = s2(e) N2, c1 = 2 tanh(c2) + s1(e) N1 with scales that change separately; rows of the segments alternate. */
static nonsens_data *make_data(fixture *f, int64_t per_segment)
{
    int64_t n = SEGMENTS * per_segment, *segment = arena_get(f->ctx, &f->scratch, n, sizeof *segment);
    double *x = fixture_doubles(f, 2 * n), *effect = x, *cause = x + n;
    nonsens_data *data;
    rng r = rng_new(7, RNG_TEST, 0);
    assert_non_null(segment);
    for (int64_t i = 0; i < n; i++) {
        segment[i] = i % SEGMENTS;
        double s2 = 0.3 + 0.2 * (double)((5 * segment[i]) % SEGMENTS);
        double s1 = 0.2 + 0.3 * (double)((segment[i] * segment[i] + 2) % SEGMENTS);
        cause[i] = s2 * rng_normal(&r);
        effect[i] = 2.0 * tanh(cause[i]) + s1 * rng_normal(&r);
    }
    assert_int_equal(nonsens_data_from_arrays(f->ctx, n, 2, x, 1, n, NULL, segment, &data), NONSENS_OK);
    return data;
}

static void set(fixture *f, nonsens_options *o, const char *key, const char *value)
{
    assert_int_equal(nonsens_options_set(f->ctx, o, key, value), NONSENS_OK);
}

static nonsens_options *make_options(fixture *f, const char *features, const char *epochs)
{
    nonsens_options *o;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DIRECTION, &o), NONSENS_OK);
    set(f, o, "method", "structured");
    set(f, o, "features", features);
    set(f, o, "epochs", epochs);
    set(f, o, "restarts", "2");
    set(f, o, "width", "12");
    set(f, o, "layers", "2");
    return o;
}

/* ---- networks ---- */

static void test_networks_name_the_cause_at_length(void **state)
{
    fixture *f = *state;
    nonsens_data *data = make_data(f, 256);
    nonsens_options *o = make_options(f, "network", "50");
    nonsens_result *result;
    set(f, o, "restarts", "4"); // with fewer or smaller networks a further rank makes up for what they missed
    set(f, o, "width", "16");
    set(f, o, "layers", "3");
    assert_int_equal(nonsens_run_direction(f->ctx, data, o, &result), NONSENS_OK);
    assert_string_equal(nonsens_result_decision(result), "c2->c1");
    nonsens_result_free(result);
    nonsens_options_free(o);
    nonsens_data_free(data);
}

/* Runs rank one, and a restricted fit beside the free one, as `structured` requests them. */
typedef struct climb {
    rank_search search;
    rank_search_outcome free;
    classifier_fit restricted;
    classifier_difference loss;
} climb;

static nonsens_status climb_once(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *o,
                                 climb *out)
{
    bool improved;
    out->free = (rank_search_outcome){0};
    TRY(rank_search_new(ctx, a, data, o, true, &out->search));
    TRY(rank_search_ranks(ctx, a, &out->search, KIND_BOTH, 1, &out->free));
    TRY(out->search.features->fit_restricted(ctx, a, &out->search, (classifier_shape){1, 0, 0}, &out->free.fit[1],
                                             &out->restricted));
    TRY(out->search.features->improve(ctx, a, &out->search, &out->restricted, &out->free.fit[1], &improved));
    return out->search.features->judge(ctx, &out->search, &out->restricted, &out->free.fit[1], &out->loss);
}

static void test_networks_are_judged_by_rows_they_have_not_seen(void **state)
{
    fixture *f = *state;
    nonsens_data *data = make_data(f, 60);
    nonsens_options *o = make_options(f, "network", "8");
    climb c;
    assert_int_equal(climb_once(f->ctx, &f->scratch, data, o, &c), NONSENS_OK);
    assert_int_equal(c.free.tried, 1);
    assert_int_equal(c.free.fitted, 1);
    assert_int_equal(shape_rank(c.restricted.model.shape), 1);
    const classifier_difference *each[2] = {&c.free.step[1], &c.loss};
    for (int k = 0; k < 2; k++) {
        assert_true(each[k]->p_value == special_normal_tail(each[k]->z));
        assert_true(isnan(each[k]->ratio) && isnan(each[k]->null_mean) && isnan(each[k]->null_sd));
    }
    double mean = 0.0;
    for (int64_t i = 0; i < data->n; i++) {
        mean += (c.free.fit[1].held_out[i] - c.restricted.held_out[i]) / (double)data->n;
    }
    assert_true(fabs(c.loss.mean - mean) < 1e-12);
    assert_true(rank_search_level(&c.search) == 0.05 / 4);
    assert_true(special_normal_tail(2.25) <= rank_search_rank_level(&c.search, KIND_BOTH, 2));
    assert_true(special_normal_tail(2.23) > rank_search_rank_level(&c.search, KIND_FIRST, 1));
    nonsens_options_free(o);
    nonsens_data_free(data);
}

static void test_threads_do_not_matter(void **state)
{
    fixture *f = *state;
    nonsens_data *data = make_data(f, 60);
    static const char *const FAMILIES[] = {"network", "spline"};
    for (int k = 0; k < 2; k++) {
        nonsens_options *o = make_options(f, FAMILIES[k], "4");
        climb c[2];
        for (int t = 0; t < 2; t++) {
            set(f, o, "threads", t ? "3" : "1");
            assert_int_equal(climb_once(f->ctx, &f->scratch, data, o, &c[t]), NONSENS_OK);
        }
        size_t bytes = (size_t)data->n * sizeof(double);
        assert_memory_equal(c[0].free.fit[1].held_out, c[1].free.fit[1].held_out, bytes);
        assert_memory_equal(c[0].restricted.held_out, c[1].restricted.held_out, bytes);
        assert_memory_equal(&c[0].loss, &c[1].loss, sizeof c[0].loss);
        nonsens_options_free(o);
    }
    nonsens_data_free(data);
}

static void test_splines_are_what_auto_means(void **state)
{
    fixture *f = *state;
    nonsens_data *data = make_data(f, 30);
    static const char *const WORDS[] = {"auto", "spline", "network"};
    for (int k = 0; k < 3; k++) {
        nonsens_options *o = make_options(f, WORDS[k], "1");
        rank_search l;
        assert_int_equal(rank_search_new(f->ctx, &f->scratch, data, o, true, &l), NONSENS_OK);
        assert_ptr_equal(l.features, k < 2 ? &rank_search_spline : &rank_search_network);
        nonsens_options_free(o);
    }
    nonsens_data_free(data);
}

typedef struct failing {
    const nonsens_data *data;
    const nonsens_options *options;
} failing;

static nonsens_status climb_failing(nonsens_context *ctx, arena *a, void *state)
{
    const failing *s = state;
    climb c;
    return climb_once(ctx, a, s->data, s->options, &c);
}

static void test_every_failing_allocation_is_reported(void **state)
{
    fixture *f = *state;
    nonsens_data *data = make_data(f, 12);
    nonsens_options *o = make_options(f, "network", "1");
    set(f, o, "block-length", "4");
    failing s = {data, o};
    assert_true(fail_every_allocation(f, climb_failing, &s) > 3);
    nonsens_options_free(o);
    nonsens_data_free(data);
}

/* ---- blocks ---- */

/* Rows of a segment are every SEGMENTS-th of the input; its k-th block has its rows k length .. (k + 1) length - 1. */
static void test_blocks_keep_together(void **state)
{
    fixture *f = *state;
    enum { PER_SEGMENT = 63, LENGTH = 4, BLOCKS = 16, FOLDS = 5 };
    nonsens_data *data = make_data(f, PER_SEGMENT);
    nonsens_options *o = make_options(f, "network", "1");
    set(f, o, "block-length", "4");
    rank_search l;
    assert_int_equal(rank_search_new(f->ctx, &f->scratch, data, o, true, &l), NONSENS_OK);
    assert_int_equal(l.blocks.count, SEGMENTS * BLOCKS);
    for (int64_t e = 0; e < SEGMENTS; e++) {
        int32_t fold[BLOCKS], id[BLOCKS];
        int64_t count[FOLDS] = {0};
        memset(fold, -1, sizeof fold);
        for (int64_t i = l.start[e]; i < l.start[e + 1]; i++) {
            int64_t k = data->input_row[l.user_row[i]] / SEGMENTS / LENGTH;
            assert_true(fold[k] == -1 || (fold[k] == l.fold[i] && id[k] == l.blocks.block_of[i]));
            count[l.fold[i]] += fold[k] == -1;
            fold[k] = l.fold[i];
            id[k] = l.blocks.block_of[i];
        }
        for (int k = 0; k < FOLDS; k++) {
            assert_true(count[k] == BLOCKS / FOLDS || count[k] == BLOCKS / FOLDS + 1);
        }
    }
    nonsens_options_free(o);
    nonsens_data_free(data);
}

static void test_blocks_that_are_too_long_are_refused(void **state)
{
    fixture *f = *state;
    nonsens_data *data = make_data(f, 40);
    static const char *const LENGTH[] = {"39", "40", "20"}, *const FOLDS[] = {"5", "5", "13"},
                             *const WORDS[] = {NULL, "single block", "makes 12 blocks, fewer than the 13 folds"};
    for (int k = 0; k < 3; k++) {
        nonsens_options *o = make_options(f, "spline", "1");
        rank_search l;
        set(f, o, "block-length", LENGTH[k]);
        set(f, o, "score-folds", FOLDS[k]);
        nonsens_status status = rank_search_new(f->ctx, &f->scratch, data, o, true, &l);
        assert_int_equal(status, WORDS[k] ? NONSENS_ERR_DATA : NONSENS_OK);
        assert_true(!WORDS[k] || strstr(nonsens_context_message(f->ctx), WORDS[k]));
        nonsens_options_free(o);
    }
    nonsens_data_free(data);
}

/* More rows give more splines, within bounds; the user's choice is used as it is. */
static void test_basis_grows_with_the_rows(void **state)
{
    fixture *f = *state;
    nonsens_options *o = make_options(f, "spline", "8");
    assert_int_equal(rank_search_spline_basis(o, 100), 14);
    assert_int_equal(rank_search_spline_basis(o, 5120), 14);
    assert_int_equal(rank_search_spline_basis(o, 10240), 18);
    assert_int_equal(rank_search_spline_basis(o, 1000000), 20);
    set(f, o, "basis", "9");
    assert_int_equal(rank_search_spline_basis(o, 1000000), 9);
    nonsens_options_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_networks_name_the_cause_at_length),
        TEST(test_networks_are_judged_by_rows_they_have_not_seen),
        TEST(test_threads_do_not_matter),
        TEST(test_splines_are_what_auto_means),
        TEST(test_every_failing_allocation_is_reported),
        TEST(test_blocks_keep_together),
        TEST(test_blocks_that_are_too_long_are_refused),
        TEST(test_basis_grows_with_the_rows),
    };
    return cmocka_run_group_tests_name("search", tests, NULL, NULL);
}
