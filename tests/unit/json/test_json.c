/* test_json.c - JSON as the JSON library reads it: what is taken, what is refused, and where; and without memory. */
#include "base/memory.h"
#include "base/rng.h"
#include "json/json_text.h"

#include <string.h>

#include "fixture.h"

static json_t *parse(const char *text, size_t size, size_t flags)
{
    bool no_memory = true;
    json_error_t error;
    json_t *value = json_parse(text, size, flags, &error, &no_memory);
    assert_false(no_memory);
    assert_true(value || (error.text[0] && error.line > 0 && error.column > 0));
    return value;
}

/* The library's own reader is the oracle. */
static void check_same(const char *text, size_t size, size_t flags)
{
    json_error_t error;
    json_t *ours = parse(text, size, flags), *theirs = json_loadb(text, size, flags, &error);
    if (!ours != !theirs || (ours && !json_equal(ours, theirs))) {
        fail_msg("%.*s: %s by us, %s by the library (%s)", (int)size, text, ours ? "taken" : "refused",
                 theirs ? "taken" : "refused", theirs ? "with another value" : error.text);
    }
    json_decref(ours);
    json_decref(theirs);
}

static const char *const TEXT[] = {"{}",
                                   "[]",
                                   " [ ] ",
                                   "{\"a\":1}",
                                   "{\"a\":1,\"a\":2}",
                                   "[1,2,3]",
                                   "[1,]",
                                   "[,1]",
                                   "{\"a\":}",
                                   "{\"a\"}",
                                   "{a:1}",
                                   "{\"a\":1,}",
                                   "[1 2]",
                                   "{\"a\":1 \"b\":2}",
                                   "1",
                                   "\"a\"",
                                   "null",
                                   "",
                                   " ",
                                   "[",
                                   "{",
                                   "]",
                                   "[]]",
                                   "[] []",
                                   "[true,false,null]",
                                   "[tru]",
                                   "[truex]",
                                   "[nul",
                                   "[0]",
                                   "[-0]",
                                   "[-]",
                                   "[01]",
                                   "[-01]",
                                   "[1.]",
                                   "[.5]",
                                   "[1.5]",
                                   "[1e5]",
                                   "[1E+5]",
                                   "[1e-5]",
                                   "[1e]",
                                   "[1e+]",
                                   "[+1]",
                                   "[0x1]",
                                   "[1.0e400]",
                                   "[-1e400]",
                                   "[1e-400]",
                                   "[5e-324]",
                                   "[9223372036854775807]",
                                   "[-9223372036854775808]",
                                   "[9223372036854775808]",
                                   "[-9223372036854775809]",
                                   "[123456789012345678901234567890]",
                                   "[0.1]",
                                   "[1.7976931348623157e308]",
                                   "[2.2250738585072011e-308]",
                                   "[NaN]",
                                   "[Infinity]",
                                   "[\"\"]",
                                   "[\"a\\\"b\"]",
                                   "[\"\\\\\"]",
                                   "[\"\\/\\b\\f\\n\\r\\t\"]",
                                   "[\"\\u0041\\u00e9\\u20ac\"]",
                                   "[\"\\ud83d\\ude00\"]",
                                   "[\"\\ud83d\"]",
                                   "[\"\\ude00\"]",
                                   "[\"\\ud83dx\"]",
                                   "[\"\\ud83d\\u0041\"]",
                                   "[\"\\ud83d\\ud83d\"]",
                                   "[\"\\u0000\"]",
                                   "[\"\\u12\"]",
                                   "[\"\\u12g4\"]",
                                   "[\"\\uABCD\\uabcd\"]",
                                   "[\"\\x\"]",
                                   "[\"\\",
                                   "[\"\\\"]",
                                   "[\"a",
                                   "[\"a\nb\"]",
                                   "[\"a\tb\"]",
                                   "[\"\x7f\"]",
                                   "[\"\xc3\xa9\"]",
                                   "[\"\xc3\"]",
                                   "[\"\xff\"]",
                                   "[\"\xed\xa0\x80\"]",
                                   "[\"\xc0\x80\"]",
                                   "[\"\xf4\x90\x80\x80\"]",
                                   "\xef\xbb\xbf[]",
                                   "{\"\\u0061\":1,\"a\":2}",
                                   "{\"k\\n\":{\"\\\"\":[\"\\t\"]}}",
                                   "[/*a*/1]",
                                   "[1]x",
                                   "[1]\n\n",
                                   "[1]\f",
                                   "{\"a\":{\"b\":[{\"c\":[[]]}]}}",
                                   "{\"\":\"\"}",
                                   "{1:2}",
                                   "[\"\\ud83d\\ude0\"]",
                                   "[1,\r\n\t2]"};

