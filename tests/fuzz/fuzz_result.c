/*
 * fuzz_result.c - random bytes as a file that `nonsens report` reads (libFuzzer): as its result or, if they begin with
 * an r, as the file of --sources (its first column is called row) beside a valid result.  Valid input is written as a
 * page.
 */
#include "fuzz/fuzz_file.h"
#include "write/html.h"

#include <string.h>

/* ---- valid files ---- */

static char data_path[] = "/tmp/nonsens_fuzz_data_XXXXXX", result_path[] = "/tmp/nonsens_fuzz_result_XXXXXX";

static void remove_files(void)
{
    unlink(data_path);
    unlink(result_path);
}

static void write_data(int file)
{
    static const char text[] = "a,b\n1,2\n2,1\n3,4\n4,3\n5,6\n7,5\n8,9\n9,7\n10,11\n12,10\n11,13\n14,12\n";
    check(write(file, text, sizeof text - 1) == (ssize_t)sizeof text - 1);
}

/* Writes what `nonsens direction DATA --method reci --json RESULT` writes. */
static void write_result(nonsens_context *ctx)
{
    nonsens_options *options;
    nonsens_data *data;
    nonsens_result *result;
    check(nonsens_options_new(ctx, NONSENS_COMMAND_DIRECTION, &options) == NONSENS_OK);
    check(nonsens_options_set(ctx, options, "method", "reci") == NONSENS_OK);
    check(nonsens_data_read(ctx, data_path, options, &data) == NONSENS_OK);
    check(nonsens_run_direction(ctx, data, options, &result) == NONSENS_OK);
    check(nonsens_result_write_json(ctx, result, result_path) == NONSENS_OK);
    nonsens_result_free(result);
    nonsens_data_free(data);
    nonsens_options_free(options);
}

static void make_files(nonsens_context *ctx)
{
    static bool made;
    if (!made) {
        int data = mkstemp(data_path), result = mkstemp(result_path);
        check(data >= 0 && result >= 0 && atexit(remove_files) == 0);
        write_data(data);
        close(data);
        close(result);
        write_result(ctx);
        made = true;
    }
}

/* ---- what is read ---- */

static void check_refused(nonsens_context *ctx, nonsens_status status)
{
    check((status == NONSENS_ERR_DATA || status == NONSENS_ERR_USAGE) && strlen(nonsens_context_message(ctx)) > 10);
}

/* Writes a page of the result with these data, for one input in sixteen, because a page has 400 kB. */
static void write_page(nonsens_context *ctx, const uint8_t *bytes, size_t size)
{
    if (is_one_of(16, bytes, size)) {
        const char *const files[] = {data_path};
        make_files(ctx);
        nonsens_status status =
            nonsens_report_write_html(ctx, fuzz_file(bytes, size), files, 1, NULL, "/dev/null", NULL);
        if (status != NONSENS_OK) {
            check_refused(ctx, status);
        }
    }
}

static void read_result(nonsens_context *ctx, const uint8_t *bytes, size_t size)
{
    nonsens_options *options = NULL;
    json_value *root = NULL;
    nonsens_status status = html_parse_result(ctx, "fuzz", (const char *)bytes, size, &root, &options);
    if (status == NONSENS_OK) {
        check(json_has(root, "data", JSON_OBJECT) && json_has(root, "evidence", JSON_ARRAY));
        check(options != NULL);
        write_page(ctx, bytes, size);
    } else {
        check(status == NONSENS_ERR_DATA && strlen(nonsens_context_message(ctx)) > 10);
    }
    nonsens_options_free(options);
    json_decref(root);
}

static void read_sources(nonsens_context *ctx, const uint8_t *bytes, size_t size)
{
    const char *const files[] = {data_path};
    int other = 1;
    make_files(ctx);
    nonsens_status status =
        nonsens_report_write_html(ctx, result_path, files, 1, fuzz_file(bytes, size), "/dev/null", &other);
    check(other == 0);
    if (status != NONSENS_OK) {
        check_refused(ctx, status);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nonsens_context *ctx = nonsens_context_new();
    check(ctx != NULL);
    if (size > 0 && data[0] == 'r') {
        read_sources(ctx, data, size);
    } else {
        read_result(ctx, data, size);
    }
    nonsens_context_free(ctx);
    return 0;
}
