/* test_pairs.c - many pairs: q-values, the list, the journal of a run that was stopped anywhere, the same results on
 * any threads. */
#include "base/rng.h"
#include "math/fdr.h"
#include "tasks/pairs/pairs.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "json_of.h"

enum { ROWS = 60, COLUMNS = 5, PAIRS = 10, FILE_BYTES = 1 << 18 };

/* ---- q-values ---- */

/* Computes a q-value by its definition. */
static double q_plainly(int m, const double *p, int i, double factor)
{
    double least = 1.0;
    for (int k = 0; k < m; k++) {
        double pk = isnan(p[k]) ? 1.0 : p[k];
        int rank = 0;
        for (int j = 0; j < m; j++) {
            rank += (isnan(p[j]) ? 1.0 : p[j]) <= pk;
        }
        if (pk >= p[i] && factor * m * pk / rank < least) {
            least = factor * m * pk / rank;
        }
    }
    return least;
}

static void test_q_values_by_definition(void **state)
{
    fixture *f = *state;
    for (int seed = 1; seed < 40; seed++) {
        rng r = rng_new((uint64_t)seed, RNG_TEST, 0);
        int m = 1 + seed % 12;
        double p[12], q[12], harmonic = 0.0;
        for (int i = 0; i < m; i++) {
            double u = rng_uniform(&r);
            p[i] = u < 0.2 ? NAN : u < 0.4 ? 0.01 : u * u; // with some ties
            harmonic += 1.0 / (i + 1);
        }
        for (int any = 0; any <= 1; any++) {
            assert_int_equal(fdr_q_values(f->ctx, &f->scratch, m, p, any, q), NONSENS_OK);
            for (int i = 0; i < m; i++) {
                double right = isnan(p[i]) ? NAN : q_plainly(m, p, i, any ? harmonic : 1.0);
                assert_true(isnan(right) ? isnan(q[i]) : fabs(q[i] - right) < 1e-14);
            }
        }
    }
}

/* Benjamini and Hochberg's own example (1995, section 3): four of fifteen at level .05. */
static void test_q_values_of_the_paper(void **state)
{
    fixture *f = *state;
    const double p[15] = {.0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344,
                          .0459, .3240, .4262, .5719, .6528, .7590, 1.000};
    double q[15];
    assert_int_equal(fdr_q_values(f->ctx, &f->scratch, 15, p, false, q), NONSENS_OK);
    for (int i = 0; i < 15; i++) {
        assert_int_equal(q[i] <= 0.05, i < 4);
    }
}

/* ---- a folder and data ---- */

typedef struct place {
    fixture f; /* comes first, because functions of fixture.h take it */
    char folder[40], journal[64], list[64], json[64], text[64];
    nonsens_options *options;
    double value[COLUMNS][ROWS];
    nonsens_data *data;
} place;

static const char *const NAMES[COLUMNS] = {"a", "b", "long name", "d", "#e"};

static nonsens_data *make_data(place *p, const char *const *names)
{
    const double *column[COLUMNS];
    nonsens_data *data;
    for (int j = 0; j < COLUMNS; j++) {
        column[j] = p->value[j];
    }
    assert_int_equal(dataset_new_unaudited(p->f.ctx, ROWS, COLUMNS, column, names, NULL, 0, NULL, NULL, &data),
                     NONSENS_OK);
    return data;
}

/* Draws a chain with uniform noise; the last column is constant. */
static void fill_values(place *p)
{
    rng r = rng_new(7, RNG_TEST, 1);
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            double before = j > 0 ? p->value[j - 1][i] : 0.0;
            p->value[j][i] = j == COLUMNS - 1 ? 3.0 : 0.9 * before + rng_uniform(&r) - 0.5;
        }
    }
}

static void choose(place *p, const char *key, const char *value)
{
    assert_int_equal(nonsens_options_set(p->f.ctx, p->options, key, value), NONSENS_OK);
}

