/*
 * rng.h - counter-based random streams: Philox4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as
 * 1, 2, 3", SC 2011).
 *
 * A stream is identified by (seed, purpose, job); it gives the same numbers in any thread, process or order of jobs.
 * Key = seed, counter = (block, purpose, job low, job high).
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

/* What a stream is for.  Values are part of the results: never renumber, only append; 20 and 30 are retired. */
enum rng_purpose {
    RNG_SIMULATE_MECHANISM = 1,
    RNG_SIMULATE_MODULATION = 2,
    RNG_SIMULATE_NOISE = 3,
    RNG_SIMULATE_LAYOUT = 4,
    RNG_FOLDS = 10,
    RNG_INIT = 11,
    RNG_BATCHES = 12,
    RNG_PERMUTATION = 21,
    RNG_SUBSAMPLE = 22,
    RNG_SEGMENT_FOLDS = 23,
    RNG_CALIBRATION = 24,
    RNG_RESTRICTED = 25,
    RNG_ICA = 26,
    RNG_FEATURES = 27,
    RNG_BOOTSTRAP = 28,
    RNG_SCORE_GROUPS = 29,
    RNG_DATA_SUBSAMPLE = 31,
    RNG_LABELS = 32,
    RNG_SEGMENT_GROUPS = 33,
    RNG_EFFECT = 34,
    RNG_UNSEEN = 35,
    RNG_SHARES = 36,
    RNG_REFUTE = 37,
    RNG_EXPERIMENT = 40,
    RNG_REPRODUCE = 41,
    RNG_TEST = 50
};

typedef struct rng {
    uint32_t key[2];
    uint32_t counter[4];
    uint32_t block[4]; /* the current four words */
    int used;          /* how many of them were used */
} rng;

/* Computes one block: out = Philox4x32-10(counter, key). */
void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* Opens the stream with this seed, purpose and job. */
rng rng_new(uint64_t seed, enum rng_purpose purpose, uint64_t job);
uint32_t rng_u32(rng *r);
uint64_t rng_u64(rng *r);
/* Draws uniformly from the open interval (0, 1): the midpoints of 2^52 equal cells. */
double rng_uniform(rng *r);
/* Skips the first `count` uniform numbers of a stream from which nothing has been drawn yet. */
void rng_skip(rng *r, int64_t count);
/* Draws uniformly from {0, ..., bound - 1} without bias; bound >= 1. */
uint64_t rng_below(rng *r, uint64_t bound);
double rng_normal(rng *r);              /* mean 0, variance 1 */
double rng_laplace(rng *r);             /* mean 0, density exp(-|x|)/2 */
double rng_gamma(rng *r, double shape); /* scale 1 */
double rng_student(rng *r, double degrees);
/* Shuffles n indices (Fisher-Yates). */
void rng_shuffle(rng *r, int64_t n, int64_t *index);
/* Draws the i-th (from 0) of `index` (n) without replacement; call it for i = 0, 1, ... as often as needed. */
int64_t rng_draw(rng *r, int64_t i, int64_t n, int64_t *index);

#endif
