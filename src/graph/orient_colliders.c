/*
 * orient_colliders.c - finds v-structures from separating sets, and resolves those that contradict one another.
 *
 * ORIENT_BIDIRECTED follows Colombo, Maathuis (JMLR 15, 2014, section 4.3): x -> y and y -> x together become x <-> y.
 * Arrows of v-structures that lie on a cycle of arrows also become x <-> y.  ORIENT_PRIORITY directs the v-structures
 * whose ends are separated with the largest p-value first.
 */
#include "base/memory.h"
#include "graph/bits.h"
#include "graph/orient.h"
#include "graph/orient_internal.h"
#include "math/sort.h"

#include <math.h>
#include <string.h>

/* Lists the triples x - y - z and returns how many; out may be NULL, to count them. */
static int64_t list_triples(const pdag *g, orient_triple *out)
{
    int64_t count = 0;
    for (int64_t x = 0; x < g->d; x++) {
        const uint64_t *near_x = pdag_row(g, g->adjacent, x);
        for (int64_t z = x + 1; z < g->d; z++) {
            const uint64_t *near_z = pdag_row(g, g->adjacent, z);
            for (int64_t w = 0; w < g->words && !bits_has(near_x, z); w++) {
                for (uint64_t both = near_x[w] & near_z[w]; both; both &= both - 1, count++) {
                    if (out) {
                        int32_t y = (int32_t)(w * 64 + __builtin_ctzll(both));
                        out[count] = (orient_triple){.x = (int32_t)x, .z = (int32_t)z, .y = y};
                    }
                }
            }
        }
    }
    return count;
}

/* Says whether a -> b agrees with what is known and with the arrows of the graph. */
static bool is_allowed(const orienter *o, int64_t a, int64_t b)
{
    enum pdag_mark mark = pdag_mark_of(o->graph, a, b);
    return (mark == PDAG_LINE || mark == PDAG_ARROW) && knowledge_allows(o->known, a, b);
}

static void refuse_forbidden(orienter *o)
{
    for (int64_t t = 0; t < o->report.triples; t++) {
        orient_triple *triple = &o->triple[t];
        if (triple->collider && !(is_allowed(o, triple->x, triple->y) && is_allowed(o, triple->z, triple->y))) {
            triple->open = true;
            o->report.refused++;
        }
    }
}

/* ---- arrows with two heads -------------------------------------------------------------------------------------- */

static void want_arrow(orienter *o, int64_t a, int64_t b)
{
    if (pdag_is_line(o->graph, a, b)) { // an existing arrow stays
        bits_put(o->want + a * o->graph->words, b, true);
    }
}

/* Gives wanted arrows on cycles two heads; all are found before any is changed. */
static void break_cycles(orienter *o)
{
    pdag *g = o->graph;
    for (int64_t a = 0; a < g->d; a++) {
        uint64_t *want = o->want + a * g->words;
        BITS_EACH(b, want, g->words)
        {
            bool free = pdag_is_arrow(g, a, b) && knowledge_allows(o->known, b, a);
            bits_put(want, b, free && pdag_is_ancestor(g, b, a));
        }
    }
    for (int64_t a = 0; a < g->d; a++) {
        const uint64_t *want = pdag_row(g, o->want, a);
        BITS_EACH(b, want, g->words)
        {
            pdag_set(g, a, b, PDAG_BOTH);
            o->report.conflicts++;
        }
    }
}

static void direct_together(orienter *o)
{
    pdag *g = o->graph;
    memset(o->want, 0, (size_t)(g->words * g->d) * sizeof *o->want);
    for (int64_t t = 0; t < o->report.triples; t++) {
        const orient_triple *triple = &o->triple[t];
        if (triple->collider && !triple->open) {
            want_arrow(o, triple->x, triple->y);
            want_arrow(o, triple->z, triple->y);
        }
    }
    for (int64_t a = 0; a < g->d; a++) {
        const uint64_t *want = pdag_row(g, o->want, a);
        BITS_EACH(b, want, g->words)
        {
            bool back = bits_has(pdag_row(g, o->want, b), a);
            pdag_set(g, a, b, back ? PDAG_BOTH : PDAG_ARROW);
            o->report.conflicts += back && a < b;
        }
    }
    if (pdag_has_cycle(g)) {
        break_cycles(o);
    }
}

/* ---- one by one ------------------------------------------------------------------------------------------------- */

static bool fits(const orienter *o, int64_t a, int64_t b)
{
    return is_allowed(o, a, b) && !pdag_would_close_cycle(o->graph, a, b);
}

static nonsens_status direct_by_priority(nonsens_context *ctx, orienter *o)
{
    SCOPED_ARENA(local);
    sort_entry *entry, *spare; // (triples)
    int64_t count = 0;
    ARENA_TRY(ctx, &local, entry, o->report.triples);
    ARENA_TRY(ctx, &local, spare, o->report.triples);
    for (int64_t t = 0; t < o->report.triples; t++) {
        if (o->triple[t].collider && !o->triple[t].open) {
            entry[count++] = (sort_entry){sort_key(-o->triple[t].p_value), t};
        }
    }
    sort_entries(entry, spare, count, NULL, NULL);
    for (int64_t i = 0; i < count; i++) {
        orient_triple *t = &o->triple[entry[i].row];
        // edges into y lie on no path from y to x or z: both can be checked before either is drawn
        if (fits(o, t->x, t->y) && fits(o, t->z, t->y)) {
            pdag_set(o->graph, t->x, t->y, PDAG_ARROW);
            pdag_set(o->graph, t->z, t->y, PDAG_ARROW);
        } else {
            t->open = true;
            o->report.conflicts++;
        }
    }
    return NONSENS_OK;
}

/* ---- all together ----------------------------------------------------------------------------------------------- */

static nonsens_status classify_triples(nonsens_context *ctx, orienter *o, const skeleton *found,
                                       const skeleton_options *options, enum collider_rule rule)
{
    for (int64_t t = 0; t < o->report.triples; t++) {
        orient_triple *triple = &o->triple[t];
        const skeleton_pair *ends = skeleton_at(found, triple->x, triple->z);
        triple->p_value = ends->p_value;
        triple->open = !ends->separated;
        triple->collider = ends->separated && !skeleton_separator_has(found, triple->x, triple->z, triple->y);
    }
    if (rule != ORIENT_PLAIN) {
        TRY(orient_count_separators(ctx, o, options, rule));
    }
    for (int64_t t = 0; t < o->report.triples; t++) {
        o->report.colliders += o->triple[t].collider;
        o->report.ambiguous += o->triple[t].open;
    }
    return NONSENS_OK;
}

nonsens_status orient_colliders(nonsens_context *ctx, arena *keep, orienter *o, const skeleton *found,
                                const skeleton_options *options, enum collider_rule rule, enum conflict_rule conflicts)
{
    o->report.triples = list_triples(o->graph, NULL);
    ARENA_TRY(ctx, keep, o->triple, o->report.triples);
    list_triples(o->graph, o->triple);
    TRY(classify_triples(ctx, o, found, options, rule));
    refuse_forbidden(o);
    if (conflicts == ORIENT_BIDIRECTED) {
        direct_together(o);
    } else {
        TRY(direct_by_priority(ctx, o));
    }
    for (int64_t t = 0; t < o->report.triples; t++) {
        o->open_triples += o->triple[t].open;
    }
    return NONSENS_OK;
}