static void test_texts(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof TEXT / sizeof *TEXT; k++) {
        for (size_t size = 0; size <= strlen(TEXT[k]); size++) {
            check_same(TEXT[k], size, 0);
            check_same(TEXT[k], size, JSON_REJECT_DUPLICATES);
        }
    }
}

/* Every text with bytes changed, left out and put in. */
static void test_changed_texts(void **state)
{
    (void)state;
    enum { ROUNDS = 400, LIMIT = 256 };
    static const char some[] = "{}[]\",:\\u0019eE+-. \n\x01\xc3\xa9\xff"
                               "dtrufalsn";
    rng r = rng_new(1, RNG_SIMULATE_NOISE, 0);
    for (size_t k = 0; k < sizeof TEXT / sizeof *TEXT; k++) {
        for (int round = 0; round < ROUNDS; round++) {
            char text[LIMIT];
            size_t size = strlen(TEXT[k]);
            memcpy(text, TEXT[k], size);
            for (int change = 0; change <= round % 3 && size > 0 && size + 1 < LIMIT; change++) {
                size_t at = (size_t)(rng_uniform(&r) * (double)size);
                char byte = some[(size_t)(rng_uniform(&r) * (double)(sizeof some - 1))];
                switch ((int)(3.0 * rng_uniform(&r))) {
                case 0:
                    text[at] = byte;
                    break;
                case 1:
                    memmove(text + at, text + at + 1, --size - at);
                    break;
                default:
                    memmove(text + at + 1, text + at, size++ - at);
                    text[at] = byte;
                }
            }
            check_same(text, size, round % 2 ? JSON_REJECT_DUPLICATES : 0);
        }
    }
}

static void test_depth(void **state)
{
    (void)state;
    enum { LIMIT = 2048 };
    static char text[2 * LIMIT + 2];
    for (int depth = LIMIT; depth <= LIMIT + 1; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        check_same(text, 2 * (size_t)depth, 0);
    }
}

static void test_places(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wrong;
        int line, column;
    } bad[] = {{"{\n \"a\": 1,\n}", "a key is missing", 3, 1},
               {"[1, 2", "',' or ']' is missing", 1, 6},
               {"{\"a\" 1}", "':' is missing", 1, 6},
               {"[1]\n x", "something follows the end", 2, 2},
               {"[\n\n  tru]", "a value is missing", 3, 3}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        json_error_t error;
        bool no_memory;
        assert_null(json_parse(bad[k].text, strlen(bad[k].text), 0, &error, &no_memory));
        assert_string_equal(error.text, bad[k].wrong);
        assert_int_equal(error.line, bad[k].line);
        assert_int_equal(error.column, bad[k].column);
    }
}

/* What another library takes is seen before it is taken. */
static void test_memory(void **state)
{
    (void)state;
    static const char text[] = "{\"a\":[1,2,{}],\"b\":\"c\"}";
    assert_true(json_memory(text, sizeof text - 1) > 500 && json_memory(text, sizeof text - 1) < 2000);
    assert_true(json_memory("[]", 2) < json_memory("[{}]", 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),  cmocka_unit_test(test_changed_texts), cmocka_unit_test(test_depth),
        cmocka_unit_test(test_places), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
