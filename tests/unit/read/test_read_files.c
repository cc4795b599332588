/* test_read_files.c - several files, one per segment, give the same data as one file with a segment column. */
#include "data/dataset.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

enum { MAX_FILES = 8, PATH_BYTES = 80 };

typedef struct place {
    fixture f; /* comes first, because functions of fixture.h take it */
    char folder[40], path[MAX_FILES][PATH_BYTES];
    const char *paths[MAX_FILES];
    int files;
    nonsens_options *options;
} place;

static int open_place(void **state)
{
    place *p = calloc(1, sizeof *p);
    assert_non_null(p);
    *state = p;
    p->f.ctx = nonsens_context_new();
    strcpy(p->folder, "/tmp/test_files_XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    assert_int_equal(nonsens_options_new(p->f.ctx, NONSENS_COMMAND_DISCOVER, &p->options), NONSENS_OK);
    return 0;
}

static int close_place(void **state)
{
    place *p = *state;
    memory_fail_at(-1);
    for (int k = 0; k < p->files; k++) {
        unlink(p->path[k]);
    }
    int left_over = rmdir(p->folder);
    nonsens_options_free(p->options);
    arena_free(&p->f.scratch);
    nonsens_context_free(p->f.ctx);
    free(p);
    return left_over;
}

static void store(place *p, const char *name, const char *text)
{
    char *path = p->path[p->files];
    snprintf(path, PATH_BYTES, "%s/%s", p->folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    p->paths[p->files++] = path;
}

static void choose(place *p, const char *key, const char *value)
{
    assert_int_equal(nonsens_options_set(p->f.ctx, p->options, key, value), NONSENS_OK);
}

static nonsens_data *read_files(place *p, const char *const *paths, int64_t count)
{
    nonsens_data *data;
    nonsens_status status = nonsens_data_read_files(p->f.ctx, paths, count, p->options, &data);
    if (status != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(p->f.ctx));
    }
    return data;
}

static void refuse(place *p, int64_t count, nonsens_status right, const char *words)
{
    nonsens_data *data;
    assert_int_equal(nonsens_data_read_files(p->f.ctx, p->paths, count, p->options, &data), right);
    assert_null(data);
    if (!strstr(nonsens_context_message(p->f.ctx), words)) {
        fail_msg("\"%s\" does not say \"%s\"", nonsens_context_message(p->f.ctx), words);
    }
}

static void check_same(const nonsens_data *a, const nonsens_data *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->d, b->d);
    assert_int_equal(a->segments, b->segments);
    assert_int_equal(a->hash, b->hash);
    assert_int_equal(a->warnings, b->warnings);
    for (int64_t j = 0; j < a->d; j++) {
        assert_string_equal(a->names[j], b->names[j]);
    }
    for (int64_t e = 0; e < a->segments; e++) {
        assert_string_equal(a->labels[e], b->labels[e]);
    }
    for (int64_t i = 0; i < a->warnings; i++) {
        assert_string_equal(a->warning[i], b->warning[i]);
    }
    assert_memory_equal(a->x.v, b->x.v, (size_t)(a->n * a->d) * sizeof(double));
    assert_memory_equal(a->segment, b->segment, (size_t)a->n * sizeof *a->segment);
}

/* ---- the same as one file ---- */

static const char ALL[] =
    "x,y,note,s\n1,2,q,a\n3,5,q,a\n2,2.5,q,a\n7,1,q,b\n8,3,q,b\n6,6,q,c\n5,1,q,c\n9,4,q,c\n4,4,q,c\n";

static void store_parts(place *p)
{
    store(p, "a.csv", "x,y,note\n1,2,q\n3,5,q\n2,2.5,q\n");
    store(p, "b.tsv", "x\ty\tnote\n7\t1\tq\n8\t3\tq\n");
    store(p, "c", "x y note\n6 6 q\n5 1 q\n9 4 q\n4 4 q\n");
    store(p, "all.csv", ALL);
}

