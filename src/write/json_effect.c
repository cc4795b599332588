/* json_effect.c - writes effects as JSON: what `effect` adds to the document, and what `discover` adds to an edge. */
#include "write/write_internal.h"

static json_value *interval(const nonsens_estimate *e)
{
    return report_interval(e->low, e->high);
}

static json_value *distribution(const nonsens_distribution *d)
{
    static const char *const key[NONSENS_QUANTILES] = {"0.05", "0.25", "0.5", "0.75", "0.95"};
    json_value *quantiles = json_object(), *intervals = json_object();
    for (int q = 0; q < NONSENS_QUANTILES; q++) {
        json_object_set(quantiles, key[q], json_real(d->quantile[q].value));
        json_object_set(intervals, key[q], interval(&d->quantile[q]));
    }
    return json_object_of("mean", json_real(d->mean.value), "low", json_real(d->mean.low), "high",
                          json_real(d->mean.high), "quantiles", quantiles, "quantile_intervals", intervals, NULL);
}

static const char *answered(nonsens_answered a)
{
    static const char *const word[] = {[NONSENS_ANSWERED_ONE] = "one",
                                       [NONSENS_ANSWERED_NO_PATH] = "no path",
                                       [NONSENS_ANSWERED_RANGE] = "range",
                                       [NONSENS_ANSWERED_NOT] = "none"};
    return word[a];
}

/* Makes a distribution, with its variable and its rows. */
static json_value *distribution_of(nonsens_context *ctx, arena *scratch, const nonsens_result *r,
                                   const nonsens_effect *e, const nonsens_distribution *d)
{
    json_value *object = distribution(d);
    json_object_set(object, "on", report_text(ctx, scratch, r->names[e->on]));
    json_object_set(object, "segment", report_text(ctx, scratch, e->segment));
    json_object_set(object, "at", json_real(e->at));
    return object;
}

static json_value *refutation(const nonsens_refutation *r)
{
    return r->repetitions == 0 ? json_null()
                               : json_object_of("repetitions", json_integer(r->repetitions), "mean", json_real(r->mean),
                                                "range", report_interval(r->low, r->high), "p_value",
                                                json_real(r->p_value), "passes", json_boolean(r->passes), NULL);
}

static json_value *effect(nonsens_context *ctx, arena *scratch, const nonsens_result *r, const nonsens_effect *e)
{
    json_value *object = distribution_of(ctx, scratch, r, e, &e->then);
    bool is_range = e->answered == NONSENS_ANSWERED_RANGE;
    json_object_set(object, "difference", distribution(&e->difference));
    json_object_set(object, "answered", json_string(answered(e->answered)));
    json_object_set(object, "identified",
                    json_boolean(e->answered == NONSENS_ANSWERED_ONE || e->answered == NONSENS_ANSWERED_NO_PATH));
    json_object_set(object, "range",
                    is_range ? json_array_of(2, json_real(e->least), json_real(e->most)) : json_null());
    json_object_set(object, "reason", report_text(ctx, scratch, e->reason));
    json_object_set(object, "settle", report_text(ctx, scratch, e->settle));
    json_object_set(object, "support", json_real(e->support));
    json_object_set(object, "robustness", json_real(e->robustness));
    json_object_set(object, "robustness_of_interval", json_real(e->robustness_interval));
    json_object_set(object, "placebo", refutation(&e->placebo));
    json_object_set(object, "subsets", refutation(&e->subsets));
    return object;
}

static json_value *quartile_effect(nonsens_context *ctx, arena *scratch, const nonsens_result *r,
                                   const nonsens_quartile_effect *e)
{
    bool identified = e->answered == NONSENS_ANSWERED_ONE || e->answered == NONSENS_ANSWERED_NO_PATH;
    return json_object_of("cause", report_text(ctx, scratch, r->names[e->cause]), "on",
                          report_text(ctx, scratch, r->names[e->effect]), "from", json_real(e->lower), "to",
                          json_real(e->upper), "total", json_real(e->total.value), "total_interval",
                          interval(&e->total), "direct", json_real(e->direct.value), "direct_interval",
                          interval(&e->direct), "standardised", json_real(e->total.value / e->sd), "answered",
                          json_string(answered(e->answered)), "identified", json_boolean(identified), "reason",
                          report_text(ctx, scratch, e->reason), "support", json_real(e->support), NULL);
}

