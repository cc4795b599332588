/*
 * entropy.c - differential entropy from spacings and mutual information from nearest neighbours
 * (Kraskov, Stoegbauer, Grassberger, "Estimating mutual information", Phys. Rev. E 69, 066138, 2004).
 *
 * Entropy, their section II with m = 1.  With z_1 < ... < z_m the sorted distinct values of the sample,
 *
 *     H = 1 / (m - 1) sum_i log(z_{i+1} - z_i) + psi(m) - psi(1).
 *
 * Difference: duplicates are dropped first, and m counts the rest, so that a rounded sample has an entropy; it then
 * measures the support rather than the density.  The estimate is too low by about 1 / m for a uniform sample.
 *
 * Mutual information, their estimator 1 (equation 8).  With eps_i the distance of point i to its k-th neighbour in the
 * maximum norm and n_x(i), n_y(i) the numbers of other points with |x_j - x_i| < eps_i and |y_j - y_i| < eps_i,
 *
 *     I = psi(k) + psi(n) - mean(psi(n_x + 1) + psi(n_y + 1)).
 *
 * Neighbours come from a k-d tree with bounding boxes, counts from binary searches in the sorted marginals.  All
 * comparisons use the same rounded differences as brute force over all pairs, so the result is the same bit for bit.
 *
 * More than k copies of one point give eps = 0.  Such a point is treated like discrete data (Gao, Kannan, Oh,
 * Viswanath, "Estimating mutual information for discrete-continuous mixtures", NIPS 2017): its term is log n_x + log
 * n_y - log n_xy + psi(k), where the n count equal values and equal points, itself included.
 */
#include "math/entropy.h"

#include "math/sort.h"
#include "math/special.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

enum { LEAF_POINTS = 8, CANCEL_EVERY = 4096 };

/* Replaces fmax, whose handling of NaN costs a function call on some machines; all values here are finite. */
static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static nonsens_status check_finite(nonsens_context *ctx, const char *what, int64_t n, const double *v)
{
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(v[i])) {
            return fail(ctx, NONSENS_ERR_NUMERIC,
                        "%s: value %" PRId64 " of %" PRId64 " is NaN or infinite; look for extreme values "
                        "in the data",
                        what, i + 1, n);
        }
    }
    return NONSENS_OK;
}

/* Returns log(b - a) for a < b, even if the difference overflows. */
static double log_gap(double a, double b)
{
    double gap = b - a;
    return isfinite(gap) ? log(gap) : log(0.5 * b - 0.5 * a) + log(2.0);
}

nonsens_status entropy_spacing(nonsens_context *ctx, arena *scratch, int64_t n, const double *v, double *out)
{
    double *z, sum = 0.0;
    int64_t gaps = 0;
    *out = NAN;
    TRY(check_finite(ctx, "entropy", n, v));
    arena_mark mark = arena_tell(scratch);
    TRY(sort_copy(ctx, scratch, n, v, &z)); // (n)
    for (int64_t i = 1; i < n; i++) {
        if (z[i] > z[i - 1]) {
            sum += log_gap(z[i - 1], z[i]);
            gaps++;
        }
    }
    arena_rewind(scratch, mark);
    if (gaps >= 2) {
        *out = sum / (double)gaps + special_digamma((double)gaps + 1.0) - special_digamma(1.0);
    }
    return NONSENS_OK;
}

/* ---- k-d tree of points in the plane ------------------------------------------------------------------------- */

struct point {
    double at[2];
    int64_t index; /* row in the sample */
};

/* A node holds points [begin, end); left and right are its children, 0 in a leaf. */
struct node {
    double lo[2], hi[2]; /* bounding box */
    int64_t begin, end, left, right;
};

struct tree {
    struct point *points; // (n)
    struct node *nodes;   // (nodes), 0 is the root
    int64_t used;
};

/* A search for the k nearest neighbours of one point. */
struct search {
    const struct tree *tree;
    const struct point *centre;
    double *nearest; // (k)
    int k;
};

/* Returns the median of the coordinate at three hashed positions, so that sorted or patterned input is not slow. */
static double choose_pivot(const struct point *p, int axis, int64_t lo, int64_t hi)
{
    uint64_t mix = (uint64_t)(hi - lo + 1) * 0x9E3779B97F4A7C15u;
    double v[3];
    for (int i = 0; i < 3; i++) {
        mix ^= mix >> 29;
        mix *= 0xBF58476D1CE4E5B9u;
        v[i] = p[lo + (int64_t)(mix % (uint64_t)(hi - lo + 1))].at[axis];
    }
    return larger(smaller(v[0], v[1]), smaller(larger(v[0], v[1]), v[2]));
}

/*
 * Reorders the points of [begin, end) so that those before `middle` are at most, and those after it at least, as large
 * as the one at `middle`.  Hoare's partition stops at equal values, so ties halve the range as distinct values do.
 */
