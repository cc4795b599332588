/* pdag.c - stores marks as rows of bits, follows arrows, lists edges. */
#include "graph/pdag.h"

#include "graph/bits.h"

#include <inttypes.h>
#include <string.h>

nonsens_status pdag_new(nonsens_context *ctx, arena *a, int64_t d, pdag *out)
{
    int64_t words = bits_words(d);
    *out = (pdag){.d = d, .words = words};
    ARENA_TRY(ctx, a, out->adjacent, words * d);
    ARENA_TRY(ctx, a, out->line, words * d);
    ARENA_TRY(ctx, a, out->parent, words * d);
    ARENA_TRY(ctx, a, out->child, words * d);
    ARENA_TRY(ctx, a, out->seen, words);
    ARENA_TRY(ctx, a, out->queue, d);
    return NONSENS_OK;
}

void pdag_copy(const pdag *from, pdag *to)
{
    size_t bytes = (size_t)(from->words * from->d) * sizeof *from->line;
    memcpy(to->adjacent, from->adjacent, bytes);
    memcpy(to->line, from->line, bytes);
    memcpy(to->parent, from->parent, bytes);
    memcpy(to->child, from->child, bytes);
}

/* ---- marks ------------------------------------------------------------------------------------------------------ */

bool pdag_is_adjacent(const pdag *g, int64_t a, int64_t b)
{
    return bits_has(pdag_row(g, g->adjacent, a), b);
}

bool pdag_is_line(const pdag *g, int64_t a, int64_t b)
{
    return bits_has(pdag_row(g, g->line, a), b);
}

bool pdag_is_arrow(const pdag *g, int64_t a, int64_t b)
{
    return bits_has(pdag_row(g, g->child, a), b);
}

enum pdag_mark pdag_mark_of(const pdag *g, int64_t a, int64_t b)
{
    return !pdag_is_adjacent(g, a, b) ? PDAG_NONE
           : pdag_is_line(g, a, b)    ? PDAG_LINE
           : pdag_is_arrow(g, a, b)   ? PDAG_ARROW
           : pdag_is_arrow(g, b, a)   ? PDAG_BACK
                                      : PDAG_BOTH;
}

static void put_half(pdag *g, int64_t a, int64_t b, enum pdag_mark mark)
{
    bits_put(g->adjacent + a * g->words, b, mark != PDAG_NONE);
    bits_put(g->line + a * g->words, b, mark == PDAG_LINE);
    bits_put(g->child + a * g->words, b, mark == PDAG_ARROW);
    bits_put(g->parent + a * g->words, b, mark == PDAG_BACK);
}

void pdag_set(pdag *g, int64_t a, int64_t b, enum pdag_mark mark)
{
    put_half(g, a, b, mark);
    put_half(g, b, a, mark == PDAG_ARROW ? PDAG_BACK : mark == PDAG_BACK ? PDAG_ARROW : mark);
}

static int64_t list_row(const pdag *g, const uint64_t *set, int64_t a, int64_t *out)
{
    int64_t count = 0;
    const uint64_t *row = pdag_row(g, set, a);
    BITS_EACH(b, row, g->words)
    {
        out[count++] = b;
    }
    return count;
}

int64_t pdag_neighbours(const pdag *g, int64_t a, int64_t *out)
{
    return list_row(g, g->adjacent, a, out);
}

int64_t pdag_parents(const pdag *g, int64_t a, int64_t *out)
{
    return list_row(g, g->parent, a, out);
}

/* ---- walks ------------------------------------------------------------------------------------------------------ */

bool pdag_is_ancestor(const pdag *g, int64_t a, int64_t b)
{
    int64_t waiting = 0;
    memset(g->seen, 0, (size_t)g->words * sizeof *g->seen);
    g->queue[waiting++] = (int32_t)a;
    while (waiting > 0) {
        const uint64_t *child = pdag_row(g, g->child, g->queue[--waiting]);
        if (bits_has(child, b)) {
            return true;
        }
        for (int64_t w = 0; w < g->words; w++) {
            for (uint64_t fresh = child[w] & ~g->seen[w]; fresh; fresh &= fresh - 1) {
                g->queue[waiting++] = (int32_t)(w * 64 + __builtin_ctzll(fresh));
            }
            g->seen[w] |= child[w];
        }
    }
    return false;
}

bool pdag_would_close_cycle(const pdag *g, int64_t a, int64_t b)
{
    return a == b || pdag_is_ancestor(g, b, a);
}

/* Repeatedly removes a node without parents among those left (Kahn 1962); nodes of a cycle are never removed. */
bool pdag_has_cycle(const pdag *g)
{
    int64_t taken = 0;
    bool more = true;
    memset(g->seen, 0, (size_t)g->words * sizeof *g->seen);
    while (more) {
        more = false;
        for (int64_t a = 0; a < g->d; a++) {
            const uint64_t *parent = pdag_row(g, g->parent, a);
            bool free = !bits_has(g->seen, a);
            for (int64_t w = 0; w < g->words && free; w++) {
                free = (parent[w] & ~g->seen[w]) == 0;
            }
            if (free) {
                bits_put(g->seen, a, true);
                taken++;
                more = true;
            }
        }
    }
    return taken < g->d;
}

bool pdag_would_make_collider(const pdag *g, int64_t a, int64_t b)
{
    const uint64_t *parent = pdag_row(g, g->parent, b), *near = pdag_row(g, g->adjacent, a);
    for (int64_t w = 0; w < g->words; w++) {
        uint64_t self = a / 64 == w ? UINT64_C(1) << (a % 64) : 0;
        if (parent[w] & ~near[w] & ~self) {
            return true;
        }
    }
    return false;
}

/* ---- lists of edges --------------------------------------------------------------------------------------------- */

int64_t pdag_edge_count(const pdag *g)
{
    return bits_count(g->adjacent, g->words * g->d) / 2;
}

void pdag_to_edges(const pdag *g, pdag_edge *out)
{
    for (int64_t a = 0; a < g->d; a++) {
        const uint64_t *row = pdag_row(g, g->adjacent, a);
        for (int64_t b = bits_next(row, g->words, a + 1); b >= 0; b = bits_next(row, g->words, b + 1)) {
            enum pdag_mark mark = pdag_mark_of(g, a, b);
            *out++ = mark == PDAG_BACK ? (pdag_edge){b, a, PDAG_ARROW} : (pdag_edge){a, b, mark};
        }
    }
}
