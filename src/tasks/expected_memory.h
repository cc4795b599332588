/* expected_memory.h - how much memory a run will take. */
#ifndef TASKS_EXPECTED_MEMORY_H
#define TASKS_EXPECTED_MEMORY_H

#include "data/dataset.h"

/*
 * Bytes that the run takes beside the data, right within a factor of two or so; with threads that work side by side on
 * parts of it, each over two, somewhat more.  name: of the method, where the command has one.
 */
double expected_memory(const nonsens_data *data, const nonsens_options *options, unsigned command, const char *name);

#endif
