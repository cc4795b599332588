/*
 * explain_regress.c - regresses the group of a row, and the scores of a variable, on the causes of the variable.
 *
 * Least squares on B-splines of each cause and tensor products of each pair, with a penalty on second differences
 * (math/spline.h).  Sums over the rows of each fold are kept, so no pass over the rows is needed to leave out a fold or
 * to try a penalty.
 */
#include "math/linalg.h"
#include "math/spline.h"
#include "tasks/explain/explain_change.h"

#include <string.h>

enum { TILE = 256, PENALTIES = 6, MAX_TERMS = MECHANISM_MAX_CAUSES * (MECHANISM_MAX_CAUSES + 1) / 2 };

static const double PENALTY[PENALTIES] = {1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0}, RIDGE = 1e-4;

/* Splines of one cause, or products of splines of two causes (right is not NULL). */
typedef struct term {
    const mechanism_splines *left, *right;
    int64_t offset, rows, columns;
} term;

typedef struct regression {
    const explain_groups *g;
    int64_t terms, p;
    term term[MAX_TERMS];
    double *gram;     /* (folds + 1, p, p) of each fold, then of all rows */
    double *moment;   /* (folds + 1, EXPLAIN_RESPONSES, p) of each fold, then of all rows */
    double *penalty;  /* (p, p) */
    double *factor;   /* (p, p) */
    double *solution; /* (EXPLAIN_RESPONSES, p) */
    double *product;  /* (p) */
    double *chosen;   /* (folds, EXPLAIN_RESPONSES, p) */
    double *tile;     /* (TILE, p) */
} regression;

static void add_term(regression *r, const mechanism_splines *left, const mechanism_splines *right, int64_t rows)
{
    int64_t columns = right ? rows : 1;
    r->term[r->terms++] = (term){left, right, r->p, rows, columns};
    r->p += rows * columns;
}

static void set_terms(regression *r, int64_t causes, const int64_t *cause)
{
    const mechanism_data *rows = r->g->rows;
    for (int64_t i = 0; i < causes; i++) {
        add_term(r, &rows->cause[cause[i]], NULL, rows->cause_basis);
    }
    for (int64_t i = 0; i < causes; i++) {
        for (int64_t k = i + 1; k < causes; k++) {
            add_term(r, &rows->pair[cause[i]], &rows->pair[cause[k]], rows->pair_basis);
        }
    }
}

static void set_penalty(regression *r)
{
    for (int64_t t = 0; t < r->terms; t++) {
        const term *at = &r->term[t];
        for (int64_t c = 0; c < at->columns; c++) {
            spline_add_differences(2, 1.0, at->offset + c, at->rows, at->columns, r->p, r->penalty);
        }
        for (int64_t i = 0; at->right && i < at->rows; i++) {
            spline_add_differences(2, 1.0, at->offset + i * at->columns, at->columns, 1, r->p, r->penalty);
        }
    }
}

/* Computes the values of all splines at `count` rows from `from` on, column by column. */
static void fill_tile(regression *r, int64_t from, int64_t count)
{
    memset(r->tile, 0, (size_t)(TILE * r->p) * sizeof *r->tile);
    for (int64_t t = 0; t < r->terms; t++) {
        const term *at = &r->term[t];
        for (int64_t i = 0; i < count; i++) {
            int64_t row = r->g->place[from + i], corner = at->offset + at->left->first[row] * at->columns;
            const double *left = at->left->value + MECHANISM_CAUSE_ORDER * row;
            if (!at->right) {
                r->tile[corner * TILE + i] = left[0];
                r->tile[(corner + 1) * TILE + i] = left[1];
                continue;
            }
            const double *right = at->right->value + MECHANISM_CAUSE_ORDER * row;
            corner += at->right->first[row];
            for (int k = 0; k < 4; k++) {
                r->tile[(corner + k / 2 * at->columns + k % 2) * TILE + i] = left[k / 2] * right[k % 2];
            }
        }
    }
}

static void sum_rows(regression *r, const double *response)
{
    int64_t p = r->p, n = r->g->n, folds = r->g->folds;
    double *all = r->gram + folds * p * p, *all_moment = r->moment + folds * EXPLAIN_RESPONSES * p;
    for (int64_t k = 0; k < folds; k++) {
        double *gram = r->gram + k * p * p, *moment = r->moment + k * EXPLAIN_RESPONSES * p;
        for (int64_t from = r->g->block[k]; from < r->g->block[k + 1]; from += TILE) {
            int64_t left = r->g->block[k + 1] - from, count = left < TILE ? left : TILE;
            fill_tile(r, from, count);
            linalg_gemm(true, false, p, p, count, 1.0, r->tile, TILE, r->tile, TILE, 1.0, gram, p);
            linalg_gemm(true, false, p, EXPLAIN_RESPONSES, count, 1.0, r->tile, TILE, response + from, n, 1.0, moment,
                        p);
        }
        for (int64_t i = 0; i < p * p; i++) {
            all[i] += gram[i];
        }
        for (int64_t i = 0; i < EXPLAIN_RESPONSES * p; i++) {
            all_moment[i] += moment[i];
        }
    }
}

