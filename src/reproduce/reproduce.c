/* reproduce.c - the table of figures, and the frame: units that the journal lacks are run, then all are written. */
#include "reproduce/reproduce.h"

#include "base/hash.h"
#include "base/output.h"
#include "base/parallel.h"
#include "base/show.h"
#include "pool/crew.h"
#include "pool/journal_head.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the table ---- */

static const figure *const table[] = {
    &FIGURE_BIVARIATE,
    &FIGURE_LINEAR_ICA,
    &FIGURE_GRAPHS,
    &FIGURE_FMRI,
};

enum { FIGURES = sizeof table / sizeof *table };

size_t nonsens_figure_count(void)
{
    return FIGURES;
}

const nonsens_figure_info *nonsens_figure_at(size_t index)
{
    return index < FIGURES ? &table[index]->info : NULL;
}

static const figure *figure_find(const char *name)
{
    for (size_t i = 0; i < FIGURES; i++) {
        if (strcmp(table[i]->info.name, name) == 0) {
            return table[i];
        }
    }
    return NULL;
}

/* ---- what is asked for ---- */

/* A figure with what its units look at: all that making a line takes. */
typedef struct workshop {
    const figure *figure;
    figure_base base;
} workshop;

typedef struct run {
    const figure *figure;
    const workshop *workshop;
    int64_t cells, reps, first_seed;
    int64_t *cell, *reps_there; /* (cells) as in figure_units */
    const char *journal, *csv;  /* paths */
    const char *svg[FIGURE_PICTURES];
    journal done;
    char *units;      /* (cells, reps) of unit_bytes each; filled in as they finish */
    int64_t *missing; /* (jobs) which of the units are to be made */
    int64_t jobs;
    bool broken; /* a line could not be kept: what remains is not begun */
    pthread_mutex_t keeping;
} run;

/* Does a name match one of the patterns, which commas separate? */
static bool is_named(const char *patterns, const char *name)
{
    const char *rest = patterns, *begin, *end;
    char pattern[4096]; // a longer one matches no name
    while (option_next_name(&rest, &begin, &end)) {
        int length = snprintf(pattern, sizeof pattern, "%.*s", (int)(end - begin), begin);
        if (length < (int)sizeof pattern && fnmatch(pattern, name, 0) == 0) {
            return true;
        }
    }
    return false;
}

static nonsens_status choose_cells(nonsens_context *ctx, arena *a, const nonsens_options *options, run *r)
{
    char name[CELL_NAME_BYTES], last[CELL_NAME_BYTES], shown[SHOWN_BYTES];
    const figure *f = r->figure;
    int64_t left_out = 0;
    ARENA_TRY(ctx, a, r->cell, f->info.cells);
    for (int64_t k = 0; k < f->info.cells; k++) {
        f->cell_name(k, name);
        if (!is_named(options->cells, name)) {
            continue;
        }
        if (options->fine || !f->is_fine || !f->is_fine(k)) {
            r->cell[r->cells++] = k;
        } else {
            left_out++;
        }
    }
    if (r->cells > 0) {
        return NONSENS_OK;
    }
    if (left_out > 0) {
        return fail(ctx, NONSENS_ERR_USAGE, "--cells %s: these cells of %s are of the finer grid; add --fine",
                    show_bare(shown, options->cells), f->info.name);
    }
    r->figure->cell_name(0, name);
    r->figure->cell_name(r->figure->info.cells - 1, last);
    return fail(ctx, NONSENS_ERR_USAGE, "--cells %s: no cell of %s is called so; they go from %s to %s",
                show_bare(shown, options->cells), r->figure->info.name, name, last);
}

static nonsens_status count_reps(nonsens_context *ctx, arena *a, const nonsens_options *options, run *r)
{
    const figure *f = r->figure;
    ARENA_TRY(ctx, a, r->reps_there, r->cells);
    for (int64_t k = 0; k < r->cells; k++) {
        int64_t usual = f->cell_reps ? f->cell_reps(r->cell[k]) : f->info.reps;
        r->reps_there[k] = options->reps > 0 && usual > 1 ? options->reps : usual;
        r->reps = r->reps_there[k] > r->reps ? r->reps_there[k] : r->reps;
    }
    return NONSENS_OK;
}

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

