/* test_null.c - NULL at the doors of the public interface. */
#include <nonsens/nonsens.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static nonsens_context *ctx;
static nonsens_options *options; // of discover
static char some[64];            // stands for any object, which must not be looked at
static void *out = some;         // where a result would be put

static int set_up(void **state)
{
    (void)state;
    ctx = nonsens_context_new();
    return ctx && nonsens_options_new(ctx, NONSENS_CMD_DISCOVER, &options) == NONSENS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    nonsens_options_free(options);
    nonsens_context_free(ctx);
    return 0;
}

/* Without a context there is none to say it. */
#define REFUSED_WITHOUT_CONTEXT(...) assert_int_equal((__VA_ARGS__), NONSENS_ERR_USAGE)

/* An error of usage that says so. */
#define REFUSED(...)                                         \
    do {                                                     \
        assert_int_equal((__VA_ARGS__), NONSENS_ERR_USAGE);  \
        assert_int_not_equal(nonsens_message(ctx)[0], '\0'); \
    } while (0)

/* The call with NULL in one place after another, the context first; each must be refused. */
#define REFUSED_2(f, a, b)                   \
    do {                                     \
        REFUSED_WITHOUT_CONTEXT(f(NULL, b)); \
        REFUSED(f(a, NULL));                 \
    } while (0)
#define REFUSED_3(f, a, b, c)                   \
    do {                                        \
        REFUSED_WITHOUT_CONTEXT(f(NULL, b, c)); \
        REFUSED(f(a, NULL, c));                 \
        REFUSED(f(a, b, NULL));                 \
    } while (0)
#define REFUSED_4(f, a, b, c, d)                   \
    do {                                           \
        REFUSED_WITHOUT_CONTEXT(f(NULL, b, c, d)); \
        REFUSED(f(a, NULL, c, d));                 \
        REFUSED(f(a, b, NULL, d));                 \
        REFUSED(f(a, b, c, NULL));                 \
    } while (0)

static void test_runs(void **state)
{
    (void)state;
    nonsens_status (*run[])(nonsens_context *, const nonsens_data *, const nonsens_options *, nonsens_result **) = {
        nonsens_direction, nonsens_discover, nonsens_independence, nonsens_diagnose, nonsens_explain, nonsens_ica};
    for (size_t k = 0; k < sizeof run / sizeof *run; k++) {
        REFUSED_4(run[k], ctx, (void *)some, options, out);
        assert_int_equal(run[k](ctx, NULL, options, out), NONSENS_ERR_USAGE);
        assert_non_null(strstr(nonsens_message(ctx), "NULL is given where data, options, out must be"));
    }
#define ON_GRAPH(c, data, o, to) nonsens_explain_on_graph(c, data, (void *)some, o, to)
#define PAIRS(c, data, o, to) nonsens_pairs_run(c, data, o, "journal", to)
#define CREW(c, o, figure, path) nonsens_reproduce_crew(c, o, figure, path, NULL)
    REFUSED_4(ON_GRAPH, ctx, (void *)some, options, out);
    REFUSED(nonsens_explain_on_graph(ctx, (void *)some, NULL, options, out));
    REFUSED_4(PAIRS, ctx, (void *)some, options, out);
    REFUSED_4(CREW, ctx, options, "bivariate", "-");
    REFUSED_4(nonsens_reproduce, ctx, options, "bivariate", "-");
    REFUSED_3(nonsens_simulate, ctx, options, out);
    REFUSED_3(nonsens_simulation_data, ctx, (void *)some, out);
}

static nonsens_status no_test(void *user, int64_t x, int64_t y, const int64_t *given, int64_t count, double *p_value)
{
    (void)user, (void)x, (void)y, (void)given, (void)count;
    *p_value = 0.5;
    return NONSENS_OK;
}

static void test_testers(void **state)
{
    (void)state;
    nonsens_ci *tester = NULL;
    double p;
    REFUSED_4(nonsens_ci_new, ctx, (void *)some, options, out);
    REFUSED_WITHOUT_CONTEXT(nonsens_ci_from_callback(NULL, 3, no_test, NULL, &tester));
    REFUSED(nonsens_ci_from_callback(ctx, 3, NULL, NULL, &tester));
    REFUSED(nonsens_ci_from_callback(ctx, 3, no_test, NULL, NULL));
    assert_int_equal(nonsens_ci_from_callback(ctx, 3, no_test, NULL, &tester), NONSENS_OK);
    REFUSED_WITHOUT_CONTEXT(nonsens_ci_test(NULL, tester, 0, 1, NULL, 0, NULL, &p));
    REFUSED(nonsens_ci_test(ctx, NULL, 0, 1, NULL, 0, NULL, &p));
    REFUSED(nonsens_ci_test(ctx, tester, 0, 1, NULL, 1, NULL, &p));
    REFUSED(nonsens_ci_test(ctx, tester, 0, 1, NULL, 0, NULL, NULL));
    assert_int_equal(nonsens_ci_test(ctx, tester, 0, 1, NULL, 0, NULL, &p), NONSENS_OK);
    nonsens_ci_free(tester);
}

