/*
 * gp_state_space.c - likelihood, its gradient and the posterior of one-regressor processes in O(n).
 *
 * Forwards, the Kalman filter; backwards, the adjoint recursions of de Jong ("Smoothing and interpolation with the
 * state-space model", JASA 84, 1989) instead of those of Rauch, Tung and Striebel: the same posterior without a matrix
 * inverse.  With prediction mean a and covariance P of the state before point t, error v = y - h'a, spread
 * s = h'Ph + R, gain k = P h / s, and (r, N) carried back from the point after it through its transition A:
 *     e = v / s - k'r,  w = 1 / s + k'N k,  r <- r + h e,  N <- N + h w h' - h k'N - N k h'   (right-hand N: the old)
 * e and w are the elements of K^-1 y and of the diagonal of K^-1, K the n x n covariance of y.  So
 *     mean = y - R e = h'(a + P r),  variance = R - R^2 w = h'(P - P N P) h,  left-out residual = e / w.
 * Of the two forms of the variance the one with the smaller first term is taken.
 *
 * Gradient: r and (r r' - N) / 2 are the derivatives of the log likelihood with respect to a and P (Koopman and
 * Shephard, "Exact score for time series models in state space form", Biometrika 79, 1992).  In the units of
 * gp_matern.h, da/dz = F a and dP/dz = F P + P F' + q e_d e_d', so that a point adds to the derivative by log length
 *     -z [r'F a + tr((r r' - N) F P) + q (r_d^2 - N_dd) / 2],
 * to that by log noise R (e^2 - w) / 2, and to that by the log variance of a part tr((r r' - N) Q) / 2.  A change of
 * all variances by the same factor gives (quadratic form - rows) / 2, from which the variance of the first part
 * follows.
 *
 * Ties: c rows with the same x are one observation of their mean with noise R = noise / c; what is left of their
 * density, (2 pi noise)^(-(c - 1) / 2) c^(-1/2) exp(-within / (2 noise)), is added exactly.
 */
#include "regress/gp_internal.h"
#include "regress/gp_matern.h"

enum { STATE_MOST = 2 * GP_ORDER_MOST, LOGS_AT_ONCE = 16 };

static const double LOG_2_PI = 1.8378770664093454836;

typedef double square[STATE_MOST][STATE_MOST];
typedef double small_square[GP_ORDER_MOST][GP_ORDER_MOST];

static const double FARTHEST = 750.0; /* steps from which on e^-z is 0, so that it stays so when multiplied */

/* Hyper-parameters as the recursions use them. */
struct model {
    double variance[2], rate[2], noise;
};

/* Sums over points. */
struct score {
    double length[2], second, noise; /* second: by the log variance of the second part */
};

int gp_parts(enum gp_kernel kernel)
{
    return kernel == GP_MATERN_SUM ? 2 : 1;
}

/* Orders of the parts; zero: no second part. */
static void orders_of(enum gp_kernel kernel, int order[2])
{
    order[0] = kernel == GP_MATERN_32 ? GP_ORDER_32 : GP_ORDER_52;
    order[1] = kernel == GP_MATERN_SUM ? GP_ORDER_32 : 0;
}

static int64_t numbers_per_point(enum gp_kernel kernel)
{
    int order[2];
    orders_of(kernel, order);
    int64_t d = order[0] + order[1];
    return d + d * (d + 1) / 2;
}

static struct model model_of(enum gp_kernel kernel, const double *theta)
{
    int order[2], parts = gp_parts(kernel);
    struct model m = {.noise = exp(theta[2 * parts])};
    orders_of(kernel, order);
    for (int p = 0; p < parts; p++) {
        m.variance[p] = exp(theta[p]);
        m.rate[p] = gp_matern_rate(order[p]) * exp(-theta[parts + p]);
    }
    return m;
}

nonsens_status gp_track_get(nonsens_context *ctx, arena *a, enum gp_kernel kernel, const gp_sequence *q, gp_track *t)
{
    *t = (gp_track){.kernel = kernel, .q = q};
    ARENA_TRY(ctx, a, t->state, q->n * numbers_per_point(kernel));
    ARENA_TRY(ctx, a, t->error, q->n);
    ARENA_TRY(ctx, a, t->spread, q->n);
    return NONSENS_OK;
}

