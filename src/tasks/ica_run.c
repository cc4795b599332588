/*
 * ica_run.c - nonsens_run_ica: linear ICA of all variables of a data set.
 *
 * Columns are unmixed in canonical order and the matrices mapped back.  So the sources are the same, bit for bit,
 * whatever the names of labels and the order of columns and rows.
 */
#include "base/clock.h"
#include "base/show.h"
#include "data/audit.h"
#include "math/linalg.h"
#include "methods/shared/unmixing.h"
#include "tasks/choose_method.h"
#include "tasks/run.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { MIN_VARIABLES = 2, MAX_VARIABLES = 100, LISTED = 8, WORD_BYTES = 64 };

#define CONVENTION(rows)                                                                                             \
    "source = unmixing * (variables - their means over all rows); a row of unmixing is a source, a column a "        \
    "variable; mixing is the inverse, a row is a variable, a column a source; sources have variance 1 and skewness " \
    ">= 0 " rows ", and are ordered by kurtosis, the largest first"

/* The state of one run. */
typedef struct ica_run {
    nonsens_context *ctx;
    arena *scratch;
    const nonsens_data *data;
    nonsens_result *result;
    enum option_unmixing algorithm; /* never auto */
    ica_result ica;                 /* unmix (d, d) column-major, columns in canonical order */
    unmixing_identification known;
} ica_run;

/* ---- checks ---- */

static nonsens_status check_data(nonsens_context *ctx, const nonsens_data *data, enum option_unmixing algorithm)
{
    char name[SHOWN_BYTES];
    if (data->d < MIN_VARIABLES) {
        return fail(ctx, NONSENS_ERR_DATA, "unmixing needs at least two variables, but %s is the only one",
                    show_quoted(name, data->names[0]));
    }
    if (data->d > MAX_VARIABLES) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "%" PRId64 " variables are more than the %d that can be unmixed; choose some with --vars", data->d,
                    MAX_VARIABLES);
    }
    if (algorithm == UNMIX_JOINT_DIAGONALISATION && data->segments < 2) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "joint-diagonalisation compares variances between segments and needs at least two of "
                    "them; " AUDIT_NAME_SEGMENTS ", or take another --method");
    }
    return NONSENS_OK;
}

/* ---- matrices and sources ---- */

/* Keeps both matrices in the user's column order; the inverse is computed in canonical order. */
static nonsens_status keep_matrices(const ica_run *run)
{
    nonsens_context *ctx = run->ctx;
    result_unmixing *u = &run->result->unmixed;
    int64_t d = run->data->d;
    double *unmix, *mix; // (d, d) column-major
    ARENA_TRY(ctx, &run->result->memory, u->unmixing, d * d);
    ARENA_TRY(ctx, &run->result->memory, u->mixing, d * d);
    ARENA_TRY(ctx, run->scratch, unmix, d * d);
    ARENA_TRY(ctx, run->scratch, mix, d * d);
    memcpy(unmix, run->ica.unmix, (size_t)(d * d) * sizeof *unmix);
    for (int64_t k = 0; k < d; k++) {
        mix[k + d * k] = 1.0;
    }
    TRY(linalg_solve(ctx, run->scratch, d, d, unmix, mix));
    for (int64_t c = 0; c < d; c++) {
        int64_t j = run->data->column_rank[c];
        for (int64_t k = 0; k < d; k++) {
            u->unmixing[k * d + j] = run->data->sign[j] * run->ica.unmix[k + d * c] + 0.0;
            u->mixing[j * d + k] = run->data->sign[j] * mix[c + d * k] + 0.0; // no minus zero
        }
    }
    return NONSENS_OK;
}

