/*
 * explain_size.c - measures disturbances in units of their normal spread.
 *
 * Regression: ridge on each cause and on hinges at its 2, 15, 50, 85 and 98 % quantiles, so the fit is linear beyond
 * the range of the normal rows.  The outer knots keep rare large values of a cause from bending the fit of the others.
 * What the lines add outside that range is less certain, so the spread grows by a share of it.
 *
 * The spread has a lower bound, so that neither rounding nor a tiny relative change makes a root cause of a metric that
 * hardly moves in normal times.
 *
 * p-value: the score is compared with scores of equally many normal rows, drawn at random or, in time, neighbouring
 * ones; beyond the draws a generalised Pareto tail is used (Hosking and Wallis, Technometrics 29, 1987).
 */
#include "tasks/explain/explain_size.h"

#include "base/rng.h"
#include "math/linalg.h"
#include "math/sort.h"

#include <math.h>
#include <string.h>

enum {
    HINGES = 5,
    PER_CAUSE = 1 + HINGES,
    FOLDS = 5,
    MIN_NORMAL = 10,
    DRAWS = 2000,
    RANGE_ROWS = 20,
    GRAINS = 256,
    BOOTSTRAPPED = 100
};

static const double HINGE[HINGES] = {0.02, 0.15, 0.5, 0.85, 0.98};
static const double SLOPE_RIDGE = 1e-3, HINGE_RIDGE = 1e-2; /* per row, of standardised causes */
static const double EXTRAPOLATED = 1.0;    /* share of what lines add beyond the normal range to count as spread */
static const double MIN_RELATIVE = 0.001;  /* smallest plausible spread, as a share of the median */
static const double IQR_OF_NORMAL = 1.349; /* interquartile range of a standard normal variable */
static const double SMALLEST_UNIT = 0.05;  /* in standard deviations; for bootstrap samples with many equal values */
static const double MIN_STRETCHES = 5.0;   /* fewer do not show how much their means vary by chance */
static const double TAIL = 0.1;            /* share of the draws that the Pareto tail is fitted to */
static const double STEP_FLOOR =
    0.25; /* smallest standard deviation of a step in normal rows, in standard deviations of the rows */

/* A variable and its causes in the rows that have them all; normal rows first. */
typedef struct sample {
    int64_t normal, fault, onset, causes, p;
    int32_t *segment;              /* (rows) */
    double *y;                     /* (rows) */
    double *x;                     /* (rows, causes) column by column; standardised by normal rows */
    double *low, *high, *knot;     /* (causes), (causes), (causes, HINGES): normal range, and knots */
    double *disturbance, *outside; /* (rows) residual; what lines beyond the normal range add */
} sample;

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static bool has_all(const nonsens_data *data, int64_t row, int64_t column, int64_t causes, const int64_t *cause)
{
    bool has = !dataset_is_gap(data, row, column);
    for (int64_t k = 0; has && k < causes; k++) {
        has = !dataset_is_gap(data, row, cause[k]);
    }
    return has;
}

/* Returns which part of the recording a row is in: 0 normal, 1 before the onset, 2 from the onset on. */
static int part_of(const explain_recording *rec, int64_t i)
{
    return i < rec->normal ? 0 : i < rec->normal + rec->onset ? 1 : 2;
}

/* Returns whether in each part at least half of the rows with a value of the variable also have one of the cause. */
static bool is_recorded(const explain_recording *rec, int64_t column, int64_t cause)
{
    int64_t rows[3] = {0}, missing[3] = {0};
    for (int64_t i = 0; rec->data->gap && i < rec->normal + rec->fault; i++) {
        if (!dataset_is_gap(rec->data, rec->row[i], column)) {
            rows[part_of(rec, i)]++;
            missing[part_of(rec, i)] += dataset_is_gap(rec->data, rec->row[i], cause);
        }
    }
    return 2 * missing[0] <= rows[0] && 2 * missing[1] <= rows[1] && 2 * missing[2] <= rows[2];
}

