/*
 * structured_hidden.c - judges every pair of nodes, and takes out arrows that a common cause replaces.
 *
 * Pairs are taken one at a time, first the one that a common cause improves most: a wrong arrow makes others point the
 * wrong way, and then their ends' disturbances stay dependent too.  After each, arrows are reversed and removed again.
 */
#include "methods/structured_graph/structured_hidden.h"

#include "base/parallel.h"
#include "methods/structured_graph/structured_coupled.h"
#include "methods/structured_graph/structured_moves.h"

#include <math.h>

/* Chosen by simulation (docs/many-variables.md). */
static const double MIN_LEFT = 0.0035;    /* nats per row that disturbances must say about one another */
static const double MIN_LEFT_Z = 2.5;     /* the same in standard errors, with an arrow between them */
static const double MIN_ALONE = 0.0025;   /* nats per row without an arrow */
static const double MIN_ALONE_NATS = 5.0; /* in all, if there are few rows */
static const double MIN_BOTH = 0.0015;    /* nats per row without an arrow if the series sees dependence too */
static const double MIN_BOTH_Z = 1.9;     /* the same in standard errors */
static const double MIN_BOTH_SERIES_Z = 2.2;
static const double MIN_LEFT_SHARE = 0.02;  /* of what the arrow gains: mechanisms are never followed exactly */
static const double EITHER_Z = 5.0;         /* standard errors by which an arrow's direction is clear */
static const double MAX_PLAIN_SHARE = 0.15; /* of what the reversed arrow leaves, by an arrow without a common cause */
static const double MAX_REVERSED_Z = 3.0;   /* of what is left by the reversed arrow, which speaks for the arrow */
static const double MIN_COMMON_SHARE = 0.6; /* of what the arrow gains: what a common cause must gain */
static const double MAX_ARROW_Z = 2.0;      /* standard errors by which the arrow may beat a common cause */
static const double MAX_UNCLEAR_Z = 2.5;    /* the same if only changes speak for the arrow */
static const double MIN_COMMON_Z = 2.0;     /* by which a common cause must be better if disturbances stay dependent */
static const double MIN_SERIES_Z = 4.0;     /* standard errors of what is left as the series sees it */
static const double MIN_SOME = 0.002;       /* nats per row that must be left if a common cause beats the arrow */
static const double MIN_SOME_Z = 2.0;       /* the same in standard errors */
enum { MAX_TESTED = 30 };

typedef struct hunt {
    structured_search *s;
    coupled all;
    int64_t d, n;
    const structured_score **fit; /* (d) in the graph that the search found */
    double level;                 /* of a test of change */
    bool *changes;                /* (d) a disturbance changes over segments */
    double *now, *then, *coupled; /* (groups) */
} hunt;

/* Job: does the disturbance of node j change over segments? */
static nonsens_status change_job(nonsens_context *ctx, arena *scratch, int64_t j, void *state)
{
    hunt *h = state;
    const structured_scores *sc = h->s->scores;
    const structured_score *fit = h->fit[j];
    change_test location, scale;
    double *spare, *v;
    h->changes[j] = scores_is_target(sc, fit);
    if (h->changes[j]) {
        return NONSENS_OK; // and there may be rows without a mechanism
    }
    ARENA_TRY(ctx, scratch, spare, h->n);
    ARENA_TRY(ctx, scratch, v, h->n);
    TRY(dependence_held_out(ctx, sc, fit, spare, v));
    TRY(scores_test_changes(ctx, scratch, sc, scores_shared(fit), v, &location, &scale));
    h->changes[j] = location.p_value < h->level || scale.p_value < h->level;
    return NONSENS_OK;
}

static nonsens_status hunt_new(nonsens_context *ctx, arena *a, structured_search *s, double alpha, hunt *out)
{
    int64_t d = s->graph.d, groups = s->scores->groups;
    *out = (hunt){.s = s, .d = d, .n = s->scores->data->n, .level = 0.5 * alpha / (double)d};
    TRY(coupled_new(ctx, a, s, &out->all));
    ARENA_TRY(ctx, a, out->fit, d);
    ARENA_TRY(ctx, a, out->changes, d);
    ARENA_TRY(ctx, a, out->now, groups);
    ARENA_TRY(ctx, a, out->then, groups);
    ARENA_TRY(ctx, a, out->coupled, groups);
    TRY(coupled_settle(ctx, &out->all, &s->graph));
    for (int64_t j = 0; j < d; j++) {
        out->fit[j] = coupled_fit(&out->all, &s->graph, j);
    }
    return parallel_for(ctx, s->scores->threads, d, NULL, change_job, out);
}

