/* simulate_graph.c - draws which variable causes which. */
#include "simulate/simulate_model.h"

bool simulate_draw_pairs(rng *r, simulate_model *model, int64_t first, double probability, bool cyclic)
{
    int64_t m = model->m;
    bool any = false;
    for (int64_t j = first + 1; j < m; j++) {
        for (int64_t i = first; i < j; i++) {
            bool joined = rng_uniform(r) < probability;
            model->parent[j * m + i] = joined;
            model->parent[i * m + j] = joined && cyclic;
            any = any || joined;
        }
    }
    return any;
}

void simulate_draw_children(int64_t seed, simulate_model *model, int64_t child[2])
{
    int64_t m = model->m, first, second;
    rng r = simulate_stream(seed, RNG_SIMULATE_MECHANISM, STREAM_HIDDEN, 0);
    first = 1 + (int64_t)rng_below(&r, (uint64_t)(m - 1));
    second = 1 + (int64_t)rng_below(&r, (uint64_t)(m - 2));
    second += second >= first;
    model->parent[first * m] = model->parent[second * m] = true;
    child[0] = first < second ? first : second;
    child[1] = first < second ? second : first;
}
