/* unmixing.c - unmixes variables as the options ask for it, and describes their sources. */
#include "methods/shared/unmixing.h"

#include <math.h>
#include <string.h>

/* Nats per segment: smaller contrast gaps of joint diagonalisation are chance; without change nearly all are. */
static const double CHANCE_GAP = 2.0;

enum option_unmixing unmixing_resolved(enum option_unmixing asked)
{
    return asked == UNMIX_AUTO ? UNMIX_SCORE_MATCHING : asked;
}

static ica_options options_from(const nonsens_options *o)
{
    ica_options ica = ica_options_for(unmixing_resolved(o->unmixing));
    if (unmixing_resolved(o->unmixing) == UNMIX_SCORE_MATCHING) {
        ica.statistic = o->statistic;
    }
    ica.whitening = o->whitening;
    ica.sharpness = o->sharpness;
    ica.contrast = o->contrast;
    ica.deflation = o->deflation;
    ica.starts = o->starts;
    ica.seed = (uint64_t)o->seed;
    ica.threads = (int)o->threads;
    return ica;
}

nonsens_status unmixing_of_variables(nonsens_context *ctx, arena *a, const nonsens_data *data,
                                     const nonsens_options *options, matrix z, ica_result *out)
{
    ica_options ica = options_from(options);
    const char **names; // (d)
    ARENA_TRY(ctx, a, names, data->d);
    for (int64_t k = 0; k < data->d; k++) {
        names[k] = data->names[data->column_rank[k]];
    }
    ica.names = names;
    nonsens_status status = ica_unmix(ctx, a, z, data->segments > 0 ? data->segments : 1, data->start, &ica, out);
    return status == NONSENS_ERR_NUMERIC ? NONSENS_ERR_DATA : status;
}

const char *unmixing_gap_words(enum option_unmixing algorithm)
{
    switch (algorithm) {
    case UNMIX_JOINT_DIAGONALISATION:
        return "nats, over all rows, by which the worst rotation of two sources is less likely than the one chosen; no "
               "larger than twice the number of segments means that they are not identified";
    case UNMIX_ENTROPY:
        return "nats, over all rows, by which two sources share more information at the worst rotation than at the one "
               "chosen; a few nats mean that they are not identified";
    case UNMIX_FASTICA:
    case UNMIX_INFOMAX:
        return "by how much the objective, times rows, is worse at the worst rotation of two sources; near 0 means "
               "that they are not identified";
    case UNMIX_AUTO:
    case UNMIX_SCORE_MATCHING:
    case UNMIX_TWO_STATISTIC:
        break;
    }
    return "by how much the score-matching objective, times rows, is worse at the worst rotation of two sources; near "
           "0 means that they are not identified";
}

/* ---- change and shape ---- */

/* Sum of squares about the mean of n values. */
static double squares_about_mean(int64_t n, const double *v, double *mean)
{
    double sum = 0.0, squares = 0.0;
    for (int64_t i = 0; i < n; i++) {
        sum += v[i];
    }
    *mean = n > 0 ? sum / (double)n : 0.0;
    for (int64_t i = 0; i < n; i++) {
        squares += (v[i] - *mean) * (v[i] - *mean);
    }
    return squares;
}

void unmixing_modulation(matrix source, int64_t segments, const int64_t *start, matrix out)
{
    for (int64_t j = 0; j < source.cols; j++) {
        double pooled = 0.0, mean, *change = matrix_col(out, j);
        for (int64_t e = 0; e < segments; e++) {
            int64_t rows = start[e + 1] - start[e];
            double squares = squares_about_mean(rows, matrix_col(source, j) + start[e], &mean);
            pooled += squares;
            change[e] = sqrt(squares / (double)rows);
        }
        for (int64_t e = 0; e < segments; e++) {
            change[e] /= sqrt(pooled / (double)source.rows);
        }
    }
}

/* Sums of powers of the rows of one segment or of all. */
typedef struct power_sums {
    double rows, second, third, fourth;
    double lost; /* n_e times the amount by which the kurtosis of n_e standardised Gaussian values is below 3 */
} power_sums;