/* Measures what the disturbances of two nodes in a graph say about one another. */
static nonsens_status measure_left(nonsens_context *ctx, hunt *h, const pdag *g, bool is_series, int64_t a, int64_t b,
                                   structured_gain *out)
{
    const double *group;
    TRY(coupled_gain(ctx, &h->all, g, is_series, a, b, &group));
    *out = dependence_gain(h->s->scores, group, NULL);
    return NONSENS_OK;
}

/* ---- pairs with an arrow ---------------------------------------------------------------------------------------- */

/*
 * Fills in what a common cause gains in graph g, which lacks the arrow a -> b, by the copula that fits better, and
 * what it gains over s->graph.  h->then is the total of g.
 */
static nonsens_status compare_common(nonsens_context *ctx, hunt *h, const pdag *g, hidden_pair *p)
{
    const structured_scores *sc = h->s->scores;
    const double *of_copula, *of_series;
    TRY(coupled_gain(ctx, &h->all, g, false, p->a, p->b, &of_copula));
    TRY(coupled_gain(ctx, &h->all, g, true, p->a, p->b, &of_series));
    structured_gain copula = dependence_gain(sc, of_copula, NULL), series = dependence_gain(sc, of_series, NULL);
    p->is_series = series.total > copula.total;
    p->common = p->is_series ? series : copula;
    for (int64_t k = 0; k < sc->groups; k++) {
        h->coupled[k] = h->then[k] + (p->is_series ? of_series : of_copula)[k];
    }
    p->over = dependence_gain(sc, h->coupled, h->now);
    return NONSENS_OK;
}

/* The arrow reversed: what it gains over s->graph, and what it leaves. */
typedef struct reversal {
    bool possible;
    structured_gain gain, left;
} reversal;

static nonsens_status judge_reversal(nonsens_context *ctx, hunt *h, const hidden_pair *p, pdag *after, reversal *out)
{
    move back = move_reverse(p->a, p->b);
    *out = (reversal){.possible = move_is_legal(h->s, &back, after, h->all.nodes)};
    if (out->possible) {
        TRY(coupled_total(ctx, &h->all, after, h->then));
        out->gain = dependence_gain(h->s->scores, h->then, h->now);
        TRY(measure_left(ctx, h, after, false, p->a, p->b, &out->left));
    }
    return NONSENS_OK;
}

/*
 * Does a common cause gain nearly as much as the arrow, and is the arrow's direction not clear, though both
 * disturbances change?  If the arrow cannot be reversed, a common cause that gains far more is due to misfit, not
 * dependence.
 */
static bool is_unclear(const hunt *h, const hidden_pair *p, const reversal *back)
{
    bool clear = back->possible ? back->gain.z < -EITHER_Z : p->over.z > MAX_UNCLEAR_Z;
    return h->changes[p->a] && h->changes[p->b] && !clear && p->over.z > -MAX_UNCLEAR_Z &&
           p->over.total > -(1.0 - MIN_COMMON_SHARE) * p->arrow.total;
}

/* Does a common cause gain as much as an unclear arrow, which also leaves no less dependence than reversed? */
static bool is_either_way(const hidden_pair *p, const reversal *back)
{
    bool cleaner = back->left.z > MAX_REVERSED_Z && back->left.total > p->left.total;
    return back->possible && !cleaner && p->over.total > 0.0;
}

/* Is dependence left, by the Gaussian copula, or by the series if a common cause does about as well as the arrow? */
static bool stays_dependent(const hunt *h, const hidden_pair *p)
{
    double least = MIN_LEFT * (double)h->n;
    bool by_copula = p->left.z > MIN_LEFT_Z && p->left.total > least && p->left.total > MIN_LEFT_SHARE * p->arrow.total;
    bool by_series = p->left_series.z > MIN_SERIES_Z && p->left_series.total > least && p->over.z > -MAX_ARROW_Z;
    return by_copula || by_series;
}

/* Is a common cause better than the arrow, which also leaves some dependence? */
static bool is_beaten(const hunt *h, const hidden_pair *p, bool dependent)
{
    bool some = p->left.z > MIN_SOME_Z && p->left.total > MIN_SOME * (double)h->n;
    return (dependent && p->over.z > MIN_COMMON_Z) || (some && p->over.z > MIN_LEFT_Z);
}

/*
 * Does the arrow clearly fit better than its reverse, and explain most of the dependence that its reverse leaves?  Then
 * the rest is misfit, such as that of bounded noise whose range moves.
 */
static bool is_plain(const hidden_pair *p, const reversal *back)
{
    return back->possible && back->gain.z < -EITHER_Z && p->left.total < MAX_PLAIN_SHARE * back->left.total;
}