/* Computes the coefficients of all responses without fold k. */
static nonsens_status solve(nonsens_context *ctx, regression *r, int64_t k, double penalty)
{
    int64_t p = r->p, folds = r->g->folds;
    const double *all = r->gram + folds * p * p, *fold = r->gram + k * p * p;
    const double *all_moment = r->moment + folds * EXPLAIN_RESPONSES * p;
    const double *fold_moment = r->moment + k * EXPLAIN_RESPONSES * p;
    double rows = (double)(r->g->n - (r->g->block[k + 1] - r->g->block[k]));
    for (int64_t i = 0; i < p * p; i++) {
        r->factor[i] = (all[i] - fold[i]) / rows + penalty * r->penalty[i] + (i % (p + 1) == 0 ? RIDGE : 0.0);
    }
    for (int64_t i = 0; i < EXPLAIN_RESPONSES * p; i++) {
        r->solution[i] = (all_moment[i] - fold_moment[i]) / rows;
    }
    TRY(linalg_cholesky(ctx, p, r->factor));
    linalg_solve_lower(false, p, EXPLAIN_RESPONSES, r->factor, p, r->solution, p);
    linalg_solve_lower(true, p, EXPLAIN_RESPONSES, r->factor, p, r->solution, p);
    return NONSENS_OK;
}

/* Returns the sum of squared errors of response i in fold k, minus its sum of squares, which no penalty affects. */
static double held_out_error(regression *r, int64_t k, int64_t i)
{
    int64_t p = r->p;
    const double *b = r->solution + i * p;
    linalg_gemm(false, false, p, 1, p, 1.0, r->gram + k * p * p, p, b, p, 0.0, r->product, p);
    return linalg_dot(p, b, r->product) - 2.0 * linalg_dot(p, b, r->moment + (k * EXPLAIN_RESPONSES + i) * p);
}

static nonsens_status choose(nonsens_context *ctx, regression *r)
{
    int64_t p = r->p, folds = r->g->folds;
    double error[PENALTIES][EXPLAIN_RESPONSES] = {{0}};
    int best[EXPLAIN_RESPONSES] = {0};
    for (int q = 0; q < PENALTIES; q++) {
        for (int64_t k = 0; k < folds; k++) {
            TRY(solve(ctx, r, k, PENALTY[q]));
            for (int i = 0; i < EXPLAIN_RESPONSES; i++) {
                error[q][i] += held_out_error(r, k, i);
            }
        }
        for (int i = 0; i < EXPLAIN_RESPONSES; i++) {
            best[i] = error[q][i] < error[best[i]][i] ? q : best[i];
        }
    }
    for (int q = 0; q < PENALTIES; q++) {
        for (int64_t k = 0; k < folds; k++) {
            TRY(solve(ctx, r, k, PENALTY[q]));
            for (int i = 0; i < EXPLAIN_RESPONSES; i++) {
                if (best[i] == q) {
                    memcpy(r->chosen + (k * EXPLAIN_RESPONSES + i) * p, r->solution + i * p,
                           (size_t)p * sizeof(double));
                }
            }
        }
    }
    return NONSENS_OK;
}

static void subtract(regression *r, double *residual)
{
    int64_t p = r->p, n = r->g->n;
    for (int64_t k = 0; k < r->g->folds; k++) {
        for (int64_t from = r->g->block[k]; from < r->g->block[k + 1]; from += TILE) {
            int64_t left = r->g->block[k + 1] - from, count = left < TILE ? left : TILE;
            fill_tile(r, from, count);
            linalg_gemm(false, false, count, EXPLAIN_RESPONSES, p, -1.0, r->tile, TILE,
                        r->chosen + k * EXPLAIN_RESPONSES * p, p, 1.0, residual + from, n);
        }
    }
}

/* Subtracts the means of rows in other folds; for regressions without causes. */
static void subtract_means(const explain_groups *g, double *residual)
{
    for (int64_t i = 0; i < EXPLAIN_RESPONSES; i++) {
        double sum[MECHANISM_MAX_FOLDS] = {0}, all = 0.0, *of = residual + i * g->n;
        for (int64_t k = 0; k < g->folds; k++) {
            for (int64_t row = g->block[k]; row < g->block[k + 1]; row++) {
                sum[k] += of[row];
            }
            all += sum[k];
        }
        for (int64_t k = 0; k < g->folds; k++) {
            double rows = (double)(g->n - (g->block[k + 1] - g->block[k]));
            for (int64_t row = g->block[k]; row < g->block[k + 1]; row++) {
                of[row] -= (all - sum[k]) / rows;
            }
        }
    }
}

nonsens_status explain_regress(nonsens_context *ctx, arena *scratch, const explain_groups *g, int64_t causes,
                               const int64_t *cause, const double *response, double *residual)
{
    regression r = {.g = g};
    memcpy(residual, response, (size_t)(EXPLAIN_RESPONSES * g->n) * sizeof *residual);
    if (causes == 0) {
        subtract_means(g, residual);
        return NONSENS_OK;
    }
    set_terms(&r, causes, cause);
    ARENA_TRY(ctx, scratch, r.gram, (g->folds + 1) * r.p * r.p);
    ARENA_TRY(ctx, scratch, r.moment, (g->folds + 1) * EXPLAIN_RESPONSES * r.p);
    ARENA_TRY(ctx, scratch, r.penalty, r.p * r.p);
    ARENA_TRY(ctx, scratch, r.factor, r.p * r.p);
    ARENA_TRY(ctx, scratch, r.solution, EXPLAIN_RESPONSES * r.p);
    ARENA_TRY(ctx, scratch, r.product, r.p);
    ARENA_TRY(ctx, scratch, r.chosen, g->folds * EXPLAIN_RESPONSES * r.p);
    ARENA_TRY(ctx, scratch, r.tile, TILE * r.p);
    set_penalty(&r);
    sum_rows(&r, response);
    TRY(choose(ctx, &r));
    subtract(&r, residual);
    return NONSENS_OK;
}
