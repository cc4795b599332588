/* test_graph_figures.c - the figures about graphs: cells, lines of their journals, data, tables and texts. */
#include "base/number.h"
#include "figures/figure.h"
#include "figures/found_graph.h"
#include "tasks/bootstrap.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "json_of.h"

enum { FILE_BYTES = 1 << 15, FEW = 8 };

/* ---- helpers ---- */

static int64_t cell_named(const figure *f, const char *name)
{
    char other[CELL_NAME_BYTES];
    for (int64_t k = 0; k < f->study.cells; k++) {
        f->study.cell_name(k, other);
        if (strcmp(other, name) == 0) {
            return k;
        }
    }
    fail_msg("no cell is called %s", name);
    return -1;
}

static json_value *run_cell(fixture *f, const figure *shown, const void *base, const char *cell, uint64_t seed)
{
    json_value *line = json_object();
    unit_seed own = {rng_new(seed, RNG_TEST, 0), seed};
    nonsens_status status = shown->study.run(f->ctx, &f->scratch, base, cell_named(shown, cell), own, line);
    if (status != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(f->ctx));
    }
    return line;
}

/* Units of cells, each with up to FEW lines given as JSON texts. */
typedef struct made_cell {
    const char *name;
    const char *line[FEW];
} made_cell;

static char *written(fixture *f, const figure *shown, figure_write_fn write, int64_t cells, const made_cell *made)
{
    int64_t *cell = arena_get(f->ctx, &f->scratch, cells, sizeof *cell);
    int64_t *reps = arena_get(f->ctx, &f->scratch, cells, sizeof *reps);
    char *units = arena_get(f->ctx, &f->scratch, cells * FEW, shown->study.unit_bytes), *text = NULL;
    size_t bytes = 0;
    for (int64_t k = 0; k < cells; k++) {
        cell[k] = cell_named(shown, made[k].name);
        for (; reps[k] < FEW && made[k].line[reps[k]]; reps[k]++) {
            json_value *line = json_of(made[k].line[reps[k]]);
            assert_true(shown->study.read(line, units + (size_t)(k * FEW + reps[k]) * shown->study.unit_bytes));
            json_decref(line);
        }
    }
    study_units all = {cells, FEW, cell, units, reps};
    FILE *stream = open_memstream(&text, &bytes);
    assert_int_equal(write(f->ctx, &f->scratch, &all, stream), NONSENS_OK);
    fclose(stream);
    return text;
}

static void assert_says(const char *text, const char *words)
{
    if (!text || !strstr(text, words)) {
        fail_msg("\"%s\" does not say \"%s\"", text ? text : "", words);
    }
}

static void load(const char *path, char bytes[FILE_BYTES])
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    bytes[fread(bytes, 1, FILE_BYTES - 1, file)] = '\0';
    fclose(file);
}

/* ---- a folder for files ---- */

typedef struct place {
    char folder[40], out[64], csv[80], said[64], table_folder[64], table[96];
    nonsens_context *ctx;
    nonsens_options *options;
    const figure *figure;
} place;

static void clear(const place *p)
{
    static const char *const suffix[] = {"journal", "csv"};
    char path[128];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", p->out, p->figure->study.name, suffix[i]);
        unlink(path);
    }
}