static int picture_count(const figure *f)
{
    int count = 0;
    while (count < FIGURE_PICTURES && f->picture[count].suffix) {
        count++;
    }
    return count;
}

static nonsens_status name_files(nonsens_context *ctx, arena *a, const char *folder, run *r)
{
    const char *name = r->figure->info.name;
    r->journal = arena_format(ctx, a, "%s/%s.journal", folder, name);
    r->csv = arena_format(ctx, a, "%s/%s.csv", folder, name);
    bool good = r->journal && r->csv;
    for (int i = 0; i < picture_count(r->figure) && good; i++) {
        r->svg[i] = arena_format(ctx, a, "%s/%s%s.svg", folder, name, r->figure->picture[i].suffix);
        good = r->svg[i] != NULL;
    }
    return good ? NONSENS_OK : NONSENS_ERR_MEMORY;
}

static nonsens_status check_files(nonsens_context *ctx, const nonsens_options *options, const run *r)
{
    static const journal_kind kind = {NULL, "repetitions", "name another folder by --out"}; // without a head
    TRY(journal_check_file(ctx, r->journal, &kind, options->resume));
    TRY(nonsens_output_check(ctx, r->csv));
    for (int i = 0; i < picture_count(r->figure); i++) {
        TRY(nonsens_output_check(ctx, r->svg[i]));
    }
    return NONSENS_OK;
}

/* ---- one unit ---- */

typedef struct unit_name {
    char cell[CELL_NAME_BYTES];
    char options[2 * CELL_NAME_BYTES]; /* in the journal: all that the unit depends on but its seed */
    int64_t number, seed;
} unit_name;

static unit_name name_unit(const workshop *w, int64_t cell, int64_t seed)
{
    const figure *f = w->figure;
    unit_name u = {.number = cell, .seed = seed};
    f->cell_name(cell, u.cell);
    int revision = f->revision + (f->cell_revision ? f->cell_revision(cell) : 0);
    int used = snprintf(u.options, sizeof u.options, "%.40s/%d/%s", f->info.name, revision, u.cell);
    if (w->base.hash != 0) {
        snprintf(u.options + used, sizeof u.options - (size_t)used, "/%016" PRIx64, w->base.hash);
    }
    return u;
}

static unit_name unit_of(const run *r, int64_t unit)
{
    return name_unit(r->workshop, r->cell[unit / r->reps], r->first_seed + unit % r->reps);
}

/* Figure and cell by their names: further cells and figures change nothing. */
static unit_seed seed_unit(const figure *f, const unit_name *u)
{
    uint64_t job = HASH_START;
    hash_text(&job, f->info.name);
    hash_text(&job, u->cell);
    return (unit_seed){rng_open((uint64_t)u->seed, RNG_REPRODUCE, job), (uint64_t)u->seed};
}

/* The journal's line of a unit, which the caller releases. */
static nonsens_status make_line(nonsens_context *ctx, arena *scratch, const void *state, int64_t cell, int64_t seed,
                                json_t **out)
{
    const workshop *w = state;
    const figure *f = w->figure;
    unit_name u = name_unit(w, cell, seed);
    json_t *line = json_pack("{s:s, s:s, s:I, s:s}", "figure", f->info.name, "cell", u.cell, "seed", (json_int_t)u.seed,
                             "options", u.options);
    nonsens_status status = line ? f->run(ctx, scratch, w->base.data, cell, seed_unit(f, &u), line) : fail_memory(ctx);
    if (status != NONSENS_OK) {
        json_decref(line);
        line = NULL;
    }
    *out = line;
    return status;
}

static bool read_unit(const run *r, int64_t unit, const json_t *line)
{
    return line && r->figure->read(line, r->units + (size_t)unit * r->figure->unit_bytes);
}

