/* structured_differences.c - compares the shared mechanism of each variable with mechanisms of single segments. */
#include "methods/structured_graph/structured_differences.h"

#include "base/parallel.h"
#include "math/column.h"
#include "math/linalg.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

enum { FEATURES = 2 * MECHANISM_MAX_CAUSES, MAX_SPLITS = 20 };
static const double SCREEN = 0.01;  /* level of the quick test in segments known to intervene */
static const double STRICT = 1e-4;  /* the same in all others, whose fits would take long */
static const double MIN_OWN = 0.03; /* nats per row of the segment that its own mechanism must gain */
static const double AS_CLEAR = 0.5; /* segments with this share of a variable's largest gain are split off too */

/* A segment that may have its own mechanism of one variable. */
typedef struct trial {
    int64_t node, segment;
    structured_part own;                         /* the fit of the segment alone, made once for the same causes */
    int64_t causes, cause[MECHANISM_MAX_CAUSES]; /* of that fit */
    bool tried;                                  /* it looks different: a fit was asked for */
    bool fitted;
    bool open; /* the segment still shares the mechanism */
    double gain, z;
} trial;

typedef struct differing {
    structured_search *s;
    const bool *known; /* (segments) known to intervene on some variable */
    double level;
    trial *trial;                  /* (d, segments) */
    double *density;               /* (d, n) held-out log density by the shared mechanism */
    double *z;                     /* (d, n) disturbance by it, over its scale */
    int64_t *wanted, wanted_count; /* trials whose fits are being made */
} differing;

/* ---- the quick test ---- */

/* Tests whether v (n) depends linearly on the columns of f (n, k), all of mean 0 and variance 1, by an F-test. */
static nonsens_status test_dependence(nonsens_context *ctx, arena *scratch, int64_t n, int64_t k, const double *f,
                                      const double *v, double *p_value)
{
    double *gram, *slope, explained = 0.0;
    ARENA_TRY(ctx, scratch, gram, k * k);
    ARENA_TRY(ctx, scratch, slope, k);
    linalg_gram(n, k, f, n, gram);
    for (int64_t i = 0; i < k; i++) {
        gram[i * k + i] += 1e-6 * (double)n;
        slope[i] = linalg_dot(n, f + i * n, v);
    }
    TRY(linalg_cholesky(ctx, k, gram));
    linalg_solve_lower(false, k, 1, gram, k, slope, k);
    explained = linalg_dot(k, slope, slope) / (double)n;
    double rest = (double)(n - k - 1);
    *p_value = special_f_tail((double)k, rest, fmax(0.0, explained) / (double)k / fmax(1e-12, 1.0 - explained) * rest);
    return NONSENS_OK;
}

/*
 * Does the disturbance, or its size, depend on the causes inside the segment?  If the segment is known to intervene on
 * some variable, variables without causes are always compared; their fits are cheap.
 */
static nonsens_status looks_different(nonsens_context *ctx, const differing *w, const trial *t, int64_t causes,
                                      const int64_t *cause, bool *out)
{
    SCOPED_ARENA(scratch);
    const nonsens_data *data = w->s->scores->data;
    int64_t from = data->start[t->segment], n = data->start[t->segment + 1] - from;
    const double *z = w->z + t->node * data->n + from;
    double *f, *v, *raw, p[2];
    *out = w->known[t->segment];
    if (causes == 0 || n < 4 * FEATURES) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, &scratch, f, 2 * causes * n);
    ARENA_TRY(ctx, &scratch, v, n);
    ARENA_TRY(ctx, &scratch, raw, n);
    for (int64_t k = 0; k < causes; k++) {
        column_standardise(n, matrix_col(data->x, data->column_rank[cause[k]]) + from, f + k * n);
        for (int64_t i = 0; i < n; i++) {
            raw[i] = fabs(f[k * n + i]);
        }
        column_standardise(n, raw, f + (causes + k) * n);
    }
    for (int size = 0; size < 2; size++) {
        for (int64_t i = 0; i < n; i++) {
            double bounded = fmax(-5.0, fmin(5.0, z[i]));
            raw[i] = size ? fabs(bounded) : bounded;
        }
        column_standardise(n, raw, v);
        TRY(test_dependence(ctx, &scratch, n, 2 * causes, f, v, &p[size]));
    }
    *out = fmin(p[0], p[1]) < 0.5 * (w->known[t->segment] ? SCREEN : STRICT);
    return NONSENS_OK;
}

/* ---- fits ---- */

static bool has_causes(const trial *t, int64_t causes, const int64_t *cause)
{
    return t->causes == causes && (causes == 0 || memcmp(t->cause, cause, (size_t)causes * sizeof *cause) == 0);
}

