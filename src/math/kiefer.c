/*
 * kiefer.c - the supremum of the norm of a Brownian bridge in d dimensions.
 *
 * Kiefer (Ann. Math. Stat. 30, 1959) gives P(sup |B| <= a) as a series over the zeros of J_v,
 * v = d / 2 - 1.  The series is a sum of residues; here the integral is computed instead, which needs no zeros and
 * loses no digits in the tail.  Removing from the heat kernel at the centre of a ball of radius a the part of paths
 * that touched its surface (Green's functions of d-dimensional Brownian motion, Borodin and Salminen, Handbook of
 * Brownian Motion, 2nd ed., 2002) and inverting the Laplace transform at time 1, with q = sqrt(2 lambda),
 *
 *     P(sup |B| > a) = 1 / (2 pi i) integral of g(q) dq,
 *     g = 2^(1-v) / Gamma(v+1) q^(d-1) e^(q^2/2) K_v(q a) / I_v(q a)
 *
 * along any line Re q = q0 > 0, on which |g| falls like a Gaussian: the trapezoid rule converges geometrically.
 * If g has a minimum on the real axis (by Debye's leading terms, q^2 = A + sqrt(A^2 - 2 d + 3), A = 2 a^2 - d + 1),
 * the line goes through it and every digit of the tail is correct.  Otherwise q0 is about 1 (few dimensions) or the
 * path leaves the imaginary axis at the saddle point on it (many), and the absolute error is at most 1e-11; a result
 * below FLOOR is replaced by the smaller of FLOOR and the bound
 *
 *     P(sup |B| > a) <= integral over t of f_t(a) a / (1 - t) dt
 *                     = 2^(1+d/2) / Gamma(d/2) a^d integral over all u of cosh(u)^d exp(-2 a^2 cosh(u)^2) du,
 *
 * f_t the density of |B(t)|: the last exit from the ball occurs at the rate f_t(a) times the drift away from the
 * surface, which is at most that of the bridge in one dimension.  For d = 1 both sides agree up to exp(-8 a^2).
 *
 * Bessel functions: K_0 and K_1 by K_n = e^-z integral of 2 e^(-w^2) T_n(1 + w^2/z) / sqrt(2 z + w^2) dw over w > 0
 * (the substitution z (cosh t - 1) = w^2 in Abramowitz and Stegun 9.6.24), K_(1/2) in closed form; upwards in the order
 * by ratios of neighbours, I_(v+1) / I_v downwards (Gautschi, SIAM Review 9, 1967), and the Wronskian joins them: K / I
 * = K^2 z (K_(v+1) / K_v + I_(v+1) / I_v).
 */
#include "math/kiefer.h"

#include "math/special.h"

#include <complex.h>
#include <math.h>
#include <stdbool.h>

typedef double complex cplx;

enum { BENT_FROM = 16 }; /* number of components from which the path leaves the imaginary axis */

static const double PI = 3.14159265358979323846;
static const double FLOOR = 1e-9;       /* below it the absolute error matters */
static const double NOTHING = 1e-13;    /* negligible compared with 1 */
static const double NEGLIGIBLE = 1e-18; /* relative to the largest value: the line ends here */
static const double BESSEL_STEP = 0.17; /* for the integral of K_0 and K_1: error exp(-2 pi sqrt|z| / step) */

/* Returns log K_0(z), and K_1 / K_0 in *ratio; |z| >= 1, Re z > 0. */
static cplx log_k0(cplx z, cplx *ratio)
{
    cplx zero = 0.5 / csqrt(2.0 * z), one = zero;
    for (double w = BESSEL_STEP; w < 6.2; w += BESSEL_STEP) {
        cplx term = exp(-w * w) / csqrt(2.0 * z + w * w);
        zero += term;
        one += term * (1.0 + w * w / z);
    }
    *ratio = one / zero;
    return clog(2.0 * BESSEL_STEP * zero) - z;
}

/* Returns log K_v(z), up to multiples of pi i, and K_(v+1) / K_v in *ratio; v = components / 2 - 1. */
static cplx log_k(int64_t components, cplx z, cplx *ratio)
{
    cplx sum, product = 1.0;
    double order = components % 2 ? -0.5 : 0.0;
    if (components % 2) {
        sum = 0.5 * clog(0.5 * PI / z) - z;
        *ratio = 1.0;
    } else {
        sum = log_k0(z, ratio);
    }
    for (int64_t i = 0; i < (components - 1) / 2; i++) {
        product *= *ratio;
        order += 1.0;
        *ratio = 2.0 * order / z + 1.0 / *ratio;
        if (i % 8 == 7) {
            sum += clog(product);
            product = 1.0;
        }
    }
    return sum + clog(product);
}

/* Returns I_(v+1)(z) / I_v(z), by recursion from an order so high that its start does not matter. */
static cplx i_ratio(double order, cplx z)
{
    double size = cabs(z), top = floor(fmax(size - order, 0.0) + 40.0 + 12.0 * cbrt(size));
    cplx ratio = 0.0, inverse = 2.0 / z;
    for (double m = top; m >= 0.0; m -= 1.0) {
        ratio = 1.0 / ((order + 1.0 + m) * inverse + ratio);
    }
    return ratio;
}

