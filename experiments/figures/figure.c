/* figure.c - the table of figures, and what all of them share: files, run, tables. */
#include "figures/figure.h"

#include "base/output.h"
#include "base/show.h"
#include "pool/journal_head.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the table ---- */

static const figure *const FIGURES[] = {&FIGURE_BIVARIATE, &FIGURE_LINEAR_ICA, &FIGURE_SIX_VARIABLES, &FIGURE_FMRI};

const figure *figure_at(size_t index)
{
    return index < sizeof FIGURES / sizeof *FIGURES ? FIGURES[index] : NULL;
}

const figure *figure_find(const char *name)
{
    size_t i = 0;
    while (figure_at(i) && strcmp(figure_at(i)->study.name, name) != 0) {
        i++;
    }
    return figure_at(i);
}

/* ---- files ---- */

static nonsens_status make_folder(nonsens_context *ctx, const char *folder)
{
    char shown[SHOWN_PATH_BYTES];
    if (!folder[0]) {
        return fail(ctx, NONSENS_ERR_USAGE, "--out: the name of the folder is empty; give a path");
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return fail(ctx, NONSENS_ERR_OUTPUT, "cannot make the folder %s: %s", show_path(shown, folder),
                    strerror(errno));
    }
    return NONSENS_OK;
}

typedef struct figure_files {
    const char *journal, *csv;
} figure_files;

static nonsens_status open_files(nonsens_context *ctx, arena *a, const nonsens_options *options, const figure *f,
                                 figure_files *out)
{
    static const journal_kind kind = {NULL, "repetitions", "name another folder by --out"}; // without a head line
    TRY(make_folder(ctx, options->out));
    out->journal = arena_format(ctx, a, "%s/%s.journal", options->out, f->study.name);
    out->csv = arena_format(ctx, a, "%s/%s.csv", options->out, f->study.name);
    if (!out->journal || !out->csv) {
        return NONSENS_ERR_MEMORY;
    }
    TRY(journal_check_file(ctx, out->journal, &kind, options->resume));
    return nonsens_output_check(ctx, out->csv);
}

static nonsens_status write_file(nonsens_context *ctx, const study_units *units, figure_write_fn write,
                                 const char *path)
{
    output *out;
    arena scratch = {0};
    TRY(output_open(ctx, path, &out));
    nonsens_status status = write(ctx, &scratch, units, output_stream(out));
    arena_free(&scratch);
    if (status != NONSENS_OK) {
        output_abandon(out);
        return status;
    }
    return output_close(ctx, out);
}

static nonsens_status say_skipped(nonsens_context *ctx, const figure *f, const char *why, const char *path)
{
    output *out;
    TRY(output_open(ctx, path, &out));
    fprintf(output_stream(out), "%s skipped: %s\n", f->study.name, why);
    return output_close(ctx, out);
}

/* ---- the run ---- */

static study_run run_of(const figure *f, const nonsens_options *options, const figure_data *data)
{
    return (study_run){.study = &f->study,
                       .data = data->data,
                       .data_hash = data->hash,
                       .first_seed = options->seed,
                       .threads = (int)options->threads};
}

static nonsens_status complete(nonsens_context *ctx, arena *a, study_run *r, const char *path,
                               const pool_members *others)
{
    journal done;
    TRY(journal_open(ctx, path, &done));
    r->journal = &done;
    nonsens_status status = study_complete(ctx, a, r, others);
    journal_close(&done);
    return status;
}

static nonsens_status reproduce(nonsens_context *ctx, arena *a, const nonsens_options *options, const figure *f,
                                const figure_data *data, const char *path, const pool_members *others)
{
    study_run r = run_of(f, options, data);
    figure_files files;
    TRY(study_choose(ctx, a, &r, options->cells, options->fine, options->reps));
    if (data->missing) {
        return say_skipped(ctx, f, data->missing, path);
    }
    TRY(open_files(ctx, a, options, f, &files));
    TRY(complete(ctx, a, &r, files.journal, others));
    study_units units = study_result(&r);
    TRY(write_file(ctx, &units, f->write_csv, files.csv));
    return write_file(ctx, &units, f->write_text, path);
}

/* Runs as member 0, which always ends the others, even after a failure. */
static nonsens_status lead(nonsens_context *ctx, arena *a, const nonsens_options *options, const figure *f,
                           figure_data *data, const char *path, const pool_members *others)
{
    nonsens_status status = f->prepare ? f->prepare(ctx, a, options, data) : NONSENS_OK;
    if (status == NONSENS_OK) {
        status = reproduce(ctx, a, options, f, data, path, others);
    }
    return others ? pool_dismiss(ctx, others, status) : status;
}

/* Runs as another member.  If it cannot prepare the data, its units report that. */
static nonsens_status follow(nonsens_context *ctx, arena *a, const nonsens_options *options, const figure *f,
                             figure_data *data, const pool_members *members)
{
    if (f->prepare && f->prepare(ctx, a, options, data) != NONSENS_OK) {
        data->data = NULL;
    }
    study_run r = run_of(f, options, data);
    return study_follow(ctx, a, &r, members);
}

nonsens_status figure_reproduce(nonsens_context *ctx, const nonsens_options *options, const figure *f, const char *path,
                                const pool_members *members)
{
    arena a = {0};
    figure_data data = {.data = NULL};
    TRY(options_begin(ctx, options, NONSENS_COMMAND_REPRODUCE));
    const pool_members *others = members && members->members > 1 ? members : NULL;
    nonsens_status status = others && others->member > 0 ? follow(ctx, &a, options, f, &data, others)
                                                         : lead(ctx, &a, options, f, &data, path, others);
    if (data.data) {
        f->release(data.data);
    }
    arena_free(&a);
    return status;
}