GP_INLINE double step_of(const struct model *m, int part, double distance)
{
    return fmin(m->rate[part] * distance, FARTHEST);
}

/* ---- pieces, for parts of orders d0 and d1 known to the compiler ------------------------------------------- */

/* The step's A and upper triangle of Q, block by block. */
GP_INLINE void set_step(int d0, int d1, const struct model *m, double distance, small_square a[2], small_square q[2])
{
    double z0 = step_of(m, 0, distance);
    gp_matern_transition(d0, z0, a[0]);
    gp_matern_noise(d0, z0, exp(-2.0 * z0), q[0]);
    if (d1 > 0) {
        double z1 = step_of(m, 1, distance);
        gp_matern_transition(d1, z1, a[1]);
        gp_matern_noise(d1, z1, exp(-2.0 * z1), q[1]);
    }
}

/* A (i, k) of the block-diagonal transition. */
GP_INLINE double step_at(int d0, const small_square a[2], int i, int k)
{
    if ((i < d0) != (k < d0)) {
        return 0.0;
    }
    return i < d0 ? a[0][i][k] : a[1][i - d0][k - d0];
}

GP_INLINE int block_begin(int d0, int i)
{
    return i < d0 ? 0 : d0;
}

GP_INLINE int block_end(int d0, int d, int i)
{
    return i < d0 ? d0 : d;
}

GP_INLINE void set_stationary(int d0, int d1, const struct model *m, double *mean, square p)
{
    int d = d0 + d1;
    for (int i = 0; i < d; i++) {
        mean[i] = 0.0;
        for (int j = 0; j < d; j++) {
            bool first = i < d0 && j < d0, second = i >= d0 && j >= d0;
            p[i][j] = first    ? m->variance[0] * gp_matern_stationary(d0, i, j)
                      : second ? m->variance[1] * gp_matern_stationary(d1, i - d0, j - d0)
                               : 0.0;
        }
    }
}

/* mean = A mean, p = A p A' + Q. */
GP_INLINE void predict(int d0, int d1, const struct model *m, double distance, double *mean, square p)
{
    int d = d0 + d1;
    small_square a[2], q[2];
    square ap;
    double moved[STATE_MOST];
    set_step(d0, d1, m, distance, a, q);
    for (int i = 0; i < d; i++) {
        moved[i] = 0.0;
        for (int k = block_begin(d0, i); k < block_end(d0, d, i); k++) {
            moved[i] += step_at(d0, a, i, k) * mean[k];
        }
        for (int j = 0; j < d; j++) {
            ap[i][j] = 0.0;
            for (int k = block_begin(d0, i); k < block_end(d0, d, i); k++) {
                ap[i][j] += step_at(d0, a, i, k) * p[k][j];
            }
        }
    }
    for (int i = 0; i < d; i++) {
        mean[i] = moved[i];
        for (int j = i; j < d; j++) {
            double sum = (i < d0) != (j < d0) ? 0.0
                         : i < d0             ? m->variance[0] * q[0][i][j]
                                              : m->variance[1] * q[1][i - d0][j - d0];
            for (int k = block_begin(d0, j); k < block_end(d0, d, j); k++) {
                sum += ap[i][k] * step_at(d0, a, j, k);
            }
            p[i][j] = p[j][i] = sum;
        }
    }
}

/* p h: the covariance with f. */
GP_INLINE void with_signal(int d0, int d1, square p, double *out)
{
    for (int i = 0; i < d0 + d1; i++) {
        out[i] = d1 > 0 ? p[i][0] + p[i][d0] : p[i][0];
    }
}

GP_INLINE double signal_of(int d0, int d1, const double *v)
{
    return d1 > 0 ? v[0] + v[d0] : v[0];
}

/* Conditions on y seen with this noise. */
GP_INLINE void update(int d0, int d1, double y, double noise, double *mean, square p, double *error, double *spread)
{
    int d = d0 + d1;
    double ph[STATE_MOST];
    with_signal(d0, d1, p, ph);
    double s = signal_of(d0, d1, ph) + noise, v = y - signal_of(d0, d1, mean), inverse = 1.0 / s,
           share = noise * inverse;
    *error = v;
    *spread = s;
    for (int i = 0; i < d; i++) {
        double gain = ph[i] * inverse;
        mean[i] += gain * v;
        for (int j = i; j < d; j++) {
            // a single part: the covariance with f shrinks by noise / s, which does not cancel
            p[i][j] = p[j][i] = i == 0 && d1 == 0 ? p[0][j] * share : p[i][j] - gain * ph[j];
        }
    }
}

