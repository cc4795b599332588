/*
 * simulate.c - makes data with known causes (by the generators of the paper's section 5 and our own).
 *
 * Variables are made in causal order, a hidden common cause first; then the hidden one is dropped and the columns are
 * shuffled.  Sources are unit draws (Laplace exp(-|x|)/2, standard normal, Student with 5 degrees, uniform on
 * [-1, 1]) times the segment's scale plus the segment's mean.  Sources that --modulate exempts keep scale 1 and mean 0;
 * with `proportional` all sources share the scale and the mean of the segment.  Every random number comes from a stream
 * that is named by its purpose, source and segment, so longer data of the same seed begin like shorter data.
 */
#include "simulate/simulate.h"

#include "data/dataset.h"
#include "math/sort.h"
#include "simulate/simulate_model.h"

#include <inttypes.h>
#include <math.h>

/* With more variables hardly any random mixing has |det| >= .3. */
enum { MAX_CYCLIC = 50 };

static const double STUDENT_DEGREES = 5;
static const range CHANGE = {0.3, 1.7}; /* of weights under --changing-mechanism */

/* The state while a data set is made; variables are in causal order. */
typedef struct simulate_drawing {
    const nonsens_options *options;
    arena *scratch;
    int64_t hidden; // 1 with a hidden common cause, which is then variable 0
    simulate_model model;
    bool *modulated;                   // (m)
    double *scale;                     // (E, m) row by row
    double *mean;                      // (E, m) row by row
    sort_entry *sorted, *sorted_spare; // (E)
    double *factor;                    // (m, m) of the current segment
    double *noise, *row, *spare;       // (m)
    int64_t *column;                   // (d) variable shown in each column
} simulate_drawing;

static nonsens_status refuse(nonsens_context *ctx, const char *one, const char *other, const char *why)
{
    return fail(ctx, NONSENS_ERR_USAGE, "%s and %s cannot be combined: %s", one, other, why);
}

/* Checks the options that choose the kind of graph, which exclude one another. */
static nonsens_status check_graph_options(nonsens_context *ctx, const nonsens_options *o)
{
    const char *shape = o->cyclic ? "--cyclic" : o->independent ? "--independent" : "--confounded";
    bool confounded = o->confounded != CONFOUNDED_NO;
    if (o->cyclic + o->independent + confounded > 1) {
        return refuse(ctx, shape, o->cyclic && o->independent ? "--independent" : "--confounded",
                      "choose one kind of graph");
    }
    if (o->edge_prob >= 0 && (o->cyclic || o->independent || confounded)) {
        return refuse(ctx, shape, "--edge-prob", "the edges are fixed by the former");
    }
    if (o->cyclic && o->sem == SEM_NODE) {
        return refuse(ctx, "--cyclic", "--sem node", "the node generator makes acyclic models only");
    }
    if (confounded && o->nodes != 2) {
        return refuse(ctx, "--confounded", "--nodes", "a hidden common cause is made for two variables only");
    }
    if (o->cyclic && (o->nodes < 2 || o->nodes > MAX_CYCLIC)) {
        return fail(ctx, NONSENS_ERR_USAGE, "--cyclic needs from 2 to %d variables, not %" PRId64, MAX_CYCLIC,
                    o->nodes);
    }
    return NONSENS_OK;
}

static nonsens_status check_options(nonsens_context *ctx, const nonsens_options *o)
{
    if (o->nodes < 1 || o->depth < 1 || o->sim_segments < 1 || o->per_segment < 1) {
        return fail(ctx, NONSENS_ERR_USAGE, "--nodes, --depth, --segments and --per-segment must be at least 1");
    }
    if (o->nodes > INT16_MAX || o->depth > INT16_MAX || o->sim_segments > INT32_MAX) {
        return fail(ctx, NONSENS_ERR_USAGE, "--nodes, --depth or --segments is too large");
    }
    if (!(o->scale.lo > 0) || !(o->scale.hi >= o->scale.lo) || !(o->mean.hi >= o->mean.lo)) {
        return fail(ctx, NONSENS_ERR_USAGE, "--scale needs 0 < LO <= HI and --mean needs LO <= HI");
    }
    TRY(check_graph_options(ctx, o));
    bool no_edges = o->independent || o->confounded != CONFOUNDED_NO;
    if ((no_edges || o->cyclic) && (o->modulate == MODULATE_CAUSE || o->modulate == MODULATE_EFFECT)) {
        return refuse(ctx, o->modulate == MODULATE_CAUSE ? "--modulate cause" : "--modulate effect",
                      o->cyclic        ? "--cyclic"
                      : o->independent ? "--independent"
                                       : "--confounded",
                      "no variable is the cause alone");
    }
    if (o->fault > 0.0 && o->sim_segments < 2) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--fault makes the last segment differ from the first; take two --segments");
    }
    if (no_edges && o->changing_mechanism) {
        return refuse(ctx, "--changing-mechanism", o->independent ? "--independent" : "--confounded",
                      "there is no edge whose mechanism could change");
    }
    return NONSENS_OK;
}

