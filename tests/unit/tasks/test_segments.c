/*
 * test_segments.c - all segments in turn: each as if explained alone, in natural order, the same on any threads, with
 * the journal of a run that was stopped anywhere; q-values; segments that are too small; refusals.
 */
#include "base/rng.h"
#include "data/tidy.h"
#include "tasks/segments/segments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "json_of.h"

enum { EACH = 40, SEGMENTS = 4, ROWS = SEGMENTS * EACH + 3, COLUMNS = 3, FILE_BYTES = 1 << 18 };

static const char *const NAMES[COLUMNS] = {"a", "b", "c"};
static const char *const LABELS[] = {"10", "9", "2", "1.5", "tiny"};
static const char *const SORTED[] = {"1.5", "2", "9", "10", "tiny"};

/* ---- a folder and data ---- */

typedef struct place {
    fixture f; /* comes first, because functions of fixture.h take it */
    char folder[40], journal[64], json[64], text[64];
    nonsens_options *options;
    nonsens_graph *graph;
    nonsens_data *data; /* a chain; b is shifted in segment 2; tiny has three rows */
} place;

static void choose(place *p, const char *key, const char *value)
{
    assert_int_equal(nonsens_options_set(p->f.ctx, p->options, key, value), NONSENS_OK);
}

static nonsens_data *make_data(place *p, const char *const *labels)
{
    static double value[COLUMNS][ROWS];
    const double *column[COLUMNS] = {value[0], value[1], value[2]};
    int32_t category[ROWS];
    nonsens_data *data;
    rng r = rng_new(7, RNG_TEST, 1);
    for (int i = 0; i < ROWS; i++) {
        category[i] = i / EACH;
        for (int j = 0; j < COLUMNS; j++) {
            double before = j > 0 ? 0.9 * value[j - 1][i] : 0.0;
            value[j][i] = before + rng_uniform(&r) - 0.5 + (j == 1 && i / EACH == 2 ? 4.0 : 0.0);
        }
    }
    assert_int_equal(
        dataset_new_unaudited(p->f.ctx, ROWS, COLUMNS, column, NAMES, category, SEGMENTS + 1, labels, NULL, &data),
        NONSENS_OK);
    return data;
}

static int open_place(void **state)
{
    static const char graph[] = "from,to\na,b\nb,c\n";
    place *p = calloc(1, sizeof *p);
    assert_non_null(p);
    *state = p;
    p->f.ctx = nonsens_context_new();
    strcpy(p->folder, "/tmp/test_segments_XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->journal, sizeof p->journal, "%s/journal", p->folder);
    snprintf(p->json, sizeof p->json, "%s/json", p->folder);
    snprintf(p->text, sizeof p->text, "%s/text", p->folder);
    assert_int_equal(nonsens_options_new(p->f.ctx, NONSENS_COMMAND_EXPLAIN, &p->options), NONSENS_OK);
    choose(p, "of", "all");
    choose(p, "threads", "2");
    assert_int_equal(nonsens_graph_parse(p->f.ctx, "chain", graph, sizeof graph - 1, NULL, &p->graph), NONSENS_OK);
    p->data = make_data(p, LABELS);
    assert_int_equal(tidy_dataset(p->f.ctx, p->options, false, &p->data), NONSENS_OK);
    return 0;
}

static int close_place(void **state)
{
    place *p = *state;
    unlink(p->journal);
    unlink(p->json);
    unlink(p->text);
    int left_over = rmdir(p->folder); // fails if a file was left
    nonsens_graph_free(p->graph);
    nonsens_data_free(p->data);
    nonsens_options_free(p->options);
    arena_free(&p->f.scratch);
    nonsens_context_free(p->f.ctx);
    free(p);
    return left_over;
}

static size_t load(const char *path, char bytes[FILE_BYTES])
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(bytes, 1, FILE_BYTES - 1, file);
    fclose(file);
    bytes[length] = '\0';
    return length;
}

