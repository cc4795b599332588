/* sums_body.h - the code of sums.h; included once per instruction set, with SUMS as the name of the function. */
#include "mechanism/sums.h"

#include <string.h>

enum { CAUSE = MECHANISM_CAUSE_ORDER, EFFECT = MECHANISM_EFFECT_ORDER };

typedef double four __attribute__((vector_size(SUMS_RIGHT * sizeof(double))));

static inline four outer(const double *a, const double *b)
{
    return (four){a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1]};
}

/* Both sides of the outer product at row i; the two terms' forms are constants where this is inlined. */
static inline __attribute__((always_inline)) four sides(const sums_job *s, term_form first, term_form second, int64_t i,
                                                        double *x)
{
    const mechanism_splines *t = &s->term[0]->left, *u = &s->term[1]->left;
    const double *a = t->value + (first <= FORM_PRODUCT ? EFFECT : CAUSE) * i;
    const double *b = u->value + (second <= FORM_PRODUCT ? EFFECT : CAUSE) * i;
    const double *right = first == FORM_PRODUCT || first == FORM_PAIR ? s->term[0]->right.value + CAUSE * i : NULL;
    const double *other = second == FORM_PRODUCT || second == FORM_PAIR ? s->term[1]->right.value + CAUSE * i : NULL;
    double w = s->weight[i];
    if (first == FORM_PRODUCT && second == FORM_PRODUCT) {
        memcpy(x, s->own + SUMS_TRIANGLE * i, SUMS_TRIANGLE * sizeof *x);
        return outer(right, other);
    }
    if (second <= FORM_PRODUCT) { // the first term is of y alone
        const double *da = t->slope + EFFECT * i, *db = u->slope + EFFECT * i;
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
    for (int64_t i = 0; i < s->n; i++) {
        int64_t cell = s->term[0]->cell[i] * s->cells + s->cell[i];
        double x[SUMS_LEFT] = {0.0}, *at = s->sum + cell * left * SUMS_RIGHT;
        four y = sides(s, first, second, i, x);
        s->used[cell] = 1;
        for (int64_t k = 0; k < left; k++, at += SUMS_RIGHT) {
            four sum;
            memcpy(&sum, at, sizeof sum);
            sum += x[k] * y;
            memcpy(at, &sum, sizeof sum);
        }
    }
}

sums_fn SUMS;

void SUMS(const sums_job *s)
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
