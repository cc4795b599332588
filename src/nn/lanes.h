/*
 * lanes.h - vectors of LANES floats, and the functions of them that a network needs.  Each instruction set's kernel
 * includes it with LANES defined (kernel_body.h); GCC's vector extension maps them to the target's instructions.
 *
 * exp, log and tanh are within a few units in the last place of the true value for all floats, including infinities and
 * subnormal numbers (tests/unit/nn/test_kernel.c).  tools/fit_polynomials fitted the coefficients of the polynomials.
 *
 * lanes_fma marks every place where a product and a sum are rounded once.  The compiler must not choose such places
 * (-ffp-contract=off): gcc 13 fused the full blocks of a matrix product but not the last one, and equal rows got
 * features that differed in the last bit.
 */
#ifndef NN_LANES_H
#define NN_LANES_H

#include <stdint.h>
#include <string.h>

#if defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS == 256
#include <arm_sve.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#elif defined(__FMA__)
#include <immintrin.h>
#endif

typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));
typedef int32_t bits __attribute__((vector_size(LANES * sizeof(int32_t))));
typedef uint32_t words __attribute__((vector_size(LANES * sizeof(uint32_t)))); /* sums of these may wrap */

#define LANES_INLINE static inline __attribute__((always_inline))

LANES_INLINE lanes lanes_load(const float *p)
{
    lanes v;
    memcpy(&v, p, sizeof v);
    return v;
}

LANES_INLINE void lanes_store(float *p, lanes v)
{
    memcpy(p, &v, sizeof v);
}

LANES_INLINE lanes lanes_fill(float f)
{
    return f - (lanes){0};
}

/* Returns a * b + c, rounded once if the instruction set allows it, else twice; the same in every lane and call. */
LANES_INLINE lanes lanes_fma(lanes a, lanes b, lanes c)
{
#if defined(__ARM_FEATURE_SVE_BITS) && __ARM_FEATURE_SVE_BITS == 256
    typedef svfloat32_t fixed __attribute__((arm_sve_vector_bits(256)));
    return (lanes)(fixed)svmla_f32_x(svptrue_b32(), (fixed)c, (fixed)a, (fixed)b);
#elif defined(__aarch64__)
    return (lanes)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#elif defined(__FMA__) && LANES == 16
    return (lanes)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__) && LANES == 8
    return (lanes)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    return a * b + c;
#endif
}

/* Returns a where the mask is set, b elsewhere. */
LANES_INLINE lanes lanes_select(bits mask, lanes a, lanes b)
{
    return (lanes)((mask & (bits)a) | (~mask & (bits)b));
}

LANES_INLINE lanes lanes_max(lanes a, lanes b)
{
    return lanes_select(a > b, a, b);
}

LANES_INLINE lanes lanes_abs(lanes a)
{
    return (lanes)((bits)a & 0x7fffffff);
}

typedef float four __attribute__((vector_size(4 * sizeof(float))));

/* Adds the halves of v until four lanes are left. */
LANES_INLINE four lanes_fold(lanes v)
{
#if LANES == 16
    typedef float eight __attribute__((vector_size(8 * sizeof(float))));
    eight half = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                 __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
    return __builtin_shufflevector(half, half, 0, 1, 2, 3) + __builtin_shufflevector(half, half, 4, 5, 6, 7);
#elif LANES == 8
    return __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
#else
    return v;
#endif
}

/* Returns the sums over the lanes of four vectors. */
LANES_INLINE four lanes_sums(lanes v0, lanes v1, lanes v2, lanes v3)
{
    four a = lanes_fold(v0), b = lanes_fold(v1), c = lanes_fold(v2), d = lanes_fold(v3);
    four ab = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
    four cd = __builtin_shufflevector(c, d, 0, 1, 4, 5) + __builtin_shufflevector(c, d, 2, 3, 6, 7);
    return __builtin_shufflevector(ab, cd, 0, 2, 4, 6) + __builtin_shufflevector(ab, cd, 1, 3, 5, 7);
}

/* Returns 2^n for n from -126 to 127. */
LANES_INLINE lanes lanes_power(bits n)
{
    return (lanes)((n + 127) << 23);
}

