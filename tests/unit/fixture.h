/*
 * fixture.h - a context and an arena for every test, and the loop in which each allocation fails once.
 *
 * Include it last: cmocka.h defines a macro fail().
 */
#ifndef UNIT_FIXTURE_H
#define UNIT_FIXTURE_H

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

/* Runs the tests whose names match the pattern (* and ?) in NONSENS_TESTS, except those that match NONSENS_SKIP. */
__attribute__((constructor)) static void choose_tests(void)
{
    const char *chosen = getenv("NONSENS_TESTS"), *skipped = getenv("NONSENS_SKIP");
    if (chosen) {
        cmocka_set_test_filter(chosen);
    }
    if (skipped) {
        cmocka_set_skip_filter(skipped);
    }
}

typedef struct fixture {
    nonsens_context *ctx;
    arena scratch;
} fixture;

static inline int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    *state = f;
    if (f) {
        f->ctx = nonsens_context_new();
    }
    return f && f->ctx ? 0 : -1;
}

static inline int tear_down(void **state)
{
    fixture *f = *state;
    memory_fail_at(-1);
    arena_free(&f->scratch);
    nonsens_context_free(f->ctx);
    free(f);
    return 0;
}

static inline double *fixture_doubles(fixture *f, int64_t count)
{
    double *v = arena_get(f->ctx, &f->scratch, count, sizeof *v);
    assert_non_null(v);
    return v;
}

/* Returns the factor by which things may take longer than usual, for emulated machines. */
static inline double fixture_patience(void)
{
    const char *times = getenv("NONSENS_PATIENCE");
    return times ? strtod(times, NULL) : 1.0;
}

/* A call under test: uses memory of `a` and its own. */
typedef nonsens_status (*failing_fn)(nonsens_context *ctx, arena *a, void *state);

/*
 * Runs the call with its first allocation failing, then its second, ... until it succeeds; returns the number of the
 * first allocation that is never requested.  Beyond the first 25, not every allocation is tried.
 */
static inline int64_t fail_every_allocation(fixture *f, failing_fn call, void *state)
{
    enum { EVERY_ONE = 25 };
    for (int64_t n = 0;; n += 1 + n / EVERY_ONE) {
        arena a = {0};
        memory_fail_at(n);
        nonsens_status status = call(f->ctx, &a, state);
        memory_fail_at(-1);
        arena_free(&a);
        if (status == NONSENS_OK) {
            return n;
        }
        assert_int_equal(status, NONSENS_ERR_MEMORY);
        assert_int_not_equal(nonsens_context_message(f->ctx)[0], '\0');
    }
}

#endif
