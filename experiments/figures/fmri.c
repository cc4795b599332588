/*
 * fmri.c - the figure on real data of Monti, Zhang, Hyvarinen (UAI 2019): which of six medial temporal regions acts on
 * which, from resting-state fMRI, and how many of the arrows are anatomically feasible.
 *
 * The paper has one person on 84 days (MyConnectome).  The data here are those of Shah et al., "Mapping the structural
 * and functional network architecture of the medial temporal lobe using 7T MRI", Human Brain Mapping 39, 2018: the
 * same six regions, 24 people, a segment for each hemisphere of each, 48 in all, 420 points each (303 for one person).
 *
 * Points follow one another in time and are filtered: their autocorrelation is .95 at lag 1, .82 at lag 2, -.33 to -.36
 * at lags 8 to 10, -.05 at lag 14 (means over segments and regions; experiments/autocorrelation.py).  The tests and
 * likelihoods of all methods assume independent rows, but the correlation of two unrelated series of this kind has
 * 1 + 2 sum_k rho(k)^2 = 6.8 times the variance that they assume.  So every 14th point of a segment is kept, 30 instead
 * of 420, which brings that factor to 1.005 (with every 10th: 1.30, which turns a test at 5 % into one at 9 %).  The
 * graph shows effects within one time point; effects of one point on the next are ignored.
 *
 * The cells METHOD-all use all of these rows once.  METHOD-halves use a random half of each segment's rows, as
 * `discover --bootstrap` does; all methods see the same halves.
 */
#include "base/number.h"
#include "base/show.h"
#include "figures/figure.h"
#include "figures/found_graph.h"
#include "harness/table.h"
#include "tasks/bootstrap.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- regions ---- */

enum { THINNING = 14, REGIONS = FOUND_NODES };

enum region { PRC, PHC, ERC, SUB, CA1, CA3DG };
static const char *const REGION[REGIONS] = {
    [PRC] = "PRC", [PHC] = "PHC", [ERC] = "ERC", [SUB] = "SUB", [CA1] = "CA1", [CA3DG] = "CA3DG",
};
static const char VARIABLES[] = "PRC,PHC,ERC,SUB,CA1,CA3DG";

/*
 * FEASIBLE[a][b] says whether a projects to b.  Bird, Burgess, "The hippocampus and memory: insights from spatial
 * processing", Nature Reviews Neuroscience 9, 2008, which the paper uses; in detail Lavenex, Amaral, Hippocampus 10,
 * 2000 (cortex and back), van Strien, Cappaert, Witter, Nature Reviews Neuroscience 10, 2009.  Perirhinal and
 * parahippocampal cortex have connections in both directions with each other and with the entorhinal cortex.  That
 * projects to dentate gyrus and CA3 (perforant path), CA1 and subiculum; CA3 to CA1, CA1 to subiculum; CA1 and
 * subiculum back to the entorhinal cortex. Sparse connections past the entorhinal cortex (PRC and PHC with CA1 and SUB)
 * are in van Strien et al. and not in Bird and Burgess; they do not count as feasible here.
 */
static const bool FEASIBLE[REGIONS][REGIONS] = {
    [PRC] = {[PHC] = true, [ERC] = true},
    [PHC] = {[PRC] = true, [ERC] = true},
    [ERC] = {[PRC] = true, [PHC] = true, [SUB] = true, [CA1] = true, [CA3DG] = true},
    [SUB] = {[ERC] = true},
    [CA1] = {[ERC] = true, [SUB] = true},
    [CA3DG] = {[CA1] = true},
};

/* Returns whether an edge is feasible: an arrow if its direction is, an undirected edge if either direction is. */
static bool is_feasible(int64_t a, int64_t b, enum pdag_mark mark)
{
    return mark == PDAG_ARROW ? FEASIBLE[a][b] : mark == PDAG_BACK ? FEASIBLE[b][a] : FEASIBLE[a][b] || FEASIBLE[b][a];
}

