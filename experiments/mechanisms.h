/*
 * mechanisms.h - draws pairs of cause and effect that `simulate` does not make: smooth, heavy-tailed, multiplicative or
 * post-nonlinear mechanisms with disturbances that change over ten segments (mechanisms.c), pairs that satisfy the
 * assumptions of a baseline (assumptions.c), and pairs that violate an assumption (violations.c).
 */
#ifndef EXPERIMENTS_MECHANISMS_H
#define EXPERIMENTS_MECHANISMS_H

#include <stdint.h>

typedef struct mechanism mechanism;

/* Fills two columns and the segment of each row; returns the column of the cause, 0 or 1. */
typedef int (*mechanism_fn)(const mechanism *m, int64_t seed, double *const column[2], int64_t *segment);

struct mechanism {
    const char *name;
    int64_t segments, rows; /* rows per segment, on average; without segments (0): rows in all */
    uint64_t number;        /* selects the random streams: every mechanism has its own number, which never changes */
    mechanism_fn draw;
    const void *kind; /* the mechanism's parameters, used by draw */
};

/* A sum of three tanh. */
enum { CURVE_TERMS = 3 };
typedef struct curve {
    double weight[CURVE_TERMS], slope[CURVE_TERMS], centre[CURVE_TERMS];
} curve;

/* Returns the value of the curve at x. */
double curve_at(const curve *f, double x);

extern const mechanism MODULATED_PAIRS[], ASSUMED_PAIRS[], VIOLATING_PAIRS[];
extern const int MODULATED_PAIR_COUNT, ASSUMED_PAIR_COUNT, VIOLATING_PAIR_COUNT;

/*
 * Returns the explanation that an answer should leave open if it is not firm (nonsens_result_alternative_at); NULL if
 * the pair fits the model.
 */
const char *violation_explanation(const mechanism *m);

/* Returns the mechanism with this name, or NULL. */
const mechanism *mechanism_find(const char *name);

/* Returns the number of rows in all. */
static inline int64_t mechanism_rows(const mechanism *m)
{
    return m->rows * (m->segments > 0 ? m->segments : 1);
}

#endif