static hidden_kind kind_of(const hunt *h, const hidden_pair *p, const reversal *back)
{
    bool dependent = stays_dependent(h, p), unclear = is_unclear(h, p, back), beaten = is_beaten(h, p, dependent);
    bool required = knowledge_requires(h->s->known, p->a, p->b);
    if (is_plain(p, back)) {
        return HIDDEN_NONE;
    }
    if (!required && (beaten || (unclear && is_either_way(p, back)))) {
        return HIDDEN_INSTEAD;
    }
    return dependent || beaten ? HIDDEN_BESIDE : unclear ? HIDDEN_UNCLEAR : HIDDEN_NONE;
}

static nonsens_status judge_arrow(nonsens_context *ctx, hunt *h, hidden_pair *p)
{
    structured_search *s = h->s;
    reversal back;
    pdag other;
    SCOPED_ARENA(a);
    TRY(pdag_new(ctx, &a, h->d, &other));
    TRY(measure_left(ctx, h, &s->graph, false, p->a, p->b, &p->left));
    TRY(measure_left(ctx, h, &s->graph, true, p->a, p->b, &p->left_series));
    pdag_copy(&s->graph, &other);
    pdag_set(&other, p->a, p->b, PDAG_NONE);
    TRY(coupled_total(ctx, &h->all, &other, h->then));
    p->arrow = dependence_gain(s->scores, h->now, h->then);
    TRY(compare_common(ctx, h, &other, p));
    TRY(judge_reversal(ctx, h, p, &other, &back));
    p->kind = kind_of(h, p, &back);
    return NONSENS_OK;
}

/* ---- all pairs -------------------------------------------------------------------------------------------------- */

/* Are disturbances of two nodes without an arrow dependent, by the Gaussian copula alone or less clearly by both? */
static nonsens_status judge_apart(nonsens_context *ctx, hunt *h, hidden_pair *p)
{
    structured_gain copula, series;
    double n = (double)h->n, least = fmax(MIN_ALONE * n, MIN_ALONE_NATS);
    TRY(measure_left(ctx, h, &h->s->graph, false, p->a, p->b, &copula));
    bool found = copula.z > MIN_LEFT_Z && copula.total > least;
    if (!found && copula.z > MIN_BOTH_Z && copula.total > fmax(MIN_BOTH * n, MIN_ALONE_NATS)) {
        TRY(measure_left(ctx, h, &h->s->graph, true, p->a, p->b, &series));
        found = series.z > MIN_BOTH_SERIES_Z && series.total > least;
    }
    p->kind = found ? HIDDEN_INSTEAD : HIDDEN_NONE;
    p->left = p->common = p->over = copula;
    return NONSENS_OK;
}

/* The pair as an arrow a -> b, if there is one. */
static hidden_pair pair_of(const hunt *h, int64_t i, int64_t j)
{
    bool back = pdag_is_arrow(&h->s->graph, j, i);
    return (hidden_pair){.a = back ? j : i, .b = back ? i : j, .was_arrow = pdag_is_adjacent(&h->s->graph, i, j)};
}

/* Is a pair without an arrow judged? */
static bool is_tested(const hunt *h, int64_t i, int64_t j)
{
    return h->d <= MAX_TESTED && !knowledge_separates(h->s->known, i, j);
}

static nonsens_status judge_pair(nonsens_context *ctx, hunt *h, int64_t i, int64_t j, hidden_pair *out)
{
    *out = pair_of(h, i, j);
    return out->was_arrow ? judge_arrow(ctx, h, out) : is_tested(h, i, j) ? judge_apart(ctx, h, out) : NONSENS_OK;
}

/* The copulas that judging needs: `count` of them; only_fits: the fits that these need are asked for instead. */
typedef struct needs {
    coupled_copula *list;
    int64_t count;
    bool only_fits;
} needs;

static nonsens_status need(nonsens_context *ctx, hunt *h, const pdag *g, bool is_series, int64_t a, int64_t b,
                           needs *to)
{
    const int64_t ends[] = {a, b};
    for (int k = 0; k < 2 && to->only_fits; k++) {
        int64_t causes = pdag_parents(g, ends[k], h->all.nodes);
        TRY(scores_want(ctx, h->s->scores, ends[k], causes, h->all.nodes));
    }
    if (!to->only_fits) {
        to->list[to->count++] =
            (coupled_copula){.fit = {coupled_fit(&h->all, g, a), coupled_fit(&h->all, g, b)}, .is_series = is_series};
    }
    return NONSENS_OK;
}

