/* choose_method.h - finds the method that the options name, and checks that it can do what they ask. */
#ifndef TASKS_CHOOSE_METHOD_H
#define TASKS_CHOOSE_METHOD_H

#include "methods/shared/method.h"

/*
 * Finds the method.  Returns NONSENS_ERR_USAGE if the command cannot run it, or if as-published, target or knowledge is
 * set and the method does not use it.
 */
nonsens_status choose_method(nonsens_context *ctx, const nonsens_options *options, const method **out);

/* Fails if the data have missing values.  The message says that `what` needs all values, and which methods do not. */
nonsens_status choose_needs_values(nonsens_context *ctx, const nonsens_data *data, const char *what);

/* Leaves a warning that names the options that were set but that this method, unlike others, does not use. */
void warn_unused_options(nonsens_context *ctx, const nonsens_options *options, const method *m);

#endif
