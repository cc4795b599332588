/* test_unpack.c - compressed bytes, UTF-16, and formats that are recognised but not read. */
#include "unpack/unpack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* "a,b\n1,2\n", by gzip and by zstd. */
static const unsigned char gzipped[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03,
                                        0x4b, 0xd4, 0x49, 0xe2, 0x32, 0xd4, 0x31, 0xe2, 0x02, 0x00,
                                        0x7b, 0x07, 0x97, 0x0a, 0x08, 0x00, 0x00, 0x00};
static const unsigned char zstandard[] = {0x28, 0xb5, 0x2f, 0xfd, 0x04, 0x58, 0x41, 0x00, 0x00, 0x61, 0x2c,
                                          0x62, 0x0a, 0x31, 0x2c, 0x32, 0x0a, 0x35, 0xe7, 0xca, 0xce};
static const char table[] = "a,b\n1,2\n";

static nonsens_status unpack(nonsens_context *ctx, const void *bytes, size_t size, unpacked *u)
{
    *u = (unpacked){0};
    return unpack_bytes(ctx, "data.csv", bytes, size, u);
}

static void must_give(const void *bytes, size_t size, const char *expected, const char *compression)
{
    nonsens_context *ctx = nonsens_context_new();
    unpacked u;
    assert_int_equal(unpack(ctx, bytes, size, &u), NONSENS_OK);
    assert_int_equal(u.size, strlen(expected));
    assert_memory_equal(u.bytes, expected, u.size);
    assert_true(compression ? strcmp(u.compression, compression) == 0 : u.compression == NULL);
    unpack_free(&u);
    nonsens_context_free(ctx);
}

static void must_refuse(const void *bytes, size_t size, const char *message)
{
    nonsens_context *ctx = nonsens_context_new();
    unpacked u;
    assert_int_equal(unpack(ctx, bytes, size, &u), NONSENS_ERR_DATA);
    if (!strstr(nonsens_context_message(ctx), message)) {
        print_error("%s\n", nonsens_context_message(ctx));
        fail();
    }
    unpack_free(&u);
    nonsens_context_free(ctx);
}

static void test_compressed(void **state)
{
    unsigned char twice[2 * sizeof gzipped];
    (void)state;
    memcpy(twice, gzipped, sizeof gzipped);
    memcpy(twice + sizeof gzipped, gzipped, sizeof gzipped);
    must_give(table, strlen(table), table, NULL);
#ifdef NONSENS_ZLIB
    must_give(gzipped, sizeof gzipped, table, "gzip");
    must_give(twice, sizeof twice, "a,b\n1,2\na,b\n1,2\n", "gzip");
    for (size_t size = 2; size < sizeof gzipped; size++) {
        must_refuse(gzipped, size, "ends too early");
    }
#else
    must_refuse(gzipped, sizeof gzipped, "no zlib");
#endif
#ifdef NONSENS_ZSTD
    must_give(zstandard, sizeof zstandard, table, "zstd");
    for (size_t size = 4; size < sizeof zstandard; size++) {
        must_refuse(zstandard, size, "ends too early");
    }
#else
    must_refuse(zstandard, sizeof zstandard, "no libzstd");
#endif
}

static void test_utf16(void **state)
{
    (void)state;
    must_give("\xFF\xFE\xE9\x00\x3D\xD8\x00\xDE", 8, "\xC3\xA9\xF0\x9F\x98\x80", NULL);
    must_give("\xFE\xFF\x00\xE9\xD8\x3D\xDE\x00", 8, "\xC3\xA9\xF0\x9F\x98\x80", NULL);
    must_refuse("\xFF\xFE\x00\xD8\x41\x00", 6, "half a character");
    must_refuse("\xFF\xFE\x00\xDC", 4, "half a character");
    must_refuse("\xFF\xFE\x41", 3, "odd number of bytes");
}

static void test_foreign(void **state)
{
    (void)state;
    must_refuse("PAR1xxxxPAR1", 12, "a Parquet file");
    must_give("PAR1,PAR2\n", 10, "PAR1,PAR2\n", NULL);
    must_refuse("ARROW1\0\0", 8, "an Arrow or Feather file");
    must_refuse("\x89HDF\r\n\x1A\n", 8, "an HDF5 file");
    must_refuse("PK\x03\x04 xl/workbook.xml", 19, "an Excel workbook (xlsx)");
    must_refuse(" \n[{\"a\":1}]", 11, "a JSON file");
    must_refuse("{\"a\":1}\n{\"a\":2}\n", 16, "a file of JSON lines");
    must_give("[s],{m}\n1,2\n", 12, "[s],{m}\n1,2\n", NULL);
}

/* Every failing allocation ends in an error, and no memory is kept. */
static void test_no_memory(void **state)
{
    (void)state;
    for (int64_t n = 0; n < 20; n++) {
        nonsens_context *ctx = nonsens_context_new();
        int64_t held = memory_held();
        unpacked u;
        memory_fail_at(n);
        nonsens_status status = unpack(ctx, gzipped, sizeof gzipped, &u);
        memory_fail_at(-1);
        assert_true(status == NONSENS_OK || status == NONSENS_ERR_MEMORY || status == NONSENS_ERR_DATA);
        unpack_free(&u);
        assert_int_equal(memory_held(), held);
        nonsens_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_compressed), cmocka_unit_test(test_utf16),
                                       cmocka_unit_test(test_foreign), cmocka_unit_test(test_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
