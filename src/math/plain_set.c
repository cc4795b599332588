/* plain_set.c - lists the kernels of one instruction set; compiled once per set. */
#include "math/plain_in_set.h"

extern const plain_kernel IN_SET(plain);
const plain_kernel IN_SET(plain) = {
    .multiply = plain_multiply,
    .apply = plain_apply,
    .apply_symmetric = plain_apply_symmetric,
    .add_outer = plain_add_outer,
    .rotate = plain_rotate,
    .factor = plain_factor,
    .solve_left = plain_solve_left,
    .solve_right = plain_solve_right,
};
