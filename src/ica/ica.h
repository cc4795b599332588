/*
 * ica.h - linear ICA for piece-wise stationary sources: z = A s, sources independent inside each segment.
 *
 * Algorithms that use segments work on data that are whitened inside segments (segment means removed, pooled
 * within-segment covariance = I): then only a rotation remains to be found, for any modulation.  FastICA and Infomax
 * treat all rows as one sample and whiten by the total covariance.  An option selects either whitening.  Rows are
 * sorted by segment: start (E+1).
 *
 * The result is deterministic and equivariant: z and B z (B invertible, which includes any order of the columns) give
 * the same sources up to rounding.
 */
#ifndef ICA_ICA_H
#define ICA_ICA_H

#include "base/matrix.h"
#include "base/memory.h"
#include "options/options.h"

/* Options of an algorithm.  ica_options_for returns its defaults. */
typedef struct ica_options {
    enum option_unmixing algorithm;  /* UNMIX_AUTO: score matching */
    enum option_whitening whitening; /* WHITENING_AUTO: total for FastICA and Infomax, else within */
    enum option_statistic statistic; /* score matching; STATISTIC_AUTO: chosen on held-out rows */
    double sharpness;                /* score matching; 0: the statistic's default */
    enum option_contrast contrast;   /* FastICA */
    bool deflation;                  /* FastICA: one source after another */
    int64_t starts;                  /* starting points, at least 1; the best is kept */
    uint64_t seed;                   /* of the random starts */
    int threads;                     /* <= 0: all cores; the result does not depend on it */
    const char *const *names;        /* (d) names of the columns in messages; NULL: "feature 1", ... */
} ica_options;

/* Returns the defaults: one start, automatic whitening, log cosh (two-statistic: two) for score matching. */
ica_options ica_options_for(enum option_unmixing algorithm);

/* Returns whether an algorithm uses segments; FastICA and Infomax treat all rows as one sample. */
bool ica_sees_segments(enum option_unmixing algorithm);

/*
 * objective, per row, smaller is better:
 *     joint diagonalisation  1/2 sum_e n_e/n (log det diag D_e - log det D_e), D_e the sources' covariances; nats
 *     score matching, two-statistic    the profiled J of score_matching.c, segments weighted by n_e/n
 *     entropy                sum_e n_e/n sum_j H_e(s_j); nats
 *     FastICA                minus the sum of squared differences E G(s_j) - E G(nu), nu standard normal
 *     Infomax                minus the log likelihood, up to a constant; nats
 * contrast_gap = rows * (worst - best objective) over the angles in the plane of two sources, for the plane in which
 * this range is smallest; for d = 2 it is the range over all rotations.  For joint diagonalisation and entropy it is a
 * log likelihood ratio in nats; for score matching it has the unit of J, and only its order of magnitude is meaningful.
 * If the rotation is not identified, it is of the order of the number of segments (joint diagonalisation) or of the
 * size that arises by chance: it does not grow with the rows, or grows with their square root (Infomax).  It is 0 for d
 * = 1, where there is nothing to rotate, and NaN for score matching of more than ICA_GAP_MAX sources, where it would
 * take longer than the fit.
 */
enum { ICA_GAP_MAX = 6 };

typedef struct ica_result {
    double *unmix; /* (d, d) column-major: s = unmix * (z - segment mean); rows ordered and signed canonically */
    double objective;
    int iterations; /* sweeps over planes plus iterations of the descent */
    bool converged;
    double contrast_gap; /* rows times how much worse the worst rotation is, see above; near 0: not identified */
    enum option_statistic statistic;  /* score matching: the statistic that was used */
    double sharpness;                 /* score matching: its sharpness */
    int64_t rows_used, segments_used; /* in the contrast: only segments with enough rows */
    bool is_inside;                   /* variance 1, order and sign refer to rows minus their segment's mean */
} ica_result;

/*
 * Unmixes z (n, d) by the chosen algorithm.  out->unmix comes from `a`; scratch memory (about 6 n d doubles, and the
 * same again for every start and candidate that runs at the same time) does not.
 * Canonical output: each source has variance 1 (divisor n) and a third moment >= 0 (if that is rounding error: a
 * positive largest weight), and sources are in descending order of kurtosis.  These moments are those of rows minus
 * their segment's mean, but those of all rows for FastICA and Infomax with total whitening.  Segments with fewer than 2
 * (d + 1) rows count in the whitening and in these moments, but not in the contrast.  Two things are random and depend
 * on options->seed: starts after the first (for score matching of several segments: after the second), and the parts of
 * the rows on which the statistic is chosen.
 */
nonsens_status ica_unmix(nonsens_context *ctx, arena *a, matrix z, int64_t segments, const int64_t *start,
                         const ica_options *options, ica_result *out);

/* Computes s (n, d) = (z - pooled mean) * unmix': sources keep their segment means.  s must not overlap z. */
void ica_apply(matrix z, const double *unmix, matrix s);

#endif
