/*
 * gp_state_space.c - computes likelihood, gradient and posterior of one-regressor processes in O(n).
 *
 * The forward pass is the Kalman filter.  The backward pass uses the adjoint recursions of de Jong ("Smoothing and
 * interpolation with the state-space model", JASA 84, 1989) instead of those of Rauch, Tung and Striebel: same
 * posterior, no matrix inverse.  With prediction mean a and covariance P of the state before point t, error v = y -
 * h'a, spread s = h'Ph + R, gain k = P h / s, and (r, N) carried back from the next point through the transition A:
 *     e = v / s - k'r,  w = 1 / s + k'N k,  r <- r + h e,  N <- N + h w h' - h k'N - N k h'   (N on the right: old)
 * e and w are the elements of K^-1 y and of the diagonal of K^-1, K the n x n covariance of y.  So
 *     mean = y - R e = h'(a + P r),  variance = R - R^2 w = h'(P - P N P) h,  left-out residual = e / w.
 * Of the two forms of the variance, that with the smaller first term is used.
 *
 * Gradient: r and (r r' - N) / 2 are the derivatives of the log likelihood with respect to a and P (Koopman and
 * Shephard, "Exact score for time series models in state space form", Biometrika 79, 1992).  In the units of
 * gp_matern.h, da/dz = F a and dP/dz = F P + P F' + q e_3 e_3', so that a point adds to the derivative by log length
 *     -z [r'F a + tr((r r' - N) F P) + q (r_3^2 - N_33) / 2],
 * and to that by log noise R (e^2 - w) / 2.  A change of both variances by the same factor gives (quadratic form -
 * rows) / 2, from which the derivative by the variance of f follows.
 *
 * Ties: c rows with the same x are one observation of their mean with noise R = noise / c; the other factor of their
 * density, (2 pi noise)^(-(c - 1) / 2) c^(-1/2) exp(-within / (2 noise)), is included exactly.
 */
#include "regress/gp_internal.h"
#include "regress/gp_matern.h"

enum { LOGS_AT_ONCE = 16, NUMBERS_PER_POINT = GP_ORDER + GP_ORDER * (GP_ORDER + 1) / 2 };

static const double LOG_2_PI = 1.8378770664093454836;

typedef double square[GP_ORDER][GP_ORDER];

static const double FARTHEST = 750.0; /* step from which e^-z is 0, and products with it */

/* Hyper-parameters in the form that the recursions use. */
struct model {
    double variance, rate, noise;
};

/* Derivatives of the log likelihood by log length and log noise, summed over points. */
struct score {
    double length, noise;
};

static struct model model_of(const double *theta)
{
    return (struct model){exp(theta[0]), GP_MATERN_RATE * exp(-theta[1]), exp(theta[2])};
}

nonsens_status gp_track_new(nonsens_context *ctx, arena *a, const gp_sequence *q, gp_track *t)
{
    *t = (gp_track){.q = q};
    ARENA_TRY(ctx, a, t->state, q->n * NUMBERS_PER_POINT);
    ARENA_TRY(ctx, a, t->error, q->n);
    ARENA_TRY(ctx, a, t->spread, q->n);
    return NONSENS_OK;
}

GP_INLINE double step_of(const struct model *m, double distance)
{
    return fmin(m->rate * distance, FARTHEST);
}

/* ---- pieces ------------------------------------------------------------------------------------------------ */

GP_INLINE void set_stationary(const struct model *m, double *mean, square p)
{
    for (int i = 0; i < GP_ORDER; i++) {
        mean[i] = 0.0;
        for (int j = 0; j < GP_ORDER; j++) {
            p[i][j] = m->variance * gp_matern_stationary(i, j);
        }
    }
}

/* mean = A mean, p = A p A' + Q. */
GP_INLINE void predict(const struct model *m, double distance, double *mean, square p)
{
    square a, q, ap;
    double moved[GP_ORDER], z = step_of(m, distance);
    gp_matern_transition(z, a);
    gp_matern_noise(z, exp(-2.0 * z), q);
    for (int i = 0; i < GP_ORDER; i++) {
        moved[i] = 0.0;
        for (int k = 0; k < GP_ORDER; k++) {
            moved[i] += a[i][k] * mean[k];
        }
        for (int j = 0; j < GP_ORDER; j++) {
            ap[i][j] = 0.0;
            for (int k = 0; k < GP_ORDER; k++) {
                ap[i][j] += a[i][k] * p[k][j];
            }
        }
    }
    for (int i = 0; i < GP_ORDER; i++) {
        mean[i] = moved[i];
        for (int j = i; j < GP_ORDER; j++) {
            double sum = m->variance * q[i][j];
            for (int k = 0; k < GP_ORDER; k++) {
                sum += ap[i][k] * a[j][k];
            }
            p[i][j] = p[j][i] = sum;
        }
    }
}