static void store(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static nonsens_explanations *run(place *p, const char *kept_in)
{
    nonsens_explanations *all;
    nonsens_status status = nonsens_run_explain_all(p->f.ctx, p->data, p->graph, p->options, kept_in, &all);
    if (status != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(p->f.ctx));
    }
    return all;
}

static void lines_of(place *p, const char *kept_in, char bytes[FILE_BYTES])
{
    nonsens_explanations *all = run(p, kept_in);
    assert_int_equal(nonsens_explanations_write_json(p->f.ctx, all, p->json), NONSENS_OK);
    nonsens_explanations_free(all);
    load(p->json, bytes);
}

static void refuse(place *p, const char *kept_in, nonsens_status status, const char *words)
{
    nonsens_explanations *all;
    assert_int_equal(nonsens_run_explain_all(p->f.ctx, p->data, p->graph, p->options, kept_in, &all), status);
    assert_null(all);
    if (!strstr(nonsens_context_message(p->f.ctx), words)) {
        fail_msg("\"%s\" does not say \"%s\"", nonsens_context_message(p->f.ctx), words);
    }
}

/* ---- results ---- */

/* The line of a segment has every member of the segment's own result, except time and threads. */
static void compare(place *p, const json_value *line, const char *label)
{
    nonsens_result *result;
    const char *key;
    json_value *value;
    choose(p, "of", label);
    assert_int_equal(nonsens_run_explain(p->f.ctx, p->data, p->graph, p->options, &result), NONSENS_OK);
    assert_int_equal(nonsens_result_write_json(p->f.ctx, result, p->json), NONSENS_OK);
    nonsens_result_free(result);
    choose(p, "of", "all");
    json_value *alone = json_of_file(p->json);
    assert_int_equal(json_object_size(line), json_object_size(alone) - 1 + 4);
    for (size_t i = 0; (value = json_at(alone, i, &key)); i++) {
        if (strcmp(key, "nonsens") != 0 && strcmp(key, "seconds") != 0) {
            assert_true(json_equal(value, json_object_get(line, key)));
        }
    }
    const json_value *one = json_object_get(alone, "nonsens"), *other = json_object_get(line, "nonsens");
    for (size_t i = 0; (value = json_at(one, i, &key)); i++) {
        assert_true(strcmp(key, "threads") == 0 || json_equal(value, json_object_get(other, key)));
    }
    json_decref(alone);
}

static void test_segments_are_explained_as_alone(void **state)
{
    place *p = *state;
    static char bytes[FILE_BYTES];
    int lines = 0;
    char *rest = bytes;
    lines_of(p, NULL, bytes);
    for (char *line = strtok_r(rest, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), lines++) {
        json_value *object = json_of(line);
        assert_string_equal(json_get_string(object, "segment"), SORTED[lines]);
        if (lines < SEGMENTS) {
            compare(p, object, SORTED[lines]);
        }
        json_decref(object);
    }
    assert_int_equal(lines, SEGMENTS + 1);
}

static void test_what_is_said_of_a_segment(void **state)
{
    place *p = *state;
    choose(p, "against", "10");
    nonsens_explanations *all = run(p, NULL);
    assert_int_equal(nonsens_explanations_count(all), SEGMENTS); // all but the reference
    assert_null(nonsens_explanations_at(all, SEGMENTS));
    const nonsens_explained *shifted = nonsens_explanations_at(all, 1), *tiny = nonsens_explanations_at(all, 3);
    assert_string_equal(shifted->segment, "2");
    assert_string_equal(shifted->root_cause, "b");
    assert_int_equal(shifted->root_causes, 1);
    assert_true(shifted->size > 4.0 && shifted->q_value < 0.01 && shifted->p_value <= shifted->q_value);
    assert_memory_equal(shifted->verdict, "b changed itself", 16);
    for (int k = 0; k < 3; k += 2) {
        const nonsens_explained *other = nonsens_explanations_at(all, k);
        assert_string_equal(other->verdict, "nothing unusual");
        assert_true(other->rows == EACH && !other->unclear && !other->root_cause && isnan(other->size));
    }
    assert_non_null(strstr(tiny->error, "so few rows that it was left out"));
    assert_true(isnan(tiny->q_value) && !nonsens_explanations_at(all, 0)->error);
    nonsens_explanations_free(all);
}

