/* test_null.c - NULL at the doors of the public interface. */
#include <nonsens/nonsens.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A NULL context, and NULL for what must be there, are errors of usage that say so. */
static void test_null_arguments(void **state)
{
    (void)state;
    nonsens_context *ctx = nonsens_context_new();
    nonsens_options *options = NULL;
    nonsens_result *result = NULL;
    nonsens_data *data = NULL;
    assert_non_null(ctx);
    assert_int_equal(nonsens_options_new(ctx, NONSENS_CMD_DISCOVER, &options), NONSENS_OK);
    nonsens_status (*run[])(nonsens_context *, const nonsens_data *, const nonsens_options *, nonsens_result **) = {
        nonsens_direction, nonsens_discover, nonsens_independence, nonsens_diagnose, nonsens_explain, nonsens_ica};
    for (size_t k = 0; k < sizeof run / sizeof *run; k++) {
        assert_int_equal(run[k](NULL, NULL, options, &result), NONSENS_ERR_USAGE);
        assert_int_equal(run[k](ctx, NULL, options, &result), NONSENS_ERR_USAGE);
        assert_non_null(strstr(nonsens_message(ctx), "NULL is given where data, options, out must be"));
    }
    nonsens_status (*write[])(nonsens_context *, const nonsens_result *, const char *) = {nonsens_result_write_json,
                                                                                          nonsens_result_write_sources};
    for (size_t k = 0; k < sizeof write / sizeof *write; k++) {
        assert_int_equal(write[k](NULL, NULL, "-"), NONSENS_ERR_USAGE);
        assert_int_equal(write[k](ctx, NULL, "-"), NONSENS_ERR_USAGE);
    }
    assert_int_equal(nonsens_data_read(NULL, "x.csv", options, &data), NONSENS_ERR_USAGE);
    assert_int_equal(nonsens_data_read(ctx, NULL, options, &data), NONSENS_ERR_USAGE);
    assert_int_equal(nonsens_data_read(ctx, "x.csv", NULL, &data), NONSENS_ERR_USAGE);
    assert_int_equal(nonsens_data_read(ctx, "x.csv", options, NULL), NONSENS_ERR_USAGE);
    assert_int_equal(nonsens_options_set(ctx, options, NULL, "1"), NONSENS_ERR_USAGE);
    assert_int_equal(nonsens_options_set(ctx, options, "seed", NULL), NONSENS_ERR_USAGE);
    assert_int_equal(nonsens_output_check(ctx, NULL), NONSENS_ERR_USAGE);
    assert_int_equal(nonsens_reproduce(ctx, NULL, "bivariate", "-"), NONSENS_ERR_USAGE);
    assert_non_null(strstr(nonsens_message(NULL), "NULL"));
    nonsens_cancel(NULL);
    nonsens_options_free(options);
    nonsens_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_null_arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