static nonsens_status predict_node(nonsens_context *ctx, arena *scratch, int64_t node, void *state)
{
    differing *w = state;
    const structured_scores *sc = w->s->scores;
    int64_t n = sc->data->n, *nodes;
    ARENA_TRY(ctx, scratch, nodes, w->s->graph.d);
    int64_t causes = pdag_parents(&w->s->graph, node, nodes);
    const structured_score *entry = scores_get(sc, node, causes, nodes);
    for (int64_t e = 0; e < sc->data->segments; e++) {
        w->trial[node * sc->data->segments + e].open = false;
    }
    if (entry->parts == 0 || entry->part[0].of->data.segments < 2) {
        return NONSENS_OK;
    }
    const part_rows *of = entry->part[0].of;
    TRY(mechanism_held_out(ctx, &of->data, node, causes, nodes, entry->part[0].theta, w->density + node * n,
                           w->z + node * n));
    for (int64_t k = 0; k < of->data.segments; k++) {
        int64_t e = of->segment ? of->segment[k] : k;
        trial *t = &w->trial[node * sc->data->segments + e];
        t->open = !sc->parts.small[e];
        t->fitted = t->fitted && has_causes(t, causes, nodes);
        if (t->open && !t->tried) {
            TRY(looks_different(ctx, w, t, causes, nodes, &t->tried));
        }
    }
    return NONSENS_OK;
}

static nonsens_status fit_trial(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    differing *w = state;
    trial *t = &w->trial[w->wanted[job]];
    int64_t *nodes;
    ARENA_TRY(ctx, scratch, nodes, w->s->graph.d);
    int64_t causes = pdag_parents(&w->s->graph, t->node, nodes);
    return scores_fit_part(ctx, scratch, w->s->scores, t->node, causes, nodes, &t->own);
}

/* Fits the segments that look different, each alone. */
static nonsens_status fit_trials(nonsens_context *ctx, arena *a, arena *scratch, differing *w)
{
    structured_scores *sc = w->s->scores;
    int64_t segments = sc->data->segments;
    bool *keep;
    ARENA_TRY(ctx, scratch, keep, segments);
    w->wanted_count = 0;
    for (int64_t k = 0; k < w->s->graph.d * segments; k++) {
        trial *t = &w->trial[k];
        if (t->open && t->tried && !t->fitted) {
            const part_rows *of;
            memset(keep, 0, (size_t)segments * sizeof *keep);
            keep[t->segment] = true;
            TRY(structured_parts_rows(ctx, &sc->memory, &sc->parts, t->node, keep, false, &of));
            t->causes = pdag_parents(&w->s->graph, t->node, t->cause);
            TRY(scores_new_part(ctx, a, sc, t->causes, of, &t->own));
            t->fitted = true;
            w->wanted[w->wanted_count++] = k;
        }
    }
    return parallel_for(ctx, sc->threads, w->wanted_count, "comparing segments", fit_trial, w);
}

/* Computes what the segment's own mechanism gains on its rows. */
static void judge_trial(const differing *w, trial *t, double *group)
{
    const structured_scores *sc = w->s->scores;
    const nonsens_data *data = sc->data;
    double sum = 0.0, squares = 0.0, groups = (double)sc->groups;
    memcpy(group, t->own.group, (size_t)sc->groups * sizeof *group);
    for (int64_t i = data->start[t->segment]; i < data->start[t->segment + 1]; i++) {
        group[sc->group_of[i]] -= w->density[t->node * data->n + i];
    }
    for (int64_t g = 0; g < sc->groups; g++) {
        sum += group[g];
        squares += group[g] * group[g];
    }
    double variance = sc->time.inflation * fmax(0.0, squares - sum * sum / groups) * groups / (groups - 1.0);
    t->gain = sum / (double)(data->start[t->segment + 1] - data->start[t->segment]);
    t->z = variance > 0.0 ? sum / sqrt(variance) : 0.0;
}

static bool is_clear(const differing *w, const trial *t)
{
    return t->open && t->tried && t->fitted && t->z > w->level && t->gain > MIN_OWN;
}

/* ---- splitting ---- */

/* A segment whose difference another variable shows more clearly waits: the graph may be wrong because of that one. */
static bool is_clearest(const differing *w, const trial *t)
{
    int64_t segments = w->s->scores->data->segments;
    double largest = 0.0;
    for (int64_t j = 0; j < w->s->graph.d; j++) {
        const trial *other = &w->trial[j * segments + t->segment];
        if (is_clear(w, other) && other->gain > t->gain) {
            return false;
        }
    }
    for (int64_t e = 0; e < segments; e++) {
        const trial *other = &w->trial[t->node * segments + e];
        largest = is_clear(w, other) ? fmax(largest, other->gain) : largest;
    }
    return t->gain >= AS_CLEAR * largest;
}

