/*
 * linear_ica.c - supplement B of Monti, Zhang, Hyvarinen (UAI 2019): how well linear ICA algorithms unmix two piecewise
 * stationary sources.  The sources are Laplace or skewed; their modulations grow together over five segments or are
 * drawn at random.
 *
 * All algorithms of a unit see the same data, so they are compared by paired differences.
 */
#include "base/number.h"
#include "figures/figure.h"
#include "figures/linear_ica_data.h"
#include "harness/table.h"
#include "ica/assess.h"
#include "ica/ica.h"
#include "math/linalg.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- cells and algorithms ---- */

static const int64_t ROWS_PER_SEGMENT[] = {50, 100, 200, 500, 1000, 2000};
static const char *const SOURCES[] = {"laplace", "skewed"}, *const MODULATION[] = {"correlated", "random"};

enum {
    SIZES = sizeof ROWS_PER_SEGMENT / sizeof *ROWS_PER_SEGMENT,
    PANELS = 4,
    MIN_COMPARED_ROWS = 500, /* the text compares the algorithms from this number of rows on */
    STARTS = 3
};

static const double STANDARD_ERRORS = 2.0; /* differences of at most this many count as ties */

typedef struct algorithm {
    const char *name;
    enum option_unmixing unmixing;
    enum option_statistic statistic; /* statistic of score matching */
} algorithm;

enum { SCORE_MATCHING, ALGORITHMS = 5 };
static const algorithm ALGORITHM[ALGORITHMS] = {
    [SCORE_MATCHING] = {"score-matching", UNMIX_SCORE_MATCHING, STATISTIC_AUTO},
    {"score-matching-log-cosh", UNMIX_SCORE_MATCHING, STATISTIC_LOG_COSH},
    {"fastica", UNMIX_FASTICA, STATISTIC_AUTO},
    {"infomax", UNMIX_INFOMAX, STATISTIC_AUTO},
    {"joint-diagonalisation", UNMIX_JOINT_DIAGONALISATION, STATISTIC_AUTO},
};

/* A cell is a panel and a number of rows. */
typedef struct setting {
    enum linear_ica_density density;
    bool random;
    int64_t panel, size;
} setting;

static setting setting_of(int64_t cell)
{
    int64_t panel = cell / SIZES;
    return (setting){panel / 2 == 0 ? DENSITY_LAPLACE : DENSITY_SKEWED, panel % 2 == 1, panel, cell % SIZES};
}

static void cell_name(int64_t cell, char name[CELL_NAME_BYTES])
{
    setting s = setting_of(cell);
    snprintf(name, CELL_NAME_BYTES, "%s-%s-%" PRId64, SOURCES[s.density], MODULATION[s.random],
             ROWS_PER_SEGMENT[s.size]);
}

/* ---- one unit ---- */

/* The result of one algorithm on one data set; both are NaN if it failed. */
typedef struct score {
    double amari, correlation;
} score;

typedef struct unit {
    score score[ALGORITHMS];
} unit;

static nonsens_status assess(nonsens_context *ctx, arena *a, const linear_ica_data *data, const double *unmix,
                             score *out)
{
    enum { D = LINEAR_ICA_SOURCES };
    double *s, product[D * D];
    int64_t match[D];
    ARENA_TRY(ctx, a, s, data->z.rows * D);
    matrix estimate = matrix_view(s, data->z.rows, D);
    linalg_gemm(false, false, D, D, D, 1.0, unmix, D, data->mix, D, 0.0, product, D);
    out->amari = ica_amari(D, product);
    if (!isfinite(out->amari)) {
        return fail(ctx, NONSENS_ERR_NUMERIC, "the unmixing matrix is not made of finite numbers");
    }
    ica_apply(data->z, unmix, estimate);
    return ica_mean_correlation(ctx, a, data->source, estimate, match, &out->correlation);
}

static nonsens_status unmix(nonsens_context *ctx, arena *a, const algorithm *kind, const linear_ica_data *data,
                            uint64_t seed, score *out, ica_result *result)
{
    ica_options options = ica_options_for(kind->unmixing);
    options.statistic = kind->statistic;
    options.starts = STARTS;
    options.seed = seed;
    options.threads = 1; // units run in parallel
    TRY(ica_unmix(ctx, a, data->z, LINEAR_ICA_SEGMENTS, data->start, &options, result));
    return assess(ctx, a, data, result->unmix, out);
}

