/* tile_kernel.c - the arithmetic of tiles; compiled once per instruction set. */
#include "classifier/tile.h"

#include "math/wide.h"

_Static_assert(TILE_PAD % WIDE == 0, "rows of segments are whole vectors");

/* ---- products and features -------------------------------------------------------------------------------------- */

static void find_products(const double *value, double *product)
{
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j += WIDE) {
            wide_store(product + 4 * i + j, value[i] * wide_load(value + 4 + j));
        }
    }
}

static void add_labels(const classifier_sample *s, const uint16_t *label, int64_t step, double *sums)
{
    int64_t products = s->basis * s->basis, basis = s->basis;
    for (int64_t row = 0; row < s->n; row++) {
        const double *value = s->value + 8 * row;
        double *to = sums + label[row * step] * products + s->corner[row];
        for (int i = 0; i < 4; i++, to += basis) {
            for (int j = 0; j < 4; j += WIDE) {
                wide_store(to + j, wide_load(to + j) + value[i] * wide_load(value + 4 + j));
            }
        }
    }
}

static double dot_products(const double *a, const double *b)
{
    wide sum = {0};
    for (int i = 0; i < TILE_PRODUCTS; i += WIDE) {
        sum += wide_load(a + i) * wide_load(b + i);
    }
    return wide_total(sum);
}

static void load(const classifier_model *m, classifier_tile *t)
{
    for (int64_t k = 0; k < t->rows; k++) {
        find_products(m->data->value + 8 * (t->from + k), t->product[k]);
        for (int64_t f = 0; f < m->rank; f++) {
            t->feature[k][f] = dot_products(t->product[k], t->coefficient[f]);
        }
        t->feature[k][m->rank] = 1.0;
    }
}

/* ---- probabilities ---------------------------------------------------------------------------------------------- */

/* Computes the logits of one row; returns the largest. */
static double fill_logits(const classifier_tile *t, int64_t r, const double *feature, double *logit)
{
    wide top = wide_fill(-INFINITY);
    for (int64_t e = 0; e < t->wide; e += WIDE) {
        wide sum = wide_load(t->weight + r * t->wide + e);
        for (int64_t f = 0; f < r; f++) {
            sum += feature[f] * wide_load(t->weight + f * t->wide + e);
        }
        wide_store(logit + e, sum);
        top = wide_select(sum > top, sum, top);
    }
    double largest = top[0];
    for (int i = 1; i < WIDE; i++) {
        largest = top[i] > largest ? top[i] : largest;
    }
    return largest;
}

/* Computes probabilities of one row from its logits; returns their sum before normalisation. */
static double find_probabilities(int64_t segments, const double *logit, double top, double *p)
{
    wide sum = {0};
    for (int64_t e = 0; e < segments; e += WIDE) {
        wide each = wide_exp_negative(wide_load(logit + e) - top);
        wide_store(p + e, each);
        sum += each;
    }
    double norm = wide_total(sum), share = 1.0 / norm;
    for (int64_t e = 0; e < segments; e += WIDE) {
        wide_store(p + e, share * wide_load(p + e));
    }
    return norm;
}

static void classify(const classifier_model *m, classifier_tile *t)
{
    double top[TILE], norm[TILE];
    for (int64_t k = 0; k < t->rows; k++) {
        double *logit = t->logit + k * t->wide;
        top[k] = fill_logits(t, m->rank, t->feature[k], logit);
        norm[k] = find_probabilities(t->wide, logit, top[k], t->probability + k * t->wide);
    }
    for (int64_t k = 0; k < t->rows; k += WIDE) {
        wide log_norm =
            wide_load_some(top + k, t->rows - k, 0.0) + wide_log(wide_load_some(norm + k, t->rows - k, 1.0));
        wide_store_some(t->log_norm + k, t->rows - k, log_norm);
    }
}

/* Computes p_e (d_e - sum_k p_k d_k), where d is the derivative of the logits c_e + sum_f a_ef h_f. */
static void move(const classifier_model *m, const classifier_tile *t, const tile_motion *to)
{
    int64_t r = m->rank, size = t->wide;
    for (int64_t k = 0; k < t->rows; k++) {
        const double *p = to->probability + k * size, *feature = to->feature + k * r;
        double *along = to->along + k * size;
        wide total = {0};
        for (int64_t e = 0; e < size; e += WIDE) {
            wide sum = wide_load(to->weight + r * size + e);
            for (int64_t f = 0; f < r; f++) {
                sum += feature[f] * wide_load(to->weight + f * size + e) +
                       t->feature[k][f] * wide_load(t->weight + f * size + e);
            }
            sum *= wide_load(p + e);
            wide_store(along + e, sum);
            total += sum;
        }
        double mean = wide_total(total);
        for (int64_t e = 0; e < size; e += WIDE) {
            wide_store(along + e, wide_load(along + e) - mean * wide_load(p + e));
        }
    }
}

/* ---- sums over rows --------------------------------------------------------------------------------------------- */

enum { BLOCK = 4, MAX_VECTORS = 8 / WIDE }; /* rows of a block; vectors of its columns */

/* c (4 rows of stride ldc) += sign * sum over rows of a[0..3] b, `vectors` of columns; rows are lda and ldb apart. */
static inline __attribute__((always_inline)) void sum_block(int64_t rows, const double *a, int64_t lda, const double *b,
                                                            int64_t ldb, double sign, const int vectors, double *c,
                                                            int64_t ldc)
{
    wide sum[BLOCK][MAX_VECTORS] = {{{0}}};
    for (int64_t k = 0; k < rows; k++) {
        wide right[MAX_VECTORS];
        for (int j = 0; j < vectors; j++) {
            right[j] = wide_load(b + k * ldb + WIDE * j);
        }
        for (int i = 0; i < BLOCK; i++) {
            double left = a[k * lda + i];
            for (int j = 0; j < vectors; j++) {
                sum[i][j] += left * right[j];
            }
        }
    }
    for (int i = 0; i < BLOCK; i++) {
        for (int j = 0; j < vectors; j++) {
            double *to = c + i * ldc + WIDE * j;
            wide_store(to, wide_load(to) + sign * sum[i][j]);
        }
    }
}

static void sum(int64_t rows, const double *a, int64_t left, const double *b, int64_t right, double sign, bool lower,
                double *c)
{
    for (int64_t i = 0; i < left; i += BLOCK) {
        int64_t j = 0, end = lower && i + BLOCK < right ? i + BLOCK : right;
        for (; j + 8 <= right && j < end; j += 8) {
            sum_block(rows, a + i, left, b + j, right, sign, MAX_VECTORS, c + i * right + j, right);
        }
        if (j < end) {
            sum_block(rows, a + i, left, b + j, right, sign, MAX_VECTORS / 2, c + i * right + j, right);
        }
    }
}

extern const tile_kernel IN_SET(tile);
const tile_kernel IN_SET(tile) = {load, classify, move, add_labels, sum};
