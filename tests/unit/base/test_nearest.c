/* test_nearest.c - which known word was probably meant. */
#include "base/nearest.h"

#include <nonsens/nonsens.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *const words[] = {"segment", "height", "width2", "x1", "x2", "pc-nonsens", NULL};

static void expect(const char *word, const char *meant)
{
    const char *found = nearest_word(word, words);
    if (meant) {
        assert_non_null(found);
        assert_string_equal(found, meant);
    } else {
        assert_null(found);
    }
}

static void test_meant(void **state)
{
    (void)state;
    expect("segment", "segment");
    expect("segmnt", "segment");
    expect("segmetn", "segment");
    expect("heigth", "height");
    expect("wdith2", "width2");
    expect("1x", "x1");      // neighbouring letters swapped
    expect("wid", "width2"); // a part of it
    expect("nonsens", "pc-nonsens");
    expect("x11", "x1"); // one edit from x1, two from x2
}

static void test_none(void **state)
{
    (void)state;
    expect("x3", NULL); // as close to x1 as to x2
    expect("h", NULL);
    expect("s", NULL);
    expect("", NULL);
    expect("depth", NULL);
    expect("a word that is very much longer than forty characters", NULL);
}

/* If two words contain the text, neither is suggested, in any order; a word that is too far away does not matter. */
static void test_parts(void **state)
{
    static const char *const days[] = {"monday", "tuesday", NULL}, *const parts[] = {"segment", "bag", NULL},
                             *const both[] = {"bag", "segment", "sex", NULL};
    (void)state;
    assert_null(nearest_word("day", days));
    assert_string_equal(nearest_word("mon", days), "monday");
    assert_string_equal(nearest_word("seg", parts), "segment");
    assert_string_equal(nearest_word("seg", both), "sex"); // one letter
}

static void test_hint(void **state)
{
    char hint[HINT_BYTES];
    (void)state;
    nearest n = nearest_to("heigth");
    assert_string_equal(nearest_hint(&n, hint), "");
    nearest_offer(&n, "height");
    assert_string_equal(nearest_hint(&n, hint), ". Did you mean \"height\"?");
    nearest_offer(&n, "height"); // the same word offered twice is no tie
    assert_string_equal(nearest_hint(&n, hint), ". Did you mean \"height\"?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meant),
        cmocka_unit_test(test_none),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_hint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