static void add_powers(int64_t n, const double *v, double mean, double unit, power_sums *sums)
{
    for (int64_t i = 0; i < n; i++) {
        double z = (v[i] - mean) / unit;
        sums->second += z * z;
        sums->third += z * z * z;
        sums->fourth += z * z * z * z;
    }
    sums->rows += (double)n;
}

unmixing_source_shape unmixing_shape(const double *source, int64_t segments, const int64_t *start, bool standardise)
{
    power_sums sums = {0};
    for (int64_t e = 0; e < segments; e++) {
        int64_t n = start[e + 1] - start[e];
        double mean, squares = squares_about_mean(n, source + start[e], &mean);
        if (squares > 0.0) {
            add_powers(n, source + start[e], mean, standardise ? sqrt(squares / (double)n) : 1.0, &sums);
            sums.lost += standardise ? 6.0 * (double)n / (double)(n + 1) : 0.0;
        }
    }
    double n = sums.rows, variance = sums.second / n;
    unmixing_source_shape shape = {.skewness = sums.third / n / (variance * sqrt(variance)),
                                   .kurtosis = sums.fourth / n / (variance * variance) - 3.0 + sums.lost / n};
    shape.departure = fmax(fabs(shape.skewness) / sqrt(6.0 / n), fabs(shape.kurtosis) / sqrt(24.0 / n));
    return shape;
}

/* ---- are they identified? ---- */

/* Sets *out if the variances of the marked sources change too little, or too proportionally, to distinguish them. */
static nonsens_status change_in_proportion(nonsens_context *ctx, arena *a, matrix source, int64_t segments,
                                           const int64_t *start, const unmixing_identification *marked, bool *out)
{
    ica_options ica = ica_options_for(UNMIX_JOINT_DIAGONALISATION);
    ica_result unmixed;
    double *copy; // (n, marked)
    int64_t large = 0;
    for (int64_t e = 0; e < segments; e++) {
        large += start[e + 1] - start[e] >= 2 * (marked->count + 1);
    }
    *out = large < 2; // then nothing shows a change
    if (*out) {
        return NONSENS_OK;
    }
    ARENA_TRY(ctx, a, copy, source.rows * marked->count);
    matrix some = matrix_view(copy, source.rows, marked->count);
    for (int64_t j = 0, k = 0; j < source.cols; j++) {
        if (marked->suspect[j]) {
            memcpy(matrix_col(some, k++), matrix_col(source, j), (size_t)source.rows * sizeof *copy);
        }
    }
    TRY(ica_unmix(ctx, a, some, segments, start, &ica, &unmixed));
    *out = unmixed.contrast_gap <= CHANCE_GAP * (double)segments;
    return NONSENS_OK;
}

nonsens_status unmixing_identified(nonsens_context *ctx, arena *a, enum option_unmixing algorithm, double gap,
                                   matrix source, int64_t segments, const int64_t *start, unmixing_identification *out)
{
    *out = (unmixing_identification){.why = IDENTIFIED};
    bool by_shape = !ica_sees_segments(algorithm) || segments < 2, proportional = false;
    int64_t whole[2] = {0, source.rows};
    ARENA_TRY(ctx, a, out->suspect, source.cols);
    ARENA_TRY(ctx, a, out->departure, source.cols);
    for (int64_t j = 0; j < source.cols; j++) { // do they look Gaussian inside segments, or in all rows together?
        const double *s = matrix_col(source, j);
        unmixing_source_shape shape =
            by_shape ? unmixing_shape(s, 1, whole, true) : unmixing_shape(s, segments, start, true);
        out->departure[j] = shape.departure;
        out->suspect[j] = shape.departure <= UNMIXING_GAUSSIAN_MAX;
        out->count += out->suspect[j];
    }
    if (algorithm == UNMIX_JOINT_DIAGONALISATION) {
        out->why = gap <= CHANCE_GAP * (double)segments ? PROPORTIONAL : IDENTIFIED;
        return NONSENS_OK;
    }
    if (out->count < 2) {
        return NONSENS_OK;
    }
    if (by_shape) {
        out->why = GAUSSIAN;
        return NONSENS_OK;
    }
    TRY(change_in_proportion(ctx, a, source, segments, start, out, &proportional));
    out->why = proportional ? GAUSSIAN_PROPORTIONAL : IDENTIFIED;
    return NONSENS_OK;
}
