/*
 * what_if_samples.c - intervals that allow for the uncertainty of the graph: the graph is found again in half samples
 * of the rows, and each of these graphs answers the question.
 *
 * A statistic varies over half samples as it does over data sets (bootstrap.c).  So the answers of the half samples
 * show how the answer varies with both the rows and the graph.  An interval is widened to contain the middle 1 - alpha
 * of these answers, besides the interval given the graph, which allows for smoothing.  A range counts with both ends.
 */
#include "base/parallel.h"
#include "data/labels.h"
#include "math/sort.h"
#include "tasks/bootstrap.h"
#include "tasks/effect/what_if.h"
#include "tasks/run.h"

#include <inttypes.h>
#include <math.h>

/* What a half sample gives for one number of the result: one value, or the ends of a range; NaN without an answer. */
typedef struct answer_pair {
    double value[2];
} answer_pair;

typedef struct graph_samples {
    const what_if *w;
    int64_t samples, numbers;
    answer_pair *answer;       /* (samples, numbers) */
    bool *failed, *unanswered; /* (samples) no graph was found; some effects had no single answer */
} graph_samples;

/* ---- one half sample -------------------------------------------------------------------------------------------- */

/* Finds the graph of the sample and adds its edges to the result. */
static nonsens_status find_graph(nonsens_context *ctx, const nonsens_data *sample, const nonsens_options *options,
                                 nonsens_result *to)
{
    SCOPED(memory_release_scoped) nonsens_result *found = NULL;
    TRY(run_graph(ctx, sample, options, &found));
    for (int64_t k = 0; k < found->edges; k++) {
        const nonsens_edge *e = &found->edge[k];
        TRY(result_edge(ctx, to, e->from, e->to, e->type, NAN, NAN));
        to->edge[to->edges - 1].confounded = e->confounded;
    }
    to->bidirected_meaning = found->bidirected_meaning;
    return NONSENS_OK;
}

static const answer_pair NO_ANSWER = {{NAN, NAN}};

/* Takes the numbers of one sample: mean and difference of each effect, total and direct of each quartile effect. */
static void take_all(const result_effects *all, answer_pair *answer, bool *unanswered)
{
    for (int64_t k = 0; k < all->effects; k++, answer += 2) {
        const nonsens_effect *e = &all->effect[k];
        bool is_range = e->answered == NONSENS_ANSWERED_RANGE;
        double now = e->now.mean.value;
        *unanswered = *unanswered || e->answered == NONSENS_ANSWERED_NOT;
        answer[0] = (answer_pair){{is_range ? now + e->least : e->then.mean.value, is_range ? now + e->most : NAN}};
        answer[1] = (answer_pair){{is_range ? e->least : e->difference.mean.value, is_range ? e->most : NAN}};
    }
    for (int64_t k = 0; k < all->quartile_effects; k++, answer += 2) {
        const nonsens_quartile_effect *e = &all->quartile_effect[k];
        *unanswered = *unanswered || isnan(e->total.value);
        answer[0] = (answer_pair){{e->total.value, NAN}};
        answer[1] = (answer_pair){{e->direct.value, NAN}};
    }
}

static nonsens_status answer_sample(nonsens_context *ctx, const graph_samples *r, const nonsens_data *sample,
                                    int64_t seed, int64_t number)
{
    SCOPED_ARENA(scratch);
    SCOPED(memory_release_scoped) nonsens_result *result = NULL;
    what_if w = *r->w;
    nonsens_options own = w.result->options;
    own.seed = seed;
    own.extrapolate = true; // support is judged on all rows
    TRY(result_new(ctx, sample, &own, "given", &result));
    result->effects.question = w.result->effects.question;
    if (w.segment != EFFECT_ALL_SEGMENTS) {
        TRY(labels_find(ctx, &scratch, sample, "in", w.data->labels[w.segment], &w.segment));
    }
    w.data = sample;
    w.result = result;
    w.options.draws = 0;
    TRY(find_graph(ctx, sample, &own, result));
    TRY(what_if_graph(ctx, &scratch, &w));
    TRY((w.changes > 0 ? what_if_answer : what_if_table)(ctx, &w));
    take_all(&result->effects, r->answer + number * r->numbers, &r->unanswered[number]);
    return NONSENS_OK;
}

