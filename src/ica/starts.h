/* starts.h - where the searches for a rotation begin: as the rows come, then from random rotations. */
#ifndef ICA_STARTS_H
#define ICA_STARTS_H

#include "ica/ica_internal.h"

/* Takes the orthonormal directions w (d, count) out of v (d), twice for rounding. */
void ica_leave_directions(int64_t d, int64_t count, const double *w, double *v);

/* w (d, d) = the identity for start 0, else a rotation or reflection without preference, drawn by (seed, start). */
void ica_set_start(uint64_t seed, int64_t start, int64_t d, double *w);

/* Of two results one that converged, then the one with the lower objective. */
static inline bool ica_is_better(bool converged, double objective, const ica_result *than)
{
    return converged != than->converged ? converged : objective < than->objective;
}

#endif
