/* structured_screen.c - score tests of further causes: sums of s h(x) and of their products, over the rows. */
#include "methods/structured_graph/structured_screen.h"

#include "base/parallel.h"
#include "math/linalg.h"
#include "methods/structured_graph/structured_gaps.h"

#include <math.h>
#include <string.h>

enum {
    KNOTS = 6,        /* linear B-splines of a variable; they add up to one, so one of them is left out */
    FREE = KNOTS - 1, /* of these */
    KINDS = 2,        /* s_1 and s_2 */
    SHAPES = 2,       /* of a variable in products with a cause */
    PRODUCTS = SHAPES * SHAPES,
    MAX_SIZE = FREE * (1 + MECHANISM_MAX_CAUSES),
    AT_ONCE = 32 /* fits whose scores are held at the same time */
};
static const double CORNER = 0.3;            /* of the rounded Laplace density (mechanism/rows.c) */
static const double BOUND = 5.0;             /* of z, so that single rows do not decide */
static const double RIDGE = 1e-9;            /* relative: functions of causes may be collinear */
static const double MIN_SHARE_OF_ROWS = 0.1; /* with a candidate: lower bound if their gain is scaled to all */

/* What all candidates of a fit need. */
typedef struct base {
    screened *of;
    double *score[KINDS];   /* (n) s */
    double *sum[KINDS];     /* (segments) of s */
    double *square[KINDS];  /* (segments) of s^2 */
    double *segment[KINDS]; /* (segments, causes KNOTS) sums of s^2 h of the present causes */
    double *slope[KINDS];   /* (causes KNOTS) sums of s h */
    double *weight[KINDS];  /* (causes KNOTS, causes KNOTS) sums of s^2 h h' */
} base;

typedef struct screening {
    const structured_scores *scores;
    base *base;
    int64_t *job; /* number of the base times d, plus the candidate */
    int64_t d;
} screening;

/* ---- sums over rows --------------------------------------------------------------------------------------------- */

typedef struct hat {
    int64_t first; /* of the two B-splines that are not zero */
    double value[2];
} hat;

static inline hat hat_at(double u)
{
    double at = u * (double)(KNOTS - 1);
    int64_t first = (int64_t)at;
    first = first > KNOTS - 2 ? KNOTS - 2 : first;
    double share = at - (double)first;
    return (hat){first, {1.0 - share, share}};
}

/* Adds up s h (KNOTS), and s^2 h in each segment, sums (segments, KNOTS). */
static void sum_rows(const nonsens_data *data, const double *s, const double *u, double *slope, double *sums)
{
    memset(slope, 0, KNOTS * sizeof *slope);
    for (int64_t e = 0; e < data->segments; e++) {
        double square[KNOTS] = {0};
        for (int64_t i = data->start[e]; i < data->start[e + 1]; i++) {
            hat h = hat_at(u[i]);
            for (int64_t k = 0; k < 2; k++) {
                double own = s[i] * h.value[k];
                slope[h.first + k] += own;
                square[h.first + k] += s[i] * own;
            }
        }
        for (int64_t k = 0; k < KNOTS; k++) {
            sums[k * data->segments + e] = square[k];
        }
    }
}

/* Adds up s^2 h(u) h(v)', out (KNOTS, KNOTS) with column stride ld: rows belong to u. */
static void sum_products(int64_t n, const double *s, const double *u, const double *v, double *out, int64_t ld)
{
    double sum[KNOTS * KNOTS] = {0};
    for (int64_t i = 0; i < n; i++) {
        hat g = hat_at(u[i]), h = hat_at(v[i]);
        double *at = sum + h.first * KNOTS + g.first, square = s[i] * s[i];
        double left = square * h.value[0], right = square * h.value[1];
        at[0] += left * g.value[0];
        at[1] += left * g.value[1];
        at[KNOTS] += right * g.value[0];
        at[KNOTS + 1] += right * g.value[1];
    }
    for (int64_t k = 0; k < KNOTS; k++) {
        memcpy(out + k * ld, sum + k * KNOTS, KNOTS * sizeof *sum);
    }
}