/* Runs one half sample, which counts as failed if its data give no graph or no answer. */
static nonsens_status run_sample(nonsens_context *ctx, arena *scratch, int64_t number, void *state)
{
    const graph_samples *r = state;
    SCOPED(memory_release_scoped) nonsens_data *sample = NULL;
    rng stream = rng_new((uint64_t)r->w->options.seed, RNG_BOOTSTRAP, (uint64_t)number);
    int64_t seed = (int64_t)(rng_u64(&stream) >> 11); // 53 bits, the range of --seed
    for (int64_t k = 0; k < r->numbers; k++) {
        r->answer[number * r->numbers + k] = NO_ANSWER;
    }
    TRY(bootstrap_draw(ctx, scratch, r->w->data, RESAMPLE_HALF, &stream, &sample));
    nonsens_status status = answer_sample(ctx, r, sample, seed, number);
    r->failed[number] = status == NONSENS_ERR_DATA || status == NONSENS_ERR_NUMERIC;
    return r->failed[number] ? NONSENS_OK : status;
}

/* ---- intervals -------------------------------------------------------------------------------------------------- */

/* Collects the values of one number in all samples, value (2 samples); returns how many there are. */
static int64_t gather(const graph_samples *r, int64_t number, double *value)
{
    int64_t count = 0;
    for (int64_t b = 0; b < r->samples; b++) {
        const answer_pair *p = &r->answer[b * r->numbers + number];
        for (int end = 0; end < 2; end++) {
            if (!isnan(p->value[end])) {
                value[count++] = p->value[end];
            }
        }
    }
    return count;
}

static nonsens_status widen(nonsens_context *ctx, const graph_samples *r, int64_t number, nonsens_estimate *e)
{
    SCOPED_ARENA(scratch);
    double *value, *sorted, tail = 0.5 * (1.0 - r->w->options.level);
    ARENA_TRY(ctx, &scratch, value, 2 * r->samples);
    int64_t count = gather(r, number, value);
    if (count == 0) {
        return NONSENS_OK;
    }
    TRY(sort_copy(ctx, &scratch, count, value, &sorted));
    int64_t skip = (int64_t)(tail * (double)(count + 1));
    double low = sorted[skip], high = sorted[count - 1 - skip];
    e->low = fmin(low, isnan(e->low) ? e->value : e->low); // fmin and fmax ignore NaN
    e->high = fmax(high, isnan(e->high) ? e->value : e->high);
    return NONSENS_OK;
}

static nonsens_status widen_all(nonsens_context *ctx, const graph_samples *r, result_effects *all)
{
    for (int64_t k = 0; k < all->effects; k++) {
        nonsens_effect *e = &all->effect[k];
        if (e->answered != NONSENS_ANSWERED_NOT) {
            TRY(widen(ctx, r, 2 * k, &e->then.mean));
            TRY(widen(ctx, r, 2 * k + 1, &e->difference.mean));
        }
    }
    for (int64_t k = 0; k < all->quartile_effects; k++) {
        nonsens_quartile_effect *e = &all->quartile_effect[k];
        if (!isnan(e->total.value)) {
            TRY(widen(ctx, r, 2 * k, &e->total));
            TRY(widen(ctx, r, 2 * k + 1, &e->direct));
        }
    }
    return NONSENS_OK;
}

static int64_t count_true(int64_t n, const bool *of)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        count += of[i];
    }
    return count;
}

static nonsens_status note_samples(nonsens_context *ctx, const graph_samples *r)
{
    return result_note(ctx, r->w->result, NONSENS_NOTE_INFO,
                       "Intervals allow for the graph: it was found again in %" PRId64
                       " half samples of the rows. In %" PRId64 " of them no graph was found, and in %" PRId64
                       " some effects had no single answer.",
                       r->samples, count_true(r->samples, r->failed), count_true(r->samples, r->unanswered));
}

nonsens_status what_if_samples(nonsens_context *ctx, const what_if *w)
{
    SCOPED_ARENA(memory);
    result_effects *all = &w->result->effects;
    graph_samples r = {
        .w = w, .samples = w->result->options.graph_uncertainty, .numbers = 2 * (all->effects + all->quartile_effects)};
    ARENA_TRY(ctx, &memory, r.answer, r.samples * r.numbers);
    ARENA_TRY(ctx, &memory, r.failed, r.samples);
    ARENA_TRY(ctx, &memory, r.unanswered, r.samples);
    TRY(parallel_for(ctx, w->options.threads, r.samples, "half samples", run_sample, &r));
    TRY(widen_all(ctx, &r, all));
    return note_samples(ctx, &r);
}
