/*
 * special.c - incomplete gamma and beta functions, normal distribution, polygammas, Kolmogorov's distribution.
 *
 * Incomplete gamma.  For a >= 100 and x neither much below nor much above a, Temme's uniform expansion
 *
 *     Q = erfc(eta sqrt(a/2)) / 2 + R,   R = exp(-a eta^2 / 2) / sqrt(2 pi a) S(eta),
 *     eta^2 / 2 = mu - log(1 + mu),   mu = (x - a) / a,   sign(eta) = sign(mu),
 *
 * (Temme, SIAM J. Math. Anal. 10, 1979), with S = sum_n beta_n eta^n from the backward recursion that follows from the
 * differential equation S' / a - eta S = 1 - f(eta) / Gamma*(a), f = eta / mu (Gil, Segura, Temme, SIAM J. Sci. Comput.
 * 34, 2012, section 2): one table of the coefficients of f suffices for every a. Elsewhere: the power series of P (x <=
 * a + 1), Legendre's continued fraction of Q, and for small a and x a form of Q without cancellation (Gautschi, ACM
 * TOMS 5, 1979).  No region needs more than a few hundred terms, for any a.
 *
 * Prefactors are not computed as differences of large logarithms: x^a e^-x / Gamma(a+1) and x^a y^b / B(a, b) are
 * written with the deviance t - log(1 + t) >= 0 and the correction Gamma* of Stirling's formula (the saddle-point form
 * of Loader, "Fast and accurate computation of binomial probabilities", 2000).
 *
 * Incomplete beta: a continued fraction on the side where it converges in O(sqrt(max(a, b))) steps.
 * Bad arguments (negative shapes, NaN) give NaN.
 */
#include "math/special.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { SERIES_LIMIT = 10000 }; /* far more terms than are needed where it is used */

static const double LOG_SQRT_2PI = 0.918938533204672741780;
static const double SQRT_2PI = 2.50662827463100050242;
static const double SQRT_PI = 1.77245385090551602730;
static const double EULER = 0.577215664901532860607;
static const double PI = 3.14159265358979323846;
static const double LARGE_SHAPE = 100.0; /* Temme's expansion from here on */
static const double TINY = 1e-290;       /* smaller values are computed by their logarithms */

/* Two complementary probabilities, each accurate in relative terms. */
struct tails {
    double lower, upper;
};

/* Returns x / x0 - 1 - log(x / x0) >= 0; difference = x - x0, which the caller may know more accurately. */
static double deviance(double x, double x0, double difference)
{
    double t = difference / x0;
    if (fabs(t) > 0.5) {
        return t - log(x / x0);
    }
    /* log(1 + t) = 2 atanh(r) with r = t / (2 + t), and t - 2 r = t r: the first orders cancel exactly */
    double r = t / (2.0 + t), r2 = r * r, sum = 0.0;
    for (int k = 35; k >= 3; k -= 2) {
        sum = (sum + 1.0 / k) * r2;
    }
    return t * r - 2.0 * r * sum;
}

/* Returns log Gamma(1 + a) for 0 <= a < 10, with full relative accuracy near 0. */
static double log_gamma_1p(double a)
{
    if (a >= 0.01) {
        return log(tgamma(1.0 + a));
    }
    static const double zeta[] = {1.64493406684822643647, 1.20205690315959428540, 1.08232323371113819152,
                                  1.03692775514336992633, 1.01734306198444913971, 1.00834927738192282684,
                                  1.00407735619794433938};
    double sum = 0.0; // sum_{k >= 2} zeta(k) (-a)^k / k
    for (int k = 8; k >= 2; k--) {
        sum = -a * (sum + zeta[k - 2] / k);
    }
    return -a * (EULER + sum);
}

