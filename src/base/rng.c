/* rng.c - Philox4x32-10 and the distributions drawn from it. */
#include "base/rng.h"

#include <math.h>

static void round_once(uint32_t c[4], const uint32_t k[2])
{
    uint64_t p0 = (uint64_t)0xD2511F53u * c[0];
    uint64_t p1 = (uint64_t)0xCD9E8D57u * c[2];
    uint32_t next[4] = {(uint32_t)(p1 >> 32) ^ c[1] ^ k[0], (uint32_t)p1, (uint32_t)(p0 >> 32) ^ c[3] ^ k[1],
                        (uint32_t)p0};
    for (int i = 0; i < 4; i++) {
        c[i] = next[i];
    }
}

void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t k[2] = {key[0], key[1]};
    for (int i = 0; i < 4; i++) {
        out[i] = counter[i];
    }
    for (int round = 0; round < 10; round++) {
        if (round > 0) {
            k[0] += 0x9E3779B9u;
            k[1] += 0xBB67AE85u;
        }
        round_once(out, k);
    }
}

rng rng_new(uint64_t seed, enum rng_purpose purpose, uint64_t job)
{
    return (rng){.key = {(uint32_t)seed, (uint32_t)(seed >> 32)},
                 .counter = {0, (uint32_t)purpose, (uint32_t)job, (uint32_t)(job >> 32)},
                 .used = 4};
}

uint32_t rng_u32(rng *r)
{
    if (r->used == 4) {
        philox4x32(r->counter, r->key, r->block);
        r->counter[0]++;
        r->used = 0;
    }
    return r->block[r->used++];
}

uint64_t rng_u64(rng *r)
{
    uint64_t low = rng_u32(r);
    return low | (uint64_t)rng_u32(r) << 32;
}

double rng_uniform(rng *r)
{
    return ((double)(rng_u64(r) >> 12) + 0.5) * 0x1p-52;
}

void rng_skip(rng *r, int64_t count)
{
    r->counter[0] += (uint32_t)(count / 2); // a block has two numbers
    if (count % 2) {
        rng_uniform(r);
    }
}

uint64_t rng_below(rng *r, uint64_t bound)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % bound; /* the largest multiple of bound that fits */
    uint64_t draw;
    do {
        draw = rng_u64(r);
    } while (draw >= limit);
    return draw % bound;
}

/* Box-Muller with the cosine branch only, so that no state is kept between draws. */
double rng_normal(rng *r)
{
    double radius = sqrt(-2.0 * log(rng_uniform(r)));
    return radius * cos(6.283185307179586476925 * rng_uniform(r));
}

double rng_laplace(rng *r)
{
    double u = rng_uniform(r) - 0.5;
    return u < 0 ? log1p(2.0 * u) : -log1p(-2.0 * u);
}

/* Marsaglia and Tsang (2000); for shapes below one by G(a) = G(a+1) U^(1/a). */
double rng_gamma(rng *r, double shape)
{
    double boost = 1.0;
    if (shape < 1.0) {
        boost = pow(rng_uniform(r), 1.0 / shape);
        shape += 1.0;
    }
    double d = shape - 1.0 / 3.0, c = 1.0 / sqrt(9.0 * d);
    for (;;) {
        double z = rng_normal(r), t = 1.0 + c * z, u = rng_uniform(r);
        double v = t * t * t;
        if (t > 0 && log(u) < 0.5 * z * z + d - d * v + d * log(v)) {
            return boost * d * v;
        }
    }
}

double rng_student(rng *r, double degrees)
{
    double z = rng_normal(r);
    return z / sqrt(2.0 * rng_gamma(r, 0.5 * degrees) / degrees);
}

void rng_shuffle(rng *r, int64_t n, int64_t *index)
{
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = (int64_t)rng_below(r, (uint64_t)i + 1);
        int64_t swap = index[i];
        index[i] = index[j];
        index[j] = swap;
    }
}

int64_t rng_draw(rng *r, int64_t i, int64_t n, int64_t *index)
{
    int64_t j = i + (int64_t)rng_below(r, (uint64_t)(n - i)), drawn = index[j];
    index[j] = index[i];
    return drawn;
}
