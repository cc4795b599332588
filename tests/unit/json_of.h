/*
 * json_of.h - JSON that a test expects to be well formed, with every key once.
 *
 * To be included last: cmocka.h makes a macro of fail().
 */
#ifndef UNIT_JSON_OF_H
#define UNIT_JSON_OF_H

#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The caller releases the value. */
static inline json_value *json_of_bytes(const char *bytes, size_t size)
{
    json_error error;
    json_value *value;
    nonsens_context *ctx = nonsens_context_new();
    nonsens_status status = json_parse(ctx, bytes, size, true, &error, &value);
    nonsens_context_free(ctx);
    if (status != NONSENS_OK) {
        fail_msg("not JSON: line %d, column %d: %s", error.line, error.column, error.what);
    }
    return value;
}

static inline json_value *json_of(const char *text)
{
    return json_of_bytes(text, strlen(text));
}

static inline json_value *json_of_file(const char *path)
{
    enum { BYTES_MAX = 1 << 26 };
    FILE *file = fopen(path, "r");
    char *bytes = malloc(BYTES_MAX);
    assert_true(file && bytes);
    size_t size = fread(bytes, 1, BYTES_MAX, file);
    assert_true(feof(file));
    fclose(file);
    json_value *value = json_of_bytes(bytes, size);
    free(bytes);
    return value;
}

#endif