static void test_one_file_with_labels(void **state)
{
    place *p = *state;
    store_parts(p);
    nonsens_data *parts = read_files(p, p->paths, 3);
    choose(p, "segment", "s");
    nonsens_data *whole = read_files(p, p->paths + 3, 1);
    check_same(parts, whole);
    assert_memory_equal(parts->input_row, whole->input_row, (size_t)whole->n * sizeof *whole->input_row);
    nonsens_data_free(parts);
    nonsens_data_free(whole);
}

static void test_order_of_files(void **state)
{
    place *p = *state;
    store_parts(p);
    const char *reordered[3] = {p->paths[2], p->paths[0], p->paths[1]};
    nonsens_data *first = read_files(p, p->paths, 3), *other = read_files(p, reordered, 3);
    check_same(first, other);
    nonsens_data_free(first);
    nonsens_data_free(other);
}

/* If files disagree on the order of their columns, names decide, in any order of files. */
static void test_order_of_columns(void **state)
{
    place *p = *state;
    store(p, "a", "y,x\n2,1\n5,3\n2.5,2\n");
    store(p, "b", "x,y\n7,1\n8,3\n");
    const char *reordered[2] = {p->paths[1], p->paths[0]};
    nonsens_data *first = read_files(p, p->paths, 2), *other = read_files(p, reordered, 2);
    check_same(first, other);
    assert_string_equal(first->names[0], "x");
    nonsens_data_free(first);
    nonsens_data_free(other);
    choose(p, "vars", "y,x");
    first = read_files(p, p->paths, 2);
    assert_string_equal(first->names[0], "y");
    nonsens_data_free(first);
}

static void test_labels(void **state)
{
    place *p = *state;
    store(p, "a.csv", "x,y\n1,2\n3,5\n4,1\n");
    store(p, "a.txt", "x,y\n7,1\n8,3\n");
    nonsens_data *data = read_files(p, p->paths, 2);
    assert_string_equal(nonsens_data_segment_at(data, 0), p->paths[0]); // the larger segment comes first
    assert_string_equal(nonsens_data_segment_at(data, 1), p->paths[1]);
    nonsens_data_free(data);
}

static void test_without_header(void **state)
{
    place *p = *state;
    choose(p, "no-header", "true");
    store(p, "a", "1,2\n3,5\n4,1\n");
    store(p, "b", "7 1\n8 3\n");
    store(p, "c", "7 1 5\n8 3 6\n");
    nonsens_data *data = read_files(p, p->paths, 2);
    assert_int_equal(nonsens_data_row_count(data), 5);
    assert_string_equal(nonsens_data_variable_at(data, 1), "c2");
    nonsens_data_free(data);
    refuse(p, 3, NONSENS_ERR_DATA, "/a: there is no column \"c3\", which ");
    choose(p, "vars", "#1,#2");
    data = read_files(p, p->paths, 3);
    assert_int_equal(nonsens_data_row_count(data), 7);
    nonsens_data_free(data);
}

/* ---- missing values ---- */

static void test_missing(void **state)
{
    place *p = *state;
    store(p, "a.csv", "x,y\n1,2\n3,5\nNA,7\n4,1\n");
    store(p, "b.csv", "x,y\nNA,1\nNA,3\n");
    store(p, "c.csv", "x,y\n9,1\n8,3\n");
    store(p, "all.csv", "x,y,s\n1,2,a\n3,5,a\nNA,7,a\n4,1,a\nNA,1,b\nNA,3,b\n9,1,c\n8,3,c\n");
    refuse(p, 3, NONSENS_ERR_DATA, "/a.csv: column \"x\" has a missing value (line 4, data row 3)");
    choose(p, "na", "drop-rows");
    nonsens_data *parts = read_files(p, p->paths, 3);
    choose(p, "segment", "s");
    nonsens_data *whole = read_files(p, p->paths + 3, 1);
    check_same(parts, whole);
    assert_memory_equal(parts->input_row, whole->input_row, (size_t)whole->n * sizeof *whole->input_row);
    nonsens_data_free(parts);
    nonsens_data_free(whole);
}

