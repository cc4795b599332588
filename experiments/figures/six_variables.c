/*
 * six_variables.c - the figure on many variables in Monti, Zhang, Hyvarinen (UAI 2019) and the supplement: how well
 * methods find graphs of six variables as mechanisms become deeper, by F1 and by structural Hamming distance.
 *
 * All methods of a repetition see the same data, which depend only on its seed, so they are compared by paired
 * differences.  A line holds the edges found and the true ones; they are judged when the table is written, by the
 * conventions of `nonsens compare` (graph/metrics.h).  The true graph is the generator's mask.  The layered generator
 * mixes again in every layer, which turns indirect effects into direct ones.  Therefore graphs are also compared with
 * the transitive closure.
 */
#include "base/number.h"
#include "figures/figure.h"
#include "figures/found_graph.h"
#include "graph/metrics.h"
#include "harness/table.h"
#include "simulate/simulate.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- cells ---- */

enum {
    GENERATORS = 2,
    DEPTHS = 5,      /* 1, 2, ... */
    QUICK = 7,       /* methods run at every depth */
    SLOW = 2,        /* methods run at every second depth, with fewer repetitions; they come last in the table */
    SLOW_DEPTHS = 3, /* 1, 3, 5 */
    METHODS = QUICK + SLOW,
    CELLS = GENERATORS * (QUICK * DEPTHS + SLOW * SLOW_DEPTHS),
    REPS = 10,
    SLOW_REPS = 5,
    SEGMENTS = 10,
    ROWS_PER_SEGMENT = 512
};

static const char *const GENERATOR[GENERATORS] = {[SEM_LAYERED] = "layered", [SEM_NODE] = "node"};

enum { STRUCTURED, PC_NONSENS_STRUCTURED }; /* the other methods are compared with the first */
static const found_by METHOD[METHODS] = {
    [STRUCTURED] = {"structured", {{"method", "structured"}}},
    [PC_NONSENS_STRUCTURED] = {"pc-nonsens-structured", {{"method", "pc-nonsens"}, {"orient-by", "structured"}}},
    {"pc-nonsens-tests", {{"method", "pc-nonsens"}, {"orient-by", "nonsens"}}},
    {"pc-nonsens-lr", {{"method", "pc-nonsens"}, {"orient-by", "nonsens-lr"}}},
    {"pc-nonsens-published", {{"method", "pc-nonsens"}, {"orient-by", "nonsens"}, {"as-published", "true"}}},
    {"pc", {{"method", "pc"}}},
    {"lingam", {{"method", "lingam"}}},
    {"resit", {{"method", "resit"}}},
    {"cdnod", {{"method", "cdnod"}}},
};

/* A cell: generator, depth and method. */
typedef struct setting {
    enum option_sem generator;
    int64_t depth; /* from 0 */
    int64_t method;
} setting;

static setting setting_of(int64_t cell)
{
    int64_t each = CELLS / GENERATORS, rest = cell % each, depth = 0;
    for (int64_t methods = METHODS; rest >= methods; methods = depth % 2 == 0 ? METHODS : QUICK) {
        rest -= methods;
        depth++;
    }
    return (setting){(enum option_sem)(cell / each), depth, rest};
}

static void cell_name(int64_t cell, char name[CELL_NAME_BYTES])
{
    setting s = setting_of(cell);
    snprintf(name, CELL_NAME_BYTES, "%s-depth%" PRId64 "-%s", GENERATOR[s.generator], s.depth + 1,
             METHOD[s.method].name);
}

static int64_t cell_reps(int64_t cell)
{
    return setting_of(cell).method < QUICK ? REPS : SLOW_REPS;
}

/* Returns a number to be raised when the results of a method change in a cell. */
static int cell_revision(int64_t cell)
{
    return setting_of(cell).method == PC_NONSENS_STRUCTURED ? 1 : 0;
}

static bool is_fine(int64_t cell)
{
    return setting_of(cell).generator == SEM_NODE; // the node generator is not in the paper
}

/* ---- one unit ---- */

typedef struct unit {
    found_graph found, truth;
} unit;

static nonsens_status simulate(nonsens_context *ctx, setting s, uint64_t seed, nonsens_simulation **out)
{
    nonsens_options *options;
    TRY(nonsens_options_new(ctx, NONSENS_COMMAND_SIMULATE, &options));
    options->seed = (int64_t)seed;
    options->sem = s.generator;
    options->nodes = FOUND_NODES;
    options->depth = s.depth + 1;
    options->sim_segments = SEGMENTS;
    options->per_segment = ROWS_PER_SEGMENT;
    nonsens_status status = nonsens_simulation_new(ctx, options, out);
    nonsens_options_free(options);
    return status;
}

