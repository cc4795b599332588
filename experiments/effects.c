/*
 * effects.c - measures effects and counterfactuals on simulated data whose interventions are simulated as well.
 *
 *     effects DEPTH FIRST_SEED REPS DRAWS [gp | table | parts]
 *
 * Data: node generator, six variables, ten segments of 512 rows, the true graph.  For each pair x -> ... -> y, and nine
 * values of x spread evenly over its middle 80 %, it measures: the error of E[y | do(x)] in standard deviations of y,
 * by the engine, by linear adjustment on the true causes of x and, with `gp`, by Gaussian-process adjustment; the share
 * of 95 % intervals that cover the truth; and the root mean square error of y' - y over that of the linear model, for
 * rows in whose segment the value lies between the tenth and the ninetieth percentile of x.  The true E comes from
 * 3,072 rows in each segment.  Prints a line for each data set, then means with standard errors.
 *
 * `parts` prints, for each of these means, its error and the two parts of its standard error (bootstrap samples, and
 * the distance between the two estimates), all in standard deviations of y.
 */
#include "base/rng.h"
#include "data/dataset.h"
#include "math/linalg.h"
#include "math/sort.h"
#include "math/special.h"
#include "regress/gp.h"
#include "simulate/simulate.h"
#include "tasks/effect/effect.h"
#include "tasks/effect/effect_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { D = 6, SEGMENTS = 10, ROWS = 512, TRUTH_ROWS = 3072, GRID = 9, INDUCING = 400, AVERAGED = 1000 };

/* What is measured on a data set. */
enum {
    OURS,
    LINEAR,
    GP,
    COVERED,
    SQUARE_OURS,
    SQUARE_LINEAR,
    RATIO,
    CORRELATION,
    WIDTH,
    FIT_SECONDS,
    SECONDS,
    MEASURES
};
static const char *const MEASURE[MEASURES] = {"ours",  "linear",      "gp",    "covered",     "rms_ours", "rms_linear",
                                              "ratio", "correlation", "width", "fit_seconds", "seconds"};

static const int64_t ALL = SEGMENTS * ROWS;

typedef struct study {
    nonsens_context *ctx;
    int64_t depth, draws;
    bool with_gp, parts;
    double measure[MEASURES];
} study;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static nonsens_status simulate(nonsens_context *ctx, const study *s, int64_t seed, int64_t rows, const char *set,
                               nonsens_simulation **out)
{
    nonsens_options *o;
    char text[32];
    TRY(nonsens_options_new(ctx, NONSENS_COMMAND_SIMULATE, &o));
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {{"seed", seed}, {"nodes", D}, {"depth", s->depth}, {"segments", SEGMENTS}, {"per-segment", rows}};
    nonsens_status status = nonsens_options_set(ctx, o, "sem", "node");
    for (int i = 0; i < 5 && status == NONSENS_OK; i++) {
        snprintf(text, sizeof text, "%" PRId64, numbers[i].value);
        status = nonsens_options_set(ctx, o, numbers[i].key, text);
    }
    status = status == NONSENS_OK && set ? nonsens_options_set(ctx, o, "do", set) : status;
    status = status == NONSENS_OK ? nonsens_simulation_new(ctx, o, out) : status;
    nonsens_options_free(o);
    return status;
}

/* ---- the two peers ------------------------------------------------------------------------------------------------
 */

/* Lists the variables that an adjustment regresses y on: x, then the causes of x. */
static int64_t list_regressors(const bool *edge, int64_t x, int64_t *list)
{
    int64_t count = 0;
    list[count++] = x;
    for (int64_t i = 0; i < D; i++) {
        if (edge[i * D + x]) {
            list[count++] = i;
        }
    }
    return count;
}

static double mean_of(const double *v)
{
    double sum = 0.0;
    for (int64_t i = 0; i < ALL; i++) {
        sum += v[i] / (double)ALL;
    }
    return sum;
}