static nonsens_status keep_sources(const ica_run *run, matrix z)
{
    nonsens_context *ctx = run->ctx;
    nonsens_result *r = run->result;
    double *source, *change;
    ARENA_TRY(ctx, &r->memory, source, z.rows * z.cols);
    ARENA_TRY(ctx, &r->memory, r->source_name, z.cols);
    r->source = matrix_view(source, z.rows, z.cols);
    ica_apply(z, run->ica.unmix, r->source);
    for (int64_t k = 0; k < z.cols; k++) {
        r->source_name[k] = arena_format(ctx, &r->memory, "s%" PRId64, k + 1);
        if (!r->source_name[k]) {
            return NONSENS_ERR_MEMORY;
        }
    }
    if (r->segments > 0) {
        ARENA_TRY(ctx, &r->memory, change, r->segments * z.cols);
        r->modulation = matrix_view(change, r->segments, z.cols);
        unmixing_modulation(r->source, r->segments, r->start, r->modulation);
    }
    return NONSENS_OK;
}

/* ---- values ---- */

/* Finds the word for a choice of an option of `ica`. */
static nonsens_status choice_word(const ica_run *run, const char *key, int index, const char **out)
{
    char word[WORD_BYTES];
    option_print_choice(nonsens_option_find(key, NONSENS_COMMAND_ICA)->choices, index, word, sizeof word);
    *out = arena_text(run->ctx, &run->result->memory, word);
    return *out ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

static bool is_score_matching(enum option_unmixing algorithm)
{
    return algorithm == UNMIX_SCORE_MATCHING || algorithm == UNMIX_TWO_STATISTIC;
}

static nonsens_status report_optimum(const ica_run *run)
{
    nonsens_context *ctx = run->ctx;
    nonsens_result *r = run->result;
    result_unmixing *u = &r->unmixed;
    u->convention = run->ica.is_inside ? CONVENTION("inside segments (pooled)") : CONVENTION("over all rows");
    u->iterations = run->ica.iterations;
    u->converged = run->ica.converged;
    u->sharpness = NAN;
    TRY(result_add(ctx, r, run->ica.objective, NAN, "of the sources, per row; smaller is better", "objective"));
    TRY(result_add(ctx, r, run->ica.contrast_gap, NAN, unmixing_gap_words(run->algorithm), "contrast gap"));
    TRY(result_add(ctx, r, (double)run->ica.iterations, NAN, u->converged ? "converged" : "did not converge",
                   "iterations"));
    if (!is_score_matching(run->algorithm)) {
        return NONSENS_OK;
    }
    if (run->ica.statistic != STATISTIC_AUTO) {
        TRY(choice_word(run, "statistic", (int)run->ica.statistic, &u->statistic));
    }
    if (run->ica.sharpness > 0.0) {
        u->sharpness = run->ica.sharpness;
        TRY(result_add(ctx, r, u->sharpness, NAN,
                       "of the statistic: one over the standard deviation of a source at its bend", "sharpness"));
    }
    return NONSENS_OK;
}

static nonsens_status report_shape(const ica_run *run, int64_t k)
{
    nonsens_context *ctx = run->ctx;
    nonsens_result *r = run->result;
    bool inside = run->ica.is_inside && r->segments > 0;
    int64_t before = r->evidence_count, whole[2] = {0, r->rows};
    unmixing_source_shape all =
        unmixing_shape(matrix_col(r->source, k), inside ? r->segments : 1, inside ? run->data->start : whole, false);
    r->unmixed.kurtosis[k] = all.kurtosis;
    r->unmixed.skewness[k] = all.skewness;
    TRY(result_add(
        ctx, r, all.kurtosis, NAN,
        inside ? "of all rows less their segment's mean, in excess of a Gaussian's; a changing variance adds to it"
               : "of all rows, in excess of a Gaussian's; a changing mean or variance adds to it",
        "kurtosis(%s)", r->source_name[k]));
    TRY(result_add(ctx, r, all.skewness, NAN, "of the source, per row", "skewness(%s)", r->source_name[k]));
    TRY(result_add(
        ctx, r, run->known.departure[k], NAN,
        "the larger of kurtosis and skewness in standard errors, rows standardised inside their segment (all "
        "rows together for fastica and infomax); up to 4 the source cannot be distinguished from a Gaussian one",
        "departure from Gaussian(%s)", r->source_name[k]));
    r->unmixed.tabled += r->evidence_count - before;
    return NONSENS_OK;
}

static nonsens_status report_shapes(const ica_run *run)
{
    nonsens_result *r = run->result;
    ARENA_TRY(run->ctx, &r->memory, r->unmixed.kurtosis, r->source.cols);
    ARENA_TRY(run->ctx, &r->memory, r->unmixed.skewness, r->source.cols);
    for (int64_t k = 0; k < r->source.cols; k++) {
        TRY(report_shape(run, k));
    }
    return NONSENS_OK;
}

/* ---- what speaks against the sources ---- */

/* A list of names that grows: "s1, s2, ..." with at most LISTED of them. */
typedef struct list {
    char *text;
    int64_t count;
} list;

static nonsens_status list_add(const ica_run *run, const char *name, list *l)
{
    l->count++;
    if (l->count <= LISTED) {
        l->text = arena_format(run->ctx, run->scratch, "%s%s%s", l->text ? l->text : "", l->text ? ", " : "", name);
    } else if (l->count == LISTED + 1) {
        l->text = arena_format(run->ctx, run->scratch, "%s, ...", l->text);
    }
    return l->text ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

static nonsens_status note_unidentified(const ica_run *run)
{
    nonsens_context *ctx = run->ctx;
    nonsens_result *r = run->result;
    const unmixing_identification *known = &run->known;
    list suspects = {0};
    for (int64_t k = 0; k < r->source.cols; k++) {
        if (known->suspect[k]) {
            TRY(list_add(run, r->source_name[k], &suspects));
        }
    }
    switch (known->why) {
    case IDENTIFIED:
        break;
    case PROPORTIONAL:
        return result_note(ctx, r, NONSENS_NOTE_PROBLEM,
                           "The variances of some sources do not change over the segments, or change in proportion: "
                           "these may still be mixed with one another. More different segments are needed, or a method "
                           "that uses the shape of the sources (score-matching, fastica, infomax).");
    case GAUSSIAN:
        return result_note(ctx, r, NONSENS_NOTE_PROBLEM,
                           "%" PRId64
                           " sources cannot be distinguished from Gaussian ones (%s), so they may still be mixed: "
                           "%s sees only their shape. If their variances change over segments, "
                           "--method joint-diagonalisation separates them.",
                           known->count, suspects.text, r->method);
    case GAUSSIAN_PROPORTIONAL:
        return result_note(ctx, r, NONSENS_NOTE_PROBLEM,
                           "%" PRId64 " sources look Gaussian inside segments (%s), and the variances of some of them "
                           "do not change, or change in proportion: these may still be mixed with one another. More "
                           "different segments are needed.",
                           known->count, suspects.text);
    }
    return NONSENS_OK;
}

static bool is_constant(const double *v, int64_t from, int64_t to)
{
    bool same = to - from > 1; // a single row does not tell
    for (int64_t i = from + 1; same && i < to; i++) {
        same = v[i] == v[from];
    }
    return same;
}

static nonsens_status note_constant(const ica_run *run, int64_t j)
{
    const nonsens_data *data = run->data;
    char shown[SHOWN_BYTES];
    list where = {0};
    for (int64_t e = 0; e < data->segments; e++) {
        if (is_constant(matrix_col(data->x, j), data->start[e], data->start[e + 1])) {
            TRY(list_add(run, show_quoted(shown, data->labels[e]), &where));
        }
    }
    if (where.count == 0) {
        return NONSENS_OK;
    }
    return result_note(run->ctx, run->result, NONSENS_NOTE_CAUTION,
                       "%s is constant inside %" PRId64 " of %" PRId64
                       " segments (%s): some mixture of the sources has "
                       "no variance there, which is rarely what independent sources do; leave these segments out.",
                       show_quoted(shown, data->names[j]), where.count, data->segments, where.text);
}

static nonsens_status note_findings(const ica_run *run)
{
    nonsens_result *r = run->result;
    if (!run->ica.converged) {
        TRY(result_note(run->ctx, r, NONSENS_NOTE_PROBLEM,
                        "The unmixing stopped after %d iterations without converging: the sources may still be mixed. "
                        "Another --method or more --starts may do better.",
                        run->ica.iterations));
    }
    if (run->ica.rows_used < r->rows) {
        TRY(result_note(run->ctx, r, NONSENS_NOTE_CAUTION,
                        "%" PRId64 " of %" PRId64
                        " rows did not enter the contrast: their segments have fewer than %" PRId64
                        " rows. Merge small segments.",
                        r->rows - run->ica.rows_used, r->rows, 2 * (run->data->d + 1)));
    }
    if (run->ica.segments_used < 2 && is_score_matching(run->algorithm)) {
        TRY(result_note(run->ctx, r, NONSENS_NOTE_INFO,
                        "There %s, so non-Gaussianity alone identifies the sources; fastica and infomax are made "
                        "for that.",
                        r->segments == 0 ? "are no segments" : "is only one large enough segment"));
    }
    TRY(note_unidentified(run));
    for (int64_t j = 0; j < run->data->d; j++) {
        TRY(note_constant(run, j));
    }
    return NONSENS_OK;
}

/* ---- the run ---- */

static const char *assumption(enum option_unmixing algorithm, int64_t segments)
{
    if (algorithm == UNMIX_JOINT_DIAGONALISATION) {
        return "The variables are linear mixtures, the same in all segments, of as many sources; inside each segment "
               "the sources are uncorrelated, and the variances of no two of them change in proportion.";
    }
    if (!ica_sees_segments(algorithm) || segments < 2) {
        return "The variables are linear mixtures, the same in all rows, of as many independent sources, at most one "
               "of them Gaussian.";
    }
    return "The variables are linear mixtures, the same in all segments, of as many sources; these are independent "
           "inside each segment, and no two of them are Gaussian there and change in proportion.";
}

nonsens_status nonsens_run_ica(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                               nonsens_result **out)
{
    NEEDED(ctx, data, options, out);
    double begun = clock_seconds();
    SCOPED_ARENA(scratch);
    SCOPED(memory_release_scoped) nonsens_result *r = NULL;
    enum option_unmixing algorithm = unmixing_resolved(options->unmixing);
    matrix z;
    *out = NULL;
    TRY(options_begin(ctx, options, NONSENS_COMMAND_ICA));
    TRY(choose_needs_values(ctx, data, "ica"));
    TRY(check_data(ctx, data, algorithm));
    TRY(result_new(ctx, data, options, "ica", &r));
    ica_run run = {.ctx = ctx, .scratch = &scratch, .data = data, .result = r, .algorithm = algorithm};
    r->assumes = assumption(algorithm, data->segments);
    TRY(choice_word(&run, "method", (int)algorithm, &r->method));
    TRY(dataset_in_rank_order(ctx, &scratch, data, &z));
    TRY(unmixing_of_variables(ctx, &scratch, data, &r->options, z, &run.ica));
    TRY(keep_matrices(&run));
    TRY(keep_sources(&run, z));
    TRY(unmixing_identified(ctx, &scratch, algorithm, run.ica.contrast_gap, r->source, data->segments, data->start,
                            &run.known));
    TRY(report_optimum(&run));
    TRY(report_shapes(&run));
    TRY(note_findings(&run));
    TRY(result_finish(ctx, r));
    r->seconds = clock_seconds() - begun;
    *out = r;
    r = NULL;
    return NONSENS_OK;
}