static nonsens_status keep_truth(nonsens_context *ctx, const nonsens_simulation *s, json_value *line)
{
    nonsens_edge edge[FOUND_NODES * FOUND_NODES];
    int64_t edges = 0;
    for (int64_t i = 0; i < FOUND_NODES * FOUND_NODES; i++) {
        if (s->edge[i]) {
            edge[edges++] = (nonsens_edge){.from = i / FOUND_NODES, .to = i % FOUND_NODES};
        }
    }
    return json_object_set(line, "truth", found_graph_edges(edges, edge)) ? NONSENS_OK : fail_memory(ctx);
}

static nonsens_status run_method(nonsens_context *ctx, const nonsens_simulation *s, const found_by *method,
                                 uint64_t seed, json_value *line)
{
    nonsens_data *data;
    TRY(keep_truth(ctx, s, line));
    TRY(nonsens_simulation_data(ctx, s, &data));
    nonsens_status status = found_graph_run(ctx, method, data, seed, line);
    nonsens_data_free(data);
    return status;
}

static nonsens_status run_unit(nonsens_context *ctx, arena *scratch, const void *unused, int64_t cell, unit_seed seed,
                               json_value *line)
{
    (void)scratch;
    (void)unused;
    setting s = setting_of(cell);
    nonsens_simulation *simulation;
    TRY(simulate(ctx, s, seed.seed, &simulation));
    nonsens_status status = run_method(ctx, simulation, &METHOD[s.method], seed.seed, line);
    nonsens_simulation_free(simulation);
    return status;
}

static bool read_unit(const json_value *line, void *place)
{
    unit *u = place;
    return found_graph_read(line, &u->found) && found_graph_read_edges(json_object_get(line, "truth"), &u->truth);
}

/* ---- judging ---- */

enum measure { F1, SKELETON_F1, DIRECTION_ACCURACY, SHD, CLOSURE_F1, CLOSURE_SHD, MEASURES };
static const char *const MEASURE[MEASURES] = {"f1",  "skeleton_f1", "direction_accuracy",
                                              "shd", "closure_f1",  "closure_shd"};

/* Judges a unit; NaN if it failed or the measure is undefined. */
static nonsens_status judge(nonsens_context *ctx, arena *scratch, const unit *u, double out[MEASURES])
{
    pdag found, truth, closure;
    metrics direct, through;
    for (int m = 0; m < MEASURES; m++) {
        out[m] = NAN;
    }
    if (u->found.failed) {
        return NONSENS_OK;
    }
    TRY(found_graph_to_pdag(ctx, scratch, &u->found, &found));
    TRY(found_graph_to_pdag(ctx, scratch, &u->truth, &truth));
    TRY(pdag_new(ctx, scratch, FOUND_NODES, &closure));
    TRY(metrics_closure(ctx, &truth, &closure));
    metrics_compare(&found, &truth, &direct);
    metrics_compare(&found, &closure, &through);
    out[F1] = direct.arrows.f1;
    out[SKELETON_F1] = direct.skeleton.f1;
    out[DIRECTION_ACCURACY] = direct.direction_accuracy;
    out[SHD] = (double)direct.shd;
    out[CLOSURE_F1] = through.arrows.f1;
    out[CLOSURE_SHD] = (double)through.shd;
    return NONSENS_OK;
}

/* Measures of the units of a cell. */
typedef struct cell_scores {
    int64_t reps, failed;
    double *value[MEASURES]; /* (reps) */
    summary summary[MEASURES];
} cell_scores;

static nonsens_status judge_cell(nonsens_context *ctx, arena *a, const study_units *units, int64_t k, cell_scores *out)
{
    const unit *u = (const unit *)units->unit + k * units->reps;
    *out = (cell_scores){.reps = units->reps_done[k]};
    for (int m = 0; m < MEASURES; m++) {
        ARENA_TRY(ctx, a, out->value[m], out->reps);
    }
    for (int64_t i = 0; i < out->reps; i++) {
        double one[MEASURES];
        arena_mark mark = arena_tell(a);
        TRY(judge(ctx, a, &u[i], one));
        arena_rewind(a, mark);
        out->failed += u[i].found.failed;
        for (int m = 0; m < MEASURES; m++) {
            out->value[m][i] = one[m];
        }
    }
    for (int m = 0; m < MEASURES; m++) {
        out->summary[m] = summary_of(out->reps, out->value[m]);
    }
    return NONSENS_OK;
}

/* Judges all cells; memory comes from `a`. */
static nonsens_status judge_all(nonsens_context *ctx, arena *a, const study_units *units, cell_scores **out)
{
    ARENA_TRY(ctx, a, *out, units->cells);
    for (int64_t k = 0; k < units->cells; k++) {
        TRY(judge_cell(ctx, a, units, k, &(*out)[k]));
    }
    return NONSENS_OK;
}

/* ---- the table ---- */