/* Returns the coefficient of x. */
static nonsens_status regress_line(nonsens_context *ctx, double *const *column, int64_t count, const int64_t *list,
                                   int64_t y, double *slope)
{
    SCOPED_ARENA(scratch);
    double gram[D * D], right[D];
    for (int64_t a = 0; a < count; a++) {
        double mean = mean_of(column[list[a]]), y_mean = mean_of(column[y]);
        right[a] = 0.0;
        for (int64_t i = 0; i < ALL; i++) {
            right[a] += (column[list[a]][i] - mean) * (column[y][i] - y_mean);
        }
        for (int64_t b = 0; b < count; b++) {
            double other = mean_of(column[list[b]]);
            gram[a * count + b] = 0.0;
            for (int64_t i = 0; i < ALL; i++) {
                gram[a * count + b] += (column[list[a]][i] - mean) * (column[list[b]][i] - other);
            }
        }
    }
    TRY(linalg_solve(ctx, &scratch, count, 1, gram, right));
    *slope = right[0];
    return NONSENS_OK;
}

static double kernel(double *const *column, int64_t count, const int64_t *list, const gp_fit *fit, int64_t i, int64_t k,
                     double x)
{
    double square = 0.0;
    for (int64_t a = 0; a < count; a++) {
        double left = a == 0 && !isnan(x) ? x : column[list[a]][i];
        if (fit->length[a] > 0.0) {
            square += (left - column[list[a]][k]) * (left - column[list[a]][k]) / (fit->length[a] * fit->length[a]);
        }
    }
    return fit->signal * exp(-0.5 * square);
}

/* With one regressor: reads the mean off the nearest rows. */
static nonsens_status interpolate(nonsens_context *ctx, arena *a, const double *x, const gp_fit *fit,
                                  const double *grid, double *out)
{
    sort_entry *entry, *spare;
    ARENA_TRY(ctx, a, entry, ALL);
    ARENA_TRY(ctx, a, spare, ALL);
    sort_column(x, ALL, entry, spare);
    for (int g = 0; g < GRID; g++) {
        int64_t i = 0;
        while (i + 1 < ALL && x[entry[i + 1].row] < grid[g]) {
            i++;
        }
        out[g] = 0.5 * (fit->mean[entry[i].row] + fit->mean[entry[i + 1 < ALL ? i + 1 : i].row]);
    }
    return NONSENS_OK;
}

/*
 * Computes E[y | do(x)] at the grid: f(x, causes) averaged over rows.  Hyper-parameters come from gp_regress; f is
 * fitted to all rows with INDUCING inducing points (deterministic training conditional).
 */
static nonsens_status adjust_gp(nonsens_context *ctx, double *const *column, int64_t count, const int64_t *list,
                                int64_t y, const double *grid, double *out)
{
    SCOPED_ARENA(a);
    SCOPED_ARENA(scratch);
    const double *x[D];
    gp_options how = {.threads = 1};
    gp_fit fit;
    for (int64_t k = 0; k < count; k++) {
        x[k] = column[list[k]];
    }
    column_set set = {ALL, count, x};
    TRY(gp_regress(ctx, &a, &scratch, &set, column[y], &how, &fit));
    double mean = mean_of(column[y]), *cross, *gram, *right;
    if (fit.constant || fit.all_noise || count == 1) {
        for (int g = 0; g < GRID; g++) {
            out[g] = mean;
        }
        return fit.constant || fit.all_noise ? NONSENS_OK : interpolate(ctx, &a, x[0], &fit, grid, out);
    }
    ARENA_TRY(ctx, &a, cross, INDUCING * ALL); // (INDUCING, n)
    ARENA_TRY(ctx, &a, gram, INDUCING * INDUCING);
    ARENA_TRY(ctx, &a, right, INDUCING);
    for (int64_t i = 0; i < ALL; i++) {
        for (int64_t k = 0; k < INDUCING; k++) {
            cross[i * INDUCING + k] = kernel(column, count, list, &fit, i, k * ALL / INDUCING, NAN);
            right[k] += cross[i * INDUCING + k] * (column[y][i] - mean);
        }
    }
    for (int64_t k = 0; k < INDUCING; k++) {
        for (int64_t j = 0; j < INDUCING; j++) {
            gram[k * INDUCING + j] =
                fit.noise * (kernel(column, count, list, &fit, j * ALL / INDUCING, k * ALL / INDUCING, NAN) +
                             (k == j ? 1e-6 * fit.signal : 0.0));
        }
    }
    linalg_outer(INDUCING, ALL, cross, INDUCING, 1.0, gram);
    TRY(linalg_cholesky(ctx, INDUCING, gram));
    linalg_solve_lower(false, INDUCING, 1, gram, INDUCING, right, INDUCING);
    linalg_solve_lower(true, INDUCING, 1, gram, INDUCING, right, INDUCING);
    for (int g = 0; g < GRID; g++) {
        out[g] = mean;
        for (int64_t r = 0; r < AVERAGED; r++) {
            for (int64_t k = 0; k < INDUCING; k++) {
                out[g] += right[k] / AVERAGED *
                          kernel(column, count, list, &fit, r * ALL / AVERAGED, k * ALL / INDUCING, grid[g]);
            }
        }
    }
    return NONSENS_OK;
}

