/* kci_internal.h - what the files of the conditional test share. */
#ifndef INDEP_KCI_INTERNAL_H
#define INDEP_KCI_INTERNAL_H

#include "indep/hsic_internal.h"
#include "indep/kci.h"
#include "indep/kernel.h"

enum {
    KCI_GRAM_ROWS = 256, /* up to here, null moments come from n x n products; beyond, from leading directions */
    KCI_WEIGHTS = 768,   /* limit on the weights of a longer segment in the mixture of chi-squares */
};

#define KCI_MIN_MARGIN 0.05 /* floor of ((I-S)^2)_tt: a row that determines its own fit says nothing */

/* Points and widths of one kernel over a range of rows; columns of width 0 are ignored. */
typedef struct kci_kernel {
    const column_set *points;
    const double *width;
    int64_t first, rows;
} kci_kernel;

enum kci_side { KCI_SIDE_Z, KCI_SIDE_TARGET };

/* Computes centred random Fourier features of the kernel, rotated to principal directions as a factor is. */
nonsens_status kci_fourier(nonsens_context *ctx, arena *keep, const kci_kernel *kernel, enum kci_side side,
                           const kci_options *options, kernel_factor *out);

/* Factors the kernel of a category over a range of rows; rank 0 if all rows have the same one. */
nonsens_status kci_category_factor(nonsens_context *ctx, arena *keep, const kci_category *category, int64_t first,
                                   int64_t rows, kernel_factor *out);
/* Checks that every row has a valid category. */
nonsens_status kci_category_check(nonsens_context *ctx, const kci_category *category);

/* Computes the widths (points->d) of the columns over these rows: median distance times the root of the number of
 * columns that vary; 0 for a constant. */
nonsens_status kci_widths(nonsens_context *ctx, const column_set *points, int64_t first, int64_t rows, double *width);

/* Null distribution of T in one segment. */
typedef struct kci_null {
    hsic_cumulants cumulants;
    int64_t count;  /* of weights; 0 unless asked for */
    double *weight; /* (count): of the chi-squares */
    double shift;   /* a constant added to them */
} kci_null;

/* Computes the null distribution of T in one segment; weights: also those of the mixture of chi-squares. */
nonsens_status kci_stratum_null(nonsens_context *ctx, arena *scratch, const kci_stratum *a, const kci_stratum *b,
                                bool weights, kci_null *out);

/* Computes T of the segment: (1/n) ||A B'||^2. */
nonsens_status kci_stratum_statistic(nonsens_context *ctx, arena *scratch, const kci_stratum *a, const kci_stratum *b,
                                     double *out);

/* Computes the p-value from random signs on the rows of all strata that both sides have. */
nonsens_status kci_bootstrap(nonsens_context *ctx, arena *scratch, const kci_features *a, const kci_features *b,
                             double statistic, const kci_options *options, double *p_value);

#endif
