/*
 * shapley.h - divides the value of a game among its players.
 *
 * v(S) is the value that the players in S achieve.  The value of player p is the mean, over all orders in which the
 * players may join, of v(those before p and p) - v(those before p) (Shapley, "A value for n-person games",
 * Contributions to the Theory of Games II, 1953).  Values add up to v(all) - v(nobody).  They are linear in v, so one
 * plan, which lists the sets that are needed and their weights, serves all games of this many players.
 */
#ifndef MATH_SHAPLEY_H
#define MATH_SHAPLEY_H

#include "base/memory.h"
#include "base/rng.h"

enum { SHAPLEY_MAX_PLAYERS = 62 };

typedef struct shapley_plan {
    int64_t players, sets;
    uint64_t *set;  /* (sets) bit p: player p; ascending, so that the first is empty and the last has all players */
    double *weight; /* (players, sets) the value of p is the sum of weight[p] * v */
} shapley_plan;

/*
 * Makes a plan for games of at least one player.  Up to max_exact players (at most 20) the values are exact; with more,
 * they are means over `orders` random orders, every second of which is the reverse of the one before.  Memory of *out
 * from `a`.
 */
nonsens_status shapley_plan_new(nonsens_context *ctx, arena *a, int64_t players, int64_t max_exact, int64_t orders,
                                rng *r, shapley_plan *out);

/* Sorts sets and keeps one of each; returns how many are left. */
int64_t shapley_sort(int64_t sets, uint64_t *set);
/* Returns the index of a set among the sorted ones, which must contain it. */
int64_t shapley_find(int64_t sets, const uint64_t *set, uint64_t wanted);

#endif