static nonsens_status keep_line(nonsens_context *ctx, run *r, int64_t unit, json_t *line)
{
    pthread_mutex_lock(&r->keeping);
    bool good = read_unit(r, unit, line);
    nonsens_status status = journal_append(ctx, &r->done, line);
    if (status == NONSENS_OK && !good) {
        status = fail(ctx, NONSENS_ERR_NUMERIC, "%s: a repetition lacks some of its results", r->figure->info.name);
    }
    if (status != NONSENS_OK) {
#pragma omp atomic write
        r->broken = true;
    }
    pthread_mutex_unlock(&r->keeping);
    return status;
}

static nonsens_status run_unit(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    run *r = state;
    bool broken;
#pragma omp atomic read
    broken = r->broken;
    if (broken) {
        return NONSENS_OK; // what broke it is the run's failure
    }
    unit_name u = unit_of(r, r->missing[job]);
    json_t *line;
    TRY(make_line(ctx, scratch, r->workshop, u.number, u.seed, &line));
    return keep_line(ctx, r, r->missing[job], line);
}

/* ---- one unit, run by another process ---- */

static void name_job(const void *keeper, int64_t job, int64_t *cell, int64_t *seed)
{
    const run *r = keeper;
    unit_name u = unit_of(r, r->missing[job]);
    *cell = u.number;
    *seed = u.seed;
}

static nonsens_status keep_job(nonsens_context *ctx, void *keeper, int64_t job, json_t *line)
{
    run *r = keeper;
    unit_name u = unit_of(r, r->missing[job]);
    const char *options = json_string_value(json_object_get(line, "options"));
    if (!options || strcmp(options, u.options) != 0) {
        json_decref(line);
        return fail(ctx, NONSENS_ERR_USAGE,
                    "the processes of this run are not all of one build of nonsens, or read other data");
    }
    return keep_line(ctx, r, r->missing[job], line);
}

static crew_work work_of(const workshop *w, const nonsens_options *options)
{
    return (crew_work){.phase = w->figure->info.name, .threads = (int)options->threads, .make = make_line, .state = w};
}

/* ---- all units ---- */

/* Repetition by repetition: all cells grow at the same pace, and the time left is guessed from all of them. */
static void list_missing(run *r)
{
    for (int64_t k = 0; k < r->reps * r->cells; k++) {
        int64_t unit = k % r->cells * r->reps + k / r->cells;
        unit_name u = unit_of(r, unit);
        if (k / r->cells < r->reps_there[k % r->cells] &&
            !read_unit(r, unit, journal_find(&r->done, u.options, u.seed))) {
            r->missing[r->jobs++] = unit;
        }
    }
}

static nonsens_status run_missing(nonsens_context *ctx, arena *a, const nonsens_options *options, run *r,
                                  const nonsens_crew *crew)
{
    ARENA_TRY(ctx, a, r->units, r->cells * r->reps * (int64_t)r->figure->unit_bytes);
    ARENA_TRY(ctx, a, r->missing, r->cells * r->reps);
    TRY(journal_open(ctx, r->journal, &r->done));
    list_missing(r);
    crew_work work = work_of(r->workshop, options);
    work.jobs = r->jobs;
    work.name = name_job;
    work.keep = keep_job;
    work.keeper = r;
    nonsens_status status =
        crew ? crew_lead(ctx, a, crew, &work) : parallel_for(ctx, work.threads, r->jobs, work.phase, run_unit, r);
    journal_close(&r->done);
    return status;
}

/* ---- what comes out ---- */

