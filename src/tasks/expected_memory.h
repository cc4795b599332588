/* expected_memory.h - estimates how much memory a run will take. */
#ifndef TASKS_EXPECTED_MEMORY_H
#define TASKS_EXPECTED_MEMORY_H

#include "methods/shared/method.h"

/*
 * Estimates how many bytes `direction` by this method takes in addition to the data, within a factor of about two.
 * Runs with more than two threads take somewhat more.
 */
double expected_direction_memory(const nonsens_data *data, const nonsens_options *options, const method *m);

#endif