/* ---- one data set -------------------------------------------------------------------------------------------------
 */

typedef struct problem {
    nonsens_simulation *plain, *set[D][GRID]; /* each `set` has TRUTH_ROWS rows per segment */
    nonsens_data *data;
    double *column[D];               /* (ALL) in the order of the simulation's rows */
    int64_t row_of[SEGMENTS * ROWS]; /* row of the data of each row of the simulation */
    double grid[D][GRID], sd[D], bound[D][SEGMENTS][2];
    bool has_effects[D];
    effect_model *model;
} problem;

static nonsens_status quantiles(nonsens_context *ctx, int64_t n, const double *v, double *low, double *high)
{
    SCOPED_ARENA(scratch);
    double *sorted;
    TRY(sort_copy(ctx, &scratch, n, v, &sorted));
    *low = sorted[n / 10];
    *high = sorted[n - 1 - n / 10];
    return NONSENS_OK;
}

static nonsens_status set_up(study *s, int64_t seed, problem *p)
{
    nonsens_context *ctx = s->ctx;
    TRY(simulate(ctx, s, seed, ROWS, NULL, &p->plain));
    TRY(nonsens_simulation_data(ctx, p->plain, &p->data));
    for (int64_t i = 0; i < ALL; i++) {
        p->row_of[p->data->input_row[i]] = i;
    }
    double begun = now();
    effect_options how = effect_options_default();
    how.draws = s->draws;
    how.threads = 1;
    TRY(effect_model_new(ctx, p->data, p->plain->edge, &how, &p->model));
    s->measure[FIT_SECONDS] = now() - begun;
    for (int64_t j = 0; j < D; j++) {
        double low, high, square = 0.0;
        p->column[j] = matrix_col(p->plain->x, j);
        double mean = mean_of(p->column[j]);
        for (int64_t i = 0; i < ALL; i++) {
            square += (p->column[j][i] - mean) * (p->column[j][i] - mean) / (double)ALL;
        }
        p->sd[j] = sqrt(square);
        TRY(quantiles(ctx, ALL, p->column[j], &low, &high));
        for (int64_t e = 0; e < SEGMENTS; e++) {
            TRY(quantiles(ctx, ROWS, p->column[j] + e * ROWS, &p->bound[j][e][0], &p->bound[j][e][1]));
        }
        for (int64_t k = 0; k < D; k++) {
            p->has_effects[j] = p->has_effects[j] || (k != j && effect_has_path(p->model, j, k));
        }
        for (int g = 0; g < GRID; g++) {
            char text[64];
            p->grid[j][g] = low + (high - low) * g / (GRID - 1);
            snprintf(text, sizeof text, "x%d=%.17g", (int)j + 1, p->grid[j][g]);
            TRY(p->has_effects[j] ? simulate(ctx, s, seed, TRUTH_ROWS, text, &p->set[j][g]) : NONSENS_OK);
        }
    }
    return NONSENS_OK;
}

