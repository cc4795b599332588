/*
 * chi2_mixture.c - tails of Q = sum_i w_i Z_i^2 by a contour through the saddle point.
 *
 * Q has the moment generating function exp K(s) = prod_i (1 - 2 w_i s)^(-1/2), and
 *
 *     P(Q > x) = 1 / (2 pi i) integral of exp(K(s) - s x) / s ds,
 *
 * along any path that crosses the real axis once, at c in (0, 1 / (2 max w)), and goes around the branch cut to its
 * right; a path that crosses at c < 0 gives -P(Q <= x).  Imhof (Biometrika 48, 1961) and Davies (Applied Statistics 29,
 * 1980) integrate along the imaginary axis, where the integrand oscillates and small tails are lost in rounding errors;
 * Lugannani and Rice (Adv. Appl. Probab. 12, 1980; Kuonen, Biometrika 86, 1999) expand at the saddle point, which is
 * accurate to about one per cent.  Here the integral itself is computed on a path through the saddle point (Rice, Bell
 * Syst. Tech. J. 59, 1980; Helstrom, IEEE Trans. Aerosp. Electron. Syst. 19, 1983, on a parabola), so that nothing
 * cancels, tails of any size are accurate to all digits, and no switch between two formulas is needed.
 *
 * The path is a hyperbola, s(v) = c + r (sin a (cosh v - 1) + i cos a sinh v), a = 45 degrees.  c minimises
 * K(s) - s x - log |s| on its side of zero (convex): c > 0 for x above the mean, c < 0 below, so that the smaller tail
 * is the one computed.  r gives the path at c the same second-order term as the path of steepest descent of K(s) - s x,
 * K''' / (6 K'').  Far from c, exp(-s x) decays doubly exponentially in v for any number of weights.  The integrand is
 * analytic in a strip, so the trapezoid rule converges geometrically: halving the step squares the error, and a change
 * below CLOSE_ENOUGH means an error near its square.
 *
 * The square root of the product has the right branch if each factor has its argument in (-pi, 0] (upper half of the
 * path); factors are multiplied without roots, and the number of times that the product winds around 0 is counted.
 */
#include "math/chi2_mixture.h"

#include "math/special.h"

#include <math.h>
#include <stdbool.h>

enum {
    LANES = 16,   /* points of the path that one pass over the weights evaluates */
    RESCALE = 16, /* factors multiplied before the product is rescaled to size 1 */
    HALVINGS = 8, /* of the step, at most; usually 2 to 4 */
    BISECTIONS = 16
};

static const double PI = 3.14159265358979323846;
static const double HALF_ROOT = 0.70710678118654752440; /* sine and cosine of 45 degrees */
static const double CLOSE_ENOUGH = 1e-9;                /* between two steps; the finer one is then exact to rounding */
static const double NEGLIGIBLE = 1e-18;                 /* relative to the largest term: the path ends here */
static const double EQUAL = 1e-13;                      /* relative difference up to which weights count as equal */

typedef struct mixture {
    int64_t count;
    const double *weight;
    double unit;             /* largest weight, the unit of what follows */
    double x, sum, smallest; /* x; sum and smallest of the positive weights */
    int64_t positive;
    double c, radius; /* of the path */
    double width;     /* of the integrand's peak at c, along the path */
} mixture;

static double weight_of(const mixture *m, int64_t i)
{
    return m->weight[i] / m->unit;
}

/* Finds the unit, sum, number and smallest of the weights; false if a weight is negative or not finite. */
static bool measure_weights(mixture *m)
{
    for (int64_t i = 0; i < m->count; i++) {
        if (!(m->weight[i] >= 0.0) || !isfinite(m->weight[i])) {
            return false;
        }
        m->unit = m->weight[i] > m->unit ? m->weight[i] : m->unit;
    }
    m->smallest = 1.0;
    for (int64_t i = 0; m->unit > 0.0 && i < m->count; i++) {
        double w = weight_of(m, i);
        if (w > 0.0) {
            m->positive++;
            m->sum += w;
            m->smallest = w < m->smallest ? w : m->smallest;
        }
    }
    return true;
}

