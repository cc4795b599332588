/* variables.h - finds the variables that --x, --y, --given and --target name. */
#ifndef DATA_VARIABLES_H
#define DATA_VARIABLES_H

#include "data/dataset.h"

/* A data set with just the variables that were named: first those of x, then those of y, then those of given. */
typedef struct variable_roles {
    const nonsens_data *data;
    nonsens_data *owned; /* for the caller to free; NULL if `data` is the caller's own */
    int64_t count[3];    /* variables of x, y and given */
} variable_roles;

/* Frees the data set, unless it is the caller's own. */
static inline void variables_release(variable_roles *roles)
{
    nonsens_data_free(roles->owned);
}

/*
 * Finds the variables of x, y and given; x_only: only of x.  Without names the data must have just two (one).  Rows in
 * which one of them is missing are left out (complete.h).
 */
nonsens_status variables_roles(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                               bool x_only, variable_roles *out);

/*
 * Finds the two variables that --x and --y name, or the only two there are.  *pair is `data` itself if it has just
 * these two in this order, otherwise a data set that the caller frees through *owned (NULL if there is nothing to
 * free).
 */
nonsens_status variables_pair(nonsens_context *ctx, const nonsens_data *data, const nonsens_options *options,
                              const nonsens_data **pair, nonsens_data **owned);

/* Finds the variable that --key names: by its name, as it stands or without blanks around it, or as the k-th of the
 * data (#k). */
nonsens_status variables_find(nonsens_context *ctx, const nonsens_data *data, const char *key, const char *wanted,
                              int64_t *index);

#endif
