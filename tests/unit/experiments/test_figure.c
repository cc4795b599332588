/* test_figure.c - the frame of figures: every unit runs once, however the run was stopped, on any number of threads. */
#include "figures/figure.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"

/* ---- a figure with nothing to compute: three cells, one number each ---- */

static atomic_int runs; /* number of units run */

static void toy_name(int64_t cell, char name[CELL_NAME_BYTES])
{
    snprintf(name, CELL_NAME_BYTES, "cell-%c", (int)('a' + cell));
}

static nonsens_status toy_run(nonsens_context *ctx, arena *scratch, const void *base, int64_t cell, unit_seed seed,
                              json_value *line)
{
    (void)base;
    (void)ctx;
    (void)scratch;
    (void)cell;
    atomic_fetch_add(&runs, 1);
    json_object_set(line, "value", json_real(rng_uniform(&seed.stream)));
    return NONSENS_OK;
}

static bool toy_read(const json_value *line, void *unit)
{
    const json_value *value = json_object_get(line, "value");
    *(double *)unit = json_number_value(value);
    return json_is(value, JSON_NUMBER);
}

static nonsens_status toy_write(nonsens_context *ctx, arena *scratch, const study_units *units, FILE *out)
{
    (void)ctx;
    (void)scratch;
    for (int64_t i = 0; i < units->cells * units->reps; i++) {
        if (i % units->reps < units->reps_done[i / units->reps]) {
            fprintf(out, "%d %.17g\n", (int)units->cell[i / units->reps], ((const double *)units->unit)[i]);
        }
    }
    return NONSENS_OK;
}

static const figure TOY = {.study = {.name = "toy",
                                     .cells = 3,
                                     .reps = 4,
                                     .revision = 1,
                                     .cell_name = toy_name,
                                     .run = toy_run,
                                     .unit_bytes = sizeof(double),
                                     .read = toy_read},
                           .write_csv = toy_write,
                           .write_text = toy_write};
enum { TOY_UNITS = 12, FILE_BYTES = 1 << 14 };

/* ---- a folder ---- */

typedef struct place {
    char folder[40], out[64], journal[80], csv[80];
    nonsens_context *ctx;
    nonsens_options *options;
} place;

static void clear(const place *p)
{
    static const char *const suffix[] = {"journal", "csv"};
    char path[128];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", p->out, i < 2 ? "toy" : "linear-ica", suffix[i % 2]);
        unlink(path);
    }
}