/* The same copulas as in judge_arrow. */
static nonsens_status list_of_arrow(nonsens_context *ctx, hunt *h, const hidden_pair *p, pdag *other, needs *to)
{
    move back = move_reverse(p->a, p->b);
    TRY(need(ctx, h, &h->s->graph, false, p->a, p->b, to));
    TRY(need(ctx, h, &h->s->graph, true, p->a, p->b, to));
    pdag_copy(&h->s->graph, other);
    pdag_set(other, p->a, p->b, PDAG_NONE);
    TRY(need(ctx, h, other, false, p->a, p->b, to));
    TRY(need(ctx, h, other, true, p->a, p->b, to));
    return move_is_legal(h->s, &back, other, h->all.nodes) ? need(ctx, h, other, false, p->a, p->b, to) : NONSENS_OK;
}

static nonsens_status list_needs(nonsens_context *ctx, hunt *h, pdag *other, needs *to)
{
    for (int64_t i = 0; i < h->d; i++) {
        for (int64_t j = i + 1; j < h->d; j++) {
            hidden_pair p = pair_of(h, i, j);
            if (coupled_find(&h->all, i, j)) {
                continue;
            }
            if (p.was_arrow) {
                TRY(list_of_arrow(ctx, h, &p, other, to));
            } else if (is_tested(h, i, j)) {
                TRY(need(ctx, h, &h->s->graph, false, i, j, to));
            }
        }
    }
    return NONSENS_OK;
}

/* Makes on all threads what nearly all of judging takes: fits, then copulas. */
static nonsens_status prepare_pairs(nonsens_context *ctx, hunt *h)
{
    enum { COPULAS = 5 };
    needs of = {.only_fits = true};
    pdag other;
    SCOPED_ARENA(a);
    TRY(pdag_new(ctx, &a, h->d, &other));
    ARENA_TRY(ctx, &a, of.list, COPULAS * h->d * (h->d - 1) / 2 + 1);
    TRY(list_needs(ctx, h, &other, &of));
    TRY(scores_settle(ctx, h->s->scores, NULL));
    of.only_fits = false;
    TRY(list_needs(ctx, h, &other, &of));
    return coupled_prepare(ctx, &h->all, of.count, of.list);
}

/* Lists the pairs that are not coupled yet; *best: the index of that which a common cause improves most, or -1. */
static nonsens_status judge_all(nonsens_context *ctx, hunt *h, hidden_causes *out, int64_t *best)
{
    *best = -1;
    TRY(check_cancelled(ctx));
    TRY(prepare_pairs(ctx, h));
    TRY(coupled_total(ctx, &h->all, &h->s->graph, h->now));
    for (int64_t i = 0; i < h->d; i++) {
        for (int64_t j = i + 1; j < h->d; j++) {
            hidden_pair *p = &out->pair[out->count];
            if (coupled_find(&h->all, i, j)) {
                continue;
            }
            TRY(judge_pair(ctx, h, i, j, p));
            if (p->kind == HIDDEN_INSTEAD && (*best < 0 || p->over.total > out->pair[*best].over.total)) {
                *best = out->count;
            }
            out->count += p->kind != HIDDEN_NONE;
        }
    }
    return NONSENS_OK;
}

nonsens_status structured_find_hidden(nonsens_context *ctx, arena *scratch, structured_search *s, double alpha,
                                      hidden_causes *out)
{
    hunt h;
    int64_t best, taken = 0;
    *out = (hidden_causes){0};
    ARENA_TRY(ctx, scratch, out->pair, s->graph.d * (s->graph.d - 1) / 2 + 1);
    TRY(hunt_new(ctx, scratch, s, alpha, &h));
    TRY(judge_all(ctx, &h, out, &best));
    while (best >= 0) {
        hidden_pair p = out->pair[best];
        pdag_set(&s->graph, p.a, p.b, PDAG_NONE);
        h.all.pair[h.all.pairs++] = (coupling){p.a, p.b, p.is_series};
        TRY(coupled_refine(ctx, &h.all));
        out->pair[taken++] = p;
        out->count = taken;
        TRY(judge_all(ctx, &h, out, &best));
    }
    return NONSENS_OK;
}

const hidden_pair *hidden_find(const hidden_causes *hidden, int64_t a, int64_t b)
{
    for (int64_t k = 0; k < hidden->count; k++) {
        const hidden_pair *p = &hidden->pair[k];
        if ((p->a == a && p->b == b) || (p->a == b && p->b == a)) {
            return p;
        }
    }
    return NULL;
}

void structured_add_different(const pdag *g, const hidden_causes *shared, const bool *differs, hidden_causes *hidden)
{
    for (int64_t k = 0; k < shared->count; k++) {
        hidden_pair p = shared->pair[k];
        if (pdag_is_adjacent(g, p.a, p.b) && !hidden_find(hidden, p.a, p.b) && (differs[p.a] || differs[p.b])) {
            p.kind = HIDDEN_OR_DIFFERENT;
            hidden->pair[hidden->count++] = p;
        }
    }
}