static void open_place(place *p, const figure *shown)
{
    *p = (place){.ctx = nonsens_context_new(), .figure = shown};
    strcpy(p->folder, "/tmp/test_graph_figures_XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->out, sizeof p->out, "%s/out", p->folder);
    snprintf(p->csv, sizeof p->csv, "%s/%s.csv", p->out, shown->study.name);
    snprintf(p->said, sizeof p->said, "%s/said", p->folder);
    snprintf(p->table_folder, sizeof p->table_folder, "%s/mtl_fmri", p->folder);
    snprintf(p->table, sizeof p->table, "%s/mtl_6regions.csv", p->table_folder);
    assert_int_equal(nonsens_options_new(p->ctx, NONSENS_COMMAND_REPRODUCE, &p->options), NONSENS_OK);
    assert_int_equal(nonsens_options_set(p->ctx, p->options, "out", p->out), NONSENS_OK);
    assert_int_equal(nonsens_options_set(p->ctx, p->options, "data", p->folder), NONSENS_OK);
}

static void close_place(place *p)
{
    clear(p);
    unlink(p->table);
    rmdir(p->table_folder);
    unlink(p->said);
    rmdir(p->out);
    assert_int_equal(rmdir(p->folder), 0); // fails if a file was left
    nonsens_options_free(p->options);
    nonsens_context_free(p->ctx);
}

static void make(place *p, const char *cells, int64_t reps, int64_t threads, char csv[FILE_BYTES])
{
    clear(p);
    p->options->cells = cells;
    p->options->reps = reps;
    p->options->threads = threads;
    if (figure_reproduce(p->ctx, p->options, p->figure, p->said, NULL) != NONSENS_OK) {
        fail_msg("%s", nonsens_context_message(p->ctx));
    }
    load(p->csv, csv);
}

static void assert_same_on_threads(const figure *shown, const char *cells)
{
    char one[FILE_BYTES], many[FILE_BYTES];
    place p;
    open_place(&p, shown);
    make(&p, cells, 3, 1, one);
    make(&p, cells, 3, 3, many);
    assert_string_equal(many, one);
    close_place(&p);
}

/* ---- graphs in lines ---- */

static void test_edges(void **state)
{
    (void)state;
    found_graph g;
    json_value *edges = json_of("[[2,0,\"-->\"],[0,1,\"---\"],[3,1,\"<->\"],[1,4,\"-->\"],[4,1,\"<->\"]]");
    assert_true(found_graph_read_edges(edges, &g));
    json_decref(edges);
    assert_int_equal(g.mark[0][2], PDAG_BACK);
    assert_int_equal(g.mark[0][1], PDAG_LINE);
    assert_int_equal(g.mark[1][3], PDAG_BOTH);
    assert_int_equal(g.mark[1][4], PDAG_BOTH); // two edges
    assert_int_equal(g.mark[1][2], PDAG_NONE);
    assert_false(g.failed);
}

static void test_edges_that_are_not(void **state)
{
    (void)state;
    static const char *const wrong[] = {"{}",
                                        "{\"edges\":3}",
                                        "{\"edges\":[[0,6,\"-->\"]]}",
                                        "{\"edges\":[[-1,2,\"-->\"]]}",
                                        "{\"edges\":[[1,1,\"-->\"]]}",
                                        "{\"edges\":[[0,1,\"->>\"]]}",
                                        "{\"edges\":[[0,1]]}",
                                        "{\"edges\":[[0.0,1,\"-->\"]]}",
                                        "{\"failed\":true}"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        found_graph g;
        json_value *line = json_of(wrong[i]);
        assert_false(found_graph_read(line, &g));
        json_decref(line);
    }
}

/* A failure that is due to the data is stored in the line. */
static void test_failure_is_told(void **state)
{
    fixture *f = *state;
    const found_by how = {"structured", {{"method", "structured"}}};
    double values[24];
    nonsens_data *data;
    found_graph g;
    json_value *line = json_object();
    for (int i = 0; i < 24; i++) {
        values[i] = sin(i * i + i / 12);
    }
    assert_int_equal(nonsens_data_from_arrays(f->ctx, 12, 2, values, 2, 1, NULL, NULL, &data), NONSENS_OK);
    assert_int_equal(found_graph_run(f->ctx, &how, data, 1, line), NONSENS_OK);
    assert_says(json_get_string(line, "failed"), "segment");
    assert_true(found_graph_read(line, &g) && g.failed);
    const found_by wrong = {"none", {{"no-such-option", "1"}}};
    assert_int_equal(found_graph_run(f->ctx, &wrong, data, 1, line), NONSENS_ERR_USAGE); // no result, but an error
    json_decref(line);
    nonsens_data_free(data);
}

/* ---- graphs of six variables ---- */

/* Names identify cells and are unique. */
static void test_cells_of_graphs(void **state)
{
    (void)state;
    const figure *shown = &FIGURE_SIX_VARIABLES;
    int fine = 0, seldom = 0;
    for (int64_t k = 0; k < shown->study.cells; k++) {
        char name[CELL_NAME_BYTES], generator[16], method[CELL_NAME_BYTES];
        int depth;
        shown->study.cell_name(k, name);
        assert_int_equal(sscanf(name, "%15[a-z]-depth%d-%63s", generator, &depth, method), 3);
        assert_true(depth >= 1 && depth <= 5);
        bool node = strcmp(generator, "node") == 0, slow = shown->study.cell_reps(k) == 5;
        assert_true(node || strcmp(generator, "layered") == 0);
        assert_int_equal(shown->study.is_fine(k), node);
        assert_int_equal(slow, strcmp(method, "resit") == 0 || strcmp(method, "cdnod") == 0);
        assert_true(!slow || depth % 2 == 1);
        assert_true(slow || shown->study.cell_reps(k) == 10);
        assert_int_equal(cell_named(shown, name), k); // no earlier cell has this name
        fine += node;
        seldom += slow;
    }
    assert_int_equal(2 * fine, shown->study.cells);
    assert_int_equal(seldom, 2 * 2 * 3);
    cell_named(shown, "layered-depth3-structured");
    cell_named(shown, "node-depth5-cdnod");
}

/* All methods see the data of the seed, and a line can be read back. */
static void test_unit_of_graphs(void **state)
{
    fixture *f = *state;
    const figure *shown = &FIGURE_SIX_VARIABLES;
    char unit[256];
    assert_true(sizeof unit >= shown->study.unit_bytes);
    json_value *pc = run_cell(f, shown, NULL, "layered-depth1-pc", 7);
    json_value *again = run_cell(f, shown, NULL, "layered-depth1-pc", 7);
    json_value *lingam = run_cell(f, shown, NULL, "layered-depth1-lingam", 7);
    json_value *other = run_cell(f, shown, NULL, "layered-depth1-pc", 8);
    assert_true(shown->study.read(pc, unit) && shown->study.read(lingam, unit));
    assert_true(json_array_size(json_object_get(pc, "truth")) > 0);
    assert_true(json_equal(json_object_get(pc, "truth"), json_object_get(lingam, "truth")));
    assert_true(json_equal(json_object_get(pc, "edges"), json_object_get(again, "edges")));
    assert_false(json_equal(json_object_get(pc, "truth"), json_object_get(other, "truth")));
    assert_true(json_has(pc, "seconds", JSON_NUMBER));
    json_object_set(pc, "truth", json_null());
    assert_false(shown->study.read(pc, unit));
    json_decref(pc);
    json_decref(again);
    json_decref(lingam);
    json_decref(other);
}

static void test_threads_of_graphs(void **state)
{
    (void)state;
    assert_same_on_threads(&FIGURE_SIX_VARIABLES, "layered-depth[12]-pc");
}

static nonsens_status make_afresh(nonsens_context *ctx, arena *a, void *state)
{
    (void)ctx;
    (void)a;
    place *p = state;
    clear(p);
    return figure_reproduce(p->ctx, p->options, p->figure, "/dev/null", NULL);
}

static void test_failing_allocations(void **state)
{
    (void)state;
    place p;
    open_place(&p, &FIGURE_SIX_VARIABLES);
    fixture f = {p.ctx, {NULL}};
    p.options->cells = "layered-depth1-pc";
    p.options->reps = p.options->threads = 1;
    assert_true(fail_every_allocation(&f, make_afresh, &p) > 10);
    close_place(&p);
}

#define TRUTH "\"truth\":[[0,1,\"-->\"],[1,2,\"-->\"]]"
/* Arrows: 1 correct, 2 found, 2 true (3 in the closure); pairs: 2 correct of 3 found; one reversed, one extra. */
static const char HALF_RIGHT[] = "{" TRUTH ",\"edges\":[[0,1,\"-->\"],[2,1,\"-->\"],[3,4,\"---\"]]}";
static const char RIGHT[] = "{" TRUTH ",\"edges\":[[0,1,\"-->\"],[1,2,\"-->\"]]}";
static const char NOTHING[] = "{" TRUTH ",\"edges\":[]}";
static const char FAILED[] = "{" TRUTH ",\"failed\":\"no\"}";

static void test_table_of_graphs(void **state)
{
    const figure *shown = &FIGURE_SIX_VARIABLES;
    made_cell cells[] = {{"layered-depth2-pc", {HALF_RIGHT, RIGHT, FAILED}}, {"node-depth1-lingam", {NOTHING}}};
    char *text = written(*state, shown, shown->write_csv, 2, cells);
    assert_string_equal(text, "generator,depth,method,reps,f1,f1_se,skeleton_f1,skeleton_f1_se,direction_accuracy,"
                              "direction_accuracy_se,shd,shd_se,closure_f1,closure_f1_se,closure_shd,closure_shd_se,"
                              "failed\n"
                              "layered,2,pc,3,0.75,0.25,0.9,0.1,0.75,0.25,1,1,0.6,0.2,2,1,1\n"
                              "node,1,lingam,1,0,,0,,,,2,,0,,3,,0\n");
    free(text);
}

static void test_text_of_graphs(void **state)
{
    const figure *shown = &FIGURE_SIX_VARIABLES;
    made_cell cells[] = {
        {"layered-depth2-structured", {HALF_RIGHT, HALF_RIGHT, HALF_RIGHT, HALF_RIGHT, HALF_RIGHT, NOTHING}},
        {"layered-depth2-pc", {RIGHT, RIGHT, RIGHT, RIGHT, RIGHT, FAILED}},
        {"layered-depth3-pc", {RIGHT, RIGHT}}};
    char *text = written(*state, shown, shown->write_text, 3, cells);
    assert_says(text,
                "six-variables layered-depth2-pc reps=6 f1=1 f1_se=0 skeleton_f1=1 direction_accuracy=1 shd=0 shd_se=0 "
                "closure_f1=0.8 closure_shd=1 failed=1\n");
    assert_says(text, "\nlayered-depth2-pc ahead of structured, by f1 0.5, standard error 0, 5 data sets\n"
                      "layered-depth2-pc ahead of structured, by shd 2, standard error 0, 5 data sets\n");
    assert_null(strstr(text, "layered-depth3-pc ahead"));
    free(text);
    cells[1] = (made_cell){"layered-depth2-pc", {RIGHT, RIGHT, RIGHT, RIGHT}}; // too few for a comparison
    text = written(*state, shown, shown->write_text, 2, cells);
    assert_null(strstr(text, "ahead"));
    free(text);
    cells[0] = (made_cell){"layered-depth2-structured", {RIGHT, RIGHT, RIGHT, RIGHT, RIGHT}};
    cells[1] = (made_cell){"layered-depth2-pc", {RIGHT, RIGHT, HALF_RIGHT, RIGHT, RIGHT}};
    text = written(*state, shown, shown->write_text, 2, cells);
    assert_says(text, "\nno method ahead of structured");
    free(text);
    text = written(*state, shown, shown->write_text, 1, cells + 1);
    assert_null(strstr(text, "ahead"));
    free(text);
}

/* ---- medial temporal lobe ---- */

enum { SEGMENTS = 3, POINTS = 168, STEP = 14 };

/* Regions are independent noise, except ERC, which follows PRC; points to be thinned out have extreme values. */
static void write_table(const place *p)
{
    rng r = rng_new(1, RNG_TEST, 1);
    char number[NUMBER_BYTES];
    assert_int_equal(mkdir(p->table_folder, 0777), 0);
    FILE *file = fopen(p->table, "w");
    assert_non_null(file);
    fputs("segment,subject,hemi,t,PRC,PHC,ERC,SUB,CA1,CA3DG\n", file);
    for (int i = 0; i < SEGMENTS * POINTS; i++) {
        int t = i % POINTS;
        double prc = 0;
        fprintf(file, "%d,1,L,%d", i / POINTS, t);
        for (int j = 0; j < FOUND_NODES; j++) {
            double noise = (1 + i / POINTS) * (rng_uniform(&r) - 0.5);
            prc = j == 0 ? noise : prc;
            fprintf(file, ",%s", number_print(number, t % STEP ? 1e6 + noise : j == 2 ? prc + 0.1 * noise : noise, 9));
        }
        fputs("\n", file);
    }
    assert_int_equal(fclose(file), 0);
}

static void test_cells_of_fmri(void **state)
{
    (void)state;
    static const char *const name[] = {"pc-nonsens-all", "pc-nonsens-halves", "structured-all", "structured-halves"};
    assert_int_equal(FIGURE_FMRI.study.cells, 4);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(cell_named(&FIGURE_FMRI, name[k]), k);
        assert_int_equal(FIGURE_FMRI.study.cell_reps(k), k % 2 ? 50 : 1);
    }
}