static void select_middle(struct point *p, int axis, int64_t begin, int64_t end, int64_t middle)
{
    int64_t lo = begin, hi = end - 1;
    while (lo < hi) {
        double pivot = choose_pivot(p, axis, lo, hi);
        int64_t i = lo, j = hi;
        while (i <= j) {
            while (p[i].at[axis] < pivot) {
                i++;
            }
            while (p[j].at[axis] > pivot) {
                j--;
            }
            if (i <= j) {
                struct point swap = p[i];
                p[i++] = p[j];
                p[j--] = swap;
            }
        }
        if (middle <= j) {
            hi = j;
        } else if (middle >= i) {
            lo = i;
        } else {
            return;
        }
    }
}

static void bound_points(struct node *node, const struct point *p)
{
    for (int axis = 0; axis < 2; axis++) {
        node->lo[axis] = INFINITY;
        node->hi[axis] = -INFINITY;
        for (int64_t i = node->begin; i < node->end; i++) {
            node->lo[axis] = smaller(node->lo[axis], p[i].at[axis]);
            node->hi[axis] = larger(node->hi[axis], p[i].at[axis]);
        }
    }
}

/* Builds the node of points [begin, end) and those below it; the depth is log2(n / LEAF_POINTS) for any data. */
static int64_t build_node(struct tree *tree, int64_t begin, int64_t end)
{
    int64_t self = tree->used++;
    struct node *node = &tree->nodes[self];
    node->begin = begin;
    node->end = end;
    bound_points(node, tree->points);
    if (end - begin > LEAF_POINTS) {
        int64_t middle = begin + (end - begin) / 2;
        int axis = node->hi[1] - node->lo[1] > node->hi[0] - node->lo[0];
        select_middle(tree->points, axis, begin, end, middle);
        node->left = build_node(tree, begin, middle);
        node->right = build_node(tree, middle, end);
    }
    return self;
}

static nonsens_status tree_build(nonsens_context *ctx, arena *scratch, int64_t n, const double *x, const double *y,
                                 struct tree *tree)
{
    *tree = (struct tree){0};
    ARENA_TRY(ctx, scratch, tree->points, n);
    ARENA_TRY(ctx, scratch, tree->nodes, n / (LEAF_POINTS / 4) + 1); // leaves hold at least LEAF_POINTS / 2 each
    for (int64_t i = 0; i < n; i++) {
        tree->points[i] = (struct point){{x[i], y[i]}, i};
    }
    build_node(tree, 0, n);
    return NONSENS_OK;
}

/* Returns the maximum-norm distance from a point to a box, at most the rounded distance to any point inside it. */
static double box_distance(const struct node *node, const double at[2])
{
    double across = larger(node->lo[0] - at[0], at[0] - node->hi[0]);
    double along = larger(node->lo[1] - at[1], at[1] - node->hi[1]);
    return larger(larger(across, along), 0.0);
}

static void keep_distance(struct search *s, double distance)
{
    int place = s->k - 1;
    if (!(distance < s->nearest[place])) {
        return;
    }
    for (; place > 0 && s->nearest[place - 1] > distance; place--) {
        s->nearest[place] = s->nearest[place - 1];
    }
    s->nearest[place] = distance;
}

static void search_leaf(struct search *s, const struct node *node)
{
    const double *c = s->centre->at;
    for (int64_t i = node->begin; i < node->end; i++) {
        const struct point *p = &s->tree->points[i];
        if (p->index != s->centre->index) {
            keep_distance(s, larger(fabs(p->at[0] - c[0]), fabs(p->at[1] - c[1])));
        }
    }
}

/* Skips boxes as far away as the k-th distance, which they cannot lower: many equal points cost no more. */
static void search_node(struct search *s, const struct node *node)
{
    if (node->left == 0) {
        search_leaf(s, node);
        return;
    }
    const struct node *near = &s->tree->nodes[node->left], *far = &s->tree->nodes[node->right];
    double near_distance = box_distance(near, s->centre->at), far_distance = box_distance(far, s->centre->at);
    if (far_distance < near_distance) {
        const struct node *t = near;
        double d = near_distance;
        near = far;
        near_distance = far_distance;
        far = t;
        far_distance = d;
    }
    if (near_distance < s->nearest[s->k - 1]) {
        search_node(s, near);
    }
    if (far_distance < s->nearest[s->k - 1]) {
        search_node(s, far);
    }
}

/* ---- mutual information -------------------------------------------------------------------------------------- */