/* Simes' p-value of each segment, and q-values of Benjamini and Hochberg over the segments that did not fail. */
static void test_q_values(void **state)
{
    place *p = *state;
    nonsens_explanations *all = run(p, NULL);
    for (int k = 0; k < SEGMENTS; k++) {
        const nonsens_explained *one = nonsens_explanations_at(all, k);
        double least = 1.0;
        for (int other = 0; other < SEGMENTS; other++) {
            double bound = nonsens_explanations_at(all, other)->p_value;
            int rank = 0;
            for (int i = 0; i < SEGMENTS; i++) {
                rank += nonsens_explanations_at(all, i)->p_value <= bound;
            }
            least = bound >= one->p_value ? fmin(least, SEGMENTS * bound / rank) : least;
        }
        assert_true(fabs(one->q_value - least) < 1e-14);
    }
    nonsens_explanations_free(all);
    choose(p, "fdr", "none");
    all = run(p, NULL);
    assert_true(isnan(nonsens_explanations_at(all, 0)->p_value) && isnan(nonsens_explanations_at(all, 0)->q_value));
    nonsens_explanations_free(all);
}

static void test_threads_change_nothing(void **state)
{
    place *p = *state;
    static char one[FILE_BYTES], other[FILE_BYTES];
    static const char *const threads[] = {"2", "3", "16"}; // the last is more than there are segments
    choose(p, "threads", "1");
    lines_of(p, NULL, one);
    for (int k = 0; k < 3; k++) {
        choose(p, "threads", threads[k]);
        lines_of(p, k == 1 ? p->journal : NULL, other);
        assert_string_equal(one, other);
    }
}

static void test_text(void **state)
{
    place *p = *state;
    char text[FILE_BYTES];
    choose(p, "against", "10");
    nonsens_explanations *all = run(p, NULL);
    assert_int_equal(nonsens_explanations_write_text(p->f.ctx, all, NONSENS_TEXT_ALL, p->text), NONSENS_OK);
    nonsens_explanations_free(all);
    load(p->text, text);
    assert_memory_equal(text, "segments: 4, of which 1 with root causes (1 with q <= 0.05), 2 with nothing", 75);
    assert_non_null(strstr(text, "  - tiny: it has so few rows that it"));
    assert_non_null(strstr(text, "--of 2 --against 10"));
}

/* ---- stopped and resumed ---- */

/* Cut anywhere, even inside its first line, the journal leads to the same lines. */
static void test_resumed_anywhere(void **state)
{
    place *p = *state;
    static char whole[FILE_BYTES], written[FILE_BYTES], again[FILE_BYTES], grown[FILE_BYTES];
    lines_of(p, p->journal, whole);
    size_t length = load(p->journal, written);
    choose(p, "resume", "true");
    for (int k = 0; k <= 12; k++) {
        size_t cut = k < 3 ? (size_t)k : length * (size_t)(k - 2) / 10;
        store(p->journal, written, cut);
        lines_of(p, p->journal, again);
        assert_string_equal(whole, again);
        assert_true(load(p->journal, grown) >= length);
        assert_memory_equal(grown, written, cut); // nothing is removed
    }
}

