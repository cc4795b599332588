/* test_json.c - JSON: values, what is read and refused, what is written; also when memory runs out. */
#include "base/number.h"
#include "base/rng.h"
#include "json/json.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "fixtures/json_texts.h"

static void check_written(const json_value *value, enum json_layout layout, const char *expected)
{
    char *text = json_text(value, layout, JSON_EXACT_DIGITS);
    assert_non_null(text);
    assert_string_equal(text, expected);
    memory_release(text);
}

static json_value *parse(fixture *f, const char *text)
{
    json_value *value;
    assert_int_equal(json_parse(f->ctx, text, strlen(text), true, NULL, &value), NONSENS_OK);
    return value;
}

/* ---- reading ---- */

/* Python's json module is the reference. */
static void test_texts(void **state)
{
    fixture *f = *state;
    for (size_t k = 0; k < sizeof TEXT / sizeof *TEXT; k++) {
        for (int unique = 0; unique <= 1; unique++) {
            json_value *value;
            json_error error = {0};
            nonsens_status status = json_parse(f->ctx, TEXT[k].text, TEXT[k].size, unique, &error, &value);
            bool good = TEXT[k].written && !(unique && TEXT[k].twice);
            if (good != (status == NONSENS_OK) || (!good && !(error.what && error.line > 0 && error.column > 0))) {
                fail_msg("text %zu, %s: status %d, %s", k, TEXT[k].text, (int)status, error.what);
            }
            if (good) {
                check_written(value, JSON_COMPACT, TEXT[k].written);
            }
            json_decref(value);
        }
    }
}

/* An array or object that is cut off anywhere is refused. */
static void test_beginnings(void **state)
{
    fixture *f = *state;
    static const char text[] = "{\"a\\u00e9\": [1, -2.5e3, \"b\\\"\", true, {\"c\": null}], \"\xc3\xa9\": []}";
    json_value *value;
    for (size_t size = 0; size < sizeof text - 1; size++) {
        assert_int_equal(json_parse(f->ctx, text, size, false, NULL, &value), NONSENS_ERR_DATA);
        assert_null(value);
    }
    json_decref(parse(f, text));
}

static void test_depth(void **state)
{
    fixture *f = *state;
    enum { LIMIT = 2048 };
    static char text[2 * LIMIT + 3];
    json_value *value;
    for (size_t depth = LIMIT; depth <= LIMIT + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        nonsens_status status = json_parse(f->ctx, text, 2 * depth, false, NULL, &value);
        assert_int_equal(status, depth == LIMIT ? NONSENS_OK : NONSENS_ERR_DATA);
        if (value) {
            check_written(value, JSON_COMPACT, text);
        }
        json_decref(value);
    }
}

static void test_places(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *text, *wrong;
        int line, column;
    } bad[] = {{"{\n \"a\": 1,\n}", "a key is missing", 3, 1},
               {"[1, 2", "',' or ']' is missing", 1, 6},
               {"{\"a\" 1}", "':' is missing", 1, 6},
               {"[1]\n x", "something follows the end", 2, 2},
               {"[\n\n  tru]", "a value is missing", 3, 3},
               {"[\"a\",\n\"b\\x\"]", "invalid escape sequence in a string", 2, 3},
               {"{\"a\": 1,\n \"a\": 2}", "a key is there twice", 2, 5}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        json_error error;
        json_value *value;
        assert_int_equal(json_parse(f->ctx, bad[k].text, strlen(bad[k].text), true, &error, &value), NONSENS_ERR_DATA);
        assert_null(value);
        assert_string_equal(error.what, bad[k].wrong);
        assert_int_equal(error.line, bad[k].line);
        assert_int_equal(error.column, bad[k].column);
    }
}

/* ---- values ---- */

