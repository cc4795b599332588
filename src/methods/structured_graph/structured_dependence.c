/* structured_dependence.c - disturbances of held-out rows, and copulas of two of them. */
#include "methods/structured_graph/structured_dependence.h"

#include "math/sort.h"
#include "math/special.h"

#include <math.h>
#include <string.h>

static const double MAX_CORRELATION = 0.99;
enum { MIN_COPULA_ROWS = 8 }; /* of a segment, for a correlation of its own */

/* Disturbances of the rows of a part, by the fits without the fold of each row. */
static nonsens_status held_out_of_part(nonsens_context *ctx, const structured_score *fit, const structured_part *part,
                                       double *spare, double *v)
{
    const mechanism_data *rows = &part->of->data;
    int64_t size = mechanism_size(rows, fit->causes);
    for (int64_t k = 0; k < rows->folds; k++) {
        TRY(mechanism_disturbance(ctx, rows, fit->effect, fit->causes, fit->cause, part->theta + (1 + k) * size,
                                  spare));
        for (int64_t i = rows->block[k]; i < rows->block[k + 1]; i++) {
            v[rows->row[i]] = spare[rows->row[i]];
        }
    }
    return NONSENS_OK;
}

/* The disturbance is not known in segments without a mechanism, such as those in which the variable is fixed. */
nonsens_status dependence_held_out(nonsens_context *ctx, const structured_scores *sc, const structured_score *fit,
                                   double *spare, double *v)
{
    const nonsens_data *data = sc->data;
    for (int64_t i = 0; i < data->n; i++) {
        v[i] = NAN;
    }
    for (int64_t k = 0; k < fit->parts; k++) {
        TRY(held_out_of_part(ctx, fit, &fit->part[k], spare, v));
    }
    return NONSENS_OK;
}

nonsens_status dependence_normal_scores(nonsens_context *ctx, arena *scratch, const nonsens_data *data, const double *v,
                                        double *score)
{
    for (int64_t e = 0; e < data->segments; e++) {
        int64_t start = data->start[e], n = data->start[e + 1] - start;
        bool is_known = !isnan(v[start]); // a mechanism is known in all rows of a segment or in none
        if (is_known) {
            TRY(sort_ranks(ctx, scratch, n, v + start, score + start));
        }
        for (int64_t i = start; i < start + n; i++) {
            score[i] = !is_known ? NAN : special_normal_quantile((score[i] + 0.5) / (double)n);
        }
    }
    return NONSENS_OK;
}

void dependence_ranks(const nonsens_data *data, const double *score, double *rank)
{
    for (int64_t i = 0; i < data->n; i++) {
        rank[i] = isnan(score[i]) ? NAN : 1.0 - 2.0 * special_normal_tail(score[i]);
    }
}

/* Are both disturbances known at this row? */
static bool has_both(const double *x, const double *y, int64_t row)
{
    return !isnan(x[row]) && !isnan(y[row]);
}

/* ---- a Gaussian copula ---- */

/* Sums over rows of a segment, in one fold or in all but that fold. */
typedef struct moments {
    double n, xx, yy, xy;
} moments;

static double correlation_of(const moments *m)
{
    double product = m->xx * m->yy;
    return product > 0.0 ? fmax(-MAX_CORRELATION, fmin(MAX_CORRELATION, m->xy / sqrt(product))) : 0.0;
}

/* Fills in own (folds + 1, segments): sums over the rows of each fold, then over all rows. */
static void add_moments(const structured_scores *sc, const double *x, const double *y, moments *own)
{
    const mechanism_data *rows = &sc->rows;
    int64_t segments = rows->segments;
    for (int64_t k = 0; k < rows->folds; k++) {
        for (int64_t i = rows->block[k]; i < rows->block[k + 1]; i++) {
            int64_t r = rows->row[i];
            if (!has_both(x, y, r)) {
                continue;
            }
            moments *m = &own[k * segments + rows->segment[i]];
            *m = (moments){m->n + 1.0, m->xx + x[r] * x[r], m->yy + y[r] * y[r], m->xy + x[r] * y[r]};
        }
        for (int64_t e = 0; e < segments; e++) {
            moments *all = &own[rows->folds * segments + e], *m = &own[k * segments + e];
            *all = (moments){all->n + m->n, all->xx + m->xx, all->yy + m->yy, all->xy + m->xy};
        }
    }
}