/* Keeps every 14th point of each segment in time, and the regions in the order of the figure. */
static void test_thinning(void **state)
{
    fixture *f = *state;
    place p;
    figure_data base = {.data = NULL};
    open_place(&p, &FIGURE_FMRI);
    write_table(&p);
    assert_int_equal(FIGURE_FMRI.prepare(f->ctx, &f->scratch, p.options, &base), NONSENS_OK);
    assert_null(base.missing);
    const nonsens_data *data = base.data;
    assert_int_equal(data->n, SEGMENTS * POINTS / STEP);
    assert_int_equal(data->segments, SEGMENTS);
    assert_string_equal(data->names[0], "PRC");
    assert_string_equal(data->names[5], "CA3DG");
    for (int64_t i = 0; i < data->n; i++) {
        assert_int_equal(data->input_row[i] % STEP, 0);
        assert_true(fabs(matrix_col(data->x, 3)[i]) < 10);
    }
    FIGURE_FMRI.release(base.data);
    close_place(&p);
}

static void test_threads_of_fmri(void **state)
{
    (void)state;
    char one[FILE_BYTES], many[FILE_BYTES];
    place p;
    open_place(&p, &FIGURE_FMRI);
    write_table(&p);
    make(&p, "pc-nonsens-*", 2, 1, one);
    assert_says(one, "method,from,to,type,feasible,found,support,halves,failed\n");
    assert_says(one, ",2,0\n"); // two halves, none of which failed
    assert_says(one, "ERC");
    make(&p, "pc-nonsens-*", 2, 3, many);
    assert_string_equal(many, one);
    close_place(&p);
}

