/* test_npy.c - arrays as NumPy saves them: every type, order and version, refused headers, failing allocations. */
#include "fixtures/table_npy.h"
#include "unit/table_fixture.h"

static const table_options plain = {0};

static double npy_expected(char kind, int64_t index)
{
    double value = (double)index - 2.0;
    return kind == 'f' ? 0.5 * value : kind == 'u' ? fabs(value) : value;
}

static void test_npy_types(void **state)
{
    fixture *f = *state;
    for (size_t k = 0; k < sizeof npy_cases / sizeof npy_cases[0]; k++) {
        const char *bytes = (const char *)npy_cases[k].bytes;
        size_t size = (size_t)npy_cases[k].size;
        assert_int_equal(parse_bytes(f, "a.npy", bytes, size, plain), NONSENS_OK);
        assert_int_equal(f->t.rows, npy_cases[k].rows);
        assert_int_equal(f->t.cols, npy_cases[k].cols);
        assert_null(f->t.line);
        for (int64_t j = 0; j < f->t.cols; j++) {
            double expected[8];
            for (int64_t i = 0; i < f->t.rows; i++) {
                expected[i] = npy_expected(npy_cases[k].kind, i * f->t.cols + j);
            }
            check_column(f, j, j == 0 ? "c1" : "c2", npy_cases[k].rows, expected);
        }
        for (size_t cut = 0; cut < size; cut++) {
            assert_int_equal(parse_bytes(f, "a.npy", bytes, cut, plain), NONSENS_ERR_DATA);
        }
    }
}

/* Makes a file: magic bytes, version 1.0, the given dictionary, data. */
static size_t make_npy(char *out, const char *dictionary, const void *data, size_t data_size)
{
    size_t length = strlen(dictionary);
    memcpy(out, "\x93NUMPY\x01\x00", 8);
    out[8] = (char)(length % 256);
    out[9] = (char)(length / 256);
    memcpy(out + 10, dictionary, length);
    memcpy(out + 10 + length, data, data_size);
    return 10 + length + data_size;
}

static void check_npy(fixture *f, const char *dictionary, const char *message)
{
    char bytes[512];
    static const double values[4] = {1.0, 2.0, 3.0, 4.0};
    size_t size = make_npy(bytes, dictionary, values, sizeof values);
    nonsens_status status = parse_bytes(f, "a.npy", bytes, size, plain);
    if (message) {
        check_message(f, status, NONSENS_ERR_DATA, message);
        assert_non_null(strstr(nonsens_context_message(f->ctx), "a.npy: "));
    } else {
        assert_int_equal(status, NONSENS_OK);
        check_column(f, 1, "c2", 2, (double[]){2.0, 4.0});
    }
}

static void test_npy_wanted_columns(void **state)
{
    fixture *f = *state;
    char bytes[512];
    static const char *const wanted[] = {"c2"};
    static const double values[4] = {INFINITY, 2.0, 3.0, 4.0};
    size_t size =
        make_npy(bytes, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }\n", values, sizeof values);
    check_message(f, parse_bytes(f, "a.npy", bytes, size, plain), NONSENS_ERR_DATA, "is infinite");
    table_options options = {.wanted = wanted, .wanted_count = 1};
    assert_int_equal(parse_bytes(f, "a.npy", bytes, size, options), NONSENS_OK);
    assert_true(f->t.column[0].mixed && f->t.column[0].kind == COLUMN_TEXT);
    check_column(f, 1, "c2", 2, (double[]){2.0, 4.0});
}

static void test_npy_header(void **state)
{
    fixture *f = *state;
    check_npy(f, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }   \n", NULL);
    check_npy(f, "{\"shape\":(2,2,),\"fortran_order\":False,\"descr\":\"<f8\"}", NULL);
    check_npy(f, "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }\n", "claims 3 x 2");
    check_npy(f, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }\n", "16 bytes more");
    check_npy(f, "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }\n", "claims");
    check_npy(f, "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 4), }\n", "shape");
    check_npy(f, "{'descr': '<f8', 'fortran_order': False, 'shape': (-2, -2), }\n", "shape");
    check_npy(f, "{'descr': '<f8', 'fortran_order': False, 'shape': (4), }\n", "shape");
    check_npy(f, "{'descr': '<f8', 'fortran_order': False, 'shape': (2 2), }\n", "shape");
    check_npy(f, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n", "no dimensions");
    check_npy(f, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 1), }\n", "more than two dimensions");
    check_npy(f, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2), }\n", "no elements");
    check_npy(f, "{'descr': '<f8', 'fortran_order': 0, 'shape': (2, 2), }\n", "fortran_order");
    check_npy(f, "{'descr': '<c16', 'fortran_order': False, 'shape': (2, 1), }\n", "type \"<c16\"");
    check_npy(f, "{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }\n", "type \"|O\"");
    check_npy(f, "{'descr': '|f8', 'fortran_order': False, 'shape': (2, 2), }\n", "type \"|f8\"");
    check_npy(f, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (4,), }\n", "no plain type");
    check_npy(f, "{'descr': '<f8', 'shape': (2, 2), }\n", "lacks");
    check_npy(f, "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }\n", "repeated key");
    check_npy(f, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), 'x': 1}\n", "unknown");
    check_npy(f, "{'descr': '<f8' 'fortran_order': False, 'shape': (2, 2)}\n", "malformed");
    check_npy(f, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)} x\n", "behind the dictionary");
    check_npy(f, "'descr'", "not a dictionary");
    check_npy(f, "", "not a dictionary");
    check_message(f, parse_bytes(f, "a.npy", "a,b\n1,2\n", 8, plain), NONSENS_ERR_DATA, "not a .npy file");
    char wrong[256];
    size_t size = make_npy(wrong, "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1)}", "12345678", 8);
    assert_int_equal(parse_bytes(f, "-", wrong, size, plain), NONSENS_OK); /* recognised by its magic bytes */
    wrong[6] = 4;
    check_message(f, parse_bytes(f, "a.npy", wrong, size, plain), NONSENS_ERR_DATA, "version 4.0");
}