/* Returns log of Gamma*(a) = Gamma(a) / (sqrt(2 pi) a^(a - 1/2) e^-a). */
static double log_gamma_star(double a)
{
    if (a < 10.0) {
        return log_gamma_1p(a) - LOG_SQRT_2PI - (a + 0.5) * log(a) + a;
    }
    double r = 1.0 / (a * a);
    double sum = 1.0 / 156.0;
    sum = sum * r - 691.0 / 360360.0;
    sum = sum * r + 1.0 / 1188.0;
    sum = sum * r - 1.0 / 1680.0;
    sum = sum * r + 1.0 / 1260.0;
    sum = sum * r - 1.0 / 360.0;
    sum = sum * r + 1.0 / 12.0;
    return sum / a;
}

/* Returns exp(x^2) erfc(x) for x >= 20, where the asymptotic series is accurate to all digits. */
static double scaled_erfc(double x)
{
    double r = 0.5 / (x * x), sum = 1.0;
    for (int k = 11; k >= 1; k -= 2) {
        sum = 1.0 - k * r * sum;
    }
    return sum / (x * SQRT_PI);
}

/* ---- incomplete gamma ---------------------------------------------------------------------------------------- */

/* Returns log of x^a e^-x / Gamma(a + 1). */
static double log_gamma_term(double a, double x)
{
    if (a < 10.0) {
        return a * log(x) - x - log_gamma_1p(a);
    }
    return -a * deviance(x, a, x - a) - LOG_SQRT_2PI - 0.5 * log(a) - log_gamma_star(a);
}