/* ---- the path ------------------------------------------------------------------------------------------------- */

/* Returns K'(s) for s below 1/2; gap = 1 - 2 s, which the caller knows without rounding error. */
static double slope(const mixture *m, double s, double gap)
{
    double sum = 0.0;
    for (int64_t i = 0; i < m->count; i++) {
        double w = weight_of(m, i);
        sum += w / (gap + 2.0 * (1.0 - w) * s);
    }
    return sum;
}

/*
 * Returns the root of K'(s) - x - 1 / s on (0, 1/2) by bisection in log(2 s / (1 - 2 s)); one per cent is accurate
 * enough.  Bracket: K' lies between 1 / (1 - 2 s) and sum / (1 - 2 s), and x is at least the mean.
 */
static double saddle_above(const mixture *m)
{
    double s = (sqrt(1.0 + 2.0 * m->sum) - 1.0) / (2.0 * m->sum);
    double lo = log(2.0 * s / (1.0 - 2.0 * s)), hi = log(m->x + 1.0 / s);
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = 0.5 * (lo + hi), gap = 1.0 / (1.0 + exp(middle)), half = 0.5 * (1.0 - gap);
        if (slope(m, half, gap) > m->x + 1.0 / half) {
            hi = middle;
        } else {
            lo = middle;
        }
    }
    return 0.5 * (1.0 - 1.0 / (1.0 + exp(0.5 * (lo + hi))));
}

/* Returns the root on the negative side, between -(count / 2 + 1) / x and -1 / x. */
static double saddle_below(const mixture *m)
{
    double lo = log(1.0 / m->x), hi = log((0.5 * (double)m->positive + 1.0) / m->x);
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = 0.5 * (lo + hi), s = -exp(middle);
        if (slope(m, s, 1.0 - 2.0 * s) > m->x + 1.0 / s) {
            lo = middle;
        } else {
            hi = middle;
        }
    }
    return -exp(0.5 * (lo + hi));
}

static void choose_path(mixture *m)
{
    double second = 0.0, third = 0.0;
    m->c = m->x > m->sum ? saddle_above(m) : saddle_below(m);
    for (int64_t i = 0; i < m->count; i++) {
        double w = weight_of(m, i), b = w / (1.0 - 2.0 * w * m->c);
        second += 2.0 * b * b;
        third += 8.0 * b * b * b;
    }
    m->radius = HALF_ROOT * 6.0 * second / third;
    m->width = 1.0 / sqrt(second + 1.0 / (m->c * m->c));
}

/* ---- the integrand -------------------------------------------------------------------------------------------- */

typedef struct lanes {
    double shift_re[LANES], shift_im[LANES]; /* s - c */
    double re[LANES], im[LANES];             /* product of the factors, of size about 1 */
    double log_size[LANES], turns[LANES];
} lanes;

static void multiply(lanes *l, double b)
{
    for (int j = 0; j < LANES; j++) {
        double f_re = 1.0 - b * l->shift_re[j], f_im = -b * l->shift_im[j];
        double re = l->re[j] * f_re - l->im[j] * f_im, im = l->re[j] * f_im + l->im[j] * f_re;
        l->turns[j] += l->im[j] < 0.0 && im >= 0.0 ? 1.0 : 0.0; // past -pi: one factor lowers it by less than pi
        l->re[j] = re;
        l->im[j] = im;
    }
}

static void rescale(lanes *l)
{
    for (int j = 0; j < LANES; j++) {
        double size = sqrt(l->re[j] * l->re[j] + l->im[j] * l->im[j]);
        l->log_size[j] += log(size);
        l->re[j] /= size;
        l->im[j] /= size;
    }
}

/* Computes the products over the weights of (1 - 2 w s) / (1 - 2 w c) = 1 - b (s - c) at the points of all lanes. */
static void take_products(const mixture *m, lanes *l)
{
    for (int j = 0; j < LANES; j++) {
        l->re[j] = 1.0;
        l->im[j] = l->log_size[j] = l->turns[j] = 0.0;
    }
    for (int64_t first = 0; first < m->count; first += RESCALE) {
        for (int64_t i = first; i < m->count && i < first + RESCALE; i++) {
            double w = weight_of(m, i);
            multiply(l, 2.0 * w / (1.0 - 2.0 * w * m->c));
        }
        rescale(l);
    }
}

