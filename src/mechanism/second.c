/* second.c - orders rows by cells, sums products of B-splines (sums.c) and adds the sums to the matrix. */
#include "mechanism/second.h"

#include "base/instruction_set.h"
#include "base/parallel.h"
#include "math/pair.h"

#include <string.h>

enum { CAUSE = MECHANISM_CAUSE_ORDER, EFFECT = MECHANISM_EFFECT_ORDER };

int64_t sums_left(term_form first, term_form second)
{
    static const int64_t LEFT[FORMS][FORMS] = {{6, 9, 3, 3}, {0, 6, 3, 6}, {0, 0, 1, 2}, {0, 0, 0, 4}};
    return LEFT[first][second];
}

KERNELS(sums_kernel, sums);

/* ---- terms in the order of the effect's cells ------------------------------------------------------------------- */

/* Cells of a term are pairs of a cell on the left and one on the right. */
static int64_t cells_right(const mechanism_term *t)
{
    return t->right ? t->columns - CAUSE + 1 : 1;
}

static int64_t cells_of(const mechanism_term *t)
{
    return (t->rows - (t->has_slope ? EFFECT : CAUSE) + 1) * cells_right(t);
}

/* Counts the cells of u that t does not share: two products share the cell of y, so those of u's cause are enough. */
static int64_t cells_of_second(const mechanism_term *t, const mechanism_term *u)
{
    return term_form_of(t) == FORM_PRODUCT && term_form_of(u) == FORM_PRODUCT ? cells_right(u) : cells_of(u);
}

/* Sorts rows by the effect's cell in products, then by its cell in the term of y alone. */
static nonsens_status sort_rows(nonsens_context *ctx, arena *a, const mechanism_model *m, int32_t *row)
{
    int64_t n = m->data->n, *start, *key, cells = m->data->alone_basis + m->data->effect_basis;
    const int32_t *inner = m->term[0].left->first;
    const int32_t *outer = m->terms > 1 && m->term[1].has_slope ? m->term[1].left->first : inner;
    ARENA_TRY(ctx, a, start, cells * cells + 1);
    ARENA_TRY(ctx, a, key, n);
    for (int64_t i = 0; i < n; i++) {
        key[i] = outer[i] * cells + inner[i];
        start[key[i] + 1]++;
    }
    for (int64_t k = 0; k < cells * cells; k++) {
        start[k + 1] += start[k];
    }
    for (int64_t i = 0; i < n; i++) {
        row[start[key[i]]++] = (int32_t)i;
    }
    return NONSENS_OK;
}

static nonsens_status sort_splines(nonsens_context *ctx, arena *a, int64_t n, int64_t order, const int32_t *row,
                                   const mechanism_splines *from, mechanism_splines *to)
{
    size_t bytes = (size_t)order * sizeof *to->value;
    ARENA_TRY(ctx, a, to->first, n);
    ARENA_TRY(ctx, a, to->value, order * n);
    if (from->slope) {
        ARENA_TRY(ctx, a, to->slope, order * n);
    }
    for (int64_t i = 0; i < n; i++) {
        to->first[i] = from->first[row[i]];
        memcpy(to->value + order * i, from->value + order * row[i], bytes);
        if (from->slope) {
            memcpy(to->slope + order * i, from->slope + order * row[i], bytes);
        }
    }
    return NONSENS_OK;
}

/* Returns the sorted copy that an earlier term has of these B-splines, or NULL. */
static const mechanism_splines *find_sorted(const mechanism_model *m, const mechanism_second *s, int64_t before,
                                            const mechanism_splines *of)
{
    for (int64_t t = 0; t < before; t++) {
        if (m->term[t].left == of) {
            return &s->term[t].left;
        }
        if (m->term[t].right == of) {
            return &s->term[t].right;
        }
    }
    return NULL;
}

static nonsens_status sort_term(nonsens_context *ctx, arena *a, const mechanism_model *m, int64_t t,
                                mechanism_second *s)
{
    const mechanism_term *term = &m->term[t];
    sums_term *to = &s->term[t];
    for (int side = 0; side < (term->right ? 2 : 1); side++) {
        const mechanism_splines *from = side ? term->right : term->left, *sorted = find_sorted(m, s, t, from);
        mechanism_splines *copy = side ? &to->right : &to->left;
        if (sorted) {
            *copy = *sorted;
        } else {
            int64_t order = term->has_slope && side == 0 ? EFFECT : CAUSE;
            TRY(sort_splines(ctx, a, m->data->n, order, s->row, from, copy));
        }
    }
    ARENA_TRY(ctx, a, to->cell, m->data->n);
    for (int64_t i = 0; i < m->data->n; i++) {
        int64_t right = term->right ? to->right.first[i] : 0;
        to->cell[i] = (int32_t)(to->left.first[i] * cells_right(term) + right);
    }
    return NONSENS_OK;
}

