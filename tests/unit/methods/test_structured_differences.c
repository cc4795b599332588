/* test_structured_differences.c - a mechanism that differs in a segment is found, and equal ones are no hidden cause.
 */
#include "base/rng.h"
#include "data/dataset.h"
#include "methods/shared/result.h"

#include <math.h>
#include <string.h>

#include "fixture.h"

enum { SEGMENTS = 6, ROWS = 300, N = SEGMENTS * ROWS, ODD = 4 };

/* x -> y; in the segment ODD the slope is `odd`, in all others 1.  Both disturbances change over the segments. */
static nonsens_data *make_data(fixture *f, double odd, uint64_t seed)
{
    static const double scale_x[SEGMENTS] = {1.0, 0.5, 2.0, 0.7, 1.0, 1.6}, scale_y[] = {0.5, 1.0, 0.4, 1.2, 0.5, 0.8};
    double *x = fixture_doubles(f, 3 * N);
    int64_t segment[N];
    rng r = rng_new(seed, RNG_TEST, 7);
    nonsens_data *data;
    for (int64_t i = 0; i < N; i++) {
        segment[i] = i / ROWS;
        x[i] = scale_x[segment[i]] * rng_laplace(&r);
        x[N + i] = (segment[i] == ODD ? odd : 1.0) * x[i] + scale_y[segment[i]] * rng_laplace(&r);
        x[2 * N + i] = scale_y[segment[i]] * rng_laplace(&r);
    }
    assert_int_equal(nonsens_data_from_arrays(f->ctx, N, 3, x, 1, N, NULL, segment, &data), NONSENS_OK);
    return data;
}

static nonsens_result *discover(fixture *f, const nonsens_data *data)
{
    nonsens_options *o;
    nonsens_result *result;
    assert_int_equal(nonsens_options_new(f->ctx, NONSENS_COMMAND_DISCOVER, &o), NONSENS_OK);
    if (nonsens_run_discover(f->ctx, data, o, &result) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    nonsens_options_free(o);
    return result;
}

static const nonsens_edge *find_edge(const nonsens_result *result, int64_t from, int64_t to)
{
    for (int64_t i = 0; i < result->edges; i++) {
        if (result->edge[i].from == from && result->edge[i].to == to) {
            return &result->edge[i];
        }
    }
    return NULL;
}

static void test_a_slope_that_differs(void **state)
{
    fixture *f = *state;
    for (uint64_t seed = 1; seed < 3; seed++) {
        nonsens_data *data = make_data(f, -1.5, seed);
        nonsens_result *result = discover(f, data);
        const nonsens_edge *edge = find_edge(result, 0, 1);
        assert_int_equal(nonsens_result_target_count(result), 1);
        const nonsens_target *found = nonsens_result_target_at(result, 0);
        assert_string_equal(found->segment, "4");
        assert_int_equal(found->variable, 1);
        assert_false(found->known);
        assert_true(found->p_value < 1e-6);
        assert_non_null(edge);
        assert_int_equal(edge->type, NONSENS_EDGE_DIRECTED);
        assert_int_equal(result->edges, 1);
        nonsens_result_free(result);
        nonsens_data_free(data);
    }
}

static void test_equal_slopes(void **state)
{
    fixture *f = *state;
    nonsens_data *data = make_data(f, 1.0, 1);
    nonsens_result *result = discover(f, data);
    const nonsens_edge *edge = find_edge(result, 0, 1);
    assert_int_equal(nonsens_result_target_count(result), 0);
    assert_non_null(edge);
    assert_false(edge->confounded);
    nonsens_result_free(result);
    nonsens_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_a_slope_that_differs), TEST(test_equal_slopes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
