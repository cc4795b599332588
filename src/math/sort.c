/* sort.c - bottom-up merge sort over short insertion-sorted runs. */
#include "math/sort.h"

#include <string.h>

enum { RUN = 16 }; /* entries that are sorted by insertion before merging begins */

typedef struct sort_order {
    sort_tie_fn tie;
    const void *state;
} sort_order;

uint64_t sort_key(double value)
{
    double positive_zero = value + 0.0;
    uint64_t bits;
    memcpy(&bits, &positive_zero, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

double sort_value(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~((uint64_t)1 << 63) : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Must b, which is now after a, come before it? */
static inline bool out_of_order(const sort_order *order, sort_entry a, sort_entry b)
{
    if (a.key != b.key) {
        return a.key > b.key;
    }
    return order->tie && order->tie(order->state, a.row, b.row) > 0;
}

/* Merges from[begin..middle) and from[middle..end) into the same positions of out. */
static void merge(const sort_order *order, const sort_entry *from, int64_t begin, int64_t middle, int64_t end,
                  sort_entry *out)
{
    int64_t a = begin, b = middle, k = begin;
    while (a < middle && b < end) {
        out[k++] = out_of_order(order, from[a], from[b]) ? from[b++] : from[a++];
    }
    memcpy(out + k, from + a, (size_t)(middle - a) * sizeof *out);
    k += middle - a;
    memcpy(out + k, from + b, (size_t)(end - b) * sizeof *out);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void sort_entries(sort_entry *entry, sort_entry *spare, int64_t n, sort_tie_fn tie, const void *state)
{
    sort_order order = {tie, state};
    for (int64_t begin = 0; begin < n; begin += RUN) {
        for (int64_t i = begin + 1; i < smaller(begin + RUN, n); i++) {
            sort_entry moving = entry[i];
            int64_t place = i;
            for (; place > begin && out_of_order(&order, entry[place - 1], moving); place--) {
                entry[place] = entry[place - 1];
            }
            entry[place] = moving;
        }
    }
    sort_entry *from = entry, *to = spare;
    for (int64_t width = RUN; width < n; width *= 2) {
        for (int64_t begin = 0; begin < n; begin += 2 * width) {
            merge(&order, from, begin, smaller(begin + width, n), smaller(begin + 2 * width, n), to);
        }
        sort_entry *swap = from;
        from = to;
        to = swap;
    }
    if (from != entry) {
        memcpy(entry, from, (size_t)n * sizeof *entry);
    }
}

void sort_column(const double *value, int64_t n, sort_entry *entry, sort_entry *spare)
{
    for (int64_t i = 0; i < n; i++) {
        entry[i] = (sort_entry){sort_key(value[i]), i};
    }
    sort_entries(entry, spare, n, NULL, NULL);
}

/* ---- plain numbers ---- */

void sort_doubles(int64_t n, double *v, double *spare)
{
    double *from = v, *to = spare;
    for (int64_t low = 0; low < n; low += RUN) {
        for (int64_t i = low + 1; i < smaller(low + RUN, n); i++) {
            double value = v[i];
            int64_t place = i;
            for (; place > low && v[place - 1] > value; place--) {
                v[place] = v[place - 1];
            }
            v[place] = value;
        }
    }
    for (int64_t width = RUN; width < n; width *= 2) {
        for (int64_t low = 0; low < n; low += 2 * width) {
            int64_t middle = smaller(low + width, n), high = smaller(low + 2 * width, n), i = low, j = middle;
            for (int64_t place = low; place < high; place++) {
                bool left = j >= high || (i < middle && from[i] <= from[j]);
                to[place] = left ? from[i++] : from[j++];
            }
        }
        double *swap = from;
        from = to;
        to = swap;
    }
    if (from != v) {
        memcpy(v, from, (size_t)n * sizeof *v);
    }
}

nonsens_status sort_copy(nonsens_context *ctx, arena *a, int64_t n, const double *v, double **out)
{
    double *spare;
    ARENA_TRY(ctx, a, *out, n);
    arena_mark mark = arena_tell(a);
    ARENA_TRY(ctx, a, spare, n);
    if (n > 0) {
        memcpy(*out, v, (size_t)n * sizeof *v);
        sort_doubles(n, *out, spare);
    }
    arena_rewind(a, mark);
    return NONSENS_OK;
}

nonsens_status sort_ranks(nonsens_context *ctx, arena *scratch, int64_t n, const double *value, double *rank)
{
    sort_entry *entry, *spare;
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, entry, n);
    ARENA_TRY(ctx, scratch, spare, n);
    sort_column(value, n, entry, spare);
    for (int64_t i = 0; i < n;) {
        int64_t end = i + 1;
        while (end < n && entry[end].key == entry[i].key) {
            end++;
        }
        double middle = 0.5 * (double)(i + end - 1);
        for (; i < end; i++) {
            rank[entry[i].row] = middle;
        }
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}