/* ---- cells ---- */

enum { METHODS = 2, CELLS = 2 * METHODS, HALVES = 50 };

static const found_by METHOD[METHODS] = {
    {"pc-nonsens", {{"method", "pc-nonsens"}, {"orient-by", "nonsens"}, {"layers", "5"}}},
    {"structured", {{"method", "structured"}}},
};

static const found_by *method_of(int64_t cell)
{
    return &METHOD[cell / 2];
}

static bool is_half(int64_t cell)
{
    return cell % 2 == 1;
}

static void cell_name(int64_t cell, char name[CELL_NAME_BYTES])
{
    snprintf(name, CELL_NAME_BYTES, "%s-%s", method_of(cell)->name, is_half(cell) ? "halves" : "all");
}

static int64_t cell_reps(int64_t cell)
{
    return is_half(cell) ? HALVES : 1;
}

/* ---- the data ---- */

/* Lists every THINNING-th row of each segment, in the order of the file, which is that of time. */
static nonsens_status list_thinned(nonsens_context *ctx, arena *a, const nonsens_data *data, int64_t **row,
                                   int64_t *count)
{
    int64_t rows = 0, *at, *seen; // rows of the file; index of each in the data, from 1; rows of each segment so far
    for (int64_t i = 0; i < data->n; i++) {
        rows = data->input_row[i] >= rows ? data->input_row[i] + 1 : rows;
    }
    ARENA_TRY(ctx, a, at, rows);
    ARENA_TRY(ctx, a, seen, data->segments);
    ARENA_TRY(ctx, a, *row, data->n);
    for (int64_t i = 0; i < data->n; i++) {
        at[data->input_row[i]] = i + 1;
    }
    *count = 0;
    for (int64_t k = 0; k < rows; k++) {
        if (at[k] > 0 && seen[data->segment[at[k] - 1]]++ % THINNING == 0) {
            (*row)[(*count)++] = at[k] - 1;
        }
    }
    return NONSENS_OK;
}

static nonsens_status thin(nonsens_context *ctx, const nonsens_data *data, nonsens_data **out)
{
    arena scratch = {0};
    int64_t *row, count;
    *out = NULL;
    nonsens_status status = list_thinned(ctx, &scratch, data, &row, &count);
    status = status == NONSENS_OK ? dataset_rows(ctx, &scratch, data, count, row, out) : status;
    arena_free(&scratch);
    return status;
}

/* Reads the table within the figure's memory limit. */
static nonsens_status read_table(nonsens_context *ctx, const char *path, int64_t max_memory, nonsens_data **out)
{
    nonsens_options *options;
    *out = NULL;
    TRY(nonsens_options_new(ctx, NONSENS_COMMAND_DISCOVER, &options));
    options->vars = VARIABLES;
    options->segment = "segment";
    options->max_memory = max_memory;
    nonsens_status status = nonsens_data_read(ctx, path, options, out);
    nonsens_options_free(options);
    return status;
}

static nonsens_status prepare(nonsens_context *ctx, arena *a, const nonsens_options *options, figure_data *out)
{
    nonsens_data *whole, *thinned;
    char shown[SHOWN_PATH_BYTES];
    const char *path = arena_format(ctx, a, "%s/mtl_fmri/mtl_6regions.csv", options->data);
    if (!path) {
        return NONSENS_ERR_MEMORY;
    }
    if (access(path, F_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)) { // other errors are reported by reading
        out->missing =
            arena_format(ctx, a, "there is no file %s; --data names the folder of mtl_fmri", show_path(shown, path));
        return out->missing ? NONSENS_OK : NONSENS_ERR_MEMORY;
    }
    TRY(read_table(ctx, path, options->max_memory, &whole));
    nonsens_status status = thin(ctx, whole, &thinned);
    nonsens_data_free(whole);
    out->data = thinned;
    out->hash = thinned ? thinned->hash : 0;
    return status;
}

static void release(void *data)
{
    nonsens_data_free(data);
}

