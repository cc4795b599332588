/* Sums with AVX2 and fused multiply-add. */
#define SUMS sums_avx2

#include "mechanism/sums_body.h"