static nonsens_status prepare_and_draw(nonsens_context *ctx, arena *a, void *state)
{
    const place *p = state;
    figure_data base = {.data = NULL};
    nonsens_data *half = NULL;
    rng r = rng_new(1, RNG_TEST, 0);
    nonsens_status status = FIGURE_FMRI.prepare(ctx, a, p->options, &base);
    status = status == NONSENS_OK ? bootstrap_draw(ctx, a, base.data, RESAMPLE_HALF, &r, &half) : status;
    assert_true(status != NONSENS_OK || half->n == SEGMENTS * POINTS / STEP / 2);
    nonsens_data_free(half);
    FIGURE_FMRI.release(base.data);
    return status;
}

static void test_failing_allocations_of_fmri(void **state)
{
    place p;
    open_place(&p, &FIGURE_FMRI);
    write_table(&p);
    assert_true(fail_every_allocation(*state, prepare_and_draw, &p) > 10);
    close_place(&p);
}

static void test_missing_data(void **state)
{
    (void)state;
    char said[FILE_BYTES];
    place p;
    open_place(&p, &FIGURE_FMRI);
    assert_int_equal(figure_reproduce(p.ctx, p.options, &FIGURE_FMRI, p.said, NULL), NONSENS_OK);
    load(p.said, said);
    assert_int_equal(strncmp(said, "fmri skipped: there is no file /tmp/", 36), 0);
    assert_says(said, "mtl_6regions.csv; --data names");
    assert_int_not_equal(access(p.csv, F_OK), 0);
    close_place(&p);
}