static void tear_down(problem *p)
{
    effect_model_free(p->model);
    nonsens_data_free(p->data);
    nonsens_simulation_free(p->plain);
    for (int64_t j = 0; j < D; j++) {
        for (int g = 0; g < GRID; g++) {
            nonsens_simulation_free(p->set[j][g]);
        }
    }
}

/* Sums over pairs and grid. */
typedef struct sums {
    double count, error[3], covered, width;
    double cells, ours, linear, moment[5]; /* sums over rows */
} sums;

static double true_mean(const problem *p, int64_t x, int64_t y, int g)
{
    double sum = 0.0;
    for (int64_t i = 0; i < SEGMENTS * TRUTH_ROWS; i++) {
        sum += matrix_col(p->set[x][g]->x, y)[i] / (SEGMENTS * (double)TRUTH_ROWS);
    }
    return sum;
}

static void add_rows(const problem *p, int64_t x, int64_t y, int g, const double *value, double slope, sums *t)
{
    for (int64_t i = 0; i < ALL; i++) {
        int64_t e = i / ROWS;
        if (p->grid[x][g] < p->bound[x][e][0] || p->grid[x][g] > p->bound[x][e][1]) {
            continue;
        }
        double before = p->column[y][i], change = p->grid[x][g] - p->column[x][i];
        double truth = (matrix_col(p->set[x][g]->x, y)[e * TRUTH_ROWS + i % ROWS] - before) / p->sd[y];
        double ours = (value[p->row_of[i] * D + y] - before) / p->sd[y], linear = slope * change / p->sd[y];
        t->cells += 1.0;
        t->ours += (ours - truth) * (ours - truth);
        t->linear += (linear - truth) * (linear - truth);
        t->moment[0] += ours;
        t->moment[1] += truth;
        t->moment[2] += ours * ours;
        t->moment[3] += truth * truth;
        t->moment[4] += ours * truth;
    }
}

static nonsens_status add_pair(const study *s, const problem *p, int64_t x, int64_t y, const effect_answer *answer,
                               double *const *value, sums *t)
{
    int64_t list[D], count = list_regressors(p->plain->edge, x, list);
    double slope, by_gp[GRID] = {0.0};
    TRY(regress_line(s->ctx, p->column, count, list, y, &slope));
    TRY(s->with_gp ? adjust_gp(s->ctx, p->column, count, list, y, p->grid[x], by_gp) : NONSENS_OK);
    for (int g = 0; g < GRID; g++) {
        const effect_value *mean = &answer[g * D + y].then.mean;
        double truth = true_mean(p, x, y, g);
        double linear = mean_of(p->column[y]) + slope * (p->grid[x][g] - mean_of(p->column[x]));
        t->count += 1.0;
        t->error[OURS] += fabs(mean->value - truth) / p->sd[y];
        t->error[LINEAR] += fabs(linear - truth) / p->sd[y];
        t->error[GP] += fabs(by_gp[g] - truth) / p->sd[y];
        t->covered += truth >= mean->low && truth <= mean->high;
        t->width += (mean->high - mean->low) / p->sd[y];
        add_rows(p, x, y, g, value[g], slope, t);
    }
    return NONSENS_OK;
}