/* Allocates what changes from sum to sum. */
static nonsens_status make_room(nonsens_context *ctx, arena *a, const mechanism_model *m, mechanism_second *s)
{
    int64_t n = m->data->n;
    ARENA_TRY(ctx, a, s->weight, n);
    ARENA_TRY(ctx, a, s->slope_weight, n);
    ARENA_TRY(ctx, a, s->own, SUMS_TRIANGLE * n);
    ARENA_TRY(ctx, a, s->sum, s->sums);
    ARENA_TRY(ctx, a, s->used, s->cells);
    return NONSENS_OK;
}

nonsens_status mechanism_second_new(nonsens_context *ctx, arena *a, const mechanism_model *m, mechanism_second *out)
{
    int64_t n = m->data->n;
    *out = (mechanism_second){.kernel = instruction_set_choose(sums_kernels)};
    ARENA_TRY(ctx, a, out->row, n);
    TRY(sort_rows(ctx, a, m, out->row));
    for (int64_t t = 0; t < m->terms; t++) {
        TRY(sort_term(ctx, a, m, t, out));
        for (int64_t u = t; u < m->terms; u++) {
            int64_t cells = cells_of(&m->term[t]) * cells_of_second(&m->term[t], &m->term[u]);
            int64_t sums = cells * SUMS_RIGHT * sums_left(term_form_of(&m->term[t]), term_form_of(&m->term[u]));
            out->sums = sums > out->sums ? sums : out->sums;
            out->cells = cells > out->cells ? cells : out->cells;
        }
    }
    return make_room(ctx, a, m, out);
}