/* ---- one unit ---- */

static nonsens_status run_half(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const found_by *method,
                               uint64_t seed, json_value *line)
{
    rng r = rng_new(seed, RNG_BOOTSTRAP, 0); // named after the seed alone: all methods see the same halves
    uint64_t own = rng_u64(&r) >> 11;        // the method's own seed: 53 bits, which --seed accepts
    nonsens_data *half;
    TRY(bootstrap_draw(ctx, scratch, data, RESAMPLE_HALF, &r, &half));
    nonsens_status status = found_graph_run(ctx, method, half, own, line);
    nonsens_data_free(half);
    return status;
}

static nonsens_status run_unit(nonsens_context *ctx, arena *scratch, const void *data, int64_t cell, unit_seed seed,
                               json_value *line)
{
    if (!data) {
        return fail(ctx, NONSENS_ERR_DATA, "fmri: a process of this run cannot read the data; give all of them --data");
    }
    return is_half(cell) ? run_half(ctx, scratch, data, method_of(cell), seed.seed, line)
                         : found_graph_run(ctx, method_of(cell), data, seed.seed, line);
}

static bool read_unit(const json_value *line, void *unit)
{
    return found_graph_read(line, unit);
}

/* ---- results of the units ---- */

/* A method's graph of all rows, and how many halves have each edge. */
typedef struct findings {
    const found_graph *all; /* NULL: not run, or failed */
    bool all_failed;
    int64_t halves, failed;
    int64_t count[REGIONS][REGIONS][PDAG_BOTH + 1]; /* [a][b] with a < b */
} findings;

static void count_half(const found_graph *g, findings *f)
{
    f->halves++;
    f->failed += g->failed;
    for (int a = 0; a < REGIONS && !g->failed; a++) {
        for (int b = a + 1; b < REGIONS; b++) {
            f->count[a][b][g->mark[a][b]]++;
        }
    }
}

static void collect(const study_units *units, findings out[METHODS])
{
    memset(out, 0, METHODS * sizeof *out);
    for (int64_t k = 0; k < units->cells; k++) {
        const found_graph *g = (const found_graph *)units->unit + k * units->reps;
        findings *f = &out[units->cell[k] / 2];
        if (!is_half(units->cell[k])) {
            f->all_failed = g->failed;
            f->all = g->failed ? NULL : g;
        }
        for (int64_t i = 0; is_half(units->cell[k]) && i < units->reps_done[k]; i++) {
            count_half(&g[i], f);
        }
    }
}

/* An edge that a method finds in all rows or in some half. */
typedef struct finding {
    int64_t from, to;
    int type;       /* NONSENS_EDGE_* */
    bool found;     /* in the graph of all rows */
    double support; /* share of the halves that have it in this direction; NaN without halves */
    bool feasible;
} finding;

enum { FINDINGS = REGIONS * (REGIONS - 1) / 2 * PDAG_BOTH };

static finding finding_of(const findings *f, int64_t a, int64_t b, enum pdag_mark mark)
{
    bool back = mark == PDAG_BACK;
    int64_t good = f->halves - f->failed;
    return (finding){.from = back ? b : a,
                     .to = back ? a : b,
                     .type = pdag_edge_type(mark),
                     .found = f->all && f->all->mark[a][b] == mark,
                     .support = good > 0 ? (double)f->count[a][b][mark] / (double)good : NAN,
                     .feasible = is_feasible(a, b, mark)};
}

static int64_t list_findings(const findings *f, finding out[FINDINGS])
{
    int64_t count = 0;
    for (int64_t a = 0; a < REGIONS; a++) {
        for (int64_t b = a + 1; b < REGIONS; b++) {
            for (int mark = PDAG_LINE; mark <= PDAG_BOTH; mark++) {
                finding edge = finding_of(f, a, b, (enum pdag_mark)mark);
                if (edge.found || edge.support > 0.0) {
                    out[count++] = edge;
                }
            }
        }
    }
    return count;
}

