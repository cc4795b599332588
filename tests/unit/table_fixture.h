/*
 * table_fixture.h - what the tests of the readers share.
 */
#ifndef UNIT_TABLE_FIXTURE_H
#define UNIT_TABLE_FIXTURE_H

#include "base/rng.h"
#include "read/table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

typedef struct fixture {
    nonsens_context *ctx;
    arena a;
    table t;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->ctx = nonsens_context_new();
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    memory_fail_at(-1);
    arena_free(&f->a);
    nonsens_context_free(f->ctx);
    free(f);
    return 0;
}

/* Parses a copy of the exact size, so that the address sanitizer sees any byte read past the end. */
static nonsens_status parse_bytes(fixture *f, const char *path, const char *bytes, size_t size, table_options options)
{
    char *exact = malloc(size ? size : 1);
    memcpy(exact, bytes, size);
    arena_free(&f->a);
    nonsens_status status = table_parse(f->ctx, &f->a, path, exact, size, &options, &f->t);
    free(exact);
    return status;
}

static void check_message(fixture *f, nonsens_status status, nonsens_status expected, const char *message)
{
    if (status != expected || !strstr(nonsens_context_message(f->ctx), message)) {
        print_error("status %d instead of %d, message: %s\nshould hold: %s\n", (int)status, (int)expected,
                    nonsens_context_message(f->ctx), message);
        fail();
    }
}

/* Compares numbers; NaN equals NaN. */
static void check_column(const fixture *f, int64_t col, const char *name, int64_t rows, const double *expected)
{
    assert_true(col < f->t.cols);
    assert_string_equal(f->t.column[col].name, name);
    assert_int_equal(f->t.rows, rows);
    assert_int_equal(f->t.column[col].kind, COLUMN_NUMERIC);
    assert_non_null(f->t.column[col].value);
    for (int64_t i = 0; i < rows; i++) {
        double value = f->t.column[col].value[i];
        assert_true(value == expected[i] || (isnan(value) && isnan(expected[i])));
    }
}

typedef nonsens_status (*reading)(fixture *f);

/* Fails each allocation in turn until all succeed; returns how many there are. */
static int fail_each_allocation(fixture *f, reading run)
{
    for (int n = 0;; n++) {
        arena_free(&f->a);
        context_begin(f->ctx);
        memory_fail_at(n);
        nonsens_status status = run(f);
        memory_fail_at(-1);
        if (status == NONSENS_OK) {
            return n;
        }
        check_message(f, status, NONSENS_ERR_MEMORY, "out of memory");
    }
}

/* Changes, removes or doubles a few bytes of a valid file; returns its new size. */
static size_t mutate(rng *r, char *bytes, size_t size)
{
    static const char telling[] = ",;\t \"\n\r0.-+eN'(){}:\xEF\x00\xFF";
    int changes = 1 + (int)rng_below(r, 6);
    for (int k = 0; k < changes && size > 1; k++) {
        size_t at = rng_below(r, size);
        switch (rng_below(r, 4)) {
        case 0:
            bytes[at] = (char)rng_u32(r);
            break;
        case 1:
            bytes[at] = telling[rng_below(r, sizeof telling - 1)];
            break;
        case 2:
            memmove(bytes + at, bytes + at + 1, size - at - 1);
            size--;
            break;
        default:
            memmove(bytes + at + 1, bytes + at, size - at);
            size++;
        }
    }
    return size;
}

static void mutate_one(fixture *f, rng *r, const char *path, const char *seed, size_t size, int *good)
{
    enum { ROOM = 64 };
    char *bytes = malloc(size + ROOM);
    memcpy(bytes, seed, size);
    size = mutate(r, bytes, size);
    table_options options = {.no_header = rng_below(r, 2), .label = rng_below(r, 2) ? "#1" : NULL};
    nonsens_status status = parse_bytes(f, path, bytes, size, options);
    assert_true(status == NONSENS_OK || status == NONSENS_ERR_DATA);
    if (status == NONSENS_OK) {
        assert_true(f->t.rows > 0 && f->t.cols > 0);
        ++*good;
    } else {
        assert_true(strstr(nonsens_context_message(f->ctx), path) && strlen(nonsens_context_message(f->ctx)) > strlen(path) + 10);
    }
    free(bytes);
}

#endif