GP_INLINE void store(int d, const double *mean, square p, double *to)
{
    for (int i = 0; i < d; i++) {
        *to++ = mean[i];
    }
    for (int i = 0; i < d; i++) {
        for (int j = i; j < d; j++) {
            *to++ = p[i][j];
        }
    }
}

GP_INLINE void fetch(int d, const double *from, double *mean, square p)
{
    for (int i = 0; i < d; i++) {
        mean[i] = *from++;
    }
    for (int i = 0; i < d; i++) {
        for (int j = i; j < d; j++) {
            p[i][j] = p[j][i] = *from++;
        }
    }
}

/* ---- forwards ---------------------------------------------------------------------------------------------- */

/* Log likelihood of the points, without the rows' part inside ties. */
GP_INLINE double filter(int d0, int d1, gp_track *t, const struct model *m, bool keep, double *quadratic)
{
    const gp_sequence *q = t->q;
    int64_t per_point = d0 + d1 + (d0 + d1) * (d0 + d1 + 1) / 2;
    double mean[STATE_MOST], logs = 0.0, product = 1.0, squares = 0.0;
    square p;
    set_stationary(d0, d1, m, mean, p);
    for (int64_t i = 0; i < q->n; i++) {
        double v = 0.0, s = 0.0;
        if (i > 0) {
            predict(d0, d1, m, q->x[i] - q->x[i - 1], mean, p);
        }
        if (keep) {
            store(d0 + d1, mean, p, t->state + i * per_point);
        }
        if (q->count[i] > 0.0) {
            update(d0, d1, q->y[i], m->noise / q->count[i], mean, p, &v, &s);
            squares += v * v / s;
            product *= s;
        }
        if (i % LOGS_AT_ONCE == LOGS_AT_ONCE - 1) { // one logarithm for many spreads
            logs += log(product);
            product = 1.0;
        }
        if (keep) {
            t->error[i] = v;
            t->spread[i] = s;
        }
    }
    *quadratic = squares;
    return -0.5 * (q->points * LOG_2_PI + logs + log(product) + squares);
}

/* ---- backwards --------------------------------------------------------------------------------------------- */

/* r = A'r, n = A'n A. */
GP_INLINE void carry_back(int d0, int d1, const struct model *m, double distance, double *r, square n)
{
    int d = d0 + d1;
    small_square a[2];
    square na;
    double carried[STATE_MOST];
    gp_matern_transition(d0, step_of(m, 0, distance), a[0]);
    if (d1 > 0) {
        gp_matern_transition(d1, step_of(m, 1, distance), a[1]);
    }
    for (int i = 0; i < d; i++) {
        carried[i] = 0.0;
        for (int k = block_begin(d0, i); k < block_end(d0, d, i); k++) {
            carried[i] += step_at(d0, a, k, i) * r[k];
        }
        for (int j = 0; j < d; j++) {
            na[j][i] = 0.0;
            for (int k = block_begin(d0, i); k < block_end(d0, d, i); k++) {
                na[j][i] += n[j][k] * step_at(d0, a, k, i);
            }
        }
    }
    for (int i = 0; i < d; i++) {
        r[i] = carried[i];
        for (int j = i; j < d; j++) {
            double sum = 0.0;
            for (int k = block_begin(d0, i); k < block_end(d0, d, i); k++) {
                sum += step_at(d0, a, k, i) * na[k][j];
            }
            n[i][j] = n[j][i] = sum;
        }
    }
}