static void test_npy_values(void **state)
{
    fixture *f = *state;
    char bytes[512];
    const char *dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }\n";
    double values[6] = {1.0, NAN, 0.1, NAN, -0.0, NAN};
    size_t size = make_npy(bytes, dictionary, values, sizeof values);
    assert_int_equal(parse_bytes(f, "a.npy", bytes, size, plain), NONSENS_OK);
    check_column(f, 0, "c1", 3, (double[]){1.0, 0.1, 0.0});
    assert_int_equal(f->t.column[1].kind, COLUMN_TEXT);
    assert_null(f->t.column[1].value);
    assert_int_equal(f->t.column[1].missing, 3);
    assert_int_equal(f->t.column[1].first_missing, 0);
    assert_int_equal(parse_bytes(f, "a.npy", bytes, size, (table_options){.label = "c1"}), NONSENS_OK);
    assert_string_equal(f->t.column[0].labels[1], "0.1");
    assert_string_equal(f->t.column[0].labels[2], "0");
    assert_int_equal(parse_bytes(f, "a.npy", bytes, size, (table_options){.label = "#2"}), NONSENS_OK);
    assert_int_equal(f->t.column[1].category[2], -1);
    assert_int_equal(parse_bytes(f, "a.npy", bytes, size, (table_options){.label = "x"}), NONSENS_ERR_DATA);
    values[3] = -INFINITY;
    size = make_npy(bytes, dictionary, values, sizeof values);
    const char *message = "a.npy: row 2, column 2 (both from 1) is infinite";
    check_message(f, parse_bytes(f, "a.npy", bytes, size, plain), NONSENS_ERR_DATA, message);
    check_message(f, parse_bytes(f, "a.npy", bytes, size, (table_options){.label = "c2"}), NONSENS_ERR_DATA, message);
}

/* Integer labels beyond 2^53 differ even if their doubles are equal; float32 labels print with their own precision. */
static void test_npy_exact_labels(void **state)
{
    fixture *f = *state;
    char bytes[512];
    const int64_t values[3] = {INT64_C(9007199254740993), INT64_C(9007199254740992), -7};
    size_t size = make_npy(bytes, "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }\n", values, sizeof values);
    assert_int_equal(parse_bytes(f, "a.npy", bytes, size, (table_options){.label = "c1"}), NONSENS_OK);
    assert_int_equal(f->t.column[0].label_count, 3);
    assert_string_equal(f->t.column[0].labels[0], "9007199254740993");
    assert_string_equal(f->t.column[0].labels[2], "-7");
    const float singles[3] = {0.1f, 0.1f, 16777216.0f};
    size = make_npy(bytes, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n", singles, sizeof singles);
    assert_int_equal(parse_bytes(f, "a.npy", bytes, size, (table_options){.label = "c1"}), NONSENS_OK);
    assert_int_equal(f->t.column[0].label_count, 2);
    assert_string_equal(f->t.column[0].labels[0], "0.1");
    assert_string_equal(f->t.column[0].labels[1], "16777216");
}

static nonsens_status read_array(fixture *f)
{
    static char bytes[200000];
    static double values[6000];
    for (int i = 0; i < 6000; i++) {
        values[i] = i;
    }
    const char *dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (3000, 2), }\n";
    size_t size = make_npy(bytes, dictionary, values, sizeof values);
    return parse_bytes(f, "a.npy", bytes, size, (table_options){.label = "c2"});
}

static void test_npy_no_memory(void **state)
{
    fixture *f = *state;
    assert_true(fail_each_allocation(f, read_array) >= 5);
    assert_int_equal(f->t.column[1].label_count, 3000);
}

static void test_npy_mutations(void **state)
{
    enum { TRIES = 6000 };
    fixture *f = *state;
    rng r = rng_new(7, RNG_TEST, 7);
    int good = 0;
    for (int i = 0; i < TRIES; i++) {
        size_t k = rng_below(&r, sizeof npy_cases / sizeof npy_cases[0]);
        mutate_one(f, &r, "m.npy", (const char *)npy_cases[k].bytes, (size_t)npy_cases[k].size, &good);
    }
    assert_in_range(good, 1, TRIES - 1); /* some stay readable, others do not */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_npy_types),        TEST(test_npy_header),    TEST(test_npy_wanted_columns), TEST(test_npy_values),
        TEST(test_npy_exact_labels), TEST(test_npy_no_memory), TEST(test_npy_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
