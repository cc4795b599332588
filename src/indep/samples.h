/*
 * samples.h - k-sample tests: has a scalar the same distribution in k groups of rows?  Kolmogorov-Smirnov, Levene,
 * Kruskal-Wallis.
 *
 * Each costs O(n log n), and each permutation O(n).  Groups with too few rows (fewer than 2, for Levene 3, since two
 * rows lie equally far from their median) are skipped and counted; with fewer than two groups left, or a variable that
 * is constant over the rows used, p is 1 and the statistic 0.  The order of rows inside groups does not matter beyond
 * rounding.
 */
#ifndef INDEP_SAMPLES_H
#define INDEP_SAMPLES_H

#include "base/matrix.h"
#include "base/memory.h"
#include "options/options.h"

enum { SAMPLES_PERMUTE_ROWS = 20000 }; /* the usual permute_up_to: 999 permutations take half a second */

enum samples_kind { SAMPLES_KS, SAMPLES_LEVENE, SAMPLES_KRUSKAL };

typedef struct samples_options {
    enum samples_kind kind;
    enum option_null_kind null_kind; /* NULL_PERMUTATION, or the asymptotic distribution for any other */
    int64_t permutations;            /* p = (1 + #{T* >= T}) / (1 + B) */
    int64_t permute_up_to;           /* KS with k > 2: permutations decide up to this many rows; 0: never */
    uint64_t seed, job;              /* permutations draw from streams of this seed and job (below 2^32) */
    int threads;
} samples_options;

typedef struct samples_result {
    double statistic; /* Kiefer's T, Levene's F, Kruskal's H corrected for ties */
    double p_value;
    /*
     * KS: largest distance of the distribution functions of a group and of all other rows, 0 to 1.
     * Levene: largest over smallest mean distance from the median; infinite if a group has no spread.
     * Kruskal: largest difference of mean ranks between groups, over n; for two groups P(X > Y) + P(X = Y) / 2 - 1/2.
     */
    double effect;
    bool by_permutation;
    bool exact;    /* two groups, KS: p is exact without permutations */
    bool constant; /* the rows used all have one value (Levene: all lie at their group's median) */
    int64_t rows_used, groups_used, groups_skipped;
} samples_result;

/* Tests whether v has the same distribution, spread or location in all groups. */
nonsens_status samples_test(nonsens_context *ctx, arena *scratch, const double *v, const row_groups *groups,
                            const samples_options *options, samples_result *out);

/*
 * For two groups with n_x n_y <= SAMPLES_EXACT, SAMPLES_KS computes an exact p by counting lattice paths, given the
 * ties (Schroer and Trenkler, Comput. Stat. Data Anal. 20, 1995).
 */
enum { SAMPLES_EXACT = 1000000 };

#endif