/* Conditions on y, observed with this noise. */
GP_INLINE void update(double y, double noise, double *mean, square p, double *error, double *spread)
{
    double ph[GP_ORDER];
    for (int i = 0; i < GP_ORDER; i++) {
        ph[i] = p[i][0];
    }
    double s = ph[0] + noise, v = y - mean[0], inverse = 1.0 / s, share = noise * inverse;
    *error = v;
    *spread = s;
    for (int i = 0; i < GP_ORDER; i++) {
        double gain = ph[i] * inverse;
        mean[i] += gain * v;
        for (int j = i; j < GP_ORDER; j++) {
            // the covariance with f shrinks by noise / s: no digits cancel
            p[i][j] = p[j][i] = i == 0 ? p[0][j] * share : p[i][j] - gain * ph[j];
        }
    }
}

GP_INLINE void store(const double *mean, square p, double *to)
{
    for (int i = 0; i < GP_ORDER; i++) {
        *to++ = mean[i];
    }
    for (int i = 0; i < GP_ORDER; i++) {
        for (int j = i; j < GP_ORDER; j++) {
            *to++ = p[i][j];
        }
    }
}

GP_INLINE void fetch(const double *from, double *mean, square p)
{
    for (int i = 0; i < GP_ORDER; i++) {
        mean[i] = *from++;
    }
    for (int i = 0; i < GP_ORDER; i++) {
        for (int j = i; j < GP_ORDER; j++) {
            p[i][j] = p[j][i] = *from++;
        }
    }
}

/* ---- forwards ---------------------------------------------------------------------------------------------- */