/* Prints the error of each mean and the two parts of its standard error. */
static nonsens_status print_parts(study *s, const problem *p, int64_t count, const effect_scenario *scenario)
{
    SCOPED_ARENA(a);
    effect_ask *ask;
    effect_statistics found;
    int64_t place[D];
    double z = special_normal_quantile(0.5 + 0.5 * p->model->options.level);
    ARENA_TRY(s->ctx, &a, ask, count);
    for (int64_t j = 0; j < D; j++) {
        place[j] = p->model->place[j];
    }
    for (int64_t k = 0; k < count; k++) {
        ask[k].segment = EFFECT_ALL_SEGMENTS;
        TRY(effect_action_new(s->ctx, &a, p->model, 1, scenario[k].change, &ask[k].action));
    }
    TRY(effect_ask_all(s->ctx, &a, p->model, count, ask, D, place, false, &found));
    int64_t size = count * D * 2 * EFFECT_STATISTICS;
    for (int64_t k = 0; k < count; k++) {
        int64_t x = scenario[k].change->variable;
        for (int64_t y = 0; y < D; y++) {
            if (x != y && effect_has_path(p->model, x, y)) {
                int64_t at = effect_statistics_at(&found, k, y, 1);
                double half = effect_half_width_of_rows(p->model, found.drawn + at, found.draws, size);
                double value = p->model->sign[place[y]] * found.full[at];
                printf("part %" PRId64 " %" PRId64 " %.6f %.6f %.6f\n", x, y,
                       (value - true_mean(p, x, y, (int)(k % GRID))) / p->sd[y], half / z / p->sd[y],
                       fabs(found.apart[at]) / p->sd[y]);
            }
        }
    }
    return NONSENS_OK;
}

static nonsens_status measure(study *s, const problem *p, sums *t)
{
    SCOPED_ARENA(a);
    effect_scenario *scenario;
    effect_change *change;
    effect_answer *answer;
    int64_t *row, count = 0, outcome[D], first[D];
    double *value[GRID];
    ARENA_TRY(s->ctx, &a, scenario, D * GRID);
    ARENA_TRY(s->ctx, &a, change, D * GRID);
    ARENA_TRY(s->ctx, &a, answer, D * GRID * D);
    ARENA_TRY(s->ctx, &a, row, ALL);
    for (int64_t i = 0; i < ALL; i++) {
        row[i] = i;
    }
    for (int64_t j = 0; j < D; j++) {
        outcome[j] = j;
        first[j] = count;
        for (int g = 0; p->has_effects[j] && g < GRID; g++, count++) {
            change[count] = (effect_change){j, EFFECT_SET, p->grid[j][g]};
            scenario[count] = (effect_scenario){1, &change[count], EFFECT_ALL_SEGMENTS};
        }
    }
    if (s->parts) {
        return print_parts(s, p, count, scenario);
    }
    double begun = now();
    TRY(effect_answer_scenarios(s->ctx, p->model, count, scenario, D, outcome, answer));
    s->measure[SECONDS] = now() - begun;
    for (int g = 0; g < GRID; g++) {
        ARENA_TRY(s->ctx, &a, value[g], ALL * D);
    }
    for (int64_t x = 0; x < D; x++) {
        for (int g = 0; p->has_effects[x] && g < GRID; g++) {
            TRY(effect_rows(s->ctx, p->model, &scenario[first[x] + g], ALL, row, value[g], NULL, NULL));
        }
        for (int64_t y = 0; y < D; y++) {
            if (x != y && effect_has_path(p->model, x, y)) {
                TRY(add_pair(s, p, x, y, answer + first[x] * D, value, t));
            }
        }
    }
    return NONSENS_OK;
}

static void conclude(study *s, const sums *t)
{
    double n = t->cells, *m = s->measure;
    double cross = t->moment[4] / n - t->moment[0] * t->moment[1] / (n * n);
    double left = t->moment[2] / n - t->moment[0] * t->moment[0] / (n * n);
    double right = t->moment[3] / n - t->moment[1] * t->moment[1] / (n * n);
    for (int k = 0; k < 3; k++) {
        m[k] = t->error[k] / t->count;
    }
    m[COVERED] = t->covered / t->count;
    m[WIDTH] = t->width / t->count;
    m[SQUARE_OURS] = sqrt(t->ours / n);
    m[SQUARE_LINEAR] = sqrt(t->linear / n);
    m[RATIO] = m[SQUARE_OURS] / m[SQUARE_LINEAR];
    m[CORRELATION] = cross / sqrt(left * right);
}

