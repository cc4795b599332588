/* samples_internal.h - what the files of the k-sample tests share. */
#ifndef INDEP_SAMPLES_INTERNAL_H
#define INDEP_SAMPLES_INTERNAL_H

#include "indep/samples.h"

/* Rows of the groups that enter, ascending by score, which is the value itself or computed from it by the test. */
typedef struct samples_sorted {
    int64_t n, groups;
    const int64_t *size; /* (groups) */
    double *score;       /* (n) ascending */
    int64_t *label;      /* (n): group of the row at this position */
    bool *last;          /* (n): the next score differs */
} samples_sorted;

/* Returns Kiefer's T under these labels (n); count: (groups) of scratch. */
double samples_ks_statistic(const samples_sorted *s, const int64_t *label, int64_t *count);

/* Returns the largest distance between the distribution functions of a group and of the rest; count: as above. */
double samples_ks_effect(const samples_sorted *s, int64_t *count);

/* Computes P(D >= this D) for two groups by counting paths: exact, O(size_0 size_1). */
nonsens_status samples_ks_exact(nonsens_context *ctx, arena *scratch, const samples_sorted *s, double *p_value);

#endif