static nonsens_status take_sample(nonsens_context *ctx, arena *a, const explain_recording *rec, int64_t column,
                                  int64_t causes, const int64_t *cause, sample *s)
{
    int64_t rows = rec->normal + rec->fault, *kept, count = 0;
    *s = (sample){.causes = causes, .p = 1 + PER_CAUSE * causes};
    ARENA_TRY(ctx, a, kept, rows);
    ARENA_TRY(ctx, a, s->segment, rows);
    ARENA_TRY(ctx, a, s->y, rows);
    for (int64_t i = 0; i < rows; i++) {
        if (has_all(rec->data, rec->row[i], column, causes, cause)) {
            s->normal += i < rec->normal;
            s->fault += i >= rec->normal;
            s->onset += part_of(rec, i) == 1;
            s->segment[count] = rec->segment[i];
            kept[count++] = rec->row[i];
        }
    }
    ARENA_TRY(ctx, a, s->x, count * causes);
    for (int64_t i = 0; i < count; i++) {
        s->y[i] = matrix_col(rec->data->x, column)[kept[i]];
        for (int64_t k = 0; k < causes; k++) {
            s->x[k * count + i] = matrix_col(rec->data->x, cause[k])[kept[i]];
        }
    }
    return NONSENS_OK;
}

/* ---- spread ----------------------------------------------------------------------------------------------------- */

/* Returns the quantile at `at` of sorted values, by linear interpolation. */
static double quantile(int64_t n, const double *sorted, double at)
{
    double place = at * (double)(n - 1);
    int64_t below = (int64_t)place;
    return below + 1 < n ? sorted[below] + (place - (double)below) * (sorted[below + 1] - sorted[below])
                         : sorted[n - 1];
}

static nonsens_status middle_of(nonsens_context *ctx, arena *scratch, int64_t n, const double *v, double *median)
{
    double *sorted;
    TRY(sort_copy(ctx, scratch, n, v, &sorted));
    *median = quantile(n, sorted, 0.5);
    return NONSENS_OK;
}

/* Returns the smallest difference between values; infinite if all are equal. */
static double grain_of(int64_t n, const double *sorted)
{
    double grain = INFINITY;
    for (int64_t i = 1; i < n; i++) {
        double gap = sorted[i] - sorted[i - 1];
        grain = gap > 0.0 && gap < grain ? gap : grain;
    }
    return grain;
}

/* Computes the smallest plausible spread of a variable; all (rows): its values, normal rows first. */
static nonsens_status floor_of(nonsens_context *ctx, arena *scratch, int64_t normal, int64_t rows, const double *all,
                               double *min_spread)
{
    double *sorted, *every;
    TRY(sort_copy(ctx, scratch, normal, all, &sorted));
    TRY(sort_copy(ctx, scratch, rows, all, &every));
    double grain = grain_of(rows, every), relative = MIN_RELATIVE * fabs(quantile(normal, sorted, 0.5));
    *min_spread = isfinite(grain) ? fmax(fmin(relative, GRAINS * grain), grain) : 1.0;
    return NONSENS_OK;
}

/* ---- regression ------------------------------------------------------------------------------------------------- */

static nonsens_status standardise_causes(nonsens_context *ctx, arena *a, sample *s)
{
    int64_t rows = s->normal + s->fault;
    ARENA_TRY(ctx, a, s->low, s->causes);
    ARENA_TRY(ctx, a, s->high, s->causes);
    ARENA_TRY(ctx, a, s->knot, s->causes * HINGES);
    for (int64_t k = 0; k < s->causes; k++) {
        SCOPED_ARENA(scratch);
        double *x = s->x + k * rows, *sorted, min_spread;
        TRY(floor_of(ctx, &scratch, s->normal, rows, x, &min_spread));
        TRY(sort_copy(ctx, &scratch, s->normal, x, &sorted));
        double median = quantile(s->normal, sorted, 0.5);
        double iqr = quantile(s->normal, sorted, 0.75) - quantile(s->normal, sorted, 0.25);
        double unit = fmax(iqr / IQR_OF_NORMAL, min_spread);
        s->low[k] = (quantile(s->normal, sorted, 0.01) - median) / unit;
        s->high[k] = (quantile(s->normal, sorted, 0.99) - median) / unit;
        for (int h = 0; h < HINGES; h++) {
            s->knot[k * HINGES + h] = (quantile(s->normal, sorted, HINGE[h]) - median) / unit;
        }
        for (int64_t i = 0; i < rows; i++) {
            x[i] = (x[i] - median) / unit;
        }
    }
    return NONSENS_OK;
}

/* Computes the features of a row (p); clipped: with causes limited to their normal range. */
static void fill_features(const sample *s, int64_t row, bool clipped, double *to)
{
    int64_t rows = s->normal + s->fault;
    to[0] = 1.0;
    for (int64_t k = 0; k < s->causes; k++) {
        double x = s->x[k * rows + row], *at = to + 1 + k * PER_CAUSE;
        x = clipped ? fmin(fmax(x, s->low[k]), s->high[k]) : x;
        at[0] = x;
        for (int h = 0; h < HINGES; h++) {
            at[1 + h] = fmax(x - s->knot[k * HINGES + h], 0.0);
        }
    }
}

