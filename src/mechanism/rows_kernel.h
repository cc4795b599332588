/* rows_kernel.h - the passes over rows that are compiled once per instruction set. */
#ifndef MECHANISM_ROWS_KERNEL_H
#define MECHANISM_ROWS_KERNEL_H

#include "base/instruction_set.h"
#include "mechanism/mechanism_internal.h"

struct rows_kernel {
    void (*apply)(const mechanism_model *m, mechanism_point *at);
    double (*likelihood)(const mechanism_model *m, const mechanism_point *at, int64_t from, int64_t to);
    void (*score)(const mechanism_model *m, const mechanism_point *at, int64_t from, int64_t to, double *log_density);
    /* Fills the weights of rows; adds to gradient and, unless NULL, hessian the parts of segments' parameters. */
    void (*weigh_rows)(const mechanism_model *m, const mechanism_point *at, int64_t from, int64_t to,
                       mechanism_weights *w, double *gradient, double *hessian);
    /* Add, from the weights: gradient of the coefficients; second derivatives by them and by segments' parameters. */
    void (*add_gradients)(const mechanism_model *m, int64_t from, int64_t to, const mechanism_weights *w,
                          double *gradient);
    void (*add_crossings)(const mechanism_model *m, int64_t from, int64_t to, const mechanism_weights *w);
};

#endif
