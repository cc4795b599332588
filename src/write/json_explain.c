/* json_explain.c - writes what `explain` found as JSON: the member `explain` of the document (json.c). */
#include "write/write_internal.h"

static json_value *change(nonsens_context *ctx, arena *scratch, const nonsens_result *r, const nonsens_change *c,
                          int64_t rank)
{
    int64_t followed = c->verdict == NONSENS_VERDICT_FOLLOWS ? c->followed : 0;
    return json_object_of(
        "variable", report_text(ctx, scratch, r->names[c->variable]), "rank", json_integer(rank), "verdict",
        report_text(ctx, scratch, report_verdict(c->verdict)), "size", json_real(c->size), "score", json_real(c->score),
        "own_change", json_real(c->own), "standard_error", json_real(c->own_error), "interval",
        report_interval(c->own_low, INFINITY), "p_value", json_real(c->p_value), "q_value", json_real(c->q_value),
        "share", json_real(c->share), "how", report_text(ctx, scratch, c->description), "scale", json_real(c->scale),
        "scale_interval", report_interval(c->scale_low, c->scale_high), "shift", json_real(c->shift), "shift_interval",
        report_interval(c->shift_low, c->shift_high), "marginal_change", json_real(c->marginal),
        "marginal_standard_error", json_real(c->marginal_error), "marginal_p_value", json_real(c->marginal_p),
        "marginal_q_value", json_real(c->marginal_q), "causes", report_names(ctx, scratch, r, c->cause, c->causes),
        "follows", report_names(ctx, scratch, r, c->follows, followed), "effect_share", json_real(c->effect_share),
        "effect_standard_error", json_real(c->effect_error), "effect_part", json_real(c->effect_part), NULL);
}

static json_value *target(nonsens_context *ctx, arena *scratch, const nonsens_result *r)
{
    const nonsens_target_change *t = r->explained.target;
    return t ? json_object_of("variable", report_text(ctx, scratch, r->names[t->variable]), "normal_mean",
                              json_real(t->normal), "faulted_mean", json_real(t->faulted), "change",
                              json_real(t->change), "standard_error", json_real(t->change_error), "others_share",
                              json_real(t->others_share), "others_standard_error", json_real(t->others_error),
                              "others_part", json_real(t->others_part), "reason", report_text(ctx, scratch, t->reason),
                              NULL)
             : json_null();
}

json_value *report_explanation(nonsens_context *ctx, arena *scratch, const nonsens_result *r)
{
    const result_explanation *e = &r->explained;
    json_value *variables = json_array(), *roots = json_array();
    for (int64_t i = 0; i < r->variables; i++) {
        const nonsens_change *c = &e->variable[i];
        json_array_append(variables, change(ctx, scratch, r, c, i + 1));
        if (c->verdict == NONSENS_VERDICT_CHANGED) {
            json_array_append(roots, report_text(ctx, scratch, r->names[c->variable]));
        }
    }
    return json_object_of("of", report_text(ctx, scratch, e->of), "against", report_text(ctx, scratch, e->against),
                          "of_rows", json_integer(e->of_rows), "against_rows", json_integer(e->other_rows), "onset",
                          json_integer(e->onset), "drift", json_real(e->drift), "ranking_only",
                          json_boolean(e->ranking_only), "root_causes", roots, "variables", variables, "target",
                          target(ctx, scratch, r), NULL);
}
