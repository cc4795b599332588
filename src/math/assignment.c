/*
 * assignment.c - linear assignment by shortest augmenting paths.
 *
 * Kuhn, Naval Res. Logist. Q. 2, 1955 (the Hungarian method); in the O(d^3) form of Tomizawa, Networks 1, 1971, and
 * Jonker and Volgenant, Computing 38, 1987.  Cost is minus gain.  Prices of rows and columns keep every reduced cost
 * cost[j, k] - row[j] - column[k] >= 0, and 0 for matched pairs; rows are added one by one along shortest paths.
 */
#include "math/assignment.h"

#include <math.h>
#include <string.h>

enum { NONE = -1 };

typedef struct assignment {
    int64_t d;
    const double *gain;   /* (d, d) */
    double *row, *column; /* (d) and (d + 1) prices; the last column is the root of the paths */
    double *distance;     /* (d) from the root, by reduced costs */
    int64_t *owner;       /* (d + 1) the row that a column is matched with */
    int64_t *previous;    /* (d) the column before it on the shortest path */
    bool *reached;        /* (d + 1) */
} assignment;

/* Relaxes distances with the edges of the row that owns column `at`; returns the nearest column not yet reached. */
static int64_t nearest_column(assignment *p, int64_t at)
{
    int64_t j = p->owner[at], nearest = NONE;
    for (int64_t k = 0; k < p->d; k++) {
        if (p->reached[k]) {
            continue;
        }
        double through = -p->gain[j + p->d * k] - p->row[j] - p->column[k];
        if (through < p->distance[k]) {
            p->distance[k] = through;
            p->previous[k] = at;
        }
        if (nearest == NONE || p->distance[k] < p->distance[nearest]) {
            nearest = k;
        }
    }
    return nearest;
}

/* Adds row j to the matching. */
static void enter_row(assignment *p, int64_t j)
{
    int64_t at = p->d;
    p->owner[at] = j;
    memset(p->reached, 0, (size_t)(p->d + 1) * sizeof *p->reached);
    for (int64_t k = 0; k < p->d; k++) {
        p->distance[k] = HUGE_VAL;
    }
    while (p->owner[at] != NONE) {
        p->reached[at] = true;
        at = nearest_column(p, at);
        double by = p->distance[at];
        for (int64_t k = 0; k <= p->d; k++) { // shifts the prices so that this column is at distance 0
            if (p->reached[k]) {
                p->row[p->owner[k]] += by;
                p->column[k] -= by;
            } else {
                p->distance[k] -= by;
            }
        }
    }
    while (at != p->d) { /* back along the path: every column takes over the row of the column before it */
        p->owner[at] = p->owner[p->previous[at]];
        at = p->previous[at];
    }
}

nonsens_status assignment_best(nonsens_context *ctx, arena *a, int64_t d, const double *gain, int64_t *match)
{
    assignment p = {.d = d, .gain = gain};
    ARENA_TRY(ctx, a, p.row, d + 1);
    ARENA_TRY(ctx, a, p.column, d + 1);
    ARENA_TRY(ctx, a, p.distance, d + 1);
    ARENA_TRY(ctx, a, p.owner, d + 1);
    ARENA_TRY(ctx, a, p.previous, d + 1);
    ARENA_TRY(ctx, a, p.reached, d + 1);
    for (int64_t k = 0; k <= d; k++) {
        p.owner[k] = NONE;
    }
    for (int64_t j = 0; j < d; j++) {
        enter_row(&p, j);
    }
    for (int64_t k = 0; k < d; k++) {
        match[p.owner[k]] = k;
    }
    return NONSENS_OK;
}