/*
 * Estimates the correlations of all segments without fold k.  Fisher's z = atanh(r) of a segment has variance
 * 1 / (rows - 3) about its own mean, and these means have a variance over segments, estimated by the method of moments.
 */
static void fit_correlations(const moments *own, int64_t folds, int64_t segments, int64_t k, double *r)
{
    double weights = 0.0, sum = 0.0, squares = 0.0, spread = 0.0, used = 0.0, weights_squared = 0.0;
    for (int64_t e = 0; e < segments; e++) {
        const moments *all = &own[folds * segments + e], *m = &own[k * segments + e];
        moments rest = {all->n - m->n, all->xx - m->xx, all->yy - m->yy, all->xy - m->xy};
        r[e] = rest.n >= MIN_COPULA_ROWS ? atanh(correlation_of(&rest)) : NAN;
        if (!isnan(r[e])) {
            double w = rest.n - 3.0;
            weights += w;
            weights_squared += w * w;
            sum += w * r[e];
            squares += w * r[e] * r[e];
            used += 1.0;
        }
    }
    double common = weights > 0.0 ? sum / weights : 0.0;
    double divisor = weights > 0.0 ? weights - weights_squared / weights : 0.0;
    spread = divisor > 0.0 ? fmax(0.0, (squares - common * sum - (used - 1.0)) / divisor) : 0.0;
    double sure = common * common * weights / (1.0 + common * common * weights); // share of the common z that is kept
    for (int64_t e = 0; e < segments; e++) {
        double w = own[folds * segments + e].n - own[k * segments + e].n - 3.0;
        double kept = isnan(r[e]) ? 0.0 : spread * w / (1.0 + spread * w);
        r[e] = tanh(sure * common + kept * ((kept > 0.0 ? r[e] : 0.0) - common));
    }
}

static double log_copula(double x, double y, double r)
{
    double rest = 1.0 - r * r;
    return -0.5 * log(rest) - (r * r * (x * x + y * y) - 2.0 * r * x * y) / (2.0 * rest);
}

nonsens_status dependence_copula(nonsens_context *ctx, arena *scratch, const structured_scores *sc, const double *x,
                                 const double *y, double *group)
{
    const mechanism_data *rows = &sc->rows;
    moments *own;
    double *r;
    ARENA_TRY(ctx, scratch, own, (rows->folds + 1) * rows->segments);
    ARENA_TRY(ctx, scratch, r, rows->segments);
    add_moments(sc, x, y, own);
    memset(group, 0, (size_t)sc->groups * sizeof *group);
    for (int64_t k = 0; k < rows->folds; k++) {
        fit_correlations(own, rows->folds, rows->segments, k, r);
        for (int64_t i = rows->block[k]; i < rows->block[k + 1]; i++) {
            int64_t row = rows->row[i];
            group[sc->group_of[row]] += has_both(x, y, row) ? log_copula(x[row], y[row], r[rows->segment[i]]) : 0.0;
        }
    }
    return NONSENS_OK;
}

/* ---- a series ---- */

enum { DEGREES = 3, PRODUCTS = DEGREES * DEGREES };
static const double MIN_DENSITY = 0.1; /* the series may become negative */

/* Computes p (PRODUCTS): L_j(u) L_k(v). */
static void products_at(double u, double v, double *p)
{
    double of_u[DEGREES] = {sqrt(3.0) * u, sqrt(5.0) * 0.5 * (3.0 * u * u - 1.0),
                            sqrt(7.0) * 0.5 * u * (5.0 * u * u - 3.0)};
    double of_v[DEGREES] = {sqrt(3.0) * v, sqrt(5.0) * 0.5 * (3.0 * v * v - 1.0),
                            sqrt(7.0) * 0.5 * v * (5.0 * v * v - 3.0)};
    for (int j = 0; j < DEGREES; j++) {
        for (int k = 0; k < DEGREES; k++) {
            p[j * DEGREES + k] = of_u[j] * of_v[k];
        }
    }
}