static int open_place(void **state)
{
    place *p = calloc(1, sizeof *p);
    assert_non_null(p);
    *state = p;
    p->ctx = nonsens_context_new();
    strcpy(p->folder, "/tmp/test_figure_XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->out, sizeof p->out, "%s/out", p->folder);
    snprintf(p->journal, sizeof p->journal, "%s/toy.journal", p->out);
    snprintf(p->csv, sizeof p->csv, "%s/toy.csv", p->out);
    assert_int_equal(nonsens_options_new(p->ctx, NONSENS_COMMAND_REPRODUCE, &p->options), NONSENS_OK);
    assert_int_equal(nonsens_options_set(p->ctx, p->options, "out", p->out), NONSENS_OK);
    atomic_store(&runs, 0);
    return 0;
}

static int close_place(void **state)
{
    place *p = *state;
    memory_fail_at(-1);
    clear(p);
    rmdir(p->out);
    int left_over = rmdir(p->folder); // fails if a file was left
    nonsens_options_free(p->options);
    nonsens_context_free(p->ctx);
    free(p);
    return left_over;
}

static nonsens_status make_toy(place *p)
{
    context_begin(p->ctx);
    return figure_reproduce(p->ctx, p->options, &TOY, "/dev/null", NULL);
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

/* ---- stopped and resumed ---- */

/* Counts the lines of the journal that hold a unit. */
static int whole_lines(const char *path)
{
    char text[FILE_BYTES], *rest = NULL;
    int found = 0;
    nonsens_context *ctx = nonsens_context_new();
    load(path, text);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        json_value *unit;
        found += json_parse(ctx, line, strlen(line), false, NULL, &unit) == NONSENS_OK;
        json_decref(unit);
    }
    nonsens_context_free(ctx);
    return found;
}

static void test_cut_at_every_byte(void **state)
{
    place *p = *state;
    char text[FILE_BYTES], table[FILE_BYTES], again[FILE_BYTES];
    int units = 3;
    p->options->reps = 1;
    assert_int_equal(make_toy(p), NONSENS_OK);
    assert_int_equal(atomic_load(&runs), units);
    size_t length = load(p->journal, text);
    load(p->csv, table);
    p->options->resume = true;
    for (size_t cut = 0; cut <= length; cut++) {
        store(p->journal, text, cut);
        int kept = cut > 0 ? whole_lines(p->journal) : 0;
        atomic_store(&runs, 0);
        assert_int_equal(make_toy(p), NONSENS_OK);
        assert_int_equal(atomic_load(&runs), units - kept);
        assert_int_equal(whole_lines(p->journal), units); // what is appended after a torn line is not lost
        load(p->csv, again);
        assert_string_equal(again, table);
    }
}

static int stop_soon(void *user, const char *phase, int64_t done, int64_t total)
{
    (void)phase;
    (void)total;
    return done >= *(int *)user;
}

static void test_cancelled(void **state)
{
    place *p = *state;
    int enough = 5;
    p->options->threads = 1;
    nonsens_context_set_progress(p->ctx, stop_soon, &enough);
    assert_int_equal(make_toy(p), NONSENS_CANCELLED);
    assert_int_equal(access(p->csv, F_OK), -1);
    assert_int_equal(whole_lines(p->journal), enough);
    nonsens_context_set_progress(p->ctx, NULL, NULL);
    p->options->resume = true;
    assert_int_equal(make_toy(p), NONSENS_OK);
    assert_int_equal(atomic_load(&runs), TOY_UNITS);
}

/* A line that did not fit is an error; only its unit is run again. */
static void test_full_disk(void **state)
{
    place *p = *state;
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 450;
    p->options->threads = 1;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    nonsens_status status = make_toy(p);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, NONSENS_ERR_OUTPUT);
    assert_non_null(strstr(nonsens_context_message(p->ctx), "toy.journal"));
    int kept = whole_lines(p->journal);
    assert_int_equal(atomic_load(&runs), kept + 1); // no further unit was begun
    p->options->resume = true;
    assert_int_equal(make_toy(p), NONSENS_OK);
    assert_int_equal(atomic_load(&runs), TOY_UNITS + 1);
    assert_int_equal(whole_lines(p->journal), TOY_UNITS);
}

/* ---- requests ---- */

static void test_journal_is_not_overwritten(void **state)
{
    place *p = *state;
    assert_int_equal(make_toy(p), NONSENS_OK);
    assert_int_equal(make_toy(p), NONSENS_ERR_USAGE);
    assert_non_null(strstr(nonsens_context_message(p->ctx), "--resume"));
    assert_int_equal(atomic_load(&runs), TOY_UNITS);
}

/* More repetitions and other cells are added to the existing ones; units do not depend on which others are run. */
static void test_grows(void **state)
{
    place *p = *state;
    char all[FILE_BYTES], part[FILE_BYTES];
    p->options->reps = 6;
    assert_int_equal(make_toy(p), NONSENS_OK);
    load(p->csv, all);
    clear(p);
    p->options->cells = "*-b";
    p->options->reps = 2;
    assert_int_equal(make_toy(p), NONSENS_OK);
    load(p->csv, part);
    assert_int_equal(whole_lines(p->journal), 2);
    assert_non_null(strstr(all, part));
    p->options->cells = "*";
    p->options->reps = 6;
    p->options->resume = true;
    atomic_store(&runs, 0);
    assert_int_equal(make_toy(p), NONSENS_OK);
    assert_int_equal(atomic_load(&runs), 18 - 2);
    load(p->csv, part);
    assert_string_equal(part, all);
    p->options->cells = "cell-d";
    assert_int_equal(make_toy(p), NONSENS_ERR_USAGE);
    assert_non_null(strstr(nonsens_context_message(p->ctx), "cell-a to cell-c"));
}