nonsens_status mechanism_second_beside(nonsens_context *ctx, arena *a, const mechanism_model *m,
                                       const mechanism_second *other, mechanism_second *out)
{
    *out = *other;
    return make_room(ctx, a, m, out);
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

/* Sorts the rows' second derivatives, and weights products of the effect's B-splines with them. */
static void weigh(const mechanism_model *m, mechanism_second *s, const double *second, const double *slope_second)
{
    const mechanism_splines *y = m->terms > 1 && m->term[1].has_slope ? &s->term[1].left : &s->term[0].left;
    for (int64_t i = 0; i < m->data->n; i++) {
        const double *value = y->value + EFFECT * i, *slope = y->slope + EFFECT * i;
        double *own = s->own + SUMS_TRIANGLE * i;
        s->weight[i] = second[s->row[i]];
        s->slope_weight[i] = slope_second[s->row[i]];
        for (int a = 0; a < EFFECT; a++) {
            for (int b = a; b < EFFECT; b++) {
                *own++ = s->weight[i] * value[a] * value[b] + s->slope_weight[i] * slope[a] * slope[b];
            }
        }
    }
}

/* Where a sum, or two adjacent sums, go: from this index in a pair of cells to that index in the matrix. */
typedef struct destination {
    int64_t from, to;
} destination;

enum { MAX_DESTINATIONS = EFFECT * CAUSE * EFFECT };

/* Returns the index of the product of B-splines t and u, (left, right) each, in the outer product of sums.c. */
static int64_t place_of(term_form first, term_form second, const int64_t *t, const int64_t *u)
{
    int64_t low = t[0] < u[0] ? t[0] : u[0], high = t[0] < u[0] ? u[0] : t[0];
    int64_t symmetric = SUMS_RIGHT * (low * (5 - low) / 2 + high);
    switch (first * FORMS + second) {
    case FORM_ALONE *FORMS + FORM_ALONE:
        return symmetric;
    case FORM_PRODUCT *FORMS + FORM_PRODUCT:
        return symmetric + CAUSE * t[1] + u[1];
    case FORM_ALONE *FORMS + FORM_PRODUCT:
        return SUMS_RIGHT * (EFFECT * t[0] + u[0]) + u[1];
    case FORM_ALONE *FORMS + FORM_MAIN:
        return SUMS_RIGHT * t[0] + u[0];
    case FORM_PRODUCT *FORMS + FORM_MAIN:
        return SUMS_RIGHT * t[0] + CAUSE * t[1] + u[0];
    case FORM_MAIN *FORMS + FORM_MAIN:
        return CAUSE * t[0] + u[0];
    case FORM_ALONE *FORMS + FORM_PAIR:
    case FORM_MAIN *FORMS + FORM_PAIR:
        return SUMS_RIGHT * t[0] + CAUSE * u[0] + u[1];
    default: // a product of y and a cause, or of two causes, with one of two causes
        return SUMS_RIGHT * (CAUSE * t[0] + t[1]) + CAUSE * u[0] + u[1];
    }
}

static int64_t list_destinations(const mechanism_term *first, const mechanism_term *second, int64_t ld,
                                 destination *list)
{
    int64_t count = 0, left = first->has_slope ? EFFECT : CAUSE, right = first->right ? CAUSE : 1;
    for (int64_t i = 0; i < left * right; i++) {
        for (int64_t k = 0; k < (second->has_slope ? EFFECT : CAUSE); k++) {
            int64_t t[2] = {i / right, i % right}, u[2] = {k, 0};
            list[count].from = place_of(term_form_of(first), term_form_of(second), t, u);
            list[count++].to = (t[0] * first->stride + t[1]) * ld + u[0] * second->stride;
        }
    }
    return count;
}

/* Adds the sums of one pair of cells to the matrix, and sets them to zero for the next terms. */
static inline void add_cell(double *sum, int64_t size, const destination *list, int64_t count, bool two, double *to)
{
    for (int64_t j = 0; j < count; j++) {
        double *at = to + list[j].to;
        double *from = sum + list[j].from;
        if (two) {
            pair_store(at, pair_load(at) + pair_load(from));
        } else {
            at[0] += from[0];
        }
    }
    for (int64_t j = 0; j < size; j += 2) {
        pair_store(sum + j, (pair){0.0});
    }
}

/* Adds the sums of all cells to the matrix. */
static void add_cells(const mechanism_model *m, const sums_job *job, const mechanism_term *t, const mechanism_term *u,
                      double *hessian)
{
    destination list[MAX_DESTINATIONS];
    int64_t count = list_destinations(t, u, m->ld, list), right = cells_right(t), other_right = cells_right(u);
    int64_t cells = cells_of(t), second_cells = cells_of_second(t, u);
    int64_t size = SUMS_RIGHT * sums_left(term_form_of(t), term_form_of(u));
    bool common = second_cells != cells_of(u), two = u->right;
    uint8_t *used = job->used;
    double *sum = job->sum;
    for (int64_t i = 0; i < cells; i++) {
        double *column = hessian + (t->offset + i / right * t->stride + i % right) * m->ld + u->offset;
        column += common ? i / right * u->stride : 0;
        for (int64_t left = 0; left < second_cells / other_right; left++) {
            for (int64_t k = 0; k < other_right; k++, sum += size, used++) {
                if (*used) {
                    add_cell(sum, size, list, count, two, column + left * u->stride + k);
                    *used = 0;
                }
            }
        }
    }
}

/* Adds what the products of terms t and u sum up to; sum and used are zero before and after. */
static void add_terms(const mechanism_model *m, const mechanism_second *s, int64_t t, int64_t u, double *sum,
                      uint8_t *used, double *hessian)
{
    term_form first = term_form_of(&m->term[t]), other = term_form_of(&m->term[u]);
    bool common = first == FORM_PRODUCT && other == FORM_PRODUCT;
    sums_job job = {.n = m->data->n,
                    .cells = cells_of_second(&m->term[t], &m->term[u]),
                    .form = {first, other},
                    .term = {&s->term[t], &s->term[u]},
                    .cell = common ? s->term[u].right.first : s->term[u].cell,
                    .weight = s->weight,
                    .slope_weight = s->slope_weight,
                    .own = s->own,
                    .sum = sum,
                    .used = used};
    s->kernel->add_up(&job);
    add_cells(m, &job, &m->term[t], &m->term[u], hessian);
}

typedef struct pairs_of_terms {
    const mechanism_model *m;
    const mechanism_second *s;
    double *hessian;
} pairs_of_terms;

/* Job: a pair of terms, whose part of the matrix no other pair has. */
static nonsens_status add_job(nonsens_context *ctx, arena *scratch, int64_t job, void *state)
{
    const pairs_of_terms *to = state;
    int64_t t = 0, u = job;
    for (; u >= to->m->terms - t; t++) {
        u -= to->m->terms - t;
    }
    u += t;
    const mechanism_term *first = &to->m->term[t], *second = &to->m->term[u];
    int64_t cells = cells_of(first) * cells_of_second(first, second);
    double *sum;
    uint8_t *used;
    ARENA_TRY(ctx, scratch, sum, cells * SUMS_RIGHT * sums_left(term_form_of(first), term_form_of(second)));
    ARENA_TRY(ctx, scratch, used, cells);
    add_terms(to->m, to->s, t, u, sum, used, to->hessian);
    return NONSENS_OK;
}

nonsens_status mechanism_second_add(nonsens_context *ctx, const mechanism_model *m, mechanism_second *s,
                                    const double *second, const double *slope_second, double *hessian)
{
    weigh(m, s, second, slope_second);
    if (parallel_threads(m->data->threads) > 1) {
        return parallel_for(ctx, m->data->threads, m->terms * (m->terms + 1) / 2, NULL, add_job,
                            &(pairs_of_terms){m, s, hessian});
    }
    for (int64_t t = 0; t < m->terms; t++) {
        for (int64_t u = t; u < m->terms; u++) {
            add_terms(m, s, t, u, s->sum, s->used, hessian);
        }
    }
    return NONSENS_OK;
}