static int open_place(void **state)
{
    place *p = calloc(1, sizeof *p);
    assert_non_null(p);
    *state = p;
    p->f.ctx = nonsens_context_new();
    strcpy(p->folder, "/tmp/test_pairs_XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->journal, sizeof p->journal, "%s/journal", p->folder);
    snprintf(p->list, sizeof p->list, "%s/list", p->folder);
    snprintf(p->json, sizeof p->json, "%s/json", p->folder);
    snprintf(p->text, sizeof p->text, "%s/text", p->folder);
    assert_int_equal(nonsens_options_new(p->f.ctx, NONSENS_COMMAND_DIRECTION, &p->options), NONSENS_OK);
    choose(p, "method", "lingam");
    choose(p, "pairs", "all");
    choose(p, "threads", "2");
    fill_values(p);
    p->data = make_data(p, NAMES);
    return 0;
}

static int close_place(void **state)
{
    place *p = *state;
    memory_fail_at(-1);
    unlink(p->journal);
    unlink(p->list);
    unlink(p->json);
    unlink(p->text);
    int left_over = rmdir(p->folder); // fails if a file was left
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

static nonsens_status run(place *p, const char *kept_in, nonsens_pairs **pairs)
{
    return nonsens_run_pairs(p->f.ctx, p->data, p->options, kept_in, pairs);
}

/* Runs the pairs and reads the lines that are written. */
static void lines_of(place *p, const char *kept_in, char bytes[FILE_BYTES])
{
    nonsens_pairs *pairs;
    assert_int_equal(run(p, kept_in, &pairs), NONSENS_OK);
    assert_int_equal(nonsens_pairs_write_json(p->f.ctx, pairs, p->json), NONSENS_OK);
    nonsens_pairs_free(pairs);
    load(p->json, bytes);
}

static void refuse(place *p, nonsens_status status, const char *words)
{
    nonsens_pairs *pairs;
    assert_int_equal(run(p, p->journal, &pairs), status);
    assert_null(pairs);
    if (!strstr(nonsens_context_message(p->f.ctx), words)) {
        fail_msg("\"%s\" does not say \"%s\"", nonsens_context_message(p->f.ctx), words);
    }
}

/* ---- results ---- */

static bool is_equal(double a, double b)
{
    return (isnan(a) && isnan(b)) || a == b;
}

static bool is_text(const char *a, const char *b)
{
    return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

/* A pair's answer is that of nonsens_run_direction for the two variables alone. */
static void test_pairs_are_directions(void **state)
{
    place *p = *state;
    nonsens_pairs *pairs;
    nonsens_options *one;
    nonsens_result *result;
    assert_int_equal(run(p, NULL, &pairs), NONSENS_OK);
    assert_int_equal(nonsens_pairs_count(pairs), PAIRS);
    assert_null(nonsens_pairs_at(pairs, PAIRS));
    assert_int_equal(nonsens_options_new(p->f.ctx, NONSENS_COMMAND_DIRECTION, &one), NONSENS_OK);
    assert_int_equal(nonsens_options_set(p->f.ctx, one, "method", "lingam"), NONSENS_OK);
    int failed = 0, with_p = 0;
    for (int k = 0; k < PAIRS; k++) {
        const nonsens_pair *pair = nonsens_pairs_at(pairs, k);
        assert_int_equal(nonsens_options_set(p->f.ctx, one, "x", NAMES[pair->x]), NONSENS_OK);
        assert_int_equal(nonsens_options_set(p->f.ctx, one, "y", NAMES[pair->y]), NONSENS_OK);
        nonsens_status status = nonsens_run_direction(p->f.ctx, p->data, one, &result);
        if (status != NONSENS_OK) {
            failed++;
            assert_string_equal(pair->error, nonsens_context_message(p->f.ctx));
            assert_null(pair->decision);
            assert_true(isnan(pair->q_value));
            continue;
        }
        assert_null(pair->error);
        assert_string_equal(pair->decision, nonsens_result_decision(result));
        assert_true(is_text(pair->direction, nonsens_result_direction(result)));
        assert_true(is_equal(pair->score, nonsens_result_score(result)));
        assert_true(is_equal(pair->p_value, nonsens_result_p_value(result)));
        with_p += !isnan(pair->p_value);
        assert_true(isnan(pair->p_value) ? isnan(pair->q_value) : pair->q_value >= pair->p_value);
        nonsens_result_free(result);
    }
    assert_int_equal(failed, COLUMNS - 1); // the pairs with the constant column
    assert_true(with_p > 0);
    nonsens_options_free(one);
    nonsens_pairs_free(pairs);
}

/* All lines have the same keys in the same order, including q-values. */
static void test_lines_are_alike(void **state)
{
    place *p = *state;
    char bytes[FILE_BYTES];
    int lines = 0, q_values = 0;
    lines_of(p, NULL, bytes);
    json_value *first = NULL;
    for (char *line = strtok(bytes, "\n"); line; line = strtok(NULL, "\n"), lines++) {
        json_value *object = json_of(line);
        const char *key, *key_of_first;
        first = first ? first : json_incref(object);
        assert_int_equal(json_object_size(object), json_object_size(first));
        for (size_t i = 0; json_at(object, i, &key) && json_at(first, i, &key_of_first); i++) {
            assert_string_equal(key, key_of_first);
        }
        assert_int_equal(json_has(object, "p_value", JSON_NULL), json_has(object, "q_value", JSON_NULL));
        q_values += json_has(object, "q_value", JSON_NUMBER);
        json_decref(object);
    }
    json_decref(first);
    assert_int_equal(lines, PAIRS);
    assert_true(q_values > 0);
}

static void test_threads_change_nothing(void **state)
{
    place *p = *state;
    char one[FILE_BYTES], other[FILE_BYTES];
    static const char *const threads[] = {"2", "3", "16"}; // the last is more than there are pairs
    choose(p, "threads", "1");
    lines_of(p, NULL, one);
    for (int k = 0; k < 3; k++) {
        choose(p, "threads", threads[k]);
        lines_of(p, k == 1 ? p->journal : NULL, other);
        assert_string_equal(one, other);
    }
}

static void test_text_is_sorted(void **state)
{
    place *p = *state;
    char text[FILE_BYTES];
    nonsens_pairs *pairs;
    assert_int_equal(run(p, NULL, &pairs), NONSENS_OK);
    assert_int_equal(nonsens_pairs_write_text(p->f.ctx, pairs, NONSENS_TEXT_ALL, p->text), NONSENS_OK);
    load(p->text, text);
    assert_memory_equal(text, "pairs: 10, of which ", 20);
    const char *best = NULL;
    double least = INFINITY;
    for (int k = 0; k < PAIRS; k++) {
        const nonsens_pair *pair = nonsens_pairs_at(pairs, k);
        if (pair->p_value < least) {
            least = pair->p_value;
            best = NAMES[pair->x];
        }
    }
    const char *row = strstr(text, "q-value\n") + sizeof "q-value\n" - 1;
    assert_memory_equal(row + strspn(row, " "), best, strlen(best));
    assert_non_null(strstr(text, "- a, #e: column \"#e\" is constant"));
    nonsens_pairs_free(pairs);
}

/* ---- the list ---- */

static void listed(place *p, const char *text, const char *found)
{
    nonsens_pairs pairs = {.variables = COLUMNS, .options = *p->options};
    char seen[256] = "";
    store(p->list, text, strlen(text));
    pairs.options.pairs = p->list;
    nonsens_status status = pairs_list(p->f.ctx, p->data, &pairs);
    for (int64_t k = 0; status == NONSENS_OK && k < pairs.count; k++) {
        snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%d%d ", (int)pairs.pair[k].x, (int)pairs.pair[k].y);
    }
    if (status != NONSENS_OK) {
        assert_int_equal(status, NONSENS_ERR_DATA);
        const char *behind = strstr(nonsens_context_message(p->f.ctx), "/list:");
        assert_non_null(behind);
        snprintf(seen, sizeof seen, "%s", behind + 6);
    }
    arena_free(&pairs.memory);
    if (strncmp(seen, found, strlen(found)) != 0) {
        fail_msg("%s: %s", text, seen);
    }
}

static void test_lists(void **state)
{
    place *p = *state;
    listed(p, "a,b\n", "01 ");
    listed(p, "b,a", "10 ");
    listed(p,
           "\xEF\xBB\xBF"
           "a\tb\r\n\r\n# comment\n  # another\nd;a\n\"#e\" b\n long name , b  \n",
           "01 30 41 21 ");
    listed(p, "\"long name\" a\n a   \"d\" \n", "20 03 ");
    listed(p, "\"long name\",a\na,\"d\"\n", "20 03 ");
    listed(p, "a,b\n\nc,a\n", "3: there is no variable \"c\"");
    listed(p, "a\n", "1: a line must name two different variables; this one has one name");
    listed(p, "a,b,d\n", "1: a line must name two different variables; this one has more");
    listed(p, "a b\na a\n", "2: a line must name two different variables; this one has the same");
    listed(p, "a,b\nd,b\nb,a\n", "3: the same pair as on line 1");
    listed(p, "# nothing\n\n", " there is no pair in it");
    listed(p, "\"a,b\n", "1: a quote is opened");
    listed(p, "a,\n", "1: there is no variable \"\"");
}

static void test_no_list(void **state)
{
    place *p = *state;
    choose(p, "pairs", p->list);
    refuse(p, NONSENS_ERR_DATA, "no such file; check the path");
    choose(p, "pairs", p->folder);
    refuse(p, NONSENS_ERR_DATA, "is a directory; name a file in it");
    choose(p, "pairs", "");
    refuse(p, NONSENS_ERR_USAGE, "no pairs are named");
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
    for (int k = 0; k <= 24; k++) {
        size_t cut = k < 4 ? (size_t)k : length * (size_t)(k - 3) / 21; // inside the first line, then evenly
        cut = k == 10 ? (size_t)(strchr(strchr(written, '\n') + 1, '\n') + 1 - written) : cut; // between two lines
        store(p->journal, written, cut);
        lines_of(p, p->journal, again);
        assert_string_equal(whole, again);
        assert_true(load(p->journal, grown) >= length);
        assert_memory_equal(grown, written, cut); // nothing is removed
    }
}

/* A line without a decision, with both a decision and an error, or with an invalid p-value, is ignored. */
static void test_odd_lines_are_run_again(void **state)
{
    place *p = *state;
    static const char *const odd[] = {
        "{}", "{\"x\":\"a\",\"data_hash\":\"0\"}",
        "{\"x\":\"a\",\"decision\":\"independent\",\"error\":\"why\",\"data_hash\":\"0\"}",
        "{\"x\":\"a\",\"decision\":\"independent\",\"p_value\":-1,\"data_hash\":\"0\"}",
        "{\"x\":\"a\",\"decision\":\"independent\",\"p_value\":1.5,\"data_hash\":\"0\"}"};
    static char whole[FILE_BYTES], written[FILE_BYTES], again[FILE_BYTES];
    lines_of(p, p->journal, whole);
    load(p->journal, written);
    size_t head = (size_t)(strchr(written, '\n') + 1 - written);
    choose(p, "resume", "true");
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        int length = snprintf(written + head, sizeof written - head, "{\"pair\":[0,1],\"line\":%s}\n", odd[k]);
        store(p->journal, written, head + (size_t)length);
        lines_of(p, p->journal, again);
        assert_string_equal(whole, again);
    }
}

static int stop_later(void *user, const char *phase, int64_t done, int64_t total)
{
    (void)total;
    assert_string_equal(phase, "pairs"); // no other phase is reported
    return done >= *(int *)user;
}

static void test_cancelled_and_resumed(void **state)
{
    place *p = *state;
    static char whole[FILE_BYTES], again[FILE_BYTES];
    nonsens_pairs *pairs;
    int after = 3;
    lines_of(p, NULL, whole);
    choose(p, "threads", "1");
    nonsens_context_set_progress(p->f.ctx, stop_later, &after);
    assert_int_equal(run(p, p->journal, &pairs), NONSENS_CANCELLED);
    nonsens_context_set_progress(p->f.ctx, NULL, NULL);
    load(p->journal, again);
    int lines = 0;
    for (const char *at = again; (at = strchr(at, '\n')); at++) {
        lines++;
    }
    assert_int_equal(lines, 1 + after);
    choose(p, "resume", "true");
    lines_of(p, p->journal, again);
    assert_string_equal(whole, again);
}

static void test_other_journals_are_refused(void **state)
{
    place *p = *state;
    static const char *const renamed[COLUMNS] = {"b", "a", "long name", "d", "#e"};
    static char whole[FILE_BYTES];
    lines_of(p, p->journal, whole);
    refuse(p, NONSENS_ERR_USAGE, "already exists");
    choose(p, "resume", "true");
    choose(p, "seed", "2");
    refuse(p, NONSENS_ERR_USAGE, "made with --seed 1, and this run has 2");
    choose(p, "seed", "1");
    nonsens_data *right = p->data;
    p->data = make_data(p, renamed); // the same values under other names
    refuse(p, NONSENS_ERR_USAGE, "made with other data");
    nonsens_data_free(p->data);
    p->value[1][4] += 1e-9;
    p->data = make_data(p, NAMES);
    refuse(p, NONSENS_ERR_USAGE, "made with other data");
    nonsens_data_free(p->data);
    p->data = right;
    static const char *const notes[] = {"some notes\nof mine\n", "notes without an end", "{\"nonsens\": 1}"};
    for (int k = 0; k < 3; k++) {
        char kept[FILE_BYTES];
        store(p->journal, notes[k], strlen(notes[k]));
        refuse(p, NONSENS_ERR_USAGE, "is not a journal of pairs");
        load(p->journal, kept);
        assert_string_equal(kept, notes[k]);
    }
    choose(p, "resume", "false");
    nonsens_pairs *pairs;
    choose(p, "resume", "true");
    assert_int_equal(run(p, NULL, &pairs), NONSENS_ERR_USAGE);
}

/* The choice of pairs and of q-values may change: existing lines stay valid. */
static void test_further_pairs(void **state)
{
    place *p = *state;
    static char whole[FILE_BYTES], again[FILE_BYTES];
    choose(p, "fdr", "by");
    lines_of(p, NULL, whole);
    choose(p, "fdr", "none");
    choose(p, "pairs", p->list);
    store(p->list, "a,d\nb,d\n", 8);
    lines_of(p, p->journal, again);
    assert_null(strstr(again, "\"q_value\": 0"));
    choose(p, "fdr", "by");
    choose(p, "pairs", "all");
    choose(p, "resume", "true");
    lines_of(p, p->journal, again);
    assert_string_equal(whole, again);
}

/* ---- memory ---- */

static nonsens_status run_and_write(nonsens_context *ctx, arena *a, void *state)
{
    place *p = state;
    nonsens_pairs *pairs;
    (void)a;
    TRY(nonsens_run_pairs(ctx, p->data, p->options, p->options->resume ? p->journal : NULL, &pairs));
    nonsens_status status = nonsens_pairs_write_json(ctx, pairs, p->json);
    status = status == NONSENS_OK ? nonsens_pairs_write_text(ctx, pairs, NONSENS_TEXT_ALL, p->text) : status;
    nonsens_pairs_free(pairs);
    return status;
}

static void test_memory(void **state)
{
    place *p = *state;
    static char whole[FILE_BYTES], again[FILE_BYTES];
    choose(p, "pairs", p->list);
    choose(p, "threads", "1");
    store(p->list, "a,d\n\"#e\",b\n", 11);
    assert_true(fail_every_allocation(&p->f, run_and_write, p) > 20);
    load(p->json, whole);
    choose(p, "resume", "true");
    assert_true(fail_every_allocation(&p->f, run_and_write, p) > 5);
    load(p->json, again);
    assert_string_equal(whole, again);
}

#define PLACE_TEST(function) cmocka_unit_test_setup_teardown(function, open_place, close_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_q_values_by_definition),
        TEST(test_q_values_of_the_paper),
        PLACE_TEST(test_pairs_are_directions),
        PLACE_TEST(test_lines_are_alike),
        PLACE_TEST(test_threads_change_nothing),
        PLACE_TEST(test_text_is_sorted),
        PLACE_TEST(test_lists),
        PLACE_TEST(test_no_list),
        PLACE_TEST(test_resumed_anywhere),
        PLACE_TEST(test_odd_lines_are_run_again),
        PLACE_TEST(test_cancelled_and_resumed),
        PLACE_TEST(test_other_journals_are_refused),
        PLACE_TEST(test_further_pairs),
        PLACE_TEST(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