/* ---- a fit ------------------------------------------------------------------------------------------------------ */

/* Computes s_1 and s_2 at the rows of a part; they stay zero at all others. */
static nonsens_status score_part(nonsens_context *ctx, arena *scratch, const structured_scores *sc,
                                 const structured_score *fit, const structured_part *part, double *const *score)
{
    const mechanism_data *rows = &part->of->data;
    const nonsens_data *data = sc->data;
    const double *scale = part->theta + mechanism_size(rows, fit->causes) - rows->segments;
    double *density, *z;
    ARENA_TRY(ctx, scratch, density, data->n);
    ARENA_TRY(ctx, scratch, z, data->n);
    TRY(mechanism_held_out(ctx, rows, fit->effect, fit->causes, fit->cause, part->theta, density, z));
    for (int64_t k = 0; k < rows->segments; k++) {
        int64_t e = part->of->segment ? part->of->segment[k] : k;
        double weight = exp(-scale[k]);
        for (int64_t i = data->start[e]; i < data->start[e + 1]; i++) {
            if (!gaps_row_has(sc, i, fit->effect, fit->causes, fit->cause)) {
                continue;
            }
            double at = fmax(-BOUND, fmin(BOUND, z[i])), slope = -at / sqrt(at * at + CORNER * CORNER);
            score[0][i] = weight * slope;
            score[1][i] = slope * at + 1.0;
        }
    }
    return NONSENS_OK;
}

/* Adds up the scores by segments, and with the present causes. */
static void sum_scores(const structured_scores *sc, base *b)
{
    const nonsens_data *data = sc->data;
    const structured_score *fit = b->of->fit;
    int64_t size = fit->causes * KNOTS;
    for (int kind = 0; kind < KINDS; kind++) {
        const double *s = b->score[kind];
        for (int64_t e = 0; e < data->segments; e++) {
            for (int64_t i = data->start[e]; i < data->start[e + 1]; i++) {
                b->sum[kind][e] += s[i];
                b->square[kind][e] += s[i] * s[i];
            }
        }
        for (int64_t c = 0; c < fit->causes; c++) {
            const double *u = sc->parts.warped[fit->cause[c]];
            sum_rows(data, s, u, b->slope[kind] + c * KNOTS, b->segment[kind] + c * KNOTS * data->segments);
            for (int64_t other = 0; other < fit->causes; other++) {
                sum_products(data->n, s, sc->parts.warped[fit->cause[other]], u,
                             b->weight[kind] + c * KNOTS * size + other * KNOTS, size);
            }
        }
    }
}

static nonsens_status prepare_fit(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const screening *w = state;
    base *b = &w->base[job];
    const structured_score *fit = b->of->fit;
    for (int64_t k = 0; k < fit->parts; k++) {
        TRY(score_part(ctx, scratch, w->scores, fit, &fit->part[k], b->score));
    }
    sum_scores(w->scores, b);
    return NONSENS_OK;
}

static nonsens_status base_new(nonsens_context *ctx, arena *a, const structured_scores *sc, screened *of, base *out)
{
    int64_t segments = sc->data->segments, size = of->fit->causes * KNOTS;
    *out = (base){.of = of};
    for (int kind = 0; kind < KINDS; kind++) {
        ARENA_TRY(ctx, a, out->score[kind], sc->data->n);
        ARENA_TRY(ctx, a, out->sum[kind], segments);
        ARENA_TRY(ctx, a, out->square[kind], segments);
        ARENA_TRY(ctx, a, out->segment[kind], segments * size + 1);
        ARENA_TRY(ctx, a, out->slope[kind], size + 1);
        ARENA_TRY(ctx, a, out->weight[kind], size * size + 1);
    }
    return NONSENS_OK;
}

/* ---- a candidate ------------------------------------------------------------------------------------------------ */

/*
 * Returns the part of g' V^-1 g (m, m) that the last `own` rows add to that of the others; zero if V is not positive
 * definite.
 */