/* Counts the sorted values (n) that are closer than `radius` to `centre`, except for one value at `centre` itself. */
static int64_t count_within(int64_t n, const double *sorted, double centre, double radius)
{
    int64_t lo = 0, hi = n;
    while (lo < hi) { // the first value above or close enough below
        int64_t mid = lo + (hi - lo) / 2;
        if (centre - sorted[mid] < radius) {
            hi = mid;
        } else {
            lo = mid + 1;
        }
    }
    int64_t first = lo;
    hi = n;
    while (lo < hi) { // the first value too far above
        int64_t mid = lo + (hi - lo) / 2;
        if (sorted[mid] - centre < radius) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo > first ? lo - first - 1 : 0;
}

struct marginals {
    int64_t n;
    double *x, *y;   // (n) sorted
    double *psi;     // (n) psi(1), ..., psi(n)
    int64_t *copies; // (n) how many points equal point i, itself included
    int k;
};

static int compare_second(const void *state, int64_t a, int64_t b)
{
    const double *y = state;
    return (y[a] > y[b]) - (y[a] < y[b]);
}

static nonsens_status count_copies(nonsens_context *ctx, arena *scratch, int64_t n, const double *x, const double *y,
                                   int64_t *copies)
{
    sort_entry *entry, *spare;
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, entry, n);
    ARENA_TRY(ctx, scratch, spare, n);
    for (int64_t i = 0; i < n; i++) {
        entry[i] = (sort_entry){sort_key(x[i]), i};
    }
    sort_entries(entry, spare, n, compare_second, y);
    for (int64_t first = 0, last; first < n; first = last) {
        last = first + 1;
        while (last < n && entry[last].key == entry[first].key && y[entry[last].row] == y[entry[first].row]) {
            last++;
        }
        for (int64_t i = first; i < last; i++) {
            copies[entry[i].row] = last - first;
        }
    }
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}

/* Returns psi(n_x + 1) + psi(n_y + 1) of one point, or the discrete term if the point has more than k copies. */
static double marginal_term(const struct marginals *m, const struct point *p, double radius)
{
    if (radius == 0.0) {
        double equal_x = (double)count_within(m->n, m->x, p->at[0], DBL_TRUE_MIN) + 1.0;
        double equal_y = (double)count_within(m->n, m->y, p->at[1], DBL_TRUE_MIN) + 1.0;
        return log(equal_x) + log(equal_y) - log((double)m->copies[p->index]) + m->psi[m->k - 1];
    }
    int64_t nx = count_within(m->n, m->x, p->at[0], radius);
    int64_t ny = count_within(m->n, m->y, p->at[1], radius);
    return m->psi[nx] + m->psi[ny];
}

static nonsens_status check_sample(nonsens_context *ctx, int64_t n, const double *x, const double *y, int k)
{
    if (k < 1) {
        return fail(ctx, NONSENS_ERR_USAGE, "mutual information: %d neighbours; ask for at least one", k);
    }
    if (n <= k) {
        return fail(ctx, NONSENS_ERR_DATA,
                    "mutual information: %" PRId64 " rows are too few for %d neighbours; "
                    "use more rows",
                    n, k);
    }
    TRY(check_finite(ctx, "mutual information, first variable", n, x));
    return check_finite(ctx, "mutual information, second variable", n, y);
}

/* Visits the points in the order of the tree, where neighbours are close in memory, but sums in the order of rows. */
nonsens_status entropy_mutual_information(nonsens_context *ctx, arena *scratch, int64_t n, const double *x,
                                          const double *y, int k, double *out)
{
    struct tree tree;
    struct marginals m = {.n = n, .k = k};
    struct search search = {.tree = &tree, .k = k};
    double *term, sum = 0.0; // (n)
    *out = NAN;
    TRY(check_sample(ctx, n, x, y, k));
    arena_mark mark = arena_tell(scratch);
    TRY(tree_build(ctx, scratch, n, x, y, &tree));
    ARENA_TRY(ctx, scratch, m.copies, n);
    TRY(count_copies(ctx, scratch, n, x, y, m.copies));
    TRY(sort_copy(ctx, scratch, n, x, &m.x));
    TRY(sort_copy(ctx, scratch, n, y, &m.y));
    ARENA_TRY(ctx, scratch, m.psi, n);
    ARENA_TRY(ctx, scratch, search.nearest, k);
    ARENA_TRY(ctx, scratch, term, n);
    for (int64_t i = 0; i < n; i++) {
        m.psi[i] = special_digamma((double)i + 1.0);
    }
    for (int64_t i = 0; i < n; i++) {
        if (i % CANCEL_EVERY == 0) {
            TRY(check_cancelled(ctx));
        }
        search.centre = &tree.points[i];
        for (int j = 0; j < k; j++) {
            search.nearest[j] = INFINITY;
        }
        search_node(&search, &tree.nodes[0]);
        term[search.centre->index] = marginal_term(&m, search.centre, search.nearest[k - 1]);
    }
    for (int64_t i = 0; i < n; i++) {
        sum += term[i];
    }
    *out = special_digamma(k) + special_digamma((double)n) - sum / (double)n;
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}
