/*
 * plain_eigen.c - eigenvalues and eigenvectors of a symmetric matrix, by the implicit QL algorithm.
 *
 * The shift is Wilkinson's (H. Bowdler, R. Martin, C. Reinsch and J. Wilkinson, The QR and QL algorithms for symmetric
 * matrices, Numer. Math. 11, 1968).  Rotations of several sweeps are collected and then applied to a few rows of the
 * vectors at a time, which stay in the cache meanwhile (F. Van Zee, R. van de Geijn and G. Quintana-Orti, Restructuring
 * the tridiagonal and bidiagonal QR algorithms for performance, ACM Trans. Math. Softw. 40(3), 2014).
 */
#include "math/plain.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 32 /* collected at once */, MAX_SWEEPS = 50 /* per eigenvalue; two are usual */, MAX_GAP = 3 };

typedef struct ql {
    int64_t n;
    double *d, *e;     /* diagonal (n) and subdiagonal (n - 1) */
    double negligible; /* size of e that counts as rounding error */
    double *q;         /* (n, n) */
    double *rotation;  /* (2, n SWEEPS) */
    plain_sweep sweep[SWEEPS];
    int64_t sweeps, rotations;
} ql;

static void apply_sweeps(ql *s)
{
    plain_choose()->rotate(s->n, s->sweeps, s->sweep, s->q, s->n);
    s->sweeps = s->rotations = 0;
}

static double *stand_still(double *rotation, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        *rotation++ = 1.0;
        *rotation++ = 0.0;
    }
    return rotation;
}

/* Returns the sweep before the next one if both belong to one group, or NULL if the next one begins a group. */
static const plain_sweep *leader(const ql *s)
{
    return s->sweeps % PLAIN_TOGETHER == 0 ? NULL : s->sweep + s->sweeps - 1;
}

/*
 * Begins a sweep of at most n - 1 rotations from column `first` on; returns where to write its rotations.  If it begins
 * at most MAX_GAP columns after the one before, identity rotations fill the gap, so that both can be applied together.
 */
static double *begin_sweep(ql *s, int64_t first)
{
    if (s->sweeps == SWEEPS) {
        apply_sweeps(s);
    }
    const plain_sweep *before = leader(s);
    double *rotation = s->rotation + 2 * s->rotations;
    int64_t gap = before ? before->first - first : 0;
    bool filled = gap > 0 && gap <= MAX_GAP;
    s->sweep[s->sweeps] = (plain_sweep){filled ? before->first : first, first + 1, rotation};
    return filled ? stand_still(rotation, gap) : rotation;
}

/* Ends the sweep after the rotation of column `last` (first + 1 if there was none); `rotation` points after it. */
static void end_sweep(ql *s, int64_t last, double *rotation)
{
    plain_sweep *now = s->sweep + s->sweeps;
    const plain_sweep *before = leader(s);
    int64_t gap = before ? last - before->last : 0;
    if (gap > 0 && gap <= MAX_GAP) {
        stand_still(rotation, gap);
        last = before->last;
    }
    now->last = last;
    if (last <= now->first) {
        s->rotations += now->first - last + 1;
        s->sweeps++;
    }
}

/* Returns the length of (f, g), whose squares cannot overflow. */
static double length_of(double f, double g)
{
    double length = sqrt(f * f + g * g);
    return length > 1e-140 ? length : hypot(f, g); // squares may underflow
}

/* Returns d[m] minus Wilkinson's shift, the eigenvalue of the upper 2 x 2 block that is nearer to d[l]. */
static double shifted(const ql *s, int64_t l, int64_t m)
{
    double half = (s->d[l + 1] - s->d[l]) / (2.0 * s->e[l]);
    return s->d[m] - s->d[l] + s->e[l] / (half + copysign(hypot(half, 1.0), half));
}

/* Makes one sweep from row m up to row l, between which no e is negligible. */
static void sweep_up(ql *s, int64_t l, int64_t m)
{
    double g = shifted(s, l, m), sine = 1.0, cosine = 1.0, moved = 0.0, *rotation = begin_sweep(s, m - 1);
    for (int64_t i = m - 1; i >= l; i--) {
        double f = sine * s->e[i], b = cosine * s->e[i], length = length_of(f, g);
        if (i + 1 < m) {
            s->e[i + 1] = length;
        }
        if (length == 0.0) { // the matrix splits into two here
            s->d[i + 1] -= moved;
            end_sweep(s, i + 1, rotation);
            return;
        }
        double inverse = 1.0 / length;
        sine = f * inverse;
        cosine = g * inverse;
        g = s->d[i + 1] - moved;
        double r = (s->d[i] - g) * sine + 2.0 * cosine * b;
        moved = sine * r;
        s->d[i + 1] = g + moved;
        g = cosine * r - b;
        *rotation++ = cosine;
        *rotation++ = sine;
    }
    s->d[l] -= moved;
    s->e[l] = g;
    end_sweep(s, l, rotation);
}