static double add_by_last(nonsens_context *ctx, int64_t m, int64_t own, double *v, double *g)
{
    for (int64_t i = 0; i < m; i++) {
        v[i * m + i] += RIDGE * v[i * m + i] + 1e-300;
    }
    if (linalg_cholesky(ctx, m, v) != NONSENS_OK) {
        return 0.0;
    }
    linalg_solve_lower(false, m, 1, v, m, g, m);
    return linalg_dot(own, g + m - own, g + m - own);
}

/* Sums of the present causes and of the candidate, which is the last variable. */
typedef struct sums {
    int64_t variables, segments;
    double *slope;   /* (variables KNOTS) */
    double *segment; /* (segments, variables KNOTS) */
    double *weight;  /* (variables KNOTS, variables KNOTS) */
} sums;

/* Computes Rao's statistic of the last variable, given the segments and the other variables. */
static double test_last(nonsens_context *ctx, const sums *x, const double *sum, const double *square)
{
    double v[MAX_SIZE * MAX_SIZE], g[MAX_SIZE];
    int64_t m = x->variables * FREE, ld = x->variables * KNOTS;
    for (int64_t j = 0; j < m; j++) {
        int64_t of_j = j / FREE * KNOTS + j % FREE;
        const double *left = x->segment + of_j * x->segments;
        g[j] = x->slope[of_j];
        for (int64_t e = 0; e < x->segments; e++) {
            g[j] -= square[e] > 0.0 ? left[e] * sum[e] / square[e] : 0.0;
        }
        for (int64_t i = j; i < m; i++) {
            int64_t of_i = i / FREE * KNOTS + i % FREE;
            const double *right = x->segment + of_i * x->segments;
            double entry = x->weight[of_j * ld + of_i];
            for (int64_t e = 0; e < x->segments; e++) {
                entry -= square[e] > 0.0 ? left[e] * right[e] / square[e] : 0.0;
            }
            v[j * m + i] = v[i * m + j] = entry;
        }
    }
    return add_by_last(ctx, m, FREE, v, g);
}

/* Computes the statistic of the candidate u given the present causes, of one kind. */
static nonsens_status test_alone(nonsens_context *ctx, arena *scratch, const structured_scores *sc, const base *b,
                                 int kind, const double *u, double *statistic)
{
    const nonsens_data *data = sc->data;
    const structured_score *fit = b->of->fit;
    int64_t old = fit->causes * KNOTS, size = old + KNOTS;
    sums x = {.variables = fit->causes + 1, .segments = data->segments};
    ARENA_TRY(ctx, scratch, x.slope, size);
    ARENA_TRY(ctx, scratch, x.segment, size * data->segments);
    ARENA_TRY(ctx, scratch, x.weight, size * size);
    memcpy(x.slope, b->slope[kind], (size_t)old * sizeof *x.slope);
    memcpy(x.segment, b->segment[kind], (size_t)(old * data->segments) * sizeof *x.segment);
    for (int64_t c = 0; c < old; c++) {
        memcpy(x.weight + c * size, b->weight[kind] + c * old, (size_t)old * sizeof *x.weight);
    }
    sum_rows(data, b->score[kind], u, x.slope + old, x.segment + old * data->segments);
    for (int64_t c = 0; c <= fit->causes; c++) {
        const double *v = c < fit->causes ? sc->parts.warped[fit->cause[c]] : u;
        sum_products(data->n, b->score[kind], u, v, x.weight + c * KNOTS * size + old, size);
    }
    *statistic = test_last(ctx, &x, b->sum[kind], b->square[kind]);
    return NONSENS_OK;
}

static inline void shapes_at(double u, double *shape)
{
    shape[0] = u - 0.5;
    shape[1] = fabs(u - 0.5) - 0.25;
}

/* Averages the shapes of a variable, weighted by s^2. */
static void average_shapes(int64_t n, const double *s, const double *u, double *mean)
{
    double total = 1e-300;
    mean[0] = mean[1] = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double shape[SHAPES], square = s[i] * s[i];
        shapes_at(u[i], shape);
        total += square;
        mean[0] += square * shape[0];
        mean[1] += square * shape[1];
    }
    mean[0] /= total;
    mean[1] /= total;
}