static void test_options_and_data(void **state)
{
    (void)state;
    static const double value[] = {1.0, 2.0};
    static const int32_t category[] = {0, 0};
    static const nonsens_column column = {"x", value, 1};
    const char *path = "x.csv", *nowhere = NULL;
    char text[100];
    nonsens_data *data = NULL;
#define NEW(c, to) nonsens_options_new(c, NONSENS_CMD_DISCOVER, to)
#define GET(c, o, key, buffer) nonsens_options_get(c, o, key, buffer, sizeof text)
#define FILES(c, paths, o, to) nonsens_data_read_files(c, paths, 1, o, to)
#define ARRAYS(c, values, to) nonsens_data_from_arrays(c, 2, 1, values, 1, 2, NULL, NULL, to)
#define COLUMNS(c, columns, o, to) nonsens_data_from_columns(c, 2, 1, columns, NULL, 0, NULL, o, to)
    REFUSED_2(NEW, ctx, out);
    REFUSED_4(nonsens_options_set, ctx, options, "seed", "1");
    REFUSED_2(nonsens_options_check, ctx, options);
    REFUSED_4(GET, ctx, options, "seed", text);
    REFUSED_4(nonsens_data_read, ctx, path, options, &data);
    REFUSED_4(FILES, ctx, &path, options, &data);
    REFUSED(FILES(ctx, &nowhere, options, &data));
    REFUSED_3(ARRAYS, ctx, value, &data);
    REFUSED_4(COLUMNS, ctx, &column, options, &data);
    REFUSED(nonsens_data_from_columns(ctx, 2, 1, &column, category, 1, NULL, options, &data));
    assert_null(data);
}

static void test_graphs(void **state)
{
    (void)state;
#define READ(c, path, to) nonsens_graph_read(c, path, NULL, to)
#define PARSE(c, name, bytes, to) nonsens_graph_parse(c, name, bytes, 1, NULL, to)
    REFUSED_3(READ, ctx, "g.csv", out);
    REFUSED_4(PARSE, ctx, "g.csv", "a", out);
    REFUSED_WITHOUT_CONTEXT(nonsens_compare(NULL, (void *)some, (void *)some, options, out));
    REFUSED(nonsens_compare(ctx, NULL, (void *)some, options, out));
    REFUSED(nonsens_compare(ctx, (void *)some, NULL, options, out));
    REFUSED(nonsens_compare(ctx, (void *)some, (void *)some, NULL, out));
    REFUSED(nonsens_compare(ctx, (void *)some, (void *)some, options, NULL));
}

static void test_writers(void **state)
{
    (void)state;
#define TEXT(c, result, path) nonsens_result_write_text(c, result, 0, path)
#define GRAPH(c, result, path) nonsens_result_write_graph(c, result, NONSENS_GRAPH_DOT, path)
#define HTML(c, result, path) nonsens_result_write_html(c, result, NULL, NULL, 0, path)
#define REPORT(c, result, path) nonsens_report_write_html(c, result, NULL, 0, NULL, path, NULL)
    REFUSED_2(nonsens_output_check, ctx, "-");
    REFUSED_3(nonsens_result_write_json, ctx, (void *)some, "-");
    REFUSED_3(nonsens_result_write_sources, ctx, (void *)some, "-");
    REFUSED_3(TEXT, ctx, (void *)some, "-");
    REFUSED_3(GRAPH, ctx, (void *)some, "-");
    REFUSED_3(HTML, ctx, (void *)some, "-");
    REFUSED_3(REPORT, ctx, "result.json", "-");
    REFUSED_3(nonsens_comparison_write_text, ctx, (void *)some, "-");
    REFUSED_3(nonsens_comparison_write_json, ctx, (void *)some, "-");
    REFUSED_3(nonsens_pairs_write_json, ctx, (void *)some, "-");
    REFUSED_3(nonsens_pairs_write_text, ctx, (void *)some, "-");
    REFUSED_3(nonsens_simulation_write_csv, ctx, (void *)some, "-");
    REFUSED_3(nonsens_simulation_write_truth, ctx, (void *)some, "-");
}

static void test_what_returns_no_status(void **state)
{
    (void)state;
    assert_non_null(strstr(nonsens_message(NULL), "NULL"));
    nonsens_cancel(NULL);
    nonsens_context_free(NULL);
    nonsens_options_free(NULL);
    nonsens_data_free(NULL);
    nonsens_ci_free(NULL);
    nonsens_result_free(NULL);
    nonsens_graph_free(NULL);
    nonsens_comparison_free(NULL);
    nonsens_pairs_free(NULL);
    nonsens_simulation_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),   cmocka_unit_test(test_testers), cmocka_unit_test(test_options_and_data),
        cmocka_unit_test(test_graphs), cmocka_unit_test(test_writers), cmocka_unit_test(test_what_returns_no_status)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