/* A line without an answer, with both an answer and an error, or with an invalid p-value, is ignored. */
static void test_odd_lines_are_run_again(void **state)
{
    place *p = *state;
    static const char *const odd[] = {
        "{}", "{\"segment\":\"9\",\"note_levels\":[]}", "{\"segment\":\"9\",\"explain\":{\"variables\":[1]}}",
        "{\"segment\":\"9\",\"error\":\"why\",\"explain\":{\"variables\":[1]},\"note_levels\":[]}",
        "{\"segment\":\"9\",\"error\":\"why\",\"p_value\":2,\"note_levels\":[]}"};
    static char whole[FILE_BYTES], written[FILE_BYTES], again[FILE_BYTES];
    lines_of(p, p->journal, whole);
    load(p->journal, written);
    size_t head = (size_t)(strchr(written, '\n') + 1 - written);
    choose(p, "resume", "true");
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        char line[256];
        int length = snprintf(line, sizeof line, "{\"segment\":%d,\"line\":%s}\n", (int)k, odd[k]);
        memcpy(written + head, line, (size_t)length);
        store(p->journal, written, head + (size_t)length);
        lines_of(p, p->journal, again);
        assert_string_equal(whole, again);
    }
}

static void test_other_runs_are_refused(void **state)
{
    place *p = *state;
    static char lines[FILE_BYTES];
    static const char other[] = "from,to\na,c\n";
    nonsens_graph *chain = p->graph;
    lines_of(p, p->journal, lines);
    refuse(p, p->journal, NONSENS_ERR_USAGE, "already exists; add --resume to continue its segments");
    choose(p, "resume", "true");
    choose(p, "against", "9");
    refuse(p, p->journal, NONSENS_ERR_USAGE, "was made with --against ");
    choose(p, "against", "");
    assert_int_equal(nonsens_graph_parse(p->f.ctx, "chain", other, sizeof other - 1, NULL, &p->graph), NONSENS_OK);
    refuse(p, p->journal, NONSENS_ERR_USAGE, "was made with other graph");
    nonsens_graph_free(p->graph);
    p->graph = chain;
    refuse(p, NULL, NONSENS_ERR_USAGE, "--resume needs a journal");
}

/* ---- what options mean ---- */

static void test_a_segment_called_all(void **state)
{
    place *p = *state;
    static const char *const labels[] = {"10", "9", "2", "all", "tiny"};
    nonsens_result *result;
    assert_int_equal(nonsens_explains_all(p->data, p->options), 1);
    choose(p, "of", "9");
    assert_int_equal(nonsens_explains_all(p->data, p->options), 0);
    refuse(p, NULL, NONSENS_ERR_USAGE, "the option of names one segment");
    choose(p, "of", "all");
    nonsens_data_free(p->data);
    p->data = make_data(p, labels);
    assert_int_equal(nonsens_explains_all(p->data, p->options), 0);
    refuse(p, NULL, NONSENS_ERR_USAGE, "unless a segment has this label");
    choose(p, "journal", p->journal);
    assert_int_equal(nonsens_run_explain(p->f.ctx, p->data, p->graph, p->options, &result), NONSENS_ERR_USAGE);
    assert_non_null(strstr(nonsens_context_message(p->f.ctx), "a segment is called all"));
    choose(p, "journal", "");
    assert_int_equal(nonsens_run_explain(p->f.ctx, p->data, p->graph, p->options, &result), NONSENS_OK);
    nonsens_result_free(result);
}

int main(void)
{
#define IN_PLACE(function) cmocka_unit_test_setup_teardown(function, open_place, close_place)
    const struct CMUnitTest tests[] = {
        IN_PLACE(test_segments_are_explained_as_alone),
        IN_PLACE(test_what_is_said_of_a_segment),
        IN_PLACE(test_q_values),
        IN_PLACE(test_threads_change_nothing),
        IN_PLACE(test_text),
        IN_PLACE(test_resumed_anywhere),
        IN_PLACE(test_odd_lines_are_run_again),
        IN_PLACE(test_other_runs_are_refused),
        IN_PLACE(test_a_segment_called_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
