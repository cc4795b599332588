/*
 * orient.c - directs edges by what is known, by Meek's rules, and one by one.
 *
 * Rules (Meek, UAI 1995; letters as in Pearl, "Causality", section 2.5): the line a - b becomes a -> b
 *   1  if c -> a, c and b not adjacent                      (else a new v-structure at a)
 *   2  if a -> c -> b                                       (else a cycle)
 *   3  if a - c -> b and a - e -> b, c and e not adjacent   (else a cycle or a new v-structure at a)
 *   4  if a - c -> e -> b, c and b not adjacent, a and e adjacent; needed only if there are arrows that do not follow
 *      from v-structures.
 *
 * They are applied in rounds: a round collects all arrows that the rules imply for the current graph, then draws them
 * at once.  If tests err, rules may contradict one another.  A line for which they imply both directions stays a line,
 * and so do lines that a round's arrows would make part of a cycle or of a new v-structure.  So the outcome does not
 * depend on the order of the nodes, as it would if each arrow were drawn as soon as it is implied.
 */
#include "graph/orient.h"

#include "graph/bits.h"
#include "graph/orient_internal.h"

#include <inttypes.h>
#include <string.h>

nonsens_status orient_new(nonsens_context *ctx, arena *keep, pdag *graph, const knowledge *known, orienter *out)
{
    *out = (orienter){.graph = graph, .known = known};
    if (known && known->d != graph->d) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "orientation: what is known is about %" PRId64 " variables, the graph has %" PRId64
                    "; name them all",
                    known->d, graph->d);
    }
    ARENA_TRY(ctx, keep, out->want, graph->words * graph->d);
    ARENA_TRY(ctx, keep, out->doubt, graph->words * graph->d);
    return NONSENS_OK;
}

nonsens_status orient_knowledge(nonsens_context *ctx, orienter *o)
{
    for (int64_t b = 1; b < o->graph->d && o->known; b++) {
        for (int64_t a = 0; a < b; a++) {
            bool forth = knowledge_allows(o->known, a, b), back = knowledge_allows(o->known, b, a);
            if (pdag_is_line(o->graph, a, b) && forth != back) {
                pdag_set(o->graph, a, b, forth ? PDAG_ARROW : PDAG_BACK);
                o->beyond_pattern = true;
            }
        }
    }
    if (pdag_has_cycle(o->graph)) {
        return fail(ctx, NONSENS_ERR_USAGE,
                    "the directions that are known make a cycle; allow one of them the other way");
    }
    return NONSENS_OK;
}

/* ---- triples ---------------------------------------------------------------------------------------------------- */