/* Computes the statistic of products of the candidate u with a present cause v. */
static double test_products(nonsens_context *ctx, int64_t n, const double *s, const double *u, const double *v)
{
    double g[PRODUCTS] = {0}, weight[PRODUCTS * PRODUCTS] = {0}, of_u[SHAPES], of_v[SHAPES];
    average_shapes(n, s, u, of_u);
    average_shapes(n, s, v, of_v);
    for (int64_t i = 0; i < n; i++) {
        double left[SHAPES], right[SHAPES], both[PRODUCTS];
        shapes_at(u[i], left);
        shapes_at(v[i], right);
        for (int k = 0; k < PRODUCTS; k++) {
            both[k] = s[i] * (left[k / SHAPES] - of_u[k / SHAPES]) * (right[k % SHAPES] - of_v[k % SHAPES]);
            g[k] += both[k];
            for (int l = 0; l <= k; l++) {
                weight[l * PRODUCTS + k] += both[k] * both[l];
            }
        }
    }
    for (int k = 0; k < PRODUCTS; k++) {
        for (int l = 0; l < k; l++) {
            weight[k * PRODUCTS + l] = weight[l * PRODUCTS + k];
        }
    }
    return add_by_last(ctx, PRODUCTS, PRODUCTS, weight, g);
}

/* Copies a base for the rows that have the candidate; *share: their share of its rows. */
static nonsens_status base_with(nonsens_context *ctx, arena *a, const structured_scores *sc, const base *from,
                                int64_t candidate, base *out, double *share)
{
    const structured_score *fit = from->of->fit;
    double rows = 0.0, kept = 0.0;
    TRY(base_new(ctx, a, sc, from->of, out));
    for (int64_t i = 0; i < sc->data->n; i++) {
        bool has = gaps_row_has(sc, i, candidate, fit->causes, fit->cause);
        rows += gaps_row_has(sc, i, fit->effect, fit->causes, fit->cause);
        kept += has && gaps_row_has(sc, i, fit->effect, 0, NULL);
        for (int kind = 0; has && kind < KINDS; kind++) {
            out->score[kind][i] = from->score[kind][i];
        }
    }
    sum_scores(sc, out);
    *share = rows > 0.0 ? kept / rows : 1.0;
    return NONSENS_OK;
}

static nonsens_status test_candidate(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const screening *w = state;
    const structured_scores *sc = w->scores;
    const base *b = &w->base[w->job[job] / w->d];
    const structured_score *fit = b->of->fit;
    int64_t candidate = w->job[job] % w->d;
    base with;
    double share = 1.0;
    if (sc->gaps) {
        TRY(base_with(ctx, scratch, sc, b, candidate, &with, &share));
        b = &with;
    }
    const double *u = sc->parts.warped[candidate];
    double statistic[KINDS], products = 0.0, sum = 0.0;
    for (int kind = 0; kind < KINDS; kind++) {
        TRY(test_alone(ctx, scratch, sc, b, kind, u, &statistic[kind]));
        sum += 0.5 * (statistic[kind] - FREE);
    }
    for (int64_t c = 0; c < fit->causes; c++) {
        const double *v = sc->parts.warped[fit->cause[c]];
        products = fmax(products, 0.5 * (test_products(ctx, sc->data->n, b->score[0], u, v) - PRODUCTS));
    }
    b->of->gain[candidate] = (sum + products) / fmax(share, MIN_SHARE_OF_ROWS);
    return NONSENS_OK;
}

/* ---- all that was asked for ------------------------------------------------------------------------------------- */

/* Chosen so that even 2,000 candidates without an effect cost few more fits; no significant arrow was below them. */
static const double MIN_NATS = 7.0, MIN_SHARE = 0.4; /* nats; share of the minimum gain of an arrow */

nonsens_status screen_new(nonsens_context *ctx, const structured_scores *scores, double min_gain,
                          structured_screen *out)
{
    *out = (structured_screen){.scores = scores, .threshold = fmax(MIN_NATS, MIN_SHARE * min_gain)};
    ARENA_TRY(ctx, &out->memory, out->of_effect, scores->data->d);
    return NONSENS_OK;
}