/* Gives the segments whose difference is clear a mechanism of their own. */
static nonsens_status split(nonsens_context *ctx, arena *scratch, differing *w, structured_differences *out, bool *any)
{
    structured_scores *sc = w->s->scores;
    int64_t segments = sc->data->segments, *nodes;
    uint8_t *kind;
    ARENA_TRY(ctx, scratch, nodes, w->s->graph.d);
    ARENA_TRY(ctx, scratch, kind, segments);
    *any = false;
    for (int64_t j = 0; j < w->s->graph.d; j++) {
        bool splits = false;
        memcpy(kind, sc->parts.column[sc->parts.version[j]].kind, (size_t)segments);
        for (int64_t e = 0; e < segments; e++) {
            trial *t = &w->trial[j * segments + e];
            if (is_clear(w, t) && is_clearest(w, t)) {
                kind[e] = TARGET_CHANGED;
                out->p_value[e * out->d + j] = special_normal_tail(t->z);
                splits = true;
            }
        }
        if (splits) {
            TRY(structured_parts_add(ctx, &sc->memory, &sc->parts, kind, &sc->parts.version[j]));
            TRY(scores_want(ctx, sc, j, pdag_parents(&w->s->graph, j, nodes), nodes));
            *any = true;
        }
    }
    return scores_settle(ctx, sc, "fitting mechanisms");
}

/* Fits the causes that each variable has in the graph, in case no move has asked for them. */
static nonsens_status fit_graph(nonsens_context *ctx, arena *scratch, structured_search *s)
{
    int64_t *nodes;
    ARENA_TRY(ctx, scratch, nodes, s->graph.d);
    for (int64_t j = 0; j < s->graph.d; j++) {
        TRY(scores_want(ctx, s->scores, j, pdag_parents(&s->graph, j, nodes), nodes));
    }
    return scores_settle(ctx, s->scores, "fitting mechanisms");
}

static nonsens_status begin(nonsens_context *ctx, arena *a, arena *scratch, differing *w, structured_differences *out)
{
    const nonsens_data *data = w->s->scores->data;
    int64_t d = data->d, segments = data->segments;
    if (!out->trial) {
        ARENA_TRY(ctx, a, out->trial, d * segments);
    }
    w->trial = out->trial;
    ARENA_TRY(ctx, scratch, w->wanted, d * segments);
    ARENA_TRY(ctx, scratch, w->density, d * data->n);
    ARENA_TRY(ctx, scratch, w->z, d * data->n);
    for (int64_t k = 0; k < d * segments; k++) {
        trial *t = &w->trial[k];
        t->node = k / segments;
        t->segment = k % segments;
        t->open = t->tried = false;
    }
    if (!out->p_value) {
        out->segments = segments;
        out->d = d;
        ARENA_TRY(ctx, a, out->p_value, segments * d);
        for (int64_t k = 0; k < segments * d; k++) {
            out->p_value[k] = NAN;
        }
    }
    return NONSENS_OK;
}

nonsens_status structured_differ(nonsens_context *ctx, arena *a, structured_search *s, const bool *known, double alpha,
                                 structured_differences *out, bool *found)
{
    SCOPED_ARENA(scratch);
    double d = (double)s->graph.d, segments = (double)s->scores->data->segments, *group;
    differing w = {.s = s, .known = known, .level = -special_normal_quantile(alpha / (d * segments))};
    TRY(begin(ctx, a, &scratch, &w, out));
    TRY(fit_graph(ctx, &scratch, s));
    ARENA_TRY(ctx, &scratch, group, s->scores->groups);
    *found = false;
    bool any = true;
    for (int step = 0; any && step < MAX_SPLITS; step++) {
        TRY(check_cancelled(ctx));
        TRY(parallel_for(ctx, s->scores->threads, s->graph.d, NULL, predict_node, &w));
        TRY(fit_trials(ctx, a, &scratch, &w));
        for (int64_t k = 0; k < s->graph.d * s->scores->data->segments; k++) {
            if (w.trial[k].open && w.trial[k].tried && w.trial[k].fitted) {
                judge_trial(&w, &w.trial[k], group);
            }
        }
        TRY(split(ctx, &scratch, &w, out, &any));
        *found = *found || any;
    }
    return NONSENS_OK;
}
