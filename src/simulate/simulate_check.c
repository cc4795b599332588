/* simulate_check.c - refuses options of the simulation that contradict one another. */
#include "simulate/simulate_model.h"

#include <inttypes.h>

/* With more variables hardly any random mixing has |det| >= .3. */
enum { MAX_CYCLIC = 50 };

static nonsens_status refuse(nonsens_context *ctx, const char *one, const char *other, const char *why)
{
    return fail(ctx, NONSENS_ERR_USAGE, "%s and %s cannot be combined: %s", one, other, why);
}

/* Checks the options that choose the kind of graph, which exclude one another. */
static nonsens_status check_graph_options(nonsens_context *ctx, const nonsens_options *o)
{
    const char *shape = o->cyclic ? "--cyclic" : o->independent ? "--independent" : "--confounded";
    bool confounded = o->confounded != CONFOUNDED_NO;
    if (o->cyclic + o->independent + confounded > 1) {
        return refuse(ctx, shape, o->cyclic && o->independent ? "--independent" : "--confounded",
                      "choose one kind of graph");
    }
    if (o->edge_prob >= 0 && (o->cyclic || o->independent || (confounded && o->nodes == 2))) {
        return refuse(ctx, shape, "--edge-prob", "the edges are fixed by the former");
    }
    if (o->cyclic && o->sem == SEM_NODE) {
        return refuse(ctx, "--cyclic", "--sem node", "the node generator makes acyclic models only");
    }
    if (confounded && o->nodes < 2) {
        return fail(ctx, NONSENS_ERR_USAGE, "--confounded needs at least 2 variables, not %" PRId64, o->nodes);
    }
    if (confounded && o->nodes > 2 && o->sem == SEM_LAYERED) {
        return refuse(
            ctx, "--confounded", "--sem layered",
            "with more than two variables its effects depend on disturbances, which the hidden cause does not "
            "change; take --sem node");
    }
    if (confounded && o->interventions != INTERVENTIONS_NONE) {
        return refuse(ctx, "--confounded", "--interventions", "one deviation from the model at a time");
    }
    if (o->cyclic && (o->nodes < 2 || o->nodes > MAX_CYCLIC)) {
        return fail(ctx, NONSENS_ERR_USAGE, "--cyclic needs from 2 to %d variables, not %" PRId64, MAX_CYCLIC,
                    o->nodes);
    }
    return NONSENS_OK;
}

nonsens_status simulate_check(nonsens_context *ctx, const nonsens_options *o)
{
    if (o->nodes < 1 || o->depth < 1 || o->sim_segments < 1 || o->per_segment < 1) {
        return fail(ctx, NONSENS_ERR_USAGE, "--nodes, --depth, --segments and --per-segment must be at least 1");
    }
    if (o->nodes > INT16_MAX || o->depth > INT16_MAX || o->sim_segments > INT32_MAX) {
        return fail(ctx, NONSENS_ERR_USAGE, "--nodes, --depth or --segments is too large");
    }
    if (!(o->scale.lo > 0) || !(o->scale.hi >= o->scale.lo) || !(o->mean.hi >= o->mean.lo)) {
        return fail(ctx, NONSENS_ERR_USAGE, "--scale needs 0 < LO <= HI and --mean needs LO <= HI");
    }
    TRY(check_graph_options(ctx, o));
    bool no_edges = o->independent || (o->confounded != CONFOUNDED_NO && o->nodes == 2);
    if ((no_edges || o->cyclic) && (o->modulate == MODULATE_CAUSE || o->modulate == MODULATE_EFFECT)) {
        return refuse(ctx, o->modulate == MODULATE_CAUSE ? "--modulate cause" : "--modulate effect",
                      o->cyclic        ? "--cyclic"
                      : o->independent ? "--independent"
                                       : "--confounded",
                      "no variable is the cause alone");
    }
    if (o->fault > 0.0 && o->sim_segments < 2) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "--fault makes the last segment differ from the first; take two --segments");
    }
    if (o->fault > 0.0 && o->interventions != INTERVENTIONS_NONE) {
        return refuse(ctx, "--fault", "--interventions", "the last segment would differ by more than the fault");
    }
    if (o->interventions != INTERVENTIONS_NONE && o->sem != SEM_NODE) {
        return fail(ctx, NONSENS_ERR_USAGE, "--interventions needs one mechanism per variable; add --sem node");
    }
    if (o->do_values[0] && o->sem != SEM_NODE) {
        return fail(ctx, NONSENS_ERR_USAGE, "--do needs one mechanism per variable; add --sem node");
    }
    if (no_edges && o->changing_mechanism) {
        return refuse(ctx, "--changing-mechanism", o->independent ? "--independent" : "--confounded",
                      "there is no edge whose mechanism could change");
    }
    return NONSENS_OK;
}
