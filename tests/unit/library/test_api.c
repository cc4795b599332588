/*
 * test_api.c - uses only the public header, as a caller would: simulate, data, direction, accessors, writers, errors,
 * cancelling.
 */
#include <nonsens/nonsens.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { SEGMENTS = 5, PER_SEGMENT = 100, ROWS = SEGMENTS * PER_SEGMENT, PATH_BYTES = 100 };

static nonsens_context *ctx;
static char folder[] = "/tmp/test_api_XXXXXX";

static int set_up(void **state)
{
    (void)state;
    ctx = nonsens_context_new();
    return ctx && mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    nonsens_context_free(ctx);
    return rmdir(folder); // fails if a test left a file behind
}

static void assert_ok(nonsens_status status)
{
    if (status != NONSENS_OK) {
        fail_msg("status %d: %s", (int)status, nonsens_context_message(ctx));
    }
}

static void assert_said(nonsens_status status, nonsens_status expected, const char *words)
{
    assert_int_equal(status, expected);
    if (!strstr(nonsens_context_message(ctx), words)) {
        fail_msg("\"%s\" does not contain \"%s\"", nonsens_context_message(ctx), words);
    }
}

/* Makes options from words "key", "value", ..., NULL. */
static nonsens_options *options_of(unsigned command, const char *const *words)
{
    nonsens_options *options;
    assert_ok(nonsens_options_new(ctx, command, &options));
    for (; *words; words += 2) {
        assert_ok(nonsens_options_set(ctx, options, words[0], words[1]));
    }
    return options;
}

static nonsens_simulation *simulate(void)
{
    static const char *const words[] = {"segments", "5", "per-segment", "100", "depth", "1", "seed", "3", NULL};
    nonsens_options *options = options_of(NONSENS_COMMAND_SIMULATE, words);
    nonsens_simulation *simulation;
    assert_ok(nonsens_simulation_new(ctx, options, &simulation));
    nonsens_options_free(options);
    return simulation;
}

static nonsens_data *simulated_data(void)
{
    nonsens_simulation *simulation = simulate();
    nonsens_data *data;
    assert_ok(nonsens_simulation_data(ctx, simulation, &data));
    nonsens_simulation_free(simulation); // the data are a copy
    return data;
}

/* Returns options for the least work that still runs every step. */
static nonsens_options *fast_options(void)
{
    static const char *const words[] = {"epochs",  "2",       "folds", "2", "restarts", "1", "threads", "1",
                                        "segment", "segment", "seed",  "4", "patience", "1", NULL};
    return options_of(NONSENS_COMMAND_DIRECTION, words);
}

static nonsens_result *direction_of(const nonsens_data *data)
{
    nonsens_options *options = fast_options();
    nonsens_result *result;
    assert_ok(nonsens_run_direction(ctx, data, options, &result));
    nonsens_options_free(options);
    return result;
}