/* ---- graph --------------------------------------------------------------------------------------------------- */

/* Connects each pair with the given probability, in a cyclic graph in both directions; false if there is no edge. */
static bool draw_pairs(rng *r, simulate_model *model, double probability, bool cyclic)
{
    int64_t m = model->m;
    bool any = false;
    for (int64_t j = 1; j < m; j++) {
        for (int64_t i = 0; i < j; i++) {
            bool joined = rng_uniform(r) < probability;
            model->parent[j * m + i] = joined;
            model->parent[i * m + j] = joined && cyclic;
            any = any || joined;
        }
    }
    return any;
}

static void draw_graph(simulate_drawing *w)
{
    const nonsens_options *o = w->options;
    simulate_model *model = &w->model;
    if (w->hidden) {
        for (int64_t j = 1; j < model->m; j++) {
            model->parent[j * model->m] = true;
        }
        return;
    }
    if (o->independent || o->nodes < 2) {
        return;
    }
    double probability = o->edge_prob >= 0 ? o->edge_prob : 2.0 / (double)(o->nodes - 1);
    rng r = simulate_stream(o->seed, RNG_SIMULATE_MECHANISM, STREAM_MASK, 0);
    while (!draw_pairs(&r, model, probability, o->cyclic) && o->cyclic) { // without a cycle it would not be cyclic
    }
}

/* ---- modulation ---------------------------------------------------------------------------------------------- */

static bool is_modulated(const simulate_drawing *w, int64_t j)
{
    const nonsens_options *o = w->options;
    if (w->hidden && j == 0) {
        return o->confounded == CONFOUNDED_MODULATED;
    }
    bool root = true;
    for (int64_t i = 0; i < w->model.m; i++) {
        root = root && !w->model.parent[j * w->model.m + i];
    }
    return o->modulate == MODULATE_CAUSE ? root : o->modulate == MODULATE_EFFECT ? !root : true;
}

static double uniform_on(rng *r, range bounds)
{
    return bounds.lo + (bounds.hi - bounds.lo) * rng_uniform(r);
}

/* Makes the scales of source j grow with the segment index. */
static void sort_scales(simulate_drawing *w, int64_t j)
{
    int64_t m = w->model.m, segments = w->options->sim_segments;
    for (int64_t e = 0; e < segments; e++) {
        w->sorted[e] = (sort_entry){sort_key(w->scale[e * m + j]), e};
    }
    sort_entries(w->sorted, w->sorted_spare, segments, NULL, NULL);
    for (int64_t e = 0; e < segments; e++) {
        w->scale[e * m + j] = sort_value(w->sorted[e].key);
    }
}

/*
 * Draws scale and mean of source j in every segment, from its own streams or from those that proportional sources
 * share.
 */
static void draw_modulation(simulate_drawing *w, int64_t j)
{
    const nonsens_options *o = w->options;
    int64_t m = w->model.m;
    bool shared = o->modulate == MODULATE_PROPORTIONAL && !(w->hidden && j == 0);
    int64_t name = shared ? w->hidden : j;
    rng scales = simulate_stream(o->seed, RNG_SIMULATE_MODULATION, STREAM_MAIN, name);
    rng means = simulate_stream(o->seed, RNG_SIMULATE_MODULATION, STREAM_MEAN, name);
    for (int64_t e = 0; e < o->sim_segments; e++) {
        w->scale[e * m + j] = w->modulated[j] ? uniform_on(&scales, o->scale) : 1;
        w->mean[e * m + j] = w->modulated[j] ? uniform_on(&means, o->mean) : 0;
    }
    if (o->correlated) {
        sort_scales(w, j);
    }
}

