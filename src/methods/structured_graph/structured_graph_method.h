/* structured_graph_method.h - declares what the registry runs from this folder. */
#ifndef METHODS_STRUCTURED_GRAPH_STRUCTURED_GRAPH_METHOD_H
#define METHODS_STRUCTURED_GRAPH_STRUCTURED_GRAPH_METHOD_H

#include "methods/shared/method.h"

/* Structured segment likelihood of many variables (structured_graph.c). */
method_fn structured_discover;

/* How another process makes fits for it (structured_share.c). */
nonsens_status share_new(nonsens_context *ctx, arena *a, const nonsens_data *data, const nonsens_options *options,
                         const targets *hit, void **out);
void share_free(void *state);
nonsens_status share_make_unit(nonsens_context *ctx, arena *scratch, const void *state, const json_value *task,
                               json_value **line);

#endif