/* Lines of an older revision are ignored. */
static void test_revision(void **state)
{
    place *p = *state;
    figure newer = TOY;
    newer.study.revision++;
    assert_int_equal(make_toy(p), NONSENS_OK);
    p->options->resume = true;
    assert_int_equal(figure_reproduce(p->ctx, p->options, &newer, "/dev/null", NULL), NONSENS_OK);
    assert_int_equal(atomic_load(&runs), 2 * TOY_UNITS);
}

static int second_cell_is_newer(int64_t cell)
{
    return cell == 1;
}

/* If a cell has its own revision, only the lines of that cell are made again. */
static void test_revision_of_a_cell(void **state)
{
    place *p = *state;
    figure newer = TOY;
    newer.study.cell_revision = second_cell_is_newer;
    assert_int_equal(make_toy(p), NONSENS_OK);
    p->options->resume = true;
    assert_int_equal(figure_reproduce(p->ctx, p->options, &newer, "/dev/null", NULL), NONSENS_OK);
    assert_int_equal(atomic_load(&runs), TOY_UNITS + 4);
}

static int64_t reps_of_cell(int64_t cell)
{
    return cell == 0 ? 1 : 5;
}

static bool last_is_fine(int64_t cell)
{
    return cell == 2;
}

/* Cells may have different numbers of repetitions, and some may need --fine. */
static void test_cells_differ(void **state)
{
    place *p = *state;
    figure uneven = TOY;
    char text[FILE_BYTES];
    uneven.study.cell_reps = reps_of_cell;
    uneven.study.is_fine = last_is_fine;
    assert_int_equal(figure_reproduce(p->ctx, p->options, &uneven, "/dev/null", NULL), NONSENS_OK);
    assert_int_equal(atomic_load(&runs), 1 + 5);
    load(p->csv, text);
    assert_int_equal(strncmp(text, "0 ", 2), 0);
    assert_int_equal(strncmp(strchr(text, '\n') + 1, "1 ", 2), 0);
    p->options->cells = "cell-c";
    assert_int_equal(figure_reproduce(p->ctx, p->options, &uneven, "/dev/null", NULL), NONSENS_ERR_USAGE);
    assert_non_null(strstr(nonsens_context_message(p->ctx), "--fine"));
    p->options->cells = "cell-b,*";
    p->options->resume = p->options->fine = true;
    assert_int_equal(figure_reproduce(p->ctx, p->options, &uneven, "/dev/null", NULL), NONSENS_OK);
    assert_int_equal(atomic_load(&runs), 1 + 5 + 5);
    p->options->reps = 6; // a cell that is always run once still is
    assert_int_equal(figure_reproduce(p->ctx, p->options, &uneven, "/dev/null", NULL), NONSENS_OK);
    assert_int_equal(atomic_load(&runs), 1 + 6 + 6);
}

static nonsens_status prepare_number(nonsens_context *ctx, arena *a, const nonsens_options *options, figure_data *out)
{
    (void)ctx;
    (void)a;
    if (strncmp(options->data, "there", 5) == 0) {
        out->data = malloc(1);
        out->hash = strlen(options->data);
    } else {
        out->missing = "the data are missing";
    }
    return NONSENS_OK;
}

/* Data that a figure needs are prepared once and released; if they are missing, a line says so and no file is made. */
static void test_prepared(void **state)
{
    place *p = *state;
    figure careful = TOY;
    char said[80], text[FILE_BYTES];
    careful.prepare = prepare_number;
    careful.release = free;
    snprintf(said, sizeof said, "%s/said", p->folder);
    assert_int_equal(figure_reproduce(p->ctx, p->options, &careful, said, NULL), NONSENS_OK);
    load(said, text);
    assert_string_equal(text, "toy skipped: the data are missing\n");
    assert_int_equal(unlink(said), 0);
    assert_int_not_equal(access(p->csv, F_OK), 0);
    assert_int_equal(nonsens_options_set(p->ctx, p->options, "data", "there"), NONSENS_OK);
    assert_int_equal(figure_reproduce(p->ctx, p->options, &careful, "/dev/null", NULL), NONSENS_OK);
    assert_int_equal(atomic_load(&runs), TOY_UNITS);
    p->options->resume = true;
    assert_int_equal(figure_reproduce(p->ctx, p->options, &careful, "/dev/null", NULL), NONSENS_OK);
    assert_int_equal(atomic_load(&runs), TOY_UNITS);
    assert_int_equal(nonsens_options_set(p->ctx, p->options, "data", "there, but others"), NONSENS_OK);
    assert_int_equal(figure_reproduce(p->ctx, p->options, &careful, "/dev/null", NULL), NONSENS_OK);
    assert_int_equal(atomic_load(&runs), 2 * TOY_UNITS);
}

