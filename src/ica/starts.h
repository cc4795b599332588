/* starts.h - starts of the searches for a rotation: the identity, then random rotations. */
#ifndef ICA_STARTS_H
#define ICA_STARTS_H

#include "ica/ica_internal.h"

/* Removes from v (d) its components along the orthonormal directions w (d, count), twice because of rounding. */
void ica_remove_directions(int64_t d, int64_t count, const double *w, double *v);

/* Sets w (d, d) to the identity for start 0, else to a random rotation or reflection, drawn by (seed, start). */
void ica_set_start(uint64_t seed, int64_t start, int64_t d, double *w);

/* Returns whether a result is better than another: convergence counts first, then the lower objective. */
static inline bool ica_is_better(bool converged, double objective, const ica_result *than)
{
    return converged != than->converged ? converged : objective < than->objective;
}

#endif