/* The text shows the graph of all rows; without it, the edges found in at least half of the half samples. */
static bool is_shown(const findings *f, const finding *edge)
{
    return f->all ? edge->found : edge->support >= 0.5;
}

static bool was_run(const findings *f)
{
    return f->all || f->all_failed || f->halves > 0;
}

/* ---- table and text ---- */

enum { DIGITS = 4 };

static void write_csv_row(table *t, const char *method, const findings *f, const finding *edge)
{
    table_text(t, method);
    table_text(t, REGION[edge->from]);
    table_text(t, REGION[edge->to]);
    table_text(t, found_graph_word(edge->type));
    table_text(t, edge->feasible ? "yes" : "no");
    table_text(t, !f->all ? "" : edge->found ? "yes" : "no");
    table_number(t, edge->support, DIGITS);
    table_whole(t, f->halves);
    table_whole(t, f->failed);
    table_end_row(t);
}

static nonsens_status write_csv(nonsens_context *ctx, arena *scratch, const study_units *units, FILE *out)
{
    (void)ctx;
    (void)scratch;
    findings all[METHODS];
    finding list[FINDINGS];
    table t = {.out = out};
    collect(units, all);
    table_text(&t, "method,from,to,type,feasible,found,support,halves,failed");
    table_end_row(&t);
    for (int m = 0; m < METHODS; m++) {
        int64_t count = list_findings(&all[m], list);
        for (int64_t i = 0; i < count; i++) {
            write_csv_row(&t, METHOD[m].name, &all[m], &list[i]);
        }
    }
    return NONSENS_OK;
}

static void write_method(FILE *out, const char *method, const findings *f)
{
    finding list[FINDINGS];
    char support[NUMBER_BYTES];
    int64_t count = list_findings(f, list), arrows = 0, feasible = 0;
    for (int64_t i = 0; i < count; i++) {
        const finding *edge = &list[i];
        if (is_shown(f, edge)) {
            fprintf(out, "fmri %s %s %s %s %s support=%s\n", method, REGION[edge->from], found_graph_word(edge->type),
                    REGION[edge->to], edge->feasible ? "feasible" : "infeasible",
                    summary_show("-", support, edge->support, DIGITS));
            arrows += edge->type == NONSENS_EDGE_DIRECTED;
            feasible += edge->type == NONSENS_EDGE_DIRECTED && edge->feasible;
        }
    }
    fprintf(out, "fmri %s %s: %" PRId64 " of %" PRId64 " arrows are feasible; halves=%" PRId64 " failed=%" PRId64 "\n",
            method,
            f->all          ? "all rows"
            : f->all_failed ? "all rows failed, most halves"
                            : "most halves",
            feasible, arrows, f->halves, f->failed);
}

static nonsens_status write_text(nonsens_context *ctx, arena *scratch, const study_units *units, FILE *out)
{
    (void)ctx;
    (void)scratch;
    findings all[METHODS];
    int feasible = 0;
    collect(units, all);
    for (int m = 0; m < METHODS; m++) {
        if (was_run(&all[m])) {
            write_method(out, METHOD[m].name, &all[m]);
        }
    }
    for (int i = 0; i < REGIONS * REGIONS; i++) {
        feasible += FEASIBLE[i / REGIONS][i % REGIONS];
    }
    fprintf(out, "of all %d arrows between regions %d are feasible\n", REGIONS * (REGIONS - 1), feasible);
    return NONSENS_OK;
}

const figure FIGURE_FMRI = {
    .study = {.name = "fmri",
              .cells = CELLS,
              .reps = HALVES,
              .revision = 1,
              .cell_reps = cell_reps,
              .cell_name = cell_name,
              .run = run_unit,
              .unit_bytes = sizeof(found_graph),
              .read = read_unit},
    .summary = "six medial temporal regions, resting-state fMRI (needs --data)",
    .prepare = prepare,
    .release = release,
    .write_csv = write_csv,
    .write_text = write_text,
};