void screen_free(structured_screen *s)
{
    arena_free(&s->memory);
}

static screened *find(const structured_screen *s, const structured_score *fit)
{
    screened *at = s->of_effect[fit->effect];
    while (at && at->fit != fit) {
        at = at->next;
    }
    return at;
}

double screen_gain(const structured_screen *s, const structured_score *fit, int64_t candidate)
{
    const screened *at = find(s, fit);
    return at ? at->gain[candidate] : NAN;
}

static nonsens_status find_or_make(nonsens_context *ctx, structured_screen *s, const structured_score *fit,
                                   screened **out)
{
    screened *made;
    *out = find(s, fit);
    if (*out) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, &s->memory, made, 1);
    ARENA_TRY(ctx, &s->memory, made->gain, s->scores->data->d);
    ARENA_TRY(ctx, &s->memory, made->wanted, s->scores->data->d);
    for (int64_t i = 0; i < s->scores->data->d; i++) {
        made->gain[i] = NAN;
    }
    made->fit = fit;
    made->next = s->of_effect[fit->effect];
    *out = s->of_effect[fit->effect] = made;
    return NONSENS_OK;
}

static bool is_candidate(const structured_score *fit, int64_t node)
{
    bool present = node == fit->effect;
    for (int64_t i = 0; i < fit->causes; i++) {
        present = present || fit->cause[i] == node;
    }
    return !present;
}

nonsens_status screen_want(nonsens_context *ctx, structured_screen *s, const structured_score *fit, int64_t candidate)
{
    screened *of;
    TRY(find_or_make(ctx, s, fit, &of));
    if (isnan(of->gain[candidate]) && !of->wanted[candidate] && is_candidate(fit, candidate)) {
        ARENA_GROW(ctx, &s->memory, s->wanted, s->wanted_count, s->wanted_capacity);
        s->wanted[s->wanted_count++] = of;
        of->wanted[candidate] = true;
    }
    return NONSENS_OK;
}

nonsens_status screen_want_all(nonsens_context *ctx, structured_screen *s, const structured_score *fit)
{
    for (int64_t i = 0; i < s->scores->data->d; i++) {
        TRY(screen_want(ctx, s, fit, i));
    }
    return NONSENS_OK;
}

/* Prepares up to AT_ONCE fits from *next on, and lists their candidates; returns how many these are. */
static nonsens_status take_some(nonsens_context *ctx, arena *a, structured_screen *s, screening *w, int64_t *next,
                                int64_t *bases, int64_t *jobs)
{
    *bases = *jobs = 0;
    for (; *next < s->wanted_count && *bases < AT_ONCE; ++*next) {
        screened *of = s->wanted[*next];
        int64_t before = *jobs;
        for (int64_t i = 0; i < w->d; i++) {
            if (of->wanted[i]) {
                of->wanted[i] = false;
                w->job[(*jobs)++] = *bases * w->d + i;
            }
        }
        if (*jobs > before) {
            TRY(base_new(ctx, a, s->scores, of, &w->base[(*bases)++]));
        }
    }
    return NONSENS_OK;
}

nonsens_status screen_settle(nonsens_context *ctx, structured_screen *s)
{
    base bases_of_fits[AT_ONCE];
    screening w = {.scores = s->scores, .base = bases_of_fits, .d = s->scores->data->d};
    int64_t next = 0, bases, jobs;
    SCOPED_ARENA(whole);
    ARENA_TRY(ctx, &whole, w.job, AT_ONCE * w.d);
    while (next < s->wanted_count) {
        SCOPED_ARENA(a);
        TRY(take_some(ctx, &a, s, &w, &next, &bases, &jobs));
        TRY(parallel_for(ctx, s->scores->threads, bases, NULL, prepare_fit, &w));
        TRY(parallel_for(ctx, s->scores->threads, jobs, NULL, test_candidate, &w));
    }
    s->wanted_count = 0;
    return NONSENS_OK;
}