static void test_folder_cannot_be_made(void **state)
{
    place *p = *state;
    assert_int_equal(nonsens_options_set(p->ctx, p->options, "out", "/dev/null/out"), NONSENS_OK);
    assert_int_equal(make_toy(p), NONSENS_ERR_OUTPUT);
    assert_non_null(strstr(nonsens_context_message(p->ctx), "/dev/null/out"));
    assert_int_equal(nonsens_options_set(p->ctx, p->options, "out", "/dev/null"), NONSENS_OK);
    assert_int_equal(make_toy(p), NONSENS_ERR_OUTPUT);
    assert_int_equal(nonsens_options_set(p->ctx, p->options, "out", ""), NONSENS_OK);
    assert_int_equal(make_toy(p), NONSENS_ERR_USAGE);
    assert_int_equal(atomic_load(&runs), 0);
}

/* ---- the figures themselves ---- */

static nonsens_status make_linear_ica(place *p)
{
    return figure_reproduce(p->ctx, p->options, &FIGURE_LINEAR_ICA, "/dev/null", NULL);
}

static void test_any_number_of_threads(void **state)
{
    place *p = *state;
    char path[80], one[FILE_BYTES], many[FILE_BYTES];
    snprintf(path, sizeof path, "%s/linear-ica.csv", p->out);
    p->options->cells = "*-50";
    p->options->reps = 2;
    p->options->threads = 1;
    assert_int_equal(make_linear_ica(p), NONSENS_OK);
    load(path, one);
    clear(p);
    p->options->threads = 3;
    assert_int_equal(make_linear_ica(p), NONSENS_OK);
    load(path, many);
    assert_string_equal(many, one);
}

static nonsens_status make_afresh(nonsens_context *ctx, arena *a, void *state)
{
    (void)ctx;
    (void)a;
    clear(state);
    return make_linear_ica(state);
}

static void test_failing_allocations(void **state)
{
    place *p = *state;
    fixture f = {p->ctx, {NULL}};
    p->options->cells = "skewed-random-50";
    p->options->reps = p->options->threads = 1;
    assert_true(fail_every_allocation(&f, make_afresh, p) > 10);
}

static void test_table_of_figures(void **state)
{
    place *p = *state;
    size_t count = 0;
    assert_string_equal(figure_at(0)->study.name, "bivariate");
    for (; figure_at(count); count++) {
        assert_ptr_equal(figure_find(figure_at(count)->study.name), figure_at(count));
    }
    assert_int_equal(count, 4);
    assert_null(figure_at(count));
    assert_null(figure_find("none"));
    assert_int_equal(p->options->seed, 100001);
}

#define PLACE_TEST(name) cmocka_unit_test_setup_teardown(name, open_place, close_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_cut_at_every_byte),
        PLACE_TEST(test_cancelled),
        PLACE_TEST(test_full_disk),
        PLACE_TEST(test_journal_is_not_overwritten),
        PLACE_TEST(test_grows),
        PLACE_TEST(test_revision),
        PLACE_TEST(test_revision_of_a_cell),
        PLACE_TEST(test_cells_differ),
        PLACE_TEST(test_prepared),
        PLACE_TEST(test_folder_cannot_be_made),
        PLACE_TEST(test_any_number_of_threads),
        PLACE_TEST(test_failing_allocations),
        PLACE_TEST(test_table_of_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