/* Returns log g(q). */
static cplx log_integrand(int64_t components, double a, cplx q)
{
    double d = (double)components, order = 0.5 * d - 1.0;
    cplx k_ratio, z = q * a, log_value = 2.0 * log_k(components, z, &k_ratio);
    log_value += clog(z * (k_ratio + i_ratio(order, z)));
    return log_value + 0.5 * q * q + (d - 1.0) * clog(q) + (1.0 - order) * log(2.0) - lgamma(0.5 * d);
}

/* Returns where the line crosses the real axis; *saddle: whether at a saddle point. */
static double crossing(int64_t components, double a, bool *saddle)
{
    double d = (double)components, middle = 2.0 * a * a - d + 1.0, rest = middle * middle - 2.0 * d + 3.0;
    *saddle = middle > 0.0 && rest > 0.0;
    double q = *saddle ? sqrt(middle + sqrt(rest)) : 0.0, smallest = fmax(1.0, 1.0 / a);
    *saddle = *saddle && q >= smallest;
    return *saddle ? q : smallest;
}

static double integrate_line(int64_t components, double a, double q)
{
    double step = fmin(0.25, q * 0.18), sum = 0.0, largest = -INFINITY, width = sqrt((double)components) + 2.0;
    double origin = creal(log_integrand(components, a, q));
    for (int64_t k = 0;; k++) {
        cplx value = log_integrand(components, a, q + I * ((double)k * step));
        double size = creal(value) - origin;
        sum += (k == 0 ? 0.5 : 1.0) * exp(size) * cos(cimag(value));
        largest = fmax(largest, size);
        if (size < largest + log(NEGLIGIBLE) || ((double)k * step > width + 40.0)) {
            break;
        }
    }
    return exp(origin) * sum * step / PI;
}

/*
 * Integrates without a saddle point on the real axis: up the imaginary axis to i x0, where only the jump of g counts,
 * whose integral is an incomplete gamma function, then off the axis along q = i x0 + w + i w^2 / 2; w = exp(s -
 * exp(-s)) (Takahasi and Mori, Publ. RIMS 9, 1974).
 */
static double integrate_bent(int64_t components, double a)
{
    double d = (double)components, middle = 2.0 * a * a - d + 1.0, rest = middle * middle - 2.0 * d + 3.0;
    double square = middle < 0.0 && rest > 0.0 ? sqrt(rest) - middle : sqrt(2.0 * d - 3.0);
    double up = fmin(sqrt(square), (0.5 * d - 1.0) / a), sum = 0.0, step = 1.0 / 16.0, largest = 0.0;
    for (double s = -4.0; s < 4.0; s += step) {
        double w = exp(s - exp(-s)), speed = w * (1.0 + exp(-s));
        cplx q = w + I * (up + 0.5 * w * w), value = cexp(log_integrand(components, a, q)) * (1.0 + I * w) * speed;
        sum += cimag(value);
        largest = fmax(largest, cabs(value));
        if (s > 0.0 && cabs(value) < NEGLIGIBLE * largest) {
            break;
        }
    }
    return special_gamma_p(0.5 * d, 0.5 * up * up) + sum * step / PI;
}

/* Returns the bound above; its integrand decays doubly exponentially. */
static double last_exit_bound(int64_t components, double a)
{
    double d = (double)components, origin = -INFINITY, sum = 0.0, step = 0.25 / fmax(1.0, a);
    double constant = (1.0 + 0.5 * d) * log(2.0) - lgamma(0.5 * d) + d * log(a);
    for (int pass = 0; pass < 2; pass++) {
        for (double u = 0.0; u < 20.0; u += step) {
            double c = cosh(u), size = d * log(c) - 2.0 * a * a * c * c;
            if (pass == 0) {
                origin = fmax(origin, size);
            } else {
                sum += (u > 0.0 ? 2.0 : 1.0) * exp(size - origin);
            }
        }
    }
    return exp(constant + origin) * sum * step;
}

/*
 * Returns an upper bound of P(sup |B| <= a): B(1/2), then B at the quarters given it, ... must lie in the ball.  Given
 * any ends of an interval, its middle does so with at most the probability for ends that are zero (Anderson, Proc. AMS
 * 6, 1955).
 */
static double inside_bound(int64_t components, double x)
{
    double log_bound = 0.0;
    for (double level = 1.0; level < 100.0; level *= 2.0) {
        log_bound += level * log(special_gamma_p(0.5 * (double)components, 2.0 * level * x));
    }
    return exp(log_bound);
}

double kiefer_tail(int64_t components, double x)
{
    if (components < 1 || isnan(x)) {
        return NAN;
    }
    double a = sqrt(fmax(x, 0.0));
    if (components == 1) {
        return special_kolmogorov_tail(a);
    }
    if (a < 0.3 || inside_bound(components, x) < NOTHING) {
        return 1.0;
    }
    if (isinf(x) || 2.0 * x > 1000.0 + 3.0 * (double)components * (1.0 + log(x))) { // the bound underflows
        return 0.0;
    }
    bool saddle;
    double q = crossing(components, a, &saddle),
           p = components < BENT_FROM || saddle ? integrate_line(components, a, q) : integrate_bent(components, a);
    if (p < FLOOR && !saddle) {
        p = fmin(FLOOR, last_exit_bound(components, a));
    }
    return fmin(fmax(p, 0.0), 1.0);
}