static void test_kinds(void **state)
{
    (void)state;
    json_value *value[] = {NULL,           json_null(),      json_boolean(true), json_integer(-7),
                           json_real(2.5), json_string("t"), json_array(),       json_object()};
    static const unsigned type[] = {JSON_MISSING, JSON_NULL,   JSON_BOOLEAN, JSON_INTEGER,
                                    JSON_REAL,    JSON_STRING, JSON_ARRAY,   JSON_OBJECT};
    enum { KINDS = sizeof type / sizeof *type };
    for (size_t i = 0; i < KINDS; i++) {
        for (size_t k = 0; k < KINDS; k++) {
            assert_int_equal(json_is(value[i], type[k]), i == k);
            assert_int_equal(json_equal(value[i], value[k]), i == k && i > 0);
        }
        assert_true((json_string_value(value[i]) != NULL) == (type[i] == JSON_STRING));
        assert_int_equal(json_integer_value(value[i]), type[i] == JSON_INTEGER ? -7 : 0);
        assert_true(json_number_value(value[i]) == (type[i] == JSON_INTEGER ? -7.0 : type[i] == JSON_REAL ? 2.5 : 0.0));
        assert_int_equal(json_is_complete(value[i]), i > 0);
    }
    for (size_t i = 0; i < KINDS; i++) {
        json_decref(value[i]);
    }
    assert_false(json_boolean(false) == json_boolean(true) || json_equal(json_boolean(true), json_boolean(false)));
}

/* Values that JSON cannot hold. */
static void test_refused(void **state)
{
    (void)state;
    assert_true(!json_string(NULL) && !json_string("a\xff"));
    assert_true(json_real(NAN) == json_null() && json_real(-INFINITY) == json_null());
    json_value *object = json_object();
    assert_false(json_object_set(object, "\xc3", json_integer(1)));
    assert_false(json_is_complete(object));
    json_decref(object);
}

static void test_equal(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *a, *b;
        bool equal;
    } pair[] = {{"{\"a\":1,\"b\":[2]}", "{\"b\":[2],\"a\":1}", true},
                {"{\"a\":1}", "{\"a\":1,\"b\":2}", false},
                {"{\"a\":1,\"b\":2}", "{\"a\":1}", false},
                {"{\"a\":1}", "{\"b\":1}", false},
                {"[1,2]", "[2,1]", false},
                {"[1]", "[1.0]", false},
                {"[0.0]", "[-0.0]", true},
                {"[\"a\"]", "[\"ab\"]", false},
                {"[]", "{}", false},
                {"[null]", "[false]", false},
                {"[9007199254740993]", "[9007199254740992]", false}};
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
        json_value *a = parse(f, pair[k].a), *b = parse(f, pair[k].b);
        assert_int_equal(json_equal(a, b), pair[k].equal);
        json_decref(a);
        json_decref(b);
    }
}

static void test_members(void **state)
{
    (void)state;
    int64_t held = memory_held();
    json_value *inner = json_array_of(2, json_integer(1), json_string("x"));
    json_value *object = json_object_of("b", inner, "a", json_real(0.5), "b", json_incref(inner), NULL);
    const char *key = NULL;
    assert_int_equal(json_object_size(object), 2);
    assert_ptr_equal(json_at(object, 0, &key), inner);
    assert_string_equal(key, "b");
    assert_ptr_equal(json_at(inner, 1, &key), json_array_get(inner, 1));
    assert_null(key);
    assert_true(!json_at(object, 2, &key) && !json_array_get(inner, 2) && !json_array_get(object, 0));
    assert_true(json_has(object, "b", JSON_ARRAY) && json_has(object, "c", JSON_STRING | JSON_MISSING));
    assert_true(json_get_number(object, "a") == 0.5 && isnan(json_get_number(object, "b")));
    assert_true(json_get_integer(object, "a", 3) == 3 && !json_get_string(object, "a"));
    json_value *kept = json_incref(json_array_get(inner, 1));
    json_decref(object);
    assert_string_equal(json_string_value(kept), "x");
    json_decref(kept);
    assert_int_equal(memory_held(), held);
}

/* Takes time proportional to the number of keys, even if each key comes twice. */
static void test_many_members(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    char key[24];
    const char *there;
    json_value *object = json_object();
    for (int64_t i = 0; i < 2 * COUNT; i++) {
        snprintf(key, sizeof key, "k%d", (int)(i * 7919 % COUNT));
        assert_true(json_object_set(object, key, json_integer(i)));
    }
    assert_int_equal(json_object_size(object), COUNT);
    for (int64_t i = 0; i < COUNT; i++) {
        snprintf(key, sizeof key, "k%d", (int)(i * 7919 % COUNT));
        assert_int_equal(json_integer_value(json_at(object, (size_t)i, &there)), COUNT + i);
        assert_string_equal(there, key);
        assert_int_equal(json_get_integer(object, key, -1), COUNT + i);
    }
    assert_null(json_object_get(object, "k"));
    json_decref(object);
}