static nonsens_status write_csv(nonsens_context *ctx, arena *scratch, const study_units *units, FILE *out)
{
    enum { DIGITS = 6 };
    cell_scores *scores;
    table t = {.out = out};
    TRY(judge_all(ctx, scratch, units, &scores));
    table_text(&t, "generator,depth,method,reps");
    for (int m = 0; m < MEASURES; m++) {
        char error[CELL_NAME_BYTES];
        snprintf(error, sizeof error, "%s_se", MEASURE[m]);
        table_text(&t, MEASURE[m]);
        table_text(&t, error);
    }
    table_text(&t, "failed");
    table_end_row(&t);
    for (int64_t k = 0; k < units->cells; k++) {
        setting s = setting_of(units->cell[k]);
        table_text(&t, GENERATOR[s.generator]);
        table_whole(&t, s.depth + 1);
        table_text(&t, METHOD[s.method].name);
        table_whole(&t, scores[k].reps);
        for (int m = 0; m < MEASURES; m++) {
            table_summary(&t, scores[k].summary[m], DIGITS);
        }
        table_whole(&t, scores[k].failed);
        table_end_row(&t);
    }
    return NONSENS_OK;
}

/* ---- the text ---- */

static void write_text_row(FILE *out, const char *cell, const cell_scores *scores)
{
    enum { DIGITS = 3, ERROR_DIGITS = 2 };
    char mean[NUMBER_BYTES], error[NUMBER_BYTES];
    fprintf(out, "six-variables %s reps=%" PRId64, cell, scores->reps);
    for (int m = 0; m < MEASURES; m++) {
        const summary *one = &scores->summary[m];
        bool judged = m == F1 || m == SHD;
        fprintf(out, " %s=%s", MEASURE[m], summary_show("-", mean, one->mean, DIGITS));
        if (judged) {
            fprintf(out, " %s_se=%s", MEASURE[m], summary_show("-", error, one->error, ERROR_DIGITS));
        }
    }
    fprintf(out, " failed=%" PRId64 "\n", scores->failed);
}

/* Returns the cell of `structured` on the same data, or -1 if it was not selected. */
static int64_t partner_of(const study_units *units, int64_t k)
{
    setting own = setting_of(units->cell[k]);
    for (int64_t i = 0; i < units->cells && own.method != STRUCTURED; i++) {
        setting s = setting_of(units->cell[i]);
        if (s.generator == own.generator && s.depth == own.depth && s.method == STRUCTURED) {
            return i;
        }
    }
    return -1;
}

/* Measures how far structured is behind by this measure, on the same data. */
static summary lead_of(const cell_scores *own, const cell_scores *structured, enum measure m)
{
    int64_t reps = own->reps < structured->reps ? own->reps : structured->reps;
    return m == SHD ? summary_of_differences(reps, structured->value[m], own->value[m])
                    : summary_of_differences(reps, own->value[m], structured->value[m]);
}

/* Writes a line if the method is ahead of structured; returns whether it is. */
static bool write_ahead(FILE *out, const char *cell, summary d, enum measure m)
{
    enum { DIGITS = 3 };
    char mean[NUMBER_BYTES], error[NUMBER_BYTES];
    if (!summary_is_positive(d)) {
        return false;
    }
    fprintf(out, "%s ahead of structured, by %s %s, standard error %s, %" PRId64 " data sets\n", cell, MEASURE[m],
            number_print(mean, d.mean, DIGITS), number_print(error, d.error, DIGITS), d.count);
    return true;
}

static nonsens_status write_text(nonsens_context *ctx, arena *scratch, const study_units *units, FILE *out)
{
    cell_scores *scores;
    char name[CELL_NAME_BYTES];
    bool compared = false, ahead = false;
    TRY(judge_all(ctx, scratch, units, &scores));
    for (int64_t k = 0; k < units->cells; k++) {
        cell_name(units->cell[k], name);
        write_text_row(out, name, &scores[k]);
    }
    for (int64_t k = 0; k < units->cells; k++) {
        int64_t partner = partner_of(units, k);
        if (partner >= 0) {
            cell_name(units->cell[k], name);
            summary f1 = lead_of(&scores[k], &scores[partner], F1), shd = lead_of(&scores[k], &scores[partner], SHD);
            compared = compared || f1.count >= SUMMARY_MIN_COMPARED;
            ahead = write_ahead(out, name, f1, F1) || ahead;
            ahead = write_ahead(out, name, shd, SHD) || ahead;
        }
    }
    if (compared && !ahead) {
        fputs("no method ahead of structured by more than two standard errors of the difference, in f1 or shd\n", out);
    }
    return NONSENS_OK;
}

const figure FIGURE_SIX_VARIABLES = {
    .study = {.name = "six-variables",
              .cells = CELLS,
              .reps = REPS,
              .revision = 1,
              .cell_revision = cell_revision,
              .cell_reps = cell_reps,
              .is_fine = is_fine,
              .cell_name = cell_name,
              .run = run_unit,
              .unit_bytes = sizeof(unit),
              .read = read_unit},
    .summary = "graphs of six variables, F1 and Hamming distance against depth",
    .write_csv = write_csv,
    .write_text = write_text,
};