/* Runs an algorithm.  A failure is a result; exhausted memory and Ctrl-C are not. */
static nonsens_status run_algorithm(nonsens_context *ctx, arena *a, const algorithm *kind, const linear_ica_data *data,
                                    uint64_t seed, json_value *results)
{
    score found;
    ica_result result;
    json_value *entry;
    nonsens_status status = unmix(ctx, a, kind, data, seed, &found, &result);
    if (status == NONSENS_OK) {
        entry = json_object_of("amari", json_real(found.amari), "correlation", json_real(found.correlation),
                               "converged", json_boolean(result.converged), NULL);
    } else if (status == NONSENS_ERR_NUMERIC || status == NONSENS_ERR_DATA) {
        entry = json_object_of("failed", json_string(nonsens_context_message(ctx)), NULL);
    } else {
        return status;
    }
    return json_object_set(results, kind->name, entry) ? NONSENS_OK : fail_memory(ctx);
}

static nonsens_status run_unit(nonsens_context *ctx, arena *scratch, const void *unused, int64_t cell, unit_seed seed,
                               json_value *line)
{
    (void)unused;
    setting s = setting_of(cell);
    linear_ica_data data;
    json_value *results = json_object();
    if (!results || !json_object_set(line, "results", results)) {
        return fail_memory(ctx);
    }
    TRY(linear_ica_draw(ctx, scratch, &seed.stream, s.density, !s.random, ROWS_PER_SEGMENT[s.size], &data));
    for (int k = 0; k < ALGORITHMS; k++) {
        arena_mark mark = arena_tell(scratch);
        TRY(run_algorithm(ctx, scratch, &ALGORITHM[k], &data, seed.seed, results));
        arena_rewind(scratch, mark);
    }
    return NONSENS_OK;
}

/* Both measures are between 0 and 1. */
static bool is_score(const json_value *value)
{
    return json_is(value, JSON_NUMBER) && json_number_value(value) >= 0.0 && json_number_value(value) <= 1.0 + 1e-9;
}

static bool read_unit(const json_value *line, void *place)
{
    unit *u = place;
    const json_value *results = json_object_get(line, "results");
    for (int k = 0; k < ALGORITHMS; k++) {
        const json_value *entry = json_object_get(results, ALGORITHM[k].name);
        const json_value *amari = json_object_get(entry, "amari"), *correlation = json_object_get(entry, "correlation");
        bool failed = json_has(entry, "failed", JSON_STRING);
        if (!failed && !(is_score(amari) && is_score(correlation))) {
            return false;
        }
        u->score[k] = failed ? (score){NAN, NAN} : (score){json_number_value(amari), json_number_value(correlation)};
    }
    return true;
}

/* ---- results of the units of a cell ---- */

typedef struct cell_scores {
    double *amari[ALGORITHMS], *correlation[ALGORITHMS]; /* (reps) */
} cell_scores;

static nonsens_status take_cell(nonsens_context *ctx, arena *a, const study_units *units, int64_t k, cell_scores *out)
{
    const unit *u = (const unit *)units->unit + k * units->reps;
    for (int m = 0; m < ALGORITHMS; m++) {
        ARENA_TRY(ctx, a, out->amari[m], units->reps);
        ARENA_TRY(ctx, a, out->correlation[m], units->reps);
        for (int64_t i = 0; i < units->reps; i++) {
            out->amari[m][i] = u[i].score[m].amari;
            out->correlation[m][i] = u[i].score[m].correlation;
        }
    }
    return NONSENS_OK;
}

/* ---- the table ---- */

typedef struct row {
    summary amari, correlation;
    int64_t reps, failed;
} row;

static row row_of(const cell_scores *scores, int m, int64_t reps)
{
    row r = {summary_of(reps, scores->amari[m]), summary_of(reps, scores->correlation[m]), reps, 0};
    r.failed = reps - r.amari.count;
    return r;
}