/* Returns the last row of the block that begins with row l. */
static int64_t block_end(ql *s, int64_t l)
{
    while (l + 1 < s->n) {
        double size = fabs(s->e[l]), beside = fabs(s->d[l]) + fabs(s->d[l + 1]);
        if (size <= s->negligible || size <= 0.5 * DBL_EPSILON * beside) {
            s->e[l] = 0.0;
            return l;
        }
        l++;
    }
    return l;
}

/* Finds all eigenvalues; returns how many are missing if MAX_SWEEPS did not suffice for one of them. */
static int64_t find_values(ql *s)
{
    for (int64_t l = 0; l < s->n; l++) {
        int64_t end, left = MAX_SWEEPS;
        while ((end = block_end(s, l)) > l) {
            if (left-- == 0) {
                return s->n - l;
            }
            sweep_up(s, l, end);
        }
    }
    apply_sweeps(s);
    return 0;
}

static void exchange(int64_t count, double *a, double *b)
{
    for (int64_t i = 0; i < count; i++) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

/*
 * Reverses the order of T and of the vectors if the last number of T is smaller than the first: sweeps go up from the
 * bottom and find small values at the top first, so fewer are needed if small values are there.
 */
static void turn_round(ql *s)
{
    if (fabs(s->d[s->n - 1]) >= fabs(s->d[0])) {
        return;
    }
    for (int64_t i = 0, j = s->n - 1; i < j; i++, j--) {
        exchange(1, s->d + i, s->d + j);
        exchange(s->n, s->q + i * s->n, s->q + j * s->n);
    }
    for (int64_t i = 0, j = s->n - 2; i < j; i++, j--) {
        exchange(1, s->e + i, s->e + j);
    }
}

/* Scales a by a power of two, so that the largest number is about one; returns the exponent that undoes it. */
static int scale(int64_t k, double *a)
{
    double most = 0.0;
    int power = 0;
    for (int64_t j = 0; j < k; j++) {
        for (int64_t i = j; i < k; i++) {
            most = fmax(most, fabs(a[j * k + i]));
        }
    }
    frexp(most, &power);
    double half = ldexp(1.0, -(power / 2)), rest = ldexp(1.0, power / 2 - power); // their product may be infinite
    for (int64_t i = 0; power != 0 && i < k * k; i++) {
        a[i] = a[i] * half * rest;
    }
    return power;
}

/* Copies values and vectors in ascending order of the values. */
static void put_in_order(const ql *s, int power, double *a, double *w)
{
    for (int64_t i = 0; i < s->n; i++) {
        int64_t before = 0;
        for (int64_t j = 0; j < s->n; j++) {
            before += s->d[j] < s->d[i] || (j < i && s->d[j] == s->d[i]);
        }
        w[before] = ldexp(s->d[i], power);
        memcpy(a + before * s->n, s->q + i * s->n, (size_t)s->n * sizeof *a);
    }
}

/* Returns the largest sum of a row's absolute values. */
static double norm_of(const ql *s)
{
    double most = 0.0;
    for (int64_t i = 0; i < s->n; i++) {
        double left = i > 0 ? fabs(s->e[i - 1]) : 0.0, right = i + 1 < s->n ? fabs(s->e[i]) : 0.0;
        most = fmax(most, left + fabs(s->d[i]) + right);
    }
    return most;
}

int64_t plain_eigen_work(int64_t k)
{
    int64_t rotations = 2 * SWEEPS * k, reduction = plain_tridiagonal_work(k);
    return k * k + 2 * k + (rotations > reduction ? rotations : reduction);
}

int64_t plain_eigen(int64_t k, double *a, double *w, int64_t work_size, double *work)
{
    (void)work_size;
    ql s = {.n = k, .d = work, .e = work + k, .q = work + 2 * k, .rotation = work + 2 * k + k * k};
    int power = scale(k, a);
    plain_tridiagonal(k, a, s.d, s.e, s.q, s.rotation);
    s.negligible = 0.25 * DBL_EPSILON * norm_of(&s);
    turn_round(&s);
    int64_t missing = find_values(&s);
    if (missing == 0) {
        put_in_order(&s, power, a, w);
    }
    return missing;
}