/* Turns sums (segments) over rows (segments) into a coefficient per segment, shrunk towards their common mean. */
static void shrink_means(int64_t segments, const double *rows, double *sum)
{
    double weights = 0.0, squares = 0.0, total = 0.0, spread = 0.0, used = 0.0;
    for (int64_t e = 0; e < segments; e++) {
        weights += rows[e];
        squares += rows[e] * rows[e];
        total += sum[e];
    }
    double common = weights > 0.0 ? total / weights : 0.0;
    for (int64_t e = 0; e < segments; e++) {
        double off = rows[e] > 0.0 ? sum[e] / rows[e] - common : 0.0;
        spread += rows[e] * off * off;
        used += rows[e] > 0.0;
    }
    double divisor = weights > 0.0 ? weights - squares / weights : 0.0;
    spread = divisor > 0.0 ? fmax(0.0, (spread - (used - 1.0)) / divisor) : 0.0;
    double sure = common * common * weights > 1.0 ? 1.0 - 1.0 / (common * common * weights) : 0.0;
    for (int64_t e = 0; e < segments; e++) {
        double kept = spread * rows[e] / (1.0 + spread * rows[e]);
        sum[e] = sure * common + (rows[e] > 0.0 ? kept * (sum[e] / rows[e] - common) : 0.0);
    }
}

/* Fits coefficients (PRODUCTS, segments) to all rows but those of fold k; rows (segments) is scratch. */
static void fit_series(const mechanism_data *data, const double *u, const double *v, int64_t k, double *rows,
                       double *coefficient)
{
    int64_t segments = data->segments;
    double p[PRODUCTS];
    memset(rows, 0, (size_t)segments * sizeof *rows);
    memset(coefficient, 0, (size_t)(PRODUCTS * segments) * sizeof *coefficient);
    for (int64_t i = 0; i < data->n; i++) {
        if ((i < data->block[k] || i >= data->block[k + 1]) && has_both(u, v, data->row[i])) {
            products_at(u[data->row[i]], v[data->row[i]], p);
            rows[data->segment[i]] += 1.0;
            for (int q = 0; q < PRODUCTS; q++) {
                coefficient[q * segments + data->segment[i]] += p[q];
            }
        }
    }
    for (int q = 0; q < PRODUCTS; q++) {
        shrink_means(segments, rows, coefficient + q * segments);
    }
}

nonsens_status dependence_series(nonsens_context *ctx, arena *scratch, const structured_scores *sc, const double *u,
                                 const double *v, double *group)
{
    const mechanism_data *data = &sc->rows;
    double *rows, *coefficient, p[PRODUCTS];
    ARENA_TRY(ctx, scratch, rows, data->segments);
    ARENA_TRY(ctx, scratch, coefficient, PRODUCTS * data->segments);
    memset(group, 0, (size_t)sc->groups * sizeof *group);
    for (int64_t k = 0; k < data->folds; k++) {
        fit_series(data, u, v, k, rows, coefficient);
        for (int64_t i = data->block[k]; i < data->block[k + 1]; i++) {
            double density = 1.0;
            if (!has_both(u, v, data->row[i])) {
                continue;
            }
            products_at(u[data->row[i]], v[data->row[i]], p);
            for (int q = 0; q < PRODUCTS; q++) {
                density += coefficient[q * data->segments + data->segment[i]] * p[q];
            }
            group[sc->group_of[data->row[i]]] += log(fmax(density, MIN_DENSITY));
        }
    }
    return NONSENS_OK;
}

structured_gain dependence_gain(const structured_scores *sc, const double *group, const double *other)
{
    double sum = 0.0, squares = 0.0, groups = (double)sc->groups;
    for (int64_t g = 0; g < sc->groups; g++) {
        double gain = group[g] - (other ? other[g] : 0.0);
        sum += gain;
        squares += gain * gain;
    }
    double variance = sc->time.inflation * (squares - sum * sum / groups) * groups / (groups - 1.0);
    return (structured_gain){sum, variance > 0.0 ? sum / sqrt(variance) : 0.0};
}