bool orient_is_open(const orienter *o, int64_t x, int64_t y, int64_t z)
{
    int64_t low = x < z ? x : z, high = x < z ? z : x, first = 0, end = o->report.triples;
    if (o->open_triples == 0) {
        return false;
    }
    while (first < end) {
        int64_t middle = first + (end - first) / 2;
        const orient_triple *t = &o->triple[middle];
        if (t->x != low ? t->x < low : t->z != high ? t->z < high : t->y < y) {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    const orient_triple *t = &o->triple[first];
    return first < o->report.triples && t->x == low && t->z == high && t->y == y && t->open;
}

bool orient_would_collide(const orienter *o, int64_t a, int64_t b)
{
    const pdag *g = o->graph;
    if (o->open_triples == 0 || !pdag_would_make_collider(g, a, b)) {
        return pdag_would_make_collider(g, a, b);
    }
    const uint64_t *parent = pdag_row(g, g->parent, b);
    BITS_EACH(c, parent, g->words)
    {
        if (c != a && !pdag_is_adjacent(g, a, c) && !orient_is_open(o, a, b, c)) {
            return true;
        }
    }
    return false;
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

/* Says whether x - y - z is a non-collider. */
static bool is_chain(const orienter *o, int64_t x, int64_t y, int64_t z)
{
    return x != z && !pdag_is_adjacent(o->graph, x, z) && !orient_is_open(o, x, y, z);
}

static bool first_rule(const orienter *o, int64_t a, int64_t b)
{
    const uint64_t *parent = pdag_row(o->graph, o->graph->parent, a);
    BITS_EACH(c, parent, o->graph->words)
    {
        if (is_chain(o, c, a, b)) {
            return true;
        }
    }
    return false;
}

static bool second_rule(const orienter *o, int64_t a, int64_t b)
{
    const pdag *g = o->graph;
    const uint64_t *child = pdag_row(g, g->child, a), *parent = pdag_row(g, g->parent, b);
    for (int64_t w = 0; w < g->words; w++) {
        if (child[w] & parent[w]) {
            return true;
        }
    }
    return false;
}

static bool third_rule(const orienter *o, int64_t a, int64_t b)
{
    const pdag *g = o->graph;
    const uint64_t *line = pdag_row(g, g->line, a), *parent = pdag_row(g, g->parent, b);
    BITS_EACH(c, parent, g->words)
    {
        for (int64_t e = bits_next(parent, g->words, c + 1); e >= 0 && bits_has(line, c);
             e = bits_next(parent, g->words, e + 1)) {
            if (bits_has(line, e) && is_chain(o, c, a, e)) {
                return true;
            }
        }
    }
    return false;
}

static bool fourth_rule(const orienter *o, int64_t a, int64_t b)
{
    const pdag *g = o->graph;
    const uint64_t *line = pdag_row(g, g->line, a), *parent = pdag_row(g, g->parent, b);
    BITS_EACH(e, parent, g->words)
    {
        const uint64_t *before = pdag_row(g, g->parent, e);
        for (int64_t c = bits_next(before, g->words, 0); c >= 0 && pdag_is_adjacent(g, a, e);
             c = bits_next(before, g->words, c + 1)) {
            if (bits_has(line, c) && is_chain(o, c, a, b)) {
                return true;
            }
        }
    }
    return false;
}

bool orient_implies(const orienter *o, int64_t a, int64_t b)
{
    return first_rule(o, a, b) || second_rule(o, a, b) || third_rule(o, a, b) ||
           (o->beyond_pattern && fourth_rule(o, a, b));
}

static void doubt_line(orienter *o, int64_t a, int64_t b)
{
    bits_put(o->doubt + a * o->graph->words, b, true);
    bits_put(o->doubt + b * o->graph->words, a, true);
    o->report.undecided++;
}

/* Collects what the rules imply for the lines that are not in doubt; false if they imply nothing. */
static bool collect(orienter *o)
{
    const pdag *g = o->graph;
    bool any = false;
    memset(o->want, 0, (size_t)(g->words * g->d) * sizeof *o->want);
    for (int64_t a = 0; a < g->d; a++) {
        const uint64_t *line = pdag_row(g, g->line, a);
        for (int64_t b = bits_next(line, g->words, a + 1); b >= 0; b = bits_next(line, g->words, b + 1)) {
            if (bits_has(pdag_row(g, o->doubt, a), b)) {
                continue;
            }
            bool forth = orient_implies(o, a, b), back = orient_implies(o, b, a);
            any = any || forth || back;
            if (forth && back) {
                doubt_line(o, a, b);
            } else if (forth) {
                bits_put(o->want + a * g->words, b, true);
            } else if (back) {
                bits_put(o->want + b * g->words, a, true);
            }
        }
    }
    return any;
}

typedef void (*arrow_fn)(orienter *o, int64_t a, int64_t b);

static void for_wanted(orienter *o, arrow_fn call)
{
    for (int64_t a = 0; a < o->graph->d; a++) {
        const uint64_t *want = pdag_row(o->graph, o->want, a);
        BITS_EACH(b, want, o->graph->words)
        {
            call(o, a, b);
        }
    }
}

static void draw_arrow(orienter *o, int64_t a, int64_t b)
{
    pdag_set(o->graph, a, b, PDAG_ARROW);
}

static void check_collider(orienter *o, int64_t a, int64_t b)
{
    if (orient_would_collide(o, a, b)) {
        doubt_line(o, a, b);
    }
}

static void check_cycle(orienter *o, int64_t a, int64_t b)
{
    if (!bits_has(pdag_row(o->graph, o->doubt, a), b) && pdag_would_close_cycle(o->graph, a, b)) {
        doubt_line(o, a, b);
    }
}

static void undo_doubted(orienter *o, int64_t a, int64_t b)
{
    if (bits_has(pdag_row(o->graph, o->doubt, a), b)) {
        pdag_set(o->graph, a, b, PDAG_LINE);
    }
}

nonsens_status orient_rules(nonsens_context *ctx, orienter *o)
{
    while (collect(o)) {
        TRY(check_cancelled(ctx));
        for_wanted(o, draw_arrow);
        for_wanted(o, check_collider);
        if (pdag_has_cycle(o->graph)) {
            for_wanted(o, check_cycle);
        }
        for_wanted(o, undo_doubted);
    }
    return NONSENS_OK;
}

/* ---- single edges ----------------------------------------------------------------------------------------------- */

bool orient_may(const orienter *o, int64_t a, int64_t b)
{
    return pdag_is_line(o->graph, a, b) && knowledge_allows(o->known, a, b) && !orient_would_collide(o, a, b) &&
           !pdag_would_close_cycle(o->graph, a, b);
}

nonsens_status orient_edge(nonsens_context *ctx, orienter *o, int64_t a, int64_t b, bool *done)
{
    *done = orient_may(o, a, b);
    if (!*done) {
        return NONSENS_OK;
    }
    draw_arrow(o, a, b);
    o->beyond_pattern = true;
    return orient_rules(ctx, o);
}