/* Returns the log likelihood of the points, without the terms of rows inside ties. */
GP_INLINE double filter(gp_track *t, const struct model *m, bool keep, double *quadratic)
{
    const gp_sequence *q = t->q;
    double mean[GP_ORDER], logs = 0.0, product = 1.0, squares = 0.0;
    square p;
    set_stationary(m, mean, p);
    for (int64_t i = 0; i < q->n; i++) {
        double v, s;
        if (i > 0) {
            predict(m, q->x[i] - q->x[i - 1], mean, p);
        }
        if (keep) {
            store(mean, p, t->state + i * NUMBERS_PER_POINT);
        }
        update(q->y[i], m->noise / q->count[i], mean, p, &v, &s);
        squares += v * v / s;
        product *= s;
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
    return -0.5 * ((double)q->n * LOG_2_PI + logs + log(product) + squares);
}

/* ---- backwards --------------------------------------------------------------------------------------------- */

/* r = A'r, n = A'n A. */
GP_INLINE void carry_back(const struct model *m, double distance, double *r, square n)
{
    square a, na;
    double carried[GP_ORDER];
    gp_matern_transition(step_of(m, distance), a);
    for (int i = 0; i < GP_ORDER; i++) {
        carried[i] = 0.0;
        for (int k = 0; k < GP_ORDER; k++) {
            carried[i] += a[k][i] * r[k];
        }
        for (int j = 0; j < GP_ORDER; j++) {
            na[j][i] = 0.0;
            for (int k = 0; k < GP_ORDER; k++) {
                na[j][i] += n[j][k] * a[k][i];
            }
        }
    }
    for (int i = 0; i < GP_ORDER; i++) {
        r[i] = carried[i];
        for (int j = i; j < GP_ORDER; j++) {
            double sum = 0.0;
            for (int k = 0; k < GP_ORDER; k++) {
                sum += a[k][i] * na[k][j];
            }
            n[i][j] = n[j][i] = sum;
        }
    }
}

/* Adds a point's own observation to (r, n); e and w as above. */
GP_INLINE void observe_back(double v, double s, square p, double *r, square n, double *e, double *w)
{
    double gain[GP_ORDER], ng[GP_ORDER], inverse = 1.0 / s, gr = 0.0, gng = 0.0;
    for (int i = 0; i < GP_ORDER; i++) {
        gain[i] = p[i][0] * inverse;
        gr += gain[i] * r[i];
    }
    for (int i = 0; i < GP_ORDER; i++) {
        ng[i] = 0.0;
        for (int k = 0; k < GP_ORDER; k++) {
            ng[i] += n[i][k] * gain[k];
        }
        gng += gain[i] * ng[i];
    }
    *e = v * inverse - gr;
    *w = inverse + gng;
    r[0] += *e;
    for (int j = 0; j < GP_ORDER; j++) { // h is the first unit vector: only the first row and column change
        double change = j == 0 ? *w - ng[0] - ng[0] : -ng[j];
        n[0][j] = n[j][0] = n[0][j] + change;
    }
}

/* Returns the bracket of the derivative by log length. */
GP_INLINE double length_score(double variance, const double *a, square p, const double *r, square n)
{
    double pr[GP_ORDER], sum = 0.0;
    for (int k = 0; k < GP_ORDER; k++) { // r'F a and r'F P r share F
        pr[k] = a[k];
        for (int j = 0; j < GP_ORDER; j++) {
            pr[k] += p[k][j] * r[j];
        }
    }
    for (int i = 0; i < GP_ORDER; i++) {
        for (int k = 0; k < GP_ORDER; k++) {
            double drift = gp_matern_drift(i, k);
            if (drift != 0.0) {
                double pn = 0.0;
                for (int j = 0; j < GP_ORDER; j++) {
                    pn += p[k][j] * n[j][i];
                }
                sum += drift * (pr[k] * r[i] - pn);
            }
        }
    }
    int last = GP_ORDER - 1;
    return sum + 0.5 * GP_MATERN_DRIVE * variance * (r[last] * r[last] - n[last][last]);
}

GP_INLINE void put_posterior(const gp_sequence *q, int64_t i, double noise, double e, double w, const double *a,
                             square p, const double *r, square n, const gp_smooth *out)
{
    double mean = a[0], variance = p[0][0];
    bool by_noise = noise < p[0][0];
    for (int k = 0; k < GP_ORDER; k++) {
        mean += p[k][0] * r[k];
        for (int j = 0; j < GP_ORDER; j++) {
            variance -= p[k][0] * n[k][j] * p[j][0];
        }
    }
    out->mean[i] = by_noise ? q->y[i] - noise * e : mean;
    out->variance[i] = fmax(by_noise ? noise - noise * noise * w : variance, 0.0);
    out->left_out[i] = e / w;
}

/* Runs the backward pass, after filter() with keep; score or out may be NULL. */
GP_INLINE void backward_pass(gp_track *t, const struct model *m, struct score *score, const gp_smooth *out)
{
    const gp_sequence *q = t->q;
    double r[GP_ORDER] = {0}, a[GP_ORDER];
    square n = {{0}}, p;
    for (int64_t i = q->n - 1; i >= 0; i--) {
        double e, w, noise = m->noise / q->count[i], distance = i > 0 ? q->x[i] - q->x[i - 1] : 0.0;
        fetch(t->state + i * NUMBERS_PER_POINT, a, p);
        observe_back(t->error[i], t->spread[i], p, r, n, &e, &w);
        if (score) {
            score->noise += 0.5 * noise * (e * e - w);
        }
        if (score && i > 0) {
            score->length -= step_of(m, distance) * length_score(m->variance, a, p, r, n);
        }
        if (out) {
            put_posterior(q, i, noise, e, w, a, p, r, n, out);
        }
        if (i > 0) {
            carry_back(m, distance, r, n);
        }
    }
}

/* ---- the calls --------------------------------------------------------------------------------------------- */

double gp_line_likelihood(gp_track *t, const double *theta, double *gradient, double *quadratic)
{
    const gp_sequence *q = t->q;
    struct model m = model_of(theta);
    double squares, value = gradient ? filter(t, &m, true, &squares) : filter(t, &m, false, &squares);
    double inside = q->rows - (double)q->n;
    value -= 0.5 * (inside * (LOG_2_PI + theta[2]) + q->log_counts + q->within / m.noise);
    squares += q->within / m.noise;
    if (quadratic) {
        *quadratic = squares;
    }
    if (gradient) {
        struct score s = {0};
        backward_pass(t, &m, &s, NULL);
        double noise = s.noise + 0.5 * (q->within / m.noise - inside);
        gradient[0] = 0.5 * (squares - q->rows) - noise;
        gradient[1] = s.length;
        gradient[2] = noise;
    }
    return value;
}

void gp_line_smooth(gp_track *t, const double *theta, const gp_smooth *out)
{
    double squares;
    struct model m = model_of(theta);
    filter(t, &m, true, &squares);
    backward_pass(t, &m, NULL, out);
}
