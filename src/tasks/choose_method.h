/* choose_method.h - the method that the options name, if it can do what they ask of it. */
#ifndef TASKS_CHOOSE_METHOD_H
#define TASKS_CHOOSE_METHOD_H

#include "methods/shared/method.h"

/*
 * NONSENS_ERR_USAGE unless the command can run the method, and the method uses the options that mean nothing to others:
 * as-published, target and knowledge.
 */
nonsens_status choose_method(nonsens_context *ctx, const nonsens_options *options, const method **out);

#endif