/* Returns the fold of a normal row; in time, neighbouring rows are in the same fold. */
static int64_t fold_of(const sample *s, bool in_time, int64_t row)
{
    return in_time ? row * FOLDS / s->normal : row % FOLDS;
}

/* Fits b (p) to the normal rows except those of a fold (-1: to all of them). */
static nonsens_status fit(nonsens_context *ctx, arena *scratch, const sample *s, bool in_time, int64_t fold, double *b)
{
    int64_t p = s->p;
    double *gram, *feature, rows = 0.0;
    ARENA_TRY(ctx, scratch, gram, p * p);
    ARENA_TRY(ctx, scratch, feature, p);
    for (int64_t j = 0; j < p; j++) {
        b[j] = 0.0;
    }
    for (int64_t i = 0; i < s->normal; i++) {
        if (fold_of(s, in_time, i) == fold) {
            continue;
        }
        fill_features(s, i, false, feature);
        rows += 1.0;
        for (int64_t j = 0; j < p; j++) {
            b[j] += feature[j] * s->y[i];
            for (int64_t k = 0; k <= j; k++) {
                gram[k * p + j] += feature[j] * feature[k];
            }
        }
    }
    for (int64_t j = 0; j < p; j++) {
        gram[j * p + j] += j == 0 ? 0.0 : rows * ((j - 1) % PER_CAUSE == 0 ? SLOPE_RIDGE : HINGE_RIDGE);
    }
    TRY(linalg_cholesky(ctx, p, gram));
    linalg_solve_lower(false, p, 1, gram, p, b, p);
    linalg_solve_lower(true, p, 1, gram, p, b, p);
    return NONSENS_OK;
}

/* Computes the disturbance of one row, and what lines beyond the normal range add to its prediction. */
static void predict(const sample *s, const double *b, int64_t row, double *feature)
{
    fill_features(s, row, true, feature);
    double inside = linalg_dot(s->p, b, feature);
    fill_features(s, row, false, feature);
    double all = linalg_dot(s->p, b, feature);
    s->disturbance[row] = s->y[row] - all;
    s->outside[row] = all - inside;
}

/* Computes disturbances: of normal rows by the fit without their fold, of others by the fit to all normal rows. */
static nonsens_status find_disturbances(nonsens_context *ctx, arena *a, bool in_time, sample *s)
{
    SCOPED_ARENA(scratch);
    double *b, *feature;
    int64_t rows = s->normal + s->fault;
    ARENA_TRY(ctx, a, s->disturbance, rows);
    ARENA_TRY(ctx, a, s->outside, rows);
    ARENA_TRY(ctx, &scratch, b, s->p);
    ARENA_TRY(ctx, &scratch, feature, s->p);
    for (int64_t fold = -1; fold < FOLDS; fold++) {
        arena_mark mark = arena_tell(&scratch);
        TRY(fit(ctx, &scratch, s, in_time, fold, b));
        arena_rewind(&scratch, mark);
        for (int64_t i = 0; i < rows; i++) {
            if ((i < s->normal ? fold_of(s, in_time, i) : -1) == fold) {
                predict(s, b, i, feature);
            }
        }
    }
    return NONSENS_OK;
}

/* ---- score ------------------------------------------------------------------------------------------------------ */

/* Returns the score of a window of rows: the root mean square or, with an onset, the step in the mean there. */
static double score_of(int64_t rows, int64_t onset, const double *z)
{
    double before = 0.0, after = 0.0;
    for (int64_t i = 0; i < rows; i++) {
        *(i < onset ? &before : &after) += onset > 0 ? z[i] : z[i] * z[i];
    }
    after /= (double)(rows - onset);
    return onset > 0 ? fabs(after - before / (double)onset) : sqrt(after);
}

/*
 * Rescales a window by the median and spread of a bootstrap sample of the normal rows: if these are few, the spread is
 * uncertain.  buffer, spare (normal): scratch.  min_spread: the lower bound of the spread, in standard deviations.
 */
static void rescale(const sample *s, rng *r, const double *z, double min_spread, double *buffer, double *spare,
                    double *window)
{
    for (int64_t i = 0; i < s->normal; i++) {
        buffer[i] = z[rng_below(r, (uint64_t)s->normal)];
    }
    sort_doubles(s->normal, buffer, spare);
    double median = quantile(s->normal, buffer, 0.5);
    double iqr = quantile(s->normal, buffer, 0.75) - quantile(s->normal, buffer, 0.25);
    double unit = fmax(fmax(iqr / IQR_OF_NORMAL, min_spread), SMALLEST_UNIT);
    for (int64_t i = 0; i < s->fault; i++) {
        window[i] = (window[i] - median) / unit;
    }
}

