/*
 * ica.h - linear ICA for piece-wise stationary sources: z = A s, sources independent inside each segment.
 *
 * Algorithms that use segments work on within-segment whitened data (segment means removed, pooled within-segment
 * covariance = I): then exactly a rotation remains, whatever the modulations do.  FastICA and Infomax treat all rows as
 * one sample and whiten by the total covariance.  An option can choose either whitening.  Rows are sorted by segment:
 * start (E+1).
 *
 * The outcome is deterministic and equivariant: z and B z (B invertible, so also any order of the columns) give the
 * same sources up to rounding.
 */
#ifndef ICA_ICA_H
#define ICA_ICA_H

#include "base/matrix.h"
#include "base/memory.h"
#include "options/options.h"

/* Options of an algorithm.  ica_options_for returns its defaults. */
typedef struct ica_options {
    enum option_unmixing algorithm;  /* UNMIX_AUTO: score matching */
    enum option_whitening whitening; /* WHITENING_AUTO: within segments, but total for FastICA and Infomax */
    enum option_statistic statistic; /* score matching; STATISTIC_AUTO: chosen on held-out rows */
    double sharpness;                /* score matching; 0: the statistic's default */
    enum option_contrast contrast;   /* FastICA */
    bool deflation;                  /* FastICA: one source after another */
    int64_t starts;                  /* starting points, at least 1; the best is kept */
    uint64_t seed;                   /* of the random starts */
    int threads;                     /* <= 0: all cores; the result does not depend on it */
    const char *const *names;        /* (d) of the columns, for messages; NULL: "feature 1", ... */
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
 *     Infomax                minus the log likelihood, nats
 * contrast_gap = rows * (worst - best objective) over the angles of the plane of two sources in which that range is
 * smallest; for d = 2 the range over all rotations.  It is a log likelihood ratio in nats for joint diagonalisation
 * and entropy; for score matching it has the unit of J and only its order of magnitude is meaningful.  If the rotation
 * is not identified, it is of the order of the number of segments (joint diagonalisation) or of what chance alone
 * gives: it does not grow with the rows, or grows with their square root (Infomax).  It is 0 for d = 1, since there is
 * nothing to rotate, and NaN for score matching of more than ICA_GAP_MAX sources, since it would take longer than the
 * fit.
 */
enum { ICA_GAP_MAX = 6 };

typedef struct ica_result {
    double *unmix; /* (d, d) column-major: s = unmix * (z - segment mean); rows ordered and signed canonically */
    double objective;
    int iterations; /* sweeps over planes plus L-BFGS iterations */
    bool converged;
    double contrast_gap; /* how much worse the objective gets at the worst rotation; near 0: not identified */
    enum option_statistic statistic;  /* score matching: the statistic that was used */
    double sharpness;                 /* score matching: its sharpness */
    int64_t rows_used, segments_used; /* in the contrast: those of segments with enough rows */
    bool is_inside;                   /* variance 1, order and sign refer to rows less their segment's mean */
} ica_result;

/*
 * Unmixes z (n, d) by the chosen algorithm.  out->unmix comes from `a`; scratch memory (about 6 n d doubles, and the
 * same again for every start and candidate that runs at the same time) does not.
 * Canonical output: each source has variance 1 (divisor n) and a third moment >= 0 (if that is rounding: a positive
 * largest weight), and sources are in descending order of kurtosis.  These moments are those of rows less their
 * segment's mean, but of all rows for FastICA and Infomax with total whitening.  Segments with fewer than 2 (d + 1)
 * rows count in the whitening and in these moments, not in the contrast.  Drawn at random, by options->seed: starts
 * beyond the first (for score matching: beyond the second), and the parts of the rows on which the statistic is chosen.
 */
nonsens_status ica_unmix(nonsens_context *ctx, arena *a, matrix z, int64_t segments, const int64_t *start,
                         const ica_options *options, ica_result *out);

/* Computes s (n, d) = (z - pooled mean) * unmix': sources keep their segment means.  s must not overlap z. */
void ica_apply(matrix z, const double *unmix, matrix s);

#endif