/* Returns the value of a polynomial; the coefficient of the highest power comes first. */
LANES_INLINE lanes lanes_polynomial(int terms, const float *coefficient, lanes x)
{
    lanes sum = lanes_fill(coefficient[0]);
    for (int k = 1; k < terms; k++) {
        sum = lanes_fma(sum, x, lanes_fill(coefficient[k]));
    }
    return sum;
}

/*
 * exp(x) = 2^n exp(r), n the integer nearest to x / log 2 and |r| <= log(2) / 2.  The power is applied in two halves,
 * so that subnormal results round once and those beyond all floats become infinite.
 */
LANES_INLINE lanes lanes_exp(lanes x)
{
    static const float q[] = {1.381461276e-03f, 8.368710056e-03f, 4.166838899e-02f, 1.666652113e-01f, 4.999999404e-01f};
    const float magic = 12582912.0f; /* 1.5 * 2^23: adding it rounds to an integer */
    lanes within = lanes_select(x < 89.0f, x, lanes_fill(89.0f));
    within = lanes_select(within > -104.0f, within, lanes_fill(-104.0f));
    lanes shifted = lanes_fma(within, lanes_fill(1.44269504f), lanes_fill(magic)), whole = shifted - magic;
    bits n = (bits)shifted - (bits)lanes_fill(magic), half = n >> 1;
    lanes r = lanes_fma(whole, lanes_fill(-0.693359375f), within); /* log 2 is this short constant minus the next */
    r = lanes_fma(whole, lanes_fill(2.12194440e-4f), r);
    lanes p = lanes_fma(lanes_polynomial(5, q, r) * r, r, r) + 1.0f;
    lanes out = p * lanes_power(half) * lanes_power(n - half);
    return lanes_select(x == x, out, x); // NOLINT(misc-redundant-expression): NaN stays NaN
}

/* log(x) = n log 2 + log(1 + f), 1 + f from sqrt(1/2) to sqrt(2). */
LANES_INLINE lanes lanes_log(lanes x)
{
    static const float q[] = {6.746638566e-02f,  -1.167565137e-01f, 1.188816279e-01f,
                              -1.240558922e-01f, 1.421955228e-01f,  -1.666799635e-01f,
                              2.000211924e-01f,  -2.500000894e-01f, 3.333331347e-01f};
    const int32_t root_half = 0x3f3504f3; /* sqrt(1/2) */
    bits tiny = x < 1.17549435e-38f;
    lanes normal = lanes_select(tiny, x * 8388608.0f, x);
    bits shifted = (bits)((words)normal - (uint32_t)root_half);
    bits n = (shifted >> 23) - (tiny & 23);
    lanes f = (lanes)((shifted & 0x007fffff) + root_half) - 1.0f, square = f * f;
    lanes whole = __builtin_convertvector(n, lanes);
    lanes tail = lanes_polynomial(9, q, f) * f * square;
    tail = lanes_fma(whole, lanes_fill(-2.12194440e-4f), tail);
    tail = lanes_fma(square, lanes_fill(-0.5f), tail);
    lanes out = lanes_fma(whole, lanes_fill(0.693359375f), tail + f);
    out = lanes_select(x == 0.0f, lanes_fill(-__builtin_inff()), out);
    out = lanes_select(x > 3.40282347e38f, x, out);
    return lanes_select(x >= 0.0f, out, lanes_fill(__builtin_nanf("")));
}

/* Returns tanh(x), computed near zero by a polynomial, else from exp(2 |x|). */
LANES_INLINE lanes lanes_tanh(lanes x)
{
    static const float q[] = {-5.704986397e-03f, 2.063908614e-02f, -5.373971537e-02f, 1.333144158e-01f,
                              -3.333328068e-01f};
    lanes size = lanes_abs(x), square = x * x;
    lanes near = lanes_fma(lanes_polynomial(5, q, square) * square, x, x);
    lanes far = 1.0f - 2.0f / (lanes_exp(size + size) + 1.0f);
    far = (lanes)((bits)far | ((bits)x & INT32_MIN));
    far = lanes_select(x == x, far, x); // NOLINT(misc-redundant-expression): NaN stays NaN
    return lanes_select(size < 0.625f, near, far);
}

#endif
