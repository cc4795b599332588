/* test_assignment.c - values given to variables as text: what is read, and the message for each wrong text. */
#include "options/assignment.h"

#include <string.h>

#include "fixture.h"

static void read_all(nonsens_context *ctx, arena *a, const char *text, assignment_list *out)
{
    if (assignment_read(ctx, a, "do", text, out) != NONSENS_OK) {
        fail_msg("%s: %s", text, nonsens_context_message(ctx));
    }
}

static void test_values_and_grids(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    SCOPED_ARENA(a);
    assignment_list list;
    read_all(ctx, &a, "temp=30, speed = 20:40:5 ,a=b=-1e-3", &list);
    assert_int_equal(list.count, 3);
    assert_string_equal(list.item[0].name, "temp");
    assert_true(!list.item[0].is_grid && list.item[0].count == 1 && list.item[0].value[0] == 30.0);
    assert_string_equal(list.item[1].name, "speed");
    assert_true(list.item[1].is_grid);
    assert_int_equal(list.item[1].count, 5);
    for (int i = 0; i < 5; i++) {
        assert_true(list.item[1].value[i] == 20.0 + 5.0 * i);
    }
    assert_string_equal(list.item[2].name, "a=b"); // the last "=" counts
    assert_true(list.item[2].value[0] == -1e-3);
    read_all(ctx, &a, "", &list);
    assert_int_equal(list.count, 0);
}

/* Rounding does not lose the last value of a grid, and no value exceeds its end. */
static void test_ends_of_grids(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    SCOPED_ARENA(a);
    assignment_list list;
    read_all(ctx, &a, "x=0:1:0.1,y=0:1:0.3,z=2:2:1", &list);
    assert_int_equal(list.item[0].count, 11);
    assert_true(list.item[0].value[10] <= 1.0 && list.item[0].value[10] > 1.0 - 1e-9);
    assert_int_equal(list.item[1].count, 4);
    assert_int_equal(list.item[2].count, 1);
}

static void test_messages(void **state)
{
    nonsens_context *ctx = ((fixture *)*state)->ctx;
    SCOPED_ARENA(a);
    assignment_list list;
    const struct {
        const char *text, *part;
    } wrong[] = {
        {"x", "\"x\" does not name a variable and its value"},
        {"=3", "\"=3\" does not name a variable"},
        {"x=1,,y=2", "\"\" does not name a variable"},
        {"x=", "\"\" is not a number"},
        {"x=3a", "\"3a\" is not a number"},
        {"x=inf", "\"inf\" is not a number"},
        {"x=nan", "\"nan\" is not a number"},
        {"x=1:2", "\"1:2\" is neither a number nor a grid"},
        {"x=1:2:3:4", "\"1:2:3:4\" is neither"},
        {"x=1:z:1", "\"z\" is not a number"},
        {"x=2:1:1", "the grid \"2:1:1\" has no values"},
        {"x=1:2:0", "the grid \"1:2:0\" has no values"},
        {"x=0:1:1e-9", "has more than 10000 values"},
        {"x=-1e308:1e308:1", "has more than 10000 values"},
        {"x=1,x=2", "gives \"x\" two values"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(assignment_read(ctx, &a, "do", wrong[i].text, &list), NONSENS_ERR_USAGE);
        const char *message = nonsens_context_message(ctx);
        if (!strstr(message, wrong[i].part) || strncmp(message, "--do", 4) != 0) {
            fail_msg("%s: %s", wrong[i].text, message);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_values_and_grids),
        TEST(test_ends_of_grids),
        TEST(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
