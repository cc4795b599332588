/*
 * small_dags.h - DAGs of up to eight nodes as bit sets, and facts about them by brute force: d-separation by
 * moralised ancestral graphs (Lauritzen, Dawid, Larsen, Leimer 1990), and the common arrows of all DAGs with the same
 * skeleton, v-structures and given arrows, by trying all directions.
 *
 * Include it last, instead of fixture.h.
 */
#ifndef UNIT_SMALL_DAGS_H
#define UNIT_SMALL_DAGS_H

#include "base/rng.h"
#include "graph/pdag.h"

#include "fixture.h"

enum { MAX_NODES = 8, MAX_EDGES = 28 };

typedef struct small_dag {
    int d;
    unsigned parent[MAX_NODES];
} small_dag;

static inline bool small_adjacent(const small_dag *g, int a, int b)
{
    return (g->parent[a] >> b & 1) || (g->parent[b] >> a & 1);
}

static inline unsigned small_ancestors(const small_dag *g, unsigned set)
{
    for (unsigned before = 0; before != set;) {
        before = set;
        for (int a = 0; a < g->d; a++) {
            set |= set >> a & 1 ? g->parent[a] : 0;
        }
    }
    return set;
}

static inline bool small_is_acyclic(const small_dag *g)
{
    for (int a = 0; a < g->d; a++) {
        if (small_ancestors(g, g->parent[a]) >> a & 1) {
            return false;
        }
    }
    return true;
}

static inline bool small_separated(const small_dag *g, int x, int y, unsigned given)
{
    unsigned all = small_ancestors(g, 1u << x | 1u << y | given), near[MAX_NODES] = {0}, reached = 1u << x;
    for (int a = 0; a < g->d; a++) {
        for (int b = 0; b < g->d && (all >> a & 1); b++) {
            if (g->parent[a] >> b & 1) {
                near[a] |= 1u << b;
                near[b] |= 1u << a | (g->parent[a] & ~(1u << b));
            }
        }
    }
    for (unsigned before = 0; before != reached;) {
        before = reached;
        for (int a = 0; a < g->d; a++) {
            reached |= reached >> a & 1 ? near[a] & ~given : 0;
        }
    }
    return !(reached >> y & 1);
}

static inline bool small_is_collider(const small_dag *g, int x, int y, int z)
{
    return x != z && (g->parent[y] >> x & 1) && (g->parent[y] >> z & 1) && !small_adjacent(g, x, z);
}

static inline bool small_same_colliders(const small_dag *g, const small_dag *h)
{
    for (int y = 0; y < g->d; y++) {
        for (int x = 0; x < g->d; x++) {
            for (int z = 0; z < x; z++) {
                if (small_is_collider(g, x, y, z) != small_is_collider(h, x, y, z)) {
                    return false;
                }
            }
        }
    }
    return true;
}

static inline void small_to_pdag(const small_dag *g, pdag *out)
{
    for (int b = 1; b < g->d; b++) {
        for (int a = 0; a < b; a++) {
            pdag_set(out, a, b, g->parent[b] >> a & 1 ? PDAG_ARROW : g->parent[a] >> b & 1 ? PDAG_BACK : PDAG_NONE);
        }
    }
}

/* fixed[b]: nodes that must be parents of b.  out: arrows that all DAGs share, else lines.  Returns how many DAGs. */
static inline int64_t small_common(const small_dag *g, const unsigned *fixed, pdag *out)
{
    int from[MAX_EDGES], to[MAX_EDGES], edges = 0, forth[MAX_EDGES] = {0}, back[MAX_EDGES] = {0};
    int64_t dags = 0;
    for (int b = 1; b < g->d; b++) {
        for (int a = 0; a < b; a++) {
            pdag_set(out, a, b, PDAG_NONE);
            if (small_adjacent(g, a, b)) {
                from[edges] = a;
                to[edges++] = b;
            }
        }
    }
    for (unsigned way = 0; way < 1u << edges; way++) {
        small_dag h = {.d = g->d};
        bool fits = true;
        for (int e = 0; e < edges; e++) {
            h.parent[way >> e & 1 ? from[e] : to[e]] |= 1u << (way >> e & 1 ? to[e] : from[e]);
        }
        for (int b = 0; b < g->d; b++) {
            fits = fits && (!fixed || (h.parent[b] & fixed[b]) == fixed[b]);
        }
        if (fits && small_is_acyclic(&h) && small_same_colliders(g, &h)) {
            dags++;
            for (int e = 0; e < edges; e++) {
                *(way >> e & 1 ? &back[e] : &forth[e]) += 1;
            }
        }
    }
    for (int e = 0; e < edges; e++) {
        pdag_set(out, from[e], to[e], forth[e] && back[e] ? PDAG_LINE : forth[e] ? PDAG_ARROW : PDAG_BACK);
    }
    return dags;
}

/* Draws a random DAG in random order with at most `most` edges, each with this probability. */
static inline small_dag small_random(rng *r, int d, double chance, int most)
{
    int64_t order[MAX_NODES];
    small_dag g = {.d = d};
    int edges = 0;
    for (int a = 0; a < d; a++) {
        order[a] = a;
    }
    rng_shuffle(r, d, order);
    for (int b = 1; b < d; b++) {
        for (int a = 0; a < b && edges < most; a++) {
            if (rng_uniform(r) < chance) {
                g.parent[order[b]] |= 1u << order[a];
                edges++;
            }
        }
    }
    return g;
}

/* Makes DAG number `code` of d nodes: base 3, one digit per pair, 0 for no edge; false if it has a cycle. */
static inline bool small_numbered(int d, int64_t code, small_dag *out)
{
    *out = (small_dag){.d = d};
    for (int b = 1; b < d; b++) {
        for (int a = 0; a < b; a++, code /= 3) {
            out->parent[b] |= code % 3 == 1 ? 1u << a : 0;
            out->parent[a] |= code % 3 == 2 ? 1u << b : 0;
        }
    }
    return small_is_acyclic(out);
}

static inline pdag small_graph(fixture *f, int64_t d)
{
    pdag g;
    assert_int_equal(pdag_new(f->ctx, &f->scratch, d, &g), NONSENS_OK);
    return g;
}

#endif