/* A lost part is never ignored, however deep it is. */
static void test_incomplete(void **state)
{
    (void)state;
    int64_t held = memory_held();
    json_value *inner = json_array(), *object = json_object_of("list", json_array_of(1, inner), NULL);
    assert_true(json_is_complete(object));
    assert_false(json_array_append(inner, NULL));
    assert_false(json_is_complete(object));
    assert_null(json_text(object, JSON_COMPACT, JSON_EXACT_DIGITS));
    json_decref(object);
    assert_false(json_array_append(NULL, json_integer(1)));
    assert_false(json_object_set(json_null(), "a", json_integer(1)));
    assert_true(json_is_complete(json_null()));
    assert_null(json_text(NULL, JSON_COMPACT, JSON_EXACT_DIGITS));
    assert_int_equal(memory_held(), held);
}

/* ---- writing ---- */

/* Cases by hand, after RFC 8259; Python's json.dumps writes the same, except for the case of hexadecimal digits. */
static void test_layouts(void **state)
{
    (void)state;
    json_value *value = json_object_of(
        "a\"", json_array_of(2, json_integer(1), json_string("\\/\b\f\n\r\t\x01\x1f\x7f")), "none", json_array(), "o",
        json_object_of("\xc3\xa9", json_string("\xe2\x80\xa8\xf0\x9f\x98\x80"), "n", json_null(), NULL), "e",
        json_object(), NULL);
    check_written(value, JSON_COMPACT,
                  "{\"a\\\"\":[1,\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001F\x7f\"],\"none\":[],\"o\":{\"\xc3\xa9\":"
                  "\"\xe2\x80\xa8\xf0\x9f\x98\x80\",\"n\":null},\"e\":{}}");
    check_written(value, JSON_ASCII,
                  "{\"a\\\"\":[1,\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001F\x7f\"],\"none\":[],\"o\":{\"\\u00E9\":"
                  "\"\\u2028\\uD83D\\uDE00\",\"n\":null},\"e\":{}}");
    check_written(value, JSON_SPACED,
                  "{\"a\\\"\": [1, \"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001F\x7f\"], \"none\": [], \"o\": {\"\xc3\xa9\": "
                  "\"\xe2\x80\xa8\xf0\x9f\x98\x80\", \"n\": null}, \"e\": {}}");
    check_written(value, JSON_INDENTED,
                  "{\n  \"a\\\"\": [\n    1,\n    \"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001F\x7f\"\n  ],\n  \"none\": [],\n"
                  "  \"o\": {\n    \"\xc3\xa9\": \"\xe2\x80\xa8\xf0\x9f\x98\x80\",\n    \"n\": null\n  },\n"
                  "  \"e\": {}\n}");
    json_decref(value);
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        int digits;
        const char *text;
    } real[] = {{0.1, 17, "0.10000000000000001"},
                {0.1, 15, "0.1"},
                {1e300, 17, "1.0000000000000001e300"},
                {1e300, 15, "1e300"},
                {-0.0, 17, "-0.0"},
                {3.0, 17, "3.0"},
                {1e-5, 15, "1e-5"},
                {1e-310, 15, "9.99999999999997e-311"},
                {1e15, 15, "1e15"},
                {1e14, 15, "100000000000000.0"},
                {123456.5, 3, "1.23e5"},
                {DBL_MAX, 17, "1.7976931348623157e308"}};
    json_value *value = json_array_of(3, json_integer(INT64_MIN), json_integer(INT64_MAX), json_integer(0));
    check_written(value, JSON_COMPACT, "[-9223372036854775808,9223372036854775807,0]");
    json_decref(value);
    for (size_t k = 0; k < sizeof real / sizeof *real; k++) {
        value = json_real(real[k].value);
        char *text = json_text(value, JSON_COMPACT, real[k].digits);
        assert_string_equal(text, real[k].text);
        memory_release(text);
        json_decref(value);
    }
}