/* Makes the last segment like the first, except for the scale of one source. */
static void add_fault(simulate_drawing *w, nonsens_simulation *s)
{
    const nonsens_options *o = w->options;
    int64_t m = w->model.m, last = (o->sim_segments - 1) * m;
    rng r = simulate_stream(o->seed, RNG_SIMULATE_MODULATION, STREAM_FAULT, 0);
    s->broken = (int64_t)rng_below(&r, (uint64_t)s->d);
    for (int64_t j = 0; j < m; j++) {
        w->scale[last + j] = w->scale[j];
        w->mean[last + j] = w->mean[j];
    }
    w->scale[last + w->column[s->broken]] *= o->fault;
}

static nonsens_status draw_all_modulation(nonsens_context *ctx, simulate_drawing *w)
{
    int64_t m = w->model.m, cells;
    if (__builtin_mul_overflow(m, w->options->sim_segments, &cells)) {
        return fail_memory(ctx);
    }
    ARENA_TRY(ctx, w->scratch, w->scale, cells);
    ARENA_TRY(ctx, w->scratch, w->mean, cells);
    ARENA_TRY(ctx, w->scratch, w->modulated, m);
    ARENA_TRY(ctx, w->scratch, w->sorted, w->options->sim_segments);
    ARENA_TRY(ctx, w->scratch, w->sorted_spare, w->options->sim_segments);
    for (int64_t j = 0; j < m; j++) {
        w->modulated[j] = is_modulated(w, j);
        draw_modulation(w, j);
    }
    return NONSENS_OK;
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

static double unit_draw(rng *r, enum option_noise kind)
{
    switch (kind) {
    case NOISE_GAUSSIAN:
        return rng_normal(r);
    case NOISE_STUDENT:
        return rng_student(r, STUDENT_DEGREES);
    case NOISE_UNIFORM:
        return 2 * rng_uniform(r) - 1;
    case NOISE_LAPLACE:
        break;
    }
    return rng_laplace(r);
}

/* Draws one factor per edge; in a cyclic model one for all, halved towards 1 until every layer is invertible. */
static void draw_factors(simulate_drawing *w, int64_t segment)
{
    const nonsens_options *o = w->options;
    int64_t entries = w->model.m * w->model.m;
    rng r = simulate_stream(o->seed, RNG_SIMULATE_MECHANISM, STREAM_CHANGE, segment);
    double common = 1;
    if (o->cyclic && o->changing_mechanism) {
        common = uniform_on(&r, CHANGE);
        while (!simulate_layered_invertible(&w->model, common, w->factor)) {
            common = 1 + (common - 1) / 2;
        }
    }
    for (int64_t k = 0; k < entries; k++) {
        bool own = o->changing_mechanism && !o->cyclic && w->model.parent[k];
        w->factor[k] = own ? uniform_on(&r, CHANGE) : w->model.parent[k] ? common : 1;
    }
}

static void make_row(simulate_drawing *w)
{
    const simulate_model *model = &w->model;
    if (model->sem == SEM_LAYERED) {
        simulate_layered_row(model, w->factor, w->noise, w->row, w->spare);
        return;
    }
    for (int64_t j = 0; j < model->m; j++) {
        w->row[j] = simulate_node_value(model, j, w->factor, w->row, w->noise[j]);
    }
}

static nonsens_status keep_row(nonsens_context *ctx, const simulate_drawing *w, nonsens_simulation *s, int64_t i)
{
    for (int64_t k = 0; k < s->d; k++) {
        double value = w->row[w->column[k]];
        if (!isfinite(value)) {
            return fail(ctx, NONSENS_ERR_NUMERIC,
                        "the simulated values overflow in row %" PRId64
                        "; use fewer layers (--depth) or smaller scales (--scale)",
                        i + 1);
        }
        matrix_col(s->x, k)[i] = value;
        matrix_col(s->source, k)[i] = w->noise[w->column[k]];
    }
    return NONSENS_OK;
}

static nonsens_status make_segment(nonsens_context *ctx, simulate_drawing *w, rng *streams, nonsens_simulation *s,
                                   int64_t e)
{
    const nonsens_options *o = w->options;
    int64_t m = w->model.m;
    draw_factors(w, e);
    for (int64_t j = 0; j < m; j++) {
        // the stream is named by source and segment: more rows never change the rows of another segment
        streams[j] = rng_new((uint64_t)o->seed, RNG_SIMULATE_NOISE, (uint64_t)j << 32 | (uint64_t)e);
    }
    for (int64_t i = e * o->per_segment; i < (e + 1) * o->per_segment; i++) {
        for (int64_t j = 0; j < m; j++) {
            w->noise[j] = w->mean[e * m + j] + w->scale[e * m + j] * unit_draw(&streams[j], o->noise);
        }
        make_row(w);
        TRY(keep_row(ctx, w, s, i));
        s->segment[i] = (int32_t)e;
    }
    return check_cancelled(ctx);
}

static nonsens_status make_rows(nonsens_context *ctx, simulate_drawing *w, nonsens_simulation *s)
{
    rng *streams; // (m)
    ARENA_TRY(ctx, w->scratch, streams, w->model.m);
    ARENA_TRY(ctx, w->scratch, w->factor, w->model.m * w->model.m);
    ARENA_TRY(ctx, w->scratch, w->noise, w->model.m);
    ARENA_TRY(ctx, w->scratch, w->row, w->model.m);
    ARENA_TRY(ctx, w->scratch, w->spare, w->model.m);
    for (int64_t e = 0; e < s->segments; e++) {
        TRY(make_segment(ctx, w, streams, s, e));
    }
    return NONSENS_OK;
}

/* ---- the observed table and its truth ------------------------------------------------------------------------ */

static nonsens_status shuffle_columns(nonsens_context *ctx, simulate_drawing *w)
{
    int64_t d = w->options->nodes;
    ARENA_TRY(ctx, w->scratch, w->column, d);
    for (int64_t k = 0; k < d; k++) {
        w->column[k] = k + w->hidden;
    }
    rng r = simulate_stream(w->options->seed, RNG_SIMULATE_LAYOUT, STREAM_MAIN, 0);
    rng_shuffle(&r, d, w->column);
    return NONSENS_OK;
}

static nonsens_status allocate_table(nonsens_context *ctx, nonsens_simulation *s)
{
    int64_t cells, scales;
    if (__builtin_mul_overflow(s->options.sim_segments, s->options.per_segment, &s->n) ||
        __builtin_mul_overflow(s->n, s->d, &cells) || __builtin_mul_overflow(s->segments, s->d, &scales)) {
        return fail_memory(ctx);
    }
    double *x, *source, *modulation; // (n, d), (n, d), (segments, d)
    ARENA_TRY(ctx, &s->memory, x, cells);
    ARENA_TRY(ctx, &s->memory, source, cells);
    ARENA_TRY(ctx, &s->memory, modulation, scales);
    ARENA_TRY(ctx, &s->memory, s->segment, s->n);
    ARENA_TRY(ctx, &s->memory, s->names, s->d);
    ARENA_TRY(ctx, &s->memory, s->edge, s->d * s->d);
    s->x = matrix_view(x, s->n, s->d);
    s->source = matrix_view(source, s->n, s->d);
    s->modulation = matrix_view(modulation, s->segments, s->d);
    return NONSENS_OK;
}

static nonsens_status keep_truth(nonsens_context *ctx, const simulate_drawing *w, nonsens_simulation *s)
{
    int64_t m = w->model.m;
    const nonsens_options *o = w->options;
    s->kind = o->cyclic ? TRUTH_CYCLIC : o->independent ? TRUTH_INDEPENDENT : w->hidden ? TRUTH_CONFOUNDED : TRUTH_DAG;
    for (int64_t k = 0; k < s->d; k++) {
        for (int64_t e = 0; e < s->segments; e++) {
            matrix_col(s->modulation, k)[e] = w->scale[e * m + w->column[k]];
        }
        for (int64_t effect = 0; effect < s->d; effect++) {
            s->edge[k * s->d + effect] = w->model.parent[w->column[effect] * m + w->column[k]];
        }
        s->names[k] = arena_format(ctx, &s->memory, "x%" PRId64, k + 1);
        if (!s->names[k]) {
            return NONSENS_ERR_MEMORY;
        }
    }
    return NONSENS_OK;
}

static nonsens_status make_all(nonsens_context *ctx, simulate_drawing *w, nonsens_simulation *s)
{
    simulate_model *model = &w->model;
    TRY(allocate_table(ctx, s));
    ARENA_TRY(ctx, w->scratch, model->parent, model->m * model->m);
    draw_graph(w);
    TRY(model->sem == SEM_NODE ? simulate_node_draw(ctx, w->scratch, s->options.seed, model)
                               : simulate_layered_draw(ctx, w->scratch, s->options.seed, s->options.cyclic, model));
    TRY(draw_all_modulation(ctx, w));
    TRY(shuffle_columns(ctx, w));
    if (s->options.fault > 0.0) {
        add_fault(w, s);
    }
    TRY(keep_truth(ctx, w, s));
    return make_rows(ctx, w, s);
}

nonsens_status nonsens_simulation_new(nonsens_context *ctx, const nonsens_options *options, nonsens_simulation **out)
{
    NEEDED(ctx, options, out);
    *out = NULL;
    TRY(options_begin(ctx, options, NONSENS_COMMAND_SIMULATE));
    TRY(check_options(ctx, options));
    SCOPED_ARENA(scratch);
    SCOPED(memory_release_scoped) nonsens_simulation *s = memory_get(1, sizeof *s);
    if (!s) {
        return fail_memory(ctx);
    }
    s->d = options->nodes;
    s->segments = options->sim_segments;
    simulate_drawing w = {.options = &s->options, .scratch = &scratch, .hidden = options->confounded != CONFOUNDED_NO};
    w.model = (simulate_model){.sem = options->sem, .m = s->d + w.hidden, .depth = options->depth};
    TRY(options_copy(ctx, &s->memory, options, &s->options));
    TRY(make_all(ctx, &w, s));
    *out = s;
    s = NULL;
    return NONSENS_OK;
}

void nonsens_simulation_free(nonsens_simulation *simulation)
{
    memory_release_owner(simulation);
}

int64_t nonsens_simulation_row_count(const nonsens_simulation *simulation)
{
    return simulation ? simulation->n : 0;
}

int64_t nonsens_simulation_variable_count(const nonsens_simulation *simulation)
{
    return simulation ? simulation->d : 0;
}

const char *nonsens_simulation_variable_at(const nonsens_simulation *simulation, int64_t variable)
{
    return simulation && variable >= 0 && variable < simulation->d ? simulation->names[variable] : NULL;
}

const double *nonsens_simulation_values(const nonsens_simulation *simulation)
{
    return simulation ? simulation->x.v : NULL;
}

const double *nonsens_simulation_sources(const nonsens_simulation *simulation)
{
    return simulation ? simulation->source.v : NULL;
}

const int32_t *nonsens_simulation_segments(const nonsens_simulation *simulation)
{
    return simulation ? simulation->segment : NULL;
}

nonsens_status nonsens_simulation_data(nonsens_context *ctx, const nonsens_simulation *simulation, nonsens_data **out)
{
    NEEDED(ctx, simulation, out);
    SCOPED_ARENA(scratch);
    const nonsens_simulation *s = simulation;
    const double **column; // (d)
    const char **labels;   // (segments)
    *out = NULL;
    context_begin(ctx);
    ARENA_TRY(ctx, &scratch, column, s->d);
    ARENA_TRY(ctx, &scratch, labels, s->segments);
    for (int64_t j = 0; j < s->d; j++) {
        column[j] = matrix_col(s->x, j);
    }
    for (int64_t e = 0; e < s->segments; e++) {
        labels[e] = arena_format(ctx, &scratch, "s%" PRId64, e + 1);
        if (!labels[e]) {
            return NONSENS_ERR_MEMORY;
        }
    }
    return dataset_new(ctx, s->n, s->d, column, (const char *const *)s->names, s->segment, s->segments, labels, NULL,
                       out);
}
