/*
 * registry.h - the table of methods.  Code outside the method folders reads the rows and never compares method names.
 *
 * Adding a method = one folder in src/methods and one row in registry.c.
 */
#ifndef METHODS_REGISTRY_H
#define METHODS_REGISTRY_H

#include "methods/shared/method.h"

/* Returns the row with this index, or NULL past the last one. */
const method *method_at(size_t index);

/* Returns the method with this name, or NULL. */
const method *method_find(const char *name);

/* Returns the method that a command runs if --method is not set. */
const method *method_default(unsigned command);

/* Returns the bivariate method that m asks about pairs, as the options say; NULL if m asks none. */
const method *method_for_pairs(const method *m, const nonsens_options *options);

/* Returns whether the method uses the option in this command. */
bool method_uses(const method *m, unsigned command, const char *key);

/* Returns the largest number of rows that a run uses: --max-rows, or the method's limit; 0: all. */
int64_t method_max_rows(const method *m, const nonsens_options *options);

#endif
