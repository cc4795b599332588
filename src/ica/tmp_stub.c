#include "ica/internal.h"
nonsens_status ica_fastica(nonsens_context *ctx, arena *a, ica_data *data, const ica_options *options, double *rotation,
                           ica_result *out)
{
    (void)a;
    (void)data;
    (void)options;
    (void)rotation;
    (void)out;
    return fail(ctx, NONSENS_ERR_NUMERIC, "no");
}
nonsens_status ica_infomax(nonsens_context *ctx, arena *a, const ica_data *data, const ica_options *options,
                           double *unmixing, ica_result *out)
{
    (void)a;
    (void)data;
    (void)options;
    (void)unmixing;
    (void)out;
    return fail(ctx, NONSENS_ERR_NUMERIC, "no");
}
