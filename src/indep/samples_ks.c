/*
 * samples_ks.c - Kolmogorov-Smirnov statistics of two and more samples.
 *
 * Kiefer (Ann. Math. Stat. 30, 1959): T = sup_x sum_e n_e (F_e(x) - F(x))^2 = sup_x (sum_e c_e^2 / n_e - c^2 / n) where
 * c_e and c count the rows up to x in group e and in all groups; for two groups, T = n_0 n_1 / n D^2.  Ties: the
 * functions are compared only after the last of equal values.
 *
 * Exact p of D for two groups: every arrangement of the labels is a path from (0, 0) to (n_0, n_1), all equally likely.
 * The last step of a random path to (i, j) comes from (i - 1, j) with probability i / (i + j); so the probability that
 * a path to (i, j) has met |i / n_0 - j / n_1| >= D is 1 there and otherwise the average of its predecessors with these
 * weights.  All terms are positive, so small tails keep their digits.  The comparison is made in whole numbers, and,
 * with ties, only where i + j rows end a run of equal values (Schroer and Trenkler, Comput. Stat. Data Anal. 20, 1995).
 */
#include "indep/samples_internal.h"

#include "math/kiefer.h"
#include "math/sort.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

double samples_ks_statistic(const samples_sorted *s, const int64_t *label, int64_t *count)
{
    double sum = 0.0, largest = 0.0, n = (double)s->n;
    memset(count, 0, (size_t)s->groups * sizeof *count);
    for (int64_t i = 0; i < s->n; i++) {
        int64_t e = label[i], c = count[e]++;
        sum += (double)(2 * c + 1) / (double)s->size[e];
        if (s->last[i]) {
            double all = (double)(i + 1), here = sum - all * all / n;
            largest = here > largest ? here : largest;
        }
    }
    return largest;
}

/* Returns |F_e - F_rest|, where F_rest is that of all other rows: F is a mixture of the two. */
static double distance_to_rest(const samples_sorted *s, int64_t e, int64_t count, int64_t all)
{
    double n = (double)s->n, size = (double)s->size[e];
    return fabs((double)count / size - (double)all / n) * n / (n - size);
}

/* F_e is constant between the group's values, so its distance is largest at or just before one of them. */
double samples_ks_effect(const samples_sorted *s, int64_t *count)
{
    double largest = 0.0;
    memset(count, 0, (size_t)s->groups * sizeof *count);
    for (int64_t first = 0, end; first < s->n; first = end) {
        for (end = first + 1; !s->last[end - 1]; end++) {
        }
        for (int64_t i = first; i < end; i++) {
            largest = fmax(largest, distance_to_rest(s, s->label[i], count[s->label[i]], first));
            if (i + 1 == end || s->label[i + 1] != s->label[i]) { // equal labels are together in a run of ties
                int64_t e = s->label[i], of_run = 1;
                while (i - of_run >= first && s->label[i - of_run] == e) {
                    of_run++;
                }
                count[e] += of_run;
                largest = fmax(largest, distance_to_rest(s, e, count[e], end));
            }
        }
    }
    return largest;
}

/* Returns max |c_0 n_1 - c_1 n_0| = n_0 n_1 D, a whole number. */
static int64_t whole_distance(const samples_sorted *s)
{
    int64_t count[2] = {0, 0}, largest = 0;
    for (int64_t i = 0; i < s->n; i++) {
        count[s->label[i]]++;
        int64_t here = count[0] * s->size[1] - count[1] * s->size[0];
        if (s->last[i] && (here > largest || -here > largest)) {
            largest = here < 0 ? -here : here;
        }
    }
    return largest;
}

nonsens_status samples_ks_exact(nonsens_context *ctx, arena *scratch, const samples_sorted *s, double *p_value)
{
    int64_t n0 = s->size[0], n1 = s->size[1], limit = whole_distance(s);
    double *met; // (n1 + 1): probability that a path to (i, j) has met it
    arena_mark mark = arena_tell(scratch);
    ARENA_TRY(ctx, scratch, met, n1 + 1);
    for (int64_t i = 0; i <= n0; i++) {
        for (int64_t j = 0; j <= n1; j++) {
            int64_t here = i * n1 - j * n0, steps = i + j;
            if ((here >= limit || -here >= limit) && steps > 0 && s->last[steps - 1]) {
                met[j] = 1.0;
            } else if (steps > 0) {
                double left = i > 0 ? (double)i * met[j] : 0.0, below = j > 0 ? (double)j * met[j - 1] : 0.0;
                met[j] = (left + below) / (double)steps;
            }
        }
        TRY(check_cancelled(ctx));
    }
    *p_value = met[n1] < 1.0 ? met[n1] : 1.0;
    arena_rewind(scratch, mark);
    return NONSENS_OK;
}
