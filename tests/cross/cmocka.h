/*
 * cmocka.h - the little of cmocka that unit/test_kernel.c uses, where the library is not there (tools/cross_test).
 *
 * The first failure ends the program.
 */
#ifndef CROSS_CMOCKA_H
#define CROSS_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
    int (*set_up)(void **state), (*tear_down)(void **state);
};

#define cmocka_unit_test_setup_teardown(run, set_up, tear_down) ((struct CMUnitTest){#run, run, set_up, tear_down})

#define cmocka_set_test_filter(pattern) ((void)(pattern)) /* all tests run */

#define print_message(...) ((void)printf(__VA_ARGS__))
#define fail_msg(...) (printf("%s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), puts(""), exit(EXIT_FAILURE))

#define assert_true(c) ((c) ? (void)0 : fail_msg("not so: %s", #c))
#define assert_non_null(p) assert_true((p) != NULL)
#define assert_int_equal(a, b) assert_true((a) == (b))
#define assert_int_not_equal(a, b) assert_true((a) != (b))

#define cmocka_run_group_tests_name(name, tests, set_up, tear_down) \
    run_tests(name, tests, (int)(sizeof(tests) / sizeof *(tests)))

static inline int run_tests(const char *group, const struct CMUnitTest *test, int count)
{
    for (int i = 0; i < count; i++) {
        void *state = NULL;
        printf("%s: %s\n", group, test[i].name);
        (void)fflush(stdout); // a signal may end the test
        assert_int_equal(test[i].set_up(&state), 0);
        test[i].run(&state);
        assert_int_equal(test[i].tear_down(&state), 0);
    }
    printf("%s: %d tests passed\n", group, count);
    return EXIT_SUCCESS;
}

#endif
