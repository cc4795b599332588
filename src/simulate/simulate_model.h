/* simulate_model.h - the mechanisms that make simulated data: variables in causal order, a hidden one first if any. */
#ifndef SIMULATE_SIMULATE_MODEL_H
#define SIMULATE_SIMULATE_MODEL_H

#include "base/memory.h"
#include "base/rng.h"
#include "options/options.h"

/* Streams of one purpose are distinguished by job = kind * 2^32 + index. */
enum simulate_stream {
    STREAM_MAIN = 0,
    STREAM_MASK = 1,
    STREAM_CHANGE = 2,
    STREAM_MEAN = 3,
    STREAM_FAULT = 4,
    STREAM_CHANGING = 5,
    STREAM_INTERVENTION = 6,
    STREAM_HIDDEN = 7
};

static inline rng simulate_stream(int64_t seed, enum rng_purpose purpose, enum simulate_stream kind, int64_t index)
{
    return rng_new((uint64_t)seed, purpose, (uint64_t)kind << 32 | (uint64_t)index);
}

/* Returns the leaky ReLU of slope .2, as in the paper. */
static inline double simulate_leaky(double u)
{
    return u < 0 ? 0.2 * u : u;
}

/* Draws a weight: size uniform on [.5, 1.5], sign random. */
static inline double simulate_weight(rng *r)
{
    double size = 0.5 + rng_uniform(r);
    return rng_uniform(r) < 0.5 ? -size : size;
}

/*
 * One structural model over m variables.  parent[j * m + i] says i -> j; it is strictly lower triangular except for
 * cyclic models.  Factors (m, m), laid out like parent, multiply the weight of each edge: 1 if nothing changes.
 */
typedef struct simulate_model {
    enum option_sem sem;
    int64_t m, depth;
    bool *parent;    // (m, m)
    double *weight;  // layered: (depth, m, m) matrices A(l), row by row
    double *shift;   // node: (depth, m, m + 1) weights of the parents and bias of the additive part
    double *stretch; // node: (depth, m, m + 1) the same for the logarithm of the scale
    double *sign;    // node: (depth, m) +1 or -1 before the additive part
} simulate_model;

/* Refuses options that contradict one another. */
nonsens_status simulate_check(nonsens_context *ctx, const nonsens_options *options);
/*
 * Connects each pair of the variables from `first` on with the given probability, in a cyclic graph in both directions;
 * returns false if there is no edge.
 */
bool simulate_draw_pairs(rng *r, simulate_model *model, int64_t first, double probability, bool cyclic);
/* Draws the two variables that variable 0, the hidden one, causes, in causal order. */
void simulate_draw_children(int64_t seed, simulate_model *model, int64_t child[2]);

/* Draws the weights of a layered model. */
nonsens_status simulate_layered_draw(nonsens_context *ctx, arena *memory, int64_t seed, bool cyclic,
                                     simulate_model *model);
/* Computes x(1) = A(1) N, x(l) = A(l) f(x(l-1)) for one row; noise, x, scratch: (m). */
void simulate_layered_row(const simulate_model *model, const double *factor, const double *noise, double *x,
                          double *scratch);
/* Returns whether |det A(l)| is at least .3 in every layer, with this factor on all off-diagonal entries. */
bool simulate_layered_invertible(const simulate_model *model, double factor, double *scratch);

/* Reads --do into set_to, by variable; names (d) of columns, column (d) the variable shown in each. */
nonsens_status simulate_read_do(nonsens_context *ctx, arena *scratch, const char *text, int64_t d, char *const *names,
                                const int64_t *column, double *set_to);

/* Draws the weights of one variable of a node model, whose arrays simulate_node_new has allocated. */
void simulate_node_draw_one(rng *r, int64_t j, simulate_model *model);
nonsens_status simulate_node_new(nonsens_context *ctx, arena *memory, simulate_model *model);
/* Draws the weights of a node model. */
nonsens_status simulate_node_draw(nonsens_context *ctx, arena *memory, int64_t seed, simulate_model *model);
/* Returns x_j = f_j(PA_j, N_j), which is increasing in N_j; x (m) holds the variables before j in causal order. */
double simulate_node_value(const simulate_model *model, int64_t j, const double *factor, const double *x, double noise);

#endif