/* Returns sum_n x^n / ((a + 1) ... (a + n)): P divided by the term above. */
static double gamma_series(double a, double x)
{
    double sum = 1.0, term = 1.0;
    for (int n = 1; n < SERIES_LIMIT && term > sum * DBL_EPSILON * 0.25; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum;
}

/* Returns Legendre's continued fraction by Lentz's method: Q divided by x^a e^-x / Gamma(a). */
static double gamma_fraction(double a, double x)
{
    double b = x + 1.0 - a, c = 1.0 / DBL_MIN, d = 1.0 / b, h = d;
    for (int n = 1; n < SERIES_LIMIT; n++) {
        double numerator = -n * (n - a);
        b += 2.0;
        d = numerator * d + b;
        d = 1.0 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
        c = b + numerator / c;
        c = fabs(c) < DBL_MIN ? DBL_MIN : c;
        double factor = c * d;
        h *= factor;
        if (fabs(factor - 1.0) <= DBL_EPSILON) {
            break;
        }
    }
    return h;
}

/* Returns Q for small a and x: 1 - x^a / Gamma(1 + a), plus the other terms of the alternating series of P. */
static double gamma_upper_small(double a, double x)
{
    double log_power = a * log(x) - log_gamma_1p(a);
    double sum = 0.0, term = 1.0;
    for (int n = 1; n < SERIES_LIMIT; n++) {
        term *= -x / n;
        double part = term / (a + n);
        sum -= part;
        if (fabs(part) <= fabs(sum) * DBL_EPSILON * 0.25) {
            break;
        }
    }
    return -expm1(log_power) + a * exp(log_power) * sum;
}

/* Coefficients of eta / mu in powers of eta; make_special.py --temme derives them from mu mu' = eta (1 + mu). */
static const double temme_f[] = {
    1.0,
    -0.33333333333333333333,
    0.083333333333333333333,
    -0.014814814814814814815,
    0.0011574074074074074074,
    0.00035273368606701940035,
    -0.0001787551440329218107,
    0.000039192631785224377817,
    -2.1854485106799921615e-6,
    -1.8540622107151599607e-6,
    8.296711340953086005e-7,
    -1.7665952736826079304e-7,
    6.7078535434014985804e-9,
    1.0261809784240308043e-8,
    -4.3820360184533531866e-9,
    9.1476995822367902342e-10,
    -2.5514193994946249767e-11,
    -5.8307721325504250675e-11,
    2.4361948020667416244e-11,
    -5.0276692801141755891e-12,
    1.1004392031956134771e-13,
    3.3717632624009853788e-13,
    -1.3923887224181620659e-13,
    2.8534893807047443204e-14,
    -5.139111834242572619e-16,
    -1.9752288294349442835e-15,
    8.0995211567045613341e-16,
    -1.6522531216398161819e-16,
    2.5305430097478884233e-18,
    1.1686939738559576589e-17,
    -4.7700370498204847582e-18,
    9.6991260590562371242e-19,
};
enum { TEMME_TERMS = sizeof temme_f / sizeof temme_f[0] };

/* Returns S(eta) / sqrt(2 pi a), for a >= LARGE_SHAPE and |eta| <= 1. */
static double temme_sum(double a, double eta)
{
    double inverse_star = exp(-log_gamma_star(a));
    double above = 0.0, next = 0.0, sum = 0.0; // beta_{n+1}, beta_n and the polynomial, from the top down
    for (int n = TEMME_TERMS - 1; n >= 1; n--) {
        double beta = temme_f[n] * inverse_star + (n + 1) * above / a; // beta_{n-1}
        sum = sum * eta + beta;
        above = next;
        next = beta;
    }
    return sum / (SQRT_2PI * sqrt(a));
}

struct temme {
    double eta, exponent; /* exponent = a eta^2 / 2 */
};

/* Does Temme's expansion cover (a, x)? */
static bool temme_reach(double a, double x, struct temme *t)
{
    if (a < LARGE_SHAPE || x < 0.25 * a || x > 2.5 * a) {
        return false;
    }
    double half_square = deviance(x, a, x - a);
    t->eta = copysign(sqrt(2.0 * half_square), x - a);
    t->exponent = a * half_square;
    return fabs(t->eta) <= 1.0;
}

static struct tails gamma_tails(double a, double x)
{
    struct temme t;
    if (!(a > 0.0) || isnan(x)) {
        return (struct tails){NAN, NAN};
    }
    if (x <= 0.0 || isinf(a)) {
        return (struct tails){0.0, 1.0};
    }
    if (isinf(x)) {
        return (struct tails){1.0, 0.0};
    }
    if (temme_reach(a, x, &t)) {
        double z = copysign(sqrt(t.exponent), t.eta), r = exp(-t.exponent) * temme_sum(a, t.eta);
        return (struct tails){0.5 * erfc(-z) - r, 0.5 * erfc(z) + r};
    }
    if (x > a + 1.0) {
        double upper = a * exp(log_gamma_term(a, x)) * gamma_fraction(a, x);
        return (struct tails){1.0 - upper, upper};
    }
    double lower = exp(log_gamma_term(a, x)) * gamma_series(a, x);
    return (struct tails){lower, a < 0.5 ? gamma_upper_small(a, x) : 1.0 - lower};
}

double special_gamma_p(double a, double x)
{
    return gamma_tails(a, x).lower;
}

double special_gamma_q(double a, double x)
{
    return gamma_tails(a, x).upper;
}

double special_log_gamma_q(double a, double x)
{
    struct tails tails = gamma_tails(a, x);
    struct temme t;
    if (!(tails.upper < TINY)) {
        return tails.lower < 0.5 ? log1p(-tails.lower) : log(tails.upper);
    }
    if (isinf(x)) {
        return -INFINITY;
    }
    if (temme_reach(a, x, &t)) {
        return log(0.5 * scaled_erfc(sqrt(t.exponent)) + temme_sum(a, t.eta)) - t.exponent;
    }
    return log_gamma_term(a, x) + log(a * gamma_fraction(a, x));
}

/* A variable with variance 0 equals its mean. */
double special_gamma_tail(double mean, double variance, double x)
{
    if (isnan(mean) || isnan(variance) || isnan(x) || mean < 0.0 || variance < 0.0) {
        return NAN;
    }
    if (variance == 0.0 || mean == 0.0) {
        return x < mean ? 1.0 : 0.0;
    }
    return special_gamma_q(mean / variance * mean, mean / variance * x);
}

double special_chi2_tail(double degrees, double x)
{
    return special_gamma_q(0.5 * degrees, 0.5 * x);
}

/* ---- normal -------------------------------------------------------------------------------------------------- */

double special_normal_tail(double z)
{
    return 0.5 * erfc(z * 0.707106781186547524401);
}

static double log_normal_tail(double z)
{
    double x = z * 0.707106781186547524401;
    return x < 20.0 ? log(0.5 * erfc(x)) : log(0.5 * scaled_erfc(x)) - x * x;
}

/* Finds z with upper tail p <= 1/2: Newton's method on log tail(z) - log p, which is nearly linear in the far tail. */
static double normal_upper_quantile(double p)
{
    double log_p = log(p), t = sqrt(-2.0 * log_p);
    double z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / // Abramowitz and Stegun 26.2.23, error below 4.5e-4
                       (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int step = 0; step < 4; step++) {
        double log_tail = log_normal_tail(z);
        double hazard = exp(-0.5 * z * z - LOG_SQRT_2PI - log_tail);
        z += (log_tail - log_p) / hazard;
    }
    return z;
}

double special_normal_quantile(double p)
{
    if (!(p >= 0.0 && p <= 1.0)) {
        return NAN;
    }
    if (p == 0.0 || p == 1.0) {
        return p == 0.0 ? -INFINITY : INFINITY;
    }
    return p <= 0.5 ? -normal_upper_quantile(p) : normal_upper_quantile(1.0 - p);
}

/* ---- incomplete beta ----------------------------------------------------------------------------------------- */

/* Returns log 1 / B(a, b), less the powers that the deviances contain: see log_beta_term. */
static double log_beta_factor(double a, double b)
{
    double middle = a > b ? a * (b / (a + b)) : b * (a / (a + b));
    return 0.5 * log(middle) - LOG_SQRT_2PI + log_gamma_star(a + b) - log_gamma_star(a) - log_gamma_star(b);
}

/* Returns log of x^a y^b / B(a, b), y = 1 - x: two deviances from the mean x0 = a / (a + b); linear terms cancel. */
static double log_beta_term(double a, double b, double x, double y)
{
    double x0 = a / (a + b), y0 = b / (a + b);
    double difference = x < y ? x - x0 : y0 - y; // from the smaller of the two, which has more digits
    return log_beta_factor(a, b) - a * deviance(x, x0, difference) - b * deviance(y, y0, -difference);
}

/*
 * Returns I_x(a, b) divided by x^a y^b / B(a, b), by Lentz's method; x <= (a + 1) / (a + b + 2).  The even part of DLMF
 * 8.17.22 is used (DiDonato and Morris, ACM TOMS 18, 1992, equation 9): its partial denominators contain a - (a + b) x,
 * which is computed from y if x is close to 1; the full fraction would lose a digit for every power of ten in a.
 */
static double beta_fraction(double a, double b, double x, double y)
{
    double limit = SERIES_LIMIT + 20.0 * sqrt(a > b ? a : b);
    double lambda = x < y ? a - (a + b) * x : (a + b) * y - b;
    double c = 1.0 / DBL_MIN, d = (a + 1.0) / (a * (lambda + 1.0)), h = d;
    for (double n = 1.0; n < limit; n++) {
        double pace = a + 2.0 * n - 1.0, part = n * (b - n) * x / pace;
        double numerator = (a + n - 1.0) * (a + b + n - 1.0) * x / pace * part;
        double denominator = n + part + (a + n) * (lambda + 1.0 + n * (1.0 + y)) / (pace + 2.0);
        d = numerator * d + denominator;
        d = 1.0 / (fabs(d) < DBL_MIN ? DBL_MIN : d);
        c = denominator + numerator / c;
        c = fabs(c) < DBL_MIN ? DBL_MIN : c;
        h *= c * d;
        if (fabs(c * d - 1.0) <= DBL_EPSILON) {
            break;
        }
    }
    return h;
}

/* Returns I_x(a, b) for x + y = 1, both given so that neither loses digits. */
static double beta_lower(double a, double b, double x, double y)
{
    if (x <= 0.0 || y <= 0.0) {
        return x <= 0.0 ? 0.0 : 1.0;
    }
    if (x <= (a + 1.0) / (a + b + 2.0)) {
        return exp(log_beta_term(a, b, x, y)) * beta_fraction(a, b, x, y);
    }
    return 1.0 - exp(log_beta_term(b, a, y, x)) * beta_fraction(b, a, y, x);
}

double special_beta_inc(double a, double b, double x)
{
    if (!(a > 0.0 && b > 0.0 && x >= 0.0 && x <= 1.0)) {
        return NAN;
    }
    return beta_lower(a, b, x, 1.0 - x);
}

/* The tail is I_x(degrees / 2, 1 / 2) at x = degrees / (degrees + t^2). */
double special_student_tail(double degrees, double t)
{
    if (!(degrees > 0.0) || isnan(t)) {
        return NAN;
    }
    double a = 0.5 * degrees, ratio = fabs(t) / sqrt(degrees);
    if (isinf(degrees)) {
        return erfc(fabs(t) * 0.707106781186547524401);
    }
    if (ratio > 1e9) { // only the leading power of x = ratio^-2 matters, and x itself may underflow
        double x0 = a / (a + 0.5), y0 = 0.5 / (a + 0.5);
        return exp(log_beta_factor(a, 0.5) - a * (2.0 * log(ratio) + log(x0)) - 0.5 * log(y0)) / a;
    }
    double square = ratio * ratio;
    return beta_lower(a, 0.5, 1.0 / (1.0 + square), square / (1.0 + square));
}

double special_f_tail(double d1, double d2, double f)
{
    if (!(d1 > 0.0) || !(d2 > 0.0) || isnan(f)) {
        return NAN;
    }
    if (f <= 0.0 || isinf(f)) {
        return f <= 0.0 ? 1.0 : 0.0;
    }
    double ratio = d1 / d2 * f, sum = 1.0 + ratio; // both x and 1 - x without rounding error: x may be close to 0 or 1
    return beta_lower(0.5 * d2, 0.5 * d1, 1.0 / sum, ratio < 1e300 ? ratio / sum : 1.0);
}

/* ---- polygammas ---------------------------------------------------------------------------------------------- */

static const double ASYMPTOTIC_FROM = 12.0; /* a recurrence raises smaller arguments */

double special_digamma(double x)
{
    if (!(x > 0.0)) {
        return NAN;
    }
    double lifted = 0.0;
    for (; x < ASYMPTOTIC_FROM; x++) {
        lifted += 1.0 / x;
    }
    double r = 1.0 / (x * x), sum = 1.0 / 12.0;
    sum = sum * r - 691.0 / 32760.0;
    sum = sum * r + 1.0 / 132.0;
    sum = sum * r - 1.0 / 240.0;
    sum = sum * r + 1.0 / 252.0;
    sum = sum * r - 1.0 / 120.0;
    sum = sum * r + 1.0 / 12.0;
    return log(x) - 0.5 / x - sum * r - lifted;
}

/* ---- Kolmogorov ---------------------------------------------------------------------------------------------- */

/* Sums one of two forms of the theta function, each of which converges in a few terms on its side of x = 1. */
double special_kolmogorov_tail(double x)
{
    double sum = 0.0;
    if (isnan(x)) {
        return NAN;
    }
    if (x < 0.03) { // the tail is 1 to the last digit for much larger x already
        return 1.0;
    }
    if (x < 1.0) {
        double unit = PI / x * PI / x / 8.0;
        for (int k = 7; k >= 1; k -= 2) {
            sum += exp(-k * k * unit);
        }
        return 1.0 - SQRT_2PI / x * sum;
    }
    for (int k = 5; k >= 1; k--) {
        double term = exp(-2.0 * k * k * x * x);
        sum += k % 2 ? term : -term;
    }
    return 2.0 * sum;
}