/* A process that could not prepare the data reports that. */
static void test_unit_without_data(void **state)
{
    fixture *f = *state;
    json_value *line = json_object();
    unit_seed seed = {rng_new(1, RNG_TEST, 0), 1};
    assert_int_equal(FIGURE_FMRI.study.run(f->ctx, &f->scratch, NULL, 0, seed, line), NONSENS_ERR_DATA);
    assert_says(nonsens_context_message(f->ctx), "--data");
    json_decref(line);
}

static const char ALL[] = "{\"edges\":[[0,2,\"-->\"],[0,3,\"---\"],[4,5,\"-->\"]]}";
static const char SAME[] = "{\"edges\":[[0,2,\"-->\"]]}";
static const char REVERSED[] = "{\"edges\":[[2,0,\"-->\"],[2,3,\"<->\"]]}";
static const made_cell REGIONS[] = {{"pc-nonsens-all", {ALL}}, {"pc-nonsens-halves", {SAME, REVERSED, FAILED, SAME}}};

static void test_table_of_fmri(void **state)
{
    const figure *shown = &FIGURE_FMRI;
    char *text = written(*state, shown, shown->write_csv, 2, REGIONS);
    assert_string_equal(text, "method,from,to,type,feasible,found,support,halves,failed\n"
                              "pc-nonsens,PRC,ERC,-->,yes,yes,0.6667,4,1\n"
                              "pc-nonsens,ERC,PRC,-->,yes,no,0.3333,4,1\n"
                              "pc-nonsens,PRC,SUB,---,no,yes,0,4,1\n"
                              "pc-nonsens,ERC,SUB,<->,yes,no,0.3333,4,1\n"
                              "pc-nonsens,CA1,CA3DG,-->,no,yes,0,4,1\n");
    free(text);
}