static void test_nothing_left(void **state)
{
    place *p = *state;
    store(p, "a.csv", "x,y\n1,NA\nNA,5\n");
    store(p, "b.csv", "x,y\n1,NA\nNA,5\n");
    choose(p, "na", "drop-rows");
    refuse(p, 2, NONSENS_ERR_DATA, "/a.csv and 1 other file: every row has a missing value");
}

/* ---- refusals ---- */

static void test_refusals(void **state)
{
    place *p = *state;
    store(p, "a.csv", "x,y\n1,2\n3,5\n");
    store(p, "b.csv", "x,y,z\n7,1,1\n8,3,2\n");
    refuse(p, 0, NONSENS_ERR_USAGE, "count is 0; pass a number from 1");
    refuse(p, 2, NONSENS_ERR_DATA, "/a.csv: there is no column \"z\", which ");
    choose(p, "vars", "x,z");
    refuse(p, 2, NONSENS_ERR_DATA, "/a.csv: there is no column \"z\"; the columns are \"x\", \"y\"");
    choose(p, "vars", "#1,#3");
    refuse(p, 2, NONSENS_ERR_DATA, "/a.csv: there is no column \"#3\"");
    choose(p, "vars", "x,y");
    nonsens_data_free(read_files(p, p->paths, 2)); // columns that are not named do not matter
    choose(p, "segment", "x");
    refuse(p, 2, NONSENS_ERR_USAGE, "--segment cannot be combined with several files");
    choose(p, "segment", "");
    choose(p, "segments", "equal:2");
    refuse(p, 2, NONSENS_ERR_USAGE, "--segments cannot be combined with several files");
}

static void test_twins(void **state)
{
    place *p = *state;
    char again[PATH_BYTES + 4];
    store(p, "a.csv", "x,y\n1,2\n3,5\n");
    snprintf(again, sizeof again, "%s/./a.csv", p->folder);
    p->paths[1] = again;
    refuse(p, 2, NONSENS_ERR_USAGE, "are the same file");
    p->paths[0] = p->paths[1] = "-";
    refuse(p, 2, NONSENS_ERR_USAGE, "standard input (-) is named twice");
}

static void test_columns_that_differ(void **state)
{
    place *p = *state;
    store(p, "a.csv", "x,y\n1,2\n3,5\n");
    store(p, "b.csv", "y,x\n7,1\n8,3\n");
    store(p, "c.csv", "x,y\n7,u\n8,v\n");
    choose(p, "vars", "#1,#2");
    refuse(p, 2, NONSENS_ERR_DATA, "/b.csv: what is column \"x\" in ");
    choose(p, "vars", "");
    refuse(p, 3, NONSENS_ERR_DATA, "/c.csv: column \"y\" holds text, but numbers in ");
    choose(p, "vars", "x,y");
    refuse(p, 3, NONSENS_ERR_DATA, "/c.csv: column \"y\" holds text, such as \"u\" in line 2: categorical");
}

static nonsens_status read_again(nonsens_context *ctx, arena *a, void *state)
{
    place *p = state;
    nonsens_data *data;
    (void)a;
    nonsens_status status = nonsens_data_read_files(ctx, p->paths, 3, p->options, &data);
    nonsens_data_free(data);
    return status;
}

static void test_memory(void **state)
{
    place *p = *state;
    store_parts(p);
    assert_true(fail_every_allocation(&p->f, read_again, p) > 10);
}

#define PLACE_TEST(function) cmocka_unit_test_setup_teardown(function, open_place, close_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_one_file_with_labels),
        PLACE_TEST(test_order_of_files),
        PLACE_TEST(test_order_of_columns),
        PLACE_TEST(test_labels),
        PLACE_TEST(test_without_header),
        PLACE_TEST(test_missing),
        PLACE_TEST(test_nothing_left),
        PLACE_TEST(test_refusals),
        PLACE_TEST(test_twins),
        PLACE_TEST(test_columns_that_differ),
        PLACE_TEST(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