/* Shifts a window at random, as variables without a fault are shifted; drift: standard deviation of the shift. */
static void add_drift(double drift, rng *r, int64_t rows, double *window)
{
    double shift = drift > 0.0 ? drift * rng_normal(r) : 0.0;
    for (int64_t i = 0; i < rows; i++) {
        window[i] += shift;
    }
}

static double mean_of(int64_t n, const double *v)
{
    double sum = 0.0;
    for (int64_t i = 0; i < n; i++) {
        sum += v[i];
    }
    return sum / (double)n;
}

/* Draws windows of normal rows and computes their scores and absolute means (both: draws); in time, a window holds
 * neighbouring rows of one segment. */
static nonsens_status draw_scores(nonsens_context *ctx, arena *scratch, const explain_recording *rec, const sample *s,
                                  uint64_t stream, const double *z, double min_spread, int64_t *draws, double *drawn,
                                  double *mean)
{
    rng r = rng_new(rec->seed, RNG_CALIBRATION, stream);
    int64_t rows = s->fault;
    bool few = s->normal <= BOOTSTRAPPED;
    double *window, *buffer, *spare;
    ARENA_TRY(ctx, scratch, window, rows);
    ARENA_TRY(ctx, scratch, buffer, s->normal);
    ARENA_TRY(ctx, scratch, spare, s->normal);
    *draws = DRAWS;
    int64_t count = 0;
    for (int64_t k = 0; k < *draws; k++) {
        if (rec->in_time) {
            int64_t from = s->normal > rows ? (int64_t)rng_below(&r, (uint64_t)(s->normal - rows + 1)) : 0;
            if (s->normal < rows || s->segment[from] != s->segment[from + rows - 1]) {
                continue;
            }
            memcpy(window, z + from, (size_t)rows * sizeof *window);
        }
        for (int64_t i = 0; !rec->in_time && i < rows; i++) {
            window[i] = z[rng_below(&r, (uint64_t)s->normal)];
        }
        if (few && !rec->in_time) {
            rescale(s, &r, z, min_spread, buffer, spare, window);
        }
        add_drift(rec->drift, &r, rows, window);
        mean[count] = fabs(mean_of(rows, window));
        drawn[count++] = score_of(rows, s->onset, window);
    }
    *draws = count;
    return NONSENS_OK;
}

/* Returns the probability that a draw is at least `score`; sorted (draws). */
static double tail_of(int64_t draws, const double *sorted, double score)
{
    int64_t in_tail = (int64_t)(TAIL * (double)draws), from = draws - in_tail;
    double start = sorted[from > 0 ? from - 1 : 0], mean = 0.0, weighted = 0.0;
    if (score <= start || in_tail < 5) {
        int64_t above = 0;
        while (above < draws && sorted[draws - 1 - above] >= score) {
            above++;
        }
        return ((double)above + 1.0) / ((double)draws + 1.0);
    }
    for (int64_t i = 0; i < in_tail; i++) { // probability weighted moments
        double excess = sorted[from + i] - start;
        mean += excess / (double)in_tail;
        weighted += excess * ((double)(in_tail - i) - 0.65) / ((double)in_tail * (double)in_tail);
    }
    double shape = fmin(mean / fmax(mean - 2.0 * weighted, 1e-9 * mean) - 2.0, -1e-9); // no shorter than exponential
    double scale = fmax((1.0 + fmax(shape, -0.9)) * mean, 1e-9 * fabs(start));
    return TAIL * pow(1.0 - shape * (score - start) / scale, 1.0 / shape);
}

static nonsens_status judge(nonsens_context *ctx, arena *scratch, const explain_recording *rec, const sample *s,
                            uint64_t stream, const double *z, double min_spread, explain_size *out)
{
    double *drawn, *mean, *sorted, independent = (double)s->normal / (double)(rec->in_time ? s->fault : 1);
    double smallest = 1.0 / (5.0 * independent); // that so much normal data can support
    int64_t draws;
    ARENA_TRY(ctx, scratch, drawn, DRAWS);
    ARENA_TRY(ctx, scratch, mean, DRAWS);
    TRY(draw_scores(ctx, scratch, rec, s, stream, z, min_spread, &draws, drawn, mean));
    out->mean = mean_of(s->fault, z + s->normal);
    out->score = score_of(s->fault, s->onset, z + s->normal);
    if (draws < 20) {
        out->score = s->onset > 0 ? NAN : out->score;
        return NONSENS_OK;
    }
    if (independent >= MIN_STRETCHES) {
        TRY(middle_of(ctx, scratch, draws, mean, &out->usual_mean));
    }
    TRY(sort_copy(ctx, scratch, draws, drawn, &sorted));
    out->p_value = fmin(fmax(tail_of(draws, sorted, out->score), smallest), 1.0);
    if (s->onset > 0) { // the 68 % quantile of |N(0, s^2)| is s
        out->score /= fmax(quantile(draws, sorted, 0.68), STEP_FLOOR);
    }
    return NONSENS_OK;
}