static nonsens_status write_file(nonsens_context *ctx, const figure_units *units, figure_write_fn write,
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

static nonsens_status write_files(nonsens_context *ctx, const run *r, const char *path)
{
    figure_units units = {r->cells, r->reps, r->cell, r->units, r->reps_there};
    TRY(write_file(ctx, &units, r->figure->write_csv, r->csv));
    for (int i = 0; i < picture_count(r->figure); i++) {
        TRY(write_file(ctx, &units, r->figure->picture[i].draw, r->svg[i]));
    }
    return write_file(ctx, &units, r->figure->write_text, path);
}

/* ---- the frame ---- */

static nonsens_status say_skipped(nonsens_context *ctx, const workshop *w, const char *path)
{
    output *out;
    TRY(output_open(ctx, path, &out));
    fprintf(output_stream(out), "%s skipped: %s\n", w->figure->info.name, w->base.missing);
    return output_close(ctx, out);
}

static nonsens_status reproduce(nonsens_context *ctx, arena *a, const nonsens_options *options, const workshop *w,
                                const char *path, const nonsens_crew *crew)
{
    run r = {.figure = w->figure, .workshop = w, .first_seed = options->seed, .keeping = PTHREAD_MUTEX_INITIALIZER};
    TRY(choose_cells(ctx, a, options, &r));
    TRY(count_reps(ctx, a, options, &r));
    if (w->base.missing) {
        return say_skipped(ctx, w, path);
    }
    TRY(make_folder(ctx, options->out));
    TRY(name_files(ctx, a, options->out, &r));
    TRY(check_files(ctx, options, &r));
    TRY(run_missing(ctx, a, options, &r, crew));
    return write_files(ctx, &r, path);
}

/* Member 0 of a crew sends the others home whatever happened. */
static nonsens_status lead(nonsens_context *ctx, arena *a, const nonsens_options *options, workshop *w,
                           const char *path, const nonsens_crew *crew)
{
    nonsens_status status = w->figure->prepare ? w->figure->prepare(ctx, a, options, &w->base) : NONSENS_OK;
    if (status == NONSENS_OK) {
        status = reproduce(ctx, a, options, w, path, crew);
    }
    return crew ? crew_dismiss(ctx, crew, status) : status;
}

/* Where another member cannot prepare, its units say so. */
static nonsens_status follow(nonsens_context *ctx, arena *a, const nonsens_options *options, workshop *w,
                             const nonsens_crew *crew)
{
    if (w->figure->prepare && w->figure->prepare(ctx, a, options, &w->base) != NONSENS_OK) {
        w->base.data = NULL;
    }
    crew_work work = work_of(w, options);
    return crew_follow(ctx, a, crew, &work);
}

nonsens_status figure_reproduce(nonsens_context *ctx, const nonsens_options *options, const figure *f, const char *path,
                                const nonsens_crew *crew)
{
    arena a = {0};
    workshop w = {.figure = f};
    const nonsens_crew *others = crew && crew->members > 1 ? crew : NULL;
    nonsens_status status =
        others && others->member > 0 ? follow(ctx, &a, options, &w, others) : lead(ctx, &a, options, &w, path, others);
    if (w.base.data) {
        f->release(w.base.data);
    }
    arena_free(&a);
    return status;
}

/* ---- public ---- */

static nonsens_status check_crew(nonsens_context *ctx, const nonsens_crew *crew)
{
    if (!crew->send || !crew->receive) {
        return fail(ctx, NONSENS_ERR_USAGE, "crew: the function %s must not be NULL", crew->send ? "receive" : "send");
    }
    if (crew->members < 1 || crew->members > NONSENS_MAX_MEMBERS) {
        return fail(ctx, NONSENS_ERR_USAGE, "crew: there cannot be %d members; set a number from 1 to %d",
                    crew->members, NONSENS_MAX_MEMBERS);
    }
    if (crew->member < 0 || crew->member >= crew->members) {
        return fail(ctx, NONSENS_ERR_USAGE, "crew: there is no member %d; members count from 0 to %d", crew->member,
                    crew->members - 1);
    }
    return NONSENS_OK;
}

nonsens_status nonsens_reproduce(nonsens_context *ctx, const nonsens_options *options, const char *name,
                                 const char *path)
{
    return nonsens_reproduce_crew(ctx, options, name, path, NULL);
}

nonsens_status nonsens_reproduce_crew(nonsens_context *ctx, const nonsens_options *options, const char *name,
                                      const char *path, const nonsens_crew *crew)
{
    NEEDED(ctx, options, name, path);
    char shown[SHOWN_BYTES];
    TRY(options_begin(ctx, options, NONSENS_CMD_REPRODUCE));
    TRY(crew ? check_crew(ctx, crew) : NONSENS_OK);
    const figure *f = figure_find(name);
    if (!f) {
        return fail(ctx, NONSENS_ERR_USAGE, "%s is not a figure; `nonsens help reproduce` lists them",
                    show_bare(shown, name));
    }
    return figure_reproduce(ctx, options, f, path, crew);
}