static nonsens_status run(study *s, int64_t seed, bool *empty)
{
    static problem p;
    sums t = {0};
    p = (problem){0};
    nonsens_status status = set_up(s, seed, &p);
    status = status == NONSENS_OK ? measure(s, &p, &t) : status;
    *empty = t.count == 0.0;
    if (status == NONSENS_OK && !*empty) {
        conclude(s, &t);
    }
    tear_down(&p);
    return status;
}

/* Times the fits and the table of all effects. */
static nonsens_status time_table(study *s, int64_t seed)
{
    SCOPED_ARENA(a);
    nonsens_simulation *plain = NULL;
    nonsens_data *data = NULL;
    effect_model *model = NULL;
    effect_table table;
    effect_options how = effect_options_default();
    how.draws = s->draws;
    nonsens_status status = simulate(s->ctx, s, seed, ROWS, NULL, &plain);
    status = status == NONSENS_OK ? nonsens_simulation_data(s->ctx, plain, &data) : status;
    double begun = now();
    status = status == NONSENS_OK ? effect_model_new(s->ctx, data, plain->edge, &how, &model) : status;
    double fitted = now();
    status = status == NONSENS_OK ? effect_table_new(s->ctx, &a, model, &table) : status;
    printf("seed %" PRId64 " fit %.2f s, table %.2f s\n", seed, fitted - begun, now() - fitted);
    effect_model_free(model);
    nonsens_data_free(data);
    nonsens_simulation_free(plain);
    return status;
}

int main(int count, char **word)
{
    study s = {0};
    double sum[MEASURES] = {0}, square[MEASURES] = {0};
    int64_t done = 0;
    if (count < 5) {
        fprintf(stderr, "effects DEPTH FIRST_SEED REPS DRAWS [gp | table | parts]\n");
        return 2;
    }
    s.depth = atoll(word[1]);
    s.draws = atoll(word[4]);
    s.with_gp = count > 5 && strcmp(word[5], "gp") == 0;
    s.parts = count > 5 && strcmp(word[5], "parts") == 0;
    bool table = count > 5 && strcmp(word[5], "table") == 0;
    s.ctx = nonsens_context_new();
    if (!s.ctx) {
        return 1;
    }
    for (int64_t rep = 0; rep < atoll(word[3]); rep++) {
        bool empty = true;
        int64_t seed = atoll(word[2]) + rep;
        nonsens_status status = table ? time_table(&s, seed) : run(&s, seed, &empty);
        if (status != NONSENS_OK) {
            fprintf(stderr, "seed %" PRId64 ": %s\n", seed, nonsens_context_message(s.ctx));
            return 1;
        }
        if (s.parts) {
            printf("seed %" PRId64 "\n", seed);
        }
        if (empty) { // the graph has no edges
            continue;
        }
        done++;
        printf("seed %" PRId64, seed);
        for (int k = 0; k < MEASURES; k++) {
            printf(" %s=%.4f", MEASURE[k], s.measure[k]);
            sum[k] += s.measure[k];
            square[k] += s.measure[k] * s.measure[k];
        }
        printf("\n");
        fflush(stdout);
    }
    for (int k = 0; k < MEASURES && !table; k++) {
        double n = (double)done, mean = sum[k] / n;
        printf("%-12s %.4f  se %.4f\n", MEASURE[k], mean, sqrt(fmax(square[k] / n - mean * mean, 0.0) / (n - 1.0)));
    }
    if (!table) {
        printf("ratio of means: ours / linear %.3f, rows %.3f\n", sum[OURS] / sum[LINEAR],
               sum[SQUARE_OURS] / sum[SQUARE_LINEAR]);
    }
    nonsens_context_free(s.ctx);
    return 0;
}