/* ---- the measurement -------------------------------------------------------------------------------------------- */

/* Compares the 5-95 % ranges of the variable itself in normal rows and from the onset on. */
static nonsens_status widen(nonsens_context *ctx, arena *scratch, const sample *s, double min_spread, explain_size *out)
{
    double *normal, *fault;
    int64_t rows = s->fault - s->onset;
    if (rows < RANGE_ROWS) {
        return NONSENS_OK;
    }
    TRY(sort_copy(ctx, scratch, s->normal, s->y, &normal));
    TRY(sort_copy(ctx, scratch, rows, s->y + s->normal + s->onset, &fault));
    double before = quantile(s->normal, normal, 0.95) - quantile(s->normal, normal, 0.05);
    double after = quantile(rows, fault, 0.95) - quantile(rows, fault, 0.05);
    out->widened = log((after + min_spread) / (before + min_spread));
    return NONSENS_OK;
}

/* Computes z (rows): disturbances minus their median in normal rows, in units of spread; converts *min_spread, too. */
static nonsens_status scale(nonsens_context *ctx, arena *scratch, const sample *s, double *min_spread, double *z,
                            explain_size *out)
{
    double *sorted, median, spread, after, before = 0.0;
    int64_t rows = s->normal + s->fault;
    TRY(sort_copy(ctx, scratch, s->normal, s->disturbance, &sorted));
    median = quantile(s->normal, sorted, 0.5);
    spread = fmax(quantile(s->normal, sorted, 0.75) - quantile(s->normal, sorted, 0.25), *min_spread);
    *min_spread /= spread;
    for (int64_t i = 0; i < rows; i++) {
        double deviation = spread / IQR_OF_NORMAL, far = EXTRAPOLATED * s->outside[i];
        z[i] = (s->disturbance[i] - median) / hypot(deviation, far);
    }
    const double *fault = s->disturbance + s->normal;
    TRY(middle_of(ctx, scratch, s->fault - s->onset, fault + s->onset, &after));
    TRY(s->onset > 0 ? middle_of(ctx, scratch, s->onset, fault, &before) : NONSENS_OK);
    out->shift = (after - (s->onset > 0 ? before : median)) / spread;
    TRY(middle_of(ctx, scratch, s->fault, z + s->normal, &out->known_shift));
    out->known_shift /= IQR_OF_NORMAL;
    return NONSENS_OK;
}

nonsens_status explain_size_measure(nonsens_context *ctx, arena *scratch, const explain_recording *rec, int64_t column,
                                    int64_t causes, const int64_t *cause, uint64_t stream, explain_size *out)
{
    sample s;
    double *z, min_spread;
    int64_t *recorded, count = 0;
    ARENA_TRY(ctx, scratch, recorded, causes);
    for (int64_t k = 0; k < causes; k++) {
        if (is_recorded(rec, column, cause[k])) {
            recorded[count++] = cause[k];
        }
    }
    TRY(take_sample(ctx, scratch, rec, column, count, recorded, &s));
    *out = (explain_size){NAN, NAN, NAN, NAN, NAN, NAN, NAN, s.normal, s.fault};
    if (s.normal < MIN_NORMAL || s.fault <= s.onset || (rec->onset > 0 && s.onset == 0)) {
        return NONSENS_OK;
    }
    TRY(floor_of(ctx, scratch, s.normal, s.normal + s.fault, s.y, &min_spread));
    TRY(standardise_causes(ctx, scratch, &s));
    TRY(find_disturbances(ctx, scratch, rec->in_time, &s));
    ARENA_TRY(ctx, scratch, z, s.normal + s.fault);
    TRY(widen(ctx, scratch, &s, min_spread, out));
    TRY(scale(ctx, scratch, &s, &min_spread, z, out));
    return judge(ctx, scratch, rec, &s, stream, z, min_spread, out);
}
