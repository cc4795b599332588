/* shapley.c - the sets and weights of Shapley values, exact or from random orders. */
#include "math/shapley.h"

#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int64_t shapley_sort(int64_t sets, uint64_t *set)
{
    int64_t kept = 0;
    qsort(set, (size_t)sets, sizeof *set, ascending);
    for (int64_t k = 0; k < sets; k++) {
        if (kept == 0 || set[k] != set[kept - 1]) {
            set[kept++] = set[k];
        }
    }
    return kept;
}

int64_t shapley_find(int64_t sets, const uint64_t *set, uint64_t wanted)
{
    int64_t low = 0, high = sets - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (set[middle] < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Computes exact weights: a given set of s other players comes before p in s! (n - 1 - s)! of n! orders. */
static nonsens_status plan_exactly(nonsens_context *ctx, arena *a, shapley_plan *plan)
{
    int64_t n = plan->players;
    double before[SHAPLEY_MAX_PLAYERS] = {1.0 / (double)n}; // indexed by the size of the set
    for (int64_t s = 1; s < n; s++) {
        before[s] = before[s - 1] * (double)s / (double)(n - s);
    }
    plan->sets = (int64_t)1 << n;
    ARENA_TRY(ctx, a, plan->set, plan->sets);
    ARENA_TRY(ctx, a, plan->weight, n * plan->sets);
    for (int64_t k = 0; k < plan->sets; k++) {
        int size = __builtin_popcountll((uint64_t)k);
        plan->set[k] = (uint64_t)k;
        for (int64_t p = 0; p < n; p++) {
            plan->weight[p * plan->sets + k] = k >> p & 1 ? before[size - 1] : -before[size];
        }
    }
    return NONSENS_OK;
}

/* Draws the orders (orders, players). */
static nonsens_status draw_orders(nonsens_context *ctx, arena *scratch, int64_t n, int64_t orders, rng *r,
                                  int64_t **out)
{
    ARENA_TRY(ctx, scratch, *out, orders * n);
    for (int64_t o = 0; o < orders; o++) {
        int64_t *order = *out + o * n;
        for (int64_t k = 0; k < n; k++) {
            order[k] = o % 2 ? order[-1 - k] : k; // every second order is the previous one reversed
        }
        if (o % 2 == 0) {
            rng_shuffle(r, n, order);
        }
    }
    return NONSENS_OK;
}

static nonsens_status plan_orders(nonsens_context *ctx, arena *a, int64_t orders, rng *r, shapley_plan *plan)
{
    SCOPED_ARENA(scratch);
    int64_t n = plan->players, *order;
    TRY(draw_orders(ctx, &scratch, n, orders, r, &order));
    ARENA_TRY(ctx, a, plan->set, orders * (n + 1));
    for (int64_t o = 0; o < orders; o++) {
        for (int64_t k = 0; k < n; k++) {
            plan->set[o * (n + 1) + k + 1] = plan->set[o * (n + 1) + k] | (uint64_t)1 << order[o * n + k];
        }
    }
    plan->sets = shapley_sort(orders * (n + 1), plan->set);
    ARENA_TRY(ctx, a, plan->weight, n * plan->sets);
    for (int64_t o = 0; o < orders; o++) {
        uint64_t before = 0;
        for (int64_t k = 0; k < n; k++) {
            int64_t p = order[o * n + k];
            uint64_t after = before | (uint64_t)1 << p;
            double *weight = plan->weight + p * plan->sets;
            weight[shapley_find(plan->sets, plan->set, before)] -= 1.0 / (double)orders;
            weight[shapley_find(plan->sets, plan->set, after)] += 1.0 / (double)orders;
            before = after;
        }
    }
    return NONSENS_OK;
}

nonsens_status shapley_plan_new(nonsens_context *ctx, arena *a, int64_t players, int64_t max_exact, int64_t orders,
                                rng *r, shapley_plan *out)
{
    *out = (shapley_plan){.players = players};
    return players <= max_exact ? plan_exactly(ctx, a, out) : plan_orders(ctx, a, orders, r, out);
}
