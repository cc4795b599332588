/*
 * shapley.h - divides what a game of several players yields among them.
 *
 * v(S) is what the players in S yield.  The value of player p is the mean, over all orders in which the players may
 * join, of v(those before p and p) - v(those before p) (Shapley, "A value for n-person games", Contributions to the
 * Theory of Games II, 1953).  Values add up to v(all) - v(nobody).  They are linear in v, so a plan says once which
 * sets are needed and with which weights; it serves any number of games of as many players.
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
 * Plans games of at least one player.  Up to max_exact players (at most 20) the values are exact; with more, `orders`
 * random orders stand for all of them, half of them the others reversed.  Memory of *out from `a`.
 */
nonsens_status shapley_plan_new(nonsens_context *ctx, arena *a, int64_t players, int64_t max_exact, int64_t orders,
                                rng *r, shapley_plan *out);

/* Sorts sets and keeps one of each; returns how many are left. */
int64_t shapley_sort(int64_t sets, uint64_t *set);
/* Returns where a set is among sorted ones, which have it. */
int64_t shapley_find(int64_t sets, const uint64_t *set, uint64_t wanted);

#endif
