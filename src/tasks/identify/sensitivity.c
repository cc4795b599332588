/* sensitivity.c - robustness values, in closed form. */
#include "tasks/identify/sensitivity.h"

#include "math/special.h"

#include <math.h>

/* Returns t with P(|T| > t) = alpha, by bisection. */
static double student_quantile(double degrees, double alpha)
{
    double low = 0.0, high = 1.0;
    while (special_student_tail(degrees, high) > alpha && high < 1e8) {
        low = high;
        high *= 2.0;
    }
    for (double middle = 0.5 * (low + high); middle > low && middle < high; middle = 0.5 * (low + high)) {
        *(special_student_tail(degrees, middle) > alpha ? &low : &high) = middle;
    }
    return high;
}

/* Returns the share r with r / sqrt(1 - r) = f: equation (11) of the paper. */
static double equal_shares(double f)
{
    return 0.5 * (sqrt(f * f * f * f + 4.0 * f * f) - f * f);
}

/* Returns the share for the interval; f and critical: t value and quantile, over the root of the degrees of freedom. */
static double interval_shares(double f, double critical)
{
    if (f <= critical) {
        return 0.0;
    }
    // Explaining more of the target narrows the interval: beyond this f, less than an equal share of it does most.
    return f > 1.0 / critical ? (f * f - critical * critical) / (1.0 + f * f) : equal_shares(f - critical);
}

sensitivity sensitivity_of(double t, double degrees, double alpha)
{
    if (!isfinite(t) || !isfinite(degrees) || degrees <= 1.0) {
        return (sensitivity){NAN, NAN, NAN};
    }
    double f = fabs(t) / sqrt(degrees), critical = student_quantile(degrees - 1.0, alpha) / sqrt(degrees - 1.0);
    return (sensitivity){equal_shares(f), interval_shares(f, critical), f * f / (1.0 + f * f)};
}

double sensitivity_bias(double standard_error, double degrees, double r2_target, double r2_cause)
{
    return standard_error * sqrt(degrees * r2_target * r2_cause / (1.0 - r2_cause));
}