static json_value *counterfactual(nonsens_context *ctx, arena *scratch, const nonsens_result *r,
                                  const nonsens_counterfactual *c)
{
    return json_object_of("row", json_integer(c->row + 1), "on", report_text(ctx, scratch, r->names[c->variable]),
                          "now", json_real(c->now), "then", json_real(c->then.value), "interval", interval(&c->then),
                          NULL);
}

static json_value *actions(nonsens_context *ctx, arena *scratch, const nonsens_result *r)
{
    json_value *array = json_array();
    for (int64_t k = 0; k < r->effects.actions; k++) {
        const result_action *a = &r->effects.action[k];
        json_array_append(array,
                          json_object_of("variable", report_text(ctx, scratch, r->names[a->variable]), "kind",
                                         json_string(a->adds ? "add" : "set"), "value", json_real(a->value), NULL));
    }
    return array;
}

void report_fill_effects(nonsens_context *ctx, arena *scratch, const nonsens_result *r, json_value *root)
{
    const result_effects *all = &r->effects;
    json_value *effects = json_array(), *baseline = json_array(), *table = json_array(), *rows = json_array();
    bool identified = true;
    const char *reason = NULL;
    for (int64_t k = 0; k < all->effects; k++) {
        const nonsens_effect *e = &all->effect[k];
        bool is_open = e->answered == NONSENS_ANSWERED_RANGE || e->answered == NONSENS_ANSWERED_NOT;
        reason = (is_open && identified) || !reason ? e->reason : reason;
        identified = identified && !is_open;
        json_array_append(effects, effect(ctx, scratch, r, e));
        json_array_append(baseline, distribution_of(ctx, scratch, r, e, &e->now));
    }
    for (int64_t k = 0; k < all->quartile_effects; k++) {
        json_array_append(table, quartile_effect(ctx, scratch, r, &all->quartile_effect[k]));
    }
    for (int64_t k = 0; k < all->counterfactuals; k++) {
        json_array_append(rows, counterfactual(ctx, scratch, r, &all->counterfactual[k]));
    }
    json_object_set(root, "question", report_text(ctx, scratch, all->question));
    json_object_set(root, "changes", actions(ctx, scratch, r));
    json_object_set(root, "effects", effects);
    json_object_set(root, "baseline", baseline);
    json_object_set(root, "identified", json_boolean(identified));
    json_object_set(root, "reason", report_text(ctx, scratch, reason));
    json_object_set(root, "quartile_effects", table);
    json_object_set(root, "rows", rows);
    json_object_set(root, "graph_check", report_text(ctx, scratch, all->check));
}

/* ---- edges ------------------------------------------------------------------------------------------------------ */

static json_value *curve_of(const result_curve *curve)
{
    enum { DIGITS = 6 };
    json_value *x = json_array(), *y = json_array();
    for (int i = 0; i < RESULT_CURVE_POINTS; i++) {
        json_array_append(x, report_rounded(curve->x[i], DIGITS));
        json_array_append(y, report_rounded(curve->y[i], DIGITS));
    }
    return json_object_of("x", x, "y", y, NULL);
}

void report_fill_edge(const nonsens_result *r, int64_t k, json_value *edge)
{
    const nonsens_edge *e = &r->edge[k];
    if (r->options.command != NONSENS_COMMAND_DISCOVER) {
        return;
    }
    json_object_set(edge, "effect", json_real(e->effect));
    json_object_set(edge, "effect_interval", report_interval(e->effect_low, e->effect_high));
    json_object_set(edge, "step", report_interval(e->lower, e->upper));
    json_object_set(edge, "curve", r->curve && r->curve[k].is_known ? curve_of(&r->curve[k]) : json_null());
}
