/* starts.c - draws random rotations: orthonormalising normal vectors one by one makes them uniformly distributed. */
#include "ica/starts.h"

#include "base/rng.h"
#include "math/linalg.h"

#include <math.h>

void ica_remove_directions(int64_t d, int64_t count, const double *w, double *v)
{
    for (int64_t k = 0; k < 2 * count; k++) {
        const double *direction = w + (k % count) * d;
        double part = linalg_dot(d, direction, v);
        for (int64_t i = 0; i < d; i++) {
            v[i] -= part * direction[i];
        }
    }
}

void ica_set_start(uint64_t seed, int64_t start, int64_t d, double *w)
{
    rng r = rng_new(seed, RNG_ICA, (uint64_t)start);
    for (int64_t j = 0; j < d; j++) {
        for (int64_t i = 0; i < d; i++) {
            w[i + j * d] = start > 0 ? rng_normal(&r) : i == j ? 1.0 : 0.0;
        }
        if (start > 0) {
            double *v = w + j * d;
            ica_remove_directions(d, j, w, v);
            double length = sqrt(linalg_dot(d, v, v));
            for (int64_t i = 0; i < d; i++) {
                v[i] /= length;
            }
        }
    }
}
