/* plain_reflector.c - Householder reflections. */
#include "math/plain.h"

#include <math.h>

double plain_norm(int64_t n, const double *x)
{
    static const double TINY = 1e-140, LARGE = 1e140; // whose squares neither underflow nor overflow
    double square = 0.0, most = 0.0;
    plain_choose()->apply(1, n, 1.0, (plain_view){x, n, 1}, x, 1, 0.0, &square, 1);
    if (square > TINY * TINY && square < LARGE * LARGE) {
        return sqrt(square);
    }
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    square = 0.0;
    for (int64_t i = 0; i < n && most > 0.0; i++) {
        square += x[i] / most * (x[i] / most);
    }
    return most * sqrt(square);
}

double plain_reflector(int64_t n, double *x)
{
    double rest = n > 1 ? plain_norm(n - 1, x + 1) : 0.0;
    if (rest == 0.0) {
        return 0.0;
    }
    double first = x[0], length = -copysign(hypot(first, rest), first);
    for (int64_t i = 1; i < n; i++) {
        x[i] /= first - length;
    }
    x[0] = length;
    return (length - first) / length;
}
