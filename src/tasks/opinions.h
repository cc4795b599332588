/*
 * opinions.h - what other methods say about a pair (--opinions all).
 */
#ifndef TASKS_OPINIONS_H
#define TASKS_OPINIONS_H

#include "data/dataset.h"
#include "methods/shared/method.h"

/* Asks every method that gives second opinions, except the one that decided; adds what they say to the result. */
nonsens_status opinions_ask(nonsens_context *ctx, const nonsens_data *pair, const method *decided,
                            nonsens_result *result);

#endif
