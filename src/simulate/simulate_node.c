/*
 * simulate_node.c - our node generator: x_j = f_j(PA_j, N_j), one small network per variable.
 *
 * With parents p (q of them), u(0) = N_j and f the leaky ReLU,
 *     u(1) = s(1) N_j + t(1),   u(l) = s(l) f(u(l-1)) + t(l),   x_j = u(depth)
 *     t(l) = +-f(w(l).p / sqrt(q) + b(l)),   s(l) = exp(.7 tanh(v(l).p / sqrt(q) + c(l)))
 * so that the parents shift and stretch the disturbance and move its kinks.  Noise is not additive, the map is
 * increasing in N_j for any parents, and x_j depends only on its parents and N_j.
 */
#include "simulate/simulate_model.h"

#include <math.h>

static const double STRETCH = 0.7;

nonsens_status simulate_node_new(nonsens_context *ctx, arena *memory, simulate_model *model)
{
    int64_t m = model->m, inputs = m + 1;
    ARENA_TRY(ctx, memory, model->shift, model->depth * m * inputs);
    ARENA_TRY(ctx, memory, model->stretch, model->depth * m * inputs);
    ARENA_TRY(ctx, memory, model->sign, model->depth * m);
    return NONSENS_OK;
}

void simulate_node_draw_one(rng *r, int64_t j, simulate_model *model)
{
    int64_t m = model->m, inputs = m + 1;
    for (int64_t l = 0; l < model->depth; l++) {
        double *shift = model->shift + (l * m + j) * inputs, *stretch = model->stretch + (l * m + j) * inputs;
        for (int64_t i = 0; i < m; i++) {
            if (model->parent[j * m + i]) {
                shift[i] = simulate_weight(r);
                stretch[i] = simulate_weight(r);
            }
        }
        shift[m] = rng_uniform(r) - 0.5;
        stretch[m] = rng_uniform(r) - 0.5;
        model->sign[l * m + j] = rng_uniform(r) < 0.5 ? -1 : 1;
    }
}

nonsens_status simulate_node_draw(nonsens_context *ctx, arena *memory, int64_t seed, simulate_model *model)
{
    TRY(simulate_node_new(ctx, memory, model));
    for (int64_t j = 0; j < model->m; j++) {
        rng r = simulate_stream(seed, RNG_SIMULATE_MECHANISM, STREAM_MAIN, j);
        simulate_node_draw_one(&r, j, model);
    }
    return NONSENS_OK;
}

/* Computes the two weighted sums of the parents of j in one layer. */
static void parent_sums(const simulate_model *model, int64_t l, int64_t j, const double *factor, const double *x,
                        double *shift, double *stretch)
{
    int64_t m = model->m, count = 0;
    const double *w = model->shift + (l * m + j) * (m + 1), *v = model->stretch + (l * m + j) * (m + 1);
    double w_sum = 0, v_sum = 0;
    for (int64_t i = 0; i < m; i++) {
        if (model->parent[j * m + i]) {
            w_sum += w[i] * factor[j * m + i] * x[i];
            v_sum += v[i] * factor[j * m + i] * x[i];
            count++;
        }
    }
    double root = count > 0 ? sqrt((double)count) : 1;
    *shift = w_sum / root + w[m];
    *stretch = v_sum / root + v[m];
}

double simulate_node_value(const simulate_model *model, int64_t j, const double *factor, const double *x, double noise)
{
    double u = noise;
    for (int64_t l = 0; l < model->depth; l++) {
        double shift, stretch;
        parent_sums(model, l, j, factor, x, &shift, &stretch);
        u = exp(STRETCH * tanh(stretch)) * (l == 0 ? u : simulate_leaky(u)) +
            model->sign[l * model->m + j] * simulate_leaky(shift);
    }
    return u;
}
