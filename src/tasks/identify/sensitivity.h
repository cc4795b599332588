/*
 * sensitivity.h - how strong a hidden common cause would have to be to bring an effect to zero: robustness values of
 * Cinelli and Hazlett, "Making sense of sensitivity: extending omitted variable bias", J. R. Statist. Soc. B 82, 2020.
 *
 * A hidden cause that explains the share r2_cause of the residual variance of the cause, and the share r2_target of the
 * residual variance of the target, changes the estimate of a linear regression by at most
 *
 *     bias = se sqrt(df) sqrt(r2_target r2_cause / (1 - r2_cause)),
 *
 * with the standard error and the degrees of freedom of the regression without it.  For an effect that is computed in
 * another way, pass the estimate over its standard error, and the degrees of freedom of a regression of the target on
 * the same causes: the result is then that of a linear effect with the same t value.
 */
#ifndef TASKS_IDENTIFY_SENSITIVITY_H
#define TASKS_IDENTIFY_SENSITIVITY_H

typedef struct sensitivity {
    double robustness;          /* a hidden cause that explains this share of both brings the estimate to 0 */
    double robustness_interval; /* the same for an interval that contains 0; 0 if it already does */
    double partial_r2; /* the share of the target that the cause explains; a hidden cause that explains all the rest of
                          the target would have to explain this share of the cause */
} sensitivity;

/*
 * Computes these values; t: the estimate over its standard error; alpha: level of the interval, such as .05.
 * NaN if t or degrees are not finite, or degrees <= 1.
 */
sensitivity sensitivity_of(double t, double degrees, double alpha);

/* Computes the bias above; shares from 0 to 1, r2_cause below 1. */
double sensitivity_bias(double standard_error, double degrees, double r2_target, double r2_cause);

#endif
