/*
 * statistics.c - families of statistics q for score matching (score_matching.c), with three derivatives.
 *
 * |s| itself has no useful second derivative, so it is smoothed around s = 0 on the scale 1/c:
 *
 *     log-cosh          log cosh(c s) / c
 *     smooth-abs        sqrt(s^2 + 1/c^2)
 *     asymmetric        log cosh(c s) / c and s: different slopes on the two sides of a fitted location
 *     gaussian-base     log cosh(c s) / c on top of the density of a standard normal
 *     two-statistic     log cosh(c s) / c and s^2 / 2
 *     three-statistic   these and s, around a fitted location
 *
 * The pair of log cosh and square is represented by log cosh(c s) / c - c s^2 / 2 and s^2 / 2.  Except for the ridge, J
 * depends only on their span.  If a source is small, log cosh is so close to a square that the original pair would lose
 * half its digits.
 */
#include "ica/statistics.h"

#include "math/pair_exp.h"

#include <math.h>

/* t (n) = tanh (c s); t and s may be the same. */
static void tanh_values(int64_t n, double c, const double *s, double *t)
{
    pair unused;
    int64_t i = 0;
    for (; i + 2 <= n; i += 2) {
        pair_store(t + i, pair_tanh(c * pair_load(s + i), &unused));
    }
    if (i < n) {
        t[i] = pair_tanh(pair_fill(c * s[i]), &unused)[0];
    }
}

static void log_cosh(int64_t n, double c, const double *s, double *q1, double *q2, double *q3)
{
    tanh_values(n, c, s, q1);
    for (int64_t i = 0; i < n; i++) {
        double rest = c * (1.0 - q1[i] * q1[i]);
        q2[i] = rest;
        q3[i] = -2.0 * c * q1[i] * rest;
    }
}

static void log_cosh_beyond_square(int64_t n, double c, const double *s, double *q1, double *q2, double *q3)
{
    tanh_values(n, c, s, q1);
    for (int64_t i = 0; i < n; i++) {
        double square = q1[i] * q1[i];
        q2[i] = -c * square;
        q3[i] = -2.0 * c * c * q1[i] * (1.0 - square);
        q1[i] -= c * s[i];
    }
}

static void smooth_abs(int64_t n, double c, const double *s, double *q1, double *q2, double *q3)
{
    double corner = 1.0 / (c * c);
    for (int64_t i = 0; i < n; i++) {
        double inverse = 1.0 / sqrt(s[i] * s[i] + corner), square = inverse * inverse;
        q1[i] = s[i] * inverse;
        q2[i] = corner * inverse * square;
        q3[i] = -3.0 * q2[i] * s[i] * square;
    }
}

static void linear(int64_t n, double c, const double *s, double *q1, double *q2, double *q3)
{
    (void)c;
    (void)s;
    for (int64_t i = 0; i < n; i++) {
        q1[i] = 1.0;
        q2[i] = q3[i] = 0.0;
    }
}

static void square_half(int64_t n, double c, const double *s, double *q1, double *q2, double *q3)
{
    (void)c;
    for (int64_t i = 0; i < n; i++) {
        q1[i] = s[i];
        q2[i] = 1.0;
        q3[i] = 0.0;
    }
}

/*
 * A sharper corner is closer to |s|, which suits Laplace sources, but fewer rows contribute to E q''. One-sided sources
 * (features, for which the second statistic exists) then fail if there are few rows.
 */
static const ica_family FAMILIES[] = {
    [STATISTIC_LOG_COSH] = {1, 0, false, 2.0, {log_cosh}},
    [STATISTIC_SMOOTH_ABS] = {1, 0, false, 2.0, {smooth_abs}},
    [STATISTIC_ASYMMETRIC] = {2, 0, true, 2.0, {log_cosh, linear}},
    [STATISTIC_GAUSSIAN_BASE] = {2, 1, false, 2.0, {log_cosh, square_half}},
    [STATISTIC_TWO] = {2, 0, false, 1.0, {log_cosh_beyond_square, square_half}},
    [STATISTIC_THREE] = {3, 0, true, 2.0, {log_cosh_beyond_square, square_half, linear}},
};

const ica_family *ica_family_of(enum option_statistic statistic)
{
    return &FAMILIES[statistic];
}

void ica_family_derivatives(const ica_family *f, double c, int64_t n, const double *s, const ica_derivatives *out)
{
    for (int k = 0; k < f->count; k++) {
        f->statistic[k](n, c, s, out->q1 + k * n, out->q2 + k * n, out->q3 + k * n);
    }
}

static double mean_product(int64_t n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum / (double)n;
}

static double mean_of(int64_t n, const double *v)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        sum += v[i];
    }
    return sum / (double)n;
}

ica_moments ica_family_moments(const ica_family *f, int64_t n, const ica_derivatives *q)
{
    ica_moments m;
    for (int k = 0; k < f->count; k++) {
        m.b[k] = mean_of(n, q->q2 + k * n);
        for (int l = 0; l <= k; l++) {
            m.moment[k][l] = m.moment[l][k] = mean_product(n, q->q1 + k * n, q->q1 + l * n);
        }
        m.moment[k][k] += ICA_RIDGE;
    }
    return m;
}

/* Solves M x = -r for the leading `size` statistics by Cholesky; the ridge makes M positive definite. */
static void solve_leading(const ica_moments *m, int size, const double *r, double *x)
{
    double l[STATISTICS_MAX][STATISTICS_MAX];
    for (int i = 0; i < size; i++) {
        double sum = -r[i];
        for (int k = 0; k <= i; k++) {
            double entry = m->moment[i][k];
            for (int h = 0; h < k; h++) {
                entry -= l[i][h] * l[k][h];
            }
            l[i][k] = k < i ? entry / l[k][k] : sqrt(fmax(entry, ICA_RIDGE * ICA_RIDGE));
        }
        for (int k = 0; k < i; k++) {
            sum -= l[i][k] * x[k];
        }
        x[i] = sum / l[i][i];
    }
    for (int i = size; i-- > 0;) {
        for (int k = i + 1; k < size; k++) {
            x[i] -= l[k][i] * x[k];
        }
        x[i] /= l[i][i];
    }
}

void ica_family_fit(const ica_family *f, const ica_moments *m, double *lambda)
{
    int free = f->count - f->fixed;
    double r[STATISTICS_MAX];
    for (int k = free; k < f->count; k++) {
        lambda[k] = -1.0;
    }
    for (int k = 0; k < free; k++) {
        r[k] = m->b[k];
        for (int l = free; l < f->count; l++) {
            r[k] += m->moment[k][l] * lambda[l];
        }
    }
    solve_leading(m, free, r, lambda);
}

double ica_family_value(const ica_family *f, const ica_moments *m, const double *lambda)
{
    double value = 0.0;
    for (int k = 0; k < f->count; k++) {
        double product = 0.0;
        for (int l = 0; l < f->count; l++) {
            product += m->moment[k][l] * lambda[l];
        }
        value += lambda[k] * (m->b[k] + 0.5 * product);
    }
    return value;
}