/*
 * Returns the imaginary part of g(s) s'(v) / g(c), g = exp(K(s) - s x) / s, at the v of lane j. *size: an upper bound
 * of its absolute value.
 */
static double integrand(const mixture *m, const lanes *l, int j, double v, double *size)
{
    double re = m->c + l->shift_re[j], im = l->shift_im[j];
    double phase = PI * l->turns[j] - 0.5 * atan2(l->im[j], l->re[j]) - im * m->x;
    phase -= m->c > 0.0 ? atan2(im, re) : atan2(-im, -re);
    double speed_re = m->radius * HALF_ROOT * sinh(v), speed_im = m->radius * HALF_ROOT * cosh(v);
    double scale = exp(-0.5 * l->log_size[j] - l->shift_re[j] * m->x) * fabs(m->c) / hypot(re, im);
    *size = scale * (speed_re + speed_im);
    return scale * (speed_re * sin(phase) + speed_im * cos(phase));
}

/* Sums the integrand at v = (first + k * stride) * step, k = 0, 1, ..., until it is negligible. */
static double sum_path(const mixture *m, double step, int first, int stride, double *largest)
{
    double sum = 0.0, size = INFINITY;
    for (int64_t base = 0; size > NEGLIGIBLE * *largest; base += LANES) {
        lanes l;
        for (int j = 0; j < LANES; j++) {
            double v = (double)(first + (base + j) * stride) * step, half = sinh(0.5 * v);
            l.shift_re[j] = m->radius * HALF_ROOT * 2.0 * half * half;
            l.shift_im[j] = m->radius * HALF_ROOT * sinh(v);
        }
        take_products(m, &l);
        for (int j = 0; j < LANES && size > NEGLIGIBLE * *largest; j++) {
            double v = (double)(first + (base + j) * stride) * step;
            double value = integrand(m, &l, j, v, &size);
            sum += base + j + first == 0 ? 0.5 * value : value;
            *largest = size > *largest ? size : *largest;
        }
    }
    return sum;
}

static double integrate(const mixture *m)
{
    double step = asinh(m->width / (m->radius * HALF_ROOT)), largest = 0.0;
    double sum = sum_path(m, step, 0, 1, &largest), value = sum * step;
    for (int i = 0; i < HALVINGS; i++) {
        step *= 0.5;
        sum += sum_path(m, step, 1, 2, &largest);
        double before = value;
        value = sum * step;
        if (fabs(value - before) <= CLOSE_ENOUGH * fabs(value)) {
            break;
        }
    }
    return value;
}

/* Returns the smaller tail: that above x if c > 0, else that below. */
static double smaller_tail(const mixture *m)
{
    double log_size = -m->c * m->x - log(fabs(m->c));
    for (int64_t i = 0; i < m->count; i++) {
        log_size -= 0.5 * log1p(-2.0 * m->c * weight_of(m, i));
    }
    return exp(log_size) * integrate(m) / PI;
}

double chi2_mixture_tail(int64_t count, const double *weight, double x)
{
    mixture m = {.count = count, .weight = weight};
    if (isnan(x) || !measure_weights(&m)) {
        return NAN;
    }
    if (x <= 0.0 || m.positive == 0) {
        return x <= 0.0 ? 1.0 : 0.0;
    }
    m.x = x / m.unit;
    if (m.smallest >= 1.0 - EQUAL) {
        return special_chi2_tail((double)m.positive, m.x * (double)m.positive / m.sum);
    }
    if (m.x > 3000.0 + 1.5 * (double)m.positive) { // Chernoff's bound at s = 1/4 is below the smallest number
        return 0.0;
    }
    if (m.x < 1e-290) {
        return 1.0;
    }
    choose_path(&m);
    double tail = smaller_tail(&m);
    double p = m.c > 0.0 ? tail : 1.0 - tail;
    return p < 0.0 ? 0.0 : p > 1.0 ? 1.0 : p;
}
