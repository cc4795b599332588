/*
 * gp_matern.h - describes the Matern process of smoothness nu = 5/2 as a linear stochastic differential equation, in
 * steps of z = rate * distance.
 *
 * Hartikainen and Sarkka, "Kalman filtering and smoothing solutions to temporal Gaussian process regression models",
 * MLSP 2010.  The kernel of length l has rate sqrt(2 nu) / l.  The state is (f, f' / rate, f'' / rate^2).  With this
 * scaling, the transition A(z) and the process noise Q(z) depend only on z, and the stationary covariance and the drift
 * F = dA/dz at 0 are constant:
 *     A(z) = exp(F z) = e^-z (I + z (F + I) + z^2 (F + I)^2 / 2),   dQ/dz = F Q + Q F' + q e_3 e_3'.
 * With u = 2 z, all elements of Q are e^-u times polynomials and t(u) = 1 - e^-u (1 + u + ... + u^4 / 4!), which for
 * small u is summed as e^-u (u^5 / 5! + ...): nothing cancels.
 */
#ifndef REGRESS_GP_MATERN_H
#define REGRESS_GP_MATERN_H

#include <math.h>

enum { GP_ORDER = 3 }; /* size of the state */

#define GP_INLINE static inline __attribute__((always_inline))

#define GP_MATERN_RATE 2.2360679774997896964 /* sqrt(2 nu) */
#define GP_MATERN_DRIVE (16.0 / 3.0)         /* q: spectral density of the driving noise for unit variance */

/* Returns F (i, k). */
GP_INLINE double gp_matern_drift(int i, int k)
{
    if (i < GP_ORDER - 1) {
        return k == i + 1 ? 1.0 : 0.0;
    }
    return k == 0 ? -1.0 : -3.0;
}

GP_INLINE double gp_matern_stationary(int i, int k)
{
    return i == k ? (i == 1 ? 1.0 / 3.0 : 1.0) : (i + k == 2 ? -1.0 / 3.0 : 0.0);
}

/* Returns 1 - e^-u (1 + u + ... + u^4/24); e = exp(-u). */
GP_INLINE double gp_rest_after_4(double u, double e)
{
    if (u >= 1.0) {
        return 1.0 - e * (1.0 + u * (1.0 + u * (1.0 / 2.0 + u * (1.0 / 6.0 + u * (1.0 / 24.0)))));
    }
    double sum = 1.0, square = u * u;
    for (int j = 19; j > 5; j--) {
        sum = 1.0 + sum * u * (1.0 / j);
    }
    return e * square * square * u * sum * (1.0 / 120.0);
}

GP_INLINE void gp_matern_transition(double z, double a[GP_ORDER][GP_ORDER])
{
    double e = exp(-z), s = z * z, h = 0.5 * s;
    a[0][0] = e * (1.0 + z + h), a[0][1] = e * (z + s), a[0][2] = e * h;
    a[1][0] = -e * h, a[1][1] = e * (1.0 + z - s), a[1][2] = e * (z - h);
    a[2][0] = e * (h - z), a[2][1] = e * (s - 3.0 * z), a[2][2] = e * (1.0 - 2.0 * z + h);
}

/* Computes the upper triangle of Q(z) for unit variance; e = exp(-2 z). */
GP_INLINE void gp_matern_noise(double z, double e, double q[GP_ORDER][GP_ORDER])
{
    double u = 2.0 * z, s = u * u, rest = gp_rest_after_4(u, e), c = s * u, f = s * s;
    q[0][0] = rest;
    q[0][1] = e * f * (1.0 / 24.0);
    q[0][2] = e * (c * (1.0 / 9.0) - f * (1.0 / 18.0)) - rest * (1.0 / 3.0);
    q[1][1] = e * (c * (2.0 / 9.0) - f * (1.0 / 36.0)) + rest * (1.0 / 3.0);
    q[1][2] = e * (s * (2.0 / 3.0) - c * (1.0 / 3.0) + f * (1.0 / 24.0));
    q[2][2] = e * (u * (8.0 / 3.0) - s * (4.0 / 3.0) + c * (2.0 / 3.0)) + rest;
}

#endif
