/* tile.c - loads tiles of rows, computes their logits and probabilities, and sums over them. */
#include "classifier/tile.h"

#include "math/pair_exp.h"

#include <math.h>
#include <string.h>

static const double NEVER = -1e30; /* logit of the padding */

nonsens_status tile_new(nonsens_context *ctx, arena *a, const classifier_model *m, const double *theta,
                        classifier_tile **out)
{
    int64_t segments = m->data->segments, wide = (segments + TILE_PAD - 1) / TILE_PAD * TILE_PAD, r = m->rank;
    ARENA_TRY(ctx, a, *out, 1);
    ARENA_TRY(ctx, a, (*out)->weight, (r + 1) * wide);
    ARENA_TRY(ctx, a, (*out)->logit, TILE * wide);
    ARENA_TRY(ctx, a, (*out)->probability, TILE * wide);
    (*out)->wide = wide;
    for (int64_t f = 0; f <= r; f++) {
        for (int64_t e = 0; e < wide; e++) {
            (*out)->weight[f * wide + e] = e < segments ? theta[model_weight(m, e, f)] : f < r ? 0.0 : NEVER;
        }
    }
    return NONSENS_OK;
}

void tile_locate(const classifier_model *m, const double *theta, int64_t corner, classifier_tile *t)
{
    int64_t basis = m->data->basis, products = basis * basis;
    for (int64_t f = 0; f < m->rank; f++) {
        for (int64_t i = 0; i < TILE_PRODUCTS; i++) {
            t->place[f][i] = m->place[f * products + corner + i / 4 * basis + i % 4];
            t->coefficient[f][i] = theta[t->place[f][i]];
        }
    }
}

void tile_load(const classifier_model *m, const double *theta, int64_t from, int64_t end, classifier_tile *t)
{
    const classifier_sample *s = m->data;
    t->from = from;
    t->rows = 1;
    while (t->rows < TILE && from + t->rows < end && s->corner[from + t->rows] == s->corner[from]) {
        t->rows++;
    }
    tile_locate(m, theta, s->corner[from], t);
    for (int64_t k = 0; k < t->rows; k++) {
        tile_products(s, from + k, t->product[k]);
        for (int64_t f = 0; f < m->rank; f++) {
            t->feature[k][f] = tile_dot(TILE_PRODUCTS, t->product[k], t->coefficient[f]);
        }
        t->feature[k][m->rank] = 1.0;
    }
}

/*
 * exp for x <= 0, to a few units in the last place even if the result is small, since probabilities are divisors.  It
 * ends at 1e-130: products of two such numbers with others are not subnormal yet, which would cost some processors a
 * hundred times the time of a product.
 */
static inline pair exp_negative(pair x)
{
    const double magic = 6755399441055744.0; /* 1.5 * 2^52: adding it rounds to an integer */
    const double lowest = -300.0;
    x = pair_select(x < lowest, pair_fill(lowest), x);
    pair shifted = x * 1.4426950408889634 + magic, whole = shifted - magic;
    pair_bits n = (pair_bits)shifted - (pair_bits)pair_fill(magic);
    pair r = x - whole * 0.69314718036912382; /* log 2 = this constant, which has 32 bits, plus the next */
    r = r - whole * 1.9082149292705877e-10;
    pair power = (pair)((n + 1023) << 52);
    return (1.0 + (pair_exp_tail(r) * (r * r) + r)) * power;
}

/* Logits of one row; returns the largest. */
static double fill_logits(const classifier_tile *t, int64_t r, const double *feature, double *logit)
{
    pair top = pair_fill(-INFINITY);
    for (int64_t e = 0; e < t->wide; e += 2) {
        pair sum = pair_load(t->weight + r * t->wide + e);
        for (int64_t f = 0; f < r; f++) {
            sum += feature[f] * pair_load(t->weight + f * t->wide + e);
        }
        pair_store(logit + e, sum);
        top = pair_select(sum > top, sum, top);
    }
    return top[0] > top[1] ? top[0] : top[1];
}

void tile_classify(const classifier_model *m, classifier_tile *t)
{
    for (int64_t k = 0; k < t->rows; k++) {
        double *logit = t->logit + k * t->wide, *p = t->probability + k * t->wide;
        double top = fill_logits(t, m->rank, t->feature[k], logit);
        pair sum[2] = {{0}};
        for (int64_t e = 0; e < t->wide; e += 4) {
            pair left = exp_negative(pair_load(logit + e) - top), right = exp_negative(pair_load(logit + e + 2) - top);
            pair_store(p + e, left);
            pair_store(p + e + 2, right);
            sum[0] += left;
            sum[1] += right;
        }
        sum[0] += sum[1];
        double norm = sum[0][0] + sum[0][1], share = 1.0 / norm;
        for (int64_t e = 0; e < t->wide; e += 2) {
            pair_store(p + e, share * pair_load(p + e));
        }
        t->log_norm[k] = top + log(norm);
    }
}

/* c (4 rows of stride ldc, 2 * pairs columns) += sign * sum over rows of a[0..3] b; rows are lda and ldb apart. */
static inline void sum_block(int64_t rows, const double *a, int64_t lda, const double *b, int64_t ldb, double sign,
                             const int pairs, double *c, int64_t ldc)
{
    pair sum[4][4] = {{{0}}};
    for (int64_t k = 0; k < rows; k++) {
        pair right[4];
        for (int j = 0; j < pairs; j++) {
            right[j] = pair_load(b + k * ldb + 2 * j);
        }
        for (int i = 0; i < 4; i++) {
            double left = a[k * lda + i];
            for (int j = 0; j < pairs; j++) {
                sum[i][j] += left * right[j];
            }
        }
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < pairs; j++) {
            double *to = c + i * ldc + 2 * j;
            pair_store(to, pair_load(to) + sign * sum[i][j]);
        }
    }
}

void tile_sum(int64_t rows, const double *a, int64_t left, const double *b, int64_t right, double sign, bool lower,
              double *c)
{
    for (int64_t i = 0; i < left; i += 4) {
        int64_t j = 0, end = lower && i + 4 < right ? i + 4 : right;
        for (; j + 8 <= right && j < end; j += 8) {
            sum_block(rows, a + i, left, b + j, right, sign, 4, c + i * right + j, right);
        }
        if (j < end) {
            sum_block(rows, a + i, left, b + j, right, sign, 2, c + i * right + j, right);
        }
    }
}