static const char *path_of(const char *name)
{
    static char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Returns the whole file and removes it; the caller frees the text. */
static char *take_file(const char *name)
{
    enum { LIMIT = 1 << 20 };
    char *text = calloc(LIMIT, 1);
    FILE *file = fopen(path_of(name), "r");
    assert_non_null(text);
    assert_non_null(file);
    assert_true(fread(text, 1, LIMIT - 1, file) < LIMIT - 1);
    fclose(file);
    assert_int_equal(unlink(path_of(name)), 0);
    return text;
}

static bool is_label(const nonsens_data *data, const char *label)
{
    bool found = false;
    for (int64_t e = 0; e < nonsens_data_segment_count(data); e++) {
        found = found || strcmp(nonsens_data_segment_at(data, e), label) == 0;
    }
    return found;
}

/* ---- what the library is ---- */

static void test_version(void **state)
{
    (void)state;
    char version[40];
    snprintf(version, sizeof version, "%d.%d.%d", NONSENS_VERSION_MAJOR, NONSENS_VERSION_MINOR, NONSENS_VERSION_PATCH);
    assert_string_equal(nonsens_version(), version);
    assert_non_null(strstr(nonsens_build_info(), "compiler: "));
}

static void test_methods(void **state)
{
    (void)state;
    assert_true(nonsens_method_count() >= 2);
    for (size_t i = 0; i < nonsens_method_count(); i++) {
        const nonsens_method_info *method = nonsens_method_at(i);
        assert_true(method->name[0] && method->citation[0] && method->summary[0] && method->assumes[0]);
    }
    assert_null(nonsens_method_at(nonsens_method_count()));
}

/* ---- options ---- */

static void test_options(void **state)
{
    (void)state;
    nonsens_options *options = fast_options();
    const char *value = "untouched", *other;
    assert_ok(nonsens_options_get(ctx, options, "epochs", &value));
    assert_string_equal(value, "2");
    assert_ok(nonsens_options_get(ctx, options, "alpha", &other));
    assert_string_equal(other, "0.05");
    assert_ok(nonsens_options_set(ctx, options, "alpha", "0.010"));
    assert_string_equal(value, "2"); // valid until the option itself is set
    assert_ok(nonsens_options_get(ctx, options, "alpha", &other));
    assert_string_equal(other, "0.01");
    assert_said(nonsens_options_get(ctx, options, "nodes", &value), NONSENS_ERR_USAGE, "of direction");
    assert_null(value);
    assert_said(nonsens_options_set(ctx, options, "nokey", "1"), NONSENS_ERR_USAGE, "--nokey");
    assert_said(nonsens_options_set(ctx, options, "alpha", "2"), NONSENS_ERR_USAGE, "both excluded");
    assert_string_equal(nonsens_option_find("alpha", NONSENS_COMMAND_DIRECTION)->bounds,
                        "between 0 and 1, both excluded");
    assert_null(nonsens_option_find("layers", NONSENS_COMMAND_DIRECTION)->bounds);
    nonsens_options_free(options);
}

static void test_options_of_another_command(void **state)
{
    (void)state;
    static const char *const none[] = {NULL};
    nonsens_options *simulating = options_of(NONSENS_COMMAND_SIMULATE, none), *deciding = fast_options();
    nonsens_data *data = simulated_data(), *read;
    nonsens_result *result;
    nonsens_simulation *simulation;
    assert_said(nonsens_run_direction(ctx, data, simulating, &result), NONSENS_ERR_USAGE, "made for simulate");
    assert_said(nonsens_run_independence(ctx, data, deciding, &result), NONSENS_ERR_USAGE, "made for direction");
    assert_said(nonsens_run_diagnose(ctx, data, deciding, &result), NONSENS_ERR_USAGE, "made for direction");
    assert_null(result);
    assert_said(nonsens_simulation_new(ctx, deciding, &simulation), NONSENS_ERR_USAGE, "made for direction");
    assert_null(simulation);
    assert_said(nonsens_data_read(ctx, "none.csv", simulating, &read), NONSENS_ERR_USAGE, "made for simulate");
    assert_null(read);
    nonsens_options_free(simulating);
    nonsens_options_free(deciding);
    nonsens_data_free(data);
}

/* ---- data ---- */

static void test_simulated_data(void **state)
{
    (void)state;
    nonsens_data *data = simulated_data();
    assert_int_equal(nonsens_data_row_count(data), ROWS);
    assert_int_equal(nonsens_data_variable_count(data), 2);
    assert_int_equal(nonsens_data_segment_count(data), SEGMENTS);
    assert_string_equal(nonsens_data_variable_at(data, 1), "x2");
    assert_null(nonsens_data_variable_at(data, 2));
    assert_true(is_label(data, "s1") && is_label(data, "s5") && !is_label(data, "s6"));
    assert_null(nonsens_data_segment_at(data, SEGMENTS));
    assert_null(nonsens_data_segment_at(data, -1));
    assert_null(nonsens_data_warning_at(data, nonsens_data_warning_count(data)));
    nonsens_data_free(data);
}

static void test_unknown_column(void **state)
{
    (void)state;
    nonsens_data *data = simulated_data(), *read;
    nonsens_simulation *simulation = simulate();
    nonsens_options *options = fast_options();
    nonsens_result *result;
    assert_ok(nonsens_options_set(ctx, options, "x", "x1"));
    assert_ok(nonsens_options_set(ctx, options, "y", "nothere"));
    assert_said(nonsens_run_direction(ctx, data, options, &result), NONSENS_ERR_DATA, "there is no such variable");
    assert_ok(nonsens_simulation_write_csv(ctx, simulation, path_of("data.csv")));
    assert_said(nonsens_data_read(ctx, path_of("data.csv"), options, &read), NONSENS_ERR_DATA, "\"nothere\"");
    assert_ok(nonsens_options_set(ctx, options, "y", "x2"));
    assert_ok(nonsens_options_set(ctx, options, "segment", "nowhere"));
    assert_said(nonsens_data_read(ctx, path_of("data.csv"), options, &read), NONSENS_ERR_DATA, "\"nowhere\"");
    assert_null(read);
    assert_said(nonsens_data_read(ctx, path_of("none.csv"), options, &read), NONSENS_ERR_DATA, "no such file");
    assert_int_equal(unlink(path_of("data.csv")), 0);
    nonsens_options_free(options);
    nonsens_simulation_free(simulation);
    nonsens_data_free(data);
}

/* ---- results ---- */

static void check_evidence(const nonsens_result *result)
{
    int64_t count = nonsens_result_evidence_count(result);
    assert_true(count >= 4);
    for (int64_t i = 0; i < count; i++) {
        const nonsens_evidence *evidence = nonsens_result_evidence_at(result, i);
        assert_true(evidence->name[0] && evidence->text);
        assert_true(isnan(evidence->p_value) || (evidence->p_value >= 0 && evidence->p_value <= 1));
    }
    assert_null(nonsens_result_evidence_at(result, count));
    assert_null(nonsens_result_evidence_at(result, -1));
}

static void check_notes(const nonsens_result *result)
{
    int64_t count = nonsens_result_note_count(result);
    for (int64_t i = 0; i < count; i++) {
        assert_true(strlen(nonsens_result_note_at(result, i)->text) > 10);
        assert_in_range(nonsens_result_note_at(result, i)->level, NONSENS_NOTE_INFO, NONSENS_NOTE_PROBLEM);
    }
    assert_null(nonsens_result_note_at(result, count));
    assert_null(nonsens_result_note_at(result, -1));
}

/* Every row of the input occurs once; not all disturbances are constant. */
static void check_sources(const nonsens_result *result)
{
    bool seen[ROWS] = {false};
    const int64_t *input_row = nonsens_result_input_rows(result);
    assert_int_equal(nonsens_result_row_count(result), ROWS);
    for (int64_t i = 0; i < ROWS; i++) {
        assert_in_range(input_row[i], 0, ROWS - 1);
        assert_false(seen[input_row[i]]);
        seen[input_row[i]] = true;
    }
    bool changes = false; // a disturbance that does not visibly change over segments is not estimated
    for (int64_t j = 0; j < 2; j++) {
        const double *source = nonsens_result_source_at(result, j);
        assert_non_null(source);
        for (int64_t i = 0; i < ROWS; i++) {
            assert_true(isfinite(source[i]));
            changes = changes || source[i] != source[0];
        }
    }
    assert_true(changes);
    assert_null(nonsens_result_source_at(result, 2));
    assert_null(nonsens_result_source_at(result, -1));
}

static void test_direction(void **state)
{
    (void)state;
    nonsens_data *data = simulated_data();
    nonsens_result *result = direction_of(data);
    nonsens_data_free(data); // the result does not need the data
    static const char *const decisions[] = {"x1->x2", "x2->x1", "independent", "neither", "inconclusive"};
    const char *decision = nonsens_result_decision(result);
    int known = 0;
    for (size_t i = 0; i < sizeof decisions / sizeof *decisions; i++) {
        known += strcmp(decision, decisions[i]) == 0;
    }
    assert_int_equal(known, 1);
    assert_true(strcmp(decision, "inconclusive") != 0 || nonsens_result_reason(result) != NULL);
    assert_int_equal(strchr(decision, '>') != NULL, !isnan(nonsens_result_p_value(result)));
    check_evidence(result);
    check_notes(result);
    check_sources(result);
    nonsens_result_free(result);
}

/* The first row of the sources file belongs to the first row of the input. */
static void check_sources_file(const nonsens_result *result)
{
    const int64_t *input_row = nonsens_result_input_rows(result);
    int64_t first = 0;
    while (input_row[first] != 0) {
        first++;
    }
    assert_ok(nonsens_result_write_sources(ctx, result, path_of("sources.csv")));
    char *text = take_file("sources.csv"), *end;
    assert_int_equal(strncmp(text, "row,N_x1,N_x2\n1,", 16), 0);
    assert_true(strtod(text + 16, &end) == nonsens_result_source_at(result, 0)[first]);
    assert_true(strtod(end + 1, NULL) == nonsens_result_source_at(result, 1)[first]);
    free(text);
}

static void test_writers(void **state)
{
    (void)state;
    nonsens_data *data = simulated_data();
    nonsens_result *result = direction_of(data);
    char expected[PATH_BYTES];
    assert_ok(nonsens_result_write_json(ctx, result, path_of("result.json")));
    char *json = take_file("result.json");
    snprintf(expected, sizeof expected, "\"decision\": \"%s\"", nonsens_result_decision(result));
    assert_non_null(strstr(json, expected));
    free(json);
    assert_ok(nonsens_result_write_text(ctx, result, 0, path_of("result.txt")));
    char *text = take_file("result.txt");
    snprintf(expected, sizeof expected, "decision: %s\n", nonsens_result_decision(result));
    assert_int_equal(strncmp(text, expected, strlen(expected)), 0);
    free(text);
    check_sources_file(result);
    assert_said(nonsens_result_write_json(ctx, result, path_of("nofolder/result.json")), NONSENS_ERR_OUTPUT,
                "nofolder");
    nonsens_result_free(result);
    nonsens_data_free(data);
}

static double hash_of(const nonsens_data *data, char hash[17])
{
    nonsens_result *result = direction_of(data);
    double score = nonsens_result_score(result);
    assert_ok(nonsens_result_write_json(ctx, result, path_of("hash.json")));
    char *json = take_file("hash.json"), *at = strstr(json, "\"data_hash\": \"");
    assert_non_null(at);
    memcpy(hash, at + 14, 16);
    hash[16] = '\0';
    free(json);
    nonsens_result_free(result);
    return score;
}

/* Data taken from the simulation are the same, to the last bit, as data written to a file and read back. */
static void test_file_and_memory_agree(void **state)
{
    (void)state;
    nonsens_simulation *simulation = simulate();
    nonsens_options *options = fast_options();
    nonsens_data *direct, *read;
    char direct_hash[17], read_hash[17];
    assert_ok(nonsens_simulation_data(ctx, simulation, &direct));
    assert_ok(nonsens_simulation_write_csv(ctx, simulation, path_of("data.csv")));
    assert_ok(nonsens_simulation_write_truth(ctx, simulation, path_of("truth.json")));
    assert_ok(nonsens_data_read(ctx, path_of("data.csv"), options, &read));
    assert_true(hash_of(direct, direct_hash) == hash_of(read, read_hash));
    assert_string_equal(direct_hash, read_hash);
    char *truth = take_file("truth.json");
    assert_non_null(strstr(truth, "\"per-segment\": 100"));
    free(truth);
    assert_int_equal(unlink(path_of("data.csv")), 0);
    nonsens_data_free(direct);
    nonsens_data_free(read);
    nonsens_options_free(options);
    nonsens_simulation_free(simulation);
}

static void test_independence_and_diagnose(void **state)
{
    (void)state;
    static const char *const words[] = {"threads", "1", NULL};
    nonsens_data *data = simulated_data();
    nonsens_options *testing = options_of(NONSENS_COMMAND_INDEPENDENCE, words);
    nonsens_options *looking = options_of(NONSENS_COMMAND_DIAGNOSE, words);
    nonsens_result *result;
    assert_ok(nonsens_run_independence(ctx, data, testing, &result));
    bool dependent = nonsens_result_p_value(result) <= 0.05;
    assert_string_equal(nonsens_result_decision(result), dependent ? "dependent" : "independent");
    assert_null(nonsens_result_direction(result));
    assert_null(nonsens_result_source_at(result, 0));
    assert_said(nonsens_result_write_sources(ctx, result, path_of("none.csv")), NONSENS_ERR_USAGE, "no disturbances");
    nonsens_result_free(result);
    assert_ok(nonsens_run_diagnose(ctx, data, looking, &result));
    assert_string_equal(nonsens_result_decision(result), "none");
    assert_true(isnan(nonsens_result_p_value(result)) && isnan(nonsens_result_score(result)));
    assert_null(nonsens_result_reason(result));
    assert_true(nonsens_result_note_count(result) > 0);
    check_evidence(result);
    check_notes(result);
    nonsens_result_free(result);
    nonsens_options_free(testing);
    nonsens_options_free(looking);
    nonsens_data_free(data);
}

static void test_ica(void **state)
{
    (void)state;
    static const char *const words[] = {"method", "joint-diagonalisation", NULL};
    nonsens_options *options = options_of(NONSENS_COMMAND_ICA, words);
    nonsens_data *data = simulated_data();
    nonsens_result *result;
    assert_ok(nonsens_run_ica(ctx, data, options, &result));
    assert_int_equal(nonsens_result_source_count(result), 2);
    const double *w = nonsens_result_unmixing(result), *a = nonsens_result_mixing(result);
    assert_true(fabs(w[0] * a[0] + w[1] * a[2] - 1.0) < 1e-12 && fabs(w[0] * a[1] + w[1] * a[3]) < 1e-12);
    assert_ok(nonsens_result_write_sources(ctx, result, path_of("sources.csv")));
    char *text = take_file("sources.csv");
    assert_int_equal(strncmp(text, "s1,s2,segment\n", 14), 0);
    free(text);
    nonsens_result_free(result);
    nonsens_data_free(data);
    nonsens_options_free(options);
}

/* ---- cancelling ---- */

static int stop_at_once(void *user, const char *phase, int64_t done, int64_t total)
{
    assert_true(phase && phase[0] && done >= 0 && done <= total);
    ++*(int *)user;
    return 1;
}

static void test_progress_cancels(void **state)
{
    (void)state;
    nonsens_data *data = simulated_data();
    nonsens_options *options = fast_options();
    nonsens_result *result;
    int calls = 0;
    nonsens_context_set_progress(ctx, stop_at_once, &calls);
    assert_said(nonsens_run_direction(ctx, data, options, &result), NONSENS_CANCELLED, "interrupted");
    assert_null(result);
    assert_true(calls > 0);
    nonsens_context_set_progress(ctx, NULL, NULL);
    assert_ok(nonsens_run_direction(ctx, data, options, &result)); // the request to cancel was only for that run
    nonsens_result_free(result);
    nonsens_context_cancel(ctx);
    assert_ok(nonsens_run_direction(ctx, data, options, &result));
    nonsens_result_free(result);
    nonsens_options_free(options);
    nonsens_data_free(data);
}

/* The limit holds for its own run; the estimated memory depends on what a method needs. */
static int finish_at_call(void *user, const char *phase, int64_t done, int64_t total)
{
    (void)phase;
    (void)done;
    (void)total;
    if (--*(int *)user == 0) {
        nonsens_context_finish(ctx);
    }
    return 0;
}

/*
 * Asks a search to finish after `calls` reports of progress; it must end with this status.  It uses one thread, because
 * with several only the first reports progress, perhaps when everything is done.
 */
static void discover_until(int calls, const char *method, nonsens_status status, int unfinished)
{
    nonsens_data *data = NULL;
    nonsens_result *result = NULL;
    nonsens_simulation *simulation = simulate();
    assert_ok(nonsens_simulation_data(ctx, simulation, &data));
    nonsens_simulation_free(simulation);
    nonsens_options *options =
        options_of(NONSENS_COMMAND_DISCOVER, (const char *[]){"method", method, "threads", "1", NULL});
    nonsens_context_set_progress(ctx, finish_at_call, &calls);
    assert_int_equal(nonsens_run_discover(ctx, data, options, &result), status);
    nonsens_context_set_progress(ctx, NULL, NULL);
    assert_int_equal(nonsens_result_is_unfinished(result), unfinished);
    assert_true(status == NONSENS_OK || !result);
    nonsens_result_free(result);
    nonsens_options_free(options);
    nonsens_data_free(data);
}

static void test_a_search_finishes_early(void **state)
{
    (void)state;
    discover_until(1, "structured", NONSENS_OK, 1);
    discover_until(1000000, "structured", NONSENS_OK, 0);
    discover_until(1, "resit", NONSENS_CANCELLED, 0);
}

static void test_limit_of_memory(void **state)
{
    (void)state;
    nonsens_data *data = simulated_data();
    nonsens_options *options = fast_options();
    nonsens_result *result;
    int64_t estimated = nonsens_data_estimate_memory(data, options);
    assert_true(estimated > 1000000);
    assert_ok(nonsens_options_set(ctx, options, "max-memory", "1"));
    assert_said(nonsens_run_direction(ctx, data, options, &result), NONSENS_ERR_MEMORY, "1 MB");
    assert_null(result);
    assert_ok(nonsens_options_set(ctx, options, "max-memory", "0"));
    assert_ok(nonsens_run_direction(ctx, data, options, &result));
    nonsens_result_free(result);
    assert_ok(nonsens_options_set(ctx, options, "method", "lingam"));
    assert_true(nonsens_data_estimate_memory(data, options) < estimated);
    nonsens_options_free(options);
    nonsens_data_free(data);
}

/* Freeing NULL does nothing, and other objects stay usable. */
static void test_freeing_nothing(void **state)
{
    nonsens_options *options;
    (void)state;
    assert_ok(nonsens_options_new(ctx, NONSENS_COMMAND_DIRECTION, &options));
    nonsens_context_free(NULL);
    nonsens_options_free(NULL);
    nonsens_data_free(NULL);
    nonsens_result_free(NULL);
    nonsens_simulation_free(NULL);
    assert_ok(nonsens_options_set(ctx, options, "alpha", "0.01"));
    nonsens_options_free(options);
}

/* ---- independence of many pairs ---- */

enum { CHAIN_ROWS = 300 };

/* Makes a -> c -> b, deterministically, with a simple generator. */
static nonsens_data *chain_data(void)
{
    static double values[3 * CHAIN_ROWS];
    const char *names[] = {"a", "b", "c"};
    nonsens_data *data;
    unsigned seed = 12345;
    for (int i = 0; i < CHAIN_ROWS; i++) {
        double noise[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < 36; k++) {
            seed = 1664525u * seed + 1013904223u;
            noise[k % 3] += (double)(seed >> 8) / 16777216.0 - 0.5;
        }
        values[3 * i] = noise[0];
        values[3 * i + 2] = values[3 * i] + 0.5 * noise[2];
        values[3 * i + 1] = values[3 * i + 2] + 0.5 * noise[1];
    }
    assert_ok(nonsens_data_from_arrays(ctx, CHAIN_ROWS, 3, values, 3, 1, names, NULL, &data));
    return data;
}

static void test_many_questions(void **state)
{
    (void)state;
    nonsens_data *data = chain_data();
    const char *const tests[] = {"auto", "kci", "rcit", "fisher-z", "residuals"};
    const int64_t given[] = {2};
    for (size_t k = 0; k < sizeof tests / sizeof *tests; k++) {
        nonsens_options *options =
            options_of(NONSENS_COMMAND_INDEPENDENCE, (const char *const[]){"test", tests[k], NULL});
        nonsens_ci *tester;
        double statistic, p, again;
        int64_t asked, remembered;
        assert_ok(nonsens_ci_new(ctx, data, options, &tester));
        assert_ok(nonsens_ci_test(ctx, tester, 0, 1, NULL, 0, &statistic, &p));
        assert_true(p < 1e-6 && statistic > 0.0);
        assert_ok(nonsens_ci_test(ctx, tester, 0, 1, given, 1, NULL, &p));
        assert_true(p > 0.01);
        assert_ok(nonsens_ci_test(ctx, tester, 1, 0, given, 1, NULL, &again));
        assert_true(p == again);
        asked = nonsens_ci_asked_count(tester);
        remembered = nonsens_ci_remembered_count(tester);
        assert_int_equal(asked, 3);
        assert_int_equal(remembered, 1);
        assert_said(nonsens_ci_test(ctx, tester, 0, 3, NULL, 0, NULL, &p), NONSENS_ERR_USAGE, "no variable 3");
        assert_true(isnan(p));
        nonsens_ci_free(tester);
        nonsens_options_free(options);
    }
    nonsens_options *change = options_of(NONSENS_COMMAND_INDEPENDENCE, (const char *const[]){"test", "ks", NULL});
    nonsens_ci *none;
    assert_said(nonsens_ci_new(ctx, data, change, &none), NONSENS_ERR_USAGE, "segment");
    assert_null(none);
    nonsens_ci_free(NULL);
    nonsens_options_free(change);
    nonsens_data_free(data);
}

/* Numbers refer to the variables of arrays, in any order; what does not belong to a question is refused. */
static void test_roles_by_number(void **state)
{
    (void)state;
    nonsens_data *data = chain_data();
    nonsens_options *options =
        options_of(NONSENS_COMMAND_INDEPENDENCE, (const char *const[]){"x", "#1", "y", "#2", "given", "#3", NULL});
    nonsens_result *result;
    assert_ok(nonsens_run_independence(ctx, data, options, &result));
    assert_string_equal(nonsens_result_evidence_at(result, 0)->name, "kci(a, b | c)");
    assert_string_equal(nonsens_result_decision(result), "independent");
    nonsens_result_free(result);
    assert_ok(nonsens_options_set(ctx, options, "y", "#3"));
    assert_ok(nonsens_options_set(ctx, options, "given", "#2"));
    assert_ok(nonsens_run_independence(ctx, data, options, &result));
    assert_string_equal(nonsens_result_evidence_at(result, 0)->name, "kci(a, c | b)");
    nonsens_result_free(result);
    assert_ok(nonsens_options_set(ctx, options, "test", "ks"));
    assert_said(nonsens_run_independence(ctx, data, options, &result), NONSENS_ERR_USAGE, "leave out y and given");
    nonsens_options_free(options);
    nonsens_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version),
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_options_of_another_command),
        cmocka_unit_test(test_simulated_data),
        cmocka_unit_test(test_unknown_column),
        cmocka_unit_test(test_direction),
        cmocka_unit_test(test_writers),
        cmocka_unit_test(test_file_and_memory_agree),
        cmocka_unit_test(test_independence_and_diagnose),
        cmocka_unit_test(test_ica),
        cmocka_unit_test(test_many_questions),
        cmocka_unit_test(test_roles_by_number),
        cmocka_unit_test(test_progress_cancels),
        cmocka_unit_test(test_a_search_finishes_early),
        cmocka_unit_test(test_limit_of_memory),
        cmocka_unit_test(test_freeing_nothing),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
