/*
 * metrics.c - computes the structural Hamming distance (Tsamardinos, Brown, Aliferis, "The max-min hill-climbing
 * Bayesian network structure learning algorithm", Machine Learning 65, 2006: one per missing, extra, reversed or
 * wrongly marked edge), precision and recall, Matthews' correlation (Matthews, Biochimica et Biophysica Acta 405,
 * 1975); the completed pattern of a DAG by its v-structures and Meek's rules (Meek, UAI 1995); the transitive closure.
 */
#include "graph/metrics.h"

#include "graph/bits.h"
#include "graph/orient.h"

#include <math.h>

/*
 * mcc = (TP TN - FP FN) / sqrt((TP + FP) (TP + FN) (TN + FP) (TN + FN)), which with n possible edges is
 * (TP n - predicted actual) / sqrt(predicted actual (n - predicted) (n - actual)).
 */
static void divide(metrics_score *s, int64_t possible)
{
    double n = (double)possible, predicted = (double)s->predicted, actual = (double)s->actual;
    double variance = predicted * actual * (n - predicted) * (n - actual);
    s->possible = possible;
    s->mcc = variance > 0.0 ? ((double)s->true_positives * n - predicted * actual) / sqrt(variance) : NAN;
    s->precision = s->predicted > 0 ? (double)s->true_positives / (double)s->predicted : NAN;
    s->recall = s->actual > 0 ? (double)s->true_positives / (double)s->actual : NAN;
    s->f1 = s->predicted + s->actual > 0 ? 2.0 * (double)s->true_positives / (double)(s->predicted + s->actual) : NAN;
}

static bool is_directed(enum pdag_mark mark)
{
    return mark == PDAG_ARROW || mark == PDAG_BACK;
}

static void compare_pair(enum pdag_mark estimate, enum pdag_mark truth, metrics *m)
{
    bool both = estimate != PDAG_NONE && truth != PDAG_NONE, arrows = is_directed(estimate) && is_directed(truth);
    m->missing += estimate == PDAG_NONE && truth != PDAG_NONE;
    m->extra += estimate != PDAG_NONE && truth == PDAG_NONE;
    m->reversed += arrows && estimate != truth;
    m->marked += both && !arrows && estimate != truth;
    m->skeleton.true_positives += both;
    m->skeleton.predicted += estimate != PDAG_NONE;
    m->skeleton.actual += truth != PDAG_NONE;
    m->arrows.true_positives += arrows && estimate == truth;
    m->arrows.predicted += is_directed(estimate);
    m->arrows.actual += is_directed(truth);
    m->directions += is_directed(truth) && estimate != PDAG_NONE;
    m->undirected += estimate == PDAG_LINE;
}

void metrics_compare(const pdag *estimate, const pdag *truth, metrics *out)
{
    *out = (metrics){0};
    for (int64_t b = 1; b < truth->d; b++) {
        for (int64_t a = 0; a < b; a++) {
            compare_pair(pdag_mark_of(estimate, a, b), pdag_mark_of(truth, a, b), out);
        }
    }
    out->shd = out->missing + out->extra + out->reversed + out->marked;
    divide(&out->skeleton, truth->d * (truth->d - 1) / 2);
    divide(&out->arrows, truth->d * (truth->d - 1));
    out->direction_accuracy = out->directions > 0 ? (double)out->arrows.true_positives / (double)out->directions : NAN;
}

nonsens_status metrics_pattern(nonsens_context *ctx, arena *scratch, const pdag *dag, pdag *out)
{
    orienter o;
    if (pdag_has_cycle(dag)) {
        return fail(ctx, NONSENS_ERR_USAGE, "pattern: the graph has a cycle of arrows; give a DAG");
    }
    pdag_copy(dag, out);
    for (int64_t b = 0; b < dag->d; b++) {
        for (int64_t a = 0; a < dag->d; a++) {
            enum pdag_mark mark = a == b ? PDAG_NONE : pdag_mark_of(dag, a, b);
            if (mark == PDAG_LINE || mark == PDAG_BOTH) {
                return fail(ctx, NONSENS_ERR_USAGE, "pattern: the graph has edges without direction; give a DAG");
            }
            if (mark == PDAG_ARROW && !pdag_would_make_collider(dag, a, b)) {
                pdag_set(out, a, b, PDAG_LINE);
            }
        }
    }
    TRY(orient_new(ctx, scratch, out, NULL, &o));
    return orient_rules(ctx, &o);
}

nonsens_status metrics_closure(nonsens_context *ctx, const pdag *g, pdag *out)
{
    pdag_copy(g, out);
    // rows of `child` become all nodes that arrows reach (Warshall, J. ACM 9, 1962, a row of bits at a time)
    for (int64_t via = 0; via < g->d; via++) {
        const uint64_t *beyond = pdag_row(out, out->child, via);
        TRY(check_cancelled(ctx));
        for (int64_t a = 0; a < g->d; a++) {
            uint64_t *row = out->child + a * out->words;
            for (int64_t w = 0; bits_has(row, via) && a != via && w < out->words; w++) {
                row[w] |= beyond[w];
            }
        }
    }
    for (int64_t b = 1; b < g->d; b++) {
        for (int64_t a = 0; a < b; a++) {
            bool forth = bits_has(pdag_row(out, out->child, a), b), back = bits_has(pdag_row(out, out->child, b), a);
            pdag_set(out, a, b,
                     forth && back ? PDAG_BOTH
                     : forth       ? PDAG_ARROW
                     : back        ? PDAG_BACK
                                   : pdag_mark_of(g, a, b));
        }
    }
    for (int64_t a = 0; a < g->d; a++) {
        bits_put(out->child + a * out->words, a, false); // a node on a cycle reaches itself
    }
    return NONSENS_OK;
}
