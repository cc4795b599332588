/*
 * special.h - special functions: absolute error below 1e-12, relative error below 1e-9 in tails down to 1e-300.
 */
#ifndef MATH_SPECIAL_H
#define MATH_SPECIAL_H

/* Return the regularised incomplete gamma P(a, x) and Q(a, x) = 1 - P; a > 0 up to 1e6 and beyond, x >= 0. */
double special_gamma_p(double a, double x);
double special_gamma_q(double a, double x);
/* Returns log Q(a, x), which is finite even if Q itself underflows. */
double special_log_gamma_q(double a, double x);

/* Returns the upper tail P(G > x) of a gamma variable with this mean and variance. */
double special_gamma_tail(double mean, double variance, double x);

/* Returns the upper tail P(C > x) of a chi-square variable. */
double special_chi2_tail(double degrees, double x);

/* Return upper tail and quantile (p in (0,1)) of the standard normal distribution. */
double special_normal_tail(double z);
double special_normal_quantile(double p);

/* Return the regularised incomplete beta I_x(a, b), and Student's two-sided tail P(|T| > t). */
double special_beta_inc(double a, double b, double x);
double special_student_tail(double degrees, double t);

/* Returns P(F > f) with d1 and d2 degrees of freedom; f may be infinite. */
double special_f_tail(double d1, double d2, double f);

double special_digamma(double x); /* x > 0 */

/* Returns P(K > x) for Kolmogorov's distribution (limit of sqrt(n) D). */
double special_kolmogorov_tail(double x);

#endif