/* Takes a point's own observation into (r, n); e and w as above. */
GP_INLINE void take_back(int d0, int d1, double v, double s, square p, double *r, square n, double *e, double *w)
{
    int d = d0 + d1;
    double gain[STATE_MOST], ng[STATE_MOST], inverse = 1.0 / s, gr = 0.0, gng = 0.0;
    with_signal(d0, d1, p, gain);
    for (int i = 0; i < d; i++) {
        gain[i] *= inverse;
        gr += gain[i] * r[i];
    }
    for (int i = 0; i < d; i++) {
        ng[i] = 0.0;
        for (int k = 0; k < d; k++) {
            ng[i] += n[i][k] * gain[k];
        }
        gng += gain[i] * ng[i];
    }
    *e = v * inverse - gr;
    *w = inverse + gng;
    for (int i = 0; i < d; i++) {
        bool seen = i == 0 || i == d0;
        r[i] += seen ? *e : 0.0;
        for (int j = i; j < d; j++) {
            bool also = j == 0 || j == d0;
            double change = (seen && also ? *w : 0.0) - (seen ? ng[j] : 0.0) - (also ? ng[i] : 0.0);
            n[i][j] = n[j][i] = n[i][j] + change;
        }
    }
}

/* The bracket of the derivative by length, for the part of order d whose state begins at `from`. */
GP_INLINE double length_score(int d, int from, int all, double variance, const double *a, square p, const double *r,
                              square n)
{
    double pr[GP_ORDER_MOST], sum = 0.0;
    for (int k = 0; k < d; k++) { // r'F a and r'F P r share F
        pr[k] = a[from + k];
        for (int j = 0; j < all; j++) {
            pr[k] += p[from + k][j] * r[j];
        }
    }
    for (int i = 0; i < d; i++) {
        for (int k = 0; k < d; k++) {
            double drift = gp_matern_drift(d, i, k);
            if (drift != 0.0) {
                double pn = 0.0;
                for (int j = 0; j < all; j++) {
                    pn += p[from + k][j] * n[j][from + i];
                }
                sum += drift * (pr[k] * r[from + i] - pn);
            }
        }
    }
    int last = from + d - 1;
    return sum + 0.5 * gp_matern_drive(d) * variance * (r[last] * r[last] - n[last][last]);
}

/* tr((r r' - N) Q) / 2 for the second part; distance < 0: of the stationary covariance instead. */
GP_INLINE double variance_score(int d0, int d1, const struct model *m, double distance, const double *r, square n)
{
    small_square q;
    double z = step_of(m, 1, distance), sum = 0.0;
    if (distance >= 0.0) {
        gp_matern_noise(d1, z, exp(-2.0 * z), q);
    }
    for (int i = 0; i < d1; i++) {
        for (int j = i; j < d1; j++) {
            // NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): gp_matern_noise fills q
            double qij = distance >= 0.0 ? q[i][j] : gp_matern_stationary(d1, i, j);
            sum += (i == j ? 0.5 : 1.0) * qij * (r[d0 + i] * r[d0 + j] - n[d0 + i][d0 + j]);
        }
    }
    return m->variance[1] * sum;
}

GP_INLINE void add_score(int d0, int d1, const struct model *m, double distance, const double *a, square p,
                         const double *r, square n, struct score *sum)
{
    int d = d0 + d1;
    if (distance >= 0.0) {
        sum->length[0] -= step_of(m, 0, distance) * length_score(d0, 0, d, m->variance[0], a, p, r, n);
    }
    if (d1 > 0) {
        if (distance >= 0.0) {
            sum->length[1] -= step_of(m, 1, distance) * length_score(d1, d0, d, m->variance[1], a, p, r, n);
        }
        sum->second += variance_score(d0, d1, m, distance, r, n);
    }
}

GP_INLINE double posterior_variance(int d0, int d1, square p, square n)
{
    double ph[STATE_MOST];
    with_signal(d0, d1, p, ph);
    double variance = signal_of(d0, d1, ph);
    for (int i = 0; i < d0 + d1; i++) {
        for (int j = 0; j < d0 + d1; j++) {
            variance -= ph[i] * n[i][j] * ph[j];
        }
    }
    return variance;
}

GP_INLINE void put_posterior(int d0, int d1, const gp_sequence *q, int64_t i, double noise, double e, double w,
                             const double *a, square p, const double *r, square n, const gp_smooth *out)
{
    double ph[STATE_MOST], mean = signal_of(d0, d1, a);
    with_signal(d0, d1, p, ph);
    for (int k = 0; k < d0 + d1; k++) {
        mean += ph[k] * r[k];
    }
    bool observed = q->count[i] > 0.0, by_noise = observed && noise < signal_of(d0, d1, ph);
    double variance = by_noise ? noise - noise * noise * w : posterior_variance(d0, d1, p, n);
    out->mean[i] = by_noise ? q->y[i] - noise * e : mean;
    out->variance[i] = fmax(variance, 0.0);
    out->left_out[i] = observed ? e / w : 0.0;
}