static void write_csv_row(table *t, int64_t cell, int m, const row *r)
{
    enum { DIGITS = 6 };
    setting s = setting_of(cell);
    table_text(t, SOURCES[s.density]);
    table_text(t, MODULATION[s.random]);
    table_whole(t, ROWS_PER_SEGMENT[s.size]);
    table_text(t, ALGORITHM[m].name);
    table_whole(t, r->reps);
    table_summary(t, r->amari, DIGITS);
    table_summary(t, r->correlation, DIGITS);
    table_whole(t, r->failed);
    table_end_row(t);
}

static nonsens_status write_csv(nonsens_context *ctx, arena *scratch, const study_units *units, FILE *out)
{
    table t = {.out = out};
    table_text(&t,
               "sources,modulation,rows_per_segment,algorithm,reps,amari,amari_se,correlation,correlation_se,failed");
    table_end_row(&t);
    for (int64_t k = 0; k < units->cells; k++) {
        cell_scores scores;
        TRY(take_cell(ctx, scratch, units, k, &scores));
        for (int m = 0; m < ALGORITHMS; m++) {
            row r = row_of(&scores, m, units->reps);
            write_csv_row(&t, units->cell[k], m, &r);
        }
    }
    return NONSENS_OK;
}

/* ---- the text ---- */

static void write_text_row(FILE *out, const char *cell, int m, const row *r)
{
    enum { DIGITS = 4, ERROR_DIGITS = 2 };
    char number[4][NUMBER_BYTES];
    fprintf(out,
            "linear-ica %s %s reps=%" PRId64 " amari=%s amari_se=%s correlation=%s correlation_se=%s failed=%" PRId64
            "\n",
            cell, ALGORITHM[m].name, r->reps, summary_show("-", number[0], r->amari.mean, DIGITS),
            summary_show("-", number[1], r->amari.error, ERROR_DIGITS),
            summary_show("-", number[2], r->correlation.mean, DIGITS),
            summary_show("-", number[3], r->correlation.error, ERROR_DIGITS), r->failed);
}

/* Compares algorithm m with score matching, by differences on the same data. */
static void write_comparison(FILE *out, const char *cell, int m, const cell_scores *scores, int64_t reps)
{
    enum { DIGITS = 3 };
    char mean[NUMBER_BYTES], error[NUMBER_BYTES];
    summary d = summary_of_differences(reps, scores->amari[m], scores->amari[SCORE_MATCHING]);
    const char *place = "level with";
    if (isnan(d.error)) {
        place = "cannot be compared with";
    } else if (fabs(d.mean) > STANDARD_ERRORS * d.error) {
        place = d.mean > 0.0 ? "behind" : "ahead of";
    }
    fprintf(out, "%s: %s %s %s, difference of Amari indices %s, standard error %s\n", cell, ALGORITHM[m].name, place,
            ALGORITHM[SCORE_MATCHING].name, summary_show("-", mean, d.mean, DIGITS),
            summary_show("-", error, d.error, DIGITS));
}

static nonsens_status write_cells(nonsens_context *ctx, arena *scratch, const study_units *units, bool compare,
                                  FILE *out)
{
    for (int64_t k = 0; k < units->cells; k++) {
        cell_scores scores;
        char name[CELL_NAME_BYTES];
        cell_name(units->cell[k], name);
        TRY(take_cell(ctx, scratch, units, k, &scores));
        bool compared = ROWS_PER_SEGMENT[setting_of(units->cell[k]).size] >= MIN_COMPARED_ROWS;
        for (int m = 0; m < ALGORITHMS; m++) {
            row r = row_of(&scores, m, units->reps);
            if (!compare) {
                write_text_row(out, name, m, &r);
            } else if (compared && m != SCORE_MATCHING) {
                write_comparison(out, name, m, &scores, units->reps);
            }
        }
    }
    return NONSENS_OK;
}

static nonsens_status write_text(nonsens_context *ctx, arena *scratch, const study_units *units, FILE *out)
{
    TRY(write_cells(ctx, scratch, units, false, out));
    return write_cells(ctx, scratch, units, true, out);
}

const figure FIGURE_LINEAR_ICA = {
    .study = {.name = "linear-ica",
              .cells = PANELS * SIZES,
              .reps = 200,
              .revision = 3,
              .cell_name = cell_name,
              .run = run_unit,
              .unit_bytes = sizeof(unit),
              .read = read_unit},
    .summary = "linear ICA of piece-wise stationary sources, five algorithms (supplement B)",
    .write_csv = write_csv,
    .write_text = write_text,
};
