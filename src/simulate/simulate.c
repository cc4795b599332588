/*
 * simulate.c - makes data with known causes (by the generators of the paper's section 5 and our own).
 *
 * Variables are made in causal order, a hidden common cause first; then the hidden one is dropped and the columns are
 * shuffled.  Sources are unit draws (Laplace exp(-|x|)/2, standard normal, Student with 5 degrees, uniform on
 * [-1, 1]) times the segment's scale plus the segment's mean.  Sources that --modulate or --changing exempts keep scale
 * 1 and mean 0; with `proportional` all sources share the scale and the mean of the segment.  Every random number comes
 * from a stream that is named by its purpose, source and segment, so longer data of the same seed begin like shorter
 * data.
 */
#include "simulate/simulate.h"

#include "data/dataset.h"
#include "math/sort.h"
#include "simulate/simulate_model.h"

#include <inttypes.h>
#include <math.h>

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
    int64_t *target;                   // (E) with --interventions: the variable that was hit, or -1
    enum simulate_hit *hit;            // (E) how
    simulate_model changed;            // the mechanism of the current segment's target
    double *set_to;                    // (m) by --do; NaN: not set
} simulate_drawing;

/* ---- graph --------------------------------------------------------------------------------------------------- */

static void draw_graph(simulate_drawing *w)
{
    const nonsens_options *o = w->options;
    simulate_model *model = &w->model;
    int64_t child[2] = {0}; // of the hidden variable; neither causes the other
    if (w->hidden) {
        simulate_draw_children(o->seed, model, child);
    }
    if (o->independent || o->nodes < 2 || (w->hidden && o->nodes == 2)) {
        return;
    }
    double probability = o->edge_prob >= 0 ? o->edge_prob : 2.0 / (double)(o->nodes - 1);
    rng r = simulate_stream(o->seed, RNG_SIMULATE_MECHANISM, STREAM_MASK, 0);
    while (!simulate_draw_pairs(&r, model, w->hidden, probability, o->cyclic) &&
           o->cyclic) { // without an edge there would be no cycle
    }
    if (w->hidden) {
        model->parent[child[1] * model->m + child[0]] = false;
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

/* Keeps only --changing of the modulated sources modulated, chosen at random. */
static nonsens_status choose_changing(nonsens_context *ctx, simulate_drawing *w)
{
    int64_t m = w->model.m, kept = 0, *order;
    rng r = simulate_stream(w->options->seed, RNG_SIMULATE_MODULATION, STREAM_CHANGING, 0);
    ARENA_TRY(ctx, w->scratch, order, m);
    for (int64_t j = 0; j < m; j++) {
        order[j] = j;
    }
    rng_shuffle(&r, m, order);
    for (int64_t k = 0; k < m && w->options->changing > 0; k++) {
        w->modulated[order[k]] = w->modulated[order[k]] && kept < w->options->changing;
        kept += w->modulated[order[k]];
    }
    return NONSENS_OK;
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
    }
    TRY(choose_changing(ctx, w));
    for (int64_t j = 0; j < m; j++) {
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

/* Draws one factor per edge; in a cyclic model one for all, moved towards 1 until every layer is invertible. */
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

/* Computes a row of segment e; the noise of a fixed variable is its value. */
static void make_row(simulate_drawing *w, int64_t e)
{
    const simulate_model *model = &w->model;
    if (model->sem == SEM_LAYERED) {
        simulate_layered_row(model, w->factor, w->noise, w->row, w->spare);
        return;
    }
    for (int64_t j = 0; j < model->m; j++) {
        enum simulate_hit hit = w->target && w->target[e] == j ? w->hit[e] : HIT_NONE;
        w->row[j] = !isnan(w->set_to[j]) ? w->set_to[j]
                    : hit == HIT_FIXED   ? w->noise[j]
                                         : simulate_node_value(hit == HIT_CHANGED ? &w->changed : model, j, w->factor,
                                                             w->row, w->noise[j]);
    }
}

/* ---- interventions --------------------------------------------------------------------------------------------- */

static const range FIXED_AT = {-2.0, 2.0}, FIXED_SCALE = {0.3, 1.5};

/* Draws which variable each of half of the segments hits, and how. */
static nonsens_status draw_interventions(nonsens_context *ctx, simulate_drawing *w, nonsens_simulation *s)
{
    const nonsens_options *o = w->options;
    int64_t *order;
    if (o->interventions == INTERVENTIONS_NONE) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, w->scratch, order, s->segments);
    ARENA_TRY(ctx, w->scratch, w->target, s->segments);
    ARENA_TRY(ctx, &s->memory, s->target, s->segments);
    ARENA_TRY(ctx, &s->memory, s->hit, s->segments);
    w->hit = s->hit;
    rng r = simulate_stream(o->seed, RNG_SIMULATE_MODULATION, STREAM_INTERVENTION, 0);
    for (int64_t e = 0; e < s->segments; e++) {
        order[e] = e;
        w->target[e] = s->target[e] = -1;
    }
    rng_shuffle(&r, s->segments, order);
    for (int64_t k = 0; k < s->segments / 2; k++) {
        int64_t e = order[k], column = (int64_t)(rng_uniform(&r) * (double)s->d);
        bool fixed = rng_uniform(&r) < 0.5;
        s->target[e] = column;
        w->target[e] = w->column[column];
        s->hit[e] = o->interventions == INTERVENTIONS_FIXED || (o->interventions == INTERVENTIONS_MIXED && fixed)
                        ? HIT_FIXED
                        : HIT_CHANGED;
    }
    w->changed = w->model;
    return simulate_node_new(ctx, w->scratch, &w->changed);
}

/* Draws the distribution that a segment's target is fixed to, if it is fixed. */
static void draw_outside(simulate_drawing *w, int64_t e)
{
    rng r = simulate_stream(w->options->seed, RNG_SIMULATE_MODULATION, STREAM_INTERVENTION, 1 + e);
    if (w->target && w->hit[e] == HIT_FIXED) {
        w->mean[e * w->model.m + w->target[e]] = uniform_on(&r, FIXED_AT);
        w->scale[e * w->model.m + w->target[e]] = uniform_on(&r, FIXED_SCALE);
    }
}

/* Draws the changed mechanism of the target of a segment. */
static void draw_changed(simulate_drawing *w, int64_t e)
{
    if (w->target && w->hit[e] == HIT_CHANGED) {
        rng r = simulate_stream(w->options->seed, RNG_SIMULATE_MECHANISM, STREAM_INTERVENTION, e);
        simulate_node_draw_one(&r, w->target[e], &w->changed);
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
    draw_changed(w, e);
    for (int64_t j = 0; j < m; j++) {
        // the stream is named by source and segment: more rows never change the rows of another segment
        streams[j] = rng_new((uint64_t)o->seed, RNG_SIMULATE_NOISE, (uint64_t)j << 32 | (uint64_t)e);
    }
    for (int64_t i = e * o->per_segment; i < (e + 1) * o->per_segment; i++) {
        for (int64_t j = 0; j < m; j++) {
            w->noise[j] = w->mean[e * m + j] + w->scale[e * m + j] * unit_draw(&streams[j], o->noise);
        }
        make_row(w, e);
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
    ARENA_TRY(ctx, &s->memory, s->has_hidden_cause, s->d);
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
        s->has_hidden_cause[k] = w->hidden && w->model.parent[w->column[k] * m];
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
    TRY(draw_interventions(ctx, w, s));
    for (int64_t e = 0; e < s->segments; e++) {
        draw_outside(w, e);
    }
    if (s->options.fault > 0.0) {
        add_fault(w, s);
    }
    TRY(keep_truth(ctx, w, s));
    ARENA_TRY(ctx, w->scratch, w->set_to, model->m);
    for (int64_t j = 0; j < model->m; j++) {
        w->set_to[j] = NAN;
    }
    TRY(simulate_read_do(ctx, w->scratch, s->options.do_values, s->d, s->names, w->column, w->set_to));
    return make_rows(ctx, w, s);
}

nonsens_status nonsens_simulation_new(nonsens_context *ctx, const nonsens_options *options, nonsens_simulation **out)
{
    NEEDED(ctx, options, out);
    *out = NULL;
    TRY(options_begin(ctx, options, NONSENS_COMMAND_SIMULATE));
    TRY(simulate_check(ctx, options));
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