/* After filter() with keep; score or out may be NULL. */
GP_INLINE void go_back(int d0, int d1, gp_track *t, const struct model *m, struct score *score, const gp_smooth *out)
{
    const gp_sequence *q = t->q;
    int64_t per_point = d0 + d1 + (d0 + d1) * (d0 + d1 + 1) / 2;
    double r[STATE_MOST] = {0}, a[STATE_MOST];
    square n = {{0}}, p;
    for (int64_t i = q->n - 1; i >= 0; i--) {
        double e = 0.0, w = 0.0, noise = 0.0, distance = i > 0 ? q->x[i] - q->x[i - 1] : -1.0;
        fetch(d0 + d1, t->state + i * per_point, a, p);
        if (q->count[i] > 0.0) {
            noise = m->noise / q->count[i];
            take_back(d0, d1, t->error[i], t->spread[i], p, r, n, &e, &w);
        }
        if (score) {
            score->noise += 0.5 * noise * (e * e - w);
            add_score(d0, d1, m, distance, a, p, r, n, score);
        }
        if (out) {
            put_posterior(d0, d1, q, i, noise, e, w, a, p, r, n, out);
        }
        if (i > 0) {
            carry_back(d0, d1, m, distance, r, n);
        }
    }
}

/* ---- one copy per kernel ----------------------------------------------------------------------------------- */

static double filter_for(gp_track *t, const struct model *m, bool keep, double *quadratic)
{
    switch (t->kernel) {
    case GP_MATERN_32:
        return keep ? filter(GP_ORDER_32, 0, t, m, true, quadratic) : filter(GP_ORDER_32, 0, t, m, false, quadratic);
    case GP_MATERN_52:
        return keep ? filter(GP_ORDER_52, 0, t, m, true, quadratic) : filter(GP_ORDER_52, 0, t, m, false, quadratic);
    default:
        return filter(GP_ORDER_52, GP_ORDER_32, t, m, keep, quadratic);
    }
}

static void score_for(gp_track *t, const struct model *m, struct score *score)
{
    switch (t->kernel) {
    case GP_MATERN_32:
        go_back(GP_ORDER_32, 0, t, m, score, NULL);
        break;
    case GP_MATERN_52:
        go_back(GP_ORDER_52, 0, t, m, score, NULL);
        break;
    default:
        go_back(GP_ORDER_52, GP_ORDER_32, t, m, score, NULL);
    }
}

static void smooth_for(gp_track *t, const struct model *m, const gp_smooth *out)
{
    switch (t->kernel) {
    case GP_MATERN_32:
        go_back(GP_ORDER_32, 0, t, m, NULL, out);
        break;
    case GP_MATERN_52:
        go_back(GP_ORDER_52, 0, t, m, NULL, out);
        break;
    default:
        go_back(GP_ORDER_52, GP_ORDER_32, t, m, NULL, out);
    }
}

double gp_line_likelihood(gp_track *t, const double *theta, double *gradient, double *quadratic)
{
    const gp_sequence *q = t->q;
    int parts = gp_parts(t->kernel);
    struct model m = model_of(t->kernel, theta);
    double squares, value = filter_for(t, &m, gradient != NULL, &squares), inside = q->rows - q->points;
    value -= 0.5 * (inside * (LOG_2_PI + theta[2 * parts]) + q->log_counts + q->within / m.noise);
    squares += q->within / m.noise;
    if (quadratic) {
        *quadratic = squares;
    }
    if (gradient) {
        struct score s = {0};
        score_for(t, &m, &s);
        double noise = s.noise + 0.5 * (q->within / m.noise - inside);
        gradient[0] = 0.5 * (squares - q->rows) - noise - s.second;
        gradient[parts] = s.length[0];
        gradient[2 * parts] = noise;
        if (parts == 2) {
            gradient[1] = s.second;
            gradient[3] = s.length[1];
        }
    }
    return value;
}

void gp_line_smooth(gp_track *t, const double *theta, const gp_smooth *out)
{
    double squares;
    struct model m = model_of(t->kernel, theta);
    filter_for(t, &m, true, &squares);
    smooth_for(t, &m, out);
}
