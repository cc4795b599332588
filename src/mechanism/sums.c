/* sums.c - adds up products of B-splines; compiled once per instruction set. */
#include "mechanism/sums.h"

#include "base/instruction_set.h"

#include <string.h>

enum { CAUSE = MECHANISM_CAUSE_ORDER, EFFECT = MECHANISM_EFFECT_ORDER };

typedef double four __attribute__((vector_size(SUMS_RIGHT * sizeof(double))));

static inline four outer(const double *a, const double *b)
{
    return (four){a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]};
}

/*
 * What sides() reads, as a local copy: writing the marks of used cells, which are bytes, may alias anything, so the
 * compiler would otherwise reload everything behind pointers at every row.
 */
typedef struct sources {
    const double *a, *da, *right; /* of the first term: left B-splines, their slopes, right ones */
    const double *b, *db, *other; /* of the second */
    const double *weight, *slope_weight, *own;
} sources;

/* Computes both sides of the outer product at row i, x and *y; the forms are constants where this is inlined. */
static inline __attribute__((always_inline)) four sides(const sources *s, term_form first, term_form second, int64_t i,
                                                        double *x)
{
    const double *a = s->a + (first <= FORM_PRODUCT ? EFFECT : CAUSE) * i;
    const double *b = s->b + (second <= FORM_PRODUCT ? EFFECT : CAUSE) * i;
    const double *right = first == FORM_PRODUCT || first == FORM_PAIR ? s->right + CAUSE * i : NULL;
    const double *other = second == FORM_PRODUCT || second == FORM_PAIR ? s->other + CAUSE * i : NULL;
    double w = s->weight[i];
    if (first == FORM_PRODUCT && second == FORM_PRODUCT) {
        memcpy(x, s->own + SUMS_TRIANGLE * i, SUMS_TRIANGLE * sizeof *x);
        return outer(right, other);
    }
    if (second <= FORM_PRODUCT) { // the first term is of y alone
        const double *da = s->da + EFFECT * i, *db = s->db + EFFECT * i;
        for (int k = 0, j = 0; j < EFFECT; j++) {
            for (int l = second == FORM_ALONE ? j : 0; l < EFFECT; l++, k++) {
                x[k] = w * a[j] * b[l] + s->slope_weight[i] * da[j] * db[l];
            }
        }
        return second == FORM_ALONE ? (four){1.0} : (four){other[0], other[1]};
    }
    if (first == FORM_MAIN && second == FORM_MAIN) {
        x[0] = w;
        return outer(a, b);
    }
    for (int j = 0; j < (first <= FORM_PRODUCT ? EFFECT : CAUSE); j++) {
        if (right && !(first == FORM_PRODUCT && second == FORM_MAIN)) {
            x[2 * j] = w * a[j] * right[0];
            x[2 * j + 1] = w * a[j] * right[1];
        } else {
            x[j] = w * a[j];
        }
    }
    if (second == FORM_MAIN) {
        return first == FORM_PRODUCT ? outer(right, b) : (four){b[0], b[1]};
    }
    return outer(b, other);
}

static inline __attribute__((always_inline)) void add_up(const sums_job *s, term_form first, term_form second,
                                                         int64_t left)
{
    const sums_term *t = s->term[0], *u = s->term[1];
    const sources from = {t->left.value,  t->left.slope, t->right.value,  u->left.value, u->left.slope,
                          u->right.value, s->weight,     s->slope_weight, s->own};
    const int32_t *cell_first = t->cell, *cell_second = s->cell;
    double *sum_of_cells = s->sum;
    uint8_t *used = s->used;
    int64_t n = s->n, cells = s->cells;
    for (int64_t i = 0; i < n; i++) {
        int64_t cell = cell_first[i] * cells + cell_second[i];
        double x[SUMS_LEFT] = {0.0}, *at = sum_of_cells + cell * left * SUMS_RIGHT;
        four y = sides(&from, first, second, i, x);
        used[cell] = 1;
        for (int64_t k = 0; k < left; k++, at += SUMS_RIGHT) {
            four sum;
            memcpy(&sum, at, sizeof sum);
            sum += x[k] * y;
            memcpy(at, &sum, sizeof sum);
        }
    }
}

static void add_up_terms(const sums_job *s)
{
    switch (s->form[0] * FORMS + s->form[1]) {
    case FORM_ALONE *FORMS + FORM_ALONE:
        return add_up(s, FORM_ALONE, FORM_ALONE, 6);
    case FORM_ALONE *FORMS + FORM_PRODUCT:
        return add_up(s, FORM_ALONE, FORM_PRODUCT, 9);
    case FORM_ALONE *FORMS + FORM_MAIN:
        return add_up(s, FORM_ALONE, FORM_MAIN, 3);
    case FORM_ALONE *FORMS + FORM_PAIR:
        return add_up(s, FORM_ALONE, FORM_PAIR, 3);
    case FORM_PRODUCT *FORMS + FORM_PRODUCT:
        return add_up(s, FORM_PRODUCT, FORM_PRODUCT, 6);
    case FORM_PRODUCT *FORMS + FORM_MAIN:
        return add_up(s, FORM_PRODUCT, FORM_MAIN, 3);
    case FORM_PRODUCT *FORMS + FORM_PAIR:
        return add_up(s, FORM_PRODUCT, FORM_PAIR, 6);
    case FORM_MAIN *FORMS + FORM_MAIN:
        return add_up(s, FORM_MAIN, FORM_MAIN, 1);
    case FORM_MAIN *FORMS + FORM_PAIR:
        return add_up(s, FORM_MAIN, FORM_PAIR, 2);
    default:
        return add_up(s, FORM_PAIR, FORM_PAIR, 4);
    }
}

extern const sums_kernel IN_SET(sums);
const sums_kernel IN_SET(sums) = {add_up_terms};