/* Doubles of all sizes read back with the same bits. */
static void test_round_trip(void **state)
{
    fixture *f = *state;
    enum { COUNT = 20000 };
    rng r = rng_new(1, RNG_SIMULATE_NOISE, 0);
    json_value *list = json_array();
    for (int k = 0; k < COUNT; k++) {
        double size = ldexp(rng_uniform(&r) - 0.5, (int)(2090.0 * rng_uniform(&r)) - 1070);
        json_array_append(list, json_real(isfinite(size) ? size : 1.0));
    }
    char *text = json_text(list, JSON_COMPACT, JSON_EXACT_DIGITS);
    assert_non_null(text);
    json_value *again = parse(f, text);
    assert_true(json_equal(list, again));
    memory_release(text);
    json_decref(again);
    json_decref(list);
}

/* ---- memory ---- */

static nonsens_status read_and_write(nonsens_context *ctx, arena *a, void *state)
{
    (void)a;
    const char *text = state;
    json_value *value;
    TRY(json_parse(ctx, text, strlen(text), true, NULL, &value));
    json_value *whole = json_object_of("x", json_array_of(2, value, json_real(1.0)), "y", json_string("b"), NULL);
    char *written = json_text(whole, JSON_INDENTED, JSON_EXACT_DIGITS);
    nonsens_status status = written ? NONSENS_OK : fail_memory(ctx);
    memory_release(written);
    json_decref(whole);
    return status;
}

static void test_every_allocation(void **state)
{
    fixture *f = *state;
    static char text[] =
        "{\"a\":[1,2.5,\"\\u00e9\",{}],\"b\":{\"c\":[[]],\"d\":\"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
        "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee\",\"f\":1,\"g\":1,\"h\":1,\"i\":1}}";
    int64_t held = memory_held();
    assert_true(fail_every_allocation(f, read_and_write, text) > 30);
    assert_int_equal(memory_held(), held);
}

/* Doubles come back bit for bit, even those that JSON has no number for; any other text is refused. */
static void test_packed(void **state)
{
    (void)state;
    const double values[] = {0.1, -0.0, NAN, -INFINITY, 5e-324, 1.7976931348623157e308, 3.0};
    enum { COUNT = sizeof values / sizeof *values };
    for (int64_t count = 0; count <= COUNT; count++) {
        double back[COUNT + 1];
        json_value *packed = json_packed(values, count);
        assert_true(json_unpack(packed, count, back));
        assert_memory_equal(back, values, (size_t)count * sizeof *values);
        assert_false(json_unpack(packed, count + 1, back));
        json_decref(packed);
    }
    static const char *const wrong[] = {"AAAAAAAAAAA", "AAAAAAAAAAAA", "AAAAAAAAAA=A", "AAAAAAAAAAA-", "============"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        double back;
        json_value *text = json_string(wrong[k]);
        assert_false(json_unpack(text, 1, &back));
        json_decref(text);
    }
    assert_false(json_unpack(NULL, 0, NULL));
}

/* The memory of values that are read counts towards the limit of the context. */
static void test_limit(void **state)
{
    fixture *f = *state;
    enum { COUNT = 20000 };
    static char text[2 * COUNT + 2];
    int64_t held = memory_held();
    json_value *value;
    text[0] = '[';
    for (size_t k = 0; k < COUNT; k++) {
        memcpy(text + 1 + 2 * k, k + 1 < COUNT ? "7," : "7]", 2);
    }
    assert_int_equal(json_parse(f->ctx, text, sizeof text - 1, true, NULL, &value), NONSENS_OK);
    json_decref(value);
    f->ctx->max_memory = memory_bytes() + 100000;
    assert_int_equal(json_parse(f->ctx, text, sizeof text - 1, true, NULL, &value), NONSENS_ERR_MEMORY);
    f->ctx->max_memory = 0;
    assert_null(value);
    assert_int_equal(memory_held(), held);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_texts),        TEST(test_beginnings),       TEST(test_depth),   TEST(test_places),
        TEST(test_kinds),        TEST(test_refused),          TEST(test_equal),   TEST(test_members),
        TEST(test_many_members), TEST(test_incomplete),       TEST(test_layouts), TEST(test_numbers),
        TEST(test_round_trip),   TEST(test_every_allocation), TEST(test_limit),   TEST(test_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