static void test_text_of_fmri(void **state)
{
    const figure *shown = &FIGURE_FMRI;
    char *text = written(*state, shown, shown->write_text, 2, REGIONS);
    assert_string_equal(text, "fmri pc-nonsens PRC --> ERC feasible support=0.6667\n"
                              "fmri pc-nonsens PRC --- SUB infeasible support=0\n"
                              "fmri pc-nonsens CA1 --> CA3DG infeasible support=0\n"
                              "fmri pc-nonsens all rows: 1 of 2 arrows are feasible; halves=4 failed=1\n"
                              "of all 30 arrows between regions 13 are feasible\n");
    free(text);
    text = written(*state, shown, shown->write_text, 1, REGIONS); // without halves
    assert_says(text, "fmri pc-nonsens PRC --> ERC feasible support=-\n");
    free(text);
    text = written(*state, shown, shown->write_text, 1, REGIONS + 1); // without the graph of all rows
    assert_says(text, "fmri pc-nonsens PRC --> ERC feasible support=0.6667\nfmri pc-nonsens most halves: 1 of 1");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_edges),
        TEST(test_edges_that_are_not),
        TEST(test_failure_is_told),
        TEST(test_cells_of_graphs),
        TEST(test_unit_of_graphs),
        TEST(test_threads_of_graphs),
        TEST(test_failing_allocations),
        TEST(test_failing_allocations_of_fmri),
        TEST(test_table_of_graphs),
        TEST(test_text_of_graphs),
        TEST(test_cells_of_fmri),
        TEST(test_thinning),
        TEST(test_threads_of_fmri),
        TEST(test_missing_data),
        TEST(test_unit_without_data),
        TEST(test_table_of_fmri),
        TEST(test_text_of_fmri),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
